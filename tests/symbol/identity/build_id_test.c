#include "symbol/identity/build_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void digits_become_an_id_and_back(void **state)
{
    (void)state;
    static const char *const good[] = {"", "00", "0123456789abcdef",
                                       "ff00000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct flm_build_id id;
        struct flm_text out = {0};
        assert_true(flm_build_id_parse(flm_bytes_of(good[i]), &id));
        assert_int_equal(id.size, strlen(good[i]) / 2);
        flm_build_id_print(&id, &out);
        assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, good[i]));
        flm_text_clear(&out);
    }
    struct flm_build_id upper, lower;
    assert_true(flm_build_id_parse(flm_bytes_of("ABCDEF"), &upper));
    assert_true(flm_build_id_parse(flm_bytes_of("abcdef"), &lower));
    assert_true(flm_build_id_equal(&upper, &lower));
}

static void malformed_build_ids_are_refused(void **state)
{
    (void)state;
    struct flm_build_id id = {.size = 7};
    char many[2 * FLM_BUILD_ID_MOST + 3];
    memset(many, 'a', sizeof many);
    assert_false(flm_build_id_parse(flm_bytes_of("abc"), &id));
    assert_false(flm_build_id_parse(flm_bytes_of("0g"), &id));
    assert_false(flm_build_id_parse(flm_bytes_of("a "), &id));
    assert_false(flm_build_id_parse((struct flm_bytes){many, 2 * FLM_BUILD_ID_MOST + 2}, &id));
    assert_int_equal(id.size, 7);
    assert_true(flm_build_id_parse((struct flm_bytes){many, 2 * FLM_BUILD_ID_MOST}, &id));
}

static void zeros_after_a_shorter_build_id_are_ignored(void **state)
{
    (void)state;
    struct flm_build_id none = {0}, zero, a, padded, other;
    flm_build_id_parse(flm_bytes_of("0000"), &zero);
    flm_build_id_parse(flm_bytes_of("0123456789abcdef"), &a);
    flm_build_id_parse(flm_bytes_of("0123456789abcdef000000000000000000000000"), &padded);
    flm_build_id_parse(flm_bytes_of("0123456789abcdef000000000000000000000001"), &other);
    assert_true(flm_build_id_equal(&a, &padded));
    assert_true(flm_build_id_equal(&padded, &a));
    assert_false(flm_build_id_equal(&a, &other));
    assert_false(flm_build_id_equal(&other, &padded));
    assert_true(flm_build_id_equal(&none, &none));
    assert_false(flm_build_id_equal(&none, &zero)); /* not known is not all zeros */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_become_an_id_and_back),
        cmocka_unit_test(malformed_build_ids_are_refused),
        cmocka_unit_test(zeros_after_a_shorter_build_id_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
