/* gate_report.c - a gate as a report. What programs get is documented in flamel-gate(1), and
 * stays. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "gate/runs/means.h"
#include "profile/columns.h"
#include "report/core/blocks.h"
#include "report/gate/format_value.h"
#include "report/gate/gate_report.h"

enum { VERSION = 1, STACK_CELLS = 100, MOST_MARKDOWN_ROWS = 100 };

struct making {
    const struct flm_gate_report *r;
    struct flm_report *report;
    uint32_t *parent; /* of the nodes of the tree */
};

/* ---- Facts and cells ------------------------------------------------------------------------- */

static void cell_stack(const struct making *m, uint32_t node)
{
    if (node == FLM_NONE) {
        flm_report_cell_null(m->report);
        return;
    }
    flm_report_cell_stack(m->report);
    flm_report_add_node(m->report, m->r->runs->tree, m->parent, node);
}

static void cell_owned(const struct making *m, const struct flm_text *text)
{
    flm_report_cell_bytes(m->report, (struct flm_bytes){text->at, text->size});
}

/* A number; null where the option is not used. */
static void add_asked(struct flm_report *report, const char *key, double value)
{
    if (value > 0)
        flm_report_add_number(report, key, value);
    else
        flm_report_add_null(report, key);
}

static double share_of(const struct making *m, double change)
{
    return change / m->r->gate->total.base_mean;
}

/* Columns in the order of `names`, NULL at the end. */
static void add_columns(const struct making *m, const char *const *names, unsigned forms)
{
    for (; *names; names++)
        flm_report_add_column(m->report, *names, forms);
}

static void add_metric(const struct making *m)
{
    const struct flm_runs *runs = m->r->runs;
    flm_report_begin(m->report, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(m->report, "name",
                        flm_string_bytes(runs->tree, runs->tree->metrics[runs->metric.index].name));
    flm_report_add_text(m->report, "unit", flm_runs_unit(runs));
    add_asked(m->report, "sample", m->r->gate->unit);
    flm_report_end(m->report);
}

static void add_options(const struct making *m)
{
    const struct flm_gate_options *o = m->r->options;
    struct flm_report *report = m->report;
    flm_report_begin(report, "options", FLM_JSON_OBJECT);
    flm_report_add_number(report, "alpha", o->alpha);
    flm_report_add_text(report, "side", flm_bytes_of(o->side == FLM_SIDE_BOTH ? "both" : "growth"));
    flm_report_add_number(report, "min_effect", o->min_effect);
    add_asked(report, "require_mde", o->require_mde);
    add_asked(report, "tolerance", o->tolerance);
    flm_report_add_bool(report, "exact", o->exact);
    flm_report_add_number(report, "permutations", o->permutations);
    flm_report_add_number(report, "seed", (double)o->seed);
    flm_report_add_bool(report, "absolute", o->absolute_only);
    flm_report_add_bool(report, "all_columns", o->has_all_columns);
    flm_report_end(report);
}

static void add_test(const struct making *m)
{
    const struct flm_gate *gate = m->r->gate;
    struct flm_report *report = m->report;
    flm_report_begin(report, "test", FLM_JSON_OBJECT);
    flm_report_add_number(report, "columns", gate->columns.matrix.column_count);
    flm_report_add_number(report, "left_out", gate->columns.left_out_count);
    flm_report_add_bool(report, "by_size",
                        !m->r->options->absolute_only && gate->columns.has_view_by_size);
    flm_report_add_number(report, "permutations", gate->permutations);
    flm_report_add_bool(report, "complete", gate->is_complete);
    flm_report_add_number(report, "smallest_p", gate->smallest_p);
    flm_report_add_number(report, "t_of_intervals", gate->critical);
    flm_report_add_number(report, "t_needed", gate->needed);
    flm_report_add_number(report, "t_needed_of_total", gate->total_needed);
    flm_report_end(report);
}

static void add_side(const struct making *m, const char *name, bool is_new)
{
    static const char *const columns[] = {"file", "total", "size", "block", NULL};
    const struct flm_runs *runs = m->r->runs;
    flm_report_begin_table(m->report, name, FLM_IN_JSON, false);
    add_columns(m, columns, FLM_IN_JSON);
    for (uint32_t i = 0; i < runs->run_count; i++) {
        if (runs->run[i].is_new != is_new)
            continue;
        flm_report_begin_row(m->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(m->report, runs->run[i].name);
        flm_report_cell_number(m->report, runs->run[i].total);
        flm_report_cell_number(m->report, m->r->gate->columns.size_factor[i]);
        flm_report_cell_number(m->report, runs->run[i].block);
    }
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static void add_verdict(const struct making *m)
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

/* The values of a column, or of the total. */
static void add_total_facts(const struct making *m)
{
    const struct flm_gate_column *c = &m->r->gate->total;
    struct flm_report *report = m->report;
    flm_report_begin(report, "total", FLM_JSON_OBJECT);
    flm_report_add_number(report, "base", c->base_mean);
    flm_report_add_number(report, "new", c->new_mean);
    flm_report_add_number(report, "change", c->new_mean - c->base_mean);
    flm_report_add_number(report, "share", share_of(m, c->new_mean - c->base_mean));
    flm_report_add_number(report, "low", c->low);
    flm_report_add_number(report, "high", c->high);
    flm_report_add_number(report, "t", c->t);
    flm_report_add_number(report, "p", c->p);
    flm_report_add_bool(report, "significant", c->is_significant);
    flm_report_add_bool(report, "fails", c->is_failing);
    flm_report_end(report);
}

static void add_total_line(const struct making *m)
{
    const struct flm_gate_column *total = &m->r->gate->total;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(line, "total: ");
    flm_gate_add_total(line, m->r, total->base_mean, total->new_mean);
    if (!m->r->options->absolute_only && !m->r->options->exact) {
        flm_text_puts(line, ", p ");
        flm_format_rounded(line, total->p, 2);
        flm_text_puts(line, total->is_failing ? ", fails" : "");
    }
    flm_report_indent_line(m->report, 2);
}

/* ---- What changed ---------------------------------------------------------------------------- */

enum {
    ITEM_STACK,
    ITEM_CHANGE = 2,
    ITEM_INTERVAL = 13, /* what only people see */
    ITEM_P,
    ITEM_FAILS,
    ITEM_KIND
};

static void add_item_columns(const struct making *m)
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
         .is_mean = true},
        {.heading = "of base",
         .column = ITEM_CHANGE,
         .format = FLM_VIEW_AS_CHANGE_SHARE,
         .kind = FLM_COLUMN_NUMBER,
         .whole = base},
        {.heading = "between", .column = ITEM_INTERVAL, .kind = FLM_COLUMN_TEXT, .leave_out = 2},
        {.heading = "p", .column = ITEM_P, .kind = FLM_COLUMN_NUMBER, .leave_out = 3},
        {.heading = "", .column = ITEM_FAILS, .kind = FLM_COLUMN_TEXT},
        {.heading = "", .column = ITEM_KIND, .kind = FLM_COLUMN_TEXT},
        {.heading = "where", .column = ITEM_STACK, .kind = FLM_COLUMN_STACK}};
    add_columns(m, columns, FLM_IN_PROGRAMS);
    add_columns(m, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
}

static void add_item(const struct making *m, const struct flm_item *item, unsigned forms)
{
    static const char *const scopes[] = {
        [FLM_ITEM_SELF] = "self", [FLM_ITEM_SPREAD] = "spread", [FLM_ITEM_REST] = "rest"};
    const struct flm_gate_column *c = &m->r->gate->column[item->column];
    struct flm_report *report = m->report;
    bool is_rest = item->scope == FLM_ITEM_REST;
    flm_report_begin_row(report, 0, forms);
    cell_stack(m, item->node);
    flm_report_cell_bytes(report, flm_bytes_of(scopes[item->scope]));
    flm_report_cell_number(report, item->change);
    flm_report_cell_number(report, share_of(m, item->change));
    flm_report_cell_number(report, is_rest ? (double)NAN : c->low);
    flm_report_cell_number(report, is_rest ? (double)NAN : c->high);
    flm_report_cell_number(report, c->p);
    flm_report_cell_bool(report, c->by_size_only);
    flm_report_cell_number(report, item->base_seen);
    flm_report_cell_number(report, item->new_seen);
    cell_stack(m, item->moved_below);
    if (item->rename != FLM_NONE)
        cell_owned(m, &m->r->gate->renames.rename[item->rename].from);
    else
        flm_report_cell_null(report);
    flm_report_cell_bool(report, item->is_failing);
    flm_gate_add_interval(flm_report_cell_text(report), m->r, item);
    struct flm_text *p = flm_report_cell_text(report);
    if (!m->r->options->exact)
        flm_format_rounded(p, c->p, 2);
    flm_report_cell_bytes(report, flm_bytes_of(item->is_failing ? "fails" : ""));
    flm_gate_add_kind(flm_report_cell_text(report), m->r, item);
}

/* After the table of those that are shown. */
static void add_smaller(const struct making *m, unsigned forms, uint32_t shown)
{
    uint32_t count = m->r->gate->found.count;
    if (shown < count)
        flm_text_format(flm_report_add_line(m->report, forms, false, FLM_TONE_PLAIN),
                        "and %u smaller change%s", count - shown, count - shown == 1 ? "" : "s");
}

static void add_items(const struct making *m)
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

static void add_more(const struct making *m)
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

static void add_renames(const struct making *m)
{
    static const char *const columns[] = {"from", "to",         "below",   "base",
                                          "new",  "similarity", "changed", NULL};
    const struct flm_renames *renames = &m->r->gate->renames;
    flm_report_begin_table(m->report, "renames", FLM_IN_JSON, false);
    add_columns(m, columns, FLM_IN_JSON);
    for (uint32_t i = 0; i < renames->count; i++) {
        const struct flm_rename *rename = &renames->rename[i];
        flm_report_begin_row(m->report, 0, FLM_IN_JSON);
        cell_owned(m, &rename->from);
        cell_owned(m, &rename->to);
        if (rename->below.size > 0)
            cell_owned(m, &rename->below);
        else
            flm_report_cell_null(m->report);
        flm_report_cell_number(m->report, rename->base);
        flm_report_cell_number(m->report, rename->new);
        flm_report_cell_number(m->report, rename->similarity);
        flm_report_cell_bool(m->report, rename->has_changed);
    }
}

/* A table of rows that have a line for each member in JSON. */
static void begin_spread_table(const struct making *m, const char *name, const char *const *columns)
{
    struct flm_report_table *table = flm_report_begin_table(m->report, name, FLM_IN_JSON, false);
    if (table)
        table->is_spread = true;
    add_columns(m, columns, FLM_IN_JSON);
}

static void add_moves(const struct making *m)
{
    static const char *const columns[] = {"below", "change", "t", "local", "free", NULL};
    begin_spread_table(m, "moves", columns);
    for (uint32_t i = 0; i < m->r->gate->moves.count; i++) {
        const struct flm_move *move = &m->r->gate->moves.move[i];
        flm_report_begin_row(m->report, 0, FLM_IN_JSON);
        cell_stack(m, move->below);
        flm_report_cell_number(m->report, move->change);
        flm_report_cell_number(m->report, move->t);
        flm_report_cell_bool(m->report, move->is_local);
        flm_report_cell_bool(m->report, move->is_free);
    }
}

/* null without a tolerance. */
static void add_tolerance(const struct making *m)
{
    static const char *const columns[] = {"stack", "value", "change", "high", "runs_needed", NULL};
    const struct flm_tolerance *tolerance = &m->r->gate->tolerance;
    struct flm_report *report = m->report;
    if (!tolerance->is_asked) {
        flm_report_add_null(report, "tolerance");
        return;
    }
    flm_report_begin(report, "tolerance", FLM_JSON_OBJECT);
    flm_report_add_bool(report, "significant", tolerance->is_significant);
    flm_report_add_number(report, "change", tolerance->most);
    flm_report_add_number(report, "asked", tolerance->asked_count);
    begin_spread_table(m, "not_significant", columns);
    for (uint32_t i = 0; i < tolerance->count; i++) {
        const struct flm_tolerance_row *row = &tolerance->row[i];
        flm_report_begin_row(report, 0, FLM_IN_JSON);
        cell_stack(m, row->node);
        flm_report_cell_bytes(report, flm_bytes_of(row->is_self ? "self" : "total"));
        flm_report_cell_number(report, row->change);
        flm_report_cell_number(report, row->upper);
        flm_report_cell_number(report, row->runs_needed);
    }
    flm_report_end(report);
}

static void add_significant(const struct making *m)
{
    static const char *const columns[] = {
        "stack", "value", "base",        "new",   "change",    "share",      "low", "high",
        "t",     "p",     "significant", "fails", "t_by_size", "share_only", NULL};
    const struct flm_gate *gate = m->r->gate;
    struct flm_report *report = m->report;
    begin_spread_table(m, "significant", columns);
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++) {
        const struct flm_gate_column *c = &gate->column[i];
        struct flm_column_key key = gate->columns.key[i];
        if (!c->is_significant)
            continue;
        flm_report_begin_row(report, 0, FLM_IN_JSON);
        cell_stack(m, key.node);
        flm_report_cell_bytes(report, flm_bytes_of(key.is_self ? "self" : "total"));
        flm_report_cell_number(report, c->base_mean);
        flm_report_cell_number(report, c->new_mean);
        flm_report_cell_number(report, c->new_mean - c->base_mean);
        flm_report_cell_number(report, share_of(m, c->new_mean - c->base_mean));
        flm_report_cell_number(report, c->low);
        flm_report_cell_number(report, c->high);
        flm_report_cell_number(report, c->t);
        flm_report_cell_number(report, c->p);
        flm_report_cell_bool(report, c->is_significant);
        flm_report_cell_bool(report, c->is_failing);
        flm_report_cell_number(report, c->t_by_size);
        flm_report_cell_bool(report, c->by_size_only);
    }
}

/* ---- What could have been found -------------------------------------------------------------- */

enum { NOISE_STACK, NOISE_BETWEEN = 6, NOISE_SAMPLING, NOISE_FOUND };

static void cell_percent(const struct making *m, double share, bool is_known, const char *otherwise)
{
    struct flm_text *cell = flm_report_cell_text(m->report);
    if (is_known)
        flm_format_percent(cell, share);
    else
        flm_text_puts(cell, otherwise);
}

static void add_noise_row(const struct making *m, const struct flm_noise_row *row)
{
    struct flm_report *report = m->report;
    bool is_total = row->column == FLM_NONE;
    flm_report_begin_row(report, 0, is_total ? FLM_IN_PEOPLES : FLM_IN_ALL);
    if (is_total)
        flm_report_cell_bytes(report, flm_bytes_of("total"));
    else
        cell_stack(m, m->r->gate->columns.key[row->column].node);
    flm_report_cell_number(report, row->mean);
    flm_report_cell_number(report, row->cv);
    flm_report_cell_number(report, row->counted > 0 ? row->counted : (double)NAN);
    flm_report_cell_number(report, row->mde);
    flm_report_cell_number(report, row->runs_needed);
    cell_percent(m, row->cv, row->mean > 0, "");
    cell_percent(m, row->counted, row->counted > 0, "");
    cell_percent(m, row->mde / row->mean, row->mean > 0 && row->mde < INFINITY, "never");
}

static void add_noise_total(const struct making *m)
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

static void add_noise_table(const struct making *m)
{
    static const char *const columns[] = {
        "stack", "base", "between_runs", "sampling", "detectable", "runs_needed", NULL};
    static const char *const seen[] = {"seen_between", "seen_sampling", "seen_found", NULL};
    const struct flm_report_view views[] = {
        {.heading = "between runs", .column = NOISE_BETWEEN, .kind = FLM_COLUMN_NUMBER},
        {.heading = "sampling",
         .column = NOISE_SAMPLING,
         .kind = FLM_COLUMN_NUMBER,
         .leave_out = 1},
        {.heading = "found from", .column = NOISE_FOUND, .kind = FLM_COLUMN_NUMBER},
        {.heading = "where", .column = NOISE_STACK, .kind = FLM_COLUMN_STACK}};
    const struct flm_noise *noise = &m->r->gate->noise;
    unsigned people = m->r->options->exact ? 0 : FLM_IN_PEOPLES;
    struct flm_report_table *table =
        flm_report_begin_table(m->report, "stacks", FLM_IN_JSON | people, false);
    if (table)
        table->most_cells = STACK_CELLS;
    add_columns(m, columns, FLM_IN_JSON);
    add_columns(m, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
    add_noise_row(m, &noise->total);
    for (uint32_t i = 0; i < noise->count; i++)
        add_noise_row(m, &noise->row[i]);
}

static void add_noise(const struct making *m)
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
    flm_gate_add_method(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN),
                        m->r);
    flm_report_indent_line(m->report, 2);
    flm_report_end_section(m->report);
}

/* ---- The report ------------------------------------------------------------------------------ */

static struct flm_report *make(struct making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_verdict(m);
    add_metric(m);
    add_total_facts(m);
    add_total_line(m);
    add_items(m);
    add_more(m);
    add_renames(m);
    add_moves(m);
    add_tolerance(m);
    add_significant(m);
    add_noise(m);
    add_options(m);
    add_test(m);
    add_side(m, "base", false);
    add_side(m, "new", true);
    return flm_report_finish(m->report, why);
}

static bool find_parents(struct making *m, struct flm_error *why)
{
    const struct flm_profile *tree = m->r->runs->tree;
    m->parent = malloc(tree->sizes.node_count * sizeof *m->parent);
    if (!m->parent)
        return flm_error_memory(why);
    flm_profile_parents(tree, m->parent);
    return true;
}

struct flm_report *flm_gate_report_make(const struct flm_gate_report *gate, struct flm_error *why)
{
    assert(gate->gate && gate->runs && gate->options);
    struct making m = {.r = gate};
    struct flm_report *report = find_parents(&m, why) ? make(&m, why) : NULL;
    free(m.parent);
    return report;
}

/* ---- Of runs that cannot be tested ----------------------------------------------------------- */

struct difference {
    double *base, *new, *change; /* by node: means of self values */
    uint32_t *order;             /* of the nodes, the largest change first; twice as long */
};

static int by_size(const void *context, uint32_t a, uint32_t b)
{
    const double *change = context;
    double x = fabs(change[a]), y = fabs(change[b]);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void add_difference_columns(const struct making *m, double largest)
{
    static const char *const columns[] = {"base", "new", "change", "stack", NULL};
    static const char *const headings[] = {"base", "new", "change", "where"};
    add_columns(m, columns, FLM_IN_PROGRAMS);
    for (size_t i = 0; i < 4; i++)
        flm_report_add_view(
            m->report,
            (struct flm_report_view){.heading = headings[i],
                                     .column = i,
                                     .format = i == 2 ? FLM_VIEW_AS_CHANGE : FLM_VIEW_AS_QUANTITY,
                                     .kind = i == 3 ? FLM_COLUMN_STACK : FLM_COLUMN_NUMBER,
                                     .whole = largest,
                                     .unit = flm_runs_unit(m->r->runs),
                                     .is_mean = true});
}

static struct flm_report *make_difference(struct making *m, const struct difference *d,
                                          struct flm_error *why)
{
    uint32_t count = m->r->runs->tree->sizes.node_count;
    double base = 0, new = 0;
    struct flm_report *report = m->report = flm_report_new(why);
    if (!report)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        base += d->base[i];
        new += d->new[i];
        d->order[i] = i;
    }
    flm_sort(d->order, count, d->order + count, by_size, d->change);
    struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_puts(line, "total: ");
    flm_gate_add_total(line, m->r, base, new);
    flm_report_indent_line(report, 2);
    bool is_seen = d->change[d->order[0]] != 0;
    flm_report_begin_table(report, "stacks", is_seen ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    add_difference_columns(m, fmax(base, new));
    for (uint32_t i = 0; i < count && (m->r->rows == 0 || i < m->r->rows); i++) {
        uint32_t node = d->order[i];
        if (d->change[node] == 0)
            break;
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_number(report, d->base[node]);
        flm_report_cell_number(report, d->new[node]);
        flm_report_cell_number(report, d->change[node]);
        cell_stack(m, node);
    }
    return flm_report_finish(report, why);
}

struct flm_report *flm_gate_report_difference(const struct flm_gate_report *gate,
                                              struct flm_error *why)
{
    size_t count = gate->runs->tree->sizes.node_count;
    struct making m = {.r = gate};
    struct difference d = {flm_runs_mean_values(gate->runs, false),
                           flm_runs_mean_values(gate->runs, true), malloc(count * sizeof(double)),
                           malloc(2 * count * sizeof(uint32_t))};
    struct flm_report *report = NULL;
    if (!d.base || !d.new || !d.change || !d.order) {
        flm_error_memory(why);
    } else if (find_parents(&m, why)) {
        for (size_t i = 0; i < count; i++)
            d.change[i] = d.new[i] - d.base[i];
        report = make_difference(&m, &d, why);
    }
    free(m.parent);
    free(d.base);
    free(d.new);
    free(d.change);
    free(d.order);
    return report;
}
