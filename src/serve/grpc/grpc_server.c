#include "serve/grpc/grpc_server.h"

#ifndef FLAMEL_NGHTTP2

bool flm_grpc_is_built(void)
{
    return false;
}

struct flm_grpc_server *flm_grpc_server_start(const struct flm_grpc_options *options,
                                              struct flm_error *why)
{
    (void)options;
    flm_error_set(why, FLM_ERROR_SYSTEM, "this flamel was built without nghttp2, which gRPC needs");
    return NULL;
}

void flm_grpc_server_take(void *server, int socket, const struct flm_front_peer *peer)
{
    (void)server, (void)socket, (void)peer;
}

void flm_grpc_server_stop(struct flm_grpc_server *server)
{
    (void)server;
}

#else

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/core/hash.h"
#include "os/clock.h"
#include "os/library.h"
#include "os/thread/condition.h"
#include "serve/grpc/internal.h"

enum { MOST_STREAMS = 32, WINDOW = 1 << 20, CHUNK = 65536, MOST_POLLED = 1024 };
static const int64_t SECOND_NS = 1000000000;

/* ---- Workers --------------------------------------------------------------------------------- */

static void wake(struct flm_grpc_server *s)
{
    const uint64_t one = 1;
    ssize_t written = write(s->event, &one, sizeof one);
    (void)written; /* what is full has woken it already */
}

bool flm_grpc_enqueue(struct flm_grpc_server *s, struct flm_grpc_call *call)
{
    pthread_mutex_lock(&s->lock);
    bool good = !atomic_load(&s->is_draining);
    if (good) {
        call->next = NULL;
        if (s->last)
            s->last->next = call;
        else
            s->first = call;
        s->last = call;
        s->busy++;
        pthread_cond_signal(&s->arrived);
    }
    pthread_mutex_unlock(&s->lock);
    return good;
}

static void *work(void *context)
{
    struct flm_grpc_server *s = context;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->first && !s->is_stopping)
            pthread_cond_wait(&s->arrived, &s->lock);
        struct flm_grpc_call *call = s->first;
        if (!call)
            break;
        s->first = call->next;
        if (!s->first)
            s->last = NULL;
        pthread_mutex_unlock(&s->lock);
        s->options.answer(s->options.context, &call->request, &call->response);
        pthread_mutex_lock(&s->lock);
        call->next = s->done;
        s->done = call;
        s->busy--;
        pthread_cond_broadcast(&s->changed);
        wake(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Connections ----------------------------------------------------------------------------- */

static void end_connection(struct flm_grpc_connection *c)
{
    struct flm_grpc_server *s = c->server;
    *(c->before ? &c->before->behind : &s->connections) = c->behind;
    if (c->behind)
        c->behind->before = c->before;
    s->connection_count--;
    /* It would tell of each stream that it is closed. */
    while (c->calls) {
        struct flm_grpc_call *call = c->calls;
        if (call->stream != 0)
            s->h2.session_set_stream_user_data(c->session, call->stream, NULL);
        if (!call->is_queued) {
            flm_grpc_call_end(call);
            continue;
        }
        c->calls = call->behind;
        call->connection = NULL;
    }
    if (c->session)
        s->h2.session_del(c->session);
    close(c->socket);
    free(c);
}

static unsigned count_of_peer(const struct flm_grpc_server *s, uint64_t peer)
{
    unsigned count = 0;
    for (const struct flm_grpc_connection *c = s->connections; c; c = c->behind)
        count += c->peer == peer;
    return count;
}

static void keep_alive(int socket)
{
    const int yes = 1, idle_s = 60, interval_s = 15, probes = 4;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

static void begin_connection(struct flm_grpc_server *s, int socket, uint64_t peer)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MOST_STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 65536},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };
    struct flm_grpc_connection *c = NULL;
    if (atomic_load(&s->is_draining) || s->connection_count >= s->options.most_connections ||
        count_of_peer(s, peer) >= s->options.most_of_peer || !(c = calloc(1, sizeof *c))) {
        close(socket);
        return;
    }
    *c = (struct flm_grpc_connection){.behind = s->connections,
                                      .server = s,
                                      .socket = socket,
                                      .peer = peer,
                                      .active_ns = flm_now_ns()};
    if (s->connections)
        s->connections->before = c;
    s->connections = c;
    s->connection_count++;
    keep_alive(socket);
    if (s->h2.session_server_new(&c->session, s->callbacks, c) != 0 ||
        s->h2.submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
                              sizeof settings / sizeof settings[0]) != 0 ||
        s->h2.session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, 4 * WINDOW) != 0)
        c->is_broken = true;
}

/* What the session has to say, as far as the socket takes it. */
static void send_pending(struct flm_grpc_connection *c)
{
    const struct flm_nghttp2 *h2 = &c->server->h2;
    while (!c->is_broken) {
        if (c->pending_size == 0) {
            ssize_t size = h2->session_mem_send(c->session, &c->pending);
            if (size <= 0) {
                c->is_broken |= size < 0;
                return;
            }
            c->pending_size = (size_t)size;
        }
        ssize_t sent = send(c->socket, c->pending, c->pending_size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            c->is_broken |= errno != EAGAIN;
            return;
        }
        c->pending += sent;
        c->pending_size -= (size_t)sent;
        c->active_ns = flm_now_ns();
    }
}

static void receive(struct flm_grpc_connection *c)
{
    uint8_t buffer[CHUNK];
    ssize_t size = recv(c->socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0 || c->server->h2.session_mem_recv(c->session, buffer, (size_t)size) < 0) {
        /* What is wrong with its frames is told in a GOAWAY. */
        if (size > 0)
            send_pending(c);
        c->is_broken = true;
        return;
    }
    c->active_ns = flm_now_ns();
}

/* A call that does not arrive, or whose response is not taken, is given up, and so is a peer that
 * reads nothing, or says nothing. */
static void check_times(struct flm_grpc_connection *c, int64_t now_ns)
{
    const struct flm_nghttp2 *h2 = &c->server->h2;
    const int64_t second_ns = c->server->options.second_ns;
    for (struct flm_grpc_call *call = c->calls; call; call = call->behind)
        if (!call->is_queued && call->stream != 0 && now_ns - call->since_ns > 60 * second_ns) {
            call->is_answered = true;
            call->since_ns = now_ns;
            h2->submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
        }
    int64_t most_s = c->pending_size > 0 ? 60 : !c->had_call ? 30 : c->calls ? 600 : 900;
    c->is_broken |= now_ns - c->active_ns > most_s * second_ns;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* What other threads have left for it. */
static bool take_over(struct flm_grpc_server *s)
{
    uint64_t events;
    ssize_t size = read(s->event, &events, sizeof events);
    (void)size;
    pthread_mutex_lock(&s->lock);
    struct flm_grpc_call *done = s->done;
    s->done = NULL;
    while (s->taken_count > 0) {
        s->taken_count--;
        begin_connection(s, s->taken[s->taken_count].socket, s->taken[s->taken_count].peer);
    }
    bool goes_on = !s->is_stopping;
    pthread_mutex_unlock(&s->lock);
    while (done) {
        struct flm_grpc_call *call = done;
        done = call->next;
        call->is_queued = false;
        flm_grpc_respond(call);
        if (!call->connection || call->stream == 0)
            flm_grpc_call_end(call);
    }
    return goes_on;
}

static bool is_due(const struct flm_grpc_connection *c)
{
    for (const struct flm_grpc_call *call = c->calls; call; call = call->behind)
        if (call->is_queued || call->is_answered)
            return true;
    return c->pending_size > 0;
}

/* For whoever waits until all is written. */
static void count_unwritten(struct flm_grpc_server *s)
{
    unsigned count = 0;
    for (const struct flm_grpc_connection *c = s->connections; c; c = c->behind)
        count += is_due(c);
    pthread_mutex_lock(&s->lock);
    s->unwritten = count;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *loop(void *context)
{
    struct flm_grpc_server *s = context;
    const int64_t tick_ns = s->options.second_ns;
    const int tick_ms = tick_ns < 1000000 ? 1 : (int)(tick_ns / 1000000);
    int64_t checked_ns = flm_now_ns();
    while (take_over(s)) {
        struct pollfd files[MOST_POLLED];
        nfds_t count = 0;
        files[count++] = (struct pollfd){.fd = s->event, .events = POLLIN};
        for (struct flm_grpc_connection *c = s->connections, *next; c; c = next) {
            next = c->behind;
            send_pending(c);
            if (c->is_broken || (!s->h2.session_want_read(c->session) && c->pending_size == 0 &&
                                 !s->h2.session_want_write(c->session))) {
                end_connection(c);
                continue;
            }
            /* Who does not read is not listened to: what it may make us say is bounded so. */
            files[count++] =
                (struct pollfd){.fd = c->socket, .events = c->pending_size > 0 ? POLLOUT : POLLIN};
        }
        if (atomic_load(&s->is_draining))
            count_unwritten(s);
        poll(files, count, tick_ms);
        nfds_t i = 1;
        int64_t now_ns = flm_now_ns();
        bool is_tick = now_ns - checked_ns > tick_ns;
        for (struct flm_grpc_connection *c = s->connections; c && i < count; c = c->behind, i++) {
            if (files[i].revents & (POLLIN | POLLHUP | POLLERR))
                receive(c);
            if (is_tick)
                check_times(c, now_ns);
        }
        if (is_tick)
            checked_ns = now_ns;
    }
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

#define AS_NAME(name) "nghttp2_" #name,

static bool open_library(struct flm_nghttp2 *h2, struct flm_error *why)
{
    static const char *const files[] = {"libnghttp2.so.14", NULL};
    static const char *const names[] = {FLM_NGHTTP2_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, h2, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "gRPC needs nghttp2: %s", missing.text);
}

bool flm_grpc_is_built(void)
{
    return true;
}

static bool start_threads(struct flm_grpc_server *s, struct flm_error *why)
{
    int error = pthread_create(&s->loop, NULL, loop, s);
    s->has_loop = error == 0;
    for (; error == 0 && s->worker_count < s->options.workers; s->worker_count++) {
        error = pthread_create(&s->workers[s->worker_count], NULL, work, s);
        if (error)
            break;
    }
    return error == 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
}

struct flm_grpc_server *flm_grpc_server_start(const struct flm_grpc_options *options,
                                              struct flm_error *why)
{
    assert(options->admit && options->answer && options->workers > 0);
    assert(options->most_connections < MOST_POLLED);
    struct flm_grpc_server *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->options = *options;
    s->options.second_ns = options->second_ns ? options->second_ns : SECOND_NS;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->arrived, NULL);
    flm_condition_init(&s->changed);
    s->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool good = open_library(&s->h2, why);
    if (good && (s->event < 0 || s->h2.session_callbacks_new(&s->callbacks) != 0 ||
                 !(s->workers = calloc(options->workers, sizeof *s->workers))))
        good = flm_error_memory(why);
    if (good)
        flm_grpc_callbacks(s);
    if (good && start_threads(s, why))
        return s;
    flm_grpc_server_stop(s);
    return NULL;
}

void flm_grpc_server_take(void *server, int socket, const struct flm_front_peer *peer)
{
    struct flm_grpc_server *s = server;
    /* Without the port, which is another one for each connection. */
    uint64_t key = 0;
    if (peer->address.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)&peer->address;
        key = flm_checksum(&four->sin_addr, sizeof four->sin_addr);
    } else if (peer->address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)&peer->address;
        key = flm_checksum(&six->sin6_addr, sizeof six->sin6_addr);
    }
    pthread_mutex_lock(&s->lock);
    bool has_room = s->taken_count < sizeof s->taken / sizeof s->taken[0];
    if (has_room) {
        s->taken[s->taken_count].socket = socket;
        s->taken[s->taken_count++].peer = key;
    }
    pthread_mutex_unlock(&s->lock);
    if (has_room)
        wake(s);
    else
        close(socket);
}

/* Until all calls are answered, and the answers written or no longer waited for. */
static void drain(struct flm_grpc_server *s)
{
    const struct timespec until = flm_deadline(5 * SECOND_NS);
    bool is_late = false;
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->is_draining, true);
    s->unwritten = 1; /* until the loop has looked */
    wake(s);
    while (s->busy > 0 || (!is_late && s->unwritten > 0))
        if (is_late)
            pthread_cond_wait(&s->changed, &s->lock);
        else
            is_late = pthread_cond_timedwait(&s->changed, &s->lock, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&s->lock);
}

void flm_grpc_server_stop(struct flm_grpc_server *s)
{
    if (!s)
        return;
    if (s->has_loop)
        drain(s);
    pthread_mutex_lock(&s->lock);
    s->is_stopping = true;
    pthread_cond_broadcast(&s->arrived);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->worker_count; i++)
        pthread_join(s->workers[i], NULL);
    if (s->has_loop) {
        wake(s);
        pthread_join(s->loop, NULL);
    }
    while (s->connections)
        end_connection(s->connections);
    while (s->taken_count > 0)
        close(s->taken[--s->taken_count].socket);
    while (s->done) {
        struct flm_grpc_call *call = s->done;
        s->done = call->next;
        call->connection = NULL;
        flm_grpc_call_end(call);
    }
    if (s->callbacks)
        s->h2.session_callbacks_del(s->callbacks);
    if (s->event >= 0)
        close(s->event);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->arrived);
    pthread_cond_destroy(&s->changed);
    free(s->workers);
    free(s);
}

#endif
