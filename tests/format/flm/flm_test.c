#include "format/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void a_flm_file_is_recognized_by_its_magic(void **state)
{
    (void)state;
    struct flm_bytes magic = {"FLAMEL\x1A\n\0\0", 10};
    assert_int_equal(flm_format_flm.sniff(magic, false), 100);
    assert_int_equal(flm_format_flm.sniff((struct flm_bytes){magic.at, 7}, true), 0);
    assert_int_equal(flm_format_flm.sniff(flm_bytes_of("FLAMEL\n\n;x 1"), true), 0);
    assert_int_equal(flm_format_flm.sniff((struct flm_bytes){"", 0}, true), 0);
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, magic, true, &why), &flm_format_flm);
}

static bool take(void *context, const void *bytes, size_t size)
{
    struct flm_text *text = context;
    if (text->size + size > text->handed_on) /* how much this test lets through */
        return false;
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return true;
}

static void it_is_written_as_text_and_to_a_sink(void **state)
{
    (void)state;
    uint64_t random = 121;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text expected = bytes_of(p), text = {0}, got = {.handed_on = UINT64_MAX}, sunk;
    struct flm_write_options options = {0};
    assert_true(flm_format_flm.write(p, &options, &text, NULL));
    assert_int_equal(text.size, expected.size);
    assert_memory_equal(text.at, expected.at, expected.size);

    flm_text_init(&sunk, take, &got);
    assert_true(flm_format_flm.write(p, &options, &sunk, NULL));
    assert_true(flm_text_flush(&sunk));
    assert_int_equal(got.size, expected.size);
    assert_memory_equal(got.at, expected.at, expected.size);

    got.size = 0;
    got.handed_on = 1000;
    assert_true(flm_format_flm.write(p, &options, &sunk, NULL)); /* the failure is the text's */
    assert_false(flm_text_flush(&sunk));
    flm_text_clear(&sunk);
    flm_text_clear(&got);
    flm_text_clear(&text);
    flm_text_clear(&expected);
    flm_profile_free(p);
}

static void count_release(void *owner)
{
    ++*(int *)owner;
}

/* What is compressed is the packed profile: it is opened as a file that is used in place is, but
 * keeps nothing of its bytes. */
static void it_is_packed_where_it_is_compressed(void **state)
{
    (void)state;
    uint64_t random = 122;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text expected = bytes_of(p), packed = {0};
    struct flm_write_options options = {0};
    assert_true(flm_format_flm.write_compressed(p, &options, &packed, NULL));
    assert_true(packed.size < expected.size / 2);
    assert_int_equal(flm_format_flm.sniff((struct flm_bytes){packed.at, packed.size}, true), 100);

    int released = 0;
    struct flm_error why = {0};
    struct flm_profile *opened[2] = {
        flm_format_flm.open((struct flm_bytes){packed.at, packed.size}, &why),
        flm_format_flm.adopt(packed.at, packed.size, count_release, &released, &why)};
    assert_int_equal(released, 1);
    memset(packed.at, 0xFF, packed.size);
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(opened[i]);
        struct flm_text again = bytes_of(opened[i]);
        assert_int_equal(again.size, expected.size);
        assert_memory_equal(again.at, expected.at, expected.size);
        flm_text_clear(&again);
        flm_profile_free(opened[i]);
    }
    assert_int_equal(released, 1);

    packed.size = 0;
    assert_true(flm_format_flm.write_compressed(p, &options, &packed, NULL));
    assert_null(flm_format_flm.adopt(packed.at, packed.size / 2, count_release, &released, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_int_equal(released, 1); /* they are still the caller's */
    flm_text_clear(&packed);
    flm_text_clear(&expected);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flm_file_is_recognized_by_its_magic),
        cmocka_unit_test(it_is_written_as_text_and_to_a_sink),
        cmocka_unit_test(it_is_packed_where_it_is_compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
