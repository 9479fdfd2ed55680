/* Laws of the difference of two columns and of distances, on random profiles: Tornetta, "On the
 * Algebraic Properties of Flame Graphs". Sums of integers are exact, so equal means equal bytes. */
#include "flamel/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/laws.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static double total(const struct flm_profile *p, uint32_t metric)
{
    return flm_profile_total(p, (struct flm_metric){metric});
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
    shape.locations = false;
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
        struct flm_profile *larger = sum_of(before, gained);
        assert_same(sum_of(after, lost), poured(larger, &random));
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
        struct flm_profile *sum = sum_of(p[0], p[1]);
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
            struct flm_profile *q = applied(pair, quotients[i]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
