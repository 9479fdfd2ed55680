#include "format/core/string_table.h"

#include "base/core/hash.h"

/* Strings of a profile are in byte order. */
static uint32_t find_in_profile(const struct flm_profile *p, struct flm_bytes text)
{
    uint32_t low = 0, high = p->sizes.string_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = flm_bytes_compare(flm_string_bytes(p, middle), text);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return FLM_NONE;
}

uint32_t flm_string_table_find(struct flm_string_table *t, struct flm_bytes text)
{
    uint32_t found = find_in_profile(t->profile, text),
             hash = (uint32_t)flm_hash(text.at, text.size);
    if (found != FLM_NONE)
        return found;
    for (struct flm_probe at = flm_index_probe(&t->index, hash); flm_index_next(&t->index, &at);)
        if (flm_bytes_equal(t->more.at[at.found], text))
            return t->profile->sizes.string_count + at.found;
    uint32_t added = (uint32_t)t->more.count;
    if (!FLM_ARRAY_ADD(&t->more, text) || !flm_index_add(&t->index, hash, added))
        t->failed = true;
    return t->profile->sizes.string_count + added;
}

struct flm_bytes flm_string_table_at(const struct flm_string_table *t, uint32_t index)
{
    uint32_t own = t->profile->sizes.string_count;
    return index < own ? flm_string_bytes(t->profile, index) : t->more.at[index - own];
}

uint32_t flm_string_table_count(const struct flm_string_table *t)
{
    return t->profile->sizes.string_count + (uint32_t)t->more.count;
}

void flm_string_table_clear(struct flm_string_table *t)
{
    FLM_ARRAY_CLEAR(&t->more);
    flm_index_clear(&t->index);
}
