#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_palette_keeps_colors_from_picture_to_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
