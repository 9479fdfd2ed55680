/* caller_kinds_test.c - functions that are run in several ways. */
#include "record/session/caller_kinds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void assert_becomes(const char *folded, const char *expected)
{
    struct flm_profile *p = flm_merge_caller_kinds(profile_of(folded), NULL);
    assert_non_null(p);
    assert_sound(p);
    assert_folded(p, expected);
    flm_profile_free(p);
}

static void callers_have_the_kind_that_most_of_them_had(void **state)
{
    (void)state;
    assert_becomes("main_[0];sort_[0];swap_[0] 1\nmain_[j];sort_[j];swap_[j] 5\n",
                   "main_[j];sort_[j];swap_[0] 1\nmain_[j];sort_[j];swap_[j] 5\n");
    assert_becomes("main_[0];sort_[0];swap_[0] 5\nmain_[j];sort_[j];swap_[i] 1\n",
                   "main_[0];sort_[0];swap_[0] 5\nmain_[0];sort_[0];swap_[i] 1\n");
}

static void what_a_function_did_itself_keeps_its_kind(void **state)
{
    (void)state;
    assert_becomes("main_[0] 3\nmain_[1] 2\nmain_[j];f 9\nmain_[1];f 1\n",
                   "main_[0] 3\nmain_[1] 2\nmain_[j];f 10\n");
}

static void a_caller_has_a_kind_for_each_of_its_callers(void **state)
{
    (void)state;
    assert_becomes("a;f_[i];x 5\na;f_[0];x 1\nb;f_[j];x 5\nb;f_[0];x 1\n",
                   "a;f_[i];x 6\nb;f_[j];x 6\n");
}

static void kernel_code_and_labels_stay_as_they_are(void **state)
{
    (void)state;
    assert_becomes("f_[k];a 1\nf;b 5\nf_[0];b 1\n", "f;b 6\nf_[k];a 1\n");
}

static double sum_of_kind(const struct flm_profile *p, uint32_t metric, uint32_t kind)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (p->frames[p->node_frame[i]].kind == kind)
            sum += flm_self_column(p, metric)[i];
    return sum;
}

static void self_values_by_kind_and_samples_stay_what_they_were(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 200; i++) {
        struct random_shape shape = random_full;
        shape.modules = i % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_profile *copy = flm_profile_borrow(p, NULL);
        double before = unsampled(p);
        uint32_t nodes = p->sizes.node_count;
        copy = flm_merge_caller_kinds(copy, NULL);
        assert_non_null(copy);
        assert_sound(copy);
        assert_true(copy->sizes.node_count <= nodes + nodes);
        assert_true(fabs(unsampled(copy) - before) <= 1e-6 * (1 + before));
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
                assert_true(fabs(sum_of_kind(p, m, kind) - sum_of_kind(copy, m, kind)) <=
                            1e-9 * (1 + fabs(sum_of_kind(p, m, kind))));
        flm_profile_free(copy);
        flm_profile_free(p);
    }
}

static bool merge(void *context, struct flm_error *why)
{
    struct flm_profile *borrowed = flm_profile_borrow(context, why);
    struct flm_profile *p = borrowed ? flm_merge_caller_kinds(borrowed, why) : NULL;
    flm_profile_free(p);
    return p;
}

static void it_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct random_shape shape = random_full;
    shape.modules = false;
    struct flm_profile *p = random_profile(&random, &shape);
    assert_survives_failures(merge, p);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_have_the_kind_that_most_of_them_had),
        cmocka_unit_test(what_a_function_did_itself_keeps_its_kind),
        cmocka_unit_test(a_caller_has_a_kind_for_each_of_its_callers),
        cmocka_unit_test(kernel_code_and_labels_stay_as_they_are),
        cmocka_unit_test(self_values_by_kind_and_samples_stay_what_they_were),
        cmocka_unit_test(it_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
