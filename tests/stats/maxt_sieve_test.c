#include "stats/maxt_sieve.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/welch.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/groups.h"

struct tile {
    struct groups groups;
    struct flm_permutations permutations;
    struct flm_sieve sieve;
    unsigned char *row;
    struct flm_sieve_bound *bound;
    double unit;
};

/* The first columns of the groups, which the tile takes. */
static struct tile tile_of(struct groups groups, uint32_t count, double unit)
{
    struct tile tile = {.groups = groups, .unit = unit};
    uint32_t columns[FLM_SIEVE_LANES];
    for (uint32_t c = 0; c < FLM_SIEVE_LANES; c++)
        columns[c] = c;
    assert_true(flm_permutations_init(&tile.permutations, groups.matrix.run_count, groups.is_new,
                                      NULL, 500, 3, NULL));
    assert_true(flm_sieve_init(&tile.sieve, groups.matrix.run_count, groups.new_count));
    tile.row = calloc(tile.permutations.count, flm_sieve_part_count(groups.matrix.run_count));
    tile.bound = calloc(tile.permutations.count, sizeof *tile.bound);
    assert_true(tile.row && tile.bound);
    flm_sieve_parts(&tile.permutations, tile.row);
    flm_sieve_take(&tile.sieve, &groups.matrix, columns, count, unit);
    return tile;
}

static void clear_tile(struct tile *tile)
{
    groups_clear(&tile->groups);
    flm_permutations_clear(&tile->permutations);
    flm_sieve_clear(&tile->sieve);
    free(tile->row);
    free(tile->bound);
}

static double t_of(const struct tile *tile, uint32_t permutation, uint32_t column)
{
    return flm_welch_t(
        flm_matrix_column(&tile->groups.matrix, column), tile->groups.matrix.run_count,
        tile->permutations.bitmaps + permutation * tile->permutations.words_each, tile->unit);
}

/* The lanes of one permutation. */
static uint32_t lanes_of(const struct tile *tile, uint32_t permutation)
{
    uint32_t lanes = 0;
    uint32_t next =
        flm_sieve_next(&tile->sieve, tile->row, tile->bound, permutation, permutation + 1, &lanes);
    return next == permutation ? lanes : 0;
}

static const struct {
    uint32_t base, new;
} shapes[] = {{30, 30}, {2, 2}, {5, 7}, {3, 40}, {40, 3}, {1, 9}, {6, 1}, {50, 90}, {200, 300}};

/* Of all magnitudes, with single outlier runs, and with few different values. */
static void vary(struct groups *groups, uint64_t *random)
{
    for (uint32_t c = 0; c < groups->matrix.column_count; c++) {
        double *value = flm_matrix_column(&groups->matrix, c);
        double magnitude = pow(10, (double)random_below(random, 30) - 15);
        unsigned kind = random_below(random, 5);
        for (uint32_t r = 0; r < groups->matrix.run_count; r++) {
            if (kind == 1)
                value[r] = random_below(random, 3);
            if (kind == 2 && r % 7 == 3)
                value[r] *= 1e6;
            if (kind == 3)
                value[r] = groups->is_new[r] ? value[r] / 1e7 : 1;
            value[r] *= magnitude;
        }
    }
}

static void no_t_above_its_bound_is_sifted_out(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 120; i++) {
        size_t shape = (size_t)i % (sizeof shapes / sizeof *shapes);
        struct groups groups =
            groups_of_noise(shapes[shape].base, shapes[shape].new, FLM_SIEVE_LANES, 9, &random);
        vary(&groups, &random);
        struct tile tile = tile_of(groups, FLM_SIEVE_LANES, i % 3 * 0.02);
        for (uint32_t l = 0; l < tile.permutations.count; l++) {
            /* Just below the t of one of them: it is above, and so may others be. */
            double u = nextafter(fabs(t_of(&tile, l, random_below(&random, 8))), -1);
            tile.bound[l] = flm_sieve_bound_of(&tile.sieve, u);
            uint32_t lanes = lanes_of(&tile, l);
            for (uint32_t c = 0; c < FLM_SIEVE_LANES; c++)
                if (fabs(t_of(&tile, l, c)) > u && !(lanes >> c & 1))
                    fail_msg("set %d, permutation %u: t %g is above %g", i, l, t_of(&tile, l, c),
                             u);
        }
        clear_tile(&tile);
    }
}

static void nearly_all_t_below_their_bounds_are_sifted_out(void **state)
{
    (void)state;
    static const uint32_t counts[][2] = {{30, 30}, {30, 40}, {10, 40},
                                         {40, 8},  {50, 90}, {200, 300}};
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct groups groups =
            groups_of_noise(counts[i][0], counts[i][1], FLM_SIEVE_LANES, 9, &random);
        struct tile tile = tile_of(groups, FLM_SIEVE_LANES, i % 2 * 0.02);
        int passed = 0, above = 0;
        for (uint32_t l = 0; l < tile.permutations.count; l++) {
            tile.bound[l] = flm_sieve_bound_of(&tile.sieve, 3);
            uint32_t lanes = lanes_of(&tile, l);
            for (uint32_t c = 0; c < FLM_SIEVE_LANES; c++) {
                passed += lanes >> c & 1;
                above += fabs(t_of(&tile, l, c)) > 3;
            }
        }
        assert_true(passed <= 3 * above + 20);
        clear_tile(&tile);
    }
}

static void a_column_that_never_varies_is_above_no_bound_from_zero_on(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        struct groups groups =
            groups_of_noise(shapes[shape].base, shapes[shape].new, FLM_SIEVE_LANES, 9, &random);
        for (uint32_t r = 0; r < groups.matrix.run_count; r++)
            flm_matrix_column(&groups.matrix, 2)[r] = 0.1;
        struct tile tile = tile_of(groups, 5, 0);
        const double bounds[] = {0, 1e-20, 1, 1e100, INFINITY};
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            for (uint32_t l = 0; l < tile.permutations.count; l++) {
                tile.bound[l] = flm_sieve_bound_of(&tile.sieve, bounds[b]);
                /* Lane 2 is constant, lanes from 5 on are empty. */
                assert_int_equal(lanes_of(&tile, l) & 0xE4, 0);
            }
        for (uint32_t l = 0; l < tile.permutations.count; l++) {
            tile.bound[l] = flm_sieve_bound_of(&tile.sieve, -0.5);
            assert_int_equal(lanes_of(&tile, l) & 0x1F, 0x1F);
        }
        clear_tile(&tile);
    }
}

static void columns_whose_squares_are_no_doubles_are_above_every_bound(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (int shape = 0; shape < 2; shape++)
        for (int large = 0; large < 2; large++) {
            struct groups groups = groups_of_noise(shape ? 30 : 9, 9, FLM_SIEVE_LANES, 9, &random);
            for (uint32_t r = 0; r < groups.matrix.run_count; r++)
                flm_matrix_column(&groups.matrix, 4)[r] *= large ? 1e200 : 1e-200;
            struct tile tile = tile_of(groups, FLM_SIEVE_LANES, 0.1);
            for (uint32_t l = 0; l < tile.permutations.count; l++) {
                tile.bound[l] = flm_sieve_bound_of(&tile.sieve, 1000);
                assert_true(lanes_of(&tile, l) >> 4 & 1);
            }
            clear_tile(&tile);
        }
}

static void the_next_permutation_is_the_first_with_a_lane(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct tile tile =
        tile_of(groups_of_noise(10, 10, FLM_SIEVE_LANES, 9, &random), FLM_SIEVE_LANES, 0);
    for (uint32_t l = 0; l < tile.permutations.count; l++)
        tile.bound[l] = flm_sieve_bound_of(&tile.sieve, 2.5);
    uint32_t from = 0, found = 0;
    for (uint32_t l = 0; l < tile.permutations.count; l++) {
        if (lanes_of(&tile, l) == 0)
            continue;
        uint32_t lanes;
        assert_int_equal(flm_sieve_next(&tile.sieve, tile.row, tile.bound, from,
                                        tile.permutations.count, &lanes),
                         l);
        assert_int_equal(lanes, lanes_of(&tile, l));
        from = l + 1;
        found++;
    }
    uint32_t lanes;
    assert_true(found > 10);
    assert_int_equal(
        flm_sieve_next(&tile.sieve, tile.row, tile.bound, from, tile.permutations.count, &lanes),
        tile.permutations.count);
    clear_tile(&tile);
}

static void a_sieve_without_memory_is_none(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_sieve sieve;
        allocation_fail_once(nth);
        bool good = flm_sieve_init(&sieve, 20, 10);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(good == !failed);
        flm_sieve_clear(&sieve);
        if (!failed)
            return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_t_above_its_bound_is_sifted_out),
        cmocka_unit_test(nearly_all_t_below_their_bounds_are_sifted_out),
        cmocka_unit_test(a_column_that_never_varies_is_above_no_bound_from_zero_on),
        cmocka_unit_test(columns_whose_squares_are_no_doubles_are_above_every_bound),
        cmocka_unit_test(the_next_permutation_is_the_first_with_a_lane),
        cmocka_unit_test(a_sieve_without_memory_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
