#include "record/python/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"

/* Objects of 3.11 in our own memory, read through the kernel. */
struct fixture {
    struct flm_python_symbols symbols;
    struct flm_process_memory memory;
    struct flm_python_codes codes;
    uint64_t types[3]; /* code, text, bytes: only their addresses count */
    char code[256];
    char name[256], file[256], lines[256];
};

static uint64_t at(const void *object)
{
    return (uintptr_t)object;
}

static void put(char *object, size_t offset, uint64_t value)
{
    memcpy(object + offset, &value, sizeof value);
}

static void put_text(struct fixture *f, char *object, unsigned width, bool ascii, const void *text,
                     uint64_t length)
{
    put(object, 8, f->symbols.text_type);
    put(object, 16, length);
    uint32_t state = width << 2 | 1 << 5 | (uint32_t)ascii << 6;
    memcpy(object + 32, &state, sizeof state);
    memcpy(object + (ascii ? 48 : 72), text, length * width);
}

static void put_code(struct fixture *f, uint32_t first_line)
{
    put(f->code, 8, f->symbols.code_type);
    put(f->code, 16, 6);
    memcpy(f->code + 72, &first_line, sizeof first_line);
    put(f->code, 112, at(f->file));
    put(f->code, 128, at(f->name));
    put(f->code, 136, at(f->lines));
}

static struct fixture *make_fixture(void)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    *f = (struct fixture){.memory = {.process = getpid()}};
    f->symbols = (struct flm_python_symbols){.code_type = at(&f->types[0]),
                                             .text_type = at(&f->types[1]),
                                             .bytes_type = at(&f->types[2])};
    f->codes.layout = flm_python_layout_of(3, 11);
    f->codes.symbols = &f->symbols;
    put_text(f, f->name, 1, true, "run", 3);
    put_text(f, f->file, 1, true, "/app.py", 7);
    put(f->lines, 8, f->symbols.bytes_type);
    put(f->lines, 16, 4);
    memcpy(f->lines + 32, "abcd", 4);
    put_code(f, 12);
    return f;
}

static void assert_text(struct fixture *f, const char *wanted)
{
    struct flm_text text = {0};
    flm_process_memory_begin(&f->memory, NULL, 0);
    bool good = flm_python_text_read(&f->codes, &f->memory, at(f->name), &text);
    assert_int_equal(good, wanted != NULL);
    if (wanted)
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, wanted));
    flm_text_clear(&text);
}

static void texts_of_each_width_become_utf8(void **state)
{
    (void)state;
    struct fixture *f = make_fixture();
    static const uint16_t two[] = {0x540D, 0xD800, 'x'};
    static const uint32_t four[] = {0x1F40D, 'y'};
    assert_text(f, "run");
    put_text(f, f->name, 1, false, "gr\xF6\xDF", 4);
    assert_text(f, "gr\u00f6\u00df");
    put_text(f, f->name, 2, false, two, 3);
    assert_text(f, "\u540d\ufffdx");
    put_text(f, f->name, 4, false, four, 2);
    assert_text(f, "\U0001f40dy");
    flm_python_codes_clear(&f->codes);
}

static void other_objects_are_not_read_as_text(void **state)
{
    (void)state;
    struct fixture *f = make_fixture();
    put(f->name, 16, UINT64_MAX);
    assert_text(f, NULL);
    put(f->name, 16, 100000);
    assert_text(f, NULL);
    put_text(f, f->name, 3, true, "xyz", 1);
    assert_text(f, NULL);
    static const uint32_t beyond[] = {0x110000};
    put_text(f, f->name, 4, false, beyond, 1);
    assert_text(f, NULL);
    put_text(f, f->name, 1, true, "run", 3);
    put(f->name, 8, at(&f->types[2]));
    assert_text(f, NULL);
    flm_python_codes_clear(&f->codes);
}

static void cached_code_objects_are_checked_again_after_a_while(void **state)
{
    (void)state;
    struct fixture *f = make_fixture();
    uint32_t code = flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1);
    assert_int_equal(code, 0);
    const struct flm_python_code *c = &f->codes.items.at[code];
    assert_true(flm_bytes_are(flm_python_code_function(c), "run"));
    assert_true(flm_bytes_are(flm_python_code_file(c), "/app.py"));
    assert_true(flm_bytes_are(flm_python_code_lines(c), "abcd"));
    assert_int_equal(c->first_line, 12);
    assert_int_equal(c->instructions, at(f->code) + 184);
    assert_int_equal(c->instructions_size, 12);
    uint64_t serial = c->serial;

    /* Another function is at its address now. */
    char *other = f->name + 128;
    put_text(f, other, 1, true, "stop", 4);
    put(f->code, 128, at(other));
    flm_process_memory_begin(&f->memory, NULL, 0);
    assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 2), 0);
    assert_true(flm_bytes_are(flm_python_code_function(&f->codes.items.at[0]), "run"));
    assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1000000000), 0);
    assert_true(flm_bytes_are(flm_python_code_function(&f->codes.items.at[0]), "stop"));
    assert_true(f->codes.items.at[0].serial != serial);

    /* And now there is none any more. */
    put(f->code, 8, 4711);
    flm_process_memory_begin(&f->memory, NULL, 0);
    assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 2000000000),
                     UINT32_MAX);
    flm_python_codes_clear(&f->codes);
}

static void without_the_lock_objects_have_larger_heads(void **state)
{
    (void)state;
    enum { HEAD = 16, COPIES = 160 };
    struct fixture *f = make_fixture();
    struct flm_python_layout layout = *f->codes.layout;
    uint64_t copies[] = {2, 0x1000, 0x2000};
    f->codes.layout = &layout;
    layout.code_copies = COPIES;
    put(f->code, COPIES, at(copies));
    assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1), 0);
    struct flm_python_code *code = &f->codes.items.at[0];
    assert_int_equal(flm_python_code_copy(code, &f->memory, 0), 0x1000);
    assert_int_equal(flm_python_code_copy(code, &f->memory, 1), 0x2000);
    assert_int_equal(flm_python_code_copy(code, &f->memory, 2), 0);
    code->copies = 4096;
    assert_int_equal(flm_python_code_copy(code, &f->memory, 0), 0);

    layout.object_type += HEAD;
    layout.text_length += HEAD;
    layout.text_state += HEAD;
    layout.text_ascii += HEAD;
    layout.text_shift = 8;
    memset(f->name, 0, sizeof f->name);
    put(f->name, 8 + HEAD, f->symbols.text_type);
    put(f->name, 16 + HEAD, 3);
    put(f->name, 32 + HEAD, 1 << 8 | 1 << 11 | 1 << 12 | 3); /* the last one: interned */
    memcpy(f->name + 48 + HEAD, "run", 3);
    assert_text(f, "run");
    flm_python_codes_clear(&f->codes);
}

static void other_objects_are_not_cached_as_code(void **state)
{
    (void)state;
    struct fixture *f = make_fixture();
    static const size_t pointers[] = {8, 112, 128, 136};
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        put_code(f, 1);
        put(f->code, pointers[i], 4096);
        flm_process_memory_begin(&f->memory, NULL, 0);
        assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1), UINT32_MAX);
    }
    put_code(f, 1);
    put(f->lines, 16, UINT64_MAX);
    flm_process_memory_begin(&f->memory, NULL, 0);
    assert_int_equal(flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1), UINT32_MAX);
    assert_int_equal(f->codes.items.count, 0);
    flm_python_codes_clear(&f->codes);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct fixture *f = make_fixture();
        allocation_fail_from(nth);
        uint32_t code = flm_python_codes_find(&f->codes, &f->memory, at(f->code), 1);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(code == UINT32_MAX, failed);
        flm_python_codes_clear(&f->codes);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_each_width_become_utf8),
        cmocka_unit_test(other_objects_are_not_read_as_text),
        cmocka_unit_test(cached_code_objects_are_checked_again_after_a_while),
        cmocka_unit_test(without_the_lock_objects_have_larger_heads),
        cmocka_unit_test(other_objects_are_not_cached_as_code),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
