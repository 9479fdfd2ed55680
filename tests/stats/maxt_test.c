#include "stats/maxt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/welch.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/groups.h"

static struct flm_maxt test_groups(const struct groups *groups, uint32_t count, uint64_t seed,
                                   struct flm_maxt_options options)
{
    struct flm_permutations permutations;
    struct flm_maxt maxt;
    assert_true(flm_permutations_init(&permutations, groups->matrix.run_count, groups->is_new, NULL,
                                      count, seed, NULL));
    assert_true(
        flm_maxt_init(&maxt, &groups->matrix, groups->is_new, &permutations, &options, NULL));
    flm_permutations_clear(&permutations);
    return maxt;
}

static struct flm_maxt_options options_of(const struct json_tree *golden)
{
    bool has_floor = strcmp(json_tree_get(golden, "poisson_floor")->text, "true") == 0;
    const struct json_tree *unit = json_tree_find(golden, "unit");
    return (struct flm_maxt_options){
        .unit = !has_floor ? 0
                : unit     ? unit->number
                           : 1,
        .side = json_tree_get(golden, "side")->number == 0 ? FLM_SIDE_BOTH : FLM_SIDE_GROWTH,
        .threads = 1,
    };
}

static void all_permutations_give_the_exact_p_of_the_golden_data(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/06_maxT.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++) {
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        const struct json_tree *p = json_tree_get(expect, "p_step_down");
        struct groups groups = groups_of_golden(&cases->items[i]);
        struct flm_maxt maxt = test_groups(&groups, 1000, 1, options_of(&cases->items[i]));
        assert_true(maxt.is_complete);
        assert_int_equal(maxt.permutation_count, json_tree_get(expect, "permutations")->number);
        for (uint32_t c = 0; c < maxt.column_count; c++) {
            assert_near(maxt.t[c], &json_tree_get(expect, "t")->items[c], 1e-9);
            assert_near(maxt.p[c], &p->items[c], 1e-15);
        }
        flm_maxt_clear(&maxt);
        groups_clear(&groups);
    }
    json_tree_free(golden);
}

static void drawn_permutations_give_the_counts_of_the_golden_data(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/08_maxT_seeded.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++) {
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        struct groups groups = groups_of_golden(&cases->items[i]);
        struct flm_maxt maxt =
            test_groups(&groups, (uint32_t)json_tree_get(&cases->items[i], "B")->number,
                        (uint64_t)json_tree_get(&cases->items[i], "seed")->number,
                        options_of(&cases->items[i]));
        assert_false(maxt.is_complete);
        for (uint32_t c = 0; c < maxt.column_count; c++) {
            assert_int_equal(maxt.counts[c], json_tree_get(expect, "counts")->items[c].number);
            assert_near(maxt.t[c], &json_tree_get(expect, "t")->items[c], 1e-9);
            assert_near(maxt.p[c], &json_tree_get(expect, "p_adj")->items[c], 1e-9);
        }
        flm_maxt_clear(&maxt);
        groups_clear(&groups);
    }
    json_tree_free(golden);
}

/* Step-down max-T as its definition says, column by column. */
struct model {
    double *t, *p, *largest;
    uint32_t *counts;
};

static double statistic(double t, enum flm_side side)
{
    return side == FLM_SIDE_BOTH ? fabs(t) : t;
}

static int ascending(const void *a, const void *b)
{
    double of_a = *(const double *)a, of_b = *(const double *)b;
    return (of_a > of_b) - (of_a < of_b);
}

static struct model model_of(const struct groups *groups,
                             const struct flm_permutations *permutations,
                             struct flm_maxt_options options)
{
    uint32_t columns = groups->matrix.column_count, runs = groups->matrix.run_count;
    struct model m = {calloc(columns + 1, sizeof *m.t), calloc(columns + 1, sizeof *m.p),
                      calloc(permutations->count + 1, sizeof *m.largest),
                      calloc(columns + 1, sizeof *m.counts)};
    assert_true(m.t && m.p && m.largest && m.counts);
    for (uint32_t c = 0; c < columns; c++)
        m.t[c] = flm_welch_test(flm_matrix_column(&groups->matrix, c), runs, groups->is_new,
                                options.unit)
                     .t;
    double *permuted = calloc(columns + 1, sizeof *permuted);
    assert_non_null(permuted);
    for (uint32_t l = 0; l < permutations->count; l++) {
        for (uint32_t c = 0; c < columns; c++)
            permuted[c] = statistic(
                flm_welch_t(flm_matrix_column(&groups->matrix, c), runs,
                            permutations->bitmaps + l * permutations->words_each, options.unit),
                options.side);
        m.largest[l] = -INFINITY;
        for (uint32_t c = 0; c < columns; c++) {
            double observed = statistic(m.t[c], options.side), largest = -INFINITY;
            for (uint32_t other = 0; other < columns; other++) {
                double of_other = statistic(m.t[other], options.side);
                if (of_other < observed || (of_other == observed && other >= c))
                    largest = fmax(largest, permuted[other]);
            }
            m.counts[c] += largest >= observed - fabs(observed) * 1e-9 - 1e-12;
            m.largest[l] = fmax(m.largest[l], largest);
        }
    }
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t other = 0; other < columns; other++)
            if (statistic(m.t[other], options.side) > statistic(m.t[c], options.side) ||
                (statistic(m.t[other], options.side) == statistic(m.t[c], options.side) &&
                 other <= c))
                m.p[c] = fmax(m.p[c], flm_permutations_p(permutations, m.counts[other]));
    qsort(m.largest, permutations->count, sizeof *m.largest, ascending);
    free(permuted);
    return m;
}

/* Values that ties, deterministic changes, single outlier runs and large offsets come from. */
static void make_difficult(struct groups *groups, uint64_t *random)
{
    struct flm_matrix *m = &groups->matrix;
    for (uint32_t c = 0; c < m->column_count; c++) {
        double *value = flm_matrix_column(m, c);
        unsigned kind = random_below(random, 8);
        for (uint32_t r = 0; r < m->run_count; r++) {
            if (kind == 0) /* few different values */
                value[r] = random_below(random, 3);
            else if (kind == 1) /* the same in all runs of a group */
                value[r] = groups->is_new[r] ? 0.7 : 0.1;
            else if (kind == 2)
                value[r] = 0.1;
            else if (kind == 3) /* in one run alone */
                value[r] = r == c % m->run_count ? 1e9 : 0;
            else if (kind == 4) /* nearly deterministic */
                value[r] = (groups->is_new[r] ? 2e9 : 1e9) + random_below(random, 3);
            else if (kind == 5) /* small beside its mean */
                value[r] = 1e12 + floor(value[r] * 4);
            else if (kind == 6) /* grown */
                value[r] += groups->is_new[r] ? 1 : 0;
        }
    }
}

static void assert_is_model(const struct groups *groups, const uint32_t *block, uint32_t count,
                            struct flm_maxt_options options)
{
    struct flm_permutations permutations;
    assert_true(flm_permutations_init(&permutations, groups->matrix.run_count, groups->is_new,
                                      block, count, 9, NULL));
    struct model model = model_of(groups, &permutations, options);
    uint32_t columns = groups->matrix.column_count;
    for (options.threads = 1; options.threads <= 5; options.threads += 2) {
        struct flm_maxt maxt;
        assert_true(
            flm_maxt_init(&maxt, &groups->matrix, groups->is_new, &permutations, &options, NULL));
        assert_memory_equal(maxt.t, model.t, columns * sizeof *maxt.t);
        for (uint32_t c = 0; c < columns; c++)
            assert_int_equal(maxt.counts[c], model.counts[c]);
        assert_memory_equal(maxt.p, model.p, columns * sizeof *maxt.p);
        assert_int_equal(maxt.permutation_count, permutations.count);
        assert_memory_equal(maxt.largest, model.largest, permutations.count * sizeof *maxt.largest);
        flm_maxt_clear(&maxt);
    }
    free(model.t);
    free(model.p);
    free(model.largest);
    free(model.counts);
    flm_permutations_clear(&permutations);
}

static void difficult_columns_are_counted_as_defined_with_any_number_of_threads(void **state)
{
    (void)state;
    static const struct {
        uint32_t base, new, columns;
    } shapes[] = {{3, 3, 9},   {4, 4, 40},  {2, 5, 17},   {10, 10, 70}, {30, 30, 33},
                  {5, 60, 20}, {40, 4, 16}, {70, 70, 15}, {33, 31, 1},  {6, 2, 64}};
    uint64_t random = 23;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int floor = 0; floor < 2; floor++)
            for (int side = 0; side < 2; side++) {
                struct groups groups =
                    groups_of_noise(shapes[i].base, shapes[i].new, shapes[i].columns, 4, &random);
                make_difficult(&groups, &random);
                struct flm_maxt_options options = {
                    .unit = floor ? 0.2 : 0,
                    .side = side ? FLM_SIDE_GROWTH : FLM_SIDE_BOTH,
                };
                assert_is_model(&groups, NULL, 211, options);
                groups_clear(&groups);
            }
}

static void blocks_are_permuted_inside_of_themselves(void **state)
{
    (void)state;
    uint64_t random = 29;
    struct groups groups = groups_of_noise(8, 8, 30, 4, &random);
    uint32_t block[16];
    for (uint32_t r = 0; r < 16; r++)
        block[r] = r % 8 / 2;
    make_difficult(&groups, &random);
    assert_is_model(&groups, block, 300, (struct flm_maxt_options){.unit = 0.1});
    /* A drift that is the same for both kinds of runs: four blocks, each on its own level. Between
     * blocks, chance would make larger differences than the one of 1 that there is. */
    for (uint32_t r = 0; r < 16; r++)
        groups.matrix.value[r] = 100 * block[r] + (groups.is_new[r] ? 1 : 0) + 0.01 * (r % 2);
    groups.matrix.column_count = 1;
    struct flm_permutations permutations;
    struct flm_maxt maxt;
    struct flm_maxt_options options = {.threads = 1};
    assert_true(flm_permutations_init(&permutations, 16, groups.is_new, block, 2000, 1, NULL));
    assert_true(flm_maxt_init(&maxt, &groups.matrix, groups.is_new, &permutations, &options, NULL));
    assert_int_equal(permutations.count, 1296);
    assert_int_equal(maxt.counts[0], 2); /* the given permutation and its reverse */
    flm_maxt_clear(&maxt);
    flm_permutations_clear(&permutations);
    groups_clear(&groups);
}

static void a_deterministic_change_is_as_sure_as_permutations_allow(void **state)
{
    (void)state;
    uint64_t random = 31;
    struct groups groups = groups_of_noise(10, 10, 200, 4, &random);
    for (uint32_t r = 0; r < 20; r++)
        flm_matrix_column(&groups.matrix, 77)[r] = groups.is_new[r] ? 7 : 5;
    struct flm_maxt maxt = test_groups(&groups, 999, 1, (struct flm_maxt_options){.threads = 1});
    assert_true(maxt.t[77] == INFINITY);
    assert_true(maxt.p[77] == 0.001);
    for (uint32_t c = 0; c < 200; c++)
        assert_true(c == 77 || maxt.p[c] > 0.001);
    flm_maxt_clear(&maxt);
    groups_clear(&groups);
}

static void the_critical_statistic_parts_significant_columns_from_others(void **state)
{
    (void)state;
    uint64_t random = 37;
    const double alphas[] = {0.5, 0.2, 0.05, 0.01, 0.001};
    for (int i = 0; i < 20; i++) {
        struct groups groups = groups_of_noise(i % 2 ? 6 : 9, 6, 5, 4, &random);
        for (uint32_t r = 0; r < groups.matrix.run_count; r++)
            flm_matrix_column(&groups.matrix, 3)[r] += groups.is_new[r] ? 0.3 * i : 0;
        struct flm_maxt maxt =
            test_groups(&groups, 999, 1, (struct flm_maxt_options){.threads = 1});
        assert_int_equal(maxt.is_complete, i % 2);
        for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
            double critical = flm_maxt_critical(&maxt, alphas[a]);
            for (uint32_t c = 0; c < maxt.column_count; c++)
                if (fabs(maxt.t[c]) > critical * (1 + 2e-9))
                    assert_true(maxt.p[c] <= alphas[a]);
            double largest = 0, smallest_p = 1;
            for (uint32_t c = 0; c < maxt.column_count; c++) {
                largest = fmax(largest, fabs(maxt.t[c]));
                smallest_p = fmin(smallest_p, maxt.p[c]);
            }
            /* The first one is compared with the largest of all columns. */
            if (largest < critical * (1 - 2e-9))
                assert_true(smallest_p > alphas[a]);
        }
        flm_maxt_clear(&maxt);
        groups_clear(&groups);
    }
}

static void too_few_permutations_have_no_critical_statistic(void **state)
{
    (void)state;
    uint64_t random = 41;
    struct groups groups = groups_of_noise(3, 3, 2, 4, &random);
    struct flm_maxt maxt = test_groups(&groups, 999, 1, (struct flm_maxt_options){.threads = 1});
    assert_int_equal(maxt.permutation_count, 20);
    assert_true(isinf(flm_maxt_critical(&maxt, 0.01)));
    assert_true(isfinite(flm_maxt_critical(&maxt, 0.1)));
    flm_maxt_clear(&maxt);
    maxt = test_groups(&groups, 9, 1, (struct flm_maxt_options){.threads = 1});
    assert_true(isinf(flm_maxt_critical(&maxt, 0.09)));
    assert_true(flm_maxt_critical(&maxt, 0.1) == maxt.largest[8]);
    flm_maxt_clear(&maxt);
    groups_clear(&groups);
}

static void all_permutations_are_the_limit_of_drawn_ones(void **state)
{
    (void)state;
    uint64_t random = 43;
    struct groups groups = groups_of_noise(8, 8, 6, 4, &random);
    for (uint32_t r = 0; r < 16; r++)
        flm_matrix_column(&groups.matrix, 2)[r] += groups.is_new[r] ? 1.2 : 0;
    struct flm_maxt all = test_groups(&groups, 12870, 1, (struct flm_maxt_options){.threads = 2});
    assert_true(all.is_complete);
    for (uint64_t seed = 1; seed < 4; seed++) {
        struct flm_maxt drawn =
            test_groups(&groups, 4000, seed, (struct flm_maxt_options){.threads = 2});
        assert_false(drawn.is_complete);
        for (uint32_t c = 0; c < 6; c++) {
            double deviation = sqrt(all.p[c] * (1 - all.p[c]) / 4000);
            assert_true(fabs(all.p[c] - drawn.p[c]) <= 5 * deviation + 1.0 / 4000);
        }
        flm_maxt_clear(&drawn);
    }
    flm_maxt_clear(&all);
    groups_clear(&groups);
}

static void noise_is_taken_for_a_change_as_often_as_alpha_says(void **state)
{
    (void)state;
    enum { SETS = 400 };
    uint64_t random = 47;
    int found[2] = {0};
    for (int i = 0; i < SETS; i++) {
        struct groups groups = groups_of_noise(8, 8, 20, 4, &random);
        struct flm_maxt_options options = {.threads = 1};
        options.side = i % 2 ? FLM_SIDE_GROWTH : FLM_SIDE_BOTH;
        struct flm_maxt maxt = test_groups(&groups, 99, (uint64_t)i, options);
        bool is_found = false;
        for (uint32_t c = 0; c < 20; c++)
            is_found |= maxt.p[c] <= 0.2;
        found[i % 2] += is_found;
        flm_maxt_clear(&maxt);
        groups_clear(&groups);
    }
    for (int side = 0; side < 2; side++) /* four standard deviations around 0.2 * 200 */
        assert_in_range(found[side], 40 - 23, 40 + 23);
}

static void without_columns_there_is_nothing_to_say(void **state)
{
    (void)state;
    uint64_t random = 53;
    struct groups groups = groups_of_noise(3, 3, 0, 4, &random);
    struct flm_maxt maxt = test_groups(&groups, 99, 1, (struct flm_maxt_options){.threads = 2});
    assert_int_equal(maxt.column_count, 0);
    flm_maxt_clear(&maxt);
    groups_clear(&groups);
}

struct failing {
    struct groups groups;
    struct flm_permutations permutations;
};

static bool test_once(void *context, struct flm_error *why)
{
    struct failing *f = context;
    struct flm_maxt maxt;
    struct flm_maxt_options options = {.threads = 2};
    if (!flm_maxt_init(&maxt, &f->groups.matrix, f->groups.is_new, &f->permutations, &options,
                       why)) {
        assert_null(maxt.t);
        return false;
    }
    flm_maxt_clear(&maxt);
    return true;
}

static void testing_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint64_t random = 59;
    struct failing f = {.groups = groups_of_noise(5, 5, 30, 4, &random)};
    assert_true(flm_permutations_init(&f.permutations, 10, f.groups.is_new, NULL, 99, 1, NULL));
    assert_true(assert_survives_failures(test_once, &f) >= 5);
    flm_permutations_clear(&f.permutations);
    groups_clear(&f.groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_permutations_give_the_exact_p_of_the_golden_data),
        cmocka_unit_test(drawn_permutations_give_the_counts_of_the_golden_data),
        cmocka_unit_test(difficult_columns_are_counted_as_defined_with_any_number_of_threads),
        cmocka_unit_test(blocks_are_permuted_inside_of_themselves),
        cmocka_unit_test(a_deterministic_change_is_as_sure_as_permutations_allow),
        cmocka_unit_test(the_critical_statistic_parts_significant_columns_from_others),
        cmocka_unit_test(too_few_permutations_have_no_critical_statistic),
        cmocka_unit_test(all_permutations_are_the_limit_of_drawn_ones),
        cmocka_unit_test(noise_is_taken_for_a_change_as_often_as_alpha_says),
        cmocka_unit_test(without_columns_there_is_nothing_to_say),
        cmocka_unit_test(testing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
