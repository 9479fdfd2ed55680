#include "gate/verdict/unequal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gate/verdict/gate.h"
#include "support/core/failures.h"
#include "support/gate/deviates.h"
#include "support/gate/judged.h"
#include "support/gate/simulated_verdict.h"

enum { COLUMNS = 60, MOST_RUNS = 60 };

struct sides {
    double value[COLUMNS * MOST_RUNS];
    unsigned char is_new[MOST_RUNS];
    struct flm_matrix matrix;
};

/* Columns of a mean of 1000 times the number of the column. */
static void draw(struct sides *s, uint32_t base, double base_noise, uint32_t new, double new_noise,
                 uint64_t seed)
{
    struct flm_random random = {seed};
    s->matrix = (struct flm_matrix){base + new, COLUMNS, s->value};
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < base + new; r++) {
            double noise = r < base ? base_noise : new_noise;
            s->is_new[r] = r >= base;
            s->value[c * (base + new) + r] =
                1000.0 * (c + 1) * (1 + noise * deviate_normal(&random));
        }
    }
}

static struct flm_noise_ratio ratio_of(const struct sides *s, double unit)
{
    struct flm_noise_ratio noise;
    assert_true(flm_noise_ratio_init(&noise, &s->matrix, COLUMNS, s->is_new, unit, NULL));
    return noise;
}

static void the_ratio_is_that_of_the_noise_whatever_the_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t base, new;
    } sizes[] = {{5, 50}, {50, 5}, {5, 5}, {20, 20}, {7, 30}};
    static const double times[] = {1, 3, 1 / 3.0};
    struct sides s;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            draw(&s, sizes[i].base, 0.05, sizes[i].new, 0.05 * times[k], 11 + i);
            struct flm_noise_ratio noise = ratio_of(&s, 0);
            assert_true(noise.ratio > times[k] / 1.3 && noise.ratio < times[k] * 1.3);
            assert_int_equal(noise.is_unequal, times[k] != 1);
        }
    }
}

static void what_grew_has_the_noise_of_its_size(void **state)
{
    (void)state;
    struct sides s;
    draw(&s, 20, 0.05, 20, 0.05, 3);
    for (uint32_t c = 0; c < COLUMNS; c++)
        for (uint32_t r = 20; r < 40; r++)
            s.value[c * 40 + r] *= 4;
    assert_false(ratio_of(&s, 0).is_unequal);
}

static void the_noise_of_counting_says_nothing_about_runs(void **state)
{
    (void)state;
    struct sides s;
    draw(&s, 10, 0.001, 10, 0.003, 5); /* the mean is 1000 samples at least: 3 % */
    assert_true(ratio_of(&s, 1).ratio == 1);
    assert_true(ratio_of(&s, 0).is_unequal);
    memset(s.value, 0, sizeof s.value);
    assert_true(ratio_of(&s, 0).ratio == 1);
}

static bool make_ratio(void *context, struct flm_error *why)
{
    const struct sides *s = context;
    struct flm_noise_ratio noise;
    return flm_noise_ratio_init(&noise, &s->matrix, COLUMNS, s->is_new, 0, why);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct sides s;
    draw(&s, 5, 0.1, 5, 0.1, 1);
    assert_survives_failures(make_ratio, &s);
}

/* ---- Whole gates ----------------------------------------------------------------------------- */

/* 1.5 of 30 are expected at most; permutations alone find something in 8 to 13. */
static void sides_of_one_program_that_differ_in_noise_alone_do_not_differ(void **state)
{
    (void)state;
    const struct simulated_sides_options few_noisy = {100, {50, 0.05}, {5, 0.15}};
    const struct simulated_sides_options few_noisy_base = {100, {5, 0.15}, {50, 0.05}};
    const struct simulated_sides_options equal_sizes = {100, {8, 0.05}, {8, 0.15}};
    assert_in_range(judged_sides(&few_noisy, 30, 100).found, 0, 4);
    assert_in_range(judged_sides(&few_noisy_base, 30, 100).found, 0, 4);
    assert_in_range(judged_sides(&equal_sizes, 30, 100).found, 0, 4);
}

static void what_differs_by_more_than_their_noise_is_found(void **state)
{
    (void)state;
    const struct simulated_sides_options noisy = {
        100, {20, 0.05}, {20, 0.15}, .change = SIDES_HOT, .hot = 2};
    assert_in_range(judged_sides(&noisy, 10, 100).found, 8, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_is_that_of_the_noise_whatever_the_sizes),
        cmocka_unit_test(what_grew_has_the_noise_of_its_size),
        cmocka_unit_test(the_noise_of_counting_says_nothing_about_runs),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(sides_of_one_program_that_differ_in_noise_alone_do_not_differ),
        cmocka_unit_test(what_differs_by_more_than_their_noise_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
