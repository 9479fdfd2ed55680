#include "base/number/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static const char *printed(double value, char *text)
{
    memset(text, '#', FLM_NUMBER_SIZE);
    size_t size = flm_number_print(value, text);
    assert_in_range(size, 1, FLM_NUMBER_SIZE);
    text[size] = 0;
    return text;
}

static const char *rounded(double value, int digits, char *text)
{
    size_t size = flm_number_print_rounded(value, digits, text);
    assert_in_range(size, 1, FLM_NUMBER_SIZE);
    text[size] = 0;
    return text;
}

static void assert_printed(double value, const char *expected)
{
    char text[FLM_NUMBER_SIZE + 1];
    assert_string_equal(printed(value, text), expected);
}

static void assert_rounded(double value, int digits, const char *expected)
{
    char text[FLM_NUMBER_SIZE + 1];
    assert_string_equal(rounded(value, digits, text), expected);
}

/* Any bits, but finite. */
static double random_double(uint64_t *seed)
{
    for (;;) {
        uint64_t bits = random_next(seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

/* The parts of a decimal: -0.0120 is - 12 with the point one digit before it, 1.2e-2. */
struct plain {
    char digits[40]; /* none at the ends is 0 */
    int exponent;
    char sign;
};

static struct plain plain_of(const char *text)
{
    struct plain plain = {.sign = '+'};
    int count = 0, before_point = 0, point = -1;
    if (*text == '-')
        plain.sign = *text++;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.') {
            point = 0;
            continue;
        }
        if (point < 0)
            before_point++;
        if (count > 0 || *text != '0')
            plain.digits[count++] = *text;
        else
            before_point--;
    }
    plain.exponent = before_point - 1 + (*text == 'e' ? atoi(text + 1) : 0);
    while (count > 0 && plain.digits[count - 1] == '0')
        plain.digits[--count] = 0;
    return plain;
}

static void assert_same_decimal(const char *a, const char *b)
{
    struct plain first = plain_of(a), second = plain_of(b);
    if (strcmp(first.digits, second.digits) != 0 || first.exponent != second.exponent ||
        first.sign != second.sign)
        fail_msg("%s is not %s", a, b);
}

static void integers_are_printed_as_integers(void **state)
{
    (void)state;
    assert_printed(0, "0");
    assert_printed(7, "7");
    assert_printed(-1000000, "-1000000");
    assert_printed(4294967296, "4294967296");
    assert_printed(FLM_EXACT_LIMIT - 1, "9007199254740991");
    assert_printed(FLM_EXACT_LIMIT, "9007199254740992");
    assert_printed(-FLM_EXACT_LIMIT - 2, "-9007199254740994");
}

static void zero_has_no_sign(void **state)
{
    (void)state;
    assert_printed(-0.0, "0");
    assert_rounded(-0.0, 3, "0");
}

static void infinities_and_nan_have_names(void **state)
{
    (void)state;
    assert_printed(NAN, "nan");
    assert_printed(-NAN, "nan");
    assert_printed(INFINITY, "inf");
    assert_printed(-INFINITY, "-inf");
    assert_rounded(-INFINITY, 1, "-inf");
}

static void others_are_printed_with_the_fewest_digits(void **state)
{
    (void)state;
    assert_printed(0.1, "0.1");
    assert_printed(-2.5, "-2.5");
    assert_printed(0.1 + 0.2, "0.30000000000000004");
    assert_printed(1.0 / 3, "0.3333333333333333");
    assert_printed(123456.789, "123456.789");
    assert_printed(1234567890123456789.0, "1234567890123456800");
    assert_printed(18446744073709551616.0, "18446744073709552000");
    assert_printed(5e-324, "5e-324");
    assert_printed(DBL_MIN, "2.2250738585072014e-308");
    assert_printed(DBL_MAX, "1.7976931348623157e308");
    assert_printed(1e23, "1e23");
    assert_printed(9.5e-8, "9.5e-8");
}

static void assert_exactly(double value, const char *expected)
{
    char text[FLM_NUMBER_SIZE];
    size_t size = flm_number_print_exactly(value, text);
    assert_true(flm_bytes_are((struct flm_bytes){text, size}, expected));
}

static void whole_numbers_below_1e21_can_have_all_their_digits(void **state)
{
    (void)state;
    assert_exactly(0x1p53, "9007199254740992");
    assert_exactly(0x1p63, "9223372036854775808");
    assert_exactly(-0x1p64, "-18446744073709551616");
    assert_exactly(0x1.fffffffffffffp68, "590295810358705586176");
    assert_exactly(nextafter(1e21, 0), "999999999999999868928");
    assert_exactly(1e21, "1e21");
    assert_exactly(1.5, "1.5");
    assert_exactly(0, "0");
    assert_exactly(INFINITY, "inf");
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        char expected[64];
        double value = ldexp((double)(random_next(&seed) >> 11), (int)random_below(&seed, 17));
        snprintf(expected, sizeof expected, "%.0f", value);
        assert_exactly(value, expected);
    }
}

static void exponents_are_for_the_very_large_and_the_very_small(void **state)
{
    (void)state;
    assert_printed(1e-7, "0.0000001");
    assert_printed(-1.2345678901234567e-7, "-0.00000012345678901234566");
    assert_printed(nextafter(1e-7, 0), "9.999999999999998e-8");
    assert_printed(1e20, "100000000000000000000");
    assert_printed(nextafter(1e21, 0), "999999999999999900000");
    assert_printed(1e21, "1e21");
    assert_printed(-1.5e300, "-1.5e300");
    /* The value decides, not the rounded one. */
    assert_rounded(nextafter(1e21, 0), 3, "1000000000000000000000");
    assert_rounded(nextafter(1e-7, 0), 3, "1e-7");
}

static void short_decimals_come_back_as_they_were_written(void **state)
{
    (void)state;
    for (int places = 1; places <= 6; places++) {
        double scale = pow(10, places);
        for (int whole = 1; whole < 200000; whole++) {
            char text[FLM_NUMBER_SIZE + 1], expected[64];
            snprintf(expected, sizeof expected, "%.*f", places, whole / scale);
            assert_same_decimal(printed(whole / scale, text), expected);
        }
    }
}

/* No text with a digit less reads back; of those with as many, printf's is the nearest one. */
static void assert_shortest(double value)
{
    char text[FLM_NUMBER_SIZE + 1], other[64];
    printed(value, text);
    if (strtod(text, NULL) != value)
        fail_msg("%s does not read back as %a", text, value);
    int count = (int)strlen(plain_of(text).digits);
    snprintf(other, sizeof other, "%.*e", count - 1, value);
    if (strtod(other, NULL) == value)
        assert_same_decimal(text, other);
    snprintf(other, sizeof other, "%.*e", count > 1 ? count - 2 : 0, value);
    if (count > 1 && strtod(other, NULL) == value)
        fail_msg("%s is shorter than %s", other, text);
}

static void any_double_is_printed_shortest_and_reads_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000000; i++)
        assert_shortest(random_double(&seed));
    for (int i = 0; i < 300000; i++)
        assert_shortest(random_below(&seed, 1000000000) * 1e-9);
}

static void assert_shortest_around(double value)
{
    assert_shortest(value);
    assert_shortest(nextafter(value, INFINITY));
    if (nextafter(value, 0) > 0)
        assert_shortest(nextafter(value, 0));
}

/* Where the doubles below lie closer than those above, and where digits carry. */
static void powers_of_two_and_ten_are_printed_shortest(void **state)
{
    (void)state;
    for (double value = 5e-324; value < INFINITY; value *= 2) {
        assert_shortest_around(value);
    }
    for (int power = -323; power <= 308; power++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", power);
        double value = strtod(text, NULL);
        assert_shortest_around(value);
    }
}

static void rounding_keeps_the_requested_digits(void **state)
{
    (void)state;
    assert_rounded(1.23987, 3, "1.24");
    assert_rounded(318.2, 3, "318");
    assert_rounded(0.0012, 3, "0.0012");
    assert_rounded(1234567, 3, "1230000");
    assert_rounded(-1234567, 17, "-1234567");
    assert_rounded(0.1, 17, "0.10000000000000001");
    assert_rounded(99.96, 3, "100");
    assert_rounded(9.9951e-300, 3, "1e-299");
    assert_rounded(DBL_MAX, 1, "2e308");
    assert_rounded(5e-324, 17, "4.9406564584124654e-324");
}

static void halves_are_rounded_to_even(void **state)
{
    (void)state;
    assert_rounded(0.5, 1, "0.5");
    assert_rounded(2.5, 1, "2");
    assert_rounded(3.5, 1, "4");
    assert_rounded(-0.125, 2, "-0.12");
    assert_rounded(0.375, 2, "0.38");
    assert_rounded(1000000.5, 7, "1000000");
    /* Not exact halves. */
    assert_rounded(1.005, 3, "1");
    assert_rounded(1.115, 3, "1.11");
    assert_rounded(nextafter(2.5, 3), 1, "3");
}

static void rounding_agrees_with_printf(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 1000000; i++) {
        double value = random_double(&seed);
        if (i % 2) /* the common ones: short decimals and their neighbors */
            value = random_below(&seed, 100000) / pow(10, random_below(&seed, 6));
        if (i % 4 == 3)
            value = nextafter(value, i % 8 == 3 ? 0 : INFINITY);
        if (value == 0)
            continue;
        int digits = 1 + (int)random_below(&seed, 17);
        char text[FLM_NUMBER_SIZE + 1], expected[64];
        snprintf(expected, sizeof expected, "%.*e", digits - 1, value);
        assert_same_decimal(rounded(value, digits, text), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_printed_as_integers),
        cmocka_unit_test(zero_has_no_sign),
        cmocka_unit_test(infinities_and_nan_have_names),
        cmocka_unit_test(others_are_printed_with_the_fewest_digits),
        cmocka_unit_test(whole_numbers_below_1e21_can_have_all_their_digits),
        cmocka_unit_test(exponents_are_for_the_very_large_and_the_very_small),
        cmocka_unit_test(short_decimals_come_back_as_they_were_written),
        cmocka_unit_test(any_double_is_printed_shortest_and_reads_back),
        cmocka_unit_test(powers_of_two_and_ten_are_printed_shortest),
        cmocka_unit_test(rounding_keeps_the_requested_digits),
        cmocka_unit_test(halves_are_rounded_to_even),
        cmocka_unit_test(rounding_agrees_with_printf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
