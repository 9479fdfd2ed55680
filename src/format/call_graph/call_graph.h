/* call_graph.h - stacks of a call graph: which functions call which, and what the calls cost.
 *
 * Callgrind, and Python's cProfile, count the cost of each function (self) and of each call
 * from one function to another (inclusive). That is a graph, not a tree: where two functions call
 * a third, nothing says which part of the costs below the third belongs to which of the two. It is
 * divided in proportion:
 *
 *     graph   main -> a  600     a -> log  300     log -> write  300      write: self 400
 *             main -> b  300     b -> log  100
 *     stacks  main;a;log;write   400 x 300/400 = 300
 *             main;b;log;write   400 x 100/400 = 100
 *
 * A function that has only one caller gets its exact stack. For every function, and in every
 * metric, the sum over its stacks is exactly its self cost, whatever the graph looks like: the
 * shares of its stacks are divided by their sum, and whole numbers stay whole.
 *
 * A stack has each function at most once, so the costs of calls in a cycle go to the other stacks
 * of the function. Roots are the functions that cost more than their callers account for; a cycle
 * that nothing calls begins with its heaviest function.
 *
 * A graph may have exponentially many paths. Each function has one stack, the one with the largest
 * share; others are only followed while their share of all costs is above a threshold, which grows
 * until the tree has no more than MOST_NODES nodes, or as many as there are functions and calls.
 * The costs of stacks that are not followed go to the other stacks of their function. */
#ifndef FLAMEL_FORMAT_CORE_CALL_GRAPH_H
#define FLAMEL_FORMAT_CORE_CALL_GRAPH_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "flamel/builder.h"

struct flm_call_item {
    uint32_t function, file, line; /* a function, or a line of it: index, string of the builder */
};

struct flm_call_edge {
    uint32_t from, to, line; /* from, to: functions; line: that of the call, 0: unknown */
    uint64_t calls;
    uint32_t site; /* where `line` is 0: the line of all of these calls; 0: not known, or several */
};

struct flm_call_graph {
    size_t cost_count; /* how many costs each item and each edge has */
    struct FLM_ARRAY(struct flm_call_item) items;
    struct FLM_ARRAY(struct flm_call_edge) edges;
    struct FLM_ARRAY(uint64_t) item_costs, edge_costs; /* cost_count each */
    struct flm_index item_index, edge_index;
};

/* Frees all of it; the graph is then empty, and cost_count stays. */
void flm_call_graph_clear(struct flm_call_graph *graph);

/* The index of an item or an edge, which is added if it is new; UINT32_MAX when memory ran out. */
uint32_t flm_call_graph_item(struct flm_call_graph *graph, struct flm_call_item item);
uint32_t flm_call_graph_edge(struct flm_call_graph *graph, struct flm_call_edge edge);

/* Adds an item that the caller knows to be new, with its costs (NULL: 0), and without a slot of the
 * table of items: flm_call_graph_item finds it once it is indexed. Those results as above; false
 * when memory ran out. */
uint32_t flm_call_graph_append(struct flm_call_graph *graph, struct flm_call_item item,
                               const uint64_t *costs);
bool flm_call_graph_index_item(struct flm_call_graph *graph, uint32_t item);

/* How the stacks of a graph become nodes. */
struct flm_call_stacks {
    struct flm_builder *builder;
    const struct flm_frame_record *frames; /* of each function */
    uint32_t function_count;
    struct flm_node base;  /* the stacks are below it */
    bool lines;            /* lines have stacks of their own: each edge has one line. Otherwise the
                              tree is the same as without lines, which are locations */
    const bool *is_called; /* of each function: all its calls are edges, so it is no root, whatever
                              the costs say, which in recursion add up to more than there is. NULL:
                              only the costs tell */
    size_t most_lines;     /* where lines are locations: the most of them that all stacks together
                              have; 0: as many as there are. Beyond that the functions whose stacks
                              repeat most lines for what they cost have none; in `lost_lines` */
    double lost_lines;
    void *context;

    /* Adds the values of one stack: `costs` has cost_count of them; `calls` is how often it was
     * called. */
    void (*add)(const struct flm_call_stacks *stacks, struct flm_node node, const double *costs,
                double calls);
};

/* Nothing can be looked up in the graph afterward. False when memory ran out. */
bool flm_call_graph_stacks(struct flm_call_graph *graph, struct flm_call_stacks *stacks);

/* The note that says so, of a profile whose stacks are approximated. */
void flm_call_graph_note(struct flm_builder *builder);

#endif
