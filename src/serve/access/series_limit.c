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

static void clear_hashes(struct flm_tenant_series *t)
{
    FLM_ARRAY_CLEAR(&t->hashes);
    flm_index_clear(&t->index);
}

static void remove_at(struct flm_series_limit *limit, size_t i)
{
    clear_hashes(&limit->tenants.at[i]);
    free(limit->tenants.at[i].tenant);
    limit->tenants.at[i] = limit->tenants.at[--limit->tenants.count];
}

void flm_series_limit_clear(struct flm_series_limit *limit)
{
    while (limit->tenants.count > 0)
        remove_at(limit, limit->tenants.count - 1);
    FLM_ARRAY_CLEAR(&limit->tenants);
    pthread_mutex_destroy(&limit->lock);
}

void flm_series_limit_forget(struct flm_series_limit *limit)
{
    pthread_mutex_lock(&limit->lock);
    for (size_t i = limit->tenants.count; i-- > 0;) {
        if (limit->tenants.at[i].users == 0)
            remove_at(limit, i);
        else
            limit->tenants.at[i].is_stale = true;
    }
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

static struct flm_tenant_series *find(struct flm_series_limit *limit, const char *name)
{
    for (size_t i = 0; i < limit->tenants.count; i++)
        if (strcmp(limit->tenants.at[i].tenant, name) == 0)
            return &limit->tenants.at[i];
    return NULL;
}

static struct flm_tenant_series *find_or_add(struct flm_series_limit *limit, const char *name,
                                             struct flm_error *why)
{
    struct flm_tenant_series *found = find(limit, name);
    if (found)
        return found;
    if (limit->tenants.count >= limit->most_tenants) {
        flm_error_set(why, FLM_ERROR_RANGE, "there are %llu tenants already, which is the limit",
                      (unsigned long long)limit->most_tenants);
        return NULL;
    }
    struct flm_tenant_series tenant = {.tenant = strdup(name), .is_stale = true};
    if (tenant.tenant && FLM_ARRAY_ADD(&limit->tenants, tenant))
        return &limit->tenants.at[limit->tenants.count - 1];
    free(tenant.tenant);
    flm_error_memory(why);
    return NULL;
}

static bool refresh(struct flm_tenant_series *t, struct flm_store *store, struct flm_error *why)
{
    if (!t->is_stale)
        return true;
    clear_hashes(t);
    struct listing listing = {t, false};
    const struct flm_store_query all = {
        .size = sizeof all, .tenant = t->tenant, .until_ms = INT64_MAX};
    if (!flm_store_series(store, &all, list, &listing, why))
        return false;
    if (listing.failed)
        return flm_error_memory(why);
    t->is_stale = false;
    return true;
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
    if (!good && why && why->kind == FLM_ERROR_RANGE)
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

static bool hash_batch(const struct flm_store_batch *batch, uint64_t *hash, struct flm_error *why)
{
    struct flm_text text = {0};
    bool good = write_text(batch, &text, why);
    *hash = good ? hash_of((struct flm_bytes){text.at, text.size}) : 0;
    flm_text_clear(&text);
    return good;
}

static bool is_claimed(const struct flm_series_claim *claim, uint64_t hash)
{
    for (size_t i = 0; i < claim->hashes.count; i++)
        if (claim->hashes.at[i] == hash)
            return true;
    return false;
}

static bool claim_all(const struct flm_series_limit *limit, struct flm_tenant_series *t,
                      const uint64_t *hashes, size_t count, struct flm_series_claim *claim,
                      struct flm_error *why)
{
    for (size_t i = 0; i < count; i++) {
        if (is_known(t, hashes[i]) || is_claimed(claim, hashes[i]))
            continue;
        if (t->hashes.count + t->claimed >= limit->most)
            return flm_error_set(why, FLM_ERROR_RANGE,
                                 "there are %llu series already, which is the limit: a label may "
                                 "have too many values",
                                 (unsigned long long)limit->most);
        if (!FLM_ARRAY_ADD(&claim->hashes, hashes[i]))
            return flm_error_memory(why);
        t->claimed++;
    }
    return true;
}

bool flm_series_limit_claim(struct flm_series_limit *limit, struct flm_store *store,
                            const struct flm_store_batch *batches, size_t count,
                            struct flm_series_claim *claim, struct flm_error *why)
{
    uint64_t *hashes = malloc((count + 1) * sizeof *hashes);
    bool good = hashes || flm_error_memory(why);
    *claim = (struct flm_series_claim){.is_open = false};
    for (size_t i = 0; good && i < count; i++)
        good = hash_batch(&batches[i], &hashes[i], why);
    if (good && count > 0) {
        const char *tenant = batches[0].tenant ? batches[0].tenant : "";
        pthread_mutex_lock(&limit->lock);
        struct flm_tenant_series *t = find_or_add(limit, tenant, why);
        if (t) {
            t->users++;
            claim->is_open = true;
        }
        good = t && refresh(t, store, why) && claim_all(limit, t, hashes, count, claim, why);
        pthread_mutex_unlock(&limit->lock);
    }
    free(hashes);
    return good;
}

void flm_series_limit_settle(struct flm_series_limit *limit, const char *tenant,
                             struct flm_series_claim *claim, bool is_appended)
{
    if (claim->is_open) {
        pthread_mutex_lock(&limit->lock);
        struct flm_tenant_series *t = find(limit, tenant ? tenant : "");
        t->users--;
        t->claimed -= claim->hashes.count;
        for (size_t i = 0; is_appended && i < claim->hashes.count; i++)
            t->is_stale |= !add(t, claim->hashes.at[i]);
        if (t->users == 0 && t->hashes.count == 0) /* of refused requests alone */
            remove_at(limit, (size_t)(t - limit->tenants.at));
        pthread_mutex_unlock(&limit->lock);
    }
    FLM_ARRAY_CLEAR(&claim->hashes);
    claim->is_open = false;
}
