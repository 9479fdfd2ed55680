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
#include "support/profile/flm_image.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

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
        struct flm_sizes sizes = p->sizes;
        sizes.compact_values = false; /* files have doubles */
        assert_int_equal(text.size, flm_file_size(&sizes));
        struct image image = image_copy((struct image){text.at, text.size}, text.size);
        struct flm_error why = {0};
        struct flm_profile *q = open_image(image, &why);
        if (!q)
            fail_msg("%s", why.text);
        assert_memory_equal(&sizes, &q->sizes, sizeof sizes);
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
    image_put32(image.at + AT_VERSION, 1);
    image_put32(image.at + AT_COUNT, COUNT);
    image_put64(image.at + AT_SIZE, size);
    for (size_t i = 0, at = first; i < COUNT; i++) {
        char *entry = image_entry_number(image, (uint32_t)i);
        memcpy(entry, sections[i].id, 4);
        image_put64(entry + ENTRY_OFFSET, at);
        image_put64(entry + ENTRY_SIZE, sections[i].size);
        size_t known = sizeof sections[i].numbers;
        memcpy(image.at + at, sections[i].numbers,
               sections[i].size < known ? sections[i].size : known);
        at += (sections[i].size + ALIGN - 1) / ALIGN * ALIGN;
    }
    image_put32(image_section(image, "FRAM") + 64, 2); /* the function of frame 2 */
    memcpy(image_section(image, "STRB"), "mainreadsamples", 15);
    image_fix_checksums(image);
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
    struct image image = image_of(image_small_profile());
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

static void unknown_sections_are_skipped(void **state)
{
    (void)state;
    accept_small_image(image_with_section("NEWS", 0));
    accept_small_image(image_with_section("NEWS", 2)); /* a flag that is not known */
    accept_small_image(image_with_section("\xFF\0\n;", 0));
    struct image image = image_with_section("NEWS", 0);
    image_put64(image_entry(image, "NEWS") + ENTRY_OFFSET, UINT64_MAX); /* nobody looks there */
    image_fix_checksums(image);
    accept_small_image(image);
}

static void unknown_sections_that_must_be_understood_are_refused(void **state)
{
    (void)state;
    refuse_image(image_with_section("NEWS", 1), "section 'NEWS' is not known");
    refuse_image(image_with_section("NEWS", 3), "install a newer one");
    refuse_image(image_with_section("\x1B[2J", 1), "section '?[2J' is not known");
}

static void known_sections_may_say_that_they_must_be_understood(void **state)
{
    (void)state;
    struct image image = image_of(image_small_profile());
    for (uint32_t i = 0; i < image_get32(image.at + AT_COUNT); i++)
        image_put32(image_entry_number(image, i) + ENTRY_FLAGS, 1);
    image_fix_checksums(image);
    accept_small_image(image);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    static const uint32_t versions[] = {0, 2, 3, UINT32_MAX};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char words[40];
        struct image image = image_of(image_small_profile());
        image_put32(image.at + AT_VERSION, versions[i]);
        image_fix_checksums(image);
        snprintf(words, sizeof words, "has version %u, and", versions[i]);
        refuse_image(image, words);
    }
}

static void sections_may_lie_anywhere_aligned_to_8(void **state)
{
    (void)state;
    struct image small = image_of(image_small_profile());
    for (uint32_t i = 0; i < image_get32(small.at + AT_COUNT); i++) {
        struct image image = image_copy(small, small.size + 256);
        char *entry = image_entry_number(image, i);
        uint64_t to = small.size + 8;
        memcpy(image.at + to, image.at + image_get64(entry + ENTRY_OFFSET),
               (size_t)image_get64(entry + ENTRY_SIZE));
        image_put64(image.at + AT_SIZE, image.size);
        image_put64(entry + ENTRY_OFFSET, to);
        image_fix_checksums(image);
        accept_small_image(image);

        image = image_copy(small, small.size + 256);
        image_put64(image.at + AT_SIZE, image.size);
        image_put64(image_entry_number(image, i) + ENTRY_OFFSET, to + 4);
        image_fix_checksums(image);
        refuse_image(image, "does not lie within the file");
    }
    free(small.at);
}

static void empty_sections_may_be_in_the_table(void **state)
{
    (void)state;
    struct image image = image_with_section("NOTE", 0);
    image_put64(image_entry(image, "NOTE") + ENTRY_SIZE, 0);
    image_fix_checksums(image);
    accept_small_image(image);
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
    struct flm_profile *p = image_full_profile();
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
    struct image image = image_of(image_full_profile());
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
        cmocka_unit_test(a_sink_that_fails_stops_the_writer),
        cmocka_unit_test(opening_needs_little_memory_and_says_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
