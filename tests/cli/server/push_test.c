/* Pushing to a real server that is away, comes, and is killed. */
#include "cli/server/push.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "flamel/serve.h"
#include "flamel/store.h"
#include "os/clock.h"
#include "os/file_bytes.h"

enum { PATIENCE_NS = 1000000000 };

/* A folder for the store and the spool; an address that no other process has, where the server is
 * again and again at one port, below those that the system gives to others. */
struct site {
    char root[40], store[60], spool[60], url[60], host[32];
    int port;
};

static struct flm_serve *serve_on(const struct site *s, int port)
{
    const struct flm_serve_options o = {
        .size = sizeof o, .folder = s->store, .host = s->host, .port = port};
    return flm_serve_start(&o, NULL);
}

static struct flm_serve *serve_again(const struct site *s)
{
    struct flm_serve *serve = serve_on(s, s->port);
    assert_non_null(serve);
    return serve;
}

static void end(struct flm_serve *serve)
{
    assert_true(flm_serve_stop(serve, NULL));
}

static struct site site_new(void)
{
    struct site s;
    snprintf(s.root, sizeof s.root, "/tmp/flamel-push-XXXXXX");
    assert_non_null(mkdtemp(s.root));
    snprintf(s.store, sizeof s.store, "%s/store", s.root);
    snprintf(s.spool, sizeof s.spool, "%s/spool", s.root);
    unsigned process = (unsigned)getpid();
    snprintf(s.host, sizeof s.host, "127.%u.%u.%u", 1 + (process >> 16) % 250, process >> 8 & 255,
             process & 255);
    struct flm_serve *serve = NULL;
    for (s.port = 20000; !serve && s.port < 20100; s.port++)
        serve = serve_on(&s, s.port);
    assert_non_null(serve);
    s.port--;
    end(serve);
    snprintf(s.url, sizeof s.url, "http://%s:%d/", s.host, s.port);
    return s;
}

static void site_remove(const struct site *s)
{
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", s->root);
    assert_int_equal(system(command), 0);
}

static const char *const labels[] = {"region=eu", "pod=a b&c"};

static void open_to(struct flm_push *push, const struct site *s)
{
    const struct flm_push_options o = {
        .server.url = s->url,
        .labels = labels,
        .label_count = 2,
        .folder = s->spool,
        .most_bytes = 1 << 20,
        .patience_ns = PATIENCE_NS,
        .quiet = true,
    };
    struct flm_error why;
    if (!flm_push_open(push, &o, &why))
        fail_msg("%s", why.text);
}

static void add(struct flm_push *push, const char *folded)
{
    const struct flm_load_options load = {.size = sizeof load, .format = "folded"};
    struct flm_error why;
    struct flm_profile *p = flm_load_memory(folded, strlen(folded), &load, &why);
    assert_non_null(p);
    if (!flm_push_add(push, &(struct flm_service){.name = "api"}, flm_wall_ms(), p, &why))
        fail_msg("%s", why.text);
    flm_profile_free(p);
}

/* Until the thread has sent what is there. */
static void wait_until_empty(struct flm_push *push)
{
    int64_t end_ns = flm_now_ns() + (int64_t)300 * 1000000000;
    while (flm_spool_count(&push->spool) > 0) {
        if (flm_now_ns() > end_ns)
            fail_msg("after 5 minutes the profiles are not sent");
        usleep(10000);
    }
}

static double total(const struct site *s)
{
    struct flm_store *store = flm_store_open(s->store, NULL, NULL);
    const struct flm_store_query query = {.size = sizeof query,
                                          .until_ms = INT64_MAX,
                                          .selector = "service=api region=eu pod='a b&c'"};
    assert_non_null(store);
    struct flm_profile *p = flm_store_merge(store, &query, NULL);
    assert_non_null(p);
    double sum = flm_profile_metric_count(p) > 0 ? flm_profile_total(p, (struct flm_metric){0}) : 0;
    flm_profile_free(p);
    flm_store_close(store);
    return sum;
}

static void profiles_of_a_server_that_was_away_are_there_later_once(void **state)
{
    struct site s = site_new();
    struct flm_push_counts n;
    (void)state;
    struct flm_push push;
    open_to(&push, &s);
    add(&push, "main;a 1\n");
    add(&push, "main;a 2\n");
    flm_push_close(&push, &n);
    assert_int_equal(n.waiting, 2);
    assert_int_equal(n.pushed + n.refused + n.dropped, 0);
    assert_string_not_equal(push.reason, "");
    /* The next one sends them, as soon as there is a server. */
    open_to(&push, &s);
    add(&push, "main;a 4\n");
    struct flm_serve *serve = serve_again(&s);
    push.options.patience_ns = (int64_t)600 * 1000000000;
    flm_push_close(&push, &n);
    assert_int_equal(n.pushed, 3);
    assert_int_equal(n.waiting + n.refused + n.dropped, 0);
    assert_string_equal(push.reason, "");
    /* And without anything new to say nothing is pushed. */
    open_to(&push, &s);
    flm_push_close(&push, &n);
    assert_int_equal(n.pushed + n.waiting + n.refused + n.dropped, 0);
    end(serve);
    assert_true(total(&s) == 7);
    site_remove(&s);
}

static void the_server_may_go_and_come_in_between(void **state)
{
    struct site s = site_new();
    struct flm_push_counts n;
    (void)state;
    struct flm_push push;
    open_to(&push, &s);
    push.options.patience_ns = (int64_t)600 * 1000000000;
    for (int round = 0; round < 3; round++) {
        struct flm_serve *serve = serve_again(&s);
        add(&push, "main;a 1\n");
        wait_until_empty(&push);
        end(serve);
        add(&push, "main;a 1\n");
    }
    struct flm_serve *serve = serve_again(&s);
    flm_push_close(&push, &n);
    end(serve);
    assert_int_equal(n.pushed, 6);
    assert_int_equal(n.waiting + n.refused + n.dropped, 0);
    assert_true(total(&s) == 6);
    site_remove(&s);
}

static void what_the_server_refuses_is_counted_and_the_rest_goes_on(void **state)
{
    struct site s = site_new();
    struct flm_push_counts n;
    (void)state;
    struct flm_serve *serve = serve_again(&s);
    struct flm_push push;
    open_to(&push, &s);
    push.options.patience_ns = (int64_t)600 * 1000000000;
    struct flm_error why;
    assert_true(flm_spool_add(&push.spool, 1, flm_bytes_of("/api/v1/push?service=api&time=soon"),
                              NULL, flm_bytes_of("main 1\n"), &why));
    add(&push, "main;a 1\n");
    flm_push_close(&push, &n);
    end(serve);
    assert_int_equal(n.refused, 1);
    assert_int_equal(n.pushed, 1);
    assert_int_equal(n.waiting + n.dropped, 0);
    site_remove(&s);
}

static double total_of_tenant(const struct site *s, const char *tenant)
{
    struct flm_store *store = flm_store_open(s->store, NULL, NULL);
    const struct flm_store_query query = {
        .size = sizeof query, .until_ms = INT64_MAX, .tenant = tenant};
    assert_non_null(store);
    struct flm_profile *p = flm_store_merge(store, &query, NULL);
    double sum =
        p && flm_profile_metric_count(p) > 0 ? flm_profile_total(p, (struct flm_metric){0}) : 0;
    flm_profile_free(p);
    flm_store_close(store);
    return sum;
}

static void profiles_that_waited_are_of_the_tenant_they_were_recorded_for(void **state)
{
    struct site s = site_new();
    struct flm_push_counts n;
    struct flm_push_options o = {.server = {.url = s.url, .tenant = "aaa"},
                                 .folder = s.spool,
                                 .most_bytes = 1 << 20,
                                 .quiet = true};
    struct flm_push push;
    (void)state;
    assert_true(flm_push_open(&push, &o, NULL));
    add(&push, "main;a 1\n");
    flm_push_close(&push, &n);
    assert_int_equal(n.waiting, 1);
    struct flm_serve *serve = serve_again(&s);
    o.server.tenant = "bbb";
    o.patience_ns = (int64_t)600 * 1000000000;
    assert_true(flm_push_open(&push, &o, NULL));
    add(&push, "main;a 2\n");
    flm_push_close(&push, &n);
    assert_int_equal(n.pushed, 2);
    end(serve);
    assert_true(total_of_tenant(&s, "aaa") == 1);
    assert_true(total_of_tenant(&s, "bbb") == 2);
    site_remove(&s);
}

/* What is on standard error meanwhile. */
struct heard {
    char path[60];
    int before;
};

static struct heard hear(const struct site *s)
{
    struct heard h = {.before = dup(STDERR_FILENO)};
    snprintf(h.path, sizeof h.path, "%s/said", s->root);
    int file = open(h.path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    assert_true(h.before >= 0 && file >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    close(file);
    return h;
}

static bool has_heard(const struct heard *h, const char *words)
{
    struct flm_text text = {0};
    assert_true(flm_file_read(h->path, &text, NULL));
    bool found = flm_bytes_contain((struct flm_bytes){text.at ? text.at : "", text.size}, words);
    flm_text_clear(&text);
    return found;
}

static void wait_for(const struct heard *h, const char *words)
{
    int64_t end_ns = flm_now_ns() + (int64_t)300 * 1000000000;
    while (!has_heard(h, words) && flm_now_ns() < end_ns)
        usleep(10000);
}

/* First there is no server, then one that wants a token. */
static void another_reason_why_profiles_wait_is_said_too(void **state)
{
    struct site s = site_new();
    struct flm_push_counts n;
    struct flm_push_options o = {.server.url = s.url, .folder = s.spool, .most_bytes = 1 << 20};
    char token[FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE];
    struct flm_push push;
    (void)state;
    if (!flm_serve_new_token("write", NULL, token, line, NULL))
        skip(); /* without OpenSSL */
    struct heard heard = hear(&s);
    assert_true(flm_push_open(&push, &o, NULL));
    add(&push, "main;a 1\n");
    wait_for(&heard, "profiles wait in");
    const struct flm_serve_options tokens = {
        .size = sizeof tokens, .folder = s.store, .host = s.host, .port = s.port, .tokens = line};
    struct flm_serve *serve = flm_serve_start(&tokens, NULL);
    wait_for(&heard, "the server's status is 401: ");
    flm_push_close(&push, &n);
    bool both = has_heard(&heard, "the server's status is 401: this needs a token");
    dup2(heard.before, STDERR_FILENO);
    close(heard.before);
    assert_non_null(serve);
    end(serve);
    assert_true(both);
    assert_int_equal(n.waiting, 1);
    assert_non_null(strstr(push.reason, "the server's status is 401: this needs a token"));
    site_remove(&s);
}

static void options_that_cannot_be_are_refused(void **state)
{
    static const char *const wrong[] = {"region"};
    struct flm_push_options o = {
        .server.url = "localhost:1", .labels = wrong, .label_count = 1, .folder = "no/such/folder"};
    struct flm_push push;
    struct flm_error why;
    (void)state;
    assert_false(flm_push_open(&push, &o, &why));
    assert_non_null(strstr(why.text, "--push is the URL of a server"));
    o.server.url = "http://127.0.0.1:1";
    o.server.tenant = "a\r\nX-Other: b";
    assert_false(flm_push_open(&push, &o, &why));
    assert_string_equal(why.text, "--tenant has 1 to 128 letters, digits, and _ - . in it, not "
                                  "'a??X-Other: b'");
    o.server.tenant = NULL;
    assert_false(flm_push_open(&push, &o, &why));
    assert_non_null(strstr(why.text, "--label is KEY=VALUE"));
    o.server.token_file = "tests/data/README.md";
    assert_false(flm_push_open(&push, &o, &why));
    assert_non_null(strstr(why.text, "a file with a token has the token and nothing else"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_cannot_be_are_refused),
#ifdef FLAMEL_CURL
        cmocka_unit_test(profiles_of_a_server_that_was_away_are_there_later_once),
        cmocka_unit_test(the_server_may_go_and_come_in_between),
        cmocka_unit_test(what_the_server_refuses_is_counted_and_the_rest_goes_on),
        cmocka_unit_test(profiles_that_waited_are_of_the_tenant_they_were_recorded_for),
        cmocka_unit_test(another_reason_why_profiles_wait_is_said_too),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
