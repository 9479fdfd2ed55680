#include "draw/raster/boxes.h"

#include <assert.h>

#include "draw/color/palette.h"

/* CSS pixels. */
#define RADIUS 2.0
#define ROUND_FROM 8.0
#define GAP_FROM 2.5
#define LABEL_PAD 4.0
#define CORNER 6.0
#define LEAST_FONT_SIZES 1.2 /* no font has four letters in less room */

/* One box on its pixels. `left` and `right` may be out of the clip. */
struct placed {
    int left, top, right, bottom;
};

/* The same for all boxes of a picture. */
struct painting {
    const struct flm_boxes *boxes;
    struct flm_pixels *pixels;
    struct flm_corner corner;
    int gap;
    double gap_from, round_from, pad, least_room;
    struct flm_font fonts[FLM_WEIGHT_COUNT];
    struct placed row; /* of the level that is drawn: its upper and lower edge */
    size_t label_count;
};

/* ---- Positions ------------------------------------------------------------------------------- */

void flm_boxes_row(const struct flm_boxes *boxes, uint32_t level, int *top, int *bottom)
{
    double near = level * boxes->row_height, far = near + boxes->row_height;
    *top = flm_pixel_edge(boxes->upwards ? boxes->top - far : boxes->top + near);
    *bottom = flm_pixel_edge(boxes->upwards ? boxes->top - near : boxes->top + far);
}

int64_t flm_boxes_level_at(const struct flm_boxes *boxes, double y)
{
    assert(boxes->row_height > 0);
    double rows = (boxes->upwards ? boxes->top - y : y - boxes->top) / boxes->row_height;
    if (!(rows > -1e9 && rows < 1e9))
        return -1;
    int64_t level = (int64_t)rows - (rows < 0);
    /* The pixel may belong to the neighbor if rows have no whole number of pixels. */
    int pixel = (int)y - (y < 0 && y != (int)y);
    for (int64_t near = level > 0 ? level - 1 : 0; near <= level + 1; near++) {
        int top, bottom;
        flm_boxes_row(boxes, (uint32_t)near, &top, &bottom);
        if (top <= pixel && pixel < bottom)
            return near;
    }
    return level;
}

static int gap_after(const struct flm_rectangle *r, int width, int gap, double gap_from)
{
    return width >= gap_from && !(r->flags & FLM_RECTANGLE_CLIPPED_RIGHT) ? gap : 0;
}

void flm_boxes_place(const struct flm_boxes *boxes, const struct flm_rectangle *r, int *left,
                     int *right)
{
    *left = flm_pixel_edge(boxes->left + r->x0);
    *right = flm_pixel_edge(boxes->left + r->x1);
    if (*right <= *left)
        *right = *left + 1;
    *right -= gap_after(r, *right - *left, flm_pixel_length(boxes->scale), GAP_FROM * boxes->scale);
}

/* ---- One box --------------------------------------------------------------------------------- */

/* The contrast of two colors, from 1 to 21, as flm_ink_on computes it. */
static double contrast(uint32_t a, uint32_t b)
{
    double x = flm_luminance(a) + 0.05, y = flm_luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

void flm_box_fade(const struct flm_boxes *boxes, struct flm_box *box)
{
    uint8_t left = (uint8_t)(255 - box->faded);
    box->fill = flm_color_mix(boxes->background, box->fill, left);
    box->texture_alpha = (uint8_t)(box->texture_alpha * left / 255);
    if (contrast(boxes->text, box->fill) > contrast(box->ink, box->fill))
        box->ink = boxes->text;
}

/* Draws some rows of the line at the foot. */
static void mark_row(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     enum flm_mark mark, double scale, uint32_t rgb, uint8_t alpha)
{
    int from = left + flm_pixel_length(scale), to = right - flm_pixel_length(scale);
    struct flm_dashes dashes = flm_mark_dashes(mark);
    int period = 0, lengths[4];
    for (int i = 0; i < 4; i++) {
        lengths[i] = dashes.lengths[i] > 0 ? flm_pixel_length(dashes.lengths[i] * scale) : 0;
        period += lengths[i];
    }
    if (period == 0)
        flm_pixels_blend(pixels, from, top, to, bottom, rgb, alpha);
    else
        for (int i = 0, begin = from; i < 4; begin += lengths[i] + lengths[i + 1], i += 2)
            if (lengths[i] > 0)
                flm_pixels_dashes(pixels, from, top, to, bottom, begin, lengths[i],
                                  period - lengths[i], rgb, alpha);
}

void flm_pixels_mark(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     enum flm_mark mark, double scale, uint32_t rgb, uint8_t strength)
{
    if (mark == FLM_MARK_NONE || right - left < FLM_MARK_LEAST_WIDTH * scale)
        return;
    if (mark >= FLM_MARK_APPEARED) {
        enum flm_texture texture =
            mark == FLM_MARK_APPEARED ? FLM_TEXTURE_RISING : FLM_TEXTURE_FALLING;
        flm_pixels_texture(pixels, left, top, right, bottom, left, top, texture, scale, rgb,
                           (uint8_t)(FLM_HATCH_ALPHA * strength / 255));
        return;
    }
    uint8_t alpha = (uint8_t)(FLM_MARK_ALPHA * strength / 255);
    /* A fraction of a pixel is a paler row on top of the whole ones. */
    double thickness = FLM_MARK_THICKNESS * scale;
    int whole = (int)thickness;
    if (bottom - top < 4 * (whole + 1))
        return;
    mark_row(pixels, left, bottom - whole, right, bottom, mark, scale, rgb, alpha);
    mark_row(pixels, left, bottom - whole - 1, right, bottom - whole, mark, scale, rgb,
             (uint8_t)(alpha * (thickness - whole)));
}

/* The highlighted bytes in `part`, which begins at byte `offset` of the label. */
static struct flm_lit within(const struct flm_box *box, struct flm_bytes part, size_t offset)
{
    size_t from = box->lit_from > offset ? box->lit_from - offset : 0;
    size_t to = box->lit_to > offset ? box->lit_to - offset : 0;
    return (struct flm_lit){from < part.size ? from : part.size, to < part.size ? to : part.size};
}

struct flm_label_parts flm_box_label(const struct flm_box *box, double room_px,
                                     const struct flm_font *font)
{
    struct flm_label_parts parts = {.lit = {{0, 0}}};
    double suffix_px = box->suffix.size > 0 ? flm_label_width(box->suffix, font) : 0;
    struct flm_label_cut cut = flm_label_fit(box->label, box->parts, room_px - suffix_px, font);
    bool has_suffix = suffix_px > 0 && cut.head.size > 0;
    if (suffix_px > 0 && !has_suffix)
        cut = flm_label_fit(box->label, box->parts, room_px, font);
    if (cut.head.size == 0)
        return parts;
    size_t head_at = (size_t)(cut.head.at - box->label.at);
    parts.at[0] = cut.head;
    parts.lit[0] = within(box, cut.head, head_at);
    parts.count = 1;
    if (cut.tail.size > 0) {
        size_t tail_at = (size_t)(cut.tail.at - box->label.at);
        parts.at[1] = flm_bytes_of(FLM_ELLIPSIS);
        parts.at[2] = cut.tail;
        if (box->lit_from < tail_at && box->lit_to > head_at + cut.head.size)
            parts.lit[1] = (struct flm_lit){0, parts.at[1].size};
        parts.lit[2] = within(box, cut.tail, tail_at);
        parts.count = 3;
    }
    if (has_suffix)
        parts.at[parts.count++] = box->suffix;
    return parts;
}

/* Draws a part of the label, its highlighted bytes on their background; returns the pen's
 * position. */
static double draw_part(struct painting *painting, const struct flm_box *box, double pen,
                        int base_line, struct flm_bytes part, struct flm_lit lit)
{
    struct flm_atlas *atlas = painting->boxes->atlas;
    enum flm_weight weight = box->bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR;
    if (lit.from < lit.to) {
        double size = flm_atlas_size_px(atlas);
        double begin = pen + flm_atlas_width(atlas, (struct flm_bytes){part.at, lit.from}, weight);
        struct flm_bytes found = {part.at + lit.from, lit.to - lit.from};
        double end = begin + flm_atlas_width(atlas, found, weight);
        flm_pixels_fill(painting->pixels, flm_pixel_edge(begin),
                        base_line - flm_pixel_edge(0.95 * size), flm_pixel_edge(end),
                        base_line + flm_pixel_edge(0.25 * size), box->lit_rgb);
    }
    return flm_atlas_draw(atlas, painting->pixels, pen, base_line, part, weight, box->ink);
}

/* A label in its place. */
struct label {
    struct flm_label_parts parts;
    double pen;
    int base_line;
};

/* The label of a box, as much as fits of it: no parts if nothing does. */
static struct label fit_label(const struct painting *painting, const struct flm_box *box,
                              struct placed at)
{
    struct flm_pixels *pixels = painting->pixels;
    int left = at.left > pixels->clip_left ? at.left : pixels->clip_left;
    int right = at.right < pixels->clip_right ? at.right : pixels->clip_right;
    double room = right - left - 2 * painting->pad;
    struct label label = {.pen = left + painting->pad};
    if (room < painting->least_room || box->label.size == 0)
        return label;
    label.parts = flm_box_label(box, room,
                                &painting->fonts[box->bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR]);
    label.base_line = flm_atlas_base_line(painting->boxes->atlas, at.top, at.bottom);
    return label;
}

/* Draws it in the ink of a box; returns where it ends. */
static double draw_label(struct painting *painting, const struct flm_box *box,
                         const struct label *label)
{
    double pen = label->pen;
    for (int i = 0; i < label->parts.count; i++)
        pen = draw_part(painting, box, pen, label->base_line, label->parts.at[i],
                        label->parts.lit[i]);
    return pen;
}

/* Whether a label may fit into what is seen of a box. */
static bool has_room(const struct painting *painting, struct placed at)
{
    int left = at.left, right = at.right;
    if (left < painting->pixels->clip_left)
        left = painting->pixels->clip_left;
    if (right > painting->pixels->clip_right)
        right = painting->pixels->clip_right;
    return painting->boxes->atlas &&
           right - left - painting->gap - 2 * painting->pad >= painting->least_room;
}

/* A triangle in the upper right corner, row by row. */
static void draw_corner(struct painting *painting, struct placed at)
{
    int size = flm_pixel_length(CORNER * painting->boxes->scale);
    size = size < at.right - at.left ? size : at.right - at.left;
    for (int i = 0; i < size && at.top + i < at.bottom; i++)
        flm_pixels_fill(painting->pixels, at.right - size + i, at.top + i, at.right, at.top + i + 1,
                        painting->boxes->text);
}

/* Everything but the label. `whole` is the box that `at` is a part of, or `at`. */
static void draw_ground(struct painting *painting, const struct flm_rectangle *r,
                        const struct flm_box *box, struct placed at, struct placed whole,
                        bool is_round)
{
    const struct flm_boxes *boxes = painting->boxes;
    struct flm_pixels *pixels = painting->pixels;
    is_round = is_round && at.bottom - at.top >= painting->round_from;
    bool at_left = is_round && !(r->flags & (FLM_RECTANGLE_CLIPPED_LEFT | FLM_JOINED_TO_LAST));
    bool at_right = is_round && !(r->flags & (FLM_RECTANGLE_CLIPPED_RIGHT | FLM_JOINED_TO_NEXT));
    flm_pixels_fill_round(pixels, at.left, at.top, at.right, at.bottom, box->fill,
                          &painting->corner, at_left, at_right);
    if (box->texture)
        flm_pixels_texture(pixels, whole.left, at.top, whole.right, at.bottom, whole.left, at.top,
                           box->texture, boxes->scale, box->texture_rgb, box->texture_alpha);
    flm_pixels_mark(pixels, whole.left, at.top, whole.right, at.bottom, box->mark, boxes->scale,
                    box->ink, (uint8_t)(255 - box->faded));
    if (box->outline_px > 0)
        flm_pixels_outline(pixels, whole.left, at.top, whole.right, at.bottom,
                           flm_pixel_length(box->outline_px * boxes->scale), box->outline);
    if (box->noted)
        draw_corner(painting, whole);
}

static void draw_box(struct painting *painting, const struct flm_rectangle *r, struct placed at)
{
    const struct flm_boxes *boxes = painting->boxes;
    bool is_round = at.right - at.left >= painting->round_from;
    bool may_have_label = has_room(painting, at);
    struct flm_box box = {.has_room = may_have_label};
    boxes->style(boxes->context, r, &box);
    if (box.skipped)
        return;
    at.right -= gap_after(r, at.right - at.left, painting->gap, painting->gap_from);
    if (box.faded)
        flm_box_fade(boxes, &box);
    draw_ground(painting, r, &box, at, at, is_round);
    if (!may_have_label)
        return;
    struct label label = fit_label(painting, &box, at);
    draw_label(painting, &box, &label);
    painting->label_count += label.parts.count > 0;
}

/* ---- Joined boxes ---------------------------------------------------------------------------- */

/* The label of parts that are one box: that of the first one which has a name of its own. */
static struct label joined_label(const struct painting *painting, const struct flm_rectangle *first,
                                 size_t count, struct placed whole)
{
    const struct flm_boxes *boxes = painting->boxes;
    struct label none = {.pen = whole.left};
    for (size_t i = 0; i < count && has_room(painting, whole); i++) {
        struct flm_box box = {.has_room = true};
        if (first[i].flags & FLM_RECTANGLE_MERGED)
            continue;
        boxes->style(boxes->context, &first[i], &box);
        return box.skipped ? none : fit_label(painting, &box, whole);
    }
    return none;
}

static void draw_part_of(struct painting *painting, const struct flm_rectangle *r, struct placed at,
                         struct placed whole, const struct label *label, double *label_end)
{
    const struct flm_boxes *boxes = painting->boxes;
    struct flm_pixels *all = painting->pixels;
    struct flm_pixels part = flm_pixels_clipped(*all, at.left, at.top, at.right, at.bottom);
    struct flm_box box = {.has_room = at.left < *label_end};
    bool has_label = box.has_room;
    boxes->style(boxes->context, r, &box);
    if (box.skipped)
        return;
    if (box.faded)
        flm_box_fade(boxes, &box);
    painting->pixels = &part;
    if (!(r->flags & FLM_RECTANGLE_MERGED))
        draw_ground(painting, r, &box, at, whole, at.right - at.left >= painting->round_from);
    if (has_label)
        *label_end = draw_label(painting, &box, label);
    painting->pixels = all;
}

/* `count` rectangles that are joined, in the pixels of `whole`. */
static void draw_parts(struct painting *painting, const struct flm_rectangle *first, size_t count,
                       struct placed whole)
{
    const struct flm_boxes *boxes = painting->boxes;
    const struct flm_rectangle *last = &first[count - 1];
    whole.right -= gap_after(last, whole.right - whole.left, painting->gap, painting->gap_from);
    if (whole.right <= painting->pixels->clip_left || whole.left >= painting->pixels->clip_right)
        return;
    struct label label = joined_label(painting, first, count, whole);
    double label_end = label.parts.count > 0 ? whole.right : whole.left;
    painting->label_count += label.parts.count > 0;
    struct placed at = whole;
    for (size_t i = 0; i < count; i++, at.left = at.right) {
        int edge = flm_pixel_edge(boxes->left + first[i].x1);
        at.right = i + 1 < count && edge < whole.right ? edge : whole.right;
        if (at.right > painting->pixels->clip_left && at.left < painting->pixels->clip_right)
            draw_part_of(painting, &first[i], at, whole, &label, &label_end);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

static void clear(const struct flm_boxes *boxes, int top, int bottom)
{
    const struct flm_pixels *pixels = boxes->pixels;
    if (!boxes->ground) {
        flm_pixels_fill(boxes->pixels, pixels->clip_left, top, pixels->clip_right, bottom,
                        boxes->background);
        return;
    }
    top = top > pixels->clip_top ? top : pixels->clip_top;
    bottom = bottom < pixels->clip_bottom ? bottom : pixels->clip_bottom;
    if (top < bottom)
        boxes->ground(boxes->ground_context, top, bottom);
}

/* Above and below the levels of the list. No level between them is without a box. */
static void clear_around(const struct flm_boxes *boxes, const struct flm_rectangles *list)
{
    const struct flm_pixels *pixels = boxes->pixels;
    if (list->count == 0) {
        clear(boxes, pixels->clip_top, pixels->clip_bottom);
        return;
    }
    uint32_t first = list->at[0].level, last = list->at[list->count - 1].level;
    int top, bottom, unused;
    flm_boxes_row(boxes, boxes->upwards ? last : first, &top, &unused);
    flm_boxes_row(boxes, boxes->upwards ? first : last, &unused, &bottom);
    clear(boxes, pixels->clip_top, top);
    clear(boxes, bottom, pixels->clip_bottom);
}

static struct painting painting_of(const struct flm_boxes *boxes)
{
    assert(boxes->pixels && boxes->scale > 0 && boxes->row_height > 0);
    double scale = boxes->scale;
    struct painting painting = {.boxes = boxes,
                                .pixels = boxes->pixels,
                                .corner = flm_corner_of(RADIUS * scale),
                                .gap = flm_pixel_length(scale),
                                .gap_from = GAP_FROM * scale,
                                .round_from = ROUND_FROM * scale,
                                .pad = LABEL_PAD * scale};
    if (boxes->atlas) {
        painting.least_room = LEAST_FONT_SIZES * flm_atlas_size_px(boxes->atlas);
        for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++)
            painting.fonts[weight] = flm_atlas_font(boxes->atlas, (enum flm_weight)weight);
    }
    return painting;
}

static void begin_row(struct painting *painting, uint32_t level, bool clears)
{
    const struct flm_boxes *boxes = painting->boxes;
    struct placed *row = &painting->row;
    flm_boxes_row(boxes, level, &row->top, &row->bottom);
    if (clears)
        clear(boxes, row->top, row->bottom);
    int gap = boxes->gap > 0 ? flm_pixel_length(boxes->gap) : 0;
    row->bottom -= gap < row->bottom - row->top ? gap : 0;
}

static bool is_row_seen(const struct painting *painting)
{
    return painting->row.bottom > painting->pixels->clip_top &&
           painting->row.top < painting->pixels->clip_bottom;
}

/* A rectangle in its row, which is drawn up to *taken. */
static struct placed place_next(const struct painting *painting, const struct flm_rectangle *r,
                                int *taken)
{
    struct placed at = painting->row;
    at.left = flm_pixel_edge(painting->boxes->left + r->x0);
    at.right = flm_pixel_edge(painting->boxes->left + r->x1);
    at.left += at.left < *taken; /* by a box that would have been rounded away */
    if (at.right <= at.left)
        at.right = at.left + 1;
    if (at.right > *taken)
        *taken = at.right;
    return at;
}

size_t flm_boxes_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list)
{
    if (list->count == 0 && !boxes->clears)
        return 0; /* one of many panes, outside of the window */
    struct painting painting = painting_of(boxes);
    const struct flm_pixels *pixels = boxes->pixels;
    uint32_t level = UINT32_MAX;
    int taken = 0; /* the row is drawn up to here */
    if (boxes->clears)
        clear_around(boxes, list);
    for (size_t i = 0; i < list->count; i++) {
        const struct flm_rectangle *r = &list->at[i];
        if (r->level != level) {
            level = r->level;
            taken = -(1 << 29);
            begin_row(&painting, level, boxes->clears);
        }
        if (!is_row_seen(&painting))
            continue;
        struct placed at = place_next(&painting, r, &taken);
        bool is_left_out = (r->flags & FLM_JOINED) && !(r->flags & FLM_RECTANGLE_MERGED);
        if (at.right > pixels->clip_left && at.left < pixels->clip_right && !is_left_out)
            draw_box(&painting, r, at);
    }
    return painting.label_count;
}

size_t flm_boxes_draw_joined(const struct flm_boxes *boxes, const struct flm_rectangles *list)
{
    if (list->count == 0)
        return 0;
    struct painting painting = painting_of(boxes);
    uint32_t level = UINT32_MAX;
    int taken = 0;
    for (size_t i = 0, end; i < list->count; i = end) {
        if (list->at[i].level != level) {
            begin_row(&painting, level = list->at[i].level, false);
            taken = -(1 << 29);
        }
        struct placed whole = place_next(&painting, &list->at[i], &taken);
        for (end = i + 1; list->at[end - 1].flags & FLM_JOINED_TO_NEXT; end++)
            whole.right = place_next(&painting, &list->at[end], &taken).right;
        assert(end <= list->count);
        if (end - i > 1 && is_row_seen(&painting))
            draw_parts(&painting, &list->at[i], end - i, whole);
    }
    return painting.label_count;
}
