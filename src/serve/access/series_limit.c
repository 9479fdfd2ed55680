#include "serve/access/series_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "store/labels/series_labels.h"

void flm_series_limit_init(struct flm_series_limit *limit, size_t most, size_t most_tenants)
{
    *limit = (struct flm_series_limit){.most = most, .most_tenants = most_tenants};
    pthread_mutex_init(&limit->lock, NULL);
}

static void forget(struct flm_series_limit *limit)
{
    for (size_t i = 0; i < limit->tenants.count; i++) {
        struct flm_tenant_series *t = &limit->tenants.at[i];
        free(t->tenant);
        FLM_ARRAY_CLEAR(&t->hashes);
        flm_index_clear(&t->index);
    }
    FLM_ARRAY_CLEAR(&limit->tenants);
}

void flm_series_limit_clear(struct flm_series_limit *limit)
{
    forget(limit);
    pthread_mutex_destroy(&limit->lock);
}

void flm_series_limit_forget(struct flm_series_limit *limit)
{
    pthread_mutex_lock(&limit->lock);
    forget(limit);
    pthread_mutex_unlock(&limit->lock);
}

/* ---- Counting -------------------------------------------------------------------------------- */

static bool is_known(const struct flm_tenant_series *t, uint64_t hash)
{
    if (t->index.slot_count == 0)
        return false;
    struct flm_probe at = flm_index_probe(&t->index, (uint32_t)hash);
    while (flm_index_next(&t->index, &at))
        if (t->hashes.at[at.found] == hash)
            return true;
    return false;
}

static bool add(struct flm_tenant_series *t, uint64_t hash)
{
    return is_known(t, hash) ||
           (FLM_ARRAY_ADD(&t->hashes, hash) &&
            (flm_index_add(&t->index, (uint32_t)hash, (uint32_t)(t->hashes.count - 1)) ||
             (t->hashes.count--, false)));
}

/* The hash of a series as people read it, "service_name=api host=a7": that is what the store
 * lists. */
static uint64_t hash_of(struct flm_bytes series)
{
    return flm_hash(series.at, series.size);
}

struct listing {
    struct flm_tenant_series *tenant;
    bool failed;
};

static bool list(void *context, struct flm_name text)
{
    struct listing *l = context;
    l->failed |= !add(l->tenant, hash_of((struct flm_bytes){text.at, text.size}));
    return !l->failed;
}

static struct flm_tenant_series *find(struct flm_series_limit *limit, struct flm_store *store,
                                      const char *name, struct flm_error *why)
{
    for (size_t i = 0; i < limit->tenants.count; i++)
        if (strcmp(limit->tenants.at[i].tenant, name) == 0)
            return &limit->tenants.at[i];
    if (limit->tenants.count >= limit->most_tenants) {
        flm_error_set(why, FLM_ERROR_RANGE, "there are %llu tenants already, which is the limit",
                      (unsigned long long)limit->most_tenants);
        return NULL;
    }
    struct flm_tenant_series tenant = {.tenant = strdup(name)};
    struct listing listing = {&tenant, false};
    const struct flm_store_query all = {.size = sizeof all, .tenant = name, .until_ms = INT64_MAX};
    bool good =
        tenant.tenant ? flm_store_series(store, &all, list, &listing, why) : flm_error_memory(why);
    if (good && (listing.failed || !FLM_ARRAY_ADD(&limit->tenants, tenant)))
        good = flm_error_memory(why);
    if (good)
        return &limit->tenants.at[limit->tenants.count - 1];
    free(tenant.tenant);
    FLM_ARRAY_CLEAR(&tenant.hashes);
    flm_index_clear(&tenant.index);
    return NULL;
}

static bool write_text(const struct flm_store_batch *batch, struct flm_text *out,
                       struct flm_error *why)
{
    struct flm_store_label labels[FLM_STORE_MOST_LABELS], label;
    struct flm_text series = {0};
    if (batch->label_count > FLM_STORE_MOST_LABELS)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there are more than %d labels",
                             FLM_STORE_MOST_LABELS);
    for (size_t i = 0; i < batch->label_count; i++)
        labels[i] = (struct flm_store_label){flm_bytes_of(batch->labels[i].key),
                                             flm_bytes_of(batch->labels[i].value)};
    bool good =
        flm_series_write((struct flm_bytes){"", 0}, labels, batch->label_count, &series, why);
    if (!good && why)
        why->kind = FLM_ERROR_FORMAT; /* it is not one series too many */
    size_t at = 0;
    struct flm_bytes text = {series.at, series.size};
    while (good && flm_series_next(text, &at, &label)) {
        if (out->size > 0)
            flm_text_putc(out, ' ');
        flm_text_add(out, label.key);
        flm_text_putc(out, '=');
        flm_text_add(out, label.value);
    }
    flm_text_clear(&series);
    return good && (!out->failed || flm_error_memory(why));
}

bool flm_series_limit_admit(struct flm_series_limit *limit, struct flm_store *store,
                            const struct flm_store_batch *batch, struct flm_error *why)
{
    struct flm_text text = {0};
    bool good = write_text(batch, &text, why);
    uint64_t hash = good ? hash_of((struct flm_bytes){text.at, text.size}) : 0;
    flm_text_clear(&text);
    if (!good)
        return false;
    pthread_mutex_lock(&limit->lock);
    struct flm_tenant_series *t = find(limit, store, batch->tenant ? batch->tenant : "", why);
    if (!t)
        good = false;
    else if (!is_known(t, hash) && t->hashes.count >= limit->most)
        good = flm_error_set(why, FLM_ERROR_RANGE,
                             "there are %llu series already, which is the limit: a label may have "
                             "too many values",
                             (unsigned long long)limit->most);
    else
        good = add(t, hash) || flm_error_memory(why);
    pthread_mutex_unlock(&limit->lock);
    return good;
}
