#include "report/probe/sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void counts_and_sums_grow(void **state)
{
    (void)state;
    static const char *const sums[] = {"calls",       "total_ns", "allocated_bytes",
                                       "held_sum_ns", "user_ns",  "bytes"};
    static const char *const others[] = {"average_ns", "p95_ns", "max_ns", "live_bytes", "last",
                                         "line",       "ns",     "_ns",    "totals_ns",  ""};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        assert_true(flm_section_is_sum(sums[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(flm_section_is_sum(others[i]));
}

static void a_unit_is_no_part_of_the_name(void **state)
{
    (void)state;
    assert_true(flm_bytes_are(flm_section_base("total_ns"), "total"));
    assert_true(flm_bytes_are(flm_section_base("allocated_total_bytes"), "allocated_total"));
    assert_true(flm_bytes_are(flm_section_base("bytes"), "bytes"));
    assert_true(flm_bytes_are(flm_section_base("_ns"), "_ns"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_sums_grow),
        cmocka_unit_test(a_unit_is_no_part_of_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
