#include "cli/report/live_sections.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/probe/sums.h"

static const struct flm_section_tab tabs[] = {
    {"time", "Time", true},        {"memory", "Memory", true},
    {"cpu", "CPU", true},          {"locks", "Locks", true},
    {"queues", "Queues", true},    {"tasks", "Tasks", true},
    {"io", "I/O", true},           {"threads", "Threads", true},
    {"values", "Values", true},    {"requests", "Requests", false},
    {"streams", "Streams", false}, {"frames", "Frames", false},
    {"sql", "SQL", false},         {"http", "HTTP", false},
};

const struct flm_section_tab *flm_sections_tab(size_t index)
{
    return index < sizeof tabs / sizeof *tabs ? &tabs[index] : NULL;
}

static const struct flm_report_table *table_of(const struct flm_report *report, const char *name)
{
    return report ? flm_report_table_named(report, name) : NULL;
}

bool flm_sections_has_rows(const struct flm_sections *s, const struct flm_section_tab *tab)
{
    return table_of(s->now, tab->name) != NULL;
}

bool flm_sections_has(const struct flm_sections *s, const struct flm_section_tab *tab)
{
    return tab->is_always || flm_sections_has_rows(s, tab);
}

void flm_sections_add(struct flm_sections *s, struct flm_report *report, double at_s)
{
    flm_report_free(s->before);
    s->before = s->now;
    s->now = report;
    s->seconds = s->before ? at_s - s->now_s : 0;
    s->now_s = at_s;
}

void flm_sections_clear(struct flm_sections *s)
{
    flm_report_free(s->before);
    flm_report_free(s->now);
    *s = (struct flm_sections){0};
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Of the report, or how much of it came since the look before. */
struct column {
    size_t source;
    bool is_rate, is_text;
    struct flm_name unit;
    char name[40], title[48];
};

enum { MOST_COLUMNS = 64 };

struct columns {
    struct column at[MOST_COLUMNS];
    size_t count;
    size_t name; /* of the report: what the rows are called */
};

static bool is_time(struct flm_name unit)
{
    return unit.size == 2 && memcmp(unit.at, "ns", 2) == 0;
}

/* The value itself, and then its rate. */
static void add_column(struct columns *to, const struct flm_report_table *table, size_t source,
                       bool with_rates)
{
    const char *heading = flm_report_column_heading(table, source);
    const char *name = flm_report_column_name(table, source);
    bool is_text = flm_report_row_count(table) > 0 &&
                   flm_report_kind_of(table, 0, source) == FLM_REPORT_STRING;
    for (int rate = 0; rate < 2 && to->count < MOST_COLUMNS; rate++) {
        if (rate == 1 && (!with_rates || is_text || !flm_section_is_sum(name)))
            return;
        struct column *c = &to->at[to->count++];
        *c = (struct column){.source = source,
                             .is_rate = rate == 1,
                             .is_text = is_text,
                             .unit = flm_report_column_unit(table, source)};
        snprintf(c->name, sizeof c->name, "%.30s%s", name, rate ? "/s" : "");
        if (rate && is_time(c->unit))
            snprintf(c->title, sizeof c->title, "now");
        else
            snprintf(c->title, sizeof c->title, "%.30s%s", rate ? "" : heading, rate ? "/s" : "");
    }
}

static void find_columns(struct columns *to, const struct flm_report_table *table, bool with_rates)
{
    *to = (struct columns){.name = flm_report_column_named(table, "seen")};
    if (to->name == SIZE_MAX)
        to->name = flm_report_column_named(table, "name");
    for (size_t i = 0; i < flm_report_column_count(table); i++)
        if (i != to->name && flm_report_column_heading(table, i))
            add_column(to, table, i, with_rates);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

struct row {
    size_t index, before; /* in the tables; SIZE_MAX: it was not there */
    double key;
};

struct rows FLM_ARRAY(struct row);

/* What makes a row the same one: the first four that there are. */
static bool is_same(const struct flm_report_table *a, size_t row, const struct flm_report_table *b,
                    size_t other)
{
    static const char *const keys[] = {"name", "file", "line", "operation", "tid"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t of_a = flm_report_column_named(a, keys[i]),
               of_b = flm_report_column_named(b, keys[i]);
        if (of_a == SIZE_MAX || of_b == SIZE_MAX)
            continue;
        struct flm_name x = flm_report_string(a, row, of_a), y = flm_report_string(b, other, of_b);
        double p = flm_report_number(a, row, of_a), q = flm_report_number(b, other, of_b);
        if (x.size != y.size || memcmp(x.at, y.at, x.size) != 0 ||
            (p != q && !(isnan(p) && isnan(q))))
            return false;
    }
    return true;
}

/* Mostly near where it is now. */
static size_t find_before(const struct flm_report_table *now, size_t row,
                          const struct flm_report_table *before)
{
    size_t count = before ? flm_report_row_count(before) : 0;
    for (size_t away = 0; away <= row || row + away < count; away++) {
        if (row >= away && row - away < count && is_same(now, row, before, row - away))
            return row - away;
        if (away > 0 && row + away < count && is_same(now, row, before, row + away))
            return row + away;
    }
    return SIZE_MAX;
}

/* NaN: it has none. */
static double value_of(const struct flm_sections *s, const struct flm_report_table *now,
                       const struct flm_report_table *before, const struct column *column,
                       const struct row *row)
{
    double value = flm_report_number(now, row->index, column->source);
    if (!column->is_rate || isnan(value))
        return value;
    /* A row that is new may have had something: what it has is not of this interval alone. */
    if (!(s->seconds > 0) || (before && row->before == SIZE_MAX))
        return NAN;
    double old = 0;
    if (row->before != SIZE_MAX) {
        size_t source =
            flm_report_column_named(before, flm_report_column_name(now, column->source));
        old = source == SIZE_MAX ? 0 : flm_report_number(before, row->before, source);
    }
    /* Times of open scopes are those of about the moment of the copy: a self time may seem to go
     * back by as long as that took. */
    return fmax(value - (isnan(old) ? 0 : old), 0) / s->seconds;
}

static bool contains(struct flm_name text, const char *part)
{
    size_t size = part ? strlen(part) : 0;
    if (size == 0)
        return true;
    for (size_t i = 0; i + size <= text.size; i++) {
        size_t same = 0;
        while (same < size &&
               tolower((unsigned char)text.at[i + same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == size)
            return true;
    }
    return false;
}

/* What has no value comes last. */
static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (isnan(x->key) || isnan(y->key))
        return (int)isnan(x->key) - (int)isnan(y->key);
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static const struct column *sorted_by(const struct columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (*name && strcmp(columns->at[i].name, name) == 0)
            return &columns->at[i];
    return NULL;
}

static bool find_rows(const struct flm_sections *s, const struct flm_section_view *view,
                      const struct columns *columns, struct rows *rows)
{
    const struct flm_report_table *now = table_of(s->now, view->tab->name);
    const struct flm_report_table *before = table_of(s->before, view->tab->name);
    const struct column *by = sorted_by(columns, view->sort);
    for (size_t i = 0; i < flm_report_row_count(now); i++) {
        struct row row = {i, find_before(now, i, before), NAN};
        if (columns->name != SIZE_MAX &&
            !contains(flm_report_string(now, i, columns->name), view->search))
            continue;
        row.key = by ? value_of(s, now, before, by, &row) : -(double)i;
        if (view->is_reversed)
            row.key = -row.key;
        if (!FLM_ARRAY_ADD(rows, row))
            return false;
    }
    if (rows->count > 0)
        qsort(rows->at, rows->count, sizeof *rows->at, compare);
    return true;
}

/* ---- As text --------------------------------------------------------------------------------- */

static void add_value(struct flm_text *to, const struct column *column, double value)
{
    if (isnan(value))
        return;
    if (column->is_rate && is_time(column->unit)) {
        const double ns_of_second = 1e9;
        flm_percent_add(to, value, ns_of_second);
    } else {
        double shown = column->is_rate && fabs(value) >= 10 ? floor(value + 0.5) : value;
        flm_quantity_add(to, shown, (struct flm_bytes){column->unit.at, column->unit.size});
    }
}

static void add_rows(const struct flm_sections *s, struct flm_section_view *view,
                     const struct columns *columns, const struct rows *rows,
                     struct flm_table *table)
{
    const struct flm_report_table *now = table_of(s->now, view->tab->name);
    const struct flm_report_table *before = table_of(s->before, view->tab->name);
    size_t end = view->rows > 0 && rows->count > view->first + view->rows ? view->first + view->rows
                                                                          : rows->count;
    view->hidden = rows->count - end;
    for (size_t i = view->first; i < end; i++) {
        const struct row *row = &rows->at[i];
        for (size_t c = 0; c < columns->count; c++) {
            const struct column *column = &columns->at[c];
            struct flm_text *cell = flm_table_cell(table);
            if (column->is_rate)
                flm_table_tone(table, FLM_TONE_ACCENT);
            struct flm_name text = flm_report_string(now, row->index, column->source);
            if (column->is_text)
                flm_text_add(cell, (struct flm_bytes){text.at, text.size});
            else
                add_value(cell, column, value_of(s, now, before, column, row));
        }
        struct flm_name name = columns->name == SIZE_MAX
                                   ? (struct flm_name){"", 0}
                                   : flm_report_string(now, row->index, columns->name);
        flm_text_add(flm_table_cell(table), (struct flm_bytes){name.at, name.size});
    }
}

/* "scope", "lock", "path": what the rows of the section are. */
static const char *rows_heading(const struct flm_sections *s, const struct flm_section_tab *tab,
                                const struct columns *columns)
{
    const struct flm_report_table *table = table_of(s->now, tab->name);
    const char *heading =
        columns->name == SIZE_MAX ? NULL : flm_report_column_heading(table, columns->name);
    return heading && *heading ? heading : "name";
}

/* The order in which columns are left out of a narrow window, the largest number first: the rate
 * since the start, since the column before it is the current rate; minima and maxima; percentiles;
 * then columns from the right to the left; and total times last. 0: never. */
static int leave_out(const char *name, size_t index)
{
    enum { FIRST = 3, OTHERS = 2, PERCENTILES = 200, EXTREMES = 300, RATES = 400 };
    bool is_percentile = strstr(name, "p9") || strstr(name, "p5");
    bool is_extreme = strncmp(name, "max", 3) == 0 || strcmp(name, "least") == 0;
    bool is_rate = strcmp(name, "rate") == 0 || strcmp(name, "frequency") == 0;
    if (index < FIRST)
        return 0;
    if (strncmp(name, "total_ns", 8) == 0)
        return 1 + (strcmp(name, "total_ns") != 0);
    return OTHERS + (int)index +
           (is_rate         ? RATES
            : is_extreme    ? EXTREMES
            : is_percentile ? PERCENTILES
                            : 0);
}

static void write_table(const struct flm_sections *s, struct flm_section_view *view,
                        struct columns *columns, const struct rows *rows,
                        const struct flm_table_style *style, struct flm_text *out)
{
    struct flm_table table;
    struct flm_column shown[MOST_COLUMNS + 1];
    for (size_t i = 0; i < columns->count; i++) {
        struct column *c = &columns->at[i];
        size_t size = strlen(c->title);
        if (strcmp(c->name, view->sort) == 0)
            snprintf(c->title + size, sizeof c->title - size, "%s",
                     style->charset == FLM_CHARSET_UTF8 ? (view->is_reversed ? " ▲" : " ▼")
                     : view->is_reversed                ? " ^"
                                                        : " v");
        shown[i] = (struct flm_column){c->title, c->is_text ? FLM_COLUMN_TEXT : FLM_COLUMN_NUMBER,
                                       leave_out(c->name, i)};
    }
    shown[columns->count] =
        (struct flm_column){rows_heading(s, view->tab, columns), FLM_COLUMN_NAME, 0};
    flm_table_init(&table, shown, columns->count + 1);
    add_rows(s, view, columns, rows, &table);
    flm_table_print(&table, style, out);
    flm_table_clear(&table);
}

static void write_nothing(const struct flm_sections *s, const struct flm_section_view *view,
                          struct flm_text *out)
{
    char path[64];
    snprintf(path, sizeof path, "measured.%s", view->tab->name);
    double is_measured = s->now ? flm_report_fact_number(s->now, path) : NAN;
    if (is_measured == 0)
        flm_text_format(out, "%s is not measured: FLAMEL=%s asks for it\n", view->tab->title,
                        view->tab->name);
    else
        flm_text_format(out, "%s: nothing was measured yet\n", view->tab->title);
}

void flm_sections_write(const struct flm_sections *s, struct flm_section_view *view,
                        const struct flm_table_style *style, struct flm_text *out)
{
    const struct flm_report_table *now = table_of(s->now, view->tab->name);
    struct columns columns;
    struct rows rows = {0};
    view->found = view->hidden = 0;
    if (!now) {
        write_nothing(s, view, out);
        return;
    }
    find_columns(&columns, now, s->before != NULL);
    if (!find_rows(s, view, &columns, &rows))
        out->failed = true;
    view->found = rows.count;
    view->first = view->first < rows.count ? view->first : rows.count;
    write_table(s, view, &columns, &rows, style, out);
    FLM_ARRAY_CLEAR(&rows);
}

void flm_sections_sort(const struct flm_sections *s, struct flm_section_view *view, int by)
{
    const struct flm_report_table *now = table_of(s->now, view->tab->name);
    struct columns columns;
    if (!now)
        return;
    find_columns(&columns, now, s->before != NULL);
    const struct column *current = sorted_by(&columns, view->sort);
    int count = (int)columns.count, at = current ? (int)(current - columns.at) : by > 0 ? -1 : 0;
    for (int step = 0; step < count; step++) {
        at = (at + by + count) % count;
        if (!columns.at[at].is_text)
            break;
    }
    if (count > 0)
        memcpy(view->sort, columns.at[at].name, sizeof view->sort);
}

void flm_sections_write_status(const struct flm_sections *s, struct flm_text *out)
{
    if (!s->now)
        return;
    double threads = flm_report_fact_number(s->now, "threads_count");
    flm_quantity_add(out, flm_report_fact_number(s->now, "elapsed_ns"), flm_bytes_of("ns"));
    flm_text_format(out, ", %llu thread%s", (unsigned long long)threads, threads == 1 ? "" : "s");
    if (s->seconds > 0) {
        flm_text_puts(out, ", rates of the last ");
        flm_quantity_add(out, s->seconds * 1e9, flm_bytes_of("ns"));
    }
}

/* ---- As JSON --------------------------------------------------------------------------------- */

static void write_json_row(const struct flm_sections *s, const struct flm_section_tab *tab,
                           const struct columns *columns, const struct row *row,
                           struct flm_json_writer *json)
{
    const struct flm_report_table *now = table_of(s->now, tab->name);
    const struct flm_report_table *before = table_of(s->before, tab->name);
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    for (size_t i = 0; i < flm_report_column_count(now); i++) {
        enum flm_report_kind kind = flm_report_kind_of(now, row->index, i);
        struct flm_name text = flm_report_string(now, row->index, i);
        const char *name = flm_report_column_name(now, i);
        if (strcmp(name, "seen") == 0)
            continue;
        if (kind == FLM_REPORT_STRING)
            flm_json_add_text(json, name, (struct flm_bytes){text.at, text.size});
        else if (kind == FLM_REPORT_NUMBER)
            flm_json_add_number(json, name, flm_report_number(now, row->index, i));
    }
    for (size_t i = 0; i < columns->count; i++) {
        double value = value_of(s, now, before, &columns->at[i], row);
        if (columns->at[i].is_rate && !isnan(value))
            flm_json_add_number(json, columns->at[i].name, value);
    }
    flm_json_end(json);
}

void flm_sections_write_json(const struct flm_sections *s, size_t most,
                             struct flm_json_writer *json)
{
    for (size_t t = 0; t < sizeof tabs / sizeof *tabs; t++) {
        const struct flm_section_view view = {.tab = &tabs[t]};
        const struct flm_report_table *now = table_of(s->now, tabs[t].name);
        struct columns columns;
        struct rows rows = {0};
        if (!now)
            continue;
        find_columns(&columns, now, s->before != NULL);
        if (!find_rows(s, &view, &columns, &rows))
            json->out->failed = true;
        flm_json_begin(json, tabs[t].name, FLM_JSON_ARRAY_LINE);
        for (size_t i = 0; i < rows.count && (most == 0 || i < most); i++)
            write_json_row(s, &tabs[t], &columns, &rows.at[i], json);
        flm_json_end(json);
        FLM_ARRAY_CLEAR(&rows);
    }
}

/* ---- For a page ------------------------------------------------------------------------------ */

/* What is_same compares, as a text. */
static void add_key(const struct flm_report_table *table, size_t row, struct flm_text *key)
{
    static const char *const keys[] = {"name", "file", "line", "operation", "tid"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t column = flm_report_column_named(table, keys[i]);
        if (column == SIZE_MAX)
            continue;
        struct flm_name text = flm_report_string(table, row, column);
        flm_text_add(key, (struct flm_bytes){text.at, text.size});
        if (flm_report_kind_of(table, row, column) == FLM_REPORT_NUMBER)
            flm_text_format(key, "%llu", (unsigned long long)flm_report_number(table, row, column));
        flm_text_putc(key, ' ');
    }
}

static void write_cells_row(const struct flm_sections *s, const struct flm_section_tab *tab,
                            const struct columns *columns, const struct row *row,
                            struct flm_json_writer *json)
{
    const struct flm_report_table *now = table_of(s->now, tab->name);
    const struct flm_report_table *before = table_of(s->before, tab->name);
    struct flm_text text = {0};
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    if (columns->name != SIZE_MAX) {
        struct flm_name name = flm_report_string(now, row->index, columns->name);
        flm_json_add_text(json, "name", (struct flm_bytes){name.at, name.size});
    }
    add_key(now, row->index, &text);
    flm_json_add_text(json, "key", (struct flm_bytes){text.at, text.size});
    flm_json_begin(json, "cells", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->at[i];
        struct flm_name word = flm_report_string(now, row->index, column->source);
        text.size = 0;
        if (column->is_text)
            flm_text_add(&text, (struct flm_bytes){word.at, word.size});
        else
            add_value(&text, column, value_of(s, now, before, column, row));
        flm_json_add_text(json, NULL, (struct flm_bytes){text.at, text.size});
    }
    flm_json_end(json);
    flm_json_begin(json, "values", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < columns->count; i++) {
        double value =
            columns->at[i].is_text ? NAN : value_of(s, now, before, &columns->at[i], row);
        if (isnan(value))
            flm_json_add_null(json, NULL);
        else
            flm_json_add_number(json, NULL, value);
    }
    flm_json_end(json);
    flm_json_end(json);
    json->out->failed |= text.failed;
    flm_text_clear(&text);
}

static void write_cells_section(const struct flm_sections *s, const struct flm_section_tab *tab,
                                size_t most, struct flm_json_writer *json)
{
    const struct flm_report_table *now = table_of(s->now, tab->name);
    struct flm_section_view view = {.tab = tab};
    struct columns columns = {0};
    struct rows rows = {0};
    struct flm_text sentence = {0};
    if (now) {
        find_columns(&columns, now, s->before != NULL);
        json->out->failed |= !find_rows(s, &view, &columns, &rows);
    } else {
        write_nothing(s, &view, &sentence);
        sentence.size -= sentence.size > 0;
    }
    size_t shown = rows.count < most ? rows.count : most;
    const char *heading =
        columns.name != SIZE_MAX && now ? flm_report_column_heading(now, columns.name) : NULL;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", flm_bytes_of(tab->name));
    flm_json_add_text(json, "title", flm_bytes_of(tab->title));
    flm_json_add_text(json, "heading", flm_bytes_of(heading ? heading : "name"));
    flm_json_begin(json, "columns", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < columns.count; i++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "name", flm_bytes_of(columns.at[i].name));
        flm_json_add_text(json, "title", flm_bytes_of(columns.at[i].title));
        flm_json_add_bool(json, "rate", columns.at[i].is_rate);
        flm_json_add_bool(json, "text", columns.at[i].is_text);
        flm_json_end(json);
    }
    flm_json_end(json);
    flm_json_begin(json, "rows", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < shown; i++)
        write_cells_row(s, tab, &columns, &rows.at[i], json);
    flm_json_end(json);
    flm_json_add_number(json, "more", (double)(rows.count - shown));
    flm_json_add_text(json, "sentence", (struct flm_bytes){sentence.at, sentence.size});
    flm_json_end(json);
    json->out->failed |= sentence.failed;
    flm_text_clear(&sentence);
    FLM_ARRAY_CLEAR(&rows);
}

void flm_sections_write_cells(const struct flm_sections *s, size_t rows,
                              struct flm_json_writer *json)
{
    const struct flm_section_tab *tab;
    struct flm_text status = {0};
    flm_sections_write_status(s, &status);
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "status", (struct flm_bytes){status.at, status.size});
    flm_json_begin(json, "sections", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; (tab = flm_sections_tab(i)) != NULL; i++)
        if (flm_sections_has(s, tab))
            write_cells_section(s, tab, rows, json);
    flm_json_end(json);
    flm_json_end(json);
    json->out->failed |= status.failed;
    flm_text_clear(&status);
}
