/* query_times.c - values over time: the server adds up each series in each step, of the rows that
 * have all stacks together; groups of series are made here. */
#include "store/clickhouse/selection.h"
#include "store/clickhouse/sql.h"
#include "store/core/groups.h"

/* Steps are whole milliseconds from the beginning of the range on; the last may be cut short by its
 * end. */
static void put_statement(const struct flm_clickhouse *store, const struct flm_wanted *q,
                          const struct flm_selection *selection, size_t part,
                          const struct flm_groups *groups, struct flm_text *sql)
{
    struct flm_hours hours = flm_hours_of(q);
    uint64_t from = hours.from, until = hours.until;
    for (size_t i = 0; i < hours.part_count; i++) {
        from = hours.parts[i].hour < from ? hours.parts[i].hour : from;
        until = hours.parts[i].hour >= until ? hours.parts[i].hour + 1 : until;
    }
    int64_t from_ms = groups->from_ms, until_ms = groups->until_ms;
    uint64_t range = (uint64_t)groups->count * (uint64_t)groups->step_ms;
    if ((uint64_t)(until_ms - from_ms) > range)
        until_ms = from_ms + (int64_t)range;
    flm_text_format(sql,
                    "SELECT %s, intDiv(at - toInt64(%lld), toInt64(%lld)) AS step, sum(value) "
                    "FROM (SELECT series, toInt64(toUInt32(hour)) * 1000 + ms AS at, value FROM "
                    "%s.runs ARRAY JOIN pointsMap.ms AS ms, pointsMap.value AS value",
                    groups->label_count > 0 ? "series" : "toUInt64(0) AS series",
                    (long long)from_ms, (long long)groups->step_ms,
                    store->client.location.database);
    flm_selection_where(q, selection, part, sql);
    flm_text_format(sql,
                    " AND stack = toFixedString('', 16) AND hour >= toDateTime(%llu) AND hour < "
                    "toDateTime(%llu)) WHERE at >= %lld AND at < %lld GROUP BY series, step FORMAT "
                    "RowBinary",
                    (unsigned long long)from * 3600, (unsigned long long)until * 3600,
                    (long long)from_ms, (long long)until_ms);
}

static bool read_steps(const struct flm_selection *selection, struct flm_groups *groups,
                       struct flm_bytes rows, struct flm_error *why)
{
    struct flm_row_reader r = {.bytes = rows};
    while (flm_read_more(&r)) {
        uint64_t number = flm_read_fixed(&r, 8);
        int64_t step = (int64_t)flm_read_fixed(&r, 8);
        double value = flm_read_double(&r);
        struct flm_bytes series = {"", 0};
        if (groups->label_count > 0)
            series = flm_selection_text(selection, number);
        if (r.failed || step < 0 || (size_t)step >= groups->count || !series.at)
            continue; /* a series that came while this was asked */
        uint32_t group = flm_groups_of(groups, series, why);
        if (group == FLM_NONE)
            return false;
        groups->sums.at[group * groups->count + (size_t)step] += value;
        groups->is_seen.at[group] = true;
    }
    return !r.failed || flm_error_set(why, FLM_ERROR_SYSTEM, "a response of ClickHouse is cut");
}

bool flm_ch_timelines(struct flm_store *base, const struct flm_store_query *query,
                      const char *const *labels, size_t label_count, int64_t step_ms, size_t count,
                      size_t most_groups, flm_store_group each, void *context,
                      struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_wanted q;
    struct flm_selection selection = {.is_all = false};
    struct flm_groups groups = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    const struct flm_groups made = {.from_ms = q.own.from_ms,
                                    .until_ms = q.own.until_ms,
                                    .step_ms = step_ms,
                                    .count = count,
                                    .labels = labels,
                                    .label_count = label_count,
                                    .most_groups = most_groups};
    struct flm_hours hours = flm_hours_of(&q);
    bool good = flm_groups_init(&groups, &made, why) &&
                flm_selection_make(store, &q, label_count > 0, &selection, why);
    bool is_empty = hours.from >= hours.until && hours.part_count == 0;
    size_t parts = good && !is_empty ? flm_selection_parts(&selection) : 0;
    for (size_t part = 0; good && part < parts; part++) {
        struct flm_text sql = {0}, response = {0};
        put_statement(store, &q, &selection, part, &groups, &sql);
        good = flm_ch_query(store, &sql, &response, why) &&
               read_steps(&selection, &groups, (struct flm_bytes){response.at, response.size}, why);
        flm_text_clear(&sql);
        flm_text_clear(&response);
    }
    good = good && flm_groups_hand_over(&groups, each, context, why);
    flm_groups_clear(&groups);
    flm_selection_clear(&selection);
    flm_wanted_end(&q);
    return good;
}
