/* aggregation.h - what was counted at which stack: samples one by one, or only their sums.
 *
 * A sample is a stack, a value, and a set of attributes (thread, command, processor, event),
 * which is a number too: the samples of one thread on one processor share it. */
#ifndef FLAMEL_RECORD_SESSION_AGGREGATION_H
#define FLAMEL_RECORD_SESSION_AGGREGATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/core/index.h"

enum flm_thread_state { FLM_STATE_RUNNING, FLM_STATE_BLOCKED, FLM_STATE_PREEMPTED };

/* Everything but the time that two samples at a stack may differ in. */
struct flm_sample_attributes {
    struct flm_bytes command; /* borrowed; equal ones lie at the same location */
    int32_t process, thread;  /* -1: not known */
    uint32_t cpu;             /* UINT32_MAX: not known */
    uint32_t event;           /* of the session's */
    uint32_t state;           /* enum flm_thread_state */
};

struct flm_aggregated_sample {
    int64_t time_ns;
    double value;
    uint32_t node, attributes;
};

struct flm_aggregation {
    bool keep_times; /* else samples that differ in nothing but the time are one */
    struct FLM_ARRAY(struct flm_sample_attributes) attributes;
    struct flm_index attributes_index;
    uint32_t last; /* attributes of the sample before */

    struct FLM_ARRAY(struct flm_aggregated_sample) samples;
    struct FLM_ARRAY(uint64_t) merged; /* without times: how many samples each of them stands for */
    struct flm_index sample_index;
};

/* {.keep_times = ...} is empty. */
void flm_aggregation_clear(struct flm_aggregation *aggregation);

/* False when memory ran out. */
bool flm_aggregation_add(struct flm_aggregation *aggregation, int64_t time_ns, uint32_t node,
                         const struct flm_sample_attributes *attributes, double value);

#endif
