/* heatmap_pane.h - a heatmap (layout/heatmap.h) as a pane of a document.
 *
 *     100 ms | . # . # |      offsets at the left of the cells, times below them; what is selected
 *            | # # # # |      as it is, the rest paler
 *     0 ms   | . # . # |
 *              0 s
 *
 * Its cells are the strip of a pane without boxes. The document's legend has the steps of its
 * colors. */
#ifndef FLAMEL_DRAW_DOCUMENT_HEATMAP_PANE_H
#define FLAMEL_DRAW_DOCUMENT_HEATMAP_PANE_H

#include "draw/document/document.h"
#include "layout/heatmap.h"

/* The room left of the cells, and below them; the least width of a column and height of a row, and
 * how many rows a picture has at most: CSS px. */
enum {
    FLM_HEATMAP_GUTTER_PX = 56,
    FLM_HEATMAP_AXIS_PX = 20,
    FLM_HEATMAP_COLUMN_PX = 3,
    FLM_HEATMAP_ROW_PX = 5,
    FLM_HEATMAP_MOST_ROWS = 60
};

/* What is painted; it outlives the document. */
struct flm_heatmap_pane {
    const struct flm_heatmap *map;
    bool dark, is_selected;
    double from_ns, to_ns; /* of what is selected */
    uint32_t page, ink, muted, line;
    double text_px;
};

/* How many columns have room in a pane of that width. */
uint32_t flm_heatmap_pane_columns(double width_px);

/* The color of a step. */
uint32_t flm_heatmap_color(int step, bool dark);

/* "1 s by 20 ms": how long a column is, and a row. */
void flm_heatmap_add_scale(const struct flm_heatmap_shape *shape, struct flm_text *out);

/* The label of an offset in a column, or of the begin of a column; and how far these are apart. */
void flm_heatmap_add_offset(const struct flm_heatmap_shape *shape, double ns, struct flm_text *out);

/* Of what is selected, the rows of a column, from its foot: false where it has none. */
bool flm_heatmap_selected_rows(const struct flm_heatmap_shape *shape, double from_ns, double to_ns,
                               uint32_t column, double *from_row, double *to_row);

/* The values that a step stands for: "3 to 5 ms", "7 ms". */
void flm_heatmap_add_step(const struct flm_heatmap *map, int step, struct flm_bytes unit,
                          struct flm_text *out);

/* Adds the pane, below those that are there, and the steps that any cell has to the legend. Memory
 * that runs out is the document's `failed`. */
void flm_heatmap_pane_add(struct flm_document *document, const struct flm_heatmap_pane *pane,
                          struct flm_bytes unit);

#endif
