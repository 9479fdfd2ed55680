#include "format/gecko/write.h"

#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const gecko = &flm_format_gecko;
static const struct flm_read_options timed = {.keep_times = true};

/* The file of a profile; the caller clears it. */
static struct flm_text written(const struct flm_profile *p, uint32_t metric)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    const struct flm_write_options options = {.metric = {metric}};
    if (!flm_gecko_write(p, &options, &out, &why))
        fail_msg("%s", why.text);
    assert_false(out.failed);
    return out;
}

static struct flm_profile *reread(const struct flm_profile *p, uint32_t metric)
{
    struct flm_text out = written(p, metric);
    struct flm_profile *again = read_bytes(gecko, (struct flm_bytes){out.at, out.size}, &timed);
    flm_text_clear(&out);
    assert_sound(again);
    return again;
}

static void stacks_and_values_come_back(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\na;b 2\na;b;c 3.5\nd;b 4\n");
    struct flm_profile *again = reread(p, 0);
    assert_folded(again, "a 1\na;b 2\na;b;c 3.5\nd;b 4\n");
    flm_profile_free(again);
    flm_profile_free(p);
}

/* Times that had to be made up are not there when they are read. */
static void what_has_no_times_comes_back_without(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\na;b 2\n");
    struct flm_profile *again = reread(p, 0);
    assert_int_equal(again->sizes.metric_count, 1);
    for (uint32_t i = 0; i < again->sizes.sample_count; i++)
        assert_true(again->sample_time[i] == FLM_NO_TIME && flm_sample_duration(again, i) == 0);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void cpu_times_come_back(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "us");
    struct flm_node a = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "a", 1));
    flm_builder_sample(b, 1000000, a, (struct flm_label_set){0}, samples, 1);
    flm_builder_sample_add(b, cpu, 700);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    struct flm_profile *again = reread(p, 0);
    assert_true(flm_profile_total(again, flm_profile_metric_named(again, "cpu")) == 700);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void files_come_back(void **state)
{
    (void)state;
    static const char *const files[] = {"gecko/samply-style-v66.json", "gecko/firefox-59.json",
                                        "gecko/fxprof-from-perf-fp.json"};
    for (int i = 0; i < 3; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_profile *p = read_bytes(gecko, bytes, &timed);
        struct flm_profile *again = reread(p, 0);
        assert_int_equal(again->sizes.node_count, p->sizes.node_count);
        assert_int_equal(again->sizes.sample_count, p->sizes.sample_count);
        assert_int_equal(again->sizes.marker_count, p->sizes.marker_count);
        for (uint32_t k = 0; k < p->sizes.sample_count; k++)
            assert_true(again->sample_time[k] == p->sample_time[k]);
        assert_true(flm_profile_total(again, (struct flm_metric){0}) ==
                    flm_profile_total(p, (struct flm_metric){0}));
        flm_profile_free(again);
        flm_profile_free(p);
        free((void *)bytes.at);
    }
}

/* One sample of 12 ns and a pause after it, one that lasts longer than the interval, a marker with
 * details, a counter. */
static struct flm_profile *made(struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    struct flm_metric metric = flm_builder_metric(b, "on-CPU", "ns");
    struct flm_frame_record record = {.function = flm_builder_string(b, "g\"\n", 3).index,
                                      .module = flm_builder_string(b, "l.so", 4).index,
                                      .file = flm_builder_string(b, "g.c", 3).index,
                                      .line = 7,
                                      .kind = FLM_KIND_NATIVE};
    struct flm_string pairs[] = {flm_builder_string(b, "process", 7), flm_builder_string(b, "1", 1),
                                 flm_builder_string(b, "thread", 6), flm_builder_string(b, "2", 1)};
    struct flm_label_set set = flm_builder_label_set(b, pairs, 2);
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    flm_builder_sample(b, 1000000, node, set, metric, 12);
    flm_builder_sample_lasts(b, 2000000);
    flm_builder_sample(b, 9000000, node, set, metric, 1234567);
    flm_builder_sample_lasts(b, 5000000);
    flm_builder_marker(b, 2000000, 3000000, flm_builder_string(b, "exec", 4),
                       flm_builder_string(b, "cc", 2), set);
    struct flm_counter counter = flm_builder_counter(b, flm_builder_string(b, "rss", 3),
                                                     flm_builder_string(b, "bytes", 5), set);
    flm_builder_counter_point(b, counter, 1000000, 10);
    flm_builder_counter_point(b, counter, 2000000, 7);
    return flm_builder_finish(b, why);
}

static void times_markers_and_counters_come_back(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_profile *p = made(&why);
    struct flm_profile *again = reread(p, 0);
    assert_metric(again, 0, "on-CPU", "ns", 1234579, 1); /* whole numbers again */
    const struct flm_frame_record *g = frame_named(again, "g\"\n");
    assert_true(is_string(again, g->module, "l.so") && is_string(again, g->file, "g.c"));
    assert_int_equal(g->line, 7);
    assert_int_equal(again->sizes.sample_count, 2);
    assert_true(again->sample_time[0] == 1000000 && again->sample_time[1] == 9000000);
    assert_true(flm_sample_duration(again, 0) == 2000000);
    assert_true(flm_sample_duration(again, 1) == 5000000);
    assert_int_equal(again->sizes.loss_count, 0); /* pauses are no samples */
    assert_int_equal(again->sizes.marker_count, 1);
    assert_true(again->markers[0].duration_ns == 3000000);
    assert_true(is_string(again, again->markers[0].detail, "cc"));
    struct flm_counter_points points = flm_profile_counter(again, (struct flm_counter){0});
    assert_true(points.point_count == 2 && points.value[0] == 10 && points.value[1] == 7);
    flm_profile_free(again);

    struct flm_text out = written(p, 0);
    flm_text_putc(&out, 0);
    assert_non_null(strstr(out.at, "\"weightType\": \"tracing-ms\""));
    assert_non_null(strstr(out.at, "\"preprocessedProfileVersion\": 61"));
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void the_name_of_a_thread_is_not_a_frame_twice(void **state)
{
    (void)state;
    static const char text[] =
        "{\"threads\":[{\"name\":\"T\",\"stringArray\":[\"f\"],\"funcTable\":{\"name\":[0]},"
        "\"frameTable\":{\"func\":[0]},\"stackTable\":{\"frame\":[0],\"prefix\":[null]},"
        "\"samples\":{\"stack\":[0]}}]}";
    struct flm_profile *p = read_text(gecko, text), *again = reread(p, 0);
    assert_folded(again, "T;f 1\n");
    flm_profile_free(again);
    flm_profile_free(p);
}

/* Samples of a command whose stacks are not known: its name is all that they have. */
static void the_name_of_a_thread_may_be_the_whole_stack(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "samples");
    struct flm_frame_record name = {.function = flm_builder_string(b, "T", 1).index,
                                    .kind = FLM_KIND_LABEL};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &name));
    flm_builder_add(b, node, cpu, 2);
    node = flm_builder_child(b, node, flm_builder_function(b, "f", 1));
    flm_builder_add(b, node, cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL), *again = reread(p, 0);
    assert_folded(again, "T 2\nT;f 1\n");
    assert_metric(again, 0, "cpu", "samples", 3, 2);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void a_metric_without_values_is_an_empty_thread(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 2 0\nb 3 0\n");
    struct flm_profile *again = reread(p, 0);
    assert_true(flm_profile_total(again, (struct flm_metric){0}) == 0);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_profile *p = made(&why);
    assert_true(assert_writing_survives_failures(gecko, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_values_come_back),
        cmocka_unit_test(what_has_no_times_comes_back_without),
        cmocka_unit_test(cpu_times_come_back),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(times_markers_and_counters_come_back),
        cmocka_unit_test(the_name_of_a_thread_is_not_a_frame_twice),
        cmocka_unit_test(the_name_of_a_thread_may_be_the_whole_stack),
        cmocka_unit_test(a_metric_without_values_is_an_empty_thread),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
