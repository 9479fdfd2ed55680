/* annotating.h - what reports of lines and instructions have in common: of one profile, or of two
 * that are compared, whose costs stand beside each other.
 *
 *     annotating.c        the profiles, and columns and cells of costs
 *     annotate.c          which lines and functions are printed; tables for programs
 *     annotate_source.c   a function's source, for people
 *     annotate_code.c     its machine code */
#ifndef FLAMEL_REPORT_PROFILE_ANNOTATING_H
#define FLAMEL_REPORT_PROFILE_ANNOTATING_H

#include "algebra/compare/comparison.h"
#include "code/listing.h"
#include "flamel/annotate.h"
#include "report/profile/internal.h"
#include "report/profile/sources.h"

struct flm_annotating {
    struct flm_report *report;
    const struct flm_annotate_options *options;
    struct flm_error *why;
    struct flm_report_source source; /* of the profile; of a comparison, of both, after */
    const struct flm_profile *given; /* whose code it is: not that of both */

    /* Of a comparison; else NULL, FLM_NONE and zeros. */
    const struct flm_profile *given_before;
    struct flm_profile *both;
    struct flm_metric before;
    struct flm_functions functions_before;
    struct flm_comparison comparison;
    double scale; /* what before was multiplied by */
};

/* Everything but the report. Clear it also after a failure. */
bool flm_annotating_init(struct flm_annotating *a, const struct flm_profile *profile,
                         const struct flm_annotate_options *options, struct flm_error *why);
void flm_annotating_clear(struct flm_annotating *a);

static inline bool flm_annotating_compares(const struct flm_annotating *a)
{
    return a->before.index != FLM_NONE;
}

/* The facts and lines that the report begins with. */
void flm_annotating_add_head(const struct flm_annotating *a, const char *view);

/* Self and total, or those of both and the change: so many columns and cells. */
size_t flm_annotating_cost_count(const struct flm_annotating *a);
void flm_annotating_add_cost_columns(const struct flm_annotating *a, unsigned forms);
void flm_annotating_add_costs(const struct flm_annotating *a, struct flm_listing_cost cost,
                              struct flm_listing_cost before);
void flm_annotating_add_absent(const struct flm_annotating *a, size_t count);

/* What people see of them, from the column of the first on. */
void flm_annotating_add_cost_views(const struct flm_annotating *a, size_t column, bool is_source);

/* ": self 4 ms, 16 %; total 20 ms, 80 %", or those of both. */
void flm_annotating_add_sums(const struct flm_annotating *a, struct flm_text *out,
                             struct flm_listing_cost cost, struct flm_listing_cost before);

/* A function that is shown: of its strings. */
struct flm_annotated {
    uint32_t function, module;
    uint32_t in_file; /* 0: any */
    bool is_gone;     /* of a comparison: it costs nothing after */
};

/* The listing of a function, its costs, not arranged; NULL, and `why`, if memory ran out. */
struct flm_listing *flm_annotating_list(const struct flm_annotating *a,
                                        const struct flm_annotated *function);

/* For people, of a comparison: that the other side had another build of the function, or that it is
 * not known. `is_code`: costs stand beside instructions. */
void flm_annotating_add_builds(const struct flm_annotating *a, const struct flm_annotated *function,
                               bool is_code);

/* A line of source in a table: tabs are blanks up to the next column that is a multiple of 8. */
void flm_annotating_add_text(struct flm_text *to, struct flm_bytes line);

/* ---- annotate_source.c ----------------------------------------------------------------------- */

/* For people: the source of a listed function, a table for each file. */
bool flm_annotate_source(const struct flm_annotating *a, struct flm_listing *listing);

/* A file; *lines NULL: it was not found, or the sources are none, or it is no file. */
bool flm_annotate_find_file(const struct flm_annotating *a, uint32_t file,
                            const struct flm_code_store **store,
                            const struct flm_line_index **lines);

/* ---- annotate_code.c ------------------------------------------------------------------------- */

/* For people: a table of the hot parts of a listed function, or all of it; and what is to be known
 * of it. */
bool flm_annotate_code(const struct flm_annotating *a, const struct flm_annotated *function,
                       struct flm_listing *listing);

/* For programs: one table of all instructions of all functions. */
void flm_annotate_code_begin(const struct flm_annotating *a);
bool flm_annotate_code_rows(const struct flm_annotating *a, const struct flm_annotated *function);

/* The same for JSON: a table with the machine of each function, and why there is no code of it, or
 * what is doubtful. */
void flm_annotate_code_begin_status(const struct flm_annotating *a);
bool flm_annotate_code_status(const struct flm_annotating *a, const struct flm_annotated *function);

/* For people: how near to the cause samples of this metric are. Nothing, where it does not say. */
void flm_annotate_code_skid(const struct flm_annotating *a);

#endif
