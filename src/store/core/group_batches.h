/* group_batches.h - the values of one service and type as batches again: one for each series and
 * time, as they were appended.
 *
 * Stores keep rows by stack, since sums are asked for; what is copied to another store goes the way
 * back, so that no kind of store knows how another one keeps it. */
#ifndef FLAMEL_STORE_CORE_GROUP_BATCHES_H
#define FLAMEL_STORE_CORE_GROUP_BATCHES_H

#include "store/core/store_head.h"

/* Takes a batch of one metric: the profile is the taker's, the texts are good during the call. */
struct flm_batch_taker {
    void *context;
    bool (*take)(void *context, struct flm_profile *profile, struct flm_bytes series,
                 struct flm_bytes type, int64_t time_ms, struct flm_error *why);
};

struct flm_group_of_rows {
    const struct flm_head *head;    /* whose nodes the rows have */
    struct flm_bytes type;          /* "cpu:ns" */
    const struct flm_bytes *series; /* by series of the rows: their texts */
    int64_t begin_ms;               /* that times count from */
    int64_t from_ms, until_ms;      /* which are wanted, of the epoch */
};

/* Sorts the rows, and adds up those of the same stack, series and time. A batch whose values are
 * all 0 is left out. */
bool flm_group_batches(const struct flm_group_of_rows *group, struct flm_store_rows *rows,
                       const struct flm_batch_taker *taker, struct flm_error *why);

#endif
