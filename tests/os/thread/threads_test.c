#include "os/thread/threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/core/allocation.h"

struct counted {
    atomic_int done[200];
    atomic_int now, most;
    pthread_t caller;
    atomic_int by_caller;
};

static void count(void *context, size_t i)
{
    struct counted *c = context;
    int now = ++c->now, most = c->most;
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now))
        ;
    c->done[i]++;
    c->by_caller += pthread_equal(pthread_self(), c->caller) != 0;
    c->now--;
}

static void all_work_is_done_once(void **state)
{
    (void)state;
    for (int threads = 0; threads < 9; threads++) {
        for (size_t work = 0; work < 200; work += work < 5 ? 1 : 39) {
            struct counted c = {.caller = pthread_self()};
            flm_threads_run(threads, work, count, &c);
            for (size_t i = 0; i < 200; i++)
                assert_int_equal(c.done[i], i < work);
            assert_true(c.most <= (threads > 1 ? threads : 1));
            if (threads <= 1)
                assert_int_equal(c.by_caller, work);
        }
    }
}

static void keep_thread(void *context, size_t i)
{
    ((pthread_t *)context)[i] = pthread_self();
}

/* It reports progress, so it must have its part, however busy the machine is. */
static void the_first_is_done_by_the_caller(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        pthread_t thread[2];
        flm_threads_run(8, 2, keep_thread, thread);
        assert_true(pthread_equal(thread[0], pthread_self()));
    }
}

static void threads_that_cannot_be_had_are_not_needed(void **state)
{
    (void)state;
    struct counted c = {.caller = pthread_self()};
    allocation_fail_from(1);
    flm_threads_run(8, 100, count, &c);
    allocation_fail_from(0);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(c.done[i], 1);
}

static void there_is_a_processor(void **state)
{
    (void)state;
    assert_true(flm_processor_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_work_is_done_once),
        cmocka_unit_test(the_first_is_done_by_the_caller),
        cmocka_unit_test(threads_that_cannot_be_had_are_not_needed),
        cmocka_unit_test(there_is_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
