#include "support/profile/format_laws.h"

static const struct flm_format *const json = &flm_format_rocprof_json;

static void kernels_and_copies_are_below_the_calls_that_launched_them(void **state)
{
    (void)state;
    static const char *const files[] = {"rocprof_json/old.json", "rocprof_json/sorted.json"};
    for (int i = 0; i < 2; i++) {
        struct flm_profile *p = profile_of_file(json, files[i]);
        assert_sound(p);
        assert_folded(p, "add(float*, float*)_[g] 10\n"
                         "step;hipLaunchKernel;add(float*, float*)_[g] 5000\n"
                         "step;hipLaunchKernel;renamed add_[g] 700\n"
                         "step;hipMemcpy;MEMORY_COPY_HOST_TO_DEVICE_[g] 1000\n");
        assert_metric(p, 0, "GPU time", "ns", 6710, 4);
        assert_metric(p, 1, "event time", "ns", 4600, 5);
        assert_metric(p, 2, "copied", "bytes", 4096, 1);
        assert_true(is_string(p, frame_named(p, "hipFree")->module, "HIP_RUNTIME_API"));
        assert_true(is_string(p, frame_named(p, "step")->module, "roctx"));
        assert_true(lost(p, "launches of GPU work, which is shown without its callers", "") == 1);
        assert_true(lost(p, "values of hardware counters", "") == 1);
        assert_true(lost(p, "allocations of GPU memory", "") == 1);
        flm_profile_free(p);
    }
}

static int values_of_labels(const struct flm_profile *p, const char *value)
{
    int found = 0;
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        found += is_string(p, p->labels[i].value, value);
    return found;
}

static struct flm_profile *timed(const char *name)
{
    struct flm_bytes bytes = file_bytes(name);
    struct flm_profile *p = read_bytes(json, bytes, &(struct flm_read_options){.keep_times = true});
    free((void *)bytes.at);
    return p;
}

static void processes_have_their_own_calls_and_streams(void **state)
{
    (void)state;
    struct flm_profile *p = timed("rocprof_json/two.json");
    assert_metric(p, 0, "GPU time", "ns", 2 * 6710, 4);
    assert_true(values_of_labels(p, "GPU 0 stream 2 of process 4711") > 0);
    assert_true(values_of_labels(p, "GPU 1 stream 2 of process 5000") > 0);
    assert_note(p, "command", "./app -n 3");
    flm_profile_free(p);
}

/* The host has numbers of its own: a copy to it is work of the GPU that it comes from. */
static void copies_to_the_host_are_work_of_their_gpu(void **state)
{
    (void)state;
    static const char to[] = "\"dst_agent_id\":{\"handle\":92}",
                      from[] = "\"src_agent_id\":{\"handle\":11}";
    struct flm_bytes bytes = file_bytes("rocprof_json/sorted.json");
    const struct flm_read_options keeping = {.keep_times = true};
    char *at = memmem(bytes.at, bytes.size, to, sizeof to - 1);
    char *source = memmem(bytes.at, bytes.size, from, sizeof from - 1);
    assert_true(at && source);
    struct flm_profile *p = read_bytes(json, bytes, &keeping);
    assert_true(values_of_labels(p, "GPU 0 stream 0") > 0);
    flm_profile_free(p);
    memcpy(at + sizeof to - 4, "11", 2);
    memcpy(source + sizeof from - 4, "93", 2);
    p = read_bytes(json, bytes, &keeping);
    assert_true(values_of_labels(p, "GPU 0 stream 0") == 0);
    assert_true(values_of_labels(p, "GPU 1 stream 0") > 0);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void versions_without_streams_have_queues(void **state)
{
    (void)state;
    struct flm_profile *p = timed("rocprof_json/old.json");
    assert_true(values_of_labels(p, "GPU 0 queue 1 of process 4711") > 0);
    assert_true(values_of_labels(p, "GPU 1 queue 2 of process 4711") > 0);
    flm_profile_free(p);
}

static void ranges_without_a_duration_are_markers(void **state)
{
    (void)state;
    struct flm_profile *p = timed("rocprof_json/two.json");
    assert_int_equal(p->sizes.marker_count, 2);
    assert_true(is_string(p, p->markers[0].name, "half time"));
    assert_true(p->markers[0].time_ns == 8819330200002450);
    flm_profile_free(p);
}

static void what_is_not_known_is_counted_or_refused(void **state)
{
    (void)state;
    assert_refused(json, "{\"rocprofiler-sdk-tool\": []}", 0, "no kernels, copies or calls");
    assert_refused(json, "{\"rocprofiler-sdk-tool\": [", 0, "");
    struct flm_profile *p = read_text(
        json, "{\"rocprofiler-sdk-tool\":{\"buffer_records\":{\"new\":[1,{}],\"hip_api\":["
              "{},7,{\"start_timestamp\":5,\"end_timestamp\":9,\"kind\":3},"
              "{\"start_timestamp\":18446744073709551615,\"end_timestamp\":9}]}}}");
    assert_folded(p, "(unnamed) 4\n");
    assert_true(lost(p, "other records", "") == 2);
    assert_true(lost(p, "records without a begin or an end", "") == 3);
    flm_profile_free(p);
    assert_int_equal(json->sniff(flm_bytes_of("{\"a\":1}"), true), FLM_SNIFF_NO);
}

static void the_laws_hold(void **state)
{
    (void)state;
    assert_reader_laws_of_file(json, "rocprof_json/two.json");
    assert_reader_laws_of_file(json, "rocprof_json/old.json");
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("rocprof_json/sorted.json");
    assert_survives_little_memory(json, bytes);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_copies_are_below_the_calls_that_launched_them),
        cmocka_unit_test(processes_have_their_own_calls_and_streams),
        cmocka_unit_test(copies_to_the_host_are_work_of_their_gpu),
        cmocka_unit_test(versions_without_streams_have_queues),
        cmocka_unit_test(ranges_without_a_duration_are_markers),
        cmocka_unit_test(what_is_not_known_is_counted_or_refused),
        cmocka_unit_test(the_laws_hold),
        cmocka_unit_test(little_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
