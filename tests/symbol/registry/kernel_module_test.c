#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/registry/module.h"

static struct flm_module *get(struct flm_modules *modules, const char *path, const char *id,
                              uint64_t text)
{
    struct flm_module_request request = {.path = flm_bytes_of(path), .kernel_text = text};
    assert_true(flm_build_id_parse(flm_bytes_of(id), &request.build_id));
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_non_null(module);
    return module;
}

static bool says(struct flm_module *module, const char *part)
{
    struct flm_text text = {0};
    flm_module_explain(module, &text);
    bool has = memmem(text.at, text.size, part, strlen(part)) != NULL;
    flm_text_clear(&text);
    return has;
}

/* As the kernel that runs lists itself, also from the cache; or it hides that, and we say so. */
static void our_kernel_has_the_functions_that_it_lists(void **state)
{
    (void)state;
    char *cache = strdup(temporary_path("cache"));
    const struct flm_modules_options options = {.kernel_is_ours = true, .cache_dir = cache};
    struct flm_text list = shell_output(
        "awk '$2 == \"T\" && $3 == \"vfs_read\" { print $1 }' /proc/kallsyms 2> /dev/null || true");
    flm_text_putc(&list, 0);
    uint64_t address = strtoull(list.at, NULL, 16);
    for (int round = 0; round < 2; round++) {
        struct flm_modules *modules = flm_modules_new(&options, NULL);
        struct flm_module *module = get(modules, "[kernel.kallsyms]", "", 0);
        struct flm_code code[8];
        uint64_t same = 0;
        assert_true(flm_module_address(module, address, &same));
        assert_int_equal(same, address);
        if (address) {
            size_t count = flm_module_lookup(module, address + 1, code, 8);
            assert_true(count > 0);
            assert_true(flm_bytes_are(code[count - 1].function, "vfs_read"));
            assert_true(code[count - 1].start == address);
            assert_true(flm_module_state(module) >= FLM_MODULE_SYMBOLS);
        } else if (flm_module_state(module) == FLM_MODULE_BARE) {
            assert_true(says(module, "kptr_restrict") || says(module, "/proc/kallsyms"));
        }
        flm_modules_free(modules);
    }
    flm_text_clear(&list);
    free(cache);
}

static void symbols_of_another_kernel_are_not_ours(void **state)
{
    (void)state;
    const struct flm_modules_options ours = {.kernel_is_ours = true}, theirs = {0};
    struct flm_modules *modules = flm_modules_new(&theirs, NULL);
    struct flm_module *module = get(modules, "[kernel.kallsyms]", "", 0);
    assert_int_equal(flm_module_state(module), FLM_MODULE_MISSING);
    assert_true(says(module, "another kernel"));
    assert_int_equal(flm_module_state(get(modules, "[ext4]", "", 0)), FLM_MODULE_MISSING);
    flm_modules_free(modules);
    if (system("test -r /sys/kernel/notes") == 0) {
        modules = flm_modules_new(&ours, NULL);
        module = get(modules, "[kernel.kallsyms]", "0123456789", 0); /* not its build id */
        assert_int_equal(flm_module_state(module), FLM_MODULE_MISSING);
        flm_modules_free(modules);
    }
}

/* perf keeps the list of each kernel that it recorded; where that one lay says the recording. */
static void a_kernel_in_the_cache_of_perf_is_moved_to_its_recorded_address(void **state)
{
    (void)state;
    char *perf = strdup(temporary_path("perf"));
    const struct flm_modules_options options = {.perf_dir = perf};
    shell("mkdir -p 'perf/[kernel.kallsyms]/abcdef' && printf '%s' > "
          "'perf/[kernel.kallsyms]/abcdef/kallsyms'",
          "ffffffff81000000 T _text\\nffffffff81000100 t work\\nffffffff81000200 T other\\n");
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    struct flm_module *module =
        get(modules, "[kernel.kallsyms]", "abcdef", UINT64_C(0xffffffff92000000));
    struct flm_code code[2];
    assert_int_equal(flm_module_lookup(module, UINT64_C(0xffffffff92000110), code, 2), 1);
    assert_true(flm_bytes_are(code[0].function, "work"));
    assert_true(code[0].start == UINT64_C(0xffffffff92000100));
    assert_int_equal(flm_module_state(module), FLM_MODULE_SYMBOLS);
    module = get(modules, "[kernel.kallsyms]", "abcdee", UINT64_C(0xffffffff92000000));
    assert_int_equal(flm_module_state(module), FLM_MODULE_MISSING);
    flm_modules_free(modules);
    free(perf);
}

/* A vmlinux with lines, wherever the kernel was put: here a program that has a `_text`. */
static void a_vmlinux_is_found_by_its_build_id_and_moved(void **state)
{
    (void)state;
    write_temporary("kernel.c", flm_bytes_of("extern char _text[];\n__asm__(\".globl "
                                             "_text\\n.text\\n_text:\\n\");\n"
                                             "int work(int x)\n{\n    return x * 3;\n}\n"
                                             "void _start(void)\n{\n    work(1);\n}\n"));
    shell("gcc -g -O1 -fno-toplevel-reorder -nostdlib -static -Wl,--build-id=0xabcdef0123 kernel.c "
          "-o "
          "vmlinux && mkdir -p dir/ab && cp vmlinux dir/ab/cdef0123.debug");
    struct flm_text list =
        shell_output("nm vmlinux | awk '$3 == \"_text\" || $3 == \"work\" { print "
                     "$3, $1 }' | sort");
    unsigned long long text, work;
    flm_text_putc(&list, 0);
    assert_int_equal(sscanf(list.at, "_text %llx\nwork %llx", &text, &work), 2);
    char *dir = strdup(temporary_path("dir"));
    const char *const dirs[] = {dir};
    const struct flm_modules_options options = {.symbol_dirs = dirs, .symbol_dir_count = 1};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    const uint64_t moved = UINT64_C(0xffffffff92000000);
    struct flm_module *module = get(modules, "[kernel.kallsyms]", "abcdef0123", moved);
    struct flm_code code[2];
    assert_int_equal(flm_module_lookup(module, moved + (work - text), code, 2), 1);
    assert_true(flm_bytes_are(code[0].function, "work"));
    assert_in_range(code[0].line, 4, 5);
    assert_true(code[0].start == moved + (work - text));
    assert_int_equal(flm_module_state(module), FLM_MODULE_COMPLETE);
    flm_modules_free(modules);
    flm_text_clear(&list);
    free(dir);
}

static void modules_of_the_kernel_are_known_by_their_paths(void **state)
{
    (void)state;
    const struct flm_modules_options options = {.kernel_is_ours = true};
    static const char *const kernel[] = {"[nowhere_to_be_found]",
                                         "/lib/modules/6.1.0/kernel/fs/none/nowhere.ko",
                                         "/lib/modules/6.1.0/kernel/fs/none/nowhere.ko.xz"};
    static const char *const others[] = {"[vsyscall]", "[heap]", "[stack]", "/lib/nowhere.so"};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    uint64_t address;
    for (size_t i = 0; i < 3; i++) {
        struct flm_module *module = get(modules, kernel[i], "", 0);
        assert_true(flm_module_address(module, 77, &address));
        assert_true(flm_module_state(module) <= FLM_MODULE_BARE);
        assert_null(flm_module_unwind_table(module));
    }
    for (size_t i = 0; i < 4; i++)
        assert_false(flm_module_address(get(modules, others[i], "", 0), 77, &address));
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_kernel_has_the_functions_that_it_lists),
        cmocka_unit_test(symbols_of_another_kernel_are_not_ours),
        cmocka_unit_test(a_kernel_in_the_cache_of_perf_is_moved_to_its_recorded_address),
        cmocka_unit_test(a_vmlinux_is_found_by_its_build_id_and_moved),
        cmocka_unit_test(modules_of_the_kernel_are_known_by_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
