#include "base/core/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

/* A block of exactly `size` bytes, so that a sanitizer sees a read outside. */
static char *block_of(size_t size)
{
    char *block = malloc(size ? size : 1);
    assert_non_null(block);
    return block;
}

static void a_byte_is_found_at_every_offset(void **state)
{
    (void)state;
    for (size_t size = 0; size < 70; size++) {
        char *text = block_of(size);
        memset(text, 'x', size);
        assert_ptr_equal(flm_find(text, text + size, ';'), text + size);
        for (size_t at = 0; at < size; at++) {
            text[at] = ';';
            assert_ptr_equal(flm_find(text, text + size, ';'), text + at);
            assert_ptr_equal(flm_find_either(text, text + size, '\n', ';'), text + at);
            if (at + 1 < size) {
                text[size - 1] = '\n'; /* a later one does not matter */
                assert_ptr_equal(flm_find_either(text, text + size, '\n', ';'), text + at);
                text[size - 1] = 'x';
            }
            text[at] = 'x';
        }
        free(text);
    }
}

static void every_byte_can_be_matched(void **state)
{
    (void)state;
    char text[256];
    for (int i = 0; i < 256; i++)
        text[i] = (char)i;
    for (int i = 0; i < 256; i++) {
        assert_ptr_equal(flm_find(text, text + 256, (char)i), text + i);
        assert_ptr_equal(flm_find(text, text + i, (char)i), text + i); /* not there */
    }
}

static void common_beginnings_end_where_texts_differ(void **state)
{
    (void)state;
    for (size_t size = 0; size < 70; size++) {
        char *a = block_of(size), *b = block_of(size);
        memset(a, 'x', size);
        memset(b, 'x', size);
        assert_int_equal(flm_common_prefix(a, b, size), size);
        for (size_t at = 0; at < size; at++) {
            b[at] = (char)('x' ^ 0x80);
            assert_int_equal(flm_common_prefix(a, b, size), at);
            assert_int_equal(flm_common_prefix(a, b, at), at);
            b[at] = 'x';
        }
        free(a);
        free(b);
    }
}

static void searches_agree_with_a_plain_loop(void **state)
{
    (void)state;
    uint64_t random = 3;
    char text[200], other[200];
    for (int round = 0; round < 20000; round++) {
        size_t from = random_below(&random, 40), size = from + random_below(&random, 160);
        for (size_t i = 0; i < size; i++) {
            text[i] = (char)("abcdefgh;\n\0\xFF"[random_below(&random, 12)]);
            other[i] = random_below(&random, 50) ? text[i] : 'z';
        }
        const char *expected = text + from;
        while (expected < text + size && *expected != ';' && *expected != '\n')
            expected++;
        assert_ptr_equal(flm_find_either(text + from, text + size, ';', '\n'), expected);
        size_t shared = 0;
        while (from + shared < size && text[from + shared] == other[from + shared])
            shared++;
        assert_int_equal(flm_common_prefix(text + from, other + from, size - from), shared);
    }
}

static void masks_of_64_bytes_have_a_bit_for_each(void **state)
{
    (void)state;
#ifdef FLM_SCAN_64
    uint64_t random = 5;
    char text[FLM_SCAN_64];
    for (int round = 0; round < 2000; round++) {
        uint64_t digits = 0, commas = 0;
        for (size_t i = 0; i < sizeof text; i++) {
            text[i] = (char)(round % 2 ? (int)random_below(&random, 256)
                                       : "0123456789,/:\n\0\xFF"[random_below(&random, 16)]);
            digits |= (uint64_t)(text[i] >= '0' && text[i] <= '9') << i;
            commas |= (uint64_t)(text[i] == ',') << i;
        }
        assert_true(flm_scan64_digits(text) == digits);
        assert_true(flm_scan64_equal(text, ',') == commas);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_is_found_at_every_offset),
        cmocka_unit_test(every_byte_can_be_matched),
        cmocka_unit_test(common_beginnings_end_where_texts_differ),
        cmocka_unit_test(searches_agree_with_a_plain_loop),
        cmocka_unit_test(masks_of_64_bytes_have_a_bit_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
