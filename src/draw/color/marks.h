/* marks.h - marks of a box in addition to its color, which is never the only sign: a line at its
 * foot for the frame's kind, a texture for its change between two profiles. They are the same in
 * every picture; the numbers are the classes m1, m2 ... of svg/light.css. */
#ifndef FLAMEL_DRAW_COLOR_MARKS_H
#define FLAMEL_DRAW_COLOR_MARKS_H

#include <stdint.h>

enum flm_mark {
    FLM_MARK_NONE,
    FLM_MARK_KERNEL,
    FLM_MARK_INLINED,
    FLM_MARK_JIT,
    FLM_MARK_INTERPRETED,
    FLM_MARK_GPU,
    FLM_MARK_WAKER,
    FLM_MARK_APPEARED, /* these and the following are textures: rising and falling lines */
    FLM_MARK_DISAPPEARED,
    FLM_MARK_COUNT
};

/* The mark of an enum flm_kind. */
enum flm_mark flm_mark_of_kind(uint32_t kind);

/* "kernel", "appeared"; "" for none. */
const char *flm_mark_name(enum flm_mark mark);

/* The line at the foot: lengths of its dashes and gaps in turn, in CSS pixels. All 0: unbroken. */
struct flm_dashes {
    double lengths[4];
};
struct flm_dashes flm_mark_dashes(enum flm_mark mark);

/* Thickness of the line, its opacity (of 255) in the color of the label, and the width below which
 * boxes have none; lengths in CSS pixels. */
#define FLM_MARK_THICKNESS 1.5
enum { FLM_MARK_ALPHA = 140, FLM_MARK_LEAST_WIDTH = 4, FLM_HATCH_ALPHA = 90 };

/* Textures, so that color is never the only sign. */
enum flm_texture {
    FLM_TEXTURE_NONE,
    FLM_TEXTURE_RISING,  /* lines like / : appeared */
    FLM_TEXTURE_FALLING, /* lines like \ : disappeared */
    FLM_TEXTURE_DOTS,
    FLM_TEXTURE_LINES, /* horizontal */
    FLM_TEXTURE_GRID,
    FLM_TEXTURE_COUNT
};

#endif
