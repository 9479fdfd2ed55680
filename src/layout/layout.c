#include "layout/slots.h"

#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"

/* While a layout is made, slot_of[i] says whether node i has a width, and how many that have one
 * end before it. Summing that up gives the level of every node, forwards or backwards, without a
 * stack and without a branch on the shape of the tree, which no processor can predict: the loops
 * below take 9 ns a node together, flm_profile_totals alone 6. */
#define PLACED 0x80000000u

/* A node has a width if there is a node with a self in its subtree. */
static void mark_placed(struct flm_layout *layout)
{
    const uint32_t *end = layout->profile->node_end;
    uint32_t *mark = layout->slot_of;
    uint32_t next = UINT32_MAX; /* the first with a self, from i on */
    for (uint32_t i = layout->profile->sizes.node_count; i-- > 0;) {
        next = layout->widths[i] != 0 ? i : next;
        uint32_t placed = next < end[i] || i == 0;
        mark[i] += placed * PLACED;
        mark[end[i]] += placed;
    }
}

/* Counts the slots of each level, and sums them up. */
static bool start_levels(struct flm_layout *layout, struct flm_error *why)
{
    const uint32_t *mark = layout->slot_of;
    uint32_t node_count = layout->profile->sizes.node_count;
    uint32_t open = 0; /* nodes that begin before node i, and end after it */
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
    double orphans; /* the totals of those whose parent was not met yet */
};

/* Backwards, so that a node is met after its children: they are the orphans of the level below. */
static void fill(struct flm_layout *layout, struct level *level)
{
    struct flm_slots *slots = &layout->slots;
    uint32_t node_count = layout->profile->sizes.node_count;
    for (uint32_t l = 0; l <= layout->level_count; l++)
        level[l] = (struct level){layout->level_start[l + 1], 0};
    uint32_t open = layout->slot_of[node_count];
    for (uint32_t i = node_count; i-- > 0;) {
        uint32_t mark = layout->slot_of[i], slot = FLM_NONE;
        if (mark & PLACED) {
            struct level *here = &level[--open], *below = here + 1;
            double total = fabs(layout->widths[i]) + below->orphans;
            slot = --here->first;
            slots->node[slot] = i;
            slots->total[slot] = total;
            slots->first_child[slot] = below->first;
            below->orphans = 0;
            here->orphans += total;
        }
        layout->slot_of[i] = slot;
        open += mark % PLACED;
    }
}

static bool build(struct flm_layout *layout, const struct flm_layout_options *options,
                  struct flm_error *why)
{
    uint32_t node_count = layout->profile->sizes.node_count;
    if (!layout->widths)
        return flm_error_set(why, FLM_ERROR_USAGE, "the profile has no metric %u",
                             options->metric.index);
    if (node_count >= PLACED)
        return flm_error_set(why, FLM_ERROR_RANGE, "%u stacks are too many to be laid out",
                             node_count);
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
    if (!isfinite(layout->slots.total[0]))
        return flm_error_set(why, FLM_ERROR_RANGE, "the sum of all widths is not a finite number");
    if (options->order != FLM_ORDER_NAME && !flm_layout_arrange(layout, options, why))
        return false;
    flm_slots_place(&layout->slots);
    return true;
}

struct flm_layout *flm_layout_new(const struct flm_profile *profile,
                                  const struct flm_layout_options *options, struct flm_error *why)
{
    struct flm_layout *layout = calloc(1, sizeof *layout);
    if (!layout) {
        flm_error_memory(why);
        return NULL;
    }
    layout->profile = profile;
    layout->widths = options->widths;
    if (!layout->widths && options->metric.index < profile->sizes.metric_count)
        layout->widths = flm_self_column(profile, options->metric.index);
    if (build(layout, options, why))
        return layout;
    flm_layout_free(layout);
    return NULL;
}

void flm_layout_free(struct flm_layout *layout)
{
    if (!layout)
        return;
    flm_slots_clear(&layout->slots);
    free(layout->level_start);
    free(layout->slot_of);
    free(layout);
}

const struct flm_profile *flm_layout_profile(const struct flm_layout *layout)
{
    return layout->profile;
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
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? 0 : layout->slots.total[slot];
}

double flm_layout_offset(const struct flm_layout *layout, struct flm_node node)
{
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? 0 : layout->slots.offset[slot];
}

uint32_t flm_layout_level(const struct flm_layout *layout, struct flm_node node)
{
    uint32_t slot = layout->slot_of[node.index];
    return slot == FLM_NONE ? FLM_NONE : flm_layout_slot_level(layout, slot);
}

struct flm_node flm_layout_parent(const struct flm_layout *layout, struct flm_node node)
{
    uint32_t slot = layout->slot_of[node.index];
    if (slot == 0 || slot == FLM_NONE)
        return (struct flm_node){FLM_NONE};
    return (struct flm_node){layout->slots.node[flm_slots_parent(&layout->slots, slot)]};
}

struct flm_layout_match flm_layout_match(const struct flm_layout *layout,
                                         const unsigned char *matching, struct flm_node top)
{
    const struct flm_profile *p = layout->profile;
    struct flm_layout_match match = {0};
    uint32_t covered = 0; /* nodes before it are in a matching one */
    for (uint32_t i = top.index; i < p->node_end[top.index]; i++) {
        double self = fabs(layout->widths[i]);
        if (matching[p->node_frame[i]]) {
            match.self += self;
            match.node_count += layout->slot_of[i] != FLM_NONE;
            if (p->node_end[i] > covered)
                covered = p->node_end[i];
        }
        if (i < covered)
            match.total += self;
    }
    return match;
}
