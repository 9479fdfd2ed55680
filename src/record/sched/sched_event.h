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
 * The fields lie where the kernel describes them (`format` of the tracepoint, in tracefs and in
 * perf.data), because kernels with other fields in front have them elsewhere (PREEMPT_RT); without
 * a description, where they have lain in most 64-bit kernels since 3.x. Their thread numbers are
 * those of the whole machine: in a container they differ from those of the records. */
#ifndef FLAMEL_RECORD_SCHED_SCHED_EVENT_H
#define FLAMEL_RECORD_SCHED_SCHED_EVENT_H

#include "record/perf/event.h"

enum flm_sched_kind { FLM_SCHED_OTHER, FLM_SCHED_SWITCH, FLM_SCHED_WAKE };

/* What the samples of an event are; also those of context-switches, which have no raw data, are
 * switches. */
enum flm_sched_kind flm_sched_kind(const struct flm_event_layout *layout);

/* The fields and the number of a tracepoint ("sched_switch") by its description among others:
 *
 *     name: sched_switch
 *     ID: 316
 *     format:
 *             field:pid_t prev_pid;   offset:24;      size:4; signed:1;
 *
 * False where they have none, or one that cannot be right. */
bool flm_sched_describe(struct flm_bytes descriptions, const char *name, uint64_t *id,
                        struct flm_sched_fields *fields);

/* The tracepoints that have descriptions worth reading; NULL after the last one. */
const char *flm_sched_tracepoint(size_t i);

struct flm_sched_switch {
    int32_t leaves, comes;
    uint64_t state; /* of the one that leaves, in bits of the kernel */
};

/* False where the sample does not have it. */
bool flm_sched_switch_read(const struct flm_event_sample *sample, struct flm_sched_switch *change);
bool flm_sched_wake_read(const struct flm_event_sample *sample, int32_t *thread);

#endif
