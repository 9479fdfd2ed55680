/* lines.h - what lines.c and lines_other.c share, and a line of known cost in a header. */
#ifndef LINES_H
#define LINES_H

#include <stdint.h>

/* A step that no compiler folds with the next one, and that waits for the one before: the time of
 * a loop is its number of rounds. */
#define STEP(x) (((x) ^ (x) >> 17) * 0x9E3779B97F4A7C15u)

/* CPU time of this thread since the last call. `x` passes through, so that no work moves over the
 * call. */
int64_t lap(uint64_t *x);

enum { OTHER_LINE = 22 };
uint64_t other_file(uint64_t x, int n);

/* A loop is on one line, so that all of it is the cost of this line. */
/* clang-format off */
static inline uint64_t in_header(uint64_t x, int n)
{
    for (int i = 0; i < n; i++) x = STEP(x);
    return x;
}
enum { HEADER_LINE = __LINE__ - 3 };
/* clang-format on */

#endif
