/* live.h - a recording that runs in a thread of its own, and the profile of its last seconds.
 *
 *     recorder's thread    rings ─► session ─► every interval: a chunk, with its symbols
 *                                   │    ▲     ─► window ─► its sum ─┐ under a lock
 *     the tables' thread            └► symbols of what is new        │
 *     the caller's thread  flm_live_next ◄───────────────────────────┘
 *
 * The window is some intervals long and moves on by one each interval (window.h); chunks and what
 * is older than the window are bounded (bound.h), so a recording may go on for ever. Symbol tables
 * are made in a thread of their own, since those of a large program take seconds, and rings are
 * full in less: until they are there, the chunk gets longer. Sums take milliseconds, and are made
 * in the recorder's thread; the caller never waits. A sum that was not taken before the next one is
 * made is dropped. */
#ifndef FLAMEL_RECORD_LIVE_LIVE_H
#define FLAMEL_RECORD_LIVE_LIVE_H

#include "record/capture/recorder.h"
#include "record/live/window.h"

struct flm_live_options {
    struct flm_record_options recorder;
    int64_t interval_ns;
    size_t window; /* intervals */
};

/* How far it is. */
enum flm_live_phase { FLM_LIVE_RUNS, FLM_LIVE_ENDED, FLM_LIVE_FAILED };

struct flm_live_state {
    enum flm_live_phase phase;
    int exit_status;           /* of a command that has ended, as waitpid has it; else -1 */
    struct flm_error why;      /* FAILED */
    struct flm_live_info info; /* of the sum that was made last */
    double processors_busy;    /* the same; negative: not known */
    bool all;                  /* it is that of everything since the start */
    bool is_reading;           /* the next one waits for symbols */
    uint64_t sums;             /* how many were made */
    uint64_t own_size_bytes;   /* of our own memory, without files that are mapped; 0: not known */
};

struct flm_live;

/* Opens everything; nothing runs yet. NULL, and `why` with what would allow it. */
struct flm_live *flm_live_new(const struct flm_live_options *options, struct flm_error *why);

/* Lets it run. False, and `why`, when there is no thread for it. */
bool flm_live_start(struct flm_live *recording, struct flm_error *why);

/* Stops; a command that was started is asked to end. */
void flm_live_free(struct flm_live *recording);

const struct flm_recorder *flm_live_recorder(const struct flm_live *recording);

/* The newest sum, which the caller owns; NULL: there is none that was not taken yet. */
struct flm_profile *flm_live_next(struct flm_live *recording, struct flm_live_state *state);

/* Waits until there is a newer one, or it has ended, or so long. */
void flm_live_wait(struct flm_live *recording, int most_ms);

/* From now on sums of everything since the start, or of the window again. The next one is made at
 * once. */
void flm_live_widen(struct flm_live *recording, bool all);

#endif
