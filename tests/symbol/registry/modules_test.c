#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/registry/module.h"
#include "symbol/unwind/unwind_table.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell(
        "mkdir -p a b && gcc -g -O1 small.c -o a/small && cp a/small b/small && gcc -g -O2 small.c "
        "-o other");
    return 0;
}

static struct flm_modules *new_set(void)
{
    const struct flm_modules_options options = {.debug_dir = "/nowhere"};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_non_null(modules);
    return modules;
}

static void the_same_request_gives_the_same_module(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    char *a = strdup(temporary_path("a/small")), *b = strdup(temporary_path("b/small"));
    struct flm_module_request request = {.path = flm_bytes_of(a)};
    struct flm_module *first = flm_modules_get(modules, &request);
    assert_ptr_equal(flm_modules_get(modules, &request), first);
    assert_true(flm_bytes_are(flm_module_name(first), "small"));
    assert_true(flm_bytes_are(flm_module_path(first), a));
    struct flm_build_id id = *flm_module_build_id(first);
    request.build_id = id; /* what was found out is what is asked for */
    assert_ptr_equal(flm_modules_get(modules, &request), first);
    request.process = getpid(); /* of a known build id, the same in each process */
    assert_ptr_equal(flm_modules_get(modules, &request), first);
    request.build_id.size = 0;
    assert_ptr_equal(flm_modules_get(modules, &request), first);
    request.path = flm_bytes_of(b); /* another place is another module */
    assert_ptr_not_equal(flm_modules_get(modules, &request), first);
    request.path = flm_bytes_of(a);
    request.build_id = id;
    request.build_id.bytes[0] ^= 1;
    struct flm_module *other = flm_modules_get(modules, &request);
    assert_ptr_not_equal(other, first);
    assert_int_equal(flm_module_state(other), FLM_MODULE_CHANGED);
    assert_int_equal(flm_module_state(first), FLM_MODULE_COMPLETE);
    flm_modules_free(modules);
    free(a);
    free(b);
}

static void paths_of_every_kind_are_named_by_their_end(void **state)
{
    (void)state;
    static const char *const paths[][2] = {{"/usr/lib/libc.so.6", "libc.so.6"},
                                           {"[vsyscall]", "[vsyscall]"},
                                           {"relative", "relative"},
                                           {"/ends/in/", "in/"},
                                           {"/", "/"},
                                           {"", ""}};
    struct flm_modules *modules = new_set();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct flm_module_request request = {.path = flm_bytes_of(paths[i][0])};
        struct flm_module *module = flm_modules_get(modules, &request);
        assert_non_null(module);
        assert_true(flm_bytes_are(flm_module_name(module), paths[i][1]));
    }
    struct flm_module_request odd = {.path = {"/bin\0/sh", 8}};
    assert_int_equal(flm_module_state(flm_modules_get(modules, &odd)), FLM_MODULE_MISSING);
    flm_modules_free(modules);
}

/* Its size is that of its segments; what is not handed to us is not known. */
static void the_vdso_is_read_from_memory(void **state)
{
    (void)state;
    const char *at = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    if (!at)
        skip();
    struct flm_modules *modules = new_set();
    struct flm_module_request request = {.path = flm_bytes_of("[vdso]")};
    assert_int_equal(flm_module_state(flm_modules_get(modules, &request)), FLM_MODULE_MISSING);
    request.image = (struct flm_bytes){at, 4096};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_true(flm_module_state(module) >= FLM_MODULE_BARE);
    assert_true(flm_module_build_id(module)->size > 0);
    flm_modules_free(modules);
}

static void an_image_is_read_where_it_is(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    struct flm_text image = read_file(temporary_path("a/small"));
    struct flm_module_request request = {.path = flm_bytes_of("jitted"),
                                         .image = {image.at, image.size}};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_int_equal(flm_module_state(module), FLM_MODULE_COMPLETE);
    request.path = flm_bytes_of("jitted too");
    request.image.size = 100;
    assert_int_equal(flm_module_state(flm_modules_get(modules, &request)), FLM_MODULE_DAMAGED);
    flm_modules_free(modules);
    flm_text_clear(&image);
}

static void many_are_prepared_at_once_and_each_once(void **state)
{
    (void)state;
    static const char *const names[] = {"a/small", "b/small", "other", "gone", "a/small"};
    struct flm_modules *modules = new_set();
    struct flm_module *wanted[6] = {NULL};
    flm_modules_prepare(modules, wanted, 0);
    for (size_t i = 0; i < 5; i++) {
        char *path = strdup(temporary_path(names[i]));
        struct flm_module_request request = {.path = flm_bytes_of(path)};
        wanted[i] = flm_modules_get(modules, &request);
        free(path);
    }
    assert_ptr_equal(wanted[0], wanted[4]);
    flm_modules_prepare(modules, wanted, 6); /* of which the last is NULL */
    shell("mv a/small moved");               /* all that is needed is there */
    assert_int_equal(flm_module_state(wanted[0]), FLM_MODULE_COMPLETE);
    assert_int_equal(flm_module_state(wanted[1]), FLM_MODULE_COMPLETE);
    assert_int_equal(flm_module_state(wanted[2]), FLM_MODULE_COMPLETE);
    assert_int_equal(flm_module_state(wanted[3]), FLM_MODULE_MISSING);
    shell("mv moved a/small");
    flm_modules_free(modules);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    static const char *const dirs[] = {"/a", "/b"};
    const struct flm_modules_options options = {.symbol_dirs = dirs,
                                                .symbol_dir_count = 2,
                                                .debug_dir = "/c",
                                                .perf_dir = "/d",
                                                .cache_dir = "/e",
                                                .debuginfod = true};
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_modules *modules = flm_modules_new(&options, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(modules ? !failed : why.kind == FLM_ERROR_MEMORY);
        flm_modules_free(modules);
        if (!failed)
            break;
    }
    char *path = strdup(temporary_path("a/small"));
    for (size_t nth = 1;; nth++) { /* and is asked for again when there is memory again */
        struct flm_modules *modules = new_set();
        struct flm_module_request request = {.path = flm_bytes_of(path)};
        allocation_fail_from(nth);
        struct flm_module *module = flm_modules_get(modules, &request);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(module || failed);
        if (!module)
            assert_int_equal(flm_module_state(flm_modules_get(modules, &request)),
                             FLM_MODULE_COMPLETE);
        flm_modules_free(modules);
        if (!failed)
            break;
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_request_gives_the_same_module),
        cmocka_unit_test(paths_of_every_kind_are_named_by_their_end),
        cmocka_unit_test(the_vdso_is_read_from_memory),
        cmocka_unit_test(an_image_is_read_where_it_is),
        cmocka_unit_test(many_are_prepared_at_once_and_each_once),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
