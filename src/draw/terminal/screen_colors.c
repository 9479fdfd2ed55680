/* screen_colors.c - colors for terminals that do not have all of them. */
#include "draw/terminal/screen.h"

static int part(uint32_t rgb, int index)
{
    return (int)(rgb >> (16 - 8 * index) & 0xFF);
}

/* The colors 16 to 231 are a cube of these; 232 to 255 are grays, 8 18 28 ... 238. The first 16
 * are configured by the terminal's user, so they are not used here. */
static const int steps[] = {0, 95, 135, 175, 215, 255};
enum { STEPS = 6, CUBE = 16, GRAYS = 232, GRAY_COUNT = 24 };

static int nearest_step(int value)
{
    int best = 0;
    for (int i = 1; i < STEPS; i++) {
        int better = value - steps[i], good = value - steps[best];
        if (better * better < good * good)
            best = i;
    }
    return best;
}

static int distance(uint32_t rgb, int red, int green, int blue)
{
    int r = part(rgb, 0) - red, g = part(rgb, 1) - green, b = part(rgb, 2) - blue;
    return 2 * r * r + 4 * g * g + 3 * b * b; /* about the eye's sensitivity */
}

static uint32_t in_256(uint32_t rgb)
{
    int red = nearest_step(part(rgb, 0)), green = nearest_step(part(rgb, 1)),
        blue = nearest_step(part(rgb, 2));
    int mean = (part(rgb, 0) + part(rgb, 1) + part(rgb, 2)) / 3;
    int gray = mean < 8 ? 0 : (mean - 3) / 10;
    gray = gray < GRAY_COUNT ? gray : GRAY_COUNT - 1;
    int level = 8 + 10 * gray;
    if (distance(rgb, level, level, level) < distance(rgb, steps[red], steps[green], steps[blue]))
        return (uint32_t)(GRAYS + gray);
    return (uint32_t)(CUBE + 36 * red + 6 * green + blue);
}

/* Bits red 1, green 2, blue 4, set for parts in the upper half of the range between the least and
 * the greatest; 8 is the bright color of the pair. */
static uint32_t in_16(uint32_t rgb)
{
    enum { BRIGHT = 8, COLORFUL = 28 };
    int least = 255, most = 0;
    for (int i = 0; i < 3; i++) {
        least = part(rgb, i) < least ? part(rgb, i) : least;
        most = part(rgb, i) > most ? part(rgb, i) : most;
    }
    if (most - least < COLORFUL) {
        int mean = (least + most) / 2;
        return mean < 48 ? 0 : mean < 144 ? 8 : mean < 224 ? 7 : 15;
    }
    uint32_t color = most > 160 ? BRIGHT : 0;
    for (int i = 0; i < 3; i++)
        if (2 * (part(rgb, i) - least) > most - least)
            color |= 1u << i;
    return color;
}

uint32_t flm_color_at(uint32_t rgb, enum flm_color_depth depth)
{
    if (rgb == FLM_COLOR_DEFAULT || depth == FLM_DEPTH_TRUE)
        return rgb;
    return depth == FLM_DEPTH_256 ? in_256(rgb) : depth == FLM_DEPTH_16 ? in_16(rgb) : 0;
}
