/* pushed.h - ids of batches that came before: one that is sent again, because the answer was lost,
 * is not counted twice.
 *
 *     waiting     appended, not yet durable; or durable, and no memory was there to sort it in
 *     current     the last ones that are durable, up to 250,000, or 64 MiB
 *     previous    those before; forgotten when current is full and becomes previous
 *
 * Ids are of a tenant. Those of a commit are a row of the catalog, in the transaction that makes
 * their batches durable, so they survive what these survive. All under the store's `lock`. */
#ifndef FLAMEL_STORE_EMBEDDED_PUSHED_H
#define FLAMEL_STORE_EMBEDDED_PUSHED_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "profile/interner.h"

struct flm_pushed_id {
    struct flm_text text; /* tenant \0 id */
    bool is_durable;
};

struct flm_pushed {
    struct FLM_ARRAY(struct flm_pushed_id) waiting;
    struct flm_interner current, previous;
    int64_t current_row, previous_row; /* the first row of each */
    int64_t next_row;
    uint64_t repeated; /* batches that were there already */
};

bool flm_pushed_init(struct flm_pushed *pushed, struct flm_error *why);
void flm_pushed_clear(struct flm_pushed *pushed);

bool flm_pushed_has(const struct flm_pushed *pushed, struct flm_bytes tenant, struct flm_bytes id);

/* Adds one to those that wait. False: memory ran out. */
bool flm_pushed_add(struct flm_pushed *pushed, struct flm_bytes tenant, struct flm_bytes id);
/* Forgets those that wait, from one on: their batches are not there. */
void flm_pushed_drop(struct flm_pushed *pushed, size_t from);

/* The row of those that wait and are not durable, from the first on; empty where there are none. */
void flm_pushed_write(const struct flm_pushed *pushed, struct flm_text *out);
/* The first `count` of those that wait are durable, in the next row. Rows below `previous_row` are
 * no longer needed. */
void flm_pushed_commit(struct flm_pushed *pushed, size_t count);

/* Those of a row of the catalog, rows ascending. False: it is damaged, or memory ran out. */
bool flm_pushed_read(struct flm_pushed *pushed, int64_t row, struct flm_bytes ids);

#endif
