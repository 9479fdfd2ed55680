#include "algebra/aggregate/lazy_call_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct flm_metric first_metric = {0};
static const struct flm_lazy_ref root = {0};

static unsigned char *random_marks(const struct flm_profile *p, uint64_t *random)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        marks[i] = random_below(random, 4) == 0;
    return marks;
}

static struct flm_profile *random_one(uint64_t *random, unsigned i)
{
    struct random_shape shape = {.stacks = i,
                                 .names = 1 + i % 32,
                                 .deepest = 1 + i % 12,
                                 .metrics = 1 + i % 2,
                                 .modules = i % 3 == 0,
                                 .negative = i % 5 == 0};
    return random_profile(random, &shape);
}

static struct flm_lazy_tree *unfold(const struct flm_profile *p, enum flm_lazy_tree_kind kind,
                                    const unsigned char *marks)
{
    struct flm_lazy_tree *u = flm_lazy_tree_new(p, first_metric, kind, marks, NULL);
    assert_non_null(u);
    return u;
}

/* Up to what is rounded off. */
static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

static struct flm_lazy_tree_columns open_all(struct flm_lazy_tree *u)
{
    bool more = true;
    struct flm_lazy_tree_columns tree;
    assert_true(flm_lazy_tree_open(u, root, 0, 0, &more, NULL));
    assert_false(more);
    assert_true(flm_lazy_tree_columns(u, &tree, NULL));
    return tree;
}

/* ---- Opened to the end, it is what the operation makes --------------------------------------- */

static void assert_frames_equal(const struct flm_profile *a, uint32_t of_a,
                                const struct flm_profile *b, uint32_t of_b)
{
    const struct flm_frame_record *x = &a->frames[of_a], *y = &b->frames[of_b];
    const uint32_t pairs[][2] = {
        {x->function, y->function}, {x->module, y->module}, {x->file, y->file}};
    for (int i = 0; i < 3; i++)
        assert_true(
            flm_bytes_equal(flm_string_bytes(a, pairs[i][0]), flm_string_bytes(b, pairs[i][1])));
    assert_int_equal(x->line, y->line);
    assert_true(x->address == y->address);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->flags, y->flags);
}

/* Stacks without a value are not in an unfolded tree. Frees `made`. */
static void assert_is(const struct flm_lazy_tree_columns *tree, const struct flm_profile *p,
                      struct flm_profile *made)
{
    assert_non_null(made);
    uint32_t next = 0;
    const double *self = flm_self_column(made, 0);
    for (uint32_t i = 0; i < made->sizes.node_count; i++) {
        uint32_t below = 0;
        bool empty = i > 0;
        for (uint32_t k = i; k < made->node_end[i]; k++)
            empty = empty && self[k] == 0;
        if (empty)
            continue;
        assert_true(next < tree->node_count);
        assert_frames_equal(p, tree->frame[next], made, made->node_frame[i]);
        assert_true(tree->width[next] == self[i]);
        assert_true(tree->is_open[next]);
        for (uint32_t k = i + 1; k < made->node_end[i];) {
            bool counts = false;
            for (uint32_t j = k; j < made->node_end[k]; j++)
                counts = counts || self[j] != 0;
            below += counts;
            k++;
        }
        assert_int_equal(tree->end[next], next + 1 + below);
        next++;
    }
    assert_int_equal(next, tree->node_count);
    flm_profile_free(made);
}

static struct flm_profile *callers_of(const struct flm_profile *p, const unsigned char *marks)
{
    struct flm_profile *pruned = flm_prune(p, marks, NULL);
    unsigned char *left = calloc(pruned->sizes.frame_count, 1);
    for (uint32_t i = 1, f = 1; i < pruned->sizes.frame_count; i++) {
        for (;; f++) { /* frames that are left stand in the same order */
            struct flm_bytes a = flm_frame_function(p, f), b = flm_frame_function(pruned, i);
            const struct flm_frame_record *x = &p->frames[f], *y = &pruned->frames[i];
            if (flm_bytes_equal(a, b) && x->line == y->line && x->address == y->address &&
                x->kind == y->kind && x->flags == y->flags &&
                flm_bytes_equal(flm_string_bytes(p, x->module),
                                flm_string_bytes(pruned, y->module)))
                break;
        }
        left[i] = marks[f++];
    }
    struct flm_profile *kept = flm_keep(pruned, left, true, NULL);
    struct flm_profile *made = flm_invert(kept, NULL);
    flm_profile_free(pruned);
    flm_profile_free(kept);
    free(left);
    return made;
}

static void an_open_tree_is_what_the_operation_makes(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned i = 0; i < 200; i++) {
        struct flm_profile *p = random_one(&random, i);
        unsigned char *marks = random_marks(p, &random);
        for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
            struct flm_lazy_tree *u = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
            struct flm_lazy_tree_columns tree = open_all(u);
            /* What was lost is as wide as what was gained: so is the operation on |self|. */
            struct flm_profile *sized = flm_select(p, 0, NULL);
            for (uint32_t k = 0; k < sized->sizes.node_count; k++)
                sized->self[k] = fabs(sized->self[k]);
            marks[0] = 0;
            if (sized->sizes.frame_count == p->sizes.frame_count) {
                assert_is(&tree, p,
                          kind == FLM_LAZY_TREE_INVERTED  ? flm_invert(sized, NULL)
                          : kind == FLM_LAZY_TREE_CALLERS ? callers_of(sized, marks)
                          : kind == FLM_LAZY_TREE_CALLEES ? flm_focus(sized, marks, NULL)
                                                          : flm_select(sized, 0, NULL));
            }
            marks[0] = 1; /* means nothing */
            flm_profile_free(sized);
            flm_lazy_tree_free(u);
        }
        free(marks);
        flm_profile_free(p);
    }
}

/* ---- Opened in part -------------------------------------------------------------------------- */

/* Every node is a node of the tree that is open to the end, with the same total. */
static void assert_part_of(struct flm_lazy_tree *part, struct flm_lazy_tree *whole)
{
    struct flm_lazy_tree_columns tree;
    assert_true(flm_lazy_tree_columns(part, &tree, NULL));
    uint32_t *in_whole = calloc(tree.node_count, sizeof *in_whole);
    for (uint32_t i = 0; i < tree.node_count; i++) {
        struct flm_lazy_tree_node a = flm_lazy_tree_at(part, (struct flm_lazy_ref){i});
        struct flm_lazy_tree_node b = flm_lazy_tree_at(whole, (struct flm_lazy_ref){in_whole[i]});
        assert_int_equal(a.frame, b.frame);
        assert_true(a.total == b.total);
        assert_true(a.own == (a.is_open ? b.own : a.total));
        assert_int_equal(a.child_count, a.is_open ? b.child_count : 0);
        for (uint32_t c = 0; c < a.child_count; c++) {
            assert_true(a.first_child + c > i);
            in_whole[a.first_child + c] = b.first_child + c;
        }
        uint32_t position = flm_lazy_tree_node(part, (struct flm_lazy_ref){i}).index;
        assert_int_equal(tree.number[position], i);
        assert_int_equal(tree.frame[position], a.frame);
        assert_true(tree.width[position] == a.own);
        assert_int_equal(tree.is_open[position], a.is_open);
        double sum = 0;
        for (uint32_t k = position; k < tree.end[position]; k++)
            sum += tree.width[k];
        assert_near(sum, a.total);
    }
    free(in_whole);
}

static void a_tree_is_right_however_far_it_is_open(void **state)
{
    (void)state;
    uint64_t random = 12;
    for (unsigned i = 1; i < 150; i++) {
        struct flm_profile *p = random_one(&random, i);
        unsigned char *marks = random_marks(p, &random);
        for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
            struct flm_lazy_tree *whole = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
            struct flm_lazy_tree *part = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
            struct flm_lazy_tree_columns all = open_all(whole), tree;
            assert_part_of(part, whole);
            for (int step = 0; step < 4; step++) {
                assert_true(flm_lazy_tree_columns(part, &tree, NULL));
                struct flm_lazy_ref node = {random_below(&random, tree.node_count)};
                bool more;
                assert_true(flm_lazy_tree_open(part, node,
                                               step % 2 ? INFINITY : random_below(&random, 200),
                                               random_below(&random, 30), &more, NULL));
                assert_part_of(part, whole);
            }
            /* However it was opened, in the end it is all there. */
            assert_int_equal(open_all(part).node_count, all.node_count);
            assert_part_of(part, whole);
            flm_lazy_tree_free(part);
            flm_lazy_tree_free(whole);
        }
        free(marks);
        flm_profile_free(p);
    }
}

static void what_is_narrow_stays_closed(void **state)
{
    (void)state;
    uint64_t random = 13;
    for (unsigned i = 1; i < 100; i++) {
        struct flm_profile *p = random_one(&random, i);
        struct flm_lazy_tree *u = unfold(p, FLM_LAZY_TREE_INVERTED, NULL);
        double narrowest = flm_lazy_tree_at(u, root).total / (1 + random_below(&random, 20));
        bool more = true;
        while (more) /* piece by piece */
            assert_true(flm_lazy_tree_open(u, root, narrowest, 1, &more, NULL));
        struct flm_lazy_tree_columns tree;
        assert_true(flm_lazy_tree_columns(u, &tree, NULL));
        for (uint32_t k = 1; k < tree.node_count; k++) {
            struct flm_lazy_tree_node node = flm_lazy_tree_at(u, (struct flm_lazy_ref){k});
            assert_int_equal(node.is_open, node.total >= narrowest);
        }
        flm_lazy_tree_free(u);
        flm_profile_free(p);
    }
}

static void a_piece_ends_with_its_budget(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x 1\nb;x 1\nc;y 1\nd;y 1\n");
    struct flm_lazy_tree *u = unfold(p, FLM_LAZY_TREE_INVERTED, NULL);
    bool more = false;
    assert_true(flm_lazy_tree_open(u, root, 0, 2, &more, NULL));
    assert_true(more);
    assert_true(flm_lazy_tree_at(u, (struct flm_lazy_ref){1}).is_open);
    assert_false(flm_lazy_tree_at(u, (struct flm_lazy_ref){2}).is_open);
    struct flm_lazy_tree_node x = flm_lazy_tree_at(u, (struct flm_lazy_ref){1});
    assert_int_equal(x.first_child, 3);
    assert_int_equal(x.child_count, 2);
    assert_true(flm_lazy_tree_open(u, (struct flm_lazy_ref){2}, INFINITY, 0, &more, NULL));
    assert_false(more);
    assert_int_equal(flm_lazy_tree_at(u, (struct flm_lazy_ref){2}).first_child, 5);
    assert_int_equal(flm_lazy_tree_at(u, (struct flm_lazy_ref){1}).first_child, 3);
    flm_lazy_tree_free(u);
    flm_profile_free(p);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* The nodes that a node stands for have its total between them; those of its children are the same
 * when it climbs. */
static void occurrences_are_what_a_node_is_made_of(void **state)
{
    (void)state;
    uint64_t random = 14;
    for (unsigned i = 1; i < 100; i++) {
        struct flm_profile *p = random_one(&random, i);
        double *self = flm_self_column(p, 0);
        unsigned char *marks = random_marks(p, &random);
        for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
            struct flm_lazy_tree *u = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
            struct flm_lazy_tree_columns tree = open_all(u);
            for (uint32_t k = kind <= FLM_LAZY_TREE_CALLERS ? 0 : 1; k < tree.node_count; k++) {
                struct flm_lazy_ref number = {k};
                struct flm_lazy_tree_occurrences all = flm_lazy_tree_occurrences(u, number);
                double total = k == 0 && kind == FLM_LAZY_TREE_INVERTED ? fabs(self[0]) : 0;
                for (uint32_t n = 0; n < all.count; n++) {
                    uint32_t of = all.occurrence[n].of;
                    uint32_t end = kind == FLM_LAZY_TREE_INVERTED ? of + 1 : p->node_end[of];
                    for (uint32_t node = of; node < end; node++)
                        total += fabs(self[node]);
                    if (n < all.ended_count)
                        assert_int_equal(all.occurrence[n].at, 0);
                }
                assert_near(total, flm_lazy_tree_at(u, number).total);
            }
            for (uint32_t node = 1; node < tree.node_count; node++) {
                struct flm_lazy_tree_occurrences all =
                    flm_lazy_tree_occurrences(u, (struct flm_lazy_ref){tree.number[node]});
                uint32_t level = 1;
                for (uint32_t above = node; above-- > 1;)
                    level += tree.end[above] > node;
                for (uint32_t n = 0; n < all.count; n++)
                    assert_int_equal(
                        p->node_frame[flm_lazy_tree_place(u, all.occurrence[n].of, level)],
                        tree.frame[node]);
            }
            flm_lazy_tree_free(u);
        }
        free(marks);
        flm_profile_free(p);
    }
}

static void frames_can_be_put_together(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x 1\nb;x 2\nb;y 4\nc 8\n");
    assert_int_equal(p->sizes.frame_count, 6); /* root a b c x y */
    static const uint32_t group_of[] = {0, 1, 1, 2, 3, 3};
    struct flm_lazy_tree *u =
        flm_lazy_tree_new_grouped(p, first_metric, FLM_LAZY_TREE_INVERTED, NULL, group_of, 4, NULL);
    struct flm_lazy_tree_columns tree = open_all(u);
    static const uint32_t groups[] = {0, 2, 3, 1}, ends[] = {4, 2, 4, 4};
    static const double widths[] = {0, 8, 0, 7};
    assert_int_equal(tree.node_count, 4);
    assert_memory_equal(tree.frame, groups, sizeof groups);
    assert_memory_equal(tree.end, ends, sizeof ends);
    assert_memory_equal(tree.width, widths, sizeof widths);
    flm_lazy_tree_free(u);
    flm_profile_free(p);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void a_profile_without_values_is_a_root(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 0\n");
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
        struct flm_lazy_tree *u = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
        struct flm_lazy_tree_columns tree = open_all(u);
        assert_int_equal(tree.node_count, 1);
        assert_int_equal(tree.frame[0], 0);
        assert_int_equal(tree.end[0], 1);
        assert_true(tree.width[0] == 0);
        assert_true(tree.is_open[0]);
        flm_lazy_tree_free(u);
    }
    free(marks);
    flm_profile_free(p);
}

/* More frames than one word of the summary has bits for. */
static void level_1_may_be_wide(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    enum { FRAMES = 300000 };
    for (uint32_t i = 0; i < FRAMES; i++) {
        char name[16];
        int size = snprintf(name, sizeof name, "%06u", (unsigned)(i * 7919 % FRAMES));
        struct flm_frame frame = flm_builder_function(b, name, (size_t)size);
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 1 + i % 5);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_lazy_tree *u = unfold(p, FLM_LAZY_TREE_INVERTED, NULL);
    struct flm_lazy_tree_columns tree = open_all(u);
    assert_int_equal(tree.node_count, FRAMES + 1);
    for (uint32_t i = 0; i <= FRAMES; i++) {
        assert_int_equal(tree.frame[i], i);
        assert_true(tree.width[i] == flm_self_column(p, 0)[i]);
    }
    flm_lazy_tree_free(u);
    flm_profile_free(p);
}

struct work {
    const struct flm_profile *p;
    const unsigned char *marks;
    enum flm_lazy_tree_kind kind;
};

static bool open_in_steps(void *context, struct flm_error *why)
{
    const struct work *work = context;
    const double *self = flm_self_column(work->p, 0);
    struct flm_lazy_tree_values values = {self, {self, self}};
    struct flm_lazy_tree *u =
        flm_lazy_tree_new_valued(work->p, &values, work->kind, work->marks, why);
    struct flm_lazy_tree_columns tree;
    double total = u ? flm_lazy_tree_at(u, root).total : 0;
    bool good = u && flm_lazy_tree_columns(u, &tree, why) &&
                flm_lazy_tree_open(u, root, total / 4, 0, NULL, why) &&
                flm_lazy_tree_open(u, root, 0, 0, NULL, why) &&
                flm_lazy_tree_columns(u, &tree, why);
    flm_lazy_tree_free(u);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t random = 15;
    struct random_shape shape = {.stacks = 200, .names = 30, .deepest = 9, .metrics = 1};
    struct flm_profile *p = random_profile(&random, &shape);
    unsigned char *marks = random_marks(p, &random);
    for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
        struct work work = {p, marks, (enum flm_lazy_tree_kind)kind};
        assert_true(assert_survives_failures(open_in_steps, &work) > 8);
    }
    free(marks);
    flm_profile_free(p);
}

static void a_tree_is_whole_when_memory_ran_out(void **state)
{
    (void)state;
    uint64_t random = 16;
    struct random_shape shape = {.stacks = 300, .names = 30, .deepest = 9, .metrics = 1};
    struct flm_profile *p = random_profile(&random, &shape);
    unsigned char *marks = random_marks(p, &random);
    for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
        struct flm_lazy_tree *whole = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
        open_all(whole);
        bool failed = true;
        for (size_t nth = 1; failed; nth++) {
            struct flm_lazy_tree *part = unfold(p, (enum flm_lazy_tree_kind)kind, marks);
            allocation_fail_from(nth);
            bool good = flm_lazy_tree_open(part, root, 0, 0, NULL, NULL);
            failed = allocation_has_failed();
            allocation_fail_from(0);
            assert_int_equal(good, !failed);
            assert_part_of(part, whole);
            open_all(part);
            assert_part_of(part, whole);
            flm_lazy_tree_free(part);
        }
        flm_lazy_tree_free(whole);
    }
    free(marks);
    flm_profile_free(p);
}

static void assert_numbers_in(const struct flm_lazy_tree *u,
                              const struct flm_lazy_tree_columns *columns)
{
    for (uint32_t i = 0; i < columns->node_count; i++) {
        uint32_t position = flm_lazy_tree_node(u, (struct flm_lazy_ref){i}).index;
        assert_true(position < columns->node_count);
        assert_int_equal(columns->number[position], i);
    }
}

static void numbers_are_those_of_the_last_columns_until_there_are_new_ones(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x 1\nb;x 1\nc;y 1\n");
    struct flm_lazy_tree *u = unfold(p, FLM_LAZY_TREE_INVERTED, NULL);
    struct flm_lazy_tree_columns first, refused;
    assert_true(flm_lazy_tree_columns(u, &first, NULL));
    assert_true(flm_lazy_tree_open(u, root, 0, 0, NULL, NULL));
    assert_numbers_in(u, &first);
    allocation_fail_from(1);
    assert_false(flm_lazy_tree_columns(u, &refused, NULL));
    allocation_fail_from(0);
    assert_numbers_in(u, &first);
    struct flm_lazy_tree_columns last = open_all(u);
    assert_int_equal(last.node_count, 6);
    assert_numbers_in(u, &last);
    flm_lazy_tree_free(u);
    flm_profile_free(p);
}

/* ---- Values that are no metric of the profile ------------------------------------------------ */

struct two_columns {
    const struct flm_profile *p;
    const double *column[2];
};

static void values_of(const void *context, uint32_t node, bool of_self, double value[2])
{
    const struct two_columns *two = context;
    uint32_t end = of_self ? node + 1 : two->p->node_end[node];
    value[0] = value[1] = 0;
    for (uint32_t i = node; i < end; i++)
        for (int side = 0; side < 2; side++)
            value[side] += two->column[side][i];
}

static void assert_sums_equal(const struct flm_lazy_tree_sum *a, const struct flm_lazy_tree_sum *b)
{
    for (int side = 0; side < 2; side++) {
        assert_near(a->total[side], b->total[side]);
        assert_near(a->own[side], b->own[side]);
    }
}

/* The children of `plain` that `valued` has, with the values of that side; others have none. */
static void assert_side(const struct flm_lazy_tree *valued, uint32_t number,
                        const struct two_columns *two, int side, const struct flm_lazy_tree *plain,
                        uint32_t in_plain)
{
    struct flm_lazy_tree_node node = flm_lazy_tree_at(valued, (struct flm_lazy_ref){number});
    struct flm_lazy_tree_sum sum =
        flm_lazy_tree_sum(valued, (struct flm_lazy_ref){number}, values_of, two);
    struct flm_lazy_tree_node expected = {0};
    if (in_plain != FLM_NONE)
        expected = flm_lazy_tree_at(plain, (struct flm_lazy_ref){in_plain});
    assert_near(sum.total[side], expected.total);
    assert_near(sum.own[side], expected.own);
    uint32_t seen = 0;
    for (uint32_t c = 0; c < node.child_count; c++) {
        struct flm_lazy_ref child = {node.first_child + c};
        uint32_t same = FLM_NONE;
        for (uint32_t k = 0; k < expected.child_count; k++)
            if (flm_lazy_tree_at(plain, (struct flm_lazy_ref){expected.first_child + k}).frame ==
                flm_lazy_tree_at(valued, child).frame)
                same = expected.first_child + k;
        seen += same != FLM_NONE;
        assert_side(valued, child.index, two, side, plain, same);
    }
    assert_int_equal(seen, expected.child_count);
}

/* Whatever is the width: what has a value on one side only is there as well. */
static void both_sides_are_what_each_unfolds_to(void **state)
{
    (void)state;
    uint64_t random = 23;
    for (unsigned i = 0; i < 120; i++) {
        struct random_shape shape = {
            .stacks = 1 + i, .names = 1 + i % 16, .deepest = 1 + i % 9, .metrics = 2};
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *marks = random_marks(p, &random);
        uint32_t count = p->sizes.node_count;
        double *column[2];
        for (int side = 0; side < 2; side++) { /* a third has a value on one side only */
            column[side] = calloc(count, sizeof *column[side]);
            for (uint32_t k = 1; k < count; k++)
                column[side][k] = random_below(&random, 3) ? flm_self_column(p, side)[k] : 0;
        }
        struct two_columns two = {p, {column[0], column[1]}};
        for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++)
            for (int width = 0; width < 2; width++) {
                struct flm_lazy_tree_values values = {column[width], {column[0], column[1]}};
                struct flm_lazy_tree *u = flm_lazy_tree_new_valued(
                    p, &values, (enum flm_lazy_tree_kind)kind, marks, NULL);
                uint32_t first = flm_lazy_tree_at(u, root).child_count;
                struct flm_lazy_tree_sum *closed = calloc(first + 1, sizeof *closed);
                for (uint32_t k = 0; k < first; k++)
                    closed[k] = flm_lazy_tree_sum(u, (struct flm_lazy_ref){1 + k}, values_of, &two);
                open_all(u);
                for (uint32_t k = 0; k < first; k++) {
                    struct flm_lazy_tree_sum open =
                        flm_lazy_tree_sum(u, (struct flm_lazy_ref){1 + k}, values_of, &two);
                    assert_sums_equal(&open, &closed[k]);
                }
                for (int side = 0; side < 2; side++) {
                    struct flm_lazy_tree_values alone = {column[side], {NULL, NULL}};
                    struct flm_lazy_tree *plain = flm_lazy_tree_new_valued(
                        p, &alone, (enum flm_lazy_tree_kind)kind, marks, NULL);
                    open_all(plain);
                    assert_side(u, 0, &two, side, plain, 0);
                    flm_lazy_tree_free(plain);
                }
                free(closed);
                flm_lazy_tree_free(u);
            }
        free(column[0]);
        free(column[1]);
        free(marks);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_tree_is_what_the_operation_makes),
        cmocka_unit_test(a_tree_is_right_however_far_it_is_open),
        cmocka_unit_test(what_is_narrow_stays_closed),
        cmocka_unit_test(a_piece_ends_with_its_budget),
        cmocka_unit_test(occurrences_are_what_a_node_is_made_of),
        cmocka_unit_test(frames_can_be_put_together),
        cmocka_unit_test(a_profile_without_values_is_a_root),
        cmocka_unit_test(level_1_may_be_wide),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_tree_is_whole_when_memory_ran_out),
        cmocka_unit_test(numbers_are_those_of_the_last_columns_until_there_are_new_ones),
        cmocka_unit_test(both_sides_are_what_each_unfolds_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
