#include "stats/distribution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/groups.h"

/* What the header promises; the golden data asks for 1e-9. */
static const double promised = 1e-11;

static double number(const struct json_tree *of, const char *key)
{
    return json_tree_get(of, key)->number;
}

static void tails_and_quantiles_are_those_of_the_golden_data(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/03_distributions.json");
    const struct json_tree *f = json_tree_get(golden, "F"), *t = json_tree_get(golden, "t");
    const struct json_tree *quantile = json_tree_get(golden, "F_isf");
    const struct json_tree *beta = json_tree_get(golden, "beta");
    assert_true(f->count > 0 && t->count > 0 && quantile->count > 0 && beta->count > 0);
    for (size_t i = 0; i < f->count; i++) {
        const struct json_tree *v = &f->items[i];
        double x = number(v, "x"), d1 = number(v, "d1"), d2 = number(v, "d2");
        assert_near(flm_f_log10_tail(x, d1, d2), json_tree_get(v, "log10_sf"), promised);
        if (number(v, "sf") > 1e-300)
            assert_near(flm_f_tail(x, d1, d2), json_tree_get(v, "sf"), promised);
        double odds = d1 * x / d2;
        if (number(v, "cdf") > 1e-300)
            assert_near(flm_beta_regularized(odds / (1 + odds), 1 / (1 + odds), d1 / 2, d2 / 2),
                        json_tree_get(v, "cdf"), promised);
    }
    for (size_t i = 0; i < quantile->count; i++) {
        const struct json_tree *v = &quantile->items[i];
        assert_near(flm_f_quantile(number(v, "q"), number(v, "d1"), number(v, "d2")),
                    json_tree_get(v, "x"), promised);
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct json_tree *v = &t->items[i];
        assert_near(flm_t_two_sided(number(v, "t"), number(v, "nu")), json_tree_get(v, "p"),
                    promised);
    }
    for (size_t i = 0; i < beta->count; i++) {
        const struct json_tree *v = &beta->items[i];
        double x = number(v, "x");
        if (number(v, "v") > 1e-300)
            assert_near(flm_beta_regularized(x, 1 - x, number(v, "a"), number(v, "b")),
                        json_tree_get(v, "v"), promised);
    }
    json_tree_free(golden);
}

/* Where there is a formula: F(2, d2), F(d1, 2), t(1), t(2), I_(1/2)(a, a). */
static void tails_with_a_formula_are_right_for_any_degrees_of_freedom(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 3000; i++) {
        double f = exp(random_noise(&random) * 3), d = exp(fabs(random_noise(&random)) * 8);
        double ln_tail = -d / 2 * log1p(2 * f / d);
        assert_close(flm_f_log10_tail(f, 2, d), ln_tail / log(10), promised);
        if (ln_tail > -690)
            assert_close(flm_f_tail(f, 2, d), exp(ln_tail), promised);
        assert_close(flm_f_tail(f, d, 2), -expm1(-d / 2 * log1p(2 / (d * f))), promised);
        if (flm_f_tail(f, d, 2) < 0.9)
            assert_close(flm_f_quantile(flm_f_tail(f, d, 2), d, 2), f, 1e-9);
        double s = exp(random_noise(&random) * 5);
        assert_close(flm_t_two_sided(s, 1), 2 / acos(-1) * atan(1 / s), promised);
        double root = sqrt(2 + s * s);
        assert_close(flm_t_two_sided(s, 2), 2 / (root * (root + s)), promised);
        assert_close(flm_beta_regularized(0.5, 0.5, 100 * d, 100 * d), 0.5, promised);
    }
}

/* Computed with 40 digits by mpmath 1.3: integrals and hypergeometric series. */
static void many_degrees_of_freedom_cost_no_digits(void **state)
{
    (void)state;
    assert_close(flm_t_two_sided(2.25728461084974, 4793436.276724997), 0.023990341151194556705,
                 promised);
    static const struct {
        double f, d1, d2, tail;
    } known[] = {
        {1.0078125, 1e6, 1e6, 0.0000499027308015818639797},
        {1.5, 1e4, 3e3, 2.121999689586163544183e-40},
        {30, 5, 1e6, 1.342371381145193977157e-30},
        {3, 3, 1e7, 0.02929093439886045438997},
        {0.9990234375, 2e5, 1e6, 0.6107393189253248637567},
        {1.125, 500, 1e6, 0.02743256793705200560517},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_close(flm_f_tail(known[i].f, known[i].d1, known[i].d2), known[i].tail, promised);
}

static void with_infinite_degrees_of_freedom_t_is_normal(void **state)
{
    (void)state;
    for (double s = -3; s < 9; s += 0.37) {
        assert_close(flm_t_two_sided(s, INFINITY), 2 * flm_normal_tail(fabs(s)), 1e-15);
        assert_close(flm_t_two_sided(s, 1e13), 2 * flm_normal_tail(fabs(s)), 1e-9);
        assert_close(flm_t_quantile(flm_normal_tail(s), INFINITY),
                     flm_normal_quantile(flm_normal_tail(s)), 1e-15);
    }
}

static void both_sides_of_beta_add_up_to_one(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 3000; i++) {
        double a = exp(random_noise(&random) * 3), b = exp(random_noise(&random) * 3);
        double odds = exp(random_noise(&random)) * a / b, x = odds / (1 + odds), y = 1 / (1 + odds);
        double sum = flm_beta_regularized(x, y, a, b) + flm_beta_regularized(y, x, b, a);
        assert_close(sum, 1, promised);
    }
}

static void a_quantile_is_exceeded_as_often_as_was_asked(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 1000; i++) {
        double tail = i % 3 ? exp(-fabs(random_noise(&random)) * 100)
                            : (double)(random_next(&random) >> 11) / 0x1p53;
        double d1 = exp(random_noise(&random) * 3), d2 = exp(fabs(random_noise(&random)) * 4);
        double f = flm_f_quantile(tail, d1, d2);
        if (f > 1e-300 && f < 1e300)
            assert_close(flm_f_tail(f, d1, d2), tail, 1e-10);
        double s = flm_t_quantile(tail, d2);
        if (tail < 0.5)
            assert_close(flm_t_two_sided(s, d2) / 2, tail, 1e-10);
        else
            assert_close(1 - flm_t_two_sided(s, d2) / 2, tail, 1e-10);
        assert_close(flm_normal_tail(flm_normal_quantile(tail)), tail, 1e-11);
    }
    assert_close(flm_normal_quantile(0.025), 1.9599639845400542355, 1e-14);
    assert_close(flm_normal_quantile(1e-300), 37.04709629936119923655, 1e-12);
    assert_true(flm_normal_quantile(0.5) == 0);
    assert_close(flm_t_quantile(0.005, 58), 2.663286953537658593, 1e-12);
    assert_close(flm_t_quantile(0.995, 58), -2.663286953537658593, 1e-12);
    assert_true(fabs(flm_t_quantile(0.5, 7)) < 1e-100);
}

static void what_cannot_be_a_double_has_a_logarithm(void **state)
{
    (void)state;
    assert_true(flm_f_tail(1e200, 4, 1000) == 0);
    assert_close(flm_f_log10_tail(1e6, 2, 1e5), -5e4 * log1p(20) / log(10), promised);
    /* s^2 is no double, and P(|t| > s) of one degree of freedom is 2 / (pi s). */
    assert_close(flm_t_two_sided(1e200, 1), 2e-200 / acos(-1), promised);
    assert_close(flm_t_two_sided(1e-200, 1), 1, promised);
    assert_close(flm_f_tail(1e308, 1, 1), 2e-154 / acos(-1), promised);
    assert_close(flm_f_log10_tail(1e308, 2, 0.01), -0.005 * (log10(200) + 308), promised);
}

static void ends_are_what_they_must_be(void **state)
{
    (void)state;
    assert_true(flm_f_tail(0, 3, 4) == 1 && flm_f_tail(-1, 3, 4) == 1);
    assert_true(flm_f_tail(INFINITY, 3, 4) == 0 && flm_f_log10_tail(INFINITY, 3, 4) == -INFINITY);
    assert_true(flm_f_quantile(0, 3, 4) == INFINITY && flm_f_quantile(1, 3, 4) == 0);
    assert_true(flm_t_two_sided(0, 3) == 1 && flm_t_two_sided(-INFINITY, 3) == 0);
    assert_true(flm_t_quantile(0, 3) == INFINITY && flm_t_quantile(1, 3) == -INFINITY);
    assert_true(flm_normal_tail(INFINITY) == 0 && flm_normal_tail(-INFINITY) == 1);
    assert_true(flm_normal_quantile(0) == INFINITY && flm_normal_quantile(1) == -INFINITY);
    assert_true(flm_beta_regularized(0, 1, 2, 3) == 0 && flm_beta_regularized(1, 0, 2, 3) == 1);
}

static void what_makes_no_sense_is_not_a_number(void **state)
{
    (void)state;
    const double senseless[] = {0, -1, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++) {
        double d = senseless[i];
        assert_true(isnan(flm_f_tail(1, d, 3)) && isnan(flm_f_tail(1, 3, d)));
        assert_true(isnan(flm_f_log10_tail(INFINITY, d, 3)));
        assert_true(isnan(flm_f_quantile(0.5, d, 3)) && isnan(flm_f_quantile(0.5, 3, d)));
        assert_true(isnan(flm_t_two_sided(1, d)) && isnan(flm_t_quantile(0.3, d)));
        assert_true(isnan(flm_beta_regularized(0.5, 0.5, d, 1)));
    }
    assert_true(isnan(flm_f_tail(NAN, 2, 3)) && isnan(flm_t_two_sided(NAN, 3)));
    assert_true(isnan(flm_f_tail(1, INFINITY, 3)) && isnan(flm_f_tail(1, 3, INFINITY)));
    assert_true(isnan(flm_f_quantile(0.1, INFINITY, 3)));
    assert_true(isnan(flm_f_quantile(-0.1, 2, 3)) && isnan(flm_f_quantile(1.1, 2, 3)));
    assert_true(isnan(flm_t_quantile(-0.1, 2)) && isnan(flm_t_quantile(1.1, 2)));
    assert_true(isnan(flm_t_quantile(NAN, 2)) && isnan(flm_normal_quantile(NAN)));
    assert_true(isnan(flm_beta_regularized(NAN, 0.5, 2, 3)));
    assert_true(isnan(flm_beta_regularized(-0.1, 1.1, 2, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_and_quantiles_are_those_of_the_golden_data),
        cmocka_unit_test(tails_with_a_formula_are_right_for_any_degrees_of_freedom),
        cmocka_unit_test(many_degrees_of_freedom_cost_no_digits),
        cmocka_unit_test(with_infinite_degrees_of_freedom_t_is_normal),
        cmocka_unit_test(both_sides_of_beta_add_up_to_one),
        cmocka_unit_test(a_quantile_is_exceeded_as_often_as_was_asked),
        cmocka_unit_test(what_cannot_be_a_double_has_a_logarithm),
        cmocka_unit_test(ends_are_what_they_must_be),
        cmocka_unit_test(what_makes_no_sense_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
