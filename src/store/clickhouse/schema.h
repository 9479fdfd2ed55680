/* schema.h - the tables of a ClickHouse store, in the dialect of a server.
 *
 *     runs     tenant, service, type, hour, stack, series -> total, points (offset in ms, value)
 *     stacks   tenant, id -> frames, from the root; each again on every day that it is seen
 *     series   tenant, key, value, text of the series: a row for each label; likewise
 *     views    tenant, name -> text, version
 *
 * A *run* has the values of one stack in one series and hour. Inserts bring a few points of each;
 * the server adds up rows of one key when it merges parts (SummingMergeTree, which also merges
 * columns called ...Map by their first one), so an hour that is over has one row for each run, and
 * whole hours are read from `total` alone. What is not merged yet adds up all the same: every query
 * sums.
 *
 * Rows of the table `runs` that are no run:
 *
 *     stack of 16 zeros         all stacks of a series together: for timelines, types, series
 *     service '', type ''       marks: that a block, or a batch with an id, is in. They are in the
 *                               same part as the rows that they speak of, or neither is (append.h)
 *
 * Everything is partitioned by day, so that retention drops partitions. On a cluster the tables are
 * replicated, and called ..._shard; a Distributed table over them has the name. `slot` says which
 * shard a row goes to: for runs and series a hash of tenant and service, for stacks one of the
 * stack. */
#ifndef FLAMEL_STORE_CLICKHOUSE_SCHEMA_H
#define FLAMEL_STORE_CLICKHOUSE_SCHEMA_H

#include "store/clickhouse/client.h"

/* What a server can do. */
struct flm_clickhouse_dialect {
    unsigned major, minor;
    bool has_codecs;          /* CODEC(...), from 19.1 */
    bool has_low_cardinality; /* without a setting, from 19.3 */
    bool has_fsync;           /* fsync_after_insert, from 20.11 */
    bool has_all_replicas;    /* clusterAllReplicas(...), from 20.1 */
};

/* Of "18.16.1" or "26.5.3.1". */
struct flm_clickhouse_dialect flm_clickhouse_dialect_of(struct flm_bytes version);

/* Appends statements that make the database and the tables where there are none, each with a NUL
 * behind it. */
void flm_clickhouse_schema(const struct flm_clickhouse_dialect *dialect,
                           const struct flm_clickhouse_location *location,
                           struct flm_text *statements);

/* The name of a table whose partitions are dropped: `runs`, or `runs_shard`. */
const char *flm_clickhouse_local(const struct flm_clickhouse_location *location);

/* " ON CLUSTER name", or nothing. */
void flm_clickhouse_on_cluster(const struct flm_clickhouse_location *location,
                               struct flm_text *sql);

#endif
