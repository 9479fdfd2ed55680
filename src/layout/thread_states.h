/* thread_states.h - the state of a thread at each time: on-CPU, runnable, blocked, sleeping ...
 *
 *     samples         x x x|=== futex ===|~~|x x x x|====== nanosleep ======|x x
 *     label `state`        lock           runnable   sleeping
 *     state           on-CPU  lock          ^   on-CPU      sleeping           on-CPU
 *
 * A sample has at most one label `state`, written by the recorder (and by readers of formats that
 * know states: those of Java are taken for these); samples without are of code that ran. Where a
 * profile has such labels, all changes of a thread are known: between its first and its last
 * sample, what is no wait is time on a processor, also where no stack was seen. */
#ifndef FLAMEL_LAYOUT_THREAD_STATES_H
#define FLAMEL_LAYOUT_THREAD_STATES_H

#include "layout/tracks.h"
#include "profile/columns.h"

enum flm_thread_state {
    FLM_THREAD_ON_CPU,
    FLM_THREAD_RUNNABLE, /* it could run, and waits for a CPU */
    FLM_THREAD_BLOCKED,  /* uninterruptible: for I/O, mostly */
    FLM_THREAD_LOCK,
    FLM_THREAD_SLEEPING, /* for time, for events, for other processes */
    FLM_THREAD_OFF_CPU,  /* a state with another name */
    FLM_THREAD_STATES,
    FLM_THREAD_UNKNOWN = FLM_THREAD_STATES /* before its first sample, and after its last */
};

/* "on-CPU", "runnable", "waiting for a lock". */
const char *flm_thread_state_title(enum flm_thread_state state);

/* Of the label's value; FLM_THREAD_OFF_CPU for one that has no state of ours. */
enum flm_thread_state flm_thread_state_named(struct flm_bytes value);

struct flm_thread_states {
    unsigned char *of_set; /* by label set: enum flm_thread_state. NULL: no sample has a state */
    uint32_t seen;         /* bit 1 << state: some label set has it */
};

/* False, and `why`, if memory ran out. */
bool flm_thread_states_init(struct flm_thread_states *states, const struct flm_profile *profile,
                            struct flm_error *why);
void flm_thread_states_clear(struct flm_thread_states *states);

static inline enum flm_thread_state flm_thread_state_of(const struct flm_thread_states *states,
                                                        const struct flm_profile *profile,
                                                        uint32_t sample)
{
    return states->of_set ? (enum flm_thread_state)states->of_set[profile->sample_labels[sample]]
                          : FLM_THREAD_ON_CPU;
}

/* A time in which a thread's state does not change, and the sample that says so: FLM_NONE where
 * none does, because the thread ran and was not looked at. */
struct flm_thread_span {
    enum flm_thread_state state;
    int64_t from_ns, to_ns; /* INT64_MIN and INT64_MAX where it has no end */
    uint32_t sample;
};

/* The span that a time is in; only of a profile with states. *hint is an index into the track's
 * samples to begin from, and receives the next one: 0, or what the call before left. O(log
 * distance). */
struct flm_thread_span flm_thread_span_at(const struct flm_thread_states *states,
                                          const struct flm_profile *profile,
                                          const struct flm_track *track, int64_t time_ns,
                                          uint32_t *hint);

#endif
