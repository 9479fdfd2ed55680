#include "gate/runs/means.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/gate/runs.h"
#include "support/profile/profiles.h"

static void a_column_is_the_mean_of_its_runs(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("main;a 3 5 4 6 6\n"
                                   "main;b 0 1 2 0 0\n"
                                   "main;c 0 0 0 1 0\n",
                                   3, 2);
    struct flm_profile *p = flm_runs_means(&runs, NULL);
    assert_sound(p);
    struct flm_metric before = flm_profile_metric_named(p, "before");
    struct flm_metric after = flm_profile_metric_named(p, "after");
    assert_int_equal(p->sizes.node_count, runs.tree->sizes.node_count);
    uint32_t a = runs_node(p, "main;a"), b = runs_node(p, "main;b"), c = runs_node(p, "main;c");
    assert_int_equal(a, runs_node(runs.tree, "main;a"));
    assert_true(flm_profile_self(p, before)[a] == 4 && flm_profile_self(p, after)[a] == 6);
    assert_true(flm_profile_self(p, before)[b] == 1 && flm_profile_self(p, after)[b] == 0);
    assert_true(flm_profile_self(p, before)[c] == 0 && flm_profile_self(p, after)[c] == 0.5);
    flm_profile_free(p);

    p = flm_runs_mean(&runs, true, NULL);
    assert_sound(p);
    assert_folded(p, "main;a 6\nmain;c 0.5\n");
    assert_true(flm_bytes_are(flm_string_bytes(p, p->metrics[0].name), "samples"));
    flm_profile_free(p);
    flm_runs_clear(&runs);
}

static void the_mean_of_one_run_is_that_run(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 0\na;b 0.1 7\n", 1, 1);
    struct flm_profile *before = flm_runs_mean(&runs, false, NULL);
    struct flm_profile *after = flm_runs_mean(&runs, true, NULL);
    assert_folded(before, "a 3\na;b 0.1\n");
    assert_folded(after, "a;b 7\n");
    flm_profile_free(before);
    flm_profile_free(after);
    flm_runs_clear(&runs);
}

static void the_mean_of_equal_runs_is_the_run(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 7 7 7 1\na;b 1000000000000003 1000000000000003 "
                                   "1000000000000003 2\na;c 0.1 0.1 0.1 0\n",
                                   3, 1);
    struct flm_profile *before = flm_runs_mean(&runs, false, NULL);
    assert_true(before->self[runs_node(before, "a")] == 7);
    assert_true(before->self[runs_node(before, "a;b")] == 1000000000000003);
    double third = before->self[runs_node(before, "a;c")];
    assert_true(third >= 0.1 && third < 0.1 + 1e-16);
    flm_profile_free(before);
    flm_runs_clear(&runs);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_profile *p = flm_runs_means(context, why);
    flm_profile_free(p);
    return p != NULL;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_runs runs = runs_of("a 3 5\na;b 1 7\n", 1, 1);
    assert_true(assert_survives_failures(make, &runs) > 3);
    flm_runs_clear(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_the_mean_of_its_runs),
        cmocka_unit_test(the_mean_of_one_run_is_that_run),
        cmocka_unit_test(the_mean_of_equal_runs_is_the_run),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
