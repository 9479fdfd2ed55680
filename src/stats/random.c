#include "stats/random.h"

uint64_t flm_random_next(struct flm_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint64_t flm_random_below(struct flm_random *random, uint64_t limit)
{
    uint64_t uneven = (0 - limit) % limit; /* 2^64 mod limit */
    uint64_t drawn;
    do
        drawn = flm_random_next(random);
    while (drawn < uneven);
    return drawn % limit;
}
