/* painted.h - a surface that remembers what was painted on it. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_PAINTED_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_PAINTED_H

#include "draw/document/surface.h"

struct painted {
    struct flm_text text;  /* every text, and a line break behind each; ends with a NUL */
    struct flm_text where; /* "x y text" likewise, rounded */
    uint32_t marks;        /* bit 1 << mark */
    uint32_t fills, first_fill, last_fill;
    double lowest, rightmost; /* of the texts */
    uint64_t unknown_letters; /* what the surface reports; FLM_NO_UNKNOWN: it never does */
};
#define FLM_NO_UNKNOWN UINT64_MAX

/* Letters are 0.6 times as wide as high. */
struct flm_surface painted_surface(struct painted *painted);
void painted_clear(struct painted *painted);

#endif
