#include "viewer/state.h"

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

static void a_profile_just_opened_has_no_state(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a;b 1\n"), 400, 300, 1);
    assert_string_equal(viewing_state(&seen), "");
    viewing_clear(&seen);
}

static void what_is_chosen_is_said_in_words(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of_two("a;b 1 2\na;c 3 4\n"), 400, 300, 1);
    viewing_do(&seen, "order total");
    viewing_do(&seen, "flip");
    viewing_do(&seen, "invert");
    viewing_do(&seen, "color function");
    viewing_do(&seen, "metric before");
    viewing_do(&seen, "apply drop:b | depth:7");
    viewing_do(&seen, "search a");
    viewing_do(&seen, "sandwich c");
    assert_string_equal(viewing_state(&seen),
                        "view=sandwich&of=c&metric=before&order=total&flame=1&invert=1&"
                        "color=function&apply=drop:b%20|%20depth:7&search=tni0.a");
    viewing_clear(&seen);
}

static void a_metric_without_values_is_not_shown_first(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of_two("a;b 2 0\na;c 4 0\n"), 400, 300, 1);
    assert_string_equal(viewing_state(&seen), "");
    viewing_do(&seen, "metric after");
    assert_string_equal(viewing_state(&seen), "metric=after");
    viewing_do(&seen, "metric before");
    assert_string_equal(viewing_state(&seen), "");
    viewing_clear(&seen);
    /* Another one does not become the first because an operation leaves nothing of it. */
    viewing_init(&seen, profile_of_two("a;b 2 1\na;c 4 0\n"), 400, 300, 1);
    viewing_do(&seen, "apply drop:b");
    assert_string_equal(viewing_state(&seen), "apply=drop:b");
    viewing_clear(&seen);
}

static void restore(struct viewing *seen, const char *state)
{
    struct flm_text action = {0};
    flm_text_format(&action, "restore %s", state);
    flm_text_putc(&action, 0);
    viewing_do(seen, action.at);
    flm_text_clear(&action);
}

static char *copied(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    return strcpy(copy, text);
}

static void assert_same_picture(struct viewing *a, struct viewing *b)
{
    viewing_look(a);
    viewing_look(b);
    size_t size = (size_t)a->pixels.width * a->pixels.height * sizeof *a->pixels.at;
    if (memcmp(a->pixels.at, b->pixels.at, size) != 0) {
        char *first = copied(viewing_state(a));
        print_message("%s\n%s\n", first, viewing_state(b));
        free(first);
        for (size_t i = 0; i < size / 4; i++)
            if (a->pixels.at[i] != b->pixels.at[i]) {
                fail_msg("the pictures differ at %zu, %zu", i % a->pixels.width,
                         i / a->pixels.width);
            }
    }
}

static void wander(struct viewing *seen, uint64_t *random, int steps)
{
    static const char *const actions[] = {
        "flip",
        "order total",
        "order name",
        "next-metric",
        "zoom-in",
        "pan-left",
        "pan-right",
        "down",
        "up",
        "left",
        "right",
        "zoom-selected",
        "apply hide:f1",
        "apply by:function",
        "undo",
        "search f2",
        "next-match",
        "color kind",
        "page-down",
        "scroll-up",
        "back",
        "focus",
        "view sandwich",
        "view flame",
    };
    for (int i = 0; i < steps; i++) {
        const char *action = actions[random_below(random, sizeof actions / sizeof actions[0])];
        seen->now_ms += 1000;
        seen->viewer->input.now_ms = seen->now_ms;
        flm_viewer_do(seen->viewer, flm_bytes_of(action), NULL);
        if (random_below(random, 3) == 0)
            viewing_click_at(seen, 8 + random_below(random, 600), 48 + random_below(random, 90),
                             1 + (int)random_below(random, 2));
        if (random_below(random, 5) == 0)
            flm_viewer_wheel(seen->viewer, random_below(random, 600), 90, 0,
                             random_below(random, 500) - 300.0, 0, seen->now_ms);
    }
}

static void the_same_state_is_the_same_picture(void **state)
{
    (void)state;
    uint64_t random = 71;
    for (int round = 0; round < 60; round++) {
        struct viewing seen, other;
        struct random_shape shape = random_full;
        shape.stacks = 60;
        shape.deepest = 20;
        shape.negative = round % 4 == 0;
        uint64_t same = random;
        viewing_init(&seen, random_profile(&random, &shape), 616, 200, 1);
        viewing_init(&other, random_profile(&same, &shape), 616, 200, 1);
        wander(&seen, &random, 12);
        viewing_look(&seen);
        /* What is pointed at is no state. */
        flm_viewer_pointer(seen.viewer, FLM_POINTER_LEAVE, 0, 0, 0, false, seen.now_ms);
        seen.viewer->model.selected_merged = (struct flm_rectangle){0};
        char *text = copied(viewing_state(&seen));
        viewing_look(&other);
        restore(&other, text);
        assert_string_equal(viewing_state(&other), text);
        assert_same_picture(&seen, &other);
        free(text);
        viewing_clear(&seen);
        viewing_clear(&other);
    }
}

static void back_restores_what_was(void **state)
{
    (void)state;
    uint64_t random = 72;
    for (int round = 0; round < 60; round++) {
        struct viewing seen;
        viewing_init(&seen, random_profile(&random, &random_full), 616, 300, 1);
        wander(&seen, &random, 5);
        viewing_do(&seen, "fit");
        char *before = copied(viewing_state(&seen));
        static const char *const steps[] = {"zoom-in",     "flip",          "order seen",
                                            "order total", "apply depth:2", "view top",
                                            "view tree",   "color file"};
        size_t at = seen.viewer->model.history.current;
        unsigned done = 1 + random_below(&random, 6);
        for (unsigned i = 0; i < done; i++)
            viewing_do(&seen, steps[random_below(&random, 8)]);
        while (seen.viewer->model.history.current > at)
            viewing_do(&seen, "back");
        assert_string_equal(viewing_state(&seen), before);
        free(before);
        viewing_clear(&seen);
    }
}

static void places_are_found_in_another_run_of_the_program(void **state)
{
    (void)state;
    struct viewing seen, other;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\nidle 1\n"), 600, 300, 1);
    viewing_init(
        &other, profile_of("aaa 7\nmain;aaa 2\nmain;parse;abc 1\nmain;parse;lex 3\nmain;write 5\n"),
        600, 300, 1);
    viewing_click(&seen, "parse", 2);
    viewing_click(&seen, "lex", 1);
    viewing_look(&other);
    restore(&other, viewing_state(&seen));
    assert_string_equal(viewing_name(&other, other.viewer->model.zoomed), "parse");
    assert_string_equal(viewing_name(&other, other.viewer->model.selected), "lex");
    /* And where there is none, all is shown. */
    viewing_do(&other, "drop");
    assert_false(flm_node_ref_valid(other.viewer->model.selected));
    restore(&other, "zoom=1234567890abcdef&select=1");
    assert_false(flm_node_ref_valid(other.viewer->model.zoomed) ||
                 flm_node_ref_valid(other.viewer->model.selected));
    assert_true(flm_viewer_is_fit(other.viewer));
    viewing_clear(&seen);
    viewing_clear(&other);
}

static void zoom_and_selection_stay_where_the_node_does(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "flip",     "order total", "order seen", "next-metric", "color kind", "apply hide:idle",
        "view top", "view flame",  "undo",       "search lex",  "order name"};
    struct viewing seen;
    viewing_init(&seen, profile_of_two("main;parse;lex 3 1\nmain;write 5 9\nidle 1 2\n"), 600, 300,
                 1);
    viewing_click(&seen, "parse", 2);
    viewing_click(&seen, "lex", 1);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        viewing_do(&seen, changes[i]);
        assert_string_equal(viewing_name(&seen, seen.viewer->model.zoomed), "parse");
        assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "lex");
        assert_viewing_sound(&seen);
    }
    viewing_do(&seen, "hide");
    assert_false(flm_node_ref_valid(seen.viewer->model.selected));
    assert_string_equal(viewing_name(&seen, seen.viewer->model.zoomed), "parse");
    viewing_do(&seen, "apply drop:parse");
    assert_true(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

/* Any ref, as its path, is found again as itself: also siblings of one name. */
static void every_place_is_found_by_its_path(void **state)
{
    (void)state;
    uint64_t random = 73;
    size_t twins = 0;
    for (int round = 0; round < 60; round++) {
        struct viewing seen;
        struct random_shape shape = random_full;
        shape.names = 2 + random_below(&random, 6);
        viewing_init(&seen, random_profile(&random, &shape), 600, 300, 1);
        if (round % 3 == 1)
            viewing_do(&seen, "invert");
        if (round % 3 == 2)
            flm_viewer_do(seen.viewer, flm_bytes_of("sandwich /f/"), NULL);
        viewing_look(&seen);
        struct flm_scene *scene = &seen.viewer->scene;
        for (uint32_t s = 0; s < scene->pane_count; s++)
            for (uint32_t i = 1; i < scene->panes[s].tree.node_count; i++) {
                struct flm_pane *pane = &scene->panes[s];
                struct flm_node_ref ref = {s, flm_pane_number(pane, (struct flm_node){i})};
                struct flm_path path;
                struct flm_node_ref found;
                flm_scene_path(scene, ref, &path);
                assert_true((path.hash != 0) ==
                            (flm_layout_total(pane->layout, (struct flm_node){i}) > 0));
                assert_true(flm_scene_find(scene, &path, &found, NULL));
                if (path.hash)
                    assert_true(flm_node_refs_equal(found, ref));
                uint32_t next = pane->tree.end[i];
                const struct flm_frame_record *frames = pane->profile->frames;
                twins += next < pane->tree.node_count && frames[pane->tree.frame[next]].function ==
                                                             frames[pane->tree.frame[i]].function;
            }
        viewing_clear(&seen);
    }
    assert_true(twins > 20);
}

/* Callers are open only as far as they are wide. What one has opened by hand is opened again. */
static void the_way_to_a_place_is_opened(void **state)
{
    (void)state;
    static const char *const views[] = {"invert", "sandwich /f/"};
    uint64_t random = 74;
    size_t opened = 0;
    for (int round = 0; round < 40; round++) {
        struct viewing seen, other;
        struct random_shape shape = random_full;
        shape.stacks = 400;
        shape.names = 2 + random_below(&random, 6);
        struct flm_profile *p = random_profile(&random, &shape);
        viewing_init(&seen, p, 3, 300, 1); /* so narrow that nothing opens by itself */
        struct flm_profile *same = flm_apply(p, "depth:1000", NULL, NULL);
        viewing_init(&other, same, 3, 300, 1);
        flm_viewer_do(seen.viewer, flm_bytes_of(views[round % 2]), NULL);
        struct flm_scene *scene = &seen.viewer->scene;
        uint32_t pane = round / 2 % scene->pane_count;
        for (uint32_t i = 0; i < scene->panes[pane].tree.node_count; i++)
            assert_true(flm_pane_open_one(&scene->panes[pane], i, NULL));
        flm_viewer_arrange(seen.viewer);
        for (int k = 0; k < 20; k++) {
            uint32_t count = scene->panes[pane].tree.node_count;
            struct flm_node_ref ref = {pane, count > 1 ? 1 + random_below(&random, count - 1) : 0};
            struct flm_node node = flm_pane_node(&scene->panes[pane], ref.number);
            if (!(flm_layout_total(scene->panes[pane].layout, node) > 0))
                continue;
            flm_viewer_select(seen.viewer, ref);
            char *text = copied(viewing_state(&seen));
            uint32_t before = other.viewer->scene.pane_count > pane
                                  ? other.viewer->scene.panes[pane].tree.node_count
                                  : 0;
            restore(&other, text);
            assert_string_equal(viewing_state(&other), text);
            assert_string_equal(viewing_name(&other, other.viewer->model.selected),
                                viewing_name(&seen, ref));
            opened += other.viewer->scene.panes[pane].tree.node_count > before;
            /* In another order it is still the selected one. */
            viewing_do(&other, "order total");
            assert_string_equal(viewing_name(&other, other.viewer->model.selected),
                                viewing_name(&seen, ref));
            assert_viewing_sound(&other);
            free(text);
        }
        viewing_clear(&seen);
        viewing_clear(&other);
    }
    assert_true(opened > 40);
}

static void the_narrowest_part_is_restored(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;a 1\nmain;b 3\n"), 600, 300, 1);
    for (int i = 0; i < 100; i++)
        viewing_do(&seen, "zoom-in");
    viewing_do(&seen, "pan-right");
    struct flm_span before = seen.viewer->model.camera.to;
    char *text = copied(viewing_state(&seen));
    viewing_do(&seen, "fit");
    restore(&seen, text);
    assert_string_equal(viewing_state(&seen), text);
    double width = before.right - before.left;
    assert_true(seen.viewer->model.camera.to.right > before.left + width * 0.99);
    assert_true(seen.viewer->model.camera.to.left < before.left + width * 0.01);
    free(text);
    viewing_clear(&seen);
}

static void nonsense_is_left_out(void **state)
{
    (void)state;
    static const char *const words[] = {
        "view",
        "of",
        "thread",
        "metric",
        "order",
        "flame",
        "invert",
        "color",
        "with",
        "apply",
        "search",
        "sort",
        "select",
        "zoom",
        "x",
        "y",
        "after",
        "before",
        "compare",
        "=",
        "&",
        "%",
        "%2",
        "%zz",
        "%00",
        "total",
        "sandwich",
        "/(/",
        "\"",
        "|",
        "!",
        "0.5,0.25",
        "nan,inf",
        "1e999",
        "-1",
        "0,1",
        "label:thread",
        "hide:x",
        "regex",
        "trni9.(",
        ",",
        "\xFF",
    };
    uint64_t random = 74;
    struct viewing seen;
    viewing_init(&seen, random_profile(&random, &random_full), 600, 300, 1);
    struct flm_text text = {0};
    for (int round = 0; round < 3000; round++) {
        text.size = 0;
        flm_text_puts(&text, "restore ");
        for (unsigned i = random_below(&random, 12); i > 0; i--)
            flm_text_puts(&text, words[random_below(&random, sizeof words / sizeof words[0])]);
        flm_text_putc(&text, 0);
        viewing_do(&seen, text.at);
        assert_viewing_sound(&seen);
        char *first = copied(viewing_state(&seen));
        restore(&seen, first);
        assert_string_equal(viewing_state(&seen), first);
        free(first);
    }
    flm_text_clear(&text);
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_just_opened_has_no_state),
        cmocka_unit_test(what_is_chosen_is_said_in_words),
        cmocka_unit_test(a_metric_without_values_is_not_shown_first),
        cmocka_unit_test(the_same_state_is_the_same_picture),
        cmocka_unit_test(back_restores_what_was),
        cmocka_unit_test(places_are_found_in_another_run_of_the_program),
        cmocka_unit_test(zoom_and_selection_stay_where_the_node_does),
        cmocka_unit_test(every_place_is_found_by_its_path),
        cmocka_unit_test(the_way_to_a_place_is_opened),
        cmocka_unit_test(the_narrowest_part_is_restored),
        cmocka_unit_test(nonsense_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
