/* residuals.h - sums of doubles that are exact: whatever their order, and however many there are.
 *
 * The rounding error of an addition is a double itself, its residual. For integers below 2^53 it is
 * 0, and not stored. Others are stored here, beside the column with the sums. A second residual of
 * a sum is added to the first, and if that addition has an error too, it becomes the next residual
 * of a chain. So the exact sum is the value in the column plus all residuals of its chain.
 *
 *     column[node]        chain of (metric, node)
 *     18014398509481984   1                          2^54, and 1 that 2^54 has no bit for
 *
 * Rounding once, at the end, gives the double that is nearest to the exact sum. So a profile does
 * not depend on the order of its lines, nor on the chunks in which they were read.
 *
 * Only sums with a residual take room: 32 bytes and a slot of the index. A chain is longer than one
 * only where the values of one sum span more than 106 bits. */
#ifndef FLAMEL_PROFILE_RESIDUALS_H
#define FLAMEL_PROFILE_RESIDUALS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/number/sum.h"
#include "profile/columns.h"

struct flm_link {
    uint32_t metric, node;
    double value;
    uint32_t next; /* of the chain; FLM_NONE: the last */
    bool is_first; /* of its chain */
};

/* {0} is one of sums that are all exact. */
struct flm_residuals {
    struct FLM_ARRAY(struct flm_link) links;
    struct flm_index index; /* first links, by metric and node */
};

void flm_residuals_clear(struct flm_residuals *residuals);

/* For flm_add_exactly: `value` is what an addition left out. False when memory ran out. */
bool flm_residuals_keep(struct flm_residuals *residuals, uint32_t metric, uint32_t node,
                        double value);

/* Adds `value` to *sum, which is the value of (metric, node). False when memory ran out. */
static inline bool flm_add_exactly(struct flm_residuals *residuals, uint32_t metric, uint32_t node,
                                   double *sum, double value)
{
    double left_out = flm_two_sum(sum, value);
    return left_out == 0 || flm_residuals_keep(residuals, metric, node, left_out);
}

/* The column of a metric: a value for each node. */
typedef double *(*flm_column_of)(void *context, uint32_t metric);

/* Sets every sum that has residuals to the double that is nearest to it (half way: the even one);
 * the links keep what that leaves out. Returns how many sums of 2^53 and more are not exact. No
 * sum may be added to afterward. */
uint64_t flm_residuals_round(struct flm_residuals *residuals, flm_column_of column, void *context);

/* The residuals that are not 0, in the order of the links, with the nodes' new numbers. NULL, and a
 * count of 0, where there are none; *failed where memory ran out. The caller frees it. */
struct flm_residual *flm_residuals_list(const struct flm_residuals *residuals,
                                        const uint32_t *new_node, size_t *count, bool *failed);

#endif
