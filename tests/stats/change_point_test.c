#include "stats/change_point.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/welch.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/groups.h"

/* The distances of all pairs of rows, the sum of absolute differences; to be freed. */
static struct flm_distances distances_of(const double *row, uint32_t count, uint32_t width)
{
    double *distance = calloc((size_t)count * count + 1, sizeof *distance);
    assert_non_null(distance);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t w = 0; w < width; w++)
                distance[i * count + k] += fabs(row[i * width + w] - row[k * width + w]);
    return (struct flm_distances){count, distance};
}

static void free_distances(struct flm_distances distances)
{
    free((void *)(uintptr_t)distances.distance);
}

static void energies_and_the_best_split_are_those_of_the_golden_data(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/09_energy_changepoint.json");
    double relative = json_tree_get(golden, "rtol")->number;
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++) {
        const struct json_tree *profiles = json_tree_get(&cases->items[i], "profiles");
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        uint32_t count = (uint32_t)profiles->count, width = (uint32_t)profiles->items[0].count;
        double *rows = calloc((size_t)count * width, sizeof *rows);
        assert_non_null(rows);
        for (uint32_t r = 0; r < count; r++)
            for (uint32_t w = 0; w < width; w++)
                rows[r * width + w] = profiles->items[r].items[w].number;
        struct flm_distances distances = distances_of(rows, count, width);
        for (uint32_t k = 0; k < count; k++)
            assert_near(distances.distance[k], &json_tree_get(expect, "distance_row0")->items[k],
                        relative);
        assert_near(flm_energy(&distances, 0, count / 2, count),
                    json_tree_get(expect, "energy_first_half_vs_second"), relative);
        const struct json_tree *q = json_tree_get(expect, "qhat_full_right_end");
        assert_true(q->count > 0);
        for (size_t k = 0; k < q->count; k++)
            assert_near(flm_energy_q(&distances, 0, (uint32_t)atoi(q->keys[k]), count),
                        &q->items[k], relative);
        struct flm_split split;
        assert_true(flm_split_by_distances(&distances, 0, count, 2, 99, 1, &split, NULL));
        assert_int_equal(split.at, json_tree_get(expect, "best_split")->number);
        assert_near(split.statistic, json_tree_get(expect, "best_qhat"), relative);
        free_distances(distances);
        free(rows);
    }
    json_tree_free(golden);
}

/* A series in which column 3 of 11 grows by `by` at run `at`. */
static struct groups series_of(uint32_t runs, uint32_t at, double by, uint64_t *random)
{
    struct groups series = groups_of_noise(at, runs - at, 11, 20, random);
    for (uint32_t r = at; r < runs; r++)
        flm_matrix_column(&series.matrix, 3)[r] += by;
    return series;
}

static struct flm_distances distances_of_series(const struct groups *series)
{
    uint32_t runs = series->matrix.run_count, width = series->matrix.column_count;
    double *rows = calloc((size_t)runs * width, sizeof *rows);
    assert_non_null(rows);
    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t w = 0; w < width; w++)
            rows[r * width + w] = flm_matrix_column(&series->matrix, w)[r];
    struct flm_distances distances = distances_of(rows, runs, width);
    free(rows);
    return distances;
}

static void a_change_is_found_where_it_is_and_in_which_column(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (uint32_t at = 8; at < 32; at += 5) {
        struct groups series = series_of(40, at, 9, &random);
        struct flm_distances distances = distances_of_series(&series);
        struct flm_split split;
        assert_true(flm_split_by_columns(&series.matrix, 0, 40, 5, 0.01, 199, 1, &split, NULL));
        assert_int_equal(split.at, at);
        assert_int_equal(split.column, 3);
        assert_true(split.p == 0.005);
        assert_true(flm_split_by_distances(&distances, 0, 40, 5, 199, 1, &split, NULL));
        assert_int_equal(split.at, at);
        assert_true(split.p == 0.005);
        free_distances(distances);
        groups_clear(&series);
    }
}

/* What the definitions say, split by split. */
static void splits_are_the_best_of_all_in_any_part_of_the_series(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 200; i++) {
        uint32_t runs = 4 + random_below(&random, 30);
        struct groups series = series_of(runs, 1 + random_below(&random, runs - 1), i % 3, &random);
        for (uint32_t r = 0; i % 2 && r < runs * 11; r++)
            series.matrix.value[r] = floor(series.matrix.value[r] / 2); /* ties */
        struct flm_distances distances = distances_of_series(&series);
        uint32_t from = random_below(&random, 4), to = runs - random_below(&random, 3);
        uint32_t least = 1 + random_below(&random, 4);
        double unit = i % 4 ? 0 : 0.05;
        double best_t = 0, best_q = -INFINITY;
        for (uint32_t at = from + least; at + least <= to; at++) {
            unsigned char is_new[40];
            for (uint32_t r = from; r < to; r++)
                is_new[r - from] = r >= at;
            for (uint32_t c = 0; c < 11; c++)
                best_t =
                    fmax(best_t, fabs(flm_welch_test(flm_matrix_column(&series.matrix, c) + from,
                                                     to - from, is_new, unit)
                                          .t));
            best_q = fmax(best_q, flm_energy_q(&distances, from, at, to));
        }
        struct flm_split of_columns, of_distances;
        assert_true(
            flm_split_by_columns(&series.matrix, from, to, least, unit, 9, 1, &of_columns, NULL));
        assert_true(flm_split_by_distances(&distances, from, to, least, 9, 1, &of_distances, NULL));
        if (to - from < 2 * least || to < from) {
            assert_true(of_columns.at == to && of_columns.p == 1);
            assert_true(of_distances.at == to && of_distances.p == 1);
        } else {
            assert_close(of_columns.statistic, best_t, 1e-9);
            assert_close(of_distances.statistic, best_q, 1e-9);
            assert_close(flm_energy_q(&distances, from, of_distances.at, to), best_q, 1e-9);
            assert_in_range(of_columns.at, from + least, to - least);
            assert_in_range(of_distances.at, from + least, to - least);
        }
        free_distances(distances);
        groups_clear(&series);
    }
}

static void a_deterministic_change_is_infinite(void **state)
{
    (void)state;
    uint64_t random = 7;
    struct groups series = groups_of_noise(6, 6, 20, 10, &random);
    for (uint32_t r = 0; r < 12; r++)
        flm_matrix_column(&series.matrix, 17)[r] = r >= 7 ? 0.7 : 0.1;
    struct flm_split split;
    assert_true(flm_split_by_columns(&series.matrix, 0, 12, 2, 0, 999, 1, &split, NULL));
    assert_true(isinf(split.statistic));
    assert_int_equal(split.at, 7);
    assert_int_equal(split.column, 17);
    assert_true(split.p < 0.02);
    groups_clear(&series);
}

static void runs_that_are_all_alike_have_no_change(void **state)
{
    (void)state;
    double values[24];
    for (int i = 0; i < 24; i++)
        values[i] = i < 12 ? 0.1 : 3;
    const struct flm_matrix matrix = {12, 2, values};
    const double nothing[144] = {0};
    const struct flm_distances distances = {12, nothing};
    struct flm_split split;
    assert_true(flm_split_by_columns(&matrix, 0, 12, 2, 0, 99, 1, &split, NULL));
    assert_true(split.statistic == 0 && split.p == 1);
    assert_true(flm_split_by_distances(&distances, 0, 12, 2, 99, 1, &split, NULL));
    assert_true(split.statistic == 0 && split.p == 1);
    assert_true(flm_energy(&distances, 0, 5, 12) == 0);
    const struct flm_matrix empty = {12, 0, NULL};
    assert_true(flm_split_by_columns(&empty, 0, 12, 2, 0, 99, 1, &split, NULL));
    assert_true(split.at == 12 && split.p == 1);
}

static void noise_is_taken_for_a_change_as_often_as_p_says(void **state)
{
    (void)state;
    enum { SERIES = 400 };
    uint64_t random = 9;
    int found[2] = {0};
    for (int i = 0; i < SERIES; i++) {
        struct groups series = series_of(16, 8, 0, &random);
        struct flm_distances distances = distances_of_series(&series);
        struct flm_split split;
        assert_true(
            flm_split_by_columns(&series.matrix, 0, 16, 3, 0, 19, (uint64_t)i, &split, NULL));
        found[0] += split.p <= 0.2;
        assert_true(flm_split_by_distances(&distances, 0, 16, 3, 19, (uint64_t)i, &split, NULL));
        found[1] += split.p <= 0.2;
        free_distances(distances);
        groups_clear(&series);
    }
    for (int i = 0; i < 2; i++) /* four standard deviations around 80 */
        assert_in_range(found[i], 80 - 32, 80 + 32);
}

static bool split_once(void *context, struct flm_error *why)
{
    struct groups *series = context;
    struct flm_split split;
    return flm_split_by_columns(&series->matrix, 0, 16, 3, 0, 19, 1, &split, why);
}

static bool split_distances_once(void *context, struct flm_error *why)
{
    struct flm_split split;
    return flm_split_by_distances(context, 0, 16, 3, 19, 1, &split, why);
}

static void splitting_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct groups series = series_of(16, 8, 1, &random);
    struct flm_distances distances = distances_of_series(&series);
    assert_true(assert_survives_failures(split_once, &series) >= 3);
    assert_true(assert_survives_failures(split_distances_once, &distances) >= 2);
    free_distances(distances);
    groups_clear(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_and_the_best_split_are_those_of_the_golden_data),
        cmocka_unit_test(a_change_is_found_where_it_is_and_in_which_column),
        cmocka_unit_test(splits_are_the_best_of_all_in_any_part_of_the_series),
        cmocka_unit_test(a_deterministic_change_is_infinite),
        cmocka_unit_test(runs_that_are_all_alike_have_no_change),
        cmocka_unit_test(noise_is_taken_for_a_change_as_often_as_p_says),
        cmocka_unit_test(splitting_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
