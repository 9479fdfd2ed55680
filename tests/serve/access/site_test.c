#include "serve/access/site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void names_that_look_like_loopback_are_not(void **state)
{
    static const char *const own[] = {"localhost",      "LocalHost:4040",   "127.0.0.1",
                                      "127.0.0.1:4040", "127.8.9.10:1",     "[::1]",
                                      "[::1]:4040",     "[0:0:0:0:0:0:0:1]"};
    static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000"
                                "000000000000000000000127.0.0.1";
    static const char *const other[] = {"127.evil.example",
                                        "127.0.0.1.evil.example:4040",
                                        "127.1",
                                        "127",
                                        "0x7f.0.0.1",
                                        "localhost.evil.example",
                                        "localhost:",
                                        "localhost:x",
                                        "127.0.0.1@evil.example",
                                        "[::1].evil.example",
                                        "[::1",
                                        "::1",
                                        "[::2]",
                                        "[127.0.0.1]",
                                        "10.0.0.1",
                                        "",
                                        zeros};
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!flm_site_is_loopback(own[i]))
            fail_msg("%s", own[i]);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (flm_site_is_loopback(other[i]))
            fail_msg("%s", other[i]);
}

/* A request as `asked` has its method, path, Sec-Fetch-Mode and Sec-Fetch-Dest. */
static bool is_link(const char *const asked[4], const char *host, const char *origin)
{
    struct flm_http_request r = {.method = strdup(asked[0]), .path = strdup(asked[1])};
    assert_true(r.method && r.path);
    const char *const headers[][2] = {{"host", host},
                                      {"origin", origin},
                                      {"sec-fetch-site", "cross-site"},
                                      {"sec-fetch-mode", asked[2]},
                                      {"sec-fetch-dest", asked[3]}};
    for (int i = 0; i < 5; i++)
        if (headers[i][1])
            assert_true(flm_http_field_add(&r.headers, flm_bytes_of(headers[i][0]),
                                           flm_bytes_of(headers[i][1])));
    bool own = flm_site_is_own(&r, true);
    flm_http_request_clear(&r);
    return own;
}

static void links_of_other_sites_to_the_page_are_followed(void **state)
{
    static const char *const link[] = {"GET", "/", "navigate", "document"};
    static const char *const refused[][4] = {{"GET", "/", "navigate", "iframe"},
                                             {"GET", "/", "no-cors", "document"},
                                             {"GET", "/", NULL, NULL},
                                             {"GET", "/api/v1/merge", "navigate", "document"},
                                             {"POST", "/", "navigate", "document"}};
    (void)state;
    assert_true(is_link(link, "localhost:4040", NULL));
    assert_false(is_link(link, "evil.example", NULL));
    assert_false(is_link(link, "localhost:4040", "http://evil.example"));
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (is_link(refused[i], "localhost:4040", NULL))
            fail_msg("%s %s, case %zu", refused[i][0], refused[i][1], i);
}

static bool is_own(const char *host, const char *origin, const char *site, bool host_is_proof)
{
    struct flm_http_request r = {0};
    const char *const headers[][2] = {{"host", host}, {"origin", origin}, {"sec-fetch-site", site}};
    for (int i = 0; i < 3; i++)
        if (headers[i][1])
            assert_true(flm_http_field_add(&r.headers, flm_bytes_of(headers[i][0]),
                                           flm_bytes_of(headers[i][1])));
    bool own = flm_site_is_own(&r, host_is_proof);
    flm_http_request_clear(&r);
    return own;
}

static void requests_of_other_sites_are_known_by_their_headers(void **state)
{
    (void)state;
    assert_true(is_own("localhost:4040", NULL, NULL, true));
    assert_true(is_own("localhost:4040", "http://localhost:4040", "same-origin", true));
    assert_false(is_own("localhost:4040", "http://localhost:8080", NULL, true));
    assert_false(is_own("localhost:4040", "null", NULL, true));
    assert_false(is_own("localhost:4040", NULL, "cross-site", true));
    assert_false(is_own("127.evil.example", NULL, NULL, true));
    assert_false(is_own("127.evil.example", "http://127.evil.example", "same-origin", true));
    assert_true(is_own("flamel.example", "https://flamel.example", NULL, false));
    assert_false(is_own(NULL, NULL, NULL, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_look_like_loopback_are_not),
        cmocka_unit_test(requests_of_other_sites_are_known_by_their_headers),
        cmocka_unit_test(links_of_other_sites_to_the_page_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
