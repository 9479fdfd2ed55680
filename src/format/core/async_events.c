#include "format/core/async_events.h"

/* The slot of that key; NULL if none began. */
static struct flm_slot *find(const struct flm_async_events *events, uint64_t key)
{
    const struct flm_index *index = &events->index;
    struct flm_probe at = flm_index_probe(index, (uint32_t)key);
    while (flm_index_next(index, &at))
        if (events->begun.at[at.found].key == key)
            return &index->slots[(at.slot + index->slot_count - 1) & (index->slot_count - 1)];
    return NULL;
}

bool flm_async_begin(struct flm_async_events *events, const struct flm_async_event *event)
{
    struct flm_slot *slot = find(events, event->key);
    uint32_t number = (uint32_t)events->begun.count;
    if (!FLM_ARRAY_ADD(&events->begun, *event))
        return false;
    events->begun.at[number].outer = slot ? slot->item : FLM_NONE;
    if (!slot)
        return flm_index_add(&events->index, (uint32_t)event->key, number);
    slot->item = number;
    return true;
}

bool flm_async_end(struct flm_async_events *events, uint64_t key, struct flm_async_event *event)
{
    struct flm_slot *slot = find(events, key);
    struct flm_async_event *begun = slot ? &events->begun.at[slot->item] : NULL;
    if (!begun || begun->time_ns == FLM_NO_TIME)
        return false;
    *event = *begun;
    begun->time_ns = FLM_NO_TIME;
    if (begun->outer != FLM_NONE)
        slot->item = begun->outer;
    return true;
}

void flm_async_clear(struct flm_async_events *events)
{
    FLM_ARRAY_CLEAR(&events->begun);
    flm_index_clear(&events->index);
}
