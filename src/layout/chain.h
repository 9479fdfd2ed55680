/* chain.h - functions that call themselves: how deep, and whether that fills the screen.
 *
 * A chain is a node and all below it of the same function, without another one in between. The one
 * with the largest area (the sum of the widths of its nodes) is what a user sees in place of the
 * rest of the program, and is offered to be collapsed. Two passes over the profile, whenever
 * another one is shown. */
#ifndef FLAMEL_LAYOUT_CHAIN_H
#define FLAMEL_LAYOUT_CHAIN_H

#include "flamel/profile.h"

struct flm_chain {
    uint32_t frame; /* of its first node */
    uint32_t depth; /* how many frames of the function are in one stack; 0: none calls itself */
    uint32_t rows;  /* the same of stacks that are wide enough to be seen */
};

/* The chain with the largest area, of equal ones the first. `narrowest`: of the metric, what can be
 * seen. False, and `why`, if memory ran out. */
bool flm_chain_find(const struct flm_profile *p, struct flm_metric metric, double narrowest,
                    struct flm_chain *chain, struct flm_error *why);

/* Whether the function of a node calls itself there: its caller, or one of its callees, is the same
 * function. */
bool flm_chain_is_at(const struct flm_profile *p, uint32_t node, uint32_t parent);

#endif
