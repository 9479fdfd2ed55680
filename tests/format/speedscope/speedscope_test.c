#include "profile/label_range.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const speedscope = &flm_format_speedscope;
static const char *const files[] = {"speedscope/simple.json", "speedscope/two-sampled.json",
                                    "speedscope/profiles-first.json"};
enum { FILE_COUNT = sizeof files / sizeof *files };

#define FRAMES "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":["
#define EVENTED(events) FRAMES "{\"unit\":\"none\",\"events\":[" events "]}]}"
#define OPEN(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"
#define SAMPLED(samples, weights)                                                                  \
    FRAMES "{\"unit\":\"none\",\"samples\":[" samples "],\"weights\":[" weights "]}]}"

static void files_of_speedscope_have_its_results(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(speedscope, files[0]);
    assert_sound(p);
    assert_metric(p, 0, "weight", "", 14, 3);
    flm_profile_free(p);
    p = profile_of_file(speedscope, files[1]);
    assert_metric(p, 0, "time", "s", 28, 3); /* of both profiles */
    assert_int_equal(p->sizes.metric_count, 1);
    flm_profile_free(p);
}

static void each_unit_is_a_metric(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(speedscope, files[2]);
    assert_int_equal(p->sizes.metric_count, 3);
    assert_metric(p, 0, "time", "ms", 5.5, 2);
    assert_metric(p, 1, "size", "bytes", 15, 1);
    assert_metric(p, 2, "time in s", "s", 1.5, 1);
    assert_note(p, "producer", "made by hand");
    assert_note(p, "title", "all of it");
    assert_true(is_string(p, frame_named(p, "f")->file, ""));
    flm_profile_free(p);
}

static void a_metric_that_flamel_wrote_has_its_name(void **state)
{
    (void)state;
    static const char *const own[] = {"{\"metric\":\"m\",\"unit\":\"u\"}", "7", "{}",
                                      "{\"unit\":\"u\",\"metric\":\"m\",\"other\":[{}]}",
                                      "{\"metric\":\"\",\"unit\":\"u\"}"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":\"sampled\","
                 "\"flamel\":%s,\"name\":\"x\",\"unit\":\"none\",\"startValue\":0,\"endValue\":1,"
                 "\"samples\":[[0]],\"weights\":[1]}]}",
                 own[i]);
        struct flm_profile *p = read_text(speedscope, text);
        bool is_own = i == 0 || i == 3;
        assert_metric(p, 0, is_own ? "m" : "weight", is_own ? "u" : "", 1, 1);
        flm_profile_free(p);
    }
}

static void values_of_time_are_times(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(files[2]);
    struct flm_profile *p =
        read_bytes(speedscope, bytes, &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_int_equal(p->sizes.sample_count, 4);
    /* The one in bytes has no time, and comes first. An empty stack is a gap. */
    assert_true(p->sample_time[0] == FLM_NO_TIME && p->sample_duration[0] == 0);
    assert_true(p->sample_time[1] == 1000000 && p->sample_duration[1] == 1500000);
    assert_true(p->sample_time[2] == 4500000 && p->sample_duration[2] == 4000000);
    assert_true(p->sample_time[3] == 1000000000 && p->sample_duration[3] == 1500000000);
    char *text = described(p);
    assert_non_null(strstr(text, "\"profile\"=\"one\""));
    assert_non_null(strstr(text, "\"thread name\"=\"three\""));
    free(text);
    assert_int_equal(flm_thread_labels_of(p).threads.count, 3);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void threads_are_roots_with_the_option(void **state)
{
    (void)state;
    struct flm_read_options options = {.by_thread = true};
    struct flm_profile *p = read_bytes(
        speedscope,
        flm_bytes_of(FRAMES
                     "{\"unit\":\"none\",\"name\":\"t\",\"samples\":[[0,1]],\"weights\":[2]},"
                     "{\"unit\":\"none\",\"events\":[" OPEN(1, 0) "," CLOSE(1, 3) "]}]}"),
        &options);
    assert_folded(p, "2;b 3\nt;a;b 2\n");
    assert_int_equal(frame_named(p, "t")->kind, FLM_KIND_LABEL);
    flm_profile_free(p);
}

static void frames_differ_by_file_and_line(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(speedscope, "{\"shared\":{\"frames\":[{\"name\":\"f\",\"line\":1},"
                              "{\"name\":\"f\",\"line\":2},{\"name\":\"f\",\"line\":1}]},"
                              "\"profiles\":[{\"samples\":[[0],[1],[2]],\"weights\":[1,1,1]}]}");
    assert_int_equal(p->sizes.frame_count, 3); /* with the root's */
    assert_folded(p, "f 3\n");
    flm_profile_free(p);
}

static void what_speedscope_refuses_is_refused(void **state)
{
    (void)state;
    assert_refused(speedscope, EVENTED(OPEN(0, 0)), 0,
                   "profile 1: frames are still open after the last event");
    assert_refused(speedscope, EVENTED(CLOSE(0, 0)), 0,
                   "profile 1: event 1 closes a frame, and none is open");
    assert_refused(speedscope, EVENTED(OPEN(0, 0) "," OPEN(1, 1) "," CLOSE(0, 2)), 0,
                   "profile 1: event 3 closes a frame that is not the innermost open one");
    assert_refused(speedscope, EVENTED(OPEN(0, 5) "," CLOSE(0, 4)), 0,
                   "profile 1: event 2 is earlier than the one before it");
    assert_refused(speedscope, EVENTED(OPEN(2, 0)), 0, "there is no frame with this index");
    assert_refused(speedscope, EVENTED("{\"type\":\"X\"}"), 0,
                   "the type of an event is \"O\" or \"C\"");
    static const char *const incomplete[] = {"{\"type\":\"O\",\"at\":1}", "{\"frame\":0,\"at\":1}",
                                             "{\"type\":\"O\",\"frame\":0}"};
    for (size_t i = 0; i < sizeof incomplete / sizeof *incomplete; i++) {
        char text[256];
        snprintf(text, sizeof text, EVENTED("%s"), incomplete[i]);
        assert_refused(speedscope, text, 0, "this event lacks its type, its frame or its time");
    }
    assert_refused(speedscope, SAMPLED("[0,-1]", "1"), 0, "there is no frame with this index");
    assert_refused(speedscope, SAMPLED("[0],[1]", "1"), 0,
                   "profile 1: it has 2 samples, and 1 weights");
    assert_refused(speedscope, SAMPLED("[0]", "-1"), 0, "profile 1: a weight is negative");
    assert_refused(speedscope, SAMPLED("[0]", "NaN"), 0, "profile 1: a weight is negative");
    assert_refused(speedscope, "{}", 0, "it has no profiles");
    assert_refused(speedscope, "{\"profiles\":[{\"samples\":[[0]]}]}", 0,
                   "byte 27: there is no frame with this index");
    assert_refused(speedscope, "{\"profiles\":{}}", 0, "byte 12: an array is expected here");
}

static void it_is_recognized_whatever_the_order(void **state)
{
    (void)state;
    for (int i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, NULL), speedscope);
        free((void *)bytes.at);
    }
    assert_int_equal(speedscope->sniff(flm_bytes_of("{\"shared\": {\"frames\": [{\"name\": 1"), 0),
                     FLM_SNIFF_LIKELY);
    assert_int_equal(speedscope->sniff(flm_bytes_of("{\"profiles\": [{\"type\": \"sampled\","
                                                    "\"startValue\": 0"),
                                       0),
                     FLM_SNIFF_LIKELY);
    assert_int_equal(speedscope->sniff(flm_bytes_of("{\"frames\": []}"), 1), FLM_SNIFF_NO);
    assert_int_equal(speedscope->sniff(flm_bytes_of("[\"$schema\"]"), 1), FLM_SNIFF_NO);
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    struct flm_read_options options = {.keep_times = true};
    for (int i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_profile *whole = read_bytes(speedscope, bytes, &options);
        for (size_t step = 1; step < 2000; step = step * 7 + 1) {
            struct flm_profile *p = read_windows(speedscope, bytes, step, &options);
            assert_profiles_equal(p, whole);
            flm_profile_free(p);
        }
        flm_profile_free(whole);
        free((void *)bytes.at);
    }
}

static void a_shortened_file_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = flm_bytes_trimmed(file_bytes(files[i]));
        for (size_t size = 0; size < bytes.size; size++) {
            struct flm_error why = {0};
            assert_null(try_bytes(speedscope, (struct flm_bytes){bytes.at, size},
                                  &(struct flm_read_options){0}, &why));
            /* "1." and "nul" are refused for what they are. */
            if (!strstr(why.text, "the JSON ends too early") &&
                !strstr(why.text, "is expected here"))
                fail_msg("%s, %zu bytes: %s", files[i], size, why.text);
        }
        free((void *)bytes.at);
    }
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_bytes *bytes = context;
    struct flm_read_options options = {.keep_times = true, .by_thread = true};
    struct flm_profile *p = try_bytes(speedscope, *bytes, &options, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_true(assert_survives_failures(read_with_little_memory, &bytes) > 10);
        free((void *)bytes.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_speedscope_have_its_results),
        cmocka_unit_test(each_unit_is_a_metric),
        cmocka_unit_test(a_metric_that_flamel_wrote_has_its_name),
        cmocka_unit_test(values_of_time_are_times),
        cmocka_unit_test(threads_are_roots_with_the_option),
        cmocka_unit_test(frames_differ_by_file_and_line),
        cmocka_unit_test(what_speedscope_refuses_is_refused),
        cmocka_unit_test(it_is_recognized_whatever_the_order),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
