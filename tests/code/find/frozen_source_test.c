#include "code/find/frozen_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static char top[400];

static int make_libraries(void **state)
{
    (void)state;
    shell("rm -rf frozen; mkdir -p frozen/one/lib/python3.11/importlib frozen/one/bin "
          "frozen/two/lib64/python3.12 frozen/two/lib64/python3.x; "
          "touch frozen/one/lib/python3.11/os.py frozen/one/lib/python3.11/importlib/util.py "
          "frozen/two/lib64/python3.12/os.py frozen/two/lib64/python3.x/os.py");
    snprintf(top, sizeof top, "%s", temporary_path("frozen"));
    return 0;
}

/* A profile with a frame of each file, whose modules are those; "" for none. Below `top`. */
static struct flm_profile *profile_of(const char *const files[2], const char *const modules[2])
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < 2; i++) {
        char file[600] = "", module[600] = "";
        if (*files[i])
            snprintf(file, sizeof file, "%s/%s", top, files[i]);
        if (*modules[i])
            snprintf(module, sizeof module, "%s/%s", top, modules[i]);
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, i ? "g" : "f", 1).index,
            .file = flm_builder_string(b, file, strlen(file)).index,
            .module = flm_builder_string(b, module, strlen(module)).index};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

/* `expected` is below `top`, or begins with a slash. */
static void assert_path(const struct flm_profile *p, const char *name, const char *expected)
{
    struct flm_text path = {0};
    char whole[800];
    snprintf(whole, sizeof whole, "%s%s%s", *expected == '/' ? "" : top,
             *expected == '/' ? "" : "/", expected);
    assert_true(flm_frozen_source_path(p, flm_bytes_of(name), &path));
    if (!flm_bytes_are((struct flm_bytes){path.at, path.size}, whole))
        fail_msg("%s: %.*s, not %s", name, (int)path.size, path.at, whole);
    flm_text_clear(&path);
}

static void the_library_is_where_other_files_of_it_are(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", ""};
    static const char *const files[][2] = {
        {"one/lib/python3.11/json/decoder.py", ""},
        {"", "one/lib/python3.11/site-packages/x/y.py"},
        {"two/venv/lib/python3.11/site-packages/x.py", "one/lib/python3.11/ast.py"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct flm_profile *p = profile_of(files[i], nothing);
        assert_path(p, "<frozen os>", "one/lib/python3.11/os.py");
        assert_path(p, "<frozen importlib.util>", "one/lib/python3.11/importlib/util.py");
        flm_profile_free(p);
    }
}

static void the_library_is_beside_the_program(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", ""};
    static const char *const modules[][2] = {
        {"one/bin/python3.11", ""},
        {"", "one/lib/libpython3.11.so.1.0"},
        {"", "one/lib/x86_64-linux-gnu/libpython3.11d.so.1.0"},
        {"one/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so", ""}};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        struct flm_profile *p = profile_of(nothing, modules[i]);
        assert_path(p, "<frozen os>", "one/lib/python3.11/os.py");
        flm_profile_free(p);
    }
    struct flm_profile *p = profile_of(nothing, (const char *const[]){"two/bin/python3.12", ""});
    assert_path(p, "<frozen os>", "two/lib64/python3.12/os.py");
    flm_profile_free(p);
}

static void which_library_is_not_guessed(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", ""};
    static const char *const modules[][2] = {{"one/bin/python3.11", "two/bin/python3.12"},
                                             {"two/bin/python3", "two/bin/pythonic"},
                                             {"two/lib64/python3.x/a.so", ""},
                                             {"one/bin/python3.10", ""}};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        struct flm_profile *p = profile_of(nothing, modules[i]);
        assert_path(p, "<frozen os>", "/os.py");
        flm_profile_free(p);
    }
}

static void other_names_are_none_of_a_frozen_module(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", ""};
    static const char *const names[] = {"",
                                        "<string>",
                                        "<frozen >",
                                        "<frozen os",
                                        "frozen os>",
                                        "<frozen ..os>",
                                        "<frozen os.>",
                                        "<frozen ../../etc/passwd>",
                                        "<frozen a b>"};
    struct flm_profile *p = profile_of(nothing, (const char *const[]){"one/bin/python3.11", ""});
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_text path = {0};
        if (flm_frozen_source_path(p, flm_bytes_of(names[i]), &path))
            fail_msg("%s is %.*s", names[i], (int)path.size, path.at);
        assert_int_equal(path.size, 0);
        flm_text_clear(&path);
    }
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_is_where_other_files_of_it_are),
        cmocka_unit_test(the_library_is_beside_the_program),
        cmocka_unit_test(which_library_is_not_guessed),
        cmocka_unit_test(other_names_are_none_of_a_frozen_module),
    };
    return cmocka_run_group_tests(tests, make_libraries, NULL);
}
