/* changes.h - where two columns of one tree differ the most: which functions, and which stacks.
 *
 *     function   self  before  after    total  before  after      on whichever stacks it is
 *     lex        +66   100     166      +66    100     166
 *     parse      0     8       8        +66    108     174
 *
 * Every function that changed in self or total is listed once; a stack is its own self value, so
 * that stacks add up. The largest change comes first, whatever its sign; equal ones in name order,
 * and stacks in that of the tree. Whether a change is more than noise is reported, and does not
 * affect the order.
 *
 * Costs two measurements of all functions (functions.h), and a heap of the requested changes. */
#ifndef FLAMEL_ALGEBRA_COMPARE_CHANGES_H
#define FLAMEL_ALGEBRA_COMPARE_CHANGES_H

#include "algebra/aggregate/functions.h"
#include "algebra/compare/comparable.h"
#include "algebra/compare/comparison.h"

struct flm_changes {
    struct flm_functions functions; /* measured in after */
    struct flm_function_change *function;
    uint32_t function_count;    /* of the requested ones */
    uint32_t changed_functions; /* in all */

    uint32_t *stack; /* nodes */
    uint32_t stack_count;
    uint32_t changed_stacks;
};

/* `most` functions and stacks at most; 0: all. `by` is the order of functions. False, and `why`, if
 * memory ran out. */
bool flm_changes_init(struct flm_changes *changes, const struct flm_profile *profile,
                      const struct flm_metric_pair *pair, const struct flm_comparison *comparison,
                      enum flm_function_order by, uint32_t most, struct flm_error *why);
void flm_changes_clear(struct flm_changes *changes);

#endif
