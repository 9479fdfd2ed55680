/* records_test.c - records of an agent that the test plays; tests/java/ has the real one. */
#include "support/record/java_fixture.h"

#include "support/core/allocation.h"

static void a_stack_is_that_of_all_samples_since_the_one_before(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 50, "");
    assert_false(claim(&f, 10, true)); /* it was not sampled by the agent then */
    assert_true(claim(&f, 100, true));
    assert_true(claim(&f, 200, true));
    assert_true(claim(&f, 150, false)); /* the same, by another event */
    put_stack(&f, 210, 0);
    pass_on(&f, 205, ""); /* the rings may have more of it */
    pass_on(&f, 210, "100:1:2:7:busy 200:2:2:7:busy ");
    /* One whose stack was lost, and one whose stack comes late. */
    assert_true(claim(&f, 300, true));
    assert_true(claim(&f, 400, true));
    put_stack(&f, 410, 310);
    put_stack(&f, 500, 410); /* whose sample was lost */
    pass_on(&f, 1000, "300:3:1:7:busy 400:4:2:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    close_fixture(&f);
}

static void samples_that_have_no_stack_in_the_end_say_so(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    put_thread(&f, 350, false);
    pass_on(&f, 0, "");
    assert_true(claim(&f, 300, true));
    assert_false(claim(&f, 400, true)); /* the thread has ended for the agent */
    pass_on(&f, 1000000, "");
    pass_on(&f, INT64_MAX, "300:3:1:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    /* Those of other processes are not ours. */
    const struct flm_event event = {.process = VM + 1, .thread = THREAD, .time_ns = 100};
    assert_false(flm_java_claims(&f.java, &event, true));
    close_fixture(&f);
}

/* Its thread blocks signals, say: what waits does not grow for as long as is recorded. */
static void a_sample_waits_for_some_seconds_only(void **state)
{
    (void)state;
    const int64_t second = 1000000000;
    struct fixture f;
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 50, "");
    assert_true(claim(&f, 100, true));
    assert_true(claim(&f, 200, true));
    pass_on(&f, second, "");
    pass_on(&f, 5 * second + 100, "100:1:1:7:busy ");
    put_stack(&f, 5 * second + 150, 0);
    pass_on(&f, 5 * second + 150, "200:2:2:7:busy ");
    assert_int_equal(f.java.without_java, 1);
    close_fixture(&f);
}

static void without_memory_samples_are_counted_and_stacks_are_an_error(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_error why;
    const struct flm_runtime_sinks to = {take, define, &f};
    open_fixture(&f);
    put_thread(&f, 50, true);
    pass_on(&f, 0, "");
    allocation_fail_from(1);
    assert_true(claim(&f, 100, true));
    allocation_fail_from(0);
    assert_int_equal(f.java.not_kept, 1);
    put_stack(&f, 210, 0);
    allocation_fail_from(1); /* without memory to copy it the record stays in the ring */
    bool read = flm_java_read(&f.java, f.vm, &to, &why);
    allocation_fail_from(2);
    bool kept = flm_java_read(&f.java, f.vm, &to, &why);
    allocation_fail_from(0);
    assert_true(read);
    assert_false(kept);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    close_fixture(&f);
}

static void records_that_are_not_sound_are_passed_over(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    struct flm_java_sample short_one = {
        .record = {.size = sizeof short_one, .kind = FLM_JAVA_SAMPLE},
        .thread = THREAD,
        .frame_count = 100,
        .metric = FLM_JAVA_CPU};
    put(&f, &short_one, sizeof short_one);
    short_one.frame_count = 0;
    short_one.metric = FLM_JAVA_METRICS;
    put(&f, &short_one, sizeof short_one);
    struct flm_java_thread thread = {.record = {.size = sizeof thread, .kind = FLM_JAVA_THREAD},
                                     .thread = THREAD,
                                     .name_size = 100};
    put(&f, &thread, sizeof thread);
    pass_on(&f, INT64_MAX, "");
    assert_int_equal(f.vm->threads.count, 0);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_that_of_all_samples_since_the_one_before),
        cmocka_unit_test(samples_that_have_no_stack_in_the_end_say_so),
        cmocka_unit_test(a_sample_waits_for_some_seconds_only),
        cmocka_unit_test(without_memory_samples_are_counted_and_stacks_are_an_error),
        cmocka_unit_test(records_that_are_not_sound_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
