/* difference.c - of runs that cannot be tested: the difference of the means of both sides, and the
 * stacks that changed most. */
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "gate/runs/means.h"
#include "profile/columns.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

struct difference {
    const struct flm_runs *runs;
    uint32_t rows;               /* at most; 0: all */
    uint32_t *parent;            /* by node */
    double *base, *new, *change; /* by node: means of self values */
    uint32_t *order;             /* of the nodes, the largest change first; twice as long */
};

static int by_size(const void *context, uint32_t a, uint32_t b)
{
    const double *change = context;
    double x = fabs(change[a]), y = fabs(change[b]);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void add_columns(const struct difference *d, struct flm_report *report, double largest)
{
    static const char *const columns[] = {"base", "new", "change", "stack", NULL};
    static const char *const headings[] = {"base", "new", "change", "where"};
    flm_report_add_columns(report, columns, FLM_IN_PROGRAMS);
    for (size_t i = 0; i < 4; i++)
        flm_report_add_view(
            report,
            (struct flm_report_view){.heading = headings[i],
                                     .column = i,
                                     .format = i == 2 ? FLM_VIEW_AS_CHANGE : FLM_VIEW_AS_QUANTITY,
                                     .kind = i == 3 ? FLM_COLUMN_STACK : FLM_COLUMN_NUMBER,
                                     .whole = largest,
                                     .unit = flm_runs_unit(d->runs),
                                     .is_mean = true});
}

static struct flm_report *make(const struct difference *d, struct flm_error *why)
{
    uint32_t count = d->runs->tree->sizes.node_count;
    double base = 0, new = 0;
    struct flm_report *report = flm_report_new(why);
    if (!report)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        d->change[i] = d->new[i] - d->base[i];
        base += d->base[i];
        new += d->new[i];
        d->order[i] = i;
    }
    flm_sort(d->order, count, d->order + count, by_size, d->change);
    struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_puts(line, "total: ");
    flm_format_totals(line, d->runs, base, new);
    flm_report_indent_line(report, 2);
    bool is_seen = d->change[d->order[0]] != 0;
    flm_report_begin_table(report, "stacks", is_seen ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    add_columns(d, report, fmax(base, new));
    for (uint32_t i = 0; i < count && (d->rows == 0 || i < d->rows); i++) {
        uint32_t node = d->order[i];
        if (d->change[node] == 0)
            break;
        flm_report_begin_row(report, 0, FLM_IN_ALL);
        flm_report_cell_number(report, d->base[node]);
        flm_report_cell_number(report, d->new[node]);
        flm_report_cell_number(report, d->change[node]);
        flm_report_cell_node(report, d->runs, d->parent, node);
    }
    return flm_report_finish(report, why);
}

struct flm_report *flm_gate_report_difference(const struct flm_runs *runs, uint32_t rows,
                                              struct flm_error *why)
{
    size_t count = runs->tree->sizes.node_count;
    struct difference d = {.runs = runs,
                           .rows = rows,
                           .parent = flm_runs_parents(runs, why),
                           .base = flm_runs_mean_values(runs, false),
                           .new = flm_runs_mean_values(runs, true),
                           .change = malloc(count * sizeof *d.change),
                           .order = malloc(2 * count * sizeof *d.order)};
    struct flm_report *report = NULL;
    if (d.parent && d.base && d.new &&d.change &&d.order)
        report = make(&d, why);
    else
        flm_error_memory(why);
    free(d.parent);
    free(d.base);
    free(d.new);
    free(d.change);
    free(d.order);
    return report;
}
