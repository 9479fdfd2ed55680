/* store_runs.h - what a store (flamel/store.h) has as runs: for a verdict over a deploy, and for
 * changes in the course of time.
 *
 *     struct flm_store_runs *runs = flm_store_runs_new(&why);
 *     flm_store_runs_add(runs, store, &before, NULL, false, &why);     a run for each series
 *     flm_store_runs_add(runs, store, &after, NULL, true, &why);
 *     const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
 *     result = flm_gate_compare(list, count, NULL, &why);              flamel/gate.h
 *     flm_store_runs_free(runs);
 *
 * A run is the sum of what a query wants of one series, or of those with one value of a label,
 * or of all; in its whole range of time or in each step of it. Those without a profile are left
 * out. Runs are normalized (flm_run_normalize): builds before and after a deploy have other
 * addresses. Costs a query of the store for each run. */
#ifndef FLAMEL_STORE_RUNS_H
#define FLAMEL_STORE_RUNS_H

#include "flamel/compare.h"
#include "flamel/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `size` is sizeof (struct flm_store_runs_options); fields that are 0 are the defaults. */
struct flm_store_runs_options {
    size_t size;
    const char *by;  /* a run for each value of this label ("service" too), not for each series */
    bool of_all;     /* nor for each series: all that the query wants is one */
    int64_t step_ms; /* and for each of so many milliseconds; 0: the range is one step */
    uint32_t most;   /* runs in all, those without a profile too: 1,000 */
};

struct flm_store_runs;

/* NULL, and `why`, if memory ran out. */
struct flm_store_runs *flm_store_runs_new(struct flm_error *why);
void flm_store_runs_free(struct flm_store_runs *runs); /* accepts NULL */

/* Adds the runs of a query, of one side, in the order of time and then of labels. Steps begin at
 * its `from_ms`; where that is before the first profile, at multiples of a step since 1970.
 * False, and `why`: FLM_ERROR_RANGE where there are too many. */
bool flm_store_runs_add(struct flm_store_runs *runs, struct flm_store *store,
                        const struct flm_store_query *query,
                        const struct flm_store_runs_options *options, bool is_new,
                        struct flm_error *why);

/* Good until more are added, or they are freed. A run is called by its labels ("pod=p1"), and by
 * when it begins where there are steps, which is its date too. */
const struct flm_gate_run *flm_store_runs_list(const struct flm_store_runs *runs, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
