#include "profile/joining.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"

void flm_joining_drop_nodes(struct flm_joining *j)
{
    if (!j)
        return;
    for (uint32_t m = 0; j->self && m < j->metric_count; m++)
        free(j->self[m]);
    free(j->self);
    free(j->nodes);
    free(j->kept);
    j->self = NULL;
    j->nodes = NULL;
    j->kept = NULL;
}

void flm_joining_free(struct flm_joining *j)
{
    if (!j)
        return;
    flm_joining_drop_nodes(j);
    free(j->node);
    free(j->base);
    free(j->place);
    free(j->located);
    free(j->number);
    free(j);
}

/* ---- From nodes to chains -------------------------------------------------------------------- */

/* The frames without their locations. Those are added to the end of the table, so that the loop has
 * all of the others. */
static bool find_bases(struct flm_builder *b, struct flm_joining *j)
{
    j->frame_count = (uint32_t)b->interner.frame_count;
    j->base = malloc(j->frame_count * sizeof *j->base);
    for (uint32_t i = 0; j->base && i < j->frame_count; i++) {
        struct flm_frame_record record = flm_frame_located(&b->interner.frames[i], 0);
        bool has_location = flm_frame_location(&b->interner.frames[i]) != 0;
        if (has_location && i < b->bases.count && b->bases.at[i] != FLM_NONE) {
            j->base[i] = b->bases.at[i];
            b->interner.frames[j->base[i]].flags |= record.flags & FLM_FRAME_CLONES;
            continue;
        }
        j->base[i] = has_location ? flm_interner_frame(&b->interner, &record) : i;
        if (j->base[i] == FLM_NONE)
            return false;
    }
    return j->base != NULL;
}

static void find_kept(const struct flm_builder *b, struct flm_joining *j)
{
    for (uint32_t i = 0; i < b->sample_count; i++)
        j->kept[b->sample_node[i]] = 1;
    for (uint32_t i = j->node_count; i-- > 1;) {
        for (uint32_t m = 0; m < j->metric_count; m++)
            j->kept[i] |= j->self[m][i] != 0;
        j->kept[j->nodes[i].parent] |= j->kept[i];
    }
    j->kept[0] = 1;
}

/* Gives the builder's nodes and their values to `j`. The builder has its root then. */
static bool take_nodes(struct flm_builder *b, struct flm_joining *j)
{
    j->metric_count = b->metric_count;
    j->self = calloc((size_t)b->metric_count + 1, sizeof *j->self);
    if (!j->self)
        return false;
    j->nodes = b->nodes;
    j->node_count = b->node_count;
    b->nodes = NULL;
    b->node_capacity = b->node_count = 0;
    for (uint32_t m = 0; m < b->metric_count; m++) {
        j->self[m] = b->metrics[m].self;
        b->metrics[m].self = NULL;
    }
    flm_residuals_clear(&b->residuals);
    return flm_builder_start_nodes(b);
}

static void join_nodes(struct flm_builder *b, struct flm_joining *j)
{
    flm_builder_copy_nodes(b, j->nodes, j->node_count, j->base, j->node);
    for (uint32_t m = 0; m < j->metric_count; m++)
        for (uint32_t i = 0; i < j->node_count && !b->failed; i++)
            if (j->self[m][i] != 0)
                flm_builder_add_self(b, m, j->node[i], j->self[m][i]);
}

static bool join_depths(struct flm_builder *b, const struct flm_joining *j)
{
    if (!b->depths)
        return true;
    struct flm_depths *depths = flm_depths_new(b->node_count);
    for (uint32_t i = 0; depths && i < b->depths_count; i++)
        if (b->depths[i].most > 0)
            flm_depths_merge(&depths[j->node[i]], b->depths[i]);
    free(b->depths);
    b->depths = depths;
    b->depths_count = b->node_count;
    return depths != NULL;
}

bool flm_builder_join(struct flm_builder *b)
{
    if (b->interner.location_count == 0)
        return true;
    struct flm_joining *j = b->joining = calloc(1, sizeof *j);
    if (!j || !find_bases(b, j) || !take_nodes(b, j))
        return false;
    j->node = malloc(j->node_count * sizeof *j->node);
    j->kept = calloc(j->node_count, 1);
    if (!j->node || !j->kept)
        return false;
    find_kept(b, j);
    join_nodes(b, j);
    return !b->failed && join_depths(b, j);
}

/* ---- Locations ------------------------------------------------------------------------------- */

void flm_joining_mark_strings(const struct flm_builder *b, unsigned char *used)
{
    const struct flm_joining *j = b->joining;
    for (uint32_t i = 0; j && i < j->node_count; i++) {
        uint32_t location = flm_frame_location(&b->interner.frames[j->nodes[i].frame]);
        if (j->kept[i] && location)
            used[b->interner.locations[location - 1].file] = 1;
    }
}

static const struct flm_location *location_of(const struct flm_interner *v, uint32_t frame)
{
    return &v->locations[flm_frame_location(&v->frames[frame]) - 1];
}

struct location_order {
    const struct flm_interner *interner;
    const uint32_t *string_rank;
};

static int order_located(const void *context, uint32_t a, uint32_t b)
{
    const struct location_order *o = context;
    return flm_location_order(location_of(o->interner, a), location_of(o->interner, b),
                              o->string_rank);
}

/* Frame by frame in their final order, then by location: a frame has a few, so that sorting all of
 * them by both took three times as long. `starts` has room for one more than there are frames. */
static void sort_located(const struct flm_metadata *metadata, struct flm_joining *j,
                         uint32_t *starts, uint32_t *scratch)
{
    const uint32_t *rank = metadata->ranking.frame_rank;
    uint32_t count = metadata->sizes.frame_count;
    struct location_order order = {&metadata->b->interner, metadata->ranking.string_rank};
    memset(starts, 0, ((size_t)count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < j->located_count; i++)
        starts[rank[j->base[j->located[i]]] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        starts[i + 1] += starts[i];
    memcpy(scratch, j->located, j->located_count * sizeof *scratch);
    for (uint32_t i = 0; i < j->located_count; i++)
        j->located[starts[rank[j->base[scratch[i]]]]++] = scratch[i];
    for (uint32_t i = 0, at = 0; i < count; at = starts[i++]) /* where the next one starts, now */
        if (starts[i] - at > 1)
            flm_sort(j->located + at, starts[i] - at, scratch, order_located, &order);
}

static void number_places(struct flm_joining *j)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < j->located_count; i++) {
        bool same_frame = i > 0 && j->base[j->located[i - 1]] == j->base[j->located[i]];
        place = same_frame ? place + 1 : 1;
        j->place[j->located[i]] = place;
    }
}

bool flm_joining_rank(struct flm_metadata *metadata)
{
    struct flm_builder *b = metadata->b;
    struct flm_joining *j = b->joining;
    if (!j)
        return true;
    j->place = calloc(j->frame_count, sizeof *j->place);
    j->located = malloc(j->frame_count * sizeof *j->located);
    uint32_t *chains = calloc(b->node_count, sizeof *chains);
    uint32_t *scratch = malloc(j->frame_count * sizeof *scratch);
    uint32_t *starts = malloc(((size_t)metadata->sizes.frame_count + 1) * sizeof *starts);
    bool room = j->place && j->located && chains && scratch && starts;
    for (uint32_t i = 0; room && i < j->node_count; i++) {
        uint32_t frame = j->nodes[i].frame;
        if (!j->kept[i])
            continue;
        metadata->sizes.chain_count++;
        chains[j->node[i]]++;
        if (flm_frame_location(&b->interner.frames[frame]) && !j->place[frame]) {
            j->place[frame] = 1;
            j->located[j->located_count++] = frame;
        }
    }
    for (uint32_t i = 0; room && b->metric_count > 0 && i < b->node_count; i++)
        metadata->sizes.shared_count += chains[i] > 1 ? chains[i] : 0;
    if (room) {
        sort_located(metadata, j, starts, scratch);
        number_places(j);
        metadata->sizes.location_count = j->located_count;
        for (uint32_t i = 0; i < j->located_count; i++)
            if (location_of(&b->interner, j->located[i])->column != 0)
                metadata->sizes.column_count = j->located_count;
    }
    if (room && j->located_count == 0) { /* what had locations is not kept */
        metadata->sizes.chain_count = metadata->sizes.shared_count = 0;
        for (uint32_t i = 0; i < b->sample_count; i++)
            b->sample_node[i] = j->node[b->sample_node[i]];
        flm_joining_free(j);
        b->joining = NULL;
    }
    free(chains);
    free(scratch);
    free(starts);
    return room;
}

static void write_locations(const struct flm_metadata *metadata, struct flm_profile *p)
{
    const struct flm_joining *j = metadata->b->joining;
    const struct flm_interner *v = &metadata->b->interner;
    for (uint32_t i = 0; i < j->located_count; i++) {
        struct flm_location location = *location_of(v, j->located[i]);
        location.file = metadata->ranking.string_rank[location.file];
        flm_location_set(p, i, &location);
        p->frame_locations[metadata->ranking.frame_rank[j->base[j->located[i]]]]++;
    }
}

/* ---- Chains ---------------------------------------------------------------------------------- */

/* Of one node: by which of its caller's chains called it, then by location. */
static int order_chains(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_joining *j = context;
    uint32_t x = j->number[j->nodes[a].parent], y = j->number[j->nodes[b].parent];
    if (x != y)
        return x < y ? -1 : 1;
    uint32_t at_x = j->place[j->nodes[a].frame], at_y = j->place[j->nodes[b].frame];
    return (at_x > at_y) - (at_x < at_y);
}

/* The chains that are kept, node by node of the profile: those of node i end at ends[i]. */
static void sort_by_node(const struct flm_joining *j, const uint32_t *node_index, uint32_t *chains,
                         uint32_t *ends, uint32_t node_count)
{
    memset(ends, 0, node_count * sizeof *ends);
    for (uint32_t i = 0; i < j->node_count; i++)
        if (j->kept[i] && node_index[j->node[i]] + 1 < node_count)
            ends[node_index[j->node[i]] + 1]++;
    for (uint32_t i = 1; i < node_count; i++)
        ends[i] += ends[i - 1];
    for (uint32_t i = 0; i < j->node_count; i++)
        if (j->kept[i])
            chains[ends[node_index[j->node[i]]]++] = i;
}

static void write_chains(const struct flm_joining *j, struct flm_profile *p, uint32_t *chains,
                         const uint32_t *ends, uint32_t *scratch)
{
    uint32_t at = 0, shared = 0;
    for (uint32_t node = 0; node < p->sizes.node_count; node++) {
        uint32_t count = ends[node] - at;
        p->node_chains[node] = count;
        if (node > 0) /* callers have their numbers: they are nodes before this one */
            flm_sort(chains + at, count, scratch, order_chains, j);
        for (uint32_t i = at; i < ends[node]; i++) {
            uint32_t chain = chains[i];
            j->number[chain] = i - at;
            p->chain_caller[i] = node > 0 ? j->number[j->nodes[chain].parent] : 0;
            p->chain_place[i] = j->place[j->nodes[chain].frame];
            for (uint32_t m = 0; count > 1 && m < j->metric_count; m++)
                p->chain_value[(size_t)m * p->sizes.shared_count + shared + i - at] =
                    j->self[m][chain];
        }
        shared += count > 1 ? count : 0;
        at = ends[node];
    }
}

bool flm_joining_write(struct flm_metadata *metadata, struct flm_profile *p,
                       const uint32_t *node_index)
{
    struct flm_joining *j = metadata->b->joining;
    if (!j)
        return true;
    uint32_t *chains = malloc(p->sizes.chain_count * sizeof *chains);
    uint32_t *scratch = malloc(p->sizes.chain_count * sizeof *scratch);
    uint32_t *ends = malloc(p->sizes.node_count * sizeof *ends);
    j->number = calloc(j->node_count, sizeof *j->number);
    bool room = chains && scratch && ends && j->number;
    if (room) {
        write_locations(metadata, p);
        sort_by_node(j, node_index, chains, ends, p->sizes.node_count);
        write_chains(j, p, chains, ends, scratch);
    }
    free(chains);
    free(scratch);
    free(ends);
    return room;
}
