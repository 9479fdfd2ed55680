#include "algebra/sanitize/pseudonyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int by_text(const void *a, const void *b)
{
    return memcmp(a, b, FLM_PSEUDONYM_SIZE);
}

static void names_get_names_of_their_own(void **state)
{
    enum { COUNT = 100000 };
    static char all[COUNT][FLM_PSEUDONYM_SIZE];
    struct flm_pseudonyms pseudonyms;
    (void)state;
    flm_pseudonyms_init(&pseudonyms, flm_bytes_of("a key"));
    for (int i = 0; i < COUNT; i++) {
        char name[20];
        snprintf(name, sizeof name, "function_%d", i);
        flm_pseudonym(&pseudonyms, "fn", flm_bytes_of(name), all[i]);
        assert_true(flm_is_pseudonym(flm_bytes_of(all[i]), "fn"));
        assert_false(flm_is_pseudonym(flm_bytes_of(all[i]), "thread"));
    }
    qsort(all, COUNT, sizeof *all, by_text);
    for (int i = 1; i < COUNT; i++)
        assert_true(by_text(all[i - 1], all[i]) != 0);
}

static void key_kind_and_name_decide(void **state)
{
    struct flm_pseudonyms one, other;
    char a[FLM_PSEUDONYM_SIZE], b[FLM_PSEUDONYM_SIZE];
    (void)state;
    flm_pseudonyms_init(&one, flm_bytes_of("a key"));
    flm_pseudonyms_init(&other, flm_bytes_of("b key"));
    flm_pseudonym(&one, "fn", flm_bytes_of("main"), a);
    flm_pseudonym(&one, "fn", flm_bytes_of("main"), b);
    assert_string_equal(a, b);
    flm_pseudonym(&other, "fn", flm_bytes_of("main"), b);
    assert_string_not_equal(a, b);
    flm_pseudonym(&one, "thread", flm_bytes_of("main"), b);
    assert_string_not_equal(a + 2, b + 6);
    assert_false(flm_is_pseudonym(flm_bytes_of("fn-main"), "fn"));
    assert_false(flm_is_pseudonym(flm_bytes_of("fn-abcdefghil"), "fn"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_get_names_of_their_own),
        cmocka_unit_test(key_kind_and_name_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
