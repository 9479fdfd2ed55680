/* query.c - the sum of what a query wants: by the server for each stack, then as a profile. */
#include <stdlib.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "store/clickhouse/fetch.h"
#include "store/clickhouse/selection.h"
#include "store/clickhouse/sql.h"
#include "store/core/metric_order.h"

static const size_t MOST_KNOWN = (size_t)512 << 20;

/* A value of a stack, as the server summed it. */
struct sum {
    struct flm_stack_id id;
    uint32_t type; /* string of `types` */
    uint32_t node; /* of what is known */
    double value;
};

struct merging {
    struct flm_clickhouse *store;
    const struct flm_wanted *query;
    struct flm_selection selection;
    struct flm_interner types;
    struct FLM_ARRAY(struct sum) sums;
    struct FLM_ARRAY(struct flm_stack_id) missing;
    uint64_t lost; /* stacks whose frames are nowhere */
};

/* ---- Sums ------------------------------------------------------------------------------------ */

static void put_statement(const struct merging *m, size_t part, struct flm_text *sql)
{
    struct flm_hours hours = flm_hours_of(m->query);
    const char *database = m->store->client.location.database;
    static const char one_stack[] = " AND stack != toFixedString('', 16)";
    const char *join = "";
    flm_text_puts(sql, "SELECT type, stack, sum(v) AS s FROM (");
    if (hours.from < hours.until) {
        flm_text_format(sql, "SELECT type, stack, sum(total) AS v FROM %s.runs", database);
        flm_selection_where(m->query, &m->selection, part, sql);
        flm_text_format(sql, " AND hour >= toDateTime(%llu) AND hour < toDateTime(%llu)",
                        (unsigned long long)hours.from * 3600,
                        (unsigned long long)hours.until * 3600);
        flm_text_format(sql, "%s GROUP BY type, stack", one_stack);
        join = " UNION ALL ";
    }
    for (size_t i = 0; i < hours.part_count; i++, join = " UNION ALL ") {
        const struct flm_part_hour *p = &hours.parts[i];
        flm_text_format(
            sql,
            "%sSELECT type, stack, sum(arraySum((v, m) -> if(m >= %u AND m < %u, v, 0), "
            "pointsMap.value, pointsMap.ms)) AS v FROM %s.runs",
            join, p->from_ms, p->until_ms, database);
        flm_selection_where(m->query, &m->selection, part, sql);
        flm_text_format(sql, " AND hour = toDateTime(%llu)%s GROUP BY type, stack",
                        (unsigned long long)p->hour * 3600, one_stack);
    }
    flm_text_puts(sql, ") GROUP BY type, stack HAVING s != 0 "
                       "FORMAT RowBinary");
}

static bool read_sums(struct merging *m, struct flm_bytes rows, struct flm_error *why)
{
    struct flm_row_reader r = {.bytes = rows};
    while (flm_read_more(&r)) {
        struct sum sum = {.type = flm_interner_string(&m->types, flm_read_string(&r))};
        sum.id.low = flm_read_fixed(&r, 8);
        sum.id.high = flm_read_fixed(&r, 8);
        sum.value = flm_read_double(&r);
        if (!r.failed && (sum.type == FLM_NONE || !FLM_ARRAY_ADD(&m->sums, sum)))
            return flm_error_memory(why);
    }
    return !r.failed || flm_error_set(why, FLM_ERROR_SYSTEM, "ClickHouse at %s: a response is cut",
                                      m->store->client.location.host);
}

static bool sum_up(struct merging *m, struct flm_error *why)
{
    struct flm_hours hours = flm_hours_of(m->query);
    size_t parts = flm_selection_parts(&m->selection);
    bool good = true;
    if (hours.from >= hours.until && hours.part_count == 0)
        return true;
    for (size_t part = 0; good && part < parts; part++) {
        struct flm_text sql = {0}, response = {0};
        put_statement(m, part, &sql);
        good = flm_ch_query(m->store, &sql, &response, why) &&
               read_sums(m, (struct flm_bytes){response.at, response.size}, why);
        flm_text_clear(&sql);
        flm_text_clear(&response);
    }
    return good;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Holds `known_lock`. */
static bool list_missing(struct merging *m)
{
    m->missing.count = 0;
    for (size_t i = 0; i < m->sums.count; i++)
        if (!flm_stack_is_empty(m->sums.at[i].id) &&
            flm_known_find(&m->store->known, m->query->tenant, m->sums.at[i].id) == FLM_NONE &&
            !FLM_ARRAY_ADD(&m->missing, m->sums.at[i].id))
            return false;
    return true;
}

/* ---- The profile ----------------------------------------------------------------------------- */

/* Finds the node of each sum. Holds `known_lock`, until the nodes have been used. */
static bool find_nodes(struct merging *m)
{
    struct flm_known *known = &m->store->known;
    struct flm_bytes tenant = m->query->tenant;
    for (size_t i = 0; i < m->sums.count; i++) {
        struct sum *sum = &m->sums.at[i];
        sum->node = flm_stack_is_empty(sum->id) ? 0 : flm_known_find(known, tenant, sum->id);
        if (sum->node != FLM_NONE)
            continue;
        m->lost++;
        if (!flm_known_missing(known, &sum->node))
            return false;
    }
    return true;
}

/* Of one type, over the nodes that are known. */
static struct flm_profile *profile_of(const struct merging *m, uint32_t type, struct flm_error *why)
{
    struct flm_known *known = &m->store->known;
    struct flm_head_value *values = malloc((m->sums.count + 1) * sizeof *values);
    size_t count = 0;
    if (!values) {
        flm_error_memory(why);
        return NULL;
    }
    for (size_t i = 0; i < m->sums.count; i++)
        if (m->sums.at[i].type == type)
            values[count++] = (struct flm_head_value){m->sums.at[i].node, m->sums.at[i].value};
    struct flm_profile *p = flm_head_tree_sum(&known->tree, &known->head, values, count,
                                              flm_interner_text(&m->types, type), why);
    free(values);
    return p;
}

static struct flm_profile *losses(const struct merging *m, struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (builder && m->lost > 0)
        flm_builder_lost(builder, "stacks whose frames the store does not have", "", 0,
                         (double)m->lost);
    return builder ? flm_builder_finish(builder, why) : NULL;
}

static struct flm_profile *align(struct merging *m, struct flm_error *why)
{
    uint32_t types = m->types.string_count > 0 ? (uint32_t)m->types.string_count : 1;
    const struct flm_profile **parts = calloc(types + 1, sizeof *parts);
    size_t count = 0;
    bool good = (parts && find_nodes(m)) || flm_error_memory(why);
    for (uint32_t type = 1; good && type < types; type++)
        if ((parts[count] = profile_of(m, type, why)))
            count++;
        else
            good = false;
    if (good && (count == 0 || m->lost > 0)) {
        parts[count] = losses(m, why);
        good = parts[count++] != NULL;
    }
    struct flm_profile *sum = NULL;
    if (good && count == 1)
        sum = (struct flm_profile *)(uintptr_t)parts[--count];
    else if (good)
        sum = flm_align(parts, count, FLM_ALIGN_ADD, NULL, why);
    for (size_t i = 0; parts && i < count; i++)
        flm_profile_free((struct flm_profile *)(uintptr_t)parts[i]);
    free(parts);
    return sum;
}

/* Fetches the frames that are not known, and makes a profile. */
static struct flm_profile *finish(struct merging *m, struct flm_error *why)
{
    struct flm_clickhouse *store = m->store;
    pthread_mutex_lock(&store->known_lock);
    struct flm_known empty;
    bool good = true;
    if (flm_known_size(&store->known) > MOST_KNOWN && (good = flm_known_init(&empty, why))) {
        flm_known_clear(&store->known);
        store->known = empty;
    }
    good = good && (list_missing(m) || flm_error_memory(why));
    pthread_mutex_unlock(&store->known_lock);
    good = good && flm_ch_fetch(store, m->query->tenant, m->missing.at, m->missing.count,
                                &store->known, &store->known_lock, why);
    pthread_mutex_lock(&store->known_lock);
    struct flm_profile *p = good ? align(m, why) : NULL;
    pthread_mutex_unlock(&store->known_lock);
    return p;
}

struct flm_profile *flm_ch_merge(struct flm_store *base, const struct flm_store_query *query,
                                 struct flm_error *why)
{
    struct flm_wanted q;
    if (!flm_wanted_begin(&q, query, why))
        return NULL;
    struct merging m = {.store = flm_clickhouse_of(base), .query = &q};
    bool good = flm_selection_make(m.store, &q, false, &m.selection, why) &&
                flm_interner_init(&m.types, why) && sum_up(&m, why);
    struct flm_profile *p = good ? finish(&m, why) : NULL;
    flm_selection_clear(&m.selection);
    flm_interner_clear(&m.types);
    FLM_ARRAY_CLEAR(&m.sums);
    FLM_ARRAY_CLEAR(&m.missing);
    flm_wanted_end(&q);
    return flm_metrics_in_order(p, why);
}
