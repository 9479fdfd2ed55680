#include "store/clickhouse/append.h"

#include <stdio.h>
#include <stdlib.h>

#include "os/clock.h"
#include "store/clickhouse/sql.h"
#include "store/core/batch.h"

enum { ATTEMPTS = 8, MOST_NODES = 400000, MOST_MEMORY = 256 << 20 };
static const int64_t MS_NS = 1000000, BETWEEN_INSERTS_NS = 250 * MS_NS, LAST_SECOND = UINT32_MAX;

static void pause_before(int attempt)
{
    int64_t ns = (100 * MS_NS) << (attempt < 5 ? attempt : 5);
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

bool flm_ch_query(struct flm_clickhouse *store, const struct flm_text *sql,
                  struct flm_text *response, struct flm_error *why)
{
    if (sql->failed)
        return flm_error_memory(why);
    for (int attempt = 0;; attempt++) {
        enum flm_clickhouse_outcome outcome = flm_clickhouse_ask(
            &store->client, (struct flm_bytes){sql->at, sql->size}, response, why);
        if (outcome != FLM_CH_LATER || attempt >= 3)
            return outcome == FLM_CH_DONE;
        pause_before(attempt);
    }
}

/* ---- Sending --------------------------------------------------------------------------------- */

static void put_id(struct flm_text *sql, struct flm_stack_id id)
{
    char bytes[16];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (char)(id.low >> (8 * i));
        bytes[8 + i] = (char)(id.high >> (8 * i));
    }
    flm_sql_string(sql, (struct flm_bytes){bytes, sizeof bytes});
}

/* Sends rows that may be there twice. */
static bool send_rows(struct flm_clickhouse *store, const char *columns,
                      const struct flm_text *rows, struct flm_error *why)
{
    struct flm_text sql = {0};
    bool good = rows->size == 0;
    flm_text_format(&sql, "INSERT INTO %s.%s FORMAT RowBinary", store->client.location.database,
                    columns);
    flm_text_putc(&sql, 0);
    if (sql.failed)
        flm_error_memory(why);
    for (int attempt = 0; !good && !sql.failed; attempt++) {
        enum flm_clickhouse_outcome outcome = flm_clickhouse_insert(
            &store->client, sql.at, (struct flm_bytes){rows->at, rows->size}, "", why);
        good = outcome == FLM_CH_DONE;
        if (outcome == FLM_CH_REFUSED || attempt == ATTEMPTS)
            break;
        if (!good)
            pause_before(attempt);
    }
    flm_text_clear(&sql);
    return good;
}

/* Forgets the rows of the parts of a block that are in. */
static bool forget_present(struct flm_clickhouse *store, struct flm_block *block,
                           struct flm_error *why)
{
    struct flm_text sql = {0}, response = {0};
    flm_text_format(&sql,
                    "SELECT DISTINCT series FROM %s.runs WHERE tenant = '' AND service = '' AND "
                    "type = '' AND hour = toDateTime(%llu) AND stack = ",
                    store->client.location.database, (unsigned long long)block->hour * 3600);
    put_id(&sql, block->id);
    flm_text_puts(&sql, " FORMAT RowBinary");
    bool good = flm_ch_query(store, &sql, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&r)) {
        uint64_t shard = flm_read_fixed(&r, 8);
        if (!r.failed && shard < block->shards)
            flm_run_rows_clear(&block->rows[shard]);
    }
    flm_text_clear(&sql);
    flm_text_clear(&response);
    return good;
}

static enum flm_clickhouse_outcome insert_block(struct flm_clickhouse *store,
                                                const struct flm_block *block,
                                                struct flm_error *why)
{
    struct flm_text rows = {0};
    char sql[200], id[33];
    snprintf(sql, sizeof sql, "INSERT INTO %s.runs FORMAT Native", store->client.location.database);
    snprintf(id, sizeof id, "%016llx%016llx", (unsigned long long)block->id.low,
             (unsigned long long)block->id.high);
    for (unsigned i = 0; i < block->shards; i++)
        flm_run_rows_encode(&block->rows[i], &rows);
    enum flm_clickhouse_outcome outcome = FLM_CH_REFUSED;
    if (rows.failed)
        flm_error_memory(why);
    else if (rows.size == 0)
        outcome = FLM_CH_DONE;
    else
        outcome = flm_clickhouse_insert(&store->client, sql, (struct flm_bytes){rows.at, rows.size},
                                        id, why);
    flm_text_clear(&rows);
    return outcome;
}

static bool send_block(struct flm_clickhouse *store, struct flm_block *block, struct flm_error *why)
{
    enum flm_clickhouse_outcome outcome = FLM_CH_LATER;
    bool good = true;
    for (int attempt = 0; good && outcome == FLM_CH_LATER && attempt <= ATTEMPTS; attempt++) {
        if (attempt > 0) {
            pause_before(attempt - 1);
            good = forget_present(store, block, why);
        }
        if (good)
            outcome = insert_block(store, block, why);
    }
    return good && outcome == FLM_CH_DONE;
}

bool flm_ch_send(struct flm_clickhouse *store, struct flm_outgoing *out, struct flm_error *why)
{
    bool good =
        send_rows(store,
                  "stacks (tenant, id, day, slot, functions, modules, files, lines, "
                  "addresses, kinds, flags)",
                  &out->stack_rows, why) &&
        send_rows(store, "series (tenant, key, value, text, day, slot)", &out->series_rows, why);
    for (size_t i = 0; good && i < out->blocks.count; i++)
        good = send_block(store, &out->blocks.at[i], why);
    return good;
}

/* ---- Ids of batches -------------------------------------------------------------------------- */

struct named {
    const struct flm_store_batch *batch;
    struct flm_stack_id mark;
    bool has_mark, is_there;
};
struct all_named FLM_ARRAY(struct named);

/* Asks which of the batches of one tenant, from `first` on, the server has: appends the rest of the
 * statement behind its table. */
static void put_wanted(const struct all_named *all, size_t first, struct flm_text *sql)
{
    struct flm_bytes tenant = flm_batch_tenant(all->at[first].batch);
    int64_t from = INT64_MAX, until = 0;
    flm_text_puts(sql, " WHERE tenant = ");
    flm_sql_string(sql, tenant);
    flm_text_puts(sql, " AND service = '' AND type = '' AND stack IN (");
    for (size_t i = first, count = 0; i < all->count; i++) {
        const struct named *n = &all->at[i];
        if (!n->has_mark || !flm_bytes_equal(flm_batch_tenant(n->batch), tenant))
            continue;
        int64_t hour = n->batch->time_ms / FLM_CH_HOUR_MS;
        from = hour < from ? hour : from;
        until = hour > until ? hour : until;
        flm_text_puts(sql, count++ ? ", " : "");
        put_id(sql, n->mark);
    }
    from -= from > 0;
    flm_text_format(sql, ") AND hour >= toDateTime(%lld) AND hour <= toDateTime(%lld)",
                    (long long)from * 3600, (long long)until * 3600);
    flm_text_puts(sql, " SETTINGS skip_unavailable_shards = 1 FORMAT RowBinary");
}

/* Of all replicas; of an old server, while one of them does not answer, of one of each shard. */
static bool ask_everywhere(struct flm_clickhouse *store, const struct flm_text *rest,
                           struct flm_text *response, struct flm_error *why)
{
    struct flm_text sql = {0};
    flm_text_puts(&sql, "SELECT DISTINCT stack FROM ");
    size_t table = sql.size;
    flm_text_add(&sql, (struct flm_bytes){store->runs_everywhere.at, store->runs_everywhere.size});
    flm_text_add(&sql, (struct flm_bytes){rest->at, rest->size});
    bool good = !rest->failed && !sql.failed &&
                flm_clickhouse_ask(&store->client, (struct flm_bytes){sql.at, sql.size}, response,
                                   NULL) == FLM_CH_DONE;
    if (!good) {
        response->size = 0;
        sql.size = table;
        flm_text_format(&sql, "%s.runs", store->client.location.database);
        flm_text_add(&sql, (struct flm_bytes){rest->at, rest->size});
        sql.failed |= rest->failed;
        good = flm_ch_query(store, &sql, response, why);
    }
    flm_text_clear(&sql);
    return good;
}

/* Which of the batches of one tenant, from `first` on, the server has. */
static bool look_for(struct flm_clickhouse *store, struct all_named *all, size_t first,
                     struct flm_error *why)
{
    struct flm_text rest = {0}, response = {0};
    struct flm_bytes tenant = flm_batch_tenant(all->at[first].batch);
    put_wanted(all, first, &rest);
    bool good = ask_everywhere(store, &rest, &response, why);
    struct flm_row_reader r = {.bytes = {response.at, response.size}};
    while (good && flm_read_more(&r)) {
        uint64_t low = flm_read_fixed(&r, 8), high = flm_read_fixed(&r, 8);
        const struct flm_stack_id id = {low, high};
        for (size_t i = first; i < all->count; i++)
            if (all->at[i].has_mark && flm_stack_id_equal(all->at[i].mark, id) &&
                flm_bytes_equal(flm_batch_tenant(all->at[i].batch), tenant))
                all->at[i].is_there = true;
    }
    flm_text_clear(&rest);
    flm_text_clear(&response);
    return good;
}

/* Of two with one id in a commit, the first counts. */
static void mark_twins(struct all_named *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; all->at[i].has_mark && !all->at[i].is_there && k < i; k++)
            if (all->at[k].has_mark && flm_stack_id_equal(all->at[k].mark, all->at[i].mark) &&
                flm_bytes_equal(flm_batch_tenant(all->at[k].batch),
                                flm_batch_tenant(all->at[i].batch)))
                all->at[i].is_there = true;
}

static bool find_repeated(struct flm_clickhouse *store, struct all_named *all,
                          struct flm_error *why)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!all->at[i].has_mark)
            continue;
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !all->at[k].has_mark || !flm_bytes_equal(flm_batch_tenant(all->at[k].batch),
                                                                flm_batch_tenant(all->at[i].batch));
        if (is_first && !look_for(store, all, i, why))
            return false;
    }
    mark_twins(all);
    return true;
}

/* ---- Committing ------------------------------------------------------------------------------ */

static bool name_batches(const struct flm_ch_waiter *waiter, struct all_named *all,
                         struct flm_error *why)
{
    for (; waiter; waiter = waiter->next)
        for (size_t i = 0; i < waiter->count; i++) {
            struct named n = {.batch = &waiter->batches[i]};
            struct flm_bytes id = flm_batch_id(n.batch);
            n.has_mark = id.size > 0;
            if ((n.has_mark && !flm_outgoing_batch_id(id, &n.mark)) || !FLM_ARRAY_ADD(all, n))
                return flm_error_memory(why);
        }
    return true;
}

static bool pour(struct flm_clickhouse *store, const struct all_named *all, uint64_t *repeated,
                 struct flm_error *why)
{
    struct flm_text series = {0};
    bool good = true;
    for (size_t i = 0; good && i < all->count; i++) {
        const struct named *n = &all->at[i];
        *repeated += n->is_there;
        if (n->is_there)
            continue;
        series.size = 0;
        good = flm_batch_series(n->batch, &series, why) &&
               flm_outgoing_add(&store->outgoing, n->batch->profile,
                                (struct flm_bytes){series.at, series.size}, n->batch->time_ms,
                                n->has_mark ? &n->mark : NULL, why);
    }
    flm_text_clear(&series);
    return good;
}

/* What `waiter` and those behind it wait for. */
static bool commit_all(struct flm_clickhouse *store, const struct flm_ch_waiter *waiter,
                       uint64_t *repeated, struct flm_error *why)
{
    struct flm_outgoing *out = &store->outgoing;
    struct all_named all = {0};
    if (flm_head_size(&out->head) > MOST_MEMORY) {
        struct flm_outgoing empty;
        if (!flm_outgoing_init(&empty, why))
            return false;
        flm_outgoing_clear(out);
        *out = empty;
    }
    bool good = name_batches(waiter, &all, why) && find_repeated(store, &all, why) &&
                pour(store, &all, repeated, why) && flm_outgoing_encode(out, store->shards, why) &&
                flm_ch_send(store, out, why);
    flm_outgoing_drop(out, good);
    FLM_ARRAY_CLEAR(&all);
    return good;
}

/* Takes waiters from the front, of so many nodes together, and at least one. Holds `lock`. */
static struct flm_ch_waiter *take_waiters(struct flm_clickhouse *store)
{
    struct flm_ch_waiter *first = store->first, **end = &store->first;
    size_t nodes = 0;
    do {
        const struct flm_ch_waiter *w = *end;
        for (size_t i = 0; i < w->count; i++)
            nodes += (size_t)flm_profile_node_count(w->batches[i].profile) *
                     flm_profile_metric_count(w->batches[i].profile);
        end = &(*end)->next;
    } while (*end && nodes < MOST_NODES);
    store->first = *end;
    store->last = store->first ? store->last : &store->first;
    *end = NULL;
    return first;
}

/* Holds `lock`, which it releases while it sends. */
static void commit(struct flm_clickhouse *store)
{
    store->is_committing = true;
    int64_t wait_ns = store->committed_ns + BETWEEN_INSERTS_NS - flm_now_ns();
    if (wait_ns > 0) { /* a server likes few large inserts: meanwhile others come */
        const struct timespec time = {0, (long)wait_ns};
        pthread_mutex_unlock(&store->lock);
        nanosleep(&time, NULL);
        pthread_mutex_lock(&store->lock);
    }
    store->committed_ns = flm_now_ns();
    struct flm_ch_waiter *waiter = take_waiters(store);
    struct flm_error why = {0};
    uint64_t repeated = 0;
    pthread_mutex_unlock(&store->lock);
    bool good = commit_all(store, waiter, &repeated, &why);
    pthread_mutex_lock(&store->lock);
    store->is_committing = false;
    store->repeated += good ? repeated : 0;
    for (struct flm_ch_waiter *next; waiter; waiter = next) {
        next = waiter->next;
        if (!good && waiter->why)
            *waiter->why = why;
        waiter->outcome = good ? FLM_CH_DURABLE : FLM_CH_FAILED;
    }
    pthread_cond_broadcast(&store->changed);
}

static bool check(const struct flm_store_batch *batches, size_t count, struct flm_error *why)
{
    struct flm_text series = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        series.size = 0;
        good = flm_batch_check(&batches[i], why) && flm_batch_series(&batches[i], &series, why);
        if (good && batches[i].time_ms / 1000 > LAST_SECOND)
            good = flm_error_set(why, FLM_ERROR_RANGE,
                                 "the time %lld ms is after 2106, where ClickHouse's times end",
                                 (long long)batches[i].time_ms);
    }
    flm_text_clear(&series);
    return good;
}

bool flm_ch_append(struct flm_store *base, const struct flm_store_batch *batches, size_t count,
                   struct flm_error *why)
{
    struct flm_clickhouse *store = flm_clickhouse_of(base);
    struct flm_ch_waiter own = {.batches = batches, .count = count, .why = why};
    if (!check(batches, count, why))
        return false;
    pthread_mutex_lock(&store->lock);
    /* cppcheck-suppress autoVariables ; whoever ends the waiting takes it off first */
    *store->last = &own;
    store->last = &own.next;
    while (own.outcome == FLM_CH_WAITING)
        if (store->is_committing)
            pthread_cond_wait(&store->changed, &store->lock);
        else
            commit(store);
    pthread_mutex_unlock(&store->lock);
    return own.outcome == FLM_CH_DURABLE;
}
