/* call_walk.c - the stacks of a call graph: walked from the roots on, along calls that cost enough,
 * first to count nodes and sum shares, then to add values. */
#include "base/core/array.h"
#include "format/call_graph/internal.h"
#include "profile/internal.h"

enum { MOST_NODES = 100000 };

#define FIRST_THRESHOLD 1e-6 /* of all costs */

/* A level has one node for each line, and one where that is not known. */
static struct flm_node node_of(struct flm_call_walk *w, struct flm_call_level *level, uint32_t file,
                               uint32_t line)
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
static double cost_of(const struct flm_call_walk *w, const struct flm_call_level *level, size_t c,
                      double whole, double share)
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
static void share_lines(struct flm_call_walk *w, uint32_t f, size_t c, double value)
{
    size_t costs = w->width - 1;
    double whole = 0, given = value, carried = 0, left = value;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        whole += (double)flm_call_item_costs(w, w->items[i])[c];
        given += w->item_given[w->items[i] * costs + c];
    }
    double part = whole > 0 ? given / whole : 0;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        double has = w->item_given[w->items[i] * costs + c];
        double rest = (double)flm_call_item_costs(w, w->items[i])[c] - has;
        double wanted = (double)flm_call_item_costs(w, w->items[i])[c] * part - has + carried;
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
        double rest = (double)flm_call_item_costs(w, w->items[i])[c] - *has - *got;
        double more = rest < left ? rest : left;
        *got += more;
        left -= more;
        *has += *got;
    }
}

static void emit_value(struct flm_call_walk *w, struct flm_call_level *level,
                       const struct flm_call_item *item, double calls)
{
    double any = calls;
    for (size_t c = 0; c + 1 < w->width; c++)
        any += w->values[c];
    if (any > 0)
        w->stacks->add(w->stacks, node_of(w, level, item->file, item->line), w->values, calls);
}

/* Lines that are locations: the stack has the values that it has without them. */
static void emit_lines(struct flm_call_walk *w, struct flm_call_level *level, const double *shares)
{
    uint32_t f = level->function;
    for (size_t c = 0; c + 1 < w->width; c++) {
        double whole = 0;
        for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++)
            whole += (double)flm_call_item_costs(w, w->items[i])[c];
        share_lines(w, f, c, cost_of(w, level, c, whole, shares[c]));
    }
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        const double *values = w->line_values + (size_t)(i - w->item_ends[f]) * (w->width - 1);
        memcpy(w->values, values, (w->width - 1) * sizeof *values);
        emit_value(w, level, &w->graph->items.at[w->items[i]], 0);
    }
}

static void emit_items(struct flm_call_walk *w, struct flm_call_level *level, const double *shares,
                       double *calls)
{
    uint32_t f = level->function;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        const uint64_t *costs = flm_call_item_costs(w, w->items[i]);
        for (size_t c = 0; c + 1 < w->width; c++)
            w->values[c] = cost_of(w, level, c, (double)costs[c], shares[c]);
        emit_value(w, level, &w->graph->items.at[w->items[i]], *calls);
        *calls = 0;
    }
}

static void emit(struct flm_call_walk *w, struct flm_call_level *level, const double *shares)
{
    uint32_t f = level->function;

    /* The calls of an edge go to the stacks that it leads to. Calls by edges that lead to no stack
     * go to the one stack that every function has. */
    double calls = level->is_primary ? (double)w->other_calls[f] : 0;
    if (level->edge != FLM_CALL_NONE) {
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
static bool enter(struct flm_call_walk *w, uint32_t function, uint32_t edge, bool is_primary,
                  struct flm_node node)
{
    const double *shares = w->shares.at + w->levels.count * w->width;
    struct flm_call_level level = {.function = function,
                                   .edge = edge,
                                   .next = w->edge_ends[function],
                                   .next_forced =
                                       is_primary ? w->forced_first[function] : UINT32_MAX,
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
    if (edge != FLM_CALL_NONE)
        w->edge_share[edge] += shares[w->width - 1];
    return w->node_count <= w->most_nodes;
}

/* Follows an edge out of the innermost function. */
static bool follow(struct flm_call_walk *w, uint32_t edge, bool is_primary)
{
    const struct flm_call_edge *call = &w->graph->edges.at[edge];
    if (!FLM_ARRAY_RESERVE(&w->shares, w->width))
        return false;
    w->shares.count += w->width;
    size_t depth = w->levels.count;
    struct flm_call_level *from = &w->levels.at[depth - 1];
    const double *shares = w->shares.at + (depth - 1) * w->width;
    double *own = w->shares.at + depth * w->width;
    const double *total = w->total + from->function * w->width;
    const uint64_t *costs = flm_call_edge_costs(w, edge);
    for (size_t c = 0; c + 1 < w->width; c++)
        own[c] = total[c] > 0 ? shares[c] * ((double)costs[c] / total[c]) : 0;
    double all = total[w->width - 1];
    own[w->width - 1] = all > 0 ? shares[w->width - 1] * (w->edge_size[edge] / all) : 0;
    struct flm_node node = {0};
    if (w->is_emitting)
        node = node_of(w, from, 0, call->line ? call->line : call->site);
    return enter(w, call->to, edge, is_primary, node);
}

/* The next call of the innermost function to follow; FLM_CALL_NONE: there is none. An edge that
 * leads to the one stack that its callee must have is followed, however small its share is. */
static uint32_t next_edge(struct flm_call_walk *w, bool *is_primary)
{
    struct flm_call_level *level = &w->levels.at[w->levels.count - 1];
    double share = w->shares.at[(w->levels.count - 1) * w->width + w->width - 1];
    while (!level->is_past && level->next < w->edge_ends[level->function + 1]) {
        const struct flm_call_out *call = &w->edges[level->next++];
        if (share * call->portion < w->threshold) {
            level->is_past = true;
            break;
        }
        *is_primary = level->is_primary && w->best[call->to] == call->edge;
        if (!*is_primary && !w->on_path[call->to])
            return call->edge;
    }
    if (level->next_forced == UINT32_MAX)
        return FLM_CALL_NONE;
    uint32_t to = level->next_forced;
    level->next_forced = w->forced_next[to];
    *is_primary = true;
    return w->best[to];
}

static bool walk_root(struct flm_call_walk *w, uint32_t root)
{
    w->levels.count = w->shares.count = 0;
    if (!FLM_ARRAY_RESERVE(&w->shares, w->width))
        return false;
    w->shares.count = w->width;
    for (size_t c = 0; c < w->width; c++) {
        bool is_cycle = flm_call_excess(w, root, w->width - 1) <= 0;
        w->shares.at[c] = is_cycle ? w->total[root * w->width + c] : flm_call_excess(w, root, c);
    }
    bool good = enter(w, root, FLM_CALL_NONE, w->best[root] == FLM_CALL_NONE, w->stacks->base);
    while (good && w->levels.count > 0) {
        bool is_primary = false;
        uint32_t edge = next_edge(w, &is_primary);
        if (edge != FLM_CALL_NONE) {
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

static bool walk_all(struct flm_call_walk *w)
{
    w->node_count = 0;
    for (uint32_t f = 0; f < w->function_count; f++)
        if (w->is_root[f] && !walk_root(w, f))
            return false;
    return true;
}

/* The first walk counts nodes and sums shares; it is repeated with a larger threshold until there
 * are few enough nodes. The second walk takes the same paths, and adds values. */
bool flm_call_walk(struct flm_call_walk *w)
{
    const struct flm_call_graph *g = w->graph;
    /* Lines that are locations make no other stacks. */
    size_t items = w->stacks->lines ? g->items.count : w->function_count;
    w->most_nodes = g->edges.count + 2 * (items + w->function_count);
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
