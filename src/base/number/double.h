/* double.h - a double taken apart and put together. Private to print.c and parse.c.
 *
 * A finite double is mantissa * 2^exponent, the mantissa below 2^53. In its bits the exponent is
 * above the mantissa, so a mantissa that grows to 2^53 correctly carries into the exponent:
 *
 *     63     62 ... 52     51 ... 0
 *     sign   exponent      mantissa, without its highest bit (in subnormal ones there is none) */
#ifndef FLAMEL_BASE_NUMBER_DOUBLE_H
#define FLAMEL_BASE_NUMBER_DOUBLE_H

#include <stdint.h>
#include <string.h>

#define FLM_DOUBLE_BITS 53
#define FLM_DOUBLE_LEAST_EXPONENT (-1074)
#define FLM_DOUBLE_TOP_BIT ((uint64_t)1 << (FLM_DOUBLE_BITS - 1))
#define FLM_DOUBLE_INFINITY ((uint64_t)0x7FF << (FLM_DOUBLE_BITS - 1))

static inline uint64_t flm_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double flm_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the mantissa of a finite double, and its exponent; the sign is left out. */
static inline uint64_t flm_double_split(double value, int *exponent)
{
    uint64_t bits = flm_double_bits(value);
    uint64_t mantissa = bits & (FLM_DOUBLE_TOP_BIT - 1);
    int biased = (int)(bits >> (FLM_DOUBLE_BITS - 1) & 0x7FF);
    *exponent = FLM_DOUBLE_LEAST_EXPONENT + (biased > 0 ? biased - 1 : 0);
    return biased > 0 ? mantissa | FLM_DOUBLE_TOP_BIT : mantissa;
}

/* Returns mantissa * 2^exponent, or infinity where that is too large. The mantissa is from 2^52 to
 * 2^53, or smaller with the least exponent. */
static inline double flm_double_join(uint64_t mantissa, int exponent)
{
    uint64_t bits =
        mantissa + ((uint64_t)(exponent - FLM_DOUBLE_LEAST_EXPONENT) << (FLM_DOUBLE_BITS - 1));
    return flm_double_of_bits(bits < FLM_DOUBLE_INFINITY ? bits : FLM_DOUBLE_INFINITY);
}

/* floor(log2(value)) of mantissa * 2^exponent; the mantissa is not 0. */
static inline int flm_double_log2(uint64_t mantissa, int exponent)
{
    int log2 = exponent + 63;
    for (int step = 32; step > 0; step /= 2)
        if (mantissa >> (64 - step) == 0) {
            mantissa <<= step;
            log2 -= step;
        }
    return log2;
}

/* The powers of ten that a double holds exactly. */
#define FLM_EXACT_TENS 22

static const double flm_exact_tens[FLM_EXACT_TENS + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#endif
