/* svg_words.c - what a still picture says: its titles, the status line, the legend, or why there is
 * nothing to see. */
#include "draw/plain.h"
#include "draw/quantity.h"
#include "draw/svg.h"
#include "draw/svg_path.h"
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
            flm_text_puts(out,
                          svg->levels_cut == 1 ? " level below level " : " levels below level ");
            flm_count_add(out, FLM_SVG_LEVELS);
            flm_text_puts(out, svg->levels_cut == 1 ? " is not drawn" : " are not drawn");
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

void flm_svg_add_status(struct flm_svg *svg, struct flm_text *out, int y)
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
    [FLM_MARK_KERNEL] = "kernel",     [FLM_MARK_INLINED] = "inlined",
    [FLM_MARK_JIT] = "jit",           [FLM_MARK_INTERPRETED] = "interpreted",
    [FLM_MARK_GPU] = "gpu",           [FLM_MARK_WAKER] = "waker",
    [FLM_MARK_APPEARED] = "appeared", [FLM_MARK_DISAPPEARED] = "disappeared",
};

/* A box of a tone with a mark on it, and what it means. Returns where the next one begins. */
static int add_key(const struct flm_svg *svg, struct flm_text *out, int x, int y, uint32_t tone,
                   int mark, const char *meaning)
{
    struct flm_pen pen = {0, 0, false};
    struct flm_box box = {x * 10, (y - 10) * 10, 160, 120};
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

void flm_svg_add_legend(const struct flm_svg *svg, struct flm_text *out, int y)
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

/* Why there is nothing to see. */
void flm_svg_add_reason(struct flm_svg *svg, struct flm_text *out)
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
