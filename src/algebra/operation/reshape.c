/* reshape.c - operations that move nodes: each says for a node which new node it becomes. */
#include "algebra/operation/operations.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/algebra.h"
#include "algebra/operation/rebuild.h"
#include "algebra/operation/rename.h"
#include "profile/recursion.h"

struct flm_profile *flm_focus(const struct flm_profile *p, const unsigned char *marks,
                              struct flm_error *why)
{
    assert(p && marks);
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    r.moved[0] = FLM_NONE;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t parent = r.moved[r.parent[i]];
        if (parent == FLM_NONE && marks[p->node_frame[i]])
            parent = 0;
        r.moved[i] = flm_rebuild_child(&r, parent, p->node_frame[i]);
    }
    return flm_rebuild_finish(&r, why);
}

struct flm_profile *flm_prune(const struct flm_profile *p, const unsigned char *marks,
                              struct flm_error *why)
{
    assert(p && marks);
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    for (uint32_t i = 1; i < p->sizes.node_count;) {
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], p->node_frame[i]);
        uint32_t below = i + 1;
        if (marks[p->node_frame[i]])
            for (; below < p->node_end[i]; below++)
                r.moved[below] = r.moved[i];
        i = below;
    }
    return flm_rebuild_finish(&r, why);
}

struct flm_profile *flm_truncate(const struct flm_profile *p, uint32_t most, struct flm_error *why)
{
    struct flm_rebuild r;
    uint32_t *depth = malloc(p->sizes.node_count * sizeof *depth);
    if (!depth || !flm_rebuild_start(&r, p, why)) {
        free(depth);
        flm_error_memory(why);
        return NULL;
    }
    flm_profile_depths(p, depth);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t parent = r.moved[r.parent[i]];
        r.moved[i] = depth[i] > most ? parent : flm_rebuild_child(&r, parent, p->node_frame[i]);
    }
    free(depth);
    return flm_rebuild_finish(&r, why);
}

/* Every frame by its class: FLM_NONE leaves it out. Where classes collapse, a child of the same
 * class as its new parent becomes part of it. */
static void reframe(struct flm_rebuild *r, const uint32_t *frames, bool collapse)
{
    const struct flm_profile *p = r->p;
    for (uint32_t i = 1; i < p->sizes.node_count && !flm_builder_failed(r->builder); i++) {
        uint32_t frame = frames[p->node_frame[i]], parent = r->moved[r->parent[i]];
        bool stays = frame == FLM_NONE ||
                     (collapse && parent != 0 && r->builder->nodes[parent].frame == frame);
        r->moved[i] = stays ? parent : flm_rebuild_child(r, parent, frame);
    }
}

static struct flm_profile *reframed(struct flm_rebuild *r, uint32_t *frames, bool good,
                                    bool collapse, struct flm_error *why)
{
    if (good)
        reframe(r, frames, collapse);
    free(frames);
    if (good)
        return flm_rebuild_finish(r, why);
    flm_rebuild_clear(r);
    flm_error_memory(why);
    return NULL;
}

struct flm_profile *flm_quotient_frames(const struct flm_profile *p, flm_frame_map map,
                                        void *context, struct flm_error *why)
{
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    uint32_t *frames = malloc(p->sizes.frame_count * sizeof *frames);
    for (uint32_t i = 0; frames && i < p->sizes.frame_count; i++)
        frames[i] = map(context, i);
    return reframed(&r, frames, frames != NULL, false, why);
}

struct flm_profile *flm_hide(const struct flm_profile *p, const unsigned char *marks,
                             struct flm_error *why)
{
    assert(p && marks);
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    uint32_t *frames = malloc(p->sizes.frame_count * sizeof *frames);
    for (uint32_t i = 0; frames && i < p->sizes.frame_count; i++)
        frames[i] = marks[i] ? FLM_NONE : i;
    return reframed(&r, frames, frames != NULL, false, why);
}

struct flm_profile *flm_quotient(const struct flm_profile *p, const struct flm_class *class,
                                 struct flm_error *why)
{
    assert(p && class);
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    uint32_t *frames = malloc(p->sizes.frame_count * sizeof *frames);
    bool good = frames && flm_class_map(class, p, r.builder, frames);
    r.drops_depths = flm_class_collapses(class);
    return reframed(&r, frames, good, flm_class_collapses(class), why);
}

struct flm_profile *flm_rename(const struct flm_profile *p, struct flm_renaming *rule,
                               uint32_t *renamed, struct flm_error *why)
{
    assert(p && rule);
    struct flm_rebuild r;
    *renamed = 0;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    uint32_t *frames = malloc(p->sizes.frame_count * sizeof *frames);
    bool good = frames && flm_renaming_map(rule, p, r.builder, frames, renamed);
    return reframed(&r, frames, good, false, why);
}

/* Collapsing: what becomes of each node, and how many frames its stack has there. */
struct collapsing {
    struct flm_rebuild r;
    uint32_t *nearest;        /* by function: its last node, from which `outer` goes on */
    uint32_t *outer;          /* by node: the one of the same function before it; 0: none */
    struct flm_depths *depth; /* by node: of its stack, down to it */
    struct flm_depths *made;  /* by new node: of all stacks */
};

static uint32_t add_depths(uint32_t a, uint32_t b)
{
    return a > FLM_NONE - 1 - b ? FLM_NONE - 1 : a + b;
}

/* The node above `i` whose function it is, and that it becomes part of; 0: there is none. */
static uint32_t enclosing(struct collapsing *c, uint32_t i, enum flm_recursion which)
{
    const struct flm_profile *p = c->r.p;
    uint32_t function = p->frames[p->node_frame[i]].function, parent = c->r.parent[i];
    if (which == FLM_RECURSION_DIRECT)
        return parent != 0 && p->frames[p->node_frame[parent]].function == function ? parent : 0;
    uint32_t at = c->nearest[function];
    while (at != 0 && p->node_end[at] <= i) /* each is left behind once */
        at = c->outer[at];
    c->outer[i] = at;
    c->nearest[function] = i;
    return at;
}

/* The new node of `i`, which becomes part of `into`: the same frame, at the location of `i`. */
static uint32_t collapsed_node(struct collapsing *c, uint32_t i, uint32_t into)
{
    struct flm_builder *b = c->r.builder;
    uint32_t node = c->r.moved[into];
    const struct flm_frame_record *frames = b->interner.frames;
    const struct flm_frame_record *outer = &frames[b->nodes[node].frame];
    uint32_t location = flm_frame_location(&frames[c->r.p->node_frame[i]]);
    if (location == flm_frame_location(outer))
        return node;
    const struct flm_frame_record record = flm_frame_located(outer, location);
    return flm_rebuild_child(&c->r, b->nodes[node].parent, flm_builder_frame(b, &record).index);
}

static bool ends_stacks(const struct flm_profile *p, uint32_t node)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_self_column(p, m)[node] != 0)
            return true;
    return p->node_end[node] == node + 1;
}

static void collapse_nodes(struct collapsing *c, enum flm_recursion which,
                           const unsigned char *marks)
{
    const struct flm_profile *p = c->r.p;
    for (uint32_t i = 1; i < p->sizes.node_count && !c->r.builder->failed; i++) {
        uint32_t parent = c->r.parent[i];
        uint32_t into = !marks || marks[p->node_frame[i]] ? enclosing(c, i, which) : 0;
        c->depth[i] = flm_recursion_at(p, i);
        if (into != 0) {
            c->r.moved[i] = collapsed_node(c, i, into);
            c->depth[i].least = add_depths(c->depth[i].least, c->depth[into].least);
            c->depth[i].most = add_depths(c->depth[i].most, c->depth[into].most);
        } else {
            c->r.moved[i] = flm_rebuild_child(&c->r, c->r.moved[parent], p->node_frame[i]);
        }
        /* A stack has as many frames there as when it goes on to another node, or ends. */
        if (into != parent && c->r.moved[parent] != c->r.moved[i])
            flm_depths_merge(&c->made[c->r.moved[parent]], c->depth[parent]);
        if (ends_stacks(p, i))
            flm_depths_merge(&c->made[c->r.moved[i]], c->depth[i]);
    }
}

struct flm_profile *flm_collapse(const struct flm_profile *p, enum flm_recursion which,
                                 const unsigned char *marks, struct flm_error *why)
{
    struct collapsing c = {.nearest = calloc(p->sizes.string_count, sizeof *c.nearest),
                           .outer = malloc(p->sizes.node_count * sizeof *c.outer),
                           .depth = flm_depths_new(p->sizes.node_count),
                           .made = flm_depths_new(p->sizes.node_count)};
    struct flm_profile *result = NULL;
    if (!c.nearest || !c.outer || !c.depth || !c.made)
        flm_error_memory(why);
    else if (flm_rebuild_start(&c.r, p, why)) {
        collapse_nodes(&c, which, marks);
        flm_builder_take_depths(c.r.builder, c.made);
        c.made = NULL;
        c.r.drops_depths = true;
        result = flm_rebuild_finish(&c.r, why);
    }
    free(c.nearest);
    free(c.outer);
    free(c.depth);
    free(c.made);
    return result;
}
