#include "record/session/order.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/record/records.h"

struct seen {
    int64_t times[64];
    size_t count;
};

static bool see(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)why;
    struct seen *seen = context;
    assert_true(seen->count < 64);
    seen->times[seen->count++] = event->time_ns;
    return true;
}

static void put_at(struct records *r, uint64_t time)
{
    const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1000};
    put_sample(r, 1, 1, time, chain, 2);
}

static bool add_all(struct flm_order *order, struct records *r, struct flm_error *why)
{
    for (size_t at = 0; at < r->bytes.size;) {
        size_t size = flm_record_header(r->bytes.at + at, false).size;
        if (!flm_event_order_add(order, r->bytes.at + at, size, at, why))
            return false;
        at += size;
    }
    return true;
}

static struct flm_order *new_order(struct flm_event_layouts *layouts, struct seen *seen)
{
    records_layout(layouts, PERF_TYPE_SOFTWARE, 0, "cpu-clock");
    struct flm_order *order = flm_event_order_new(layouts, see, seen, NULL);
    assert_non_null(order);
    return order;
}

static void assert_times(const struct seen *seen, const int64_t *times, size_t count)
{
    assert_int_equal(seen->count, count);
    assert_memory_equal(seen->times, times, count * sizeof *times);
}

static void events_come_in_the_order_of_time_once_nothing_older_can_come(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = {0};
    struct seen seen = {0};
    struct flm_order *order = new_order(&layouts, &seen);
    struct records r = {0};
    put_at(&r, 30);
    put_at(&r, 50);
    put_at(&r, 10);
    put_at(&r, 20);
    put_round(&r); /* another ring may still have what is older than 50 */
    assert_true(add_all(order, &r, NULL));
    assert_int_equal(seen.count, 0);
    records_clear(&r);
    put_at(&r, 40);
    put_at(&r, 60);
    put_round(&r);
    assert_true(add_all(order, &r, NULL));
    assert_times(&seen, (const int64_t[]){10, 20, 30, 40, 50}, 5);
    assert_true(flm_event_order_finish(order, NULL));
    assert_times(&seen, (const int64_t[]){10, 20, 30, 40, 50, 60}, 6);
    assert_int_equal(flm_event_order_late(order), 0);
    records_clear(&r);
    flm_event_order_free(order);
    flm_event_layouts_clear(&layouts);
}

static void events_of_one_time_keep_their_order(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = {0};
    struct seen seen = {0};
    struct flm_order *order = new_order(&layouts, &seen);
    struct records r = {0};
    put_name(&r, 1, 1, 5, "a", false);
    put_at(&r, 5);
    put_name(&r, 1, 1, 5, "b", false);
    assert_true(add_all(order, &r, NULL));
    assert_true(flm_event_order_finish(order, NULL));
    assert_int_equal(seen.count, 3);
    records_clear(&r);
    flm_event_order_free(order);
    flm_event_layouts_clear(&layouts);
}

static void a_full_queue_passes_on_its_older_half(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = {0};
    struct seen seen = {0};
    struct flm_order *order = new_order(&layouts, &seen);
    flm_event_order_limit(order, 300);
    struct records r = {0};
    for (uint64_t i = 0; i < 20; i++)
        put_at(&r, 100 + i);
    put_at(&r, 0); /* perf's own: of no time */
    put_at(&r, 1); /* much too late */
    assert_true(add_all(order, &r, NULL));
    assert_true(seen.count >= 10);
    assert_true(flm_event_order_finish(order, NULL));
    assert_int_equal(seen.count, 22);
    assert_int_equal(flm_event_order_late(order), 1);
    records_clear(&r);
    flm_event_order_free(order);
    flm_event_layouts_clear(&layouts);
}

static void records_that_are_too_short_are_counted(void **state)
{
    (void)state;
    struct flm_event_layouts layouts = {0};
    struct seen seen = {0};
    struct flm_order *order = new_order(&layouts, &seen);
    struct records r = {0};
    put_at(&r, 1);
    size_t first = r.bytes.size;
    record_begin(&r, PERF_RECORD_SAMPLE, 0);
    put64(&r, 1);
    record_end(&r);
    put_at(&r, 3);
    assert_true(add_all(order, &r, NULL));
    assert_true(flm_event_order_finish(order, NULL));
    assert_int_equal(seen.count, 2);
    assert_int_equal(flm_event_order_damage(order).count, 1);
    assert_int_equal(flm_event_order_damage(order).first_offset, first);
    records_clear(&r);
    flm_event_order_free(order);
    flm_event_layouts_clear(&layouts);
}

struct work {
    struct flm_event_layouts layouts;
    struct records records;
};

static bool order_them(void *context, struct flm_error *why)
{
    struct work *w = context;
    struct seen seen = {0};
    struct flm_order *order = flm_event_order_new(&w->layouts, see, &seen, why);
    bool good = order && add_all(order, &w->records, why) && flm_event_order_finish(order, why);
    if (good)
        assert_int_equal(seen.count, 20);
    flm_event_order_free(order);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct work w = {0};
    records_layout(&w.layouts, PERF_TYPE_SOFTWARE, 0, "cpu-clock");
    for (uint64_t i = 0; i < 20; i++) {
        put_at(&w.records, 100 - i);
        if (i % 7 == 6)
            put_round(&w.records);
    }
    assert_survives_failures(order_them, &w);
    records_clear(&w.records);
    flm_event_layouts_clear(&w.layouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_the_order_of_time_once_nothing_older_can_come),
        cmocka_unit_test(events_of_one_time_keep_their_order),
        cmocka_unit_test(a_full_queue_passes_on_its_older_half),
        cmocka_unit_test(records_that_are_too_short_are_counted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
