/* thread_signals_test.c - with the kernel's own events and signals, where we may have them. */
#include "record/runtime/thread_signals.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static _Atomic int signals, others;

static void count(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    atomic_fetch_add(info->si_code == SI_KERNEL ? &signals : &others, 1);
}

static void handle(bool on)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    if (on)
        action.sa_sigaction = count;
    else
        action.sa_handler = SIG_DFL;
    assert_int_equal(sigaction(FLM_THREAD_SIGNAL, &action, NULL), 0);
}

/* Of this thread and its children, on each of two processors that it may use. How many; 0: it is
 * not allowed. */
static size_t open_events(int events[2])
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .size = sizeof attr,
                                   .sample_period = 1000000,
                                   .inherit = 1,
                                   .disabled = 1};
    size_t count = 0;
    cpu_set_t ours, chosen;
    CPU_ZERO(&chosen);
    assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++) {
        if (!CPU_ISSET(cpu, &ours))
            continue;
        int file = (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (file < 0)
            continue;
        events[count++] = file;
        CPU_SET(cpu, &chosen);
    }
    if (count > 0) /* where the events are */
        assert_int_equal(sched_setaffinity(0, sizeof chosen, &chosen), 0);
    return count;
}

static void turn(const int *events, size_t count, unsigned long request)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ioctl(events[i], request, 0), 0);
}

/* Until there were signals, which takes the longer the busier the machine is. */
static void work_until(int wanted)
{
    while (atomic_load(&signals) < wanted)
        ;
}

static void work(void)
{
    for (volatile int i = 0; i < 30000000; i++)
        ;
}

static void threads_that_are_sampled_have_signals_if_their_process_wants_them(void **state)
{
    (void)state;
    int events[2];
    size_t opened = open_events(events);
    struct flm_thread_signals *s = opened > 0 ? flm_thread_signals_open(events, opened) : NULL;
    if (!s)
        skip();
    assert_true(flm_thread_signals_add(s, getpid()));
    /* It does nothing to a process without a handler. */
    turn(events, opened, PERF_EVENT_IOC_ENABLE);
    work();
    handle(true);
    work_until(20);
    assert_int_equal(others, 0);
    /* Nor to another one, which has inherited the events and the handler. */
    int before = atomic_load(&signals);
    int child = fork();
    if (child == 0) {
        work();
        _exit(atomic_load(&signals) == before ? 0 : 1);
    }
    int status = -1;
    assert_true(child > 0);
    while (waitpid(child, &status, 0) < 0)
        ;
    assert_int_equal(status, 0);
    turn(events, opened, PERF_EVENT_IOC_DISABLE);
    work(); /* what was on its way has arrived */
    before = atomic_load(&signals);
    work();
    assert_int_equal(atomic_load(&signals), before);
    /* Nor to one that is not to have it any more. */
    turn(events, opened, PERF_EVENT_IOC_ENABLE);
    work_until(before + 20);
    flm_thread_signals_remove(s, getpid());
    work();
    before = atomic_load(&signals);
    work();
    assert_int_equal(atomic_load(&signals), before);
    turn(events, opened, PERF_EVENT_IOC_DISABLE);
    /* Who handles the signal already uses it for something else. */
    assert_false(flm_thread_signals_add(s, getpid()));
    handle(false);
    flm_thread_signals_close(s);
    for (size_t i = 0; i < opened; i++)
        close(events[i]);
}

static void nothing_is_closed_as_well(void **state)
{
    (void)state;
    flm_thread_signals_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_are_sampled_have_signals_if_their_process_wants_them),
        cmocka_unit_test(nothing_is_closed_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
