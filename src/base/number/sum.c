#include "base/number/sum.h"

#include <assert.h>
#include <string.h>

/* Fewer parts with the same sum: from the largest on, each takes all that it can hold of the
 * smaller ones, so that the next begins 53 bits below it. */
static void compress(struct flm_exact_sum *sum)
{
    size_t kept = sum->count; /* the parts from here on are done; the free ones are before them */
    double current = sum->part[sum->count - 1];
    for (size_t i = sum->count - 1; i-- > 0;) {
        double left_out = flm_two_sum(&current, sum->part[i]);
        if (left_out == 0)
            continue;
        sum->part[--kept] = current;
        current = left_out;
    }
    sum->part[--kept] = current;
    sum->count -= kept;
    memmove(sum->part, sum->part + kept, sum->count * sizeof *sum->part);
}

void flm_exact_sum_add(struct flm_exact_sum *sum, double value)
{
    assert(sum && sum->count < FLM_SUM_PARTS);
    if (sum->count == FLM_SUM_PARTS - 1)
        compress(sum);
    size_t kept = 0;
    for (size_t i = 0; i < sum->count; i++) {
        double left_out = flm_two_sum(&value, sum->part[i]);
        if (left_out != 0)
            sum->part[kept++] = left_out;
    }
    if (value != 0)
        sum->part[kept++] = value;
    sum->count = kept;
}

double flm_exact_sum_take(struct flm_exact_sum *sum)
{
    assert(sum);
    double nearest = 0, left_out = 0;
    while (sum->count > 0 && left_out == 0)
        left_out = flm_two_sum(&nearest, sum->part[--sum->count]);
    /* Half way between two doubles, as far as these parts say: the smaller ones decide. */
    if (sum->count > 0 && (left_out < 0) == (sum->part[sum->count - 1] < 0)) {
        double other = nearest;
        if (flm_two_sum(&other, 2 * left_out) == 0) {
            nearest = other;
            left_out = -left_out;
        }
    }
    if (left_out != 0)
        sum->part[sum->count++] = left_out;
    return nearest;
}

double flm_sum_of_sizes(const double *values, size_t count)
{
    assert(values || count == 0);
    /* Four sums, so that the additions do not wait for each other. */
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sum[lane] += __builtin_fabs(values[i + lane]);
    for (; i < count; i++)
        sum[0] += __builtin_fabs(values[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
