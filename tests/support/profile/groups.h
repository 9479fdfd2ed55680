/* groups.h - two groups of runs for tests of src/stats: golden ones, and random ones. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_GROUPS_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_GROUPS_H

#include <stdbool.h>

#include "stats/matrix.h"
#include "support/core/json_tree.h"

struct groups {
    struct flm_matrix matrix;
    unsigned char *is_new;
    uint32_t base_count, new_count;
};

/* Of golden data: "X" has the base runs, "Y" the new ones, as rows. */
struct groups groups_of_golden(const struct json_tree *golden);

/* Base runs first. Columns of noise: sums of uniform numbers around `mean`, of deviation 1. */
struct groups groups_of_noise(uint32_t base_count, uint32_t new_count, uint32_t columns,
                              double mean, uint64_t *random);
void groups_clear(struct groups *groups);

/* Nearly normal: mean 0, deviation 1. */
double random_noise(uint64_t *random);

/* "expected" may be a number, or null: then it is not compared. */
void assert_near(double value, const struct json_tree *expected, double relative);
void assert_close(double value, double expected, double relative);

#endif
