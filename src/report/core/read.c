/* read.c - a finished report is read: the values that the writers need, and the public functions by
 * which programs find facts and tables by name. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "report/core/blocks.h"

struct flm_bytes flm_report_value_name(const struct flm_report *report,
                                       const struct flm_report_value *value, size_t frame)
{
    const size_t *start = &report->names.at[value->start + frame];
    /* cppcheck-suppress objectIndex ; `at` is a pointer to many, not a variable */
    return (struct flm_bytes){report->text.at + start[0], start[1] - start[0]};
}

struct flm_bytes flm_report_value_text(const struct flm_report *report,
                                       const struct flm_report_value *value,
                                       struct flm_text *scratch)
{
    if (value->kind == FLM_VALUE_TEXT)
        return value->end > value->start
                   ? (struct flm_bytes){report->text.at + value->start, value->end - value->start}
                   : (struct flm_bytes){"", 0};
    assert(scratch);
    scratch->size = 0;
    if (value->kind == FLM_VALUE_STACK)
        for (size_t i = 0; i < value->end - value->start; i++) {
            flm_text_puts(scratch, i > 0 ? ";" : "");
            flm_text_add(scratch, flm_report_value_name(report, value, i));
        }
    return (struct flm_bytes){scratch->size > 0 ? scratch->at : "", scratch->size};
}

const struct flm_report_value *flm_report_row_values(const struct flm_report_table *table,
                                                     size_t row)
{
    return &table->values.at[row * table->columns.count];
}

/* Whether the key is the next part of the path, which then points behind it. */
static bool is_next(const char *key, const char **path)
{
    size_t size = key ? strlen(key) : 0;
    if (!key || strlen(*path) < size || memcmp(key, *path, size) != 0 ||
        ((*path)[size] && (*path)[size] != '.'))
        return false;
    *path += size + ((*path)[size] == '.');
    return true;
}

/* A fact is in the groups that are open where it stands; `other` of them are not on the path. */
static const struct flm_report_value *find_fact(const struct flm_report *report, const char *path)
{
    size_t other = 0;
    for (size_t i = 0; i < report->blocks.count; i++) {
        const struct flm_report_block *block = &report->blocks.at[i];
        const char *rest = path;
        if (block->kind == FLM_BLOCK_BEGIN && (other > 0 || !is_next(block->key, &path)))
            other++;
        else if (block->kind == FLM_BLOCK_END && other > 0)
            other--;
        else if (block->kind == FLM_BLOCK_END)
            return NULL; /* of the group that it should be in */
        else if (block->kind == FLM_BLOCK_FACT && other == 0 && is_next(block->key, &rest) &&
                 !*rest)
            return &block->value;
    }
    return NULL;
}

double flm_report_fact_number(const struct flm_report *report, const char *path)
{
    assert(report && path);
    const struct flm_report_value *value = find_fact(report, path);
    bool is_number = value && (value->kind == FLM_VALUE_NUMBER || value->kind == FLM_VALUE_BOOL);
    return is_number ? value->number : (double)NAN;
}

struct flm_name flm_report_fact_string(const struct flm_report *report, const char *path)
{
    assert(report && path);
    const struct flm_report_value *value = find_fact(report, path);
    if (!value || value->kind != FLM_VALUE_TEXT)
        return (struct flm_name){"", 0};
    struct flm_bytes text = flm_report_value_text(report, value, NULL);
    return (struct flm_name){text.at, text.size};
}

/* Skips tables that only lay out text: their cells are no values. */
static const struct flm_report_table *next_table(const struct flm_report *report, size_t *from)
{
    while (*from < report->tables.count) {
        const struct flm_report_table *table = report->tables.at[(*from)++];
        if (table->forms & FLM_IN_PROGRAMS)
            return table;
    }
    return NULL;
}

size_t flm_report_table_count(const struct flm_report *report)
{
    size_t count = 0, from = 0;
    while (next_table(report, &from))
        count++;
    return count;
}

const struct flm_report_table *flm_report_table_at(const struct flm_report *report, size_t index)
{
    const struct flm_report_table *table;
    size_t from = 0;
    do {
        table = next_table(report, &from);
        assert(table);
    } while (index-- > 0);
    return table;
}

const struct flm_report_table *flm_report_table_named(const struct flm_report *report,
                                                      const char *name)
{
    assert(report && name);
    const struct flm_report_table *table;
    for (size_t from = 0; (table = next_table(report, &from));)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

const char *flm_report_table_name(const struct flm_report_table *table)
{
    return table->name;
}

size_t flm_report_column_count(const struct flm_report_table *table)
{
    return table->columns.count;
}

const char *flm_report_column_name(const struct flm_report_table *table, size_t column)
{
    assert(column < table->columns.count);
    return table->columns.at[column].name;
}

/* A column may be seen several times: the first is the value itself. */
static const struct flm_report_view *find_view(const struct flm_report_table *table, size_t column)
{
    assert(column < table->columns.count);
    for (size_t i = 0; i < table->views.count; i++)
        if (table->views.at[i].column == column && table->views.at[i].format != FLM_VIEW_AS_BAR)
            return &table->views.at[i];
    return NULL;
}

const char *flm_report_column_heading(const struct flm_report_table *table, size_t column)
{
    const struct flm_report_view *view = find_view(table, column);
    return view ? view->heading : NULL;
}

struct flm_name flm_report_column_unit(const struct flm_report_table *table, size_t column)
{
    const struct flm_report_view *view = find_view(table, column);
    return view ? (struct flm_name){view->unit.at, view->unit.size} : (struct flm_name){"", 0};
}

size_t flm_report_column_named(const struct flm_report_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns.count; i++)
        if (strcmp(table->columns.at[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

size_t flm_report_row_count(const struct flm_report_table *table)
{
    return table->program_rows.count;
}

uint32_t flm_report_row_depth(const struct flm_report_table *table, size_t row)
{
    assert(row < table->program_rows.count);
    return table->rows.at[table->program_rows.at[row]].depth;
}

static const struct flm_report_value *value_at(const struct flm_report_table *table, size_t row,
                                               size_t column)
{
    assert(row < table->program_rows.count && column < table->columns.count);
    return &flm_report_row_values(table, table->program_rows.at[row])[column];
}

enum flm_report_kind flm_report_kind_of(const struct flm_report_table *table, size_t row,
                                        size_t column)
{
    static const enum flm_report_kind kinds[] = {[FLM_VALUE_NUMBER] = FLM_REPORT_NUMBER,
                                                 [FLM_VALUE_BOOL] = FLM_REPORT_BOOL,
                                                 [FLM_VALUE_TEXT] = FLM_REPORT_STRING,
                                                 [FLM_VALUE_STACK] = FLM_REPORT_STACK};
    return kinds[value_at(table, row, column)->kind];
}

double flm_report_number(const struct flm_report_table *table, size_t row, size_t column)
{
    const struct flm_report_value *value = value_at(table, row, column);
    bool is_number = value->kind == FLM_VALUE_NUMBER || value->kind == FLM_VALUE_BOOL;
    return is_number ? value->number : (double)NAN;
}

struct flm_name flm_report_string(const struct flm_report_table *table, size_t row, size_t column)
{
    const struct flm_report_value *value = value_at(table, row, column);
    if (value->kind != FLM_VALUE_TEXT)
        return (struct flm_name){"", 0};
    struct flm_bytes text = flm_report_value_text(table->report, value, NULL);
    return (struct flm_name){text.at, text.size};
}

size_t flm_report_stack_depth(const struct flm_report_table *table, size_t row, size_t column)
{
    const struct flm_report_value *value = value_at(table, row, column);
    return value->kind == FLM_VALUE_STACK ? value->end - value->start : 0;
}

struct flm_name flm_report_stack_frame(const struct flm_report_table *table, size_t row,
                                       size_t column, size_t frame)
{
    assert(frame < flm_report_stack_depth(table, row, column));
    struct flm_bytes name =
        flm_report_value_name(table->report, value_at(table, row, column), frame);
    return (struct flm_name){name.at, name.size};
}
