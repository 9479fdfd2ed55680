#include "format/probe/probe_profile.h"

#include "flamel/gate.h"
#include "flamel/report.h"
#include "support/core/failures.h"
#include "support/probe/probe_image.h"

/* main 1 call, 1000 ns; in it parse, 4 calls, `ticks` ns. */
static struct flm_profile *run_of(uint64_t ticks, uint64_t calls)
{
    struct flm_error why = {0};
    struct image *image = make_image();
    node_of(image, 2)->total = ticks;
    node_of(image, 2)->calls = calls;
    struct flm_profile *p = flm_probe_profile(image_bytes(image), &why);
    assert_non_null(p);
    free(image);
    return p;
}

struct sides {
    struct flm_gate_run runs[4];
    size_t count;
};

static void add(struct sides *sides, struct flm_profile *p, bool is_new)
{
    sides->runs[sides->count++] =
        (struct flm_gate_run){.profile = p, .name = is_new ? "new" : "old", .is_new = is_new};
}

static void clear(struct sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        flm_profile_free((struct flm_profile *)sides->runs[i].profile);
}

static enum flm_gate_verdict judge(const struct sides *sides, const char *policy,
                                   struct flm_report **report)
{
    struct flm_error why = {0};
    enum flm_gate_verdict verdict = FLM_GATE_INCONCLUSIVE;
    struct flm_report *made =
        flm_policy_report(policy, strlen(policy), sides->runs, sides->count, 0, &verdict, &why);
    if (!made)
        fail_msg("%s", why.text);
    if (report)
        *report = made;
    else
        flm_report_free(made);
    return verdict;
}

static void a_call_that_takes_longer_fails(void **state)
{
    (void)state;
    struct sides sides = {.count = 0};
    struct flm_report *report;
    add(&sides, run_of(400, 4), false);
    add(&sides, run_of(480, 4), true);
    assert_int_equal(judge(&sides, "[time]\nleast-change=20%", &report), FLM_GATE_FAIL);
    const struct flm_report_table *t = flm_report_table_named(report, "time");
    assert_int_equal(flm_report_row_count(t), 1);
    assert_true(flm_report_number(t, 0, flm_report_column_named(t, "before")) == 100);
    assert_true(flm_report_number(t, 0, flm_report_column_named(t, "after")) == 120);
    flm_report_free(report);
    assert_int_equal(judge(&sides, "[time]\nleast-change=21%", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[time]\nignore=pars?", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[time]\nleast-calls=5", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[time]\nleast-share=49%", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[calls]\nmeasure=total\nleast-change=1%", NULL), FLM_GATE_PASS);
    clear(&sides);
}

/* As many calls more as it takes longer: a call is as fast as before, the total is not. */
static void more_calls_fail_by_their_total_only(void **state)
{
    (void)state;
    struct sides sides = {.count = 0};
    add(&sides, run_of(400, 4), false);
    add(&sides, run_of(800, 8), true);
    assert_int_equal(judge(&sides, "[time]\n", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[time]\nmeasure=total", NULL), FLM_GATE_FAIL);
    assert_int_equal(judge(&sides, "[calls]\nmeasure=self", NULL), FLM_GATE_FAIL);
    clear(&sides);
}

static void runs_of_a_side_are_taken_together(void **state)
{
    (void)state;
    struct sides sides = {.count = 0};
    add(&sides, run_of(300, 4), false);
    add(&sides, run_of(500, 4), false);
    add(&sides, run_of(420, 4), true);
    assert_int_equal(judge(&sides, "[time]\nleast-change=10%", NULL), FLM_GATE_PASS);
    assert_int_equal(judge(&sides, "[time]\nleast-change=4%", NULL), FLM_GATE_FAIL);
    clear(&sides);
}

static void what_cannot_be_judged_is_said(void **state)
{
    (void)state;
    struct sides sides = {.count = 0};
    struct flm_error why = {0};
    enum flm_gate_verdict verdict;
    add(&sides, run_of(300, 4), false);
    assert_null(flm_policy_report("[time]", 6, sides.runs, 1, 0, &verdict, &why));
    assert_non_null(strstr(why.text, "both sides"));
    add(&sides, run_of(300, 4), true);
    assert_null(flm_policy_report("[memory]", 8, sides.runs, 2, 0, &verdict, &why));
    assert_non_null(strstr(why.text, "old has no metric allocated"));
    clear(&sides);
}

static bool judges(void *context, struct flm_error *why)
{
    const struct sides *sides = context;
    enum flm_gate_verdict verdict;
    struct flm_report *report =
        flm_policy_report("[time]\nignore=x", 15, sides->runs, sides->count, 0, &verdict, why);
    flm_report_free(report);
    return report != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct sides sides = {.count = 0};
    add(&sides, run_of(400, 4), false);
    add(&sides, run_of(800, 4), true);
    assert_survives_failures(judges, &sides);
    clear(&sides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_takes_longer_fails),
        cmocka_unit_test(more_calls_fail_by_their_total_only),
        cmocka_unit_test(runs_of_a_side_are_taken_together),
        cmocka_unit_test(what_cannot_be_judged_is_said),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
