/* gate_text.c - the verdict in plain text. */
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "cli/common/terminal.h"
#include "cli/report/gate_more.h"
#include "cli/report/gate_report.h"
#include "cli/report/gate_words.h"
#include "gate/runs/means.h"
#include "profile/columns.h"

/* Sentences as paragraphs, broken where the window ends. */
static void add_lines(const struct flm_gate_report *r, const struct flm_text *lines)
{
    flm_lines_add(r->out, (struct flm_bytes){lines->at, lines->size}, &r->look, 2);
    r->out->failed = r->out->failed || lines->failed;
}

static void add_verdict(const struct flm_gate_report *r)
{
    struct flm_text lines = {0};
    flm_tone_add(&lines, FLM_TONE_STRONG, &r->look);
    flm_text_format(&lines, "%s: ", flm_verdict_name(r->gate->verdict));
    flm_gate_add_verdict(&lines, r);
    flm_tone_add(&lines, FLM_TONE_PLAIN, &r->look);
    flm_text_puts(&lines, "\n\ntotal: ");
    flm_gate_add_total(&lines, r, r->gate->total.base_mean, r->gate->total.new_mean);
    if (!r->options->absolute_only && !r->options->exact) {
        flm_text_puts(&lines, ", p ");
        flm_words_rounded(&lines, r->gate->total.p, 2);
        flm_text_puts(&lines, r->gate->total.is_failing ? ", fails" : "");
    }
    flm_text_putc(&lines, '\n');
    add_lines(r, &lines);
    flm_text_clear(&lines);
}

/* ---- What changed ---------------------------------------------------------------------------- */

static void add_items(const struct flm_gate_report *r)
{
    static const struct flm_column columns[] = {
        {"change", FLM_COLUMN_NUMBER, 0}, {"of base", FLM_COLUMN_NUMBER, 0},
        {"between", FLM_COLUMN_TEXT, 2},  {"p", FLM_COLUMN_NUMBER, 3},
        {"", FLM_COLUMN_TEXT, 0},         {"", FLM_COLUMN_TEXT, 0},
        {"where", FLM_COLUMN_STACK, 0}};
    const struct flm_gate *gate = r->gate;
    uint32_t shown = flm_gate_shown(r);
    struct flm_table table;
    if (shown == 0)
        return;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < shown; i++) {
        const struct flm_item *item = &gate->found.item[i];
        flm_table_change(&table, "", flm_words_mean(item->change), flm_runs_unit(r->runs),
                         gate->total.base_mean);
        flm_words_share(flm_table_cell(&table), item->change, gate->total.base_mean);
        flm_gate_add_interval(flm_table_cell(&table), r, item);
        struct flm_text *p = flm_table_cell(&table);
        if (!r->options->exact)
            flm_words_rounded(p, gate->column[item->column].p, 2);
        flm_text_puts(flm_table_cell(&table), item->is_failing ? "fails" : "");
        flm_gate_add_kind(flm_table_cell(&table), r, item);
        flm_words_stack(flm_table_cell(&table), r->runs->tree, item->node);
    }
    flm_text_putc(r->out, '\n');
    flm_table_print(&table, &r->look, r->out);
    flm_table_clear(&table);
    if (shown < gate->found.count)
        flm_text_format(r->out, "and %u smaller change%s\n", gate->found.count - shown,
                        gate->found.count - shown == 1 ? "" : "s");
}

static void add_more(const struct flm_gate_report *r)
{
    struct flm_text lines = {0};
    flm_gate_add_more(&lines, r);
    if (lines.size > 0)
        flm_text_putc(r->out, '\n');
    add_lines(r, &lines);
    flm_text_clear(&lines);
}

/* ---- What could have been found -------------------------------------------------------------- */

static void add_noise(const struct flm_gate_report *r)
{
    static const struct flm_column columns[] = {{"between runs", FLM_COLUMN_NUMBER, 0},
                                                {"sampling", FLM_COLUMN_NUMBER, 1},
                                                {"found from", FLM_COLUMN_NUMBER, 0},
                                                {"where", FLM_COLUMN_STACK, 0}};
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < flm_gate_noise_rows(r); i++) {
        const struct flm_noise_row *row = flm_gate_noise_row(r, i);
        flm_gate_add_noise_cells(&table, row);
        struct flm_text *where = flm_table_cell(&table);
        if (row->column == FLM_NONE)
            flm_text_puts(where, "total");
        else
            flm_words_stack(where, r->runs->tree, r->gate->columns.key[row->column].node);
    }
    flm_text_puts(r->out, "\nnoise\n");
    flm_table_print(&table, &r->look, r->out);
    flm_table_clear(&table);
}

static void add_method(const struct flm_gate_report *r)
{
    struct flm_text lines = {0};
    flm_gate_add_detectable(&lines, r);
    flm_text_puts(&lines, "\n");
    flm_gate_add_method(&lines, r);
    flm_text_puts(&lines, "\n");
    add_lines(r, &lines);
    flm_text_clear(&lines);
}

void flm_gate_text(const struct flm_gate_report *r)
{
    add_verdict(r);
    add_items(r);
    add_more(r);
    if (flm_gate_noise_rows(r) > 0)
        add_noise(r);
    else
        flm_text_putc(r->out, '\n');
    add_method(r);
}

/* ---- Of runs that cannot be tested ----------------------------------------------------------- */

struct difference {
    double *base, *new, *change; /* by node: means of self values */
};

static int by_size(const void *context, uint32_t a, uint32_t b)
{
    const double *change = context;
    double x = fabs(change[a]), y = fabs(change[b]);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void add_difference(const struct flm_gate_report *r, const struct difference *d,
                           uint32_t *order, uint32_t *scratch)
{
    static const struct flm_column columns[] = {{"base", FLM_COLUMN_NUMBER, 0},
                                                {"new", FLM_COLUMN_NUMBER, 0},
                                                {"change", FLM_COLUMN_NUMBER, 0},
                                                {"where", FLM_COLUMN_STACK, 0}};
    uint32_t count = r->runs->tree->sizes.node_count;
    double base = 0, new = 0;
    struct flm_table table;
    for (uint32_t i = 0; i < count; i++) {
        base += d->base[i];
        new += d->new[i];
        order[i] = i;
    }
    flm_sort(order, count, scratch, by_size, d->change);
    struct flm_text line = {0};
    flm_text_puts(&line, "total: ");
    flm_gate_add_total(&line, r, base, new);
    flm_text_putc(&line, '\n');
    add_lines(r, &line);
    flm_text_clear(&line);
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < count && (r->rows == 0 || i < r->rows); i++) {
        if (d->change[order[i]] == 0)
            break;
        flm_words_quantity(flm_table_cell(&table), r->runs, d->base[order[i]]);
        flm_words_quantity(flm_table_cell(&table), r->runs, d->new[order[i]]);
        flm_words_signed(flm_table_cell(&table), r->runs, d->change[order[i]]);
        flm_words_stack(flm_table_cell(&table), r->runs->tree, order[i]);
    }
    if (table.cell_count > 0) {
        flm_text_putc(r->out, '\n');
        flm_table_print(&table, &r->look, r->out);
    }
    flm_table_clear(&table);
}

bool flm_gate_text_difference(const struct flm_gate_report *r, struct flm_error *why)
{
    size_t count = r->runs->tree->sizes.node_count;
    struct difference d = {flm_runs_mean_values(r->runs, false),
                           flm_runs_mean_values(r->runs, true), malloc(count * sizeof(double))};
    uint32_t *order = malloc(2 * count * sizeof *order);
    bool good = (d.base && d.new &&d.change &&order) || flm_error_memory(why);
    for (size_t i = 0; good && i < count; i++)
        d.change[i] = d.new[i] - d.base[i];
    if (good)
        add_difference(r, &d, order, order + count);
    free(d.base);
    free(d.new);
    free(d.change);
    free(order);
    return good;
}
