/* formats.c - `flamel formats`: the table of formats. */
#include "cli/command/commands.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"

struct fields {
    struct flm_form_fields form;
};

static const struct flm_option options[] = {
    FLM_FORM_OPTIONS(struct fields, form),
};

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {0};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands < 0)
        return status;
    if (operands > 0)
        return flm_message_usage("formats takes no file (info says what format a file has)");
    if (!flm_form_check(&f.form, &why))
        return flm_message_error(&why);
    struct flm_report *report = flm_report_formats(&why);
    bool good = report && flm_report_print(report, flm_form_of(&f.form), "-", &why);
    flm_report_free(report);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

const struct flm_command flm_command_formats = {
    .name = "formats",
    .synopsis = "[OPTION]...",
    .summary = "list the formats that can be read and written",
    .description =
        "Lists the formats that flamel reads and writes. A file to read is recognized by its\n"
        "content, also when it is compressed with gzip or zstd; a file to write gets the format\n"
        "of its extension. Not every format can hold all of a profile: the list ends with what\n"
        "each of them loses. --json says that too, and what each keeps.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
