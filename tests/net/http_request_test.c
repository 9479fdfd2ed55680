#include "net/http_request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* A child that takes connections: it says back what it was sent, as the body of a response; or
 * nothing at all, where it is asked to be silent. */
struct server {
    pid_t process;
    unsigned port;
};

static void answer(int socket)
{
    char request[4096], head[200];
    size_t size = 0;
    for (;;) {
        ssize_t more = read(socket, request + size, sizeof request - 1 - size);
        if (more <= 0)
            return;
        size += (size_t)more;
        request[size] = 0;
        const char *end = strstr(request, "\r\n\r\n"),
                   *length = strstr(request, "Content-Length: ");
        if (end &&
            size >= (size_t)(end + 4 - request) + (length ? strtoul(length + 16, NULL, 10) : 0))
            break;
    }
    if (strstr(request, " /silent "))
        pause();
    const char *status = strstr(request, " /refused ") ? "404 Not Found"
                         : strstr(request, " /moved ") ? "302 Found\r\nLocation: /other"
                                                       : "200 OK";
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nX-Kind:  a b \r\nX-Kin: c\r\nContent-Length: %zu\r\n\r\n", status,
             size);
    if (write(socket, head, strlen(head)) < 0 || write(socket, request, size) < 0)
        _exit(1);
}

static struct server start(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(file, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(file, 8), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&address, &size), 0);
    struct server s = {fork(), ntohs(address.sin_port)};
    if (s.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        for (;;) {
            int one = accept(file, NULL, NULL);
            if (one < 0)
                _exit(0);
            answer(one);
            close(one);
        }
    }
    close(file);
    return s;
}

static void stop(struct server s)
{
    kill(s.process, SIGKILL);
    assert_int_equal(waitpid(s.process, NULL, 0), s.process);
}

static bool call(struct flm_http_call c, unsigned port, const char *path,
                 struct flm_http_reply *reply, struct flm_error *why)
{
    char url[100];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", port, path);
    c.url = url;
    return flm_http_call(&c, reply, why);
}

static bool has(const struct flm_http_reply *reply, const char *text)
{
    return flm_bytes_contain((struct flm_bytes){reply->body.at, reply->body.size}, text);
}

static void a_request_has_its_body_token_and_tenant(void **state)
{
    struct server s = start();
    struct flm_http_reply reply;
    struct flm_error why = {0};
    (void)state;
    const struct flm_http_call post = {
        .token = "flm_1", .tenant = "web", .body = {"a\0b", 3}, .has_body = true};
    if (!call(post, s.port, "/api?x=1", &reply, &why))
        fail_msg("%s", why.text);
    assert_int_equal(reply.status, 200);
    assert_true(has(&reply, "POST /api?x=1 HTTP/1.1\r\n"));
    assert_true(has(&reply, "\r\nAuthorization: Bearer flm_1\r\n"));
    assert_true(has(&reply, "\r\nX-Scope-OrgID: web\r\n"));
    assert_memory_equal(reply.body.at + reply.body.size - 7, "\r\n\r\na\0b", 7);
    flm_http_reply_clear(&reply);
    assert_true(call((struct flm_http_call){.wanted_header = "x-kind"}, s.port, "/", &reply, &why));
    assert_int_equal(reply.header.size, 3);
    assert_memory_equal(reply.header.at, "a b", 3);
    flm_http_reply_clear(&reply);
    assert_true(call((struct flm_http_call){.wanted_header = "X-None"}, s.port, "/", &reply, &why));
    assert_int_equal(reply.header.size, 0);
    flm_http_reply_clear(&reply);
    assert_true(call((struct flm_http_call){0}, s.port, "/", &reply, &why));
    assert_true(has(&reply, "GET / HTTP/1.1\r\n"));
    assert_false(has(&reply, "Authorization"));
    flm_http_reply_clear(&reply);
    stop(s);
}

static void a_refusal_is_a_response_and_is_not_followed(void **state)
{
    struct server s = start();
    struct flm_http_reply reply;
    struct flm_error why = {0};
    (void)state;
    assert_true(call((struct flm_http_call){0}, s.port, "/refused", &reply, &why));
    assert_int_equal(reply.status, 404);
    flm_http_reply_clear(&reply);
    assert_true(call((struct flm_http_call){.token = "t"}, s.port, "/moved", &reply, &why));
    assert_int_equal(reply.status, 302);
    flm_http_reply_clear(&reply);
    stop(s);
}

static bool never(void *context)
{
    ++*(int *)context;
    return false;
}

static void what_is_too_large_too_late_or_unwanted_ends(void **state)
{
    struct server s = start();
    struct flm_http_reply reply;
    struct flm_error why = {0};
    int asked = 0;
    (void)state;
    assert_false(call((struct flm_http_call){.most_body = 10}, s.port, "/", &reply, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_http_reply_clear(&reply);
    assert_false(call((struct flm_http_call){.waiting = never, .context = &asked}, s.port,
                      "/silent", &reply, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_true(asked > 0);
    flm_http_reply_clear(&reply);
    stop(s);
    s = start();
    assert_false(call((struct flm_http_call){.most_s = 1}, s.port, "/silent", &reply, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_http_reply_clear(&reply);
    stop(s);
    assert_false(call((struct flm_http_call){0}, s.port, "/", &reply, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_http_reply_clear(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FLAMEL_CURL
        cmocka_unit_test(a_request_has_its_body_token_and_tenant),
        cmocka_unit_test(a_refusal_is_a_response_and_is_not_followed),
        cmocka_unit_test(what_is_too_large_too_late_or_unwanted_ends),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
