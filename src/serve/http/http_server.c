#include "serve/http/http_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/number/number.h"
#include "os/library.h"
#include "serve/http/internal.h"

enum { SILENCE_S = 30, MOST_HEADERS = 100, MOST_DROPPED = 4 /* bodies of the largest size */ };

/* ---- Responses ------------------------------------------------------------------------------- */

static enum MHD_Result respond(struct flm_http_server *s, struct flm_exchange *x)
{
    struct flm_http_response *r = &x->response;
    if (r->body.failed) {
        flm_text_clear(&r->body);
        r->body = (struct flm_text){0};
        r->status = 503;
    }
    /* The response takes the text, and frees it when it was sent. */
    struct MHD_Response *response =
        s->http.create_response_from_buffer(r->body.size, r->body.at, MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    r->body = (struct flm_text){0};
    const char *const headers[][2] = {
        {"Content-Type", r->type ? r->type : "text/plain; charset=utf-8"},
        {"Content-Security-Policy",
         r->policy ? r->policy : "default-src 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", r->cache ? r->cache : "no-store"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        s->http.add_response_header(response, headers[i][0], headers[i][1]);
    if (r->authenticate)
        s->http.add_response_header(response, "WWW-Authenticate", r->authenticate);
    if (r->verdict)
        s->http.add_response_header(response, "Flamel-Verdict", r->verdict);
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%u", r->retry_after_s);
    if (r->retry_after_s > 0)
        s->http.add_response_header(response, "Retry-After", seconds);
    flm_http_peer_does(s, x->connection, false, true);
    if (r->status == 0)
        r->status = 200;
    enum MHD_Result queued = s->http.queue_response(x->connection, r->status, response);
    s->http.destroy_response(response);
    if (queued == MHD_YES && s->options.answered)
        s->options.answered(s->options.context, r->status);
    return queued;
}

/* ---- Requests -------------------------------------------------------------------------------- */

struct collecting {
    struct flm_exchange *exchange;
    struct flm_http_fields *fields;
};

static enum MHD_Result collect(void *context, enum MHD_ValueKind kind, const char *key,
                               size_t key_size, const char *value, size_t value_size)
{
    struct collecting *c = context;
    (void)kind;
    if (key_size == 0 && !value)
        return MHD_YES; /* between the two of "a=b&&c=d" */
    bool good = key_size > 0 && !memchr(key, 0, key_size) &&
                (!value || !memchr(value, 0, value_size)) && c->fields->count < MOST_HEADERS &&
                flm_http_field_add(c->fields, (struct flm_bytes){key, key_size},
                                   (struct flm_bytes){value, value ? value_size : 0});
    c->exchange->is_malformed |= !good;
    return good ? MHD_YES : MHD_NO;
}

static bool read_head(struct flm_http_server *s, struct flm_exchange *x, const char *url,
                      const char *method)
{
    struct collecting query = {x, &x->request.query}, headers = {x, &x->request.headers};
    s->http.get_connection_values_n(x->connection, MHD_GET_ARGUMENT_KIND, collect, &query);
    s->http.get_connection_values_n(x->connection, MHD_HEADER_KIND, collect, &headers);
    x->request.path = strdup(url);
    x->is_head = strcmp(method, "HEAD") == 0;
    x->request.method = strdup(x->is_head ? "GET" : method);
    x->request.tenant = "";
    return x->request.path && x->request.method;
}

static void too_many_bodies(struct flm_exchange *x)
{
    flm_http_say(&x->response, 503, "too many bodies arrive at once: try again");
    x->response.retry_after_s = 1;
}

static void too_large(struct flm_http_server *s, struct flm_exchange *x)
{
    flm_http_say(&x->response, 413, "a body may have %llu MiB at most",
                 (unsigned long long)(s->options.most_body >> 20));
}

/* Whether the body may come: the announced size counts at once, so that many large ones cannot
 * begin together. */
static bool reserve(struct flm_http_server *s, struct flm_exchange *x)
{
    const char *text = flm_http_header(&x->request, "Content-Length");
    uint64_t size = 0;
    if (text &&
        (!flm_number_parse_uint(flm_bytes_of(text), &size) || size > s->options.most_body)) {
        too_large(s, x);
        return false;
    }
    if (size > s->options.most_bodies - s->bodies) {
        too_many_bodies(x);
        return false;
    }
    x->counted = (size_t)size;
    s->bodies += x->counted;
    return true;
}

static bool admits(struct flm_http_server *s, struct flm_exchange *x)
{
    if (x->is_malformed) {
        flm_http_say(&x->response, 400,
                     "a header or parameter is malformed, or there are more than %d", MOST_HEADERS);
        return false;
    }
    return s->options.admit(s->options.context, &x->request, &x->response) && reserve(s, x);
}

static enum MHD_Result begin(struct flm_http_server *s, struct MHD_Connection *connection,
                             const char *url, const char *method, void **request)
{
    struct flm_exchange *x = calloc(1, sizeof *x);
    if (!x)
        return MHD_NO;
    *request = x;
    x->connection = connection;
    if (!read_head(s, x, url, method))
        return MHD_NO;
    x->is_answered = !admits(s, x);
    /* A client that sends a small body listens when it is done; a large one is not waited for. */
    const char *length = flm_http_header(&x->request, "Content-Length");
    bool is_small = strcmp(x->request.method, "GET") == 0 || !length || strlen(length) < 6;
    return x->is_answered && !is_small ? respond(s, x) : MHD_YES;
}

/* What has arrived of a body that is refused. */
static void drop_body(struct flm_http_server *s, struct flm_exchange *x)
{
    flm_text_clear(&x->body);
    x->body = (struct flm_text){0};
    s->bodies -= x->counted;
    x->counted = 0;
    x->is_answered = true;
}

static enum MHD_Result receive(struct flm_http_server *s, struct flm_exchange *x,
                               const char *upload, size_t *size)
{
    size_t more = *size;
    *size = 0;
    if (x->is_answered) {
        /* The rest of a refused body is dropped, so that its client comes to read why; but not
         * whatever somebody likes to send. */
        x->dropped += more;
        return x->dropped / MOST_DROPPED <= s->options.most_body ? MHD_YES : MHD_NO;
    }
    size_t whole = x->body.size + more;
    size_t beyond = whole > x->counted ? whole - x->counted : 0; /* the size was not announced */
    if (whole > s->options.most_body) {
        too_large(s, x);
        drop_body(s, x);
    } else if (beyond > s->options.most_bodies - s->bodies) {
        too_many_bodies(x);
        drop_body(s, x);
    } else {
        s->bodies += beyond;
        x->counted += beyond;
        flm_text_add(&x->body, (struct flm_bytes){upload, more});
        if (x->body.failed) {
            flm_http_say(&x->response, 503, "out of memory");
            drop_body(s, x);
        }
    }
    return MHD_YES;
}

/* A request has its first line: its time begins, which an idle connection has not used up. */
static void *on_first_line(void *context, const char *uri, struct MHD_Connection *connection)
{
    (void)uri;
    flm_http_peer_does(context, connection, false, false);
    return NULL;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **request)
{
    struct flm_http_server *s = context;
    struct flm_exchange *x = *request;
    (void)version;
    if (!x)
        return begin(s, connection, url, method, request);
    if (*upload_size > 0)
        return receive(s, x, upload, upload_size);
    if (x->is_answered)
        return respond(s, x);
    x->request.body = (struct flm_bytes){x->body.at ? x->body.at : "", x->body.size};
    flm_http_peer_does(s, connection, true, false);
    if (flm_http_enqueue(s, x))
        return MHD_YES;
    flm_http_say(&x->response, 503, "the server is shutting down");
    return respond(s, x);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    struct flm_http_server *s = context;
    struct flm_exchange *x = *request;
    (void)code;
    *request = NULL;
    flm_http_peer_does(s, connection, false, false);
    if (!x)
        return;
    s->bodies -= x->counted;
    flm_http_request_clear(&x->request);
    flm_text_clear(&x->body);
    flm_text_clear(&x->response.body);
    free(x);
}

/* ---- Starting -------------------------------------------------------------------------------- */

#define AS_NAME(name) "MHD_" #name,

static bool open_library(struct flm_http_library *http, struct flm_error *why)
{
    static const char *const files[] = {"libmicrohttpd.so.12", NULL};
    static const char *const names[] = {FLM_HTTP_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, http, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "flamel serve needs libmicrohttpd: %s",
                         missing.text);
}

static bool resolve(const char *host, uint16_t port, struct addrinfo **found)
{
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                    .ai_socktype = SOCK_STREAM};
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    return getaddrinfo(host, service, &wanted, found) == 0;
}

bool flm_is_loopback(const char *host)
{
    struct addrinfo *found;
    if (!resolve(host, 0, &found))
        return false;
    bool is = false;
    if (found->ai_family == AF_INET) {
        struct sockaddr_in a;
        memcpy(&a, found->ai_addr, sizeof a);
        is = ntohl(a.sin_addr.s_addr) >> 24 == 127;
    } else if (found->ai_family == AF_INET6) {
        struct sockaddr_in6 a;
        memcpy(&a, found->ai_addr, sizeof a);
        is = IN6_IS_ADDR_LOOPBACK(&a.sin6_addr);
    }
    freeaddrinfo(found);
    return is;
}

static uint16_t port_of(int file)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a;
    socklen_t size = sizeof a;
    if (getsockname(file, &a.any, &size) != 0)
        return 0;
    return ntohs(a.any.sa_family == AF_INET6 ? a.six.sin6_port : a.four.sin_port);
}

/* A socket that listens. -1: it failed, see errno. */
static int open_socket(const struct flm_http_options *o)
{
    struct addrinfo *found;
    const int yes = 1;
    if (!resolve(o->host, o->port, &found)) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int file = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file >= 0) {
        /* The port of a server that has just ended, with connections that are not over yet. */
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(file, found->ai_addr, found->ai_addrlen) != 0 || listen(file, SOMAXCONN) != 0) {
            int error = errno;
            close(file);
            errno = error;
            file = -1;
        }
    }
    freeaddrinfo(found);
    return file;
}

/* Poll, not epoll, for the reason that net/page_server.c gives. */
static const unsigned threading = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC |
                                  MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;

static bool cannot_listen(const struct flm_http_server *s, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot listen on %s, port %u: %s", s->host,
                         s->options.port, errno ? strerror(errno) : "the server does not start");
}

struct flm_http_server *flm_http_server_open(const struct flm_http_options *options,
                                             struct flm_error *why)
{
    assert(options->admit && options->answer && options->workers > 0);
    struct flm_http_server *s = calloc(1, sizeof *s);
    if (!s || !(s->host = strdup(options->host))) {
        free(s);
        flm_error_memory(why);
        return NULL;
    }
    s->options = *options;
    s->options.host = s->host;
    s->socket = -1;
    flm_http_conditions_init(s);
    bool good = open_library(&s->http, why);
    errno = 0;
    if (good && (s->socket = open_socket(&s->options)) < 0)
        good = cannot_listen(s, why);
    if (good) {
        s->port = port_of(s->socket);
        return s;
    }
    flm_http_server_stop(s);
    return NULL;
}

/* The library closes what it does not take: there are too many, in all or of one address. */
void flm_http_server_take(void *context, int socket, const struct flm_front_peer *peer)
{
    struct flm_http_server *s = context;
    s->http.add_connection(s->daemon, socket, (const struct sockaddr *)&peer->address, peer->size);
}

void flm_http_server_secure(struct flm_http_server *s, flm_front_take take, void *tls)
{
    s->take_tls = take;
    s->tls = tls;
}

bool flm_http_server_start(struct flm_http_server *s, struct flm_error *why)
{
    if (!flm_http_workers_start(s, why))
        return false;
    errno = 0;
    s->daemon = s->http.start_daemon(
        threading, 0, NULL, NULL, serve, s, MHD_OPTION_CONNECTION_LIMIT,
        s->options.most_connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->options.most_of_peer,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S, MHD_OPTION_NOTIFY_CONNECTION,
        flm_http_on_connection, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
        MHD_OPTION_URI_LOG_CALLBACK, on_first_line, s, MHD_OPTION_END);
    if (!s->daemon)
        return cannot_listen(s, why);
    const struct flm_front_options front = {.take_http1 = flm_http_server_take,
                                            .take_http2 = s->options.take_http2,
                                            .http1 = s,
                                            .http2 = s->options.http2,
                                            .take_tls = s->take_tls,
                                            .tls = s->tls};
    int socket = s->socket;
    s->socket = -1;
    s->front = flm_front_start(socket, &front, why);
    return s->front != NULL;
}

void flm_http_server_stop(struct flm_http_server *s)
{
    if (!s)
        return;
    /* No more connections; what is queued or with a worker is answered; then the library may end,
     * which it must not while a connection is suspended. */
    flm_front_stop(s->front);
    flm_http_workers_stop(s);
    if (s->daemon)
        s->http.stop_daemon(s->daemon);
    if (s->socket >= 0)
        close(s->socket);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->arrived);
    pthread_cond_destroy(&s->changed);
    free(s->threads);
    free(s->host);
    free(s);
}

uint16_t flm_http_server_port(const struct flm_http_server *server)
{
    return server->port;
}
