/* probe.c - `flamel probe`: runs a program with libflamel-probe in front of its libraries, and
 * prints what it measured of itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/common/memory_limit.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/common/terminal.h"
#include "cli/record/previous_file.h"
#include "cli/record/probed.h"
#include "cli/report/print.h"
#include "flamel/algebra.h"
#include "flamel/file.h"
#include "load/probe/probe_names.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 15 };

struct fields {
    const char *output, *report, *percentiles;
    struct flm_option_list words;
    struct flm_form_fields form;
    int rows;
    bool quiet;
};

static const struct flm_option options[] = {
    {"with", 'w', "WORDS",
     "what is measured, and how: cpu, no-memory, ordered ...: the words\nof the variable FLAMEL in "
     "flamel-probe(7); may be repeated",
     FLM_OPTION_LIST, offsetof(struct fields, words)},
    {"output", 'o', "FILE",
     "write the call tree of all processes to FILE, as a profile; its\nextension decides the "
     "format: .flm, .html, .json ...",
     FLM_OPTION_TEXT, offsetof(struct fields, output)},
    {"report", 'r', "FILE", "write the report to FILE, instead of printing it", FLM_OPTION_TEXT,
     offsetof(struct fields, report)},
    {"percentiles", 0, "LIST", "percentiles of durations and sizes (default: 95): 50,95,99.9",
     FLM_OPTION_TEXT, offsetof(struct fields, percentiles)},
    {"rows", 'n', "N",
     "at most N rows in each section, and N programs (default: 15, or\nall with --json and --csv); "
     "0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    FLM_FORM_OPTIONS(struct fields, form),
    {"quiet", 'q', NULL, "print no report, only errors", FLM_OPTION_FLAG,
     offsetof(struct fields, quiet)},
};

/* ---- Words of FLAMEL ------------------------------------------------------------------------- */

/* Those that say where something is written, and would be the same for all processes. */
static const char *const ours[] = {"on", "off", "file", "flm", "report", "json", "csv", "markdown"};

static bool add_words(const char *list, struct flm_text *words, struct flm_error *why)
{
    for (const char *at = list; *at; at += *at == ',') {
        size_t size = strcspn(at, ","), name = strcspn(at, ",:=");
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            if (name == strlen(ours[i]) && memcmp(at, ours[i], name) == 0)
                return flm_error_set(why, FLM_ERROR_USAGE,
                                     "--with says what is measured: cpu, no-memory ...; '%s' is "
                                     "for the variable FLAMEL only (here: --output, --report)",
                                     ours[i]);
        if (size > 0)
            flm_text_format(words, "%s%.*s", words->size > 0 ? "," : "", (int)size, at);
        at += size;
    }
    return !words->failed || flm_error_memory(why);
}

/* ---- Options --------------------------------------------------------------------------------- */

struct request {
    struct flm_text words;
    double percentiles[FLM_MOST_PERCENTILES];
    struct flm_report_options report;
};

/* Before the program runs. */
static bool check_output(const char *output, struct flm_error *why)
{
    struct flm_format_info format = {.size = sizeof format};
    struct flm_error reason;
    if (!output)
        return true;
    if (strcmp(output, "-") == 0)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "the profile cannot be written to standard output, which belongs to the program");
    return flm_format_to_save(NULL, output, &format, &reason) ||
           flm_error_set(why, reason.kind, "%s", reason.text);
}

static bool read_options(const struct fields *f, struct request *request, struct flm_error *why)
{
    struct flm_report_options *report = &request->report;
    *report = (struct flm_report_options){.size = sizeof *report,
                                          .for_command = true,
                                          .percentiles = request->percentiles,
                                          .percentile_count = 1,
                                          .rows = f->rows != NOT_GIVEN          ? (uint32_t)f->rows
                                                  : f->form.json || f->form.csv ? 0
                                                                                : USUAL_ROWS};
    request->percentiles[0] = 95;
    for (size_t i = 0; i < f->words.count; i++)
        if (!add_words(f->words.items[i], &request->words, why))
            return false;
    flm_text_putc(&request->words, 0);
    if (request->words.failed)
        return flm_error_memory(why);
    return flm_form_check(&f->form, why) && check_output(f->output, why) &&
           (!f->percentiles || flm_percentiles_parse(f->percentiles, request->percentiles,
                                                     &report->percentile_count, why));
}

/* ---- What was measured ----------------------------------------------------------------------- */

/* Text goes to standard error, since standard output is the program's; JSON, CSV and Markdown go to
 * standard output. */
static bool print_report(const struct fields *f, const struct flm_report *report,
                         struct flm_error *why)
{
    enum flm_report_form form = flm_form_of(&f->form);
    if (f->report || form != FLM_REPORT_TEXT)
        return flm_report_print(report, form, f->report ? f->report : "-", why);
    struct flm_text text = {0};
    struct flm_report_style style = flm_style_of(STDERR_FILENO);
    bool good = flm_report_write(report, form, &style, flm_report_into_text, &text, why);
    if (good)
        fwrite(text.at, 1, text.size, stderr);
    flm_text_clear(&text);
    return good;
}

static bool report(const struct fields *f, const struct request *request,
                   const struct flm_probed *probed, struct flm_error *why)
{
    if (f->quiet && !f->report)
        return true;
    struct flm_probe_names *names = flm_probe_names_new(why);
    struct flm_report_options with_names = request->report;
    with_names.name_address = flm_probe_names_find;
    with_names.name_context = names;
    for (size_t i = 0; names && i < probed->files.count; i++)
        flm_probe_names_add_file(
            names, (struct flm_bytes){probed->files.at[i].at, probed->files.at[i].size});
    struct flm_report *made =
        names ? flm_report_probe_processes(probed->files.at, probed->files.count, &with_names, why)
              : NULL;
    bool good = made && flm_probe_names_check(names, why) && print_report(f, made, why);
    flm_report_free(made);
    flm_probe_names_free(names);
    return good;
}

/* The sum of all processes; each keeps its labels. Merged in batches, so that the processes of a
 * large build need the memory of a batch. A file that is not complete was counted in the report. */
static bool save(const struct fields *f, const struct flm_probed *probed, struct flm_error *why)
{
    enum { BATCH = 64 };
    struct flm_profile *batch[BATCH] = {NULL};
    struct flm_load_options load = {.size = sizeof load};
    struct flm_previous_file previous = {0};
    size_t held = 0;
    bool good = true;
    for (size_t i = 0; good && i < probed->paths.count; i++) {
        struct flm_error reason;
        batch[held] = flm_load(probed->paths.at[i], &load, &reason);
        held += batch[held] != NULL;
        if (held < BATCH && i + 1 < probed->paths.count)
            continue;
        if (held < 2)
            continue;
        struct flm_profile *sum =
            flm_align((const struct flm_profile *const *)batch, held, FLM_ALIGN_ADD, NULL, why);
        while (held > 0)
            flm_profile_free(batch[--held]);
        good = sum != NULL;
        batch[0] = sum;
        held = good ? 1 : 0;
    }
    if (good && held == 0)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "nothing was measured: there is no profile");
    good = good && flm_save_over_previous(batch[0], f->output, &previous, why);
    while (held > 0)
        flm_profile_free(batch[--held]);
    return good;
}

static bool show(const struct fields *f, const struct request *request,
                 const struct flm_probed *probed, const char *command, struct flm_error *why)
{
    if (probed->files.count == 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s: nothing was measured: no process of it has loaded "
                             "libflamel-probe, or could write a file",
                             command);
    bool good = flm_memory_limit_begin(why) && report(f, request, probed, why);
    if (f->output && good)
        good = save(f, probed, why);
    return good;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.rows = NOT_GIVEN};
    struct request request = {0};
    struct flm_probed probed = {0};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands == 0)
        return flm_message_usage("probe takes the program to run: flamel probe -- ./app");
    const char *environment = getenv("FLAMEL");
    if (environment && *environment && !f.quiet)
        flm_message("FLAMEL=%s in the environment is not used: give its words with --with",
                    environment);
    char **target = flm_record_command_of(words, operands, &why);
    bool good = target && read_options(&f, &request, &why) &&
                flm_probed_run(&probed, target, request.words.at, &why) &&
                show(&f, &request, &probed, target[0], &why);
    status = good ? flm_probed_exit_status(&probed) : flm_message_error(&why);
    flm_probed_clear(&probed);
    flm_text_clear(&request.words);
    free(target);
    return status;
}

const struct flm_command flm_command_probe = {
    .name = "probe",
    .synopsis = "[OPTION]... -- COMMAND...",
    .summary = "measure a program from inside: allocations, locks, I/O, scopes",
    .description =
        "Runs a command with libflamel-probe in front of its libraries, so that it measures "
        "itself:\n"
        "what it allocates, which locks and files it waits for, its threads, and its scopes, if "
        "it\n"
        "has any (flamel/probe.h). It needs no recompiling. Processes that it starts are measured\n"
        "too; those that run the same program are one in the report, and what cost most is first.\n"
        "The report is printed on standard error when the command ends, or at Ctrl-C. The exit\n"
        "status is that of the command. Static and setuid programs cannot be measured so.",
    .examples = "  flamel probe -- ./app args               a program\n"
                "  flamel probe --with cpu -- ./app         and its CPU time, by samples\n"
                "  flamel probe -n 5 -- make -j4            all processes of a build, by program\n"
                "  flamel probe -o app.flm -- ./app         the call tree: flamel view app.flm\n"
                "  flamel probe --json -r app.json -- ./app the report for other programs\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_at_operand = true,
    .run = run,
};
