/* heatmap_pane.h - a heatmap (layout/heatmap.h) as a pane of a document.
 *
 *     100 ms | . # . # |      offsets at the left of the cells, times below them; cells outside
 *            | # # # # |      of the selection are paler
 *     0 ms   | . # . # |
 *              0 s
 *
 * The cells are painted as the strip of a pane without boxes. The document's legend lists the
 * colors and their values. */
#ifndef FLAMEL_DRAW_DOCUMENT_HEATMAP_PANE_H
#define FLAMEL_DRAW_DOCUMENT_HEATMAP_PANE_H

#include "draw/document/document.h"
#include "layout/heatmap.h"

/* CSS px: the space left of the cells and below them, the least width of a column and height of a
 * row. The last is the largest number of rows. */
enum {
    FLM_HEATMAP_GUTTER_PX = 56,
    FLM_HEATMAP_AXIS_PX = 20,
    FLM_HEATMAP_COLUMN_PX = 3,
    FLM_HEATMAP_ROW_PX = 5,
    FLM_HEATMAP_MOST_ROWS = 60
};

/* What is painted. It must outlive the document. */
struct flm_heatmap_pane {
    const struct flm_heatmap *map;
    bool dark, is_selected;
    double from_ns, to_ns; /* the selection */
    uint32_t page, ink, muted, line;
    double text_px;
};

/* The number of columns that fit into a pane of this width. */
uint32_t flm_heatmap_pane_columns(double width_px);

/* The color of a step. */
uint32_t flm_heatmap_color(int step, bool dark);

/* Appends the lengths of a column and of a row: "1 s by 20 ms". */
void flm_heatmap_add_scale(const struct flm_heatmap_shape *shape, struct flm_text *out);

/* Appends the label of an offset in a column: "0.20 s". */
void flm_heatmap_add_offset(const struct flm_heatmap_shape *shape, double ns, struct flm_text *out);

/* The rows of a column that a selection covers, counted from the bottom; false if it covers
 * none. */
bool flm_heatmap_selected_rows(const struct flm_heatmap_shape *shape, double from_ns, double to_ns,
                               uint32_t column, double *from_row, double *to_row);

/* Appends the smallest and the largest value of a step: "3 to 5 ms", "7 ms". */
void flm_heatmap_add_step(const struct flm_heatmap *map, int step, struct flm_bytes unit,
                          struct flm_text *out);

/* Adds the pane below those that are there, and the colors that it uses to the legend. If memory
 * runs out, the document has `failed`. */
void flm_heatmap_pane_add(struct flm_document *document, const struct flm_heatmap_pane *pane,
                          struct flm_bytes unit);

#endif
