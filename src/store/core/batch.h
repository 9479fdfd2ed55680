/* batch.h - what a batch may have, the same in every kind of store. */
#ifndef FLAMEL_STORE_CORE_BATCH_H
#define FLAMEL_STORE_CORE_BATCH_H

#include "base/text/text.h"
#include "flamel/store.h"

static inline struct flm_bytes flm_batch_tenant(const struct flm_store_batch *batch)
{
    return flm_bytes_of(batch->tenant ? batch->tenant : "");
}

static inline struct flm_bytes flm_batch_id(const struct flm_store_batch *batch)
{
    return flm_bytes_of(batch->id ? batch->id : "");
}

/* False, and `why`, for an id or a time that cannot be. */
bool flm_batch_check(const struct flm_store_batch *batch, struct flm_error *why);

/* Appends the text of its series; false, and `why`, for labels that cannot be. */
bool flm_batch_series(const struct flm_store_batch *batch, struct flm_text *out,
                      struct flm_error *why);

#endif
