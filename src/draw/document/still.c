#include "draw/document/still.h"

#include "draw/color/theme.h"
#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "profile/columns.h"

enum { WORDS_PX = FLM_STILL_WORDS_PX, TITLE_PX = FLM_STILL_TITLE_PX, STRIPS = 64 };

struct flm_still flm_still_of(struct flm_svg *svg)
{
    const struct flm_svg_options *o = &svg->options;
    struct flm_still still = {.svg = svg, .dark = o->dark && !o->background};
    bool on_dark = still.dark || flm_svg_is_on_dark(svg);
    uint32_t to;
    if (still.dark)
        still.page = flm_token_color(FLM_TOKEN_PAGE, true);
    else
        flm_svg_background(svg, &still.page, &to);
    still.text = flm_token_color(FLM_TOKEN_TEXT, on_dark);
    still.muted = flm_token_color(FLM_TOKEN_MUTED, on_dark);
    still.width_px = (int)(o->width_px + 0.5);
    still.height_px = flm_svg_height(svg);
    still.boxes_px = svg->level_count * o->frame_height_px;
    return still;
}

/* ---- Words ----------------------------------------------------------------------------------- */

void flm_still_draw_background(const struct flm_still *still, const struct flm_surface *surface)
{
    uint32_t from, to;
    double height = still->height_px;
    if (still->dark || !flm_svg_background(still->svg, &from, &to)) {
        surface->fill(surface->context, 0, 0, still->width_px, height, still->page);
        return;
    }
    for (int i = 0; i < STRIPS; i++)
        surface->fill(surface->context, 0, height * i / STRIPS, still->width_px,
                      height * (i + 1) / STRIPS - height * i / STRIPS,
                      flm_color_mix(from, to, (uint8_t)(i * 255 / (STRIPS - 1))));
}

/* As much as fits before the right edge. Returns where it ends. */
static double draw_text(const struct flm_still *still, const struct flm_surface *surface, double x,
                        double base_line, struct flm_bytes text, double size_px, bool bold,
                        uint32_t rgb)
{
    return flm_surface_write(surface, x, base_line, still->width_px - FLM_SVG_PAD, text, size_px,
                             bold, rgb);
}

static void draw_titles(const struct flm_still *still, const struct flm_surface *surface)
{
    struct flm_svg *svg = still->svg;
    struct flm_bytes title = flm_plain(flm_bytes_of(svg->options.title), &svg->name);
    double x = draw_text(still, surface, FLM_SVG_PAD, 27, title, TITLE_PX, true, still->text);
    if (svg->options.subtitle)
        draw_text(still, surface, x + 12, 27,
                  flm_plain(flm_bytes_of(svg->options.subtitle), &svg->name), TITLE_PX, false,
                  still->muted);
}

static uint32_t tone_color(const struct flm_still *still, uint32_t tone)
{
    const struct flm_tone *found = &still->svg->tones[tone];
    return still->dark ? found->dark : found->light;
}

static uint32_t ink_color(const struct flm_still *still, uint32_t tone)
{
    switch (still->svg->tones[tone].ink) {
    case FLM_INK_PAGE:
        return still->dark ? FLM_INK_PAGE_DARK : FLM_INK_PAGE_LIGHT;
    case FLM_INK_BLACK:
        return 0x000000;
    case FLM_INK_WHITE:
        return 0xFFFFFF;
    case FLM_INK_DARK:
    case FLM_INK_COUNT:
        break;
    }
    return still->dark ? FLM_INK_DARK_ON_DARK : FLM_INK_DARK_ON_LIGHT;
}

static void draw_legend(const struct flm_still *still, const struct flm_surface *surface, double y)
{
    struct flm_svg_keys keys = flm_svg_keys(still->svg);
    double x = FLM_SVG_PAD;
    for (size_t i = 0; i < keys.count; i++) {
        const struct flm_svg_key *key = &keys.at[i];
        surface->fill(surface->context, x, y - 10, 16, 12, tone_color(still, key->tone));
        if (key->mark)
            surface->mark(surface->context, x, y - 10, 16, 12, key->mark,
                          ink_color(still, key->tone), 255);
        x = draw_text(still, surface, x + 21, y, flm_bytes_of(key->meaning), WORDS_PX, false,
                      still->muted) +
            14;
    }
}

static struct flm_bytes unknown_words(const struct flm_still *still)
{
    struct flm_text *out = &still->svg->label;
    out->size = 0;
    flm_picture_unknown_add(out, still->unknown_letters);
    return (struct flm_bytes){out->at, out->size};
}

static void draw_status(const struct flm_still *still, const struct flm_surface *surface, double y)
{
    double x = FLM_SVG_PAD;
    for (int fact = 0; fact < FLM_FACT_COUNT; fact++) {
        if (fact >= FLM_FACT_PARTS) { /* a line for each, of comparisons only */
            if (!still->svg->comparison)
                break;
            x = FLM_SVG_PAD;
            y += FLM_SVG_LINE;
        }
        struct flm_bytes text = flm_svg_fact(still->svg, (enum flm_picture_fact)fact);
        if (text.size > 0)
            x = draw_text(still, surface, x, y, text, WORDS_PX, false, still->muted) + 15;
        if (fact == FLM_FACT_LEVELS && still->unknown_letters > 0)
            draw_text(still, surface, x, y, unknown_words(still), WORDS_PX, false, still->muted);
    }
}

void flm_still_draw_words(struct flm_still *still, const struct flm_surface *surface)
{
    struct flm_svg *svg = still->svg;
    draw_titles(still, surface);
    if (svg->seen.count == 0)
        draw_text(still, surface, FLM_SVG_PAD, FLM_SVG_HEADER + 14, flm_svg_reason(svg), TITLE_PX,
                  false, still->text);
    double y = FLM_SVG_HEADER + (int)(still->boxes_px + 0.999) + FLM_SVG_LINE - 6;
    if (svg->comparison || svg->marks) {
        draw_legend(still, surface, y + 2);
        y += FLM_SVG_LINE;
    }
    draw_status(still, surface, y);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

void flm_still_style(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    const struct flm_still *still = context;
    struct flm_svg *svg = still->svg;
    uint32_t tone = flm_svg_tone(svg, r);
    box->fill = tone_color(still, tone);
    box->ink = ink_color(still, tone);
    box->mark = flm_svg_mark(svg, r);
    if (!box->has_room)
        return;
    uint32_t frame = svg->profile->node_frame[r->node.index];
    if (r->flags & FLM_RECTANGLE_MERGED) {
        svg->label.size = 0;
        flm_text_putc(&svg->label, '+');
        flm_count_add(&svg->label, r->count);
        box->label = (struct flm_bytes){svg->label.at, svg->label.size};
        return;
    }
    bool is_root = svg->profile->frames[frame].flags & FLM_FRAME_ROOT;
    box->label = is_root ? flm_bytes_of("all") : flm_svg_name(svg, frame);
    box->parts = flm_name_parts(box->label);
}

struct flm_boxes flm_still_boxes(struct flm_still *still, double scale)
{
    const struct flm_svg_options *o = &still->svg->options;
    double rows = o->inverted ? 0 : still->boxes_px;
    return (struct flm_boxes){.left = FLM_SVG_PAD * scale,
                              .top = (FLM_SVG_HEADER + rows) * scale,
                              .upwards = !o->inverted,
                              .row_height = o->frame_height_px * scale,
                              .gap = o->frame_height_px > 4 ? scale : 0,
                              .scale = scale,
                              .background = still->page,
                              .text = still->text,
                              .look = flm_still_style,
                              .context = still};
}
