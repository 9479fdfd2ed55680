/* diff_data.c - the report for programs. What it holds is told in flamel-diff(1), and stays. */
#include <stdlib.h>

#include "base/number/number.h"
#include "base/text/json_write.h"
#include "cli/report/diff_report.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

enum { VERSION = 1 };

static void add_side(const struct flm_diff *d, struct flm_json_writer *json, const char *key,
                     enum flm_diff_which which)
{
    const struct flm_diff_side *side = &d->side[which];
    flm_json_begin(json, key, FLM_JSON_OBJECT);
    flm_json_begin(json, "files", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < side->count; i++)
        flm_json_add_text(json, NULL, flm_bytes_of(side->paths[i]));
    flm_json_end(json);
    flm_json_add_number(json, "runs", side->count);
    flm_json_add_number(json, "total", side->total);
    flm_json_add_number(json, "stacks", side->stack_count);
    flm_json_end(json);
}

static const char *normal_word(const struct flm_diff *d)
{
    static const char *const words[] = {[FLM_NORMALIZE_NONE] = "none",
                                        [FLM_NORMALIZE_TOTAL] = "total",
                                        [FLM_NORMALIZE_DURATION] = "duration",
                                        [FLM_NORMALIZE_FUNCTION] = "function"};
    return words[d->asked.normal.by];
}

/* What values are divided by, and what before is multiplied by first. */
static void add_terms(const struct flm_diff *d, struct flm_json_writer *json)
{
    flm_json_add_text(json, "normalized", flm_bytes_of(normal_word(d)));
    flm_json_add_number(json, "scale", d->is.how.scale);
    if (d->asked.relative == FLM_DIFF_ABSOLUTE)
        flm_json_add_null(json, "relative_to");
    else
        flm_json_add_text(json, "relative_to",
                          flm_bytes_of(d->asked.shares                         ? "total"
                                       : d->asked.relative == FLM_DIFF_OF_BASE ? "base"
                                                                               : "new"));
}

static void add_parts(const struct flm_diff *d, struct flm_json_writer *json)
{
    static const enum flm_change_kind kinds[] = {FLM_CHANGE_APPEARED, FLM_CHANGE_GROWN,
                                                 FLM_CHANGE_DISAPPEARED, FLM_CHANGE_SHRUNK};
    flm_json_begin(json, "parts", FLM_JSON_OBJECT);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct flm_change_sum *sum = &d->is.sums[kinds[i]];
        flm_json_begin(json, flm_change_kind_name(kinds[i]), FLM_JSON_OBJECT_LINE);
        flm_json_add_number(json, "sum", sum->change / d->whole);
        flm_json_add_number(json, "stacks", sum->stack_count);
        flm_json_end(json);
    }
    flm_json_begin(json, "same", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "stacks", d->is.sums[FLM_CHANGE_NONE].stack_count);
    flm_json_end(json);
    flm_json_end(json);
}

static void add_change(const struct flm_diff *d, struct flm_json_writer *json, const char *key,
                       const struct flm_change *change)
{
    flm_json_begin(json, key, FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "before", change->before / d->whole);
    flm_json_add_number(json, "after", change->after / d->whole);
    flm_json_add_number(
        json, "change",
        change->kind == FLM_CHANGE_NONE ? 0 : (change->after - change->before) / d->whole);
    flm_json_add_text(json, "kind", flm_bytes_of(flm_change_kind_name(change->kind)));
    flm_json_add_bool(json, "noise", change->noise);
    flm_json_end(json);
}

static void add_functions(const struct flm_diff *d, struct flm_json_writer *json)
{
    const struct flm_changes *c = &d->changes;
    flm_json_begin(json, "functions", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < c->function_count; i++) {
        const struct flm_function *f = &c->functions.function[c->function[i].function];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "function", flm_string_bytes(d->both, f->name));
        flm_json_add_text(json, "module", flm_string_bytes(d->both, f->module));
        flm_json_add_text(json, "file", flm_string_bytes(d->both, f->file));
        add_change(d, json, "self", &c->function[i].self);
        add_change(d, json, "total", &c->function[i].total);
        flm_json_end(json);
    }
    flm_json_end(json);
}

/* The nodes of a stack, the outermost first, in an array that grows. */
struct path {
    uint32_t *node;
    size_t count, capacity;
};

static bool find_path(const struct flm_diff *d, uint32_t node, struct path *path)
{
    path->count = 0;
    for (uint32_t at = node; at != 0; at = d->parent[at])
        path->count++;
    void *nodes = path->node;
    if (!flm_grow(&nodes, &path->capacity, path->count, sizeof *path->node))
        return false;
    path->node = nodes;
    size_t i = path->count;
    for (uint32_t at = node; at != 0; at = d->parent[at])
        path->node[--i] = at;
    return true;
}

static void add_stacks(const struct flm_diff *d, struct flm_json_writer *json)
{
    struct path path = {0};
    flm_json_begin(json, "changed_stacks", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < d->changes.stack_count; i++) {
        uint32_t node = d->changes.stack[i];
        struct flm_change change = flm_comparison_change(&d->is, node, FLM_CHANGE_OF_SELF);
        if (!find_path(d, node, &path)) {
            d->out->failed = true;
            break;
        }
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(json, "stack", FLM_JSON_ARRAY_LINE);
        for (size_t f = 0; f < path.count; f++)
            flm_json_add_text(json, NULL,
                              flm_frame_function(d->both, d->both->node_frame[path.node[f]]));
        flm_json_end(json);
        add_change(d, json, "self", &change);
        for (int s = 0; s < 2; s++)
            if (d->side[s].seen)
                flm_json_add_number(json, s == FLM_DIFF_BEFORE ? "runs_before" : "runs_after",
                                    d->side[s].seen[node]);
        flm_json_end(json);
    }
    flm_json_end(json);
    free(path.node);
}

void flm_diff_json(const struct flm_diff *d)
{
    struct flm_json_writer json = {.out = d->out};
    const struct flm_changes *c = &d->changes;
    double before = d->is.before_total * d->is.how.scale;
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "report", flm_bytes_of("diff"));
    flm_json_add_number(&json, "version", VERSION);
    flm_json_begin(&json, "metric", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "name", d->metric);
    flm_json_add_text(&json, "unit", d->unit);
    flm_json_end(&json);
    add_side(d, &json, "before", FLM_DIFF_BEFORE);
    add_side(d, &json, "after", FLM_DIFF_AFTER);
    add_terms(d, &json);
    flm_json_add_number(&json, "change", (d->is.after_total - before) / d->whole);
    flm_json_add_number(&json, "distance", d->is.distance / d->whole);
    flm_json_add_number(&json, "similarity", d->similarity);
    flm_json_add_number(&json, "shape_similarity", d->shape_similarity);
    add_parts(d, &json);
    add_functions(d, &json);
    add_stacks(d, &json);
    flm_json_begin(&json, "hidden", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(&json, "functions", c->changed_functions - c->function_count);
    flm_json_add_number(&json, "stacks", c->changed_stacks - c->stack_count);
    flm_json_end(&json);
    flm_json_end(&json);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_number(struct flm_table *table, double value)
{
    char digits[FLM_NUMBER_SIZE];
    size_t size = flm_number_print(value, digits);
    flm_text_add(flm_table_cell(table), (struct flm_bytes){digits, size});
}

void flm_diff_csv(const struct flm_diff *d)
{
    static const struct flm_column columns[] = {
        {"function", FLM_COLUMN_TEXT, 0},    {"module", FLM_COLUMN_TEXT, 0},
        {"file", FLM_COLUMN_TEXT, 0},        {"self_before", FLM_COLUMN_TEXT, 0},
        {"self_after", FLM_COLUMN_TEXT, 0},  {"self_change", FLM_COLUMN_TEXT, 0},
        {"self_noise", FLM_COLUMN_TEXT, 0},  {"total_before", FLM_COLUMN_TEXT, 0},
        {"total_after", FLM_COLUMN_TEXT, 0}, {"total_change", FLM_COLUMN_TEXT, 0},
        {"total_noise", FLM_COLUMN_TEXT, 0},
    };
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < d->changes.function_count; i++) {
        const struct flm_function_change *change = &d->changes.function[i];
        const struct flm_function *f = &d->changes.functions.function[change->function];
        flm_text_add(flm_table_cell(&table), flm_string_bytes(d->both, f->name));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(d->both, f->module));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(d->both, f->file));
        for (int which = 0; which < 2; which++) {
            const struct flm_change *c = which == 0 ? &change->self : &change->total;
            add_number(&table, c->before / d->whole);
            add_number(&table, c->after / d->whole);
            add_number(&table, c->kind == FLM_CHANGE_NONE ? 0 : (c->after - c->before) / d->whole);
            flm_text_puts(flm_table_cell(&table), c->noise ? "yes" : "no");
        }
    }
    flm_table_csv(&table, d->out);
    flm_table_clear(&table);
}
