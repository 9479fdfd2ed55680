/* gate.h - comparing sets of runs: what changed between two of them, and whether it is a
 * regression.
 *
 *     struct flm_gate_run runs[] = {{.profile = p1, .name = "old 1"},
 *                                   ...
 *                                   {.profile = p9, .name = "new 1", .is_new = true}};
 *     struct flm_gate_result *result = flm_gate_compare(runs, count, NULL, &why);
 *     if (flm_gate_verdict(result) == FLM_GATE_FAIL)
 *         report = flm_gate_report(result, &why);            rows, text, JSON: flamel/report.h
 *     flm_gate_result_free(result);
 *
 * A gate is a permutation test of every frame and stack at once; flamel-gate(1) says what it
 * assumes, what a verdict means, and which tables a report has. Profiles are borrowed until the
 * call returns. The same runs in the same order give the same digits. */
#ifndef FLAMEL_GATE_H
#define FLAMEL_GATE_H

#include "flamel/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One recording of the program. */
struct flm_gate_run {
    const struct flm_profile *profile;
    const char *name; /* of its file, in reports */
    bool is_new;      /* of the candidate; else of the baseline */
};

/* ---- What changed ---------------------------------------------------------------------------- */

/* `size` is sizeof (struct flm_diff_options); fields that are 0 are the defaults. */
struct flm_diff_options {
    size_t size;
    const char *metric; /* the first that all have */
    enum flm_normalize_runs {
        FLM_RUNS_AS_RECORDED,
        FLM_RUNS_BY_TOTAL,   /* as if both had the same total */
        FLM_RUNS_BY_DURATION /* as if both were recorded equally long */
    } normalize;
    enum flm_report_sort sort; /* of functions, by their change of self */
    uint32_t rows;             /* functions and stacks at most; all */
};

/* Two profiles, or the means of several runs of each side: totals, similarity, the largest changes.
 * Tables "functions" and "changed_stacks". No test of significance: that is a gate. */
struct flm_report *flm_report_diff(const struct flm_gate_run *runs, size_t count,
                                   const struct flm_diff_options *options, struct flm_error *why);

/* ---- Whether it is a regression -------------------------------------------------------------- */

/* `size` is sizeof (struct flm_gate_settings); fields that are 0 are the defaults. */
struct flm_gate_settings {
    size_t size;
    const char *metric;    /* the first that all have */
    double alpha;          /* false positive rate: 0.01 */
    uint32_t permutations; /* 9999 */
    uint64_t seed;         /* 1 */
    bool both_directions;  /* what shrank fails too */
    double min_effect;     /* smaller changes do not fail; share of the baseline's total: 0.001 */
    double require_mde; /* INCONCLUSIVE where the minimum detectable effect is larger: no limit */
    double tolerance;   /* PASS only where it is significant that nothing grew by so much: none */
    bool exact;         /* the metric has no noise: every change is significant */
    uint32_t rows;      /* items in the report's text at most; all */
    int threads;        /* 1 */
};

enum flm_gate_verdict {
    FLM_GATE_PASS,
    FLM_GATE_FAIL,
    FLM_GATE_INCONCLUSIVE /* too few or too noisy runs */
};

struct flm_gate_result;

/* FLM_ERROR_USAGE for runs that cannot be tested: fewer than two of a side, nothing in them. */
struct flm_gate_result *flm_gate_compare(const struct flm_gate_run *runs, size_t count,
                                         const struct flm_gate_settings *settings,
                                         struct flm_error *why);

/* Accepts NULL. */
void flm_gate_result_free(struct flm_gate_result *result);

enum flm_gate_verdict flm_gate_verdict(const struct flm_gate_result *result);

/* Changes are the rows of table "items", the largest first. The report outlives the result. */
struct flm_report *flm_gate_report(const struct flm_gate_result *result, struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
