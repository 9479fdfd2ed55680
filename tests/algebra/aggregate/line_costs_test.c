#include "algebra/aggregate/line_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "flamel/builder.h"
#include "profile/chains.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* "main:9;walk:3;walk:3 5": frames at lines of app.c. */
static void add(struct flm_builder *b, const char *stack, double value)
{
    struct flm_node node = flm_builder_root(b);
    for (const char *at = stack; *at;) {
        size_t size = strcspn(at, ";"), name = strcspn(at, ":;");
        struct flm_location where = {.file = flm_builder_string(b, "app.c", 5).index,
                                     .line = (uint32_t)strtoul(at + name + 1, NULL, 10)};
        struct flm_frame frame = flm_builder_function(b, at, name);
        node = flm_builder_child(b, node,
                                 name < size ? flm_builder_frame_at(b, frame, &where) : frame);
        at += size + (at[size] == ';');
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), value);
}

static struct flm_profile *example(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    add(b, "main:9;walk:3;walk:3;walk:5", 7);
    add(b, "main:9;walk:3;read", 4);
    add(b, "main:8;walk:5", 1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static const struct flm_line_cost *line_of(const struct flm_profile *p,
                                           const struct flm_line_costs *costs, const char *function,
                                           uint32_t line)
{
    for (size_t i = 0; i < costs->count; i++)
        if (costs->line[i].line == line &&
            flm_bytes_are(flm_string_bytes(p, costs->line[i].function), function))
            return &costs->line[i];
    fail_msg("%s has no line %u", function, line);
    return NULL;
}

static void a_stack_counts_once_for_a_line(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_profile *p = example();
    struct flm_line_costs costs;
    assert_true(flm_line_costs_init(&costs, p, (struct flm_metric){0},
                                    (struct flm_metric){FLM_NONE}, NULL, &why));
    assert_int_equal(costs.count, 5);
    assert_true(line_of(p, &costs, "walk", 5)->self == 8);
    assert_true(line_of(p, &costs, "walk", 5)->total == 8);
    assert_true(line_of(p, &costs, "walk", 3)->self == 0);
    assert_true(line_of(p, &costs, "walk", 3)->total == 11); /* not 18: it is called by itself */
    assert_true(line_of(p, &costs, "main", 9)->total == 11);
    assert_true(line_of(p, &costs, "main", 8)->total == 1);
    assert_true(line_of(p, &costs, "read", 0)->self == 4); /* no line is known */
    uint32_t order[5];
    assert_true(flm_line_costs_sort(&costs, order));
    assert_true(costs.line[order[0]].self == 8 && costs.line[order[1]].self == 4);
    assert_true(costs.line[order[2]].total == 11 && costs.line[order[4]].total == 1);
    /* Of those that are known and have a self value. */
    uint32_t first[5];
    assert_int_equal(flm_line_costs_first(&costs, first, 5), 1);
    assert_int_equal(first[0], order[0]);
    flm_line_costs_clear(&costs);
    flm_profile_free(p);
}

/* As sorting all of them has it. */
static void the_first_lines_are_those_of_all(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    uint32_t seed = 7;
    for (int i = 0; i < 300; i++) {
        char stack[40];
        seed = seed * 1664525 + 1013904223;
        snprintf(stack, sizeof stack, "main:9;walk:%u", 1 + (seed >> 8) % 200);
        add(b, stack, (seed >> 20) % 9);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_line_costs costs;
    assert_true(flm_line_costs_init(&costs, p, (struct flm_metric){0},
                                    (struct flm_metric){FLM_NONE}, NULL, NULL));
    uint32_t order[300], first[300];
    assert_true(flm_line_costs_sort(&costs, order));
    size_t with_self = flm_line_costs_first(&costs, first, 300);
    assert_true(with_self > 50);
    assert_memory_equal(first, order, with_self * sizeof *first);
    assert_true(with_self == costs.count || costs.line[order[with_self]].self == 0);
    assert_int_equal(flm_line_costs_first(&costs, first, 10), 10);
    assert_memory_equal(first, order, 10 * sizeof *first);
    flm_line_costs_clear(&costs);
    flm_profile_free(p);
}

static void two_metrics_are_compared(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    add(b, "main:9;walk:3", 7);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 5);
    flm_builder_add(b, node, flm_builder_metric(b, "old", "ns"), 4);
    node = flm_builder_child(b, node, flm_builder_function(b, "gone", 4));
    flm_builder_add(b, node, flm_builder_metric(b, "old", "ns"), 20);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_line_costs costs;
    uint32_t order[5];
    assert_true(
        flm_line_costs_init(&costs, p, (struct flm_metric){0}, (struct flm_metric){1}, NULL, NULL));
    assert_int_equal(costs.count, 4);
    const struct flm_line_cost *line = line_of(p, &costs, "main", 0);
    assert_true(line->self == 5 && line->total == 5);
    assert_true(line->self_before == 4 && line->total_before == 24);
    assert_true(line_of(p, &costs, "gone", 0)->self_before == 20);
    assert_true(line_of(p, &costs, "gone", 0)->total == 0);
    assert_true(line_of(p, &costs, "walk", 3)->self_before == 0);
    /* The largest change first. */
    assert_true(flm_line_costs_sort(&costs, order));
    assert_ptr_equal(&costs.line[order[0]], line_of(p, &costs, "gone", 0));
    assert_ptr_equal(&costs.line[order[1]], line_of(p, &costs, "walk", 3));
    assert_ptr_equal(&costs.line[order[2]], line);
    assert_int_equal(flm_line_costs_first(&costs, order, 0), 0);
    flm_line_costs_clear(&costs);
    flm_profile_free(p);
}

static void only_marked_functions_count(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_profile *p = example();
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = flm_bytes_are(flm_frame_function(p, i), "main");
    struct flm_line_costs costs;
    assert_true(flm_line_costs_init(&costs, p, (struct flm_metric){0},
                                    (struct flm_metric){FLM_NONE}, marks, &why));
    assert_int_equal(costs.count, 2);
    flm_line_costs_clear(&costs);
    free(marks);
    flm_profile_free(p);
}

/* Of every function, whatever the profile. */
static void lines_add_up_to_their_function(void **state)
{
    (void)state;
    struct flm_error why;
    uint64_t random = 77;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_line_costs costs;
        struct flm_functions functions;
        const struct flm_metric metric = {(uint32_t)round % p->sizes.metric_count};
        assert_true(
            flm_line_costs_init(&costs, p, metric, (struct flm_metric){FLM_NONE}, NULL, &why));
        struct flm_profile *split = flm_has_chains(p) ? flm_profile_split(p, &why) : NULL;
        struct flm_line_costs same;
        assert_true(flm_line_costs_init(&same, split ? split : p, metric,
                                        (struct flm_metric){FLM_NONE}, NULL, &why));
        assert_int_equal(same.count, costs.count);
        for (size_t k = 0; k < costs.count; k++)
            assert_true(same.line[k].line == costs.line[k].line &&
                        same.line[k].self == costs.line[k].self &&
                        same.line[k].total == costs.line[k].total);
        flm_line_costs_clear(&same);
        flm_profile_free(split);
        assert_true(flm_functions_init(&functions, p, &why));
        assert_true(flm_functions_measure(&functions, p, metric, &why));
        for (uint32_t i = 1; i < functions.count; i++) {
            const struct flm_function *f = &functions.function[i];
            double lines = 0, all = 0;
            for (size_t k = 0; k < costs.count; k++)
                if (costs.line[k].function == f->name && costs.line[k].module == f->module)
                    lines += costs.line[k].self;
            for (uint32_t k = 1; k < functions.count; k++)
                if (functions.function[k].name == f->name &&
                    functions.function[k].module == f->module)
                    all += functions.function[k].self;
            assert_true(lines == all);
        }
        flm_functions_clear(&functions);
        flm_line_costs_clear(&costs);
        flm_profile_free(p);
    }
}

static void assert_selfs(const struct flm_profile *p, struct flm_metric metric)
{
    struct flm_error why;
    struct flm_line_costs all, selfs;
    assert_true(flm_line_costs_init(&all, p, metric, (struct flm_metric){FLM_NONE}, NULL, &why));
    assert_true(flm_line_selfs_init(&selfs, p, metric, &why));
    size_t at = 0;
    for (size_t i = 0; i < all.count; i++) {
        const struct flm_line_cost *line = &all.line[i], *self = &selfs.line[at];
        if (line->self == 0)
            continue;
        assert_true(at < selfs.count);
        assert_int_equal(self->function, line->function);
        assert_int_equal(self->module, line->module);
        assert_int_equal(self->of_file, line->of_file);
        assert_int_equal(self->file, line->file);
        assert_int_equal(self->line, line->line);
        assert_true(self->self == line->self && self->total == 0);
        assert_true(self->self_before == 0 && self->total_before == 0);
        at++;
    }
    assert_int_equal(at, selfs.count);
    flm_line_costs_clear(&all);
    flm_line_costs_clear(&selfs);
}

static void self_values_alone_are_the_same(void **state)
{
    (void)state;
    uint64_t random = 4;
    unsigned with_chains = 0;
    struct flm_profile *p = example();
    assert_selfs(p, (struct flm_metric){0});
    flm_profile_free(p);
    for (int round = 0; round < 60; round++) {
        p = random_profile(&random, &random_full);
        with_chains += flm_has_chains(p);
        for (uint32_t i = 0; flm_has_chains(p) && i < p->sizes.metric_count; i++)
            assert_selfs(p, (struct flm_metric){i});
        flm_profile_free(p);
    }
    assert_true(with_chains > 30);
}

static bool collect_selfs(void *context, struct flm_error *why)
{
    struct flm_line_costs costs;
    bool good = flm_line_selfs_init(&costs, context, (struct flm_metric){0}, why);
    flm_line_costs_clear(&costs);
    return good;
}

static bool collect(void *context, struct flm_error *why)
{
    struct flm_line_costs costs;
    bool good = flm_line_costs_init(&costs, context, (struct flm_metric){0},
                                    (struct flm_metric){FLM_NONE}, NULL, why);
    flm_line_costs_clear(&costs);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    assert_true(assert_survives_failures(collect, p) > 8);
    assert_true(assert_survives_failures(collect_selfs, p) > 6);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_counts_once_for_a_line),
        cmocka_unit_test(the_first_lines_are_those_of_all),
        cmocka_unit_test(two_metrics_are_compared),
        cmocka_unit_test(only_marked_functions_count),
        cmocka_unit_test(lines_add_up_to_their_function),
        cmocka_unit_test(self_values_alone_are_the_same),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
