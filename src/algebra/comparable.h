/* comparable.h - two recordings made comparable: the columns that belong together, what one sample
 * stands for, and how much longer one was recorded than the other.
 *
 *     p = flm_comparison_align(before, after, why)     flamel/algebra.h: one tree
 *     flm_metric_pair_find(p, "cpu", &pair, why)       before:cpu and after:cpu
 *     flm_comparison_scale(p, pair, &normal, &scale, why)
 *     flm_comparison_init(...)                         comparison.h */
#ifndef FLAMEL_ALGEBRA_COMPARABLE_H
#define FLAMEL_ALGEBRA_COMPARABLE_H

#include "base/bytes.h"
#include "flamel/algebra.h"

/* The note that says how long a profile was recorded: a number of nanoseconds. */
#define FLM_NOTE_DURATION "duration_ns"

struct flm_metric_pair {
    struct flm_metric before, after;
    struct flm_bytes name; /* "cpu"; "" where there is only one pair: of the profile */
};

/* The pairs of a profile, in the order of its metrics; `pairs` has room for as many as it has
 * metrics, or is NULL. Returns how many there are. */
uint32_t flm_metric_pairs(const struct flm_profile *profile, struct flm_metric_pair *pairs);

/* The pair of this name, or the first when `name` is NULL. False, and `why` with the names that
 * there are, when there is none. */
bool flm_metric_pair_find(const struct flm_profile *profile, const char *name,
                          struct flm_metric_pair *pair, struct flm_error *why);

/* How much of a metric of a pair one sample stands for, on average; 0: not known. Folded stacks
 * call everything samples, also nanoseconds: where 16 stacks or more are all multiples of a number,
 * that is one sample. Otherwise samples count themselves, and other metrics are divided by the
 * samples of their side, where it has them. That of bytes is never known: allocations differ in
 * size. */
double flm_comparison_sample(const struct flm_profile *profile, struct flm_metric metric);

/* How long a profile was recorded, by its note, or from its first to its last sample; 0: not known.
 */
double flm_profile_duration_ns(const struct flm_profile *profile);

struct flm_normal {
    enum flm_normalise by;
    double before_ns, after_ns; /* DURATION: of both; 0: not known */
    struct flm_bytes function;  /* FUNCTION: a pattern (pattern.h); all of them together, outermost
                                   occurrences */
};

/* What before is to be multiplied by. False, and `why`, where one of both is 0 or not known. */
bool flm_comparison_scale(const struct flm_profile *profile, const struct flm_metric_pair *pair,
                          const struct flm_normal *normal, double *scale, struct flm_error *why);

#endif
