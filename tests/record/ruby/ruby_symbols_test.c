#include "record/ruby/ruby_symbols.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void interpreters_are_known_by_their_names(void **state)
{
    (void)state;
    static const char *const yes[] = {"/usr/bin/ruby", "/usr/bin/ruby3.1", "ruby-3.2",
                                      "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2",
                                      "/opt/lib/libruby.so.3.3"};
    static const char *const no[] = {"", "/usr/bin/rubyish", "/usr/lib/ruby/enc/encdb.so",
                                     "/home/ruby/app", "/usr/bin/irb"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(flm_ruby_is_named(flm_bytes_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(flm_ruby_is_named(flm_bytes_of(no[i])));
}

static void symbols_are_found_in_a_stripped_library(void **state)
{
    (void)state;
    glob_t found;
    size_t read = 0;
    if (glob("/usr/lib/*-linux-gnu/libruby-3.*.so.3.*", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct flm_ruby_symbols symbols, moved;
            struct flm_elf_file *file = flm_elf_open(found.gl_pathv[i], NULL);
            assert_non_null(file);
            assert_true(flm_ruby_symbols_read(file, 0, &symbols));
            assert_true(symbols.exec.end > symbols.exec.start);
            assert_true(symbols.version && symbols.object_class);
            assert_true(symbols.data.end > symbols.data.start);
            assert_true(flm_ruby_symbols_read(file, 0x5000, &moved));
            assert_int_equal(moved.exec.start, symbols.exec.start + 0x5000);
            assert_int_equal(moved.data.start, symbols.data.start + 0x5000);
            flm_elf_free(file);
            read++;
        }
        globfree(&found);
    }
    if (read == 0) {
        print_message("libruby is not installed\n");
        skip();
    }
}

static void other_programs_have_none(void **state)
{
    (void)state;
    struct flm_ruby_symbols symbols;
    struct flm_elf_file *file = flm_elf_open("/proc/self/exe", NULL);
    assert_non_null(file);
    assert_false(flm_ruby_symbols_read(file, 0, &symbols));
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreters_are_known_by_their_names),
        cmocka_unit_test(symbols_are_found_in_a_stripped_library),
        cmocka_unit_test(other_programs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
