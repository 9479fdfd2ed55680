/* rectangles.h - the visible part of a layout: a viewport in, rectangles out, and from a point back
 * to its rectangle.
 *
 * A viewport is a part [left, right) of the total, spread over width_px pixels, and some levels:
 *
 *     struct flm_viewport view = flm_viewport_of(layout, node, 1920);   a zoom to `node`
 *     view.min_width_px = 0.5;
 *     struct flm_rectangles list = {0};
 *     if (!flm_layout_rectangles(layout, &view, &list, &why))
 *         ...
 *     for (size_t i = 0; i < list.count; i++)
 *         paint(list.at[i]);            level by level, in each from left to right
 *     flm_rectangles_clear(&list);      or use it again for the next picture
 *
 * A node at least min_width_px wide is a rectangle of its own. Narrower siblings that touch are one
 * *merged box*: one rectangle with their sum and their number, so that nothing is dropped silently,
 * and rectangles plus the self of their parent fill it exactly. Nodes below a merged box are not in
 * the list (flm_layout_below counts them). So the parent of each rectangle is a wide one of the
 * level above, whatever the first level of the viewport is, and a picture does not change when it
 * is scrolled.
 *
 * A gap (tree.h) that is wide enough is left free, and ends a merged box. Narrower ones are part of
 * the box between its first sibling and its last, in its width but neither in its number nor in its
 * total; at its ends they are left free.
 *
 * Rectangles are found level by level, from the wide nodes of one level to their children, skipping
 * the narrow ones with the pyramid. The first level starts from the wide nodes of the level above
 * it, found by the pyramid too, so nothing is walked from the root. So the cost depends on what is
 * visible: 5 to 9 ns a rectangle from 1e4 to 1e7 nodes, in wasm too, half a microsecond where 1e7
 * siblings are two boxes (bench/layout_bench.c, bench/view_bench.mjs). A walk in preorder, with a
 * pyramid over that, is built in two thirds of the time and faster at medium zooms, but slow where
 * speed matters most: twice as slow for the whole of 1e7 nodes, where each rectangle is a cache
 * miss, and a hundred times when scrolled down. */
#ifndef FLAMEL_LAYOUT_RECTANGLES_H
#define FLAMEL_LAYOUT_RECTANGLES_H

#include "layout/layout.h"

/* The nodes of a rectangle and all below them. One step per level. */
struct flm_below {
    uint32_t node_count; /* including the nodes of the rectangle */
    uint32_t last_level; /* the deepest level of these */
};
struct flm_below flm_layout_below(const struct flm_layout *layout,
                                  const struct flm_rectangle *rectangle);

/* Pixels that have one node at their middle. */
struct flm_pixel_run {
    uint32_t level;
    int left, right;
    struct flm_node node;
    double total;
};
typedef void (*flm_pixel_run_visit)(void *context, const struct flm_pixel_run *run);

/* Visits the nodes of a merged box and all below it, however narrow they are, in the pixels [first,
 * last) and the levels of the viewport, which may begin below the box: level by level, in each from
 * left to right; gaps are left out. The next node is usually one step away from the last. */
void flm_layout_runs(const struct flm_layout *layout, const struct flm_viewport *view,
                     const struct flm_rectangle *merged, int first, int last,
                     flm_pixel_run_visit visit, void *context);

/* The range of `count` siblings, `node` and those to its right, with the gaps between them: that of
 * a merged box. Empty for a node without width. */
void flm_layout_span(const struct flm_layout *layout, struct flm_node node, uint32_t count,
                     double *left, double *right);

#endif
