#include "algebra/aggregate/address_costs.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/sort.h"
#include "profile/chains.h"

struct collecting {
    const struct flm_profile *p; /* split: a frame for each location */
    struct FLM_ARRAY(struct flm_address_cost) costs;
    struct flm_index index;
    uint32_t *parent;
    uint32_t *of_frame; /* by frame of `p`: its cost; FLM_NONE: it does not count */
    uint32_t *seen_end; /* by cost: where the subtree ends whose total was counted last */
    uint32_t *seen;     /* by cost: the node whose self value was counted last */
};

static uint64_t address_of(const struct flm_profile *p, uint32_t frame)
{
    uint32_t location = flm_frame_location(&p->frames[frame]);
    return location == 0 ? 0 : flm_location_at(p, location - 1).address;
}

/* The number of the cost, added when it is new; FLM_NONE if memory ran out. */
static uint32_t cost_of(struct collecting *c, const struct flm_address_cost *cost)
{
    const uint64_t key[2] = {(uint64_t)cost->function << 32 | cost->module, cost->address};
    uint32_t hash = (uint32_t)(flm_hash(key, sizeof key) >> 32);
    for (struct flm_probe at = flm_index_probe(&c->index, hash); flm_index_next(&c->index, &at);) {
        const struct flm_address_cost *known = &c->costs.at[at.found];
        if (known->function == cost->function && known->module == cost->module &&
            known->address == cost->address)
            return at.found;
    }
    uint32_t number = (uint32_t)c->costs.count;
    if (!FLM_ARRAY_ADD(&c->costs, *cost) || !flm_index_add(&c->index, hash, number))
        return FLM_NONE;
    return number;
}

static bool find_addresses(struct collecting *c, const struct flm_profile *given,
                           const unsigned char *marks)
{
    struct flm_split_frames frames = {given, c->p, 0};
    for (uint32_t i = 0; i < c->p->sizes.frame_count; i++) {
        uint32_t from = flm_split_frames_next(&frames, i);
        const struct flm_frame_record *f = &c->p->frames[i];
        c->of_frame[i] = FLM_NONE;
        if (i == 0 || (marks && !marks[from]))
            continue;
        const struct flm_address_cost cost = {
            .function = f->function, .module = f->module, .address = address_of(c->p, i)};
        c->of_frame[i] = cost_of(c, &cost);
        if (c->of_frame[i] == FLM_NONE)
            return false;
    }
    return true;
}

/* Whether the node's function was inlined into that of its caller, at the instruction where that
 * is. What is between them may have been hidden, so the address decides too. */
static bool is_inlined(const struct flm_profile *p, uint32_t node, uint32_t caller)
{
    uint32_t frame = p->node_frame[node], outer = p->node_frame[caller];
    return caller != 0 && p->frames[frame].kind == FLM_KIND_INLINED &&
           p->frames[frame].module == p->frames[outer].module &&
           address_of(p, frame) == address_of(p, outer);
}

/* To all functions that are at the leaf's address, each once. */
static void add_self(struct collecting *c, uint32_t leaf, double self)
{
    for (uint32_t node = leaf;; node = c->parent[node]) {
        uint32_t cost = c->of_frame[c->p->node_frame[node]];
        if (cost != FLM_NONE && c->seen[cost] != leaf) {
            c->seen[cost] = leaf;
            c->costs.at[cost].self += self;
        }
        if (!is_inlined(c->p, node, c->parent[node]))
            return;
    }
}

static void add_values(struct collecting *c, struct flm_metric metric, const double *total)
{
    const struct flm_profile *p = c->p;
    const double *self = flm_self_column(p, metric.index);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        if (self[i] != 0)
            add_self(c, i, self[i]);
        uint32_t cost = c->of_frame[p->node_frame[i]];
        if (cost == FLM_NONE || c->seen_end[cost] > i)
            continue;
        c->seen_end[cost] = p->node_end[i];
        c->costs.at[cost].total += total[i];
    }
}

static int order_by_address(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_address_cost *x = &((const struct flm_address_cost *)context)[a];
    const struct flm_address_cost *y = &((const struct flm_address_cost *)context)[b];
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static bool take_costs(struct collecting *c, struct flm_address_costs *costs)
{
    size_t count = c->costs.count;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    costs->address = malloc((count + 1) * sizeof *costs->address);
    bool good = order && scratch && costs->address;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good)
        flm_sort(order, count, scratch, order_by_address, c->costs.at);
    for (size_t i = 0; good && i < count; i++)
        if (c->costs.at[order[i]].self != 0 || c->costs.at[order[i]].total != 0)
            costs->address[costs->count++] = c->costs.at[order[i]];
    free(order);
    free(scratch);
    return good;
}

static bool collect(struct collecting *c, const struct flm_profile *given, struct flm_metric metric,
                    const unsigned char *marks, struct flm_address_costs *costs)
{
    const struct flm_profile *p = c->p;
    double *total = malloc(p->sizes.node_count * sizeof *total);
    c->parent = malloc(p->sizes.node_count * sizeof *c->parent);
    c->of_frame = malloc(p->sizes.frame_count * sizeof *c->of_frame);
    bool good = total && c->parent && c->of_frame && find_addresses(c, given, marks);
    c->seen_end = good ? calloc(c->costs.count + 1, sizeof *c->seen_end) : NULL;
    c->seen = good ? calloc(c->costs.count + 1, sizeof *c->seen) : NULL;
    good = c->seen_end && c->seen;
    if (good) {
        flm_profile_parents(p, c->parent);
        flm_profile_totals(p, metric, total);
        add_values(c, metric, total);
        good = take_costs(c, costs);
    }
    free(total);
    free(c->parent);
    free(c->of_frame);
    free(c->seen_end);
    free(c->seen);
    FLM_ARRAY_CLEAR(&c->costs);
    flm_index_clear(&c->index);
    return good;
}

bool flm_address_costs_init(struct flm_address_costs *costs, const struct flm_profile *p,
                            struct flm_metric metric, const unsigned char *marks,
                            struct flm_error *why)
{
    assert(costs && p && metric.index < p->sizes.metric_count);
    *costs = (struct flm_address_costs){0};
    struct flm_profile *split = flm_has_chains(p) ? flm_profile_split(p, why) : NULL;
    if (!split && flm_has_chains(p))
        return false;
    struct collecting c = {.p = split ? split : p};
    bool good = collect(&c, p, metric, marks, costs) || flm_error_memory(why);
    flm_profile_free(split);
    if (!good)
        flm_address_costs_clear(costs);
    return good;
}

void flm_address_costs_clear(struct flm_address_costs *costs)
{
    free(costs->address);
    *costs = (struct flm_address_costs){0};
}
