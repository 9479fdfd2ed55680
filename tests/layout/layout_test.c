#include "layout/layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "layout/internal.h"
#include "layout/trees.h"
#include "profile/columns.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_layout_options options_of(const struct flm_profile *p, uint32_t metric,
                                            enum flm_sibling_order order)
{
    return (struct flm_layout_options){flm_tree_of(p, (struct flm_metric){metric}), order};
}

static void assert_layout(const struct flm_layout *layout)
{
    struct flm_error why;
    if (!flm_layout_check(layout, &why))
        fail_msg("%s", why.text);
}

/* "name offset total level" of every node with a width, level by level, from left to right. */
static const char *text_of_layout(const struct flm_profile *p, const struct flm_layout *layout)
{
    static char text[4000];
    size_t size = 0;
    for (uint32_t s = 0; s < layout->slots.count; s++) {
        struct flm_node node = {layout->slots.at[s].node};
        uint32_t frame = flm_profile_frames(p)[node.index];
        struct flm_name name = flm_profile_string(
            p, (struct flm_string){flm_profile_frame(p, (struct flm_frame){frame})->function});
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%.*s %g %g %u", s ? ", " : "",
                                 (int)name.size, name.at, flm_layout_offset(layout, node),
                                 flm_layout_total(layout, node), flm_layout_level(layout, node));
    }
    return text;
}

/* `p` has the names. */
static void assert_described(const struct flm_profile *p, const struct flm_layout_options *options,
                             const char *expected)
{
    struct flm_layout *layout = flm_layout_new(options, NULL);
    assert_non_null(layout);
    assert_layout(layout);
    assert_string_equal(text_of_layout(p, layout), expected);
    flm_layout_free(layout);
}

static void a_node_lies_above_its_parent_and_next_to_its_siblings(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("main 2\nmain;read 10\nmain;read;copy 3\nmain;write 1\n");
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
    assert_described(p, &options, " 0 16 0, main 0 16 1, read 0 13 2, write 13 1 2, copy 0 3 3");
    flm_profile_free(p);
}

/* Everything that a layout knows, computed from the profile in the plainest way. */
static void a_layout_agrees_with_a_plain_walk(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int tree = 0; tree < 300; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, random_below(&seed, 400));
        struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
        assert_layout(layout);
        uint32_t count = flm_profile_node_count(p), deepest = 0;
        const uint32_t *end = flm_profile_ends(p);
        double *total = malloc(count * sizeof *total), *offset = calloc(count, sizeof *offset);
        uint32_t *level = calloc(count, sizeof *level), *parent = malloc(count * sizeof *parent);
        flm_profile_totals(p, (struct flm_metric){0}, total);
        flm_profile_parents(p, parent);
        for (uint32_t i = 0; i < count; i++) {
            double edge = offset[i];
            for (uint32_t child = i + 1; child < end[i]; child = end[child]) {
                level[child] = level[i] + 1;
                offset[child] = edge;
                edge += total[child];
            }
            deepest = level[i] > deepest ? level[i] : deepest;
            struct flm_node node = {i};
            assert_true(flm_layout_total(layout, node) == total[i]);
            assert_true(flm_layout_offset(layout, node) == offset[i]);
            double place, width;
            assert_int_equal(flm_layout_extent(layout, node, &place, &width),
                             total[i] != 0 || i == 0);
            assert_true(total[i] == 0 || (place == offset[i] && width == total[i]));
            if (total[i] != 0)
                assert_int_equal(flm_layout_node_at(layout, layout->slot_of[i]).index, i);
            assert_int_equal(flm_layout_level(layout, node), level[i]);
            assert_int_equal(flm_layout_parent(layout, node).index, parent[i]);
        }
        assert_int_equal(flm_layout_level_count(layout), deepest + 1);
        assert_int_equal(flm_layout_node_count(layout), count);
        flm_layout_free(layout);
        flm_profile_free(p);
        free(total);
        free(offset);
        free(level);
        free(parent);
    }
}

static void siblings_can_be_widest_first(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a;x 1\na;y 2\nb 5\nc;z 3\nc;w 2\nd 4\n");
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_TOTAL);
    assert_described(p, &options,
                     " 0 17 0, b 0 5 1, c 5 5 1, d 10 4 1, a 14 3 1, "
                     "z 5 3 2, w 8 2 2, y 14 2 2, x 16 1 2");
    flm_profile_free(p);
}

static void siblings_can_be_in_the_order_of_first_samples(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric waiting = flm_builder_metric(b, "waiting", "ns");
    static const struct {
        int64_t time;
        const char *name;
        bool waits;
    } samples[] = {{70, "a", false},          {50, "b", false}, {60, "c", false},
                   {60, "b", false},          {50, "d", false}, {40, "c", true},
                   {FLM_NO_TIME, "e", false}, {90, "a", false}, {80, "g", false}};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct flm_node node = tree_child(b, flm_builder_root(b), samples[i].name, 1);
        if (samples[i].time >= 80)
            node = tree_child(b, node, "below", 5);
        flm_builder_sample(b, samples[i].time, node, (struct flm_label_set){0},
                           samples[i].waits ? waiting : cpu, 1);
    }
    flm_builder_add(b, tree_child(b, flm_builder_root(b), "f", 1), cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_SEEN);
    int64_t *seen = flm_tree_seen(p, cpu);
    options.tree.seen = seen;
    const char *expected = " 0 9 0, b 0 2 1, d 2 1 1, c 3 1 1, a 4 2 1, g 6 1 1, e 7 1 1, f 8 1 1, "
                           "below 4 1 2, below 6 1 2";
    assert_described(p, &options, expected);

    /* Those that were never seen are like each other. */
    options.tree.seen = NULL;
    assert_described(p, &options,
                     " 0 9 0, a 0 2 1, b 2 2 1, c 4 1 1, d 5 1 1, e 6 1 1, f 7 1 1, g 8 1 1, "
                     "below 0 1 2, below 8 1 2");
    free(seen);
    flm_profile_free(p);
}

static void any_order_is_sound_and_keeps_every_width(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int tree = 0; tree < 100; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, random_below(&seed, 1000));
        struct flm_layout *by_name = layout_by(p, FLM_ORDER_NAME);
        struct flm_layout *by_total = layout_by(p, FLM_ORDER_TOTAL);
        assert_layout(by_total);
        assert_int_equal(flm_layout_level_count(by_total), flm_layout_level_count(by_name));
        for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
            struct flm_node node = {i};
            assert_true(flm_layout_total(by_total, node) == flm_layout_total(by_name, node));
            assert_int_equal(flm_layout_parent(by_total, node).index,
                             flm_layout_parent(by_name, node).index);
        }
        const struct flm_slots *slots = &by_total->slots;
        for (uint32_t s = 0; s < slots->count; s++)
            for (uint32_t c = slots->at[s].first_child + 1; c < slots->at[s + 1].first_child; c++)
                assert_true(slots->at[c - 1].total > slots->at[c].total ||
                            (slots->at[c - 1].total == slots->at[c].total &&
                             slots->at[c - 1].node < slots->at[c].node));
        flm_layout_free(by_name);
        flm_layout_free(by_total);
        flm_profile_free(p);
    }
}

static void nodes_without_a_width_have_no_slot(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 5\nb;x 0 1\nb;y;z 0 1\nc;x 3 9\nc;y 0 9\nd 0 1\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    assert_layout(layout);
    assert_string_equal(text_of_layout(p, layout), " 0 8 0, a 0 5 1, c 5 3 1, x 5 3 2");
    assert_int_equal(flm_layout_node_count(layout), 4);
    struct flm_node without = tree_node(p, "b;y");
    assert_true(flm_layout_total(layout, without) == 0);
    assert_true(flm_layout_offset(layout, without) == 0);
    assert_int_equal(flm_layout_level(layout, without), FLM_NONE);
    assert_int_equal(flm_layout_parent(layout, without).index, FLM_NONE);
    flm_layout_free(layout);

    struct flm_layout_options options = options_of(p, 1, FLM_ORDER_TOTAL);
    assert_described(p, &options,
                     " 0 21 0, c 0 18 1, b 18 2 1, d 20 1 1, x 0 9 2, y 9 9 2, "
                     "x 18 1 2, y 19 1 2, z 19 1 3");
    flm_profile_free(p);
}

static void a_metric_without_values_leaves_the_root(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a;b 5 0\nc 2 0\n");
    for (int order = FLM_ORDER_NAME; order <= FLM_ORDER_SEEN; order++) {
        struct flm_layout_options options = options_of(p, 1, (enum flm_sibling_order)order);
        assert_described(p, &options, " 0 0 0");
    }
    flm_profile_free(p);
    p = tree_of("");
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
    assert_described(p, &options, " 0 0 0");
    flm_profile_free(p);
}

static void losses_of_a_difference_are_as_wide_as_gains(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a -5\na;x 5\na;y -2\nb 1\n");
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
    assert_described(p, &options, " 0 13 0, a 0 12 1, b 12 1 1, x 0 5 2, y 5 2 2");
    flm_profile_free(p);
}

static void widths_can_be_another_column(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb 2\nc 3\n");
    const double widths[] = {0, 7, 0, 0.5};
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
    options.tree.width = widths;
    assert_described(p, &options, " 0 7.5 0, a 0 7 1, c 7 0.5 1");
    flm_profile_free(p);
}

static void a_sum_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb 2\n");
    static const double widths[][3] = {{0, 1e308, -1e308}, {0, NAN, 1}, {0, INFINITY, 1}};
    for (int i = 0; i < 3; i++) {
        struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
        options.tree.width = widths[i];
        struct flm_error why;
        assert_null(flm_layout_new(&options, &why));
        assert_int_equal(why.kind, FLM_ERROR_RANGE);
    }
    flm_profile_free(p);
}

static void a_metric_that_there_is_not_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\n");
    struct flm_layout_options options = options_of(p, 2, FLM_ORDER_NAME);
    struct flm_error why;
    assert_null(flm_layout_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_profile_free(p);
}

static void more_nodes_than_a_layout_can_number_are_refused(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\n");
    struct flm_layout_options options = options_of(p, 0, FLM_ORDER_NAME);
    options.tree.node_count = 0x80000000u;
    struct flm_error why;
    assert_null(flm_layout_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_profile_free(p);
}

static void stacks_may_be_a_hundred_thousand_deep(void **state)
{
    (void)state;
    struct flm_profile *p = tree_chain(100000);
    for (int order = FLM_ORDER_NAME; order <= FLM_ORDER_TOTAL; order++) {
        struct flm_layout *layout = layout_by(p, (enum flm_sibling_order)order);
        assert_layout(layout);
        assert_int_equal(flm_layout_level_count(layout), 100001);
        struct flm_node leaf = {100000}, above = flm_layout_parent(layout, leaf);
        assert_int_equal(above.index, 99999);
        assert_int_equal(flm_layout_level(layout, leaf), 100000);
        assert_true(flm_layout_total(layout, leaf) == 1);
        assert_true(flm_layout_total(layout, (struct flm_node){0}) == 10000);
        flm_layout_free(layout);
    }
    flm_profile_free(p);
}

static void a_search_counts_nested_matches_once(void **state)
{
    (void)state;
    struct flm_profile *p =
        tree_of("a;f 1\na;f;g;f 4\na;f;z 2 1\na;h;f;h 8\nb;f 16\nb;g 32\nc;f 0 1\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    unsigned char matching[16] = {0};
    uint32_t f = flm_profile_frames(p)[tree_node(p, "a;f").index];
    matching[f] = 1;

    struct flm_layout_match all = flm_layout_match(layout, matching, (struct flm_node){0});
    assert_true(all.total == 1 + 2 + 4 + 8 + 16);
    assert_true(all.self == 1 + 4 + 16);
    assert_int_equal(all.node_count, 4);

    struct flm_layout_match part = flm_layout_match(layout, matching, tree_node(p, "a"));
    assert_true(part.total == 1 + 2 + 4 + 8);
    assert_true(part.self == 1 + 4);
    assert_int_equal(part.node_count, 3);

    matching[f] = 0;
    struct flm_layout_match none = flm_layout_match(layout, matching, (struct flm_node){0});
    assert_true(none.total == 0 && none.self == 0 && none.node_count == 0);
    flm_layout_free(layout);
    flm_profile_free(p);
}

/* Level by level, from left to right: neighbors are next to each other there. */
static void a_neighbor_is_the_next_of_the_level(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (int round = 0; round < 60; round++) {
        struct random_shape shape = random_full;
        shape.negative = round % 3 == 0;
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0}),
                                             .order = (enum flm_sibling_order)(round % 2)};
        struct flm_layout *layout = flm_layout_new(&options, NULL);
        for (uint32_t i = 0; i < p->sizes.node_count; i++) {
            struct flm_node node = {i};
            uint32_t level = flm_layout_level(layout, node);
            double offset = flm_layout_offset(layout, node);
            struct flm_node neighbors[2] = {flm_layout_neighbor(layout, node, -1),
                                            flm_layout_neighbor(layout, node, 1)};
            if (level == FLM_NONE) {
                assert_true(neighbors[0].index == FLM_NONE && neighbors[1].index == FLM_NONE);
                continue;
            }
            uint32_t nearest[2] = {FLM_NONE, FLM_NONE};
            for (uint32_t k = 0; k < p->sizes.node_count; k++) {
                double at = flm_layout_offset(layout, (struct flm_node){k});
                int side = at > offset;
                if (flm_layout_level(layout, (struct flm_node){k}) != level || at == offset)
                    continue;
                double now = nearest[side] == FLM_NONE
                                 ? (side ? INFINITY : -INFINITY)
                                 : flm_layout_offset(layout, (struct flm_node){nearest[side]});
                if (side ? at < now : at > now)
                    nearest[side] = k;
            }
            assert_int_equal(neighbors[0].index, nearest[0]);
            assert_int_equal(neighbors[1].index, nearest[1]);
        }
        flm_layout_free(layout);
        flm_profile_free(p);
    }
}

static void assert_broken(const struct flm_layout *layout)
{
    struct flm_error why = {0};
    assert_false(flm_layout_check(layout, &why));
    assert_true(why.text[0] != '\0');
}

static void a_check_finds_broken_promises(void **state)
{
    (void)state;
    struct flm_profile *p = tree_fan_out(5000, 3);
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_slots *slots = &layout->slots;
    assert_layout(layout);
    uint32_t *places[] = {&layout->slot_of[7],       &layout->slot_of[5000],
                          &slots->at[7].node,        &slots->at[0].first_child,
                          &slots->at[7].first_child, &slots->at[5000].first_child,
                          &layout->level_start[0],   &layout->level_start[1],
                          &layout->level_start[2],   &layout->level_count};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint32_t right = *places[i];
        *places[i] = right - 1;
        assert_broken(layout);
        *places[i] = right;
    }
    double *values[] = {&slots->at[0].total,  &slots->at[7].total,  &slots->at[0].offset,
                        &slots->at[7].offset, &slots->widest[1][3], &slots->widest[2][0]};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double right = *values[i];
        *values[i] = right + 1;
        assert_broken(layout);
        *values[i] = NAN;
        assert_broken(layout);
        *values[i] = right;
    }
    assert_layout(layout);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_layout_is_made_or_says_that_memory_ran_out(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a;b 1\na;c 2\nd 3\n");
    static const uint32_t with_gap[] = {0, 1, 0, 3, 4};
    for (int order = FLM_ORDER_NAME; order <= FLM_ORDER_SEEN; order++)
        for (size_t nth = 1;; nth++) {
            struct flm_error why;
            allocation_fail_from(nth);
            struct flm_layout_options options = options_of(p, 0, (enum flm_sibling_order)order);
            options.tree.frame = with_gap;
            struct flm_layout *layout = flm_layout_new(&options, &why);
            bool failed = allocation_has_failed();
            allocation_fail_from(0);
            if (failed) {
                assert_null(layout);
                assert_int_equal(why.kind, FLM_ERROR_MEMORY);
                continue;
            }
            assert_layout(layout);
            flm_layout_free(layout);
            break;
        }
    flm_profile_free(p);
}

static void the_public_layout_has_orders_and_children(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x 1\na;y 5\nb 2\nc 0\n");
    struct flm_metric metric = {0};
    struct flm_error why = {0};
    for (int order = FLM_ORDER_NAME; order <= FLM_ORDER_SEEN; order++) {
        struct flm_layout *layout = flm_layout_of(p, metric, (enum flm_sibling_order)order, &why);
        assert_non_null(layout);
        assert_layout(layout);
        struct flm_node root = {0};
        assert_int_equal(flm_layout_child_count(layout, root), 2); /* c has no width */
        struct flm_node a = flm_layout_child(layout, root, 0);
        assert_true(flm_layout_total(layout, a) == 6);
        assert_int_equal(flm_layout_child_count(layout, a), 2);
        struct flm_node first = flm_layout_child(layout, a, 0);
        assert_true(flm_layout_total(layout, first) == (order == FLM_ORDER_TOTAL ? 5 : 1));
        assert_int_equal(flm_layout_child_count(layout, first), 0);
        assert_int_equal(flm_layout_parent(layout, first).index, a.index);
        flm_layout_free(layout);
    }
    assert_null(flm_layout_of(p, (struct flm_metric){7}, FLM_ORDER_NAME, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(flm_layout_of(p, (struct flm_metric){7}, FLM_ORDER_SEEN, &why));
    assert_null(flm_layout_of(p, metric, (enum flm_sibling_order)9, &why));
    assert_string_equal(why.text, "there is no order number 9");
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_public_layout_has_orders_and_children),
        cmocka_unit_test(a_node_lies_above_its_parent_and_next_to_its_siblings),
        cmocka_unit_test(a_layout_agrees_with_a_plain_walk),
        cmocka_unit_test(siblings_can_be_widest_first),
        cmocka_unit_test(siblings_can_be_in_the_order_of_first_samples),
        cmocka_unit_test(any_order_is_sound_and_keeps_every_width),
        cmocka_unit_test(nodes_without_a_width_have_no_slot),
        cmocka_unit_test(a_metric_without_values_leaves_the_root),
        cmocka_unit_test(losses_of_a_difference_are_as_wide_as_gains),
        cmocka_unit_test(widths_can_be_another_column),
        cmocka_unit_test(a_sum_that_is_not_finite_is_refused),
        cmocka_unit_test(a_metric_that_there_is_not_is_refused),
        cmocka_unit_test(more_nodes_than_a_layout_can_number_are_refused),
        cmocka_unit_test(stacks_may_be_a_hundred_thousand_deep),
        cmocka_unit_test(a_search_counts_nested_matches_once),
        cmocka_unit_test(a_neighbor_is_the_next_of_the_level),
        cmocka_unit_test(a_check_finds_broken_promises),
        cmocka_unit_test(a_layout_is_made_or_says_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
