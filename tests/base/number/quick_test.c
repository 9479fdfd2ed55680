#include "base/number/quick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* What is read quickly is what flm_number_parse reads. Returns whether it is. */
static bool agrees(const char *text)
{
    char padded[100];
    struct flm_quick_number quick;
    double expected, value;
    snprintf(padded, sizeof padded, "%s,", text);
    if (!flm_quick_number(padded, &quick) || !flm_quick_value(&quick, &value))
        return false;
    struct flm_bytes all = {padded, (size_t)(quick.end - padded)};
    assert_true(flm_number_parse(all, &expected) != FLM_NUMBER_NONE);
    if (value != expected || flm_double_bits(value) != flm_double_bits(expected))
        fail_msg("'%s' is %.17g, not %.17g", text, value, expected);
    return all.size == strlen(text);
}

static void usual_numbers_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "7",
                                        "-12",
                                        "12345678",
                                        "123456789",
                                        "1234567890123456",
                                        "12345678901234567",
                                        "1234567890123456789",
                                        "9999999999999999999",
                                        "0.5",
                                        "-0.000",
                                        "1.25",
                                        "12345678.12345678",
                                        "123456789.123456789",
                                        "0.1",
                                        "0.30000000000000004",
                                        "1234.5678910000001",
                                        "00012.50",
                                        "9007199254740993",
                                        "900719925474099.3",
                                        "0.0000000000000001",
                                        "123.4567890123456"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!agrees(texts[i]))
            fail_msg("'%s' is not read", texts[i]);
}

static void unusual_numbers_are_left(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "-",
                                        "x",
                                        ".5",
                                        "1.",
                                        "-.5",
                                        "12345678901234567890",
                                        "1.1234567890123456789",
                                        "12345678901234.123456",
                                        "NaN",
                                        "/",
                                        ":",
                                        "\xFF\xFF\xFF\xFF"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (agrees(texts[i]))
            fail_msg("'%s' is read", texts[i]);
}

static void any_number_agrees(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (int i = 0; i < 300000; i++) {
        char text[60];
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        uint64_t left = dice >> (1 + (dice >> 20) % 63), right = dice * 0x9E3779B97F4A7C15u;
        int places = (int)(dice >> 45) % 17, size = 0;
        size =
            snprintf(text, sizeof text, "%s%llu", dice >> 63 ? "-" : "", (unsigned long long)left);
        if (places > 0)
            snprintf(text + size, (size_t)places + 2, ".%016llu", (unsigned long long)right);
        agrees(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_numbers_are_read),
        cmocka_unit_test(unusual_numbers_are_left),
        cmocka_unit_test(any_number_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
