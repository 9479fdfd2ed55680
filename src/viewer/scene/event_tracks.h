/* event_tracks.h - the tracks of markers and counters in a flame chart, between the ruler and the
 * threads, which are scrolled below them.
 *
 *     markers        | exec gzip      | exit        what happened, and when
 *     memory  412 M  _____--------________          a quantity over time
 */
#ifndef FLAMEL_VIEWER_SCENE_EVENT_TRACKS_H
#define FLAMEL_VIEWER_SCENE_EVENT_TRACKS_H

#include "profile/columns.h"

struct flm_scene;

/* Counters that have a track at most: those of the whole recording first. The others are
 * counted. */
enum { FLM_MOST_COUNTER_TRACKS = 4 };

struct flm_event_tracks {
    const struct flm_profile *profile; /* the shown one; borrowed */
    bool has_markers;
    struct flm_counter counter[FLM_MOST_COUNTER_TRACKS];
    double most[FLM_MOST_COUNTER_TRACKS]; /* the largest value of each */
    uint32_t counter_count;
    uint32_t hidden_count; /* counters without a track: the status tells */
};

void flm_event_tracks_find(const struct flm_profile *profile, struct flm_event_tracks *tracks);

/* How many there are: markers first. Their heights, device px: of one, and of all before it. */
uint32_t flm_event_track_count(const struct flm_event_tracks *tracks);
double flm_event_track_height(const struct flm_scene *scene, uint32_t track);
double flm_event_track_top(const struct flm_scene *scene, uint32_t track);

/* Whether a track is that of the markers; else the index of its counter in `counter`. */
bool flm_event_track_is_markers(const struct flm_event_tracks *tracks, uint32_t track,
                                uint32_t *counter);

/* The marker at a time: the last one that begins at or before it and lasts until it, or begins at
 * most `slack_ns` before or behind it. FLM_NONE where there is none. */
uint32_t flm_marker_at(const struct flm_profile *profile, int64_t time_ns, int64_t slack_ns);

/* The number of points of a counter at or before a time: its value then is that of the last. */
uint32_t flm_counter_points_until(const struct flm_counter_points *points, int64_t time_ns);

/* The largest value in a time; 0 where none is known. */
double flm_counter_most(const struct flm_counter_points *points, int64_t from_ns, int64_t to_ns);

#endif
