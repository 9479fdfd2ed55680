/* Connections that do not behave: each limit of time ends those it is for, and no other. A
 * second is a millisecond here. */
#include "serve/grpc/grpc_server.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text/text.h"

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"; /* SETTINGS */
enum { DATA, HEADERS, RST_STREAM = 3, SETTINGS, PING = 6, GOAWAY };
enum { END_STREAM = 1, END_HEADERS = 4 };

/* ---- A server -------------------------------------------------------------------------------- */

struct holding {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool holds;
    unsigned waiting;
};

static bool admit(void *context, struct flm_http_request *request,
                  struct flm_http_response *response)
{
    (void)context, (void)request, (void)response;
    return true;
}

/* "/hold" waits until it is let go. */
static void answer(void *context, struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct holding *h = context;
    pthread_mutex_lock(&h->lock);
    h->waiting += strcmp(request->path, "/hold") == 0;
    pthread_cond_broadcast(&h->changed);
    while (h->holds && strcmp(request->path, "/hold") == 0)
        pthread_cond_wait(&h->changed, &h->lock);
    pthread_mutex_unlock(&h->lock);
    flm_text_puts(&response->body, "done");
}

static struct holding holding = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};

static struct flm_grpc_server *start(void)
{
    const struct flm_grpc_options options = {.most_message = 1 << 20,
                                             .most_messages = 1 << 22,
                                             .most_connections = 20,
                                             .most_of_peer = 20,
                                             .workers = 2,
                                             .second_ns = 1000000,
                                             .admit = admit,
                                             .answer = answer,
                                             .context = &holding};
    struct flm_error why;
    struct flm_grpc_server *server = flm_grpc_server_start(&options, &why);
    if (!server)
        fail_msg("%s", why.text);
    return server;
}

/* ---- A client -------------------------------------------------------------------------------- */

static void say(int socket, const void *bytes, size_t size)
{
    assert_int_equal(send(socket, bytes, size, MSG_NOSIGNAL), size);
}

static void say_frame(int socket, unsigned char type, unsigned char flags, unsigned char stream,
                      const void *bytes, size_t size)
{
    const unsigned char head[9] = {
        0, (unsigned char)(size >> 8), (unsigned char)size, type, flags, 0, 0, 0, stream};
    say(socket, head, sizeof head);
    say(socket, bytes, size);
}

static int connect_to(struct flm_grpc_server *server, bool greets)
{
    const struct flm_front_peer peer = {.size = sizeof(sa_family_t)};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    flm_grpc_server_take(server, pair[1], &peer);
    if (greets)
        say(pair[0], preface, sizeof preface - 1);
    return pair[0];
}

static void put(struct flm_text *out, const char *text)
{
    flm_text_putc(out, (char)strlen(text));
    flm_text_puts(out, text);
}

/* The fields of a call, none of them compressed. */
static void say_headers(int socket, unsigned char stream, const char *path)
{
    const char *const fields[][2] = {{":method", "POST"},
                                     {":scheme", "http"},
                                     {":path", path},
                                     {":authority", "localhost"},
                                     {"content-type", "application/grpc"},
                                     {"te", "trailers"}};
    struct flm_text block = {0};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        flm_text_putc(&block, 0);
        put(&block, fields[i][0]);
        put(&block, fields[i][1]);
    }
    say_frame(socket, HEADERS, END_HEADERS, stream, block.at, block.size);
    flm_text_clear(&block);
}

static void hear(int socket, unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t got = recv(socket, bytes + at, size - at, 0);
        assert_true(got > 0);
        at += (size_t)got;
    }
}

/* Until a frame of that type. */
static void await_frame(int socket, unsigned char type)
{
    unsigned char head[9], rest[16384];
    do {
        hear(socket, head, sizeof head);
        size_t size = (size_t)head[1] << 8 | head[2];
        assert_true(head[0] == 0 && size <= sizeof rest);
        hear(socket, rest, size);
    } while (head[3] != type);
}

/* Until the server ends it; what it still says is not looked at. */
static void await_end(int socket)
{
    char rest[65536];
    while (recv(socket, rest, sizeof rest, 0) > 0)
        ;
    close(socket);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void who_says_nothing_is_let_go(void **state)
{
    (void)state;
    struct flm_grpc_server *server = start();
    await_end(connect_to(server, false));
    await_end(connect_to(server, true));
    flm_grpc_server_stop(server);
}

/* The message does not come: the call is canceled, and the connection goes on. */
static void a_call_that_does_not_arrive_is_given_up(void **state)
{
    (void)state;
    struct flm_grpc_server *server = start();
    int socket = connect_to(server, true);
    say_headers(socket, 1, "/never");
    say_frame(socket, DATA, 0, 1, "\0\0\0\0\5a", 6);
    await_frame(socket, RST_STREAM);
    say_headers(socket, 3, "/now");
    say_frame(socket, DATA, END_STREAM, 3, "\0\0\0\0\1a", 6);
    await_frame(socket, DATA);
    await_end(socket); /* after 15 minutes without a call */
    flm_grpc_server_stop(server);
}

/* A worker may take longer than a client may: nobody is to blame. */
static void a_call_that_is_answered_late_is_answered(void **state)
{
    (void)state;
    holding.holds = true;
    struct flm_grpc_server *server = start();
    int slow = connect_to(server, true);
    say_headers(slow, 1, "/hold");
    say_frame(slow, DATA, END_STREAM, 1, "\0\0\0\0\1a", 6);
    pthread_mutex_lock(&holding.lock);
    while (holding.waiting == 0)
        pthread_cond_wait(&holding.changed, &holding.lock);
    pthread_mutex_unlock(&holding.lock);
    int other = connect_to(server, true); /* longer than a call may take to arrive */
    say_headers(other, 1, "/never");
    await_frame(other, RST_STREAM);
    pthread_mutex_lock(&holding.lock);
    holding.holds = false;
    pthread_cond_broadcast(&holding.changed);
    pthread_mutex_unlock(&holding.lock);
    await_frame(slow, DATA);
    close(slow);
    close(other);
    flm_grpc_server_stop(server);
}

/* It asks for answers, and takes none. */
static void who_reads_nothing_is_let_go(void **state)
{
    (void)state;
    struct flm_grpc_server *server = start();
    int socket = connect_to(server, true);
    static const unsigned char ping[17] = {0, 0, 8, PING};
    bool ended = false;
    while (!ended) {
        struct pollfd file = {.fd = socket, .events = POLLOUT};
        assert_true(poll(&file, 1, -1) > 0);
        ended = file.revents & (POLLHUP | POLLERR) ||
                send(socket, ping, sizeof ping, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
    }
    await_end(socket);
    flm_grpc_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_says_nothing_is_let_go),
        cmocka_unit_test(a_call_that_does_not_arrive_is_given_up),
        cmocka_unit_test(a_call_that_is_answered_late_is_answered),
        cmocka_unit_test(who_reads_nothing_is_let_go),
    };
    return flm_grpc_is_built() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
