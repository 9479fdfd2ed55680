#include "base/core/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static struct flm_bytes of(const char *text)
{
    return flm_bytes_of(text);
}

static void equal_bytes_are_equal_whatever_they_are(void **state)
{
    (void)state;
    assert_true(flm_bytes_equal(of("main"), of("main")));
    assert_false(flm_bytes_equal(of("main"), of("Main")));
    assert_false(flm_bytes_equal(of("main"), of("mai")));
    assert_true(flm_bytes_equal((struct flm_bytes){"a\0b", 3}, (struct flm_bytes){"a\0b", 3}));
    assert_false(flm_bytes_equal((struct flm_bytes){"a\0b", 3}, (struct flm_bytes){"a\0c", 3}));
    assert_true(flm_bytes_are((struct flm_bytes){"mainly", 4}, "main"));
}

static void no_bytes_need_no_address(void **state)
{
    (void)state;
    struct flm_bytes none = {NULL, 0};
    assert_true(flm_bytes_equal(none, of("")));
    assert_true(flm_bytes_are(none, ""));
    assert_int_equal(flm_bytes_compare(none, of("")), 0);
    assert_true(flm_bytes_compare(none, of("a")) < 0);
}

static void bytes_are_ordered_unsigned_and_shorter_ones_first(void **state)
{
    (void)state;
    assert_true(flm_bytes_compare(of("a"), of("b")) < 0);
    assert_true(flm_bytes_compare(of("a"), of("ab")) < 0);
    assert_true(flm_bytes_compare(of("b"), of("ab")) > 0);
    assert_true(flm_bytes_compare(of("z"), of("\xCE\xBB")) < 0);
    assert_true(flm_bytes_compare((struct flm_bytes){"a\0b", 3}, of("a")) > 0);
    assert_true(flm_bytes_compare((struct flm_bytes){"a\0b", 3}, of("aa")) < 0);
    assert_int_equal(flm_bytes_compare(of("same"), of("same")), 0);
}

static void a_beginning_and_an_end_are_found(void **state)
{
    (void)state;
    assert_true(flm_bytes_start_with(of("operator new"), "operator"));
    assert_false(flm_bytes_start_with(of("oper"), "operator"));
    assert_true(flm_bytes_start_with(of("x"), ""));
    assert_true(flm_bytes_end_with(of("12ns"), "ns"));
    assert_false(flm_bytes_end_with(of("s"), "ns"));
    assert_true(flm_bytes_end_with(of("ns"), "ns"));
}

static void an_array_grows_and_keeps_its_items(void **state)
{
    (void)state;
    void *items = NULL;
    size_t capacity = 0, moves = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        void *before = items;
        assert_true(flm_grow(&items, &capacity, (size_t)i + 1, sizeof i));
        assert_true(capacity > i);
        moves += before != items;
        ((uint32_t *)items)[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(((uint32_t *)items)[i], i);
    assert_true(moves < 40); /* growth is by a factor, so adding is linear */
    free(items);
}

static void an_array_that_is_large_enough_stays(void **state)
{
    (void)state;
    void *items = NULL;
    size_t capacity = 0;
    assert_true(flm_grow(&items, &capacity, 0, 8));
    assert_null(items);
    assert_true(flm_grow(&items, &capacity, 20, 8));
    void *before = items;
    size_t room = capacity;
    assert_true(flm_grow(&items, &capacity, room, 8));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, room);
    free(items);
}

static void an_array_that_cannot_grow_is_unchanged(void **state)
{
    (void)state;
    void *items = NULL;
    size_t capacity = 0;
    assert_true(flm_grow(&items, &capacity, 4, 4));
    void *before = items;
    size_t room = capacity;
    assert_false(flm_grow(&items, &capacity, SIZE_MAX / 4 + 1, 4));
    assert_false(flm_grow(&items, &capacity, SIZE_MAX, 1 << 20));
    allocation_fail_from(1);
    assert_false(flm_grow(&items, &capacity, 1000, 4));
    allocation_fail_from(0);
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, room);
    free(items);
}

static void zeroed_memory_is_zero_and_never_overflows(void **state)
{
    (void)state;
    unsigned char *zeros = flm_new_zeroed(1000, 3);
    assert_non_null(zeros);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(zeros[i], 0);
    free(zeros);
    free(flm_new_zeroed(0, 8));
    assert_null(flm_new_zeroed(SIZE_MAX / 2, 3));
    allocation_fail_from(1);
    assert_null(flm_new_zeroed(10, 10));
    allocation_fail_from(0);
}

static void blanks_at_both_ends_are_trimmed(void **state)
{
    (void)state;
    assert_true(flm_bytes_are(flm_bytes_trimmed(flm_bytes_of(" \t\na b\n ")), "a b"));
    assert_int_equal(flm_bytes_trimmed(flm_bytes_of("  ")).size, 0);
    assert_int_equal(flm_bytes_trimmed((struct flm_bytes){NULL, 0}).size, 0);
}

static void the_rest_of_bytes_begins_anywhere(void **state)
{
    (void)state;
    assert_true(flm_bytes_are(flm_bytes_from(flm_bytes_of("abc"), 1), "bc"));
    assert_int_equal(flm_bytes_from(flm_bytes_of("abc"), 3).size, 0);
}

/* Of few different bytes, so that the ends of a text are mostly found without the rest of it. */
static void a_text_is_found_anywhere_in_bytes(void **state)
{
    (void)state;
    enum { MOST = 70 };
    uint64_t random = 5;
    for (int turn = 0; turn < 20000; turn++) {
        char text[8] = {0}, *bytes = malloc(MOST);
        size_t size = 1 + random_below(&random, 6), count = random_below(&random, MOST);
        for (size_t i = 0; i < count; i++)
            bytes[i] = "ab\"\xff"[random_below(&random, 4)];
        for (size_t i = 0; i < size; i++)
            text[i] = "ab\"\xff"[random_below(&random, 4)];
        bool expected = false;
        for (size_t i = 0; i + size <= count; i++)
            expected |= memcmp(bytes + i, text, size) == 0;
        char *exact = realloc(bytes, count + 1); /* that no byte beyond it is read */
        assert_true(flm_bytes_contain((struct flm_bytes){exact, count}, text) == expected);
        free(exact);
    }
    assert_true(flm_bytes_contain(of("abc"), ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bytes_are_equal_whatever_they_are),
        cmocka_unit_test(no_bytes_need_no_address),
        cmocka_unit_test(bytes_are_ordered_unsigned_and_shorter_ones_first),
        cmocka_unit_test(a_beginning_and_an_end_are_found),
        cmocka_unit_test(a_text_is_found_anywhere_in_bytes),
        cmocka_unit_test(blanks_at_both_ends_are_trimmed),
        cmocka_unit_test(the_rest_of_bytes_begins_anywhere),
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(an_array_that_is_large_enough_stays),
        cmocka_unit_test(an_array_that_cannot_grow_is_unchanged),
        cmocka_unit_test(zeroed_memory_is_zero_and_never_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
