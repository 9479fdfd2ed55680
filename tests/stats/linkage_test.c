#include "stats/linkage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

enum { MOST = 60 };

/* Of places on a line. */
static void distances_of(const double *place, uint32_t count, double *distance)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            distance[i * count + k] = fabs(place[i] - place[k]);
}

static void assert_is_an_order(const uint32_t *order, uint32_t count)
{
    unsigned char seen[MOST] = {0};
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = 1;
    }
}

static void groups_stand_together(void **state)
{
    (void)state;
    /* Three groups, mixed up. */
    static const double place[] = {0, 100, 1, 51, 101, 50, 2, 49, 99};
    double distance[81];
    uint32_t order[9], group[9];
    distances_of(place, 9, distance);
    assert_true(flm_order_by_similarity(distance, 9, order, NULL));
    assert_is_an_order(order, 9);
    for (int i = 0; i < 9; i++)
        group[i] = place[order[i]] < 25 ? 0 : place[order[i]] < 75 ? 1 : 2;
    int changes = 0;
    for (int i = 1; i < 9; i++)
        changes += group[i] != group[i - 1];
    assert_int_equal(changes, 2);
}

/* Places on a line that get further apart are in their order, or its reverse. */
static void places_on_a_line_are_in_a_row(void **state)
{
    (void)state;
    double place[20], distance[400];
    uint32_t order[20];
    for (uint32_t i = 0; i < 20; i++)
        place[(i * 7) % 20] = pow(1.5, i);
    distances_of(place, 20, distance);
    assert_true(flm_order_by_similarity(distance, 20, order, NULL));
    assert_is_an_order(order, 20);
    bool up = place[order[19]] > place[order[0]];
    for (uint32_t i = 1; i < 20; i++)
        assert_true((place[order[i]] > place[order[i - 1]]) == up);
}

/* What is at no distance stands together, whatever else there is. */
static void equals_stand_beside_each_other(void **state)
{
    (void)state;
    uint64_t random = 81;
    double place[MOST], distance[MOST * MOST];
    uint32_t order[MOST];
    for (int round = 0; round < 200; round++) {
        uint32_t count = 1 + random_below(&random, MOST);
        for (uint32_t i = 0; i < count; i++)
            place[i] = random_below(&random, 8) * 10;
        distances_of(place, count, distance);
        assert_true(flm_order_by_similarity(distance, count, order, NULL));
        assert_is_an_order(order, count);
        unsigned changes = 0, kinds = 0;
        for (uint32_t i = 1; i < count; i++)
            changes += place[order[i]] != place[order[i - 1]];
        for (int value = 0; value < 8; value++)
            for (uint32_t i = 0; i < count; i++)
                if (place[i] == value * 10) {
                    kinds++;
                    break;
                }
        assert_int_equal(changes, kinds - 1);
    }
}

static void none_one_and_two_are_orders(void **state)
{
    (void)state;
    static const double two[] = {0, 1, 1, 0};
    uint32_t order[2] = {7, 7};
    assert_true(flm_order_by_similarity(NULL, 0, order, NULL));
    assert_true(flm_order_by_similarity(two, 1, order, NULL));
    assert_int_equal(order[0], 0);
    assert_true(flm_order_by_similarity(two, 2, order, NULL));
    assert_true(order[0] == 0 && order[1] == 1);
}

static bool make(void *context, struct flm_error *why)
{
    uint32_t order[2];
    return flm_order_by_similarity(context, 2, order, why);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    double two[] = {0, 1, 1, 0};
    assert_true(assert_survives_failures(make, two) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_stand_together),
        cmocka_unit_test(places_on_a_line_are_in_a_row),
        cmocka_unit_test(equals_stand_beside_each_other),
        cmocka_unit_test(none_one_and_two_are_orders),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
