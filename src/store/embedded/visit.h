/* visit.h - what a query wants of segments and heads: groups and batches, one after the other. What
 * is made of them is in query.c (sums), query_times.c and query_labels.c. */
#ifndef FLAMEL_STORE_EMBEDDED_VISIT_H
#define FLAMEL_STORE_EMBEDDED_VISIT_H

#include "store/core/wanted.h"
#include "store/embedded/internal.h"

/* Calls `group` for each wanted group of each segment in the range; `wanted` has a byte for each
 * series of the group, or is NULL: all are. `done` follows the groups of a segment. One that turns
 * out to be damaged is set aside, and `abandon` called to forget what was made of it. */
struct flm_segment_visitor {
    void *context;
    bool (*group)(void *context, struct flm_segment *segment, uint32_t group,
                  const unsigned char *wanted, struct flm_error *why);
    bool (*done)(void *context, struct flm_segment *segment,
                 struct flm_error *why); /* may be NULL */
    void (*abandon)(void *context);      /* may be NULL */
};

/* *damaged receives how many segments in the range are set aside. Holds `reading`. */
bool flm_wanted_segments(struct flm_embedded *store, const struct flm_wanted *q,
                         const struct flm_segment_visitor *visitor, uint64_t *damaged,
                         struct flm_error *why);

/* Calls `add` for each wanted batch of a head. Holds `lock`. */
typedef bool (*flm_batch_sink)(void *context, struct flm_head *head,
                               const struct flm_head_batch *batch, struct flm_error *why);
bool flm_wanted_head(const struct flm_wanted *q, struct flm_head *head, flm_batch_sink add,
                     void *context, struct flm_error *why);

/* Both, with the locks; `frozen` and the head one after the other. */
bool flm_wanted_all(struct flm_embedded *store, const struct flm_wanted *q,
                    const struct flm_segment_visitor *visitor, flm_batch_sink add, void *context,
                    struct flm_error *why);

#endif
