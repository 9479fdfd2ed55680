/* marks.h - how a box is marked in addition to its color, which is never alone: a line at its foot
 * by the frame's kind, a texture by what happened to it between two profiles. The same in every
 * picture; the numbers are the classes m1, m2 ... of svg/light.css. */
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
    FLM_MARK_APPEARED, /* from here on textures: rising and falling lines */
    FLM_MARK_DISAPPEARED,
    FLM_MARK_COUNT
};

/* Of enum flm_kind. */
enum flm_mark flm_mark_of_kind(uint32_t kind);

/* "kernel", "appeared"; "" for none. */
const char *flm_mark_name(enum flm_mark mark);

/* The line at the foot: its parts in CSS pixels, drawn and left out in turn. All 0: unbroken. */
struct flm_dashes {
    double lengths[4];
};
struct flm_dashes flm_mark_dashes(enum flm_mark mark);

/* The line is so thick, drawn so strongly (of 255) in the color of the label, and boxes narrower
 * than that have none: CSS pixels. */
#define FLM_MARK_THICKNESS 1.5
enum { FLM_MARK_ALPHA = 140, FLM_MARK_LEAST_WIDTH = 4, FLM_HATCH_ALPHA = 90 };

/* Textures, so that color is never alone. */
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
