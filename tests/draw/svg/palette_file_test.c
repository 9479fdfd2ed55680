#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "draw/color/color_mode.h"
#include "draw/svg/pictures.h"

static struct flm_text palette_of(const struct flm_profile *p,
                                  const struct flm_svg_options *options)
{
    struct flm_text out = {0};
    assert_true(flm_svg_palette_write(p, options, keep, &out, NULL));
    flm_text_putc(&out, 0);
    out.size--;
    return out;
}

static void a_palette_keeps_colors_from_picture_to_picture(void **state)
{
    (void)state;
    struct flm_profile *first = profile_of("main;read_[k] 1\n");
    struct flm_profile *second = profile_of("main;write 1\n");
    struct flm_svg_options options = {.size = sizeof options, .colors = FLM_COLORS_HOT};
    static const char given[] = "zebra->rgb(1,2,3)\nmain->rgb(4,5,6)\n";
    options.palette = (struct flm_name){given, strlen(given)};
    struct flm_text lines = palette_of(first, &options);
    assert_string_equal(lines.at, "main->rgb(4,5,6)\nread_[k]->rgb(208,16,3)\nzebra->rgb(1,2,3)\n");

    options.palette = (struct flm_name){lines.at, lines.size};
    struct flm_text more = palette_of(second, &options);
    assert_holds(&more, "main->rgb(4,5,6)\nread_[k]->rgb(208,16,3)\nwrite->rgb(");
    struct flm_text out = drawn(second, &options);
    assert_holds(&out, "color=\"#040506\"");
    flm_text_clear(&out);
    flm_text_clear(&more);
    flm_text_clear(&lines);
    flm_profile_free(first);
    flm_profile_free(second);
}

/* What the page and the terminal draw with. The program has most of its functions in one namespace,
 * which is split, and some of a runtime, of another package and of the kernel. */
static void pictures_have_the_colors_of_the_page(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("app::main;app::parse;app::Lexer::next 3\n"
                                       "app::main;app::Lexer::peek;std::sort 5\n"
                                       "app::main;app::write;ext4_write_[k] 9\n"
                                       "app::main;zlib::inflate 1\n");
    const struct flm_svg_options options = {.size = sizeof options};
    struct flm_text lines = palette_of(p, &options), line = {0};
    struct flm_text picture = drawn(p, &options);
    struct flm_coloring coloring;
    assert_true(
        flm_coloring_init(&coloring, p, p, FLM_COLOR_MODULE, (struct flm_bytes){"", 0}, NULL));
    assert_int_not_equal(coloring.split, FLM_SPLIT_NONE);
    for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
        uint32_t tone = coloring.tones[f].light;
        line.size = 0;
        flm_text_add(&line, flm_frame_function(p, f));
        flm_text_format(&line, "%s->rgb(%u,%u,%u)\n",
                        p->frames[f].kind == FLM_KIND_KERNEL ? "_[k]" : "", tone >> 16,
                        tone >> 8 & 0xFF, tone & 0xFF);
        flm_text_putc(&line, 0);
        assert_holds(&lines, line.at);
        char color[32];
        snprintf(color, sizeof color, "{color:#%06x}", tone);
        assert_holds(&picture, color);
    }
    flm_coloring_clear(&coloring);
    flm_text_clear(&picture);
    flm_text_clear(&lines);
    flm_text_clear(&line);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_palette_keeps_colors_from_picture_to_picture),
        cmocka_unit_test(pictures_have_the_colors_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
