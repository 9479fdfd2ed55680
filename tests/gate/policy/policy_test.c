#include "gate/policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/core/failures.h"

static const char text[] = "# a policy\n"
                           "least-change = 20%\n"
                           "ignore = *_test\n"
                           "\n"
                           "[time]\r\n"
                           "least-calls = 100   # often\n"
                           "least-share=0.5 %\n"
                           "[memory]\n"
                           "  least-change = 0.05\n"
                           "measure = self\n"
                           "ignore = log::* a?c\n"
                           "[cpu]";

static void sections_begin_with_what_stands_before_them(void **state)
{
    (void)state;
    struct flm_policy policy;
    struct flm_error why = {0};
    assert_true(flm_policy_read(&policy, flm_bytes_of(text), &why));
    assert_int_equal(policy.sections.count, 3);
    const struct flm_policy_section *time = &policy.sections.at[0], *memory = time + 1,
                                    *cpu = time + 2;
    assert_true(flm_bytes_are(time->metric, "wall") && flm_bytes_are(memory->metric, "allocated"));
    assert_true(flm_bytes_are(cpu->metric, "cpu"));
    assert_true(time->least_change == 0.2 && time->least_calls == 100);
    assert_true(time->least_share == 0.005 && time->measure == FLM_POLICY_AVERAGE);
    assert_true(memory->least_change == 0.05 && memory->measure == FLM_POLICY_SELF);
    assert_true(cpu->least_change == 0.2 && cpu->least_calls == 0);
    assert_true(flm_policy_ignores(memory, flm_bytes_of("log::write")));
    assert_true(flm_policy_ignores(memory, flm_bytes_of("my_test")));
    assert_true(flm_policy_ignores(memory, flm_bytes_of("abc")));
    assert_false(flm_policy_ignores(time, flm_bytes_of("abc")));
    flm_policy_clear(&policy);
}

static void what_is_not_understood_is_refused_with_its_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[time\n", "line 1"},
        {"[time]\nleast-change = much\n", "line 2"},
        {"[time]\n\nleast_change = 1%\n", "line 3"},
        {"[time]\nleast-change\n", "line 2"},
        {"[time]\nleast-change = -1%\n", "least-change is a share"},
        {"[time]\nleast-calls = nan\n", "least-calls is a number"},
        {"[time]\nmeasure = p95\n", "average, total or self"},
        {"[time]\n[time]\n", "is there already"},
        {"least-change = 1%\n", "no section"},
        {"[]\n", "a section is"},
        {"[", "a section is"},
        {"[ ]", "a section is"},
        {"", "no section"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_policy policy;
        struct flm_error why = {0};
        assert_false(flm_policy_read(&policy, flm_bytes_of(cases[i][0]), &why));
        if (!strstr(why.text, cases[i][1]))
            fail_msg("not '%s' but: %s", cases[i][1], why.text);
        flm_policy_clear(&policy);
    }
}

static bool reads(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_policy policy;
    bool good = flm_policy_read(&policy, flm_bytes_of(text), why);
    flm_policy_clear(&policy);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(reads, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_begin_with_what_stands_before_them),
        cmocka_unit_test(what_is_not_understood_is_refused_with_its_line),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
