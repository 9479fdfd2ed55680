#include "serve/http/http_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "support/core/http_talk.h"

struct talk {
    atomic_uint answered[6];
    atomic_bool is_slow, is_answering, has_answered;
};

static bool admit(void *context, struct flm_http_request *request,
                  struct flm_http_response *response)
{
    (void)context;
    if (strcmp(request->path, "/") == 0)
        return true;
    flm_http_say(response, 404, "nothing");
    return false;
}

static void answer(void *context, struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct talk *t = context;
    atomic_store(&t->is_answering, true);
    const struct timespec second = {.tv_sec = 1};
    if (atomic_load(&t->is_slow))
        nanosleep(&second, NULL);
    flm_http_say(response, 200, "%zu bytes", request->body.size);
    atomic_store(&t->has_answered, true);
}

static void count(void *context, unsigned status)
{
    struct talk *t = context;
    atomic_fetch_add(&t->answered[status / 100], 1);
}

static struct flm_http_options options_of(struct talk *t)
{
    return (struct flm_http_options){.host = "127.0.0.1",
                                     .most_body = 100000,
                                     .most_bodies = 150000,
                                     .most_connections = 20,
                                     .most_of_peer = 20,
                                     .workers = 2,
                                     .drain_ms = 1,
                                     .admit = admit,
                                     .answer = answer,
                                     .answered = count,
                                     .context = t};
}

static struct flm_http_server *start(struct talk *t)
{
    struct flm_error why = {0};
    const struct flm_http_options options = options_of(t);
    struct flm_http_server *s = flm_http_server_open(&options, &why);
    if (!s || !flm_http_server_start(s, &why))
        fail_msg("%s", why.text);
    return s;
}

/* POSTs so many bytes in chunks, without a size before them. */
static void post_chunked(struct flm_http_server *s, size_t size, const char *status)
{
    struct flm_text request = {0};
    flm_text_puts(&request, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t sent = 0; sent < size; sent += 5000) {
        flm_text_puts(&request, "1388\r\n");
        flm_text_repeat(&request, 'x', 5000);
        flm_text_puts(&request, "\r\n");
    }
    flm_text_puts(&request, "0\r\n\r\n");
    struct flm_text answer =
        http_exchange(flm_http_server_port(s), (struct flm_bytes){request.at, request.size});
    if (!strstr(answer.at, status))
        fail_msg("%zu bytes: %s", size, answer.at);
    flm_text_clear(&request);
    flm_text_clear(&answer);
}

static void bodies_without_a_size_are_refused_with_an_answer(void **state)
{
    static const char first[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n"
                                "Expect: 100-continue\r\n\r\n";
    struct talk t = {0};
    struct flm_http_server *s = start(&t);
    char said[32] = {0};
    (void)state;
    post_chunked(s, 100000, "HTTP/1.1 200");
    post_chunked(s, 105000, "HTTP/1.1 413");
    post_chunked(s, 300000, "HTTP/1.1 413");
    /* Another one has taken 90,000 of 150,000 by what it announced, and is told to go on. */
    int other = http_connect(flm_http_server_port(s));
    assert_int_equal(send(other, first, sizeof first - 1, MSG_NOSIGNAL), sizeof first - 1);
    for (size_t got = 0; got < 12; got++)
        assert_int_equal(recv(other, said + got, 1, 0), 1);
    assert_string_equal(said, "HTTP/1.1 100");
    post_chunked(s, 60000, "HTTP/1.1 200");
    post_chunked(s, 65000, "HTTP/1.1 503");
    post_chunked(s, 60000, "HTTP/1.1 200"); /* what was refused is not counted any more */
    close(other);
    flm_http_server_stop(s);
}

static void every_response_is_counted(void **state)
{
    static const char *const paths[] = {"/", "/none", "/", "/none"};
    struct talk t = {0};
    struct flm_http_server *s = start(&t);
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct http_answer a =
            http_ask(flm_http_server_port(s), "GET", paths[i], "", flm_bytes_of(""));
        assert_int_equal(a.status, i % 2 ? 404 : 200);
        flm_text_clear(&a.all);
    }
    post_chunked(s, 105000, "HTTP/1.1 413");
    flm_http_server_stop(s);
    assert_int_equal(atomic_load(&t.answered[2]), 2);
    assert_int_equal(atomic_load(&t.answered[4]), 3);
}

static void *stop(void *server)
{
    flm_http_server_stop(server);
    return NULL;
}

/* The answer takes longer than a drain: it is waited for, asleep. */
static void an_answer_is_waited_for_at_the_end(void **state)
{
    struct talk t = {.is_slow = true};
    struct flm_http_server *s = start(&t);
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    (void)state;
    int file = http_connect(flm_http_server_port(s));
    assert_int_equal(send(file, request, sizeof request - 1, MSG_NOSIGNAL), sizeof request - 1);
    const struct timespec tick = {.tv_nsec = 1000000};
    while (!atomic_load(&t.is_answering))
        nanosleep(&tick, NULL);
    pthread_t ending;
    int64_t cpu_ns = flm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    assert_int_equal(pthread_create(&ending, NULL, stop, s), 0);
    assert_int_equal(pthread_join(ending, NULL), 0);
    assert_true(atomic_load(&t.has_answered));
    cpu_ns = flm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    /* Of the time of the processor, not of the clock: a wait that asks again and again takes it. */
    if (cpu_ns > 100000000)
        fail_msg("%lld ns", (long long)cpu_ns);
    close(file);
}

static void an_address_that_is_taken_is_known_before_it_starts(void **state)
{
    struct talk t = {0};
    struct flm_error why = {0};
    struct flm_http_options options = options_of(&t);
    (void)state;
    struct flm_http_server *s = flm_http_server_open(&options, &why);
    assert_non_null(s);
    options.port = flm_http_server_port(s);
    assert_null(flm_http_server_open(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_http_server_stop(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_without_a_size_are_refused_with_an_answer),
        cmocka_unit_test(every_response_is_counted),
        cmocka_unit_test(an_answer_is_waited_for_at_the_end),
        cmocka_unit_test(an_address_that_is_taken_is_known_before_it_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
