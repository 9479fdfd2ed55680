#include "format/rocm/rocpd.h"

#include "support/profile/format_laws.h"

static const struct flm_format *const rocpd = &flm_format_rocpd;

static void work_is_below_the_call_that_launched_it(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(rocpd, "rocpd/full.db");
    assert_sound(p);
    assert_metric(p, 0, "GPU time", "ns", 1677, 4);
    /* A copy's size is its own metric; the other run's kernel has a correlation of that run. */
    assert_folded(p, "fill.kd_[g] 70\nother_[g] 7\n"
                     "step \"1\";hipLaunchKernel;saxpy(float*)_[g] 1000\n"
                     "step \"1\";hipMemcpy;MEMORY_COPY_HOST_TO_DEVICE_[g] 600\n");
    assert_metric(p, 1, "event time", "ns", 8000, 3);
    assert_metric(p, 2, "copied", "bytes", 4096, 1);
    assert_true(is_string(p, frame_named(p, "hipMemcpy")->module, "HIP_RUNTIME_API"));
    assert_true(is_string(p, frame_named(p, "step \"1\"")->module, "roctx"));
    assert_true(lost(p, "launches of GPU work, which is shown without its callers", "") == 2);
    assert_true(lost(p, "values of hardware counters", "") == 1);
    assert_note(p, "command", "./app --gpu");
    assert_note(p, "host", "mi300");
    assert_note(p, "producer", "rocprofv3");
    flm_profile_free(p);
}

static void streams_and_marks_have_times(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("rocpd/full.db");
    struct flm_profile *p =
        read_bytes(rocpd, bytes, &(struct flm_read_options){.keep_times = true});
    bool has_stream = false;
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        has_stream |= is_string(p, p->labels[i].value, "GPU 0 stream 3 of process 4711");
    assert_true(has_stream);
    assert_int_equal(p->sizes.marker_count, 1);
    assert_true(is_string(p, p->markers[0].name, "here") && p->markers[0].time_ns == 1500);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void older_tables_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes old = file_bytes("rocpd/old.db"), music = file_bytes("nsight/music.sqlite");
    assert_null(try_bytes(rocpd, old, &reader_options[0], &why));
    assert_non_null(strstr(why.text, "before ROCm 7.0"));
    assert_null(try_bytes(rocpd, music, &reader_options[0], &why));
    assert_non_null(strstr(why.text, "albums, songs"));
    free((void *)old.at);
    free((void *)music.at);
}

/* Its tables need not be named at the beginning of the file. */
static void one_that_is_taken_for_another_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_nsight, "rocpd/full.db");
    assert_metric(p, 0, "GPU time", "ns", 1677, 4);
    flm_profile_free(p);
}

static void the_laws_hold(void **state)
{
    (void)state;
    assert_reader_laws_of_file(rocpd, "rocpd/full.db");
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("rocpd/full.db");
    assert_survives_little_memory(rocpd, bytes);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_below_the_call_that_launched_it),
        cmocka_unit_test(streams_and_marks_have_times),
        cmocka_unit_test(older_tables_are_refused),
        cmocka_unit_test(one_that_is_taken_for_another_is_read),
        cmocka_unit_test(the_laws_hold),
        cmocka_unit_test(little_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
