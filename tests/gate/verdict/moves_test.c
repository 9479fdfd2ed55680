#include "gate/verdict/moves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gate/verdict/gate.h"
#include "support/core/failures.h"
#include "support/gate/runs.h"

/* Below load something moves from one function to the other; all else is noisy. */
static struct flm_gate judged(double from, double to, struct flm_runs *runs,
                              struct flm_gate_options how)
{
    const struct run_stack stacks[] = {{"main;a", 5000, 5000, 0.1},
                                       {"main;load;old", 800, 800 - from, 0.02},
                                       {"main;load;fresh", 300, 300 + to, 0.02},
                                       {"main;load;rest", 1000, 1000, 0.3},
                                       {"main;b;c", 2000, 2000, 0.1},
                                       {"main;b;d", 900, 900, 0.1}};
    struct table_of_runs table = runs_table_drawn(stacks, 6, 12, 12, 0.02, 3);
    struct flm_gate gate;
    *runs = runs_of_table(&table);
    how.permutations = 999;
    how.threads = 1;
    assert_true(flm_gate_init(&gate, runs, &how, NULL));
    for (uint32_t i = 0; i < runs->run_count; i++)
        runs->run[i].name = (struct flm_bytes){"a run", 5};
    runs_table_clear(&table);
    return gate;
}

static void what_was_moved_for_nothing_passes_and_is_told(void **state)
{
    (void)state;
    struct flm_runs runs;
    struct flm_gate gate = judged(200, 200, &runs, flm_gate_defaults());
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(gate.found.count, 2);
    assert_int_equal(gate.moves.count, 1);
    const struct flm_move *move = &gate.moves.move[0];
    assert_true(move->is_free && move->below == runs_node(runs.tree, "main;load"));
    assert_true(fabs(move->change - gate.found.item[0].change - gate.found.item[1].change) < 1e-6);
    assert_true(flm_moves_has_free(&gate.moves, runs.tree, runs_node(runs.tree, "main;load;old")));
    assert_false(flm_moves_has_free(&gate.moves, runs.tree, runs_node(runs.tree, "main;b;c")));
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

/* The frame above is too noisy to show it; the sum of the two is not. */
static void what_costs_more_than_it_saved_fails(void **state)
{
    (void)state;
    struct flm_runs runs;
    struct flm_gate gate = judged(200, 270, &runs, flm_gate_defaults());
    assert_int_equal(gate.moves.count, 1);
    assert_false(gate.moves.move[0].is_free);
    assert_true(gate.moves.move[0].is_local && gate.moves.move[0].t > 2 &&
                gate.moves.move[0].change > 50);
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    assert_true(gate.failing_count == 1);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

static void a_move_fails_where_every_change_does_or_a_tolerance_is_asked_for(void **state)
{
    (void)state;
    struct flm_runs runs;
    struct flm_gate_options how = flm_gate_defaults();
    how.side = FLM_SIDE_BOTH;
    struct flm_gate gate = judged(200, 200, &runs, how);
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(gate.failing_count, 2);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    how = flm_gate_defaults();
    how.tolerance = 0.015;
    gate = judged(200, 200, &runs, how);
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
}

static void an_outlier_does_not_excuse_what_costs_more_than_it_saved(void **state)
{
    (void)state;
    struct flm_runs runs =
        runs_of("m;x 100 102 98 101 99 100 100 101 160 161 159 900 158 160 161 159\n"
                "m;y 90 91 89 90 92 90 88 90 51 50 49 50 52 50 51 49\n",
                8, 8);
    struct flm_columns columns;
    struct flm_columns_options all = {0, 0};
    assert_true(flm_columns_init(&columns, &runs, &all, NULL));
    uint32_t m = runs_node(runs.tree, "m"), x = runs_node(runs.tree, "m;x"),
             y = runs_node(runs.tree, "m;y");
    struct flm_item items[] = {
        {.node = x, .column = columns.self_column[x], .scope = FLM_ITEM_SELF, .moved_below = m},
        {.node = y, .column = columns.self_column[y], .scope = FLM_ITEM_SELF, .moved_below = m}};
    struct flm_attribution found = {items, 2};
    struct flm_moves moves;
    struct flm_moves_options how = {1, 5};
    assert_true(flm_moves_init(&moves, &runs, &columns, &found, &how, NULL));
    assert_true(fabs(moves.move[0].change - (252.25 + 50.25 - 100.125 - 90)) < 1e-9);
    assert_true(moves.move[0].t > 2 && !moves.move[0].is_free); /* with the outlier run 1.2 */
    flm_moves_clear(&moves);
    flm_columns_clear(&columns);
    flm_runs_clear(&runs);
}

/* 60 of 9,000 cancel by chance as well. */
static void what_cancels_in_a_large_part_of_the_program_fails(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {
        {"main;a", 5000, 5000, 0.03}, {"main;b;c", 3000, 3000, 0.03}, {"main;d", 1000, 1000, 0.03},
        {"main;less", 100, 70, 0.05}, {"main;b;more", 60, 90, 0.05},  {"idle", 900, 900, 0.1}};
    struct table_of_runs table = runs_table_drawn(stacks, 6, 12, 12, 0.01, 3);
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_gate gate;
    how.permutations = 999;
    how.threads = 1;
    assert_true(flm_gate_init(&gate, &runs, &how, NULL));
    assert_true(gate.found.count == 2 && gate.moves.count == 1);
    assert_true(!gate.moves.move[0].is_local && !gate.moves.move[0].is_free);
    assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(gate.failing_count, 1);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

/* In each move what stands for a whole subtree is counted once. */
static void a_rest_contains_what_is_told_below_it(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("m;x;a 10 10 60 60\nm;x;b 5 5 25 25\nm;y 200 200 130 130\n"
                                   "z 9 9 9 9\n",
                                   2, 2);
    struct flm_columns columns;
    struct flm_columns_options all = {0, 0};
    assert_true(flm_columns_init(&columns, &runs, &all, NULL));
    uint32_t m = runs_node(runs.tree, "m"), x = runs_node(runs.tree, "m;x"),
             a = runs_node(runs.tree, "m;x;a"), y = runs_node(runs.tree, "m;y");
    struct flm_item items[] = {
        {.node = y,
         .column = columns.self_column[y],
         .scope = FLM_ITEM_SELF,
         .change = 50,
         .moved_below = m},
        {.node = a,
         .column = columns.self_column[a],
         .scope = FLM_ITEM_SELF,
         .change = 50,
         .moved_below = m},
        {.node = x, .column = columns.total_column[x], .scope = FLM_ITEM_REST, .moved_below = m}};
    struct flm_attribution found = {items, 3};
    struct flm_moves moves;
    struct flm_moves_options how = {0, 1};
    assert_true(flm_moves_init(&moves, &runs, &columns, &found, &how, NULL));
    assert_int_equal(moves.count, 1);
    assert_true(moves.move[0].change == 70 - 70 && moves.move[0].t == 0);
    assert_true(moves.move[0].below == m && moves.move[0].is_free);
    flm_moves_clear(&moves);
    flm_columns_clear(&columns);
    flm_runs_clear(&runs);
}

struct both {
    struct flm_gate gate;
    struct flm_runs runs;
};

static bool make(void *context, struct flm_error *why)
{
    struct both *both = context;
    struct flm_moves moves;
    bool good = flm_moves_init(&moves, &both->runs, &both->gate.columns, &both->gate.found,
                               &(struct flm_moves_options){1, 1}, why);
    if (good)
        flm_moves_clear(&moves);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct both both;
    both.gate = judged(200, 200, &both.runs, flm_gate_defaults());
    assert_int_equal(assert_survives_failures(make, &both), 4);
    flm_gate_clear(&both.gate);
    flm_runs_clear(&both.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_moved_for_nothing_passes_and_is_told),
        cmocka_unit_test(what_costs_more_than_it_saved_fails),
        cmocka_unit_test(a_move_fails_where_every_change_does_or_a_tolerance_is_asked_for),
        cmocka_unit_test(an_outlier_does_not_excuse_what_costs_more_than_it_saved),
        cmocka_unit_test(what_cancels_in_a_large_part_of_the_program_fails),
        cmocka_unit_test(a_rest_contains_what_is_told_below_it),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
