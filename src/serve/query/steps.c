#include "serve/query/steps.h"

enum { MOST_STEPS = 11000 };

bool flm_steps_make(const struct flm_store_query *query, double step_s, struct flm_steps *steps,
                    struct flm_error *why)
{
    *steps = (struct flm_steps){.step_ms = 1};
    if (!(step_s >= 0.001 && step_s <= 1e9)) /* nor is it NaN */
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a step is a number of seconds, from 0.001 to 1000000000");
    steps->step_ms = (int64_t)(step_s * 1000);
    /* As numbers that may be larger than the difference fits: there may be no end. */
    double range_ms = (double)query->until_ms - (double)query->from_ms;
    if (range_ms / (double)steps->step_ms > MOST_STEPS)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a timeline has %d steps at most: take a later beginning or a larger "
                             "step",
                             MOST_STEPS);
    if (range_ms > 0)
        steps->count =
            (size_t)((query->until_ms - query->from_ms + steps->step_ms - 1) / steps->step_ms);
    if (steps->count > MOST_STEPS)
        steps->count = MOST_STEPS;
    return true;
}
