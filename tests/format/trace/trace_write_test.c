#include "format/trace/trace_write.h"

#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"

static const struct flm_format *const trace = &flm_format_trace;
static const struct flm_read_options timed = {.keep_times = true};

static struct flm_text written(const struct flm_profile *p, const char *metric)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    const struct flm_write_options options = {.metric = flm_profile_metric_named(p, metric)};
    if (!flm_trace_write(p, &options, &out, &why))
        fail_msg("%s", why.text);
    assert_false(out.failed);
    return out;
}

static struct flm_profile *reread(const struct flm_profile *p, const char *metric)
{
    struct flm_text out = written(p, metric);
    struct flm_profile *again = read_bytes(trace, (struct flm_bytes){out.at, out.size}, &timed);
    flm_text_clear(&out);
    assert_sound(again);
    return again;
}

static void assert_written(const struct flm_profile *p, const char *metric, const char *part)
{
    struct flm_text out = written(p, metric);
    if (!flm_bytes_contain((struct flm_bytes){out.at, out.size}, part))
        fail_msg("%s is not in %.*s", part, (int)out.size, out.at);
    flm_text_clear(&out);
}

static void calls_last_as_long_as_their_samples(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 sleeping 2 310 main;usleep\n"
                                               "10 11 sleeping 312 8 main;poll\n"
                                               "10 11 sleeping 400 1 main;poll\n");
    struct flm_profile *again = reread(p, "off-cpu");
    assert_metric(again, 0, "time", "us", 319000, 2);
    assert_int_equal(again->sizes.sample_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(again->sample_time[i], p->sample_time[i]);
        assert_int_equal(again->sample_duration[i], p->sample_duration[i]);
    }
    assert_written(p, "off-cpu", "\"ts\": 5002000");
    flm_profile_free(again);
    flm_profile_free(p);
}

/* Moments of 1 ms: the first lasts until the second, which is not late; the second for its value,
 * since the third is far. */
static void moments_last_as_long_as_their_value(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 - 0 0 main;a\n"
                                               "10 11 - 1 0 main;b\n"
                                               "10 11 - 9 0 main;a\n");
    struct flm_profile *again = reread(p, "cpu");
    static const int64_t durations[] = {1000000, 1000000, 1000000};
    assert_int_equal(again->sizes.sample_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(again->sample_duration[i], durations[i]);
    flm_profile_free(again);
    flm_profile_free(p);
}

static struct flm_profile *moments(const char *unit, const int64_t *times, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", unit);
    for (size_t i = 0; i < count; i++) {
        char name[] = {(char)('a' + i)};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, 1));
        flm_builder_sample(b, times[i], node, (struct flm_label_set){0}, metric, 1000);
    }
    return flm_builder_finish(b, NULL);
}

static void assert_durations(const char *unit, const int64_t *times, size_t count,
                             const int64_t *expected)
{
    struct flm_profile *p = moments(unit, times, count), *again = reread(p, "m");
    assert_int_equal(again->sizes.sample_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(again->sample_duration[i], expected[i]);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void how_long_a_moment_lasts(void **state)
{
    (void)state;
    /* Of 1000 ns: until the next one if that is at most half as much later, or earlier. */
    assert_durations("ns", (int64_t[]){0, 1400, 2400, 2900, 9000}, 5,
                     (int64_t[]){1400, 1000, 500, 1000, 1000});
    /* Of bytes: until the next one, but at most 1.5 times the median, which is 100. */
    assert_durations("bytes", (int64_t[]){0, 100, 200, 320, 1000}, 5,
                     (int64_t[]){100, 100, 120, 150, 100});
    /* At one time: they divide it. */
    assert_durations("bytes", (int64_t[]){0, 0, 100, 200}, 4, (int64_t[]){50, 50, 100, 100});
    /* Nothing is known: they are there. */
    assert_durations("bytes", (int64_t[]){5}, 1, (int64_t[]){1});
    assert_durations("bytes", (int64_t[]){-1500, -400}, 2, (int64_t[]){1100, 1100});
}

static void threads_markers_and_counters_come_back(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 - 0 0 main;a\n"
                                               "20 21 - 1 0 main;b\n"
                                               "marker GC 200 50 young\n"
                                               "marker exec 3 0 cc1\n"
                                               "counter memory@20 250 40\n"
                                               "counter memory@20 260 0.5\n");
    struct flm_profile *again = reread(p, "cpu");
    char *text = described(again);
    assert_non_null(strstr(text, "\"process\"=\"10\""));
    assert_non_null(strstr(text, "\"thread\"=\"21\""));
    assert_int_equal(again->sizes.marker_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(again->markers[i].time_ns, p->markers[i].time_ns);
        assert_int_equal(again->markers[i].duration_ns, p->markers[i].duration_ns);
        assert_true(flm_bytes_equal(flm_string_bytes(again, again->markers[i].detail),
                                    flm_string_bytes(p, p->markers[i].detail)));
    }
    struct flm_counter_points points = flm_profile_counter(again, (struct flm_counter){0});
    assert_int_equal(points.point_count, 2);
    assert_true(points.value[1] == 0.5);
    free(text);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void what_is_written(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", "ns");
    struct flm_frame_record record = {.function = flm_builder_string(b, "a\"b", 3).index,
                                      .module = flm_builder_string(b, "app", 3).index,
                                      .file = flm_builder_string(b, "a.c", 3).index,
                                      .line = 7};
    struct flm_string labels[] = {flm_builder_string(b, "thread", 6),
                                  flm_builder_string(b, "worker", 6)};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    flm_builder_sample(b, 1234567, node, flm_builder_label_set(b, labels, 1), metric, 1001);
    flm_builder_marker(b, 5, 0, flm_builder_string(b, "gc", 2),
                       flm_builder_string(b, "{\"x\":1}", 7), (struct flm_label_set){0});
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_written(p, "m",
                   "{\"ph\": \"B\", \"name\": \"a\\\"b\", \"cat\": \"app\", \"pid\": 0, "
                   "\"tid\": 1000000000, \"ts\": 1234.567, \"file\": \"a.c\", \"line\": 7}");
    assert_written(p, "m", "\"ts\": 1235.568, \"args\": {}}");
    assert_written(p, "m",
                   "\"name\": \"thread_name\", \"pid\": 0, \"tid\": 1000000000, \"args\": "
                   "{\"name\": \"worker\"}}");
    assert_written(
        p, "m",
        "{\"ph\": \"i\", \"name\": \"gc\", \"pid\": 0, \"tid\": 0, \"ts\": 0.005, \"s\": \"g\", "
        "\"args\": {\"x\":1}}");
    flm_profile_free(p);
}

/* As GC threads of a Java VM, whose Java threads have names. */
static void a_thread_without_a_name_has_that_of_its_command(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    static const char *const threads[2][4] = {{"thread", "1", "thread name", "worker"},
                                              {"thread", "2", "command", "GC Thread#0"}};
    for (int i = 0; i < 2; i++) {
        struct flm_string labels[4];
        for (int k = 0; k < 4; k++)
            labels[k] = flm_builder_string(b, threads[i][k], strlen(threads[i][k]));
        flm_builder_sample(b, 1000 * i, node, flm_builder_label_set(b, labels, 2), metric, 10);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_written(p, "m", "\"tid\": 1, \"args\": {\"name\": \"worker\"}}");
    assert_written(p, "m", "\"tid\": 2, \"args\": {\"name\": \"GC Thread#0\"}}");
    flm_profile_free(p);
}

static void a_profile_without_times_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_false(flm_trace_write(p, &(struct flm_write_options){0}, &out, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "the profile has no times: write pprof"));
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* Of two metrics, one has only sums: the other one is named. */
static void a_metric_without_times_is_refused(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric calls = flm_builder_metric(b, "calls", "");
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, node, calls, 3);
    flm_builder_sample(b, 100, node, (struct flm_label_set){0}, cpu, 5);
    flm_builder_marker(b, 5, 0, flm_builder_string(b, "gc", 2), (struct flm_string){0},
                       (struct flm_label_set){0});
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out = {0};
    struct flm_error why = {0};
    struct flm_write_options options = {.metric = flm_profile_metric_named(p, "calls")};
    assert_false(flm_trace_write(p, &options, &out, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "no sample of the metric 'calls' has a time; those of other "
                                     "metrics have: cpu"));
    flm_text_clear(&out);
    assert_written(p, "cpu", "\"ts\": 0.1}");
    flm_profile_free(p);
}

/* As numbers of microseconds, those since 1970 would lose their last three digits. */
static void late_times_are_counted_from_their_first_second(void **state)
{
    (void)state;
    int64_t late = INT64_C(1795159566123456789);
    struct flm_profile *p = moments("ns", (int64_t[]){late, late + 5001}, 2);
    assert_written(p, "m", "{\n  \"baseTimeNanoseconds\": 1795159566000000000,\n");
    assert_written(p, "m", "\"ts\": 123456.789}");
    assert_written(p, "m", "\"ts\": 123461.79}");
    struct flm_profile *again = reread(p, "m");
    assert_int_equal(again->sample_time[0], late);
    assert_int_equal(again->sample_time[1], late + 5001);
    flm_profile_free(again);
    flm_profile_free(p);
    p = moments("ns", (int64_t[]){(INT64_C(1) << 53) - 1, late}, 2); /* nothing is rounded */
    assert_written(p, "m", "\"ts\": 9007199254740.991}");
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 - 0 0 main;a\n"
                                               "10 11 - 1 0 main;b\n"
                                               "marker GC 200 50 young\n"
                                               "counter memory 250 40\n");
    assert_true(assert_writing_survives_failures(&flm_format_trace, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_last_as_long_as_their_samples),
        cmocka_unit_test(moments_last_as_long_as_their_value),
        cmocka_unit_test(how_long_a_moment_lasts),
        cmocka_unit_test(threads_markers_and_counters_come_back),
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(a_thread_without_a_name_has_that_of_its_command),
        cmocka_unit_test(a_profile_without_times_is_refused),
        cmocka_unit_test(a_metric_without_times_is_refused),
        cmocka_unit_test(late_times_are_counted_from_their_first_second),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
