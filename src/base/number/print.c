#include "base/number/number.h"

#include <assert.h>

#include "base/number/big.h"
#include "base/number/double.h"

/* ---- Digits of a double ---------------------------------------------------------------------- */

/* 0.DIGITS * 10^point, without zeros at the end. */
struct decimal {
    int count, point;
    char digits[20];
};

static size_t put_uint(uint64_t value, char *out)
{
    char reversed[20];
    size_t size = 0;
    do
        reversed[size++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    for (size_t i = 0; i < size; i++)
        out[i] = reversed[size - 1 - i];
    return size;
}

static void trim(struct decimal *decimal)
{
    while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
        decimal->count--;
}

/* whole / 10^places */
static struct decimal decimal_of(uint64_t whole, int places)
{
    struct decimal decimal;
    decimal.count = (int)put_uint(whole, decimal.digits);
    decimal.point = decimal.count - places;
    trim(&decimal);
    return decimal;
}

/* Up to 15 digits, by division of exact doubles: the first k for which some w / 10^k reads back as
 * `value` gives the fewest digits, because no two decimals of 15 digits read as the same double. */
static bool find_few_digits(double value, struct decimal *decimal)
{
    for (int places = 0; places <= FLM_EXACT_TENS; places++) {
        double scaled = value * flm_exact_tens[places];
        if (scaled >= 1e15)
            return false;
        uint64_t whole = (uint64_t)(scaled + 0.5);
        if ((double)whole / flm_exact_tens[places] == value) {
            *decimal = decimal_of(whole, places);
            return true;
        }
    }
    return false;
}

/* The position of the point, or one less: 10^(point - 1) <= value. */
static int guess_point(uint64_t mantissa, int exponent)
{
    /* + 400, so that the conversion rounds down. */
    return (int)(flm_double_log2(mantissa, exponent) * 0.30102999566398120 + 400) - 399;
}

/* value / 10^point = over / under. `above` and `below` are half the distances to the next doubles,
 * in the unit of `over`. */
struct fraction {
    struct flm_big over, under, above, below;
    int point;
};

static void fraction_of(double value, struct fraction *f)
{
    int exponent;
    uint64_t mantissa = flm_double_split(value, &exponent);
    f->point = guess_point(mantissa, exponent);

    /* The double below a power of two is only half as far away, except for the least ones. */
    bool lopsided = mantissa == FLM_DOUBLE_TOP_BIT && exponent > FLM_DOUBLE_LEAST_EXPONENT;
    unsigned halves = lopsided ? 2 : 1;
    flm_big_set(&f->over, mantissa << halves);
    flm_big_set(&f->under, 1);
    flm_big_set(&f->above, lopsided ? 2 : 1);
    flm_big_set(&f->below, 1);

    /* The fives of 10^point, then all twos at once: those of both sides cancel. */
    if (f->point >= 0) {
        flm_big_multiply_fives(&f->under, (unsigned)f->point);
    } else {
        flm_big_multiply_fives(&f->over, (unsigned)-f->point);
        flm_big_multiply_fives(&f->above, (unsigned)-f->point);
        flm_big_multiply_fives(&f->below, (unsigned)-f->point);
    }
    int twos = exponent - (int)halves - f->point;
    unsigned over_shift = twos > 0 ? (unsigned)twos : 0;
    unsigned under_shift = twos < 0 ? (unsigned)-twos : 0;
    flm_big_shift(&f->over, over_shift);
    flm_big_shift(&f->above, over_shift);
    flm_big_shift(&f->below, over_shift);
    flm_big_shift(&f->under, under_shift);
}

/* Corrects the point where the guess was one too small, that is, where the quotient is 1 or rounds
 * to it. Then shifts the fraction for flm_big_divide. */
static void settle_point(struct fraction *f, bool is_short)
{
    if (is_short) {
        f->point++;
        flm_big_multiply(&f->under, 10, 0);
    }
    unsigned shift = flm_big_divisor_shift(&f->under);
    flm_big_shift(&f->over, shift);
    flm_big_shift(&f->under, shift);
    flm_big_shift(&f->above, shift);
    flm_big_shift(&f->below, shift);
}

static void add_next_digit(struct decimal *decimal, struct fraction *f)
{
    flm_big_multiply(&f->over, 10, 0);
    flm_big_multiply(&f->above, 10, 0);
    flm_big_multiply(&f->below, 10, 0);
    decimal->digits[decimal->count++] = (char)('0' + flm_big_divide(&f->over, &f->under));
}

/* Whether the remainder is more than half a unit of the last digit, or exactly half of an odd
 * one. */
static bool rounds_up(const struct decimal *decimal, const struct fraction *f)
{
    int half = flm_big_compare_sum(&f->over, &f->over, &f->under);
    bool odd = (decimal->digits[decimal->count - 1] - '0') % 2;
    return half > 0 || (half == 0 && odd);
}

/* Adds one to the last digit, with carries: 1299 becomes 13, 999 becomes 1 before the point. */
static void round_up(struct decimal *decimal)
{
    int last = decimal->count - 1;
    while (last >= 0 && decimal->digits[last] == '9')
        last--;
    if (last < 0) {
        decimal->digits[last = 0] = '1';
        decimal->point++;
    } else {
        decimal->digits[last]++;
    }
    decimal->count = last + 1;
}

/* The fewest digits that lie nearer to `value` than to any other double, and of those the nearest:
 * Steele and White, How to print floating-point numbers accurately, 1990, (FPP)^2. A decimal half
 * way to the next double reads as the even one. */
static struct decimal shortest_digits(double value)
{
    struct fraction f;
    fraction_of(value, &f);
    int even = flm_double_bits(value) % 2 == 0;
    settle_point(&f, flm_big_compare_sum(&f.over, &f.above, &f.under) >= !even);

    struct decimal decimal = {.point = f.point};
    for (;;) {
        add_next_digit(&decimal, &f);
        bool low_enough = flm_big_compare(&f.over, &f.below) < even;
        bool high_enough = flm_big_compare_sum(&f.over, &f.above, &f.under) >= !even;
        if (!low_enough && !high_enough)
            continue;
        if (!low_enough || (high_enough && rounds_up(&decimal, &f)))
            round_up(&decimal);
        return decimal;
    }
}

/* `count` digits of the exact value, rounded half to even. */
static struct decimal exact_digits(double value, int count)
{
    struct fraction f;
    fraction_of(value, &f);
    settle_point(&f, flm_big_compare(&f.over, &f.under) >= 0);

    struct decimal decimal = {.point = f.point};
    while (decimal.count < count)
        add_next_digit(&decimal, &f);
    if (rounds_up(&decimal, &f))
        round_up(&decimal);
    trim(&decimal);
    return decimal;
}

static double scale(double value, int places)
{
    return places >= 0 ? value * flm_exact_tens[places] : value / flm_exact_tens[-places];
}

/* Up to 9 digits, where one multiplication or division shows which way to round. */
static bool find_rounded_digits(double value, int count, struct decimal *decimal)
{
    int exponent;
    uint64_t mantissa = flm_double_split(value, &exponent);
    int places = count - guess_point(mantissa, exponent);
    if (count > 9 || places > FLM_EXACT_TENS || places <= -FLM_EXACT_TENS)
        return false;
    double scaled = scale(value, places);
    if (scaled >= flm_exact_tens[count])
        scaled = scale(value, --places);
    /* Below 10^9 the one rounding error, 2^-53 of the value, is less than 2e-7. */
    uint64_t whole = (uint64_t)scaled;
    double rest = scaled - (double)whole;
    if (rest > 0.499999 && rest < 0.500001)
        return false;
    *decimal = decimal_of(whole + (rest > 0.5), places);
    return true;
}

/* ---- Digits to text -------------------------------------------------------------------------- */

static char *put(char *to, const char *bytes, int size)
{
    memcpy(to, bytes, (size_t)size);
    return to + size;
}

static char *put_zeros(char *to, int count)
{
    memset(to, '0', (size_t)count);
    return to + count;
}

static char *put_plain(const struct decimal *d, char *to)
{
    if (d->point <= 0) {
        to = put(to, "0.", 2);
        to = put_zeros(to, -d->point);
        return put(to, d->digits, d->count);
    }
    if (d->point >= d->count) {
        to = put(to, d->digits, d->count);
        return put_zeros(to, d->point - d->count);
    }
    to = put(to, d->digits, d->point);
    *to++ = '.';
    return put(to, d->digits + d->point, d->count - d->point);
}

static char *put_with_exponent(const struct decimal *d, char *to)
{
    *to++ = d->digits[0];
    if (d->count > 1) {
        *to++ = '.';
        to = put(to, d->digits + 1, d->count - 1);
    }
    *to++ = 'e';
    int exponent = d->point - 1;
    if (exponent < 0)
        *to++ = '-';
    return to + put_uint((uint64_t)(exponent < 0 ? -exponent : exponent), to);
}

/* NaN, infinity and zero. */
static size_t print_special(double value, char *out)
{
    const char *name = value == 0 ? "0" : value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
    size_t size = strlen(name);
    memcpy(out, name, size);
    return size;
}

static bool is_special(double value)
{
    return value == 0 || (flm_double_bits(value) & FLM_DOUBLE_INFINITY) == FLM_DOUBLE_INFINITY;
}

/* `digits` 0: as many as needed. */
static size_t print(double value, int digits, char *out)
{
    if (is_special(value))
        return print_special(value, out);

    char *to = out;
    double magnitude = value < 0 ? -value : value;
    if (value < 0)
        *to++ = '-';

    struct decimal decimal;
    if (digits == 0 && magnitude < FLM_EXACT_LIMIT && magnitude == (double)(uint64_t)magnitude)
        return (size_t)(to - out) + put_uint((uint64_t)magnitude, to);
    if (digits == 0 && !find_few_digits(magnitude, &decimal))
        decimal = shortest_digits(magnitude);
    if (digits > 0 && !find_rounded_digits(magnitude, digits, &decimal))
        decimal = exact_digits(magnitude, digits);

    to = magnitude >= 1e-7 && magnitude < 1e21 ? put_plain(&decimal, to)
                                               : put_with_exponent(&decimal, to);
    return (size_t)(to - out);
}

size_t flm_number_print(double value, char *out)
{
    return print(value, 0, out);
}

size_t flm_number_print_exactly(double value, char *out)
{
    double magnitude = value < 0 ? -value : value;
    if (!(magnitude >= FLM_EXACT_LIMIT && magnitude < 1e21))
        return print(value, 0, out);
    /* A mantissa of 53 bits, doubled up to 17 times; the last digit comes first. */
    int exponent;
    unsigned char digit[24] = {0};
    size_t count = 0, size = 0;
    for (uint64_t left = flm_double_split(value, &exponent); left > 0; left /= 10)
        digit[count++] = (unsigned char)(left % 10);
    for (; exponent > 0; exponent--) {
        unsigned carry = 0;
        for (size_t i = 0; i < count; i++) {
            unsigned twice = 2u * digit[i] + carry;
            digit[i] = (unsigned char)(twice % 10);
            carry = twice / 10;
        }
        if (carry > 0)
            digit[count++] = (unsigned char)carry;
    }
    if (value < 0)
        out[size++] = '-';
    while (count > 0)
        out[size++] = (char)('0' + digit[--count]);
    return size;
}

size_t flm_number_print_rounded(double value, int digits, char *out)
{
    assert(digits >= 1 && digits <= 17);
    return print(value, digits, out);
}
