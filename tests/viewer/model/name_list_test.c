#include "viewer/model/name_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void names_are_added_and_removed(void **state)
{
    (void)state;
    struct flm_text list = {0};
    assert_false(flm_name_list_has(&list, flm_bytes_of("10")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("10")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("build, all")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("101")));
    assert_true(flm_name_list_has(&list, flm_bytes_of("10")));
    assert_true(flm_name_list_has(&list, flm_bytes_of("build, all")));
    assert_false(flm_name_list_has(&list, flm_bytes_of("1")));
    assert_false(flm_name_list_has(&list, flm_bytes_of("build")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("build, all")));
    assert_false(flm_name_list_has(&list, flm_bytes_of("build, all")));
    assert_true(flm_name_list_has(&list, flm_bytes_of("101")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("10")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("101")));
    assert_int_equal(list.size, 0);
    flm_text_clear(&list);
}

static void a_name_with_a_line_break_is_one_name(void **state)
{
    (void)state;
    struct flm_text list = {0};
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("sh -c\nmake")));
    assert_true(flm_name_list_has(&list, flm_bytes_of("sh -c\nmake")));
    assert_false(flm_name_list_has(&list, flm_bytes_of("make")));
    assert_true(flm_name_list_toggle(&list, flm_bytes_of("sh -c\nmake")));
    assert_int_equal(list.size, 0);
    flm_text_clear(&list);
}

static bool toggle(void *context, struct flm_error *why)
{
    struct flm_text list = {0};
    (void)context;
    bool good = flm_name_list_toggle(&list, flm_bytes_of("a process with a long name")) ||
                flm_error_memory(why);
    assert_int_equal(flm_name_list_has(&list, flm_bytes_of("a process with a long name")), good);
    flm_text_clear(&list);
    return good;
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(toggle, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_added_and_removed),
        cmocka_unit_test(a_name_with_a_line_break_is_one_name),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
