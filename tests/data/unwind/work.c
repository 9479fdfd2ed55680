/* work.c PART... - code whose stacks are awkward to unwind, for unwinder_test.c to sample. Each
 * part burns some processor time in its own way. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

volatile uint64_t sink;

KEEP static void burn(unsigned rounds)
{
    uint64_t x = sink | 1;
    for (unsigned i = 0; i < rounds * 100; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

/* Frames of many sizes, and registers that callees must keep. */
KEEP static unsigned recursion(unsigned depth, unsigned a, unsigned b, unsigned c)
{
    if (depth == 0) {
        burn(20);
        return a + b + c;
    }
    unsigned x = recursion(depth - 1, b, c, a + depth);
    if (depth % 7 == 0)
        burn(1);
    return x + a * b + c;
}

/* Frames whose size is not known before they run. */
KEEP static unsigned variable(unsigned depth)
{
    char *bytes = alloca(16 + depth * 24);
    memset(bytes, (int)depth, 16 + depth * 24);
    unsigned sum = depth ? variable(depth - 1) : (burn(20), 0u);
    for (unsigned i = 0; i < 16 + depth * 24; i += 5)
        sum += (unsigned char)bytes[i];
    return sum;
}

/* Stacks that are aligned by hand: the CFA is a saved word. */
KEEP static double realigned(unsigned depth, double value)
{
    _Alignas(64) volatile double wide[8];
    for (int i = 0; i < 8; i++)
        wide[i] = value + i;
    char *more = alloca(depth * 8 + 8);
    more[0] = (char)depth;
    double below = depth ? realigned(depth - 1, value * 1.5) : (burn(20), 1.0);
    return wide[depth % 8] + below + more[0];
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    burn(1);
    return (x > y) - (x < y);
}

/* Called back through libc. */
KEEP static void sorting(void)
{
    unsigned numbers[64];
    for (unsigned i = 0; i < 64; i++)
        numbers[i] = i * 2654435761u;
    qsort(numbers, 64, sizeof *numbers, compare);
    sink += numbers[5];
}

/* Through the PLT, over and over. */
KEEP static void linkage(void)
{
    static volatile char text[] = "some words of a text";
    for (unsigned i = 0; i < 3000; i++) {
        sink += (uint64_t)abs((int)i);
        sink += strlen((const char *)(uintptr_t)text);
        sink += (uint64_t)labs((long)sink);
    }
}

KEEP static void tail_end(unsigned n)
{
    burn(n);
}

KEEP static void tail_middle(unsigned n)
{
    sink++;
    tail_end(n + 3);
}

KEEP static void tails(void)
{
    for (unsigned i = 0; i < 40; i++)
        tail_middle(i);
    sink++;
}

/* A call that does not return, as the last instruction of its function. */
static jmp_buf back;

KEEP __attribute__((noreturn)) static void leave(void)
{
    burn(30);
    longjmp(back, 1);
}

KEEP static void noreturns(unsigned n)
{
    if (n > 100)
        leave();
    sink += n;
}

KEEP static void jumps(void)
{
    if (setjmp(back) == 0)
        noreturns(200 + (unsigned)sink % 2);
}

/* Through signal handlers: on the same stack, on another, one inside the other. */
static void inner_handler(int number)
{
    (void)number;
    recursion(3, 1, 2, 3);
}

static void handler(int number)
{
    burn(20);
    if (number == SIGUSR1)
        raise(SIGUSR2);
}

KEEP static void signals(void)
{
    static char other[65536];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    action.sa_handler = inner_handler;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    burn(10);
}

/* A signal in the middle of anything, at any instruction. */
KEEP static void interrupts(void)
{
    struct sigaction action = {.sa_handler = inner_handler};
    sigaction(SIGALRM, &action, NULL);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec often = {{0, 300000}, {0, 300000}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (unsigned i = 0; i < 5; i++) {
        recursion(12, i, 2, 3);
        realigned(5, 2);
        linkage();
    }
    timer_delete(timer);
}

static void *thread(void *argument)
{
    for (unsigned i = 0; i < 10; i++)
        recursion(10, i, 5, 6);
    return argument;
}

KEEP static void threads(void)
{
    pthread_t one;
    if (pthread_create(&one, NULL, thread, NULL) == 0)
        pthread_join(one, NULL);
}

#if defined(__x86_64__)
/* Assembly that says what it does, and a leaf that does not. */
void spoken(unsigned rounds);
void silent(unsigned rounds);
__asm__(".text\n"
        ".type spoken,@function\n"
        "spoken: .cfi_startproc\n"
        "push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %rbx, 0\n"
        "sub $40, %rsp\n .cfi_adjust_cfa_offset 40\n"
        "mov %rdi, %rbx\n"
        "1: dec %rbx\n jnz 1b\n"
        "add $40, %rsp\n .cfi_adjust_cfa_offset -40\n"
        "pop %rbx\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbx\n"
        "ret\n .cfi_endproc\n .size spoken,.-spoken\n"
        ".type silent,@function\n"
        "silent: 1: dec %rdi\n jnz 1b\n ret\n .size silent,.-silent\n");

KEEP static void assembly(void)
{
    for (unsigned i = 0; i < 10; i++)
        spoken(3000);
    sink++;
}

KEEP static void silence(void)
{
    for (unsigned i = 0; i < 10; i++)
        silent(3000);
    sink++;
}

/* Code that was made while the program ran, with frame pointers:
 *     push rbp; mov rbp, rsp; dec rdi; jnz -5; pop rbp; ret */
KEEP static void jitted(void)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xE5, 0x48, 0xFF,
                                         0xCF, 0x75, 0xFB, 0x5D, 0xC3};
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    memcpy(at, code, sizeof code);
    void (*volatile function)(unsigned long);
    memcpy((void *)&function, &at, sizeof at);
    for (unsigned i = 0; i < 50; i++)
        function(100000);
    sink++;
    munmap(at, 4096);
}

/* A call through a pointer that is NULL: the handler runs on top of a frame at 0. */
static jmp_buf rescue;

static void rescued(int number)
{
    (void)number;
    burn(60);
    siglongjmp(rescue, 1);
}

KEEP static void nowhere(void)
{
    struct sigaction action = {.sa_handler = rescued, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    void (*volatile target)(void) = NULL;
    if (sigsetjmp(rescue, 1) == 0)
        target();
    sink++;
}
#else
static void assembly(void)
{
}
static void silence(void)
{
}
static void jitted(void)
{
}
static void nowhere(void)
{
}
#endif

int main(int count, char **parts)
{
    for (int i = 1; i < count; i++) {
        struct timespec until, now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &until);
        do {
            const char *part = parts[i];
            if (strcmp(part, "recursion") == 0)
                recursion(20, 1, 2, 3);
            else if (strcmp(part, "variable") == 0)
                variable(12);
            else if (strcmp(part, "realigned") == 0)
                realigned(8, 1.25);
            else if (strcmp(part, "sorting") == 0)
                sorting();
            else if (strcmp(part, "linkage") == 0)
                linkage();
            else if (strcmp(part, "tails") == 0)
                tails();
            else if (strcmp(part, "jumps") == 0)
                jumps();
            else if (strcmp(part, "signals") == 0)
                signals();
            else if (strcmp(part, "interrupts") == 0)
                interrupts();
            else if (strcmp(part, "threads") == 0)
                threads();
            else if (strcmp(part, "assembly") == 0)
                assembly();
            else if (strcmp(part, "silence") == 0)
                silence();
            else if (strcmp(part, "jitted") == 0)
                jitted();
            else if (strcmp(part, "nowhere") == 0)
                nowhere();
            else
                return 1;
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        } while ((now.tv_sec - until.tv_sec) * 1000000000 + now.tv_nsec - until.tv_nsec < 30000000);
    }
    return 0;
}
