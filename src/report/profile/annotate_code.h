/* annotate_code.h - the machine code of functions with what each instruction costs. */
#ifndef FLAMEL_REPORT_PROFILE_ANNOTATE_CODE_H
#define FLAMEL_REPORT_PROFILE_ANNOTATE_CODE_H

#include "flamel/annotate.h"
#include "report/profile/internal.h"

struct flm_annotating_code {
    struct flm_report *report;
    const struct flm_report_source *source;
    const struct flm_annotate_options *options;
    struct flm_error *why;
};

/* For people: a table of the function's hot parts, or all of it; and what is to be known of it. */
bool flm_annotate_code(const struct flm_annotating_code *a, uint32_t function, uint32_t module);

/* For programs: one table of all instructions of all functions. */
void flm_annotate_code_begin(const struct flm_annotating_code *a);
bool flm_annotate_code_rows(const struct flm_annotating_code *a, uint32_t function,
                            uint32_t module);

/* The same for JSON: a table with the machine of each function, and why there is no code of it, or
 * what is doubtful. */
void flm_annotate_code_begin_status(const struct flm_annotating_code *a);
bool flm_annotate_code_status(const struct flm_annotating_code *a, uint32_t function,
                              uint32_t module);

/* For people: how near to the cause samples of this metric are. Nothing, where it does not say. */
void flm_annotate_code_skid(const struct flm_annotating_code *a);

/* A line of source in a table: tabs are blanks up to the next column that is a multiple of 8. */
void flm_annotate_add_source(struct flm_text *to, struct flm_bytes line);

#endif
