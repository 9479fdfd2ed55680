#include "format/perf/event_metrics.h"

#include "profile/internal.h"
#include "support/profile/perf_reading.h"

static struct flm_metric find(struct flm_perf_events *events, const char *name, bool has_period)
{
    return flm_perf_events_find(events, flm_bytes_of(name), has_period);
}

static bool is_metric(const struct flm_builder *b, uint32_t m, const char *name, const char *unit)
{
    return m < b->metric_count &&
           flm_bytes_are(flm_interner_text(&b->interner, b->metrics[m].name), name) &&
           flm_bytes_are(flm_interner_text(&b->interner, b->metrics[m].unit), unit);
}

static void samples_is_the_last_metric(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_perf_events events = {.builder = b};
    struct flm_node root = flm_builder_root(b);
    flm_builder_add(b, root, find(&events, "cycles", true), 10);
    flm_builder_add(b, root, flm_perf_events_samples(&events), 1);
    flm_builder_add(b, root, find(&events, "faults", true), 20);
    flm_builder_add(b, root, find(&events, "cycles", true), 30);
    flm_builder_add(b, root, flm_perf_events_samples(&events), 2);
    flm_builder_add(b, root, find(&events, "faults", true), 40);

    assert_int_equal(b->metric_count, 3);
    assert_true(is_metric(b, 0, "cycles", "count") && b->metrics[0].self[0] == 40);
    assert_true(is_metric(b, 1, "faults", "count") && b->metrics[1].self[0] == 60);
    assert_true(is_metric(b, 2, "samples", "samples") && b->metrics[2].self[0] == 3);
    flm_perf_events_clear(&events);
    flm_builder_free(b);
}

static void clocks_count_nanoseconds_and_nothing_else_does(void **state)
{
    (void)state;
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("cpu-clock")), "ns");
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("cpu-clock:u")), "ns");
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("task-clock:ppp")), "ns");
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("live")), "bytes");
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("cpu-clocks")), "count");
    assert_string_equal(flm_perf_event_unit(flm_bytes_of("sched:cpu-clock")), "count");
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_perf_events events = {.builder = b};
    find(&events, "cpu-clock", false);
    assert_true(is_metric(b, 0, "cpu-clock", "samples"));
    flm_perf_events_clear(&events);
    flm_builder_free(b);
}

static void there_is_an_end_to_events(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_perf_events events = {.builder = b};
    char name[20];
    for (int i = 0; i < FLM_PERF_MOST_EVENTS; i++) {
        snprintf(name, sizeof name, "event%d", i);
        assert_int_equal(find(&events, name, true).index, i);
    }
    assert_int_equal(find(&events, "one more", true).index, FLM_NONE);
    assert_int_equal(find(&events, "event7", true).index, 7);
    assert_int_equal(flm_perf_events_samples(&events).index, FLM_PERF_MOST_EVENTS);
    assert_false(flm_builder_failed(b));
    flm_perf_events_clear(&events);
    flm_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_is_the_last_metric),
        cmocka_unit_test(clocks_count_nanoseconds_and_nothing_else_does),
        cmocka_unit_test(there_is_an_end_to_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
