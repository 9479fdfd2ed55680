#include "os/page_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "os/library.h"

enum { TOKEN_BYTES = 16, TOKEN_SIZE = 2 * TOKEN_BYTES };

/* Each name is here once: it makes the string that is looked up, and the pointer with its type. */
/* clang-format off */
#define HTTP_FUNCTIONS(each)                                                                      \
    each(start_daemon) each(get_daemon_info) each(stop_daemon) each(lookup_connection_value)      \
    each(create_response_from_buffer) each(add_response_header) each(queue_response)              \
    each(destroy_response)
/* clang-format on */

#define AS_POINTER(name) __typeof__(MHD_##name) *name;
#define AS_NAME(name) "MHD_" #name,

/* libmicrohttpd, which is loaded when there is something to serve. */
struct http {
    HTTP_FUNCTIONS(AS_POINTER)
};

struct flm_page_server {
    struct http http;
    struct MHD_Daemon *daemon;
    const struct flm_page_file *files;
    size_t count;
    const char *policy;
    char token[TOKEN_SIZE + 1];
    char hosts[2][32];   /* that a request may name */
    char origins[2][40]; /* that it may come from */
    char url[96];
};

/* ---- Responses ------------------------------------------------------------------------------- */

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status,
                               const struct flm_page_server *server,
                               const struct flm_page_file *file)
{
    /* The library's type is not const, though it only reads what is persistent. */
    union {
        const void *given;
        void *kept;
    } bytes = {file->bytes};
    const struct http *http = &server->http;
    struct MHD_Response *response =
        http->create_response_from_buffer(file->size, bytes.kept, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    const char *const headers[][2] = {
        {"Content-Type", file->type},
        {"Content-Security-Policy", server->policy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        http->add_response_header(response, headers[i][0], headers[i][1]);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        http->add_response_header(response, "Allow", "GET, HEAD");
    enum MHD_Result queued = http->queue_response(connection, status, response);
    http->destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const struct flm_page_server *server, const char *message)
{
    const struct flm_page_file text = {"", "text/plain; charset=utf-8", message, strlen(message)};
    return respond(connection, status, server, &text);
}

/* Takes equally long however much of the token is right, so its duration reveals nothing. */
static bool has_token(const struct flm_page_server *server, const char *path)
{
    unsigned differs = 0;
    for (size_t i = 0; i < TOKEN_SIZE; i++) {
        differs |= (unsigned char)server->token[i] ^ (unsigned char)*path;
        path += *path != 0;
    }
    return differs == 0 && *path == '/';
}

/* Whether the header of that name is one of two; `missing`: whether there may be none. */
static bool is_ours(const struct http *http, struct MHD_Connection *connection, const char *name,
                    const char *first, const char *second, bool missing)
{
    const char *value = http->lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? strcmp(value, first) == 0 || strcmp(value, second) == 0 : missing;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **request)
{
    const struct flm_page_server *s = context;
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    (void)version, (void)upload;
    /* The first call is for the head of the request. GET and HEAD have no body to wait for, and get
     * their response in the second call, so that the connection can be used again; a body of any
     * other method is not read. */
    if (!*request && reads) {
        *request = context;
        return MHD_YES;
    }
    if (*upload_size > 0)
        return MHD_NO;
    if (!is_ours(&s->http, connection, "Host", s->hosts[0], s->hosts[1], false))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s, "this is not the host that you call\n");
    if (!is_ours(&s->http, connection, "Origin", s->origins[0], s->origins[1], true))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s, "requests from other sites are refused\n");
    if (*url != '/' || !has_token(s, url + 1))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s,
                      "the address is not complete: it is the one that flamel view has printed\n");
    if (!reads)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, s, "there is only GET\n");
    const char *name = url + 1 + TOKEN_SIZE + 1;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->files[i].path, name) == 0)
            return respond(connection, MHD_HTTP_OK, s, &s->files[i]);
    return refuse(connection, MHD_HTTP_NOT_FOUND, s, "there is no such file\n");
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool make_token(char *token, struct flm_error *why)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "there are no random numbers: %s",
                             strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* A connection without a request for so long is closed, so that others find room. */
#define IDLE_SECONDS 30u

static bool open_http(struct http *http, struct flm_error *why)
{
    static const char *const files[] = {"libmicrohttpd.so.12", NULL};
    static const char *const names[] = {HTTP_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, http, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "a page is served with libmicrohttpd (flamel convert -o FILE.html makes "
                         "one that needs no server): %s",
                         missing.text);
}

static bool listen_on(struct flm_page_server *s, int port, struct flm_error *why)
{
    struct sockaddr_in loopback = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
    };
    errno = 0;
    s->daemon =
        s->http.start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, serve, s,
                             MHD_OPTION_SOCK_ADDR, &loopback, MHD_OPTION_CONNECTION_LIMIT, 64u,
                             MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        s->daemon ? s->http.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot listen on 127.0.0.1, port %d: %s", port,
                             errno ? strerror(errno) : "the server does not start");
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        snprintf(s->hosts[i], sizeof s->hosts[i], "%s:%u", names[i], info->port);
        snprintf(s->origins[i], sizeof s->origins[i], "http://%s", s->hosts[i]);
    }
    snprintf(s->url, sizeof s->url, "%s/%s/", s->origins[0], s->token);
    return true;
}

struct flm_page_server *flm_page_server_start(int port, const struct flm_page_file *files,
                                              size_t count, const char *policy,
                                              struct flm_error *why)
{
    assert(policy && port >= 0 && port <= UINT16_MAX && (files || count == 0));
    struct flm_page_server *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    s->files = files;
    s->count = count;
    s->policy = policy;
    if (!open_http(&s->http, why) || !make_token(s->token, why) || !listen_on(s, port, why)) {
        flm_page_server_stop(s);
        return NULL;
    }
    return s;
}

void flm_page_server_stop(struct flm_page_server *server)
{
    if (server && server->daemon)
        server->http.stop_daemon(server->daemon);
    free(server);
}

const char *flm_page_server_url(const struct flm_page_server *server)
{
    return server->url;
}
