#include "draw/text/quantity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *text_of(struct flm_text *out)
{
    flm_text_putc(out, 0);
    return out->at;
}

static void assert_quantity(double value, const char *unit, const char *expected)
{
    struct flm_text out = {0};
    flm_quantity_add(&out, value, flm_bytes_of(unit));
    assert_string_equal(text_of(&out), expected);
    flm_text_clear(&out);
}

static void assert_exact(double value, const char *unit, const char *expected)
{
    struct flm_text out = {0};
    flm_quantity_add_exact(&out, value, flm_bytes_of(unit));
    assert_string_equal(text_of(&out), expected);
    flm_text_clear(&out);
}

static void assert_percent(double value, double whole, const char *expected)
{
    struct flm_text out = {0};
    flm_percent_add(&out, value, whole);
    assert_string_equal(text_of(&out), expected);
    flm_text_clear(&out);
}

static void times_have_three_digits_and_a_unit_that_fits(void **state)
{
    (void)state;
    assert_quantity(0, "ns", "0 ns");
    assert_quantity(1, "ns", "1 ns");
    assert_quantity(318e6, "ns", "318 ms");
    assert_quantity(1240113402, "ns", "1.24 s");
    assert_quantity(999.6e6, "ns", "1 s");
    assert_quantity(999.4e6, "ns", "999 ms");
    assert_quantity(119e9, "ns", "119 s");
    assert_quantity(150e9, "ns", "2.5 min");
    assert_quantity(7200e9, "ns", "2 h");
    assert_quantity(36000000e9, "ns", "10,000 h");
    assert_quantity(1.5, "ms", "1.5 ms");
    assert_quantity(2500, "us", "2.5 ms");
    assert_quantity(-318e6, "ns", "-318 ms");
}

static void sizes_are_binary(void **state)
{
    (void)state;
    assert_quantity(12.4 * 1024 * 1024, "bytes", "12.4 MiB");
    assert_quantity(1023, "bytes", "1023 B");
    assert_quantity(1024, "bytes", "1 KiB");
}

static void counts_are_exact_as_long_as_they_can_be_read(void **state)
{
    (void)state;
    assert_quantity(1204331, "samples", "1,204,331 samples");
    assert_quantity(9999999, "", "9,999,999");
    assert_quantity(116.04e9, "objects", "116 G objects");
    assert_quantity(1, "samples", "1 sample");
    assert_quantity(1, "context-switches", "1 context-switch");
    assert_quantity(1, "cache-misses", "1 cache-miss");
    assert_quantity(1, "branches", "1 branch");
    assert_quantity(1, "cycles", "1 cycle");
    assert_quantity(1, "loss", "1 loss");
    assert_quantity(-1, "samples", "-1 sample");
    assert_quantity(0, "samples", "0 samples");
    assert_quantity(2.5, "samples", "2.5 samples");
    assert_quantity(1234.5, "", "1,235");
    assert_quantity(999.6, "", "1,000");
    assert_quantity(-1234.25, "samples", "-1,234 samples");
    assert_quantity(4503599627370496, "samples", "4,504 T samples");
    assert_quantity(90071992547409920, "samples", "90,072 T samples");
}

static void the_exact_form_has_every_digit(void **state)
{
    (void)state;
    assert_exact(1240113402, "ns", "1,240,113,402 ns");
    assert_exact(-1234567, "", "-1,234,567");
    assert_exact(0.1 + 0.2, "s", "0.3 s");
    assert_exact(1234.5678, "", "1,234.5678");
    assert_exact(9007199254740992.0, "", "9,007,199,254,740,992");
}

static void only_the_whole_is_100_percent(void **state)
{
    (void)state;
    assert_percent(1, 1, "100 %");
    assert_percent(99.97, 100, "99.9 %");
    assert_percent(12.345, 100, "12.3 %");
    assert_percent(0.62, 100, "0.62 %");
    assert_percent(0.05, 100, "0.05 %");
    assert_percent(1, 1e6, "< 0.01 %");
    assert_percent(0, 5, "0 %");
    assert_percent(0, 0, "0 %");
    assert_percent(-36.94, 100, "-36.9 %");
    assert_percent(25, 10, "250 %");
}

/* Each value of a column, "|" between them. */
static void assert_column(const double *values, size_t count, const char *unit,
                          const char *expected)
{
    struct flm_text out = {0};
    struct flm_scale scale;
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    flm_scale_init(&scale, largest, FLM_DIGITS_OF_TABLES, flm_bytes_of(unit));
    for (size_t i = 0; i < count; i++)
        flm_scale_add(&scale, values[i]);
    for (size_t i = 0; i < count; i++) {
        flm_text_puts(&out, i ? "|" : "");
        flm_scale_add_number(&scale, values[i], &out);
    }
    flm_text_putc(&out, ' ');
    flm_scale_add_unit(&scale, NAN, &out);
    assert_string_equal(text_of(&out), expected);
    flm_text_clear(&out);
}

#define COLUMN(...) (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double)

static void numbers_of_a_column_share_a_unit_and_a_precision(void **state)
{
    (void)state;
    assert_column(COLUMN(2964123456, 21e6, 400e3, 3e3, 0), "ns", "2,964.1|21.0|0.4|<0.1|0 ms");
    assert_column(COLUMN(104131072, 8016032, 512), "samples", "104.13|8.02|<0.01 M samples");
    assert_column(COLUMN(8016032, 512, -7), "samples", "8,016,032|512|-7 samples");
    assert_column(COLUMN(12e9, 999e6), "ns", "12.000|0.999 s");
    assert_column(COLUMN(9300, 5), "ns", "9,300|5 ns");
    assert_column(COLUMN(64 * 1024, 1536), "bytes", "64.0|1.5 KiB");
    assert_column(COLUMN(2.5, 1), "s", "2,500|1,000 ms");
    assert_column(COLUMN(0, 0), "ns", "0|0 ns");
    assert_column(COLUMN(3600e9 * 200, 1800e9), "ns", "200.0|0.5 h");
    assert_column(COLUMN(1e300), "", "1e282 E");
}

static void a_column_has_no_more_decimals_than_its_numbers_need(void **state)
{
    (void)state;
    assert_column(COLUMN(49e6, 7e6), "ns", "49|7 ms");
    assert_column(COLUMN(49.5e6, 7e6), "ns", "49.5|7.0 ms");
    assert_column(COLUMN(0.5, 0.25), "", "0.50|0.25 ");
}

/* The longer of two numbers is the larger one, in any column. */
static void numbers_of_a_column_are_ordered_as_they_look(void **state)
{
    (void)state;
    static const char *const units[] = {"ns", "bytes", "samples", ""};
    for (size_t u = 0; u < 4; u++)
        for (double largest = 1; largest < 1e16; largest *= 3.7) {
            struct flm_scale scale;
            flm_scale_init(&scale, largest, FLM_DIGITS_OF_TABLES, flm_bytes_of(units[u]));
            size_t before = SIZE_MAX;
            for (double value = largest; value > largest / 1e6; value *= 0.7)
                flm_scale_add(&scale, value);
            for (double value = largest; value > largest / 1e6; value *= 0.7) {
                struct flm_text out = {0};
                flm_scale_add_number(&scale, value, &out);
                bool is_less = out.at[0] == '<';
                assert_true(out.size - is_less <= before);
                assert_true(!is_less || value < largest / 9999 || scale.decimals == 0);
                before = out.size - is_less;
                flm_text_clear(&out);
            }
        }
}

static void percentages_of_a_column_have_two_decimals(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } all[] = {{1, "100.00 %"},      {0.123456, "12.35 %"}, {0.00004, "<0.01 %"},
               {0.99999, "99.99 %"}, {-0.5, "-50.00 %"},    {0, "0 %"},
               {12.5, "1,250.00 %"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct flm_text out = {0};
        flm_scale_add_percent(&out, all[i].value, 1);
        assert_string_equal(text_of(&out), all[i].text);
        flm_text_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits_and_a_unit_that_fits),
        cmocka_unit_test(sizes_are_binary),
        cmocka_unit_test(counts_are_exact_as_long_as_they_can_be_read),
        cmocka_unit_test(the_exact_form_has_every_digit),
        cmocka_unit_test(only_the_whole_is_100_percent),
        cmocka_unit_test(numbers_of_a_column_share_a_unit_and_a_precision),
        cmocka_unit_test(a_column_has_no_more_decimals_than_its_numbers_need),
        cmocka_unit_test(numbers_of_a_column_are_ordered_as_they_look),
        cmocka_unit_test(percentages_of_a_column_have_two_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
