#include "cli/report/delayed_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"

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
    bool said = flm_add_delayed_samples(p, &out);
    assert_int_equal(said, out.size > 0);
    snprintf(text, sizeof text, "%.*s", (int)out.size, out.size > 0 ? out.at : "");
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static void many_of_them_are_said(void **state)
{
    (void)state;
    assert_memory_equal(sentence("finish_task_switch", FLM_KIND_KERNEL, 37),
                        "37 % at finish_task_switch: the timer of cpu-clock waits", 56);
    assert_memory_equal(sentence("_raw_spin_unlock_irq", FLM_KIND_KERNEL, 6),
                        "6 % at _raw_spin_unlock_irq: ", 29);
}

static void few_or_others_are_not(void **state)
{
    (void)state;
    assert_string_equal(sentence("finish_task_switch", FLM_KIND_KERNEL, 4), "");
    assert_string_equal(sentence("finish_task_switch", FLM_KIND_NATIVE, 37), "");
    assert_string_equal(sentence("schedule", FLM_KIND_KERNEL, 37), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_of_them_are_said),
        cmocka_unit_test(few_or_others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
