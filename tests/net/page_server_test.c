#include "net/page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/net/page_client.h"

static void whoever_has_the_address_gets_the_files(void **state)
{
    (void)state;
    struct page_served s = page_start();
    struct flm_text page = page_ask(&s, "GET", page_path(&s, ""), s.host, "");
    assert_int_equal(page_status(&page), 200);
    assert_non_null(strstr(page.at, "\r\n\r\n<p>page</p>"));
    assert_non_null(strstr(page.at, "Content-Type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(page.at, "Content-Security-Policy: default-src 'none'\r\n"));
    assert_non_null(strstr(page.at, "X-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(page.at, "Referrer-Policy: no-referrer\r\n"));
    assert_non_null(strstr(page.at, "Cache-Control: no-store\r\n"));
    flm_text_clear(&page);

    struct flm_text wasm = page_ask(&s, "GET", page_path(&s, "flamel.wasm"), s.host, "");
    assert_non_null(strstr(wasm.at, "Content-Type: application/wasm\r\n"));
    flm_text_clear(&wasm);

    struct flm_text profile = page_ask(&s, "GET", page_path(&s, "after.flm"), s.host, "");
    assert_int_equal(page_status(&profile), 200);
    assert_true(profile.size > PAGE_LARGE_SIZE);
    assert_memory_equal(profile.at + profile.size - 1 - PAGE_LARGE_SIZE, page_large,
                        PAGE_LARGE_SIZE);
    flm_text_clear(&profile);

    struct flm_text head = page_ask(&s, "HEAD", page_path(&s, ""), s.host, "");
    assert_int_equal(page_status(&head), 200);
    assert_null(strstr(head.at, "page"));
    flm_text_clear(&head);
    assert_page_status(&s, "GET", page_path(&s, "other"), s.host, "", 404);
    flm_page_server_stop(s.server);
}

static void without_the_token_there_is_nothing(void **state)
{
    (void)state;
    struct page_served s = page_start();
    assert_page_status(&s, "GET", "/", s.host, "", 403);
    assert_page_status(&s, "GET", "/flamel.wasm", s.host, "", 403);
    assert_page_status(&s, "GET", "//", s.host, "", 403);
    char path[128];
    for (size_t size = 0; size < 32; size++) {
        snprintf(path, sizeof path, "/%.*s/", (int)size, s.token);
        assert_page_status(&s, "GET", path, s.host, "", 403);
    }
    snprintf(path, sizeof path, "/%s", s.token);
    assert_page_status(&s, "GET", path, s.host, "", 403);
    snprintf(path, sizeof path, "/%s0/", s.token);
    assert_page_status(&s, "GET", path, s.host, "", 403);
    snprintf(path, sizeof path, "/%s/", s.token);
    path[20] = path[20] == '0' ? '1' : '0';
    assert_page_status(&s, "GET", path, s.host, "", 403);
    flm_page_server_stop(s.server);
}

static void other_hosts_and_origins_are_refused(void **state)
{
    (void)state;
    struct page_served s = page_start();
    char text[128];
    const char *path = page_path(&s, "");
    assert_page_status(&s, "GET", path, "evil.example", "", 403);
    assert_page_status(&s, "GET", path, "127.0.0.1", "", 403);
    assert_page_status(&s, "GET", path, "127.0.0.1:1", "", 403);
    snprintf(text, sizeof text, "localhost:%u", s.port);
    assert_page_status(&s, "GET", path, text, "", 200);
    assert_page_status(&s, "GET", path, s.host, "Origin: http://evil.example\r\n", 403);
    assert_page_status(&s, "GET", path, s.host, "Origin: null\r\n", 403);
    assert_page_status(&s, "GET", path, s.host, "Origin: \r\n", 403);
    snprintf(text, sizeof text, "Origin: http://127.0.0.1:%u\r\n", s.port);
    assert_page_status(&s, "GET", path, s.host, text, 200);
    snprintf(text, sizeof text, "Origin: https://127.0.0.1:%u\r\n", s.port);
    assert_page_status(&s, "GET", path, s.host, text, 403);

    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path); /* no Host at all */
    struct flm_text answer = page_talk(&s, request);
    assert_int_equal(page_status(&answer), 403);
    flm_text_clear(&answer);
    flm_page_server_stop(s.server);
}

static void there_is_only_get(void **state)
{
    (void)state;
    struct page_served s = page_start();
    const char *path = page_path(&s, "");
    assert_page_status(&s, "POST", path, s.host, "Content-Length: 0\r\n", 405);
    assert_page_status(&s, "POST", path, s.host, "Content-Length: 5\r\n\r\nhello", 405);
    assert_page_status(&s, "PUT", path, s.host, "Content-Length: 1000000\r\n", 405);
    assert_page_status(&s, "DELETE", path, s.host, "", 405);
    assert_page_status(&s, "OPTIONS", path, s.host, "", 405);
    assert_page_status(&s, "POST", "/", s.host, "Content-Length: 0\r\n", 403);
    flm_page_server_stop(s.server);
}

/* The answer to a file that is posted; `origin` may be NULL, `length` -1. */
static struct flm_text post(const struct page_served *s, const char *path, const char *origin,
                            long length, const char *body)
{
    struct flm_text request = {0};
    flm_text_format(&request, "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", path,
                    s->host);
    if (origin)
        flm_text_format(&request, "Origin: %s\r\n", origin);
    if (length >= 0)
        flm_text_format(&request, "Content-Length: %ld\r\n", length);
    flm_text_format(&request, "\r\n%s", "");
    flm_text_puts(&request, body);
    flm_text_putc(&request, 0);
    struct flm_text answer = page_talk(s, request.at);
    flm_text_clear(&request);
    return answer;
}

static void a_file_that_is_posted_is_read(void **state)
{
    (void)state;
    struct page_served s = page_start();
    char origin[80], body[60001] = "";
    snprintf(origin, sizeof origin, "http://%s", s.host);
    for (size_t i = 0; i + 1 < sizeof body; i++)
        body[i] = "abc"[i % 3];
    struct flm_text answer = post(&s, page_path(&s, "read"), origin, 60000, body);
    assert_int_equal(page_status(&answer), 200);
    assert_non_null(strstr(answer.at, "Content-Type: application/octet-stream\r\n"));
    const char *back = strstr(answer.at, "\r\n\r\n") + 4;
    assert_int_equal(strlen(back), 60000);
    assert_memory_equal(back, "cbacba", 6);
    flm_text_clear(&answer);
    answer = post(&s, page_path(&s, "read"), origin, 3, "xyz");
    assert_int_equal(page_status(&answer), 422);
    assert_non_null(strstr(answer.at, "\r\n\r\nthis begins with x"));
    flm_text_clear(&answer);
    answer = post(&s, page_path(&s, "read"), origin, 0, "");
    assert_int_equal(page_status(&answer), 200);
    flm_text_clear(&answer);
    flm_page_server_stop(s.server);
}

static void nobody_else_can_post_and_nothing_larger(void **state)
{
    (void)state;
    struct page_served s = page_start();
    char origin[80], without[] = "/00000000000000000000000000000000/read";
    snprintf(origin, sizeof origin, "http://%s", s.host);
    const struct {
        const char *path, *origin;
        long length;
        int status;
    } refused[] = {
        {page_path(&s, "read"), NULL, 3, 405},
        {page_path(&s, "read"), "http://example.org", 3, 403},
        {page_path(&s, "read"), "null", 3, 403},
        {without, origin, 3, 403},
        {"/read", origin, 3, 403},
        {page_path(&s, "after.flm"), origin, 3, 405},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct flm_text answer =
            post(&s, refused[i].path, refused[i].origin, refused[i].length, "abc");
        assert_int_equal(page_status(&answer), refused[i].status);
        assert_null(strstr(answer.at, "cba"));
        flm_text_clear(&answer);
    }
    struct flm_text body = {0};
    flm_text_repeat(&body, 'a', 100001);
    flm_text_putc(&body, 0);
    struct flm_text answer = post(&s, page_path(&s, "read"), origin, 100001, body.at);
    assert_int_equal(page_status(&answer), 413);
    assert_non_null(strstr(answer.at, "flamel view FILE"));
    flm_text_clear(&answer);
    answer = post(&s, page_path(&s, "read"), origin, 100000, body.at + 1);
    assert_int_equal(page_status(&answer), 200);
    flm_text_clear(&answer);
    flm_text_clear(&body);
    flm_page_server_stop(s.server);
}

static void each_server_has_a_token_and_a_port_of_its_own(void **state)
{
    (void)state;
    struct page_served a = page_start(), b = page_start();
    assert_string_not_equal(a.token, b.token);
    assert_int_not_equal(a.port, b.port);
    assert_page_status(&a, "GET", page_path(&b, ""), a.host, "", 403);
    struct flm_error why = {0};
    assert_null(page_try(a.port, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "cannot listen on 127.0.0.1"));
    flm_page_server_stop(a.server);
    flm_page_server_stop(b.server);
    flm_page_server_stop(NULL);
}

static void only_this_machine_can_connect(void **state)
{
    (void)state;
    struct page_served s = page_start();
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(s.port)};
    /* 127.0.0.2 is this machine too, and not the address that is listened on. */
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_not_equal(connect(file, (struct sockaddr *)(void *)&any, sizeof any), 0);
    close(file);
    flm_page_server_stop(s.server);
}

/* ---- The exchange ---------------------------------------------------------------------------- */

static const char *exchange_path(const struct page_served *s)
{
    const char *url = flm_page_server_exchange_url(s->server);
    const char *path = strstr(url, "/open/");
    assert_non_null(path);
    assert_null(strstr(url, s->token));
    return path;
}

static void an_address_for_a_command_line_is_good_once(void **state)
{
    (void)state;
    struct page_served s = page_start();
    const char *path = exchange_path(&s);
    char other[128], location[128];
    snprintf(other, sizeof other, "%s", path);
    other[12] = other[12] == '0' ? '1' : '0';
    assert_page_status(&s, "GET", other, s.host, "", 403);
    snprintf(other, sizeof other, "%sflamel.wasm", path);
    assert_page_status(&s, "GET", other, s.host, "", 403);
    assert_page_status(&s, "GET", "/open/", s.host, "", 403);
    assert_page_status(&s, "GET", path, "evil.example", "", 403);
    assert_page_status(&s, "GET", path, s.host, "Origin: http://evil.example\r\n", 403);
    assert_page_status(&s, "POST", path, s.host, "Content-Length: 0\r\n", 403);
    assert_page_status(&s, "HEAD", path, s.host, "", 302);
    struct flm_text answer = page_ask(&s, "GET", path, s.host, "");
    assert_int_equal(page_status(&answer), 302);
    snprintf(location, sizeof location, "\r\nLocation: /%s/\r\n", s.token);
    assert_non_null(strstr(answer.at, location));
    assert_non_null(strstr(answer.at, "Cache-Control: no-store\r\n"));
    flm_text_clear(&answer);
    assert_page_status(&s, "GET", path, s.host, "", 403);
    assert_page_status(&s, "HEAD", path, s.host, "", 403);
    assert_page_status(&s, "GET", page_path(&s, ""), s.host, "", 200);
    flm_page_server_stop(s.server);
}

/* The address that a process list shows is of no use to another user, and stays good. */
static void another_user_cannot_exchange_it(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    struct page_served s = page_start();
    const char *path = exchange_path(&s);
    pid_t child = fork();
    if (child == 0) {
        int status = 0;
        if (setgid(65534) == 0 && setuid(65534) == 0) {
            struct flm_text answer = page_ask(&s, "GET", path, s.host, "");
            bool has_token = strstr(answer.at, s.token);
            status = has_token ? 1 : page_status(&answer) == 403 ? 42 : 2;
        }
        _exit(status);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_page_status(&s, "GET", path, s.host, "", 302);
    flm_page_server_stop(s.server);
}

/* ---- Without memory -------------------------------------------------------------------------- */

/* Asks for the page, without any memory of its own; 0: the connection was closed. */
static int status_without_memory(const struct flm_page_server *server)
{
    char token[40], request[300], answer[4096] = "";
    struct page_served s = {0};
    unsigned port;
    int status = 0;
    assert_int_equal(
        sscanf(flm_page_server_url(server), "http://127.0.0.1:%u/%39[0-9a-f]/", &port, token), 2);
    s.port = (uint16_t)port;
    snprintf(request, sizeof request,
             "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", token, port);
    int file = page_connect(&s);
    (void)send(file, request, strlen(request), MSG_NOSIGNAL);
    size_t size = 0;
    ssize_t got;
    while (size < sizeof answer - 1 &&
           (got = recv(file, answer + size, sizeof answer - 1 - size, 0)) > 0)
        size += (size_t)got;
    close(file);
    (void)sscanf(answer, "HTTP/1.1 %d", &status);
    return status;
}

/* A connection for which there is no memory is closed; the next one may be served. */
static bool serve_twice(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_page_server *server = page_try(0, why);
    if (!server)
        return false;
    for (int i = 0; i < 2; i++) {
        int status = status_without_memory(server);
        assert_true(status == 200 || (status == 0 && allocation_has_failed()));
    }
    flm_page_server_stop(server);
    return true;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(serve_twice, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_has_the_address_gets_the_files),
        cmocka_unit_test(without_the_token_there_is_nothing),
        cmocka_unit_test(other_hosts_and_origins_are_refused),
        cmocka_unit_test(there_is_only_get),
        cmocka_unit_test(a_file_that_is_posted_is_read),
        cmocka_unit_test(nobody_else_can_post_and_nothing_larger),
        cmocka_unit_test(each_server_has_a_token_and_a_port_of_its_own),
        cmocka_unit_test(only_this_machine_can_connect),
        cmocka_unit_test(an_address_for_a_command_line_is_good_once),
        cmocka_unit_test(another_user_cannot_exchange_it),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
