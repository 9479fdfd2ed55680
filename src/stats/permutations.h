/* permutations.h - permutations of the runs over the two groups, for permutation tests.
 *
 * A permutation test compares the observed difference with those that arise if the runs are
 * assigned to the groups (base, new) at random. A permutation is a bitmap: a bit for each run that
 * is new.
 *
 * Runs that were recorded in blocks (old new new old, and again) are permuted only inside their
 * blocks (strata): a drift from block to block is then in all permutations alike.
 *
 * If there are no more permutations than requested, all of them are used, the observed one among
 * them, and p values are exact: count / permutations. Otherwise the requested number is drawn
 * (random.h: for each block in turn the first steps of a Fisher-Yates shuffle of its runs in
 * order), and the observed one counts too: (1 + count) / (1 + drawn). */
#ifndef FLAMEL_STATS_PERMUTATIONS_H
#define FLAMEL_STATS_PERMUTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flamel/error.h"

struct flm_permutations {
    uint32_t run_count, new_count;
    uint32_t count;        /* permutations */
    bool is_complete;      /* all possible ones, the observed one among them */
    size_t words_each;     /* of a bitmap: 64 runs a word */
    uint64_t *bitmaps;     /* count * words_each: bit r of permutation i is set when run r is new */
    double possible_count; /* of all permutations, if that is below 2^53; else INFINITY */
};

/* `is_new` has a byte for each run, `block` the number of each run's block; NULL: one block. False,
 * and `why`, when memory ran out, or no block has runs of both groups, so that nothing can be
 * permuted. */
bool flm_permutations_init(struct flm_permutations *permutations, uint32_t run_count,
                           const unsigned char *is_new, const uint32_t *block, uint32_t requested,
                           uint64_t seed, struct flm_error *why);
void flm_permutations_clear(struct flm_permutations *permutations);

/* The p value of a statistic that `count` of the permutations reach. */
double flm_permutations_p(const struct flm_permutations *permutations, uint64_t count);

#endif
