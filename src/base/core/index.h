/* index.h - a hash table from hashes to indices: the slots of every interning table here.
 *
 * The items themselves lie in an array of the owner's; the table holds only an item's index and 32
 * bits of its hash, so it grows without reading items, and a lookup reads only items for which
 * those 32 bits agree. Open addressing, linear probing, at most half full.
 *
 *     for (struct flm_probe at = flm_index_probe(&index, hash); flm_index_next(&index, &at);)
 *         if (items[at.found] is the one)
 *             return at.found;
 *     flm_index_add(&index, hash, new_item); */
#ifndef FLAMEL_BASE_CORE_INDEX_H
#define FLAMEL_BASE_CORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flm_slot {
    uint32_t hash;
    uint32_t item; /* UINT32_MAX: free */
};

struct flm_index {
    struct flm_slot *slots;
    size_t slot_count; /* 0, or a power of two */
    size_t item_count;
};

struct flm_probe {
    uint32_t hash;
    uint32_t found;
    size_t slot;
};

void flm_index_clear(struct flm_index *index); /* {0} is an empty index */

/* False when memory ran out; the table is then as it was. */
bool flm_index_add(struct flm_index *index, uint32_t hash, uint32_t item);

static inline struct flm_probe flm_index_probe(const struct flm_index *index, uint32_t hash)
{
    return (struct flm_probe){hash, UINT32_MAX, hash & (index->slot_count - 1)};
}

/* Asks the CPU for the slot at which a probe begins, ahead of it. */
static inline void flm_index_expect(const struct flm_index *index, uint32_t hash)
{
    if (index->slot_count > 0)
        __builtin_prefetch(&index->slots[hash & (index->slot_count - 1)]);
}

/* The next item with the probe's hash, in `found`; false when there is no further one. */
static inline bool flm_index_next(const struct flm_index *index, struct flm_probe *at)
{
    if (index->slot_count == 0)
        return false;
    size_t mask = index->slot_count - 1;
    for (;; at->slot = (at->slot + 1) & mask) {
        struct flm_slot slot = index->slots[at->slot];
        if (slot.item == UINT32_MAX)
            return false;
        if (slot.hash == at->hash) {
            at->found = slot.item;
            at->slot = (at->slot + 1) & mask;
            return true;
        }
    }
}

#endif
