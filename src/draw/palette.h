/* palette.h - the colours of frames.
 *
 * Ours: the hue is the module's (or, where only names are known, that of the package or namespace
 * that the name begins with), one of 12 of equal lightness, by a hash that is the same everywhere;
 * functions of one module differ in lightness. What belongs to a runtime is nearly grey. Each
 * colour has two forms, for light and for dark surroundings, and text on it that has a contrast of
 * at least 4.5 to 1 (tests/draw/palette_test.c computes it for all).
 *
 * flamegraph.pl's: each palette is a line or a plane in RGB; the place on it comes from the name.
 *
 * Comparisons: seven tones from blue (shrunk) over grey (the same) to orange (grown), which people
 * with any colour vision tell apart; what appeared and disappeared is hatched too. */
#ifndef FLAMEL_DRAW_PALETTE_H
#define FLAMEL_DRAW_PALETTE_H

#include "base/bytes.h"
#include "base/index.h"
#include "flamel/draw.h"

/* Which text stands on a tone. */
enum flm_ink {
    FLM_INK_DARK,  /* nearly black in both surroundings */
    FLM_INK_PAGE,  /* as on the page: dark on light, light on dark */
    FLM_INK_BLACK, /* for given colours: whichever has more contrast */
    FLM_INK_WHITE,
    FLM_INK_COUNT
};

struct flm_tone {
    uint32_t light, dark; /* 0xRRGGBB */
    enum flm_ink ink;
};

/* Black and white for given colours; our own inks and page are in svg.css too. */
enum {
    FLM_INK_DARK_ON_LIGHT = 0x1B1C1E,
    FLM_INK_DARK_ON_DARK = 0x0F1012,
    FLM_INK_PAGE_LIGHT = 0x1C1D1F,
    FLM_INK_PAGE_DARK = 0xECECEE
};

/* The boxes that are no function: the root and what a zoom has above it; neighbours too narrow to
 * be seen. */
extern const struct flm_tone flm_tone_ancestor, flm_tone_run;

/* How a stack changed, from all of it lost to all of it new. */
enum { FLM_CHANGE_TONES = 7, FLM_CHANGE_SAME = 3 };
extern const struct flm_tone flm_change_tones[FLM_CHANGE_TONES];

/* The index in flm_change_tones: by the change in relation to the larger of both values. Below
 * 0.5 % is the same; 10 % and 50 % are the further steps. */
int flm_change_tone(double before, double after);

/* A palette with the colours that were given: "name->rgb(1,2,3)", a line each. */
struct flm_palette {
    enum flm_colors colors;
    enum flm_shades shades;
    struct flm_bytes given; /* borrowed */
    struct flm_index index; /* of the lines of `given`, by name: where each begins */
};

/* False, and `why` with the line, where the given colours are malformed. */
bool flm_palette_init(struct flm_palette *palette, enum flm_colors colors, enum flm_shades shades,
                      struct flm_bytes given, struct flm_error *why);
void flm_palette_clear(struct flm_palette *palette);

/* `name` is the function's, without the mark of its kind; `module` may be empty. */
struct flm_tone flm_palette_tone(const struct flm_palette *palette, struct flm_bytes name,
                                 struct flm_bytes module, uint32_t kind);

/* Whether the colour of a name is a given one. */
bool flm_palette_has(const struct flm_palette *palette, struct flm_bytes name, uint32_t kind);

/* The given line that begins at byte `at`: its name, "" for an empty line, and its colour. Returns
 * where the next line begins. */
size_t flm_palette_line(const struct flm_palette *palette, size_t at, struct flm_bytes *name,
                        uint32_t *color);

/* flamegraph.pl's colour of a name, which has the mark of its kind ("_[k]"): palette_classic.c. */
uint32_t flm_palette_classic(enum flm_colors colors, enum flm_shades shades, struct flm_bytes name);

/* "rgb(1,2,3)" or "#rrggbb"; false for anything else. */
bool flm_color_parse(struct flm_bytes text, uint32_t *color);

/* Black or white on a given colour. */
enum flm_ink flm_ink_on(uint32_t color);

#endif
