#include "algebra/aggregate/address_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "flamel/builder.h"
#include "profile/chains.h"
#include "support/core/failures.h"
#include "support/profile/random_profile.h"

/* "main@10;parse@20;lex~20": frames of "app" at addresses; lex is inlined. */
static void add(struct flm_builder *b, const char *stack, double value)
{
    struct flm_node node = flm_builder_root(b);
    for (const char *at = stack; *at;) {
        size_t size = strcspn(at, ";"), name = strcspn(at, "@~;");
        const struct flm_frame_record record = {.function = flm_builder_string(b, at, name).index,
                                                .module = flm_builder_string(b, "app", 3).index,
                                                .kind = at[name] == '~' ? FLM_KIND_INLINED
                                                                        : FLM_KIND_NATIVE};
        struct flm_location where = {.address = name < size ? strtoul(at + name + 1, NULL, 16) : 0};
        struct flm_frame frame = flm_builder_frame(b, &record);
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
    add(b, "main@10;parse@20;lex~20;next~20", 5); /* of three functions at once */
    add(b, "main@10;parse@20;lex~20", 2);
    add(b, "main@10;parse@24;next~24", 1);
    add(b, "main@10;parse@28;parse@28;parse@20", 8); /* calls itself */
    add(b, "main@10;parse@28;next@90", 16);          /* not inlined here: a call */
    add(b, "main@10;parse", 32);                     /* no address */
    add(b, "main@10;parse@30;parse~30;parse~30", 64);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static void assert_cost(const struct flm_profile *p, const struct flm_address_costs *costs,
                        const char *function, uint64_t address, double self, double total)
{
    for (size_t i = 0; i < costs->count; i++) {
        const struct flm_address_cost *c = &costs->address[i];
        if (c->address != address || !flm_bytes_are(flm_string_bytes(p, c->function), function))
            continue;
        if (c->self != self || c->total != total)
            fail_msg("%s at %x: %g and %g", function, (unsigned)address, c->self, c->total);
        return;
    }
    fail_msg("%s has nothing at %x", function, (unsigned)address);
}

static void an_address_costs_its_function_and_what_is_inlined_there(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    struct flm_address_costs costs;
    assert_true(flm_address_costs_init(&costs, p, (struct flm_metric){0}, NULL, NULL));
    assert_cost(p, &costs, "main", 0x10, 0, 128);
    assert_cost(p, &costs, "parse", 0x20, 15, 15);
    assert_cost(p, &costs, "lex", 0x20, 7, 7);
    assert_cost(p, &costs, "next", 0x20, 5, 5);
    assert_cost(p, &costs, "parse", 0x24, 1, 1);
    assert_cost(p, &costs, "next", 0x24, 1, 1);
    assert_cost(p, &costs, "parse", 0x28, 0, 24); /* each stack once */
    assert_cost(p, &costs, "next", 0x90, 16, 16);
    assert_cost(p, &costs, "parse", 0, 32, 32);
    assert_cost(p, &costs, "parse", 0x30, 64, 64); /* inlined into itself: once */
    assert_int_equal(costs.count, 10);
    flm_address_costs_clear(&costs);
    flm_profile_free(p);
}

/* Also those of a function of which only the inlined frames are marked. */
static void only_marked_functions_count(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = flm_bytes_are(flm_frame_function(p, i), "lex");
    struct flm_address_costs costs;
    assert_true(flm_address_costs_init(&costs, p, (struct flm_metric){0}, marks, NULL));
    assert_int_equal(costs.count, 1);
    assert_cost(p, &costs, "lex", 0x20, 7, 7);
    flm_address_costs_clear(&costs);
    free(marks);
    flm_profile_free(p);
}

/* The same, stack by stack: of every profile. */
static double self_of(const struct flm_profile *p, const uint32_t *parent, struct flm_metric metric,
                      const struct flm_address_cost *cost)
{
    double sum = 0;
    for (uint32_t leaf = 1; leaf < p->sizes.node_count; leaf++) {
        bool counts = false, goes_on = true;
        for (uint32_t node = leaf; goes_on && node != 0; node = parent[node]) {
            const struct flm_frame_record *f = &p->frames[p->node_frame[node]],
                                          *outer = &p->frames[p->node_frame[parent[node]]];
            uint32_t own = flm_frame_location(f), next = flm_frame_location(outer);
            uint64_t address = own ? flm_location_at(p, own - 1).address : 0;
            counts |= f->function == cost->function && f->module == cost->module &&
                      address == cost->address;
            goes_on = f->kind == FLM_KIND_INLINED && f->module == outer->module &&
                      address == (next ? flm_location_at(p, next - 1).address : 0);
        }
        sum += counts ? flm_self_column(p, metric.index)[leaf] : 0;
    }
    return sum;
}

static void every_sample_is_counted(void **state)
{
    (void)state;
    uint64_t random = 1234;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_profile *split = flm_has_chains(p) ? flm_profile_split(p, NULL) : NULL;
        const struct flm_metric metric = {(uint32_t)round % p->sizes.metric_count};
        struct flm_address_costs costs;
        assert_true(flm_address_costs_init(&costs, p, metric, NULL, NULL));
        const struct flm_profile *of = split ? split : p;
        uint32_t *parent = malloc(of->sizes.node_count * sizeof *parent);
        assert_non_null(parent);
        flm_profile_parents(of, parent);
        for (size_t i = 0; i < costs.count; i++) {
            assert_true(costs.address[i].self == self_of(of, parent, metric, &costs.address[i]));
            assert_true(i == 0 || costs.address[i - 1].function < costs.address[i].function ||
                        costs.address[i - 1].module < costs.address[i].module ||
                        costs.address[i - 1].address < costs.address[i].address);
        }
        free(parent);
        flm_address_costs_clear(&costs);
        flm_profile_free(split);
        flm_profile_free(p);
    }
}

static bool collect(void *context, struct flm_error *why)
{
    struct flm_address_costs costs;
    bool good = flm_address_costs_init(&costs, context, (struct flm_metric){0}, NULL, why);
    flm_address_costs_clear(&costs);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    assert_true(assert_survives_failures(collect, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_costs_its_function_and_what_is_inlined_there),
        cmocka_unit_test(only_marked_functions_count),
        cmocka_unit_test(every_sample_is_counted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
