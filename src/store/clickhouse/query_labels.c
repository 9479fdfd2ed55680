/* query_labels.c - which types, labels and series there are. */
#include "store/clickhouse/selection.h"
#include "store/clickhouse/sql.h"
#include "store/core/ordered_texts.h"

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Of all series of a tenant: the table has a row for each label. */
static bool ask_labels(struct flm_clickhouse *store, struct flm_bytes tenant, struct flm_bytes key,
                       struct flm_texts *texts, struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT DISTINCT %s FROM %s.series WHERE tenant = ", key.at ? "value" : "key",
                    store->client.location.database);
    flm_sql_string(&sql, tenant);
    if (key.at) {
        flm_text_puts(&sql, " AND key = ");
        flm_sql_string(&sql, key);
    }
    flm_text_puts(&sql, " FORMAT RowBinary");
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&r))
        flm_texts_add(texts, flm_read_string(&r));
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

struct keeping {
    struct flm_texts *texts;
    struct flm_bytes key;
    struct flm_text line;
};

static bool keep_labels(void *context, struct flm_bytes series)
{
    const struct keeping *k = context;
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(series, &at, &label);)
        if (!k->key.at)
            flm_texts_add(k->texts, label.key);
        else if (flm_bytes_equal(label.key, k->key))
            flm_texts_add(k->texts, label.value);
    return !k->texts->failed;
}

bool flm_ch_labels(struct flm_store *base, const struct flm_store_query *query,
                   struct flm_bytes key, flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct keeping k = {.texts = &t, .key = key};
    bool good = flm_texts_init(&t, why);
    if (flm_selector_is_empty(q.selector))
        good = good && ask_labels(store, q.tenant, key, &t, why);
    else
        good = good && flm_ch_each_series(store, &q, keep_labels, &k, why);
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

/* ---- Series ---------------------------------------------------------------------------------- */

static bool keep_series(void *context, struct flm_bytes series)
{
    struct keeping *k = context;
    k->line.size = 0;
    flm_series_line(series, &k->line);
    k->texts->failed |= k->line.failed;
    flm_texts_add(k->texts, (struct flm_bytes){k->line.at, k->line.size});
    return !k->texts->failed;
}

bool flm_ch_series(struct flm_store *base, const struct flm_store_query *query, flm_store_text each,
                   void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct keeping k = {.texts = &t};
    bool good = flm_texts_init(&t, why) &&
                flm_ch_each_series(flm_clickhouse_of(base), &q, keep_series, &k, why);
    flm_text_clear(&k.line);
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* Rows of all stacks together that have a point in the range of the query. */
static void put_types(const struct flm_clickhouse *store, const struct flm_wanted *q,
                      const struct flm_selection *selection, size_t part, const char *columns,
                      struct flm_text *sql)
{
    struct flm_hours hours = flm_hours_of(q);
    flm_text_format(sql, "SELECT DISTINCT %s FROM %s.runs", columns,
                    store->client.location.database);
    flm_selection_where(q, selection, part, sql);
    flm_text_format(sql,
                    " AND stack = toFixedString('', 16) AND ((hour >= toDateTime(%llu) AND hour < "
                    "toDateTime(%llu))",
                    (unsigned long long)hours.from * 3600,
                    (unsigned long long)(hours.until > hours.from ? hours.until : hours.from) *
                        3600);
    for (size_t i = 0; i < hours.part_count; i++)
        flm_text_format(sql,
                        " OR (hour = toDateTime(%llu) AND arrayExists(m -> m >= %u AND m < %u, "
                        "pointsMap.ms))",
                        (unsigned long long)hours.parts[i].hour * 3600, hours.parts[i].from_ms,
                        hours.parts[i].until_ms);
    flm_text_puts(sql, ") FORMAT RowBinary");
}

static bool read_types(struct flm_bytes rows, const struct flm_selection *selection, bool typed,
                       struct flm_texts *texts, struct flm_error *why)
{
    struct flm_row_reader r = {.bytes = rows};
    while (flm_read_more(&r)) {
        struct flm_bytes type = flm_read_string(&r), series = {NULL, 0};
        if (typed)
            series = flm_selection_text(selection, flm_read_fixed(&r, 8));
        if (typed && !r.failed && series.at)
            flm_texts_add_typed(texts, series, type);
        else if (!typed && !r.failed)
            flm_texts_add(texts, type);
    }
    return !r.failed || flm_error_set(why, FLM_ERROR_SYSTEM, "a response of ClickHouse is cut");
}

static bool types(struct flm_clickhouse *store, const struct flm_wanted *q, bool typed,
                  struct flm_texts *texts, struct flm_error *why)
{
    struct flm_selection selection;
    bool good = flm_selection_make(store, q, typed, &selection, why);
    size_t parts = good ? flm_selection_parts(&selection) : 0;
    for (size_t part = 0; good && part < parts; part++) {
        struct flm_text sql = {0}, response = {0};
        put_types(store, q, &selection, part, typed ? "type, series" : "type", &sql);
        good = flm_ch_query(store, &sql, &response, why) &&
               read_types((struct flm_bytes){response.at, response.size}, &selection, typed, texts,
                          why);
        flm_text_clear(&sql);
        flm_text_clear(&response);
    }
    flm_selection_clear(&selection);
    return good;
}

bool flm_ch_types(struct flm_store *base, const struct flm_store_query *query, flm_store_text each,
                  void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    bool good = flm_texts_init(&t, why) && types(flm_clickhouse_of(base), &q, false, &t, why);
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

bool flm_ch_typed_series(struct flm_store *base, const struct flm_store_query *query,
                         flm_store_typed each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    bool good = flm_texts_init(&t, why) && types(flm_clickhouse_of(base), &q, true, &t, why);
    flm_wanted_end(&q);
    return flm_texts_hand_typed(&t, good, each, context, why);
}
