#include "store/clickhouse/clickhouse.h"

#include <stdlib.h>

#include "store/clickhouse/internal.h"
#include "store/clickhouse/sql.h"

enum { MOST_SECONDS = 120, MOST_SHARDS = 256 };

/* A statement whose answer is one text. */
static bool ask(struct flm_clickhouse *store, const char *statement, struct flm_text *response,
                struct flm_error *why)
{
    struct flm_text sql = {0};
    flm_text_puts(&sql, statement);
    bool good = flm_ch_query(store, &sql, response, why);
    flm_text_clear(&sql);
    return good;
}

static bool find_dialect(struct flm_clickhouse *store, struct flm_error *why)
{
    struct flm_text version = {0};
    bool good = ask(store, "SELECT version()", &version, why);
    if (good)
        store->dialect = flm_clickhouse_dialect_of((struct flm_bytes){version.at, version.size});
    if (good && store->dialect.major < 18)
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "ClickHouse at %s is older than 18.16, or something else",
                             store->client.location.host);
    flm_text_clear(&version);
    return good;
}

static bool count_shards(struct flm_clickhouse *store, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    const char *cluster = store->client.location.cluster;
    store->shards = 1;
    if (!*cluster)
        return true;
    flm_text_format(&sql,
                    "SELECT toUInt64(sum(shard_weight)) FROM (SELECT DISTINCT shard_num, "
                    "shard_weight FROM system.clusters WHERE cluster = '%s') FORMAT RowBinary",
                    cluster);
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    uint64_t weight = good ? flm_read_fixed(&r, 8) : 0;
    if (good && (weight == 0 || weight > MOST_SHARDS))
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "ClickHouse at %s: the shards of the cluster %s weigh %llu, and 1 to "
                             "%d can be used%s",
                             store->client.location.host, cluster, (unsigned long long)weight,
                             MOST_SHARDS, weight ? "" : ": the server does not know the cluster");
    store->shards = (unsigned)weight;
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

/* A replica that was away, or is slow, lacks rows that others have: what has to be found is asked
 * of all of them. An old server reaches them by their addresses, as the user without password. */
static bool find_replicas(struct flm_clickhouse *store, struct flm_error *why)
{
    const struct flm_clickhouse_location *where = &store->client.location;
    struct flm_text *out = &store->runs_everywhere, sql = {0}, response = {0};
    bool good = true;
    if (where->cluster[0] && store->dialect.has_all_replicas) {
        flm_text_format(out, "clusterAllReplicas('%s', %s, runs_shard)", where->cluster,
                        where->database);
    } else if (where->cluster[0] && !strchr(where->url, '@')) {
        flm_text_format(&sql,
                        "SELECT arrayStringConcat(groupUniqArray(concat(host_name, ':', "
                        "toString(port))), ',') FROM system.clusters WHERE cluster = '%s' "
                        "FORMAT RowBinary",
                        where->cluster);
        good = flm_ch_query(store, &sql, &response, why);
        struct flm_row_reader r = {.bytes = {response.at, response.size}};
        flm_text_puts(out, "remote(");
        flm_sql_string(out, flm_read_string(&r));
        flm_text_format(out, ", %s, runs_shard)", where->database);
        good = good &&
               (!r.failed || flm_error_set(why, FLM_ERROR_SYSTEM,
                                           "ClickHouse at %s: a response is cut", where->host));
    } else {
        flm_text_format(out, "%s.runs", where->database);
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good && (!out->failed || flm_error_memory(why));
}

static bool has_tables(struct flm_clickhouse *store, bool *has, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT toUInt64(count()) FROM system.tables WHERE database = '%s' AND name IN "
                    "('runs', 'stacks', 'series', 'views') FORMAT RowBinary",
                    store->client.location.database);
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    *has = good && flm_read_fixed(&r, 8) == 4;
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

static bool make_tables(struct flm_clickhouse *store, struct flm_error *why)
{
    struct flm_text statements = {0};
    flm_clickhouse_schema(&store->dialect, &store->client.location, &statements);
    bool good = !statements.failed || flm_error_memory(why);
    for (size_t at = 0; good && at < statements.size; at += strlen(statements.at + at) + 1)
        good = ask(store, statements.at + at, NULL, why);
    flm_text_clear(&statements);
    return good;
}

static void close_store(struct flm_store *base)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    flm_outgoing_clear(&store->outgoing);
    flm_known_clear(&store->known);
    flm_text_clear(&store->runs_everywhere);
    pthread_mutex_destroy(&store->lock);
    pthread_mutex_destroy(&store->known_lock);
    pthread_cond_destroy(&store->changed);
    /* It has a password in it. */
    memset(&store->client.location, 0, sizeof store->client.location);
    free(store);
}

static struct flm_store *open_store(const char *text, const struct flm_store_options *options,
                                    struct flm_error *why)
{
    struct flm_clickhouse *store = calloc(1, sizeof *store);
    if (!store) {
        flm_error_memory(why);
        return NULL;
    }
    store->base.kind = &flm_store_clickhouse;
    store->client.most_s = MOST_SECONDS;
    store->last = &store->first;
    pthread_mutex_init(&store->lock, NULL);
    pthread_mutex_init(&store->known_lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    bool has = false;
    bool good = flm_clickhouse_locate(text, &store->client.location, why) &&
                flm_outgoing_init(&store->outgoing, why) && flm_known_init(&store->known, why) &&
                find_dialect(store, why) && count_shards(store, why) && find_replicas(store, why) &&
                has_tables(store, &has, why);
    if (good && !has && options->must_exist)
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "ClickHouse at %s: there is no store in %s",
                             store->client.location.host, store->client.location.database);
    if (good && (has || make_tables(store, why)))
        return &store->base;
    close_store(&store->base);
    return NULL;
}

/* What is appended is in when the call ends, and the server merges. */
static bool seal(struct flm_store *store, struct flm_error *why)
{
    (void)store, (void)why;
    return true;
}

static bool compact(struct flm_store *store, int64_t now_ms, uint64_t *merged,
                    struct flm_error *why)
{
    (void)store, (void)now_ms, (void)why;
    *merged = 0;
    return true;
}

static bool backup(struct flm_store *store, const char *folder, struct flm_error *why)
{
    (void)store, (void)folder;
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "a store in ClickHouse is backed up by ClickHouse: see BACKUP and ALTER "
                         "TABLE ... FREEZE in its manual");
}

const struct flm_store_kind flm_store_clickhouse = {
    .name = "clickhouse",
    .takes = flm_clickhouse_takes,
    .open = open_store,
    .close = close_store,
    .append = flm_ch_append,
    .batches = flm_ch_batches,
    .merge = flm_ch_merge,
    .timelines = flm_ch_timelines,
    .types = flm_ch_types,
    .labels = flm_ch_labels,
    .series = flm_ch_series,
    .typed_series = flm_ch_typed_series,
    .save_view = flm_ch_save_view,
    .views = flm_ch_views,
    .seal = seal,
    .compact = compact,
    .retain = flm_ch_retain,
    .stats = flm_ch_stats,
    .check = flm_ch_check,
    .backup = backup,
};
