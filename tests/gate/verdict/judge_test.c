#include "gate/verdict/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/gate/runs.h"

enum { EACH = 10, MOST_STACKS = 24 };

struct fixture {
    struct table_of_runs table;
    struct flm_runs runs;
    struct flm_gate gate;
};

static struct fixture judged(const struct run_stack *stacks, size_t count, bool exact)
{
    struct fixture f = {.table = runs_table_drawn(stacks, count, EACH, EACH, 0.02, 19)};
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_error why = {0};
    how.permutations = 999;
    how.threads = 1;
    how.exact = exact;
    f.runs = runs_of_table(&f.table);
    if (!flm_gate_judge(&f.gate, &f.runs, &how, &why))
        fail_msg("%s", why.text);
    return f;
}

static void clear(struct fixture *f)
{
    flm_gate_clear(&f->gate);
    flm_runs_clear(&f->runs);
    runs_table_clear(&f->table);
}

/* Their text, one after the other; "!" behind what changed too. */
static void assert_renamed(const struct fixture *f, const char *expected)
{
    struct flm_text text = {0};
    for (uint32_t i = 0; i < f->gate.renames.count; i++) {
        flm_text_puts(&text, i > 0 ? ", " : "");
        flm_rename_text(&text, &f->gate.renames.rename[i]);
        flm_text_puts(&text, f->gate.renames.rename[i].has_changed ? "!" : "");
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

#define JUDGED(stacks) judged(stacks, sizeof(stacks) / sizeof(stacks)[0], false)

/* What does not change: 9,000 samples. */
#define REST                                                                                       \
    {"main;io", 4000, 4000, 0.05}, {"main;io;wait", 3000, 3000, 0.05},                             \
    {                                                                                              \
        "main;log;write", 2000, 2000, 0.05                                                         \
    }

static void a_renamed_function_passes(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;parse", 300, 0, 0.1},
                                       {"main;scan", 0, 300, 0.1},
                                       {"main;log;parse", 90, 0, 0.1},
                                       {"main;log;scan", 0, 90, 0.1}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "parse -> scan");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(f.gate.found.count, 0);
    assert_true(runs_node(f.runs.tree, "main;parse") == FLM_NONE);
    assert_true(f.gate.renames.rename[0].similarity > 0.95);
    assert_true(fabs(f.gate.renames.rename[0].base - 390) < 20);
    clear(&f);
}

static void a_renamed_function_that_got_slower_fails_for_that(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {
        REST, {"main;parse", 1000, 0, 0.02}, {"main;scan", 0, 1100, 0.02}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "parse -> scan!");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(f.gate.found.count, 1);
    const struct flm_item *item = &f.gate.found.item[0];
    assert_true(item->is_failing && item->rename == 0 && item->moved_below == FLM_NONE);
    assert_true(item->change > 60 && item->change < 140);
    assert_true(item->base_seen == EACH && item->new_seen == EACH);
    clear(&f);
}

static void an_inner_function_takes_its_subtree_along(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;parse;lex", 700, 0, 0.05},
                                       {"main;parse;lex;next", 400, 0, 0.05},
                                       {"main;parse;tree", 800, 0, 0.05},
                                       {"main;scan;lex", 0, 700, 0.05},
                                       {"main;scan;lex;next", 0, 400, 0.05},
                                       {"main;scan;tree", 0, 1000, 0.05}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "parse -> scan!");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(f.gate.found.count, 1);
    assert_true(f.gate.found.item[0].node == runs_node(f.runs.tree, "main;scan;tree"));
    assert_true(f.gate.found.item[0].rename == FLM_NONE);
    clear(&f);
}

/* Below one that was renamed itself. */
static void renamed_functions_may_call_each_other(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;parse;lex;next", 700, 0, 0.05},
                                       {"main;parse;tree", 300, 0, 0.05},
                                       {"main;scan;letters;next", 0, 700, 0.05},
                                       {"main;scan;tree", 0, 300, 0.05}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "parse -> scan, lex -> letters");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    clear(&f);
}

/* lex and tree are called elsewhere too, by their old names, in both. */
static void a_function_may_be_renamed_in_one_place(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;log;lex", 200, 200, 0.05},
                                       {"main;log;tree", 400, 400, 0.05},
                                       {"main;lex;next", 700, 0, 0.05},
                                       {"main;lex;next;lex", 300, 0, 0.05},
                                       {"main;tree;next", 0, 700, 0.05},
                                       {"main;tree;next;tree", 0, 300, 0.05}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "lex -> tree below main, lex -> tree below main;tree;next");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    clear(&f);
}

/* What is below them says so: they did not change, and nothing grew below main. */
static void swapped_names_are_no_renames_and_a_move(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;one;a", 900, 0, 0.03},
                                       {"main;one;b", 0, 300, 0.03},
                                       {"main;two;b", 300, 0, 0.03},
                                       {"main;two;a", 0, 900, 0.03}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    assert_true(f.gate.found.count >= 2 && f.gate.moves.count == 1);
    clear(&f);
}

static void what_has_no_partner_appeared_or_disappeared(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST,
                                       {"main;gone", 300, 0, 0.05},
                                       {"main;log;went", 100, 0, 0.05},
                                       {"main;came", 0, 900, 0.05},
                                       {"main;io;new", 0, 150, 0.05}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    assert_int_equal(f.gate.found.count, 4);
    clear(&f);
}

/* Of several that are possible, those of the same size. */
static void many_at_once_are_paired_by_size(void **state)
{
    (void)state;
    struct run_stack stacks[3 + 16] = {REST};
    char path[16][24];
    for (int i = 0; i < 8; i++) {
        double size = 200 * pow(1.4, i);
        snprintf(path[i], sizeof path[i], "main;old%d", i);
        snprintf(path[8 + i], sizeof path[i], "main;new%d", 7 - i);
        stacks[3 + i] = (struct run_stack){path[i], size, 0, 0.01};
        stacks[11 + i] = (struct run_stack){path[8 + i], 0, size, 0.01};
    }
    struct fixture f = JUDGED(stacks);
    assert_int_equal(f.gate.renames.count, 8);
    assert_renamed(&f, "old7 -> new0, old6 -> new1, old5 -> new2, old4 -> new3, old3 -> new4, "
                       "old2 -> new5, old1 -> new6, old0 -> new7");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
    clear(&f);
}

static void runs_without_renames_stay_as_they_are(void **state)
{
    (void)state;
    const struct run_stack stacks[] = {REST, {"main;x", 100, 200, 0.05}};
    struct fixture f = JUDGED(stacks);
    assert_renamed(&f, "");
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    clear(&f);
}

static void exact_metrics_are_renamed_too(void **state)
{
    (void)state;
    struct table_of_runs table =
        runs_table_parse("main;io 500 500\nmain;parse 30 0\nmain;scan 0 30\n", 1, 1, "calls", "");
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_gate gate;
    how.exact = true;
    assert_true(flm_gate_judge(&gate, &runs, &how, NULL));
    assert_int_equal(gate.renames.count, 1);
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    assert_int_equal(gate.found.count, 0);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static bool make(void *context, struct flm_error *why)
{
    const struct table_of_runs *table = context;
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_runs runs;
    struct flm_gate gate;
    how.exact = true;
    if (!flm_runs_init(&runs, table->input, table->count, NULL, why))
        return false;
    bool good = flm_gate_judge(&gate, &runs, &how, why);
    if (good)
        flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(
        "main;io 500 500\nmain;parse;lex 30 0\nmain;scan;lex 0 30\nmain;lex;x 0 9\nmain;io;x 9 0\n"
        "main;io;lex 0 9\n",
        1, 1, "calls", "");
    assert_true(assert_survives_failures(make, &table) > 60);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_renamed_function_passes),
        cmocka_unit_test(a_renamed_function_that_got_slower_fails_for_that),
        cmocka_unit_test(an_inner_function_takes_its_subtree_along),
        cmocka_unit_test(renamed_functions_may_call_each_other),
        cmocka_unit_test(a_function_may_be_renamed_in_one_place),
        cmocka_unit_test(swapped_names_are_no_renames_and_a_move),
        cmocka_unit_test(what_has_no_partner_appeared_or_disappeared),
        cmocka_unit_test(many_at_once_are_paired_by_size),
        cmocka_unit_test(runs_without_renames_stay_as_they_are),
        cmocka_unit_test(exact_metrics_are_renamed_too),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
