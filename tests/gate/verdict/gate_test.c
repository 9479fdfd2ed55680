#include "gate/verdict/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/judged.h"

/* The item of this stack; the test fails where there is none. */
static const struct flm_item *item_of(const struct judged *f, const char *path)
{
    uint32_t node = runs_node(f->runs.tree, path);
    for (uint32_t i = 0; i < f->gate.found.count; i++)
        if (f->gate.found.item[i].node == node)
            return &f->gate.found.item[i];
    fail_msg("there is no item %s", path);
    return NULL;
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static const struct run_stack calm[] = {
    {"main;a", 5000, 5000, 0.03}, {"main;b;c", 2000, 2000, 0.05}, {"main;b;d", 900, 900, 0.05},
    {"main;b", 500, 500, 0.08},   {"main;e", 300, 300, 0.1},      {"main;f;g", 80, 80, 0.2},
    {"main;f;h", 40, 40, 0.3}};
enum { CALM = sizeof calm / sizeof calm[0] };

/* Calm, but for one stack. */
static struct table_of_runs with(struct run_stack other, uint32_t base, uint32_t new)
{
    struct run_stack stacks[CALM + 1];
    memcpy(stacks, calm, sizeof calm);
    stacks[CALM] = other;
    return runs_table_drawn(stacks, CALM + 1, base, new, 0.03, 7);
}

static void runs_of_one_program_pass(void **state)
{
    (void)state;
    struct judged f =
        judged_table(with((struct run_stack){"main;x", 200, 200, 0.1}, 12, 12), judged_usual());
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(f.gate.found.count, 0);
    assert_int_equal(f.gate.failing_count, 0);
    assert_false(f.gate.total.is_significant);
    assert_true(f.gate.unit == 1);
    assert_true(f.gate.noise.total.mde > 0 && f.gate.critical > 2);
    judged_clear(&f);
}

static void what_grew_fails_and_is_named(void **state)
{
    (void)state;
    struct judged f =
        judged_table(with((struct run_stack){"main;b;x", 200, 300, 0.1}, 12, 12), judged_usual());
    const struct flm_item *item = item_of(&f, "main;b;x");
    const struct flm_gate_column *c = &f.gate.column[item->column];
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_true(item->is_failing && f.gate.failing_count >= 1);
    assert_true(item->change > 70 && item->change < 130);
    assert_true(item->change == c->new_mean - c->base_mean);
    assert_true(c->low > 0 && c->low < item->change && c->high > item->change);
    assert_true(c->is_significant && c->t > 4 && c->p <= 0.05);
    judged_clear(&f);
}

static void what_shrank_is_told_and_fails_only_if_asked_for(void **state)
{
    (void)state;
    struct run_stack less = {"main;b;x", 300, 200, 0.1};
    struct judged f = judged_table(with(less, 12, 12), judged_usual());
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    assert_true(item_of(&f, "main;b;x")->change < 0);
    assert_false(item_of(&f, "main;b;x")->is_failing);
    judged_clear(&f);
    struct flm_gate_options both = judged_usual();
    both.side = FLM_SIDE_BOTH;
    f = judged_table(with(less, 12, 12), both);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_true(item_of(&f, "main;b;x")->is_failing);
    judged_clear(&f);
}

static void a_growth_that_is_too_small_to_matter_passes(void **state)
{
    (void)state;
    struct run_stack small = {"main;b;x", 20, 60, 0.1};
    struct flm_gate_options how = judged_usual();
    how.min_effect = 0.01; /* of 9,000 */
    struct judged f = judged_table(with(small, 12, 12), how);
    assert_true(item_of(&f, "main;b;x")->change > 30); /* told nevertheless */
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    judged_clear(&f);
    how.min_effect = 0.001;
    f = judged_table(with(small, 12, 12), how);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    judged_clear(&f);
}

static void a_new_stack_is_found(void **state)
{
    (void)state;
    struct judged f =
        judged_table(with((struct run_stack){"main;b;x", 0, 30, 0.2}, 12, 12), judged_usual());
    const struct flm_item *item = item_of(&f, "main;b;x");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_true(item->base_seen == 0 && item->new_seen == 12);
    judged_clear(&f);
}

/* All of it is 3 % slower: no stack shows that by itself, and by size nothing has changed. */
static void what_grew_everywhere_is_in_the_total_alone(void **state)
{
    (void)state;
    enum { MANY = 40 };
    struct run_stack stacks[MANY];
    char names[MANY][8];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        stacks[i] = (struct run_stack){names[i], 250, 257.5, 0.2};
    }
    struct judged f = judged_table(runs_table_drawn(stacks, MANY, 15, 15, 0, 9), judged_usual());
    assert_int_equal(f.gate.columns.total_column[0], FLM_NONE); /* of 40 roots: it is no column */
    assert_int_equal(f.gate.found.count, 0);
    assert_true(f.gate.total.is_failing && f.gate.total.p <= 0.05);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(f.gate.failing_count, 0);
    judged_clear(&f);
}

static void a_deterministic_change_has_no_error(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse("main;a 5 5 5 5 5 7 7 7 7 7\n"
                                                  "main;b 1 1 1 1 1 1 1 1 1 1\n",
                                                  5, 5, "calls", "count");
    struct judged f = judged_table(table, judged_usual());
    const struct flm_item *item = item_of(&f, "main;a");
    const struct flm_gate_column *c = &f.gate.column[item->column];
    assert_true(f.gate.unit == 0); /* calls are no samples */
    assert_true(c->t == INFINITY && c->low == 2 && c->high == 2);
    assert_true(f.gate.is_complete && f.gate.permutations == 252);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    judged_clear(&f);
}

/* All stacks but one change by a tenth, and the machine is so noisy that only shares show it. */
static struct judged judge_shares(double others, double same, double noise,
                                  struct flm_gate_options how)
{
    struct run_stack stacks[] = {{"a", 5000, 5000, 0.01}, {"b", 3000, 3000, 0.01},
                                 {"c", 2000, 2000, 0.01}, {"d", 1000, 1000, 0.01},
                                 {"e", 1000, 1000, 0.01}, {"same", 900, 900, 0.01}};
    for (int i = 0; i < 5; i++)
        stacks[i].new *= others;
    stacks[5].new *= same;
    return judged_table(runs_table_drawn(stacks, 6, 12, 12, noise, 5), how);
}

static const struct flm_gate_column *column_same(const struct judged *f)
{
    return &f->gate.column[f->gate.columns.self_column[runs_node(f->runs.tree, "same")]];
}

static void a_share_that_changed_is_no_change_by_itself(void **state)
{
    (void)state;
    struct flm_gate_options how = judged_usual();
    how.min_effect = 0;
    struct judged f = judge_shares(1.1, 1.01, 0.15, how);
    const struct flm_gate_column *c = column_same(&f);
    assert_true(c->t_by_size < -4 && c->is_significant && c->by_size_only && !c->is_failing);
    judged_clear(&f);
    how.side = FLM_SIDE_BOTH;
    f = judge_shares(0.9, 1.01, 0.15, how); /* everything else is faster */
    c = column_same(&f);
    assert_true(c->t_by_size > 4 && c->is_significant && c->by_size_only && !c->is_failing);
    judged_clear(&f);
    /* Its share grew, and it may be all else that did not: the size of runs is too noisy. */
    f = judge_shares(1, 1.1, 0.15, how);
    c = column_same(&f);
    assert_true(c->t_by_size > 4 && c->is_significant && c->by_size_only && !c->is_failing);
    judged_clear(&f);
    /* Here it is known well enough, and alone too noisy for the largest t of all. */
    how.permutations = 99;
    f = judge_shares(1, 1.5, 0.1, how);
    c = column_same(&f);
    assert_true(c->is_significant && c->is_failing);
    judged_clear(&f);
    how.absolute_only = true;
    f = judge_shares(0.9, 1.01, 0.15, how);
    c = column_same(&f);
    assert_true(c->t_by_size == 0 && !c->is_significant && f.gate.total.p == 1);
    judged_clear(&f);
}

/* ---- Too few --------------------------------------------------------------------------------- */

static void so_few_runs_that_nothing_can_be_found_are_inconclusive(void **state)
{
    (void)state;
    struct run_stack grown = {"main;b;x", 200, 400, 0.05};
    struct flm_gate_options how = judged_usual();
    how.alpha = 0.01;
    struct judged f = judged_table(with(grown, 4, 4), how);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
    assert_true(f.gate.is_complete && f.gate.permutations == 70);
    assert_true(fabs(f.gate.smallest_p - 2 / 70.0 / 0.8) < 1e-12);
    assert_int_equal(f.gate.least_runs, 5);
    assert_true(f.gate.noise.row[0].mde == INFINITY);
    judged_clear(&f);
    f = judged_table(with(grown, 5, 5), how); /* two in 252, of 0.8 alpha: just so */
    assert_true(fabs(f.gate.smallest_p - 2 / 252.0 / 0.8) < 1e-12);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_true(fabs(f.gate.column[item_of(&f, "main;b;x")->column].p - 2 / 252.0 / 0.8) < 1e-12);
    judged_clear(&f);
    f = judged_table(with(grown, 4, 5), how); /* no permutation has a mirror: one in 126 */
    assert_true(fabs(f.gate.smallest_p - 1 / 126.0 / 0.8) < 1e-12);
    judged_clear(&f);
    how.permutations = 99; /* one in 100 */
    f = judged_table(with(grown, 12, 12), how);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
    assert_int_equal(f.gate.least_runs, 0);
    judged_clear(&f);
}

static void runs_that_could_not_show_what_is_asked_for_are_inconclusive(void **state)
{
    (void)state;
    struct run_stack same = {"main;x", 200, 200, 0.1};
    struct flm_gate_options how = judged_usual();
    how.require_mde = 0.5;
    struct judged f = judged_table(with(same, 12, 12), how);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    assert_false(f.gate.is_too_noisy);
    judged_clear(&f);
    how.require_mde = 0.001;
    f = judged_table(with(same, 12, 12), how);
    assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
    assert_true(f.gate.is_too_noisy);
    judged_clear(&f);
    f = judged_table(with((struct run_stack){"main;x", 200, 400, 0.1}, 12, 12),
                     how); /* found is found */
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    judged_clear(&f);
}

static void what_cannot_be_tested_is_refused(void **state)
{
    (void)state;
    struct flm_gate gate;
    struct flm_gate_options how = judged_usual();
    struct flm_error why = {0};
    struct flm_runs runs = runs_of("main 4 6 7\n", 1, 2);
    assert_false(flm_gate_init(&gate, &runs, &how, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text,
                        "1 base and 2 new: what differs between runs of the same program is not "
                        "known from one run, so significance needs at least 2 on each side, and a "
                        "usable gate 8");
    flm_runs_clear(&runs);
    runs = runs_of("main 0 0 0 0\n", 2, 2);
    assert_false(flm_gate_init(&gate, &runs, &how, &why));
    assert_string_equal(why.text, "there is nothing in any of the runs: every value is 0");
    flm_runs_clear(&runs);
    struct table_of_runs table = with(calm[0], 4, 4);
    for (uint32_t i = 0; i < 8; i++)
        table.input[i].block = i / 4; /* base alone, new alone */
    runs = runs_of_table(&table);
    assert_false(flm_gate_init(&gate, &runs, &how, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

static void the_least_that_there_can_be_is_judged(void **state)
{
    (void)state;
    static const char *const tables[] = {"main 1 2 3 4\n", " 5 5 5 5\n", "a 1 0 0 0\n",
                                         "a 0 0 1 1\nb 1 1 0 0\n", "a 0 0 0 5\n"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (int all = 0; all < 2; all++) {
            struct flm_gate_options how = judged_usual();
            how.has_all_columns = all;
            struct judged f =
                judged_table(runs_table_parse(tables[i], 2, 2, "samples", "samples"), how);
            assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
            judged_clear(&f);
        }
    }
}

/* ---- What must not matter -------------------------------------------------------------------- */

static void the_order_of_runs_does_not_matter_where_all_permutations_are_taken(void **state)
{
    (void)state;
    uint64_t random = 51;
    for (int round = 0; round < 5; round++) {
        struct judged f =
            judged_table(with((struct run_stack){"main;b;x", 200, 260, 0.1}, 5, 5), judged_usual());
        struct flm_run_input input[10];
        for (uint32_t i = 0; i < 10; i++)
            input[i] = f.table.input[i];
        for (uint32_t i = 9; i > 0; i--) {
            uint32_t other = random_below(&random, i + 1);
            struct flm_run_input swap = input[i];
            input[i] = input[other];
            input[other] = swap;
        }
        struct flm_runs runs;
        struct flm_gate gate;
        struct flm_gate_options how = judged_usual();
        assert_true(flm_runs_init(&runs, input, 10, NULL, NULL));
        assert_true(flm_gate_init(&gate, &runs, &how, NULL));
        assert_int_equal(gate.verdict, f.gate.verdict);
        assert_int_equal(gate.found.count, f.gate.found.count);
        assert_true(gate.total.p == f.gate.total.p);
        for (uint32_t i = 0; i < gate.columns.matrix.column_count; i++) {
            const struct flm_gate_column *a = &gate.column[i], *b = &f.gate.column[i];
            /* By theory, where the noise of the sides differs, p is of rounded sums. */
            assert_true(fabs(a->p - b->p) <= 1e-9 * b->p);
            assert_true(fabs(a->t - b->t) <= 1e-9 * fabs(b->t));
        }
        for (uint32_t i = 0; i < gate.found.count; i++)
            assert_true(gate.found.item[i].node == f.gate.found.item[i].node &&
                        gate.found.item[i].scope == f.gate.found.item[i].scope);
        flm_gate_clear(&gate);
        flm_runs_clear(&runs);
        judged_clear(&f);
    }
}

static void swapping_base_and_new_turns_every_change_around(void **state)
{
    (void)state;
    struct judged f =
        judged_table(with((struct run_stack){"main;b;x", 200, 260, 0.1}, 5, 5), judged_usual());
    struct flm_run_input input[10];
    for (uint32_t i = 0; i < 10; i++) {
        input[i] = f.table.input[i];
        input[i].is_new = !input[i].is_new;
    }
    struct flm_runs runs;
    struct flm_gate gate;
    struct flm_gate_options how = judged_usual();
    assert_true(flm_runs_init(&runs, input, 10, NULL, NULL));
    assert_true(flm_gate_init(&gate, &runs, &how, NULL));
    for (uint32_t i = 0; i < gate.columns.matrix.column_count; i++) {
        const struct flm_gate_column *a = &gate.column[i], *b = &f.gate.column[i];
        assert_true(a->p == b->p);
        assert_true(fabs(a->t + b->t) <= 1e-9 * fabs(b->t));
        assert_true(fabs(a->low + b->high) <= 1e-6);
    }
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    judged_clear(&f);
}

/* Values in ns with samples of 1 ms are the same gate as samples. */
static void the_unit_of_the_metric_does_not_matter(void **state)
{
    (void)state;
    struct judged f =
        judged_table(with((struct run_stack){"main;b;x", 200, 240, 0.1}, 8, 8), judged_usual());
    struct flm_text text = {0};
    for (uint32_t i = 0; i < f.gate.columns.matrix.column_count; i++) {
        if (!f.gate.columns.key[i].is_self)
            continue;
        char *path = runs_path(f.runs.tree, f.gate.columns.key[i].node);
        flm_text_puts(&text, path);
        free(path);
        for (uint32_t r = 0; r < 16; r++)
            flm_text_format(&text, " %u000000",
                            (unsigned)flm_matrix_column(&f.gate.columns.matrix, i)[r]);
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    struct flm_gate_options how = judged_usual();
    how.unit = 1e6;
    struct judged ns = judged_table(runs_table_parse(text.at, 8, 8, "cpu", "ns"), how);
    assert_int_equal(ns.gate.columns.matrix.column_count, f.gate.columns.matrix.column_count);
    for (uint32_t i = 0; i < f.gate.columns.matrix.column_count; i++) {
        assert_true(ns.gate.column[i].p == f.gate.column[i].p);
        assert_true(fabs(ns.gate.column[i].t - f.gate.column[i].t) <=
                    1e-9 * fabs(f.gate.column[i].t));
    }
    flm_text_clear(&text);
    judged_clear(&ns);
    judged_clear(&f);
}

static void threads_and_seeds_repeat_to_the_last_digit(void **state)
{
    (void)state;
    struct run_stack grown = {"main;b;x", 200, 215, 0.1};
    struct flm_gate_options how = judged_usual();
    struct judged a = judged_table(with(grown, 8, 8), how);
    how.threads = 3;
    struct judged b = judged_table(with(grown, 8, 8), how);
    how.seed = 2;
    struct judged c = judged_table(with(grown, 8, 8), how);
    bool differs = false;
    for (uint32_t i = 0; i < a.gate.columns.matrix.column_count; i++) {
        assert_true(a.gate.column[i].p == b.gate.column[i].p);
        differs |= a.gate.column[i].p != c.gate.column[i].p;
    }
    assert_true(a.gate.critical == b.gate.critical && differs);
    judged_clear(&a);
    judged_clear(&b);
    judged_clear(&c);
}

/* The machine slows down all the time, by more than the change; recorded in pairs, that is no
 * matter. */
static void runs_of_one_block_are_compared_with_each_other(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "main;x");
    for (unsigned r = 0; r < 24; r++) {
        unsigned block = r % 12;
        flm_text_format(&text, " %u", 1000 + 100 * block + (r < 12 ? 0 : 30) + 7 * block % 5);
    }
    flm_text_puts(&text, "\n");
    flm_text_putc(&text, 0);
    struct table_of_runs table = runs_table_parse(text.at, 12, 12, "samples", "samples");
    struct judged apart = judged_table(table, judged_usual());
    assert_int_equal(apart.gate.verdict, FLM_VERDICT_PASS);
    flm_gate_clear(&apart.gate);
    flm_runs_clear(&apart.runs);
    for (uint32_t i = 0; i < 24; i++)
        table.input[i].block = i % 12;
    struct judged blocks = judged_table(table, judged_usual());
    assert_int_equal(blocks.gate.verdict, FLM_VERDICT_FAIL);
    judged_clear(&blocks);
    flm_text_clear(&text);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool make_gate(void *context, struct flm_error *why)
{
    const struct flm_runs *runs = context;
    struct flm_gate gate;
    struct flm_gate_options how = judged_usual();
    how.permutations = 99;
    if (!flm_gate_init(&gate, runs, &how, why))
        return false;
    flm_gate_clear(&gate);
    return true;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct table_of_runs table = with((struct run_stack){"main;b;x", 200, 800, 0.05}, 5, 5);
    struct flm_runs runs = runs_of_table(&table);
    assert_survives_failures(make_gate, &runs);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_program_pass),
        cmocka_unit_test(what_grew_fails_and_is_named),
        cmocka_unit_test(what_shrank_is_told_and_fails_only_if_asked_for),
        cmocka_unit_test(a_growth_that_is_too_small_to_matter_passes),
        cmocka_unit_test(a_new_stack_is_found),
        cmocka_unit_test(what_grew_everywhere_is_in_the_total_alone),
        cmocka_unit_test(a_deterministic_change_has_no_error),
        cmocka_unit_test(a_share_that_changed_is_no_change_by_itself),
        cmocka_unit_test(so_few_runs_that_nothing_can_be_found_are_inconclusive),
        cmocka_unit_test(runs_that_could_not_show_what_is_asked_for_are_inconclusive),
        cmocka_unit_test(what_cannot_be_tested_is_refused),
        cmocka_unit_test(the_least_that_there_can_be_is_judged),
        cmocka_unit_test(the_order_of_runs_does_not_matter_where_all_permutations_are_taken),
        cmocka_unit_test(swapping_base_and_new_turns_every_change_around),
        cmocka_unit_test(the_unit_of_the_metric_does_not_matter),
        cmocka_unit_test(threads_and_seeds_repeat_to_the_last_digit),
        cmocka_unit_test(runs_of_one_block_are_compared_with_each_other),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
