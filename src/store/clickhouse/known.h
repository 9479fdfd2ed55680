/* known.h - the frames of stacks that queries have met, by their ids: a stack is fetched once.
 *
 * It is bounded: when it has become large it begins anew. One thread at a time. */
#ifndef FLAMEL_STORE_CLICKHOUSE_KNOWN_H
#define FLAMEL_STORE_CLICKHOUSE_KNOWN_H

#include "store/clickhouse/sql.h"
#include "store/clickhouse/stack_id.h"
#include "store/core/head_tree.h"

struct flm_known_stack {
    struct flm_stack_id id;
    uint32_t tenant; /* string of the head: tenants do not share stacks */
    uint32_t node;   /* of the head */
};

struct flm_known {
    struct flm_head head;
    struct flm_head_tree tree; /* of it */
    struct FLM_ARRAY(struct flm_known_stack) stacks;
    struct flm_index index;
};

bool flm_known_init(struct flm_known *known, struct flm_error *why);
void flm_known_clear(struct flm_known *known);

/* The node of a stack; FLM_NONE: it is not known. */
uint32_t flm_known_find(const struct flm_known *known, struct flm_bytes tenant,
                        struct flm_stack_id id);

/* Reads a row of the table `stacks`, from `id` on without `day` and `slot`. False: memory ran out,
 * or it is no such row (row->failed). */
bool flm_known_read(struct flm_known *known, struct flm_bytes tenant, struct flm_row_reader *row);

/* The node that stands for all stacks which the server does not have either. They are not kept: it
 * may have them the next time. */
#define FLM_UNKNOWN_STACK "[stack that the store does not have]"
bool flm_known_missing(struct flm_known *known, uint32_t *node);

size_t flm_known_size(const struct flm_known *known);

#endif
