#include "draw/document/heatmap_pane.h"

#include <assert.h>
#include <math.h>

#include "draw/color/palette.h"
#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"

enum { GUTTER = FLM_HEATMAP_GUTTER_PX, ROW = FLM_HEATMAP_ROW_PX, AXIS = FLM_HEATMAP_AXIS_PX };

/* The least distance of two ticks of each axis, and the gap between a label and the cells. */
enum { TICKS_APART = 90, OFFSETS_APART = 40, GAP = 6 };

static_assert((int)FLM_HEAT_STEPS == (int)FLM_SHARE_STEPS, "a tone for each step");

uint32_t flm_heatmap_pane_columns(double width_px)
{
    double room = floor((width_px - GUTTER) / FLM_HEATMAP_COLUMN_PX);
    return room > 1 ? (uint32_t)room : 1;
}

uint32_t flm_heatmap_color(int step, bool dark)
{
    const struct flm_tone *tone = &flm_share_tones[step];
    return dark ? tone->dark : tone->light;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

void flm_heatmap_add_scale(const struct flm_heatmap_shape *shape, struct flm_text *out)
{
    flm_quantity_add(out, shape->column_ns, flm_bytes_of("ns"));
    flm_text_puts(out, " by ");
    flm_quantity_add(out, shape->row_ns, flm_bytes_of("ns"));
}

void flm_heatmap_add_offset(const struct flm_heatmap_shape *shape, double ns, struct flm_text *out)
{
    flm_tick_label_add(out, ns, shape->row_ns, shape->column_ns);
}

/* The size of the number in front of a quantity's unit. */
static size_t number_size(struct flm_bytes quantity)
{
    size_t size = quantity.size;
    while (size > 0 && quantity.at[size - 1] != ' ')
        size--;
    return size > 0 ? size - 1 : quantity.size;
}

/* "3 to 5 ms", "900 us to 2 ms": the unit stands once where both have it. */
void flm_heatmap_add_step(const struct flm_heatmap *map, int step, struct flm_bytes unit,
                          struct flm_text *out)
{
    struct flm_text least = {0}, most = {0};
    flm_quantity_add(&least, map->least_of_step[step], unit);
    flm_quantity_add(&most, map->most_of_step[step], unit);
    struct flm_bytes from = {least.at, least.size}, to = {most.at, most.size};
    size_t number = number_size(from), last = number_size(to);
    struct flm_bytes unit_of_least = flm_bytes_from(from, number);
    struct flm_bytes unit_of_most = flm_bytes_from(to, last);
    if (unit_of_most.size > unit_of_least.size) /* "sample" and "samples" */
        unit_of_most.size = unit_of_least.size;
    bool same = flm_bytes_equal(unit_of_least, unit_of_most);
    if (!flm_bytes_equal(from, to)) {
        flm_text_add(out, same ? (struct flm_bytes){from.at, number} : from);
        flm_text_puts(out, " to ");
    }
    flm_text_add(out, to);
    out->failed |= least.failed || most.failed;
    flm_text_clear(&least);
    flm_text_clear(&most);
}

bool flm_heatmap_selected_rows(const struct flm_heatmap_shape *shape, double from_ns, double to_ns,
                               uint32_t column, double *from_row, double *to_row)
{
    double begin = column * shape->column_ns;
    *from_row = fmax(0, (from_ns - begin) / shape->row_ns);
    *to_row = fmin(shape->row_count, (to_ns - begin) / shape->row_ns);
    return *from_row < *to_row;
}

/* ---- Painting -------------------------------------------------------------------------------- */

/* The position of the cells on a surface. */
struct place {
    const struct flm_heatmap_pane *pane;
    const struct flm_surface *to;
    double left, bottom, width, height, column_px;
};

static struct place place_of(const struct flm_heatmap_pane *h, const struct flm_surface *surface,
                             const struct flm_document_pane *pane)
{
    const struct flm_heatmap_shape *shape = &h->map->shape;
    double width = pane->width_px - GUTTER;
    return (struct place){.pane = h,
                          .to = surface,
                          .left = pane->left + GUTTER,
                          .bottom = pane->top - AXIS,
                          .width = width,
                          .height = shape->row_count * (double)ROW,
                          .column_px = width / fmax(shape->column_count, 1)};
}

static bool is_outside(const struct flm_heatmap_pane *h, uint32_t column, uint32_t row)
{
    double from, to;
    return h->is_selected &&
           (!flm_heatmap_selected_rows(&h->map->shape, h->from_ns, h->to_ns, column, &from, &to) ||
            row + 1 <= from + 1e-6 || row >= to - 1e-6);
}

/* Rows of one color: a run may be cut by the selection. */
static void paint_run(void *context, uint32_t column, uint32_t from, uint32_t to, int step)
{
    enum { PALER = 170 };
    const struct place *p = context;
    for (uint32_t row = from, next; row < to; row = next) {
        bool outside = is_outside(p->pane, column, row);
        for (next = row + 1; next < to && is_outside(p->pane, column, next) == outside;)
            next++;
        uint32_t rgb = flm_heatmap_color(step, p->pane->dark);
        p->to->fill(p->to->context, p->left + column * p->column_px, p->bottom - next * (double)ROW,
                    p->column_px, (next - row) * (double)ROW,
                    outside ? flm_color_mix(rgb, p->pane->page, PALER) : rgb);
    }
}

static void paint_text(const struct place *p, double x, double base_line,
                       const struct flm_text *text)
{
    p->to->text(p->to->context, x, base_line, (struct flm_bytes){text->at, text->size},
                p->pane->text_px, false, p->pane->muted);
}

/* Times below the columns, and offsets left of the rows. */
static void paint_axes(const struct place *p)
{
    const struct flm_heatmap_shape *shape = &p->pane->map->shape;
    const struct flm_surface *to = p->to;
    struct flm_font font = to->font(to->context, p->pane->text_px, false);
    double all = shape->column_ns * shape->column_count, down = 0.36 * p->pane->text_px;
    double step =
        flm_tick_column_step(shape->column_ns, shape->column_count, fmax(p->width, 1), TICKS_APART);
    struct flm_text text = {0};
    for (double at = 0; at < all; at = flm_tick_next(at, step)) {
        double x = p->left + at / all * p->width;
        text.size = 0;
        flm_tick_label_add(&text, at, step, all);
        double width = flm_label_width((struct flm_bytes){text.at, text.size}, &font);
        if (x + 4 + width > p->left + p->width)
            break;
        to->fill(to->context, x, p->bottom, 1, AXIS, p->pane->line);
        paint_text(p, x + 4, p->bottom + AXIS / 2.0 + down, &text);
    }
    step = flm_tick_step(shape->column_ns, p->height, OFFSETS_APART);
    for (double at = 0; at <= shape->column_ns; at = flm_tick_next(at, step)) {
        double y = p->bottom - at / shape->column_ns * p->height;
        text.size = 0;
        flm_heatmap_add_offset(shape, at, &text);
        double width = flm_label_width((struct flm_bytes){text.at, text.size}, &font);
        to->fill(to->context, p->left - GAP, y - (at > 0), GAP, 1, p->pane->line);
        paint_text(p, p->left - GAP - 2 - width, y + down, &text);
    }
    flm_text_clear(&text);
}

static void paint(void *context, const struct flm_surface *surface,
                  const struct flm_document_pane *pane)
{
    const struct flm_heatmap_pane *h = context;
    struct place p = place_of(h, surface, pane);
    flm_heatmap_walk(h->map, paint_run, &p);
    surface->outline(surface->context, p.left, p.bottom - p.height, p.width, p.height, 1, h->line);
    paint_axes(&p);
}

/* ---- The pane -------------------------------------------------------------------------------- */

void flm_heatmap_pane_add(struct flm_document *document, const struct flm_heatmap_pane *h,
                          struct flm_bytes unit)
{
    static const struct flm_rectangles no_boxes;
    assert(document && h && h->map);
    struct flm_document_pane *pane = flm_document_add_pane(document);
    struct flm_text text = {0};
    if (!pane)
        return;
    *pane = (struct flm_document_pane){
        .list = &no_boxes,
        .context = (void *)h,
        .strip_px = h->map->shape.row_count * (double)ROW + AXIS + ROW,
        .paint_strip = paint,
    };
    for (int step = 0; step < FLM_HEAT_STEPS; step++) {
        if (h->map->most_of_step[step] <= 0)
            continue;
        text.size = 0;
        flm_heatmap_add_step(h->map, step, unit, &text);
        flm_document_add_key(document, flm_heatmap_color(step, h->dark), h->ink,
                             (struct flm_bytes){text.at, text.size});
    }
    document->failed |= text.failed;
    flm_text_clear(&text);
}
