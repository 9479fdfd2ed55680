/* jumps.c - a program whose scopes setjmp and longjmp leave: from functions, signal handlers,
 * coroutines. */
#include <flamel/probe.h>
#include <flamel/probe_tasks.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) static void step(void)
{
    FLM_FUNC();
    sink++;
}

/* A scope by hand, in functions of its own, as wrappers have it. */
static struct flm_site wrapped = {.name = "wrapped", .function = "", .file = ""};
__attribute__((noinline)) static struct flm_scope begin_wrapped(void)
{
    return flm_enter(&wrapped);
}
__attribute__((noinline)) static void end_wrapped(struct flm_scope *scope)
{
    flm_exit(scope);
}

static sigjmp_buf out;
__attribute__((noinline)) static void deep(int n, void (*jump)(void))
{
    FLM_FUNC();
    char room[512];
    memset(room, n, sizeof room);
    sink += room[7];
    step();
    if (n == 0)
        jump();
    else
        deep(n - 1, jump);
    sink++;
}
static void plainly(void)
{
    longjmp(out, 1);
}
static void signals(void)
{
    siglongjmp(out, 1);
}
static void without_mask(void)
{
    _longjmp(out, 1);
}

/* Wrapped is open before and after; "late" is opened behind setjmp, in the same frame. */
static void tries(void (*jump)(void), int by_signals)
{
    FLM_SCOPE("tries");
    volatile int round;
    for (round = 0; round < 5; round++) {
        struct flm_scope scope = begin_wrapped();
        if ((by_signals ? sigsetjmp(out, 1) : setjmp(out)) == 0) {
            FLM_SCOPE("late");
            deep(3, jump);
        }
        step();
        end_wrapped(&scope);
    }
}

/* Buffers inside each other, more than are remembered: the outer ones are as good as the last. */
static void nested(int n, jmp_buf *outer)
{
    FLM_SCOPE("nested");
    jmp_buf own;
    if (setjmp(own) == 0) {
        if (n > 0)
            nested(n - 1, &own);
        else
            longjmp(own, 1);
    }
    step();
    if (outer)
        longjmp(*outer, 1);
}

/* Many buffers of functions that are still there, and far more of some that returned since. */
enum { STANDING = 600, RETURNED = 30000 };
static jmp_buf standing[STANDING];
static void stand(int n)
{
    if (setjmp(standing[n]) == 0) {
        if (n + 1 < STANDING)
            stand(n + 1);
        FLM_SCOPE("leap");
        longjmp(standing[n], 1);
    }
    step();
    if (n > 0) {
        FLM_SCOPE("leap");
        longjmp(standing[n - 1], 1);
    }
}
__attribute__((noinline)) static void stand_and_return(int n)
{
    volatile char *room = __builtin_alloca((size_t)n * 16);
    jmp_buf buffer;
    room[0] = 1;
    if (setjmp(buffer) != 0)
        abort();
    sink += room[0];
}
static void many(void)
{
    FLM_SCOPE("many");
    stand(0);
    if (setjmp(out) == 0) {
        for (int i = 1; i <= RETURNED; i++)
            stand_and_return(i);
        FLM_SCOPE("leap");
        longjmp(out, 1);
    }
    step();
}

static void on_fault(int number)
{
    FLM_SCOPE("handler");
    (void)number;
    step();
    siglongjmp(out, 1);
}
static void faults(void)
{
    FLM_SCOPE("faults");
    static char room[65536];
    stack_t other = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_fault;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 4; i++)
        if (sigsetjmp(out, 1) == 0) {
            FLM_SCOPE("touch");
            *(volatile int *)(long)(i + 8) = 0;
        }
    step();
}

/* A timer's handler jumps out of whatever runs, the library's own work too. */
static volatile sig_atomic_t may_jump, jumps;
static void on_time(int number)
{
    (void)number;
    if (!may_jump)
        return;
    may_jump = 0;
    jumps++;
    siglongjmp(out, 1);
}
static void *sites(void *stop)
{
    FLM_SCOPE("sites");
    char name[32];
    for (int i = 0; !*(volatile int *)stop; i++) {
        snprintf(name, sizeof name, "site %d", i % 500);
        FLM_SCOPE_NAMED(name);
        step();
    }
    return NULL;
}
static void storm(void)
{
    FLM_SCOPE("storm");
    pthread_t thread;
    volatile int stop = 0;
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* not in the other thread */
    pthread_create(&thread, NULL, sites, (void *)&stop);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_time;
    sigaction(SIGALRM, &action, NULL);
    static volatile long loops;
    static char name[32];
    struct itimerval timer = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &timer, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    while (jumps < 3000) {
        if (sigsetjmp(out, 1) == 0) {
            may_jump = 1;
            for (;;) {
                loops++;
                FLM_SCOPE("loop");
                snprintf(name, sizeof name, "name %ld", loops % 500);
                FLM_SCOPE_NAMED(name);
                step();
            }
        }
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    stop = 1;
    pthread_join(thread, NULL);
    printf("%ld %ld\n", loops, (long)jumps);
}

/* Two coroutines that hand over to each other by jumps, each with a scope open meanwhile; and an
 * error in each that a jump on its own stack ends. */
static ucontext_t home;
static jmp_buf of[2], error[2];
static char stacks[2][65536];
static int ended;
static void fail(int which)
{
    FLM_SCOPE("fail");
    longjmp(error[which], 1);
}
static ucontext_t start[2];
static void run(int which)
{
    if (setjmp(of[which]) == 0)
        swapcontext(&start[which], &home);
    struct flm_task task = FLM_TASK("coroutine");
    flm_task_resume(task);
    for (volatile int i = 0; i < 3; i++) {
        FLM_SCOPE("turn");
        if (setjmp(error[which]) == 0)
            fail(which);
        step();
        flm_task_suspend(task);
        if (ended == 0 && setjmp(of[which]) == 0)
            longjmp(of[!which], 1);
        flm_task_resume(task);
        step();
    }
    flm_task_end(task);
    if (ended++ == 0)
        longjmp(of[!which], 1);
    setcontext(&home);
}
static void coroutines(void)
{
    static volatile int is_back;
    for (volatile int i = 0; i < 2; i++) {
        getcontext(&start[i]);
        start[i].uc_stack.ss_sp = stacks[i];
        start[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&start[i], (void (*)(void))run, 1, i);
        swapcontext(&home, &start[i]);
    }
    FLM_SCOPE("coroutines");
    getcontext(&home);
    if (is_back++ == 0)
        longjmp(of[0], 1);
    step();
}

/* setjmp while nothing is measured, of a buffer that it was called for in another scope before. */
static void paused(void)
{
    FLM_SCOPE("paused");
    for (volatile int round = 0; round < 2; round++) {
        struct flm_scope scope = flm_enter(&wrapped);
        if (round == 1) {
            flm_exit(&scope); /* one less is open than at first */
            flm_probe_stop();
        }
        if (setjmp(out) == 0) {
            if (round == 1)
                flm_probe_start(NULL);
            deep(1, plainly);
        }
        step();
        if (round == 0)
            flm_exit(&scope);
    }
}

/* A jump out of waiting for a mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waiter;
static volatile int waiter_number, goes_on;
static pthread_barrier_t held;
static void on_wait(int number)
{
    (void)number;
    siglongjmp(out, 1);
}
static char state_of_waiter(void)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", waiter_number);
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *end = size > 0 ? strrchr(text, ')') : NULL;
    return end ? end[2] : '?';
}
static void *holds(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_barrier_wait(&held);
    while (!goes_on || state_of_waiter() != 'S') /* it sleeps for the mutex then */
        usleep(1000);
    pthread_kill(waiter, SIGUSR1);
    pthread_barrier_wait(&held);
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void waits(void)
{
    FLM_SCOPE("waits");
    pthread_t thread;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_wait;
    sigaction(SIGUSR1, &action, NULL);
    waiter = pthread_self();
    waiter_number = (int)gettid();
    pthread_barrier_init(&held, NULL, 2);
    pthread_create(&thread, NULL, holds, NULL);
    pthread_barrier_wait(&held);
    if (sigsetjmp(out, 1) == 0) {
        goes_on = 1;
        pthread_mutex_lock(&mutex);
    }
    pthread_barrier_wait(&held);
    pthread_join(thread, NULL);
}

/* Handlers that jump inside of themselves, and have buffers of their own, while the thread has one
 * remembered. */
enum { AT_ONCE = 30000, HANDLED = 500 };
static jmp_buf *of_handler;
static volatile int handled;
static void on_inside(int number)
{
    (void)number;
    jmp_buf own;
    if (setjmp(own) == 0)
        longjmp(own, 1);
    for (int i = 0; i < 200; i++)
        if (setjmp(of_handler[(handled * 200 + i) % AT_ONCE]) != 0)
            abort();
    handled++;
}
static void inside(void)
{
    FLM_SCOPE("inside");
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    jmp_buf *buffers = malloc(AT_ONCE * sizeof *buffers);
    of_handler = malloc(AT_ONCE * sizeof *of_handler);
    signal(SIGALRM, on_inside);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < HANDLED)
        for (volatile int i = 0; i < AT_ONCE; i++)
            if (setjmp(buffers[i]) != 0)
                abort();
    setitimer(ITIMER_REAL, &never, NULL);
    step();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "plain") == 0)
        tries(plainly, 0);
    if (strcmp(what, "signals") == 0)
        tries(signals, 1);
    if (strcmp(what, "mask") == 0)
        tries(without_mask, 0);
    if (strcmp(what, "nested") == 0)
        nested(20, NULL);
    if (strcmp(what, "many") == 0)
        many();
    if (strcmp(what, "faults") == 0)
        faults();
    if (strcmp(what, "storm") == 0)
        storm();
    if (strcmp(what, "inside") == 0)
        inside();
    if (strcmp(what, "paused") == 0)
        paused();
    if (strcmp(what, "waits") == 0)
        waits();
    if (strcmp(what, "coroutines") == 0)
        coroutines();
    return 0;
}
