/* diff.h - two profiles, or two sets of runs, compared: one profile with two columns, measured.
 *
 *     diff.c           the profiles of both sides as one, measured; parts and pictures of it
 *     diff_report.c    the report: totals, similarity, parts, the largest changes */
#ifndef FLAMEL_REPORT_GATE_DIFF_H
#define FLAMEL_REPORT_GATE_DIFF_H

#include "algebra/compare/changes.h"
#include "algebra/compare/comparable.h"
#include "algebra/compare/difference.h"
#include "flamel/compare.h"
#include "gate/runs/runs.h"

enum flm_diff_which { FLM_DIFF_BEFORE, FLM_DIFF_AFTER };

/* One side: a profile, or several runs, of which the mean is compared. */
struct flm_diff_side {
    const char **names; /* of the profiles: their files */
    uint32_t count;
    const struct flm_profile **profiles; /* count of them, the caller's */
    double duration_ns;                  /* of a run, on average; 0: not known */
    double sample;                       /* the value of one sample in the mean; 0: not known */
    double total;                        /* as recorded */
    uint32_t stack_count;                /* with a value */
    uint32_t *seen;                      /* by node: in how many runs; NULL: there is one */
};

/* How they are compared, and how much of it the report shows. */
struct flm_diff_how {
    const char *metric; /* NULL: the first that all have */
    struct flm_normal normal;
    enum flm_diff_relative relative;
    bool shares;   /* normalized graphs are compared: both are divided by their totals */
    bool no_noise; /* small changes are not called noise */
    enum flm_function_order sort;
    uint32_t rows; /* 0: all */
};

struct flm_diff {
    struct flm_diff_how how;
    struct flm_diff_side side[2];
    struct flm_runs runs;
    struct flm_profile *both; /* the metrics before and after */
    struct flm_metric_pair pair;
    struct flm_bytes metric, unit; /* as the files have them */
    struct flm_comparison comparison;
    double similarity, shape_similarity; /* as recorded, whatever is made equal */
    double whole;                        /* of relative values; else 1 */
};

/* The name of a side: its file, or "20 runs". */
void flm_diff_add_name(const struct flm_diff *diff, enum flm_diff_which which,
                       struct flm_text *out);

#endif
