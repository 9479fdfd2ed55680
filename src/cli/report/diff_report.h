/* diff_report.h - the parts of `flamel diff`.
 *
 *     diff.c          the options, and what is asked for: a report, a picture, a part of the
 *                     difference
 *     diff_sides.c    the files of both sides as one profile with two columns, measured
 *     diff_text.c     the report for people: in the terminal, and as Markdown
 *     diff_data.c     and for programs: JSON and CSV */
#ifndef FLAMEL_CLI_REPORT_DIFF_REPORT_H
#define FLAMEL_CLI_REPORT_DIFF_REPORT_H

#include "algebra/compare/changes.h"
#include "algebra/compare/comparable.h"
#include "algebra/compare/difference.h"
#include "cli/common/load_options.h"
#include "draw/text/table.h"
#include "gate/runs/runs.h"

enum flm_diff_which { FLM_DIFF_BEFORE, FLM_DIFF_AFTER };

/* One side: a file, or several runs, of which the mean is told. */
struct flm_diff_side {
    const char *const *paths;
    uint32_t count;
    struct flm_profile **profiles; /* as they were read; count of them */
    double duration_ns;            /* of a run, on average; 0: not known */
    double sample;                 /* what one sample counts in the mean; 0: not known */
    double total;                  /* as recorded */
    uint32_t stack_count;          /* with a value */
    uint32_t *seen;                /* by node: in how many runs; NULL: there is one */
};

/* What values are told as shares of. */
enum flm_diff_relative { FLM_DIFF_ABSOLUTE, FLM_DIFF_OF_BASE, FLM_DIFF_OF_NEW };

/* What is asked of both sides. */
struct flm_diff_asked {
    const char *metric; /* NULL: the first that all have */
    struct flm_normal normal;
    enum flm_diff_relative relative;
    bool shares;   /* normalized graphs are compared: both are divided by their totals */
    bool no_noise; /* small changes are not called noise */
    enum flm_function_order sort;
    uint32_t rows; /* 0: all */
};

struct flm_diff {
    struct flm_diff_asked asked;
    struct flm_diff_side side[2];
    struct flm_runs runs;
    struct flm_profile *both; /* the metrics before and after */
    struct flm_metric_pair pair;
    struct flm_bytes metric, unit; /* as the files have them */
    struct flm_comparison is;
    double similarity, shape_similarity; /* as recorded, whatever is made equal */
    double whole;                        /* of relative values; else 1 */

    /* Of a report. */
    struct flm_changes changes;
    uint32_t *parent; /* by node */
    struct flm_table_style look;
    struct flm_text *out;
};

/* Reads the files of both sides, whose paths and counts are set; `base_load` is how those of before
 * are read. False: the reason was printed. */
bool flm_diff_load(struct flm_diff *diff, const struct flm_load_fields *load,
                   const struct flm_load_fields *base_load);

/* Carries out an expression on all profiles. */
bool flm_diff_apply(struct flm_diff *diff, const char *expression, bool quiet,
                    struct flm_error *why);

/* Everything but the changes. */
bool flm_diff_measure(struct flm_diff *diff, struct flm_error *why);

/* One side as a profile of its own: the file as it is, or the mean. The caller frees it. */
struct flm_profile *flm_diff_take_side(struct flm_diff *diff, enum flm_diff_which which,
                                       struct flm_error *why);

/* What a side is called: its file, or "20 runs". */
void flm_diff_add_name(const struct flm_diff *diff, enum flm_diff_which which,
                       struct flm_text *out);

void flm_diff_clear(struct flm_diff *diff);

/* Adds the names of a stack, the root's first, with semicolons between them. */
void flm_diff_add_stack(const struct flm_diff *diff, uint32_t node, struct flm_text *out);

/* The reports. */
void flm_diff_text(const struct flm_diff *diff);
void flm_diff_markdown(const struct flm_diff *diff);
void flm_diff_json(const struct flm_diff *diff);
void flm_diff_csv(const struct flm_diff *diff);

#endif
