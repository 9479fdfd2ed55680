/* lanes.h - short-lived threads of a flame chart share rows: one behind the other, where each
 * began.
 *
 *     7 short threads  | [cc1]  [as]   [cc1]   [cc1] |     a lane: threads that do not overlap
 *     3 short threads  |    [sh] [ld]            [sh]|     and the next one, for those that do
 *
 * A build has hundreds of processes that live for a hundredth of it. With rows of their own they
 * are pages to scroll through in which a window is nearly empty, and what ran side by side is
 * pages apart. Lanes are as many as ran at once. The Firefox Profiler hides what it finds idle and
 * shows 15 tracks; nothing is hidden here. Short threads of one process are a group with lanes of
 * its own, and so are all that are alone in their processes; it is where its first one was. Each
 * has rows of its own where there are few, or where that was chosen.
 *
 * The panes of a lane are neighbors, and have one place in the window. */
#ifndef FLAMEL_VIEWER_SCENE_LANES_H
#define FLAMEL_VIEWER_SCENE_LANES_H

#include "viewer/scene/scene.h"

/* A thread is short if its samples span less than this part of the axis. So many make lanes. */
#define FLM_SHORT_SHARE 0.1
enum { FLM_SHORT_LEAST = 10 };

/* Puts short threads into lanes: the panes are in another order then. The heading of each process
 * is known. False, and `why`, if memory ran out. */
bool flm_lanes_find(struct flm_scene *scene, bool apart, struct flm_error *why);

/* The first pane of its lane, and the end of the panes that have its place in the window. */
const struct flm_pane *flm_lane_first(const struct flm_scene *scene, const struct flm_pane *pane);
const struct flm_pane *flm_lane_end(const struct flm_scene *scene, const struct flm_pane *pane);

/* Whether all rows of it are shown: a thread of it is expanded. */
bool flm_lane_is_open(const struct flm_scene *scene, const struct flm_pane *pane);

#endif
