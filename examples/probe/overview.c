/* overview.c - three ways of taking time: computing, allocating, and waiting in a coroutine, which
 * takes none while it waits.
 *
 *     cc -O2 overview.c -lflamel-probe -o overview
 *     FLAMEL=report ./overview */
#include <flamel/probe_tasks.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { COROUTINES = 3, STACK_SIZE = 256 << 10 };

struct coroutine {
    struct flm_task task;
    ucontext_t context;
    int64_t wake_ns; /* when it goes on; INT64_MAX: it has ended */
    int rounds;
};

static ucontext_t loop;
static struct coroutine all[COROUTINES];
static volatile uint64_t result;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

static void sync_work(void)
{
    FLM_FUNC();
    uint64_t value = 1;
    for (uint64_t i = 0; i < 20000; i++) {
        value *= i + 7;
        value ^= value >> 3;
    }
    result = value;
}

static void sync_alloc(void)
{
    FLM_FUNC();
    for (int i = 0; i < 1000; i++) {
        char *volatile buffer = malloc(1024);
        if (buffer)
            memset(buffer, 1, 1024);
        free(buffer);
    }
}

/* The loop goes on with others; the scope of this function is suspended with the coroutine. */
static void async_sleep(struct coroutine *self, int64_t ns)
{
    FLM_FUNC();
    self->wake_ns = now_ns() + ns;
    FLM_TASK_AWAY(self->task);
    swapcontext(&self->context, &loop);
}

static void run(unsigned number)
{
    struct coroutine *self = &all[number];
    flm_task_resume(self->task);
    for (int i = 0; i < self->rounds; i++) {
        sync_work();
        sync_alloc();
        async_sleep(self, 2000000);
    }
    flm_task_end(self->task);
    self->wake_ns = INT64_MAX;
}

static struct coroutine *next_coroutine(void)
{
    struct coroutine *next = &all[0];
    for (int i = 1; i < COROUTINES; i++)
        if (all[i].wake_ns < next->wake_ns)
            next = &all[i];
    return next->wake_ns < INT64_MAX ? next : NULL;
}

static void wait_until(int64_t ns)
{
    FLM_FUNC();
    struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int start(unsigned number, int rounds)
{
    struct coroutine *c = &all[number];
    c->rounds = rounds;
    c->task = FLM_TASK("coroutine");
    getcontext(&c->context);
    c->context.uc_stack.ss_sp = malloc(STACK_SIZE);
    c->context.uc_stack.ss_size = STACK_SIZE;
    c->context.uc_link = &loop;
    makecontext(&c->context, (void (*)(void))run, 1, number);
    return c->context.uc_stack.ss_sp != NULL;
}

int main(int argc, char **argv)
{
    FLM_FUNC();
    for (unsigned i = 0; i < COROUTINES; i++)
        if (!start(i, argc > 1 ? atoi(argv[1]) : 100))
            return 1;
    for (struct coroutine *next; (next = next_coroutine());) {
        wait_until(next->wake_ns);
        swapcontext(&loop, &next->context);
    }
    for (int i = 0; i < COROUTINES; i++)
        free(all[i].context.uc_stack.ss_sp);
    puts("done");
    return 0;
}
