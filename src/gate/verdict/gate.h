/* gate.h - is it a regression, where, by how much, and how sure.
 *
 *     runs     base: 20 profiles       new: 20 profiles        recorded alternately, if you can
 *     columns  totals and self values of every frame of the common tree, in each run  columns.h
 *     test     max-T over all of them at once, in two views: as measured, and by the size of the
 *              run; and the total alone, with its own part of alpha                  stats/maxt.h
 *     items    the significant columns as a short list that adds up                  attribution.h
 *
 * alpha is the probability that a gate whose code did not change says that it did, whatever the
 * number of frames: of alpha, 0.8 are for the columns and 0.2 for the total, so that
 *
 *     p of a column = min(1, min(p as measured, p by size) / 0.8)
 *     p of the total = min(1, p / 0.2)
 *
 * and a change is significant if p <= alpha. The total is winsorized as columns are.
 *
 * A verdict:
 *     FAIL           something grew significantly, and by at least min_effect of the base's total;
 *                    a move below a frame that did not change fails if it was not free    moves.h
 *     INCONCLUSIVE   these runs could not have shown the requested effect: too few, too noisy; or
 *                    less than half of the total is in tested columns
 *     PASS           neither
 *
 * Where only the share of a column grew significantly, something else may have got faster. Then it
 * fails if it grew as measured too, at the lower end of the interval of
 *
 *     (new / base by size) * (size of new / size of base) > 1
 *
 * whose first factor has the simultaneous interval of all columns, and the second, one number, that
 * of the total's part of alpha: so the probability of FAIL without growth is at most alpha,
 * whatever shrinks, and the noise of the run counts once, not for each column. (t >= 2 as
 * measured, without a correction for the number of columns, was found in 13 of 100 improvements.)
 * Sides that differ in noise: unequal.h. Runs whose total is constant by construction:
 * fixed_total.h.
 *
 * With a tolerance, PASS is given only where it is significant that nothing grew by so much, and
 * INCONCLUSIVE where it is neither significant nor disproved (tolerance.h). FAIL is then for what
 * grew significantly and is measured at the tolerance or above, wherever it was moved to: a
 * tolerance hides nothing that a gate without one finds.
 *
 * Metrics without noise are judged exactly: every change is significant (exact.h).
 *
 * "No regression found" is not "no regression": so the report always has the smallest change that
 * these runs would have shown (noise.h).
 *
 * The same runs in the same order give the same digits. In another order, other permutations are
 * drawn, and p differs by as much as chance has it; where all permutations are taken, nothing does.
 */
#ifndef FLAMEL_GATE_VERDICT_GATE_H
#define FLAMEL_GATE_VERDICT_GATE_H

#include "flamel/gate.h"
#include "gate/rename/renames.h"
#include "gate/runs/test_columns.h"
#include "gate/verdict/attribution.h"
#include "gate/verdict/moves.h"
#include "gate/verdict/noise.h"
#include "gate/verdict/tolerance.h"
#include "gate/verdict/unequal.h"
#include "stats/maxt.h"

struct flm_gate_options {
    double alpha;          /* 0.01 */
    uint32_t permutations; /* 9999 */
    uint64_t seed;         /* 1 */
    enum flm_side side;    /* which changes fail; both are always found and reported */
    double min_effect;     /* share of the base's total: 0.001 */
    double require_mde;   /* share: INCONCLUSIVE when the smallest detectable change of the total is
                             larger; 0: no limit */
    double wanted;        /* share: how many runs a change of this needs: 0.01 */
    double tolerance;     /* share of the base's total: PASS has to be significant; 0: none */
    double unit;          /* of one sample; 0: that of the runs */
    bool exact;           /* the metric has no noise; the runs may be one of each */
    bool absolute_only;   /* without the view by size, and without the total: for comparison */
    bool has_all_columns; /* none left out */
    int threads;
};

enum flm_verdict { FLM_VERDICT_PASS, FLM_VERDICT_FAIL, FLM_VERDICT_INCONCLUSIVE };

/* One tested column, as reported. Means are raw (not winsorized), in the unit of the metric; so is
 * the interval, whose width therefore includes outliers. */
struct flm_gate_column {
    double base_mean, new_mean;
    double low, high; /* of the difference: simultaneous with all other columns */
    double t, p;      /* as measured; p of both views, adjusted */
    double t_by_size; /* 0 where there is no such view */
    double ratio, least_ratio, most_ratio; /* new to base by size, simultaneous; 0 without */
    bool by_size_only; /* significant only in the view by size: its share changed */
    bool is_significant;
    bool is_failing; /* and that is why the gate fails */
};

struct flm_gate {
    enum flm_verdict verdict;
    double unit; /* of a sample, as it was used; 0: not known */
    struct flm_columns columns;
    struct flm_gate_column *column; /* by key */
    struct flm_gate_column total;   /* of the runs */
    double critical;                /* of the t of all columns, at alpha: of the intervals */
    double needed, total_needed;    /* t above which a column, and the total, are significant */
    struct flm_attribution found;
    struct flm_moves moves;
    struct flm_renames renames;     /* by flm_gate_judge */
    struct flm_tolerance tolerance; /* where the options have one */
    struct flm_noise noise;
    uint32_t failing_count; /* items for which it fails; 0 where it fails for the total only */

    double permutations; /* how many were tested */
    bool is_complete;    /* all that exist were tested */
    double smallest_p;   /* possible with so many runs and permutations */
    uint32_t least_runs; /* in each group, for a p of alpha; 0: not with so few permutations */

    struct flm_noise_ratio sides;
    bool total_is_fixed; /* fixed_total.h */
    double covered;      /* the share of all that is in tested columns */

    /* Why a verdict is INCONCLUSIVE. */
    bool is_too_noisy;     /* for require_mde */
    bool has_too_few_runs; /* on a side */
    bool is_uncovered;
    bool is_composition; /* of a fixed total: shares changed, and it is not known which grew */
};

/* The defaults above. */
struct flm_gate_options flm_gate_defaults(void);

/* The same as flm_gate_init, with renamed functions recognized: each becomes one frame in `runs`,
 * which are then tested again (renames.h). */
bool flm_gate_judge(struct flm_gate *gate, struct flm_runs *runs,
                    const struct flm_gate_options *options, struct flm_error *why);

/* False, and `why` with what to do, when the runs cannot be tested: fewer than two of a group,
 * nothing in them; runs of a metric without noise that differ. */
bool flm_gate_init(struct flm_gate *gate, const struct flm_runs *runs,
                   const struct flm_gate_options *options, struct flm_error *why);
void flm_gate_clear(struct flm_gate *gate);

#endif
