/* report_top.c - the functions with the largest self or total, in every form of output. */
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "draw/text/quantity.h"

struct top {
    const struct flm_report *report;
    const uint32_t *order;
    uint32_t count, shown;
    double hidden; /* self of those that are not shown */
};

static const struct flm_function *row_of(const struct top *top, uint32_t i)
{
    return &top->report->functions.function[top->order[i]];
}

/* What is known of the frames of a function beyond "native": "kernel", "inlined+native". */
static void add_kinds(const struct flm_report *r, const struct flm_function *function,
                      struct flm_text *out)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < function->frame_count; i++)
        kinds |= 1u << r->profile->frames[function->first_frame + i].kind;
    kinds &= ~(1u << FLM_KIND_PLAIN);
    if (kinds == 1u << FLM_KIND_NATIVE)
        return;
    const char *between = "";
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++)
        if (kinds & 1u << kind) {
            flm_text_puts(out, between);
            flm_text_puts(out, flm_kind_name(kind));
            between = "+";
        }
}

static bool any_kinds(const struct top *top)
{
    struct flm_text kinds = {0};
    for (uint32_t i = 0; i < top->shown && kinds.size == 0; i++)
        add_kinds(top->report, row_of(top, i), &kinds);
    bool any = kinds.size > 0;
    flm_text_clear(&kinds);
    return any;
}

static bool any_places(const struct top *top)
{
    for (uint32_t i = 0; i < top->shown; i++)
        if (flm_report_place(top->report, row_of(top, i)).size > 0)
            return true;
    return false;
}

/* ---- For people
 * ---------------------------------------------------------------------------------- */

enum { BAR = 6, KINDS = 5, PLACE = 4, OTHERS = 3 };

static void fill(const struct top *top, struct flm_table *table, bool kinds, bool places)
{
    const struct flm_report *r = top->report;
    double largest = 0;
    bool by_total = r->sort == FLM_FUNCTIONS_BY_TOTAL;
    for (uint32_t i = 0; i < top->shown; i++)
        largest = fmax(largest, fabs(by_total ? row_of(top, i)->total : row_of(top, i)->self));
    for (uint32_t i = 0; i < top->shown; i++) {
        const struct flm_function *f = row_of(top, i);
        flm_table_quantity(table, f->self, r->unit, r->whole);
        flm_table_percent(table, f->self, r->whole);
        if (!by_total)
            flm_table_bar(table, largest > 0 ? fabs(f->self) / largest : 0);
        flm_table_quantity(table, f->total, r->unit, r->whole);
        flm_table_percent(table, f->total, r->whole);
        if (by_total)
            flm_table_bar(table, largest > 0 ? fabs(f->total) / largest : 0);
        if (kinds)
            add_kinds(r, f, flm_table_cell(table));
        if (places)
            flm_text_add(flm_table_cell(table), flm_report_place(r, f));
        flm_text_add(flm_table_cell(table), flm_string_bytes(r->profile, f->name));
    }
}

static void write_table(const struct top *top, struct flm_text *out)
{
    bool by_total = top->report->sort == FLM_FUNCTIONS_BY_TOTAL;
    bool kinds = any_kinds(top), places = any_places(top);
    struct flm_column columns[8] = {
        {"self", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_NUMBER, by_total ? OTHERS : 0},
        {"total", FLM_COLUMN_NUMBER, by_total ? 0 : OTHERS - 1},
        {"", FLM_COLUMN_NUMBER, by_total ? 0 : OTHERS},
    };
    /* The bar stands behind what the table is sorted by. */
    size_t bar = by_total ? 4 : 2, count = 5;
    memmove(&columns[bar + 1], &columns[bar], (4 - bar) * sizeof columns[0]);
    columns[bar] = (struct flm_column){"", FLM_COLUMN_BAR, BAR};
    if (kinds)
        columns[count++] = (struct flm_column){"kind", FLM_COLUMN_TEXT, KINDS};
    if (places)
        columns[count++] = (struct flm_column){"module", FLM_COLUMN_PATH, PLACE};
    columns[count++] = (struct flm_column){"function", FLM_COLUMN_NAME, 0};
    struct flm_table table;
    flm_table_init(&table, columns, count);
    fill(top, &table, kinds, places);
    if (top->report->output == FLM_REPORT_MARKDOWN)
        flm_table_markdown(&table, out);
    else
        flm_table_print(&table, &top->report->look, out);
    flm_table_clear(&table);
}

static void write_text(const struct top *top)
{
    const struct flm_report *r = top->report;
    bool markdown = r->output == FLM_REPORT_MARKDOWN;
    if (!flm_report_text_start(r))
        return;
    flm_text_puts(r->out, "\n");
    write_table(top, r->out);
    if (top->shown == top->count)
        return;
    flm_text_puts(r->out, markdown ? "\n" : "");
    flm_tone_add(r->out, FLM_TONE_MUTED, &r->look);
    flm_text_puts(r->out, "and ");
    flm_count_add(r->out, top->count - top->shown);
    flm_text_puts(r->out, " more, ");
    flm_percent_add(r->out, top->hidden, r->whole);
    flm_text_puts(r->out, " of self");
    flm_tone_add(r->out, FLM_TONE_PLAIN, &r->look);
    flm_text_puts(r->out, "\n");
}

/* ---- For programs
 * -------------------------------------------------------------------------------- */

static void write_json(const struct top *top)
{
    static const char *const keys[] = {"self", "total", "name"};
    const struct flm_report *r = top->report;
    struct flm_json_writer json = {0};
    flm_report_json_start(r, &json, "top");
    flm_json_add_text(&json, "sort", flm_bytes_of(keys[r->sort]));
    flm_json_begin(&json, "functions", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < top->shown; i++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_report_json_function(r, &json, row_of(top, i));
        flm_json_add_number(&json, "self", row_of(top, i)->self);
        flm_json_add_number(&json, "total", row_of(top, i)->total);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    flm_json_begin(&json, "hidden", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(&json, "functions", top->count - top->shown);
    flm_json_add_number(&json, "self", top->hidden);
    flm_json_end(&json);
    flm_json_end(&json);
}

static void write_csv(const struct top *top)
{
    static const struct flm_column columns[] = {
        {"function", FLM_COLUMN_TEXT, 0},      {"module", FLM_COLUMN_TEXT, 0},
        {"file", FLM_COLUMN_TEXT, 0},          {"self", FLM_COLUMN_TEXT, 0},
        {"self_percent", FLM_COLUMN_TEXT, 0},  {"total", FLM_COLUMN_TEXT, 0},
        {"total_percent", FLM_COLUMN_TEXT, 0},
    };
    const struct flm_report *r = top->report;
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < top->shown; i++) {
        const struct flm_function *f = row_of(top, i);
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->name));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->module));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->file));
        flm_report_exact(&table, f->self);
        flm_report_exact_percent(&table, f->self, r->whole);
        flm_report_exact(&table, f->total);
        flm_report_exact_percent(&table, f->total, r->whole);
    }
    flm_table_csv(&table, r->out);
    flm_table_clear(&table);
}

bool flm_report_top(const struct flm_report *report, struct flm_error *why)
{
    uint32_t *order = malloc(report->functions.count * sizeof *order);
    uint32_t count = order ? flm_functions_sort(&report->functions, report->sort, order) : FLM_NONE;
    if (count == FLM_NONE) {
        free(order);
        return flm_error_memory(why);
    }
    struct top top = {.report = report, .order = order, .count = count, .shown = count};
    if (report->rows > 0 && report->rows < count)
        top.shown = report->rows;
    for (uint32_t i = top.shown; i < count; i++)
        top.hidden += row_of(&top, i)->self;
    if (report->output == FLM_REPORT_JSON)
        write_json(&top);
    else if (report->output == FLM_REPORT_CSV)
        write_csv(&top);
    else
        write_text(&top);
    free(order);
    return true;
}
