/* change_colors.h - the colors of a comparison.
 *
 * Seven tones, from all of it lost over gray, the same, to all of it new. Blue and orange are told
 * apart with any color vision (palette_test.c simulates the three deficiencies); green and red are
 * what many are used to. What appeared and what disappeared is hatched too, in opposite directions,
 * so that color is never alone. What cannot be told from noise is gray, and is not hatched.
 *
 *     step   relative: of the larger of both values   absolute: of the larger of both totals
 *     1      0.5 %                                    0.05 %
 *     2      10 %                                     0.5 %
 *     3      50 %                                     5 % */
#ifndef FLAMEL_DRAW_COLOR_CHANGE_COLORS_H
#define FLAMEL_DRAW_COLOR_CHANGE_COLORS_H

#include "algebra/compare/comparison.h"
#include "draw/color/marks.h"
#include "draw/color/palette.h"

enum { FLM_CHANGE_TONES = 7, FLM_CHANGE_SAME = 3 };

struct flm_change_colors {
    enum flm_change_palette palette;
    enum flm_change_scope scope; /* whose change it is */
    bool absolute;
    bool negate; /* the tones of grown and shrunk swapped */
};

/* A tone of a palette by its step, 0 to FLM_CHANGE_TONES - 1. */
const struct flm_tone *flm_change_tone(enum flm_change_palette palette, int step);

/* The step of a change, or of the part of it that was significant. `whole` is the larger of both
 * totals, which ABSOLUTE is measured by. */
int flm_change_step(const struct flm_change_colors *colors, const struct flm_change *change,
                    double whole);

/* What tells the steps apart where there are no colors (a theme that forces its own): dots for
 * what has grown, lines for what has shrunk. */
enum flm_texture flm_change_texture(int step);

/* The larger of both totals of a comparison. */
double flm_change_whole(const struct flm_comparison *comparison);

/* "red-blue", "green-red". False for another name. */
bool flm_change_palette_named(struct flm_bytes name, enum flm_change_palette *palette);
const char *flm_change_palette_name(enum flm_change_palette palette);

#endif
