#include "layout/rectangles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "layout/trees.h"
#include "profile/columns.h"
#include "support/core/allocation.h"

enum { EVERY_LEVEL = INT32_MAX };

/* The picture of a viewport in the order of names, made in the plainest way: every node of the
 * profile is looked at for every level. */
struct plain {
    const struct flm_profile *profile;
    const uint32_t *frame;
    double *total, *offset;
    uint32_t *level, *parent, level_count;
};

static struct plain plain_of(const struct flm_profile *p, const uint32_t *frame)
{
    uint32_t count = flm_profile_node_count(p);
    struct plain plain = {p,
                          frame,
                          malloc(count * sizeof(double)),
                          malloc(count * sizeof(double)),
                          malloc(count * sizeof(uint32_t)),
                          malloc(count * sizeof(uint32_t)),
                          0};
    flm_profile_totals(p, (struct flm_metric){0}, plain.total);
    flm_profile_parents(p, plain.parent);
    plain.level_count = flm_profile_depths(p, plain.level) + 1;
    plain.offset[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        double edge = plain.offset[i];
        for (uint32_t c = i + 1; c < p->node_end[i]; c = p->node_end[c]) {
            plain.offset[c] = edge;
            edge += plain.total[c];
        }
    }
    return plain;
}

static void plain_clear(struct plain *plain)
{
    free(plain->total);
    free(plain->offset);
    free(plain->level);
    free(plain->parent);
}

static size_t plain_level(const struct plain *plain, const struct flm_viewport *view,
                          uint32_t level, struct flm_rectangle *out)
{
    double scale = view->width_px / (view->right - view->left), wide = view->min_width_px / scale;
    uint32_t run_parent = FLM_NONE; /* of a merged box that continues */
    size_t count = 0;
    for (uint32_t i = 0; i < flm_profile_node_count(plain->profile); i++) {
        double end = plain->offset[i] + plain->total[i];
        if (plain->level[i] != level || end <= view->left || plain->offset[i] >= view->right)
            continue;
        if (level > 0 && plain->total[plain->parent[i]] < wide)
            continue;
        bool narrow = plain->total[i] < wide;
        if (i > 0 && plain->frame[i] == 0) {
            run_parent = narrow ? run_parent : FLM_NONE;
            continue;
        }
        double x1 = fmin((end - view->left) * scale, view->width_px);
        if (narrow && run_parent == plain->parent[i] && count > 0) {
            out[count - 1].x1 = x1;
            out[count - 1].total += plain->total[i];
            out[count - 1].count++;
        } else
            out[count++] =
                (struct flm_rectangle){fmax((plain->offset[i] - view->left) * scale, 0),
                                       x1,
                                       plain->total[i],
                                       {i},
                                       1,
                                       level,
                                       (narrow ? FLM_RECTANGLE_MERGED : 0) |
                                           (level < view->zoom_level ? FLM_RECTANGLE_ANCESTOR : 0),
                                       0,
                                       0};
        if (end > view->right)
            out[count - 1].flags |= FLM_RECTANGLE_CLIPPED_RIGHT;
        if (plain->offset[i] < view->left)
            out[count - 1].flags |= FLM_RECTANGLE_CLIPPED_LEFT;
        run_parent = narrow ? plain->parent[i] : FLM_NONE;
    }
    return count;
}

static void assert_same(const struct flm_rectangle *a, const struct flm_rectangle *b)
{
    assert_int_equal(a->node.index, b->node.index);
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->flags, b->flags);
    assert_true(a->x0 == b->x0);
    assert_true(a->x1 == b->x1);
    assert_true(a->total == b->total);
}

/* Anything from the whole to a millionth of it, anywhere, or a zoom to a node; any levels. */
static struct flm_viewport view_of_chance(uint64_t *seed, const struct flm_layout *layout)
{
    struct flm_node node = {random_below(seed, flm_layout_tree(layout)->node_count)};
    struct flm_viewport view = flm_viewport_of(layout, node, 1 + random_below(seed, 2000));
    if (random_below(seed, 2)) {
        double whole = flm_layout_total(layout, (struct flm_node){0});
        double extent = whole / pow(10, random_below(seed, 7));
        view.left = (whole - extent) * (random_below(seed, 10001) / 10000.0);
        view.right = view.left + extent;
        view.zoom_level = 0;
    }
    view.min_width_px = random_below(seed, 50) / 10.0;
    if (random_below(seed, 2)) {
        view.first_level = random_below(seed, 10);
        view.level_count = random_below(seed, 10);
    }
    return view;
}

/* The frames of a profile; with `gaps`, some leaves are gaps. To be freed. */
static uint32_t *frames_of(const struct flm_profile *p, uint64_t *seed, bool gaps)
{
    uint32_t count = flm_profile_node_count(p), *frames = malloc(count * sizeof *frames);
    memcpy(frames, p->node_frame, count * sizeof *frames);
    for (uint32_t i = 1; gaps && i < count; i++)
        if (p->node_end[i] == i + 1 && random_below(seed, 3) == 0)
            frames[i] = 0;
    return frames;
}

static struct flm_layout *layout_of(const struct flm_profile *p, const uint32_t *frames,
                                    enum flm_sibling_order order)
{
    struct flm_layout_options options = {flm_tree_of(p, (struct flm_metric){0}), order};
    options.tree.frame = frames;
    return flm_layout_new(&options, NULL);
}

static void a_picture_is_the_one_that_a_plain_search_of_every_node_makes(void **state)
{
    (void)state;
    uint64_t seed = 11;
    struct flm_rectangles list = {0};
    for (int tree = 0; tree < 150; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, 1 + random_below(&seed, 500));
        uint32_t *frames = frames_of(p, &seed, tree % 2);
        struct flm_layout *layout = layout_of(p, frames, FLM_ORDER_NAME);
        struct plain plain = plain_of(p, frames);
        struct flm_rectangle *expected = malloc(flm_profile_node_count(p) * sizeof *expected);
        for (int i = 0; i < 30; i++) {
            struct flm_viewport view = view_of_chance(&seed, layout);
            assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
            size_t at = 0;
            for (uint32_t level = view.first_level;
                 level < plain.level_count && level - view.first_level < view.level_count;
                 level++) {
                size_t count = plain_level(&plain, &view, level, expected);
                assert_true(at + count <= list.count);
                for (size_t k = 0; k < count; k++)
                    assert_same(&list.at[at + k], &expected[k]);
                at += count;
            }
            assert_int_equal(at, list.count);
        }
        free(expected);
        free(frames);
        plain_clear(&plain);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
    flm_rectangles_clear(&list);
}

/* In any order of siblings. */
static void children_and_self_fill_their_parent(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct flm_rectangles list = {0};
    for (int tree = 0; tree < 100; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, 1 + random_below(&seed, 2000));
        struct flm_layout *layout = layout_by(p, tree % 2 ? FLM_ORDER_TOTAL : FLM_ORDER_NAME);
        const double *self = flm_profile_self(p, (struct flm_metric){0});
        struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 1000);
        view.min_width_px = random_below(&seed, 10);
        assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
        double scale = 1000 / flm_layout_total(layout, (struct flm_node){0});
        size_t child = 1;
        for (size_t i = 0; i < list.count; i++) {
            const struct flm_rectangle *parent = &list.at[i];
            if (parent->flags & FLM_RECTANGLE_MERGED)
                continue;
            double edge = parent->x0, sum = self[parent->node.index];
            for (; child < list.count && list.at[child].level == parent->level + 1 &&
                   list.at[child].x0 < parent->x1;
                 child++) {
                assert_true(list.at[child].x0 == edge);
                assert_true(list.at[child].x1 > edge);
                edge = list.at[child].x1;
                sum += list.at[child].total;
            }
            assert_true(sum == parent->total);
            assert_true(fabs(edge + self[parent->node.index] * scale - parent->x1) < 1e-9);
        }
        assert_int_equal(child, list.count);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
    flm_rectangles_clear(&list);
}

/* What the runs of a merged box cover, of some levels. */
struct covered {
    const struct flm_layout *layout;
    struct flm_viewport every;
    const struct flm_rectangle *merged;
    int first, last;
    uint32_t level;
    int right; /* of the last run */
    unsigned count;
};

static void check_run(void *context, const struct flm_pixel_run *run)
{
    struct covered *c = context;
    assert_true(run->level >= c->level && run->left < run->right && run->right <= c->last);
    if (run->level > c->level)
        c->right = c->first;
    assert_true(run->left >= c->right);
    c->level = run->level;
    for (int x = run->left; x < run->right; x++) {
        struct flm_rectangle expected;
        assert_true(flm_layout_at(c->layout, &c->every, x + 0.5, run->level, &expected));
        assert_int_equal(run->node.index, expected.node.index);
        assert_true(run->total == expected.total);
    }
    c->right = run->right;
    c->count += (unsigned)(run->right - run->left);
}

/* How many pixels of a level in [first, last) have a node at their middle that is in the box or
 * below it. */
static unsigned pixels_below(const struct flm_layout *layout, const struct flm_viewport *every,
                             const struct flm_rectangle *merged, uint32_t level, int first,
                             int last)
{
    unsigned count = 0;
    struct flm_rectangle found;
    for (int x = first; x < last; x++)
        if (flm_layout_at(layout, every, x + 0.5, level, &found)) {
            struct flm_node node = found.node;
            for (uint32_t l = level; l > merged->level; l--)
                node = flm_layout_parent(layout, node);
            uint32_t slot = merged->slot;
            while (slot < merged->slot_end && flm_layout_node_at(layout, slot).index != node.index)
                slot++;
            count += slot < merged->slot_end;
        }
    return count;
}

static void each_pixel_of_a_merged_box_has_the_node_at_its_middle_in_every_level(void **state)
{
    (void)state;
    uint64_t seed = 14;
    struct flm_rectangles list = {0};
    unsigned all = 0;
    for (int tree = 0; tree < 60; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, 1 + random_below(&seed, 1000));
        uint32_t *frames = frames_of(p, &seed, tree % 3 == 0);
        struct flm_layout *layout =
            layout_of(p, frames, tree % 2 ? FLM_ORDER_TOTAL : FLM_ORDER_NAME);
        for (int i = 0; i < 10; i++) {
            struct flm_viewport view = view_of_chance(&seed, layout), every = view;
            every.min_width_px = 0;
            every.first_level = 0;
            every.level_count = UINT32_MAX;
            assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
            view.first_level += random_below(&seed, 4); /* below the first boxes, too */
            for (size_t n = 0; n < list.count; n++) {
                const struct flm_rectangle *merged = &list.at[n];
                if (!(merged->flags & FLM_RECTANGLE_MERGED))
                    continue;
                int first = (int)ceil(merged->x0 - 0.5), last = (int)ceil(merged->x1 - 0.5);
                struct covered c = {layout, every, merged, first, last, merged->level, first, 0};
                flm_layout_runs(layout, &view, merged, first, last, check_run, &c);
                unsigned expected = 0;
                for (uint32_t level = merged->level; level < flm_layout_level_count(layout);
                     level++)
                    if (level >= view.first_level && level - view.first_level < view.level_count)
                        expected += pixels_below(layout, &every, merged, level, first, last);
                assert_int_equal(c.count, expected);
                all += expected;
            }
        }
        free(frames);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
    assert_true(all > 1000);
    flm_rectangles_clear(&list);
}

static void a_point_has_the_rectangle_that_is_drawn_there(void **state)
{
    (void)state;
    uint64_t seed = 13;
    struct flm_rectangles list = {0};
    for (int tree = 0; tree < 100; tree++) {
        struct flm_profile *p = tree_of_chance(&seed, 1 + random_below(&seed, 1000));
        uint32_t *frames = frames_of(p, &seed, tree % 3 == 0);
        struct flm_layout *layout =
            layout_of(p, frames, tree % 2 ? FLM_ORDER_TOTAL : FLM_ORDER_NAME);
        for (int i = 0; i < 10; i++) {
            struct flm_viewport view = view_of_chance(&seed, layout);
            assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
            for (int k = 0; k < 100; k++) {
                /* Anywhere, or on the edge of a rectangle. */
                double x = view.width_px * random_below(&seed, 10001) / 10000;
                uint32_t level = random_below(&seed, 35);
                if (list.count > 0 && k % 2) {
                    struct flm_rectangle edge = list.at[random_below(&seed, (unsigned)list.count)];
                    x = k % 4 == 1 ? edge.x0 : edge.x1;
                    level = edge.level;
                }
                const struct flm_rectangle *drawn = NULL;
                for (size_t n = 0; n < list.count; n++)
                    if (list.at[n].level == level && list.at[n].x0 <= x && x < list.at[n].x1)
                        drawn = &list.at[n];
                struct flm_rectangle found;
                assert_int_equal(flm_layout_at(layout, &view, x, level, &found), drawn != NULL);
                if (drawn)
                    assert_same(&found, drawn);
            }
        }
        free(frames);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
    flm_rectangles_clear(&list);
}

static void a_gap_is_left_free(void **state)
{
    (void)state;
    /* Children of "a" with these widths; frame 0 is a gap. */
    static const uint32_t frame[] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 0, 5};
    static const uint32_t end[] = {11, 11, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const double width[] = {0, 0, 1, 1, 1, 2, 1, 40, 30, 3, 21};
    struct flm_layout_options options = {.tree = {11, frame, end, width, NULL}};
    struct flm_layout *layout = flm_layout_new(&options, NULL);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 100);
    view.min_width_px = 5;
    struct flm_rectangles list = {0};
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 5);
    const struct flm_rectangle *run = &list.at[2], *wide = &list.at[3], *last = &list.at[4];
    assert_int_equal(run->flags, FLM_RECTANGLE_MERGED);
    assert_int_equal(run->node.index, 3);
    assert_int_equal(run->count, 2);
    assert_true(run->x0 == 1 && run->x1 == 5 && run->total == 3);
    assert_int_equal(flm_layout_below(layout, run).node_count, 2);
    assert_int_equal(flm_layout_below(layout, run).last_level, 2);
    assert_true(wide->x0 == 46 && wide->x1 == 76 && wide->count == 1);
    assert_true(last->x0 == 79 && last->x1 == 100);
    assert_int_equal(flm_layout_below(layout, &list.at[1]).node_count, 5);
    struct flm_rectangle found;
    assert_false(flm_layout_at(layout, &view, 20, 2, &found));
    assert_false(flm_layout_at(layout, &view, 0.5, 2, &found));
    assert_false(flm_layout_at(layout, &view, 77, 2, &found));
    assert_true(flm_layout_at(layout, &view, 2.5, 2, &found));

    /* Nothing but gaps is nothing. */
    static const uint32_t one_end[] = {2, 2};
    static const double one_width[] = {0, 1};
    options.tree = (struct flm_tree){2, (const uint32_t[]){0, 0}, one_end, one_width, NULL};
    struct flm_layout *empty = flm_layout_new(&options, NULL);
    view = flm_viewport_of(empty, (struct flm_node){0}, 100);
    assert_true(flm_layout_rectangles(empty, &view, &list, NULL));
    assert_int_equal(list.count, 1);
    assert_int_equal(flm_layout_below(empty, &list.at[0]).last_level, 0);
    view.min_width_px = 1000;
    assert_true(flm_layout_rectangles(empty, &view, &list, NULL));
    assert_int_equal(list.count, 1);

    /* Nor are they found, even where the name of the root is. */
    struct flm_layout_match match =
        flm_layout_match(layout, (const unsigned char[]){1, 0, 0, 1, 0, 0}, (struct flm_node){1});
    assert_true(match.total == 2);
    assert_int_equal(match.node_count, 1);
    flm_rectangles_clear(&list);
    flm_layout_free(empty);
    flm_layout_free(layout);
}

static void a_rectangle_knows_how_much_is_below_it(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb;c;d 1\nb;e 1\nf;g 1\nh 96\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 100);
    view.min_width_px = 5;
    struct flm_rectangles list = {0};
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 3);
    assert_int_equal(list.at[1].flags, FLM_RECTANGLE_MERGED);
    assert_int_equal(list.at[1].count, 3);
    assert_true(list.at[1].total == 4);
    struct flm_below run = flm_layout_below(layout, &list.at[1]);
    assert_int_equal(run.node_count, 7);
    assert_int_equal(run.last_level, 3);
    struct flm_below all = flm_layout_below(layout, &list.at[0]);
    assert_int_equal(all.node_count, 9);
    assert_int_equal(all.last_level, 3);
    struct flm_below leaf = flm_layout_below(layout, &list.at[2]);
    assert_int_equal(leaf.node_count, 1);
    assert_int_equal(leaf.last_level, 1);
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_zoom_keeps_the_ancestors_as_bars_of_full_width(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 10\nb;c;d 7\nb;c;e 3\nb;f 5\ng 8\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, tree_node(p, "b;c"), 500);
    struct flm_rectangles list = {0};
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    static const struct {
        const char *path;
        double x0, x1;
        uint32_t flags;
    } expected[] = {
        {"", 0, 500,
         FLM_RECTANGLE_ANCESTOR | FLM_RECTANGLE_CLIPPED_LEFT | FLM_RECTANGLE_CLIPPED_RIGHT},
        {"b", 0, 500, FLM_RECTANGLE_ANCESTOR | FLM_RECTANGLE_CLIPPED_RIGHT},
        {"b;c", 0, 500, 0},
        {"b;c;d", 0, 350, 0},
        {"b;c;e", 350, 500, 0},
    };
    assert_int_equal(list.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(list.at[i].node.index, tree_node(p, expected[i].path).index);
        assert_true(list.at[i].x0 == expected[i].x0);
        assert_true(list.at[i].x1 == expected[i].x1);
        assert_int_equal(list.at[i].flags, expected[i].flags);
    }
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

/* Sums of tenths are rounded; each ancestor is one bar all the same, and no cousin shows. */
static void a_zoom_shows_no_sliver_of_the_neighbors(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "time", "s");
    for (unsigned i = 0; i < 3000; i++) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned level = 0, part = i; level < 4; level++, part /= 8) {
            char name[2] = {(char)('a' + part % 8), '\0'};
            node = tree_child(b, node, name, 1);
        }
        flm_builder_add(b, node, metric, 0.1 * (1 + i % 7));
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_error why;
    if (!flm_layout_check(layout, &why))
        fail_msg("%s", why.text);
    struct flm_rectangles list = {0};
    for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
        struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){i}, 1000);
        view.min_width_px = 0;
        view.level_count = view.zoom_level + 1;
        assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
        assert_int_equal(list.count, view.zoom_level + 1);
        assert_int_equal(list.at[view.zoom_level].node.index, i);
        for (size_t k = 0; k < list.count; k++)
            assert_true(list.at[k].x0 < 1e-5 && list.at[k].x1 > 1000 - 1e-5);
    }
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void among_a_million_siblings_few_are_read(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    struct flm_profile *p = tree_fan_out(COUNT, 250000);
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 1920);
    struct flm_rectangles list = {0};
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    /* The root, four wide ones, and the merged boxes before, between and after them. */
    assert_int_equal(list.count, 1 + 4 + 5);
    assert_int_equal(list.at[1].count, 125000);
    assert_true(list.at[1].total == 125000);
    assert_true(list.visited < 3000);

    view.left = 500000;
    for (double extent = 1e5; extent >= 1; extent /= 10) {
        view.right = view.left + extent;
        assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
        assert_true(list.visited < 3000);
        struct flm_rectangle found;
        assert_true(flm_layout_at(layout, &view, 960, 1, &found));
        assert_true(found.x0 <= 960 && 960 < found.x1);
    }
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void far_down_a_deep_stack_only_existing_nodes_are_visited(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct flm_profile *p = tree_chain(DEPTH);
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 20000);
    struct flm_rectangles list = {0};
    view.first_level = 50000;
    view.level_count = 60;
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 60);
    assert_int_equal(list.at[0].node.index, 50000);
    assert_true(list.visited < 1000);
    struct flm_rectangle found;
    assert_true(flm_layout_at(layout, &view, 7, 50059, &found));
    assert_same(&found, &list.at[59]);

    view = flm_viewport_of(layout, (struct flm_node){DEPTH}, 100);
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, DEPTH + 1);
    assert_int_equal(flm_layout_below(layout, &list.at[0]).last_level, DEPTH);
    assert_int_equal(flm_layout_below(layout, &list.at[0]).node_count, DEPTH + 1);
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_node_of_exactly_the_minimum_width_is_a_rectangle_of_its_own(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb 4\nc 2\nd 3\ne 6\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 32);
    struct flm_rectangles list = {0};
    view.min_width_px = 8;
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 1 + 4);
    assert_int_equal(list.at[1].flags, FLM_RECTANGLE_MERGED);
    assert_int_equal(list.at[1].count, 1);
    assert_int_equal(list.at[2].node.index, tree_node(p, "b").index);
    assert_int_equal(list.at[2].flags, 0);
    assert_int_equal(list.at[3].flags, FLM_RECTANGLE_MERGED);
    assert_int_equal(list.at[3].count, 2);
    view.min_width_px = 0;
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 1 + 5);
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void an_empty_window_shows_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb 2\n"), *empty = tree_of("");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_layout *empty_layout = layout_by(empty, FLM_ORDER_NAME);
    const struct flm_viewport nothing[] = {
        {0, 0, 100, 1, 0, EVERY_LEVEL, 0},         {2, 1, 100, 1, 0, EVERY_LEVEL, 0},
        {0, 3, 0, 1, 0, EVERY_LEVEL, 0},           {NAN, 3, 100, 1, 0, EVERY_LEVEL, 0},
        {0, INFINITY, 100, 1, 0, EVERY_LEVEL, 0},  {3, 5, 100, 1, 0, EVERY_LEVEL, 0},
        {-5, 0, 100, 1, 0, EVERY_LEVEL, 0},        {0, 3, 100, 1, 2, EVERY_LEVEL, 0},
        {0, 3, 100, 1, UINT32_MAX, UINT32_MAX, 0}, {0, 3, 100, 1, 0, 0, 0},
        {0, 3, -100, 1, 0, EVERY_LEVEL, 0},        {0, 1e-310, 100, 1, 0, EVERY_LEVEL, 0},
        {0, 3, INFINITY, 1, 0, EVERY_LEVEL, 0},    {0, 3, NAN, 1, 0, EVERY_LEVEL, 0},
    };
    struct flm_rectangles list = {0};
    struct flm_rectangle found;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        assert_true(flm_layout_rectangles(layout, &nothing[i], &list, NULL));
        assert_int_equal(list.count, 0);
        for (uint32_t level = 0; level < 4; level++)
            assert_false(flm_layout_at(layout, &nothing[i], 50, level, &found));
    }
    struct flm_viewport view = flm_viewport_of(empty_layout, (struct flm_node){0}, 100);
    assert_true(flm_layout_rectangles(empty_layout, &view, &list, NULL));
    assert_int_equal(list.count, 0);

    view = flm_viewport_of(layout, (struct flm_node){0}, 100);
    assert_false(flm_layout_at(layout, &view, -1, 0, &found));
    assert_false(flm_layout_at(layout, &view, 100, 0, &found));
    assert_false(flm_layout_at(layout, &view, NAN, 0, &found));
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_layout_free(empty_layout);
    flm_profile_free(p);
    flm_profile_free(empty);
}

static void points_outside_of_the_profile_hit_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a 1\nb 2\n");
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = {-3, 6, 90, 1, 0, 2, 0};
    struct flm_rectangles list = {0};
    assert_true(flm_layout_rectangles(layout, &view, &list, NULL));
    assert_int_equal(list.count, 3);
    assert_true(list.at[0].x0 == 30 && list.at[0].x1 == 60);
    assert_true(list.at[1].x0 == 30 && list.at[1].x1 == 40);
    assert_true(list.at[2].x0 == 40 && list.at[2].x1 == 60);
    struct flm_rectangle found;
    assert_false(flm_layout_at(layout, &view, 29, 1, &found));
    assert_true(flm_layout_at(layout, &view, 30, 1, &found));
    assert_false(flm_layout_at(layout, &view, 60, 1, &found));
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_list_that_cannot_grow_is_empty_and_can_be_used_again(void **state)
{
    (void)state;
    struct flm_profile *p = tree_fan_out(2000, 2);
    struct flm_layout *layout = layout_by(p, FLM_ORDER_NAME);
    struct flm_viewport view = flm_viewport_of(layout, (struct flm_node){0}, 1e6);
    struct flm_rectangles list = {0};
    for (size_t nth = 1;; nth++) {
        struct flm_error why;
        flm_rectangles_clear(&list);
        allocation_fail_once(nth);
        bool made = flm_layout_rectangles(layout, &view, &list, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(made, !failed);
        if (failed) {
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
            assert_int_equal(list.count, 0);
            assert_true(flm_layout_rectangles(layout, &view, &list, &why));
        }
        assert_int_equal(list.count, 2001);
        if (!failed)
            break;
    }
    flm_rectangles_clear(&list);
    flm_layout_free(layout);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pixel_of_a_merged_box_has_the_node_at_its_middle_in_every_level),
        cmocka_unit_test(a_picture_is_the_one_that_a_plain_search_of_every_node_makes),
        cmocka_unit_test(children_and_self_fill_their_parent),
        cmocka_unit_test(a_point_has_the_rectangle_that_is_drawn_there),
        cmocka_unit_test(a_gap_is_left_free),
        cmocka_unit_test(a_rectangle_knows_how_much_is_below_it),
        cmocka_unit_test(a_zoom_keeps_the_ancestors_as_bars_of_full_width),
        cmocka_unit_test(a_zoom_shows_no_sliver_of_the_neighbors),
        cmocka_unit_test(among_a_million_siblings_few_are_read),
        cmocka_unit_test(far_down_a_deep_stack_only_existing_nodes_are_visited),
        cmocka_unit_test(a_node_of_exactly_the_minimum_width_is_a_rectangle_of_its_own),
        cmocka_unit_test(an_empty_window_shows_nothing),
        cmocka_unit_test(points_outside_of_the_profile_hit_nothing),
        cmocka_unit_test(a_list_that_cannot_grow_is_empty_and_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
