#include "record/process/thread_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void name(struct flm_thread_table *t, int32_t id, const char *text)
{
    struct flm_thread *thread = flm_thread_table_get(t, id);
    assert_non_null(thread);
    assert_true(flm_thread_table_name(t, thread, flm_bytes_of(text)));
}

static bool is_even(void *context, const struct flm_thread *thread)
{
    (void)context;
    return thread->id % 2 == 0;
}

static void the_same_name_is_the_same_text(void **state)
{
    (void)state;
    struct flm_thread_table t = {0};
    name(&t, 1, "worker");
    name(&t, 2, "main");
    name(&t, 3, "worker");
    assert_ptr_equal(flm_thread_table_text(&t, 1).at, flm_thread_table_text(&t, 3).at);
    assert_int_equal(t.names.count, 2);
    assert_int_equal(flm_thread_table_text(&t, 4).size, 0);
    assert_non_null(flm_thread_table_get(&t, 4)); /* there, but without a name */
    assert_int_equal(flm_thread_table_text(&t, 4).size, 0);
    flm_thread_table_clear(&t);
}

static void threads_that_are_kept_are_found_and_others_are_not(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct flm_thread_table t = {0};
    for (int32_t i = 0; i < COUNT; i++) {
        char text[16];
        snprintf(text, sizeof text, "thread %d", i);
        name(&t, i, text);
    }
    assert_true(flm_thread_table_keep(&t, is_even, NULL));
    assert_true(flm_thread_table_forget_names(&t));
    assert_int_equal(t.threads.count, COUNT / 2);
    assert_int_equal(t.names.count, COUNT / 2);
    for (int32_t i = 0; i < COUNT; i++) {
        char text[16];
        snprintf(text, sizeof text, "thread %d", i);
        assert_true(flm_bytes_are(flm_thread_table_text(&t, i), i % 2 ? "" : text));
        assert_int_equal(flm_thread_table_find(&t, i) == NULL, i % 2);
    }
    name(&t, 1, "thread 0");
    assert_int_equal(t.names.count, COUNT / 2);
    flm_thread_table_clear(&t);
}

static bool work(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_thread_table t = {0};
    bool good = true;
    for (int32_t i = 0; i < 40 && good; i++) {
        char text[16];
        snprintf(text, sizeof text, "thread %d", i);
        struct flm_thread *thread = flm_thread_table_get(&t, i);
        good = thread && flm_thread_table_name(&t, thread, flm_bytes_of(text));
    }
    good = good && flm_thread_table_keep(&t, is_even, NULL) && flm_thread_table_forget_names(&t);
    flm_thread_table_clear(&t);
    return good || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(work, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_name_is_the_same_text),
        cmocka_unit_test(threads_that_are_kept_are_found_and_others_are_not),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
