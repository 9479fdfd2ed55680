/* thread_events.h - the events of a recording once more for single threads, with larger stack
 * dumps: what stack_sizes.h opens and closes.
 *
 * Each event with stack dumps is opened on every CPU, into the rings that there are. The samples of
 * a level have layouts of their own, behind those of the request, so that they can be told from
 * others by their ids:
 *
 *     layouts    event 0, event 1 ...   level 1: event 0, event 1 ...   level 2: ... */
#ifndef FLAMEL_RECORD_CAPTURE_THREAD_EVENTS_H
#define FLAMEL_RECORD_CAPTURE_THREAD_EVENTS_H

#include "record/capture/ring.h"
#include "record/capture/stack_sizes.h"

struct flm_thread_events {
    struct flm_rings *rings;
    struct flm_event_layouts *layouts;
    const struct flm_request *request;
    const struct flm_kernel *kernel;
    size_t sizes[FLM_STACK_SIZES_LEVELS];
    size_t most_files;                                    /* of all events together */
    size_t open_files;                                    /* of single threads */
    struct FLM_ARRAY(struct flm_thread_handle *) handles; /* NULL: free */
};

/* Adds the layouts of all levels; those of the request's events were added before, and `rings` is
 * open. False, and `why`, when memory ran out. */
bool flm_thread_events_init(struct flm_thread_events *events, struct flm_error *why);
void flm_thread_events_clear(struct flm_thread_events *events);

/* Its functions as stack_sizes.h wants them. */
struct flm_stack_sizes_events flm_thread_events_functions(struct flm_thread_events *events);

/* The level of a layout, and its event. */
unsigned flm_thread_events_level(const struct flm_thread_events *events,
                                 const struct flm_event_layout *layout, size_t *event);

/* Gives a copy of a record, or the beginning of one of a sample, the id of the event that all
 * threads have: readers of the spool know only that. The rings themselves cannot be written. */
void flm_thread_events_hide(const struct flm_thread_events *events, char *record, size_t size);

#endif
