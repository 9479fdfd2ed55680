#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const gecko = &flm_format_gecko;
static const struct flm_read_options timed = {.keep_times = true};

/* A file of one thread in every layout, with the tables where its version has them. Frames: main
 * (in app), 0x10 (in lib.so), f of a.js; stacks: main, main;0x10, main;f. */
#define STRINGS "[\"main\",\"app\",\"0x10\",\"lib.so\",\"f\",\"a.js\",\"mark\"]"
#define LIBS                                                                                       \
    "[{\"name\":\"app\",\"debugName\":\"app\"},{\"name\":\"lib.so\",\"breakpadId\":\"AB0\"}]"
#define FUNCS                                                                                      \
    "\"name\":[0,2,4],\"isJS\":[false,false,true],\"resource\":[0,1,-1],"                          \
    "\"lineNumber\":[null,null,7]"
#define FRAMES                                                                                     \
    "\"address\":[5,16,-1],\"inlineDepth\":[0,0,0],\"category\":[0,1,null],\"func\":[0,1,2],"      \
    "\"line\":[null,null,9],\"length\":3"
#define RESOURCES "\"name\":[1,3],\"type\":[1,1]"
#define SAMPLES                                                                                    \
    "\"stack\":[1,null,2,1],\"weight\":[1,1,3,1],\"threadCPUDelta\":[0,1,2,30],"                   \
    "\"weightType\":\"samples\",\"length\":4"
#define META(version)                                                                              \
    "\"meta\":{\"interval\":1,\"startTime\":1577836800000,\"product\":\"app\","                    \
    "\"preprocessedProfileVersion\":" version ",\"sampleUnits\":{\"threadCPUDelta\":\"ns\"},"      \
    "\"categories\":[{\"name\":\"User\"},{\"name\":\"Kernel\"}]}"
#define THREAD "\"name\":\"T\",\"pid\":\"1\",\"tid\":2,\"processName\":\"P\""

static const char *const layouts[] = {
    /* All in the thread. */
    "{" META("41") ",\"libs\":" LIBS ",\"threads\":[{" THREAD ",\"samples\":{" SAMPLES
                   ",\"time\":[0,2,3,5]},\"stackTable\":{\"prefix\":[null,0,0],\"frame\":[0,1,2]},"
                   "\"frameTable\":{" FRAMES "},\"funcTable\":{" FUNCS
                   ",\"fileName\":[null,null,5]},\"resourceTable\":{" RESOURCES
                   ",\"lib\":[0,1]},\"stringArray\":" STRINGS "}]}",
    /* Shared strings and sources, which come last; differences of times. */
    "{\"threads\":[{\"samples\":{" SAMPLES ",\"timeDeltas\":[0,2,1,2]},\"funcTable\":{" FUNCS
    ",\"source\":[null,null,0]},\"stackTable\":{\"frame\":[0,1,2],\"prefix\":[null,0,0]},"
    "\"resourceTable\":{" RESOURCES ",\"lib\":[0,1]},\"frameTable\":{" FRAMES "}," THREAD
    "}],\"libs\":" LIBS "," META("58") ",\"shared\":{\"sources\":{\"filename\":[5]},"
                                       "\"stringArray\":" STRINGS "}}",
    /* All tables shared, distances to callers. */
    "{" META("66") ",\"libs\":" LIBS ",\"threads\":[{" THREAD ",\"samples\":{" SAMPLES
                   ",\"timeDeltas\":[0,2,1,2]}}],\"shared\":{\"stackTable\":{\"frame\":[0,1,2],"
                   "\"prefixOffset\":[0,1,2]},\"frameTable\":{" FRAMES "},\"funcTable\":{" FUNCS
                   ",\"source\":[null,null,0]},\"resourceTable\":{" RESOURCES
                   ",\"lib\":[0,1]},\"sources\":{\"filename\":[5]},\"stringArray\":" STRINGS "}}",
    /* Libraries of frames. */
    "{" META("70") ",\"libs\":" LIBS ",\"threads\":[{" THREAD ",\"samples\":{" SAMPLES
                   ",\"timeDeltas\":[0,2,1,2]}}],\"shared\":{\"stackTable\":{\"frame\":[0,1,2],"
                   "\"prefixOffset\":[0,1,2]},\"frameTable\":{" FRAMES
                   ",\"lib\":[0,1,-1]},\"funcTable\":{" FUNCS
                   ",\"source\":[null,null,0]},\"resourceTable\":{" RESOURCES
                   "},\"sources\":{\"filename\":[5]},\"stringArray\":" STRINGS "}}",
};

/* Whether the times are those of the samples or differences: without the errors of doubles. */
static void the_time_to_the_next_sample_is_what_the_file_says(void **state)
{
    (void)state;
    static const double expected[] = {33.993, 0.999534, 2.011, 1}; /* the last: the interval */
    static const char *const times[] = {"\"time\":[775.000246,808.993246,809.99278,812.00378]",
                                        "\"timeDeltas\":[775.000246,33.993,0.999534,2.011]"};
    for (size_t k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{" META("66") ",\"threads\":[{" THREAD ",\"samples\":{\"stack\":[0,0,0,0],%s}}],"
                                "\"shared\":{\"stackTable\":{\"frame\":[0],\"prefix\":[null]},"
                                "\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},"
                                "\"stringArray\":[\"main\"]}}",
                 times[k]);
        struct flm_profile *p = read_bytes(gecko, flm_bytes_of(text), &timed);
        assert_int_equal(p->sizes.sample_count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_true(flm_sample_value(p, 1, i) == expected[i]);
            assert_int_equal(flm_sample_duration(p, i), (int64_t)(expected[i] * 1e6 + 0.5));
        }
        flm_profile_free(p);
    }
}

static void every_layout_gives_the_same_profile(void **state)
{
    (void)state;
    struct flm_profile *first = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        struct flm_profile *p = read_bytes(gecko, flm_bytes_of(layouts[i]), &timed);
        assert_sound(p);
        assert_folded(p, "T;main;0x10_[k] 2\nT;main;f 3\n");
        assert_metric(p, 0, "samples", "samples", 5, 2);
        assert_metric(p, 1, "time", "ms", 5, 2); /* 2, and the interval for the last; 2 */
        assert_metric(p, 2, "cpu", "ns", 32, 2);
        assert_true(lost(p, "samples without a stack", "") == 1);
        const struct flm_frame_record *main = frame_named(p, "main"), *f = frame_named(p, "f"),
                                      *unknown = frame_named(p, "0x10");
        assert_int_equal(frame_named(p, "T")->kind, FLM_KIND_LABEL);
        assert_int_equal(main->kind, FLM_KIND_NATIVE);
        assert_true(is_string(p, main->module, "app") && main->address == 0);
        assert_int_equal(unknown->kind, FLM_KIND_KERNEL);
        assert_int_equal(unknown->flags, FLM_FRAME_UNSYMBOLIZED);
        assert_true(is_string(p, unknown->module, "lib.so") && unknown->address == 16);
        assert_true(is_string(p, f->file, "a.js") && f->line == 7);
        assert_note(p, "product", "app");
        assert_note(p, "interval", "1 ms");
        assert_note(p, "recorded", "2020-01-01T00:00:00Z");
        assert_int_equal(p->sizes.sample_count, 3);
        assert_true(p->sample_time[1] == 3000000 && p->sample_time[2] == 5000000);
        if (first)
            assert_profiles_equal(p, first);
        else
            first = p;
        if (p != first)
            flm_profile_free(p);
    }
    flm_profile_free(first);
}

static void labels_say_process_thread_and_category(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(gecko, flm_bytes_of(layouts[0]), &timed);
    char *text = described(p);
    assert_non_null(strstr(text, "\"process\"=\"1\""));
    assert_non_null(strstr(text, "\"process name\"=\"P\""));
    assert_non_null(strstr(text, "\"thread\"=\"2\""));
    assert_non_null(strstr(text, "\"thread name\"=\"T\""));
    assert_non_null(strstr(text, "\"category\"=\"Kernel\""));
    assert_non_null(strstr(text, "\"category\"=\"User\"")); /* that of the caller of f */
    free(text);
    flm_profile_free(p);
}

static void threads_of_one_name_are_told_apart_with_the_option(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(gecko, flm_bytes_of(layouts[0]), &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "T 2;main;0x10_[k] 2\nT 2;main;f 3\n");
    flm_profile_free(p);
    p = read_bytes(gecko, flm_bytes_of(layouts[0]),
                   &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "f")->line, 9);
    flm_profile_free(p);
}

/* Rows, with their schema before or behind them; a process inside; the times of its clock. */
static void unprocessed_profiles_have_rows(void **state)
{
    (void)state;
    static const char text[] =
        "{\"label\":\"x\",\"profile\":{\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":0,"
        "\"name\":\"l.so\"}],\"meta\":{\"version\":9,\"interval\":2,\"startTime\":1000},"
        "\"threads\":[{\"name\":\"A\",\"tid\":1,\"samples\":{\"data\":[[1,10],[null,12],[2,13],"
        "[0,20]],\"schema\":{\"stack\":0,\"time\":1}},\"stackTable\":{\"schema\":{\"frame\":1,"
        "\"prefix\":0},\"data\":[[null,0],[0,1],[1,2]]},\"frameTable\":{\"schema\":{\"location\":0,"
        "\"line\":2},\"data\":[[0],[1,null,3],[2]]},\"stringTable\":[\"(root)\","
        "\"g (http://a/b.js:3:4)\",\"0x1010\",\"m\"],\"markers\":{\"schema\":{\"name\":0,"
        "\"time\":1,\"data\":2},\"data\":[[3,11,{\"type\":\"tracing\",\"interval\":\"start\"}],"
        "[3,14,{\"type\":\"tracing\",\"interval\":\"end\"}],[3,15]]}}],"
        "\"processes\":[{\"meta\":{\"startTime\":1500},\"threads\":[{\"name\":\"B\","
        "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,10]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
        "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
        "\"stringTable\":[\"h (in XUL)\"]}]}]}}";
    struct flm_profile *p = read_bytes(gecko, flm_bytes_of(text), &timed);
    assert_sound(p);
    assert_folded(p, "A;(root) 1\nA;(root);g 1\nA;(root);g;0x1010 1\nB;h 1\n");
    assert_metric(p, 1, "time", "ms", 2 + 7 + 2, 3); /* the process of B has no interval */
    assert_true(is_string(p, frame_named(p, "g")->file, "http://a/b.js"));
    assert_int_equal(frame_named(p, "0x1010")->address, 0x10);
    assert_true(is_string(p, frame_named(p, "0x1010")->module, "l.so"));
    assert_true(is_string(p, frame_named(p, "h")->module, "XUL"));
    assert_true(p->sample_time[3] == 510000000);
    assert_int_equal(p->sizes.marker_count, 2);
    assert_true(p->markers[0].time_ns == 11000000 && p->markers[0].duration_ns == 3000000);
    assert_true(p->markers[1].time_ns == 15000000 && p->markers[1].duration_ns == 0);
    flm_profile_free(p);
}

static void processes_may_be_text_in_old_versions(void **state)
{
    (void)state;
    static const char text[] =
        "{\"meta\":{\"version\":3},\"libs\":\"[]\",\"threads\":[\"{\\\"threads\\\":[{\\\"name\\\":"
        "\\\"B\\\",\\\"samples\\\":{\\\"schema\\\":{\\\"stack\\\":0},\\\"data\\\":[[0]]},"
        "\\\"stackTable\\\":{\\\"schema\\\":{\\\"prefix\\\":0,\\\"frame\\\":1},\\\"data\\\":"
        "[[null,0]]},\\\"frameTable\\\":{\\\"schema\\\":{\\\"location\\\":0},\\\"data\\\":[[0]]},"
        "\\\"stringTable\\\":[\\\"h\\\"]}]}\"]}";
    struct flm_profile *p = read_text(gecko, text);
    assert_folded(p, "B;h 1\n");
    flm_profile_free(p);
    assert_refused(gecko, "{\"threads\":[\"{\"]}", 0, "is not the JSON of a process");
}

static void markers_and_counters_are_kept_with_times(void **state)
{
    (void)state;
    static const char text[] =
        "{\"meta\":{\"preprocessedProfileVersion\":60,\"markerSchema\":[{\"name\":\"N\","
        "\"fields\":[{\"key\":\"note\",\"format\":\"unique-string\"}]}],\"categories\":"
        "[{\"name\":\"C\"}]},\"threads\":[{\"name\":\"T\",\"markers\":{\"name\":[0,0,0,0,0,0],"
        "\"startTime\":[1,2,3,null,null,8],\"endTime\":[null,4,null,5,6,null],"
        "\"phase\":[0,1,2,3,3,2],\"category\":[0,0,0,0,0,0],"
        "\"data\":[null,{\"type\":\"Text\",\"name\":\"a\"},{\"type\":\"N\",\"note\":1},null,null,"
        "null]}}],\"shared\":{\"stringArray\":[\"mark\",\"b\"]},\"counters\":[{\"name\":\"malloc\","
        "\"category\":\"Memory\",\"pid\":\"1\",\"samples\":{\"time\":[1,2,3],"
        "\"count\":[10,-3,0]}},{\"name\":\"power\",\"category\":\"power\","
        "\"sampleGroups\":[{\"id\":0,\"samples\":{\"time\":[1,2],\"count\":[7,8]}}]},"
        "{\"name\":\"rows\",\"sample_groups\":[{\"samples\":{\"schema\":{\"time\":0,\"count\":1},"
        "\"data\":[[1,5]]}}],\"display\":{\"graphType\":\"line-accumulated\",\"unit\":\"bytes\"}}]"
        "}";
    struct flm_profile *p = read_bytes(gecko, flm_bytes_of(text), &timed);
    assert_sound(p);
    static const struct {
        int64_t time, duration;
        const char *detail;
    } expected[] = {{1, 0, ""}, {2, 2, "a"}, {3, 2, "b"}, {6, 0, ""}, {8, 0, ""}};
    assert_int_equal(p->sizes.marker_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(p->markers[i].time_ns == expected[i].time * 1000000);
        assert_true(p->markers[i].duration_ns == expected[i].duration * 1000000);
        assert_true(is_string(p, p->markers[i].name, "mark"));
        assert_true(is_string(p, p->markers[i].detail, expected[i].detail));
    }
    assert_int_equal(p->sizes.counter_count, 3);
    double last[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){i});
        struct flm_bytes name = flm_string_bytes(p, points.name.index);
        last[flm_bytes_are(name, "malloc")  ? 0
             : flm_bytes_are(name, "power") ? 1
                                            : 2] = points.value[points.point_count - 1];
    }
    assert_true(last[0] == 7 && last[1] == 8 && last[2] == 5);
    flm_profile_free(p);
}

static void allocations_are_metrics_of_their_own(void **state)
{
    (void)state;
    static const char text[] =
        "{\"threads\":[{\"name\":\"T\",\"stringArray\":[\"f\"],\"funcTable\":{\"name\":[0]},"
        "\"frameTable\":{\"func\":[0]},\"stackTable\":{\"frame\":[0],\"prefix\":[null]},"
        "\"jsAllocations\":{\"stack\":[0,null],\"weight\":[12,1],\"time\":[1,2]},"
        "\"nativeAllocations\":{\"stack\":[0,0],\"weight\":[100,-40],\"time\":[1,2]}}]}";
    for (int i = 0; i < 2; i++) {
        struct flm_profile *p =
            read_bytes(gecko, flm_bytes_of(text), &(struct flm_read_options){.keep_times = i});
        assert_metric(p, 0, "jsAllocations", "bytes", 12, 1);
        assert_metric(p, 1, "nativeAllocations", "bytes", 100, 1);
        assert_metric(p, 2, "nativeDeallocations", "bytes", 40, 1);
        assert_true(lost(p, "samples without a stack", "") == 1);
        flm_profile_free(p);
    }
}

static void weights_have_types(void **state)
{
    (void)state;
    static const char *const types[][2] = {{"tracing-ms", "ms"}, {"bytes", "bytes"}};
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"threads\":[{\"name\":\"T\",\"stringArray\":[\"f\"],\"funcTable\":{\"name\":"
                 "[0]},\"frameTable\":{\"func\":[0]},\"stackTable\":{\"frame\":[0],\"prefix\":"
                 "[null]},\"samples\":{\"stack\":[0],\"weight\":[2.5],\"weightType\":\"%s\"}}]}",
                 types[i][0]);
        struct flm_profile *p = read_text(gecko, text);
        assert_true(flm_profile_total(p, (struct flm_metric){0}) == 2.5);
        assert_true(is_string(p, p->metrics[0].name, types[i][0]));
        assert_true(is_string(p, p->metrics[0].unit, types[i][1]));
        flm_profile_free(p);
    }
}

static void a_function_that_is_always_inlined_is_marked(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        gecko, "{\"threads\":[{\"name\":\"T\",\"stringArray\":[\"f\",\"g\",\"h\"],\"funcTable\":"
               "{\"name\":[0,1,2]},\"frameTable\":{\"func\":[0,1,2,1],\"inlineDepth\":[0,1,2,0]},"
               "\"stackTable\":{\"frame\":[0,1,2,3],\"prefix\":[null,0,1,0]},"
               "\"samples\":{\"stack\":[2,3]}}]}");
    assert_folded(p, "T;f;g 1\nT;f;g;h_[i] 1\n");
    assert_int_equal(frame_named(p, "h")->kind, FLM_KIND_INLINED);
    assert_int_equal(frame_named(p, "g")->kind, FLM_KIND_PLAIN); /* one function, not two */
    flm_profile_free(p);
}

static void the_first_versions_had_files_in_names(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        gecko, "{\"threads\":[{\"name\":\"Content\",\"stringArray\":[\"f (chrome://b:34)\"],"
               "\"funcTable\":{\"name\":[0],\"isJS\":[true],\"resource\":[-1]},\"frameTable\":"
               "{\"func\":[0]},\"stackTable\":{\"frame\":[0],\"prefix\":[null]},"
               "\"samples\":{\"stack\":[0]}}]}");
    assert_folded(p, "GeckoMain;f 1\n");
    assert_true(is_string(p, frame_named(p, "f")->file, "chrome://b"));
    assert_int_equal(frame_named(p, "f")->line, 34);
    flm_profile_free(p);
}

/* Where names are looked up depends on the module: distinct files are distinct modules. */
static void libraries_of_one_name_are_told_apart(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        gecko,
        "{" META("49") ",\"libs\":[{\"name\":\"x.so\",\"path\":\"/a/x.so\",\"codeId\":\"aa\"},"
                       "{\"name\":\"x.so\",\"path\":\"/b/x.so\",\"codeId\":\"bb\"},"
                       "{\"name\":\"x.so\",\"path\":\"/b/x.so\",\"codeId\":\"cc\"},"
                       "{\"name\":\"y.so\",\"path\":\"/y.so\"}],\"threads\":[{" THREAD
                       ",\"samples\":{\"stack\":[0,1,2,3],\"time\":[0,1,2,3]},\"stackTable\":{"
                       "\"frame\":[0,1,2,3],\"prefix\":[null,null,null,null]},\"frameTable\":{"
                       "\"func\":[0,1,2,3],\"address\":[16,16,16,16]},\"funcTable\":{"
                       "\"name\":[0,0,0,0],\"resource\":[0,1,2,3]},\"resourceTable\":{\"lib\":"
                       "[0,1,2,3],\"name\":[0,0,0,0],\"type\":[1,1,1,1]},\"stringArray\":"
                       "[\"0x10\"]}]}");
    assert_sound(p);
    assert_note(p, "mapped x.so", "relative id=aa file=/a/x.so");
    assert_note(p, "mapped /b/x.so", "relative id=bb file=/b/x.so");
    assert_note(p, "mapped x.so (3)", "relative id=cc file=/b/x.so");
    assert_int_equal(flm_profile_note_named(p, "mapped y.so").size, 0); /* it has no id */
    assert_int_equal(p->sizes.frame_count, 6);
    flm_profile_free(p);
}

static void indexes_that_lead_nowhere_are_refused(void **state)
{
    (void)state;
#define FILE(string, func, frame, prefix, stack)                                                   \
    "{\"threads\":[{\"name\":\"T\",\"stringArray\":[\"f\"],\"funcTable\":{\"name\":[" string       \
    "]},\"frameTable\":{\"func\":[" func "]},\"stackTable\":{\"frame\":[" frame                    \
    "],\"prefix\":[" prefix "]},\"samples\":{\"stack\":[" stack "]}}]}"
    struct flm_profile *p = read_text(gecko, FILE("0", "0", "0", "null", "0"));
    assert_folded(p, "T;f 1\n");
    flm_profile_free(p);
    assert_refused(gecko, FILE("1", "0", "0", "null", "0"), 0,
                   "thread 'T': function 0 has a name that is not in the array of strings");
    assert_refused(gecko, FILE("0", "1", "0", "null", "0"), 0,
                   "thread 'T': frame 0 has a function that is not in the table of functions");
    assert_refused(gecko, FILE("0", "0", "-1", "null", "0"), 0,
                   "thread 'T': stack 0 has a frame that is not in the table of frames");
    assert_refused(gecko, FILE("0", "0", "0", "9", "0"), 0,
                   "thread 'T': stack 0 has a caller that is not in the table of stacks");
    assert_refused(gecko, FILE("0", "0", "0", "null", "0.5"), 0,
                   "thread 'T': sample 0 has a stack that is not in the table of stacks");
    assert_refused(gecko, FILE("0", "0", "0,0", "1,0", "1"), 0,
                   "thread 'T': stack 1 is its own caller");
    assert_refused(gecko, "{}", 0, "it has no threads");
    assert_refused(gecko, "{\"threads\":[]}", 0, "it has no threads");
    assert_refused(gecko, "{\"threads\":[1]}", 0, "byte 12: an object is expected here");
}

static const char *const files[] = {"gecko/samply-style-v41.json", "gecko/samply-style-v66.json",
                                    "gecko/fxprof-from-perf-fp.json", "gecko/firefox-59.json"};

static void files_add_up(void **state)
{
    (void)state;
    static const struct {
        double total;
        uint32_t stacks;
    } expected[] = {{482, 193}, {567, 221}, {482, 65}, {38, 8}};
    for (int i = 0; i < 4; i++) {
        struct flm_profile *p = profile_of_file(gecko, files[i]);
        assert_sound(p);
        assert_metric(p, 0, "samples", "samples", expected[i].total, expected[i].stacks);
        flm_profile_free(p);
    }
}

static void they_are_recognized(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_bytes head = {bytes.at, bytes.size < 65536 ? bytes.size : 65536};
        struct flm_error why = {0};
        assert_ptr_equal(
            flm_format_recognize(&flm_formats_pure, head, head.size == bytes.size, &why), gecko);
        free((void *)bytes.at);
    }
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        assert_true(gecko->sniff(flm_bytes_of(layouts[i]), true) >= FLM_SNIFF_SURE);
    /* The beginning of a file of the developer tools, whose profile may come megabytes later. */
    assert_int_equal(
        gecko->sniff(flm_bytes_of("{\"label\":\"\",\"duration\":10.5,\"markers\":[{\"end\":"
                                  "3.5,\"endStack\":null,\"isOffMainThread\":false,"
                                  "\"name\":\"Styles\",\"processType\":2"),
                     false),
        FLM_SNIFF_SURE);
    assert_int_equal(gecko->sniff(flm_bytes_of("{\"version\": 1}"), true), FLM_SNIFF_NO);
    assert_int_equal(gecko->sniff(flm_bytes_of("{\"resourceProfiles\":[],\"dictionary\":{"
                                               "\"stackTable\":[],\"stringTable\":[]}}"),
                                  true),
                     FLM_SNIFF_NO);
    assert_int_equal(gecko->sniff(flm_bytes_of("[{\"frameTable\":1,\"stackTable\":2}]"), true),
                     FLM_SNIFF_NO);
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_profile *whole = read_bytes(gecko, bytes, &timed);
        for (size_t step = 7; step < 10000; step = step * 37 + 1) {
            struct flm_profile *p = read_windows(gecko, bytes, step, &timed);
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
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        for (size_t size = 0; size < strlen(layouts[i]); size++) {
            struct flm_error why = {0};
            assert_null(try_bytes(gecko, (struct flm_bytes){layouts[i], size}, &timed, &why));
            assert_int_equal(why.kind, FLM_ERROR_FORMAT); /* or a word is none: "nul" */
        }
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_bytes *bytes = context;
    struct flm_profile *p = try_bytes(gecko, *bytes, &timed, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        struct flm_bytes bytes = flm_bytes_of(layouts[i]);
        assert_true(assert_survives_failures(read_with_little_memory, &bytes) > 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_gives_the_same_profile),
        cmocka_unit_test(the_time_to_the_next_sample_is_what_the_file_says),
        cmocka_unit_test(labels_say_process_thread_and_category),
        cmocka_unit_test(threads_of_one_name_are_told_apart_with_the_option),
        cmocka_unit_test(unprocessed_profiles_have_rows),
        cmocka_unit_test(processes_may_be_text_in_old_versions),
        cmocka_unit_test(markers_and_counters_are_kept_with_times),
        cmocka_unit_test(allocations_are_metrics_of_their_own),
        cmocka_unit_test(weights_have_types),
        cmocka_unit_test(a_function_that_is_always_inlined_is_marked),
        cmocka_unit_test(the_first_versions_had_files_in_names),
        cmocka_unit_test(libraries_of_one_name_are_told_apart),
        cmocka_unit_test(indexes_that_lead_nowhere_are_refused),
        cmocka_unit_test(files_add_up),
        cmocka_unit_test(they_are_recognized),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
