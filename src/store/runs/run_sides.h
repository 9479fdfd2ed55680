/* run_sides.h - the runs that a verdict over a deploy is of: those before it, and those after it.
 *
 * A series, a pod say, is a run where each has profiles from the beginning of the range to its end.
 * A pod that was replaced in the range is a run of a part of it, and its sum is smaller for that
 * reason alone:
 *
 *     before   pod 1 ----->         after   pod 5 ------------>      before: four runs of a half
 *              pod 2 ----->                 pod 6 ------------>      after: two runs of all of it
 *              pod 3       ----->
 *              pod 4       ----->
 *
 * Where there are such pods, each step of time of all series together is a run: about 20 of them.
 * This costs a query of the store for each run, and for each series in a quarter of the range. */
#ifndef FLAMEL_STORE_RUNS_RUN_SIDES_H
#define FLAMEL_STORE_RUNS_RUN_SIDES_H

#include "flamel/store.h"

struct flm_run_sides {
    struct flm_store_runs *runs; /* those before, then those after; the caller frees them */
    size_t before, after;        /* how many */
    bool is_replaced;            /* steps of all series, since some have a part of the range only */
};

/* Finds the runs of both queries, whose ranges end and are equally long. Options with a label or a
 * step say what a run is. Without them, where a side has less than `least` runs, each step of each
 * series is one; 0: as many as there are. False, and `why`, as flm_store_runs_add. */
bool flm_run_sides_find(struct flm_run_sides *sides, struct flm_store *store,
                        const struct flm_store_query *before, const struct flm_store_query *after,
                        const struct flm_store_runs_options *options, uint32_t least,
                        struct flm_error *why);

#endif
