/* fill_document.c - fills a document (draw/document/document.h) with a profile, by options: the
 * picture of PDF and PNG, and of the interactive SVG where no script runs. */
#include <assert.h>

#include "base/text/buffered_sink.h"
#include "draw/color/theme.h"
#include "draw/svg/internal.h"
#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "profile/columns.h"
#include "profile/recursion.h"

/* ---- Status ---------------------------------------------------------------------------------- */

static struct flm_status status_of(const struct flm_svg *svg)
{
    const struct flm_profile *p = svg->profile;
    struct flm_status status = {
        .unit = svg->unit,
        .factor = svg->options.factor,
        .stack_count = svg->stack_count,
        .total = svg->total,
        .drawn = svg->seen.count - svg->seen_merged,
        .merged = svg->seen_merged,
        .merged_of = svg->total,
        .unsymbolized = svg->unsymbolized,
        .unsymbolized_of = svg->total,
        .lost = svg->lost,
        .levels_cut = svg->levels_cut,
        .level_limit = FLM_DOCUMENT_LEVELS,
        .comparison = svg->comparison ? &svg->compared : NULL,
        .terms = flm_svg_terms(svg),
        .colors = &svg->change_colors,
    };
    if (p->sizes.loss_count == 1)
        status.lost_what = flm_string_bytes(p, p->losses[0].what);
    for (size_t i = 0; i < svg->seen.count; i++)
        if (svg->seen.at[i].flags & FLM_RECTANGLE_MERGED)
            status.merged_total += svg->seen.at[i].total;
    return status;
}

struct flm_bytes flm_svg_status(struct flm_svg *svg, enum flm_status_part part)
{
    struct flm_status status = status_of(svg);
    svg->label.size = 0;
    flm_status_add(&svg->label, &status, part);
    return flm_plain((struct flm_bytes){svg->label.at, svg->label.size}, &svg->name);
}

/* ---- Legend ---------------------------------------------------------------------------------- */

unsigned flm_svg_marks(const struct flm_svg *svg)
{
    unsigned marks = 0;
    for (size_t i = 0; i < svg->kept.count; i++)
        marks |= 1u << flm_svg_mark(svg, &svg->kept.at[i]);
    return marks & ~1u;
}

static uint32_t tone_color(const struct flm_svg *svg, uint32_t tone)
{
    return svg->dark ? svg->tones.at[tone].dark : svg->tones.at[tone].light;
}

static uint32_t ink_color(const struct flm_svg *svg, uint32_t tone)
{
    switch (svg->tones.at[tone].ink) {
    case FLM_INK_PAGE:
        return svg->dark ? FLM_INK_PAGE_DARK : FLM_INK_PAGE_LIGHT;
    case FLM_INK_BLACK:
        return 0x000000;
    case FLM_INK_WHITE:
        return 0xFFFFFF;
    case FLM_INK_DARK:
    case FLM_INK_COUNT:
        break;
    }
    return svg->dark ? FLM_INK_DARK_ON_DARK : FLM_INK_DARK_ON_LIGHT;
}

static void add_key(struct flm_svg *svg, uint32_t tone, enum flm_mark mark, const char *meaning)
{
    struct flm_document_key *key = flm_document_add_key(
        &svg->document, tone_color(svg, tone), ink_color(svg, tone), flm_bytes_of(meaning));
    if (!key)
        return;
    key->mark = mark;
    key->tone = tone;
}

static void add_legend(struct flm_svg *svg)
{
    bool negate = svg->options.negate;
    uint32_t shrunk = FLM_TONE_CHANGE, grown = FLM_TONE_CHANGE + FLM_CHANGE_TONES - 1;
    if (svg->comparison) {
        add_key(svg, grown, FLM_MARK_NONE, negate ? "shrunk" : "grown");
        add_key(svg, FLM_TONE_CHANGE + FLM_CHANGE_SAME, FLM_MARK_NONE,
                svg->compared.lost                    ? "not significant"
                : svg->compared.how.before_sample > 0 ? "same, or noise"
                                                      : "same");
        add_key(svg, shrunk, FLM_MARK_NONE, negate ? "grown" : "shrunk");
    }
    for (int mark = FLM_MARK_NONE + 1; mark < FLM_MARK_COUNT; mark++) {
        if (!(svg->marks >> mark & 1))
            continue;
        bool is_grown = (mark == FLM_MARK_APPEARED) != negate;
        add_key(svg,
                mark < FLM_MARK_APPEARED ? FLM_TONE_MERGED
                : is_grown               ? grown
                                         : shrunk,
                (enum flm_mark)mark, flm_mark_name((enum flm_mark)mark));
    }
}

/* ---- Titles ---------------------------------------------------------------------------------- */

/* The reason why there are no boxes. */
static void add_notice(struct flm_svg *svg)
{
    const struct flm_profile *p = svg->profile;
    struct flm_bytes notice = flm_bytes_of("Nothing to draw: the profile has no stacks.");
    if (p->sizes.node_count > 1 && p->sizes.metric_count > 0) {
        const struct flm_metric_record *metric = flm_profile_metric(p, svg->options.metric);
        svg->label.size = 0;
        flm_text_puts(&svg->label, "Nothing to draw: no stack has a value in ");
        flm_text_add(&svg->label, flm_string_bytes(p, metric->name));
        flm_text_putc(&svg->label, '.');
        notice = (struct flm_bytes){svg->label.at, svg->label.size};
    }
    svg->document.notice = flm_document_add_text(&svg->document, notice);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

void flm_svg_style(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    struct flm_svg *svg = context;
    uint32_t tone = flm_svg_tone(svg, r);
    box->fill = tone_color(svg, tone);
    box->ink = ink_color(svg, tone);
    box->mark = flm_svg_mark(svg, r);
    if (!box->has_room)
        return;
    if (r->flags & FLM_RECTANGLE_MERGED) {
        svg->label.size = 0;
        flm_text_putc(&svg->label, '+');
        flm_count_add(&svg->label, r->count);
        box->label = (struct flm_bytes){svg->label.at, svg->label.size};
        return;
    }
    uint32_t frame = svg->profile->node_frame[r->node.index];
    bool is_root = svg->profile->frames[frame].flags & FLM_FRAME_ROOT;
    box->label = is_root ? flm_bytes_of("all") : flm_svg_name(svg, frame);
    box->parts = flm_name_parts(box->label);
    svg->label.size = 0;
    flm_label_add_depth(&svg->label, flm_recursion_at(svg->profile, r->node.index).most);
    box->suffix = (struct flm_bytes){svg->label.at, svg->label.size};
}

/* Rectangles in device pixels. */
static void scale_rectangles(struct flm_rectangles *list, double scale)
{
    for (size_t i = 0; i < list->count; i++) {
        list->at[i].x0 *= scale;
        list->at[i].x1 *= scale;
    }
}

static void add_pane(struct flm_svg *svg)
{
    struct flm_document_pane *pane = flm_document_add_pane(&svg->document);
    if (!pane)
        return;
    *pane = (struct flm_document_pane){
        .list = &svg->seen,
        .row_count = svg->level_count,
        .upwards = !svg->options.inverted,
        .style = flm_svg_style,
        .context = svg,
    };
}

/* ---- The document ---------------------------------------------------------------------------- */

bool flm_svg_fill_document(struct flm_svg *svg, double scale, struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    struct flm_document *document = &svg->document;
    if (o->heatmap)
        return flm_svg_fill_heatmap(svg, scale, why);
    svg->dark = o->dark && !o->background;
    *document = flm_document_new((int)(o->width_px + 0.5), svg->dark || flm_svg_is_on_dark(svg));
    if (!svg->dark)
        flm_svg_background(svg, &document->page, &document->page_foot);
    document->row_px = o->frame_height_px;
    document->font_px = o->font_size_px;
    document->scale = scale;
    if (scale != 1)
        scale_rectangles(&svg->seen, scale);
    document->title = flm_document_add_text(document, flm_bytes_of(o->title));
    document->subtitle =
        flm_document_add_text(document, flm_bytes_of(o->subtitle ? o->subtitle : ""));
    add_pane(svg);
    if (svg->seen.count == 0)
        add_notice(svg);
    add_legend(svg);
    struct flm_status status = status_of(svg);
    flm_document_add_status_line(document, &status);
    svg->first_note = document->status.count;
    flm_document_add_notes(document, svg->notes, flm_note_first_ns(svg->profile));
    return (!document->failed && !svg->label.failed) || flm_error_memory(why);
}

bool flm_pdf_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why)
{
    struct flm_svg svg;
    struct flm_buffered_sink buffered;
    flm_buffered_sink_init(&buffered, sink, context);
    bool drawn = flm_svg_open(&svg, profile, options, why) && flm_svg_fill_document(&svg, 1, why) &&
                 flm_document_write_pdf(&svg.document, &buffered.text, why) &&
                 (!flm_svg_failed(&svg) || flm_error_memory(why));
    flm_svg_close(&svg);
    return flm_buffered_sink_close(&buffered, drawn, why);
}
