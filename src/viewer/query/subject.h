/* subject.h - what a tooltip or the panel describes: a frame of a pane, or narrow ones together;
 * its values, and what its shares are of. */
#ifndef FLAMEL_VIEWER_QUERY_SUBJECT_H
#define FLAMEL_VIEWER_QUERY_SUBJECT_H

#include "viewer/query/values.h"

struct flm_subject {
    uint32_t pane_index;
    const struct flm_pane *pane;
    struct flm_node node; /* of merged ones: the first */
    uint32_t frame;
    const struct flm_rectangle *merged; /* NULL: it is one frame */
    double total;                       /* its width */
    struct flm_node parent;
    struct flm_node top; /* what everything seen is in; {FLM_NONE}: it is outside of that */
    double whole;        /* the width of everything: of a chart, all of the time */
};

/* False: there is nothing to describe. */
bool flm_subject_find(struct flm_query *q, struct flm_node_ref ref,
                      const struct flm_rectangle *merged, struct flm_subject *subject);

struct flm_value flm_subject_value(const struct flm_query *q, const struct flm_subject *s,
                                   uint32_t metric);

/* The whole that shares of a node refer to; 0: there is none. It is the width of the node, unless
 * widths show another metric. */
double flm_subject_whole(const struct flm_query *q, const struct flm_subject *s,
                         struct flm_node node, uint32_t metric);

/* Quantities and shares of the query are of this metric from now on; or of the widths of the pane:
 * of time in a flame chart, whatever the metric. */
void flm_query_use_metric(struct flm_query *q, uint32_t metric);
void flm_subject_use_width(struct flm_query *q, const struct flm_subject *s);

/* "inlined · clones: part+cold"; "libc.so.6 · malloc.c:812 · inlined"; "12 narrow frames". Of one
 * frame that stands for several also "recursion up to 118 deep". */
struct flm_bytes flm_query_kind(struct flm_query *q, const struct flm_subject *s);
struct flm_bytes flm_query_where(struct flm_query *q, const struct flm_subject *s);
struct flm_bytes flm_query_merged_title(struct flm_query *q, uint32_t count);

/* Of a comparison, in a sentence. */
struct flm_bytes flm_subject_change(struct flm_query *q, const struct flm_subject *s);

#endif
