#include "base/deflate/inflate.h"
#include "format/perfetto/wire_text.h"
#include "profile/label_range.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const perfetto = &flm_format_perfetto;
static const struct flm_read_options keeping = {.keep_times = true};

static struct flm_profile *read_trace(const char *text, const struct flm_read_options *options)
{
    struct flm_text out = {0};
    wire_of_text(text, &out);
    struct flm_profile *p = read_bytes(perfetto, (struct flm_bytes){out.at, out.size},
                                       options ? options : &(struct flm_read_options){0});
    flm_text_clear(&out);
    assert_sound(p);
    return p;
}

static void assert_trace_folded(const char *text, const struct flm_read_options *options,
                                const char *folded)
{
    struct flm_profile *p = read_trace(text, options);
    assert_folded(p, folded);
    flm_profile_free(p);
}

static void assert_trace_refused(const char *text, const char *words)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    wire_of_text(text, &out);
    struct flm_bytes bytes = {out.at, out.size};
    assert_null(try_bytes(perfetto, bytes, &keeping, &why));
    if (!strstr(why.text, words))
        fail_msg("the error is '%s', not '%s'", why.text, words);
    struct flm_profile *p =
        try_bytes(perfetto, bytes, &(struct flm_read_options){.lenient = true}, &why);
    flm_profile_free(p);
    flm_text_clear(&out);
}

static bool has_label(const struct flm_profile *p, const char *key, const char *value)
{
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (is_string(p, p->labels[i].key, key) && is_string(p, p->labels[i].value, value))
            return true;
    return false;
}

static void assert_marker(const struct flm_profile *p, const char *name, int64_t time_ns,
                          int64_t duration_ns, const char *detail)
{
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *marker = &p->markers[i];
        if (is_string(p, marker->name, name) && marker->time_ns == time_ns &&
            marker->duration_ns == duration_ns && is_string(p, marker->detail, detail))
            return;
    }
    fail_msg("there is no marker %s at %lld for %lld: %s", name, (long long)time_ns,
             (long long)duration_ns, detail);
}

/* The i-th counter, and its points as "time value, time value". */
static void assert_counter(const struct flm_profile *p, uint32_t i, const char *name,
                           const char *unit, const char *points)
{
    char text[500] = "";
    assert_true(i < p->sizes.counter_count);
    assert_true(is_string(p, p->counters[i].name, name));
    assert_true(is_string(p, p->counters[i].unit, unit));
    for (uint32_t k = i ? p->counters[i - 1].end : 0; k < p->counters[i].end; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld %g", text[0] ? ", " : "",
                 (long long)p->point_time[k], p->point_value[k]);
    assert_string_equal(text, points);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Three stacks: main;parse, main;[unsymbolized], main in the kernel. Two sequences: the second one
 * has other things under the same numbers. */
#define INTERNED                                                                                   \
    "12{5{1:1 2'main'} 5{1:2 2'parse'} 5{1:3 2'read'} 16{1:1 2\"c0ffee\"} 17{1:1 2'opt'} "         \
    "17{1:2 2'app'} 17{1:3 2'[kernel.kallsyms]'} 19{1:1 2:1 7:1 7:2} 19{1:2 7:3} "                 \
    "6{1:1 2:1 3:1 4:16} 6{1:2 2:2 3:1 4:32} 6{1:3 3:1 4:5000} 6{1:4 2:3 3:2} "                    \
    "7{1:1 2:1 2:2} 7{1:2 2[1 3]} 7{1:3 2:1 2:4}} "

static const char sampled[] =
    "1{8:50 10:7 13:1 59{12{1{2:100 4:1}} 58:3} " INTERNED "}"
    "1{10:7 6{1{1:3 2:1000} 1{1:6 2:5000}}}"
    "1{8:1100 10:7 13:2 66{1:0 2:42 3:43 4:1}}"
    "1{8:1200 10:7 13:2 66{1:0 2:42 3:44 4:2}}"
    "1{8:1300 10:7 13:2 66{1:0 2:42 3:43 4:1}}"
    "1{8:1400 10:7 13:2 66{1:0 2:42 3:43 4:3}}"
    "1{8:1500 10:7 13:2 66{1:0 2:42 3:43}}"
    "1{8:1500 10:7 13:2 66{1:0 2:42 3:43 18:2}}"
    "1{8:1500 10:7 13:2 66{1:0 17:12}}"
    "1{8:1500 10:7 13:2 66{1:0 2:42 3:43 4:99}}"
    "1{8:1500 10:8 13:2 66{1:0 2:42 3:43 4:1}}"
    "1{8:1600 10:8 13:1 12{5{1:1 2'other'} 6{1:1 2:1} 7{1:1 2:1}} 58:6 66{2:42 3:43 4:1}}"
    "1{2{1{1:42 2:1 3'/opt/app' 3'-x'} 2{1:43 3:42 2'worker'}}}";

static uint32_t count_nodes_of(const struct flm_profile *p, const char *function)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        count += is_string(p, p->frames[p->node_frame[i]].function, function);
    return count;
}

static void samples_of_perf_count_by_stack_and_event(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(sampled, NULL);
    assert_metric(p, 0, "cpu-clock", "samples", 4, 3);
    assert_metric(p, 1, "samples", "samples", 1, 1);
    const struct flm_frame_record *unknown = frame_named(p, "0x1388");
    assert_int_equal(unknown->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(unknown->address, 5000);
    assert_true(is_string(p, unknown->module, "/opt/app"));
    assert_note(p, "mapped /opt/app", "relative id=c0ffee");
    assert_int_equal(frame_named(p, "read")->kind, FLM_KIND_KERNEL);
    assert_true(lost(p, "samples that were taken without a stack", "") == 1);
    assert_true(lost(p, "samples whose stack the profiler skipped", "") == 1);
    assert_true(lost(p, "samples whose stack, or a frame of it, is missing", "") == 1);
    assert_true(lost(p, "lost samples", "") == 12);
    assert_true(lost(p, "packets that need one that was lost", "") == 1);
    flm_profile_free(p);
    assert_trace_folded(sampled, &(struct flm_read_options){.by_thread = true},
                        "thread 44;main;0x1388 1\nworker 43;main;parse 2\n"
                        "worker 43;main;read_[k] 1\n");
}

static void samples_have_times_of_one_clock_and_threads(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(sampled, &keeping);
    assert_int_equal(p->sizes.sample_count, 5);
    assert_int_equal(p->sample_time[0], 1600); /* of the clock of the trace */
    assert_int_equal(p->sample_time[1], 5100);
    assert_int_equal(p->sample_time[4], 5400);
    assert_true(has_label(p, "process", "42"));
    assert_true(has_label(p, "process name", "/opt/app"));
    assert_true(has_label(p, "thread", "44"));
    assert_true(has_label(p, "thread name", "worker"));
    flm_profile_free(p);
}

static void symbols_that_come_last_name_addresses(void **state)
{
    (void)state;
    static const char symbols[] =
        " 1{61{1'/opt/app' 2\"c0ffee\" 3{1:5000 2{1'lex' 2'lex.c' 3:7} 2{1'scan' 2'scan.c' 3:9}}}}";
    char text[sizeof sampled + sizeof symbols];
    snprintf(text, sizeof text, "%s%s", sampled, symbols);
    struct flm_profile *p =
        read_trace(text, &(struct flm_read_options){.locations = true, .lines = true});
    assert_true(is_string(p, frame_named(p, "lex")->file, "lex.c"));
    assert_int_equal(frame_named(p, "lex")->line, 7);
    assert_int_equal(frame_named(p, "lex")->kind, FLM_KIND_INLINED);
    assert_int_equal(frame_named(p, "scan")->line, 9);
    flm_profile_free(p);
    p = read_trace(text, NULL);
    assert_int_equal(frame_named(p, "scan")->line, 0);
    flm_profile_free(p);
}

static void inlined_functions_beyond_the_64th_are_counted(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, sampled);
    flm_text_puts(&text, " 1{61{1'/opt/app' 2\"c0ffee\" 3{1:5000");
    for (int i = 0; i < 100; i++)
        flm_text_puts(&text, " 2{1'lex'}");
    flm_text_puts(&text, "}}}");
    flm_text_putc(&text, 0);
    struct flm_profile *p = read_trace(text.at, NULL);
    assert_true(lost(p, "outer functions of addresses with more than 64 inlined ones", "") == 1);
    assert_int_equal(count_nodes_of(p, "lex"), 64);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void samples_of_chrome_and_others_are_metrics(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{10:7 13:1 " INTERNED "44{1:5 2:6 5'main thread' 6:100}}"
                   "1{10:7 54{1:1 1:2 2:1 2:2}}"
                   "1{8:1 10:7 135{1{2:8 3:9} 6:1 9{2'instructions' 3:3 5:10} 11:4}}"
                   "1{8:1 10:7 135{5{1{1'main'} 1{1'leaf' 2'a.c' 3:4}} 11:2}}",
                   &keeping);
    assert_metric(p, 0, "samples", "samples", 4, 3);
    assert_metric(p, 1, "instructions", "instructions", 40, 1);
    assert_int_equal(p->sample_time[2], 101000);
    assert_int_equal(p->sample_time[3], 103000);
    assert_true(is_string(p, frame_named(p, "leaf")->file, "a.c"));
    flm_profile_free(p);
}

/* A profile has no more metrics, and eight of them may be the reader's own. */
static void samples_of_too_many_events_are_counted(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; i < 4090; i++)
        flm_text_format(&text, "1{8:1 10:7 135{5{1{1'f'}} 9{2'm%d'} 11:2}}", i);
    flm_text_putc(&text, 0);
    struct flm_profile *p = read_trace(text.at, NULL);
    assert_int_equal(p->sizes.metric_count, 4088);
    assert_true(lost(p, "samples of more than 4,088 events", "") == 2);
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* ---- Heap profiles --------------------------------------------------------------------------- */

/* Two dumps, the first one in two packets; sums since the recording began. */
static void the_last_dump_of_a_heap_counts_and_others_are_points(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{8:1 10:1 13:1 " INTERNED "}"
                   "1{8:1 10:1 37{7:0 6:1 5{1:42 9:10 11'libc.malloc' 2{1:1 2:100 3:40 5:4 6:1}}}}"
                   "1{8:1 10:1 37{7:1 5{1:42 9:10 11'libc.malloc' 2{1:2 2:7 3:7 5:1 6:1}}}}"
                   "1{8:1 10:1 37{7:2 5{1:42 9:20 11'libc.malloc' 2{1:1 2:150 3:50 5:6 6:2}}"
                   "5{1:42 9:20 11'com.android.art' 6:1 2{1:2 2:8 3:5 5:2 6:1}}}}"
                   "1{8:1 10:1 37{7:4 5{1:42 9:30 2{1:3 8:9 9:3}}}}",
                   &keeping);
    assert_metric(p, 0, "unreleased size", "bytes", 109, 2);
    assert_metric(p, 1, "unreleased count", "count", 4, 1);
    assert_metric(p, 2, "allocated size", "bytes", 166, 3);
    assert_metric(p, 3, "allocated count", "count", 7, 2);
    assert_metric(p, 4, "com.android.art unreleased size", "bytes", 8, 1);
    assert_int_equal(p->sizes.counter_count, 1);
    assert_counter(p, 0, "unreleased size", "", "10 60, 20 100, 30 9");
    assert_true(lost(p, "gaps in the packets of heap profiles", "") == 1);
    assert_true(lost(p,
                     "heap profiles that are incomplete (disconnected, overrun, rejected, or "
                     "stopped by a limit)",
                     "") == 1);
    flm_profile_free(p);
}

static void dumps_of_too_many_heaps_are_counted(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "1{8:1 10:1 13:1 " INTERNED "}1{8:1 10:1 37{7:0 ");
    for (int i = 1; i <= 10003; i++)
        flm_text_format(&text, "5{1:%d 9:10 2{1:1 2:5 5:1}}", i);
    flm_text_puts(&text, "}}");
    flm_text_putc(&text, 0);
    struct flm_profile *p = read_trace(text.at, NULL);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 50000);
    assert_true(lost(p, "dumps of more than 10,000 heaps", "") == 3);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void older_heap_profiles_have_their_own_tables(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(
        "1{8:1 10:1 37{1{1:1 2'libc.so'} 1{1:2 2'malloc'} 4{1:1 7:1} 2{1:1 2:2 3:1 4:8} 3{1:1 2:1} "
        "5{1:7 9:10 2{1:1 2:100 5:4}}}}"
        "1{8:1 10:1 37{7:1 1{1:1 2'libc.so'} 1{1:2 2'calloc'} 4{1:1 7:1} 2{1:1 2:2 3:1 4:9} "
        "3{1:1 2:1} 5{1:7 9:20 2{1:1 2:50 5:1}}}}",
        NULL);
    assert_folded(p, "calloc 50\nmalloc 100\n");
    assert_true(is_string(p, frame_named(p, "malloc")->module, "/libc.so"));
    flm_profile_free(p);
}

/* ---- Track events ---------------------------------------------------------------------------- */

static const char events[] =
    "1{10:1 13:1 59{58:3 11{11:1 31:9}} 12{1{1:1 2'cat'} 2{1:1 2'main'} 2{1:2 2'parse'} 3{1:1 "
    "2'url'}} 60{1:1 2'Worker' 4{1:42 2:43 5'worker'}}}"
    "1{10:1 60{1:2 3{1:42 2'/opt/app' 6'app'}}}"
    "1{10:1 60{1:3 5:2 2'uploads'}}"
    "1{10:1 60{1:9 5:1 8{1:1 5:1}}}"
    "1{10:1 60{1:8 5:2 2'memory' 8{3:3 4:1024}}}"
    "1{8:1000 10:1 13:2 11{9:1 10:1 3:1 12:5}}"
    "1{8:1100 10:1 13:2 11{9:1 10:2 3:1 22'x' 12:6}}"
    "1{8:1150 10:1 13:2 11{9:3 23'click' 4{1:1 6'a.html'} 4{10'n' 4:-3} 4{10'real' 5=0.5}}}"
    "1{8:1300 10:1 13:2 11{9:2 12:7}}"
    "1{8:1400 10:1 13:2 11{9:2}}"
    "1{8:1000 10:1 11{9:1 11:3 23'put'}}"
    "1{8:1500 10:1 11{9:2 11:3}}"
    "1{8:1000 10:1 11{9:4 11:8 30:2}}"
    "1{8:2000 10:1 11{9:4 11:8 44=0.5}}"
    "1{8:3000 10:1 11{9:2}}"
    "1{8:3000 10:1 11{9:5 11:3 23'on'}}";

static void events_of_tracks_nest_and_have_names(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(events, &keeping);
    assert_folded(p, "main 200\nmain;parse 200\n");
    assert_metric(p, 0, "time", "ns", 400, 2);
    assert_metric(p, 1, "track time", "ns", 500, 1);
    assert_true(is_string(p, frame_named(p, "main")->module, "cat"));
    assert_true(is_string(p, frame_named(p, "parse")->module, "cat,x"));
    assert_true(has_label(p, "thread", "43"));
    assert_true(has_label(p, "thread name", "worker"));
    assert_true(has_label(p, "process name", "app"));
    assert_true(has_label(p, "thread", "uploads"));
    assert_marker(p, "click", 1150, 0, "url: a.html, n: -3, real: 0.5");
    assert_true(lost(p, "ends of calls that are not open", "") == 1);
    assert_true(lost(p, "flows, states, objects and other events that are no calls", "") == 1);
    flm_profile_free(p);
    assert_trace_folded(events, &(struct flm_read_options){.by_thread = true},
                        "worker 43;main 200\nworker 43;main;parse 200\n");
}

static void counters_have_units_and_may_be_sums(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(events, &keeping);
    assert_int_equal(p->sizes.counter_count, 2);
    assert_counter(p, 0, "memory", "bytes", "1000 2048, 2000 512");
    assert_counter(p, 1, "thread_time", "ns", "1000 5, 1100 11, 1300 18");
    flm_profile_free(p);

    /* The sums are those of a sequence, since it was cleared. */
    p = read_trace("1{10:1 13:1 60{1:9 2'n' 8{5:1}}} 1{10:2 13:1}"
                   "1{8:1 10:1 11{9:4 11:9 30:100}} 1{8:2 10:2 11{9:4 11:9 30:50}}"
                   "1{8:3 10:1 11{9:4 11:9 30:10}} 1{8:4 10:2 11{9:4 11:9 30:5}}"
                   "1{8:5 10:1 13:1 11{9:4 11:9 30:1}}",
                   &keeping);
    assert_counter(p, 0, "n", "", "1 100, 2 50, 3 110, 4 55, 5 1");
    flm_profile_free(p);
}

static void older_events_have_phases_and_relative_times(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{10:1 13:1 12{2{1:1 2'call'} 2{1:2 2'whole'}} 44{1:42 2:43 5'main' 6:100}}"
                   "1{10:1 13:2 11{1:1 6{1:1 2:66}}}"
                   "1{10:1 13:2 11{1:1 6{1:2 2:88 3:3}}}"
                   "1{10:1 13:2 11{1:5 6{1:1 2:69}}}"
                   "1{10:1 13:2 11{16:200 23'load' 6{2:98 6:7}}}"
                   "1{10:1 13:2 11{16:205 23'load' 6{2:101 6:7}}}"
                   "1{10:1 13:2 11{16:206 23'load' 6{2:101 6:7}}}"
                   "1{10:1 13:2 11{16:207 23'endless' 6{2:83 6:9}}}"
                   "1{10:1 13:2 11{16:210 23'thread_name' 4{10'name' 6'renamed'} 6{2:77 19:44}}}"
                   "1{10:1 13:2 11{16:211 23'other' 6{2:88 3:2 19:44}}}"
                   "1{10:1 13:2 11{16:212 23'flow' 6{2:115 6:1}}}"
                   "1{10:1 42:1} 1{10:1 11{1:1 23'late' 6{2:88 3:1}}}",
                   &(struct flm_read_options){.keep_times = true, .by_thread = true});
    assert_folded(p, "main 43;call 3000\nmain 43;call;whole 3000\nrenamed 44;other 2000\n");
    assert_marker(p, "load", 200000, 5000, "");
    assert_marker(p, "endless", 207000, 0, "");
    assert_true(lost(p, "ends of asynchronous events that have no begin", "") == 1);
    assert_true(lost(p, "ends of asynchronous events, which are shown as moments", "") == 1);
    assert_true(lost(p, "flows, states, objects and other events that are no calls", "") == 1);
    assert_true(lost(p, "packets and events without a valid time", "") == 1);
    assert_true(lost(p, "gaps, in which the recorder lost packets", "") == 1);
    flm_profile_free(p);
}

static void tracks_of_one_name_share_lanes_when_they_are_free(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{8:0 10:1 11{9:1 11:11 23'job'}} 1{8:5 10:1 11{9:1 11:12 23'job'}}"
                   "1{8:10 10:1 11{9:2 11:11}} 1{8:12 10:1 11{9:2 11:12}}"
                   "1{8:20 10:1 11{9:1 11:13 23'job'}} 1{8:30 10:1 11{9:2 11:13}}",
                   &keeping);
    assert_metric(p, 0, "track time", "ns", 27, 1);
    assert_int_equal(flm_thread_labels_of(p).threads.count, 2);
    assert_true(has_label(p, "thread", "job"));
    assert_true(has_label(p, "thread", "job 2"));
    flm_profile_free(p);
}

static void stacks_of_events_are_samples(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace("1{10:1 13:1 " INTERNED "60{1:1 4{1:42 2:43}}}"
                                       "1{8:10 10:1 11{9:1 11:1 23'call' 56:1}}"
                                       "1{8:20 10:1 11{9:2 11:1 55{1{1'main'} 1{1'end'}}}}"
                                       "1{8:20 10:1 11{9:3 11:1 23'alloc' 56:1 57=2.5}}",
                                       NULL);
    assert_metric(p, 0, "time", "ns", 10, 1);
    assert_metric(p, 1, "callstacks", "samples", 2, 2);
    assert_metric(p, 2, "callstack weight", "", 2.5, 1);
    flm_profile_free(p);
}

static void what_atrace_writes_into_the_kernels_trace_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(
        "1{10:1 1{1:0 2{1:100 2:43 3{2'B|42|draw'}} 2{1:110 2:43 3{2'B|42|layout\n'}}"
        "2{1:130 2:43 3{2'E|42\n'}} 2{1:150 2:43 3{2'E'}} 2{1:160 2:43 3{2'C|42|fps|60'}}"
        "2{1:170 2:43 3{2'S|42|fetch|7'}} 2{1:175 2:43 3{2'S|42|fetch|7'}}"
        "2{1:180 2:44 3{2'F|42|fetch|7'}} 2{1:190 2:43 3{2'I|42|tap'}} 2{1:191 2:43 4{2:1}}"
        "2{1:200 2:43 3{2'G|42|net|get|1'}} 2{1:210 2:44 3{2'H|42|net|1'}}"
        "2{1:191 2:43 3{2'hello'}} 4{1[1 2 3] 7[1]}}}"
        "1{10:1 2{2{1:43 3:42 2'ui'}}}",
        &keeping);
    assert_folded(p, "draw 30\ndraw;layout 20\n");
    assert_marker(p, "fetch", 170, 10, "");
    assert_marker(p, "get", 200, 10, "");
    assert_marker(p, "tap", 190, 0, "");
    assert_counter(p, 0, "fps", "", "160 60");
    assert_true(has_label(p, "thread name", "ui"));
    assert_true(lost(p, "events of the kernel (ftrace), which are not shown", "") == 5);
    flm_profile_free(p);
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static void clocks_of_sequences_may_count_from_the_last_time(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{10:1 13:1 59{58:64} 6{1{1:3 2:1000} 1{1:6 2:5000}}}"
                   "1{10:1 6{1{1:64 2:1 3:1 4:1000} 1{1:3 2:1000}}}"
                   "1{8:1 10:1 11{9:3 23'a'}} 1{8:2 10:1 11{9:3 23'b'}}"
                   "1{8:7 10:1 58:6 11{9:3 23'c'}}"
                   "1{8:2000 10:1 58:3 11{9:3 23'd'}} 1{10:1 6{1{1:3 2:3000} 1{1:6 2:9000}}}"
                   "1{8:2999 10:1 58:3 11{9:3 23'e'}} 1{8:3000 10:1 58:3 11{9:3 23'f'}}"
                   "1{8:3 10:1 58:99 11{9:3 23'g'}}",
                   &keeping);
    assert_marker(p, "a", 6000, 0, "");
    assert_marker(p, "b", 8000, 0, "");
    assert_marker(p, "c", 7, 0, "");
    assert_marker(p, "d", 6000, 0, "");
    assert_marker(p, "e", 6999, 0, "");
    assert_marker(p, "f", 9000, 0, "");
    assert_marker(p, "g", 3, 0, "");
    assert_true(lost(p,
                     "times of a clock that is not related to that of the trace: they are taken as "
                     "they are",
                     "") == 1);
    flm_profile_free(p);
}

static void packets_wait_for_the_snapshot_of_their_clock(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace("1{8:10 10:1 58:3 11{9:3 23'a'}}"
                                       "1{10:1 6{1{1:3 2:1000} 1{1:6 2:5000}}}",
                                       &keeping);
    assert_marker(p, "a", 4010, 0, "");
    flm_profile_free(p);

    /* Where no snapshot has the clock of the trace, it is the first one that they have. */
    p = read_trace("1{10:1 6{1{1:1 2:900} 1{1:3 2:100}}} 1{8:10 10:1 58:3 11{9:3 23'a'}}",
                   &keeping);
    assert_marker(p, "a", 810, 0, "");
    flm_profile_free(p);
}

/* Of Chrome: the event of a profile is on the thread that is sampled, and its parts are written by
 * another one. Two processes may use the same id. */
static const char cpu_profiles[] =
    "1{10:1 60{1:1 4{1:42 2:43 5'main'}}} 1{10:1 60{1:2 4{1:42 2:44 5'sampler'}}}"
    "1{10:1 60{1:3 4{1:52 2:53 5'other'}}}"
    "1{10:1 13:1 8:1000 59{58:3 11{11:1}} 11{23'Profile' 11:0 6{2:80 6:1} 4{10'data' "
    "9'{\"startTime\":7}'}}}"
    "1{10:2 13:1 8:2000 59{58:3 11{11:2}} 11{23'ProfileChunk' 11:0 6{2:80 6:1} 4{10'data' "
    "9'{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":\"(root)\"},\"id\":1},"
    "{\"callFrame\":{\"functionName\":\"a\",\"url\":\"a.js\",\"lineNumber\":2},\"id\":2,"
    "\"parent\":1}],\"samples\":[2]},\"timeDeltas\":[1]}'}}}"
    "1{10:3 13:1 8:2000 59{58:3 11{11:3}} 11{23'ProfileChunk' 11:0 6{2:80 6:1} 4{10'data' "
    "9'{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":\"x\"},\"id\":2}],"
    "\"samples\":[2,2]},\"timeDeltas\":[0,1000]}'}}}"
    "1{10:2 13:2 8:3000 11{23'ProfileChunk' 11:0 6{2:80 6:1} 4{10'data' "
    "9'{\"cpuProfile\":{\"nodes\":[{\"callFrame\":{\"functionName\":\"b\"},\"id\":3,"
    "\"parent\":2}],\"samples\":[3,2]},\"lines\":[5,6],\"timeDeltas\":[10,20]}'}}}"
    "1{10:2 13:2 8:3000 11{23'ProfileChunk' 11:0 6{2:80 6:1} 4{10'data' 9'{\"cpuProfile\"'}}}"
    "1{10:2 13:2 8:3000 11{23'Sample' 11:0 6{2:80 6:1}}}"
    "1{10:1 13:2 8:4000 11{9:1 11:1 23'task'}} 1{10:1 13:2 8:9000 11{9:2 11:1}}";

static void profiles_of_v8_in_events_are_samples(void **state)
{
    (void)state;
    assert_trace_folded(cpu_profiles, NULL, "a 10\na;b 20\nx 1000\n");
    struct flm_profile *p = read_trace(cpu_profiles, &keeping);
    assert_true(is_string(p, p->metrics[0].name, "time") && is_string(p, p->metrics[0].unit, "us"));
    assert_true(is_string(p, p->metrics[1].name, "event time"));
    assert_true(lost(p, "packets that are damaged", "") == 1);
    assert_true(lost(p, "flows, states, objects and other events that are no calls", "") == 1);
    assert_true(has_label(p, "thread name", "main"));
    assert_true(has_label(p, "thread name", "other"));
    assert_false(has_label(p, "thread name", "sampler"));
    bool has_first = false; /* the profile starts at 7 us, and its first sample 1 us later */
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        has_first |= p->sample_time[i] == 8000 && flm_sample_value(p, 0, i) == 10;
    assert_true(has_first);
    flm_profile_free(p);
    assert_trace_folded("1{10:1 8:1 11{23'ProfileChunk' 6{2:80 6:1} 4{10'data' 9'{\"cpuProfile\":{"
                        "\"nodes\":[{\"id\":1,\"children\":[2]},{\"id\":2,\"children\":[1]}]}}'}}}",
                        NULL, "");
}

/* ---- The file -------------------------------------------------------------------------------- */

static void packets_of_other_kinds_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{8:1 10:1 9{1:1}} 1{8:1 9{}} 1{8:1 103{}} 1{8:1 300{}} 1{36'x'}", NULL);
    assert_true(lost(p, "packets that are not shown: process_stats", "") == 2);
    assert_true(lost(p, "packets of other kinds, which are not shown", "") == 2);
    assert_int_equal(p->sizes.loss_count, 2);
    flm_profile_free(p);
}

/* zlib, stored: 2{1:43 3:42 2'ui'}; and as fixed codes by zlib. */
static void compressed_packets_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"perfetto/deflate.pftrace", "perfetto/zstd.pftrace"};
    struct flm_profile *plain = read_trace(events, &keeping);
    for (int i = 0; i < 2; i++) {
        struct flm_bytes bytes = file_bytes(names[i]);
        struct flm_profile *p = read_bytes(perfetto, bytes, &keeping);
        assert_profiles_equal(p, plain);
        flm_profile_free(p);
        free((void *)bytes.at);
    }
    flm_profile_free(plain);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_refused(perfetto, "", 0, "it has no packets");
    assert_refused(perfetto, "\n\x7f", 0, "its first packet is cut off");
    assert_trace_refused("1{8:1 10:1} 2{1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1}",
                         "no packet begins here");
    assert_trace_refused("1{8:1 10:1 66\"08\"}", "byte 10: a number is cut off");
    assert_trace_refused("1{8:1 10:1 50'xyz'}", "its compressed bytes are not of zlib");
    assert_trace_refused("1{8:1 10:1 133'xyz'}", "its compressed bytes (zstd) are damaged");
    struct flm_text out = {0};
    wire_of_text("1{8:1 10:1 66\"08\"} 1{8:1 10:1 11{9:3 23'a'}}", &out);
    assert_non_null(out.at);
    struct flm_profile *p =
        try_bytes(perfetto, (struct flm_bytes){out.at, out.size},
                  &(struct flm_read_options){.lenient = true, .keep_times = true}, &why);
    assert_non_null(p);
    assert_true(lost(p, "packets that are damaged", "") == 1);
    assert_marker(p, "a", 1, 0, "");
    flm_profile_free(p);
    flm_text_clear(&out);
}

static void other_protobuf_files_are_other_formats(void **state)
{
    (void)state;
    static const char *const files[] = {"pprof/go-cpu-labels.pb", "pprof/go-heap.pb",
                                        "otlp/times.otlp", "otlp/async-profiler.otlp"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_bytes head = {bytes.at, bytes.size < 65536 ? bytes.size : 65536};
        assert_ptr_not_equal(flm_format_recognize(&flm_formats_pure, head, true, NULL), perfetto);
        free((void *)bytes.at);
    }
    static const char *const texts[] = {"\n\n\n\n", "\nmain;parse 12\n", "\nr main 1\n"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(perfetto->sniff(flm_bytes_of(texts[i]), true), FLM_SNIFF_NO);
    const char *const ours[] = {sampled, events, "1{2{1{1:42 3'a'}}} 1{1{1:0 2{1:1 2:2}}}"};
    for (int i = 0; i < 3; i++) {
        struct flm_text out = {0};
        wire_of_text(ours[i], &out);
        struct flm_bytes bytes = {out.at, out.size};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, NULL), perfetto);
        flm_text_clear(&out);
    }
}

static const char *const whole[] = {sampled, events, cpu_profiles};

static void a_shortened_file_is_read_or_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flm_text out = {0};
        wire_of_text(whole[i], &out);
        for (size_t size = 0; size < out.size; size++) {
            struct flm_error why = {0};
            char *part = malloc(size + 1);
            assert_non_null(part);
            memcpy(part, out.at, size);
            struct flm_bytes bytes = {part, size};
            perfetto->sniff(bytes, true);
            struct flm_profile *p = try_bytes(perfetto, bytes, &keeping, &why);
            if (p)
                assert_sound(p);
            else
                assert_int_equal(why.kind, FLM_ERROR_FORMAT);
            flm_profile_free(p);
            free(part);
        }
        flm_text_clear(&out);
    }
}

static void small_windows_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flm_text out = {0};
        wire_of_text(whole[i], &out);
        struct flm_bytes bytes = {out.at, out.size};
        struct flm_profile *at_once = read_bytes(perfetto, bytes, &keeping);
        for (size_t step = 1; step < 30; step += 7) {
            struct flm_profile *p = read_windows(perfetto, bytes, step, &keeping);
            assert_profiles_equal(p, at_once);
            flm_profile_free(p);
        }
        flm_profile_free(at_once);
        flm_text_clear(&out);
    }
}

static bool read_one(void *context, struct flm_error *why)
{
    const struct flm_read_options options = {.keep_times = true, .by_thread = true};
    struct flm_profile *p = try_bytes(perfetto, *(struct flm_bytes *)context, &options, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct flm_text out = {0};
        struct flm_bytes bytes;
        if (i < 3) {
            wire_of_text(whole[i], &out);
            bytes = (struct flm_bytes){out.at, out.size};
        } else {
            bytes = file_bytes(i == 3 ? "perfetto/deflate.pftrace" : "perfetto/zstd.pftrace");
        }
        assert_true(assert_survives_failures(read_one, &bytes) > 20);
        free((void *)bytes.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_perf_count_by_stack_and_event),
        cmocka_unit_test(samples_have_times_of_one_clock_and_threads),
        cmocka_unit_test(symbols_that_come_last_name_addresses),
        cmocka_unit_test(inlined_functions_beyond_the_64th_are_counted),
        cmocka_unit_test(samples_of_chrome_and_others_are_metrics),
        cmocka_unit_test(the_last_dump_of_a_heap_counts_and_others_are_points),
        cmocka_unit_test(samples_of_too_many_events_are_counted),
        cmocka_unit_test(dumps_of_too_many_heaps_are_counted),
        cmocka_unit_test(older_heap_profiles_have_their_own_tables),
        cmocka_unit_test(events_of_tracks_nest_and_have_names),
        cmocka_unit_test(counters_have_units_and_may_be_sums),
        cmocka_unit_test(older_events_have_phases_and_relative_times),
        cmocka_unit_test(tracks_of_one_name_share_lanes_when_they_are_free),
        cmocka_unit_test(stacks_of_events_are_samples),
        cmocka_unit_test(what_atrace_writes_into_the_kernels_trace_is_read),
        cmocka_unit_test(clocks_of_sequences_may_count_from_the_last_time),
        cmocka_unit_test(packets_wait_for_the_snapshot_of_their_clock),
        cmocka_unit_test(packets_of_other_kinds_are_counted),
        cmocka_unit_test(compressed_packets_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(other_protobuf_files_are_other_formats),
        cmocka_unit_test(a_shortened_file_is_read_or_refused),
        cmocka_unit_test(small_windows_change_nothing),
        cmocka_unit_test(profiles_of_v8_in_events_are_samples),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
