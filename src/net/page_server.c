#include "net/page_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/number/number.h"
#include "os/library.h"
#include "os/random_bytes.h"

enum { TOKEN_BYTES = 16, TOKEN_SIZE = 2 * TOKEN_BYTES };

/* Each name is here once: it makes the string that is looked up, and the pointer with its type. */
/* clang-format off */
#define HTTP_FUNCTIONS(each)                                                                      \
    each(start_daemon) each(stop_daemon) each(lookup_connection_value)      \
    each(get_connection_info)                                                                     \
    each(create_response_from_buffer) each(add_response_header) each(queue_response)              \
    each(destroy_response)
/* clang-format on */

#define AS_POINTER(name) __typeof__(MHD_##name) *name;
#define AS_NAME(name) "MHD_" #name,

/* libmicrohttpd, which is loaded when there is something to serve. */
struct http {
    HTTP_FUNCTIONS(AS_POINTER)
};

/* Until a request has had the token, a connection is a stranger's: the oldest of them is closed
 * when there are more than these, so they never reach the limit at which the library accepts no
 * other. Both are below the 1,024 files that a process may usually open. */
enum { MOST_STRANGERS = 128, MOST_CONNECTIONS = 512 };

/* An open connection. In a list, the oldest first, until a request on it has had the token. */
struct peer {
    struct peer *before, *behind;
    int socket;
    bool is_listed;
};

struct flm_page_server {
    struct http http;
    struct MHD_Daemon *daemon;
    const struct flm_page_file *files;
    size_t count;
    const char *policy;
    const struct flm_page_reader *readers;
    size_t reader_count;
    char token[TOKEN_SIZE + 1];
    char ticket[TOKEN_SIZE + 1]; /* the random part of the address of the exchange */
    bool is_used;                /* the ticket; of the server's thread */
    uint16_t port;
    char hosts[2][32];   /* that a request may name */
    char origins[2][40]; /* that it may come from */
    char url[96], exchange_url[96];
    /* Of the server's thread. */
    struct peer *oldest, *newest; /* strangers */
    unsigned stranger_count;
};

/* ---- Responses ------------------------------------------------------------------------------- */

/* `location`: where the file is instead; NULL: here. */
static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status,
                               const struct flm_page_server *server,
                               const struct flm_page_file *file, const char *location)
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
    if (location)
        http->add_response_header(response, MHD_HTTP_HEADER_LOCATION, location);
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
    return respond(connection, status, server, &text, NULL);
}

/* Whether the path begins with the token and a slash. Takes equally long however much of the token
 * is right, so its duration reveals nothing. */
static bool has_token(const char *token, const char *path)
{
    unsigned differs = 0;
    for (size_t i = 0; i < TOKEN_SIZE; i++) {
        differs |= (unsigned char)token[i] ^ (unsigned char)*path;
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

/* ---- Connections ----------------------------------------------------------------------------- */

/* Takes the connection off the list. */
static void forget(struct flm_page_server *s, struct peer *peer)
{
    if (!peer->is_listed)
        return;
    *(peer->before ? &peer->before->behind : &s->oldest) = peer->behind;
    *(peer->behind ? &peer->behind->before : &s->newest) = peer->before;
    peer->is_listed = false;
    s->stranger_count--;
}

/* Who connects and says nothing, or a byte now and then, keeps nobody else out: only the newest
 * strangers stay. The library closes the connection when it sees the end of it. */
static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct flm_page_server *s = context;
    struct peer *peer = *socket_context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (peer)
            forget(s, peer);
        free(peer);
        *socket_context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    peer = info ? calloc(1, sizeof *peer) : NULL;
    *socket_context = peer;
    if (info && !peer)
        shutdown(info->connect_fd, SHUT_RDWR); /* it could stay as long as it likes */
    if (!peer)
        return;
    *peer = (struct peer){.socket = info->connect_fd, .before = s->newest, .is_listed = true};
    *(s->newest ? &s->newest->behind : &s->oldest) = peer;
    s->newest = peer;
    s->stranger_count++;
    if (s->stranger_count <= MOST_STRANGERS)
        return;
    shutdown(s->oldest->socket, SHUT_RDWR);
    forget(s, s->oldest);
}

static void befriend(struct flm_page_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct peer *peer = info ? info->socket_context : NULL;
    if (peer)
        forget(s, peer);
}

/* ---- The exchange ---------------------------------------------------------------------------- */

/* Whether a line of /proc/net/tcp or tcp6 is the established socket of this user between the two
 * ports:
 *
 *     1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 ...
 *        address:port  remote        state  queues        timer       retries   user */
static bool is_socket_of_user(const char *line, unsigned from, unsigned to)
{
    char local[40], remote[40];
    unsigned local_port, remote_port, state, user;
    return sscanf(line, " %*u: %39[0-9A-F]:%4x %39[0-9A-F]:%4x %2x %*s %*s %*s %u", local,
                  &local_port, remote, &remote_port, &state, &user) == 6 &&
           local_port == from && remote_port == to && state == 1 && user == geteuid() &&
           strlen(local) >= 8 && strlen(remote) >= 8 &&
           strcmp(local + strlen(local) - 8, remote + strlen(remote) - 8) == 0;
}

/* Whether the other end of the connection is of this user. TCP has no credentials, but on one
 * machine the kernel lists the other end with its user. */
static bool is_from_user(const struct flm_page_server *s, struct MHD_Connection *connection)
{
    static const char *const lists[] = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info || !info->client_addr || info->client_addr->sa_family != AF_INET)
        return false;
    struct sockaddr_in peer;
    memcpy(&peer, info->client_addr, sizeof peer);
    bool found = false;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !found; i++) {
        FILE *list = fopen(lists[i], "re");
        char line[512];
        while (list && !found && fgets(line, sizeof line, list))
            found = is_socket_of_user(line, ntohs(peer.sin_port), s->port);
        if (list)
            fclose(list);
    }
    return found;
}

/* To the page; as a redirection, so that the address that was used up is in no history. */
static enum MHD_Result redirect(struct MHD_Connection *connection, const struct flm_page_server *s)
{
    const struct flm_page_file text = {"", "text/plain; charset=utf-8", "", 0};
    char path[TOKEN_SIZE + 3];
    snprintf(path, sizeof path, "/%s/", s->token);
    return respond(connection, MHD_HTTP_FOUND, s, &text, path);
}

static enum MHD_Result serve_exchange(struct MHD_Connection *connection, struct flm_page_server *s,
                                      bool is_head)
{
    if (s->is_used || !is_from_user(s, connection))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s,
                      "this address opens the page once, for the user who started flamel view: "
                      "take the address that it has printed\n");
    s->is_used = !is_head;
    return redirect(connection, s);
}

/* ---- Uploads --------------------------------------------------------------------------------- */

/* A file that is being posted, and the answer to it. */
struct upload {
    const struct flm_page_reader *reader;
    unsigned status; /* of a refusal; 0: none so far */
    struct flm_error why;
    struct flm_text file, answer;
};

/* A refusal is sent behind the body, which is dropped: a browser that sends does not listen. */
static enum MHD_Result begin_upload(struct MHD_Connection *connection,
                                    const struct flm_page_server *s,
                                    const struct flm_page_reader *reader, void **request)
{
    struct upload *upload = calloc(1, sizeof *upload);
    const char *text = s->http.lookup_connection_value(connection, MHD_HEADER_KIND,
                                                       MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t size;
    if (!upload)
        return MHD_NO;
    *request = upload;
    upload->reader = reader;
    if (!text || !flm_number_parse_uint(flm_bytes_of(text), &size)) {
        upload->status = MHD_HTTP_LENGTH_REQUIRED;
        flm_error_set(&upload->why, FLM_ERROR_USAGE, "the size of the file is not given");
    } else if (size > reader->most_bytes) {
        upload->status = 413;
        flm_error_set(&upload->why, FLM_ERROR_USAGE, "this is larger than %llu MiB%s%s",
                      (unsigned long long)(reader->most_bytes >> 20), reader->too_large ? ": " : "",
                      reader->too_large ? reader->too_large : "");
    }
    return MHD_YES;
}

static enum MHD_Result answer_upload(struct MHD_Connection *connection,
                                     const struct flm_page_server *s, struct upload *upload)
{
    const struct flm_page_reader *reader = upload->reader;
    struct flm_bytes file = {upload->file.at, upload->file.size};
    bool good = upload->status == 0 && (!upload->file.failed || flm_error_memory(&upload->why)) &&
                reader->read(reader->context, file, &upload->answer, &upload->why);
    good = good && (!upload->answer.failed || flm_error_memory(&upload->why));
    flm_text_clear(&upload->file);
    if (!good)
        return refuse(connection, upload->status ? upload->status : 422, s, upload->why.text);
    const struct flm_page_file made = {"", "application/octet-stream", upload->answer.at,
                                       upload->answer.size};
    return respond(connection, MHD_HTTP_OK, s, &made, NULL);
}

static enum MHD_Result continue_upload(struct MHD_Connection *connection,
                                       const struct flm_page_server *s, struct upload *upload,
                                       const char *bytes, size_t *size)
{
    if (*size == 0)
        return answer_upload(connection, s, upload);
    /* A body in chunks has no length that holds, whatever its Content-Length says. */
    if (upload->status == 0 && *size > upload->reader->most_bytes - upload->file.size) {
        upload->status = 413;
        flm_error_set(&upload->why, FLM_ERROR_USAGE, "this is larger than it said");
        flm_text_clear(&upload->file);
    }
    if (upload->status == 0 && !upload->file.failed)
        flm_text_add(&upload->file, (struct flm_bytes){bytes, *size});
    *size = 0;
    return MHD_YES;
}

/* The response has been sent, or the connection has ended. */
static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    (void)connection, (void)code;
    struct upload *upload = *request != context ? *request : NULL;
    if (upload) {
        flm_text_clear(&upload->file);
        flm_text_clear(&upload->answer);
    }
    free(upload);
    *request = NULL;
}

static const struct flm_page_reader *find_reader(const struct flm_page_server *s, const char *path)
{
    for (size_t i = 0; i < s->reader_count; i++)
        if (strcmp(path, s->readers[i].path) == 0)
            return &s->readers[i];
    return NULL;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **request)
{
    struct flm_page_server *s = context;
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    bool posts = strcmp(method, "POST") == 0;
    (void)version;
    /* The first call is for the head of the request. GET and HEAD have no body to wait for, and get
     * their response in the second call, so that the connection can be used again; a body of any
     * other method is not read. */
    if (!*request && reads) {
        *request = context;
        return MHD_YES;
    }
    if (*request && *request != context)
        return continue_upload(connection, s, *request, upload, upload_size);
    if (*upload_size > 0)
        return MHD_NO;
    if (!is_ours(&s->http, connection, "Host", s->hosts[0], s->hosts[1], false))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s, "this is not the host that you call\n");
    if (!is_ours(&s->http, connection, "Origin", s->origins[0], s->origins[1], true))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s, "requests from other sites are refused\n");
    bool is_exchange =
        strncmp(url, "/open/", 6) == 0 && has_token(s->ticket, url + 6) && !url[6 + TOKEN_SIZE + 1];
    if (is_exchange && reads)
        return serve_exchange(connection, s, strcmp(method, "HEAD") == 0);
    if (*url != '/' || !has_token(s->token, url + 1))
        return refuse(connection, MHD_HTTP_FORBIDDEN, s,
                      "the address is not complete: it is the one that flamel view has printed\n");
    befriend(s, connection);
    const char *name = url + 1 + TOKEN_SIZE + 1;
    /* Browsers say where a POST is from. */
    const struct flm_page_reader *reader = posts ? find_reader(s, name) : NULL;
    if (reader && is_ours(&s->http, connection, "Origin", s->origins[0], s->origins[1], false))
        return begin_upload(connection, s, reader, request);
    if (reader)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, s,
                      "only the page posts: a browser says where a request is from (Origin)\n");
    if (find_reader(s, name))
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, s, "here is only POST\n");
    if (!reads)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, s, "there is only GET\n");
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->files[i].path, name) == 0)
            return respond(connection, MHD_HTTP_OK, s, &s->files[i], NULL);
    return refuse(connection, MHD_HTTP_NOT_FOUND, s, "there is no such file\n");
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool make_token(char *token, struct flm_error *why)
{
    unsigned char bytes[TOKEN_BYTES];
    if (!flm_random_bytes(bytes, sizeof bytes, why))
        return false;
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

/* A socket that listens on the loopback; `number` receives its port. -1: it failed, see errno. */
static int open_socket(int port, uint16_t *number)
{
    struct sockaddr_in loopback = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
    };
    struct sockaddr *address = (struct sockaddr *)(void *)&loopback;
    socklen_t size = sizeof loopback;
    const int yes = 1;
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0)
        return -1;
    /* The port of a server that has just ended, with connections that are not over yet. */
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(file, address, size) == 0 && listen(file, SOMAXCONN) == 0 &&
        getsockname(file, address, &size) == 0) {
        *number = ntohs(loopback.sin_port);
        return file;
    }
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* With poll, which says again and again what is ready. The library's epoll (0.9.75) does not:
 * when an epoll_wait returns all 128 events that it has room for, another one follows, with the
 * timeout of an idle server, before any of the 128 connections is read. They waited for the next
 * event of any other, and without one were closed after IDLE_SECONDS. */
static const unsigned threading = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC;

/* The thread of the server reads what is set here: it is started last. */
static bool listen_on(struct flm_page_server *s, int port, struct flm_error *why)
{
    errno = 0;
    int file = open_socket(port, &s->port);
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        snprintf(s->hosts[i], sizeof s->hosts[i], "%s:%u", names[i], s->port);
        snprintf(s->origins[i], sizeof s->origins[i], "http://%s", s->hosts[i]);
    }
    snprintf(s->url, sizeof s->url, "%s/%s/", s->origins[0], s->token);
    snprintf(s->exchange_url, sizeof s->exchange_url, "%s/open/%s/", s->origins[0], s->ticket);
    if (file >= 0)
        s->daemon = s->http.start_daemon(
            threading, 0, NULL, NULL, serve, s, MHD_OPTION_LISTEN_SOCKET, file,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
            IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
            MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
    if (s->daemon)
        return true;
    int error = errno;
    if (file >= 0)
        close(file);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot listen on 127.0.0.1, port %d: %s", port,
                         error ? strerror(error) : "the server does not start");
}

struct flm_page_server *flm_page_server_start(int port, const struct flm_page_file *files,
                                              size_t count, const char *policy,
                                              const struct flm_page_reader *readers,
                                              size_t reader_count, struct flm_error *why)
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
    s->readers = readers;
    s->reader_count = reader_count;
    if (!open_http(&s->http, why) || !make_token(s->token, why) || !make_token(s->ticket, why) ||
        !listen_on(s, port, why)) {
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

const char *flm_page_server_exchange_url(const struct flm_page_server *server)
{
    return server->exchange_url;
}
