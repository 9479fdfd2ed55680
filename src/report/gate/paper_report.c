/* paper_report.c - the report of a gate by the method of the paper (gate/verdict/paper.h): the
 * verdict, the stacks that are responsible, the test. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "draw/text/quantity.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

enum { VERSION = 1, STACK_CELLS = 100 };

/* Below this, p is written as a power of ten. */
static const double least_p = 1e-4;

struct making {
    const struct flm_runs *runs;
    const struct flm_paper *paper;
    const struct flm_paper_options *options;
    uint32_t rows;
    struct flm_report *report;
    uint32_t *parent; /* by node */
    uint32_t *order;  /* of the responsible stacks, the largest change first; twice as long */
    uint32_t count;   /* of them */
};

/* ---- The verdict ----------------------------------------------------------------------------- */

void flm_paper_add_verdict(struct flm_text *out, const struct flm_paper *paper,
                           const struct flm_paper_options *options)
{
    bool both = options->side == FLM_SIDE_BOTH;
    if (paper->verdict == FLM_VERDICT_FAIL) {
        flm_text_format(out, "%u stack%s ", paper->failing_count,
                        paper->failing_count == 1 ? "" : "s");
        flm_text_puts(out, both ? "changed" : "grew");
        flm_text_puts(out, " by more than the interval of noise and at least ");
        flm_format_percent(out, options->min_effect);
        flm_text_puts(out, " of base");
    } else if (paper->verdict == FLM_VERDICT_INCONCLUSIVE) {
        flm_text_puts(out, "something differs, and the test cannot say which stack: test fewer "
                           "(--threshold, --most), or without --method=paper");
    } else {
        flm_text_format(out, "no stack that was tested %s by more than the interval of noise and ",
                        both ? "changed" : "grew");
        flm_format_percent(out, options->min_effect);
        flm_text_puts(out, " of base");
    }
    flm_text_puts(out, " (alpha ");
    flm_format_rounded(out, options->alpha, 3);
    flm_text_puts(out, ")");
}

static void add_verdict(const struct making *m)
{
    struct flm_text sentence = {0};
    const char *verdict = flm_verdict_name(m->paper->verdict);
    flm_paper_add_verdict(&sentence, m->paper, m->options);
    flm_text_add(flm_report_add_heading(m->report, "flamel gate", verdict),
                 flm_text_bytes(&sentence));
    flm_report_add_text(m->report, "report", flm_bytes_of("gate"));
    flm_report_add_number(m->report, "version", VERSION);
    flm_report_add_text(m->report, "method", flm_bytes_of("paper"));
    flm_report_add_text(m->report, "verdict", flm_bytes_of(verdict));
    flm_report_add_text(m->report, "sentence", flm_text_bytes(&sentence));
    m->report->failed |= sentence.failed;
    flm_text_clear(&sentence);
}

static void add_total(const struct making *m)
{
    double base = m->paper->base_total, new = m->paper->new_total;
    struct flm_report *report = m->report;
    flm_gate_begin_total(report, FLM_JSON_OBJECT_LINE, base, new);
    flm_report_end(report);
    for (int markdown = 0; markdown < 2; markdown++) {
        struct flm_text *line = flm_report_add_line(
            report, markdown ? FLM_IN_MARKDOWN : FLM_IN_TEXT, true, FLM_TONE_PLAIN);
        flm_text_puts(line, markdown ? "Total: " : "total: ");
        flm_format_totals(line, m->runs, base, new);
        flm_report_indent_line(report, 2);
    }
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static int by_change(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_paper_stack *stack = context;
    double x = fabs(stack[a].difference), y = fabs(stack[b].difference);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

enum { ITEM_STACK, ITEM_CHANGE = 4, ITEM_SEEN = 7, ITEM_CHANGE_TEXT = 10 };

static void add_item_columns(const struct making *m)
{
    static const char *const columns[] = {"stack", "part", "base",  "new",   "change", "half_width",
                                          "share", "seen", "exact", "fails", NULL};
    static const char *const seen[] = {"seen_change", "interval", "seen_fails", "where", NULL};
    const struct flm_report_view views[] = {
        {.heading = "change", .column = ITEM_CHANGE_TEXT, .kind = FLM_COLUMN_NUMBER},
        {.heading = "of base",
         .column = ITEM_CHANGE,
         .format = FLM_VIEW_AS_CHANGE_SHARE,
         .kind = FLM_COLUMN_NUMBER,
         .whole = m->paper->base_total},
        {.heading = "interval", .column = ITEM_CHANGE_TEXT + 1, .kind = FLM_COLUMN_TEXT},
        {.heading = "runs",
         .column = ITEM_SEEN,
         .format = FLM_VIEW_AS_COUNT,
         .kind = FLM_COLUMN_NUMBER},
        {.heading = "", .column = ITEM_CHANGE_TEXT + 2, .kind = FLM_COLUMN_TEXT},
        {.heading = "where", .column = ITEM_CHANGE_TEXT + 3, .kind = FLM_COLUMN_STACK}};
    flm_report_add_columns(m->report, columns, FLM_IN_PROGRAMS);
    flm_report_add_columns(m->report, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
}

static void add_item(const struct making *m, const struct flm_paper_stack *stack, unsigned forms)
{
    struct flm_report *report = m->report;
    flm_report_begin_row(report, 0, forms);
    flm_report_cell_node(report, m->runs, m->parent, stack->node);
    flm_report_cell_bytes(report, flm_bytes_of(flm_part_name(stack->part)));
    flm_report_cell_number(report, stack->base_mean);
    flm_report_cell_number(report, stack->new_mean);
    flm_report_cell_number(report, stack->difference);
    flm_report_cell_number(report, stack->half_width);
    flm_report_cell_number(report, stack->difference / m->paper->base_total);
    flm_report_cell_number(report, stack->seen);
    flm_report_cell_bool(report, stack->is_constant);
    flm_report_cell_bool(report, stack->is_failing);
    flm_format_signed(flm_report_cell_text(report), m->runs, stack->difference);
    struct flm_text *interval = flm_report_cell_text(report);
    if (stack->is_constant) {
        flm_text_puts(interval, "exactly");
    } else {
        flm_text_puts(interval, "+- ");
        flm_format_quantity(interval, m->runs, stack->half_width);
    }
    flm_report_cell_bytes(report, flm_bytes_of(stack->is_failing ? "fails" : ""));
    if (stack->is_failing)
        flm_report_cell_tone(report, FLM_TONE_STRONG);
    struct flm_text *where = flm_report_cell_text(report);
    flm_format_short_stack(where, m->runs->tree, stack->node);
    if (stack->part == FLM_PART_APPEARED || stack->part == FLM_PART_DISAPPEARED)
        flm_text_format(where, ", %s", flm_part_name(stack->part));
}

static void add_items(struct making *m)
{
    const struct flm_paper *paper = m->paper;
    for (uint32_t i = 0; i < paper->stack_count; i++)
        if (paper->stack[i].is_responsible)
            m->order[m->count++] = i;
    flm_sort(m->order, m->count, m->order + paper->stack_count, by_change, paper->stack);
    struct flm_report_table *table = flm_report_begin_table(
        m->report, "items", m->count > 0 ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    if (table)
        table->is_spread = true;
    add_item_columns(m);
    uint32_t shown = m->rows > 0 && m->rows < m->count ? m->rows : m->count;
    for (uint32_t i = 0; i < m->count; i++)
        add_item(m, &paper->stack[m->order[i]], FLM_IN_PROGRAMS | (i < shown ? FLM_IN_PEOPLES : 0));
    if (shown < m->count)
        flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN),
                        "and %u smaller change%s", m->count - shown,
                        m->count - shown == 1 ? "" : "s");
}

static void add_parts(const struct making *m)
{
    static const enum flm_part parts[] = {FLM_PART_APPEARED, FLM_PART_GROWN, FLM_PART_DISAPPEARED,
                                          FLM_PART_SHRUNK};
    flm_report_begin(m->report, "parts", FLM_JSON_OBJECT_LINE);
    for (int i = 0; i < 4; i++)
        flm_report_add_number(m->report, flm_part_name(parts[i]), m->paper->part[parts[i]]);
    flm_report_end(m->report);
    if (m->count == 0)
        return;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(line, "these together: ");
    for (int i = 0; i < 4; i++) {
        double size = m->paper->part[parts[i]];
        flm_text_format(line, "%s%s ", i > 0 ? ", " : "", flm_part_name(parts[i]));
        flm_format_signed(line, m->runs, i < 2 ? size : -size);
    }
}

/* ---- The test -------------------------------------------------------------------------------- */

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

static void add_left_out(const struct making *m, struct flm_text *out, double left_out,
                         double total)
{
    flm_format_quantity(out, m->runs, left_out);
    flm_text_puts(out, " (");
    flm_percent_add(out, left_out, total > 0 ? total : 1);
    flm_text_puts(out, ")");
}

static void add_test_lines(const struct making *m)
{
    const struct flm_paper *paper = m->paper;
    struct flm_text *out = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(out, "tested: ");
    flm_count_add(out, paper->stack_count - paper->constant_count);
    flm_text_puts(out, " of ");
    flm_count_add(out, paper->distinct_count);
    flm_text_format(out, " stacks, which are in at least %u of %u runs", m->options->threshold,
                    m->runs->run_count);
    if (paper->constant_count > 0) {
        flm_text_puts(out, "; ");
        flm_count_add(out, paper->constant_count);
        flm_text_puts(out, " more never vary on either side, which needs no test");
    }
    flm_text_puts(out, "\n(other): the rest has ");
    add_left_out(m, out, paper->base_left_out, paper->base_total);
    flm_text_puts(out, " in base and ");
    add_left_out(m, out, paper->new_left_out, paper->new_total);
    flm_text_puts(out, " in new, and is not tested");
    flm_report_indent_line(m->report, 2);
    if (!paper->has_test)
        return;
    out = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_puts(out, "Hotelling's T2 ");
    flm_format_rounded(out, paper->test.t2, 6);
    flm_text_format(out, ", F(%u, %u) ", (unsigned)paper->test.d1, (unsigned)paper->test.d2);
    flm_format_rounded(out, paper->test.f, 5);
    flm_text_puts(out, ", p ");
    add_p(out, &paper->test);
    flm_text_puts(out, "; F* ");
    flm_format_rounded(out, paper->f_star, 5);
    flm_report_indent_line(m->report, 2);
}

static void add_test_facts(const struct making *m)
{
    const struct flm_paper *paper = m->paper;
    const struct flm_paper_options *o = m->options;
    struct flm_report *report = m->report;
    flm_gate_begin_options(report, o->alpha, o->side, o->min_effect);
    flm_report_add_number(report, "threshold", o->threshold);
    flm_report_add_number(report, "most", o->most);
    flm_report_end(report);
    flm_report_begin(report, "test", FLM_JSON_OBJECT);
    flm_report_add_number(report, "stacks", paper->distinct_count);
    flm_report_add_number(report, "tested", paper->stack_count - paper->constant_count);
    flm_report_add_number(report, "constant", paper->constant_count);
    flm_report_add_number(report, "left_out_base", paper->base_left_out);
    flm_report_add_number(report, "left_out_new", paper->new_left_out);
    if (paper->has_test) {
        flm_report_add_number(report, "t2", paper->test.t2);
        flm_report_add_number(report, "f", paper->test.f);
        flm_report_add_number(report, "d1", paper->test.d1);
        flm_report_add_number(report, "d2", paper->test.d2);
        flm_report_add_number(report, "p", paper->test.p_value);
        flm_report_add_number(report, "log10_p", paper->test.log10_p);
        flm_report_add_number(report, "f_star", paper->f_star);
    }
    flm_report_end(report);
}

/* ---- The report ------------------------------------------------------------------------------ */

static struct flm_report *make(struct making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_verdict(m);
    flm_gate_add_metric(m->report, m->runs, 0);
    add_total(m);
    add_items(m);
    add_parts(m);
    add_test_lines(m);
    add_test_facts(m);
    flm_gate_add_runs(m->report, m->runs, NULL);
    return flm_report_finish(m->report, why);
}

struct flm_report *flm_paper_report_make(const struct flm_runs *runs, const struct flm_paper *paper,
                                         const struct flm_paper_options *options, uint32_t rows,
                                         struct flm_error *why)
{
    assert(runs && paper && options);
    struct making m = {.runs = runs, .paper = paper, .options = options, .rows = rows};
    struct flm_report *report = NULL;
    m.parent = flm_runs_parents(runs, why);
    m.order = malloc((2 * (size_t)paper->stack_count + 1) * sizeof *m.order);
    if (m.parent && m.order)
        report = make(&m, why);
    else
        flm_error_memory(why);
    free(m.parent);
    free(m.order);
    return report;
}
