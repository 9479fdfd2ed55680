#include "flamel/builder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

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
    assert_non_null(strstr(why.text, "2^53"));
}

static void sums_that_are_no_longer_exact_are_refused(void **state)
{
    (void)state;
    refuse_total(9007199254740991.0, 1); /* then 1 more would make no difference */
    refuse_total(-9007199254740992.0, 1024);
    refuse_total(INFINITY, 1);
    refuse_total(NAN, 1);
    refuse_total(1e308, 1e308);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    flm_builder_add(b, child(b, flm_builder_root(b), "a"), cpu, 9007199254740990.0);
    flm_builder_add(b, child(b, flm_builder_root(b), "b"), cpu, 1);
    struct flm_profile *p = finish(b);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 9007199254740991.0);
    flm_profile_free(p);
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
        cmocka_unit_test(sums_that_are_no_longer_exact_are_refused),
        cmocka_unit_test(a_chain_of_100000_frames_is_finished),
        cmocka_unit_test(a_node_with_100000_children_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
