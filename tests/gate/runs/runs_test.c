#include "gate/runs/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"
#include "support/profile/profiles.h"

static uint32_t node_count(const struct flm_runs *runs)
{
    return runs->tree->sizes.node_count;
}

/* By node of the tree, what the profile itself has there: found by its path. */
static double *self_by_path(const struct flm_runs *runs, const struct flm_profile *p)
{
    double *self = calloc(node_count(runs), sizeof *self);
    assert_non_null(self);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (flm_self_column(p, 0)[i] == 0)
            continue;
        char *path = runs_path(p, i);
        uint32_t node = runs_node(runs->tree, path);
        assert_true(node != FLM_NONE);
        self[node] = flm_self_column(p, 0)[i];
        free(path);
    }
    return self;
}

static void check_runs(const struct flm_runs *runs, const struct table_of_runs *table)
{
    uint32_t count = node_count(runs);
    double *sum = calloc(count, sizeof *sum), *self = malloc(count * sizeof *self);
    uint32_t *base = calloc(4 * count, sizeof *base), *new = base + count;
    assert_true(sum && self && base);
    for (uint32_t r = 0; r < runs->run_count; r++) {
        double *expected = self_by_path(runs, table->profile[r]), total = 0;
        flm_runs_self(runs, r, self);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(self[i] == expected[i]);
            sum[i] += self[i];
            total += self[i];
            base[i] += self[i] > 0 && !runs->run[r].is_new;
            new[i] += self[i] > 0 && runs->run[r].is_new;
        }
        for (uint32_t i = 0; i < count; i++) {
            bool any = false;
            for (uint32_t k = i; k < runs->tree->node_end[i]; k++)
                any |= self[k] > 0;
            base[(runs->run[r].is_new ? 3 : 2) * count + i] += any;
        }
        assert_true(runs->run[r].total == total);
        free(expected);
    }
    assert_memory_equal(sum, flm_self_column(runs->tree, runs->metric.index), count * sizeof *sum);
    uint32_t *seen = malloc(4 * count * sizeof *seen);
    assert_non_null(seen);
    assert_true(flm_runs_seen(runs, false, seen, seen + count, NULL));
    assert_true(flm_runs_seen(runs, true, seen + 2 * count, seen + 3 * count, NULL));
    assert_memory_equal(seen, base, 4 * count * sizeof *seen);
    for (uint32_t i = 1; i < count; i++) /* every node has a value below it */
        assert_true(seen[2 * count + i] + seen[3 * count + i] > 0);
    free(seen);
    free(sum);
    free(self);
    free(base);
}

static void runs_are_their_profiles_and_the_tree_is_their_sum(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int round = 0; round < 30; round++) {
        struct table_of_runs table =
            runs_by_chance(&random, random_below(&random, 4), 1 + random_below(&random, 4),
                           random_below(&random, 40));
        struct flm_runs runs = runs_of_table(&table);
        assert_sound(runs.tree);
        assert_int_equal(runs.base_count + runs.new_count, runs.run_count);
        check_runs(&runs, &table);
        flm_runs_clear(&runs);
        runs_table_clear(&table);
    }
}

static void the_order_of_runs_changes_nothing_but_their_order(void **state)
{
    (void)state;
    uint64_t random = 12;
    struct table_of_runs table = runs_by_chance(&random, 4, 4, 30);
    struct flm_runs runs = runs_of_table(&table), turned;
    struct flm_run_input input[8];
    for (uint32_t i = 0; i < 8; i++)
        input[i] = table.input[7 - i];
    assert_true(flm_runs_init(&turned, input, 8, NULL, NULL));
    assert_profiles_equal(runs.tree, turned.tree);
    for (uint32_t i = 0; i < 8; i++) {
        const struct flm_run *a = &runs.run[i], *b = &turned.run[7 - i];
        assert_true(a->count == b->count && a->total == b->total && a->is_new == b->is_new);
        assert_memory_equal(runs.node + a->first, turned.node + b->first,
                            a->count * sizeof *runs.node);
        assert_memory_equal(runs.value + a->first, turned.value + b->first,
                            a->count * sizeof *runs.value);
    }
    flm_runs_clear(&runs);
    flm_runs_clear(&turned);
    runs_table_clear(&table);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

struct value {
    const char *metric, *unit, *stack;
    double value;
};

/* A profile of these values; the metrics in the order of their coming. */
static struct flm_profile *profile_with(const struct value *values, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        struct flm_metric m = flm_builder_metric(b, values[i].metric, values[i].unit);
        flm_builder_add(
            b,
            flm_builder_child(b, flm_builder_root(b),
                              flm_builder_function(b, values[i].stack, strlen(values[i].stack))),
            m, values[i].value);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

/* Takes both profiles. */
static bool init_pair(struct flm_runs *runs, struct flm_profile *a, struct flm_profile *b,
                      const char *metric, struct flm_error *why)
{
    struct flm_run_input input[] = {{a, "a.flm", false, 0}, {b, "b.flm", true, 0}};
    bool good = flm_runs_init(runs, input, 2, metric, why);
    flm_profile_free(a);
    flm_profile_free(b);
    return good;
}

static void the_first_metric_that_all_have_is_judged(void **state)
{
    (void)state;
    static const struct value a[] = {
        {"cpu", "ns", "f", 4}, {"samples", "samples", "g", 2}, {"only", "bytes", "h", 9}};
    static const struct value b[] = {
        {"samples", "samples", "g", 3}, {"other", "ns", "i", 8}, {"only", "ns", "k", 8}};
    struct flm_runs runs;
    struct flm_error why = {0};
    assert_true(init_pair(&runs, profile_with(a, 3), profile_with(b, 3), NULL, &why));
    assert_folded(runs.tree, "g 5\n"); /* what only other metrics have is not there */
    assert_int_equal(runs.tree->sizes.metric_count, 1);
    assert_sound(runs.tree);
    assert_true(runs.run[0].total == 2 && runs.run[1].total == 3);
    assert_int_equal(runs.node[1], 1);
    flm_runs_clear(&runs);

    assert_true(init_pair(&runs, profile_with(a, 3), profile_with(b, 3), "samples", &why));
    flm_runs_clear(&runs);
    assert_false(init_pair(&runs, profile_with(a, 3), profile_with(b, 3), "cpu", &why));
    assert_string_equal(why.text, "b.flm: there is no metric 'cpu'; there is samples, other, only");
    assert_false(init_pair(&runs, profile_with(a, 3), profile_with(b, 3), "only", &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    assert_string_equal(why.text, "b.flm: 'only' is in 'ns', and in a.flm in 'bytes': only runs in "
                                  "the same unit can be compared");
}

static void the_only_metric_of_each_may_be_called_as_it_likes(void **state)
{
    (void)state;
    static const struct value a = {"cycles", "ns", "f", 4}, b = {"cycles:u", "ns", "f", 5},
                              c = {"cycles", "bytes", "f", 5}, d = {"x", "bytes", "f", 5};
    struct flm_runs runs;
    struct flm_error why = {0};
    assert_true(init_pair(&runs, profile_with(&a, 1), profile_with(&b, 1), NULL, &why));
    assert_folded(runs.tree, "f 9\n");
    assert_int_equal(flm_profile_metric_named(runs.tree, "cycles").index, 0);
    flm_runs_clear(&runs);
    assert_false(init_pair(&runs, profile_with(&a, 1), profile_with(&c, 1), NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    assert_string_equal(why.text, "b.flm: 'cycles' is in 'bytes', and in a.flm in 'ns': only runs "
                                  "in the same unit can be compared");
    assert_false(init_pair(&runs, profile_with(&a, 1), profile_with(&d, 1), NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    assert_string_equal(why.text,
                        "the runs have no metric in common: the first of a.flm is cycles, "
                        "and of b.flm x");
    assert_false(init_pair(&runs, profile_with(NULL, 0), profile_with(&d, 1), NULL, &why));
    assert_string_equal(why.text, "the runs have no metric in common: the first of a.flm is none, "
                                  "and of a.flm none");
}

static void differences_are_refused_and_empty_runs_are_not(void **state)
{
    (void)state;
    static const struct value a = {"cpu", "ns", "f", 4}, b = {"cpu", "ns", "f", -4};
    struct flm_runs runs;
    struct flm_error why = {0};
    assert_false(init_pair(&runs, profile_with(&a, 1), profile_with(&b, 1), NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, "b.flm has values below 0: it is a difference, where recordings "
                                  "themselves are needed");
    assert_true(init_pair(&runs, profile_of(""), profile_of("f 3\n"), NULL, &why));
    assert_true(runs.run[0].total == 0 && runs.run[0].count == 0 && runs.run[1].count == 1);
    flm_runs_clear(&runs);
    assert_true(init_pair(&runs, profile_of(""), profile_of(""), NULL, &why));
    assert_int_equal(node_count(&runs), 1);
    flm_runs_clear(&runs);
}

/* ---- What a sample is ------------------------------------------------------------------------ */

static double unit_of(struct flm_profile *a, struct flm_profile *b)
{
    struct flm_runs runs;
    assert_true(init_pair(&runs, a, b, NULL, NULL));
    double unit = runs.unit;
    flm_runs_clear(&runs);
    return unit;
}

/* `count` stacks with multiples of a number. */
static struct flm_profile *multiples(int count, double of, const char *unit)
{
    struct value *values = calloc((size_t)count, sizeof *values);
    char(*names)[16] = calloc((size_t)count, sizeof *names);
    assert_true(values && names);
    for (int i = 0; i < count; i++) {
        sprintf(names[i], "f%d", i);
        values[i] = (struct value){"value", unit, names[i], of * (2 + i)};
    }
    struct flm_profile *p = profile_with(values, (size_t)count);
    free(values);
    free(names);
    return p;
}

static void a_sample_is_found_in_all_runs_together(void **state)
{
    (void)state;
    assert_true(unit_of(profile_of("f 3\n"), profile_of("f 5\n")) == 1);
    assert_true(unit_of(multiples(30, 1e6, "ns"), multiples(20, 1e6, "ns")) == 1e6);
    assert_true(unit_of(multiples(30, 3e6, "ns"), multiples(20, 2e6, "ns")) == 1e6);
    assert_true(unit_of(multiples(30, 1e6, "ns"), multiples(20, 7, "ns")) == 0);
    assert_true(unit_of(multiples(30, 4096, "bytes"), multiples(30, 4096, "bytes")) == 0);
    assert_true(unit_of(multiples(3, 1e6, "ns"), multiples(3, 1e6, "ns")) == 0);

    static const struct value a[] = {{"cpu", "ns", "f", 40}, {"samples", "samples", "f", 4}};
    static const struct value b[] = {{"cpu", "ns", "f", 80}, {"samples", "samples", "f", 2}};
    assert_true(unit_of(profile_with(a, 2), profile_with(b, 2)) == 20);
    assert_true(unit_of(profile_with(a, 2), profile_with(b, 1)) == 0); /* not all count them */
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool make_runs(void *context, struct flm_error *why)
{
    const struct table_of_runs *table = context;
    struct flm_runs runs;
    if (!flm_runs_init(&runs, table->input, table->count, NULL, why))
        return false;
    uint32_t count = node_count(&runs);
    uint32_t seen[2][400];
    assert_true(count < 400);
    bool good = flm_runs_seen(&runs, true, seen[0], seen[1], why);
    flm_runs_clear(&runs);
    return good;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    uint64_t random = 13;
    struct table_of_runs table = runs_by_chance(&random, 3, 3, 20);
    assert_survives_failures(make_runs, &table);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_their_profiles_and_the_tree_is_their_sum),
        cmocka_unit_test(the_order_of_runs_changes_nothing_but_their_order),
        cmocka_unit_test(the_first_metric_that_all_have_is_judged),
        cmocka_unit_test(the_only_metric_of_each_may_be_called_as_it_likes),
        cmocka_unit_test(differences_are_refused_and_empty_runs_are_not),
        cmocka_unit_test(a_sample_is_found_in_all_runs_together),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
