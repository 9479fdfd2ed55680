#include "base/number/big.h"

#include <assert.h>
#include <string.h>

static void push(struct flm_big *big, uint32_t limb)
{
    assert(big->count < FLM_BIG_LIMBS);
    big->limb[big->count++] = limb;
}

void flm_big_set(struct flm_big *big, uint64_t value)
{
    for (big->count = 0; value > 0; value >>= 32)
        push(big, (uint32_t)value);
}

void flm_big_multiply(struct flm_big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limb[i] * factor;
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        push(big, (uint32_t)carry);
}

void flm_big_multiply_fives(struct flm_big *big, unsigned power)
{
    for (; power >= 13; power -= 13)
        flm_big_multiply(big, 1220703125, 0); /* 5^13, the last that fits a limb */
    uint32_t rest = 1;
    for (; power > 0; power--)
        rest *= 5;
    flm_big_multiply(big, rest, 0);
}

void flm_big_shift(struct flm_big *big, unsigned bits)
{
    unsigned limbs = bits / 32;
    if (big->count == 0)
        return;
    flm_big_multiply(big, (uint32_t)1 << bits % 32, 0);
    assert(big->count + limbs <= FLM_BIG_LIMBS);
    memmove(big->limb + limbs, big->limb, big->count * sizeof *big->limb);
    memset(big->limb, 0, limbs * sizeof *big->limb);
    big->count += limbs;
}

int flm_big_compare(const struct flm_big *a, const struct flm_big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static uint64_t limb_at(const struct flm_big *big, uint32_t i)
{
    return i < big->count ? big->limb[i] : 0;
}

int flm_big_compare_sum(const struct flm_big *a, const struct flm_big *b, const struct flm_big *c)
{
    /* The sum is computed limb by limb and not stored; the highest limb that differs decides. */
    uint32_t count = a->count > b->count ? a->count : b->count;
    uint64_t sum = 0;
    int order = 0;
    for (uint32_t i = 0; i <= count || i < c->count; i++) {
        sum += limb_at(a, i) + limb_at(b, i);
        uint64_t other = limb_at(c, i);
        if ((uint32_t)sum != other)
            order = (uint32_t)sum < other ? -1 : 1;
        sum >>= 32;
    }
    return order;
}

unsigned flm_big_divisor_shift(const struct flm_big *divisor)
{
    assert(divisor->count > 0);
    unsigned bits = 0;
    for (uint32_t top = divisor->limb[divisor->count - 1]; top > 0; top >>= 1)
        bits++;
    return (28 + 32 - bits) % 32;
}

/* a - b * factor, which is not negative. */
static void subtract_multiple(struct flm_big *a, const struct flm_big *b, uint32_t factor)
{
    uint64_t owed = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        owed += (uint64_t)b->limb[i] * factor;
        uint32_t taken = (uint32_t)owed, limb = a->limb[i];
        a->limb[i] = limb - taken;
        owed = (owed >> 32) + (limb < taken);
    }
    assert(owed == 0);
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
}

uint32_t flm_big_divide(struct flm_big *dividend, const struct flm_big *divisor)
{
    uint32_t count = divisor->count;
    assert(dividend->count <= count);
    if (dividend->count < count)
        return 0;
    /* The top limbs estimate the quotient, rounded so that it is right or one too small: the
     * divisor's top limb has 28 bits, and the quotient is below 10. */
    uint32_t quotient = dividend->limb[count - 1] / (divisor->limb[count - 1] + 1);
    if (quotient > 0)
        subtract_multiple(dividend, divisor, quotient);
    if (flm_big_compare(dividend, divisor) >= 0) {
        subtract_multiple(dividend, divisor, 1);
        quotient++;
    }
    return quotient;
}
