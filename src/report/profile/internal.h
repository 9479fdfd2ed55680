/* internal.h - what the reports of a profile have in common: the metric, its unit, and how a
 * function is named in them. */
#ifndef FLAMEL_REPORT_PROFILE_INTERNAL_H
#define FLAMEL_REPORT_PROFILE_INTERNAL_H

#include "algebra/aggregate/functions.h"
#include "report/core/blocks.h"

struct flm_report_source {
    const struct flm_profile *profile;
    const char *name;
    struct flm_metric metric;
    struct flm_bytes metric_name, unit;
    struct flm_functions functions; /* measured */
    double total;
    double whole; /* 100 %: the sum of |self|, which is the total where no value is negative */
};

/* The metric of that name (NULL: the first), and the functions. Clear it also after a failure. */
bool flm_report_source_init(struct flm_report_source *source, const struct flm_profile *profile,
                            const struct flm_report_options *options, struct flm_error *why);
void flm_report_source_clear(struct flm_report_source *source);

/* The facts and the line that a report begins with. `key`, `value`: a fact of this report. */
void flm_report_add_source(struct flm_report *report, const struct flm_report_source *source,
                           const char *view);

/* "12.4 M samples"; for a metric that is called like its unit, or has none, the name is the
 * unit. */
void flm_report_add_quantity(const struct flm_report_source *source, struct flm_text *out,
                             double value);

/* What people see of a column: quantities in the metric's unit, percentages of source->whole. The
 * last three are as in struct flm_report_view. */
void flm_report_add_source_view(struct flm_report *report, const struct flm_report_source *source,
                                const char *heading, size_t column, enum flm_view_format format,
                                enum flm_column_kind kind, int leave_out);

/* The columns function, module and file; and their values. */
void flm_report_add_function_columns(struct flm_report *report);
void flm_report_cell_function(struct flm_report *report, const struct flm_report_source *source,
                              const struct flm_function *function);

/* For programs, the last column: the clones of the function that samples were in, "constprop+cold";
 * mostly none. */
void flm_report_add_clones_column(struct flm_report *report);
void flm_report_cell_clones(struct flm_report *report, const struct flm_report_source *source,
                            const struct flm_function *function);

/* The module; the file where no module is known. */
struct flm_bytes flm_report_module(const struct flm_report_source *source,
                                   const struct flm_function *function);

/* For people, at the end: the notes that others wrote on the profile, a line each; none: nothing.
 * (Programs have flm_report_notes.) notes.c */
void flm_report_add_written(struct flm_report *report, const struct flm_profile *profile);

/* In percent of source->whole. */
double flm_report_percent(const struct flm_report_source *source, double value);

#endif
