/* Of random graphs: each function has its own costs, whatever calls what. */
#include "format/call_graph/call_graph.h"
#include "support/core/random.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

enum { COSTS = 2, MOST_FUNCTIONS = 400 };

struct graph {
    struct flm_call_graph graph;
    struct flm_builder *builder;
    struct flm_metric metrics[COSTS + 1];
    struct flm_frame_record frames[MOST_FUNCTIONS];
    uint64_t self[MOST_FUNCTIONS][COSTS];
    uint64_t calls;
    uint32_t count;
    struct flm_call_stacks *stacks; /* NULL: those that `finish` makes */
};

static void begin(struct graph *g, uint32_t count)
{
    *g =
        (struct graph){.graph.cost_count = COSTS, .builder = flm_builder_new(NULL), .count = count};
    assert_non_null(g->builder);
    g->metrics[0] = flm_builder_metric(g->builder, "a", "count");
    g->metrics[1] = flm_builder_metric(g->builder, "b", "count");
    g->metrics[2] = flm_builder_metric(g->builder, "calls", "count");
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        int size = snprintf(name, sizeof name, "f%03u", i);
        g->frames[i].function = flm_builder_string(g->builder, name, (size_t)size).index;
    }
}

static void add_self(struct graph *g, uint32_t function, uint64_t a, uint64_t b)
{
    uint32_t item = flm_call_graph_item(&g->graph, (struct flm_call_item){function, 0, 0});
    assert_true(item != UINT32_MAX);
    g->graph.item_costs.at[item * COSTS] += a;
    g->graph.item_costs.at[item * COSTS + 1] += b;
    g->self[function][0] += a;
    g->self[function][1] += b;
}

static void add_call(struct graph *g, uint32_t from, uint32_t to, uint64_t a, uint64_t b)
{
    uint32_t edge = flm_call_graph_edge(&g->graph, (struct flm_call_edge){from, to, 0, 0});
    assert_true(edge != UINT32_MAX);
    g->graph.edges.at[edge].calls += 3;
    g->graph.edge_costs.at[edge * COSTS] += a;
    g->graph.edge_costs.at[edge * COSTS + 1] += b;
    g->calls += 3;
}

static void add(const struct flm_call_stacks *stacks, struct flm_node node, const double *costs,
                double calls)
{
    struct graph *g = stacks->context;
    for (size_t i = 0; i < COSTS; i++) {
        assert_true(costs[i] >= 0 && costs[i] == (double)(uint64_t)costs[i]);
        flm_builder_add(stacks->builder, node, g->metrics[i], costs[i]);
    }
    flm_builder_add(stacks->builder, node, g->metrics[2], calls);
}

static struct flm_profile *finish(struct graph *g)
{
    struct flm_call_stacks stacks = {.builder = g->builder,
                                     .frames = g->frames,
                                     .function_count = g->count,
                                     .context = g,
                                     .add = add};
    assert_true(flm_call_graph_stacks(&g->graph, g->stacks ? g->stacks : &stacks));
    flm_call_graph_clear(&g->graph);
    struct flm_profile *p = flm_builder_finish(g->builder, NULL);
    assert_non_null(p);
    assert_sound(p);
    for (uint32_t f = 0; f < g->count; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%03u", f);
        double sums[COSTS] = {0};
        for (uint32_t i = 1; i < p->sizes.node_count; i++)
            if (is_string(p, p->frames[p->node_frame[i]].function, name))
                for (size_t c = 0; c < COSTS; c++)
                    sums[c] += flm_self_column(p, (uint32_t)c)[i];
        for (size_t c = 0; c < COSTS; c++)
            if (sums[c] != (double)g->self[f][c])
                fail_msg("%s has %.0f, not %.0f", name, sums[c], (double)g->self[f][c]);
    }
    assert_true(flm_profile_total(p, g->metrics[2]) == (double)g->calls);
    return p;
}

static void costs_are_divided_in_proportion(void **state)
{
    (void)state;
    struct graph g;
    begin(&g, 5);
    add_call(&g, 0, 1, 600, 0);
    add_call(&g, 0, 2, 300, 0);
    add_self(&g, 1, 300, 0);
    add_call(&g, 1, 3, 300, 0);
    add_self(&g, 2, 200, 0);
    add_call(&g, 2, 3, 100, 0);
    add_call(&g, 3, 4, 400, 0);
    add_self(&g, 4, 400, 0);
    struct flm_profile *p = finish(&g);
    assert_folded(p, "f000;f001 300\nf000;f001;f003;f004 300\nf000;f002 200\n"
                     "f000;f002;f003;f004 100\n");
    flm_profile_free(p);
}

static void a_function_without_costs_and_calls_is_none(void **state)
{
    (void)state;
    struct graph g;
    begin(&g, 3);
    add_self(&g, 1, 10, 0);
    struct flm_profile *p = finish(&g);
    assert_folded(p, "f001 10\n");
    flm_profile_free(p);
}

static void what_callers_do_not_account_for_is_a_root(void **state)
{
    (void)state;
    struct graph g;
    begin(&g, 2);
    add_self(&g, 0, 10, 0);
    add_call(&g, 0, 1, 30, 0);
    add_self(&g, 1, 100, 0);
    struct flm_profile *p = finish(&g);
    assert_folded(p, "f000 10\nf000;f001 30\nf001 70\n");
    flm_profile_free(p);
}

static void cycles_end_where_they_began(void **state)
{
    (void)state;
    struct graph g;
    begin(&g, 3);
    add_self(&g, 0, 10, 0);
    add_call(&g, 0, 0, 5, 0); /* itself */
    add_call(&g, 0, 1, 90, 0);
    add_self(&g, 1, 40, 0);
    add_call(&g, 1, 2, 50, 0);
    add_self(&g, 2, 50, 0);
    add_call(&g, 2, 1, 0, 0);
    struct flm_profile *p = finish(&g);
    assert_folded(p, "f000 10\nf000;f001 40\nf000;f001;f002 50\n");
    flm_profile_free(p);

    begin(&g, 2); /* no root: what is heavier calls the other */
    add_self(&g, 0, 10, 0);
    add_call(&g, 0, 1, 40, 0);
    add_self(&g, 1, 20, 0);
    add_call(&g, 1, 0, 60, 0);
    p = finish(&g);
    assert_true(flm_profile_total(p, g.metrics[0]) == 30);
    flm_profile_free(p);
}

static void functions_have_their_own_costs_whatever_calls_what(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        struct graph g;
        uint32_t count = 1 + (uint32_t)(random_next(&random) % (round < 50 ? 30 : MOST_FUNCTIONS));
        begin(&g, count);
        for (uint32_t i = 0; i < count; i++)
            if (random_next(&random) % 4)
                add_self(&g, i, random_next(&random) % 1000, random_next(&random) % 3);
        for (uint32_t i = 0; i < count * 6; i++)
            add_call(&g, (uint32_t)(random_next(&random) % count),
                     (uint32_t)(random_next(&random) % count), random_next(&random) % 5000,
                     random_next(&random) % 2);
        flm_profile_free(finish(&g));
    }
}

/* 60 layers of 5 functions, each of which calls all of the next: 5^60 paths. */
static void the_tree_is_bounded(void **state)
{
    (void)state;
    enum { LAYERS = 60, WIDTH = 5 };
    struct graph g;
    begin(&g, LAYERS * WIDTH);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        for (uint32_t i = 0; i < WIDTH; i++) {
            add_self(&g, layer * WIDTH + i, 7 + i, 1);
            for (uint32_t to = 0; layer + 1 < LAYERS && to < WIDTH; to++)
                add_call(&g, layer * WIDTH + i, (layer + 1) * WIDTH + to,
                         (LAYERS - layer - 1) * (7 + to), LAYERS - layer - 1);
        }
    struct flm_profile *p = finish(&g);
    assert_true(p->sizes.node_count > LAYERS * WIDTH && p->sizes.node_count < 110000);
    flm_profile_free(p);
}

/* Lines of functions with many stacks, each of which would repeat them. */
static void lines_are_bounded(void **state)
{
    (void)state;
    enum { WIDTH = 20, LINES = 50 };
    for (size_t most = 0; most <= 800; most += 400) {
        struct graph g;
        begin(&g, 2 * WIDTH);
        for (uint32_t from = 0; from < WIDTH; from++)
            for (uint32_t to = 0; to < WIDTH; to++)
                add_call(&g, from, WIDTH + to, 100 + to, 1);
        for (uint32_t to = 0; to < WIDTH; to++)
            for (uint32_t line = 1; line <= LINES; line++) {
                struct flm_call_item at = {WIDTH + to, 0, line};
                uint32_t item = flm_call_graph_item(&g.graph, at);
                g.graph.item_costs.at[item * COSTS] += WIDTH * (2 + to / LINES);
                g.self[WIDTH + to][0] += WIDTH * (2 + to / LINES);
            }
        struct flm_call_stacks stacks = {.builder = g.builder,
                                         .frames = g.frames,
                                         .function_count = g.count,
                                         .most_lines = most,
                                         .context = &g,
                                         .add = add};
        g.stacks = &stacks;
        struct flm_profile *p = finish(&g);
        size_t nodes = WIDTH + WIDTH * WIDTH;
        assert_int_equal(p->sizes.node_count, 1 + nodes);
        if (most == 0)
            assert_true(p->sizes.chain_count > 10 * nodes && stacks.lost_lines == 0);
        else
            assert_true(p->sizes.chain_count <= most + 2 * nodes + 1 && stacks.lost_lines > 0);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_divided_in_proportion),
        cmocka_unit_test(a_function_without_costs_and_calls_is_none),
        cmocka_unit_test(what_callers_do_not_account_for_is_a_root),
        cmocka_unit_test(cycles_end_where_they_began),
        cmocka_unit_test(functions_have_their_own_costs_whatever_calls_what),
        cmocka_unit_test(the_tree_is_bounded),
        cmocka_unit_test(lines_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
