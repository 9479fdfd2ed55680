/* reduction.h - fewer stacks: those that are in many runs, and all others as one.
 *
 *     stack     runs        seen
 *     lex       3 5 4 6 6   5      kept: in `threshold` runs or more, of both groups together, so
 *     io        0 1 2 0 0   2      that it is not known which of them are new
 *     idle      9 9 9 9 9   5
 *     "(other)" 0 1 2 0 0          the other stacks, run by run: totals stay the same
 *
 * Tornetta, "On the Algebraic Properties of Flame Graphs", section 3.4 (document frequency); he
 * has no "(other)". A test of all stacks at once needs fewer of them than runs, and this is the
 * price: what appeared is in few runs, and is left out first. How much is left out is always
 * reported.
 */
#ifndef FLAMEL_GATE_RUNS_REDUCTION_H
#define FLAMEL_GATE_RUNS_REDUCTION_H

#include "gate/runs/runs.h"
#include "stats/matrix.h"

struct flm_reduced_stack {
    uint32_t node;
    uint32_t seen; /* in how many runs */
    double total;  /* in all of them */
};

struct flm_reduction {
    struct flm_reduced_stack *stack; /* by seen, then total, the largest first; then by the text of
                                        the folded stack, in the order of bytes */
    uint32_t count;                  /* of those that are kept, which come first */
    uint32_t distinct_count;         /* of all that have a value in any run */
    double base_left_out, new_left_out; /* means of the other stacks */
};

/* Stacks of at least `threshold` runs, and of these `most` at most (0: all). False, and `why`, if
 * memory ran out. */
bool flm_reduction_init(struct flm_reduction *reduction, const struct flm_runs *runs,
                        uint32_t threshold, uint32_t most, struct flm_error *why);
void flm_reduction_clear(struct flm_reduction *reduction);

/* The values of the stacks that are kept, a column each, and in one more column the sum of all
 * others: "(other)". The caller frees matrix->value. */
bool flm_reduction_matrix(const struct flm_reduction *reduction, const struct flm_runs *runs,
                          struct flm_matrix *matrix, struct flm_error *why);

#endif
