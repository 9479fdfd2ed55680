/* maintain.c - views, what is removed, counted and checked. */
#include <stdio.h>

#include "os/clock.h"
#include "store/clickhouse/append.h"
#include "store/clickhouse/sql.h"
#include "store/core/ordered_texts.h"

/* ---- Views ----------------------------------------------------------------------------------- */

/* The last version counts; an empty text says that the view was removed. */
bool flm_ch_save_view(struct flm_store *base, const char *tenant, const char *name,
                      const struct flm_name *text, struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_text row = {0};
    char sql[200];
    snprintf(sql, sizeof sql,
             "INSERT INTO %s.views (tenant, name, text, version, slot) FORMAT "
             "RowBinary",
             store->client.location.database);
    flm_row_string(&row, flm_bytes_of(tenant ? tenant : ""));
    flm_row_string(&row, flm_bytes_of(name));
    flm_row_string(&row,
                   text ? (struct flm_bytes){text->at, text->size} : (struct flm_bytes){"", 0});
    flm_row_fixed(&row, (uint64_t)flm_clock_ns(CLOCK_REALTIME), 8);
    flm_row_fixed(&row, 0, 1);
    bool good = !row.failed || flm_error_memory(why);
    good = good && flm_clickhouse_insert(&store->client, sql, (struct flm_bytes){row.at, row.size},
                                         "", why) == FLM_CH_DONE;
    flm_text_clear(&row);
    return good;
}

bool flm_ch_views(struct flm_store *base, const char *tenant, flm_store_view each, void *context,
                  struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT name, argMax(text, version) AS last FROM %s.views WHERE tenant = ",
                    store->client.location.database);
    flm_sql_string(&sql, flm_bytes_of(tenant ? tenant : ""));
    flm_text_puts(&sql, " GROUP BY name HAVING last != '' ORDER BY name FORMAT RowBinary");
    bool good = flm_ch_query(store, &sql, &response, why), goes_on = good;
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (goes_on && flm_read_more(&r)) {
        struct flm_bytes name = flm_read_string(&r), text = flm_read_string(&r);
        goes_on = !r.failed && each(context, (struct flm_name){name.at, name.size},
                                    (struct flm_name){text.at, text.size});
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

/* ---- Retention ------------------------------------------------------------------------------- */

static void put_local(const struct flm_clickhouse *store, const char *table, struct flm_text *sql)
{
    flm_text_format(sql, "%s.%s%s", store->client.location.database, table,
                    flm_clickhouse_local(&store->client.location));
    flm_clickhouse_on_cluster(&store->client.location, sql);
}

static bool drop(struct flm_clickhouse *store, const char *table, struct flm_bytes day,
                 struct flm_error *why)
{
    struct flm_text sql = {0};
    flm_text_puts(&sql, "ALTER TABLE ");
    put_local(store, table, &sql);
    flm_text_puts(&sql, " DROP PARTITION ");
    flm_sql_string(&sql, day);
    bool good = flm_ch_query(store, &sql, NULL, why);
    flm_text_clear(&sql);
    return good;
}

/* Drops the partitions of a table that are of days before one; *removed receives the parts in
 * them. */
static bool retain(struct flm_clickhouse *store, const char *table, const char *day,
                   uint64_t before_day, uint64_t *removed, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT toString(%s) AS d FROM %s.%s WHERE %s < toDate(%llu) GROUP BY d FORMAT "
                    "RowBinary",
                    day, store->client.location.database, table, day,
                    (unsigned long long)before_day);
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&r)) {
        struct flm_bytes partition = flm_read_string(&r);
        good = !r.failed && drop(store, table, partition, why);
        *removed += good;
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

/* Days that are over: a partition is one. */
bool flm_ch_retain(struct flm_store *base, int64_t before_ms, uint64_t *removed,
                   struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    int64_t day = before_ms <= 0 ? 0 : before_ms / FLM_CH_HOUR_MS / FLM_CH_DAY_HOURS;
    uint64_t others = 0;
    *removed = 0;
    if (day > UINT16_MAX)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "ClickHouse's days end in 2149, and this is after them");
    return retain(store, "runs", "toDate(hour)", (uint64_t)day, removed, why) &&
           retain(store, "stacks", "day", (uint64_t)day, &others, why) &&
           retain(store, "series", "day", (uint64_t)day, &others, why);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Of what the server knows of its parts, since this is asked often: times are those of days, and on
 * a cluster the parts those of the server that is asked. */
struct flm_store_stats flm_ch_stats(struct flm_store *base)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_store_stats stats = {0};
    struct flm_text sql = {0}, response = {0};
    const struct flm_clickhouse_location *at = &store->client.location;
    flm_text_format(&sql,
                    "SELECT toUInt64(count()), toUInt64(sum(rows)), toUInt64(sum(bytes_on_disk)), "
                    "toUInt64(toUInt16(toDate(min(partition)))), "
                    "toUInt64(toUInt16(toDate(max(partition)))) FROM (SELECT * FROM system.parts "
                    "WHERE active AND database = '%s' AND table = 'runs%s') HAVING count() > 0 "
                    "FORMAT RowBinary",
                    at->database, flm_clickhouse_local(at));
    if (flm_ch_query(store, &sql, &response, NULL) && response.size > 0) {
        const int64_t day_ms = (int64_t)FLM_CH_DAY_HOURS * FLM_CH_HOUR_MS;
        struct flm_row_reader r = {.bytes = {response.at, response.size}};
        stats.segments = flm_read_fixed(&r, 8);
        stats.rows = flm_read_fixed(&r, 8);
        stats.bytes = flm_read_fixed(&r, 8);
        stats.from_ms = (int64_t)flm_read_fixed(&r, 8) * day_ms;
        stats.until_ms = ((int64_t)flm_read_fixed(&r, 8) + 1) * day_ms;
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    pthread_mutex_lock(&store->lock);
    stats.repeated_batches = store->repeated;
    pthread_mutex_unlock(&store->lock);
    return stats;
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* Reads every column of every row: the server compares the checksums of what it reads. Then, that
 * the totals are those of the points, and that stacks have frames. */
bool flm_ch_check(struct flm_store *base, struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    const char *database = store->client.location.database;
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT toUInt64(countIf(abs(total - arraySum(pointsMap.value)) > 1e-6 * "
                    "abs(total))) FROM %s.runs WHERE type != '' FORMAT RowBinary",
                    database);
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    uint64_t wrong = good ? flm_read_fixed(&r, 8) : 0;
    if (good && wrong > 0)
        good =
            flm_error_set(why, FLM_ERROR_FORMAT,
                          "ClickHouse at %s: the total of %llu rows of %s.runs is not the sum of "
                          "their points",
                          store->client.location.host, (unsigned long long)wrong, database);
    sql.size = 0;
    flm_text_format(&sql,
                    "SELECT toUInt64(count()) FROM (SELECT DISTINCT tenant, stack FROM %s.runs "
                    "WHERE type != '' AND stack != toFixedString('', 16) AND stack != "
                    "toFixedString('\\x01', 16) AND (tenant, stack) %s (SELECT tenant, id FROM "
                    "%s.stacks)) FORMAT RowBinary",
                    database, store->client.location.cluster[0] ? "GLOBAL NOT IN" : "NOT IN",
                    database);
    good = good && flm_ch_query(store, &sql, &response, why);
    r = (struct flm_row_reader){.bytes = {response.at, response.size}};
    wrong = good ? flm_read_fixed(&r, 8) : 0;
    if (good && wrong > 0)
        good = flm_error_set(why, FLM_ERROR_FORMAT,
                             "ClickHouse at %s: %llu stacks of %s.runs have no frames in %s.stacks",
                             store->client.location.host, (unsigned long long)wrong, database,
                             database);
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}
