#include "base/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static void assert_text(const struct flm_text *text, const char *expected)
{
    if (!flm_bytes_are((struct flm_bytes){text->at, text->size}, expected))
        fail_msg("the text is '%.*s', not '%s'", (int)text->size, text->at, expected);
}

static void a_text_grows_by_all_that_is_added(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "main");
    flm_text_putc(&text, ';');
    flm_text_add(&text, (struct flm_bytes){"a\0b", 3});
    flm_text_repeat(&text, ' ', 2);
    flm_text_repeat(&text, 'x', 0);
    flm_text_uint(&text, 0);
    flm_text_uint(&text, UINT64_MAX);
    assert_int_equal(text.size, 4 + 1 + 3 + 2 + 1 + 20);
    assert_memory_equal(text.at, "main;a\0b  018446744073709551615", text.size);
    flm_text_clear(&text);
    assert_null(text.at);
    flm_text_puts(&text, "again");
    assert_text(&text, "again");
    flm_text_clear(&text);
}

static void adding_no_bytes_from_NULL_is_allowed(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_add(&text, (struct flm_bytes){NULL, 0});
    const char *volatile nowhere = NULL;
    flm_text_format(&text, "%.*s", 0, nowhere);
    assert_int_equal(text.size, 0);
    assert_non_null(flm_text_reserve(&text, 0));
    assert_false(text.failed);
    assert_true(flm_text_flush(&text));
    flm_text_clear(&text);
}

static void formats_are_those_of_printf(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_format(&text, "%s|%.*s|%c|%d|%i|%u|%x|%%", "name", 3, "abcdef", 'c', -12, 7, 8u, 255u);
    assert_text(&text, "name|abc|c|-12|7|8|ff|%");
    text.size = 0;
    flm_text_format(&text, "%ld %lld %lu %llu %zu %llx", -3L, (long long)INT64_MIN, 4ul,
                    (unsigned long long)UINT64_MAX, (size_t)5, 0xDEADBEEFCAFEull);
    assert_text(&text, "-3 -9223372036854775808 4 18446744073709551615 5 deadbeefcafe");
    text.size = 0;
    flm_text_format(&text, "%zd %u %d %x", (ptrdiff_t)-9, UINT32_MAX, 0, 0u);
    assert_text(&text, "-9 4294967295 0 0");
    flm_text_clear(&text);
}

static void a_precision_is_a_limit(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_format(&text, "%.*s|%.*s|%.*s", 3, "a\0b", 2, "abc", 9, "abc");
    assert_text(&text, "a|ab|abc");
    flm_text_clear(&text);
}

static void a_fixed_text_cuts_what_does_not_fit(void **state)
{
    (void)state;
    char buffer[12];
    buffer[10] = buffer[11] = '#';
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, 10);
    flm_text_puts(&text, "0123456");
    flm_text_puts(&text, "789abc");
    flm_text_putc(&text, 'x');
    flm_text_uint(&text, 1234);
    assert_text(&text, "0123456789");
    assert_int_equal(buffer[10], '#');
    assert_false(text.failed);

    flm_text_init_fixed(&text, buffer, 10);
    flm_text_puts(&text, "0123456");
    flm_text_repeat(&text, '.', 20);
    assert_text(&text, "0123456...");
    flm_text_clear(&text); /* does not free the buffer */
}

static void a_long_name_in_a_fixed_text_keeps_its_ends(void **state)
{
    (void)state;
    char buffer[400], name[301];
    for (int i = 0; i < 300; i++)
        name[i] = (char)('a' + i % 26);
    name[300] = 0;
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_text_format(&text, "'%s' is not a number", name);
    assert_int_equal(text.size, FLM_FIXED_STRING + 18);
    assert_memory_equal(buffer, "'abcdef", 7);
    assert_memory_equal(buffer + FLM_FIXED_STRING, "n' is not a number", 18);
    struct flm_text growing = {0}; /* where there is room, nothing is cut */
    flm_text_format(&growing, "%s", name);
    assert_text(&growing, name);
    flm_text_clear(&growing);
}

static void a_shortened_name_is_cut_between_characters(void **state)
{
    (void)state;
    /* Whatever the text before it, cuts must not fall inside of a character of three bytes. */
    for (size_t shift = 0; shift < 3; shift++) {
        char buffer[400], name[400];
        size_t size = 0;
        for (; size < shift; size++)
            name[size] = 'x';
        for (int i = 0; i < 100; i++, size += 3)
            memcpy(name + size, "\xE2\x82\xAC", 3);
        struct flm_text text;
        flm_text_init_fixed(&text, buffer, sizeof buffer);
        flm_text_format(&text, "%.*s", (int)size, name);
        assert_true(text.size <= FLM_FIXED_STRING);
        for (size_t i = shift; i < text.size;) {
            if (text.at[i] == '.') {
                i++;
                continue;
            }
            assert_true(i + 3 <= text.size);
            assert_memory_equal(text.at + i, "\xE2\x82\xAC", 3);
            i += 3;
        }
    }
}

/* A sink that takes `left` bytes and then fails. */
struct sink {
    struct flm_text got;
    size_t left, calls;
};

static bool take(void *context, const void *bytes, size_t size)
{
    struct sink *sink = context;
    sink->calls++;
    if (size > sink->left)
        return false;
    sink->left -= size;
    flm_text_add(&sink->got, (struct flm_bytes){bytes, size});
    return true;
}

static void a_sink_gets_everything_in_large_pieces(void **state)
{
    (void)state;
    struct sink sink = {.left = SIZE_MAX};
    struct flm_text text;
    flm_text_init(&text, take, &sink);
    for (int i = 0; i < 100000; i++)
        flm_text_uint(&text, (uint64_t)i % 10);
    assert_true(text.capacity <= 1 << 17);
    assert_true(flm_text_flush(&text));
    assert_int_equal(text.handed_on, 100000);
    assert_int_equal(sink.got.size, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(sink.got.at[i], '0' + i % 10);
    assert_true(sink.calls < 5);
    flm_text_clear(&text);
    flm_text_clear(&sink.got);
}

static void additions_larger_than_the_buffer_reach_the_sink(void **state)
{
    (void)state;
    struct sink sink = {.left = SIZE_MAX};
    struct flm_text text;
    flm_text_init(&text, take, &sink);
    char *large = malloc(300000);
    assert_non_null(large);
    memset(large, 'L', 300000);
    flm_text_puts(&text, "before");
    flm_text_add(&text, (struct flm_bytes){large, 300000});
    flm_text_puts(&text, "behind");
    assert_true(flm_text_flush(&text));
    assert_int_equal(sink.got.size, 300012);
    assert_memory_equal(sink.got.at, "beforeL", 7);
    assert_memory_equal(sink.got.at + 300005, "Lbehind", 7);
    free(large);
    flm_text_clear(&text);
    flm_text_clear(&sink.got);
}

static void a_sink_that_fails_is_remembered(void **state)
{
    (void)state;
    struct sink sink = {.left = 70000};
    struct flm_text text;
    flm_text_init(&text, take, &sink);
    for (int i = 0; i < 300000; i++)
        flm_text_putc(&text, 'x');
    assert_true(text.failed);
    assert_null(flm_text_reserve(&text, 1));
    size_t calls = sink.calls;
    assert_false(flm_text_flush(&text));
    assert_int_equal(sink.calls, calls); /* nothing is tried again */
    flm_text_clear(&text);
    flm_text_clear(&sink.got);
}

static void a_failed_allocation_is_remembered(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "kept");
    allocation_fail_from(1);
    flm_text_repeat(&text, 'x', 1000);
    allocation_fail_from(0);
    flm_text_puts(&text, "lost");
    assert_true(text.failed);
    assert_text(&text, "kept");
    assert_false(flm_text_flush(&text));
    flm_text_clear(&text);
    flm_text_puts(&text, "more than there is");
    assert_null(flm_text_reserve(&text, SIZE_MAX - 2));
    assert_true(text.failed);
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows_by_all_that_is_added),
        cmocka_unit_test(adding_no_bytes_from_NULL_is_allowed),
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(a_precision_is_a_limit),
        cmocka_unit_test(a_fixed_text_cuts_what_does_not_fit),
        cmocka_unit_test(a_long_name_in_a_fixed_text_keeps_its_ends),
        cmocka_unit_test(a_shortened_name_is_cut_between_characters),
        cmocka_unit_test(a_sink_gets_everything_in_large_pieces),
        cmocka_unit_test(additions_larger_than_the_buffer_reach_the_sink),
        cmocka_unit_test(a_sink_that_fails_is_remembered),
        cmocka_unit_test(a_failed_allocation_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
