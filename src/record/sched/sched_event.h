/* sched_event.h - the scheduler's tracepoints: who left the CPU in which state, who came, who woke
 * up.
 *
 *     sched:sched_switch          leaving thread, its state, the thread that comes
 *     sched:sched_waking          a thread becomes runnable: its wait is over
 *     sched:sched_wakeup          the same, on the CPU where it will run
 *     sched:sched_wakeup_new      the same, of a new thread
 *
 * A wake-up is recorded in the context of the waking thread; the woken one is only in the raw data.
 * The kernel delivers it to the events of the woken thread too.
 *
 * The fields lie where they have lain in all 64-bit kernels since 3.x. Their thread numbers are
 * those of the whole machine: in a container they differ from those of the records. */
#ifndef FLAMEL_RECORD_SCHED_SCHED_EVENT_H
#define FLAMEL_RECORD_SCHED_SCHED_EVENT_H

#include "record/perf/event.h"

enum flm_sched_kind { FLM_SCHED_OTHER, FLM_SCHED_SWITCH, FLM_SCHED_WAKE };

/* What the samples of an event are; also those of context-switches, which have no raw data, are
 * switches. */
enum flm_sched_kind flm_sched_kind(const struct flm_event_layout *layout);

struct flm_sched_switch {
    int32_t leaves, comes;
    uint64_t state; /* of the one that leaves, in bits of the kernel */
};

/* False where the sample does not have it. */
bool flm_sched_switch_read(const struct flm_event_sample *sample, struct flm_sched_switch *change);
bool flm_sched_wake_read(const struct flm_event_sample *sample, int32_t *thread);

#endif
