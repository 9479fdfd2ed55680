/* order.h - events in the order of time, though each processor has a ring of its own.
 *
 * Between two ROUND events every ring was read once: what is older than the newest event before the
 * last round cannot come any more, and is handed on. Events are copied into a queue until then.
 *
 * Where rounds are missing, or too long, the queue is handed on in parts: what is most recent waits
 * on, and what comes later than it should have is counted. */
#ifndef FLAMEL_RECORD_SESSION_ORDER_H
#define FLAMEL_RECORD_SESSION_ORDER_H

#include "record/perf/event.h"

struct flm_order;

struct flm_order *flm_event_order_new(const struct flm_event_layouts *layouts, flm_event_sink sink,
                                      void *context, struct flm_error *why);
void flm_event_order_free(struct flm_order *order);

/* How many bytes may wait before they are handed on in parts; 256 MiB if it was not said. */
void flm_event_order_limit(struct flm_order *order, size_t size_bytes);

/* One record, copied; a ROUND among them. One that cannot be decoded is counted, not refused.
 * False when memory ran out, or the sink says so. Events without a time are handed on at once. */
bool flm_event_order_add(struct flm_order *order, const char *record, size_t size, uint64_t offset,
                         struct flm_error *why);

/* Hands on everything that is left. */
bool flm_event_order_finish(struct flm_order *order, struct flm_error *why);

/* Events that came too late to be handed on in order: they were handed on all the same. */
uint64_t flm_event_order_late(const struct flm_order *order);

/* Records that are shorter than they must be, and where the first one was. */
struct flm_order_damage {
    uint64_t count, first_offset;
};
struct flm_order_damage flm_event_order_damage(const struct flm_order *order);

#endif
