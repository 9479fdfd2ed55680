/* Every kind of store gives the same answers: random profiles go into all of them, and random
 * queries are asked of all. The store in a folder is asked before and after it is sealed and
 * merged, the one in ClickHouse before and after the server has merged. */
#include "flamel/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "flamel/file.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/random_profile.h"
#include "support/store/chdb_server.h"

static const int64_t HOUR_MS = 3600000, DAY_MS = 24 * 3600000;
static const int64_t BEGIN_MS = (int64_t)20420 * 24 * 3600000;
static uint64_t random_state = 0x9E3779B97F4A7C15u;

static unsigned below(unsigned limit)
{
    return random_below(&random_state, limit);
}

/* ---- What is appended ------------------------------------------------------------------------ */

enum { SERVICES = 5, HOSTS = 4, TENANTS = 2, MOST_BATCHES = 400 };
static const char *const services[SERVICES] = {"api", "web's", "da\\ta\"base", "\xC3\xA4\nb",
                                               "z z"};
static const char *const hosts[HOSTS] = {"a1", "a2", "b'); DROP TABLE runs; --", ""};
static const char *const tenants[TENANTS] = {"", "other"};

struct appended {
    struct flm_store_batch batch;
    struct flm_store_label_text labels[2];
    char id[32];
};

/* A moment in three days, in most cases at a full 15 seconds of one of a few hours. */
static int64_t random_time(void)
{
    int64_t hour = BEGIN_MS + (int64_t)below(3) * DAY_MS + (int64_t)below(3) * 11 * HOUR_MS;
    return below(4) ? hour + (int64_t)below(240) * 15000 : hour + (int64_t)below(3600000);
}

static void make_batch(struct appended *a, unsigned number)
{
    const struct random_shape shape = {.stacks = 1 + below(30),
                                       .names = 12,
                                       .deepest = 8,
                                       .metrics = 1 + below(3),
                                       .modules = below(2),
                                       .kinds = below(2)};
    a->labels[0] = (struct flm_store_label_text){"service", services[below(SERVICES)]};
    a->labels[1] = (struct flm_store_label_text){"host", hosts[below(HOSTS)]};
    snprintf(a->id, sizeof a->id, "batch '%u", number);
    a->batch = (struct flm_store_batch){.profile = random_profile(&random_state, &shape),
                                        .tenant = tenants[below(4) == 0],
                                        .labels = a->labels,
                                        .label_count = 2,
                                        .time_ms = random_time(),
                                        .id = below(2) ? a->id : NULL};
}

static void append(struct flm_store *const *stores, size_t count, struct appended *all, size_t from,
                   size_t until)
{
    static struct flm_store_batch batches[MOST_BATCHES];
    struct flm_error why;
    for (size_t i = from; i < until; i++)
        batches[i - from] = all[i].batch;
    for (size_t i = 0; i < count; i++)
        if (!flm_store_append(stores[i], batches, until - from, &why))
            fail_msg("%s", why.text);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static bool add_text(void *context, struct flm_name text)
{
    flm_text_add(context, (struct flm_bytes){text.at, text.size});
    flm_text_putc(context, '\n');
    return true;
}

static bool add_typed(void *context, const struct flm_store_label_text *labels, size_t count,
                      struct flm_name type)
{
    struct flm_text *out = context;
    for (size_t i = 0; i < count; i++)
        flm_text_format(out, "%s=%s ", labels[i].key, labels[i].value);
    return add_text(context, type);
}

struct steps {
    struct flm_text *out;
    size_t count, labels;
};

static bool add_steps(void *context, const char *const *labels, const double *values)
{
    struct steps *s = context;
    char number[40];
    for (size_t i = 0; i < s->labels; i++)
        flm_text_format(s->out, "%s|", labels[i]);
    for (size_t i = 0; i < s->count; i++) {
        snprintf(number, sizeof number, " %.17g", values[i]);
        flm_text_puts(s->out, number);
    }
    flm_text_putc(s->out, '\n');
    return true;
}

/* By bits: those that `answer` knows. */
enum { ALL = 0xFFFF };

static void add_profile(const struct flm_profile *p, struct flm_text *out)
{
    struct flm_error why;
    /* Equal profiles are equal bytes. */
    size_t size;
    void *bytes = flm_save_memory(
        p, &size,
        &(struct flm_save_options){.size = sizeof(struct flm_save_options), .format = "flm"}, &why);
    if (!bytes)
        fail_msg("%s", why.text);
    flm_text_add(out, (struct flm_bytes){bytes, size});
    free(bytes);
}

static void add_sum(struct flm_store *store, const struct flm_store_query *query,
                    struct flm_text *out)
{
    struct flm_error why;
    struct flm_profile *p = flm_store_merge(store, query, &why);
    if (!p)
        fail_msg("%s", why.text);
    add_profile(p, out);
    flm_profile_free(p);
}

/* Of each series, of each host, of all in steps. */
static void add_runs(struct flm_store *store, const struct flm_store_query *query, int64_t step_ms,
                     struct flm_text *out)
{
    struct flm_store_runs_options options = {.size = sizeof options, .most = 100000};
    struct flm_error why;
    size_t count;
    options.by = step_ms % 3 == 0 ? "host" : NULL;
    options.of_all = step_ms % 3 == 1;
    options.step_ms = options.of_all ? step_ms + HOUR_MS : 0;
    struct flm_store_runs *runs = flm_store_runs_new(&why);
    if (!runs || !flm_store_runs_add(runs, store, query, &options, false, &why))
        fail_msg("%s", why.text);
    const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
    for (size_t i = 0; i < count; i++) {
        flm_text_format(out, "%s|%s|", list[i].name, list[i].date);
        add_profile(list[i].profile, out);
    }
    flm_store_runs_free(runs);
}

/* The answer to a query of one kind, as bytes. */
static void answer(struct flm_store *store, unsigned kind, const struct flm_store_query *query,
                   int64_t step_ms, struct flm_text *out)
{
    static const char *const labels[] = {"host", "service_name"};
    struct flm_store_query typed = *query;
    struct steps steps = {out, 50, kind % 3};
    struct flm_error why;
    bool good = true;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        typed.type = typed.type ? typed.type : "m0:ns";
        good = flm_store_timelines(store, &typed, labels, kind, step_ms, steps.count, 100,
                                   add_steps, &steps, &why);
        break;
    case 3:
        good = flm_store_types(store, query, add_text, out, &why);
        break;
    case 4:
        good = flm_store_label_names(store, query, add_text, out, &why);
        break;
    case 5:
        good = flm_store_label_values(store, query, "service", add_text, out, &why) &&
               flm_store_label_values(store, query, "host", add_text, out, &why);
        break;
    case 6:
        good = flm_store_series(store, query, add_text, out, &why);
        break;
    case 7:
        good = flm_store_typed_series(store, query, add_typed, out, &why);
        break;
    case 8:
        add_runs(store, query, step_ms, out);
        break;
    default:
        add_sum(store, query, out);
        break;
    }
    if (!good)
        fail_msg("%s", why.text);
}

static const char *const selectors[] = {
    "",
    "service=api",
    "service!=api",
    "host=a1",
    "service=~'.*a.*' host!=a2",
    "{service_name=\"web's\"}",
    "{service_name=\"da\\\\ta\\\"base\", host=~\"a.\"}",
    "{host=\"b'); DROP TABLE runs; --\"}",
    "host=''",
    "host=~'a.*'",
    "host=~a1",
    "host=~'.*1' service!~'w.*'",
    "service!~api host!~'a.'",
    "nothing=~'.*'",
    "nothing=~'x.*'",
    "service=nobody",
};
static const char *const types[] = {NULL, "m0", "m1:ns", "m2", "m", "m0:n"};

static struct flm_store_query random_query(void)
{
    struct flm_store_query q = {.size = sizeof q};
    q.tenant = tenants[below(4) == 0];
    q.selector = selectors[below(sizeof selectors / sizeof *selectors)];
    q.type = types[below(sizeof types / sizeof *types)];
    q.from_ms = below(4) ? random_time() : below(2) ? 0 : BEGIN_MS + (int64_t)below(3) * DAY_MS;
    q.until_ms = below(4) ? random_time() + HOUR_MS : INT64_MAX;
    return q;
}

static void ask_all(struct flm_store *const *stores, size_t count, unsigned times, unsigned kinds)
{
    for (unsigned i = 0; i < times; i++) {
        struct flm_store_query q = random_query();
        unsigned kind = below(16);
        if (!(kinds >> kind & 1))
            continue;
        int64_t step_ms = 1 + (int64_t)below(4 * 3600000);
        struct flm_text first = {0};
        answer(stores[0], kind, &q, step_ms, &first);
        for (size_t k = 1; k < count; k++) {
            struct flm_text other = {0};
            answer(stores[k], kind, &q, step_ms, &other);
            if (!flm_bytes_equal((struct flm_bytes){first.at, first.size},
                                 (struct flm_bytes){other.at, other.size}))
                fail_msg("query %u of kind %u, '%s' type %s from %lld until %lld step %lld: store "
                         "%zu says %zu bytes, store 0 %zu:\n%.*s",
                         i, kind, q.selector, q.type ? q.type : "(all)", (long long)q.from_ms,
                         (long long)q.until_ms, (long long)step_ms, k, other.size, first.size,
                         (int)other.size, other.at);
            flm_text_clear(&other);
        }
        flm_text_clear(&first);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct flm_store *open_store(const char *location)
{
    struct flm_error why;
    struct flm_store *store = flm_store_open(location, NULL, &why);
    if (!store)
        fail_msg("%s: %s", location, why.text);
    return store;
}

static void retain_all(struct flm_store *const *stores, size_t count, int64_t before_ms)
{
    struct flm_error why;
    for (size_t i = 0; i < count; i++) {
        uint64_t removed = 0;
        if (!flm_store_seal(stores[i], &why) ||
            !flm_store_retain(stores[i], before_ms, &removed, &why))
            fail_msg("%s", why.text);
        assert_true(removed > 0);
    }
}

static bool add_view(void *context, struct flm_name name, struct flm_name text)
{
    return add_text(context, name) && add_text(context, text);
}

static void copy(struct flm_store *from, struct flm_store *to, int64_t from_ms, int64_t until_ms)
{
    struct flm_error why;
    uint64_t copied;
    if (!flm_store_copy(from, to, from_ms, until_ms, &copied, &why))
        fail_msg("%s", why.text);
    assert_true(copied > 0);
}

/* A store that is copied to one of each kind, a part after the other, and one of them again, gives
 * the same answers there; views go along. */
static void copy_everywhere(struct flm_store *const *stores, const char *name,
                            const struct clickhouse_server *server)
{
    char folder[100];
    snprintf(folder, sizeof folder, "%s-copy", name);
    struct flm_store *all[] = {stores[0], stores[1], open_store(temporary_path(folder)),
                               open_store(clickhouse_location(server, "copied"))};
    struct flm_store *const *made = all + 2;
    struct flm_error why;
    for (size_t i = 0; i < 2; i++) {
        const char text[] = "?q=service";
        const struct flm_name view = {text, sizeof text - 1};
        struct flm_text views[2] = {{0}, {0}};
        assert_true(flm_store_save_view(stores[i], "other", "one's", &view, &why));
        copy(stores[i], made[1 - i], INT64_MIN, BEGIN_MS + DAY_MS + 22 * HOUR_MS + 900000);
        copy(stores[i], made[1 - i], BEGIN_MS + DAY_MS, INT64_MAX);
        assert_true(flm_store_stats(made[1 - i]).repeated_batches > 0);
        assert_true(flm_store_views(stores[i], "other", add_view, &views[0], &why));
        assert_true(flm_store_views(made[1 - i], "other", add_view, &views[1], &why));
        assert_true(views[0].size > 0 && views[0].size == views[1].size &&
                    memcmp(views[0].at, views[1].at, views[0].size) == 0);
        flm_text_clear(&views[0]);
        flm_text_clear(&views[1]);
    }
    ask_all(all, 4, 100, ALL);
    for (size_t i = 0; i < 2; i++)
        flm_store_close(made[i]);
}

/* Puts the same into all stores, and asks all the same; `merge` makes ClickHouse merge. */
static void compare(struct flm_store *const *stores, size_t count, const char *name,
                    void (*merge)(const struct clickhouse_server *),
                    const struct clickhouse_server *server)
{
    static struct appended all[MOST_BATCHES];
    struct flm_error why;
    uint64_t merged;
    for (unsigned i = 0; i < MOST_BATCHES; i++)
        make_batch(&all[i], i);
    for (unsigned i = 0; i < MOST_BATCHES; i += MOST_BATCHES / 4) {
        append(stores, count, all, i, i + MOST_BATCHES / 4);
        ask_all(stores, count, 40, ALL);
        assert_true(flm_store_seal(stores[0], &why));
    }
    /* Batches with an id that came before are not counted again. */
    struct appended again[MOST_BATCHES];
    size_t repeated = 0;
    for (unsigned i = 0; i < MOST_BATCHES; i++)
        if (all[i].batch.id && i % 3 == 0)
            again[repeated++] = all[i];
    append(stores, count, again, 0, repeated);
    for (size_t i = 0; i < count; i++) {
        struct flm_store_stats stats = flm_store_stats(stores[i]);
        assert_int_equal(stats.repeated_batches, repeated);
        assert_true(stats.segments > 0 && stats.rows > 0 && stats.bytes > 0);
        assert_true(stats.from_ms >= BEGIN_MS && stats.from_ms < BEGIN_MS + HOUR_MS);
        assert_true(stats.until_ms > BEGIN_MS + 2 * DAY_MS + 22 * HOUR_MS &&
                    stats.until_ms <= BEGIN_MS + 3 * DAY_MS);
    }
    ask_all(stores, count, 40, ALL);
    assert_true(flm_store_compact(stores[0], INT64_MAX, &merged, &why));
    merge(server);
    ask_all(stores, count, 150, ALL);
    for (size_t i = 0; i < count; i++)
        if (!flm_store_check(stores[i], &why))
            fail_msg("%s", why.text);
    copy_everywhere(stores, name, server);
    retain_all(stores, count, BEGIN_MS + DAY_MS);
    /* When a series was last seen is known about: which ones are forgotten may differ. */
    ask_all(stores, count, 120, ALL & ~(1u << 4 | 1u << 5 | 1u << 6));
    for (unsigned i = 0; i < MOST_BATCHES; i++)
        flm_profile_free((struct flm_profile *)(uintptr_t)all[i].batch.profile);
}

static void merge_in_server(const struct clickhouse_server *server)
{
    /* A partition at a time. */
    while (strcmp(clickhouse_ask(server, "SELECT max(n) FROM (SELECT count() AS n FROM "
                                         "system.parts WHERE active AND database = 'same' AND "
                                         "table = 'runs' GROUP BY partition)"),
                  "1") != 0)
        clickhouse_ask(server, "OPTIMIZE TABLE same.runs FINAL");
}

static void compare_with(struct clickhouse_server *server, const char *name)
{
    struct flm_store *stores[] = {open_store(temporary_path(name)),
                                  open_store(clickhouse_location(server, "same"))};
    compare(stores, 2, name, merge_in_server, server);
    flm_store_close(stores[0]);
    flm_store_close(stores[1]);
    clickhouse_stop(server);
}

static void an_old_clickhouse_gives_the_same_answers(void **state)
{
    struct clickhouse_server server;
    (void)state;
    if (!clickhouse_start(&server))
        skip();
    compare_with(&server, "beside-old");
}

static void the_current_clickhouse_gives_the_same_answers(void **state)
{
    struct clickhouse_server server;
    (void)state;
    if (!chdb_start(&server))
        skip();
    compare_with(&server, "beside-current");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_clickhouse_gives_the_same_answers),
        cmocka_unit_test(the_current_clickhouse_gives_the_same_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
