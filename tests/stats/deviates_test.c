/* The distributions that simulated profiles are made of: means, variances and frequencies, at five
 * standard errors, from fixed seeds. */
#include "support/gate/deviates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/distribution.h"

enum { DRAWN = 200000 };

typedef double (*draw)(struct flm_random *random, double parameter);

static double uniform(struct flm_random *random, double parameter)
{
    (void)parameter;
    return deviate_uniform(random);
}

static double normal(struct flm_random *random, double parameter)
{
    (void)parameter;
    return deviate_normal(random);
}

static double exponential(struct flm_random *random, double parameter)
{
    (void)parameter;
    return deviate_exponential(random);
}

/* `fourth` is the fourth central moment: of it and the variance is the error of the variance. */
static void assert_moments(draw one, double parameter, double mean, double variance, double fourth)
{
    struct flm_random random = {(uint64_t)(1000 * parameter) + 7};
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWN; i++) {
        double value = one(&random, parameter);
        sum += value;
        squares += (value - mean) * (value - mean);
    }
    double off = sum / DRAWN - mean, squares_off = squares / DRAWN - variance;
    if (fabs(off) > 5 * sqrt(variance / DRAWN))
        fail_msg("of %g: the mean is %g, not %g", parameter, mean + off, mean);
    if (fabs(squares_off) > 5 * sqrt((fourth - variance * variance) / DRAWN))
        fail_msg("of %g: the variance is %g, not %g", parameter, variance + squares_off, variance);
}

static void means_and_variances_are_those_of_the_distributions(void **state)
{
    (void)state;
    static const double means[] = {0.01, 0.5, 3, 9.99, 10.01, 12, 30, 200, 5000, 1e6};
    static const double shapes[] = {1, 2.5, 330.6};
    assert_moments(uniform, 0, 0.5, 1 / 12.0, 1 / 80.0);
    assert_moments(normal, 0, 0, 1, 3);
    assert_moments(exponential, 0, 1, 1, 9);
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
        assert_moments(deviate_poisson, means[i], means[i], means[i],
                       means[i] * (1 + 3 * means[i]));
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_moments(deviate_gamma, shapes[i], shapes[i], shapes[i],
                       3 * shapes[i] * shapes[i] + 6 * shapes[i]);
}

/* Sum of (seen - expected)^2 / expected, which is chi-square: at most its mean and five deviations.
 */
static void assert_frequencies(const double *seen, const double *share, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += pow(seen[i] - DRAWN * share[i], 2) / (DRAWN * share[i]);
    if (sum > count - 1 + 5 * sqrt(2 * (count - 1)))
        fail_msg("chi-square is %g of %d", sum, count - 1);
}

static void poisson_numbers_are_as_frequent_as_they_should_be(void **state)
{
    (void)state;
    static const double means[] = {0.7, 8,  10.5,
                                   14,  25, 60}; /* on both sides of where it changes */
    for (size_t m = 0; m < sizeof means / sizeof means[0]; m++) {
        enum { LARGEST = 100 };
        double seen[LARGEST] = {0}, share[LARGEST], p = exp(-means[m]), pooled = 0, pooled_seen = 0;
        struct flm_random random = {m + 1};
        int used = 0;
        for (int i = 0; i < DRAWN; i++) {
            double value = deviate_poisson(&random, means[m]);
            assert_true(value == floor(value) && value >= 0);
            seen[value < LARGEST ? (int)value : LARGEST - 1]++;
        }
        for (int k = 0; k < LARGEST; k++, p *= means[m] / k) {
            if (p * DRAWN >= 20) {
                seen[used] = seen[k];
                share[used++] = p;
            } else {
                pooled += p;
                pooled_seen += seen[k];
            }
        }
        seen[used] = pooled_seen;
        share[used++] = pooled;
        assert_frequencies(seen, share, used);
    }
}

static void continuous_numbers_are_as_frequent_as_they_should_be(void **state)
{
    (void)state;
    enum { PARTS = 20 };
    double share[PARTS], normals[PARTS] = {0}, exponentials[PARTS] = {0}, gammas[PARTS] = {0};
    struct flm_random random = {4};
    for (int i = 0; i < PARTS; i++)
        share[i] = 1.0 / PARTS;
    for (int i = 0; i < DRAWN; i++) {
        /* Each by its own tail, which is uniform: of gamma 2, (1 + x) exp(-x). */
        double x = deviate_gamma(&random, 2);
        normals[(int)(PARTS * flm_normal_tail(deviate_normal(&random)))]++;
        exponentials[(int)(PARTS * exp(-deviate_exponential(&random)))]++;
        gammas[(int)(PARTS * (1 + x) * exp(-x))]++;
    }
    assert_frequencies(normals, share, PARTS);
    assert_frequencies(exponentials, share, PARTS);
    assert_frequencies(gammas, share, PARTS);
}

static void nothing_on_average_is_nothing(void **state)
{
    (void)state;
    struct flm_random random = {1};
    for (int i = 0; i < 100; i++)
        assert_true(deviate_poisson(&random, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_variances_are_those_of_the_distributions),
        cmocka_unit_test(poisson_numbers_are_as_frequent_as_they_should_be),
        cmocka_unit_test(continuous_numbers_are_as_frequent_as_they_should_be),
        cmocka_unit_test(nothing_on_average_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
