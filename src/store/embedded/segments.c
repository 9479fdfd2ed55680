/* segments.c - the list of segments: opened, replaced, set aside. */
#include <stdlib.h>
#include <unistd.h>

#include "store/embedded/internal.h"

void flm_store_service_range(const struct flm_bytes *series, size_t count, struct flm_bytes service,
                             uint32_t *from, uint32_t *size)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flm_bytes_compare(series[middle], service) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < count && series[end].size >= service.size &&
           memcmp(series[end].at, service.at, service.size) == 0)
        end++;
    *from = (uint32_t)low;
    *size = (uint32_t)(end - low);
}

void flm_store_quarantine(struct flm_embedded *store, size_t segment)
{
    struct flm_store_segment *s = &store->segments.at[segment];
    flm_segment_close(s->opened);
    s->opened = NULL;
    s->is_damaged = true;
    pthread_mutex_lock(&store->catalog_lock);
    /* If this fails, it is found to be damaged again the next time. */
    flm_catalog_segment_quarantine(store->catalog, s->file, NULL);
    pthread_mutex_unlock(&store->catalog_lock);
}

struct flm_segment *flm_store_opened(struct flm_embedded *store, size_t segment)
{
    struct flm_store_segment *s = &store->segments.at[segment];
    if (s->opened || s->is_damaged)
        return s->opened;
    char *path = flm_store_path(store, s->file);
    struct flm_error why = {0};
    if (path)
        s->opened = flm_segment_open(path, &why);
    free(path);
    if (!s->opened && path && why.kind != FLM_ERROR_MEMORY)
        flm_store_quarantine(store, segment);
    return s->opened;
}

/* In one transaction: the new ones are named, the old ones are not any more, and the journal of
 * a generation is dropped. */
static bool record(struct flm_embedded *store, const struct flm_store_segments *made,
                   const size_t *replaced, size_t count, int64_t generation, struct flm_error *why)
{
    struct flm_catalog *catalog = store->catalog;
    pthread_mutex_lock(&store->catalog_lock);
    bool begun = flm_catalog_begin(catalog, why), good = begun;
    for (size_t i = 0; good && i < made->count; i++) {
        const struct flm_store_segment *s = &made->at[i];
        const struct flm_catalog_segment segment = {.level = s->level,
                                                    .from_ms = s->from_ms,
                                                    .until_ms = s->until_ms,
                                                    .rows = s->rows,
                                                    .size = s->size,
                                                    .file = s->file};
        good = flm_catalog_segment_add(catalog, &segment, why);
    }
    for (size_t i = 0; good && i < count; i++)
        good = flm_catalog_segment_drop(catalog, store->segments.at[replaced[i]].file, why);
    good = good && (generation < 0 || flm_catalog_journal_drop(catalog, generation, why)) &&
           flm_catalog_commit(catalog, why);
    if (begun && !good)
        flm_catalog_rollback(catalog);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}

static void remove_file(const struct flm_embedded *store, const char *file)
{
    char *path = flm_store_path(store, file);
    if (path)
        unlink(path); /* what stays is removed when the store is opened again */
    free(path);
}

/* Takes the replaced ones off the list, the last first, so that the others keep their numbers. */
static void drop(struct flm_embedded *store, const size_t *replaced, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        struct flm_store_segment *s = &store->segments.at[replaced[i]];
        flm_segment_close(s->opened);
        remove_file(store, s->file);
        memmove(s, s + 1, (store->segments.count - replaced[i] - 1) * sizeof *s);
        store->segments.count--;
    }
}

bool flm_store_publish(struct flm_embedded *store, const struct flm_store_segments *made,
                       const size_t *replaced, size_t count, int64_t generation,
                       struct flm_error *why)
{
    pthread_mutex_lock(&store->reading);
    bool good = FLM_ARRAY_RESERVE(&store->segments, made->count) || flm_error_memory(why);
    good = good && record(store, made, replaced, count, generation, why);
    if (good) {
        drop(store, replaced, count);
        for (size_t i = 0; i < made->count; i++)
            store->segments.at[store->segments.count++] = made->at[i];
        pthread_mutex_lock(&store->lock);
        if (generation >= 0)
            flm_head_clear(&store->frozen);
        pthread_mutex_unlock(&store->lock);
    }
    pthread_mutex_unlock(&store->reading);
    for (size_t i = 0; !good && i < made->count; i++)
        remove_file(store, made->at[i].file);
    return good;
}
