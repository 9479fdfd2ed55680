#include "report/core/blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"

struct flm_report *flm_report_new(struct flm_error *why)
{
    struct flm_report *report = calloc(1, sizeof *report);
    if (!report)
        flm_error_memory(why);
    return report;
}

static void free_table(struct flm_report_table *table)
{
    FLM_ARRAY_CLEAR(&table->columns);
    FLM_ARRAY_CLEAR(&table->views);
    FLM_ARRAY_CLEAR(&table->rows);
    FLM_ARRAY_CLEAR(&table->program_rows);
    FLM_ARRAY_CLEAR(&table->values);
    free(table);
}

void flm_report_free(struct flm_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->tables.count; i++)
        free_table(report->tables.at[i]);
    for (size_t i = 0; i < report->kept.count; i++)
        free(report->kept.at[i]);
    FLM_ARRAY_CLEAR(&report->tables);
    FLM_ARRAY_CLEAR(&report->kept);
    FLM_ARRAY_CLEAR(&report->blocks);
    FLM_ARRAY_CLEAR(&report->names);
    flm_text_clear(&report->text);
    free(report);
}

/* The value that text was added to ends here. */
static void close_text(struct flm_report *report)
{
    struct flm_report_value *open = report->open;
    report->open = NULL;
    if (!open)
        return;
    if (open->kind != FLM_VALUE_STACK) {
        open->end = report->text.size;
        return;
    }
    /* Names are ranges from one to the next, so a stack ends with one more. */
    open->end = report->names.count;
    if (!FLM_ARRAY_ADD(&report->names, report->text.size))
        report->failed = true;
}

struct flm_report *flm_report_finish(struct flm_report *report, struct flm_error *why)
{
    assert(report);
    close_text(report);
    if (!report->failed && !report->text.failed)
        return report;
    flm_report_free(report);
    flm_error_memory(why);
    return NULL;
}

const char *flm_report_keep(struct flm_report *report, struct flm_bytes text)
{
    char *copy = FLM_ARRAY_RESERVE(&report->kept, 1) ? malloc(text.size + 1) : NULL;
    if (!copy) {
        report->failed = true;
        return "";
    }
    if (text.size > 0)
        memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    report->kept.at[report->kept.count++] = copy;
    return copy;
}

/* The text that follows is of this value. */
static struct flm_text *open_text(struct flm_report *report, struct flm_report_value *value)
{
    value->start = value->kind == FLM_VALUE_STACK ? report->names.count : report->text.size;
    value->end = value->start;
    report->open = value;
    return &report->text;
}

static struct flm_report_block *add_block(struct flm_report *report, struct flm_report_block block)
{
    close_text(report);
    if (!FLM_ARRAY_ADD(&report->blocks, block)) {
        report->failed = true;
        return NULL;
    }
    return &report->blocks.at[report->blocks.count - 1];
}

/* ---- For programs ---------------------------------------------------------------------------- */

void flm_report_begin(struct flm_report *report, const char *key, enum flm_json_shape shape)
{
    add_block(report,
              (struct flm_report_block){
                  .kind = FLM_BLOCK_BEGIN, .forms = FLM_IN_JSON, .key = key, .shape = shape});
}

void flm_report_end(struct flm_report *report)
{
    add_block(report, (struct flm_report_block){.kind = FLM_BLOCK_END, .forms = FLM_IN_JSON});
}

static struct flm_report_block *add_fact(struct flm_report *report, const char *key,
                                         enum flm_value_kind kind, double number)
{
    return add_block(report, (struct flm_report_block){.kind = FLM_BLOCK_FACT,
                                                       .forms = FLM_IN_JSON,
                                                       .key = key,
                                                       .value = {.kind = kind, .number = number}});
}

void flm_report_add_text(struct flm_report *report, const char *key, struct flm_bytes value)
{
    struct flm_report_block *block = add_fact(report, key, FLM_VALUE_TEXT, 0);
    if (block)
        flm_text_add(open_text(report, &block->value), value);
}

void flm_report_add_number(struct flm_report *report, const char *key, double value)
{
    add_fact(report, key, FLM_VALUE_NUMBER, value);
}

void flm_report_add_bool(struct flm_report *report, const char *key, bool value)
{
    add_fact(report, key, FLM_VALUE_BOOL, value);
}

void flm_report_add_null(struct flm_report *report, const char *key)
{
    add_fact(report, key, FLM_VALUE_NULL, 0);
}

void flm_report_add_stack(struct flm_report *report, const char *key)
{
    struct flm_report_block *block = add_fact(report, key, FLM_VALUE_STACK, 0);
    if (block)
        open_text(report, &block->value);
}

void flm_report_add_name(struct flm_report *report, struct flm_bytes name)
{
    if (!FLM_ARRAY_ADD(&report->names, report->text.size))
        report->failed = true;
    flm_text_add(&report->text, name);
}

void flm_report_add_node(struct flm_report *report, const struct flm_profile *profile,
                         const uint32_t *parent, uint32_t node)
{
    enum { USUAL_DEPTH = 256 };
    uint32_t usual[USUAL_DEPTH], *path = usual;
    size_t depth = 0;
    for (uint32_t at = node; at != 0; at = parent[at])
        depth++;
    if (depth > USUAL_DEPTH)
        path = malloc(depth * sizeof *path);
    if (!path) {
        report->failed = true;
        return;
    }
    size_t i = depth;
    for (uint32_t at = node; at != 0; at = parent[at])
        path[--i] = at;
    for (i = 0; i < depth; i++)
        flm_report_add_name(report, flm_frame_function(profile, profile->node_frame[path[i]]));
    if (path != usual)
        free(path);
}

/* ---- For people ------------------------------------------------------------------------------ */

struct flm_text *flm_report_add_line(struct flm_report *report, unsigned forms, bool has_gap,
                                     enum flm_table_tone tone)
{
    struct flm_report_block *block =
        add_block(report, (struct flm_report_block){.kind = FLM_BLOCK_LINE,
                                                    .forms = forms,
                                                    .has_gap = has_gap,
                                                    .value = {FLM_VALUE_TEXT, .tone = tone}});
    return block ? open_text(report, &block->value) : &report->text;
}

static struct flm_report_block *last_block(struct flm_report *report)
{
    return report->blocks.count > 0 ? &report->blocks.at[report->blocks.count - 1] : NULL;
}

void flm_report_end_path(struct flm_report *report)
{
    struct flm_report_block *line = last_block(report);
    if (line)
        line->path_size = report->text.size - line->value.start;
}

void flm_report_indent_line(struct flm_report *report, size_t indent)
{
    struct flm_report_block *line = last_block(report);
    if (line)
        line->indent = indent;
}

void flm_report_begin_strong(struct flm_report *report)
{
    struct flm_report_block *line = last_block(report);
    assert(report->failed || (line && line->kind == FLM_BLOCK_LINE));
    if (line)
        line->strong = report->text.size - line->value.start + 1;
}

void flm_report_limit_width(struct flm_report *report, enum flm_block_width width, size_t cells)
{
    struct flm_report_block *block = last_block(report);
    if (!block)
        return;
    block->width = width;
    block->least_width = cells;
}

struct flm_text *flm_report_add_heading(struct flm_report *report, const char *title,
                                        const char *verdict)
{
    struct flm_report_block *block = add_block(
        report, (struct flm_report_block){.kind = FLM_BLOCK_HEADING,
                                          .forms = verdict ? FLM_IN_PEOPLES : FLM_IN_MARKDOWN,
                                          .key = title,
                                          .detail = verdict,
                                          .value = {.kind = FLM_VALUE_TEXT}});
    return block ? open_text(report, &block->value) : &report->text;
}

void flm_report_begin_section(struct flm_report *report, const char *title, const char *detail,
                              bool is_open)
{
    add_block(report, (struct flm_report_block){.kind = FLM_BLOCK_SECTION,
                                                .forms = FLM_IN_PEOPLES,
                                                .key = title,
                                                .detail = detail,
                                                .is_open = is_open});
}

void flm_report_end_section(struct flm_report *report)
{
    add_block(report,
              (struct flm_report_block){.kind = FLM_BLOCK_SECTION_END, .forms = FLM_IN_PEOPLES});
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static struct flm_report_table *last_table(const struct flm_report *report)
{
    return report->tables.count > 0 ? report->tables.at[report->tables.count - 1] : NULL;
}

struct flm_report_table *flm_report_begin_table(struct flm_report *report, const char *name,
                                                unsigned forms, bool has_gap)
{
    struct flm_report_table *table =
        FLM_ARRAY_RESERVE(&report->tables, 1) ? calloc(1, sizeof *table) : NULL;
    if (!table) {
        report->failed = true;
        return NULL;
    }
    table->report = report;
    table->name = name;
    table->forms = forms;
    add_block(report, (struct flm_report_block){.kind = FLM_BLOCK_TABLE,
                                                .forms = forms,
                                                .has_gap = has_gap,
                                                .table = report->tables.count});
    report->tables.at[report->tables.count++] = table;
    return table;
}

static size_t add_column(struct flm_report *report, struct flm_report_column column)
{
    struct flm_report_table *table = last_table(report);
    if (!table || !FLM_ARRAY_ADD(&table->columns, column)) {
        report->failed = true;
        return 0;
    }
    return table->columns.count - 1;
}

size_t flm_report_add_column(struct flm_report *report, const char *name, unsigned forms)
{
    return add_column(report, (struct flm_report_column){.name = name, .forms = forms});
}

size_t flm_report_add_percent_column(struct flm_report *report, const char *name, unsigned forms)
{
    return add_column(report,
                      (struct flm_report_column){.name = name, .forms = forms, .is_percent = true});
}

size_t flm_report_add_literal_column(struct flm_report *report, const char *name, unsigned forms)
{
    return add_column(report,
                      (struct flm_report_column){.name = name, .forms = forms, .is_literal = true});
}

void flm_report_add_view(struct flm_report *report, struct flm_report_view view)
{
    struct flm_report_table *table = last_table(report);
    if (view.unit.size > 0)
        view.unit.at = flm_report_keep(report, view.unit);
    if (!table || !FLM_ARRAY_ADD(&table->views, view))
        report->failed = true;
}

void flm_report_begin_row(struct flm_report *report, uint32_t depth, unsigned forms)
{
    struct flm_report_table *table = last_table(report);
    close_text(report);
    if (!table)
        return;
    assert(table->values.count == table->rows.count * table->columns.count || report->failed);
    uint32_t row = (uint32_t)table->rows.count;
    if (!FLM_ARRAY_ADD(&table->rows, (struct flm_report_row){depth, forms}) ||
        !FLM_ARRAY_RESERVE(&table->values, table->columns.count) ||
        ((forms & FLM_IN_PROGRAMS) && !FLM_ARRAY_ADD(&table->program_rows, row)))
        report->failed = true;
}

static struct flm_report_value *add_value(struct flm_report *report, struct flm_report_value value)
{
    struct flm_report_table *table = last_table(report);
    close_text(report);
    if (!table || !FLM_ARRAY_ADD(&table->values, value)) {
        report->failed = true;
        return NULL;
    }
    return &table->values.at[table->values.count - 1];
}

void flm_report_cell_number(struct flm_report *report, double value)
{
    add_value(report, (struct flm_report_value){.kind = FLM_VALUE_NUMBER, .number = value});
}

void flm_report_cell_bool(struct flm_report *report, bool value)
{
    add_value(report, (struct flm_report_value){.kind = FLM_VALUE_BOOL, .number = value});
}

struct flm_text *flm_report_cell_text(struct flm_report *report)
{
    struct flm_report_value *value =
        add_value(report, (struct flm_report_value){.kind = FLM_VALUE_TEXT});
    return value ? open_text(report, value) : &report->text;
}

void flm_report_cell_bytes(struct flm_report *report, struct flm_bytes text)
{
    flm_text_add(flm_report_cell_text(report), text);
}

void flm_report_cell_null(struct flm_report *report)
{
    add_value(report, (struct flm_report_value){.kind = FLM_VALUE_NULL});
}

void flm_report_cell_absent(struct flm_report *report)
{
    add_value(report, (struct flm_report_value){.kind = FLM_VALUE_ABSENT});
}

void flm_report_cell_stack(struct flm_report *report)
{
    struct flm_report_value *value =
        add_value(report, (struct flm_report_value){.kind = FLM_VALUE_STACK});
    if (value)
        open_text(report, value);
}

static struct flm_report_value *last_value(struct flm_report *report)
{
    struct flm_report_table *table = last_table(report);
    return table && table->values.count > 0 ? &table->values.at[table->values.count - 1] : NULL;
}

void flm_report_cell_tone(struct flm_report *report, enum flm_table_tone tone)
{
    struct flm_report_value *value = last_value(report);
    if (value)
        value->tone = tone;
}

void flm_report_cell_prefix(struct flm_report *report, const char *prefix)
{
    struct flm_report_value *value = last_value(report);
    if (value)
        value->prefix = prefix;
}
