#include "layout/internal.h"

#include <stdlib.h>

static uint32_t blocks_of(uint32_t count)
{
    return count / FLM_BLOCK + (count % FLM_BLOCK != 0);
}

bool flm_slots_init(struct flm_slots *slots, uint32_t count, struct flm_error *why)
{
    uint64_t doubles = 0; /* of all tiers */
    uint32_t tier_count = 1;
    for (uint32_t entries = count; entries > FLM_BLOCK; tier_count++)
        doubles += entries = blocks_of(entries);
    uint64_t size = ((uint64_t)count + 1) * sizeof(struct flm_slot) + doubles * sizeof(double);
    struct flm_slot *at = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    if (!at)
        return flm_error_memory(why);
    *slots = (struct flm_slots){.count = count, .at = at, .tier_count = tier_count};
    double *widest = (double *)(void *)(at + count + 1);
    for (uint32_t k = 1, entries = blocks_of(count); k < tier_count; k++) {
        slots->widest[k] = widest;
        widest += entries;
        entries = blocks_of(entries);
    }
    at[count] = (struct flm_slot){.first_child = count};
    return true;
}

void flm_slots_clear(struct flm_slots *slots)
{
    free(slots->at);
    *slots = (struct flm_slots){0};
}

/* Siblings are summed up from 0, not from their parent's offset: a large offset would cost small
 * siblings their digits. */
static void set_offsets(struct flm_slots *slots)
{
    slots->at[0].offset = 0;
    for (uint32_t s = 0, child = 1; s < slots->count; s++) {
        double start = slots->at[s].offset, before = 0;
        for (; child < slots->at[s + 1].first_child; child++) {
            slots->at[child].offset = start + before;
            before += slots->at[child].total;
        }
    }
}

void flm_slots_place(struct flm_slots *slots)
{
    set_offsets(slots);
    uint32_t entries = slots->count;
    for (uint32_t k = 1; k < slots->tier_count; k++) {
        const double *below = slots->widest[k - 1];
        for (uint32_t first = 0; first < entries; first += FLM_BLOCK) {
            uint32_t end = entries - first < FLM_BLOCK ? entries : first + FLM_BLOCK;
            double widest = 0;
            for (uint32_t i = first; i < end; i++) {
                double width = k == 1 ? slots->at[i].total : below[i];
                widest = width > widest ? width : widest;
            }
            slots->widest[k][first >> FLM_BLOCK_BITS] = widest;
        }
        entries = blocks_of(entries);
    }
}

/* Goes along the slots to the end of their block, then up a tier and along the
 * following blocks, until one is wide enough; then down to its first slot that is. The last block
 * may reach beyond `to`, and so may the slot found. */
uint32_t flm_slots_next(const struct flm_slots *slots, uint32_t from, uint32_t to, double width,
                        uint64_t *visited)
{
    const struct flm_slot *slot = slots->at;
    uint32_t at = from, stop = (from | (FLM_BLOCK - 1)) + 1, tier = 0;
    if (stop > to || slots->tier_count == 1)
        stop = to;
    while (at < stop && slot[at].total < width)
        at++;
    *visited += at - from + 1;
    if (at < stop || at >= to)
        return at;
    for (uint32_t end = to, first; at == stop;) {
        tier++;
        first = at >>= FLM_BLOCK_BITS;
        end = blocks_of(end);
        stop = (at | (FLM_BLOCK - 1)) + 1;
        if (stop > end || tier + 1 == slots->tier_count)
            stop = end;
        const double *widest = slots->widest[tier];
        while (at < stop && widest[at] < width)
            at++;
        *visited += at - first;
        if (at == end)
            return to;
    }
    while (--tier > 0) {
        const double *widest = slots->widest[tier];
        uint32_t first = at <<= FLM_BLOCK_BITS;
        while (widest[at] < width)
            at++;
        *visited += at - first;
    }
    uint32_t first = at <<= FLM_BLOCK_BITS;
    while (slot[at].total < width)
        at++;
    *visited += at - first;
    return at < to ? at : to;
}

uint32_t flm_slots_parent(const struct flm_slots *slots, uint32_t slot)
{
    uint32_t low = 0, high = slots->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (slots->at[middle].first_child <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t flm_layout_slot_level(const struct flm_layout *layout, uint32_t slot)
{
    uint32_t low = 0, high = layout->level_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (layout->level_start[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}
