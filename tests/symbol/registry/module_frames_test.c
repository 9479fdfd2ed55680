#include "symbol/registry/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/registry/table_cache.h"
#include "symbol/unwind/unwind_table.h"

/* Functions that stay apart, one of which GCC splits: what is unlikely goes to split.cold. */
static const char parted[] =
    "#include <stdlib.h>\n"
    "volatile int sink;\n"
    "__attribute__((noinline)) static int plain(int x) { sink += x; return sink * 3; }\n"
    "__attribute__((noinline, cold)) void unlikely(int x) { sink += x * 7; abort(); }\n"
    "__attribute__((noinline)) int split(int x)\n"
    "{\n"
    "    if (__builtin_expect(x == 12345, 0)) { sink += 17; unlikely(x); sink += 3; }\n"
    "    return plain(x) + 1;\n"
    "}\n"
    "int main(int count, char **words) { (void)words; return split(count) & 1; }\n";

static int compile(void **state)
{
    (void)state;
    write_small_program();
    write_temporary("parted.c", flm_bytes_of(parted));
    shell("gcc -O2 small.c -o full && gcc -O2 parted.c -o gnu && strip gnu -o gnu.bare");
    shell("gcc -O2 -s parted.c -o gnu.s");
    shell("gcc -O2 -shared -fPIC small.c -o library.so && strip library.so -o library.so.bare");
    shell("! command -v clang > /dev/null || clang -O2 parted.c -o clang");
    shell("! command -v ld.lld > /dev/null || gcc -O2 -fuse-ld=lld -Wl,--pack-dyn-relocs=none "
          "parted.c -o lld");
    shell("for name in clang lld; do [ ! -e $name ] || strip $name -o $name.bare; done");
    shell("gcc -g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables parted.c -o debug");
    return 0;
}

static struct flm_modules *modules_with(const char *cache_dir)
{
    const struct flm_modules_options options = {.debug_dir = "/nowhere", .cache_dir = cache_dir};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_non_null(modules);
    return modules;
}

static struct flm_modules *modules_new(void)
{
    return modules_with(NULL);
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

static uint64_t start_of(struct flm_module *module, uint64_t address)
{
    uint64_t start = 0;
    assert_true(flm_module_function_start(module, address, &start));
    return start;
}

/* What readelf finds in .eh_frame: "start end" of each FDE. Each address of one is its start's; the
 * count of them. */
static size_t assert_as_readelf(struct flm_modules *modules, const char *name)
{
    struct flm_text list = shell_output("readelf -wF %s 2> /dev/null | sed -n 's/.* FDE .*"
                                        "pc=\\([0-9a-f]*\\)\\.\\.\\([0-9a-f]*\\).*/\\1 \\2/p'",
                                        name);
    flm_text_putc(&list, 0);
    size_t count = 0;
    struct flm_module *module = module_of(modules, name);
    char *rest = list.at;
    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        unsigned long long start, end;
        assert_int_equal(sscanf(line, "%llx %llx", &start, &end), 2);
        for (unsigned long long at = start; at < end; at++)
            if (start_of(module, at) != start)
                fail_msg("%s: %llx is in %llx", name, at, start);
    }
    flm_text_clear(&list);
    return count;
}

static void each_address_of_a_stripped_function_is_at_its_start(void **state)
{
    (void)state;
    static const char *const names[] = {"gnu.bare", "gnu.s", "library.so.bare", "clang.bare",
                                        "lld.bare"};
    struct flm_modules *modules = modules_new();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (access(temporary_path(names[i]), R_OK) == 0)
            assert_true(assert_as_readelf(modules, names[i]) > 5);
    flm_modules_free(modules);
}

static void start_addresses_are_those_of_the_stripped_symbols(void **state)
{
    (void)state;
    static const char *const names[] = {"gnu", "clang", "lld"};
    struct flm_modules *modules = modules_new();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (access(temporary_path(names[i]), R_OK) != 0)
            continue;
        struct flm_text list = shell_output("nm -S %s | awk '$4 ~ /^(plain|split|unlikely|main)$/ "
                                            "{ print $1, $2 }'",
                                            names[i]);
        flm_text_putc(&list, 0);
        char *bare = NULL, *rest = list.at;
        assert_true(asprintf(&bare, "%s.bare", names[i]) > 0);
        struct flm_module *module = module_of(modules, bare);
        size_t count = 0;
        for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL; count++) {
            unsigned long long start, size;
            assert_int_equal(sscanf(line, "%llx %llx", &start, &size), 2);
            assert_int_equal(start_of(module, start), start);
            assert_int_equal(start_of(module, start + size - 1), start);
        }
        assert_true(count >= 3);
        free(bare);
        flm_text_clear(&list);
    }
    flm_modules_free(modules);
}

/* Nothing in the file says whose part it is. */
static void a_cold_part_that_was_moved_away_is_a_function_of_its_own(void **state)
{
    (void)state;
    struct flm_modules *modules = modules_new();
    struct flm_text list = shell_output("nm gnu | awk '$3 == \"split.cold\" { print $1 }'");
    flm_text_putc(&list, 0);
    if (list.size < 4) {
        flm_text_clear(&list);
        flm_modules_free(modules);
        print_message("this GCC does not split\n");
        skip();
    }
    uint64_t cold = strtoull(list.at, NULL, 16);
    assert_int_equal(start_of(module_of(modules, "gnu.bare"), cold + 1), cold);
    flm_text_clear(&list);
    flm_modules_free(modules);
}

static void an_address_that_no_entry_has_is_its_own_start(void **state)
{
    (void)state;
    struct flm_modules *modules = modules_new();
    struct flm_module *module = module_of(modules, "gnu.bare");
    assert_int_equal(start_of(module, 0), 0);
    assert_int_equal(start_of(module, 0x10), 0x10); /* the file's head */
    assert_int_equal(start_of(module, UINT64_MAX), UINT64_MAX);
    assert_int_equal(start_of(module_of(modules, "gone"), 0x1234), 0x1234);
    flm_modules_free(modules);
}

static void functions_of_debug_frame_are_found_too(void **state)
{
    (void)state;
    struct flm_modules *modules = modules_new();
    struct flm_text list = shell_output("nm debug | awk '$3 == \"split\" { print $1 }'");
    flm_text_putc(&list, 0);
    uint64_t split = strtoull(list.at, NULL, 16);
    assert_true(split > 0);
    assert_int_equal(start_of(module_of(modules, "debug"), split + 5), split);
    flm_text_clear(&list);
    flm_modules_free(modules);
}

static void a_table_for_unwinding_is_found_without_sections(void **state)
{
    (void)state;
    struct flm_modules *modules = modules_new();
    const struct flm_unwind_table *table = flm_module_unwind_table(module_of(modules, "full"));
    assert_non_null(table);
    /* e_shoff, e_shnum, e_shstrndx: as if there were none */
    shell("cp full blind && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=blind bs=1 seek=40 "
          "conv=notrunc "
          "2> /dev/null && printf '\\0\\0\\0\\0' | dd of=blind bs=1 seek=60 conv=notrunc 2> "
          "/dev/null");
    const struct flm_unwind_table *blind = flm_module_unwind_table(module_of(modules, "blind"));
    assert_non_null(blind);
    assert_int_equal(flm_unwind_table_counts(blind).functions,
                     flm_unwind_table_counts(table).functions);
    assert_null(flm_module_unwind_table(module_of(modules, "gone")));
    flm_modules_free(modules);
}

/* Of a stripped program they are found and sorted once; then what was kept is read, and only what
 * was kept by the same layout. */
static void functions_are_kept(void **state)
{
    (void)state;
    char *dir = strdup(temporary_path("kept"));
    struct flm_text list = shell_output("nm gnu | awk '$3 == \"main\" { print $1 }'");
    flm_text_putc(&list, 0);
    uint64_t main_start = strtoull(list.at, NULL, 16);
    struct flm_text id = shell_output("readelf -n gnu.bare | sed -n 's/.*Build ID: //p'");
    for (int round = 0; round < 2; round++) {
        struct flm_modules *modules = modules_with(dir);
        assert_int_equal(start_of(module_of(modules, "gnu.bare"), main_start + 1), main_start);
        flm_modules_free(modules);
    }
    struct flm_build_id build_id = {0};
    flm_text_putc(&id, 0);
    for (char *at = id.at; at[0] && at[1] && at[0] != '\n'; at += 2) {
        const char digits[] = {at[0], at[1], 0};
        build_id.bytes[build_id.size++] = (unsigned char)strtoul(digits, NULL, 16);
    }
    struct flm_cached cached = flm_cache_open(dir, &build_id, "functions");
    assert_true(cached.bytes.size > 16 && (cached.bytes.size - 16) % 24 == 0);
    char other[16 + 24];
    const uint64_t one[] = {main_start - 8, main_start - 8, main_start + 16};
    memcpy(other, cached.bytes.at, 16);
    memcpy(other + 16, one, sizeof one);
    flm_cache_close(&cached);
    for (int round = 0; round < 2; round++) {
        other[0] = round == 0 ? other[0] : 'x';
        assert_true(
            flm_cache_store(dir, &build_id, "functions", (struct flm_bytes){other, sizeof other}));
        struct flm_modules *modules = modules_with(dir);
        assert_int_equal(start_of(module_of(modules, "gnu.bare"), main_start + 1),
                         round == 0 ? main_start - 8 : main_start);
        flm_modules_free(modules);
    }
    flm_text_clear(&id);
    flm_text_clear(&list);
    free(dir);
}

static void memory_that_runs_out_is_reported_and_may_come_back(void **state)
{
    (void)state;
    struct flm_modules *modules = modules_new();
    struct flm_text list = shell_output("nm gnu | awk '$3 == \"main\" { print $1 }'");
    flm_text_putc(&list, 0);
    uint64_t main_start = strtoull(list.at, NULL, 16), start = 0;
    for (size_t nth = 1;; nth++) {
        struct flm_module *module = module_of(modules, "gnu.bare");
        allocation_fail_from(nth);
        bool good = flm_module_function_start(module, main_start + 1, &start);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        assert_int_equal(start, good ? main_start : main_start + 1);
        if (!failed)
            break;
    }
    flm_text_clear(&list);
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_address_of_a_stripped_function_is_at_its_start),
        cmocka_unit_test(start_addresses_are_those_of_the_stripped_symbols),
        cmocka_unit_test(a_cold_part_that_was_moved_away_is_a_function_of_its_own),
        cmocka_unit_test(an_address_that_no_entry_has_is_its_own_start),
        cmocka_unit_test(functions_of_debug_frame_are_found_too),
        cmocka_unit_test(a_table_for_unwinding_is_found_without_sections),
        cmocka_unit_test(functions_are_kept),
        cmocka_unit_test(memory_that_runs_out_is_reported_and_may_come_back),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
