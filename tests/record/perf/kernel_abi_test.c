#include "record/perf/kernel_abi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/events/kernel_api.h"
#include "record/perf/event.h"

static void numbers_are_those_of_the_kernel(void **state)
{
    (void)state;
    assert_int_equal(FLM_PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE);
    assert_int_equal(FLM_PERF_TYPE_SOFTWARE, PERF_TYPE_SOFTWARE);
    assert_int_equal(FLM_PERF_TYPE_TRACEPOINT, PERF_TYPE_TRACEPOINT);
    assert_int_equal(FLM_PERF_TYPE_RAW, PERF_TYPE_RAW);
    assert_int_equal(FLM_PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CPU_CYCLES);
    assert_int_equal(FLM_PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_CPU_CLOCK);
    assert_int_equal(FLM_PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_TASK_CLOCK);
    assert_int_equal(FLM_PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CONTEXT_SWITCHES);
    assert_int_equal(FLM_PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_DUMMY);
    assert_int_equal(FLM_PERF_SAMPLE_IP, PERF_SAMPLE_IP);
    assert_int_equal(FLM_PERF_SAMPLE_TID, PERF_SAMPLE_TID);
    assert_int_equal(FLM_PERF_SAMPLE_TIME, PERF_SAMPLE_TIME);
    assert_int_equal(FLM_PERF_SAMPLE_ADDR, PERF_SAMPLE_ADDR);
    assert_int_equal(FLM_PERF_SAMPLE_READ, PERF_SAMPLE_READ);
    assert_int_equal(FLM_PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_CALLCHAIN);
    assert_int_equal(FLM_PERF_SAMPLE_ID, PERF_SAMPLE_ID);
    assert_int_equal(FLM_PERF_SAMPLE_CPU, PERF_SAMPLE_CPU);
    assert_int_equal(FLM_PERF_SAMPLE_PERIOD, PERF_SAMPLE_PERIOD);
    assert_int_equal(FLM_PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_STREAM_ID);
    assert_int_equal(FLM_PERF_SAMPLE_RAW, PERF_SAMPLE_RAW);
    assert_int_equal(FLM_PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_STACK);
    assert_int_equal(FLM_PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_USER);
    assert_int_equal(FLM_PERF_SAMPLE_STACK_USER, PERF_SAMPLE_STACK_USER);
    assert_int_equal(FLM_PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IDENTIFIER);
    assert_int_equal(FLM_PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_ENABLED);
    assert_int_equal(FLM_PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_TOTAL_TIME_RUNNING);
    assert_int_equal(FLM_PERF_FORMAT_ID, PERF_FORMAT_ID);
    assert_int_equal(FLM_PERF_FORMAT_GROUP, PERF_FORMAT_GROUP);
    assert_int_equal(FLM_PERF_SAMPLE_BRANCH_CALL_STACK, PERF_SAMPLE_BRANCH_CALL_STACK);
    assert_int_equal(FLM_PERF_SAMPLE_BRANCH_HW_INDEX, PERF_SAMPLE_BRANCH_HW_INDEX);
    assert_int_equal(FLM_PERF_SAMPLE_REGS_ABI_NONE, PERF_SAMPLE_REGS_ABI_NONE);
    assert_int_equal(FLM_PERF_RECORD_MMAP, PERF_RECORD_MMAP);
    assert_int_equal(FLM_PERF_RECORD_LOST, PERF_RECORD_LOST);
    assert_int_equal(FLM_PERF_RECORD_COMM, PERF_RECORD_COMM);
    assert_int_equal(FLM_PERF_RECORD_EXIT, PERF_RECORD_EXIT);
    assert_int_equal(FLM_PERF_RECORD_THROTTLE, PERF_RECORD_THROTTLE);
    assert_int_equal(FLM_PERF_RECORD_UNTHROTTLE, PERF_RECORD_UNTHROTTLE);
    assert_int_equal(FLM_PERF_RECORD_FORK, PERF_RECORD_FORK);
    assert_int_equal(FLM_PERF_RECORD_SAMPLE, PERF_RECORD_SAMPLE);
    assert_int_equal(FLM_PERF_RECORD_MMAP2, PERF_RECORD_MMAP2);
    assert_int_equal(FLM_PERF_RECORD_LOST_SAMPLES, PERF_RECORD_LOST_SAMPLES);
    assert_int_equal(FLM_PERF_RECORD_SWITCH, PERF_RECORD_SWITCH);
    assert_int_equal(FLM_PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_SWITCH_CPU_WIDE);
    assert_int_equal(FLM_PERF_RECORD_KSYMBOL, PERF_RECORD_KSYMBOL);
    assert_int_equal(FLM_PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
                     PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
    assert_int_equal(FLM_PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_CPUMODE_MASK);
    assert_int_equal(FLM_PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_KERNEL);
    assert_int_equal(FLM_PERF_RECORD_MISC_USER, PERF_RECORD_MISC_USER);
    assert_int_equal(FLM_PERF_RECORD_MISC_HYPERVISOR, PERF_RECORD_MISC_HYPERVISOR);
    assert_int_equal(FLM_PERF_RECORD_MISC_GUEST_KERNEL, PERF_RECORD_MISC_GUEST_KERNEL);
    assert_int_equal(FLM_PERF_RECORD_MISC_GUEST_USER, PERF_RECORD_MISC_GUEST_USER);
    assert_int_equal(FLM_PERF_RECORD_MISC_MMAP_DATA, PERF_RECORD_MISC_MMAP_DATA);
    assert_int_equal(FLM_PERF_RECORD_MISC_COMM_EXEC, PERF_RECORD_MISC_COMM_EXEC);
    assert_int_equal(FLM_PERF_RECORD_MISC_SWITCH_OUT, PERF_RECORD_MISC_SWITCH_OUT);
    assert_int_equal(FLM_PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
    assert_int_equal(FLM_PERF_RECORD_MISC_MMAP_BUILD_ID, PERF_RECORD_MISC_MMAP_BUILD_ID);
    assert_true(FLM_CONTEXT_HV == (uint64_t)PERF_CONTEXT_HV);
    assert_true(FLM_CONTEXT_GUEST == (uint64_t)PERF_CONTEXT_GUEST);
    assert_true(FLM_CONTEXT_GUEST_KERNEL == (uint64_t)PERF_CONTEXT_GUEST_KERNEL);
    assert_true(FLM_CONTEXT_GUEST_USER == (uint64_t)PERF_CONTEXT_GUEST_USER);
    assert_int_equal(FLM_PERF_FORMAT_LOST, PERF_FORMAT_LOST);
    assert_true(FLM_CONTEXT_KERNEL == (uint64_t)PERF_CONTEXT_KERNEL);
    assert_true(FLM_CONTEXT_USER == (uint64_t)PERF_CONTEXT_USER);
    assert_true(FLM_CONTEXT_LEAST == (uint64_t)PERF_CONTEXT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_kernel),
    };
    return cmocka_run_group_tests_name("kernel_abi", tests, NULL, NULL);
}
