/* meters.c - distributions of quantities of sites, for each thread. Runs inside malloc and in
 * signal handlers. */
#include <string.h>

#include "meters.h"

static void free_meters(struct flm_probe_meter **meters, uint32_t sites)
{
    flm_memory_free(meters, (size_t)sites * FLM_PROBE_QUANTITIES * sizeof *meters);
}

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
    struct flm_probe_meter **old = local->meters;
    uint32_t old_sites = local->meter_sites;
    /* A handler may jump out of here: what is there is as large as is said. */
    local->meters = grown;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    local->meter_sites = count;
    free_meters(old, old_sites);
    return true;
}

void flm_meters_free(struct flm_local *local)
{
    free_meters(local->meters, local->meter_sites);
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

static void add_to(struct flm_local *local, uint32_t site, enum flm_probe_quantity quantity,
                   uint64_t value, uint32_t weight)
{
    struct flm_probe_meter *meter = flm_meter_of(local, site, quantity);
    if (!meter)
        return;
    if (quantity == FLM_PROBE_DURATION) {
        flm_meter_add_duration(meter, value);
        return;
    }
    bool is_negative = quantity == FLM_PROBE_LEVEL && (int64_t)value < 0;
    flm_meter_add_to_bucket(meter, flm_probe_bucket(is_negative ? 0 - value : value), weight);
    flm_meter_count(meter, value, weight);
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

void flm_local_drain(struct flm_local *local)
{
    struct flm_probe_ring *ring = &local->thread->held_ring;
    for (uint64_t i = 0; i < ring->count && i < FLM_PROBE_RING; i++) {
        const struct flm_probe_ringed *ringed = &ring->at[i];
        add_to(local, ringed->site, FLM_PROBE_HELD, ringed->ticks, ringed->site >> FLM_RUN_SHIFT);
    }
    __atomic_store_n(&ring->count, 0, __ATOMIC_RELEASE);
}
