/* series.h - where a series of profiles changed, and in which frames.
 *
 *     runs       60 nightly profiles in the order of their dates           runs.h
 *     columns    totals and self values of every frame, as measured and by the size of the run, and
 *                the total of the run                                      columns.h
 *     split      the position at which some column differs most before and after, and how often
 *                the same runs in other orders differ as much            stats/change_point.h
 *     again      in the runs before it, and in those after it, while p <= alpha and there are
 *                enough runs on both sides (binary segmentation); and, where there is no change,
 *                in halves, for changes that were reverted
 *     frames     the runs between this change and its neighbors are compared as base and new are
 *                by a gate: a short list of frames that adds up                            gate.h
 *
 * The distance between two profiles is the other statistic: no columns, one number. It finds
 * changes of shape that are spread too thin for any column, and names no frame by itself. It is the
 * square root of the paper's distance, the sum of |a - b| over all stacks: with the root the
 * statistic is 0 for equal distributions only, whatever they are (Szekely and Rizzo).
 *
 * A change may have been reverted: it stays if the last runs of the series are nearer to the runs
 * after it than to those before it. */
#ifndef FLAMEL_GATE_VERDICT_SERIES_H
#define FLAMEL_GATE_VERDICT_SERIES_H

#include "gate/verdict/gate.h"

enum flm_series_method { FLM_SERIES_BY_COLUMNS, FLM_SERIES_BY_DISTANCES };

struct flm_series_options {
    enum flm_series_method method;
    double alpha;    /* 0.01 */
    uint32_t least;  /* runs on both sides of a change: 5 */
    uint32_t orders; /* 999 */
    uint32_t last;   /* runs that say whether a change stays: 5 */
    uint64_t seed;   /* 1 */
    double unit;     /* of one sample; 0: that of the runs */
    int threads;
};

struct flm_series_change {
    uint32_t at;       /* the first run that is changed */
    uint32_t from, to; /* the runs since the change before it, and up to the next one */
    double p;          /* of all positions that were tested */
    bool stays;

    /* The column that differs most, in the unit of the metric. */
    struct flm_column_key key; /* node FLM_NONE: the total of the run */
    bool by_size;              /* divided by the size of each run: its share changed */
    double before, after;

    struct flm_gate gate; /* the runs before it as base, those after it as new */
};

struct flm_series {
    struct flm_series_change *change; /* in the order of the runs */
    uint32_t count;
    uint32_t column_count; /* that were tested */
    double unit;           /* as it was used */
};

struct flm_series_options flm_series_defaults(void);

/* Fewer orders could not show everything at that alpha. */
double flm_series_least_orders(double alpha);

/* The runs are in the order of time; whether they are base or new does not matter. False, and
 * `why` with what to do, when there are too few of them, or memory ran out. */
bool flm_series_init(struct flm_series *series, const struct flm_runs *runs,
                     const struct flm_series_options *options, struct flm_error *why);
void flm_series_clear(struct flm_series *series);

#endif
