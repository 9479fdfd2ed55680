#include "store/clickhouse/selection.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/sort.h"
#include "store/clickhouse/sql.h"

enum { SERIES_IN_PART = 5000 };

/* ---- Series ---------------------------------------------------------------------------------- */

bool flm_ch_each_series(struct flm_clickhouse *store, const struct flm_wanted *q,
                        bool (*each)(void *context, struct flm_bytes series), void *context,
                        struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    struct flm_store_label label;
    bool narrow = flm_selector_equal(q->selector, &label);
    flm_text_format(&sql, "SELECT DISTINCT text FROM %s.series WHERE tenant = ",
                    store->client.location.database);
    flm_sql_string(&sql, q->tenant);
    flm_text_puts(&sql, " AND key = ");
    /* Every series has a service. */
    flm_sql_string(&sql, narrow ? label.key : flm_bytes_of(FLM_STORE_SERVICE));
    if (narrow) {
        flm_text_puts(&sql, " AND value = ");
        flm_sql_string(&sql, label.value);
    }
    flm_text_puts(&sql, " FORMAT RowBinary");
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&r)) {
        struct flm_bytes text = flm_read_string(&r);
        if (!r.failed && flm_wanted_series(q, text) && !each(context, text))
            break;
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

struct listing {
    struct flm_selection *selection;
    bool failed;
};

static bool list_series(void *context, struct flm_bytes text)
{
    struct listing *l = context;
    struct flm_selected selected = {.number = flm_checksum(text.at, text.size),
                                    .text = flm_interner_string(&l->selection->texts, text)};
    l->failed = selected.text == FLM_NONE || !FLM_ARRAY_ADD(&l->selection->series, selected);
    return !l->failed;
}

static int by_text(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_selection *s = context;
    return flm_bytes_compare(flm_interner_text(&s->texts, s->series.at[a].text),
                             flm_interner_text(&s->texts, s->series.at[b].text));
}

/* By text, so by service. */
static bool order_series(struct flm_selection *s)
{
    size_t count = s->series.count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    struct flm_selected *sorted = malloc((count + 1) * sizeof *sorted);
    bool good = order && sorted;
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good)
        flm_sort(order, count, order + count, by_text, s);
    for (size_t i = 0; good && i < count; i++) {
        sorted[i] = s->series.at[order[i]];
        good = flm_index_add(&s->index, (uint32_t)sorted[i].number, (uint32_t)i);
    }
    if (good && count > 0)
        memcpy(s->series.at, sorted, count * sizeof *sorted);
    free(order);
    free(sorted);
    return good;
}

bool flm_selection_make(struct flm_clickhouse *store, const struct flm_wanted *q, bool list,
                        struct flm_selection *selection, struct flm_error *why)
{
    *selection = (struct flm_selection){.is_all = flm_selector_is_empty(q->selector)};
    if (!flm_interner_init(&selection->texts, why))
        return false;
    if (selection->is_all && !list)
        return true;
    struct listing l = {.selection = selection};
    if (!flm_ch_each_series(store, q, list_series, &l, why))
        return false;
    return (!l.failed && order_series(selection)) || flm_error_memory(why);
}

void flm_selection_clear(struct flm_selection *selection)
{
    flm_interner_clear(&selection->texts);
    FLM_ARRAY_CLEAR(&selection->series);
    flm_index_clear(&selection->index);
}

struct flm_bytes flm_selection_text(const struct flm_selection *s, uint64_t number)
{
    struct flm_probe at = flm_index_probe(&s->index, (uint32_t)number);
    while (flm_index_next(&s->index, &at))
        if (s->series.at[at.found].number == number)
            return flm_interner_text(&s->texts, s->series.at[at.found].text);
    return (struct flm_bytes){NULL, 0};
}

/* ---- Conditions ------------------------------------------------------------------------------ */

size_t flm_selection_parts(const struct flm_selection *s)
{
    return s->is_all ? 1 : (s->series.count + SERIES_IN_PART - 1) / SERIES_IN_PART;
}

static struct flm_bytes service_of(const struct flm_selection *s, size_t i)
{
    size_t at = 0;
    struct flm_store_label service;
    flm_series_next(flm_interner_text(&s->texts, s->series.at[i].text), &at, &service);
    return service.value;
}

static void put_series(const struct flm_selection *s, size_t part, struct flm_text *sql)
{
    size_t from = part * SERIES_IN_PART, until = from + SERIES_IN_PART;
    until = until < s->series.count ? until : s->series.count;
    flm_text_puts(sql, " AND service IN (");
    for (size_t i = from; i < until; i++)
        if (i == from || !flm_bytes_equal(service_of(s, i), service_of(s, i - 1))) {
            flm_text_puts(sql, i > from ? ", " : "");
            flm_sql_string(sql, service_of(s, i));
        }
    flm_text_puts(sql, ") AND series IN (");
    for (size_t i = from; i < until; i++)
        flm_text_format(sql, "%s%llu", i > from ? ", " : "",
                        (unsigned long long)s->series.at[i].number);
    flm_text_putc(sql, ')');
}

void flm_selection_where(const struct flm_wanted *q, const struct flm_selection *s, size_t part,
                         struct flm_text *sql)
{
    flm_text_puts(sql, " WHERE tenant = ");
    flm_sql_string(sql, q->tenant);
    if (!s->is_all)
        put_series(s, part, sql);
    if (q->type.at) {
        struct flm_text first = {0}, behind = {0};
        flm_text_add(&first, q->type);
        flm_text_putc(&first, ':');
        flm_text_add(&behind, q->type);
        flm_text_putc(&behind, ':' + 1);
        flm_text_puts(sql, " AND (type = ");
        flm_sql_string(sql, q->type);
        flm_text_puts(sql, " OR (type >= ");
        flm_sql_string(sql, (struct flm_bytes){first.at, first.size});
        flm_text_puts(sql, " AND type < ");
        flm_sql_string(sql, (struct flm_bytes){behind.at, behind.size});
        flm_text_puts(sql, "))");
        sql->failed |= first.failed || behind.failed;
        flm_text_clear(&first);
        flm_text_clear(&behind);
    } else {
        flm_text_puts(sql, " AND type != ''");
    }
}

struct flm_hours flm_hours_of(const struct flm_wanted *q)
{
    const int64_t last_hour = UINT32_MAX / 3600;
    struct flm_hours hours = {0};
    int64_t from = q->own.from_ms < 0 ? 0 : q->own.from_ms, until = q->own.until_ms;
    until = until > last_hour * FLM_CH_HOUR_MS ? last_hour * FLM_CH_HOUR_MS : until;
    if (from >= until)
        return hours;
    int64_t first = from / FLM_CH_HOUR_MS, last = until / FLM_CH_HOUR_MS;
    uint32_t begin = (uint32_t)(from % FLM_CH_HOUR_MS), end = (uint32_t)(until % FLM_CH_HOUR_MS);
    hours.from = (uint64_t)first + (begin > 0);
    hours.until = (uint64_t)last;
    if (begin > 0)
        hours.parts[hours.part_count++] = (struct flm_part_hour){
            (uint64_t)first, begin, first == last ? end : (uint32_t)FLM_CH_HOUR_MS};
    if (end > 0 && (first != last || begin == 0))
        hours.parts[hours.part_count++] = (struct flm_part_hour){(uint64_t)last, 0, end};
    return hours;
}
