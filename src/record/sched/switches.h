/* switches.h - off-CPU time: from leaving a CPU to coming back, and the state of the thread.
 *
 *     sched_switch or       SWITCH out                sched_waking       SWITCH in
 *     context-switches      time, preempted?          time               time
 *     a stack, the state         |---- sleeping ... ------|--- runnable ----|
 *
 * SWITCH records have the time, but no stack. The stack is known if an event of switches is sampled
 * too: it occurs just before the thread leaves the CPU. As the tracepoint sched:sched_switch it has
 * the state as well. From a wake-up on the thread waits for a CPU. */
#ifndef FLAMEL_RECORD_SCHED_SWITCHES_H
#define FLAMEL_RECORD_SCHED_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/perf/event.h"
#include "record/sched/sched_state.h"

struct flm_off_cpu_thread {
    int32_t process, thread;
    int64_t left_ns;   /* FLM_NO_TIME: it runs, or has no SWITCH record yet */
    int64_t marked_ns; /* when it was at `node`; FLM_NO_TIME: unknown */
    uint32_t node;
    int64_t ended_ns; /* FLM_NO_TIME: it has not ended */
    int64_t woken_ns; /* FLM_NO_TIME: not woken since it left, or unknown */
    int64_t came_ns;  /* since when it runs; FLM_NO_TIME: it does not, or unknown */
    enum flm_sched_state marked_state; /* of the mark */
    enum flm_sched_state state;        /* from leaving to the wake-up */
    bool may_be_back;                  /* it may have come back unseen */

    /* Of the mark, from a runtime: the thread's name and what it waits for ({"", 0}: unknown), and
     * labels. */
    struct flm_bytes name, wait;
    struct flm_runtime_label labels[FLM_RUNTIME_LABELS];
};

struct flm_switches {
    struct FLM_ARRAY(struct flm_off_cpu_thread) threads;
    struct flm_index index;
};

/* {0} is empty. */
void flm_switches_clear(struct flm_switches *switches);

/* The node of the thread just before it leaves the CPU, and its state, FLM_STATE_WAITING where that
 * is not known. These return false when memory ran out. */
bool flm_switches_mark(struct flm_switches *switches, int32_t process, int32_t thread,
                       int64_t time_ns, uint32_t node, enum flm_sched_state state);

/* Adds to the last mark of a thread what a runtime knows of the sample that was the mark. */
void flm_switches_explain(struct flm_switches *switches, int32_t thread,
                          const struct flm_event_sample *sample);

/* The thread leaves the CPU; `preempted`: it is still runnable. */
bool flm_switches_leave(struct flm_switches *switches, int32_t process, int32_t thread,
                        int64_t time_ns, bool preempted);

/* Whether an event would report the thread's return to a CPU; true until said otherwise. */
void flm_switches_trust(struct flm_switches *switches, int32_t thread, bool is_seen);

/* A thread that has left, or is about to, could go on from now on. */
void flm_switches_wake(struct flm_switches *switches, int32_t thread, int64_t time_ns);

/* The thread has come back: `left` receives where and when it left (left_ns is FLM_NO_TIME where
 * that is unknown). False when memory ran out. */
bool flm_switches_return(struct flm_switches *switches, int32_t process, int32_t thread,
                         int64_t time_ns, struct flm_off_cpu_thread *left);

/* A sample shows that the thread is on a CPU. Where it was off-CPU, nobody saw it come back, and
 * when it did is not known: that wait does not count. A sample within the switch itself shows
 * nothing. False when memory ran out. */
bool flm_switches_see(struct flm_switches *switches, int32_t process, int32_t thread,
                      int64_t time_ns);

/* The thread as it is known; NULL: it is not. */
const struct flm_off_cpu_thread *flm_switches_find(const struct flm_switches *switches,
                                                   int32_t thread);

/* The thread has ended, so that leaving the CPU once more does not count; and a new thread with
 * that number has begun, which waits for a CPU from then on (FLM_NO_TIME: nobody knows), if it is
 * seen to come. */
bool flm_switches_end(struct flm_switches *switches, int32_t process, int32_t thread,
                      int64_t time_ns);
bool flm_switches_begin(struct flm_switches *switches, int32_t process, int32_t thread,
                        int64_t time_ns);

/* Drops the threads that ended before that time: they have no more events. False when memory ran
 * out. */
bool flm_switches_forget(struct flm_switches *switches, int64_t before_ns);

#endif
