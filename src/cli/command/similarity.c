/* similarity.c - `flamel similarity`: the similarity of each pair of profiles. */
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "cli/report/run_files.h"
#include "flamel/compare.h"
#include "os/thread/threads.h"

struct fields {
    struct flm_load_fields load;
    const char *metric, *measure, *order;
    struct flm_form_fields form;
};

static const struct flm_option options[] = {
    {"measure", 'M', "MEASURE",
     "similarity (the default), shape (independent of the totals) or distance", FLM_OPTION_TEXT,
     offsetof(struct fields, measure)},
    {"order", 0, "ORDER", "given (the default), or alike: similar profiles next to each other",
     FLM_OPTION_TEXT, offsetof(struct fields, order)},
    {"metric", 'm', "NAME", "the metric (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

static bool read_options(const struct fields *f, struct flm_similarity_options *how,
                         struct flm_error *why)
{
    static const char *const measures[FLM_SIMILARITY_COUNT] = {[FLM_SIMILARITY] = "similarity",
                                                               [FLM_SIMILARITY_SHAPE] = "shape",
                                                               [FLM_SIMILARITY_DISTANCE] =
                                                                   "distance"};
    int measure = 0;
    while (f->measure && measure < FLM_SIMILARITY_COUNT &&
           strcmp(f->measure, measures[measure]) != 0)
        measure++;
    if (measure == FLM_SIMILARITY_COUNT)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--measure is similarity, shape or distance, not '%s'", f->measure);
    bool similar_first = f->order && strcmp(f->order, "alike") == 0;
    if (f->order && !similar_first && strcmp(f->order, "given") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--order is given or alike, not '%s'", f->order);
    *how = (struct flm_similarity_options){.size = sizeof *how,
                                           .measure = (enum flm_similarity_measure)measure,
                                           .all_measures = flm_form_of(&f->form) == FLM_REPORT_JSON,
                                           .similar_first = similar_first,
                                           .threads = f->load.threads > 0 ? f->load.threads
                                                                          : flm_processor_count()};
    return flm_form_check(&f->form, why);
}

static bool compare(const struct fields *f, const struct flm_similarity_options *how, int count,
                    char **paths)
{
    const struct flm_run_set_options aligned = {.size = sizeof aligned, .metric = f->metric};
    struct flm_run_files files;
    struct flm_error why;
    if (!flm_run_files_load(&files, (const char *const *)paths, (uint32_t)count, NULL, false,
                            &f->load))
        return false;
    struct flm_run_set *set = flm_run_set_new(files.run, files.count, &aligned, &why);
    flm_run_files_clear(&files);
    struct flm_report *report = set ? flm_report_similarity(set, how, &why) : NULL;
    bool good = report && flm_report_print(report, flm_form_of(&f->form), "-", &why);
    flm_report_free(report);
    flm_run_set_free(set);
    if (!good)
        flm_message_error(&why);
    return good;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {0};
    struct flm_similarity_options how;
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (operands < 2)
        return flm_message_usage("similarity takes two profiles or more");
    if (!read_options(&f, &how, &why))
        return flm_message_error(&why);
    f.load.drop_times = f.load.no_locations = true;
    return compare(&f, &how, operands, argv) ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_similarity = {
    .name = "similarity",
    .synopsis = "[OPTION]... FILE FILE...",
    .summary = "print the similarity of each pair of profiles",
    .description =
        "Prints a matrix with the similarity of each pair of profiles: 1 if every stack has the\n"
        "same value in both, 0 if they have no stack in common. It shows outliers and groups;\n"
        "'flamel diff' reports what differs between two profiles.",
    .examples = "  flamel similarity runs/*.flm                    the matrix\n"
                "  flamel similarity --order alike runs/*.flm      groups next to each other\n"
                "  flamel similarity --measure shape runs/*.flm    independent of their length\n"
                "  flamel similarity --apply by:module *.flm       compared by module\n"
                "  flamel similarity --csv runs/*.flm > matrix.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
