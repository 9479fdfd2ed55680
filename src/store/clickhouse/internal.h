/* internal.h - the members of a ClickHouse store.
 *
 * Nothing is kept in this process but what saves questions: which stacks and series the server has
 * already (`head`, of whoever appends), and the frames of stacks that queries have met (`known`).
 * Any number of processes may use one database. */
#ifndef FLAMEL_STORE_CLICKHOUSE_INTERNAL_H
#define FLAMEL_STORE_CLICKHOUSE_INTERNAL_H

#include <pthread.h>

#include "store/clickhouse/client.h"
#include "store/clickhouse/known.h"
#include "store/clickhouse/outgoing.h"
#include "store/clickhouse/schema.h"
#include "store/core/store_kind.h"
#include "store/core/wanted.h"

enum { FLM_CH_HOUR_MS = 3600 * 1000, FLM_CH_DAY_HOURS = 24 };

/* A call to append, until what it appended is durable or has failed. */
struct flm_ch_waiter {
    struct flm_ch_waiter *next;
    const struct flm_store_batch *batches;
    size_t count;
    enum { FLM_CH_WAITING, FLM_CH_DURABLE, FLM_CH_FAILED } outcome;
    struct flm_error *why;
};

struct flm_clickhouse {
    struct flm_store base;
    struct flm_clickhouse_client client;
    struct flm_clickhouse_dialect dialect;
    unsigned shards;                 /* the weights of all together; without a cluster 1 */
    struct flm_text runs_everywhere; /* in SQL: the table of runs, of each replica */

    pthread_mutex_t lock; /* of the next three */
    pthread_cond_t changed;
    struct flm_ch_waiter *first, **last;
    bool is_committing;
    uint64_t repeated;

    struct flm_outgoing outgoing; /* of whoever commits */
    int64_t committed_ns;         /* when the last insert began */

    pthread_mutex_t known_lock;
    struct flm_known known;
};

static inline struct flm_clickhouse *flm_clickhouse_of(struct flm_store *store)
{
    return (struct flm_clickhouse *)store;
}

/* A query: asked again for a while where a failure passes. False, and `why`. */
bool flm_ch_query(struct flm_clickhouse *store, const struct flm_text *sql,
                  struct flm_text *response, struct flm_error *why);

/* What the kind does (store_kind.h). */
bool flm_ch_append(struct flm_store *store, const struct flm_store_batch *batches, size_t count,
                   struct flm_error *why);
bool flm_ch_batches(struct flm_store *store, int64_t from_ms, int64_t until_ms,
                    const struct flm_batch_taker *taker, struct flm_error *why);
struct flm_profile *flm_ch_merge(struct flm_store *store, const struct flm_store_query *query,
                                 struct flm_error *why);
bool flm_ch_timelines(struct flm_store *store, const struct flm_store_query *query,
                      const char *const *labels, size_t label_count, int64_t step_ms, size_t count,
                      size_t most_groups, flm_store_group each, void *context,
                      struct flm_error *why);
bool flm_ch_types(struct flm_store *store, const struct flm_store_query *query, flm_store_text each,
                  void *context, struct flm_error *why);
bool flm_ch_labels(struct flm_store *store, const struct flm_store_query *query,
                   struct flm_bytes key, flm_store_text each, void *context, struct flm_error *why);
bool flm_ch_series(struct flm_store *store, const struct flm_store_query *query,
                   flm_store_text each, void *context, struct flm_error *why);
bool flm_ch_typed_series(struct flm_store *store, const struct flm_store_query *query,
                         flm_store_typed each, void *context, struct flm_error *why);
bool flm_ch_save_view(struct flm_store *store, const char *tenant, const char *name,
                      const struct flm_name *text, struct flm_error *why);
bool flm_ch_views(struct flm_store *store, const char *tenant, flm_store_view each, void *context,
                  struct flm_error *why);
bool flm_ch_retain(struct flm_store *store, int64_t before_ms, uint64_t *removed,
                   struct flm_error *why);
struct flm_store_stats flm_ch_stats(struct flm_store *store);
bool flm_ch_check(struct flm_store *store, struct flm_error *why);

#endif
