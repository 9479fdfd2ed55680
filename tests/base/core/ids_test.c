#include "base/core/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static void ids_are_numbered_as_they_come(void **state)
{
    (void)state;
    struct flm_ids ids = {0};
    assert_int_equal(flm_ids_find(&ids, 7), FLM_IDS_NONE);
    enum { COUNT = 5000 };
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(flm_ids_number(&ids, i * i * 1000003), i);
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(flm_ids_find(&ids, i * i * 1000003), i);
        assert_int_equal(flm_ids_number(&ids, i * i * 1000003), i);
    }
    assert_int_equal(flm_ids_find(&ids, 7), FLM_IDS_NONE);
    assert_int_equal(flm_ids_number(&ids, UINT64_MAX), COUNT);
    flm_ids_clear(&ids);
    assert_int_equal(flm_ids_number(&ids, 7), 0);
    flm_ids_clear(&ids);
}

static void an_id_that_has_no_room_gets_its_number_later(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_ids ids = {0};
        allocation_fail_from(nth);
        uint32_t number = flm_ids_number(&ids, 5);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(number, failed ? FLM_IDS_NONE : 0);
        assert_int_equal(flm_ids_find(&ids, 5), number);
        assert_int_equal(flm_ids_number(&ids, 5), 0);
        flm_ids_clear(&ids);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_numbered_as_they_come),
        cmocka_unit_test(an_id_that_has_no_room_gets_its_number_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
