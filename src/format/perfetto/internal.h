/* internal.h - traces of Perfetto (of Android, Chrome, and of programs with its SDKs): what is kept
 * while one is read.
 *
 *     trace     packet packet packet ...     protobuf, field 1; Trace has nothing else
 *     packet    time | sequence | state of the sequence | one message with data
 *
 *     perfetto.c     the file: packets, their heads, which file has what
 *     fields.c       messages, field by field; keys.c: tables by numbers
 *     sequences.c    what a writer (a sequence) said before: names, frames, defaults
 *     clocks.c       times of many clocks, as times of one
 *     tracks.c       processes, threads, tracks, and their names
 *     events.c       track events: calls, markers, counters
 *     annotations.c  their arguments, as the detail of markers
 *     cpu_profiles.c V8's CPU profiles in traces of Chrome
 *     samples.c      samples of perf, of Chrome, of others; heap profiles
 *     stacks.c       stacks of numbered frames, as a tree; symbols
 *     ftrace.c       what programs wrote into the kernel's trace: calls, counters
 *     states.c       what the scheduler wrote there: threads on CPUs and off them
 *     gpu.c          stages of GPUs: calls on tracks of their queues
 *     finish.c       what needs all packets: calls nest in the order of time, names and symbols of
 *                    addresses may come last
 *
 * What becomes what:
 *
 *     perf_sample, stack_sample           a sample, in the metric of its event
 *     streaming_profile_packet (Chrome)   "samples"
 *     profile_packet (heapprofd)          memory that is not freed, and all that was allocated, by
 *                                         stack; the sums of earlier dumps are counters
 *     Profile, ProfileChunk (Chrome)      samples of V8, in "time"; calls are in "event time" then
 *     track_event BEGIN END, X            calls, nested by format/core/event_stacks.h: "time" on
 *                                         tracks of threads, "track time" on others
 *     INSTANT, i, b e, S F                markers; the last two with a duration
 *     COUNTER                             counters
 *     a call stack of an event            "callstacks", or "callstack weight" where it has one
 *     ftrace print                        by atrace: B E are calls, C counters, S F I markers
 *     sched_switch, sched_waking          states of threads: calls are cut where they change, with
 *                                         "on-cpu" and "off-cpu"
 *     gpu_render_stage_event              calls on a track of their queue
 *     anything else                       counted, and left out
 *
 * Names, frames and stacks have numbers that hold within a sequence, until it is cleared. Frames
 * and stacks are made of them at once, and are one for all sequences; so a sequence keeps only the
 * messages that are valid.
 *
 * Memory: a begin, an end takes 32 bytes (and 12 more while its thread is nested), a sample 40, a
 * point of a counter 24, each side of a switch 16. A packet has 20 bytes of the file at least,
 * mostly 30 to 60; a packed switch 6 to 8. */
#ifndef FLAMEL_FORMAT_PERFETTO_INTERNAL_H
#define FLAMEL_FORMAT_PERFETTO_INTERNAL_H

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "format/core/async_events.h"
#include "format/core/event_stacks.h"
#include "format/core/format.h"
#include "format/protobuf/wire_read.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

struct flm_perfetto_key {
    uint64_t a, b;
};

/* The keys of an array: all.at[i] is the key of item i, a pair of numbers. One function looks up,
 * or adds, for all arrays: a loop for each would make the page larger. */
struct flm_perfetto_keys {
    struct FLM_ARRAY(struct flm_perfetto_key) all;
    struct flm_index index;
};

/* ---- Sequences ------------------------------------------------------------------------------- */

/* Tables of a sequence: the numbers of their fields in InternedData. */
enum flm_perfetto_table {
    FLM_PERFETTO_CATEGORY = 1,
    FLM_PERFETTO_EVENT_NAME = 2,
    FLM_PERFETTO_ANNOTATION_NAME = 3,
    FLM_PERFETTO_FUNCTION_NAME = 5,
    FLM_PERFETTO_FRAME = 6,
    FLM_PERFETTO_CALLSTACK = 7,
    FLM_PERFETTO_BUILD_ID = 16,
    FLM_PERFETTO_PATH = 17,
    FLM_PERFETTO_SOURCE_PATH = 18,
    FLM_PERFETTO_MAPPING = 19,
    FLM_PERFETTO_GPU_SPECIFICATION = 24,
    FLM_PERFETTO_ANNOTATION_TEXT = 29,
    FLM_PERFETTO_TASK = 48,
    FLM_PERFETTO_COUNTER = 50,
    FLM_PERFETTO_TOTAL = 62, /* no table: the sum of an incremental counter, by its track */
    FLM_PERFETTO_STRING = 63 /* of a ProfilePacket: names, paths and build ids in one */
};

struct flm_perfetto_item {
    uint32_t made;      /* the string, frame or stack made of it; FLM_NONE: not yet */
    size_t start, size; /* its message */
    double total;       /* of an incremental counter */
};

/* A sample of a heap, until the last packet of its dump is read. */
struct flm_perfetto_heap_sample {
    uint64_t stack; /* iid */
    uint32_t heap;  /* index */
    bool is_maximum;
    uint64_t values[4]; /* allocated, freed (bytes); the same as counts */
};

struct flm_perfetto_numbers FLM_ARRAY(uint64_t);

struct flm_perfetto_sequence {
    uint32_t id;
    bool has_state; /* it was cleared, and nothing was lost since */
    struct flm_text bytes;
    struct FLM_ARRAY(struct flm_perfetto_item) items;
    struct flm_perfetto_keys keys; /* iid, table */

    /* Defaults of its packets. */
    uint64_t clock, track;
    struct flm_perfetto_numbers counters, double_counters; /* tracks */
    uint32_t metric;                                       /* of samples of perf */

    /* Its thread, by a ThreadDescriptor, and the time that the next one is relative to. */
    bool has_thread, has_reference;
    int64_t pid, tid, reference_ns;

    struct FLM_ARRAY(struct flm_perfetto_heap_sample) heap_samples;
    bool has_heap_index;
    bool has_heap_tables; /* those of the dump are in its packets: not of the next one */
    uint64_t heap_index;  /* of its last ProfilePacket */
};

/* ---- Clocks ---------------------------------------------------------------------------------- */

struct flm_perfetto_moment {
    int64_t ns, offset; /* to the clock of the trace */
};

struct flm_perfetto_clock {
    bool is_incremental; /* a time is one since the last */
    uint64_t unit_ns;
    int64_t last;
    struct FLM_ARRAY(struct flm_perfetto_moment) moments; /* ascending */
    int64_t low, high, offset; /* the last result: good for [low, high) */
};

/* ---- Threads, tracks ------------------------------------------------------------------------- */

/* How good a name is: one takes the place of another that is not better. */
enum flm_perfetto_rank { FLM_PERFETTO_COMMAND = 1, FLM_PERFETTO_LISTED, FLM_PERFETTO_DESCRIBED };

struct flm_perfetto_process {
    uint32_t name, rank;
};

struct flm_perfetto_thread {
    int64_t pid, tid; /* pid -1: not known */
    uint32_t name, rank;
    struct flm_calls calls;
    /* Made when all names are known. */
    bool is_labeled;
    struct flm_label_set labels;
    struct flm_node root;
};

struct flm_perfetto_track {
    uint64_t uuid, parent;
    bool is_described, has_thread, is_incremental;
    int64_t pid;     /* -1: none */
    uint32_t thread; /* has_thread: its index */
    uint32_t name, unit;
    double multiplier;
    struct flm_calls calls;
    bool is_labeled;
    uint32_t lane;   /* of tracks of one name that are not in use at one time: the first of them */
    uint32_t number; /* of those that are: from 0 on */
    struct flm_label_set labels;
    struct flm_node root;
};

/* What an event is on: a thread or a track. */
struct flm_perfetto_lane {
    uint32_t index;
    bool is_track;
};

struct flm_perfetto_marker {
    int64_t time_ns, duration_ns;
    uint32_t name, detail;
    struct flm_perfetto_lane lane;
};

/* A thread comes to a CPU, leaves it, or could: states.c. */
struct flm_perfetto_switch {
    int64_t time_ns;
    uint32_t thread, what;
};

/* A track for work of a queue of a GPU; what overlaps is on another one. */
struct flm_perfetto_gpu_lane {
    uint64_t queue;
    int64_t end_ns;
    uint32_t track;
};

struct flm_perfetto_cpu_profile {
    struct flm_perfetto_lane lane; /* of the thread that is sampled */
    struct flm_v8_profile profile;
};

struct flm_perfetto_point {
    int64_t time_ns;
    double value;
    uint32_t name; /* 0: that of the track */
    struct flm_perfetto_lane lane;
};

/* ---- Stacks and samples ---------------------------------------------------------------------- */

struct flm_perfetto_frame {
    uint32_t function, module, build_id, file, line, kind;
    uint64_t address;
};

struct flm_perfetto_stack {
    uint32_t root, node; /* of the builder: its node below that root; FLM_NONE */
};

/* A line of a symbol: the frames of an address are a run of them, innermost first. */
struct flm_perfetto_line {
    uint32_t function, file, line;
};

struct flm_perfetto_symbol {
    size_t first, count; /* lines */
};

struct flm_perfetto_metric {
    uint32_t name, unit;
    bool is_of_events; /* comes behind the metrics of calls */
    struct flm_metric metric;
};

struct flm_perfetto_sample {
    int64_t time_ns;
    double value;
    uint32_t stack, metric;
    struct flm_perfetto_lane lane;
};

/* What a process allocated, in one of its heaps. */
struct flm_perfetto_heap {
    int64_t pid, time_ns; /* of the last dump */
    uint32_t name;
    uint32_t thread;
};

struct flm_perfetto_allocation {
    uint64_t values[4];
};

/* What is counted, and not shown: the sentences are in finish.c. */
enum flm_perfetto_loss {
    FLM_PERFETTO_CUT,
    FLM_PERFETTO_DAMAGED,
    FLM_PERFETTO_DROPPED,
    FLM_PERFETTO_NEEDS_STATE,
    FLM_PERFETTO_UNRELATED_CLOCK,
    FLM_PERFETTO_TIMELESS,
    FLM_PERFETTO_NEGATIVE,
    FLM_PERFETTO_NO_BEGIN,
    FLM_PERFETTO_OTHER_EVENTS,
    FLM_PERFETTO_NO_STACK,
    FLM_PERFETTO_UNKNOWN_STACK,
    FLM_PERFETTO_SKIPPED,
    FLM_PERFETTO_KERNEL_LOST,
    FLM_PERFETTO_HEAP_PACKETS,
    FLM_PERFETTO_HEAP_INCOMPLETE,
    FLM_PERFETTO_HEAP_DECREASED,
    FLM_PERFETTO_FTRACE,
    FLM_PERFETTO_FTRACE_GAPS,
    FLM_PERFETTO_MANY_METRICS,
    FLM_PERFETTO_MANY_HEAPS,
    FLM_PERFETTO_MANY_LINES,
    FLM_PERFETTO_CIRCLE,
    FLM_PERFETTO_LOSSES
};

/* ---- All of it ------------------------------------------------------------------------------- */

struct flm_perfetto_packet {
    struct flm_perfetto_sequence *sequence;
    uint64_t offset;             /* in the file, of what it is in */
    bool has_time, has_sequence; /* as it stands in the packet */
    uint64_t timestamp, clock;
    int64_t time_ns; /* on the clock of the trace */
    uint32_t field;  /* of its data */
    struct flm_bytes data;
};

struct flm_perfetto {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_wire_input *input; /* of the packet */
    bool is_inside;               /* the packet is in compressed ones */
    bool at_end;                  /* all packets are read: those that waited for a clock are left */

    struct FLM_ARRAY(struct flm_perfetto_sequence) sequences;
    struct flm_perfetto_keys sequence_keys; /* id */
    uint32_t last_sequence;

    struct FLM_ARRAY(struct flm_perfetto_clock) clocks;
    struct flm_perfetto_keys clock_keys; /* id, sequence: of clocks 64 to 127; otherwise 0 */
    uint32_t trace_clock;                /* its id; 0: not known yet */
    struct flm_text snapshots;           /* that have no clock with a known offset yet */
    struct flm_text waiting;             /* packets */

    struct FLM_ARRAY(struct flm_perfetto_process) processes;
    struct FLM_ARRAY(struct flm_perfetto_thread) threads;
    struct FLM_ARRAY(struct flm_perfetto_track) tracks;
    struct FLM_ARRAY(uint32_t) thread_of, thread_of_tid; /* indices of threads */
    struct flm_perfetto_keys process_keys, track_keys;   /* pid; uuid */
    struct flm_perfetto_keys thread_keys, tid_keys;      /* tid, pid; tid */
    uint32_t last_thread, last_track;

    struct FLM_ARRAY(struct flm_perfetto_frame) frames;
    struct FLM_ARRAY(struct flm_perfetto_stack) stacks;
    struct flm_index frame_index;
    struct flm_perfetto_keys stack_keys; /* parent, frame; [0]: the empty stack */
    struct FLM_ARRAY(struct flm_perfetto_symbol) symbols;
    struct FLM_ARRAY(struct flm_perfetto_line) lines;
    struct flm_perfetto_keys symbol_keys; /* address, module and build id */

    struct FLM_ARRAY(struct flm_perfetto_metric) metrics;
    struct FLM_ARRAY(struct flm_perfetto_sample) samples;
    struct FLM_ARRAY(struct flm_perfetto_heap) heaps;
    struct FLM_ARRAY(struct flm_perfetto_allocation) allocations;
    struct flm_perfetto_keys allocation_keys; /* iid, heap and stack */

    struct FLM_ARRAY(struct flm_perfetto_switch) switches;
    struct FLM_ARRAY(int64_t) runs_on; /* by CPU: a tid; 0: not known, or none */
    int64_t last_switch_ns;
    struct FLM_ARRAY(struct flm_perfetto_gpu_lane) gpu_lanes;
    struct FLM_ARRAY(uint32_t) gpu_queues, gpu_stages; /* names, by number: of older traces */

    struct FLM_ARRAY(struct flm_perfetto_cpu_profile) cpu_profiles;
    struct flm_perfetto_keys cpu_profile_keys; /* id, pid */

    struct FLM_ARRAY(struct flm_perfetto_marker) markers;
    struct FLM_ARRAY(struct flm_perfetto_point) points;
    struct flm_async_events async;

    struct flm_text text; /* working memory */
    struct FLM_ARRAY(uint32_t) path;

    uint64_t packet_count;
    uint64_t losses[FLM_PERFETTO_LOSSES];
    uint64_t others[256]; /* packets that are not shown, by field; [0]: the fields from 256 on */
};

static inline bool flm_perfetto_stopped(const struct flm_perfetto *p)
{
    return p->input->reason || flm_builder_failed(p->builder);
}

static inline void flm_perfetto_no_memory(struct flm_perfetto *p)
{
    flm_builder_fail_memory(p->builder);
}

static inline uint32_t flm_perfetto_string(struct flm_perfetto *p, struct flm_bytes text)
{
    return flm_builder_string(p->builder, text.at, text.size).index;
}

/* keys.c: adds a copy of an item to an array of any type. False when memory ran out. */
bool flm_perfetto_push(struct flm_perfetto *p, void *array, const void *item, size_t size);

/* The index of a key; FLM_NONE: it has none. */
uint32_t flm_perfetto_find_key(const struct flm_perfetto_keys *keys, uint64_t a, uint64_t b);

/* The same; a new key is added, with a copy of `item` at the end of `array`. FLM_NONE: memory ran
 * out. */
uint32_t flm_perfetto_entry(struct flm_perfetto *p, struct flm_perfetto_keys *keys, uint64_t a,
                            uint64_t b, void *array, const void *item, size_t size);
void flm_perfetto_clear_keys(struct flm_perfetto_keys *keys);

/* fields.c: the last value of each field of a message, of those below 64. Nearly all messages are
 * read so, and not by loops of their own, which would make the page larger. */
struct flm_perfetto_fields {
    uint64_t numbers, texts; /* bit i: field i is one */
    uint64_t again;          /* bit i: it is there more than once */
    uint64_t number[64];
    struct flm_bytes text[64];
};

void flm_perfetto_read(struct flm_perfetto *p, struct flm_bytes message,
                       struct flm_perfetto_fields *f);
uint64_t flm_perfetto_number(const struct flm_perfetto_fields *f, unsigned field); /* 0: none */
struct flm_bytes flm_perfetto_text(const struct flm_perfetto_fields *f, unsigned field);

/* A string of the builder, "": 0. */
uint32_t flm_perfetto_text_string(struct flm_perfetto *p, const struct flm_perfetto_fields *f,
                                  unsigned field);

static inline bool flm_perfetto_has(const struct flm_perfetto_fields *f, unsigned field)
{
    return (f->numbers | f->texts) >> field & 1;
}

/* The next text or message of that field; false at the end, and where reading stops. */
struct flm_wire flm_perfetto_message(struct flm_perfetto *p, struct flm_bytes bytes);
bool flm_perfetto_next(struct flm_perfetto *p, struct flm_wire *m, uint32_t field,
                       struct flm_bytes *message);

/* The numbers of a repeated field, packed or not. */
struct flm_perfetto_list {
    struct flm_perfetto *p;
    struct flm_wire fields, numbers;
    uint32_t field;
    bool is_real;
};

struct flm_perfetto_list flm_perfetto_list_of(struct flm_perfetto *p, struct flm_bytes message,
                                              uint32_t field, bool is_real);
bool flm_perfetto_next_number(struct flm_perfetto_list *list, uint64_t *number);

/* perfetto.c: the packets in what was compressed. */
void flm_perfetto_read_packet(struct flm_perfetto *p, struct flm_bytes packet, uint64_t offset);

/* sequences.c */
uint32_t flm_perfetto_find_sequence(struct flm_perfetto *p, uint32_t id);
void flm_perfetto_clear_tables(struct flm_perfetto_sequence *s);
void flm_perfetto_clear_state(struct flm_perfetto_sequence *s);
void flm_perfetto_free_sequence(struct flm_perfetto_sequence *s);
void flm_perfetto_read_defaults(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                struct flm_bytes message);
void flm_perfetto_read_interned(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                struct flm_bytes message);

/* Adds an entry of a table, a message with its iid in field 1. */
void flm_perfetto_intern(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint32_t table,
                         struct flm_bytes message);

/* NULL: there is none. Good until the next one is added. */
struct flm_perfetto_item *flm_perfetto_find(const struct flm_perfetto_sequence *s, uint32_t table,
                                            uint64_t iid);
static inline struct flm_bytes flm_perfetto_bytes_of(const struct flm_perfetto_sequence *s,
                                                     const struct flm_perfetto_item *item)
{
    return item->size ? (struct flm_bytes){s->bytes.at + item->start, item->size}
                      : (struct flm_bytes){"", 0};
}

/* The sum of an incremental counter since the state was cleared; NULL when memory ran out. */
double *flm_perfetto_total(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint64_t track);

/* The string of the builder that an entry is; 0: there is none. */
uint32_t flm_perfetto_name(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint32_t table,
                           uint64_t iid);

/* clocks.c */
void flm_perfetto_read_snapshot(struct flm_perfetto *p, uint32_t sequence,
                                struct flm_bytes message);
void flm_perfetto_settle_clocks(struct flm_perfetto *p);
void flm_perfetto_free_clocks(struct flm_perfetto *p);

/* A time of a clock, on that of the trace. False: no snapshot relates them yet; *ns is then the
 * time as it is. */
bool flm_perfetto_trace_time(struct flm_perfetto *p, uint32_t clock, uint32_t sequence,
                             uint64_t time, int64_t *ns);

enum { FLM_PERFETTO_MONOTONIC = 3, FLM_PERFETTO_MONOTONIC_COARSE = 4, FLM_PERFETTO_BOOTTIME = 6 };

/* tracks.c */
void flm_perfetto_read_process_tree(struct flm_perfetto *p,
                                    const struct flm_perfetto_packet *packet);
void flm_perfetto_read_process(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
void flm_perfetto_read_thread(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
void flm_perfetto_read_track(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);

/* The index of a thread; pid -1: whatever process has it. */
uint32_t flm_perfetto_find_thread(struct flm_perfetto *p, int64_t pid, int64_t tid);
uint32_t flm_perfetto_find_track(struct flm_perfetto *p, uint64_t uuid);
void flm_perfetto_name_process(struct flm_perfetto *p, int64_t pid, struct flm_bytes name,
                               enum flm_perfetto_rank rank);
void flm_perfetto_name_thread(struct flm_perfetto *p, uint32_t thread, struct flm_bytes name,
                              enum flm_perfetto_rank rank);

/* Gives all tracks of threads, and threads without a process, to the threads that they are of; and
 * lanes to the others. */
void flm_perfetto_join_tracks(struct flm_perfetto *p);
struct flm_label_set flm_perfetto_labels(struct flm_perfetto *p, struct flm_perfetto_lane lane);
/* Those of a thread, and its state. */
struct flm_label_set flm_perfetto_state_labels(struct flm_perfetto *p, uint32_t thread,
                                               const char *state);
struct flm_node flm_perfetto_root(struct flm_perfetto *p, struct flm_perfetto_lane lane);
struct flm_label_set flm_perfetto_counter_labels(struct flm_perfetto *p,
                                                 struct flm_perfetto_lane lane);

/* events.c */
void flm_perfetto_read_event(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
void flm_perfetto_add_call(struct flm_perfetto *p, struct flm_perfetto_lane lane,
                           const struct flm_call *call);
void flm_perfetto_add_marker(struct flm_perfetto *p, const struct flm_perfetto_marker *marker);
void flm_perfetto_add_point(struct flm_perfetto *p, const struct flm_perfetto_point *point);
void flm_perfetto_add_async(struct flm_perfetto *p, bool begins, struct flm_async_event *event);
uint32_t flm_perfetto_call_frame(struct flm_perfetto *p, uint32_t name, uint32_t category);

/* annotations.c: the arguments of an event as a text: "url: http://..., count: 3"; 0: none. */
uint32_t flm_perfetto_detail(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                             struct flm_bytes event);
/* The first argument that is a text. */
struct flm_bytes flm_perfetto_first_text(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                         struct flm_bytes event);

/* cpu_profiles.c: false where an event of that name is no part of a CPU profile. */
bool flm_perfetto_read_cpu_profile(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                   uint32_t name, uint64_t id, struct flm_bytes event);
void flm_perfetto_add_cpu_profiles(struct flm_perfetto *p);
void flm_perfetto_free_cpu_profiles(struct flm_perfetto *p);

/* samples.c */
void flm_perfetto_read_perf_sample(struct flm_perfetto *p,
                                   const struct flm_perfetto_packet *packet);
void flm_perfetto_read_stack_sample(struct flm_perfetto *p,
                                    const struct flm_perfetto_packet *packet);
void flm_perfetto_read_streaming(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
void flm_perfetto_read_heap(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
uint32_t flm_perfetto_find_metric(struct flm_perfetto *p, struct flm_bytes name, const char *unit,
                                  bool is_of_events);
uint32_t flm_perfetto_perf_metric(struct flm_perfetto *p, struct flm_bytes timebase);
void flm_perfetto_add_sample(struct flm_perfetto *p, const struct flm_perfetto_sample *sample);

/* stacks.c: the index of a stack; FLM_NONE, and a loss, if the sequence does not have all of it. */
uint32_t flm_perfetto_find_stack(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                 uint64_t iid);
uint32_t flm_perfetto_inline_stack(struct flm_perfetto *p, struct flm_bytes message);
void flm_perfetto_read_symbols(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);
/* The node of the builder for a stack, below that root. */
struct flm_node flm_perfetto_node(struct flm_perfetto *p, uint32_t stack, struct flm_node root);
void flm_perfetto_note_modules(struct flm_perfetto *p);

/* ftrace.c */
void flm_perfetto_read_ftrace(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);

/* states.c: a switch or wake-up of the kernel's trace; false for another event. */
bool flm_perfetto_read_sched(struct flm_perfetto *p, uint64_t cpu,
                             const struct flm_perfetto_fields *event);
void flm_perfetto_read_compact_sched(struct flm_perfetto *p, uint64_t cpu,
                                     struct flm_bytes message);
/* The kernel lost events of a CPU. */
void flm_perfetto_lose_sched(struct flm_perfetto *p, uint64_t cpu);

/* The states of threads, one thread after the other, in the order of their indices. */
struct flm_perfetto_states {
    struct flm_perfetto *p;
    struct flm_metric time, on_cpu, off_cpu;
    bool has_on_cpu;
    uint32_t *order; /* of switches: by thread and time */
    size_t next;

    uint32_t thread, state;  /* the state since then, before the next switch */
    int64_t since_ns, at_ns; /* at_ns: what is before is in the profile */
    bool has_span;
    struct {
        int64_t from_ns, to_ns;
        uint32_t state;
    } span;
    uint32_t labeled; /* bit: labels[state] is made */
    struct flm_label_set labels[8];
};

/* `time`: the metric of calls. False when memory ran out, which the builder remembers. */
bool flm_perfetto_states_begin(struct flm_perfetto_states *s, struct flm_perfetto *p,
                               struct flm_metric time);
/* False: nothing is known of this thread. */
bool flm_perfetto_states_thread(struct flm_perfetto_states *s, uint32_t thread);
/* A part of a call, in the order of time: for flm_event_stack.segment. */
void flm_perfetto_states_call(void *states, struct flm_node node, int64_t from_ns, int64_t to_ns);
/* What is behind the last call of the thread. */
void flm_perfetto_states_end(struct flm_perfetto_states *s);
void flm_perfetto_states_clear(struct flm_perfetto_states *s);

/* gpu.c */
void flm_perfetto_read_gpu(struct flm_perfetto *p, const struct flm_perfetto_packet *packet);

/* finish.c: adds all that was kept to the builder. */
void flm_perfetto_finish(struct flm_perfetto *p);
void flm_perfetto_clear(struct flm_perfetto *p);

#endif
