#include "format/valgrind/callgrind_lines.h"

#include "support/core/random.h"
#include "support/profile/perf_reading.h"

enum { FUNCTIONS = 40, LINES = 30, BLOCKS = 400 };

struct model {
    struct flm_call_graph graph;
    struct flm_callgrind_lines lines;
    uint64_t cost[FUNCTIONS][LINES];
};

static void begin(struct model *m, size_t most_lines)
{
    *m = (struct model){.graph.cost_count = 1};
    m->lines = (struct flm_callgrind_lines){.graph = &m->graph, .most_lines = most_lines};
}

static void clear(struct model *m)
{
    flm_callgrind_lines_clear(&m->lines);
    flm_call_graph_clear(&m->graph);
}

/* Blocks of functions, with random lines, some of them several times: of random functions, or one
 * of each. */
static void add_blocks(struct model *m, uint64_t *random, bool one_of_each)
{
    for (uint32_t block = 0; block < (one_of_each ? FUNCTIONS : BLOCKS); block++) {
        uint32_t function = one_of_each ? block * 7 % FUNCTIONS : random_below(random, FUNCTIONS);
        for (size_t i = random_below(random, 2 * LINES); i-- > 0;) {
            uint32_t line = random_below(random, LINES);
            uint64_t cost = 1 + random_below(random, 10 * (function + 1));
            uint32_t item = flm_callgrind_lines_find(&m->lines, line % 3, line);
            assert_true(item != UINT32_MAX);
            m->lines.block_costs.at[item] += cost;
            m->cost[function][line] += cost;
        }
        assert_true(flm_callgrind_lines_end(&m->lines, function));
        assert_true(m->lines.line_count <= m->lines.most_lines);
    }
}

static void functions_have_their_costs(const struct model *m)
{
    uint64_t is[FUNCTIONS] = {0}, wanted[FUNCTIONS] = {0};
    size_t with_items = 0, items = m->graph.items.count;
    for (size_t i = 0; i < items; i++) {
        with_items += is[m->graph.items.at[i].function] == 0;
        is[m->graph.items.at[i].function] += m->graph.item_costs.at[i];
    }
    for (size_t f = 0; f < FUNCTIONS; f++) {
        for (size_t line = 0; line < LINES; line++)
            wanted[f] += m->cost[f][line];
        assert_int_equal(is[f], wanted[f]);
    }
    assert_int_equal(m->lines.line_count, items - with_items);
}

static void every_line_has_its_cost(void **state)
{
    (void)state;
    struct model m;
    uint64_t random = 7;
    begin(&m, SIZE_MAX);
    add_blocks(&m, &random, false);
    functions_have_their_costs(&m);
    for (size_t i = 0; i < m.graph.items.count; i++) {
        const struct flm_call_item *item = &m.graph.items.at[i];
        assert_int_equal(item->file, item->line % 3);
        assert_int_equal(m.graph.item_costs.at[i], m.cost[item->function][item->line]);
        m.cost[item->function][item->line] = 0; /* each is there once */
    }
    for (size_t i = 0; i < FUNCTIONS * LINES; i++)
        assert_int_equal(m.cost[i / LINES][i % LINES], 0);
    assert_true(m.lines.lost == 0);
    clear(&m);
}

static void of_too_many_some_are_dropped(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct model m;
        uint64_t random = seed;
        begin(&m, 20 * seed);
        add_blocks(&m, &random, false);
        functions_have_their_costs(&m);
        assert_true(m.lines.lost > 0);
        for (size_t i = 0; i < m.graph.items.count; i++) {
            const struct flm_call_item *item = &m.graph.items.at[i];
            if (m.lines.own.at[item->function].has_no_lines)
                assert_true(item->line == 0 && item->file == 0);
            else
                assert_int_equal(m.graph.item_costs.at[i], m.cost[item->function][item->line]);
        }
        clear(&m);
    }
}

static void those_of_the_functions_that_cost_most_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct model m;
        uint64_t random = seed;
        begin(&m, 20 * seed);
        add_blocks(&m, &random, true);
        functions_have_their_costs(&m);
        uint64_t cost[FUNCTIONS] = {0}, most = 0, least = UINT64_MAX;
        size_t lines[FUNCTIONS] = {0};
        for (size_t i = 0; i < m.graph.items.count; i++) {
            cost[m.graph.items.at[i].function] += m.graph.item_costs.at[i];
            lines[m.graph.items.at[i].function]++;
        }
        for (size_t f = 0; f < FUNCTIONS; f++) {
            if (m.lines.own.at[f].has_no_lines && cost[f] > most)
                most = cost[f];
            if (lines[f] > 1 && cost[f] < least)
                least = cost[f];
        }
        assert_true(m.lines.lost > 0 && most > 0 && most <= least);
        clear(&m);
    }
}

static void it_begins_anew(void **state)
{
    (void)state;
    struct model m;
    uint64_t random = 3;
    uint32_t functions[FUNCTIONS];
    begin(&m, 50);
    for (int turn = 0; turn < 3; turn++) {
        memset(m.cost, 0, sizeof m.cost);
        add_blocks(&m, &random, false);
        functions_have_their_costs(&m);
        for (uint32_t f = 0; f < FUNCTIONS; f++)
            functions[f] = f;
        flm_callgrind_lines_restart(&m.lines, functions, FUNCTIONS);
        flm_call_graph_clear(&m.graph);
        assert_true(m.lines.lost == 0 && m.lines.line_count == 0);
    }
    assert_int_equal(flm_callgrind_lines_item(&m.lines, 5), 0);
    assert_int_equal(flm_callgrind_lines_item(&m.lines, 9), 1);
    assert_int_equal(flm_callgrind_lines_item(&m.lines, 5), 0);
    clear(&m);
}

static void sums_that_are_too_large_are_none(void **state)
{
    (void)state;
    struct model m;
    begin(&m, 50);
    for (int block = 0; block < 2; block++) {
        uint32_t item = flm_callgrind_lines_find(&m.lines, 1, 1);
        m.lines.block_costs.at[item] = UINT64_MAX - 7;
        assert_true(flm_callgrind_lines_end(&m.lines, 0) == (block == 0));
    }
    assert_true(m.lines.is_large);
    clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_has_its_cost),
        cmocka_unit_test(of_too_many_some_are_dropped),
        cmocka_unit_test(those_of_the_functions_that_cost_most_stay),
        cmocka_unit_test(it_begins_anew),
        cmocka_unit_test(sums_that_are_too_large_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
