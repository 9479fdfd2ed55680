/* What the gate is measured with is what it says it is. */
#include "support/gate/simulated_runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/columns.h"

static double sum_below(const struct simulated_program *p, uint32_t above)
{
    double sum = 0;
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        sum += simulated_is_below(p, i, above) ? p->mean[i] : 0;
    return sum;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void a_program_has_the_shares_that_it_is_described_by(void **state)
{
    (void)state;
    uint32_t rare = 0, programs = 50;
    for (uint64_t seed = 1; seed <= programs; seed++) {
        struct simulated_program p = simulated_program(seed);
        uint32_t stacks = 0, diffuse = 0;
        for (uint32_t i = 0; i < SIMULATED_NODES; i++) {
            assert_true(i == 0 ? p.parent[0] == FLM_NONE : p.parent[i] < i);
            stacks += p.mean[i] > 0;
            diffuse += p.mean[i] > 0 && simulated_is_below(&p, i, p.frame);
            rare += p.mean[i] > 0 && p.mean[i] < 5;
            assert_true(p.mean[i] <= p.mean[p.largest]);
        }
        assert_int_equal(stacks, SIMULATED_STACKS);
        assert_in_range(diffuse, 37, 43);
        assert_true(near(sum_below(&p, 0), 10000));
        assert_true(near(p.mean[p.largest], 3200) && near(p.mean[p.hot], 500));
        assert_true(near(p.mean[p.warm], 300) && near(p.mean[p.small], 100));
        assert_true(near(sum_below(&p, p.frame), 1070));
        assert_true(p.mean[p.appeared] == 0);
        for (int i = 0; i < SIMULATED_LATENT; i++)
            assert_true(p.latent[i] > 0);
    }
    assert_in_range(rare / programs, 111, 131); /* of 300: 121 */
}

static void changes_are_where_they_are_said_to_be(void **state)
{
    (void)state;
    static const double by[] = {
        [SIMULATED_NONE] = 0,    [SIMULATED_HOT] = 50,   [SIMULATED_SMALL] = 30,
        [SIMULATED_APPEAR] = 30, [SIMULATED_SHIFT] = 0,  [SIMULATED_DIFFUSE] = 64.2,
        [SIMULATED_ALL] = 200,   [SIMULATED_GONE] = -40, [SIMULATED_MIXED] = 154.2};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct simulated_program base = simulated_program(seed);
        for (int c = 0; c <= SIMULATED_MIXED; c++) {
            enum simulated_change change = (enum simulated_change)c;
            struct simulated_program new = simulated_changed(&base, change);
            uint32_t place[SIMULATED_MOST_PLACES];
            uint32_t count = simulated_places(&base, change, place);
            assert_true(fabs(sum_below(&new, 0) - 10000 - by[c]) < 1e-6);
            for (uint32_t i = 0; i < SIMULATED_NODES && change != SIMULATED_ALL; i++) {
                bool is_place = false;
                for (uint32_t k = 0; k < count; k++)
                    is_place |= place[k] == base.frame ? simulated_is_below(&base, i, base.frame)
                                                       : place[k] == i;
                bool is_there = base.mean[i] > 0 || i == base.appeared;
                assert_int_equal(new.mean[i] != base.mean[i], is_place && is_there);
            }
        }
    }
}

/* Mean and standard deviation, as shares of the mean, of the totals of many runs of one program. */
static void totals_of(const struct simulated_program *p, enum simulated_noise noise, double drift,
                      double *mean, double *cv)
{
    struct simulated_machine machine = {noise, SIMULATED_BASE_FIRST, drift};
    struct simulated_runs *s = simulated_runs_new(p, p, 100, 100, &machine, 5);
    struct flm_runs runs;
    assert_non_null(s);
    assert_true(flm_runs_init(&runs, simulated_inputs(s), 200, NULL, NULL));
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < 200; i++)
        sum += runs.run[i].total;
    for (uint32_t i = 0; i < 200; i++)
        squares += pow(runs.run[i].total - sum / 200, 2);
    *mean = sum / 200;
    *cv = sqrt(squares / 199) / *mean;
    flm_runs_clear(&runs);
    simulated_runs_free(s);
}

static void noise_is_as_large_as_it_is_said_to_be(void **state)
{
    (void)state;
    struct simulated_program p = simulated_program(3);
    double mean, cv, uneven = 0.02 * 0.02 + 1e-4;
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        uneven += pow(0.055 * p.mean[i] / 10000, 2);
    for (int i = 0; i < SIMULATED_LATENT; i++)
        uneven += pow(0.05 * sum_below(&p, p.latent[i]) / 10000, 2);
    totals_of(&p, SIMULATED_COUNTING, 0, &mean, &cv);
    assert_true(fabs(mean / 10000 - 1) < 5 * 0.01 / sqrt(200));
    assert_true(fabs(cv / 0.01 - 1) < 5 / sqrt(400));
    totals_of(&p, SIMULATED_UNEVEN, 0, &mean, &cv);
    assert_true(fabs(mean / 10000 - 1) < 5 * cv / sqrt(200));
    /* Subtrees that are one in the other have more: an upper bound would be needed. */
    assert_true(cv > 0.75 * sqrt(uneven) && cv < 1.5 * sqrt(uneven));
    double calm = cv;
    totals_of(&p, SIMULATED_OUTLIERS, 0, &mean, &cv);
    assert_true(cv > calm);
    totals_of(&p, SIMULATED_COUNTING, 0.2, &mean, &cv);
    assert_true(mean > 10900 && cv > 0.05);
}

static void runs_are_in_the_order_that_was_asked_for(void **state)
{
    (void)state;
    static const struct {
        enum simulated_order order;
        const char *is_new;
        uint32_t last_block;
    } expected[] = {{SIMULATED_BASE_FIRST, "00001111", 0},
                    {SIMULATED_ABBA, "01100110", 1},
                    {SIMULATED_ABBA_LOOSE, "01100110", 0}};
    struct simulated_program p = simulated_program(1);
    for (int k = 0; k < 3; k++) {
        struct simulated_machine machine = {SIMULATED_UNEVEN, expected[k].order, 0};
        struct simulated_runs *s = simulated_runs_new(&p, &p, 4, 4, &machine, 1);
        assert_non_null(s);
        for (int i = 0; i < 8; i++)
            assert_int_equal(simulated_inputs(s)[i].is_new, expected[k].is_new[i] == '1');
        assert_int_equal(simulated_inputs(s)[7].block, expected[k].last_block);
        simulated_runs_free(s);
    }
}

static void nodes_are_known_again_and_seeds_decide_everything(void **state)
{
    (void)state;
    struct simulated_machine machine = {SIMULATED_OUTLIERS, SIMULATED_BASE_FIRST, 0};
    struct simulated_program p = simulated_program(1);
    struct flm_runs runs[3];
    struct simulated_runs *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = simulated_runs_new(&p, &p, 3, 3, &machine, i == 2 ? 8 : 7);
        assert_true(flm_runs_init(&runs[i], simulated_inputs(s[i]), 6, NULL, NULL));
    }
    assert_int_equal(simulated_node(runs[0].tree, 0), FLM_NONE);
    const double *self = flm_self_column(runs[0].tree, runs[0].metric.index);
    bool seen[SIMULATED_NODES] = {false};
    for (uint32_t i = 1; i < runs[0].tree->sizes.node_count; i++) {
        uint32_t node = simulated_node(runs[0].tree, i);
        assert_true(node < SIMULATED_NODES && !seen[node]);
        seen[node] = true;
        assert_true(self[i] == 0 || fabs(self[i] / 6 - p.mean[node]) < 5 + 0.5 * p.mean[node]);
    }
    bool same = true;
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(runs[0].run[i].total == runs[1].run[i].total);
        same &= runs[0].run[i].total == runs[2].run[i].total;
    }
    assert_false(same);
    for (int i = 0; i < 3; i++) {
        flm_runs_clear(&runs[i]);
        simulated_runs_free(s[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_the_shares_that_it_is_described_by),
        cmocka_unit_test(changes_are_where_they_are_said_to_be),
        cmocka_unit_test(noise_is_as_large_as_it_is_said_to_be),
        cmocka_unit_test(runs_are_in_the_order_that_was_asked_for),
        cmocka_unit_test(nodes_are_known_again_and_seeds_decide_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
