/* check.c - flm_layout_check: the promises of layout.h and internal.h, a function for each. */
#include <math.h>

#include "layout/internal.h"

static bool broken(struct flm_error *why, const char *what, uint32_t index, const char *promise)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "%s %u %s", what, index, promise);
}

/* Every node with a self has a slot, and every slot a node. */
static bool check_nodes(const struct flm_layout *layout, struct flm_error *why)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < layout->tree.node_count; i++) {
        uint32_t slot = layout->slot_of[i];
        if (slot == FLM_NONE && (layout->tree.width[i] != 0 || i == 0))
            return broken(why, "node", i, "has no slot");
        if (slot == FLM_NONE)
            continue;
        if (slot >= layout->slots.count || layout->slots.at[slot].node != i)
            return broken(why, "node", i, "is not in its slot");
        placed++;
    }
    return placed == layout->slots.count || broken(why, "slot", placed, "has no node");
}

/* The children of all slots follow one another, and those of a level are the next level. */
static bool check_levels(const struct flm_layout *layout, struct flm_error *why)
{
    const struct flm_slots *slots = &layout->slots;
    const uint32_t *start = layout->level_start;
    if (layout->level_count == 0 || start[0] != 0 || start[layout->level_count] != slots->count)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the levels do not cover all slots");
    for (uint32_t l = 0; l < layout->level_count; l++) {
        if (start[l] >= start[l + 1])
            return broken(why, "level", l, "is empty");
        if (slots->at[start[l]].first_child != start[l + 1])
            return broken(why, "level", l, "does not end where its children begin");
    }
    for (uint32_t s = 0; s < slots->count; s++)
        if (slots->at[s].first_child > slots->at[s + 1].first_child)
            return broken(why, "slot", s, "shares a child with the next");
    return true;
}

/* A slot is the parent of its children, in the profile as well; its width is the sum of theirs and
 * its self, and they lie side by side from its left edge on. Up to rounding errors. */
static bool check_children(const struct flm_layout *layout, struct flm_error *why)
{
    const struct flm_slots *slots = &layout->slots;
    const uint32_t *end = layout->tree.end;
    double rounded = 1e-9 * slots->at[0].total;
    for (uint32_t s = 0; s < slots->count; s++) {
        uint32_t node = slots->at[s].node;
        double edge = slots->at[s].offset;
        for (uint32_t c = slots->at[s].first_child; c < slots->at[s + 1].first_child; c++) {
            if (slots->at[c].node <= node || slots->at[c].node >= end[node])
                return broken(why, "slot", c, "is not below its parent");
            if (!(fabs(slots->at[c].offset - edge) <= rounded))
                return broken(why, "slot", c, "does not touch its sibling");
            edge += slots->at[c].total;
        }
        edge += fabs(layout->tree.width[node]);
        if (!(fabs(slots->at[s].offset + slots->at[s].total - edge) <= rounded))
            return broken(why, "slot", s, "is not as wide as its children and its self");
        if (!(slots->at[s].total > 0) && s > 0)
            return broken(why, "slot", s, "has no width");
    }
    return true;
}

static bool check_pyramid(const struct flm_slots *slots, struct flm_error *why)
{
    uint32_t count = slots->count;
    for (uint32_t k = 1; k < slots->tier_count; k++) {
        uint32_t below = count;
        count = (count + FLM_BLOCK - 1) / FLM_BLOCK;
        for (uint32_t b = 0; b < count; b++) {
            double widest = 0;
            for (uint32_t i = b * FLM_BLOCK; i < below && i / FLM_BLOCK == b; i++)
                widest = fmax(widest, k > 1 ? slots->widest[k - 1][i] : slots->at[i].total);
            if (slots->widest[k][b] != widest)
                return broken(why, "block", b, "is not as wide as the widest in it");
        }
    }
    return count <= FLM_BLOCK || broken(why, "tier", slots->tier_count, "is missing");
}

bool flm_layout_check(const struct flm_layout *layout, struct flm_error *why)
{
    return check_nodes(layout, why) && check_levels(layout, why) && check_children(layout, why) &&
           check_pyramid(&layout->slots, why);
}
