#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/registry/internal.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -g -O1 small.c -o small && gcc -g -O1 -Wl,--build-id=none small.c -o unnamed");
    return 0;
}

static struct flm_modules *new_set(const char *cache)
{
    const struct flm_modules_options options = {.debug_dir = "/nowhere", .cache_dir = cache};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_non_null(modules);
    return modules;
}

static struct flm_module *get(struct flm_modules *modules, const char *name, int process)
{
    char *path = strdup(temporary_path(name));
    const struct flm_module_request request = {.path = flm_bytes_of(path), .process = process};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_non_null(module);
    free(path);
    return module;
}

/* The address of a function, by the table; 0: not found. */
static uint64_t address_of(struct flm_module *module, const char *name)
{
    struct flm_code code[8];
    for (uint64_t i = 0; module->file && i < module->file->segment_count; i++) {
        const struct flm_elf_segment *s = &module->file->segments[i];
        for (uint64_t at = s->address; s->flags & 1 && at < s->address + s->file_size; at++)
            if (flm_module_lookup(module, at, code, 8) > 0 && flm_bytes_are(code[0].function, name))
                return at;
    }
    return 0;
}

static void rounds(struct flm_modules *modules, struct flm_module *used, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (used)
            flm_module_use(used);
        assert_true(flm_modules_evict(modules));
    }
}

static void modules_unused_for_many_rounds_are_freed(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set(NULL);
    struct flm_module *kept = get(modules, "small", 0);
    get(modules, "gone", 0);
    rounds(modules, kept, FLM_MODULE_ROUNDS);
    assert_int_equal(flm_modules_counts(modules).modules, 2);
    rounds(modules, kept, 1);
    assert_int_equal(flm_modules_counts(modules).modules, 1);
    assert_int_equal(flm_modules_counts(modules).requests, 1);
    assert_ptr_equal(get(modules, "small", 0), kept);
    get(modules, "gone", 0); /* and may come again */
    assert_int_equal(flm_modules_counts(modules).modules, 2);
    flm_modules_free(modules);
}

static void a_thousand_programs_one_after_the_other_leave_few(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set(NULL);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "program-%d", i);
        flm_module_use(get(modules, name, 0));
        assert_true(flm_modules_evict(modules));
        assert_true(flm_modules_counts(modules).modules <= FLM_MODULE_ROUNDS + 1);
        assert_true(flm_modules_counts(modules).requests <= FLM_MODULE_ROUNDS + 1);
    }
    flm_modules_free(modules);
}

static void unused_tables_are_evicted_and_made_again(void **state)
{
    (void)state;
    char *cache = strdup(temporary_path("cache"));
    const char *const caches[] = {NULL, cache};
    for (size_t i = 0; i < 2; i++) {
        struct flm_modules *modules = new_set(caches[i]);
        struct flm_module *module = get(modules, "small", 0);
        uint64_t address = address_of(module, "exported_function");
        assert_true(address > 0);
        assert_non_null(flm_module_unwind_table(module));
        assert_int_equal(flm_modules_counts(modules).code_tables, 1);
        assert_int_equal(flm_modules_counts(modules).unwind_tables, 1);
        rounds(modules, module, FLM_MODULE_ROUNDS + 1);
        assert_int_equal(flm_modules_counts(modules).code_tables, 0);
        assert_int_equal(flm_modules_counts(modules).unwind_tables, 0);
        assert_int_equal(address_of(module, "exported_function"), address);
        assert_int_equal(flm_module_state(module), FLM_MODULE_COMPLETE);
        assert_non_null(flm_module_unwind_table(module));
        rounds(modules, module, FLM_MODULE_ROUNDS);
        struct flm_code code[8];
        assert_true(flm_module_lookup(module, address, code, 8) > 0);
        rounds(modules, module, 1);
        assert_int_equal(flm_modules_counts(modules).code_tables, 1); /* asked a round ago */
        flm_modules_free(modules);
    }
    free(cache);
}

static void a_file_without_a_build_id_is_one_module_in_all_processes(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set(NULL);
    struct flm_module *first = get(modules, "unnamed", 0);
    assert_int_equal(flm_module_build_id(first)->size, 0);
    assert_ptr_equal(get(modules, "unnamed", getpid()), first);
    assert_int_equal(flm_modules_counts(modules).modules, 1);
    shell("cp unnamed copy && mv copy unnamed"); /* another file in its place */
    assert_ptr_not_equal(get(modules, "unnamed", getppid()), first);
    flm_modules_free(modules);
}

static bool is_last(void *context, int32_t process)
{
    (void)context;
    return process == 1000000099;
}

static void requests_of_processes_that_are_gone_are_forgotten(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set(NULL);
    struct flm_module *module = get(modules, "gone", 0);
    for (int i = 1; i < 100; i++) /* what is not there lacks in all of them */
        assert_ptr_equal(get(modules, "gone", 1000000000 + i), module);
    assert_int_equal(flm_modules_counts(modules).requests, 100);
    assert_true(flm_modules_forget_requests(modules, is_last, NULL));
    assert_int_equal(flm_modules_counts(modules).requests, 2);
    assert_int_equal(flm_modules_counts(modules).modules, 1);
    assert_ptr_equal(get(modules, "gone", 1000000099), module);
    assert_int_equal(flm_modules_counts(modules).requests, 2);
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_unused_for_many_rounds_are_freed),
        cmocka_unit_test(a_thousand_programs_one_after_the_other_leave_few),
        cmocka_unit_test(unused_tables_are_evicted_and_made_again),
        cmocka_unit_test(a_file_without_a_build_id_is_one_module_in_all_processes),
        cmocka_unit_test(requests_of_processes_that_are_gone_are_forgotten),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
