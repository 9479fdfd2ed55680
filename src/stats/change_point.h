/* change_point.h - change points: where a series of profiles changed.
 *
 * Two statistics for one split of the runs [from, to) at `at`:
 *
 *     columns     the largest |t| (welch.h) of any column, which names the function that changed
 *     distances   q = the energy statistic of the distances between profiles: mean distance across
 *                 the split, twice, less the mean distances within (Matteson and James, "A
 *                 nonparametric approach for multiple change point analysis", 2014)
 *
 * The best split has the largest statistic. Its p value is from a permutation test: the same runs
 * in other orders. A split has at least `least` runs on both sides. */
#ifndef FLAMEL_STATS_CHANGE_POINT_H
#define FLAMEL_STATS_CHANGE_POINT_H

#include <stdbool.h>

#include "flamel/error.h"
#include "stats/matrix.h"

/* Distances between all pairs of runs: distance[i * count + j], symmetric, 0 on the diagonal. */
struct flm_distances {
    uint32_t count;
    const double *distance;
};

/* 2 mean(across) - mean(within left) - mean(within right), diagonals included: 0 only when both
 * sides have the same distribution. */
double flm_energy(const struct flm_distances *distances, uint32_t from, uint32_t at, uint32_t to);

/* The statistic of Matteson and James, weighted by m n / (m + n). */
double flm_energy_q(const struct flm_distances *distances, uint32_t from, uint32_t at, uint32_t to);

struct flm_split {
    uint32_t at; /* the first run of the right side */
    double statistic;
    uint32_t column; /* by columns: the one with the largest |t| */
    double p;
};

/* The best split of [from, to), tested with `permutations` other orders. `split->at` is `to` when
 * there are fewer than 2 * least runs. `unit` as in welch.h. False, and `why`, when memory ran
 * out. */
bool flm_split_by_distances(const struct flm_distances *distances, uint32_t from, uint32_t to,
                            uint32_t least, uint32_t permutations, uint64_t seed,
                            struct flm_split *split, struct flm_error *why);
bool flm_split_by_columns(const struct flm_matrix *matrix, uint32_t from, uint32_t to,
                          uint32_t least, double unit, uint32_t permutations, uint64_t seed,
                          struct flm_split *split, struct flm_error *why);

#endif
