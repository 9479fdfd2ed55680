#include "record/session/caller_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "base/core/hash.h"
#include "base/core/index.h"

struct merging {
    struct flm_rebuild r;
    uint32_t *class;   /* by frame: the first frame of the same function */
    uint32_t *group;   /* by node: the first node of the same class below the same callers */
    uint32_t *variant; /* by node: the first node of its group with the same kind */
    uint32_t *best;    /* by group: the variant with the largest weight */
    uint32_t *below;   /* by node: its new node as a caller */
    double *weight;    /* by node; then by variant, their sum */
};

/* Whether its function may have other kinds: one that a runtime interprets or compiles, or a native
 * method. */
static bool may_differ(const struct flm_frame_record *r)
{
    switch (r->kind) {
    case FLM_KIND_PLAIN:
    case FLM_KIND_NATIVE:
    case FLM_KIND_INLINED:
    case FLM_KIND_JIT:
    case FLM_KIND_JIT_TIER1:
    case FLM_KIND_INTERPRETED:
        return r->module == 0 && r->function != 0;
    default:
        return false;
    }
}

static bool is_same_function(const struct flm_frame_record *a, const struct flm_frame_record *b)
{
    return may_differ(a) && may_differ(b) && a->function == b->function && a->file == b->file &&
           (a->flags & FLM_FRAME_FLAGS) == (b->flags & FLM_FRAME_FLAGS);
}

/* *differs: whether any function has several kinds. False when memory ran out. */
static bool find_classes(const struct flm_profile *p, uint32_t *class, bool *differs)
{
    const struct flm_frame_record *frames = p->frames;
    struct flm_index index = {0};
    bool good = true;
    *differs = false;
    for (uint32_t i = 0; good && i < p->sizes.frame_count; i++) {
        class[i] = i;
        if (!may_differ(&frames[i]))
            continue;
        uint32_t hash = flm_hash_numbers(frames[i].function, frames[i].file);
        for (struct flm_probe at = flm_index_probe(&index, hash);
             class[i] == i && flm_index_next(&index, &at);)
            if (is_same_function(&frames[at.found], &frames[i]))
                class[i] = at.found;
        good = class[i] != i || flm_index_add(&index, hash, i);
        *differs |= frames[class[i]].kind != frames[i].kind;
    }
    flm_index_clear(&index);
    return good;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The first node before `i` for which both numbers are the same; `i` itself, added, when there is
 * none. FLM_NONE when memory ran out. */
static uint32_t find(struct flm_index *index, uint32_t i, const uint32_t *a, const uint32_t *b)
{
    uint32_t hash = flm_hash_numbers(a[i], b[i]);
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);)
        if (a[at.found] == a[i] && b[at.found] == b[i])
            return at.found;
    return flm_index_add(index, hash, i) ? i : FLM_NONE;
}

/* The weight of a node: its totals of all metrics, each divided by the metric's sum. */
static void weigh(struct merging *m)
{
    const struct flm_profile *p = m->r.p;
    for (uint32_t k = 0; k < p->sizes.metric_count; k++) {
        const double *self = flm_self_column(p, k);
        double sum = 0;
        for (uint32_t i = 0; i < p->sizes.node_count; i++)
            sum += fabs(self[i]);
        for (uint32_t i = 0; sum > 0 && i < p->sizes.node_count; i++)
            m->weight[i] += fabs(self[i]) / sum;
    }
    for (uint32_t i = p->sizes.node_count; i-- > 1;)
        m->weight[m->r.parent[i]] += m->weight[i];
}

static bool find_groups(struct merging *m)
{
    const struct flm_profile *p = m->r.p;
    uint32_t count = p->sizes.node_count, *callers = m->below, *key = m->best;
    struct flm_index groups = {0}, variants = {0};
    bool good = true;
    for (uint32_t i = 1; good && i < count; i++) {
        callers[i] = m->group[m->r.parent[i]];
        key[i] = m->class[p->node_frame[i]];
        m->group[i] = find(&groups, i, callers, key);
        good = m->group[i] != FLM_NONE;
    }
    for (uint32_t i = 1; good && i < count; i++) {
        key[i] = p->frames[p->node_frame[i]].kind;
        m->variant[i] = find(&variants, i, m->group, key);
        good = m->variant[i] != FLM_NONE;
        if (good && m->variant[i] != i)
            m->weight[m->variant[i]] += m->weight[i];
    }
    for (uint32_t i = 1; good && i < count; i++)
        m->best[i] = i;
    for (uint32_t i = 1; good && i < count; i++) {
        uint32_t group = m->group[i];
        if (m->variant[i] == i && m->weight[i] > m->weight[m->best[group]])
            m->best[group] = i;
    }
    flm_index_clear(&groups);
    flm_index_clear(&variants);
    return good;
}

/* ---- The new tree ---------------------------------------------------------------------------- */

static bool has_self(const struct flm_profile *p, uint32_t node)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_self_column(p, m)[node] != 0)
            return true;
    return false;
}

static void merge_nodes(struct merging *m)
{
    const struct flm_profile *p = m->r.p;
    struct flm_builder *b = m->r.builder;
    m->below[0] = 0;
    for (uint32_t i = 1; i < p->sizes.node_count && !b->failed; i++) {
        uint32_t frame = p->node_frame[i], under = m->below[m->r.parent[i]];
        bool is_leaf = p->node_end[i] == i + 1;
        struct flm_frame_record caller = b->interner.frames[frame]; /* with its location */
        caller.kind = p->frames[p->node_frame[m->best[m->group[i]]]].kind;
        m->below[i] = is_leaf
                          ? FLM_NONE
                          : flm_rebuild_child(&m->r, under, flm_builder_frame(b, &caller).index);
        m->r.moved[i] =
            is_leaf || has_self(p, i) ? flm_rebuild_child(&m->r, under, frame) : m->below[i];
    }
}

static struct flm_profile *merge(const struct flm_profile *p, void *context, struct flm_error *why)
{
    uint32_t count = p->sizes.node_count;
    struct merging m = {.class = malloc(p->sizes.frame_count * sizeof *m.class),
                        .group = calloc(count, sizeof *m.group),
                        .variant = calloc(count, sizeof *m.variant),
                        .best = calloc(count, sizeof *m.best),
                        .below = calloc(count, sizeof *m.below),
                        .weight = calloc(count, sizeof *m.weight)};
    struct flm_profile *made = NULL;
    (void)context;
    if (!m.class || !m.group || !m.variant || !m.best || !m.below || !m.weight) {
        flm_error_memory(why);
    } else if (flm_rebuild_start(&m.r, p, why)) {
        bool differs;
        weigh(&m);
        if (!find_classes(p, m.class, &differs) || !find_groups(&m))
            flm_builder_fail_memory(m.r.builder);
        merge_nodes(&m);
        made = flm_rebuild_finish(&m.r, why);
    }
    free(m.class);
    free(m.group);
    free(m.variant);
    free(m.best);
    free(m.below);
    free(m.weight);
    return made;
}

struct flm_profile *flm_merge_caller_kinds(struct flm_profile *p, struct flm_error *why)
{
    if (!p)
        return NULL;
    bool differs = false;
    uint32_t *class = malloc(p->sizes.frame_count * sizeof *class);
    bool good = class && find_classes(p, class, &differs);
    free(class);
    if (good && !differs)
        return p;
    struct flm_profile *made = NULL;
    if (good)
        made = flm_with_chains(p, merge, NULL, why);
    else
        flm_error_memory(why);
    flm_profile_free(p);
    return made;
}
