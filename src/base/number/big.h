/* big.h - whole numbers of up to 2,800 bits, for the decimals that 64 bits cannot decide.
 *
 * Limbs of 32 bits, the lowest first, in a fixed array: nothing is allocated and nothing overflows,
 * because parse.c and print.c bound their numbers. The largest numbers are a text of 801 digits
 * (2,661 bits) and an odd multiple of half the least double, 2^-1075, times 10^1125 (2,668
 * bits). */
#ifndef FLAMEL_BASE_NUMBER_BIG_H
#define FLAMEL_BASE_NUMBER_BIG_H

#include <stdint.h>

#define FLM_BIG_LIMBS 88

struct flm_big {
    uint32_t count; /* limbs in use: the highest is not 0 */
    uint32_t limb[FLM_BIG_LIMBS];
};

void flm_big_set(struct flm_big *big, uint64_t value);

/* big * factor + addend */
void flm_big_multiply(struct flm_big *big, uint32_t factor, uint32_t addend);

/* big * 5^power, big * 2^bits */
void flm_big_multiply_fives(struct flm_big *big, unsigned power);
void flm_big_shift(struct flm_big *big, unsigned bits);

/* Less than, equal to, greater than 0. */
int flm_big_compare(const struct flm_big *a, const struct flm_big *b);

/* a + b against c. */
int flm_big_compare_sum(const struct flm_big *a, const struct flm_big *b, const struct flm_big *c);

/* The bits by which a divisor is shifted for flm_big_divide: its top limb is then in [2^27, 2^28).
 */
unsigned flm_big_divisor_shift(const struct flm_big *divisor);

/* The quotient, below 10; `dividend` becomes the remainder. Both have been shifted by
 * flm_big_divisor_shift, and the dividend is less than ten times the divisor. */
uint32_t flm_big_divide(struct flm_big *dividend, const struct flm_big *divisor);

#endif
