/* comparable.h - two recordings made comparable: the columns that belong together, what one sample
 * stands for, and how much longer one was recorded than the other.
 *
 *     p = flm_comparison_align(before, after, why)     flamel/algebra.h: one tree
 *     flm_metric_pair_find(p, "cpu", &pair, why)       before:cpu and after:cpu
 *     flm_comparison_scale(p, pair, &normal, &scale, why)
 *     flm_comparison_init(...)                         comparison.h */
#ifndef FLAMEL_ALGEBRA_COMPARE_COMPARABLE_H
#define FLAMEL_ALGEBRA_COMPARE_COMPARABLE_H

#include "base/core/bytes.h"
#include "flamel/changes.h"

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

/* The significant part of the changes in a metric: the pair "before:significant" (the loss) and
 * "after:significant" (the gain), in the unit of the compared pair. False where there is none. */
#define FLM_METRIC_SIGNIFICANT "significant"
bool flm_metric_pair_significant(const struct flm_profile *profile,
                                 const struct flm_metric_pair *compared,
                                 struct flm_metric_pair *significant);

/* How noise is recognized: by the significant part of the changes where the profile has it, else by
 * sampling. The significant part itself has no noise. Fills `lost`, `gained`, `sigmas` and the
 * samples. */
struct flm_comparison_options;
void flm_comparison_find_noise(const struct flm_profile *profile,
                               const struct flm_metric_pair *compared,
                               struct flm_comparison_options *options);

/* The value of a profile's note of that name; {NULL, 0}: it has none. */
struct flm_bytes flm_profile_note(const struct flm_profile *profile, const char *key);

/* The note with the verdict of a gate, as a sentence. */
#define FLM_NOTE_VERDICT "verdict"

/* How much of a metric of a pair one sample stands for, on average; 0: not known. Folded stacks
 * call everything samples, also nanoseconds: where 16 stacks or more are all multiples of a number,
 * that is one sample. Otherwise samples count themselves, and other metrics are divided by the
 * samples of their side, where it has them. It is never known for bytes, nor for off-CPU time:
 * allocations differ in size and waits in length, and all of them are in the profile. */
double flm_comparison_sample(const struct flm_profile *profile, struct flm_metric metric);

/* The same of one metric of several profiles: starts as {0}, then each is added. All of them must
 * be multiples of the number; and where all of them have samples, the metric is divided by
 * these. */
struct flm_sample_rule {
    bool differ;           /* values of a sample differ in size */
    bool count_themselves; /* values are samples */
    uint64_t divisor;      /* of all values; 1: they have none */
    uint32_t value_count;  /* in the profile that has the most */
    double total, samples; /* of those that count samples too */
    uint32_t added, counted;
};
void flm_sample_rule_add(struct flm_sample_rule *rule, const struct flm_profile *profile,
                         struct flm_metric metric);
double flm_sample_rule_value(const struct flm_sample_rule *rule);

struct flm_normal {
    enum flm_normalize by;
    double before_ns, after_ns; /* DURATION: of both; 0: not known */
    struct flm_bytes function;  /* FUNCTION: a pattern (pattern.h); all of them together, outermost
                                   occurrences */
};

/* The factor for before. False, and `why`, where the total, duration or function of either is 0 or
 * not known. */
bool flm_comparison_scale(const struct flm_profile *profile, const struct flm_metric_pair *pair,
                          const struct flm_normal *normal, double *scale, struct flm_error *why);

#endif
