#include "profile/internal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "base/number/sum.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_node child(struct flm_builder *b, struct flm_node parent, const char *name)
{
    return flm_builder_child(b, parent, flm_builder_function(b, name, strlen(name)));
}

static struct flm_profile *finish(struct flm_builder *b)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static void a_builder_of_nothing_makes_the_empty_profile(void **state)
{
    (void)state;
    struct flm_profile *p = finish(flm_builder_new(NULL));
    assert_int_equal(p->sizes.node_count, 1);
    assert_int_equal(p->sizes.metric_count, 0);
    assert_int_equal(p->node_end[0], 1);
    flm_profile_free(p);
}

static void children_follow_their_parent_in_the_order_of_names(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;write 1\nmain;read 10\nmain 2\nmain;read;copy 3\n");
    static const uint32_t frames[] = {0, 2, 3, 1, 4}, ends[] = {5, 5, 4, 4, 5};
    static const double self[] = {0, 2, 10, 3, 1};
    assert_int_equal(p->sizes.node_count, 5);
    assert_memory_equal(p->node_frame, frames, sizeof frames);
    assert_memory_equal(p->node_end, ends, sizeof ends);
    assert_memory_equal(p->self, self, sizeof self);
    assert_sound(p);
    flm_profile_free(p);
}

static void stacks_without_a_value_are_left_out_with_their_names(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node main_node = child(b, flm_builder_root(b), "main");
    flm_builder_add(b, main_node, cpu, 1);
    flm_builder_add(b, child(b, child(b, main_node, "a"), "b"), cpu, 0);
    struct flm_node canceled = child(b, main_node, "canceled");
    flm_builder_add(b, canceled, cpu, 5);
    flm_builder_add(b, canceled, cpu, -5);
    flm_builder_string(b, "not in use", 10);
    struct flm_profile *p = finish(b);
    assert_int_equal(p->sizes.node_count, 2);
    assert_int_equal(p->sizes.frame_count, 2);
    assert_int_equal(p->sizes.string_count, 4);
    flm_profile_free(p);
}

static void a_value_in_any_metric_keeps_a_stack(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_metric(b, "cpu", "ns");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    flm_builder_add(b, child(b, child(b, flm_builder_root(b), "main"), "malloc"), bytes, -3);
    struct flm_profile *p = finish(b);
    assert_int_equal(p->sizes.node_count, 3);
    flm_profile_free(p);
}

static void the_order_of_building_does_not_matter(void **state)
{
    (void)state;
    uint64_t random = 1;
    struct random_shape shape = random_full;
    for (int round = 0; round < 60; round++) {
        shape.stacks = random_below(&random, 200);
        shape.samples = round % 3;
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        for (int again = 0; again < 3; again++) {
            struct flm_profile *q = poured(p, &random);
            assert_profiles_equal(p, q);
            flm_profile_free(q);
        }
        assert_true(flm_profile_check(p, NULL));
        flm_profile_free(p);
    }
}

static void refuse_total(double a, double c)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu-clock", "ns");
    flm_builder_add(b, child(b, flm_builder_root(b), "a"), cpu, a);
    flm_builder_add(b, child(b, flm_builder_root(b), "b"), cpu, c);
    assert_null(flm_builder_finish(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "'cpu-clock'"));
    assert_non_null(strstr(why.text, "2^1000"));
}

static void sums_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    refuse_total(INFINITY, 1);
    refuse_total(NAN, 1);
    refuse_total(INFINITY, -INFINITY);
    refuse_total(1e308, 1e308);
    refuse_total(0x1p1000, 0x1p970);
    refuse_total(-0x1p999, 0x1.8p999); /* without their signs, too */
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    flm_builder_add(b, child(b, flm_builder_root(b), "a"), cpu, 0x1p999);
    flm_builder_add(b, child(b, flm_builder_root(b), "b"), cpu, -0x1p999);
    flm_profile_free(finish(b));
}

/* Samples may be opposite where their stack's value is small. */
static void samples_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node a = child(b, flm_builder_root(b), "a");
    flm_builder_sample(b, 1, a, (struct flm_label_set){0}, cpu, 1e305);
    flm_builder_sample(b, 2, a, (struct flm_label_set){0}, cpu, -1e305);
    assert_null(flm_builder_finish(b, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
}

static void sums_below_2_53_are_exact(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    flm_builder_add(b, child(b, flm_builder_root(b), "a"), cpu, 9007199254740990.0);
    flm_builder_add(b, child(b, flm_builder_root(b), "b"), cpu, 1);
    struct flm_profile *p = finish(b);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 9007199254740991.0);
    flm_profile_free(p);
}

static struct flm_profile *sum_of(const double *values, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (size_t i = 0; i < count; i++)
        flm_builder_add(b, child(b, flm_builder_root(b), "a"), cpu, values[i]);
    return finish(b);
}

static void assert_sum(const double *values, size_t count, double expected, const char *rounded)
{
    struct flm_profile *p = sum_of(values, count);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == expected);
    assert_rounded(p, rounded);
    flm_profile_free(p);
}

static void sums_beyond_2_53_are_the_nearest_doubles_and_counted_if_they_are_not_exact(void **state)
{
    (void)state;
    assert_sum((double[]){0x1p53, 1, 1}, 3, 0x1p53 + 2, "");
    assert_sum((double[]){0x1p53, 1}, 2, 0x1p53, "1");
    assert_sum((double[]){0x1p53, 1, 0.5}, 3, 0x1p53 + 2, "1");
    assert_sum((double[]){0x1p63, 0x1p63}, 2, 0x1p64, "");
    assert_sum((double[]){1, 0x1p64, 1, -0x1p64}, 4, 2, "");
    assert_sum((double[]){1e300, 1, 1e300}, 3, 2e300, "1");
    assert_sum((double[]){-0x1p60, -1}, 2, -0x1p60, "1");
    assert_sum((double[]){0.1, 0.2}, 2, 0.1 + 0.2, ""); /* not counts: as exact as before */
}

static void the_order_of_values_does_not_matter(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (int round = 0; round < 300; round++) {
        double values[60];
        size_t count = 2 + random_below(&random, 59);
        bool fractions = round % 2;
        for (size_t i = 0; i < count; i++)
            values[i] = ldexp((double)(random_next(&random) >> random_below(&random, 53)),
                              (int)random_below(&random, 60) - (fractions ? 70 : 0));
        struct flm_profile *p = sum_of(values, count);
        for (int again = 0; again < 4; again++) {
            for (size_t i = count; i > 1; i--) {
                size_t other = random_below(&random, (unsigned)i);
                double swap = values[i - 1];
                values[i - 1] = values[other];
                values[other] = swap;
            }
            struct flm_profile *q = sum_of(values, count);
            assert_profiles_equal(p, q);
            flm_profile_free(q);
        }
        flm_profile_free(p);
    }
}

static void rounded_values_are_added_up_with_rounded_sums(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node a = child(b, flm_builder_root(b), "a");
    flm_builder_rounded(b, 3);
    flm_builder_rounded(b, 0);
    flm_builder_add(b, a, cpu, 0x1p60);
    flm_builder_add(b, a, cpu, 1);
    struct flm_profile *p = finish(b);
    assert_rounded(p, "4");
    flm_profile_free(p);
}

static void a_chunk_keeps_what_its_sums_lack(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    child(b, flm_builder_root(b), "nothing");
    struct flm_node z = child(b, flm_builder_root(b), "z"), a = child(b, flm_builder_root(b), "a");
    flm_builder_add(b, z, cpu, 0x1p60);
    flm_builder_add(b, z, cpu, 5);
    flm_builder_add(b, a, cpu, 7);
    struct flm_profile *p = flm_builder_finish_chunk(b, NULL);
    assert_non_null(p);
    assert_rounded(p, "");
    assert_int_equal(p->residual_count, 1);
    assert_int_equal(p->residuals[0].node, 2);
    assert_true(p->residuals[0].value == 5);
    flm_profile_free(p);
}

static void totals_beyond_2_53_agree_with_their_parts(void **state)
{
    (void)state;
    uint64_t random = 23;
    for (int round = 0; round < 40; round++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        for (int i = 0; i < 300; i++) {
            struct flm_node node = flm_builder_root(b);
            for (unsigned depth = random_below(&random, 12); depth-- > 0;) {
                char name[2] = {(char)('a' + random_below(&random, 6)), 0};
                node = child(b, node, name);
            }
            flm_builder_add(b, node, cpu, (double)(random_next(&random) >> 1));
        }
        struct flm_profile *p = finish(b);
        double *total = malloc(p->sizes.node_count * sizeof *total);
        flm_profile_totals(p, cpu, total);
        for (uint32_t i = 0; i < p->sizes.node_count; i++) {
            struct flm_exact_sum sum;
            flm_exact_sum_init(&sum);
            flm_exact_sum_add(&sum, p->self[i]);
            for (uint32_t at = i + 1; at < p->node_end[i]; at = p->node_end[at])
                flm_exact_sum_add(&sum, total[at]);
            assert_true(fabs(flm_exact_sum_take(&sum) - total[i]) <= ldexp(total[i], -53));
        }
        assert_true(fabs(flm_profile_total(p, cpu) - total[0]) <= ldexp(total[0], -49));
        free(total);
        flm_profile_free(p);
    }
}

static void a_chain_of_100000_frames_is_finished(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = child(b, node, i % 2 ? "odd" : "even");
    flm_builder_add(b, node, cpu, 1);
    struct flm_profile *p = finish(b);
    assert_int_equal(p->sizes.node_count, 100001);
    flm_profile_free(p);
}

static void a_node_with_100000_children_is_finished(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (uint32_t i = 0; i < 100000; i++) {
        char name[16];
        sprintf(name, "%08x", i * 0x9E3779B9u);
        flm_builder_add(b, child(b, flm_builder_root(b), name), cpu, 1);
    }
    struct flm_profile *p = finish(b);
    assert_int_equal(p->sizes.node_count, 100001);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_builder_of_nothing_makes_the_empty_profile),
        cmocka_unit_test(children_follow_their_parent_in_the_order_of_names),
        cmocka_unit_test(stacks_without_a_value_are_left_out_with_their_names),
        cmocka_unit_test(a_value_in_any_metric_keeps_a_stack),
        cmocka_unit_test(the_order_of_building_does_not_matter),
        cmocka_unit_test(sums_that_are_not_finite_are_refused),
        cmocka_unit_test(samples_that_are_not_finite_are_refused),
        cmocka_unit_test(sums_below_2_53_are_exact),
        cmocka_unit_test(
            sums_beyond_2_53_are_the_nearest_doubles_and_counted_if_they_are_not_exact),
        cmocka_unit_test(the_order_of_values_does_not_matter),
        cmocka_unit_test(rounded_values_are_added_up_with_rounded_sums),
        cmocka_unit_test(a_chunk_keeps_what_its_sums_lack),
        cmocka_unit_test(totals_beyond_2_53_agree_with_their_parts),
        cmocka_unit_test(a_chain_of_100000_frames_is_finished),
        cmocka_unit_test(a_node_with_100000_children_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
