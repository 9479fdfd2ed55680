/* stacks.h - stacks of locations, as one tree.
 *
 * A stack is a node: its location, and its caller's node. Equal stacks are one node, so the stack
 * of a sample costs four bytes. Nodes are numbered in the order in which they are added, so callers
 * come before their callees. Node 0 is the root. */
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
