#include "profile/label_range.h"
#include "support/profile/format_windows.h"
#include "support/profile/json_reading.h"

static const struct flm_format *const trace = &flm_format_trace;

static struct flm_profile *with_times(const char *text)
{
    struct flm_profile *p =
        read_bytes(trace, flm_bytes_of(text), &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    return p;
}

static void assert_file(const char *name, const char *expected)
{
    struct flm_profile *p = profile_of_file(trace, name);
    assert_folded(p, expected);
    flm_profile_free(p);
}

static void files_are_read_whole_and_in_parts(void **state)
{
    (void)state;
    assert_laws(trace, "trace/bex-interaction.json", true);
    assert_laws(trace, "trace/simple-partial-trailing-comma.json", true);
    assert_laws(trace, "trace/multi-thread-with-samples.json", true);
    assert_laws(trace, "trace/kineto.json", true);
    assert_laws(trace, "trace/everything.json", true);
    assert_laws(trace, "trace/no-arg-data.json", true);
}

static void results_are_those_of_speedscope(void **state)
{
    (void)state;
    assert_file("trace/bex-interaction.json", "A;B 2\nD;C 2\nF 1\nF;E 1\nG 1\nG;H 1\nJ 1\nJ;I 1\n"
                                              "K 1\nK;L 1\n");
    assert_file("trace/hermes-multiple-frames.json",
                "[root] 4\n[root];beta 1\n[root];gamma 3\n[root];gamma;beta 6\n");
    assert_file("trace/simple-partial-trailing-comma.json",
                "alpha 2\nalpha;beta 3\nalpha;beta;epsilon 4\nalpha;beta;gamma 5\n");
    assert_file("trace/simultaneous-anonymous-calls.json",
                "anonymous 1\nanonymous;anonymous;anonymous 2\n"
                "anonymous;anonymous;function1;anonymous 2\n");
    struct flm_profile *p = profile_of_file(trace, "trace/multi-thread-with-samples.json");
    assert_metric(p, 0, "time", "us", 88192, 5);
    flm_profile_free(p);
    p = profile_of_file(trace, "trace/no-arg-data.json");
    assert_metric(p, 0, "time", "us", 55862, 13);
    assert_note(p, "producer", "DevTools");
    flm_profile_free(p);
}

static void arguments_are_part_of_names_with_the_option(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        trace,
        flm_bytes_of("[{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"A\",\"args\":{ \"x\": 1, \"y\":"
                     "[true,null,\"\\\"\\n\"] }},{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"A\","
                     "\"args\":{\"x\":2}},{\"ph\":\"X\",\"ts\":3,\"dur\":2,\"name\":\"A\","
                     "\"args\":{}}]"),
        &(struct flm_read_options){.locations = true, .lines = true});
    assert_folded(p, "A 2\nA {\"x\":1,\"y\":[true,null,\"\\\"\\u000a\"]} 1\nA {\"x\":2} 2\n");
    flm_profile_free(p);
    struct flm_bytes bytes = file_bytes("trace/hermes-multiple-frames.json");
    p = read_bytes(trace, bytes, &(struct flm_read_options){.locations = true, .lines = true});
    assert_non_null(frame_named(p, "gamma")); /* these have files and lines */
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void frames_have_the_category_as_module(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(trace, "trace/everything.json");
    assert_true(is_string(p, frame_named(p, "work")->module, "app"));
    flm_profile_free(p);
    p = profile_of_file(trace, "trace/hermes-multiple-frames.json");
    assert_true(frame_named(p, "gamma")->file != 0);
    assert_true(frame_named(p, "gamma")->line != 0);
    flm_profile_free(p);
}

static const struct flm_marker_record *marker_named(const struct flm_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->sizes.marker_count; i++)
        if (is_string(p, p->markers[i].name, name))
            return &p->markers[i];
    fail_msg("there is no marker %s", name);
    return NULL;
}

static void assert_marker(const struct flm_profile *p, const char *name, int64_t time_us,
                          int64_t duration_us, const char *detail)
{
    const struct flm_marker_record *marker = marker_named(p, name);
    assert_int_equal(marker->time_ns, time_us * 1000);
    assert_int_equal(marker->duration_ns, duration_us * 1000);
    assert_true(is_string(p, marker->detail, detail));
}

static void all_kinds_of_events_are_read(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("trace/everything.json");
    struct flm_profile *p =
        read_bytes(trace, bytes, &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_folded(p, "(unnamed) 2\nwork 10\n");
    assert_int_equal(p->sizes.marker_count, 6);
    assert_marker(p, "mark", 1001, 0, "{\"why\":\"because \\\"x\\\"\",\"n\":[1,true,null]}");
    assert_marker(p, "old mark", 1002, 0, "");
    assert_marker(p, "load", 1000, 8, "{\"url\":\"a\"}");
    assert_marker(p, "dns", 1001, 2, "");
    assert_marker(p, "old", 1004, 2, "");
    assert_marker(p, "endless", 1007, 0, "");
    assert_int_equal(p->sizes.counter_count, 3);
    char *text = described(p);
    assert_non_null(strstr(text, "memory used"));
    assert_non_null(strstr(text, "memory free"));
    assert_non_null(strstr(text, "queue"));
    assert_non_null(strstr(text, "\"thread name\"=\"worker\""));
    free(text);
    assert_note(p, "command", "./app -x");
    assert_note(p, "version", "My Application v1.0");
    assert_int_equal(lost(p, "events without a valid time", ""), 1);
    assert_int_equal(lost(p, "events with a negative duration", ""), 1);
    assert_int_equal(lost(p, "flows, objects and other events that are no calls", ""), 2);
    assert_int_equal(lost(p, "ends of asynchronous events that have no begin", ""), 1);
    assert_int_equal(lost(p, "ends of asynchronous events, which are shown as moments", ""), 1);
    flm_profile_free(p);
    free((void *)bytes.at);
}

/* JAX: no categories, and correlations that are texts. */
static void work_is_known_by_its_details_too(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        trace, "[{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":5,\"name\":\"cuLaunchKernel\","
               "\"args\":{\"correlation_id\":\"12\"}},"
               "{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"ts\":20,\"dur\":3,\"name\":\"fusion\","
               "\"args\":{\"correlation_id\":\"12\",\"kernel_details\":\"regs:16\"}},"
               "{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"ts\":25,\"dur\":2,\"name\":\"copy\","
               "\"args\":{\"correlation_id\":\"x12\",\"memcpy_details\":\"size:8\"}}]");
    assert_folded(p, "cuLaunchKernel 5\n");
    assert_true(is_string(p, p->metrics[1].name, "GPU time"));
    assert_true(flm_profile_total(p, (struct flm_metric){1}) == 5);
    assert_int_equal(lost(p, "launches of GPU work, which is shown without its callers", ""), 1);
    flm_profile_free(p);
}

static void allocators_are_counters(void **state)
{
    (void)state;
    struct flm_bytes text = flm_bytes_of(
        "[{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":10,\"dur\":5,\"name\":\"f\"},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":7,\"tid\":1,\"ts\":11,\"args\":{\"Total "
        "Reserved\":2048,\"Total Allocated\":512,\"Device Id\":3,\"Device Type\":1}},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":7,\"tid\":1,\"ts\":12,\"args\":{\"Total "
        "Allocated\":100,\"Device Id\":-1,\"Device Type\":0}},"
        "{\"ph\":\"i\",\"name\":\"other\",\"pid\":7,\"tid\":1,\"ts\":13,\"args\":{\"a\":1}}]");
    static const char *const names[] = {"allocated bytes of GPU 3", "allocated bytes of the CPU",
                                        "reserved bytes of GPU 3"};
    static const double values[] = {512, 100, 2048};
    struct flm_profile *p = read_bytes(trace, text, &(struct flm_read_options){.keep_times = true});
    assert_int_equal(p->sizes.marker_count, 1);
    assert_int_equal(p->sizes.counter_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        bool found = false;
        for (int j = 0; j < 3; j++)
            if (is_string(p, c.name.index, names[j])) {
                found = true;
                assert_true(c.point_count == 1 && c.value[0] == values[j]);
            }
        assert_true(found);
    }
    flm_profile_free(p);
}

static void work_of_a_gpu_is_below_the_call_that_launched_it(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("trace/kineto.json");
    struct flm_profile *p =
        read_bytes(trace, bytes, &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_folded(p, "step 20\nstep;train.py(12): step 39.5\n"
                     "step;train.py(12): step;aten::mm 35.5\n"
                     "step;train.py(12): step;aten::mm;cudaLaunchKernel 5\n");
    assert_true(is_string(p, p->metrics[1].name, "GPU time"));
    assert_true(flm_profile_total(p, (struct flm_metric){1}) == 33.125);
    const struct flm_frame_record *kernel = frame_named(p, "gemm<float>");
    assert_int_equal(kernel->kind, FLM_KIND_GPU);
    /* By correlation; by the operator's external id; by nothing. */
    static const char *const callers[][2] = {{"gemm<float>", "cudaLaunchKernel"},
                                             {"Memcpy HtoD (Pageable -> Device)", "aten::mm"},
                                             {"Memset (Device)", ""}};
    uint32_t *parents = malloc(p->sizes.node_count * sizeof *parents);
    flm_profile_parents(p, parents);
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        for (int j = 0; j < 3; j++)
            if (is_string(p, p->frames[p->node_frame[i]].function, callers[j][0]))
                assert_true(
                    is_string(p, p->frames[p->node_frame[parents[i]]].function, callers[j][1]));
    free(parents);
    assert_int_equal(lost(p, "launches of GPU work, which is shown without its callers", ""), 1);
    assert_marker(p, "PyTorch Profiler (0)", 1695835479903000, 2000, "");
    assert_int_equal(flm_thread_labels_of(p).threads.count, 3); /* one of a marker */
    /* The first sample is at the step's begin, to the nanosecond. */
    assert_true(p->sample_time[0] == 1695835479904000000);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void times_are_exact_to_the_nanosecond(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {{"1695835479904123.4564", 1695835479904123456},
                 {"-2.5", -2500},
                 {"\"7.0009\"", 7001},
                 {"0.0005", 1},
                 {"0.00049", 0},
                 {"12", 12000},
                 {"1.5e3", 1500000},
                 {"-0.0015e0", -2}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[200];
        snprintf(text, sizeof text, "[{\"ph\":\"X\",\"ts\":%s,\"dur\":1,\"name\":\"a\"}]",
                 times[i].text);
        struct flm_profile *p = with_times(text);
        if (p->sample_time[0] != times[i].ns)
            fail_msg("%s is %lld", times[i].text, (long long)p->sample_time[0]);
        flm_profile_free(p);
    }
    static const char *const bad[] = {"NaN",  "1e300",  "null",  "\"x\"",    "{}",
                                      "\"\"", "\"1.\"", "\".\"", "-Infinity"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, "[{\"ph\":\"X\",\"ts\":%s,\"dur\":1,\"name\":\"a\"}]", bad[i]);
        struct flm_profile *p = with_times(text);
        if (p->sizes.sample_count > 0 && strcmp(bad[i], "\"1.\"") != 0)
            fail_msg("%s is a time", bad[i]);
        flm_profile_free(p);
    }
}

static void durations_that_are_too_long_are_cut_off(void **state)
{
    (void)state;
    struct flm_profile *p =
        with_times("[{\"ph\":\"b\",\"ts\":-9000000000000000,\"id\":1,\"name\":\"x\"},"
                   "{\"ph\":\"e\",\"ts\":9000000000000000,\"id\":1,\"name\":\"x\"}]");
    assert_true(marker_named(p, "x")->duration_ns == INT64_MAX);
    assert_int_equal(lost(p, "ends of events that last longer than 292 years", ""), 1);
    flm_profile_free(p);
    p = with_times("{\"traceEvents\":[],\"samples\":[{\"ts\":-9000000000000000,\"sf\":1},"
                   "{\"ts\":9000000000000000,\"sf\":1}],\"stackFrames\":{\"1\":{\"name\":"
                   "\"a\"}}}");
    assert_true(p->sample_time[0] == -9000000000000000000);
    assert_int_equal(lost(p, "ends of events that last longer than 292 years", ""), 1);
    flm_profile_free(p);
    p = with_times("[{\"ph\":\"X\",\"ts\":-9000000000000000,\"dur\":1,\"name\":\"a\"},"
                   "{\"ph\":\"X\",\"ts\":9000000000000000,\"dur\":9000000000000000,"
                   "\"name\":\"b\"},{\"ph\":\"B\",\"ts\":-9000000000000000,\"name\":\"c\"},"
                   "{\"ph\":\"E\",\"ts\":9000000000000000,\"name\":\"c\"}]");
    flm_profile_free(p);
}

static void processes_and_threads_may_be_numbers_texts_and_missing(void **state)
{
    (void)state;
    static const char text[] = "[{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"a\",\"pid\":1,\"tid\":"
                               "\"1\"},{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"b\",\"pid\":"
                               "\"1\",\"tid\":1},{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"c\"},"
                               "{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"d\",\"pid\":1}]";
    struct flm_profile *p =
        read_bytes(trace, flm_bytes_of(text), &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "thread 1;a;b 1\nthread;c 1\nthread;d 1\n");
    flm_profile_free(p);
}

static void what_is_complete_is_read(void **state)
{
    (void)state;
#define EVENT "{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"a\"}"
    static const char *const good[] = {"[" EVENT,
                                       "[" EVENT ",",
                                       "[" EVENT ", \n",
                                       "[" EVENT ",]",
                                       "[" EVENT ", ] ",
                                       "{\"traceEvents\":[" EVENT ",]}",
                                       "{\"traceEvents\":[" EVENT,
                                       "{\"traceEvents\":[" EVENT "]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct flm_profile *p = read_text(trace, good[i]);
        assert_folded(p, "a 1\n");
        assert_int_equal(p->sizes.loss_count, good[i][0] == '{' && !strstr(good[i], "]}"));
        flm_profile_free(p);
    }
    struct flm_profile *p = read_text(trace, "[" EVENT ",{\"ph\":\"X\"");
    assert_folded(p, "a 1\n");
    assert_int_equal(lost(p, "events that are cut off at the end of the file", "byte 47"), 1);
    flm_profile_free(p);
    /* An object has an end: without it, something may be missing. */
    static const char *const cut[] = {"{\"traceEvents\":[" EVENT, "{\"traceEvents\":[" EVENT ",",
                                      "{\"traceEvents\":[" EVENT "]",
                                      "{\"traceEvents\":[" EVENT ",]"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        p = read_text(trace, cut[i]);
        assert_int_equal(p->sizes.loss_count, 1);
        assert_true(
            is_string(p, p->losses[0].what, "parts that are cut off at the end of the file"));
        flm_profile_free(p);
    }
    /* What is behind a ']' is seen also where the window ends in front of it. */
    for (size_t step = 1; step < 60; step++) {
        struct windows w = {.all = flm_bytes_of("[" EVENT ",]     {\"a\":1}"), .step = step};
        struct flm_source source = windows_source(&w);
        p = finished(trace, &source, &(struct flm_read_options){0}, NULL);
        assert_non_null(p);
        assert_int_equal(p->sizes.loss_count, 1);
        flm_profile_free(p);
        free(w.block);
    }
    p = read_text(trace, "{\"traceEvents\":[" EVENT ",], \"otherData\":{}}");
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
    assert_refused(trace, "[", 0, "the JSON ends too early");
    assert_refused(trace, "[" EVENT " " EVENT, 0, "',' or ']' is expected here");
    assert_refused(trace, "{}", 0, "it has no events");
    assert_refused(trace, "[]", 0, "it has no events: nothing was recorded");
    assert_refused(trace, "[1, null]", 0, "it has no events");
    assert_refused(trace, "{\"traceEvents\":[], \"samples\":[]}", 0, "it has no events");
    assert_refused(trace, "{\"traceEvents\":7}", 0, "an array is expected here");
}

static void events_of_a_profiled_trace_are_a_metric_of_their_own(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        trace,
        "[{\"args\":{\"data\":{\"startTime\":5}},\"id\":\"0x1\",\"name\":\"Profile\",\"ph\":"
        "\"P\",\"pid\":1,\"tid\":2,\"ts\":5},"
        "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":"
        "\"(root)\"},\"id\":1},{\"callFrame\":{\"functionName\":\"a\"},\"id\":2,\"parent\":1}"
        "],\"samples\":[2]},\"lines\":[4],\"timeDeltas\":[3]}},\"id\":\"0x1\",\"name\":"
        "\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":6},"
        "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":"
        "\"b\"},\"id\":3,\"parent\":2}],\"samples\":[3,2]},\"timeDeltas\":[10,20]}},\"id\":"
        "\"0x1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":7},"
        "{\"ph\":\"X\",\"name\":\"task\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":100}]");
    assert_metric(p, 0, "time", "us", 30, 2);
    assert_metric(p, 1, "event time", "us", 100, 1);
    assert_folded(p, "a 10\na;b 20\n");
    flm_profile_free(p);
}

/* Chrome writes the lines of samples only into the parts that have any. */
static void lines_are_those_of_the_samples_of_their_part(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"args\":{\"data\":{\"startTime\":5}},\"id\":\"0x1\",\"name\":\"Profile\",\"ph\":"
        "\"P\",\"pid\":1,\"tid\":2,\"ts\":5},"
        "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":"
        "\"(root)\"},\"id\":1},{\"callFrame\":{\"functionName\":\"early\",\"url\":\"a.js\","
        "\"lineNumber\":1},\"id\":2,\"parent\":1}],\"samples\":[2,2]},\"timeDeltas\":[0,1]}},"
        "\"id\":\"0x1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":6},"
        "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":"
        "\"late\",\"url\":\"a.js\",\"lineNumber\":6},\"id\":3,\"parent\":1}],\"samples\":[3,3,1]},"
        "\"lines\":[8,9,0],\"timeDeltas\":[10,20,30]}},\"id\":\"0x1\",\"name\":\"ProfileChunk\","
        "\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":7}]";
    struct flm_profile *p = read_bytes(
        trace, flm_bytes_of(text), &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "early")->line, 2);
    uint32_t lines = 0; /* a set of bits */
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->frames[i].function), "late"))
            lines |= 1u << p->frames[i].line;
    assert_int_equal(lines, 1u << 8 | 1u << 9);
    flm_profile_free(p);
}

/* `count` items of an array, and what is around them; freed by the caller. */
static char *with_items(const char *before, const char *item, size_t count, const char *behind)
{
    struct flm_text text = {0};
    flm_text_puts(&text, before);
    for (size_t i = 0; i < count; i++) {
        flm_text_puts(&text, i > 0 ? "," : "");
        flm_text_puts(&text, item);
    }
    flm_text_puts(&text, behind);
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static const struct flm_read_options copying[] = {
    {0},
    {.keep_times = true},
    {.locations = true, .lines = true},
    {.keep_times = true, .locations = true, .lines = true}};

/* Chrome writes the arguments before the phase; those of a marker are kept as a short text. */
static void a_long_profile_is_read_whole_with_each_option(void **state)
{
    (void)state;
    char *text = with_items(
        "[{\"args\":{\"data\":{\"endTime\":9,\"cpuProfile\":{\"nodes\":[{\"callFrame\":{"
        "\"functionName\":\"a\"},\"id\":2}],\"startTime\":5,\"samples\":[2,2],\"timeDeltas\":"
        "[0,7]}}},\"name\":\"CpuProfile\",\"ph\":\"I\",\"pid\":1,\"tid\":2,\"ts\":5},"
        "{\"args\":{\"data\":{\"cpuProfile\":{\"samples\":[",
        "2", 5000, "]},\"timeDeltas\":[");
    char *all = with_items(text, "3", 5000,
                           "]}},\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,"
                           "\"tid\":2,\"ts\":6}]");
    for (size_t i = 0; i < sizeof copying / sizeof *copying; i++) {
        struct flm_profile *p = read_bytes(trace, flm_bytes_of(all), &copying[i]);
        assert_folded(p, "a 15007\n");
        flm_profile_free(p);
    }
    free(all);
    free(text);
}

static void long_arguments_are_shortened_and_no_others_lost(void **state)
{
    (void)state;
    char *text =
        with_items("[{\"ph\":\"X\",\"ts\":0,\"dur\":9,\"name\":\"launch\",\"args\":{\"shapes\":"
                   "[[",
                   "{\"a\":[1]}", 100000,
                   "],1],\"correlation\":7}},{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"k\","
                   "\"cat\":\"kernel\",\"args\":{\"correlation\":7}}]");
    for (size_t i = 0; i < sizeof copying / sizeof *copying; i++) {
        struct flm_profile *p = read_bytes(trace, flm_bytes_of(text), &copying[i]);
        assert_int_equal(p->sizes.node_count, 3);
        assert_int_equal(lost(p, "launches of GPU work, which is shown without its callers", ""),
                         0);
        for (uint32_t j = 1; j < 3; j++)
            assert_true(flm_string_bytes(p, p->frames[p->node_frame[j]].function).size < 4100);
        flm_profile_free(p);
    }
    free(text);
}

static void stacks_in_a_circle_end(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        trace, "{\"traceEvents\":[],\"samples\":[{\"ts\":1,\"sf\":1},{\"ts\":3,\"sf\":9},"
               "{\"ts\":4,\"sf\":1}],\"stackFrames\":{\"1\":{\"name\":\"a\",\"parent\":2},"
               "\"2\":{\"name\":\"b\",\"parent\":\"1\"}}}");
    assert_folded(p, "b;a 2\n");
    assert_int_equal(lost(p, "stacks with a frame that is its own caller", ""), 1);
    assert_int_equal(lost(p, "samples of stacks that do not exist", ""), 1);
    flm_profile_free(p);
    /* Each frame of the circle once; what is outside of it, below them. */
    p = read_text(trace,
                  "{\"traceEvents\":[],\"samples\":[{\"ts\":1,\"sf\":3},{\"ts\":3,\"sf\":2},"
                  "{\"ts\":7,\"sf\":3}],\"stackFrames\":{\"1\":{\"name\":\"a\",\"parent\":2},"
                  "\"2\":{\"name\":\"b\",\"parent\":1},\"3\":{\"name\":\"c\",\"parent\":1},"
                  "\"1\":{\"name\":\"again\"}}}");
    assert_folded(p, "b 4\nb;a;c 2\n");
    assert_int_equal(lost(p, "stacks with a frame that is its own caller", ""), 1);
    flm_profile_free(p);
}

static void stacks_of_threads_are_below_their_roots(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        trace,
        flm_bytes_of("{\"traceEvents\":[],\"samples\":[{\"tid\":1,\"ts\":1,\"sf\":1},{\"tid\":1,"
                     "\"ts\":2,\"sf\":2},{\"tid\":1,\"ts\":4,\"sf\":1},{\"tid\":2,\"ts\":1,"
                     "\"sf\":2},{\"tid\":2,\"ts\":5,\"sf\":1}],\"stackFrames\":{\"1\":{\"name\":"
                     "\"a\"},\"2\":{\"name\":\"b\",\"parent\":\"1\"}}}"),
        &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "thread 1;a 1\nthread 1;a;b 2\nthread 2;a;b 4\n");
    flm_profile_free(p);
}

/* Where each of them is compared with all before it, this takes minutes. */
static void many_things_with_one_key_are_read(void **state)
{
    (void)state;
    char *text = with_items("[",
                            "{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"name\":\"a\",\"args\":{"
                            "\"External id\":0,\"correlation\":0}}",
                            200000,
                            ",{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"cat\":\"kernel\",\"name\":\"k\","
                            "\"args\":{\"correlation\":5}}]");
    struct flm_profile *p = read_text(trace, text);
    assert_int_equal(lost(p, "launches of GPU work, which is shown without its callers", ""), 1);
    flm_profile_free(p);
    free(text);
    text = with_items("{\"samples\":[{\"ts\":1,\"sf\":1},{\"ts\":2,\"sf\":1}],\"traceEvents\":[],"
                      "\"stackFrames\":{",
                      "\"1\":{\"name\":\"a\"}", 200000, "}}");
    p = read_text(trace, text);
    assert_folded(p, "a 1\n");
    flm_profile_free(p);
    free(text);
}

static void heads_without_events_are_recognized(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "{\"schemaVersion\": 1, \"deviceProperties\": [", "{\"displayTimeUnit\": \"ns\", ",
        "{\"stackFrames\": {\"1\": {\"name\": \"a\", \"category\": \"b\"}",
        "[{\"args\":{},\"cat\":\"a\",\"ph\":\"M\",\"pid\":1"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        assert_true(trace->sniff(flm_bytes_of(heads[i]), false) >= FLM_SNIFF_LIKELY);
    assert_int_equal(trace->sniff(flm_bytes_of("[1, 2]"), true), FLM_SNIFF_NO);
    assert_int_equal(trace->sniff(flm_bytes_of("\"traceEvents\""), true), FLM_SNIFF_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_whole_and_in_parts),
        cmocka_unit_test(results_are_those_of_speedscope),
        cmocka_unit_test(arguments_are_part_of_names_with_the_option),
        cmocka_unit_test(frames_have_the_category_as_module),
        cmocka_unit_test(all_kinds_of_events_are_read),
        cmocka_unit_test(work_of_a_gpu_is_below_the_call_that_launched_it),
        cmocka_unit_test(times_are_exact_to_the_nanosecond),
        cmocka_unit_test(durations_that_are_too_long_are_cut_off),
        cmocka_unit_test(processes_and_threads_may_be_numbers_texts_and_missing),
        cmocka_unit_test(what_is_complete_is_read),
        cmocka_unit_test(events_of_a_profiled_trace_are_a_metric_of_their_own),
        cmocka_unit_test(lines_are_those_of_the_samples_of_their_part),
        cmocka_unit_test(a_long_profile_is_read_whole_with_each_option),
        cmocka_unit_test(long_arguments_are_shortened_and_no_others_lost),
        cmocka_unit_test(stacks_in_a_circle_end),
        cmocka_unit_test(stacks_of_threads_are_below_their_roots),
        cmocka_unit_test(work_is_known_by_its_details_too),
        cmocka_unit_test(allocators_are_counters),
        cmocka_unit_test(many_things_with_one_key_are_read),
        cmocka_unit_test(heads_without_events_are_recognized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
