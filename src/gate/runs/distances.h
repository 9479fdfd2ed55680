/* distances.h - the distances of all pairs of runs: the sum over stacks of |f - g|.
 *
 * A thousand runs are half a million pairs, so the tree is processed in tiles of some hundred
 * nodes. In a tile the runs that have a value are written out, each as a row; rows are small enough
 * that a block of them stays in the cache while it is compared with all others. Where only one of
 * two runs has values in a tile, its sum there is their distance, which needs no loop.
 *
 *     tile       run 1   3 0 5 1        |1 - 2| = 1 + 0 + 5 + 0
 *     of four    run 2   2 0 0 1        |1 - 3| = sum of run 1 = 9
 *                run 3   -  nothing     |2 - 3| = 3
 *
 * A thousand runs of ten thousand stacks take some two seconds of one processor. */
#ifndef FLAMEL_GATE_RUNS_DISTANCES_H
#define FLAMEL_GATE_RUNS_DISTANCES_H

#include "gate/runs/runs.h"

/* distance[i * run_count + k], symmetric, 0 on the diagonal. `of_shares`: each run divided by its
 * total, and an empty one 2 away from others that are not: distances are 0 to 2. False, and `why`,
 * if memory ran out. */
bool flm_runs_distances(const struct flm_runs *runs, bool of_shares, int threads, double *distance,
                        struct flm_error *why);

/* 1 - |f - g| / (|f| + |g|) of a distance of two runs; 1 for two empty ones. Of a distance of
 * shares the totals are 1: the shape similarity. */
double flm_similarity_of(double distance, double total, double other_total);

#endif
