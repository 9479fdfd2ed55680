#include "base/mix/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

/* What is packed, unpacked again; its length. */
static size_t assert_comes_back(const char *bytes, size_t size)
{
    struct flm_text packed = {0};
    flm_mix_pack((struct flm_bytes){bytes, size}, &packed);
    assert_false(packed.failed);
    const unsigned char *from = (const unsigned char *)packed.at;
    assert_int_equal(flm_mix_unpacked_size(from, packed.size), size);
    unsigned char *back = malloc(size + 1);
    void *memory = calloc(1, flm_mix_memory_size());
    assert_non_null(back);
    assert_non_null(memory);
    flm_mix_unpack(from, packed.size, back, memory);
    assert_memory_equal(back, bytes, size);
    free(memory);
    free(back);
    size_t length = packed.size;
    flm_text_clear(&packed);
    return length;
}

static void bytes_of_any_size_come_back(void **state)
{
    (void)state;
    char bytes[400] = {0};
    uint64_t random = 7;
    for (size_t size = 0; size < sizeof bytes; size += 1 + size / 9) {
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(size % 2 ? random_next(&random) : i % 7);
        assert_comes_back(bytes, size);
    }
}

/* Long matches, which begin, break off and begin again; and what nothing predicts. */
static void what_repeats_is_short_and_what_does_not_is_hardly_longer(void **state)
{
    (void)state;
    enum { SIZE = 20000 };
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    uint64_t random = 3;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)random_next(&random);
    size_t none = assert_comes_back(bytes, SIZE);
    assert_true(none < SIZE + SIZE / 20);
    for (size_t i = 1000; i < SIZE; i++)
        bytes[i] = (char)(bytes[i - 1000] + (i % 777 == 0));
    assert_true(assert_comes_back(bytes, SIZE) < 2500);
    memset(bytes, 0, SIZE);
    assert_true(assert_comes_back(bytes, SIZE) < 100);
    free(bytes);
}

/* What is damaged becomes other bytes of the same number, and nothing beyond them is touched. */
static void damaged_bytes_are_other_bytes(void **state)
{
    (void)state;
    unsigned char packed[64], back[300];
    uint64_t random = 11;
    for (int run = 0; run < 3; run++) {
        for (size_t i = 0; i < sizeof packed; i++)
            packed[i] = (unsigned char)random_next(&random);
        packed[0] = (unsigned char)(sizeof back - 1), packed[1] = (sizeof back - 1) >> 8;
        packed[2] = packed[3] = 0;
        back[sizeof back - 1] = 77;
        for (size_t size = 0; size <= sizeof packed; size += 8) {
            void *memory = calloc(1, flm_mix_memory_size());
            assert_non_null(memory);
            assert_int_equal(flm_mix_unpacked_size(packed, size),
                             size < 8 ? SIZE_MAX : sizeof back - 1);
            flm_mix_unpack(packed, size, back, memory);
            free(memory);
            assert_int_equal(back[sizeof back - 1], 77);
        }
    }
}

/* The bytes are the same on every machine: pages are made of them. */
static void the_packed_bytes_are_fixed(void **state)
{
    (void)state;
    static const unsigned char expected[] = {44,  0,   0,   0,   146, 155, 142, 216, 38,  42,
                                             249, 222, 160, 173, 124, 180, 245, 255, 251, 246,
                                             181, 238, 3,   97,  221, 179, 116, 193, 68,  198,
                                             83,  194, 37,  124, 25,  168, 206, 7,   182, 255};
    struct flm_text packed = {0};
    flm_mix_pack(flm_bytes_of("main;parse;read 42\nmain;parse 3\nmain;draw 7\n"), &packed);
    assert_int_equal(packed.size, sizeof expected);
    assert_memory_equal(packed.at, expected, sizeof expected);
    flm_text_clear(&packed);
}

static void running_out_of_memory_is_said(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_text out = {0};
        allocation_fail_from(nth);
        flm_mix_pack(flm_bytes_of("abcabcabc"), &out);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(out.failed, failed);
        flm_text_clear(&out);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_any_size_come_back),
        cmocka_unit_test(what_repeats_is_short_and_what_does_not_is_hardly_longer),
        cmocka_unit_test(damaged_bytes_are_other_bytes),
        cmocka_unit_test(the_packed_bytes_are_fixed),
        cmocka_unit_test(running_out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
