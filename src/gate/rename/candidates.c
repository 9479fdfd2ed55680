#include "gate/rename/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "profile/columns.h"

enum { MOST_NESTED = 8 };

struct shares FLM_ARRAY(struct flm_share);

struct gathering {
    const struct flm_profile *tree;
    bool of_occurrences;
    unsigned char *side;      /* by node: which sides have it */
    struct flm_changed *unit; /* by frame, or by node */
    double *self, *total;     /* by node: means of both sides together; one has none below a changed
                                 frame */
    uint32_t *parent;
    uint32_t *changed; /* by node: the innermost changed one's node at or above it, FLM_NONE */
    uint32_t *stays;   /* by node: the innermost at or above it that has not changed */
    struct shares below, above;
};

static bool is_changed(enum flm_presence kind)
{
    return kind == FLM_IS_IN_BASE || kind == FLM_IS_IN_NEW;
}

static uint32_t unit_of(const struct gathering *g, uint32_t node)
{
    return g->of_occurrences ? node : g->tree->node_frame[node];
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* Adds the means of one side to self and total, and marks where it has anything. */
static void take_side(struct gathering *g, const struct flm_runs *runs, bool of_new, double *self,
                      double *total)
{
    uint32_t count = of_new ? runs->new_count : runs->base_count;
    uint32_t nodes = g->tree->sizes.node_count;
    memset(self, 0, nodes * sizeof *self);
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const struct flm_run *run = &runs->run[r];
        for (size_t i = run->first; run->is_new == of_new && i < run->first + run->count; i++)
            self[runs->node[i]] += runs->value[i] / count;
    }
    memcpy(total, self, nodes * sizeof *self);
    flm_add_up(total, g->tree->node_end, nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        g->self[i] += self[i];
        g->total[i] += total[i];
        g->side[i] |= total[i] > 0 ? (of_new ? FLM_IS_IN_NEW : FLM_IS_IN_BASE) : 0;
    }
}

/* Of occurrences only the outermost are changed: those below came or went with them. */
static void find_kinds(struct gathering *g)
{
    for (uint32_t i = 0; i < g->tree->sizes.node_count; i++) {
        struct flm_changed *unit = &g->unit[unit_of(g, i)];
        unit->frame = g->tree->node_frame[i];
        if (!g->of_occurrences)
            unit->kind |= g->side[i];
        else if (i > 0 && g->side[g->parent[i]] == FLM_IS_IN_BOTH)
            unit->kind = g->side[i];
    }
}

static void mark(struct gathering *g, const unsigned char *is_significant)
{
    for (uint32_t i = 0; i < g->tree->sizes.node_count; i++) {
        struct flm_changed *unit = &g->unit[unit_of(g, i)];
        bool here = i > 0 && is_changed(unit->kind);
        g->changed[i] = here ? i : i > 0 ? g->changed[g->parent[i]] : FLM_NONE;
        g->stays[i] = here ? g->stays[g->parent[i]] : i;
        unit->is_significant |= is_significant[i] != 0;
    }
}

/* ---- Callees and callers of the candidates --------------------------------------------------- */

/* The node of the next changed frame (or occurrence) above that of `node`. */
static uint32_t next_above(const struct gathering *g, uint32_t node)
{
    return g->changed[g->parent[node]];
}

/* What a recursive call does counts as the frame's own. Added once for each changed frame,
 * however often it is above the node. */
static bool add_below(struct gathering *g, uint32_t node)
{
    uint32_t seen[MOST_NESTED], count = 0;
    uint32_t frame = g->tree->node_frame[node];
    bool is_own = is_changed(g->unit[unit_of(g, node)].kind);
    for (uint32_t at = g->changed[node]; at != FLM_NONE && count < MOST_NESTED;
         at = next_above(g, at)) {
        uint32_t of = unit_of(g, at), i = 0;
        while (i < count && seen[i] != of)
            i++;
        seen[count++] = of;
        uint32_t key = is_own || frame == g->unit[of].frame ? FLM_SHARE_OWN : frame;
        if (i + 1 == count && !FLM_ARRAY_ADD(&g->below, (struct flm_share){of, key, g->self[node]}))
            return false;
    }
    return true;
}

static bool add_above(struct gathering *g, uint32_t node, uint32_t depth)
{
    uint32_t of = unit_of(g, node), nested = 0, caller = g->stays[node];
    struct flm_changed *unit = &g->unit[of];
    for (uint32_t at = next_above(g, node); at != FLM_NONE && nested < MOST_NESTED;
         at = next_above(g, at), nested++)
        if (unit_of(g, at) == of)
            return true;
    if (unit->total == 0) {
        unit->depth = depth;
        unit->node = node;
    }
    unit->total += g->total[node];
    uint32_t key = g->of_occurrences ? caller : g->tree->node_frame[caller];
    return FLM_ARRAY_ADD(&g->above, (struct flm_share){of, key, g->total[node]});
}

static bool gather(struct gathering *g, uint32_t *depth)
{
    flm_profile_depths(g->tree, depth);
    for (uint32_t i = 1; i < g->tree->sizes.node_count; i++) {
        if (g->self[i] > 0 && !add_below(g, i))
            return false;
        if (g->changed[i] == i && !add_above(g, i, depth[i]))
            return false;
    }
    return true;
}

/* ---- Sorted ---------------------------------------------------------------------------------- */

static int by_key(const void *one, const void *other)
{
    const struct flm_share *a = one, *b = other;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Sorts the shares, and adds up those of one key of a changed one. */
static void merge_shares(struct shares *s, struct flm_changed *unit, size_t member)
{
    size_t made = 0;
    if (s->count > 0)
        qsort(s->at, s->count, sizeof *s->at, by_key);
    for (size_t i = 0; i < s->count; i++) {
        const struct flm_share share = s->at[i];
        struct flm_share *last = made > 0 ? &s->at[made - 1] : NULL;
        struct flm_shares *of = (void *)((char *)&unit[share.of] + member);
        if (last && last->of == share.of && last->key == share.key) {
            last->value += share.value;
            continue;
        }
        if (of->count++ == 0)
            of->share = &s->at[made];
        s->at[made++] = share;
    }
}

static bool make(struct flm_changes_found *found, struct gathering *g, const struct flm_runs *runs,
                 const unsigned char *is_significant, double *scratch, uint32_t *depth)
{
    size_t nodes = g->tree->sizes.node_count;
    bool any[2] = {false, false};
    flm_profile_parents(g->tree, g->parent);
    take_side(g, runs, false, scratch, scratch + nodes);
    take_side(g, runs, true, scratch, scratch + nodes);
    find_kinds(g);
    for (uint32_t i = 0; i < found->count; i++) {
        any[0] |= g->unit[i].kind == FLM_IS_IN_BASE;
        any[1] |= g->unit[i].kind == FLM_IS_IN_NEW;
    }
    found->has_both = any[0] && any[1];
    if (!found->has_both)
        return true;
    mark(g, is_significant);
    if (!gather(g, depth))
        return false;
    merge_shares(&g->below, g->unit, offsetof(struct flm_changed, below));
    merge_shares(&g->above, g->unit, offsetof(struct flm_changed, above));
    return true;
}

bool flm_changes_find(struct flm_changes_found *found, const struct flm_runs *runs,
                      const unsigned char *is_significant, bool of_occurrences)
{
    const struct flm_sizes *sizes = &runs->tree->sizes;
    size_t nodes = sizes->node_count, units = of_occurrences ? nodes : sizes->frame_count;
    double *values = calloc(4 * nodes, sizeof *values);
    uint32_t *numbers = malloc(4 * nodes * sizeof *numbers);
    struct gathering g = {.tree = runs->tree,
                          .of_occurrences = of_occurrences,
                          .side = calloc(nodes, 1),
                          .unit = calloc(units, sizeof *g.unit)};
    bool good = values && numbers && g.side && g.unit;
    *found = (struct flm_changes_found){.changed = g.unit, .count = (uint32_t)units};
    if (good) {
        g.self = values;
        g.total = values + nodes;
        g.parent = numbers;
        g.changed = numbers + nodes;
        g.stays = numbers + 2 * nodes;
        good = make(found, &g, runs, is_significant, values + 2 * nodes, numbers + 3 * nodes);
    }
    found->below = g.below.at;
    found->above = g.above.at;
    free(values);
    free(numbers);
    free(g.side);
    return good;
}

void flm_changes_found_clear(struct flm_changes_found *found)
{
    free(found->changed);
    free(found->below);
    free(found->above);
    *found = (struct flm_changes_found){0};
}
