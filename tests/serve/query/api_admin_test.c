/* What keeps a store in order, while it is in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/store.h"
#include "support/core/http_talk.h"
#include "support/serve/served.h"

#define OLD "&time=2025-11-28T10:05"

static void the_store_is_sealed_merged_and_cleared(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_get(&s, "/api/v1/admin/store", 200, "{\"segments\": 0, \"damaged_segments\": 0, ");
    for (int i = 0; i < 3; i++) {
        expect_post(&s, "/api/v1/push?service=a" OLD, "m 1\n", 200, "{}");
        expect_post(&s, "/api/v1/admin/seal", "", 200, "{}");
    }
    expect_post(&s, "/api/v1/push?service=a", "m 1\n", 200, "{}");
    expect_get(&s, "/api/v1/admin/store", 200, "{\"segments\": 3, ");
    expect_post(&s, "/api/v1/admin/compact", "", 200, "{\"merged_segments\": 2}");
    expect_get(&s, FOLDED, 200, "m 4\n");
    expect_post(&s, "/api/v1/admin/retain?before=-1d", "", 200, "{\"removed_segments\": 1}");
    expect_get(&s, FOLDED, 200, "m 1\n");
    expect_post(&s, "/api/v1/admin/retain", "", 400, "{\"error\": \"the parameter 'before'");
    expect_post(&s, "/api/v1/admin/retain?before=soon", "", 400, "{\"error\": \"'soon'");
    expect_get(&s, "/api/v1/admin/seal", 405, "{\"error\": ");
    serve_stop(&s);
}

/* It is a store, which has what was acknowledged, and stays as it was. */
static void a_backup_is_a_store(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    char folder[200];
    struct flm_error why;
    expect_post(&s, "/api/v1/push?service=a" OLD, "m 1\n", 200, "{}");
    expect_post(&s, "/api/v1/admin/seal", "", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a", "m 2\n", 200, "{}");
    expect_post(&s, "/api/v1/admin/backup?name=one", "", 200, "{}");
    expect_post(&s, "/api/v1/push?service=a", "m 4\n", 200, "{}");
    expect_post(&s, "/api/v1/admin/backup?name=one", "", 400, "{\"error\": \"there is a backup");
    static const char *const names[] = {"", "..", ".one", "a/b", "a%2Fb"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(folder, sizeof folder, "/api/v1/admin/backup?name=%s", names[i]);
        expect_post(&s, folder, "", 400, "{\"error\": \"the parameter 'name'");
    }
    snprintf(folder, sizeof folder, "%s/backups/one", s.folder);
    struct flm_store *store = flm_store_open(folder, NULL, &why);
    if (!store)
        fail_msg("%s", why.text);
    const struct flm_store_query all = {.size = sizeof all, .until_ms = INT64_MAX};
    struct flm_profile *p = flm_store_merge(store, &all, &why);
    assert_non_null(p);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 3);
    assert_true(flm_store_check(store, &why));
    flm_profile_free(p);
    flm_store_close(store);
    expect_get(&s, FOLDED, 200, "m 7\n");
    serve_stop(&s);
}

static void each_right_is_its_own(void **state)
{
    (void)state;
    static const char *const rights[] = {"read", "write", "admin", "read,admin", "admin"};
    static const struct {
        const char *method, *path;
        int status[5]; /* by token; the last one belongs to a tenant */
    } cases[] = {{"GET", "/api/v1/services", {200, 403, 403, 200, 403}},
                 {"POST", "/api/v1/push?service=a", {403, 200, 403, 403, 403}},
                 {"GET", "/api/v1/admin/store", {403, 403, 200, 200, 403}},
                 {"POST", "/api/v1/admin/seal", {403, 403, 200, 200, 403}},
                 {"POST", "/api/v1/admin/backup?name=b", {403, 403, 200, 400, 403}},
                 {"GET", "/metrics", {200, 403, 403, 200, 403}}};
    char tokens[5][FLM_SERVE_TOKEN_SIZE], line[FLM_SERVE_LINE_SIZE];
    struct flm_text file = {0};
    for (int i = 0; i < 5; i++) {
        assert_true(flm_serve_new_token(rights[i], i == 4 ? "team" : NULL, tokens[i], line, NULL));
        flm_text_puts(&file, line);
    }
    flm_text_putc(&file, 0);
    struct served s = serve_start((struct flm_serve_options){.tokens = file.at});
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int i = 0; i < 5; i++) {
            char header[500];
            snprintf(header, sizeof header, "Authorization: Bearer %s\r\n", tokens[i]);
            expect(&s, cases[c].method, cases[c].path, header,
                   flm_bytes_of(cases[c].method[0] == 'P' ? "m 1\n" : ""), cases[c].status[i], "");
        }
    expect_get(&s, "/api/v1/admin/store", 401, "{\"error\": ");
    serve_stop(&s);
    flm_text_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_store_is_sealed_merged_and_cleared),
        cmocka_unit_test(a_backup_is_a_store),
        cmocka_unit_test(each_right_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
