/* occupancy.h - how many of some threads are on a CPU at each time.
 *
 *     thread 1    ####____####        on-CPU, by its states (thread_states.h)
 *     thread 2    __########__
 *     running     11221122 ...
 *
 * Two steps for each time that a thread spends on a CPU without a pause, sorted; then a look-up is
 * O(log steps). */
#ifndef FLAMEL_LAYOUT_OCCUPANCY_H
#define FLAMEL_LAYOUT_OCCUPANCY_H

#include "layout/thread_states.h"

struct flm_occupancy {
    int64_t *time_ns; /* ascending: from here to the next one so many run */
    uint32_t *running;
    uint32_t count;
};

/* Of the tracks whose process is this string (flm_track's `process`); only of a profile with
 * states. False, and `why`, if memory ran out. */
bool flm_occupancy_init(struct flm_occupancy *occupancy, const struct flm_thread_states *states,
                        const struct flm_profile *profile, const struct flm_tracks *tracks,
                        uint32_t process, struct flm_error *why);
void flm_occupancy_clear(struct flm_occupancy *occupancy);

uint32_t flm_occupancy_at(const struct flm_occupancy *occupancy, int64_t time_ns);

#endif
