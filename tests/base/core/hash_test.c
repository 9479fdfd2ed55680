#include "base/core/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void the_checksum_is_xxh64(void **state)
{
    (void)state;
    /* From the reference implementation, seed 0: a text of every path through the algorithm. */
    static const struct {
        const char *text;
        uint64_t hash;
    } known[] = {
        {"", 0xEF46DB3751D8E999u},
        {"a", 0xD24EC4F1A98C6E5Bu},
        {"abc", 0x44BC2CF5AD770999u},
        {"abcd", 0xDE0327B0D25D92CCu},
        {"12345678", 0xD2D02F08CF7CFD4Au},
        {"0123456789", 0x3F5FC178A81867E7u},
        {"0123456789abcdef0123456789abcdef0123456789ab", 0x1187118B194FD24Au},
        {"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1u},
        {"0123456789abcdef0123456789abcdef", 0x642A94958E71E6C5u},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(flm_checksum(known[i].text, strlen(known[i].text)), known[i].hash);
}

static void a_checksum_can_be_made_in_blocks(void **state)
{
    (void)state;
    char text[200];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 11);
    for (size_t size = 0; size <= sizeof text; size++)
        for (size_t block = 32; block <= 96; block += 32) {
            struct flm_checksum_state state_of_it = {.size = 0};
            size_t at = 0;
            for (; size - at >= block; at += block)
                flm_checksum_add(&state_of_it, text + at, block);
            assert_int_equal(flm_checksum_end(&state_of_it, text + at, size - at),
                             flm_checksum(text, size));
        }
}

static void every_byte_counts(void **state)
{
    (void)state;
    char text[100];
    for (size_t size = 1; size <= sizeof text; size++) {
        for (size_t i = 0; i < size; i++)
            text[i] = (char)(i * 7);
        uint64_t checksum = flm_checksum(text, size), hash = flm_hash(text, size);
        for (size_t i = 0; i < size; i++) {
            text[i] ^= 0x10;
            assert_true(flm_checksum(text, size) != checksum);
            assert_true(flm_hash(text, size) != hash);
            text[i] ^= 0x10;
        }
        assert_true(flm_hash(text, size - 1) != hash);
        assert_int_equal(flm_hash(text, size), hash);
    }
}

/* The blocks are exactly as large as the text: a sanitizer sees any byte read outside of it. */
static void nothing_is_read_outside(void **state)
{
    (void)state;
    for (size_t size = 0; size < 70; size++) {
        char *text = malloc(size + 1);
        assert_non_null(text);
        char *exact = realloc(text, size ? size : 1);
        assert_non_null(exact);
        memset(exact, 'x', size);
        (void)flm_hash(exact, size);
        (void)flm_checksum(exact, size);
        free(exact);
    }
    (void)flm_hash(NULL, 0);
}

static void the_address_does_not_matter(void **state)
{
    (void)state;
    char room[80];
    uint64_t hash = 0, checksum = 0;
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(room + shift, "std::map<int, std::string>::find(int const&) const [clone]", 58);
        if (shift == 0) {
            hash = flm_hash(room, 58);
            checksum = flm_checksum(room, 58);
        }
        assert_int_equal(flm_hash(room + shift, 58), hash);
        assert_int_equal(flm_checksum(room + shift, 58), checksum);
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void similar_names_rarely_share_32_bits(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    uint32_t *hashes = malloc(COUNT * sizeof *hashes);
    assert_non_null(hashes);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t record[8] = {i, 0, 0, i & 3, 0, 0, 0, 0};
        hashes[i] = (uint32_t)(flm_hash(record, sizeof record) >> 32);
    }
    qsort(hashes, COUNT, sizeof *hashes, compare);
    int same = 0;
    for (uint32_t i = 1; i < COUNT; i++)
        same += hashes[i] == hashes[i - 1];
    assert_true(same <= 2); /* chance: one pair in twenty runs */
    free(hashes);
}

/* Hashes are combined by multiplying: one that is 0 would hide the other. */
static void the_empty_text_does_not_hide_what_it_is_combined_with(void **state)
{
    (void)state;
    uint64_t empty = flm_hash("", 0);
    assert_true(flm_mix(flm_hash("lex", 3), empty) != flm_mix(flm_hash("parse", 5), empty));
    assert_true(flm_mix(empty, flm_hash("lex", 3)) != flm_mix(empty, flm_hash("parse", 5)));
}

static void nothing_may_be_nowhere(void **state)
{
    (void)state;
    assert_true(flm_checksum(NULL, 0) == flm_checksum("", 0)); /* for the sanitizer: NULL + 0 */
    assert_true(flm_hash(NULL, 0) == flm_hash("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_may_be_nowhere),
        cmocka_unit_test(the_checksum_is_xxh64),
        cmocka_unit_test(a_checksum_can_be_made_in_blocks),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(nothing_is_read_outside),
        cmocka_unit_test(the_address_does_not_matter),
        cmocka_unit_test(similar_names_rarely_share_32_bits),
        cmocka_unit_test(the_empty_text_does_not_hide_what_it_is_combined_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
