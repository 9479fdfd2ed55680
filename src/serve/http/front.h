/* front.h - the listening socket: connections are accepted, and given to the server of the protocol
 * that they speak.
 *
 *     PRI * HTTP/2.0 ...    the preface of HTTP/2 (RFC 9113, 3.4)      take_http2
 *     anything else         HTTP/1.1                                   take_http1
 *     16 03 ...             TLS, where there is a certificate          take_tls
 *
 * So clients of gRPC (OpenTelemetry, Parca) and of HTTP have one address, as they have with the
 * servers that they know. A connection waits here until it has said three bytes: 30 s at most, and
 * 256 at once, of which the oldest is dropped for a new one. */
#ifndef FLAMEL_SERVE_HTTP_FRONT_H
#define FLAMEL_SERVE_HTTP_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "flamel/error.h"

struct flm_front;

struct flm_front_peer {
    struct sockaddr_storage address;
    socklen_t size;
};

/* These take the socket, which does not block, in any case. */
typedef void (*flm_front_take)(void *context, int socket, const struct flm_front_peer *peer);

struct flm_front_options {
    flm_front_take take_http1, take_http2; /* take_http2 may be NULL: then HTTP/1 refuses it */
    void *http1, *http2;                   /* their contexts */

    /* Of what begins with a record of TLS; where it is set, nothing else is taken. */
    flm_front_take take_tls;
    void *tls;
};

/* Takes the listening socket. NULL, and `why`, when no thread can be started. */
struct flm_front *flm_front_start(int socket, const struct flm_front_options *options,
                                  struct flm_error *why);

/* Closes the listening socket, and what has not said anything yet. Accepts NULL. */
void flm_front_stop(struct flm_front *front);

#endif
