#include "load/pictures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "format/core/format.h"

static void pictures_are_found_by_name_and_by_file(void **state)
{
    (void)state;
    size_t count;
    const struct flm_picture_format *formats = flm_picture_formats(&count);
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        char file[40] = "a.b";
        strcat(file, formats[i].extensions);
        assert_ptr_equal(flm_picture_format_named(formats[i].name), &formats[i]);
        assert_ptr_equal(flm_picture_format_for_file(file), &formats[i]);
        assert_true(strlen(formats[i].description) > 0 && formats[i].write);
    }
    assert_null(flm_picture_format_named("folded"));
    assert_null(flm_picture_format_for_file("svg"));
    assert_null(flm_picture_format_for_file("a.svg.gz"));
}

static void no_picture_takes_the_name_of_a_profile(void **state)
{
    (void)state;
    size_t count;
    const struct flm_picture_format *formats = flm_picture_formats(&count);
    for (size_t i = 0; i < count; i++) {
        assert_null(flm_format_named(formats[i].name));
        assert_null(flm_format_for_file(formats[i].extensions));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_found_by_name_and_by_file),
        cmocka_unit_test(no_picture_takes_the_name_of_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
