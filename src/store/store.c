/* store.c - the table of stores, and flamel/store.h over it. */
#include "flamel/store.h"

#include <assert.h>

#include "base/text/versioned.h"
#include "store/clickhouse/clickhouse.h"
#include "store/core/store_kind.h"
#include "store/embedded/embedded.h"
#include "store/labels/series_labels.h"

/* The first that takes a location has it: a folder is the last. */
static const struct flm_store_kind *const kinds[] = {&flm_store_clickhouse, &flm_store_embedded};

struct flm_store *flm_store_open(const char *location, const struct flm_store_options *options,
                                 struct flm_error *why)
{
    assert(location);
    struct flm_store_options own;
    if (!flm_versioned_copy(&own, sizeof own, options, "flm_store_options", why))
        return NULL;
    size_t i = 0;
    while (!kinds[i]->takes(location))
        i++;
    /* cppcheck-suppress returnDanglingLifetime ; options are read, and not kept */
    return kinds[i]->open(location, &own, why);
}

void flm_store_close(struct flm_store *store)
{
    if (store)
        store->kind->close(store);
}

struct flm_store_recovery flm_store_recovered(const struct flm_store *store)
{
    return store->kind->recovered ? store->kind->recovered(store) : (struct flm_store_recovery){0};
}

bool flm_store_append(struct flm_store *store, const struct flm_store_batch *batches, size_t count,
                      struct flm_error *why)
{
    assert(store && (batches || count == 0));
    return store->kind->append(store, batches, count, why);
}

/* ---- Queries --------------------------------------------------------------------------------- */

struct flm_profile *flm_store_merge(struct flm_store *store, const struct flm_store_query *query,
                                    struct flm_error *why)
{
    return store->kind->merge(store, query, why);
}

bool flm_store_timelines(struct flm_store *store, const struct flm_store_query *query,
                         const char *const *labels, size_t label_count, int64_t step_ms,
                         size_t count, size_t most_groups, flm_store_group each, void *context,
                         struct flm_error *why)
{
    assert(step_ms > 0 && (labels || label_count == 0));
    return store->kind->timelines(store, query, labels, label_count, step_ms, count, most_groups,
                                  each, context, why);
}

struct one {
    double *values;
    size_t count;
};

static bool take_one(void *context, const char *const *labels, const double *values)
{
    const struct one *one = context;
    (void)labels;
    for (size_t i = 0; i < one->count; i++)
        one->values[i] += values[i];
    return true;
}

bool flm_store_timeline(struct flm_store *store, const struct flm_store_query *query,
                        int64_t step_ms, double *values, size_t count, struct flm_error *why)
{
    assert(values || count == 0);
    struct one one = {values, count};
    return flm_store_timelines(store, query, NULL, 0, step_ms, count, 1, take_one, &one, why);
}

bool flm_store_types(struct flm_store *store, const struct flm_store_query *query,
                     flm_store_text each, void *context, struct flm_error *why)
{
    return store->kind->types(store, query, each, context, why);
}

bool flm_store_label_names(struct flm_store *store, const struct flm_store_query *query,
                           flm_store_text each, void *context, struct flm_error *why)
{
    return store->kind->labels(store, query, (struct flm_bytes){NULL, 0}, each, context, why);
}

bool flm_store_label_values(struct flm_store *store, const struct flm_store_query *query,
                            const char *label, flm_store_text each, void *context,
                            struct flm_error *why)
{
    struct flm_bytes key = flm_bytes_of(strcmp(label, "service") == 0 ? FLM_STORE_SERVICE : label);
    return store->kind->labels(store, query, key, each, context, why);
}

bool flm_store_series(struct flm_store *store, const struct flm_store_query *query,
                      flm_store_text each, void *context, struct flm_error *why)
{
    return store->kind->series(store, query, each, context, why);
}

bool flm_store_typed_series(struct flm_store *store, const struct flm_store_query *query,
                            flm_store_typed each, void *context, struct flm_error *why)
{
    return store->kind->typed_series(store, query, each, context, why);
}

/* ---- Views ----------------------------------------------------------------------------------- */

bool flm_store_save_view(struct flm_store *store, const char *tenant, const char *name,
                         const struct flm_name *text, struct flm_error *why)
{
    assert(store && name && *name);
    return store->kind->save_view(store, tenant, name, text, why);
}

bool flm_store_views(struct flm_store *store, const char *tenant, flm_store_view each,
                     void *context, struct flm_error *why)
{
    return store->kind->views(store, tenant, each, context, why);
}

/* ---- Keeping it in order --------------------------------------------------------------------- */

bool flm_store_seal(struct flm_store *store, struct flm_error *why)
{
    return store->kind->seal(store, why);
}

bool flm_store_compact(struct flm_store *store, int64_t now_ms, uint64_t *merged,
                       struct flm_error *why)
{
    return store->kind->compact(store, now_ms, merged, why);
}

bool flm_store_retain(struct flm_store *store, int64_t before_ms, uint64_t *removed,
                      struct flm_error *why)
{
    return store->kind->retain(store, before_ms, removed, why);
}

struct flm_store_stats flm_store_stats(struct flm_store *store)
{
    return store->kind->stats(store);
}

bool flm_store_check(struct flm_store *store, struct flm_error *why)
{
    return store->kind->check(store, why);
}

bool flm_store_backup(struct flm_store *store, const char *folder, struct flm_error *why)
{
    return store->kind->backup(store, folder, why);
}
