#include "base/core/ids.h"

#include "base/core/hash.h"

static uint32_t hash_of(uint64_t id)
{
    return (uint32_t)flm_hash(&id, sizeof id);
}

void flm_ids_clear(struct flm_ids *ids)
{
    FLM_ARRAY_CLEAR(&ids->ids);
    flm_index_clear(&ids->index);
}

uint32_t flm_ids_find(const struct flm_ids *ids, uint64_t id)
{
    for (struct flm_probe at = flm_index_probe(&ids->index, hash_of(id));
         flm_index_next(&ids->index, &at);)
        if (ids->ids.at[at.found] == id)
            return at.found;
    return FLM_IDS_NONE;
}

uint32_t flm_ids_number(struct flm_ids *ids, uint64_t id)
{
    uint32_t found = flm_ids_find(ids, id), next = (uint32_t)ids->ids.count;
    if (found != FLM_IDS_NONE)
        return found;
    if (!FLM_ARRAY_RESERVE(&ids->ids, 1) || !flm_index_add(&ids->index, hash_of(id), next))
        return FLM_IDS_NONE;
    ids->ids.at[ids->ids.count++] = id;
    return next;
}
