/* meters.h - adding to a distribution that is there. Runs inside malloc and in signal handlers, and
 * calls nothing: functions/entries.c has it too. */
#ifndef FLAMEL_PROBE_METERS_H
#define FLAMEL_PROBE_METERS_H

#include "internal.h"

/* Levels are signed; their histogram is that of their sizes. */
static inline bool flm_meter_is_less(uint32_t quantity, uint64_t a, uint64_t b)
{
    return quantity == FLM_PROBE_LEVEL ? (int64_t)a < (int64_t)b : a < b;
}

static inline void flm_meter_add_to_bucket(struct flm_probe_meter *meter, uint32_t number,
                                           uint32_t weight)
{
    uint32_t *bucket = &meter->bucket[number];
    *bucket = *bucket < UINT32_MAX - weight ? *bucket + weight : UINT32_MAX;
}

/* What the buckets do not say. */
static inline void flm_meter_count(struct flm_probe_meter *meter, uint64_t value, uint32_t weight)
{
    if (meter->count == 0 || flm_meter_is_less(meter->quantity, value, meter->least))
        meter->least = value;
    if (meter->count == 0 || flm_meter_is_less(meter->quantity, meter->greatest, value))
        meter->greatest = value;
    meter->total += value * weight;
    meter->last = value;
    __atomic_store_n(&meter->count, meter->count + weight, __ATOMIC_RELEASE);
}

static inline void flm_meter_add_duration(struct flm_probe_meter *meter, uint64_t ticks)
{
    uint32_t bucket = flm_probe_bucket(ticks);
    bool is_exact = bucket < FLM_PROBE_EXACT && meter->bucket[bucket] < UINT32_MAX;
    flm_meter_add_to_bucket(meter, bucket, 1);
    if (!is_exact)
        flm_meter_count(meter, ticks, 1);
}

#endif
