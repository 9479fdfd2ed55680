#include "support/profile/format_laws.h"

static const struct flm_format *const csv = &flm_format_rocprof_csv;

static void kernels_are_gpu_time(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(csv, "rocprof_csv/kernel_trace.csv");
    assert_sound(p);
    assert_folded(p, "fill(float*)_[g] 7\nvoid add<float>(float*, int)_[g] 150\n");
    assert_metric(p, 0, "GPU time", "ns", 157, 2);
    assert_true(lost(p, "launches of GPU work, which is shown without its callers", "") == 3);
    flm_profile_free(p);
    p = profile_of_file(csv, "rocprof_csv/results.csv");
    assert_folded(p, "vector_add(double*, int) [clone .kd]_[g] 12\n");
    flm_profile_free(p);
}

static void calls_are_nested_by_thread(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(csv, "rocprof_csv/hip_trace.csv");
    assert_folded(p, "hipFree 100\nstep 7500\nstep;hipMemcpy 500\n");
    assert_metric(p, 0, "event time", "ns", 8100, 3);
    assert_true(is_string(p, frame_named(p, "hipFree")->module, "HIP_RUNTIME_API"));
    assert_true(lost(p, "malformed lines", "line 5") == 1);
    flm_profile_free(p);
}

static void queues_are_tracks(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("rocprof_csv/kernel_trace.csv");
    struct flm_profile *p = read_bytes(csv, bytes, &(struct flm_read_options){.keep_times = true});
    int found = 0;
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        found += is_string(p, p->labels[i].value, "Agent 4 queue 2") ||
                 is_string(p, p->labels[i].value, "Agent 5 queue 3");
    assert_int_equal(found, 2);
    assert_true(p->sample_time[0] == 1550151853029637 && flm_sample_duration(p, 0) == 100);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void other_tables_are_refused(void **state)
{
    (void)state;
    assert_int_equal(csv->sniff(flm_bytes_of("a,b,c\n1,2,3\n"), true), FLM_SNIFF_NO);
    assert_int_equal(csv->sniff(flm_bytes_of(""), true), FLM_SNIFF_NO);
    assert_refused(csv, "a,b,c\n1,2,3\n", 1, "no names of columns");
    assert_refused(csv, "Function,BeginNs,EndNs\nf,x,y\n", 2, "no line has a begin");
}

static void the_laws_hold(void **state)
{
    (void)state;
    assert_reader_laws_of_file(csv, "rocprof_csv/kernel_trace.csv");
    assert_reader_laws_of_file(csv, "rocprof_csv/hip_trace.csv");
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("rocprof_csv/hip_trace.csv");
    assert_survives_little_memory(csv, bytes);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_gpu_time), cmocka_unit_test(calls_are_nested_by_thread),
        cmocka_unit_test(queues_are_tracks),    cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(the_laws_hold),        cmocka_unit_test(little_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
