#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/record/scenario.h"

static const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1100, 0x1201, 0x1301};
enum { CHAIN = sizeof chain / sizeof *chain, MS = 1000000 };

static void off_CPU_time_is_counted_where_the_thread_left(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    t.layouts.items.at[0].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    t.layouts.items.at[0].name = "context-switches";
    put_name(&t.records, 1, 1, 0, "app", false);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    put_sample(&t.records, 1, 1, 999, chain, CHAIN);
    put_switch(&t.records, 1, 1, 1000, true, false);
    put_switch(&t.records, 1, 1, 6000, false, false); /* 5000 ns, at the stack */
    put_switch(&t.records, 1, 1, 20000000, true, true);
    put_switch(&t.records, 1, 1, 20000700, false, false); /* 700 ns, runnable, nobody knows where */
    put_switch(&t.records, 1, 1, 20001000, true, false);
    put_lost(&t.records, 20001300, 12); /* until the end: 300 ns */
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "off-cpu", "app+0x100") == 5000);
    assert_true(self_of(p, "off-cpu", "[off-CPU: unknown stack]") == 1000);
    assert_true(has_label(p, "state", "sleeping") && has_label(p, "state", "runnable"));
    assert_true(lost(p, "events (ring buffer full)") == 12);
    struct flm_metric m = flm_profile_metric_named(p, "off-cpu");
    assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[m.index].unit), "ns"));
    assert_true(m.index > 0); /* what ran stays in front */
    /* A wait lasts from leaving to coming back; what runs is sampled at moments. */
    const int64_t *time = flm_profile_sample_times(p), *lasts = flm_profile_sample_durations(p);
    const double *off_cpu = flm_profile_sample_values(p, m);
    assert_non_null(lasts);
    for (uint32_t i = 0, waits = 0; i < flm_profile_sample_count(p); i++) {
        assert_true((double)lasts[i] == off_cpu[i]);
        if (lasts[i] == 5000)
            assert_int_equal(time[i], 1000);
        waits += lasts[i] > 0;
        assert_true(i + 1 < flm_profile_sample_count(p) || waits == 3);
    }
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Times as a damaged file has them: the longest wait that a time can name. */
static void a_wait_may_last_for_ever(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_name(&t.records, 1, 1, 0, "app", false);
    put_switch(&t.records, 1, 1, 1, true, false);
    put_switch(&t.records, 1, 1, INT64_MAX - 1, false, false);
    struct flm_profile *p = scenario_profile(&t);
    const int64_t *lasts = flm_profile_sample_durations(p);
    assert_int_equal(flm_profile_sample_count(p), 1);
    assert_true(lasts && lasts[0] > INT64_MAX - 2000);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void a_mark_of_leaving_the_CPU_is_no_sample(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    t.layouts.items.at[0].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    t.layouts.items.at[0].name = "context-switches";
    t.layouts.items.at[0].only_marks = true;
    put_name(&t.records, 1, 1, 0, "app", false);
    put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
    put_sample(&t.records, 1, 1, 999, chain, CHAIN);
    put_switch(&t.records, 1, 1, 1000, true, false);
    put_switch(&t.records, 1, 1, 6000, false, false);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "off-cpu", "app+0x100") == 5000);
    assert_int_equal(flm_profile_metric_named(p, "context-switches").index, FLM_NONE);
    flm_profile_free(p);
    scenario_clear(&t);
}

static double total_of(const struct flm_profile *p, const char *metric)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    assert_int_not_equal(m.index, FLM_NONE);
    return flm_profile_total(p, m);
}

/* Off-CPU time that was recorded is 0 where no thread waited: such a run is compared with
 * others. What was not recorded has no metric. */
static void no_wait_is_0_and_no_recording_is_no_metric(void **state)
{
    (void)state;
    for (int records = 0; records < 2; records++) {
        struct scenario t;
        scenario_init(&t);
        t.options.off_cpu = records;
        put_name(&t.records, 1, 1, 0, "app", false);
        put_map(&t.records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
        put_fork(&t.records, 1, 1, 2, 1, 1500);
        put_sample(&t.records, 1, 1, 2000, chain, CHAIN);
        struct flm_profile *p = scenario_profile(&t);
        struct flm_metric m = flm_profile_metric_named(p, "off-cpu");
        if (records) {
            assert_true(total_of(p, "off-cpu") == 0);
            assert_true(m.index > 0); /* what ran stays in front */
        } else {
            assert_int_equal(m.index, FLM_NONE);
        }
        flm_profile_free(p);
        scenario_clear(&t);
    }
}

/* The value of a counter at a time; -1 where it is not known. */
static double counter_at(const struct flm_profile *p, const char *name, int64_t time_ns)
{
    double value = -1;
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){i});
        if (!flm_bytes_are(flm_string_bytes(p, points.name.index), name))
            continue;
        for (uint32_t k = 0; k < points.point_count && points.time_ns[k] <= time_ns; k++)
            value = points.value[k];
    }
    return value;
}

/* Thread 1, sampled every ms from `from` to `until`. */
static void put_run(struct scenario *t, int64_t from, int64_t until)
{
    for (int64_t ms = from; ms < until; ms++)
        put_sample(&t->records, 1, 1, (uint64_t)ms * MS, chain, CHAIN);
}

static void switches_init(struct scenario *t)
{
    scenario_init(t);
    t->layouts.items.at[0].has_switches = true;
    put_name(&t->records, 1, 1, 0, "app", false);
    put_map(&t->records, 1, 0, 0x1000, 0x1000, 0, "/nowhere/app");
}

/* It left at 10 ms, the record of its coming was lost, and it ran from 40 ms on: how long it waited
 * is not known, but not until the end. */
static void a_thread_that_is_sampled_does_not_wait(void **state)
{
    (void)state;
    struct scenario t;
    switches_init(&t);
    put_run(&t, 1, 10);
    put_switch(&t.records, 1, 1, 10 * MS, true, false);
    put_run(&t, 40, 90);
    put_lost(&t.records, 90 * MS, 1);
    struct flm_profile *p = scenario_profile(&t);
    assert_int_equal(flm_profile_metric_named(p, "off-cpu").index, FLM_NONE);
    assert_true(counter_at(p, "processors busy", 25 * MS) == 0);
    assert_true(counter_at(p, "processors busy", 65 * MS) == 1);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Its coming was before the recording. */
static void a_thread_that_ran_from_the_start_is_busy_from_then_on(void **state)
{
    (void)state;
    struct scenario t;
    switches_init(&t);
    put_run(&t, 1, 50);
    put_switch(&t.records, 1, 1, 51 * MS, true, false);
    put_switch(&t.records, 1, 1, 81 * MS, false, false);
    put_run(&t, 82, 90);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(counter_at(p, "processors busy", 5 * MS) == 1);
    assert_true(counter_at(p, "processors busy", 65 * MS) == 0);
    assert_true(self_of(p, "off-cpu", "") == 30 * MS);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* A sample that is taken while the thread leaves is no sign that it is back. */
static void a_sample_within_the_switch_ends_no_wait(void **state)
{
    (void)state;
    struct scenario t;
    switches_init(&t);
    put_switch(&t.records, 1, 1, 10 * MS, true, false);
    put_sample(&t.records, 1, 1, 10 * MS + 500, chain, CHAIN);
    put_switch(&t.records, 1, 1, 110 * MS, false, false);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "off-cpu", "") == 100 * MS);
    flm_profile_free(p);
    scenario_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_CPU_time_is_counted_where_the_thread_left),
        cmocka_unit_test(a_wait_may_last_for_ever),
        cmocka_unit_test(a_mark_of_leaving_the_CPU_is_no_sample),
        cmocka_unit_test(no_wait_is_0_and_no_recording_is_no_metric),
        cmocka_unit_test(a_thread_that_is_sampled_does_not_wait),
        cmocka_unit_test(a_thread_that_ran_from_the_start_is_busy_from_then_on),
        cmocka_unit_test(a_sample_within_the_switch_ends_no_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
