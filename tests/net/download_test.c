#include "net/download.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text/text.h"

/* A server for one request each: by the path, another response. */
struct server {
    pid_t process;
    unsigned port;
};

static void send_text(int socket, const char *text)
{
    size_t size = strlen(text);
    if (write(socket, text, size) != (ssize_t)size)
        _exit(1);
}

enum { LARGE = 3000000 };

static void respond(int socket, const char *request)
{
    if (strncmp(request, "GET /small ", 11) == 0) {
        send_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nmain 1\n");
    } else if (strncmp(request, "GET /moved ", 11) == 0) {
        send_text(socket, "HTTP/1.1 302 Found\r\nLocation: /small\r\nContent-Length: 0\r\n\r\n");
    } else if (strncmp(request, "GET /escape ", 12) == 0) {
        send_text(socket, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n"
                          "Content-Length: 0\r\n\r\n");
    } else if (strncmp(request, "GET /large ", 11) == 0) {
        char chunk[1000];
        memset(chunk, 'x', sizeof chunk);
        send_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n");
        for (size_t i = 0; i < LARGE / sizeof chunk; i++)
            if (write(socket, chunk, sizeof chunk) != (ssize_t)sizeof chunk)
                _exit(1);
    } else if (strncmp(request, "GET /cut ", 9) == 0) {
        send_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nmain 1\n");
    } else if (strncmp(request, "GET /slow ", 10) == 0) {
        usleep(400000);
        send_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nmain 1\n");
    } else if (strncmp(request, "GET /page ", 10) == 0) {
        send_text(socket, "HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\n<html></html>");
    } else {
        send_text(socket, "HTTP/1.1 400 Bad Request\r\nContent-Length: 27\r\n\r\n"
                          "no such profile: x\nmore of\r\n");
    }
}

static struct server start(void)
{
    struct server server = {0};
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 5), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    server.port = ntohs(address.sin_port);
    server.process = fork();
    assert_true(server.process >= 0);
    if (server.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        for (;;) {
            char request[2000];
            int socket = accept(listener, NULL, NULL);
            ssize_t got = read(socket, request, sizeof request - 1);
            request[got > 0 ? got : 0] = 0;
            respond(socket, request);
            close(socket);
        }
    }
    close(listener);
    return server;
}

static void stop(struct server *server)
{
    kill(server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
}

static const char *url_of(const struct server *server, const char *path)
{
    static char url[100];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", server->port, path);
    return url;
}

static void assert_content(const struct server *server, const char *path, const char *content)
{
    struct flm_error why = {0};
    struct flm_download *d = flm_download_open(url_of(server, path), NULL, NULL, &why);
    if (!d)
        fail_msg("%s", why.text);
    char bytes[100];
    struct flm_text all = {0};
    for (size_t size = 1; size > 0;) {
        assert_true(flm_download_read(d, bytes, 3, &size));
        flm_text_add(&all, (struct flm_bytes){bytes, size});
    }
    assert_int_equal(flm_download_size(d), strlen(content));
    assert_int_equal(all.size, strlen(content));
    assert_memory_equal(all.at, content, all.size);
    flm_text_clear(&all);
    flm_download_close(d);
}

static void files_arrive_also_after_a_redirect_and_a_wait(void **state)
{
    struct server *server = *state;
    assert_content(server, "/small", "main 1\n");
    assert_content(server, "/moved", "main 1\n");
    assert_content(server, "/slow", "main 1\n");
}

static void a_large_file_arrives_whole_through_a_small_buffer(void **state)
{
    struct server *server = *state;
    struct flm_error why = {0};
    struct flm_download *d = flm_download_open(url_of(server, "/large"), NULL, NULL, &why);
    assert_non_null(d);
    static char bytes[70000];
    size_t all = 0;
    for (size_t size = 1; size > 0; all += size)
        assert_true(flm_download_read(d, bytes, sizeof bytes, &size));
    assert_int_equal(all, LARGE);
    flm_download_close(d);
}

static void assert_refused(const char *url, const char *expected)
{
    struct flm_error why = {0};
    assert_null(flm_download_open(url, NULL, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    if (!strstr(why.text, expected))
        fail_msg("'%s' does not contain '%s'", why.text, expected);
}

static void refusals_have_the_status_and_what_the_server_says(void **state)
{
    struct server *server = *state;
    assert_refused(url_of(server, "/other"), "the server's status is 400: no such profile: x");
    struct flm_error why = {0};
    assert_null(flm_download_open(url_of(server, "/page"), NULL, NULL, &why));
    assert_string_equal(why.text, "the server's status is 404");
    assert_refused("http://127.0.0.1:1/", "connect");
}

static void a_redirect_does_not_lead_to_files_of_this_machine(void **state)
{
    struct server *server = *state;
    assert_refused(url_of(server, "/escape"), "rotocol");
}

static void a_file_that_ends_early_is_an_error(void **state)
{
    struct server *server = *state;
    struct flm_error why = {0};
    struct flm_download *d = flm_download_open(url_of(server, "/cut"), NULL, NULL, &why);
    assert_non_null(d);
    char bytes[100];
    size_t size = 1;
    bool good = true;
    while (good && size > 0)
        good = flm_download_read(d, bytes, sizeof bytes, &size);
    assert_false(good);
    assert_string_equal(flm_download_error(d)->text,
                        "the connection was closed before the file was complete");
    assert_false(flm_download_read(d, bytes, sizeof bytes, &size));
    flm_download_close(d);
}

static bool give_up(void *context)
{
    ++*(int *)context;
    return false;
}

static void waiting_can_be_given_up(void **state)
{
    struct server *server = *state;
    struct flm_error why = {0};
    int calls = 0;
    assert_null(flm_download_open(url_of(server, "/slow"), give_up, &calls, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(calls, 1);
}

static int start_server(void **state)
{
    struct flm_error why;
    static struct server server;
    if (!flm_download_open("http://127.0.0.1:1/", NULL, NULL, &why) &&
        strstr(why.text, "without libcurl"))
        return -1;
    server = start();
    *state = &server;
    return 0;
}

static int stop_server(void **state)
{
    stop(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_arrive_also_after_a_redirect_and_a_wait),
        cmocka_unit_test(a_large_file_arrives_whole_through_a_small_buffer),
        cmocka_unit_test(refusals_have_the_status_and_what_the_server_says),
        cmocka_unit_test(a_redirect_does_not_lead_to_files_of_this_machine),
        cmocka_unit_test(a_file_that_ends_early_is_an_error),
        cmocka_unit_test(waiting_can_be_given_up),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
