#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "code/code_store.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/viewing.h"
#include "viewer/query/query.h"

static void add(struct flm_builder *b, const char *const *names, const uint32_t *lines,
                size_t count, double value)
{
    struct flm_node node = flm_builder_root(b);
    uint32_t file = flm_builder_string(b, "src/app.c", 9).index;
    uint64_t address = 0; /* that of what code is inlined into is its own */
    for (size_t i = 0; i < count; i++) {
        bool inlined = names[i][0] == '~';
        const char *name = names[i] + inlined;
        struct flm_frame_record record = {.function =
                                              flm_builder_string(b, name, strlen(name)).index,
                                          .module = flm_builder_string(b, "app", 3).index,
                                          .file = file,
                                          .kind = inlined ? FLM_KIND_INLINED : 0};
        address = inlined ? address : 0x1000 + 4 * lines[i];
        struct flm_location where = {.file = file, .line = lines[i], .address = address};
        struct flm_frame frame = flm_builder_frame(b, &record);
        if (lines[i])
            frame = flm_builder_frame_at(b, frame, &where);
        node = flm_builder_child(b, node, frame);
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu-clock", "ns"), value);
}

static struct flm_profile *example(double more)
{
    struct flm_builder *b = flm_builder_new(NULL);
    add(b, (const char *[]){"main", "find"}, (const uint32_t[]){3, 6}, 2, 6000000 + more);
    add(b, (const char *[]){"main", "find", "~same"}, (const uint32_t[]){3, 7, 1}, 3, 3000000);
    add(b, (const char *[]){"main", "find"}, (const uint32_t[]){3, 0}, 2, 1000000);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static const char source[] = "static int same(int a) { return a; }\n"
                             "/* first\n"
                             "   second */\n"
                             "\n"
                             "{\n"
                             "    int x = 1;\n"
                             "    return \"<b>\";\n"
                             "}\n";

/* A file, and the instructions of find. */
static void take(struct flm_viewer *v)
{
    struct flm_code_store *store = flm_code_store_new(NULL);
    struct flm_text bytes = {0};
    const struct flm_code_file file = {.name = flm_bytes_of("src/app.c"),
                                       .path = flm_bytes_of("/home/me/src/app.c"),
                                       .status = flm_bytes_of("as built"),
                                       .text = flm_bytes_of(source)};
    const struct flm_bytes files[] = {flm_bytes_of("src/app.c")};
    struct flm_code_instruction code[3] = {
        {.address = 0x1018, .size = 4, .text = flm_bytes_of("mov    %eax,%ecx"), .line = 6},
        {.address = 0x101c,
         .size = 4,
         .text = flm_bytes_of("call   1234"),
         .line = 7,
         .kind = FLM_INSTRUCTION_CALL,
         .target = flm_bytes_of("main@plt")},
        {.address = 0x1020,
         .size = 4,
         .text = flm_bytes_of("jne    1018"),
         .line = 7,
         .kind = FLM_INSTRUCTION_BRANCH,
         .has_place = true,
         .leads = true,
         .place = 0x1018}};
    for (int i = 0; i < 3; i++)
        code[i].inlined = FLM_CODE_NONE;
    const struct flm_code_function function = {.name = flm_bytes_of("find"),
                                               .module = flm_bytes_of("app"),
                                               .machine = flm_bytes_of("x86-64"),
                                               .instructions = code,
                                               .instruction_count = 3,
                                               .files = files,
                                               .file_count = 1};
    assert_true(flm_code_store_add_file(store, &file, NULL));
    assert_true(flm_code_store_add_function(store, &function, NULL));
    assert_true(flm_code_store_write(store, &bytes, NULL));
    assert_true(flm_viewer_take_code(v, (struct flm_bytes){bytes.at, bytes.size}, NULL));
    flm_text_clear(&bytes);
    flm_code_store_free(store);
}

static void select_function(struct flm_viewer *v, const char *name)
{
    char action[64] = "select ", digits[16];
    uint32_t number = node_named(v, name).index;
    size_t size = 0;
    do
        digits[size++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    size_t at = strlen(action);
    while (size > 0)
        action[at++] = digits[--size];
    action[at] = 0;
    act(v, action);
}

static void functions_have_short_names_too(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    const char *const names[] = {"bool ns::Table<int>::find(int const&)", "net/http.(*conn).serve"};
    add(b, names, (const uint32_t[]){3, 6}, 2, 5);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    act(v, "code-at net/http.(*conn).serve\napp");
    struct json_tree *code = answer(v, "code 4");
    assert_string_equal(at(code, "functions.0.title"), names[0]);
    assert_string_equal(at(code, "functions.0.name"), "Table<int>::find");
    assert_string_equal(at(code, "functions.1.name"), "http.(*conn).serve");
    json_tree_free(code);
    flm_viewer_free(v);
}

static void e_shows_the_code_of_the_selected_function(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    select_function(v, "find");
    flm_viewer_key(v, flm_bytes_of("e"), 0, 0);
    assert_answer(v, "tools", "view", "code");
    struct json_tree *code = answer(v, "code 4");
    assert_string_equal(at(code, "title"), "find");
    assert_string_equal(at(code, "module"), "app");
    assert_string_equal(at(code, "self"), "7 ms");
    assert_string_equal(at(code, "total_share"), "100 %");
    assert_string_equal(at(code, "lines_sum"), "lines add up to 6 ms of 7 ms");
    assert_string_equal(at(code, "functions.0.title"), "main");
    assert_string_equal(at(code, "functions.1.on"), "true");
    assert_string_equal(at(code, "functions.2.inlined"), "true");
    assert_string_equal(at(code, "hottest.0.title"), "app.c:6");
    json_tree_free(code);
    /* And back. */
    flm_viewer_key(v, flm_bytes_of("e"), 0, 0);
    assert_answer(v, "tools", "view", "flame");
    act(v, "back");
    assert_answer(v, "tools", "view", "code");
    flm_viewer_key(v, flm_bytes_of("Escape"), 0, 0);
    assert_answer(v, "tools", "view", "flame");
    flm_viewer_free(v);
}

static void lines_have_costs_and_text(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    select_function(v, "find");
    act(v, "code");
    flm_viewer_knows_code(v, FLM_VIEWER_AFTER);
    struct json_tree *wanted = answer(v, "code-wanted");
    assert_string_equal(at(wanted, "files.0"), "src/app.c");
    assert_string_equal(at(wanted, "side"), "after");
    assert_string_equal(at(wanted, "assembly"), "false");
    json_tree_free(wanted);
    struct json_tree *rows = answer(v, "code-rows source 0 20");
    assert_string_equal(at(rows, "rows.0.kind"), "file");
    assert_string_equal(at(rows, "rows.1.number"), "6");
    assert_string_equal(at(rows, "rows.1.self"), "60 %");
    assert_string_equal(at(rows, "rows.1.heat"), "1");
    assert_string_equal(at(rows, "rows.2.total"), "30 %");
    assert_string_equal(at(rows, "rows.3.kind"), "inlined");
    assert_string_equal(at(rows, "rows.3.pieces.0.text"), "same, inlined from app.c:1");
    assert_string_equal(at(rows, "rows.4.kind"), "unknown");
    json_tree_free(rows);
    take(v);
    rows = answer(v, "code-rows source 0 20");
    assert_string_equal(at(rows, "rows.1.number"), "3"); /* a line of a comment of two */
    assert_string_equal(at(rows, "rows.1.pieces.0.kind"), "comment");
    assert_string_equal(at(rows, "rows.4.pieces.1.text"), "int");
    assert_string_equal(at(rows, "rows.4.pieces.1.kind"), "type");
    assert_string_equal(at(rows, "rows.4.link"), "/home/me/src/app.c:6");
    json_tree_free(rows);
    assert_answer(v, "code", "status", "as built");
    flm_viewer_free(v);
}

static void folds_open_and_are_in_the_state(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    select_function(v, "find");
    act(v, "code");
    struct json_tree *rows = answer(v, "code-rows source 0 20");
    struct flm_text action = {0}, shown = {0};
    flm_text_puts(&action, "code-open ");
    flm_text_puts(&action, at(rows, "rows.3.key"));
    flm_text_putc(&action, 0);
    act(v, action.at);
    json_tree_free(rows);
    rows = answer(v, "code-rows source 0 20");
    assert_string_equal(at(rows, "rows.3.open"), "true");
    assert_string_equal(at(rows, "rows.4.depth"), "1");
    assert_string_equal(at(rows, "rows.4.self"), "30 %");
    json_tree_free(rows);
    assert_true(flm_viewer_query_text(v, flm_bytes_of("state"), &shown, NULL));
    flm_text_putc(&shown, 0);
    assert_non_null(strstr(shown.at, "view=code&code=find%0Aapp&code-open="));
    act(v, action.at);
    assert_answer(v, "code-rows source 3 1", "rows.0.open", "false");
    act(v, "code-inlined");
    assert_answer(v, "code-rows source 3 1", "rows.0.open", "true");
    act(v, "code-file");
    assert_answer(v, "code-rows source 1 1", "rows.0.kind", "function");
    flm_text_clear(&action);
    flm_text_clear(&shown);
    flm_viewer_free(v);
}

static void instructions_are_beside(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    select_function(v, "find");
    act(v, "code");
    take(v);
    act(v, "code-assembly");
    struct json_tree *rows = answer(v, "code-rows assembly 0 20"),
                     *lines = answer(v, "code-rows source 4 1");
    assert_string_equal(at(rows, "rows.0.kind"), "source");
    assert_string_equal(at(rows, "rows.1.number"), "1018");
    assert_string_equal(at(rows, "rows.1.self"), "60 %");
    assert_string_equal(at(rows, "rows.1.at"), at(lines, "rows.0.at"));
    assert_string_equal(at(rows, "rows.1.lanes"), "a00000");
    assert_string_equal(at(rows, "rows.1.loop"), "a loop, 90 % of the function");
    assert_string_equal(at(rows, "rows.3.go"), "main\napp");
    assert_string_equal(at(rows, "rows.4.lanes"), "500000");
    json_tree_free(rows);
    json_tree_free(lines);
    assert_answer(v, "code", "machine", "x86-64");
    flm_viewer_free(v);
}

static void a_search_goes_from_line_to_line(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    select_function(v, "find");
    act(v, "code");
    take(v);
    act(v, "search return");
    flm_viewer_key(v, flm_bytes_of("n"), 0, 0);
    assert_answer(v, "code", "selected", "true");
    assert_answer(v, "code", "source_row", "5");
    assert_answer(v, "code-rows source 5 1", "rows.0.match", "true");
    assert_answer(v, "code-rows source 5 1", "rows.0.on", "true");
    flm_viewer_free(v);
}

static void a_comparison_has_both_costs(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, example(2000000), "before", NULL));
    act(v, "code-at find\napp\nsrc/app.c\n6");
    struct json_tree *rows = answer(v, "code-rows source 1 1");
    assert_string_equal(at(rows, "rows.0.before"), "8 ms");
    assert_string_equal(at(rows, "rows.0.self"), "6 ms");
    assert_string_equal(at(rows, "rows.0.change"), "-2 ms");
    assert_string_equal(at(rows, "rows.0.on"), "true");
    json_tree_free(rows);
    flm_viewer_free(v);
}

static void lines_are_copied(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    struct flm_text copied = {0};
    select_function(v, "find");
    act(v, "code");
    take(v);
    act(v, "copy-code markdown");
    assert_true(flm_viewer_query_text(v, flm_bytes_of("copy"), &copied, NULL));
    flm_text_putc(&copied, 0);
    assert_non_null(strstr(copied.at, "### find, src/app.c: self 7 ms, total 10 ms"));
    assert_non_null(strstr(copied.at, "    60 %     60 %       6      int x = 1;\n"));
    flm_text_clear(&copied);
    flm_viewer_free(v);
}

static void a_copy_says_what_is_left_out(void **state)
{
    (void)state;
    enum { LINES = 10005, MOST = 10000 };
    struct flm_builder *b = flm_builder_new(NULL);
    for (uint32_t i = 1; i <= LINES; i++)
        add(b, (const char *[]){"find"}, (const uint32_t[]){i}, 1, 1000);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    struct flm_text copied = {0};
    select_function(v, "find");
    act(v, "code");
    struct json_tree *code = answer(v, "code");
    char expected[64];
    snprintf(expected, sizeof expected, "\n%d more rows are left out\n```\n",
             atoi(at(code, "source_count")) - MOST);
    json_tree_free(code);
    act(v, "copy-code markdown");
    assert_true(flm_viewer_query_text(v, flm_bytes_of("copy"), &copied, NULL));
    flm_text_putc(&copied, 0);
    assert_non_null(strstr(copied.at, expected));
    flm_text_clear(&copied);
    flm_viewer_free(v);
}

/* Of other builds, functions and files have the same names. */
static void code_is_that_of_the_files_that_are_open(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(example(0));
    act(v, "code-at find\napp");
    act(v, "code-assembly");
    /* Nobody has the code of a file that was dropped. */
    assert_answer(v, "code-wanted", "", "null");
    flm_viewer_knows_code(v, FLM_VIEWER_AFTER);
    assert_answer(v, "code-wanted", "side", "after");
    assert_answer(v, "code-wanted", "other", "none");
    take(v);
    assert_answer(v, "code", "machine", "x86-64");
    assert_answer(v, "code-wanted", "", "null");
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, example(1000000), "dropped", NULL));
    assert_answer(v, "code", "machine", "null");
    assert_answer(v, "code", "path", "null");
    assert_answer(v, "code-wanted", "", "null");
    flm_viewer_free(v);

    v = viewer_of(example(0));
    flm_viewer_knows_code(v, FLM_VIEWER_AFTER);
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, example(1000000), "b", NULL));
    act(v, "code-at find\napp");
    act(v, "code-assembly");
    assert_answer(v, "code-wanted", "side", "after");
    assert_answer(v, "code-wanted", "other", "none");
    take(v);
    assert_answer(v, "code", "machine", "x86-64");
    act(v, "swap");
    assert_answer(v, "code", "machine", "null");
    assert_answer(v, "code", "path", "null");
    /* Source of the other file may be had, machine code not. */
    assert_answer(v, "code-wanted", "side", "none");
    assert_answer(v, "code-wanted", "other", "after");
    assert_answer(v, "code-wanted", "assembly", "false");
    flm_viewer_free(v);

    v = viewer_of(example(0));
    flm_viewer_knows_code(v, FLM_VIEWER_AFTER);
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, example(1000000), "b", NULL));
    flm_viewer_knows_code(v, FLM_VIEWER_BEFORE);
    act(v, "code-at find\napp");
    act(v, "code-assembly");
    act(v, "swap");
    assert_answer(v, "code-wanted", "side", "before");
    assert_answer(v, "code-wanted", "other", "after");
    assert_answer(v, "code-wanted", "assembly", "true");
    act(v, "compare-stop");
    assert_answer(v, "code-wanted", "side", "before");
    assert_answer(v, "code-wanted", "other", "none");
    flm_viewer_free(v);
}

static bool ask(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_response response = {0};
    struct flm_viewer *v = flm_viewer_new(why);
    struct flm_profile *p = v ? example(0) : NULL;
    bool good = p && flm_viewer_take(v, FLM_VIEWER_AFTER, p, "a", why) &&
                flm_viewer_do(v, flm_bytes_of("code-at find\napp"), why) &&
                flm_viewer_query(v, flm_bytes_of("code 10"), &response, why) &&
                flm_viewer_query(v, flm_bytes_of("code-rows source 0 20"), &response, why) &&
                flm_viewer_query(v, flm_bytes_of("code-wanted"), &response, why);
    flm_response_clear(&response);
    flm_viewer_free(v);
    return good;
}

static void damaged_stores_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_viewer *v = viewer_of(example(0));
    assert_false(flm_viewer_take_code(v, flm_bytes_of("no store"), &why));
    assert_answer(v, "code", "title", "");
    assert_true(ask(NULL, &why));
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e_shows_the_code_of_the_selected_function),
        cmocka_unit_test(functions_have_short_names_too),
        cmocka_unit_test(lines_have_costs_and_text),
        cmocka_unit_test(folds_open_and_are_in_the_state),
        cmocka_unit_test(instructions_are_beside),
        cmocka_unit_test(a_search_goes_from_line_to_line),
        cmocka_unit_test(a_comparison_has_both_costs),
        cmocka_unit_test(lines_are_copied),
        cmocka_unit_test(a_copy_says_what_is_left_out),
        cmocka_unit_test(code_is_that_of_the_files_that_are_open),
        cmocka_unit_test(damaged_stores_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
