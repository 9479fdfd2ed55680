#include "profile/joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_frame at_line(struct flm_builder *b, const char *name, uint32_t line)
{
    const struct flm_location where = {.line = line};
    return flm_builder_frame_at(b, flm_builder_function(b, name, strlen(name)), &where);
}

static void a_chain_without_a_value_is_left_out(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame used = at_line(b, "main", 1), unused = at_line(b, "main", 2);
    flm_builder_add(b, flm_builder_stack(b, &used, 1), cpu, 3);
    flm_builder_stack(b, &unused, 1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    assert_int_equal(p->sizes.location_count, 1);
    assert_int_equal(p->sizes.chain_count, 2);
    flm_profile_free(p);
}

/* Two lines whose values cancel each other out are still two lines. */
static void values_that_cancel_out_are_kept(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame more = at_line(b, "main", 1), less = at_line(b, "main", 2);
    flm_builder_add(b, flm_builder_stack(b, &more, 1), cpu, 3);
    flm_builder_add(b, flm_builder_stack(b, &less, 1), cpu, -3);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    assert_int_equal(p->sizes.node_count, 2);
    assert_int_equal(p->sizes.shared_count, 2);
    flm_profile_free(p);
}

/* A frame that is located and one that is not are one function. */
static void frames_without_a_location_join_those_with_one(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame frames[2] = {at_line(b, "main", 1), flm_builder_function(b, "main", 4)};
    flm_builder_add(b, flm_builder_stack(b, &frames[0], 1), cpu, 3);
    flm_builder_add(b, flm_builder_stack(b, &frames[1], 1), cpu, 4);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    assert_folded(p, "main 7\n");
    assert_int_equal(p->chain_place[1], 0);
    assert_int_equal(p->chain_place[2], 1);
    flm_profile_free(p);
}

static void a_profile_without_locations_has_no_chains(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 3\n");
    assert_int_equal(p->sizes.chain_count, 0);
    assert_int_equal(p->sizes.location_count, 0);
    flm_profile_free(p);
}

static bool make_one(void *context, struct flm_error *why)
{
    uint64_t random = *(uint64_t *)context;
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return false;
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 20; i++) {
        struct flm_frame frames[2] = {at_line(b, "main", random_below(&random, 3)),
                                      at_line(b, "lex", random_below(&random, 5))};
        flm_builder_sample(b, i, flm_builder_stack(b, frames, 2), (struct flm_label_set){0}, cpu,
                           i);
    }
    struct flm_profile *p = flm_builder_finish(b, why);
    flm_profile_free(p);
    return p != NULL;
}

static void memory_may_run_out_while_joining(void **state)
{
    (void)state;
    uint64_t random = 6;
    assert_true(assert_survives_failures(make_one, &random) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_without_a_value_is_left_out),
        cmocka_unit_test(values_that_cancel_out_are_kept),
        cmocka_unit_test(frames_without_a_location_join_those_with_one),
        cmocka_unit_test(a_profile_without_locations_has_no_chains),
        cmocka_unit_test(memory_may_run_out_while_joining),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
