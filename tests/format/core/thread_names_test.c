#include "format/core/thread_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"

static uint32_t string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text)).index;
}

static void roots_have_names_and_numbers(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "");
    const struct flm_thread_names names[] = {
        {0, 0, string(b, "7"), string(b, "worker")}, {0, 0, string(b, "7"), 0}, {0}};
    for (int i = 0; i < 3; i++)
        flm_builder_add(b, flm_thread_root(b, &names[i]), metric, i + 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_folded(p, "thread 3\nthread 7 2\nworker 7 1\n");
    flm_profile_free(p);
}

static void labels_are_those_that_are_known(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "");
    const struct flm_thread_names names = {string(b, "1"), 0, string(b, "2"), string(b, "x")};
    flm_builder_sample(b, 1, flm_builder_root(b), flm_thread_labels(b, &names), metric, 1);
    assert_int_equal(flm_thread_labels(b, &(struct flm_thread_names){0}).index, 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_int_equal(flm_profile_label_count(p), 3);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_have_names_and_numbers),
        cmocka_unit_test(labels_are_those_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
