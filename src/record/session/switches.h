/* switches.h - off-CPU time: from leaving a CPU to coming back.
 *
 *     context-switches   SWITCH out          (off-CPU)           SWITCH in
 *     sample: a stack    time, preempted?                        time
 *
 * SWITCH records have the time, but no stack. The stack is known if the event "context-switches" is
 * sampled too: it occurs just before the thread leaves the CPU. */
#ifndef FLAMEL_RECORD_SESSION_SWITCHES_H
#define FLAMEL_RECORD_SESSION_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/core/array.h"
#include "base/core/index.h"

struct flm_off_cpu_thread {
    int32_t process, thread;
    int64_t left_ns;   /* FLM_NO_TIME: it runs, or has no SWITCH record yet */
    int64_t marked_ns; /* when it was at `node`; FLM_NO_TIME: unknown */
    uint32_t node;
    int64_t ended_ns; /* FLM_NO_TIME: it has not ended */
    bool preempted;
};

struct flm_switches {
    struct FLM_ARRAY(struct flm_off_cpu_thread) threads;
    struct flm_index index;
};

/* {0} is empty. */
void flm_switches_clear(struct flm_switches *switches);

/* The node of the thread just before it leaves the CPU. These return false when memory ran out. */
bool flm_switches_mark(struct flm_switches *switches, int32_t process, int32_t thread,
                       int64_t time_ns, uint32_t node);
bool flm_switches_leave(struct flm_switches *switches, int32_t process, int32_t thread,
                        int64_t time_ns, bool preempted);

/* The thread has come back: `left` receives where and when it left. False when that is unknown. */
bool flm_switches_return(struct flm_switches *switches, int32_t thread,
                         struct flm_off_cpu_thread *left);

/* The thread has ended, so that leaving the CPU once more does not count; and a new thread with
 * that number has begun. */
bool flm_switches_end(struct flm_switches *switches, int32_t process, int32_t thread,
                      int64_t time_ns);
void flm_switches_begin(struct flm_switches *switches, int32_t process, int32_t thread);

/* Drops the threads that ended before that time: they have no more events. False when memory ran
 * out. */
bool flm_switches_forget(struct flm_switches *switches, int64_t before_ns);

#endif
