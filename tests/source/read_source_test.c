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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_up_to_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
