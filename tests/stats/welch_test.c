#include "stats/welch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/groups.h"

static void golden_columns_and_adjusted_p_values_are_right(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/05_welch_bh_holm.json");
    double relative = json_tree_get(golden, "rtol")->number;
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++) {
        struct groups groups = groups_of_golden(&cases->items[i]);
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        const struct json_tree *welch = json_tree_get(expect, "welch");
        uint32_t count = groups.matrix.column_count;
        double *p = calloc(count, sizeof *p), *adjusted = calloc(count, sizeof *p);
        uint32_t *order = calloc(2 * count, sizeof *order);
        assert_true(p && adjusted && order);
        assert_int_equal(welch->count, count);
        for (uint32_t c = 0; c < count; c++) {
            struct flm_welch w = flm_welch_test(flm_matrix_column(&groups.matrix, c),
                                                groups.matrix.run_count, groups.is_new, 0);
            const struct json_tree *column = &welch->items[c];
            assert_near(w.new_mean - w.base_mean, json_tree_get(column, "delta"), relative);
            assert_near(w.p, json_tree_get(column, "p"), relative);
            if (json_tree_get(column, "t")->kind != JSON_NUMBER) {
                assert_true(w.error == 0 && w.nu == 0);
                assert_true(w.new_mean == w.base_mean ? w.t == 0 : isinf(w.t) != 0);
            } else {
                assert_near(w.t, json_tree_get(column, "t"), relative);
                assert_near(w.nu, json_tree_get(column, "nu"), relative);
            }
            p[c] = w.p;
        }
        flm_adjust_benjamini_hochberg(p, adjusted, order, count);
        for (uint32_t c = 0; c < count; c++)
            assert_near(adjusted[c], &json_tree_get(expect, "bh")->items[c], relative);
        flm_adjust_holm(p, p, order, count); /* in place */
        for (uint32_t c = 0; c < count; c++)
            assert_near(p[c], &json_tree_get(expect, "holm")->items[c], relative);
        free(p);
        free(adjusted);
        free(order);
        groups_clear(&groups);
    }
    json_tree_free(golden);
}

static const unsigned char halves[8] = {0, 0, 0, 0, 1, 1, 1, 1};

static void what_is_always_the_same_has_no_variance_however_it_rounds(void **state)
{
    (void)state;
    const double same[8] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    const double grown[8] = {0.1, 0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 0.7};
    const double shrunk[8] = {1e15 + 1, 1e15 + 1, 1e15 + 1, 1e15 + 1, 1e15, 1e15, 1e15, 1e15};
    struct flm_welch w = flm_welch_test(same, 8, halves, 0);
    assert_true(w.t == 0 && w.p == 1 && w.nu == 0 && w.error == 0);
    w = flm_welch_test(grown, 8, halves, 0);
    assert_true(w.t == INFINITY && w.p == 0 && w.nu == 0);
    w = flm_welch_test(shrunk, 8, halves, 0);
    assert_true(w.t == -INFINITY && w.p == 0);
    assert_true(w.base_mean == 1e15 + 1 && w.new_mean == 1e15);
}

static void variances_below_that_of_counting_are_raised_to_it(void **state)
{
    (void)state;
    const double column[8] = {9, 9, 9, 9, 10, 12, 14, 12};
    struct flm_welch w = flm_welch_test(column, 8, halves, 1);
    /* The mean of all runs is 10.5, of variances 0 and 8/3. */
    assert_true(w.base_variance == 0);
    assert_close(w.new_variance, 8.0 / 3, 1e-15);
    assert_close(w.error, sqrt(10.5 / 4 + 10.5 / 4), 1e-15);
    assert_close(w.t, 3 / sqrt(5.25), 1e-15);
    assert_close(w.nu, 6, 1e-12);
    /* Of a count of 0.1 only the one that is below 1.05. */
    w = flm_welch_test(column, 8, halves, 0.1);
    assert_close(w.error, sqrt(1.05 / 4 + 8.0 / 3 / 4), 1e-15);
    /* Nothing was counted: there is no floor either. */
    const double nothing[8] = {0};
    w = flm_welch_test(nothing, 8, halves, 1);
    assert_true(w.t == 0 && w.p == 1);
}

static void a_group_of_one_run_has_variance_zero(void **state)
{
    (void)state;
    const double column[3] = {1, 3, 8};
    const unsigned char is_new[3] = {0, 0, 1};
    struct flm_welch w = flm_welch_test(column, 3, is_new, 0);
    assert_true(w.new_variance == 0 && w.base_variance == 2);
    assert_close(w.t, 6, 1e-15);
    assert_close(w.nu, 1, 1e-15);
}

static void large_values_with_small_differences_keep_their_digits(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct groups near = groups_of_noise(6, 9, 1, 0, &random);
    double away[15], exact[15];
    for (int r = 0; r < 15; r++) {
        exact[r] = floor(near.matrix.value[r] * 100);
        away[r] = exact[r] + 0x1p52;
    }
    struct flm_welch of_near = flm_welch_test(exact, 15, near.is_new, 0);
    struct flm_welch of_away = flm_welch_test(away, 15, near.is_new, 0);
    assert_close(of_away.base_variance, of_near.base_variance, 1e-13);
    assert_close(of_away.new_variance, of_near.new_variance, 1e-13);
    groups_clear(&near);
}

static void t_of_labels_is_t_of_bytes_to_the_last_bit(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 200; i++) {
        struct groups groups = groups_of_noise(2 + random_below(&random, 80),
                                               2 + random_below(&random, 80), 1, 3, &random);
        uint64_t words[3] = {0};
        for (uint32_t r = 0; r < groups.matrix.run_count; r++)
            words[r / 64] |= (uint64_t)groups.is_new[r] << r % 64;
        double unit = i % 2 ? 0.3 : 0;
        double t = flm_welch_t(groups.matrix.value, groups.matrix.run_count, words, unit);
        struct flm_welch w =
            flm_welch_test(groups.matrix.value, groups.matrix.run_count, groups.is_new, unit);
        assert_memory_equal(&t, &w.t, sizeof t);
        groups_clear(&groups);
    }
}

static void p_values_of_noise_are_uniform(void **state)
{
    (void)state;
    enum { COLUMNS = 4000, PARTS = 10 };
    uint64_t random = 17;
    struct groups groups = groups_of_noise(8, 12, COLUMNS, 0, &random);
    int part[PARTS] = {0};
    for (uint32_t c = 0; c < COLUMNS; c++) {
        double p = flm_welch_test(flm_matrix_column(&groups.matrix, c), groups.matrix.run_count,
                                  groups.is_new, 0)
                       .p;
        part[p < 1 ? (int)(p * PARTS) : PARTS - 1]++;
    }
    for (int i = 0; i < PARTS; i++) /* five standard deviations */
        assert_in_range(part[i], COLUMNS / PARTS - 95, COLUMNS / PARTS + 95);
    groups_clear(&groups);
}

static void nothing_to_adjust_is_left_alone(void **state)
{
    (void)state;
    double p[1] = {0.5};
    uint32_t order[2];
    flm_adjust_holm(p, p, order, 0);
    flm_adjust_benjamini_hochberg(p, p, order, 0);
    assert_true(p[0] == 0.5);
    flm_adjust_holm(p, p, order, 1);
    flm_adjust_benjamini_hochberg(p, p, order, 1);
    assert_true(p[0] == 0.5);
}

/* ---- By theory alone ------------------------------------------------------------------------- */

static void the_cautious_test_never_finds_more(void **state)
{
    (void)state;
    uint64_t random = 77;
    for (int round = 0; round < 300; round++) {
        double column[30];
        unsigned char is_new[30];
        uint32_t base = 2 + random_below(&random, 13), new = 2 + random_below(&random, 13);
        double unit = round % 3 ? 0 : 1;
        for (uint32_t r = 0; r < base + new; r++) {
            is_new[r] = r >= base;
            column[r] = 100 + random_below(&random, 50) * (is_new[r] ? 1 + round % 4 : 1);
        }
        struct flm_welch w = flm_welch_test(column, base + new, is_new, unit);
        struct flm_welch cautious = flm_welch_cautious(column, base + new, is_new, unit);
        assert_true(cautious.base_mean == w.base_mean && cautious.new_mean == w.new_mean);
        assert_true(cautious.base_variance == w.base_variance &&
                    cautious.new_variance == w.new_variance);
        assert_true(cautious.error >= w.error && fabs(cautious.t) <= fabs(w.t));
        assert_true(unit > 0 || cautious.p >= w.p);
    }
}

static void a_small_mean_keeps_its_relative_variance_for_the_cautious(void **state)
{
    (void)state;
    static const double column[] = {90, 100, 110, 100, 190, 200, 210, 200};
    static const unsigned char is_new[] = {0, 0, 0, 0, 1, 1, 1, 1};
    double variance = 200 / 3.0;
    struct flm_welch w = flm_welch_cautious(column, 8, is_new, 0);
    /* The mean of all is 150: 1.5 times that of base. */
    assert_true(fabs(w.error / sqrt((variance * 2.25 + variance) / 4) - 1) < 1e-12);
    double base = variance * 2.25 / (variance * 3.25), new = 1 / 3.25;
    assert_true(fabs(w.nu * (base * base + new *new) / 2 - 1) < 1e-12);
    /* What only is there is as certain as before; nothing at all is no difference. */
    static const double appears[] = {0, 0, 0, 0, 19, 20, 21, 20}, nothing[8] = {0};
    assert_true(flm_welch_cautious(appears, 8, is_new, 0).t ==
                flm_welch_test(appears, 8, is_new, 0).t);
    assert_true(flm_welch_cautious(nothing, 8, is_new, 1).p == 1);
    static const double exact[] = {5, 5, 5, 5, 7, 7, 7, 7};
    assert_true(flm_welch_cautious(exact, 8, is_new, 0).p == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_columns_and_adjusted_p_values_are_right),
        cmocka_unit_test(what_is_always_the_same_has_no_variance_however_it_rounds),
        cmocka_unit_test(variances_below_that_of_counting_are_raised_to_it),
        cmocka_unit_test(a_group_of_one_run_has_variance_zero),
        cmocka_unit_test(large_values_with_small_differences_keep_their_digits),
        cmocka_unit_test(t_of_labels_is_t_of_bytes_to_the_last_bit),
        cmocka_unit_test(p_values_of_noise_are_uniform),
        cmocka_unit_test(nothing_to_adjust_is_left_alone),
        cmocka_unit_test(the_cautious_test_never_finds_more),
        cmocka_unit_test(a_small_mean_keeps_its_relative_variance_for_the_cautious),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
