/* When there is no PASS, and when no FAIL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "gate/verdict/gate.h"
#include "support/gate/runs.h"
#include "support/gate/simulated_sides.h"

struct fixture {
    struct table_of_runs table;
    struct flm_runs runs;
    struct flm_gate gate;
};

/* Takes the table. */
static struct fixture judge(struct table_of_runs table, struct flm_gate_options how)
{
    struct fixture f = {.table = table};
    struct flm_error why = {0};
    f.runs = runs_of_table(&f.table);
    if (!flm_gate_init(&f.gate, &f.runs, &how, &why))
        fail_msg("%s", why.text);
    return f;
}

static void clear(struct fixture *f)
{
    flm_gate_clear(&f->gate);
    flm_runs_clear(&f->runs);
    runs_table_clear(&f->table);
}

static struct flm_gate_options usual(void)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.permutations = 999;
    how.threads = 1;
    how.alpha = 0.05;
    return how;
}

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
        struct flm_gate_options how = usual();
        how.has_all_columns = all;
        struct fixture f = judge(runs_of_their_own(10, 10000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        assert_true(f.gate.is_uncovered && f.gate.covered < 0.01);
        clear(&f);
        f = judge(runs_of_their_own(9000, 1000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_PASS);
        assert_true(!f.gate.is_uncovered && f.gate.covered > 0.85 && f.gate.covered < 0.95);
        clear(&f);
        how.tolerance = 0.5;
        f = judge(runs_of_their_own(10, 10000), how);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        clear(&f);
    }
    struct fixture f = judge(with((struct run_stack){"main;x", 200, 200, 0.1}, 12, 12), usual());
    assert_true(f.gate.covered == 1);
    clear(&f);
}

static void fewer_than_five_runs_of_a_side_are_inconclusive(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{4, 30}, {30, 4}, {3, 12}};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f = judge(
            with((struct run_stack){"main;x", 200, 900, 0.05}, sizes[i][0], sizes[i][1]), usual());
        assert_true(f.gate.smallest_p <= 0.05); /* permutations would allow more */
        assert_true(f.gate.has_too_few_runs && f.gate.least_runs >= 5);
        assert_int_equal(f.gate.verdict, FLM_VERDICT_INCONCLUSIVE);
        clear(&f);
    }
    struct fixture f = judge(with((struct run_stack){"main;x", 200, 900, 0.05}, 5, 30), usual());
    assert_int_equal(f.gate.verdict, FLM_VERDICT_FAIL);
    clear(&f);
}

/* ---- What did not grow ----------------------------------------------------------------------- */

struct verdicts {
    unsigned count[FLM_VERDICT_INCONCLUSIVE + 1], fixed;
};

static struct verdicts judge_sides(const struct simulated_sides_options *options, unsigned sets)
{
    struct verdicts v = {0};
    for (unsigned i = 0; i < sets; i++) {
        struct flm_gate_options how = flm_gate_defaults();
        struct flm_runs runs;
        struct flm_gate gate;
        how.alpha = 0.05;
        how.permutations = 199;
        how.seed = i + 1;
        how.threads = 1;
        struct simulated_sides *s = simulated_sides_new(options, 500 + i);
        assert_non_null(s);
        assert_true(flm_runs_init(&runs, simulated_sides_inputs(s),
                                  options->base.runs + options->new.runs, NULL, NULL));
        assert_true(flm_gate_init(&gate, &runs, &how, NULL));
        v.count[gate.verdict]++;
        v.fixed += gate.total_is_fixed;
        flm_gate_clear(&gate);
        flm_runs_clear(&runs);
        simulated_sides_free(s);
    }
    return v;
}

/* Shares of what did not change grow by 25 %; with a t of 2 as the only condition for a size, 4 to
 * 8 of 30 fail. */
static void what_only_grew_in_shares_because_others_got_faster_does_not_fail(void **state)
{
    (void)state;
    const struct simulated_sides_options equal = {
        300, {10, 0.05}, {10, 0.05}, .change = SIDES_MOST_FASTER};
    const struct simulated_sides_options unequal = {
        300, {5, 0.05}, {50, 0.05}, .change = SIDES_MOST_FASTER};
    struct verdicts v = judge_sides(&equal, 30);
    assert_in_range(v.count[FLM_VERDICT_FAIL], 0, 2);
    assert_int_equal(v.fixed, 0);
    v = judge_sides(&unequal, 30);
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
