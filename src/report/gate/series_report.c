/* series_report.c - where a series of runs changed, and which frames: since when, by how much, how
 * sure, and whether it has stayed. flamel-series(1) documents the JSON. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/versioned.h"
#include "draw/text/cells.h"
#include "draw/text/quantity.h"
#include "gate/verdict/series.h"
#include "profile/columns.h"
#include "report/gate/internal.h"

enum { VERSION = 1 };

struct making {
    const struct flm_run_set *set;
    const struct flm_series *series;
    const struct flm_series_options *options;
    uint32_t rows; /* frames of each change in text at most; 0: all */
    struct flm_report *report;
    uint32_t *parent; /* by node */
};

/* ---- Frames of a change: items of the comparison around it; without one, the column ---------- */

struct frame {
    uint32_t node; /* FLM_NONE: the total */
    enum flm_item_scope scope;
    double before, after;
    bool by_size; /* by its share only */
    bool moved;
};

static uint32_t frame_count(const struct flm_series_change *change)
{
    return change->gate.found.count > 0 ? change->gate.found.count : 1;
}

static struct frame frame_at(const struct flm_series_change *change, uint32_t i)
{
    if (change->gate.found.count == 0)
        return (struct frame){.node = change->key.node,
                              .scope = change->key.is_self ? FLM_ITEM_SELF : FLM_ITEM_SPREAD,
                              .before = change->before,
                              .after = change->after,
                              .by_size = change->by_size};
    const struct flm_item *item = &change->gate.found.item[i];
    const struct flm_gate_column *column = &change->gate.column[item->column];
    return (struct frame){.node = item->node,
                          .scope = item->scope,
                          .before = column->base_mean,
                          .after = column->base_mean + item->change,
                          .by_size = column->by_size_only,
                          .moved = item->moved_below != FLM_NONE};
}

static const char *scope_name(const struct frame *frame)
{
    static const char *const names[] = {
        [FLM_ITEM_SELF] = "self", [FLM_ITEM_SPREAD] = "spread", [FLM_ITEM_REST] = "rest"};
    return frame->node == FLM_NONE ? "total" : names[frame->scope];
}

/* ---- For people ------------------------------------------------------------------------------ */

/* "2026-11-20 17:58" */
static void add_date(struct flm_text *out, const char *date)
{
    if (date[0])
        flm_text_format(out, "%.*s %.*s", 10, date, 5, date + 11);
}

static void add_order(const struct making *m, struct flm_text *out)
{
    static const char *const orders[] = {
        [FLM_ORDER_GIVEN] = "in the order given",
        [FLM_ORDER_RECORDED] = "in the order in which they were recorded",
        [FLM_ORDER_BY_DATE] = "in the order of the times of the files"};
    uint32_t undated = m->set->undated;
    flm_text_puts(out, orders[m->set->order]);
    if (undated == m->set->runs.run_count)
        flm_text_puts(out, " (they do not say when they were recorded)");
    else if (undated > 0)
        flm_text_format(out, " (%u %s not say when %s recorded)", undated,
                        undated == 1 ? "does" : "do", undated == 1 ? "it was" : "they were");
}

static void add_head(const struct making *m)
{
    const struct flm_run_set *set = m->set;
    uint32_t count = set->runs.run_count;
    struct flm_text *out = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_format(out, "%u profiles ", count);
    if (set->dates[0][0]) {
        flm_text_puts(out, "from ");
        add_date(out, set->dates[0]);
        flm_text_puts(out, " to ");
        add_date(out, set->dates[count - 1]);
        flm_text_puts(out, ", ");
    }
    add_order(m, out);
    flm_text_putc(out, '\n');
    flm_text_add(out, flm_runs_metric_name(&set->runs));
    flm_text_puts(out, " of ");
    flm_count_add(out, m->series->column_count);
    flm_text_puts(out, m->options->method == FLM_SERIES_BY_DISTANCES
                           ? " frames and stacks, by distances of profiles"
                           : " frames and stacks");
    flm_text_puts(out, ", alpha ");
    flm_format_rounded(out, m->options->alpha, 3);
}

static void add_where(const struct making *m, const struct frame *frame, struct flm_text *out)
{
    const struct flm_profile *tree = m->set->runs.tree;
    if (frame->node == FLM_NONE) {
        flm_text_puts(out, "the whole profile");
        return;
    }
    flm_text_add(out, flm_frame_function(tree, tree->node_frame[frame->node]));
    bool is_leaf = tree->node_end[frame->node] == frame->node + 1;
    if (frame->scope == FLM_ITEM_SPREAD)
        flm_text_puts(out, " and what it calls");
    else if (frame->scope == FLM_ITEM_REST)
        flm_text_puts(out, ", the rest of it");
    else if (!is_leaf)
        flm_text_puts(out, " itself");
    if (frame->before == 0)
        flm_text_puts(out, ", appeared");
    else if (frame->after == 0)
        flm_text_puts(out, ", disappeared");
    if (frame->by_size)
        flm_text_puts(out, ", by its share only");
    if (frame->moved)
        flm_text_puts(out, ", moved");
}

static void add_caller(const struct making *m, uint32_t node, struct flm_text *out)
{
    const struct flm_profile *tree = m->set->runs.tree;
    if (node != FLM_NONE && node > 0 && m->parent[node] > 0)
        flm_text_add(out, flm_frame_function(tree, tree->node_frame[m->parent[node]]));
}

/* ---- The table: a row for each frame of each change ------------------------------------------ */

enum {
    BEFORE = 10,
    AFTER,
    SEEN_SINCE = 14,
    SEEN_FILE,
    SEEN_CHANGE,
    SEEN_P,
    SEEN_STAY,
    SEEN_FRAME,
    SEEN_CALLER
};

/* Of the runs on one side of a change. */
static struct flm_report_view mean_view(const struct making *m, const char *heading, size_t column,
                                        double largest)
{
    return (struct flm_report_view){.heading = heading,
                                    .column = column,
                                    .format = FLM_VIEW_AS_QUANTITY,
                                    .kind = FLM_COLUMN_NUMBER,
                                    .leave_out = 4,
                                    .whole = largest,
                                    .unit = flm_runs_unit(&m->set->runs),
                                    .is_mean = true};
}

static void add_columns(const struct making *m, double largest)
{
    static const char *const programs[] = {"at",     "since", "file",          "p",     "stays",
                                           "from",   "to",    "stack",         "scope", "caller",
                                           "before", "after", "by_share_only", "moved", NULL};
    static const char *const seen[] = {"seen_since", "seen_file",  "seen_change", "seen_p",
                                       "seen_stay",  "seen_frame", "seen_caller", NULL};
    const struct flm_report_view views[] = {
        {.heading = m->set->order == FLM_ORDER_GIVEN ? "" : "since",
         .column = SEEN_SINCE,
         .kind = FLM_COLUMN_TEXT},
        {.heading = "file", .column = SEEN_FILE, .kind = FLM_COLUMN_PATH, .leave_out = 2},
        mean_view(m, "before", BEFORE, largest),
        mean_view(m, "after", AFTER, largest),
        {.heading = "change", .column = SEEN_CHANGE, .kind = FLM_COLUMN_NUMBER},
        {.heading = "p", .column = SEEN_P, .kind = FLM_COLUMN_NUMBER, .leave_out = 3},
        {.heading = "", .column = SEEN_STAY, .kind = FLM_COLUMN_TEXT},
        {.heading = "frame", .column = SEEN_FRAME, .kind = FLM_COLUMN_NAME},
        {.heading = "called by", .column = SEEN_CALLER, .kind = FLM_COLUMN_NAME, .leave_out = 5}};
    flm_report_add_columns(m->report, programs, FLM_IN_CSV);
    flm_report_add_columns(m->report, seen, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        flm_report_add_view(m->report, views[i]);
}

static void add_row(const struct making *m, const struct flm_series_change *change, uint32_t i,
                    uint32_t shown)
{
    struct flm_report *report = m->report;
    struct frame frame = frame_at(change, i);
    const char *date = m->set->dates[change->at], *name = m->set->names[change->at];
    bool is_first = i == 0;
    flm_report_begin_row(report, 0, FLM_IN_CSV | (i < shown ? FLM_IN_PEOPLES : 0));
    flm_report_cell_number(report, change->at);
    flm_report_cell_bytes(report, flm_bytes_of(date));
    flm_report_cell_bytes(report, flm_bytes_of(name));
    flm_report_cell_number(report, change->p);
    flm_report_cell_bool(report, change->stays);
    flm_report_cell_number(report, change->from);
    flm_report_cell_number(report, change->to);
    flm_report_cell_node(report, &m->set->runs, m->parent, frame.node);
    flm_report_cell_bytes(report, flm_bytes_of(scope_name(&frame)));
    add_caller(m, frame.node, flm_report_cell_text(report));
    flm_report_cell_number(report, frame.before);
    flm_report_cell_number(report, frame.after);
    flm_report_cell_bool(report, frame.by_size);
    flm_report_cell_bool(report, frame.moved);
    struct flm_text *since = flm_report_cell_text(report);
    if (is_first)
        add_date(since, date);
    flm_report_cell_bytes(report, is_first ? flm_path_end(flm_bytes_of(name)) : flm_bytes_of(""));
    struct flm_text *share = flm_report_cell_text(report);
    if (frame.before > 0)
        flm_format_share(share, frame.after - frame.before, frame.before);
    struct flm_text *p = flm_report_cell_text(report);
    if (is_first)
        flm_format_rounded(p, change->p, 2);
    flm_report_cell_bytes(report, flm_bytes_of(is_first && !change->stays ? "went away" : ""));
    struct flm_text *where = flm_report_cell_text(report);
    add_where(m, &frame, where);
    if (i + 1 == shown && shown < frame_count(change))
        flm_text_format(where, " (and %u more)", frame_count(change) - shown);
    add_caller(m, frame.node, flm_report_cell_text(report));
}

static void add_table(const struct making *m)
{
    double largest = 0;
    uint32_t stay = 0, changes = m->series->count;
    flm_report_begin_table(m->report, "changes",
                           changes > 0 ? FLM_IN_PEOPLES | FLM_IN_CSV : FLM_IN_CSV, true);
    for (uint32_t i = 0; i < changes; i++) {
        const struct flm_gate_column *total = &m->series->change[i].gate.total;
        largest = fmax(largest, fmax(total->base_mean, total->new_mean));
    }
    add_columns(m, largest);
    for (uint32_t i = 0; i < changes; i++) {
        const struct flm_series_change *change = &m->series->change[i];
        uint32_t count = frame_count(change);
        uint32_t shown = m->rows > 0 && m->rows < count ? m->rows : count;
        for (uint32_t k = 0; k < count; k++)
            add_row(m, change, k, shown);
        stay += change->stays;
    }
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    if (changes == 0)
        flm_text_puts(line,
                      "No significant change: the profiles differ as much in any other order.");
    else
        flm_text_format(line, "%u %s, of which %u %s stayed", changes,
                        changes == 1 ? "change" : "changes", stay, stay == 1 ? "has" : "have");
}

/* ---- JSON: the frames are in the changes ----------------------------------------------------- */

static void add_date_fact(const struct making *m, const char *key, const char *date)
{
    if (date[0])
        flm_report_add_text(m->report, key, flm_bytes_of(date));
    else
        flm_report_add_null(m->report, key);
}

static void add_facts(const struct making *m)
{
    static const char *const orders[] = {[FLM_ORDER_GIVEN] = "given",
                                         [FLM_ORDER_RECORDED] = "recorded",
                                         [FLM_ORDER_BY_DATE] = "file"};
    const struct flm_run_set *set = m->set;
    const struct flm_series_options *o = m->options;
    struct flm_report *report = m->report;
    flm_report_add_text(report, "report", flm_bytes_of("series"));
    flm_report_add_number(report, "version", VERSION);
    flm_report_add_number(report, "profiles", set->runs.run_count);
    flm_report_add_text(report, "order", flm_bytes_of(orders[set->order]));
    add_date_fact(m, "first", set->dates[0]);
    add_date_fact(m, "last", set->dates[set->runs.run_count - 1]);
    flm_report_add_text(report, "metric", flm_runs_metric_name(&set->runs));
    flm_report_add_text(report, "unit", flm_runs_unit(&set->runs));
    flm_report_add_text(
        report, "method",
        flm_bytes_of(o->method == FLM_SERIES_BY_DISTANCES ? "distances" : "columns"));
    flm_report_add_number(report, "alpha", o->alpha);
    flm_report_add_number(report, "permutations", o->orders);
    flm_report_add_number(report, "seed", (double)o->seed);
    flm_report_add_number(report, "columns", m->series->column_count);
}

static void add_frame_fact(const struct making *m, const struct frame *frame)
{
    struct flm_report *report = m->report;
    flm_report_begin(report, NULL, FLM_JSON_OBJECT_LINE);
    flm_report_add_stack(report, "stack");
    if (frame->node != FLM_NONE)
        flm_report_add_node(report, m->set->runs.tree, m->parent, frame->node);
    flm_report_add_text(report, "scope", flm_bytes_of(scope_name(frame)));
    flm_report_add_number(report, "before", frame->before);
    flm_report_add_number(report, "after", frame->after);
    flm_report_add_bool(report, "by_share_only", frame->by_size);
    flm_report_add_bool(report, "moved", frame->moved);
    flm_report_end(report);
}

static void add_change_facts(const struct making *m, const struct flm_series_change *change)
{
    struct flm_report *report = m->report;
    flm_report_begin(report, NULL, FLM_JSON_OBJECT);
    flm_report_add_number(report, "at", change->at);
    add_date_fact(m, "since", m->set->dates[change->at]);
    flm_report_add_text(report, "file", flm_bytes_of(m->set->names[change->at]));
    flm_report_add_number(report, "p", change->p);
    flm_report_add_bool(report, "stays", change->stays);
    flm_report_add_number(report, "from", change->from);
    flm_report_add_number(report, "to", change->to);
    flm_report_add_number(report, "total_before", change->gate.total.base_mean);
    flm_report_add_number(report, "total_after", change->gate.total.new_mean);
    flm_report_begin(report, "frames", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < frame_count(change); i++) {
        struct frame frame = frame_at(change, i);
        add_frame_fact(m, &frame);
    }
    flm_report_end(report);
    flm_report_end(report);
}

/* ---- The report ------------------------------------------------------------------------------ */

static struct flm_report *make(struct making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_facts(m);
    flm_report_begin(m->report, "changes", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < m->series->count; i++)
        add_change_facts(m, &m->series->change[i]);
    flm_report_end(m->report);
    add_head(m);
    add_table(m);
    return flm_report_finish(m->report, why);
}

static struct flm_series_options options_of(const struct flm_series_settings *s)
{
    struct flm_series_options how = flm_series_defaults();
    how.method = s->by_distances ? FLM_SERIES_BY_DISTANCES : FLM_SERIES_BY_COLUMNS;
    how.alpha = s->alpha > 0 ? s->alpha : how.alpha;
    how.least = s->least > 0 ? s->least : how.least;
    how.last = s->last > 0 ? s->last : how.last;
    how.orders = s->permutations > 0 ? s->permutations : how.orders;
    how.seed = s->zero_seed ? 0 : s->seed > 0 ? s->seed : how.seed;
    how.unit = s->sample;
    how.threads = s->threads > 0 ? s->threads : 1;
    return how;
}

struct flm_report *flm_report_series(const struct flm_run_set *set,
                                     const struct flm_series_settings *settings,
                                     struct flm_error *why)
{
    assert(set);
    struct flm_series_settings s;
    if (!flm_versioned_copy(&s, sizeof s, settings, "flm_series_settings", why))
        return NULL;
    if (s.alpha >= 1) {
        flm_error_set(why, FLM_ERROR_USAGE, "alpha is between 0 and 1");
        return NULL;
    }
    struct flm_series_options options = options_of(&s);
    struct flm_series series;
    if (!flm_series_init(&series, &set->runs, &options, why))
        return NULL;
    struct making m = {.set = set,
                       .series = &series,
                       .options = &options,
                       .rows = s.rows,
                       .parent = flm_runs_parents(&set->runs, why)};
    struct flm_report *report = m.parent ? make(&m, why) : NULL;
    free(m.parent);
    flm_series_clear(&series);
    return report;
}

double flm_series_least_permutations(double alpha)
{
    return flm_series_least_orders(alpha);
}
