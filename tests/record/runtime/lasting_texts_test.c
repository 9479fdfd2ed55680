#include "record/runtime/lasting_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static void equal_texts_have_one_address_that_stays(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct flm_lasting_texts texts = {0};
    const char *at[MANY];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char text[16];
            snprintf(text, sizeof text, "Task-%d", i);
            struct flm_bytes kept = flm_lasting_text(&texts, flm_bytes_of(text));
            assert_true(flm_bytes_are(kept, text));
            assert_true(round == 0 || kept.at == at[i]);
            at[i] = kept.at;
        }
    assert_int_equal(texts.items.count, MANY);
    flm_lasting_texts_clear(&texts);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_lasting_texts texts = {0};
        allocation_fail_from(nth);
        struct flm_bytes kept = flm_lasting_text(&texts, flm_bytes_of("a"));
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(kept.size, failed ? 0 : 1);
        flm_lasting_texts_clear(&texts);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_have_one_address_that_stays),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
