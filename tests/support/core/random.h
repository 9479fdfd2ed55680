/* random.h - the same random numbers in every run: xorshift64 (Marsaglia 2003). */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_RANDOM_H
#define FLAMEL_TESTS_SUPPORT_CORE_RANDOM_H

#include <stdint.h>

/* `state` starts as anything but 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 0 ... limit - 1 */
static inline unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((random_next(state) >> 11) % limit);
}

#endif
