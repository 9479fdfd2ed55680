#include "algebra/compare/comparison.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "support/core/allocation.h"
#include "support/core/json_tree.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct random_shape plain = {
    .stacks = 60, .names = 5, .deepest = 5, .metrics = 1, .modules = true, .kinds = true};

static struct flm_comparison compared(const struct flm_profile *p,
                                      const struct flm_comparison_options *options)
{
    struct flm_comparison c;
    struct flm_metric_pair pair;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    assert_true(flm_comparison_init(&c, p->sizes.node_count, p->node_end,
                                    flm_profile_self(p, pair.before),
                                    flm_profile_self(p, pair.after), options, NULL));
    return c;
}

/* ---- By a model ------------------------------------------------------------------------------ */

/* The frames of a node, root first. */
static size_t path_of(const struct flm_profile *p, const uint32_t *parent, uint32_t node,
                      struct model_frame *path)
{
    size_t depth = 0, at;
    for (uint32_t i = node; i; i = parent[i])
        depth++;
    at = depth;
    for (uint32_t i = node; i; i = parent[i])
        path[--at] = model_frame_of(p, p->node_frame[i]);
    return depth;
}

/* What stacks that begin with `path`, or are it, have in a list of stacks. */
static double sum_of(const struct model *m, const struct model_frame *path, size_t depth,
                     bool exactly)
{
    double sum = 0;
    for (size_t s = 0; s < m->count; s++) {
        const struct model_stack *stack = &m->stacks[s];
        bool begins = exactly ? stack->depth == depth : stack->depth >= depth;
        for (size_t i = 0; begins && i < depth; i++)
            begins = model_frames_equal(stack->frames[i], path[i]);
        sum += begins ? stack->value[0] : 0;
    }
    return sum;
}

static double expected_width(enum flm_comparison_widths widths, double before, double after)
{
    switch (widths) {
    case FLM_WIDTHS_MAX:
        return fmax(before, after);
    case FLM_WIDTHS_AFTER:
        return after;
    case FLM_WIDTHS_BEFORE:
        return before;
    case FLM_WIDTHS_SUM:
        return before + after;
    }
    return -1;
}

static bool names_modules(const struct flm_profile *p)
{
    bool found = false;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        found = found || p->frames[i].module != 0;
    return found;
}

/* Where only one of both names modules, functions are matched by name: paths_test.c. */
static void every_node_has_what_the_two_lists_of_stacks_say(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int run = 0; run < 24; run++) {
        struct flm_profile *x = random_profile(&random, &plain),
                           *y = random_profile(&random, &plain);
        while (names_modules(x) != names_modules(y)) {
            flm_profile_free(y);
            y = random_profile(&random, &plain);
        }
        struct flm_profile *p = flm_comparison_align(x, y, NULL);
        struct model before = model_of(x), after = model_of(y);
        struct flm_comparison_options options = {.widths = (enum flm_comparison_widths)(run % 4)};
        struct flm_comparison c = compared(p, &options);
        uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
        assert_non_null(parent);
        flm_profile_parents(p, parent);
        struct flm_change_sum sums[FLM_CHANGE_KINDS] = {{0}};
        for (uint32_t i = 0; i < p->sizes.node_count; i++) {
            struct model_frame path[64];
            size_t depth = path_of(p, parent, i, path);
            double b = sum_of(&before, path, depth, true), a = sum_of(&after, path, depth, true);
            assert_true(c.before[i] == sum_of(&before, path, depth, false));
            assert_true(c.after[i] == sum_of(&after, path, depth, false));
            assert_true(c.widths[i] == expected_width(options.widths, b, a));
            struct flm_change change = flm_comparison_change(&c, i, FLM_CHANGE_OF_SELF);
            assert_true(change.before == b && change.after == a && !change.noise);
            enum flm_change_kind kind = b == a   ? FLM_CHANGE_NONE
                                        : b == 0 ? FLM_CHANGE_APPEARED
                                        : a == 0 ? FLM_CHANGE_DISAPPEARED
                                        : a > b  ? FLM_CHANGE_GROWN
                                                 : FLM_CHANGE_SHRUNK;
            assert_int_equal(change.kind, kind);
            sums[kind].stack_count += a > 0 || b > 0;
            sums[kind].change += fabs(a - b);
        }
        for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++) {
            assert_int_equal(c.sums[kind].stack_count, sums[kind].stack_count);
            assert_true(c.sums[kind].change == sums[kind].change);
        }
        free(parent);
        flm_comparison_clear(&c);
        model_clear(&before);
        model_clear(&after);
        flm_profile_free(x);
        flm_profile_free(y);
        flm_profile_free(p);
    }
}

/* ---- By other code, and by vectors ----------------------------------------------------------- */

static struct flm_profile *profile_from(const struct json_tree *map)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric value = flm_builder_metric(b, "value", "count");
    for (size_t i = 0; i < map->count; i++) {
        struct flm_node node = flm_builder_root(b);
        const char *path = map->keys[i];
        for (size_t size; *path; path += size + (path[size] == ';')) {
            size = strcspn(path, ";");
            node = flm_builder_child(b, node, flm_builder_function(b, path, size));
        }
        flm_builder_add(b, node, value, map->items[i].number);
    }
    return flm_builder_finish(b, NULL);
}

static bool near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static double sum_in(const struct json_tree *map)
{
    double sum = 0;
    for (size_t i = 0; i < map->count; i++)
        sum += map->items[i].number;
    return sum;
}

static void sums_and_similarity_are_those_of_the_vectors(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/01_algebra.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    for (size_t i = 0; i < cases->count; i++) {
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        struct flm_profile *before = profile_from(json_tree_get(&cases->items[i], "f1"));
        struct flm_profile *after = profile_from(json_tree_get(&cases->items[i], "f2"));
        struct flm_profile *p = flm_comparison_align(before, after, NULL);
        assert_non_null(p);
        struct flm_comparison_options options = {.widths = FLM_WIDTHS_SUM};
        struct flm_comparison c = compared(p, &options);
        for (int kind = FLM_CHANGE_NONE + 1; kind < FLM_CHANGE_KINDS; kind++) {
            const struct json_tree *part =
                json_tree_get(expect, flm_change_kind_name((enum flm_change_kind)kind));
            assert_int_equal(c.sums[kind].stack_count, part->count);
            assert_true(near(c.sums[kind].change, sum_in(part)));
        }
        assert_true(near(c.similarity, json_tree_get(expect, "similarity")->number));
        flm_comparison_clear(&c);
        flm_profile_free(p);
        flm_profile_free(before);
        flm_profile_free(after);
    }
    json_tree_free(golden);
}

/* ---- Scale, kinds, signed columns ------------------------------------------------------------ */

static void scaled_by_totals_nothing_is_gained_or_lost_in_all(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int run = 0; run < 10; run++) {
        struct flm_profile *x = random_profile(&random, &plain),
                           *y = random_profile(&random, &plain);
        struct flm_profile *p = flm_comparison_align(x, y, NULL);
        struct flm_metric_pair pair;
        assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
        struct flm_normal normal = {.by = FLM_NORMALIZE_TOTAL};
        struct flm_comparison_options options = {0};
        assert_true(flm_comparison_scale(p, &pair, &normal, &options.scale, NULL));
        struct flm_comparison c = compared(p, &options);
        assert_int_equal(flm_comparison_change(&c, 0, FLM_CHANGE_OF_SUBTREE).kind, FLM_CHANGE_NONE);
        double gained = c.sums[FLM_CHANGE_APPEARED].change + c.sums[FLM_CHANGE_GROWN].change;
        double lost = c.sums[FLM_CHANGE_DISAPPEARED].change + c.sums[FLM_CHANGE_SHRUNK].change;
        assert_true(fabs(gained - lost) <= 1e-9 * gained);
        assert_true(fabs(c.similarity - flm_shape_similarity(p, pair.before, pair.after)) < 1e-9);
        flm_comparison_clear(&c);
        flm_profile_free(x);
        flm_profile_free(y);
        flm_profile_free(p);
    }
}

static void the_same_recorded_twice_as_long_is_the_same(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;b 3 6\na;c 7 14\na 11 22\n");
    struct flm_comparison_options options = {.scale = 2};
    struct flm_comparison c = compared(p, &options);
    for (uint32_t i = 0; i < c.node_count; i++)
        assert_int_equal(flm_comparison_change(&c, i, FLM_CHANGE_OF_SUBTREE).kind, FLM_CHANGE_NONE);
    assert_true(c.similarity == 1);
    flm_comparison_clear(&c);
    flm_profile_free(p);
}

static void kinds_that_are_not_asked_for_have_no_width_and_no_value(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;gone 10 0\na;less 9 4\na;more 20 25\na;new 0 30\n"
                                           "a;same 5 5\n");
    static const double left[FLM_CHANGE_KINDS] = {5, 30, 25, 10, 9};
    struct flm_comparison all = compared(p, &(struct flm_comparison_options){0});
    for (unsigned kinds = 1; kinds < 1u << FLM_CHANGE_KINDS; kinds++) {
        struct flm_comparison_options options = {.kinds = kinds};
        struct flm_comparison c = compared(p, &options);
        double expected = 0, width = 0;
        for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
            expected += kinds >> kind & 1 ? left[kind] : 0;
        for (uint32_t i = 0; i < c.node_count; i++)
            width += c.widths[i];
        assert_true(width == expected);
        bool grows = kinds & (1u << FLM_CHANGE_APPEARED | 1u << FLM_CHANGE_GROWN);
        bool shrinks = kinds & (1u << FLM_CHANGE_DISAPPEARED | 1u << FLM_CHANGE_SHRUNK);
        if (grows != shrinks) /* nothing of the other direction hides it */
            assert_true((c.after[0] > c.before[0]) == grows);
        assert_memory_equal(c.sums, all.sums, sizeof c.sums);
        assert_true(c.before_total == 44 && c.after_total == 64);
        flm_comparison_clear(&c);
    }
    flm_comparison_clear(&all);
    flm_profile_free(p);
}

static void one_signed_column_is_what_was_gained_and_lost(void **state)
{
    (void)state;
    /* root, a, b: b lost 30 below a, which gained 10. */
    static const uint32_t end[] = {3, 3, 3};
    static const double change[] = {0, 10, -30};
    struct flm_comparison_options options = {.widths = FLM_WIDTHS_SUM};
    struct flm_comparison c;
    assert_true(flm_comparison_init(&c, 3, end, NULL, change, &options, NULL));
    assert_true(c.before[1] == 30 && c.after[1] == 10);
    assert_true(c.widths[1] == 10 && c.widths[2] == 30);
    /* Whether that was all there is, it does not say. */
    assert_int_equal(flm_comparison_change(&c, 2, FLM_CHANGE_OF_SUBTREE).kind, FLM_CHANGE_SHRUNK);
    assert_int_equal(flm_comparison_change(&c, 1, FLM_CHANGE_OF_SELF).kind, FLM_CHANGE_GROWN);
    assert_true(c.sums[FLM_CHANGE_GROWN].change == 10 && c.sums[FLM_CHANGE_SHRUNK].change == 30);
    assert_true(c.sums[FLM_CHANGE_APPEARED].stack_count == 0 && c.distance == 40);
    flm_comparison_clear(&c);
}

/* ---- Noise ----------------------------------------------------------------------------------- */

/* What the test is an approximation of: with x + y samples in all and no difference, how many of
 * them are after is binomial. The chance of `y` or less, and of `y` or more; the smaller, twice. */
static double exact_chance(int x, int y, double expected)
{
    double p = expected / (1 + expected), below = 0, above = 0;
    int n = x + y;
    for (int k = 0; k <= n; k++) {
        double chance = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
                            (n - k) * log(1 - p));
        below += k <= y ? chance : 0;
        above += k >= y ? chance : 0;
    }
    return fmin(1, 2 * fmin(below, above));
}

static bool is_noise(double before, double after, double scale)
{
    struct flm_comparison c = {
        .how = {.scale = scale, .before_sample = 1, .after_sample = 1, .sigmas = 3}};
    return flm_comparison_judge(&c, before, after).noise;
}

/* 3 standard deviations are a chance of 0.0027. Where the exact one is twice as much, the test
 * must say noise; where it is a quarter, it must not. */
static void noise_is_what_the_exact_binomial_says(void **state)
{
    (void)state;
    static const double scales[] = {0.25, 0.5, 1, 2, 5};
    int noisy = 0, sure = 0;
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++)
        for (int x = 0; x < 130; x += 1 + x / 8)
            for (int y = 0; y < 130; y += 1 + y / 8) {
                if (x * scales[s] == y)
                    continue;
                double chance = exact_chance(x, y, scales[s]);
                bool noise = is_noise(x, y, scales[s]);
                noisy += noise, sure += !noise;
                if (chance > 2 * 0.0027 && !noise)
                    fail_msg("%d and %d, x%g: chance %g, not noise", x, y, scales[s], chance);
                if (chance < 0.0027 / 4 && noise)
                    fail_msg("%d and %d, x%g: chance %g, noise", x, y, scales[s], chance);
            }
    assert_true(noisy > 500 && sure > 500);
}

static void a_single_sample_more_is_noise_and_a_hundred_are_not(void **state)
{
    (void)state;
    assert_true(is_noise(0, 1, 1));
    assert_true(is_noise(1, 0, 1));
    assert_true(is_noise(10000, 10100, 1));
    assert_false(is_noise(0, 100, 1));
    assert_false(is_noise(10000, 11000, 1));
    assert_false(is_noise(7, 7, 1)); /* the same is the same */
}

static void a_sample_may_stand_for_any_amount(void **state)
{
    (void)state;
    for (int step = 0; step < 4; step++) {
        double size = step == 0 ? 1 : step == 1 ? 10e6 : step == 2 ? 0.25 : 1e-3;
        struct flm_comparison c = {
            .how = {.scale = 1, .before_sample = size, .after_sample = size, .sigmas = 3}};
        for (int y = 0; y < 40; y++)
            assert_int_equal(flm_comparison_judge(&c, 9 * size, y * size).noise, is_noise(9, y, 1));
        c.how.before_sample = 0; /* not known: nothing is noise */
        assert_false(flm_comparison_judge(&c, 0, size).noise);
    }
    struct flm_comparison off = {.how = {.scale = 1, .before_sample = 1, .after_sample = 1}};
    assert_false(flm_comparison_judge(&off, 0, 1).noise);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    static const uint32_t end[] = {2, 2};
    static const double values[] = {0, 3};
    struct flm_comparison_options options = {0};
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        struct flm_comparison c;
        allocation_fail_from(nth);
        bool made = flm_comparison_init(&c, 2, end, values, values, &options, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(made, !failed);
        if (!made)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_comparison_clear(&c);
        if (!failed)
            break;
    }
}

/* main;a 10 > 30, of which 18 are significant; main;b 30 > 10, all; main;c 5 > 6, nothing: by
 * node. */
static void what_was_significant_says_what_is_noise(void **state)
{
    (void)state;
    static const uint32_t end[] = {5, 5, 3, 4, 5};
    static const double before[] = {0, 0, 10, 30, 5}, after[] = {0, 0, 30, 10, 6};
    static const double lost[] = {0, 0, 0, 20, 0}, gained[] = {0, 0, 18, 0, 0};
    struct flm_comparison_options how = {
        .lost = lost, .gained = gained, .sigmas = 3, .before_sample = 1, .after_sample = 1};
    struct flm_comparison c;
    assert_true(flm_comparison_init(&c, 5, end, before, after, &how, NULL));
    struct flm_change change = flm_comparison_change(&c, 2, FLM_CHANGE_OF_SELF);
    assert_true(!change.noise && change.significant == 18 && change.after - change.before == 20);
    change = flm_comparison_change(&c, 4, FLM_CHANGE_OF_SELF);
    assert_true(change.noise && change.significant == 0 && change.kind == FLM_CHANGE_GROWN);
    /* What was moved cancels, and is not noise. */
    change = flm_comparison_change(&c, 1, FLM_CHANGE_OF_SUBTREE);
    assert_true(!change.noise && change.significant == -2 && change.after - change.before == 1);
    change = flm_comparison_change(&c, 1, FLM_CHANGE_OF_SELF);
    assert_true(!change.noise && change.significant == 0 && change.kind == FLM_CHANGE_NONE);
    assert_true(c.sums[FLM_CHANGE_GROWN].significant == 18 &&
                c.sums[FLM_CHANGE_SHRUNK].significant == 20);
    flm_comparison_clear(&c);

    /* What is not looked at is not significant either. */
    how.kinds = 1u << FLM_CHANGE_GROWN;
    assert_true(flm_comparison_init(&c, 5, end, before, after, &how, NULL));
    assert_true(flm_comparison_change(&c, 0, FLM_CHANGE_OF_SUBTREE).significant == 18);
    assert_true(flm_comparison_change(&c, 3, FLM_CHANGE_OF_SELF).significant == 0);
    flm_comparison_clear(&c);

    /* Without it all of a change counts. */
    how = (struct flm_comparison_options){.widths = FLM_WIDTHS_MAX};
    assert_true(flm_comparison_init(&c, 5, end, before, after, &how, NULL));
    assert_true(flm_comparison_change(&c, 2, FLM_CHANGE_OF_SELF).significant == 20);
    double l = 1, g = 1;
    flm_comparison_significant(&c, 2, FLM_CHANGE_OF_SELF, &l, &g);
    assert_true(l == 0 && g == 0);
    flm_comparison_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_has_what_the_two_lists_of_stacks_say),
        cmocka_unit_test(sums_and_similarity_are_those_of_the_vectors),
        cmocka_unit_test(scaled_by_totals_nothing_is_gained_or_lost_in_all),
        cmocka_unit_test(the_same_recorded_twice_as_long_is_the_same),
        cmocka_unit_test(kinds_that_are_not_asked_for_have_no_width_and_no_value),
        cmocka_unit_test(one_signed_column_is_what_was_gained_and_lost),
        cmocka_unit_test(noise_is_what_the_exact_binomial_says),
        cmocka_unit_test(a_single_sample_more_is_noise_and_a_hundred_are_not),
        cmocka_unit_test(a_sample_may_stand_for_any_amount),
        cmocka_unit_test(what_was_significant_says_what_is_noise),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
