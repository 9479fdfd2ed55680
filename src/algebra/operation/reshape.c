/* reshape.c - operations that move nodes: each says for a node which new node it becomes. */
#include "algebra/operation/operations.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/algebra.h"
#include "algebra/operation/rebuild.h"
#include "algebra/operation/rename.h"

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

/* The outermost open occurrence of a function while the tree is walked. */
struct occurrence {
    uint32_t end;  /* of its node: it is open before that */
    uint32_t node; /* the new node */
};

struct flm_profile *flm_collapse(const struct flm_profile *p, enum flm_recursion which,
                                 struct flm_error *why)
{
    struct flm_rebuild r;
    struct occurrence *of = calloc(p->sizes.string_count, sizeof *of);
    if (!of || !flm_rebuild_start(&r, p, why)) {
        free(of);
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t function = p->frames[p->node_frame[i]].function;
        uint32_t above = p->frames[p->node_frame[r.parent[i]]].function;
        struct occurrence *outer = &of[function];
        if (which == FLM_RECURSION_DIRECT && r.parent[i] != 0 && function == above) {
            r.moved[i] = r.moved[r.parent[i]];
        } else if (which == FLM_RECURSION_ANY && outer->end > i) {
            r.moved[i] = outer->node;
        } else {
            r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], p->node_frame[i]);
            *outer = (struct occurrence){p->node_end[i], r.moved[i]};
        }
    }
    free(of);
    return flm_rebuild_finish(&r, why);
}
