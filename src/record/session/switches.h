/* switches.h - waiting: from leaving a processor to coming back.
 *
 *     context-switches   SWITCH out        (nothing runs)        SWITCH in
 *     sample: a stack    time, preempted?                        time: off-CPU in between
 *
 * The records tell when, not where. Where a thread stood when it left is known when the event
 * "context-switches" was sampled too: it happens just before the thread leaves. */
#ifndef FLAMEL_RECORD_SESSION_SWITCHES_H
#define FLAMEL_RECORD_SESSION_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/core/array.h"
#include "base/core/index.h"

struct flm_off_cpu_thread {
    int32_t process, thread;
    int64_t left_ns;   /* FLM_NO_TIME: it runs, or was not heard of */
    int64_t marked_ns; /* when it last was at `node`; FLM_NO_TIME: not known */
    uint32_t node;
    int64_t ended_ns; /* FLM_NO_TIME: it has not */
    bool preempted;
};

struct flm_switches {
    struct FLM_ARRAY(struct flm_off_cpu_thread) threads;
    struct flm_index index;
};

/* {0} knows of none. */
void flm_switches_clear(struct flm_switches *switches);

/* Where the thread is just before it leaves. False when memory ran out, as below. */
bool flm_switches_mark(struct flm_switches *switches, int32_t process, int32_t thread,
                       int64_t time_ns, uint32_t node);
bool flm_switches_leave(struct flm_switches *switches, int32_t process, int32_t thread,
                        int64_t time_ns, bool preempted);

/* The thread has come back: where and since when it was away. False when it was not. */
bool flm_switches_return(struct flm_switches *switches, int32_t thread,
                         struct flm_off_cpu_thread *left);

/* It has ended: that it leaves once more is no waiting. And a thread of that number has begun. */
bool flm_switches_end(struct flm_switches *switches, int32_t process, int32_t thread,
                      int64_t time_ns);
void flm_switches_begin(struct flm_switches *switches, int32_t process, int32_t thread);

/* Drops the threads that have ended before that time: nothing of them comes any more. False when
 * memory ran out. */
bool flm_switches_forget(struct flm_switches *switches, int64_t before_ns);

#endif
