#include "viewer/scene/call_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/core/bytes.h"
#include "profile/columns.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "viewer/scene/siblings.h"

/* A table of the stacks of a profile. */
struct table {
    struct flm_profile *p;
    struct flm_pane pane;
    struct flm_call_tree *tree;
};

static struct table table_of(struct flm_profile *p)
{
    struct flm_metric metric = {0};
    struct flm_layout_options options = {.tree = flm_tree_of(p, metric)};
    struct table table = {.p = p,
                          .pane = {.kind = FLM_PANE_STACKS,
                                   .profile = p,
                                   .tree = options.tree,
                                   .layout = flm_layout_new(&options, NULL)},
                          .tree = flm_call_tree_new()};
    assert_non_null(table.pane.layout);
    assert_non_null(table.tree);
    return table;
}

static void clear(struct table *table)
{
    flm_call_tree_free(table->tree);
    flm_layout_free(table->pane.layout);
    flm_profile_free(table->p);
}

static struct flm_node named(const struct table *table, const char *name)
{
    for (uint32_t i = 1; i < table->p->sizes.node_count; i++)
        if (flm_bytes_are(flm_frame_function(table->p, table->p->node_frame[i]), name))
            return (struct flm_node){i};
    fail_msg("there is no %s", name);
    return (struct flm_node){FLM_NONE};
}

/* "+" stands for what is closed, "-" for what is open; a blank for each level. */
static void assert_rows(const struct table *table, uint32_t from, uint32_t count,
                        const char *expected)
{
    struct flm_call_row rows[50];
    struct flm_text text = {0};
    uint32_t got;
    assert_true(flm_call_tree_rows(table->tree, from, count, rows, &got, NULL));
    for (uint32_t i = 0; i < got; i++) {
        flm_text_repeat(&text, ' ', rows[i].level);
        flm_text_putc(&text, !rows[i].has_children ? '.' : rows[i].is_open ? '-' : '+');
        flm_text_add(&text, flm_frame_function(table->p, table->p->node_frame[rows[i].node.index]));
        flm_text_putc(&text, '\n');
        assert_int_equal(flm_call_tree_row_of(table->tree, rows[i].node), from + i);
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static const char small[] = "main;read;copy 3\nmain;read;decode 1\nmain;write 2\nmain;close;c 1\n";

static void at_first_the_heaviest_path_is_open(void **state)
{
    (void)state;
    struct table table = table_of(profile_of(small));
    assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
    assert_int_equal(flm_call_tree_count(table.tree), 6);
    assert_rows(&table, 0, 50, "-main\n -read\n  .copy\n  .decode\n .write\n +close\n");
    clear(&table);
}

static void opening_and_closing_keeps_what_is_below(void **state)
{
    (void)state;
    struct table table = table_of(profile_of(small));
    assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
    flm_call_tree_open(table.tree, named(&table, "read"));
    flm_call_tree_open(table.tree, named(&table, "close"));
    assert_rows(&table, 0, 50, "-main\n -read\n  .copy\n  .decode\n .write\n -close\n  .c\n");
    assert_rows(&table, 3, 2, "  .decode\n .write\n");
    flm_call_tree_close(table.tree, named(&table, "main"));
    assert_rows(&table, 0, 50, "+main\n");
    assert_int_equal(flm_call_tree_row_of(table.tree, named(&table, "copy")), FLM_NONE);
    flm_call_tree_close(table.tree, named(&table, "read"));
    flm_call_tree_open(table.tree, named(&table, "main"));
    assert_rows(&table, 0, 50, "-main\n +read\n .write\n -close\n  .c\n");
    assert_true(flm_call_tree_is_open(table.tree, named(&table, "close")));
    assert_rows(&table, 99, 2, "");
    clear(&table);
}

static void all_below_opens_at_once_and_the_way_to_a_frame_too(void **state)
{
    (void)state;
    struct table table = table_of(profile_of("a;b;c;d 1\na;x 2\ne;f;g 5\n"));
    assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
    flm_call_tree_close(table.tree, named(&table, "f"));
    flm_call_tree_close(table.tree, named(&table, "e"));
    assert_rows(&table, 0, 50, "+e\n+a\n");
    flm_call_tree_open_all(table.tree, named(&table, "e"));
    assert_rows(&table, 0, 50, "-e\n -f\n  .g\n+a\n");
    flm_call_tree_reveal(table.tree, named(&table, "d"));
    assert_rows(&table, 3, 50, "-a\n .x\n -b\n  -c\n   .d\n");
    flm_call_tree_close(table.tree, named(&table, "b"));
    flm_call_tree_follow(table.tree, named(&table, "c"));
    assert_rows(&table, 3, 50, "-a\n .x\n -b\n  -c\n   .d\n");
    flm_call_tree_close(table.tree, named(&table, "b"));
    flm_call_tree_follow(table.tree, named(&table, "c")); /* the person closed it */
    assert_rows(&table, 3, 50, "-a\n .x\n +b\n");
    clear(&table);
}

static void another_metric_keeps_what_is_open(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;b 1 9\na;c 0 5\nd;e 7 1\n");
    struct table table = table_of(p);
    assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
    flm_call_tree_open(table.tree, named(&table, "a"));
    struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){1})};
    struct flm_layout *other = flm_layout_new(&options, NULL);
    struct flm_pane pane = table.pane;
    pane.layout = other;
    pane.tree = options.tree;
    assert_true(flm_call_tree_show(table.tree, &pane, NULL));
    assert_true(flm_call_tree_is_open(table.tree, named(&table, "a")));
    bool has_both = flm_self_column(p, 1)[named(&table, "c").index] != 0;
    assert_int_equal(flm_call_tree_count(table.tree), has_both ? 4 : 3);
    flm_layout_free(other);
    clear(&table);
}

/* ---- By chance ------------------------------------------------------------------------------- */

/* The rows one by one: what is open, and by which rows. */
static void walk(const struct table *table, const unsigned char *open, uint32_t node,
                 uint32_t *rows, uint32_t *count)
{
    struct flm_siblings siblings = {0};
    const struct flm_sorted_children *sorted =
        flm_siblings_below(&siblings, table->pane.layout, node, NULL);
    for (uint32_t i = 0; i < sorted->count; i++) {
        rows[(*count)++] = sorted->child[i];
        if (open[sorted->child[i]])
            walk(table, open, sorted->child[i], rows, count);
    }
    flm_siblings_clear(&siblings);
}

static void change_by_chance(const struct table *table, unsigned char *open, uint64_t *random)
{
    uint32_t node = random_below(random, table->p->sizes.node_count);
    struct flm_node at = {node};
    if (flm_layout_total(table->pane.layout, at) == 0)
        return;
    bool has_children = flm_child_first(table->pane.layout, node) != FLM_NONE;
    switch (random_below(random, 8)) {
    case 0:
        flm_call_tree_open_all(table->tree, at);
        for (uint32_t i = node; i < table->p->node_end[node]; i++)
            open[i] = 1;
        break;
    case 1:
        flm_call_tree_reveal(table->tree, at);
        for (uint32_t i = 0; i < node; i++)
            open[i] = open[i] || table->p->node_end[i] > node;
        break;
    case 2:
    case 3:
    case 4:
        flm_call_tree_close(table->tree, at);
        open[node] = node == 0;
        break;
    default:
        flm_call_tree_open(table->tree, at);
        open[node] = open[node] || has_children;
        break;
    }
}

static void rows_are_those_of_a_walk_whatever_is_opened(void **state)
{
    (void)state;
    uint64_t random = 21;
    for (unsigned i = 0; i < 100; i++) {
        struct random_shape shape = {
            .stacks = 1 + i, .names = 3 + i % 5, .deepest = 1 + i % 9, .metrics = 1};
        struct table table = table_of(random_profile(&random, &shape));
        uint32_t nodes = table.p->sizes.node_count;
        unsigned char *open = calloc(nodes, 1);
        uint32_t *expected = malloc(nodes * sizeof *expected);
        struct flm_call_row *rows = malloc(nodes * sizeof *rows);
        assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
        for (uint32_t n = 0; n < nodes; n++)
            open[n] = flm_call_tree_is_open(table.tree, (struct flm_node){n});
        for (unsigned step = 0; step < 40; step++) {
            uint32_t count = 0, got;
            change_by_chance(&table, open, &random);
            walk(&table, open, 0, expected, &count);
            assert_int_equal(flm_call_tree_count(table.tree), count);
            uint32_t from = count ? random_below(&random, count) : 0;
            assert_true(flm_call_tree_rows(table.tree, from, nodes, rows, &got, NULL));
            assert_int_equal(got, count - from);
            for (uint32_t n = 0; n < got; n++) {
                assert_int_equal(rows[n].node.index, expected[from + n]);
                assert_int_equal(flm_call_tree_row_of(table.tree, rows[n].node), from + n);
            }
        }
        free(open);
        free(expected);
        free(rows);
        clear(&table);
    }
}

/* ---- Callers that are opened ----------------------------------------------------------------- */

static void take_unfolded(struct flm_pane *pane)
{
    assert_true(flm_lazy_tree_columns(pane->lazy, &pane->lazy_columns, NULL));
    pane->tree = (struct flm_tree){.node_count = pane->lazy_columns.node_count,
                                   .frame = pane->lazy_columns.frame,
                                   .end = pane->lazy_columns.end,
                                   .width = pane->lazy_columns.width};
    flm_layout_free(pane->layout);
    struct flm_layout_options options = {.tree = pane->tree};
    pane->layout = flm_layout_new(&options, NULL);
    assert_non_null(pane->layout);
}

static void a_tree_that_grows_keeps_its_rows(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b;x 3\nc;b;x 2\nd;y 1\n");
    struct table table = {.p = p, .tree = flm_call_tree_new()};
    table.pane = (struct flm_pane){.kind = FLM_PANE_LAZY, .profile = p};
    table.pane.lazy =
        flm_lazy_tree_new(p, (struct flm_metric){0}, FLM_LAZY_TREE_INVERTED, NULL, NULL);
    assert_non_null(table.pane.lazy);
    take_unfolded(&table.pane);
    assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
    assert_int_equal(flm_call_tree_count(table.tree), 2);
    struct flm_call_row rows[9];
    uint32_t got;
    for (unsigned opened = 0; opened < 3; opened++) { /* the first row's caller, and so on */
        assert_true(flm_call_tree_rows(table.tree, opened, 1, rows, &got, NULL));
        assert_true(rows[0].has_children);
        struct flm_lazy_ref number = {flm_pane_number(&table.pane, rows[0].node)};
        bool more;
        if (opened < 2)
            assert_true(flm_lazy_tree_open(table.pane.lazy, number, 1e9, 0, &more, NULL));
        take_unfolded(&table.pane);
        assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
        flm_call_tree_open(table.tree, flm_lazy_tree_node(table.pane.lazy, number));
    }
    assert_true(flm_call_tree_rows(table.tree, 0, 9, rows, &got, NULL));
    const char *const expected[] = {"x", "b", "a", "c", "y"};
    assert_int_equal(got, 5);
    for (uint32_t i = 0; i < got; i++)
        assert_true(flm_bytes_are(flm_frame_function(p, table.pane.tree.frame[rows[i].node.index]),
                                  expected[i]));
    flm_lazy_tree_free(table.pane.lazy);
    clear(&table);
}

static void without_memory_there_are_no_rows(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct table table = table_of(profile_of(small));
        struct flm_error why = {0};
        struct flm_call_row rows[9];
        uint32_t got = 0;
        allocation_fail_once(nth);
        bool good = flm_call_tree_show(table.tree, &table.pane, &why);
        if (good)
            good = flm_call_tree_rows(table.tree, 0, 9, rows, &got, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (!good)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        assert_true(flm_call_tree_show(table.tree, &table.pane, NULL));
        assert_rows(&table, 0, 50, "-main\n -read\n  .copy\n  .decode\n .write\n +close\n");
        clear(&table);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_first_the_heaviest_path_is_open),
        cmocka_unit_test(opening_and_closing_keeps_what_is_below),
        cmocka_unit_test(all_below_opens_at_once_and_the_way_to_a_frame_too),
        cmocka_unit_test(another_metric_keeps_what_is_open),
        cmocka_unit_test(rows_are_those_of_a_walk_whatever_is_opened),
        cmocka_unit_test(a_tree_that_grows_keeps_its_rows),
        cmocka_unit_test(without_memory_there_are_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
