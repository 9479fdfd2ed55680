#include "record/ruby/ruby_function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/record/ruby_image.h"

static struct ruby_image image;
static struct flm_process_memory memory;
static struct flm_ruby_objects objects;
static struct flm_ruby_functions functions;

static void set_up(int minor)
{
    static uint64_t object_class;
    ruby_image_init(&image, minor);
    memory = (struct flm_process_memory){.process = getpid()};
    object_class = ruby_class(&image, "Object");
    objects = (struct flm_ruby_objects){.layout = image.layout,
                                        .memory = &memory,
                                        .object_class = (uintptr_t)&object_class,
                                        .identifiers = ruby_identifiers(&image)};
    functions = (struct flm_ruby_functions){.objects = &objects};
}

static const struct flm_ruby_function *find(uint64_t code, uint64_t method, bool is_defined,
                                            int64_t now_ns)
{
    flm_process_memory_begin(&memory, NULL, 0);
    uint32_t number = flm_ruby_functions_find(&functions, code, method, is_defined, now_ns);
    return number == UINT32_MAX ? NULL : &functions.items.at[number];
}

static void assert_name(const struct flm_ruby_function *f, const char *name)
{
    assert_non_null(f);
    if (!flm_bytes_are(flm_script_function_name(&f->shown), name))
        fail_msg("3.%d: %.*s is not %s", image.minor, (int)f->shown.name_size, f->shown.text.at,
                 name);
}

static void functions_have_the_names_of_their_classes(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        set_up(minor);
        uint64_t class = ruby_class(&image, "Foo"), method = ruby_method(&image, class, 0x2001, 0);
        uint64_t own = ruby_method(&image, ruby_singleton(&image, class), 0x2001, 0);
        uint64_t bar = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 20);
        uint64_t block = ruby_code(&image, "block (2 levels) in bar", "bar", "/app/foo.rb", 14, 20);
        assert_name(find(bar, method, false, 1), "Foo#bar");
        assert_name(find(bar, own, false, 1), "Foo.bar");
        assert_name(find(block, method, false, 1), "block (2 levels) in Foo#bar");
        assert_name(find(ruby_code(&image, "<main>", "<main>", "/app/a.rb", 1, 9), 0, false, 1),
                    "<main>");
        uint64_t nameless = ruby_method(&image, ruby_class(&image, NULL), 0x2001, 0);
        assert_name(find(bar, nameless, false, 1), "bar");
        const struct flm_ruby_function *f = find(block, method, false, 1);
        assert_true(flm_bytes_are(flm_script_function_file(&f->shown), "/app/foo.rb"));
        assert_int_equal(f->shown.first_line, 14);
        assert_int_equal(f->instructions, ruby_instructions(block));
        assert_int_equal(f->instruction_count, 20);
        assert_int_equal(f->shown.native, 0);
        flm_ruby_functions_clear(&functions);
    }
}

static void methods_in_C_and_defined_ones_have_the_name_they_are_called_by(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        set_up(minor);
        uint64_t class = ruby_class(&image, "Array"), each = 188 << 4 | 1;
        ruby_identify(&image, objects.identifiers, 188, "each");
        const struct flm_ruby_function *f =
            find(0, ruby_method(&image, class, each, 0x7000), false, 1);
        assert_name(f, "Array#each");
        assert_int_equal(f->shown.native, 0x7000);
        assert_int_equal(flm_script_function_file(&f->shown).size, 0);
        uint64_t block = ruby_code(&image, "block in <class:Foo>", "<class:Foo>", "/a.rb", 1, 9);
        assert_name(find(block, ruby_method(&image, class, each, 0), true, 1), "Array#each");
        assert_name(find(0, ruby_method(&image, class, 5000 << 4, 0x7000), false, 1),
                    "Array#(method in C)");
        flm_ruby_functions_clear(&functions);
    }
}

static void lines_are_those_of_the_instruction(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        set_up(minor);
        uint64_t code = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 600);
        const struct flm_ruby_function *f = find(code, 0, false, 1);
        assert_non_null(f);
        assert_int_equal(flm_ruby_line(&objects, f, 0), 0);
        assert_int_equal(flm_ruby_line(&objects, f, 1), 12);
        assert_int_equal(flm_ruby_line(&objects, f, 3), 12);
        assert_int_equal(flm_ruby_line(&objects, f, 4), 13);
        assert_int_equal(flm_ruby_line(&objects, f, 54), 13);
        assert_int_equal(flm_ruby_line(&objects, f, 55), 13); /* in a block of 512 */
        assert_int_equal(flm_ruby_line(&objects, f, 566), 13);
        assert_int_equal(flm_ruby_line(&objects, f, 601), 0);
        assert_int_equal(flm_ruby_line(&objects, f, UINT64_MAX), 0);
        flm_ruby_functions_clear(&functions);
    }
}

static void ranks_beyond_the_lines_are_not_used(void **state)
{
    (void)state;
    set_up(1);
    uint64_t code = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 30), body;
    body = ruby_body(code);
    ruby_set(body + image.layout->body_line_count, UINT64_C(0xFFFFFFFF00000001) + 1);
    const struct flm_ruby_function *f = find(code, 0, false, 1);
    assert_int_equal(flm_ruby_line(&objects, f, 5), 13);
    ruby_set(body + image.layout->body_line_positions, 0x123456789000);
    flm_process_memory_begin(&memory, NULL, 0);
    assert_int_equal(flm_ruby_line(&objects, f, 5), 0);
    ruby_set(body + image.layout->body_line_count, 0);
    flm_process_memory_begin(&memory, NULL, 0);
    assert_int_equal(flm_ruby_line(&objects, f, 5), 0);
    flm_ruby_functions_clear(&functions);
}

static void another_function_at_the_address_is_noticed(void **state)
{
    (void)state;
    set_up(1);
    uint64_t code = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 30), body;
    uint64_t serial = find(code, 0, false, 1)->shown.serial;
    body = ruby_body(code);
    ruby_set(body + image.layout->body_label, ruby_string(&image, "baz"));
    assert_name(find(code, 0, false, 2), "bar"); /* trusted for 20 ms */
    const struct flm_ruby_function *f = find(code, 0, false, 30000000);
    assert_name(f, "baz");
    assert_true(f->shown.serial != serial);
    ruby_set(code, FLM_RUBY_STRING);
    assert_null(find(code, 0, false, 60000000));
    flm_ruby_functions_clear(&functions);
}

static void what_is_no_function_is_refused(void **state)
{
    (void)state;
    set_up(1);
    uint64_t method = ruby_method(&image, ruby_class(&image, "Foo"), 0x2001, 0);
    assert_null(find(0x123456789000, 0, false, 1));
    assert_null(find(ruby_string(&image, "x"), 0, false, 1));
    assert_null(find(0, 0x123456789000, false, 1));
    assert_null(find(0, ruby_string(&image, "x"), false, 1));
    assert_null(find(0, method, false, 1)); /* it is not in C */
    uint64_t code = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 30), body;
    body = ruby_body(code);
    ruby_set(body, UINT64_C(0xFFFFFFFF) << 32);
    assert_null(find(code, 0, false, 1));
    ruby_set(body, UINT64_C(30) << 32);
    ruby_set(body + image.layout->body_path, 0x15);
    assert_null(find(code, 0, false, 1));
    assert_int_equal(functions.items.count, 0);
    flm_ruby_functions_clear(&functions);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    set_up(1);
    uint64_t code = ruby_code(&image, "bar", "bar", "/app/foo.rb", 12, 30);
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        bool found = find(code, 0, false, 1) != NULL;
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(found || failed);
        flm_ruby_functions_clear(&functions);
        functions.objects = &objects;
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_the_names_of_their_classes),
        cmocka_unit_test(methods_in_C_and_defined_ones_have_the_name_they_are_called_by),
        cmocka_unit_test(lines_are_those_of_the_instruction),
        cmocka_unit_test(ranks_beyond_the_lines_are_not_used),
        cmocka_unit_test(another_function_at_the_address_is_noticed),
        cmocka_unit_test(what_is_no_function_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
