/* recorder.h - taking samples: events opened, rings drained, and a session fed, while a target
 * runs.
 *
 *     limits.h     what the system allows, and what would allow more
 *     request.h    which events, how often, with which stacks      "cycles:u" -> attributes
 *     target.h     a command to start, processes or threads to attach to, or the machine
 *     ring.h       one mapped ring for each processor, read in the order of time
 *     synthesized.h   what was mapped before recording began
 *
 * The recorder's thread sleeps until a ring is a quarter full or a tenth of a second has gone by,
 * and then reads all rings: each sample is unwound where it lies, written to disk as a call chain
 * (perf_stream.h), and added to the session. So nothing piles up, and what is left to do at the end
 * is symbols.
 *
 * Everything that may be refused (rights, limits, a kernel without the event) is tried before the
 * command starts, and is refused with what would allow it. */
#ifndef FLAMEL_RECORD_CAPTURE_RECORDER_H
#define FLAMEL_RECORD_CAPTURE_RECORDER_H

#include "record/session/session.h"

enum flm_stack_mode {
    FLM_STACK_AUTO, /* a copy of the stack, unwound with .eh_frame */
    FLM_STACK_COPY,
    FLM_STACK_POINTER,  /* frame pointers, by the kernel: cheapest where programs have them */
    FLM_STACK_BRANCHES, /* last branch records: the kernel and the processor must have them */
    FLM_STACK_NONE      /* the leaf alone */
};

struct flm_recorder_options {
    /* One of these says what is recorded. */
    char *const *command;     /* terminated by NULL: started, and its children followed */
    const int32_t *processes; /* attached to, with all their threads and children */
    size_t process_count;
    const int32_t *threads;
    size_t thread_count;
    bool machine; /* everything that runs */

    const char *const *events; /* "cycles", "cpu-clock:u", "sched:sched_switch"; none: the best */
    size_t event_count;
    double frequency_hz; /* 0: 999 */
    uint64_t period;     /* one sample in so many events; 0: by frequency */
    enum flm_stack_mode stacks;
    uint32_t stack_size; /* bytes of a copy; 0: 16384 */
    bool off_cpu;
    bool no_kernel;              /* user space alone */
    bool no_inherit;             /* not its children */
    const char *const *runtimes; /* "CPython": whose functions are read (runtime.h), by name */
    size_t runtime_count;
    size_t ring_size;    /* bytes for each processor; 0: as much as is allowed and sensible */
    int64_t duration_ns; /* 0: until the target ends */

    const char *spool; /* where records are kept until the profile is written; NULL: nowhere */
    struct flm_session_options session;
};

struct flm_recorder;

/* Opens everything, and starts the command stopped at its first instruction. NULL, and `why` with
 * what would allow it. */
struct flm_recorder *flm_recorder_new(const struct flm_recorder_options *options,
                                      struct flm_error *why);
void flm_recorder_free(struct flm_recorder *recorder);

/* What was found, for people, a line each: first what is recorded ("cpu-clock (no hardware counters
 * here), 999 Hz, stacks unwound, user space"), then what is not, and what would bring it. */
void flm_recorder_explain(const struct flm_recorder *recorder, struct flm_text *out);

/* Lets the target run, and drains the rings until it ends, the duration is over, or a tick says
 * stop. `tick` is called about ten times a second. */
typedef bool (*flm_recorder_tick)(void *context, struct flm_recorder *recorder);
bool flm_recorder_run(struct flm_recorder *recorder, flm_recorder_tick tick, void *context,
                      struct flm_error *why);

/* Asks a command that still runs to end (SIGTERM), and waits a second at most for it to do so. */
void flm_recorder_end_command(struct flm_recorder *recorder);

/* What it came to. */
struct flm_recorder_result {
    double duration_s, cpu_s;     /* of the target, as far as samples tell */
    double asked_hz, achieved_hz; /* samples per second on a processor; 0: a period was asked for,
                                   * or it cannot be told */
    struct flm_session_counts counts;
    double recorder_cpu_s;
    uint64_t late, damaged; /* records out of order, and such as make no sense */
    uint64_t lost_unsaid;   /* what no LOST record told, but the events' own counts */
    int exit_status;  /* of the command, as waitpid has it; -1: there was none, or it goes on */
    int process_id;   /* of the command; 0: there was none */
    bool chose_event; /* nobody named one */
    bool counts_time; /* the first one is a clock or cycles: what runs is sampled at its rate */
    bool is_limited;  /* we may not record all that we start: what gets rights of others is left */
    double events;    /* of the first one, as the kernel has counted them; samples stand for them */
    uint32_t stack_size;    /* bytes of each stack that were copied; 0: none were */
    const char *event;      /* the first one */
    const char *spool_lost; /* why the rest could not be written to disk; NULL: all was */
};
struct flm_recorder_result flm_recorder_result(const struct flm_recorder *recorder);

/* The session that it fed; the recorder's. A live view may make profiles of it meanwhile. */
struct flm_session *flm_recorder_session(struct flm_recorder *recorder);

#endif
