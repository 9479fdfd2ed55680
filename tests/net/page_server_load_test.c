/* Many connections to the server of a page, and a server that was not scheduled. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/net/page_client.h"

enum { MANY = 1000 };

/* Opens many connections and sends each the same beginning of a request. */
static int *open_many(const struct page_served *s, const char *beginning)
{
    int *sockets = calloc(MANY, sizeof *sockets);
    assert_non_null(sockets);
    for (int i = 0; i < MANY; i++) {
        sockets[i] = page_connect(s);
        if (beginning[0])
            (void)send(sockets[i], beginning, strlen(beginning), MSG_NOSIGNAL);
    }
    return sockets;
}

static void close_many(int *sockets)
{
    for (int i = 0; i < MANY; i++)
        close(sockets[i]);
    free(sockets);
}

/* Both ends of all connections are in this process. */
static void raise_limit_of_files(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur >= 2 * MANY)
        return;
    if (limit.rlim_max < 2 * MANY)
        skip();
    limit.rlim_cur = 2 * MANY;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void a_thousand_idle_connections_block_nobody(void **state)
{
    (void)state;
    static const char *const beginnings[] = {"", "G", "GET /", "GET / HTTP/1.1\r\nHost: x\r\n",
                                             "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"};
    raise_limit_of_files();
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        struct page_served s = page_start();
        int *sockets = open_many(&s, beginnings[i]);
        for (int k = 0; k < 20; k++) {
            assert_page_status(&s, "GET", page_path(&s, ""), s.host, "", 200);
            /* Slow ones: another byte from each of the newest. */
            for (int n = MANY - 50; n < MANY; n++)
                (void)send(sockets[n], "x", 1, MSG_NOSIGNAL);
        }
        close_many(sockets);
        assert_page_status(&s, "GET", page_path(&s, "after.flm"), s.host, "", 200);
        flm_page_server_stop(s.server);
    }
}

/* A GET on a connection that stays open. */
static void send_get(const struct page_served *s, int file)
{
    char request[300];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", page_path(s, ""),
             s->host);
    assert_int_equal(send(file, request, strlen(request), MSG_NOSIGNAL), strlen(request));
}

/* Up to the end of the page. */
static void read_page(int file)
{
    char answer[4096] = "";
    size_t size = 0;
    while (!strstr(answer, "<p>page</p>")) {
        ssize_t got = recv(file, answer + size, sizeof answer - 1 - size, 0);
        assert_true(got > 0);
        size += (size_t)got;
        answer[size] = 0;
    }
}

static void get_and_stay(const struct page_served *s, int file)
{
    send_get(s, file);
    read_page(file);
}

static void a_browser_that_stays_is_served_beside_strangers(void **state)
{
    (void)state;
    raise_limit_of_files();
    struct page_served s = page_start();
    int file = page_connect(&s);
    get_and_stay(&s, file);
    int *sockets = open_many(&s, "GET /");
    get_and_stay(&s, file);
    close_many(sockets);
    get_and_stay(&s, file);
    close(file);
    flm_page_server_stop(s.server);
}

/* ---- A server that was not scheduled --------------------------------------------------------- */

struct remote {
    struct page_served served; /* without the server, which is the child's */
    pid_t child;
};

static struct remote start_in_child(void)
{
    struct remote r = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    r.child = fork();
    assert_true(r.child >= 0);
    if (r.child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        r.served = page_start();
        if (write(ends[1], &r.served, sizeof r.served) != (ssize_t)sizeof r.served)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &r.served, sizeof r.served), sizeof r.served);
    close(ends[0]);
    return r;
}

static void hold(const struct remote *r)
{
    int status;
    assert_int_equal(kill(r->child, SIGSTOP), 0);
    assert_int_equal(waitpid(r->child, &status, WUNTRACED), r->child);
    assert_true(WIFSTOPPED(status));
}

static void end_child(const struct remote *r)
{
    int status;
    assert_int_equal(kill(r->child, SIGKILL), 0);
    assert_int_equal(waitpid(r->child, &status, 0), r->child);
}

/* While it does not run, so many browsers ask, and so many strangers begin to. The counts are those
 * around what a poll of 64, 128 or 256 events returns at once. */
static void requests_that_wait_together_are_all_answered(void **state)
{
    (void)state;
    static const struct {
        int browsers, strangers;
    } together[] = {{1, 0},   {1, 62},  {1, 63},  {64, 0},  {1, 126}, {1, 127},  {127, 0},
                    {128, 0}, {129, 0}, {255, 0}, {256, 0}, {256, 1}, {257, 128}};
    enum { MOST = 400 };
    struct remote r = start_in_child();
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        int browsers = together[i].browsers, all = browsers + together[i].strangers;
        int file[MOST];
        for (int k = 0; k < all; k++) {
            file[k] = page_connect(&r.served);
            if (k < browsers)
                get_and_stay(&r.served, file[k]);
        }
        /* The server has accepted all before this one. */
        assert_page_status(&r.served, "GET", page_path(&r.served, ""), r.served.host, "", 200);
        hold(&r);
        for (int k = 0; k < all; k++) {
            if (k < browsers)
                send_get(&r.served, file[k]);
            else
                assert_int_equal(send(file[k], "GET /", 5, MSG_NOSIGNAL), 5);
        }
        assert_int_equal(kill(r.child, SIGCONT), 0);
        for (int k = 0; k < browsers; k++)
            read_page(file[k]);
        for (int k = 0; k < all; k++)
            close(file[k]);
    }
    end_child(&r);
}

/* More than it accepts: who is connected stays, and it can be stopped. */
static void a_full_server_serves_whom_it_has_and_stops(void **state)
{
    (void)state;
    enum { MOST = 512, WAITING = 20 };
    raise_limit_of_files();
    struct page_served s = page_start();
    int file[MOST + WAITING];
    for (int i = 0; i < MOST; i++) {
        file[i] = page_connect(&s);
        get_and_stay(&s, file[i]);
    }
    for (int i = MOST; i < MOST + WAITING; i++) {
        file[i] = page_connect(&s);
        send_get(&s, file[i]);
    }
    for (int i = 0; i < MOST; i++)
        get_and_stay(&s, file[i]);
    /* Who leaves makes room for who waits. */
    for (int i = 0; i < WAITING / 2; i++) {
        close(file[i]);
        read_page(file[MOST + i]);
    }
    flm_page_server_stop(s.server);
    for (int i = WAITING / 2; i < MOST + WAITING; i++)
        close(file[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_idle_connections_block_nobody),
        cmocka_unit_test(a_browser_that_stays_is_served_beside_strangers),
        cmocka_unit_test(requests_that_wait_together_are_all_answered),
        cmocka_unit_test(a_full_server_serves_whom_it_has_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
