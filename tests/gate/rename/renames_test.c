#include "gate/rename/renames.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"

static struct flm_renames found(struct flm_runs *runs)
{
    struct flm_renames renames;
    uint32_t count = runs->tree->sizes.node_count;
    unsigned char *significant = malloc(count);
    memset(significant, 1, count);
    assert_true(flm_renames_init(&renames, runs, significant, NULL));
    free(significant);
    return renames;
}

static void assert_text(const struct flm_renames *renames, uint32_t index, const char *expected)
{
    struct flm_text text = {0};
    assert_true(index < renames->count);
    flm_rename_text(&text, &renames->rename[index]);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

/* As if a run had had the new name from the start. */
static void runs_are_as_if_the_name_had_always_been_new(void **state)
{
    (void)state;
    struct flm_runs runs =
        runs_of("m 5 5 5 5\nm;old;a 30 31 0 0\nm;old;a;b 4 0 0 0\nm;new;a 0 0 33 29\n"
                "m;new;c 0 0 1 0\nz;old 7 7 0 0\nz;new 0 0 7 6\n",
                2, 2);
    struct flm_runs expected = runs_of("m 5 5 5 5\nm;new;a 30 31 33 29\nm;new;a;b 4 0 0 0\n"
                                       "m;new;c 0 0 1 0\nz;new 7 7 7 6\n",
                                       2, 2);
    struct flm_renames renames = found(&runs);
    assert_int_equal(renames.count, 1);
    assert_text(&renames, 0, "old -> new");
    assert_true(renames.rename[0].node == FLM_NONE);
    uint32_t count = expected.tree->sizes.node_count;
    assert_int_equal(runs.tree->sizes.node_count, count);
    assert_int_equal(runs.tree->sizes.sample_count, 0);
    double *is = malloc(count * sizeof *is), *should = malloc(count * sizeof *should);
    for (uint32_t r = 0; r < runs.run_count; r++) {
        flm_runs_self(&runs, r, is);
        flm_runs_self(&expected, r, should);
        assert_memory_equal(is, should, count * sizeof *is);
        assert_true(runs.run[r].total == expected.run[r].total);
        for (uint32_t i = 1; i < runs.run[r].count; i++)
            assert_true(runs.node[runs.run[r].first + i - 1] < runs.node[runs.run[r].first + i]);
    }
    free(is);
    free(should);
    uint32_t node = runs_node(runs.tree, "z;new");
    assert_int_equal(flm_rename_of(&renames, runs.tree, node), 0);
    assert_true(flm_rename_of(&renames, runs.tree, runs_node(runs.tree, "m")) == FLM_NONE);
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
    flm_runs_clear(&expected);
}

static void what_is_called_tells_functions_apart(void **state)
{
    (void)state;
    struct flm_runs runs =
        runs_of("m;p;a 100 0\nm;p;x 40 0\nm;q;b 100 0\nm;r;b 0 100\nm;s;a 0 100\n"
                "m;s;x 0 40\nm;a 1 1\nm;b 1 1\nm;x 1 1\n",
                1, 1);
    struct flm_renames renames = found(&runs);
    assert_int_equal(renames.count, 2);
    assert_text(&renames, 0, "p -> s");
    assert_text(&renames, 1, "q -> r");
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
}

/* A caller that changed, and the same below it. */
static void a_function_may_move_and_be_renamed(void **state)
{
    (void)state;
    struct flm_runs runs =
        runs_of("m;f;old;a 100 0\nm;f;old;b 50 0\nm;g;new;a 0 100\nm;g;new;b 0 55\n"
                "m;a 1 1\nm;b 1 1\nm;f 9 9\nm;g 9 9\n",
                1, 1);
    struct flm_renames renames = found(&runs);
    assert_int_equal(renames.count, 1);
    assert_text(&renames, 0, "old -> new");
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
    /* Of leaves there is nothing to know them by. */
    runs = runs_of("m;f;old 100 0\nm;g;new 0 100\nm;f 9 9\nm;g 9 9\n", 1, 1);
    renames = found(&runs);
    assert_int_equal(renames.count, 0);
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
}

static void what_is_not_asked_is_left_alone(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("m;old 100 0\nm;new 0 100\n", 1, 1);
    struct flm_renames renames;
    unsigned char *significant = calloc(runs.tree->sizes.node_count, 1);
    assert_true(flm_renames_init(&renames, &runs, significant, NULL));
    assert_int_equal(renames.count, 0);
    free(significant);
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
}

/* A few functions; in new one of them has another name in some of its places. */
static struct flm_runs renamed_by_chance(uint64_t *random)
{
    struct flm_text text = {0};
    unsigned renamed = random_below(random, 4), stacks = 3 + random_below(random, 20);
    for (unsigned s = 0; s < stacks; s++) {
        unsigned path[5], depth = 1 + random_below(random, 5), odds = 1 + random_below(random, 3);
        for (unsigned d = 0; d < depth; d++)
            path[d] = random_below(random, 4);
        for (int is_new = 0; is_new < 2; is_new++) {
            for (unsigned d = 0; d < depth; d++) {
                bool other = is_new && path[d] == renamed && random_below(random, odds) == 0;
                flm_text_format(&text, "%s%s%u", d > 0 ? ";" : "", other ? "g" : "f", path[d]);
            }
            unsigned value = 50 + random_below(random, 20);
            flm_text_format(&text, " %u %u\n", is_new ? 0 : value, is_new ? value : 0);
        }
    }
    flm_text_putc(&text, 0);
    struct flm_runs runs = runs_of(text.at, 1, 1);
    flm_text_clear(&text);
    return runs;
}

/* Whatever is found: no value is lost, and no run has another total. */
static void no_value_is_lost(void **state)
{
    (void)state;
    uint64_t random = 4;
    uint32_t count = 0;
    for (int round = 0; round < 100; round++) {
        struct flm_runs runs = renamed_by_chance(&random);
        struct flm_renames renames = found(&runs);
        count += renames.count;
        double *self = malloc(runs.tree->sizes.node_count * sizeof *self);
        for (uint32_t r = 0; r < runs.run_count; r++) {
            double sum = 0;
            flm_runs_self(&runs, r, self);
            for (uint32_t i = 0; i < runs.tree->sizes.node_count; i++)
                sum += self[i];
            assert_true(sum == runs.run[r].total);
        }
        assert_true(flm_profile_check(runs.tree, NULL));
        free(self);
        flm_renames_clear(&renames);
        flm_runs_clear(&runs);
    }
    assert_true(count > 20);
}

/* Thousands below one caller, of one size, and a chain of them: each is compared with a few. */
static void many_cost_little(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    struct flm_text text = {0};
    for (int i = 0; i < MANY; i++) {
        flm_text_format(&text, "m;old%d %d 0\n", i, 100 + i % 3);
        flm_text_format(&text, "m;new%d 0 %d\n", i, 100 + i % 3);
    }
    flm_text_puts(&text, "c");
    for (int i = 0; i < MANY; i++)
        flm_text_format(&text, ";was%d", i);
    flm_text_puts(&text, " 5 0\nc");
    for (int i = 0; i < MANY; i++)
        flm_text_format(&text, ";is%d", i);
    flm_text_puts(&text, " 0 5\n");
    flm_text_putc(&text, 0);
    struct flm_runs runs = runs_of(text.at, 1, 1);
    flm_text_clear(&text);
    struct flm_renames renames = found(&runs);
    assert_true(renames.count >= MANY);
    flm_renames_clear(&renames);
    flm_runs_clear(&runs);
}

static bool make(void *context, struct flm_error *why)
{
    const struct table_of_runs *table = context;
    struct flm_runs runs;
    struct flm_renames renames;
    if (!flm_runs_init(&runs, table->input, table->count, NULL, why))
        return false;
    unsigned char *significant = malloc(runs.tree->sizes.node_count);
    bool good = significant != NULL || flm_error_memory(why);
    if (good) {
        memset(significant, 1, runs.tree->sizes.node_count);
        good = flm_renames_init(&renames, &runs, significant, why);
    }
    if (good)
        flm_renames_clear(&renames);
    free(significant);
    flm_runs_clear(&runs);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct table_of_runs table =
        runs_table_parse("m;old;a 30 0\nm;new;a 0 30\nm;a;b 5 0\nm;b;b 0 5\n", 1, 1, "n", "");
    assert_true(assert_survives_failures(make, &table) > 40);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_as_if_the_name_had_always_been_new),
        cmocka_unit_test(what_is_called_tells_functions_apart),
        cmocka_unit_test(a_function_may_move_and_be_renamed),
        cmocka_unit_test(what_is_not_asked_is_left_alone),
        cmocka_unit_test(no_value_is_lost),
        cmocka_unit_test(many_cost_little),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
