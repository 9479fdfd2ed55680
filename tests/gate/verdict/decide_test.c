/* When there is no PASS, and when no FAIL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "gate/verdict/gate.h"
#include "support/gate/judged.h"

static const struct run_stack calm[] = {
    {"main;a", 5000, 5000, 0.03}, {"main;b;c", 2000, 2000, 0.05}, {"main;b;d", 900, 900, 0.05},
    {"main;b", 500, 500, 0.08},   {"main;e", 300, 300, 0.1},      {"main;f;g", 80, 80, 0.2},
    {"main;f;h", 40, 40, 0.3}};
enum { CALM = sizeof calm / sizeof calm[0] };

/* Calm, but for one stack. */
static struct table_of_runs with(struct run_stack other, uint32_t base, uint32_t new)
{
    struct run_stack stacks[CALM + 1];
    memcpy(stacks, calm, sizeof calm);
    stacks[CALM] = other;
    return runs_table_drawn(stacks, CALM + 1, base, new, 0.03, 7);
}

/* ---- What cannot be tested ------------------------------------------------------------------- */

/* `shared` samples of each run in a frame that all have, and the others in one of its own. */
static struct table_of_runs runs_of_their_own(unsigned shared, unsigned own)
{
    struct flm_text text = {0};
    flm_text_puts(&text, "all");
    for (int r = 0; r < 16; r++)
        flm_text_format(&text, " %u", shared + r * 5 % 16);
    for (int frame = 0; frame < 16; frame++) {
        flm_text_format(&text, "\nrun%d;main", frame);
        for (int r = 0; r < 16; r++)
            flm_text_format(&text, " %u", r == frame ? own + r * 7 % 16 : 0);
    }
    flm_text_puts(&text, "\n");
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    struct table_of_runs table = runs_table_parse(text.at, 8, 8, "samples", "samples");
    flm_text_clear(&text);
    return table;
}

static void a_pass_needs_half_of_the_total_tested(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct flm_gate_options how = judged_usual();
        how.has_all_columns = all;
        struct judged f = judged_table(runs_of_their_own(10, 10000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        assert_true(f.gate.is_uncovered && f.gate.covered < 0.01);
        judged_clear(&f);
        f = judged_table(runs_of_their_own(9000, 1000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
        assert_true(!f.gate.is_uncovered && f.gate.covered > 0.85 && f.gate.covered < 0.95);
        judged_clear(&f);
        how.tolerance = 0.5;
        f = judged_table(runs_of_their_own(10, 10000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        judged_clear(&f);
    }
    struct judged f =
        judged_table(with((struct run_stack){"main;x", 200, 200, 0.1}, 12, 12), judged_usual());
    assert_true(f.gate.covered == 1);
    judged_clear(&f);
}

static void fewer_than_five_runs_of_a_side_are_inconclusive(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{4, 30}, {30, 4}, {3, 12}};
    for (size_t i = 0; i < 3; i++) {
        struct judged f = judged_table(
            with((struct run_stack){"main;x", 200, 900, 0.05}, sizes[i][0], sizes[i][1]),
            judged_usual());
        assert_true(f.gate.smallest_p <= 0.05); /* permutations would allow more */
        assert_true(f.gate.has_too_few_runs && f.gate.least_runs >= 5);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        judged_clear(&f);
    }
    struct judged f =
        judged_table(with((struct run_stack){"main;x", 200, 900, 0.05}, 5, 30), judged_usual());
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    judged_clear(&f);
}

/* ---- What did not grow ----------------------------------------------------------------------- */

/* Shares of what did not change grow by 25 %; with a t of 2 as the only condition for a size, 4 to
 * 8 of 30 fail. */
static void what_only_grew_in_shares_because_others_got_faster_does_not_fail(void **state)
{
    (void)state;
    const struct simulated_sides_options equal = {
        300, {10, 0.05}, {10, 0.05}, .change = SIDES_MOST_FASTER};
    const struct simulated_sides_options unequal = {
        300, {5, 0.05}, {50, 0.05}, .change = SIDES_MOST_FASTER};
    struct judged_sets v = judged_sides(&equal, 30, 500);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 2);
    assert_int_equal(v.fixed, 0);
    v = judged_sides(&unequal, 30, 500);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_needs_half_of_the_total_tested),
        cmocka_unit_test(fewer_than_five_runs_of_a_side_are_inconclusive),
        cmocka_unit_test(what_only_grew_in_shares_because_others_got_faster_does_not_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
