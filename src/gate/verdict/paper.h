/* paper.h - the test of Tornetta, "On the Algebraic Properties of Flame Graphs", as it is there.
 *
 *     stacks    those that are in at least `threshold` of all runs (reduction.h); the others are
 *               reported as a mean of each group, and stay in the totals as "(other)"
 *     constant  stacks that never vary within a group are not tested: equal means are no change,
 *               different ones are deterministic changes, significant by themselves
 *     test      Hotelling's T2 (stats/hotelling.h); where there are more stacks than n1 + n2 - 2 it
 *               is refused, with the threshold that would do
 *     blame     responsible stacks: whose F* interval does not hold 0, and deterministic changes
 *     parts     the difference restricted to these, in its four parts
 *
 * The intervals are simultaneous for all linear combinations of all stacks (Scheffe), with the
 * probability 1 - alpha; so a responsible stack implies p < alpha, and not the other way round.
 *
 * A verdict:
 *     FAIL           a responsible stack grew, by at least min_effect of the base's total
 *     INCONCLUSIVE   the test says that something differs, but not one stack of which: it may have
 *                    grown
 *     PASS           neither. What appeared is in few runs, and is left out first, and near p = n1
 *                    + n2 - 2 the test has hardly any power: so this says less than a gate's. */
#ifndef FLAMEL_GATE_VERDICT_PAPER_H
#define FLAMEL_GATE_VERDICT_PAPER_H

#include "algebra/compare/difference.h"
#include "gate/runs/runs.h"
#include "gate/verdict/gate.h"
#include "stats/hotelling.h"

struct flm_paper_options {
    double alpha;       /* 0.01 */
    uint32_t threshold; /* 5: a stack is tested that is in this many runs */
    uint32_t most;      /* stacks at most, the most frequent first; 0: as many as there are */
    enum flm_side side; /* which changes fail */
    double min_effect;  /* share of the base's total: 0.001 */
};

struct flm_paper_stack {
    uint32_t node;
    uint32_t seen; /* in how many runs */
    double base_mean, new_mean;
    double difference, half_width;
    enum flm_part part; /* appeared, grown, disappeared or shrunk; DELTA: neither */
    bool is_constant;   /* in both groups: not part of the test */
    bool is_responsible;
    bool is_failing;
};

struct flm_paper {
    enum flm_verdict verdict;
    bool has_test; /* false: every stack is constant */
    struct flm_hotelling test;
    double f_star;
    struct flm_paper_stack *stack; /* by seen, then total, then the stack's text */
    uint32_t stack_count;
    uint32_t distinct_count; /* stacks before the reduction */
    uint32_t constant_count; /* of stack_count */
    uint32_t responsible_count, failing_count;
    double base_total, new_total;       /* means, with the stacks that are not tested */
    double base_left_out, new_left_out; /* means of these */
    double part[FLM_PARTS];             /* sums over the responsible stacks; DELTA signed */
};

struct flm_paper_options flm_paper_defaults(void);

/* False, and `why` with what to do, when the runs cannot be tested. */
bool flm_paper_init(struct flm_paper *paper, const struct flm_runs *runs,
                    const struct flm_paper_options *options, struct flm_error *why);
void flm_paper_clear(struct flm_paper *paper);

/* The means of both groups, "before" and "after", of the responsible stacks alone: their difference
 * is the change that is blamed. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_paper_blamed(const struct flm_paper *paper, const struct flm_runs *runs,
                                     struct flm_error *why);

#endif
