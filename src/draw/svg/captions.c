/* captions.c - what a still picture says: its titles, the status line, the legend, or why there is
 * nothing to see. */
#include "draw/color/theme.h"
#include "draw/svg/internal.h"
#include "draw/svg/path.h"
#include "draw/text/quantity.h"
#include "draw/text/visible.h"
#include "profile/columns.h"

void flm_svg_add_titles(struct flm_svg *svg, struct flm_text *out)
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

static struct flm_picture_info facts_of(const struct flm_svg *svg)
{
    const struct flm_profile *p = svg->profile;
    struct flm_picture_info info = {
        .unit = svg->unit,
        .factor = svg->options.factor,
        .stack_count = svg->stack_count,
        .total = svg->total,
        .drawn = svg->seen.count - svg->seen_runs,
        .merged = svg->seen_runs,
        .merged_of = svg->total,
        .unsymbolized = svg->unsymbolized,
        .unsymbolized_of = svg->total,
        .lost = svg->lost,
        .levels_cut = svg->levels_cut,
        .level_limit = FLM_SVG_LEVELS,
        .comparison = svg->comparison ? &svg->compared : NULL,
        .terms = flm_svg_terms(svg),
        .colors = &svg->change_colors,
    };
    if (p->sizes.loss_count == 1)
        info.lost_what = flm_string_bytes(p, p->losses[0].what);
    for (size_t i = 0; i < svg->seen.count; i++)
        if (svg->seen.at[i].flags & FLM_RECTANGLE_MERGED)
            info.merged_total += svg->seen.at[i].total;
    return info;
}

/* The fact as plain text, good until the next name. */
struct flm_bytes flm_svg_fact(struct flm_svg *svg, enum flm_picture_fact fact)
{
    struct flm_picture_info info = facts_of(svg);
    svg->label.size = 0;
    flm_picture_fact_add(&svg->label, &info, fact);
    return flm_plain((struct flm_bytes){svg->label.at, svg->label.size}, &svg->name);
}

/* The facts [from, to) on one line. */
static void add_line(struct flm_svg *svg, struct flm_text *out, int from, int to, int y)
{
    flm_text_format(out,
                    "<text x=\"%d\" y=\"%d\" class=\"status\" font-size=\"12\" "
                    "fill=\"#63666b\">",
                    FLM_SVG_PAD, y);
    for (int fact = from; fact < to; fact++) {
        struct flm_bytes text = flm_svg_fact(svg, (enum flm_picture_fact)fact);
        if (text.size == 0)
            continue;
        flm_text_puts(out, fact > from ? " <tspan dx=\"12\">" : "<tspan>");
        flm_xml_add(out, text);
        flm_text_puts(out, "</tspan>");
    }
    flm_text_puts(out, "</text>\n");
}

void flm_svg_add_status(struct flm_svg *svg, struct flm_text *out, int y)
{
    add_line(svg, out, 0, FLM_FACT_PARTS, y);
    for (int fact = FLM_FACT_PARTS; svg->comparison && fact < FLM_FACT_COUNT; fact++)
        add_line(svg, out, fact, fact + 1, y + FLM_SVG_LINE * (fact - FLM_FACT_PARTS + 1));
}

/* ---- The legend ------------------------------------------------------------------------------ */

/* A box of a tone with a mark on it, and what it means. Returns where the next one begins. */
static int add_key(const struct flm_svg *svg, struct flm_text *out, int x, int y, uint32_t tone,
                   int mark, const char *meaning)
{
    struct flm_pen pen = {0, 0, false};
    struct flm_path_box box = {x * 10, (y - 10) * 10, 160, 120};
    flm_text_format(out, "<g class=\"c%u\" color=\"", tone);
    flm_color_add(out, svg->tones[tone].light);
    flm_text_puts(out, "\"><path class=\"k\" fill=\"currentColor\" d=\"");
    flm_path_rectangle(out, &pen, box, 0);
    flm_text_puts(out, "\"/></g>");
    if (mark) {
        pen = (struct flm_pen){0, 0, false};
        flm_text_format(out, "<path class=\"m%d\" d=\"", mark);
        if (mark >= FLM_MARK_APPEARED)
            flm_path_rectangle(out, &pen, box, 0);
        else
            flm_path_line(out, &pen, box.x, box.y + box.height - 15, box.width);
        flm_text_puts(out, "\"/>");
    }
    flm_text_format(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 21, y, meaning);
    struct flm_font font = {.size_px = 12};
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

static void add_to(struct flm_svg_keys *keys, uint32_t tone, enum flm_mark mark,
                   const char *meaning)
{
    keys->at[keys->count++] = (struct flm_svg_key){tone, mark, meaning};
}

struct flm_svg_keys flm_svg_keys(const struct flm_svg *svg)
{
    struct flm_svg_keys keys = {.count = 0};
    if (svg->comparison) {
        uint32_t first = FLM_TONE_CHANGE, last = first + FLM_CHANGE_TONES - 1;
        bool has_noise = svg->compared.how.before_sample > 0;
        add_to(&keys, last, FLM_MARK_NONE, svg->options.negate ? "shrunk" : "grown");
        add_to(&keys, first + FLM_CHANGE_SAME, FLM_MARK_NONE,
               svg->compared.lost ? "not significant"
               : has_noise        ? "same, or noise"
                                  : "same");
        add_to(&keys, first, FLM_MARK_NONE, svg->options.negate ? "grown" : "shrunk");
    }
    for (int mark = 1; mark < FLM_MARK_COUNT; mark++) {
        if (!(svg->marks >> mark & 1))
            continue;
        bool is_warm = (mark == FLM_MARK_APPEARED) != svg->options.negate;
        uint32_t tone = mark < FLM_MARK_APPEARED ? FLM_TONE_RUN
                        : is_warm                ? FLM_TONE_CHANGE + FLM_CHANGE_TONES - 1
                                                 : FLM_TONE_CHANGE;
        add_to(&keys, tone, (enum flm_mark)mark, flm_mark_name((enum flm_mark)mark));
    }
    return keys;
}

void flm_svg_add_legend(const struct flm_svg *svg, struct flm_text *out, int y)
{
    int x = FLM_SVG_PAD;
    struct flm_svg_keys keys = flm_svg_keys(svg);
    flm_text_puts(out, "<g class=\"legend\" font-size=\"12\" fill=\"#63666b\">\n");
    for (size_t i = 0; i < keys.count; i++)
        x = add_key(svg, out, x, y, keys.at[i].tone, (int)keys.at[i].mark, keys.at[i].meaning);
    flm_text_puts(out, "</g>\n");
}

/* Why there is nothing to see. */
struct flm_bytes flm_svg_reason(struct flm_svg *svg)
{
    const struct flm_profile *p = svg->profile;
    svg->label.size = 0;
    if (p->sizes.node_count == 1 || p->sizes.metric_count == 0) {
        flm_text_puts(&svg->label, "Nothing to draw: the profile has no stacks.");
    } else {
        const struct flm_metric_record *metric = flm_profile_metric(p, svg->options.metric);
        flm_text_puts(&svg->label, "Nothing to draw: no stack has a value in ");
        flm_text_add(&svg->label, flm_plain(flm_string_bytes(p, metric->name), &svg->name));
        flm_text_putc(&svg->label, '.');
    }
    return (struct flm_bytes){svg->label.at, svg->label.size};
}

void flm_svg_add_reason(struct flm_svg *svg, struct flm_text *out)
{
    flm_text_format(out, "<text class=\"empty\" x=\"%d\" y=\"%d\">", FLM_SVG_PAD,
                    FLM_SVG_HEADER + 14);
    flm_xml_add(out, flm_svg_reason(svg));
    flm_text_puts(out, "</text>\n");
}
