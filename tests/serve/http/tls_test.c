/* The whole server behind TLS: the same answers, to those who speak it and trust it. */
#include "serve/http/tls.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "net/http_request.h"
#include "support/core/files.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

static const char certificate[] = "tests/data/tls/certificate.pem",
                  key[] = "tests/data/tls/key.pem",
                  other_certificate[] = "tests/data/tls/other_certificate.pem",
                  other_key[] = "tests/data/tls/other_key.pem";

static struct served start(const char *with_certificate, const char *with_key)
{
    return serve_start(
        (struct flm_serve_options){.tls_certificate = with_certificate, .tls_key = with_key});
}

/* 0: there was no response. */
static int ask(const struct served *s, const char *authorities, const char *path,
               struct flm_bytes body, struct flm_http_reply *reply)
{
    struct flm_error why;
    char url[200];
    snprintf(url, sizeof url, "https://127.0.0.1:%u%s", s->port, path);
    const struct flm_http_call call = {.url = url,
                                       .authorities = authorities,
                                       .body = body,
                                       .has_body = body.size > 0,
                                       .most_s = 60};
    return flm_http_call(&call, reply, &why) ? reply->status : 0;
}

static void assert_asks(const struct served *s, const char *authorities, const char *path,
                        struct flm_bytes body, int status, const char *begins)
{
    struct flm_http_reply reply;
    assert_int_equal(ask(s, authorities, path, body, &reply), status);
    assert_true(flm_bytes_start_with((struct flm_bytes){reply.body.at, reply.body.size}, begins));
    flm_http_reply_clear(&reply);
}

static void answers_are_those_in_the_clear(void **state)
{
    (void)state;
    struct served s = start(certificate, key);
    assert_asks(&s, certificate, "/api/v1/push?service=a", flm_bytes_of("main;b 7\n"), 200, "{}");
    assert_asks(&s, certificate, "/api/v1/merge?format=folded", flm_bytes_of(""), 200,
                "main;b 7\n");
    assert_asks(&s, certificate, "/nothing", flm_bytes_of(""), 404, "");
    /* Larger than what is on its way at once, in both directions. */
    struct flm_text large = {0};
    struct flm_http_reply reply;
    for (int i = 0; i < 60000; i++)
        flm_text_format(&large, "main;function_with_a_longer_name_%d;b %d\n", i, i + 1);
    assert_asks(&s, certificate, "/api/v1/push?service=large",
                (struct flm_bytes){large.at, large.size}, 200, "{}");
    assert_int_equal(ask(&s, certificate, "/api/v1/merge?format=folded&selector=service%3Dlarge",
                         flm_bytes_of(""), &reply),
                     200);
    assert_int_equal(reply.body.size, large.size);
    flm_http_reply_clear(&reply);
    flm_text_clear(&large);
    serve_stop(&s);
}

static void *push_often(void *context)
{
    const struct served *s = context;
    for (int i = 0; i < 10; i++)
        assert_asks(s, certificate, "/api/v1/push?service=many", flm_bytes_of("m 1\n"), 200, "{}");
    return NULL;
}

static void many_clients_are_served_at_once(void **state)
{
    (void)state;
    struct served s = start(certificate, key);
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, push_often, &s), 0);
    for (int i = 0; i < 16; i++)
        pthread_join(threads[i], NULL);
    assert_asks(&s, certificate, "/api/v1/merge?format=folded", flm_bytes_of(""), 200, "m 160\n");
    serve_stop(&s);
}

static void a_certificate_that_nobody_vouches_for_is_not_trusted(void **state)
{
    (void)state;
    struct served s = start(certificate, key);
    struct flm_http_reply reply;
    assert_int_equal(ask(&s, other_certificate, "/healthz", flm_bytes_of(""), &reply), 0);
    flm_http_reply_clear(&reply);
    assert_int_equal(ask(&s, NULL, "/healthz", flm_bytes_of(""), &reply), 0);
    flm_http_reply_clear(&reply);
    serve_stop(&s);
}

static void who_speaks_in_the_clear_is_told(void **state)
{
    (void)state;
    static const char garbage[] = "\x16\x03\x01\x00\x20 this is no handshake of TLS at all ......";
    struct served s = start(certificate, key);
    expect_get(&s, "/healthz", 400, "this address speaks TLS: its URLs are https://");
    expect_post(&s, "/api/v1/push?service=a", "m 1\n", 400, "this address speaks TLS");
    struct flm_text said = http_exchange(s.port, flm_bytes_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    assert_true(flm_bytes_start_with((struct flm_bytes){said.at, said.size}, "HTTP/1.1 400"));
    flm_text_clear(&said);
    said = http_exchange(s.port, (struct flm_bytes){garbage, sizeof garbage - 1});
    assert_false(flm_bytes_contain((struct flm_bytes){said.at, said.size}, "HTTP"));
    flm_text_clear(&said);
    int silent[300]; /* more than may shake hands at once */
    for (int i = 0; i < 300; i++) {
        silent[i] = http_connect(s.port);
        assert_int_equal(write(silent[i], "\x16\x03\x01", 3), 3);
    }
    assert_asks(&s, certificate, "/healthz", flm_bytes_of(""), 200, "");
    for (int i = 0; i < 300; i++)
        close(silent[i]);
    serve_stop(&s);
}

static void copy(const char *from, const char *to)
{
    char command[900], made[200];
    snprintf(made, sizeof made, "%s.new", to);
    snprintf(command, sizeof command, "cp %s %s && mv %s %s", from, made, made, to);
    assert_int_equal(system(command), 0);
}

static void a_renewed_certificate_is_read(void **state)
{
    (void)state;
    struct flm_http_reply reply;
    char own_certificate[200], own_key[200];
    snprintf(own_certificate, sizeof own_certificate, "%s", temporary_path("certificate.pem"));
    snprintf(own_key, sizeof own_key, "%s", temporary_path("key.pem"));
    copy(certificate, own_certificate);
    copy(key, own_key);
    struct served s = start(own_certificate, own_key);
    assert_asks(&s, certificate, "/healthz", flm_bytes_of(""), 200, "");
    /* Between the two, the files do not fit: what there was is used on. */
    copy(other_certificate, own_certificate);
    assert_asks(&s, certificate, "/healthz", flm_bytes_of(""), 200, "");
    copy(other_key, own_key);
    assert_asks(&s, other_certificate, "/healthz", flm_bytes_of(""), 200, "");
    assert_int_equal(ask(&s, certificate, "/healthz", flm_bytes_of(""), &reply), 0);
    flm_http_reply_clear(&reply);
    serve_stop(&s);
}

static void files_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *certificate, *key, *said;
    } cases[] = {{certificate, other_key, "other_key.pem: "},
                 {certificate, "tests/data/tls/none.pem", "none.pem: this is no private key"},
                 {"tests/data/tls/none.pem", key, "none.pem: this is no certificate"},
                 {key, key, "key.pem: this is no certificate"},
                 {certificate, certificate, "certificate.pem: this is no private key"},
                 {certificate, NULL, "TLS takes both"},
                 {NULL, key, "TLS takes both"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_error why = {0};
        const struct flm_serve_options o = {.size = sizeof o,
                                            .folder = temporary_path("refused"),
                                            .tls_certificate = cases[i].certificate,
                                            .tls_key = cases[i].key};
        assert_null(flm_serve_start(&o, &why));
        if (!strstr(why.text, cases[i].said))
            fail_msg("%s", why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_in_the_clear),
        cmocka_unit_test(many_clients_are_served_at_once),
        cmocka_unit_test(a_certificate_that_nobody_vouches_for_is_not_trusted),
        cmocka_unit_test(who_speaks_in_the_clear_is_told),
        cmocka_unit_test(a_renewed_certificate_is_read),
        cmocka_unit_test(files_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
