#include "support/profile/format_laws.h"

static const struct flm_format *const simpleperf = &flm_format_simpleperf;
static const char file[] = "android/samples.simpleperf";

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(file);
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), simpleperf);
    assert_same_through_windows(simpleperf, bytes);
    assert_survives_cuts(simpleperf, bytes);
    assert_survives_little_memory(simpleperf, bytes);
    for (size_t cut = 0; cut < bytes.size; cut++) /* names come last: a part of it is no profile */
        assert_null(try_bytes(simpleperf, (struct flm_bytes){bytes.at, cut},
                              &(struct flm_read_options){0}, &why));
    free((void *)bytes.at);
}

static void events_are_metrics_and_waits_last_until_the_thread_runs(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(simpleperf, file);
    assert_sound(p);
    assert_metric(p, 0, "cpu-clock", "ns", 500000, 2);
    assert_metric(p, 1, "sched:sched_switch", "count", 2, 2);
    assert_metric(p, 2, "off-cpu", "ns", 700, 1);
    assert_metric(p, 3, "samples", "samples", 4, 3);
    assert_note(p, "app", "com.example");
    assert_true(lost(p, "lost samples", "") == 3);
    assert_true(lost(p, "frames of files or symbols that are not in the file", "") == 1);
    assert_true(lost(p, "waits that last beyond the end, which are not counted", "") == 1);
    char *text = folded_of(p);
    assert_string_equal(text, "__start_thread 250000\napp.Main.loop_[j];app.Main.run_[0];read "
                              "250000\n");
    free(text);
    flm_profile_free(p);
}

static void frames_have_modules_kinds_and_addresses(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(file);
    struct flm_profile *p = read_bytes(
        simpleperf, bytes, &(struct flm_read_options){.keep_times = true, .locations = true});
    const struct flm_frame_record *frame = frame_named(p, "app.Main.run");
    assert_true(is_string(p, frame->module, "/data/app/base.vdex"));
    assert_int_equal(frame->kind, FLM_KIND_INTERPRETED);
    assert_int_equal(frame_named(p, "app.Main.loop")->kind, FLM_KIND_JIT);
    assert_int_equal(frame_named(p, "read")->kind, FLM_KIND_NATIVE);
    frame = frame_named(p, "[kernel.kallsyms]");
    assert_int_equal(frame->kind, FLM_KIND_KERNEL);
    assert_int_equal(frame->flags & FLM_FRAME_UNSYMBOLIZED, FLM_FRAME_UNSYMBOLIZED);
    bool found = false;
    for (uint32_t i = 0; i < p->sizes.location_count; i++)
        found = found || p->location_address[i] == 0x20;
    assert_true(found);
    char *text = described(p);
    assert_non_null(strstr(text, "\"thread name\"=\"RenderThread\""));
    assert_non_null(strstr(text, "\"state\"=\"off-CPU\""));
    free(text);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes bytes = {"SIMPLEPERF\2\0\0\0\0\0", 16};
    assert_null(try_bytes(simpleperf, bytes, &(struct flm_read_options){0}, &why));
    assert_non_null(strstr(why.text, "version 2 of simpleperf's samples is not read: 1 is"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(events_are_metrics_and_waits_last_until_the_thread_runs),
        cmocka_unit_test(frames_have_modules_kinds_and_addresses),
        cmocka_unit_test(another_version_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
