/* comparison.h - what changed between two columns of one tree: for each stack, and for each
 * subtree.
 *
 * `before` and `after` stand on the same nodes; flm_comparison_align makes that of two profiles. A
 * node gets a width of its own from both:
 *
 *     stack     before  after    kind           width:  max  after  before  sum
 *     a;gone    10      0        disappeared            10   0      10      10
 *     a;new     0       30       appeared               30   30     0       30
 *     a;more    20      25       grown                  25   25     20      45
 *     a;less    9       4        shrunk                 9    4      9       13
 *
 * Widths are of each stack alone, as self is, and a frame is as wide as its subtree: so parents
 * hold their children whatever the width is, and under MAX, where some stacks grew and others
 * shrank, a frame is wider than both of its totals.
 *
 * What disappeared has no width in AFTER. It could be drawn nevertheless, as slivers at the edge of
 * its parent; but they would stand where the parent's own time stands, be as wide for a sample as
 * for an hour, and every percentage that is read off the picture would be wrong. So AFTER does not
 * draw it: sums[] says how much that is, which a picture has to state. MAX, which draws everything
 * where it belongs, is the default.
 *
 * Before is multiplied by `scale` first. 1: as recorded. Otherwise the two were made comparable (by
 * their totals, their durations, or one function); which one is stated next to every
 * picture, because the sum of a scaled difference is not that of the recorded values.
 *
 * Noise. Two recordings of the same program differ. What a profile counts are samples; if samples
 * come independently of each other, a stack with n of them is sure to about sqrt(n), and that of
 * two numbers of samples x and y (y expected to be t * x) says how surely they differ: once half a
 * sample was moved from the larger to the smaller,
 *
 *     z = 2 |sqrt(y + 3/8) - sqrt(t (x + 3/8))| / sqrt(1 + t)
 *
 * standard deviations (Gu, Ng, Tang and Schucany, "Testing the ratio of two Poisson rates", 2008;
 * the half sample is the usual correction for counts, without which few samples seem too sure:
 * comparison_test.c compares it with the exact binomial). It is a guess, and must be called one:
 * runs differ by more than their counting, so what passes may still be noise, but what does not
 * pass is not worth attention. Where the size of a sample is not known, nothing is tested.
 *
 * Where several runs of both were judged (gate/verdict/gate.h), nothing has to be guessed: two more
 * columns, `lost` and `gained`, have the significant part of the change of each stack. They are not
 * one signed column, because in a sum a loss and a gain of moved code would cancel: a frame is
 * noise where nothing at all is significant below it, and its color is that of gained - lost. They
 * are values as before and after are, so operations on the profile apply to them too.
 *
 * Costs two passes over the tree, and 24 bytes a node; 40 with the significant parts. */
#ifndef FLAMEL_ALGEBRA_COMPARE_COMPARISON_H
#define FLAMEL_ALGEBRA_COMPARE_COMPARISON_H

#include "flamel/changes.h"

/* A difference of fewer standard deviations of counting is noise, unless the caller says
 * otherwise. */
#define FLM_NOISE_SIGMAS 3.0

struct flm_comparison_options {
    enum flm_comparison_widths widths;
    double scale; /* of before; 0: 1 */

    /* The kinds of stacks that are shown, a bit each (1 << FLM_CHANGE_GROWN ...): the others have
     * no width and no values. 0: all. */
    unsigned kinds;

    /* How much of the metric one sample stands for; 0: not known. */
    double before_sample, after_sample;
    double sigmas; /* a smaller difference is noise; 0: none is */

    /* The significant part of the change of each stack, instead of that guess: node_count self
     * values each, not below 0, borrowed. NULL: not known. */
    const double *lost, *gained;
};

/* All stacks of one kind, whatever `kinds` says. */
struct flm_change_sum {
    uint32_t stack_count;
    double change;      /* |after - before|, before scaled */
    double significant; /* lost and gained, where that is known */
};

struct flm_comparison {
    struct flm_comparison_options how; /* scale filled in */
    uint32_t node_count;
    const double *before_self, *after_self; /* as recorded; borrowed */
    double *before, *after;                 /* totals of all nodes, as recorded; owned */
    double *widths;                         /* owned */
    double *lost, *gained; /* totals of all nodes, owned; NULL: significance is not known */
    struct flm_change_sum sums[FLM_CHANGE_KINDS];
    double before_total, after_total; /* of everything, as recorded */
    double distance;                  /* |after - before|, before scaled */
    double similarity; /* 1 - |after - before| / (|after| + |before|), before scaled; NaN where
                          values are negative */
};

/* `before` and `after` are self values of node_count nodes; `end` as in flamel/profile.h. One
 * signed column is a comparison too: `before` is NULL, and `after` has gains and, below 0, losses.
 * Whether a gain was from 0 or a loss to 0 is not known then, so nothing is called appeared or
 * disappeared. False, and `why`, if memory ran out. */
bool flm_comparison_init(struct flm_comparison *comparison, uint32_t node_count,
                         const uint32_t *end, const double *before, const double *after,
                         const struct flm_comparison_options *options, struct flm_error *why);
void flm_comparison_clear(struct flm_comparison *comparison);

struct flm_change flm_comparison_change(const struct flm_comparison *comparison, uint32_t node,
                                        enum flm_change_scope scope);

/* Both values as recorded, 0 where its kind is not shown: sums are made of these. */
void flm_comparison_values(const struct flm_comparison *comparison, uint32_t node,
                           enum flm_change_scope scope, double *before, double *after);

/* The same of any two values, as recorded: of a function, of a set of stacks. */
struct flm_change flm_comparison_judge(const struct flm_comparison *comparison, double before,
                                       double after);

/* With the significant part of it, where that is known. */
struct flm_change flm_comparison_judge_significant(const struct flm_comparison *comparison,
                                                   double before, double after, double lost,
                                                   double gained);

/* Both, 0 where the kind of the node is not shown and where significance is not known. */
void flm_comparison_significant(const struct flm_comparison *comparison, uint32_t node,
                                enum flm_change_scope scope, double *lost, double *gained);

#endif
