#include "support/store/breaking_proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text/text.h"

static bool read_more(int from, struct flm_text *text)
{
    char *at = flm_text_reserve(text, 65536);
    ssize_t size = at ? read(from, at, 65536) : -1;
    text->size += size > 0 ? (size_t)size : 0;
    return size > 0;
}

/* Where the body begins; 0: the headers are not complete. */
static size_t body_of(const struct flm_text *text)
{
    const char *end = text->at ? memmem(text->at, text->size, "\r\n\r\n", 4) : NULL;
    return end ? (size_t)(end + 4 - text->at) : 0;
}

static size_t length_of(const struct flm_text *text, size_t headers)
{
    static const char name[] = "content-length:";
    for (size_t i = 0; i + sizeof name < headers; i++)
        if (strncasecmp(text->at + i, name, sizeof name - 1) == 0)
            return strtoul(text->at + i + sizeof name - 1, NULL, 10);
    return 0;
}

/* The size of its headers; 0: the client has gone. */
static size_t read_request(int client, struct flm_text *request)
{
    size_t headers = 0;
    while (headers == 0 || request->size < headers + length_of(request, headers)) {
        if (!read_more(client, request))
            return 0;
        headers = body_of(request);
    }
    return headers;
}

static bool write_all(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = send(to, bytes, size, MSG_NOSIGNAL);
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static int connect_to(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && connect(s, (const struct sockaddr *)&address, sizeof address) == 0)
        return s;
    close(s);
    return -1;
}

/* Whether a request breaks, and how: 0 it does not, 1 its response is lost, 2 it is cut. */
static int break_of(struct breaking_proxy *p, const struct flm_text *request, unsigned *turn)
{
    const char *end = memchr(request->at, '\n', request->size);
    size_t line = end ? (size_t)(end - request->at) : 0;
    if (!memmem(request->at, line, p->breaks, strlen(p->breaks)))
        return 0;
    return (int)(++*turn % 3);
}

static void serve(struct breaking_proxy *p, int client, unsigned *turn)
{
    struct flm_text request = {0}, response = {0};
    size_t headers = read_request(client, &request);
    int server = headers > 0 ? connect_to(p->server_port) : -1;
    if (server >= 0) {
        int breaks = break_of(p, &request, turn);
        size_t size = breaks == 2 ? headers + (request.size - headers) / 2 : request.size;
        write_all(server, request.at, size);
        shutdown(server, SHUT_WR); /* it closes when it has answered */
        while (read_more(server, &response))
            ;
        if (breaks == 0)
            write_all(client, response.at, response.size);
        p->lost_responses += breaks == 1;
        p->cut_requests += breaks == 2;
        close(server);
    }
    flm_text_clear(&request);
    flm_text_clear(&response);
}

static void *run(void *context)
{
    struct breaking_proxy *p = context;
    unsigned turn = 0;
    for (int client; (client = accept(p->listener, NULL, NULL)) >= 0; close(client))
        if (!p->is_ending)
            serve(p, client, &turn);
        else
            break;
    return NULL;
}

void proxy_start(struct breaking_proxy *p, uint16_t server_port, const char *breaks)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    *p = (struct breaking_proxy){.server_port = server_port, .breaks = breaks};
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(p->listener >= 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(p->listener, 16), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&address, &size), 0);
    p->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, run, p), 0);
}

void proxy_stop(struct breaking_proxy *p)
{
    p->is_ending = true;
    int last = connect_to(p->port);
    pthread_join(p->thread, NULL);
    close(last);
    close(p->listener);
}
