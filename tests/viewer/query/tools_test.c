#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/input/actions.h"

static void every_action_is_told(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    struct json_tree *h = answer(v, "hello");
    const struct json_tree *actions = part(h, "actions");
    size_t groups, count = 0;
    const struct flm_action_group *const *group = flm_action_groups(&groups);
    for (size_t g = 0; g < groups; g++)
        count += group[g]->count;
    assert_int_equal(actions->count, count);
    assert_int_equal(part(h, "groups")->count, groups);
    bool has_search = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(at(&actions->items[i], "title")[0] != 0);
        if (strcmp(at(&actions->items[i], "name"), "search") == 0) {
            has_search = true;
            assert_string_equal(at(&actions->items[i], "argument"), "TEXT");
            assert_string_equal(at(&actions->items[i], "group"), "Search");
        }
    }
    assert_true(has_search);
    assert_true(at(h, "version")[0] != 0);
    json_tree_free(h);
    flm_viewer_free(v);
}

static const char *is_on(struct json_tree *tools, const char *name)
{
    const struct json_tree *views = part(tools, "views");
    for (size_t i = 0; i < views->count; i++)
        if (strcmp(at(&views->items[i], "name"), name) == 0)
            return at(&views->items[i], "on");
    fail_msg("there is no %s", name);
    return NULL;
}

static void what_is_shown_is_told(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_two("a;b 1 2\n"));
    struct json_tree *t = answer(v, "tools");
    assert_string_equal(at(t, "name"), "a profile");
    assert_string_equal(at(t, "base"), "null");
    assert_string_equal(at(t, "view"), "flame");
    assert_string_equal(is_on(t, "flame"), "true");
    assert_string_equal(is_on(t, "chart"), "false");
    assert_string_equal(at(t, "order"), "name");
    assert_string_equal(at(t, "orders.1.title"), "Largest first");
    assert_string_equal(at(t, "colors"), "module");
    assert_string_equal(at(t, "inverted"), "false");
    assert_string_equal(at(t, "can_forward"), "false");
    json_tree_free(t);
    act(v, "invert");
    act(v, "order total");
    t = answer(v, "tools");
    assert_string_equal(at(t, "inverted"), "true");
    assert_string_equal(at(t, "order"), "total");
    assert_string_equal(at(t, "can_back"), "true");
    json_tree_free(t);
    act(v, "back");
    assert_answer(v, "tools", "can_forward", "true");
    flm_viewer_free(v);
}

static void metrics_are_told_with_their_totals(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 3\nc 4\n");
    assert_answer(v, "tools", "metric", "samples");
    assert_answer(v, "tools", "metrics.0.total", "7 samples");
    flm_viewer_free(v);
}

/* Of the total where it takes something of that; else of the frames. */
static void a_chip_tells_how_much_it_removed(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 30\na;b;c 50\nd 20\n");
    act(v, "apply drop:d | hide:b | keep:a | depth:1");
    assert_answer(v, "chips", "operations.0.removed", "20 %");
    assert_answer(v, "chips", "operations.0.removed_exact", "removes 20 samples, 20 % of total");
    assert_answer(v, "chips", "operations.1.removed", "1 frame");
    assert_answer(v, "chips", "operations.2.removed", "null");
    assert_answer(v, "chips", "operations.3.removed", "1 frame");
    /* One that is off removes nothing, and what follows it more. */
    act(v, "operation-toggle 0");
    assert_answer(v, "chips", "operations.0.removed", "null");
    assert_answer(v, "chips", "operations.2.removed", "20 %");
    act(v, "apply invert");
    assert_answer(v, "chips", "operations.2.removed", "20 %"); /* as before */
    flm_viewer_free(v);
    v = viewer_of_folded("a;deep;deep;deep 3\na;b 1\n");
    act(v, "apply collapse:direct");
    assert_answer(v, "chips", "operations.0.removed", "2 levels");
    assert_answer(v, "chips", "operations.0.removed_exact",
                  "makes the deepest stack 2 frames shorter, and removes nothing of the total");
    flm_viewer_free(v);
    v = viewer_of(profile_of_two("a;b 3 1\nc 1 1\n"));
    act(v, "apply drop:c");
    assert_answer(v, "chips", "operations.0.removed", "50 %");
    act(v, "metric before");
    assert_answer(v, "chips", "operations.0.removed", "25 %");
    act(v, "apply metric:before");
    assert_answer(v, "chips", "operations.1.removed", "null");
    flm_viewer_free(v);
}

static void chips_are_the_operations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 3\nc 4\n");
    act(v, "restore apply=!hide:b|drop:nothing"); /* nothing is refused that comes by a link */
    struct json_tree *c = answer(v, "chips");
    assert_int_equal(part(c, "operations")->count, 2);
    assert_string_equal(at(c, "operations.0.text"), "hide:b");
    assert_string_equal(at(c, "operations.0.title"), "hide b");
    assert_string_equal(at(c, "operations.0.on"), "false");
    assert_string_equal(at(c, "operations.0.note"), "null");
    assert_non_null(strstr(at(c, "operations.1.note"), "no frame matches 'nothing'"));
    assert_string_equal(at(c, "can_undo"), "true");
    json_tree_free(c);
    act(v, "apply "
           "hide:/^(a_very_long_name_that_goes_on|\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
           "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4|c)$/");
    c = answer(v, "chips");
    assert_true(strlen(at(c, "operations.2.title")) < 56);
    assert_null(strstr(at(c, "operations.2.title"), "\xEF\xBF\xBD")); /* cut between letters */
    json_tree_free(c);
    flm_viewer_free(v);
}

static void only_my_code_is_a_chip(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("_start;main;std::sort 3\nmain;read_[k] 4\n");
    act(v, "only-mine");
    struct json_tree *c = answer(v, "chips");
    assert_string_equal(at(c, "operations.0.text"), "my-code");
    assert_string_equal(at(c, "operations.0.title"), "my code");
    assert_int_equal(part(c, "operations")->count, 1);
    json_tree_free(c);
    assert_answer(v, "top 0 9", "rows.0.title", "main");
    assert_answer(v, "top 0 9", "count", "1");
    assert_non_null(strstr(refusal(v, "only-mine"), "nothing here is known"));
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"apply hide:b", NULL};
    static const char *const questions[] = {"hello", "tools", "chips"};
    for (size_t i = 0; i < 3; i++)
        assert_answer_survives("a;b 3\nc 4\n", actions, questions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_is_told),
        cmocka_unit_test(what_is_shown_is_told),
        cmocka_unit_test(metrics_are_told_with_their_totals),
        cmocka_unit_test(a_chip_tells_how_much_it_removed),
        cmocka_unit_test(chips_are_the_operations),
        cmocka_unit_test(only_my_code_is_a_chip),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
