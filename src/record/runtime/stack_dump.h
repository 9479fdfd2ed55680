/* stack_dump.h - what a sample, and the thread that it is of, tell an interpreter's reader: the
 * dump of the user's stack, as of then; and whether the thread has gone on since. */
#ifndef FLAMEL_RECORD_RUNTIME_STACK_DUMP_H
#define FLAMEL_RECORD_RUNTIME_STACK_DUMP_H

#include "record/perf/event.h"

struct flm_stack_dump {
    struct flm_bytes bytes; /* the sample's; empty: it has none */
    uint64_t address;       /* of the first byte */
};

struct flm_stack_dump flm_stack_dump_of(const struct flm_event_sample *sample);

/* Whether a thread is blocked now, and not runnable. */
bool flm_thread_is_blocked(int32_t process, int32_t thread);

/* Whether a sample is older than that, so that its thread may have moved on. One that was blocked,
 * and is blocked now, has hardly: such a sample may be a second old. */
bool flm_sample_is_late(const struct flm_event *event, int64_t now_ns, int64_t oldest_ns);

#endif
