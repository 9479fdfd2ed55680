#include "draw/color/change_colors.h"

#include <assert.h>

/* oklch(0.72 0.14 h), (0.80 0.09 h), (0.88 0.045 h); in the dark (0.66 0.15 h), (0.64 0.10 h),
 * (0.62 0.05 h). h is 245 and 48, 150 and 25; gray is oklch(0.89 0.004 270). */
static const struct flm_tone tones[FLM_CHANGE_PALETTES][FLM_CHANGE_TONES] = {
    [FLM_CHANGE_RED_BLUE] = {{0x4dacf6, 0x2b99e7, FLM_INK_DARK},
                             {0x8cc4f4, 0x5492c5, FLM_INK_DARK},
                             {0xc0dbf4, 0x6d8aa3, FLM_INK_DARK},
                             {0xd9dbdd, 0x808183, FLM_INK_DARK},
                             {0xf2cfbe, 0xa07e6c, FLM_INK_DARK},
                             {0xeeac8b, 0xbe7955, FLM_INK_DARK},
                             {0xea8751, 0xda7134, FLM_INK_DARK}},
    [FLM_CHANGE_GREEN_RED] = {{0x5bbd74, 0x40ad60, FLM_INK_DARK},
                              {0x94cf9f, 0x5d9d6b, FLM_INK_DARK},
                              {0xc3e0c8, 0x718f76, FLM_INK_DARK},
                              {0xd9dbdd, 0x808183, FLM_INK_DARK},
                              {0xf4cdc9, 0xa27b77, FLM_INK_DARK},
                              {0xf2a7a1, 0xc2736d, FLM_INK_DARK},
                              {0xf07f77, 0xe16a63, FLM_INK_DARK}}};

const struct flm_tone *flm_change_tone(enum flm_change_palette palette, int step)
{
    assert(step >= 0 && step < FLM_CHANGE_TONES);
    return &tones[palette][step];
}

int flm_change_step(const struct flm_change_colors *colors, const struct flm_change *change,
                    double whole)
{
    static const double relative[] = {0.005, 0.1, 0.5}, absolute[] = {0.0005, 0.005, 0.05};
    if (change->noise || change->significant == 0)
        return FLM_CHANGE_SAME;
    const double *steps = colors->absolute ? absolute : relative;
    double difference = change->significant;
    double larger = change->after > change->before ? change->after : change->before;
    double of = colors->absolute ? whole : larger;
    double size = of > 0 ? (difference < 0 ? -difference : difference) / of : 1;
    int step = (size >= steps[0]) + (size >= steps[1]) + (size >= steps[2]);
    return FLM_CHANGE_SAME + ((difference < 0) != colors->negate ? -step : step);
}

enum flm_texture flm_change_texture(int step)
{
    return step > FLM_CHANGE_SAME   ? FLM_TEXTURE_DOTS
           : step < FLM_CHANGE_SAME ? FLM_TEXTURE_LINES
                                    : FLM_TEXTURE_NONE;
}

double flm_change_whole(const struct flm_comparison *c)
{
    double before = c->before_total * c->how.scale;
    return before > c->after_total ? before : c->after_total;
}

static const char *const names[FLM_CHANGE_PALETTES] = {
    [FLM_CHANGE_RED_BLUE] = "red-blue", [FLM_CHANGE_GREEN_RED] = "green-red"};

bool flm_change_palette_named(struct flm_bytes name, enum flm_change_palette *palette)
{
    for (int i = 0; i < FLM_CHANGE_PALETTES; i++)
        if (flm_bytes_are(name, names[i])) {
            *palette = (enum flm_change_palette)i;
            return true;
        }
    return false;
}

const char *flm_change_palette_name(enum flm_change_palette palette)
{
    return names[palette];
}
