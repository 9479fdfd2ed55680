/* diff_report.c - the report of a comparison: totals, similarity, parts, the largest changes, and
 * how far these can be trusted. flamel-diff(1) documents the JSON, which stays compatible. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "draw/text/comparison_summary.h"
#include "draw/text/quantity.h"
#include "report/core/blocks.h"
#include "report/gate/diff.h"
#include "report/gate/internal.h"

enum { VERSION = 1 };

struct making {
    const struct flm_diff *d;
    struct flm_report *report;
    struct flm_changes changes;
    uint32_t *parent; /* by node */
    bool has_noise;   /* a change that is marked as noise is shown */
};

static bool is_absolute(const struct flm_diff *d)
{
    return d->how.relative == FLM_DIFF_ABSOLUTE;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void add_side(struct flm_report *report, const char *key, const struct flm_diff_side *side)
{
    flm_report_begin(report, key, FLM_JSON_OBJECT);
    flm_report_begin(report, "files", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < side->count; i++)
        flm_report_add_text(report, NULL, flm_bytes_of(side->names[i]));
    flm_report_end(report);
    flm_report_add_number(report, "runs", side->count);
    flm_report_add_number(report, "total", side->total);
    flm_report_add_number(report, "stacks", side->stack_count);
    flm_report_end(report);
}

/* What values are divided by, and what before is multiplied by first. */
static void add_normalization(const struct making *m)
{
    static const char *const names[] = {[FLM_NORMALIZE_NONE] = "none",
                                        [FLM_NORMALIZE_TOTAL] = "total",
                                        [FLM_NORMALIZE_DURATION] = "duration",
                                        [FLM_NORMALIZE_FUNCTION] = "function"};
    const struct flm_diff *d = m->d;
    flm_report_add_text(m->report, "normalized", flm_bytes_of(names[d->how.normal.by]));
    flm_report_add_number(m->report, "scale", d->comparison.how.scale);
    if (is_absolute(d))
        flm_report_add_null(m->report, "relative_to");
    else
        flm_report_add_text(m->report, "relative_to",
                            flm_bytes_of(d->how.shares                         ? "total"
                                         : d->how.relative == FLM_DIFF_OF_BASE ? "base"
                                                                               : "new"));
}

static void add_facts(const struct making *m)
{
    const struct flm_diff *d = m->d;
    double before = d->comparison.before_total * d->comparison.how.scale;
    flm_report_add_text(m->report, "report", flm_bytes_of("diff"));
    flm_report_add_number(m->report, "version", VERSION);
    flm_report_begin(m->report, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(m->report, "name", d->metric);
    flm_report_add_text(m->report, "unit", d->unit);
    flm_report_end(m->report);
    add_side(m->report, "before", &d->side[FLM_DIFF_BEFORE]);
    add_side(m->report, "after", &d->side[FLM_DIFF_AFTER]);
    add_normalization(m);
    flm_report_add_number(m->report, "change", (d->comparison.after_total - before) / d->whole);
    flm_report_add_number(m->report, "distance", d->comparison.distance / d->whole);
    flm_report_add_number(m->report, "similarity", d->similarity);
    flm_report_add_number(m->report, "shape_similarity", d->shape_similarity);
}

/* ---- Totals and similarity ------------------------------------------------------------------- */

/* Markdown: "560 samples before, 662 samples after: +102 samples (+18.2 %)" */
static void add_heading(const struct making *m)
{
    const struct flm_diff *d = m->d;
    struct flm_comparison_terms terms = {.unit = d->unit, .factor = 1};
    struct flm_change all =
        flm_comparison_judge(&d->comparison, d->side[0].total, d->side[1].total);
    all.noise = false; /* explained below */
    flm_comparison_add_change(flm_report_add_heading(m->report, "flamel diff", NULL),
                              &d->comparison, &all, &terms);
}

static void add_total_columns(const struct making *m, double largest)
{
    static const char *const names[] = {"side", "total", "share", "stacks", "name"};
    const char *metric = flm_report_keep(m->report, m->d->metric);
    const struct flm_report_view views[] = {
        {.heading = "", .kind = FLM_COLUMN_TEXT},
        {.heading = metric,
         .kind = FLM_COLUMN_NUMBER,
         .format = FLM_VIEW_AS_QUANTITY,
         .whole = largest,
         .unit = m->d->unit,
         .is_mean = true},
        {.heading = "", .kind = FLM_COLUMN_NUMBER, .format = FLM_VIEW_AS_CHANGE_SHARE, .whole = 1},
        {.heading = "stacks", .kind = FLM_COLUMN_NUMBER, .format = FLM_VIEW_AS_QUANTITY},
        {.heading = "", .kind = FLM_COLUMN_NAME}};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct flm_report_view view = views[i];
        view.column = flm_report_add_column(m->report, names[i], 0);
        flm_report_add_view(m->report, view);
    }
}

/* As recorded: the normalization stands below. */
static void add_totals(const struct making *m)
{
    const struct flm_diff *d = m->d;
    struct flm_report *report = m->report;
    double totals[2] = {d->side[0].total, d->side[1].total};
    flm_report_begin_table(report, "totals", FLM_IN_PEOPLES, false);
    add_total_columns(m, fmax(totals[0], totals[1]));
    for (int s = 0; s < 2; s++) {
        flm_report_begin_row(report, 0, FLM_IN_PEOPLES);
        flm_report_cell_bytes(report, flm_bytes_of(s == FLM_DIFF_BEFORE ? "before" : "after"));
        flm_report_cell_number(report, totals[s]);
        flm_report_cell_absent(report);
        flm_report_cell_number(report, d->side[s].stack_count);
        struct flm_text *name = flm_report_cell_text(report);
        flm_text_puts(name, d->side[s].count > 1 ? "the mean of " : "");
        flm_diff_add_name(d, (enum flm_diff_which)s, name);
    }
    flm_report_begin_row(report, 0, FLM_IN_PEOPLES);
    flm_report_cell_bytes(report, flm_bytes_of("change"));
    flm_report_cell_number(report, totals[1] - totals[0]);
    flm_report_cell_prefix(report, "");
    if (totals[0] > 0)
        flm_report_cell_number(report, (totals[1] - totals[0]) / totals[0]);
    else
        flm_report_cell_absent(report);
    flm_report_cell_number(report, (double)d->side[1].stack_count - d->side[0].stack_count);
    flm_report_cell_prefix(report, "");
    flm_report_cell_absent(report);
}

static void add_similarity(const struct making *m)
{
    static const char *const names[] = {"similarity", "shape similarity"};
    static const char *const meanings[] = {"1: identical; 0: no stack in common",
                                           "computed from percentages of the total"};
    const double values[] = {m->d->similarity, m->d->shape_similarity};
    struct flm_report *report = m->report;
    flm_report_begin_table(report, "similarities", FLM_IN_TEXT, true);
    for (size_t i = 0; i < 3; i++)
        flm_report_add_view(report,
                            (struct flm_report_view){.heading = "",
                                                     .column = flm_report_add_column(report, "", 0),
                                                     .kind = FLM_COLUMN_TEXT});
    for (size_t i = 0; i < 2; i++) {
        flm_report_begin_row(report, 0, FLM_IN_TEXT);
        flm_report_cell_bytes(report, flm_bytes_of(names[i]));
        flm_similarity_add(flm_report_cell_text(report), values[i]);
        flm_report_cell_bytes(report, flm_bytes_of(meanings[i]));
    }
    struct flm_text *line = flm_report_add_line(report, FLM_IN_MARKDOWN, true, FLM_TONE_PLAIN);
    for (size_t i = 0; i < 2; i++) {
        flm_text_format(line, "%s%s ", i > 0 ? ", " : "", names[i]);
        flm_similarity_add(line, values[i]);
        flm_text_format(line, " (%s)", meanings[i]);
    }
}

/* The normalization, and what values are relative to. */
static void add_terms(const struct making *m)
{
    const struct flm_diff *d = m->d;
    bool is_normalized = d->how.normal.by != FLM_NORMALIZE_NONE;
    if (is_normalized) {
        struct flm_comparison_terms terms = {.unit = d->unit,
                                             .factor = 1,
                                             .by = d->how.normal.by,
                                             .function = d->how.normal.function};
        flm_comparison_add_normalized(
            flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN), &d->comparison,
            &terms);
    }
    if (!is_absolute(d))
        flm_text_puts(
            flm_report_add_line(m->report, FLM_IN_PEOPLES, !is_normalized, FLM_TONE_PLAIN),
            d->how.shares ? "values are shares: of before in its total, of after in its total"
            : d->how.relative == FLM_DIFF_OF_BASE ? "values are shares of the total of before"
                                                  : "values are shares of the total of after");
}

/* ---- Parts of the change --------------------------------------------------------------------- */

static double largest_of(const struct flm_diff *d)
{
    return fmax(d->comparison.before_total * d->comparison.how.scale, d->comparison.after_total);
}

static struct flm_report_view change_view(const struct flm_diff *d, const char *heading,
                                          size_t column, int leave_out)
{
    return (struct flm_report_view){.heading = heading,
                                    .column = column,
                                    .format = is_absolute(d) ? FLM_VIEW_AS_CHANGE
                                                             : FLM_VIEW_AS_CHANGE_SHARE,
                                    .kind = FLM_COLUMN_NUMBER,
                                    .leave_out = leave_out,
                                    .whole = is_absolute(d) ? largest_of(d) : 1,
                                    .unit = d->unit,
                                    .is_mean = is_absolute(d)};
}

static struct flm_report_view value_view(const struct flm_diff *d, const char *heading,
                                         size_t column, int leave_out)
{
    struct flm_report_view view = change_view(d, heading, column, leave_out);
    view.format = is_absolute(d) ? FLM_VIEW_AS_QUANTITY : FLM_VIEW_AS_SHARE;
    return view;
}

static void add_part_facts(const struct making *m)
{
    static const enum flm_change_kind kinds[] = {FLM_CHANGE_APPEARED, FLM_CHANGE_GROWN,
                                                 FLM_CHANGE_DISAPPEARED, FLM_CHANGE_SHRUNK};
    const struct flm_diff *d = m->d;
    flm_report_begin(m->report, "parts", FLM_JSON_OBJECT);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct flm_change_sum *sum = &d->comparison.sums[kinds[i]];
        flm_report_begin(m->report, flm_change_kind_name(kinds[i]), FLM_JSON_OBJECT_LINE);
        flm_report_add_number(m->report, "sum", sum->change / d->whole);
        flm_report_add_number(m->report, "stacks", sum->stack_count);
        flm_report_end(m->report);
    }
    flm_report_begin(m->report, "same", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(m->report, "stacks", d->comparison.sums[FLM_CHANGE_NONE].stack_count);
    flm_report_end(m->report);
    flm_report_end(m->report);
}

static void add_parts(const struct making *m)
{
    static const enum flm_change_kind kinds[] = {FLM_CHANGE_APPEARED, FLM_CHANGE_GROWN,
                                                 FLM_CHANGE_SHRUNK, FLM_CHANGE_DISAPPEARED,
                                                 FLM_CHANGE_NONE};
    const struct flm_diff *d = m->d;
    struct flm_report *report = m->report;
    double before = d->comparison.before_total * d->comparison.how.scale;
    bool has_share = before > 0 && is_absolute(d);
    flm_report_begin_table(report, "part", FLM_IN_PEOPLES, true);
    size_t part = flm_report_add_column(report, "part", 0);
    size_t change = flm_report_add_column(report, "change", 0);
    size_t share = flm_report_add_column(report, "share", 0);
    size_t stacks = flm_report_add_column(report, "stacks", 0);
    flm_report_add_view(
        report, (struct flm_report_view){.heading = "", .column = part, .kind = FLM_COLUMN_TEXT});
    flm_report_add_view(report, change_view(d, "change", change, 0));
    if (has_share)
        flm_report_add_view(report, (struct flm_report_view){.heading = "of before",
                                                             .column = share,
                                                             .format = FLM_VIEW_AS_CHANGE_SHARE,
                                                             .kind = FLM_COLUMN_NUMBER,
                                                             .whole = 1});
    flm_report_add_view(report, (struct flm_report_view){.heading = "stacks",
                                                         .column = stacks,
                                                         .format = FLM_VIEW_AS_COUNT,
                                                         .kind = FLM_COLUMN_NUMBER});
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct flm_change_sum *sum = &d->comparison.sums[kinds[i]];
        bool is_less = kinds[i] == FLM_CHANGE_SHRUNK || kinds[i] == FLM_CHANGE_DISAPPEARED;
        double value = kinds[i] == FLM_CHANGE_NONE ? 0 : is_less ? -sum->change : sum->change;
        flm_report_begin_row(report, 0, FLM_IN_PEOPLES);
        flm_report_cell_bytes(report, flm_bytes_of(flm_change_kind_name(kinds[i])));
        flm_report_cell_number(report, value / d->whole);
        if (has_share && kinds[i] != FLM_CHANGE_NONE)
            flm_report_cell_number(report, value / before);
        else
            flm_report_cell_absent(report);
        flm_report_cell_number(report, sum->stack_count);
    }
}

/* ---- The largest changes --------------------------------------------------------------------- */

/* Columns with the largest number are left out first in a narrow window. */
enum { LEAVE_LAST = 1, LEAVE_FIRST_VALUES, LEAVE_PERCENT, LEAVE_MODULE, LEAVE_OTHER_VALUES };

/* The columns of a change, from the one of its value before. */
enum { BEFORE, AFTER, CHANGE, KIND, NOISE, PERCENT };

static size_t add_change_columns(struct flm_report *report, bool is_total)
{
    static const char *const self[] = {"self.before", "self.after", "self.change",
                                       "self.kind",   "self.noise", "self_percent"};
    static const char *const total[] = {"total.before", "total.after", "total.change",
                                        "total.kind",   "total.noise", "total_percent"};
    size_t first = 0;
    for (size_t i = BEFORE; i <= PERCENT; i++) {
        unsigned forms = i == PERCENT ? 0 : i == KIND ? FLM_IN_JSON : FLM_IN_PROGRAMS;
        size_t column = flm_report_add_column(report, is_total ? total[i] : self[i], forms);
        first = i == BEFORE ? column : first;
    }
    return first;
}

static void add_change_cells(struct making *m, const struct flm_change *change)
{
    struct flm_report *report = m->report;
    double whole = m->d->whole;
    m->has_noise |= change->noise;
    flm_report_cell_number(report, change->before / whole);
    flm_report_cell_number(report, change->after / whole);
    flm_report_cell_number(
        report, change->kind == FLM_CHANGE_NONE ? 0 : (change->after - change->before) / whole);
    if (change->noise) {
        flm_report_cell_prefix(report, "~");
        flm_report_cell_tone(report, FLM_TONE_MUTED);
    }
    flm_report_cell_bytes(report, flm_bytes_of(flm_change_kind_name(change->kind)));
    flm_report_cell_bool(report, change->noise);
    flm_change_add_percent(flm_report_cell_text(report), change);
}

static void add_percent_view(struct flm_report *report, size_t first)
{
    flm_report_add_view(report, (struct flm_report_view){.heading = "",
                                                         .column = first + PERCENT,
                                                         .kind = FLM_COLUMN_NUMBER,
                                                         .leave_out = LEAVE_PERCENT});
}

static void add_value_views(const struct making *m, size_t first, int leave_out)
{
    flm_report_add_view(m->report, value_view(m->d, "before", first + BEFORE, leave_out));
    flm_report_add_view(m->report, value_view(m->d, "after", first + AFTER, leave_out));
}

static void add_more(const struct making *m, uint32_t shown, uint32_t all, const char *what)
{
    if (shown == all)
        return;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_puts(line, "and ");
    flm_count_add(line, all - shown);
    flm_text_format(line, " more %s%s", what, all - shown == 1 ? "" : "s");
}

static const struct flm_function *function_of(const struct making *m, uint32_t row)
{
    return &m->changes.functions.function[m->changes.function[row].function];
}

static struct flm_bytes module_of(const struct making *m, const struct flm_function *function)
{
    return flm_string_bytes(m->d->both, function->module ? function->module : function->file);
}

static bool any_modules(const struct making *m)
{
    for (uint32_t i = 0; i < m->changes.function_count; i++)
        if (module_of(m, function_of(m, i)).size > 0)
            return true;
    return false;
}

static void add_function_columns(const struct making *m)
{
    const struct flm_diff *d = m->d;
    struct flm_report *report = m->report;
    bool by_total = d->how.sort == FLM_FUNCTIONS_BY_TOTAL;
    size_t function = flm_report_add_column(report, "function", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "module", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "file", FLM_IN_PROGRAMS);
    size_t self = add_change_columns(report, false), total = add_change_columns(report, true);
    size_t module = flm_report_add_column(report, "seen_module", 0);
    size_t first = by_total ? total : self, other = by_total ? self : total;
    flm_report_add_view(
        report, change_view(d, by_total ? "total change" : "self change", first + CHANGE, 0));
    add_percent_view(report, first);
    add_value_views(m, first, LEAVE_FIRST_VALUES);
    flm_report_add_view(report, change_view(d, by_total ? "self change" : "total change",
                                            other + CHANGE, LEAVE_LAST));
    add_value_views(m, other, LEAVE_OTHER_VALUES);
    if (any_modules(m))
        flm_report_add_view(report, (struct flm_report_view){.heading = "module",
                                                             .column = module,
                                                             .kind = FLM_COLUMN_PATH,
                                                             .leave_out = LEAVE_MODULE});
    flm_report_add_view(report, (struct flm_report_view){.heading = "function",
                                                         .column = function,
                                                         .kind = FLM_COLUMN_NAME});
}

static void add_functions(struct making *m)
{
    const struct flm_diff *d = m->d;
    struct flm_report *report = m->report;
    bool is_seen = m->changes.changed_functions > 0;
    if (is_seen)
        flm_report_begin_section(report, "Functions",
                                 d->how.sort == FLM_FUNCTIONS_BY_NAME ? ", by name"
                                 : d->how.sort == FLM_FUNCTIONS_BY_TOTAL
                                     ? ", by the change of total, callees included"
                                     : ", by the change of self",
                                 true);
    flm_report_begin_table(report, "functions", is_seen ? FLM_IN_ALL : FLM_IN_PROGRAMS, false);
    add_function_columns(m);
    for (uint32_t i = 0; i < m->changes.function_count; i++) {
        const struct flm_function *f = function_of(m, i);
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_bytes(report, flm_string_bytes(d->both, f->name));
        flm_report_cell_bytes(report, flm_string_bytes(d->both, f->module));
        flm_report_cell_bytes(report, flm_string_bytes(d->both, f->file));
        add_change_cells(m, &m->changes.function[i].self);
        add_change_cells(m, &m->changes.function[i].total);
        flm_report_cell_bytes(report, module_of(m, f));
    }
    if (is_seen) {
        add_more(m, m->changes.function_count, m->changes.changed_functions, "function");
        flm_report_end_section(report);
    }
}

static void add_stack_columns(const struct making *m, bool has_seen)
{
    const struct flm_diff *d = m->d;
    struct flm_report *report = m->report;
    size_t stack = flm_report_add_column(report, "stack", FLM_IN_JSON);
    size_t self = add_change_columns(report, false);
    flm_report_add_view(report, change_view(d, "change", self + CHANGE, 0));
    add_percent_view(report, self);
    add_value_views(m, self, LEAVE_FIRST_VALUES);
    if (has_seen) {
        flm_report_add_column(report, "runs_before", FLM_IN_JSON);
        flm_report_add_column(report, "runs_after", FLM_IN_JSON);
        flm_report_add_view(report, (struct flm_report_view){
                                        .heading = "in runs",
                                        .column = flm_report_add_column(report, "seen_runs", 0),
                                        .kind = FLM_COLUMN_TEXT,
                                        .leave_out = LEAVE_LAST});
    }
    flm_report_add_view(report, (struct flm_report_view){
                                    .heading = "stack", .column = stack, .kind = FLM_COLUMN_STACK});
}

static void add_stacks(struct making *m)
{
    const struct flm_diff *d = m->d;
    const struct flm_diff_side *before = &d->side[FLM_DIFF_BEFORE], *after = before + 1;
    struct flm_report *report = m->report;
    bool is_seen = m->changes.changed_stacks > 0, has_seen = before->seen != NULL;
    if (is_seen)
        flm_report_begin_section(report, "Stacks", ", by the change of self", false);
    flm_report_begin_table(report, "changed_stacks", FLM_IN_JSON | (is_seen ? FLM_IN_PEOPLES : 0),
                           false);
    add_stack_columns(m, has_seen);
    for (uint32_t i = 0; i < m->changes.stack_count; i++) {
        uint32_t node = m->changes.stack[i];
        struct flm_change c = flm_comparison_change(&d->comparison, node, FLM_CHANGE_OF_SELF);
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_stack(report);
        flm_report_add_node(report, d->both, m->parent, node);
        add_change_cells(m, &c);
        if (has_seen) {
            flm_report_cell_number(report, before->seen[node]);
            flm_report_cell_number(report, after->seen[node]);
            flm_text_format(flm_report_cell_text(report), "%u/%u, %u/%u", before->seen[node],
                            before->count, after->seen[node], after->count);
        }
    }
    if (is_seen) {
        add_more(m, m->changes.stack_count, m->changes.changed_stacks, "stack");
        flm_report_end_section(report);
    }
}

/* ---- How far it can be trusted --------------------------------------------------------------- */

static void add_noise_lines(const struct making *m)
{
    const struct flm_diff *d = m->d;
    const struct flm_comparison_options *how = &d->comparison.how;
    bool tests = how->sigmas > 0 && how->before_sample > 0 && how->after_sample > 0;
    bool has_line = m->has_noise || (!tests && how->sigmas > 0);
    if (has_line)
        flm_text_puts(
            flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED),
            m->has_noise
                ? "~ within the sampling noise, which is a lower bound: runs differ by more than "
                  "that."
                : "Nothing is marked as sampling noise: the weight of a sample is not known.");
    struct flm_text *line =
        flm_report_add_line(m->report, FLM_IN_PEOPLES, !has_line, FLM_TONE_MUTED);
    if (d->runs.run_count == 2)
        flm_text_puts(line, "One recording of each cannot distinguish a change from the noise "
                            "between runs. 'flamel gate' does, with several of each: --base "
                            "FILE... --new FILE...");
    else
        flm_text_format(line,
                        "Means of %u and %u runs: 'flamel gate' tests which of the changes "
                        "are significant, with the same --base and --new.",
                        d->side[0].count, d->side[1].count);
}

/* Builds are often in two directories; what is taken for the same is told. */
static void add_paths_line(const struct making *m)
{
    const struct flm_same_paths *same = &m->d->runs.same;
    if (same->functions > 0)
        flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED),
                        "One side names no modules: %u function%s of one name %s compared as the "
                        "same.",
                        same->functions, same->functions == 1 ? "" : "s",
                        same->functions == 1 ? "is" : "are");
    if (same->renamed > 0)
        flm_format_same_names(flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED),
                              same);
    if (same->modules == 0 && same->files == 0)
        return;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED);
    if (same->modules > 0)
        flm_text_format(line, "%u module%s", same->modules, same->modules == 1 ? "" : "s");
    if (same->modules > 0 && same->files > 0)
        flm_text_puts(line, " and ");
    if (same->files > 0)
        flm_text_format(line, "%u file%s", same->files, same->files == 1 ? "" : "s");
    bool is_one = same->modules + same->files == 1;
    flm_text_format(line, " %s at %s before and after: compared as the same.",
                    is_one ? "is" : "are", is_one ? "another path" : "other paths");
}

static void add_end(const struct making *m)
{
    const struct flm_diff *d = m->d;
    const struct flm_changes *c = &m->changes;
    flm_report_begin(m->report, "hidden", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(m->report, "functions", c->changed_functions - c->function_count);
    flm_report_add_number(m->report, "stacks", c->changed_stacks - c->stack_count);
    flm_report_end(m->report);
    add_paths_line(m);
    if (c->changed_stacks > 0) {
        add_noise_lines(m);
        return;
    }
    bool is_empty = d->comparison.before_total == 0 && d->comparison.after_total == 0;
    flm_text_puts(flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN),
                  is_empty ? "There is nothing to compare: no stack has a value."
                           : "Nothing changed: every stack has the same value in both.");
}

static struct flm_report *make(struct making *m, struct flm_error *why)
{
    m->report = flm_report_new(why);
    if (!m->report)
        return NULL;
    add_facts(m);
    add_heading(m);
    add_totals(m);
    add_similarity(m);
    add_terms(m);
    add_part_facts(m);
    add_parts(m);
    add_functions(m);
    add_stacks(m);
    add_end(m);
    return flm_report_finish(m->report, why);
}

struct flm_report *flm_diff_report(const struct flm_diff *d, struct flm_error *why)
{
    assert(d->both);
    struct making m = {.d = d};
    struct flm_report *report = NULL;
    m.parent = malloc(d->both->sizes.node_count * sizeof *m.parent);
    if (!m.parent) {
        flm_error_memory(why);
        return NULL;
    }
    flm_profile_parents(d->both, m.parent);
    if (flm_changes_init(&m.changes, d->both, &d->pair, &d->comparison, d->how.sort, d->how.rows,
                         why))
        report = make(&m, why);
    flm_changes_clear(&m.changes);
    free(m.parent);
    return report;
}
