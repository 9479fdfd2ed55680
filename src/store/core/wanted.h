/* wanted.h - which types and series a query wants, the same in every kind of store. */
#ifndef FLAMEL_STORE_CORE_WANTED_H
#define FLAMEL_STORE_CORE_WANTED_H

#include "base/core/bytes.h"
#include "flamel/store.h"
#include "store/labels/series_labels.h"

struct flm_wanted {
    struct flm_store_query own;
    struct flm_selector *selector;
    struct flm_bytes tenant, type;
};

/* False, and `why`, for a selector that is none; flm_wanted_end in any case. */
bool flm_wanted_begin(struct flm_wanted *q, const struct flm_store_query *query,
                      struct flm_error *why);
void flm_wanted_end(struct flm_wanted *q);

/* "cpu:ns" is wanted by "cpu:ns" and by "cpu". */
bool flm_wanted_type(const struct flm_wanted *q, struct flm_bytes type);
bool flm_wanted_series(const struct flm_wanted *q, struct flm_bytes series);

#endif
