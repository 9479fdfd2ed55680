#include "profile/residuals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"

enum { NODES = 50, METRICS = 2 };

/* Columns, and what their sums must be. */
struct columns {
    double value[METRICS][NODES];
    struct flm_exact_sum expected[METRICS][NODES];
};

static double *column_of(void *context, uint32_t metric)
{
    return ((struct columns *)context)->value[metric];
}

static void exact_sums_are_left_alone(void **state)
{
    (void)state;
    struct flm_residuals residuals = {0};
    struct columns c = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(flm_add_exactly(&residuals, 0, 3, &c.value[0][3], 9007199254740.0));
    assert_true(c.value[0][3] == 9007199254740000.0);
    assert_int_equal(residuals.links.count, 0);
    assert_int_equal(flm_residuals_round(&residuals, column_of, &c), 0);
    flm_residuals_clear(&residuals);
}

static void any_sums_are_rounded_once_and_counted_from_2_53_on(void **state)
{
    (void)state;
    uint64_t random = 5;
    static struct columns c;
    for (int round = 0; round < 20; round++) {
        struct flm_residuals residuals = {0};
        memset(&c, 0, sizeof c);
        int range = 60 + 90 * round; /* of exponents: long chains where it is large */
        for (int i = 0; i < 5000; i++) {
            uint32_t metric = random_below(&random, METRICS), node = random_below(&random, NODES);
            double value = ldexp((double)(random_next(&random) >> 11),
                                 (int)random_below(&random, (unsigned)range) - range / 2 - 50);
            value = random_below(&random, 4) ? value : -value;
            assert_true(flm_add_exactly(&residuals, metric, node, &c.value[metric][node], value));
            flm_exact_sum_add(&c.expected[metric][node], value);
        }
        uint64_t rounded = 0, counted = flm_residuals_round(&residuals, column_of, &c);
        for (uint32_t m = 0; m < METRICS; m++)
            for (uint32_t n = 0; n < NODES; n++) {
                double sum = flm_exact_sum_take(&c.expected[m][n]);
                assert_true(c.value[m][n] == sum);
                rounded += c.expected[m][n].count > 0 && fabs(sum) >= FLM_EXACT_LIMIT;
            }
        assert_int_equal(counted, rounded);
        flm_residuals_clear(&residuals);
    }
}

static void what_was_left_out_is_listed_by_the_new_numbers(void **state)
{
    (void)state;
    struct flm_residuals residuals = {0};
    struct columns c = {0};
    uint32_t new_node[NODES];
    for (uint32_t i = 0; i < NODES; i++)
        new_node[i] = NODES - 1 - i;
    size_t count;
    bool failed;
    assert_null(flm_residuals_list(&residuals, new_node, &count, &failed));
    assert_true(count == 0 && !failed);
    static const double values[] = {0x1p60, 1, 0x1p60, 1, 1e200};
    for (size_t i = 0; i < 4; i++)
        assert_true(flm_add_exactly(&residuals, 1, 7, &c.value[1][7], values[i]));
    for (size_t i = 0; i < 5; i++)
        assert_true(flm_add_exactly(&residuals, 0, 9, &c.value[0][9], values[i]));
    assert_int_equal(flm_residuals_round(&residuals, column_of, &c), 2);
    assert_true(c.value[1][7] == 0x1p61 && c.value[0][9] == 1e200);
    struct flm_residual *list = flm_residuals_list(&residuals, new_node, &count, &failed);
    double left_out[2] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].node, new_node[list[i].metric == 1 ? 7 : 9]);
        left_out[list[i].metric] += list[i].value;
    }
    assert_true(left_out[1] == 2 && left_out[0] == 0x1p61);
    free(list);
    flm_residuals_clear(&residuals);
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    struct flm_residuals residuals = {0};
    struct columns c = {0};
    static const double values[] = {1e308, 1, 1e308, -1e308};
    for (size_t i = 0; i < 4; i++)
        assert_true(flm_add_exactly(&residuals, 0, 0, &c.value[0][0], values[i]));
    flm_residuals_round(&residuals, column_of, &c);
    assert_true(isinf(c.value[0][0]));
    flm_residuals_clear(&residuals);
}

static bool add_some(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_residuals residuals = {0};
    struct columns c = {0};
    bool good = true, failed = false;
    size_t count;
    uint32_t new_node[NODES] = {0};
    for (uint32_t i = 0; good && i < 3 * NODES; i++)
        good = flm_add_exactly(&residuals, i % METRICS, i % NODES, &c.value[i % METRICS][i % NODES],
                               ldexp(1, (int)i * 13));
    if (good) {
        flm_residuals_round(&residuals, column_of, &c);
        free(flm_residuals_list(&residuals, new_node, &count, &failed));
    }
    flm_residuals_clear(&residuals);
    return (good && !failed) || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(add_some, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_sums_are_left_alone),
        cmocka_unit_test(any_sums_are_rounded_once_and_counted_from_2_53_on),
        cmocka_unit_test(what_was_left_out_is_listed_by_the_new_numbers),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
