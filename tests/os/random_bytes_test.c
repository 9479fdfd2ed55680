#include "os/random_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void two_calls_give_different_bytes(void **state)
{
    unsigned char a[32] = {0}, b[32] = {0}, none[32] = {0};
    struct flm_error why;
    (void)state;
    assert_true(flm_random_bytes(a, sizeof a, &why) && flm_random_bytes(b, sizeof b, &why));
    assert_memory_not_equal(a, b, sizeof a);
    assert_memory_not_equal(a, none, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_calls_give_different_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
