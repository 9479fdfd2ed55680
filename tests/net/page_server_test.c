#include "net/page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/allocation.h"
#include "support/core/failures.h"

static const char policy[] = "default-src 'none'";
static const char large[300000] = "large";

static const struct flm_page_file files[] = {
    {"", "text/html; charset=utf-8", "<p>page</p>", 11},
    {"flamel.wasm", "application/wasm", "\0asm\1\0\0\0", 8},
    {"after.flm", "application/octet-stream", large, sizeof large},
};

/* Answers with the bytes backwards; refuses those that begin with 'x'. */
static bool turn_around(void *context, struct flm_bytes file, struct flm_text *answer,
                        struct flm_error *why)
{
    (void)context;
    if (file.size > 0 && file.at[0] == 'x')
        return flm_error_set(why, FLM_ERROR_FORMAT, "this begins with x");
    for (size_t i = file.size; i > 0; i--)
        flm_text_putc(answer, file.at[i - 1]);
    return true;
}

static const struct flm_page_reader reader = {"read", 100000, "open it with: flamel view FILE",
                                              turn_around, NULL};

struct served {
    struct flm_page_server *server;
    char url[128], host[64], token[64];
    uint16_t port;
};

static struct served start(void)
{
    struct served s = {0};
    struct flm_error why = {0};
    s.server = flm_page_server_start(0, files, 3, policy, &reader, 1, &why);
    if (!s.server)
        fail_msg("%s", why.text);
    snprintf(s.url, sizeof s.url, "%s", flm_page_server_url(s.server));
    unsigned port;
    assert_int_equal(sscanf(s.url, "http://127.0.0.1:%u/%63[0-9a-f]/", &port, s.token), 2);
    assert_int_equal(strlen(s.token), 32);
    s.port = (uint16_t)port;
    snprintf(s.host, sizeof s.host, "127.0.0.1:%u", port);
    return s;
}

/* Sends the bytes as they are, and returns all that comes back, until the other side ends. */
static struct flm_text talk(const struct served *s, const char *request)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(s->port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (struct sockaddr *)(void *)&to, sizeof to), 0);
    assert_int_equal(send(file, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    struct flm_text answer = {0};
    ssize_t got;
    do {
        char *room = flm_text_reserve(&answer, 65536);
        got = recv(file, room, 65536, 0);
        answer.size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    close(file);
    flm_text_putc(&answer, 0);
    return answer;
}

/* The answer to METHOD PATH with a Host and further headers. */
static struct flm_text ask(const struct served *s, const char *method, const char *path,
                           const char *host, const char *more)
{
    struct flm_text request = {0};
    flm_text_format(&request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", method,
                    path, host, more);
    flm_text_putc(&request, 0);
    struct flm_text answer = talk(s, request.at);
    flm_text_clear(&request);
    return answer;
}

static int status_of(const struct flm_text *answer)
{
    int status = 0;
    assert_int_equal(sscanf(answer->at, "HTTP/1.1 %d", &status), 1);
    return status;
}

static void assert_status(const struct served *s, const char *method, const char *path,
                          const char *host, const char *more, int expected)
{
    struct flm_text answer = ask(s, method, path, host, more);
    if (status_of(&answer) != expected)
        fail_msg("%s %s (%s, %s) is answered %d, not %d", method, path, host, more,
                 status_of(&answer), expected);
    /* Nothing of what is served stands in a refusal. */
    if (expected != 200)
        assert_null(strstr(answer.at, "<p>page</p>"));
    flm_text_clear(&answer);
}

static const char *path_of(const struct served *s, const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "/%s/%s", s->token, name);
    return to;
}

static void whoever_has_the_address_gets_the_files(void **state)
{
    (void)state;
    struct served s = start();
    struct flm_text page = ask(&s, "GET", path_of(&s, ""), s.host, "");
    assert_int_equal(status_of(&page), 200);
    assert_non_null(strstr(page.at, "\r\n\r\n<p>page</p>"));
    assert_non_null(strstr(page.at, "Content-Type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(page.at, "Content-Security-Policy: default-src 'none'\r\n"));
    assert_non_null(strstr(page.at, "X-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(page.at, "Referrer-Policy: no-referrer\r\n"));
    assert_non_null(strstr(page.at, "Cache-Control: no-store\r\n"));
    flm_text_clear(&page);

    struct flm_text wasm = ask(&s, "GET", path_of(&s, "flamel.wasm"), s.host, "");
    assert_non_null(strstr(wasm.at, "Content-Type: application/wasm\r\n"));
    flm_text_clear(&wasm);

    struct flm_text profile = ask(&s, "GET", path_of(&s, "after.flm"), s.host, "");
    assert_int_equal(status_of(&profile), 200);
    assert_true(profile.size > sizeof large);
    assert_memory_equal(profile.at + profile.size - 1 - sizeof large, large, sizeof large);
    flm_text_clear(&profile);

    struct flm_text head = ask(&s, "HEAD", path_of(&s, ""), s.host, "");
    assert_int_equal(status_of(&head), 200);
    assert_null(strstr(head.at, "page"));
    flm_text_clear(&head);
    assert_status(&s, "GET", path_of(&s, "other"), s.host, "", 404);
    flm_page_server_stop(s.server);
}

static void without_the_token_there_is_nothing(void **state)
{
    (void)state;
    struct served s = start();
    assert_status(&s, "GET", "/", s.host, "", 403);
    assert_status(&s, "GET", "/flamel.wasm", s.host, "", 403);
    assert_status(&s, "GET", "//", s.host, "", 403);
    char path[128];
    for (size_t size = 0; size < 32; size++) {
        snprintf(path, sizeof path, "/%.*s/", (int)size, s.token);
        assert_status(&s, "GET", path, s.host, "", 403);
    }
    snprintf(path, sizeof path, "/%s", s.token);
    assert_status(&s, "GET", path, s.host, "", 403);
    snprintf(path, sizeof path, "/%s0/", s.token);
    assert_status(&s, "GET", path, s.host, "", 403);
    snprintf(path, sizeof path, "/%s/", s.token);
    path[20] = path[20] == '0' ? '1' : '0';
    assert_status(&s, "GET", path, s.host, "", 403);
    flm_page_server_stop(s.server);
}

static void other_hosts_and_origins_are_refused(void **state)
{
    (void)state;
    struct served s = start();
    char text[128];
    const char *path = path_of(&s, "");
    assert_status(&s, "GET", path, "evil.example", "", 403);
    assert_status(&s, "GET", path, "127.0.0.1", "", 403);
    assert_status(&s, "GET", path, "127.0.0.1:1", "", 403);
    snprintf(text, sizeof text, "localhost:%u", s.port);
    assert_status(&s, "GET", path, text, "", 200);
    assert_status(&s, "GET", path, s.host, "Origin: http://evil.example\r\n", 403);
    assert_status(&s, "GET", path, s.host, "Origin: null\r\n", 403);
    assert_status(&s, "GET", path, s.host, "Origin: \r\n", 403);
    snprintf(text, sizeof text, "Origin: http://127.0.0.1:%u\r\n", s.port);
    assert_status(&s, "GET", path, s.host, text, 200);
    snprintf(text, sizeof text, "Origin: https://127.0.0.1:%u\r\n", s.port);
    assert_status(&s, "GET", path, s.host, text, 403);

    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path); /* no Host at all */
    struct flm_text answer = talk(&s, request);
    assert_int_equal(status_of(&answer), 403);
    flm_text_clear(&answer);
    flm_page_server_stop(s.server);
}

static void there_is_only_get(void **state)
{
    (void)state;
    struct served s = start();
    const char *path = path_of(&s, "");
    assert_status(&s, "POST", path, s.host, "Content-Length: 0\r\n", 405);
    assert_status(&s, "POST", path, s.host, "Content-Length: 5\r\n\r\nhello", 405);
    assert_status(&s, "PUT", path, s.host, "Content-Length: 1000000\r\n", 405);
    assert_status(&s, "DELETE", path, s.host, "", 405);
    assert_status(&s, "OPTIONS", path, s.host, "", 405);
    assert_status(&s, "POST", "/", s.host, "Content-Length: 0\r\n", 403);
    flm_page_server_stop(s.server);
}

/* The answer to a file that is posted; `origin` may be NULL, `length` -1. */
static struct flm_text post(const struct served *s, const char *path, const char *origin,
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
    struct flm_text answer = talk(s, request.at);
    flm_text_clear(&request);
    return answer;
}

static void a_file_that_is_posted_is_read(void **state)
{
    (void)state;
    struct served s = start();
    char origin[80], body[60001] = "";
    snprintf(origin, sizeof origin, "http://%s", s.host);
    for (size_t i = 0; i + 1 < sizeof body; i++)
        body[i] = "abc"[i % 3];
    struct flm_text answer = post(&s, path_of(&s, "read"), origin, 60000, body);
    assert_int_equal(status_of(&answer), 200);
    assert_non_null(strstr(answer.at, "Content-Type: application/octet-stream\r\n"));
    const char *back = strstr(answer.at, "\r\n\r\n") + 4;
    assert_int_equal(strlen(back), 60000);
    assert_memory_equal(back, "cbacba", 6);
    flm_text_clear(&answer);
    answer = post(&s, path_of(&s, "read"), origin, 3, "xyz");
    assert_int_equal(status_of(&answer), 422);
    assert_non_null(strstr(answer.at, "\r\n\r\nthis begins with x"));
    flm_text_clear(&answer);
    answer = post(&s, path_of(&s, "read"), origin, 0, "");
    assert_int_equal(status_of(&answer), 200);
    flm_text_clear(&answer);
    flm_page_server_stop(s.server);
}

static void nobody_else_can_post_and_nothing_larger(void **state)
{
    (void)state;
    struct served s = start();
    char origin[80], without[] = "/00000000000000000000000000000000/read";
    snprintf(origin, sizeof origin, "http://%s", s.host);
    const struct {
        const char *path, *origin;
        long length;
        int status;
    } refused[] = {
        {path_of(&s, "read"), NULL, 3, 405},
        {path_of(&s, "read"), "http://example.org", 3, 403},
        {path_of(&s, "read"), "null", 3, 403},
        {without, origin, 3, 403},
        {"/read", origin, 3, 403},
        {path_of(&s, "after.flm"), origin, 3, 405},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct flm_text answer =
            post(&s, refused[i].path, refused[i].origin, refused[i].length, "abc");
        assert_int_equal(status_of(&answer), refused[i].status);
        assert_null(strstr(answer.at, "cba"));
        flm_text_clear(&answer);
    }
    struct flm_text body = {0};
    flm_text_repeat(&body, 'a', 100001);
    flm_text_putc(&body, 0);
    struct flm_text answer = post(&s, path_of(&s, "read"), origin, 100001, body.at);
    assert_int_equal(status_of(&answer), 413);
    assert_non_null(strstr(answer.at, "flamel view FILE"));
    flm_text_clear(&answer);
    answer = post(&s, path_of(&s, "read"), origin, 100000, body.at + 1);
    assert_int_equal(status_of(&answer), 200);
    flm_text_clear(&answer);
    flm_text_clear(&body);
    flm_page_server_stop(s.server);
}

static void each_server_has_a_token_and_a_port_of_its_own(void **state)
{
    (void)state;
    struct served a = start(), b = start();
    assert_string_not_equal(a.token, b.token);
    assert_int_not_equal(a.port, b.port);
    assert_status(&a, "GET", path_of(&b, ""), a.host, "", 403);
    struct flm_error why = {0};
    assert_null(flm_page_server_start(a.port, files, 3, policy, &reader, 1, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "cannot listen on 127.0.0.1"));
    flm_page_server_stop(a.server);
    flm_page_server_stop(b.server);
    flm_page_server_stop(NULL);
}

static void only_this_machine_can_connect(void **state)
{
    (void)state;
    struct served s = start();
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(s.port)};
    /* 127.0.0.2 is this machine too, and not the address that is listened on. */
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_not_equal(connect(file, (struct sockaddr *)(void *)&any, sizeof any), 0);
    close(file);
    flm_page_server_stop(s.server);
}

/* ---- The exchange ---------------------------------------------------------------------------- */

static const char *exchange_path(const struct served *s)
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
    struct served s = start();
    const char *path = exchange_path(&s);
    char other[128], location[128];
    snprintf(other, sizeof other, "%s", path);
    other[12] = other[12] == '0' ? '1' : '0';
    assert_status(&s, "GET", other, s.host, "", 403);
    snprintf(other, sizeof other, "%sflamel.wasm", path);
    assert_status(&s, "GET", other, s.host, "", 403);
    assert_status(&s, "GET", "/open/", s.host, "", 403);
    assert_status(&s, "GET", path, "evil.example", "", 403);
    assert_status(&s, "GET", path, s.host, "Origin: http://evil.example\r\n", 403);
    assert_status(&s, "POST", path, s.host, "Content-Length: 0\r\n", 403);
    assert_status(&s, "HEAD", path, s.host, "", 302);
    struct flm_text answer = ask(&s, "GET", path, s.host, "");
    assert_int_equal(status_of(&answer), 302);
    snprintf(location, sizeof location, "\r\nLocation: /%s/\r\n", s.token);
    assert_non_null(strstr(answer.at, location));
    assert_non_null(strstr(answer.at, "Cache-Control: no-store\r\n"));
    flm_text_clear(&answer);
    assert_status(&s, "GET", path, s.host, "", 403);
    assert_status(&s, "HEAD", path, s.host, "", 403);
    assert_status(&s, "GET", path_of(&s, ""), s.host, "", 200);
    flm_page_server_stop(s.server);
}

/* The address that a process list shows is of no use to another user, and stays good. */
static void another_user_cannot_exchange_it(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    struct served s = start();
    const char *path = exchange_path(&s);
    pid_t child = fork();
    if (child == 0) {
        int status = 0;
        if (setgid(65534) == 0 && setuid(65534) == 0) {
            struct flm_text answer = ask(&s, "GET", path, s.host, "");
            bool has_token = strstr(answer.at, s.token);
            status = has_token ? 1 : status_of(&answer) == 403 ? 42 : 2;
        }
        _exit(status);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_status(&s, "GET", path, s.host, "", 302);
    flm_page_server_stop(s.server);
}

/* ---- Many connections ------------------------------------------------------------------------ */

static int connect_to(const struct served *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(s->port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (struct sockaddr *)(void *)&to, sizeof to), 0);
    return file;
}

enum { MANY = 1000 };

/* Opens many connections and sends each the same beginning of a request. */
static int *open_many(const struct served *s, const char *beginning)
{
    int *sockets = calloc(MANY, sizeof *sockets);
    assert_non_null(sockets);
    for (int i = 0; i < MANY; i++) {
        sockets[i] = connect_to(s);
        if (beginning[0])
            (void)send(sockets[i], beginning, strlen(beginning), MSG_NOSIGNAL);
    }
    return sockets;
}

static void close_many(int *sockets)
{
    for (int i = 0; i < MANY; i++)
        close(sockets[i]);
    free(sockets);
}

/* Both ends of all connections are in this process. */
static void raise_limit_of_files(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur >= 2 * MANY)
        return;
    if (limit.rlim_max < 2 * MANY)
        skip();
    limit.rlim_cur = 2 * MANY;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void a_thousand_idle_connections_block_nobody(void **state)
{
    (void)state;
    static const char *const beginnings[] = {"", "G", "GET /", "GET / HTTP/1.1\r\nHost: x\r\n",
                                             "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"};
    raise_limit_of_files();
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        struct served s = start();
        int *sockets = open_many(&s, beginnings[i]);
        for (int k = 0; k < 20; k++) {
            assert_status(&s, "GET", path_of(&s, ""), s.host, "", 200);
            /* Slow ones: another byte from each of the newest. */
            for (int n = MANY - 50; n < MANY; n++)
                (void)send(sockets[n], "x", 1, MSG_NOSIGNAL);
        }
        close_many(sockets);
        assert_status(&s, "GET", path_of(&s, "after.flm"), s.host, "", 200);
        flm_page_server_stop(s.server);
    }
}

/* A GET on a connection that stays open. */
static void send_get(const struct served *s, int file)
{
    char request[300];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path_of(s, ""),
             s->host);
    assert_int_equal(send(file, request, strlen(request), MSG_NOSIGNAL), strlen(request));
}

/* Up to the end of the page. */
static void read_page(int file)
{
    char answer[4096] = "";
    size_t size = 0;
    while (!strstr(answer, "<p>page</p>")) {
        ssize_t got = recv(file, answer + size, sizeof answer - 1 - size, 0);
        assert_true(got > 0);
        size += (size_t)got;
        answer[size] = 0;
    }
}

static void get_and_stay(const struct served *s, int file)
{
    send_get(s, file);
    read_page(file);
}

static void a_browser_that_stays_is_served_beside_strangers(void **state)
{
    (void)state;
    raise_limit_of_files();
    struct served s = start();
    int file = connect_to(&s);
    get_and_stay(&s, file);
    int *sockets = open_many(&s, "GET /");
    get_and_stay(&s, file);
    close_many(sockets);
    get_and_stay(&s, file);
    close(file);
    flm_page_server_stop(s.server);
}

/* ---- A server that was not scheduled --------------------------------------------------------- */

struct remote {
    struct served served; /* without the server, which is the child's */
    pid_t child;
};

static struct remote start_in_child(void)
{
    struct remote r = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    r.child = fork();
    assert_true(r.child >= 0);
    if (r.child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        r.served = start();
        if (write(ends[1], &r.served, sizeof r.served) != (ssize_t)sizeof r.served)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &r.served, sizeof r.served), sizeof r.served);
    close(ends[0]);
    return r;
}

static void hold(const struct remote *r)
{
    int status;
    assert_int_equal(kill(r->child, SIGSTOP), 0);
    assert_int_equal(waitpid(r->child, &status, WUNTRACED), r->child);
    assert_true(WIFSTOPPED(status));
}

static void end_child(const struct remote *r)
{
    int status;
    assert_int_equal(kill(r->child, SIGKILL), 0);
    assert_int_equal(waitpid(r->child, &status, 0), r->child);
}

/* While it does not run, so many browsers ask, and so many strangers begin to. The counts are those
 * around what a poll of 64, 128 or 256 events returns at once. */
static void requests_that_wait_together_are_all_answered(void **state)
{
    (void)state;
    static const struct {
        int browsers, strangers;
    } together[] = {{1, 0},   {1, 62},  {1, 63},  {64, 0},  {1, 126}, {1, 127},  {127, 0},
                    {128, 0}, {129, 0}, {255, 0}, {256, 0}, {256, 1}, {257, 128}};
    enum { MOST = 400 };
    struct remote r = start_in_child();
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        int browsers = together[i].browsers, all = browsers + together[i].strangers;
        int file[MOST];
        for (int k = 0; k < all; k++) {
            file[k] = connect_to(&r.served);
            if (k < browsers)
                get_and_stay(&r.served, file[k]);
        }
        /* The server has accepted all before this one. */
        assert_status(&r.served, "GET", path_of(&r.served, ""), r.served.host, "", 200);
        hold(&r);
        for (int k = 0; k < all; k++) {
            if (k < browsers)
                send_get(&r.served, file[k]);
            else
                assert_int_equal(send(file[k], "GET /", 5, MSG_NOSIGNAL), 5);
        }
        assert_int_equal(kill(r.child, SIGCONT), 0);
        for (int k = 0; k < browsers; k++)
            read_page(file[k]);
        for (int k = 0; k < all; k++)
            close(file[k]);
    }
    end_child(&r);
}

/* More than it accepts: who is connected stays, and it can be stopped. */
static void a_full_server_serves_whom_it_has_and_stops(void **state)
{
    (void)state;
    enum { MOST = 512, WAITING = 20 };
    raise_limit_of_files();
    struct served s = start();
    int file[MOST + WAITING];
    for (int i = 0; i < MOST; i++) {
        file[i] = connect_to(&s);
        get_and_stay(&s, file[i]);
    }
    for (int i = MOST; i < MOST + WAITING; i++) {
        file[i] = connect_to(&s);
        send_get(&s, file[i]);
    }
    for (int i = 0; i < MOST; i++)
        get_and_stay(&s, file[i]);
    /* Who leaves makes room for who waits. */
    for (int i = 0; i < WAITING / 2; i++) {
        close(file[i]);
        read_page(file[MOST + i]);
    }
    flm_page_server_stop(s.server);
    for (int i = WAITING / 2; i < MOST + WAITING; i++)
        close(file[i]);
}

/* ---- Without memory -------------------------------------------------------------------------- */

/* Asks for the page, without any memory of its own; 0: the connection was closed. */
static int status_without_memory(const struct flm_page_server *server)
{
    char token[40], request[300], answer[4096] = "";
    struct served s = {0};
    unsigned port;
    int status = 0;
    assert_int_equal(
        sscanf(flm_page_server_url(server), "http://127.0.0.1:%u/%39[0-9a-f]/", &port, token), 2);
    s.port = (uint16_t)port;
    snprintf(request, sizeof request,
             "GET /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", token, port);
    int file = connect_to(&s);
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
    struct flm_page_server *server = flm_page_server_start(0, files, 3, policy, &reader, 1, why);
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
        cmocka_unit_test(a_thousand_idle_connections_block_nobody),
        cmocka_unit_test(a_browser_that_stays_is_served_beside_strangers),
        cmocka_unit_test(requests_that_wait_together_are_all_answered),
        cmocka_unit_test(a_full_server_serves_whom_it_has_and_stops),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
