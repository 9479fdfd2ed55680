/* report.h - the parts of `flamel report`: report.c reads the profile and asks for one of these. */
#ifndef FLAMEL_CLI_REPORT_REPORT_H
#define FLAMEL_CLI_REPORT_REPORT_H

#include "algebra/aggregate/call_table.h"
#include "algebra/aggregate/functions.h"
#include "draw/text/table.h"

enum flm_report_output { FLM_REPORT_TEXT, FLM_REPORT_JSON, FLM_REPORT_CSV, FLM_REPORT_MARKDOWN };

struct flm_report {
    const char *path;
    const struct flm_profile *profile;
    struct flm_metric metric;
    struct flm_bytes metric_name, unit;

    struct flm_functions functions; /* measured */
    double total;
    double whole; /* what percentages are of: the sum of |self|, so the total where nothing is
                   * negative */

    enum flm_report_output output;
    struct flm_table_style look;
    struct flm_text *out;

    /* Of the top table. */
    enum flm_function_order sort;
    uint32_t rows; /* 0: all */

    /* Of the trees. */
    enum flm_calls_view view;
    const char *pattern;
    const unsigned char *marks; /* by frame */
    double min_percent;
    uint32_t levels;
};

/* Fills what is known of the profile: its metric of that name (NULL: the first), its functions. The
 * caller clears the functions, also after a failure. */
bool flm_report_measure(struct flm_report *report, const char *metric, struct flm_error *why);

/* Both write the whole report. False, and `why`, if memory ran out. */
bool flm_report_top(const struct flm_report *report, struct flm_error *why);
bool flm_report_calls(const struct flm_report *report, struct flm_error *why);

/* What the views have in common. The names are as the profile has them. */

/* One line: the file, the total, how many stacks. False when there are none: it then says so. */
bool flm_report_text_start(const struct flm_report *report);

struct flm_json_writer;
void flm_report_json_start(const struct flm_report *report, struct flm_json_writer *json,
                           const char *view);
void flm_report_json_function(const struct flm_report *report, struct flm_json_writer *json,
                              const struct flm_function *function);

/* "12.4 M samples"; for a metric that is called like its unit, or has none, the name is the unit.
 */
void flm_report_quantity(const struct flm_report *report, struct flm_text *out, double value);

/* The last cells of a row: the module, or the file where no module is known. */
struct flm_bytes flm_report_place(const struct flm_report *report,
                                  const struct flm_function *function);

/* A cell with a number as it is, and as a percentage with six digits: for CSV. */
void flm_report_exact(struct flm_table *table, double value);
void flm_report_exact_percent(struct flm_table *table, double value, double whole);

#endif
