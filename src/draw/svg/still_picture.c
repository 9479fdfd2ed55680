/* still_picture.c - the still picture in an interactive SVG, shown by image viewers, printers and
 * browsers without scripts. Boxes of one color are one group of two paths:
 *
 *     wide     a rectangle each, drawn smaller and with a thick line of round corners around it
 *     narrow   a thick horizontal line each, "m1 0h2.5" when it follows on the same level
 *
 * so that a box takes 10 to 20 bytes and no element of its own. Coordinates are whole tenths of a
 * pixel, and relative, which makes them short. */
#include <stdlib.h>

#include "draw/color/theme.h"
#include "draw/document/path.h"
#include "draw/document/svg_sheet.h"
#include "draw/svg/internal.h"
#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "profile/columns.h"
#include "profile/recursion.h"

/* Boxes of at least this width have round corners and a gap to the right. */
enum { WIDE_TENTHS = 80, GAP_FROM_TENTHS = 25, GAP_TENTHS = 10 };

static struct flm_path_box box_of(const struct flm_svg *svg, const struct flm_rectangle *r)
{
    int row = flm_tenths(svg->options.frame_height_px), left = flm_tenths(r->x0),
        right = flm_tenths(r->x1);
    int level = (int)r->level;
    if (!svg->options.inverted)
        level = (int)svg->level_count - 1 - level;
    struct flm_path_box box = {left + FLM_DOCUMENT_PAD * 10,
                               flm_tenths(svg->document.boxes_top) + level * row, right - left,
                               row > 40 ? row - 10 : row};
    if (box.width >= GAP_FROM_TENTHS)
        box.width -= GAP_TENTHS;
    return box;
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
    size_t count = svg->seen.count, tones = svg->tones.count;
    buckets->count = (uint32_t)tones;
    buckets->starts = calloc(tones + 2, sizeof *buckets->starts);
    buckets->items = malloc((count ? count : 1) * sizeof *buckets->items);
    if (!buckets->starts || !buckets->items)
        return false;
    uint32_t *next = buckets->starts + 1; /* becomes `starts` while it is filled */
    for (size_t i = 0; i < count; i++)
        next[flm_svg_tone(svg, &svg->seen.at[i]) + 1]++;
    for (size_t t = 1; t <= tones; t++)
        next[t] += next[t - 1];
    for (size_t i = 0; i < count; i++)
        buckets->items[next[flm_svg_tone(svg, &svg->seen.at[i])]++] = (uint32_t)i;
    return true;
}

/* Adds the wide, or the narrow, boxes of one tone as one path. */
static void add_boxes(const struct flm_svg *svg, struct flm_text *out, const uint32_t *items,
                      size_t count, bool wide)
{
    struct flm_pen pen = {0, 0, false};
    for (size_t i = 0; i < count; i++) {
        struct flm_path_box box = box_of(svg, &svg->seen.at[items[i]]);
        if ((box.width >= WIDE_TENTHS && box.height >= WIDE_TENTHS) != wide || box.width <= 0)
            continue;
        if (!pen.is_down)
            flm_text_puts(out, wide ? "<path class=\"w\" fill=\"currentColor\" stroke-width=\"4\" "
                                      "stroke-linejoin=\"round\" d=\""
                                    : "<path class=\"n\" d=\"");
        if (wide)
            flm_path_rectangle(out, &pen, box, 20);
        else
            flm_path_line(out, &pen, box.x, box.y + box.height / 2, box.width);
    }
    if (pen.is_down)
        flm_text_puts(out, "\"/>\n");
}

static void add_all_boxes(const struct flm_svg *svg, struct flm_text *out,
                          const struct buckets *buckets)
{
    int row = flm_tenths(svg->options.frame_height_px);
    flm_text_puts(out, "<g class=\"boxes\" fill=\"none\" stroke=\"currentColor\" "
                       "stroke-width=\"");
    flm_path_number(out, row > 40 ? row - 10 : row);
    flm_text_puts(out, "\">\n");
    for (uint32_t t = 0; t < buckets->count; t++) {
        uint32_t from = buckets->starts[t], to = buckets->starts[t + 1];
        if (from == to)
            continue;
        flm_text_format(out, "<g class=\"c%u\" color=\"", t);
        flm_color_add(out, svg->tones.at[t].light);
        flm_text_puts(out, "\">\n");
        add_boxes(svg, out, buckets->items + from, to - from, true);
        add_boxes(svg, out, buckets->items + from, to - from, false);
        flm_text_puts(out, "</g>\n");
    }
    flm_text_puts(out, "</g>\n");
}

/* Adds a line at the foot of boxes of a kind; a texture over those that appeared or disappeared. */
static void add_marks(const struct flm_svg *svg, struct flm_text *out)
{
    flm_text_puts(out, "<g class=\"marks\" fill=\"none\">\n");
    for (int mark = FLM_MARK_NONE + 1; mark < FLM_MARK_COUNT; mark++) {
        struct flm_pen pen = {0, 0, false};
        for (size_t i = 0; i < svg->seen.count; i++) {
            const struct flm_rectangle *r = &svg->seen.at[i];
            struct flm_path_box box = box_of(svg, r);
            if (r->x1 - r->x0 < 4 || (int)flm_svg_mark(svg, r) != mark)
                continue;
            if (!pen.is_down)
                flm_text_format(out, "<path class=\"m%d\" d=\"", mark);
            if (mark >= FLM_MARK_APPEARED)
                flm_path_rectangle(out, &pen, box, 0);
            else
                flm_path_line(out, &pen, box.x + 10, box.y + box.height - 15, box.width - 20);
        }
        if (pen.is_down)
            flm_text_puts(out, "\"/>\n");
    }
    flm_text_puts(out, "</g>\n");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

enum { LABEL_PAD = 4 };

/* Narrower boxes have no room for four letters in any readable font. */
static double least_room(const struct flm_svg *svg)
{
    return svg->options.font_size_px * 1.2;
}

/* A name, and how many frames it stands for, if there is room for both. */
static void add_name(struct flm_svg *svg, struct flm_bytes name, uint32_t most, double room)
{
    char depth[16];
    struct flm_text suffix;
    flm_text_init_fixed(&suffix, depth, sizeof depth);
    flm_label_add_depth(&suffix, most);
    struct flm_bytes text = {suffix.at, suffix.size};
    struct flm_name_parts parts = flm_name_parts(name);
    flm_label_add(&svg->label, name, parts, room - flm_label_width(text, &svg->font), &svg->font);
    if (svg->label.size > 0)
        flm_text_add(&svg->label, text);
    else
        flm_label_add(&svg->label, name, parts, room, &svg->font);
}

static void add_label(struct flm_svg *svg, struct flm_text *out, const struct flm_rectangle *r)
{
    double room = r->x1 - r->x0 - 2 * LABEL_PAD;
    if (room < least_room(svg))
        return;
    uint32_t frame = svg->profile->node_frame[r->node.index];
    svg->label.size = 0;
    if (r->flags & FLM_RECTANGLE_MERGED) {
        flm_text_putc(&svg->label, '+');
        flm_count_add(&svg->label, r->count);
        if (flm_label_width((struct flm_bytes){svg->label.at, svg->label.size}, &svg->font) > room)
            svg->label.size = 0;
    } else {
        bool is_root = svg->profile->frames[frame].flags & FLM_FRAME_ROOT;
        struct flm_bytes name = is_root ? flm_bytes_of("all") : flm_svg_name(svg, frame);
        add_name(svg, name, flm_recursion_at(svg->profile, r->node.index).most, room);
    }
    if (svg->label.size == 0)
        return;
    struct flm_path_box box = box_of(svg, r);
    flm_text_puts(out, "<text x=\"");
    flm_path_number(out, box.x + LABEL_PAD * 10);
    flm_text_puts(out, "\" y=\"");
    flm_path_number(out, box.y + box.height / 2 + flm_tenths(svg->options.font_size_px * 0.35));
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
    flm_path_number(out, flm_tenths(svg->options.font_size_px));
    flm_text_puts(out, "\">\n");
    for (uint32_t ink = 0; ink < FLM_INK_COUNT; ink++) {
        bool any = false;
        for (size_t i = 0; i < svg->seen.count; i++) {
            const struct flm_rectangle *r = &svg->seen.at[i];
            if (svg->tones.at[flm_svg_tone(svg, r)].ink != ink)
                continue;
            if (!any) {
                flm_text_format(out, "<g class=\"i%u\" fill=\"", ink);
                flm_color_add(out, inks[ink]);
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

/* ---- Titles, legend, status ------------------------------------------------------------------ */

static void add_text(const struct flm_svg *svg, struct flm_text *out, struct flm_document_text text)
{
    flm_xml_add(out, flm_document_text_of(&svg->document, text));
}

/* Adds as much of a title as fits from x on. */
static void add_title(struct flm_svg *svg, struct flm_text *out, struct flm_document_text text,
                      double x, double size_px)
{
    struct flm_bytes title = flm_document_text_of(&svg->document, text);
    struct flm_name_parts whole = {.end = title.size};
    struct flm_font font = {.size_px = size_px};
    svg->label.size = 0;
    flm_label_add(&svg->label, title, whole, svg->document.width_px - FLM_DOCUMENT_PAD - x, &font);
    flm_xml_add(out, (struct flm_bytes){svg->label.at, svg->label.size});
}

static void add_titles(struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_document *document = &svg->document;
    flm_text_format(out, "<text class=\"title\" x=\"%d\" y=\"%d\">", FLM_DOCUMENT_PAD,
                    FLM_DOCUMENT_TITLE_Y);
    flm_text_puts(out, "<tspan font-weight=\"600\">");
    add_title(svg, out, document->title, FLM_DOCUMENT_PAD,
              FLM_DOCUMENT_TITLE_PX * FLM_SVG_SHEET_BOLD);
    flm_text_puts(out, "</tspan>");
    if (document->subtitle.size > 0) {
        if (document->subtitle_is_below)
            flm_text_format(out, "<tspan x=\"%d\" dy=\"%d\"", FLM_DOCUMENT_PAD,
                            FLM_DOCUMENT_TITLE_LINE);
        else
            flm_text_puts(out, " <tspan dx=\"8\"");
        flm_text_puts(out, " class=\"muted\" fill=\"#63666b\">");
        if (document->subtitle_is_below)
            add_title(svg, out, document->subtitle, FLM_DOCUMENT_PAD, FLM_DOCUMENT_TITLE_PX);
        else
            add_text(svg, out, document->subtitle);
        flm_text_puts(out, "</tspan>");
    }
    flm_text_puts(out, "</text>\n");
}

static void add_notice(const struct flm_svg *svg, struct flm_text *out)
{
    flm_text_format(out, "<text class=\"empty\" x=\"%d\" y=\"%d\">", FLM_DOCUMENT_PAD,
                    (int)svg->document.boxes_top + 14);
    add_text(svg, out, svg->document.notice);
    flm_text_puts(out, "</text>\n");
}

static void add_key(const struct flm_svg *svg, struct flm_text *out,
                    const struct flm_document_key *key)
{
    int x = (int)key->x, y = (int)key->y;
    struct flm_pen pen = {0, 0, false};
    struct flm_path_box box = {x * 10, (y - 10) * 10, 160, 120};
    flm_text_format(out, "<g class=\"c%u\" color=\"", key->tone);
    flm_color_add(out, svg->tones.at[key->tone].light);
    flm_text_puts(out, "\"><path class=\"k\" fill=\"currentColor\" d=\"");
    flm_path_rectangle(out, &pen, box, 0);
    flm_text_puts(out, "\"/></g>");
    if (key->mark) {
        pen = (struct flm_pen){0, 0, false};
        flm_text_format(out, "<path class=\"m%d\" d=\"", (int)key->mark);
        if (key->mark >= FLM_MARK_APPEARED)
            flm_path_rectangle(out, &pen, box, 0);
        else
            flm_path_line(out, &pen, box.x, box.y + box.height - 15, box.width);
        flm_text_puts(out, "\"/>");
    }
    flm_text_format(out, "<text x=\"%d\" y=\"%d\">", x + FLM_DOCUMENT_KEY_TEXT, y);
    add_text(svg, out, key->text);
    flm_text_puts(out, "</text>\n");
}

static void add_legend(const struct flm_svg *svg, struct flm_text *out)
{
    if (svg->document.keys.count == 0)
        return;
    flm_text_puts(out, "<g class=\"legend\" font-size=\"12\" fill=\"#63666b\">\n");
    for (size_t i = 0; i < svg->document.keys.count; i++)
        add_key(svg, out, &svg->document.keys.at[i]);
    flm_text_puts(out, "</g>\n");
}

/* A line is one text element, so that its parts follow each other in any font. */
static void add_status(const struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_document_piece *pieces = svg->document.pieces.at;
    for (size_t i = 0; i < svg->document.pieces.count; i++) {
        bool begins = i == 0 || pieces[i].y != pieces[i - 1].y;
        if (begins)
            flm_text_format(out,
                            "%s<text x=\"%d\" y=\"%d\" class=\"status\" font-size=\"12\" "
                            "fill=\"#63666b\">",
                            i ? "</text>\n" : "", FLM_DOCUMENT_PAD, (int)pieces[i].y);
        flm_text_puts(out, begins ? "<tspan>" : " <tspan dx=\"12\">");
        add_text(svg, out, pieces[i].text);
        flm_text_puts(out, "</tspan>");
    }
    if (svg->document.pieces.count > 0)
        flm_text_puts(out, "</text>\n");
}

/* ---- The whole picture ----------------------------------------------------------------------- */

bool flm_svg_write_still(struct flm_svg *svg, struct flm_text *out)
{
    flm_text_puts(out, "<g class=\"still\" fill=\"#1c1d1f\">\n");
    add_titles(svg, out);
    if (svg->seen.count == 0) {
        add_notice(svg, out);
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
    add_legend(svg, out);
    add_status(svg, out);
    flm_text_puts(out, "</g>\n");
    return true;
}
