#include "viewer/scene/code_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static void parts_of_a_text_are_its_lines(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "find\napp\nsrc/a.c\n7");
    assert_true(flm_bytes_are(flm_code_part(&text, 0), "find"));
    assert_true(flm_bytes_are(flm_code_part(&text, 3), "7"));
    assert_true(flm_bytes_are(flm_code_part(&text, 4), ""));
    flm_text_clear(&text);
    assert_true(flm_bytes_are(flm_code_part(&text, 0), ""));
}

static void without_a_choice_it_is_the_hottest_function(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;lex 7\nmain;parse 3\n");
    act(v, "view code");
    assert_answer(v, "code", "title", "lex");
    assert_answer(v, "code", "functions.0.title", "main");
    assert_answer(v, "code", "functions.1.on", "true");
    assert_answer(v, "code-rows source 0 5", "rows.0.pieces.0.text", "no line is known");
    flm_viewer_free(v);
}

/* A stack stays while one goes from function to function in it. */
static void the_stack_stays_while_one_is_in_it(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;a;lex 7\nmain;b;lex;read 3\n");
    act(v, "code-at read\n");
    assert_answer(v, "code", "functions.1.title", "b");
    act(v, "code-at lex\n");
    assert_answer(v, "code", "functions.1.title", "b");
    act(v, "code-at a\n");
    assert_answer(v, "code", "functions.1.title", "a");
    act(v, "code-at nobody\n");
    assert_answer(v, "code", "empty", "The function is not in what is shown");
    flm_viewer_free(v);
}

/* Of a script where there is no module; `module`: of a program. */
static void add_call(struct flm_builder *b, const char *module, const char *file, double value)
{
    const struct flm_frame_record record = {
        .function = flm_builder_string(b, "lex", 3).index,
        .module = flm_builder_string(b, module, strlen(module)).index,
        .file = flm_builder_string(b, file, strlen(file)).index};
    const struct flm_location at = {.file = record.file, .line = 5};
    struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &record), &at);
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
    flm_builder_add(b, node, flm_builder_metric(b, "samples", ""), value);
}

static void functions_of_one_name_in_several_scripts_are_several(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    add_call(b, "", "a.py", 3);
    add_call(b, "", "b.py", 4);
    add_call(b, "app", "a.c", 10);
    add_call(b, "app", "b.c", 20);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    act(v, "code-at lex\n\na.py");
    assert_answer(v, "code", "self", "3");
    assert_answer(v, "code", "functions.0.of", "lex\n\na.py");
    assert_answer(v, "code", "functions.0.on", "true");
    act(v, "code-at lex\n\nb.py\n5");
    assert_answer(v, "code", "self", "4");
    act(v, "code-at lex\n");
    assert_answer(v, "code", "self", "7");
    act(v, "code-at lex\n\nc.py"); /* of another profile */
    assert_answer(v, "code", "self", "7");
    act(v, "code-at lex\napp\na.c\n5"); /* inlined code is in another file than its function */
    assert_answer(v, "code", "self", "30");
    flm_viewer_free(v);
}

/* What leads to a line of no file names none: the line is not taken for the file. */
static void a_line_of_no_file_leads_to_its_function(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    add_call(b, "", "", 3);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    assert_answer(v, "code", "hottest.0.title", "line 5");
    assert_answer(v, "code", "hottest.0.of", "lex\n");
    flm_viewer_free(v);
    b = flm_builder_new(NULL);
    add_call(b, "", "a.py", 3);
    v = viewer_of(flm_builder_finish(b, NULL));
    assert_answer(v, "code", "hottest.0.of", "lex\n\na.py\n5");
    flm_viewer_free(v);
    b = flm_builder_new(NULL);
    add_call(b, "app", "a.c", 3);
    v = viewer_of(flm_builder_finish(b, NULL));
    assert_answer(v, "code", "hottest.0.of", "lex\napp\na.c\n5");
    flm_viewer_free(v);
}

static void a_transform_that_hides_the_function_leaves_no_rows(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;lex 7\nmain;parse 3\n");
    act(v, "code-at lex\n");
    assert_answer(v, "code", "self", "7 samples");
    act(v, "apply hide:lex");
    assert_answer(v, "code", "empty", "The function is not in what is shown");
    act(v, "undo");
    assert_answer(v, "code", "self", "7 samples");
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_text_are_its_lines),
        cmocka_unit_test(without_a_choice_it_is_the_hottest_function),
        cmocka_unit_test(the_stack_stays_while_one_is_in_it),
        cmocka_unit_test(functions_of_one_name_in_several_scripts_are_several),
        cmocka_unit_test(a_line_of_no_file_leads_to_its_function),
        cmocka_unit_test(a_transform_that_hides_the_function_leaves_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
