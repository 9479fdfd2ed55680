/* meters.c - distributions of quantities of sites, for each thread. Runs inside malloc and in
 * signal handlers. */
#include <string.h>

#include "internal.h"

static bool reach(struct flm_local *local, uint32_t site)
{
    enum { STEP = 512 };
    if (site < local->meter_sites)
        return true;
    const size_t row = FLM_PROBE_QUANTITIES * sizeof(struct flm_probe_meter *);
    uint32_t count = (site / STEP + 1) * STEP;
    struct flm_probe_meter **grown = flm_memory_new(count * row);
    if (!grown)
        return false;
    if (local->meter_sites > 0)
        memcpy(grown, local->meters, local->meter_sites * row);
    flm_meters_free(local);
    local->meters = grown;
    local->meter_sites = count;
    return true;
}

void flm_meters_free(struct flm_local *local)
{
    flm_memory_free(local->meters, (size_t)local->meter_sites * FLM_PROBE_QUANTITIES *
                                       sizeof(struct flm_probe_meter *));
}

static struct flm_probe_meter **slot(struct flm_local *local, uint32_t site, uint32_t quantity)
{
    return &local->meters[(size_t)site * FLM_PROBE_QUANTITIES + quantity];
}

bool flm_meters_take_over(struct flm_local *local)
{
    for (uint32_t place = local->thread->first_meter; place > 0;) {
        struct flm_probe_meter *meter = flm_local_at(local, place);
        if (!reach(local, meter->site))
            return false;
        *slot(local, meter->site, meter->quantity) = meter;
        place = meter->next;
    }
    return true;
}

static struct flm_probe_meter *add(struct flm_local *local, uint32_t site, uint32_t quantity)
{
    flm_lock();
    uint32_t place = flm_arena_take(&flm_run.arena, sizeof(struct flm_probe_meter));
    flm_unlock();
    if (place == 0)
        return NULL;
    struct flm_probe_meter *meter = flm_local_at(local, place);
    meter->site = site;
    meter->quantity = quantity;
    meter->next = local->thread->first_meter;
    __atomic_store_n(&local->thread->first_meter, place, __ATOMIC_RELEASE);
    return *slot(local, site, quantity) = meter;
}

struct flm_probe_meter *flm_meter_of(struct flm_local *local, uint32_t number,
                                     enum flm_probe_quantity quantity)
{
    uint32_t site = number & FLM_PROBE_SITE_MASK;
    struct flm_probe_meter *meter = NULL;
    if (reach(local, site))
        meter = *slot(local, site, quantity);
    if (!meter && site < local->meter_sites)
        meter = add(local, site, quantity);
    if (!meter)
        local->thread->lost_values++;
    return meter;
}

/* Levels are signed; their histogram is that of their sizes. */
static bool is_less(enum flm_probe_quantity quantity, uint64_t a, uint64_t b)
{
    return quantity == FLM_PROBE_LEVEL ? (int64_t)a < (int64_t)b : a < b;
}

/* A bucket that is full stays so. */
static inline void add_to(struct flm_local *local, uint32_t site, enum flm_probe_quantity quantity,
                          uint64_t value, uint32_t weight)
{
    struct flm_probe_meter *meter = flm_meter_of(local, site, quantity);
    if (!meter)
        return;
    bool is_negative = quantity == FLM_PROBE_LEVEL && (int64_t)value < 0;
    uint32_t *bucket = &meter->bucket[flm_probe_bucket(is_negative ? 0 - value : value)];
    *bucket = *bucket < UINT32_MAX - weight ? *bucket + weight : UINT32_MAX;
    if (meter->count == 0 || is_less(quantity, value, meter->least))
        meter->least = value;
    if (meter->count == 0 || is_less(quantity, meter->greatest, value))
        meter->greatest = value;
    meter->total += value * weight;
    meter->last = value;
    __atomic_store_n(&meter->count, meter->count + weight, __ATOMIC_RELEASE);
}

void flm_meter_add(struct flm_local *local, uint32_t site, enum flm_probe_quantity quantity,
                   uint64_t value)
{
    add_to(local, site, quantity, value, 1);
}

void flm_meter_add_many(struct flm_local *local, uint32_t site, enum flm_probe_quantity quantity,
                        uint64_t value, uint32_t weight)
{
    add_to(local, site, quantity, value, weight);
}

/* A bucket that is full stays so. */
static inline void add_to_bucket(struct flm_probe_meter *meter, uint32_t bucket, size_t count)
{
    if (meter && meter->bucket[bucket] <= UINT32_MAX - FLM_PROBE_RING)
        meter->bucket[bucket] += (uint32_t)count;
}

/* Several durations of a site are added at once: looking for the meter each time, and keeping its
 * sums in memory, was half of what a scope costs beyond reading the clock. */
static size_t add_durations(struct flm_local *local, const struct flm_probe_ringed *at,
                            size_t count)
{
    const uint32_t site = at->site;
    struct flm_probe_meter *meter = flm_meter_of(local, site, FLM_PROBE_DURATION);
    uint32_t least = UINT32_MAX, greatest = 0;
    uint64_t total = 0;
    size_t n = 0, from = 0;
    uint32_t last = flm_probe_bucket(at->ticks);
    for (; n < count && at[n].site == site; n++) {
        uint32_t ticks = at[n].ticks;
        total += ticks;
        least = ticks < least ? ticks : least;
        greatest = ticks > greatest ? ticks : greatest;
        uint32_t bucket = flm_probe_bucket(ticks);
        if (bucket != last) {
            add_to_bucket(meter, last, n - from);
            last = bucket;
            from = n;
        }
    }
    add_to_bucket(meter, last, n - from);
    if (!meter) {
        local->thread->lost_values += n - 1;
        return n;
    }
    if (meter->count == 0 || least < meter->least)
        meter->least = least;
    if (meter->count == 0 || greatest > meter->greatest)
        meter->greatest = greatest;
    meter->total += total;
    meter->last = at[n - 1].ticks;
    __atomic_store_n(&meter->count, meter->count + n, __ATOMIC_RELEASE);
    return n;
}

void flm_local_drain(struct flm_local *local)
{
    struct flm_probe_ring *ring = &local->thread->ring;
    size_t count = ring->count < FLM_PROBE_RING ? ring->count : FLM_PROBE_RING;
    for (size_t i = 0; i < count;)
        i += ring->at[i].site > 0 ? add_durations(local, &ring->at[i], count - i) : 1;
    /* A handler may have counted one more than it wrote. */
    memset(ring->at, 0, count * sizeof ring->at[0]);
    __atomic_store_n(&ring->count, 0, __ATOMIC_RELEASE);
    ring = &local->thread->held_ring;
    for (uint64_t i = 0; i < ring->count && i < FLM_PROBE_RING; i++) {
        const struct flm_probe_ringed *ringed = &ring->at[i];
        add_to(local, ringed->site, FLM_PROBE_HELD, ringed->ticks, ringed->site >> FLM_RUN_SHIFT);
    }
    __atomic_store_n(&ring->count, 0, __ATOMIC_RELEASE);
}
