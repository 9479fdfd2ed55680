#include "layout/slots.h"

#include <stdlib.h>

static uint32_t blocks_of(uint32_t count)
{
    return count / FLM_BLOCK + (count % FLM_BLOCK != 0);
}

bool flm_slots_init(struct flm_slots *slots, uint32_t count, struct flm_error *why)
{
    uint64_t doubles = 2 * (uint64_t)count; /* total, offset, and the storeys above total */
    uint32_t storey_count = 1;
    for (uint32_t entries = count; entries > FLM_BLOCK; storey_count++)
        doubles += entries = blocks_of(entries);
    uint64_t size = doubles * sizeof(double) + (2 * (uint64_t)count + 1) * sizeof(uint32_t);
    void *memory = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    if (!memory)
        return flm_error_memory(why);
    double *at = memory;
    *slots = (struct flm_slots){.count = count, .storey_count = storey_count, .memory = memory};
    slots->total = at;
    for (uint32_t k = 0, entries = count; k < storey_count; k++) {
        slots->widest[k] = at;
        at += entries;
        entries = blocks_of(entries);
    }
    slots->offset = at;
    slots->node = (uint32_t *)(void *)(at + count);
    slots->first_child = slots->node + count;
    slots->first_child[count] = count;
    return true;
}

void flm_slots_clear(struct flm_slots *slots)
{
    free(slots->memory);
    *slots = (struct flm_slots){0};
}

/* Siblings are summed up from 0, not from their parent's offset: that would lose digits of what is
 * small where the offset is large. */
static void set_offsets(struct flm_slots *slots)
{
    slots->offset[0] = 0;
    for (uint32_t s = 0, child = 1; s < slots->count; s++) {
        double start = slots->offset[s], before = 0;
        for (; child < slots->first_child[s + 1]; child++) {
            slots->offset[child] = start + before;
            before += slots->total[child];
        }
    }
}

static double widest_of(const double *at, uint32_t count)
{
    double widest = at[0];
    for (uint32_t i = 1; i < count; i++)
        widest = at[i] > widest ? at[i] : widest;
    return widest;
}

void flm_slots_place(struct flm_slots *slots)
{
    set_offsets(slots);
    uint32_t entries = slots->count;
    for (uint32_t k = 1; k < slots->storey_count; k++) {
        for (uint32_t b = 0; b < blocks_of(entries); b++) {
            uint32_t first = b * FLM_BLOCK, left = entries - first;
            slots->widest[k][b] =
                widest_of(slots->widest[k - 1] + first, left < FLM_BLOCK ? left : FLM_BLOCK);
        }
        entries = blocks_of(entries);
    }
}

/* Along the block, then up a storey and along the blocks beside it, until something is wide enough;
 * then down to the first slot of it that is. The last block may reach beyond `to`, so what is found
 * there may be, too. */
uint32_t flm_slots_next(const struct flm_slots *slots, uint32_t from, uint32_t to, double width,
                        uint64_t *visited)
{
    uint32_t storey = 0, at = from, end = to;
    for (;; storey++) {
        const double *widest = slots->widest[storey];
        uint32_t first = at, stop = (at | (FLM_BLOCK - 1)) + 1;
        if (stop > end || storey + 1 == slots->storey_count)
            stop = end;
        while (at < stop && widest[at] < width)
            at++;
        *visited += at - first;
        if (at < stop)
            break;
        if (at >= end)
            return to;
        at >>= FLM_BLOCK_BITS;
        end = blocks_of(end);
    }
    while (storey-- > 0) {
        const double *widest = slots->widest[storey];
        uint32_t first = at <<= FLM_BLOCK_BITS;
        while (widest[at] < width)
            at++;
        *visited += at - first;
    }
    *visited += 1;
    return at < to ? at : to;
}

/* The last of [0, count) whose start is not after `value`; start[0] is not. */
static uint32_t last_start(const uint32_t *start, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (start[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t flm_slots_parent(const struct flm_slots *slots, uint32_t slot)
{
    return last_start(slots->first_child, slots->count, slot);
}

uint32_t flm_layout_slot_level(const struct flm_layout *layout, uint32_t slot)
{
    return last_start(layout->level_start, layout->level_count, slot);
}
