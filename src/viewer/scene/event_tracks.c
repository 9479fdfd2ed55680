#include "viewer/scene/event_tracks.h"

#include <math.h>

#include "viewer/scene/scene.h"

enum { MARKERS_PX = 20, COUNTER_PX = 26 };

static double most_of(const struct flm_profile *p, struct flm_counter counter)
{
    struct flm_counter_points points = flm_profile_counter(p, counter);
    return flm_counter_most(&points, INT64_MIN, INT64_MAX);
}

/* Keeps the first places for larger ones; those before `first` stay. */
static void add_counter(struct flm_event_tracks *tracks, uint32_t first, struct flm_counter counter,
                        double most)
{
    uint32_t place = tracks->counter_count;
    while (place > first && tracks->most[place - 1] < most)
        place--;
    if (tracks->counter_count == FLM_MOST_COUNTER_TRACKS)
        tracks->hidden_count++;
    else
        tracks->counter_count++;
    for (uint32_t i = tracks->counter_count; i-- > place + 1;) {
        tracks->counter[i] = tracks->counter[i - 1];
        tracks->most[i] = tracks->most[i - 1];
    }
    if (place < tracks->counter_count) {
        tracks->counter[place] = counter;
        tracks->most[place] = most;
    }
}

static void add_counters(struct flm_event_tracks *tracks, bool of_recording)
{
    const struct flm_profile *p = tracks->profile;
    uint32_t first = tracks->counter_count;
    for (uint32_t i = 0; i < p->sizes.counter_count; i++)
        if ((p->counters[i].label_set == 0) == of_recording)
            add_counter(tracks, first, (struct flm_counter){i},
                        most_of(p, (struct flm_counter){i}));
}

void flm_event_tracks_find(const struct flm_profile *p, struct flm_event_tracks *tracks)
{
    *tracks = (struct flm_event_tracks){.profile = p, .has_markers = p->sizes.marker_count > 0};
    add_counters(tracks, true);
    add_counters(tracks, false);
}

uint32_t flm_event_track_count(const struct flm_event_tracks *tracks)
{
    return tracks->has_markers + tracks->counter_count;
}

bool flm_event_track_is_markers(const struct flm_event_tracks *tracks, uint32_t track,
                                uint32_t *counter)
{
    bool is_markers = tracks->has_markers && track == 0;
    *counter = is_markers ? 0 : track - tracks->has_markers;
    return is_markers;
}

double flm_event_track_height(const struct flm_scene *scene, uint32_t track)
{
    uint32_t counter;
    bool is_markers = flm_event_track_is_markers(&scene->threads.events, track, &counter);
    if (scene->window.is_cells)
        return flm_scene_row_px(scene);
    return round((is_markers ? MARKERS_PX : COUNTER_PX) * scene->window.scale);
}

double flm_event_track_top(const struct flm_scene *scene, uint32_t track)
{
    double top = 0;
    for (uint32_t i = 0; i < track; i++)
        top += flm_event_track_height(scene, i);
    return top;
}

uint32_t flm_marker_at(const struct flm_profile *p, int64_t time_ns, int64_t slack_ns)
{
    uint32_t low = 0, high = p->sizes.marker_count;
    double time = (double)time_ns, slack = (double)slack_ns;
    while (low < high) { /* the first that begins behind the slack */
        uint32_t middle = low + (high - low) / 2;
        if ((double)p->markers[middle].time_ns <= time + slack)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i-- > 0;) {
        double begin = (double)p->markers[i].time_ns;
        if (begin + (double)p->markers[i].duration_ns + slack >= time)
            return i;
    }
    return FLM_NONE;
}

uint32_t flm_counter_points_until(const struct flm_counter_points *points, int64_t time_ns)
{
    uint32_t low = 0, high = points->point_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points->time_ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double flm_counter_most(const struct flm_counter_points *points, int64_t from_ns, int64_t to_ns)
{
    uint32_t first = flm_counter_points_until(points, from_ns), i = first > 0 ? first - 1 : first;
    double most = -INFINITY;
    for (; i < points->point_count && points->time_ns[i] < to_ns; i++)
        most = fmax(most, points->value[i]);
    return most > -INFINITY ? most : 0;
}
