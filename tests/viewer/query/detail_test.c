#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nother 7\n";

static void select_named(struct flm_viewer *v, const char *name)
{
    struct flm_text action = {0};
    struct json_tree *nothing = answer(v, "detail"); /* settles */
    json_tree_free(nothing);
    flm_text_format(&action, "select %u", node_named(v, name).index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    flm_text_clear(&action);
}

static void nothing_selected_is_null(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_answer(v, "detail", "", "null");
    assert_answer(v, "hover", "", "null");
    flm_viewer_free(v);
}

static void a_frame_has_its_values_and_shares(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    select_named(v, "parse");
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "title"), "parse");
    assert_string_equal(at(d, "metric"), "samples");
    assert_string_equal(at(d, "values.0.total"), "11 samples");
    assert_string_equal(at(d, "values.0.self"), "0 samples");
    assert_string_equal(at(d, "values.0.of_total"), "55 %");
    assert_string_equal(at(d, "values.0.of_view"), "55 %");
    assert_string_equal(at(d, "values.0.of_parent"), "84.6 %");
    assert_string_equal(at(d, "values.0.self_of_total"), "0 %");
    assert_string_equal(at(d, "merged"), "null");
    assert_string_equal(at(d, "kind"), "null");
    json_tree_free(d);
    flm_viewer_free(v);
}

static void a_function_has_all_its_places_and_who_calls_it(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    select_named(v, "lex");
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "instances.count"), "2");
    assert_string_equal(at(d, "instances.total"), "13 samples");
    assert_string_equal(at(d, "callers.0.title"), "parse");
    assert_string_equal(at(d, "callers.0.value"), "11 samples");
    assert_string_equal(at(d, "callers.0.share"), "84.6 %");
    assert_string_equal(at(d, "callers.1.title"), "check");
    assert_string_equal(at(d, "calls.0.title"), "read");
    assert_string_equal(at(d, "calls_count"), "1");
    assert_string_equal(at(d, "stack.0.title"), "main");
    assert_string_equal(at(d, "stack.2.title"), "lex");
    assert_int_equal(part(d, "stack")->count, 3);
    json_tree_free(d);
    flm_viewer_free(v);
}

static struct flm_profile *with_places(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric heap = flm_builder_metric(b, "heap", "bytes");
    struct flm_frame_record record = {.function = flm_builder_string(b, "f<\xFF>", 4).index,
                                      .module = flm_builder_string(b, "/opt/lib/libx.so", 16).index,
                                      .file = flm_builder_string(b, "/src/a b#.c", 11).index,
                                      .line = 12,
                                      .address = 0xFEDCBA987654321,
                                      .kind = FLM_KIND_INLINED,
                                      .flags = FLM_FRAME_PART | FLM_FRAME_COLD};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    flm_builder_add(b, node, cpu, 1.5e9);
    flm_builder_add(b, node, heap, 2048);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "g", 1)),
                    heap, 2048);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void a_frame_says_where_it_is_and_links_to_its_source(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(with_places());
    act(v, "metric cpu");
    select_named(v, "f<\xFF>");
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "title"), "f<\xEF\xBF\xBD>");
    assert_string_equal(at(d, "module"), "/opt/lib/libx.so");
    assert_string_equal(at(d, "file"), "/src/a b#.c");
    assert_string_equal(at(d, "line"), "12");
    assert_string_equal(at(d, "kind"), "inlined \xC2\xB7 clones: part+cold");
    assert_string_equal(at(d, "address"), "0xfedcba987654321");
    assert_string_equal(at(d, "link"), "null");
    assert_string_equal(at(d, "values.0.name"), "cpu");
    assert_string_equal(at(d, "values.0.total"), "1,500 ms");
    assert_string_equal(at(d, "values.0.total_exact"), "1,500,000,000 ns");
    assert_string_equal(at(d, "values.1.name"), "heap");
    assert_string_equal(at(d, "values.1.total"), "2,048 B");
    assert_string_equal(at(d, "values.1.of_total"), "50 %");
    json_tree_free(d);
    act(v, "source-link editor://open?file={file}&line={line}{column}");
    assert_answer(v, "detail", "link", "editor://open?file=/src/a%20b%23.c&line=12{column}");
    act(v, "metric heap");
    assert_answer(v, "detail", "values.0.name", "heap");
    assert_answer(v, "detail", "values.1.name", "cpu");
    flm_viewer_free(v);
}

/* Recordings have lines as locations: of the file that the function is in, the first one. */
static void without_a_line_of_its_own_a_frame_has_the_first_known_one(void **state)
{
    (void)state;
    static const uint32_t lines[] = {52, 0, 48, 7, 50};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    uint32_t file = flm_builder_string(b, "/src/a.c", 8).index;
    uint32_t header = flm_builder_string(b, "/src/a.h", 8).index;
    for (size_t i = 0; i < 2 * sizeof lines / sizeof lines[0]; i++) {
        bool is_other = i & 1; /* its locations are before those of f, which is after it by name */
        struct flm_frame_record record = {
            .function = flm_builder_string(b, is_other ? "e" : "f", 1).index, .file = file};
        struct flm_location where = {.line = is_other ? 2 : lines[i / 2],
                                     .file = lines[i / 2] == 7 ? header : file};
        struct flm_frame frame = flm_builder_frame(b, &record);
        frame = flm_builder_frame_at(b, frame, &where);
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_viewer *v = viewer_of(p);
    act(v, "source-link editor://open?file={file}&line={line}");
    select_named(v, "f");
    assert_answer(v, "detail", "line", "48");
    assert_answer(v, "detail", "link", "editor://open?file=/src/a.c&line=48");
    select_named(v, "e");
    assert_answer(v, "detail", "line", "2");
    flm_viewer_free(v);
}

static void narrow_frames_are_told_together(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "main;big 1000000\n");
    for (unsigned i = 0; i < 60; i++)
        flm_text_format(&text, "main;small%u %u\n", i + 10, 1 + i);
    flm_text_putc(&text, 0);
    struct flm_viewer *v = viewer_of_folded(text.at);
    json_tree_free(answer(v, "status"));
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_area area = flm_viewer_area(v);
    struct flm_viewport view = flm_viewport_of(pane->layout, (struct flm_node){0}, area.width);
    struct flm_rectangle merged = {0};
    view.min_width_px = 1;
    assert_true(flm_layout_at(pane->layout, &view, area.width - 0.01, 2, &merged));
    assert_true(merged.flags & FLM_RECTANGLE_MERGED);
    v->model.selected = (struct flm_node_ref){0, merged.node.index};
    v->model.selected_merged = merged;
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "title"), "60 narrow frames");
    assert_string_equal(at(d, "merged.count"), "60");
    assert_string_equal(at(d, "merged.value"), "1,830 samples");
    assert_string_equal(at(d, "merged.items.0.title"), "small69");
    assert_string_equal(at(d, "merged.items.0.value"), "60 samples");
    assert_int_equal(part(d, "merged.items")->count, 12);
    json_tree_free(d);
    assert_non_null(strstr(refusal(v, "hide"), "no function is selected"));
    assert_non_null(strstr(refusal(v, "copy-name"), "no function is selected"));
    flm_viewer_free(v);
    flm_text_clear(&text);
}

/* 1000 times a second, for two of every ten milliseconds, for ten seconds that begin after ten: so
 * a fifth of the time is known, in pieces of 2.5 ms. Another thread is there from 0 to 40 s. */
static struct flm_profile *with_pauses(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_label_set set[2];
    static const char *const names[] = {"busy", "seldom"};
    for (int i = 0; i < 2; i++) {
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, names[i], strlen(names[i]))};
        set[i] = flm_builder_label_set(b, label, 1);
    }
    struct flm_node root = flm_builder_root(b);
    struct flm_node work = flm_builder_child(b, root, flm_builder_function(b, "work", 4));
    struct flm_node rest = flm_builder_child(b, root, flm_builder_function(b, "rest", 4));
    for (int64_t ms = 10000; ms < 20000; ms += 10)
        for (int i = 0; i < 2; i++)
            flm_builder_sample(b, (ms + i) * 1000000, work, set[0], cpu, 1e6);
    for (int64_t s = 0; s <= 40; s++)
        flm_builder_sample(b, s * 1000000000, rest, set[1], cpu, 1e5);
    return flm_builder_finish(b, NULL);
}

static void pauses_are_no_part_of_what_is_told_of_a_chart(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(with_pauses());
    act(v, "view chart");
    assert_true(flm_threads_open_all(&v->scene, NULL));
    const struct flm_pane *pane = &v->scene.panes[1];
    struct flm_viewport view = flm_viewport_of(pane->layout, (struct flm_node){0}, 100);
    struct flm_rectangle merged = {0};
    view.min_width_px = 1;
    view.right = v->scene.total;
    assert_true(flm_layout_at(pane->layout, &view, 30, 1, &merged));
    assert_true(merged.flags & FLM_RECTANGLE_MERGED);
    v->model.selected = (struct flm_node_ref){1, merged.node.index};
    v->model.selected_merged = merged;
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "title"), "1,000 narrow frames");
    assert_string_equal(at(d, "merged.count"), "1,000");
    assert_string_equal(at(d, "merged.value"), "2.5 s");
    assert_string_equal(at(d, "merged.share"), "6.25 %");
    assert_string_equal(at(d, "merged.items.0.title"), "work");
    assert_string_equal(at(d, "merged.items.11.title"), "work");
    assert_string_equal(at(d, "values.0.of_total"), "6.25 %");
    assert_string_equal(at(d, "values.0.of_view"), "6.25 %");
    json_tree_free(d);
    double left, right;
    flm_layout_span(pane->layout, merged.node, merged.count, &left, &right);
    assert_true(left == 10e9 && right > 19.99e9 && right < 20e9);
    act(v, "zoom-selected");
    assert_true(v->model.camera.to.left == left && v->model.camera.to.right == right);
    flm_viewer_free(v);
}

static void of_an_inverted_tree_the_stack_is_still_callers_first(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;parse;lex 8\n");
    act(v, "invert");
    json_tree_free(answer(v, "status"));
    v->model.selected =
        (struct flm_node_ref){0, flm_pane_number(&v->scene.panes[0], node_named(v, "main"))};
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "stack.0.title"), "main");
    assert_string_equal(at(d, "stack.2.title"), "lex");
    assert_string_equal(at(d, "values.0.total"), "8 samples");
    json_tree_free(d);
    flm_viewer_free(v);
}

static void of_a_long_stack_the_middle_is_counted(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (unsigned i = 0; i < 800; i++)
        flm_text_format(&text, "%sf%u", i ? ";" : "", i);
    flm_text_puts(&text, " 1\n");
    flm_text_putc(&text, 0);
    struct flm_viewer *v = viewer_of_folded(text.at);
    select_named(v, "f799");
    struct json_tree *d = answer(v, "detail");
    assert_int_equal(part(d, "stack")->count, 500);
    assert_string_equal(at(d, "stack_hidden"), "300");
    assert_string_equal(at(d, "stack.0.title"), "f0");
    assert_string_equal(at(d, "stack.499.title"), "f799");
    json_tree_free(d);
    flm_viewer_free(v);
    flm_text_clear(&text);
}

/* Callers, callees and self of the function, as its table and picture have them. */
static void a_function_of_a_sandwich_has_self_callers_and_callees(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "sandwich lex");
    struct json_tree *nothing = answer(v, "detail"); /* settles */
    json_tree_free(nothing);
    struct flm_text action = {0};
    flm_text_format(&action, "select-frame %u",
                    flm_scene_frame(&v->scene, (struct flm_node_ref){1, 1}));
    flm_text_putc(&action, 0);
    act(v, action.at);
    flm_text_clear(&action);
    struct json_tree *d = answer(v, "detail");
    assert_string_equal(at(d, "title"), "lex");
    assert_string_equal(at(d, "values.0.self"), "10 samples");
    assert_string_equal(at(d, "values.0.total"), "13 samples");
    assert_string_equal(at(d, "callers.0.title"), "parse");
    assert_string_equal(at(d, "callers.0.share"), "84.6 %");
    assert_string_equal(at(d, "callers.1.title"), "check");
    assert_string_equal(at(d, "callers.0.node"), "null"); /* the function, wherever it is */
    assert_string_equal(at(d, "calls.0.title"), "read");
    json_tree_free(d);
    flm_viewer_free(v);
}

/* Two threads: main;lex 3 and main;parse;lex 5 of one, main;lex 2 of the other. */
static struct flm_profile *threaded(void)
{
    static const struct {
        const char *tid;
        bool is_deep;
        double value;
    } all[] = {{"11", false, 3}, {"11", true, 5}, {"12", false, 2}};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    for (int i = 0; i < 3; i++) {
        const char *const words[] = {"tid", all[i].tid, "command", "worker"};
        struct flm_string labels[4];
        for (int k = 0; k < 4; k++)
            labels[k] = flm_builder_string(b, words[k], strlen(words[k]));
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
        if (all[i].is_deep)
            node = flm_builder_child(b, node, flm_builder_function(b, "parse", 5));
        node = flm_builder_child(b, node, flm_builder_function(b, "lex", 3));
        flm_builder_sample(b, i, node, flm_builder_label_set(b, labels, 2), samples, all[i].value);
    }
    return flm_builder_finish(b, NULL);
}

static void costs_are_told_by_thread_of_a_stack_and_of_a_function(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(threaded());
    select_named(v, "parse");
    struct json_tree *d = answer(v, "detail");
    assert_int_equal(part(d, "threads")->count, 1);
    assert_string_equal(at(d, "threads.0.title"), "worker 11");
    assert_string_equal(at(d, "threads.0.self"), "0");
    assert_string_equal(at(d, "threads.0.total"), "5");
    json_tree_free(d);
    act(v, "view top"); /* whose rows are functions */
    select_named(v, "lex");
    d = answer(v, "detail");
    assert_int_equal(part(d, "threads")->count, 2);
    assert_string_equal(at(d, "threads.0.self"), "8");
    assert_string_equal(at(d, "threads.0.share"), "80.00 %");
    assert_string_equal(at(d, "threads.1.title"), "worker 12");
    assert_string_equal(at(d, "threads.1.total"), "2");
    assert_string_equal(at(d, "threads_hidden"), "0");
    json_tree_free(d);
    act(v, "apply keep:parse"); /* the menu has what is left */
    struct json_tree *tracks = answer(v, "tracks");
    assert_string_equal(at(tracks, "tracks.0.total"), "5 samples");
    assert_string_equal(at(tracks, "tracks.0.share"), "100 %");
    assert_string_equal(at(tracks, "tracks.1.total"), "0 samples");
    json_tree_free(tracks);
    flm_viewer_free(v);
}

/* The panel has what the menu of the frame has, in its order, without what is of no frame. */
static void what_can_be_done_is_what_the_menu_has(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    select_named(v, "parse");
    struct json_tree *menu = answer(v, "menu"), *detail = answer(v, "detail");
    const struct json_tree *items = part(menu, "items"), *actions = part(detail, "actions");
    size_t of_frame = 0, buttons = 0;
    for (size_t i = 0; i < items->count; i++)
        of_frame += atoi(at(&items->items[i], "section")) < FLM_MENU_GENERAL;
    assert_int_equal(actions->count, of_frame);
    assert_true(of_frame < items->count);
    for (size_t i = 0; i < actions->count; i++) {
        const struct json_tree *one = &actions->items[i];
        assert_string_equal(at(one, "action"), at(&items->items[i], "action"));
        assert_string_equal(at(one, "title"), at(&items->items[i], "title"));
        assert_non_null(flm_action_named(flm_bytes_of(at(one, "action"))));
        buttons += json_tree_find(one, "button") != NULL;
    }
    assert_true(buttons >= 3 && buttons < actions->count);
    json_tree_free(menu);
    json_tree_free(detail);
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"view flame", "select 3", "hover-node 2", NULL};
    assert_answer_survives(folded, actions, "detail 900 600");
    assert_answer_survives(folded, actions, "hover");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_selected_is_null),
        cmocka_unit_test(a_frame_has_its_values_and_shares),
        cmocka_unit_test(a_function_has_all_its_places_and_who_calls_it),
        cmocka_unit_test(a_frame_says_where_it_is_and_links_to_its_source),
        cmocka_unit_test(without_a_line_of_its_own_a_frame_has_the_first_known_one),
        cmocka_unit_test(narrow_frames_are_told_together),
        cmocka_unit_test(pauses_are_no_part_of_what_is_told_of_a_chart),
        cmocka_unit_test(of_an_inverted_tree_the_stack_is_still_callers_first),
        cmocka_unit_test(of_a_long_stack_the_middle_is_counted),
        cmocka_unit_test(a_function_of_a_sandwich_has_self_callers_and_callees),
        cmocka_unit_test(costs_are_told_by_thread_of_a_stack_and_of_a_function),
        cmocka_unit_test(what_can_be_done_is_what_the_menu_has),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
