#include "symbol/identity/source_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"

static void paths_are_made_plain(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/a/b.c", "/a/b.c"},
        {"a/./b.c", "a/b.c"},
        {"//a//b.c/", "/a/b.c"},
        {"/a/x/../b.c", "/a/b.c"},
        {"/../../b.c", "/b.c"},
        {"../b.c", "b.c"},
        {"a/../../b/../c.c", "c.c"},
        {"/", "/"},
        {"", ""},
        {"..", ""},
        {"a/b/../..", ""},
        {"/a...b/..c", "/a...b/..c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_text out = {0};
        flm_path_normalize(flm_bytes_of(cases[i][0]), &out);
        if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, cases[i][1]))
            fail_msg("%s: %.*s", cases[i][0], (int)out.size, out.at);
        flm_text_clear(&out);
    }
}

static void ends_tell_paths_apart(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/a/lex/mod.rs", "lex/mod.rs"},
        {"/a/main.rs", "main.rs"},
        {"/a/parse/mod.rs", "parse/mod.rs"},
        {"/b/parse/x.rs", "b/parse/x.rs"},
        {"/c/parse/x.rs", "c/parse/x.rs"},
        {"/a/main.rs", "main.rs"},
        {"/x/parse/y.rs", "parse/y.rs"},
        {"y.rs", "y.rs"},
        {"/x/sub/../z", "z"},
        {"ab.c", "ab.c"},
        {"b.c", "b.c"},
        {"", ""},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    struct flm_bytes path[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        path[i] = flm_bytes_of(cases[i][0]);
    assert_true(flm_path_shortest_ends(path, COUNT));
    for (size_t i = 0; i < COUNT; i++)
        if (!flm_bytes_are(path[i], cases[i][1]))
            fail_msg("%s: %.*s", cases[i][0], (int)path[i].size, path[i].at);
    assert_true(flm_path_shortest_ends(path, 0));
}

static bool shorten(void *context, struct flm_error *why)
{
    struct flm_bytes path[2] = {flm_bytes_of("/a/x"), flm_bytes_of("/b/x")};
    (void)context;
    return flm_path_shortest_ends(path, 2) || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(shorten, NULL) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_made_plain),
        cmocka_unit_test(ends_tell_paths_apart),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
