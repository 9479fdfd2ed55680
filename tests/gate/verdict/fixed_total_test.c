#include "gate/verdict/fixed_total.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gate/verdict/gate.h"
#include "support/core/failures.h"
#include "support/gate/judged.h"
#include "support/gate/runs.h"

/* ---- The total ------------------------------------------------------------------------------- */

struct fixture {
    struct flm_runs runs;
    struct flm_columns columns;
    unsigned char is_new[8];
};

static struct fixture start(const char *table)
{
    struct fixture f;
    f.runs = runs_of(table, 4, 4);
    const struct flm_columns_options all = {0, 0};
    assert_true(flm_columns_init(&f.columns, &f.runs, &all, NULL));
    for (uint32_t i = 0; i < 8; i++)
        f.is_new[i] = f.runs.run[i].is_new;
    return f;
}

static void clear(struct fixture *f)
{
    flm_columns_clear(&f->columns);
    flm_runs_clear(&f->runs);
}

static bool is_fixed(const char *table)
{
    struct fixture f = start(table);
    bool fixed = flm_total_is_fixed(&f.runs, &f.columns, f.is_new);
    clear(&f);
    return fixed;
}

static void a_total_that_does_not_vary_as_its_stacks_do_is_fixed(void **state)
{
    (void)state;
    assert_true(is_fixed("a 40 50 45 60 30 44 52 41\nb 60 50 55 40 70 56 48 59\n"));
    /* Also where one of them gave, and with the last sample here or there. */
    assert_true(is_fixed("a 400 500 450 600 100 140 120 110\nb 601 500 551 400 900 860 881 890\n"));
    /* Each by itself. */
    assert_false(is_fixed("a 40 50 45 60 30 44 52 41\nb 60 70 45 59 40 66 58 42\n"));
    /* Nothing varies; there is one stack. */
    assert_false(is_fixed("a 40 40 40 40 40 40 40 40\nb 60 60 60 60 60 60 60 60\n"));
    assert_false(is_fixed("a 40 50 45 60 30 44 52 41\n"));
}

static void the_reference_is_what_nine_tenths_of_the_program_do_not_exceed(void **state)
{
    (void)state;
    /* 5 % twice as large, 45 % as it was, 50 % half. */
    struct fixture f = start("a 50 50 50 50 100 100 100 100\nb 450 450 450 450 450 450 450 450\n"
                             "c 500 500 500 500 250 250 250 250\nd 0 0 0 0 7 7 7 7\n");
    double reference;
    assert_true(flm_fixed_reference(&f.columns, &f.columns.matrix, f.is_new, &reference, NULL));
    assert_true(reference == 1);
    clear(&f);
    /* 15 %: it is they that may have stayed as they were. */
    f = start("a 150 150 150 150 300 300 300 300\nb 850 850 850 850 850 850 850 850\n");
    assert_true(flm_fixed_reference(&f.columns, &f.columns.matrix, f.is_new, &reference, NULL));
    assert_true(reference == 2);
    clear(&f);
}

static bool make_reference(void *context, struct flm_error *why)
{
    const struct fixture *f = context;
    double reference;
    return flm_fixed_reference(&f->columns, &f->columns.matrix, f->is_new, &reference, why);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct fixture f = start("a 4 5 4 6 3 4 5 4\nb 6 5 5 4 7 5 4 5\n");
    assert_survives_failures(make_reference, &f);
    clear(&f);
}

/* ---- Whole gates ----------------------------------------------------------------------------- */

/* All others have more time, and do more. */
static void what_takes_up_fixed_time_that_others_gave_does_not_fail(void **state)
{
    (void)state;
    const struct simulated_sides_options half = {
        300, {10, 0.05}, {10, 0.05}, .change = SIDES_HALF_LARGEST, .is_fixed = true};
    const struct simulated_sides_options few = {
        3, {10, 0.05}, {10, 0.05}, .change = SIDES_HALF_LARGEST, .is_fixed = true};
    const struct simulated_sides_options most = {
        300, {10, 0.05}, {10, 0.05}, .change = SIDES_MOST_FASTER, .is_fixed = true};
    struct judged_sets v = judged_sides(&half, 20, 500);
    assert_int_equal(v.fixed, 20);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 1);
    assert_in_range(v.count[FLM_VERDICT_PASS], 17, 20);
    v = judged_sides(&few, 20, 500);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 1);
    /* Which of them changed cannot be known. */
    v = judged_sides(&most, 20, 500);
    assert_int_equal(v.fixed, 20);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 1);
    assert_in_range(v.count[FLM_VERDICT_INCONCLUSIVE], 12, 20);
}

static void what_took_more_of_a_fixed_time_than_all_others_fails(void **state)
{
    (void)state;
    const struct simulated_sides_options hot = {300,       {10, 0.05}, {10, 0.05}, TAILS_NORMAL,
                                                SIDES_HOT, 1.5,        true};
    struct judged_sets v = judged_sides(&hot, 20, 500);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 19, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_total_that_does_not_vary_as_its_stacks_do_is_fixed),
        cmocka_unit_test(the_reference_is_what_nine_tenths_of_the_program_do_not_exceed),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(what_takes_up_fixed_time_that_others_gave_does_not_fail),
        cmocka_unit_test(what_took_more_of_a_fixed_time_than_all_others_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
