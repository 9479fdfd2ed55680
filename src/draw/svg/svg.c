/* svg.c - a profile as one SVG file. See flamel/draw.h and internal.h. */
#include "draw/svg/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/text/buffered_sink.h"
#include "draw/color/frame_group.h"
#include "draw/color/theme.h"
#include "draw/document/svg_sheet.h"
#include "draw/text/visible.h"
#include "flamel/algebra.h"
#include "profile/columns.h"

/* Counts what the status line reports of the profile, before it is inverted. One pass over the
 * nodes. */
static void count_info(struct flm_svg *svg, const struct flm_profile *p)
{
    const double *self = flm_profile_self(p, svg->options.metric);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (self[i] == 0)
            continue;
        svg->stack_count++;
        if (p->frames[p->node_frame[i]].flags & FLM_FRAME_UNSYMBOLIZED)
            svg->unsymbolized += self[i] < 0 ? -self[i] : self[i];
    }
}

/* ---- Rectangles: seen in the still picture, kept in the file --------------------------------- */

/* The most rectangles in a file without a given minimum width: some 8 bytes each, and the names. In
 * a profile of a million nodes a frame of 1 px then still has room for 10 to 15 above it. */
enum { KEPT_RECTANGLES = 50000 };

static bool list_kept(struct flm_svg *svg, double min_width_px, struct flm_error *why)
{
    struct flm_viewport view = flm_viewport_of(svg->layout, (struct flm_node){0},
                                               svg->options.width_px - 2 * FLM_DOCUMENT_PAD);
    view.min_width_px = min_width_px;
    view.level_count = FLM_DOCUMENT_LEVELS;
    return flm_layout_rectangles(svg->layout, &view, &svg->kept, why);
}

/* The narrowest width, within a factor of 1.5, that gives at most KEPT_RECTANGLES. A try costs time
 * by the number of rectangles, so the first tries are wide, in steps of four. */
static bool list_widest(struct flm_svg *svg, struct flm_error *why)
{
    if (flm_layout_node_count(svg->layout) <= KEPT_RECTANGLES)
        return list_kept(svg, 0, why);
    double width_px = 1;
    do {
        width_px /= 4;
        if (!list_kept(svg, width_px, why))
            return false;
    } while (svg->kept.count <= KEPT_RECTANGLES && width_px > 1e-12);
    while (svg->kept.count > KEPT_RECTANGLES) {
        width_px *= 1.5;
        if (!list_kept(svg, width_px, why))
            return false;
    }
    return true;
}

static bool list_rectangles(struct flm_svg *svg, struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    double width = o->width_px - 2 * FLM_DOCUMENT_PAD;
    double least = o->min_width_percent ? width * o->min_width / 100 : o->min_width;
    if (o->min_width > 0 ? !list_kept(svg, least, why) : !list_widest(svg, why))
        return false;

    struct flm_viewport view = flm_viewport_of(svg->layout, (struct flm_node){0}, width);
    view.min_width_px = least > 1 ? least : 1;
    view.level_count = FLM_DOCUMENT_LEVELS;
    if (!flm_layout_rectangles(svg->layout, &view, &svg->seen, why))
        return false;
    for (size_t i = 0; i < svg->seen.count; i++)
        svg->seen_merged += svg->seen.at[i].flags & FLM_RECTANGLE_MERGED;
    svg->level_count = svg->seen.count ? svg->seen.at[svg->seen.count - 1].level + 1 : 1;
    uint32_t all = flm_layout_level_count(svg->layout);
    svg->levels_cut = all > FLM_DOCUMENT_LEVELS ? all - FLM_DOCUMENT_LEVELS : 0;
    return true;
}

/* ---- Colors and names ------------------------------------------------------------------------ */

struct flm_bytes flm_svg_name(struct flm_svg *svg, uint32_t frame)
{
    return flm_plain(flm_frame_function(svg->profile, frame), &svg->name);
}

/* Returns its index; FLM_NONE when memory ran out. */
static uint32_t add_tone(struct flm_svg *svg, struct flm_tone tone)
{
    uint32_t hash = (uint32_t)flm_mix(((uint64_t)tone.light << 32 | tone.dark) + 1,
                                      0x9E3779B97F4A7C15u + tone.ink);
    struct flm_probe at = flm_index_probe(&svg->tone_index, hash);
    while (flm_index_next(&svg->tone_index, &at)) {
        const struct flm_tone *found = &svg->tones.at[at.found];
        if (found->light == tone.light && found->dark == tone.dark && found->ink == tone.ink)
            return at.found;
    }
    uint32_t added = (uint32_t)svg->tones.count;
    if (!FLM_ARRAY_RESERVE(&svg->tones, 1) || !flm_index_add(&svg->tone_index, hash, added))
        return FLM_NONE;
    svg->tones.at[svg->tones.count++] = tone;
    return added;
}

static bool find_tones(struct flm_svg *svg, struct flm_error *why)
{
    const struct flm_profile *p = svg->profile;
    bool added =
        add_tone(svg, flm_tone_ancestor) != FLM_NONE && add_tone(svg, flm_tone_merged) != FLM_NONE;
    for (int i = 0; svg->comparison && i < FLM_CHANGE_TONES; i++)
        added = added && add_tone(svg, *flm_change_tone(svg->change_colors.palette, i)) != FLM_NONE;
    svg->frame_tone = malloc(p->sizes.frame_count * sizeof *svg->frame_tone);
    if (!added || !svg->frame_tone)
        return flm_error_memory(why);
    memset(svg->frame_tone, 0xFF, p->sizes.frame_count * sizeof *svg->frame_tone);
    struct flm_grouping grouping;
    if (!flm_grouping_init(&grouping, p, NULL, why))
        return false;

    for (size_t i = 0; i < svg->kept.count; i++) {
        if (svg->kept.at[i].flags & FLM_RECTANGLE_MERGED)
            continue;
        uint32_t frame = p->node_frame[svg->kept.at[i].node.index];
        const struct flm_frame_record *record = &p->frames[frame];
        if (svg->frame_tone[frame] != FLM_NONE)
            continue;
        uint32_t tone = FLM_TONE_ANCESTOR;
        if (!(record->flags & FLM_FRAME_ROOT) && !svg->comparison)
            tone =
                add_tone(svg, flm_palette_tone(&svg->palette, flm_frame_function(p, frame),
                                               flm_frame_group(p, frame, &grouping), record->kind));
        if (tone == FLM_NONE)
            return flm_error_memory(why);
        svg->frame_tone[frame] = tone;
    }
    return true;
}

uint32_t flm_svg_tone(const struct flm_svg *svg, const struct flm_rectangle *r)
{
    if (r->flags & FLM_RECTANGLE_MERGED)
        return FLM_TONE_MERGED;
    if (!svg->comparison)
        return svg->frame_tone[svg->profile->node_frame[r->node.index]];
    struct flm_change change = flm_svg_change(svg, r->node.index);
    return FLM_TONE_CHANGE +
           (uint32_t)flm_change_step(&svg->change_colors, &change, svg->change_whole);
}

enum flm_mark flm_svg_mark(const struct flm_svg *svg, const struct flm_rectangle *r)
{
    if (r->flags & FLM_RECTANGLE_MERGED)
        return FLM_MARK_NONE;
    uint32_t node = r->node.index;
    if (!svg->comparison)
        return flm_mark_of_kind(svg->profile->frames[svg->profile->node_frame[node]].kind);
    struct flm_change change = flm_svg_change(svg, node);
    return change.noise                            ? FLM_MARK_NONE
           : change.kind == FLM_CHANGE_APPEARED    ? FLM_MARK_APPEARED
           : change.kind == FLM_CHANGE_DISAPPEARED ? FLM_MARK_DISAPPEARED
                                                   : FLM_MARK_NONE;
}

/* ---- The document ---------------------------------------------------------------------------- */

/* With a given background there is no dark mode. */
static void add_tone_styles(const struct flm_svg *svg, struct flm_text *out)
{
    for (int dark = 0; dark < 2; dark++) {
        if (dark && svg->options.background)
            break;
        if (dark)
            flm_text_puts(out, "@media (prefers-color-scheme:dark){\n");
        for (size_t i = 0; i < svg->tones.count; i++) {
            if (dark && svg->tones.at[i].dark == svg->tones.at[i].light)
                continue;
            flm_text_format(out, ".flamel .c%zu{color:", i);
            flm_color_add(out, dark ? svg->tones.at[i].dark : svg->tones.at[i].light);
            flm_text_puts(out, "}\n");
        }
        if (dark)
            flm_text_puts(out, "}\n");
    }
}

static void add_styles(const struct flm_svg *svg, struct flm_text *out)
{
    uint32_t color;
    flm_text_puts(out, "<style>\n");
    flm_svg_asset_add(FLM_ASSET_STYLE, out);
    if (!svg->options.background)
        flm_svg_asset_add(FLM_ASSET_DARK_STYLE, out);
    else if (flm_color_parse(flm_bytes_of(svg->options.background), &color))
        flm_text_format(out, ".flamel{--page:%s}\n", svg->options.background);
    add_tone_styles(svg, out);
    flm_text_puts(out, "</style>\n");
}

/* The gradients are flamegraph.pl's. */
bool flm_svg_background(const struct flm_svg *svg, uint32_t *from, uint32_t *to)
{
    static const struct {
        const char *name;
        uint32_t from, to;
    } gradients[] = {{"yellow", 0xeeeeee, 0xeeeeb0},
                     {"blue", 0xeeeeee, 0xe0e0ff},
                     {"green", 0xeef2ee, 0xe0ffe0},
                     {"gray", 0xf8f8f8, 0xe8e8e8}};
    const char *background = svg->options.background;
    *from = *to = flm_token_color(FLM_TOKEN_PAGE, false);
    if (!background)
        return false;
    if (flm_color_parse(flm_bytes_of(background), from)) {
        *to = *from;
        return false;
    }
    for (size_t i = 0; i < sizeof gradients / sizeof gradients[0]; i++)
        if (strcmp(background, gradients[i].name) == 0) {
            *from = gradients[i].from;
            *to = gradients[i].to;
        }
    return true;
}

static void add_background(const struct flm_svg *svg, struct flm_text *out)
{
    const char *background = svg->options.background;
    uint32_t from, to;
    bool is_gradient = flm_svg_background(svg, &from, &to);
    if (is_gradient) {
        flm_text_puts(out, "<linearGradient id=\"flamel-background\" y2=\"1\" x2=\"0\">"
                           "<stop offset=\".05\" stop-color=\"");
        flm_color_add(out, from);
        flm_text_puts(out, "\"/><stop offset=\".95\" stop-color=\"");
        flm_color_add(out, to);
        flm_text_puts(out, "\"/></linearGradient>\n");
    }
    flm_text_puts(out, background ? "<rect class=\"given\"" : "<rect class=\"page\"");
    flm_text_puts(out, " width=\"100%\" height=\"100%\" fill=\"");
    if (is_gradient)
        flm_text_puts(out, "url(#flamel-background)");
    else
        flm_color_add(out, from);
    flm_text_puts(out, "\"/>\n");
}

/* Defines the lines, in opposite directions, over frames that appeared or disappeared. */
static void add_hatches(const struct flm_svg *svg, struct flm_text *out)
{
    if (!(svg->marks >> FLM_MARK_APPEARED))
        return;
    static const struct {
        const char *id;
        int angle;
    } hatches[] = {{"flamel-appeared", 45}, {"flamel-disappeared", -45}};
    flm_text_puts(out, "<defs>\n");
    for (size_t i = 0; i < 2; i++)
        flm_text_format(out,
                        "<pattern id=\"%s\" width=\"6\" height=\"6\" "
                        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(%d)\">"
                        "<path class=\"hatch\" d=\"M3 0v6\"/></pattern>\n",
                        hatches[i].id, hatches[i].angle);
    flm_text_puts(out, "</defs>\n");
}

static void add_plain(struct flm_svg *svg, struct flm_text *out, const char *text)
{
    flm_xml_add(out, flm_plain(flm_bytes_of(text), &svg->name));
}

/* An XML comment may not contain "--", nor end in "-". */
static void add_notes(struct flm_svg *svg, struct flm_text *out)
{
    if (!svg->options.notes)
        return;
    struct flm_bytes notes = flm_plain(flm_bytes_of(svg->options.notes), &svg->name);
    flm_text_puts(out, "<!-- NOTES: ");
    for (size_t i = 0; i < notes.size; i++) {
        flm_text_putc(out, notes.at[i]);
        if (notes.at[i] == '-' && i + 1 < notes.size && notes.at[i + 1] == '-')
            flm_text_putc(out, ' ');
    }
    flm_text_puts(out, " -->\n");
}

/* Whether text must be light to be readable. */
bool flm_svg_is_on_dark(const struct flm_svg *svg)
{
    uint32_t color;
    return svg->options.background &&
           flm_color_parse(flm_bytes_of(svg->options.background), &color) &&
           flm_ink_on(color) == FLM_INK_WHITE;
}

static bool write_document(struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_svg_options *o = &svg->options;
    int width = (int)svg->document.width_px, height = (int)svg->document.height_px;
    flm_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    flm_text_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamel%s\" width=\"%d\" "
                    "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" font-family=\"",
                    flm_svg_is_on_dark(svg) ? " on-dark" : "", width, height, width, height);
    add_plain(svg, out, o->font_type);
    flm_text_puts(out, "\" font-size=\"13\">\n<title>");
    add_plain(svg, out, o->title);
    flm_text_puts(out, "</title>\n");
    add_notes(svg, out);
    add_styles(svg, out);
    add_background(svg, out);
    add_hatches(svg, out);
    if (!flm_svg_write_still(svg, out))
        return false;
    if (!o->without_script && svg->kept.count > 0) {
        if (!flm_svg_write_data(svg, out))
            return false;
        flm_text_puts(out, "<script><![CDATA[\n");
        flm_svg_asset_add(FLM_ASSET_SCRIPT, out);
        flm_text_puts(out, "]]></script>\n");
    }
    flm_text_puts(out, "</svg>\n");
    return !flm_svg_failed(svg);
}

/* Names values: as the options say, or by the unit of the metric, or by its name. */
static void name_unit(struct flm_svg *svg)
{
    const struct flm_profile *p = svg->profile;
    const char *asked = svg->options.count_name;
    svg->unit = flm_bytes_of(asked ? asked : "");
    if (asked || p->sizes.metric_count == 0)
        return;
    const struct flm_metric_record *metric = flm_profile_metric(p, svg->options.metric);
    svg->unit = flm_string_bytes(p, metric->unit ? metric->unit : metric->name);
}

static bool open_profile(struct flm_svg *svg, const struct flm_profile *profile,
                         struct flm_error *why)
{
    svg->profile = profile;
    if (!flm_svg_options_resolve(&svg->options, profile, why))
        return false;
    if (svg->options.reverse) {
        svg->inverted = flm_invert(profile, why);
        svg->profile = svg->inverted;
        if (!svg->inverted)
            return false;
    }
    name_unit(svg);
    svg->font =
        (struct flm_font){.size_px = svg->options.font_size_px, .letter = svg->options.font_width};
    return true;
}

/* Computes all positions. */
static bool measure(struct flm_svg *svg, const struct flm_profile *given, struct flm_error *why)
{
    static const enum flm_sibling_order orders[] = {
        [FLM_DRAW_BY_NAME] = FLM_ORDER_NAME,
        [FLM_DRAW_BY_TOTAL] = FLM_ORDER_TOTAL,
        [FLM_DRAW_BY_TIME] = FLM_ORDER_SEEN,
    };
    if (!flm_svg_compare(svg, why))
        return false;
    count_info(svg, given);
    struct flm_layout_options options = {
        .tree = flm_tree_of(svg->profile, svg->options.metric),
        .order = orders[svg->options.order],
    };
    if (svg->compared.widths)
        options.tree.width = svg->compared.widths;
    if (options.order == FLM_ORDER_SEEN) {
        struct flm_metric any = {FLM_NONE};
        svg->seen_first =
            flm_tree_seen(svg->profile, svg->compared.widths ? any : svg->options.metric);
        if (!svg->seen_first)
            return flm_error_memory(why);
        options.tree.seen = svg->seen_first;
    }
    svg->layout = flm_layout_new(&options, why);
    if (!svg->layout)
        return false;
    svg->total = flm_layout_total(svg->layout, (struct flm_node){0});
    return list_rectangles(svg, why);
}

bool flm_svg_open(struct flm_svg *svg, const struct flm_profile *profile,
                  const struct flm_svg_options *options, struct flm_error *why)
{
    assert(profile && options);
    *svg = (struct flm_svg){.level_count = 1};
    const struct flm_svg_options *o = &svg->options;
    if (!flm_svg_options_copy(&svg->options, options, why) || !open_profile(svg, profile, why) ||
        !flm_palette_init(&svg->palette, o->colors, o->shades,
                          (struct flm_bytes){o->palette.at, o->palette.size}, why))
        return false;
    for (uint32_t i = 0; i < svg->profile->sizes.loss_count; i++)
        svg->lost += svg->profile->losses[i].count;
    svg->notes = flm_written_notes_read(svg->profile, why);
    if (!svg->notes)
        return false;
    if (o->heatmap)
        return flm_svg_open_heatmap(svg, why);
    /* A profile without metrics is empty. */
    if (svg->profile->sizes.metric_count > 0 && !measure(svg, profile, why))
        return false;
    if (!find_tones(svg, why))
        return false;
    svg->marks = flm_svg_marks(svg);
    return true;
}

void flm_svg_close(struct flm_svg *svg)
{
    flm_layout_free(svg->layout);
    flm_profile_free(svg->inverted);
    flm_rectangles_clear(&svg->seen);
    flm_rectangles_clear(&svg->kept);
    flm_palette_clear(&svg->palette);
    flm_index_clear(&svg->tone_index);
    flm_text_clear(&svg->name);
    flm_text_clear(&svg->label);
    flm_document_clear(&svg->document);
    flm_heatmap_clear(&svg->heatmap.map);
    flm_written_notes_free(svg->notes);
    free(svg->seen_first);
    flm_comparison_clear(&svg->compared);
    FLM_ARRAY_CLEAR(&svg->tones);
    free(svg->frame_tone);
}

/* The font depends on the reader: letters are measured as for an svg_sheet. */
static bool lay_out(struct flm_svg *svg, struct flm_error *why)
{
    struct flm_svg_sheet sheet = {.out = NULL};
    const struct flm_surface measuring = flm_svg_sheet_surface(&sheet);
    return flm_svg_fill_document(svg, 1, why) &&
           flm_document_lay_out(&svg->document, &measuring, why);
}

bool flm_svg_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why)
{
    struct flm_svg svg;
    struct flm_buffered_sink buffered;
    flm_buffered_sink_init(&buffered, sink, context);
    bool drawn = flm_svg_open(&svg, profile, options, why);
    if (drawn && svg.options.heatmap)
        drawn = flm_svg_fill_heatmap(&svg, 1, why) &&
                flm_document_write_svg(&svg.document, &buffered.text, why);
    else
        drawn = drawn && lay_out(&svg, why) &&
                (write_document(&svg, &buffered.text) || flm_error_memory(why));
    flm_svg_close(&svg);
    return flm_buffered_sink_close(&buffered, drawn, why);
}
