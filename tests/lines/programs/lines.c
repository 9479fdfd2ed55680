/* lines.c - a program that knows what its lines cost: lines MILLISECONDS [kernel].
 *
 * It is C and C++. Each line of known cost is a loop on one line, or calls what has one; between
 * two of them the clock of the CPU time is read. In the end it prints
 *
 *     self  FILE LINE FUNCTION GROUP NANOSECONDS     spent at the line itself
 *     total FILE LINE FUNCTION GROUP NANOSECONDS     with what the line calls
 *     all - - - - NANOSECONDS                        CPU time of the process
 *
 * where FUNCTION is "-" if a line is in one function only. Lines of a group are compared with each
 * other too, so that a wrong share of a small group is seen. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#include "lines.h"
}
#else
#include "lines.h"
#endif

#define NEVER_INLINED __attribute__((noinline)) static
#define ALWAYS_INLINED __attribute__((always_inline)) static inline

struct known {
    const char *kind, *file, *function, *group;
    int line;
    int64_t ns;
};

static struct known known[64];

static void add(const char *kind, const char *file, int line, const char *function,
                const char *group, int64_t ns)
{
    struct known *k = known;
    while (k->kind && (k->kind != kind || k->line != line || k->file != file ||
                       k->function != function || k->group != group))
        k++;
    k->kind = kind, k->file = file, k->line = line, k->function = function, k->group = group;
    k->ns += ns;
}

static const char self[] = "self", total[] = "total", here[] = "lines.c", any[] = "-";

/* Very different numbers of steps: a sampler of equal periods would meet the same lines again and
 * again, and samples would not be independent. */
static int jitter(void)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return 2000 + (int)(state >> 18);
}

/* A loop is on one line, so that all of it is the cost of this line. */
/* clang-format off */

/* ---- Two lines in one loop, 3:1 -------------------------------------------------------------- */

NEVER_INLINED uint64_t pair(uint64_t x, int n)
{
    static const char group[] = "pair";
    lap(&x);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3 * n / 4; i++) x = STEP(x);
        add(self, here, __LINE__ - 1, any, group, lap(&x));
        for (int i = 0; i < n / 4; i++) x = STEP(x);
        add(self, here, __LINE__ - 1, any, group, lap(&x));
    }
    return x;
}

/* ---- Inlined, from two lines ----------------------------------------------------------------- */

ALWAYS_INLINED uint64_t inlined_inner(uint64_t x, int n)
{
    for (int i = 0; i < n; i++) x = STEP(x);
    return x;
}
enum { INLINED_LINE = __LINE__ - 3 };

ALWAYS_INLINED uint64_t inlined(uint64_t x, int n)
{
    return inlined_inner(x, n) + 1;
}
enum { INLINED_CALL = __LINE__ - 2 };

static void add_inlined(int caller, int64_t ns)
{
    static const char group[] = "inlined";
    add(total, here, caller, any, group, ns);
    add(self, here, INLINED_LINE, any, any, ns);
    add(total, here, INLINED_CALL, any, any, ns);
}

NEVER_INLINED uint64_t calls_inlined(uint64_t x, int n)
{
    lap(&x);
    x = inlined(x, 3 * n);
    add_inlined(__LINE__ - 1, lap(&x));
    x = inlined(x, n);
    add_inlined(__LINE__ - 1, lap(&x));
    return x;
}

/* ---- Unrolled, and a macro ------------------------------------------------------------------- */

NEVER_INLINED uint64_t unrolled(uint64_t x, int n)
{
    lap(&x);
#ifdef __clang__
#pragma unroll 8
#else
#pragma GCC unroll 8
#endif
    for (int i = 0; i < n; i++) x = STEP(x);
    add(self, here, __LINE__ - 1, any, any, lap(&x));
    return x;
}

#define LOOP(x, count)                                                                             \
    do {                                                                                           \
        int left = (count);                                                                        \
        while (left-- > 0)                                                                         \
            (x) = STEP(x);                                                                         \
    } while (0)

NEVER_INLINED uint64_t macros(uint64_t x, int n)
{
    static const char group[] = "macro";
    lap(&x);
    LOOP(x, n);
    add(self, here, __LINE__ - 1, any, group, lap(&x));
    LOOP(x, 3 * n);
    add(self, here, __LINE__ - 1, any, group, lap(&x));
    return x;
}

/* ---- A header, another file, calls that are none of inlining ----------------------------------*/

NEVER_INLINED uint64_t elsewhere(uint64_t x, int n)
{
    static const char group[] = "files", header[] = "lines.h", other[] = "lines_other.c";
    lap(&x);
    x = in_header(x, n);
    int64_t ns = lap(&x);
    add(self, header, HEADER_LINE, any, any, ns);
    add(total, here, __LINE__ - 3, any, group, ns);
    x = other_file(x, 2 * n);
    ns = lap(&x);
    add(self, other, OTHER_LINE, any, any, ns);
    add(total, here, __LINE__ - 3, any, group, ns);
    return x;
}

NEVER_INLINED uint64_t recursive(uint64_t x, int n, int depth)
{
    if (depth > 0) return recursive(x, n, depth - 1) + 1;
    for (int i = 0; i < n; i++) x = STEP(x);
    return x;
}
enum { RECURSIVE_CALL = __LINE__ - 4, RECURSIVE_LINE = __LINE__ - 3 };

NEVER_INLINED uint64_t recursion(uint64_t x, int n)
{
    lap(&x);
    x = recursive(x, n, 5);
    int64_t ns = lap(&x);
    add(total, here, __LINE__ - 2, any, any, ns);
    add(self, here, RECURSIVE_LINE, any, any, ns);
#ifdef __OPTIMIZE__
    (void)RECURSIVE_CALL; /* it may be a loop */
#else
    add(total, here, RECURSIVE_CALL, any, any, ns);
#endif
    return x;
}

/* ---- A template: one line, two functions ----------------------------------------------------- */

#ifdef __cplusplus
template <int N> __attribute__((noinline)) uint64_t spin(uint64_t x, int n)
{
    for (int i = 0; i < N * n; i++) x = STEP(x);
    return x;
}
enum { SPIN_LINE = __LINE__ - 3 };

template <class F> ALWAYS_INLINED void call(F f)
{
    f();
}

NEVER_INLINED uint64_t templates(uint64_t x, int n)
{
    static const char group[] = "template", one[] = "spin<1>", three[] = "spin<3>";
    lap(&x);
    x = spin<3>(x, n);
    add(self, here, SPIN_LINE, three, group, lap(&x));
    x = spin<1>(x, n);
    add(self, here, SPIN_LINE, one, group, lap(&x));
    call([&] {
        for (int i = 0; i < n; i++) x = STEP(x);
    });
    add(self, here, __LINE__ - 2, any, any, lap(&x));
    return x;
}
#endif

/* ---- The kernel: what it does is below the line that calls it -------------------------------- */

NEVER_INLINED uint64_t calls_kernel(uint64_t x, int n)
{
    static const char group[] = "kernel";
    static char bytes[1 << 20];
    static FILE *zeros;
    if (!zeros && !(zeros = fopen("/dev/zero", "re"))) abort();
    lap(&x);
    for (int i = 0; i < n; i++) x = STEP(x);
    add(self, here, __LINE__ - 1, any, group, lap(&x));
    for (int i = 0; i < 4; i++) x += (uint64_t)read(fileno(zeros), bytes, (size_t)n * 20);
    add(total, here, __LINE__ - 1, any, group, lap(&x));
    return x;
}
/* clang-format on */

static int64_t process_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char **arguments)
{
    int64_t budget_ns = (count > 1 ? atoll(arguments[1]) : 500) * 1000000;
    uint64_t x = 1;
    while (process_ns() < budget_ns) {
        x = pair(x, jitter());
        x = calls_inlined(x, jitter());
        x = unrolled(x, jitter());
        x = macros(x, jitter());
        x = elsewhere(x, jitter());
        x = recursion(x, jitter());
        if (count > 2)
            x = calls_kernel(x, jitter());
#ifdef __cplusplus
        x = templates(x, jitter());
#endif
    }
    for (const struct known *k = known; k->kind; k++)
        printf("%s %s %d %s %s %lld\n", k->kind, k->file, k->line, k->function, k->group,
               (long long)k->ns);
    printf("all - - - - %lld\n", (long long)process_ns());
    return x == 0;
}
