/* random.h - pseudorandom numbers, the same on every machine.
 *
 * splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a
 * counter that is mixed. The seed determines all numbers, so a verdict can be reproduced to the
 * last digit. Not for cryptography. */
#ifndef FLAMEL_STATS_RANDOM_H
#define FLAMEL_STATS_RANDOM_H

#include <stdint.h>

struct flm_random {
    uint64_t state; /* the seed, at the start */
};

uint64_t flm_random_next(struct flm_random *random);

/* Uniform below `limit`, which is not 0: numbers below 2^64 mod limit are drawn again. */
uint64_t flm_random_below(struct flm_random *random, uint64_t limit);

#endif
