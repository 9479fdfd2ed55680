/* flame_chart.h - stacks over time, as a tree that is laid out like any other.
 *
 * Samples lie side by side in time order, each as wide as the time that it stands for. Neighbors
 * share their common frames, from the root on:
 *
 *     samples   main;read at 0, main;read;copy at 10, main;read at 20, main;write at 30 ... 90
 *
 *     (root)    |                                                        |
 *     main      |                                        |       |       |     gap: nothing known
 *     read      |                             | write    |       | write |
 *     copy      |         | copy    |
 *     offset    0         10        20        30         45      90
 *
 * A sample with a duration stands for that, but not beyond the beginning of the next one. A moment
 * stands for the time until the next sample of the same chart, but for at most one and a half times
 * the median of those times (of two in the middle the shorter). If that is cut short by a sample
 * with a duration, because the thread then waits, the moment stands for time before it as well, as
 * far as nothing else is known of that, until it has its value (the median, if no metric is time):
 * threads are often looked at just before they lose their processor. What is left of a longer time
 * was not observed (the thread slept, or the profiler missed it) and becomes a gap, across which
 * nothing is shared. Samples at the same time divide theirs. A moment that is the last stands for
 * its value, if the metric is time in ns, otherwise for the median.
 *
 * Gaps are nodes with frame 0. There is one wherever a child begins later than its parent (or than
 * the end of its sibling), because a layout puts children side by side from the left: the first
 * read above has one before copy. The time of a node after its last child is its own width. So a
 * node's total is its time, and its offset plus the start of the chart is when it began.
 *
 * It takes two passes over samples and their frames, of which the first only counts: 15 ns per
 * frame that appears, and 29 bytes per node. */
#ifndef FLAMEL_LAYOUT_FLAME_CHART_H
#define FLAMEL_LAYOUT_FLAME_CHART_H

#include "layout/tree.h"

struct flm_flame_chart_options {
    /* The samples, ascending: of a thread, as in tracks.h. NULL: all of the profile. */
    const uint32_t *sample;
    uint32_t sample_count;

    struct flm_metric metric; /* only samples that have a value in it; {FLM_NONE}: all */
    int64_t start_ns; /* time of offset 0, so that several charts have one axis; FLM_NO_TIME: of the
                         first sample */
    double alone_ns;  /* duration of a sample if all have the same time; 0: 1 ns */

    /* By label set: samples of different kinds (a thread on the processor, and one that waits)
     * share no frames, so a node is of one kind, that of its samples. NULL: there is one kind. */
    const unsigned char *kind_of_set;

    const uint32_t *parent; /* of flm_profile_parents, for several charts of one profile; borrowed
                               while the chart is made. NULL: it is computed */
};

struct flm_flame_chart {
    struct flm_tree tree;
    const uint32_t *source; /* by node: the stack in the profile; of a gap, that of its parent */
    const uint32_t *first_sample, *last_sample; /* likewise: indices into the profile's samples; of
                                                   a gap those before it */
    const unsigned char *kind; /* likewise: by kind_of_set, of a gap 0; NULL: there is one */
    int64_t start_ns;          /* time of offset 0 */
    double median_ns;          /* time between two samples; 0: there is none */
    uint32_t sample_count;     /* that are shown */
    uint32_t untimed_count;    /* left out: without a time */
    uint32_t early_count;      /* left out: before start_ns */
};

/* The time that the last of ascending samples, which all have a time, stands for: the largest value
 * of the samples at its time, if the metric is time in ns, otherwise the median between samples,
 * but not beyond the last sample of the profile; 0: unknown. */
double flm_flame_chart_last_ns(const struct flm_profile *profile, struct flm_metric metric,
                               const uint32_t *sample, uint32_t sample_count);

/* NULL, and `why`, if memory ran out or there would be 2^31 nodes or more. The chart does not
 * borrow the profile. */
struct flm_flame_chart *flm_flame_chart_new(const struct flm_profile *profile,
                                            const struct flm_flame_chart_options *options,
                                            struct flm_error *why);
void flm_flame_chart_free(struct flm_flame_chart *chart);

#endif
