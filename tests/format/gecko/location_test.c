#include "format/gecko/location.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void assert_location(const char *text, const char *name, const char *module,
                            const char *file, unsigned line)
{
    struct flm_gecko_location location;
    flm_gecko_location_parse(flm_bytes_of(text), &location);
    if (!flm_bytes_are(location.name, name) ||
        !flm_bytes_equal(location.module, flm_bytes_of(module)) ||
        !flm_bytes_equal(location.file, flm_bytes_of(file)) || location.line != line)
        fail_msg("'%s': '%.*s' '%.*s' '%.*s' %u", text, (int)location.name.size, location.name.at,
                 (int)location.module.size, location.module.size ? location.module.at : "",
                 (int)location.file.size, location.file.size ? location.file.at : "",
                 location.line);
}

static void symbols_have_their_library(void **state)
{
    (void)state;
    assert_location("f (in libxul.so) + 123", "f", "libxul.so", "", 0);
    assert_location("f (in libxul.so) (a.cpp:12)", "f", "libxul.so", "", 0);
    assert_location("f(int) (in XUL)", "f(int)", "XUL", "", 0);
    assert_location("non-virtual thunk to A::f (in XUL)", "A::f", "XUL", "", 0);
    assert_location("f (in XUL", "f (in XUL", "", "", 0);
    assert_location("f (in XUL) 12", "f (in XUL) 12", "", "", 0);
}

static void scripts_have_their_file_and_line(void **state)
{
    (void)state;
    assert_location("on (https://a.org/b.js:12:34)", "on", "", "https://a.org/b.js", 12);
    assert_location("on (https://a.org/b.js:12)", "on", "", "https://a.org/b.js", 12);
    assert_location("on (https://a.org/b.js:12:34)[5]", "on", "", "https://a.org/b.js", 12);
    assert_location("a (x.js -> y.js:150)", "a", "", "y.js", 150);
    assert_location("https://a.org/b.js:7:1", "", "", "https://a.org/b.js", 7);
    assert_location("a/< (b (c).js:3)", "a/<", "", "b (c).js", 3);
    assert_location("f (99999999999:1)", "f", "", "99999999999", 1);
}

static void others_are_labels(void **state)
{
    (void)state;
    assert_location("js::RunScript", "js::RunScript", "", "", 0);
    assert_location("AutoEntryScript event handler", "event handler", "", "", 0);
    assert_location("", "", "", "", 0);
    assert_location(":12", ":12", "", "", 0);
    assert_location("f ()", "f ()", "", "", 0);
    assert_location(")", ")", "", "", 0);
    assert_location("]", "]", "", "", 0);
}

static void addresses_are_hexadecimal(void **state)
{
    (void)state;
    struct flm_gecko_location location;
    flm_gecko_location_parse(flm_bytes_of("0x7f12"), &location);
    assert_true(location.is_address && location.address == 0x7f12);
    flm_gecko_location_parse(flm_bytes_of("0xyz"), &location);
    assert_false(location.is_address);
    flm_gecko_location_parse(flm_bytes_of("0x"), &location);
    assert_false(location.is_address);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_have_their_library),
        cmocka_unit_test(scripts_have_their_file_and_line),
        cmocka_unit_test(others_are_labels),
        cmocka_unit_test(addresses_are_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
