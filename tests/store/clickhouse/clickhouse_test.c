/* A store in a real ClickHouse server: what happens when the server fails, and comes back. What
 * queries say is compared in tests/store/store_test.c. */
#include "store/clickhouse/clickhouse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <pthread.h>
#include <time.h>

#include "flamel/builder.h"
#include "support/store/breaking_proxy.h"
#include "support/store/clickhouse_server.h"

static const int64_t TIME_MS = (int64_t)20420 * 24 * 3600000 + 12345;
static struct clickhouse_server server;
static bool is_there;

static struct flm_profile *make_profile(const char *function, double value)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame frame = flm_builder_function(b, function, strlen(function));
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
    flm_builder_add(b, node, metric, value);
    return flm_builder_finish(b, NULL);
}

static bool append(struct flm_store *store, const char *service, double value, const char *id,
                   struct flm_error *why)
{
    struct flm_profile *p = make_profile("main", value);
    const struct flm_store_label_text labels[] = {{"service", service}};
    const struct flm_store_batch batch = {p, NULL, labels, 1, TIME_MS, id};
    bool good = flm_store_append(store, &batch, 1, why);
    flm_profile_free(p);
    return good;
}

static double total(struct flm_store *store, const char *selector)
{
    const struct flm_store_query q = {
        .size = sizeof q, .selector = selector, .until_ms = INT64_MAX};
    struct flm_error why;
    struct flm_profile *p = flm_store_merge(store, &q, &why);
    if (!p)
        fail_msg("%s", why.text);
    double sum = flm_profile_metric_count(p) ? flm_profile_total(p, (struct flm_metric){0}) : 0;
    flm_profile_free(p);
    return sum;
}

static struct flm_store *open_store(const char *database)
{
    struct flm_error why;
    struct flm_store *store = flm_store_open(clickhouse_location(&server, database), NULL, &why);
    if (!store)
        fail_msg("%s", why.text);
    return store;
}

static void need_server(void)
{
    if (!is_there)
        skip();
}

static void a_server_that_is_not_there_is_an_error(void **state)
{
    struct flm_error why;
    (void)state;
    assert_null(flm_store_open("clickhouse://127.0.0.1:1/flamel", NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "ClickHouse at 127.0.0.1:1: "));
}

static void a_store_is_made_only_where_that_is_wanted(void **state)
{
    const struct flm_store_options how = {.size = sizeof how, .must_exist = true};
    struct flm_error why;
    (void)state;
    need_server();
    assert_null(flm_store_open(clickhouse_location(&server, "nothing"), &how, &why));
    assert_non_null(strstr(why.text, "there is no store in nothing"));
    flm_store_close(open_store("something"));
    struct flm_store *store = flm_store_open(clickhouse_location(&server, "something"), &how, &why);
    assert_non_null(store);
    flm_store_close(store);
}

struct thread {
    struct flm_store *store;
    int number;
};

static void *append_some(void *context)
{
    const struct thread *thread = context;
    for (int i = 0; i < 5; i++) {
        struct flm_error why;
        char service[16];
        snprintf(service, sizeof service, "service%d", (thread->number + i) % 3);
        if (!append(thread->store, service, 1, NULL, &why))
            return context;
    }
    return NULL;
}

static void many_threads_append_at_once(void **state)
{
    enum { THREADS = 12 };
    struct thread threads[THREADS];
    pthread_t ids[THREADS];
    (void)state;
    need_server();
    struct flm_store *store = open_store("threads");
    for (int i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){store, i};
        assert_int_equal(pthread_create(&ids[i], NULL, append_some, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(ids[i], &failed), 0);
        assert_null(failed);
    }
    assert_true(total(store, "") == 5 * THREADS);
    flm_store_close(store);
}

static void what_was_appended_is_there_after_the_server_is_killed(void **state)
{
    struct flm_error why;
    (void)state;
    need_server();
    struct flm_store *store = open_store("killed");
    assert_true(append(store, "api", 10, "one", &why));
    clickhouse_kill(&server);
    clickhouse_again(&server);
    assert_true(total(store, "service=api") == 10);
    /* Its client did not hear of it, and sends it again. */
    assert_true(append(store, "api", 10, "one", &why));
    assert_true(append(store, "api", 10, "one", &why));
    assert_true(append(store, "api", 5, "two", &why));
    assert_true(total(store, "service=api") == 15);
    assert_int_equal(flm_store_stats(store).repeated_batches, 2);
    /* And through another process. */
    struct flm_store *other = open_store("killed");
    assert_true(append(other, "api", 10, "one", &why));
    assert_true(total(other, "service=api") == 15);
    flm_store_close(other);
    flm_store_close(store);
}

/* It may give up where starting takes long: then it is tried again, as its client would. */
static void *append_until_done(void *context)
{
    struct flm_error why = {0};
    while (!append(context, "api", 2, "again", &why) && why.kind == FLM_ERROR_SYSTEM)
        ;
    return why.kind == FLM_ERROR_SYSTEM || why.kind == FLM_ERROR_NONE ? NULL : context;
}

static void an_append_waits_for_a_server_that_comes_back(void **state)
{
    const struct timespec moment = {0, 700000000};
    struct flm_error why = {0};
    pthread_t thread;
    void *failed;
    (void)state;
    need_server();
    struct flm_store *store = open_store("waits");
    assert_true(append(store, "api", 1, NULL, &why));
    clickhouse_kill(&server);
    assert_int_equal(pthread_create(&thread, NULL, append_until_done, store), 0);
    nanosleep(&moment, NULL);
    clickhouse_again(&server);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_true(total(store, "service=api") == 3);
    flm_store_close(store);
}

/* Every insert ends without an answer two times of three: done, or refused because half of it is
 * missing. */
static void what_nobody_answered_is_neither_lost_nor_counted_twice(void **state)
{
    struct breaking_proxy proxy;
    struct flm_error why;
    char location[100];
    (void)state;
    need_server();
    proxy_start(&proxy, server.http_port, "INSERT%20INTO%20broken.runs");
    snprintf(location, sizeof location, "clickhouse://127.0.0.1:%u/broken", proxy.port);
    struct flm_store *store = flm_store_open(location, NULL, &why);
    if (!store)
        fail_msg("%s", why.text);
    double expected = 0;
    for (int i = 0; i < 8; i++) {
        if (!append(store, i % 2 ? "api" : "web", 1 << i, NULL, &why))
            fail_msg("%s", why.text);
        expected += 1 << i;
    }
    assert_true(total(store, "") == expected);
    assert_true(proxy.lost_responses >= 4 && proxy.cut_requests >= 1);
    flm_store_close(store);
    proxy_stop(&proxy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_is_not_there_is_an_error),
        cmocka_unit_test(a_store_is_made_only_where_that_is_wanted),
        cmocka_unit_test(many_threads_append_at_once),
        cmocka_unit_test(what_was_appended_is_there_after_the_server_is_killed),
        cmocka_unit_test(what_nobody_answered_is_neither_lost_nor_counted_twice),
        cmocka_unit_test(an_append_waits_for_a_server_that_comes_back),
    };
    is_there = clickhouse_start(&server);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (is_there)
        clickhouse_stop(&server);
    return failed;
}
