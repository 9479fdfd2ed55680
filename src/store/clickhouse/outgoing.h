/* outgoing.h - batches as rows for the tables of a ClickHouse store (schema.h).
 *
 * Batches are poured into a head (store_head.h), which is kept, so that what each of them adds is
 * small, and it is known which stacks and series the server has. A *block* is the rows of one day,
 * which is a partition: a server has all of it or none. On a cluster it has a part for each shard,
 * each with a mark of its own, so that an insert whose end nobody saw can be asked for. */
#ifndef FLAMEL_STORE_CLICKHOUSE_OUTGOING_H
#define FLAMEL_STORE_CLICKHOUSE_OUTGOING_H

#include "store/clickhouse/run_rows.h"
#include "store/clickhouse/stack_id.h"
#include "store/core/store_head.h"

struct flm_outgoing_id {
    struct flm_stack_id id; /* of a batch */
    uint32_t series;
    int64_t time_ms;
};

/* That the server has a stack of a tenant until a day. */
struct flm_outgoing_sent {
    uint32_t tenant; /* string of the head */
    uint32_t node, day;
};

struct flm_outgoing_series {
    uint32_t series, day;
};

struct flm_block {
    struct flm_stack_id id;
    uint32_t hour; /* of its marks */
    unsigned shards;
    struct flm_run_rows *rows; /* of each shard */
};

struct flm_outgoing {
    struct flm_head head;
    struct FLM_ARRAY(struct flm_stack_id) ids, frame_ids; /* by node, by frame of the head */
    struct FLM_ARRAY(struct flm_outgoing_sent) sent;
    struct flm_index sent_index;
    struct FLM_ARRAY(uint32_t) series_day; /* by series: the day until which the server has it */

    /* Of the batches that were added: */
    struct FLM_ARRAY(struct flm_outgoing_series) seen;
    struct FLM_ARRAY(struct flm_outgoing_id) batch_ids;

    /* Made by flm_outgoing_encode: */
    struct flm_text stack_rows, series_rows;
    struct FLM_ARRAY(struct flm_block) blocks;
};

bool flm_outgoing_init(struct flm_outgoing *out, struct flm_error *why);
void flm_outgoing_clear(struct flm_outgoing *out);

/* Adds a batch: the text of its series, and, where it has one, the id of flm_outgoing_batch_id. */
bool flm_outgoing_add(struct flm_outgoing *out, const struct flm_profile *profile,
                      struct flm_bytes series, int64_t time_ms, const struct flm_stack_id *id,
                      struct flm_error *why);

/* Makes rows of all batches that were added, in blocks for so many shards. */
bool flm_outgoing_encode(struct flm_outgoing *out, unsigned shards, struct flm_error *why);

/* Forgets the batches and what was made of them. `is_sent`: the server has it. */
void flm_outgoing_drop(struct flm_outgoing *out, bool is_sent);

/* "tenant service" of a series as a number below 256. */
unsigned flm_outgoing_slot(struct flm_bytes series);

/* The id of a batch of a tenant as that of a mark. */
bool flm_outgoing_batch_id(struct flm_bytes id, struct flm_stack_id *mark);

#endif
