/* series_limit.h - how many series a tenant may have: a label with a value per request would make
 * millions of them, and each is in the catalog until it is forgotten.
 *
 * The series of a tenant are counted by their hashes (8 bytes each), which are read from the store
 * when the tenant is first seen. Two series with one hash count as one. What is counted is what was
 * appended: a request claims its new series, and settles the claim when it is over, so that one
 * that is refused leaves nothing behind.
 *
 *     flm_series_limit_claim(&limit, store, batches, count, &claim, &why)
 *     flm_series_limit_settle(&limit, tenant, &claim, appended);          also where that failed */
#ifndef FLAMEL_SERVE_ACCESS_SERIES_LIMIT_H
#define FLAMEL_SERVE_ACCESS_SERIES_LIMIT_H

#include <pthread.h>

#include "base/core/array.h"
#include "base/core/index.h"
#include "flamel/store.h"

struct flm_tenant_series {
    char *tenant; /* owned */
    struct FLM_ARRAY(uint64_t) hashes;
    struct flm_index index;
    size_t claimed; /* new series of requests that are not over */
    unsigned users; /* these requests */
    bool is_stale;  /* the hashes are to be read from the store (again) */
};

/* The new series of a request, by their hashes. */
struct flm_series_claim {
    struct FLM_ARRAY(uint64_t) hashes;
    bool is_open;
};

struct flm_series_limit {
    pthread_mutex_t lock;
    size_t most, most_tenants;
    struct FLM_ARRAY(struct flm_tenant_series) tenants;
};

void flm_series_limit_init(struct flm_series_limit *limit, size_t most, size_t most_tenants);
void flm_series_limit_clear(struct flm_series_limit *limit);

/* Claims the series of the batches, which are of one tenant. False, and `why`: FLM_ERROR_RANGE
 * where there are too many (or too many tenants), FLM_ERROR_FORMAT for labels that cannot be. */
bool flm_series_limit_claim(struct flm_series_limit *limit, struct flm_store *store,
                            const struct flm_store_batch *batches, size_t count,
                            struct flm_series_claim *claim, struct flm_error *why);

/* `is_appended`: its series are in the store, and are counted. */
void flm_series_limit_settle(struct flm_series_limit *limit, const char *tenant,
                             struct flm_series_claim *claim, bool is_appended);

/* Forgets what was counted, since series were removed from the store: they are read again. */
void flm_series_limit_forget(struct flm_series_limit *limit);

#endif
