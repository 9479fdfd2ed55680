#include "cli/report/delayed_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/allocation.h"

/* The sentence on a profile whose function of that name and kind has `ms` of 100 ms. */
static const char *sentence(const char *function, uint8_t kind, double ms)
{
    static char text[400];
    struct flm_text out = {0};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_frame_record record = {
        .function = flm_builder_string(b, function, strlen(function)).index, .kind = kind};
    struct flm_node main =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, main, metric, (100 - ms) * 1e6);
    flm_builder_add(b, flm_builder_child(b, main, flm_builder_frame(b, &record)), metric, ms * 1e6);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    flm_add_delayed_samples(p, metric, &out);
    assert_false(out.failed);
    snprintf(text, sizeof text, "%.*s", (int)out.size, out.size > 0 ? out.at : "");
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static void many_of_them_are_said(void **state)
{
    (void)state;
    const char *said = sentence("finish_task_switch", FLM_KIND_KERNEL, 37);
    assert_ptr_equal(said, strstr(said, "37 % where the kernel enables interrupts "
                                        "(finish_task_switch): the timer of cpu-clock waits"));
    said = sentence("_raw_spin_unlock_irq", FLM_KIND_KERNEL, 6);
    assert_ptr_equal(said, strstr(said, "6 % where the kernel enables interrupts "
                                        "(_raw_spin_unlock_irq): "));
}

static void few_or_others_are_not(void **state)
{
    (void)state;
    assert_string_equal(sentence("finish_task_switch", FLM_KIND_KERNEL, 4), "");
    assert_string_equal(sentence("finish_task_switch", FLM_KIND_NATIVE, 37), "");
    assert_string_equal(sentence("schedule", FLM_KIND_KERNEL, 37), "");
}

/* Each allocation fails once: that is told, and nothing half. */
static void memory_that_runs_out_is_a_failure(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_frame_record record = {
        .function = flm_builder_string(b, "finish_task_switch", 18).index, .kind = FLM_KIND_KERNEL};
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    for (size_t nth = 1;; nth++) {
        struct flm_text out = {0};
        allocation_fail_from(nth);
        flm_add_delayed_samples(p, metric, &out);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(out.failed, failed);
        flm_text_clear(&out);
        if (!failed) {
            assert_true(nth > 1);
            break;
        }
    }
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_of_them_are_said),
        cmocka_unit_test(few_or_others_are_not),
        cmocka_unit_test(memory_that_runs_out_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
