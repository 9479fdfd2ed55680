/* box_style.h - the style of each box of the picture: color, texture, label, marks.
 * The same for pixels, terminal cells and the minimap. */
#ifndef FLAMEL_VIEWER_PAINT_BOX_STYLE_H
#define FLAMEL_VIEWER_PAINT_BOX_STYLE_H

#include "draw/raster/boxes.h"
#include "viewer/internal.h"

/* For one pane and one frame; `text` holds labels that are not names. */
struct flm_box_styles {
    const struct flm_viewer *viewer;
    const struct flm_pane *pane;
    uint32_t pane_index;
    uint32_t zoom_level;                    /* lower levels are ancestors of everything visible */
    const struct flm_compared *compared;    /* if changes are drawn; or NULL */
    const struct flm_frame_record *hovered; /* the function under the pointer; or NULL */
    bool searching;
    const unsigned char *noted, *noted_nodes; /* by frame, by node: has a note; NULL: nothing has */
    double total;                             /* the whole of shares */
    const double *net; /* by node, where a metric has negative values; or NULL */
    struct flm_text text;
};

/* False, and `why`, if memory ran out. */
bool flm_box_styles_init(struct flm_box_styles *styles, struct flm_viewer *viewer, uint32_t pane,
                         struct flm_error *why);
void flm_box_styles_clear(struct flm_box_styles *styles);

/* A flm_box_styler; `context` is the struct flm_box_styles. */
void flm_box_styles_apply(void *context, const struct flm_rectangle *rectangle,
                          struct flm_box *box);

/* Only the color of a node's box, and its total: for boxes too narrow for more. */
uint32_t flm_box_styles_fill(const struct flm_box_styles *styles, struct flm_node node,
                             double total);

/* Brings the viewer's legend up to date: the meaning of the colors, and the share of the total that
 * each has, independent of zoom and direction. False, and `why`, if memory ran out. */
bool flm_box_styles_legend(struct flm_viewer *viewer, struct flm_error *why);

/* "node", or the two that share a color: "node, longest_match". */
void flm_legend_add_title(struct flm_text *out, const struct flm_legend_item *item);

/* A tone's color and its text's. */
void flm_box_styles_tone(const struct flm_theme *theme, const struct flm_tone *tone, uint32_t *fill,
                         uint32_t *ink);

/* Colors of the page in the viewer's theme: 0xRRGGBB. */
struct flm_page_colors {
    uint32_t page, panel, line, text, muted, accent, chip;
};
struct flm_page_colors flm_page_colors(const struct flm_theme *theme);

/* The color of a search and its matches. */
uint32_t flm_search_color(const struct flm_theme *theme, unsigned color);

#endif
