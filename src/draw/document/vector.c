#include "draw/document/surface.h"

#include <assert.h>
#include <math.h>

/* CSS pixels, as boxes.c has them. */
#define ROUND_FROM 8.0
#define GAP_FROM 2.5
#define LABEL_PAD 4.0

struct painting {
    const struct flm_surface *surface;
    const struct flm_boxes *boxes;
    double font_px;
    struct flm_clip window;
};

struct placed {
    double x, y, width, height;
};

static double draw_part(const struct painting *painting, const struct flm_box *box, double pen,
                        double base_line, struct flm_bytes part, struct flm_lit lit,
                        const struct flm_font *font)
{
    const struct flm_surface *surface = painting->surface;
    if (lit.from < lit.to) {
        double before = flm_label_width((struct flm_bytes){part.at, lit.from}, font);
        double width =
            flm_label_width((struct flm_bytes){part.at + lit.from, lit.to - lit.from}, font);
        surface->fill(surface->context, pen + before, base_line - 0.95 * painting->font_px, width,
                      1.2 * painting->font_px, box->lit_rgb);
    }
    surface->text(surface->context, pen, base_line, part, painting->font_px, box->bold, box->ink);
    return pen + flm_label_width(part, font);
}

static void draw_label(const struct painting *painting, const struct flm_box *box, struct placed at)
{
    const struct flm_surface *surface = painting->surface;
    const struct flm_clip *window = &painting->window;
    struct flm_font font = surface->font(surface->context, painting->font_px, box->bold);
    double left = fmax(at.x, window->left) + LABEL_PAD;
    double room = fmin(at.x + at.width, window->right) - LABEL_PAD - left;
    struct flm_label_parts parts = flm_box_label(box, room, &font);
    double base_line = at.y + at.height / 2 + 0.36 * painting->font_px;
    for (int i = 0; i < parts.count; i++)
        left = draw_part(painting, box, left, base_line, parts.at[i], parts.lit[i], &font);
}

static void draw_box(const struct painting *painting, const struct flm_rectangle *r,
                     struct placed at)
{
    const struct flm_surface *surface = painting->surface;
    const struct flm_boxes *boxes = painting->boxes;
    void *to = surface->context;
    double seen = fmin(at.x + at.width, painting->window.right) - fmax(at.x, painting->window.left);
    struct flm_box box = {.has_room = seen - 2 * LABEL_PAD >= 1.2 * painting->font_px};
    bool has_room = box.has_room, is_wide = at.width >= ROUND_FROM && at.height >= ROUND_FROM;
    boxes->style(boxes->context, r, &box);
    if (box.skipped)
        return;
    if (box.faded)
        flm_box_fade(boxes, &box);
    if (at.width >= GAP_FROM && !(r->flags & FLM_RECTANGLE_CLIPPED_RIGHT))
        at.width -= 1;
    if (is_wide)
        surface->fill_round(to, at.x, at.y, at.width, at.height, box.fill);
    else
        surface->fill(to, at.x, at.y, at.width, at.height, box.fill);
    if (box.texture)
        surface->texture(to, at.x, at.y, at.width, at.height, box.texture, box.texture_rgb,
                         box.texture_alpha);
    surface->mark(to, at.x, at.y, at.width, at.height, box.mark, box.ink, 255u - box.faded);
    if (box.outline_px > 0)
        surface->outline(to, at.x, at.y, at.width, at.height, box.outline_px, box.outline);
    if (has_room)
        draw_label(painting, &box, at);
}

void flm_vector_boxes(const struct flm_surface *surface, const struct flm_boxes *boxes,
                      const struct flm_rectangles *list, double font_px, struct flm_clip window)
{
    assert((boxes->style || list->count == 0) && boxes->scale > 0 && boxes->row_height > 0);
    struct painting painting = {surface, boxes, font_px, window};
    double row = boxes->row_height / boxes->scale, gap = boxes->gap / boxes->scale;
    double top = boxes->top / boxes->scale, left = boxes->left / boxes->scale;
    for (size_t i = 0; i < list->count; i++) {
        const struct flm_rectangle *r = &list->at[i];
        struct placed at = {left + r->x0 / boxes->scale,
                            boxes->upwards ? top - (r->level + 1.0) * row : top + r->level * row,
                            (r->x1 - r->x0) / boxes->scale, gap < row ? row - gap : row};
        if (at.y < window.bottom && at.y + at.height > window.top && at.x < window.right &&
            at.x + at.width > window.left)
            draw_box(&painting, r, at);
    }
}
