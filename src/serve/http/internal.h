/* internal.h - the members of an HTTP server: its connections and its workers.
 *
 * An exchange is a request with its response. The thread of the library has it while it arrives and
 * while the response is written, a worker in between: the queue hands it over. */
#ifndef FLAMEL_SERVE_HTTP_INTERNAL_H
#define FLAMEL_SERVE_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "serve/http/front.h"
#include "serve/http/http_server.h"

/* Each name is here once: it makes the string that is looked up, and the pointer with its type. */
/* clang-format off */
#define FLM_HTTP_FUNCTIONS(each)                                                                  \
    each(start_daemon) each(stop_daemon) each(add_connection) each(get_connection_values_n)       \
    each(get_connection_info) each(suspend_connection) each(resume_connection)                    \
    each(create_response_from_buffer) each(add_response_header) each(queue_response)              \
    each(destroy_response)
/* clang-format on */

#define FLM_HTTP_POINTER(name) __typeof__(MHD_##name) *name;

struct flm_http_library {
    FLM_HTTP_FUNCTIONS(FLM_HTTP_POINTER)
};

struct flm_exchange {
    struct flm_exchange *next; /* in the queue */
    struct MHD_Connection *connection;
    struct flm_http_request request;
    struct flm_http_response response;
    struct flm_text body;
    size_t counted; /* of `bodies` */
    size_t dropped; /* bytes that came behind the refusal of the body */
    bool is_malformed, is_head;
    bool is_answered; /* the response is there */
};

/* An open connection: since when its request arrives, or its response is written. */
struct flm_peer {
    struct flm_peer *before, *behind;
    int socket;
    bool is_answering, is_writing;
    int64_t since_ns;
};

struct flm_http_server {
    struct flm_http_library http;
    struct flm_http_options options;
    struct MHD_Daemon *daemon;
    int socket; /* that listens, until the front has it; -1: none */
    struct flm_front *front;
    flm_front_take take_tls; /* NULL: connections speak in the clear */
    void *tls;
    uint16_t port;
    char *host;    /* owned */
    size_t bodies; /* bytes of all that arrive or wait; of the library's thread */

    pthread_mutex_t lock;
    pthread_cond_t arrived;            /* something is queued, or the workers end */
    pthread_cond_t changed;            /* is_draining, is_stopping, and what a drain waits for */
    struct flm_exchange *first, *last; /* the queue */
    struct flm_peer *peers;
    bool is_draining; /* nothing is queued any more */
    bool is_stopping;
    unsigned busy;      /* exchanges that are queued, or with a worker */
    pthread_t *threads; /* the workers, and behind them who ends what takes too long */
    unsigned thread_count;
};

/* For a worker to answer; the connection is suspended until then. False: the server ends. */
bool flm_http_enqueue(struct flm_http_server *server, struct flm_exchange *exchange);
bool flm_http_workers_start(struct flm_http_server *server, struct flm_error *why);

/* The condition of `changed` waits by CLOCK_MONOTONIC. */
void flm_http_conditions_init(struct flm_http_server *server);

/* Takes no more requests, and waits until those that are queued have been answered, which workers
 * cannot be kept from, and, for drain_ms at most, until the responses are written; the threads end
 * then. */
void flm_http_workers_stop(struct flm_http_server *server);

/* Of the library: when a connection is opened and closed. */
void flm_http_on_connection(void *context, struct MHD_Connection *connection, void **peer,
                            enum MHD_ConnectionNotificationCode code);

/* What the connection is doing from now on. */
void flm_http_peer_does(struct flm_http_server *server, struct MHD_Connection *connection,
                        bool answering, bool writing);

#endif
