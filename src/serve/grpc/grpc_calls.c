/* grpc_calls.c - the streams of a connection: calls that arrive, and their responses. */
#ifdef FLAMEL_NGHTTP2

#include <stdio.h>
#include <stdlib.h>

#include "os/clock.h"
#include "serve/grpc/grpc_message.h"
#include "serve/grpc/internal.h"

enum { MOST_HEADERS = 100, MOST_HEADER_BYTES = 65536, MOST_CALLS = 32 };

static struct flm_bytes text_of(const uint8_t *at, size_t size)
{
    return (struct flm_bytes){(const char *)at, size};
}

void flm_grpc_call_end(struct flm_grpc_call *call)
{
    struct flm_grpc_connection *c = call->connection;
    if (c) {
        *(call->before ? &call->before->behind : &c->calls) = call->behind;
        if (call->behind)
            call->behind->before = call->before;
        c->call_count--;
    }
    call->server->messages -= call->counted;
    call->counted = 0;
    flm_http_request_clear(&call->request);
    flm_text_clear(&call->response.body);
    flm_text_clear(&call->body);
    flm_text_clear(&call->out);
    flm_text_clear(&call->text);
    free(call);
}

/* ---- Responses ------------------------------------------------------------------------------- */

static nghttp2_nv field(const char *name, const char *value, size_t size)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), size,
                        NGHTTP2_NV_FLAG_NONE};
}

static ssize_t read_out(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room,
                        uint32_t *flags, nghttp2_data_source *source, void *context)
{
    struct flm_grpc_call *call = source->ptr;
    const struct flm_nghttp2 *h2 = &call->server->h2;
    size_t left = call->out.size - call->sent, size = left < room ? left : room;
    (void)context;
    if (size > 0)
        memcpy(buffer, call->out.at + call->sent, size);
    call->sent += size;
    if (call->sent == call->out.size) {
        nghttp2_nv trailer = field("grpc-status", "0", 1);
        *flags = NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        if (h2->submit_trailer(session, stream, &trailer, 1) != 0)
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    return (ssize_t)size;
}

static void submit_failure(struct flm_grpc_call *call, unsigned status)
{
    const struct flm_nghttp2 *h2 = &call->server->h2;
    nghttp2_session *session = call->connection->session;
    struct flm_bytes said = {call->response.body.at, call->response.body.size};
    while (said.size > 0 && said.at[said.size - 1] == '\n')
        said.size--;
    flm_grpc_put_text(&call->text, said);
    snprintf(call->status, sizeof call->status, "%u", status);
    const nghttp2_nv head[] = {
        field(":status", "200", 3),
        field("content-type", "application/grpc", 16),
        field("grpc-status", call->status, strlen(call->status)),
        field("grpc-message", call->text.failed || !call->text.at ? "" : call->text.at,
              call->text.failed ? 0 : call->text.size),
    };
    /* What a client still sends of it is dropped, until it has read this. A reset, which would stop
     * it, overtakes the response. */
    h2->submit_response(session, call->stream, head, 4, NULL);
}

void flm_grpc_respond(struct flm_grpc_call *call)
{
    struct flm_grpc_server *s = call->server;
    struct flm_http_response *r = &call->response;
    if (r->status == 0)
        r->status = 200;
    call->is_answered = true;
    call->since_ns = flm_now_ns();
    s->messages -= call->counted;
    call->counted = 0;
    flm_text_clear(&call->body);
    call->body = (struct flm_text){0};
    if (r->status == 200 && !r->body.failed)
        flm_grpc_put_message(&call->out,
                             (struct flm_bytes){r->body.at ? r->body.at : "", r->body.size});
    if (r->status == 200 && (r->body.failed || call->out.failed))
        r->status = 503;
    if (s->options.answered)
        s->options.answered(s->options.context, r->status);
    if (!call->connection || call->stream == 0)
        return;
    if (r->status != 200) {
        submit_failure(call, flm_grpc_status(r->status));
        return;
    }
    const nghttp2_nv head[] = {field(":status", "200", 3),
                               field("content-type", "application/grpc", 16),
                               field("grpc-accept-encoding", "identity,gzip,zstd", 18)};
    const nghttp2_data_provider provider = {.source.ptr = call, .read_callback = read_out};
    s->h2.submit_response(call->connection->session, call->stream, head, 3, &provider);
}

static void refuse(struct flm_grpc_call *call, unsigned status, const char *reason)
{
    flm_http_say(&call->response, status, "%s", reason);
    flm_grpc_respond(call);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct flm_grpc_connection *c = context;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (c->call_count >= MOST_CALLS || atomic_load(&c->server->is_draining))
        return c->server->h2.submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                               NGHTTP2_REFUSED_STREAM);
    struct flm_grpc_call *call = calloc(1, sizeof *call);
    if (!call)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    *call = (struct flm_grpc_call){.behind = c->calls,
                                   .server = c->server,
                                   .connection = c,
                                   .stream = frame->hd.stream_id,
                                   .since_ns = flm_now_ns(),
                                   .request.tenant = ""};
    if (c->calls)
        c->calls->before = call;
    c->calls = call;
    c->call_count++;
    c->had_call = true;
    c->server->h2.session_set_stream_user_data(session, frame->hd.stream_id, call);
    return 0;
}

static bool set_text(char **out, struct flm_bytes value)
{
    free(*out);
    *out = strndup(value.at, value.size);
    return *out != NULL;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context)
{
    struct flm_grpc_connection *c = context;
    struct flm_grpc_call *call =
        c->server->h2.session_get_stream_user_data(session, frame->hd.stream_id);
    struct flm_bytes key = text_of(name, name_size), text = text_of(value, value_size);
    (void)flags;
    if (!call || call->is_head_read) /* trailers of a request have nothing for us */
        return 0;
    call->header_bytes += name_size + value_size;
    bool good = call->header_bytes <= MOST_HEADER_BYTES && !memchr(key.at, 0, key.size) &&
                !(text.size > 0 && memchr(text.at, 0, text.size));
    if (good && flm_bytes_are(key, ":path"))
        good = set_text(&call->request.path, text);
    else if (good && flm_bytes_are(key, ":method"))
        good = set_text(&call->request.method, text);
    else if (good && (flm_bytes_are(key, ":authority") || !flm_bytes_start_with(key, ":")))
        good =
            call->request.headers.count < MOST_HEADERS &&
            flm_http_field_add(&call->request.headers,
                               flm_bytes_are(key, ":authority") ? flm_bytes_of("Host") : key, text);
    call->is_malformed |= !good;
    return 0;
}

/* All headers are there. */
static void read_head(struct flm_grpc_call *call)
{
    const struct flm_grpc_server *s = call->server;
    struct flm_http_request *request = &call->request;
    const char *type = flm_http_header(request, "content-type");
    call->is_head_read = true;
    if (call->is_malformed || !request->path || !request->method) {
        refuse(call, 400, "the metadata is malformed, or there is too much of it");
        return;
    }
    if (strcmp(request->method, "POST") != 0 || !type ||
        strncmp(type, "application/grpc", 16) != 0) {
        refuse(call, 415, "HTTP/2 is for gRPC here, with application/grpc: use HTTP/1.1");
        return;
    }
    if (!set_text(&request->method, flm_bytes_of("GRPC")))
        refuse(call, 503, "out of memory");
    else if (!s->options.admit(s->options.context, request, &call->response))
        flm_grpc_respond(call);
}

static void add_body(struct flm_grpc_call *call, struct flm_bytes more)
{
    struct flm_grpc_server *s = call->server;
    char reason[80];
    if (call->is_answered || call->is_queued)
        return;
    if (more.size > s->options.most_message + FLM_GRPC_PREFIX - call->body.size) {
        snprintf(reason, sizeof reason, "a message may have %llu MiB at most",
                 (unsigned long long)(s->options.most_message >> 20));
        refuse(call, 413, reason);
        return;
    }
    if (more.size > s->options.most_messages - s->messages) {
        refuse(call, 503, "too many messages arrive at once: try again");
        return;
    }
    flm_text_add(&call->body, more);
    s->messages += more.size;
    call->counted += more.size;
    if (call->body.failed)
        refuse(call, 503, "out of memory");
}

/* The message is there: to a worker. */
static void finish(struct flm_grpc_call *call)
{
    bool is_compressed;
    struct flm_error why;
    const char *encoding = flm_http_header(&call->request, "grpc-encoding");
    struct flm_bytes body = {call->body.at ? call->body.at : "", call->body.size};
    if (call->is_answered || call->is_queued)
        return;
    if (!flm_grpc_message(body, &call->request.body, &is_compressed, &why)) {
        refuse(call, 400, why.text);
        return;
    }
    if (is_compressed && (!encoding || strcmp(encoding, "identity") == 0)) {
        refuse(call, 400, "the message is compressed, and grpc-encoding does not say how");
        return;
    }
    if (is_compressed &&
        !flm_http_field_add(&call->request.headers, flm_bytes_of("Content-Encoding"),
                            flm_bytes_of(encoding))) {
        refuse(call, 503, "out of memory");
        return;
    }
    call->is_queued = true;
    if (flm_grpc_enqueue(call->server, call))
        return;
    call->is_queued = false;
    refuse(call, 503, "the server is shutting down");
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct flm_grpc_connection *c = context;
    struct flm_grpc_call *call =
        c->server->h2.session_get_stream_user_data(session, frame->hd.stream_id);
    if (!call || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        read_head(call);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        finish(call);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t size, void *context)
{
    struct flm_grpc_connection *c = context;
    struct flm_grpc_call *call = c->server->h2.session_get_stream_user_data(session, stream);
    (void)flags;
    if (call)
        add_body(call, text_of(data, size));
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *context)
{
    struct flm_grpc_connection *c = context;
    struct flm_grpc_call *call = c->server->h2.session_get_stream_user_data(session, stream);
    (void)error;
    if (!call)
        return 0;
    c->server->h2.session_set_stream_user_data(session, stream, NULL);
    call->stream = 0;
    if (!call->is_queued) /* else it is a worker's, and counted until it comes back */
        flm_grpc_call_end(call);
    return 0;
}

void flm_grpc_callbacks(struct flm_grpc_server *s)
{
    const struct flm_nghttp2 *h2 = &s->h2;
    h2->session_callbacks_set_on_begin_headers_callback(s->callbacks, on_begin_headers);
    h2->session_callbacks_set_on_header_callback(s->callbacks, on_header);
    h2->session_callbacks_set_on_frame_recv_callback(s->callbacks, on_frame);
    h2->session_callbacks_set_on_data_chunk_recv_callback(s->callbacks, on_data);
    h2->session_callbacks_set_on_stream_close_callback(s->callbacks, on_close);
}

#else

#include "serve/grpc/grpc_server.h"

#endif
