#include "format/sqlite/texts.h"

#include "base/core/hash.h"

static uint32_t hash_of(uint64_t key)
{
    return flm_hash_numbers(key, key >> 32);
}

static struct flm_sqlite_text *find(const struct flm_sqlite_texts *texts, uint64_t key)
{
    struct flm_probe at = flm_index_probe(&texts->index, hash_of(key));
    while (flm_index_next(&texts->index, &at))
        if (texts->items.at[at.found].key == key)
            return &texts->items.at[at.found];
    return NULL;
}

const struct flm_sqlite_text *flm_sqlite_texts_find(const struct flm_sqlite_texts *texts,
                                                    uint64_t key)
{
    return find(texts, key);
}

/* What continues on overflow pages is gone with the next row. */
static bool keep(struct flm_sqlite_text *item, const struct flm_sqlite *db)
{
    const char *start = db->all.at, *end = start + db->all.size;
    if (item->text.size == 0 || (item->text.at >= start && item->text.at < end))
        return true;
    item->owned = malloc(item->text.size);
    if (!item->owned)
        return false;
    memcpy(item->owned, item->text.at, item->text.size);
    item->text.at = item->owned;
    return true;
}

bool flm_sqlite_texts_add(struct flm_sqlite_texts *texts, const struct flm_sqlite *db, uint64_t key,
                          int64_t number, struct flm_bytes text)
{
    struct flm_sqlite_text *found = find(texts, key);
    if (found && found->number <= number)
        return true;
    struct flm_sqlite_text item = {key, number, text, NULL};
    if (!keep(&item, db))
        return false;
    uint32_t index = (uint32_t)texts->items.count;
    if (found) {
        free(found->owned);
        *found = item;
        return true;
    }
    if (!FLM_ARRAY_ADD(&texts->items, item)) {
        free(item.owned);
        return false;
    }
    return flm_index_add(&texts->index, hash_of(key), index);
}

void flm_sqlite_texts_clear(struct flm_sqlite_texts *texts)
{
    for (size_t i = 0; i < texts->items.count; i++)
        free(texts->items.at[i].owned);
    FLM_ARRAY_CLEAR(&texts->items);
    flm_index_clear(&texts->index);
}
