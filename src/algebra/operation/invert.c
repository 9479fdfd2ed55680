#include "algebra/operation/algebra.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "base/core/array.h"

static bool is_stack(const struct flm_profile *p, const unsigned char *sampled, uint32_t node)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_self_column(p, m)[node] != 0)
            return true;
    return sampled[node];
}

/* Every node with a value becomes the path of its frames from itself up to the root. The work is
 * the sum of their depths, and nothing is kept of it but the new tree. */
static bool move_all(struct flm_rebuild *r, const unsigned char *sampled)
{
    const struct flm_profile *p = r->p;
    struct FLM_ARRAY(struct flm_frame) path = {NULL, 0, 0};
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        r->moved[i] = FLM_NONE;
        if (!is_stack(p, sampled, i))
            continue;
        path.count = 0;
        for (uint32_t at = i; at != 0; at = r->parent[at]) {
            if (!FLM_ARRAY_ADD(&path, (struct flm_frame){p->node_frame[at]})) {
                FLM_ARRAY_CLEAR(&path);
                return false;
            }
        }
        r->moved[i] = flm_builder_stack(r->builder, path.at, path.count).index;
    }
    FLM_ARRAY_CLEAR(&path);
    return true;
}

struct flm_profile *flm_invert(const struct flm_profile *p, struct flm_error *why)
{
    assert(p);
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    unsigned char *sampled = calloc(p->sizes.node_count, 1);
    for (uint32_t i = 0; sampled && i < p->sizes.sample_count; i++)
        sampled[p->sample_node[i]] = 1;
    bool moved = sampled && move_all(&r, sampled);
    free(sampled);
    if (moved)
        return flm_rebuild_finish(&r, why);
    flm_rebuild_clear(&r);
    flm_error_memory(why);
    return NULL;
}
