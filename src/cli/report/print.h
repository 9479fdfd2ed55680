/* print.h - reports (flamel/report.h) on standard output or into a file. */
#ifndef FLAMEL_CLI_REPORT_PRINT_H
#define FLAMEL_CLI_REPORT_PRINT_H

#include "base/text/json_write.h"
#include "cli/common/options.h"
#include "flamel/report.h"

/* ---- In which form --------------------------------------------------------------------------- */

struct flm_form_fields {
    bool json, csv, markdown;
};

/* To be put into the command's table. */
#define FLM_FORM_OPTIONS(fields, member)                                                           \
    {"json",                                                                                       \
     0,                                                                                            \
     NULL,                                                                                         \
     "exact values for programs, as JSON",                                                         \
     FLM_OPTION_FLAG,                                                                              \
     offsetof(fields, member.json)},                                                               \
        {"csv",                                                                                    \
         0,                                                                                        \
         NULL,                                                                                     \
         "the main table as CSV, for spreadsheets",                                                \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.csv)},                                                            \
    {                                                                                              \
        "markdown", 0, NULL, "the report for a comment or a wiki", FLM_OPTION_FLAG,                \
            offsetof(fields, member.markdown)                                                      \
    }

/* Text where none is given. */
enum flm_report_form flm_form_of(const struct flm_form_fields *fields);

/* False, and `why`, where several are given. */
bool flm_form_check(const struct flm_form_fields *fields, struct flm_error *why);

/* ---- Where to -------------------------------------------------------------------------------- */

/* The terminal that standard output is; that of a file where it is none. */
struct flm_report_style flm_report_style_of_output(void);

/* Writes the report to the file, or for "-" to standard output. */
bool flm_report_print(const struct flm_report *report, enum flm_report_form form, const char *path,
                      struct flm_error *why);

/* flm_report_write into a text: flm_report_write(..., flm_report_into_text, &text, ...). */
bool flm_report_into_text(void *text, const void *bytes, size_t size);

/* The table "functions" of flm_report_top as a member of an object that is open. */
void flm_report_add_functions(const struct flm_report *report, struct flm_json_writer *json,
                              enum flm_json_shape shape);

#endif
