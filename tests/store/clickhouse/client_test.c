/* What failures of a server mean. */
#include "store/clickhouse/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void a_failure_says_whether_trying_again_may_help(void **state)
{
    (void)state;
    assert_int_equal(flm_clickhouse_meaning(flm_bytes_of(
                         "Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist.")),
                     FLM_CH_REFUSED);
    assert_int_equal(flm_clickhouse_meaning(flm_bytes_of("Code: 252. DB::Exception: Too many")),
                     FLM_CH_LATER);
    assert_int_equal(flm_clickhouse_meaning(flm_bytes_of("Code: 2521. DB::Exception: x")),
                     FLM_CH_REFUSED);
    assert_int_equal(flm_clickhouse_meaning(flm_bytes_of("<html>502 Bad Gateway")), FLM_CH_LATER);
    assert_int_equal(flm_clickhouse_meaning(flm_bytes_of("")), FLM_CH_LATER);
}

static void nobody_who_listens_may_be_there_later(void **state)
{
    const struct flm_clickhouse_client client = {
        .location = {.url = "http://user:secret@127.0.0.1:1/", .host = "127.0.0.1:1"}, .most_s = 5};
    struct flm_error why;
    (void)state;
    assert_int_equal(flm_clickhouse_ask(&client, flm_bytes_of("SELECT 1"), NULL, &why),
                     FLM_CH_LATER);
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_null(strstr(why.text, "secret"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_says_whether_trying_again_may_help),
        cmocka_unit_test(nobody_who_listens_may_be_there_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
