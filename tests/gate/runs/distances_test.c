#include "gate/runs/distances.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"

static double *measured(const struct flm_runs *runs, bool of_shares, int threads)
{
    double *distance = malloc((size_t)runs->run_count * runs->run_count * sizeof *distance);
    assert_non_null(distance);
    assert_true(flm_runs_distances(runs, of_shares, threads, distance, NULL));
    return distance;
}

static void a_distance_is_what_stacks_have_more_or_less(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;a 10 12 0\nmain;b 0 3 0\nmain;c 5 5 0\n", 2, 1);
    static const double expected[] = {0, 5, 15, 5, 0, 20, 15, 20, 0};
    static const double of_shares[] = {0, 0.3, 2, 0.3, 0, 2, 2, 2, 0};
    double *distance = measured(&runs, false, 1), *shares = measured(&runs, true, 1);
    for (int i = 0; i < 9; i++) {
        assert_true(distance[i] == expected[i]);
        assert_true(fabs(shares[i] - of_shares[i]) < 1e-15);
    }
    free(distance);
    free(shares);
    flm_runs_clear(&runs);
}

/* Beside the plainest loop, with more stacks than a tile and more runs than a block, some runs with
 * stacks in a part of the tree only. */
static void distances_are_those_of_all_stacks(void **state)
{
    (void)state;
    uint64_t random = 71;
    for (int round = 0; round < 4; round++) {
        struct table_of_runs table =
            runs_by_chance(&random, 20 + 30 * (uint32_t)(round % 2), 20, round < 2 ? 60 : 1500);
        struct flm_runs runs = runs_of_table(&table);
        uint32_t count = runs.run_count, nodes = runs.tree->sizes.node_count;
        double *self = malloc(2 * nodes * sizeof *self);
        double *one = measured(&runs, false, 1), *two = measured(&runs, false, 3);
        double *shares = measured(&runs, true, 2);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count; k++) {
                double sum = 0, of_shares = 0;
                flm_runs_self(&runs, i, self);
                flm_runs_self(&runs, k, self + nodes);
                for (uint32_t n = 0; n < nodes; n++) {
                    sum += fabs(self[n] - self[nodes + n]);
                    of_shares +=
                        fabs(self[n] / runs.run[i].total - self[nodes + n] / runs.run[k].total);
                }
                assert_true(one[i * count + k] == sum && two[i * count + k] == sum);
                assert_true(fabs(shares[i * count + k] - of_shares) < 1e-12);
            }
        free(self);
        free(one);
        free(two);
        free(shares);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

static void the_same_shape_is_at_no_distance_whatever_its_size(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 7 21 0\na;b 4 12 0\na;c 3 9 0\n", 2, 1);
    double *shares = measured(&runs, true, 1);
    assert_true(shares[1] == 0 && shares[2] == 2);
    assert_true(flm_similarity_of(shares[1], 1, 1) == 1);
    assert_true(flm_similarity_of(shares[2], 1, 1) == 0);
    free(shares);
    flm_runs_clear(&runs);
}

static void similarities_follow_from_distances(void **state)
{
    (void)state;
    assert_true(flm_similarity_of(0, 5, 5) == 1);
    assert_true(flm_similarity_of(10, 5, 5) == 0);
    assert_true(flm_similarity_of(5, 5, 10) == 10.0 / 15);
    assert_true(flm_similarity_of(0, 0, 0) == 1);
    assert_true(flm_similarity_of(5, 0, 5) == 0);
}

static bool make(void *context, struct flm_error *why)
{
    double distance[4];
    return flm_runs_distances(context, false, 1, distance, why);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 5\na;b 1 7\n", 1, 1);
    assert_true(assert_survives_failures(make, &runs) > 3);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_is_what_stacks_have_more_or_less),
        cmocka_unit_test(distances_are_those_of_all_stacks),
        cmocka_unit_test(the_same_shape_is_at_no_distance_whatever_its_size),
        cmocka_unit_test(similarities_follow_from_distances),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
