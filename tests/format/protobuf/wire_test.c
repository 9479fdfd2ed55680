#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "format/protobuf/wire_read.h"
#include "format/protobuf/wire_write.h"

static struct flm_bytes written(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const uint64_t values[] = {1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (uint32_t field = 1; field < 5000; field = field * 3 + 1) {
            struct flm_text out = {0}, message = {0};
            flm_wire_put_number(&out, field, values[i]);
            flm_wire_put_fixed64(&out, field + 1, values[i]);
            flm_wire_put_number(&message, 1, values[i]);
            flm_wire_put_message(&out, field + 2, &message);
            flm_wire_put_bytes(&out, field + 3, (struct flm_bytes){"", 0});
            struct flm_wire_input input = flm_wire_input_of(written(&out));
            struct flm_wire m = flm_wire_all(&input), inner;
            assert_true(flm_wire_next(&m) && m.field == field && m.number == values[i]);
            assert_int_equal(m.type, FLM_WIRE_VARINT);
            assert_false(flm_wire_enter(&m, &inner));
            assert_true(flm_wire_next(&m) && m.field == field + 1 && m.number == values[i]);
            assert_int_equal(m.type, FLM_WIRE_FIXED64);
            assert_true(flm_wire_next(&m) && m.field == field + 2 && flm_wire_enter(&m, &inner));
            assert_true(flm_wire_next(&inner) && inner.number == values[i]);
            assert_false(flm_wire_next(&inner));
            assert_true(flm_wire_next(&m) && m.field == field + 3 && m.bytes.size == 0);
            assert_false(flm_wire_next(&m));
            assert_true(flm_wire_end(&input, NULL));
            flm_text_clear(&out);
            flm_text_clear(&message);
        }
    }
}

static void zeros_are_left_out(void **state)
{
    (void)state;
    struct flm_text out = {0};
    flm_wire_put_number(&out, 1, 0);
    flm_wire_put_fixed64(&out, 1, 0);
    assert_int_equal(out.size, 0);
    flm_text_clear(&out);
}

/* The numbers of field 1, and the error at the end. */
static size_t numbers_of(const char *bytes, size_t size, uint64_t *out, struct flm_error *why)
{
    char *block = malloc(size ? size : 1); /* of exactly its size, for a sanitizer */
    memcpy(block, bytes, size);
    struct flm_wire_input input = flm_wire_input_of((struct flm_bytes){block, size});
    struct flm_wire m = flm_wire_all(&input);
    size_t count = 0;
    while (flm_wire_next(&m)) {
        struct flm_wire packed = flm_wire_numbers(&m);
        size_t first = count;
        while (m.field == 1 && flm_wire_next_number(&packed, &out[count]))
            count++;
        uint64_t *at_once = malloc((size + 1) * sizeof *at_once);
        assert_int_equal(m.field == 1 ? flm_wire_unpack(&m, at_once) : 0, count - first);
        assert_memory_equal(at_once, out + first, (count - first) * sizeof *out);
        free(at_once);
    }
    *why = (struct flm_error){0};
    flm_wire_end(&input, why);
    free(block);
    return count;
}

static void numbers_are_packed_or_not_and_as_long_as_they_like(void **state)
{
    (void)state;
    uint64_t got[8];
    struct flm_error why;
    assert_int_equal(numbers_of("\x08\x01\x0a\x02\x02\x03\x08\x04", 8, got, &why), 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_true(got[i] == i + 1);
    assert_int_equal(numbers_of("\x0a\x00", 2, got, &why), 0);
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    /* 17 in five bytes, and a size in ten */
    assert_int_equal(numbers_of("\x08\x91\x80\x80\x80\x00", 6, got, &why), 1);
    assert_true(got[0] == 17);
    assert_int_equal(
        numbers_of("\x0a\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00\x05\x06", 13, got, &why), 2);
    assert_true(got[0] == 5 && got[1] == 6);
    /* -1 */
    assert_int_equal(numbers_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, got, &why), 1);
    assert_true(got[0] == UINT64_MAX);
    /* a tag in three bytes */
    assert_int_equal(numbers_of("\x88\x80\x00\x07", 4, got, &why), 1);
    assert_true(got[0] == 7);
}

static void numbers_of_eight_bytes_are_packed_or_not(void **state)
{
    (void)state;
    static const char bytes[] = "\x09\1\0\0\0\0\0\0\0\x0a\x10\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\x80";
    struct flm_wire_input input = flm_wire_input_of((struct flm_bytes){bytes, 27});
    struct flm_wire m = flm_wire_all(&input);
    uint64_t got[4], count = 0;
    while (flm_wire_next(&m)) {
        struct flm_wire packed = flm_wire_numbers(&m);
        while (flm_wire_next_fixed64(&packed, &got[count]))
            count++;
    }
    assert_true(flm_wire_end(&input, NULL));
    assert_true(count == 3 && got[0] == 1 && got[1] == 2 && got[2] == 0x8000000000000003u);
    input = flm_wire_input_of((struct flm_bytes){"\x0a\x03\1\2\3", 5});
    m = flm_wire_all(&input);
    assert_true(flm_wire_next(&m));
    struct flm_wire packed = flm_wire_numbers(&m);
    assert_false(flm_wire_next_fixed64(&packed, got));
    assert_false(flm_wire_end(&input, NULL));
}

static void groups_are_skipped_however_deep(void **state)
{
    (void)state;
    uint64_t got[8];
    struct flm_error why;
    /* 2{ 3{} 1:5 "xy" } 1:6: what is in a group is not seen */
    assert_int_equal(numbers_of("\x13\x1b\x1c\x08\x05\x12\x02xy\x14\x08\x06", 12, got, &why), 1);
    assert_true(got[0] == 6);
    enum { DEEP = 1 << 20 };
    char *deep = malloc(2 * DEEP + 2);
    memset(deep, 0x13, DEEP);
    memset(deep + DEEP, 0x14, DEEP);
    memcpy(deep + 2 * DEEP, "\x08\x09", 2);
    assert_int_equal(numbers_of(deep, 2 * DEEP + 2, got, &why), 1);
    assert_true(got[0] == 9);
    numbers_of(deep, DEEP, got, &why);
    assert_string_equal(why.text, "byte 1048575: a group does not end in its message");
    free(deep);
    numbers_of("\x08\x01\x14", 3, got, &why);
    assert_string_equal(why.text, "byte 2: a group ends here that has not begun");
}

static void what_is_no_message_is_refused_at_its_byte(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } bad[] = {
        {"\x08\x01\x0a\x03\x01", 5,
         "byte 2: the field is longer than its message (a file that was cut?)"},
        {"\x08\x80", 2, "byte 1: a number is cut off by the end of its message"},
        {"\x88", 1, "byte 0: a number is cut off by the end of its message"},
        {"\x08", 1, "byte 1: a number is cut off by the end of its message"},
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12,
         "byte 1: a number is longer than 10 bytes"},
        {"\x0e\x01", 2, "byte 0: no field has such a type"},
        {"\x00\x01", 2, "byte 0: no field has such a number"},
        {"\x80\x80\x80\x80\x10\x01", 6, "byte 0: no field has such a number"},
        {"\x0d\x01\x02", 3, "byte 0: the field is longer than its message (a file that was cut?)"},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
         "byte 0: the field is longer than its message (a file that was cut?)"},
        {"\x0a\x02\x01\x80", 4, "byte 3: a number is cut off by the end of its message"},
    };
    uint64_t got[8];
    struct flm_error why;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        numbers_of(bad[i].bytes, bad[i].size, got, &why);
        assert_string_equal(why.text, bad[i].says);
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(zeros_are_left_out),
        cmocka_unit_test(numbers_are_packed_or_not_and_as_long_as_they_like),
        cmocka_unit_test(numbers_of_eight_bytes_are_packed_or_not),
        cmocka_unit_test(groups_are_skipped_however_deep),
        cmocka_unit_test(what_is_no_message_is_refused_at_its_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
