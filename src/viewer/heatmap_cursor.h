/* heatmap_cursor.h - the heatmap under the pointer and the keys: the cell in hand, and a range of
 * time in the making, which becomes "time:A..B" like one of the timeline.
 *
 *     drag               from one cell to another, in any columns
 *     click, and click   likewise: the first one begins the range
 *     shift and arrows   move the cell in hand; g begins the range there, and ends it */
#ifndef FLAMEL_VIEWER_HEATMAP_CURSOR_H
#define FLAMEL_VIEWER_HEATMAP_CURSOR_H

#include "viewer/internal.h"

/* The cell in hand: by keys, else under the pointer. FLM_NONE: there is none. */
uint32_t flm_heat_cell_in_hand(const struct flm_viewer *viewer);

/* The range that a drag, or the cell in hand, would end now; false where none was begun. */
bool flm_heat_pending(const struct flm_viewer *viewer, struct flm_heatmap_time *time);

/* Begins a range at a cell, or ends the one that was begun. Of a drag: selects what it is over. */
bool flm_heat_mark(struct flm_viewer *viewer, uint32_t cell, struct flm_error *why);
bool flm_heat_drop(struct flm_viewer *viewer, struct flm_error *why);

/* "24 samples"; "cells of 1 s by 20 ms", or the pending range; and what the strongest color stands
 * for: "24 samples, more in 3". The map was made. */
void flm_heat_add_value(const struct flm_viewer *viewer, double value, struct flm_text *out);
void flm_heat_add_caption(const struct flm_viewer *viewer, struct flm_text *out);
void flm_heat_add_most(const struct flm_viewer *viewer, struct flm_text *out);

#endif
