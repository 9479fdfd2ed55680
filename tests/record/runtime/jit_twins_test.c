#include "record/runtime/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* What stands behind the nth name, when these are all. */
static void assert_places(const char *const *names, const char *const *places, size_t count)
{
    struct flm_jit_code *code = flm_jit_code_new();
    for (size_t i = 0; i < count; i++)
        flm_jit_code_add(code, 0x1000 * (i + 1), 0x100, INT64_MIN,
                         flm_jit_code_text(code, flm_bytes_of(names[i])));
    code = flm_jit_code_finish(code);
    assert_non_null(code);
    for (size_t i = 0; i < count; i++) {
        struct flm_jit_frame frame;
        assert_int_equal(flm_jit_code_lookup(code, 0x1000 * (i + 1), INT64_MAX, &frame, 1), 1);
        if (!flm_bytes_are(frame.place, places[i]))
            fail_msg("%s: '%.*s', not '%s'", names[i], (int)frame.place.size, frame.place.at,
                     places[i]);
    }
    flm_jit_code_free(code);
}

static void functions_of_one_name_and_line_have_a_place(void **state)
{
    (void)state;
    static const char *const names[] = {
        "JS:~t /app/min.js:1:7",  "JS:*t /app/min.js:1:18", "JS:^'t /app/min.js:1:7",
        "JS:*t /app/min.js:2:7",  "JS:*u /app/min.js:1:18", "JS:*t /app/o.js:1:18",
        "JS:*u /lib/min.js:1:99", "JS:* /app/min.js:9:1",
    };
    static const char *const places[] = {"min.js:1:7", "min.js:1:18", "min.js:1:7", "", "", "",
                                         "",           "min.js:9:1"};
    assert_places(names, places, sizeof names / sizeof names[0]);
}

static void a_function_is_no_twin_of_itself(void **state)
{
    (void)state;
    static const char *const names[] = {"JS:~t /app/a.js:1:7", "JS:^t /app/a.js:1:7",
                                        "JS:*t /app/a.js:1:7", "JS:*'t /app/a.js:1:7"};
    static const char *const places[] = {"", "", "", ""};
    assert_places(names, places, sizeof names / sizeof names[0]);
}

static void names_without_a_column_have_no_twins(void **state)
{
    (void)state;
    static const char *const names[] = {
        "LazyCompile:*t a.js:1", "LazyCompile:*t a.js:2", "JS:*t", "JS:*t a.js", "Builtin:t",
        "Lcom/foo/T;::t",        "py::t:/app/t.py",       "",      ":",          "JS:*t :1:2"};
    static const char *const places[] = {"", "", "", "", "", "", "", "", "", ""};
    assert_places(names, places, sizeof names / sizeof names[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_name_and_line_have_a_place),
        cmocka_unit_test(a_function_is_no_twin_of_itself),
        cmocka_unit_test(names_without_a_column_have_no_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
