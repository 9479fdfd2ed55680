#include "format/core/string_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/profile/profiles.h"

static void strings_of_the_profile_keep_their_indices(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 1\nmain;read 2\n");
    struct flm_string_table t = {.profile = p};
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        assert_int_equal(flm_string_table_find(&t, flm_string_bytes(p, i)), i);
    assert_int_equal(flm_string_table_count(&t), p->sizes.string_count);
    flm_string_table_clear(&t);
    flm_profile_free(p);
}

static void others_follow_them_each_once(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_string_table t = {.profile = p};
    uint32_t one = flm_string_table_find(&t, flm_bytes_of("nanoseconds"));
    uint32_t other = flm_string_table_find(&t, flm_bytes_of("bytes"));
    assert_int_equal(one, p->sizes.string_count);
    assert_int_equal(other, one + 1);
    assert_int_equal(flm_string_table_find(&t, flm_bytes_of("nanoseconds")), one);
    assert_int_equal(flm_string_table_find(&t, flm_bytes_of("")), 0);
    assert_int_equal(flm_string_table_count(&t), other + 1);
    assert_true(flm_bytes_are(flm_string_table_at(&t, other), "bytes"));
    flm_string_table_clear(&t);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_the_profile_keep_their_indices),
        cmocka_unit_test(others_follow_them_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
