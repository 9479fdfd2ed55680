#include "base/number/sum.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/random.h"

__extension__ typedef __int128 wide;

/* Random integers of up to 100 bits; both signs. */
static wide random_integer(uint64_t *random)
{
    unsigned bits = 1 + random_below(random, 60), shift = random_below(random, 40);
    wide value = (wide)(random_next(random) >> (64 - bits)) << shift;
    return random_below(random, 2) ? -value : value;
}

static void two_sums_lose_nothing(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        double a = (double)random_integer(&random), b = (double)random_integer(&random), sum = a;
        double left_out = flm_two_sum(&sum, b);
        assert_true(sum == a + b);
        assert_true((wide)sum + (wide)left_out == (wide)a + (wide)b);
    }
    double sum = DBL_MAX;
    assert_true(isnan(flm_two_sum(&sum, DBL_MAX)));
    assert_true(isinf(sum));
}

static void shuffle(double *values, size_t count, uint64_t *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, (unsigned)i);
        double swap = values[i - 1];
        values[i - 1] = values[other];
        values[other] = swap;
    }
}

static double exact_sum(const double *values, size_t count, size_t *left_out)
{
    struct flm_exact_sum sum;
    flm_exact_sum_init(&sum);
    for (size_t i = 0; i < count; i++)
        flm_exact_sum_add(&sum, values[i]);
    double nearest = flm_exact_sum_take(&sum);
    *left_out = sum.count;
    return nearest;
}

static void exact_sums_of_integers_are_those_of_128_bits(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int round = 0; round < 20000; round++) {
        double values[20] = {0};
        size_t count = random_below(&random, 21), left_out;
        wide expected = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = (double)random_integer(&random);
            expected += (wide)values[i];
        }
        double sum = exact_sum(values, count, &left_out);
        assert_true(sum == (double)expected);
        assert_int_equal(left_out == 0, (wide)sum == expected);
    }
}

static void the_order_does_not_matter_however_large_and_small_the_terms(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int round = 0; round < 3000; round++) {
        double values[40];
        size_t left_out, count = 2 + random_below(&random, 39);
        for (size_t i = 0; i < count; i++)
            values[i] =
                ldexp((double)(random_next(&random) >> 11) * (random_below(&random, 2) ? -1 : 1),
                      (int)random_below(&random, 1900) - 1100);
        double sum = exact_sum(values, count, &left_out);
        for (int again = 0; again < 5; again++) {
            shuffle(values, count, &random);
            assert_true(exact_sum(values, count, &left_out) == sum);
        }
    }
}

/* Every other bit of all that a double has: parts of one bit each, more than there is room for. */
static void parts_are_never_too_many(void **state)
{
    (void)state;
    enum { COUNT = 1000, SHOWN = 27 }; /* so many of the largest have 53 bits */
    double values[COUNT], expected = 0;
    uint64_t random = 9;
    for (int i = 0; i < COUNT; i++)
        values[i] = ldexp(1, 2 * i - 1074);
    for (int i = COUNT - SHOWN; i < COUNT; i++)
        expected += values[i];
    for (int round = 0; round < 20; round++) {
        size_t left_out;
        assert_true(exact_sum(values, COUNT, &left_out) == expected);
        assert_in_range(left_out, 1, 255);
        shuffle(values, COUNT, &random);
    }
}

static void half_way_between_two_doubles_the_smaller_terms_decide(void **state)
{
    (void)state;
    size_t left_out;
    assert_true(exact_sum((double[]){0x1p60, 0x1p7}, 2, &left_out) == 0x1p60);
    assert_int_equal(left_out, 1);
    assert_true(exact_sum((double[]){0x1p60, 0x1p7, 1}, 3, &left_out) == 0x1p60 + 0x1p8);
    assert_true(exact_sum((double[]){1e-300, 0x1p7, 0x1p60}, 3, &left_out) == 0x1p60 + 0x1p8);
    assert_true(exact_sum((double[]){0x1p60, 0x1p7, -1e-300}, 3, &left_out) == 0x1p60);
    assert_true(exact_sum((double[]){-0x1p60, -0x1p7, -1}, 3, &left_out) == -0x1p60 - 0x1p8);
    assert_true(exact_sum((double[]){0x1p60 + 0x1p8, 0x1p7}, 2, &left_out) == 0x1p60 + 0x1p9);
    assert_true(exact_sum((double[]){1e300, 1, -1e300}, 3, &left_out) == 1);
    assert_int_equal(left_out, 0);
}

static void what_is_left_out_completes_the_sum(void **state)
{
    (void)state;
    struct flm_exact_sum sum;
    flm_exact_sum_init(&sum);
    static const double values[] = {0x1p200, 0x1p147, 3, 0x1p-80, 5e-324};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        flm_exact_sum_add(&sum, values[i]);
    double nearest = flm_exact_sum_take(&sum);
    assert_true(nearest == 0x1p200 + 0x1p148 && sum.count > 0);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        flm_exact_sum_add(&sum, -values[i]);
    assert_true(flm_exact_sum_take(&sum) == -nearest && sum.count == 0);
}

static void sums_of_sizes_have_no_signs_and_show_what_is_not_finite(void **state)
{
    (void)state;
    for (size_t count = 0; count <= 9; count++) {
        double values[9] = {0}, expected = 0;
        for (size_t i = 0; i < count; i++)
            expected += fabs(values[i] = i % 2 ? -(double)i : (double)i);
        assert_true(flm_sum_of_sizes(values, count) == expected);
        for (size_t i = 0; i < count; i++) {
            double kept = values[i];
            values[i] = NAN;
            assert_true(isnan(flm_sum_of_sizes(values, count)));
            values[i] = -INFINITY;
            assert_true(isinf(flm_sum_of_sizes(values, count)));
            values[i] = kept;
        }
    }
    assert_true(flm_sum_of_sizes(NULL, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sums_lose_nothing),
        cmocka_unit_test(exact_sums_of_integers_are_those_of_128_bits),
        cmocka_unit_test(the_order_does_not_matter_however_large_and_small_the_terms),
        cmocka_unit_test(parts_are_never_too_many),
        cmocka_unit_test(half_way_between_two_doubles_the_smaller_terms_decide),
        cmocka_unit_test(what_is_left_out_completes_the_sum),
        cmocka_unit_test(sums_of_sizes_have_no_signs_and_show_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
