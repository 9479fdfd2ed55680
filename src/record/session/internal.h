/* internal.h - a session from inside: what session.c collects, and finish.c names. */
#ifndef FLAMEL_RECORD_SESSION_INTERNAL_H
#define FLAMEL_RECORD_SESSION_INTERNAL_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "record/perf/owned_string.h"
#include "record/runtime/runtime.h"
#include "record/session/aggregation.h"
#include "record/session/locations.h"
#include "record/session/process_map.h"
#include "record/session/session.h"
#include "record/session/stacks.h"
#include "record/session/switches.h"
#include "record/session/unwinder.h"
#include "symbol/registry/preloader.h"

/* The deepest stack that is kept: perf's are at most 127 frames, unwound ones may be deeper. */
enum { FLM_DEEPEST_STACK = 1024 };

/* Commands and threads, as frames are called that are no code; equal ones once. */
struct flm_session_labels {
    struct FLM_ARRAY(struct flm_owned_string) items;
    struct flm_index index;
};

struct flm_session_event {
    struct flm_owned_string name;
    bool has_period; /* else a sample counts 1 */
    bool is_known;   /* a sample of it came */
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

/* What a group's counter was at last. */
struct flm_session_counter {
    uint64_t id, value;
};

struct flm_session {
    struct flm_session_options options;
    struct flm_modules *modules;
    struct flm_preloader *preloader; /* NULL: flm_session_prepare was not called */
    struct flm_processes *processes;
    struct flm_locations locations;
    struct flm_stacks stacks;
    struct flm_switches switches;
    struct flm_aggregation aggregation;

    struct FLM_ARRAY(
        struct flm_session_event) events; /* by the number of their layouts; "off-cpu" behind */

    struct flm_session_labels labels;

    struct FLM_ARRAY(struct flm_session_code) codes;
    struct flm_index code_index;

    struct FLM_ARRAY(struct flm_session_counter) counters;
    struct flm_index counter_index;

    /* The stack of a sample, leaf first; and that of the sample before, with its nodes. */
    uint64_t addresses[FLM_DEEPEST_STACK];
    uint32_t roles[FLM_DEEPEST_STACK];
    size_t depth;
    bool too_deep;      /* for FLM_DEEPEST_STACK */
    bool is_truncated;  /* not unwound to its end */
    bool was_truncated; /* the same, when it was recorded: there is a marker in the chain */
    bool at_limit;      /* as deep as the kernel keeps */
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
    } root;            /* of the sample before */

    uint64_t unwound[FLM_DEEPEST_STACK];
    uint64_t exact[FLM_DEEPEST_STACK / 64];
    uint64_t marked[2 * FLM_DEEPEST_STACK]; /* with markers, for flm_session_unwind */

    bool failed; /* memory ran out where that could not be told */
    int64_t oldest_ns, newest_ns;
    int64_t forgot_ns; /* the newest, when what had ended was forgotten last */
    struct FLM_ARRAY(struct flm_runtime_file) runtime_files; /* that processes have mapped */
    bool moves_code; /* a runtime has times: the same address may be different code later */
    struct flm_record_counts counts;
    struct FLM_ARRAY(struct flm_session_loss) losses;
    struct FLM_ARRAY(struct flm_session_note) notes;
    uint64_t unwind_ends[FLM_UNWIND_ENDS];
};

/* ---- sample_stack.c: UINT32_MAX stands for a node when memory ran out ------------------------ */

/* What a thread is called; "[unknown]" when nobody has said it. */
struct flm_bytes flm_session_command(struct flm_session *session, int32_t thread);

/* The node that a thread's stacks begin with; and that of a label below a node. */
uint32_t flm_session_root(struct flm_session *session, const struct flm_event *event,
                          struct flm_bytes command);
uint32_t flm_session_label(struct flm_session *session, uint32_t caller, struct flm_bytes text);

void flm_session_labels_clear(struct flm_session_labels *labels);

/* Whether a sample has what a stack can be unwound from. */
bool flm_session_has_stack_dump(const struct flm_event_sample *sample);

/* Puts a sample's stack into `addresses` and `roles`; then finds its node. */
void flm_session_collect(struct flm_session *session, const struct flm_process *process,
                         const struct flm_event_sample *sample);
uint32_t flm_session_node(struct flm_session *session, const struct flm_process *process,
                          const struct flm_process *kernel, uint32_t root, uint32_t era);

/* ---- session.c ------------------------------------------------------------------------------- */

/* The event of waiting: none of the kernel's. */
#define FLM_EVENT_OFF_CPU UINT32_MAX

/* The modules that there are locations in, into an array of the caller's; NULL when memory ran
 * out. */
struct flm_module **flm_session_wanted(const struct flm_session *session, size_t *count);

/* Counts the waiting of threads that have not come back. False when memory ran out. */
bool flm_session_end_off_cpu(struct flm_session *session);

#endif
