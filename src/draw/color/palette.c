#include "draw/color/palette.h"

#include <assert.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "base/text/function_name.h"
#include "base/text/text.h"
#include "flamel/error.h"
#include "format/folded/folded.h"

enum { HUES = FLM_HUES, STEPS = FLM_HUE_STEPS, GRAYS = 3 };

/* oklch(lightness, chroma, hue) in sRGB: hues 25 50 75 100 125 150 180 205 230 260 290 330, in
 * three steps each. Light: (0.825 0.08) (0.855 0.075) (0.885 0.055). Dark: (0.665 0.085) (0.70
 * 0.085) (0.735 0.08). As tables, because the code for the browser has no pow. */
static const uint32_t light_tones[HUES][STEPS] = {
    {0xf6b2ac, 0xfdbdb7, 0xfcccc7}, {0xf1b797, 0xf9c2a4, 0xf8cfb9}, {0xe5bf8b, 0xedc999, 0xefd5b1},
    {0xd1c78b, 0xdad198, 0xe1dbb1}, {0xbacf96, 0xc4d9a3, 0xd1e0b9}, {0xa1d5ab, 0xaddeb6, 0xc0e4c6},
    {0x8ad7c8, 0x98e0d1, 0xb2e6da}, {0x84d5de, 0x93dee7, 0xafe4ea}, {0x8fd0f0, 0x9cd9f7, 0xb5e1f7},
    {0xa8c7fa, 0xb3d1ff, 0xc4dafe}, {0xc4bdf7, 0xcec8fe, 0xd8d4fc}, {0xe4b3df, 0xecbee7, 0xefcdeb}};

static const uint32_t dark_tones[HUES][STEPS] = {
    {0xc37f79, 0xce8a84, 0xd79690}, {0xbe8464, 0xca8f6e, 0xd39b7c}, {0xb28c56, 0xbe9761, 0xc7a270},
    {0xa09556, 0xaba060, 0xb5ab6f}, {0x889d63, 0x92a86d, 0x9eb27b}, {0x6da378, 0x78ae82, 0x85b88f},
    {0x52a596, 0x5db0a0, 0x6dbaab}, {0x4ba3ac, 0x56aeb8, 0x68b8c1}, {0x589ebe, 0x63a9c9, 0x72b3d2},
    {0x7595c8, 0x7f9fd4, 0x8caadc}, {0x938bc5, 0x9d96d0, 0xa8a1d9}, {0xb281ad, 0xbd8bb8, 0xc797c1}};

/* oklch(l 0.01 85): light 0.845 0.87 0.895, dark 0.60 0.63 0.66. */
static const uint32_t light_grays[GRAYS] = {0xcfccc5, 0xd7d4cd, 0xdfdcd5};
static const uint32_t dark_grays[GRAYS] = {0x83807a, 0x8c8982, 0x95928b};

const struct flm_tone flm_tone_ancestor = {0xeeedea, 0x2a2d33, FLM_INK_PAGE};
const struct flm_tone flm_tone_merged = {0xd5d4d0, 0x474b52, FLM_INK_PAGE};

/* ---- By module ------------------------------------------------------------------------------- */

struct flm_tone flm_hue_tone(uint64_t hue, uint64_t step)
{
    return (struct flm_tone){light_tones[hue % HUES][step % STEPS],
                             dark_tones[hue % HUES][step % STEPS], FLM_INK_DARK};
}

struct flm_tone flm_gray_tone(uint64_t step)
{
    return (struct flm_tone){light_grays[step % GRAYS], dark_grays[step % GRAYS], FLM_INK_DARK};
}

uint32_t flm_package_hue(struct flm_bytes package)
{
    /* Different bits of the hash than the shade's, so that the shade does not follow the hue. */
    return flm_name_is_runtime(package)
               ? HUES
               : (uint32_t)((flm_checksum(package.at, package.size) >> 32) % HUES);
}

static struct flm_tone shaded(uint32_t hue, uint64_t shade)
{
    return hue < HUES ? flm_hue_tone(hue, shade) : flm_gray_tone(shade);
}

struct flm_tone flm_function_tone(uint32_t hue, struct flm_bytes name)
{
    return shaded(hue, flm_checksum(name.at, name.size));
}

struct flm_tone flm_package_tone(struct flm_bytes package)
{
    return shaded(flm_package_hue(package), STEPS / 2);
}

static struct flm_tone module_tone(struct flm_bytes name, struct flm_bytes module)
{
    struct flm_bytes package = module.size > 0 ? module : flm_name_package(name);
    return flm_function_tone(flm_package_hue(package), name);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* oklch(l c 65): light 0.955 to 0.625, dark 0.30 to 0.44 and then 0.60 to 0.81, because neither ink
 * is readable on the lightnesses between them. */
const struct flm_tone flm_share_tones[FLM_SHARE_STEPS] = {
    {0xffeddc, 0x3c2a18, FLM_INK_PAGE}, {0xf8d7b9, 0x54391f, FLM_INK_PAGE},
    {0xf1c295, 0x6d4a26, FLM_INK_PAGE}, {0xe7ad74, 0xad7130, FLM_INK_DARK},
    {0xdd9951, 0xc7843c, FLM_INK_DARK}, {0xd0852d, 0xe39849, FLM_INK_DARK},
    {0xc07301, 0xfaae60, FLM_INK_DARK}};

int flm_share_step(double part, double whole)
{
    static const double from[FLM_SHARE_STEPS] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3};
    double share = whole != 0 ? part / whole : 0;
    int step = 0;
    share = share < 0 ? -share : share;
    while (step + 1 < FLM_SHARE_STEPS && share >= from[step + 1])
        step++;
    return step;
}

/* ---- Given colors ---------------------------------------------------------------------------- */

/* The sRGB curve within 0.002, which is enough to choose between black and white. */
static double linear(uint32_t byte)
{
    double c = byte / 255.0;
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}

double flm_luminance(uint32_t color)
{
    return 0.2126 * linear(color >> 16 & 0xFF) + 0.7152 * linear(color >> 8 & 0xFF) +
           0.0722 * linear(color & 0xFF);
}

enum flm_ink flm_ink_on(uint32_t color)
{
    /* Both have the same contrast where (1 + 0.05) / (l + 0.05) = (l + 0.05) / 0.05. */
    return flm_luminance(color) > 0.179 ? FLM_INK_BLACK : FLM_INK_WHITE;
}

static struct flm_bytes trimmed(struct flm_bytes text)
{
    while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.size--;
    }
    while (text.size > 0 && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t' ||
                             text.at[text.size - 1] == '\r'))
        text.size--;
    return text;
}

bool flm_color_parse(struct flm_bytes text, uint32_t *color)
{
    uint64_t value;
    if (text.size == 7 && text.at[0] == '#') {
        if (!flm_number_parse_hex((struct flm_bytes){text.at + 1, 6}, &value))
            return false;
        *color = (uint32_t)value;
        return true;
    }
    if (!flm_bytes_start_with(text, "rgb(") || !flm_bytes_end_with(text, ")"))
        return false;
    *color = 0;
    const char *at = text.at + 4, *end = text.at + text.size - 1;
    for (int i = 0; i < 3; i++) {
        const char *comma = i < 2 ? memchr(at, ',', (size_t)(end - at)) : end;
        if (!comma ||
            !flm_number_parse_uint(trimmed((struct flm_bytes){at, (size_t)(comma - at)}), &value) ||
            value > 255)
            return false;
        *color = *color << 8 | (uint32_t)value;
        at = comma + 1;
    }
    return true;
}

/* Reads the line of `given` that begins at `at`: its name and its color. A name may contain "->", a
 * color cannot. */
static bool read_line(struct flm_bytes given, size_t at, struct flm_bytes *name,
                      struct flm_bytes *color)
{
    const char *start = given.at + at, *end = memchr(start, '\n', given.size - at);
    size_t size = end ? (size_t)(end - start) : given.size - at;
    for (size_t i = size; i >= 2; i--)
        if (start[i - 2] == '-' && start[i - 1] == '>') {
            *name = (struct flm_bytes){start, i - 2};
            *color = trimmed((struct flm_bytes){start + i, size - i});
            return true;
        }
    *name = trimmed((struct flm_bytes){start, size});
    return false;
}

bool flm_color_line(struct flm_bytes text, size_t *at, struct flm_bytes *name, uint32_t *color)
{
    struct flm_bytes value;
    bool is_pair = read_line(text, *at, name, &value);
    const char *end = memchr(text.at + *at, '\n', text.size - *at);
    *at = end ? (size_t)(end - text.at) + 1 : text.size;
    return is_pair ? flm_color_parse(value, color) : name->size == 0;
}

bool flm_palette_init(struct flm_palette *palette, enum flm_colors colors, enum flm_shades shades,
                      struct flm_bytes given, struct flm_error *why)
{
    *palette = (struct flm_palette){.colors = colors, .shades = shades, .given = given};
    if (given.size > UINT32_MAX)
        return flm_error_set(why, FLM_ERROR_RANGE, "the palette has more than 4 GiB");
    uint64_t line = 0;
    for (size_t at = 0; at < given.size;) {
        line++;
        size_t begin = at;
        struct flm_bytes name;
        uint32_t color;
        if (!flm_color_line(given, &at, &name, &color)) {
            flm_palette_clear(palette);
            return flm_error_line(why, FLM_ERROR_FORMAT, line,
                                  "a palette's lines are NAME->rgb(R,G,B) or NAME->#rrggbb");
        }
        if (name.size > 0 && !flm_index_add(&palette->index, (uint32_t)flm_hash(name.at, name.size),
                                            (uint32_t)begin)) {
            flm_palette_clear(palette);
            return flm_error_memory(why);
        }
    }
    return true;
}

void flm_palette_clear(struct flm_palette *palette)
{
    flm_index_clear(&palette->index);
}

static bool find_given(const struct flm_palette *palette, struct flm_bytes wanted, uint32_t *value)
{
    uint32_t hash = (uint32_t)flm_hash(wanted.at, wanted.size);
    struct flm_probe at = flm_index_probe(&palette->index, hash);
    while (flm_index_next(&palette->index, &at)) {
        struct flm_bytes name, color;
        if (read_line(palette->given, at.found, &name, &color) && flm_bytes_equal(name, wanted))
            return flm_color_parse(color, value);
    }
    return false;
}

size_t flm_palette_line(const struct flm_palette *palette, size_t at, struct flm_bytes *name,
                        uint32_t *color)
{
    if (!flm_color_line(palette->given, &at, name, color))
        name->size = 0;
    return at;
}

/* ---- Any palette ----------------------------------------------------------------------------- */

/* The name with the suffix of its kind, as in flamegraph.pl: written to `room`, and cut if it does
 * not fit. */
struct marked {
    char room[1024];
};

static struct flm_bytes with_mark(struct marked *marked, struct flm_bytes name, uint32_t kind)
{
    char mark = flm_folded_mark(kind);
    if (!mark)
        return name;
    size_t most = sizeof marked->room - 4;
    struct flm_text text;
    flm_text_init_fixed(&text, marked->room, sizeof marked->room);
    flm_text_add(&text, (struct flm_bytes){name.at, name.size < most ? name.size : most});
    flm_text_format(&text, "_[%c]", mark);
    return (struct flm_bytes){text.at, text.size};
}

/* A color given for the name with its suffix, or for all kinds of it. */
static bool find_either(const struct flm_palette *palette, struct flm_bytes name, uint32_t kind,
                        uint32_t *color)
{
    struct marked marked;
    return palette->index.item_count > 0 &&
           (find_given(palette, with_mark(&marked, name, kind), color) ||
            find_given(palette, name, color));
}

bool flm_palette_has(const struct flm_palette *palette, struct flm_bytes name, uint32_t kind)
{
    uint32_t color;
    return find_either(palette, name, kind, &color);
}

struct flm_tone flm_palette_tone(const struct flm_palette *palette, struct flm_bytes name,
                                 struct flm_bytes module, uint32_t kind)
{
    uint32_t color;
    if (!find_either(palette, name, kind, &color)) {
        if (palette->colors == FLM_COLORS_MODULE)
            return module_tone(name, module);
        struct marked marked;
        color =
            flm_palette_classic(palette->colors, palette->shades, with_mark(&marked, name, kind));
    }
    return (struct flm_tone){color, color, flm_ink_on(color)};
}
