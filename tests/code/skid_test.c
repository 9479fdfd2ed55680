#include "code/skid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *skid(const char *metric)
{
    const char *sentence = flm_metric_skid(flm_bytes_of(metric));
    return sentence ? sentence : "";
}

static void a_timer_is_behind_whatever_its_modifiers(void **state)
{
    (void)state;
    assert_non_null(strstr(skid("cpu-clock"), "a timer"));
    assert_non_null(strstr(skid("task-clock:u"), "a timer"));
    assert_non_null(strstr(skid("cpu-clock:pp"), "a timer"));
}

static void two_p_are_precise_and_one_is_not(void **state)
{
    (void)state;
    static const char *const precise[] = {"cycles:pp", "cycles:upp", "instructions:ppp", "cycles:P",
                                          "cpu/event=0x3c/pp"};
    static const char *const behind[] = {"cycles", "cycles:p", "cycles:up", "cache-misses:u",
                                         "cpu/event=0x3c/"};
    for (size_t i = 0; i < sizeof precise / sizeof *precise; i++)
        assert_non_null(strstr(skid(precise[i]), "at the instruction itself"));
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        assert_non_null(strstr(skid(behind[i]), "with :pp"));
}

static void of_other_metrics_nothing_is_said(void **state)
{
    (void)state;
    static const char *const others[] = {"", ":", "cpu", "alloc_space", "samples:pp", "wall"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_equal(skid(others[i]), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_is_behind_whatever_its_modifiers),
        cmocka_unit_test(two_p_are_precise_and_one_is_not),
        cmocka_unit_test(of_other_metrics_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
