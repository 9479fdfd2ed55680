/* Stack dumps that are as large as each thread needs: of a program with deep stacks. */
#include "support/capture/measured_programs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The share of the CPU time of a function that has samples. */
static double sampled_share(const struct recording *r, const struct measured *measured,
                            size_t count, const char *function)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(measured[i].name, function) == 0)
            return total_of(r->profile, "cpu-clock", function) / measured[i].ns;
    fail_msg("no %s", function);
    return 0;
}

/* What the program has measured of a function is what its samples add up to: if those of two sizes
 * were counted, it would be twice as much, and less if a thread was left out when its size changed.
 * Samples that a busy machine has swallowed are missing in spend_beside too, whose dumps have one
 * size; and there are too many of both where it stole time from the program. */
static void assert_sampled(const struct recording *r, const struct measured *measured, size_t count,
                           const char *function, double allowed)
{
    double share = sampled_share(r, measured, count, function);
    double beside = sampled_share(r, measured, count, "spend_beside");
    if (r->kernel && (share > fmax(1, beside) + allowed || share < beside - 0.06 - allowed))
        fail_msg("%s: %.1f %%, spend_beside %.1f %%", function, 100 * share, 100 * beside);
}

/* Of the samples in spend_deep, the share that leads to main. */
static double whole_share(const struct recording *r)
{
    return (total_of(r->profile, "samples", "main") -
            total_of(r->profile, "samples", "spend_shallow")) /
           total_of(r->profile, "samples", "spend_deep");
}

static void larger_stack_dumps_follow_deep_threads(void **state)
{
    (void)state;
    static const struct {
        int frames;
        uint32_t largest;
    } depths[] = {{20, 32768}, {40, 65528}};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        struct recording r;
        struct measured measured[16];
        size_t count;
        if (!record_depth(depths[i].frames, AS_COMMAND, &(struct flm_record_options){0}, &r,
                          measured, &count))
            skip();
        assert_true(whole_share(&r) > 0.5);
        assert_int_equal(r.result.largest_stack_size, depths[i].largest);
        assert_int_equal(r.result.threads_with_larger_stacks, 1);
        assert_int_equal(r.result.stack_size, 16384);
        assert_sampled(&r, measured, count, "spend_deep", 0.04);
        assert_sampled(&r, measured, count, "spend_shallow", 0.04);
        clear_recording(&r);
    }
}

static void larger_stack_dumps_follow_threads_of_running_processes(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    if (!record_depth(20, AS_PROCESS, &(struct flm_record_options){0}, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) > 0.5);
    assert_int_equal(r.result.threads_with_larger_stacks, 1);
    /* Of others a part was before the recording. */
    assert_sampled(&r, measured, count, "spend_deep", 0.04);
    clear_recording(&r);
}

/* Samples of the machine come from clocks of its CPUs, not of the thread: where it shares a CPU
 * with others, how many it gets is random, and of 600 the deviation is 4 %. A recorder that shares
 * them too is later with larger dumps; without any no stack would be whole. */
static void larger_stack_dumps_follow_threads_of_the_machine(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    if (!record_depth(20, IN_MACHINE, &(struct flm_record_options){0}, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) > 0.1);
    assert_true(r.result.threads_with_larger_stacks >= 1);
    assert_sampled(&r, measured, count, "spend_deep", 0.3);
    assert_sampled(&r, measured, count, "spend_shallow", 0.3);
    clear_recording(&r);
}

static void a_size_that_was_asked_for_is_kept(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    struct flm_record_options options = {.stack_size = 16384};
    if (!record_depth(20, AS_COMMAND, &options, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) < 0.1);
    assert_int_equal(r.result.threads_with_larger_stacks, 0);
    assert_int_equal(r.result.largest_stack_size, 0);
    clear_recording(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_stack_dumps_follow_deep_threads),
        cmocka_unit_test(larger_stack_dumps_follow_threads_of_running_processes),
        cmocka_unit_test(larger_stack_dumps_follow_threads_of_the_machine),
        cmocka_unit_test(a_size_that_was_asked_for_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
