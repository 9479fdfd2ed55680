#include "stats/hotelling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/distribution.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/groups.h"

static enum flm_hotelling_refusal refusal_of(const char *golden)
{
    if (strcmp(golden, "SINGULAR") == 0)
        return FLM_HOTELLING_SINGULAR;
    if (strcmp(golden, "RUNS") == 0)
        return FLM_HOTELLING_FEW_RUNS;
    if (strcmp(golden, "EMPTY") == 0)
        return FLM_HOTELLING_NO_COLUMNS;
    assert_string_equal(golden, "DIMENSION");
    return FLM_HOTELLING_MANY_COLUMNS;
}

/* `responsible` lists the columns whose interval does not hold 0. */
static void assert_intervals(const struct flm_hotelling *hotelling, double f_star,
                             const struct json_tree *expect, double relative)
{
    const struct json_tree *responsible = json_tree_get(expect, "responsible");
    size_t found = 0;
    for (uint32_t k = 0; k < hotelling->p; k++) {
        double half = flm_hotelling_half_width(hotelling, k, f_star);
        assert_near(half, &json_tree_get(expect, "half_width")->items[k], relative);
        if (fabs(hotelling->difference[k]) > half) {
            assert_true(found < responsible->count);
            assert_int_equal(responsible->items[found++].number, k);
        }
    }
    assert_int_equal(found, responsible->count);
}

static void assert_golden(const struct json_tree *golden, double relative)
{
    struct groups groups = groups_of_golden(golden);
    struct flm_hotelling hotelling;
    const struct json_tree *error = json_tree_find(golden, "expect_error");
    enum flm_hotelling_refusal refusal =
        flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, NULL);
    if (error) {
        assert_int_equal(refusal, refusal_of(error->text));
        groups_clear(&groups);
        return;
    }
    assert_int_equal(refusal, FLM_HOTELLING_DONE);
    const struct json_tree *expect = json_tree_get(golden, "expect");
    relative *= fmax(1, json_tree_get(expect, "cond")->number / 1e6);
    assert_near(hotelling.d1, json_tree_get(expect, "dof1"), 0);
    assert_near(hotelling.d2, json_tree_get(expect, "dof2"), 0);
    assert_near(hotelling.g2, json_tree_get(expect, "G2"), relative);
    assert_near(hotelling.t2, json_tree_get(expect, "T2"), relative);
    assert_near(hotelling.f, json_tree_get(expect, "F"), relative);
    assert_near(hotelling.p_value, json_tree_get(expect, "p_value"), relative);
    assert_near(hotelling.log10_p, json_tree_get(expect, "log10_p"), relative);
    for (uint32_t k = 0; k < hotelling.p; k++) {
        assert_near(hotelling.difference[k], &json_tree_get(expect, "delta")->items[k], relative);
        assert_near(hotelling.variance[k], &json_tree_get(expect, "pooled_var")->items[k],
                    relative);
    }
    double f_star =
        flm_f_quantile(json_tree_get(golden, "alpha")->number, hotelling.d1, hotelling.d2);
    assert_near(f_star, json_tree_get(expect, "F_crit"), relative);
    assert_intervals(&hotelling, f_star, expect, relative);
    flm_hotelling_clear(&hotelling);
    groups_clear(&groups);
}

/* The paper's example has no runs, only what was computed from them. */
static void assert_golden_summary(const struct json_tree *golden, double relative)
{
    const struct json_tree *summary = json_tree_get(golden, "summary");
    const struct json_tree *expect = json_tree_get(golden, "expect");
    double difference[8], variance[8];
    double n1 = json_tree_get(summary, "n1")->number, n2 = json_tree_get(summary, "n2")->number;
    struct flm_hotelling hotelling = {
        .p = (uint32_t)json_tree_get(summary, "delta")->count,
        .g2 = json_tree_get(expect, "G2")->number,
        .difference = difference,
        .variance = variance,
    };
    assert_true(hotelling.p <= 8);
    assert_close((n1 + n2 - hotelling.p - 1) / ((n1 + n2 - 2) * hotelling.p) * n1 * n2 / (n1 + n2),
                 hotelling.g2, relative);
    for (uint32_t k = 0; k < hotelling.p; k++) {
        difference[k] = json_tree_get(summary, "delta")->items[k].number;
        variance[k] = json_tree_get(summary, "pooled_var")->items[k].number;
    }
    assert_intervals(&hotelling, json_tree_get(summary, "F_star")->number, expect, relative);
}

static void golden_groups_have_their_t2_or_their_refusal(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/04_hotelling.json");
    double relative = json_tree_get(golden, "rtol")->number;
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++) {
        if (json_tree_find(&cases->items[i], "summary"))
            assert_golden_summary(&cases->items[i], relative);
        else
            assert_golden(&cases->items[i], relative);
    }
    json_tree_free(golden);
}

static struct flm_hotelling test_groups(const struct groups *groups)
{
    struct flm_hotelling hotelling;
    assert_int_equal(flm_hotelling_init(&hotelling, &groups->matrix, groups->is_new, NULL),
                     FLM_HOTELLING_DONE);
    return hotelling;
}

static void of_one_column_it_is_the_pooled_t_squared(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 50; i++) {
        struct groups groups = groups_of_noise(2 + random_below(&random, 9),
                                               2 + random_below(&random, 9), 1, 7, &random);
        double n[2] = {groups.base_count, groups.new_count}, mean[2] = {0}, squares = 0;
        for (uint32_t r = 0; r < groups.matrix.run_count; r++)
            mean[groups.is_new[r]] += groups.matrix.value[r] / n[groups.is_new[r]];
        for (uint32_t r = 0; r < groups.matrix.run_count; r++)
            squares += pow(groups.matrix.value[r] - mean[groups.is_new[r]], 2);
        double t = (mean[1] - mean[0]) / sqrt(squares / (n[0] + n[1] - 2) * (1 / n[0] + 1 / n[1]));
        struct flm_hotelling hotelling = test_groups(&groups);
        assert_close(hotelling.t2, t * t, 1e-10);
        assert_close(hotelling.p_value, flm_t_two_sided(t, n[0] + n[1] - 2), 1e-9);
        flm_hotelling_clear(&hotelling);
        groups_clear(&groups);
    }
}

/* columns = columns M, for a random M; with units of measurement that are far apart. */
static void map_columns(struct groups *groups, uint64_t *random)
{
    struct flm_matrix *m = &groups->matrix;
    uint32_t p = m->column_count;
    double *map = calloc((size_t)p * p, sizeof *map), *row = calloc(p, sizeof *row);
    assert_true(map && row);
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t k = 0; k < p; k++)
            map[i * p + k] =
                (random_noise(random) + (i == k ? 6 : 0)) * pow(10, (double)(k % 5) * 3 - 6);
    for (uint32_t r = 0; r < m->run_count; r++) {
        for (uint32_t k = 0; k < p; k++) {
            row[k] = 0;
            for (uint32_t i = 0; i < p; i++)
                row[k] += flm_matrix_column(m, i)[r] * map[i * p + k];
        }
        for (uint32_t k = 0; k < p; k++)
            flm_matrix_column(m, k)[r] = row[k];
    }
    free(map);
    free(row);
}

static void other_units_and_other_mixtures_of_the_columns_have_the_same_t2(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (uint32_t p = 1; p <= 12; p++) {
        struct groups groups = groups_of_noise(11, 9, p, 100, &random);
        for (uint32_t r = groups.base_count; r < groups.matrix.run_count; r++)
            groups.matrix.value[r] += 1;
        struct flm_hotelling before = test_groups(&groups);
        map_columns(&groups, &random);
        struct flm_hotelling after = test_groups(&groups);
        assert_close(after.t2, before.t2, 1e-8);
        assert_close(after.log10_p, before.log10_p, 1e-8);
        flm_hotelling_clear(&before);
        flm_hotelling_clear(&after);
        groups_clear(&groups);
    }
}

static void p_values_of_noise_are_uniform(void **state)
{
    (void)state;
    enum { SETS = 2000, PARTS = 5 };
    uint64_t random = 7;
    int part[PARTS] = {0};
    for (int i = 0; i < SETS; i++) {
        struct groups groups = groups_of_noise(7, 9, 5, 0, &random);
        struct flm_hotelling hotelling = test_groups(&groups);
        part[(int)fmin(hotelling.p_value * PARTS, PARTS - 1)]++;
        flm_hotelling_clear(&hotelling);
        groups_clear(&groups);
    }
    for (int i = 0; i < PARTS; i++) /* five standard deviations */
        assert_in_range(part[i], SETS / PARTS - 90, SETS / PARTS + 90);
}

static void the_column_that_follows_from_others_is_named(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (uint32_t follows = 1; follows < 8; follows++) {
        struct groups groups = groups_of_noise(9, 8, 8, 1000, &random);
        for (uint32_t r = 0; r < groups.matrix.run_count; r++) {
            double sum = 3;
            for (uint32_t k = 0; k < follows; k++)
                sum += flm_matrix_column(&groups.matrix, k)[r] * (k + 1);
            flm_matrix_column(&groups.matrix, follows)[r] = sum;
        }
        struct flm_hotelling hotelling;
        uint32_t column = 99;
        assert_int_equal(flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, &column),
                         FLM_HOTELLING_SINGULAR);
        assert_int_equal(column, follows);
        assert_null(hotelling.difference);
        groups_clear(&groups);
    }
}

static void a_column_that_never_varies_in_either_group_is_named(void **state)
{
    (void)state;
    uint64_t random = 13;
    struct groups groups = groups_of_noise(5, 5, 3, 1, &random);
    struct flm_hotelling hotelling;
    uint32_t column = 99;
    for (uint32_t r = 0; r < 10; r++)
        flm_matrix_column(&groups.matrix, 1)[r] = groups.is_new[r] ? 0.7 : 0.1;
    assert_int_equal(flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, &column),
                     FLM_HOTELLING_SINGULAR);
    assert_int_equal(column, 1);
    groups_clear(&groups);
}

static void as_many_columns_as_there_may_be_are_tested_and_one_more_is_refused(void **state)
{
    (void)state;
    uint64_t random = 17;
    struct groups groups = groups_of_noise(4, 5, 8, 1, &random);
    struct flm_hotelling hotelling;
    assert_int_equal(flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, NULL),
                     FLM_HOTELLING_MANY_COLUMNS);
    groups.matrix.column_count = 7;
    hotelling = test_groups(&groups);
    assert_true(hotelling.d2 == 1 && hotelling.p_value > 0 && hotelling.p_value < 1);
    flm_hotelling_clear(&hotelling);
    groups.matrix.column_count = 0;
    assert_int_equal(flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, NULL),
                     FLM_HOTELLING_NO_COLUMNS);
    groups_clear(&groups);
}

static void it_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint64_t random = 19;
    struct groups groups = groups_of_noise(6, 6, 4, 1, &random);
    for (size_t nth = 1;; nth++) {
        struct flm_hotelling hotelling;
        allocation_fail_from(nth);
        enum flm_hotelling_refusal refusal =
            flm_hotelling_init(&hotelling, &groups.matrix, groups.is_new, NULL);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(refusal, failed ? FLM_HOTELLING_NO_MEMORY : FLM_HOTELLING_DONE);
        assert_true(failed == !hotelling.difference);
        flm_hotelling_clear(&hotelling);
        if (!failed) {
            assert_true(nth > 1);
            break;
        }
    }
    groups_clear(&groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_groups_have_their_t2_or_their_refusal),
        cmocka_unit_test(of_one_column_it_is_the_pooled_t_squared),
        cmocka_unit_test(other_units_and_other_mixtures_of_the_columns_have_the_same_t2),
        cmocka_unit_test(p_values_of_noise_are_uniform),
        cmocka_unit_test(the_column_that_follows_from_others_is_named),
        cmocka_unit_test(a_column_that_never_varies_in_either_group_is_named),
        cmocka_unit_test(as_many_columns_as_there_may_be_are_tested_and_one_more_is_refused),
        cmocka_unit_test(it_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
