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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flm_file_is_recognized_by_its_magic),
        cmocka_unit_test(it_is_written_as_text_and_to_a_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
