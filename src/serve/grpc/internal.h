/* internal.h - the members of a gRPC server: its connections, and the calls of each.
 *
 * A call is with the loop's thread while it arrives and while its response is written, and with a
 * worker in between: the queue hands it over, and `done` hands it back. A call whose stream is
 * closed meanwhile, or whose connection, is freed when it comes back. */
#ifndef FLAMEL_SERVE_GRPC_INTERNAL_H
#define FLAMEL_SERVE_GRPC_INTERNAL_H

#include <nghttp2/nghttp2.h>
#include <pthread.h>
#include <stdatomic.h>

#include "serve/grpc/grpc_server.h"

/* Each name is here once: it makes the string that is looked up, and the pointer with its type. */
/* clang-format off */
#define FLM_NGHTTP2_FUNCTIONS(each)                                                               \
    each(session_callbacks_new) each(session_callbacks_del)                                       \
    each(session_callbacks_set_on_begin_headers_callback)                                         \
    each(session_callbacks_set_on_header_callback)                                                \
    each(session_callbacks_set_on_frame_recv_callback)                                            \
    each(session_callbacks_set_on_data_chunk_recv_callback)                                       \
    each(session_callbacks_set_on_stream_close_callback)                                          \
    each(session_server_new) each(session_del) each(session_mem_recv) each(session_mem_send)      \
    each(session_want_read) each(session_want_write) each(session_get_stream_user_data)           \
    each(session_set_stream_user_data) each(session_set_local_window_size)                        \
    each(submit_settings) each(submit_response) each(submit_trailer) each(submit_rst_stream)
/* clang-format on */

#define FLM_NGHTTP2_POINTER(name) __typeof__(nghttp2_##name) *name;

struct flm_nghttp2 {
    FLM_NGHTTP2_FUNCTIONS(FLM_NGHTTP2_POINTER)
};

struct flm_grpc_connection;

struct flm_grpc_call {
    struct flm_grpc_call *before, *behind; /* of the connection */
    struct flm_grpc_call *next;            /* in the queue, or among those that are done */
    struct flm_grpc_server *server;
    struct flm_grpc_connection *connection; /* NULL: it is closed */
    int32_t stream;                         /* 0: it is closed */
    int64_t since_ns;
    struct flm_http_request request;
    struct flm_http_response response;
    struct flm_text body; /* what arrived, with its prefix */
    size_t counted;       /* of the server's `messages` */
    size_t header_bytes;
    bool is_malformed, is_head_read;
    bool is_answered; /* a response is submitted, or refused: what still arrives is dropped */
    bool is_queued;
    struct flm_text out, text; /* the message that is sent; grpc-message */
    size_t sent;
    char status[12];
};

struct flm_grpc_connection {
    struct flm_grpc_connection *before, *behind;
    struct flm_grpc_server *server;
    int socket;
    uint64_t peer; /* a checksum of its address */
    nghttp2_session *session;
    struct flm_grpc_call *calls;
    unsigned call_count; /* also those that a worker is at and whose streams are closed */
    bool had_call, is_broken;
    int64_t active_ns;      /* when something arrived last, or began to be sent */
    const uint8_t *pending; /* what the session wants to send */
    size_t pending_size;
};

struct flm_grpc_server {
    struct flm_nghttp2 h2;
    struct flm_grpc_options options;
    nghttp2_session_callbacks *callbacks;
    struct flm_grpc_connection *connections;
    unsigned connection_count;
    size_t messages; /* bytes of all that arrive, or wait; of the loop's thread */

    int event; /* eventfd: something for the loop */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    pthread_cond_t changed;             /* `busy` and `unwritten`, while it is drained */
    struct flm_grpc_call *first, *last; /* the queue */
    struct flm_grpc_call *done;
    struct {
        int socket;
        uint64_t peer;
    } taken[64]; /* connections that the loop does not have yet */
    unsigned taken_count;
    atomic_bool is_draining; /* no more calls */
    bool is_stopping;
    unsigned busy;      /* calls that are queued, or with a worker */
    unsigned unwritten; /* connections with responses that are due; only while it is drained */
    pthread_t loop, *workers;
    bool has_loop;
    unsigned worker_count;
};

/* ---- grpc_calls.c: what the frames of a connection say --------------------------------------- */

void flm_grpc_callbacks(struct flm_grpc_server *server);
void flm_grpc_respond(struct flm_grpc_call *call);

/* Takes it from its connection, and frees it. */
void flm_grpc_call_end(struct flm_grpc_call *call);

/* ---- grpc_server.c --------------------------------------------------------------------------- */

/* For a worker to answer. False: the server ends. */
bool flm_grpc_enqueue(struct flm_grpc_server *server, struct flm_grpc_call *call);

#endif
