#include "draw/document/document.h"

#include <assert.h>
#include <math.h>

#include "draw/color/theme.h"
#include "draw/document/pdf.h"
#include "draw/document/surface.h"
#include "draw/document/svg_sheet.h"
#include "draw/text/note_subject.h"
#include "draw/text/visible.h"

/* CSS pixels. */
enum {
    PAD = FLM_DOCUMENT_PAD,
    LINE = FLM_DOCUMENT_LINE,
    TEXT_PX = FLM_DOCUMENT_TEXT_PX,
    TITLE_PX = FLM_DOCUMENT_TITLE_PX,
    TITLE_Y = FLM_DOCUMENT_TITLE_Y,
    TITLE_LINE = FLM_DOCUMENT_TITLE_LINE, /* of the axis too */
    TITLE_APART = 12,
    PANES_APART = 12, /* between panes side by side */
    KEY_WIDTH = 16,
    KEY_HEIGHT = 12,
    KEY_TEXT = FLM_DOCUMENT_KEY_TEXT,
    KEYS_APART = 14,
    STATUS_APART = 15,
    GRADIENT_STEPS = 64
};

/* ---- Filling it ------------------------------------------------------------------------------ */

struct flm_document flm_document_new(double width_px, bool dark)
{
    assert(width_px > 0);
    return (struct flm_document){
        .width_px = width_px,
        .row_px = 19,
        .font_px = 12,
        .scale = 1,
        .page = flm_token_color(FLM_TOKEN_PAGE, dark),
        .page_foot = flm_token_color(FLM_TOKEN_PAGE, dark),
        .ink = flm_token_color(FLM_TOKEN_TEXT, dark),
        .muted = flm_token_color(FLM_TOKEN_MUTED, dark),
        .line = flm_token_color(FLM_TOKEN_LINE, dark),
    };
}

void flm_document_clear(struct flm_document *document)
{
    FLM_ARRAY_CLEAR(&document->panes);
    FLM_ARRAY_CLEAR(&document->ticks);
    FLM_ARRAY_CLEAR(&document->keys);
    FLM_ARRAY_CLEAR(&document->status);
    FLM_ARRAY_CLEAR(&document->pieces);
    flm_text_clear(&document->text);
    flm_text_clear(&document->scratch);
}

struct flm_document_text flm_document_add_text(struct flm_document *document, struct flm_bytes text)
{
    size_t from = document->text.size;
    flm_text_add(&document->text, flm_plain(text, &document->scratch));
    document->failed |= document->text.failed || document->scratch.failed;
    return (struct flm_document_text){from, document->text.size - from};
}

struct flm_bytes flm_document_text_of(const struct flm_document *document,
                                      struct flm_document_text text)
{
    return text.size ? (struct flm_bytes){document->text.at + text.from, text.size}
                     : flm_bytes_of("");
}

struct flm_document_pane *flm_document_add_pane(struct flm_document *document)
{
    if (FLM_ARRAY_ADD(&document->panes, (struct flm_document_pane){0}))
        return &document->panes.at[document->panes.count - 1];
    document->failed = true;
    return NULL;
}

struct flm_document_key *flm_document_add_key(struct flm_document *document, uint32_t fill,
                                              uint32_t ink, struct flm_bytes meaning)
{
    struct flm_document_text text = flm_document_add_text(document, meaning);
    if (FLM_ARRAY_ADD(&document->keys,
                      (struct flm_document_key){.fill = fill, .ink = ink, .text = text}))
        return &document->keys.at[document->keys.count - 1];
    document->failed = true;
    return NULL;
}

void flm_document_add_tick(struct flm_document *document, double x, struct flm_bytes text)
{
    struct flm_document_text label = flm_document_add_text(document, text);
    if (!FLM_ARRAY_ADD(&document->ticks, (struct flm_document_tick){x, label}))
        document->failed = true;
}

void flm_document_add_status(struct flm_document *document, struct flm_bytes text, bool begins_line)
{
    if (text.size == 0)
        return;
    struct flm_document_text part = flm_document_add_text(document, text);
    if (!FLM_ARRAY_ADD(&document->status, (struct flm_document_status){part, begins_line}))
        document->failed = true;
}

void flm_document_add_status_line(struct flm_document *document, const struct flm_status *status)
{
    assert(status);
    struct flm_text part = {0};
    for (int i = 0; i < FLM_STATUS_COUNT; i++) {
        part.size = 0;
        flm_status_add(&part, status, (enum flm_status_part)i);
        flm_document_add_status(document, (struct flm_bytes){part.at, part.size},
                                i >= FLM_STATUS_PARTS);
    }
    document->failed |= part.failed;
    flm_text_clear(&part);
}

void flm_document_add_notes(struct flm_document *document, const struct flm_written_notes *notes,
                            int64_t first_ns)
{
    size_t count = flm_written_notes_count(notes);
    struct flm_text line = {0};
    for (size_t i = 0; i < count && i < FLM_DOCUMENT_NOTES; i++) {
        line.size = 0;
        flm_note_line_add(&line, flm_written_notes_at(notes, i), first_ns);
        flm_document_add_status(document, (struct flm_bytes){line.at, line.size}, true);
    }
    line.size = 0;
    if (count > FLM_DOCUMENT_NOTES)
        flm_text_format(&line, "and %zu more note%s", count - FLM_DOCUMENT_NOTES,
                        count == FLM_DOCUMENT_NOTES + 1 ? "" : "s");
    flm_document_add_status(document, (struct flm_bytes){line.at, line.size}, true);
    document->failed |= line.failed;
    flm_text_clear(&line);
}

/* ---- Positions ------------------------------------------------------------------------------- */

double flm_document_pane_width(const struct flm_document *document)
{
    double width = document->width_px - 2 * PAD;
    return document->side_by_side ? floor((width - PANES_APART) / 2) : width;
}

static double right_edge(const struct flm_document *document)
{
    return document->width_px - PAD;
}

static void lay_out_titles(struct flm_document *document, const struct flm_surface *surface)
{
    struct flm_font bold = surface->font(surface->context, TITLE_PX, true);
    struct flm_font regular = surface->font(surface->context, TITLE_PX, false);
    double title = flm_label_width(flm_document_text_of(document, document->title), &bold);
    double subtitle = flm_label_width(flm_document_text_of(document, document->subtitle), &regular);
    document->subtitle_is_below =
        document->subtitle.size > 0 && PAD + title + TITLE_APART + subtitle > right_edge(document);
}

/* Panes one below the other, or side by side with their first levels on one line. */
static void lay_out_panes(struct flm_document *document)
{
    double width = flm_document_pane_width(document), row = document->row_px, highest = 0;
    double top = FLM_DOCUMENT_HEADER + (document->subtitle_is_below ? TITLE_LINE : 0) +
                 (document->ticks.count > 0 ? TITLE_LINE : 0);
    document->boxes_top = document->boxes_bottom = top;
    for (size_t i = 0; i < document->panes.count; i++) {
        struct flm_document_pane *pane = &document->panes.at[i];
        double height = pane->row_count * row;
        highest = fmax(highest, height);
        if (!document->side_by_side)
            top += (pane->group.size > 0 ? row : 0) + (pane->heading.size > 0 ? row : 0) +
                   pane->strip_px;
        pane->left = PAD + (document->side_by_side ? (double)i * (width + PANES_APART) : 0);
        pane->top = top;
        pane->width_px = width;
        if (!document->side_by_side)
            top += height + (pane->foot.size > 0 ? row : 0);
    }
    for (size_t i = 0; document->side_by_side && i < document->panes.count; i++)
        if (document->panes.at[i].upwards)
            document->panes.at[i].top += highest - document->panes.at[i].row_count * row;
    document->boxes_bottom = document->side_by_side ? top + highest : top;
}

/* Returns the base line after the last. */
static double lay_out_legend(struct flm_document *document, const struct flm_surface *surface,
                             double y)
{
    struct flm_font font = surface->font(surface->context, TEXT_PX, false);
    double x = PAD;
    for (size_t i = 0; i < document->keys.count; i++) {
        struct flm_document_key *key = &document->keys.at[i];
        double width = KEY_TEXT + flm_label_width(flm_document_text_of(document, key->text), &font);
        if (x > PAD && x + width > right_edge(document)) {
            x = PAD;
            y += LINE;
        }
        key->x = x;
        key->y = y + 2;
        x += width + KEYS_APART;
    }
    return document->keys.count > 0 ? y + LINE : y;
}

/* The position of the next part of the status. */
struct pen {
    double x, y;
};

static void begin_line(struct pen *pen)
{
    pen->x = PAD;
    pen->y += LINE;
}

static void begin_line_if_full(const struct flm_document *document, struct pen *pen, double width)
{
    if (pen->x > PAD && pen->x + width > right_edge(document))
        begin_line(pen);
}

/* Separates the items of a part; a line may end there. */
static const char dot[] = " \xC2\xB7 ";
enum { DOT_SIZE = sizeof dot - 1 };

static size_t separator_size(struct flm_bytes text, const char *separator, size_t size)
{
    return text.size >= size && memcmp(text.at, separator, size) == 0 ? size : 0;
}

/* The size of the longest beginning of a text that fits and ends before a separator; 0: none. */
static size_t fitting_size(struct flm_bytes text, const char *separator, size_t size, double room,
                           const struct flm_font *font)
{
    size_t best = 0;
    for (size_t i = 1; i < text.size; i++)
        if (separator_size((struct flm_bytes){text.at + i, text.size - i}, separator, size) &&
            flm_label_width((struct flm_bytes){text.at, i}, font) <= room)
            best = i;
    return best;
}

/* How many bytes of a text fit in a line with that much room: all, or those before a dot; in a line
 * of its own those before a blank, or else all of it. */
static size_t line_size(struct flm_bytes text, double room, bool is_own_line,
                        const struct flm_font *font)
{
    if (flm_label_width(text, font) <= room)
        return text.size;
    size_t size = fitting_size(text, dot, DOT_SIZE, room, font);
    if (size == 0 && is_own_line)
        size = fitting_size(text, " ", 1, room, font);
    return size > 0 || !is_own_line ? size : text.size;
}

/* A part begins the next line if it fits there and not in this one. A part that is longer than a
 * line is split. */
static bool lay_out_part(struct flm_document *document, const struct flm_font *font,
                         struct flm_document_text rest, struct pen *pen)
{
    double width = flm_label_width(flm_document_text_of(document, rest), font);
    if (PAD + width <= right_edge(document))
        begin_line_if_full(document, pen, width);
    while (rest.size > 0) {
        struct flm_bytes text = flm_document_text_of(document, rest);
        size_t size = line_size(text, right_edge(document) - pen->x, pen->x <= PAD, font);
        if (size == 0) {
            begin_line(pen);
            continue;
        }
        struct flm_document_piece piece = {{rest.from, size}, pen->x, pen->y};
        if (!FLM_ARRAY_ADD(&document->pieces, piece))
            return false;
        pen->x += flm_label_width((struct flm_bytes){text.at, size}, font);
        rest = (struct flm_document_text){rest.from + size, rest.size - size};
        if (rest.size > 0) {
            text = flm_document_text_of(document, rest);
            size_t skipped = separator_size(text, dot, DOT_SIZE);
            skipped += skipped == 0;
            rest = (struct flm_document_text){rest.from + skipped, rest.size - skipped};
            begin_line(pen);
        }
    }
    pen->x += STATUS_APART;
    return true;
}

/* After the status: the number of letters that the font does not have, which is known when all of
 * them are painted. The room for it is that of the largest likely number. */
static struct pen unknown_position(const struct flm_document *document, const struct flm_font *font,
                                   struct pen pen, struct flm_text *text, uint64_t count)
{
    flm_status_add_unknown(text, count);
    begin_line_if_full(document, &pen,
                       flm_label_width((struct flm_bytes){text->at, text->size}, font));
    return pen;
}

/* The end of the status, once it is laid out. */
static struct pen status_end(const struct flm_document *document, const struct flm_font *font,
                             double y)
{
    if (document->pieces.count == 0)
        return (struct pen){PAD, y};
    const struct flm_document_piece *last = &document->pieces.at[document->pieces.count - 1];
    return (struct pen){
        last->x + flm_label_width(flm_document_text_of(document, last->text), font) + STATUS_APART,
        last->y};
}

static bool lay_out_status(struct flm_document *document, const struct flm_surface *surface,
                           double y)
{
    struct flm_font font = surface->font(surface->context, TEXT_PX, false);
    struct pen pen = {PAD, y};
    struct flm_text text = {0};
    document->pieces.count = 0;
    for (size_t i = 0; i < document->status.count; i++) {
        if (document->status.at[i].begins_line && i > 0)
            begin_line(&pen);
        if (!lay_out_part(document, &font, document->status.at[i].text, &pen))
            return false;
    }
    if (surface->unknown_letters)
        pen = unknown_position(document, &font, pen, &text, 9999999);
    bool good = !text.failed;
    flm_text_clear(&text);
    document->height_px = ceil(pen.y + PAD);
    return good;
}

bool flm_document_lay_out(struct flm_document *document, const struct flm_surface *surface,
                          struct flm_error *why)
{
    assert(document->width_px > 0 && document->row_px > 0 && document->scale > 0);
    if (document->failed)
        return flm_error_memory(why);
    lay_out_titles(document, surface);
    lay_out_panes(document);
    double y = floor(document->boxes_bottom + 0.999) + LINE - 6;
    y = lay_out_legend(document, surface, y);
    return lay_out_status(document, surface, y) || flm_error_memory(why);
}

/* ---- Painting it ----------------------------------------------------------------------------- */

static void paint_background(const struct flm_document *document, const struct flm_surface *surface)
{
    double height = document->height_px;
    int steps = document->page == document->page_foot ? 1 : GRADIENT_STEPS;
    for (int i = 0; i < steps; i++) {
        uint32_t color = steps == 1 ? document->page
                                    : flm_color_mix(document->page, document->page_foot,
                                                    (uint8_t)(i * 255 / (steps - 1)));
        surface->fill(surface->context, 0, height * i / steps, document->width_px,
                      height * (i + 1) / steps - height * i / steps, color);
    }
}

/* Writes as much of plain text as fits before the right edge; returns its end. */
static double write_bytes(const struct flm_document *document, const struct flm_surface *surface,
                          double x, double y, struct flm_bytes text, double size_px, bool bold,
                          uint32_t color)
{
    struct flm_font font = surface->font(surface->context, size_px, bold);
    struct flm_label_cut cut = flm_label_shorten(text, right_edge(document) - x, &font);
    const struct flm_bytes parts[] = {cut.head, flm_bytes_of(cut.tail.size > 0 ? FLM_ELLIPSIS : ""),
                                      cut.tail};
    for (int i = 0; i < 3; i++) {
        if (parts[i].size == 0)
            continue;
        surface->text(surface->context, x, y, parts[i], size_px, bold, color);
        x += flm_label_width(parts[i], &font);
    }
    return x;
}

static double write_text(const struct flm_document *document, const struct flm_surface *surface,
                         double x, double y, struct flm_document_text text, double size_px,
                         bool bold, uint32_t color)
{
    return write_bytes(document, surface, x, y, flm_document_text_of(document, text), size_px, bold,
                       color);
}

static void paint_titles(const struct flm_document *document, const struct flm_surface *surface)
{
    bool below = document->subtitle_is_below;
    double x =
        write_text(document, surface, PAD, TITLE_Y, document->title, TITLE_PX, true, document->ink);
    write_text(document, surface, below ? PAD : x + TITLE_APART, TITLE_Y + (below ? TITLE_LINE : 0),
               document->subtitle, TITLE_PX, false, document->muted);
}

/* Lines through all panes, labeled above them. */
static void paint_ticks(const struct flm_document *document, const struct flm_surface *surface)
{
    double top = document->boxes_top - TITLE_LINE;
    for (size_t i = 0; i < document->ticks.count; i++) {
        double x = PAD + document->ticks.at[i].x;
        surface->fill(surface->context, x, top, 1, document->boxes_bottom - top, document->line);
        write_text(document, surface, x + 4, top + 14, document->ticks.at[i].text, TEXT_PX, false,
                   document->muted);
    }
}

static void paint_boxes(const struct flm_document *document, const struct flm_surface *surface,
                        const struct flm_document_pane *pane)
{
    double row = document->row_px, scale = document->scale;
    double above = pane->first_level * row, rows = pane->row_count * row;
    struct flm_boxes boxes = {
        .left = pane->left * scale,
        .top = (pane->upwards ? pane->top + rows + above : pane->top - above) * scale,
        .upwards = pane->upwards,
        .row_height = row * scale,
        .gap = row > 4 ? scale : 0,
        .scale = scale,
        .background = document->page,
        .text = document->ink,
        .style = pane->style,
        .context = pane->context,
    };
    struct flm_clip window = {pane->left, 0, pane->left + pane->width_px, document->boxes_bottom};
    if (surface->boxes)
        surface->boxes(surface->context, &boxes, pane->list);
    else
        flm_vector_boxes(surface, &boxes, pane->list, document->font_px, window);
}

static void paint_pane(const struct flm_document *document, const struct flm_surface *surface,
                       const struct flm_document_pane *pane)
{
    paint_boxes(document, surface, pane);
    if (pane->paint_over)
        pane->paint_over(pane->context, surface, pane);
    if (pane->paint_strip)
        pane->paint_strip(pane->context, surface, pane);
    double row = document->row_px, y = pane->top - pane->strip_px - row / 2 + 0.36 * TEXT_PX;
    write_text(document, surface, pane->left, pane->heading.size > 0 ? y - row : y, pane->group,
               TEXT_PX, false, document->muted);
    double x =
        write_text(document, surface, pane->left, y, pane->heading, TEXT_PX, true, document->ink);
    write_text(document, surface, x + PAD, y, pane->detail, TEXT_PX, false, document->muted);
    write_text(document, surface, pane->left,
               pane->top + (pane->row_count + 0.5) * row + 0.36 * TEXT_PX, pane->foot, TEXT_PX,
               false, document->muted);
}

static void paint_key(const struct flm_document *document, const struct flm_surface *surface,
                      const struct flm_document_key *key)
{
    void *to = surface->context;
    double x = key->x, y = key->y - 10;
    if (key->is_outline)
        surface->outline(to, x, y, KEY_WIDTH, KEY_HEIGHT, 1.5, key->fill);
    else
        surface->fill(to, x, y, KEY_WIDTH, KEY_HEIGHT, key->fill);
    if (key->edge_px > 0)
        surface->outline(to, x, y, KEY_WIDTH, KEY_HEIGHT, key->edge_px, key->ink);
    if (key->texture)
        surface->texture(to, x, y, KEY_WIDTH, KEY_HEIGHT, key->texture, key->ink, FLM_HATCH_ALPHA);
    if (key->mark)
        surface->mark(to, x, y, KEY_WIDTH, KEY_HEIGHT, key->mark, key->ink, 255);
    write_text(document, surface, x + KEY_TEXT, key->y, key->text, TEXT_PX, false, document->muted);
}

static void paint_status(const struct flm_document *document, const struct flm_surface *surface)
{
    for (size_t i = 0; i < document->pieces.count; i++) {
        const struct flm_document_piece *piece = &document->pieces.at[i];
        write_text(document, surface, piece->x, piece->y, piece->text, TEXT_PX, false,
                   document->muted);
    }
}

/* Painted last, when the surface knows the number. */
static void paint_unknown(const struct flm_document *document, const struct flm_surface *surface)
{
    uint64_t count = surface->unknown_letters ? surface->unknown_letters(surface->context) : 0;
    struct flm_font font = surface->font(surface->context, TEXT_PX, false);
    struct flm_text text = {0};
    if (count == 0)
        return;
    struct pen pen = status_end(document, &font, document->height_px - PAD);
    pen = unknown_position(document, &font, pen, &text, count);
    write_bytes(document, surface, pen.x, pen.y, (struct flm_bytes){text.at, text.size}, TEXT_PX,
                false, document->muted);
    flm_text_clear(&text);
}

void flm_document_paint(const struct flm_document *document, const struct flm_surface *surface)
{
    assert(document->height_px > 0);
    paint_background(document, surface);
    paint_titles(document, surface);
    paint_ticks(document, surface);
    for (size_t i = 0; i < document->panes.count; i++)
        paint_pane(document, surface, &document->panes.at[i]);
    write_text(document, surface, PAD, document->boxes_top + 14, document->notice, TITLE_PX, false,
               document->ink);
    for (size_t i = 0; i < document->keys.count; i++)
        paint_key(document, surface, &document->keys.at[i]);
    paint_status(document, surface);
    paint_unknown(document, surface);
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_document_write_svg(struct flm_document *document, struct flm_text *out,
                            struct flm_error *why)
{
    struct flm_svg_sheet sheet;
    struct flm_surface surface = flm_svg_sheet_surface(&sheet);
    if (!flm_document_lay_out(document, &surface, why))
        return false;
    flm_svg_sheet_begin(&sheet, out, document->width_px, document->height_px,
                        flm_document_text_of(document, document->title));
    flm_document_paint(document, &surface);
    return flm_svg_sheet_end(&sheet) || flm_error_memory(why);
}

bool flm_document_write_pdf(struct flm_document *document, struct flm_text *out,
                            struct flm_error *why)
{
    struct flm_pdf pdf;
    struct flm_surface surface = flm_pdf_surface(&pdf);
    if (!flm_document_lay_out(document, &surface, why))
        return false;
    flm_pdf_begin(&pdf, out, document->width_px, document->height_px);
    flm_document_paint(document, &surface);
    flm_pdf_end(&pdf, flm_document_text_of(document, document->title));
    return !out->failed || flm_error_memory(why);
}
