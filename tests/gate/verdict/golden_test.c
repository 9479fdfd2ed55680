/* Golden verdicts of whole gates, computed by no code of this project: algebra/12_gate_*.json. */
#include "gate/verdict/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/json_tree.h"
#include "support/gate/runs.h"

struct golden {
    struct json_tree *expect;
    struct table_of_runs table;
    struct flm_runs runs;
    struct flm_gate gate;
    bool is_full;
};

static void start(struct golden *g, const char *data, const char *mode, double alpha)
{
    char path[100];
    snprintf(path, sizeof path, "tests/data/algebra/12_gate_%s_%s.json", data, mode);
    g->expect = json_tree_read(path);
    g->is_full = strcmp(mode, "full") == 0;
    snprintf(path, sizeof path, "tests/data/algebra/%s.runs", data);
    g->table = runs_table_read(path);
    g->runs = runs_of_table(&g->table);
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_error why = {0};
    how.alpha = alpha;
    how.has_all_columns = true;
    how.absolute_only = !g->is_full;
    how.threads = 2;
    if (!flm_gate_init(&g->gate, &g->runs, &how, &why))
        fail_msg("%s", why.text);
}

static void finish(struct golden *g)
{
    flm_gate_clear(&g->gate);
    flm_runs_clear(&g->runs);
    runs_table_clear(&g->table);
    json_tree_free(g->expect);
}

static void assert_near(double value, const struct json_tree *object, const char *key,
                        double absolute, double relative)
{
    double expected = json_tree_get(object, key)->number;
    if (!(fabs(value - expected) <= absolute + relative * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", key, value, expected);
}

/* The column that is called "main;parse [self]". */
static uint32_t column_called(const struct golden *g, const char *name)
{
    const char *kind = strrchr(name, '[');
    assert_non_null(kind);
    char *path = strdup(name);
    assert_non_null(path);
    path[kind - name - 1] = 0;
    uint32_t node = runs_node(g->runs.tree, path);
    free(path);
    assert_true(node != FLM_NONE);
    bool is_self = strcmp(kind, "[self]") == 0;
    uint32_t column = (is_self ? g->gate.columns.self_column : g->gate.columns.total_column)[node];
    assert_true(column != FLM_NONE);
    assert_int_equal(g->gate.columns.key[column].node, node);
    assert_int_equal(g->gate.columns.key[column].is_self, is_self);
    return column;
}

static void check_columns(const struct golden *g)
{
    const struct json_tree *expected = json_tree_get(g->expect, "significant_0_05");
    size_t count = 0;
    double least = 1;
    for (uint32_t i = 0; i < g->gate.columns.matrix.column_count; i++) {
        count += g->gate.column[i].is_significant;
        least = fmin(least, g->gate.column[i].p);
    }
    assert_int_equal(count, expected->count);
    assert_near(least, g->expect, "min_p", 5e-4, 0);
    for (size_t i = 0; i < expected->count; i++) {
        const struct json_tree *e = &expected->items[i];
        const struct flm_gate_column *c =
            &g->gate.column[column_called(g, json_tree_get(e, "column")->text)];
        assert_true(c->is_significant);
        assert_near(c->new_mean - c->base_mean, e, "delta", 1e-9, 1e-9);
        assert_near(c->t, e, "t", 0, 1e-9);
        assert_near(c->p, e, "p_adj", 5e-4, 0);
        if (!g->is_full)
            continue;
        assert_near(c->t_by_size, e, "t_norm", 0, 1e-9);
        assert_int_equal(c->by_size_only, strcmp(json_tree_get(e, "view")->text, "absolute") != 0);
    }
}

static void check_items(const struct golden *g)
{
    static const char *const kinds[] = {"self", "subtree", "rest"};
    const struct json_tree *expected = json_tree_get(g->expect, "attribution");
    const struct flm_attribution *found = &g->gate.found;
    assert_int_equal(found->count, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        const struct json_tree *e = &expected->items[i];
        uint32_t node = runs_node(g->runs.tree, json_tree_get(e, "frame")->text), k = 0;
        while (k < found->count &&
               (found->item[k].node != node ||
                strcmp(kinds[found->item[k].scope], json_tree_get(e, "kind")->text) != 0))
            k++;
        if (k == found->count)
            fail_msg("no item '%s'", json_tree_get(e, "frame")->text);
        assert_near(found->item[k].change, e, "delta", 1e-9, 1e-9);
        assert_near(g->gate.column[found->item[k].column].p, e, "p_adj", 5e-4, 0);
    }
}

static void check_full(const struct golden *g)
{
    const struct json_tree *factors = json_tree_get(g->expect, "size_factors");
    assert_int_equal(factors->count, g->runs.run_count);
    for (uint32_t i = 0; i < g->runs.run_count; i++)
        assert_true(fabs(g->gate.columns.size_factor[i] / factors->items[i].number - 1) < 1e-9);
    const struct json_tree *total = json_tree_get(g->expect, "total");
    assert_near(g->gate.total.new_mean - g->gate.total.base_mean, total, "delta", 1e-9, 1e-9);
    assert_near(g->gate.total.t, total, "t", 0, 1e-9);
    assert_near(g->gate.total.p, total, "p", 5 * 5e-4, 0); /* p / 0.2 */
}

static void check(const char *data, const char *mode)
{
    struct golden g;
    start(&g, data, mode, 0.05);
    assert_int_equal(g.gate.columns.matrix.column_count,
                     json_tree_get(g.expect, "columns")->number);
    check_columns(&g);
    check_items(&g);
    if (g.is_full)
        check_full(&g);
    assert_near(g.gate.critical, g.expect, "crit_0_05", 0, 1e-9);
    finish(&g);
    start(&g, data, mode, 0.01);
    const char *verdict = json_tree_get(g.expect, "verdict_two_sided_0_01")->text;
    assert_int_equal(g.gate.verdict,
                     strcmp(verdict, "PASS") == 0 ? FLM_VERDICT_PASS : FLM_VERDICT_FAIL);
    finish(&g);
}

static void runs_that_do_not_differ_pass(void **state)
{
    (void)state;
    check("s1_null", "full");
    check("s1_null", "raw");
}

static void every_planted_change_is_found_and_nothing_else(void **state)
{
    (void)state;
    check("s2_mixed", "full");
    check("s2_mixed", "raw");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_do_not_differ_pass),
        cmocka_unit_test(every_planted_change_is_found_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
