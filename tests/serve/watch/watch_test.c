/* A service that became slower is found, in /metrics and by a webhook, once; one that did not is
 * not. */
#include "serve/watch/watch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/clock.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

static struct served served;

#ifdef FLAMEL_CURL

enum { STEP_MS = 5000, PATIENCE_MS = 120000, RUNS = 40 };

/* A receiver of webhooks, as few lines as it takes. */
static int listen_somewhere(unsigned *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(door, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(door, 8), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return door;
}

/* The next request, as far as its body is whole; answered with `status`. False: none came. */
static bool receive(int door, int patience_ms, const char *status, char *request, size_t room)
{
    struct pollfd waiting = {.fd = door, .events = POLLIN};
    char reply[100];
    size_t size = 0, wanted = room;
    if (poll(&waiting, 1, patience_ms) != 1)
        return false;
    int link = accept(door, NULL, NULL);
    assert_true(link >= 0);
    for (ssize_t got = 1; size < wanted && got > 0;) {
        got = read(link, request + size, room - 1 - size);
        size += got > 0 ? (size_t)got : 0;
        request[size] = 0;
        const char *length = strstr(request, "Content-Length: "),
                   *end = strstr(request, "\r\n\r\n");
        if (length && end)
            wanted = (size_t)(end + 4 - request) + (size_t)atoi(length + 16);
    }
    snprintf(reply, sizeof reply, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
             status);
    assert_true(write(link, reply, strlen(reply)) > 0);
    close(link);
    return true;
}

static void push(const char *service, int64_t time_ms, const char *folded)
{
    char target[200];
    snprintf(target, sizeof target, "/api/v1/push?service=%s&time=%lld", service,
             (long long)time_ms);
    expect_post(&served, target, folded, 200, "{}");
}

/* Of both services the first half is alike; the second half of one has a function more. */
static void push_all(int64_t now_ms)
{
    for (int i = 0; i < RUNS; i++) {
        char quiet[100], slower[200];
        int64_t time_ms = now_ms - (RUNS - i) * (int64_t)STEP_MS;
        int jitter = i * 7 % 5;
        snprintf(quiet, sizeof quiet, "main;work %d\nmain;rest %d\n", 1000 + jitter, 500 - jitter);
        snprintf(slower, sizeof slower, "%smain;parse %d\n", quiet,
                 (i < RUNS / 2 ? 100 : 900) + jitter);
        push("quiet", time_ms, quiet);
        push("api", time_ms, slower);
    }
}

static void await_metric(const char *wanted)
{
    for (int waited = 0;; waited += 100) {
        struct http_answer a =
            http_ask(served.port, "GET", "/metrics", "", (struct flm_bytes){"", 0});
        assert_int_equal(a.status, 200);
        bool is_there = strstr(a.all.at, wanted) != NULL;
        if (!is_there && waited > PATIENCE_MS)
            fail_msg("no '%s' in\n%s", wanted, a.all.at);
        flm_text_clear(&a.all);
        if (is_there)
            return;
        poll(NULL, 0, 100);
    }
}

static void a_change_is_told_once_and_again_only_where_it_was_refused(void **state)
{
    unsigned port;
    int door = listen_somewhere(&port);
    char url[100], first[8000], second[8000];
    (void)state;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/hook", port);
    served = serve_start((struct flm_serve_options){.watch_step_ms = STEP_MS, .webhook = url});
    push_all(flm_wall_ms());
    assert_true(receive(door, PATIENCE_MS, "503 Later", first, sizeof first));
    assert_true(receive(door, PATIENCE_MS, "200 OK", second, sizeof second));
    const char *again = strstr(second, "\"service\": \"api\"");
    assert_non_null(strstr(first, "\"service\": \"api\""));
    assert_non_null(again);
    assert_non_null(strstr(second, "POST /hook "));
    assert_non_null(strstr(second, "Content-Type: application/json"));
    assert_non_null(strstr(second, "parse"));
    await_metric("flamel_changes{tenant=\"\",service=\"api\",type=\"samples:samples\"} 1\n");
    await_metric("flamel_changes{tenant=\"\",service=\"quiet\",type=\"samples:samples\"} 0\n");
    await_metric("flamel_last_change_timestamp_seconds{tenant=\"\",service=\"quiet\",type="
                 "\"samples:samples\"} 0\n");
    /* Two more looks: what was told is not told again. */
    assert_false(receive(door, 2 * STEP_MS, "200 OK", second, sizeof second));
    serve_stop(&served);
    close(door);
}

#endif

static void what_cannot_be_watched_is_refused(void **state)
{
    static const struct flm_serve_options wrong[] = {
        {.webhook = "http://127.0.0.1:1/"},
        {.watch_step_ms = 10},
        {.watch_step_ms = 5000, .webhook = "file:///etc/passwd"},
    };
    (void)state;
    served = serve_start((struct flm_serve_options){.port = 0});
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_serve_options options = wrong[i];
        char folder[100];
        struct flm_error why;
        snprintf(folder, sizeof folder, "%s/other", served.folder);
        options.size = sizeof options;
        options.folder = folder;
        assert_null(flm_serve_start(&options, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    serve_stop(&served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FLAMEL_CURL
        cmocka_unit_test(a_change_is_told_once_and_again_only_where_it_was_refused),
#endif
        cmocka_unit_test(what_cannot_be_watched_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
