/* info.c - `flamel info`: the contents of profiles, and what is missing. */
#include <string.h>
#include <sys/stat.h>

#include "cli/command/commands.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "cli/report/print.h"
#include "os/output.h"

struct fields {
    struct flm_load_fields load;
    struct flm_form_fields form;
    bool labels;
};

static const struct flm_option options[] = {
    {"labels", 0, NULL, "list the values of labels too, with the samples of each", FLM_OPTION_FLAG,
     offsetof(struct fields, labels)},
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* In bytes; 0: not known. */
static double size_of(const char *path)
{
    struct stat status;
    bool known = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return known ? (double)status.st_size : 0;
}

/* `first`: nothing was printed yet. */
static bool print(const struct fields *f, const char *path, bool *first, struct flm_text *out)
{
    struct flm_report_options about = {
        .size = sizeof about,
        .source = strcmp(path, "-") == 0 ? "standard input" : path,
        .file_bytes = size_of(path),
        .label_values = f->labels,
    };
    struct flm_load_fields load = f->load;
    load.found_format = &about.format;
    load.reports_losses = true;
    struct flm_profile *profile = flm_load_with(&load, path);
    if (!profile)
        return false;
    struct flm_error why;
    enum flm_report_form form = flm_form_of(&f->form);
    struct flm_report_style style = flm_style_of_output();
    struct flm_report *report = flm_report_info(profile, &about, &why);
    if (report) {
        bool for_people = form == FLM_REPORT_TEXT || form == FLM_REPORT_MARKDOWN;
        flm_text_puts(out, for_people && !*first ? "\n" : "");
        *first = false;
    }
    bool good = report && flm_report_write(report, form, &style, flm_report_into_text, out, &why);
    if (!good && !out->failed)
        flm_message_error(&why);
    flm_report_free(report);
    flm_profile_free(profile);
    return good;
}

static int print_all(const struct fields *f, int count, const char *const *paths)
{
    struct flm_output output;
    struct flm_error why;
    if (!flm_output_open(&output, "-", &why))
        return flm_message_error(&why);
    /* A file that cannot be read does not keep the others from being printed. */
    bool good = true, first = true;
    for (int i = 0; i < count; i++) {
        good = print(f, paths[i], &first, &output.text) && good;
        flm_text_flush(&output.text);
    }
    if (!flm_output_close(&output, true, &why))
        return flm_message_error(&why);
    return good ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {0};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (!flm_form_check(&f.form, &why))
        return flm_message_error(&why);
    if (operands > 0)
        return print_all(&f, operands, (const char *const *)argv);
    struct flm_text last = {0};
    const char *path = flm_last_recording_taken(&last, f.load.quiet);
    status = path ? print_all(&f, 1, &path) : FLM_EXIT_WRONG;
    flm_text_clear(&last);
    return status;
}

const struct flm_command flm_command_info = {
    .name = "info",
    .synopsis = "[OPTION]... [FILE]...",
    .summary = "describe a profile: metrics, totals, lost samples",
    .description =
        "Lists the contents of profiles: metrics with their units and totals, the numbers of\n"
        "stacks, nodes and frames, times and labels of samples; and what they lack: symbols,\n"
        "and lost samples. Without FILE, the last recording in this folder is taken.",
    .examples =
        "  flamel info app.flm\n"
        "  flamel info --labels app.flm             threads, processes ... for label:thread=...\n"
        "  flamel info --json app.flm | jq .metrics\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
