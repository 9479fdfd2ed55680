/* gate_report.c - a gate as a report. flamel-gate(1) documents the JSON, which stays compatible. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

enum { VERSION = 1, STACK_CELLS = 100, MOST_MARKDOWN_ROWS = 100 };

/* ---- The verdict ----------------------------------------------------------------------------- */

static void add_verdict(const struct flm_gate_making *m)
{
    const struct flm_gate *gate = m->r->gate;
    struct flm_text sentence = {0};
    flm_gate_add_verdict(&sentence, m->r);
    struct flm_bytes text = {sentence.at, sentence.size};
    const char *verdict = flm_verdict_name(gate->verdict);
    flm_text_add(flm_report_add_heading(m->report, "flamel gate", verdict), text);
    flm_report_add_text(m->report, "report", flm_bytes_of("gate"));
    flm_report_add_number(m->report, "version", VERSION);
    flm_report_add_text(m->report, "verdict", flm_bytes_of(verdict));
    flm_report_add_text(m->report, "sentence", text);
    m->report->failed |= sentence.failed;
    flm_text_clear(&sentence);
}

static void add_total_facts(const struct flm_gate_making *m)
{
    const struct flm_gate_column *c = &m->r->gate->total;
    struct flm_report *report = m->report;
    flm_gate_begin_total(report, FLM_JSON_OBJECT, c->base_mean, c->new_mean);
    flm_report_add_number(report, "low", c->low);
    flm_report_add_number(report, "high", c->high);
    flm_report_add_number(report, "t", c->t);
    flm_report_add_number(report, "p", c->p);
    flm_report_add_bool(report, "significant", c->is_significant);
    flm_report_add_bool(report, "fails", c->is_failing);
    flm_report_end(report);
}

static void add_total_line(const struct flm_gate_making *m, unsigned form, const char *begin)
{
    const struct flm_gate_column *total = &m->r->gate->total;
    struct flm_text *line = flm_report_add_line(m->report, form, true, FLM_TONE_PLAIN);
    flm_text_puts(line, begin);
    flm_format_totals(line, m->r->runs, total->base_mean, total->new_mean);
    if (!m->r->options->absolute_only && !m->r->options->exact) {
        flm_text_puts(line, ", p ");
        flm_format_rounded(line, total->p, 2);
        if (total->is_failing) {
            flm_text_puts(line, ", ");
            flm_report_begin_strong(m->report);
            flm_text_puts(line, "fails");
        }
    }
    flm_report_indent_line(m->report, 2);
}

/* ---- What changed ---------------------------------------------------------------------------- */

enum {
    ITEM_STACK,
    ITEM_CHANGE = 2,
    ITEM_INTERVAL = 13, /* only for people */
    ITEM_P,
    ITEM_FAILS,
    ITEM_KIND
};

static void add_item_columns(const struct flm_gate_making *m)
{
    static const char *const columns[] = {
        "stack",      "scope",     "change",   "share",       "low",          "high",  "p",
        "share_only", "seen_base", "seen_new", "moved_below", "renamed_from", "fails", NULL};
    static const char *const seen[] = {"interval", "seen_p", "seen_fails", "kind", NULL};
    double base = m->r->gate->total.base_mean;
    const struct flm_report_view views[] = {
        {.heading = "change",
         .column = ITEM_CHANGE,
         .format = FLM_VIEW_AS_CHANGE,
         .kind = FLM_COLUMN_NUMBER,
         .whole = base,
         .unit = flm_runs_unit(m->r->runs),
         .is_mean = true,
         .has_unit = true},
        {.heading = "of base",
         .column = ITEM_CHANGE,
         .format = FLM_VIEW_AS_CHANGE_SHARE,
         .kind = FLM_COLUMN_NUMBER,
         .whole = base},
        {.heading = "interval", .column = ITEM_INTERVAL, .kind = FLM_COLUMN_TEXT, .leave_out = 2},
        {.heading = "p", .column = ITEM_P, .kind = FLM_COLUMN_NUMBER, .leave_out = 3},
        {.heading = "", .column = ITEM_FAILS, .kind = FLM_COLUMN_TEXT},
        {.heading = "", .column = ITEM_KIND, .kind = FLM_COLUMN_TEXT},
        {.heading = "where", .column = ITEM_STACK, .kind = FLM_COLUMN_STACK}};
    flm_report_add_columns(m->report, columns, FLM_IN_PROGRAMS);
    flm_report_add_columns(m->report, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
}

static void add_item(const struct flm_gate_making *m, const struct flm_item *item, unsigned forms)
{
    static const char *const scopes[] = {
        [FLM_ITEM_SELF] = "self", [FLM_ITEM_SPREAD] = "spread", [FLM_ITEM_REST] = "rest"};
    const struct flm_gate_column *c = &m->r->gate->column[item->column];
    struct flm_report *report = m->report;
    bool is_rest = item->scope == FLM_ITEM_REST;
    flm_report_begin_row(report, 0, forms);
    flm_report_cell_node(m->report, m->r->runs, m->parent, item->node);
    flm_report_cell_bytes(report, flm_bytes_of(scopes[item->scope]));
    flm_report_cell_number(report, item->change);
    flm_report_cell_number(report, flm_gate_share(m, item->change));
    flm_report_cell_number(report, is_rest ? (double)NAN : c->low);
    flm_report_cell_number(report, is_rest ? (double)NAN : c->high);
    flm_report_cell_number(report, c->p);
    flm_report_cell_bool(report, c->by_size_only);
    flm_report_cell_number(report, item->base_seen);
    flm_report_cell_number(report, item->new_seen);
    flm_report_cell_node(m->report, m->r->runs, m->parent, item->moved_below);
    if (item->rename != FLM_NONE)
        flm_report_cell_bytes(report,
                              flm_text_bytes(&m->r->gate->renames.rename[item->rename].from));
    else
        flm_report_cell_null(report);
    flm_report_cell_bool(report, item->is_failing);
    flm_gate_add_interval(flm_report_cell_text(report), m->r, item);
    struct flm_text *p = flm_report_cell_text(report);
    if (!m->r->options->exact)
        flm_format_rounded(p, c->p, 2);
    flm_report_cell_bytes(report, flm_bytes_of(item->is_failing ? "fails" : ""));
    if (item->is_failing)
        flm_report_cell_tone(report, FLM_TONE_STRONG);
    flm_gate_add_kind(flm_report_cell_text(report), m->r, item);
}

/* After the table of those that are shown. */
static void add_smaller(const struct flm_gate_making *m, unsigned forms, uint32_t shown)
{
    uint32_t count = m->r->gate->found.count;
    if (shown < count)
        flm_text_format(flm_report_add_line(m->report, forms, false, FLM_TONE_PLAIN),
                        "and %u smaller change%s", count - shown, count - shown == 1 ? "" : "s");
}

static void add_items(const struct flm_gate_making *m)
{
    uint32_t count = m->r->gate->found.count;
    uint32_t shown = m->r->rows > 0 && m->r->rows < count ? m->r->rows : count;
    uint32_t shown_in_markdown = shown < MOST_MARKDOWN_ROWS ? shown : MOST_MARKDOWN_ROWS;
    struct flm_report_table *table =
        flm_report_begin_table(m->report, "items", shown > 0 ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    if (table) {
        table->is_spread = true;
        table->most_cells = STACK_CELLS;
    }
    add_item_columns(m);
    for (uint32_t i = 0; i < count; i++)
        add_item(m, &m->r->gate->found.item[i],
                 FLM_IN_PROGRAMS | (i < shown ? FLM_IN_TEXT : 0) |
                     (i < shown_in_markdown ? FLM_IN_MARKDOWN : 0));
    if (shown > 0) {
        add_smaller(m, FLM_IN_TEXT, shown);
        add_smaller(m, FLM_IN_MARKDOWN, shown_in_markdown);
    }
}

static void add_more(const struct flm_gate_making *m)
{
    struct flm_text lines = {0};
    flm_gate_add_more(&lines, m->r);
    if (lines.size > 0) {
        /* Without the last newline, which ends the line. */
        flm_text_add(flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN),
                     (struct flm_bytes){lines.at, lines.size - 1});
        flm_report_indent_line(m->report, 2);
    }
    m->report->failed |= lines.failed;
    flm_text_clear(&lines);
}

/* ---- Noise, and the detectable effect -------------------------------------------------------- */

enum { NOISE_STACK, NOISE_BETWEEN = 6, NOISE_SAMPLING, NOISE_MDE };

static void cell_percent(const struct flm_gate_making *m, double share, bool is_known,
                         const char *otherwise)
{
    struct flm_text *cell = flm_report_cell_text(m->report);
    if (is_known)
        flm_format_percent(cell, share);
    else
        flm_text_puts(cell, otherwise);
}

static void add_noise_row(const struct flm_gate_making *m, const struct flm_noise_row *row)
{
    struct flm_report *report = m->report;
    bool is_total = row->column == FLM_NONE;
    flm_report_begin_row(report, 0, is_total ? FLM_IN_PEOPLES : FLM_IN_ALL);
    if (is_total)
        flm_report_cell_bytes(report, flm_bytes_of("total"));
    else
        flm_report_cell_node(m->report, m->r->runs, m->parent,
                             m->r->gate->columns.key[row->column].node);
    flm_report_cell_number(report, row->mean);
    flm_report_cell_number(report, row->cv);
    flm_report_cell_number(report, row->counted > 0 ? row->counted : (double)NAN);
    flm_report_cell_number(report, row->mde);
    flm_report_cell_number(report, row->runs_needed);
    cell_percent(m, row->cv, row->mean > 0, "");
    cell_percent(m, row->counted, row->counted > 0, "");
    cell_percent(m, row->mde / row->mean, row->mean > 0 && row->mde < INFINITY, "none");
}

static void add_noise_total(const struct flm_gate_making *m)
{
    const struct flm_noise_row *row = &m->r->gate->noise.total;
    flm_report_begin(m->report, "total", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(m->report, "base", row->mean);
    flm_report_add_number(m->report, "between_runs", row->cv);
    flm_report_add_number(m->report, "sampling", row->counted > 0 ? row->counted : (double)NAN);
    flm_report_add_number(m->report, "detectable", row->mde);
    flm_report_add_number(m->report, "runs_needed", row->runs_needed);
    flm_report_end(m->report);
}

static void add_noise_table(const struct flm_gate_making *m)
{
    static const char *const columns[] = {
        "stack", "base", "between_runs", "sampling", "detectable", "runs_needed", NULL};
    static const char *const seen[] = {"seen_between", "seen_sampling", "seen_mde", NULL};
    const struct flm_report_view views[] = {
        {.heading = "between runs", .column = NOISE_BETWEEN, .kind = FLM_COLUMN_NUMBER},
        {.heading = "sampling",
         .column = NOISE_SAMPLING,
         .kind = FLM_COLUMN_NUMBER,
         .leave_out = 1},
        {.heading = "MDE", .column = NOISE_MDE, .kind = FLM_COLUMN_NUMBER},
        {.heading = "where", .column = NOISE_STACK, .kind = FLM_COLUMN_STACK}};
    const struct flm_noise *noise = &m->r->gate->noise;
    unsigned people = m->r->options->exact ? 0 : FLM_IN_PEOPLES;
    struct flm_report_table *table =
        flm_report_begin_table(m->report, "stacks", FLM_IN_JSON | people, false);
    if (table)
        table->most_cells = STACK_CELLS;
    flm_report_add_columns(m->report, columns, FLM_IN_JSON);
    flm_report_add_columns(m->report, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
    add_noise_row(m, &noise->total);
    for (uint32_t i = 0; i < noise->count; i++)
        add_noise_row(m, &noise->row[i]);
}

static void add_noise(const struct flm_gate_making *m)
{
    flm_report_begin_section(m->report, m->r->options->exact ? "Method" : "Noise and method", "",
                             false);
    flm_report_begin(m->report, "noise", FLM_JSON_OBJECT);
    flm_report_add_number(m->report, "wanted", m->r->gate->noise.wanted);
    add_noise_total(m);
    add_noise_table(m);
    flm_report_end(m->report);
    flm_gate_add_detectable(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN),
                            m->r);
    flm_report_indent_line(m->report, 2);
    for (int markdown = 0; markdown < 2; markdown++) {
        unsigned form = markdown ? FLM_IN_MARKDOWN : FLM_IN_TEXT;
        flm_gate_add_method(flm_report_add_line(m->report, form, markdown, FLM_TONE_PLAIN), m->r);
        flm_report_indent_line(m->report, 2);
    }
    flm_report_end_section(m->report);
}

/* ---- The report ------------------------------------------------------------------------------ */

static struct flm_report *make(struct flm_gate_making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_verdict(m);
    flm_gate_add_metric(m->report, m->r->runs, m->r->gate->unit);
    add_total_facts(m);
    add_total_line(m, FLM_IN_TEXT, "total: ");
    add_total_line(m, FLM_IN_MARKDOWN, "Total: ");
    add_items(m);
    add_more(m);
    flm_gate_add_change_tables(m);
    add_noise(m);
    flm_gate_add_test_tables(m);
    return flm_report_finish(m->report, why);
}

struct flm_report *flm_gate_report_make(const struct flm_gate_report *gate, struct flm_error *why)
{
    assert(gate->gate && gate->runs && gate->options);
    struct flm_gate_making m = {.r = gate};
    m.parent = flm_runs_parents(gate->runs, why);
    struct flm_report *report = m.parent ? make(&m, why) : NULL;
    free(m.parent);
    return report;
}
