/* svg_still.c - the still picture: what an image viewer, a printer and a browser without scripts
 * show. Boxes of one colour are one group of two paths:
 *
 *     wide     a rectangle each, drawn smaller and with a thick line of round corners around it
 *     narrow   a thick horizontal line each, "m1 0h2.5" when it follows on the same level
 *
 * so that a box costs 10 to 20 bytes, and there is no element for it. Coordinates are whole tenths
 * of a pixel, and relative, which makes them short. */
#include <stdlib.h>

#include "draw/plain.h"
#include "draw/quantity.h"
#include "draw/svg.h"
#include "profile/columns.h"

/* Boxes that are at least so wide have round corners and a gap to the right. */
enum { WIDE_TENTHS = 80, GAP_FROM_TENTHS = 25, GAP_TENTHS = 10 };

struct box {
    int x, y, width, height; /* tenths of a pixel */
};

static int tenths(double px)
{
    return (int)(px * 10 + 0.5);
}

static struct box box_of(const struct flm_svg *svg, const struct flm_rectangle *r)
{
    int row = tenths(svg->options.frame_height_px), left = tenths(r->x0), right = tenths(r->x1);
    int level = (int)r->level;
    if (!svg->options.inverted)
        level = (int)svg->level_count - 1 - level;
    struct box box = {left + FLM_SVG_PAD * 10, FLM_SVG_HEADER * 10 + level * row, right - left,
                      row > 40 ? row - 10 : row};
    if (box.width >= GAP_FROM_TENTHS)
        box.width -= GAP_TENTHS;
    return box;
}

/* "-12.5", with a blank before it where it would run into the number before. */
static void add_tenths(struct flm_text *out, int value)
{
    char *to = flm_text_reserve(out, 16);
    if (!to)
        return;
    char digits[12];
    size_t count = 0, size = 0;
    unsigned left = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    unsigned fraction = left % 10;
    left /= 10;
    do
        digits[count++] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        to[size++] = '-';
    while (count > 0)
        to[size++] = digits[--count];
    if (fraction) {
        to[size++] = '.';
        to[size++] = (char)('0' + fraction);
    }
    out->size += size;
}

/* The point where a path is, so that the next one can be given relative to it. */
struct pen {
    int x, y;
    bool is_down;
};

static void move_to(struct flm_text *out, struct pen *pen, int x, int y)
{
    flm_text_putc(out, pen->is_down ? 'm' : 'M');
    add_tenths(out, x - pen->x);
    if (y >= pen->y)
        flm_text_putc(out, ' ');
    add_tenths(out, y - pen->y);
    *pen = (struct pen){x, y, true};
}

static void add_line(struct flm_text *out, struct pen *pen, int x, int y, int width)
{
    move_to(out, pen, x, y);
    flm_text_putc(out, 'h');
    add_tenths(out, width);
    pen->x += width;
}

static void add_rectangle(struct flm_text *out, struct pen *pen, struct box box, int inset)
{
    move_to(out, pen, box.x + inset, box.y + inset);
    flm_text_putc(out, 'h');
    add_tenths(out, box.width - 2 * inset);
    flm_text_putc(out, 'v');
    add_tenths(out, box.height - 2 * inset);
    flm_text_putc(out, 'h');
    add_tenths(out, 2 * inset - box.width);
    flm_text_putc(out, 'z');
}

/* The rectangles of `seen`, bucket by bucket: items[starts[b] .. starts[b + 1]). */
struct buckets {
    uint32_t *starts, *items;
    uint32_t count;
};

static void clear_buckets(struct buckets *buckets)
{
    free(buckets->starts);
    free(buckets->items);
}

static bool sort_by_tone(const struct flm_svg *svg, struct buckets *buckets)
{
    size_t count = svg->seen.count, tones = svg->tone_count;
    buckets->count = (uint32_t)tones;
    buckets->starts = calloc(tones + 2, sizeof *buckets->starts);
    buckets->items = malloc((count ? count : 1) * sizeof *buckets->items);
    if (!buckets->starts || !buckets->items)
        return false;
    uint32_t *next = buckets->starts + 1; /* becomes starts as it is filled */
    for (size_t i = 0; i < count; i++)
        next[flm_svg_tone(svg, &svg->seen.at[i]) + 1]++;
    for (size_t t = 1; t <= tones; t++)
        next[t] += next[t - 1];
    for (size_t i = 0; i < count; i++)
        buckets->items[next[flm_svg_tone(svg, &svg->seen.at[i])]++] = (uint32_t)i;
    return true;
}

/* The boxes of one tone that are wide, or narrow, as one path. */
static void add_boxes(const struct flm_svg *svg, struct flm_text *out, const uint32_t *items,
                      size_t count, bool wide)
{
    struct pen pen = {0, 0, false};
    for (size_t i = 0; i < count; i++) {
        struct box box = box_of(svg, &svg->seen.at[items[i]]);
        if ((box.width >= WIDE_TENTHS && box.height >= WIDE_TENTHS) != wide || box.width <= 0)
            continue;
        if (!pen.is_down)
            flm_text_puts(out, wide ? "<path class=\"w\" d=\"" : "<path class=\"n\" d=\"");
        if (wide)
            add_rectangle(out, &pen, box, 20);
        else
            add_line(out, &pen, box.x, box.y + box.height / 2, box.width);
    }
    if (pen.is_down)
        flm_text_puts(out, "\"/>\n");
}

static void add_color(struct flm_text *out, uint32_t color)
{
    flm_text_format(out, "#%x%x%x%x%x%x", color >> 20 & 15, color >> 16 & 15, color >> 12 & 15,
                    color >> 8 & 15, color >> 4 & 15, color & 15);
}

static void add_all_boxes(const struct flm_svg *svg, struct flm_text *out,
                          const struct buckets *buckets)
{
    int row = tenths(svg->options.frame_height_px);
    flm_text_puts(out, "<g class=\"boxes\" fill=\"none\" stroke=\"currentColor\" "
                       "stroke-width=\"");
    add_tenths(out, row > 40 ? row - 10 : row);
    flm_text_puts(out, "\">\n");
    for (uint32_t t = 0; t < buckets->count; t++) {
        uint32_t from = buckets->starts[t], to = buckets->starts[t + 1];
        if (from == to)
            continue;
        flm_text_format(out, "<g class=\"c%u\" color=\"", t);
        add_color(out, svg->tones[t].light);
        flm_text_puts(out, "\">\n");
        add_boxes(svg, out, buckets->items + from, to - from, true);
        add_boxes(svg, out, buckets->items + from, to - from, false);
        flm_text_puts(out, "</g>\n");
    }
    flm_text_puts(out, "</g>\n");
}

/* An edge at the foot of boxes of a kind; a texture over those that appeared or disappeared. */
static void add_marks(const struct flm_svg *svg, struct flm_text *out)
{
    flm_text_puts(out, "<g class=\"marks\" fill=\"none\">\n");
    for (int mark = FLM_MARK_NONE + 1; mark < FLM_MARK_COUNT; mark++) {
        struct pen pen = {0, 0, false};
        for (size_t i = 0; i < svg->seen.count; i++) {
            const struct flm_rectangle *r = &svg->seen.at[i];
            struct box box = box_of(svg, r);
            if (r->x1 - r->x0 < 4 || (int)flm_svg_mark(svg, r) != mark)
                continue;
            if (!pen.is_down)
                flm_text_format(out, "<path class=\"m%d\" d=\"", mark);
            if (mark >= FLM_MARK_APPEARED)
                add_rectangle(out, &pen, box, 0);
            else
                add_line(out, &pen, box.x + 10, box.y + box.height - 15, box.width - 20);
        }
        if (pen.is_down)
            flm_text_puts(out, "\"/>\n");
    }
    flm_text_puts(out, "</g>\n");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

enum { LABEL_PAD = 4 };

/* Narrower boxes cannot hold four letters in any font that can be read. */
static double least_room(const struct flm_svg *svg)
{
    return svg->options.font_size_px * 1.2;
}

static void add_label(struct flm_svg *svg, struct flm_text *out, const struct flm_rectangle *r)
{
    double room = r->x1 - r->x0 - 2 * LABEL_PAD;
    if (room < least_room(svg))
        return;
    uint32_t frame = svg->profile->node_frame[r->node.index];
    svg->label.size = 0;
    if (r->flags & FLM_RECTANGLE_RUN) {
        flm_text_putc(&svg->label, '+');
        flm_count_add(&svg->label, r->count);
        if (flm_label_width((struct flm_bytes){svg->label.at, svg->label.size}, &svg->font) > room)
            svg->label.size = 0;
    } else {
        bool is_root = svg->profile->frames[frame].flags & FLM_FRAME_ROOT;
        struct flm_bytes name = is_root ? flm_bytes_of("all") : flm_svg_name(svg, frame);
        flm_label_add(&svg->label, name, flm_name_parts(name), room, &svg->font);
    }
    if (svg->label.size == 0)
        return;
    struct box box = box_of(svg, r);
    flm_text_puts(out, "<text x=\"");
    add_tenths(out, box.x + LABEL_PAD * 10);
    flm_text_puts(out, "\" y=\"");
    add_tenths(out, box.y + box.height / 2 + tenths(svg->options.font_size_px * 0.35));
    flm_text_puts(out, "\">");
    flm_xml_add(out, (struct flm_bytes){svg->label.at, svg->label.size});
    flm_text_puts(out, "</text>\n");
}

static void add_labels(struct flm_svg *svg, struct flm_text *out)
{
    static const uint32_t inks[FLM_INK_COUNT] = {[FLM_INK_DARK] = FLM_INK_DARK_ON_LIGHT,
                                                 [FLM_INK_PAGE] = FLM_INK_PAGE_LIGHT,
                                                 [FLM_INK_BLACK] = 0,
                                                 [FLM_INK_WHITE] = 0xffffff};
    flm_text_puts(out, "<g class=\"labels\" font-size=\"");
    add_tenths(out, tenths(svg->options.font_size_px));
    flm_text_puts(out, "\">\n");
    for (uint32_t ink = 0; ink < FLM_INK_COUNT; ink++) {
        bool any = false;
        for (size_t i = 0; i < svg->seen.count; i++) {
            const struct flm_rectangle *r = &svg->seen.at[i];
            if (svg->tones[flm_svg_tone(svg, r)].ink != ink)
                continue;
            if (!any) {
                flm_text_format(out, "<g class=\"i%u\" fill=\"", ink);
                add_color(out, inks[ink]);
                flm_text_puts(out, "\">\n");
            }
            any = true;
            add_label(svg, out, r);
        }
        if (any)
            flm_text_puts(out, "</g>\n");
    }
    flm_text_puts(out, "</g>\n");
}

/* ---- Titles and the status line -------------------------------------------------------------- */

static void add_titles(struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_svg_options *o = &svg->options;
    flm_text_format(out, "<text class=\"title\" x=\"%d\" y=\"%d\">", FLM_SVG_PAD, 27);
    flm_text_puts(out, "<tspan font-weight=\"600\">");
    flm_xml_add(out, flm_plain(flm_bytes_of(o->title), &svg->name));
    flm_text_puts(out, "</tspan>");
    if (o->subtitle) {
        flm_text_puts(out, " <tspan dx=\"8\" class=\"muted\" fill=\"#63666b\">");
        flm_xml_add(out, flm_plain(flm_bytes_of(o->subtitle), &svg->name));
        flm_text_puts(out, "</tspan>");
    }
    flm_text_puts(out, "</text>\n");
}

static void add_value(const struct flm_svg *svg, struct flm_text *out, double value)
{
    flm_quantity_add(out, value * svg->options.factor, svg->unit);
}

static void add_change(const struct flm_svg *svg, struct flm_text *out)
{
    double after = svg->after[0], before = svg->before ? svg->before[0] : 0;
    if (svg->comparison == FLM_SVG_SIGNED) {
        flm_text_puts(out, after > 0 ? "+" : "");
        add_value(svg, out, after);
        flm_text_puts(out, " in all");
        return;
    }
    add_value(svg, out, before);
    flm_text_puts(out, " before, ");
    add_value(svg, out, after);
    flm_text_puts(out, " after");
    if (before > 0) {
        flm_text_puts(out, after > before ? " (+" : " (");
        flm_percent_add(out, after - before, before);
        flm_text_putc(out, ')');
    }
}

static void add_losses(const struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_profile *p = svg->profile;
    static const struct flm_bytes no_unit = {"", 0};
    flm_text_puts(out, "lost ");
    flm_quantity_add(out, svg->lost, no_unit);
    if (p->sizes.loss_count == 1) {
        flm_text_putc(out, ' ');
        flm_text_add(out, flm_string_bytes(p, p->losses[0].what));
    }
}

static void add_merged(const struct flm_svg *svg, struct flm_text *out)
{
    double merged = 0;
    for (size_t i = 0; i < svg->seen.count; i++)
        if (svg->seen.at[i].flags & FLM_RECTANGLE_RUN)
            merged += svg->seen.at[i].total;
    flm_text_puts(out, "merged ");
    flm_count_add(out, svg->seen_runs);
    flm_text_puts(out, " (");
    flm_percent_add(out, merged, svg->total);
    flm_text_putc(out, ')');
}

static void add_fact(const struct flm_svg *svg, enum flm_svg_fact fact, struct flm_text *out)
{
    switch (fact) {
    case FLM_FACT_STACKS:
        flm_count_add(out, svg->stack_count);
        flm_text_puts(out, svg->stack_count == 1 ? " stack" : " stacks");
        break;
    case FLM_FACT_TOTAL:
        if (svg->comparison)
            add_change(svg, out);
        else
            add_value(svg, out, svg->total);
        break;
    case FLM_FACT_DRAWN:
        flm_text_puts(out, "drawn ");
        flm_count_add(out, svg->seen.count - svg->seen_runs);
        break;
    case FLM_FACT_MERGED:
        add_merged(svg, out);
        break;
    case FLM_FACT_LOST:
        add_losses(svg, out);
        break;
    case FLM_FACT_UNSYMBOLISED:
        flm_text_puts(out, "unsymbolised ");
        flm_percent_add(out, svg->unsymbolised, svg->total);
        break;
    case FLM_FACT_LEVELS:
        if (svg->levels_cut > 0) {
            flm_count_add(out, svg->levels_cut);
            flm_text_format(out, " levels below level %d are not drawn", FLM_SVG_LEVELS);
        }
        break;
    case FLM_FACT_COUNT:
        break;
    }
}

/* The fact as plain text, good until the next name. */
struct flm_bytes flm_svg_fact(struct flm_svg *svg, enum flm_svg_fact fact)
{
    svg->label.size = 0;
    add_fact(svg, fact, &svg->label);
    return flm_plain((struct flm_bytes){svg->label.at, svg->label.size}, &svg->name);
}

static void add_status(struct flm_svg *svg, struct flm_text *out, int y)
{
    flm_text_format(out,
                    "<text x=\"%d\" y=\"%d\" class=\"status\" font-size=\"12\" "
                    "fill=\"#63666b\">",
                    FLM_SVG_PAD, y);
    for (int fact = 0; fact < FLM_FACT_COUNT; fact++) {
        struct flm_bytes text = flm_svg_fact(svg, (enum flm_svg_fact)fact);
        if (text.size == 0)
            continue;
        flm_text_puts(out, fact ? " <tspan dx=\"12\">" : "<tspan>");
        flm_xml_add(out, text);
        flm_text_puts(out, "</tspan>");
    }
    flm_text_puts(out, "</text>\n");
}

/* ---- The legend ------------------------------------------------------------------------------ */

static const char *const mark_names[FLM_MARK_COUNT] = {
    [FLM_MARK_KERNEL] = "kernel",
    [FLM_MARK_INLINED] = "inlined",
    [FLM_MARK_JIT] = "compiled at run time",
    [FLM_MARK_INTERPRETED] = "interpreted",
    [FLM_MARK_GPU] = "gpu",
    [FLM_MARK_WAKER] = "waker",
    [FLM_MARK_APPEARED] = "appeared",
    [FLM_MARK_DISAPPEARED] = "disappeared",
};

/* A box of a tone with a mark on it, and what it means. Returns where the next one begins. */
static int add_key(const struct flm_svg *svg, struct flm_text *out, int x, int y, uint32_t tone,
                   int mark, const char *meaning)
{
    struct pen pen = {0, 0, false};
    struct box box = {x * 10, (y - 10) * 10, 160, 120};
    flm_text_format(out, "<g class=\"c%u\" color=\"", tone);
    add_color(out, svg->tones[tone].light);
    flm_text_puts(out, "\"><path class=\"k\" fill=\"currentColor\" d=\"");
    add_rectangle(out, &pen, box, 0);
    flm_text_puts(out, "\"/></g>");
    if (mark) {
        pen = (struct pen){0, 0, false};
        flm_text_format(out, "<path class=\"m%d\" d=\"", mark);
        if (mark >= FLM_MARK_APPEARED)
            add_rectangle(out, &pen, box, 0);
        else
            add_line(out, &pen, box.x, box.y + box.height - 15, box.width);
        flm_text_puts(out, "\"/>");
    }
    flm_text_format(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 21, y, meaning);
    struct flm_font font = {12, 0};
    return x + 21 + (int)flm_label_width(flm_bytes_of(meaning), &font) + 14;
}

/* Which marks are in the picture, a bit each. */
unsigned flm_svg_marks(const struct flm_svg *svg)
{
    unsigned marks = 0;
    for (size_t i = 0; i < svg->kept.count; i++)
        marks |= 1u << flm_svg_mark(svg, &svg->kept.at[i]);
    return marks & ~1u;
}

static void add_legend(const struct flm_svg *svg, struct flm_text *out, int y)
{
    int x = FLM_SVG_PAD;
    flm_text_puts(out, "<g class=\"legend\" font-size=\"12\" fill=\"#63666b\">\n");
    if (svg->comparison) {
        uint32_t first = FLM_TONE_CHANGE, last = first + FLM_CHANGE_TONES - 1;
        x = add_key(svg, out, x, y, last, 0, svg->options.negate ? "shrunk" : "grown");
        x = add_key(svg, out, x, y, first + FLM_CHANGE_SAME, 0, "same");
        x = add_key(svg, out, x, y, first, 0, svg->options.negate ? "grown" : "shrunk");
    }
    for (int mark = 1; mark < FLM_MARK_COUNT; mark++) {
        if (!(svg->marks >> mark & 1))
            continue;
        uint32_t tone = mark == FLM_MARK_APPEARED      ? FLM_TONE_CHANGE + FLM_CHANGE_TONES - 1
                        : mark == FLM_MARK_DISAPPEARED ? FLM_TONE_CHANGE
                                                       : FLM_TONE_RUN;
        x = add_key(svg, out, x, y, tone, mark, mark_names[mark]);
    }
    flm_text_puts(out, "</g>\n");
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Why there is nothing to see. */
static void add_reason(struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_profile *p = svg->profile;
    flm_text_format(out, "<text class=\"empty\" x=\"%d\" y=\"%d\">", FLM_SVG_PAD,
                    FLM_SVG_HEADER + 14);
    if (p->sizes.node_count == 1 || p->sizes.metric_count == 0) {
        flm_text_puts(out, "Nothing to draw: the profile has no stacks.");
    } else {
        const struct flm_metric_record *metric = flm_profile_metric(p, svg->options.metric);
        flm_text_puts(out, "Nothing to draw: no stack has a value in ");
        flm_xml_add(out, flm_plain(flm_string_bytes(p, metric->name), &svg->name));
        flm_text_putc(out, '.');
    }
    flm_text_puts(out, "</text>\n");
}

int flm_svg_height(const struct flm_svg *svg)
{
    return FLM_SVG_HEADER + (int)(svg->level_count * svg->options.frame_height_px + 0.999) +
           FLM_SVG_LINE * (1 + (svg->comparison || svg->marks)) + 4;
}

bool flm_svg_write_still(struct flm_svg *svg, struct flm_text *out)
{
    int bottom = flm_svg_height(svg);
    flm_text_puts(out, "<g class=\"still\" fill=\"#1c1d1f\">\n");
    add_titles(svg, out);
    if (svg->seen.count == 0) {
        add_reason(svg, out);
    } else {
        struct buckets buckets = {0};
        bool sorted = sort_by_tone(svg, &buckets);
        if (sorted) {
            add_all_boxes(svg, out, &buckets);
            if (svg->marks)
                add_marks(svg, out);
            add_labels(svg, out);
        }
        clear_buckets(&buckets);
        if (!sorted)
            return false;
    }
    if (svg->comparison || svg->marks)
        add_legend(svg, out, bottom - FLM_SVG_LINE - 8);
    add_status(svg, out, bottom - 10);
    flm_text_puts(out, "</g>\n");
    return true;
}
