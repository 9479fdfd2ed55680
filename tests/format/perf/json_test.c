#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const json = &flm_format_perf_json;

static void a_converted_recording_adds_up(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(json, "perf_json/converted.json");
    assert_sound(p);
    assert_int_equal(p->sizes.metric_count, 1);
    assert_metric(p, 0, "samples", "samples", 40, 17);
    assert_int_equal(frame_named(p, "work_fp")->kind, FLM_KIND_LABEL);
    assert_int_equal(frame_named(p, "do_syscall_64")->kind, FLM_KIND_KERNEL);
    assert_true(is_string(p, frame_named(p, "__sin_fma")->module, "libm.so.6"));
    assert_int_equal(frame_named(p, "[unknown]")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_note(p, "host", "vm");
    assert_note(p, "command",
                "/usr/bin/perf record -e cpu-clock -F 499 -g -o fp.perf.data ./work_fp 3 2");
    assert_int_equal(p->sizes.note_count, 7);
    flm_profile_free(p);
}

static void it_is_recognized(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("perf_json/converted.json");
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), json);
    assert_ptr_equal(
        flm_format_recognize(&flm_formats_pure, (struct flm_bytes){bytes.at, 100}, false, &why),
        json);
    assert_int_equal(json->sniff(flm_bytes_of("\xEF\xBB\xBF {\"linux-perf-json-version\""), 1), 95);
    assert_int_equal(json->sniff(flm_bytes_of("[\"linux-perf-json-version\""), 1), 0);
    assert_int_equal(json->sniff(flm_bytes_of("{\"version\": 1}"), 1), 0);
    free((void *)bytes.at);
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("perf_json/converted.json");
    struct flm_read_options options = {.keep_times = true};
    struct flm_profile *whole = read_bytes(json, bytes, &options);
    for (size_t step = 1; step < 10000; step = step * 7 + 1) {
        struct flm_profile *p = read_windows(json, bytes, step, &options);
        assert_profiles_equal(p, whole);
        flm_profile_free(p);
    }
    flm_profile_free(whole);
    free((void *)bytes.at);
}

static void a_shortened_file_is_refused(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("perf_json/converted.json");
    for (size_t size = 0; size < bytes.size - 1; size += size < 3000 ? 1 : 97) {
        struct flm_error why = {0};
        assert_null(try_bytes(json, (struct flm_bytes){bytes.at, size},
                              &(struct flm_read_options){0}, &why));
        assert_non_null(strstr(why.text, "the JSON ends too early"));
    }
    free((void *)bytes.at);
}

static void keys_may_come_in_any_order_and_unknown_ones_too(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        json, "{\"samples\": [{\"callchain\": [{\"dso\": \"perf-1.map\", \"extra\": {\"a\": [1]},"
              "\"symbol\": \"LA;::a->LB;::b\", \"ip\": \"0x10\"}, {\"symbol\": \"main\"}],"
              "\"next_comm\": \"swapper\", \"comm\": \"w\"}, {\"comm\": \"w\"}], \"other\": []}");
    assert_folded(p, "w 1\nw;main;LA:::a_[j];LB:::b_[i] 1\n");
    flm_profile_free(p);
}

static void times_and_labels_are_kept_with_the_option(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(json,
                   flm_bytes_of("{\"samples\": [{\"timestamp\": 884169213342, \"pid\": 1,"
                                "\"tid\": 2, \"cpu\": 3, \"comm\": \"w\"}, {\"comm\": \"v\"}]}"),
                   &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_int_equal(p->sizes.sample_count, 2);
    assert_true(p->sample_time[0] == FLM_NO_TIME);
    assert_true(p->sample_time[1] == 884169213342);
    char *text = described(p);
    assert_non_null(strstr(text, "\"process\"=\"1\""));
    assert_non_null(strstr(text, "\"thread\"=\"2\""));
    assert_non_null(strstr(text, "\"cpu\"=\"3\""));
    free(text);
    flm_profile_free(p);
}

static void malformed_recordings_are_refused(void **state)
{
    (void)state;
    assert_refused(json, "[]", 0, "byte 0: an object is expected here");
    assert_refused(json, "{}", 0, "it has no samples");
    assert_refused(json, "{\"samples\": {}}", 0, "byte 12: an array is expected here");
    assert_refused(json, "{\"samples\": [1]}", 0, "byte 13: an object is expected here");
    assert_refused(json, "{\"samples\": [{\"comm\": []}]}", 0, "byte 22: a string is expected");
    assert_refused(json, "{\"samples\": [{\"timestamp\": 1.5}]}", 0, "a whole number");
    assert_refused(json, "{\"samples\": [{\"callchain\": [[]]}]}", 0, "an object is expected");
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_bytes *bytes = context;
    struct flm_profile *p =
        try_bytes(json, *bytes, &(struct flm_read_options){.keep_times = true}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes =
        flm_bytes_of("{\"headers\": {\"hostname\": \"box\", \"cmdline\": [\"perf\", \"record\"]},"
                     "\"samples\": [{\"timestamp\": 1, \"pid\": 1, \"tid\": 1, \"comm\": \"w\\n\","
                     "\"callchain\": [{\"symbol\": \"f\", \"dso\": \"x\"}, {\"ip\": \"0x1\"}]}]}");
    assert_true(assert_survives_failures(read_with_little_memory, &bytes) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_recording_adds_up),
        cmocka_unit_test(it_is_recognized),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_refused),
        cmocka_unit_test(keys_may_come_in_any_order_and_unknown_ones_too),
        cmocka_unit_test(times_and_labels_are_kept_with_the_option),
        cmocka_unit_test(malformed_recordings_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
