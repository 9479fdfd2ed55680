/* noise.h - the noise between runs, and the minimum detectable effect (MDE): the smallest change
 * that these runs would have shown.
 *
 *     CV           standard deviation between runs of one group / its mean, of both groups
 *                  together, each with its own mean: a change between them is not noise. Of the
 *                  measured values, outliers included
 *     counted      the part of it that is sampling: sqrt(unit / mean). The rest is the machine's
 *     MDE          the change that is detected with a power of 80 %: (critical + z) * error, where
 *                  the error is that of the difference of the means as it is tested (winsorized,
 *                  with the floor), times sqrt(1 + MDE / mean), for what grew varies more
 *     runs needed  in each group for a change of `wanted`, say 1 %: n (MDE / 1 %)^2
 *
 * z would be 0.84, which 80 of 100 normal values are below, if the error were known. But it comes
 * from n1 + n2 runs, so that it is itself wrong by 1 / sqrt(2 d) of it, d = n1 + n2 - 2, and a gate
 * that stands on an error that is too small promises too much, more than one that stands on a large
 * one gives back. Normal and with that error too, t - critical has the variance
 * 1 + (critical + z)^2 / 2 d, and
 *
 *     z = 0.84 sqrt(1 + (critical + z)^2 / 2 d)         30 + 30 runs: 0.9      10 + 10: 1.1
 *
 * Simulated (bench/power_bench.c, mde), changes as large as the MDE of a gate before, of other
 * runs, are found in 80 to 87 of 100 at 30 + 30 runs, 79 to 81 at 10 + 10; of the total in 80
 * and 74. Where one run in twenty is an outlier, changes of the total are found in 67 and 60: the
 * error of winsorized values depends on how many outliers there happened to be.
 *
 * Computed for the total of the runs, and for the stacks with the largest self values: the noise of
 * the frames above them is about that of the total. */
#ifndef FLAMEL_GATE_VERDICT_NOISE_H
#define FLAMEL_GATE_VERDICT_NOISE_H

#include "gate/runs/test_columns.h"

struct flm_noise_row {
    uint32_t column;    /* FLM_NONE: the total of the runs */
    double mean;        /* of base */
    double cv, counted; /* shares of the mean; `counted` 0: the size of a sample is not known */
    double mde;         /* in the unit of the metric */
    double runs_needed; /* in each group, for a change of `wanted` of the mean */
    double new_part;    /* of the squared error: how much is of the new runs */
};

struct flm_noise {
    struct flm_noise_row total;
    struct flm_noise_row *row; /* the largest first; only stacks that base has */
    uint32_t count;
    double wanted; /* share */
};

struct flm_noise_options {
    double unit;                     /* of a sample; 0: not known */
    double critical, total_critical; /* of t: of a column, of the total */
    double wanted;
    uint32_t most_rows;
    uint32_t tests;            /* where the noise of the sides differs (unequal.h); else 0 */
    double alpha, total_alpha; /* of these tests together; of that of the total */
};

bool flm_noise_init(struct flm_noise *noise, const struct flm_runs *runs,
                    const struct flm_columns *columns, const struct flm_noise_options *options,
                    struct flm_error *why);
void flm_noise_clear(struct flm_noise *noise);

#endif
