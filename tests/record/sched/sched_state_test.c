#include "record/sched/sched_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void the_scheduler_knows_who_could_run(void **state)
{
    (void)state;
    static const struct {
        uint64_t prev_state;
        enum flm_sched_state expected;
    } cases[] = {{0, FLM_STATE_RUNNABLE},         {0x100, FLM_STATE_RUNNABLE}, /* R, R+ */
                 {0x400, FLM_STATE_RUNNABLE},     {1, FLM_STATE_INTERRUPTIBLE},
                 {2, FLM_STATE_UNINTERRUPTIBLE},  {4, FLM_STATE_INTERRUPTIBLE},
                 {0x80, FLM_STATE_INTERRUPTIBLE}, {0x402, FLM_STATE_UNINTERRUPTIBLE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flm_sched_state_of_scheduler(cases[i].prev_state), cases[i].expected);
}

static void functions_of_the_kernel_say_what_a_wait_is_for(void **state)
{
    (void)state;
    static const struct {
        const char *function;
        enum flm_sched_state expected;
    } cases[] = {{"futex_wait", FLM_STATE_LOCK},
                 {"futex_wait_queue_me", FLM_STATE_LOCK},
                 {"__mutex_lock.constprop.0", FLM_STATE_LOCK},
                 {"rwsem_down_read_slowpath", FLM_STATE_LOCK},
                 {"io_schedule_timeout", FLM_STATE_BLOCKED},
                 {"folio_wait_bit_common", FLM_STATE_BLOCKED},
                 {"wait_for_completion", FLM_STATE_BLOCKED},
                 {"wait_for_completion_interruptible", FLM_STATE_SLEEPING},
                 {"hrtimer_nanosleep", FLM_STATE_SLEEPING},
                 {"do_sigtimedwait.isra.0", FLM_STATE_SLEEPING},
                 {"do_waiter", FLM_STATE_RUNNING},
                 {"schedule", FLM_STATE_RUNNING},
                 {"schedule_timeout", FLM_STATE_RUNNING},
                 {"do_syscall_64", FLM_STATE_RUNNING},
                 {"", FLM_STATE_RUNNING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flm_sched_state_of_function(flm_bytes_of(cases[i].function)),
                         cases[i].expected);
}

static void both_together_decide(void **state)
{
    (void)state;
    static const struct {
        enum flm_sched_state known, by_stack, expected;
        bool assumed;
    } cases[] = {
        {FLM_STATE_RUNNABLE, FLM_STATE_LOCK, FLM_STATE_RUNNABLE, false},
        {FLM_STATE_WAITING, FLM_STATE_LOCK, FLM_STATE_LOCK, false},
        {FLM_STATE_WAITING, FLM_STATE_BLOCKED, FLM_STATE_BLOCKED, false},
        {FLM_STATE_WAITING, FLM_STATE_SLEEPING, FLM_STATE_SLEEPING, false},
        {FLM_STATE_WAITING, FLM_STATE_RUNNING, FLM_STATE_SLEEPING, true},
        {FLM_STATE_UNINTERRUPTIBLE, FLM_STATE_RUNNING, FLM_STATE_BLOCKED, false},
        {FLM_STATE_UNINTERRUPTIBLE, FLM_STATE_SLEEPING, FLM_STATE_BLOCKED, false},
        {FLM_STATE_UNINTERRUPTIBLE, FLM_STATE_LOCK, FLM_STATE_LOCK, false},
        {FLM_STATE_INTERRUPTIBLE, FLM_STATE_RUNNING, FLM_STATE_SLEEPING, false},
        {FLM_STATE_INTERRUPTIBLE, FLM_STATE_BLOCKED, FLM_STATE_BLOCKED, false},
        {FLM_STATE_INTERRUPTIBLE, FLM_STATE_LOCK, FLM_STATE_LOCK, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool assumed;
        assert_int_equal(flm_sched_state_decide(cases[i].known, cases[i].by_stack, &assumed),
                         cases[i].expected);
        assert_int_equal(assumed, cases[i].assumed);
    }
}

static void states_have_names(void **state)
{
    (void)state;
    assert_string_equal(flm_sched_state_name(FLM_STATE_RUNNING), "");
    assert_string_equal(flm_sched_state_name(FLM_STATE_RUNNABLE), "runnable");
    assert_string_equal(flm_sched_state_name(FLM_STATE_BLOCKED), "blocked");
    assert_string_equal(flm_sched_state_name(FLM_STATE_LOCK), "lock");
    assert_string_equal(flm_sched_state_name(FLM_STATE_SLEEPING), "sleeping");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scheduler_knows_who_could_run),
        cmocka_unit_test(functions_of_the_kernel_say_what_a_wait_is_for),
        cmocka_unit_test(both_together_decide),
        cmocka_unit_test(states_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
