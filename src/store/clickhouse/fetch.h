/* fetch.h - frames of stacks, fetched by their ids. */
#ifndef FLAMEL_STORE_CLICKHOUSE_FETCH_H
#define FLAMEL_STORE_CLICKHOUSE_FETCH_H

#include "store/clickhouse/internal.h"

/* The id of a stack without frames, which the table of stacks does not have. */
static inline bool flm_stack_is_empty(struct flm_stack_id id)
{
    return id.low == 1 && id.high == 0;
}

/* Adds those of them that the server has to `known`; `lock`, which may be NULL, is held while it
 * changes. */
bool flm_ch_fetch(struct flm_clickhouse *store, struct flm_bytes tenant,
                  const struct flm_stack_id *ids, size_t count, struct flm_known *known,
                  pthread_mutex_t *lock, struct flm_error *why);

#endif
