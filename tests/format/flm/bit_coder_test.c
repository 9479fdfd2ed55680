#include "format/flm/bit_coder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { MODELS = 3 };

struct item {
    enum { BIT, NUMBER, SIGNED } kind;
    unsigned model;
    uint64_t value;
};

static struct item any_item(uint64_t *random)
{
    struct item item = {.kind = random_below(random, 3), .model = random_below(random, MODELS)};
    item.value = item.kind == BIT ? random_below(random, 50) == 0
                                  : random_next(random) >> random_below(random, 64);
    return item;
}

/* Writing, or reading what was written: the same calls. */
static void code_items(struct flm_bit_coder *c, const struct item *items, size_t count)
{
    struct flm_bit_model bits[MODELS] = {{0}};
    struct flm_number_model *numbers = calloc(2 * MODELS, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++) {
        const struct item *item = &items[i];
        uint64_t value = c->out ? item->value : 0, got = 0;
        if (item->kind == BIT)
            got = flm_bit_coder_bit(c, &bits[item->model], value != 0);
        else if (item->kind == NUMBER)
            got = flm_bit_coder_number(c, &numbers[item->model], value);
        else
            got = (uint64_t)flm_bit_coder_signed(c, &numbers[MODELS + item->model], (int64_t)value);
        assert_int_equal(got, item->value);
    }
    free(numbers);
}

static size_t assert_kept(const struct item *items, size_t count)
{
    struct flm_text out = {0};
    struct flm_bit_coder c;
    flm_bit_writer_init(&c, &out);
    code_items(&c, items, count);
    flm_bit_writer_finish(&c);
    assert_false(out.failed);
    struct flm_cursor in = {(const unsigned char *)out.at, (const unsigned char *)out.at + out.size,
                            false};
    flm_bit_reader_init(&c, &in);
    code_items(&c, items, count);
    assert_false(in.bad);
    assert_ptr_equal(in.at, in.end); /* no byte is left, so that others can follow */
    size_t size = out.size;
    flm_text_clear(&out);
    return size;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (unsigned i = 0; i < 400; i++) {
        struct item items[500];
        size_t count = random_below(&random, 500);
        for (size_t j = 0; j < count; j++)
            items[j] = any_item(&random);
        assert_kept(items, count);
    }
}

static void numbers_of_every_length_are_kept(void **state)
{
    (void)state;
    struct item items[65 * 3 * 2];
    size_t count = 0;
    for (unsigned length = 0; length <= 64; length++)
        for (unsigned kind = NUMBER; kind <= SIGNED; kind++) {
            uint64_t top = length == 0 ? 0 : (uint64_t)1 << (length - 1);
            const uint64_t values[] = {top, top | top >> 1, top - 1};
            for (size_t i = 0; i < 3; i++)
                items[count++] = (struct item){kind, 0, values[i]};
        }
    assert_kept(items, count);
}

/* Bytes of 0xFF are held until it is known whether a carry goes through them. */
static void carries_go_through_the_bytes_before(void **state)
{
    (void)state;
    struct item items[2000];
    for (unsigned first = 0; first < 40; first++) {
        size_t count = 0;
        for (unsigned i = 0; i < first; i++)
            items[count++] = (struct item){NUMBER, 0, i * 37};
        for (; count < 2000;
             count++) /* what is not expected: one end of the range, over and over */
            items[count] = (struct item){BIT, count % 100 == 99, count % 100 == 99};
        assert_kept(items, count);
    }
}

static void what_is_expected_costs_little(void **state)
{
    (void)state;
    struct item items[8000];
    for (size_t i = 0; i < 8000; i++)
        items[i] = (struct item){BIT, 0, i % 100 == 0};
    /* 0.081 bits each are 81 bytes. */
    size_t rare = assert_kept(items, 8000);
    assert_true(rare > 70 && rare < 100);
    uint64_t random = 5;
    for (size_t i = 0; i < 8000; i++)
        items[i].value = random_below(&random, 2);
    size_t even = assert_kept(items, 8000);
    assert_true(even >= 1000 && even < 1030);
    for (size_t i = 0; i < 8000; i++)
        items[i] = (struct item){NUMBER, 0, 8 + random_below(&random, 4)};
    /* Two bits of each are not known. */
    size_t alike = assert_kept(items, 8000);
    assert_true(alike >= 2000 && alike < 2100);
}

static void what_is_cut_off_is_noticed(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct item items[200];
    for (size_t i = 0; i < 200; i++)
        items[i] = (struct item){NUMBER, 0, random_next(&random)};
    struct flm_text out = {0};
    struct flm_bit_coder c;
    flm_bit_writer_init(&c, &out);
    code_items(&c, items, 200);
    flm_bit_writer_finish(&c);
    for (size_t size = 0; size < out.size; size++) {
        struct flm_cursor in = {(const unsigned char *)out.at, (const unsigned char *)out.at + size,
                                false};
        struct flm_number_model model = {0};
        flm_bit_reader_init(&c, &in);
        for (size_t i = 0; i < 200; i++)
            flm_bit_coder_number(&c, &model, 0);
        assert_true(in.bad);
    }
    flm_text_clear(&out);
}

static void any_bytes_are_numbers(void **state)
{
    (void)state;
    uint64_t random = 13;
    for (unsigned i = 0; i < 300; i++) {
        unsigned char bytes[64];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = i % 2 ? (unsigned char)random_next(&random) : 0xFF;
        struct flm_cursor in = {bytes, bytes + random_below(&random, sizeof bytes), false};
        struct flm_number_model model = {0};
        struct flm_bit_coder c;
        flm_bit_reader_init(&c, &in);
        for (unsigned j = 0; j < 100000 && !in.bad; j++)
            flm_bit_coder_signed(&c, &model, 0);
        assert_ptr_equal(in.at, in.end);
        assert_true(in.bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(numbers_of_every_length_are_kept),
        cmocka_unit_test(carries_go_through_the_bytes_before),
        cmocka_unit_test(what_is_expected_costs_little),
        cmocka_unit_test(what_is_cut_off_is_noticed),
        cmocka_unit_test(any_bytes_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
