/* batches.c - what is in the tables, as batches again, by hours: for a copy to another store. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "store/clickhouse/fetch.h"
#include "store/clickhouse/sql.h"
#include "store/core/group_batches.h"

/* The rows of one service and type in one hour. */
struct group {
    uint32_t tenant, service, type; /* strings of `texts` */
    uint32_t hour_s;                /* since 1970 */
};

struct numbered {
    uint64_t number; /* of the server */
    uint32_t index;  /* of `series` */
};

struct reading {
    struct flm_clickhouse *store;
    struct flm_interner texts;
    struct FLM_ARRAY(struct group) groups;
    struct flm_known known;

    /* Of the group that is read: */
    struct FLM_ARRAY(struct numbered) numbers; /* ascending */
    struct FLM_ARRAY(struct flm_bytes) series; /* of `response` */
    struct flm_text response;
    struct FLM_ARRAY(struct flm_stack_id) ids; /* by row: of its stack */
    struct flm_store_rows rows;
};

static bool cut(const struct reading *r, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "ClickHouse at %s: a response is cut",
                         r->store->client.location.host);
}

static struct flm_bytes text(const struct reading *r, uint32_t string)
{
    return flm_interner_text(&r->texts, string);
}

/* " WHERE tenant = ... AND service = ..." of a group. */
static void put_where(const struct reading *r, const struct group *group, struct flm_text *sql)
{
    flm_text_puts(sql, " WHERE tenant = ");
    flm_sql_string(sql, text(r, group->tenant));
    flm_text_puts(sql, " AND service = ");
    flm_sql_string(sql, text(r, group->service));
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static uint32_t hour_of(int64_t ms)
{
    const int64_t last_s = UINT32_MAX - UINT32_MAX % 3600;
    int64_t s = ms < 0 ? 0 : ms / FLM_CH_HOUR_MS * 3600;
    return (uint32_t)(s > last_s ? last_s : s);
}

/* Of the hours that have a part in [from, until). */
static bool list_groups(struct reading *r, int64_t from_ms, int64_t until_ms, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT DISTINCT tenant, service, type, toUInt32(hour) AS s FROM %s.runs WHERE "
                    "type != '' AND hour >= toDateTime(%u) AND hour <= toDateTime(%u) ORDER BY s, "
                    "tenant, service, type FORMAT RowBinary",
                    r->store->client.location.database, hour_of(from_ms), hour_of(until_ms - 1));
    bool good = flm_ch_query(r->store, &sql, &response, why);
    struct flm_row_reader rows = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&rows)) {
        struct group group = {.tenant = flm_interner_string(&r->texts, flm_read_string(&rows)),
                              .service = flm_interner_string(&r->texts, flm_read_string(&rows)),
                              .type = flm_interner_string(&r->texts, flm_read_string(&rows))};
        group.hour_s = (uint32_t)flm_read_fixed(&rows, 4);
        if (rows.failed)
            good = cut(r, why);
        else if (group.tenant == FLM_NONE || group.service == FLM_NONE || group.type == FLM_NONE ||
                 !FLM_ARRAY_ADD(&r->groups, group))
            good = flm_error_memory(why);
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

/* ---- Series ---------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The series of the group's service: rows have checksums of their texts. */
static bool list_series(struct reading *r, const struct group *group, struct flm_error *why)
{
    struct flm_text sql = {0};
    r->response.size = r->series.count = r->numbers.count = 0;
    flm_text_format(&sql, "SELECT DISTINCT text FROM %s.series WHERE tenant = ",
                    r->store->client.location.database);
    flm_sql_string(&sql, text(r, group->tenant));
    flm_text_puts(&sql, " AND key = '" FLM_STORE_SERVICE "' AND value = ");
    flm_sql_string(&sql, text(r, group->service));
    flm_text_puts(&sql, " FORMAT RowBinary");
    bool good = flm_ch_query(r->store, &sql, &r->response, why);
    struct flm_row_reader rows = {.bytes = {r->response.at, r->response.size}};
    while (good && flm_read_more(&rows)) {
        struct flm_bytes series = flm_read_string(&rows);
        const struct numbered n = {flm_checksum(series.at, series.size), (uint32_t)r->series.count};
        if (rows.failed)
            good = cut(r, why);
        else if (!FLM_ARRAY_ADD(&r->series, series) || !FLM_ARRAY_ADD(&r->numbers, n))
            good = flm_error_memory(why);
    }
    if (r->numbers.count > 0)
        qsort(r->numbers.at, r->numbers.count, sizeof *r->numbers.at, by_number);
    flm_text_clear(&sql);
    return good;
}

static bool find_series(const struct reading *r, uint64_t number, uint32_t *index)
{
    const struct numbered wanted = {.number = number};
    const struct numbered *found =
        r->numbers.count == 0
            ? NULL
            : bsearch(&wanted, r->numbers.at, r->numbers.count, sizeof *r->numbers.at, by_number);
    *index = found ? found->index : 0;
    return found != NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Times of the points are of the hour. */
static bool read_run(struct reading *r, struct flm_row_reader *rows, struct flm_error *why)
{
    struct flm_store_row row = {.node = 0};
    struct flm_stack_id id = {.low = flm_read_fixed(rows, 8)};
    id.high = flm_read_fixed(rows, 8);
    uint64_t number = flm_read_fixed(rows, 8), count = flm_read_varint(rows);
    size_t begin = r->rows.count;
    if (rows->failed || count > rows->bytes.size - rows->at)
        return cut(r, why);
    if (!find_series(r, number, &row.series))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "ClickHouse at %s: the labels of series %llu are not in %s.series",
                             r->store->client.location.host, (unsigned long long)number,
                             r->store->client.location.database);
    for (uint64_t i = 0; i < count; i++) {
        row.time_ms = (int64_t)flm_read_fixed(rows, 4);
        if (!FLM_ARRAY_ADD(&r->rows, row) || !FLM_ARRAY_ADD(&r->ids, id))
            return flm_error_memory(why);
    }
    if (flm_read_varint(rows) != count)
        return cut(r, why);
    for (uint64_t i = 0; i < count; i++)
        r->rows.at[begin + i].value = flm_read_double(rows);
    return !rows->failed || cut(r, why);
}

static bool read_rows(struct reading *r, const struct group *group, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    r->rows.count = r->ids.count = 0;
    flm_text_format(&sql, "SELECT stack, series, pointsMap.ms, pointsMap.value FROM %s.runs",
                    r->store->client.location.database);
    put_where(r, group, &sql);
    flm_text_puts(&sql, " AND type = ");
    flm_sql_string(&sql, text(r, group->type));
    flm_text_format(&sql,
                    " AND hour = toDateTime(%u) AND stack != toFixedString('', 16) FORMAT "
                    "RowBinary",
                    group->hour_s);
    bool good = flm_ch_query(r->store, &sql, &response, why);
    struct flm_row_reader rows = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&rows))
        good = read_run(r, &rows, why);
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct flm_stack_id *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

/* Those that no group before this one had, each once. */
static bool fetch_missing(struct reading *r, struct flm_bytes tenant, struct flm_error *why)
{
    struct FLM_ARRAY(struct flm_stack_id) missing = {0};
    bool good = true;
    for (size_t i = 0; good && i < r->ids.count; i++)
        if (!flm_stack_is_empty(r->ids.at[i]) &&
            flm_known_find(&r->known, tenant, r->ids.at[i]) == FLM_NONE)
            good = FLM_ARRAY_ADD(&missing, r->ids.at[i]) || flm_error_memory(why);
    size_t kept = 0;
    if (missing.count > 0)
        qsort(missing.at, missing.count, sizeof *missing.at, by_id);
    for (size_t i = 0; i < missing.count; i++)
        if (i == 0 || !flm_stack_id_equal(missing.at[i], missing.at[kept - 1]))
            missing.at[kept++] = missing.at[i];
    good = good && flm_ch_fetch(r->store, tenant, missing.at, kept, &r->known, NULL, why);
    FLM_ARRAY_CLEAR(&missing);
    return good;
}

static bool find_nodes(struct reading *r, struct flm_bytes tenant, struct flm_error *why)
{
    if (!fetch_missing(r, tenant, why))
        return false;
    for (size_t i = 0; i < r->rows.count; i++) {
        uint32_t *node = &r->rows.at[i].node;
        *node =
            flm_stack_is_empty(r->ids.at[i]) ? 0 : flm_known_find(&r->known, tenant, r->ids.at[i]);
        if (*node == FLM_NONE && !flm_known_missing(&r->known, node))
            return flm_error_memory(why);
    }
    return true;
}

static bool begin_anew(struct flm_known *known, struct flm_error *why)
{
    static const size_t most = (size_t)256 << 20;
    struct flm_known empty;
    if (flm_known_size(known) <= most)
        return true;
    if (!flm_known_init(&empty, why))
        return false;
    flm_known_clear(known);
    *known = empty;
    return true;
}

bool flm_ch_batches(struct flm_store *base, int64_t from_ms, int64_t until_ms,
                    const struct flm_batch_taker *taker, struct flm_error *why)
{
    struct reading r = {.store = flm_clickhouse_of(base)};
    if (from_ms >= until_ms)
        return true;
    bool good = flm_interner_init(&r.texts, why) && flm_known_init(&r.known, why) &&
                list_groups(&r, from_ms, until_ms, why);
    for (size_t i = 0; good && i < r.groups.count; i++) {
        const struct group *group = &r.groups.at[i];
        good = begin_anew(&r.known, why) && list_series(&r, group, why) &&
               read_rows(&r, group, why) && find_nodes(&r, text(&r, group->tenant), why);
        const struct flm_group_of_rows rows = {.head = &r.known.head,
                                               .type = text(&r, group->type),
                                               .series = r.series.at,
                                               .begin_ms = (int64_t)group->hour_s * 1000,
                                               .from_ms = from_ms,
                                               .until_ms = until_ms};
        good = good && flm_group_batches(&rows, &r.rows, taker, why);
    }
    flm_interner_clear(&r.texts);
    flm_known_clear(&r.known);
    flm_text_clear(&r.response);
    FLM_ARRAY_CLEAR(&r.groups);
    FLM_ARRAY_CLEAR(&r.numbers);
    FLM_ARRAY_CLEAR(&r.series);
    FLM_ARRAY_CLEAR(&r.ids);
    FLM_ARRAY_CLEAR(&r.rows);
    return good;
}
