#include "record/sched/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"

/* Whether it was known when the thread had left. */
static bool came_back(struct flm_switches *s, int32_t thread, struct flm_off_cpu_thread *left)
{
    assert_true(flm_switches_return(s, 4, thread, 5000, left));
    return left->left_ns != FLM_NO_TIME;
}

static void a_thread_is_off_CPU_from_leaving_to_coming_back(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread waited;
    assert_false(came_back(&s, 5, &waited));
    assert_true(flm_switches_mark(&s, 4, 5, 990, 17, FLM_STATE_WAITING));
    assert_true(flm_switches_leave(&s, 4, 5, 1000, true));
    assert_true(came_back(&s, 5, &waited));
    assert_int_equal(waited.left_ns, 1000);
    assert_int_equal(waited.node, 17);
    assert_int_equal(waited.marked_ns, 990);
    assert_int_equal(waited.state, FLM_STATE_RUNNABLE);
    assert_false(came_back(&s, 5, &waited));
    flm_switches_clear(&s);
}

static void what_a_runtime_knows_is_of_the_last_mark(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread waited;
    const struct flm_event_sample known = {.thread_name = flm_bytes_of("worker"),
                                           .state = flm_bytes_of("GIL"),
                                           .labels = {{"GIL", flm_bytes_of("waiting")}}};
    flm_switches_explain(&s, 5, &known); /* of no thread */
    assert_true(flm_switches_mark(&s, 4, 5, 990, 17, FLM_STATE_WAITING));
    flm_switches_explain(&s, 5, &known);
    assert_true(flm_switches_leave(&s, 4, 5, 1000, false));
    assert_true(came_back(&s, 5, &waited));
    assert_true(flm_bytes_are(waited.name, "worker"));
    assert_true(flm_bytes_are(waited.wait, "GIL"));
    assert_ptr_equal(waited.labels[0].key, known.labels[0].key);
    assert_true(flm_switches_mark(&s, 4, 5, 6000, 18, FLM_STATE_WAITING));
    assert_true(flm_switches_leave(&s, 4, 5, 6010, false));
    assert_true(came_back(&s, 5, &waited));
    assert_int_equal(waited.name.size, 0);
    assert_int_equal(waited.wait.size, 0);
    assert_null(waited.labels[0].key);
    flm_switches_clear(&s);
}

static void an_old_mark_is_not_the_stack_of_a_later_switch(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread waited;
    assert_true(flm_switches_mark(&s, 4, 5, 1000, 17, FLM_STATE_INTERRUPTIBLE));
    assert_true(flm_switches_leave(&s, 4, 5, 1000 + 1000000000, false));
    assert_true(came_back(&s, 5, &waited));
    assert_true(waited.marked_ns == FLM_NO_TIME);
    flm_switches_clear(&s);
}

static void a_thread_that_has_ended_is_not_off_CPU(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread waited;
    assert_true(flm_switches_end(&s, 4, 5, 100));
    assert_true(flm_switches_leave(&s, 4, 5, 1000, false));
    assert_false(came_back(&s, 5, &waited));
    assert_true(flm_switches_begin(&s, 4, 5, FLM_NO_TIME)); /* another one of that number */
    assert_true(flm_switches_leave(&s, 4, 5, 2000, false));
    assert_true(came_back(&s, 5, &waited));
    flm_switches_clear(&s);
}

static void ended_threads_are_forgotten_and_others_stay_off_CPU(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct flm_switches s = {0};
    struct flm_off_cpu_thread waited;
    assert_true(flm_switches_leave(&s, 1, 1, 50, false));
    for (int32_t i = 2; i < COUNT; i++) {
        assert_true(flm_switches_leave(&s, 1, i, i, false));
        assert_true(flm_switches_end(&s, 1, i, i));
        assert_true(flm_switches_forget(&s, i - 5));
        assert_true(s.threads.count <= 7);
    }
    assert_true(flm_switches_leave(&s, 1, COUNT - 1, COUNT, false)); /* that one is still known */
    assert_false(came_back(&s, COUNT - 1, &waited));
    assert_true(came_back(&s, 1, &waited));
    assert_int_equal(waited.left_ns, 50);
    flm_switches_clear(&s);
}

static void the_state_is_that_of_the_mark_or_of_the_switch(void **state)
{
    (void)state;
    static const struct {
        int64_t marked_ns; /* 0: not at all */
        enum flm_sched_state marked;
        bool preempted;
        enum flm_sched_state expected;
    } cases[] = {{0, FLM_STATE_WAITING, false, FLM_STATE_WAITING},
                 {0, FLM_STATE_WAITING, true, FLM_STATE_RUNNABLE},
                 {990, FLM_STATE_WAITING, false, FLM_STATE_WAITING},
                 {990, FLM_STATE_WAITING, true, FLM_STATE_RUNNABLE},
                 {990, FLM_STATE_UNINTERRUPTIBLE, false, FLM_STATE_UNINTERRUPTIBLE},
                 {990, FLM_STATE_RUNNABLE, false, FLM_STATE_RUNNABLE},
                 {-99000000, FLM_STATE_UNINTERRUPTIBLE, false, FLM_STATE_WAITING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_switches s = {0};
        struct flm_off_cpu_thread left;
        if (cases[i].marked_ns)
            assert_true(flm_switches_mark(&s, 4, 5, cases[i].marked_ns, 1, cases[i].marked));
        assert_true(flm_switches_leave(&s, 4, 5, 1000, cases[i].preempted));
        assert_true(came_back(&s, 5, &left));
        assert_int_equal(left.state, cases[i].expected);
        flm_switches_clear(&s);
    }
}

static void a_wake_up_counts_once_and_only_while_the_thread_waits(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread left;
    flm_switches_wake(&s, 5, 10); /* nobody knows it */
    assert_true(flm_switches_return(&s, 4, 5, 20, &left));
    flm_switches_wake(&s, 5, 30); /* it runs */
    assert_true(flm_switches_leave(&s, 4, 5, 1000, false));
    flm_switches_wake(&s, 5, 1300);
    flm_switches_wake(&s, 5, 1400);
    assert_true(came_back(&s, 5, &left));
    assert_true(left.woken_ns == 1300);
    /* Between the mark and the switch: on another CPU. */
    assert_true(flm_switches_mark(&s, 4, 5, 2000, 1, FLM_STATE_INTERRUPTIBLE));
    flm_switches_wake(&s, 5, 2001);
    assert_true(flm_switches_leave(&s, 4, 5, 2002, false));
    assert_true(came_back(&s, 5, &left));
    assert_true(left.woken_ns == 2001);
    assert_true(flm_switches_leave(&s, 4, 5, 3000, false));
    assert_true(came_back(&s, 5, &left));
    assert_true(left.woken_ns == FLM_NO_TIME);
    flm_switches_clear(&s);
}

static void a_new_thread_waits_for_a_CPU(void **state)
{
    (void)state;
    struct flm_switches s = {0};
    struct flm_off_cpu_thread left;
    assert_true(flm_switches_begin(&s, 4, 5, 700));
    assert_true(flm_switches_find(&s, 5)->may_be_back); /* perhaps nobody records it */
    assert_true(came_back(&s, 5, &left));
    assert_int_equal(left.left_ns, 700);
    assert_int_equal(left.state, FLM_STATE_RUNNABLE);
    assert_true(flm_switches_begin(&s, 4, 6, FLM_NO_TIME));
    assert_false(came_back(&s, 6, &left));
    flm_switches_clear(&s);
}

static bool leave_and_return(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_switches s = {0};
    bool good = true;
    for (int32_t i = 1; i < 40 && good; i++)
        good = flm_switches_mark(&s, 1, i, i, 1, FLM_STATE_WAITING) &&
               flm_switches_leave(&s, 1, i, i + 1, false) &&
               flm_switches_begin(&s, 1, 200 + i, 100) && flm_switches_end(&s, 1, 200 + i, 100) &&
               flm_switches_end(&s, 1, 100 + i, 100) && flm_switches_forget(&s, i % 8 ? 0 : 200);
    flm_switches_clear(&s);
    return good || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(leave_and_return, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_off_CPU_from_leaving_to_coming_back),
        cmocka_unit_test(what_a_runtime_knows_is_of_the_last_mark),
        cmocka_unit_test(an_old_mark_is_not_the_stack_of_a_later_switch),
        cmocka_unit_test(a_thread_that_has_ended_is_not_off_CPU),
        cmocka_unit_test(ended_threads_are_forgotten_and_others_stay_off_CPU),
        cmocka_unit_test(the_state_is_that_of_the_mark_or_of_the_switch),
        cmocka_unit_test(a_wake_up_counts_once_and_only_while_the_thread_waits),
        cmocka_unit_test(a_new_thread_waits_for_a_CPU),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
