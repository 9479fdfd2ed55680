/* catalog_series.c - the tables of series and their labels. */
#include "store/embedded/catalog_database.h"
#include "store/labels/series_labels.h"

static bool each_label(struct flm_catalog *c, enum flm_catalog_statement number,
                       struct flm_bytes text, int64_t series, struct flm_error *why)
{
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(text, &at, &label);) {
        sqlite3_stmt *s = flm_catalog_statement(c, number, why);
        if (!s)
            return false;
        flm_catalog_bind(c, s, 1, flm_series_tenant(text));
        flm_catalog_bind(c, s, 2, label.key);
        flm_catalog_bind(c, s, 3, label.value);
        c->sql.bind_int64(s, 4, series);
        if (!flm_catalog_run(c, s, why))
            return false;
    }
    return true;
}

bool flm_catalog_series_add(struct flm_catalog *c, struct flm_bytes text, int64_t time_ms,
                            struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_SERIES_FIND, why);
    if (!s)
        return false;
    flm_catalog_bind(c, s, 1, text);
    int status = c->sql.step(s);
    int64_t id = status == SQLITE_ROW ? c->sql.column_int64(s, 0) : 0;
    c->sql.reset(s);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return flm_catalog_failed(c, why);
    if (status == SQLITE_ROW) {
        if (!(s = flm_catalog_statement(c, FLM_SQL_SERIES_SEEN, why)))
            return false;
        c->sql.bind_int64(s, 1, id);
        c->sql.bind_int64(s, 2, time_ms);
        return flm_catalog_run(c, s, why);
    }
    if (!(s = flm_catalog_statement(c, FLM_SQL_SERIES_ADD, why)))
        return false;
    flm_catalog_bind(c, s, 1, text);
    c->sql.bind_int64(s, 2, time_ms);
    return flm_catalog_run(c, s, why) &&
           each_label(c, FLM_SQL_LABEL_ADD, text, c->sql.last_insert_rowid(c->database), why);
}

static bool each_text(struct flm_catalog *c, sqlite3_stmt *s, flm_text_each text, void *context,
                      struct flm_error *why)
{
    int status;
    bool goes_on = true;
    while ((status = c->sql.step(s)) == SQLITE_ROW && goes_on)
        goes_on = text(context, flm_catalog_column(c, s, 0));
    bool good = status == SQLITE_DONE || !goes_on || flm_catalog_failed(c, why);
    c->sql.reset(s);
    return good;
}

bool flm_catalog_labels(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        flm_text_each text, void *context, struct flm_error *why)
{
    sqlite3_stmt *s =
        flm_catalog_statement(c, key.at ? FLM_SQL_LABEL_VALUES : FLM_SQL_LABEL_KEYS, why);
    if (!s)
        return false;
    flm_catalog_bind(c, s, 1, tenant);
    if (key.at)
        flm_catalog_bind(c, s, 2, key);
    return each_text(c, s, text, context, why);
}

bool flm_catalog_values(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes first, flm_text_each value, void *context,
                        struct flm_error *why)
{
    struct flm_text at = {0};
    enum flm_catalog_statement which = FLM_SQL_LABEL_FROM;
    bool good = true, goes_on = true;
    flm_text_add(&at, first);
    while (good && goes_on) {
        sqlite3_stmt *s = flm_catalog_statement(c, which, why);
        good = s && (!at.failed || flm_error_memory(why));
        if (!good)
            break;
        flm_catalog_bind(c, s, 1, tenant);
        flm_catalog_bind(c, s, 2, key);
        flm_catalog_bind(c, s, 3, (struct flm_bytes){at.at, at.size});
        int status = c->sql.step(s);
        struct flm_text next = {0};
        if (status == SQLITE_ROW)
            flm_text_add(&next, flm_catalog_column(c, s, 0));
        c->sql.reset(s); /* `value` may ask for more */
        flm_text_clear(&at);
        at = next;
        good = status == SQLITE_ROW || status == SQLITE_DONE || flm_catalog_failed(c, why);
        goes_on = status == SQLITE_ROW && !at.failed &&
                  value(context, (struct flm_bytes){at.at, at.size});
        good = good && (!at.failed || flm_error_memory(why));
        which = FLM_SQL_LABEL_AFTER;
    }
    flm_text_clear(&at);
    return good;
}

bool flm_catalog_series(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes value, flm_text_each text, void *context,
                        struct flm_error *why)
{
    sqlite3_stmt *s =
        flm_catalog_statement(c, key.at ? FLM_SQL_LABEL_SERIES : FLM_SQL_TENANT_SERIES, why);
    if (!s)
        return false;
    if (key.at) {
        flm_catalog_bind(c, s, 1, tenant);
        flm_catalog_bind(c, s, 2, key);
        flm_catalog_bind(c, s, 3, value);
        return each_text(c, s, text, context, why);
    }
    struct flm_text from = {0}, until = {0};
    bool good = flm_series_tenant_range(tenant, &from, &until);
    if (good) {
        flm_catalog_bind(c, s, 1, (struct flm_bytes){from.at, from.size});
        flm_catalog_bind(c, s, 2, (struct flm_bytes){until.at, until.size});
        good = each_text(c, s, text, context, why);
    } else {
        flm_error_memory(why);
    }
    flm_text_clear(&from);
    flm_text_clear(&until);
    return good;
}

bool flm_catalog_series_forget(struct flm_catalog *c, int64_t before_ms, struct flm_error *why)
{
    sqlite3_stmt *old = flm_catalog_statement(c, FLM_SQL_SERIES_OLD, why);
    if (!old)
        return false;
    c->sql.bind_int64(old, 1, before_ms);
    int status;
    bool good = true;
    while (good && (status = c->sql.step(old)) == SQLITE_ROW)
        good = each_label(c, FLM_SQL_LABEL_FORGET, flm_catalog_column(c, old, 1),
                          c->sql.column_int64(old, 0), why);
    if (good && status != SQLITE_DONE)
        good = flm_catalog_failed(c, why);
    c->sql.reset(old);
    sqlite3_stmt *s = good ? flm_catalog_statement(c, FLM_SQL_SERIES_FORGET, why) : NULL;
    if (s)
        c->sql.bind_int64(s, 1, before_ms);
    return s && flm_catalog_run(c, s, why);
}
