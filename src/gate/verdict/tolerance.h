/* tolerance.h - no regression, significant: nothing grew by as much as a tolerance, and these runs
 * are enough to say so. To find nothing is no proof.
 *
 *     change        of the means, of the total and of every frame that has 1 % of base's total or
 *                   more, in base or in new: totals, and self values
 *     upper end     change + q * error, where q is the quantile of alpha of t with Welch's degrees
 *                   of freedom, and the error has the floor of counting (stats/welch.h)
 *     significant   every upper end is below the tolerance, a share of base's total
 *
 * Confidence: each interval is one-sided, 1 - alpha, and of one frame. No correction for their
 * number is needed: the claim is that all of them are below, and it is false only where that of the
 * frame that grew most is, which happens with the probability alpha at most (an intersection-union
 * test; Berger, "Multiparameter hypothesis testing and acceptance sampling", 1982). Of values as
 * they were measured: an outlier makes the interval wider, and significance harder to reach. Means
 * of runs are taken as normal, so that three runs can be enough where a permutation test needs
 * five. */
#ifndef FLAMEL_GATE_VERDICT_TOLERANCE_H
#define FLAMEL_GATE_VERDICT_TOLERANCE_H

#include "gate/runs/test_columns.h"

struct flm_tolerance_options {
    double alpha;
    double tolerance; /* share of base's total */
    double unit;      /* of a sample; 0: not known */
};

struct flm_tolerance_row {
    uint32_t node; /* 0: the total */
    bool is_self;
    double change, upper; /* in the unit of the metric */
    /* In each group, for significance in 80 of 100 gates, if the change is as it was measured;
     * INFINITY where that is the tolerance or more. */
    double runs_needed;
};

struct flm_tolerance {
    bool is_requested, is_significant;
    double most;                   /* the tolerance, in the unit of the metric */
    uint32_t tested_count;         /* the total, and frames */
    struct flm_tolerance_row *row; /* the frames that may have grown; most runs needed first */
    uint32_t count;
};

bool flm_tolerance_init(struct flm_tolerance *tolerance, const struct flm_runs *runs,
                        const struct flm_tolerance_options *options, struct flm_error *why);
void flm_tolerance_clear(struct flm_tolerance *tolerance);

#endif
