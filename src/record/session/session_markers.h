/* session_markers.h - markers and counters of a recording: when processes and threads began,
 * executed a program, got a name and ended; and quantities over time.
 *
 *     marker          detail
 *     fork            "of 4710", the parent: a process began
 *     exec            the program, by its path where that is known
 *     exit            how it ended, where that is known: "0", "3", "6 (Aborted)"
 *     thread start    the name that it begins with
 *     thread name     its new name
 *     thread exit
 *
 *     counter
 *     processors busy     from the times at which threads came and left, or from samples
 *     memory              resident memory of a process, or what the machine has in use
 *
 * Both are bounded: markers by number, what is beyond is counted; time by doubling the width of
 * its buckets. */
#ifndef FLAMEL_RECORD_SESSION_SESSION_MARKERS_H
#define FLAMEL_RECORD_SESSION_SESSION_MARKERS_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/builder.h"
#include "record/perf/event.h"

enum flm_session_marker_kind {
    FLM_MARKER_FORK,
    FLM_MARKER_EXEC,
    FLM_MARKER_EXIT,
    FLM_MARKER_THREAD_START,
    FLM_MARKER_THREAD_NAME,
    FLM_MARKER_THREAD_EXIT,
    FLM_MARKER_KINDS
};

struct flm_session_marker {
    int64_t time_ns;
    enum flm_session_marker_kind kind;
    int32_t process, thread;
    struct flm_bytes command;         /* borrowed, as in samples */
    size_t detail_start, detail_size; /* in `details` */
};

/* How many processors were busy, in buckets of time. */
struct flm_busy {
    int64_t first_ns, width_ns;
    struct FLM_ARRAY(double) busy_ns;
};

struct flm_session_point {
    int32_t process; /* -1: the machine */
    int64_t time_ns;
    double bytes;
};

struct flm_session_markers {
    struct FLM_ARRAY(struct flm_session_marker) items;
    struct flm_text details;
    uint64_t left_out;         /* markers and points beyond the most */
    uint64_t details_left_out; /* because details have 16 MiB at most */
    size_t exec_without_path;  /* how many of the last ones may still get theirs */
    struct flm_busy sampled, switched;
    double sampled_every_ns; /* the time for which a sample stands */
    struct FLM_ARRAY(struct flm_session_point) memory;
};

/* {0} is empty. */
void flm_session_markers_clear(struct flm_session_markers *markers);

/* These return false when memory ran out. */
bool flm_session_markers_add(struct flm_session_markers *markers,
                             const struct flm_session_marker *marker, struct flm_bytes detail);

/* The program of a process, which executed one before: what it maps first. */
bool flm_session_markers_program(struct flm_session_markers *markers, int32_t process,
                                 struct flm_bytes path);

/* How a process ended. */
bool flm_session_markers_exit(struct flm_session_markers *markers, int32_t process,
                              struct flm_bytes status);

bool flm_session_markers_memory(struct flm_session_markers *markers, int32_t process,
                                int64_t time_ns, double bytes);

/* The process has ended: it has no memory any more. */
bool flm_session_markers_no_memory(struct flm_session_markers *markers, int32_t process,
                                   int64_t time_ns);

/* Time is counted from then on, unless it is counted already; and a processor was busy in that
 * time. */
void flm_busy_begin(struct flm_busy *busy, int64_t from_ns);
bool flm_busy_add(struct flm_busy *busy, int64_t from_ns, int64_t to_ns);

/* Adds everything to the builder. */
bool flm_session_markers_finish(const struct flm_session_markers *markers,
                                struct flm_builder *builder);

#endif
