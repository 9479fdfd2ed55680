#include "viewer/paint/first_picture.h"

#include <math.h>
#include <stdlib.h>

#include "draw/color/theme.h"
#include "draw/document/path.h"
#include "format/html/html.h"
#include "viewer/paint/internal.h"

/* The window for which edges are rounded and labels are chosen: CSS pixels. Labels of a wider one
 * could be longer; in a narrower one they are cut off, or, where little of them would be left,
 * hidden by web/start.css. */
enum { WINDOW_WIDTH = 1440, WINDOW_HEIGHT = 900, LABEL_PAD = 4, LABEL_PX = 12, BASE_LINE = 13 };

/* What is narrower has no room for a label. */
#define LABEL_FROM_PX 40.0

/* A label that is cut off is drawn only where this much of it is seen. */
#define LEAST_SEEN_PX 80.0

/* web/start.css hides labels of the class "large" in windows of up to 1100 px, and those of the class
 * "medium" in windows of up to 720 px. A label has the first class for which it does not fit into a
 * window of this width. */
static const struct {
    const char *class;
    double narrowest_px;
} hidden_in[] = {{"large", 720}, {"medium", 390}};

/* A box has a gap to its right from this width on. */
#define GAP_FROM_PX 2.5

struct colors {
    uint32_t fill[2], ink[2]; /* light and dark */
    bool is_drawn;
};

struct first {
    struct flm_viewer *viewer;
    const struct flm_pane *pane;
    struct flm_rectangles seen;  /* what the viewer will show */
    struct flm_rectangles boxes; /* with the narrowest of them merged */
    struct colors *colors;       /* of each of these */
    double width;
    uint32_t row_count;
    int top; /* of the first row, below the minimap */
};

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* The rectangles of the window; the narrowest are merged until they are few enough. */
static bool find_boxes(struct first *first, struct flm_error *why)
{
    struct flm_viewport view = flm_viewer_viewport(first->viewer, first->pane);
    view.first_level = 0;
    view.level_count = FLM_FIRST_ROWS;
    view.width_px = first->width;
    view.min_width_px = 1;
    if (!flm_layout_rectangles(first->pane->layout, &view, &first->seen, why))
        return false;
    for (; view.min_width_px < first->width; view.min_width_px *= 1.5) {
        if (!flm_layout_rectangles(first->pane->layout, &view, &first->boxes, why))
            return false;
        if (first->boxes.count <= FLM_FIRST_BOXES)
            break;
    }
    for (size_t i = 0; i < first->boxes.count; i++)
        if (first->boxes.at[i].level >= first->row_count)
            first->row_count = first->boxes.at[i].level + 1;
    return true;
}

/* A merged box has the color of the widest box that the viewer will show in its place, from `*at`
 * on: a gray that turned into colors would be another picture. */
static const struct flm_rectangle *widest_in(const struct first *first,
                                             const struct flm_rectangle *r, size_t *at)
{
    const struct flm_rectangle *seen = first->seen.at, *widest = r;
    double most = 0;
    while (*at < first->seen.count &&
           (seen[*at].level < r->level || (seen[*at].level == r->level && seen[*at].x0 < r->x0)))
        ++*at;
    for (; *at < first->seen.count && seen[*at].level == r->level && seen[*at].x0 < r->x1; ++*at) {
        bool is_wider = seen[*at].x1 - seen[*at].x0 > most;
        if (is_wider && !(seen[*at].flags & FLM_RECTANGLE_MERGED)) {
            widest = &seen[*at];
            most = widest->x1 - widest->x0;
        }
    }
    return widest;
}

static bool find_colors(struct first *first, bool dark, struct flm_error *why)
{
    struct flm_box_styles styles;
    struct flm_theme theme = first->viewer->paint.theme;
    theme.dark = dark;
    flm_viewer_theme(first->viewer, &theme);
    if (!flm_box_styles_init(&styles, first->viewer, 0, why))
        return false;
    for (size_t i = 0, at = 0; i < first->boxes.count; i++) {
        struct flm_box box = {0};
        const struct flm_rectangle *r = &first->boxes.at[i];
        flm_box_styles_apply(&styles, widest_in(first, r, &at), &box);
        first->colors[i].fill[dark] = box.fill;
        first->colors[i].ink[dark] = box.ink;
        first->colors[i].is_drawn = box.skipped;
    }
    flm_box_styles_clear(&styles);
    return true;
}

static void add_color(struct flm_text *out, const char *attribute, uint32_t rgb)
{
    flm_text_format(out, " %s=\"", attribute);
    flm_color_add(out, rgb);
    flm_text_putc(out, '"');
}

static int rounded(double value)
{
    return (int)floor(value + 0.5);
}

/* Row by row: that of level 0 is the lowest one of a flame. */
static int row_of(const struct first *first, uint32_t level)
{
    uint32_t row = first->pane->upwards ? first->row_count - 1 - level : level;
    return first->top + (int)row * (FLM_ROW_PX + 1);
}

/* In tenths of a pixel to the right and whole pixels down, which path.h writes without a point. */
static void add_box(const struct first *first, struct flm_text *out, struct flm_pen *pen,
                    const struct flm_rectangle *r)
{
    double gap = r->x1 - r->x0 >= GAP_FROM_PX ? 1 : 0;
    int left = rounded(r->x0 * 10), right = rounded((r->x1 - gap) * 10);
    struct flm_path_box box = {left * 10, row_of(first, r->level) * 10,
                               (right > left ? right - left : 1) * 10, FLM_ROW_PX * 10};
    flm_path_rectangle(out, pen, box, 0);
}

static bool is_color(const struct colors *a, const struct colors *b)
{
    return a->fill[0] == b->fill[0] && a->fill[1] == b->fill[1];
}

/* There are few colors and few boxes: all of a color are found by looking at each that is left. */
static void add_boxes(const struct first *first, struct flm_text *out, int height)
{
    flm_text_format(out, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" height=\"%d\">",
                    rounded(first->width * 10), height, height);
    for (size_t i = 0; i < first->boxes.count; i++) {
        struct flm_pen pen = {0, 0, false};
        if (first->colors[i].is_drawn)
            continue;
        flm_text_puts(out, "<path");
        add_color(out, "fill", first->colors[i].fill[0]);
        add_color(out, "color", first->colors[i].fill[1]);
        flm_text_puts(out, " d=\"");
        for (size_t j = i; j < first->boxes.count; j++) {
            if (first->colors[j].is_drawn || !is_color(&first->colors[i], &first->colors[j]))
                continue;
            first->colors[j].is_drawn = true;
            add_box(first, out, &pen, &first->boxes.at[j]);
        }
        flm_text_puts(out, "\"/>");
    }
    flm_text_puts(out, "</svg>");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Of the width of the window: "12.5%", to a hundredth. */
static void add_share(struct flm_text *out, double share)
{
    int hundredths = rounded(share * 10000);
    flm_text_format(out, "%d.%d%d%%", hundredths / 100, hundredths / 10 % 10, hundredths % 10);
}

/* Labels of one ink, as most neighbors have, are one group. */
static void begin_ink(struct flm_text *out, const struct colors *last, const struct colors *now)
{
    if (last && last->ink[0] == now->ink[0] && last->ink[1] == now->ink[1])
        return;
    flm_text_puts(out, last ? "</g><g" : "<g");
    add_color(out, "fill", now->ink[0]);
    add_color(out, "color", now->ink[1]);
    flm_text_putc(out, '>');
}

/* The class of a label; NULL: it is shown in every window. */
static const char *class_of(const struct first *first, const struct flm_rectangle *r,
                            const struct flm_label_parts *label, const struct flm_font *font)
{
    double needs = 0, share = (r->x1 - r->x0) / first->width;
    for (int i = 0; i < label->count; i++)
        needs += flm_label_width(label->at[i], font);
    needs = fmin(needs, LEAST_SEEN_PX) + LABEL_PAD;
    for (size_t i = 0; i < sizeof hidden_in / sizeof hidden_in[0]; i++)
        if (share * hidden_in[i].narrowest_px < needs)
            return hidden_in[i].class;
    return NULL;
}

static void add_label(const struct first *first, struct flm_text *out,
                      const struct flm_rectangle *r, const struct flm_label_parts *label,
                      const struct flm_font *font)
{
    const char *class = class_of(first, r, label, font);
    flm_text_puts(out, "<svg ");
    if (class)
        flm_text_format(out, "class=\"%s\" ", class);
    flm_text_puts(out, "x=\"");
    add_share(out, r->x0 / first->width);
    flm_text_format(out, "\" y=\"%d\" width=\"", row_of(first, r->level));
    add_share(out, (r->x1 - r->x0) / first->width);
    flm_text_format(out, "\" height=\"%d\"><text x=\"%d\" y=\"%d\">", FLM_ROW_PX, LABEL_PAD,
                    BASE_LINE);
    for (int i = 0; i < label->count; i++)
        flm_html_escape(out, label->at[i]);
    flm_text_puts(out, "</text></svg>");
}

static bool add_labels(const struct first *first, struct flm_text *out, int height,
                       struct flm_error *why)
{
    struct flm_box_styles styles;
    const struct flm_font font = {.size_px = LABEL_PX};
    const struct colors *last = NULL;
    if (!flm_box_styles_init(&styles, first->viewer, 0, why))
        return false;
    flm_text_format(out, "<svg height=\"%d\">", height);
    for (size_t i = 0; i < first->boxes.count; i++) {
        const struct flm_rectangle *r = &first->boxes.at[i];
        struct flm_box box = {.has_room = true};
        if (r->x1 - r->x0 < LABEL_FROM_PX)
            continue;
        flm_box_styles_apply(&styles, r, &box);
        struct flm_label_parts label = flm_box_label(&box, r->x1 - r->x0 - 2 * LABEL_PAD, &font);
        if (box.skipped || label.count == 0)
            continue;
        begin_ink(out, last, &first->colors[i]);
        last = &first->colors[i];
        add_label(first, out, r, &label, &font);
    }
    flm_text_puts(out, last ? "</g></svg>" : "</svg>");
    bool good = !styles.text.failed;
    flm_box_styles_clear(&styles);
    return good || flm_error_memory(why);
}

/* ---- The picture ----------------------------------------------------------------------------- */

static void add_title(struct flm_viewer *v, struct flm_text *out)
{
    struct flm_text title = {0};
    flm_picture_title(v, &title);
    flm_text_puts(out, "<div id=\"flamel-first\" role=\"img\"");
    if (flm_scene_compares(&v->scene)) /* its place is below the options of a comparison */
        flm_text_puts(out, " class=\"compared\"");
    flm_text_puts(out, " aria-label=\"Flame graph of ");
    flm_html_escape(out, (struct flm_bytes){title.at, title.size});
    flm_text_puts(out, "\">");
    out->failed = out->failed || title.failed;
    flm_text_clear(&title);
}

static bool write(struct first *first, struct flm_text *out, struct flm_error *why)
{
    if (!find_boxes(first, why))
        return false;
    if (first->boxes.count == 0)
        return true;
    first->colors = calloc(first->boxes.count, sizeof *first->colors);
    if (!first->colors)
        return flm_error_memory(why);
    if (!find_colors(first, true, why) || !find_colors(first, false, why))
        return false;
    int height = first->top + (int)first->row_count * (FLM_ROW_PX + 1);
    add_title(first->viewer, out);
    add_boxes(first, out, height);
    if (!add_labels(first, out, height, why))
        return false;
    flm_text_puts(out, "</div>\n");
    return true;
}

bool flm_first_picture_write(struct flm_viewer *v, struct flm_text *out, struct flm_error *why)
{
    flm_viewer_resize(v, WINDOW_WIDTH, WINDOW_HEIGHT, 1);
    if (!flm_viewer_update(v, why))
        return false;
    if (v->scene.pane_count != 1 || flm_scene_is_over_time(&v->scene))
        return true;
    struct flm_area area = flm_viewer_area(v);
    struct first first = {
        .viewer = v, .pane = &v->scene.panes[0], .width = area.width, .top = (int)area.top};
    bool good = write(&first, out, why);
    flm_rectangles_clear(&first.seen);
    flm_rectangles_clear(&first.boxes);
    free(first.colors);
    return good;
}
