#include "record/capture/priority.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cmocka.h>

static void a_raised_priority_is_restored(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0);
    bool may_rise = flm_priority_may_rise();
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
    assert_int_equal(flm_priority_raise(), before);
    int raised = getpriority(PRIO_PROCESS, 0);
    assert_true(may_rise ? raised <= FLM_PRIORITY_AHEAD : raised == before);
    flm_priority_restore(before);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

static void the_factor_grows_with_the_load_up_to_four(void **state)
{
    (void)state;
    static const struct {
        double load;
        long processors;
        size_t factor;
    } cases[] = {{0, 1, 1}, {1.9, 1, 1}, {2, 1, 2}, {7.9, 2, 2},
                 {8, 2, 4}, {100, 8, 4}, {15, 8, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flm_load_factor_of(cases[i].load, cases[i].processors), cases[i].factor);
    assert_in_range(flm_load_factor(), 1, 4);
}

static void *take_cpu(void *cpu)
{
    flm_priority_take_cpu(*(const int *)cpu);
    cpu_set_t cpus;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    bool is_alone = CPU_COUNT(&cpus) == 1 && CPU_ISSET((size_t) * (const int *)cpu, &cpus);
    return is_alone && sched_getcpu() == *(const int *)cpu ? cpu : NULL;
}

static void *step(void *cpu)
{
    flm_priority_take_cpu(*(const int *)cpu);
    int policy = sched_getscheduler(0);
    bool is_back = flm_priority_step_back();
    bool good = is_back == (policy == SCHED_FIFO) &&
                sched_getscheduler(0) == (is_back ? SCHED_OTHER : policy);
    if (is_back)
        flm_priority_step_forward();
    return good && sched_getscheduler(0) == policy ? cpu : NULL;
}

static void what_takes_long_does_not_come_first(void **state)
{
    (void)state;
    pthread_t thread;
    void *stepped;
    int cpu = sched_getcpu();
    assert_false(flm_priority_step_back()); /* we do not come first */
    assert_int_equal(pthread_create(&thread, NULL, step, &cpu), 0);
    pthread_join(thread, &stepped);
    assert_ptr_equal(stepped, &cpu);
}

static void a_thread_takes_a_CPU_and_others_keep_theirs(void **state)
{
    (void)state;
    pthread_t thread;
    void *taken;
    cpu_set_t before, after;
    int cpu = sched_getcpu(), policy = sched_getscheduler(0);
    int priority = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, take_cpu, &cpu), 0);
    pthread_join(thread, &taken);
    assert_ptr_equal(taken, &cpu);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    assert_int_equal(sched_getscheduler(0), policy);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), priority);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_raised_priority_is_restored),
        cmocka_unit_test(a_thread_takes_a_CPU_and_others_keep_theirs),
        cmocka_unit_test(what_takes_long_does_not_come_first),
        cmocka_unit_test(the_factor_grows_with_the_load_up_to_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
