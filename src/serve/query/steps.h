/* steps.h - the steps of values over time: how many a range has. */
#ifndef FLAMEL_SERVE_QUERY_STEPS_H
#define FLAMEL_SERVE_QUERY_STEPS_H

#include "flamel/store.h"

struct flm_steps {
    int64_t step_ms;
    size_t count; /* the last one may be shorter */
};

/* Of the range of a query, each of so many seconds. False, and `why`, where that is no length, or
 * they are more than 11,000. */
bool flm_steps_make(const struct flm_store_query *query, double step_s, struct flm_steps *steps,
                    struct flm_error *why);

#endif
