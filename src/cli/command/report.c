/* report.c - `flamel report`: tables of a profile in the terminal, or for other programs. */
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/operation/pattern.h"
#include "base/number/number.h"
#include "base/text/json_write.h"
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "draw/text/quantity.h"
#include "flamel/algebra.h"
#include "os/output.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 30, USUAL_LEVELS = 256 };

struct fields {
    struct flm_load_fields load;
    const char *view, *function, *metric, *sort;
    double min_percent;
    int rows, levels;
    bool json, csv, markdown;
};

static const struct flm_option options[] = {
    {"view", 'v', "VIEW", "top (the default), tree, callers or callees", FLM_OPTION_TEXT,
     offsetof(struct fields, view)},
    {"function", 'F', "PATTERN", "whose callers or callees: 'parse', '*parse*', '/^parse_/'",
     FLM_OPTION_TEXT, offsetof(struct fields, function)},
    {"metric", 'm', "NAME", "of several metrics, this one (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"sort", 's', "KEY", "top: by self (the default), total or name", FLM_OPTION_TEXT,
     offsetof(struct fields, sort)},
    {"rows", 'n', "N", "top: N functions (default: 30, or all with --json and\n--csv); 0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"min", 0, "PERCENT", "trees: hide, and count, smaller branches (default: 1)",
     FLM_OPTION_NUMBER, offsetof(struct fields, min_percent)},
    {"levels", 0, "N", "trees: hide, and count, deeper rows (default: 256)", FLM_OPTION_COUNT,
     offsetof(struct fields, levels)},
    {"json", 0, NULL, "exact values for programs, as JSON", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"csv", 0, NULL, "the same as CSV, for spreadsheets", FLM_OPTION_FLAG,
     offsetof(struct fields, csv)},
    {"markdown", 0, NULL, "a table for a comment or a wiki", FLM_OPTION_FLAG,
     offsetof(struct fields, markdown)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- What the views have in common
 * --------------------------------------------------------------- */

static uint32_t count_stacks(const struct flm_report *r)
{
    const double *self = flm_self_column(r->profile, r->metric.index);
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->profile->sizes.node_count; i++)
        count += self[i] != 0;
    return count;
}

static void add_other_metrics(const struct flm_report *r, struct flm_text *out)
{
    const struct flm_profile *p = r->profile;
    const char *between = "; other metrics: ";
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (m == r->metric.index)
            continue;
        flm_text_puts(out, between);
        flm_text_add(out, flm_string_bytes(p, p->metrics[m].name));
        between = ", ";
    }
}

/* The file's name is shortened, so that the line fits. */
static void add_path(const struct flm_report *r, size_t behind)
{
    enum { LEAST = 16 };
    struct flm_text scratch = {0};
    struct flm_bytes path = flm_showable(flm_bytes_of(r->path), r->look.charset, &scratch);
    size_t room = r->look.width == 0               ? SIZE_MAX
                  : r->look.width > behind + LEAST ? r->look.width - behind
                                                   : LEAST;
    flm_cells_add_path(r->out, path, room, r->look.charset);
    flm_text_clear(&scratch);
}

bool flm_report_text_start(const struct flm_report *r)
{
    struct flm_text line = {0};
    flm_text_puts(&line, ": ");
    flm_report_quantity(r, &line, r->total);
    if (!flm_bytes_equal(r->unit, r->metric_name) && r->unit.size > 0 &&
        !flm_bytes_are(r->unit, "count")) {
        flm_text_puts(&line, " of ");
        flm_text_add(&line, r->metric_name);
    }
    uint32_t stacks = count_stacks(r);
    flm_text_puts(&line, " in ");
    flm_count_add(&line, stacks);
    flm_text_puts(&line, stacks == 1 ? " stack" : " stacks");
    add_other_metrics(r, &line);
    add_path(r, line.size);
    flm_text_add(r->out, (struct flm_bytes){line.at, line.size});
    r->out->failed = r->out->failed || line.failed;
    flm_text_clear(&line);
    if (r->whole != fabs(r->total)) {
        flm_text_puts(r->out, "\nSome values are negative: percentages are of their sizes, ");
        flm_report_quantity(r, r->out, r->whole);
        flm_text_puts(r->out, " in all");
    }
    flm_text_puts(r->out,
                  stacks == 0 ? "\nThere is nothing to show: no stack has a value\n" : "\n");
    return stacks > 0;
}

void flm_report_json_start(const struct flm_report *r, struct flm_json_writer *json,
                           const char *view)
{
    json->out = r->out;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(json, "file", flm_bytes_of(r->path));
    flm_json_begin(json, "metric", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", r->metric_name);
    flm_json_add_text(json, "unit", r->unit);
    flm_json_end(json);
    flm_json_add_number(json, "total", r->total);
    flm_json_add_text(json, "view", flm_bytes_of(view));
}

void flm_report_json_function(const struct flm_report *r, struct flm_json_writer *json,
                              const struct flm_function *function)
{
    flm_json_add_text(json, "function", flm_string_bytes(r->profile, function->name));
    flm_json_add_text(json, "module", flm_string_bytes(r->profile, function->module));
    flm_json_add_text(json, "file", flm_string_bytes(r->profile, function->file));
}

/* "12 samples", "482 ms", "3,332 page-faults": a unit that only says "count" says less than the
 * name. */
void flm_report_quantity(const struct flm_report *r, struct flm_text *out, double value)
{
    bool by_name = r->unit.size == 0 || flm_bytes_are(r->unit, "count");
    struct flm_bytes unit = by_name ? r->metric_name : r->unit;
    if (fabs(value) == 1 && flm_bytes_are(unit, "samples"))
        unit.size--;
    flm_quantity_add(out, value, unit);
}

struct flm_bytes flm_report_place(const struct flm_report *r, const struct flm_function *function)
{
    return flm_string_bytes(r->profile, function->module ? function->module : function->file);
}

void flm_report_exact(struct flm_table *table, double value)
{
    char digits[FLM_NUMBER_SIZE];
    size_t size = flm_number_print(value, digits);
    flm_text_add(flm_table_cell(table), (struct flm_bytes){digits, size});
}

void flm_report_exact_percent(struct flm_table *table, double value, double whole)
{
    char digits[FLM_NUMBER_SIZE];
    size_t size = flm_number_print_rounded(whole != 0 ? 100 * value / whole : 0, 6, digits);
    flm_text_add(flm_table_cell(table), (struct flm_bytes){digits, size});
}

/* ---- From the options to the report
 * -------------------------------------------------------------- */

/* Which of `names` it is: the first for NULL; -1 for none. */
static int choice(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!word || strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

enum view { VIEW_TOP, VIEW_TREE, VIEW_CALLERS, VIEW_CALLEES };

/* The options that make no sense, alone or together. */
static bool read_options(const struct fields *f, enum view *view, struct flm_report *report,
                         struct flm_error *why)
{
    static const char *const views[] = {"top", "tree", "callers", "callees"};
    static const char *const keys[] = {"self", "total", "name"};
    int v = choice(f->view, views, 4), key = choice(f->sort, keys, 3);
    if (v < 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--view is top, tree, callers or callees, not '%s'", f->view);
    if (key < 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--sort is self, total or name, not '%s'",
                             f->sort);
    bool about_one = v == VIEW_CALLERS || v == VIEW_CALLEES;
    if (about_one && !f->function)
        return flm_error_set(why, FLM_ERROR_USAGE, "whose %s? Say --function PATTERN", views[v]);
    if (!about_one && f->function)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--function goes with --view callers or callees "
                             "(--apply 'focus:...' looks at a function in the other views)");
    if (v != VIEW_TOP && (f->sort || f->rows != NOT_GIVEN))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--sort and --rows go with --view top (--min and --levels cut trees)");
    if (f->json + f->csv + f->markdown > 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "one of --json, --csv and --markdown is enough");
    if (!(f->min_percent >= 0 && f->min_percent <= 100))
        return flm_error_set(why, FLM_ERROR_USAGE, "--min is a percentage, from 0 to 100");
    *view = (enum view)v;
    report->sort = (enum flm_function_order)key;
    report->output = f->json       ? FLM_REPORT_JSON
                     : f->csv      ? FLM_REPORT_CSV
                     : f->markdown ? FLM_REPORT_MARKDOWN
                                   : FLM_REPORT_TEXT;
    report->rows = f->rows != NOT_GIVEN ? (uint32_t)f->rows : f->json || f->csv ? 0 : USUAL_ROWS;
    report->view = v == VIEW_CALLERS   ? FLM_CALLS_CALLERS
                   : v == VIEW_CALLEES ? FLM_CALLS_CALLEES
                                       : FLM_CALLS_FROM_ROOT;
    report->pattern = f->function;
    report->min_percent = f->min_percent;
    report->levels = f->levels > 0 ? (uint32_t)f->levels : UINT32_MAX;
    return true;
}

/* Which frames --function means. NULL, and `why`, when it means none. */
static unsigned char *mark_frames(const struct flm_profile *p, const char *pattern,
                                  struct flm_error *why)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    uint32_t matched = 0;
    if (!marks) {
        flm_error_memory(why);
        return NULL;
    }
    bool good = flm_pattern_mark(p, flm_bytes_of(pattern), marks, &matched, why);
    if (!good)
        flm_error_within(why, "--function");
    if (good && matched > 0)
        return marks;
    free(marks);
    if (good) {
        struct flm_text names = {0};
        flm_pattern_suggest(p, flm_bytes_of(pattern), &names);
        flm_error_set(why, FLM_ERROR_USAGE, "--function: no function is called '%s'%.*s", pattern,
                      (int)names.size, names.at ? names.at : "");
        flm_text_clear(&names);
    }
    return NULL;
}

bool flm_report_measure(struct flm_report *r, const char *metric, struct flm_error *why)
{
    const struct flm_profile *p = r->profile;
    if (!flm_metric_find(p, metric, &r->metric, why) ||
        !flm_functions_init(&r->functions, p, why) ||
        !flm_functions_measure(&r->functions, p, r->metric, why))
        return false;
    r->metric_name = flm_string_bytes(p, p->metrics[r->metric.index].name);
    r->unit = flm_string_bytes(p, p->metrics[r->metric.index].unit);
    r->total = r->functions.function[0].total;
    r->whole = flm_norm(p, r->metric);
    return true;
}

static int report(const struct fields *f, const char *path, enum view view, struct flm_report r)
{
    struct flm_error why;
    struct flm_profile *profile = flm_load_with(&f->load, path);
    if (!profile)
        return FLM_EXIT_WRONG;
    r.path = strcmp(path, "-") == 0 ? "standard input" : path;
    r.profile = profile;
    bool good = flm_report_measure(&r, f->metric, &why);
    unsigned char *marks = NULL;
    if (good && f->function)
        good = (r.marks = marks = mark_frames(profile, f->function, &why)) != NULL;
    struct flm_output output;
    if (good && (good = flm_output_open(&output, "-", &why))) {
        r.out = &output.text;
        good = view == VIEW_TOP ? flm_report_top(&r, &why) : flm_report_calls(&r, &why);
        good = flm_output_close(&output, good, &why) && good;
    }
    free(marks);
    flm_functions_clear(&r.functions);
    flm_profile_free(profile);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.min_percent = 1, .rows = NOT_GIVEN, .levels = USUAL_LEVELS};
    struct flm_report r = {0};
    struct flm_error why;
    enum view view = VIEW_TOP;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands >= 0 && operands != 1)
        flm_error_set(&why, FLM_ERROR_USAGE, "report takes one file (merge makes one of several)");
    if (operands != 1 || !read_options(&f, &view, &r, &why))
        return flm_message_error(&why);
    r.look = flm_look_of_output();
    return report(&f, words[0], view, r);
}

const struct flm_command flm_command_report = {
    .name = "report",
    .synopsis = "[OPTION]... FILE",
    .summary = "tables in the terminal: top functions, tree, callers, callees",
    .description =
        "Prints the functions of a profile: by default those with the largest self value\n"
        "(what is spent in the function itself), with their totals (with all they call;\n"
        "recursion counts once). Other views are trees of calls.",
    .examples = "  flamel report app.flm                            the top functions\n"
                "  flamel report --sort total app.flm               by what they cause\n"
                "  flamel report --view tree --min 5 app.flm        the tree from above\n"
                "  flamel report --view callers -F malloc app.flm   who calls malloc\n"
                "  flamel report --apply by:module --csv app.flm    modules instead, as CSV\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
