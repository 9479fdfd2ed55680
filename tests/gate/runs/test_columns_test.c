#include "gate/runs/test_columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "stats/welch.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"

static const struct flm_columns_options all = {0, 0};

static struct flm_columns columns_of(const struct flm_runs *runs,
                                     const struct flm_columns_options *options)
{
    struct flm_columns columns;
    struct flm_error why = {0};
    if (!flm_columns_init(&columns, runs, options, &why))
        fail_msg("%s", why.text);
    return columns;
}

/* "main [total]", "main;parse [self]", line by line. */
static void assert_keys(const struct flm_columns *columns, const struct flm_runs *runs,
                        const char *expected)
{
    struct flm_text text = {0};
    for (uint32_t i = 0; i < columns->matrix.column_count; i++) {
        char *path = runs_path(runs->tree, columns->key[i].node);
        flm_text_format(&text, "%s %s\n", path, columns->key[i].is_self ? "self" : "total");
        free(path);
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static uint32_t column_at(const struct flm_columns *columns, const struct flm_runs *runs,
                          const char *path, bool is_self)
{
    uint32_t node = runs_node(runs->tree, path);
    assert_true(node != FLM_NONE);
    return (is_self ? columns->self_column : columns->total_column)[node];
}

static void assert_column(const struct flm_columns *columns, uint32_t column, const double *values)
{
    assert_true(column != FLM_NONE);
    assert_memory_equal(flm_matrix_column(&columns->matrix, column), values,
                        columns->matrix.run_count * sizeof *values);
}

static void totals_and_self_values_are_columns_but_not_twice(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;parse 10 20 30 40\n"
                                   "main;parse;lex 1 2 3 4\n"
                                   "main;idle;wait 5 0 5 0\n",
                                   2, 2);
    struct flm_columns c = columns_of(&runs, &all);
    assert_keys(&c, &runs,
                "main total\nmain;idle;wait self\nmain;parse total\nmain;parse self\n"
                "main;parse;lex self\n");
    assert_column(&c, column_at(&c, &runs, "main", false), (double[]){16, 22, 38, 44});
    assert_column(&c, column_at(&c, &runs, "main;parse", false), (double[]){11, 22, 33, 44});
    assert_column(&c, column_at(&c, &runs, "main;parse", true), (double[]){10, 20, 30, 40});
    assert_column(&c, column_at(&c, &runs, "main;parse;lex", true), (double[]){1, 2, 3, 4});

    /* What has none of its own has that of what it calls, and the root that of main. */
    uint32_t wait = column_at(&c, &runs, "main;idle;wait", true);
    assert_int_equal(column_at(&c, &runs, "main;idle", false), wait);
    assert_int_equal(column_at(&c, &runs, "main;idle;wait", false), wait);
    assert_int_equal(column_at(&c, &runs, "", false), column_at(&c, &runs, "main", false));
    assert_int_equal(column_at(&c, &runs, "main;idle", true), FLM_NONE);
    assert_int_equal(c.left_out_count, 0);
    flm_columns_clear(&c);
    flm_runs_clear(&runs);

    /* The root of several has no column, but its own value is one. */
    runs = runs_of("a 1 1\nb 1 1\n 2 3\n", 1, 1);
    c = columns_of(&runs, &all);
    assert_keys(&c, &runs, " self\na self\nb self\n");
    assert_int_equal(c.total_column[0], FLM_NONE);
    flm_columns_clear(&c);
    flm_runs_clear(&runs);
}

static void rare_columns_are_left_out_and_counted(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;often 10 10 10 10\n"
                                   "main;small 1 1 1 1\n"
                                   "main;twice 0 40 0 40\n"
                                   "main;x;tiny 1 0 0 0\n"
                                   "main;x;tinier 0 0 1 0\n",
                                   2, 2);
    struct flm_columns c = columns_of(&runs, &(struct flm_columns_options){5, 3});
    assert_keys(&c, &runs, "main total\nmain;often self\n");
    assert_int_equal(c.left_out_count, 5);
    assert_int_equal(column_at(&c, &runs, "main;x", false), FLM_NONE);
    assert_column(&c, 0, (double[]){12, 51, 12, 51}); /* nothing is lost */
    flm_columns_clear(&c);
    c = columns_of(&runs, &(struct flm_columns_options){5, 2});
    assert_keys(&c, &runs, "main total\nmain;often self\nmain;twice self\n");
    flm_columns_clear(&c);
    flm_runs_clear(&runs);
}

/* ---- By chance ------------------------------------------------------------------------------- */

static void check_values(const struct flm_columns *c, const struct flm_runs *runs)
{
    uint32_t count = runs->tree->sizes.node_count;
    double *self = malloc(count * sizeof *self);
    assert_non_null(self);
    for (uint32_t r = 0; r < runs->run_count; r++) {
        flm_runs_self(runs, r, self);
        for (uint32_t i = 0; i < count; i++) {
            double total = 0;
            for (uint32_t k = i; k < runs->tree->node_end[i]; k++)
                total += self[k];
            uint32_t t = c->total_column[i], s = c->self_column[i];
            if (t == FLM_NONE)
                assert_int_equal(i, 0); /* everything else has one */
            else
                assert_true(flm_matrix_column(&c->matrix, t)[r] == total);
            if (s == FLM_NONE)
                assert_true(self[i] == 0);
            else
                assert_true(flm_matrix_column(&c->matrix, s)[r] == self[i]);
        }
    }
    free(self);
}

/* No two columns have the same values because one frame calls one other. */
static void check_keys(const struct flm_columns *c, const struct flm_runs *runs)
{
    const uint32_t *end = runs->tree->node_end;
    for (uint32_t i = 0; i < c->matrix.column_count; i++) {
        struct flm_column_key key = c->key[i];
        assert_int_equal((key.is_self ? c->self_column : c->total_column)[key.node], i);
        bool is_leaf = end[key.node] == key.node + 1;
        assert_false(is_leaf && !key.is_self);
        if (!key.is_self && end[key.node + 1] == end[key.node])
            assert_true(c->self_column[key.node] != FLM_NONE);
        if (i > 0) {
            struct flm_column_key last = c->key[i - 1];
            assert_true(last.node < key.node || (last.node == key.node && !last.is_self));
        }
    }
}

static void columns_are_totals_and_self_values_of_every_run(void **state)
{
    (void)state;
    uint64_t random = 31;
    for (int round = 0; round < 40; round++) {
        struct table_of_runs table =
            runs_by_chance(&random, 2 + random_below(&random, 3), 2, 1 + random_below(&random, 40));
        struct flm_runs runs = runs_of_table(&table);
        struct flm_columns c = columns_of(&runs, &all);
        check_values(&c, &runs);
        check_keys(&c, &runs);
        flm_columns_clear(&c);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

/* The same values; run i of `a` is run map[i] of `b`. */
static void assert_matrices_equal(const struct flm_matrix *a, const struct flm_matrix *b,
                                  const uint32_t *map, double relative)
{
    assert_int_equal(a->run_count, b->run_count);
    assert_int_equal(a->column_count, b->column_count);
    for (uint32_t i = 0; i < a->column_count; i++)
        for (uint32_t r = 0; r < a->run_count; r++) {
            double x = flm_matrix_column(a, i)[r], y = flm_matrix_column(b, i)[map[r]];
            assert_true(fabs(x - y) <= relative * fabs(x));
        }
}

static void assert_same_but_order(const struct flm_runs *one, const struct flm_runs *other,
                                  const uint32_t *map, double relative)
{
    struct flm_columns_options quick = {5, 3};
    struct flm_columns a = columns_of(one, &quick), b = columns_of(other, &quick);
    struct flm_matrix ready_a, ready_b;
    assert_matrices_equal(&a.matrix, &b.matrix, map, 0);
    for (uint32_t i = 0; i < a.matrix.column_count; i++)
        assert_true(a.key[i].node == b.key[i].node && a.key[i].is_self == b.key[i].is_self);
    assert_int_equal(a.left_out_count, b.left_out_count);
    assert_int_equal(a.common_stacks, b.common_stacks);
    for (uint32_t r = 0; r < one->run_count; r++)
        assert_true(fabs(a.size_factor[r] / b.size_factor[map[r]] - 1) <= relative);
    assert_true(flm_columns_prepare(&a, true, 1, &ready_a, NULL));
    assert_true(flm_columns_prepare(&b, true, 1, &ready_b, NULL));
    assert_true(a.common_stacks >= 5);
    assert_int_equal(ready_a.column_count, 2 * a.matrix.column_count);
    assert_matrices_equal(&ready_a, &ready_b, map, relative);
    free(ready_a.value);
    free(ready_b.value);
    flm_columns_clear(&a);
    flm_columns_clear(&b);
}

static void nothing_before_the_test_knows_which_runs_are_new(void **state)
{
    (void)state;
    static const uint32_t same[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t turned[] = {7, 6, 5, 4, 3, 2, 1, 0};
    uint64_t random = 32;
    for (int round = 0; round < 20; round++) {
        struct table_of_runs table = runs_by_chance(&random, 4, 4, 30);
        struct flm_runs runs = runs_of_table(&table);
        struct flm_run_input input[8];
        struct flm_runs other;
        for (uint32_t i = 0; i < 8; i++)
            input[i] = table.input[i];
        for (uint32_t i = 8; i > 1; i--) { /* as many of each as before */
            uint32_t at = (uint32_t)random_below(&random, i);
            bool was_new = input[at].is_new;
            input[at].is_new = input[i - 1].is_new;
            input[i - 1].is_new = was_new;
        }
        assert_true(flm_runs_init(&other, input, 8, NULL, NULL));
        assert_same_but_order(&runs, &other, same, 0); /* to the last bit */
        flm_runs_clear(&other);
        for (uint32_t i = 0; i < 8; i++)
            input[i] = table.input[turned[i]];
        assert_true(flm_runs_init(&other, input, 8, NULL, NULL));
        assert_same_but_order(&runs, &other, turned, 1e-12); /* sums in another order */
        flm_runs_clear(&other);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

/* ---- The size of a run ----------------------------------------------------------------------- */

static void a_run_that_is_larger_in_all_has_that_size(void **state)
{
    (void)state;
    /* Factors 1, 2, 4, 8: their geometric mean is 2.83; an outlying stack changes nothing. */
    struct flm_runs runs = runs_of("a 3 6 12 24\nb 5 10 20 40\nc 1 2 4 8\nd 7 14 28 56\n"
                                   "e 9 18 36 72\nwild 1 900 1 1\nrare 0 5 0 0\n",
                                   2, 2);
    struct flm_columns c = columns_of(&runs, &all);
    struct flm_matrix ready;
    assert_int_equal(c.common_stacks, 6);
    assert_true(c.has_view_by_size);
    for (uint32_t r = 0; r < 4; r++)
        assert_true(fabs(c.size_factor[r] / (pow(2, r) / sqrt(8)) - 1) < 0.2);
    assert_true(fabs(c.size_factor[3] / c.size_factor[2] - 2) < 1e-12);

    /* By size, the columns of stacks that only grew with the run do not vary. */
    assert_true(flm_columns_prepare(&c, true, 0, &ready, NULL));
    uint32_t a = column_at(&c, &runs, "a", true), count = c.matrix.column_count;
    const double *by_size = flm_matrix_column(&ready, count + a);
    assert_true(fabs(by_size[3] / by_size[2] - 1) < 1e-12);
    free(ready.value);
    flm_columns_clear(&c);
    flm_runs_clear(&runs);
}

static void without_common_stacks_the_size_is_that_of_the_total_and_no_view(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 6\nb 1 2\n", 1, 1);
    struct flm_columns c = columns_of(&runs, &all);
    struct flm_matrix ready;
    assert_int_equal(c.common_stacks, 2);
    assert_false(c.has_view_by_size);
    assert_true(fabs(c.size_factor[0] - sqrt(0.5)) < 1e-15 &&
                fabs(c.size_factor[1] - sqrt(2)) < 1e-15);
    assert_true(flm_columns_prepare(&c, true, 1, &ready, NULL));
    assert_int_equal(ready.column_count, c.matrix.column_count);
    free(ready.value);
    flm_columns_clear(&c);
    flm_runs_clear(&runs);

    runs = runs_of("a 3 0\nb 1 0\n", 1, 1); /* an empty run has no size */
    c = columns_of(&runs, &all);
    assert_true(c.size_factor[0] == 1 && c.size_factor[1] == 1);
    flm_columns_clear(&c);
    flm_runs_clear(&runs);
}

/* ---- Outliers -------------------------------------------------------------------------------- */

static void wild_values_are_reined_in_to_four_deviations(void **state)
{
    (void)state;
    double scratch[9];
    /* Median 100, median deviation 2: s = 2.9652, but counting has 10. */
    double few[] = {100, 102, 98, 101, 99, 104, 96, 100, 1000};
    double many[9];
    memcpy(many, few, sizeof few);
    flm_column_winsorize(few, 9, (struct flm_winsorizing){1, 2}, scratch);
    assert_true(few[8] == 140 && few[0] == 100 && few[5] == 104);
    flm_column_winsorize(many, 9, (struct flm_winsorizing){0, 2}, scratch);
    assert_true(fabs(many[8] - (100 + 4 * 1.4826 * 2)) < 1e-12 && many[6] == 96);

    /* One sample each: never below that of one sample. */
    double rare[] = {0, 0, 0, 0, 0, 0, 0, 0, 30};
    flm_column_winsorize(rare, 9, (struct flm_winsorizing){1, 2}, scratch);
    assert_true(rare[8] == 4);
    double rare_ns[] = {0, 0, 0, 0, 0, 0, 0, 0, 30e6};
    flm_column_winsorize(rare_ns, 9, (struct flm_winsorizing){1e6, 2}, scratch);
    assert_true(rare_ns[8] == 4e6);

    /* Not known what a sample is, and most are equal: the mean deviation, which is 30 * 8 / 9 / 9.
     */
    double bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 30};
    flm_column_winsorize(bytes, 9, (struct flm_winsorizing){0, 2}, scratch);
    assert_true(fabs(bytes[8] - 4 * 1.2533 * 30 / 9) < 1e-12);
    double appeared[] = {0, 0, 0, 0, 0, 7, 7, 7, 7};
    flm_column_winsorize(appeared, 9, (struct flm_winsorizing){0, 2}, scratch);
    assert_true(appeared[8] == 7);
    double constant[] = {5, 5, 5};
    flm_column_winsorize(constant, 3, (struct flm_winsorizing){0, 2}, scratch);
    assert_true(constant[0] == 5 && constant[2] == 5);
}

static void what_appears_in_the_smaller_group_is_not_wild(void **state)
{
    (void)state;
    double scratch[60], value[60] = {0};
    for (uint32_t i = 0; i < 20; i++)
        value[40 + i] = 42;
    flm_column_winsorize(value, 60, (struct flm_winsorizing){1, 10}, scratch);
    assert_true(value[40] == 42 && value[59] == 42);

    /* In no more than half of that group, it may be an accident. */
    for (uint32_t i = 0; i < 10; i++)
        value[40 + i] = 0;
    flm_column_winsorize(value, 60, (struct flm_winsorizing){1, 10}, scratch);
    assert_true(value[59] == 4);

    /* The same of what disappears. */
    for (uint32_t i = 0; i < 60; i++)
        value[i] = i < 40 ? 100 : 1;
    flm_column_winsorize(value, 60, (struct flm_winsorizing){1, 10}, scratch);
    assert_true(value[0] == 100 && value[59] == 1);
    struct flm_runs runs = {.base_count = 40, .new_count = 20};
    assert_int_equal(flm_runs_most_outliers(&runs), 10);
    runs.new_count = 2;
    assert_int_equal(flm_runs_most_outliers(&runs), 1);
}

static void the_floor_is_that_of_the_values_before_they_were_reined_in(void **state)
{
    (void)state;
    static const unsigned char is_new[] = {0, 0, 0, 0, 1, 1, 1, 1};
    double value[] = {100, 101, 99, 100, 110, 111, 900, 110}, tame[8], scratch[8];
    double mean = (100 + 101 + 99 + 100 + 110 + 111 + 900 + 110) / 8.0;
    memcpy(tame, value, sizeof value);
    flm_column_winsorize(tame, 8, (struct flm_winsorizing){1, 2}, scratch);
    flm_column_prepare(value, 8, (struct flm_winsorizing){1, 2}, scratch);
    struct flm_welch by_hand = flm_welch_test(tame, 8, is_new, 0);
    double base = fmax(by_hand.base_variance, mean), new = fmax(by_hand.new_variance, mean);
    double t = (by_hand.new_mean - by_hand.base_mean) / sqrt(base / 4 + new / 4);
    assert_true(fabs(flm_welch_test(value, 8, is_new, 1).t / t - 1) < 1e-12);
    assert_true(fabs(flm_welch_test(tame, 8, is_new, 1).t / t - 1) > 1e-3);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool make_columns(void *context, struct flm_error *why)
{
    const struct flm_runs *runs = context;
    struct flm_columns columns;
    struct flm_matrix ready;
    if (!flm_columns_init(&columns, runs, &all, why))
        return false;
    bool good = flm_columns_prepare(&columns, true, 1, &ready, why);
    if (good)
        free(ready.value);
    flm_columns_clear(&columns);
    return good;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    uint64_t random = 33;
    struct table_of_runs table = runs_by_chance(&random, 3, 3, 20);
    struct flm_runs runs = runs_of_table(&table);
    assert_survives_failures(make_columns, &runs);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_and_self_values_are_columns_but_not_twice),
        cmocka_unit_test(rare_columns_are_left_out_and_counted),
        cmocka_unit_test(columns_are_totals_and_self_values_of_every_run),
        cmocka_unit_test(nothing_before_the_test_knows_which_runs_are_new),
        cmocka_unit_test(a_run_that_is_larger_in_all_has_that_size),
        cmocka_unit_test(without_common_stacks_the_size_is_that_of_the_total_and_no_view),
        cmocka_unit_test(wild_values_are_reined_in_to_four_deviations),
        cmocka_unit_test(what_appears_in_the_smaller_group_is_not_wild),
        cmocka_unit_test(the_floor_is_that_of_the_values_before_they_were_reined_in),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
