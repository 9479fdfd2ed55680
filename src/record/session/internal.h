/* internal.h - a session: session.c collects events, finish.c names their locations. */
#ifndef FLAMEL_RECORD_SESSION_INTERNAL_H
#define FLAMEL_RECORD_SESSION_INTERNAL_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "profile/internal.h"
#include "record/perf/owned_string.h"
#include "record/process/process_map.h"
#include "record/sched/switches.h"
#include "record/session/aggregation.h"
#include "record/session/locations.h"
#include "record/session/session.h"
#include "record/session/session_markers.h"
#include "record/session/stacks.h"

/* The most frames of a stack; of a deeper one the outermost are lost. The kernel's call chains have
 * at most 127 by default (kernel.perf_event_max_stack), unwound stacks may have more. */
enum { FLM_DEEPEST_STACK = 1024 };

/* The names of frames that are not code: commands and threads; each once. */
struct flm_session_labels {
    struct FLM_ARRAY(struct flm_owned_string) items;
    struct flm_index index;
};

struct flm_session_event {
    struct flm_owned_string name;
    bool has_period; /* else a sample counts 1 */
    bool is_known;   /* it has a sample */
    bool lasts;      /* a sample is of a time that begins with it */
};

struct flm_session_loss {
    const char *what;
    double count;
    uint64_t first_offset;
};

struct flm_session_note {
    struct flm_owned_string key;
    struct flm_text value;
};

/* A function of an interpreter. */
struct flm_session_code {
    uint64_t address;
    struct flm_text text; /* function, file and module, end to end */
    size_t function_size, file_size;
    uint32_t line, frame_kind;
};

/* The last value of a counter in a group. */
struct flm_session_counter {
    uint64_t id, value;
};

struct flm_session {
    struct flm_session_options options;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
    struct flm_locations locations;
    struct flm_stacks stacks;
    struct flm_switches switches;
    struct flm_aggregation aggregation;
    struct flm_session_markers markers; /* if times are kept */
    bool sees_switches;                 /* threads are seen to come */
    bool is_in_namespace; /* the scheduler's numbers of threads are other ones than the records' */

    struct FLM_ARRAY(struct flm_session_event) events; /* by the number of their layouts */

    struct flm_session_labels labels;

    struct FLM_ARRAY(struct flm_session_code) codes;
    struct flm_index code_index;

    struct FLM_ARRAY(struct flm_session_counter) counters;
    struct flm_index counter_index;

    /* The stack of a sample, leaf first; and that of the previous sample, with its nodes. */
    uint64_t addresses[FLM_DEEPEST_STACK];
    uint32_t roles[FLM_DEEPEST_STACK];
    size_t depth;
    bool too_deep;      /* deeper than FLM_DEEPEST_STACK */
    bool is_truncated;  /* unwinding did not reach the outermost frame */
    bool was_truncated; /* the same, when it was recorded: its chain has FLM_CODE_TRUNCATED */
    bool at_limit;      /* as deep as the kernel records */
    uint64_t last_addresses[FLM_DEEPEST_STACK];
    uint32_t last_roles[FLM_DEEPEST_STACK];
    uint32_t last_nodes[FLM_DEEPEST_STACK];
    size_t last_depth;
    uint64_t last_changed, last_kernel_changed;
    uint32_t last_root, last_era;

    struct {
        struct flm_bytes command;
        int32_t process, thread;
        uint32_t node; /* 0: none yet */
    } root;            /* of the previous sample */

    uint64_t unwound[FLM_DEEPEST_STACK];
    uint64_t exact[FLM_DEEPEST_STACK / 64];
    uint64_t marked[2 * FLM_DEEPEST_STACK]; /* with markers, for flm_session_unwind */

    bool failed; /* memory ran out in a function that cannot report it */
    int64_t oldest_ns, newest_ns;
    int64_t forgot_ns; /* `newest_ns` when ended processes were forgotten last */
    bool moves_code;   /* a runtime has times: an address may be different code later */
    struct flm_record_counts counts;
    struct FLM_ARRAY(struct flm_session_loss) losses;
    uint64_t rounded_count; /* periods of 2^53 or more that no double is */
    struct FLM_ARRAY(struct flm_session_note) notes;
    uint64_t unwind_ends[FLM_UNWIND_ENDS];
};

/* ---- off_cpu.c: these return false when memory ran out --------------------------------------- */

/* A SWITCH record. */
bool flm_session_add_switch(struct flm_session *session, const struct flm_event *event);

/* The sample of a switch: the stack at which the thread leaves, its state where the event is a
 * tracepoint; without SWITCH records the switch itself. */
bool flm_session_mark_switch(struct flm_session *session, const struct flm_event *event,
                             uint32_t node);

/* A wake-up, as the tracepoint sched:sched_waking has it. */
void flm_session_add_wake(struct flm_session *session, const struct flm_event *event);

/* The thread ran until then, if anybody knows since when. */
bool flm_session_count_busy(struct flm_session *session, int32_t thread, int64_t until_ns);

/* Any other sample: its thread is on a CPU, also where the record of its coming was lost, or was
 * before the recording. */
bool flm_session_see_running(struct flm_session *session, const struct flm_event *event);

/* ---- sample_stack.c: UINT32_MAX stands for a node when memory ran out ------------------------ */

/* The name of a thread; "[unknown]" if no event named it. */
struct flm_bytes flm_session_command(struct flm_session *session, int32_t thread);

/* The node of a thread's command, where its stacks begin; and that of a label below a node. */
uint32_t flm_session_root(struct flm_session *session, const struct flm_event *event,
                          struct flm_bytes command);
uint32_t flm_session_label(struct flm_session *session, uint32_t caller, struct flm_bytes text);

void flm_session_labels_clear(struct flm_session_labels *labels);

/* Whether a sample has a stack dump, and registers to unwind it with. */
bool flm_session_has_stack_dump(const struct flm_event_sample *sample);

/* Stores a sample's stack in `addresses` and `roles`; and finds the node of that stack. */
void flm_session_collect(struct flm_session *session, const struct flm_process *process,
                         const struct flm_event_sample *sample);
uint32_t flm_session_node(struct flm_session *session, const struct flm_process *process,
                          const struct flm_process *kernel, uint32_t root, uint32_t era);

/* ---- session.c ------------------------------------------------------------------------------- */

/* The number of the event for off-CPU time, which is none of the kernel's. */
#define FLM_EVENT_OFF_CPU UINT32_MAX

/* Counts the off-CPU time of threads that have not come back yet. False when memory ran out. */
bool flm_session_end_off_cpu(struct flm_session *session);

/* ---- finish.c: naming ------------------------------------------------------------------------ */

/* The frames that locations become in a builder. */
struct flm_naming {
    struct flm_session *session;
    struct flm_builder *builder;
    struct flm_error *why;

    uint32_t *by_owner;     /* locations, grouped by owner */
    uint32_t *owner_starts; /* the start of each group; one more than there are owners */

    struct FLM_ARRAY(struct flm_frame) frames; /* of all locations, one after the other */
    struct flm_frames_of {
        uint32_t start, count : 31;
        uint32_t is_part : 1; /* the outermost is a part that the compiler has split off */
    } * of_location;

    bool *is_unsymbolized; /* of each location */
    uint32_t location;     /* the current one */
    bool no_symbol;        /* of the current one */
    bool is_part;
    uint64_t address; /* of the current one, in its module; 0: it has none that stays the same */

    uint64_t waits, waits_assumed; /* whose state was not known; and is not */

    struct flm_text name;
};

/* For symbolizers: a string of the builder, and one more frame of the current location; false when
 * memory ran out. */
uint32_t flm_naming_string(const struct flm_naming *naming, struct flm_bytes text);
bool flm_naming_add(struct flm_naming *naming, const struct flm_frame_record *frame);

/* The same, at a line of a file, mostly that of the frame; 0: it is not known. */
bool flm_naming_add_at(struct flm_naming *naming, const struct flm_frame_record *frame,
                       uint32_t file, uint32_t line);

#endif
