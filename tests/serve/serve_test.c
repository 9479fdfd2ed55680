/* The whole server, asked over sockets; its store is then opened without it. */
#include "flamel/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/encode/base64.h"
#include "os/gzip.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

static void it_says_how_it_is(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/ingest?name=a", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=a&from=now", "a\n", 422, "");
    expect_get(&s, "/nothing", 404, "");
    expect_get(&s, "/healthz", 200, "ok\n");
    expect_get(&s, "/readyz", 200, "ready\n");
    struct http_answer a = http_ask(s.port, "GET", "/metrics", "", flm_bytes_of(""));
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.all.at, "\nflamel_profiles_total 1\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_refused_profiles_total 1\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_requests_total{status=\"4xx\"} 2\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_compacted_segments_total 0\n"));
    assert_non_null(strstr(a.all.at, "\nflamel_pending_batches 1\n"));
    flm_text_clear(&a.all);
    serve_stop(&s);
}

/* ---- Safety ---------------------------------------------------------------------------------- */

static void other_machines_may_ask_only_with_tokens(void **state)
{
    struct flm_error why = {0};
    char folder[] = "/tmp/flamel-serve-XXXXXX";
    struct flm_serve_options o = {.size = sizeof o, .folder = folder, .host = "0.0.0.0"};
    (void)state;
    assert_non_null(mkdtemp(folder)); /* and it is not made again where the server cannot start */
    assert_int_equal(rmdir(folder), 0);
    assert_null(flm_serve_start(&o, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "--token-file"));
    assert_int_not_equal(access(o.folder, F_OK), 0);
    o.tokens = "# none\n";
    assert_null(flm_serve_start(&o, &why));
    struct served s = serve_start((struct flm_serve_options){0});
    o = (struct flm_serve_options){.size = sizeof o, .folder = folder, .port = s.port};
    assert_null(flm_serve_start(&o, &why));
    assert_non_null(strstr(why.text, "cannot listen on 127.0.0.1"));
    assert_int_not_equal(access(folder, F_OK), 0);
    serve_stop(&s);
}

static void rights_are_separate_and_tenants_are_apart(void **state)
{
    char token[4][FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE], bearer[4][400];
    static const char *const rights[] = {"write", "read", "read,write", "read"};
    struct flm_text file = {0};
    struct flm_error why;
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_true(flm_serve_new_token(rights[i], i >= 2 ? "web" : NULL, token[i], line, &why));
        flm_text_puts(&file, line);
        snprintf(bearer[i], sizeof bearer[i], "Authorization: Bearer %s\r\n", token[i]);
    }
    flm_text_putc(&file, 0);
    struct served s = serve_start((struct flm_serve_options){.tokens = file.at});
    struct flm_bytes a = flm_bytes_of("a 1\n"), none = flm_bytes_of("");
    expect_get(&s, "/healthz", 200, "ok");
    expect_get(&s, "/metrics", 401, "");
    expect(&s, "GET", "/metrics", bearer[1], none, 200, "# HELP");
    expect(&s, "GET", "/metrics", bearer[3], none, 403, "this is of all tenants");
    expect_post(&s, "/ingest?name=x", "a 1\n", 401, "this needs a token");
    expect(&s, "POST", "/ingest?name=x", bearer[1], a, 403, "the token has no right");
    expect(&s, "POST", "/ingest?name=x", bearer[0], a, 200, "");
    expect(&s, "GET", "/api/v1/services", bearer[0], none, 403, "{\"error\"");
    expect(&s, "GET", "/api/v1/services", bearer[1], none, 200, "{\"services\": [\"x\"]}");
    expect(&s, "POST", "/ingest?name=y", bearer[2], a, 200, "");
    expect(&s, "GET", "/api/v1/services", bearer[3], none, 200, "{\"services\": [\"y\"]}");
    char both[500];
    snprintf(both, sizeof both, "%sX-Scope-OrgID: web\r\n", bearer[1]);
    expect(&s, "GET", "/api/v1/services", both, none, 200, "{\"services\": [\"y\"]}");
    snprintf(both, sizeof both, "%sX-Scope-OrgID: shop\r\n", bearer[3]);
    expect(&s, "GET", "/api/v1/services", both, none, 403,
           "{\"error\": \"the token belongs to another");
    flm_text_clear(&file);
    serve_stop(&s);
}

static void pages_of_other_sites_get_nothing(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_bytes a = flm_bytes_of("a 1\n");
    char own[80];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%u\r\n", s.port);
    expect(&s, "POST", "/ingest?name=x", "Origin: https://example.org\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", "Origin: null\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", "Sec-Fetch-Site: cross-site\r\n", a, 403, "cross-site");
    expect(&s, "POST", "/ingest?name=x", own, a, 200, "");
    static const char *const hosts[] = {"rebound.example", "127.evil.example", "127.0.0.1.evil"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        char request[200];
        snprintf(request, sizeof request,
                 "GET /api/v1/services HTTP/1.1\r\nHost: %s:%u\r\nConnection: close\r\n\r\n",
                 hosts[i], s.port);
        struct flm_text answer = http_exchange(s.port, flm_bytes_of(request));
        assert_non_null(strstr(answer.at, "HTTP/1.1 403"));
        flm_text_clear(&answer);
    }
    struct flm_text answer = http_exchange(s.port, flm_bytes_of("GET /healthz HTTP/1.0\r\n\r\n"));
    assert_non_null(strstr(answer.at, " 200 "));
    flm_text_clear(&answer);
    serve_stop(&s);
}

static void bodies_are_bounded_before_and_after_decompression(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){.most_body = 1 << 20});
    struct flm_text zeros = {0}, bomb = {0};
    flm_text_repeat(&zeros, ' ', 8 << 20);
    assert_true(flm_gzip((struct flm_bytes){zeros.at, zeros.size}, 6, &bomb, NULL));
    /* What was decompressed of one is given back: the budget of all is 8 MiB. */
    for (int i = 0; i < 5; i++)
        expect(&s, "POST", "/ingest?name=x", "Content-Encoding: gzip\r\n",
               (struct flm_bytes){bomb.at, bomb.size}, 413, "this is more than 4 MiB");
    zeros.size = 3 << 20;
    bomb.size = 0;
    assert_true(flm_gzip((struct flm_bytes){zeros.at, zeros.size}, 6, &bomb, NULL));
    for (int i = 0; i < 5; i++)
        expect(&s, "POST", "/api/v1/push", "", (struct flm_bytes){bomb.at, bomb.size}, 200, "");
    struct flm_text answer =
        http_exchange(s.port, flm_bytes_of("POST /ingest?name=x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                           "Content-Length: 2000000\r\nConnection: close\r\n\r\n"));
    assert_non_null(strstr(answer.at, "HTTP/1.1 413"));
    flm_text_clear(&answer);
    expect_post(&s, "/ingest?name=x", "a 1\n", 200, "");
    flm_text_clear(&zeros);
    flm_text_clear(&bomb);
    serve_stop(&s);
}

static void too_many_series_are_refused_and_known_ones_go_on(void **state)
{
    static const char json[] = "Content-Type: application/json\r\n";
    (void)state;
    struct served s = serve_start((struct flm_serve_options){.most_series = 2});
    /* What is refused is not counted: for its time, for a label, for one series too many. */
    expect_post(&s, "/ingest?name=old&from=4000000000", "a 1\n", 422, "the profile's time is ");
    struct flm_text long_one = {0}, three = {0};
    flm_text_puts(&long_one, "/ingest?name=long%7Ba=");
    flm_text_repeat(&long_one, 'x', 3000);
    flm_text_puts(&long_one, "%7D");
    flm_text_putc(&long_one, 0);
    expect_post(&s, long_one.at, "a 1\n", 400, "");
    struct flm_text profile = pprof_of("main;work 5\n");
    for (int i = 0; i < 3; i++) {
        flm_text_format(&three,
                        "%s{\"labels\": [{\"name\": \"service_name\", \"value\": \"p%u\"}]"
                        ", \"samples\": [{\"rawProfile\": \"",
                        i == 0 ? "{\"series\": [" : ", ", (unsigned)i);
        flm_base64_add(&three, (struct flm_bytes){profile.at, profile.size});
        flm_text_puts(&three, i == 2 ? "\"}]}]}" : "\"}]}");
    }
    expect(&s, "POST", "/push.v1.PusherService/Push", json,
           (struct flm_bytes){three.at, three.size}, 429, "{\"code\": \"resource_exhausted\"");
    flm_text_clear(&long_one);
    flm_text_clear(&three);
    flm_text_clear(&profile);
    expect_post(&s, "/ingest?name=x%7Bid=1%7D", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=x%7Bid=2%7D", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=x%7Bid=3%7D", "a 1\n", 429, "there are 2 series already");
    expect_post(&s, "/ingest?name=x%7Bid=1%7D", "a 1\n", 200, "");
    expect(&s, "POST", "/ingest?name=x%7Bid=3%7D", "X-Scope-OrgID: other\r\n",
           flm_bytes_of("a 1\n"), 200, "");
    serve_stop(&s);
}

static void times_that_are_not_kept_are_refused(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){.keep_ms = 3600 * 1000});
    expect_post(&s, "/ingest?name=x&from=now-30m", "a 1\n", 200, "");
    expect_post(&s, "/ingest?name=x&from=now-3h", "a 1\n", 422, "the profile is 3 hours old");
    expect_post(&s, "/ingest?name=x&from=4000000000", "a 1\n", 422, "the profile's time is ");
    expect_post(&s, "/api/v1/push?service=x&time=5", "a 1\n", 422,
                "{\"error\": \"the profile's time is before the year 2000");
    serve_stop(&s);
}

/* Connections that say nothing, or half of a request, keep nobody out, and do not keep the server
 * from ending. */
static void silent_and_half_open_clients_keep_nobody_out(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    int silent[100];
    for (int i = 0; i < 100; i++) {
        static const char half[] = "POST /ingest?name=x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                   "Content-Length: 100\r\n\r\na 1";
        silent[i] = http_connect(s.port);
        assert_true(silent[i] >= 0);
        if (i % 2)
            assert_int_equal(send(silent[i], half, sizeof half - 1, MSG_NOSIGNAL), sizeof half - 1);
    }
    expect_post(&s, "/ingest?name=y", "a 1\n", 200, "");
    expect_get(&s, "/api/v1/services", 200, "{\"services\": [\"y\"]}");
    struct flm_error why;
    assert_true(flm_serve_stop(s.serve, &why));
    s.serve = NULL;
    for (int i = 0; i < 100; i++)
        close(silent[i]);
    serve_stop(&s);
}

/* ---- Durability ------------------------------------------------------------------------------ */

/* A child serves, and is killed while it is asked; what it has acknowledged is there afterward,
 * once. Stacks have the number of their request, so that each can be found. */
static void nothing_acknowledged_is_lost_or_doubled(void **state)
{
    (void)state;
    struct flm_error why = {0};
    char folder[] = "/tmp/flamel-serve-XXXXXX", command[100];
    unsigned char acknowledged[2000] = {0};
    assert_non_null(mkdtemp(folder));
    unsigned next = 0;
    for (int round = 0; round < 8; round++) {
        int pipes[2];
        uint16_t port = 0;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            const struct flm_serve_options o = {.size = sizeof o, .folder = folder};
            struct flm_serve *serve = flm_serve_start(&o, &why);
            unsigned number = 0;
            if (serve)
                sscanf(flm_serve_url(serve), "http://127.0.0.1:%u/", &number);
            port = (uint16_t)number;
            if (write(pipes[1], &port, sizeof port) != sizeof port)
                _exit(1);
            for (;;)
                pause();
        }
        assert_int_equal(read(pipes[0], &port, sizeof port), sizeof port);
        assert_int_not_equal(port, 0);
        close(pipes[0]);
        close(pipes[1]);
        unsigned last = next + 20 + 13 * (unsigned)round;
        for (; next <= last; next++) {
            char body[32];
            snprintf(body, sizeof body, "main;r%u 1\n", next);
            if (next == last) {
                /* The last one is under way when the server ends: it may be there or not. */
                int file = http_connect(port);
                char request[200];
                snprintf(request, sizeof request,
                         "POST /api/v1/push?service=s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                         "Content-Length: %zu\r\n\r\n%s",
                         strlen(body), body);
                assert_true(send(file, request, strlen(request), MSG_NOSIGNAL) > 0);
                kill(child, SIGKILL);
                close(file);
                acknowledged[next] = 2;
            } else {
                struct http_answer a =
                    http_ask(port, "POST", "/api/v1/push?service=s", "", flm_bytes_of(body));
                assert_int_equal(a.status, 200);
                acknowledged[next] = 1;
                flm_text_clear(&a.all);
            }
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    const struct flm_store_options must = {.size = sizeof must, .must_exist = true};
    struct flm_store *store = flm_store_open(folder, &must, &why);
    if (!store)
        fail_msg("%s", why.text);
    const struct flm_store_query all = {.size = sizeof all, .until_ms = INT64_MAX};
    struct flm_profile *p = flm_store_merge(store, &all, &why);
    assert_non_null(p);
    const double *self = flm_profile_self(p, (struct flm_metric){0});
    for (uint32_t n = 1; n < flm_profile_node_count(p); n++) {
        const struct flm_frame_record *frame =
            flm_profile_frame(p, (struct flm_frame){flm_profile_frames(p)[n]});
        struct flm_name name = flm_profile_string(p, (struct flm_string){frame->function});
        if (name.size < 2 || name.at[0] != 'r')
            continue;
        unsigned number = 0;
        for (size_t i = 1; i < name.size; i++)
            number = 10 * number + (unsigned)(name.at[i] - '0');
        assert_true(number < next);
        assert_true(self[n] == 1);
        assert_int_not_equal(acknowledged[number], 0);
        acknowledged[number] = 0;
    }
    for (unsigned i = 0; i < next; i++)
        assert_int_not_equal(acknowledged[i], 1);
    flm_profile_free(p);
    flm_store_close(store);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_how_it_is),
        cmocka_unit_test(other_machines_may_ask_only_with_tokens),
        cmocka_unit_test(rights_are_separate_and_tenants_are_apart),
        cmocka_unit_test(pages_of_other_sites_get_nothing),
        cmocka_unit_test(bodies_are_bounded_before_and_after_decompression),
        cmocka_unit_test(too_many_series_are_refused_and_known_ones_go_on),
        cmocka_unit_test(times_that_are_not_kept_are_refused),
        cmocka_unit_test(silent_and_half_open_clients_keep_nobody_out),
        cmocka_unit_test(nothing_acknowledged_is_lost_or_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
