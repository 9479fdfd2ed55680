/* gate.h - whether the runs of a candidate are a regression from those of a baseline.
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

#include "flamel/compare.h"

#ifdef __cplusplus
extern "C" {
#endif

enum flm_gate_method {
    FLM_GATE_MAX_T, /* the largest difference of any frame or stack, by permutation */
    FLM_GATE_PAPER  /* Hotelling's test of the stacks that are in many runs (Tornetta) */
};

/* `size` is sizeof (struct flm_gate_settings); fields that are 0 are the defaults. */
struct flm_gate_settings {
    size_t size;
    const char *metric;    /* the first that all have; not used by flm_gate_test */
    double alpha;          /* false positive rate, below 1: 0.01 */
    uint32_t permutations; /* 9999 */
    uint64_t seed;         /* 1 */
    bool both_directions;  /* what shrank fails too */
    double min_effect;  /* smaller changes do not fail; share of the baseline's total: 0.001; below
                          0: none is too small */
    double require_mde; /* INCONCLUSIVE where the minimum detectable effect is larger: no limit */
    double tolerance;   /* PASS only where it is significant that nothing grew by so much: none */
    bool exact;         /* the metric has no noise: every change is significant */
    uint32_t rows;      /* items in the report's text at most; all */
    int threads;        /* 1 */
    bool zero_seed;     /* the seed is 0, which is not the default */
    double sample;      /* the value of one sample, in the metric's unit: computed */
    bool all_columns;   /* frames too that have less than 5 samples a run */
    bool absolute;      /* neither by the size of the run nor the total by itself */
    enum flm_gate_method method;
    uint32_t threshold; /* PAPER: stacks that are in so many runs: 5 */
    uint32_t most;      /* PAPER: of these the most frequent: all */
};

enum flm_gate_verdict {
    FLM_GATE_PASS,
    FLM_GATE_FAIL,
    FLM_GATE_INCONCLUSIVE /* too few or too noisy runs, or too little that could be tested */
};

struct flm_gate_result;

/* FLM_ERROR_USAGE for runs that cannot be tested: fewer than two of a side, nothing in them. */
struct flm_gate_result *flm_gate_compare(const struct flm_gate_run *runs, size_t count,
                                         const struct flm_gate_settings *settings,
                                         struct flm_error *why);

/* The same of a set of runs (flamel/compare.h), which must stay until the result is freed. Frames
 * that the test recognized as renamed are one frame in the set afterwards. */
struct flm_gate_result *flm_gate_test(struct flm_run_set *set,
                                      const struct flm_gate_settings *settings,
                                      struct flm_error *why);

/* Accepts NULL. */
void flm_gate_result_free(struct flm_gate_result *result);

enum flm_gate_verdict flm_gate_verdict(const struct flm_gate_result *result);

/* Changes are the rows of table "items", the largest first. The report outlives the result. */
struct flm_report *flm_gate_report(const struct flm_gate_result *result, struct flm_error *why);

/* Of runs that cannot be tested: the difference of the means of both sides, `rows` stacks at most
 * (0: all). Table "stacks". */
struct flm_report *flm_gate_difference(const struct flm_run_set *set, uint32_t rows,
                                       struct flm_error *why);

/* The report as JUnit XML, for the page of a build. */
bool flm_gate_write_junit(const struct flm_gate_result *result, flm_profile_sink sink,
                          void *context, struct flm_error *why);

/* The mean of a side, with the note "verdict" and a metric of the significant changes, for
 * pictures in which nothing else has a color. The caller frees it. */
struct flm_profile *flm_gate_side(const struct flm_gate_result *result, bool of_new,
                                  struct flm_error *why);

/* ---- By thresholds --------------------------------------------------------------------------- */

/* The changes of functions that a policy (flamel-gate(1)) does not allow: a table for each of its
 * sections, named like it, with at most `rows` rows in text (0: all). There are no statistics in
 * it: it is for what is counted exactly, or was measured over many calls, and one run of a side is
 * enough. NULL, and `why`: the policy is not understood, a run does not have a metric of it, memory
 * ran out. */
struct flm_report *flm_policy_report(const char *policy, size_t size,
                                     const struct flm_gate_run *runs, size_t count, uint32_t rows,
                                     enum flm_gate_verdict *verdict, struct flm_error *why);

/* ---- Planning -------------------------------------------------------------------------------- */

/* The smallest number of runs of each side that a verdict needs: 5, or more where nothing could be
 * significant of so few; fewer permutations are possible in blocks of old new new old. 64 where it
 * would be more. */
uint32_t flm_gate_least_runs(double alpha, bool in_blocks);

enum { FLM_GATE_MOST_LOOKS = 20 };

/* Runs may come in equal parts, all so far judged after each part, until something is found: the
 * alpha of each of so many looks, so that all together have `alpha` (Pocock, 1977). NaN for no
 * looks, or more than FLM_GATE_MOST_LOOKS. */
double flm_gate_look_alpha(double alpha, uint32_t looks);

#ifdef __cplusplus
}
#endif

#endif
