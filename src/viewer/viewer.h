/* viewer.h - the viewer: what a person looks at and what they do, in; pictures and words, out.
 *
 * All state is here, so that the page, the terminal and a test are the same viewer: they forward
 * what a person does, show the picture, and put the answers into tables.
 *
 *     profile(s)                         opened; never changed
 *       | operations (chips)             operations.h: "hide:libc | by:function", each on or off
 *       v
 *     shown profile
 *       | view, metric, order, marks     scene.h: panes, each a tree and its layout
 *       v
 *     scene ----- camera                 camera.h: which part of it is seen, and how it moves there
 *       v
 *     picture                            painting.c: rectangles, styles, labels
 *
 * What happens comes in four ways: an action by its text (actions.h: "zoom-in", "order total"), a
 * key, the pointer, and the size of the window. Everything an action changes is a few words of
 * state (state.h), which the history keeps, the URL shows, and a text restores. What is to be shown
 * as words is queried, and returned as structs (query/query.h).
 *
 * Time is told by the caller, in milliseconds on any clock. Nothing here waits: work that takes
 * longer than a picture may (opening callers) is cut in pieces, one a picture. */
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

/* Shows a profile, which the viewer keeps (and frees, also when it fails): the one that is looked
 * at, or the one that it is compared with. `name` is a file's. All state stays that still makes
 * sense. */
bool flm_viewer_take(struct flm_viewer *viewer, enum flm_viewer_side side,
                     struct flm_profile *profile, const char *name, struct flm_error *why);

/* An action: "zoom-in", "apply hide:libc.so.6", "search parse". False, and `why`, for what cannot
 * be done now or is no action. actions.h has the list. */
bool flm_viewer_do(struct flm_viewer *viewer, struct flm_bytes action, struct flm_error *why);

/* A key by the name that browsers give it ("a", "A", "ArrowLeft", "Enter", "+"), with what is held
 * down. False when it means nothing; what it means but cannot be done now is a notice. */
enum { FLM_HELD_SHIFT = 1, FLM_HELD_CONTROL = 2, FLM_HELD_ALT = 4, FLM_HELD_COMMAND = 8 };
bool flm_viewer_key(struct flm_viewer *viewer, struct flm_bytes key, unsigned held, double now_ms);

/* The window, in device pixels, and how many of them a CSS pixel has. `row_px` and others of the
 * look follow from the scale. */
void flm_viewer_resize(struct flm_viewer *viewer, uint32_t width, uint32_t height, double scale);

/* The pointer, in device pixels. TOUCH is a finger: no hovering. A press and release at one place
 * is a click (select; a second one: zoom), else a drag (pan; in the minimap: a range). */
enum flm_pointer_event { FLM_POINTER_MOVE, FLM_POINTER_DOWN, FLM_POINTER_UP, FLM_POINTER_LEAVE };
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

/* Paints all of the window. `pixels` has the size that was told. Returns whether another picture is
 * wanted soon: something moves, or is not yet complete. Where memory runs out the picture is empty,
 * and a notice says so. */
bool flm_viewer_paint(struct flm_viewer *viewer, struct flm_pixels *pixels, double now_ms);

/* The same for the window of a terminal, which has so many cells instead of pixels. The pointer is
 * told in pixels there too: a cell has FLM_CELL_PX times FLM_CELL_HEIGHT_PX of them. The picture
 * has no minimap and no margins, and is drawn into a part of a screen that has this size. */
void flm_viewer_resize_cells(struct flm_viewer *viewer, int columns, int rows);
bool flm_viewer_paint_cells(struct flm_viewer *viewer, struct flm_screen *screen,
                            struct flm_cell_area pane, double now_ms);

/* The letters of the picture; the caller fills it (atlas.h). It is another one after a resize with
 * another scale. */
struct flm_atlas *flm_viewer_atlas(struct flm_viewer *viewer);

/* What changed: everything that is shown has a version, which is another one when it is to be asked
 * for again, and 0 at first. The picture's is the painted one when it is up to date. */
enum flm_viewer_group {
    FLM_GROUP_PICTURE,
    FLM_GROUP_HOVER,   /* "hover": the tooltip */
    FLM_GROUP_DETAIL,  /* "detail": the panel */
    FLM_GROUP_TOOLS,   /* "tools": view, metric, order ... */
    FLM_GROUP_CHIPS,   /* "chips", "searches" */
    FLM_GROUP_TABLES,  /* "top", "tree", "list" */
    FLM_GROUP_STATUS,  /* "status" */
    FLM_GROUP_STATE,   /* "state": the URL */
    FLM_GROUP_SPEECH,  /* another frame is selected: a screen reader says it */
    FLM_GROUP_OVERLAY, /* "overlay": the debug figures */
    FLM_GROUP_TRACKS,  /* "tracks" */
    FLM_GROUP_HISTORY, /* a step that "back" takes back was made */
    FLM_GROUP_COPY,    /* "copy": text for the clipboard */
    FLM_GROUP_PROMPT,  /* "prompt": the person is to type something (a palette, a name) */
    FLM_GROUP_NOTICE,  /* "notice": why something was not done, in a sentence */
    FLM_GROUPS
};
uint32_t flm_viewer_version(const struct flm_viewer *viewer, enum flm_viewer_group group);
uint32_t flm_viewer_painted_version(const struct flm_viewer *viewer);

/* For one who shows the viewer: which versions were seen last ({0}: none), and the groups whose
 * version is another one now, as bits; they are seen then. A picture that was painted since is no
 * change. */
struct flm_seen_versions {
    uint32_t of[FLM_GROUPS];
};
#define FLM_CHANGED(group) (1u << FLM_GROUP_##group)
unsigned flm_viewer_changes(const struct flm_viewer *viewer, struct flm_seen_versions *seen);

#endif
