/* aggregation.h - samples: one by one with their times, or summed up by stack.
 *
 * A sample is a stack, a value, and a set of attributes (thread, command, CPU, event). Equal sets
 * are stored once: the samples of one thread on one CPU share theirs. */
#ifndef FLAMEL_RECORD_SESSION_AGGREGATION_H
#define FLAMEL_RECORD_SESSION_AGGREGATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/core/index.h"
#include "record/perf/event.h"
#include "record/sched/sched_state.h"

/* Everything but the time in which two samples of a stack may differ. */
struct flm_sample_attributes {
    struct flm_bytes command; /* borrowed; equal names have the same address */
    int32_t process, thread;  /* -1: unknown */
    uint32_t cpu;             /* UINT32_MAX: unknown */
    uint32_t event;           /* in the session */
    uint32_t state;           /* enum flm_sched_state, as it is known before stacks have names */
    struct flm_bytes thread_name, runtime_state; /* borrowed, as the command; {0}: unknown */
    struct flm_runtime_label labels[FLM_RUNTIME_LABELS];
};

struct flm_aggregated_sample {
    int64_t time_ns;
    double value;
    uint32_t node, attributes;
};

struct flm_aggregation {
    bool keep_times; /* else samples that differ only in their time are summed up */
    struct FLM_ARRAY(struct flm_sample_attributes) attributes;
    struct flm_index attributes_index;
    uint32_t last; /* those of the previous sample */

    struct FLM_ARRAY(struct flm_aggregated_sample) samples;
    struct FLM_ARRAY(uint64_t) merged; /* without times: how many samples were summed up; 0 of what
                                          rounding a sum left out */
    struct flm_index sample_index;
};

/* {.keep_times = ...} is empty. */
void flm_aggregation_clear(struct flm_aggregation *aggregation);

/* False when memory ran out. */
bool flm_aggregation_add(struct flm_aggregation *aggregation, int64_t time_ns, uint32_t node,
                         const struct flm_sample_attributes *attributes, double value);

#endif
