#include "support/profile/colors.h"

#include <math.h>

static double linear(unsigned byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t color)
{
    return 0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8 & 255) +
           0.0722 * linear(color & 255);
}

/* WCAG 2: from 1 to 21. */
double color_contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* Oklab (B. Ottosson 2020) of linear sRGB. */
static struct lab oklab(const double rgb[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    return (struct lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* As seen without deficiency, and with protanopia, deuteranopia, tritanopia: Machado, Oliveira and
 * Fernandes 2009, severity 1. */
static const double visions[4][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

struct lab color_seen(uint32_t color, int vision)
{
    const double rgb[3] = {linear(color >> 16), linear(color >> 8 & 255), linear(color & 255)};
    const double *m = visions[vision];
    double out[3];
    for (int i = 0; i < 3; i++)
        out[i] = fmax(0, m[3 * i] * rgb[0] + m[3 * i + 1] * rgb[1] + m[3 * i + 2] * rgb[2]);
    return oklab(out);
}

double color_distance(uint32_t a, uint32_t b, int vision)
{
    struct lab x = color_seen(a, vision), y = color_seen(b, vision);
    return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}
