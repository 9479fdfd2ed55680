/* http_server_workers.c - the threads that answer, and the one that ends what takes too long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "os/clock.h"
#include "os/thread/condition.h"
#include "serve/http/internal.h"

static const int64_t MOST_READING_NS = (int64_t)60 * 1000000000,
                     MOST_WRITING_NS = (int64_t)600 * 1000000000,
                     DRAIN_NS = (int64_t)5 * 1000000000, TICK_NS = (int64_t)5 * 1000000000;

/* ---- Workers --------------------------------------------------------------------------------- */

bool flm_http_enqueue(struct flm_http_server *s, struct flm_exchange *x)
{
    pthread_mutex_lock(&s->lock);
    if (s->is_draining) {
        pthread_mutex_unlock(&s->lock);
        return false;
    }
    /* Before a worker can resume it. */
    s->http.suspend_connection(x->connection);
    x->next = NULL;
    if (s->last)
        s->last->next = x;
    else
        s->first = x;
    s->last = x;
    s->busy++;
    pthread_cond_signal(&s->arrived);
    pthread_mutex_unlock(&s->lock);
    return true;
}

static struct flm_exchange *dequeue(struct flm_http_server *s)
{
    while (!s->first && !s->is_stopping)
        pthread_cond_wait(&s->arrived, &s->lock);
    struct flm_exchange *x = s->first;
    if (x) {
        s->first = x->next;
        if (!s->first)
            s->last = NULL;
    }
    return x;
}

static void *work(void *context)
{
    struct flm_http_server *s = context;
    pthread_mutex_lock(&s->lock);
    for (struct flm_exchange *x; (x = dequeue(s)) != NULL;) {
        struct MHD_Connection *connection = x->connection;
        pthread_mutex_unlock(&s->lock);
        s->options.answer(s->options.context, &x->request, &x->response);
        x->is_answered = true;
        /* From here on the exchange is the library's thread's. */
        s->http.resume_connection(connection);
        pthread_mutex_lock(&s->lock);
        s->busy--;
        if (s->is_draining)
            pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Peers ----------------------------------------------------------------------------------- */

static struct flm_peer *peer_of(struct flm_http_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void flm_http_peer_does(struct flm_http_server *s, struct MHD_Connection *connection,
                        bool answering, bool writing)
{
    struct flm_peer *peer = peer_of(s, connection);
    pthread_mutex_lock(&s->lock);
    if (peer) {
        peer->is_answering = answering;
        peer->is_writing = writing;
        peer->since_ns = flm_now_ns();
    }
    if (s->is_draining)
        pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void flm_http_on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct flm_http_server *s = context;
    struct flm_peer *peer = *socket_context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        pthread_mutex_lock(&s->lock);
        if (peer) {
            *(peer->before ? &peer->before->behind : &s->peers) = peer->behind;
            if (peer->behind)
                peer->behind->before = peer->before;
        }
        pthread_mutex_unlock(&s->lock);
        free(peer);
        *socket_context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    peer = info ? calloc(1, sizeof *peer) : NULL;
    *socket_context = peer;
    if (!peer) {
        if (info)
            shutdown(info->connect_fd, SHUT_RDWR); /* it could stay as long as it likes */
        return;
    }
    pthread_mutex_lock(&s->lock);
    *peer =
        (struct flm_peer){.behind = s->peers, .socket = info->connect_fd, .since_ns = flm_now_ns()};
    if (s->peers)
        s->peers->before = peer;
    s->peers = peer;
    pthread_mutex_unlock(&s->lock);
}

/* The library closes the connection when it sees the end of it. */
static void end_slow(struct flm_http_server *s)
{
    int64_t now_ns = flm_now_ns();
    for (struct flm_peer *p = s->peers; p; p = p->behind)
        if (!p->is_answering &&
            now_ns - p->since_ns > (p->is_writing ? MOST_WRITING_NS : MOST_READING_NS))
            shutdown(p->socket, SHUT_RDWR);
}

static void *watch(void *context)
{
    struct flm_http_server *s = context;
    pthread_mutex_lock(&s->lock);
    while (!s->is_stopping) {
        struct timespec until = flm_deadline(TICK_NS);
        pthread_cond_timedwait(&s->changed, &s->lock, &until);
        end_slow(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

bool flm_http_workers_start(struct flm_http_server *s, struct flm_error *why)
{
    unsigned count = s->options.workers + 1;
    s->threads = calloc(count, sizeof *s->threads);
    if (!s->threads)
        return flm_error_memory(why);
    for (; s->thread_count < count; s->thread_count++) {
        bool is_watcher = s->thread_count == s->options.workers;
        int error =
            pthread_create(&s->threads[s->thread_count], NULL, is_watcher ? watch : work, s);
        if (error)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s",
                                 strerror(error));
    }
    return true;
}

void flm_http_conditions_init(struct flm_http_server *s)
{
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->arrived, NULL);
    flm_condition_init(&s->changed);
}

static bool is_writing(const struct flm_http_server *s)
{
    for (const struct flm_peer *p = s->peers; p; p = p->behind)
        if (p->is_answering || p->is_writing)
            return true;
    return false;
}

void flm_http_workers_stop(struct flm_http_server *s)
{
    int64_t most_ns = s->options.drain_ms ? s->options.drain_ms * (int64_t)1000000 : DRAIN_NS;
    struct timespec until = flm_deadline(most_ns);
    bool is_late = false;
    pthread_mutex_lock(&s->lock);
    s->is_draining = true;
    while (s->busy > 0 || (!is_late && is_writing(s)))
        if (is_late)
            pthread_cond_wait(&s->changed, &s->lock);
        else
            is_late = pthread_cond_timedwait(&s->changed, &s->lock, &until) == ETIMEDOUT;
    s->is_stopping = true;
    pthread_cond_broadcast(&s->arrived);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->thread_count; i++)
        pthread_join(s->threads[i], NULL);
    s->thread_count = 0;
}
