/* internal.h - Chrome traces (the Trace Event Format): the state of their reader.
 *
 *     [{"ph": "X", "pid": 1, "tid": 7, "ts": 10.5, "dur": 4, "name": "parse", "cat": "js",
 *       "args": {...}}, ...                        the closing ] may be missing
 *     {"traceEvents": [...], "stackFrames": {...}, "samples": [...], "otherData": {...}, ...}
 *
 *     trace.c     the file: its members, the list of events
 *     event.c     reads an event, and its arguments with
 *     arguments.c
 *     collect.c   what an event becomes: a call, a marker, a counter ...
 *     threads.c   processes and threads, and their names
 *     finish.c    what needs all events: stacks, since calls nest in the order of time, and
 *                 everything that has labels, since names of threads may come last
 *     trace_write.c   and back
 *
 * Which events become what:
 *
 *     B E X                       calls, nested by format/core/event_stacks.h; the metric "time",
 *                                 or "event time" where the trace has CPU profiles or samples too
 *     Profile, ProfileChunk,      V8's CPU profiles (format/v8/profile.h): "time"
 *     CpuProfile
 *     P, "samples"                samples whose stacks are in "stackFrames": "time"
 *     X of kernels and copies     on a GPU (by PyTorch's Kineto): "GPU time", below the stack of
 *                                 the call that launched them, which has the same correlation;
 *                                 JAX and TensorFlow have "kernel_details" in their arguments
 *     i I R n, b e, S F           markers; the last two with a duration
 *     C, i "[memory]"             counters: of PyTorch's allocators, by device
 *     M                           names of processes and threads
 *     s t f, N O D, others        counted, and left out
 *
 * A frame has the name of its event; its module is the category. With the option for lines the
 * arguments of the event are part of its name, as in speedscope. Without it they are not, since
 * those of PyTorch contain sizes and addresses, and hardly two are the same.
 *
 * Times are decimal microseconds; they are read exactly, to the nanosecond. Kineto (and flamel)
 * count them from a "baseTimeNanoseconds", which precedes the events.
 *
 * Memory: 32 bytes for each B, E and X, and 12 more while the calls of its thread are nested. An
 * event takes 60 bytes of the file at least, most take more than 100: a trace of 2 GB needs about
 * 600 MB, without --keep-times. */
#ifndef FLAMEL_FORMAT_TRACE_INTERNAL_H
#define FLAMEL_FORMAT_TRACE_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/json_read.h"
#include "format/core/async_events.h"
#include "format/core/event_stacks.h"
#include "format/core/format.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

struct flm_trace_thread {
    uint32_t process, thread; /* strings of the builder; 0: the event has none */
    uint32_t name;            /* 0: not known */
    struct flm_calls calls;
    /* Made when all names are known. */
    struct flm_label_set labels;
    struct flm_node root;
};

struct flm_trace_process {
    uint32_t process, name; /* strings */
};

/* A call that may have launched GPU work: both then have the same id. */
struct flm_trace_launch {
    int64_t correlation, external; /* -1: none */
    uint32_t node;                 /* of the builder, once the calls are nested */
};

struct flm_trace_gpu {
    int64_t time_ns, duration_ns, correlation, external;
    uint32_t frame, thread;
};

struct flm_trace_marker {
    int64_t time_ns, duration_ns;
    uint32_t name, detail, thread;
};

struct flm_trace_point {
    int64_t time_ns;
    double value;
    uint32_t name, thread;
};

struct flm_trace_sample {
    int64_t time_ns;
    uint32_t thread, stack; /* stack: its id, a string */
};

struct flm_trace_stack_frame {
    uint32_t id, parent; /* strings; parent 0: none */
    uint32_t name;
    uint32_t node; /* of the builder, below `root`; FLM_NONE: not made yet */
    uint32_t root;
};

struct flm_trace_cpu_profile {
    uint64_t key;
    uint32_t thread;
    struct flm_v8_profile profile;
};

/* A member of an event's arguments that is a number. */
struct flm_trace_number {
    uint32_t key; /* string */
    double value;
};

/* The event that is being read. */
struct flm_trace_event {
    char phase; /* 0: it has none */
    bool has_time, has_duration, has_data;
    bool is_work; /* its arguments are those of work of a GPU */
    int64_t time_ns, duration_ns;
    uint32_t name, stack; /* strings */
    int64_t correlation, external;
    uint32_t named;     /* args.name: the name of a thread or process */
    uint32_t url, line; /* of a function, as Hermes (in args) and flamel write it */
    uint32_t detail;    /* args.detail, of markers that flamel writes */
    uint32_t argument_count;
    uint64_t id; /* a hash; 0: none */
    struct flm_text process, thread, category, args;
    struct FLM_ARRAY(struct flm_trace_number) numbers;
    struct flm_v8_profile data; /* a part of a CPU profile, in the args */
};

/* What a category means. */
struct flm_trace_category {
    struct flm_text text;
    uint32_t module; /* string */
    bool is_known, is_gpu_work, is_span;
};

/* The frame of a name and a category, by name: most events have one that others had before. */
enum { FLM_TRACE_FRAMES = 1024 };

struct flm_trace_frame {
    uint32_t name, module, frame; /* frame 0: not known */
};

struct flm_trace {
    struct flm_json json;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;

    struct flm_trace_event event;
    struct flm_json_keys event_keys;
    struct flm_trace_category category; /* of the last event that had one */
    struct flm_trace_frame frames[FLM_TRACE_FRAMES];
    struct FLM_ARRAY(struct flm_trace_thread) threads;
    struct FLM_ARRAY(struct flm_trace_process) processes;
    struct flm_index thread_index, process_index;
    uint32_t last_thread;
    int64_t base_ns; /* times are counted from it; at least 0 */
    bool is_list;    /* the file is a list of events, whose end may be missing; else an object */

    struct FLM_ARRAY(struct flm_trace_launch) launches;
    struct FLM_ARRAY(struct flm_trace_gpu) gpu;
    struct FLM_ARRAY(struct flm_trace_marker) markers;
    struct flm_async_events async;
    struct FLM_ARRAY(struct flm_trace_point) points;
    struct FLM_ARRAY(struct flm_trace_sample) samples;
    struct FLM_ARRAY(struct flm_trace_stack_frame) stack_frames;
    struct flm_index stack_frame_index;
    struct FLM_ARRAY(struct flm_trace_cpu_profile) cpu_profiles;
    struct flm_index cpu_profile_index; /* by key */
    uint64_t event_count, other_count;
    uint64_t without_time, without_begin, negative, too_long;
};

/* The time from `from` to `to`; a longer one than a duration can be is cut, and counted. */
static inline int64_t flm_trace_duration(struct flm_trace *t, int64_t from, int64_t to)
{
    if (from < 0 && to > INT64_MAX + from) {
        t->too_long++;
        return INT64_MAX;
    }
    return to - from;
}

static inline bool flm_trace_stopped(const struct flm_trace *t)
{
    return t->json.failed || flm_builder_failed(t->builder);
}

/* event.c: reads the next value of the JSON, an event or a member of "samples", and collects it. */
void flm_trace_read_event(struct flm_trace *trace, bool is_sample);
void flm_trace_read_stack_frames(struct flm_trace *trace);

/* The index of the stack frame with that id, a string; FLM_NONE: there is none. */
uint32_t flm_trace_find_stack_frame(const struct flm_trace *trace, uint32_t id);

/* arguments.c: reads the next value of the JSON, the arguments of the current event. */
void flm_trace_read_arguments(struct flm_trace *trace);

/* collect.c: keeps what the current event becomes; or only its sample, if it is one of "samples". */
void flm_trace_add_event(struct flm_trace *trace);
void flm_trace_add_sample(struct flm_trace *trace, uint32_t thread);

/* threads.c: the index of the thread of the current event, which is added if it is new. */
uint32_t flm_trace_find_thread(struct flm_trace *trace);
void flm_trace_name_process(struct flm_trace *trace, uint32_t thread, uint32_t name);
void flm_trace_label_threads(struct flm_trace *trace);

/* finish.c: adds all that was kept to the builder. False, and `why`, if the nodes of a CPU profile
 * form a cycle. */
bool flm_trace_finish(struct flm_trace *trace);
void flm_trace_clear(struct flm_trace *trace);

#endif
