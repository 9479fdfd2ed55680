#include "net/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void urls_are_known_by_their_beginning(void **state)
{
    (void)state;
    assert_true(flm_is_url("http://localhost/x") && flm_is_url("https://localhost/x"));
    assert_false(flm_is_url("http.folded") || flm_is_url("ftp://x/y") || flm_is_url("./http://x"));
}

static void parameters_are_escaped(void **state)
{
    struct flm_text url = {0};
    (void)state;
    flm_url_begin(&url, "http://h:1//", "/api/v1/merge");
    flm_url_parameter(&url, "selector", flm_bytes_of("a=\"b c\" &\xC3\xA9"));
    flm_url_parameter(&url, "from", flm_bytes_of("-1h"));
    flm_text_putc(&url, 0);
    assert_string_equal(url.at,
                        "http://h:1/api/v1/merge?selector=a%3d%22b%20c%22%20%26%c3%a9&from=-1h");
    flm_text_clear(&url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_known_by_their_beginning),
        cmocka_unit_test(parameters_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
