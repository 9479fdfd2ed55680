/* test_columns.h - the tested columns: total and self value of each node of a tree, in each run.
 *
 * A change below a frame that is spread over many stacks is in the total of that frame, and in no
 * single stack; a change of one stack is diluted in the totals above it. So both are columns:
 *
 *     main                    total of main        (no self value, two callees)
 *       parse                 total of parse       self of parse
 *         lex                 self of lex          (a leaf: total and self are one)
 *       idle                  -                    no self value and one callee: its column would
 *         wait                self of wait         be that of the callee
 *
 * The root, of which everything is the total, has no column for that: it is tested by itself.
 *
 * For speed, and without knowing which runs are new, columns whose mean is below `least_mean`, or
 * that are not 0 in fewer than `least_runs` runs, are left out. Nothing is lost by that: they are
 * still in the totals above them. Their number is reported.
 *
 * Two views of each column are tested in one family: as measured, and divided by how large the run
 * is, which takes the noise of a slow machine away. This size factor is the median, over the self
 * stacks that are positive in all runs, of value / geometric mean over the runs, as in RNA counts
 * (Anders and Huber, "Differential expression analysis for sequence count data", 2010); of
 * logarithms, so that of two values in the middle it is the geometric mean. With fewer than five
 * such stacks the factors are those of the runs' totals, and there is no such view: whatever
 * changes is in the total too, and so in the shares of all that did not.
 *
 * Outliers are winsorized, in each view by itself, also without knowing which runs are new: to 4 s
 * around the median of all runs, where s is 1.4826 times the median deviation, and at least that of
 * counting, sqrt(unit * max(median, unit)). Where the size of a sample is not known and more than
 * half of the runs are equal, so that the median deviation is 0, s is 1.2533 times the mean
 * deviation. */
#ifndef FLAMEL_GATE_RUNS_TEST_COLUMNS_H
#define FLAMEL_GATE_RUNS_TEST_COLUMNS_H

#include "gate/runs/runs.h"
#include "stats/matrix.h"

struct flm_column_key {
    uint32_t node;
    bool is_self; /* of leaves too */
};

struct flm_columns_options {
    double least_mean; /* in the unit of the metric; 0: all */
    uint32_t least_runs;
};

struct flm_columns {
    struct flm_column_key *key; /* in preorder, the total of a node before its self */
    struct flm_matrix matrix;   /* as measured, key by key */

    /* By node, FLM_NONE where there is none: the column of its total, which may be that of its
     * callee, and of its self value. */
    uint32_t *total_column, *self_column;

    double *size_factor;     /* by run; 1 where a run is empty */
    uint32_t common_stacks;  /* that are in all runs */
    bool has_view_by_size;   /* size factors are of stacks, not of totals */
    uint32_t left_out_count; /* by the options */
    uint32_t most_outliers;  /* flm_winsorizing, of these runs */
};

bool flm_columns_init(struct flm_columns *columns, const struct flm_runs *runs,
                      const struct flm_columns_options *options, struct flm_error *why);
void flm_columns_clear(struct flm_columns *columns);

/* How outliers are winsorized. Where more than `most_outliers` runs are beyond the limit of one
 * side, they are left as they are: that many are no accident, and may be the change. Of a stack
 * that appears in the smaller of two groups the median is 0, and without this it would be
 * winsorized until nothing of it is left. Half the smaller group: this depends on the sizes of the
 * groups, and not on their members. */
struct flm_winsorizing {
    double unit; /* of a sample; 0: not known */
    uint32_t most_outliers;
};
uint32_t flm_runs_most_outliers(const struct flm_runs *runs);

/* Winsorizes one column in place; `scratch` has room for as many. */
void flm_column_winsorize(double *value, uint32_t run_count, struct flm_winsorizing how,
                          double *scratch);

/* The same, for a test with a floor: the floor has to be that of the measured values, unit * mean
 * of the values before they were winsorized, but the test has only those after it. As t does not
 * depend on the scale of a column, and the floor does, they are multiplied by mean after / mean
 * before. */
void flm_column_prepare(double *value, uint32_t run_count, struct flm_winsorizing how,
                        double *scratch);

/* A copy of the matrix, each column prepared; after it, if `by_size` and there is such a view, the
 * same columns divided by the size factors, prepared. The caller frees ready->value. */
bool flm_columns_prepare(const struct flm_columns *columns, bool by_size, double unit,
                         struct flm_matrix *ready, struct flm_error *why);

#endif
