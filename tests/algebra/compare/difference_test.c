#include "algebra/compare/difference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* Two profiles and what they differ in. */
struct both {
    struct flm_profile *p;
    struct flm_metric_pair pair;
    struct flm_comparison is;
};

static void compare(struct both *b, struct flm_profile *p, double scale)
{
    b->p = p;
    assert_true(flm_metric_pair_find(p, NULL, &b->pair, NULL));
    struct flm_comparison_options how = {.scale = scale};
    assert_true(flm_comparison_init(&b->is, p->sizes.node_count, p->node_end,
                                    flm_self_column(p, b->pair.before.index),
                                    flm_self_column(p, b->pair.after.index), &how, NULL));
}

static struct both by_chance(uint64_t *random, double scale)
{
    struct random_shape shape = random_full;
    shape.metrics = 1;
    shape.metadata = false;
    shape.samples = RANDOM_SAMPLES_NONE;
    shape.stacks = random_below(random, 60);
    struct flm_profile *f = random_profile(random, &shape), *g = random_profile(random, &shape);
    struct flm_profile *pair = flm_comparison_align(f, g, NULL);
    struct both b;
    flm_profile_free(f);
    flm_profile_free(g);
    compare(&b, pair, scale);
    return b;
}

static void both_clear(struct both *b)
{
    flm_comparison_clear(&b->is);
    flm_profile_free(b->p);
}

static struct flm_profile *part_of(const struct both *b, enum flm_part part, double factor)
{
    struct flm_error why = {0};
    struct flm_profile *p =
        flm_part_of(b->p, &b->is, part, flm_bytes_of("x"), flm_bytes_of("ns"), factor, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static double total(const struct flm_profile *p)
{
    return flm_profile_total(p, (struct flm_metric){0});
}

static double norm(const struct flm_profile *p)
{
    return flm_norm(p, (struct flm_metric){0});
}

static void assert_part(const char *two, enum flm_part part, const char *expected)
{
    struct both b;
    compare(&b, profile_of_two(two), 1);
    struct flm_profile *p = part_of(&b, part, 1);
    assert_folded(p, expected);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[0].name), "x"));
    assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[0].unit), "ns"));
    flm_profile_free(p);
    both_clear(&b);
}

static void each_stack_is_in_the_parts_that_are_named_after_what_it_did(void **state)
{
    (void)state;
    static const char two[] = "a;gone 10 0\na;less 9 4\na;more 20 25\na;new 0 30\na;same 7 7\n";
    assert_part(two, FLM_PART_APPEARED, "a;new 30\n");
    assert_part(two, FLM_PART_GROWN, "a;more 5\n");
    assert_part(two, FLM_PART_DISAPPEARED, "a;gone 10\n");
    assert_part(two, FLM_PART_SHRUNK, "a;less 5\n");
    assert_part(two, FLM_PART_PLUS, "a;more 5\na;new 30\n");
    assert_part(two, FLM_PART_MINUS, "a;gone 10\na;less 5\n");
    assert_part(two, FLM_PART_DELTA, "a;gone -10\na;less -5\na;more 5\na;new 30\n");
    assert_part("a 1 1\n", FLM_PART_DELTA, "");
    assert_part("", FLM_PART_PLUS, "");
}

static void every_part_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < FLM_PARTS; i++) {
        enum flm_part found;
        assert_true(flm_part_named(flm_bytes_of(flm_part_name((enum flm_part)i)), &found));
        assert_int_equal(found, i);
    }
    enum flm_part none;
    assert_false(flm_part_named(flm_bytes_of("all"), &none));
    assert_false(flm_part_named(flm_bytes_of(""), &none));
}

/* Sum over m of sign[m] x profile m, as one profile. */
static struct flm_profile *mixed(struct flm_profile *const *p, const double *sign, size_t count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct flm_profile *all =
        flm_align((const struct flm_profile *const *)p, count, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
    assert_non_null(all);
    struct flm_combination c = {.name = "x", .weights = sign};
    struct flm_profile *sum = flm_combine(all, &c, 1, NULL);
    flm_profile_free(all);
    return sum;
}

/* delta = plus - minus, plus = appeared + grown, minus = disappeared + shrunk; and their sizes. */
static void parts_add_up(void **state)
{
    (void)state;
    static const double plus_weights[FLM_PARTS] = {[FLM_PART_APPEARED] = 1, [FLM_PART_GROWN] = 1};
    static const double minus_weights[FLM_PARTS] = {
        [FLM_PART_DISAPPEARED] = 1, [FLM_PART_SHRUNK] = 1};
    static const double delta_weights[FLM_PARTS] = {[FLM_PART_PLUS] = 1, [FLM_PART_MINUS] = -1};
    uint64_t random = 51;
    for (int round = 0; round < 60; round++) {
        struct both b = by_chance(&random, 1);
        struct flm_profile *part[FLM_PARTS];
        for (int i = 0; i < FLM_PARTS; i++)
            part[i] = part_of(&b, (enum flm_part)i, 1);
        struct flm_profile *made[] = {mixed(part, plus_weights, FLM_PARTS),
                                      mixed(part, minus_weights, FLM_PARTS),
                                      mixed(part, delta_weights, FLM_PARTS)};
        assert_profiles_equal(made[0], part[FLM_PART_PLUS]);
        assert_profiles_equal(made[1], part[FLM_PART_MINUS]);
        assert_profiles_equal(made[2], part[FLM_PART_DELTA]);
        assert_true(total(part[FLM_PART_PLUS]) - total(part[FLM_PART_MINUS]) ==
                    b.is.after_total - b.is.before_total);
        assert_true(total(part[FLM_PART_PLUS]) + total(part[FLM_PART_MINUS]) == b.is.distance);
        assert_true(norm(part[FLM_PART_DELTA]) == b.is.distance);
        for (int i = 0; i < FLM_PART_DELTA; i++)
            assert_true(norm(part[i]) == total(part[i]));
        for (int i = 0; i < 3; i++)
            flm_profile_free(made[i]);
        for (int i = 0; i < FLM_PARTS; i++)
            flm_profile_free(part[i]);
        both_clear(&b);
    }
}

/* The difference of normalized graphs: whatever grows, as much shrinks. Its norm is what the
 * similarity of shapes lacks, twice. */
static void what_is_normalized_gains_what_it_loses(void **state)
{
    (void)state;
    uint64_t random = 52;
    for (int round = 0; round < 60; round++) {
        struct both plain = by_chance(&random, 1);
        double before = plain.is.before_total, after = plain.is.after_total;
        if (before == 0 || after == 0) {
            both_clear(&plain);
            continue;
        }
        struct both b;
        compare(&b, plain.p, after / before);
        struct flm_profile *delta = part_of(&b, FLM_PART_DELTA, 1 / after);
        assert_true(fabs(total(delta)) < 1e-12);
        double shape = flm_shape_similarity(b.p, b.pair.before, b.pair.after);
        assert_true(fabs(norm(delta) - 2 * (1 - shape)) < 1e-12);
        flm_profile_free(delta);
        flm_comparison_clear(&plain.is);
        both_clear(&b);
    }
}

/* Relative to one of both, a difference is in its shares, and nothing else of it changes. */
static void a_factor_multiplies_every_value(void **state)
{
    (void)state;
    uint64_t random = 53;
    for (int round = 0; round < 30; round++) {
        struct both b = by_chance(&random, 1);
        struct flm_profile *delta = part_of(&b, FLM_PART_DELTA, 1);
        struct flm_profile *half = part_of(&b, FLM_PART_DELTA, 0.5);
        assert_int_equal(delta->sizes.node_count, half->sizes.node_count);
        for (uint32_t i = 0; i < delta->sizes.node_count; i++)
            assert_true(half->self[i] == delta->self[i] / 2);
        flm_profile_free(delta);
        flm_profile_free(half);
        both_clear(&b);
    }
}

static bool make_part(void *context, struct flm_error *why)
{
    const struct both *b = context;
    struct flm_profile *p =
        flm_part_of(b->p, &b->is, FLM_PART_PLUS, flm_bytes_of("x"), flm_bytes_of("ns"), 1, why);
    flm_profile_free(p);
    return p != NULL;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    uint64_t random = 54;
    struct both b = by_chance(&random, 1);
    assert_true(assert_survives_failures(make_part, &b) > 3);
    both_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stack_is_in_the_parts_that_are_named_after_what_it_did),
        cmocka_unit_test(every_part_has_a_name),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(what_is_normalized_gains_what_it_loses),
        cmocka_unit_test(a_factor_multiplies_every_value),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
