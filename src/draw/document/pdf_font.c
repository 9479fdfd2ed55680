#include "draw/document/pdf_font.h"

#include "base/text/utf.h"

/* Thousandths of the font size, from ' ' to '~', from 0x80 to 0x9F, and from 0xA0 to 0xFF. */
enum { ASCII = 95, FIRST = 32, MARKS = 32, LATIN = 96 };

static const unsigned short regular[ASCII + MARKS + LATIN] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    /* 0x80 */
    556, 350, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350, 350, 222,
    222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 350, 500, 667,
    /* 0xA0 */
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584, 333,
    333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611, 667, 667, 667, 667, 667, 667,
    1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778,
    722, 722, 722, 722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556,
    278, 278, 278, 278, 556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556,
    500};

static const unsigned short bold_widths[ASCII + MARKS + LATIN] = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
    /* 0x80 */
    556, 350, 278, 556, 500, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350, 350, 278,
    278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944, 350, 500, 667,
    /* 0xA0 */
    278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333, 400, 584, 333,
    333, 333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611, 722, 722, 722, 722, 722, 722,
    1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778,
    722, 722, 722, 722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556,
    278, 278, 278, 278, 611, 611, 611, 611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611,
    556};

unsigned char flm_pdf_letter(uint32_t code)
{
    /* The characters of the bytes 0x80 to 0x9F; 0: not used. */
    static const unsigned short marks[MARKS] = {
        0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    if ((code >= FIRST && code < FIRST + ASCII) || (code >= 0xA0 && code <= 0xFF))
        return (unsigned char)code;
    for (unsigned i = 0; i < MARKS && code >= 0x100; i++)
        if (marks[i] == code)
            return (unsigned char)(0x80 + i);
    return 0;
}

double flm_pdf_letter_width(unsigned char letter, bool bold)
{
    const unsigned short *widths = bold ? bold_widths : regular;
    if (letter >= 0x80)
        return widths[ASCII + letter - 0x80] / 1000.0;
    return letter >= FIRST && letter < FIRST + ASCII ? widths[letter - FIRST] / 1000.0 : 0;
}

/* The spelling of characters that flamel's texts and names of operators contain. NULL: there is
 * none. */
static const char *spelled(uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *text;
    } others[] = {{0x03C3, "sigma"}, {0x0394, "delta"}, {0x03BC, "\xB5"}, {0x2190, "<-"},
                  {0x2192, "->"},    {0x2212, "-"},     {0x2264, "<="},   {0x2265, ">="}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].code == code)
            return others[i].text;
    return NULL;
}

/* The bytes of a character: one, its spelling, or "?". `room` has room for one. */
static const char *bytes_of(uint32_t code, char room[2], bool *is_known)
{
    unsigned char letter = flm_pdf_letter(code);
    const char *text = letter ? NULL : spelled(code);
    *is_known = letter || text;
    room[0] = (char)(letter ? letter : '?');
    room[1] = 0;
    return text ? text : room;
}

static double width_of(uint32_t code, bool bold)
{
    char room[2];
    bool is_known;
    double width = 0;
    for (const char *at = bytes_of(code, room, &is_known); *at; at++)
        width += flm_pdf_letter_width((unsigned char)*at, bold);
    return width;
}

static double regular_width(void *context, uint32_t code)
{
    (void)context;
    return width_of(code, false);
}

static double bold_width(void *context, uint32_t code)
{
    (void)context;
    return width_of(code, true);
}

struct flm_font flm_pdf_font(double size_px, bool bold)
{
    return (struct flm_font){.size_px = size_px, .width = bold ? bold_width : regular_width};
}

uint32_t flm_pdf_string_add(struct flm_text *out, struct flm_bytes plain)
{
    uint32_t unknown = 0;
    flm_text_putc(out, '(');
    while (plain.size > 0) {
        uint32_t code = 0xFFFD;
        size_t size = flm_utf8_sequence(plain, &code);
        size = size ? size : 1;
        plain.at += size;
        plain.size -= size;
        char room[2];
        bool is_known;
        const char *text = bytes_of(code, room, &is_known);
        unknown += !is_known;
        for (; *text; text++) {
            if (flm_is_one_of(*text, "()\\"))
                flm_text_putc(out, '\\');
            flm_text_putc(out, *text);
        }
    }
    flm_text_putc(out, ')');
    return unknown;
}
