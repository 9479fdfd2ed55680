/* color_mode.h - the color modes, that is, what the colors of frames stand for, and the legend that
 * explains the colors.
 *
 *     module    hue by library or package, lightness by function (palette.h); a program of one
 *               module has several hues (frame_group.h)
 *     kind      native code, kernel, inlined, compiled at run time, interpreted, GPU ...; runtimes
 *     function  hue and lightness by name
 *     file      hue by source file
 *     self      the frame's self value as a share of the total: seven steps
 *     total     the frame's total as a share of the total: likewise
 *     metric    the frame's total of a second metric, likewise
 *     rules     the user's own: lines "PATTERN->#rrggbb", the first that matches counts
 *
 * Tones of the first four and of rules belong to frames: found once, a few hundred ns per frame.
 * Those of self, total and metric belong to nodes: flm_share_step of the node's value.
 *
 * A hue follows from the name of its group and from nothing else, so that a module has one color in
 * the page, the terminal and every picture, in all profiles, and in a live view. Two large modules
 * may have hues that are hardly different then. To move the hue of the smaller one was tried: by
 * cost, it is another hue in the next profile of the same program; by the set of modules, each that
 * is seen once or not moves others (bench/RESULTS.md).
 *
 * Color is never the only sign: kinds have a line in every mode (marks.h), and by kind, runtime
 * code has a texture. */
#ifndef FLAMEL_DRAW_COLOR_COLOR_MODE_H
#define FLAMEL_DRAW_COLOR_COLOR_MODE_H

#include "base/core/array.h"
#include "draw/color/frame_group.h"
#include "draw/color/marks.h"
#include "draw/color/palette.h"
#include "layout/tree.h"

enum flm_color_mode {
    FLM_COLOR_MODULE,
    FLM_COLOR_KIND,
    FLM_COLOR_FUNCTION,
    FLM_COLOR_FILE,
    FLM_COLOR_SELF,
    FLM_COLOR_TOTAL,
    FLM_COLOR_METRIC,
    FLM_COLOR_RULES,
    FLM_COLOR_MODE_COUNT
};

/* "module" and "Module or package". */
const char *flm_color_mode_name(enum flm_color_mode mode);
const char *flm_color_mode_title(enum flm_color_mode mode);

/* The mode with that name; FLM_COLOR_MODE_COUNT: there is none. */
enum flm_color_mode flm_color_mode_named(struct flm_bytes name);

/* Whether tones belong to nodes and stand for a share. */
static inline bool flm_color_mode_is_share(enum flm_color_mode mode)
{
    return mode == FLM_COLOR_SELF || mode == FLM_COLOR_TOTAL || mode == FLM_COLOR_METRIC;
}

/* Frames that share a property, and so a color. */
struct flm_color_group {
    struct flm_bytes title; /* as in the profile: not yet plain (text/visible.h) */
    struct flm_tone tone;
    enum flm_mark mark;
    enum flm_texture texture;
    uint32_t hue; /* of a module: palette.h */
};

struct flm_coloring {
    enum flm_color_mode mode;
    struct flm_tone *tones; /* by frame; NULL in modes of shares */
    uint32_t *group_of;     /* likewise: index in groups */
    struct FLM_ARRAY(struct flm_color_group) groups;
    enum flm_group_split split; /* by module: what the main module is split by */
};

/* `opened` is what operations made the profile from, or the profile itself: what stays keeps its
 * color. Borrows both and the rules, for the groups' titles. False, and `why` with the line, for
 * malformed rules; or if memory ran out. */
bool flm_coloring_init(struct flm_coloring *coloring, const struct flm_profile *profile,
                       const struct flm_profile *opened, enum flm_color_mode mode,
                       struct flm_bytes rules, struct flm_error *why);
void flm_coloring_clear(struct flm_coloring *coloring);

/* The texture of the frame's group; FLM_TEXTURE_NONE where it has none. */
enum flm_texture flm_coloring_texture(const struct flm_coloring *coloring, uint32_t frame);

/* The colors in a picture, the one with the largest area first; their self values add up to the
 * total. Groups of one color are one item, since the color does not tell them apart; it is named
 * after the group with the largest area. In modes of shares: the steps from little to much, without
 * totals. */
struct flm_legend_item {
    struct flm_bytes title;  /* static, or the group's */
    struct flm_bytes second; /* of the group with the second largest area; empty if that is small */
    struct flm_tone tone;
    enum flm_mark mark;
    enum flm_texture texture;
    uint32_t group; /* the one of `title`; FLM_NONE: a step, or "others" */
    uint32_t count; /* how many groups */
    double total;   /* in the unit of the tree; 0 for a step */
};

/* The remaining colors are "others". */
enum { FLM_LEGEND_COLORS = 12 };
struct flm_legend {
    struct flm_legend_item items[FLM_LEGEND_COLORS + 1];
    size_t count;
    double total; /* of all colors */
};
bool flm_legend_init(struct flm_legend *legend, const struct flm_coloring *coloring,
                     const struct flm_tree *tree, struct flm_error *why);

#endif
