#include "viewer/input/actions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

typedef void (*visitor)(const struct flm_action *action, void *context);

static void each_action(visitor visit, void *context)
{
    size_t count;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            visit(&groups[g]->at[i], context);
}

static void check_words(const struct flm_action *action, void *context)
{
    (void)context;
    assert_ptr_equal(flm_action_named(flm_bytes_of(action->name)), action); /* no name twice */
    assert_null(strchr(action->name, ' '));
    assert_true(action->title[0] >= 'A' && action->title[0] <= 'Z');
    assert_non_null(action->run);
}

static void every_action_has_a_name_of_its_own_and_a_title(void **state)
{
    (void)state;
    each_action(check_words, NULL);
    assert_null(flm_action_named(flm_bytes_of("")));
    assert_null(flm_action_named(flm_bytes_of("zoo")));
}

/* It works, or says in words why it does not. Either way all is sound. */
static void try_one(struct viewing *seen, const char *action)
{
    struct flm_error why = {0};
    bool good = flm_viewer_do(seen->viewer, flm_bytes_of(action), &why);
    if (!good && (why.kind != FLM_ERROR_USAGE || why.text[0] == 0))
        fail_msg("'%s' is refused with kind %d: '%s'", action, (int)why.kind, why.text);
    if (good && why.kind != FLM_ERROR_NONE)
        fail_msg("'%s' works, and says: %s", action, why.text);
    assert_viewing_sound(seen);
    viewing_look(seen);
    assert_viewing_sound(seen);
}

static const char *const arguments[] = {"",
                                        " ",
                                        " 0",
                                        " 1",
                                        " 4294967297",
                                        " -1",
                                        " x",
                                        " 0 1",
                                        " f1",
                                        " /f/",
                                        " /(/",
                                        " total",
                                        " flame",
                                        " m1",
                                        " hide:f1",
                                        " by:name | invert",
                                        " 1 hide:f2",
                                        " 99999999999999999999",
                                        " \xFF%00"};

static void try_with_all_arguments(const struct flm_action *action, void *context)
{
    struct viewing *seen = context;
    char text[100];
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        snprintf(text, sizeof text, "%s%s", action->name, arguments[i]);
        try_one(seen, text);
        /* Something is selected as often as not. */
        flm_viewer_do(seen->viewer, flm_bytes_of(i % 2 ? "child" : "next-match"), NULL);
        if (seen->viewer->model.operations.count > 3)
            viewing_do(seen, "reset");
    }
    if (flm_model_compares(&seen->viewer->model))
        flm_viewer_do(seen->viewer, flm_bytes_of("compare-stop"), NULL);
}

static void every_action_works_or_says_why_not(void **state)
{
    (void)state;
    uint64_t random = 95;
    struct random_shape shape = random_full, negative = random_full, sampled = random_full;
    negative.negative = true;
    sampled.samples = RANDOM_SAMPLES_ALL;
    struct flm_profile *profiles[] = {
        profile_of(""),
        profile_of("one 1\n"),
        profile_of("main;parse 3\nmain;write 5\n"),
        profile_of_two("a;b 1 2\na;c 3 0\n"),
        profile_of("a -3\na;b 3\n"),
        random_profile(&random, &negative),
        random_profile(&random, &sampled),
        random_profile(&random, &shape),
    };
    static const double windows[][3] = {
        {400, 300, 1}, {0, 0, 1}, {1, 1, 1}, {360, 640, 2}, {300, 200, 0.25}};
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct viewing seen;
        const double *window = windows[i % 5];
        viewing_init(&seen, profiles[i], (uint32_t)window[0], (uint32_t)window[1], window[2]);
        each_action(try_with_all_arguments, &seen);
        viewing_clear(&seen);
    }
}

static void refuse_without_profile(const struct flm_action *action, void *context)
{
    struct flm_error why = {0};
    struct flm_viewer *viewer = context;
    if (!flm_viewer_do(viewer, flm_bytes_of(action->name), &why))
        assert_true(why.text[0] != 0);
}

static void without_a_profile_nothing_can_be_done(void **state)
{
    (void)state;
    struct flm_viewer *viewer = flm_viewer_new(NULL);
    struct flm_error why = {0};
    each_action(refuse_without_profile, viewer);
    assert_false(flm_viewer_do(viewer, flm_bytes_of("zoom-in"), &why));
    assert_non_null(strstr(why.text, "no profile is open"));
    uint32_t pixel = 0;
    struct flm_pixels pixels = flm_pixels_of(&pixel, 1, 1);
    flm_viewer_resize(viewer, 1, 1, 1);
    assert_false(flm_viewer_paint(viewer, &pixels, 0));
    for (int event = FLM_POINTER_MOVE; event <= FLM_POINTER_LEAVE; event++)
        flm_viewer_pointer(viewer, (enum flm_pointer_event)event, 0, 0, 0, false, 0);
    flm_viewer_wheel(viewer, 0, 0, 0, 10, 0, 0);
    flm_viewer_pinch(viewer, 0, 0, 2, 0, 0, 0);
    flm_viewer_free(viewer);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static const char *key_of(struct viewing *seen, const char *key, unsigned held)
{
    struct flm_bytes argument;
    const struct flm_action *action =
        flm_action_for_key(seen->viewer, flm_bytes_of(key), held, &argument);
    return action ? action->name : "";
}

static void known_keys_do_what_they_do_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        unsigned held;
        const char *free, *selected; /* while a frame is selected */
    } keys[] = {
        /* speedscope */
        {"+", 0, "zoom-in", "zoom-in"},
        {"=", 0, "zoom-in", "zoom-in"},
        {"-", 0, "zoom-out", "zoom-out"},
        {"_", FLM_HELD_SHIFT, "zoom-out", "zoom-out"},
        {"0", 0, "fit", "fit"},
        {"w", 0, "scroll-up", "scroll-up"},
        {"a", 0, "pan-left", "pan-left"},
        {"s", 0, "scroll-down", "scroll-down"},
        {"d", 0, "pan-right", "drop"},
        {"r", 0, "collapse-any", "collapse-any"},
        {"1", 0, "view", "view"},
        {"3", 0, "view", "view"},
        {"Escape", 0, "escape", "escape"},
        {"f", FLM_HELD_CONTROL, "find", "find"},
        {"f", FLM_HELD_COMMAND, "find", "find"},
        /* the Firefox Profiler */
        {"f", 0, "focus", "focus"},
        {"F", FLM_HELD_SHIFT, "from", "from"},
        {"m", 0, "hide", "hide"},
        {"c", 0, "prune", "prune"},
        {"R", FLM_HELD_SHIFT, "collapse-direct", "collapse-direct"},
        {"y", 0, "copy-name", "copy-name"},
        {"c", FLM_HELD_CONTROL, "copy-name", "copy-name"},
        {"/", 0, "find", "find"},
        {"?", FLM_HELD_SHIFT, "help", "help"},
        {"ArrowUp", 0, "up", "up"},
        {"Enter", 0, "zoom-selected", "zoom-selected"},
        /* nothing */
        {"x", FLM_HELD_CONTROL, "", ""},
        {"ArrowUp", FLM_HELD_CONTROL, "", ""},
        {"", 0, "", ""},
        {"F13", 0, "", ""},
    };
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 3\nmain;write 5\n"), 400, 300, 1);
    for (int selected = 0; selected < 2; selected++) {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const char *expected = selected ? keys[i].selected : keys[i].free;
            const char *got = key_of(&seen, keys[i].key, keys[i].held);
            if (strcmp(got, expected) != 0)
                fail_msg("%s is %s, not %s", keys[i].key, got, expected);
        }
        viewing_click(&seen, "parse", 1);
    }
    viewing_clear(&seen);
}

static void a_key_may_bring_an_argument(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 3\n"), 400, 300, 1);
    assert_true(viewing_key(&seen, "5", 0));
    assert_string_equal(seen.viewer->model.view->name, "top");
    assert_false(viewing_key(&seen, "9", 0));
    assert_string_equal(seen.viewer->model.view->name, "top");
    viewing_clear(&seen);
}

/* ---- Esc ------------------------------------------------------------------------------------- */

/* However often it is pressed: the zoom, the search and the transforms are not open, they are what
 * is looked at. */
static void escape_closes_what_is_open_and_nothing_else(void **state)
{
    (void)state;
    struct viewing seen;
    char *before;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\nidle 1\n"), 400, 300, 1);
    viewing_do(&seen, "search write");
    viewing_do(&seen, "apply hide:lex");
    viewing_click(&seen, "main", 2);
    viewing_do(&seen, "select 0");
    viewing_key(&seen, "Escape", 0);
    before = strdup(viewing_state(&seen));
    assert_non_null(strstr(before, "zoom="));
    assert_non_null(strstr(before, "apply="));
    viewing_click(&seen, "parse", 1);
    assert_string_not_equal(viewing_state(&seen), before);
    for (int i = 0; i < 3; i++) {
        viewing_changes(&seen);
        assert_true(viewing_key(&seen, "Escape", 0));
        assert_false(viewing_changes(&seen) & FLM_CHANGED(NOTICE));
        assert_false(flm_node_ref_valid(seen.viewer->model.selected));
        assert_string_equal(viewing_state(&seen), before);
    }
    free(before);
    viewing_clear(&seen);
}

/* What was under the pointer is elsewhere, or gone. */
static void after_an_action_there_is_no_tooltip_until_the_pointer_moves(void **state)
{
    (void)state;
    static const char *const actions[] = {"zoom-in", "search parse", "apply hide:lex",
                                          "invert",  "next-order",   "escape"};
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\nidle 1\n"), 400, 300, 1);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        for (int moved = 0; moved < 2; moved++) {
            flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, 200, 48 + 30 + moved, 0, false, 0);
            assert_true(flm_node_ref_valid(seen.viewer->input.hovered));
        }
        viewing_changes(&seen);
        viewing_do(&seen, actions[i]);
        assert_false(flm_node_ref_valid(seen.viewer->input.hovered));
        assert_true(viewing_changes(&seen) & FLM_CHANGED(HOVER));
        assert_string_equal(viewing_ask(&seen, "hover"), "null\n");
    }
    viewing_clear(&seen);
}

/* The sentence that a key ends in; "" for none. */
static const char *notice_after(struct viewing *seen, const char *key, unsigned held)
{
    viewing_changes(seen);
    assert_true(viewing_key(seen, key, held));
    bool told = viewing_changes(seen) & FLM_CHANGED(NOTICE);
    return told ? viewing_ask(seen, "notice") : "";
}

static void what_a_key_cannot_do_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        unsigned held;
        const char *says;
    } keys[] = {
        {"z", FLM_HELD_CONTROL, "there is nothing to undo"},
        {"y", FLM_HELD_CONTROL, "there is nothing to redo"},
        {"n", 0, "there is no search to step through"},
        {"m", 0, "no function is selected"},
        {"F", FLM_HELD_SHIFT,
         "no frame of the stacks is selected: callers have no path from the root"},
        {"Enter", 0, "no frame is selected"},
        {"Backspace", 0, "there is no step to go back to"},
        {"Escape", 0, ""},
        {"]", 0, "there is no step to go forward to"},
        {"v", 0,
         "nothing is compared: open a second profile, or say which part of this one is before"},
        {"z", 0, "only a flame chart shows time"},
        {"T", FLM_HELD_SHIFT, "no label of this profile distinguishes threads"},
        {"t", 0, "this profile has only one metric"},
        {"2", 0, "no sample of this profile has a time"},
        {"0", 0, "everything is visible already"},
        {"-", 0, "everything is visible already"},
        {"a", 0, "this is the left end"},
        {"d", 0, "this is the right end"},
        {"w", 0, "there is nothing further up"},
        {"s", 0, "there is nothing further down"},
        {"ArrowUp", 0, ""}, /* from main, that all is in, to the root */
        {"ArrowUp", 0, "there is no frame further that way"},
        {"o", 0, ""},
        {"+", 0, ""},
    };
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 3\nmain;write 5\n"), 400, 300, 1);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *said = notice_after(&seen, keys[i].key, keys[i].held);
        if (strcmp(said, keys[i].says) != 0)
            fail_msg("%s says '%s'", keys[i].key, said);
    }
    viewing_changes(&seen);
    assert_false(viewing_key(&seen, "F13", 0)); /* means nothing: nothing is said */
    assert_false(viewing_changes(&seen) & FLM_CHANGED(NOTICE));
    viewing_do(&seen, "search nowhere");
    assert_string_equal(notice_after(&seen, "n", 0), "the search finds nothing here");
    assert_string_equal(viewing_ask(&seen, "notice-kind"), "information");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_has_a_name_of_its_own_and_a_title),
        cmocka_unit_test(every_action_works_or_says_why_not),
        cmocka_unit_test(without_a_profile_nothing_can_be_done),
        cmocka_unit_test(known_keys_do_what_they_do_elsewhere),
        cmocka_unit_test(a_key_may_bring_an_argument),
        cmocka_unit_test(escape_closes_what_is_open_and_nothing_else),
        cmocka_unit_test(after_an_action_there_is_no_tooltip_until_the_pointer_moves),
        cmocka_unit_test(what_a_key_cannot_do_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
