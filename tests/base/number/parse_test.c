#include "base/number/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_reads(const char *text, enum flm_number_kind kind, double expected)
{
    double value = -1;
    if (flm_number_parse(flm_bytes_of(text), &value) != kind || bits_of(value) != bits_of(expected))
        fail_msg("%.60s is read as %.17g, not %.17g, or is of another kind", text, value, expected);
}

/* In the default locale of a C program strtod reads the same grammar, and rounds correctly. */
static void assert_reads_like_strtod(const char *text)
{
    double value = -1, expected = strtod(text, NULL);
    enum flm_number_kind kind = flm_number_parse(flm_bytes_of(text), &value);
    bool special = kind == FLM_NUMBER_SPECIAL;
    if (kind == FLM_NUMBER_NONE || special != isinf(expected) || value != expected)
        fail_msg("%.60s is read as %.17g, not %.17g", text, value, expected);
}

static void a_kind_says_how_a_number_is_written(void **state)
{
    (void)state;
    assert_reads("0", FLM_NUMBER_INTEGER, 0);
    assert_reads("+12", FLM_NUMBER_INTEGER, 12);
    assert_reads("-0012", FLM_NUMBER_INTEGER, -12);
    assert_reads("12.0", FLM_NUMBER_DECIMAL, 12);
    assert_reads("0.5", FLM_NUMBER_DECIMAL, 0.5);
    assert_reads("1e3", FLM_NUMBER_DECIMAL, 1000);
    assert_reads("-1.25E+2", FLM_NUMBER_DECIMAL, -125);
    assert_reads("12e-1", FLM_NUMBER_DECIMAL, 1.2);
}

static void anything_else_is_not_a_number(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    "+",      "-",       ".",         ".5",    "5.",           "1.e3",
        "e3",  "1e",     "1e+",     "1x",        " 1",    "1 ",           "--1",
        "+-1", "1.2.",   "0x10",    "1,5",       "1_000", "1e3.5",        "in",
        "na",  "nan(1)", "infinit", "infinityy", "1inf",  "\xef\xbc\x91", "1e--3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 42;
        if (flm_number_parse(flm_bytes_of(texts[i]), &value) != FLM_NUMBER_NONE || value != 42)
            fail_msg("'%s' is read as %g", texts[i], value);
    }
    double value;
    assert_int_equal(flm_number_parse((struct flm_bytes){"1\0", 2}, &value), FLM_NUMBER_NONE);
    assert_int_equal(flm_number_parse((struct flm_bytes){NULL, 0}, &value), FLM_NUMBER_NONE);
}

static void nan_and_inf_are_special_however_spelled(void **state)
{
    (void)state;
    static const char *const infinite[] = {"inf", "Inf", "+INF", "infinity", "Infinity"};
    for (size_t i = 0; i < 5; i++)
        assert_reads(infinite[i], FLM_NUMBER_SPECIAL, INFINITY);
    assert_reads("-inf", FLM_NUMBER_SPECIAL, -INFINITY);
    static const char *const none[] = {"nan", "NaN", "-nan", "+NAN"};
    for (size_t i = 0; i < 4; i++) {
        double value = 0;
        assert_int_equal(flm_number_parse(flm_bytes_of(none[i]), &value), FLM_NUMBER_SPECIAL);
        assert_true(isnan(value));
    }
}

static void a_number_too_large_for_a_double_is_special(void **state)
{
    (void)state;
    /* Up to half a unit of the last place above the largest double there is still a nearest one. */
    assert_reads("1.7976931348623157e308", FLM_NUMBER_DECIMAL, DBL_MAX);
    assert_reads("1.797693134862315807e308", FLM_NUMBER_DECIMAL, DBL_MAX);
    assert_reads("1.797693134862315808e308", FLM_NUMBER_SPECIAL, INFINITY);
    assert_reads("1e309", FLM_NUMBER_SPECIAL, INFINITY);
    assert_reads("-1e310", FLM_NUMBER_SPECIAL, -INFINITY);
    assert_reads("1e99999999999999999999", FLM_NUMBER_SPECIAL, INFINITY);
    char integer[401] = "";
    memset(integer, '9', 400);
    assert_reads(integer, FLM_NUMBER_SPECIAL, INFINITY);
}

static void a_number_too_small_for_a_double_is_zero(void **state)
{
    (void)state;
    assert_reads("5e-324", FLM_NUMBER_DECIMAL, 5e-324);
    assert_reads("2.4703282292062328e-324", FLM_NUMBER_DECIMAL, 5e-324);
    assert_reads("2.4703282292062327e-324", FLM_NUMBER_DECIMAL, 0);
    assert_reads("1e-324", FLM_NUMBER_DECIMAL, 0);
    assert_reads("1e-99999999999999999999", FLM_NUMBER_DECIMAL, 0);
    assert_reads("0e99999999999999999999", FLM_NUMBER_DECIMAL, 0);
}

/* Equal profiles are equal bytes: no -0 comes in by a text. */
static void minus_zero_is_read_as_zero(void **state)
{
    (void)state;
    assert_reads("-0", FLM_NUMBER_INTEGER, 0.0);
    assert_reads("-0.0e5", FLM_NUMBER_DECIMAL, 0.0);
    assert_reads("-1e-400", FLM_NUMBER_DECIMAL, 0.0);
}

static void integers_beyond_2_to_53_are_rounded_to_even(void **state)
{
    (void)state;
    assert_reads("9007199254740991", FLM_NUMBER_INTEGER, 9007199254740991.0);
    assert_reads("9007199254740992", FLM_NUMBER_INTEGER, 9007199254740992.0);
    assert_reads("9007199254740993", FLM_NUMBER_INTEGER, 9007199254740992.0);
    assert_reads("9007199254740993.00000000000000000000000000001", FLM_NUMBER_DECIMAL,
                 9007199254740994.0);
    assert_reads("9007199254740995", FLM_NUMBER_INTEGER, 9007199254740996.0);
    assert_reads("18446744073709551615", FLM_NUMBER_INTEGER, 18446744073709551616.0);
    assert_reads("100000000000000000000000", FLM_NUMBER_INTEGER, 1e23);
    assert_reads("1e22", FLM_NUMBER_DECIMAL, 1e22);
    assert_reads("1e23", FLM_NUMBER_DECIMAL, 1e23);
}

static void any_double_is_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000000; i++) {
        double value = double_of(random_next(&seed));
        if (!isfinite(value) || value == 0)
            continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        assert_reads(text, strpbrk(text, ".e") ? FLM_NUMBER_DECIMAL : FLM_NUMBER_INTEGER, value);
    }
}

static void any_decimal_is_read_like_strtod(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 1000000; i++) {
        char text[64];
        int size = 0, digits = 1 + (int)random_below(&seed, 26);
        int point = (int)random_below(&seed, 30);
        for (int d = 0; d < digits; d++) {
            if (d == point && d > 0)
                text[size++] = '.';
            text[size++] = (char)('0' + random_below(&seed, 10));
        }
        text[size] = 0;
        if (random_below(&seed, 3) > 0)
            snprintf(text + size, 16, "e%d", (int)random_below(&seed, 700) - 350);
        assert_reads_like_strtod(text);
    }
}

static void subnormal_decimals_are_read_like_strtod(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 300000; i++) {
        double value = double_of(random_next(&seed) >> (12 + random_below(&seed, 52)));
        char text[64];
        snprintf(text, sizeof text, "%.*e", (int)random_below(&seed, 25), value);
        assert_reads_like_strtod(text);
    }
}

/* The decimal in the middle between `value` and the next double, all its digits. */
static char *middle_after(double value, size_t *size)
{
    static char text[1200];
    int count = snprintf(text, sizeof text, "%.1100Lg",
                         ((long double)value + (long double)nextafter(value, INFINITY)) / 2);
    *size = (size_t)count;
    return text;
}

static void the_middle_between_two_doubles_is_rounded_to_even(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        skip(); /* there is no type that holds the middle */
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        double value = fabs(double_of(random_next(&seed)));
        if (i % 2)
            value = (double)(random_next(&seed) >> 3) / (double)(1 << random_below(&seed, 30));
        if (i % 8 == 6) /* subnormal */
            value = double_of(random_next(&seed) >> (12 + random_below(&seed, 52)));
        if (!(value < DBL_MAX / 2) || value == 0)
            continue;
        double next = nextafter(value, INFINITY);
        double even = bits_of(value) % 2 == 0 ? value : next;

        size_t size;
        char *text = middle_after(value, &size);
        char exponent[16] = "";
        char *e = strchr(text, 'e');
        if (e) {
            strcpy(exponent, e);
            *e = 0;
            size = (size_t)(e - text);
        } else if (!strchr(text, '.')) {
            text[size++] = '.';
            text[size++] = '0';
        }
        strcpy(text + size, exponent);
        assert_reads(text, FLM_NUMBER_DECIMAL, even);

        /* A digit far to the right decides. */
        memset(text + size, '0', 50);
        text[size + 50] = '1';
        strcpy(text + size + 51, exponent);
        assert_reads(text, FLM_NUMBER_DECIMAL, next);
        /* And one less in the last place that is not 0. */
        size_t last = size - 1;
        while (text[last] == '0' || text[last] == '.')
            last--;
        text[last]--;
        for (size_t k = last + 1; k < size + 51; k++)
            if (text[k] != '.')
                text[k] = '9';
        assert_reads(text, FLM_NUMBER_DECIMAL, value);
    }
}

static void a_digit_beyond_all_that_count_still_decides(void **state)
{
    (void)state;
    size_t size = 1000000;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, '0', size);
    text[size] = 0;
    memcpy(text, "9007199254740993.", 17);
    assert_reads(text, FLM_NUMBER_DECIMAL, 9007199254740992.0);
    text[size - 1] = '1';
    assert_reads(text, FLM_NUMBER_DECIMAL, 9007199254740994.0);
    free(text);
}

static void a_million_digits_and_an_exponent_may_cancel(void **state)
{
    (void)state;
    size_t size = 1000000;
    char *text = malloc(size + 32);
    assert_non_null(text);
    memset(text, '0', size);

    strcpy(text + size, "e-999999");
    text[0] = '1';
    assert_reads(text, FLM_NUMBER_DECIMAL, 1);

    strcpy(text + size - 1, "7e999998");
    text[0] = '0';
    text[1] = '.';
    assert_reads(text, FLM_NUMBER_DECIMAL, 7);

    memset(text, '7', size);
    strcpy(text + size, "e-999999");
    assert_reads(text, FLM_NUMBER_DECIMAL, 70.0 / 9);
    free(text);
}

static void assert_rounded(const char *text, bool expected)
{
    double value;
    assert_int_not_equal(flm_number_parse(flm_bytes_of(text), &value), FLM_NUMBER_NONE);
    if (flm_number_is_rounded(flm_bytes_of(text), value) != expected)
        fail_msg("%s", text);
    uint64_t whole;
    if (flm_number_parse_uint(flm_bytes_of(text), &whole) && flm_uint_is_rounded(whole) != expected)
        fail_msg("%s as an integer", text);
}

static void numbers_of_2_53_and_more_that_no_double_is_are_rounded(void **state)
{
    (void)state;
    static const char *const exact[] = {"0",
                                        "0.1",
                                        "9007199254740991",
                                        "9007199254740992",
                                        "9007199254740994",
                                        "9007199254740994.000",
                                        "-9007199254740994",
                                        "+18014398509481984",
                                        "9223372036854775808",
                                        "18446744073709549568",
                                        "18446744073709551616",
                                        "1e22",
                                        "5e21",
                                        "0.00000000000000000000001e45",
                                        "36893488147419103232"};
    static const char *const rounded[] = {
        "9007199254740993",
        "-9007199254740993",
        "9007199254740992.5",
        "9007199254740991.5",
        "9007199254740994.0001",
        "9223372036854775807",
        "18446744073709551615",
        "18446744073709551614",
        "1e23",
        "1e300",
        "9007199254740992.00000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        assert_rounded(exact[i], false);
    for (size_t i = 0; i < sizeof rounded / sizeof rounded[0]; i++)
        assert_rounded(rounded[i], true);
    assert_false(flm_number_is_rounded(flm_bytes_of("x"), 1e300));
}

static void a_uint_is_digits_and_fits_64_bits(void **state)
{
    (void)state;
    uint64_t value = 7;
    assert_true(flm_number_parse_uint(flm_bytes_of("0"), &value));
    assert_int_equal(value, 0);
    assert_true(flm_number_parse_uint(flm_bytes_of("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(flm_number_parse_uint(flm_bytes_of("00000000000000000000000042"), &value));
    assert_int_equal(value, 42);
    static const char *const refused[] = {"",
                                          "-1",
                                          "+1",
                                          " 1",
                                          "1 ",
                                          "1.0",
                                          "1e3",
                                          "0x1",
                                          "a",
                                          "18446744073709551616",
                                          "99999999999999999999"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(flm_number_parse_uint(flm_bytes_of(refused[i]), &value));
    assert_int_equal(value, 42);
}

static void a_hex_is_bare_digits_and_fits_64_bits(void **state)
{
    (void)state;
    uint64_t value = 7;
    assert_true(flm_number_parse_hex(flm_bytes_of("7fFf00a9"), &value));
    assert_true(value == 0x7fff00a9);
    assert_true(flm_number_parse_hex(flm_bytes_of("ffffffffffffffff"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(flm_number_parse_hex(flm_bytes_of("00000000000000000000001"), &value));
    assert_int_equal(value, 1);
    static const char *const refused[] = {"",  "0x1", "-1", "g",
                                          "@", "`",   "1 ", "10000000000000000"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(flm_number_parse_hex(flm_bytes_of(refused[i]), &value));
    assert_int_equal(value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_says_how_a_number_is_written),
        cmocka_unit_test(anything_else_is_not_a_number),
        cmocka_unit_test(nan_and_inf_are_special_however_spelled),
        cmocka_unit_test(a_number_too_large_for_a_double_is_special),
        cmocka_unit_test(a_number_too_small_for_a_double_is_zero),
        cmocka_unit_test(minus_zero_is_read_as_zero),
        cmocka_unit_test(integers_beyond_2_to_53_are_rounded_to_even),
        cmocka_unit_test(any_double_is_read_back),
        cmocka_unit_test(any_decimal_is_read_like_strtod),
        cmocka_unit_test(subnormal_decimals_are_read_like_strtod),
        cmocka_unit_test(the_middle_between_two_doubles_is_rounded_to_even),
        cmocka_unit_test(a_digit_beyond_all_that_count_still_decides),
        cmocka_unit_test(a_million_digits_and_an_exponent_may_cancel),
        cmocka_unit_test(numbers_of_2_53_and_more_that_no_double_is_are_rounded),
        cmocka_unit_test(a_uint_is_digits_and_fits_64_bits),
        cmocka_unit_test(a_hex_is_bare_digits_and_fits_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
