#include "draw/color/hues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "draw/color/palette.h"

static void assert_hues(const uint32_t *before, const double *weight, const uint32_t *after,
                        uint32_t count)
{
    uint32_t hue[16];
    double weights[16];
    memcpy(hue, before, count * sizeof *hue);
    memcpy(weights, weight, count * sizeof *weights);
    flm_hues_tell_apart(hue, weights, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(hue[i], after[i]);
}

static void those_that_are_apart_stay(void **state)
{
    (void)state;
    assert_hues((uint32_t[]){0, 4, 2, 10}, (double[]){1, 2, 3, 4}, (uint32_t[]){0, 4, 2, 10}, 4);
    flm_hues_tell_apart(NULL, NULL, 0);
}

static void the_smaller_one_moves_to_the_nearest_that_is_free(void **state)
{
    (void)state;
    assert_hues((uint32_t[]){3, 3}, (double[]){1, 2}, (uint32_t[]){5, 3}, 2);
    assert_hues((uint32_t[]){3, 4}, (double[]){2, 1}, (uint32_t[]){3, 5}, 2);
    assert_hues((uint32_t[]){3, 2}, (double[]){2, 1}, (uint32_t[]){3, 1}, 2);
    assert_hues((uint32_t[]){0, 11}, (double[]){2, 1}, (uint32_t[]){0, 10}, 2); /* a circle */
}

static void as_many_as_the_legend_has_are_apart(void **state)
{
    (void)state;
    uint32_t hue[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    double weight[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    flm_hues_tell_apart(hue, weight, 8);
    for (uint32_t i = 0; i < FLM_HUES_APART; i++)
        for (uint32_t k = 0; k < i; k++) {
            uint32_t apart = (hue[i] + FLM_HUES - hue[k]) % FLM_HUES;
            assert_true(apart >= 2 && apart <= FLM_HUES - 2);
        }
    assert_int_equal(hue[6], 7); /* the rest is as it was */
    assert_int_equal(hue[7], 7);
}

/* Where there is no room between others, a hue beside one of them is better than one of theirs. */
static void the_most_room_that_there_is_is_taken(void **state)
{
    (void)state;
    assert_hues((uint32_t[]){0, 3, 6, 9, 0}, (double[]){5, 4, 3, 2, 1}, (uint32_t[]){0, 3, 6, 9, 1},
                5);
}

static void grays_and_what_costs_nothing_stay(void **state)
{
    (void)state;
    assert_hues((uint32_t[]){FLM_HUES, FLM_HUES, 3, 3}, (double[]){9, 8, 2, 0},
                (uint32_t[]){FLM_HUES, FLM_HUES, 3, 3}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_are_apart_stay),
        cmocka_unit_test(the_smaller_one_moves_to_the_nearest_that_is_free),
        cmocka_unit_test(as_many_as_the_legend_has_are_apart),
        cmocka_unit_test(the_most_room_that_there_is_is_taken),
        cmocka_unit_test(grays_and_what_costs_nothing_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
