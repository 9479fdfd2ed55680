/* timeline.h - when: the samples over time, above everything else, where the opened profile has
 * times.
 *
 *     |  all        _-##-____--###########--_                    |   dragging over a part keeps
 * only |  main 1234  _-##-____--####_________                     |   that time: the operation
 * time: |  worker     ___________-###########--                    |   a click on a name keeps only
 *     |  0 s        1 s        2 s        3 s        4 s         |   that thread: label:
 *
 * Both are chips like all others, so that everything (tables, shares, searches) is of what was
 * selected, and can be undone. In the chart the timeline shows, and moves, the part that is seen.
 */
#ifndef FLAMEL_VIEWER_SCENE_TIMELINE_H
#define FLAMEL_VIEWER_SCENE_TIMELINE_H

#include "base/text/text.h"
#include "draw/raster/pixels.h"
#include "layout/tracks.h"
#include "viewer/model/camera.h"

struct flm_viewer;

/* Rows that are shown at most; the others are counted. */
enum { FLM_MOST_TRACKS = 12 };

struct flm_timeline {
    struct flm_tracks tracks; /* of the opened profile */
    bool is_made;
    double *bars; /* row by row, `bar_count` each: the first row is all; NULL: to be made */
    uint32_t bar_count, row_count;
};

void flm_timeline_clear(struct flm_timeline *timeline);

/* Finds the tracks of the opened profile, unless it was done. */
bool flm_timeline_make(struct flm_viewer *viewer, struct flm_error *why);

/* How high it is in the window, in device px; 0 where nothing has a time. And the row at a height:
 * 0 is all, then the tracks; -1 for none. */
double flm_timeline_height(const struct flm_viewer *viewer);
int flm_timeline_row_at(const struct flm_viewer *viewer, double y);
bool flm_timeline_is_name(const struct flm_viewer *viewer, double x, double y);

/* From the first sample until the last one is over, in ns; and what of it is selected, from the
 * first sample on: false when all of it is. */
double flm_timeline_duration(const struct flm_viewer *viewer);
bool flm_timeline_selected(const struct flm_viewer *viewer, struct flm_span *ns);

/* Whether a track is among the selected ones, and whether any is. */
bool flm_timeline_track_is_on(const struct flm_viewer *viewer, const struct flm_track *track);
bool flm_timeline_has_track_on(const struct flm_viewer *viewer);

/* Keeps a time; an empty one: all of it. Keeps one more track, or one less; NULL: all of them. */
bool flm_timeline_select(struct flm_viewer *viewer, struct flm_span ns, struct flm_error *why);
bool flm_timeline_toggle(struct flm_viewer *viewer, const struct flm_track *track, bool only,
                         struct flm_error *why);

/* Threads apart, each below a frame of its own, or merged again: the operation split. */
bool flm_timeline_is_split(const struct flm_viewer *viewer);
bool flm_timeline_split(struct flm_viewer *viewer, struct flm_error *why);

/* The value of a track's label; and with the command in front, where it is known: what people
 * read. */
struct flm_bytes flm_track_name(const struct flm_profile *profile, const struct flm_track *track);
void flm_track_add_title(const struct flm_profile *profile, const struct flm_track *track,
                         struct flm_text *out);

/* How far ticks of an axis are from each other: 1, 2 or 5 times a power of ten, so that labels are
 * at least so far `apart`. */
double flm_tick_step(double duration, double width, double apart);

void flm_timeline_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);

#endif
