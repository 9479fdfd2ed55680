/* strata.h - the strata of a permutation test: which runs were recorded one after the other.
 *
 * A machine drifts: it gets warm, others use it. Runs that were recorded alternately
 * (cli/gate/ab.h) say in their metadata where they were in the order:
 *
 *     gate group      base, or new
 *     gate run        7: the seventh of all
 *     gate block      2: old new new old, the second time
 *     gate session    of all that were recorded together
 *
 * so each block is a stratum: a test exchanges runs of one block only, also when the files are
 * judged again, much later. Runs without these notes are all in one block. */
#ifndef FLAMEL_GATE_RUNS_STRATA_H
#define FLAMEL_GATE_RUNS_STRATA_H

#include "flamel/compare.h"

/* Writes to block[i] the block of profiles[i], numbered from 0 in the order of their coming.
 * Returns how many there are. */
uint32_t flm_strata_find(const struct flm_profile *const *profiles, uint32_t count,
                         uint32_t *block);

#endif
