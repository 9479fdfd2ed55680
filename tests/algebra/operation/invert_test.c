#include "flamel/algebra.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/rebuild.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void the_leaf_comes_first(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(" 1\nmain 2\nmain;read 4\nmain;parse;read 8\nidle 16\n");
    struct flm_profile *q = flm_invert(p, NULL);
    assert_folded(q, " 1\nidle 16\nmain 2\nread;main 4\nread;parse;main 8\n");
    assert_sound(q);
    flm_profile_free(p);
    flm_profile_free(q);
}

/* Totals of the first level are the self values of the functions. */
static void the_first_level_is_self_values_by_frame(void **state)
{
    (void)state;
    uint64_t random = 61;
    for (int round = 0; round < 30; round++) {
        struct flm_profile *p = random_profile(&random, &random_full), *q = flm_invert(p, NULL);
        double *total = malloc(q->sizes.node_count * sizeof *total);
        assert_non_null(total);
        flm_profile_totals(q, (struct flm_metric){0}, total);
        for (uint32_t child = 1; child < q->node_end[0]; child = q->node_end[child]) {
            struct model_frame frame = model_frame_of(q, q->node_frame[child]);
            double self = 0;
            for (uint32_t i = 1; i < p->sizes.node_count; i++)
                if (model_frames_equal(model_frame_of(p, p->node_frame[i]), frame))
                    self += p->self[i];
            assert_true(total[child] == self);
        }
        free(total);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static bool reverse(struct model_stack *stack, void *context)
{
    (void)context;
    for (size_t i = 0, k = stack->depth; i + 1 < k; i++) {
        struct model_frame swap = stack->frames[i];
        stack->frames[i] = stack->frames[--k];
        stack->frames[k] = swap;
    }
    return true;
}

static void stacks_are_reversed_with_their_samples(void **state)
{
    (void)state;
    uint64_t random = 62;
    struct random_shape shape = random_full;
    shape.locations = false;
    for (int round = 0; round < 100; round++) {
        shape.stacks = random_below(&random, 60);
        shape.negative = round % 2;
        shape.samples = round % 3;
        struct flm_profile *p = random_profile(&random, &shape), *q = flm_invert(p, NULL);
        assert_sound(q);
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, reverse, NULL);
        assert_models_equal(&got, &expected);
        got = model_of_samples(q);
        expected = model_of_samples(p);
        model_apply(&expected, reverse, NULL);
        assert_models_equal(&got, &expected);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void inverted_twice_it_is_the_profile(void **state)
{
    (void)state;
    uint64_t random = 63;
    struct random_shape shape = random_full;
    shape.locations = false;
    for (int round = 0; round < 100; round++) {
        shape.stacks = random_below(&random, 60);
        shape.negative = round % 2;
        shape.samples = round % 3;
        struct flm_profile *p = random_profile(&random, &shape), *q = flm_invert(p, NULL);
        struct flm_profile *again = flm_invert(q, NULL);
        assert_profiles_equal(again, p);
        flm_profile_free(p);
        flm_profile_free(q);
        flm_profile_free(again);
    }
}

/* What a builder makes of the reversed stacks, added one by one. */
static struct flm_profile *poured_reversed(const struct flm_profile *p)
{
    struct flm_rebuild r;
    assert_true(flm_rebuild_start(&r, p, NULL));
    struct flm_frame *path = malloc(p->sizes.node_count * sizeof *path);
    unsigned char *sampled = calloc(p->sizes.node_count, 1);
    assert_true(path && sampled);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        sampled[p->sample_node[i]] = 1;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        bool is_stack = sampled[i];
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            is_stack |= flm_self_column(p, m)[i] != 0;
        size_t depth = 0;
        for (uint32_t at = i; is_stack && at != 0; at = r.parent[at])
            path[depth++].index = p->node_frame[at];
        r.moved[i] = is_stack ? flm_builder_stack(r.builder, path, depth).index : FLM_NONE;
    }
    free(path);
    free(sampled);
    struct flm_profile *q = flm_rebuild_finish(&r, NULL);
    assert_non_null(q);
    return q;
}

static void assert_is_poured_reversed(struct flm_profile *p)
{
    struct flm_profile *q = flm_invert(p, NULL), *expected = poured_reversed(p);
    assert_non_null(q);
    assert_profiles_equal(q, expected);
    flm_profile_free(p);
    flm_profile_free(q);
    flm_profile_free(expected);
}

static void it_is_byte_by_byte_what_a_builder_makes_of_the_reversed_stacks(void **state)
{
    (void)state;
    uint64_t random = 65;
    for (int round = 0; round < 200; round++) {
        struct random_shape shape = random_full;
        shape.locations = false;
        shape.stacks = random_below(&random, round % 10 ? 100 : 3000);
        shape.names = 1 + random_below(&random, round % 7 ? 12 : 32);
        shape.deepest = 1 + random_below(&random, 40);
        shape.metrics = 1 + random_below(&random, 3);
        shape.modules = round % 2;
        shape.kinds = round % 3;
        shape.negative = round % 5 == 0;
        shape.metadata = round % 4;
        shape.samples = round % 3;
        assert_is_poured_reversed(random_profile(&random, &shape));
    }
}

/* The paths agree as far as there is a path: groups stay large, and end one stack at a time. */
static void recursion_of_every_depth_is_inverted(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "");
    struct flm_frame f[300];
    for (size_t i = 0; i < 300; i++)
        f[i] = flm_builder_function(b, i % 100 ? "f" : "main", i % 100 ? 1 : 4);
    for (size_t i = 0; i <= 300; i++)
        flm_builder_add(b, flm_builder_stack(b, f, i), samples, (double)(i + 1));
    assert_is_poured_reversed(flm_builder_finish(b, NULL));
}

/* Digits of a radix sort: frames beyond 2^8 and 2^16. */
static void frames_are_ordered_whatever_their_number(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "");
    uint64_t random = 66;
    for (int i = 0; i < 70000; i++) {
        char name[16];
        struct flm_frame f[3];
        for (int k = 0; k < 3; k++) {
            int size = snprintf(name, sizeof name, "%u", random_below(&random, 70000));
            f[k] = flm_builder_function(b, name, (size_t)size);
        }
        flm_builder_add(b, flm_builder_stack(b, f, 3), samples, 1);
    }
    assert_is_poured_reversed(flm_builder_finish(b, NULL));
}

static bool invert(void *context, struct flm_error *why)
{
    struct flm_profile *q = flm_invert(context, why);
    flm_profile_free(q);
    return q != NULL;
}

static void inverting_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 64;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(invert, p) > 40);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_leaf_comes_first),
        cmocka_unit_test(the_first_level_is_self_values_by_frame),
        cmocka_unit_test(stacks_are_reversed_with_their_samples),
        cmocka_unit_test(inverted_twice_it_is_the_profile),
        cmocka_unit_test(it_is_byte_by_byte_what_a_builder_makes_of_the_reversed_stacks),
        cmocka_unit_test(recursion_of_every_depth_is_inverted),
        cmocka_unit_test(frames_are_ordered_whatever_their_number),
        cmocka_unit_test(inverting_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
