/* means.h - two groups of runs as one profile with two columns: the means of each.
 *
 *     stack     base runs     new runs    before  after
 *     lex       3   5   4     6   6       4       6
 *     io        0   1   2     -   -       1       0          seen in 2 of 3, in 0 of 2
 *
 * With one run in each group the columns are these runs. The nodes are those of the runs' tree,
 * under the same numbers, so that flm_runs_seen is about them too. */
#ifndef FLAMEL_GATE_RUNS_MEANS_H
#define FLAMEL_GATE_RUNS_MEANS_H

#include "gate/runs/runs.h"

/* By node; the caller frees it. NULL when memory ran out. */
double *flm_runs_mean_values(const struct flm_runs *runs, bool of_new);

/* The metrics are "before" and "after". Both groups have runs. NULL, and `why`, if memory ran out.
 */
struct flm_profile *flm_runs_means(const struct flm_runs *runs, struct flm_error *why);

/* The same of some stacks alone: those whose node has a mark in `keep`. Their difference, and its
 * parts (algebra/compare/difference.h), are the change that these stacks are responsible for. */
struct flm_profile *flm_runs_means_of(const struct flm_runs *runs, const unsigned char *keep,
                                      struct flm_error *why);

/* One group alone, under the name and the unit that the metric has. */
struct flm_profile *flm_runs_mean(const struct flm_runs *runs, bool of_new, struct flm_error *why);

#endif
