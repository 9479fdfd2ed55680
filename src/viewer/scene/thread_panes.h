/* thread_panes.h - the panes of a flame chart: one for each thread, in an order that stays.
 *
 *     build 4242                     a process with several threads has a heading
 *     ====~~~=======|--------===     a strip: the state of the thread at each time
 *     main 4242   main               its stacks, of each state on its own
 *
 *     +143 rows                      how many of its rows are not drawn: scene.h says when
 *
 * A process that is collapsed is one pane without stacks: its heading, and how many of its threads
 * are on a CPU. Short-lived threads may share rows (lanes.h).
 *
 * Threads are ordered by process, then by their first sample, or by cost; both are taken from the
 * opened profile, so that a thread keeps its place when a part of the time is selected. The axis
 * begins where the selected time begins.
 *
 * The chart of a thread is made when it is seen first: until then its pane has a chart without
 * samples, and the height that it will have. Of 500 threads with a million samples a window shows
 * ten. */
#ifndef FLAMEL_VIEWER_SCENE_THREAD_PANES_H
#define FLAMEL_VIEWER_SCENE_THREAD_PANES_H

#include "layout/thread_states.h"
#include "layout/tracks.h"
#include "viewer/scene/event_tracks.h"
#include "viewer/scene/pane.h"

struct flm_model;
struct flm_scene;

/* Threads that have a pane at most; more are counted. */
enum { FLM_MOST_THREADS = 4096 };

struct flm_threads {
    struct flm_tracks tracks; /* of the shown profile; a pane's `track` is an index of them */
    struct flm_thread_states states;
    int64_t start_ns;      /* the time of the left end of the axis */
    double offset_ns;      /* since the first sample of the opened profile */
    uint32_t *parent;      /* of the shown profile's nodes */
    uint32_t short_count;  /* threads that share rows, or would (lanes.h) */
    uint32_t hidden_count; /* threads beyond FLM_MOST_THREADS: the status tells */
    struct flm_event_tracks events;
};

void flm_threads_clear(struct flm_threads *threads);

/* Finds the threads of the shown profile, and the axis: false where there are none, or, with `why`,
 * if memory ran out. The timeline has been made. */
bool flm_threads_find(const struct flm_model *model, struct flm_scene *scene,
                      struct flm_error *why);

/* Adds their panes. */
bool flm_threads_add_panes(const struct flm_model *model, struct flm_scene *scene,
                           struct flm_error *why);

/* Makes the chart of a pane, unless it is there; and of all panes, for what looks for a node
 * anywhere. False, and `why`, if memory ran out: the pane is as it was. */
bool flm_threads_open(struct flm_scene *scene, struct flm_pane *pane, struct flm_error *why);
bool flm_threads_open_all(struct flm_scene *scene, struct flm_error *why);

/* A time as the axis has it: ns since the first sample of the opened profile. Times of a clock that
 * counts from 1970 are subtracted as integers, because a double has steps of 256 ns there. */
double flm_threads_ns(const struct flm_threads *threads, int64_t time_ns);

/* The thread of a pane; of a collapsed process the first one. */
const struct flm_track *flm_threads_track(const struct flm_scene *scene,
                                          const struct flm_pane *pane);

/* Which panes are expanded, by the model; they are arranged again after that. */
void flm_threads_expand(const struct flm_model *model, struct flm_scene *scene);

/* From a thread's first sample to the end of its last one, in ns of the axis; and as a part of it,
 * 0 to 1. */
struct flm_span flm_threads_extent(const struct flm_scene *scene, const struct flm_pane *pane);
double flm_threads_width(const struct flm_scene *scene, const struct flm_pane *pane);

/* The deep thread whose name, or whose line about rows that are not drawn, is at a point: x in the
 * window, y before scrolling. NULL: there is none. */
struct flm_pane *flm_threads_deep_at(const struct flm_scene *scene, double x_px, double y_px);

/* The pane with the heading of a process: of which the thread of a pane is, or whose heading (or
 * row, where it is collapsed) is at a height, before scrolling. NULL: there is none. */
const struct flm_pane *flm_threads_process_of(const struct flm_scene *scene, uint32_t pane);
const struct flm_pane *flm_threads_process_at(const struct flm_scene *scene, double y_px);

#endif
