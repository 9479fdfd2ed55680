#include "base/core/index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

void flm_index_clear(struct flm_index *index)
{
    free(index->slots);
    *index = (struct flm_index){0};
}

static void insert(struct flm_index *index, struct flm_slot slot)
{
    size_t mask = index->slot_count - 1, at = slot.hash & mask;
    while (index->slots[at].item != UINT32_MAX)
        at = (at + 1) & mask;
    index->slots[at] = slot;
}

static bool grow(struct flm_index *index)
{
    struct flm_index larger = {.slot_count =
                                   index->slot_count ? index->slot_count * 2 : FIRST_SLOTS,
                               .item_count = index->item_count};
    larger.slots = malloc(larger.slot_count * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0xFF, larger.slot_count * sizeof *larger.slots);
    for (size_t i = 0; i < index->slot_count; i++)
        if (index->slots[i].item != UINT32_MAX)
            insert(&larger, index->slots[i]);
    free(index->slots);
    *index = larger;
    return true;
}

bool flm_index_add(struct flm_index *index, uint32_t hash, uint32_t item)
{
    if (index->item_count * 2 >= index->slot_count && !grow(index))
        return false;
    insert(index, (struct flm_slot){hash, item});
    index->item_count++;
    return true;
}
