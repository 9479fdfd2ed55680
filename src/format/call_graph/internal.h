/* internal.h - the walk over a call graph: its state, and its two parts.
 *
 *     call_graph.c    the graph itself; sums, roots, one path to each function
 *     call_walk.c     the tree of stacks, from the roots on */
#ifndef FLAMEL_FORMAT_CALL_GRAPH_INTERNAL_H
#define FLAMEL_FORMAT_CALL_GRAPH_INTERNAL_H

#include "format/call_graph/call_graph.h"

#define FLM_CALL_NONE UINT32_MAX /* no edge */

/* Every vector of costs has one more element at its end, the *size*: the mean, over all events, of
 * its share of the total cost. Thresholds and orders use it. */
/* A call of a function, as the walks see it. */
struct flm_call_out {
    double portion; /* of the size of its function; 0 where that has none */
    uint32_t edge, to;
};

struct flm_call_level {
    uint32_t function, edge; /* the edge that led here; FLM_CALL_NONE: a root */
    uint32_t next;           /* of the calls of its function */
    uint32_t next_forced;
    bool is_primary;      /* the one stack that every function has */
    bool is_past;         /* the edges that follow are below the threshold */
    struct flm_node node; /* of the caller's frame; its own frames are below it */
    struct flm_node own;  /* the one without a line; 0: not made yet */
};

struct flm_call_walk {
    const struct flm_call_graph *graph;
    struct flm_call_stacks *stacks;
    size_t width; /* costs, and the size */
    uint32_t function_count;

    double *scale;  /* 1 / (sum of each cost x how many there are) */
    double *total;  /* of each function: its self cost, and the cost of its calls */
    double *inflow; /* until roots are known; then `reached` has this memory */
    uint32_t *edge_ends, *item_ends, *items;
    struct flm_call_out *edges; /* the calls of each function, the heaviest first */
    double *edge_size;
    struct flm_frame *frames; /* of each function, without lines; 0: not made yet */

    struct flm_frame *item_frames; /* of each item, if it has a line; 0: not made yet */

    uint32_t *best; /* the edge that brings the largest share to a function; FLM_CALL_NONE */
    double *best_share;
    bool *is_root, *is_reached;
    uint32_t *forced_next, *forced_first; /* functions, by the caller that `best` leads to */
    uint32_t *roots;
    size_t root_count;
    double *root_shares; /* width per root */

    bool *on_path;
    double *reached;       /* width per function: the shares of all its nodes */
    uint32_t *nodes;       /* by function: how many; with one there is nothing to be shared */
    uint32_t *several;     /* by function: its number among those with several nodes */
    bool *drops_lines;     /* of those: their stacks have too many lines */
    double *given;         /* width per one of those: of nodes that have their values already */
    size_t *several_items; /* of those: where item_given has what their lines have already */
    double *whole;         /* a value per cost and one of those: of all their lines */
    double *whole_given;   /* likewise: what their lines have already, if they are shared */
    double *edge_share;    /* the shares of all nodes that an edge leads to */
    double *edge_given;
    uint64_t *other_calls; /* of each function: the calls by edges that lead to no node */

    double threshold;
    size_t node_count, most_nodes;
    bool is_emitting;

    struct FLM_ARRAY(struct flm_call_level) levels;
    struct FLM_ARRAY(double) shares; /* width a level */
    double *values;
    double *item_given;  /* of lines that are locations, of functions with several nodes */
    double *line_values; /* of those of one function */
    uint32_t *heap;      /* functions, the one with the largest share first */
    size_t heap_size;
    uint32_t *heap_at;
};

static inline const uint64_t *flm_call_item_costs(const struct flm_call_walk *w, size_t item)
{
    return w->graph->item_costs.at + item * w->graph->cost_count;
}

static inline const uint64_t *flm_call_edge_costs(const struct flm_call_walk *w, size_t edge)
{
    return w->graph->edge_costs.at + edge * w->graph->cost_count;
}

static inline double flm_call_size(const struct flm_call_walk *w, const uint64_t *costs)
{
    double size = 0;
    for (size_t i = 0; i + 1 < w->width; i++)
        size += (double)costs[i] * w->scale[i];
    return size;
}

static inline void flm_call_add_costs(const struct flm_call_walk *w, double *sum,
                                      const uint64_t *costs)
{
    for (size_t i = 0; i + 1 < w->width; i++)
        sum[i] += (double)costs[i];
}

/* call_walk.c: gives all stacks to `walk->stacks`, once sums and paths are known. False when memory
 * ran out. */
bool flm_call_walk(struct flm_call_walk *walk);

#endif
