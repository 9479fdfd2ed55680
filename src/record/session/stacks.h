/* stacks.h - stacks of locations as one tree, and what was counted there.
 *
 * A stack is a node: its location, and its caller's node. The same stack is the same node, so a
 * sample costs four bytes of stack. Nodes are numbered in the order of their coming, so callers
 * stand before what they call. Node 0 is the root. */
#ifndef FLAMEL_RECORD_SESSION_STACKS_H
#define FLAMEL_RECORD_SESSION_STACKS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "flamel/error.h"

struct flm_stack_node {
    uint32_t caller, location;
};

struct flm_stacks {
    struct FLM_ARRAY(struct flm_stack_node) nodes;
    struct flm_index index;
};

bool flm_stacks_init(struct flm_stacks *stacks, struct flm_error *why);
void flm_stacks_clear(struct flm_stacks *stacks);

/* The node of a location called by a node; UINT32_MAX when memory ran out. */
uint32_t flm_stacks_child(struct flm_stacks *stacks, uint32_t caller, uint32_t location);

#endif
