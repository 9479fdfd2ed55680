#include "draw/color/change_colors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/profile/colors.h"

static const struct flm_tone *tone_of(int palette, int step)
{
    return flm_change_tone((enum flm_change_palette)palette, step);
}

static void text_can_be_read_on_every_tone(void **state)
{
    (void)state;
    for (int palette = 0; palette < FLM_CHANGE_PALETTES; palette++)
        for (int step = 0; step < FLM_CHANGE_TONES; step++) {
            const struct flm_tone *tone = tone_of(palette, step);
            assert_int_equal(tone->ink, FLM_INK_DARK);
            assert_true(color_contrast(tone->light, FLM_INK_DARK_ON_LIGHT) >= 4.5);
            assert_true(color_contrast(tone->dark, FLM_INK_DARK_ON_DARK) >= 4.5);
        }
}

/* The distance that has to be between two tones: a step of the lightest ones is about 0.05. */
static void tones_of_the_default_differ_in_every_vision(void **state)
{
    (void)state;
    for (int vision = 0; vision < COLOR_VISIONS; vision++)
        for (int step = 1; step <= FLM_CHANGE_SAME; step++) {
            const struct flm_tone *shrunk = tone_of(FLM_CHANGE_RED_BLUE, FLM_CHANGE_SAME - step);
            const struct flm_tone *grown = tone_of(FLM_CHANGE_RED_BLUE, FLM_CHANGE_SAME + step);
            const struct flm_tone *same = tone_of(FLM_CHANGE_RED_BLUE, FLM_CHANGE_SAME);
            assert_true(color_distance(shrunk->light, grown->light, vision) > 0.05 * step);
            assert_true(color_distance(shrunk->dark, grown->dark, vision) > 0.05 * step);
            assert_true(color_distance(same->light, grown->light, vision) > 0.02 * step);
            assert_true(color_distance(same->dark, grown->dark, vision) > 0.02 * step);
            assert_true(color_distance(same->light, shrunk->light, vision) > 0.02 * step);
            assert_true(color_distance(same->dark, shrunk->dark, vision) > 0.02 * step);
        }
}

/* Therefore it is not the default; hatches and texts say the same there. */
static void green_and_red_are_close_without_red_vision(void **state)
{
    (void)state;
    double worst = 1, best = 0;
    for (int vision = 0; vision < COLOR_VISIONS; vision++) {
        double distance = color_distance(tone_of(FLM_CHANGE_GREEN_RED, 0)->light,
                                         tone_of(FLM_CHANGE_GREEN_RED, 6)->light, vision);
        double safe = color_distance(tone_of(FLM_CHANGE_RED_BLUE, 0)->light,
                                     tone_of(FLM_CHANGE_RED_BLUE, 6)->light, vision);
        worst = fmin(worst, distance / safe);
        best = fmax(best, distance / safe);
    }
    assert_true(worst < 0.5 && best > 0.8);
}

static int step_of(const struct flm_change_colors *colors, double before, double after)
{
    struct flm_change change = {before, after,
                                before == after  ? FLM_CHANGE_NONE
                                : before < after ? FLM_CHANGE_GROWN
                                                 : FLM_CHANGE_SHRUNK,
                                false, after - before};
    return flm_change_step(colors, &change, 10000);
}

static void a_change_is_measured_by_the_larger_value(void **state)
{
    (void)state;
    static const struct flm_change_colors colors = {.absolute = false};
    static const struct {
        double before, after;
        int step;
    } cases[] = {{0, 0, 0}, {1000, 1004, 0}, {1000, 1010, 1}, {100, 120, 2},
                 {0, 1, 3}, {100, 95, -1},   {100, 60, -2},   {100, 0, -3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(step_of(&colors, cases[i].before, cases[i].after),
                         FLM_CHANGE_SAME + cases[i].step);
}

static void an_absolute_change_is_measured_by_the_total(void **state)
{
    (void)state;
    static const struct flm_change_colors colors = {.absolute = true};
    static const struct {
        double before, after;
        int step;
    } cases[] = {{0, 4, 0},       {0, 5, 1},        {1000, 1049, 1},
                 {1000, 1050, 2}, {9000, 8500, -3}, {100, 0, -2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(step_of(&colors, cases[i].before, cases[i].after),
                         FLM_CHANGE_SAME + cases[i].step);
}

static void negated_tones_are_mirrored(void **state)
{
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        struct flm_change_colors plain = {.absolute = absolute};
        struct flm_change_colors negated = {.absolute = absolute, .negate = true};
        for (double after = 0; after < 2000; after += 7)
            assert_int_equal(step_of(&plain, 900, after) + step_of(&negated, 900, after),
                             2 * FLM_CHANGE_SAME);
    }
}

static void noise_is_gray(void **state)
{
    (void)state;
    static const struct flm_change_colors colors = {.absolute = false};
    struct flm_change change = {0, 1, FLM_CHANGE_APPEARED, true, 1};
    assert_int_equal(flm_change_step(&colors, &change, 10), FLM_CHANGE_SAME);
    change.noise = false;
    assert_int_equal(flm_change_step(&colors, &change, 10), FLM_CHANGE_TONES - 1);
}

static void the_tone_is_that_of_the_significant_part(void **state)
{
    (void)state;
    static const struct flm_change_colors colors = {.absolute = false};
    struct flm_change change = {1000, 1600, FLM_CHANGE_GROWN, false, 40};
    assert_int_equal(flm_change_step(&colors, &change, 10000), FLM_CHANGE_SAME + 1);
    change.significant = -40; /* the rest is noise, and may be larger */
    assert_int_equal(flm_change_step(&colors, &change, 10000), FLM_CHANGE_SAME - 1);
    change.significant = 0;
    assert_int_equal(flm_change_step(&colors, &change, 10000), FLM_CHANGE_SAME);
}

static void the_whole_is_the_larger_total_once_scaled(void **state)
{
    (void)state;
    struct flm_comparison c = {.how = {.scale = 3}, .before_total = 10, .after_total = 20};
    assert_true(flm_change_whole(&c) == 30);
    c.how.scale = 1;
    assert_true(flm_change_whole(&c) == 20);
}

static void palettes_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < FLM_CHANGE_PALETTES; i++) {
        enum flm_change_palette palette = FLM_CHANGE_PALETTES;
        const char *name = flm_change_palette_name((enum flm_change_palette)i);
        assert_true(flm_change_palette_named(flm_bytes_of(name), &palette));
        assert_int_equal(palette, i);
        assert_false(flm_change_palette_named(flm_bytes_of("red"), &palette));
    }
}

static void textures_tell_grown_from_shrunk(void **state)
{
    (void)state;
    for (int step = 0; step < FLM_CHANGE_TONES; step++)
        assert_int_equal(flm_change_texture(step), step < FLM_CHANGE_SAME    ? FLM_TEXTURE_LINES
                                                   : step == FLM_CHANGE_SAME ? FLM_TEXTURE_NONE
                                                                             : FLM_TEXTURE_DOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textures_tell_grown_from_shrunk),
        cmocka_unit_test(text_can_be_read_on_every_tone),
        cmocka_unit_test(tones_of_the_default_differ_in_every_vision),
        cmocka_unit_test(green_and_red_are_close_without_red_vision),
        cmocka_unit_test(a_change_is_measured_by_the_larger_value),
        cmocka_unit_test(an_absolute_change_is_measured_by_the_total),
        cmocka_unit_test(negated_tones_are_mirrored),
        cmocka_unit_test(noise_is_gray),
        cmocka_unit_test(the_tone_is_that_of_the_significant_part),
        cmocka_unit_test(the_whole_is_the_larger_total_once_scaled),
        cmocka_unit_test(palettes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
