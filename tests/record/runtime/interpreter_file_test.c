#include "record/runtime/interpreter_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/record/script_target.h"
#include "symbol/registry/module.h"

static void interpreters_are_known_by_their_names(void **state)
{
    (void)state;
    static const char *const yes[] = {"foo",          "/usr/bin/foo", "foo2.1",
                                      "/opt/foo-fpm", "foo.bin",      "/usr/lib/libfoo.so.3",
                                      "libfoo2.1.so"};
    static const char *const no[] = {
        "", "/usr/bin/foolish", "/foo/bar", "food", "/usr/bin/a-foo", "libfo.so", "foo/"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(flm_interpreter_is_named(flm_bytes_of(yes[i]), "foo"));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(flm_interpreter_is_named(flm_bytes_of(no[i]), "foo"));
}

static bool is_libc(struct flm_bytes path)
{
    return flm_bytes_contain(path, "/libc.so") || flm_bytes_contain(path, "/libc-2");
}

static bool is_nothing(struct flm_bytes path)
{
    (void)path;
    return false;
}

struct seen {
    int files, libc;
    uint64_t address; /* of malloc in the process */
    const struct flm_mapping *mapping;
    bool stops;
};

static void find_malloc(void *context, const struct flm_elf_named *symbol)
{
    if (flm_bytes_are(symbol->name, "malloc"))
        *(uint64_t *)context = symbol->start;
}

static bool visit(void *context, const struct flm_interpreter_file *file)
{
    struct seen *seen = context;
    seen->files++;
    assert_true(file->elf->is_wide);
    if (is_libc(file->path)) {
        seen->libc++;
        flm_elf_visit_symbols(file->elf, find_malloc, &seen->address);
        seen->address += file->bias;
        seen->mapping = file->mapping;
    }
    return seen->stops && is_libc(file->path);
}

static void the_program_and_what_is_named_are_opened(void **state)
{
    (void)state;
    struct script_target target;
    script_start(&target, (char *[]){"sh", "-c", "echo x; read y", NULL});
    struct seen seen = {.stops = true};
    assert_true(flm_interpreter_file_find(target.mappings, is_libc, visit, &seen));
    assert_int_equal(seen.libc, 1);
    assert_true(seen.files <= 2);

    /* The address is in code of that file. */
    const struct flm_mapping *mapping = flm_process_find(target.mappings, seen.address);
    assert_non_null(mapping);
    assert_ptr_equal(mapping->module, seen.mapping->module);
    struct flm_elf_range code = flm_interpreter_code(target.mappings, seen.address);
    assert_int_equal(code.start, mapping->start);
    assert_int_equal(code.end, mapping->end);
    assert_int_equal(flm_interpreter_code(target.mappings, 0).end, 0);

    /* No file is what is searched: all were opened, each once. */
    seen = (struct seen){0};
    assert_false(flm_interpreter_file_find(target.mappings, is_libc, visit, &seen));
    assert_int_equal(seen.libc, 1);
    assert_int_equal(seen.files, 2);
    seen = (struct seen){0};
    assert_false(flm_interpreter_file_find(target.mappings, is_nothing, visit, &seen));
    assert_int_equal(seen.files, 1); /* the program */
    script_end(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreters_are_known_by_their_names),
        cmocka_unit_test(the_program_and_what_is_named_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
