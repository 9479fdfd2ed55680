#include "serve/http/front.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/clock.h"

enum { MOST_WAITING = 256, ENOUGH = 3 /* bytes that tell a preface */ };
static const int64_t PATIENCE_NS = (int64_t)30 * 1000000000, REST_NS = (int64_t)50 * 1000000;

struct waiting {
    int socket;
    int64_t since_ns;
    struct flm_front_peer peer;
};

struct flm_front {
    struct flm_front_options options;
    int socket, event;
    struct waiting waiting[MOST_WAITING]; /* the oldest first */
    unsigned count;
    int64_t rest_until_ns; /* where there are no more files, accepting waits so long */
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
};

static void remove_at(struct flm_front *f, unsigned index)
{
    f->count--;
    memmove(&f->waiting[index], &f->waiting[index + 1], (f->count - index) * sizeof f->waiting[0]);
}

static void drop(struct flm_front *f, unsigned index)
{
    close(f->waiting[index].socket);
    remove_at(f, index);
}

/* Whoever speaks in the clear where TLS is wanted may be somebody with a wrong URL. */
static void refuse_plain(int socket)
{
    static const char said[] = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
                               "Connection: close\r\nContent-Length: 48\r\n\r\n"
                               "this address speaks TLS: its URLs are https://\r\n";
    char rest[4096];
    ssize_t size = send(socket, said, sizeof said - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(socket, SHUT_WR);
    while (size > 0) /* what is not read when it is closed would take the response back */
        size = recv(socket, rest, sizeof rest, MSG_DONTWAIT);
    close(socket);
}

static void hand_over(struct flm_front *f, unsigned index, const char *said)
{
    struct waiting w = f->waiting[index];
    const int one = 1;
    bool is_http2 = memcmp(said, "PRI", ENOUGH) == 0;
    remove_at(f, index);
    setsockopt(w.socket, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
    if (f->options.take_tls && said[0] == 0x16 && said[1] == 0x03)
        f->options.take_tls(f->options.tls, w.socket, &w.peer);
    else if (f->options.take_tls)
        refuse_plain(w.socket);
    else if (is_http2 && f->options.take_http2)
        f->options.take_http2(f->options.http2, w.socket, &w.peer);
    else
        f->options.take_http1(f->options.http1, w.socket, &w.peer);
}

/* Something came, or the connection ended. */
static void look(struct flm_front *f, unsigned index)
{
    char said[ENOUGH];
    ssize_t size = recv(f->waiting[index].socket, said, sizeof said, MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    /* Fewer, although the socket waits for more: it is the end. */
    if (size < ENOUGH)
        drop(f, index);
    else
        hand_over(f, index, said);
}

static void accept_all(struct flm_front *f)
{
    for (;;) {
        struct waiting w = {.since_ns = flm_now_ns()};
        const int enough = ENOUGH, yes = 1;
        w.peer.size = sizeof w.peer.address;
        w.socket = accept4(f->socket, (struct sockaddr *)&w.peer.address, &w.peer.size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (w.socket < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                f->rest_until_ns = flm_now_ns() + REST_NS;
            return;
        }
        /* Poll tells of it when so many bytes are there, and not of each before. */
        setsockopt(w.socket, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough);
        setsockopt(w.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (f->count == MOST_WAITING)
            drop(f, 0);
        f->waiting[f->count++] = w;
    }
}

static int wait_ms(const struct flm_front *f, int64_t now_ns)
{
    int64_t until_ns = f->count > 0 ? f->waiting[0].since_ns + PATIENCE_NS : INT64_MAX;
    if (f->rest_until_ns > now_ns && f->rest_until_ns < until_ns)
        until_ns = f->rest_until_ns;
    if (until_ns == INT64_MAX)
        return -1;
    return until_ns <= now_ns ? 0 : (int)((until_ns - now_ns) / 1000000) + 1;
}

static void *run(void *context)
{
    struct flm_front *f = context;
    struct pollfd files[MOST_WAITING + 2];
    while (!atomic_load(&f->is_stopping)) {
        int64_t now_ns = flm_now_ns();
        unsigned count = f->count;
        files[0] = (struct pollfd){.fd = f->event, .events = POLLIN};
        files[1] =
            (struct pollfd){.fd = f->rest_until_ns > now_ns ? -1 : f->socket, .events = POLLIN};
        for (unsigned i = 0; i < count; i++)
            files[i + 2] = (struct pollfd){.fd = f->waiting[i].socket, .events = POLLIN};
        if (poll(files, count + 2, wait_ms(f, now_ns)) < 0 && errno != EINTR)
            break;
        /* From the last one: those that go away move only what was looked at. */
        for (unsigned i = count; i-- > 0;)
            if (files[i + 2].revents)
                look(f, i);
        now_ns = flm_now_ns();
        while (f->count > 0 && now_ns - f->waiting[0].since_ns > PATIENCE_NS)
            drop(f, 0);
        if (files[1].revents)
            accept_all(f);
    }
    return NULL;
}

struct flm_front *flm_front_start(int socket, const struct flm_front_options *options,
                                  struct flm_error *why)
{
    struct flm_front *f = calloc(1, sizeof *f);
    if (!f) {
        close(socket);
        flm_error_memory(why);
        return NULL;
    }
    f->options = *options;
    f->socket = socket;
    f->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = f->event < 0 ? errno : pthread_create(&f->thread, NULL, run, f);
    f->has_thread = error == 0;
    if (f->has_thread)
        return f;
    flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s", strerror(error));
    flm_front_stop(f);
    return NULL;
}

void flm_front_stop(struct flm_front *f)
{
    const uint64_t one = 1;
    if (!f)
        return;
    atomic_store(&f->is_stopping, true);
    if (f->has_thread) {
        ssize_t written = write(f->event, &one, sizeof one);
        (void)written; /* what is full has woken it already */
        pthread_join(f->thread, NULL);
    }
    while (f->count > 0)
        drop(f, 0);
    close(f->socket);
    if (f->event >= 0)
        close(f->event);
    free(f);
}
