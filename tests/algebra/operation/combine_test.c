#include "flamel/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* `context` has two rows of three weights. */
static bool mix(struct model_stack *stack, void *context)
{
    const double(*w)[3] = context;
    double x[2] = {0};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++)
            x[m] += w[m][k] * stack->value[k];
    stack->value[0] = x[0];
    stack->value[1] = x[1];
    stack->value[2] = 0;
    return true;
}

static void new_columns_are_sums_of_the_old(void **state)
{
    (void)state;
    uint64_t random = 91;
    struct random_shape shape = random_full;
    for (int round = 0; round < 60; round++) {
        double w[2][3] = {{0}};
        shape.samples = round % 3;
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        for (int m = 0; m < 2; m++)
            for (int k = 0; k < 2; k++) /* the third is in other units */
                w[m][k] = (double)random_below(&random, 7) - 3;
        struct flm_combination c[] = {{"x", "ms", w[0]}, {"y", NULL, w[1]}};
        struct flm_profile *q = flm_combine(p, c, 2, NULL);
        assert_sound(q);
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, mix, w);
        assert_models_equal(&got, &expected);
        if (shape.samples == RANDOM_SAMPLES_ALL)
            assert_true(unsampled(q) == 0);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void a_combination_of_two_columns(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 5\na;b 2 2\nc 0 3\nd 4 0\n");
    /* "after" is the first metric. */
    double difference[] = {1, -1}, mean[] = {0.5, 0.5}, nothing[] = {0, 0};
    struct flm_combination c = {"difference", NULL, difference};
    struct flm_profile *q = flm_combine(p, &c, 1, NULL);
    assert_folded(q, "a 4\nc 3\nd -4\n");
    assert_true(flm_bytes_are(flm_string_bytes(q, q->metrics[0].unit), "samples"));
    flm_profile_free(q);
    c.weights = mean;
    q = flm_combine(p, &c, 1, NULL);
    assert_folded(q, "a 3\na;b 2\nc 1.5\nd 2\n");
    flm_profile_free(q);
    c.weights = nothing;
    q = flm_combine(p, &c, 1, NULL);
    assert_folded(q, "");
    assert_int_equal(q->sizes.frame_count, 1);
    flm_profile_free(q);
    q = flm_combine(p, &c, 0, NULL);
    assert_sound(q);
    assert_int_equal(q->sizes.metric_count, 0);
    flm_profile_free(q);
    flm_profile_free(p);
}

static void samples_of_nothing_go_with_their_stacks(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric wall = flm_builder_metric(b, "wall", "ns");
    for (int i = 0; i < 4; i++) {
        char name[4];
        struct flm_node node = flm_builder_child(
            b, flm_builder_root(b), flm_builder_function(b, name, (size_t)sprintf(name, "f%d", i)));
        flm_builder_sample(b, i, node, (struct flm_label_set){0}, cpu, i);
        flm_builder_sample_add(b, wall, i < 2 ? i : 0);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    double off_cpu[] = {-1, 1};
    struct flm_combination c = {"off-cpu", NULL, off_cpu};
    struct flm_profile *q = flm_combine(p, &c, 1, NULL);
    assert_sound(q);
    assert_folded(q, "f2 -2\nf3 -3\n");
    assert_int_equal(q->sizes.sample_count, 2);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void refuse(const struct flm_combination *c, size_t count, enum flm_error_kind kind,
                   const char *words)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node = flm_builder_root(b);
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 5e15);
    flm_builder_add(b, node, flm_builder_metric(b, "mem", "bytes"), 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_null(flm_combine(p, c, count, &why));
    if (why.kind != kind || !strstr(why.text, words))
        fail_msg("it says '%s', not '%s'", why.text, words);
    assert_null(flm_combine(p, c, count, NULL));
    flm_profile_free(p);
}

static void combinations_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    double both[] = {1, 1}, first[] = {1, 0}, infinite[] = {INFINITY, 0}, none[] = {0, NAN};
    double huge[] = {1e300, 0};
    struct flm_combination c[] = {{"x", NULL, both}, {"x", NULL, first}};
    refuse(c, 1, FLM_ERROR_UNIT, "'x' would add 'ns' and 'bytes'");
    c[0].weights = infinite;
    refuse(c, 1, FLM_ERROR_USAGE, "a weight of 'x' is not a finite number");
    c[0].weights = none;
    refuse(c, 1, FLM_ERROR_USAGE, "a weight of 'x' is not a finite number");
    c[0].weights = first;
    refuse(c, 2, FLM_ERROR_USAGE, "two columns are called 'x'");
    c[0].weights = huge;
    refuse(c, 1, FLM_ERROR_RANGE, "2^1000");
}

static void more_columns_than_a_file_may_have_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 4097 };
    static char texts[COUNT][8];
    static struct flm_combination c[COUNT];
    double weights[] = {1, 0};
    for (int i = 0; i < COUNT; i++) {
        sprintf(texts[i], "c%d", i);
        c[i] = (struct flm_combination){texts[i], NULL, weights};
    }
    refuse(c, COUNT, FLM_ERROR_RANGE, "4096 metrics");
}

static void parts_of_a_difference_say_what_became_of_each_stack(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("new 0 5\nmore 2 7\nless 9 5\ngone 4 0\nsame 3 3\n");
    struct flm_metric after = flm_profile_metric_named(p, "after");
    struct flm_metric before = flm_profile_metric_named(p, "before");
    struct flm_profile *parts = flm_difference_parts(p, before, after, NULL);
    char *text = described(parts);
    assert_string_equal(text, "metric \"appeared\" in \"samples\"\n"
                              "metric \"grown\" in \"samples\"\n"
                              "metric \"disappeared\" in \"samples\"\n"
                              "metric \"shrunk\" in \"samples\"\n"
                              "node 0 \"\" plain flags 2 0 0 0 0\n"
                              "node 1   \"gone\" plain 0 0 4 0\n"
                              "node 2   \"less\" plain 0 0 0 4\n"
                              "node 3   \"more\" plain 0 5 0 0\n"
                              "node 4   \"new\" plain 5 0 0 0\n"
                              "10 strings, 5 frames, 0 labels, 0 label sets\n");
    free(text);
    flm_profile_free(parts);
    flm_profile_free(p);
}

static void columns_of_different_units_have_no_difference(void **state)
{
    (void)state;
    uint64_t random = 92;
    struct flm_error why = {0};
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_null(flm_difference_parts(p, (struct flm_metric){0}, (struct flm_metric){2}, &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    flm_profile_free(p);
}

static void distances_and_similarities_by_hand(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 5\nb 3 3\nc 6 0\n");
    struct flm_metric after = {0}, before = {1};
    assert_true(flm_norm(p, before) == 10);
    assert_true(flm_norm(p, after) == 8);
    assert_true(flm_distance(p, before, after) == 10);
    assert_true(flm_similarity(p, before, after) == 1 - 10.0 / 18);
    double shape = 1 - (fabs(0.1 - 0.625) + fabs(0.3 - 0.375) + 0.6) / 2;
    assert_true(fabs(flm_shape_similarity(p, before, after) - shape) < 1e-15);
    flm_profile_free(p);
}

static void empty_columns_are_similar_to_each_other_alone(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 0 5\n"), *empty = profile_of_two("");
    struct flm_metric after = {0}, before = {1};
    assert_true(flm_similarity(p, before, after) == 0);
    assert_true(flm_shape_similarity(p, before, after) == 0);
    assert_true(flm_similarity(p, before, before) == 1);
    assert_true(flm_shape_similarity(p, before, before) == 1);
    assert_true(flm_similarity(empty, before, after) == 1);
    assert_true(flm_norm(empty, before) == 0);
    flm_profile_free(p);
    flm_profile_free(empty);
}

static bool combine_and_part(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    double weights[] = {1, -1, 0};
    struct flm_combination c[] = {{"x", NULL, weights}, {"y", "s", weights}};
    struct flm_profile *q = flm_combine(p, c, 2, why);
    struct flm_profile *parts =
        flm_difference_parts(p, (struct flm_metric){0}, (struct flm_metric){1}, why);
    bool good = q && parts;
    flm_profile_free(q);
    flm_profile_free(parts);
    return good;
}

static void combining_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 93;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(combine_and_part, p) > 60);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_columns_are_sums_of_the_old),
        cmocka_unit_test(a_combination_of_two_columns),
        cmocka_unit_test(samples_of_nothing_go_with_their_stacks),
        cmocka_unit_test(combinations_that_make_no_sense_are_refused),
        cmocka_unit_test(more_columns_than_a_file_may_have_are_refused),
        cmocka_unit_test(parts_of_a_difference_say_what_became_of_each_stack),
        cmocka_unit_test(columns_of_different_units_have_no_difference),
        cmocka_unit_test(distances_and_similarities_by_hand),
        cmocka_unit_test(empty_columns_are_similar_to_each_other_alone),
        cmocka_unit_test(combining_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
