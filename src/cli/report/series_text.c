#include "cli/report/series_report.h"

#include <math.h>
#include <string.h>

#include "base/text/json_write.h"
#include "cli/common/load_options.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"
#include "report/gate/format_value.h"

static const char *const order_words[] = {
    [FLM_SERIES_RECORDED] = "in the order in which they were recorded",
    [FLM_SERIES_BY_FILE] = "in the order of the times of the files",
    [FLM_SERIES_GIVEN] = "in the order given",
};

/* ---- Items of a change: of the comparison around it; where that has none, the column --------- */

/* A frame as the report has it. */
struct row {
    uint32_t node; /* FLM_NONE: the total */
    enum flm_item_scope scope;
    double before, after;
    bool by_size; /* by its share only */
    bool moved;
};

static uint32_t told_count(const struct flm_series_change *change)
{
    return change->gate.found.count > 0 ? change->gate.found.count : 1;
}

static struct row row_at(const struct flm_series_change *change, uint32_t i)
{
    if (change->gate.found.count == 0)
        return (struct row){.node = change->key.node,
                            .scope = change->key.is_self ? FLM_ITEM_SELF : FLM_ITEM_SPREAD,
                            .before = change->before,
                            .after = change->after,
                            .by_size = change->by_size};
    const struct flm_item *item = &change->gate.found.item[i];
    const struct flm_gate_column *column = &change->gate.column[item->column];
    return (struct row){.node = item->node,
                        .scope = item->scope,
                        .before = column->base_mean,
                        .after = column->base_mean + item->change,
                        .by_size = column->by_size_only,
                        .moved = item->moved_below != FLM_NONE};
}

static const char *scope_word(enum flm_item_scope scope)
{
    static const char *const words[] = {
        [FLM_ITEM_SELF] = "self", [FLM_ITEM_SPREAD] = "spread", [FLM_ITEM_REST] = "rest"};
    return words[scope];
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* "2026-11-20 17:58" */
static void add_date(struct flm_text *out, const char *date)
{
    if (date[0])
        flm_text_format(out, "%.*s %.*s", 10, date, 5, date + 11);
}

static void add_head(const struct flm_series_text *t, const struct flm_series *series)
{
    struct flm_text *out = t->out;
    const struct flm_profile *tree = t->runs->tree;
    struct flm_bytes metric = flm_string_bytes(tree, tree->metrics[t->runs->metric.index].name);
    uint32_t count = t->runs->run_count;
    flm_text_format(out, "%u profiles ", count);
    if (t->dated[0].date[0]) {
        flm_text_puts(out, "from ");
        add_date(out, t->dated[0].date);
        flm_text_puts(out, " to ");
        add_date(out, t->dated[count - 1].date);
        flm_text_puts(out, ", ");
    }
    flm_text_puts(out, order_words[t->order]);
    if (t->undated == count)
        flm_text_puts(out, " (they do not say when they were recorded)");
    else if (t->undated > 0)
        flm_text_format(out, " (%u %s not say when %s recorded)", t->undated,
                        t->undated == 1 ? "does" : "do", t->undated == 1 ? "it was" : "they were");
    flm_text_format(out, "\n%.*s of ", (int)metric.size, metric.at);
    flm_count_add(out, series->column_count);
    flm_text_puts(out, t->options->method == FLM_SERIES_BY_DISTANCES
                           ? " frames and stacks, by distances of profiles"
                           : " frames and stacks");
    flm_text_puts(out, ", alpha ");
    flm_format_rounded(out, t->options->alpha, 3);
    flm_text_puts(out, "\n\n");
}

static void add_where(struct flm_text *out, const struct flm_series_text *t, const struct row *row)
{
    const struct flm_profile *tree = t->runs->tree;
    if (row->node == FLM_NONE) {
        flm_text_puts(out, "the whole profile");
        return;
    }
    flm_text_add(out, flm_frame_function(tree, tree->node_frame[row->node]));
    bool is_leaf = tree->node_end[row->node] == row->node + 1;
    if (row->scope == FLM_ITEM_SPREAD)
        flm_text_puts(out, " and what it calls");
    else if (row->scope == FLM_ITEM_REST)
        flm_text_puts(out, ", the rest of it");
    else if (!is_leaf)
        flm_text_puts(out, " itself");
    if (row->before == 0)
        flm_text_puts(out, ", appeared");
    else if (row->after == 0)
        flm_text_puts(out, ", disappeared");
    if (row->by_size)
        flm_text_puts(out, ", by its share only");
    if (row->moved)
        flm_text_puts(out, ", moved");
}

static void add_caller(struct flm_text *out, const struct flm_series_text *t, uint32_t node)
{
    const struct flm_profile *tree = t->runs->tree;
    uint32_t caller = 0;
    for (uint32_t i = 1; node != FLM_NONE && i < node; i++)
        if (tree->node_end[i] > node)
            caller = i;
    if (caller > 0)
        flm_text_add(out, flm_frame_function(tree, tree->node_frame[caller]));
}

static void add_change(const struct flm_series_text *t, const struct flm_series_change *change,
                       double largest, struct flm_table *table)
{
    uint32_t count = told_count(change), shown = count;
    if (t->rows > 0 && shown > t->rows)
        shown = t->rows;
    for (uint32_t i = 0; i < shown; i++) {
        struct row row = row_at(change, i);
        const struct flm_dated *dated = &t->dated[change->at];
        struct flm_text *cell = flm_table_cell(table);
        if (i == 0)
            add_date(cell, dated->date);
        cell = flm_table_cell(table);
        if (i == 0)
            flm_text_puts(cell, flm_load_name(dated->path));
        flm_table_quantity(table, flm_format_mean(row.before), flm_runs_unit(t->runs), largest);
        flm_table_quantity(table, flm_format_mean(row.after), flm_runs_unit(t->runs), largest);
        cell = flm_table_cell(table);
        if (row.before > 0)
            flm_format_share(cell, row.after - row.before, row.before);
        cell = flm_table_cell(table);
        if (i == 0)
            flm_format_rounded(cell, change->p, 2);
        cell = flm_table_cell(table);
        if (i == 0 && !change->stays)
            flm_text_puts(cell, "went away");
        cell = flm_table_cell(table);
        add_where(cell, t, &row);
        if (i + 1 == shown && shown < count)
            flm_text_format(cell, " (and %u more)", count - shown);
        add_caller(flm_table_cell(table), t, row.node);
    }
}

void flm_series_text_write(const struct flm_series_text *t, const struct flm_series *series)
{
    bool has_dates = t->order != FLM_SERIES_GIVEN;
    const struct flm_column columns[] = {{has_dates ? "since" : "", FLM_COLUMN_TEXT, 0},
                                         {"file", FLM_COLUMN_PATH, 2},
                                         {"before", FLM_COLUMN_NUMBER, 4},
                                         {"after", FLM_COLUMN_NUMBER, 4},
                                         {"change", FLM_COLUMN_NUMBER, 0},
                                         {"p", FLM_COLUMN_NUMBER, 3},
                                         {"", FLM_COLUMN_TEXT, 0},
                                         {"frame", FLM_COLUMN_NAME, 0},
                                         {"called by", FLM_COLUMN_NAME, 5}};
    uint32_t stay = 0;
    double largest = 0;
    struct flm_table table;
    add_head(t, series);
    if (series->count == 0) {
        flm_text_puts(t->out, "No change: they differ as much in any other order.\n");
        return;
    }
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < series->count; i++)
        largest = fmax(largest, fmax(series->change[i].gate.total.base_mean,
                                     series->change[i].gate.total.new_mean));
    for (uint32_t i = 0; i < series->count; i++) {
        add_change(t, &series->change[i], largest, &table);
        stay += series->change[i].stays;
    }
    flm_table_print(&table, &t->look, t->out);
    flm_table_clear(&table);
    flm_text_format(t->out, "\n%u %s, of which %u %s stayed\n", series->count,
                    series->count == 1 ? "change" : "changes", stay, stay == 1 ? "has" : "have");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_frame(const struct flm_series_text *t, struct flm_json_writer *json,
                       const struct row *row)
{
    const struct flm_profile *tree = t->runs->tree;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(json, "stack", FLM_JSON_ARRAY_LINE);
    for (uint32_t i = 1; row->node != FLM_NONE && i <= row->node; i++)
        if (tree->node_end[i] > row->node)
            flm_json_add_text(json, NULL, flm_frame_function(tree, tree->node_frame[i]));
    flm_json_end(json);
    flm_json_add_text(json, "scope",
                      flm_bytes_of(row->node == FLM_NONE ? "total" : scope_word(row->scope)));
    flm_json_add_number(json, "before", row->before);
    flm_json_add_number(json, "after", row->after);
    flm_json_add_bool(json, "by_share_only", row->by_size);
    flm_json_add_bool(json, "moved", row->moved);
    flm_json_end(json);
}

static void json_date(struct flm_json_writer *json, const char *key, const char *date)
{
    if (date[0])
        flm_json_add_text(json, key, flm_bytes_of(date));
    else
        flm_json_add_null(json, key);
}

static void json_change(const struct flm_series_text *t, struct flm_json_writer *json,
                        const struct flm_series_change *change)
{
    const struct flm_gate_column *total = &change->gate.total;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(json, "at", change->at);
    json_date(json, "since", t->dated[change->at].date);
    flm_json_add_text(json, "file", flm_bytes_of(t->dated[change->at].path));
    flm_json_add_number(json, "p", change->p);
    flm_json_add_bool(json, "stays", change->stays);
    flm_json_add_number(json, "from", change->from);
    flm_json_add_number(json, "to", change->to);
    flm_json_add_number(json, "total_before", total->base_mean);
    flm_json_add_number(json, "total_after", total->new_mean);
    flm_json_begin(json, "frames", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < told_count(change); i++) {
        struct row row = row_at(change, i);
        json_frame(t, json, &row);
    }
    flm_json_end(json);
    flm_json_end(json);
}

void flm_series_json_write(const struct flm_series_text *t, const struct flm_series *series)
{
    static const char *const orders[] = {"recorded", "file", "given"};
    const struct flm_profile *tree = t->runs->tree;
    const struct flm_metric_record *metric = &tree->metrics[t->runs->metric.index];
    struct flm_json_writer json = {.out = t->out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&json, "profiles", t->runs->run_count);
    flm_json_add_text(&json, "order", flm_bytes_of(orders[t->order]));
    json_date(&json, "first", t->dated[0].date);
    json_date(&json, "last", t->dated[t->runs->run_count - 1].date);
    flm_json_add_text(&json, "metric", flm_string_bytes(tree, metric->name));
    flm_json_add_text(&json, "unit", flm_string_bytes(tree, metric->unit));
    flm_json_add_text(
        &json, "method",
        flm_bytes_of(t->options->method == FLM_SERIES_BY_DISTANCES ? "distances" : "columns"));
    flm_json_add_number(&json, "alpha", t->options->alpha);
    flm_json_add_number(&json, "permutations", t->options->orders);
    flm_json_add_number(&json, "seed", (double)t->options->seed);
    flm_json_add_number(&json, "columns", series->column_count);
    flm_json_begin(&json, "changes", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < series->count; i++)
        json_change(t, &json, &series->change[i]);
    flm_json_end(&json);
    flm_json_end(&json);
}
