/* What must be true of every operation, on profiles by chance: Tornetta, "On the Algebraic
 * Properties of Flame Graphs". Sums of integers are exact, so equal means equal bytes. */
#include "algebra/operation/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* Everything that an expression can say. */
static const char *const operations[] = {
    "focus:f1",
    "focus:*",
    "hide:f1",
    "hide:*",
    "drop:f2",
    "keep:f2",
    "keep:nothing*",
    "prune:f3",
    "prune:*",
    "by:function",
    "by:name",
    "by:line",
    "by:module",
    "by:file",
    "by:package",
    "by:kind",
    "by:short",
    "by:nohex",
    "rename:s/f([0-9])/g\\1/",
    "rename:s/.*/one/",
    "rename:module=s/.*//",
    "rename:s/1|2/x/g | rename:file=s,.*/,,",
    "invert",
    "collapse:direct",
    "collapse:any",
    "depth:1",
    "depth:4",
    "metric:m1",
    "label:thread=t1",
    "label:span",
    "unlabel:thread",
    "focus:/f[12]/ | invert | by:module",
    "hide:kind=kernel | collapse:any | depth:3",
};
enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

static struct flm_profile *apply(const struct flm_profile *p, const char *expression)
{
    struct flm_error why = {0};
    struct flm_profile *result = flm_apply(p, expression, NULL, &why);
    if (!result)
        fail_msg("%s: %s", expression, why.text);
    return result;
}

static struct flm_profile *add(const struct flm_profile *a, const struct flm_profile *b)
{
    struct flm_error why = {0};
    const struct flm_profile *both[] = {a, b};
    struct flm_profile *sum = flm_align(both, 2, FLM_ALIGN_ADD, NULL, &why);
    if (!sum)
        fail_msg("%s", why.text);
    return sum;
}

/* Takes both. */
static struct flm_profile *add_and_free(struct flm_profile *a, struct flm_profile *b)
{
    struct flm_profile *sum = add(a, b);
    flm_profile_free(a);
    flm_profile_free(b);
    return sum;
}

/* Takes both. */
static void assert_same(struct flm_profile *a, struct flm_profile *b)
{
    assert_profiles_equal(a, b);
    flm_profile_free(a);
    flm_profile_free(b);
}

static double total(const struct flm_profile *p, uint32_t metric)
{
    return flm_profile_total(p, (struct flm_metric){metric});
}

/* ---- Every operation ------------------------------------------------------------------------- */

static void every_operation_is_linear(void **state)
{
    (void)state;
    uint64_t random = 21;
    struct random_shape shape = random_full;
    shape.metadata = false; /* losses are not values: they would be added twice, as they should */
    for (int round = 0; round < 30; round++) {
        shape.negative = round % 2;
        shape.stacks = random_below(&random, 60);
        struct flm_profile *f = random_profile(&random, &shape);
        struct flm_profile *g = random_profile(&random, &shape);
        if (f->sizes.sample_count == 0 || g->sizes.sample_count == 0) {
            flm_profile_free(f);
            flm_profile_free(g);
            continue;
        }
        struct flm_profile *sum = add(f, g);
        for (int i = 0; i < OPERATION_COUNT; i++)
            assert_same(apply(sum, operations[i]),
                        add_and_free(apply(f, operations[i]), apply(g, operations[i])));
        flm_profile_free(f);
        flm_profile_free(g);
        flm_profile_free(sum);
    }
}

static void every_result_is_canonical_and_its_samples_follow(void **state)
{
    (void)state;
    uint64_t random = 22;
    struct random_shape shape = random_full;
    for (int round = 0; round < 30; round++) {
        shape.negative = round % 2;
        shape.stacks = 1 + random_below(&random, 60);
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_text before = bytes_of(p);
        assert_true(unsampled(p) == 0);
        for (int i = 0; i < OPERATION_COUNT; i++) {
            struct flm_profile *result = apply(p, operations[i]);
            assert_sound(result);
            if (unsampled(result) != 0)
                fail_msg("%s: self values are not the sum of their samples", operations[i]);
            flm_profile_free(result);
        }
        struct flm_text behind = bytes_of(p); /* the input is as it was */
        assert_int_equal(before.size, behind.size);
        assert_memory_equal(before.at, behind.at, before.size);
        flm_text_clear(&before);
        flm_text_clear(&behind);
        flm_profile_free(p);
    }
}

static void operations_on_nothing_give_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("");
    for (int i = 0; i < OPERATION_COUNT; i++) {
        struct flm_error why = {0};
        struct flm_profile *result = flm_apply(p, operations[i], NULL, &why);
        if (result) {
            assert_int_equal(result->sizes.node_count, 1);
            assert_sound(result);
        } else { /* no samples, no such metric */
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
        }
        flm_profile_free(result);
    }
    flm_profile_free(p);
}

static void a_chain_of_100000_frames_goes_through_every_operation(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric m0 = flm_builder_metric(b, "m0", "ns");
    struct flm_metric m1 = flm_builder_metric(b, "m1", "ns");
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, flm_builder_function(b, i % 3 ? "f1" : "f2", 2));
    struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                  flm_builder_string(b, "t1", 2)};
    flm_builder_sample(b, 5, node, flm_builder_label_set(b, label, 1), m0, 7);
    flm_builder_sample_add(b, m1, 8);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    for (int i = 0; i < OPERATION_COUNT; i++) {
        struct flm_profile *result = apply(p, operations[i]);
        assert_true(flm_profile_check(result, NULL));
        flm_profile_free(result);
    }
    struct flm_profile *twice = add(p, p);
    assert_true(total(twice, 0) == 14);
    assert_int_equal(twice->sizes.node_count, 100001);
    assert_true(flm_profile_check(twice, NULL));
    flm_profile_free(twice);
    flm_profile_free(p);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void a_sum_does_not_depend_on_order_or_grouping(void **state)
{
    (void)state;
    uint64_t random = 23;
    struct random_shape shape = random_full;
    shape.metadata = false;
    for (int round = 0; round < 60; round++) {
        shape.negative = round % 2;
        shape.samples = round % 3;
        shape.stacks = random_below(&random, 60);
        struct flm_profile *f = random_profile(&random, &shape);
        struct flm_profile *g = random_profile(&random, &shape);
        struct flm_profile *h = random_profile(&random, &shape);
        assert_same(add(f, g), add(g, f));
        assert_same(add_and_free(add(f, g), add(h, h)), add_and_free(add(h, f), add(g, h)));
        const struct flm_profile *all[] = {h, f, g, h};
        struct flm_profile *at_once = flm_align(all, 4, FLM_ALIGN_ADD, NULL, NULL);
        assert_non_null(at_once);
        assert_sound(at_once);
        assert_same(at_once, add_and_free(add(f, h), add(g, h)));
        flm_profile_free(f);
        flm_profile_free(g);
        flm_profile_free(h);
    }
}

enum { MOST_METRICS = 8 };

static struct flm_profile *scaled(const struct flm_profile *p, double by)
{
    struct flm_error why = {0};
    struct flm_combination c[MOST_METRICS];
    double weights[MOST_METRICS][MOST_METRICS] = {{0}};
    char names[MOST_METRICS][16];
    uint32_t count = p->sizes.metric_count;
    for (uint32_t m = 0; m < count; m++) {
        struct flm_bytes name = flm_string_bytes(p, p->metrics[m].name);
        memcpy(names[m], name.at, name.size);
        names[m][name.size] = 0;
        weights[m][m] = by;
        c[m] = (struct flm_combination){.name = names[m], .weights = weights[m]};
    }
    struct flm_profile *result = flm_combine(p, c, count, &why);
    if (!result)
        fail_msg("%s", why.text);
    return result;
}

static void a_profile_and_itself_are_twice_the_profile(void **state)
{
    (void)state;
    uint64_t random = 24;
    struct random_shape shape = random_full;
    shape.metadata = false;
    shape.samples =
        RANDOM_SAMPLES_NONE; /* of samples there are then two, not one of twice the value */
    for (int round = 0; round < 40; round++) {
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        assert_same(add(p, p), scaled(p, 2));
        assert_same(scaled(p, 1), poured(p, &random));
        flm_profile_free(p);
    }
}

static void what_cancels_is_gone(void **state)
{
    (void)state;
    uint64_t random = 25;
    struct random_shape shape = random_full;
    shape.samples = RANDOM_SAMPLES_NONE;
    shape.metadata = false;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_profile *nothing = add_and_free(scaled(p, 1), scaled(p, -1));
        assert_sound(nothing);
        assert_int_equal(nothing->sizes.node_count, 1);
        assert_int_equal(nothing->sizes.frame_count, 1);
        assert_same(add_and_free(nothing, poured(p, &random)), p);
    }
}

/* Half-open windows that follow each other are a partition: their sums are the whole. */
static void windows_of_a_chart_add_up_to_the_whole(void **state)
{
    (void)state;
    uint64_t random = 26;
    struct random_shape shape = random_full;
    shape.metadata = false;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_profile *sum = NULL;
        int64_t from = 0, end = 1000000000;
        while (from < end) {
            /* A window may end exactly where a sample is. */
            int64_t to = from + (1 + (int64_t)random_below(&random, 300)) * 1000000;
            struct flm_profile *window = flm_keep_time(p, from, to, NULL);
            assert_sound(window);
            for (uint32_t i = 0; i < window->sizes.sample_count; i++)
                assert_true(window->sample_time[i] >= from && window->sample_time[i] < to);
            sum = sum ? add_and_free(sum, window) : window;
            from = to;
        }
        assert_same(sum, flm_keep_time(p, 0, INT64_MAX, NULL));
        flm_profile_free(p);
    }
}

static void labels_divide_a_profile(void **state)
{
    (void)state;
    uint64_t random = 27;
    struct random_shape shape = random_full;
    shape.metadata = false;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        assert_same(add_and_free(apply(p, "label:thread"), apply(p, "unlabel:thread")),
                    poured(p, &random));
        assert_same(add_and_free(apply(p, "label:cpu=t0"), apply(p, "unlabel:cpu=t0")),
                    poured(p, &random));
        assert_same(add_and_free(apply(p, "keep:f1"), apply(p, "drop:f1")), poured(p, &random));
        flm_profile_free(p);
    }
}

/* ---- Two columns: difference, norm, distance, similarity ------------------------------------- */

enum { BEFORE, AFTER };

/* f and g side by side; takes neither. */
static struct flm_profile *pair_of(const struct flm_profile *f, const struct flm_profile *g)
{
    struct flm_error why = {0};
    static const char *const names[] = {"before", "after"};
    const struct flm_profile *both[] = {f, g};
    struct flm_profile *pair = flm_align(both, 2, FLM_ALIGN_SIDE_BY_SIDE, names, &why);
    if (!pair)
        fail_msg("%s", why.text);
    assert_sound(pair);
    return pair;
}

static struct random_shape one_metric(void)
{
    struct random_shape shape = random_full;
    shape.metrics = 1;
    shape.metadata = false;
    shape.samples = RANDOM_SAMPLES_NONE;
    return shape;
}

static struct flm_profile *random_pair(uint64_t *random, bool negative)
{
    struct random_shape shape = one_metric();
    shape.negative = negative;
    shape.stacks = random_below(random, 60);
    struct flm_profile *f = random_profile(random, &shape), *g = random_profile(random, &shape);
    struct flm_profile *pair = pair_of(f, g);
    flm_profile_free(f);
    flm_profile_free(g);
    return pair;
}

/* A column of two: weights of before and after. */
static struct flm_profile *mixed(const struct flm_profile *pair, double before, double after)
{
    struct flm_error why = {0};
    double weights[] = {before, after};
    struct flm_combination c = {.name = "x", .weights = weights};
    struct flm_profile *result = flm_combine(pair, &c, 1, &why);
    if (!result)
        fail_msg("%s", why.text);
    return result;
}

enum { APPEARED, GROWN, DISAPPEARED, SHRUNK };

static struct flm_profile *parts_of(const struct flm_profile *pair, uint32_t before, uint32_t after)
{
    struct flm_error why = {0};
    struct flm_profile *parts =
        flm_difference_parts(pair, (struct flm_metric){before}, (struct flm_metric){after}, &why);
    if (!parts)
        fail_msg("%s", why.text);
    assert_sound(parts);
    return parts;
}

static struct flm_profile *sum_of_parts(const struct flm_profile *parts, double a, double g,
                                        double d, double s)
{
    struct flm_error why = {0};
    double weights[] = {a, g, d, s};
    struct flm_combination c = {.name = "x", .weights = weights};
    struct flm_profile *result = flm_combine(parts, &c, 1, &why);
    if (!result)
        fail_msg("%s", why.text);
    return result;
}

static double norm(const struct flm_profile *p, uint32_t metric)
{
    return flm_norm(p, (struct flm_metric){metric});
}

static double distance(const struct flm_profile *p)
{
    return flm_distance(p, (struct flm_metric){BEFORE}, (struct flm_metric){AFTER});
}

static void four_parts_are_the_difference(void **state)
{
    (void)state;
    uint64_t random = 28;
    for (int round = 0; round < 100; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        struct flm_profile *parts = parts_of(pair, BEFORE, AFTER);
        assert_same(mixed(pair, -1, 1), sum_of_parts(parts, 1, 1, -1, -1));
        /* Each stack is in one of them at most, and never negative. */
        for (uint32_t i = 0; i < parts->sizes.node_count; i++) {
            int in = 0;
            for (uint32_t m = 0; m < 4; m++) {
                assert_true(flm_self_column(parts, m)[i] >= 0);
                in += flm_self_column(parts, m)[i] != 0;
            }
            assert_true(in <= 1);
        }
        /* What is in both is neither new nor gone. */
        double in_both = 0;
        for (uint32_t i = 0; i < pair->sizes.node_count; i++)
            if (flm_self_column(pair, BEFORE)[i] != 0 && flm_self_column(pair, AFTER)[i] != 0)
                in_both += flm_self_column(pair, AFTER)[i];
        assert_true(total(parts, APPEARED) == total(pair, AFTER) - in_both);
        flm_profile_free(parts);
        flm_profile_free(pair);
    }
}

static void parts_of_the_swapped_pair_are_swapped(void **state)
{
    (void)state;
    uint64_t random = 29;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *pair = random_pair(&random, round % 2);
        struct flm_profile *there = parts_of(pair, BEFORE, AFTER);
        struct flm_profile *back = parts_of(pair, AFTER, BEFORE);
        assert_same(sum_of_parts(there, 1, 1, 0, 0), sum_of_parts(back, 0, 0, 1, 1));
        assert_same(sum_of_parts(there, 0, 0, 1, 1), sum_of_parts(back, 1, 1, 0, 0));
        if (round % 2 == 0) {
            assert_same(sum_of_parts(there, 1, 0, 0, 0), sum_of_parts(back, 0, 0, 1, 0));
            assert_same(sum_of_parts(there, 0, 1, 0, 0), sum_of_parts(back, 0, 0, 0, 1));
        }
        flm_profile_free(there);
        flm_profile_free(back);
        flm_profile_free(pair);
    }
}

static void norms_of_the_parts_are_the_distance(void **state)
{
    (void)state;
    uint64_t random = 30;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        struct flm_profile *parts = parts_of(pair, BEFORE, AFTER);
        double gained = total(parts, APPEARED) + total(parts, GROWN);
        double lost = total(parts, DISAPPEARED) + total(parts, SHRUNK);
        assert_true(gained + lost == distance(pair));
        assert_true(gained - lost == norm(pair, AFTER) - norm(pair, BEFORE));
        flm_profile_free(parts);
        flm_profile_free(pair);
    }
}

/* Of all ways to write the difference as a - b without negative values, the parts are the smallest.
 */
static void parts_are_the_smallest_difference(void **state)
{
    (void)state;
    uint64_t random = 31;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        struct flm_profile *parts = parts_of(pair, BEFORE, AFTER);
        struct flm_profile *gained = sum_of_parts(parts, 1, 1, 0, 0);
        struct flm_profile *lost = sum_of_parts(parts, 0, 0, 1, 1);
        struct flm_profile *before = mixed(pair, 1, 0), *after = mixed(pair, 0, 1);
        struct flm_profile *new_pair = pair_of(gained, after), *old_pair = pair_of(lost, before);
        for (uint32_t i = 0; i < new_pair->sizes.node_count; i++)
            assert_true(flm_self_column(new_pair, 0)[i] <= flm_self_column(new_pair, 1)[i]);
        for (uint32_t i = 0; i < old_pair->sizes.node_count; i++)
            assert_true(flm_self_column(old_pair, 0)[i] <= flm_self_column(old_pair, 1)[i]);
        /* before + gained = after + lost, the larger of both on every stack */
        struct flm_profile *larger = add(before, gained);
        assert_same(add(after, lost), poured(larger, &random));
        static const char *const names[] = {"before", "after", "larger"};
        const struct flm_profile *three[] = {before, after, larger};
        struct flm_profile *all = flm_align(three, 3, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
        assert_non_null(all);
        for (uint32_t i = 0; i < all->sizes.node_count; i++)
            assert_true(flm_self_column(all, 2)[i] ==
                        fmax(flm_self_column(all, 0)[i], flm_self_column(all, 1)[i]));
        flm_profile_free(all);
        flm_profile_free(larger);
        flm_profile_free(gained);
        flm_profile_free(lost);
        flm_profile_free(before);
        flm_profile_free(after);
        flm_profile_free(new_pair);
        flm_profile_free(old_pair);
        flm_profile_free(parts);
        flm_profile_free(pair);
    }
}

static void a_norm_is_linear_on_the_cone_and_a_distance_is_a_metric(void **state)
{
    (void)state;
    uint64_t random = 32;
    struct random_shape shape = one_metric();
    for (int round = 0; round < 60; round++) {
        shape.negative = round % 2;
        struct flm_profile *p[3];
        for (int i = 0; i < 3; i++)
            p[i] = random_profile(&random, &shape);
        static const char *const names[] = {"f", "g", "h"};
        struct flm_profile *all =
            flm_align((const struct flm_profile *const *)p, 3, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
        assert_non_null(all);
        struct flm_metric f = {0}, g = {1}, h = {2};
        assert_true(flm_distance(all, f, f) == 0);
        assert_true(flm_distance(all, f, g) == flm_distance(all, g, f));
        assert_true(flm_distance(all, f, h) <= flm_distance(all, f, g) + flm_distance(all, g, h));
        struct flm_profile *sum = add(p[0], p[1]);
        assert_true(norm(sum, 0) <= norm(p[0], 0) + norm(p[1], 0));
        if (!shape.negative)
            assert_true(norm(sum, 0) == norm(p[0], 0) + norm(p[1], 0));
        assert_true(norm(all, 0) == norm(p[0], 0));
        flm_profile_free(sum);
        flm_profile_free(all);
        for (int i = 0; i < 3; i++)
            flm_profile_free(p[i]);
    }
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12;
}

static void a_similarity_is_between_0_and_1(void **state)
{
    (void)state;
    uint64_t random = 33;
    struct flm_metric f = {BEFORE}, g = {AFTER};
    for (int round = 0; round < 100; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        double similarity = flm_similarity(pair, f, g), shape = flm_shape_similarity(pair, f, g);
        assert_true(similarity >= 0 && similarity <= 1);
        assert_true(shape >= -1e-12 && shape <= 1 + 1e-12);
        assert_true(similarity == flm_similarity(pair, g, f));
        assert_true(flm_similarity(pair, f, f) == 1);
        assert_true(near(flm_shape_similarity(pair, f, f), 1));
        /* Bray-Curtis: 2 |min(f, g)| / (|f| + |g|) */
        double least = 0, norms = norm(pair, BEFORE) + norm(pair, AFTER);
        for (uint32_t i = 0; i < pair->sizes.node_count; i++)
            least += fmin(flm_self_column(pair, BEFORE)[i], flm_self_column(pair, AFTER)[i]);
        if (norms > 0)
            assert_true(near(similarity, 2 * least / norms));
        flm_profile_free(pair);
    }
}

static void a_longer_recording_is_less_similar_but_of_the_same_shape(void **state)
{
    (void)state;
    uint64_t random = 34;
    struct random_shape shape = one_metric();
    for (int times = 1; times < 10; times++) {
        struct flm_profile *f = random_profile(&random, &shape), *longer = scaled(f, times);
        struct flm_profile *pair = pair_of(f, longer);
        struct flm_metric before = {BEFORE}, after = {AFTER};
        assert_true(near(flm_similarity(pair, before, after), 2.0 / (1 + times)));
        assert_true(near(flm_shape_similarity(pair, before, after), 1));
        flm_profile_free(f);
        flm_profile_free(longer);
        flm_profile_free(pair);
    }
}

static void similarities_of_differences_are_none(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 -2\nb 3 4\n");
    assert_true(isnan(flm_similarity(p, (struct flm_metric){0}, (struct flm_metric){1})));
    assert_true(isnan(flm_shape_similarity(p, (struct flm_metric){1}, (struct flm_metric){0})));
    flm_profile_free(p);
}

/* ---- The tree: inclusive values -------------------------------------------------------------- */

static double *totals(const struct flm_profile *p, uint32_t metric)
{
    double *total_of = malloc(p->sizes.node_count * sizeof *total_of);
    assert_non_null(total_of);
    flm_profile_totals(p, (struct flm_metric){metric}, total_of);
    return total_of;
}

static void totals_of_a_difference_are_the_difference_of_totals(void **state)
{
    (void)state;
    uint64_t random = 35;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *pair = random_pair(&random, round % 2);
        double weights[3][2] = {{1, 0}, {0, 1}, {-1, 1}};
        struct flm_combination c[] = {{.name = "before", .weights = weights[0]},
                                      {.name = "after", .weights = weights[1]},
                                      {.name = "delta", .weights = weights[2]}};
        struct flm_profile *all = flm_combine(pair, c, 3, NULL);
        assert_non_null(all);
        double *before = totals(all, 0), *after = totals(all, 1), *delta = totals(all, 2);
        for (uint32_t i = 0; i < all->sizes.node_count; i++)
            assert_true(delta[i] == after[i] - before[i]);
        free(before);
        free(after);
        free(delta);
        flm_profile_free(all);
        flm_profile_free(pair);
    }
}

/* What shifts within a subtree is gained and lost in it, and does not show in its total. */
static void what_is_gained_below_a_frame_is_at_least_its_difference(void **state)
{
    (void)state;
    uint64_t random = 36;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        struct flm_profile *parts = parts_of(pair, BEFORE, AFTER);
        double *appeared = totals(parts, APPEARED), *grown = totals(parts, GROWN);
        double *gone = totals(parts, DISAPPEARED), *shrunk = totals(parts, SHRUNK);
        for (uint32_t i = 0; i < parts->sizes.node_count; i++) {
            double gained = appeared[i] + grown[i], lost = gone[i] + shrunk[i];
            assert_true(fmax(gained - lost, 0) <= gained);
        }
        free(appeared);
        free(grown);
        free(gone);
        free(shrunk);
        flm_profile_free(parts);
        flm_profile_free(pair);
    }
    struct flm_profile *pair = profile_of_two("main;a 5 3\nmain;b 3 5\n");
    struct flm_profile *parts = parts_of(pair, 1, 0);
    assert_true(total(parts, GROWN) == 2 && total(parts, SHRUNK) == 2);
    flm_profile_free(parts);
    flm_profile_free(pair);
}

/* ---- Quotients ------------------------------------------------------------------------------- */

static const char *const quotients[] = {"by:function",      "by:name",
                                        "by:line",          "by:module",
                                        "by:file",          "by:package",
                                        "by:kind",          "by:short",
                                        "by:nohex",         "rename:s/f([0-9])/g\\1/",
                                        "rename:s/.*/one/", "rename:module=s/[0-9]+//"};
enum { QUOTIENT_COUNT = sizeof quotients / sizeof quotients[0] };

static void a_quotient_keeps_the_norm_and_brings_profiles_nearer(void **state)
{
    (void)state;
    uint64_t random = 37;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *pair = random_pair(&random, false);
        for (int i = 0; i < QUOTIENT_COUNT; i++) {
            struct flm_profile *q = apply(pair, quotients[i]);
            assert_sound(q);
            assert_true(norm(q, BEFORE) == norm(pair, BEFORE));
            assert_true(norm(q, AFTER) == norm(pair, AFTER));
            assert_true(distance(q) <= distance(pair));
            assert_true(flm_similarity(q, (struct flm_metric){0}, (struct flm_metric){1}) >=
                        flm_similarity(pair, (struct flm_metric){0}, (struct flm_metric){1}));
            for (uint32_t k = 0; k < q->sizes.node_count; k++)
                assert_true(q->self[k] >= 0);
            flm_profile_free(q);
        }
        flm_profile_free(pair);
    }
}

static void a_quotient_of_a_quotient_is_one(void **state)
{
    (void)state;
    uint64_t random = 38;
    static const char *const coarser[][2] = {
        {"by:line | by:function", "by:function"},
        {"by:line | by:name", "by:name"},
        {"by:function | by:name", "by:name"},
        {"by:line | by:module", "by:module"},
        {"by:line | by:file", "by:file"},
        {"by:line | by:kind", "by:kind"},
        {"by:nohex | by:nohex", "by:nohex"},
        {"by:short | by:short", "by:short"},
        {"by:name | by:name", "by:name"},
        {"by:short | by:name", "by:name | by:short"},
        {"by:line | by:line", "by:line"},
        {"rename:s/[0-9]//g | rename:s/f/g/", "rename:s/f/g/ | rename:s/[0-9]//g"},
        {"rename:s/[0-9]// | rename:s/.*/x/", "rename:s/.*/x/"},
        {"rename:s/.*/x/ | by:function", "by:function | rename:s/.*/x/"},
    };
    for (int round = 0; round < 30; round++) {
        struct random_shape shape = random_full;
        shape.negative = round % 2;
        shape.kinds =
            false; /* what is no code keeps its line and address when modules are merged */
        struct flm_profile *p = random_profile(&random, &shape);
        for (size_t i = 0; i < sizeof coarser / sizeof coarser[0]; i++)
            assert_same(apply(p, coarser[i][0]), apply(p, coarser[i][1]));
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_linear),
        cmocka_unit_test(every_result_is_canonical_and_its_samples_follow),
        cmocka_unit_test(operations_on_nothing_give_nothing),
        cmocka_unit_test(a_chain_of_100000_frames_goes_through_every_operation),
        cmocka_unit_test(a_sum_does_not_depend_on_order_or_grouping),
        cmocka_unit_test(a_profile_and_itself_are_twice_the_profile),
        cmocka_unit_test(what_cancels_is_gone),
        cmocka_unit_test(windows_of_a_chart_add_up_to_the_whole),
        cmocka_unit_test(labels_divide_a_profile),
        cmocka_unit_test(four_parts_are_the_difference),
        cmocka_unit_test(parts_of_the_swapped_pair_are_swapped),
        cmocka_unit_test(norms_of_the_parts_are_the_distance),
        cmocka_unit_test(parts_are_the_smallest_difference),
        cmocka_unit_test(a_norm_is_linear_on_the_cone_and_a_distance_is_a_metric),
        cmocka_unit_test(a_similarity_is_between_0_and_1),
        cmocka_unit_test(a_longer_recording_is_less_similar_but_of_the_same_shape),
        cmocka_unit_test(similarities_of_differences_are_none),
        cmocka_unit_test(totals_of_a_difference_are_the_difference_of_totals),
        cmocka_unit_test(what_is_gained_below_a_frame_is_at_least_its_difference),
        cmocka_unit_test(a_quotient_keeps_the_norm_and_brings_profiles_nearer),
        cmocka_unit_test(a_quotient_of_a_quotient_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
