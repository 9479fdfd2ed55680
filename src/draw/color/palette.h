/* palette.h - the colors of frames.
 *
 * By module, the default: the hue is that of the module (or, where only names are known, of the
 * package or namespace that the name begins with), one of 12 of equal lightness, chosen by a hash
 * that is the same on all machines; functions of one module differ in lightness. Runtimes are
 * nearly gray. Each color has a form for light and one for dark themes, and an ink for text on it
 * with a contrast of at least 4.5 to 1 (tests/draw/color/palette_test.c computes it for all).
 *
 * flamegraph.pl's palettes: each is a line or a plane in RGB, and the position on it comes from the
 * name.
 *
 * The colors of comparisons are in change_colors.h. */
#ifndef FLAMEL_DRAW_COLOR_PALETTE_H
#define FLAMEL_DRAW_COLOR_PALETTE_H

#include "base/core/bytes.h"
#include "base/core/index.h"
#include "flamel/draw.h"

/* The color of text on a tone. */
enum flm_ink {
    FLM_INK_DARK,  /* nearly black in both themes */
    FLM_INK_PAGE,  /* the page's: dark on light, light on dark */
    FLM_INK_BLACK, /* for given colors: the one with more contrast */
    FLM_INK_WHITE,
    FLM_INK_COUNT
};

struct flm_tone {
    uint32_t light, dark; /* 0xRRGGBB */
    enum flm_ink ink;
};

/* Black and white are for given colors; the other inks and the page color are in svg/light.css
 * too. */
enum {
    FLM_INK_DARK_ON_LIGHT = 0x1B1C1E,
    FLM_INK_DARK_ON_DARK = 0x0F1012,
    FLM_INK_PAGE_LIGHT = 0x1C1D1F,
    FLM_INK_PAGE_DARK = 0xECECEE
};

/* Tones of boxes that are no function: the ancestors of the zoomed frame with the root, and merged
 * frames. */
extern const struct flm_tone flm_tone_ancestor, flm_tone_merged;

/* A palette with given colors: lines "name->rgb(1,2,3)". */
struct flm_palette {
    enum flm_colors colors;
    enum flm_shades shades;
    struct flm_bytes given; /* borrowed */
    struct flm_index index; /* offsets of the lines of `given`, by name */
};

/* False, and `why` with the line, where the given colors are malformed. */
bool flm_palette_init(struct flm_palette *palette, enum flm_colors colors, enum flm_shades shades,
                      struct flm_bytes given, struct flm_error *why);
void flm_palette_clear(struct flm_palette *palette);

/* `name` is the function's, without the suffix of its kind; `module` is what its hue is from
 * (frame_group.h), and may be empty. */
struct flm_tone flm_palette_tone(const struct flm_palette *palette, struct flm_bytes name,
                                 struct flm_bytes module, uint32_t kind);

/* The tones by number: the hues, each in several steps of lightness, and the grays of runtimes.
 * Numbers that are too large wrap around. */
enum { FLM_HUES = 12, FLM_HUE_STEPS = 3 };
struct flm_tone flm_hue_tone(uint64_t hue, uint64_t step);
struct flm_tone flm_gray_tone(uint64_t step);

/* The hue of a module or package, FLM_HUES for the gray of runtimes; the tone of one of its
 * functions; and the tone of the module as a whole. */
uint32_t flm_package_hue(struct flm_bytes package);
struct flm_tone flm_function_tone(uint32_t hue, struct flm_bytes name);
struct flm_tone flm_package_tone(struct flm_bytes package);

/* Shares as seven tones of one hue, from next to nothing to nearly all. Small shares are close to
 * the color of the page, light or dark, so that they do not draw attention. The step of part /
 * whole: 0 below 0.1 %, then from 0.1, 0.3, 1, 3, 10 and 30 % on. */
enum { FLM_SHARE_STEPS = 7 };
extern const struct flm_tone flm_share_tones[FLM_SHARE_STEPS];
int flm_share_step(double part, double whole);

/* Whether a color is given for the name. */
bool flm_palette_has(const struct flm_palette *palette, struct flm_bytes name, uint32_t kind);

/* Reads the line "NAME->COLOR" of a text at *at, which moves to the next line. A name may contain
 * "->", a color cannot. An empty line has an empty name. False for any other line. */
bool flm_color_line(struct flm_bytes text, size_t *at, struct flm_bytes *name, uint32_t *color);

/* Reads the given line at byte `at`: its name, "" for an empty line, and its color. Returns the
 * offset of the next line. */
size_t flm_palette_line(const struct flm_palette *palette, size_t at, struct flm_bytes *name,
                        uint32_t *color);

/* flamegraph.pl's color of a name, which has the suffix of its kind ("_[k]"): in
 * palette_flamegraph.c. */
uint32_t flm_palette_classic(enum flm_colors colors, enum flm_shades shades, struct flm_bytes name);

/* "rgb(1,2,3)" or "#rrggbb"; false for anything else. */
bool flm_color_parse(struct flm_bytes text, uint32_t *color);

/* The relative luminance of an sRGB color (WCAG 2), from which contrast is computed: 0 to 1, within
 * 0.002. */
double flm_luminance(uint32_t color);

/* Black or white on a given color. */
enum flm_ink flm_ink_on(uint32_t color);

#endif
