/* box_style.h - how each box of the picture looks: its color, its texture, its label, its marks.
 * The same for pixels, terminal cells and the minimap. */
#ifndef FLAMEL_VIEWER_PAINT_BOX_STYLE_H
#define FLAMEL_VIEWER_PAINT_BOX_STYLE_H

#include "draw/raster/boxes.h"
#include "viewer/internal.h"

/* For one pane and one picture; `text` holds the labels that are made up. */
struct flm_box_styles {
    const struct flm_viewer *viewer;
    const struct flm_pane *pane;
    uint32_t pane_index;
    uint32_t zoom_level;                 /* what is above it is an ancestor of all that is seen */
    const struct flm_compared *compared; /* where changes are drawn; or NULL */
    const struct flm_frame_record *hovered; /* the function under the pointer; or NULL */
    bool searching;
    double total; /* what shares are of */
    struct flm_text text;
};

/* False, and `why`, if memory ran out. */
bool flm_box_styles_init(struct flm_box_styles *styles, struct flm_viewer *viewer, uint32_t pane,
                         struct flm_error *why);
void flm_box_styles_clear(struct flm_box_styles *styles);

/* A flm_box_styler; `context` is the struct flm_box_styles. */
void flm_box_styles_apply(void *context, const struct flm_rectangle *rectangle,
                          struct flm_box *box);

/* Only the color of a node's box: for what is too narrow for more. */
uint32_t flm_box_styles_fill(const struct flm_box_styles *styles,
                             const struct flm_rectangle *rectangle);

/* Makes the viewer's legend, unless it is there: what the colors mean, and how much of everything
 * has each: of the stacks, whatever of them is drawn and which way up. False, and `why`, if memory
 * ran out. */
bool flm_box_styles_legend(struct flm_viewer *viewer, struct flm_error *why);

/* A tone's color and its text's. */
void flm_box_styles_tone(const struct flm_theme *theme, const struct flm_tone *tone, uint32_t *fill,
                         uint32_t *ink);

/* Colors of the page in the viewer's theme: 0xRRGGBB. */
struct flm_page_colors {
    uint32_t page, panel, line, text, muted, accent, chip;
};
struct flm_page_colors flm_page_colors(const struct flm_theme *theme);

/* The color of a search, and of what it marks. */
uint32_t flm_search_color(const struct flm_theme *theme, unsigned color);

#endif
