/* Damaged .flm files, and files of other kinds: each is refused with its reason, or is harmless. */
#include "profile/flm_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/flm_image.h"
#include "support/profile/profiles.h"

static void every_shortened_copy_is_refused(void **state)
{
    (void)state;
    struct image image = image_of(image_full_profile());
    for (size_t size = 0; size < image.size; size++) {
        assert_false(try_image(image_copy(image, size)));
        if (size < HEADER)
            continue;
        /* The header may lie: with the right size and checksum what is missing is still missed. */
        struct image lies = image_copy(image, size);
        image_put64(lies.at + AT_SIZE, size);
        image_fix_checksums(lies);
        try_image(lies);
    }
    assert_false(try_image(image_copy(image, image.size + 1)));
    free(image.at);
}

static void every_flipped_bit_outside_of_padding_is_noticed(void **state)
{
    (void)state;
    struct image image = image_of(image_full_profile());
    char *covered = calloc(image.size, 1);
    assert_non_null(covered);
    uint32_t count = image_get32(image.at + AT_COUNT);
    memset(covered, 1, HEADER + (size_t)ENTRY * count);
    for (uint32_t i = 0; i < count; i++)
        memset(covered + image_get64(image_entry_number(image, i) + ENTRY_OFFSET), 1,
               (size_t)image_get64(image_entry_number(image, i) + ENTRY_SIZE));
    for (size_t at = 0; at < image.size; at++) {
        image.at[at] ^= (char)(1 << at % 8);
        assert_int_equal(try_image(image_copy(image, image.size)), !covered[at]);
        image.at[at] ^= (char)(1 << at % 8);
    }
    free(covered);
    free(image.at);
}

static void changed_bytes_with_right_checksums_are_refused_or_harmless(void **state)
{
    (void)state;
    struct image image = image_of(image_full_profile());
    unsigned refused = 0, opened = 0;
    for (size_t at = 0; at < image.size; at++) {
        static const char changes[] = {1, 2, 16, -1};
        for (size_t i = 0; i < sizeof changes; i++) {
            struct image changed = image_copy(image, image.size);
            changed.at[at] = (char)(i == 3 ? ~changed.at[at] : changed.at[at] ^ changes[i]);
            image_fix_checksums(changed);
            if (try_image(changed))
                opened++;
            else
                refused++;
        }
    }
    assert_true(refused > 1000 && opened > 100);
    free(image.at);
}

/* The small file with one number of a table entry changed. */
static struct image with_number(const char *id, int field, uint64_t number)
{
    struct image image = image_of(image_small_profile());
    image_put64(image_entry(image, id) + field, number);
    image_fix_checksums(image);
    return image;
}

static void sections_outside_of_the_file_are_refused(void **state)
{
    (void)state;
    static const uint64_t far[] = {8192, (uint64_t)1 << 40, UINT64_MAX - 7, UINT64_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        refuse_image(with_number("NFRM", ENTRY_OFFSET, far[i]), "'NFRM' does not lie within");
        refuse_image(with_number("NFRM", ENTRY_SIZE, far[i]), "'NFRM' does not lie within");
        refuse_image(with_number("STRB", ENTRY_SIZE, far[i]), "'STRB' does not lie within");
    }
    /* Where offset + size wraps around to something small. */
    struct image image = with_number("SELF", ENTRY_OFFSET, UINT64_MAX - 63);
    image_put64(image_entry(image, "SELF") + ENTRY_SIZE, 128);
    image_fix_checksums(image);
    refuse_image(image, "'SELF' does not lie within");
}

static void sizes_that_are_no_multiple_of_their_items_are_refused(void **state)
{
    (void)state;
    refuse_image(with_number("FRAM", ENTRY_SIZE, 33), "'FRAM' does not lie within");
    refuse_image(with_number("SELF", ENTRY_SIZE, 12), "'SELF' does not lie within");
}

static void counts_that_disagree_are_refused(void **state)
{
    (void)state;
    refuse_image(with_number("NEND", ENTRY_SIZE, 16), "section 'NEND' has 4 entries");
    refuse_image(with_number("NFRM", ENTRY_SIZE, 16), "where the others ask for");
    refuse_image(with_number("SELF", ENTRY_SIZE, 32), "section 'SELF' has 4 entries");
    refuse_image(with_number("METR", ENTRY_SIZE, 0), "section 'SELF' has 5 entries");
    refuse_image(with_number("METR", ENTRY_SIZE, 16), "section 'SELF' has 5 entries");
    refuse_image(with_number("STRE", ENTRY_SIZE, 4), "string");
    refuse_image(with_number("STRE", ENTRY_SIZE, 0), "string 0 is not the empty one");
    refuse_image(with_number("FRAM", ENTRY_SIZE, 0), "frame 0 is not the root's");
}

static void missing_sections_are_refused(void **state)
{
    (void)state;
    static const char *const ids[] = {"STRE", "STRB", "FRAM", "NFRM", "NEND", "SELF", "METR"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct image image = image_of(image_small_profile());
        memcpy(image_entry(image, ids[i]), "GONE", 4);
        image_fix_checksums(image);
        assert_false(try_image(image));
    }
}

static void a_section_that_appears_twice_is_refused(void **state)
{
    (void)state;
    refuse_image(image_with_section("NFRM", 0), "section 'NFRM' appears twice");
}

static void tables_that_are_too_long_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1000, UINT32_MAX, UINT32_MAX / ENTRY + 2};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct image image = image_of(image_small_profile());
        image_put32(image.at + AT_COUNT, counts[i]);
        refuse_image(image, "longer than the file");
    }
    struct image small = image_of(image_small_profile()),
                 image = image_copy(small, small.size + 4096);
    image_put64(image.at + AT_SIZE, image.size);
    image_put32(image.at + AT_COUNT, 65);
    image_fix_checksums(image);
    refuse_image(image, "more than 64 entries");
    free(small.at);
}

static void sections_that_overlap_cannot_break_anything(void **state)
{
    (void)state;
    uint64_t random = 9;
    struct image full = image_of(image_full_profile());
    uint32_t count = image_get32(full.at + AT_COUNT);
    for (int round = 0; round < 5000; round++) {
        struct image image = image_copy(full, full.size);
        for (int changes = 1 + round % 3; changes > 0; changes--) {
            char *to = image_entry_number(image, random_below(&random, count));
            char *from = image_entry_number(image, random_below(&random, count));
            image_put64(to + ENTRY_OFFSET,
                        image_get64(from + ENTRY_OFFSET) + 8 * random_below(&random, 4));
            if (random_below(&random, 2))
                image_put64(to + ENTRY_SIZE, image_get64(from + ENTRY_SIZE));
        }
        image_fix_checksums(image);
        try_image(image);
    }
    free(full.at);
}

static void what_is_no_flm_file_is_refused(void **state)
{
    (void)state;
    char text[200] = "main;read 42\n";
    refuse_image(image_copy((struct image){text, sizeof text}, sizeof text),
                 "this is not a .flm file");
    refuse_image(image_copy((struct image){text, 0}, 0), "this is not a .flm file");
    memcpy(text, "FLAMEL\x1A\r", 8); /* a text conversion has been at it */
    refuse_image(image_copy((struct image){text, sizeof text}, sizeof text),
                 "this is not a .flm file");
}

static void bytes_that_are_not_aligned_are_refused(void **state)
{
    (void)state;
    struct image image = image_of(image_small_profile());
    char *room = malloc(image.size + 8);
    assert_non_null(room);
    for (size_t shift = 1; shift < 8; shift++) {
        struct flm_error why = {0};
        memcpy(room + shift, image.at, image.size);
        assert_null(flm_profile_open(room + shift, image.size, NULL, NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, "aligned"));
    }
    free(room);
    free(image.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shortened_copy_is_refused),
        cmocka_unit_test(every_flipped_bit_outside_of_padding_is_noticed),
        cmocka_unit_test(changed_bytes_with_right_checksums_are_refused_or_harmless),
        cmocka_unit_test(sections_outside_of_the_file_are_refused),
        cmocka_unit_test(sizes_that_are_no_multiple_of_their_items_are_refused),
        cmocka_unit_test(counts_that_disagree_are_refused),
        cmocka_unit_test(missing_sections_are_refused),
        cmocka_unit_test(a_section_that_appears_twice_is_refused),
        cmocka_unit_test(tables_that_are_too_long_are_refused),
        cmocka_unit_test(sections_that_overlap_cannot_break_anything),
        cmocka_unit_test(what_is_no_flm_file_is_refused),
        cmocka_unit_test(bytes_that_are_not_aligned_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
