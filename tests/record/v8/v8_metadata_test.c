#include "record/v8/v8_metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/record/script_target.h"

static void files_are_recognized_by_their_names(void **state)
{
    (void)state;
    static const char *const yes[] = {"/usr/bin/node", "/opt/n/bin/nodejs",
                                      "/usr/lib/x86_64-linux-gnu/libnode.so.108"},
                             *const no[] = {"/usr/bin/nodeenv", "/usr/lib/node/x.node", "", "/",
                                            "/usr/lib/libnode.a"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(flm_v8_is_named(flm_bytes_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(flm_v8_is_named(flm_bytes_of(no[i])));
}

static void the_constants_of_node_are_found(void **state)
{
    (void)state;
    if (system("command -v node > /dev/null 2>&1") != 0) {
        print_message("node is not installed\n");
        skip();
    }
    char *command[] = {"node", "-e", "console.log(1); setInterval(() => 1, 1000)", NULL};
    struct script_target t;
    struct flm_v8_found found;
    struct flm_error why = {0};
    script_start(&t, command);
    struct flm_process_memory memory = {.process = t.process};
    bool good = flm_v8_find(t.mappings, &memory, &found, &why);
    if (!good)
        print_message("%s\n", why.text); /* a build without them */
    if (good) {
        assert_int_equal(found.metadata.tagged_size, 8);
        assert_int_equal(found.metadata.frame_function, -16);
        assert_true(found.metadata.type_not_string > 0 && found.metadata.type_shared > 0);
        assert_non_null(found.module);
    }
    assert_true(good || why.kind != FLM_ERROR_NONE);
    script_end(&t);
}

static void other_programs_have_none(void **state)
{
    (void)state;
    char *command[] = {"sh", "-c", "echo x; read y", NULL};
    struct script_target t;
    struct flm_v8_found found;
    struct flm_error why = {0};
    script_start(&t, command);
    struct flm_process_memory memory = {.process = t.process};
    assert_false(flm_v8_find(t.mappings, &memory, &found, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    script_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_recognized_by_their_names),
        cmocka_unit_test(the_constants_of_node_are_found),
        cmocka_unit_test(other_programs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
