#include "record/symbols/symbolized_session.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "record/symbols/internal.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/record/records.h"
#include "symbol/registry/preloader.h"

enum { PROCESS = 7 };

/* A session that gets events as they come. */
struct scenario {
    struct flm_event_layouts layouts;
    struct flm_session *session;
};

static void scenario_init(struct scenario *t)
{
    const struct flm_session_options options = {.keep_times = false};
    *t = (struct scenario){.session = NULL};
    records_layout(&t->layouts, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
    t->session = flm_session_new(&options, NULL);
    assert_non_null(t->session);
}

static void scenario_clear(struct scenario *t)
{
    flm_session_free(t->session);
    flm_event_layouts_clear(&t->layouts);
}

static void tell(struct scenario *t, struct records *records)
{
    records_each(records, &t->layouts, flm_session_add, t->session);
    records_clear(records);
}

static struct flm_profile *take(struct scenario *t, int64_t until_ns, struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    if (flm_session_take(t->session, until_ns, builder, why))
        return flm_builder_finish(builder, why);
    flm_builder_free(builder);
    return NULL;
}

static struct flm_profile *taken(struct scenario *t, int64_t until_ns)
{
    struct flm_error why = {0};
    struct flm_profile *p = take(t, until_ns, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static double total_of(const struct flm_profile *p, const char *metric)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    return m.index == FLM_NONE ? -1 : flm_profile_total(p, m);
}

/* So many samples at one of some stacks that do not lie in any file. */
static void sample(struct scenario *t, uint64_t *time, unsigned seed, unsigned count)
{
    struct records r = {0};
    for (unsigned i = 0; i < count; i++) {
        const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1000 + 16 * ((seed + i) % 5), 0x2000,
                                  0x3000 + 16 * (i % 2)};
        put_sample(&r, PROCESS, PROCESS, *time += 1000, chain, 4);
    }
    tell(t, &r);
}

static void intervals_add_up_to_one_profile(void **state)
{
    (void)state;
    struct scenario whole, parts;
    const struct flm_profile *region[4];
    uint64_t time = 0, again = 0;
    scenario_init(&whole);
    scenario_init(&parts);
    for (unsigned i = 0; i < 4; i++) {
        sample(&whole, &time, i, 10 * i + 1);
        sample(&parts, &again, i, 10 * i + 1);
        region[i] = taken(&parts, FLM_NO_TIME);
        assert_true(total_of(region[i], "samples") == 10 * i + 1);
    }
    struct flm_profile *all = taken(&whole, FLM_NO_TIME);
    struct flm_profile *sum = flm_align(region, 4, FLM_ALIGN_ADD, NULL, NULL);
    char *expected = folded_of(all);
    assert_folded(sum, expected);
    assert_true(total_of(sum, "samples") == total_of(all, "samples"));
    assert_true(total_of(sum, "cpu-clock") == total_of(all, "cpu-clock"));
    free(expected);
    flm_profile_free(sum);
    flm_profile_free(all);
    for (unsigned i = 0; i < 4; i++) {
        union {
            const struct flm_profile *shown;
            struct flm_profile *owned;
        } p = {region[i]};
        flm_profile_free(p.owned);
    }
    scenario_clear(&whole);
    scenario_clear(&parts);
}

static void taking_a_profile_leaves_no_samples(void **state)
{
    (void)state;
    struct scenario t;
    uint64_t time = 0;
    scenario_init(&t);
    for (unsigned i = 0; i < 50; i++) {
        sample(&t, &time, 0, 100);
        flm_profile_free(taken(&t, FLM_NO_TIME));
        assert_int_equal(t.session->aggregation.samples.count, 0);
        assert_int_equal(t.session->stacks.nodes.count, 1); /* the root */
        assert_int_equal(t.session->locations.locations.count, 0);
        assert_int_equal(t.session->labels.items.count, 0);
        assert_int_equal(flm_session_counts(t.session).samples, 100 * (i + 1));
    }
    scenario_clear(&t);
}

/* A build: a shell starts one compiler after the other, which is sampled and ends. */
static void compile_one(struct records *r, int id, uint64_t *time)
{
    const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1010, 0x9010};
    char name[16], library[32];
    snprintf(name, sizeof name, "cc %d", id);
    snprintf(library, sizeof library, "/nowhere/test-%d", id);
    put_fork(r, id, 1, id, 1, *time += 1000000);
    put_name(r, id, id, *time += 1000000, name, true);
    put_map(r, id, *time += 1000000, 0x1000, 0x1000, 0, "/nowhere/cc");
    put_map(r, id, *time += 1000000, 0x9000, 0x1000, 0, library);
    put_sample(r, id, id, *time += 1000000, chain, 3);
    put_switch(r, id, id, *time += 1000000, true, false);
    put_exit(r, id, id, *time += 1000000);
}

static void many_short_processes_leave_no_more_than_a_few(void **state)
{
    (void)state;
    enum { COUNT = 20000, PIECE = 100, RECENT = 600 }; /* 143 a second */
    struct scenario t;
    struct records r = {0};
    uint64_t time = 0;
    scenario_init(&t);
    put_name(&r, 1, 1, 0, "sh", false);
    for (int i = 1; i <= COUNT; i++) {
        compile_one(&r, 1 + i, &time);
        if (i % PIECE)
            continue;
        tell(&t, &r);
        struct flm_profile *p = taken(&t, (int64_t)time);
        assert_true(total_of(p, "samples") == PIECE);
        flm_profile_free(p);
        struct flm_session_kept kept = flm_session_kept(t.session);
        assert_true(kept.processes <= RECENT && kept.threads <= RECENT && kept.names <= RECENT);
        assert_true(kept.off_cpu <= RECENT);
        assert_int_equal(kept.labels, 0);
        assert_true(kept.modules.modules <= RECENT + FLM_MODULE_ROUNDS * PIECE);
        assert_true(kept.modules.requests <= 2 * (RECENT + FLM_MODULE_ROUNDS * PIECE));
    }
    scenario_clear(&t);
}

static void without_taking_only_what_was_sampled_is_kept(void **state)
{
    (void)state;
    enum { COUNT = 5000, RECENT = 600 };
    struct scenario t;
    struct records r = {0};
    uint64_t time = 0;
    scenario_init(&t);
    put_name(&r, 1, 1, 0, "sh", false);
    for (int i = 1; i <= COUNT; i++) {
        compile_one(&r, 1 + i, &time);
        tell(&t, &r);
        struct flm_session_kept kept = flm_session_kept(t.session);
        assert_true(kept.processes <= RECENT && kept.threads <= RECENT);
        assert_true(kept.off_cpu <= RECENT);
    }
    struct flm_profile *p = taken(&t, FLM_NO_TIME);
    assert_true(total_of(p, "samples") == COUNT); /* those of processes that are gone too */
    flm_profile_free(p);
    scenario_clear(&t);
}

static void run_program(struct records *r, int id, uint64_t *time, const char *path)
{
    const uint64_t chain[] = {PERF_CONTEXT_USER, 0x10010};
    put_map(r, id, *time += 1000, 0x10000, 0x1000, 0, path);
    put_sample(r, id, id, *time += 1000, chain, 2);
}

static void symbol_tables_are_made_before_an_interval_is_taken(void **state)
{
    (void)state;
    struct scenario t;
    struct records r = {0};
    uint64_t time = 0;
    scenario_init(&t);
    assert_true(flm_session_prepare(t.session)); /* nothing was sampled */
    run_program(&r, 5, &time, "/proc/self/exe");
    tell(&t, &r);
    assert_false(flm_session_prepare(t.session));
    flm_preloader_wait(flm_session_symbols(t.session)->preloader);
    assert_true(flm_session_prepare(t.session));
    assert_int_equal(flm_session_kept(t.session).modules.code_tables, 1);
    run_program(&r, 6, &time, "/bin/sh");
    tell(&t, &r);
    assert_false(flm_session_prepare(t.session));
    struct flm_profile *p = taken(&t, FLM_NO_TIME); /* which waits for it */
    assert_true(total_of(p, "samples") == 2);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void an_interval_without_samples_still_has_the_metrics(void **state)
{
    (void)state;
    struct scenario t;
    uint64_t time = 0;
    scenario_init(&t);
    sample(&t, &time, 0, 3);
    struct flm_profile *first = taken(&t, FLM_NO_TIME), *empty = taken(&t, FLM_NO_TIME);
    assert_int_equal(flm_profile_node_count(empty), 1);
    assert_true(total_of(empty, "cpu-clock") == 0);
    assert_true(total_of(empty, "samples") == 0);
    assert_int_equal(flm_profile_metric_named(empty, "cpu-clock").index,
                     flm_profile_metric_named(first, "cpu-clock").index);
    flm_profile_free(first);
    flm_profile_free(empty);
    scenario_clear(&t);
}

static void losses_are_those_of_the_interval(void **state)
{
    (void)state;
    struct scenario t;
    struct records r = {0};
    uint64_t time = 0;
    scenario_init(&t);
    sample(&t, &time, 0, 1);
    put_lost(&r, time += 1000, 40);
    tell(&t, &r);
    struct flm_profile *first = taken(&t, FLM_NO_TIME);
    assert_true(first->sizes.loss_count > 0);
    put_lost(&r, time += 1000, 2);
    put_fork(&r, PROCESS, PROCESS, PROCESS + 1, PROCESS, time += 1000);
    tell(&t, &r);
    sample(&t, &time, 0, 1);
    struct flm_profile *second = taken(&t, FLM_NO_TIME);
    double lost = 0;
    for (uint32_t i = 0; i < second->sizes.loss_count; i++)
        if (flm_bytes_are(flm_string_bytes(second, second->losses[i].what),
                          "events (ring buffer full)"))
            lost += second->losses[i].count;
    assert_true(lost == 2);
    assert_int_equal(flm_session_counts(t.session).lost, 42);
    assert_int_equal(flm_session_counts(t.session).tasks_begun, 1);
    flm_profile_free(first);
    flm_profile_free(second);
    scenario_clear(&t);
}

/* The thread's location was seen in an earlier region, and each region has its share of the
 * time. */
static void off_CPU_time_continues_at_its_stack(void **state)
{
    (void)state;
    struct scenario t;
    struct records r = {0};
    struct flm_event_layouts switches = {0};
    const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1230, 0x2340};
    scenario_init(&t);
    records_layout(&switches, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
                   "context-switches");
    switches.items.at[0].only_marks = true;
    put_sample(&r, PROCESS, PROCESS, 1000, chain, 3);
    records_each(&r, &switches, flm_session_add, t.session);
    records_clear(&r);
    put_switch(&r, PROCESS, PROCESS, 1001, true, false);
    tell(&t, &r);
    struct flm_profile *first = taken(&t, 5001), *second = taken(&t, 6001);
    put_switch(&r, PROCESS, PROCESS, 6501, false, false);
    tell(&t, &r);
    struct flm_profile *third = taken(&t, FLM_NO_TIME), *fourth = taken(&t, 9000);
    assert_true(total_of(first, "off-cpu") == 4000);
    assert_true(total_of(first, "samples") == 0); /* a mark is none */
    assert_int_equal(flm_session_counts(t.session).samples, 0);
    assert_true(total_of(second, "off-cpu") == 1000);
    assert_true(total_of(third, "off-cpu") == 500);
    assert_true(total_of(fourth, "off-cpu") <= 0);
    assert_int_equal(flm_profile_node_count(first), flm_profile_node_count(third));
    assert_true(flm_profile_node_count(third) > 2); /* a stack, and no label alone */
    flm_profile_free(first);
    flm_profile_free(second);
    flm_profile_free(third);
    flm_profile_free(fourth);
    flm_event_layouts_clear(&switches);
    scenario_clear(&t);
}

struct failing {
    struct flm_event_layouts *layouts;
    struct records records; /* a sample, and waiting that begins there */
};

/* After a failure a session is asked nothing more. */
static bool work(void *context, struct flm_error *why)
{
    struct failing *f = context;
    const struct flm_session_options options = {.keep_times = false};
    struct flm_session *s = flm_session_new(&options, why);
    bool good = s;
    for (int i = 0; good && i < 2; i++) {
        for (size_t at = 0, size; good && at < f->records.bytes.size; at += size) {
            struct flm_event event;
            char *record = f->records.bytes.at + at;
            size = flm_record_header(record, false).size;
            good = flm_event_decode(f->layouts, record, size, at, &event, why) &&
                   flm_session_add(s, &event, why);
        }
        struct flm_builder *builder = good ? flm_builder_new(why) : NULL;
        struct flm_profile *p = NULL;
        if (builder && flm_session_take(s, 5000, builder, why))
            p = flm_builder_finish(builder, why);
        else
            flm_builder_free(builder);
        good = p;
        flm_profile_free(p);
    }
    flm_session_free(s);
    return good;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1000, 0x2000};
    struct flm_event_layouts layouts = {0};
    struct failing f = {.layouts = &layouts};
    /* Each sample is one of a switch too: where the thread waits from then on. */
    records_layout(&layouts, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
                   "context-switches");
    put_sample(&f.records, PROCESS, PROCESS, 1000, chain, 3);
    put_switch(&f.records, PROCESS, PROCESS, 1001, true, false);
    assert_true(assert_survives_failures(work, &f) > 10);
    records_clear(&f.records);
    flm_event_layouts_clear(&layouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_add_up_to_one_profile),
        cmocka_unit_test(taking_a_profile_leaves_no_samples),
        cmocka_unit_test(many_short_processes_leave_no_more_than_a_few),
        cmocka_unit_test(without_taking_only_what_was_sampled_is_kept),
        cmocka_unit_test(symbol_tables_are_made_before_an_interval_is_taken),
        cmocka_unit_test(an_interval_without_samples_still_has_the_metrics),
        cmocka_unit_test(losses_are_those_of_the_interval),
        cmocka_unit_test(off_CPU_time_continues_at_its_stack),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
