/* Any bytes behind the preface of HTTP/2, as a client of gRPC sends them: whatever they say, the
 * server answers in whole frames, ends the connection when the client does, and calls arrive as
 * they must. One server has all connections, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/grpc/grpc_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_MESSAGE = 1 << 16 };

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool admit(void *context, struct flm_http_request *request,
                  struct flm_http_response *response)
{
    (void)context, (void)response;
    promise(strcmp(request->method, "GRPC") == 0 && request->path);
    return true;
}

static void answer(void *context, struct flm_http_request *request,
                   struct flm_http_response *response)
{
    (void)context;
    promise(request->body.size <= MOST_MESSAGE);
    flm_text_add(&response->body, request->body);
    response->status = request->body.size % 2 ? 400 : 200;
}

static struct flm_grpc_server *server(void)
{
    static struct flm_grpc_server *one;
    const struct flm_grpc_options options = {.most_message = MOST_MESSAGE,
                                             .most_messages = 4 * MOST_MESSAGE,
                                             .most_connections = 64,
                                             .most_of_peer = 64,
                                             .workers = 2,
                                             .admit = admit,
                                             .answer = answer,
                                             .answered = NULL};
    if (!one)
        one = flm_grpc_server_start(&options, NULL);
    return one;
}

/* Whole frames, but for the last, which the end may have cut off. */
static void check_frames(const unsigned char *at, size_t size)
{
    while (size >= 9) {
        size_t length = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
        promise(length <= 16384 && at[3] <= 9);
        if (length > size - 9)
            return;
        at += 9 + length;
        size -= 9 + length;
    }
}

static void talk(int socket, const uint8_t *data, size_t size)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static unsigned char said[1 << 20];
    size_t heard = 0;
    bool good = send(socket, preface, sizeof preface - 1, MSG_NOSIGNAL) > 0;
    for (size_t at = 0; good && at < size;) {
        ssize_t sent = send(socket, data + at, size - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        at += sent > 0 ? (size_t)sent : 0;
        good = sent > 0 || errno == EAGAIN;
        ssize_t got = recv(socket, said + heard, sizeof said - heard, MSG_DONTWAIT);
        heard += got > 0 ? (size_t)got : 0;
        good = good && heard < sizeof said;
    }
    shutdown(socket, SHUT_WR);
    for (ssize_t got = 1; got > 0 && heard < sizeof said;) {
        got = recv(socket, said + heard, sizeof said - heard, 0);
        heard += got > 0 ? (size_t)got : 0;
    }
    check_frames(said, heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flm_front_peer peer = {.size = sizeof(sa_family_t)};
    int pair[2];
    if (!flm_grpc_is_built() || !server() || size > (1 << 18))
        return 0;
    promise(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    flm_grpc_server_take(server(), pair[1], &peer);
    talk(pair[0], data, size);
    close(pair[0]);
    return 0;
}
