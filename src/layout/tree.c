#include "layout/tree.h"

#include <assert.h>
#include <stdlib.h>

#include "flamel/builder.h"
#include "profile/columns.h"

struct flm_tree flm_tree_of(const struct flm_profile *profile, struct flm_metric metric)
{
    assert(profile);
    return (struct flm_tree){
        .node_count = profile->sizes.node_count,
        .frame = profile->node_frame,
        .end = profile->node_end,
        .width = metric.index < profile->sizes.metric_count ? flm_self_column(profile, metric.index)
                                                            : NULL,
    };
}

static bool is_earlier(int64_t time, int64_t than)
{
    return time != FLM_NO_TIME && (than == FLM_NO_TIME || time < than);
}

int64_t *flm_tree_seen(const struct flm_profile *profile, struct flm_metric metric)
{
    assert(metric.index == FLM_NONE || metric.index < profile->sizes.metric_count);
    uint32_t node_count = profile->sizes.node_count;
    const uint32_t *end = profile->node_end;
    int64_t *seen = malloc(node_count * sizeof *seen);
    if (!seen)
        return NULL;
    for (uint32_t i = 0; i < node_count; i++)
        seen[i] = FLM_NO_TIME;
    for (uint32_t i = 0; i < profile->sizes.sample_count; i++) {
        uint32_t node = profile->sample_node[i];
        if ((metric.index == FLM_NONE || flm_sample_value(profile, metric.index, i) != 0) &&
            is_earlier(profile->sample_time[i], seen[node]))
            seen[node] = profile->sample_time[i];
    }
    for (uint32_t i = node_count; i-- > 0;)
        for (uint32_t child = i + 1; child < end[i]; child = end[child])
            if (is_earlier(seen[child], seen[i]))
                seen[i] = seen[child];
    return seen;
}
