/* grpc_server.h - gRPC over HTTP/2: unary calls, each a request and a response of serve/http.
 *
 *     one thread      reads and writes frames of all connections (nghttp2, around poll)
 *     workers         answer: they may wait for the disk, each for one call
 *
 * A call is a request with the method "GRPC", its path, its metadata as headers (`:authority` is
 * Host) and its message as the body; a response of status 200 is a message, any other one a status
 * of gRPC with the body as its text. The callbacks are those of flm_http_options.
 *
 * Bounded are: connections, in all and of one address; calls of a connection (32), also those that
 * the client gave up and a worker is still at; metadata (100 fields, 64 KiB); a message, and all
 * messages together; how long a call may take to arrive (60 s), how long a peer may read nothing of
 * what it is sent (60 s), be silent before its first call (30 s) or without one (15 min). A peer
 * that is gone is found by TCP's keepalive. */
#ifndef FLAMEL_SERVE_GRPC_GRPC_SERVER_H
#define FLAMEL_SERVE_GRPC_GRPC_SERVER_H

#include "serve/http/front.h"
#include "serve/http/message.h"

struct flm_grpc_server;

struct flm_grpc_options {
    size_t most_message, most_messages;
    unsigned most_connections, most_of_peer, workers;
    int64_t second_ns; /* how long a second of the limits above is, for tests; 0: a second */
    bool (*admit)(void *context, struct flm_http_request *request,
                  struct flm_http_response *response);
    void (*answer)(void *context, struct flm_http_request *request,
                   struct flm_http_response *response);
    void (*answered)(void *context, unsigned status);
    void *context;
};

/* Whether flamel is built with nghttp2. */
bool flm_grpc_is_built(void);

/* NULL, and `why`, where nghttp2 is missing. */
struct flm_grpc_server *flm_grpc_server_start(const struct flm_grpc_options *options,
                                              struct flm_error *why);

/* Takes a connection: a flm_front_take. From any thread. */
void flm_grpc_server_take(void *server, int socket, const struct flm_front_peer *peer);

/* Takes no more calls, answers what has arrived, and ends: responses that are not read within 5 s
 * are given up. Accepts NULL. */
void flm_grpc_server_stop(struct flm_grpc_server *server);

#endif
