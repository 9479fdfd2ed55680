#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const dhat = &flm_format_dhat;

static const char *const recording = "dhat/heap.json";

static void a_recording_adds_up(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes bytes = file_bytes(recording);
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), dhat);
    free((void *)bytes.at);
    struct flm_profile *p = profile_of_file(dhat, recording);
    assert_sound(p);
    assert_int_equal(p->sizes.metric_count, 11);
    assert_metric(p, 0, "total-bytes", "bytes", 473440, 4);
    assert_metric(p, 1, "total-blocks", "blocks", 304, 4);
    assert_metric(p, 2, "lifetimes", "instrs", 10499800, 4);
    assert_metric(p, 7, "end-bytes", "bytes", 148600, 1);
    assert_note(p, "command", "./vt");
    assert_note(p, FLM_NOTE_SAMPLE_VALUES, "all metrics");
    flm_profile_free(p);
}

static void keys_may_come_in_any_order_and_unknown_ones_too(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        dhat,
        "{\"ftbl\":[\"[root]\",\"0x1: malloc (in /v.so)\",\"0x2: main (a.c:3)\"],\"x\":{},"
        "\"pps\":[{\"fs\":[1,2],\"tbk\":2,\"acc\":[1],\"tb\":7},{\"tb\":0,\"tbk\":1,\"fs\":[2]},"
        "{\"tb\":5,\"tbk\":1,\"fs\":[0]}],\"dhatFileVersion\":2}");
    assert_metric(p, 0, "total-bytes", "bytes", 12, 2);
    assert_metric(p, 1, "total-blocks", "blocks", 4, 3);
    assert_int_equal(p->sizes.metric_count, 2);
    assert_true(is_string(p, frame_named(p, "malloc")->module, "/v.so"));
    assert_true(is_string(p, frame_named(p, "main")->file, "a.c"));
    flm_profile_free(p);
}

static void the_mode_ad_hoc_counts_events(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(dhat, "{\"dhatFileVersion\":2,\"mode\":\"ad-hoc\",\"pps\":[{\"tb\":7,\"tbk\":2,"
                        "\"fs\":[1]}],\"ftbl\":[\"[root]\",\"f\"]}");
    assert_metric(p, 0, "units", "count", 7, 1);
    assert_metric(p, 1, "events", "count", 2, 1);
    flm_profile_free(p);
}

static void what_does_not_fit_is_counted_or_refused(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(dhat, "{\"dhatFileVersion\":2,\"pps\":[{\"tb\":-7,\"tbk\":2,\"fs\":[1,9,-1]}],"
                        "\"ftbl\":[\"[root]\",\"f\"]}");
    assert_int_equal(lost(p, "frames that the file does not have", ""), 2);
    assert_int_equal(lost(p, "negative values, which count as 0", ""), 1);
    flm_profile_free(p);
    assert_refused(dhat, "{\"dhatFileVersion\":1}", 0, "a version of DHAT's files other than 2");
    assert_refused(dhat, "{\"pps\":[]}", 0, "no 'dhatFileVersion': this is no DHAT file");
}

static void a_shortened_file_is_refused(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(recording);
    size_t end = bytes.size;
    while (end > 0 && bytes.at[end - 1] != '}')
        end--;
    for (size_t size = 0; size < end; size++) {
        struct flm_error why = {0};
        assert_null(try_bytes(dhat, (struct flm_bytes){bytes.at, size},
                              &(struct flm_read_options){0}, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
    free((void *)bytes.at);
}

static bool read_all(void *context, struct flm_error *why)
{
    struct flm_profile *p =
        try_bytes(dhat, *(const struct flm_bytes *)context, &(struct flm_read_options){0}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(recording);
    assert_true(assert_survives_failures(read_all, &bytes) > 10);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_adds_up),
        cmocka_unit_test(keys_may_come_in_any_order_and_unknown_ones_too),
        cmocka_unit_test(the_mode_ad_hoc_counts_events),
        cmocka_unit_test(what_does_not_fit_is_counted_or_refused),
        cmocka_unit_test(a_shortened_file_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
