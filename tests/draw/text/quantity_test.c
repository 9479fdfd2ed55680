#include "draw/text/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    assert_quantity(36000000e9, "ns", "10000 h");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits_and_a_unit_that_fits),
        cmocka_unit_test(sizes_are_binary),
        cmocka_unit_test(counts_are_exact_as_long_as_they_can_be_read),
        cmocka_unit_test(the_exact_form_has_every_digit),
        cmocka_unit_test(only_the_whole_is_100_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
