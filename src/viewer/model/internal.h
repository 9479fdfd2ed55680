/* parts.h - the viewer from inside: what its files share. Private to src/view. */
#ifndef FLAMEL_VIEWER_MODEL_INTERNAL_H
#define FLAMEL_VIEWER_MODEL_INTERNAL_H

#include "draw/color/color_mode.h"
#include "profile/columns.h"
#include "viewer/model/camera.h"
#include "viewer/model/compared.h"
#include "viewer/model/history.h"
#include "viewer/model/searches.h"
#include "viewer/model/transforms.h"
#include "viewer/model/viewer.h"
#include "viewer/scene/cached_tables.h"
#include "viewer/scene/scene.h"
#include "viewer/scene/timeline.h"

/* The sizes of the look, in CSS pixels (LOOK.md). */
enum {
    FLM_ROW_PX = 18,
    FLM_FONT_PX = 12,
    FLM_MINIMAP_PX = 48,
    FLM_MARGIN_PX = 8,
    FLM_GLIDE_MS = 120
};

/* Before any clock began. */
#define FLM_LONG_AGO_MS (-1e9)

/* What the person does with the pointer. */
struct flm_drag {
    enum {
        FLM_DRAG_NONE,
        FLM_DRAG_PRESSED,
        FLM_DRAG_PAN,
        FLM_DRAG_BRUSH,
        FLM_DRAG_WINDOW,
        FLM_DRAG_RANGE /* in the timeline */
    } kind;
    double x, y;           /* where it began */
    double last_x, last_y; /* where it is */
    struct flm_span span;  /* what was seen when it began */
    double scroll_px;
    double released_ms; /* of the last click, for a second one */
    double released_x, released_y;
};

/* Where one is, whatever becomes of the scene: paths of nodes, and what part of all is seen. */
struct flm_place {
    bool is;
    struct flm_path selected, zoomed;
    struct flm_span share, beside;
    uint32_t half;
    double rows; /* scrolled from where a scene is at first; negative: up */
};

struct flm_viewer {
    struct flm_profile *opened[2]; /* by enum flm_viewer_side; owned */
    char *name[2];

    /* ---- State: what the URL has ---- */
    enum flm_view_kind view;
    bool flame;    /* root at the bottom */
    bool inverted; /* leaf first */
    enum flm_sibling_order order;
    uint32_t metric; /* of the shown profile */
    enum flm_color_mode color_mode;
    struct flm_text color_with; /* the second metric's name, or the person's rules */
    struct flm_operations operations;
    struct flm_searches searches;
    struct flm_text focus;                /* the sandwich's pattern, as pattern.h has it */
    struct flm_rectangle selected_run;    /* where a run was selected: which; else count 0 */
    struct flm_node_ref selected, zoomed; /* zoomed: the camera is exactly there */
    struct flm_text sort;                 /* of the top table: "self", "-total" ... */
    struct flm_text source_link;          /* "vscode://file/{file}:{line}"; "": none */
    struct flm_comparing comparing;       /* with another file, or another part of this one */

    /* ---- What follows from it ---- */
    struct flm_scene scene;
    bool scene_is_stale;
    struct flm_camera camera, beside; /* of a sandwich the other half's; see places.c */
    uint32_t half;                    /* of a sandwich: the pane that `camera` is of; else 0 */
    struct flm_place left;            /* where one was in a scene that is gone */
    bool camera_is_fresh;             /* nothing was moved yet: a new scene is shown whole */
    struct flm_node_ref hovered;
    struct flm_rectangle hovered_box; /* where it is; also of a run */
    double hover_x, hover_y;
    struct flm_history history;
    struct flm_timeline timeline;
    double wheel_ms; /* when it last moved */
    struct flm_drag drag;
    struct flm_cached_tables tables; /* of the shown profile */

    /* ---- The window ---- */
    uint32_t width, height; /* device px */
    bool is_cells;          /* of a terminal */
    double scale;
    struct flm_theme theme;
    struct flm_atlas *atlas;
    struct flm_coloring coloring; /* of the shown profile */
    bool is_colored;              /* false: the coloring is to be made */
    struct flm_legend legend;     /* of the coloring and the first pane */
    bool has_legend;
    double *second_total; /* by node: totals of the second metric, where it gives the color */
    uint32_t *minimap;    /* its picture without the window, and paler; kept between pictures */
    bool minimap_is_stale;

    bool shows_tracks; /* state too: the timeline has a row for each thread */
    bool shows_overlay, hides_panel;
    unsigned changed; /* FLM_CHANGED_... */
    struct flm_text copied, asked;
    struct flm_error notice; /* what was said last; it needs no memory */

    /* Of the last picture, for the overlay. */
    struct {
        uint64_t visited;
        uint32_t drawn, merged;
        double merged_total;        /* of boxes that stand for several */
        double layout_ms, paint_ms; /* where there is a clock */
    } picture;
    double (*clock_ms)(void);
    double now_ms;
};

/* Makes everything follow the state; called before anything is drawn or told. False, and `why`:
 * what could not be made is empty. */
bool flm_viewer_update(struct flm_viewer *viewer, struct flm_error *why);

/* The profile after the operations; NULL when none is open. */
static inline const struct flm_profile *flm_viewer_shown(const struct flm_viewer *viewer)
{
    return flm_operations_shown(&viewer->operations);
}

static inline bool flm_node_ref_is(struct flm_node_ref ref)
{
    return ref.number != FLM_NONE;
}

static inline bool flm_node_refs_equal(struct flm_node_ref a, struct flm_node_ref b)
{
    return a.number == b.number && (a.number == FLM_NONE || a.pane == b.pane);
}

/* A ref as one number, for answers and actions; and back (FLM_NONE for what is none). */
static inline double flm_node_ref_number(struct flm_node_ref ref)
{
    return (double)ref.pane * 4294967296.0 + ref.number;
}
struct flm_node_ref flm_node_ref_of_number(const struct flm_viewer *viewer, double number);

/* Called before what is shown is replaced: the scene, which is of it, goes, and where one was is
 * kept for the next. */
void flm_viewer_leave(struct flm_viewer *viewer);

/* Everything a change of these makes stale. */
void flm_viewer_forget_scene(struct flm_viewer *viewer);
void flm_viewer_drop_scene(struct flm_viewer *viewer); /* memory ran out in the midst of opening */
void flm_viewer_forget_measures(struct flm_viewer *viewer); /* another metric */
void flm_viewer_forget_colors(struct flm_viewer *viewer);

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
bool flm_viewer_spot_named(struct flm_viewer *viewer, struct flm_bytes number,
                           struct flm_node_ref *ref, struct flm_error *why);

/* The person is to type or choose something: "search", "palette" ... The answer to "ask". */
bool flm_viewer_ask_for(struct flm_viewer *viewer, const char *what);

/* The person is told why something was not done. The answer to "notice". */
void flm_viewer_say(struct flm_viewer *viewer, const struct flm_error *why);

/* The same of what is no mistake, but has nothing to do: one is there already. True. */
bool flm_viewer_tell(struct flm_viewer *viewer, const char *words);

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

/* Selects a ref and brings it into view. One that is none: nothing happens. */
void flm_viewer_walk_to(struct flm_viewer *viewer, struct flm_node_ref ref);

/* Gives the panes their places anew, after the window or what is open changed. What was seen stays
 * where it was, and the scroll within what there is. */
void flm_viewer_place(struct flm_viewer *viewer);

/* Opens the node of a ref, whatever its width (scene.h). */
bool flm_viewer_open(struct flm_viewer *viewer, struct flm_node_ref ref, struct flm_error *why);

/* How far it is scrolled from where a scene is at first, in rows; and the way there. */
double flm_viewer_rows(const struct flm_viewer *viewer);
void flm_viewer_scroll_rows(struct flm_viewer *viewer, double rows);

/* Replaces a text; false, and the text as it was, if memory ran out. */
bool flm_viewer_keep(struct flm_text *text, struct flm_bytes value);

/* Whether what is seen are the halves of a sandwich, each with a camera; and makes `camera` the one
 * of a pane. */
bool flm_viewer_has_halves(const struct flm_viewer *viewer);
void flm_viewer_turn_to(struct flm_viewer *viewer, uint32_t pane);

/* The camera's window of what is seen, the flame's area without minimap, in device px. */
struct flm_span flm_viewer_span(const struct flm_viewer *viewer);

/* The height of a row, and the area below the minimap in which panes are: device px. */
double flm_viewer_row_px(const struct flm_viewer *viewer);
struct flm_area {
    double left, top, width, height;
};
struct flm_area flm_viewer_area(const struct flm_viewer *viewer);
struct flm_area flm_viewer_minimap(const struct flm_viewer *viewer);

/* A node of a pane that everything seen is in, the deepest; the root's when all is seen. */
struct flm_node flm_viewer_top_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

/* The same of what will be seen when the camera stands: what words are about, which are not told
 * again at each step. */
struct flm_node flm_viewer_goal_node(const struct flm_viewer *viewer, const struct flm_pane *pane);

#endif
