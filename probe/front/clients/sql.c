/* sql.c - statements of SQLite and PostgreSQL (libpq). Stands in front of these libraries'
 * functions, which need not be there: they are looked for where the caller would have found them.
 *
 * A statement is a node of its normalized text; files and locks that it needs are in that. Its
 * calls are executions. Of SQLite one is from the first sqlite3_step() until it has no more rows or
 * is reset; rows are FLM_PROBE_AMOUNT. Of one that was sent (PQsendQuery) the time in the node is
 * what the program was kept waiting, and the meter has how long it took until its last result
 * came. */
#include <string.h>

#include "front.h"
#include "normalize.h"

#include "calls.h"

/* These libraries' headers may not be there. */
struct sqlite3;
struct sqlite3_stmt;
struct pg_conn;
struct pg_result;

enum {
    IS_ROW = 100, /* SQLITE_ROW */
    IS_DONE = 101,
    IS_BAD_RESPONSE = 5, /* PGRES_BAD_RESPONSE */
    IS_FATAL = 7,        /* PGRES_FATAL_ERROR */
    MOST_TEXT = 1000
};

/* One of the functions below called another one: libraries do so. */
static __thread __attribute__((tls_model("initial-exec"))) bool is_within;

static bool is_seen(void)
{
    return flm_is_seen(FLM_PROBE_STATEMENTS) && !is_within;
}

/* ---- Sites ----------------------------------------------------------------------------------- */

/* From a text, or the name of a prepared statement, to its site. Two words that are written apart:
 * what was torn does not fit together, and is found again. */
enum { KNOWN_BITS = 11 };
static struct {
    uint64_t hash_and_site;
    uintptr_t site;
} all_known[1 << KNOWN_BITS];

static uint64_t hash_of(const char *text, size_t size, uint64_t seed)
{
    uint64_t hash = seed ^ size * 0x9E3779B97F4A7C15u;
    for (; size >= sizeof hash; size -= sizeof hash, text += sizeof hash) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    for (; size > 0; size--)
        hash = (hash ^ (unsigned char)*text++) * 0x100000001B3u;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

static struct flm_site *known_site(uint64_t hash)
{
    const uint64_t at = hash >> (64 - KNOWN_BITS);
    uintptr_t site = __atomic_load_n(&all_known[at].site, __ATOMIC_ACQUIRE);
    uint64_t both = __atomic_load_n(&all_known[at].hash_and_site, __ATOMIC_ACQUIRE);
    return site > 0 && both == (hash ^ site) ? (struct flm_site *)site : NULL;
}

static void know_site(uint64_t hash, const struct flm_site *site)
{
    const uint64_t at = hash >> (64 - KNOWN_BITS);
    __atomic_store_n(&all_known[at].site, (uintptr_t)site, __ATOMIC_RELEASE);
    __atomic_store_n(&all_known[at].hash_and_site, hash ^ (uintptr_t)site, __ATOMIC_RELEASE);
}

static struct flm_site *site_of_text(const char *text)
{
    size_t size = text ? strlen(text) : 0;
    uint64_t hash = hash_of(text, size, 0);
    struct flm_site *site = known_site(hash);
    if (!site && text) {
        char name[MOST_TEXT];
        site = flm_site_named(FLM_PROBE_STATEMENT, FLM_PROBE_NO_OPERATION, name,
                              flm_normalize_statement(name, sizeof name, text, size), NULL);
        if (site)
            know_site(hash, site);
    }
    return site;
}

static struct flm_site *identity(const void *thing, const void *caller, int operation)
{
    (void)caller, (void)operation;
    return (struct flm_site *)(uintptr_t)thing;
}

static struct flm_call *call_of(struct flm_site *site)
{
    return site ? flm_call_of(site, NULL, identity, 0) : NULL;
}

/* ---- Statements that go on over several calls ------------------------------------------------ */

/* By the statement of SQLite, or the connection of PostgreSQL: one thread at a time uses it. Where
 * there is no room, each call counts. */
enum { RUNNING_BITS = 8, NEAR = 8 };
static struct running {
    uintptr_t of; /* 0: free */
    struct flm_site *site;
    uint64_t start, ticks; /* when it was sent; that were spent in calls */
    bool is_bad;
} all_running[(1 << RUNNING_BITS) + NEAR];

static struct running *first_place(const void *of)
{
    return &all_running[((uintptr_t)of >> 3) * 0x9E3779B97F4A7C15u >> (64 - RUNNING_BITS)];
}

static struct running *find_running(const void *of)
{
    struct running *first = first_place(of);
    for (struct running *running = first; running < first + NEAR; running++)
        if (__atomic_load_n(&running->of, __ATOMIC_ACQUIRE) == (uintptr_t)of)
            return running;
    return NULL;
}

static struct running *begin_running(const void *of, struct flm_site *site)
{
    struct running *found = find_running(of), *first = first_place(of);
    for (struct running *running = first; !found && running < first + NEAR; running++) {
        uintptr_t none = 0;
        if (__atomic_compare_exchange_n(&running->of, &none, (uintptr_t)of, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            found = running;
    }
    if (found) {
        found->site = site;
        found->ticks = 0;
        found->start = flm_clock_ticks();
        found->is_bad = false;
    }
    return found;
}

static void end_running(struct running *running, uint64_t ticks, bool is_good)
{
    struct flm_call *call = call_of(running->site);
    if (call)
        flm_call_done(call, ticks, is_good);
    __atomic_store_n(&running->of, 0, __ATOMIC_RELEASE);
}

/* Around the real function: what it calls of these is not seen. */
static void *begin_part(struct flm_site *site)
{
    struct flm_call *call = call_of(site);
    void *open = call ? flm_call_enter(call) : NULL;
    is_within = open != NULL;
    return open;
}

static uint64_t end_part(void *open)
{
    is_within = false;
    return flm_call_pause(open);
}

static void end_whole(void *open, struct flm_site *site, bool is_good)
{
    uint64_t ticks = end_part(open);
    struct flm_call *call = open ? call_of(site) : NULL;
    if (call)
        flm_call_done(call, ticks, is_good);
}

/* ---- SQLite ---------------------------------------------------------------------------------- */

#define FLM_THEIRS(function) ((__typeof__(function) *)flm_behind_of(FLM_CALLER(), #function))

FLM_FRONT int sqlite3_step(struct sqlite3_stmt *statement);
FLM_FRONT int sqlite3_reset(struct sqlite3_stmt *statement);
FLM_FRONT int sqlite3_finalize(struct sqlite3_stmt *statement);
FLM_FRONT int sqlite3_exec(struct sqlite3 *base, const char *text,
                           int (*row)(void *, int, char **, char **), void *context, char **why);
const char *sqlite3_sql(struct sqlite3_stmt *statement);

int sqlite3_step(struct sqlite3_stmt *statement)
{
    __typeof__(sqlite3_step) *real = FLM_THEIRS(sqlite3_step);
    if (!is_seen() || !statement)
        return real(statement);
    struct running *running = find_running(statement);
    struct flm_site *site =
        running ? running->site : site_of_text(FLM_THEIRS(sqlite3_sql)(statement));
    if (!running && site)
        running = begin_running(statement, site);
    void *open = running ? begin_part(site) : NULL;
    if (!open)
        return real(statement);
    int result = real(statement);
    running->ticks += end_part(open);
    if (result != IS_ROW) {
        end_running(running, running->ticks, result == IS_DONE);
    } else {
        struct flm_call *call = call_of(site);
        if (call)
            call->node->value[FLM_PROBE_AMOUNT]++;
    }
    return result;
}

/* One that has more rows ends here. */
static void end_statement(const struct sqlite3_stmt *statement)
{
    struct running *running = is_seen() && statement ? find_running(statement) : NULL;
    if (running)
        end_running(running, running->ticks, true);
}

int sqlite3_reset(struct sqlite3_stmt *statement)
{
    end_statement(statement);
    return FLM_THEIRS(sqlite3_reset)(statement);
}

int sqlite3_finalize(struct sqlite3_stmt *statement)
{
    end_statement(statement);
    return FLM_THEIRS(sqlite3_finalize)(statement);
}

int sqlite3_exec(struct sqlite3 *base, const char *text, int (*row)(void *, int, char **, char **),
                 void *context, char **why)
{
    __typeof__(sqlite3_exec) *real = FLM_THEIRS(sqlite3_exec);
    struct flm_site *site = is_seen() ? site_of_text(text) : NULL;
    void *open = site ? begin_part(site) : NULL;
    int result = real(base, text, row, context, why);
    if (open)
        end_whole(open, site, result == 0);
    return result;
}

/* ---- PostgreSQL ------------------------------------------------------------------------------ */

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

FLM_FRONT PGresult *PQprepare(PGconn *base, const char *name, const char *text, int count,
                              const unsigned *types);
FLM_FRONT int PQsendPrepare(PGconn *base, const char *name, const char *text, int count,
                            const unsigned *types);
FLM_FRONT PGresult *PQgetResult(PGconn *base);
FLM_FRONT void PQfinish(PGconn *base);
int PQresultStatus(const PGresult *result);

static uint64_t hash_of_name(const PGconn *base, const char *name)
{
    return hash_of(name, name ? strlen(name) : 0, (uintptr_t)base * 0xC2B2AE3D27D4EB4Fu);
}

static struct flm_site *site_of_prepared(const PGconn *base, const char *name)
{
    struct flm_site *site = known_site(hash_of_name(base, name));
    return site ? site : site_of_text("<prepared>");
}

static void prepared(const PGconn *base, const char *name, const char *text)
{
    const struct flm_site *site = site_of_text(text);
    if (site)
        know_site(hash_of_name(base, name), site);
}

static bool is_good_result(const void *caller, const PGresult *result)
{
    __typeof__(PQresultStatus) *status =
        (__typeof__(PQresultStatus) *)flm_behind_of(caller, "PQresultStatus");
    int code = result && status ? status(result) : IS_FATAL;
    return code != IS_BAD_RESPONSE && code != IS_FATAL;
}

/* The three ways of saying what is executed, for functions that `make` defines. */
#define FLM_STATEMENTS(make, of_text, of_parameters, of_prepared)                                  \
    make(of_text, site_of_text(text), (PGconn * base, const char *text), (base, text))             \
        make(of_parameters, site_of_text(text),                                                    \
             (PGconn * base, const char *text, int count, const unsigned *types,                   \
              const char *const *values, const int *sizes, const int *formats, int format),        \
             (base, text, count, types, values, sizes, formats, format))                           \
            make(of_prepared, site_of_prepared(base, name),                                        \
                 (PGconn * base, const char *name, int count, const char *const *values,           \
                  const int *sizes, const int *formats, int format),                               \
                 (base, name, count, values, sizes, formats, format))

#define FLM_AT_ONCE(name, site_of, parameters, arguments)                                          \
    FLM_FRONT PGresult *name parameters;                                                           \
    PGresult *name parameters                                                                      \
    {                                                                                              \
        __typeof__(name) *real = FLM_THEIRS(name);                                                 \
        struct flm_site *site = is_seen() ? (site_of) : NULL;                                      \
        void *open = site ? begin_part(site) : NULL;                                               \
        PGresult *result = real arguments;                                                         \
        if (open)                                                                                  \
            end_whole(open, site, is_good_result(FLM_CALLER(), result));                           \
        return result;                                                                             \
    }
FLM_STATEMENTS(FLM_AT_ONCE, PQexec, PQexecParams, PQexecPrepared)

PGresult *PQprepare(PGconn *base, const char *name, const char *text, int count,
                    const unsigned *types)
{
    if (is_seen())
        prepared(base, name, text);
    return FLM_THEIRS(PQprepare)(base, name, text, count, types);
}

int PQsendPrepare(PGconn *base, const char *name, const char *text, int count,
                  const unsigned *types)
{
    if (is_seen())
        prepared(base, name, text);
    return FLM_THEIRS(PQsendPrepare)(base, name, text, count, types);
}

#define FLM_SENT(name, site_of, parameters, arguments)                                             \
    FLM_FRONT int name parameters;                                                                 \
    int name parameters                                                                            \
    {                                                                                              \
        __typeof__(name) *real = FLM_THEIRS(name);                                                 \
        struct flm_site *site = is_seen() ? (site_of) : NULL;                                      \
        struct running *running = site ? begin_running(base, site) : NULL;                         \
        void *open = running ? begin_part(site) : NULL;                                            \
        int result = real arguments;                                                               \
        if (open)                                                                                  \
            end_part(open);                                                                        \
        if (running && result == 0)                                                                \
            end_running(running, flm_clock_ticks() - running->start, false);                       \
        return result;                                                                             \
    }
FLM_STATEMENTS(FLM_SENT, PQsendQuery, PQsendQueryParams, PQsendQueryPrepared)

PGresult *PQgetResult(PGconn *base)
{
    __typeof__(PQgetResult) *real = FLM_THEIRS(PQgetResult);
    struct running *running = is_seen() && base ? find_running(base) : NULL;
    void *open = running ? begin_part(running->site) : NULL;
    PGresult *result = real(base);
    if (open)
        end_part(open);
    if (running && result)
        running->is_bad |= !is_good_result(FLM_CALLER(), result);
    else if (running)
        end_running(running, flm_clock_ticks() - running->start, !running->is_bad);
    return result;
}

void PQfinish(PGconn *base)
{
    struct running *running = base ? find_running(base) : NULL;
    if (running)
        __atomic_store_n(&running->of, 0, __ATOMIC_RELEASE);
    FLM_THEIRS(PQfinish)(base);
}

void flm_statements_start(void)
{
    flm_signal_is(FLM_PROBE_STATEMENTS, FLM_PROBE_ACTIVE, NULL);
}
