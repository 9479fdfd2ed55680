/* internal.h - the viewer from inside: its parts together, and what is done to all of them. */
#ifndef FLAMEL_VIEWER_INTERNAL_H
#define FLAMEL_VIEWER_INTERNAL_H

#include "viewer/input_state.h"
#include "viewer/model/model.h"
#include "viewer/paint_state.h"
#include "viewer/scene/view.h"
#include "viewer/viewer.h"

/* What was said to the person last; "copy", "prompt" and "notice" return it. */
struct flm_messages {
    struct flm_text copied, prompt;
    struct flm_error notice; /* it needs no memory */
};

struct flm_viewer {
    struct flm_model model;
    struct flm_scene scene;
    struct flm_paint paint;
    struct flm_input input;
    struct flm_messages query;
    uint32_t scene_from, measured_from; /* versions that the scene and its tables were made from */
};

enum { FLM_GLIDE_MS = 120 };

/* Makes everything follow the state; called before anything is drawn or told. False, and `why`:
 * what could not be made is empty. */
bool flm_viewer_update(struct flm_viewer *viewer, struct flm_error *why);

/* The ref of a number that flm_node_ref_number made; none, where it is no node that is seen. */
struct flm_node_ref flm_node_ref_of_number(const struct flm_viewer *viewer, double number);

/* Called before what is shown is replaced: the scene, which is of it, goes, and where one was is
 * kept for the next. */
void flm_viewer_leave(struct flm_viewer *viewer);

/* Memory ran out in the midst of opening: a tree has grown whose layout has not. The panes go. */
void flm_viewer_drop_scene(struct flm_viewer *viewer);

/* Whether the panes are those that the model asks for. */
bool flm_viewer_is_updated(const struct flm_viewer *viewer);

/* Makes the coloring, unless it is there. */
bool flm_viewer_color(struct flm_viewer *viewer, struct flm_error *why);

/* How long a move takes: 0 where people want nothing to move. */
double flm_viewer_glide_ms(const struct flm_viewer *viewer);

/* Glides to a node, with its row in view; {0, 0}: to everything. */
void flm_viewer_zoom_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Glides to everything, as it was seen at first; and whether it is seen so. */
void flm_viewer_fit(struct flm_viewer *viewer);
bool flm_viewer_is_fit(const struct flm_viewer *viewer);

/* Scrolls within what there is. */
void flm_viewer_scroll(struct flm_viewer *viewer, double by_px, double duration_ms);

/* Scrolls as little as is needed to see the row of a ref. */
void flm_viewer_reveal(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Brings a ref into view: reveals its row; and where it is outside of what is seen, or too narrow
 * to be, moves and zooms until it can be told apart. */
void flm_viewer_show(struct flm_viewer *viewer, struct flm_node_ref ref);

/* The ref that an answer named by this number; false, and `why`, when there is none. */
bool flm_viewer_parse_ref(struct flm_viewer *viewer, struct flm_bytes number,
                          struct flm_node_ref *ref, struct flm_error *why);

/* The person is to type or choose something: "search", "palette" ... The answer to "prompt". */
bool flm_viewer_prompt(struct flm_viewer *viewer, const char *what);

/* The person is told why something was not done. The answer to "notice". */
void flm_viewer_notify_error(struct flm_viewer *viewer, const struct flm_error *why);

/* The same of what is no mistake, but has nothing to do: one is there already. True. */
bool flm_viewer_notify(struct flm_viewer *viewer, const char *words);

/* Selects; a ref that is none: nothing. */
void flm_viewer_select(struct flm_viewer *viewer, struct flm_node_ref ref);

/* What is at a point of the window: false where there is nothing. */
bool flm_viewer_hit(struct flm_viewer *viewer, double x, double y, struct flm_node_ref *ref,
                    struct flm_rectangle *box);

/* The viewport of a pane as it is seen now. Not its levels: all. */
struct flm_viewport flm_viewer_viewport(const struct flm_viewer *viewer,
                                        const struct flm_pane *pane);

/* What is under the pointer now. */
void flm_viewer_hover(struct flm_viewer *viewer, double x, double y);

/* Something was done that "back" takes back. Moving, which comes in many small steps: those that
 * follow one another closely are one. And what is no step, but what "back" comes back to has it: a
 * selection, a search, scrolling. */
void flm_viewer_history_push(struct flm_viewer *viewer);
void flm_viewer_history_coalesce(struct flm_viewer *viewer);
void flm_viewer_history_replace(struct flm_viewer *viewer);

/* Keeps a time, from the first sample on; an empty one: all of it. Keeps one more track, or one
 * less; NULL: all of them. Threads apart, each below a frame of its own, or merged again. */
bool flm_viewer_select_time(struct flm_viewer *viewer, struct flm_span ns, struct flm_error *why);
bool flm_viewer_toggle_track(struct flm_viewer *viewer, const struct flm_track *track, bool only,
                             struct flm_error *why);
bool flm_viewer_split_tracks(struct flm_viewer *viewer, struct flm_error *why);

/* Selects a ref and brings it into view. One that is none: nothing happens. */
void flm_viewer_walk_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Gives the panes their places anew, after the window or what is open changed. What was seen stays
 * where it was, and the scroll within what there is. */
void flm_viewer_arrange(struct flm_viewer *viewer);

/* Opens the node of a ref, whatever its width (scene.h). */
bool flm_viewer_open(struct flm_viewer *viewer, struct flm_node_ref ref, struct flm_error *why);

/* How far it is scrolled from where a scene is at first, in rows; and the way there. */
double flm_viewer_rows(const struct flm_viewer *viewer);
void flm_viewer_scroll_rows(struct flm_viewer *viewer, double rows);

/* Makes `camera` of the model the one of a pane, where each half has its own. */
void flm_viewer_turn_to(struct flm_viewer *viewer, uint32_t pane);

/* The camera's window of what is seen, the flame's area without minimap, in device px. */
struct flm_span flm_viewer_span(const struct flm_viewer *viewer);

/* The height of a row, and the area below the minimap in which panes are: device px. */
static inline double flm_viewer_row_px(const struct flm_viewer *viewer)
{
    return flm_scene_row_px(&viewer->scene);
}
static inline struct flm_area flm_viewer_area(const struct flm_viewer *viewer)
{
    return flm_scene_area(&viewer->model, &viewer->scene);
}
static inline struct flm_area flm_viewer_minimap(const struct flm_viewer *viewer)
{
    return flm_scene_minimap(&viewer->model, &viewer->scene);
}

/* A node of a pane that everything seen is in, the deepest; the root's when all is seen. */
struct flm_node flm_viewer_top_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

/* The same of what will be seen when the camera stands: what words are about, which are not told
 * again at each step. */
struct flm_node flm_viewer_goal_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

#endif
