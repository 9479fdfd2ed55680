#include "base/text/versioned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct older {
    size_t size;
    int first;
};

struct options {
    size_t size;
    int first, padding;
    const char *second;
};

static void members_that_the_caller_does_not_know_are_zero(void **state)
{
    (void)state;
    struct options to;
    memset(&to, 0xAA, sizeof to);
    const struct older from = {sizeof from, 7};
    assert_true(flm_versioned_copy(&to, sizeof to, &from, "options", NULL));
    assert_int_equal(to.size, sizeof to);
    assert_int_equal(to.first, 7);
    assert_null(to.second);
    assert_true(flm_versioned_copy(&to, sizeof to, NULL, "options", NULL));
    assert_int_equal(to.size, sizeof to);
    assert_int_equal(to.first, 0);
    assert_null(to.second);
}

static void the_same_size_is_copied_unchanged(void **state)
{
    (void)state;
    struct options to;
    const struct options from = {sizeof from, 1, 0, "two"};
    assert_true(flm_versioned_copy(&to, sizeof to, &from, "options", NULL));
    assert_int_equal(to.first, 1);
    assert_string_equal(to.second, "two");
}

static void sizes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *says;
    } bad[] = {{0, "struct options is not set"},
               {sizeof(size_t) - 1, "is not set"},
               {sizeof(struct options) + 1, "this library, which is older"},
               {SIZE_MAX, "which is older"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct options to = {.first = 5};
        const struct options from = {.size = bad[i].size, .first = 1};
        struct flm_error why = {0};
        assert_false(flm_versioned_copy(&to, sizeof to, &from, "options", &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, bad[i].says));
        assert_int_equal(to.first, 5);
        assert_false(flm_versioned_copy(&to, sizeof to, &from, "options", NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_the_caller_does_not_know_are_zero),
        cmocka_unit_test(the_same_size_is_copied_unchanged),
        cmocka_unit_test(sizes_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
