/* internal.h - a recorder: recorder.c opens and runs it, recorder_records.c takes what the rings
 * have, recorder_agents.c what agents in runtimes have, recorder_notes.c says what was recorded.
 * And its rings: ring_open.c opens them, ring.c reads them. */
#ifndef FLAMEL_RECORD_CAPTURE_INTERNAL_H
#define FLAMEL_RECORD_CAPTURE_INTERNAL_H

#include <poll.h>

#include "record/capture/memory.h"
#include "record/capture/recorder.h"
#include "record/capture/request.h"
#include "record/capture/ring.h"
#include "record/capture/stack_sizes.h"
#include "record/capture/target.h"
#include "record/capture/thread_events.h"
#include "record/events/perf_stream.h"
#include "record/runtime/thread_signals.h"
#include "record/runtimes.h"

enum { FLM_MOST_CHAIN = 8192 };

struct flm_recorder {
    struct flm_record_options options;
    struct flm_limits limits;
    struct flm_request request;
    struct flm_child child;
    struct flm_tasks tasks;
    struct flm_tasks processes; /* those of the options, and what they had started before */
    struct flm_rings *rings;
    struct flm_event_layouts layouts;
    struct flm_stack_sizes *stack_sizes; /* NULL: all stack dumps have one size */
    struct flm_thread_events thread_events;
    int64_t sized_ns; /* when sizes were updated last */
    struct flm_session *session;
    struct flm_perf_stream *spool;
    char spool_lost[256];
    struct flm_attached_runtimes *runtimes; /* NULL: the user wants none */
    struct flm_thread_signals *signals;     /* NULL: no agent wants them, or they are not allowed */
    bool is_hurried;                        /* an interpreter runs: its samples are read at once */
    int64_t unwoken_ns;                     /* when one came by an event that wakes no reader */
    struct flm_readers *readers;            /* on each CPU; NULL: the recorder waits for all */
    struct flm_memory_watch memory;
    int64_t round_ns;  /* when the spool was last written */
    bool may_be_ahead; /* its priority may be raised */
    int priority;      /* before it was raised */

    int64_t started_ns, ended_ns;
    double cpu_before_s, cpu_s; /* of this process */
    uint64_t samples;           /* of the first event */
    uint64_t reported_lost;     /* in LOST records */
    uint64_t chain[FLM_MOST_CHAIN];
};

/* Whether a command is the target; else it is a clock, or there is none. */
bool flm_recorder_records_command(const struct flm_recorder *r);

/* How long to sleep: until the duration is over, or a tenth of a second. If an interpreter may be
 * started meanwhile, its first samples are seen in a hundredth: it takes longer to begin, so that
 * the waits of a program that lasts no longer than that have their functions. A thousandth while
 * one runs, and for a second after a sample of it by an event that wakes no reader. */
int flm_recorder_sleep_ms(const struct flm_recorder *r, int64_t now_ns);

/* ---- recorder_records.c ---------------------------------------------------------------------- */

/* A record of the rings; a flm_record_sink. */
bool flm_recorder_take(void *recorder, const char *record, size_t size, struct flm_event *event,
                       struct flm_error *why);

/* The mappings from before the recording. */
bool flm_recorder_add_synthesized(struct flm_recorder *r, struct flm_error *why);

/* ---- recorder_agents.c ----------------------------------------------------------------------- */

/* The definition of a function of a runtime; a flm_event_sink. */
bool flm_recorder_take_code(void *recorder, struct flm_event *event, struct flm_error *why);

/* Loads agents, takes what they have sampled, and sends them away. */
bool flm_recorder_begin_agents(struct flm_recorder *r, struct flm_error *why);
bool flm_recorder_read_agents(struct flm_recorder *r, struct flm_error *why);
bool flm_recorder_join_agents(struct flm_recorder *r, int64_t until_ns, struct flm_error *why);
bool flm_recorder_end_agents(struct flm_recorder *r, struct flm_error *why);

/* ---- recorder_readers.c ---------------------------------------------------------------------- */

/* Starts a reader on each CPU. The caller has the lock, as always when it uses the recorder; while
 * it sleeps it gives it away. `end` takes it, and returns when all have ended; NULL: there are
 * none. */
struct flm_readers *flm_readers_start(struct flm_recorder *recorder, struct flm_error *why);
void flm_readers_end(struct flm_readers *readers);
void flm_readers_lock(struct flm_readers *readers);
void flm_readers_unlock(struct flm_readers *readers);
bool flm_readers_failed(struct flm_readers *readers, struct flm_error *why);

/* Reads what the rings and the agents have: all of it, or what is old enough to be in order. */
bool flm_recorder_read_round(struct flm_recorder *r, bool all, struct flm_error *why);

/* ---- recorder_notes.c ------------------------------------------------------------------------ */

/* Notes what is recorded, where and how; and at the end how the command ended. */
void flm_recorder_note_begin(struct flm_recorder *r);
void flm_recorder_note_end(struct flm_recorder *r);

/* The same at the command's own exit, once everything was read. False when memory ran out. */
bool flm_recorder_mark_exit(struct flm_recorder *r);

/* ---- Rings ----------------------------------------------------------------------------------- */

struct flm_ring {
    int cpu;
    bool has_no_samples; /* the CPU was not asked for: only what processes do there is known */
    struct perf_event_mmap_page *page; /* NULL: no event could be opened on the CPU */
    char *data;
    char *joined;            /* a record that wraps around the end of the ring */
    uint64_t at, end, freed; /* read next, end of this round, tail in the kernel */
    size_t first_file;       /* whose ring is mapped */
    size_t polled;           /* the file that is polled */

    /* The record at `at`, once it is decoded. */
    bool has_event;
    char *record;
    size_t record_size;
    struct flm_event event;
    int64_t time;
};

struct flm_ring_file {
    int file;
    uint32_t ring, event;
};

struct flm_rings {
    bool prompt;  /* the kernel wakes the recorder up for each sample */
    bool hurried; /* what is in them is read, however new it is */
    bool wakes;   /* events that are opened wake the recorder up for each sample */
    struct flm_ring *ring;
    size_t count, sampled_count; /* of all CPUs; of those that are sampled, which come first */
    size_t size, page_size;
    struct FLM_ARRAY(struct flm_ring_file) files;
    struct FLM_ARRAY(uint64_t) ids[FLM_REQUEST_MOST_EVENTS]; /* by event */
    struct pollfd *polled;                                   /* of each ring, and one more */
    int64_t newest;                                          /* of the records passed on */
    struct flm_ring_counts counts;
    bool has_lost; /* the kernel supports PERF_FORMAT_LOST */
};

#endif
