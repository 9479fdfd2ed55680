/* event_stacks.h - calls that begin and end at times, as stacks with the time that is their own.
 *
 *     main    |=============================|        segments
 *     parse       |================|                 main              0..2   9..13
 *     read            |=======|                      main;parse        2..4   7..9
 *             0   2   4       7    9        13       main;parse;read   4..7
 *
 * Two layers, one thread at a time:
 *
 *     flm_event_stack   the open calls. It is told what opens and closes in the order of time, and
 *                       gives each stack the segments in which it did not change: as samples with
 *                       a time and a duration, or as sums alone.
 *     flm_calls         begins, ends and whole calls in any order. They are collected, sorted, and
 *                       nested by the rules that are in event_stacks.c.
 *
 * A call that takes no time has no segment, so it is no part of the profile. Two calls of one
 * function in a row are one stack, as everywhere in a profile.
 *
 * Memory: an open call takes 16 bytes; a call of flm_calls 32 until it is nested, and 12 more while
 * its thread is. */
#ifndef FLAMEL_FORMAT_CORE_EVENT_STACKS_H
#define FLAMEL_FORMAT_CORE_EVENT_STACKS_H

#include "base/core/array.h"
#include "flamel/builder.h"

/* ---- In the order of time -------------------------------------------------------------------- */

/* When something happened: on a clock, and in the unit of the metric, which need not be one of
 * time. */
struct flm_event_time {
    int64_t ns;   /* FLM_NO_TIME: there is no clock */
    double value; /* of a stack whose unit_ns is 0 */
};

struct flm_open_call {
    struct flm_node node;
    uint32_t name;  /* the caller's: what an end may call it by */
    bool is_ending; /* its end came while calls above it were open */
};

struct flm_event_stack {
    struct flm_builder *builder;
    struct flm_metric metric;
    double unit_ns; /* nanoseconds in one of the metric's unit: a value is a difference of times; 0:
                       it is a difference of flm_event_time.value */
    bool keep_times;

    /* Where a call of flm_calls with a mark is, if not simply below the open ones: its own node, of
     * which `parent` is that of the innermost open call. `context` is that of flm_calls_nest. NULL:
     * all calls are below each other. */
    struct flm_node (*place)(void *context, uint32_t mark, struct flm_node parent);

    /* Takes the parts in which a stack does not change, in the order of time, in place of the
     * builder: for who has more to say of them. NULL: they are samples, or sums. */
    void (*segment)(void *context, struct flm_node node, int64_t from_ns, int64_t to_ns);
    void *segment_context;

    struct flm_label_set labels; /* these two are of the thread */
    struct flm_node root;        /* below which its stacks are */

    struct FLM_ARRAY(struct flm_open_call) open;
    struct flm_event_time at;          /* of the last change */
    struct FLM_ARRAY(int64_t) self_ns; /* by node: sums in nanoseconds are exact */
};

/* Begins a thread, with no open calls. */
void flm_event_stack_begin(struct flm_event_stack *stack, struct flm_label_set labels,
                           struct flm_node root);

/* Opens a call of `frame` above the open ones. A time before the last change counts as that one's.
 * Returns the node of the stack; the root when memory ran out, which the builder remembers. */
struct flm_node flm_event_stack_open(struct flm_event_stack *stack, struct flm_frame frame,
                                     uint32_t name, struct flm_event_time at);

/* Closes the innermost call; false if none is open. */
bool flm_event_stack_close(struct flm_event_stack *stack, struct flm_event_time at);

/* Closes all calls at the time of the last change; returns how many were open. */
size_t flm_event_stack_end(struct flm_event_stack *stack);

/* Hands sums that were collected to the builder, and frees what the stack has. */
void flm_event_stack_finish(struct flm_event_stack *stack);

/* ---- In any order ---------------------------------------------------------------------------- */

/* One event. Names tell which begin an end belongs to; they are the caller's numbers. */
struct flm_call {
    int64_t time_ns;
    int64_t duration_ns; /* FLM_CALL_BEGIN, FLM_CALL_END; otherwise of a whole call */
    uint32_t frame;      /* of the profile; not used of an end */
    uint32_t name;       /* FLM_NONE: an end of whatever is open */
    uint32_t mark;       /* the caller's; FLM_NONE: none */
};

enum { FLM_CALL_BEGIN = -1, FLM_CALL_END = -2 };

struct flm_calls FLM_ARRAY(struct flm_call);

/* What did not fit while calls were nested. */
struct flm_calls_lost {
    uint64_t unmatched; /* ends of calls that are not open */
    uint64_t crossing;  /* ends of calls above which others are open, which ended with these */
    uint64_t open;      /* calls without an end: they last until the last event */
};

/* Nests all calls of one thread, between flm_event_stack_begin and flm_event_stack_finish, and
 * empties `calls`. `opened`, which may be NULL, is called for each call with a mark when its node
 * is known. `lost` is added to. False when memory ran out. */
bool flm_calls_nest(struct flm_calls *calls, struct flm_event_stack *stack,
                    void (*opened)(void *context, uint32_t mark, struct flm_node node),
                    void *context, struct flm_calls_lost *lost);

/* Makes losses of the profile of what did not fit. */
void flm_calls_count_lost(const struct flm_calls_lost *lost, struct flm_builder *builder);

#endif
