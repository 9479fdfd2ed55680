#include "base/number/big.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/random.h"

static struct flm_big big_of(uint64_t value)
{
    struct flm_big big;
    flm_big_set(&big, value);
    return big;
}

static void comparing_agrees_with_whole_numbers(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 2, 0xFFFFFFFF, 0x100000000, 0x100000001, UINT64_MAX};
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 7; j++) {
            struct flm_big a = big_of(values[i]), b = big_of(values[j]);
            int order = (values[i] > values[j]) - (values[i] < values[j]);
            assert_int_equal(flm_big_compare(&a, &b), order);
        }
}

static void a_sum_is_compared_with_its_carries(void **state)
{
    (void)state;
    struct flm_big largest = big_of(UINT64_MAX), one = big_of(1), sum = big_of(1);
    flm_big_shift(&sum, 64);
    assert_int_equal(flm_big_compare_sum(&largest, &one, &sum), 0);
    assert_int_equal(flm_big_compare_sum(&one, &largest, &sum), 0);
    assert_true(flm_big_compare_sum(&largest, &largest, &sum) > 0);
    flm_big_multiply(&sum, 1, 1);
    assert_true(flm_big_compare_sum(&largest, &one, &sum) < 0);
    flm_big_shift(&sum, 100);
    assert_true(flm_big_compare_sum(&largest, &one, &sum) < 0);
}

static void a_power_of_ten_is_fives_and_twos(void **state)
{
    (void)state;
    for (unsigned power = 0; power <= 800; power++) {
        struct flm_big a = big_of(1), b = big_of(1);
        flm_big_multiply_fives(&a, power);
        flm_big_shift(&a, power);
        for (unsigned i = 0; i < power; i++)
            flm_big_multiply(&b, 10, 0);
        assert_int_equal(flm_big_compare(&a, &b), 0);
    }
}

/* (divisor * q + rest) / divisor is q, and rest remains. */
static void dividing_undoes_multiplying(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        struct flm_big divisor = big_of(random_next(&seed) >> random_below(&seed, 64));
        if (divisor.count == 0)
            continue;
        flm_big_shift(&divisor, random_below(&seed, 2000));
        flm_big_shift(&divisor, flm_big_divisor_shift(&divisor));

        uint32_t quotient = random_below(&seed, 10), rest = random_below(&seed, 1u << 27);
        struct flm_big dividend = divisor;
        if (quotient > 0)
            flm_big_multiply(&dividend, quotient, rest);
        else
            flm_big_set(&dividend, rest);
        if (divisor.count == 1 && rest >= divisor.limb[0])
            continue;
        assert_int_equal(flm_big_divide(&dividend, &divisor), quotient);
        struct flm_big expected = big_of(rest);
        assert_int_equal(flm_big_compare(&dividend, &expected), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparing_agrees_with_whole_numbers),
        cmocka_unit_test(a_sum_is_compared_with_its_carries),
        cmocka_unit_test(a_power_of_ten_is_fives_and_twos),
        cmocka_unit_test(dividing_undoes_multiplying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
