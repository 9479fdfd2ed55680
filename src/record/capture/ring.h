/* ring.h - what the kernel writes: a mapped ring for each processor, read in the order of time.
 *
 * An event that children inherit must be of one processor, so there is a file for each event, task
 * and processor; all of one processor write into one ring.
 *
 *     processor 0   [....MMMSSSSSSS]          each ring is in the order of time by itself,
 *     processor 1   [...SSSSSFS....]          so reading them together is a merge
 *
 * Nothing is copied: records are handed out where they lie. What one processor writes now may be
 * older than what another one has written already, so a round only hands out what is older than its
 * own beginning, and leaves the rest for the next one: the rings are the queue. A record that lies
 * across the end of its ring is put together elsewhere. */
#ifndef FLAMEL_RECORD_CAPTURE_RING_H
#define FLAMEL_RECORD_CAPTURE_RING_H

#include "record/capture/request.h"
#include "record/perf/event.h"

struct flm_rings;

/* Opens the events of `request` for each of `tasks` ({-1}: for all that run) on each processor.
 * Rings have `size` bytes, or less where not so much is allowed: halves, down to 64 KiB. Tasks that
 * have ended meanwhile are left out. NULL, and `why` with what would allow it. */
struct flm_rings *flm_rings_open(struct flm_request *request, const int32_t *tasks,
                                 size_t task_count, size_t size, bool own_tasks,
                                 const struct flm_limits *limits, const struct flm_kernel *kernel,
                                 struct flm_error *why);
void flm_rings_close(struct flm_rings *rings);

size_t flm_rings_size(const struct flm_rings *rings); /* of each, in bytes */
size_t flm_rings_count(const struct flm_rings *rings);

/* The ids in samples of an event. */
const uint64_t *flm_rings_ids(const struct flm_rings *rings, size_t event, size_t *count);

void flm_rings_start(struct flm_rings *rings);
void flm_rings_stop(struct flm_rings *rings);

/* Sleeps until a ring is a quarter full, `file` (-1: none) can be read, or the time is over, or a
 * signal came. Whether any task that is recorded may still live. */
bool flm_rings_wait(struct flm_rings *rings, int file, int timeout_ms);

/* A record as it lies there, and what it means. False stops. */
typedef bool (*flm_record_sink)(void *context, const char *record, size_t size,
                                struct flm_event *event, struct flm_error *why);

/* One round. `all`: also what is new, when nobody writes any more. False when the sink said so. */
bool flm_rings_read(struct flm_rings *rings, const struct flm_event_layouts *layouts, bool all,
                    flm_record_sink sink, void *context, struct flm_error *why);

struct flm_ring_counts {
    uint64_t records, late, damaged; /* handed out; those out of order; those not understood */
    uint64_t lost;                   /* as the events' files have it; 0 before Linux 6.0 */
    double events;                   /* of the first event, counted by the kernel */
    double cpu_s;                    /* how long the first event ran: while its tasks did */
};
struct flm_ring_counts flm_rings_counts(const struct flm_rings *rings);

#endif
