/* async_events.h - events that begin in one place of a trace and end in another, by a key.
 *
 * Those of one key nest: an end belongs to the innermost one that is open. What did not end stays
 * in `begun`, with its time. Memory: 48 bytes for each that began. */
#ifndef FLAMEL_FORMAT_CORE_ASYNC_EVENTS_H
#define FLAMEL_FORMAT_CORE_ASYNC_EVENTS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "flamel/profile.h"

struct flm_async_event {
    uint64_t key;
    int64_t time_ns;              /* FLM_NO_TIME: it has ended */
    uint32_t name, detail, owner; /* the caller's */
    uint32_t outer;               /* the event with the same key that began before; FLM_NONE */
};

struct flm_async_events {
    struct FLM_ARRAY(struct flm_async_event) begun;
    struct flm_index index; /* by key: the innermost event; those that ended stay */
};

/* Copies the event, but for `outer`. False when memory ran out. */
bool flm_async_begin(struct flm_async_events *events, const struct flm_async_event *event);

/* Ends the innermost event of that key, and copies it to `event`; false if there is none. */
bool flm_async_end(struct flm_async_events *events, uint64_t key, struct flm_async_event *event);

void flm_async_clear(struct flm_async_events *events);

#endif
