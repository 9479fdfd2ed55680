#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "draw/svg/pictures.h"

static void options_are_set_by_name(void **state)
{
    (void)state;
    struct flm_svg_options o = {.size = sizeof o};
    static const char *const pairs[][2] = {{"title", "t"},
                                           {"subtitle", "s"},
                                           {"width", "900"},
                                           {"height", "16"},
                                           {"minwidth", "0.5%"},
                                           {"fonttype", "F"},
                                           {"fontsize", "10"},
                                           {"fontwidth", "0.6"},
                                           {"countname", "c"},
                                           {"nametype", "N"},
                                           {"factor", "2"},
                                           {"colors", "java"},
                                           {"bgcolors", "blue"},
                                           {"hash", NULL},
                                           {"order", "total"},
                                           {"reverse", NULL},
                                           {"inverted", NULL},
                                           {"negate", NULL},
                                           {"diff-width", "before"},
                                           {"search", "x"},
                                           {"notes", "n"},
                                           {"static", NULL},
                                           {"encoding", "utf-8"},
                                           {"diff-color", "self,absolute"},
                                           {"diff-palette", "green-red"},
                                           {"diff-noise", NULL},
                                           {"diff-only", "grown,shrunk"},
                                           {"normalize", "function:main"},
                                           {"heatmap", NULL},
                                           {"heatmap-column", "100ms"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct flm_error why;
        if (!flm_svg_option_set(&o, pairs[i][0], pairs[i][1], &why))
            fail_msg("%s: %s", pairs[i][0], why.text);
    }
    assert_string_equal(o.title, "t");
    assert_true(o.width_px == 900 && o.frame_height_px == 16 && o.font_size_px == 10);
    assert_true(o.min_width == 0.5 && o.min_width_percent);
    assert_int_equal(o.colors, FLM_COLORS_JAVA);
    assert_int_equal(o.shades, FLM_SHADES_HASH);
    assert_int_equal(o.order, FLM_DRAW_BY_TOTAL);
    assert_int_equal(o.widths, FLM_WIDTHS_BEFORE);
    assert_true(o.reverse && o.inverted && o.negate && o.without_script);
    assert_true(o.change_of_self && o.change_absolute && o.without_noise_test);
    assert_int_equal(o.change_palette, FLM_CHANGE_GREEN_RED);
    assert_string_equal(o.changes, "grown,shrunk");
    assert_int_equal(o.normalize, FLM_NORMALIZE_FUNCTION);
    assert_string_equal(o.normalize_function, "main");
    assert_true(o.heatmap && o.heatmap_column_ns == 1e8);
    assert_true(flm_svg_option_set(&o, "diff-color", "subtree,relative", NULL));
    assert_true(!o.change_of_self && !o.change_absolute);
    assert_true(flm_svg_option_set(&o, "normalize", "total", NULL));
    assert_int_equal(o.normalize, FLM_NORMALIZE_TOTAL);
}

static void the_list_has_every_option(void **state)
{
    (void)state;
    size_t count;
    const struct flm_svg_option *list = flm_svg_option_list(&count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        struct flm_svg_options o = {.size = sizeof o};
        struct flm_error why;
        assert_non_null(list[i].description);
        if (list[i].argument) {
            assert_false(flm_svg_option_set(&o, list[i].name, NULL, &why));
            assert_non_null(strstr(why.text, "needs a value"));
        } else {
            assert_true(flm_svg_option_set(&o, list[i].name, NULL, &why));
        }
    }
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"width", "wide"},
                                           {"width", "-5"},
                                           {"width", "0"},
                                           {"minwidth", "x"},
                                           {"minwidth", "-1"},
                                           {"minwidth", "%"},
                                           {"colors", "pink"},
                                           {"bgcolors", "#12"},
                                           {"bgcolors", "black"},
                                           {"order", "random"},
                                           {"diff-width", "both"},
                                           {"encoding", "latin1"},
                                           {"colour", "hot"}, /* no such option */
                                           {"factor", "nan"},
                                           {"flamechart", NULL},
                                           {"diff-color", "self absolute"},
                                           {"diff-palette", "red"},
                                           {"diff-only", "grown,new"},
                                           {"normalize", "function:"},
                                           {"normalize", "sum"},
                                           {"heatmap-column", "1"},
                                           {"heatmap-column", "0s"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct flm_svg_options o = {.size = sizeof o};
        struct flm_error why = {0};
        assert_false(flm_svg_option_set(&o, pairs[i][0], pairs[i][1], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_true(why.text[0] != 0);
    }
    static const struct flm_svg_options wrong[] = {{.metric = {7}},
                                                   {.difference = true, .before = {3}},
                                                   {.width_px = 1e9},
                                                   {.frame_height_px = 1},
                                                   {.font_size_px = 1000},
                                                   {.background = "pink"},
                                                   {.colors = (enum flm_colors)99},
                                                   {.order = (enum flm_draw_order)3},
                                                   {.widths = (enum flm_comparison_widths)9},
                                                   {.normalize = (enum flm_normalize)9},
                                                   {.min_width = -1},
                                                   {.heatmap_column_ns = -1}};
    struct flm_profile *p = profile_of("a 1\n");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        struct flm_svg_options options = wrong[i];
        options.size = sizeof options;
        assert_false(flm_svg_write(p, &options, keep, &out, &why));
        assert_true(why.text[0] != 0);
        assert_int_equal(out.size, 0);
    }
    flm_profile_free(p);
}

static void options_of_other_versions_are_taken_or_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_svg_options options = {.size = offsetof(struct flm_svg_options, order),
                                      .title = "Mine",
                                      .order = (enum flm_draw_order)99};
    struct flm_text out = drawn(p, &options); /* members that an older program lacks are not read */
    assert_holds(&out, "<title>Mine</title>");
    flm_text_clear(&out);
    static const struct {
        size_t size;
        const char *why;
    } wrong[] = {{0, "the size of struct flm_svg_options is not set"},
                 {sizeof options + 8, "in this library, which is older"}};
    for (size_t i = 0; i < 2; i++) {
        struct flm_error why = {0};
        options.size = wrong[i].size;
        assert_false(flm_svg_write(p, &options, keep, &out, &why));
        assert_non_null(strstr(why.text, wrong[i].why));
        assert_false(flm_svg_palette_write(p, &options, keep, &out, &why));
        assert_false(flm_svg_option_set(&options, "title", "x", &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    struct flm_error why = {0};
    options.size = offsetof(struct flm_svg_options, order);
    assert_true(flm_svg_option_set(&options, "title", "x", &why));
    assert_string_equal(options.title, "x");
    assert_false(flm_svg_option_set(&options, "order", "time", &why));
    assert_non_null(strstr(why.text, "without the option order"));
    assert_int_equal(options.order, 99);
    flm_text_clear(&out);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(the_list_has_every_option),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(options_of_other_versions_are_taken_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
