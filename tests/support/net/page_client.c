#include "support/net/page_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static const char policy[] = "default-src 'none'";
const char page_large[PAGE_LARGE_SIZE] = "large";

static const struct flm_page_file files[] = {
    {"", "text/html; charset=utf-8", "<p>page</p>", 11},
    {"flamel.wasm", "application/wasm", "\0asm\1\0\0\0", 8},
    {"after.flm", "application/octet-stream", page_large, sizeof page_large},
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

struct flm_page_server *page_try(uint16_t port, struct flm_error *why)
{
    return flm_page_server_start(port, files, 3, policy, &reader, 1, why);
}

struct page_served page_start(void)
{
    struct page_served s = {0};
    struct flm_error why = {0};
    s.server = page_try(0, &why);
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

int page_connect(const struct page_served *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(s->port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (struct sockaddr *)(void *)&to, sizeof to), 0);
    return file;
}

struct flm_text page_talk(const struct page_served *s, const char *request)
{
    int file = page_connect(s);
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

struct flm_text page_ask(const struct page_served *s, const char *method, const char *path,
                         const char *host, const char *more)
{
    struct flm_text request = {0};
    flm_text_format(&request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", method,
                    path, host, more);
    flm_text_putc(&request, 0);
    struct flm_text answer = page_talk(s, request.at);
    flm_text_clear(&request);
    return answer;
}

int page_status(const struct flm_text *answer)
{
    int status = 0;
    assert_int_equal(sscanf(answer->at, "HTTP/1.1 %d", &status), 1);
    return status;
}

void assert_page_status(const struct page_served *s, const char *method, const char *path,
                        const char *host, const char *more, int expected)
{
    struct flm_text answer = page_ask(s, method, path, host, more);
    if (page_status(&answer) != expected)
        fail_msg("%s %s (%s, %s) is answered %d, not %d", method, path, host, more,
                 page_status(&answer), expected);
    /* Nothing of what is served stands in a refusal. */
    if (expected != 200)
        assert_null(strstr(answer.at, "<p>page</p>"));
    flm_text_clear(&answer);
}

const char *page_path(const struct page_served *s, const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "/%s/%s", s->token, name);
    return to;
}
