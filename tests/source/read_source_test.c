#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "source/internal.h"
#include "support/core/files.h"

static const char *read_bytes(struct flm_bytes bytes, size_t most, struct flm_text *text)
{
    int64_t changed_ns = -1;
    const char *reason = flm_source_read(open(write_temporary("file", bytes), O_RDONLY | O_CLOEXEC),
                                         most, text, &changed_ns);
    assert_true(changed_ns >= 0);
    return reason;
}

static void text_is_read_up_to_a_size(void **state)
{
    (void)state;
    struct flm_text text = {0};
    assert_null(read_bytes(flm_bytes_of("int x;\n"), 7, &text));
    assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, "int x;\n"));
    assert_string_equal(read_bytes(flm_bytes_of("int xy;\n"), 7, &text), "it is too large");
    assert_string_equal(read_bytes((struct flm_bytes){"\x7f"
                                                      "ELF\0\1",
                                                      6},
                                   100, &text),
                        "it is not text");
    assert_int_equal(text.size, 7);
    assert_null(read_bytes((struct flm_bytes){"", 0}, 0, &text));
    assert_int_equal(text.size, 7);
    flm_text_clear(&text);
}

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
        flm_source_normalize(flm_bytes_of(cases[i][0]), &out);
        if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, cases[i][1]))
            fail_msg("%s: %.*s", cases[i][0], (int)out.size, out.at);
        flm_text_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_up_to_a_size),
        cmocka_unit_test(paths_are_made_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
