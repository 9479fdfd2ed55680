/* gate_output.h - the output of a verdict: files and forms.
 *
 *     .txt .md .json .csv     reports (flamel/report.h)
 *     .xml                    JUnit
 *     .html                   the viewer: both sides, in color where significant
 *     .svg .png .pdf .flm     the same as a picture, or as one profile with both sides
 *
 * As with other commands the extension of a file decides its form; --format sets that of standard
 * output, text by default. A verdict may be written to any number of files. */
#ifndef FLAMEL_CLI_REPORT_GATE_OUTPUT_H
#define FLAMEL_CLI_REPORT_GATE_OUTPUT_H

#include "cli/common/options.h"
#include "flamel/gate.h"

struct flm_gate_output_fields {
    struct flm_option_list files;
    const char *format; /* of standard output; NULL: text */
};

#define FLM_GATE_OUTPUT_OPTIONS(fields, member)                                                    \
    {"output",                                                                                     \
     'o',                                                                                          \
     "FILE",                                                                                       \
     "also write the verdict to FILE: .md, .json, .csv, .xml (JUnit), "                            \
     ".html (the viewer), .svg ...; may be repeated",                                              \
     FLM_OPTION_LIST,                                                                              \
     offsetof(fields, member.files)},                                                              \
    {                                                                                              \
        "format", 0, "FORMAT",                                                                     \
            "format on standard output: text (the default), markdown, json, csv, junit",           \
            FLM_OPTION_TEXT, offsetof(fields, member.format)                                       \
    }

/* Whether all of that can be written: before a long recording, not behind it. */
bool flm_gate_output_check(const struct flm_gate_output_fields *fields, struct flm_error *why);

/* Writes everything. `report` is that of the result; base_count and new_count are the numbers of
 * runs. */
bool flm_gate_output_write(const struct flm_gate_output_fields *fields,
                           const struct flm_gate_result *result, const struct flm_report *report,
                           uint32_t base_count, uint32_t new_count, struct flm_error *why);

#endif
