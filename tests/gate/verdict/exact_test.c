#include "gate/verdict/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gate/verdict/gate.h"
#include "support/core/failures.h"
#include "support/gate/runs.h"

static struct flm_gate_options exactly(void)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.exact = true;
    how.threads = 1;
    return how;
}

static struct flm_gate judged(const struct flm_runs *runs, struct flm_gate_options how)
{
    struct flm_gate gate;
    struct flm_error why = {0};
    if (!flm_gate_init(&gate, runs, &how, &why))
        fail_msg("%s", why.text);
    return gate;
}

static void one_run_of_each_is_enough_and_every_change_is_real(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;a 100000 100000\nmain;b 2000 1999\nmain;c 0 300\n", 1, 1);
    struct flm_gate gate = judged(&runs, exactly());
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(gate.found.count, 2);
    assert_true(gate.found.item[0].change == 300 && gate.found.item[0].is_failing);
    assert_true(gate.found.item[1].change == -1 && !gate.found.item[1].is_failing);
    assert_true(gate.failing_count == 1 && gate.total.is_significant && gate.total.p == 0);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

static void what_is_less_than_the_least_effect_is_told_and_passes(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 100000 100001\nb 5 5\n", 1, 1);
    struct flm_gate_options how = exactly();
    struct flm_gate gate = judged(&runs, how);
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(gate.found.count, 1);
    flm_gate_clear(&gate);
    how.min_effect = 0;
    gate = judged(&runs, how);
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

/* 0.1 + 0.1 + 0.1 is not 3 * 0.1: means of runs that agree are no other number. */
static void runs_that_agree_are_as_one(void **state)
{
    (void)state;
    struct table_of_runs table =
        runs_table_parse("a 0.1 0.1 0.1 0.1 0.1\nb 7 7 7 7 7\n", 3, 2, "cost", "");
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate gate = judged(&runs, exactly());
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(gate.found.count, 0);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

static void runs_that_do_not_agree_are_refused_with_how_much(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(
        "main;a 5 5 5 5\nmain;b 90 90 90 80\nmain;c 0 0 0 4\n", 2, 2, "samples", "samples");
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate gate;
    struct flm_error why = {0};
    struct flm_gate_options how = exactly();
    assert_false(flm_gate_init(&gate, &runs, &how, &why));
    assert_string_equal(
        why.text, "new 2 and new 1 are of one side and differ, most in main;b (80 samples and "
                  "90 samples; 14.7 % of all in 2 stacks): this metric is not deterministic, "
                  "so judge it without --exact");
    flm_runs_clear(&runs);
    runs_table_clear(&table);
    runs = runs_of("a 5 5\n", 2, 0);
    assert_false(flm_runs_agree(&runs, &why));
    assert_string_equal(why.text, "2 base and 0 new: one run of each is needed");
    flm_runs_clear(&runs);
}

static void what_moved_below_a_frame_that_stayed_passes(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;f;a 100 40\nmain;f;b 10 70\nmain;x 500 500\n", 1, 1);
    struct flm_gate gate = judged(&runs, exactly());
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    assert_true(gate.found.count == 2 && gate.moves.count == 1 && gate.moves.move[0].is_free);
    assert_true(gate.moves.move[0].below == runs_node(runs.tree, "main;f"));
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_gate gate;
    struct flm_gate_options how = exactly();
    bool good = flm_gate_init(&gate, context, &how, why);
    if (good)
        flm_gate_clear(&gate);
    return good;
}

static bool refuse(void *context, struct flm_error *why)
{
    struct flm_error reason = {0};
    if (flm_runs_agree(context, &reason))
        return true;
    if (reason.kind == FLM_ERROR_MEMORY)
        *why = reason;
    return reason.kind != FLM_ERROR_MEMORY;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;f;a 100 40\nmain;f;b 10 70\nmain;x 500 600\n", 1, 1);
    assert_true(assert_survives_failures(make, &runs) > 10);
    flm_runs_clear(&runs);
    runs = runs_of("main;f;a 100 40 40\nmain;f;b 10 70 70\n", 2, 1);
    assert_true(assert_survives_failures(refuse, &runs) >= 2);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_of_each_is_enough_and_every_change_is_real),
        cmocka_unit_test(what_is_less_than_the_least_effect_is_told_and_passes),
        cmocka_unit_test(runs_that_agree_are_as_one),
        cmocka_unit_test(runs_that_do_not_agree_are_refused_with_how_much),
        cmocka_unit_test(what_moved_below_a_frame_that_stayed_passes),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
