#include "base/core/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct point {
    int x, y;
};
struct points FLM_ARRAY(struct point);

static void items_stay_where_they_were_added(void **state)
{
    (void)state;
    struct points points = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(FLM_ARRAY_ADD(&points, (struct point){i, -i}));
    assert_int_equal(points.count, 1000);
    assert_true(points.capacity >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_true(points.at[i].x == i && points.at[i].y == -i);
    FLM_ARRAY_CLEAR(&points);
    assert_true(!points.at && points.count == 0 && points.capacity == 0);
    assert_true(FLM_ARRAY_ADD(&points, (struct point){1, 2}));
    FLM_ARRAY_CLEAR(&points);
}

static void room_that_was_reserved_needs_no_memory(void **state)
{
    (void)state;
    struct FLM_ARRAY(uint32_t) numbers = {0};
    assert_true(FLM_ARRAY_RESERVE(&numbers, 100));
    const uint32_t *at = numbers.at;
    for (uint32_t i = 0; i < 100; i++)
        assert_true(FLM_ARRAY_ADD(&numbers, i));
    assert_ptr_equal(numbers.at, at);
    FLM_ARRAY_CLEAR(&numbers);
}

static void an_array_that_cannot_grow_is_unchanged(void **state)
{
    (void)state;
    struct FLM_ARRAY(uint64_t) numbers = {0};
    assert_true(FLM_ARRAY_ADD(&numbers, 7));
    assert_false(FLM_ARRAY_RESERVE(&numbers, SIZE_MAX));
    assert_false(FLM_ARRAY_RESERVE(&numbers, SIZE_MAX / 8));
    assert_true(numbers.count == 1 && numbers.at[0] == 7);
    FLM_ARRAY_CLEAR(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_where_they_were_added),
        cmocka_unit_test(room_that_was_reserved_needs_no_memory),
        cmocka_unit_test(an_array_that_cannot_grow_is_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
