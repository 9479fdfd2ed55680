/* http_server.h - an HTTP/1.1 server: bounded in memory, threads and patience.
 *
 *     one thread      accepts (front.h)
 *     one thread      reads requests, writes responses (libmicrohttpd, around poll)
 *     workers         answer: they may wait for the disk, each for one request
 *
 * A request waits, suspended, until a worker has answered it, so that slow and silent clients take
 * no thread. Bounded are: connections, in all and of one address; bytes of a body, and of all
 * bodies together (then 503); how long a request may take to arrive (60 s from its first line) and
 * a response to be read (10 min), whatever trickles in between; and silence (30 s).
 *
 * `admit` sees a request before its body, and may refuse it: a response that it makes is all that
 * the client gets. It is called by the one thread, and must not wait. */
#ifndef FLAMEL_SERVE_HTTP_HTTP_SERVER_H
#define FLAMEL_SERVE_HTTP_HTTP_SERVER_H

#include "serve/http/front.h"
#include "serve/http/message.h"

struct flm_http_server;

struct flm_http_options {
    const char *host; /* a numeric address; copied */
    uint16_t port;    /* 0: any that is free */
    size_t most_body, most_bodies;
    unsigned most_connections, most_of_peer, workers;
    unsigned drain_ms; /* how long responses may still be written at the end; 0: 5,000 */

    /* True: the body may come. False: *response is sent. */
    bool (*admit)(void *context, struct flm_http_request *request,
                  struct flm_http_response *response);
    void (*answer)(void *context, struct flm_http_request *request,
                   struct flm_http_response *response);
    /* With each response, whoever made it. By the one thread. */
    void (*answered)(void *context, unsigned status);
    void *context;

    /* Connections that speak HTTP/2 (front.h); NULL: they are refused. */
    flm_front_take take_http2;
    void *http2;
};

/* Listens, and has the port: connections wait until it is started. */
struct flm_http_server *flm_http_server_open(const struct flm_http_options *options,
                                             struct flm_error *why);

/* Before it is started: all connections speak TLS, and are taken by whoever has it (tls.h), which
 * hands them over to flm_http_server_take, a flm_front_take. */
void flm_http_server_secure(struct flm_http_server *server, flm_front_take take, void *tls);
void flm_http_server_take(void *server, int socket, const struct flm_front_peer *peer);
bool flm_http_server_start(struct flm_http_server *server, struct flm_error *why);

/* Accepts no more, answers what has arrived, and ends. An answer that a worker is at is waited
 * for, however long that takes; clients that do not read theirs are not, after drain_ms. Accepts
 * NULL. */
void flm_http_server_stop(struct flm_http_server *server);
uint16_t flm_http_server_port(const struct flm_http_server *server);

/* Whether a numeric address is of this machine alone. */
bool flm_is_loopback(const char *host);

#endif
