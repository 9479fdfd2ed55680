/* store.c - a store in a folder: opening it, what a crash left, and appending. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/core/batch.h"
#include "store/embedded/embedded.h"
#include "store/embedded/internal.h"

/* ---- Folder ---------------------------------------------------------------------------------- */

char *flm_store_path(const struct flm_embedded *store, const char *file)
{
    size_t size = strlen(store->folder) + (file ? strlen(file) : 0) + sizeof "/segments/";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/segments%s%s", store->folder, file ? "/" : "", file ? file : "");
    return path;
}

static bool make_folder(const char *path, struct flm_error *why)
{
    return mkdir(path, 0750) == 0 || errno == EEXIST ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
}

/* SQLite says "disk I/O error" where it cannot make its files. */
static bool check_writable(const char *path, struct flm_error *why)
{
    return access(path, W_OK) == 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the store cannot be written: %s", path,
                         strerror(errno));
}

static bool is_listed(const struct flm_embedded *store, const char *file)
{
    for (size_t i = 0; i < store->segments.count; i++)
        if (strcmp(store->segments.at[i].file, file) == 0)
            return true;
    return false;
}

static int64_t generation_of(const char *file)
{
    return (int64_t)strtoull(file, NULL, 16);
}

/* Removes what was being written, and segments that no transaction has named. */
static bool remove_leftovers(struct flm_embedded *store, struct flm_error *why)
{
    char *folder = flm_store_path(store, NULL);
    DIR *dir = folder ? opendir(folder) : NULL;
    if (!dir) {
        if (folder)
            flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
        else
            flm_error_memory(why);
        free(folder);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *end = strrchr(entry->d_name, '.');
        bool is_segment = end && strcmp(end, ".seg") == 0, is_new = end && strcmp(end, ".new") == 0;
        int64_t generation = generation_of(entry->d_name);
        if (is_segment && generation >= store->next_generation)
            store->next_generation = generation + 1;
        if (is_new || (is_segment && !is_listed(store, entry->d_name)))
            store->recovered.removed_files += unlinkat(dirfd(dir), entry->d_name, 0) == 0;
    }
    closedir(dir);
    free(folder);
    return true;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool list_segment(void *context, const struct flm_catalog_segment *seen,
                         struct flm_error *why)
{
    struct flm_embedded *store = context;
    struct flm_store_segment segment = {.level = seen->level,
                                        .from_ms = seen->from_ms,
                                        .until_ms = seen->until_ms,
                                        .rows = seen->rows,
                                        .size = seen->size,
                                        .is_damaged = seen->quarantined};
    snprintf(segment.file, sizeof segment.file, "%s", seen->file);
    store->recovered.damaged_segments += seen->quarantined;
    return FLM_ARRAY_ADD(&store->segments, segment) || flm_error_memory(why);
}

struct replay {
    struct flm_embedded *store;
    bool is_broken; /* an entry of this generation could not be read: later ones refer to it */
};

/* The generation that was replayed becomes segments, but for the last one, which goes on. */
static bool finish_generation(struct flm_embedded *store, struct flm_error *why)
{
    bool frozen;
    store->committed = flm_head_mark_of(&store->head);
    return flm_store_freeze(store, &frozen, why) && (!frozen || flm_store_seal_frozen(store, why));
}

static bool replay_entry(void *context, int64_t generation, int64_t sequence,
                         struct flm_bytes entry, bool damaged, struct flm_error *why)
{
    struct replay *r = context;
    struct flm_embedded *store = r->store;
    if (generation != store->generation) {
        r->is_broken = false;
        store->generation = generation;
    }
    if (generation >= store->next_generation)
        store->next_generation = generation + 1;
    store->sequence = sequence + 1;
    if (!r->is_broken && !damaged) {
        struct flm_error inner;
        if (flm_head_read(&store->head, entry, &inner)) {
            store->recovered.journal_entries++;
            return true;
        }
        if (inner.kind == FLM_ERROR_MEMORY)
            return flm_error_memory(why);
    }
    r->is_broken = true;
    store->recovered.damaged_entries++;
    return true;
}

struct generations {
    struct FLM_ARRAY(int64_t) numbers;
};

static bool note_generation(void *context, int64_t generation, int64_t sequence,
                            struct flm_bytes entry, bool damaged, struct flm_error *why)
{
    struct generations *g = context;
    (void)sequence, (void)entry, (void)damaged;
    if (g->numbers.count > 0 && g->numbers.at[g->numbers.count - 1] == generation)
        return true;
    return FLM_ARRAY_ADD(&g->numbers, generation) || flm_error_memory(why);
}

/* Replays one generation after the other: a store that ended while one was sealed has two. */
static bool replay(struct flm_embedded *store, struct flm_error *why)
{
    struct generations all = {0};
    struct replay r = {.store = store};
    bool good = flm_catalog_journal_each(store->catalog, note_generation, &all, why);
    for (size_t i = 0; good && i < all.numbers.count; i++) {
        r.is_broken = false;
        store->generation = all.numbers.at[i];
        good = flm_catalog_journal_of(store->catalog, all.numbers.at[i], replay_entry, &r, why);
        /* What cannot be read must not be in front of what will be written. */
        if (good && (i + 1 < all.numbers.count || r.is_broken))
            good = finish_generation(store, why);
    }
    FLM_ARRAY_CLEAR(&all.numbers);
    store->committed = flm_head_mark_of(&store->head);
    return good;
}

/* A damaged row has ids that are not known any more: what is sent again is counted twice then, and
 * that is no reason not to open the store. */
static bool read_ids(void *context, int64_t row, struct flm_bytes ids, struct flm_error *why)
{
    struct flm_embedded *store = context;
    (void)why;
    flm_pushed_read(&store->pushed, row, ids);
    return true;
}

static bool open_store(struct flm_embedded *store, bool must_exist, struct flm_error *why)
{
    char *segments = flm_store_path(store, NULL);
    size_t size = strlen(store->folder) + sizeof "/catalog.db";
    char *catalog = malloc(size);
    bool good = segments && catalog;
    if (good) {
        snprintf(catalog, size, "%s/catalog.db", store->folder);
        if (must_exist && access(catalog, F_OK) != 0)
            good =
                flm_error_set(why, FLM_ERROR_SYSTEM, "%s: there is no store here", store->folder);
        good = good && make_folder(store->folder, why) && check_writable(store->folder, why) &&
               make_folder(segments, why) &&
               (store->catalog = flm_catalog_open(catalog, why)) != NULL;
    } else {
        flm_error_memory(why);
    }
    free(segments);
    free(catalog);
    return good && flm_head_init(&store->head, why) &&
           flm_catalog_pushed_each(store->catalog, read_ids, store, why) &&
           flm_catalog_segments_each(store->catalog, list_segment, store, why) &&
           remove_leftovers(store, why) && replay(store, why);
}

static bool takes(const char *location)
{
    (void)location;
    return true;
}

static void close_store(struct flm_store *base);

static struct flm_store *open_folder(const char *folder, const struct flm_store_options *options,
                                     struct flm_error *why)
{
    struct flm_embedded *store = calloc(1, sizeof *store);
    if (!store || !(store->folder = strdup(folder))) {
        free(store);
        flm_error_memory(why);
        return NULL;
    }
    store->base.kind = &flm_store_embedded;
    pthread_mutex_init(&store->maintenance, NULL);
    pthread_mutex_init(&store->reading, NULL);
    pthread_mutex_init(&store->lock, NULL);
    pthread_mutex_init(&store->catalog_lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    store->next_generation = 1;
    if (!flm_pushed_init(&store->pushed, why) || !open_store(store, options->must_exist, why)) {
        close_store(&store->base);
        return NULL;
    }
    /* A head that goes on keeps its generation; a new one gets a number that no segment has. */
    if (store->sequence == 0)
        store->generation = store->next_generation++;
    return &store->base;
}

static void close_store(struct flm_store *base)
{
    struct flm_embedded *store = flm_embedded_of(base);
    for (size_t i = 0; i < store->segments.count; i++)
        flm_segment_close(store->segments.at[i].opened);
    FLM_ARRAY_CLEAR(&store->segments);
    flm_head_clear(&store->head);
    flm_head_clear(&store->frozen);
    flm_pushed_clear(&store->pushed);
    flm_catalog_close(store->catalog);
    pthread_mutex_destroy(&store->maintenance);
    pthread_mutex_destroy(&store->reading);
    pthread_mutex_destroy(&store->lock);
    pthread_mutex_destroy(&store->catalog_lock);
    pthread_cond_destroy(&store->changed);
    free(store->folder);
    free(store);
}

static struct flm_store_recovery recovered(const struct flm_store *base)
{
    return ((const struct flm_embedded *)base)->recovered;
}

/* ---- Appending ------------------------------------------------------------------------------- */

/* Pours the batches into the head. Of a failure nothing is left but strings, frames and nodes. */
static bool pour(struct flm_embedded *store, const struct flm_store_batch *batches, size_t count,
                 struct flm_error *why)
{
    struct flm_head_mark before = flm_head_mark_of(&store->head);
    size_t ids = store->pushed.waiting.count;
    struct flm_text series = {0};
    uint64_t repeated = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        const struct flm_store_batch *b = &batches[i];
        struct flm_bytes tenant = flm_batch_tenant(b), id = flm_batch_id(b);
        series.size = 0;
        good = flm_batch_check(b, why);
        if (good && id.size > 0 && flm_pushed_has(&store->pushed, tenant, id)) {
            repeated++;
            continue;
        }
        good =
            good && flm_batch_series(b, &series, why) &&
            flm_head_add(&store->head, batches[i].profile,
                         (struct flm_bytes){series.at, series.size}, batches[i].time_ms, why) &&
            (id.size == 0 || flm_pushed_add(&store->pushed, tenant, id) || flm_error_memory(why));
    }
    flm_text_clear(&series);
    if (good) {
        store->pushed.repeated += repeated;
    } else {
        flm_head_drop_batches(&store->head, &before);
        flm_pushed_drop(&store->pushed, ids);
    }
    return good;
}

/* Series that are new in this generation. */
static bool commit_series(struct flm_embedded *store, const struct flm_text *texts, size_t count,
                          int64_t time_ms, struct flm_error *why)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size;
        memcpy(&size, texts->at + at, sizeof size);
        struct flm_bytes text = {texts->at + at + sizeof size, size};
        if (!flm_catalog_series_add(store->catalog, text, time_ms, why))
            return false;
        at += sizeof size + size;
    }
    return true;
}

/* What a commit writes, taken while the store was locked. */
struct commit {
    int64_t generation, sequence, time_ms;
    struct flm_text entry, series, ids;
    size_t series_count;
    int64_t ids_row, ids_forget_below;
};

static bool write_journal(struct flm_embedded *store, const struct commit *c, struct flm_error *why)
{
    pthread_mutex_lock(&store->catalog_lock);
    bool begun = flm_catalog_begin(store->catalog, why);
    bool good =
        begun &&
        flm_catalog_journal_add(store->catalog, c->generation, c->sequence,
                                (struct flm_bytes){c->entry.at, c->entry.size}, why) &&
        commit_series(store, &c->series, c->series_count, c->time_ms, why) &&
        (c->ids.size == 0 || flm_catalog_pushed_add(store->catalog, c->ids_row,
                                                    (struct flm_bytes){c->ids.at, c->ids.size},
                                                    c->ids_forget_below, why)) &&
        flm_catalog_commit(store->catalog, why);
    if (begun && !good)
        flm_catalog_rollback(store->catalog);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}

/* What a series_count of series have to say to the catalog, behind their sizes. */
static void copy_series(const struct flm_embedded *store, size_t from, struct flm_text *out)
{
    for (size_t i = from; i < store->head.series.strings.count; i++) {
        struct flm_bytes text = flm_head_series(&store->head, (uint32_t)i);
        uint32_t size = (uint32_t)text.size;
        flm_text_add(out, (struct flm_bytes){(const char *)&size, sizeof size});
        flm_text_add(out, text);
    }
}

static void end_waiting(struct flm_store_waiter *waiter, bool good, const struct flm_error *why)
{
    for (struct flm_store_waiter *next; waiter; waiter = next) {
        next = waiter->next;
        if (!good && waiter->why)
            *waiter->why = *why;
        waiter->outcome = good ? FLM_DURABLE : FLM_FAILED;
    }
}

/* Commits all that was appended so far: for the threads that wait meanwhile too. Holds `lock`,
 * which it releases while it writes. */
static void commit(struct flm_embedded *store)
{
    struct flm_head_mark target = flm_head_mark_of(&store->head);
    struct flm_store_waiter *waiters = store->waiters;
    size_t ids = store->pushed.waiting.count;
    store->waiters = NULL;
    if (target.batches == store->committed.batches) { /* all came before: it is durable */
        end_waiting(waiters, true, NULL);
        return;
    }
    struct commit c = {.generation = store->generation,
                       .sequence = store->sequence++,
                       .time_ms = store->head.until_ms - 1,
                       .series_count = target.series - store->committed.series,
                       .ids_row = store->pushed.next_row,
                       .ids_forget_below = store->pushed.previous_row};
    flm_head_write(&store->head, &store->committed, &c.entry);
    copy_series(store, store->committed.series, &c.series);
    flm_pushed_write(&store->pushed, &c.ids);
    struct flm_error why;
    bool good = (!c.entry.failed && !c.series.failed && !c.ids.failed) || flm_error_memory(&why);
    store->is_committing = true;
    pthread_mutex_unlock(&store->lock);
    good = good && write_journal(store, &c, &why);
    flm_text_clear(&c.entry);
    flm_text_clear(&c.series);
    flm_text_clear(&c.ids);
    pthread_mutex_lock(&store->lock);
    store->is_committing = false;
    if (good) {
        store->committed = target;
        if (ids > 0)
            flm_pushed_commit(&store->pushed, ids);
    } else {
        flm_pushed_drop(&store->pushed, 0);
        /* Those that were appended meanwhile stand behind what failed, and go with it. */
        flm_head_drop_batches(&store->head, &store->committed);
        end_waiting(store->waiters, false, &why);
        store->waiters = NULL;
    }
    end_waiting(waiters, good, &why);
    pthread_cond_broadcast(&store->changed);
}

static bool append(struct flm_store *base, const struct flm_store_batch *batches, size_t count,
                   struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    pthread_mutex_lock(&store->lock);
    bool good = pour(store, batches, count, why);
    struct flm_store_waiter own = {.next = store->waiters, .why = why};
    if (good)
        /* cppcheck-suppress autoVariables ; whoever ends the waiting takes it off first */
        store->waiters = &own;
    while (good && own.outcome == FLM_WAITING)
        if (store->is_committing)
            pthread_cond_wait(&store->changed, &store->lock);
        else
            commit(store);
    pthread_mutex_unlock(&store->lock);
    return good && own.outcome == FLM_DURABLE;
}

bool flm_store_freeze(struct flm_embedded *store, bool *frozen, struct flm_error *why)
{
    struct flm_head empty;
    if (!flm_head_init(&empty, why))
        return false;
    pthread_mutex_lock(&store->lock);
    while (store->is_committing || store->head.batches.count > store->committed.batches)
        if (store->is_committing)
            pthread_cond_wait(&store->changed, &store->lock);
        else
            commit(store);
    *frozen = store->head.batches.count > 0;
    if (*frozen) {
        assert(store->frozen.nodes.count == 0);
        store->frozen = store->head;
        store->frozen_generation = store->generation;
        store->head = empty;
        store->generation = store->next_generation++;
        store->sequence = 0;
        store->committed = flm_head_mark_of(&store->head);
    }
    pthread_mutex_unlock(&store->lock);
    if (!*frozen)
        flm_head_clear(&empty);
    return true;
}

const struct flm_store_kind flm_store_embedded = {
    .name = "embedded",
    .takes = takes,
    .open = open_folder,
    .close = close_store,
    .recovered = recovered,
    .append = append,
    .batches = flm_embedded_batches,
    .merge = flm_embedded_merge,
    .timelines = flm_embedded_timelines,
    .types = flm_embedded_types,
    .labels = flm_embedded_labels,
    .series = flm_embedded_series,
    .typed_series = flm_embedded_typed_series,
    .save_view = flm_embedded_save_view,
    .views = flm_embedded_views,
    .seal = flm_embedded_seal,
    .compact = flm_embedded_compact,
    .retain = flm_embedded_retain,
    .stats = flm_embedded_stats,
    .check = flm_embedded_check,
    .backup = flm_embedded_backup,
};
