/* permutations.h - which runs are called new: as they were, and all the ways in which it could have been.
 *
 * A permutation test asks how often chance alone makes a difference as large as the one that was
 * seen. Chance is: the same runs, other runs called new. A permutation is a bit for each run.
 *
 * Runs that were recorded in blocks (old new new old, and again) are permuted inside of their
 * blocks only: what drifted from block to block is then in every permutation alike.
 *
 * Where there are no more permutations than were asked for, all of them are taken, the given one
 * among them, and p values are exact: count / permutations. Otherwise `asked` are drawn (random.h:
 * for each block in turn the first steps of a Fisher-Yates shuffle of its runs in order), and the
 * given one counts too: (1 + count) / (1 + drawn). */
#ifndef FLAMEL_STATS_PERMUTATIONS_H
#define FLAMEL_STATS_PERMUTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flamel/error.h"

struct flm_permutations {
    uint32_t run_count, new_count;
    uint32_t count;    /* permutations */
    bool is_complete;  /* all that there are, the given one among them */
    size_t words_each; /* 64 runs a word */
    uint64_t *words;   /* count * words_each: bit r of permutation i is set where run r is new */
    double possible_count; /* how many there are, if that is a number below 2^53; else INFINITY */
};

/* `is_new` has a byte for each run. `block` has the number of each run's block, or is NULL: all are
 * one block. False, and `why`, if memory ran out, or when a block holds only one kind of runs, so
 * that nothing can be permuted in any block. */
bool flm_permutations_init(struct flm_permutations *permutations, uint32_t run_count,
                           const unsigned char *is_new, const uint32_t *block, uint32_t asked,
                           uint64_t seed, struct flm_error *why);
void flm_permutations_clear(struct flm_permutations *permutations);

/* p of something that `count` of the permutations reach. */
double flm_permutations_p(const struct flm_permutations *permutations, uint64_t count);

#endif
