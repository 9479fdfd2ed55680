/* kept_markers.h - the markers and counters that stay where samples are kept by label or time.
 *
 *     range            |-----------------|
 *     markers      |=======|    |           |    the part of the first; the second
 *     a counter    4    2     7       1     3    4 . . 2 at the beginning, 7, 1
 *
 * A counter keeps its value at the beginning of the range as a point there. */
#ifndef FLAMEL_ALGEBRA_OPERATION_KEPT_MARKERS_H
#define FLAMEL_ALGEBRA_OPERATION_KEPT_MARKERS_H

#include "profile/columns.h"

struct flm_kept_markers {
    struct flm_marker_record *markers;
    struct flm_counter_record *counters;
    int64_t *point_time;
    double *point_value;
};

/* Gives `view`, a copy of a profile's structure, what stays of its markers and counters: those in
 * [from_ns, to_ns) (FLM_NO_TIME: from the first; INT64_MAX: to the last) whose label set has
 * keeps_set[set] != 0 (NULL: all sets). `kept` holds them until it is cleared. False if
 * memory ran out. */
bool flm_markers_keep(struct flm_kept_markers *kept, struct flm_profile *view,
                      const unsigned char *keeps_set, int64_t from_ns, int64_t to_ns);

void flm_kept_markers_clear(struct flm_kept_markers *kept);

#endif
