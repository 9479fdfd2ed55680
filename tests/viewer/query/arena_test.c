#include "viewer/query/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static void what_is_taken_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct flm_arena room = {0};
    unsigned char *at[200];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 200; i++) {
            at[i] = flm_arena_take(&room, i);
            assert_non_null(at[i]);
            assert_int_equal((uintptr_t)at[i] % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < i; k++)
                assert_int_equal(at[i][k], 0);
            memset(at[i], (int)i, i);
        }
        for (size_t i = 1; i < 200; i++)
            assert_true(at[i][0] == i && at[i][i - 1] == i);
        flm_arena_reset(&room);
    }
    flm_arena_clear(&room);
}

static void texts_are_copies_and_empty_ones_are_not_null(void **state)
{
    (void)state;
    char text[] = "parse";
    struct flm_arena room = {0};
    struct flm_bytes copy = flm_arena_text(&room, flm_bytes_of(text));
    text[0] = 'x';
    assert_true(flm_bytes_are(copy, "parse"));
    assert_non_null(flm_arena_text(&room, (struct flm_bytes){NULL, 0}).at);
    flm_arena_clear(&room);
}

static void a_query_that_is_repeated_allocates_nothing(void **state)
{
    (void)state;
    struct flm_arena room = {0};
    for (int i = 0; i < 100; i++)
        assert_non_null(flm_arena_take(&room, 1000));
    for (int round = 0; round < 2; round++) {
        flm_arena_reset(&room);
        allocation_fail_from(round ? 1 : 0);
        for (int i = 0; round && i < 50; i++)
            assert_non_null(flm_arena_take(&room, 1000));
        allocation_fail_from(0);
    }
    flm_arena_clear(&room);
}

static void memory_that_runs_out_is_remembered(void **state)
{
    (void)state;
    struct flm_arena room = {0};
    assert_null(flm_arena_take(&room, SIZE_MAX));
    assert_true(room.failed);
    assert_null(flm_arena_take(&room, SIZE_MAX - 40));
    flm_arena_reset(&room);
    assert_false(room.failed);
    allocation_fail_from(1);
    assert_null(flm_arena_take(&room, 1));
    allocation_fail_from(0);
    assert_true(room.failed);
    flm_arena_clear(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_is_zeroed_aligned_and_apart),
        cmocka_unit_test(texts_are_copies_and_empty_ones_are_not_null),
        cmocka_unit_test(a_query_that_is_repeated_allocates_nothing),
        cmocka_unit_test(memory_that_runs_out_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
