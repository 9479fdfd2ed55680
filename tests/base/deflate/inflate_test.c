/* The compressed bytes are those that zlib 1.2.13 makes. */
#include "base/deflate/inflate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"

/* clang-format off */
static const char stored[] =
    "\x78\x01\x01\x06\x00\xf9\xff\x73\x74\x6f\x72\x65\x64\x09\x3c\x02\x92";
static const char fixed[] =
    "\x78\x01\x4b\x4c\x4a\x4e\x44\x45\x3a\x0a\x89\x0a\x25\xa9\x15\x25\x0a\x25\x19\x89"
    "\x25\x0a\x45\xa9\x05\xa9\x89\x25\xc5\x0a\x70\x69\x00\xbf\x77\x11\xee";
static const char dynamic[] =
    "\x78\xda\x65\x95\x3b\x4e\x04\x31\x10\x44\x73\x4e\x31\x07\x20\x70\x7f\x6d\x1f\x87"
    "\x60\x91\x90\x96\x5d\x89\x8c\xdb\x23\x91\x80\x5f\x85\xa3\xda\xe9\xad\x7e\x2e\xd7"
    "\xdc\x3f\x1e\xb7\x6b\x5c\xcf\xf7\xeb\xf3\xed\xf1\xfd\x7a\xdd\xff\x9e\x9f\x5f\xb7"
    "\x97\xdf\x47\x83\x6c\xa7\xec\x90\xf3\x94\x03\xf2\x3e\xe5\xe4\xf0\x3e\xf5\x82\xee"
    "\x75\xea\x0d\x3d\xf0\xfe\xa4\x3b\xfc\xff\x82\xde\xb0\xbf\xa1\x2f\x6c\x6f\x84\x67"
    "\x83\xf8\x84\x9f\x73\x06\x11\x5a\xc2\x85\x85\x60\xc2\x1e\x26\x20\x37\x48\x98\xa0"
    "\x24\x4b\x6b\x81\xcd\x19\xc4\xe9\x8b\x3e\x08\x34\x9c\xbb\x6c\x39\x32\x26\x8a\x4c"
    "\x93\x4c\x9d\x4c\x33\x39\x43\x62\xb9\xe0\xc3\xc9\xb4\x1c\xbb\x38\x99\xd6\x04\x0f"
    "\x27\xd3\x26\x53\x27\xd3\x96\x19\x64\x3a\xc5\x07\x99\x4e\xd9\x45\x62\x4a\x1e\x41"
    "\xa6\x9b\x4c\x83\x4c\x37\xcf\x25\x24\xa7\x83\x87\x1b\x12\xd4\xc1\x84\x84\x24\xd5"
    "\x18\xb3\x28\xb9\x32\xe4\x1a\x2d\x3f\x61\xe0\x83\x60\x2d\x78\x6b\x62\xe9\xcd\xe3"
    "\x46\x44\x6b\xc5\xfb\x9b\xd2\x01\x4d\xb8\x29\x25\xd0\x6c\x92\x14\xba\x93\x65\x94"
    "\x42\x77\xb1\xcf\x52\x7b\x80\x95\x98\x52\x04\x83\x74\x53\x9a\xc0\x58\xcc\x29\x55"
    "\xe0\x83\x5e\x48\xd7\x63\x70\x23\xd2\xf5\x1c\xe0\x52\x43\x5a\x89\x74\x8b\x74\xbd"
    "\x65\x0a\xe9\xfa\xa4\x97\x0a\x29\x37\x6e\x54\xa4\xeb\x5b\x3e\x58\xa4\x1b\x42\xb7"
    "\xe4\xa3\x65\x3c\xa3\x9a\x5a\xa3\xf4\x22\x4d\x1b\xcc\x4b\x49\xd5\xe6\xbf\xd4\xfd"
    "\x00\xcf\x4d\x75\xb4";
static const char one_letter[] =
    "\x78\xda\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xde\x4b\x6f\x09\x4f\xa0\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x80\xb7\x01\x6c\x96\x56\xff";
/* clang-format on */

#define BYTES(array) ((struct flm_bytes){array, sizeof array - 1})

/* "line 0 of many, line 0 of more" ... */
static void put_lines(struct flm_text *out)
{
    for (int i = 0; i < 60; i++)
        flm_text_format(out, "line %d of many, line %d of more\n", i, i * i);
}

static void assert_inflates(struct flm_bytes bytes, const char *expected, size_t size)
{
    struct flm_text out = {0};
    assert_null(flm_inflate(bytes, &out, size));
    assert_int_equal(out.size, size);
    assert_memory_equal(out.at, expected, size);
    flm_text_clear(&out);
    const char *reason = flm_inflate(bytes, &out, size - 1);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "more than its format allows"));
    flm_text_clear(&out);
}

static void blocks_of_all_kinds_are_read(void **state)
{
    (void)state;
    static const char repeats[] = "abcabcabcabcabcabc, a text that repeats abcabcabc";
    static char letters[70000];
    struct flm_text lines = {0};
    assert_inflates(BYTES(stored), "stored", 6);
    assert_inflates(BYTES(fixed), repeats, sizeof repeats - 1);
    put_lines(&lines);
    assert_inflates(BYTES(dynamic), lines.at, lines.size);
    flm_text_clear(&lines);
    memset(letters, 'z', sizeof letters);
    assert_inflates(BYTES(one_letter), letters, sizeof letters);
}

static void it_is_appended(void **state)
{
    (void)state;
    struct flm_text out = {0};
    flm_text_puts(&out, "a ");
    assert_null(flm_inflate(BYTES(stored), &out, 100));
    assert_null(flm_inflate(BYTES(stored), &out, 100));
    assert_int_equal(out.size, 14);
    assert_memory_equal(out.at, "a storedstored", 14);
    flm_text_clear(&out);
}

/* A checksum is at the end: no other bytes are taken for good. */
static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    const struct flm_bytes all[] = {BYTES(stored), BYTES(fixed), BYTES(dynamic)};
    for (size_t i = 0; i < 3; i++) {
        char *copy = malloc(all[i].size);
        assert_non_null(copy);
        for (size_t k = 0; k < all[i].size; k++) {
            struct flm_text out = {0};
            memcpy(copy, all[i].at, all[i].size);
            assert_non_null(flm_inflate((struct flm_bytes){copy, k}, &out, 100000));
            flm_text_clear(&out);
            copy[k] ^= 0x10;
            const char *reason = flm_inflate((struct flm_bytes){copy, all[i].size}, &out, 100000);
            /* Two bits of the header are a hint; bits up to the next byte mean nothing, before the
             * size of stored bytes, and at the end. */
            bool is_padding = k < 2 || (i == 0 && k == 2) || k == all[i].size - 5;
            if (!reason && !is_padding)
                fail_msg("byte %zu of %zu may be anything", k, i);
            flm_text_clear(&out);
        }
        free(copy);
    }
}

static bool inflate_all(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    (void)context;
    const char *reason = flm_inflate(BYTES(one_letter), &out, 100000);
    bool good = !reason && !out.failed;
    flm_text_clear(&out);
    return good || flm_error_memory(why);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(inflate_all, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_all_kinds_are_read),
        cmocka_unit_test(it_is_appended),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
