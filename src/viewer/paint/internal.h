/* internal.h - shared by the files of this folder: the canvas, samples of flame charts, and the
 * captions of a picture. */
#ifndef FLAMEL_VIEWER_PAINT_INTERNAL_H
#define FLAMEL_VIEWER_PAINT_INTERNAL_H

#include "draw/document/document.h"
#include "draw/terminal/cell_boxes.h"
#include "viewer/paint/box_style.h"

/* ---- painting.c: the panes of a scene, in pixels or in cells (painting_cells.c) -------------- */

/* The target of painting. The visible boxes are found in the same way for both. */
struct flm_canvas {
    struct flm_pixels *pixels;      /* the area of the panes; NULL: there are none */
    struct flm_pixels *with_gutter; /* and the gutter at its left, of a flame chart */

    /* Draws the boxes of a pane, and its header, if it has one. */
    void (*draw)(const struct flm_canvas *canvas, const struct flm_boxes *boxes,
                 struct flm_box_styles *styles);
};

/* Begins a frame, with all changes until now. False if there is nothing to draw. */
bool flm_canvas_begin(struct flm_viewer *viewer, double now_ms);

/* Paints every pane; *more: another frame is wanted soon. False on failure. */
bool flm_canvas_paint(struct flm_viewer *viewer, const struct flm_canvas *canvas, bool *more);

/* The panes [first, end) that have anything in what is painted now: of a flame chart a thread, its
 * name, or what is free below it. */
struct flm_in_window {
    uint32_t first, end;
};
struct flm_in_window flm_panes_in_window(const struct flm_viewer *viewer);

/* ---- scrolled.c: a flame chart while it is scrolled by a wheel ------------------------------- */

/* At the right edge of the window, CSS px. */
enum { FLM_SCROLLBAR_PX = 5 };

/* What of the area is to be painted now, before scrolling: all of it, unless a band is. */
double flm_painted_top(const struct flm_viewer *viewer);
double flm_painted_px(const struct flm_viewer *viewer);

enum flm_scroll_copy { FLM_COPY_NONE, FLM_COPY_PART, FLM_COPY_ALL };

/* Copies what stays of the last picture within the area, and sets the band that is left to paint:
 * NONE: all of it, ALL: the picture is what it was. */
enum flm_scroll_copy flm_scrolled_copy(struct flm_viewer *viewer, struct flm_pixels *area);

/* After a band was painted: what does not move with the rows, names in the gutter. */
void flm_scrolled_finish(struct flm_viewer *viewer, struct flm_pixels *area);

/* ---- timeline_paint.c ------------------------------------------------------------------------ */

/* The timeline, above everything else. */
void flm_timeline_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);

/* ---- heat_paint.c: the heatmap, in place of the timeline; heat_cells.c: in a terminal -------- */

void flm_heat_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);
void flm_heat_cells_draw(struct flm_viewer *viewer, struct flm_screen *screen,
                         struct flm_cell_area area);

/* The color of a step in a theme. */
uint32_t flm_heat_color(const struct flm_theme *theme, int step);

/* ---- thread_paint.c: what a flame chart has in addition to boxes ----------------------------- */

/* The axis in the window: what is seen of it, and its ticks, in ns since the first sample. */
struct flm_time_axis {
    struct flm_area area;
    struct flm_span seen;              /* from the left end of the axis */
    double offset_ns;                  /* where that is */
    double first_ns, last_ns, step_ns; /* of the ticks: none at or behind the last */
    double longest_ns;                 /* the right end */
};
struct flm_time_axis flm_time_axis_of(const struct flm_viewer *viewer, double apart_px);
double flm_time_axis_x(const struct flm_time_axis *axis, double ns);

/* "on 1.17 s, off 1.83 s": the metric of a thread, and the time in which it waited; and
 * "process 10, 3 threads", of a collapsed one with the figures of all of them. */
/* The first pane of a lane has the name, figures and hidden rows of all. */
bool flm_thread_has_name(const struct flm_viewer *viewer, const struct flm_pane *pane);
void flm_thread_add_title(const struct flm_viewer *viewer, const struct flm_pane *pane,
                          struct flm_text *out);
void flm_thread_add_figures(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            struct flm_text *out);
void flm_thread_add_process(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            struct flm_text *out);

/* "+143 rows", where some are not drawn; else nothing. */
void flm_thread_add_hidden_rows(const struct flm_pane *pane, struct flm_text *out);

/* From the left edge to names in the gutter, and from them to the stacks: CSS px. */
enum { FLM_NAME_LEFT_PX = 12, FLM_NAME_RIGHT_PX = 8 };

/* A text of one line that ends at `right`, shortened in its middle. */
void flm_thread_draw_line(const struct flm_viewer *viewer, struct flm_pixels *pixels, double left,
                          double right, int base_line, struct flm_bytes text,
                          enum flm_weight weight, uint32_t rgb);

/* Lines at the ticks, below the boxes; the ruler above them, and the time under the pointer. */
void flm_threads_paint_grid(struct flm_viewer *viewer, struct flm_pixels *pixels);
void flm_threads_paint_ruler(struct flm_viewer *viewer, struct flm_pixels *pixels);

/* The color of a state in a strip, and that of the texture on it. */
enum { FLM_STRIP_ALPHA = 190 };
void flm_state_colors(const struct flm_theme *theme, enum flm_thread_state state, uint32_t *fill,
                      uint32_t *ink);

/* The parts of a strip that is so many pixels wide and shows this much of the axis: each pixel has
 * the state of its middle, because neighbors in time must not be added up; what is not known is
 * left out. And of a collapsed process the share of its threads that are on a CPU, where there is
 * any. */
typedef void (*flm_strip_part)(void *context, int left, int right, enum flm_thread_state state);
typedef void (*flm_strip_bar)(void *context, int left, int right, double share);
void flm_thread_states_walk(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            struct flm_span seen, double width_px, flm_strip_part part,
                            void *context);
void flm_occupancy_walk(const struct flm_viewer *viewer, const struct flm_pane *pane,
                        struct flm_span seen, double width_px, flm_strip_bar bar, void *context);

/* The strip of states of a pane; and its names, in the gutter or above the strip, which stay in the
 * window while any part of the thread is seen. */
void flm_threads_paint_strip(const struct flm_viewer *viewer, const struct flm_pane *pane,
                             struct flm_pixels *pixels);
void flm_threads_paint_name(const struct flm_viewer *viewer, const struct flm_pane *pane,
                            struct flm_pixels *pixels);

/* ---- event_paint.c: markers and counters ----------------------------------------------------- */

void flm_event_tracks_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);

/* "memory 4242", "412 MiB", the largest value; "markers", "12". And "exec gzip -9". */
void flm_event_track_add_name(const struct flm_scene *scene, uint32_t track, struct flm_text *name,
                              struct flm_text *figure);
void flm_marker_add_title(const struct flm_profile *profile, uint32_t marker, struct flm_text *out);

/* ---- thread_cells.c: the same in a terminal -------------------------------------------------- */

/* The rows above the stacks of a pane: its process, its name, and the states. And the ruler. */
void flm_thread_cells_draw(const struct flm_viewer *viewer, const struct flm_pane *pane,
                           struct flm_screen *screen, struct flm_cell_area area);
void flm_ruler_cells_draw(const struct flm_viewer *viewer, struct flm_screen *screen,
                          struct flm_cell_area area);

/* ---- chart_samples.c: a flame chart where samples are narrower than a pixel ------------------ */

/* Values of neighbors in time must not be added up: in each pixel the stack in its middle is
 * painted, over the gray box that stands for all of them. */

/* The samples of a merged box and of all below it, in the levels of the viewport, and of its pixels
 * those whose middle is in the box, within [least, most): level by level. Neighbors of one color
 * are painted as one. */
typedef void (*flm_sample_paint)(void *context, uint32_t level, int left, int right, uint32_t rgb);
void flm_samples_paint(const struct flm_box_styles *styles, const struct flm_viewport *view,
                       const struct flm_rectangle *merged, double least, double most,
                       flm_sample_paint paint, void *context);

/* ---- chart_joined.c: a function that runs and then waits is one box to the eye --------------- */

/* Joins neighbors that are drawn of a flame chart and stand for one stack in several states, as
 * draw/raster/boxes.h tells. Across a merged box too, if all in it stand for this stack. */
void flm_chart_join(struct flm_pane *pane, double scale);

/* ---- chart_cells.c: the boxes of a flame chart in cells of a terminal ------------------------ */

/* The boxes as they are, and of those that are narrower than a cell the one in its middle.
 * Neighbors of one stack and one look are one box. `left_px`: of the pane in its cells. */
bool flm_chart_cells(const struct flm_box_styles *styles, double left_px,
                     struct flm_rectangles *list, struct flm_error *why);

/* ---- picture_key.c: the titles and the legend of a picture (picture.h) ----------------------- */

/* "app.flm", "app.flm, compared with old.flm". As the profile has it: not plain. */
void flm_picture_title(const struct flm_viewer *viewer, struct flm_text *out);

/* "Sandwich of =parse · cpu · hide:libc.so.6 · in read, 12 % of total". */
void flm_picture_subtitle(struct flm_viewer *viewer, struct flm_text *out);

/* `marks`: those that are in the picture, bit 1 << mark. False, and `why`, if memory ran out; the
 * document may fail (its `failed`) too. */
bool flm_picture_add_keys(struct flm_viewer *viewer, unsigned marks, struct flm_document *document,
                          struct flm_error *why);

#endif
