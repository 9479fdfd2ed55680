#include "format/core/async_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"

static bool begin(struct flm_async_events *events, uint64_t key, int64_t time_ns)
{
    return flm_async_begin(events, &(struct flm_async_event){.key = key, .time_ns = time_ns});
}

static int64_t end(struct flm_async_events *events, uint64_t key)
{
    struct flm_async_event event;
    return flm_async_end(events, key, &event) ? event.time_ns : -1;
}

static void events_of_one_key_nest(void **state)
{
    (void)state;
    struct flm_async_events events = {0};
    assert_true(begin(&events, 7, 1) && begin(&events, 8, 2) && begin(&events, 7, 3));
    assert_int_equal(end(&events, 7), 3);
    assert_int_equal(end(&events, 7), 1);
    assert_int_equal(end(&events, 7), -1);
    assert_int_equal(end(&events, 9), -1);
    assert_true(begin(&events, 7, 4));
    assert_int_equal(end(&events, 7), 4);
    assert_int_equal(events.begun.count, 4);
    assert_int_equal(events.begun.at[1].time_ns, 2); /* without an end */
    assert_int_equal(events.begun.at[2].time_ns, FLM_NO_TIME);
    flm_async_clear(&events);
}

static bool begin_many(void *context, struct flm_error *why)
{
    struct flm_async_events events = {0};
    bool good = true;
    (void)context;
    for (uint64_t i = 0; i < 40 && good; i++)
        good = begin(&events, i / 2, (int64_t)i);
    flm_async_clear(&events);
    return good || flm_error_memory(why);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(begin_many, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_one_key_nest),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
