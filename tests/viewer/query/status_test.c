#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse 8\nmain;0x7f00 2\nother 10\n";

static void the_state_of_things_is_told(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *s = answer(v, "status");
    assert_string_equal(at(s, "stacks"), "3");
    assert_string_equal(at(s, "nodes"), "4");
    assert_string_equal(at(s, "empty"), "false");
    assert_string_equal(at(s, "total"), "20 samples");
    assert_string_equal(at(s, "unit"), "");
    assert_string_equal(at(s, "trimmed"), "null");
    assert_string_equal(at(s, "filtered"), "null");
    assert_string_equal(at(s, "lost_count"), "0");
    assert_string_equal(at(s, "samples"), "null");
    assert_non_null(strstr(at(s, "sentence"), "20 samples in 3 stacks"));
    assert_non_null(strstr(at(s, "sentence"), "nothing was lost"));
    json_tree_free(s);
    flm_viewer_free(v);
}

static void what_operations_took_away_is_told(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "apply drop:parse");
    assert_answer(v, "status", "filtered", "40 % (8 samples) by 1 transform");
    act(v, "apply drop:0x7f00");
    assert_answer(v, "status", "filtered", "50 % (10 samples) by 2 transforms");
    act(v, "apply drop:other");
    struct json_tree *s = answer(v, "status");
    assert_string_equal(at(s, "empty"), "true");
    assert_non_null(strstr(at(s, "sentence"), "Nothing is left after the transforms."));
    json_tree_free(s);
    act(v, "reset");
    act(v, "apply hide:/./"); /* no function is left, and all of the values */
    assert_answer(v, "status", "sentence", "Nothing is left after the transforms.");
    act(v, "reset");
    act(v, "apply hide:parse"); /* takes nothing away */
    assert_answer(v, "status", "filtered", "null");
    flm_viewer_free(v);
}

static void what_is_outside_of_the_window_is_told(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    json_tree_free(answer(v, "status"));
    struct flm_text action = {0};
    flm_text_format(&action, "zoom %u", node_named(v, "parse").index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    assert_answer(v, "status", "trimmed", "60 % outside of the window");
    flm_text_clear(&action);
    flm_viewer_free(v);
}

static void losses_and_notes_are_told(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame_record record = {.function = flm_builder_string(b, "0x12", 4).index,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    metric, 3e9);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                    metric, 1e9);
    flm_builder_note(b, "host", "machine", 7);
    flm_builder_note(b, FLM_NOTE_NOT_SHOWN "CPython", "why", 3);
    flm_builder_note(b, FLM_NOTE_NOT_SHOWN "exact stacks", "why", 3);
    flm_builder_lost(b, "lines without a number", "line", 7, 1234);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_viewer *v = viewer_of(p);
    struct json_tree *s = answer(v, "status");
    assert_string_equal(at(s, "total"), "4 s");
    assert_string_equal(at(s, "unit"), "cpu");
    assert_string_equal(at(s, "unsymbolized_share"), "75 %");
    assert_string_equal(at(s, "lost_count"), "1,234");
    assert_string_equal(at(s, "not_shown"), "CPython, exact stacks");
    assert_string_equal(at(s, "lost.0.what"), "lines without a number");
    assert_string_equal(at(s, "lost.0.where"), "line 7");
    assert_string_equal(at(s, "lost.0.count"), "1,234");
    assert_string_equal(at(s, "notes.0.key"), "host");
    assert_string_equal(at(s, "notes.0.value"), "machine");
    assert_non_null(strstr(at(s, "sentence"), "; lost: 1,234."));
    json_tree_free(s);
    flm_viewer_free(v);
}

static void what_is_empty_says_why(void **state)
{
    (void)state;
    struct flm_viewer *none = flm_viewer_new(NULL);
    assert_answer(none, "status", "sentence", "No profile is open.");
    assert_answer(none, "status", "empty", "true");
    flm_viewer_free(none);
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_metric(b, "cpu", "ns");
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    assert_answer(v, "status", "sentence", "The profile has no stacks.");
    assert_answer(v, "status", "empty", "true");
    flm_viewer_free(v);
    v = viewer_of(profile_of_two("a 1 0\n"));
    struct json_tree *s = answer(v, "tools");
    assert_int_equal(part(s, "metrics")->count, 2);
    json_tree_free(s);
    act(v, "next-metric");
    s = answer(v, "status");
    bool is_empty = strcmp(at(s, "empty"), "true") == 0;
    json_tree_free(s);
    if (!is_empty)
        act(v, "next-metric");
    assert_answer(v, "status", "sentence", "No stack has a value in this metric.");
    flm_viewer_free(v);
}

/* Every look at it takes a quarter of a millisecond. */
static double slow_clock(void)
{
    static double ms;
    return ms += 0.25;
}

static void the_overlay_says_how_long_the_stages_took(void **state)
{
    (void)state;
    static uint32_t memory[1000 * 600];
    struct flm_pixels pixels = flm_pixels_of(memory, 1000, 600);
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "overlay");
    assert_answer(v, "overlay", "ms", "null");
    flm_viewer_clock(v, slow_clock);
    flm_viewer_paint(v, &pixels, 1);
    assert_answer(v, "overlay", "ms.layout", "0.25");
    assert_answer(v, "overlay", "ms.paint", "0.5");
    flm_viewer_free(v);
}

static void the_overlay_is_told_only_when_it_is_shown(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_answer(v, "overlay", "", "null");
    act(v, "overlay");
    struct json_tree *o = answer(v, "overlay");
    assert_string_equal(at(o, "nodes"), "5");
    assert_string_equal(at(o, "trees.0.title"), "stacks");
    assert_string_equal(at(o, "trees.0.levels"), "3");
    assert_true(part(o, "memory_bytes")->number > 100);
    json_tree_free(o);
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"overlay", "apply drop:parse", NULL};
    assert_answer_survives(folded, actions, "status");
    assert_answer_survives(folded, actions, "overlay");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_of_things_is_told),
        cmocka_unit_test(what_operations_took_away_is_told),
        cmocka_unit_test(what_is_outside_of_the_window_is_told),
        cmocka_unit_test(losses_and_notes_are_told),
        cmocka_unit_test(what_is_empty_says_why),
        cmocka_unit_test(the_overlay_says_how_long_the_stages_took),
        cmocka_unit_test(the_overlay_is_told_only_when_it_is_shown),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
