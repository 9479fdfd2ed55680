#include "record/runtime/cold_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/files.h"

static const char program[] =
    "int at[64];\n"
    "void rare(int) __attribute__((cold));\n"
    "#define CASE(n) if (__builtin_expect(at[n] == x, 0)) { rare(n); rare(x + n); }\n"
    "int one(int x) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) return x + at[x & 31]; }\n"
    "int other(int x) { CASE(7) CASE(8) CASE(9) CASE(10) return x; }\n"
    "int whole(int x) { return x + at[x & 31]; }\n";

struct ranges {
    struct flm_elf_range one, cold, other, other_cold, whole;
};

static void take(void *context, const struct flm_elf_named *symbol)
{
    struct ranges *r = context;
    struct flm_elf_range range = {symbol->start, symbol->end};
    const struct {
        const char *name;
        struct flm_elf_range *range;
    } wanted[] = {{"one", &r->one},
                  {"one.cold", &r->cold},
                  {"other", &r->other},
                  {"other.cold", &r->other_cold},
                  {"whole", &r->whole}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (flm_bytes_are(symbol->name, wanted[i].name))
            *wanted[i].range = range;
}

static struct flm_elf_file *compile(const char *name, const char *options)
{
    char command[2048], output[512], input[512];
    snprintf(input, sizeof input, "%s", write_temporary("parts.c", flm_bytes_of(program)));
    snprintf(output, sizeof output, "%s", temporary_path(name));
    snprintf(command, sizeof command,
             "gcc -O2 -freorder-blocks-and-partition -shared -fPIC %s -o %s %s", options, output,
             input);
    assert_int_equal(system(command), 0);
    struct flm_elf_file *file = flm_elf_open(output, NULL);
    assert_non_null(file);
    return file;
}

static void assert_part(const struct flm_elf_file *file, struct flm_elf_range function,
                        struct flm_elf_range wanted)
{
    struct flm_elf_range part = {0};
    assert_true(flm_cold_part_find(file, function, &part));
    assert_int_equal(part.start, wanted.start);
    assert_int_equal(part.end, wanted.end);
}

static void a_function_that_jumps_into_another_one_goes_on_there(void **state)
{
    (void)state;
    struct ranges r = {0};
    struct flm_elf_file *named = compile("named.so", ""), *file = compile("stripped.so", "-s");
    flm_elf_visit_symbols(named, take, &r);
    if (r.cold.end == 0 || r.other_cold.end == 0) {
        print_message("the compiler splits no functions\n");
        flm_elf_free(named);
        flm_elf_free(file);
        skip();
    }
    assert_part(file, r.one, r.cold);
    assert_part(file, r.other, r.other_cold);
    struct flm_elf_range part;
    assert_false(flm_cold_part_find(file, r.whole, &part));
    /* Outside of the code, and the other way around. */
    assert_false(flm_cold_part_find(file, (struct flm_elf_range){1, 2}, &part));
    assert_false(flm_cold_part_find(file, (struct flm_elf_range){r.one.end, r.one.start}, &part));
    flm_elf_free(named);
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_jumps_into_another_one_goes_on_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
