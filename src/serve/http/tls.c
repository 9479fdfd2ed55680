#include "serve/http/tls.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/array.h"
#include "os/clock.h"
#include "os/library.h"
#include "serve/http/openssl.h"

enum { CHUNK = 16384, MOST_HANDSHAKES = 256, MOST_TAKEN = 256, TURNS = 16 };
static const int64_t SECOND_NS = 1000000000, HANDSHAKE_NS = 30 * SECOND_NS,
                     UNREAD_NS = 60 * SECOND_NS, DRAIN_NS = 2 * SECOND_NS;

/* Bytes on their way in one direction. */
struct flow {
    unsigned char at[CHUNK];
    size_t start, size; /* what is left */
    bool ended;         /* nothing more comes from where they come from */
};

struct link {
    int socket, inner; /* inner: -1 until the handshake is over */
    SSL *ssl;
    struct flm_front_peer peer;
    struct flow in, out; /* from the client; from the server */
    bool wants_write;    /* OpenSSL cannot go on before the socket takes more */
    bool is_over, goes_on, told_end;
    int64_t since_ns; /* when it came; then, when the client took something last */
};

/* Of the files, when the context was made of them. */
struct stamp {
    struct timespec changed[2];
    ino_t file[2];
};

struct flm_tls {
    struct flm_openssl openssl;
    struct flm_tls_options options;
    SSL_CTX *context;
    struct stamp stamp;
    struct FLM_ARRAY(struct link *) links; /* the oldest first */

    int event;
    pthread_mutex_t lock;
    struct {
        int socket;
        struct flm_front_peer peer;
    } taken[MOST_TAKEN]; /* the thread does not have them yet */
    unsigned taken_count;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
};

/* ---- The certificate ------------------------------------------------------------------------- */

static bool refuse(struct flm_tls *t, const char *file, const char *what, struct flm_error *why)
{
    char reason[200] = "";
    unsigned long error = t->openssl.next_error();
    if (error)
        t->openssl.describe(error, reason, sizeof reason);
    t->openssl.clear_errors();
    return flm_error_set(why, FLM_ERROR_USAGE, "%s: %s%s%s", file, what, error ? ": " : "", reason);
}

/* Browsers and HTTP clients offer both, and are served by HTTP/1.1; clients of gRPC offer "h2"
 * alone. */
static int select_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size,
                           const unsigned char *offered, unsigned size, void *context)
{
    static const char *const names[] = {"http/1.1", "h2"};
    const struct flm_tls *t = context;
    (void)ssl;
    for (unsigned n = 0; n < (t->options.take_http2 ? 2 : 1); n++)
        for (unsigned i = 0; i < size && offered[i] < size - i; i += 1 + offered[i])
            if (offered[i] == strlen(names[n]) &&
                memcmp(offered + i + 1, names[n], offered[i]) == 0) {
                *out = offered + i + 1;
                *out_size = offered[i];
                return FLM_SSL_TLSEXT_ERR_OK;
            }
    return FLM_SSL_TLSEXT_ERR_NOACK;
}

static SSL_CTX *make_context(struct flm_tls *t, struct flm_error *why)
{
    const struct flm_openssl *o = &t->openssl;
    const char *certificate = t->options.certificate, *key = t->options.key;
    SSL_CTX *context = o->context_new(o->server_method());
    bool good = context || flm_error_memory(why);
    if (good && o->use_chain(context, certificate) != 1)
        good = refuse(t, certificate, "this is no certificate in PEM", why);
    if (good && o->use_key(context, key, FLM_SSL_FILE_PEM) != 1)
        good = refuse(t, key, "this is no private key in PEM of the certificate", why);
    if (good && o->check_key(context) != 1)
        good = refuse(t, key, "the key is not that of the certificate", why);
    if (!good) {
        if (context)
            o->context_free(context);
        return NULL;
    }
    o->context_ctrl(context, FLM_SSL_CTRL_SET_MIN_PROTO_VERSION, FLM_TLS1_2_VERSION, NULL);
    o->context_ctrl(context, FLM_SSL_CTRL_MODE,
                    FLM_SSL_MODE_ENABLE_PARTIAL_WRITE | FLM_SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                        FLM_SSL_MODE_RELEASE_BUFFERS,
                    NULL);
    o->set_alpn(context, select_protocol, t);
    return context;
}

static struct stamp stamp_of(const struct flm_tls *t)
{
    const char *const files[] = {t->options.certificate, t->options.key};
    struct stamp stamp;
    memset(&stamp, 0, sizeof stamp);
    for (int i = 0; i < 2; i++) {
        struct stat file;
        if (stat(files[i], &file) != 0)
            continue;
        stamp.changed[i].tv_sec = file.st_mtim.tv_sec;
        stamp.changed[i].tv_nsec = file.st_mtim.tv_nsec;
        stamp.file[i] = file.st_ino;
    }
    return stamp;
}

/* Connections that there are keep what they have. */
static void renew(struct flm_tls *t)
{
    struct stamp stamp = stamp_of(t);
    struct flm_error why;
    if (memcmp(&stamp, &t->stamp, sizeof stamp) == 0)
        return;
    SSL_CTX *context = make_context(t, &why);
    if (context) {
        t->openssl.context_free(t->context);
        t->context = context;
    } else if (t->options.report) {
        t->options.report(t->options.context, &why);
    }
    t->stamp = stamp;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static void end_link(struct flm_tls *t, struct link *l)
{
    if (l->ssl)
        t->openssl.free(l->ssl);
    close(l->socket);
    if (l->inner >= 0)
        close(l->inner);
    free(l);
}

static void end_at(struct flm_tls *t, size_t index)
{
    end_link(t, t->links.at[index]);
    t->links.count--;
    memmove(&t->links.at[index], &t->links.at[index + 1],
            (t->links.count - index) * sizeof t->links.at[0]);
}

static void begin_link(struct flm_tls *t, int socket, const struct flm_front_peer *peer)
{
    struct link *l = t->links.count < t->options.most_links ? calloc(1, sizeof *l) : NULL;
    const int yes = 1;
    if (!l) {
        close(socket);
        return;
    }
    l->socket = socket;
    l->inner = -1;
    l->peer = *peer;
    l->since_ns = flm_now_ns();
    renew(t);
    l->ssl = t->openssl.new(t->context);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    if (!l->ssl || t->openssl.set_file(l->ssl, socket) != 1 || !FLM_ARRAY_ADD(&t->links, l)) {
        end_link(t, l);
        return;
    }
    t->openssl.accept(l->ssl);
    l->goes_on = true;
    unsigned handshakes = 0;
    size_t oldest = 0;
    for (size_t i = t->links.count; i-- > 0;)
        if (t->links.at[i]->inner < 0) {
            handshakes++;
            oldest = i;
        }
    if (handshakes > MOST_HANDSHAKES)
        end_at(t, oldest);
}

/* Whether a call of OpenSSL is to be made again later; else the client ended, or is wrong. */
static bool waits(struct flm_tls *t, struct link *l, int result)
{
    int error = t->openssl.error(l->ssl, result);
    l->wants_write |= error == FLM_SSL_ERROR_WANT_WRITE;
    if (error == FLM_SSL_ERROR_WANT_READ || error == FLM_SSL_ERROR_WANT_WRITE)
        return true;
    l->in.ended = true;
    l->is_over |= error != FLM_SSL_ERROR_ZERO_RETURN;
    t->openssl.clear_errors();
    return false;
}

static bool shake_hands(struct flm_tls *t, struct link *l)
{
    const unsigned char *protocol = NULL;
    unsigned size = 0;
    int pair[2];
    int result = t->openssl.handshake(l->ssl);
    if (result != 1) {
        l->is_over |= !waits(t, l, result);
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) {
        l->is_over = true;
        return false;
    }
    t->openssl.alpn(l->ssl, &protocol, &size);
    l->inner = pair[0];
    l->since_ns = flm_now_ns();
    if (size == 2 && memcmp(protocol, "h2", 2) == 0)
        t->options.take_http2(t->options.http2, pair[1], &l->peer);
    else
        t->options.take_http1(t->options.http1, pair[1], &l->peer);
    return true;
}

/* Each moves some bytes; true: it did. */
static bool read_client(struct flm_tls *t, struct link *l)
{
    if (l->in.size > 0 || l->in.ended)
        return false;
    int size = t->openssl.read(l->ssl, l->in.at, CHUNK);
    if (size <= 0)
        return !waits(t, l, size) && !l->is_over;
    l->in.start = 0;
    l->in.size = (size_t)size;
    return true;
}

static bool write_server(struct link *l)
{
    if (l->in.ended && l->in.size == 0 && !l->told_end) {
        shutdown(l->inner, SHUT_WR);
        l->told_end = true;
    }
    if (l->in.size == 0)
        return false;
    ssize_t sent = send(l->inner, l->in.at + l->in.start, l->in.size, MSG_NOSIGNAL);
    if (sent < 0) {
        /* It has ended, and may have said something before. */
        if (errno != EAGAIN && errno != EINTR) {
            l->in.ended = true;
            l->in.size = 0;
        }
        return false;
    }
    l->in.start += (size_t)sent;
    l->in.size -= (size_t)sent;
    return true;
}

static bool read_server(struct link *l)
{
    if (l->out.size > 0 || l->out.ended)
        return false;
    ssize_t size = recv(l->inner, l->out.at, CHUNK, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    l->out.ended = size <= 0;
    l->out.start = 0;
    l->out.size = size > 0 ? (size_t)size : 0;
    l->since_ns = flm_now_ns();
    return true;
}

static bool write_client(struct flm_tls *t, struct link *l)
{
    if (l->out.size == 0) {
        if (l->out.ended) {
            t->openssl.shutdown(l->ssl); /* once, without waiting for an answer */
            l->is_over = true;
        }
        return false;
    }
    int sent = t->openssl.write(l->ssl, l->out.at + l->out.start, (int)l->out.size);
    if (sent <= 0) {
        l->is_over |= !waits(t, l, sent);
        return false;
    }
    l->out.start += (size_t)sent;
    l->out.size -= (size_t)sent;
    l->since_ns = flm_now_ns();
    return true;
}

/* All that can be done without waiting, but for some turns only: others wait too. */
static void work(struct flm_tls *t, struct link *l)
{
    l->wants_write = l->goes_on = false;
    t->openssl.clear_errors();
    if (l->inner < 0 && !shake_hands(t, l))
        return;
    for (int turn = 0; turn < TURNS && !l->is_over; turn++) {
        bool moved = read_client(t, l);
        moved |= !l->is_over && write_server(l);
        moved |= !l->is_over && read_server(l);
        moved |= !l->is_over && write_client(t, l);
        if (!moved)
            return;
    }
    l->goes_on = true;
}

static bool is_late(const struct link *l, int64_t now_ns)
{
    int64_t waited_ns = now_ns - l->since_ns;
    return l->inner < 0 ? waited_ns > HANDSHAKE_NS : l->out.size > 0 && waited_ns > UNREAD_NS;
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void take_over(struct flm_tls *t)
{
    uint64_t events;
    ssize_t size = read(t->event, &events, sizeof events);
    (void)size;
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < t->taken_count; i++)
        begin_link(t, t->taken[i].socket, &t->taken[i].peer);
    t->taken_count = 0;
    pthread_mutex_unlock(&t->lock);
}

static void ask_for(const struct link *l, struct pollfd files[2])
{
    bool reads = l->inner < 0 || (l->in.size == 0 && !l->in.ended);
    files[0] = (struct pollfd){
        .fd = l->socket, .events = (short)((reads ? POLLIN : 0) | (l->wants_write ? POLLOUT : 0))};
    bool takes = l->out.size == 0 && !l->out.ended;
    files[1] = (struct pollfd){
        .fd = l->inner, .events = (short)((takes ? POLLIN : 0) | (l->in.size > 0 ? POLLOUT : 0))};
    /* Poll tells of an end whatever it is asked for: what waits for nothing there must not turn. */
    if (files[0].events == 0)
        files[0].fd = -1;
    if (files[1].events == 0)
        files[1].fd = -1;
}

static void *run(void *context)
{
    struct flm_tls *t = context;
    struct FLM_ARRAY(struct pollfd) files = {0};
    int64_t drained_ns = 0;
    for (;;) {
        int64_t now_ns = flm_now_ns();
        bool goes_on = false;
        if (atomic_load(&t->is_stopping)) {
            drained_ns = drained_ns ? drained_ns : now_ns + DRAIN_NS;
            if (t->links.count == 0 || now_ns > drained_ns)
                break;
        }
        files.count = 0;
        if (!FLM_ARRAY_RESERVE(&files, 1 + 2 * t->links.count)) {
            usleep(10000);
            continue;
        }
        files.at[0] = (struct pollfd){.fd = t->event, .events = POLLIN};
        for (size_t i = 0; i < t->links.count; i++) {
            ask_for(t->links.at[i], &files.at[1 + 2 * i]);
            goes_on |= t->links.at[i]->goes_on;
        }
        size_t count = t->links.count;
        if (poll(files.at, 1 + 2 * count,
                 goes_on      ? 0
                 : drained_ns ? 50
                              : 1000) < 0 &&
            errno != EINTR)
            break;
        now_ns = flm_now_ns();
        for (size_t i = count; i-- > 0;) {
            struct link *l = t->links.at[i];
            if (files.at[1 + 2 * i].revents || files.at[2 + 2 * i].revents || l->goes_on)
                work(t, l);
            if (l->is_over || is_late(l, now_ns) || (drained_ns && l->inner < 0))
                end_at(t, i);
        }
        take_over(t);
    }
    FLM_ARRAY_CLEAR(&files);
    return NULL;
}

/* ---- Starting -------------------------------------------------------------------------------- */

struct flm_tls *flm_tls_start(const struct flm_tls_options *options, struct flm_error *why)
{
    static const char *const libraries[] = {"libssl.so.3", "libssl.so.1.1", NULL};
    static const char *const names[] = {FLM_OPENSSL_NAMES, NULL};
    struct flm_error reason = {0};
    struct flm_tls *t = calloc(1, sizeof *t);
    if (!t) {
        flm_error_memory(why);
        return NULL;
    }
    t->options = *options;
    t->event = -1;
    pthread_mutex_init(&t->lock, NULL);
    bool good =
        flm_library_open(libraries, names, &t->openssl, &reason) ||
        flm_error_set(why, FLM_ERROR_SYSTEM, "TLS needs OpenSSL (libssl3): %s", reason.text);
    if (good) {
        t->stamp = stamp_of(t);
        good = (t->context = make_context(t, why)) != NULL;
    }
    if (good) {
        t->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        int error = t->event < 0 ? errno : pthread_create(&t->thread, NULL, run, t);
        t->has_thread = error == 0;
        good = t->has_thread || flm_error_set(why, FLM_ERROR_SYSTEM, "no thread can be started: %s",
                                              strerror(error));
    }
    if (good)
        return t;
    flm_tls_stop(t);
    return NULL;
}

static void wake(struct flm_tls *t)
{
    const uint64_t one = 1;
    ssize_t written = write(t->event, &one, sizeof one);
    (void)written; /* what is full has woken it already */
}

void flm_tls_take(void *context, int socket, const struct flm_front_peer *peer)
{
    struct flm_tls *t = context;
    pthread_mutex_lock(&t->lock);
    bool taken = t->taken_count < MOST_TAKEN;
    if (taken) {
        t->taken[t->taken_count].socket = socket;
        t->taken[t->taken_count++].peer = *peer;
    }
    pthread_mutex_unlock(&t->lock);
    if (!taken)
        close(socket);
    wake(t);
}

void flm_tls_stop(struct flm_tls *t)
{
    if (!t)
        return;
    atomic_store(&t->is_stopping, true);
    if (t->has_thread) {
        wake(t);
        pthread_join(t->thread, NULL);
    }
    for (unsigned i = 0; i < t->taken_count; i++)
        close(t->taken[i].socket);
    while (t->links.count > 0)
        end_at(t, t->links.count - 1);
    FLM_ARRAY_CLEAR(&t->links);
    if (t->context)
        t->openssl.context_free(t->context);
    if (t->event >= 0)
        close(t->event);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
