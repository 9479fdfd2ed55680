/* Changes that were planted are named where they are, and nothing else is: on saved data sets, and
 * on some that are simulated here. How often, bench/power_bench.c measures on thousands. */
#include "gate/verdict/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/json_tree.h"
#include "support/gate/runs.h"
#include "support/gate/simulated_verdict.h"

static struct flm_gate judge(const struct flm_runs *runs, double alpha, uint32_t permutations)
{
    struct flm_gate_options how = flm_gate_defaults();
    struct flm_gate gate;
    struct flm_error why = {0};
    how.alpha = alpha;
    how.permutations = permutations;
    how.threads = 2;
    if (!flm_gate_init(&gate, runs, &how, &why))
        fail_msg("%s", why.text);
    return gate;
}

static uint32_t significant_columns(const struct flm_gate *gate)
{
    uint32_t count = gate->total.is_significant;
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++)
        count += gate->column[i].is_significant;
    return count;
}

/* ---- Saved ----------------------------------------------------------------------------------- */

static void nothing_is_found_in_saved_runs_of_one_program(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_read("tests/data/algebra/s1_null.runs");
    struct flm_runs runs = runs_of_table(&table);
    struct flm_gate gate = judge(&runs, 0.05, 9999);
    assert_int_equal(significant_columns(&gate), 0);
    assert_int_equal(gate.found.count, 0);
    assert_int_equal(gate.verdict, FLM_VERDICT_PASS);
    flm_gate_clear(&gate);
    flm_runs_clear(&runs);
    runs_table_clear(&table);
}

/* Whether an item is at the stack, and grew as it did. */
static bool is_at(const struct flm_item *item, const char *path, const struct json_tree *stack,
                  double sign)
{
    return strcmp(path, stack->text) == 0 && item->change * sign > 0;
}

/* Of a planted change, the ends that have this item: bit 0 the first one, bit 1 the other. */
static unsigned ends_at(const struct flm_item *item, const char *path,
                        const struct json_tree *change)
{
    const char *kind = json_tree_get(change, "kind")->text;
    double sign = json_tree_get(change, "delta")->number > 0 ? 1 : -1;
    if (strcmp(kind, "cost_shift") == 0)
        return is_at(item, path, json_tree_get(change, "from_"), -sign) |
               (unsigned)is_at(item, path, json_tree_get(change, "to"), sign) << 1;
    if (strcmp(kind, "subtree") != 0)
        return is_at(item, path, json_tree_get(change, "stack"), sign);
    const char *frame = json_tree_get(change, "frame")->text;
    size_t size = strlen(frame);
    return strncmp(path, frame, size) == 0 && (path[size] == 0 || path[size] == ';') &&
           item->change * sign > 0;
}

static void check_planted(const struct flm_runs *runs, const struct flm_gate *gate,
                          const struct json_tree *changes)
{
    unsigned named[8] = {0};
    assert_in_range(changes->count, 1, 8);
    for (uint32_t i = 0; i < gate->found.count; i++) {
        char *path = runs_path(runs->tree, gate->found.item[i].node);
        bool is_planted = false;
        for (size_t k = 0; k < changes->count; k++) {
            unsigned ends = ends_at(&gate->found.item[i], path, &changes->items[k]);
            named[k] |= ends;
            is_planted |= ends != 0;
        }
        if (!is_planted)
            fail_msg("nothing was planted at %s", path);
        free(path);
    }
    for (size_t k = 0; k < changes->count; k++) {
        bool has_ends = json_tree_find(&changes->items[k], "from_") != NULL;
        assert_int_equal(named[k], has_ends ? 3 : 1);
    }
}

static void saved_changes_are_named_where_they_are_and_nothing_else(void **state)
{
    (void)state;
    struct json_tree *truth = json_tree_read("tests/data/algebra/s2_mixed_truth.json");
    struct table_of_runs table = runs_table_read("tests/data/algebra/s2_mixed.runs");
    struct flm_runs runs = runs_of_table(&table);
    static const double alphas[] = {0.05, 0.01};
    for (int i = 0; i < 2; i++) {
        struct flm_gate gate = judge(&runs, alphas[i], 9999);
        check_planted(&runs, &gate, json_tree_get(truth, "changes"));
        assert_int_equal(gate.verdict, FLM_VERDICT_FAIL);
        flm_gate_clear(&gate);
    }
    flm_runs_clear(&runs);
    runs_table_clear(&table);
    json_tree_free(truth);
}

/* ---- Simulated ------------------------------------------------------------------------------- */

struct simulated {
    struct simulated_program program;
    struct simulated_runs *made;
    struct flm_runs runs;
    struct flm_gate gate;
};

static struct simulated simulate(enum simulated_change change, enum simulated_noise noise,
                                 uint64_t seed, double alpha)
{
    struct simulated s = {.program = simulated_program(seed)};
    struct simulated_program new = simulated_changed(&s.program, change);
    struct simulated_machine machine = {noise, SIMULATED_BASE_FIRST, 0};
    s.made = simulated_runs_new(&s.program, &new, 30, 30, &machine, 100 + seed);
    assert_non_null(s.made);
    assert_true(flm_runs_init(&s.runs, simulated_inputs(s.made), 60, NULL, NULL));
    s.gate = judge(&s.runs, alpha, 999);
    return s;
}

static void clear(struct simulated *s)
{
    flm_gate_clear(&s->gate);
    flm_runs_clear(&s->runs);
    simulated_runs_free(s->made);
}

static void nothing_is_found_in_simulated_runs_of_one_program(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (int noise = SIMULATED_COUNTING; noise <= SIMULATED_OUTLIERS; noise++) {
            struct simulated s = simulate(SIMULATED_NONE, (enum simulated_noise)noise, seed, 0.01);
            assert_int_equal(significant_columns(&s.gate), 0);
            assert_int_equal(s.gate.verdict, FLM_VERDICT_PASS);
            clear(&s);
        }
    }
}

/* The order of places is that of simulated_places: hot, appeared, frame, warm, other, leaving. */
static void simulated_changes_are_named_where_they_are_and_nothing_else(void **state)
{
    (void)state;
    enum { HOT, APPEARED, FRAME, WARM, OTHER, LEAVING, PLACES, SETS = 20 };
    unsigned found[PLACES] = {0}, above = 0, wrong = 0, fails = 0;
    for (uint64_t i = 0; i < SETS; i++) {
        struct simulated s = simulate(
            SIMULATED_MIXED, i % 2 ? SIMULATED_OUTLIERS : SIMULATED_UNEVEN, i / 2 + 1, 0.05);
        struct simulated_verdict v =
            simulated_verdict(&s.gate, &s.runs, &s.program, SIMULATED_MIXED);
        assert_int_equal(v.places, (1u << PLACES) - 1);
        for (uint32_t k = 0; k < PLACES; k++)
            found[k] += v.named_within >> k & 1;
        wrong += v.wrong;
        above += v.above;
        assert_true(v.is_found);
        fails += v.fails;
        assert_true(v.named & (1u << WARM | 1u << OTHER));
        clear(&s);
    }
    assert_true(found[HOT] == SETS && found[APPEARED] == SETS && found[LEAVING] == SETS);
    assert_true(found[FRAME] >= 0.9 * SETS);
    assert_true(found[WARM] + found[OTHER] >= 1.5 * SETS);
    assert_true(fails >= 0.9 * SETS); /* what grew and what shrank may look like a move */
    assert_int_equal(wrong, 0);
    assert_true(above <= 0.5 * SETS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_in_saved_runs_of_one_program),
        cmocka_unit_test(saved_changes_are_named_where_they_are_and_nothing_else),
        cmocka_unit_test(nothing_is_found_in_simulated_runs_of_one_program),
        cmocka_unit_test(simulated_changes_are_named_where_they_are_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
