#include "net/tenant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void tenants_have_names_that_are_harmless(void **state)
{
    char name[200] = {0};
    (void)state;
    assert_true(flm_is_tenant("team-1.a_B"));
    assert_false(flm_is_tenant(""));
    assert_false(flm_is_tenant("a b"));
    assert_false(flm_is_tenant("../a"));
    assert_false(flm_is_tenant("a\r\nX-Other: b"));
    memset(name, 'x', 128);
    assert_true(flm_is_tenant(name));
    name[128] = 'x';
    assert_false(flm_is_tenant(name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenants_have_names_that_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
