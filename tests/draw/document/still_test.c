#include "draw/document/still.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "draw/color/theme.h"
#include "support/profile/colors.h"
#include "support/profile/profiles.h"

/* A surface that remembers what was written on it: a line each. */
struct recorder {
    struct flm_text words;
    uint32_t marks, fills, first_fill, last_fill;
    double lowest, rightmost;
};

static struct flm_font font_of(void *context, double size_px, bool bold)
{
    (void)context, (void)bold;
    return (struct flm_font){.size_px = size_px, .letter = 0.6};
}

static void text(void *context, double x, double base_line, struct flm_bytes plain, double size_px,
                 bool bold, uint32_t rgb)
{
    struct recorder *r = context;
    struct flm_font font = font_of(NULL, size_px, bold);
    (void)rgb;
    flm_text_add(&r->words, plain);
    flm_text_putc(&r->words, '\n');
    double right = x + flm_label_width(plain, &font);
    r->rightmost = right > r->rightmost ? right : r->rightmost;
    r->lowest = base_line > r->lowest ? base_line : r->lowest;
}

static void fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct recorder *r = context;
    (void)x, (void)y, (void)width, (void)height;
    if (r->fills++ == 0)
        r->first_fill = rgb;
    r->last_fill = rgb;
}

static void mark(void *context, double x, double y, double width, double height, enum flm_mark m,
                 uint32_t rgb, unsigned strength)
{
    struct recorder *r = context;
    (void)x, (void)y, (void)width, (void)height, (void)rgb, (void)strength;
    r->marks |= 1u << m;
}

static struct flm_svg svg;

static struct flm_still opened(const struct flm_profile *p, struct flm_svg_options options)
{
    assert_true(flm_svg_open(&svg, p, &options, NULL));
    return flm_still_of(&svg);
}

static struct recorder recorded(struct flm_still *still)
{
    struct recorder r = {0};
    const struct flm_surface surface = {
        .context = &r, .font = font_of, .text = text, .fill = fill, .mark = mark};
    flm_still_draw_background(still, &surface);
    flm_still_draw_words(still, &surface);
    flm_text_putc(&r.words, 0);
    return r;
}

static void a_picture_says_what_it_is(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read_[k] 3\nmain;f_[j] 1\n");
    struct flm_still still =
        opened(p, (struct flm_svg_options){.title = "A title", .subtitle = "of two"});
    struct recorder r = recorded(&still);
    assert_string_equal(r.words.at,
                        "A title\nof two\nkernel\njit\n2 stacks\n4 samples\ndrawn 4\nmerged 0 "
                        "(0 %)\nlost 0\nunsymbolized 0 %\n");
    assert_int_equal(r.marks, 1u << FLM_MARK_KERNEL | 1u << FLM_MARK_JIT);
    assert_true(r.lowest < still.height_px && r.lowest > still.height_px - 20);
    assert_int_equal(r.first_fill, flm_token_color(FLM_TOKEN_PAGE, false));
    flm_text_clear(&r.words);
    still.unknown_letters = 2;
    r = recorded(&still);
    assert_non_null(strstr(r.words.at, "\n2 letters are not in the font, and stand as ?\n"));
    flm_text_clear(&r.words);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void an_empty_profile_says_so(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 0\n");
    struct flm_still still = opened(p, (struct flm_svg_options){0});
    struct recorder r = recorded(&still);
    assert_non_null(strstr(r.words.at, "Nothing to draw: "));
    flm_text_clear(&r.words);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void words_end_at_the_edge(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_still still = opened(
        p, (struct flm_svg_options){.width_px = 200,
                                    .title = "A title that is far too long for a narrow picture"});
    struct recorder r = recorded(&still);
    assert_true(r.rightmost <= 190);
    assert_non_null(strstr(r.words.at, FLM_ELLIPSIS));
    flm_text_clear(&r.words);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void the_background_is_the_one_that_was_given(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_still still = opened(p, (struct flm_svg_options){.background = "yellow"});
    struct recorder r = recorded(&still);
    assert_int_equal(r.first_fill, 0xEEEEEE);
    assert_int_equal(r.last_fill, 0xEEEEB0);
    flm_text_clear(&r.words);
    flm_svg_close(&svg);
    still = opened(p, (struct flm_svg_options){.background = "#000000", .dark = true});
    assert_false(still.dark);
    assert_int_equal(still.page, 0);
    assert_true(color_contrast(still.text, 0) > 7);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void boxes_can_be_read_in_light_and_dark(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read_[k];std::move 3\nmain;f_[j] 1\n");
    for (int dark = 0; dark < 2; dark++) {
        struct flm_still still = opened(p, (struct flm_svg_options){.dark = dark});
        assert_int_equal(still.dark, dark);
        for (size_t i = 0; i < svg.seen.count; i++) {
            struct flm_box box = {.has_room = true};
            flm_still_style(&still, &svg.seen.at[i], &box);
            assert_true(color_contrast(box.fill, box.ink) >= 4.5);
            assert_true(box.label.size > 0);
        }
        flm_svg_close(&svg);
    }
    flm_profile_free(p);
}

static void an_icicle_hangs_and_a_flame_stands(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    for (int inverted = 0; inverted < 2; inverted++) {
        struct flm_still still = opened(p, (struct flm_svg_options){.inverted = inverted});
        struct flm_boxes boxes = flm_still_boxes(&still, 2);
        int top, bottom;
        flm_boxes_row(&boxes, inverted ? 0 : 2, &top, &bottom);
        assert_int_equal(top, 2 * FLM_SVG_HEADER);
        assert_int_equal(bottom - top, 2 * 19);
        flm_svg_close(&svg);
    }
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_says_what_it_is),
        cmocka_unit_test(an_empty_profile_says_so),
        cmocka_unit_test(words_end_at_the_edge),
        cmocka_unit_test(the_background_is_the_one_that_was_given),
        cmocka_unit_test(boxes_can_be_read_in_light_and_dark),
        cmocka_unit_test(an_icicle_hangs_and_a_flame_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
