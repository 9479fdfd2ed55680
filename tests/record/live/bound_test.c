#include "record/live/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_profile *bounded(const char *folded, uint32_t most)
{
    struct flm_profile *p = flm_live_bound(profile_of(folded), most, NULL);
    assert_non_null(p);
    assert_sound(p);
    return p;
}

static void a_small_profile_is_unchanged(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("make;main;read 900\nmake;main;lex 1\n");
    assert_ptr_equal(flm_live_bound(p, 5, NULL), p);
    flm_profile_free(p);
}

static void rare_stacks_keep_their_command_and_leaf(void **state)
{
    (void)state;
    struct flm_profile *p = bounded("make;main;read 900\n"
                                    "make;main;parse;expression;fold 2\n"
                                    "make;main;parse;fold 3\n"
                                    "make;main;lex 1\n",
                                    8);
    assert_folded(p, "make;[rare stacks];fold 5\n"
                     "make;[rare stacks];lex 1\n"
                     "make;main;read 900\n");
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
}

static void too_many_commands_share_their_rare_stacks(void **state)
{
    (void)state;
    struct flm_profile *p = bounded("a;x;f 1\nb;x;f 1\nc;x;f 1\nd;x;f 1\ne;x;g 1\nmain;h 90\n", 8);
    assert_folded(p, "[rare stacks];f 4\n[rare stacks];g 1\nmain;h 90\n");
    flm_profile_free(p);
}

static void too_many_functions_are_one(void **state)
{
    (void)state;
    struct flm_profile *p =
        bounded("a;f 1\na;g 1\na;h 1\na;i 1\na;j 1\na;k 1\na;l 1\nmain 90\n", 4);
    assert_folded(p, "[rare stacks] 7\nmain 90\n");
    flm_profile_free(p);
}

static double lost_of(const struct flm_profile *p)
{
    double lost = 0;
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        lost += p->losses[i].count;
    return lost;
}

static void samples_without_callers_are_counted_once(void **state)
{
    (void)state;
    struct flm_profile *p = bounded("a;x;f 1\nb;x;g 1\nc;x;h 1\nmain;i 90\n", 7);
    double lost = lost_of(p);
    assert_true(lost == 3);
    p = flm_live_bound(p, 6, NULL);
    assert_folded(p, "[rare stacks] 3\nmain;i 90\n");
    assert_true(lost_of(p) == lost);
    flm_profile_free(p);
}

static double self_of(const struct flm_profile *p, struct flm_bytes function)
{
    double self = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        const struct flm_frame_record *frame = &p->frames[p->node_frame[i]];
        if (flm_bytes_equal(flm_string_bytes(p, frame->function), function))
            self += flm_profile_self(p, (struct flm_metric){0})[i];
    }
    return self;
}

static void self_values_are_exact_and_stacks_no_more_than_asked(void **state)
{
    (void)state;
    const struct random_shape shape = {.stacks = 400, .names = 20, .deepest = 9, .metrics = 2};
    uint64_t random = 7;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *whole = random_profile(&random, &shape);
        const struct flm_profile *in[] = {whole};
        struct flm_profile *copy = flm_align(in, 1, FLM_ALIGN_ADD, NULL, NULL);
        uint32_t most = 90 + random_below(&random, 300);
        struct flm_profile *p = flm_live_bound(copy, most, NULL);
        assert_sound(p);
        assert_true(p->sizes.node_count <= most);
        for (uint32_t i = 1; i < whole->sizes.node_count; i++) {
            struct flm_bytes name =
                flm_string_bytes(whole, whole->frames[whole->node_frame[i]].function);
            assert_true(self_of(p, name) == self_of(whole, name));
        }
        flm_profile_free(p);
        flm_profile_free(whole);
    }
}

static bool work(void *context, struct flm_error *why)
{
    const struct flm_profile *in[] = {context};
    struct flm_profile *p = flm_align(in, 1, FLM_ALIGN_ADD, NULL, why);
    p = p ? flm_live_bound(p, 4, why) : NULL;
    flm_profile_free(p);
    return p;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x;f 1\nb;x;f 1\nc;x;g 1\nmain;x;h 90\n");
    assert_true(assert_survives_failures(work, p) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_profile_is_unchanged),
        cmocka_unit_test(rare_stacks_keep_their_command_and_leaf),
        cmocka_unit_test(too_many_commands_share_their_rare_stacks),
        cmocka_unit_test(too_many_functions_are_one),
        cmocka_unit_test(samples_without_callers_are_counted_once),
        cmocka_unit_test(self_values_are_exact_and_stacks_no_more_than_asked),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
