/* The page over sockets: what a browser gets, and what it may do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "load/page.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

static bool contains(struct flm_bytes text, const char *part)
{
    return flm_bytes_contain(text, part);
}

static void the_page_asks_its_server_and_nobody_else(void **state)
{
    (void)state;
    if (!flm_page_is_built(NULL))
        skip();
    struct served s = serve_start((struct flm_serve_options){0});
    struct http_answer a = http_ask(s.port, "GET", "/", "", flm_bytes_of(""));
    struct flm_bytes all = {a.all.at, a.all.size};
    assert_int_equal(a.status, 200);
    assert_true(contains(all, "Content-Type: text/html"));
    assert_true(contains(all, "Content-Security-Policy: default-src 'none'; script-src 'sha256-"));
    assert_true(contains(all, "connect-src 'self'; base-uri 'none'"));
    assert_true(contains(all, "frame-ancestors 'none'"));
    assert_false(contains(all, "unsafe-inline"));
    assert_true(contains(a.body, "data-store=\"\""));
    /* The module's address changes with its bytes, so a browser may keep it. */
    const char *module = memmem(a.body.at, a.body.size, "data-from=\"flamel.wasm?", 23);
    assert_non_null(module);
    char path[64];
    snprintf(path, sizeof path, "/%.28s", module + 11);
    assert_int_equal(strcspn(path, "\""), 29);
    flm_text_clear(&a.all);
    a = http_ask(s.port, "GET", path, "", flm_bytes_of(""));
    all = (struct flm_bytes){a.all.at, a.all.size};
    assert_int_equal(a.status, 200);
    assert_true(contains(all, "Cache-Control: private, max-age=31536000, immutable"));
    assert_true(a.body.size > 100000 && memcmp(a.body.at, "\0asm", 4) == 0);
    flm_text_clear(&a.all);
    /* What the page is saved with: one that asks no server. */
    a = http_ask(s.port, "GET", "/empty.html", "", flm_bytes_of(""));
    assert_int_equal(a.status, 200);
    assert_true(contains(a.body, "id=\"flamel-script\""));
    assert_false(contains(a.body, "data-from"));
    flm_text_clear(&a.all);
    serve_stop(&s);
}

static void the_page_takes_a_token_where_there_are_some(void **state)
{
    (void)state;
    char token[FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE];
    struct flm_error why;
    if (!flm_serve_new_token("write", NULL, token, line, &why))
        skip(); /* without OpenSSL */
    struct served s = serve_start((struct flm_serve_options){.tokens = line});
    struct http_answer a = http_ask(s.port, "GET", "/", "", flm_bytes_of(""));
    assert_int_equal(a.status, 401);
    assert_true(contains((struct flm_bytes){a.all.at, a.all.size}, "WWW-Authenticate: Basic"));
    flm_text_clear(&a.all);
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_asks_its_server_and_nobody_else),
        cmocka_unit_test(the_page_takes_a_token_where_there_are_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
