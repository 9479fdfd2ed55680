#include "support/profile/groups.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static struct groups groups_new(uint32_t base_count, uint32_t new_count, uint32_t columns)
{
    uint32_t runs = base_count + new_count;
    struct groups groups = {
        .matrix = {runs, columns, calloc((size_t)columns * runs + 1, sizeof(double))},
        .is_new = calloc(runs + 1, 1),
        .base_count = base_count,
        .new_count = new_count,
    };
    assert_true(groups.matrix.value && groups.is_new);
    for (uint32_t r = base_count; r < runs; r++)
        groups.is_new[r] = 1;
    return groups;
}

struct groups groups_of_golden(const struct json_tree *golden)
{
    const struct json_tree *group[2] = {json_tree_get(golden, "X"), json_tree_get(golden, "Y")};
    uint32_t base_count = (uint32_t)group[0]->count, new_count = (uint32_t)group[1]->count;
    const struct json_tree *some = base_count > 0 ? group[0] : group[1];
    uint32_t columns = some->count > 0 ? (uint32_t)some->items[0].count : 0;
    struct groups groups = groups_new(base_count, new_count, columns);
    for (uint32_t r = 0; r < groups.matrix.run_count; r++) {
        const struct json_tree *run =
            r < base_count ? &group[0]->items[r] : &group[1]->items[r - base_count];
        assert_int_equal(run->count, columns);
        for (uint32_t c = 0; c < columns; c++)
            flm_matrix_column(&groups.matrix, c)[r] = run->items[c].number;
    }
    return groups;
}

struct groups groups_of_noise(uint32_t base_count, uint32_t new_count, uint32_t columns,
                              double mean, uint64_t *random)
{
    struct groups groups = groups_new(base_count, new_count, columns);
    for (uint64_t i = 0; i < (uint64_t)columns * groups.matrix.run_count; i++)
        groups.matrix.value[i] = mean + random_noise(random);
    return groups;
}

void groups_clear(struct groups *groups)
{
    free(groups->matrix.value);
    free(groups->is_new);
}

double random_noise(uint64_t *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(random_next(random) >> 11) / 0x1p53;
    return sum;
}

void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)) && value != expected)
        fail_msg("%.17g, expected %.17g: off by %g", value, expected,
                 fabs(value - expected) / fabs(expected));
}

void assert_near(double value, const struct json_tree *expected, double relative)
{
    if (expected->kind == JSON_NUMBER)
        assert_close(value, expected->number, relative);
}
