/* stacks.c coroutine | handler - code that runs on a stack of its own, for unwinder_test.c to
 * sample. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define KEEP __attribute__((noinline))

enum { STACK = 128 * 1024, TURNS = 40, ROUNDS = 1000000 };

volatile uint64_t sink;

KEEP static void burn(void)
{
    uint64_t x = sink | 1;
    for (unsigned i = 0; i < ROUNDS; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

static ucontext_t home, coroutine;

KEEP static void turn(void)
{
    for (int i = 0; i < TURNS; i++) {
        burn();
        swapcontext(&coroutine, &home);
    }
}

static int run_coroutine(void)
{
    void *stack = malloc(STACK);
    if (!stack || getcontext(&coroutine) != 0)
        return 1;
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = STACK;
    coroutine.uc_link = &home;
    makecontext(&coroutine, turn, 0);
    for (int i = 0; i < TURNS; i++)
        if (swapcontext(&home, &coroutine) != 0)
            return 1;
    free(stack);
    return 0;
}

KEEP static void handle(int number)
{
    (void)number;
    burn();
    sink++; /* no tail call */
}

static int run_handler(void)
{
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        return 1;
    for (int i = 0; i < TURNS; i++)
        raise(SIGUSR1);
    return 0;
}

int main(int count, char **words)
{
    if (count != 2)
        return 1;
    return strcmp(words[1], "coroutine") == 0 ? run_coroutine() : run_handler();
}
