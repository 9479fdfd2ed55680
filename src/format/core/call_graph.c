#include "format/core/call_graph.h"

#include <assert.h>

#include "base/core/bytes.h"
#include "base/core/hash.h"
#include "base/core/sort.h"
#include "profile/internal.h"

enum { MOST_NODES = 100000 };

#define FIRST_THRESHOLD 1e-6 /* of all costs */
#define NO_EDGE UINT32_MAX

void flm_call_graph_clear(struct flm_call_graph *g)
{
    FLM_ARRAY_CLEAR(&g->items);
    FLM_ARRAY_CLEAR(&g->edges);
    FLM_ARRAY_CLEAR(&g->item_costs);
    FLM_ARRAY_CLEAR(&g->edge_costs);
    flm_index_clear(&g->item_index);
    flm_index_clear(&g->edge_index);
}

static uint32_t hash_three(uint32_t a, uint32_t b, uint32_t c)
{
    return flm_hash_numbers((uint64_t)a << 32 | b, c);
}

uint32_t flm_call_graph_item(struct flm_call_graph *g, struct flm_call_item item)
{
    uint32_t hash = hash_three(item.function, item.file, item.line);
    for (struct flm_probe at = flm_index_probe(&g->item_index, hash);
         flm_index_next(&g->item_index, &at);) {
        const struct flm_call_item *old = &g->items.at[at.found];
        if (old->function == item.function && old->file == item.file && old->line == item.line)
            return at.found;
    }
    uint32_t index = (uint32_t)g->items.count;
    if (index == UINT32_MAX || !FLM_ARRAY_RESERVE(&g->items, 1) ||
        !FLM_ARRAY_RESERVE(&g->item_costs, g->cost_count) ||
        !flm_index_add(&g->item_index, hash, index))
        return UINT32_MAX;
    g->items.at[g->items.count++] = item;
    for (size_t i = 0; i < g->cost_count; i++)
        g->item_costs.at[g->item_costs.count++] = 0;
    return index;
}

uint32_t flm_call_graph_edge(struct flm_call_graph *g, struct flm_call_edge edge)
{
    uint32_t hash = hash_three(edge.from, edge.to, edge.line);
    for (struct flm_probe at = flm_index_probe(&g->edge_index, hash);
         flm_index_next(&g->edge_index, &at);) {
        const struct flm_call_edge *old = &g->edges.at[at.found];
        if (old->from == edge.from && old->to == edge.to && old->line == edge.line)
            return at.found;
    }
    uint32_t index = (uint32_t)g->edges.count;
    if (index == UINT32_MAX || !FLM_ARRAY_RESERVE(&g->edges, 1) ||
        !FLM_ARRAY_RESERVE(&g->edge_costs, g->cost_count) ||
        !flm_index_add(&g->edge_index, hash, index))
        return UINT32_MAX;
    g->edges.at[g->edges.count++] = edge;
    for (size_t i = 0; i < g->cost_count; i++)
        g->edge_costs.at[g->edge_costs.count++] = 0;
    return index;
}

/* ---- Working state --------------------------------------------------------------------------- */

/* Every vector of costs has one more element at its end, the *size*: the mean, over all events, of
 * its share of the total cost. Thresholds and orders use it. */
/* A call of a function, as the walks see it. */
struct out_edge {
    double portion; /* of the size of its function; 0 where that has none */
    uint32_t edge, to;
};

struct walk {
    const struct flm_call_graph *graph;
    const struct flm_call_stacks *stacks;
    size_t width; /* costs, and the size */
    uint32_t function_count;

    double *scale; /* 1 / (sum of each cost x how many there are) */
    double *total; /* of each function: its self cost, and the cost of its calls */
    double *inflow;
    uint32_t *edge_ends, *item_ends, *items;
    struct out_edge *edges; /* the calls of each function, the heaviest first */
    double *edge_size;
    struct flm_frame *frames; /* of each function, without lines; 0: not made yet */

    uint32_t *best; /* the edge that brings the largest share to a function; NO_EDGE */
    double *best_share;
    bool *is_root, *is_reached;
    uint32_t *forced_next, *forced_first; /* functions, by the caller that `best` leads to */
    double *root_weight;

    bool *on_path;
    double *reached;    /* width per function: the shares of all its nodes */
    double *given;      /* the shares of the nodes that have their values already */
    double *edge_share; /* the shares of all nodes that an edge leads to */
    double *edge_given;
    uint64_t *other_calls; /* of each function: the calls by edges that lead to no node */

    double threshold;
    size_t node_count, most_nodes;
    bool is_emitting;

    struct FLM_ARRAY(struct level) levels;
    struct FLM_ARRAY(double) shares; /* width a level */
    double *values;
    double *item_given;  /* of lines that are locations: what their stacks have of them already */
    double *line_values; /* of those of one function */
    uint32_t *heap;      /* functions, the one with the largest share first */
    size_t heap_size;
    uint32_t *heap_at;
};

struct level {
    uint32_t function, edge; /* the edge that led here; NO_EDGE: a root */
    uint32_t next;           /* of the calls of its function */
    uint32_t next_forced;
    bool is_primary;      /* the one stack that every function has */
    bool is_past;         /* the edges that follow are below the threshold */
    struct flm_node node; /* of the caller's frame; its own frames are below it */
    struct flm_node own;  /* the one without a line; 0: not made yet */
};

static void *zeroed(size_t count, size_t size)
{
    return flm_new_zeroed(count ? count : 1, size);
}

static bool allocate(struct walk *w)
{
    size_t f = w->function_count, e = w->graph->edges.count, i = w->graph->items.count;
    return (w->scale = zeroed(w->width, sizeof *w->scale)) &&
           (w->total = zeroed(f * w->width, sizeof *w->total)) &&
           (w->inflow = zeroed(f * w->width, sizeof *w->inflow)) &&
           (w->edge_ends = zeroed(f + 1, sizeof *w->edge_ends)) &&
           (w->item_ends = zeroed(f + 1, sizeof *w->item_ends)) &&
           (w->edges = zeroed(e, sizeof *w->edges)) && (w->items = zeroed(i, sizeof *w->items)) &&
           (w->edge_size = zeroed(e, sizeof *w->edge_size)) &&
           (w->frames = zeroed(f, sizeof *w->frames)) && (w->best = zeroed(f, sizeof *w->best)) &&
           (w->best_share = zeroed(f, sizeof *w->best_share)) &&
           (w->is_root = zeroed(f, sizeof *w->is_root)) &&
           (w->is_reached = zeroed(f, sizeof *w->is_reached)) &&
           (w->forced_next = zeroed(f, sizeof *w->forced_next)) &&
           (w->forced_first = zeroed(f, sizeof *w->forced_first)) &&
           (w->on_path = zeroed(f, sizeof *w->on_path)) &&
           (w->reached = zeroed(f * w->width, sizeof *w->reached)) &&
           (w->given = zeroed(f * w->width, sizeof *w->given)) &&
           (w->edge_share = zeroed(e, sizeof *w->edge_share)) &&
           (w->edge_given = zeroed(e, sizeof *w->edge_given)) &&
           (w->other_calls = zeroed(f, sizeof *w->other_calls)) &&
           (w->values = zeroed(w->width, sizeof *w->values)) &&
           (w->item_given = zeroed(i * w->width, sizeof *w->item_given)) &&
           (w->line_values = zeroed(i * w->width, sizeof *w->line_values)) &&
           (w->heap = zeroed(f, sizeof *w->heap)) && (w->heap_at = zeroed(f, sizeof *w->heap_at));
}

static void release(struct walk *w)
{
    void *const all[] = {
        w->scale,       w->total,        w->inflow,  w->edge_ends,  w->item_ends, w->edges,
        w->items,       w->edge_size,    w->best,    w->best_share, w->is_root,   w->is_reached,
        w->forced_next, w->forced_first, w->on_path, w->reached,    w->given,     w->edge_share,
        w->edge_given,  w->other_calls,  w->values,  w->heap,       w->heap_at,   w->frames,
        w->item_given,  w->line_values};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    FLM_ARRAY_CLEAR(&w->levels);
    FLM_ARRAY_CLEAR(&w->shares);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static const uint64_t *item_costs(const struct walk *w, size_t item)
{
    return w->graph->item_costs.at + item * w->graph->cost_count;
}

static const uint64_t *edge_costs(const struct walk *w, size_t edge)
{
    return w->graph->edge_costs.at + edge * w->graph->cost_count;
}

static double size_of(const struct walk *w, const uint64_t *costs)
{
    double size = 0;
    for (size_t i = 0; i + 1 < w->width; i++)
        size += (double)costs[i] * w->scale[i];
    return size;
}

static void add_costs(const struct walk *w, double *sum, const uint64_t *costs)
{
    for (size_t i = 0; i + 1 < w->width; i++)
        sum[i] += (double)costs[i];
    sum[w->width - 1] += size_of(w, costs);
}

/* A function that calls itself has no further stack by that call. */
static bool is_loop(const struct flm_call_edge *edge)
{
    return edge->from == edge->to;
}

static int heavier_edge(const void *context, uint32_t a, uint32_t b)
{
    const struct walk *w = context;
    double x = w->edge_size[a], y = w->edge_size[b];
    return (x < y) - (x > y);
}

static double size_total(const struct walk *w, uint32_t f)
{
    return w->total[f * w->width + w->width - 1];
}

static bool sum_up(struct walk *w)
{
    const struct flm_call_graph *g = w->graph;
    size_t costs = g->cost_count;
    for (size_t i = 0; i < g->items.count; i++)
        for (size_t c = 0; c < costs; c++)
            w->scale[c] += (double)item_costs(w, i)[c];
    for (size_t c = 0; c < costs; c++)
        w->scale[c] = w->scale[c] > 0 ? 1 / (w->scale[c] * (double)costs) : 0;

    for (size_t i = 0; i < g->items.count; i++) {
        w->item_ends[g->items.at[i].function]++;
        add_costs(w, w->total + g->items.at[i].function * w->width, item_costs(w, i));
    }
    for (size_t i = 0; i < g->edges.count; i++) {
        const struct flm_call_edge *edge = &g->edges.at[i];
        w->edge_ends[edge->from]++;
        w->edge_size[i] = size_of(w, edge_costs(w, i));
        if (is_loop(edge))
            continue;
        add_costs(w, w->total + edge->from * w->width, edge_costs(w, i));
        add_costs(w, w->inflow + edge->to * w->width, edge_costs(w, i));
    }
    uint32_t items = 0, edges = 0;
    for (uint32_t f = 0; f < w->function_count; f++) {
        items += w->item_ends[f];
        w->item_ends[f] = items;
        edges += w->edge_ends[f];
        w->edge_ends[f] = edges;
    }
    w->item_ends[w->function_count] = items;
    w->edge_ends[w->function_count] = edges;
    /* Filled backward, an end becomes a beginning; the beginning of the next is the end. */
    for (size_t i = g->items.count; i-- > 0;)
        w->items[--w->item_ends[g->items.at[i].function]] = (uint32_t)i;
    uint32_t *order = malloc(2 * (g->edges.count + 1) * sizeof *order);
    if (!order)
        return false;
    for (size_t i = g->edges.count; i-- > 0;)
        order[--w->edge_ends[g->edges.at[i].from]] = (uint32_t)i;
    for (uint32_t f = 0; f < w->function_count; f++) {
        double total = size_total(w, f);
        flm_sort(order + w->edge_ends[f], w->edge_ends[f + 1] - w->edge_ends[f],
                 order + g->edges.count, heavier_edge, w);
        for (uint32_t i = w->edge_ends[f]; i < w->edge_ends[f + 1]; i++)
            w->edges[i] = (struct out_edge){total > 0 ? w->edge_size[order[i]] / total : 0,
                                            order[i], g->edges.at[order[i]].to};
    }
    free(order);
    return true;
}

/* ---- Roots, and one path to each function ---------------------------------------------------- */

/* A heap of functions by best_share, so that each function is reached first by the path that leaves
 * the largest share of the root: Dijkstra's algorithm with products. */
static void heap_move(struct walk *w, size_t at, uint32_t function)
{
    w->heap[at] = function;
    w->heap_at[function] = (uint32_t)at + 1;
}

static void heap_rise(struct walk *w, size_t at)
{
    uint32_t function = w->heap[at];
    for (; at > 0 && w->best_share[w->heap[(at - 1) / 2]] < w->best_share[function];
         at = (at - 1) / 2)
        heap_move(w, at, w->heap[(at - 1) / 2]);
    heap_move(w, at, function);
}

static uint32_t heap_take(struct walk *w)
{
    uint32_t first = w->heap[0], last = w->heap[--w->heap_size];
    w->heap_at[first] = 0;
    size_t at = 0;
    for (size_t child; w->heap_size > 0 && (child = 2 * at + 1) < w->heap_size; at = child) {
        if (child + 1 < w->heap_size &&
            w->best_share[w->heap[child]] < w->best_share[w->heap[child + 1]])
            child++;
        if (w->best_share[w->heap[child]] <= w->best_share[last])
            break;
        heap_move(w, at, w->heap[child]);
    }
    if (w->heap_size > 0)
        heap_move(w, at, last);
    return first;
}

static void heap_offer(struct walk *w, uint32_t function, uint32_t edge, double share)
{
    if (w->is_reached[function] || (w->heap_at[function] && w->best_share[function] >= share))
        return;
    w->best[function] = edge;
    w->best_share[function] = share;
    if (!w->heap_at[function])
        heap_move(w, w->heap_size++, function);
    heap_rise(w, w->heap_at[function] - 1);
}

static bool is_called(const struct walk *w, uint32_t f)
{
    return w->stacks->is_called && w->stacks->is_called[f];
}

/* The part of a function's cost that its callers do not account for. Less than one part in a
 * million is rounding and counts as 0. */
static double excess(const struct walk *w, uint32_t f, size_t cost)
{
    if (is_called(w, f))
        return 0;
    double total = w->total[f * w->width + cost], rest = total - w->inflow[f * w->width + cost];
    return rest > total * 1e-6 ? rest : 0;
}

static void reach(struct walk *w)
{
    while (w->heap_size > 0) {
        uint32_t f = heap_take(w);
        w->is_reached[f] = true;
        for (uint32_t i = w->edge_ends[f]; i < w->edge_ends[f + 1]; i++)
            heap_offer(w, w->edges[i].to, w->edges[i].edge, w->best_share[f] * w->edges[i].portion);
    }
}

static int heavier_function(const void *context, uint32_t a, uint32_t b)
{
    double x = size_total(context, a), y = size_total(context, b);
    return (x < y) - (x > y);
}

static bool find_paths(struct walk *w)
{
    for (uint32_t f = 0; f < w->function_count; f++)
        w->best[f] = NO_EDGE;
    for (uint32_t f = 0; f < w->function_count; f++) {
        double share = excess(w, f, w->width - 1);
        bool is_used =
            w->edge_ends[f] < w->edge_ends[f + 1] || w->item_ends[f] < w->item_ends[f + 1];
        double inflow = w->inflow[f * w->width + w->width - 1];
        w->is_root[f] = share > 0 || (is_used && inflow <= 0 && !is_called(w, f));
        if (w->is_root[f])
            heap_offer(w, f, NO_EDGE, share);
    }
    reach(w);

    /* The functions that are left are in cycles that nothing calls, or below such cycles. */
    uint32_t *order = malloc(2 * ((size_t)w->function_count + 1) * sizeof *order);
    if (!order)
        return false;
    uint32_t count = 0;
    for (uint32_t f = 0; f < w->function_count; f++)
        if (!w->is_reached[f] && size_total(w, f) > 0)
            order[count++] = f;
    flm_sort(order, count, order + w->function_count, heavier_function, w);
    for (uint32_t i = 0; i < count; i++) {
        if (w->is_reached[order[i]])
            continue;
        w->is_root[order[i]] = true;
        heap_offer(w, order[i], NO_EDGE, size_total(w, order[i]));
        reach(w);
    }
    free(order);

    for (uint32_t f = 0; f < w->function_count; f++)
        w->forced_first[f] = w->forced_next[f] = UINT32_MAX;
    for (uint32_t f = w->function_count; f-- > 0;) {
        if (w->best[f] == NO_EDGE)
            continue;
        uint32_t from = w->graph->edges.at[w->best[f]].from;
        w->forced_next[f] = w->forced_first[from];
        w->forced_first[from] = f;
    }
    return true;
}

/* ---- Walking the tree ------------------------------------------------------------------------ */

/* A level has one node for each line, and one where that is not known. */
static struct flm_node node_of(struct walk *w, struct level *level, uint32_t file, uint32_t line)
{
    struct flm_builder *b = w->stacks->builder;
    const struct flm_frame_record *frame = &w->stacks->frames[level->function];
    const struct flm_location where = {.file = file, .line = line};
    if (line != 0 && b->locations != FLM_LOCATIONS_DROPPED)
        return flm_builder_child(b, level->node, flm_builder_located(b, frame, where));
    struct flm_frame *made = &w->frames[level->function];
    if (level->own.index == 0) {
        if (made->index == 0)
            *made = flm_builder_frame(b, frame);
        level->own = flm_builder_child(b, level->node, *made);
    }
    return level->own;
}

static double rounded(double value)
{
    return value < 0x1p52 ? (double)(uint64_t)(value + 0.5) : value;
}

/* The part of `whole` between two sums of shares: whole numbers, which add up to it exactly. */
static double part_of(double whole, double before, double after, double all)
{
    if (whole >= 0x1p53) {
        double upper = after >= all ? whole : whole * (after / all);
        return upper - whole * (before / all);
    }
    double upper = after >= all ? whole : rounded(whole * (after / all));
    return upper - rounded(whole * (before / all));
}

/* What stack number `level` gets of a cost of its function: `whole`. If no path has a share in this
 * metric, the one stack that every function has gets all of it. */
static double cost_of(const struct walk *w, const struct level *level, size_t c, double whole,
                      double share)
{
    double given = w->given[level->function * w->width + c];
    double reached = w->reached[level->function * w->width + c];
    if (reached > 0)
        return part_of(whole, given, given + share, reached);
    return level->is_primary ? whole : 0;
}

/* Gives `value` of the cost `c` of a function to its lines, in the proportion of what they have: so
 * that the lines of a stack add up to it, and each line to its own cost, exactly. What a line is
 * ahead or behind is carried on to the next, and the last stack gets the rest of each line. */
static void share_lines(struct walk *w, uint32_t f, size_t c, double value)
{
    size_t costs = w->width - 1;
    double whole = 0, given = value, carried = 0, left = value;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        whole += (double)item_costs(w, w->items[i])[c];
        given += w->item_given[w->items[i] * costs + c];
    }
    double part = whole > 0 ? given / whole : 0;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        double has = w->item_given[w->items[i] * costs + c];
        double rest = (double)item_costs(w, w->items[i])[c] - has;
        double wanted = (double)item_costs(w, w->items[i])[c] * part - has + carried;
        double got = wanted <= 0 ? 0 : rounded(wanted);
        got = got < rest ? got : rest;
        got = got < left ? got : left;
        carried = wanted - got;
        left -= got;
        w->line_values[(size_t)(i - w->item_ends[f]) * costs + c] = got;
    }
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        double *got = &w->line_values[(size_t)(i - w->item_ends[f]) * costs + c];
        double *has = &w->item_given[w->items[i] * costs + c];
        double rest = (double)item_costs(w, w->items[i])[c] - *has - *got;
        double more = rest < left ? rest : left;
        *got += more;
        left -= more;
        *has += *got;
    }
}

static void emit_value(struct walk *w, struct level *level, const struct flm_call_item *item,
                       double calls)
{
    double any = calls;
    for (size_t c = 0; c + 1 < w->width; c++)
        any += w->values[c];
    if (any > 0)
        w->stacks->add(w->stacks, node_of(w, level, item->file, item->line), w->values, calls);
}

/* Lines that are locations: the stack has the values that it has without them. */
static void emit_lines(struct walk *w, struct level *level, const double *shares)
{
    uint32_t f = level->function;
    for (size_t c = 0; c + 1 < w->width; c++) {
        double whole = 0;
        for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++)
            whole += (double)item_costs(w, w->items[i])[c];
        share_lines(w, f, c, cost_of(w, level, c, whole, shares[c]));
    }
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        const double *values = w->line_values + (size_t)(i - w->item_ends[f]) * (w->width - 1);
        memcpy(w->values, values, (w->width - 1) * sizeof *values);
        emit_value(w, level, &w->graph->items.at[w->items[i]], 0);
    }
}

static void emit_items(struct walk *w, struct level *level, const double *shares, double *calls)
{
    uint32_t f = level->function;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        const uint64_t *costs = item_costs(w, w->items[i]);
        for (size_t c = 0; c + 1 < w->width; c++)
            w->values[c] = cost_of(w, level, c, (double)costs[c], shares[c]);
        emit_value(w, level, &w->graph->items.at[w->items[i]], *calls);
        *calls = 0;
    }
}

static void emit(struct walk *w, struct level *level, const double *shares)
{
    uint32_t f = level->function;

    /* The calls of an edge go to the stacks that it leads to. Calls by edges that lead to no stack
     * go to the one stack that every function has. */
    double calls = level->is_primary ? (double)w->other_calls[f] : 0;
    if (level->edge != NO_EDGE) {
        double before = w->edge_given[level->edge], all = w->edge_share[level->edge];
        w->edge_given[level->edge] += shares[w->width - 1];
        double count = (double)w->graph->edges.at[level->edge].calls;
        if (all > 0)
            calls += part_of(count, before, w->edge_given[level->edge], all);
    }

    if (!w->stacks->lines && w->item_ends[f + 1] - w->item_ends[f] > 1)
        emit_lines(w, level, shares);
    else
        emit_items(w, level, shares, &calls);
    for (size_t c = 0; c < w->width; c++)
        w->given[f * w->width + c] += shares[c];
    if (calls > 0) {
        for (size_t c = 0; c < w->width; c++)
            w->values[c] = 0;
        w->stacks->add(w->stacks, node_of(w, level, 0, 0), w->values, calls);
    }
}

/* Enters a function: the last `width` shares are its own. False when there are too many nodes, or
 * memory ran out. */
static bool enter(struct walk *w, uint32_t function, uint32_t edge, bool is_primary,
                  struct flm_node node)
{
    const double *shares = w->shares.at + w->levels.count * w->width;
    struct level level = {.function = function,
                          .edge = edge,
                          .next = w->edge_ends[function],
                          .next_forced = is_primary ? w->forced_first[function] : UINT32_MAX,
                          .is_primary = is_primary,
                          .node = node};
    if (!FLM_ARRAY_ADD(&w->levels, level))
        return false;
    w->on_path[function] = true;
    uint32_t items = w->item_ends[function + 1] - w->item_ends[function];
    w->node_count += 1 + (w->stacks->lines || items == 0 ? items : 1);
    if (w->is_emitting) {
        emit(w, &w->levels.at[w->levels.count - 1], shares);
        return !flm_builder_failed(w->stacks->builder);
    }
    for (size_t c = 0; c < w->width; c++)
        w->reached[function * w->width + c] += shares[c];
    if (edge != NO_EDGE)
        w->edge_share[edge] += shares[w->width - 1];
    return w->node_count <= w->most_nodes;
}

/* Follows an edge out of the innermost function. */
static bool follow(struct walk *w, uint32_t edge, bool is_primary)
{
    const struct flm_call_edge *call = &w->graph->edges.at[edge];
    if (!FLM_ARRAY_RESERVE(&w->shares, w->width))
        return false;
    w->shares.count += w->width;
    size_t depth = w->levels.count;
    struct level *from = &w->levels.at[depth - 1];
    const double *shares = w->shares.at + (depth - 1) * w->width;
    double *own = w->shares.at + depth * w->width;
    const double *total = w->total + from->function * w->width;
    const uint64_t *costs = edge_costs(w, edge);
    for (size_t c = 0; c + 1 < w->width; c++)
        own[c] = total[c] > 0 ? shares[c] * ((double)costs[c] / total[c]) : 0;
    double all = total[w->width - 1];
    own[w->width - 1] = all > 0 ? shares[w->width - 1] * (w->edge_size[edge] / all) : 0;
    struct flm_node node = {0};
    if (w->is_emitting)
        node = node_of(w, from, 0, call->line ? call->line : call->site);
    return enter(w, call->to, edge, is_primary, node);
}

/* The next call of the innermost function to follow; NO_EDGE: there is none. An edge that leads to
 * the one stack that its callee must have is followed, however small its share is. */
static uint32_t next_edge(struct walk *w, bool *is_primary)
{
    struct level *level = &w->levels.at[w->levels.count - 1];
    double share = w->shares.at[(w->levels.count - 1) * w->width + w->width - 1];
    while (!level->is_past && level->next < w->edge_ends[level->function + 1]) {
        const struct out_edge *call = &w->edges[level->next++];
        if (share * call->portion < w->threshold) {
            level->is_past = true;
            break;
        }
        *is_primary = level->is_primary && w->best[call->to] == call->edge;
        if (!*is_primary && !w->on_path[call->to])
            return call->edge;
    }
    if (level->next_forced == UINT32_MAX)
        return NO_EDGE;
    uint32_t to = level->next_forced;
    level->next_forced = w->forced_next[to];
    *is_primary = true;
    return w->best[to];
}

static bool walk_root(struct walk *w, uint32_t root)
{
    w->levels.count = w->shares.count = 0;
    if (!FLM_ARRAY_RESERVE(&w->shares, w->width))
        return false;
    w->shares.count = w->width;
    for (size_t c = 0; c < w->width; c++) {
        bool is_cycle = excess(w, root, w->width - 1) <= 0;
        w->shares.at[c] = is_cycle ? w->total[root * w->width + c] : excess(w, root, c);
    }
    bool good = enter(w, root, NO_EDGE, w->best[root] == NO_EDGE, w->stacks->base);
    while (good && w->levels.count > 0) {
        bool is_primary = false;
        uint32_t edge = next_edge(w, &is_primary);
        if (edge != NO_EDGE) {
            good = follow(w, edge, is_primary);
            continue;
        }
        w->on_path[w->levels.at[--w->levels.count].function] = false;
        w->shares.count -= w->width;
    }
    while (w->levels.count > 0)
        w->on_path[w->levels.at[--w->levels.count].function] = false;
    return good;
}

static bool walk_all(struct walk *w)
{
    w->node_count = 0;
    for (uint32_t f = 0; f < w->function_count; f++)
        if (w->is_root[f] && !walk_root(w, f))
            return false;
    return true;
}

/* The first walk counts nodes and sums shares; it is repeated with a larger threshold until there
 * are few enough nodes. The second walk takes the same paths, and adds values. */
static bool walk_twice(struct walk *w)
{
    const struct flm_call_graph *g = w->graph;
    w->most_nodes = g->edges.count + 2 * (g->items.count + w->function_count);
    if (w->most_nodes < MOST_NODES)
        w->most_nodes = MOST_NODES;
    for (w->threshold = FIRST_THRESHOLD; !walk_all(w); w->threshold *= 4) {
        if (w->node_count <= w->most_nodes)
            return false;
        memset(w->reached, 0, w->function_count * w->width * sizeof *w->reached);
        memset(w->edge_share, 0, g->edges.count * sizeof *w->edge_share);
    }
    for (size_t i = 0; i < g->edges.count; i++)
        if (w->edge_share[i] <= 0)
            w->other_calls[g->edges.at[i].to] += g->edges.at[i].calls;
    w->is_emitting = true;
    return walk_all(w);
}

bool flm_call_graph_stacks(const struct flm_call_graph *graph, const struct flm_call_stacks *stacks)
{
    assert(graph && stacks && stacks->add);
    struct walk w = {.graph = graph,
                     .stacks = stacks,
                     .width = graph->cost_count + 1,
                     .function_count = stacks->function_count};
    bool good = allocate(&w) && sum_up(&w) && find_paths(&w) && walk_twice(&w);
    release(&w);
    return good;
}

void flm_call_graph_note(struct flm_builder *builder)
{
    static const char text[] =
        "the file says which functions call which, not from where these were called: costs below a "
        "function with several callers are divided among them in proportion. What a function "
        "itself costs is exact; stacks are approximated, and so are totals of recursive functions";
    flm_builder_note(builder, FLM_NOTE_NOT_SHOWN "exact stacks", text, sizeof text - 1);
}
