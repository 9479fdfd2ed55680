#include "gate/verdict/significant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"
#include "support/profile/profiles.h"

/* An item of a gate that has no more than it. */
static struct flm_item item_of(const struct flm_runs *runs, const char *path,
                               enum flm_item_scope scope)
{
    uint32_t node = runs_node(runs->tree, path);
    assert_true(node != FLM_NONE);
    return (struct flm_item){.node = node, .scope = scope};
}

static const char encoder[] = "main;parse;lex 3800 4240\n"
                              "main;write 910 940\n"
                              "main;encode 5 6\n"
                              "main;encode;a 100 112\n"
                              "main;encode;b 90 88\n";

/* "lost gained" of a stack. */
static void assert_significant(const struct flm_significant *significant,
                               const struct flm_runs *runs, const char *path, double lost,
                               double gained)
{
    uint32_t node = runs_node(runs->tree, path);
    assert_true(significant->lost[node] == lost && significant->gained[node] == gained);
}

static void only_what_an_item_explains_is_significant(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of(encoder, 1, 1);
    struct flm_item items[] = {item_of(&runs, "main;parse;lex", FLM_ITEM_SELF),
                               item_of(&runs, "main;encode", FLM_ITEM_SPREAD)};
    struct flm_gate gate = {.found = {items, 2}};
    struct flm_significant significant;
    assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
    assert_significant(&significant, &runs, "main;parse;lex", 0, 440);
    assert_significant(&significant, &runs, "main;write", 0, 0);
    assert_significant(&significant, &runs, "main;encode", 0, 1);
    assert_significant(&significant, &runs, "main;encode;a", 0, 12);
    assert_significant(&significant, &runs, "main;encode;b", 2, 0);
    flm_significant_clear(&significant);

    items[1].scope = FLM_ITEM_SELF; /* of encode alone */
    assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
    assert_significant(&significant, &runs, "main;encode", 0, 1);
    assert_significant(&significant, &runs, "main;encode;a", 0, 0);
    flm_significant_clear(&significant);
    flm_runs_clear(&runs);
}

static void without_items_a_total_is_all_that_changed(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of(encoder, 1, 1);
    struct flm_gate gate = {.total = {.is_significant = true}};
    struct flm_significant significant;
    assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
    assert_significant(&significant, &runs, "main;write", 0, 30);
    assert_significant(&significant, &runs, "main;encode;b", 2, 0);
    flm_significant_clear(&significant);
    gate.total.is_significant = false;
    assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
    for (uint32_t i = 0; i < runs.tree->sizes.node_count; i++)
        assert_true(significant.lost[i] == 0 && significant.gained[i] == 0);
    flm_significant_clear(&significant);
    flm_runs_clear(&runs);
}

/* Below an item both add up to its change; what is below another item is in both. */
static void below_an_item_it_adds_up_to_the_change(void **state)
{
    (void)state;
    uint64_t random = 20;
    for (int round = 0; round < 20; round++) {
        struct table_of_runs table = runs_by_chance(&random, 6, 6, 60);
        struct flm_runs runs = runs_of_table(&table);
        struct flm_gate_options how = flm_gate_defaults();
        struct flm_gate gate;
        struct flm_significant significant;
        how.alpha = 0.5; /* there are to be items */
        how.permutations = 99;
        assert_true(flm_gate_init(&gate, &runs, &how, NULL));
        assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
        for (uint32_t i = 0; i < gate.found.count; i++) {
            const struct flm_item *item = &gate.found.item[i];
            if (item->scope == FLM_ITEM_REST)
                continue; /* it is what the others leave */
            bool is_self = item->scope == FLM_ITEM_SELF;
            uint32_t end = is_self ? item->node + 1 : runs.tree->node_end[item->node];
            double sum = 0;
            for (uint32_t node = item->node; node < end; node++)
                sum += significant.gained[node] - significant.lost[node];
            assert_true(fabs(sum - item->change) < 1e-6);
        }
        flm_significant_clear(&significant);
        flm_gate_clear(&gate);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

static void each_side_has_its_part_and_the_verdict(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of(encoder, 1, 1);
    struct flm_item items[] = {item_of(&runs, "main;encode", FLM_ITEM_SPREAD)};
    struct flm_gate gate = {.found = {items, 1}};
    struct flm_significant significant;
    struct flm_profile *side[2];
    assert_true(flm_significant_init(&significant, &runs, &gate, NULL));
    for (int i = 0; i < 2; i++) {
        side[i] =
            flm_significant_side(&significant, &runs, i == 1, flm_bytes_of("FAIL: it grew"), NULL);
        assert_sound(side[i]);
        assert_true(flm_bytes_are(flm_profile_note(side[i], FLM_NOTE_VERDICT), "FAIL: it grew"));
    }
    flm_significant_clear(&significant);

    struct flm_profile *both = flm_comparison_align(side[0], side[1], NULL);
    assert_sound(both);
    assert_true(flm_bytes_are(flm_profile_note(both, FLM_NOTE_VERDICT), "FAIL: it grew"));
    struct flm_metric_pair pair, found;
    assert_true(flm_metric_pair_find(both, NULL, &pair, NULL));
    assert_true(flm_bytes_are(pair.name, "samples"));
    assert_true(flm_metric_pair_significant(both, &pair, &found));
    uint32_t a = runs_node(both, "main;encode;a"), b = runs_node(both, "main;encode;b");
    assert_true(flm_profile_self(both, pair.before)[a] == 100);
    assert_true(flm_profile_self(both, pair.after)[a] == 112);
    assert_true(flm_profile_self(both, found.after)[a] == 12);
    assert_true(flm_profile_self(both, found.before)[b] == 2);
    assert_false(flm_metric_pair_significant(both, &found, &found)); /* by itself it is no mask */
    flm_profile_free(both);
    flm_profile_free(side[0]);
    flm_profile_free(side[1]);
    flm_runs_clear(&runs);
}

static void by_the_paper_it_is_what_the_responsible_stacks_changed(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of(encoder, 1, 1);
    struct flm_paper_stack stacks[] = {
        {.node = runs_node(runs.tree, "main;parse;lex"), .is_responsible = true},
        {.node = runs_node(runs.tree, "main;write")},
        {.node = runs_node(runs.tree, "main;encode;b"), .is_responsible = true}};
    struct flm_paper paper = {.stack = stacks, .stack_count = 3};
    struct flm_significant significant;
    assert_true(flm_significant_init_paper(&significant, &runs, &paper, NULL));
    assert_significant(&significant, &runs, "main;parse;lex", 0, 440);
    assert_significant(&significant, &runs, "main;write", 0, 0);
    assert_significant(&significant, &runs, "main;encode", 0, 0);
    assert_significant(&significant, &runs, "main;encode;a", 0, 0);
    assert_significant(&significant, &runs, "main;encode;b", 2, 0);
    flm_significant_clear(&significant);
    flm_runs_clear(&runs);
}

struct making {
    struct flm_runs runs;
    struct flm_gate gate;
};

static bool make(void *context, struct flm_error *why)
{
    const struct making *m = context;
    struct flm_significant significant;
    if (!flm_significant_init(&significant, &m->runs, &m->gate, why))
        return false;
    struct flm_profile *side =
        flm_significant_side(&significant, &m->runs, true, flm_bytes_of("FAIL: it grew"), why);
    flm_significant_clear(&significant);
    flm_profile_free(side);
    return side != NULL;
}

static bool make_by_paper(void *context, struct flm_error *why)
{
    const struct making *m = context;
    struct flm_paper_stack stack = {.is_responsible = true};
    struct flm_paper paper = {.stack = &stack, .stack_count = 1};
    struct flm_significant significant;
    if (!flm_significant_init_paper(&significant, &m->runs, &paper, why))
        return false;
    flm_significant_clear(&significant);
    return true;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct making m = {.runs = runs_of(encoder, 1, 1)};
    struct flm_item item = item_of(&m.runs, "main;encode", FLM_ITEM_SPREAD);
    m.gate.found = (struct flm_attribution){&item, 1};
    assert_true(assert_survives_failures(make, &m) > 5);
    assert_true(assert_survives_failures(make_by_paper, &m) > 2);
    flm_runs_clear(&m.runs);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_an_item_explains_is_significant),
        cmocka_unit_test(without_items_a_total_is_all_that_changed),
        cmocka_unit_test(below_an_item_it_adds_up_to_the_change),
        cmocka_unit_test(each_side_has_its_part_and_the_verdict),
        cmocka_unit_test(by_the_paper_it_is_what_the_responsible_stacks_changed),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
