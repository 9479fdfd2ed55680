#include "record/session/session_markers.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "record/session/session.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/record/scenario.h"

/* NULL where memory ran out. */
static struct flm_profile *profile_of_records(struct scenario *t, bool keep_times,
                                              const char *exit_status, struct flm_error *why)
{
    t->options.keep_times = keep_times;
    t->exit_status = exit_status;
    return scenario_try(t, why);
}

/* A shell that was there before, forks, and executes; its child starts a thread. */
static void put_some(struct scenario *t)
{
    struct records *r = &t->records;
    put_name(r, 10, 10, 0, "sh", false);
    put_map(r, 10, 0, 0x1000, 0x1000, 0, "/bin/sh");
    put_fork(r, 20, 10, 20, 10, 100);
    put_name(r, 20, 20, 200, "app", true);
    put_map(r, 20, 210, 0x5000, 0x1000, 0, "/usr/bin/app");
    put_map(r, 20, 220, 0x9000, 0x1000, 0, "/lib/ld.so");
    put_fork(r, 20, 20, 21, 20, 300);
    put_name(r, 20, 21, 310, "worker", false);
    put_exit(r, 20, 21, 400);
    put_exit(r, 20, 20, 500);
}

static void happened(const struct flm_profile *p, const char *expected)
{
    struct flm_text text = {0};
    assert_sound(p);
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *m = &p->markers[i];
        struct flm_bytes name = flm_string_bytes(p, m->name);
        struct flm_bytes detail = flm_string_bytes(p, m->detail);
        flm_text_format(&text, "%lld %.*s [%.*s]", (long long)m->time_ns, (int)name.size, name.at,
                        (int)detail.size, detail.at);
        for (uint32_t k = m->label_set ? p->label_set_ends[m->label_set - 1] : 0;
             k < p->label_set_ends[m->label_set]; k++) {
            flm_text_putc(&text, ' ');
            flm_text_add(&text, flm_string_bytes(p, p->labels[p->set_members[k]].value));
        }
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void what_happens_to_processes_and_threads_is_marked(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_some(&t);
    struct flm_profile *p = profile_of_records(&t, true, "3", NULL);
    happened(p, "100 fork [of 10] sh 20 20\n"
                "200 exec [/usr/bin/app] app 20 20\n"
                "300 thread start [app] app 20 21\n"
                "310 thread name [worker] worker 20 21\n"
                "400 thread exit [] worker 20 21\n"
                "500 exit [3] app 20 20\n");
    flm_profile_free(p);
    p = profile_of_records(&t, true, NULL, NULL);
    assert_int_equal(p->sizes.marker_count, 6);
    flm_profile_free(p);
    p = profile_of_records(&t, false, NULL, NULL); /* without times there is no when */
    assert_int_equal(p->sizes.marker_count, 0);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Of a program that is a script, or was not seen mapped, the name is known. */
static void without_a_mapping_the_name_is_the_program(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_name(&t.records, 20, 20, 200, "app", true);
    put_map(&t.records, 21, 210, 0x5000, 0x1000, 0, "/usr/bin/other");
    put_map(&t.records, 20, 210, 0x5000, 0x1000, 0, "//anon");
    put_map(&t.records, 20, 210, 0x5000, 0x1000, 0, "[vdso]");
    put_name(&t.records, 20, 20, 300, "next", true);
    struct flm_profile *p = profile_of_records(&t, true, NULL, NULL);
    assert_int_equal(p->sizes.marker_count, 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->markers[1].detail), "next"));
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Nanoseconds in all buckets. */
static double sum_of(const struct flm_busy *busy)
{
    double sum = 0;
    for (size_t i = 0; i < busy->busy_ns.count; i++)
        sum += busy->busy_ns.at[i];
    return sum;
}

static void busy_time_is_spread_over_buckets_of_bounded_number(void **state)
{
    (void)state;
    struct flm_busy busy = {0};
    assert_true(flm_busy_add(&busy, 1000, 25000000 + 1000));
    assert_int_equal(busy.busy_ns.count, 3);
    assert_true(busy.busy_ns.at[0] == 1e7 && busy.busy_ns.at[2] == 5e6);
    assert_true(flm_busy_add(&busy, 0, 500));                         /* before the first */
    assert_true(flm_busy_add(&busy, INT64_MAX - 1000000, INT64_MAX)); /* of a damaged file */
    assert_true(flm_busy_add(&busy, INT64_MIN + 1, 500));
    assert_true(flm_busy_add(&busy, 5001000, 5001000));
    assert_true(sum_of(&busy) == 25e6);
    for (int64_t at_ns = 0; at_ns < INT64_C(4000000000000); at_ns += 999999937)
        assert_true(flm_busy_add(&busy, at_ns, at_ns + 3));
    assert_true(busy.busy_ns.count <= 4096);
    assert_true(sum_of(&busy) == 25e6 + 4001 * 3.0 - 3); /* the first of them is before */
    assert_true(flm_busy_add(&busy, 5, INT64_MAX));      /* of a damaged file */
    assert_true(busy.busy_ns.count <= 4096);
    FLM_ARRAY_CLEAR(&busy.busy_ns);
}

static void switches_say_how_many_processors_are_busy(void **state)
{
    (void)state;
    enum { MS = 1000000 };
    struct scenario t;
    scenario_init(&t);
    put_name(&t.records, 1, 1, 0, "app", false);
    put_switch(&t.records, 1, 1, 100 * MS, false, false);
    put_switch(&t.records, 1, 2, 110 * MS, false, false);
    put_switch(&t.records, 1, 1, 120 * MS, true, false);
    put_switch(&t.records, 1, 2, 140 * MS, true, false);
    put_switch(&t.records, 1, 2, 170 * MS, false, false); /* it runs to the end */
    put_lost(&t.records, 175 * MS, 1);
    struct flm_profile *p = profile_of_records(&t, true, NULL, NULL);
    assert_int_equal(p->sizes.counter_count, 1);
    struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(flm_bytes_are(flm_string_bytes(p, c.name.index), "processors busy"));
    static const struct {
        int64_t ms;
        double value;
    } expected[] = {{100, 1}, {110, 2}, {120, 1}, {140, 0}, {170, 0.5}, {180, 0}};
    assert_int_equal(c.point_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(c.time_ns[i], expected[i].ms * MS);
        assert_true(c.value[i] == expected[i].value);
    }
    flm_profile_free(p);
    scenario_clear(&t);
}

static void samples_of_a_clock_say_it_too(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1100};
    /* A sample of 1000 ns each 1000 ns: 50 us of one processor, then of two. */
    for (uint64_t at = 1000; at <= 100000; at += 1000) {
        put_sample(&t.records, 1, 1, at, chain, 2);
        if (at > 50000)
            put_sample(&t.records, 1, 2, at, chain, 2);
    }
    put_sample(&t.records, 0, 0, 60000, chain, 2); /* idle */
    struct flm_profile *p = profile_of_records(&t, true, NULL, NULL);
    struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(c.value[0] == 150e3 / 10e6);
    assert_true(c.value[c.point_count - 1] == 0);
    flm_profile_free(p);
    scenario_clear(&t);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_profile *p = profile_of_records(context, true, "1", why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct scenario t;
    scenario_init(&t);
    put_some(&t);
    put_switch(&t.records, 20, 20, 600, false, false);
    put_switch(&t.records, 20, 20, 900, true, false);
    assert_survives_failures(make, &t);
    scenario_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happens_to_processes_and_threads_is_marked),
        cmocka_unit_test(without_a_mapping_the_name_is_the_program),
        cmocka_unit_test(busy_time_is_spread_over_buckets_of_bounded_number),
        cmocka_unit_test(switches_say_how_many_processors_are_busy),
        cmocka_unit_test(samples_of_a_clock_say_it_too),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
