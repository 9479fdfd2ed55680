/* Where a ClickHouse store is, as users write it. */
#include "store/clickhouse/server_location.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/files.h"

static void expect(const char *text, const char *url, const char *host, const char *database,
                   const char *cluster)
{
    struct flm_clickhouse_location at;
    struct flm_error why;
    if (!flm_clickhouse_locate(text, &at, &why))
        fail_msg("%s", why.text);
    assert_string_equal(at.url, url);
    assert_string_equal(at.host, host);
    assert_string_equal(at.database, database);
    assert_string_equal(at.cluster, cluster);
}

static void a_location_has_a_host_and_what_else_is_said(void **state)
{
    (void)state;
    expect("clickhouse://db", "http://db:8123/", "db:8123", "flamel", "");
    expect("clickhouse://db:9/prod", "http://db:9/", "db:9", "prod", "");
    expect("clickhouse://[::1]/a?cluster=main", "http://[::1]:8123/", "[::1]:8123", "a", "main");
    expect("clickhouse://me@db/a?tls", "https://me:@db:8443/", "db:8443", "a", "");
    assert_true(flm_clickhouse_takes("clickhouse://db"));
    assert_false(flm_clickhouse_takes("clickhouse"));
    assert_false(flm_clickhouse_takes("flamel-data"));
}

static void a_password_comes_from_a_file(void **state)
{
    char text[300];
    (void)state;
    snprintf(text, sizeof text, "clickhouse://m%%e@db/a?password-file=%s",
             write_temporary("password", flm_bytes_of("p@ss/w:rd\n")));
    expect(text, "http://m%25e:p%40ss%2fw%3ard@db:8123/", "db:8123", "a", "");
    snprintf(text, sizeof text, "clickhouse://db/a?password-file=%s&cluster=c",
             write_temporary("password", flm_bytes_of("x")));
    expect(text, "http://default:x@db:8123/", "db:8123", "a", "c");
}

static void what_cannot_be_is_refused_with_a_reason(void **state)
{
    static const char *const wrong[][2] = {
        {"clickhouse://", "is clickhouse://"},
        {"clickhouse://a b/", "is clickhouse://"},
        {"clickhouse://db/a-b", "the database of"},
        {"clickhouse://db/a;DROP", "the database of"},
        {"clickhouse://db/1a", "the database of"},
        {"clickhouse://db/a?cluster=x'y", "the cluster of"},
        {"clickhouse://db/a?cluster=", "the cluster of"},
        {"clickhouse://db/a?user=x", "not 'user'"},
        {"clickhouse://me:secret@db/a", "password-file"},
        {"clickhouse://db/a?password-file=/nothing/here", "/nothing/here"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct flm_clickhouse_location at;
        struct flm_error why;
        assert_false(flm_clickhouse_locate(wrong[i][0], &at, &why));
        if (!strstr(why.text, wrong[i][1]) || strstr(why.text, "secret"))
            fail_msg("%s: %s", wrong[i][0], why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_location_has_a_host_and_what_else_is_said),
        cmocka_unit_test(a_password_comes_from_a_file),
        cmocka_unit_test(what_cannot_be_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
