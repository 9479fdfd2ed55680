#include "format/otlp/otlp_write.h"

#include "format/core/units.h"
#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"

static const struct flm_format *const otlp = &flm_format_otlp;
static const struct flm_read_options timed = {.keep_times = true, .locations = true, .lines = true};

static struct flm_text written_as(const struct flm_format *format, const struct flm_profile *p)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!format->write(p, &(struct flm_write_options){0}, &out, &why))
        fail_msg("%s", why.text);
    assert_false(out.failed);
    return out;
}

/* As JSON it is the same profile. */
static void assert_same_as_json(const struct flm_profile *p, const struct flm_profile *again)
{
    struct flm_text out = written_as(&flm_format_otlp_json, p);
    struct flm_bytes bytes = {out.at, out.size};
    assert_int_equal(otlp->sniff(bytes, true), FLM_SNIFF_SURE);
    struct flm_profile *other = read_bytes(otlp, bytes, &timed);
    assert_profiles_equal(other, again);
    flm_profile_free(other);
    flm_text_clear(&out);
}

static struct flm_profile *reread(const struct flm_profile *p)
{
    struct flm_text out = written_as(otlp, p);
    struct flm_bytes bytes = {out.at, out.size};
    assert_int_equal(otlp->sniff(bytes, true), FLM_SNIFF_MAGIC);
    struct flm_profile *again = read_bytes(otlp, bytes, &timed);
    flm_text_clear(&out);
    assert_sound(again);
    assert_same_as_json(p, again);
    return again;
}

static void stacks_and_values_come_back(void **state)
{
    (void)state;
    static const char folded[] = "a 1\na;b 2\na;b;a_[k] 3\na;b;a_[k];c_[i] 3\nd_[j];e_[0] 4\n 9\n";
    struct flm_profile *p = profile_of(folded), *again = reread(p);
    char *text = folded_of(p), *other = folded_of(again);
    assert_string_equal(text, other);
    free(text);
    free(other);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void times_labels_and_metrics_come_back(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 -        0   0 main;work\n"
                                               "10 11 -        1   0 main;work\n"
                                               "10 11 sleeping 2 310 main;usleep\n"
                                               "20 21 -        5   0 init\n");
    struct flm_profile *again = reread(p);
    assert_int_equal(again->sizes.metric_count, p->sizes.metric_count);
    assert_int_equal(again->sizes.sample_count, p->sizes.sample_count);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        assert_int_equal(again->sample_time[i], p->sample_time[i]);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            assert_true(flm_sample_value(again, m, i) == flm_sample_value(p, m, i));
    }
    char *text = described(again);
    assert_non_null(strstr(text, "\"thread\"=\"21\""));
    assert_non_null(strstr(text, "\"process\"=\"20\""));
    free(text);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void numbers_addresses_and_facts_come_back(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ms");
    struct flm_string app = flm_builder_string(b, "/bin/app", 8);
    struct flm_frame_record record = {.function = flm_builder_string(b, "0x1234", 6).index,
                                      .module = app.index,
                                      .address = 0x1234,
                                      .kind = FLM_KIND_NATIVE,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    struct flm_string labels[] = {flm_builder_string(b, "bytes", 5),
                                  flm_builder_string(b, "-16 bytes", 9)};
    flm_builder_sample(b, FLM_NO_TIME, node, flm_builder_label_set(b, labels, 1), metric, 2.5);
    flm_builder_add(b, node, metric, 1);
    flm_builder_note(b, FLM_NOTE_NUMERIC, "bytes", 5);
    flm_builder_note(b, "mapped /bin/app", "1000-2000@0 id=ab", 17);
    flm_builder_note(b, "recorded", "2026-11-20T07:24:07.5Z", 22);
    flm_builder_note(b, "duration_ns", "77", 2);
    flm_builder_note(b, "period", "10 ms", 5);
    flm_builder_note(b, "period type", "cpu", 3);
    struct flm_profile *p = flm_builder_finish(b, NULL), *again = reread(p);
    assert_metric(again, 0, "cpu", "ns", 3.5e6, 1);
    assert_int_equal(again->frames[1].address, 0x1234);
    assert_int_equal(again->frames[1].flags, FLM_FRAME_UNSYMBOLIZED);
    assert_note(again, "mapped /bin/app", "1000-2000@0 id=ab");
    assert_note(again, "recorded", "2026-11-20T07:24:07.5Z");
    assert_note(again, "duration_ns", "77");
    assert_note(again, "period", "10 ms");
    assert_note(again, "period type", "cpu");
    char *text = described(again);
    assert_non_null(strstr(text, "\"bytes\"=\"-16 bytes\""));
    free(text);
    flm_profile_free(again);
    flm_profile_free(p);
}

static void json_has_the_mapping_of_protocol_buffers(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 - 5 0 main;a\n");
    struct flm_text out = written_as(&flm_format_otlp_json, p);
    flm_text_putc(&out, 0);
    static const char *const has[] = {"\"resourceProfiles\": [",
                                      "\"name\": \"flamel\"",
                                      "\"timestampsUnixNano\": [\"5",
                                      "\"values\": [\"1",
                                      "\"stackIndex\": 1,",
                                      "\"stringTable\": [\n      \"\"",
                                      "\"mappingTable\": [\n      {}",
                                      "\"keyStrindex\": "};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (!strstr(out.at, has[i]))
            fail_msg("'%s' is not in %s", has[i], out.at);
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 - 0 0 main;a\n10 11 - 1 0 main;b\n");
    assert_true(assert_writing_survives_failures(&flm_format_otlp, p) > 10);
    assert_true(assert_writing_survives_failures(&flm_format_otlp_json, p) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_values_come_back),
        cmocka_unit_test(times_labels_and_metrics_come_back),
        cmocka_unit_test(numbers_addresses_and_facts_come_back),
        cmocka_unit_test(json_has_the_mapping_of_protocol_buffers),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
