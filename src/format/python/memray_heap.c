/* memray_heap.c - what is allocated, and where: sums, the peak, temporary allocations.
 *
 * The bytes of each location at the peak are found in one pass: before its bytes change, a location
 * notes them if there was a peak since its last note. So no location is visited when the peak
 * rises. Of several moments with the same number of bytes, the last is the peak, as in memray. */
#include "base/core/hash.h"
#include "flamel/profile.h"
#include "format/python/memray.h"

enum { FIRST_CAPACITY = 1024 };

void flm_memray_keep_peak(const struct flm_memray *m, struct flm_memray_location *location)
{
    if (location->peak_seen < m->peak_count) {
        location->at_peak = location->bytes;
        location->peak_seen = m->peak_count;
    }
}

/* ---- Blocks by their addresses --------------------------------------------------------------- */

static size_t slot_of(const struct flm_memray *m, uint64_t address)
{
    return flm_hash_numbers(address, 0) & (m->block_capacity - 1);
}

/* The slot of an address, or the free one where it would be. */
static size_t find_slot(const struct flm_memray *m, uint64_t address)
{
    size_t at = slot_of(m, address);
    while (m->blocks[at].address != 0 && m->blocks[at].address != address)
        at = (at + 1) & (m->block_capacity - 1);
    return at;
}

static bool grow(struct flm_memray *m)
{
    struct flm_memray_block *old = m->blocks;
    size_t count = m->block_capacity, capacity = count ? 2 * count : FIRST_CAPACITY;
    struct flm_memray_block *blocks = flm_new_zeroed(capacity, sizeof *blocks);
    if (!blocks)
        return false;
    m->blocks = blocks;
    m->block_capacity = capacity;
    for (size_t i = 0; i < count; i++)
        if (old[i].address != 0)
            blocks[find_slot(m, old[i].address)] = old[i];
    free(old);
    return true;
}

/* Blocks behind a free slot move up, where they would be found otherwise. */
static void free_slot(struct flm_memray *m, size_t at)
{
    size_t mask = m->block_capacity - 1;
    m->block_count--;
    for (size_t next = (at + 1) & mask; m->blocks[next].address != 0; next = (next + 1) & mask) {
        size_t home = slot_of(m, m->blocks[next].address);
        if (((next - home) & mask) < ((next - at) & mask))
            continue;
        m->blocks[at] = m->blocks[next];
        at = next;
    }
    m->blocks[at].address = 0;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

void flm_memray_subtract(struct flm_memray *m, uint32_t location, uint64_t size)
{
    flm_memray_keep_peak(m, &m->locations.at[location]);
    m->locations.at[location].bytes -= size;
    m->bytes -= size;
}

static bool allocate_block(struct flm_memray *m, struct flm_memray_block block)
{
    if (2 * (m->block_count + 1) > m->block_capacity && !grow(m))
        return false;
    struct flm_memray_block *at = &m->blocks[find_slot(m, block.address)];
    if (at->address != 0) {
        flm_builder_lost(m->builder, "missing releases of addresses that were allocated again", "",
                         0, 1);
        flm_memray_subtract(m, at->location, at->size);
    } else {
        m->block_count++;
    }
    *at = block;
    return true;
}

bool flm_memray_allocate(struct flm_memray *m, uint64_t address, uint64_t size, bool is_range)
{
    struct flm_memray_thread *thread = &m->threads.at[m->thread];
    uint32_t stack = thread->stacks.count > 0 ? thread->stacks.at[thread->stacks.count - 1] : 0;
    uint32_t index = flm_memray_location(m, stack, m->thread);
    if (index == FLM_NONE)
        return flm_error_memory(m->why);
    if (size > UINT64_MAX / 2 - m->bytes || address == 0)
        return flm_error_byte(m->why, FLM_ERROR_RANGE, m->offset,
                              "more than 2^63 bytes are allocated, or something at address 0");
    struct flm_memray_block block = {address, size, index};
    if (!(is_range ? flm_memray_add_range(m, block) : allocate_block(m, block)))
        return flm_error_memory(m->why);
    struct flm_memray_location *location = &m->locations.at[index];
    flm_memray_keep_peak(m, location);
    location->allocations++;
    location->allocated += size;
    location->bytes += size;
    m->bytes += size;
    if (m->bytes >= m->peak) {
        m->peak = m->bytes;
        m->peak_count++;
    }
    thread->recent[1] = thread->recent[0];
    thread->recent[0] = (struct flm_memray_recent){address, size, index};
    return true;
}

/* ---- Releases -------------------------------------------------------------------------------- */

bool flm_memray_release(struct flm_memray *m, uint64_t address, uint64_t size, bool is_range)
{
    /* As memray: released by the thread that allocated it, as one of its last two allocations. */
    struct flm_memray_recent *recent = m->threads.at[m->thread].recent;
    for (int i = 0; i < 2; i++)
        if (recent[i].location != FLM_NONE && recent[i].address == address &&
            (!is_range || recent[i].size == size)) {
            m->locations.at[recent[i].location].temporary++;
            break;
        }
    if (is_range)
        return flm_memray_release_range(m, address, size);
    /* What is not there was allocated before the recording began. */
    if (m->block_capacity == 0 || address == 0)
        return true;
    size_t slot = find_slot(m, address);
    if (m->blocks[slot].address != 0) {
        flm_memray_subtract(m, m->blocks[slot].location, m->blocks[slot].size);
        free_slot(m, slot);
    }
    return true;
}
