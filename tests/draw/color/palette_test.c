#include "draw/color/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/colors.h"

static struct lab lab_of(uint32_t color)
{
    return color_seen(color, 0);
}

/* ---- Ours ------------------------------------------------------------------------------------ */

static struct flm_tone tone_of(enum flm_colors colors, enum flm_shades shades, const char *name,
                               const char *module, uint32_t kind)
{
    struct flm_palette palette;
    assert_true(flm_palette_init(&palette, colors, shades, (struct flm_bytes){"", 0}, NULL));
    struct flm_tone tone =
        flm_palette_tone(&palette, flm_bytes_of(name), flm_bytes_of(module), kind);
    flm_palette_clear(&palette);
    return tone;
}

static struct flm_tone module_tone(const char *name, const char *module)
{
    return tone_of(FLM_COLORS_MODULE, FLM_SHADES_NAME, name, module, FLM_KIND_PLAIN);
}

static void assert_readable(struct flm_tone tone, const char *what)
{
    static const uint32_t on_light[] = {FLM_INK_DARK_ON_LIGHT, FLM_INK_PAGE_LIGHT, 0x000000,
                                        0xFFFFFF};
    static const uint32_t on_dark[] = {FLM_INK_DARK_ON_DARK, FLM_INK_PAGE_DARK, 0x000000, 0xFFFFFF};
    double light = color_contrast(tone.light, on_light[tone.ink]);
    double dark = color_contrast(tone.dark, on_dark[tone.ink]);
    if (light < 4.5 || dark < 4.5)
        fail_msg("%s: #%06x has %.2f, #%06x has %.2f", what, (unsigned)tone.light, light,
                 (unsigned)tone.dark, dark);
}

/* 40,000 names reach every tone of ours, and every shade of each palette. */
static void text_can_be_read_on_every_tone(void **state)
{
    (void)state;
    for (int colors = 0; colors < FLM_COLORS_COUNT; colors++)
        for (int shades = 0; shades < 3; shades++)
            for (int i = 0; i < 900; i++) {
                static const char *const forms[] = {"f%d",    "a%d::b", "java/x%d",
                                                    "Perl%d", "a%d:b",  "libc.so%d"};
                char name[40];
                sprintf(name, forms[i % 6], i * 7919);
                assert_readable(tone_of((enum flm_colors)colors, (enum flm_shades)shades, name, "",
                                        (uint32_t)i % FLM_KIND_COUNT),
                                name);
            }
    assert_readable(flm_tone_ancestor, "ancestors");
    assert_readable(flm_tone_merged, "runs");
    for (int i = 0; i < FLM_SHARE_STEPS; i++)
        assert_readable(flm_share_tones[i], "shares");
    for (uint32_t i = 0; i < FLM_HUES * FLM_HUE_STEPS; i++)
        assert_readable(flm_hue_tone(i / FLM_HUE_STEPS, i), "hues");
}

static void all_hues_are_equally_light(void **state)
{
    (void)state;
    double light[2] = {1, 0}, dark[2] = {1, 0};
    for (int i = 0; i < 2000; i++) {
        char module[20];
        sprintf(module, "module%d", i);
        struct flm_tone tone = module_tone("f", module);
        double l = lab_of(tone.light).l, d = lab_of(tone.dark).l;
        light[0] = fmin(light[0], l), light[1] = fmax(light[1], l);
        dark[0] = fmin(dark[0], d), dark[1] = fmax(dark[1], d);
    }
    assert_true(light[1] - light[0] < 0.01);
    assert_true(dark[1] - dark[0] < 0.01);
}

static void functions_of_a_module_have_its_hue(void **state)
{
    (void)state;
    struct lab first = lab_of(module_tone("parse", "app").light);
    for (int i = 0; i < 100; i++) {
        char name[20];
        sprintf(name, "f%d", i);
        struct lab other = lab_of(module_tone(name, "app").light);
        double turn = atan2(first.b, first.a) - atan2(other.b, other.a);
        assert_true(fabs(sin(turn / 2)) < 0.05);
    }
    assert_int_equal(module_tone("app::parse", "").light, module_tone("app::parse", "").light);
}

static void runtimes_are_nearly_gray(void **state)
{
    (void)state;
    struct lab gray = lab_of(module_tone("malloc", "/usr/lib/libc.so.6").light);
    struct lab hue = lab_of(module_tone("parse", "app").light);
    assert_true(hypot(gray.a, gray.b) < 0.02);
    assert_true(hypot(hue.a, hue.b) > 0.05);
}

static void shares_go_from_quiet_to_loud_in_every_vision(void **state)
{
    (void)state;
    for (int vision = 0; vision < COLOR_VISIONS; vision++)
        for (int i = 1; i < FLM_SHARE_STEPS; i++) {
            struct lab light = color_seen(flm_share_tones[i].light, vision);
            struct lab dark = color_seen(flm_share_tones[i].dark, vision);
            assert_true(color_seen(flm_share_tones[i - 1].light, vision).l - light.l > 0.025);
            assert_true(dark.l - color_seen(flm_share_tones[i - 1].dark, vision).l > 0.025);
        }
    assert_int_equal(flm_share_step(0, 0), 0);
    assert_int_equal(flm_share_step(0.0009, 1), 0);
    assert_int_equal(flm_share_step(1, 1000), 1);
    assert_int_equal(flm_share_step(-3, 1000), 2);
    assert_int_equal(flm_share_step(10, 1000), 3);
    assert_int_equal(flm_share_step(30, 1000), 4);
    assert_int_equal(flm_share_step(100, 1000), 5);
    assert_int_equal(flm_share_step(300, 1000), 6);
    assert_int_equal(flm_share_step(5000, 1000), 6);
}

static void the_tone_of_a_package_has_the_hue_of_its_functions(void **state)
{
    (void)state;
    struct lab package = lab_of(flm_package_tone(flm_bytes_of("app")).light);
    struct lab function = lab_of(module_tone("parse", "app").light);
    assert_true(fabs(sin((atan2(package.b, package.a) - atan2(function.b, function.a)) / 2)) <
                0.05);
    struct lab runtime = lab_of(flm_package_tone(flm_bytes_of("/usr/lib/libc.so.6")).light);
    assert_true(hypot(runtime.a, runtime.b) < 0.02);
}

/* ---- flamegraph.pl's ------------------------------------------------------------------------- */

static void names_have_the_colors_that_flamegraph_pl_gives_them(void **state)
{
    (void)state;
    static const struct {
        enum flm_colors colors;
        enum flm_shades shades;
        const char *name;
        uint32_t kind;
        unsigned r, g, b;
    } examples[] = {
        {FLM_COLORS_HOT, FLM_SHADES_NAME, "main", 0, 243, 179, 42},
        {FLM_COLORS_HOT, FLM_SHADES_NAME,
         "n\xC3\xA9"
         "e",
         0, 245, 185, 44},
        {FLM_COLORS_HOT, FLM_SHADES_NAME, "vfs_read", FLM_KIND_KERNEL, 230, 118, 28},
        {FLM_COLORS_HOT, FLM_SHADES_HASH, "main", 0, 247, 83, 46},
        {FLM_COLORS_HOT, FLM_SHADES_HASH,
         "n\xC3\xA9"
         "e",
         0, 249, 203, 49},
        {FLM_COLORS_HOT, FLM_SHADES_HASH, "libc`malloc", 0, 222, 112, 18},
        {FLM_COLORS_MEM, FLM_SHADES_NAME, "main", 0, 0, 228, 163},
        {FLM_COLORS_IO, FLM_SHADES_NAME, "main", 0, 126, 126, 232},
        {FLM_COLORS_JAVA, FLM_SHADES_NAME, "java/util/HashMap.get", FLM_KIND_JIT, 67, 216, 67},
        {FLM_COLORS_JAVA, FLM_SHADES_NAME, "std::x", 0, 225, 225, 68},
        {FLM_COLORS_JAVA, FLM_SHADES_NAME, "vfs_read", FLM_KIND_KERNEL, 223, 123, 0},
        {FLM_COLORS_JAVA, FLM_SHADES_NAME, "main", 0, 242, 112, 112},
        {FLM_COLORS_HOT, FLM_SHADES_NAME, "-", 0, 200, 200, 200},
        {FLM_COLORS_HOT, FLM_SHADES_NAME, "--", 0, 160, 160, 160},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct flm_tone tone =
            tone_of(examples[i].colors, examples[i].shades, examples[i].name, "", examples[i].kind);
        assert_int_equal(tone.light, examples[i].r << 16 | examples[i].g << 8 | examples[i].b);
        assert_int_equal(tone.dark, tone.light);
    }
}

/* ---- Given ----------------------------------------------------------------------------------- */

static void given_colors_come_first(void **state)
{
    (void)state;
    struct flm_palette palette;
    const char *given = "main->rgb(1,2,3)\n\na->b->rgb( 4, 5, 6)\r\nread_[k]->#0708ff";
    assert_true(
        flm_palette_init(&palette, FLM_COLORS_HOT, FLM_SHADES_NAME, flm_bytes_of(given), NULL));
    struct flm_bytes none = {"", 0};
    assert_int_equal(flm_palette_tone(&palette, flm_bytes_of("main"), none, 0).light, 0x010203);
    assert_int_equal(flm_palette_tone(&palette, flm_bytes_of("a->b"), none, 0).light, 0x040506);
    assert_int_equal(flm_palette_tone(&palette, flm_bytes_of("read"), none, FLM_KIND_KERNEL).light,
                     0x0708ff);
    assert_int_not_equal(flm_palette_tone(&palette, flm_bytes_of("read"), none, 0).light, 0x0708ff);
    assert_true(flm_palette_has(&palette, flm_bytes_of("main"), FLM_KIND_JIT));
    assert_false(flm_palette_has(&palette, flm_bytes_of("mai"), 0));
    flm_palette_clear(&palette);
}

static void malformed_colors_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "main->rgb(1,2)",     "main->rgb(1,2,256)", "main->red",          "main",
        "main->rgb(1,2,3,4)", "main->#12345",       "main->rgb(1,2,3) x", "main->#12345g"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char given[60];
        struct flm_error why;
        struct flm_palette palette;
        sprintf(given, "ok->#000000\n%s\n", wrong[i]);
        assert_false(
            flm_palette_init(&palette, FLM_COLORS_HOT, FLM_SHADES_NAME, flm_bytes_of(given), &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_int_equal(why.line, 2);
    }
}

static bool make_palette(void *context, struct flm_error *why)
{
    struct flm_palette palette;
    if (!flm_palette_init(&palette, FLM_COLORS_HOT, FLM_SHADES_NAME, flm_bytes_of(context), why))
        return false;
    flm_palette_clear(&palette);
    return true;
}

static void a_palette_survives_failed_allocations(void **state)
{
    (void)state;
    static char given[40 * 200];
    size_t size = 0;
    for (int i = 0; i < 100; i++)
        size += (size_t)sprintf(given + size, "f%d->rgb(%d,0,0)\n", i, i);
    assert_true(assert_survives_failures(make_palette, given) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_can_be_read_on_every_tone),
        cmocka_unit_test(all_hues_are_equally_light),
        cmocka_unit_test(functions_of_a_module_have_its_hue),
        cmocka_unit_test(runtimes_are_nearly_gray),
        cmocka_unit_test(shares_go_from_quiet_to_loud_in_every_vision),
        cmocka_unit_test(the_tone_of_a_package_has_the_hue_of_its_functions),
        cmocka_unit_test(names_have_the_colors_that_flamegraph_pl_gives_them),
        cmocka_unit_test(given_colors_come_first),
        cmocka_unit_test(malformed_colors_are_refused_with_their_line),
        cmocka_unit_test(a_palette_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
