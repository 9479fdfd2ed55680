/* tls.h - TLS in front of the servers of HTTP/1.1 and gRPC, by OpenSSL.
 *
 *     client ==TLS==> socket | link | pair of sockets ==plain==> the server of the protocol
 *
 * A connection is accepted by front.h, which sees that TLS begins, and becomes a *link*: its
 * handshake agrees on the protocol (ALPN: "http/1.1" where it is offered, or nothing is; "h2",
 * which clients of gRPC offer alone, is gRPC), and from then on bytes go both ways between the
 * socket and a pair of sockets, the other end of which the server has, as if the client had
 * spoken in the clear. So neither server knows of TLS, and their limits hold: what a server does
 * not read is not taken from the client, and the other way round.
 *
 * One thread has all links. Each takes about 100 KB while bytes are on their way, and three file
 * descriptors. Versions below TLS 1.2 are refused. Certificate and key are read again for the next
 * connection after their files have changed, as they do when a certificate is renewed. */
#ifndef FLAMEL_SERVE_HTTP_TLS_H
#define FLAMEL_SERVE_HTTP_TLS_H

#include "serve/http/front.h"

struct flm_tls;

struct flm_tls_options {
    const char *certificate, *key; /* files in PEM: a chain, the own one first; its private key */
    flm_front_take take_http1, take_http2; /* take_http2 may be NULL: then it is not offered */
    void *http1, *http2;
    unsigned most_links;

    /* The files have changed and cannot be used: the old ones are. May be NULL. */
    void (*report)(void *context, const struct flm_error *why);
    void *context;
};

/* NULL, and `why` with the file: they do not fit, or there is no OpenSSL. The texts are borrowed
 * until it ends. */
struct flm_tls *flm_tls_start(const struct flm_tls_options *options, struct flm_error *why);

/* Takes a connection of which nothing was read yet: a flm_front_take. */
void flm_tls_take(void *tls, int socket, const struct flm_front_peer *peer);

/* Sends what the servers, which have ended, have said, for two seconds at most. Accepts NULL. */
void flm_tls_stop(struct flm_tls *tls);

#endif
