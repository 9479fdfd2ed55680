/* flame_chart.h - stacks over time, as a tree that is laid out like any other.
 *
 * Samples stand side by side in the order of time, each as wide as the time that it stands for.
 * Neighbors share the frames that they have in common, from the root on:
 *
 *     samples   main;read at 0, main;read;copy at 10, main;read at 20, main;write at 30 ... 90
 *
 *     (root)    |                                                        |
 *     main      |                                        |       |       |     gap: nothing known
 *     read      |                             | write    |       | write |
 *     copy      |         | copy    |
 *     offset    0         10        20        30         45      90
 *
 * A sample stands for the time until the next one of the same chart, but for at most one and a half
 * times the median of those times (of two in the middle the shorter): what is longer was not
 * observed (the thread slept, or the profiler missed it) and becomes a gap, on both sides of which
 * nothing is shared. Those at the same moment divide their time. The last one stands for its value,
 * where the metric is time in ns, else for the median.
 *
 * Gaps are nodes with frame 0. There is one wherever a child does not begin where its parent does
 * (or where its sibling ends), because a layout puts children side by side from the left: the first
 * read above has one in front of copy. What a node has after its last child is its own width. So a
 * node's total is its time, and its offset plus the start of the chart is when it began.
 *
 * Two passes over samples and their frames, the first of which only counts: 15 ns a frame that
 * appears. 28 bytes a node. */
#ifndef FLAMEL_LAYOUT_FLAME_CHART_H
#define FLAMEL_LAYOUT_FLAME_CHART_H

#include "layout/tree.h"

struct flm_flame_chart_options {
    /* The samples, ascending: of a thread, as tracks.h has them. NULL: all of the profile. */
    const uint32_t *sample;
    uint32_t sample_count;

    struct flm_metric metric; /* only samples that have a value in it; {FLM_NONE}: all */
    int64_t start_ns; /* where offset 0 is, so that several charts have one axis; FLM_NO_TIME: at
                         the first sample */
    double alone_ns;  /* what a sample stands for when no two have different times; 0: 1 ns */

    const uint32_t *parent; /* of flm_profile_parents, for several charts of one profile; borrowed
                               while the chart is made. NULL: found anew */
};

struct flm_flame_chart {
    struct flm_tree tree;
    const uint32_t *source; /* by node: the stack in the profile; of a gap, what it is a gap of */
    const uint32_t *first_sample, *last_sample; /* likewise: indices into the profile's samples; of
                                                   a gap those that it stands after */
    int64_t start_ns;                           /* where offset 0 is */
    double median_ns;                           /* between two samples; 0: there are no two */
    uint32_t sample_count;                      /* that are shown */
    uint32_t untimed_count;                     /* left out: without a time */
    uint32_t early_count;                       /* left out: before start_ns */
};

/* What the last of ascending samples, which all have a time, stands for: the largest value of those
 * at its moment, where the metric is time in ns, else the median between samples; 0: not known. */
double flm_flame_chart_last_ns(const struct flm_profile *profile, struct flm_metric metric,
                               const uint32_t *sample, uint32_t sample_count);

/* NULL, and `why`, if memory ran out or it would have more nodes than can be numbered. The profile
 * is borrowed by nobody afterward. */
struct flm_flame_chart *flm_flame_chart_new(const struct flm_profile *profile,
                                            const struct flm_flame_chart_options *options,
                                            struct flm_error *why);
void flm_flame_chart_free(struct flm_flame_chart *chart);

#endif
