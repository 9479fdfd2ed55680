#include "os/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct zlib {
    const char *(*version)(void);
    unsigned long (*checksum)(unsigned long, const unsigned char *, unsigned);
};

static const char *const functions[] = {"zlibVersion", "crc32", NULL};

static void functions_are_found_in_their_order(void **state)
{
    (void)state;
    const char *const files[] = {"libz.so.1", NULL};
    struct zlib zlib;
    assert_true(flm_library_open(files, functions, &zlib, NULL));
    assert_int_equal(zlib.version()[0], '1');
    assert_int_equal(zlib.checksum(0, (const unsigned char *)"flamel", 6), 0xacb6ad2c);
    struct zlib again;
    assert_true(flm_library_open(files, functions, &again, NULL));
    assert_memory_equal(&again, &zlib, sizeof zlib);
}

static void the_first_that_is_there_is_taken(void **state)
{
    (void)state;
    const char *const files[] = {"libflamel-nothing.so.1", "libz.so.1", "libflamel-nothing.so.2",
                                 NULL};
    struct zlib zlib;
    struct flm_error why = {0};
    assert_true(flm_library_open(files, functions, &zlib, &why));
    assert_int_equal(zlib.version()[0], '1');
    assert_int_equal(why.kind, FLM_ERROR_NONE);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    (void)state;
    const char *const files[] = {"libflamel-nothing.so.1", "libflamel-nothing.so.2", NULL};
    struct zlib zlib;
    struct flm_error why;
    assert_false(flm_library_open(files, functions, &zlib, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "libflamel-nothing.so.1: "));
    assert_false(flm_library_open(files, functions, &zlib, NULL));
}

static void a_function_that_is_not_in_it_is_named(void **state)
{
    (void)state;
    const char *const files[] = {"libz.so.1", NULL};
    const char *const others[] = {"zlibVersion", "flamel_nothing", NULL};
    struct zlib zlib;
    struct flm_error why;
    assert_false(flm_library_open(files, others, &zlib, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "libz.so.1"));
    assert_non_null(strstr(why.text, "flamel_nothing"));
}

static void a_function_of_a_loaded_library_is_found(void **state)
{
    (void)state;
    const char *const files[] = {"libz.so.1", NULL};
    struct zlib zlib;
    assert_true(flm_library_open(files, functions, &zlib, NULL));
    const char *(*version)(void) = NULL;
    assert_true(flm_library_loaded_function("libz.so.1", "zlibVersion", &version));
    assert_ptr_equal(version, zlib.version);
    assert_false(flm_library_loaded_function("libz.so.1", "flamel_nothing", &version));
    assert_false(flm_library_loaded_function("libflamel-nothing.so.1", "zlibVersion", &version));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_in_their_order),
        cmocka_unit_test(the_first_that_is_there_is_taken),
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_function_that_is_not_in_it_is_named),
        cmocka_unit_test(a_function_of_a_loaded_library_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
