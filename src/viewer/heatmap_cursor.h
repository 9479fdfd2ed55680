/* heatmap_cursor.h - the current cell of the heatmap, and a range of time that is being selected in
 * it. A range becomes the transform "time:A..B", as one of the timeline does.
 *
 *     drag               from one cell to another, in any columns
 *     two clicks         the same: the first begins the range, the second ends it
 *     shift and arrows   move the current cell; g begins a range at it, and ends it there */
#ifndef FLAMEL_VIEWER_HEATMAP_CURSOR_H
#define FLAMEL_VIEWER_HEATMAP_CURSOR_H

#include "viewer/internal.h"

/* The current cell: the one chosen by keys, else the one under the pointer; FLM_NONE without. */
uint32_t flm_heat_current_cell(const struct flm_viewer *viewer);

/* The range that was begun, from its first cell to the current one; false if none was begun. */
bool flm_heat_pending(const struct flm_viewer *viewer, struct flm_heatmap_time *time);

/* Begins a range at a cell, or ends the one that was begun and selects it. The second: selects the
 * range that was dragged over. */
bool flm_heat_mark(struct flm_viewer *viewer, uint32_t cell, struct flm_error *why);
bool flm_heat_drop(struct flm_viewer *viewer, struct flm_error *why);

/* Append, once the map was made: "24 samples"; "cells of 1 s by 20 ms", or the pending range; and
 * the value of the strongest color, with the number of cells above it: "24 samples, more in 3". */
void flm_heat_add_value(const struct flm_viewer *viewer, double value, struct flm_text *out);
void flm_heat_add_caption(const struct flm_viewer *viewer, struct flm_text *out);
void flm_heat_add_most(const struct flm_viewer *viewer, struct flm_text *out);

#endif
