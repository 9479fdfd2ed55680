#include "os/thread/condition.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "os/clock.h"

/* By the time of day this deadline would be decades ago, and the wait would end at once. */
static void waits_last_until_the_deadline(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;
    int64_t end_ns = flm_now_ns() + 20000000;
    struct timespec deadline = flm_deadline(20000000);
    int result = 0;
    flm_condition_init(&never);
    pthread_mutex_lock(&lock);
    while (result == 0)
        result = pthread_cond_timedwait(&never, &lock, &deadline);
    pthread_mutex_unlock(&lock);
    assert_int_equal(result, ETIMEDOUT);
    assert_true(flm_now_ns() >= end_ns);
    pthread_cond_destroy(&never);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_last_until_the_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
