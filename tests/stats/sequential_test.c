#include "stats/sequential.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/random.h"

/* Jennison and Turnbull, "Group Sequential Methods with Applications to Clinical Trials", 2000,
 * table 2.1: Pocock's constants of a two-sided test. */
static const struct {
    uint32_t looks;
    double at_10, at_5, at_1; /* alpha in percent */
} published[] = {
    {1, 1.645, 1.960, 2.576},  {2, 1.875, 2.178, 2.772},  {3, 1.992, 2.289, 2.873},
    {4, 2.067, 2.361, 2.939},  {5, 2.122, 2.413, 2.986},  {6, 2.164, 2.453, 3.023},
    {7, 2.197, 2.485, 3.053},  {8, 2.225, 2.512, 3.078},  {9, 2.249, 2.535, 3.099},
    {10, 2.270, 2.555, 3.117}, {15, 2.344, 2.626, 3.182}, {20, 2.392, 2.672, 3.225},
};

static void critical_values_are_those_of_published_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        assert_true(fabs(flm_pocock_critical(0.10, published[i].looks) - published[i].at_10) <
                    0.00051);
        assert_true(fabs(flm_pocock_critical(0.05, published[i].looks) - published[i].at_5) <
                    0.00051);
        assert_true(fabs(flm_pocock_critical(0.01, published[i].looks) - published[i].at_1) <
                    0.00051);
    }
}

static void levels_of_three_looks_at_five_percent_are_0_022(void **state)
{
    (void)state;
    assert_true(fabs(flm_pocock_level(0.05, 3) - 0.0221) < 0.00005);
    assert_true(flm_pocock_level(0.05, 1) == 0.05);
    assert_true(flm_pocock_level(0.05, 3) > 0.05 / 3); /* what Bonferroni would allow */
}

static void one_look_is_an_ordinary_test(void **state)
{
    (void)state;
    assert_true(fabs(flm_sequential_error(1.0, 1) - erfc(1 / sqrt(2.0))) < 1e-13);
    assert_true(fabs(flm_sequential_error(4.0, 1) - erfc(4 / sqrt(2.0))) < 1e-13);
}

/* The constant and the error are each other's inverse, so the error is looked at by chance too. */
static void looking_three_times_is_as_wrong_as_it_says(void **state)
{
    (void)state;
    enum { TRIALS = 40000, LOOKS = 3, DRAWS = 24 };
    uint64_t random = 20261120;
    double critical = flm_pocock_critical(0.05, LOOKS);
    int wrong = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double sum = 0;
        int reached = 0;
        for (int look = 1; look <= LOOKS; look++) {
            double part = -DRAWS / 2; /* of 24 uniform numbers: nearly normal, variance 2 */
            for (int i = 0; i < DRAWS; i++)
                part += (double)(random_next(&random) >> 11) / 9007199254740992.0;
            sum += part / sqrt(DRAWS / 12.0);
            reached |= fabs(sum) >= critical * sqrt(look);
        }
        wrong += reached;
    }
    double share = (double)wrong / TRIALS;
    assert_true(fabs(share - flm_sequential_error(critical, LOOKS)) < 0.0035); /* 3.2 errors */
}

static void what_makes_no_sense_is_no_number(void **state)
{
    (void)state;
    assert_true(isnan(flm_pocock_critical(0.05, 0)));
    assert_true(isnan(flm_pocock_critical(0.05, FLM_SEQUENTIAL_MOST_LOOKS + 1)));
    assert_true(isnan(flm_pocock_critical(0, 3)));
    assert_true(isnan(flm_pocock_critical(1, 3)));
    assert_true(isnan(flm_pocock_level(NAN, 3)));
    assert_true(isnan(flm_sequential_error(0, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_values_are_those_of_published_tables),
        cmocka_unit_test(levels_of_three_looks_at_five_percent_are_0_022),
        cmocka_unit_test(one_look_is_an_ordinary_test),
        cmocka_unit_test(looking_three_times_is_as_wrong_as_it_says),
        cmocka_unit_test(what_makes_no_sense_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
