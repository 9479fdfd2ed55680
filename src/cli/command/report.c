/* report.c - `flamel report`: tables of a profile in the terminal, or for other programs. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command/commands.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 30, USUAL_LEVELS = 256 };

struct fields {
    struct flm_load_fields load;
    const char *view, *function, *metric, *sort, *percentiles;
    double min_percent;
    int rows, levels;
    struct flm_form_fields form;
};

static const struct flm_option options[] = {
    {"view", 'v', "VIEW",
     "top (the default), tree, callers or callees; signals (the\ndefault of the files of "
     "flamel/probe.h)",
     FLM_OPTION_TEXT, offsetof(struct fields, view)},
    {"function", 'F', "PATTERN",
     "functions for callers and callees: 'parse', '*parse*', '/^parse_/'", FLM_OPTION_TEXT,
     offsetof(struct fields, function)},
    {"metric", 'm', "NAME", "the metric (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"sort", 's', "KEY", "top: order by self (the default), total or name", FLM_OPTION_TEXT,
     offsetof(struct fields, sort)},
    {"rows", 'n', "N",
     "top: print at most N functions (default: 30, or all with --json and --csv); 0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"min", 0, "PERCENT",
     "trees: hide branches below PERCENT of the profile, or of the function asked for, and count "
     "them (default: 1)",
     FLM_OPTION_NUMBER, offsetof(struct fields, min_percent)},
    {"levels", 0, "N", "trees: hide deeper rows, and count them (default: 256); 0: no limit",
     FLM_OPTION_COUNT, offsetof(struct fields, levels)},
    {"percentiles", 0, "LIST",
     "signals: percentiles of durations and sizes (default: 95): 50,95,99.9", FLM_OPTION_TEXT,
     offsetof(struct fields, percentiles)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- A program that measured itself ---------------------------------------------------------- */

enum { USUAL_SIGNAL_ROWS = 15 };

/* The reader of profiles takes more: folders, patterns, URLs, and pipes, as of <(zcat app.gz),
 * which can be read once. */
static bool is_file(const char *path)
{
    struct stat file;
    return strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

/* Whether the report may be that of signals: nothing is asked for that only profiles have. */
static bool may_be_signals(const struct fields *f, const char *path)
{
    if (f->view)
        return strcmp(f->view, "signals") == 0;
    return is_file(path) && !f->function && !f->metric && !f->sort && !f->load.apply &&
           !f->load.from && !f->load.by_thread && !f->load.lines;
}

/* -1: it is of another format. */
static int report_signals(const struct fields *f, const char *path)
{
    double percentiles[FLM_MOST_PERCENTILES] = {95};
    struct flm_error why;
    struct flm_report_options o = {.size = sizeof o,
                                   .source = path,
                                   .percentiles = percentiles,
                                   .percentile_count = 1,
                                   .rows = f->rows != NOT_GIVEN          ? (uint32_t)f->rows
                                           : f->form.json || f->form.csv ? 0
                                                                         : USUAL_SIGNAL_ROWS};
    if (f->percentiles &&
        !flm_percentiles_parse(f->percentiles, percentiles, &o.percentile_count, &why))
        return flm_message_error(&why);
    if (!flm_form_check(&f->form, &why))
        return flm_message_error(&why);
    struct flm_report *made = flm_report_probe_file(path, &o, &why);
    if (!made && why.kind == FLM_ERROR_NONE && !f->view && !f->percentiles)
        return -1;
    if (!made && why.kind == FLM_ERROR_NONE)
        flm_error_set(&why, FLM_ERROR_USAGE,
                      "%s is no file of a program that measured itself (flamel/probe.h)", path);
    bool good = made && flm_report_print(made, flm_form_of(&f->form), "-", &why);
    flm_report_free(made);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

/* ---- From the options to the report ---------------------------------------------------------- */

/* Which of `names` it is: the first for NULL; -1 for none. */
static int choice(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!name || strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

typedef struct flm_report *(*make_report)(const struct flm_profile *profile,
                                          const struct flm_report_options *options,
                                          struct flm_error *why);

/* The options that make no sense, alone or together. */
static bool check(const struct fields *f, make_report *make, struct flm_report_options *report,
                  struct flm_error *why)
{
    static const char *const views[] = {"top", "tree", "callers", "callees"};
    static const make_report makers[] = {flm_report_top, flm_report_tree, flm_report_callers,
                                         flm_report_callees};
    static const char *const keys[] = {"self", "total", "name"};
    enum { TOP, TREE, CALLERS, CALLEES };
    int v = choice(f->view, views, 4), key = choice(f->sort, keys, 3);
    if (v < 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--view is top, tree, callers, callees or signals, not '%s'", f->view);
    if (key < 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--sort is self, total or name, not '%s'",
                             f->sort);
    bool about_one = v == CALLERS || v == CALLEES;
    if (about_one && !f->function)
        return flm_error_set(why, FLM_ERROR_USAGE, "whose %s? Say --function PATTERN", views[v]);
    if (!about_one && f->function)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--function goes with --view callers or callees "
                             "(--apply 'focus:...' selects a function in the other views)");
    if (v != TOP && (f->sort || f->rows != NOT_GIVEN))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--sort and --rows go with --view top (--min and --levels cut trees)");
    if (!flm_form_check(&f->form, why))
        return false;
    if (!(f->min_percent >= 0 && f->min_percent <= 100))
        return flm_error_set(why, FLM_ERROR_USAGE, "--min is a percentage, from 0 to 100");
    *make = makers[v];
    *report = (struct flm_report_options){
        .size = sizeof *report,
        .metric = f->metric,
        .sort = (enum flm_report_sort)key,
        .rows = f->rows != NOT_GIVEN          ? (uint32_t)f->rows
                : f->form.json || f->form.csv ? 0
                                              : USUAL_ROWS,
        .min_percent = f->min_percent,
        .levels = f->levels > 0 ? (uint32_t)f->levels : 0,
        .function = f->function,
    };
    return true;
}

static int report(const struct fields *f, const char *path, make_report make,
                  struct flm_report_options *about)
{
    struct flm_error why;
    struct flm_profile *profile = flm_load_with(&f->load, path);
    if (!profile)
        return FLM_EXIT_WRONG;
    about->source = strcmp(path, "-") == 0 ? "standard input" : path;
    struct flm_report *made = make(profile, about, &why);
    bool good = made && flm_report_print(made, flm_form_of(&f->form), "-", &why);
    flm_report_free(made);
    flm_profile_free(profile);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {.min_percent = 1, .rows = NOT_GIVEN, .levels = USUAL_LEVELS};
    f.load.no_locations = true;
    struct flm_report_options r;
    struct flm_error why;
    make_report make = NULL;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (operands > 1)
        return flm_message_usage("report takes one file (merge makes one of several)");
    if (!(f.view && strcmp(f.view, "signals") == 0) && !check(&f, &make, &r, &why))
        return flm_message_error(&why);
    struct flm_text last = {0};
    const char *path = operands == 1 ? argv[0] : flm_last_recording_taken(&last, f.load.quiet);
    status = path && (may_be_signals(&f, path) || f.percentiles) ? report_signals(&f, path) : -1;
    if (status < 0)
        status = path ? report(&f, path, make, &r) : FLM_EXIT_WRONG;
    flm_text_clear(&last);
    return status;
}

const struct flm_command flm_command_report = {
    .name = "report",
    .synopsis = "[OPTION]... [FILE]",
    .summary = "print the top functions, the call tree, callers or callees",
    .description =
        "Prints the functions of a profile, by default those with the largest self value (in the\n"
        "function itself), with their totals (including callees; recursion counts once). Other\n"
        "views are the call tree, and the trees of callers and callees.\n"
        "Without FILE, the last recording in this folder is taken.",
    .examples = "  flamel report app.flm                            the top functions\n"
                "  flamel report --sort total app.flm               by total\n"
                "  flamel report --view tree --min 5 app.flm        the call tree\n"
                "  flamel report --view callers -F malloc app.flm   the callers of malloc\n"
                "  flamel report --apply by:module --csv app.flm    modules instead, as CSV\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
