#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/text/cells.h"
#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nother 7\n";

/* The titles of all rows, each with what stands under `key`. */
static void assert_rows(struct flm_viewer *v, const char *question, const char *key,
                        const char *expected)
{
    struct json_tree *tree = answer(v, question);
    const struct json_tree *rows = part(tree, "rows");
    struct flm_text text = {0};
    for (size_t i = 0; i < rows->count; i++) {
        flm_text_puts(&text, i ? ", " : "");
        flm_text_puts(&text, at(&rows->items[i], "title"));
        flm_text_putc(&text, ' ');
        flm_text_puts(&text, at(&rows->items[i], key));
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    json_tree_free(tree);
}

/* a;b -5, a;c 10, d -7 */
static struct flm_profile *differences(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    struct flm_node root = flm_builder_root(b);
    struct flm_node a = flm_builder_child(b, root, flm_builder_function(b, "a", 1));
    flm_builder_add(b, flm_builder_child(b, a, flm_builder_function(b, "b", 1)), samples, -5);
    flm_builder_add(b, flm_builder_child(b, a, flm_builder_function(b, "c", 1)), samples, 10);
    flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, "d", 1)), samples, -7);
    return flm_builder_finish(b, NULL);
}

static void negative_values_are_told_as_they_are(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(differences());
    assert_rows(v, "tree 0 9", "total", "a 5, c 10, b -5, d -7");
    assert_rows(v, "tree 0 9", "total_share", "a 22.73 %, c 45.45 %, b -22.73 %, d -31.82 %");
    assert_rows(v, "top 0 9", "total", "c 10, d -7, b -5, a 5");
    char action[40];
    snprintf(action, sizeof action, "select %u", node_named(v, "d").index);
    act(v, action);
    act(v, "copy-folded");
    struct flm_text copy = {0};
    assert_true(flm_query_json(v, flm_bytes_of("copy"), &copy, NULL));
    flm_text_putc(&copy, 0);
    assert_string_equal(copy.at, "d -7");
    flm_text_clear(&copy);
    act(v, "invert");
    assert_rows(v, "tree 0 9", "total", "c 10, a 10, d -7, b -5");
    assert_rows(v, "tree 0 9", "self", "c 0, a 10, d -7, b 0");
    act(v, "sandwich b");
    assert_rows(v, "tree 0 9", "total", "b -5, a -5");
    flm_viewer_free(v);
}

static void the_table_of_functions_is_sorted_and_has_the_rows_that_are_asked_for(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_rows(v, "top 0 99", "self", "lex 10, other 7, read 3, main 0, parse 0, check 0");
    act(v, "sort total");
    assert_rows(v, "top 0 2", "total_share", "lex 65.00 %, main 65.00 %");
    assert_answer(v, "top 0 2", "count", "6");
    assert_answer(v, "top 0 2", "sort", "total");
    assert_answer(v, "top 0 2", "down", "true");
    assert_answer(v, "top 0 2", "sum", "20 samples");
    act(v, "sort total"); /* again: the other way round */
    assert_answer(v, "top 0 2", "down", "false");
    assert_rows(v, "top 5 10", "total", "lex 13");
    assert_rows(v, "top 6 10", "total", "");
    act(v, "sort name");
    assert_rows(v, "top 0 2", "total", "check 2, lex 13");
    flm_viewer_free(v);
}

static uint32_t string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text)).index;
}

/* Two metrics: 3 s and 21 samples, of two modules and files. */
static struct flm_profile *timed(void)
{
    static const struct {
        const char *name, *module, *file;
        double ns, samples;
    } all[] = {{"parse", "app", "b.c", 2964e6, 3},
               {"lex", "libz", "a.c", 21e6, 12},
               {"read", "libc", NULL, 400e3, 7}};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    for (int i = 0; i < 3; i++) {
        struct flm_frame_record frame = {
            .function = string_of(b, all[i].name),
            .module = string_of(b, all[i].module),
            .file = all[i].file ? string_of(b, all[i].file) : 0,
        };
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &frame));
        flm_builder_add(b, node, cpu, all[i].ns);
        flm_builder_add(b, node, samples, all[i].samples);
    }
    return flm_builder_finish(b, NULL);
}

static void numbers_of_a_column_have_one_unit_and_one_precision(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(timed());
    assert_rows(v, "top 0 9", "total", "parse 2,964.0, lex 21.0, read 0.4");
    assert_rows(v, "top 0 9", "self_share", "parse 99.28 %, lex 0.70 %, read 0.01 %");
    assert_rows(v, "tree 0 9", "total", "parse 2,964.0, lex 21.0, read 0.4");
    assert_answer(v, "top 0 9", "unit", "ms");
    assert_answer(v, "tree 0 9", "unit", "ms");
    flm_viewer_free(v);
}

static void functions_have_their_samples_module_and_file_and_are_sorted_by_each(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(timed());
    assert_rows(v, "top 0 9", "samples", "parse 3, lex 12, read 7");
    assert_rows(v, "top 0 9", "file", "parse b.c, lex a.c, read null");
    act(v, "sort samples");
    assert_rows(v, "top 0 9", "samples", "lex 12, read 7, parse 3");
    act(v, "sort module");
    assert_rows(v, "top 0 9", "module", "parse app, read libc, lex libz");
    act(v, "sort file");
    assert_rows(v, "top 0 9", "file", "lex a.c, parse b.c, read null");
    act(v, "metric samples"); /* what is shown is no second column */
    struct json_tree *top = answer(v, "top 0 9");
    assert_null(json_tree_find(part(top, "rows.0"), "samples"));
    json_tree_free(top);
    flm_viewer_free(v);
}

/* From one column to the next, as the table has them, and the other way round. */
static void the_column_to_sort_by_is_chosen_by_keys(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(timed());
    assert_non_null(strstr(refusal(v, "next-sort"), "there is no table"));
    act(v, "view top");
    act(v, "next-sort");
    assert_answer(v, "top 0 9", "sort", "total");
    act(v, "next-sort");
    assert_answer(v, "top 0 9", "sort", "samples");
    act(v, "next-sort"); /* nothing is compared */
    assert_answer(v, "top 0 9", "sort", "name");
    act(v, "previous-sort");
    assert_answer(v, "top 0 9", "sort", "samples");
    assert_answer(v, "top 0 9", "down", "true");
    act(v, "reverse-sort");
    assert_answer(v, "top 0 9", "down", "false");
    assert_rows(v, "top 0 9", "samples", "parse 3, read 7, lex 12");
    flm_viewer_free(v);
}

static void a_sandwich_is_of_what_is_chosen_in_its_table(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "view sandwich"); /* of nothing yet: the heaviest */
    assert_true(flm_viewer_update(v, NULL));
    assert_true(flm_bytes_are((struct flm_bytes){v->model.focus.at, v->model.focus.size}, "lex"));
    act(v, "select-frame 3");
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_bytes name = flm_frame_function(p, 3);
    assert_int_equal(v->model.focus.size, name.size);
    assert_memory_equal(v->model.focus.at, name.at, name.size);
    assert_int_equal(flm_scene_frame(&v->scene, v->model.selected), 3);
    act(v, "apply hide:lex"); /* it is of another one then */
    assert_true(v->scene.view->set_function != NULL);
    assert_false(flm_bytes_are((struct flm_bytes){v->model.focus.at, v->model.focus.size}, "lex"));
    flm_viewer_free(v);
}

static void tables_have_what_is_searched_for(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_answer(v, "list 0 9", "count", "0");
    act(v, "search re");
    assert_rows(v, "top 0 9", "match", "read 0");
    assert_answer(v, "top 0 9", "filtered", "true");
    act(v, "search-add");
    act(v, "search e");
    assert_rows(v, "list 0 9", "match", "lex 1, parse 1, other 1, read 0, check 1");
    act(v, "search-toggle 1");
    assert_rows(v, "list 0 9", "match", "read 0");
    flm_viewer_free(v);
}

static void selected_and_pointed_at_functions_are_marked(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    json_tree_free(answer(v, "top 0 9"));
    struct flm_text action = {0};
    flm_text_format(&action, "select %u", node_named(v, "lex").index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    assert_rows(v, "top 0 2", "on", "lex true, other false");
    act(v, "hover-frame 4");
    assert_rows(v, "top 0 2", "hovered", "lex false, other true");
    flm_text_clear(&action);
    flm_viewer_free(v);
}

static void act_on(struct flm_viewer *v, const char *what, const char *name)
{
    struct flm_text action = {0};
    flm_text_format(&action, "%s %u", what, node_named(v, name).index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    flm_text_clear(&action);
}

static void the_call_tree_opens_and_shows_the_way_to_what_is_selected(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "view tree");
    assert_rows(v, "tree 0 99", "open",
                "main true, parse true, lex true, read null, check false, other null");
    act_on(v, "open-node", "parse"); /* closes it */
    assert_rows(v, "tree 0 99", "level", "main 0, parse 1, check 1, other 0");
    assert_rows(v, "tree 1 2", "of_parent", "parse 84.6 %, check 15.4 %");
    assert_answer(v, "tree 0 9", "selected", "null");
    act_on(v, "select", "read");
    assert_rows(v, "tree 0 99", "self", "main 0, parse 0, lex 8, read 3, check 0, other 7");
    assert_answer(v, "tree 0 9", "selected", "3");
    assert_answer(v, "tree 0 9", "rows.3.on", "true");
    act_on(v, "open-node", "main"); /* closes it */
    assert_rows(v, "tree 0 99", "open", "main false, other null");
    act_on(v, "open-below", "main");
    assert_answer(v, "tree 0 9", "count", "7");
    flm_viewer_free(v);
}

static void an_inverted_call_tree_opens_callers(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b;x 3\nc;b;x 2\nd;y 1\n");
    act(v, "view tree");
    act(v, "invert");
    assert_rows(v, "tree 0 99", "total", "x 5, b 5, a 3, c 2, y 1");
    struct json_tree *rows = answer(v, "tree 0 9");
    struct flm_text action = {0};
    flm_text_format(&action, "open-node %s", at(rows, "rows.0.node"));
    flm_text_putc(&action, 0);
    act(v, action.at);
    assert_rows(v, "tree 0 99", "level", "x 0, y 0");
    assert_null(json_tree_find(part(rows, "rows.0"), "self"));
    json_tree_free(rows);
    flm_text_clear(&action);
    flm_viewer_free(v);
}

static void a_screen_reader_is_told_what_is_around(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_rows(v, "aria", "level", "all 0, main 1, other 1");
    act_on(v, "select", "parse");
    assert_rows(v, "aria", "level", "all 0, main 1, parse 2, lex 3, check 2");
    assert_rows(v, "aria", "set_size", "all 1, main 2, parse 2, lex 1, check 2");
    assert_rows(v, "aria", "position", "all 1, main 1, parse 1, lex 1, check 2");
    assert_rows(v, "aria", "on", "all false, main false, parse true, lex false, check false");
    assert_rows(v, "aria", "open", "all true, main true, parse true, lex false, check false");
    flm_viewer_free(v);
}

static void of_many_siblings_those_nearby_are_told(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (unsigned i = 0; i < 400; i++)
        flm_text_format(&text, "f%u %u\n", i, 1000 - i);
    flm_text_putc(&text, 0);
    struct flm_viewer *v = viewer_of_folded(text.at);
    json_tree_free(answer(v, "aria"));
    act_on(v, "select", "f200");
    struct json_tree *tree = answer(v, "aria");
    const struct json_tree *rows = part(tree, "rows");
    assert_int_equal(rows->count, 51);
    bool has = false;
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(at(&rows->items[i], "on"), "true") == 0) {
            assert_string_equal(at(&rows->items[i], "title"), "f200");
            assert_string_equal(at(&rows->items[i], "position"), "201");
            assert_string_equal(at(&rows->items[i], "set_size"), "400");
            has = true;
        }
    assert_true(has);
    json_tree_free(tree);
    flm_text_clear(&text);
    flm_viewer_free(v);
}

/* Functions that a label would make alike. */
static const char alike[] = "main;std::vector<int, std::allocator<int> >::push_back 5\n"
                            "main;std::vector<long, std::allocator<long> >::push_back 4\n"
                            "main;std::vector<Key, std::allocator<Key> >::push_back;poll 3\n";

/* The names of rows as they are shown, which never are the same. */
static void assert_shown(struct flm_viewer *v, const char *question, double room)
{
    struct json_tree *tree = answer(v, question);
    const struct json_tree *rows = part(tree, "rows");
    assert_true(rows->count >= 4);
    for (size_t i = 0; i < rows->count; i++) {
        char mine[200], other[200];
        const struct json_tree *row = &rows->items[i];
        bool is_short = json_tree_find(row, "shown") != NULL;
        snprintf(mine, sizeof mine, "%s", at(row, is_short ? "shown" : "title"));
        assert_true(!is_short || strlen(mine) < strlen(at(row, "title")));
        assert_true((double)flm_cells(flm_bytes_of(mine)).cells <= room);
        for (size_t k = 0; k < i; k++) {
            row = &rows->items[k];
            is_short = json_tree_find(row, "shown") != NULL;
            snprintf(other, sizeof other, "%s", at(row, is_short ? "shown" : "title"));
            assert_string_not_equal(mine, other);
        }
    }
    json_tree_free(tree);
}

static void names_of_a_column_are_short_and_never_the_same(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(alike);
    act(v, "view tree");
    act_on(v, "open-below", "main");
    for (int room = 12; room < 70; room++) {
        char question[40];
        snprintf(question, sizeof question, "top 0 9 %dc", room);
        assert_shown(v, question, room);
        snprintf(question, sizeof question, "tree 0 9 %dc", room);
        assert_shown(v, question, room - 2);
    }
    assert_answer(v, "top 0 9 20c", "rows.0.title",
                  "std::vector<int, std::allocator<int> >::push_back");
    assert_answer(v, "tree 0 9 20c", "rows.1.indent", "1");
    struct json_tree *whole = answer(v, "top 0 9");
    assert_null(json_tree_find(&part(whole, "rows")->items[0], "shown"));
    json_tree_free(whole);
    flm_viewer_free(v);
}

static void without_a_profile_tables_are_empty(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    static const char *const questions[] = {"top 0 9 700", "list 0 9", "tree 0 9 700", "aria"};
    for (size_t i = 0; i < 4; i++) {
        struct json_tree *tree = answer(v, questions[i]);
        assert_int_equal(part(tree, "rows")->count, 0);
        json_tree_free(tree);
    }
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"view tree", "select 3", "search e", NULL};
    static const char *const questions[] = {"top 0 9 700", "list 0 9", "tree 0 9 700", "aria"};
    for (size_t i = 0; i < 4; i++)
        assert_answer_survives(folded, actions, questions[i]);
}

/* The names of the rows as they are shown, each after (or before) the one above it. */
static void assert_sorted_as_shown(struct flm_viewer *v, const char *question, bool down)
{
    struct json_tree *tree = answer(v, question);
    const struct json_tree *rows = part(tree, "rows");
    const char *before = NULL;
    assert_int_equal(rows->count, 6);
    for (size_t i = 0; i < rows->count; i++) {
        bool is_short = json_tree_find(&rows->items[i], "shown") != NULL;
        const char *shown = at(&rows->items[i], is_short ? "shown" : "title");
        if (before && (strcmp(before, shown) > 0) != down)
            fail_msg("%s: '%s' stands before '%s'", question, before, shown);
        before = shown;
    }
    json_tree_free(tree);
}

static void a_table_by_name_is_sorted_by_the_names_that_it_shows(void **state)
{
    (void)state;
    static const char *const rooms[] = {"80c", "30c", "18c", "12c"};
    struct flm_viewer *v =
        viewer_of(profile_of("void app::zip<int>(int, std::vector<int> const&) 1\n"
                             "bool app::Walker::begin(tree_node*, basic_block_def*) 1\n"
                             "middle 1\n"
                             "unsigned int app::Writer::copy(edge_def*, block*) 1\n"
                             "virtual thunk to app::Walker::end(int) 1\n"
                             "append(int, int, int, int, int, int, int) 1\n"));
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        char question[40];
        snprintf(question, sizeof question, "top 0 9 %s", rooms[i]);
        act(v, "sort name");
        assert_sorted_as_shown(v, question, false);
        act(v, "sort -name");
        assert_sorted_as_shown(v, question, true);
    }
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_by_name_is_sorted_by_the_names_that_it_shows),
        cmocka_unit_test(negative_values_are_told_as_they_are),
        cmocka_unit_test(the_table_of_functions_is_sorted_and_has_the_rows_that_are_asked_for),
        cmocka_unit_test(numbers_of_a_column_have_one_unit_and_one_precision),
        cmocka_unit_test(functions_have_their_samples_module_and_file_and_are_sorted_by_each),
        cmocka_unit_test(the_column_to_sort_by_is_chosen_by_keys),
        cmocka_unit_test(a_sandwich_is_of_what_is_chosen_in_its_table),
        cmocka_unit_test(tables_have_what_is_searched_for),
        cmocka_unit_test(selected_and_pointed_at_functions_are_marked),
        cmocka_unit_test(the_call_tree_opens_and_shows_the_way_to_what_is_selected),
        cmocka_unit_test(an_inverted_call_tree_opens_callers),
        cmocka_unit_test(a_screen_reader_is_told_what_is_around),
        cmocka_unit_test(of_many_siblings_those_nearby_are_told),
        cmocka_unit_test(names_of_a_column_are_short_and_never_the_same),
        cmocka_unit_test(without_a_profile_tables_are_empty),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
