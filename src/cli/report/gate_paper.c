#include "cli/report/gate_paper.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "draw/text/quantity.h"
#include "report/gate/format_value.h"

/* Below this, p is written as a power of ten. */
static const double least_p = 1e-4;

static void add_p(struct flm_text *out, const struct flm_hotelling *test)
{
    if (test->p_value >= least_p) {
        flm_format_rounded(out, test->p_value, 2);
        return;
    }
    flm_text_puts(out, "10^");
    if (test->log10_p > -INFINITY)
        flm_format_rounded(out, test->log10_p, 4);
    else
        flm_text_puts(out, "-inf");
}

static void add_verdict(const struct flm_gate_paper_text *t, const struct flm_paper *paper)
{
    struct flm_text *out = t->out;
    bool both = t->options->side == FLM_SIDE_BOTH;
    if (paper->verdict == FLM_VERDICT_FAIL) {
        flm_text_format(out, "FAIL: %u stack%s ", paper->failing_count,
                        paper->failing_count == 1 ? "" : "s");
        flm_text_puts(out, both ? "changed" : "grew");
        flm_text_puts(out, " by more than the interval of noise and at least ");
        flm_format_percent(out, t->options->min_effect);
        flm_text_puts(out, " of base");
    } else if (paper->verdict == FLM_VERDICT_INCONCLUSIVE) {
        flm_text_puts(out, "INCONCLUSIVE: something differs, and the test cannot say which stack: "
                           "test fewer (--threshold, --most), or without --method=paper");
    } else {
        flm_text_format(out,
                        "PASS: no stack that was tested %s by more than the interval of noise ",
                        both ? "changed" : "grew");
        flm_text_puts(out, "and ");
        flm_format_percent(out, t->options->min_effect);
        flm_text_puts(out, " of base");
    }
    flm_text_puts(out, " (alpha ");
    flm_format_rounded(out, t->options->alpha, 3);
    flm_text_puts(out, ")\n\n");
}

static void add_total(const struct flm_gate_paper_text *t, const struct flm_paper *paper)
{
    struct flm_text *out = t->out;
    double change = paper->new_total - paper->base_total;
    flm_text_puts(out, "total: ");
    flm_format_quantity(out, t->runs, paper->base_total);
    flm_text_format(out, " in base (%u runs), ", t->runs->base_count);
    flm_format_quantity(out, t->runs, paper->new_total);
    flm_text_format(out, " in new (%u): ", t->runs->new_count);
    flm_format_signed(out, t->runs, change);
    flm_text_puts(out, " (");
    flm_format_share(out, change, paper->base_total);
    flm_text_puts(out, ")\n");
}

static void add_left_out(const struct flm_gate_paper_text *t, double left_out, double total)
{
    flm_format_quantity(t->out, t->runs, left_out);
    flm_text_puts(t->out, " (");
    flm_percent_add(t->out, left_out, total > 0 ? total : 1);
    flm_text_puts(t->out, ")");
}

static void add_test(const struct flm_gate_paper_text *t, const struct flm_paper *paper)
{
    struct flm_text *out = t->out;
    flm_text_puts(out, "\ntested: ");
    flm_count_add(out, paper->stack_count - paper->constant_count);
    flm_text_puts(out, " of ");
    flm_count_add(out, paper->distinct_count);
    flm_text_format(out, " stacks, which are in at least %u of %u runs", t->options->threshold,
                    t->runs->run_count);
    if (paper->constant_count > 0) {
        flm_text_puts(out, "; ");
        flm_count_add(out, paper->constant_count);
        flm_text_puts(out, " more never vary on either side, which needs no test");
    }
    flm_text_puts(out, "\n(other): the rest has ");
    add_left_out(t, paper->base_left_out, paper->base_total);
    flm_text_puts(out, " in base and ");
    add_left_out(t, paper->new_left_out, paper->new_total);
    flm_text_puts(out, " in new, and is not tested\n");
    if (!paper->has_test)
        return;
    flm_text_puts(out, "Hotelling's T2 ");
    flm_format_rounded(out, paper->test.t2, 6);
    flm_text_format(out, ", F(%u, %u) ", (unsigned)paper->test.d1, (unsigned)paper->test.d2);
    flm_format_rounded(out, paper->test.f, 5);
    flm_text_puts(out, ", p ");
    add_p(out, &paper->test);
    flm_text_puts(out, "; F* ");
    flm_format_rounded(out, paper->f_star, 5);
    flm_text_putc(out, '\n');
}

static void add_parts(const struct flm_gate_paper_text *t, const struct flm_paper *paper)
{
    static const enum flm_part parts[] = {FLM_PART_APPEARED, FLM_PART_GROWN, FLM_PART_DISAPPEARED,
                                          FLM_PART_SHRUNK};
    if (paper->responsible_count == 0)
        return;
    flm_text_puts(t->out, "\nthese together: ");
    for (int i = 0; i < 4; i++) {
        double size = paper->part[parts[i]];
        flm_text_format(t->out, "%s%s ", i > 0 ? ", " : "", flm_part_name(parts[i]));
        flm_format_signed(t->out, t->runs, i < 2 ? size : -size);
    }
    flm_text_putc(t->out, '\n');
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static int by_change(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_paper_stack *stack = context;
    double x = fabs(stack[a].difference), y = fabs(stack[b].difference);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void add_stack(const struct flm_gate_paper_text *t, const struct flm_paper *paper,
                      const struct flm_paper_stack *stack, struct flm_table *table)
{
    flm_format_signed(flm_table_cell(table), t->runs, stack->difference);
    flm_format_share(flm_table_cell(table), stack->difference, paper->base_total);
    struct flm_text *cell = flm_table_cell(table);
    if (stack->is_constant) {
        flm_text_puts(cell, "exactly");
    } else {
        flm_text_puts(cell, "+- ");
        flm_format_quantity(cell, t->runs, stack->half_width);
    }
    flm_text_format(flm_table_cell(table), "%u", stack->seen);
    flm_text_puts(flm_table_cell(table), stack->is_failing ? "fails" : "");
    cell = flm_table_cell(table);
    flm_format_stack(cell, t->runs->tree, stack->node);
    if (stack->part == FLM_PART_APPEARED || stack->part == FLM_PART_DISAPPEARED)
        flm_text_format(cell, ", %s", flm_part_name(stack->part));
}

static void add_stacks(const struct flm_gate_paper_text *t, const struct flm_paper *paper,
                       uint32_t *order, uint32_t *scratch)
{
    static const struct flm_column columns[] = {
        {"change", FLM_COLUMN_NUMBER, 0}, {"of base", FLM_COLUMN_NUMBER, 0},
        {"interval", FLM_COLUMN_TEXT, 0}, {"runs", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_TEXT, 0},         {"where", FLM_COLUMN_TEXT, 0}};
    uint32_t count = 0, shown = 0;
    struct flm_table table;
    for (uint32_t i = 0; i < paper->stack_count; i++)
        if (paper->stack[i].is_responsible)
            order[count++] = i;
    if (count == 0)
        return;
    flm_sort(order, count, scratch, by_change, paper->stack);
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (; shown < count && (t->rows == 0 || shown < t->rows); shown++)
        add_stack(t, paper, &paper->stack[order[shown]], &table);
    flm_text_putc(t->out, '\n');
    flm_table_print(&table, &t->look, t->out);
    flm_table_clear(&table);
    if (shown < count)
        flm_text_format(t->out, "and %u smaller changes\n", count - shown);
}

bool flm_gate_paper_write(const struct flm_gate_paper_text *t, const struct flm_paper *paper)
{
    uint32_t *order = malloc((2 * (size_t)paper->stack_count + 1) * sizeof *order);
    t->out->failed |= !order;
    if (order) {
        add_verdict(t, paper);
        add_total(t, paper);
        add_stacks(t, paper, order, order + paper->stack_count);
        add_parts(t, paper);
        add_test(t, paper);
    }
    free(order);
    return !t->out->failed;
}
