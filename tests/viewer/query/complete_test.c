#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"

static const char folded[] =
    "main;parse;std::sort 9\nmain;reparse;a|b 1\nmain;unparse;sys_read_[k] 3\n";

/* The texts, a line each. */
static void assert_completes_of(struct flm_viewer *v, const char *typed, const char *expected)
{
    struct flm_text question = {0}, texts = {0};
    flm_text_puts(&question, "complete ");
    flm_text_puts(&question, typed);
    flm_text_putc(&question, 0);
    struct json_tree *tree = answer(v, question.at);
    const struct json_tree *items = part(tree, "items");
    for (size_t i = 0; i < items->count; i++) {
        flm_text_puts(&texts, at(&items->items[i], "text"));
        flm_text_putc(&texts, '\n');
    }
    flm_text_putc(&texts, 0);
    assert_string_equal(texts.at, expected);
    json_tree_free(tree);
    flm_text_clear(&question);
    flm_text_clear(&texts);
}

static void assert_completes(const char *typed, const char *expected)
{
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_completes_of(v, typed, expected);
    flm_viewer_free(v);
}

/* Samples of threads "gc", "main" and "a|b", and of the process 7. */
static struct flm_profile *labeled(void)
{
    static const char *const threads[] = {"gc", "main", "a|b"};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_string process = flm_builder_string(b, "process", 7),
                      seven = flm_builder_string(b, "7", 1),
                      thread = flm_builder_string(b, "thread", 6);
    struct flm_frame_record f = {.function = flm_builder_string(b, "f", 1).index};
    struct flm_node node = flm_builder_child(b, (struct flm_node){0}, flm_builder_frame(b, &f));
    for (size_t i = 0; i < 3; i++) {
        struct flm_string labels[] = {thread, flm_builder_string(b, threads[i], strlen(threads[i])),
                                      process, seven};
        flm_builder_sample(b, (int64_t)i, node, flm_builder_label_set(b, labels, 2), metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

/* By their keys here and elsewhere; then the values of one. */
static void labels_and_their_values_are_completed(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(labeled());
    assert_completes_of(v, "label:", "label:process=\nlabel:thread=\n");
    assert_completes_of(v, "label:th", "label:thread=\n");
    assert_completes_of(v, "label:tid", "label:thread=\n");
    assert_completes_of(v, "unlabel:pid=", "unlabel:pid=7\n");
    assert_completes_of(
        v, "label:thread=", "label:thread=\"a|b\"\nlabel:thread=gc\nlabel:thread=main\n");
    assert_completes_of(v, "hide:f | label:tid=m", "hide:f | label:tid=main\n");
    assert_completes_of(v, "split:t", "split:thread\n");
    assert_completes_of(v, "split:comm", "");
    assert_completes_of(v, "label:x", "");
    assert_answer(v, "complete label:", "items.0.note", "1 value: 7");
    assert_answer(v, "complete label:", "items.1.note", "3 values: a|b, gc, main");
    assert_answer(v, "complete label:", "items.1.title", "thread=");
    /* What is offered is a good expression. */
    act(v, "apply label:thread=\"a|b\"");
    act(v, "apply label:pid=7");
    flm_viewer_free(v);
}

/* The last name of the list is completed, and names that need quotes only as the first one. */
static void threads_and_processes_are_completed(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(labeled());
    assert_completes_of(v, "thread:", "thread:\"a|b\"\nthread:gc\nthread:main\n");
    assert_completes_of(v, "tid:m", "tid:main\n");
    assert_completes_of(v, "hide:f | thread:gc,",
                        "hide:f | thread:gc,gc\nhide:f | thread:gc,main\n");
    assert_completes_of(v, "pid:", "pid:7\n");
    assert_completes_of(v, "process:8", "");
    assert_completes_of(v, "comm:", "");
    assert_completes_of(v, "state:", "");
    assert_completes_of(v, "thr", "thread:\n");
    act(v, "apply thread:\"a|b\"");
    act(v, "apply pid:7");
    flm_viewer_free(v);
}

/* "tid:" is followed by a number, "thread:" by a name. */
static void numbers_come_first_after_tid(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    static const char *const texts[] = {"thread name", "main", "thread", "7"};
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_string labels[4];
    for (size_t i = 0; i < 4; i++)
        labels[i] = flm_builder_string(b, texts[i], strlen(texts[i]));
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_sample(b, 0, node, flm_builder_label_set(b, labels, 2), metric, 1);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    assert_completes_of(v, "thread:", "thread:main\nthread:7\n");
    assert_completes_of(v, "tid:", "tid:7\ntid:main\n");
    flm_viewer_free(v);
}

static void operations_are_completed(void **state)
{
    (void)state;
    assert_completes("fo", "focus:\n");
    assert_completes("hide:a | inv", "hide:a | invert\n");
    assert_completes("xyz", "");
}

static void functions_that_begin_so_come_first_then_the_larger_ones(void **state)
{
    (void)state;
    assert_completes("focus:parse", "focus:parse\nfocus:unparse\nfocus:reparse\n");
    assert_completes("hide:main | focus:pars", "hide:main | focus:parse\n"
                                               "hide:main | focus:unparse\n"
                                               "hide:main | focus:reparse\n");
    assert_completes("focus:PARSE", "");
}

static void what_needs_quotes_has_them(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *tree = answer(v, "complete hide:a|");
    json_tree_free(tree);
    tree = answer(v, "complete hide:a");
    const struct json_tree *items = part(tree, "items");
    const char *found = NULL;
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(at(&items->items[i], "title"), "a|b") == 0)
            found = at(&items->items[i], "text");
    assert_non_null(found);
    struct flm_text action = {0};
    flm_text_format(&action, "apply %s", found);
    flm_text_putc(&action, 0);
    act(v, action.at); /* it is a good expression, that finds it */
    assert_answer(v, "chips", "operations.0.note", "null");
    flm_text_clear(&action);
    json_tree_free(tree);
    flm_viewer_free(v);
}

static void fields_and_their_values_are_completed(void **state)
{
    (void)state;
    assert_completes("hide:mo", "hide:module=\n");
    assert_completes("hide:kind=ker", "hide:kind=kernel\n");
    assert_completes("by:mo", "by:module\n");
    assert_completes("rename:", "rename:s/old/new/\n");
    assert_completes("collapse:", "collapse:direct\ncollapse:any\n");
    assert_completes("metric:s", "metric:samples\n");
    assert_completes("depth:", "");
}

static void before_anything_is_typed_whole_expressions_are_offered(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *tree = answer(v, "complete ");
    assert_string_equal(at(tree, "items.0.title"), "Only my code");
    assert_string_equal(at(tree, "items.1.title"), "Without the kernel");
    assert_string_equal(at(tree, "items.2.text"), "focus:");
    json_tree_free(tree);
    tree = answer(v, "complete");
    assert_string_equal(at(tree, "items.0.title"), "Only my code");
    json_tree_free(tree);
    flm_viewer_free(v);
    v = flm_viewer_new(NULL);
    assert_answer(v, "complete ", "items.0.text", "focus:");
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_answer_survives(folded, NULL, "complete ");
    assert_answer_survives(folded, NULL, "complete hide:par");
    assert_answer_survives(folded, NULL, "complete hide:module=l");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_processes_are_completed),
        cmocka_unit_test(numbers_come_first_after_tid),
        cmocka_unit_test(operations_are_completed),
        cmocka_unit_test(functions_that_begin_so_come_first_then_the_larger_ones),
        cmocka_unit_test(what_needs_quotes_has_them),
        cmocka_unit_test(fields_and_their_values_are_completed),
        cmocka_unit_test(labels_and_their_values_are_completed),
        cmocka_unit_test(before_anything_is_typed_whole_expressions_are_offered),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
