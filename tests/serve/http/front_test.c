#include "serve/http/front.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/http_talk.h"

/* Says which of both has taken it, and ends it. */
static void take(void *context, int socket, const struct flm_front_peer *peer)
{
    assert_int_equal(peer->address.ss_family, AF_INET);
    assert_int_equal(write(socket, context, strlen(context)), strlen(context));
    close(socket);
}

static struct flm_front *start(uint16_t *port, bool has_http2)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    static char one[] = "HTTP/1", two[] = "HTTP/2";
    int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(file, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(file, 300), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    const struct flm_front_options options = {
        .take_http1 = take, .take_http2 = has_http2 ? take : NULL, .http1 = one, .http2 = two};
    struct flm_front *front = flm_front_start(file, &options, NULL);
    assert_non_null(front);
    return front;
}

/* What it is told when it says this, a piece at a time. */
static void expect_taken(uint16_t port, const char *first, const char *then, const char *by)
{
    char said[20] = "";
    int file = http_connect(port);
    assert_true(file >= 0);
    assert_int_equal(write(file, first, strlen(first)), strlen(first));
    if (*then) {
        usleep(20000);
        assert_int_equal(write(file, then, strlen(then)), strlen(then));
    }
    shutdown(file, SHUT_WR);
    size_t size = 0;
    for (ssize_t more; (more = read(file, said + size, sizeof said - 1 - size)) > 0;)
        size += (size_t)more;
    assert_string_equal(said, by);
    close(file);
}

static void a_connection_goes_to_who_speaks_its_protocol(void **state)
{
    uint16_t port;
    (void)state;
    struct flm_front *front = start(&port, true);
    expect_taken(port, "GET", "", "HTTP/1");
    expect_taken(port, "PRI", "", "HTTP/2");
    expect_taken(port, "P", "OS", "HTTP/1");
    expect_taken(port, "P", "RI", "HTTP/2");
    expect_taken(port, "PR", "", ""); /* it says too little */
    expect_taken(port, "", "", "");
    flm_front_stop(front);
    front = start(&port, false);
    expect_taken(port, "PRI", "", "HTTP/1");
    flm_front_stop(front);
}

static void silent_connections_keep_nobody_out(void **state)
{
    enum { SILENT = 400 };
    int files[SILENT];
    uint16_t port;
    (void)state;
    struct flm_front *front = start(&port, true);
    for (int i = 0; i < SILENT; i++)
        assert_true((files[i] = http_connect(port)) >= 0);
    expect_taken(port, "GET", "", "HTTP/1");
    for (int i = 0; i < SILENT; i++)
        close(files[i]);
    files[0] = http_connect(port);
    flm_front_stop(front); /* with one that waits */
    close(files[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_goes_to_who_speaks_its_protocol),
        cmocka_unit_test(silent_connections_keep_nobody_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
