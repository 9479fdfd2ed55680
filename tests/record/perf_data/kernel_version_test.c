#include "record/perf_data/kernel_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <cmocka.h>

static void another_kernel_is_not_ours(void **state)
{
    (void)state;
    struct utsname name;
    assert_int_equal(uname(&name), 0);
    static const struct flm_build_id none = {0}, other = {.size = 20, .bytes = {1}};
    /* Where its text began is not known, or is where no kernel lies. */
    assert_false(flm_kernel_is_ours(flm_bytes_of(name.release), &none, 0));
    assert_false(flm_kernel_is_ours(flm_bytes_of(name.release), &none, 0x1000));
    struct flm_build_id own;
    if (flm_kernel_build_id(&own)) /* not where /sys is missing */
        assert_false(flm_kernel_is_ours(flm_bytes_of(name.release), &other, 0xFFFFFFFF81000000));
    assert_false(flm_kernel_is_ours(flm_bytes_of("2.6.9"), &none, 0xFFFFFFFF81000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(another_kernel_is_not_ours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
