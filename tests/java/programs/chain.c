/* chain.c - what another profiler does to a program: when it gets SIGIO it puts a handler of its
 * own in front of that of faults, which calls that. Loaded by LD_PRELOAD. */
#include <signal.h>
#include <stddef.h>

static struct sigaction before;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    before.sa_sigaction(signal, info, context);
}

static void on_io(int signal)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)signal;
    action.sa_sigaction = on_fault;
    sigaction(SIGSEGV, NULL, &before);
    if (before.sa_sigaction != on_fault)
        sigaction(SIGSEGV, &action, NULL);
}

__attribute__((constructor)) static void load(void)
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    action.sa_handler = on_io;
    sigaction(SIGIO, &action, NULL);
}
