#include "stats/median.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { MOST = 70 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void the_median_stands_in_the_middle_of_the_sorted_values(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int round = 0; round < 3000; round++) {
        uint32_t count = random_below(&random, MOST);
        unsigned different = 1 + random_below(&random, round % 2 ? 4 : 1000); /* many are equal */
        double values[MOST] = {0}, sorted[MOST], other[MOST];
        for (uint32_t i = 0; i < count; i++)
            values[i] = (double)random_below(&random, different) - 300;
        if (round % 5 == 0)
            qsort(values, count, sizeof *values, ascending);
        memcpy(sorted, values, sizeof values);
        memcpy(other, values, sizeof values);
        double expected = median_of_sorted(sorted, count);
        assert_true(flm_median(values, count) == expected);
        qsort(values, count, sizeof *values, ascending); /* the same values */
        assert_memory_equal(values, sorted, count * sizeof *values);

        double scratch[MOST], distances[MOST];
        for (uint32_t i = 0; i < count; i++)
            distances[i] = fabs(other[i] - expected);
        assert_true(flm_median_deviation(other, count, expected, scratch) ==
                    median_of_sorted(distances, count));
    }
}

static void one_wild_value_does_not_lead_it(void **state)
{
    (void)state;
    double values[] = {1e300, 4, 5, 6, 3};
    assert_true(flm_median(values, 5) == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_stands_in_the_middle_of_the_sorted_values),
        cmocka_unit_test(one_wild_value_does_not_lead_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
