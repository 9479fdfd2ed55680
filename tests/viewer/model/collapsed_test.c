#include "viewer/model/collapsed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void processes_are_added_and_removed_by_name(void **state)
{
    (void)state;
    struct flm_text collapsed = {0};
    assert_false(flm_collapsed_has(&collapsed, flm_bytes_of("10")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("10")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("build, all")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("101")));
    assert_true(flm_collapsed_has(&collapsed, flm_bytes_of("10")));
    assert_true(flm_collapsed_has(&collapsed, flm_bytes_of("build, all")));
    assert_false(flm_collapsed_has(&collapsed, flm_bytes_of("1")));
    assert_false(flm_collapsed_has(&collapsed, flm_bytes_of("build")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("build, all")));
    assert_false(flm_collapsed_has(&collapsed, flm_bytes_of("build, all")));
    assert_true(flm_collapsed_has(&collapsed, flm_bytes_of("101")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("10")));
    assert_true(flm_collapsed_toggle(&collapsed, flm_bytes_of("101")));
    assert_int_equal(collapsed.size, 0);
    flm_text_clear(&collapsed);
}

static bool toggle(void *context, struct flm_error *why)
{
    struct flm_text collapsed = {0};
    (void)context;
    bool good = flm_collapsed_toggle(&collapsed, flm_bytes_of("a process with a long name")) ||
                flm_error_memory(why);
    assert_int_equal(flm_collapsed_has(&collapsed, flm_bytes_of("a process with a long name")),
                     good);
    flm_text_clear(&collapsed);
    return good;
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(toggle, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_added_and_removed_by_name),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
