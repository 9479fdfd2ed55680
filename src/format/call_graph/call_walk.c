/* call_walk.c - the stacks of a call graph: walked from the roots on, along calls that cost enough,
 * first to count nodes and sum shares, then to add values. */
#include "base/core/array.h"
#include "base/core/sort.h"
#include "format/call_graph/internal.h"
#include "profile/internal.h"

enum { MOST_NODES = 100000 };

#define FIRST_THRESHOLD 1e-6 /* of all costs */

static struct flm_frame frame_of(struct flm_call_walk *w, uint32_t function)
{
    struct flm_frame *made = &w->frames[function];
    if (made->index == 0)
        *made = flm_builder_frame(w->stacks->builder, &w->stacks->frames[function]);
    return *made;
}

static struct flm_frame located_frame(struct flm_call_walk *w, uint32_t function, uint32_t file,
                                      uint32_t line)
{
    struct flm_builder *b = w->stacks->builder;
    const struct flm_frame_record *frame = &w->stacks->frames[function];
    const struct flm_location where = {.file = file ? file : frame->file, .line = line};
    if (b->locations == FLM_LOCATIONS_KEPT)
        return flm_builder_frame_at(b, frame_of(w, function), &where);
    return flm_builder_located(b, frame, where);
}

static bool has_location(const struct flm_call_walk *w, uint32_t line)
{
    return line != 0 && w->stacks->builder->locations != FLM_LOCATIONS_DROPPED;
}

/* A level has one node for each line, and one where that is not known. */
static struct flm_node node_of(struct flm_call_walk *w, struct flm_call_level *level, uint32_t line)
{
    struct flm_builder *b = w->stacks->builder;
    if (has_location(w, line))
        return flm_builder_child(b, level->node, located_frame(w, level->function, 0, line));
    if (level->own.index == 0)
        level->own = flm_builder_child(b, level->node, frame_of(w, level->function));
    return level->own;
}

/* The frame of an item is made once for all stacks of its function. */
static struct flm_node node_of_item(struct flm_call_walk *w, struct flm_call_level *level,
                                    uint32_t index)
{
    const struct flm_call_item *item = &w->graph->items.at[index];
    if (!has_location(w, item->line))
        return node_of(w, level, 0);
    struct flm_frame *made = &w->item_frames[index];
    if (made->index == 0)
        *made = located_frame(w, level->function, item->file, item->line);
    return flm_builder_child(w->stacks->builder, level->node, *made);
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

static bool has_several(const struct flm_call_walk *w, uint32_t f)
{
    return w->nodes[f] > 1;
}

/* What stack number `level` gets of a cost of its function: `whole`. If no path has a share in this
 * metric, the one stack that every function has gets all of it. */
static double cost_of(const struct flm_call_walk *w, const struct flm_call_level *level, size_t c,
                      double whole, double share)
{
    if (!has_several(w, level->function))
        return whole;
    double given = w->given[w->several[level->function] * w->width + c];
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
    size_t costs = w->width - 1, at = w->several[f] * costs + c;
    const uint32_t *items = w->items + w->item_ends[f];
    uint32_t count = w->item_ends[f + 1] - w->item_ends[f];
    double carried = 0, left = value;
    double *has = w->item_given + w->several_items[w->several[f]] * costs + c;
    double *got = w->line_values + c;
    w->whole_given[at] += value;
    double part = w->whole[at] > 0 ? w->whole_given[at] / w->whole[at] : 0;
    for (uint32_t i = 0; i < count; i++) {
        double cost = (double)flm_call_item_costs(w, items[i])[c], before = has[i * costs];
        double rest = cost - before, wanted = cost * part - before + carried;
        double more = wanted <= 0 ? 0 : rounded(wanted);
        more = more < rest ? more : rest;
        more = more < left ? more : left;
        carried = wanted - more;
        left -= more;
        got[i * costs] = more;
        has[i * costs] = before + more;
    }
    for (uint32_t i = 0; i < count && left > 0; i++) {
        double rest = (double)flm_call_item_costs(w, items[i])[c] - has[i * costs];
        double more = rest < left ? rest : left;
        got[i * costs] += more;
        has[i * costs] += more;
        left -= more;
    }
}

/* Of an item; FLM_NONE: of the function. */
static void emit_value(struct flm_call_walk *w, struct flm_call_level *level, uint32_t item,
                       double calls)
{
    double any = calls;
    for (size_t c = 0; c + 1 < w->width; c++)
        any += w->values[c];
    if (any > 0)
        w->stacks->add(w->stacks,
                       item == FLM_NONE ? node_of(w, level, 0) : node_of_item(w, level, item),
                       w->values, calls);
}

static void emit_items(struct flm_call_walk *w, struct flm_call_level *level, const double *shares,
                       double *calls)
{
    uint32_t f = level->function;
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++) {
        const uint64_t *costs = flm_call_item_costs(w, w->items[i]);
        for (size_t c = 0; c + 1 < w->width; c++)
            w->values[c] = cost_of(w, level, c, (double)costs[c], shares[c]);
        emit_value(w, level, w->items[i], *calls);
        *calls = 0;
    }
}

/* Lines that are locations: the stack has the values that it has without them. */
static void emit_lines(struct flm_call_walk *w, struct flm_call_level *level, const double *shares)
{
    uint32_t f = level->function;
    double none = 0;
    if (!has_several(w, f)) {
        emit_items(w, level, shares, &none);
        return;
    }
    size_t costs = w->width - 1, lines = w->item_ends[f + 1] - w->item_ends[f];
    memset(w->line_values, 0, lines * costs * sizeof *w->line_values);
    for (size_t c = 0; c < costs; c++) {
        double value = cost_of(w, level, c, w->whole[w->several[f] * costs + c], shares[c]);
        if (value > 0) /* most costs of most stacks are 0 */
            share_lines(w, f, c, value);
    }
    for (size_t i = 0; i < lines; i++) {
        memcpy(w->values, w->line_values + i * costs, costs * sizeof *w->values);
        emit_value(w, level, w->items[w->item_ends[f] + i], 0);
    }
}

/* All lines of a function as one. */
static void emit_sum(struct flm_call_walk *w, struct flm_call_level *level, const double *shares)
{
    const double *whole = w->whole + w->several[level->function] * (w->width - 1);
    for (size_t c = 0; c + 1 < w->width; c++)
        w->values[c] = cost_of(w, level, c, whole[c], shares[c]);
    emit_value(w, level, FLM_NONE, 0);
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

    if (w->drops_lines[f])
        emit_sum(w, level, shares);
    else if (!w->stacks->lines && w->item_ends[f + 1] - w->item_ends[f] > 1)
        emit_lines(w, level, shares);
    else
        emit_items(w, level, shares, &calls);
    for (size_t c = 0; has_several(w, f) && c < w->width; c++)
        w->given[w->several[f] * w->width + c] += shares[c];
    if (calls > 0) {
        for (size_t c = 0; c < w->width; c++)
            w->values[c] = 0;
        w->stacks->add(w->stacks, node_of(w, level, 0), w->values, calls);
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
    w->nodes[function]++;
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
        node = node_of(w, from, call->line ? call->line : call->site);
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

static bool walk_root(struct flm_call_walk *w, uint32_t root, const double *root_shares)
{
    w->levels.count = w->shares.count = 0;
    if (!FLM_ARRAY_RESERVE(&w->shares, w->width))
        return false;
    w->shares.count = w->width;
    for (size_t c = 0; c < w->width; c++)
        w->shares.at[c] = root_shares[c];
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
    if (!w->is_emitting)
        memset(w->reached, 0, w->function_count * w->width * sizeof *w->reached);
    for (size_t i = 0; i < w->root_count; i++)
        if (!walk_root(w, w->roots[i], w->root_shares + i * w->width))
            return false;
    return true;
}

/* By what one stack of a function costs: the least first. */
static int order_by_stack(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_call_walk *w = context;
    double x = w->total[a * w->width + w->width - 1] / w->nodes[a];
    double y = w->total[b * w->width + w->width - 1] / w->nodes[b];
    return (x > y) - (x < y);
}

/* Chooses the functions whose lines are left out, where all stacks together have too many. */
static bool drop_lines(struct flm_call_walk *w)
{
    uint32_t *order = malloc(2 * ((size_t)w->function_count + 1) * sizeof *order), count = 0;
    double lines = 0;
    if (!order)
        return false;
    for (uint32_t f = 0; f < w->function_count; f++) {
        uint32_t own = w->item_ends[f + 1] - w->item_ends[f];
        lines += (double)own * w->nodes[f];
        if (own > 1 && has_several(w, f))
            order[count++] = f;
    }
    double most = (double)w->stacks->most_lines;
    if (w->stacks->lines || most == 0)
        lines = 0;
    if (lines > most)
        flm_sort(order, count, order + w->function_count, order_by_stack, w);
    for (uint32_t i = 0; i < count && lines > most; i++) {
        uint32_t own = w->item_ends[order[i] + 1] - w->item_ends[order[i]];
        w->drops_lines[order[i]] = true;
        lines -= (double)(own - 1) * w->nodes[order[i]];
        w->stacks->lost_lines += own;
    }
    free(order);
    return true;
}

static void sum_lines(struct flm_call_walk *w, uint32_t f)
{
    double *whole = w->whole + w->several[f] * (w->width - 1);
    for (uint32_t i = w->item_ends[f]; i < w->item_ends[f + 1]; i++)
        for (size_t c = 0; c + 1 < w->width; c++)
            whole[c] += (double)flm_call_item_costs(w, w->items[i])[c];
}

/* Room for what the nodes of functions with several of them have already. */
static bool make_room(struct flm_call_walk *w)
{
    size_t several = 0, items = 0, most = 0;
    w->several = flm_new_zeroed(w->function_count + 1, sizeof *w->several);
    for (uint32_t f = 0; w->several && f < w->function_count; f++)
        if (has_several(w, f))
            w->several[f] = (uint32_t)several++;
    w->given = flm_new_zeroed(several * w->width + 1, sizeof *w->given);
    w->several_items = malloc((several + 1) * sizeof *w->several_items);
    w->whole = flm_new_zeroed(several * w->width + 1, sizeof *w->whole);
    w->whole_given = flm_new_zeroed(several * w->width + 1, sizeof *w->whole_given);
    if (!w->several || !w->given || !w->several_items || !w->whole || !w->whole_given)
        return false;
    for (uint32_t f = 0; f < w->function_count; f++) {
        size_t count = w->item_ends[f + 1] - w->item_ends[f];
        if (w->stacks->lines || !has_several(w, f) || count < 2)
            continue;
        sum_lines(w, f);
        if (w->drops_lines[f])
            continue;
        w->several_items[w->several[f]] = items;
        items += count;
        most = count > most ? count : most;
    }
    w->item_given = flm_new_zeroed(items * w->width + 1, sizeof *w->item_given);
    w->line_values = flm_new_zeroed(most * w->width + 1, sizeof *w->line_values);
    return w->item_given && w->line_values;
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
        memset(w->nodes, 0, w->function_count * sizeof *w->nodes);
        memset(w->edge_share, 0, g->edges.count * sizeof *w->edge_share);
    }
    for (size_t i = 0; i < g->edges.count; i++)
        if (w->edge_share[i] <= 0)
            w->other_calls[g->edges.at[i].to] += g->edges.at[i].calls;
    w->is_emitting = true;
    return drop_lines(w) && make_room(w) && walk_all(w);
}
