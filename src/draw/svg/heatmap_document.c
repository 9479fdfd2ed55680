/* heatmap_document.c - the picture with the option "heatmap": a document with one heatmap, without a
 * script, for SVG, PDF and PNG. */
#include <math.h>

#include "draw/color/theme.h"
#include "draw/svg/internal.h"
#include "draw/text/quantity.h"
#include "layout/tracks.h"
#include "profile/columns.h"

/* The cells of all samples with a time. */
bool flm_svg_open_heatmap(struct flm_svg *svg, struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    struct flm_metric metric = {svg->profile->sizes.metric_count > 0 ? o->metric.index : FLM_NONE};
    struct flm_tracks tracks;
    if (!flm_tracks_init(&tracks, svg->profile, metric, NULL, why))
        return false;
    svg->heatmap.untimed_count = tracks.untimed_count;
    struct flm_heatmap_shape shape = flm_heatmap_shape_of(
        tracks.length_ns, o->heatmap_column_ns,
        flm_heatmap_pane_columns(o->width_px - 2 * FLM_DOCUMENT_PAD), FLM_HEATMAP_MOST_ROWS);
    bool good =
        shape.column_count > 0
            ? flm_heatmap_init(&svg->heatmap.map, svg->profile, metric, tracks.first_ns, shape, why)
            : flm_error_set(why, FLM_ERROR_USAGE,
                            "a heatmap shows when samples were taken, and no sample of this "
                            "profile has a time");
    flm_tracks_clear(&tracks);
    return good;
}

static void add_status(struct flm_svg *svg, struct flm_text *text, bool begins_line)
{
    flm_document_add_status(&svg->document, (struct flm_bytes){text->at, text->size}, begins_line);
    svg->document.failed |= text->failed;
    text->size = 0;
}

/* "cells of 1 s by 20 ms", "30 s", "12 s in 12,345 samples", and the samples that are not in it. */
static void add_statuses(struct flm_svg *svg)
{
    const struct flm_heatmap *map = &svg->heatmap.map;
    const struct flm_profile *p = svg->profile;
    struct flm_text text = {0};
    flm_text_puts(&text, "cells of ");
    flm_heatmap_add_scale(&map->shape, &text);
    add_status(svg, &text, false);
    flm_quantity_add(&text, map->shape.length_ns, flm_bytes_of("ns"));
    add_status(svg, &text, false);
    flm_quantity_add(&text, map->total * svg->options.factor, svg->unit);
    flm_text_puts(&text, " in ");
    flm_count_add(&text, p->sizes.sample_count - svg->heatmap.untimed_count);
    flm_text_puts(&text, " samples");
    add_status(svg, &text, false);
    if (svg->heatmap.untimed_count > 0) {
        flm_count_add(&text, svg->heatmap.untimed_count);
        flm_text_puts(&text, " samples without a time");
        add_status(svg, &text, false);
    }
    if (svg->lost > 0) {
        flm_count_add(&text, (uint64_t)svg->lost);
        flm_text_puts(&text, " lost");
        add_status(svg, &text, false);
    }
    flm_text_clear(&text);
}

bool flm_svg_fill_heatmap(struct flm_svg *svg, double scale, struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    struct flm_document *document = &svg->document;
    svg->dark = o->dark || flm_svg_is_on_dark(svg);
    *document = flm_document_new((int)(o->width_px + 0.5), svg->dark);
    if (o->background)
        flm_svg_background(svg, &document->page, &document->page_foot);
    document->scale = scale;
    document->title = flm_document_add_text(document, flm_bytes_of(o->title));
    document->subtitle =
        flm_document_add_text(document, flm_bytes_of(o->subtitle ? o->subtitle : ""));
    svg->heatmap.pane = (struct flm_heatmap_pane){
        .map = &svg->heatmap.map,
        .dark = svg->dark,
        .page = document->page,
        .ink = document->ink,
        .muted = document->muted,
        .line = document->line,
        .text_px = FLM_DOCUMENT_TEXT_PX,
    };
    flm_heatmap_pane_add(document, &svg->heatmap.pane, svg->unit);
    add_statuses(svg);
    flm_document_add_notes(document, svg->notes, flm_note_first_ns(svg->profile));
    return !document->failed || flm_error_memory(why);
}
