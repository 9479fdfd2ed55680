#include "record/php/php_symbols.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void interpreters_are_known_by_their_names(void **state)
{
    (void)state;
    static const char *const yes[] = {"/usr/bin/php", "/usr/bin/php8.2", "/usr/sbin/php-fpm8.2",
                                      "php-cgi", "/usr/lib/apache2/modules/libphp8.2.so"};
    static const char *const no[] = {"", "/usr/bin/phpize", "/usr/lib/php/20220829/opcache.so",
                                     "/home/php/app"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(flm_php_is_named(flm_bytes_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(flm_php_is_named(flm_bytes_of(no[i])));
}

static void symbols_and_version_are_found_in_a_stripped_program(void **state)
{
    (void)state;
    glob_t found;
    size_t read = 0;
    if (glob("/usr/bin/php8.[0-9]", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *path = found.gl_pathv[i];
            struct flm_php_symbols symbols, moved;
            struct flm_elf_file *file = flm_elf_open(path, NULL);
            assert_non_null(file);
            assert_true(flm_php_symbols_read(file, 0, &symbols));
            assert_true(symbols.loop.end > symbols.loop.start);
            assert_int_equal(symbols.major, 8);
            assert_int_equal(symbols.minor, path[strlen(path) - 1] - '0');
            assert_true(flm_php_symbols_read(file, 0x5000, &moved));
            assert_int_equal(moved.loop.start, symbols.loop.start + 0x5000);
            flm_elf_free(file);
            read++;
        }
        globfree(&found);
    }
    if (read == 0) {
        print_message("php is not installed\n");
        skip();
    }
}

static void other_programs_have_none(void **state)
{
    (void)state;
    struct flm_php_symbols symbols;
    struct flm_elf_file *file = flm_elf_open("/proc/self/exe", NULL);
    assert_non_null(file);
    assert_false(flm_php_symbols_read(file, 0, &symbols));
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreters_are_known_by_their_names),
        cmocka_unit_test(symbols_and_version_are_found_in_a_stripped_program),
        cmocka_unit_test(other_programs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
