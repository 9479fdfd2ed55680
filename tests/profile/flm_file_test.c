#include "profile/flm_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/core/hash.h"
#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* ---- A .flm file in memory, taken apart as docs/format.md describes it ----------------------- */

enum { HEADER = 64, ENTRY = 40, AT_VERSION = 8, AT_COUNT = 12, AT_SIZE = 16, AT_CHECKSUM = 24 };
enum { ENTRY_FLAGS = 4, ENTRY_OFFSET = 8, ENTRY_SIZE = 16, ENTRY_CHECKSUM = 24 };

struct image {
    char *at; /* of malloc: a block of exactly `size` bytes */
    size_t size;
};

static uint32_t get32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t get64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void put32(char *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put64(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static struct image image_copy(struct image of, size_t size)
{
    struct image copy = {malloc(size ? size : 1), size};
    assert_non_null(copy.at);
    memset(copy.at, 0, size);
    memcpy(copy.at, of.at, size < of.size ? size : of.size);
    return copy;
}

static struct image image_of(struct flm_profile *p)
{
    struct flm_text text = bytes_of(p);
    struct image image = image_copy((struct image){text.at, text.size}, text.size);
    flm_text_clear(&text);
    flm_profile_free(p);
    return image;
}

static struct image image_read(const char *path)
{
    struct flm_text text = read_file(path);
    struct image image = image_copy((struct image){text.at, text.size}, text.size);
    flm_text_clear(&text);
    return image;
}

static struct flm_profile *small_profile(void)
{
    return profile_of("main 2\nmain;read 10\nmain;read;copy 3\nmain;write 1\n");
}

static struct flm_profile *full_profile(void)
{
    uint64_t random = 77;
    struct random_shape shape = random_full;
    shape.stacks = 8;
    return random_profile(&random, &shape);
}

static char *entry_number(struct image image, uint32_t i)
{
    return image.at + HEADER + (size_t)ENTRY * i;
}

static char *entry_of(struct image image, const char *id)
{
    for (uint32_t i = 0; i < get32(image.at + AT_COUNT); i++)
        if (memcmp(entry_number(image, i), id, 4) == 0)
            return entry_number(image, i);
    fail_msg("there is no section %s", id);
    return NULL;
}

static char *section_of(struct image image, const char *id)
{
    return image.at + get64(entry_of(image, id) + ENTRY_OFFSET);
}

static bool lies_within(struct image image, const char *entry)
{
    uint64_t offset = get64(entry + ENTRY_OFFSET), size = get64(entry + ENTRY_SIZE);
    return offset <= image.size && size <= image.size - offset;
}

/* Makes all checksums right, so that what else is wrong is seen. */
static void fix_checksums(struct image image)
{
    uint32_t count = get32(image.at + AT_COUNT);
    if (HEADER + (uint64_t)ENTRY * count > image.size)
        return;
    for (uint32_t i = 0; i < count; i++) {
        char *entry = entry_number(image, i);
        if (lies_within(image, entry))
            put64(entry + ENTRY_CHECKSUM, flm_checksum(image.at + get64(entry + ENTRY_OFFSET),
                                                       (size_t)get64(entry + ENTRY_SIZE)));
    }
    put64(image.at + AT_CHECKSUM, 0);
    put64(image.at + AT_CHECKSUM, flm_checksum(image.at, HEADER + (size_t)ENTRY * count));
}

static struct flm_profile *open_image(struct image image, struct flm_error *why)
{
    return flm_profile_open(image.at, image.size, NULL, NULL, why);
}

/* Everything that a profile offers is looked at. */
static void walk(const struct flm_profile *p)
{
    struct flm_error why = {0};
    if (!flm_profile_check(p, &why))
        fail_msg("it was opened, and %s", why.text);
    free(described(p));
    double *total = malloc(p->sizes.node_count * sizeof *total);
    assert_non_null(total);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        flm_profile_totals(p, (struct flm_metric){m}, total);
    free(total);
}

/* Opens it or not: in both cases nothing breaks. Frees the image. */
static bool try_image(struct image image)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why);
    bool opened = p != NULL;
    if (opened)
        walk(p);
    else
        assert_true(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
    flm_profile_free(p);
    free(image.at);
    return opened;
}

/* It is refused with these words; frees the image. */
static void refuse(struct image image, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why);
    if (p)
        fail_msg("it should be refused with '%s'", words);
    if (!strstr(why.text, words))
        fail_msg("it is refused with '%s', not '%s'", why.text, words);
    assert_null(open_image(image, NULL));
    free(image.at);
}

/* It is opened, and is the small profile; frees the image. */
static void accept_small(struct image image)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why), *expected = small_profile();
    if (!p)
        fail_msg("%s", why.text);
    assert_profiles_equal(p, expected);
    flm_profile_free(p);
    flm_profile_free(expected);
    free(image.at);
}

/* ---- Good files ------------------------------------------------------------------------------ */

static void assert_text(char *got, const char *path, const char *ending)
{
    char expected_path[300];
    snprintf(expected_path, sizeof expected_path, "%.*s%s", (int)(strlen(path) - 4), path, ending);
    struct flm_text expected = read_file(expected_path);
    flm_text_putc(&expected, 0);
    assert_string_equal(got, expected.at);
    flm_text_clear(&expected);
    free(got);
}

static void open_golden(const char *path, void *context)
{
    (void)context;
    struct flm_error why = {0};
    struct image image = image_read(path);
    struct flm_profile *p = open_image(image, &why);
    if (!p)
        fail_msg("%s: %s", path, why.text);
    assert_text(described(p), path, ".described");
    assert_text(p->sizes.metric_count ? folded_of(p) : calloc(1, 1), path, ".folded");
    assert_sound(p);
    flm_profile_free(p);
    free(image.at);
}

/* These were written by version 1 and are never made anew. */
static void files_of_version_1_stay_readable_forever(void **state)
{
    (void)state;
    assert_true(each_file("tests/data/flm", ".flm", open_golden, NULL) >= 3);
}

static void a_file_is_the_profile_it_was_written_from(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct random_shape shape = random_full;
    for (int round = 0; round < 60; round++) {
        shape.stacks = random_below(&random, 200);
        shape.samples = round % 3;
        shape.metrics = 1 + round % 4;
        shape.metadata = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_text text = bytes_of(p);
        assert_int_equal(text.size, flm_file_size(&p->sizes));
        struct image image = image_copy((struct image){text.at, text.size}, text.size);
        struct flm_error why = {0};
        struct flm_profile *q = open_image(image, &why);
        if (!q)
            fail_msg("%s", why.text);
        assert_memory_equal(&p->sizes, &q->sizes, sizeof p->sizes);
        assert_profiles_equal(p, q);
        flm_text_clear(&text);
        flm_profile_free(p);
        flm_profile_free(q);
        free(image.at);
    }
}

static void a_chain_of_100000_frames_is_written_and_opened(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, flm_builder_function(b, i % 2 ? "a" : "b", 1));
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    struct image image = image_of(flm_builder_finish(b, NULL));
    struct flm_profile *p = open_image(image, NULL);
    assert_non_null(p);
    assert_int_equal(p->sizes.node_count, 100001);
    flm_profile_free(p);
    free(image.at);
}

/* A writer made from docs/format.md alone: main 2, main;read 10. The sections in another order. */
static void a_file_written_from_its_description_is_opened(void **state)
{
    (void)state;
    static const struct {
        char id[5];
        uint32_t numbers[16];
        size_t size;
    } sections[] = {
        {"SELF", {0, 0, 0, 0x40000000, 0, 0x40240000}, 24},
        {"NEND", {3, 3, 3}, 12},
        {"NFRM", {0, 1, 2}, 12},
        {"FRAM", {0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0}, 96},
        {"STRB", {0}, 15},
        {"STRE", {0, 4, 8, 15}, 16},
        {"METR", {3, 3}, 8},
    };
    enum { COUNT = sizeof sections / sizeof sections[0], ALIGN = 64 };
    size_t first = (HEADER + COUNT * ENTRY + ALIGN - 1) / ALIGN * ALIGN, size = first;
    for (size_t i = 0; i < COUNT; i++)
        size += (sections[i].size + ALIGN - 1) / ALIGN * ALIGN;
    struct image image = {calloc(size, 1), size};
    assert_non_null(image.at);
    memcpy(image.at, "FLAMEL\x1A\n", 8);
    put32(image.at + AT_VERSION, 1);
    put32(image.at + AT_COUNT, COUNT);
    put64(image.at + AT_SIZE, size);
    for (size_t i = 0, at = first; i < COUNT; i++) {
        char *entry = entry_number(image, (uint32_t)i);
        memcpy(entry, sections[i].id, 4);
        put64(entry + ENTRY_OFFSET, at);
        put64(entry + ENTRY_SIZE, sections[i].size);
        size_t known = sizeof sections[i].numbers;
        memcpy(image.at + at, sections[i].numbers,
               sections[i].size < known ? sections[i].size : known);
        at += (sections[i].size + ALIGN - 1) / ALIGN * ALIGN;
    }
    put32(section_of(image, "FRAM") + 64, 2); /* the function of frame 2 */
    memcpy(section_of(image, "STRB"), "mainreadsamples", 15);
    fix_checksums(image);
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why), *q = profile_of("main 2\nmain;read 10\n");
    if (!p)
        fail_msg("%s", why.text);
    assert_profiles_equal(p, q);
    flm_profile_free(p);
    flm_profile_free(q);
    free(image.at);
}

static int released;

static void release(void *context)
{
    assert_ptr_equal(context, &released);
    released++;
}

static void the_bytes_are_given_back_once_when_the_profile_is_freed(void **state)
{
    (void)state;
    struct image image = image_of(small_profile());
    struct flm_profile *p = flm_profile_open(image.at, image.size, release, &released, NULL);
    assert_non_null(p);
    assert_ptr_equal(p->image, image.at);
    assert_int_equal(released, 0);
    flm_profile_free(p);
    assert_int_equal(released, 1);

    image.at[100] ^= 1;
    assert_null(flm_profile_open(image.at, image.size, release, &released, NULL));
    assert_int_equal(released, 1); /* a file that is refused stays the caller's */
    free(image.at);
}

/* ---- Files of later versions ----------------------------------------------------------------- */

/* The small file with one more section in its table, of which there are at least seven unused. */
static struct image with_section(const char *id, uint32_t flags)
{
    struct image small = image_of(small_profile());
    struct image image = image_copy(small, small.size + 64);
    char *entry = entry_number(image, get32(image.at + AT_COUNT));
    put32(image.at + AT_COUNT, get32(image.at + AT_COUNT) + 1);
    put64(image.at + AT_SIZE, image.size);
    memcpy(entry, id, 4);
    put32(entry + ENTRY_FLAGS, flags);
    put64(entry + ENTRY_OFFSET, small.size);
    put64(entry + ENTRY_SIZE, 33);
    memset(image.at + small.size, 'x', 33);
    fix_checksums(image);
    free(small.at);
    return image;
}

static void unknown_sections_are_skipped(void **state)
{
    (void)state;
    accept_small(with_section("NEWS", 0));
    accept_small(with_section("NEWS", 2)); /* a flag that is not known */
    accept_small(with_section("\xFF\0\n;", 0));
    struct image image = with_section("NEWS", 0);
    put64(entry_of(image, "NEWS") + ENTRY_OFFSET, UINT64_MAX); /* nobody looks there */
    fix_checksums(image);
    accept_small(image);
}

static void unknown_sections_that_must_be_understood_are_refused(void **state)
{
    (void)state;
    refuse(with_section("NEWS", 1), "section 'NEWS' is not known");
    refuse(with_section("NEWS", 3), "install a newer one");
    refuse(with_section("\x1B[2J", 1), "section '?[2J' is not known");
}

static void known_sections_may_say_that_they_must_be_understood(void **state)
{
    (void)state;
    struct image image = image_of(small_profile());
    for (uint32_t i = 0; i < get32(image.at + AT_COUNT); i++)
        put32(entry_number(image, i) + ENTRY_FLAGS, 1);
    fix_checksums(image);
    accept_small(image);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    static const uint32_t versions[] = {0, 2, 3, UINT32_MAX};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char words[40];
        struct image image = image_of(small_profile());
        put32(image.at + AT_VERSION, versions[i]);
        fix_checksums(image);
        snprintf(words, sizeof words, "has version %u, and", versions[i]);
        refuse(image, words);
    }
}

static void sections_may_lie_anywhere_aligned_to_8(void **state)
{
    (void)state;
    struct image small = image_of(small_profile());
    for (uint32_t i = 0; i < get32(small.at + AT_COUNT); i++) {
        struct image image = image_copy(small, small.size + 256);
        char *entry = entry_number(image, i);
        uint64_t to = small.size + 8;
        memcpy(image.at + to, image.at + get64(entry + ENTRY_OFFSET),
               (size_t)get64(entry + ENTRY_SIZE));
        put64(image.at + AT_SIZE, image.size);
        put64(entry + ENTRY_OFFSET, to);
        fix_checksums(image);
        accept_small(image);

        image = image_copy(small, small.size + 256);
        put64(image.at + AT_SIZE, image.size);
        put64(entry_number(image, i) + ENTRY_OFFSET, to + 4);
        fix_checksums(image);
        refuse(image, "does not lie within the file");
    }
    free(small.at);
}

static void empty_sections_may_be_in_the_table(void **state)
{
    (void)state;
    struct image image = with_section("NOTE", 0);
    put64(entry_of(image, "NOTE") + ENTRY_SIZE, 0);
    fix_checksums(image);
    accept_small(image);
}

/* ---- Files to refuse ------------------------------------------------------------------------- */

static void every_shortened_copy_is_refused(void **state)
{
    (void)state;
    struct image image = image_of(full_profile());
    for (size_t size = 0; size < image.size; size++) {
        assert_false(try_image(image_copy(image, size)));
        if (size < HEADER)
            continue;
        /* The header may lie: with the right size and checksum what is missing is still missed. */
        struct image lies = image_copy(image, size);
        put64(lies.at + AT_SIZE, size);
        fix_checksums(lies);
        try_image(lies);
    }
    assert_false(try_image(image_copy(image, image.size + 1)));
    free(image.at);
}

static void every_flipped_bit_outside_of_padding_is_noticed(void **state)
{
    (void)state;
    struct image image = image_of(full_profile());
    char *covered = calloc(image.size, 1);
    assert_non_null(covered);
    uint32_t count = get32(image.at + AT_COUNT);
    memset(covered, 1, HEADER + (size_t)ENTRY * count);
    for (uint32_t i = 0; i < count; i++)
        memset(covered + get64(entry_number(image, i) + ENTRY_OFFSET), 1,
               (size_t)get64(entry_number(image, i) + ENTRY_SIZE));
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
    struct image image = image_of(full_profile());
    unsigned refused = 0, opened = 0;
    for (size_t at = 0; at < image.size; at++) {
        static const char changes[] = {1, 2, 16, -1};
        for (size_t i = 0; i < sizeof changes; i++) {
            struct image changed = image_copy(image, image.size);
            changed.at[at] = (char)(i == 3 ? ~changed.at[at] : changed.at[at] ^ changes[i]);
            fix_checksums(changed);
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
    struct image image = image_of(small_profile());
    put64(entry_of(image, id) + field, number);
    fix_checksums(image);
    return image;
}

static void sections_outside_of_the_file_are_refused(void **state)
{
    (void)state;
    static const uint64_t far[] = {8192, (uint64_t)1 << 40, UINT64_MAX - 7, UINT64_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        refuse(with_number("NFRM", ENTRY_OFFSET, far[i]), "'NFRM' does not lie within");
        refuse(with_number("NFRM", ENTRY_SIZE, far[i]), "'NFRM' does not lie within");
        refuse(with_number("STRB", ENTRY_SIZE, far[i]), "'STRB' does not lie within");
    }
    /* Where offset + size wraps around to something small. */
    struct image image = with_number("SELF", ENTRY_OFFSET, UINT64_MAX - 63);
    put64(entry_of(image, "SELF") + ENTRY_SIZE, 128);
    fix_checksums(image);
    refuse(image, "'SELF' does not lie within");
}

static void sizes_that_are_no_multiple_of_their_items_are_refused(void **state)
{
    (void)state;
    refuse(with_number("FRAM", ENTRY_SIZE, 33), "'FRAM' does not lie within");
    refuse(with_number("SELF", ENTRY_SIZE, 12), "'SELF' does not lie within");
}

static void counts_that_disagree_are_refused(void **state)
{
    (void)state;
    refuse(with_number("NEND", ENTRY_SIZE, 16), "section 'NEND' has 4 entries");
    refuse(with_number("NFRM", ENTRY_SIZE, 16), "where the others ask for");
    refuse(with_number("SELF", ENTRY_SIZE, 32), "section 'SELF' has 4 entries");
    refuse(with_number("METR", ENTRY_SIZE, 0), "section 'SELF' has 5 entries");
    refuse(with_number("METR", ENTRY_SIZE, 16), "section 'SELF' has 5 entries");
    refuse(with_number("STRE", ENTRY_SIZE, 4), "string");
    refuse(with_number("STRE", ENTRY_SIZE, 0), "string 0 is not the empty one");
    refuse(with_number("FRAM", ENTRY_SIZE, 0), "frame 0 is not the root's");
}

static void missing_sections_are_refused(void **state)
{
    (void)state;
    static const char *const ids[] = {"STRE", "STRB", "FRAM", "NFRM", "NEND", "SELF", "METR"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct image image = image_of(small_profile());
        memcpy(entry_of(image, ids[i]), "GONE", 4);
        fix_checksums(image);
        assert_false(try_image(image));
    }
}

static void a_section_that_appears_twice_is_refused(void **state)
{
    (void)state;
    refuse(with_section("NFRM", 0), "section 'NFRM' appears twice");
}

static void tables_that_are_too_long_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1000, UINT32_MAX, UINT32_MAX / ENTRY + 2};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct image image = image_of(small_profile());
        put32(image.at + AT_COUNT, counts[i]);
        refuse(image, "longer than the file");
    }
    struct image small = image_of(small_profile()), image = image_copy(small, small.size + 4096);
    put64(image.at + AT_SIZE, image.size);
    put32(image.at + AT_COUNT, 65);
    fix_checksums(image);
    refuse(image, "more than 64 entries");
    free(small.at);
}

static void sections_that_overlap_cannot_break_anything(void **state)
{
    (void)state;
    uint64_t random = 9;
    struct image full = image_of(full_profile());
    uint32_t count = get32(full.at + AT_COUNT);
    for (int round = 0; round < 5000; round++) {
        struct image image = image_copy(full, full.size);
        for (int changes = 1 + round % 3; changes > 0; changes--) {
            char *to = entry_number(image, random_below(&random, count));
            char *from = entry_number(image, random_below(&random, count));
            put64(to + ENTRY_OFFSET, get64(from + ENTRY_OFFSET) + 8 * random_below(&random, 4));
            if (random_below(&random, 2))
                put64(to + ENTRY_SIZE, get64(from + ENTRY_SIZE));
        }
        fix_checksums(image);
        try_image(image);
    }
    free(full.at);
}

static void what_is_no_flm_file_is_refused(void **state)
{
    (void)state;
    char text[200] = "main;read 42\n";
    refuse(image_copy((struct image){text, sizeof text}, sizeof text), "this is not a .flm file");
    refuse(image_copy((struct image){text, 0}, 0), "this is not a .flm file");
    memcpy(text, "FLAMEL\x1A\r", 8); /* a text conversion has been at it */
    refuse(image_copy((struct image){text, sizeof text}, sizeof text), "this is not a .flm file");
}

static void bytes_that_are_not_aligned_are_refused(void **state)
{
    (void)state;
    struct image image = image_of(small_profile());
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

/* ---- When something else goes wrong ---------------------------------------------------------- */

static bool take_some(void *context, const void *bytes, size_t size)
{
    (void)bytes, (void)size;
    int *left = context;
    return (*left)-- > 0;
}

static void a_sink_that_fails_stops_the_writer(void **state)
{
    (void)state;
    struct flm_profile *p = full_profile();
    int calls = 0;
    while (!flm_profile_write(p, take_some, &(int){calls}))
        calls++;
    assert_true(calls > 10);
    for (int left = 0; left < calls; left++) {
        int now = left;
        assert_false(flm_profile_write(p, take_some, &now));
        assert_int_equal(now, -1); /* not asked again */
    }
    flm_profile_free(p);
}

static void opening_needs_little_memory_and_says_when_there_is_none(void **state)
{
    (void)state;
    struct image image = image_of(full_profile());
    size_t nth = 1;
    for (bool opened = false; !opened; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_profile *p = flm_profile_open(image.at, image.size, release, &released, &why);
        allocation_fail_from(0);
        opened = p != NULL;
        assert_true(opened || why.kind == FLM_ERROR_MEMORY);
        flm_profile_free(p);
    }
    assert_true(nth < 10);
    free(image.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_version_1_stay_readable_forever),
        cmocka_unit_test(a_file_is_the_profile_it_was_written_from),
        cmocka_unit_test(a_chain_of_100000_frames_is_written_and_opened),
        cmocka_unit_test(a_file_written_from_its_description_is_opened),
        cmocka_unit_test(the_bytes_are_given_back_once_when_the_profile_is_freed),
        cmocka_unit_test(unknown_sections_are_skipped),
        cmocka_unit_test(unknown_sections_that_must_be_understood_are_refused),
        cmocka_unit_test(known_sections_may_say_that_they_must_be_understood),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(sections_may_lie_anywhere_aligned_to_8),
        cmocka_unit_test(empty_sections_may_be_in_the_table),
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
        cmocka_unit_test(a_sink_that_fails_stops_the_writer),
        cmocka_unit_test(opening_needs_little_memory_and_says_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
