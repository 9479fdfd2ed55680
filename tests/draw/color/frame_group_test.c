#include "draw/color/frame_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

struct function {
    const char *name, *module, *file;
    uint32_t kind;
};

/* One stack of all functions. */
static struct flm_profile *profile_with(const struct function *functions, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < count; i++) {
        const struct function *f = &functions[i];
        struct flm_frame_record record = {
            .function = flm_builder_string(b, f->name, strlen(f->name)).index,
            .module = f->module ? flm_builder_string(b, f->module, strlen(f->module)).index : 0,
            .file = f->file ? flm_builder_string(b, f->file, strlen(f->file)).index : 0,
            .kind = f->kind};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    flm_builder_add(b, node, metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void assert_group(const struct flm_profile *p, const char *name, const char *expected)
{
    struct flm_grouping grouping, same;
    struct flm_bytes *whole = calloc(p->sizes.frame_count, sizeof *whole);
    assert_non_null(whole);
    assert_true(flm_grouping_init(&grouping, p, NULL, NULL));
    assert_true(flm_grouping_init(&same, p, whole, NULL));
    bool any = false;
    for (uint32_t f = 1; f < p->sizes.frame_count && !any; f++) {
        struct flm_bytes group = flm_frame_group(p, f, &grouping);
        assert_true(flm_bytes_equal(group, flm_frame_group(p, f, &same)));
        any = flm_bytes_are(flm_frame_function(p, f), name);
        if (any && !flm_bytes_are(group, expected))
            fail_msg("%s: %.*s", name, (int)group.size, group.at);
    }
    free(whole);
    if (!any)
        fail_msg("no function %s", name);
}

#define PROFILE_WITH(functions) profile_with(functions, sizeof functions / sizeof functions[0])

static void modules_that_share_a_profile_are_groups(void **state)
{
    (void)state;
    static const struct function functions[] = {{"main", "app", "main.c", 0},
                                                {"parse", "app", "parse.c", 0},
                                                {"inflate", "libz.so.1", NULL, 0},
                                                {"deflate", "libz.so.1", NULL, 0}};
    struct flm_profile *p = PROFILE_WITH(functions);
    assert_group(p, "main", "app");
    assert_group(p, "inflate", "libz.so.1");
    flm_profile_free(p);
}

static void the_module_of_a_program_is_split_by_files(void **state)
{
    (void)state;
    static const struct function functions[] = {{"main", "app", "main.c", 0},
                                                {"parse", "app", "parse.c", 0},
                                                {"lex", "app", "parse.c", 0},
                                                {"write_all", "app", "io.c", 0},
                                                {"std::sort<int>", "app", "stl_algo.h", 0},
                                                {"malloc", "libc.so.6", NULL, 0},
                                                {"do_read", "[kernel]", NULL, FLM_KIND_KERNEL},
                                                {"inflate", "libz.so.1", NULL, 0}};
    struct flm_profile *p = PROFILE_WITH(functions);
    assert_group(p, "lex", "parse.c");
    assert_group(p, "write_all", "io.c");
    assert_group(p, "std::sort<int>", "std");
    assert_group(p, "malloc", "libc.so.6");
    assert_group(p, "do_read", "[kernel]");
    assert_group(p, "inflate", "libz.so.1");
    flm_profile_free(p);
}

static void without_files_it_is_split_by_names(void **state)
{
    (void)state;
    static const struct function families[] = {{"ext4_read", "vmlinux", NULL, 0},
                                               {"ext4_write", "vmlinux", NULL, 0},
                                               {"tcp_send", "vmlinux", NULL, 0}};
    struct flm_profile *p = PROFILE_WITH(families);
    assert_group(p, "ext4_write", "ext4");
    assert_group(p, "tcp_send", "tcp");
    flm_profile_free(p);
    static const struct function classes[] = {{"app::Lexer<int>::next(int)", "app", NULL, 0},
                                              {"app::Lexer<int>::peek(int)", "app", NULL, 0},
                                              {"app::Writer::flush()", "app", NULL, 0},
                                              {"app::Writer::put(int)", "app", NULL, 0}};
    p = PROFILE_WITH(classes);
    assert_group(p, "app::Lexer<int>::peek(int)", "app::Lexer");
    assert_group(p, "app::Writer::flush()", "app::Writer");
    flm_profile_free(p);
    static const struct function functions[] = {
        {"main.run", "app", NULL, 0}, {"main.load", "app", NULL, 0}, {"main.show", "app", NULL, 0}};
    p = PROFILE_WITH(functions);
    assert_group(p, "main.load", "main.load");
    flm_profile_free(p);
}

static void an_interpreter_and_its_script_are_split_each_by_itself(void **state)
{
    (void)state;
    static const struct function functions[] = {{"Py_Main", "libpython3.so", NULL, 0},
                                                {"dict_get", "libpython3.so", NULL, 0},
                                                {"list_append", "libpython3.so", NULL, 0},
                                                {"list_sort", "libpython3.so", NULL, 0},
                                                {"run", NULL, "app.py", FLM_KIND_INTERPRETED},
                                                {"load", NULL, "app.py", FLM_KIND_INTERPRETED}};
    struct flm_profile *p = PROFILE_WITH(functions);
    assert_group(p, "dict_get", "dict");
    assert_group(p, "list_append", "list");
    assert_group(p, "load", "load");
    flm_profile_free(p);
}

/* Whatever else there is: of one function as of many, and beside a program that is larger. */
static void an_interpreter_is_always_split_alike(void **state)
{
    (void)state;
    static const struct function alone[] = {{"node::Start(int, char**)", "/usr/bin/node", NULL, 0}};
    static const struct function many[] = {{"node::Start(int, char**)", "/usr/bin/node", NULL, 0},
                                           {"v8::Function::Call()", "/usr/bin/node", NULL, 0},
                                           {"uv_run", "/usr/bin/node", NULL, 0},
                                           {"dict_get", "libpython3.11.so.1.0", "dictobject.c", 0}};
    static const struct function few[] = {{"node::Start(int, char**)", "/usr/bin/node", NULL, 0},
                                          {"app::run", "app", NULL, 0},
                                          {"app::load", "app", NULL, 0},
                                          {"app::show", "app", NULL, 0},
                                          {"nodes_of", "nodepad", NULL, 0}};
    struct flm_profile *p = PROFILE_WITH(alone);
    assert_group(p, "node::Start(int, char**)", "node");
    flm_profile_free(p);
    p = PROFILE_WITH(many);
    assert_group(p, "node::Start(int, char**)", "node");
    assert_group(p, "v8::Function::Call()", "v8");
    assert_group(p, "uv_run", "uv");
    assert_group(p, "dict_get", "dictobject.c");
    flm_profile_free(p);
    p = PROFILE_WITH(few);
    assert_group(p, "node::Start(int, char**)", "node");
    assert_group(p, "nodes_of", "nodepad");
    flm_profile_free(p);
}

static bool make_grouping(void *context, struct flm_error *why)
{
    struct flm_grouping grouping;
    return flm_grouping_init(&grouping, context, NULL, why);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("app::main;app::parse;app::lex 3\n");
    assert_true(assert_survives_failures(make_grouping, p) > 2);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_that_share_a_profile_are_groups),
        cmocka_unit_test(the_module_of_a_program_is_split_by_files),
        cmocka_unit_test(without_files_it_is_split_by_names),
        cmocka_unit_test(an_interpreter_and_its_script_are_split_each_by_itself),
        cmocka_unit_test(an_interpreter_is_always_split_alike),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
