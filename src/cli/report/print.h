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
    {"json", 0, NULL, "exact values as JSON", FLM_OPTION_FLAG, offsetof(fields, member.json)},     \
        {"csv",                                                                                    \
         0,                                                                                        \
         NULL,                                                                                     \
         "exact values as CSV: the main table",                                                    \
         FLM_OPTION_FLAG,                                                                          \
         offsetof(fields, member.csv)},                                                            \
    {                                                                                              \
        "markdown", 0, NULL, "the report as Markdown", FLM_OPTION_FLAG,                            \
            offsetof(fields, member.markdown)                                                      \
    }

/* Text where none is given. */
enum flm_report_form flm_form_of(const struct flm_form_fields *fields);

/* By the extension: .txt, .md, .json, .csv. False: it is another one. */
bool flm_form_of_file(const char *path, enum flm_report_form *form);

/* False, and `why`, where several are given. */
bool flm_form_check(const struct flm_form_fields *fields, struct flm_error *why);

/* "50,95,99.9": `percentiles` has room for FLM_MOST_PERCENTILES. False, and `why`: they make no
 * sense. */
enum { FLM_MOST_PERCENTILES = 10 };
bool flm_percentiles_parse(const char *list, double *percentiles, uint32_t *count,
                           struct flm_error *why);

/* ---- Where to -------------------------------------------------------------------------------- */

/* Writes the report to the file, or for "-" to standard output. */
bool flm_report_print(const struct flm_report *report, enum flm_report_form form, const char *path,
                      struct flm_error *why);

/* flm_report_write into a text: flm_report_write(..., flm_report_into_text, &text, ...). */
bool flm_report_into_text(void *text, const void *bytes, size_t size);

/* The table "functions" of flm_report_top as a member of an object that is open. */
void flm_report_add_functions(const struct flm_report *report, struct flm_json_writer *json,
                              enum flm_json_shape shape);

/* ---- Lines of our own: the functions of flamel/report.h, into a text ------------------------- */

void flm_add_quantity(struct flm_text *out, double value, const char *unit); /* "1.24 s" */
void flm_add_exact(struct flm_text *out, double value, const char *unit);
void flm_add_count(struct flm_text *out, uint64_t count); /* "1,204,331" */
void flm_add_percent(struct flm_text *out, double value, double whole);

/* The following text has this tone. */
void flm_add_tone(struct flm_text *out, enum flm_report_tone tone,
                  const struct flm_report_style *style);

/* Harmless for a terminal. */
void flm_add_name(struct flm_text *out, const char *name, const struct flm_report_style *style);

/* What a summary's row is about: "samples   ", muted, in a column of FLM_CAPTION_WIDTH cells. */
enum { FLM_CAPTION_WIDTH = 10 };
void flm_add_caption(struct flm_text *out, const char *caption,
                     const struct flm_report_style *style);

void flm_add_seconds(struct flm_text *out, double seconds);

/* Broken where the terminal ends; second and later rows are `indent` cells in. */
void flm_add_lines(struct flm_text *out, const struct flm_text *lines,
                   const struct flm_report_style *style, size_t indent);

#endif
