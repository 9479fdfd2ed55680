#include "gate/runs/reduction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "algebra/compare/difference.h"
#include "base/text/text.h"
#include "gate/runs/means.h"
#include "support/core/failures.h"
#include "support/core/json_tree.h"
#include "support/core/random.h"
#include "support/gate/runs.h"

static struct flm_reduction reduced(const struct flm_runs *runs, uint32_t threshold, uint32_t most)
{
    struct flm_reduction r;
    assert_true(flm_reduction_init(&r, runs, threshold, most, NULL));
    return r;
}

static void assert_path(const struct flm_runs *runs, uint32_t node, const char *expected)
{
    char *path = runs_path(runs->tree, node);
    assert_string_equal(path, expected);
    free(path);
}

static void stacks_of_enough_runs_stay_and_the_rest_is_told(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;lex 3 5 4 6 6\nmain;io 0 1 2 0 0\nmain;idle 9 9 9 9 9\n"
                                   "main;new 0 0 0 0 7\n",
                                   3, 2);
    struct flm_reduction r = reduced(&runs, 3, 0);
    assert_true(r.count == 2 && r.distinct_count == 4);
    assert_path(&runs, r.stack[0].node, "main;idle");
    assert_path(&runs, r.stack[1].node, "main;lex");
    assert_path(&runs, r.stack[2].node, "main;io");
    assert_true(r.stack[1].seen == 5 && r.stack[1].total == 24);
    assert_true(r.base_left_out == 1 && r.new_left_out == 3.5);
    flm_reduction_clear(&r);

    r = reduced(&runs, 1, 1);
    assert_true(r.count == 1 && r.new_left_out == 6 + 3.5);
    flm_reduction_clear(&r);
    flm_runs_clear(&runs);
}

/* In each run the columns add up to its total, whatever is kept. */
static void other_keeps_totals_what_they_were(void **state)
{
    (void)state;
    uint64_t random = 91;
    for (int round = 0; round < 20; round++) {
        struct table_of_runs table = runs_by_chance(&random, 5, 4, 60);
        struct flm_runs runs = runs_of_table(&table);
        struct flm_reduction r =
            reduced(&runs, random_below(&random, 11), random_below(&random, 20));
        struct flm_matrix m;
        assert_true(flm_reduction_matrix(&r, &runs, &m, NULL));
        assert_true(m.run_count == 9 && m.column_count == r.count + 1);
        double left_out[2] = {0};
        for (uint32_t run = 0; run < m.run_count; run++) {
            double sum = 0;
            for (uint32_t column = 0; column < m.column_count; column++)
                sum += flm_matrix_column(&m, column)[run];
            assert_true(sum == runs.run[run].total);
            left_out[runs.run[run].is_new] += flm_matrix_column(&m, r.count)[run];
        }
        assert_true(left_out[0] / 5 == r.base_left_out && left_out[1] / 4 == r.new_left_out);
        for (uint32_t i = 1; i < r.distinct_count; i++) {
            const struct flm_reduced_stack *a = &r.stack[i - 1], *b = &r.stack[i];
            assert_true(a->seen > b->seen || (a->seen == b->seen && a->total >= b->total));
        }
        free(m.value);
        flm_reduction_clear(&r);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

/* As their folded texts, which is not the order of the tree. */
static void equal_stacks_are_in_the_order_of_their_text(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("b 1 1\na;c 1 1\na(int) 1 1\na 1 1\na;b;c 1 1\nA 1 1\n", 1, 1);
    static const char *const expected[] = {"A", "a", "a(int)", "a;b;c", "a;c", "b"};
    struct flm_reduction r = reduced(&runs, 1, 0);
    assert_int_equal(r.count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_path(&runs, r.stack[i].node, expected[i]);
    flm_reduction_clear(&r);
    flm_runs_clear(&runs);
}

/* ---- Golden ---------------------------------------------------------------------------------- */

/* The rows of both groups as a table of runs: a line for each stack. */
static struct flm_runs runs_of_case(const struct json_tree *c)
{
    const struct json_tree *stacks = json_tree_get(c, "stacks");
    const struct json_tree *groups[] = {json_tree_get(c, "X"), json_tree_get(c, "Y")};
    struct flm_text text = {0};
    for (size_t s = 0; s < stacks->count; s++) {
        flm_text_puts(&text, stacks->items[s].text);
        for (int g = 0; g < 2; g++)
            for (size_t run = 0; run < groups[g]->count; run++) {
                char number[40];
                snprintf(number, sizeof number, " %.17g", groups[g]->items[run].items[s].number);
                flm_text_puts(&text, number);
            }
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    struct flm_runs runs = runs_of(text.at, (uint32_t)groups[0]->count, (uint32_t)groups[1]->count);
    flm_text_clear(&text);
    return runs;
}

/* Stacks without a value anywhere are in no tree: they are last in the golden order. */
static void assert_order(const struct json_tree *c, const struct flm_runs *runs,
                         const struct flm_reduction *r)
{
    const struct json_tree *expect = json_tree_get(c, "expect");
    const struct json_tree *stacks = json_tree_get(c, "stacks");
    const struct json_tree *order = json_tree_get(expect, "order");
    const struct json_tree *frequency = json_tree_get(expect, "document_frequency");
    for (size_t i = 0; i < order->count; i++) {
        size_t stack = (size_t)order->items[i].number;
        if (i >= r->distinct_count) {
            assert_true(frequency->items[stack].number == 0);
            continue;
        }
        assert_path(runs, r->stack[i].node, stacks->items[stack].text);
        assert_true(r->stack[i].seen == frequency->items[stack].number);
    }
}

static void assert_part(const struct json_tree *expect, const char *key,
                        const struct flm_profile *p, enum flm_part part)
{
    const struct json_tree *map = json_tree_get(expect, key);
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
    for (size_t i = 0; i < map->count; i++) {
        uint32_t node = runs_node(q, map->keys[i]);
        assert_true(node != FLM_NONE);
        assert_true(fabs(q->self[node] - map->items[i].number) <= 1e-12 * fabs(q->self[node]));
    }
    flm_profile_free(q);
    flm_comparison_clear(&is);
}

static void check_case(const struct json_tree *c)
{
    const struct json_tree *expect = json_tree_get(c, "expect");
    const struct json_tree *responsible = json_tree_get(expect, "responsible_given");
    const struct json_tree *dropped = json_tree_get(expect, "dropped_mean_mass");
    struct flm_runs runs = runs_of_case(c);
    struct flm_reduction r =
        reduced(&runs, (uint32_t)json_tree_get(expect, "threshold")->number, 0);
    assert_int_equal(r.count, json_tree_get(expect, "keep")->count);
    assert_true(fabs(r.base_left_out - dropped->items[0].number) < 1e-12);
    assert_true(fabs(r.new_left_out - dropped->items[1].number) < 1e-12);
    assert_order(c, &runs, &r);

    struct flm_reduction quarter = reduced(&runs, 1, runs.run_count / 4);
    const struct json_tree *top = json_tree_get(expect, "top_quarter");
    assert_int_equal(quarter.count, top->count);
    for (size_t i = 0; i < top->count; i++)
        assert_path(&runs, quarter.stack[i].node,
                    json_tree_get(c, "stacks")->items[(size_t)top->items[i].number].text);
    flm_reduction_clear(&quarter);

    unsigned char *keep = calloc(runs.tree->sizes.node_count, 1);
    for (size_t i = 0; i < responsible->count; i++) {
        uint32_t node = runs_node(runs.tree, responsible->items[i].text);
        if (node != FLM_NONE) /* it has a value somewhere */
            keep[node] = 1;
    }
    struct flm_profile *means = flm_runs_means_of(&runs, keep, NULL);
    assert_part(expect, "delta_r", means, FLM_PART_DELTA);
    assert_part(expect, "delta_r_plus", means, FLM_PART_PLUS);
    assert_part(expect, "delta_r_minus", means, FLM_PART_MINUS);
    flm_profile_free(means);
    free(keep);
    flm_reduction_clear(&r);
    flm_runs_clear(&runs);
}

static void golden_reductions(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/07_reduction.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count > 0);
    for (size_t i = 0; i < cases->count; i++)
        check_case(&cases->items[i]);
    json_tree_free(golden);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_reduction r;
    struct flm_matrix m = {0};
    bool good =
        flm_reduction_init(&r, context, 1, 0, why) && flm_reduction_matrix(&r, context, &m, why);
    free(m.value);
    flm_reduction_clear(&r);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 5\na;b 3 5\n", 1, 1);
    assert_true(assert_survives_failures(make, &runs) > 8);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_enough_runs_stay_and_the_rest_is_told),
        cmocka_unit_test(other_keeps_totals_what_they_were),
        cmocka_unit_test(equal_stacks_are_in_the_order_of_their_text),
        cmocka_unit_test(golden_reductions),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
