/* maintain.c - what is removed, counted, checked and copied. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/embedded/internal.h"

bool flm_embedded_retain(struct flm_store *base, int64_t before_ms, uint64_t *removed,
                         struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    static const struct flm_store_segments none;
    pthread_mutex_lock(&store->maintenance);
    size_t *numbers = malloc((store->segments.count + 1) * sizeof *numbers), count = 0;
    for (size_t i = 0; numbers && i < store->segments.count; i++)
        if (store->segments.at[i].until_ms <= before_ms)
            numbers[count++] = i;
    bool good = numbers || flm_error_memory(why);
    good = good && (count == 0 || flm_store_publish(store, &none, numbers, count, -1, why));
    free(numbers);
    if (good) {
        pthread_mutex_lock(&store->catalog_lock);
        bool begun = flm_catalog_begin(store->catalog, why);
        good = begun && flm_catalog_series_forget(store->catalog, before_ms, why) &&
               flm_catalog_commit(store->catalog, why);
        if (begun && !good)
            flm_catalog_rollback(store->catalog);
        pthread_mutex_unlock(&store->catalog_lock);
    }
    pthread_mutex_unlock(&store->maintenance);
    *removed = good ? count : 0;
    return good;
}

static void widen(struct flm_store_stats *stats, int64_t from_ms, int64_t until_ms)
{
    bool first = stats->from_ms == stats->until_ms;
    stats->from_ms = first || from_ms < stats->from_ms ? from_ms : stats->from_ms;
    stats->until_ms = first || until_ms > stats->until_ms ? until_ms : stats->until_ms;
}

struct flm_store_stats flm_embedded_stats(struct flm_store *base)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct flm_store_stats stats = {0};
    pthread_mutex_lock(&store->reading);
    for (size_t i = 0; i < store->segments.count; i++) {
        const struct flm_store_segment *s = &store->segments.at[i];
        stats.damaged_segments += s->is_damaged;
        stats.segments++;
        stats.rows += s->rows;
        stats.bytes += s->size;
        widen(&stats, s->from_ms, s->until_ms);
    }
    pthread_mutex_lock(&store->lock);
    const struct flm_head *heads[] = {&store->frozen, &store->head};
    for (int i = 0; i < 2; i++) {
        stats.pending_batches += heads[i]->batches.count;
        stats.memory_bytes += flm_head_size(heads[i]);
        if (heads[i]->batches.count > 0)
            widen(&stats, heads[i]->from_ms, heads[i]->until_ms);
    }
    stats.repeated_batches = store->pushed.repeated;
    pthread_mutex_unlock(&store->lock);
    pthread_mutex_unlock(&store->reading);
    return stats;
}

bool flm_embedded_check(struct flm_store *base, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    pthread_mutex_lock(&store->reading);
    bool good = true;
    for (size_t i = 0; good && i < store->segments.count; i++) {
        char *path = flm_store_path(store, store->segments.at[i].file);
        struct flm_segment *segment = path ? flm_segment_open(path, why) : NULL;
        good = segment ? flm_segment_check(segment, why) : path || flm_error_memory(why);
        good = good && segment;
        flm_segment_close(segment);
        free(path);
    }
    pthread_mutex_lock(&store->catalog_lock);
    good = good && flm_catalog_check(store->catalog, why);
    pthread_mutex_unlock(&store->catalog_lock);
    pthread_mutex_unlock(&store->reading);
    return good;
}

/* ---- Backup ---------------------------------------------------------------------------------- */

static bool failed(const char *path, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
}

/* A second name where the file system can, since segments never change; else a copy. */
static bool copy_segment(const char *from, const char *to, struct flm_error *why)
{
    if (link(from, to) == 0)
        return true;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640) : -1;
    bool good = in >= 0 && out >= 0;
    char buffer[65536];
    for (ssize_t size; good && (size = read(in, buffer, sizeof buffer)) != 0;)
        good = size > 0 && write(out, buffer, (size_t)size) == size;
    good = good && fsync(out) == 0;
    if (!good)
        failed(in < 0 ? from : to, why);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return good;
}

bool flm_embedded_backup(struct flm_store *base, const char *folder, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    size_t size = strlen(folder) + FLM_SEGMENT_NAME + sizeof "/segments//catalog.db";
    char *path = malloc(size);
    if (!path)
        return flm_error_memory(why);
    snprintf(path, size, "%s/segments", folder);
    bool good = mkdir(folder, 0750) == 0 || errno == EEXIST || failed(folder, why);
    /* A folder that has segments is another store. */
    good = good && (mkdir(path, 0750) == 0 || failed(path, why));
    /* While nothing is sealed or merged, the catalog and the segments that it names stay as they
     * are. */
    pthread_mutex_lock(&store->maintenance);
    for (size_t i = 0; good && i < store->segments.count; i++) {
        char *from = flm_store_path(store, store->segments.at[i].file);
        snprintf(path, size, "%s/segments/%s", folder, store->segments.at[i].file);
        good = from ? copy_segment(from, path, why) : flm_error_memory(why);
        free(from);
    }
    snprintf(path, size, "%s/catalog.db", folder);
    if (good) {
        pthread_mutex_lock(&store->catalog_lock);
        good = flm_catalog_backup(store->catalog, path, why);
        pthread_mutex_unlock(&store->catalog_lock);
    }
    pthread_mutex_unlock(&store->maintenance);
    free(path);
    return good;
}
