#include "record/php/php_function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/record/php_image.h"

static struct php_image image;
static struct flm_process_memory memory;
static struct flm_php_functions functions;

static void set_up(int minor)
{
    php_image_init(&image, minor);
    memory = (struct flm_process_memory){.process = getpid()};
    functions = (struct flm_php_functions){
        .layout = image.layout, .memory = &memory, .code = {0x70000, 0x80000}};
}

static const struct flm_php_function *find(uint64_t address, int64_t now_ns)
{
    flm_process_memory_begin(&memory, NULL, 0);
    uint32_t number = flm_php_functions_find(&functions, address, now_ns);
    return number == UINT32_MAX ? NULL : &functions.items.at[number];
}

static void assert_name(const struct flm_php_function *f, const char *name)
{
    assert_non_null(f);
    if (!flm_bytes_are(flm_script_function_name(&f->shown), name))
        fail_msg("8.%d: %.*s is not %s", image.layout->minor, (int)f->shown.name_size,
                 f->shown.text.at, name);
}

static void functions_have_their_classes_and_files(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        set_up(minor);
        uint64_t class = php_class(&image, "Acme\\Foo");
        const struct flm_php_function *f =
            find(php_function(&image, "bar", class, "/app/foo.php", 12), 1);
        assert_name(f, "Acme\\Foo::bar");
        assert_true(flm_bytes_are(flm_script_function_file(&f->shown), "/app/foo.php"));
        assert_int_equal(f->shown.first_line, 12);
        assert_int_equal(f->opcode_count, PHP_OPCODES);
        assert_int_equal(f->shown.native, 0);
        assert_name(find(php_function(&image, "bar", 0, "/a.php", 1), 1), "bar");
        assert_name(find(php_function(&image, NULL, 0, "/app/index.php", 1), 1),
                    "<main> index.php");
        assert_name(find(php_function(&image, NULL, 0, "Standard input code", 1), 1),
                    "<main> Standard input code");
        uint64_t evaluated = php_function(&image, NULL, 0, "/a.php(3) : eval()'d code", 1);
        php_set(evaluated, 4);
        assert_name(find(evaluated, 1), "eval");
        flm_php_functions_clear(&functions);
    }
}

static void closures_name_their_function_once(void **state)
{
    (void)state;
    set_up(4);
    uint64_t class = php_class(&image, "Foo");
    assert_name(find(php_function(&image, "{closure}", class, "/a.php", 1), 1), "Foo::{closure}");
    assert_name(find(php_function(&image, "{closure:Foo::bar():7}", class, "/a.php", 7), 1),
                "{closure:Foo::bar():7}");
    flm_php_functions_clear(&functions);
}

static void internal_functions_have_an_address(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        set_up(minor);
        const struct flm_php_function *f = find(php_internal(&image, "strlen", 0, 0x70010), 1);
        assert_name(f, "strlen");
        assert_int_equal(f->shown.native, 0x70010);
        assert_int_equal(flm_script_function_file(&f->shown).size, 0);
        /* In an extension it is not known, but still internal. */
        f = find(php_internal(&image, "mb_strlen", 0, 0x123456789000), 1);
        assert_name(f, "mb_strlen");
        assert_int_not_equal(f->shown.native, 0);
        assert_null(find(php_internal(&image, NULL, 0, 0x70010), 1));
        flm_php_functions_clear(&functions);
    }
}

static void lines_are_those_of_the_opcode(void **state)
{
    (void)state;
    set_up(2);
    const struct flm_php_function *f = find(php_function(&image, "bar", 0, "/a.php", 12), 1);
    assert_int_equal(flm_php_line(&functions, f, f->opcodes), 12);
    assert_int_equal(flm_php_line(&functions, f, f->opcodes + 3 * FLM_PHP_OPCODE_SIZE), 15);
    assert_int_equal(flm_php_line(&functions, f, f->opcodes - FLM_PHP_OPCODE_SIZE), 0);
    assert_int_equal(flm_php_line(&functions, f, f->opcodes + PHP_OPCODES * FLM_PHP_OPCODE_SIZE),
                     0);
    flm_php_functions_clear(&functions);
}

static void another_function_at_the_address_is_noticed(void **state)
{
    (void)state;
    set_up(2);
    uint64_t function = php_function(&image, "bar", 0, "/a.php", 12);
    uint64_t serial = find(function, 1)->shown.serial;
    php_set(function + FLM_PHP_FUNCTION_NAME, php_string(&image, "baz"));
    assert_name(find(function, 2), "bar"); /* trusted for 20 ms */
    assert_name(find(function, 30000000), "baz");
    assert_true(find(function, 30000000)->shown.serial != serial);
    php_set(function, 7);
    assert_null(find(function, 60000000));
    flm_php_functions_clear(&functions);
}

static void what_is_no_function_is_refused(void **state)
{
    (void)state;
    set_up(2);
    static const uint64_t wild[] = {0, 1, 0x123456789000, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        uint64_t function = php_function(&image, "bar", 0, "/a.php", 12);
        assert_null(find(wild[i], 1));
        php_set(function + image.layout->function_file, wild[i]);
        assert_null(find(function, 1));
        function = php_function(&image, "bar", 0, "/a.php", 12);
        if (wild[i]) {
            php_set(function + FLM_PHP_FUNCTION_CLASS, wild[i]);
            assert_null(find(function, 1));
            php_set(function + FLM_PHP_FUNCTION_CLASS, 0);
            php_set(function + FLM_PHP_FUNCTION_NAME, wild[i]);
            assert_null(find(function, 1));
        }
    }
    uint64_t function = php_function(&image, "bar", 0, "/a.php", 12);
    php_set(function + image.layout->function_opcode_count, UINT32_MAX);
    assert_null(find(function, 1));
    uint64_t name = php_string(&image, "long");
    php_set(name + FLM_PHP_STRING_SIZE, UINT64_MAX);
    php_set(function + image.layout->function_opcode_count, PHP_OPCODES);
    php_set(function + FLM_PHP_FUNCTION_NAME, name);
    assert_null(find(function, 1));
    assert_int_equal(functions.items.count, 0);
    flm_php_functions_clear(&functions);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    set_up(2);
    uint64_t function = php_function(&image, "bar", 0, "/a.php", 12);
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        bool found = find(function, 1) != NULL;
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(found || failed);
        flm_php_functions_clear(&functions);
        functions.layout = image.layout;
        functions.memory = &memory;
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_classes_and_files),
        cmocka_unit_test(closures_name_their_function_once),
        cmocka_unit_test(internal_functions_have_an_address),
        cmocka_unit_test(lines_are_those_of_the_opcode),
        cmocka_unit_test(another_function_at_the_address_is_noticed),
        cmocka_unit_test(what_is_no_function_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
