#include "base/lz4/lz4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BYTES(literal) ((struct flm_bytes){literal, sizeof(literal) - 1})

/* A frame of blocks of up to 64 KiB that may refer to each other, without checksums. */
#define HEAD FLM_LZ4_MAGIC "\x40\x40\0"
#define END "\0\0\0\0"
#define RAW(size) size "\0\0\x80"

/* Decompresses all of it, which must be `text`; or fails with these words. */
static void becomes(struct flm_bytes bytes, const char *text, const char *words)
{
    struct flm_source input = flm_source_of(bytes);
    struct flm_error why = {0};
    struct flm_lz4 lz4;
    bool good = flm_lz4_open(&lz4, &input, &why) && flm_source_all(&lz4.source, &why);
    if (text) {
        if (!good)
            fail_msg("%s", why.text);
        struct flm_bytes all = {lz4.source.at, (size_t)(lz4.source.end - lz4.source.at)};
        assert_true(flm_bytes_are(all, text));
    } else if (good || !strstr(why.text, words)) {
        fail_msg("the error is '%s', not '%s'", why.text, words);
    }
    flm_lz4_close(&lz4);
}

static void blocks_are_decompressed(void **state)
{
    (void)state;
    becomes(BYTES(HEAD END), "", NULL);
    becomes(BYTES(HEAD RAW("\3") "abc" RAW("\1") "d" END), "abcd", NULL);
    /* Two literals, 4 + 3 bytes from 2 before: a copy that goes on in itself; a literal. */
    becomes(BYTES(HEAD "\7\0\0\0"
                       "\x23"
                       "ab"
                       "\2\0"
                       "\x10"
                       "c" END),
            "ababababac", NULL);
    /* Of the block before, with a length of 15 + 2 literals. */
    becomes(BYTES(HEAD RAW("\4") "abcd"
                                 "\3\0\0\0"
                                 "\0"
                                 "\4\0" END),
            "abcdabcd", NULL);
    becomes(BYTES(HEAD "\x13\0\0\0"
                       "\xf0\2"
                       "12345678901234567" END),
            "12345678901234567", NULL);
    /* A length of 4 + 15 + 1. */
    becomes(BYTES(HEAD "\5\0\0\0"
                       "\x1f"
                       "x"
                       "\1\0"
                       "\1" END),
            "xxxxxxxxxxxxxxxxxxxxx", NULL);
}

static void checksums_and_sizes_are_passed(void **state)
{
    (void)state;
    becomes(BYTES(FLM_LZ4_MAGIC "\x5c\x40"
                                "\3\0\0\0\0\0\0\0"
                                "\0" RAW("\3") "abc"
                                               "1234" END "5678"),
            "abc", NULL);
}

static void more_than_a_window_is_decompressed(void **state)
{
    (void)state;
    enum { BLOCKS = 40, SIZE = 60000 };
    char *bytes = malloc(7 + BLOCKS * (SIZE + 4) + 4), *text = malloc(BLOCKS * SIZE + 1),
         *at = bytes;
    assert_true(bytes && text);
    memcpy(at, HEAD, 7);
    at += 7;
    for (int i = 0; i < BLOCKS; i++) {
        memcpy(at, "\x60\xea\0\x80", 4);
        memset(at + 4, 'a' + i % 26, SIZE);
        memset(text + i * SIZE, 'a' + i % 26, SIZE);
        at += SIZE + 4;
    }
    memset(at, 0, 4);
    text[BLOCKS * SIZE] = 0;
    becomes((struct flm_bytes){bytes, (size_t)(at + 4 - bytes)}, text, NULL);
    free(bytes);
    free(text);
}

static void malformed_frames_are_refused(void **state)
{
    (void)state;
    becomes(BYTES("\4\"M\x18"), NULL, "ends in the middle");
    becomes(BYTES("\4\"M\x19\x40\x40\0"), NULL, "no frame of lz4");
    becomes(BYTES(FLM_LZ4_MAGIC "\x80\x40\0"), NULL, "no frame of lz4 that flamel reads");
    becomes(BYTES(FLM_LZ4_MAGIC "\x40\x30\0"), NULL, "no frame of lz4");
    becomes(BYTES(FLM_LZ4_MAGIC "\x41\x40\0"), NULL, "with a dictionary");
    becomes(BYTES(HEAD), NULL, "ends in the middle");
    becomes(BYTES(HEAD RAW("\3") "ab"), NULL, "ends in the middle");
    becomes(BYTES(HEAD "\0\0\2\x80"), NULL, "larger than it may be");
    const struct flm_bytes blocks[] = {
        BYTES(HEAD "\2\0\0\0"
                   "\x20"
                   "a" END), /* fewer literals */
        BYTES(HEAD "\1\0\0\0"
                   "\xf0" END), /* no length */
        BYTES(HEAD "\3\0\0\0"
                   "\x10"
                   "a"
                   "\1" END), /* half a distance */
        BYTES(HEAD "\4\0\0\0"
                   "\x10"
                   "a"
                   "\2\0" END), /* from before the beginning */
        BYTES(HEAD "\4\0\0\0"
                   "\x10"
                   "a"
                   "\0\0" END), /* from itself */
        BYTES(HEAD "\4\0\0\0"
                   "\x1f"
                   "a"
                   "\1\0" END), /* no length of the copy */
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        becomes(blocks[i], NULL, "is malformed");
    /* A copy that is longer than a block: 255 each. */
    char large[400];
    memcpy(large,
           HEAD "\x2c\1\0\0\x1f"
                "a"
                "\1\0",
           15);
    memset(large + 15, 255, 400 - 15);
    large[15 + 295] = 0;
    memset(large + 311, 0, 4);
    becomes((struct flm_bytes){large, 315}, NULL, "is malformed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_decompressed),
        cmocka_unit_test(checksums_and_sizes_are_passed),
        cmocka_unit_test(more_than_a_window_is_decompressed),
        cmocka_unit_test(malformed_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
