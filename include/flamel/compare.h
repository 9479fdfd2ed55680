/* compare.h - reports of several recordings of one program: what changed between two of them, or
 * two sets of them; how similar each is to each; where a series of them changed. The same changes
 * of two profiles as numbers, without a report, are in changes.h.
 *
 *     struct flm_gate_run runs[] = {{.profile = p1, .name = "monday.flm"},
 *                                   {.profile = p2, .name = "tuesday.flm", .is_new = true}};
 *     struct flm_report *report = flm_report_diff(runs, 2, NULL, &why);    rows, text: report.h
 *
 *     struct flm_run_set *set = flm_run_set_new(runs, count, NULL, &why);  over one tree
 *     report = flm_report_similarity(set, NULL, &why);
 *
 * Whether a change is more than the noise between runs is tested in gate.h. */
#ifndef FLAMEL_COMPARE_H
#define FLAMEL_COMPARE_H

#include "flamel/algebra.h"
#include "flamel/draw.h"
#include "flamel/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One recording of the program. */
struct flm_gate_run {
    const struct flm_profile *profile;
    const char *name; /* of its file. Text has the last part of the path, JSON and CSV all of it */
    bool is_new;      /* of the candidate; else of the baseline */
    const char *date; /* FLM_ORDER_BY_DATE: "2026-11-20T17:58:21Z"; else not used */
};

/* ---- What changed ---------------------------------------------------------------------------- */

/* What values are shares of. */
enum flm_diff_relative { FLM_DIFF_ABSOLUTE, FLM_DIFF_OF_BASE, FLM_DIFF_OF_NEW };

/* `size` is sizeof (struct flm_diff_options); fields that are 0 are the defaults. */
struct flm_diff_options {
    size_t size;
    const char *metric;           /* the first that all have */
    enum flm_normalize normalize; /* what both are scaled to first (flamel/algebra.h) */
    enum flm_report_sort sort;    /* of functions, by their change of self */
    uint32_t rows;                /* functions and stacks at most; all */
    const char *function;         /* FLM_NORMALIZE_FUNCTION: the pattern that matches it */
    enum flm_diff_relative relative;
    bool shares;             /* the difference of both divided by their totals */
    bool without_noise_test; /* small changes are not marked as the noise of counting samples */
};

/* Two profiles, or the means of several runs of each side: totals, similarity, the largest changes.
 * Tables "functions" and "changed_stacks". No test of significance: that is a gate. */
struct flm_report *flm_report_diff(const struct flm_gate_run *runs, size_t count,
                                   const struct flm_diff_options *options, struct flm_error *why);

/* The same difference, for its report, as profiles, and as pictures. */
struct flm_diff;

/* The profiles and names are borrowed until it is freed. FLM_ERROR_USAGE where a side has no runs,
 * or nothing that values could be relative to; FLM_ERROR_UNIT without a common metric. */
struct flm_diff *flm_diff_new(const struct flm_gate_run *runs, size_t count,
                              const struct flm_diff_options *options, struct flm_error *why);
void flm_diff_free(struct flm_diff *diff); /* accepts NULL */

struct flm_report *flm_diff_report(const struct flm_diff *diff, struct flm_error *why);

/* The mean of the runs of a side; the caller frees it. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_diff_mean(const struct flm_diff *diff, bool of_new, struct flm_error *why);

enum flm_diff_part {
    FLM_DIFF_APPEARED,
    FLM_DIFF_GROWN,
    FLM_DIFF_DISAPPEARED,
    FLM_DIFF_SHRUNK,
    FLM_DIFF_PLUS,  /* the gain: appeared and grown */
    FLM_DIFF_MINUS, /* the loss: disappeared and shrunk */
    FLM_DIFF_DELTA  /* plus - minus: has negative values */
};

/* A part of the difference as a profile of one metric, whose values are normalized and relative as
 * the options say. The caller frees it. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_diff_part(const struct flm_diff *diff, enum flm_diff_part part,
                                  struct flm_error *why);

/* Both sides as metrics "before" and "after", likewise. */
struct flm_profile *flm_diff_columns(const struct flm_diff *diff, struct flm_error *why);

/* Both sides as recorded, for a picture that compares them (flamel/draw.h), whose options receive
 * how. The caller frees it; afterwards the diff can only be freed. */
struct flm_profile *flm_diff_take_picture(struct flm_diff *diff, struct flm_svg_options *picture);

/* ---- Runs over one tree ---------------------------------------------------------------------- */

/* Notes of runs that were recorded together, alternately: a gate exchanges runs of one block of one
 * session only. COMMAND: the program that was started, where old and new have two names. */
#define FLM_NOTE_GATE_GROUP "gate group" /* base, or new */
#define FLM_NOTE_GATE_RUN "gate run"     /* 7: the seventh of all */
#define FLM_NOTE_GATE_BLOCK "gate block" /* 2: old new new old, the second time */
#define FLM_NOTE_GATE_SESSION "gate session"
#define FLM_NOTE_GATE_COMMAND "gate command"

/* The profile with frames that other builds have too: without addresses, lines (but with
 * `keep_lines`) and the folders of modules, with compiled and inlined code as plain code, and with
 * clones that a compiler made (lex.constprop.0) as the function. A run set does that by itself
 * where its options ask for it; callers with many runs may do it one run at a time, and free each
 * original. The caller frees the result. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_run_normalize(const struct flm_profile *profile, bool keep_lines,
                                      struct flm_error *why);

enum flm_run_order {
    FLM_ORDER_GIVEN,
    FLM_ORDER_RECORDED_OR_GIVEN, /* as recorded, if all runs say when they were */
    FLM_ORDER_RECORDED,          /* by the note "recorded": "2026-11-20T17:58:21Z" */
    FLM_ORDER_BY_DATE            /* by the dates given with the runs */
};

/* `size` is sizeof (struct flm_run_set_options); fields that are 0 are the defaults. */
struct flm_run_set_options {
    size_t size;
    const char *metric; /* the first that all have */
    bool normalize;     /* by flm_run_normalize */
    bool keep_lines;    /* of flm_run_normalize */
    enum flm_run_order order;
};

struct flm_run_set;

/* Profiles and names are borrowed until the call returns. FLM_ERROR_USAGE for no runs, for a run
 * without the date that the order needs, and for values below 0; FLM_ERROR_UNIT where the runs have
 * no metric in common. */
struct flm_run_set *flm_run_set_new(const struct flm_gate_run *runs, size_t count,
                                    const struct flm_run_set_options *options,
                                    struct flm_error *why);
void flm_run_set_free(struct flm_run_set *set); /* accepts NULL */

uint32_t flm_run_set_count(const struct flm_run_set *set);

/* The run at `index`, in the order of the set. The name is good until the set is freed. */
const char *flm_run_set_name(const struct flm_run_set *set, uint32_t index);
double flm_run_set_total(const struct flm_run_set *set, uint32_t index); /* in the metric's unit */

/* ---- How similar ----------------------------------------------------------------------------- */

enum flm_similarity_measure {
    FLM_SIMILARITY,          /* 1: identical; 0: no stack in common */
    FLM_SIMILARITY_SHAPE,    /* the same measure of percentages of the total */
    FLM_SIMILARITY_DISTANCE, /* the sum over stacks of |a - b|, in the metric's unit */
    FLM_SIMILARITY_COUNT
};

/* `size` is sizeof (struct flm_similarity_options); fields that are 0 are the defaults. */
struct flm_similarity_options {
    size_t size;
    enum flm_similarity_measure measure;
    bool all_measures;  /* tables of all three, for programs */
    bool similar_first; /* similar runs are neighbors; else in the order of the set */
    int threads;        /* 1 */
};

/* Each run with each. A square table "similarity", "shape_similarity" or "distance", with a row and
 * a column for each run; table "profiles". Where a terminal is too narrow for the matrix, text has
 * a row for each run instead. FLM_ERROR_USAGE for less than two runs. */
struct flm_report *flm_report_similarity(const struct flm_run_set *set,
                                         const struct flm_similarity_options *options,
                                         struct flm_error *why);

/* ---- In the course of time ------------------------------------------------------------------- */

/* `size` is sizeof (struct flm_series_settings); fields that are 0 are the defaults. */
struct flm_series_settings {
    size_t size;
    bool by_distances;     /* of whole profiles; else by the frame that differs most */
    double alpha;          /* how often a series without any change may show one: 0.01 */
    uint32_t least;        /* runs on both sides of a change: 5 */
    uint32_t last;         /* runs at the end that say whether a change has stayed: 5 */
    uint32_t permutations; /* other orders to compare with: 999 */
    uint64_t seed;         /* of these orders: 1 */
    bool zero_seed;        /* the seed is 0, which is not the default */
    double sample;         /* the value of one sample, in the metric's unit: computed */
    uint32_t rows;         /* frames of each change in text at most; all */
    int threads;           /* 1 */
};

/* Where the runs, in the order of the set, changed by more than they differ among themselves, and
 * which frames. Table "changes", a row for each frame of each change; JSON has the frames in the
 * changes. FLM_ERROR_USAGE for too few runs. */
struct flm_report *flm_report_series(const struct flm_run_set *set,
                                     const struct flm_series_settings *settings,
                                     struct flm_error *why);

/* Fewer orders cannot show a change at that alpha. */
double flm_series_least_permutations(double alpha);

#ifdef __cplusplus
}
#endif

#endif
