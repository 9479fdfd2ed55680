/* service.c - what a program says about itself while it runs, to others than flamel: metrics for
 * Prometheus, metrics sent to a collector of OpenTelemetry, and the report when a signal comes.
 *
 * Only where FLAMEL asks for one of these there is a thread in the program, which does all of it:
 * the program itself waits for nothing, but at its end, a second at most, for what is being sent.
 * All signals are blocked in it, and it is not measured. A child after fork gets a thread of its
 * own; the port stays the parent's. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_copy.h"
#include "internal.h"
#include "metrics.h"

/* A program that is linked statically may have none, and then numbers are needed. */
extern __typeof__(getaddrinfo) getaddrinfo __attribute__((weak));
extern __typeof__(freeaddrinfo) freeaddrinfo __attribute__((weak));

/* Under ThreadSanitizer a child that starts a thread is ended. */
extern void __tsan_init(void) __attribute__((weak));

enum { MOST_REQUEST = 4096, PATIENCE_MS = 2000, END_MS = 1000, WHOLE_MS = 1000 };

static struct {
    int wake, listener; /* -1: there is none */
    bool is_running, has_complained;
    uint32_t is_ending, is_done, is_asked; /* for a report; by others */
} service = {.wake = -1, .listener = -1};

static void complain(const char *what, const char *detail, const char *reason)
{
    fprintf(stderr, "flamel-probe: %s:%s: %s\n", what, detail, reason);
}

static uint64_t now_ms(void)
{
    return flm_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- What is said ---------------------------------------------------------------------------- */

static struct flm_report *make_report(void)
{
    struct flm_text copy = {0};
    struct flm_report *report = NULL;
    const double percentiles[] = {50, 95, 99};
    const struct flm_report_options options = {
        .size = sizeof options, .percentiles = percentiles, .percentile_count = 3};
    struct flm_error why;
    if (flm_probe_do_write() != 0)
        return NULL;
    if (flm_file_copy(&copy))
        report = flm_report_probe(copy.at, copy.size, &options, &why);
    flm_text_clear(&copy);
    return report;
}

/* ---- Bytes over a socket, for a time that is limited ----------------------------------------- */

static bool wait_for(int socket, short what, uint64_t until_ms)
{
    uint64_t now = now_ms();
    struct pollfd file = {.fd = socket, .events = what};
    return now < until_ms && poll(&file, 1, (int)(until_ms - now)) > 0;
}

static bool send_all(int socket, const char *at, size_t size, uint64_t until_ms)
{
    while (size > 0) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (sent < 0 && !wait_for(socket, POLLOUT, until_ms))
            return false;
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* The head of a request or an answer, terminated; false: it does not come, or is too long. */
static bool receive_head(int socket, char *head, size_t room, uint64_t until_ms)
{
    size_t size = 0;
    while (size + 1 < room && wait_for(socket, POLLIN, until_ms)) {
        ssize_t got = recv(socket, head + size, room - 1 - size, MSG_DONTWAIT);
        if (got <= 0)
            return false;
        size += (size_t)got;
        head[size] = 0;
        if (strstr(head, "\r\n\r\n"))
            return true;
    }
    return false;
}

/* ---- Prometheus ------------------------------------------------------------------------------ */

/* However much of it is right, it takes equally long. */
static bool is_token(const char *given)
{
    const char *token = flm_settings.token;
    unsigned differs = 0;
    for (size_t i = 0; i < strlen(token); i++) {
        differs |= (unsigned char)token[i] ^ (unsigned char)*given;
        given += *given != 0;
    }
    return differs == 0 && (*given == '\r' || *given == ' ');
}

static const char *header_of(const char *head, const char *name)
{
    size_t size = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, size) == 0 && line[size] == ':') {
            line += size + 1;
            return line + strspn(line, " ");
        }
    }
    return "\r";
}

/* A page of a browser that knows the port may have a name that leads here: it would say that
 * name. */
static bool is_own_host(const char *host)
{
    size_t local = strncmp(host, "localhost", 9) == 0 ? 9 : 0;
    size_t number = strspn(host, host[0] == '[' ? "[]0123456789abcdefABCDEF:." : "0123456789.");
    size_t size = local > 0 ? local : number; /* a name of others could lead here */
    return host[size] == '\r' || (host[size] == ':' && size > 0);
}

static const char *status_of(const char *head)
{
    const char *authorization = header_of(head, "Authorization");
    if (flm_settings.token[0] &&
        (strncasecmp(authorization, "Bearer ", 7) != 0 || !is_token(authorization + 7)))
        return "401 Unauthorized";
    if (!flm_settings.token[0] && !is_own_host(header_of(head, "Host")))
        return "403 Forbidden";
    if (strncmp(head, "GET ", 4) != 0)
        return "405 Method Not Allowed";
    return strncmp(head, "GET /metrics ", 13) == 0 || strncmp(head, "GET /metrics?", 13) == 0
               ? NULL
               : "404 Not Found";
}

static void answer(int socket)
{
    char head[MOST_REQUEST];
    uint64_t until = now_ms() + PATIENCE_MS;
    if (!receive_head(socket, head, sizeof head, until))
        return;
    const char *status = status_of(head);
    struct flm_text body = {0}, out = {0};
    struct flm_report *report = status ? NULL : make_report();
    if (report)
        flm_metrics_prometheus(report, &body);
    else if (!status)
        status = "503 Service Unavailable";
    flm_report_free(report);
    flm_text_format(&out,
                    "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                    "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                    status ? status : "200 OK", body.size);
    flm_text_add(&out, (struct flm_bytes){body.at, body.size});
    if (!out.failed)
        send_all(socket, out.at, out.size, until);
    flm_text_clear(&body);
    flm_text_clear(&out);
}

/* "127.0.0.1:9464", "9464", "[::1]:9464" */
static bool read_address(const char *text, struct sockaddr_storage *address, socklen_t *size)
{
    char host[64] = "127.0.0.1";
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end || number > UINT16_MAX)
        return false;
    if (colon)
        snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
    if (strcmp(host, "localhost") == 0)
        strcpy(host, "127.0.0.1");
    size_t length = strlen(host);
    *address = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)number);
        *size = sizeof *four;
        return flm_settings.token[0] || (ntohl(four->sin_addr.s_addr) >> 24) == 127;
    }
    if (length < 2 || host[0] != '[' || host[length - 1] != ']')
        return false;
    host[length - 1] = 0;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)number);
    *size = sizeof *six;
    return inet_pton(AF_INET6, host + 1, &six->sin6_addr) == 1 &&
           (flm_settings.token[0] || IN6_IS_ADDR_LOOPBACK(&six->sin6_addr));
}

static bool start_listening(void)
{
    struct sockaddr_storage address;
    socklen_t size;
    const int yes = 1, backlog = 16;
    if (!read_address(flm_settings.metrics, &address, &size)) {
        complain("metrics", flm_settings.metrics,
                 "write metrics:PORT or metrics:127.0.0.1:PORT; other addresses of this machine "
                 "need a token:...");
        return false;
    }
    int file = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file >= 0)
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (file < 0 || bind(file, (struct sockaddr *)&address, size) != 0 ||
        listen(file, backlog) != 0) {
        complain("metrics", flm_settings.metrics, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    service.listener = file;
    return true;
}

/* ---- OpenTelemetry --------------------------------------------------------------------------- */

struct target {
    char host[128], port[8], path[128];
};

/* "http://localhost:4318", "http://collector/v1/metrics" */
static bool read_target(const char *url, struct target *target)
{
    static const char scheme[] = "http://";
    *target = (struct target){.port = "4318", .path = "/v1/metrics"};
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return false;
    url += sizeof scheme - 1;
    size_t host = strcspn(url, ":/");
    if (host == 0 || host >= sizeof target->host)
        return false;
    memcpy(target->host, url, host);
    url += host;
    size_t port = *url == ':' ? strspn(url + 1, "0123456789") : 0;
    if (*url == ':' && (port == 0 || port >= sizeof target->port))
        return false;
    if (port > 0) {
        memcpy(target->port, url + 1, port);
        target->port[port] = 0;
        url += port + 1;
    }
    if (*url && strcmp(url, "/") != 0)
        snprintf(target->path, sizeof target->path, "%s", url);
    return !*url || *url == '/';
}

static int connect_to(const struct sockaddr *address, socklen_t size, int family, uint64_t until)
{
    int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), reason = 0;
    socklen_t reason_size = sizeof reason;
    if (file < 0)
        return -1;
    if (connect(file, address, size) == 0)
        return file;
    if (errno == EINPROGRESS && wait_for(file, POLLOUT, until) &&
        getsockopt(file, SOL_SOCKET, SO_ERROR, &reason, &reason_size) == 0 && reason == 0)
        return file;
    reason = reason ? reason : errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(file);
    errno = reason;
    return -1;
}

static int open_target(const struct target *target, uint64_t until)
{
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)strtoul(target->port, NULL, 10))};
    const char *host = strcmp(target->host, "localhost") == 0 ? "127.0.0.1" : target->host;
    if (inet_pton(AF_INET, host, &four.sin_addr) == 1)
        return connect_to((struct sockaddr *)&four, sizeof four, AF_INET, until);
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int file = -1;
    errno = EHOSTUNREACH;
    if (!getaddrinfo || !freeaddrinfo || getaddrinfo(host, target->port, &wanted, &found) != 0)
        return -1;
    for (const struct addrinfo *one = found; one && file < 0; one = one->ai_next)
        file = connect_to(one->ai_addr, one->ai_addrlen, one->ai_family, until);
    freeaddrinfo(found);
    return file;
}

/* NULL, or why it did not arrive. */
static const char *post(const struct target *target, const struct flm_text *body, uint64_t until)
{
    char head[MOST_REQUEST];
    struct flm_text out = {0};
    int file = open_target(target, until);
    if (file < 0)
        return strerror(errno);
    flm_text_format(&out,
                    "POST %s HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\n"
                    "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                    target->path, target->host, target->port, body->size);
    flm_text_add(&out, (struct flm_bytes){body->at, body->size});
    bool is_sent = !out.failed && send_all(file, out.at, out.size, until);
    flm_text_clear(&out);
    bool has_answer = is_sent && receive_head(file, head, sizeof head, until);
    close(file);
    if (!has_answer)
        return "it does not answer";
    return strncmp(head, "HTTP/1.", 7) == 0 && head[8] == ' ' && head[9] == '2'
               ? NULL
               : "it refuses the metrics";
}

/* What fails is said once: a collector may come later. */
static void send_metrics(const struct target *target, uint64_t most_ms)
{
    struct flm_text body = {0};
    struct flm_report *report = make_report();
    if (!report)
        return;
    flm_metrics_otlp(report, flm_run.arena.header->start_ns, flm_clock_ns(CLOCK_REALTIME), &body);
    flm_report_free(report);
    const char *wrong = body.failed ? "out of memory" : post(target, &body, now_ms() + most_ms);
    if (wrong && !service.has_complained)
        complain("otlp", flm_settings.otlp, wrong);
    service.has_complained |= wrong != NULL;
    flm_text_clear(&body);
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void take_connection(void)
{
    int socket = accept4(service.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0)
        return;
    answer(socket);
    shutdown(socket, SHUT_WR);
    close(socket);
}

uint32_t flm_service_tid;

static void *serve(void *context)
{
    static struct flm_local nobody; /* without a thread: nothing here is measured */
    struct target target;
    (void)context;
    flm_local = &nobody;
    __atomic_store_n(&flm_service_tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
    flm_is_inside++; /* for good: nothing that it does is the program's */
    prctl(PR_SET_NAME, "flamel-probe");
    bool sends = flm_settings.otlp[0] && read_target(flm_settings.otlp, &target);
    uint64_t every = (uint64_t)flm_settings.interval * WHOLE_MS, next = now_ms() + every;
    while (!__atomic_load_n(&service.is_ending, __ATOMIC_ACQUIRE)) {
        struct pollfd files[2] = {{.fd = service.wake, .events = POLLIN},
                                  {.fd = service.listener, .events = POLLIN}};
        uint64_t now = now_ms(), times;
        poll(files, 2, !sends ? -1 : next > now ? (int)(next - now) : 0);
        if (files[0].revents && read(service.wake, &times, sizeof times) < 0)
            poll(NULL, 0, 1);
        if (__atomic_exchange_n(&service.is_asked, 0, __ATOMIC_ACQ_REL))
            flm_probe_do_report();
        if (files[1].revents)
            take_connection();
        if (sends && now_ms() >= next) {
            send_metrics(&target, PATIENCE_MS);
            next = now_ms() + every;
        }
    }
    if (sends)
        send_metrics(&target, END_MS);
    __atomic_store_n(&service.is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Of signal handlers too. */
static void wake(void)
{
    const uint64_t one = 1;
    int reason = errno;
    if (syscall(SYS_write, service.wake, &one, sizeof one) < 0) {
        /* It is awake. */
    }
    errno = reason;
}

static void ask_for_report(int number)
{
    (void)number;
    __atomic_store_n(&service.is_asked, 1, __ATOMIC_RELEASE);
    wake();
}

static bool catch_signal(void)
{
    struct sigaction before, action = {.sa_handler = ask_for_report, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(flm_settings.report_signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        return sigaction(flm_settings.report_signal, &action, NULL) == 0;
    complain("signal", strsignal(flm_settings.report_signal), "the program uses it itself");
    return false;
}

static bool start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t how;
    service.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (service.wake < 0)
        return false;
    struct flm_probe_open *top = flm_local_work();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread begins with these */
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    flm_is_inside++; /* so it is not measured */
    service.is_running = pthread_create(&thread, &how, serve, NULL) == 0;
    flm_is_inside--;
    pthread_attr_destroy(&how);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    flm_local_rest(top);
    return service.is_running;
}

void flm_service_start(void)
{
    struct target target;
    bool is_needed = false;
    if (service.is_running)
        return;
    if (flm_settings.metrics[0])
        is_needed |= start_listening();
    if (flm_settings.otlp[0] && !read_target(flm_settings.otlp, &target))
        complain("otlp", flm_settings.otlp, "write otlp:http://HOST:PORT; there is no https here");
    else
        is_needed |= flm_settings.otlp[0] != 0;
    if (flm_settings.report_signal > 0)
        is_needed |= catch_signal();
    if (is_needed && !start_thread())
        complain("its thread", "", "cannot be started");
}

void flm_service_of_child(void)
{
    bool had_one = service.is_running;
    if (service.listener >= 0)
        close(service.listener);
    if (service.wake >= 0)
        close(service.wake);
    service.wake = service.listener = -1;
    service.is_running = false;
    service.is_ending = service.is_done = service.is_asked = 0;
    if (had_one && !__tsan_init && (flm_settings.otlp[0] || flm_settings.report_signal > 0))
        start_thread();
}

void flm_service_end(void)
{
    enum { STEP_NS = 100000 };
    const struct timespec step = {0, STEP_NS};
    uint64_t until = now_ms() + END_MS;
    if (!service.is_running)
        return;
    __atomic_store_n(&service.is_ending, 1, __ATOMIC_RELEASE);
    wake();
    while (!__atomic_load_n(&service.is_done, __ATOMIC_ACQUIRE) && now_ms() < until)
        nanosleep(&step, NULL);
    service.is_running = false;
}
