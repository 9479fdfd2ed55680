#include "layout/internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* While a layout is made, slot_of[i] says whether node i has a width, and how many nodes with a
 * width end before it. A running sum of that, forwards or backwards, is the level of every node,
 * without a stack and without a branch on the shape of the tree, which processors cannot predict:
 * the loops below take 9 ns a node together, flm_profile_totals alone 6. */
#define PLACED 0x80000000u

/* A node has a width if there is a node with a self in its subtree. */
static void mark_placed(struct flm_layout *layout)
{
    const uint32_t *end = layout->tree.end;
    uint32_t *mark = layout->slot_of;
    uint32_t next = UINT32_MAX; /* the first one from i on that has a self */
    for (uint32_t i = layout->tree.node_count; i-- > 0;) {
        next = layout->tree.width[i] != 0 ? i : next;
        uint32_t placed = next < end[i] || i == 0;
        mark[i] += placed * PLACED;
        mark[end[i]] += placed;
    }
}

/* Counts the slots of each level, and sums them up. */
static bool start_levels(struct flm_layout *layout, struct flm_error *why)
{
    const uint32_t *mark = layout->slot_of;
    uint32_t node_count = layout->tree.node_count;
    uint32_t open = 0; /* nodes that begin before node i and end after it */
    for (uint32_t i = 0; i < node_count; i++) {
        open += mark[i] / PLACED - mark[i] % PLACED;
        if (open > layout->level_count)
            layout->level_count = open;
    }
    uint32_t *start = calloc((size_t)layout->level_count + 2, sizeof *start);
    if (!start)
        return flm_error_memory(why);
    open = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        open -= mark[i] % PLACED;
        start[open + 1] += mark[i] / PLACED;
        open += mark[i] / PLACED;
    }
    for (uint32_t level = 0; level <= layout->level_count; level++)
        start[level + 1] += start[level];
    layout->level_start = start;
    return true;
}

struct level {
    uint32_t first; /* of the slots that are filled: each level is filled from its end */
    double orphans; /* the totals of slots whose parent was not visited yet */
};

/* Backwards, so that a node is visited after its children, which are the orphans of the level
 * below. */
static void fill(struct flm_layout *layout, struct level *level)
{
    struct flm_slots *slots = &layout->slots;
    uint32_t node_count = layout->tree.node_count;
    for (uint32_t l = 0; l <= layout->level_count; l++)
        level[l] = (struct level){layout->level_start[l + 1], 0};
    uint32_t open = layout->slot_of[node_count];
    for (uint32_t i = node_count; i-- > 0;) {
        uint32_t mark = layout->slot_of[i], slot = FLM_NONE;
        if (mark & PLACED) {
            struct level *here = &level[--open], *below = here + 1;
            double total = fabs(layout->tree.width[i]) + below->orphans;
            slot = --here->first;
            slots->at[slot].node = i;
            slots->at[slot].total = total;
            slots->at[slot].first_child = below->first;
            below->orphans = 0;
            here->orphans += total;
        }
        layout->slot_of[i] = slot;
        open += mark % PLACED;
    }
}

static bool has_gaps(const struct flm_tree *tree)
{
    bool found = false;
    for (uint32_t i = 1; i < tree->node_count; i++) /* without a break: vectorized */
        found |= tree->frame[i] == 0;
    return found;
}

static bool count_gaps(struct flm_layout *layout, struct flm_error *why)
{
    const struct flm_slots *slots = &layout->slots;
    if (!has_gaps(&layout->tree))
        return true;
    size_t count = (size_t)slots->count + 1;
    layout->gaps_before = malloc(count * sizeof *layout->gaps_before);
    layout->gap_widths_before = malloc(count * sizeof *layout->gap_widths_before);
    if (!layout->gaps_before || !layout->gap_widths_before)
        return flm_error_memory(why);
    layout->gaps_before[0] = 0;
    layout->gap_widths_before[0] = 0;
    for (uint32_t s = 0; s < slots->count; s++) {
        bool is_gap = flm_tree_is_gap(&layout->tree, slots->at[s].node);
        layout->gaps_before[s + 1] = layout->gaps_before[s] + is_gap;
        layout->gap_widths_before[s + 1] =
            layout->gap_widths_before[s] + (is_gap ? slots->at[s].total : 0);
    }
    return true;
}

static bool build(struct flm_layout *layout, enum flm_sibling_order order, struct flm_error *why)
{
    uint32_t node_count = layout->tree.node_count;
    if (!layout->tree.width)
        return flm_error_set(why, FLM_ERROR_USAGE, "the profile has no such metric");
    if (node_count >= PLACED)
        return flm_error_set(why, FLM_ERROR_RANGE, "a layout cannot have %u stacks", node_count);
    layout->slot_of = calloc((size_t)node_count + 1, sizeof *layout->slot_of);
    if (!layout->slot_of)
        return flm_error_memory(why);
    mark_placed(layout);
    if (!start_levels(layout, why) ||
        !flm_slots_init(&layout->slots, layout->level_start[layout->level_count], why))
        return false;
    struct level *levels = malloc(((size_t)layout->level_count + 1) * sizeof *levels);
    if (!levels)
        return flm_error_memory(why);
    fill(layout, levels);
    free(levels);
    if (!isfinite(layout->slots.at[0].total))
        return flm_error_set(why, FLM_ERROR_RANGE, "the sum of all widths is not a finite number");
    if (order != FLM_ORDER_NAME && !flm_layout_arrange(layout, order, why))
        return false;
    flm_slots_place(&layout->slots);
    return count_gaps(layout, why);
}

struct flm_layout *flm_layout_new(const struct flm_layout_options *options, struct flm_error *why)
{
    assert(options);
    struct flm_layout *layout = calloc(1, sizeof *layout);
    if (!layout) {
        flm_error_memory(why);
        return NULL;
    }
    layout->tree = options->tree;
    if (build(layout, options->order, why))
        return layout;
    flm_layout_free(layout);
    return NULL;
}

struct flm_layout *flm_layout_of(const struct flm_profile *profile, struct flm_metric metric,
                                 enum flm_sibling_order order, struct flm_error *why)
{
    assert(profile);
    struct flm_layout_options options = {.tree = flm_tree_of(profile, metric), .order = order};
    int64_t *seen = NULL;
    if ((unsigned)order > FLM_ORDER_SEEN)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no order number %u", (unsigned)order),
               NULL;
    if (order == FLM_ORDER_SEEN && options.tree.width) {
        seen = flm_tree_seen(profile, metric);
        if (!seen)
            return flm_error_memory(why), NULL;
        options.tree.seen = seen;
    }
    struct flm_layout *layout = flm_layout_new(&options, why);
    if (layout)
        layout->tree.seen = NULL;
    free(seen);
    return layout;
}

void flm_layout_free(struct flm_layout *layout)
{
    if (!layout)
        return;
    flm_slots_clear(&layout->slots);
    free(layout->gaps_before);
    free(layout->gap_widths_before);
    free(layout->level_start);
    free(layout->slot_of);
    free(layout);
}

const struct flm_tree *flm_layout_tree(const struct flm_layout *layout)
{
    assert(layout);
    return &layout->tree;
}

uint32_t flm_layout_level_count(const struct flm_layout *layout)
{
    return layout->level_count;
}

uint32_t flm_layout_node_count(const struct flm_layout *layout)
{
    return layout->slots.count;
}

double flm_layout_total(const struct flm_layout *layout, struct flm_node node)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? 0 : layout->slots.at[slot].total;
}

double flm_layout_filled(const struct flm_layout *layout)
{
    double total = flm_layout_total(layout, (struct flm_node){0});
    if (layout->level_count < 2)
        return total;
    return total - flm_layout_gap_width(layout, layout->level_start[1], layout->level_start[2]);
}

double flm_layout_offset(const struct flm_layout *layout, struct flm_node node)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? 0 : layout->slots.at[slot].offset;
}

bool flm_layout_extent(const struct flm_layout *layout, struct flm_node node, double *offset,
                       double *total)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    if (slot == FLM_NONE)
        return false;
    *offset = layout->slots.at[slot].offset;
    *total = layout->slots.at[slot].total;
    return true;
}

uint32_t flm_layout_level(const struct flm_layout *layout, struct flm_node node)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? FLM_NONE : flm_layout_slot_level(layout, slot);
}

struct flm_node flm_layout_parent(const struct flm_layout *layout, struct flm_node node)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    if (slot == 0 || slot == FLM_NONE)
        return (struct flm_node){FLM_NONE};
    return (struct flm_node){layout->slots.at[flm_slots_parent(&layout->slots, slot)].node};
}

struct flm_node flm_layout_neighbor(const struct flm_layout *layout, struct flm_node node,
                                    int direction)
{
    assert(node.index < layout->tree.node_count && (direction == 1 || direction == -1));
    uint32_t slot = layout->slot_of[node.index];
    if (slot == FLM_NONE)
        return (struct flm_node){FLM_NONE};
    uint32_t level = flm_layout_slot_level(layout, slot), other = slot + (uint32_t)direction;
    if (other < layout->level_start[level] || other >= layout->level_start[level + 1])
        return (struct flm_node){FLM_NONE};
    return (struct flm_node){layout->slots.at[other].node};
}

uint32_t flm_layout_child_count(const struct flm_layout *layout, struct flm_node node)
{
    assert(node.index < layout->tree.node_count);
    uint32_t slot = layout->slot_of[node.index];
    if (slot == FLM_NONE)
        return 0;
    const struct flm_slot *at = &layout->slots.at[slot];
    return at[1].first_child - at->first_child;
}

struct flm_node flm_layout_child(const struct flm_layout *layout, struct flm_node node,
                                 uint32_t index)
{
    assert(index < flm_layout_child_count(layout, node));
    uint32_t first = layout->slots.at[layout->slot_of[node.index]].first_child;
    return (struct flm_node){layout->slots.at[first + index].node};
}

struct flm_node flm_layout_node_at(const struct flm_layout *layout, uint32_t slot)
{
    bool is_there = slot < layout->slots.count;
    return (struct flm_node){is_there ? layout->slots.at[slot].node : FLM_NONE};
}

/* In a flame chart, a stack's own time before a child is a gap below it (flame_chart.h). */
static bool is_time_of(const struct flm_layout *layout, const unsigned char *matching, uint32_t gap)
{
    struct flm_node parent = flm_layout_parent(layout, (struct flm_node){gap});
    return parent.index != FLM_NONE && parent.index != 0 &&
           matching[layout->tree.frame[parent.index]];
}

struct flm_layout_match flm_layout_match(const struct flm_layout *layout,
                                         const unsigned char *matching, struct flm_node top)
{
    assert(matching && top.index < layout->tree.node_count);
    const struct flm_tree *tree = &layout->tree;
    struct flm_layout_match match = {0};
    uint32_t covered = 0; /* nodes before this one are in a matching one */
    for (uint32_t i = top.index; i < tree->end[top.index]; i++) {
        double self = fabs(tree->width[i]);
        if (flm_tree_is_gap(tree, i)) {
            if (i < covered && is_time_of(layout, matching, i))
                match.self += self;
        } else if (matching[tree->frame[i]]) {
            match.self += self;
            match.node_count += layout->slot_of[i] != FLM_NONE;
            if (tree->end[i] > covered)
                covered = tree->end[i];
        }
        if (i < covered)
            match.total += self;
    }
    return match;
}
