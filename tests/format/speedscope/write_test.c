#include "format/speedscope/internal.h"

#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const speedscope = &flm_format_speedscope;

static struct flm_profile *written_and_read(const struct flm_profile *p, bool keep_times)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_speedscope_write(p, &(struct flm_write_options){0}, &text, &why))
        fail_msg("%s", why.text);
    assert_false(text.failed);
    struct flm_profile *back = read_bytes(speedscope, (struct flm_bytes){text.at, text.size},
                                          &(struct flm_read_options){.keep_times = keep_times});
    assert_sound(back);
    flm_text_clear(&text);
    return back;
}

static void stacks_and_values_come_back(void **state)
{
    (void)state;
    static const char folded[] = "a 1\na;b 2.5\na;b;a 3\nc;\"d\\\" 4\n";
    struct flm_profile *p = profile_of(folded), *back = written_and_read(p, false);
    assert_folded(back, folded);
    flm_profile_free(back);
    flm_profile_free(p);
    p = profile_of("");
    back = written_and_read(p, false);
    assert_folded(back, "");
    flm_profile_free(back);
    flm_profile_free(p);
}

static void threads_times_and_gaps_come_back(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("speedscope/profiles-first.json");
    struct flm_profile *p =
        read_bytes(speedscope, bytes, &(struct flm_read_options){.keep_times = true});
    struct flm_profile *back = written_and_read(p, true);
    assert_int_equal(back->sizes.sample_count, p->sizes.sample_count);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        assert_int_equal(back->sample_time[i], p->sample_time[i]);
        assert_int_equal(flm_sample_duration(back, i), flm_sample_duration(p, i));
    }
    assert_int_equal(back->sizes.metric_count, 3);
    assert_metric(back, 0, "time", "ms", 5.5, 2);
    assert_true(is_string(back, frame_named(back, "f")->file, ""));
    flm_profile_free(back);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static struct flm_string string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

/* Two metrics of one unit, and one of a unit that speedscope does not have. */
static struct flm_profile *with_metrics(bool has_samples)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric used = flm_builder_metric(b, "inuse_space", "bytes");
    struct flm_metric all = flm_builder_metric(b, "alloc_space", "bytes");
    struct flm_metric count = flm_builder_metric(b, "alloc_objects", "objects");
    struct flm_string labels[] = {string_of(b, "thread"), string_of(b, "worker")};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    if (has_samples) {
        struct flm_label_set set = flm_builder_label_set(b, labels, 1);
        flm_builder_sample(b, FLM_NO_TIME, node, set, used, 10);
        flm_builder_sample_add(b, all, 200);
        flm_builder_sample_add(b, count, 3);
    } else {
        flm_builder_add(b, node, used, 10);
        flm_builder_add(b, node, all, 200);
        flm_builder_add(b, node, count, 3);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static void metrics_of_one_unit_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flm_profile *p = with_metrics(i), *back = written_and_read(p, i);
        assert_int_equal(back->sizes.metric_count, 3);
        assert_metric(back, 0, "inuse_space", "bytes", 10, 1);
        assert_metric(back, 1, "alloc_space", "bytes", 200, 1);
        assert_metric(back, 2, "alloc_objects", "objects", 3, 1);
        char *text = described(back);
        if (i == 1)
            assert_non_null(strstr(text, "\"thread name\"=\"worker\""));
        assert_null(strstr(text, "worker ("));
        free(text);
        flm_profile_free(back);
        flm_profile_free(p);
    }
}

static void assert_written(const struct flm_profile *p, const char *part, bool is_there)
{
    struct flm_text text = {0};
    assert_true(flm_speedscope_write(p, &(struct flm_write_options){0}, &text, NULL));
    assert_int_equal(flm_bytes_contain((struct flm_bytes){text.at, text.size}, part), is_there);
    flm_text_clear(&text);
}

static void names_of_profiles_tell_metrics_apart(void **state)
{
    (void)state;
    struct flm_profile *p = with_metrics(true);
    assert_written(p, "\"name\": \"worker (alloc_space)\"", true);
    assert_written(p, "\"name\": \"worker (inuse_space)\"", true);
    flm_profile_free(p);
    p = with_metrics(false);
    assert_written(p, "\"name\": \"alloc_space\"", true);
    assert_written(p, "(alloc_space)", false);
    flm_profile_free(p);
    p = profile_of("a 1\n"); /* one metric */
    assert_written(p, "{\"metric\"", false);
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("speedscope/profiles-first.json");
    struct flm_profile *p =
        read_bytes(speedscope, bytes, &(struct flm_read_options){.keep_times = true});
    assert_true(assert_writing_survives_failures(speedscope, p) > 3);
    flm_profile_free(p);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_values_come_back),
        cmocka_unit_test(threads_times_and_gaps_come_back),
        cmocka_unit_test(metrics_of_one_unit_come_back),
        cmocka_unit_test(names_of_profiles_tell_metrics_apart),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
