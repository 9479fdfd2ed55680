#include "symbol/registry/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/unwind/unwind_table.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell(
        "gcc -g -O1 small.c -o full && cp full symbols && strip -g symbols && cp full stripped && "
        "strip stripped");
    shell("gcc -g -O1 -shared -fPIC small.c -o small.so && cp small.so exports.so && strip "
          "exports.so");
    shell("echo 'int main(void) { return 0; }' > bare.c && gcc -O1 -nostdlib -static -Wl,-e,main "
          "bare.c -o "
          "bare && strip -s bare");
    shell("! command -v ld.lld > /dev/null || clang -g -O1 -fuse-ld=lld small.c -o lld");
    shell(
        "mkdir split && cp full split/small && objcopy --only-keep-debug full split/small.debug && "
        "strip split/small && objcopy --add-gnu-debuglink=split/small.debug split/small");
    shell("gcc -g -O2 small.c -o other && echo 'not a program' > text");
    return 0;
}

static struct flm_modules *set_of(struct flm_modules_options options)
{
    struct flm_error why = {0};
    if (!options.debug_dir)
        options.debug_dir = "/nowhere";
    struct flm_modules *modules = flm_modules_new(&options, &why);
    assert_non_null(modules);
    return modules;
}

static struct flm_module *module_of(struct flm_modules *modules, const char *name)
{
    char *path = strdup(temporary_path(name));
    struct flm_module_request request = {.path = flm_bytes_of(path)};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_non_null(module);
    free(path);
    return module;
}

static uint64_t address_of(const char *file, const char *symbol)
{
    struct flm_text list = shell_output("nm %s | awk '$3 == \"%s\" { print $1 }'", file, symbol);
    flm_text_putc(&list, 0);
    assert_true(list.size > 4);
    uint64_t address = strtoull(list.at, NULL, 16);
    flm_text_clear(&list);
    return address;
}

static bool contains(const struct flm_text *text, const char *part)
{
    return memmem(text->at, text->size, part, strlen(part)) != NULL;
}

static void a_module_explains_what_is_missing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flm_module_state state;
        const char *says;
    } files[] = {{"full", FLM_MODULE_COMPLETE, "functions, lines and inlined functions"},
                 {"split/small", FLM_MODULE_COMPLETE, "functions, lines"},
                 {"symbols", FLM_MODULE_SYMBOLS, "compiled without -g"},
                 {"exports.so", FLM_MODULE_EXPORTS, "only exported functions"},
                 {"bare", FLM_MODULE_BARE, "stripped of its symbols"},
                 {"text", FLM_MODULE_DAMAGED, "not an ELF file"},
                 {"gone", FLM_MODULE_MISSING, "was not found"}};
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_module *module = module_of(modules, files[i].name);
        struct flm_text says = {0};
        if (flm_module_state(module) != files[i].state)
            fail_msg("%s is %d", files[i].name, flm_module_state(module));
        flm_module_explain(module, &says);
        if (!contains(&says, files[i].says))
            fail_msg("%s: %.*s", files[i].name, (int)says.size, says.at);
        flm_text_clear(&says);
    }
    flm_modules_free(modules);
}

static void assert_named(struct flm_module *module, uint64_t address, const char *function,
                         const char *clone)
{
    struct flm_code code;
    assert_int_equal(flm_module_lookup(module, address, &code, 1), 1);
    if (!flm_bytes_are(code.function, function) || !flm_bytes_are(code.clone, clone))
        fail_msg("%.*s, %.*s", (int)code.function.size, code.function.at, (int)code.clone.size,
                 code.clone.at);
}

/* The same symbols in a program of C, where they are clones, and in one of Go, where they are
 * functions of the package `main`. */
static void clones_have_the_name_of_the_function_but_in_Go(void **state)
{
    (void)state;
    static const char source[] =
        ".text\n.macro function name\n.type \"\\name\",@function\n\"\\name\":\nnop\nnop\n"
        ".size \"\\name\",.-\"\\name\"\n.endm\n"
        ".globl main\nfunction main.cold\nfunction _ZN3app3lexEi.part.0\nfunction main\n";
    write_temporary("clones.s", flm_bytes_of(source));
    write_temporary("go.s", flm_bytes_of(".section .gopclntab, \"a\"\n.long 0xfffffff1\n"
                                         ".byte 0, 0, 1, 8\n.fill 100\n"));
    shell("gcc -nostdlib -static -Wl,-e,main clones.s -o clones && "
          "gcc -nostdlib -static -Wl,-e,main clones.s go.s -o clones_of_go");
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    struct flm_module *c = module_of(modules, "clones"), *go = module_of(modules, "clones_of_go");
    uint64_t cold = address_of("clones", "main.cold"),
             part = address_of("clones", "_ZN3app3lexEi.part.0");
    assert_named(c, cold, "main", ".cold");
    assert_named(c, part, "app::lex(int)", ".part.0");
    assert_named(c, address_of("clones", "main"), "main", "");
    assert_named(go, address_of("clones_of_go", "main.cold"), "main.cold", "");
    flm_modules_free(modules);
}

static void a_replaced_program_is_not_used_for_the_one_that_ran(void **state)
{
    (void)state;
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    struct flm_build_id id = *flm_module_build_id(module_of(modules, "full"));
    assert_int_equal(id.size, 20);
    char *path = strdup(temporary_path("other"));
    struct flm_module_request request = {.path = flm_bytes_of(path), .build_id = id};
    struct flm_module *module = flm_modules_get(modules, &request);
    struct flm_code code[4];
    uint64_t address;
    struct flm_text says = {0};
    assert_int_equal(flm_module_state(module), FLM_MODULE_CHANGED);
    assert_int_equal(flm_module_lookup(module, address_of("other", "main"), code, 4), 0);
    assert_false(flm_module_address(module, 0x1000, &address));
    assert_null(flm_module_unwind_table(module));
    flm_module_explain(module, &says);
    assert_true(contains(&says, "/other was"));
    assert_true(contains(&says, "was replaced after it was recorded"));
    flm_text_clear(&says);
    free(path);
    flm_modules_free(modules);
}

/* Its debug information alone is still right for what ran. */
static void symbols_of_a_file_that_is_gone_are_found_by_its_build_id(void **state)
{
    (void)state;
    char *dir = strdup(temporary_path("split"));
    const char *const dirs[] = {dir};
    struct flm_modules *modules =
        set_of((struct flm_modules_options){.symbol_dirs = dirs, .symbol_dir_count = 1});
    struct flm_build_id id = *flm_module_build_id(module_of(modules, "full"));
    struct flm_text digits = {0};
    flm_build_id_print(&id, &digits);
    shell("mkdir -p split/%.*s && cp split/small.debug split/%.*s/%.*s.debug", 2, digits.at, 2,
          digits.at, (int)digits.size - 2, digits.at + 2);
    struct flm_module_request request = {.path = flm_bytes_of("/gone/app"), .build_id = id};
    struct flm_module *module = flm_modules_get(modules, &request);
    struct flm_code code[4];
    assert_int_equal(flm_module_lookup(module, address_of("full", "main"), code, 4), 1);
    assert_true(flm_bytes_are(code[0].function, "main"));
    assert_int_equal(flm_module_state(module), FLM_MODULE_COMPLETE);
    flm_text_clear(&digits);
    free(dir);
    flm_modules_free(modules);
}

/* Functions and lines of the code of small.c, beside what addr2line says. */
static void assert_as_addr2line(struct flm_module *module, const char *file, uint64_t address)
{
    struct flm_code code[8];
    struct flm_text said =
        shell_output("addr2line -f -i -e %s 0x%llx", file, (unsigned long long)address);
    flm_text_putc(&said, 0);
    /* That of binutils 2.38 does not read all of clang's DWARF 5, and says the symbol alone. */
    if (strstr(said.at, ":?\n")) {
        flm_text_clear(&said);
        return;
    }
    size_t count = flm_module_lookup(module, address, code, 8), seen = 0;
    for (char *name = strtok(said.at, "\n"); name; name = strtok(NULL, "\n"), seen++) {
        char *place = strtok(NULL, "\n");
        assert_non_null(place);
        char *line = strrchr(place, ':');
        assert_true(seen < count);
        if (!flm_bytes_are(code[seen].function, name))
            fail_msg("%s+%llx: %.*s, not %s at %s", file, (unsigned long long)address,
                     (int)code[seen].function.size, code[seen].function.at, name, place);
        assert_int_equal(code[seen].line, line ? atoi(line + 1) : 0);
        assert_true(flm_bytes_end_with(code[seen].file, "small.c"));
        assert_int_equal(code[seen].inlined, seen + 1 < count);
        assert_true(code[seen].start <= address);
    }
    assert_int_equal(seen, count);
    flm_text_clear(&said);
}

static void functions_and_lines_are_as_addr2line_says(void **state)
{
    (void)state;
    static const char *const files[] = {"full", "lld", "split/small"};
    static const char *const functions[] = {"main", "weak_function", "exported_function",
                                            "local_function"};
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    for (size_t i = 0; i < 3; i++) {
        if (access(temporary_path(files[i]), R_OK) != 0)
            continue;
        const char *with_info = i == 2 ? "full" : files[i];
        for (size_t k = 0; k < 4; k++) {
            uint64_t start = address_of(with_info, functions[k]);
            for (uint64_t at = start; at < start + 16; at += 5)
                assert_as_addr2line(module_of(modules, files[i]), with_info, at);
        }
    }
    flm_modules_free(modules);
}

static void offsets_become_addresses(void **state)
{
    (void)state;
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    static const char *const files[] = {"full", "lld"};
    for (size_t i = 0; i < 2; i++) {
        if (access(temporary_path(files[i]), R_OK) != 0)
            continue;
        struct flm_text list = shell_output("readelf -SW %s | sed -n 's/.* \\.text *PROGBITS "
                                            "*\\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/\\1 "
                                            "\\2/p'",
                                            files[i]);
        unsigned long long address, offset;
        flm_text_putc(&list, 0);
        assert_int_equal(sscanf(list.at, "%llx %llx", &address, &offset), 2);
        uint64_t got = 0;
        struct flm_module *module = module_of(modules, files[i]);
        assert_true(flm_module_address(module, offset + 3, &got));
        assert_int_equal(got, address + 3);
        assert_false(flm_module_address(module, UINT64_C(1) << 40, &got));
        flm_text_clear(&list);
    }
    flm_modules_free(modules);
}

static void names_alone_have_no_lines(void **state)
{
    (void)state;
    struct flm_modules *modules = set_of((struct flm_modules_options){.names_only = true});
    struct flm_code code[4];
    struct flm_module *module = module_of(modules, "full");
    assert_int_equal(flm_module_lookup(module, address_of("full", "local_function"), code, 4), 1);
    assert_true(flm_bytes_are(code[0].function, "local_function"));
    assert_int_equal(code[0].line, 0);
    assert_int_equal(flm_module_state(module), FLM_MODULE_SYMBOLS);
    module = module_of(modules, "split/small"); /* which has names only in its debug file */
    assert_int_equal(flm_module_lookup(module, address_of("full", "local_function"), code, 4), 1);
    flm_modules_free(modules);
}

static void names_are_demangled_and_stay(void **state)
{
    (void)state;
    write_temporary(
        "plus.cpp",
        flm_bytes_of("namespace app { template <class T> __attribute__((noinline)) T twice(T "
                     "x) { return x + x; } struct Engine { int run(int) const; }; "
                     "__attribute__((noinline)) int Engine::run(int x) const { return "
                     "twice<int>(x) + 1; } }\nint main(int n, char **) { return "
                     "app::Engine().run(n); }\n"));
    shell("g++ -g -O1 plus.cpp -o plus");
    struct flm_modules *modules = set_of((struct flm_modules_options){0});
    struct flm_module *module = module_of(modules, "plus");
    struct flm_code first[4], again[4];
    uint64_t run = address_of("plus", "_ZNK3app6Engine3runEi");
    assert_int_equal(flm_module_lookup(module, run, first, 4), 1);
    assert_true(flm_bytes_are(first[0].function, "app::Engine::run(int) const"));
    uint64_t twice = address_of("plus", "_ZN3app5twiceIiEET_S1_");
    flm_module_lookup(module, twice, again, 4);
    assert_true(flm_bytes_are(again[0].function, "int app::twice<int>(int)"));
    flm_module_lookup(module, run, again, 4);
    assert_ptr_equal(again[0].function.at, first[0].function.at);
    flm_modules_free(modules);
}

static void symbol_tables_are_cached(void **state)
{
    (void)state;
    char *cache = strdup(temporary_path("cache"));
    struct flm_modules_options options = {.cache_dir = cache};
    struct flm_code code[4];
    shell("rm -rf cache; cp full kept; cp symbols kept-symbols");
    uint64_t address = address_of("full", "local_function");
    for (int round = 0; round < 3; round++) {
        struct flm_modules *modules = set_of(options);
        struct flm_module *module = module_of(modules, "kept");
        assert_int_equal(flm_module_lookup(module, address + 4, code, 4), 2);
        assert_true(flm_bytes_are(code[0].function, "inner"));
        assert_true(flm_bytes_are(code[1].function, "local_function"));
        assert_true(code[0].inlined);
        assert_int_equal(code[1].line, 11);
        assert_int_equal(flm_module_state(module), FLM_MODULE_COMPLETE);
        const struct flm_unwind_table *unwind = flm_module_unwind_table(module);
        assert_non_null(unwind);
        assert_true(flm_unwind_table_counts(unwind).functions > 4);
        flm_modules_free(modules);
        if (round == 0) /* the debug information is gone; what was made of it is not */
            shell("cp kept reference && strip kept && ls cache/*/*.code cache/*/*.unwind > "
                  "/dev/null");
        if (round == 1) { /* a cache that is wrong costs time, never truth */
            shell("for file in cache/*/*; do printf 'rubbish' | dd of=$file bs=1 seek=100 "
                  "conv=notrunc "
                  "2> /dev/null; done; cp reference kept");
        }
    }
    /* Symbols that are installed later are taken, whatever the cache has. */
    shell("rm -rf cache; cp stripped kept");
    for (int round = 0; round < 2; round++) {
        struct flm_modules *modules = set_of(options);
        struct flm_module *module = module_of(modules, "kept");
        assert_int_equal(flm_module_state(module),
                         round == 0 ? FLM_MODULE_EXPORTS : FLM_MODULE_COMPLETE);
        flm_modules_free(modules);
        shell("cp full kept");
    }
    free(cache);
}

static void memory_that_runs_out_leaves_what_there_is(void **state)
{
    (void)state;
    uint64_t address = address_of("full", "main");
    char *path = strdup(temporary_path("split/small"));
    for (size_t nth = 1;; nth += nth < 60 ? 1 : nth / 8) {
        struct flm_error why = {0};
        const struct flm_modules_options options = {.debug_dir = "/nowhere"};
        struct flm_module_request request = {.path = flm_bytes_of(path)};
        struct flm_code code[4] = {{.line = 0}};
        size_t count = 0;
        bool unwinds = false;
        allocation_fail_from(nth);
        struct flm_modules *modules = flm_modules_new(&options, &why);
        struct flm_module *module = modules ? flm_modules_get(modules, &request) : NULL;
        if (module) {
            flm_modules_prepare(modules, &module, 1);
            count = flm_module_lookup(module, address, code, 4);
            unwinds = flm_module_unwind_table(module) != NULL;
        }
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(modules || why.kind == FLM_ERROR_MEMORY);
        if (count)
            assert_true(flm_bytes_are(code[0].function, "main"));
        assert_true(failed || (count == 1 && unwinds));
        flm_modules_free(modules);
        if (!failed)
            break;
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_explains_what_is_missing),
        cmocka_unit_test(clones_have_the_name_of_the_function_but_in_Go),
        cmocka_unit_test(a_replaced_program_is_not_used_for_the_one_that_ran),
        cmocka_unit_test(symbols_of_a_file_that_is_gone_are_found_by_its_build_id),
        cmocka_unit_test(functions_and_lines_are_as_addr2line_says),
        cmocka_unit_test(offsets_become_addresses),
        cmocka_unit_test(names_alone_have_no_lines),
        cmocka_unit_test(names_are_demangled_and_stay),
        cmocka_unit_test(symbol_tables_are_cached),
        cmocka_unit_test(memory_that_runs_out_leaves_what_there_is),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
