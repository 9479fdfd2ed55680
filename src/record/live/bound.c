#include "record/live/bound.h"

#include <stdlib.h>

#include "algebra/operation/rebuild.h"

/* Where merged stacks go: below their command; below the root, if there are too many commands; and
 * without leaf functions, if there are too many functions. */
enum target { BELOW_COMMAND, BELOW_ROOT, ALL_IN_ONE };

struct bounding {
    struct flm_rebuild rebuild;
    double *weight; /* of each node: its largest share of a metric */
    double least;   /* lighter nodes are rare */
    uint32_t rare;  /* its frame */
    double samples; /* merged now */
};

/* A node is at least as heavy as what is below it. */
static bool weigh(struct bounding *b)
{
    const struct flm_profile *p = b->rebuild.p;
    uint32_t count = p->sizes.node_count;
    double *total = malloc(count * sizeof *total);
    for (uint32_t m = 0; total && m < p->sizes.metric_count; m++) {
        const double *self = flm_profile_self(p, (struct flm_metric){m});
        for (uint32_t i = 0; i < count; i++)
            total[i] = self[i];
        for (uint32_t i = count - 1; i > 0; i--)
            total[b->rebuild.parent[i]] += total[i];
        for (uint32_t i = 0; i < count; i++)
            if (total[0] > 0 && total[i] / total[0] > b->weight[i])
                b->weight[i] = total[i] / total[0];
    }
    free(total);
    return total;
}

/* The least weight so that no more than `most` nodes are heavier. */
static double find_least(const struct bounding *b, uint32_t most)
{
    enum { STEPS = 50 };
    double low = 0, high = 1;
    for (int step = 0; step < STEPS; step++) {
        double middle = (low + high) / 2;
        uint32_t heavier = 0;
        for (uint32_t i = 0; i < b->rebuild.p->sizes.node_count; i++)
            heavier += b->weight[i] > middle;
        *(heavier > most ? &low : &high) = middle;
    }
    return high;
}

static double samples_at(const struct flm_profile *p, uint32_t node)
{
    struct flm_metric samples = flm_profile_metric_named(p, "samples");
    return samples.index == FLM_NONE ? 0 : flm_profile_self(p, samples)[node];
}

static void move(struct bounding *b, enum target target)
{
    struct flm_rebuild *r = &b->rebuild;
    const struct flm_profile *p = r->p;
    uint32_t top = 0;
    for (uint32_t i = 1; i < p->sizes.node_count && !flm_builder_failed(r->builder); i++) {
        uint32_t frame = p->node_frame[i], parent = r->parent[i];
        bool stays = b->weight[i] > b->least && frame != b->rare;
        if (stays)
            r->moved[i] = flm_rebuild_child(r, r->moved[parent], frame);
        if (parent == 0)
            top = stays ? r->moved[i] : 0;
        if (stays)
            continue;
        r->moved[i] = flm_rebuild_child(r, target == BELOW_COMMAND ? top : 0, b->rare);
        if (target != ALL_IN_ONE && frame != b->rare)
            r->moved[i] = flm_rebuild_child(r, r->moved[i], frame);
        if (frame != b->rare && p->node_frame[parent] != b->rare)
            b->samples += samples_at(p, i);
    }
}

static struct flm_profile *bound(const struct flm_profile *p, uint32_t most, enum target target,
                                 struct flm_error *why)
{
    const char lost[] = "callers of samples in rare stacks (merged to bound memory)";
    struct bounding b = {.weight = calloc(p->sizes.node_count, sizeof *b.weight)};
    if (!b.weight || !flm_rebuild_start(&b.rebuild, p, why)) {
        free(b.weight);
        flm_error_memory(why);
        return NULL;
    }
    struct flm_builder *builder = b.rebuild.builder;
    struct flm_frame_record rare = {.kind = FLM_KIND_LABEL};
    rare.function = flm_builder_string(builder, FLM_LIVE_RARE, sizeof FLM_LIVE_RARE - 1).index;
    b.rare = flm_builder_frame(builder, &rare).index;
    bool good = weigh(&b);
    if (good) {
        b.least = find_least(&b, most);
        move(&b, target);
        if (b.samples > 0)
            flm_builder_lost(builder, lost, "", 0, b.samples);
    }
    free(b.weight);
    if (good)
        return flm_rebuild_finish(&b.rebuild, why);
    flm_rebuild_clear(&b.rebuild);
    flm_error_memory(why);
    return NULL;
}

struct flm_profile *flm_live_bound(struct flm_profile *profile, uint32_t most,
                                   struct flm_error *why)
{
    for (enum target target = BELOW_COMMAND;
         profile && profile->sizes.node_count > most && target <= ALL_IN_ONE; target++) {
        struct flm_profile *bounded = bound(profile, most / 2, target, why);
        flm_profile_free(profile);
        profile = bounded;
    }
    return profile;
}
