#include "format/valgrind/callgrind_lines.h"

#include <string.h>

#include "base/core/hash.h"
#include "base/core/sort.h"

void flm_callgrind_lines_clear(struct flm_callgrind_lines *l)
{
    FLM_ARRAY_CLEAR(&l->own);
    FLM_ARRAY_CLEAR(&l->block);
    FLM_ARRAY_CLEAR(&l->block_costs);
    FLM_ARRAY_CLEAR(&l->slots);
    FLM_ARRAY_CLEAR(&l->scale);
}

/* ---- The block ------------------------------------------------------------------------------- */

static size_t slot_of(const struct flm_callgrind_lines *l, uint32_t file, uint32_t line)
{
    return flm_hash_numbers((uint64_t)file << 32 | line, 0) & (l->slots.count - 1);
}

static void place(struct flm_callgrind_lines *l, uint32_t item)
{
    size_t at = slot_of(l, l->block.at[item].file, l->block.at[item].line);
    while (l->slots.at[at])
        at = (at + 1) & (l->slots.count - 1);
    l->slots.at[at] = item + 1;
}

static bool grow_slots(struct flm_callgrind_lines *l)
{
    size_t count = l->slots.count ? 2 * l->slots.count : 64;
    if (!FLM_ARRAY_RESERVE(&l->slots, count - l->slots.count))
        return false;
    l->slots.count = count;
    memset(l->slots.at, 0, count * sizeof *l->slots.at);
    for (uint32_t i = 0; i < l->block.count; i++)
        place(l, i);
    return true;
}

uint32_t flm_callgrind_lines_find(struct flm_callgrind_lines *l, uint32_t file, uint32_t line)
{
    size_t costs = l->graph->cost_count;
    if (2 * l->block.count >= l->slots.count && !grow_slots(l))
        return UINT32_MAX;
    size_t at = slot_of(l, file, line);
    for (; l->slots.at[at]; at = (at + 1) & (l->slots.count - 1)) {
        const struct flm_call_item *item = &l->block.at[l->slots.at[at] - 1];
        if (item->file == file && item->line == line)
            return l->slots.at[at] - 1;
    }
    uint32_t index = (uint32_t)l->block.count;
    if (!FLM_ARRAY_RESERVE(&l->block_costs, costs) ||
        !FLM_ARRAY_ADD(&l->block, (struct flm_call_item){.file = file, .line = line}))
        return UINT32_MAX;
    memset(l->block_costs.at + l->block_costs.count, 0, costs * sizeof *l->block_costs.at);
    l->block_costs.count += costs;
    l->slots.at[at] = index + 1;
    return index;
}

static void empty_block(struct flm_callgrind_lines *l)
{
    enum { FEW = 64 };
    if (l->slots.count <= FEW || l->block.count > l->slots.count / 8)
        memset(l->slots.at, 0, l->slots.count * sizeof *l->slots.at);
    else
        for (uint32_t i = 0; i < l->block.count; i++) /* from each one, its whole run of slots */
            for (size_t at = slot_of(l, l->block.at[i].file, l->block.at[i].line); l->slots.at[at];
                 at = (at + 1) & (l->slots.count - 1))
                l->slots.at[at] = 0;
    l->block.count = l->block_costs.count = 0;
}

/* ---- The graph ------------------------------------------------------------------------------- */

static uint64_t *costs_of(const struct flm_callgrind_lines *l, uint32_t item)
{
    return l->graph->item_costs.at + (size_t)item * l->graph->cost_count;
}

static bool add_costs(struct flm_callgrind_lines *l, uint64_t *sums, const uint64_t *costs)
{
    for (size_t i = 0; i < l->graph->cost_count; i++) {
        sums[i] += costs[i];
        l->is_large |= sums[i] < costs[i];
    }
    return !l->is_large;
}

/* What a function costs, as callgrind.c's call graph measures it: the mean of its parts of all. */
static double size_of(const struct flm_callgrind_lines *l, const uint64_t *costs)
{
    double size = 0;
    for (size_t i = 0; i < l->graph->cost_count; i++)
        size += (double)costs[i] * l->scale.at[i];
    return size;
}

static bool make_room(struct flm_callgrind_lines *l, uint32_t function)
{
    while (l->own.count <= function)
        if (!FLM_ARRAY_ADD(&l->own, (struct flm_callgrind_own){.first = 0}))
            return false;
    return true;
}

static bool is_new(const struct flm_callgrind_own *own)
{
    return own->first == own->end;
}

uint32_t flm_callgrind_lines_item(struct flm_callgrind_lines *l, uint32_t function)
{
    if (!make_room(l, function))
        return UINT32_MAX;
    struct flm_callgrind_own *own = &l->own.at[function];
    if (!is_new(own))
        return own->first;
    uint32_t item =
        flm_call_graph_append(l->graph, (struct flm_call_item){.function = function}, NULL);
    if (item != UINT32_MAX)
        *own = (struct flm_callgrind_own){item, item + 1, .has_no_lines = true};
    return item;
}

/* The whole block becomes the costs of one item. */
static bool end_without_lines(struct flm_callgrind_lines *l, uint32_t function)
{
    uint32_t item = flm_callgrind_lines_item(l, function);
    if (item == UINT32_MAX)
        return false;
    l->lost += (double)l->block.count;
    bool good = true;
    for (uint32_t i = 0; i < l->block.count; i++)
        good &= add_costs(l, costs_of(l, item), l->block_costs.at + i * l->graph->cost_count);
    return good;
}

static bool end_first(struct flm_callgrind_lines *l, uint32_t function)
{
    uint32_t first = (uint32_t)l->graph->items.count;
    for (uint32_t i = 0; i < l->block.count; i++) {
        l->block.at[i].function = function;
        if (flm_call_graph_append(l->graph, l->block.at[i],
                                  l->block_costs.at + i * l->graph->cost_count) == UINT32_MAX)
            return false;
    }
    l->own.at[function] =
        (struct flm_callgrind_own){first, first + (uint32_t)l->block.count, .has_no_lines = false};
    l->line_count += l->block.count - 1;
    return true;
}

/* A function that had a block before: now its lines are looked up in the table of all lines. */
static bool end_further(struct flm_callgrind_lines *l, uint32_t function)
{
    struct flm_callgrind_own *own = &l->own.at[function];
    for (uint32_t i = own->first; !own->is_indexed && i < own->end; i++)
        if (!flm_call_graph_index_item(l->graph, i))
            return false;
    own->is_indexed = true;
    for (uint32_t i = 0; i < l->block.count; i++) {
        size_t before = l->graph->items.count;
        l->block.at[i].function = function;
        uint32_t item = flm_call_graph_item(l->graph, l->block.at[i]);
        if (item == UINT32_MAX ||
            !add_costs(l, costs_of(l, item), l->block_costs.at + i * l->graph->cost_count))
            return false;
        l->line_count += l->graph->items.count - before;
    }
    return true;
}

/* ---- Too many lines -------------------------------------------------------------------------- */

static int order_sizes(const void *context, uint32_t a, uint32_t b)
{
    const double *size = context;
    return (size[a] > size[b]) - (size[a] < size[b]);
}

/* Moves items together: those of functions that have lost their lines become one. */
static bool compact(struct flm_callgrind_lines *l, const bool *drops)
{
    struct flm_call_graph *g = l->graph;
    uint32_t kept = 0;
    flm_index_clear(&g->item_index);
    for (uint32_t i = 0; i < g->items.count; i++) {
        uint32_t f = g->items.at[i].function;
        struct flm_callgrind_own *own = &l->own.at[f];
        if (drops[f] && own->has_no_lines) { /* not the first of it */
            if (!add_costs(l, costs_of(l, own->first), costs_of(l, i)))
                return false;
            continue;
        }
        g->items.at[kept] = g->items.at[i];
        memmove(costs_of(l, kept), costs_of(l, i), g->cost_count * sizeof *g->item_costs.at);
        if (drops[f]) {
            g->items.at[kept].file = g->items.at[kept].line = 0;
            *own = (struct flm_callgrind_own){kept, kept + 1, .has_no_lines = true};
        } else if (own->first == i) {
            own->end = kept + (own->end - own->first);
            own->first = kept;
        }
        kept++;
        if (own->is_indexed && !flm_call_graph_index_item(g, kept - 1))
            return false;
    }
    g->items.count = kept;
    g->item_costs.count = (size_t)kept * g->cost_count;
    return true;
}

/* By function: its size and how many lines it has. Sets the scale. */
static bool measure(struct flm_callgrind_lines *l, double *size, uint32_t *lines)
{
    const struct flm_call_graph *g = l->graph;
    l->scale.count = 0;
    if (!FLM_ARRAY_RESERVE(&l->scale, g->cost_count))
        return false;
    l->scale.count = g->cost_count;
    memset(l->scale.at, 0, g->cost_count * sizeof *l->scale.at);
    for (size_t i = 0; i < g->item_costs.count; i += g->cost_count)
        for (size_t c = 0; c < g->cost_count; c++)
            l->scale.at[c] += (double)g->item_costs.at[i + c];
    for (size_t c = 0; c < g->cost_count; c++)
        l->scale.at[c] = l->scale.at[c] > 0 ? 1 / l->scale.at[c] : 0;
    for (uint32_t i = 0; i < g->items.count; i++) {
        size[g->items.at[i].function] += size_of(l, costs_of(l, i));
        lines[g->items.at[i].function]++;
    }
    return true;
}

static bool drop_lines(struct flm_callgrind_lines *l)
{
    uint32_t count = (uint32_t)l->own.count;
    double *size = calloc(count, sizeof *size);
    uint32_t *lines = calloc(count, sizeof *lines);
    uint32_t *order = malloc(2 * (size_t)count * sizeof *order);
    bool *drops = calloc(count, sizeof *drops);
    bool good = size && lines && order && drops && measure(l, size, lines);
    uint32_t candidates = 0;
    for (uint32_t f = 0; good && f < count; f++)
        if (lines[f] > 1)
            order[candidates++] = f;
    if (good)
        flm_sort(order, candidates, order + count, order_sizes, size);
    for (uint32_t i = 0; good && i < candidates && l->line_count > l->most_lines / 2; i++) {
        uint32_t f = order[i];
        drops[f] = true;
        l->line_count -= lines[f] - 1;
        l->lost += lines[f];
        l->least = size[f];
    }
    good = good && compact(l, drops);
    free(size);
    free(lines);
    free(order);
    free(drops);
    return good;
}

bool flm_callgrind_lines_end(struct flm_callgrind_lines *l, uint32_t function)
{
    if (l->block.count == 0)
        return true;
    if (!make_room(l, function))
        return false;
    const struct flm_callgrind_own *own = &l->own.at[function];
    double size = 0;
    for (uint32_t i = 0; i < l->block.count && l->least > 0; i++)
        size += size_of(l, l->block_costs.at + i * l->graph->cost_count);
    bool good, is_cheap = l->least > 0 && size <= l->least;
    if (own->has_no_lines || (is_new(own) && l->block.count > 1 && is_cheap))
        good = end_without_lines(l, function);
    else
        good = is_new(own) ? end_first(l, function) : end_further(l, function);
    empty_block(l);
    return good && (l->line_count <= l->most_lines || drop_lines(l));
}

void flm_callgrind_lines_restart(struct flm_callgrind_lines *l, const uint32_t *functions,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (functions[i] < l->own.count)
            l->own.at[functions[i]] = (struct flm_callgrind_own){.first = 0};
    l->line_count = 0;
    l->least = l->lost = 0;
}
