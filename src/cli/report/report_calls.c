/* report_calls.c - trees of calls: from the root, the callers or the callees of a function. */
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "draw/text/quantity.h"

static const char *const view_names[] = {"tree", "callees", "callers"};

/* ---- The tree as lines --------------------------------------------------------------------------
 *
 * A row stands right below its caller when it is the only one: only where calls branch are there
 * lines, and the names move to the right. So a chain of a hundred calls is a straight column.
 *
 *     main
 *     run
 *     |- parse
 *     |  |- lex
 *     |  `- build
 *     |     allocate          build calls only this
 *     `- (3 more)             branches below the cut, where they are worth a row together
 */

/* A row that others may still stand below; the first one is what the rows of level 0 stand below.
 */
struct caller {
    uint32_t level; /* of what it calls */
    uint32_t hidden_count;
    double hidden; /* 0: not worth a row */
    bool has_rows; /* it calls something that is shown */
};

/* Where a line of the tree runs down. */
struct branch {
    uint32_t level;
    bool ends; /* with this row */
};

struct tree {
    const struct flm_report *report;
    const struct flm_calls *calls;
    double cut;
    struct flm_table table;
    bool places;
    struct caller *caller;
    size_t caller_count, caller_capacity;
    struct branch *branch;
    size_t branch_count, branch_capacity;
};

static bool push_caller(struct tree *tree, uint32_t level, uint32_t hidden_count, double hidden,
                        bool has_rows)
{
    void *grown = tree->caller;
    if (!flm_grow(&grown, &tree->caller_capacity, tree->caller_count + 1, sizeof *tree->caller))
        return false;
    tree->caller = grown;
    bool worth = hidden_count > 0 && fabs(hidden) >= tree->cut;
    tree->caller[tree->caller_count++] =
        (struct caller){level, hidden_count, worth ? hidden : 0, has_rows};
    return true;
}

/* The lines before a row: those that run past it, and its own. */
static bool add_lines(struct tree *tree, struct flm_text *cell, uint32_t level, uint32_t sibling,
                      uint32_t sibling_count)
{
    bool utf8 = tree->report->look.charset == FLM_CHARSET_UTF8;
    while (tree->branch_count > 0 && tree->branch[tree->branch_count - 1].level >= level)
        tree->branch_count--;
    for (size_t i = 0; i < tree->branch_count; i++)
        flm_text_puts(cell, tree->branch[i].ends ? (utf8 ? "  " : "   ")
                            : utf8               ? "\xE2\x94\x82 "
                                                 : "|  ");
    if (sibling_count < 2)
        return true;
    void *grown = tree->branch;
    if (!flm_grow(&grown, &tree->branch_capacity, tree->branch_count + 1, sizeof *tree->branch))
        return false;
    tree->branch = grown;
    bool ends = sibling + 1 == sibling_count;
    tree->branch[tree->branch_count++] = (struct branch){level, ends};
    if (utf8)
        flm_text_puts(cell, ends ? "\xE2\x94\x94 " : "\xE2\x94\x9C ");
    else
        flm_text_puts(cell, ends ? "`- " : "|- ");
    return true;
}

static void add_numbers(struct tree *tree, double total)
{
    const struct flm_report *r = tree->report;
    flm_table_quantity(&tree->table, total, r->unit, r->whole);
    flm_table_percent(&tree->table, total, r->whole);
    flm_table_bar(&tree->table, r->whole > 0 ? fabs(total) / r->whole : 0);
}

/* Ends the callers at or below `level`, each with the row of what it hides. */
static bool close_callers(struct tree *tree, uint32_t level)
{
    while (tree->caller_count > 0 && tree->caller[tree->caller_count - 1].level > level) {
        struct caller caller = tree->caller[--tree->caller_count];
        if (caller.hidden == 0)
            continue;
        add_numbers(tree, caller.hidden);
        if (tree->report->view != FLM_CALLS_CALLERS)
            flm_table_cell(&tree->table);
        if (tree->places)
            flm_table_cell(&tree->table);
        struct flm_text *cell = flm_table_cell(&tree->table);
        if (!add_lines(tree, cell, caller.level, 1, caller.has_rows ? 2 : 1))
            return false;
        flm_table_end_prefix(&tree->table);
        flm_text_putc(cell, '(');
        flm_count_add(cell, caller.hidden_count);
        flm_text_puts(cell, caller.level < tree->report->levels ? " more)" : " deeper)");
        flm_table_tone(&tree->table, FLM_TONE_MUTED);
    }
    return true;
}

static bool add_row(struct tree *tree, const struct flm_call *call, bool has_rows)
{
    const struct flm_report *r = tree->report;
    const struct flm_function *function = &r->functions.function[call->function];
    if (!close_callers(tree, call->level))
        return false;
    const struct caller *caller = &tree->caller[tree->caller_count - 1];
    uint32_t sibling_count = call->sibling_count + (caller->hidden != 0);
    add_numbers(tree, call->total);
    if (r->view != FLM_CALLS_CALLERS)
        flm_table_quantity(&tree->table, call->self, r->unit, r->whole);
    if (tree->places)
        flm_text_add(flm_table_cell(&tree->table), flm_report_place(r, function));
    struct flm_text *cell = flm_table_cell(&tree->table);
    if (!add_lines(tree, cell, call->level, call->sibling, sibling_count))
        return false;
    flm_table_end_prefix(&tree->table);
    flm_text_add(cell, flm_string_bytes(r->profile, function->name));
    return push_caller(tree, call->level + 1, call->hidden_count, call->hidden, has_rows);
}

static bool fill(struct tree *tree)
{
    const struct flm_calls *calls = tree->calls;
    if (!push_caller(tree, 0, calls->hidden_top_count, calls->hidden_top, calls->count > 0))
        return false;
    for (size_t i = 0; i < calls->count; i++) {
        bool has_rows = i + 1 < calls->count && calls->call[i + 1].level > calls->call[i].level;
        if (!add_row(tree, &calls->call[i], has_rows))
            return false;
    }
    /* Those of level 0 too. */
    tree->caller[0].level = 1;
    return close_callers(tree, 0);
}

/* ---- For people ---------------------------------------------------------------------------------
 */

enum { BAR = 6, PLACE = 5, SELF = 4 };

static bool any_places(const struct tree *tree)
{
    const struct flm_report *r = tree->report;
    for (size_t i = 0; i < tree->calls->count; i++)
        if (flm_report_place(r, &r->functions.function[tree->calls->call[i].function]).size > 0)
            return true;
    return false;
}

static bool write_table(struct tree *tree, struct flm_text *out)
{
    tree->places = any_places(tree);
    struct flm_column columns[6] = {
        {"total", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_BAR, BAR},
    };
    size_t count = 3;
    if (tree->report->view != FLM_CALLS_CALLERS)
        columns[count++] = (struct flm_column){"self", FLM_COLUMN_NUMBER, SELF};
    if (tree->places)
        columns[count++] = (struct flm_column){"module", FLM_COLUMN_PATH, PLACE};
    columns[count++] = (struct flm_column){"function", FLM_COLUMN_NAME, 0};
    flm_table_init(&tree->table, columns, count);
    bool good = fill(tree);
    if (good)
        flm_table_print(&tree->table, &tree->report->look, out);
    flm_table_clear(&tree->table);
    free(tree->caller);
    free(tree->branch);
    return good;
}

/* "callers of *alloc*: 3 functions, 181 M samples, 25.2 %". */
static void add_subject(const struct flm_report *r, const struct flm_calls *calls)
{
    uint32_t functions = 0;
    for (uint32_t i = 1, last = 0; i < r->profile->sizes.frame_count; i++)
        if (r->marks[i] && r->functions.of_frame[i] != last) {
            last = r->functions.of_frame[i];
            functions++;
        }
    flm_text_format(r->out, "%s of %s: ", view_names[r->view], r->pattern);
    if (functions > 1) {
        flm_count_add(r->out, functions);
        flm_text_puts(r->out, " functions, ");
    }
    flm_report_quantity(r, r->out, calls->total);
    flm_text_puts(r->out, ", ");
    flm_percent_add(r->out, calls->total, r->whole);
    flm_text_puts(r->out, "\n");
}

static void add_hidden(const struct flm_report *r, uint32_t count, double total, const char *where,
                       double limit, const char *unit)
{
    if (count == 0)
        return;
    flm_tone_add(r->out, FLM_TONE_MUTED, &r->look);
    flm_text_puts(r->out, "not shown: ");
    flm_count_add(r->out, count);
    flm_text_format(r->out, " %s %s ", count == 1 ? "branch" : "branches", where);
    flm_quantity_add_exact(r->out, limit, flm_bytes_of(unit));
    flm_text_puts(r->out, ", ");
    flm_percent_add(r->out, total, r->whole);
    flm_text_puts(r->out, count == 1 ? "" : " together");
    flm_tone_add(r->out, FLM_TONE_PLAIN, &r->look);
    flm_text_puts(r->out, "\n");
}

static bool write_text(struct tree *tree)
{
    const struct flm_report *r = tree->report;
    const struct flm_calls *calls = tree->calls;
    bool markdown = r->output == FLM_REPORT_MARKDOWN;
    if (!flm_report_text_start(r))
        return true;
    if (r->view != FLM_CALLS_FROM_ROOT)
        add_subject(r, calls);
    flm_text_puts(r->out, markdown ? "\n~~~text\n" : "\n");
    if (!write_table(tree, r->out))
        return false;
    flm_text_puts(r->out, markdown ? "~~~\n" : "");
    if (calls->hidden_count > 0)
        flm_text_puts(r->out, markdown ? "\n" : "");
    add_hidden(r, calls->hidden_count - calls->deeper_count, calls->hidden - calls->deeper, "below",
               r->min_percent, "%");
    add_hidden(r, calls->deeper_count, calls->deeper, "deeper than level", (double)r->levels, "");
    return true;
}

/* ---- For programs -------------------------------------------------------------------------------
 */

static void json_hidden(struct flm_json_writer *json, uint32_t count, double total)
{
    flm_json_begin(json, "hidden", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(json, "branches", count);
    flm_json_add_number(json, "total", total);
    flm_json_end(json);
}

static void write_json(const struct tree *tree)
{
    const struct flm_report *r = tree->report;
    const struct flm_calls *calls = tree->calls;
    struct flm_json_writer json = {0};
    flm_report_json_start(r, &json, view_names[r->view]);
    if (r->view != FLM_CALLS_FROM_ROOT)
        flm_json_add_text(&json, "pattern", flm_bytes_of(r->pattern));
    flm_json_add_number(&json, "view_total", calls->total);
    flm_json_add_number(&json, "min_percent", r->min_percent);
    flm_json_begin(&json, "rows", FLM_JSON_ARRAY);
    for (size_t i = 0; i < calls->count; i++) {
        const struct flm_call *call = &calls->call[i];
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_number(&json, "level", call->level);
        flm_report_json_function(r, &json, &r->functions.function[call->function]);
        flm_json_add_number(&json, "total", call->total);
        flm_json_add_number(&json, "self", call->self);
        json_hidden(&json, call->hidden_count, call->hidden);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    json_hidden(&json, calls->hidden_count, calls->hidden);
    flm_json_end(&json);
}

static void write_csv(const struct tree *tree)
{
    static const struct flm_column columns[] = {
        {"level", FLM_COLUMN_TEXT, 0},        {"function", FLM_COLUMN_TEXT, 0},
        {"module", FLM_COLUMN_TEXT, 0},       {"file", FLM_COLUMN_TEXT, 0},
        {"total", FLM_COLUMN_TEXT, 0},        {"total_percent", FLM_COLUMN_TEXT, 0},
        {"self", FLM_COLUMN_TEXT, 0},         {"hidden_branches", FLM_COLUMN_TEXT, 0},
        {"hidden_total", FLM_COLUMN_TEXT, 0},
    };
    const struct flm_report *r = tree->report;
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < tree->calls->count; i++) {
        const struct flm_call *call = &tree->calls->call[i];
        const struct flm_function *f = &r->functions.function[call->function];
        flm_report_exact(&table, call->level);
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->name));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->module));
        flm_text_add(flm_table_cell(&table), flm_string_bytes(r->profile, f->file));
        flm_report_exact(&table, call->total);
        flm_report_exact_percent(&table, call->total, r->whole);
        flm_report_exact(&table, call->self);
        flm_report_exact(&table, call->hidden_count);
        flm_report_exact(&table, call->hidden);
    }
    flm_table_csv(&table, r->out);
    flm_table_clear(&table);
}

bool flm_report_calls(const struct flm_report *report, struct flm_error *why)
{
    struct flm_calls calls;
    struct flm_calls_options options = {
        .view = report->view,
        .metric = report->metric,
        .marks = report->marks,
        .cut = report->whole * report->min_percent / 100,
        .levels = report->levels,
    };
    if (!flm_calls_init(&calls, report->profile, &report->functions, &options, why))
        return false;
    struct tree tree = {.report = report, .calls = &calls, .cut = options.cut};
    bool good = true;
    if (report->output == FLM_REPORT_JSON)
        write_json(&tree);
    else if (report->output == FLM_REPORT_CSV)
        write_csv(&tree);
    else
        good = write_text(&tree);
    flm_calls_clear(&calls);
    return good || flm_error_memory(why);
}
