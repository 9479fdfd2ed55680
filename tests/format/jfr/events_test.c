#include "format/jfr/program.h"

static void waits_last_as_long_as_their_ticks_say(void **state)
{
    (void)state;
    struct jfr_writer w = {.ticks_per_second = 2400000000, .start_ticks = 2400};
    jfr_begin(&w, CONSTANT_TYPES "31 jdk.JavaMonitorEnter startTime:long duration:long@TICKS "
                                 "eventThread:*java.lang.Thread stackTrace:*jdk.types.StackTrace "
                                 "monitorClass:*java.lang.Class\n");
    jfr_event(&w, 31);
    jfr_long(&w, 4800);
    jfr_long(&w, 24000);
    jfr_long(&w, MAIN);
    jfr_long(&w, RUNS);
    jfr_long(&w, OBJECTS);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "lock", "ns", 10000, 1);
    assert_folded(p, "app.Main.run_[0];java.lang.Object[] 10000\n");
    assert_int_equal(frame_named(p, "java.lang.Object[]")->kind, FLM_KIND_LABEL);
    assert_int_equal(p->sample_time[0], 2000);
    assert_int_equal(p->sample_duration[0], 10000);
    assert_true(has_label(p, p->sample_labels[0], "state", "lock"));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void put_allocation(struct jfr_writer *w, uint64_t type, uint64_t weight)
{
    jfr_event(w, type);
    jfr_long(w, 1);
    jfr_long(w, MAIN);
    jfr_long(w, RUNS);
    jfr_long(w, NUMBERS);
    jfr_long(w, weight);
    jfr_end_event(w);
}

static void two_estimates_of_the_same_bytes_are_two_metrics(void **state)
{
    (void)state;
#define ALLOCATED                                                                                  \
    "startTime:long eventThread:*java.lang.Thread stackTrace:*jdk.types.StackTrace "               \
    "objectClass:*java.lang.Class "
    for (int both = 0; both < 2; both++) {
        struct jfr_writer w = {0};
        jfr_begin(&w, CONSTANT_TYPES "31 jdk.ObjectAllocationInNewTLAB " ALLOCATED "tlabSize:long\n"
                                     "32 jdk.ObjectAllocationOutsideTLAB " ALLOCATED
                                     "allocationSize:long\n"
                                     "33 jdk.ObjectAllocationSample " ALLOCATED "weight:long\n");
        put_allocation(&w, 31, 100);
        put_allocation(&w, 32, 20);
        if (both)
            put_allocation(&w, 33, 3);
        put_constants(&w, 0, "C1 compiled");
        jfr_end(&w);
        struct flm_profile *p = read_written(&w, &timed);
        assert_metric(p, 0, "allocation", "bytes", both ? 3 : 120, 1);
        if (both)
            assert_metric(p, 1, "tlab-allocation", "bytes", 120, 1);
        assert_int_equal(p->sizes.metric_count, 1 + both);
        assert_non_null(frame_named(p, "int[][]"));
        flm_profile_free(p);
        flm_text_clear(&w.file);
    }
}

static void put_memory(struct jfr_writer *w, uint64_t type, uint64_t time, uint64_t address,
                       uint64_t size)
{
    jfr_event(w, type);
    jfr_long(w, time);
    jfr_long(w, MAIN);
    jfr_long(w, RUNS);
    jfr_long(w, address);
    if (size)
        jfr_long(w, size);
    jfr_end_event(w);
}

static void memory_that_is_not_freed_is_a_leak_unless_it_is_young(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES "31 profiler.Malloc startTime:long eventThread:*java.lang.Thread "
                                 "stackTrace:*jdk.types.StackTrace address:long size:long\n"
                                 "32 profiler.Free startTime:long eventThread:*java.lang.Thread "
                                 "stackTrace:*jdk.types.StackTrace address:long\n");
    put_memory(&w, 32, 500, 0xa0, 0); /* freed before it is allocated, in the order of the file */
    put_memory(&w, 31, 100, 0xa0, 7);
    put_memory(&w, 31, 200, 0xb0, 16);
    put_memory(&w, 31, 300, 0xc0, 32);
    put_memory(&w, 32, 400, 0xc0, 0);
    put_memory(&w, 31, 600, 0xc0, 64);   /* again at that address */
    put_memory(&w, 31, 1000, 0xd0, 128); /* in the last tenth */
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "native-memory", "bytes", 247, 1);
    assert_metric(p, 1, "native-leak", "bytes", 80, 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void cpu_time_is_samples_and_nanoseconds(void **state)
{
    (void)state;
    struct jfr_writer w = {.ticks_per_second = 2000000000};
    jfr_begin(&w, CONSTANT_TYPES
              "31 jdk.CPUTimeSample startTime:long stackTrace:*jdk.types.StackTrace "
              "eventThread:*java.lang.Thread failed:boolean samplingPeriod:long@TICKS\n"
              "32 jdk.CPUTimeSamplesLost startTime:long lostSamples:int\n");
    for (unsigned failed = 0; failed < 2; failed++) {
        jfr_event(&w, 31);
        jfr_long(&w, 1);
        jfr_long(&w, failed ? 0 : RUNS);
        jfr_long(&w, MAIN);
        jfr_byte(&w, failed);
        jfr_long(&w, 20000000);
        jfr_end_event(&w);
    }
    jfr_event(&w, 32);
    jfr_long(&w, 1);
    jfr_int(&w, 9);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "cpu-samples", "samples", 2, 2);
    assert_metric(p, 1, "cpu-time", "ns", 20000000, 2);
    assert_true(lost(p, "CPU-time samples whose stack could not be read", "") == 1);
    assert_true(lost(p, "CPU-time samples that the VM lost", "") == 9);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void events_become_markers_counters_and_notes(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES
              "31 jdk.GarbageCollection startTime:long duration:long@TICKS gcId:int "
              "name:java.lang.String longestPause:long@TICKS\n"
              "32 com.acme.Order startTime:long eventThread:*java.lang.Thread id:long paid:boolean "
              "by:*java.lang.Thread what:*java.lang.Class\n"
              "33 jdk.CPULoad startTime:long machineTotal:float\n"
              "34 jdk.JVMInformation startTime:long jvmVersion:java.lang.String "
              "jvmArguments:java.lang.String javaArguments:java.lang.String pid:long\n"
              "35 jdk.Unknown startTime:long\n" SAMPLE_TYPE);
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    jfr_event(&w, 31);
    jfr_long(&w, 10);
    jfr_long(&w, 2500000);
    jfr_int(&w, 4);
    jfr_string(&w, "G1New");
    jfr_long(&w, 1910000);
    jfr_end_event(&w);
    jfr_event(&w, 32);
    jfr_long(&w, 20);
    jfr_long(&w, MAIN);
    jfr_long(&w, 12);
    jfr_byte(&w, 1);
    jfr_long(&w, COLLECTOR);
    jfr_long(&w, NUMBERS);
    jfr_end_event(&w);
    jfr_event(&w, 33);
    jfr_long(&w, 30);
    jfr_fixed(&w, 0x3e800000, 4); /* 0.25 */
    jfr_end_event(&w);
    jfr_event(&w, 34);
    jfr_long(&w, 1);
    jfr_string(&w, "17.0.1");
    jfr_string(&w, "-Xmx1g");
    jfr_string(&w, "/srv/app.jar --port 80");
    jfr_long(&w, 4321);
    jfr_end_event(&w);
    jfr_event(&w, 35);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_int_equal(p->sizes.marker_count, 2);
    assert_true(is_string(p, p->markers[0].name, "GC"));
    assert_true(is_string(p, p->markers[0].detail, "name: G1New, longestPause: 1.91 ms"));
    assert_int_equal(p->markers[0].duration_ns, 2500000);
    assert_true(is_string(p, p->markers[1].name, "com.acme.Order"));
    assert_true(
        is_string(p, p->markers[1].detail, "id: 12, paid: true, by: GC Thread#0, what: int[][]"));
    assert_true(has_label(p, p->markers[1].label_set, "thread name", "main"));
    struct flm_counter_points load = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(is_string(p, load.name.index, "CPU load: machine"));
    assert_true(load.value[0] == 25 && load.time_ns[0] == 1030);
    assert_note(p, "JVM", "17.0.1");
    assert_note(p, "command", "java -Xmx1g /srv/app.jar --port 80");
    assert_note(p, "events that are not shown", "1: jdk.Unknown 1");
    assert_true(has_label(p, p->sample_labels[0], "process", "4321"));
    assert_true(has_label(p, p->sample_labels[0], "process name", "app.jar"));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_last_as_long_as_their_ticks_say),
        cmocka_unit_test(two_estimates_of_the_same_bytes_are_two_metrics),
        cmocka_unit_test(memory_that_is_not_freed_is_a_leak_unless_it_is_young),
        cmocka_unit_test(cpu_time_is_samples_and_nanoseconds),
        cmocka_unit_test(events_become_markers_counters_and_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
