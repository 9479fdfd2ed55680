#include "algebra/operation/rebuild.h"

#include <stdlib.h>

#include "profile/chains.h"

bool flm_rebuild_start(struct flm_rebuild *r, const struct flm_profile *p, struct flm_error *why)
{
    size_t count = p->sizes.node_count;
    *r = (struct flm_rebuild){
        .p = p,
        .builder = flm_builder_new(why),
        .parent = malloc(count * sizeof(uint32_t)),
        .moved = malloc(count * sizeof(uint32_t)),
    };
    if (!r->builder || !r->parent || !r->moved || !flm_copy_strings(r->builder, p, &r->carried) ||
        !flm_copy_metrics(r->builder, p, &r->carried, why)) {
        flm_rebuild_clear(r);
        return flm_error_memory(why);
    }
    flm_copy_notes(r->builder, p, &r->carried);
    flm_profile_parents(p, r->parent);
    r->moved[0] = 0;
    return true;
}

void flm_rebuild_clear(struct flm_rebuild *r)
{
    flm_builder_free(r->builder);
    flm_carried_clear(&r->carried);
    free(r->parent);
    free(r->moved);
    *r = (struct flm_rebuild){0};
}

static void move_values(struct flm_rebuild *r)
{
    const struct flm_profile *p = r->p;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        const double *from = flm_self_column(p, m);
        for (uint32_t i = 0; i < p->sizes.node_count && !r->builder->failed; i++)
            if (r->moved[i] != FLM_NONE)
                flm_builder_add_self(r->builder, m, r->moved[i], from[i]);
    }
}

static void move_depths(struct flm_rebuild *r)
{
    const struct flm_profile *p = r->p;
    if (p->sizes.recursion_count == 0 || r->builder->failed)
        return;
    struct flm_depths *depths = flm_depths_new(r->builder->node_count);
    if (!depths) {
        flm_builder_fail_memory(r->builder);
        return;
    }
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        if (r->moved[i] != FLM_NONE && r->moved[i] != r->moved[r->parent[i]] &&
            (r->without_depths == 0 || r->builder->nodes[r->moved[i]].frame != r->without_depths))
            flm_depths_merge(&depths[r->moved[i]], flm_recursion_at(p, i));
    flm_builder_take_depths(r->builder, depths);
}

struct flm_profile *flm_rebuild_finish_values(struct flm_rebuild *r, struct flm_error *why)
{
    if (!r->drops_depths)
        move_depths(r);
    flm_copy_samples(r->builder, r->p, &r->carried, r->moved, 0, NULL);
    struct flm_builder *builder = r->builder;
    r->builder = NULL;
    flm_rebuild_clear(r);
    return flm_builder_finish(builder, why);
}

struct flm_profile *flm_rebuild_finish(struct flm_rebuild *r, struct flm_error *why)
{
    if (!r->builder->failed)
        move_values(r);
    return flm_rebuild_finish_values(r, why);
}

struct flm_profile *flm_joined(struct flm_profile *p, struct flm_error *why)
{
    if (!p || p->sizes.location_count == 0 || flm_has_chains(p))
        return p;
    struct flm_rebuild r;
    struct flm_profile *joined = NULL;
    if (flm_rebuild_start(&r, p, why)) {
        for (uint32_t i = 1; i < p->sizes.node_count; i++)
            r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], p->node_frame[i]);
        joined = flm_rebuild_finish(&r, why);
    }
    flm_profile_free(p);
    return joined;
}

struct flm_profile *flm_with_chains(const struct flm_profile *p, flm_plain_operation operation,
                                    void *context, struct flm_error *why)
{
    if (!flm_has_chains(p))
        return operation(p, context, why);
    struct flm_profile *split = flm_profile_split(p, why);
    struct flm_profile *result = split ? operation(split, context, why) : NULL;
    flm_profile_free(split);
    return flm_joined(result, why);
}
