#include "draw/text/cells.h"

#include <math.h>

#include "base/text/utf.h"
#include "draw/text/label.h"
#include "draw/text/visible.h"

#define ELLIPSIS FLM_ELLIPSIS

struct range {
    uint32_t first, last;
};

/* Unicode 15, East Asian Width W and F, including unassigned code points between them. */
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F265},
    {0x1F300, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC},
    {0x1F6D0, 0x1F6D7}, {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

/* Combining marks of the scripts that names are written in. */
static const struct range narrow[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5BF},   {0x5C1, 0x5C2},
    {0x5C4, 0x5C5},   {0x610, 0x61A},   {0x64B, 0x65F},   {0x670, 0x670},   {0x6D6, 0x6DC},
    {0x900, 0x902},   {0x93C, 0x93C},   {0x941, 0x948},   {0x94D, 0x94D},   {0xE31, 0xE31},
    {0xE34, 0xE3A},   {0xE47, 0xE4E},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0},
    {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

int flm_character_cells(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (is_in(narrow, sizeof narrow / sizeof narrow[0], code))
        return 0;
    return is_in(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

static size_t next_character(struct flm_bytes text, size_t at, uint32_t *code)
{
    size_t size = flm_utf8_sequence((struct flm_bytes){text.at + at, text.size - at}, code);
    if (size > 0)
        return size;
    *code = 0xFFFD;
    return 1;
}

struct flm_width flm_cells(struct flm_bytes plain)
{
    struct flm_width width = {0};
    uint32_t code;
    for (size_t at = 0; at < plain.size;) {
        at += next_character(plain, at, &code);
        width.cells += (size_t)flm_character_cells(code);
    }
    return width;
}

struct flm_width flm_text_cells(const struct flm_text *text)
{
    return flm_cells((struct flm_bytes){text->at, text->size});
}

void flm_cells_pad(struct flm_text *out, struct flm_width from, struct flm_width to)
{
    if (to.cells > from.cells)
        flm_text_repeat(out, ' ', to.cells - from.cells);
}

size_t flm_cells_head(struct flm_bytes text, struct flm_width room)
{
    uint32_t code;
    size_t at = 0;
    while (at < text.size) {
        size_t size = next_character(text, at, &code), cells = (size_t)flm_character_cells(code);
        if (cells > room.cells)
            break;
        room.cells -= cells;
        at += size;
    }
    return at;
}

/* The micro and the multiplication sign are in texts of flamel. */
static char ascii_of(uint32_t code)
{
    return code < 0x80 ? (char)code : code == 0xB5 ? 'u' : code == 0xD7 ? 'x' : '?';
}

struct flm_bytes flm_showable(struct flm_bytes text, enum flm_charset charset,
                              struct flm_text *scratch)
{
    struct flm_bytes plain = flm_plain(text, scratch);
    if (charset != FLM_CHARSET_ASCII)
        return plain;
    bool is_ascii = true;
    for (size_t i = 0; i < plain.size; i++)
        is_ascii = is_ascii && (unsigned char)plain.at[i] < 0x80;
    if (is_ascii)
        return plain;
    if (plain.at != scratch->at) {
        scratch->size = 0;
        flm_text_add(scratch, plain);
    }
    size_t size = 0;
    uint32_t code;
    for (size_t at = 0; at < scratch->size;) {
        at += next_character((struct flm_bytes){scratch->at, scratch->size}, at, &code);
        if (flm_character_cells(code) > 0)
            scratch->at[size++] = ascii_of(code);
    }
    scratch->size = size;
    return (struct flm_bytes){scratch->at, size};
}

/* The size of the largest end that fits into `room` cells. */
static size_t tail_size(struct flm_bytes text, struct flm_width room)
{
    size_t cells = flm_cells(text).cells, at = 0;
    uint32_t code;
    while (at < text.size && cells > room.cells) {
        at += next_character(text, at, &code);
        cells -= (size_t)flm_character_cells(code);
    }
    return text.size - at;
}

/* Adds beginning and end, with an ellipsis between them if there is room for letters around it. */
static void add_shortened(struct flm_text *out, struct flm_bytes text, struct flm_width room,
                          enum flm_charset charset)
{
    bool utf8 = charset == FLM_CHARSET_UTF8;
    size_t dots = utf8 ? 1 : 3;
    if (room.cells < dots + 4) {
        flm_text_add(out, (struct flm_bytes){text.at, flm_cells_head(text, room)});
        return;
    }
    size_t letters = room.cells - dots;
    size_t head = flm_cells_head(text, (struct flm_width){(letters + 1) / 2});
    struct flm_bytes rest = {text.at + head, text.size - head};
    size_t tail = tail_size(rest, (struct flm_width){letters / 2});
    flm_text_add(out, (struct flm_bytes){text.at, head});
    flm_text_puts(out, utf8 ? ELLIPSIS : "...");
    flm_text_add(out, (struct flm_bytes){rest.at + rest.size - tail, tail});
}

/* Adds the first of `candidates`, which are in order of preference, that fits; or the last,
 * shortened.
 */
static void add_first_fit(struct flm_text *out, const struct flm_bytes *candidates, size_t count,
                          struct flm_width room, enum flm_charset charset)
{
    for (size_t i = 0; i < count; i++)
        if (flm_cells(candidates[i]).cells <= room.cells) {
            flm_text_add(out, candidates[i]);
            return;
        }
    add_shortened(out, candidates[count - 1], room, charset);
}

/* Letters in cells, for a label. */
static double letter_cells(void *context, uint32_t code)
{
    (void)context;
    return flm_character_cells(code);
}

const char *flm_cells_ellipsis(enum flm_charset charset)
{
    return charset == FLM_CHARSET_UTF8 ? FLM_ELLIPSIS : "...";
}

struct flm_font flm_cells_font(enum flm_charset charset)
{
    return (struct flm_font){
        .size_px = 1,
        .width = letter_cells,
        .ellipsis = (double)flm_cells(flm_bytes_of(flm_cells_ellipsis(charset))).cells};
}

struct flm_label_cut flm_cells_fit(struct flm_bytes showable, struct flm_name_parts parts,
                                   struct flm_width room, enum flm_charset charset)
{
    struct flm_font font = flm_cells_font(charset);
    return flm_label_fit(showable, parts, (double)room.cells, &font);
}

/* How much is in front of the path where the name is that of a file: "/tmp/x.log", "write
 * /tmp/x.log", "stdout (/tmp/x.log)". SIZE_MAX: it is not; in functions letters are before a
 * slash. */
static size_t before_path(struct flm_bytes name)
{
    size_t at = 0;
    while (at < name.size && (((name.at[at] | 32) >= 'a' && (name.at[at] | 32) <= 'z') ||
                              name.at[at] == ' ' || name.at[at] == '('))
        at++;
    bool is_path = at < name.size && name.at[at] == '/' &&
                   (at == 0 || name.at[at - 1] == ' ' || name.at[at - 1] == '(');
    return is_path ? at : SIZE_MAX;
}

static bool is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

/* What is done with a file stays, but where that leaves hardly any of its name. A route of HTTP
 * ("GET /users/{id}") is told by its beginning too. */
static void add_name_of_path(struct flm_text *out, struct flm_bytes showable, size_t before,
                             struct flm_width room, enum flm_charset charset)
{
    enum { LEAST_OF_NAME = 8 };
    if (before > 2 && is_capital(showable.at[before - 2]) && is_capital(showable.at[before - 3])) {
        add_shortened(out, showable, room, charset);
        return;
    }
    struct flm_bytes end = flm_path_end(showable);
    if (before + LEAST_OF_NAME <= room.cells || before + flm_cells(end).cells <= room.cells) {
        flm_text_add(out, (struct flm_bytes){showable.at, before});
        room.cells -= before;
    }
    flm_cells_add_path(out, end, room, charset);
}

void flm_cells_add_name(struct flm_text *out, struct flm_bytes showable, struct flm_width room,
                        enum flm_charset charset)
{
    size_t before = before_path(showable);
    if (before < SIZE_MAX && flm_cells(showable).cells > room.cells) {
        add_name_of_path(out, showable, before, room, charset);
        return;
    }
    struct flm_name_parts parts = flm_name_parts(showable);
    parts.is_cut = false; /* a table has names as they are, where they fit */
    struct flm_label_cut cut = flm_cells_fit(showable, parts, room, charset);
    if (cut.head.size == 0 && parts.end > parts.bare) {
        struct flm_bytes bare = {showable.at + parts.bare, parts.end - parts.bare};
        add_shortened(out, bare, room, charset);
        return;
    }
    flm_text_add(out, cut.head);
    flm_text_puts(out, cut.tail.size > 0 ? flm_cells_ellipsis(charset) : "");
    flm_text_add(out, cut.tail);
}

void flm_cells_add_stack(struct flm_text *out, struct flm_bytes stack, struct flm_width room,
                         enum flm_charset charset)
{
    const char *dots = charset == FLM_CHARSET_UTF8 ? ELLIPSIS ";" : "...;";
    size_t dot_cells = charset == FLM_CHARSET_UTF8 ? 2 : 4;
    if (flm_cells(stack).cells <= room.cells) {
        flm_text_add(out, stack);
        return;
    }
    /* The last functions that fit after the dots. */
    size_t kept = stack.size, last = 0;
    for (size_t at = stack.size; at-- > 0;) {
        if (stack.at[at] != ';')
            continue;
        struct flm_bytes end = {stack.at + at + 1, stack.size - at - 1};
        last = last ? last : at + 1;
        if (flm_cells(end).cells + dot_cells > room.cells)
            break;
        kept = at + 1;
    }
    if (kept < stack.size) {
        flm_text_puts(out, dots);
        flm_text_add(out, (struct flm_bytes){stack.at + kept, stack.size - kept});
        return;
    }
    struct flm_bytes name = {stack.at + last, stack.size - last};
    bool has_room = last > 0 && room.cells > 2 * dot_cells;
    flm_text_puts(out, has_room ? dots : "");
    room.cells -= has_room ? dot_cells : 0;
    flm_cells_add_name(out, name, room, charset);
}

struct flm_bytes flm_path_end(struct flm_bytes path)
{
    size_t start = path.size;
    while (start > 0 && (start == path.size || path.at[start - 1] != '/'))
        start--;
    return (struct flm_bytes){path.at + start, path.size - start};
}

void flm_cells_add_path(struct flm_text *out, struct flm_bytes showable, struct flm_width room,
                        enum flm_charset charset)
{
    const struct flm_bytes candidates[] = {showable, flm_path_end(showable)};
    add_first_fit(out, candidates, sizeof candidates / sizeof candidates[0], room, charset);
}

struct flm_width flm_cells_add_bar(struct flm_text *out, double share, struct flm_width room)
{
    if (!(share > 0) || room.cells == 0)
        return (struct flm_width){0};
    double eighths = floor((share < 1 ? share : 1) * 8 * (double)room.cells + 0.5);
    size_t count = eighths < 1 ? 1 : (size_t)eighths;
    for (size_t i = 0; i < count / 8; i++)
        flm_text_puts(out, "\xE2\x96\x88");
    if (count % 8 == 0)
        return (struct flm_width){count / 8};
    char part[] = {(char)0xE2, (char)0x96, (char)(0x88 + 8 - count % 8)};
    flm_text_add(out, (struct flm_bytes){part, sizeof part});
    return (struct flm_width){count / 8 + 1};
}
