/* data.c - a report for programs: JSON has everything, CSV the main table.
 *
 * Neither has a character that a terminal obeys, or that hides what stands around it: JSON has
 * their escapes, and reads back as the same name; CSV has their pictures. Text that a spreadsheet
 * would compute has a ' before it in CSV (draw/text/table.h). */
#include <string.h>

#include "base/number/number.h"
#include "report/core/blocks.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_json_value(struct flm_json_writer *json, const char *key,
                           const struct flm_report *report, const struct flm_report_value *value)
{
    switch (value->kind) {
    case FLM_VALUE_ABSENT:
        break;
    case FLM_VALUE_NULL:
        flm_json_add_null(json, key);
        break;
    case FLM_VALUE_NUMBER:
        flm_json_add_number(json, key, value->number);
        break;
    case FLM_VALUE_BOOL:
        flm_json_add_bool(json, key, value->number != 0);
        break;
    case FLM_VALUE_TEXT:
        flm_json_add_text(json, key, flm_report_value_text(report, value, NULL));
        break;
    case FLM_VALUE_STACK:
        flm_json_begin(json, key, FLM_JSON_ARRAY_LINE);
        for (size_t i = 0; i < value->end - value->start; i++)
            flm_json_add_text(json, NULL, flm_report_value_name(report, value, i));
        flm_json_end(json);
        break;
    }
}

/* The size of the part before the point of a name, the object that it is a member of; 0: none. */
static size_t object_size(const struct flm_report_column *column)
{
    const char *name = column->name, *point = memchr(name, '.', strlen(name));
    return point && !column->is_literal ? (size_t)(point - name) : 0;
}

static void add_matrix_row(struct flm_json_writer *json, const struct flm_report_table *table,
                           size_t row)
{
    const struct flm_report_value *values = flm_report_row_values(table, row);
    flm_json_begin(json, NULL, FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.at[i].forms & FLM_IN_JSON)
            add_json_value(json, NULL, table->report, &values[i]);
    flm_json_end(json);
}

static void add_json_row(struct flm_json_writer *json, const struct flm_report_table *table,
                         size_t row)
{
    const struct flm_report_value *values = flm_report_row_values(table, row);
    const char *object = NULL; /* that is open */
    size_t size = 0;
    flm_json_begin(json, NULL, table->is_spread ? FLM_JSON_OBJECT : FLM_JSON_OBJECT_LINE);
    for (size_t i = 0; i < table->columns.count; i++) {
        const char *name = table->columns.at[i].name;
        if (!(table->columns.at[i].forms & FLM_IN_JSON))
            continue;
        size_t next = object_size(&table->columns.at[i]);
        if (object && (next != size || memcmp(name, object, size) != 0)) {
            flm_json_end(json);
            object = NULL;
        }
        if (next > 0 && !object) {
            char key[64];
            size = next < sizeof key ? next : sizeof key - 1;
            memcpy(key, name, size);
            key[size] = 0;
            object = name;
            flm_json_begin(json, key, FLM_JSON_OBJECT_LINE);
        }
        add_json_value(json, next > 0 ? name + next + 1 : name, table->report, &values[i]);
    }
    if (object)
        flm_json_end(json);
    flm_json_end(json);
}

static void add_json_table(struct flm_json_writer *json, const char *key,
                           const struct flm_report_table *table)
{
    flm_json_begin(json, key, FLM_JSON_ARRAY);
    for (size_t i = 0; i < table->program_rows.count; i++)
        (table->is_matrix ? add_matrix_row : add_json_row)(json, table, table->program_rows.at[i]);
    flm_json_end(json);
}

void flm_report_to_json(const struct flm_report *report, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    if (report->is_table) {
        add_json_table(&json, NULL, report->tables.at[0]);
        return;
    }
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    for (size_t i = 0; i < report->blocks.count; i++) {
        const struct flm_report_block *block = &report->blocks.at[i];
        if (!(block->forms & FLM_IN_JSON))
            continue;
        if (block->kind == FLM_BLOCK_BEGIN)
            flm_json_begin(&json, block->key, block->shape);
        else if (block->kind == FLM_BLOCK_END)
            flm_json_end(&json);
        else if (block->kind == FLM_BLOCK_FACT)
            add_json_value(&json, block->key, report, &block->value);
        else if (block->kind == FLM_BLOCK_TABLE)
            add_json_table(&json, report->tables.at[block->table]->name,
                           report->tables.at[block->table]);
    }
    flm_json_end(&json);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

const struct flm_report_table *flm_report_csv_table(const struct flm_report *report)
{
    for (size_t i = 0; i < report->tables.count; i++)
        if (report->tables.at[i]->forms & FLM_IN_CSV)
            return report->tables.at[i];
    return NULL;
}

static void add_csv_cell(struct flm_table *to, const struct flm_report_table *table, size_t row,
                         size_t column, struct flm_text *scratch)
{
    const struct flm_report_value *value = &flm_report_row_values(table, row)[column];
    struct flm_text *cell = flm_table_cell(to);
    char digits[FLM_NUMBER_SIZE];
    if (value->kind == FLM_VALUE_BOOL) {
        flm_text_puts(cell, value->number != 0 ? "yes" : "no");
    } else if (value->kind == FLM_VALUE_NUMBER) {
        size_t size = table->columns.at[column].is_percent
                          ? flm_number_print_rounded(value->number, 6, digits)
                          : flm_number_print(value->number, digits);
        flm_text_add(cell, (struct flm_bytes){digits, size});
    } else {
        flm_text_add(cell, flm_report_value_text(table->report, value, scratch));
    }
}

/* The columns of the table under their names in CSV, terminated in `names`. */
static size_t find_columns(const struct flm_report_table *table, struct flm_column *columns,
                           size_t *from, struct flm_text *names)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < table->columns.count; i++) {
        if (!(table->columns.at[i].forms & FLM_IN_CSV))
            continue;
        for (const char *c = table->columns.at[i].name; *c; c++)
            flm_text_putc(names, *c == '.' && !table->columns.at[i].is_literal ? '_' : *c);
        flm_text_putc(names, 0);
        from[count++] = i;
    }
    for (size_t i = 0; !names->failed && i < count; i++) {
        columns[i] = (struct flm_column){names->at + at, FLM_COLUMN_TEXT, 0};
        at += strlen(names->at + at) + 1;
    }
    return count;
}

void flm_report_to_csv(const struct flm_report *report, struct flm_text *out)
{
    const struct flm_report_table *table = flm_report_csv_table(report);
    if (!table)
        return;
    struct flm_text names = {0}, scratch = {0};
    struct flm_column *columns = calloc(table->columns.count, sizeof *columns);
    size_t *from = calloc(table->columns.count, sizeof *from);
    size_t count = columns && from ? find_columns(table, columns, from, &names) : 0;
    if (count == 0 || names.failed) {
        out->failed = true;
    } else {
        struct flm_table to;
        flm_table_init(&to, columns, count);
        for (size_t row = 0; row < table->program_rows.count; row++)
            for (size_t i = 0; i < count; i++)
                add_csv_cell(&to, table, table->program_rows.at[row], from[i], &scratch);
        flm_table_csv(&to, out);
        flm_table_clear(&to);
    }
    out->failed = out->failed || scratch.failed;
    flm_text_clear(&scratch);
    flm_text_clear(&names);
    free(columns);
    free(from);
}
