#include "format/call_graph/internal.h"

#include <assert.h>

#include "base/core/bytes.h"
#include "base/core/hash.h"
#include "base/core/sort.h"
#include "profile/internal.h"

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

static uint32_t hash_item(struct flm_call_item item)
{
    return hash_three(item.function, item.file, item.line);
}

uint32_t flm_call_graph_append(struct flm_call_graph *g, struct flm_call_item item,
                               const uint64_t *costs)
{
    uint32_t index = (uint32_t)g->items.count;
    if (index == UINT32_MAX || !FLM_ARRAY_RESERVE(&g->items, 1) ||
        !FLM_ARRAY_RESERVE(&g->item_costs, g->cost_count))
        return UINT32_MAX;
    g->items.at[g->items.count++] = item;
    for (size_t i = 0; i < g->cost_count; i++)
        g->item_costs.at[g->item_costs.count++] = costs ? costs[i] : 0;
    return index;
}

bool flm_call_graph_index_item(struct flm_call_graph *g, uint32_t item)
{
    return flm_index_add(&g->item_index, hash_item(g->items.at[item]), item);
}

uint32_t flm_call_graph_item(struct flm_call_graph *g, struct flm_call_item item)
{
    uint32_t hash = hash_item(item);
    for (struct flm_probe at = flm_index_probe(&g->item_index, hash);
         flm_index_next(&g->item_index, &at);) {
        const struct flm_call_item *old = &g->items.at[at.found];
        if (old->function == item.function && old->file == item.file && old->line == item.line)
            return at.found;
    }
    uint32_t index = flm_call_graph_append(g, item, NULL);
    return index != UINT32_MAX && flm_index_add(&g->item_index, hash, index) ? index : UINT32_MAX;
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

static void *zeroed(size_t count, size_t size)
{
    return flm_new_zeroed(count ? count : 1, size);
}

static bool allocate(struct flm_call_walk *w)
{
    size_t f = w->function_count, e = w->graph->edges.count, i = w->graph->items.count;
    return (w->scale = zeroed(w->width, sizeof *w->scale)) &&
           (w->total = zeroed(f * w->width, sizeof *w->total)) &&
           (w->inflow = zeroed(f * w->width, sizeof *w->inflow)) &&
           (w->edge_ends = zeroed(f + 1, sizeof *w->edge_ends)) &&
           (w->item_ends = zeroed(f + 1, sizeof *w->item_ends)) &&
           (w->edges = zeroed(e, sizeof *w->edges)) && (w->items = zeroed(i, sizeof *w->items)) &&
           (w->edge_size = zeroed(e, sizeof *w->edge_size)) &&
           (w->frames = zeroed(f, sizeof *w->frames)) &&
           (w->item_frames = zeroed(i, sizeof *w->item_frames)) &&
           (w->best = zeroed(f, sizeof *w->best)) &&
           (w->best_share = zeroed(f, sizeof *w->best_share)) &&
           (w->is_root = zeroed(f, sizeof *w->is_root)) &&
           (w->is_reached = zeroed(f, sizeof *w->is_reached)) &&
           (w->forced_next = zeroed(f, sizeof *w->forced_next)) &&
           (w->forced_first = zeroed(f, sizeof *w->forced_first)) &&
           (w->on_path = zeroed(f, sizeof *w->on_path)) &&
           (w->nodes = zeroed(f, sizeof *w->nodes)) &&
           (w->drops_lines = zeroed(f, sizeof *w->drops_lines)) &&
           (w->edge_share = zeroed(e, sizeof *w->edge_share)) &&
           (w->edge_given = zeroed(e, sizeof *w->edge_given)) &&
           (w->other_calls = zeroed(f, sizeof *w->other_calls)) &&
           (w->values = zeroed(w->width, sizeof *w->values)) &&
           (w->heap = zeroed(f, sizeof *w->heap)) && (w->heap_at = zeroed(f, sizeof *w->heap_at));
}

static void release(struct flm_call_walk *w)
{
    void *const all[] = {
        w->scale,         w->total,      w->inflow,      w->edge_ends,   w->item_ends,
        w->edges,         w->items,      w->edge_size,   w->best,        w->best_share,
        w->is_root,       w->is_reached, w->reached,     w->forced_next, w->forced_first,
        w->on_path,       w->nodes,      w->drops_lines, w->several,     w->given,
        w->edge_share,    w->edge_given, w->other_calls, w->values,      w->heap,
        w->heap_at,       w->frames,     w->item_frames, w->item_given,  w->line_values,
        w->several_items, w->whole,      w->whole_given, w->roots,       w->root_shares};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    FLM_ARRAY_CLEAR(&w->levels);
    FLM_ARRAY_CLEAR(&w->shares);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A function that calls itself has no further stack by that call. */
static bool is_loop(const struct flm_call_edge *edge)
{
    return edge->from == edge->to;
}

static int heavier_edge(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_call_walk *w = context;
    double x = w->edge_size[a], y = w->edge_size[b];
    return (x < y) - (x > y);
}

static double size_total(const struct flm_call_walk *w, uint32_t f)
{
    return w->total[f * w->width + w->width - 1];
}

/* Of whole numbers that are exact: sizes that are added up differ in their last bits by how a
 * function's cost is divided among lines, and what costs the same would be followed in another
 * order. */
static double size_of_sums(const struct flm_call_walk *w, const double *sums)
{
    double size = 0;
    for (size_t c = 0; c + 1 < w->width; c++)
        size += sums[c] * w->scale[c];
    return size;
}

static bool sum_up(struct flm_call_walk *w)
{
    const struct flm_call_graph *g = w->graph;
    size_t costs = g->cost_count;
    for (size_t i = 0; i < g->items.count; i++)
        for (size_t c = 0; c < costs; c++)
            w->scale[c] += (double)flm_call_item_costs(w, i)[c];
    for (size_t c = 0; c < costs; c++)
        w->scale[c] = w->scale[c] > 0 ? 1 / (w->scale[c] * (double)costs) : 0;

    for (size_t i = 0; i < g->items.count; i++) {
        w->item_ends[g->items.at[i].function]++;
        flm_call_add_costs(w, w->total + g->items.at[i].function * w->width,
                           flm_call_item_costs(w, i));
    }
    for (size_t i = 0; i < g->edges.count; i++) {
        const struct flm_call_edge *edge = &g->edges.at[i];
        w->edge_ends[edge->from]++;
        w->edge_size[i] = flm_call_size(w, flm_call_edge_costs(w, i));
        if (is_loop(edge))
            continue;
        flm_call_add_costs(w, w->total + edge->from * w->width, flm_call_edge_costs(w, i));
        flm_call_add_costs(w, w->inflow + edge->to * w->width, flm_call_edge_costs(w, i));
    }
    for (uint32_t f = 0; f < w->function_count; f++) {
        w->total[f * w->width + costs] = size_of_sums(w, w->total + f * w->width);
        w->inflow[f * w->width + costs] = size_of_sums(w, w->inflow + f * w->width);
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
            w->edges[i] = (struct flm_call_out){total > 0 ? w->edge_size[order[i]] / total : 0,
                                                order[i], g->edges.at[order[i]].to};
    }
    free(order);
    return true;
}

/* ---- Roots, and one path to each function ---------------------------------------------------- */

/* A heap of functions by best_share, so that each function is reached first by the path that leaves
 * the largest share of the root: Dijkstra's algorithm with products. */
static void heap_move(struct flm_call_walk *w, size_t at, uint32_t function)
{
    w->heap[at] = function;
    w->heap_at[function] = (uint32_t)at + 1;
}

static void heap_rise(struct flm_call_walk *w, size_t at)
{
    uint32_t function = w->heap[at];
    for (; at > 0 && w->best_share[w->heap[(at - 1) / 2]] < w->best_share[function];
         at = (at - 1) / 2)
        heap_move(w, at, w->heap[(at - 1) / 2]);
    heap_move(w, at, function);
}

static uint32_t heap_take(struct flm_call_walk *w)
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

static void heap_offer(struct flm_call_walk *w, uint32_t function, uint32_t edge, double share)
{
    if (w->is_reached[function] || (w->heap_at[function] && w->best_share[function] >= share))
        return;
    w->best[function] = edge;
    w->best_share[function] = share;
    if (!w->heap_at[function])
        heap_move(w, w->heap_size++, function);
    heap_rise(w, w->heap_at[function] - 1);
}

static bool is_called(const struct flm_call_walk *w, uint32_t f)
{
    return w->stacks->is_called && w->stacks->is_called[f];
}

/* The part of a function's cost that its callers do not account for. Less than one part in a
 * million is rounding and counts as 0. */
static double excess(const struct flm_call_walk *w, uint32_t f, size_t cost)
{
    if (is_called(w, f))
        return 0;
    double total = w->total[f * w->width + cost], rest = total - w->inflow[f * w->width + cost];
    return rest > total * 1e-6 ? rest : 0;
}

static void reach(struct flm_call_walk *w)
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

static bool find_paths(struct flm_call_walk *w)
{
    for (uint32_t f = 0; f < w->function_count; f++)
        w->best[f] = FLM_CALL_NONE;
    for (uint32_t f = 0; f < w->function_count; f++) {
        double share = excess(w, f, w->width - 1);
        bool is_used =
            w->edge_ends[f] < w->edge_ends[f + 1] || w->item_ends[f] < w->item_ends[f + 1];
        double inflow = w->inflow[f * w->width + w->width - 1];
        w->is_root[f] = share > 0 || (is_used && inflow <= 0 && !is_called(w, f));
        if (w->is_root[f])
            heap_offer(w, f, FLM_CALL_NONE, share);
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
        heap_offer(w, order[i], FLM_CALL_NONE, size_total(w, order[i]));
        reach(w);
    }
    free(order);

    for (uint32_t f = 0; f < w->function_count; f++)
        w->forced_first[f] = w->forced_next[f] = UINT32_MAX;
    for (uint32_t f = w->function_count; f-- > 0;) {
        if (w->best[f] == FLM_CALL_NONE)
            continue;
        uint32_t from = w->graph->edges.at[w->best[f]].from;
        w->forced_next[f] = w->forced_first[from];
        w->forced_first[from] = f;
    }
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* What the stacks of each root share, so that nobody needs to know what calls bring any more. */
static bool keep_roots(struct flm_call_walk *w)
{
    for (uint32_t f = 0; f < w->function_count; f++)
        w->root_count += w->is_root[f];
    w->roots = zeroed(w->root_count, sizeof *w->roots);
    w->root_shares = zeroed(w->root_count * w->width, sizeof *w->root_shares);
    if (!w->roots || !w->root_shares)
        return false;
    double *shares = w->root_shares;
    uint32_t *root = w->roots;
    for (uint32_t f = 0; f < w->function_count; f++) {
        if (!w->is_root[f])
            continue;
        bool is_cycle = excess(w, f, w->width - 1) <= 0;
        for (size_t c = 0; c < w->width; c++)
            *shares++ = is_cycle ? w->total[f * w->width + c] : excess(w, f, c);
        *root++ = f;
    }
    w->reached = w->inflow;
    w->inflow = NULL;
    return true;
}

bool flm_call_graph_stacks(struct flm_call_graph *graph, struct flm_call_stacks *stacks)
{
    assert(graph && stacks && stacks->add);
    flm_index_clear(&graph->item_index);
    flm_index_clear(&graph->edge_index);
    struct flm_call_walk w = {.graph = graph,
                              .stacks = stacks,
                              .width = graph->cost_count + 1,
                              .function_count = stacks->function_count};
    bool good = allocate(&w) && sum_up(&w) && find_paths(&w) && keep_roots(&w) && flm_call_walk(&w);
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
