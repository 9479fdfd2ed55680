/* timeline.h - the samples over time, above the panes, if the opened profile has times.
 *
 *     |  all        _-##-____--###########--_                    |   dragging over a part keeps
 *     |  main 1234  _-##-____--####_________                     |   only that time: time:
 *     |  worker     ___________-###########--                    |   a click on a name keeps only
 *     |  0 s        1 s        2 s        3 s        4 s         |   that thread: label:
 *
 * Both are chips like all others: tables, shares and searches cover only the selection, which can
 * be undone. In a flame chart the timeline shows and moves the visible part. */
#ifndef FLAMEL_VIEWER_SCENE_TIMELINE_H
#define FLAMEL_VIEWER_SCENE_TIMELINE_H

#include "base/text/text.h"
#include "layout/tracks.h"
#include "viewer/model/camera.h"

struct flm_model;
struct flm_scene;

/* Rows that are shown at most; the others are counted. */
enum { FLM_MOST_TRACKS = 12 };

/* Heights of its rows and of its axis, and the most that a name takes: CSS px. */
enum {
    FLM_TIMELINE_ALL_PX = 24,
    FLM_TIMELINE_TRACK_PX = 16,
    FLM_TIMELINE_AXIS_PX = 16,
    FLM_TIMELINE_NAME_PX = 120
};

struct flm_timeline {
    struct flm_tracks tracks; /* of the opened profile */
    uint32_t made_from;       /* of what is open and of the metric; 0: not made yet */
    double *bars; /* row by row, `bar_count` each: the first row is all; NULL: to be made */
    uint32_t bar_count, row_count;
};

void flm_timeline_clear(struct flm_timeline *timeline);

/* Finds the tracks of the opened profile, unless it was done. */
bool flm_timeline_make(const struct flm_model *model, struct flm_scene *scene,
                       struct flm_error *why);

/* How high it is in the window, in device px; 0 where nothing has a time. And the row at a height:
 * 0 is all, then the tracks; -1 for none. */
double flm_timeline_height(const struct flm_model *model, const struct flm_scene *scene);
uint32_t flm_timeline_track_rows(const struct flm_model *model, const struct flm_scene *scene);
double flm_timeline_row_top(const struct flm_scene *scene, int row);
int flm_timeline_row_at(const struct flm_model *model, const struct flm_scene *scene, double y);
bool flm_timeline_is_name(const struct flm_model *model, const struct flm_scene *scene, double x,
                          double y);

/* From the first sample until the last one is over, in ns; and what of it is selected, from the
 * first sample on: false when all of it is. */
double flm_timeline_duration(const struct flm_scene *scene);
bool flm_timeline_selected(const struct flm_model *model, const struct flm_scene *scene,
                           struct flm_span *ns);

/* Whether a track is among the selected ones, and whether any is. */
bool flm_timeline_track_is_on(const struct flm_model *model, const struct flm_scene *scene,
                              const struct flm_track *track);
bool flm_timeline_has_track_on(const struct flm_model *model, const struct flm_scene *scene);

/* Whether a track is hidden; NULL: whether any is. */
bool flm_timeline_is_hidden(const struct flm_model *model, const struct flm_scene *scene,
                            const struct flm_track *track);

/* Whether threads are apart, each below a frame of its own: the operation split. */
bool flm_timeline_is_split(const struct flm_model *model);

/* The labels by which tracks are selected, or hidden: "label:thread=" or "unlabel:thread=", which
 * `prefix` receives, and behind it values with commas between them, one after the other by
 * flm_timeline_next_label. {NULL} where none is. */
enum flm_timeline_choice { FLM_TRACKS_SELECTED, FLM_TRACKS_HIDDEN };
void flm_timeline_add_label(const struct flm_model *model, const struct flm_scene *scene,
                            enum flm_timeline_choice choice, struct flm_text *prefix);
struct flm_bytes flm_timeline_labels(const struct flm_model *model, const struct flm_scene *scene,
                                     enum flm_timeline_choice choice, struct flm_text *prefix);
bool flm_timeline_next_label(struct flm_bytes values, size_t *at, struct flm_bytes *value);

/* The value of a track's label; and with the command in front, where it is known: what people
 * read. */
struct flm_bytes flm_track_name(const struct flm_profile *profile, const struct flm_track *track);
void flm_track_add_title(const struct flm_profile *profile, const struct flm_track *track,
                         struct flm_text *out);

/* A time `ns` behind another one; the last or the first there is where that is beyond it. */
int64_t flm_time_after(int64_t time_ns, double ns);

#endif
