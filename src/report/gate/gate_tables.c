/* gate_tables.c - what the report of a gate has for programs only: every significant column,
 * renames, moves, the options, the test and the runs. flamel-gate(1) documents it. */
#include <math.h>

#include "profile/columns.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

/* ---- Total, metric and runs ------------------------------------------------------------------ */

void flm_gate_begin_total(struct flm_report *report, enum flm_json_shape shape, double base,
                          double new)
{
    flm_report_begin(report, "total", shape);
    flm_report_add_number(report, "base", base);
    flm_report_add_number(report, "new", new);
    flm_report_add_number(report, "change", new - base);
    flm_report_add_number(report, "share", (new - base) / base);
}

/* A number; null where the option is not used. */
static void add_optional(struct flm_report *report, const char *key, double value)
{
    if (value > 0)
        flm_report_add_number(report, key, value);
    else
        flm_report_add_null(report, key);
}

void flm_gate_add_metric(struct flm_report *report, const struct flm_runs *runs, double sample)
{
    flm_report_begin(report, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(report, "name", flm_runs_metric_name(runs));
    flm_report_add_text(report, "unit", flm_runs_unit(runs));
    add_optional(report, "sample", sample);
    flm_report_end(report);
}

static void add_side(struct flm_report *report, const struct flm_runs *runs, const double *size,
                     bool is_new)
{
    static const char *const columns[] = {"file", "total", "size", "block", NULL};
    flm_report_begin_table(report, is_new ? "new" : "base", FLM_IN_JSON, false);
    flm_report_add_columns(report, columns, FLM_IN_JSON);
    for (uint32_t i = 0; i < runs->run_count; i++) {
        if (runs->run[i].is_new != is_new)
            continue;
        flm_report_begin_row(report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(report, runs->run[i].name);
        flm_report_cell_number(report, runs->run[i].total);
        if (size)
            flm_report_cell_number(report, size[i]);
        else
            flm_report_cell_absent(report);
        flm_report_cell_number(report, runs->run[i].block);
    }
}

void flm_gate_add_runs(struct flm_report *report, const struct flm_runs *runs,
                       const double *size_factor)
{
    add_side(report, runs, size_factor, false);
    add_side(report, runs, size_factor, true);
}

/* ---- Options and test ------------------------------------------------------------------------ */

void flm_gate_begin_options(struct flm_report *report, double alpha, enum flm_side side,
                            double min_effect)
{
    flm_report_begin(report, "options", FLM_JSON_OBJECT);
    flm_report_add_number(report, "alpha", alpha);
    flm_report_add_text(report, "side", flm_bytes_of(side == FLM_SIDE_BOTH ? "both" : "growth"));
    flm_report_add_number(report, "min_effect", min_effect);
}

static void add_options(const struct flm_gate_making *m)
{
    const struct flm_gate_options *o = m->r->options;
    struct flm_report *report = m->report;
    flm_gate_begin_options(report, o->alpha, o->side, o->min_effect);
    add_optional(report, "require_mde", o->require_mde);
    add_optional(report, "tolerance", o->tolerance);
    flm_report_add_bool(report, "exact", o->exact);
    flm_report_add_number(report, "permutations", o->permutations);
    flm_report_add_number(report, "seed", (double)o->seed);
    flm_report_add_bool(report, "absolute", o->absolute_only);
    flm_report_add_bool(report, "all_columns", o->has_all_columns);
    flm_report_end(report);
}

static void add_test(const struct flm_gate_making *m)
{
    const struct flm_gate *gate = m->r->gate;
    struct flm_report *report = m->report;
    flm_report_begin(report, "test", FLM_JSON_OBJECT);
    flm_report_add_number(report, "columns", gate->columns.matrix.column_count);
    flm_report_add_number(report, "left_out", gate->columns.left_out_count);
    flm_report_add_bool(report, "by_size",
                        !m->r->options->absolute_only && gate->columns.has_view_by_size);
    flm_report_add_number(report, "covered", gate->covered);
    flm_report_add_bool(report, "fixed_total", gate->total_is_fixed);
    flm_report_add_number(report, "noise_ratio",
                          m->r->options->exact ? (double)NAN : gate->sides.ratio);
    flm_report_add_number(report, "permutations", gate->permutations);
    flm_report_add_bool(report, "complete", gate->is_complete);
    flm_report_add_number(report, "smallest_p", gate->smallest_p);
    flm_report_add_number(report, "t_of_intervals", gate->critical);
    flm_report_add_number(report, "t_needed", gate->needed);
    flm_report_add_number(report, "t_needed_of_total", gate->total_needed);
    flm_report_end(report);
}

void flm_gate_add_test_tables(const struct flm_gate_making *m)
{
    add_options(m);
    add_test(m);
    flm_gate_add_runs(m->report, m->r->runs, m->r->gate->columns.size_factor);
}

/* ---- Changes --------------------------------------------------------------------------------- */

double flm_gate_share(const struct flm_gate_making *m, double change)
{
    return change / m->r->gate->total.base_mean;
}

static void add_renames(const struct flm_gate_making *m)
{
    static const char *const columns[] = {"from", "to",         "below",   "base",
                                          "new",  "similarity", "changed", NULL};
    const struct flm_renames *renames = &m->r->gate->renames;
    flm_report_begin_table(m->report, "renames", FLM_IN_JSON, false);
    flm_report_add_columns(m->report, columns, FLM_IN_JSON);
    for (uint32_t i = 0; i < renames->count; i++) {
        const struct flm_rename *rename = &renames->rename[i];
        flm_report_begin_row(m->report, 0, FLM_IN_JSON);
        flm_report_cell_bytes(m->report, flm_text_bytes(&rename->from));
        flm_report_cell_bytes(m->report, flm_text_bytes(&rename->to));
        if (rename->below.size > 0)
            flm_report_cell_bytes(m->report, flm_text_bytes(&rename->below));
        else
            flm_report_cell_null(m->report);
        flm_report_cell_number(m->report, rename->base);
        flm_report_cell_number(m->report, rename->new);
        flm_report_cell_number(m->report, rename->similarity);
        flm_report_cell_bool(m->report, rename->has_changed);
    }
}

/* A table of rows that have a line for each member in JSON. */
static void begin_spread_table(const struct flm_gate_making *m, const char *name,
                               const char *const *columns)
{
    struct flm_report_table *table = flm_report_begin_table(m->report, name, FLM_IN_JSON, false);
    if (table)
        table->is_spread = true;
    flm_report_add_columns(m->report, columns, FLM_IN_JSON);
}

static void add_moves(const struct flm_gate_making *m)
{
    static const char *const columns[] = {"below", "change", "t", "local", "free", NULL};
    begin_spread_table(m, "moves", columns);
    for (uint32_t i = 0; i < m->r->gate->moves.count; i++) {
        const struct flm_move *move = &m->r->gate->moves.move[i];
        flm_report_begin_row(m->report, 0, FLM_IN_JSON);
        flm_report_cell_node(m->report, m->r->runs, m->parent, move->below);
        flm_report_cell_number(m->report, move->change);
        flm_report_cell_number(m->report, move->t);
        flm_report_cell_bool(m->report, move->is_local);
        flm_report_cell_bool(m->report, move->is_free);
    }
}

/* null without a tolerance. */
static void add_tolerance(const struct flm_gate_making *m)
{
    static const char *const columns[] = {"stack", "value", "change", "high", "runs_needed", NULL};
    const struct flm_tolerance *tolerance = &m->r->gate->tolerance;
    struct flm_report *report = m->report;
    if (!tolerance->is_requested) {
        flm_report_add_null(report, "tolerance");
        return;
    }
    flm_report_begin(report, "tolerance", FLM_JSON_OBJECT);
    flm_report_add_bool(report, "significant", tolerance->is_significant);
    flm_report_add_number(report, "change", tolerance->most);
    flm_report_add_number(report, "asked", tolerance->tested_count);
    begin_spread_table(m, "not_significant", columns);
    for (uint32_t i = 0; i < tolerance->count; i++) {
        const struct flm_tolerance_row *row = &tolerance->row[i];
        flm_report_begin_row(report, 0, FLM_IN_JSON);
        flm_report_cell_node(m->report, m->r->runs, m->parent, row->node);
        flm_report_cell_bytes(report, flm_bytes_of(row->is_self ? "self" : "total"));
        flm_report_cell_number(report, row->change);
        flm_report_cell_number(report, row->upper);
        flm_report_cell_number(report, row->runs_needed);
    }
    flm_report_end(report);
}

static void add_significant(const struct flm_gate_making *m)
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
        flm_report_cell_node(m->report, m->r->runs, m->parent, key.node);
        flm_report_cell_bytes(report, flm_bytes_of(key.is_self ? "self" : "total"));
        flm_report_cell_number(report, c->base_mean);
        flm_report_cell_number(report, c->new_mean);
        flm_report_cell_number(report, c->new_mean - c->base_mean);
        flm_report_cell_number(report, flm_gate_share(m, c->new_mean - c->base_mean));
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

void flm_gate_add_change_tables(const struct flm_gate_making *m)
{
    add_renames(m);
    add_moves(m);
    add_tolerance(m);
    add_significant(m);
}
