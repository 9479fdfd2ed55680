#include "record/capture/priority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cmocka.h>

static void a_raised_priority_is_restored(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0);
    bool may_rise = flm_priority_may_rise();
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
    assert_int_equal(flm_priority_raise(), before);
    int raised = getpriority(PRIO_PROCESS, 0);
    assert_true(may_rise ? raised <= FLM_PRIORITY_AHEAD : raised == before);
    flm_priority_restore(before);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

static void the_factor_grows_with_the_load_up_to_four(void **state)
{
    (void)state;
    size_t factor = flm_load_factor();
    assert_true(factor == 1 || factor == 2 || factor == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_raised_priority_is_restored),
        cmocka_unit_test(the_factor_grows_with_the_load_up_to_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
