/* stack_id.h - a stack by its content: 128 bits that any machine computes alike.
 *
 * A stack is its callers' id and one frame more, so that the ids of all stacks of a tree take one
 * pass. The halves are checksums of the same bytes, with and without a byte before them that moves
 * them to other places of the words that are mixed. They are no secret: who makes two stacks with
 * one id on purpose mixes up stacks of a tenant of its own. */
#ifndef FLAMEL_STORE_CLICKHOUSE_STACK_ID_H
#define FLAMEL_STORE_CLICKHOUSE_STACK_ID_H

#include "profile/interner.h"

struct flm_stack_id {
    uint64_t low, high;
};

static inline bool flm_stack_id_equal(struct flm_stack_id a, struct flm_stack_id b)
{
    return a.low == b.low && a.high == b.high;
}

/* Of a frame of an interner: false when memory ran out. */
bool flm_frame_id(const struct flm_interner *interner, uint32_t frame, struct flm_stack_id *id);

/* Of a stack whose callers have an id: {0, 0} for none. */
struct flm_stack_id flm_stack_child(struct flm_stack_id callers, struct flm_stack_id frame);

/* Of any bytes: an id of a batch, of a profile. */
bool flm_content_id(struct flm_bytes bytes, struct flm_stack_id *id);

#endif
