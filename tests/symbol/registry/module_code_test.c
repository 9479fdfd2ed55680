#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

/* `twice` has an inlined copy in `outer`, and `outer` a part that is never run. */
static const char source[] =
    "volatile int number;\n"
    "static inline __attribute__((always_inline)) int twice(int x) { return number * x; }\n"
    "__attribute__((noinline, cold)) static void rare(void) { number = 7; __builtin_trap(); }\n"
    "__attribute__((noinline)) int outer(int x) { if (x < 0) rare(); return twice(x) + twice(x + "
    "1); }\n"
    "int main(int count, char **words) { (void)words; return outer(count); }\n";

static struct flm_module *module_of(struct flm_modules *modules, const char *path)
{
    const struct flm_module_request request = {.path = flm_bytes_of(path)};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_non_null(module);
    return module;
}

/* Where nm has `outer`: its address and size. */
static struct flm_elf_range symbol_of_outer(void)
{
    struct flm_text line = shell_output("nm -S --defined-only whole | grep ' outer$'");
    flm_text_putc(&line, 0);
    char *end;
    uint64_t start = strtoull(line.at, &end, 16), size = strtoull(end, NULL, 16);
    flm_text_clear(&line);
    assert_true(start > 0 && size > 0);
    return (struct flm_elf_range){start, start + size};
}

static void assert_function(struct flm_module *module, const struct flm_elf_range *expected)
{
    for (uint64_t at = expected->start; at < expected->end; at++) {
        struct flm_elf_range range = {0};
        assert_true(flm_module_function(module, at, &range));
        assert_true(range.start == expected->start && range.end == expected->end);
    }
}

static void a_function_is_known_by_whatever_the_file_has(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    write_temporary("code.c", flm_bytes_of(source));
    shell("gcc -O2 -g -fno-reorder-blocks-and-partition code.c -o whole\n"
          "strip -g -o symbols whole\n"
          "strip -s -o bare whole");
    struct flm_elf_range outer = symbol_of_outer();
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_function(module_of(modules, temporary_path("whole")), &outer);   /* debug information */
    assert_function(module_of(modules, temporary_path("symbols")), &outer); /* symbols */
    assert_function(module_of(modules, temporary_path("bare")), &outer);    /* frame information */
    struct flm_elf_range range;
    assert_false(flm_module_function(module_of(modules, temporary_path("bare")), 1, &range));
    flm_modules_free(modules);
}

static void code_is_that_of_the_file(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    write_temporary("code.c", flm_bytes_of(source));
    shell("gcc -O2 -g code.c -o whole");
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    struct flm_module *module = module_of(modules, temporary_path("whole"));
    struct flm_elf_file *file = flm_elf_open(temporary_path("whole"), NULL);
    const struct flm_elf_section *text = flm_elf_section(file, ".text");
    struct flm_text code = {0};
    struct flm_error why = {0};
    assert_true(flm_module_read_code(module, text->address, (size_t)text->size, &code, &why));
    assert_int_equal(code.size, text->size);
    assert_memory_equal(code.at, file->image.at + text->offset, code.size);
    assert_int_equal(flm_module_machine(module), flm_machine_here());
    assert_false(flm_module_read_code(module, 0, 1, &code, &why));
    assert_string_equal(why.text, "whole has no machine code at 0");
    flm_text_clear(&code);
    flm_elf_free(file);
    flm_modules_free(modules);
}

static void missing_code_has_a_reason(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    struct flm_text code = {0};
    struct flm_error why = {0};
    struct flm_module *module = module_of(modules, "/no/such/file");
    assert_false(flm_module_read_code(module, 0x1000, 1, &code, &why));
    assert_true(
        flm_bytes_start_with(flm_bytes_of(why.text), "the file /no/such/file was not found"));
    assert_int_equal(flm_module_machine(module), FLM_MACHINE_OTHER);
    module = module_of(modules, "[kernel.kallsyms]"); /* of an unknown kernel */
    assert_false(flm_module_read_code(module, 0xffffffff81000000, 1, &code, &why));
    assert_string_equal(why.text, "the machine code of another kernel is read from its vmlinux: "
                                  "--symbols DIR");
    flm_text_clear(&code);
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_known_by_whatever_the_file_has),
        cmocka_unit_test(code_is_that_of_the_file),
        cmocka_unit_test(missing_code_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
