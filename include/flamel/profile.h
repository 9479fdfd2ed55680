/* profile.h - the profile: every call stack of a program, stored as one tree in preorder.
 *
 * A stack is a node; its callers are its ancestors. Node 0 is the root: the empty stack. Children
 * follow their parent directly, and stand in one canonical order (by function, then module, file,
 * line, address, kind):
 *
 *     node    0:(root)  1:main  2:read  3:copy  4:write     stacks  main
 *     frame   0         1       3       2       4                   main;read
 *     end     5         5       4       4       5                   main;read;copy
 *     self    0         2       10      3       1                   main;write
 *
 * end[i] is the first node that is not below i: a subtree is a range, totals are one backward
 * loop, and skipping a subtree that is too narrow to see is one assignment, i = end[i].
 *
 *     strings   distinct, in byte order; string 0 is ""         index order is name order
 *     frames    distinct, in canonical order; frame 0 is the root's
 *     nodes     preorder: frame[i], end[i], self[metric][i]
 *     samples   where time or labels are known: time, duration, node, label set, value[metric]
 *     markers   events such as exec: time, duration, name, detail, label set
 *     counters  quantities over time, by name and label set: points of time and value
 *
 * Because strings and frames are sorted and only those in use are kept, equal profiles are equal
 * bytes, comparing two siblings is comparing two integers, and merging profiles is a merge join.
 *
 * A profile never changes once it is made; threads may share it freely. It is one block of
 * memory, laid out as the .flm file is (docs/format.md), or a mapped .flm file. Values of samples
 * may be kept outside the block, in fewer bytes than the doubles of the file.
 *
 * Values are doubles. Integers below 2^53 are exact. A larger value is the double nearest to what
 * was read or summed, at most 1 part in 2^53 away, and FLM_NOTE_ROUNDED counts those that are not
 * exact. Units belong to metrics. */
#ifndef FLAMEL_PROFILE_H
#define FLAMEL_PROFILE_H

#include "flamel/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_profile;

/* Indices into the tables of one profile. Different things have different types, so that a mix-up
 * does not compile. */
struct flm_string {
    uint32_t index;
};
struct flm_frame {
    uint32_t index;
};
struct flm_node {
    uint32_t index;
};
struct flm_metric {
    uint32_t index;
};
struct flm_label_set {
    uint32_t index; /* 0: the empty set */
};
struct flm_counter {
    uint32_t index;
};

#define FLM_NONE UINT32_MAX /* an index that is none */

/* The kind of code that a frame is. The numbers are part of the file format. */
enum flm_kind {
    FLM_KIND_PLAIN = 0,       /* a function; nothing more is known */
    FLM_KIND_NATIVE = 1,      /* machine code of a program or a library */
    FLM_KIND_KERNEL = 2,      /* folded stacks mark it _[k] */
    FLM_KIND_INLINED = 3,     /* _[i] */
    FLM_KIND_JIT = 4,         /* _[j] compiled at run time */
    FLM_KIND_JIT_TIER1 = 5,   /* _[1] compiled at run time, barely optimized (C1) */
    FLM_KIND_INTERPRETED = 6, /* _[0] */
    FLM_KIND_GPU = 7,
    FLM_KIND_WAKER = 8, /* _[w] the stack that woke this one up */
    FLM_KIND_LABEL = 9, /* not code: a command, a thread, a class */
    FLM_KIND_COUNT
};

/* "kernel", "inlined", ...; NULL for a number that is no kind. */
const char *flm_kind_name(uint32_t kind);

enum {
    FLM_FRAME_UNSYMBOLIZED = 1, /* the name stands for an address that no symbol was found for */
    FLM_FRAME_ROOT = 2,         /* frame 0 alone: a frame without a name is not the root */

    /* Some of the samples were in a clone of the function that the compiler made: */
    FLM_FRAME_CONSTPROP = 4, /* lex.constprop.0: for constant arguments */
    FLM_FRAME_ISRA = 8,      /* lex.isra.0: with other arguments */
    FLM_FRAME_PART = 16,     /* lex.part.0: a part of it */
    FLM_FRAME_COLD = 32,     /* lex.cold: a part of it that rarely runs */
    FLM_FRAME_CLONES = 60    /* all of these */
};

/* "constprop+cold" for FLM_FRAME_CONSTPROP | FLM_FRAME_COLD: at most FLM_CLONES_SIZE bytes into
 * `out`, with the zero at the end. Returns the size of the text: 0 when none of these flags is
 * set. */
#define FLM_CLONES_SIZE 32
size_t flm_clones_name(uint32_t flags, char out[FLM_CLONES_SIZE]);

/* A frame, as the file has it. Two frames are the same when all of these are, but for
 * FLM_FRAME_CLONES, of which the one frame has what any of them has: they say something about a
 * function, and do not make it another one. */
struct flm_frame_record {
    uint32_t function; /* string */
    uint32_t module;   /* string: the library or program; "" where it is not known */
    uint32_t file;     /* string */
    uint32_t line;     /* from 1; 0: not known */
    uint64_t address;  /* of an unsymbolized one, where it begins; 0: not known, or not kept */
    uint32_t kind;     /* enum flm_kind */
    uint32_t flags;    /* FLM_FRAME_...; the upper 24 bits are the builder's (chains.h) */
};

/* A place in the function of a frame. A profile keeps those that samples were at, or calls were
 * made from. */
struct flm_location {
    uint64_t address;  /* in the module, as its ELF or DWARF has it; of a call, the byte before the
                         return address; 0: not known. In a file of another tool: as it has them,
                         and the note "mapped MODULE" says what they are relative to */
    uint32_t file;     /* string: of the line; the code of a function may come from several files */
    uint32_t line;     /* from 1; 0: not known */
    uint32_t column;   /* from 1; 0: not known */
    uint32_t reserved; /* 0 */
};

struct flm_metric_record {
    uint32_t name; /* string: "cpu-clock", "samples", "alloc_space" */
    uint32_t unit; /* string: "ns", "bytes", "count", "samples"; "" where it is not known */
};

/* A label of samples: key and value ("thread", "main"). Sorted by key, then value; distinct. */
struct flm_label_record {
    uint32_t key, value; /* strings */
};

/* A fact about the recording: "command", "host", "duration_ns". Sorted by key; keys are
 * distinct. */
struct flm_note_record {
    uint32_t key, value; /* strings */
};

/* Input that a reader or a recorder could not keep: "lost samples", "malformed lines". Sorted by
 * `what`. */
struct flm_loss_record {
    uint32_t what;  /* string */
    uint32_t where; /* string: the first one, as "line 812"; "" where it is not known */
    double count;
};

/* A marker: something that happened at a time, and perhaps lasted. Markers have no value and no
 * stack, and are no part of any sum. Ascending by time. */
struct flm_marker_record {
    int64_t time_ns;     /* on the clock of the samples */
    int64_t duration_ns; /* 0: an instant */
    uint32_t name;       /* string: what kind of thing it is: "exec" */
    uint32_t detail;     /* string: more about this one: "cc1 -O2 lex.c"; "" where there is none */
    uint32_t label_set;  /* whose it is, as of samples: its thread, process; 0: of the recording */
    uint32_t reserved;   /* 0 */
};

/* A counter: a quantity over time, of the whole recording or of what its labels say. Ascending by
 * name, unit and label set; no two have the same. */
struct flm_counter_record {
    uint32_t name;      /* string: "processors busy", "memory" */
    uint32_t unit;      /* string: as units of metrics */
    uint32_t label_set; /* 0: of the recording */
    uint32_t end;       /* of its points, which begin where those of the counter before it end */
};

/* The time of a sample that has none. */
#define FLM_NO_TIME INT64_MIN

/* A text in memory that the profile owns; not terminated, may hold any byte. */
struct flm_name {
    const char *at;
    size_t size;
};

void flm_profile_free(struct flm_profile *profile);

/* How many there are. Strings, frames and nodes count entry 0, the empty one. */
uint32_t flm_profile_string_count(const struct flm_profile *profile);
uint32_t flm_profile_frame_count(const struct flm_profile *profile);
uint32_t flm_profile_node_count(const struct flm_profile *profile);
uint32_t flm_profile_metric_count(const struct flm_profile *profile);
uint32_t flm_profile_sample_count(const struct flm_profile *profile);
uint32_t flm_profile_label_count(const struct flm_profile *profile);
uint32_t flm_profile_label_set_count(const struct flm_profile *profile); /* with the empty one */
uint32_t flm_profile_note_count(const struct flm_profile *profile);
uint32_t flm_profile_loss_count(const struct flm_profile *profile);
uint32_t flm_profile_marker_count(const struct flm_profile *profile);
uint32_t flm_profile_counter_count(const struct flm_profile *profile);
uint32_t flm_profile_location_count(const struct flm_profile *profile);

/* ---- Strings, frames and stacks -------------------------------------------------------------- */

/* Everything that these functions return belongs to the profile, and is good until it is freed.
 * An index must be below its count; nothing else is checked. */

struct flm_name flm_profile_string(const struct flm_profile *profile, struct flm_string string);
const struct flm_frame_record *flm_profile_frame(const struct flm_profile *profile,
                                                 struct flm_frame frame);

/* The node columns: flm_profile_node_count values each. */
const uint32_t *flm_profile_frames(const struct flm_profile *profile);
const uint32_t *flm_profile_ends(const struct flm_profile *profile);
const double *flm_profile_self(const struct flm_profile *profile, struct flm_metric metric);

/* A location; there are none where no lines or addresses are known. They are sorted by frame,
 * address, file, line and column. flamel/annotate.h says what each costs. */
struct flm_location flm_profile_location(const struct flm_profile *profile, uint32_t location);

const struct flm_metric_record *flm_profile_metric(const struct flm_profile *profile,
                                                   struct flm_metric metric);

/* The metric of that name: {FLM_NONE} where there is none. */
struct flm_metric flm_profile_metric_named(const struct flm_profile *profile, const char *name);

/* The metric of that name, or the first that has values when `name` is NULL. False, and `why` with
 * the names of the metrics, when there is none. */
bool flm_metric_find(const struct flm_profile *profile, const char *name, struct flm_metric *metric,
                     struct flm_error *why);

/* Sum of self over all nodes. */
double flm_profile_total(const struct flm_profile *profile, struct flm_metric metric);

/* These fill a column that the caller has: flm_profile_node_count values.
 *
 * Totals: self of the node and of all nodes below it, in the unit of the metric; one backward pass.
 * Parents: parent[0] is FLM_NONE. Depths: the root has 0; returns the largest. */
void flm_profile_totals(const struct flm_profile *profile, struct flm_metric metric, double *total);
void flm_profile_parents(const struct flm_profile *profile, uint32_t *parent);
uint32_t flm_profile_depths(const struct flm_profile *profile, uint32_t *depth);

/* The largest depth, without a column for all of them: 0 when there is only the root. False, and
 * `why`, if memory ran out. */
bool flm_profile_depth(const struct flm_profile *profile, uint32_t *deepest, struct flm_error *why);

/* ---- Samples, labels, notes and losses ------------------------------------------------------- */

/* The sample columns: flm_profile_sample_count values each, ascending by time. A profile that was
 * read from a format without times and labels has none, and its stacks may have more value than
 * its samples where profiles with and without samples were merged.
 *
 *     sample   time        duration   node        label set           value
 *     0        1000200     0          3           1  {thread=main}    250000
 *     1        1250300     310000     4           2  {thread=io}      310000 */

/* Nanoseconds on the profile's own clock, or FLM_NO_TIME. */
const int64_t *flm_profile_sample_times(const struct flm_profile *profile);

/* Nanoseconds from that time on; 0: the sample is a moment, which stands for the time until the
 * next one. What has a duration, such as a wait, is known from its beginning to its end, and its
 * value is spread evenly over it. NULL: no sample has one. */
const int64_t *flm_profile_sample_durations(const struct flm_profile *profile);

const uint32_t *flm_profile_sample_nodes(const struct flm_profile *profile);
const uint32_t *flm_profile_sample_label_sets(const struct flm_profile *profile);

/* The value of a sample, in the unit of the metric. The self value of its node includes it. */
double flm_profile_sample_value(const struct flm_profile *profile, struct flm_metric metric,
                                uint32_t sample);

/* The values of all samples, as doubles. If the profile keeps them in fewer bytes, the first call
 * makes the column, which is freed with the profile; several threads may call it at once. NULL if
 * memory ran out. */
const double *flm_profile_sample_values(const struct flm_profile *profile,
                                        struct flm_metric metric);

/* All labels: flm_profile_label_count records. */
const struct flm_label_record *flm_profile_labels(const struct flm_profile *profile);

/* The labels of a set: indices of labels, ascending. *count receives how many. */
const uint32_t *flm_profile_label_set(const struct flm_profile *profile, struct flm_label_set set,
                                      uint32_t *count);

/* All markers: flm_profile_marker_count records, ascending by time. A profile may have markers and
 * counters without samples, and the times of these may lie outside those of the samples. */
const struct flm_marker_record *flm_profile_markers(const struct flm_profile *profile);

/* One counter. Its value is value[i] from time_ns[i] until time_ns[i + 1], and value[point_count -
 * 1] from the last time on; before the first it is not known. Times ascend, and no two are the
 * same. */
struct flm_counter_points {
    struct flm_string name, unit;
    struct flm_label_set label_set;
    uint32_t point_count; /* at least 1 */
    const int64_t *time_ns;
    const double *value;
};
struct flm_counter_points flm_profile_counter(const struct flm_profile *profile,
                                              struct flm_counter counter);

/* A note whose key begins so says why a module has no symbols, and how to get them: "unsymbolized
 * libc.so.6". Recordings and perf.data have them, of the modules with the most samples. */
#define FLM_NOTE_UNSYMBOLIZED "unsymbolized "

/* A note whose key begins so has the build id of such a module: "build id libc.so.6". */
#define FLM_NOTE_BUILD_ID "build id "

/* A note whose key begins so says where a module was mapped, and which build of it: "mapped
 * /usr/bin/app". */
#define FLM_NOTE_MAPPED "mapped "

/* A note whose key begins so says what the stacks could show and do not, and how to get it: "not
 * shown CPython". */
#define FLM_NOTE_NOT_SHOWN "not shown "

/* How many values of 2^53 and more are not exactly what was read, or the sum of what was read:
 * "12". Such a value was rounded, to 1 part in 2^53. It is counted in each step that rounds it:
 * when it is read, and when values are summed. */
#define FLM_NOTE_ROUNDED "rounded values"

/* "all metrics": every sample had a value in each metric, as in pprof, so that a stack with the
 * value 0 in one of them was seen, and has 0. Without it a sample has the values of its event. */
#define FLM_NOTE_SAMPLE_VALUES "values of a sample"

/* "those that ran": frames have the lines that ran, not those where their functions begin. */
#define FLM_NOTE_LINES "lines"

/* A note whose key begins so has machine code that was compiled while the program ran, for `flamel
 * annotate` and the viewer: nothing that people read. */
#define FLM_NOTE_JIT_CODE "jit code "

/* How the command of a recording ended: "0", "3"; or by a signal: "6 (Aborted)". Neither, where
 * there was no command, it still ran, or the recorder ended it after the duration. */
#define FLM_NOTE_EXIT_STATUS "exit status"
#define FLM_NOTE_SIGNAL "signal"

/* All notes and losses: flm_profile_note_count and flm_profile_loss_count records. */
const struct flm_note_record *flm_profile_notes(const struct flm_profile *profile);
const struct flm_loss_record *flm_profile_losses(const struct flm_profile *profile);

/* The value of the note with that key: {NULL, 0} where there is none. */
struct flm_name flm_profile_note_named(const struct flm_profile *profile, const char *key);

/* ---- Checks and files ------------------------------------------------------------------------ */

/* Every promise above, checked: ranges, nesting, order, uniqueness, finite values. A profile that
 * was opened from a file has passed it. False, and the first broken promise, otherwise. */
bool flm_profile_check(const struct flm_profile *profile, struct flm_error *why);

/* The .flm file of a profile: the same bytes for equal profiles. flm_profile_write hands them to
 * `sink` in chunks; false when the sink says so. */
typedef bool (*flm_profile_sink)(void *context, const void *bytes, size_t size);
bool flm_profile_write(const struct flm_profile *profile, flm_profile_sink sink, void *context);

/* Opens a .flm file that is in memory. It is used in place: nothing is parsed, everything is
 * checked once (checksums, ranges, order), so that no later code has to. The profile keeps the
 * bytes, which must be aligned to 8, and calls `release(context)` when it is freed. On failure the
 * caller still owns them, and `why` names the section and the offset. */
struct flm_profile *flm_profile_open(const void *bytes, size_t size, void (*release)(void *context),
                                     void *context, struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
