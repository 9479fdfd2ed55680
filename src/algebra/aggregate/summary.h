/* summary.h - what is in a profile, in numbers: what `flamel info` and a viewer's status line say.
 */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_SUMMARY_H
#define FLAMEL_ALGEBRA_AGGREGATE_SUMMARY_H

#include "profile/columns.h"

/* Of one metric. */
struct flm_metric_summary {
    double total;
    double size;                  /* the sum of |self|: what shares are of */
    uint32_t stack_count;         /* nodes with a value */
    double kinds[FLM_KIND_COUNT]; /* |self| by the kind of the innermost frame */
    double unsymbolized;          /* |self| where the innermost frame has no symbol */
};

struct flm_label_key {
    uint32_t key;         /* string */
    uint32_t value_count; /* distinct values */
};

struct flm_summary {
    struct flm_metric_summary *metric; /* one for each */
    uint32_t depth;                    /* frames of the longest stack */
    uint32_t unsymbolized_frames;

    uint32_t timed_samples; /* that have a time */
    int64_t first_ns, last_ns;
    struct flm_label_key *label_key; /* in name order */
    uint32_t label_key_count;
};

/* False, and `why`, if memory ran out. */
bool flm_summary_init(struct flm_summary *summary, const struct flm_profile *p,
                      struct flm_error *why);
void flm_summary_clear(struct flm_summary *summary);

#endif
