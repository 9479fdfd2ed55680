#include "record/session/aggregation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"

static const char app[] = "app";

static struct flm_sample_attributes of_thread(int32_t thread)
{
    return (struct flm_sample_attributes){
        .command = {app, 3}, .process = 1, .thread = thread, .cpu = 0};
}

static void samples_keep_their_times_and_share_their_attributes(void **state)
{
    (void)state;
    struct flm_aggregation t = {.keep_times = true};
    struct flm_sample_attributes a = of_thread(1), b = of_thread(2);
    assert_true(flm_aggregation_add(&t, 10, 3, &a, 5));
    assert_true(flm_aggregation_add(&t, 11, 3, &b, 6));
    assert_true(flm_aggregation_add(&t, 12, 3, &a, 7));
    assert_int_equal(t.samples.count, 3);
    assert_int_equal(t.attributes.count, 2);
    assert_int_equal(t.samples.at[2].time_ns, 12);
    assert_int_equal(t.samples.at[2].attributes, t.samples.at[0].attributes);
    flm_aggregation_clear(&t);
}

static void without_times_samples_at_a_stack_are_summed(void **state)
{
    (void)state;
    struct flm_aggregation t = {0};
    for (int32_t i = 0; i < 100; i++) {
        struct flm_sample_attributes c = of_thread(i);
        c.event = i % 2;
        assert_true(flm_aggregation_add(&t, i, (uint32_t)i % 4 / 2, &c, 2));
    }
    assert_int_equal(t.samples.count, 4); /* two stacks, two events */
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(t.merged.at[i], 25);
        assert_true(t.samples.at[i].value == 50 && t.samples.at[i].time_ns == FLM_NO_TIME);
    }
    flm_aggregation_clear(&t);
}

static void what_rounding_a_sum_leaves_out_is_a_sum_of_no_samples(void **state)
{
    (void)state;
    struct flm_aggregation t = {0};
    struct flm_sample_attributes a = of_thread(1);
    static const double values[] = {0x1p63, 1, 0x1p63, 3};
    for (int i = 0; i < 4; i++)
        assert_true(flm_aggregation_add(&t, i, 7, &a, values[i]));
    double sum = 0, left_out = 0;
    uint64_t samples = 0;
    for (size_t i = 0; i < t.samples.count; i++) {
        assert_int_equal(t.samples.at[i].node, 7);
        (t.merged.at[i] ? (sum += t.samples.at[i].value) : (left_out += t.samples.at[i].value));
        samples += t.merged.at[i];
    }
    assert_true(sum == 0x1p64 && left_out == 4 && samples == 4);
    flm_aggregation_clear(&t);
}

static bool add_some(void *context, struct flm_error *why)
{
    struct flm_aggregation t = {.keep_times = *(bool *)context};
    bool good = true;
    for (int32_t i = 0; i < 60 && good; i++) {
        struct flm_sample_attributes c = of_thread(i);
        good = flm_aggregation_add(&t, i, (uint32_t)i / 2, &c, i % 2 ? 1 : 0x1p60);
    }
    flm_aggregation_clear(&t);
    return good || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bool keep_times = false;
    assert_survives_failures(add_some, &keep_times);
    keep_times = true;
    assert_survives_failures(add_some, &keep_times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_keep_their_times_and_share_their_attributes),
        cmocka_unit_test(without_times_samples_at_a_stack_are_summed),
        cmocka_unit_test(what_rounding_a_sum_leaves_out_is_a_sum_of_no_samples),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
