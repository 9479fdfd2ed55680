#include "record/python/find.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"

static void interpreters_are_recognized_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"/usr/bin/python3.11", "/usr/lib/libpython3.8.so.1.0",
                                        "python3"};
    static const char *const others[] = {"/usr/lib/libc.so.6", "", "/symbols/python/app",
                                         "/usr/bin/cpython-like"};
    for (size_t i = 0; i < 3; i++)
        assert_true(flm_python_is_named(flm_bytes_of(names[i])));
    for (size_t i = 0; i < 4; i++)
        assert_false(flm_python_is_named(flm_bytes_of(others[i])));
}

/* What an interpreter's file looks like to us. */
static const char source[] =
    "unsigned long Py_Version = 0x030b02f0; int _PyRuntime[64], PyCode_Type[2];\n"
    "int PyUnicode_Type[2], PyBytes_Type[2];\n"
    "int _PyEval_EvalFrameDefault(int x) { return x + _PyRuntime[x]; }\n"
    "int _PyEval_EvalFrameDefaultNot(int x) { return x - 1; }\n"
    "__asm__(\".text\\n.type loop_cold, @function\\nloop_cold: .skip 64\\n\"\n"
    "        \".size loop_cold, 64\\n\");\n";

static struct flm_elf_file *compile(const char *options)
{
    char command[2048], output[512], input[512];
    snprintf(input, sizeof input, "%s", write_temporary("symbols.c", flm_bytes_of(source)));
    snprintf(output, sizeof output, "%s", temporary_path("symbols.so"));
    snprintf(command, sizeof command, "gcc -O1 -shared -fPIC %s -o %s %s", options, output, input);
    assert_int_equal(system(command), 0);
    if (strstr(options, "-g0")) {
        snprintf(command, sizeof command,
                 "objcopy --redefine-sym loop_cold=_PyEval_EvalFrameDefault.cold %s", output);
        assert_int_equal(system(command), 0);
    }
    struct flm_elf_file *file = flm_elf_open(output, NULL);
    assert_non_null(file);
    return file;
}

static void parts_are_found_by_symbol(void **state)
{
    (void)state;
    struct flm_python_symbols symbols, moved;
    struct flm_elf_file *file = compile("-g0");
    assert_true(flm_python_symbols_read(file, 0, &symbols));
    assert_true(symbols.runtime && symbols.code_type && symbols.text_type && symbols.bytes_type &&
                symbols.version);
    assert_int_equal(symbols.loop_count, 2);
    assert_true(symbols.loop[0].end > symbols.loop[0].start);
    assert_true(flm_python_symbols_read(file, 0x10000, &moved));
    assert_int_equal(moved.runtime, symbols.runtime + 0x10000);
    assert_int_equal(moved.loop[1].start, symbols.loop[1].start + 0x10000);
    flm_elf_free(file);
}

/* Rare parts that the compiler puts elsewhere, and jumps to: with and without a symbol for them. */
static void a_part_elsewhere_is_found_without_its_symbol(void **state)
{
    (void)state;
    static const char program[] =
        "unsigned long Py_Version = 0x030b02f0; int _PyRuntime[64];\n"
        "void rare(int) __attribute__((cold));\n"
        "#define CASE(n) if (__builtin_expect(_PyRuntime[n] == x, 0)) { rare(n); rare(x + n); }\n"
        "int _PyEval_EvalFrameDefault(int x)\n"
        "{ CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) return x + _PyRuntime[x & 31]; }\n"
        "int _PyEval_Other(int x) { CASE(7) CASE(8) CASE(9) CASE(10) return x; }\n";
    char command[2048], output[2][512], input[512];
    struct flm_python_symbols symbols[2];
    snprintf(input, sizeof input, "%s", write_temporary("parts.c", flm_bytes_of(program)));
    for (int stripped = 0; stripped < 2; stripped++) {
        snprintf(output[stripped], sizeof output[0], "%s", temporary_path(stripped ? "b" : "a"));
        snprintf(command, sizeof command,
                 "gcc -O2 -freorder-blocks-and-partition -shared -fPIC %s -o %s %s",
                 stripped ? "-s" : "", output[stripped], input);
        assert_int_equal(system(command), 0);
        struct flm_elf_file *file = flm_elf_open(output[stripped], NULL);
        assert_non_null(file);
        assert_true(flm_python_symbols_read(file, 0, &symbols[stripped]));
        flm_elf_free(file);
    }
    assert_int_equal(symbols[0].loop_count, 2);
    assert_int_equal(symbols[1].loop_count, 2);
    uint64_t sizes[2] = {0};
    for (int stripped = 0; stripped < 2; stripped++)
        for (size_t i = 0; i < 2; i++)
            sizes[stripped] += symbols[stripped].loop[i].end - symbols[stripped].loop[i].start;
    assert_int_equal(sizes[0], sizes[1]);
}

static void exported_symbols_are_enough(void **state)
{
    (void)state;
    struct flm_python_symbols symbols;
    struct flm_elf_file *file = compile("-s");
    assert_true(flm_python_symbols_read(file, 0, &symbols));
    assert_true(symbols.runtime && symbols.version);
    assert_int_equal(symbols.loop_count, 1);
    flm_elf_free(file);
}

static void other_files_have_none(void **state)
{
    (void)state;
    struct flm_python_symbols symbols;
    struct flm_elf_file *file = flm_elf_open("/proc/self/exe", NULL);
    assert_non_null(file);
    assert_false(flm_python_symbols_read(file, 0, &symbols));
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreters_are_recognized_by_name),
        cmocka_unit_test(parts_are_found_by_symbol),
        cmocka_unit_test(a_part_elsewhere_is_found_without_its_symbol),
        cmocka_unit_test(exported_symbols_are_enough),
        cmocka_unit_test(other_files_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
