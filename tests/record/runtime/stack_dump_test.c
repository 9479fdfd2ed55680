#include "record/runtime/stack_dump.h"

#include <asm/perf_regs.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/profile.h"

#if defined(__aarch64__)
enum { STACK_POINTER = PERF_REG_ARM64_SP, OTHER = PERF_REG_ARM64_X0 };
#else
enum { STACK_POINTER = PERF_REG_X86_SP, OTHER = PERF_REG_X86_AX };
#endif

static void a_dump_begins_at_the_stack_pointer(void **state)
{
    (void)state;
    static const uint64_t registers[] = {0xAA, 0x7000};
    struct flm_event_layout layout = {.user_registers =
                                          UINT64_C(1) << OTHER | UINT64_C(1) << STACK_POINTER};
    struct flm_event_sample sample = {
        .layout = &layout, .registers = registers, .stack = flm_bytes_of("12345678")};
    struct flm_stack_dump dump = flm_stack_dump_of(&sample);
    assert_int_equal(dump.address, 0x7000);
    assert_int_equal(dump.bytes.size, 8);
    layout.user_registers = UINT64_C(1) << OTHER; /* the pointer is not known */
    assert_int_equal(flm_stack_dump_of(&sample).bytes.size, 0);
    sample.registers = NULL;
    assert_int_equal(flm_stack_dump_of(&sample).bytes.size, 0);
}

static void *wait_for_end(void *pipe_end)
{
    int *ends = pipe_end;
    int32_t id = (int32_t)syscall(SYS_gettid);
    char byte;
    assert_int_equal(write(ends[3], &id, sizeof id), sizeof id);
    return read(ends[0], &byte, 1) < 0 ? pipe_end : NULL;
}

/* `marks`: the sample is of a switch to another thread. */
static void assert_late(int32_t thread, bool marks, int64_t age_ns, bool expected)
{
    const struct flm_event_layout layout = {.only_marks = marks};
    struct flm_event event = {
        .process = getpid(), .thread = thread, .time_ns = 7, .sample = {.layout = &layout}};
    assert_int_equal(flm_sample_is_late(&event, 7 + age_ns, 500), expected);
    assert_false(flm_sample_is_late(&event, 7 + 500, 500));
    event.time_ns = FLM_NO_TIME;
    assert_true(flm_sample_is_late(&event, 7, 500));
}

static void threads_that_wait_are_blocked(void **state)
{
    (void)state;
    int ends[4];
    int32_t id;
    pthread_t thread;
    assert_int_equal(pipe(ends) | pipe(ends + 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, ends), 0);
    assert_int_equal(read(ends[2], &id, sizeof id), sizeof id);
    while (!flm_thread_is_blocked(getpid(), id))
        usleep(1000);
    assert_false(flm_thread_is_blocked(getpid(), (int32_t)syscall(SYS_gettid)));
    assert_false(flm_thread_is_blocked(getpid(), 0x7FFFFFFF));
    assert_late(id, true, 1000000000, false); /* since it is blocked */
    assert_late(id, true, 1000000001, true);
    assert_late(id, false, 1000000000, true); /* it may have run in between */
    assert_late((int32_t)syscall(SYS_gettid), true, 1000000000, true);
    close(ends[1]);
    pthread_join(thread, NULL);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            close(ends[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump_begins_at_the_stack_pointer),
        cmocka_unit_test(threads_that_wait_are_blocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
