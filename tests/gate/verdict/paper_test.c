#include "gate/verdict/paper.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "support/core/failures.h"
#include "support/core/json_tree.h"
#include "support/gate/runs.h"

static struct flm_paper judged(const struct flm_runs *runs, struct flm_paper_options how)
{
    struct flm_paper paper;
    struct flm_error why = {0};
    if (!flm_paper_init(&paper, runs, &how, &why))
        fail_msg("%s", why.text);
    return paper;
}

static void assert_refused(const struct flm_runs *runs, struct flm_paper_options how,
                           const char *expected)
{
    struct flm_paper paper;
    struct flm_error why = {0};
    assert_false(flm_paper_init(&paper, runs, &how, &why));
    assert_string_equal(why.text, expected);
    assert_null(paper.stack);
}

static const struct flm_paper_stack *stack_of(const struct flm_paper *paper,
                                              const struct flm_runs *runs, const char *path)
{
    uint32_t node = runs_node(runs->tree, path);
    for (uint32_t i = 0; i < paper->stack_count; i++)
        if (paper->stack[i].node == node)
            return &paper->stack[i];
    fail_msg("%s is not tested", path);
    return NULL;
}

static struct flm_paper_options with_threshold(uint32_t threshold)
{
    struct flm_paper_options how = flm_paper_defaults();
    how.threshold = threshold;
    return how;
}

/* ---- Golden ---------------------------------------------------------------------------------- */

static void assert_near(double value, const struct json_tree *object, const char *key)
{
    double expected = json_tree_get(object, key)->number;
    if (!(fabs(value - expected) <= 1e-8 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", key, value, expected);
}

static void assert_part(const struct json_tree *map, const struct flm_profile *p,
                        enum flm_part part)
{
    struct flm_metric_pair pair;
    struct flm_comparison is;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    assert_true(flm_comparison_init(
        &is, p->sizes.node_count, p->node_end, flm_self_column(p, pair.before.index),
        flm_self_column(p, pair.after.index), &(struct flm_comparison_options){0}, NULL));
    struct flm_profile *q = flm_part_of(p, &is, part, flm_bytes_of("x"), flm_bytes_of(""), 1, NULL);
    size_t valued = 0;
    for (uint32_t i = 0; i < q->sizes.node_count; i++)
        valued += q->self[i] != 0;
    assert_int_equal(valued, map->count);
    for (size_t i = 0; i < map->count; i++)
        assert_near(q->self[runs_node(q, map->keys[i])], map, map->keys[i]);
    flm_profile_free(q);
    flm_comparison_clear(&is);
}

static double sum_of(const struct json_tree *map)
{
    double sum = 0;
    for (size_t i = 0; i < map->count; i++)
        sum += map->items[i].number;
    return sum;
}

static void check_case(const struct flm_runs *runs, const struct json_tree *c)
{
    struct flm_paper paper =
        judged(runs, with_threshold((uint32_t)json_tree_get(c, "threshold")->number));
    const struct json_tree *responsible = json_tree_get(c, "responsible");
    assert_true(paper.has_test);
    assert_near(paper.test.p, c, "p");
    assert_near(paper.test.d2, c, "dof2");
    assert_near(paper.test.t2, c, "T2");
    assert_near(paper.test.f, c, "F");
    assert_near(paper.f_star, c, "F_crit");
    assert_near(paper.test.log10_p, c, "log10_p");
    assert_int_equal(paper.responsible_count, responsible->count);
    for (size_t i = 0; i < responsible->count; i++) {
        const struct flm_paper_stack *stack = stack_of(&paper, runs, responsible->keys[i]);
        assert_true(stack->is_responsible);
        assert_int_equal(stack->is_failing, stack->difference > 0);
        assert_near(stack->difference, &responsible->items[i], "delta");
        assert_near(stack->half_width, &responsible->items[i], "half_width");
    }
    struct flm_profile *blamed = flm_paper_blamed(&paper, runs, NULL);
    const struct json_tree *plus = json_tree_get(c, "delta_plus");
    const struct json_tree *minus = json_tree_get(c, "delta_minus");
    assert_part(plus, blamed, FLM_PART_PLUS);
    assert_part(minus, blamed, FLM_PART_MINUS);
    flm_profile_free(blamed);
    assert_true(fabs(paper.part[FLM_PART_PLUS] - sum_of(plus)) < 1e-6);
    assert_true(fabs(paper.part[FLM_PART_MINUS] - sum_of(minus)) < 1e-6);
    /* Of all that is tested, responsible or not. */
    double sum = 0;
    for (uint32_t i = 0; i < paper.stack_count; i++)
        sum += paper.stack[i].difference;
    assert_near(sum, c, "sum_delta");
    assert_near(paper.new_total - paper.base_total - (paper.new_left_out - paper.base_left_out), c,
                "sum_delta");
    assert_int_equal(paper.verdict, FLM_VERDICT_FAIL);
    flm_paper_clear(&paper);
}

static void the_experiment_of_the_paper_has_the_golden_answer(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/11_experiment.json");
    struct table_of_runs table = runs_table_read_sparse("tests/data/algebra/experiment.sparse");
    struct flm_runs runs = runs_of_table(&table);
    const struct json_tree *cases = json_tree_get(golden, "cases");
    const struct json_tree *norm = json_tree_get(golden, "mean_norm");
    assert_true(cases->count >= 3);
    for (size_t i = 0; i < cases->count; i++)
        check_case(&runs, &cases->items[i]);
    struct flm_paper paper = judged(&runs, flm_paper_defaults());
    assert_near(paper.distinct_count, golden, "distinct_stacks");
    assert_true(fabs(paper.base_total - norm->items[0].number) < 1e-4);
    assert_true(fabs(paper.new_total - norm->items[1].number) < 1e-4);
    assert_true(paper.base_left_out > 0 && paper.new_left_out > 0);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
    json_tree_free(golden);
}

/* ---- Stacks that never vary ------------------------------------------------------------------ */

static void what_never_varies_is_no_part_of_the_test(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;calls 5 5 5 7 7 7\nmain;same 9 9 9 9 9 9\n"
                                   "main;came 0 0 0 3 3 3\nmain;went 4 4 4 0 0 0\n"
                                   "main;x 10 11 12 10 11 12\n",
                                   3, 3);
    struct flm_paper paper = judged(&runs, with_threshold(1));
    assert_true(paper.has_test && paper.test.p == 1 && paper.constant_count == 4);
    const struct flm_paper_stack *calls = stack_of(&paper, &runs, "main;calls");
    assert_true(calls->is_constant && calls->is_responsible && calls->is_failing);
    assert_true(calls->difference == 2 && calls->half_width == 0 && calls->part == FLM_PART_GROWN);
    assert_false(stack_of(&paper, &runs, "main;same")->is_responsible);
    assert_false(stack_of(&paper, &runs, "main;x")->is_responsible);
    assert_int_equal(stack_of(&paper, &runs, "main;came")->part, FLM_PART_APPEARED);
    assert_false(stack_of(&paper, &runs, "main;went")->is_failing);
    assert_true(paper.responsible_count == 3 && paper.failing_count == 2);
    assert_true(paper.part[FLM_PART_GROWN] == 2 && paper.part[FLM_PART_APPEARED] == 3 &&
                paper.part[FLM_PART_DISAPPEARED] == 4 && paper.part[FLM_PART_SHRUNK] == 0);
    assert_true(paper.part[FLM_PART_PLUS] == 5 && paper.part[FLM_PART_MINUS] == 4 &&
                paper.part[FLM_PART_DELTA] == 1);
    assert_int_equal(paper.verdict, FLM_VERDICT_FAIL);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

static void where_nothing_varies_there_is_no_test_and_an_answer(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 5 5 5 5\nb 2 2 2 2\n", 2, 2);
    struct flm_paper paper = judged(&runs, with_threshold(1));
    assert_true(!paper.has_test && paper.responsible_count == 0);
    assert_int_equal(paper.verdict, FLM_VERDICT_PASS);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
    runs = runs_of("a 5 5 5 5\nb 2 2 3 3\n", 2, 2);
    paper = judged(&runs, with_threshold(1));
    assert_true(!paper.has_test && paper.failing_count == 1);
    assert_int_equal(paper.verdict, FLM_VERDICT_FAIL);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static void what_shrank_or_is_too_small_does_not_fail(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 1000 1010 1020 900 910 920\nb 4 3 5 14 13 15\n", 3, 3);
    struct flm_paper_options how = with_threshold(1);
    how.alpha = 0.05;
    how.min_effect = 0.5;
    struct flm_paper paper = judged(&runs, how);
    assert_true(paper.responsible_count > 0 && paper.failing_count == 0);
    assert_int_equal(paper.verdict, FLM_VERDICT_PASS);
    flm_paper_clear(&paper);
    how.min_effect = 0.05;
    how.side = FLM_SIDE_BOTH;
    paper = judged(&runs, how);
    assert_true(stack_of(&paper, &runs, "a")->is_failing);
    assert_false(stack_of(&paper, &runs, "b")->is_failing);
    assert_int_equal(paper.verdict, FLM_VERDICT_FAIL);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

/* A direction in which hardly anything varies: a + b. Neither a nor b says so by itself. */
static void a_difference_of_no_one_stack_is_inconclusive(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 100 200 300 401 102 201 302 403\n"
                                   "b 300 201 102 0 302 203 101 1\n",
                                   4, 4);
    struct flm_paper_options how = with_threshold(1);
    how.alpha = 0.3;
    struct flm_paper paper = judged(&runs, how);
    assert_true(paper.test.p_value < how.alpha && paper.responsible_count == 0);
    assert_int_equal(paper.verdict, FLM_VERDICT_INCONCLUSIVE);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

static void a_p_below_the_smallest_double_is_told(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "a");
    for (int i = 0; i < 200; i++)
        flm_text_format(&text, " %d", (i < 100 ? 1000000 : 9000000) + i % 7);
    flm_text_putc(&text, '\n');
    flm_text_putc(&text, 0);
    struct flm_runs runs = runs_of(text.at, 100, 100);
    flm_text_clear(&text);
    struct flm_paper paper = judged(&runs, flm_paper_defaults());
    assert_true(paper.test.p_value == 0 && paper.test.log10_p < -1000);
    assert_true(isfinite(paper.test.log10_p));
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refusals_say_what_to_do(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 5 5 5\n", 1, 2);
    assert_refused(&runs, flm_paper_defaults(),
                   "1 base and 2 new: what differs between runs of the same program is not known "
                   "from one run: record at least 2 on each side");
    flm_runs_clear(&runs);

    runs = runs_of("a 5 6 7 8\n", 2, 2);
    assert_refused(&runs, with_threshold(5),
                   "no stack is in 5 runs: the most frequent one is in 4 of 4, so --threshold is 4 "
                   "at most");
    flm_runs_clear(&runs);

    runs = runs_of("a 5 6 7 8\nb 1 2 4 4\nc 0 0 2 3\n", 2, 2);
    assert_refused(&runs, with_threshold(1),
                   "3 stacks that vary are in at least 1 runs, and of 2 + 2 runs Hotelling's test "
                   "takes 2: --threshold 4 leaves 2, and --most 1 keeps the most frequent ones, a "
                   "quarter of the runs, where it has the most power");
    flm_runs_clear(&runs);

    runs = runs_of("a 5 6 7 8\nb 1 2 4 4\nc 1 9 2 3\n", 2, 2);
    assert_refused(
        &runs, with_threshold(1),
        "3 stacks that vary are in at least 1 runs, and of 2 + 2 runs Hotelling's test "
        "takes 2: --most 1 keeps the most frequent ones, a quarter of the runs, where it "
        "has the most power");
    flm_runs_clear(&runs);

    runs = runs_of("main;a 5 6 7 8 8 9\nmain;b 5 4 3 2 2 1\n", 3, 3);
    assert_refused(
        &runs, with_threshold(1),
        "the stack main;b follows from the others, run by run, as shares of one whole "
        "do, so that Hotelling's test is not defined: --most 1 tests those that are more "
        "frequent than it, or leave it out with --apply");
    flm_runs_clear(&runs);
}

/* What a refusal proposes is not refused. */
static void most_and_threshold_cut_what_is_tested(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 5 6 7 8\nb 1 2 4 4\nc 0 0 2 3\n", 2, 2);
    struct flm_paper_options how = with_threshold(4);
    struct flm_paper paper = judged(&runs, how);
    assert_true(paper.test.p == 2 && paper.new_left_out == 2.5 && paper.base_left_out == 0);
    assert_true(paper.new_total == 14 && paper.distinct_count == 3);
    flm_paper_clear(&paper);
    how.most = 1;
    paper = judged(&runs, how);
    assert_true(paper.test.p == 1 && paper.stack_count == 1);
    flm_paper_clear(&paper);
    flm_runs_clear(&runs);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_paper paper;
    struct flm_paper_options how = with_threshold(1);
    struct flm_profile *blamed = NULL;
    if (!flm_paper_init(&paper, context, &how, why))
        return false;
    blamed = flm_paper_blamed(&paper, context, why);
    flm_profile_free(blamed);
    flm_paper_clear(&paper);
    return blamed != NULL;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 5 4 2 3\na;b 3 5 1 1 1\nc 1 1 2 2 2\n", 2, 3);
    assert_true(assert_survives_failures(make, &runs) > 10);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_experiment_of_the_paper_has_the_golden_answer),
        cmocka_unit_test(what_never_varies_is_no_part_of_the_test),
        cmocka_unit_test(where_nothing_varies_there_is_no_test_and_an_answer),
        cmocka_unit_test(what_shrank_or_is_too_small_does_not_fail),
        cmocka_unit_test(a_difference_of_no_one_stack_is_inconclusive),
        cmocka_unit_test(a_p_below_the_smallest_double_is_told),
        cmocka_unit_test(refusals_say_what_to_do),
        cmocka_unit_test(most_and_threshold_cut_what_is_tested),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
