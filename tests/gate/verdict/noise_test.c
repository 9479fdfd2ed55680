#include "gate/verdict/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/gate/runs.h"

static const struct flm_columns_options all = {0, 0};
static const struct flm_noise_options usual = {1, 4, 3, 0.01, 3};

struct fixture {
    struct flm_runs runs;
    struct flm_columns columns;
    struct flm_noise noise;
};

static struct fixture measure(const char *text, uint32_t base, uint32_t new,
                              struct flm_noise_options options)
{
    struct fixture f = {.runs = runs_of(text, base, new)};
    struct flm_error why = {0};
    assert_true(flm_columns_init(&f.columns, &f.runs, &all, &why));
    if (!flm_noise_init(&f.noise, &f.runs, &f.columns, &options, &why))
        fail_msg("%s", why.text);
    return f;
}

static void clear(struct fixture *f)
{
    flm_noise_clear(&f->noise);
    flm_columns_clear(&f->columns);
    flm_runs_clear(&f->runs);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void noise_is_between_runs_of_a_group_and_a_part_of_it_is_counting(void **state)
{
    (void)state;
    /* Base: mean 100, variance 200. New: mean 200, variance 800. Both vary by 14.1 %. */
    struct fixture f = measure("a 90 110 180 220\n", 2, 2, usual);
    const struct flm_noise_row *total = &f.noise.total;
    assert_int_equal(total->column, FLM_NONE);
    assert_true(near(total->mean, 100));
    assert_true(near(total->cv, sqrt(0.02)));
    assert_true(near(total->counted, 0.1));
    clear(&f);

    struct flm_noise_options ms = usual;
    ms.unit = 4; /* 25 samples */
    f = measure("a 90 110 180 220\n", 2, 2, ms);
    assert_true(near(f.noise.total.counted, 0.2));
    clear(&f);
    ms.unit = 0;
    f = measure("a 90 110 180 220\n", 2, 2, ms);
    assert_true(f.noise.total.counted == 0);
    clear(&f);
}

/* By what it solves, from the error alone on: each step is nearer to it by a third at least. */
static double reserve(double critical, double free)
{
    double z = 0.8416212335729143;
    for (int i = 0; i < 100; i++)
        z = 0.8416212335729143 * sqrt(1 + (critical + z) * (critical + z) / (2 * free));
    return z;
}

static void what_would_be_found_is_as_large_as_its_own_noise_allows(void **state)
{
    (void)state;
    struct fixture f = measure("a 90 110 95 105\nb 10 12 11 9\n", 2, 2, usual);
    const struct flm_noise_row *a = &f.noise.row[0];
    assert_int_equal(f.noise.count, 2);
    assert_int_equal(f.columns.key[a->column].node, runs_node(f.runs.tree, "a"));
    /* Variances 200 and 50, of which the second is less than that of counting, 100. */
    double error = sqrt(200 / 2.0 + 100 / 2.0), size = (4 + reserve(4, 2)) * error;
    assert_true(near(a->mde, size * sqrt(1 + a->mde / 100)));
    assert_true(a->mde > size);
    assert_true(near(a->runs_needed, 2 * pow(a->mde / 1, 2))); /* for one of 100 */
    /* The total has its own critical t. */
    const struct flm_noise_row *total = &f.noise.total;
    double of_total = (3 + reserve(3, 2)) * sqrt(242 / 2.0 + 110.5 / 2.0);
    assert_true(near(total->mde, of_total * sqrt(1 + total->mde / total->mean)));
    clear(&f);

    struct flm_noise_options never = usual;
    never.critical = INFINITY;
    f = measure("a 90 110 95 105\n", 2, 2, never);
    assert_true(f.noise.row[0].mde == INFINITY && f.noise.total.mde < INFINITY);
    clear(&f);
}

static void the_stacks_with_the_most_come_first(void **state)
{
    (void)state;
    struct fixture f = measure("main 5 5 5 5\nmain;a 9 9 1 1\nmain;b 70 70 1 1\nmain;c 8 8 8 8\n"
                               "main;new 0 0 99 99\n",
                               2, 2, usual);
    static const char *const expected[] = {"main;b", "main;a", "main;c"};
    assert_int_equal(f.noise.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct flm_column_key key = f.columns.key[f.noise.row[i].column];
        assert_true(key.is_self);
        assert_int_equal(key.node, runs_node(f.runs.tree, expected[i]));
    }
    clear(&f);
    f = measure("main;new 0 0 99 99\n", 2, 2, usual); /* base has nothing */
    assert_int_equal(f.noise.count, 0);
    assert_true(f.noise.total.mean == 0 && f.noise.total.mde == 0);
    clear(&f);
}

static bool make_noise(void *context, struct flm_error *why)
{
    const struct fixture *f = context;
    struct flm_noise noise;
    if (!flm_noise_init(&noise, &f->runs, &f->columns, &usual, why))
        return false;
    flm_noise_clear(&noise);
    return true;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct fixture f = measure("a 90 110 95 105\nb 10 12 11 9\n", 2, 2, usual);
    assert_survives_failures(make_noise, &f);
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_between_runs_of_a_group_and_a_part_of_it_is_counting),
        cmocka_unit_test(what_would_be_found_is_as_large_as_its_own_noise_allows),
        cmocka_unit_test(the_stacks_with_the_most_come_first),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
