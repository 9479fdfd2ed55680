#include "flamel/algebra.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

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
        cmocka_unit_test(inverting_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
