/* live.h - a recording without end, and at any moment the profile of its last seconds: what
 * `flamel top` shows.
 *
 *     struct flm_record_options target = {.size = sizeof target, .processes = &pid,
 *                                         .process_count = 1};
 *     struct flm_live_options options = {.size = sizeof options, .recording = &target};
 *     struct flm_live *live = flm_live_new(&options, &why);      opens everything; nothing runs
 *     flm_live_start(live, &why);                                in threads of its own
 *     for (;;) {
 *         struct flm_live_state state = {.size = sizeof state};
 *         flm_live_wait(live, 1000000000);
 *         struct flm_profile *lately = flm_live_next(live, &state);
 *         if (lately)
 *             my_window_show(lately, state.info.samples);        the last 10 s; every second
 *         else if (state.phase != FLM_LIVE_RUNS)
 *             break;                                             the target has ended
 *         flm_profile_free(lately);
 *     }
 *     flm_live_free(live);
 *
 * (flm_recording_take of record.h gives every sample once, in consecutive profiles; this adds such
 * profiles up to a window that moves.)
 *
 * Memory is bounded, so a recording may run for months: the window is kept in at most 21 chunks of
 * 125,000 stacks each, everything older is one profile of 500,000 stacks; of more stacks the
 * smallest are merged into their callers. Processes that have ended are forgotten, and symbol
 * tables that are not needed any more. The target is sampled all the time: symbol tables, which
 * take seconds for a large program, are read in a thread of their own, and sums are made in the
 * recorder's thread, in milliseconds.
 *
 * Threads: flm_live_next, flm_live_wait and flm_live_show_all may be called by any thread while it
 * runs, the others by one thread at a time. Each profile belongs to the thread that took it. */
#ifndef FLAMEL_LIVE_H
#define FLAMEL_LIVE_H

#include "flamel/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_live_options {
    size_t size; /* sizeof (struct flm_live_options) */

    /* The target, and how it is recorded. The struct is copied; what it points to is borrowed until
     * the recording is freed. Not possible here: the calling program itself (`self`). Not used:
     * tick, lost and progress. */
    const struct flm_record_options *recording;

    int64_t interval_ns; /* how often there is a new sum; 0: 1 s */
    size_t window;       /* how many intervals it covers; 0: 10 */
};

struct flm_live;

/* Opens everything, and starts a command stopped in front of its first instruction. NULL, and `why`
 * with what would allow it, when it is refused. */
struct flm_live *flm_live_new(const struct flm_live_options *options, struct flm_error *why);

/* Lets it run; once. False, and `why`, when there is no thread for it. */
bool flm_live_start(struct flm_live *live, struct flm_error *why);

/* Stops it. A command that was started and still runs is asked to end (SIGTERM), and killed if it
 * has not done so after five seconds. NULL is accepted. */
void flm_live_free(struct flm_live *live);

enum flm_live_phase {
    FLM_LIVE_RUNS,  /* or was not started yet */
    FLM_LIVE_ENDED, /* the target has ended, or the duration of the options is over */
    FLM_LIVE_FAILED /* `why` says why */
};

/* What a sum covers. */
struct flm_live_info {
    double duration_s; /* from the beginning of its first interval to the end of its last */
    double own_cpu_s;  /* CPU time of the calling process in it: what recording and showing cost */
    uint64_t samples, lost;
};

struct flm_live_state {
    size_t size; /* in: sizeof (struct flm_live_state) */
    enum flm_live_phase phase;
    int exit_status;           /* of a command that has ended, as waitpid has it; else -1 */
    struct flm_error why;      /* FAILED */
    struct flm_live_info info; /* of the sum that was made last */
    double processors_busy;    /* the same: on average; negative: not known */
    bool all;                  /* it covers everything since the start */
    bool is_reading;           /* the next one waits for symbols */
    uint64_t sums;             /* how many were made */
    uint64_t own_size_bytes;   /* memory of the calling process, without mapped files; 0: unknown */
};

/* The newest sum, which the caller owns: all metrics that the recording has, also where nothing
 * ran. NULL: none was made since the last call. *state receives how far it is, whether there is a
 * new sum or not. A sum that nobody takes is dropped when the next one is made. */
struct flm_profile *flm_live_next(struct flm_live *live, struct flm_live_state *state);

/* Waits until there is a new sum or the recording has ended, at most that long; whether one of both
 * is so. */
bool flm_live_wait(struct flm_live *live, int64_t most_ns);

/* Sums cover everything since the start from now on, or the window again. The next one is made at
 * once, also after the end. */
void flm_live_show_all(struct flm_live *live, bool all);

#ifdef __cplusplus
}
#endif

#endif
