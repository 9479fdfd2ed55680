/* lines_other.c - the clock of lines.c, and a line of known cost in another file: with link time
 * optimization it is inlined over there. */
#include "lines.h"

#include <time.h>

__attribute__((noinline)) int64_t lap(uint64_t *x)
{
    static int64_t last_ns;
    struct timespec now;
    __asm__ volatile("" : "+m"(*x));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, spent_ns = now_ns - last_ns;
    last_ns = now_ns;
    return spent_ns;
}

/* A loop is on one line, so that all of it is the cost of this line. */
/* clang-format off */
uint64_t other_file(uint64_t x, int n)
{
    for (int i = 0; i < n; i++) x = STEP(x);
    _Static_assert(OTHER_LINE == __LINE__ - 1, "the header names it");
    return x;
}
