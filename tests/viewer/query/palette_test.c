#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/query/query.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;read_[k] 3\nmain;idle 2\n";

static struct json_tree *palette(struct flm_viewer *v, const char *text)
{
    char query[200];
    snprintf(query, sizeof query, "palette %s", text);
    return answer(v, query);
}

/* Where an action is among the first entries; -1: it is not. */
static int place_of(const struct json_tree *tree, const char *action)
{
    const struct json_tree *items = part(tree, "items");
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(at(&items->items[i], "action"), action) == 0)
            return (int)i;
    return -1;
}

/* What people call things in other tools, and what it is here. */
static void words_that_people_try_are_found(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"delete", "drop"},
        {"exclude", "hide"},
        {"group", "group module"},
        {"reverse", "invert"},
        {"icicle", "flip"},
        {"bottom-up", "invert"},
        {"dark", "theme dark"},
        {"theme", "theme system"},
        {"filter", "keep"},
        {"sort", "sort self"},
        {"copy", "copy-stack"},
        {"export", "export svg"},
        {"share", "copy-link"},
        {"hide module", "hide-module"},
        {"bottom up", "invert"},
        {"DELETE", "drop"},
        {"by module", "group module"},
        {"top", "view top"},
        {"sndw", "view sandwich"},
        {"undo", "undo"},
        {"kernel", "apply hide:kind=kernel"},
        {"tid", "transform"},
    };
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "select 2");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct json_tree *tree = palette(v, words[i][0]);
        int place = place_of(tree, words[i][1]);
        if (place < 0 || place > 9)
            fail_msg("'%s' has %s at %d", words[i][0], words[i][1], place);
        json_tree_free(tree);
    }
    flm_viewer_free(v);
}

static void what_fits_the_selected_frame_is_first(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *tree = palette(v, "");
    assert_string_equal(at(tree, "items.0.action"), "view flame");
    /* What needs a frame is last, and says what is missing. */
    int place = place_of(tree, "hide");
    assert_true(place > place_of(tree, "help"));
    assert_string_equal(at(&part(tree, "items")->items[place], "otherwise"),
                        "no function is selected");
    json_tree_free(tree);
    act(v, "select 2");
    tree = palette(v, "");
    assert_string_equal(at(tree, "items.0.action"), "zoom-selected");
    assert_string_equal(at(tree, "items.1.action"), "focus");
    assert_string_equal(at(tree, "items.0.otherwise"), "null");
    assert_int_equal(place_of(tree, "hide-module") > place_of(tree, "help"), true);
    json_tree_free(tree);
    flm_viewer_free(v);
}

/* Each entry is an action as it is, or one that asks for a text. */
static void every_entry_is_an_action(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "select 2");
    struct json_tree *tree = palette(v, "");
    const struct json_tree *items = part(tree, "items");
    assert_true(items->count > 90);
    for (size_t i = 0; i < items->count; i++) {
        const char *action = at(&items->items[i], "action");
        struct flm_bytes name = {action, strcspn(action, " ")};
        assert_non_null(flm_action_named(name));
        assert_true(at(&items->items[i], "title")[0] != 0);
        /* Of "metric NAME" and "rules LINES" each says which it is. */
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(at(&items->items[i], "title"), at(&items->items[k], "title"));
        bool typed = strcmp(at(&items->items[i], "argument"), "null") != 0;
        assert_int_equal(typed, strstr(at(&items->items[i], "title"), "\xE2\x80\xA6") != NULL);
    }
    json_tree_free(tree);
    flm_viewer_free(v);
}

static void any_text_can_be_searched_for(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *tree = palette(v, "zzqx");
    assert_int_equal(part(tree, "items")->count, 1);
    assert_string_equal(at(tree, "items.0.action"), "search zzqx");
    json_tree_free(tree);
    flm_viewer_free(v);
    v = flm_viewer_new(NULL);
    tree = palette(v, "zzqx");
    assert_int_equal(part(tree, "items")->count, 0);
    json_tree_free(tree);
    flm_viewer_free(v);
}

/* ---- The menu -------------------------------------------------------------------------------- */

static void the_menu_has_what_is_possible_with_the_frame(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *tree = answer(v, "menu");
    assert_string_equal(at(tree, "title"), "null");
    assert_true(place_of(tree, "hide") < 0);
    assert_true(place_of(tree, "fit") >= 0);
    json_tree_free(tree);
    act(v, "select 3");
    tree = answer(v, "menu");
    assert_string_equal(at(tree, "title"), "parse");
    static const char *const some[] = {
        "zoom-selected", "focus",           "callers",   "hide",       "drop",
        "prune",         "search-selected", "copy-name", "copy-stack", "collapse-any"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        assert_true(place_of(tree, some[i]) >= 0);
    assert_true(place_of(tree, "hide-module") < 0); /* folded text has no modules */
    assert_true(place_of(tree, "open-source") < 0);
    /* Sections are in order, and every entry works. */
    const struct json_tree *items = part(tree, "items");
    for (size_t i = 1; i < items->count; i++)
        assert_true(atoi(at(&items->items[i - 1], "section")) <=
                    atoi(at(&items->items[i], "section")));
    for (size_t i = 0; i < items->count; i++) {
        act(v, "select 3");
        act(v, at(&items->items[i], "action"));
        act(v, "view flame");
        flm_viewer_do(v, flm_bytes_of("reset"), NULL);
    }
    json_tree_free(tree);
    flm_viewer_free(v);
}

/* By pointer where it is, by key at the selected frame: a prompt, whose place "menu" tells. */
static void the_menu_opens_at_the_pointer_or_at_the_frame(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_text prompt = {0};
    flm_viewer_pointer(v, FLM_POINTER_MENU, 300, 48 + 50, 0, false, 0);
    assert_true(flm_viewer_query_text(v, flm_bytes_of("prompt"), &prompt, NULL));
    assert_true(flm_bytes_are((struct flm_bytes){prompt.at, prompt.size}, "menu"));
    flm_text_clear(&prompt);
    assert_answer(v, "menu", "x", "300");
    assert_answer(v, "menu", "y", "98");
    assert_answer(v, "menu", "title", "parse");
    /* On nothing: of everything. */
    flm_viewer_pointer(v, FLM_POINTER_MENU, 300, 590, 0, false, 0);
    assert_answer(v, "menu", "title", "null");
    assert_answer(v, "menu", "y", "590");
    assert_true(flm_viewer_key(v, flm_bytes_of("ContextMenu"), 0, 0));
    assert_answer(v, "menu", "x", "null");
    act(v, "select 3");
    assert_true(flm_viewer_key(v, flm_bytes_of("F10"), FLM_HELD_SHIFT, 0));
    struct json_tree *tree = answer(v, "menu");
    struct flm_node_ref ref;
    struct flm_rectangle box;
    double x = atof(at(tree, "x")), y = atof(at(tree, "y"));
    assert_true(flm_viewer_hit(v, x, y - 3, &ref, &box)); /* below the frame */
    assert_true(flm_node_refs_equal(ref, v->model.selected));
    json_tree_free(tree);
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const selected[] = {"select 2", NULL};
    assert_answer_survives(folded, selected, "palette ");
    assert_answer_survives(folded, NULL, "palette kernel");
    assert_answer_survives(folded, selected, "menu");
}

/* The entries of an action: with an argument that is still to be typed, or with one. */
static size_t entries_of(const struct json_tree *items, const char *name, bool *typed)
{
    size_t count = 0, size = strlen(name);
    for (size_t i = 0; i < items->count; i++) {
        const char *action = at(&items->items[i], "action");
        if (strncmp(action, name, size) != 0 || (action[size] != 0 && action[size] != ' '))
            continue;
        *typed = strcmp(at(&items->items[i], "argument"), "null") != 0;
        count++;
    }
    return count;
}

static void the_kind_of_an_argument_decides_how_an_action_is_offered(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 1\n");
    struct json_tree *palette = answer(v, "palette ");
    size_t group_count;
    const struct flm_action_group *const *groups = flm_action_groups(&group_count);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g]->count; i++) {
            const struct flm_action *action = &groups[g]->at[i];
            bool typed = false;
            size_t count = entries_of(part(palette, "items"), action->name, &typed), wanted = 1;
            struct flm_choice choice;
            if (action->argument && (action->argument->given == FLM_GIVEN_POINTED ||
                                     action->argument->given == FLM_GIVEN_NOTE)) /* it has none */
                wanted = 0;
            else if (action->argument && action->argument->given == FLM_GIVEN_WORD)
                for (const char *c = action->argument->name; *c; c++)
                    wanted += *c == '|';
            else if (flm_action_choices(action))
                for (wanted = 0; (choice = flm_action_choices(action)(wanted)).name;)
                    wanted++;
            if (count != wanted)
                fail_msg("%s is there %zu times, not %zu", action->name, count, wanted);
            if (action->argument && action->argument->given == FLM_GIVEN_TYPED)
                assert_true(typed);
        }
    json_tree_free(palette);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_people_try_are_found),
        cmocka_unit_test(what_fits_the_selected_frame_is_first),
        cmocka_unit_test(every_entry_is_an_action),
        cmocka_unit_test(any_text_can_be_searched_for),
        cmocka_unit_test(the_menu_has_what_is_possible_with_the_frame),
        cmocka_unit_test(the_menu_opens_at_the_pointer_or_at_the_frame),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(the_kind_of_an_argument_decides_how_an_action_is_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
