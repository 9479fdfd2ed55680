/* fixed_total.h - runs whose total is constant by construction, such as recordings of ten seconds.
 *
 *     run       1      2      3      4
 *     lex       320    290    350    300        each stack varies between runs,
 *     io        680    710    650    700
 *     total     1000   1000   1000   1000       and their sum does not: what one does not take
 *                                               the others do
 *
 * Then a cost has no size of its own, only a share: a stack that gets faster leaves time to all
 * others, which do more work and seem to grow. Everything is judged by size only (test_columns.h),
 * that is, relative to the stack in the middle; and as that may be one of those that got faster, a
 * growth is more than taking up what others gave only if it is larger than that of nine tenths of
 * the program:
 *
 *     reference   of the stacks by their ratio new / base, as divided by the size of the run: the
 *                 ratio that those with 90 % of base's total do not exceed
 *
 * The total is fixed if its variance about the mean of all runs is below a twentieth of the sum of
 * the variances of the stacks (1, if stacks vary independently; more, if they vary together), and
 * the sides do not differ in it. */
#ifndef FLAMEL_GATE_VERDICT_FIXED_TOTAL_H
#define FLAMEL_GATE_VERDICT_FIXED_TOTAL_H

#include "gate/runs/test_columns.h"

bool flm_total_is_fixed(const struct flm_runs *runs, const struct flm_columns *columns,
                        const unsigned char *is_new);

/* `by_size`: the columns divided by the sizes of the runs, as flm_columns_prepare has them. False,
 * and `why`, when memory ran out. */
bool flm_fixed_reference(const struct flm_columns *columns, const struct flm_matrix *by_size,
                         const unsigned char *is_new, double *reference, struct flm_error *why);

#endif
