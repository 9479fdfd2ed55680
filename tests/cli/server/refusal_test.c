#include "cli/server/refusal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_refusal_says_why_in_a_line(void **state)
{
    struct flm_http_reply reply = {0};
    char line[200];
    (void)state;
    static const char *const said[][2] = {
        {"{\"error\": \"no \\\"x\\\" here\"}", "no \"x\" here"},
        {"{\"error\": ", "{\"error\": "},
        {"<html>", "it does not say why"},
        {"404 page not found\nmore", "404 page not found"},
        {"", "it does not say why"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        flm_text_puts(&reply.body, said[i][0]);
        flm_refusal_reason(&reply, line);
        assert_string_equal(line, said[i][1]);
        flm_http_reply_clear(&reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_says_why_in_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
