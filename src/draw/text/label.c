#include "draw/text/label.h"

#include "base/text/utf.h"

enum { LEAST_LETTERS = 8 };

/* Hundredths of the font size, from ' ' to '~': DejaVu Sans. */
static const unsigned char widths[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

static double hundredths_of(uint32_t code)
{
    if (code >= ' ' && code <= '~')
        return widths[code - ' '];
    return code < 0x530 ? 75 : 100;
}

double flm_letter_width(uint32_t code)
{
    return hundredths_of(code) / 100;
}

/* One step through plain text: the size of the character, and its width in px. */
static size_t step(struct flm_bytes text, const struct flm_font *font, double *width)
{
    uint32_t code = (unsigned char)text.at[0];
    size_t size = 1;
    if (code >= 0x80) {
        code = 0;
        size = flm_utf8_sequence(text, &code);
    }
    if (font->width) {
        *width = font->width(font->context, size ? code : 0xFFFD) * font->size_px;
        return size ? size : 1;
    }
    double hundredths = hundredths_of(code);
    if (font->letter > 0)
        hundredths = 100 * font->letter * (code >= 0x1100 && code != 0x2026 ? 2 : 1);
    *width = hundredths * font->size_px / 100;
    return size ? size : 1;
}

double flm_label_width(struct flm_bytes plain, const struct flm_font *font)
{
    double sum = 0, width;
    while (plain.size > 0) {
        size_t size = step(plain, font, &width);
        sum += width;
        plain.at += size;
        plain.size -= size;
    }
    return sum;
}

/* Whether it fits; measures no further than `room`. */
static bool fits(struct flm_bytes text, double room, const struct flm_font *font)
{
    double width;
    while (text.size > 0) {
        size_t size = step(text, font, &width);
        room -= width;
        if (room < 0)
            return false;
        text.at += size;
        text.size -= size;
    }
    return true;
}

/* The last letter of `text`: its size in bytes. */
static size_t last_size(struct flm_bytes text)
{
    size_t from = text.size - 1;
    while (from > 0 && ((unsigned char)text.at[from] & 0xC0) == 0x80)
        from--;
    return text.size - from;
}

static double ellipsis_width(const struct flm_font *font)
{
    return font->ellipsis > 0 ? font->ellipsis * font->size_px
                              : flm_label_width(flm_bytes_of(FLM_ELLIPSIS), font);
}

/* Whether letters can be left out of its middle. An operator, or what is cut inside of brackets, as
 * in "{{cl...re}}", would read as another name, and of an address nothing is left: "0xd...fea". */
static bool can_be_shortened(struct flm_bytes text)
{
    bool can = !flm_bytes_start_with(text, "operator") && !flm_bytes_start_with(text, "0x");
    for (size_t i = 0; can && i < text.size; i++)
        can = text.at[i] != '<' && text.at[i] != '{';
    return can;
}

/* The name from `from` without its elided part; empty where that does not fit. Nothing says that
 * classes around an inner class were left out, as nothing says that a path was. */
static struct flm_label_cut elide(struct flm_bytes plain, struct flm_name_parts parts, size_t from,
                                  double room_px, const struct flm_font *font)
{
    const struct flm_label_cut none = {{plain.at, 0}, {plain.at, 0}};
    struct flm_bytes tail = {plain.at + parts.elided_to, parts.end - parts.elided_to};
    if (parts.elided_to <= parts.elided_from)
        return none;
    if (parts.elided_from == from) {
        struct flm_label_cut whole = {tail, {plain.at, 0}};
        return fits(tail, room_px, font) ? whole : none;
    }
    struct flm_label_cut cut = {{plain.at + from, parts.elided_from - from}, tail};
    double taken = flm_label_width(cut.head, font) + ellipsis_width(font);
    return taken <= room_px && fits(tail, room_px - taken, font) ? cut : none;
}

struct flm_label_cut flm_label_fit(struct flm_bytes plain, struct flm_name_parts parts,
                                   double room_px, const struct flm_font *font)
{
    const struct flm_bytes whole[] = {
        plain,
        {plain.at, parts.end},
        {plain.at + parts.qualified, parts.end - parts.qualified},
    };
    for (size_t i = parts.is_cut; i < sizeof whole / sizeof whole[0]; i++)
        if (fits(whole[i], room_px, font))
            return (struct flm_label_cut){whole[i], {plain.at, 0}};
    struct flm_label_cut cut = elide(plain, parts, parts.qualified, room_px, font);
    struct flm_bytes bare = {plain.at + parts.bare, parts.end - parts.bare};
    if (cut.head.size > 0)
        return cut;
    if (can_be_shortened(bare) || fits(bare, room_px, font))
        return flm_label_shorten(bare, room_px, font);
    return parts.elided_from > parts.bare ? elide(plain, parts, parts.bare, room_px, font) : cut;
}

/* Takes letters from the beginning and from the end in turn, while they fit. */
struct flm_label_cut flm_label_shorten(struct flm_bytes text, double room,
                                       const struct flm_font *font)
{
    if (fits(text, room, font))
        return (struct flm_label_cut){text, {text.at, 0}};
    struct flm_bytes middle = text;
    size_t letters = 0;
    room -= ellipsis_width(font);
    for (bool at_end = false; middle.size > 0; at_end = !at_end) {
        double width;
        size_t size = at_end ? last_size(middle) : step(middle, font, &width);
        if (at_end)
            step((struct flm_bytes){middle.at + middle.size - size, size}, font, &width);
        room -= width;
        if (room < 0)
            break;
        letters++;
        middle.size -= size;
        middle.at += at_end ? 0 : size;
    }
    if (letters < LEAST_LETTERS)
        return (struct flm_label_cut){{text.at, 0}, {text.at, 0}};
    const char *tail = middle.at + middle.size;
    return (struct flm_label_cut){{text.at, (size_t)(middle.at - text.at)},
                                  {tail, (size_t)(text.at + text.size - tail)}};
}

void flm_label_add(struct flm_text *out, struct flm_bytes plain, struct flm_name_parts parts,
                   double room_px, const struct flm_font *font)
{
    struct flm_label_cut cut = flm_label_fit(plain, parts, room_px, font);
    flm_text_add(out, cut.head);
    if (cut.tail.size > 0)
        flm_text_puts(out, FLM_ELLIPSIS);
    flm_text_add(out, cut.tail);
}

void flm_label_add_letters(struct flm_text *out, struct flm_bytes plain, unsigned letters)
{
    const struct flm_font font = {.size_px = 1, .letter = 1};
    struct flm_label_cut cut = flm_label_fit(plain, flm_name_parts(plain), letters, &font);
    if (cut.head.size == 0)
        cut = flm_label_shorten(plain, letters, &font);
    flm_text_add(out, cut.head);
    if (cut.tail.size > 0)
        flm_text_puts(out, FLM_ELLIPSIS);
    flm_text_add(out, cut.tail);
}

void flm_label_add_depth(struct flm_text *out, uint32_t most)
{
    if (most > 1)
        flm_text_format(out, " \xC3\x97%u", most);
}
