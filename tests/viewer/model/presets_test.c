#include "viewer/model/presets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static void assert_presets(const char *folded, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_presets presets;
    struct flm_text titles = {0};
    assert_true(flm_presets_init(&presets, p, NULL));
    for (unsigned i = 0; i < presets.count; i++) {
        struct flm_error why = {0};
        struct flm_text text = {0};
        flm_text_puts(&titles, presets.at[i].title);
        flm_text_putc(&titles, '\n');
        flm_text_add(&text, (struct flm_bytes){presets.at[i].text.at, presets.at[i].text.size});
        flm_text_putc(&text, 0);
        struct flm_profile *applied = flm_apply(p, text.at, NULL, &why);
        if (!applied)
            fail_msg("%s: %s", text.at, why.text);
        flm_profile_free(applied);
        flm_text_clear(&text);
    }
    flm_text_putc(&titles, 0);
    assert_string_equal(titles.at, expected);
    flm_text_clear(&titles);
    flm_presets_clear(&presets);
    flm_profile_free(p);
}

static void only_presets_that_change_something_are_offered(void **state)
{
    (void)state;
    assert_presets("main;work 1\n", "");
    assert_presets("main;work 1\nmain;epoll_wait 9\n", "Without stacks that wait\n");
    assert_presets("main;work;read_[k] 1\nmain;runtime.gcBgMarkWorker 9\n",
                   "Only my code\nWithout garbage collection\nWithout the kernel\n");
    assert_presets("main;f_[i] 1\n", "Inlined functions in their callers\n");
    assert_presets("read_[k] 1\n", ""); /* nothing would be left */
}

static bool make_presets(void *context, struct flm_error *why)
{
    struct flm_presets presets;
    bool ok = flm_presets_init(&presets, context, why);
    if (ok)
        flm_presets_clear(&presets);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("_start;main;epoll_wait 3\nmain;std::sort;read_[k] 4\n");
    assert_true(assert_survives_failures(make_presets, p) > 20);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_presets_that_change_something_are_offered),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
