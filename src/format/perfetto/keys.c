#include "format/perfetto/internal.h"

bool flm_perfetto_push(struct flm_perfetto *p, void *array, const void *item, size_t size)
{
    struct any FLM_ARRAY(void) any; /* a copy, as in flm_array_reserve */
    if (!flm_array_reserve(array, 1, size)) {
        flm_perfetto_no_memory(p);
        return false;
    }
    memcpy(&any, array, sizeof any);
    memcpy((char *)any.at + any.count++ * size, item, size);
    memcpy(array, &any, sizeof any);
    return true;
}

uint32_t flm_perfetto_find_key(const struct flm_perfetto_keys *keys, uint64_t a, uint64_t b)
{
    struct flm_probe at = flm_index_probe(&keys->index, flm_hash_numbers(a, b));
    while (flm_index_next(&keys->index, &at))
        if (keys->all.at[at.found].a == a && keys->all.at[at.found].b == b)
            return at.found;
    return FLM_NONE;
}

uint32_t flm_perfetto_entry(struct flm_perfetto *p, struct flm_perfetto_keys *keys, uint64_t a,
                            uint64_t b, void *array, const void *item, size_t size)
{
    uint32_t found = flm_perfetto_find_key(keys, a, b), index = (uint32_t)keys->all.count;
    struct flm_perfetto_key key = {a, b};
    if (found != FLM_NONE)
        return found;
    if (!flm_perfetto_push(p, array, item, size) ||
        !flm_perfetto_push(p, &keys->all, &key, sizeof key))
        return FLM_NONE;
    if (!flm_index_add(&keys->index, flm_hash_numbers(a, b), index))
        flm_perfetto_no_memory(p);
    return index;
}

void flm_perfetto_clear_keys(struct flm_perfetto_keys *keys)
{
    FLM_ARRAY_CLEAR(&keys->all);
    flm_index_clear(&keys->index);
}
