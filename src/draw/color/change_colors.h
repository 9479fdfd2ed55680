/* change_colors.h - the colors of a comparison.
 *
 * Seven tones, from "all of it was lost" over gray, "unchanged", to "all of it is new". Blue and
 * orange can be distinguished with any color vision (palette_test.c simulates the three
 * deficiencies); green and red are familiar to many. Frames that appeared or disappeared are
 * hatched as well, in opposite directions, so that color is never the only sign. Changes that are
 * not significant are gray, and not hatched.
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
    enum flm_change_scope scope; /* the change of the subtree or of the frame alone */
    bool absolute;
    bool negate; /* swaps the tones of grown and shrunk */
};

/* A tone of a palette by its step, 0 to FLM_CHANGE_TONES - 1. */
const struct flm_tone *flm_change_tone(enum flm_change_palette palette, int step);

/* The step of a change, or of its significant part. `whole` is the larger of both totals, which
 * ABSOLUTE relates the change to. */
int flm_change_step(const struct flm_change_colors *colors, const struct flm_change *change,
                    double whole);

/* The texture that replaces colors where a theme forces its own: dots for growth, lines for
 * shrinking. */
enum flm_texture flm_change_texture(int step);

/* The larger of both totals of a comparison. */
double flm_change_whole(const struct flm_comparison *comparison);

/* "red-blue", "green-red". False for another name. */
bool flm_change_palette_named(struct flm_bytes name, enum flm_change_palette *palette);
const char *flm_change_palette_name(enum flm_change_palette palette);

#endif
