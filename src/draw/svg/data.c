/* data.c - the frames in an SVG's data for its script: each name once, boxes in a few letters.
 *
 *     {"unit":"samples", ...}          one line of JSON: what is said once
 *     libc.so.6                        strings: modules and files, a line each
 *     AAAmain                          frames, in the order of their names, a line each
 *     EAAp                             "map": as many letters as the first number says from above
 *     BBACAgB ...                      boxes, one line
 *
 * A number is written in digits of 5 bits, the lowest first, each a letter of base64url; all but
 * the last have 32 added. Other numbers: "~" precedes a negative one, and 1.5 is ".1.5;".
 *
 *     frame   shared letters, tone, flags [, letters after `end`, end - bare, bare - qualified]
 *             [, module, file, line] and then the rest of the name (letters are UTF-16 units)
 *     box     number of boxes above it, 0 for a merged box or 1 + frame [, siblings in it], values
 *
 * Boxes are written level by level, so the children of a box are a range, whose position follows
 * from the counts. The first value of a box is its self, of a merged box its total. Where the
 * picture compares, more follows for a box: one digit, its tone + 7 times its mark (0, 1 appeared,
 * 2 disappeared), or 21 where the change is not significant; and its totals after (unless widths
 * are those) and before (unless the column is signed). Everything else (totals, offsets,
 * percentages) is computed. */
#include <math.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "draw/svg/internal.h"
#include "draw/text/visible.h"
#include "profile/columns.h"
#include "profile/recursion.h"

enum {
    HAS_PARTS = 1,
    HAS_LOCATION = 2,
    KIND_SHIFT = 2,
    UNSYMBOLIZED = 64,
    HAS_ELIDED = 128,
    IS_CUT = 256
};

static void add_digits(struct flm_text *out, uint64_t value)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *to = flm_text_reserve(out, 13);
    if (!to)
        return;
    size_t size = 0;
    for (; value >= 32; value >>= 5)
        to[size++] = letters[32 + (value & 31)];
    to[size++] = letters[value];
    out->size += size;
}

static void add_value(struct flm_text *out, double value)
{
    if (value < 0) {
        flm_text_putc(out, '~');
        value = -value;
    }
    if (value <= FLM_EXACT_LIMIT && floor(value) == value) {
        add_digits(out, (uint64_t)value);
        return;
    }
    char number[FLM_NUMBER_SIZE];
    flm_text_putc(out, '.');
    flm_text_add(out, (struct flm_bytes){number, flm_number_print(value, number)});
    flm_text_putc(out, ';');
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Adds plain text as a JSON string in XML. */
static void add_json(struct flm_text *out, struct flm_bytes plain)
{
    flm_text_putc(out, '"');
    for (size_t i = 0; i < plain.size; i++) {
        if (plain.at[i] == '"' || plain.at[i] == '\\')
            flm_text_putc(out, '\\');
        flm_xml_add(out, (struct flm_bytes){plain.at + i, 1});
    }
    flm_text_putc(out, '"');
}

static void add_member(struct flm_svg *svg, struct flm_text *out, const char *key, const char *text)
{
    flm_text_format(out, ",\"%s\":", key);
    add_json(out, flm_plain(flm_bytes_of(text ? text : ""), &svg->name));
}

static void add_number_member(struct flm_text *out, const char *key, double value)
{
    char number[FLM_NUMBER_SIZE];
    flm_text_format(out, ",\"%s\":", key);
    flm_text_add(out, (struct flm_bytes){number, flm_number_print(value, number)});
}

static const char *const comparison_names[] = {
    [FLM_SVG_PLAIN] = "", [FLM_SVG_COLUMNS] = "columns", [FLM_SVG_SIGNED] = "signed"};
static const char *const width_names[] = {[FLM_WIDTHS_MAX] = "max",
                                          [FLM_WIDTHS_AFTER] = "after",
                                          [FLM_WIDTHS_BEFORE] = "before",
                                          [FLM_WIDTHS_SUM] = "sum"};

/* "notes":["note on parse: slow"]: as the lines of a document. */
static void add_notes(struct flm_svg *svg, struct flm_text *out)
{
    const struct flm_document *document = &svg->document;
    const char *before = ",\"notes\":[";
    for (size_t i = svg->first_note; i < document->status.count; i++) {
        flm_text_puts(out, before);
        add_json(out, flm_document_text_of(document, document->status.at[i].text));
        before = ",";
    }
    flm_text_puts(out, *before == ',' && !before[1] ? "]" : "");
}

/* "depths":{"3":118}: how many frames the boxes stand for, where they are several. */
static void add_depths(const struct flm_svg *svg, struct flm_text *out)
{
    const char *before = ",\"depths\":{";
    for (size_t i = 0; i < svg->kept.count && svg->profile->sizes.recursion_count > 0; i++) {
        const struct flm_rectangle *r = &svg->kept.at[i];
        uint32_t most = flm_recursion_at(svg->profile, r->node.index).most;
        if (r->flags & FLM_RECTANGLE_MERGED || most < 2)
            continue;
        flm_text_format(out, "%s\"%zu\":%u", before, i, most);
        before = ",";
    }
    flm_text_puts(out, *before == ',' && !before[1] ? "}" : "");
}

static void add_header(struct flm_svg *svg, struct flm_text *out, size_t strings, size_t frames,
                       size_t boxes)
{
    const struct flm_svg_options *o = &svg->options;
    flm_text_format(out, "{\"version\":1,\"strings\":%zu,\"frames\":%zu,\"boxes\":%zu", strings,
                    frames, boxes);
    flm_text_puts(out, ",\"unit\":");
    add_json(out, flm_plain(svg->unit, &svg->name));
    add_member(svg, out, "title", o->title);
    add_member(svg, out, "subtitle", o->subtitle);
    add_member(svg, out, "nameType", o->name_type);
    add_member(svg, out, "search", o->search);
    add_member(svg, out, "compare", comparison_names[svg->comparison]);
    add_member(svg, out, "widths", width_names[o->widths]);
    add_number_member(out, "factor", o->factor);
    if (svg->comparison)
        add_number_member(out, "scale", svg->compared.how.scale);
    add_number_member(out, "row", o->frame_height_px);
    add_number_member(out, "font", o->font_size_px);
    add_number_member(out, "marks", svg->marks);
    flm_text_format(out,
                    ",\"inverted\":%s,\"negate\":%s,\"noise\":%s,\"significant\":%s,\"inks\":\"",
                    o->inverted ? "true" : "false", o->negate ? "true" : "false",
                    svg->compared.how.before_sample > 0 ? "true" : "false",
                    svg->compared.lost ? "true" : "false");
    for (size_t i = 0; i < svg->tones.count; i++)
        flm_text_putc(out, (char)('0' + svg->tones.at[i].ink));
    flm_text_puts(out, "\",\"status\":[");
    for (int part = 0; part < FLM_STATUS_COUNT; part++) {
        if (part)
            flm_text_putc(out, ',');
        add_json(out, flm_svg_status(svg, (enum flm_status_part)part));
    }
    flm_text_putc(out, ']');
    add_notes(svg, out);
    add_depths(svg, out);
    flm_text_puts(out, "}\n");
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The number of UTF-16 units of UTF-8 text. */
static size_t units(const char *at, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)at[i];
        count += (byte & 0xC0) != 0x80;
        count += byte >= 0xF0;
    }
    return count;
}

/* The frames and strings in the file, and their rows. */
struct rows {
    uint32_t *frame;  /* by frame: its row, FLM_NONE */
    uint32_t *string; /* by string, for modules and files */
    uint32_t frame_count, string_count;
};

static void clear_rows(struct rows *rows)
{
    free(rows->frame);
    free(rows->string);
}

static bool fill_rows(const struct flm_svg *svg, struct rows *rows)
{
    const struct flm_profile *p = svg->profile;
    rows->frame = malloc(p->sizes.frame_count * sizeof *rows->frame);
    rows->string = malloc(p->sizes.string_count * sizeof *rows->string);
    if (!rows->frame || !rows->string)
        return false;
    memset(rows->string, 0xFF, p->sizes.string_count * sizeof *rows->string);
    rows->string[0] = rows->string_count++; /* "" */
    for (uint32_t f = 0; f < p->sizes.frame_count; f++) {
        rows->frame[f] = FLM_NONE;
        if (svg->frame_tone[f] == FLM_NONE)
            continue;
        rows->frame[f] = rows->frame_count++;
        const uint32_t strings[] = {p->frames[f].module, p->frames[f].file};
        for (int i = 0; i < 2; i++)
            if (rows->string[strings[i]] == FLM_NONE)
                rows->string[strings[i]] = rows->string_count++;
    }
    return true;
}

/* In the order of their rows, which is not that of the profile, because a frame's module comes
 * first. */
static bool add_strings(struct flm_svg *svg, struct flm_text *out, const struct rows *rows)
{
    const struct flm_profile *p = svg->profile;
    uint32_t *string = malloc(rows->string_count * sizeof *string);
    if (!string)
        return false;
    for (uint32_t s = 0; s < p->sizes.string_count; s++)
        if (rows->string[s] != FLM_NONE)
            string[rows->string[s]] = s;
    for (uint32_t row = 0; row < rows->string_count; row++) {
        flm_xml_add(out, flm_plain(flm_string_bytes(p, string[row]), &svg->name));
        flm_text_putc(out, '\n');
    }
    free(string);
    return true;
}

static void add_frame(struct flm_svg *svg, struct flm_text *out, const struct rows *rows,
                      uint32_t frame, struct flm_text *previous)
{
    const struct flm_frame_record *record = &svg->profile->frames[frame];
    struct flm_bytes name = flm_svg_name(svg, frame);
    size_t shared = 0, least = name.size < previous->size ? name.size : previous->size;
    while (shared < least && name.at[shared] == previous->at[shared])
        shared++;
    while (shared > 0 && shared < name.size && ((unsigned char)name.at[shared] & 0xC0) == 0x80)
        shared--;

    struct flm_name_parts parts = flm_name_parts(name);
    bool has_parts = parts.bare > 0 || parts.end < name.size;
    bool has_location = record->module || record->file || record->line;
    add_digits(out, units(name.at, shared));
    add_digits(out, svg->frame_tone[frame]);
    bool has_elided = parts.elided_to > parts.elided_from;
    add_digits(out, (has_parts ? HAS_PARTS : 0u) | (has_location ? HAS_LOCATION : 0u) |
                        record->kind << KIND_SHIFT |
                        (record->flags & FLM_FRAME_UNSYMBOLIZED ? UNSYMBOLIZED : 0u) |
                        (has_elided ? HAS_ELIDED : 0u) | (parts.is_cut ? IS_CUT : 0u));
    if (has_parts) {
        add_digits(out, units(name.at + parts.end, name.size - parts.end));
        add_digits(out, units(name.at + parts.bare, parts.end - parts.bare));
        add_digits(out, units(name.at + parts.qualified, parts.bare - parts.qualified));
    }
    if (has_elided) {
        add_digits(out, units(name.at + parts.elided_to, parts.end - parts.elided_to));
        add_digits(out, units(name.at + parts.elided_from, parts.elided_to - parts.elided_from));
    }
    if (has_location) {
        add_digits(out, rows->string[record->module]);
        add_digits(out, rows->string[record->file]);
        add_digits(out, record->line);
    }
    flm_xml_add(out, (struct flm_bytes){name.at + shared, name.size - shared});
    flm_text_putc(out, '\n');
    previous->size = 0;
    flm_text_add(previous, name);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* The number of children of each box: the list has boxes in the order of their parents. */
static void count_children(const struct flm_svg *svg, uint32_t *children)
{
    const struct flm_rectangle *list = svg->kept.at;
    const uint32_t *end = svg->profile->node_end;
    size_t parent = 0;
    for (size_t i = 1; i < svg->kept.count; i++) {
        while (list[parent].level + 1 < list[i].level ||
               (list[parent].flags & FLM_RECTANGLE_MERGED) ||
               list[i].node.index <= list[parent].node.index ||
               list[i].node.index >= end[list[parent].node.index])
            parent++;
        children[parent]++;
    }
}

static double self_of(const struct flm_svg *svg, uint32_t node)
{
    double self = svg->comparison ? svg->compared.widths[node]
                                  : flm_profile_self(svg->profile, svg->options.metric)[node];
    return self < 0 ? -self : self;
}

static void add_compared(const struct flm_svg *svg, struct flm_text *out,
                         const struct flm_rectangle *r)
{
    uint32_t node = r->node.index;
    const struct flm_comparison *c = &svg->compared;
    if (!svg->comparison)
        return;
    uint32_t tone = flm_svg_tone(svg, r) - FLM_TONE_CHANGE;
    enum flm_mark mark = flm_svg_mark(svg, r);
    uint32_t marked = mark >= FLM_MARK_APPEARED ? mark - FLM_MARK_APPEARED + 1u : 0;
    bool noise = flm_svg_change(svg, node).noise;
    add_digits(out, noise ? FLM_CHANGE_TONES * 3u : tone + FLM_CHANGE_TONES * marked);
    if (c->how.widths != FLM_WIDTHS_AFTER)
        add_value(out, c->after[node]);
    if (svg->comparison == FLM_SVG_COLUMNS)
        add_value(out, c->before[node]);
}

/* Whether the children of a box are not drawn, because it is on the last level. */
static bool is_cut(const struct flm_svg *svg, const struct flm_rectangle *r)
{
    return r->level + 1 == FLM_DOCUMENT_LEVELS && !(r->flags & FLM_RECTANGLE_MERGED) &&
           flm_layout_below(svg->layout, r).node_count > 1;
}

static void add_boxes(struct flm_svg *svg, struct flm_text *out, const struct rows *rows,
                      const uint32_t *children)
{
    const struct flm_profile *p = svg->profile;
    for (size_t i = 0; i < svg->kept.count; i++) {
        const struct flm_rectangle *r = &svg->kept.at[i];
        uint32_t node = r->node.index;
        add_digits(out, is_cut(svg, r) ? 1 : children[i]);
        if (r->flags & FLM_RECTANGLE_MERGED) {
            add_digits(out, 0);
            add_digits(out, r->count);
            add_value(out, r->total);
        } else {
            add_digits(out, rows->frame[p->node_frame[node]] + 1u);
            add_value(out, self_of(svg, node));
            add_compared(svg, out, r);
        }
    }
    for (size_t i = 0; i < svg->kept.count; i++) {
        const struct flm_rectangle *r = &svg->kept.at[i];
        if (!is_cut(svg, r))
            continue;
        add_digits(out, 0);
        add_digits(out, 0);
        add_digits(out, flm_layout_below(svg->layout, r).node_count - 1);
        add_value(out, r->total - self_of(svg, r->node.index));
    }
}

static size_t box_count(const struct flm_svg *svg)
{
    size_t count = svg->kept.count;
    for (size_t i = svg->kept.count; i > 0; i--) {
        if (svg->kept.at[i - 1].level + 1 < FLM_DOCUMENT_LEVELS)
            break;
        count += is_cut(svg, &svg->kept.at[i - 1]);
    }
    return count;
}

bool flm_svg_write_data(struct flm_svg *svg, struct flm_text *out)
{
    struct rows rows = {0};
    struct flm_text previous = {0};
    uint32_t *children = calloc(svg->kept.count + 1, sizeof *children);
    bool done = children && fill_rows(svg, &rows);
    if (done) {
        flm_text_puts(out, "<metadata>");
        add_header(svg, out, rows.string_count, rows.frame_count, box_count(svg));
        done = add_strings(svg, out, &rows);
        for (uint32_t f = 0; f < svg->profile->sizes.frame_count; f++)
            if (rows.frame[f] != FLM_NONE)
                add_frame(svg, out, &rows, f, &previous);
        count_children(svg, children);
        add_boxes(svg, out, &rows, children);
        flm_text_puts(out, "\n</metadata>\n");
        done = done && !previous.failed;
    }
    flm_text_clear(&previous);
    clear_rows(&rows);
    free(children);
    return done;
}
