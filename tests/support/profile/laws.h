/* laws.h - operations on profiles as laws are written: op(f + g) = op(f) + op(g). They fail the
 * test where an operation fails. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_LAWS_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_LAWS_H

#include "flamel/algebra.h"

struct flm_profile *applied(const struct flm_profile *p, const char *expression);
struct flm_profile *sum_of(const struct flm_profile *a, const struct flm_profile *b);

/* Every metric, multiplied: 8 of them at most. */
struct flm_profile *scaled(const struct flm_profile *p, double by);

/* Equal; frees both. */
void assert_same(struct flm_profile *a, struct flm_profile *b);

#endif
