#include "draw/raster/atlas.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/utf.h"

/* A letter: its images, one for each quarter of a pixel that the pen may be past an edge.
 */
struct letter {
    uint32_t code;
    uint32_t picture_count; /* 0: it is missing; 1; FLM_ATLAS_COLUMNS */
    double advance_px;
    int top, height;
    struct {
        int left, width;
        size_t coverage; /* offset in the atlas */
    } pictures[FLM_ATLAS_COLUMNS];
};

/* Code points below this are found without hashing. */
enum { QUICK = 128 };

struct face {
    struct flm_atlas *atlas; /* for flm_atlas_font */
    enum flm_weight weight;
    struct FLM_ARRAY(struct letter) letters;
    size_t reported;         /* letters before this exist, or were reported as missing */
    uint32_t quick[QUICK];   /* index in letters + 1 */
    double quick_ems[QUICK]; /* widths in font sizes; 0: not yet known */
    struct flm_index index;
};

struct flm_atlas {
    double size_px;
    struct face faces[FLM_WEIGHT_COUNT];
    struct FLM_ARRAY(uint8_t) coverage;
};

struct flm_atlas *flm_atlas_new(double size_px, struct flm_error *why)
{
    assert(size_px > 0);
    struct flm_atlas *atlas = calloc(1, sizeof *atlas);
    if (!atlas) {
        flm_error_memory(why);
        return NULL;
    }
    atlas->size_px = size_px;
    for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++) {
        atlas->faces[weight].atlas = atlas;
        atlas->faces[weight].weight = (enum flm_weight)weight;
    }
    return atlas;
}

void flm_atlas_free(struct flm_atlas *atlas)
{
    if (!atlas)
        return;
    for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++) {
        FLM_ARRAY_CLEAR(&atlas->faces[weight].letters);
        flm_index_clear(&atlas->faces[weight].index);
    }
    FLM_ARRAY_CLEAR(&atlas->coverage);
    free(atlas);
}

double flm_atlas_size_px(const struct flm_atlas *atlas)
{
    return atlas->size_px;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static uint32_t hash_of(uint32_t code)
{
    return code * 0x9E3779B1u;
}

static struct letter *find(const struct face *face, uint32_t code)
{
    if (code < QUICK)
        return face->quick[code] ? &face->letters.at[face->quick[code] - 1] : NULL;
    struct flm_probe at = flm_index_probe(&face->index, hash_of(code));
    while (flm_index_next(&face->index, &at))
        if (face->letters.at[at.found].code == code)
            return &face->letters.at[at.found];
    return NULL;
}

static struct letter *add_letter(struct face *face, uint32_t code)
{
    if (!FLM_ARRAY_RESERVE(&face->letters, 1))
        return NULL;
    if (code < QUICK)
        face->quick[code] = (uint32_t)face->letters.count + 1;
    else if (!flm_index_add(&face->index, hash_of(code), (uint32_t)face->letters.count))
        return NULL;
    struct letter *letter = &face->letters.at[face->letters.count++];
    *letter =
        (struct letter){.code = code, .advance_px = flm_letter_width(code) * face->atlas->size_px};
    return letter;
}

/* The letter, from now on requested. NULL when memory ran out: it is requested again next time. */
static struct letter *want(struct face *face, uint32_t code)
{
    struct letter *letter = find(face, code);
    return letter ? letter : add_letter(face, code);
}

uint32_t flm_atlas_missing(struct flm_atlas *atlas, enum flm_weight weight)
{
    assert((unsigned)weight < FLM_WEIGHT_COUNT);
    struct face *face = &atlas->faces[weight];
    while (face->reported < face->letters.count) {
        const struct letter *letter = &face->letters.at[face->reported++];
        if (letter->picture_count == 0 && letter->code != 0)
            return letter->code;
    }
    return 0;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* The pixel that begins `from` columns of the coverage to the right. */
static uint8_t column_of(const struct flm_glyph *glyph, int row, int from, int columns)
{
    int sum = 0;
    for (int x = from; x < from + columns; x++)
        if (x >= 0 && x < glyph->width)
            sum += glyph->coverage[(size_t)row * (size_t)glyph->width + (size_t)x];
    return (uint8_t)((sum + columns / 2) / columns);
}

static int floor_of(int dividend, int divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

bool flm_atlas_add(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight,
                   const struct flm_glyph *glyph)
{
    assert((unsigned)weight < FLM_WEIGHT_COUNT && glyph);
    int columns = glyph->columns > 1 ? FLM_ATLAS_COLUMNS : 1;
    double limit = 16 * atlas->size_px + 16;
    if (glyph->width < 0 || glyph->height < 0 || glyph->width > limit * columns ||
        glyph->height > limit || glyph->left < -limit * columns || glyph->left > limit * columns ||
        glyph->top < -limit || glyph->top > limit)
        return false;
    /* An image has one column more than its width if the quarters begin inside of a pixel. */
    size_t most = (size_t)(glyph->width / columns + 2) * (size_t)glyph->height;
    if (!FLM_ARRAY_RESERVE(&atlas->coverage, most * (size_t)columns + 1))
        return false;
    struct letter *letter = want(&atlas->faces[weight], code_point);
    if (!letter)
        return false;
    letter->advance_px = glyph->advance_px;
    if (code_point < QUICK)
        atlas->faces[weight].quick_ems[code_point] = 0;
    letter->top = glyph->top;
    letter->height = glyph->height;
    letter->picture_count = (uint32_t)columns;
    for (int quarter = 0; quarter < columns; quarter++) {
        int left = floor_of(glyph->left + quarter, columns);
        int right = -floor_of(-(glyph->left + quarter + glyph->width), columns);
        int from = left * columns - glyph->left - quarter;
        letter->pictures[quarter].left = left;
        letter->pictures[quarter].width = right - left;
        letter->pictures[quarter].coverage = atlas->coverage.count;
        for (int y = 0; y < glyph->height; y++)
            for (int x = 0; x < right - left; x++)
                atlas->coverage.at[atlas->coverage.count++] =
                    column_of(glyph, y, from + x * columns, columns);
    }
    return true;
}

/* ---- Measuring and drawing ------------------------------------------------------------------- */

static uint32_t next_code(struct flm_bytes *text)
{
    unsigned char byte = (unsigned char)text->at[0];
    uint32_t code = byte;
    size_t size = 1;
    if (byte >= QUICK) {
        size = flm_utf8_sequence(*text, &code);
        if (size == 0) {
            size = 1;
            code = 0xFFFD;
        }
    }
    text->at += size;
    text->size -= size;
    return code;
}

double flm_atlas_advance(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight)
{
    const struct letter *letter = want(&atlas->faces[weight], code_point);
    return letter ? letter->advance_px : flm_letter_width(code_point) * atlas->size_px;
}

double flm_atlas_width(struct flm_atlas *atlas, struct flm_bytes text, enum flm_weight weight)
{
    double width = 0;
    while (text.size > 0)
        width += flm_atlas_advance(atlas, next_code(&text), weight);
    return width;
}

static double advance_in(void *context, uint32_t code)
{
    struct face *face = context;
    if (code < QUICK && face->quick_ems[code] > 0)
        return face->quick_ems[code];
    double ems = flm_atlas_advance(face->atlas, code, face->weight) / face->atlas->size_px;
    if (code < QUICK)
        face->quick_ems[code] = ems;
    return ems;
}

struct flm_font flm_atlas_font(struct flm_atlas *atlas, enum flm_weight weight)
{
    assert((unsigned)weight < FLM_WEIGHT_COUNT);
    return (struct flm_font){
        .size_px = atlas->size_px, .width = advance_in, .context = &atlas->faces[weight]};
}

double flm_atlas_draw(struct flm_atlas *atlas, struct flm_pixels *pixels, double x, int base_line,
                      struct flm_bytes text, enum flm_weight weight, uint32_t rgb)
{
    struct face *face = &atlas->faces[weight];
    while (text.size > 0) {
        uint32_t code = next_code(&text);
        const struct letter *letter = want(face, code);
        if (letter && letter->picture_count > 0) {
            int count = (int)letter->picture_count;
            int position = flm_pixel_edge(x * count), pixel = floor_of(position, count);
            int quarter = position - pixel * count;
            flm_pixels_ink(pixels, pixel + letter->pictures[quarter].left, base_line + letter->top,
                           atlas->coverage.at + letter->pictures[quarter].coverage,
                           letter->pictures[quarter].width, letter->height, rgb);
        }
        x += letter ? letter->advance_px : flm_letter_width(code) * atlas->size_px;
    }
    return x;
}

int flm_atlas_base_line(const struct flm_atlas *atlas, int top, int bottom)
{
    /* Capitals are 0.7 to 0.73 font sizes high in usual fonts. */
    return flm_pixel_edge((top + bottom) / 2.0 + 0.36 * atlas->size_px);
}
