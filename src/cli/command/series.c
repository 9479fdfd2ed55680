/* series.c - `flamel series`: many profiles of one program over time, and where it changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "cli/report/run_files.h"
#include "flamel/compare.h"
#include "os/thread/threads.h"

struct fields {
    struct flm_load_fields load;
    const char *metric, *order, *method;
    double alpha, sample;
    int least, last, permutations, seed, rows;
    struct flm_form_fields form;
};

static const struct flm_option options[] = {
    {"metric", 'm', "NAME", "the metric (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"order", 0, "BY",
     "recorded (by the time of recording; the default if all profiles have it), file (by "
     "modification time), or given (as on the command line)",
     FLM_OPTION_TEXT, offsetof(struct fields, order)},
    {"method", 0, "METHOD",
     "test statistic: columns (the default; the frame that differs most) or distances (of "
     "whole profiles)",
     FLM_OPTION_TEXT, offsetof(struct fields, method)},
    {"alpha", 0, "SHARE",
     "false positive rate: how often a change may be reported for a series without one "
     "(default: 0.01)",
     FLM_OPTION_SHARE, offsetof(struct fields, alpha)},
    {"least", 0, "N", "minimum number of profiles on each side of a change (default: 5)",
     FLM_OPTION_COUNT, offsetof(struct fields, least)},
    {"last", 0, "N",
     "number of profiles at the end that decide whether a change persists (default: 5)",
     FLM_OPTION_COUNT, offsetof(struct fields, last)},
    {"permutations", 0, "N", "number of random permutations of the profiles (default: 999)",
     FLM_OPTION_COUNT, offsetof(struct fields, permutations)},
    {"seed", 0, "N", "seed of the random permutations (default: 1)", FLM_OPTION_COUNT,
     offsetof(struct fields, seed)},
    {"sample", 0, "N", "weight of one sample, in the unit of the metric (default: detected)",
     FLM_OPTION_NUMBER, offsetof(struct fields, sample)},
    {"rows", 'n', "N", "print at most N frames of each change (default: 5; 0: all)",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- Profiles -------------------------------------------------------------------------------- */

/* When each file was written, as "2026-11-20T17:58:21Z". */
static bool find_times(struct flm_run_files *files, struct flm_error *why)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const char *path = files->run[i].name;
        struct stat file;
        struct tm parts;
        char *date = files->date[i];
        if (stat(path, &file) != 0 || !gmtime_r(&file.st_mtime, &parts) ||
            strftime(date, sizeof files->date[i], "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "%s has no modification time: use --order given", path);
        files->run[i].date = date;
    }
    return true;
}

static enum flm_run_order order_of(const struct fields *f)
{
    return !f->order                           ? FLM_ORDER_RECORDED_OR_GIVEN
           : strcmp(f->order, "recorded") == 0 ? FLM_ORDER_RECORDED
           : strcmp(f->order, "file") == 0     ? FLM_ORDER_BY_DATE
                                               : FLM_ORDER_GIVEN;
}

static struct flm_run_set *align(const struct fields *f, struct flm_run_files *files,
                                 struct flm_error *why)
{
    const struct flm_run_set_options how = {
        .size = sizeof how, .metric = f->metric, .order = order_of(f)};
    if (how.order == FLM_ORDER_BY_DATE && !find_times(files, why))
        return NULL;
    return flm_run_set_new(files->run, files->count, &how, why);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool find_and_print(const struct fields *f, const struct flm_series_settings *how, int count,
                           char **paths)
{
    struct flm_run_files files;
    struct flm_error why;
    if (!flm_run_files_load(&files, (const char *const *)paths, (uint32_t)count, NULL, true,
                            &f->load))
        return false;
    struct flm_run_set *set = align(f, &files, &why);
    flm_run_files_clear(&files);
    struct flm_report *report = set ? flm_report_series(set, how, &why) : NULL;
    bool good = report && flm_report_print(report, flm_form_of(&f->form), "-", &why);
    flm_report_free(report);
    flm_run_set_free(set);
    if (!good)
        flm_message_error(&why);
    return good;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool read_options(const struct fields *f, int operands, struct flm_series_settings *how,
                         struct flm_error *why)
{
    static const char *const orders[] = {"recorded", "file", "given"};
    static const char *const methods[] = {"columns", "distances"};
    if (operands == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "series takes the profiles: flamel series FILE...");
    if (f->order && !is_one_of(f->order, orders, 3))
        return flm_error_set(why, FLM_ERROR_USAGE, "--order is recorded, file or given, not '%s'",
                             f->order);
    if (!is_one_of(f->method, methods, 2))
        return flm_error_set(why, FLM_ERROR_USAGE, "--method is columns or distances, not '%s'",
                             f->method);
    if (!(f->alpha > 0 && f->alpha < 1))
        return flm_error_set(why, FLM_ERROR_USAGE, "--alpha is between 0 and 1");
    if (f->least < 2)
        return flm_error_set(why, FLM_ERROR_USAGE, "--least is 2 at least");
    if (f->last < 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "--last is 1 at least");
    if (f->permutations < flm_series_least_permutations(f->alpha))
        return flm_error_set(
            why, FLM_ERROR_USAGE, "%d permutations are too few for that alpha: it needs %u",
            f->permutations, (unsigned)fmin(flm_series_least_permutations(f->alpha), 4e9));
    if (!(f->sample >= 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "--sample is above 0");
    if (!flm_form_check(&f->form, why))
        return false;
    *how = (struct flm_series_settings){
        .size = sizeof *how,
        .by_distances = strcmp(f->method, "distances") == 0,
        .alpha = f->alpha,
        .least = (uint32_t)f->least,
        .permutations = (uint32_t)f->permutations,
        .last = (uint32_t)f->last,
        .seed = (uint64_t)f->seed,
        .zero_seed = f->seed == 0,
        .sample = f->sample,
        .rows = (uint32_t)f->rows,
        .threads = f->load.threads > 0 ? f->load.threads : flm_processor_count(),
    };
    return true;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct flm_series_settings how;
    /* The defaults of the library, which the help texts name. */
    struct fields f = {.method = "columns",
                       .alpha = 0.01,
                       .least = 5,
                       .last = 5,
                       .permutations = 999,
                       .seed = 1,
                       .rows = 5};
    struct flm_error why;
    f.load.drop_times = f.load.no_locations = true;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (!read_options(&f, operands, &how, &why))
        return flm_message_error(&why);
    return find_and_print(&f, &how, operands, argv) ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_series = {
    .name = "series",
    .synopsis = "[OPTION]... FILE...",
    .summary = "find the changes in a series of profiles",
    .description =
        "Takes profiles of one program, of every night for instance, and finds where they\n"
        "change by more than they differ among themselves: since when, which frames, by\n"
        "how much, the p value, and whether the change has stayed. Ten profiles at least.",
    .examples = "  flamel series nightly/*.flm\n"
                "  flamel series --order given releases/1.?/*.folded\n"
                "  flamel series --json nightly/*.flm | jq '.changes[] | select(.stays)'\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
