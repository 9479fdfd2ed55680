#include "base/number/number_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static void numbers_come_back_once_each_in_order(void **state)
{
    (void)state;
    static const uint32_t limits[] = {1, 63, 64, 65, 4095, 4096, 4097, 100000};
    uint64_t random = 1;
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        uint32_t limit = limits[k];
        struct flm_number_set set;
        char *met = calloc(limit, 1);
        assert_non_null(met);
        assert_true(flm_number_set_init(&set, limit));
        for (int round = 0; round < 20; round++) {
            uint32_t count = (uint32_t)random_below(&random, 2 * limit < 500 ? 2 * limit : 500);
            memset(met, 0, limit);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t number = (uint32_t)random_below(&random, limit);
                met[number] = 1;
                flm_number_set_add(&set, number);
            }
            if (round % 2) { /* the ends */
                met[0] = met[limit - 1] = 1;
                flm_number_set_add(&set, 0);
                flm_number_set_add(&set, limit - 1);
            }
            uint32_t from = 0;
            for (uint32_t number = 0; number < limit; number++)
                if (met[number])
                    assert_int_equal(flm_number_set_take(&set, &from), number);
            assert_int_equal(flm_number_set_take(&set, &from), UINT32_MAX);
            from = 0; /* and it is empty */
            assert_int_equal(flm_number_set_take(&set, &from), UINT32_MAX);
        }
        flm_number_set_clear(&set);
        free(met);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= 3; nth++) {
        struct flm_number_set set;
        allocation_fail_from(nth);
        assert_int_equal(flm_number_set_init(&set, 5000), nth == 3);
        allocation_fail_from(0);
        flm_number_set_clear(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_once_each_in_order),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
