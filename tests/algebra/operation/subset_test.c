#include "algebra/operation/subset.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_column *copy(const struct flm_profile *p)
{
    struct flm_column *columns = flm_columns_copy(p);
    assert_non_null(columns);
    return columns;
}

static void the_same_columns_make_the_same_profile(void **state)
{
    (void)state;
    uint64_t random = 81;
    struct random_shape shape = random_full;
    shape.locations = false;
    for (int round = 0; round < 60; round++) {
        shape.samples = round % 3;
        shape.stacks = random_below(&random, 60);
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_column *columns = copy(p);
        struct flm_profile *q = flm_subset(p, columns, p->sizes.metric_count, NULL, NULL);
        assert_profiles_equal(p, q);
        flm_columns_free(columns, p->sizes.metric_count);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void stacks_of_zeros_fall_away_with_their_names(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a 1\nmain;b;c 2\nmain;b;d 3\nmain;e 4\n");
    struct flm_column *columns = copy(p);
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (columns[0].self[i] != 2)
            columns[0].self[i] = 0;
    struct flm_profile *q = flm_subset(p, columns, 1, NULL, NULL);
    assert_sound(q);
    assert_folded(q, "main;b;c 2\n");
    assert_int_equal(q->sizes.node_count, 4);
    assert_int_equal(q->sizes.frame_count, 4);
    flm_columns_free(columns, 1);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void any_choice_of_values_makes_a_sound_profile(void **state)
{
    (void)state;
    uint64_t random = 82;
    for (int round = 0; round < 100; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_column *columns = copy(p);
        unsigned char kept[200] = {0};
        assert_true(p->sizes.sample_count <= sizeof kept);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            memset(columns[m].self, 0, p->sizes.node_count * sizeof(double));
            for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
                if (m == 0)
                    kept[i] = random_below(&random, 3) == 0;
                if (kept[i])
                    columns[m].self[p->sample_node[i]] += columns[m].sample[i];
            }
        }
        struct flm_profile *q = flm_subset(p, columns, p->sizes.metric_count, kept, NULL);
        assert_sound(q);
        assert_true(unsampled(q) == 0);
        flm_columns_free(columns, p->sizes.metric_count);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void refuse(double a, double b)
{
    struct flm_error why = {0};
    struct flm_profile *p = profile_of("main;a 1\nmain;b 2\n");
    struct flm_column *columns = copy(p);
    columns[0].self[2] = a;
    columns[0].self[3] = b;
    assert_null(flm_subset(p, columns, 1, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "'samples'"));
    flm_columns_free(columns, 1);
    flm_profile_free(p);
}

static void columns_that_no_profile_may_have_are_refused(void **state)
{
    (void)state;
    refuse(INFINITY, 0);
    refuse(0, NAN);
    refuse(INFINITY, -INFINITY);
    refuse(0x1p1000, 0x1p970);
    refuse(0x1p1000, -0x1p970);
}

static void samples_that_no_profile_may_have_are_refused(void **state)
{
    (void)state;
    uint64_t random = 84;
    struct flm_error why = {0};
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_column *columns = copy(p);
    columns[1].sample[3] = NAN;
    assert_null(flm_subset(p, columns, 3, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_columns_free(columns, 3);
    flm_profile_free(p);
}

static bool take_half(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_column *columns = flm_columns_copy(p);
    if (!columns)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < p->sizes.node_count; i += 2)
        columns[0].self[i] = 0;
    struct flm_profile *q = flm_subset(p, columns, 1, NULL, why);
    flm_columns_free(columns, p->sizes.metric_count);
    flm_profile_free(q);
    return q != NULL;
}

static void a_subset_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 83;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(take_half, p) > 40);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_columns_make_the_same_profile),
        cmocka_unit_test(stacks_of_zeros_fall_away_with_their_names),
        cmocka_unit_test(any_choice_of_values_makes_a_sound_profile),
        cmocka_unit_test(columns_that_no_profile_may_have_are_refused),
        cmocka_unit_test(samples_that_no_profile_may_have_are_refused),
        cmocka_unit_test(a_subset_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
