#include "store/core/wanted.h"

#include "base/text/versioned.h"

bool flm_wanted_begin(struct flm_wanted *q, const struct flm_store_query *query,
                      struct flm_error *why)
{
    *q = (struct flm_wanted){0};
    if (!flm_versioned_copy(&q->own, sizeof q->own, query, "flm_store_query", why))
        return false;
    q->tenant = flm_bytes_of(q->own.tenant ? q->own.tenant : "");
    q->type = q->own.type ? flm_bytes_of(q->own.type) : (struct flm_bytes){NULL, 0};
    q->selector = flm_selector_parse(flm_bytes_of(q->own.selector ? q->own.selector : ""), why);
    bool good = q->selector != NULL;
    for (size_t i = 0; good && i < q->own.label_count; i++)
        good = flm_selector_add(q->selector, flm_bytes_of(q->own.labels[i].key),
                                flm_bytes_of(q->own.labels[i].value), why);
    if (!good) {
        flm_wanted_end(q);
        q->selector = NULL;
    }
    return good;
}

void flm_wanted_end(struct flm_wanted *q)
{
    flm_selector_free(q->selector);
}

bool flm_wanted_type(const struct flm_wanted *q, struct flm_bytes type)
{
    if (!q->type.at)
        return true;
    return flm_bytes_equal(type, q->type) ||
           (type.size > q->type.size && type.at[q->type.size] == ':' &&
            memcmp(type.at, q->type.at, q->type.size) == 0);
}

bool flm_wanted_series(const struct flm_wanted *q, struct flm_bytes series)
{
    return flm_bytes_equal(flm_series_tenant(series), q->tenant) &&
           flm_selector_matches(q->selector, series);
}
