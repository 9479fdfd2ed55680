#include "gate/verdict/tolerance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gate/verdict/gate.h"
#include "stats/distribution.h"
#include "stats/welch.h"
#include "support/core/failures.h"
#include "support/gate/runs.h"

static struct flm_tolerance significant(const struct flm_runs *runs, double tolerance, double alpha)
{
    struct flm_tolerance t;
    struct flm_tolerance_options how = {alpha, tolerance, 0};
    assert_true(flm_tolerance_init(&t, runs, &how, NULL));
    return t;
}

/* One stack, two columns that are one: its upper end is that of a one-sided t interval. */
static void the_upper_end_is_that_of_a_one_sided_interval(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 100 104 98 102 101 99 103 100\n", 4, 4);
    const double value[] = {100, 104, 98, 102, 101, 99, 103, 100};
    const unsigned char is_new[] = {0, 0, 0, 0, 1, 1, 1, 1};
    struct flm_welch w = flm_welch_test(value, 8, is_new, 0);
    double upper = w.new_mean - w.base_mean + flm_t_quantile(0.05, w.nu) * w.error;
    struct flm_tolerance t = significant(&runs, (upper + 1e-9) / w.base_mean, 0.05);
    assert_true(t.is_requested && t.is_significant && t.count == 0 && t.tested_count == 2);
    flm_tolerance_clear(&t);
    t = significant(&runs, (upper - 1e-9) / w.base_mean, 0.05);
    assert_true(!t.is_significant && t.count == 2);
    assert_true(fabs(t.row[0].upper - upper) < 1e-12 && t.row[0].node == 0);
    assert_true(fabs(t.most - (upper - 1e-9)) < 1e-12);
    flm_tolerance_clear(&t);
    flm_runs_clear(&runs);
}

/* Of these nothing is known to have grown, and nothing not to. */
static void rare_frames_count_from_one_in_a_hundred_on(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 1000 1000 1000 1000 1000 1000\nb 5 9 1 3 9 8\n"
                                   "c 0 0 0 40 0 0\n",
                                   3, 3);
    struct flm_tolerance t = significant(&runs, 0.01, 0.05);
    assert_true(!t.is_significant && t.tested_count == 3); /* total, a, c */
    assert_int_equal(t.count, 2);                          /* a did not grow */
    assert_true(t.row[0].upper > 10 && t.row[0].runs_needed == INFINITY);
    flm_tolerance_clear(&t);
    flm_runs_clear(&runs);
}

static void what_never_varies_needs_no_error(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 1000 1000 1005 1005\n", 2, 2);
    struct flm_tolerance t = significant(&runs, 0.006, 0.01);
    assert_true(t.is_significant);
    flm_tolerance_clear(&t);
    t = significant(&runs, 0.004, 0.01);
    assert_true(t.count == 2 && t.row[0].upper == 5 && t.row[0].runs_needed == INFINITY);
    flm_tolerance_clear(&t);
    flm_runs_clear(&runs);
}

static double significant_share(uint32_t runs_each, double *needed)
{
    enum { SEEDS = 40 };
    const struct run_stack stack = {"a", 10000, 10000, 0.03};
    double count = 0;
    *needed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct table_of_runs table = runs_table_drawn(&stack, 1, runs_each, runs_each, 0, seed);
        struct flm_runs runs = runs_of_table(&table);
        struct flm_tolerance t = significant(&runs, 0.02, 0.01);
        count += t.is_significant;
        *needed = t.count > 0 && t.row[0].runs_needed < INFINITY
                      ? fmax(*needed, t.row[0].runs_needed)
                      : *needed;
        flm_tolerance_clear(&t);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
    return count / SEEDS;
}

/* The standard deviation is 0.03 / sqrt(3): 2 (2.43 + 0.84)^2 (0.0173 / 0.02)^2 = 16 runs. */
static void with_the_runs_that_are_needed_it_is_significant_in_most_gates(void **state)
{
    (void)state;
    double needed;
    double few = significant_share(8, &needed);
    assert_true(needed > 8);
    assert_true(few < 0.6);
    double enough = significant_share(17, &needed);
    assert_true(enough > 0.65 && enough < 0.97);
}

/* ---- As part of a gate ----------------------------------------------------------------------- */

static enum flm_verdict verdict_of(double growth, double tolerance, uint32_t runs_each)
{
    const struct run_stack stacks[] = {{"main;a", 5000, 5000 * (1 + growth), 0.02},
                                       {"main;b;c", 2000, 2000, 0.02},
                                       {"main;b;d", 900, 900, 0.02},
                                       {"main;e", 30, 30, 0.5}};
    struct table_of_runs table = runs_table_drawn(stacks, 4, runs_each, runs_each, 0.005, 11);
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_gate gate;
    how.permutations = 999;
    how.tolerance = tolerance;
    how.threads = 1;
    assert_true(flm_gate_init(&gate, &runs, &how, NULL));
    assert_true(gate.tolerance.is_requested);
    enum flm_verdict verdict = gate.verdict;
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
    return verdict;
}

static void a_gate_passes_only_what_is_significant(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(0, 0.03, 12), FLM_VERDICT_PASS);
    assert_int_equal(verdict_of(0, 0.003, 12), FLM_VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(0, 0.03, 3), FLM_VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(0.2, 0.03, 12), FLM_VERDICT_FAIL);
    /* It grew, and by less than that. */
    assert_int_equal(verdict_of(0.05, 0.06, 12), FLM_VERDICT_PASS);
    assert_int_equal(verdict_of(0.05, 0.035, 12), FLM_VERDICT_INCONCLUSIVE);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_tolerance t;
    struct flm_tolerance_options how = {0.01, 0.01, 1};
    bool good = flm_tolerance_init(&t, context, &how, why);
    if (good)
        flm_tolerance_clear(&t);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 5 4 2 3\na;b 3 5 1 1 1\nc 1 1 2 2 2\n", 2, 3);
    assert_true(assert_survives_failures(make, &runs) > 5);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_upper_end_is_that_of_a_one_sided_interval),
        cmocka_unit_test(rare_frames_count_from_one_in_a_hundred_on),
        cmocka_unit_test(what_never_varies_needs_no_error),
        cmocka_unit_test(with_the_runs_that_are_needed_it_is_significant_in_most_gates),
        cmocka_unit_test(a_gate_passes_only_what_is_significant),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
