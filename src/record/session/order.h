/* order.h - events in the order of time, though each CPU has a ring buffer of its own.
 *
 * Between two ROUND events every ring is read once. So no event that comes later is older than the
 * newest event before the last round: up to that time the queue is passed on, in order.
 *
 * Without rounds, or if they are too long, the older half of the queue is passed on when it is
 * full; events that come too late are counted. */
#ifndef FLAMEL_RECORD_SESSION_ORDER_H
#define FLAMEL_RECORD_SESSION_ORDER_H

#include "record/perf/event.h"

struct flm_order;

struct flm_order *flm_event_order_new(const struct flm_event_layouts *layouts, flm_event_sink sink,
                                      void *context, struct flm_error *why);
void flm_event_order_free(struct flm_order *order);

/* The most bytes in the queue; 256 MiB by default. */
void flm_event_order_limit(struct flm_order *order, size_t size_bytes);

/* Adds a copy of one record; also of a ROUND. A record that cannot be decoded is counted. False
 * when memory ran out, or the sink failed. Events without a time are passed on at once. */
bool flm_event_order_add(struct flm_order *order, const char *record, size_t size, uint64_t offset,
                         struct flm_error *why);

/* Passes on everything that is left. */
bool flm_event_order_finish(struct flm_order *order, struct flm_error *why);

/* Events that were passed on out of order, because they came too late. */
uint64_t flm_event_order_late(const struct flm_order *order);

/* Records that are too short, and the offset of the first one. */
struct flm_order_damage {
    uint64_t count, first_offset;
};
struct flm_order_damage flm_event_order_damage(const struct flm_order *order);

#endif
