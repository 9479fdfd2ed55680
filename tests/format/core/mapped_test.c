#include "format/core/mapped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "format/core/location_tables.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct flm_mapped mapped[] = {
    {.start = 0x400000, .limit = 0x401000, .path = TEXT("/bin/app"), .build_id = TEXT("c0ffee")},
    {.start = 0x7f0000001000, .limit = 0x7f0000009000, .offset = 0x1000, .path = TEXT("/lib/a b")},
    {.start = 0x402000, .limit = 0x405000, .offset = 0x2000, .path = TEXT("/bin/app")},
    {.path = TEXT("lib.so"), .build_id = TEXT("12ab")},
    {.path = TEXT("libm.so"), .id_begin = TEXT("34cd"), .file = TEXT("/opt/relative id=1/libm.so")},
    {.start = 1, .limit = 2},
};

static struct flm_profile *noted(struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    flm_mapped_note(b, mapped, sizeof mapped / sizeof *mapped);
    return flm_builder_finish(b, why);
}

static void a_module_has_a_note_with_its_ranges_and_its_build_id(void **state)
{
    (void)state;
    struct flm_profile *p = noted(NULL);
    assert_note(p, "mapped /bin/app", "400000-401000@0 402000-405000@2000 id=c0ffee");
    assert_note(p, "mapped /lib/a b", "7f0000001000-7f0000009000@1000");
    assert_note(p, "mapped lib.so", "relative id=12ab");
    assert_note(p, "mapped libm.so", "relative id-begins=34cd file=/opt/relative id=1/libm.so");
    assert_int_equal(p->sizes.note_count, 4);
    flm_profile_free(p);
}

static void a_note_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct flm_bytes value = flm_bytes_of("400000-401000@0 402000-405000@2000 id=c0ffee");
    struct flm_mapped m;
    assert_true(flm_bytes_are(flm_mapped_id(value), "c0ffee"));
    assert_true(flm_mapped_next(&value, &m));
    assert_true(m.start == 0x400000 && m.limit == 0x401000 && m.offset == 0);
    assert_true(flm_mapped_next(&value, &m));
    assert_true(m.start == 0x402000 && m.limit == 0x405000 && m.offset == 0x2000);
    assert_false(flm_mapped_next(&value, &m));
    value = flm_bytes_of("relative id-begins=34cd file=/opt/relative id=1/libm.so");
    assert_true(flm_bytes_are(flm_mapped_id_begin(value), "34cd"));
    assert_true(flm_bytes_are(flm_mapped_file(value), "/opt/relative id=1/libm.so"));
    assert_int_equal(flm_mapped_id(value).size, 0);
    assert_true(flm_mapped_next(&value, &m) && m.limit == 0);
    assert_false(flm_mapped_next(&value, &m));
    value = flm_bytes_of("relative id=12");
    assert_true(flm_mapped_next(&value, &m) && m.limit == 0);
    assert_false(flm_mapped_next(&value, &m));
}

static struct flm_profile *module_of_build(const char *path, const char *note)
{
    struct flm_builder *b = flm_builder_new(NULL);
    char key[80];
    struct flm_frame_record record = {.function = flm_builder_string(b, "f", 1).index,
                                      .module = flm_builder_string(b, path, strlen(path)).index};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    snprintf(key, sizeof key, "mapped %s", path);
    if (note)
        flm_builder_note(b, key, note, strlen(note));
    return flm_builder_finish(b, NULL);
}

static void assert_build(const char *path, const char *before, const char *after,
                         enum flm_same_build expected)
{
    struct flm_profile *p = module_of_build(path, before), *q = module_of_build("/bin/app", after);
    struct flm_profile *both = flm_comparison_align(p, q, NULL);
    assert_non_null(both);
    assert_int_equal(both->sizes.frame_count, 2); /* the root's, and one of both */
    assert_int_equal(flm_mapped_same_build(both, both->frames[1].module), expected);
    flm_profile_free(p);
    flm_profile_free(q);
    flm_profile_free(both);
}

static void both_sides_of_a_comparison_say_their_build(void **state)
{
    (void)state;
    assert_build("/bin/app", "id=12ab", "id=12ab", FLM_BUILD_SAME);
    assert_build("/bin/app", "id=12ab", "id=34cd", FLM_BUILD_OTHER);
    assert_build("/bin/app", "1000-2000@0 id=12ab", "3000-4000@0 id=12ab", FLM_BUILD_SAME);
    assert_build("/bin/app", "1000-2000@0", "3000-4000@0 id=12ab", FLM_BUILD_UNKNOWN);
    assert_build("/bin/app", NULL, NULL, FLM_BUILD_UNKNOWN);
    assert_build("/bin/app", "id=12ab", NULL, FLM_BUILD_UNKNOWN);
    assert_build("/bin/app", NULL, "id=12ab", FLM_BUILD_UNKNOWN);
    /* The same program, in another directory. */
    assert_build("/old/bin/app", "id=12ab", "id=34cd", FLM_BUILD_OTHER);
    assert_build("/old/bin/app", "id=12ab", "id=12ab", FLM_BUILD_SAME);
}

static void words_that_are_no_ranges_are_passed_over(void **state)
{
    (void)state;
    static const char *const none[] = {"",     "x",     "1-2",   "1@2", "1-@2", "-1@2",
                                       "1-2@", "1-0@0", "2@1-3", "id=", " "};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct flm_bytes value = flm_bytes_of(none[i]);
        struct flm_mapped m;
        assert_int_equal(flm_mapped_id(value).size, 0);
        assert_false(flm_mapped_next(&value, &m));
    }
}

static struct flm_profile *noted_by_strings(struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    uint32_t path = flm_builder_string(b, "/bin/app", 8).index;
    uint32_t id = flm_builder_string(b, "c0ffee", 6).index;
    struct flm_mapping mappings[] = {{.start = 0x1000, .limit = 0x2000, .path = path},
                                     {.start = 0x1000, .limit = 0x2000, .path = path},
                                     {.start = 0x5000, .limit = 0x6000},
                                     {.start = 0x7000, .path = path},
                                     {0x8000, 0x9000, 0x10, path, id, FLM_KIND_NATIVE}};
    flm_mapping_note(b, mappings, sizeof mappings / sizeof *mappings);
    return flm_builder_finish(b, why);
}

static void mappings_without_a_path_or_a_limit_have_no_note_and_others_one(void **state)
{
    (void)state;
    struct flm_profile *p = noted_by_strings(NULL);
    assert_note(p, "mapped /bin/app", "1000-2000@0 8000-9000@10 id=c0ffee");
    assert_int_equal(p->sizes.note_count, 1);
    flm_profile_free(p);
}

static void assert_frame_name(uint64_t address, const char *path, const char *expected)
{
    char buffer[128];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_mapped_frame_name(&text, address, flm_bytes_of(path));
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
}

static void a_frame_without_a_name_has_that_of_its_address_or_of_its_module(void **state)
{
    (void)state;
    assert_frame_name(0x4bff6d, "/lib/libc.so.6", "0x4bff6d");
    assert_frame_name(0, "/lib/libc.so.6", "[libc.so.6]");
    assert_frame_name(0, "app", "[app]");
    assert_frame_name(0, "[vdso]", "[unknown]");
    assert_frame_name(0, "/lib/", "[unknown]");
    assert_frame_name(0, "", "[unknown]");
}

static void code_without_a_symbol_has_the_name_of_its_place(void **state)
{
    (void)state;
    char buffer[200];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_mapped_place_name(&text, 0x27b25, flm_bytes_of("/lib/libc.so.6"));
    assert_string_equal(buffer, "libc.so.6+0x27b25");
}

static bool note_strings_with_little_memory(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_profile *p = noted_by_strings(why);
    flm_profile_free(p);
    return p != NULL;
}

static bool note_with_little_memory(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_profile *p = noted(why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(note_with_little_memory, NULL) > 5);
    assert_true(assert_survives_failures(note_strings_with_little_memory, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_has_a_note_with_its_ranges_and_its_build_id),
        cmocka_unit_test(a_note_is_read_as_it_was_written),
        cmocka_unit_test(both_sides_of_a_comparison_say_their_build),
        cmocka_unit_test(words_that_are_no_ranges_are_passed_over),
        cmocka_unit_test(mappings_without_a_path_or_a_limit_have_no_note_and_others_one),
        cmocka_unit_test(a_frame_without_a_name_has_that_of_its_address_or_of_its_module),
        cmocka_unit_test(code_without_a_symbol_has_the_name_of_its_place),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
