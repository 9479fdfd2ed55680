/* groups.h - values over time, in groups of series that have the same values of some labels: the
 * table behind flm_store_timelines. */
#ifndef FLAMEL_STORE_CORE_GROUPS_H
#define FLAMEL_STORE_CORE_GROUPS_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/store.h"
#include "profile/interner.h"

struct flm_groups {
    int64_t from_ms, until_ms, step_ms;
    size_t count; /* steps */
    const char *const *labels;
    size_t label_count, most_groups;

    struct flm_interner keys;       /* string 1 + group: the values of its labels */
    struct FLM_ARRAY(double) sums;  /* `count` of each group */
    struct FLM_ARRAY(bool) is_seen; /* by group: it has a value in the range */
    struct flm_text key;
};

/* Copies the members above `keys` of `made`. */
bool flm_groups_init(struct flm_groups *groups, const struct flm_groups *made,
                     struct flm_error *why);
void flm_groups_clear(struct flm_groups *groups);

/* The group of a series, added where it is new. FLM_NONE, and `why`, where there is none: memory,
 * too many. */
uint32_t flm_groups_of(struct flm_groups *groups, struct flm_bytes series, struct flm_error *why);

/* Where the value at a time is in the sums: SIZE_MAX where it is in no step. */
size_t flm_groups_at(const struct flm_groups *groups, uint32_t group, int64_t time_ms);

/* Those with a value, ascending by the values of the labels. */
bool flm_groups_hand_over(const struct flm_groups *groups, flm_store_group each, void *context,
                          struct flm_error *why);

#endif
