/* viewer.h - the viewer: profiles and user input in; pictures, and responses to queries, out.
 *
 * All state is here, so that the page, the terminal and a test are the same viewer: they forward
 * input, show the picture, and put responses into tables.
 *
 *     profile(s)                         opened; never changed
 *       | operations (chips)             operations.h: "hide:libc | by:function", each on or off
 *       v
 *     shown profile
 *       | view, metric, order            scene.h: panes, each a tree and its layout
 *       v
 *     scene ----- camera                 camera.h: the visible part, and how it moves there
 *       v
 *     picture                            painting.c: rectangles, styles, labels
 *
 * There are four kinds of input: an action as text (actions.h: "zoom-in", "order total"), a key,
 * the pointer, and the size of the window. An action changes the state, which is a short text
 * (state.h): the history keeps it, the URL shows it, and the viewer can be restored from it. Tables
 * and panels query the viewer, and get structs (query/query.h).
 *
 * The caller passes the time, in milliseconds of any clock. Nothing here waits: work that takes
 * longer than a frame (opening callers) is divided among frames. */
#ifndef FLAMEL_VIEWER_VIEWER_H
#define FLAMEL_VIEWER_VIEWER_H

#include "base/text/text.h"
#include "draw/raster/atlas.h"
#include "draw/raster/pixels.h"
#include "draw/terminal/cell_boxes.h"
#include "flamel/profile.h"
#include "viewer/model/comparing.h"

struct flm_viewer;

struct flm_viewer *flm_viewer_new(struct flm_error *why);
void flm_viewer_free(struct flm_viewer *viewer);

/* Shows a profile, or compares the shown one with it. The viewer owns it, also after a failure.
 * `name` is a file's. State that still makes sense stays: a baseline that has no metric in common
 * with a profile that is shown from now on goes, and a notice says so. */
bool flm_viewer_take(struct flm_viewer *viewer, enum flm_viewer_side side,
                     struct flm_profile *profile, const char *name, struct flm_error *why);

/* Compares two profiles, by side, whatever is shown. The viewer owns both, also after a failure. */
bool flm_viewer_take_both(struct flm_viewer *viewer, struct flm_profile *const profiles[2],
                          const char *const names[2], struct flm_error *why);

/* Who answers "code-wanted" knows the profile that was taken last as this side: also when it gets
 * the other one. Of any other profile no code is asked for. */
void flm_viewer_knows_code(struct flm_viewer *viewer, enum flm_viewer_side side);

/* Adds source files and machine code (code_store.h, as bytes), which the view of code shows. False,
 * and `why`: they are damaged, or memory ran out. */
bool flm_viewer_take_code(struct flm_viewer *viewer, struct flm_bytes store, struct flm_error *why);

/* Runs an action: "zoom-in", "apply hide:libc.so.6", "search parse". False, and `why`, if there is
 * no such action, or it is not possible now. actions.h has the list. */
bool flm_viewer_do(struct flm_viewer *viewer, struct flm_bytes action, struct flm_error *why);

/* A key by the name that browsers give it ("a", "A", "ArrowLeft", "Enter", "+"), and the modifiers
 * held. False for a key without an action; an action that is not possible now becomes a notice. */
enum { FLM_HELD_SHIFT = 1, FLM_HELD_CONTROL = 2, FLM_HELD_ALT = 4, FLM_HELD_COMMAND = 8 };
bool flm_viewer_key(struct flm_viewer *viewer, struct flm_bytes key, unsigned held, double now_ms);

/* The window, in device pixels, and device pixels per CSS pixel: the heights of rows and fonts
 * follow from the scale. */
void flm_viewer_resize(struct flm_viewer *viewer, uint32_t width, uint32_t height, double scale);

/* The pointer, in device pixels. `touch`: a finger, which does not hover. A press and release at
 * one position is a click (select; the second one zooms), else a drag (pan; in the minimap: a
 * range). */
enum flm_pointer_event {
    FLM_POINTER_MOVE,
    FLM_POINTER_DOWN,
    FLM_POINTER_UP,
    FLM_POINTER_LEAVE,
    FLM_POINTER_MENU /* the other button, or a long press: selects, and asks for the menu */
};
void flm_viewer_pointer(struct flm_viewer *viewer, enum flm_pointer_event event, double x, double y,
                        unsigned held, bool touch, double now_ms);

/* The wheel: zooms at the pointer; with SHIFT, or sideways, it pans, and with ALT it scrolls. With
 * CONTROL it is the pinch of a touchpad, whose steps are small. */
void flm_viewer_wheel(struct flm_viewer *viewer, double x, double y, double dx, double dy,
                      unsigned held, double now_ms);

/* Two fingers: moved by (dx, dy), apart by `factor`, around (x, y). */
void flm_viewer_pinch(struct flm_viewer *viewer, double x, double y, double factor, double dx,
                      double dy, double now_ms);

/* A clock for the overlay, which says how long the stages of a picture take; without one it does
 * not. */
void flm_viewer_clock(struct flm_viewer *viewer, double (*clock_ms)(void));

/* Light or dark, forced colors (the eight that the page found; see theme.h), reduced motion. */
struct flm_theme {
    bool dark, forced, still;
    uint32_t forced_text, forced_page, forced_accent, forced_mark; /* 0xRRGGBB */
};
void flm_viewer_theme(struct flm_viewer *viewer, const struct flm_theme *theme);

enum { FLM_WHEEL_RESTS_MS = 100 };

/* Paints the whole window. `pixels` has the size of the last resize. Returns whether another frame
 * is wanted soon: something moves, or is not complete yet. If memory runs out, the picture is empty
 * and there is a notice. While a wheel scrolls a flame chart nothing is pointed at: one more
 * picture is wanted FLM_WHEEL_RESTS_MS after its last turn. */
bool flm_viewer_paint(struct flm_viewer *viewer, struct flm_pixels *pixels, double now_ms);

/* While there is nothing else to do: makes something that a picture after the next scrolling needs,
 * within some milliseconds. Returns whether there may be more. */
bool flm_viewer_prepare(struct flm_viewer *viewer);

/* flm_viewer_paint for a terminal, whose window is measured in cells. The pointer is still in
 * pixels: a cell is FLM_CELL_PX by FLM_CELL_HEIGHT_PX of them. The picture has no minimap and no
 * margins, and is drawn into a part of a screen that has this size. */
void flm_viewer_resize_cells(struct flm_viewer *viewer, int columns, int rows);
bool flm_viewer_paint_cells(struct flm_viewer *viewer, struct flm_screen *screen,
                            struct flm_cell_area pane, double now_ms);

/* The glyphs of the picture; the caller fills it (atlas.h). A resize to another scale replaces it.
 */
struct flm_atlas *flm_viewer_atlas(struct flm_viewer *viewer);

/* The queries to repeat: each response has a version, 0 at first, that changes with it. The picture
 * is up to date when its version is the painted one. */
enum flm_viewer_group {
    FLM_GROUP_PICTURE,
    FLM_GROUP_HOVER,   /* "hover": the tooltip */
    FLM_GROUP_DETAIL,  /* "detail": the panel */
    FLM_GROUP_TOOLS,   /* "tools": view, metric, order ... */
    FLM_GROUP_CHIPS,   /* "chips", "searches" */
    FLM_GROUP_TABLES,  /* "top", "tree", "list" */
    FLM_GROUP_STATUS,  /* "status" */
    FLM_GROUP_STATE,   /* "state": the URL */
    FLM_GROUP_SPEECH,  /* the selection, for a screen reader */
    FLM_GROUP_OVERLAY, /* "overlay": the debug figures */
    FLM_GROUP_TRACKS,  /* "tracks" */
    FLM_GROUP_HISTORY, /* a step was added, which "back" undoes */
    FLM_GROUP_COPY,    /* "copy": text for the clipboard */
    FLM_GROUP_PROMPT,  /* "prompt": the user is to type something (a palette, a name) */
    FLM_GROUP_NOTICE,  /* "notice": why something was not done, in a sentence */
    FLM_GROUP_CODE,    /* "code", "code-rows", "code-wanted" */
    FLM_GROUPS
};
uint32_t flm_viewer_version(const struct flm_viewer *viewer, enum flm_viewer_group group);
uint32_t flm_viewer_painted_version(const struct flm_viewer *viewer);

/* For callers that show the viewer: the versions they have seen ({0}: none). Returns the groups
 * that changed since, as bits, and marks them as seen. A picture that was painted since is not a
 * change. */
struct flm_seen_versions {
    uint32_t of[FLM_GROUPS];
};
#define FLM_CHANGED(group) (1u << FLM_GROUP_##group)
unsigned flm_viewer_changes(const struct flm_viewer *viewer, struct flm_seen_versions *seen);

#endif
