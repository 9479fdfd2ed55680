/* faults.c - safe in signal handlers: reading memory that may not be mapped.
 *
 * A fault in guarded work ends the work. All other faults are passed on to the VM, which uses them
 * for null checks and safepoints. */
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "java/internal.h"

static _Atomic int32_t guarded; /* threads that do guarded work */
static guard own_guard;         /* of the agent's thread */
static struct fault_handler {
    int signal;
    bool is_left; /* ours could not be removed: a later one calls it */
    struct sigaction before;
} of_segv = {.signal = SIGSEGV}, of_bus = {.signal = SIGBUS};

void pass_on(int signal, siginfo_t *info, void *context, const struct sigaction *before)
{
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler == SIG_DFL)
        sigaction(signal, before, NULL); /* the fault is repeated, and ends the process */
    else if (before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
}

static guard *guard_of(int32_t id)
{
    struct thread *t = thread_of(id);
    if (id == agent.own_thread)
        return &own_guard;
    return t ? &t->fault : NULL;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    guard *g = atomic_load(&guarded) > 0 ? guard_of(own_id()) : NULL;
    sigjmp_buf *fault = g ? atomic_exchange(g, NULL) : NULL;
    if (fault) {
        const ucontext_t *interrupted = context;
        /* Of the kernel's size: pthread_sigmask is not on the list of what a handler may call. */
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &interrupted->uc_sigmask, NULL, 8);
        siglongjmp(*fault, 1);
    }
    pass_on(signal, info, context, signal == SIGSEGV ? &of_segv.before : &of_bus.before);
}

/* Guarded work may be interrupted by a handler that does guarded work of its own. */
bool guarded_run(guard *g, void (*work)(void *), void *context)
{
    sigjmp_buf fault, *const before = atomic_load(g);
    volatile bool is_done = false;
    if (sigsetjmp(fault, 0) == 0) {
        atomic_store(g, &fault);
        atomic_fetch_add(&guarded, 1);
        work(context);
        is_done = true;
    }
    atomic_store(g, before);
    atomic_fetch_sub(&guarded, 1);
    return is_done;
}

bool guarded_run_here(void (*work)(void *), void *context)
{
    guard *g = guard_of(own_id());
    sigset_t blocked;
    return g && pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && may_fault(&blocked) &&
           guarded_run(g, work, context);
}

bool may_fault(const sigset_t *blocked)
{
    return sigismember(blocked, SIGSEGV) == 0 && sigismember(blocked, SIGBUS) == 0;
}

/* ---- Installing ------------------------------------------------------------------------------ */

/* A handler that was installed after ours calls ours, which therefore stays (is_left). Installed
 * once more, in front of that one, each of the two would pass a fault on to the other for ever. */
static bool install(struct fault_handler *h)
{
    struct sigaction now, action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    if (sigaction(h->signal, NULL, &now) != 0)
        return false;
    if (h->is_left && now.sa_sigaction != h->before.sa_sigaction)
        return true;
    h->is_left = false;
    h->before = now;
    action.sa_mask = now.sa_mask;
    action.sa_flags |= now.sa_flags & (SA_ONSTACK | SA_NODEFER);
    action.sa_sigaction = on_fault;
    return sigaction(h->signal, &action, NULL) == 0;
}

static void uninstall(struct fault_handler *h)
{
    struct sigaction now;
    bool is_there = sigaction(h->signal, NULL, &now) == 0 && now.sa_sigaction == on_fault;
    if (is_there)
        sigaction(h->signal, &h->before, NULL);
    h->is_left |= !is_there && h->before.sa_sigaction && now.sa_sigaction != h->before.sa_sigaction;
}

bool faults_begin(void)
{
    return install(&of_segv) && install(&of_bus);
}

void faults_end(void)
{
    uninstall(&of_segv);
    uninstall(&of_bus);
}
