/* internal.h - the viewer from inside: its parts, and functions that work on several of them. */
#ifndef FLAMEL_VIEWER_INTERNAL_H
#define FLAMEL_VIEWER_INTERNAL_H

#include "viewer/input_state.h"
#include "viewer/model/model.h"
#include "viewer/paint_state.h"
#include "viewer/scene/view.h"
#include "viewer/viewer.h"

/* Messages for the user; the queries "copy", "prompt" and "notice" return them. */
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
    uint32_t scene_from, panes_from, measured_from; /* versions that these were made from */
};

enum { FLM_GLIDE_MS = 120 };

/* Brings the scene up to date with the model; called before drawing, and before every query. False,
 * and `why`: parts that could not be made are empty. */
bool flm_viewer_update(struct flm_viewer *viewer, struct flm_error *why);

/* The inverse of flm_node_ref_number; no ref, if no node with a width has this number. */
struct flm_node_ref flm_node_ref_of_number(const struct flm_viewer *viewer, double number);

/* Called before the shown profile is replaced: frees the scene, which borrows from it, and saves
 * the viewpoint for the next scene. */
void flm_viewer_leave(struct flm_viewer *viewer);

/* Memory ran out while callers were opened: a tree has grown, its layout has not. Frees the panes.
 */
void flm_viewer_drop_scene(struct flm_viewer *viewer);

/* Whether the scene is up to date with the model. */
bool flm_viewer_is_updated(const struct flm_viewer *viewer);

/* Makes the coloring, unless it is up to date. */
bool flm_viewer_color(struct flm_viewer *viewer, struct flm_error *why);

/* How long a move takes: 0 with reduced motion. */
double flm_viewer_glide_ms(const struct flm_viewer *viewer);

/* Glides to a node, and scrolls its row into view; {0, 0}: zooms out completely. */
void flm_viewer_zoom_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Glides back to the initial view: everything, not scrolled; and whether that is the view. */
void flm_viewer_fit(struct flm_viewer *viewer);
bool flm_viewer_is_fit(const struct flm_viewer *viewer);

/* Scrolls, within the content. */
void flm_viewer_scroll(struct flm_viewer *viewer, double by_px, double duration_ms);

/* Scrolls as little as is needed to see the row of a ref. */
void flm_viewer_reveal(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Brings a ref into view: scrolls to its row; if it is outside of the window or too narrow to be
 * seen, also pans and zooms. */
void flm_viewer_show(struct flm_viewer *viewer, struct flm_node_ref ref);

/* The ref of a number in an action; false, and `why`, if there is none. */
bool flm_viewer_parse_ref(struct flm_viewer *viewer, struct flm_bytes number,
                          struct flm_node_ref *ref, struct flm_error *why);

/* Asks the user to type or choose something: "search", "palette" ... False if memory ran out. */
bool flm_viewer_prompt(struct flm_viewer *viewer, const char *what);

/* Tells the user why something was not done: the response to "notice", an error unless its kind is
 * FLM_ERROR_NONE. */
void flm_viewer_notify_error(struct flm_viewer *viewer, const struct flm_error *why);

/* A notice that is not an error: there was nothing to do. Returns true. */
bool flm_viewer_notify(struct flm_viewer *viewer, const char *words);

/* Selects a node; no ref: clears the selection. */
void flm_viewer_select(struct flm_viewer *viewer, struct flm_node_ref ref);

/* The node and box at a point of the window; false if there is none. */
bool flm_viewer_hit(struct flm_viewer *viewer, double x, double y, struct flm_node_ref *ref,
                    struct flm_rectangle *box);

/* Where a node is drawn now, as far as it is in the window; false, and nothing is set, if it is
 * not. */
bool flm_viewer_place(struct flm_viewer *viewer, struct flm_node_ref ref, struct flm_area *box);

/* Selects what is at a point of the window, and asks for the menu there. */
void flm_viewer_menu_at(struct flm_viewer *viewer, double x, double y);

/* The visible part of a pane now, with all levels. */
struct flm_viewport flm_viewer_viewport(const struct flm_viewer *viewer,
                                        const struct flm_pane *pane);

/* Updates the hovered node for a pointer position. */
void flm_viewer_hover(struct flm_viewer *viewer, double x, double y);

/* Records the state in the history. push: a step that "back" undoes. coalesce: a move, which comes
 * in many small steps: steps close in time are one. replace: a change that is not a step of its own
 * (a selection, a search, scrolling) becomes part of the current one. */
void flm_viewer_history_push(struct flm_viewer *viewer);
void flm_viewer_history_coalesce(struct flm_viewer *viewer);
void flm_viewer_history_replace(struct flm_viewer *viewer);

/* Restricts the profile to a time range, counted from the first sample; an empty range: all of it.
 * Adds or removes a track; NULL: all tracks, hidden ones too. Hides a track, or shows it again.
 * Splits threads, each below a frame of its own, or merges them again. */
bool flm_viewer_select_time(struct flm_viewer *viewer, struct flm_span ns, struct flm_error *why);
bool flm_viewer_toggle_track(struct flm_viewer *viewer, const struct flm_track *track, bool only,
                             struct flm_error *why);
bool flm_viewer_hide_track(struct flm_viewer *viewer, const struct flm_track *track,
                           struct flm_error *why);
bool flm_viewer_split_tracks(struct flm_viewer *viewer, struct flm_error *why);

/* Collapses the process of a pane with its heading to one row, or opens it; and all of them. */
bool flm_viewer_collapse(struct flm_viewer *viewer, const struct flm_pane *process,
                         struct flm_error *why);
bool flm_viewer_collapse_all(struct flm_viewer *viewer, struct flm_error *why);

/* All rows of a deep thread, or the first ones (scene.h); of all threads; and all where any is to
 * be seen, not as a step of the history: nothing where memory runs out. */
bool flm_viewer_expand(struct flm_viewer *viewer, const struct flm_pane *thread,
                       struct flm_error *why);
bool flm_viewer_expand_all(struct flm_viewer *viewer, struct flm_error *why);
void flm_viewer_expand_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Selects a ref and brings it into view; no ref: does nothing. */
void flm_viewer_walk_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Arranges the panes again, after the window or the opened nodes changed. The visible part stays
 * where it was, and the scroll position within the content. */
void flm_viewer_arrange(struct flm_viewer *viewer);

/* Opens the node of a ref, whatever its width (scene.h). */
bool flm_viewer_open(struct flm_viewer *viewer, struct flm_node_ref ref, struct flm_error *why);

/* The scroll position in rows, relative to the initial one; and scrolling to it. */
double flm_viewer_rows(const struct flm_viewer *viewer);
void flm_viewer_scroll_rows(struct flm_viewer *viewer, double rows);

/* Makes `camera` of the model the one of a pane, where each half has its own. */
void flm_viewer_turn_to(struct flm_viewer *viewer, uint32_t pane);

/* The visible span of the camera. And a span of a flame chart as time since the first sample,
 * which is what the timeline shows: the axis begins where the selected time does. */
struct flm_span flm_viewer_span(const struct flm_viewer *viewer);
struct flm_span flm_viewer_time(const struct flm_viewer *viewer, struct flm_span span);

/* The height of a row, and the area of the panes below the minimap: device px. */
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

/* The version of what a picture is made from, but for where it is scrolled to and the pointer. */
uint32_t flm_viewer_still_version(const struct flm_viewer *viewer);

/* Whether a wheel scrolls a flame chart just now. Then nothing is pointed at, and frames copy what
 * stays (paint/scrolled.c); after it the picture is painted as a whole. */
bool flm_viewer_is_scrolling(const struct flm_viewer *viewer);

/* Makes the listing of the view of code, unless it is up to date (scene/code_rows.h); and the row
 * of the line that is selected there, FLM_NONE: none. */
bool flm_viewer_make_code(struct flm_viewer *viewer, struct flm_error *why);
uint32_t flm_code_selected_row(const struct flm_viewer *viewer, enum flm_listing_side *side);

/* The rows of that view as text, for the clipboard: of the source, and of the machine code where it
 * is shown. */
bool flm_query_code_text(struct flm_viewer *viewer, bool markdown, struct flm_text *out,
                         struct flm_error *why);

/* The deepest node of a pane that contains everything visible; the root when zoomed out. */
struct flm_node flm_viewer_top_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

/* The same for the span that the camera moves to: for texts, which are not updated in each frame.
 */
struct flm_node flm_viewer_goal_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

#endif
