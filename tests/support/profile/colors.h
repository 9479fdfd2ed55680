/* color/color_mode.h - colors computed as the standards do: contrast, and how far apart people see
 * them, with any color vision. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_COLORS_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_COLORS_H

#include <stdint.h>

struct lab {
    double l, a, b;
};

/* Of WCAG 2: from 1 to 21. Colors are 0xRRGGBB. */
double color_contrast(uint32_t a, uint32_t b);

/* 0: without deficiency; 1 protanopia, 2 deuteranopia, 3 tritanopia. */
enum { COLOR_VISIONS = 4 };
struct lab color_seen(uint32_t color, int vision);
double color_distance(uint32_t a, uint32_t b, int vision);

#endif
