/* builder_markers.c - markers and counters on their way into a profile. */
#include "profile/internal.h"

#include <assert.h>

#include "base/core/hash.h"

void flm_builder_marker(struct flm_builder *b, int64_t time_ns, int64_t duration_ns,
                        struct flm_string name, struct flm_string detail,
                        struct flm_label_set labels)
{
    assert(b && duration_ns >= 0 && labels.index < b->label_set_count);
    if (b->failed)
        return;
    if (time_ns == FLM_NO_TIME) {
        flm_builder_lost(b, "markers without a time", "", 0, 1);
        return;
    }
    if (time_ns > 0 && duration_ns > INT64_MAX - time_ns)
        duration_ns = INT64_MAX - time_ns;
    if (b->markers.count >= FLM_NONE - 1 ||
        !FLM_ARRAY_ADD(&b->markers, (struct flm_marker_record){.time_ns = time_ns,
                                                               .duration_ns = duration_ns,
                                                               .name = name.index,
                                                               .detail = detail.index,
                                                               .label_set = labels.index}))
        flm_builder_fail_memory(b);
}

struct flm_counter flm_builder_counter(struct flm_builder *b, struct flm_string name,
                                       struct flm_string unit, struct flm_label_set labels)
{
    assert(b && labels.index < b->label_set_count);
    struct flm_builder_counter wanted = {name.index, unit.index, labels.index};
    uint32_t hash = (uint32_t)(flm_hash(&wanted, sizeof wanted) >> 32);
    for (struct flm_probe at = flm_index_probe(&b->counter_index, hash);
         !b->failed && flm_index_next(&b->counter_index, &at);)
        if (memcmp(&b->counters.at[at.found], &wanted, sizeof wanted) == 0)
            return (struct flm_counter){at.found};
    uint32_t counter = (uint32_t)b->counters.count;
    if (b->failed || counter >= FLM_NONE - 1 || !FLM_ARRAY_RESERVE(&b->counters, 1) ||
        !flm_index_add(&b->counter_index, hash, counter)) {
        flm_builder_fail_memory(b);
        return (struct flm_counter){0};
    }
    b->counters.at[b->counters.count++] = wanted;
    return (struct flm_counter){counter};
}

void flm_builder_counter_point(struct flm_builder *b, struct flm_counter counter, int64_t time_ns,
                               double value)
{
    assert(b);
    if (b->failed)
        return;
    assert(counter.index < b->counters.count);
    if (time_ns == FLM_NO_TIME || value - value != 0)
        flm_builder_lost(b, "counter values without a time or not finite", "", 0, 1);
    else if (b->points.count >= FLM_NONE - 1 ||
             !FLM_ARRAY_ADD(&b->points, (struct flm_builder_point){counter.index, time_ns, value}))
        flm_builder_fail_memory(b);
}
