/* palette_flamegraph.c - flamegraph.pl's palettes: a name has the same color in both. The formulas
 * are flamegraph.pl's (B. Gregg and others). */
#include <assert.h>

#include "base/core/hash.h"
#include "base/text/utf.h"
#include "draw/color/palette.h"

/* The position of a name on the palette's three axes, each in [0, 1). */
struct position {
    double v1, v2, v3;
};

static uint32_t rgb(int r, int g, int b)
{
    return (uint32_t)r << 16 | (uint32_t)g << 8 | (uint32_t)b;
}

/* Takes the first character off `name`, or the last one. Each byte that is not UTF-8 is a
 * character. */
static uint32_t take_character(struct flm_bytes *name, bool last)
{
    size_t from = last ? name->size - 1 : 0;
    while (last && from > 0 && name->size - from < 4 &&
           ((unsigned char)name->at[from] & 0xC0) == 0x80)
        from--;
    uint32_t code;
    size_t size = flm_utf8_sequence((struct flm_bytes){name->at + from, name->size - from}, &code);
    if (size == 0 || (last && from + size != name->size)) {
        from = last ? name->size - 1 : 0;
        size = 1;
        code = (unsigned char)name->at[from];
    }
    name->at += last ? 0 : size;
    name->size -= size;
    return code;
}

/* The sum of the characters, modulo 2^32: characters, not bytes, where the name is UTF-8. */
static uint32_t character_sum(struct flm_bytes name)
{
    uint32_t sum = 0;
    while (name.size > 0)
        sum += take_character(&name, false);
    return sum;
}

/* The first number of drand48 (POSIX) after srand48(sum), as Perl's srand and rand do it. */
static double shade_of(struct flm_bytes name)
{
    uint64_t state = ((uint64_t)character_sum(name) << 16) + 0x330E;
    state = (state * 0x5DEECE66D + 0xB) & (((uint64_t)1 << 48) - 1);
    return (double)state / 281474976710656.0;
}

/* Three characters from one end, the first with most weight: similar names get similar numbers. A
 * module before the first '`' is left out. */
static double end_hash(struct flm_bytes name, bool backwards)
{
    for (size_t i = 1; i < name.size; i++)
        if (name.at[backwards ? name.size - 1 - i : i] == '`') {
            name.at += backwards ? 0 : i + 1;
            name.size -= i + 1;
            break;
        }
    double vector = 0, weight = 1, most = 1;
    for (uint32_t modulus = 10; name.size > 0 && modulus <= 12; modulus++) {
        uint32_t code = take_character(&name, backwards);
        vector += (double)(code % modulus) / (double)(modulus - 1) * weight;
        most += weight;
        weight *= 0.70;
    }
    return 1 - vector / most;
}

static struct position position_of(struct flm_bytes name, enum flm_shades shades)
{
    struct position position;
    if (shades == FLM_SHADES_HASH) {
        position.v1 = end_hash(name, false);
        position.v2 = position.v3 = end_hash(name, true);
    } else if (shades == FLM_SHADES_RANDOM) {
        uint64_t bits = flm_checksum(name.at, name.size);
        position.v1 = (double)(bits & 0xFFFF) / 65536;
        position.v2 = (double)(bits >> 16 & 0xFFFF) / 65536;
        position.v3 = (double)(bits >> 32 & 0xFFFF) / 65536;
    } else {
        position.v1 = position.v2 = position.v3 = shade_of(name);
    }
    return position;
}

/* ---- Kinds of names, for the palettes of languages ------------------------------------------- */

static bool starts_like_java(struct flm_bytes name)
{
    static const char *const roots[] = {"java/", "javax/", "jdk/", "net/",
                                        "org/",  "com/",   "io/",  "sun/"};
    if (name.size > 0 && name.at[0] == 'L') {
        name.at++;
        name.size--;
    }
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (flm_bytes_start_with(name, roots[i]))
            return true;
    return false;
}

/* "/lib/app.js:12": a slash, and ".js" behind it. */
static bool is_script_file(struct flm_bytes name)
{
    const char *slash = memchr(name.at, '/', name.size);
    return slash && flm_bytes_contain(
                        (struct flm_bytes){slash, (size_t)(name.at + name.size - slash)}, ".js");
}

static enum flm_colors java(struct flm_bytes name)
{
    if (flm_bytes_end_with(name, "_[j]"))
        return FLM_COLORS_GREEN;
    if (flm_bytes_end_with(name, "_[i]"))
        return FLM_COLORS_AQUA;
    if (starts_like_java(name) || flm_bytes_contain(name, ":::"))
        return FLM_COLORS_GREEN;
    if (flm_bytes_contain(name, "::"))
        return FLM_COLORS_YELLOW;
    return flm_bytes_end_with(name, "_[k]") ? FLM_COLORS_ORANGE : FLM_COLORS_RED;
}

static enum flm_colors perl(struct flm_bytes name)
{
    if (flm_bytes_contain(name, "::"))
        return FLM_COLORS_YELLOW;
    if (flm_bytes_contain(name, "Perl") || flm_bytes_contain(name, ".pl"))
        return FLM_COLORS_GREEN;
    return flm_bytes_end_with(name, "_[k]") ? FLM_COLORS_ORANGE : FLM_COLORS_RED;
}

static enum flm_colors js(struct flm_bytes name)
{
    if (flm_bytes_end_with(name, "_[j]"))
        return memchr(name.at, '/', name.size) ? FLM_COLORS_GREEN : FLM_COLORS_AQUA;
    if (flm_bytes_contain(name, "::"))
        return FLM_COLORS_YELLOW;
    if (is_script_file(name))
        return FLM_COLORS_GREEN;
    if (memchr(name.at, ':', name.size))
        return FLM_COLORS_AQUA;
    if (flm_bytes_are(name, " ")) /* a symbol that was not found */
        return FLM_COLORS_GREEN;
    return flm_bytes_contain(name, "_[k]") ? FLM_COLORS_ORANGE : FLM_COLORS_RED;
}

static enum flm_colors single_color(enum flm_colors colors, struct flm_bytes name)
{
    switch (colors) {
    case FLM_COLORS_JAVA:
        return java(name);
    case FLM_COLORS_PERL:
        return perl(name);
    case FLM_COLORS_JS:
        return js(name);
    case FLM_COLORS_WAKEUP:
        return FLM_COLORS_AQUA;
    case FLM_COLORS_CHAIN:
        return flm_bytes_contain(name, "_[w]") ? FLM_COLORS_AQUA : FLM_COLORS_BLUE;
    default:
        return colors;
    }
}

uint32_t flm_palette_classic(enum flm_colors colors, enum flm_shades shades, struct flm_bytes name)
{
    if (flm_bytes_are(name, "--")) /* separates the waker's stack, and the kernel's */
        return rgb(160, 160, 160);
    if (flm_bytes_are(name, "-"))
        return rgb(200, 200, 200);
    struct position p = position_of(name, shades);
    double v = p.v1;
    int x;
    switch (single_color(colors, name)) {
    case FLM_COLORS_HOT:
        return rgb(205 + (int)(50 * p.v3), (int)(230 * p.v1), (int)(55 * p.v2));
    case FLM_COLORS_MEM:
        return rgb(0, 190 + (int)(50 * p.v2), (int)(210 * p.v1));
    case FLM_COLORS_IO:
        x = 80 + (int)(60 * p.v1);
        return rgb(x, x, 190 + (int)(55 * p.v2));
    case FLM_COLORS_RED:
        x = 50 + (int)(80 * v);
        return rgb(200 + (int)(55 * v), x, x);
    case FLM_COLORS_GREEN:
        x = 50 + (int)(60 * v);
        return rgb(x, 200 + (int)(55 * v), x);
    case FLM_COLORS_BLUE:
        x = 80 + (int)(60 * v);
        return rgb(x, x, 205 + (int)(50 * v));
    case FLM_COLORS_YELLOW:
        x = 175 + (int)(55 * v);
        return rgb(x, x, 50 + (int)(20 * v));
    case FLM_COLORS_PURPLE:
        x = 190 + (int)(65 * v);
        return rgb(x, 80 + (int)(60 * v), x);
    case FLM_COLORS_AQUA:
        x = 165 + (int)(55 * v);
        return rgb(50 + (int)(60 * v), x, x);
    case FLM_COLORS_ORANGE:
        return rgb(190 + (int)(65 * v), 90 + (int)(65 * v), 0);
    default:
        assert(!"a palette of flamegraph.pl");
        return 0;
    }
}
