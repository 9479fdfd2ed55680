#include "store/clickhouse/fetch.h"

#include "store/clickhouse/sql.h"

enum { STACKS_IN_STATEMENT = 2000 };

static void put_fetch(const struct flm_clickhouse *store, struct flm_bytes tenant,
                      const struct flm_stack_id *ids, size_t count, struct flm_text *sql)
{
    flm_text_format(sql,
                    "SELECT id, functions, modules, files, lines, addresses, kinds, flags FROM "
                    "%s.stacks WHERE tenant = ",
                    store->client.location.database);
    flm_sql_string(sql, tenant);
    flm_text_puts(sql, " AND id IN (");
    for (size_t i = 0; i < count; i++) {
        char bytes[16];
        for (int k = 0; k < 8; k++) {
            bytes[k] = (char)(ids[i].low >> (8 * k));
            bytes[8 + k] = (char)(ids[i].high >> (8 * k));
        }
        flm_text_puts(sql, i > 0 ? ", " : "");
        flm_sql_string(sql, (struct flm_bytes){bytes, sizeof bytes});
    }
    flm_text_puts(sql, ") LIMIT 1 BY id FORMAT RowBinary");
}

static bool read_stacks(struct flm_clickhouse *store, struct flm_bytes tenant,
                        struct flm_bytes rows, struct flm_known *known, struct flm_error *why)
{
    struct flm_row_reader r = {.bytes = rows};
    bool good = true;
    while (good && flm_read_more(&r)) {
        good = flm_known_read(known, tenant, &r);
        if (r.failed)
            flm_error_set(why, FLM_ERROR_SYSTEM,
                          "ClickHouse at %s: the frames of a stack are damaged",
                          store->client.location.host);
        else if (!good)
            flm_error_memory(why);
    }
    return good;
}

bool flm_ch_fetch(struct flm_clickhouse *store, struct flm_bytes tenant,
                  const struct flm_stack_id *ids, size_t count, struct flm_known *known,
                  pthread_mutex_t *lock, struct flm_error *why)
{
    bool good = true;
    for (size_t from = 0; good && from < count; from += STACKS_IN_STATEMENT) {
        size_t left = count - from;
        struct flm_text sql = {0}, response = {0};
        put_fetch(store, tenant, ids + from,
                  left < STACKS_IN_STATEMENT ? left : STACKS_IN_STATEMENT, &sql);
        good = flm_ch_query(store, &sql, &response, why);
        if (lock)
            pthread_mutex_lock(lock);
        good = good && read_stacks(store, tenant, (struct flm_bytes){response.at, response.size},
                                   known, why);
        if (lock)
            pthread_mutex_unlock(lock);
        flm_text_clear(&sql);
        flm_text_clear(&response);
    }
    return good;
}
