#include "stats/median.h"

#include <assert.h>
#include <math.h>

static void swap(double *values, uint32_t a, uint32_t b)
{
    double value = values[a];
    values[a] = values[b];
    values[b] = value;
}

/* Moves the value of that rank to its index, none greater before it, none less after it: Hoare,
 * "Algorithm 65: find", 1961, with the median of three as pivot. */
static double select_rank(double *values, uint32_t count, uint32_t rank)
{
    uint32_t from = 0, to = count - 1;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (values[middle] < values[from])
            swap(values, middle, from);
        if (values[to] < values[from])
            swap(values, to, from);
        if (values[to] < values[middle])
            swap(values, to, middle);
        double pivot = values[middle];
        uint32_t left = from, right = to;
        while (left <= right) {
            while (values[left] < pivot)
                left++;
            while (pivot < values[right])
                right--;
            if (left > right)
                break;
            swap(values, left++, right);
            if (right == 0)
                break;
            right--;
        }
        if (rank <= right)
            to = right;
        else if (rank >= left)
            from = left;
        else
            break;
    }
    return values[rank];
}

double flm_median(double *values, uint32_t count)
{
    assert(values || count == 0);
    if (count == 0)
        return 0;
    double upper = select_rank(values, count, count / 2);
    if (count % 2 == 1)
        return upper;
    double lower = values[0];
    for (uint32_t i = 1; i < count / 2; i++)
        lower = values[i] > lower ? values[i] : lower;
    return (lower + upper) / 2;
}

double flm_median_deviation(const double *values, uint32_t count, double center, double *scratch)
{
    assert((values && scratch) || count == 0);
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = fabs(values[i] - center);
    return flm_median(scratch, count);
}
