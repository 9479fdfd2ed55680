/* The still picture of a profile by options, and flm_pdf_write; pdf_test.c has the format. */
#include "draw/svg/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "draw/color/theme.h"
#include "flamel/draw.h"
#include "support/core/failures.h"
#include "support/profile/colors.h"
#include "support/profile/painted.h"
#include "support/profile/profiles.h"

static struct flm_svg svg;

static void open_svg(const struct flm_profile *p, struct flm_svg_options options)
{
    assert_true(flm_svg_open(&svg, p, &options, NULL));
    assert_true(flm_svg_fill_document(&svg, 1, NULL));
}

static struct painted painted_of_svg(uint64_t unknown)
{
    struct painted painted = {.unknown_letters = unknown};
    struct flm_surface surface = painted_surface(&painted);
    assert_true(flm_document_lay_out(&svg.document, &surface, NULL));
    flm_document_paint(&svg.document, &surface);
    return painted;
}

static void a_picture_describes_itself(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read_[k] 3\nmain;f_[j] 1\n");
    open_svg(p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                         .title = "A title",
                                         .subtitle = "of two"});
    struct painted r = painted_of_svg(FLM_NO_UNKNOWN);
    assert_string_equal(r.text.at,
                        "A title\nof two\nkernel\njit\n2 stacks\n4 samples\ndrawn 4\nmerged 0 "
                        "(0 %)\nlost 0\nunsymbolized 0 %\n");
    assert_int_equal(r.marks, 1u << FLM_MARK_KERNEL | 1u << FLM_MARK_JIT);
    assert_true(r.lowest < svg.document.height_px && r.lowest > svg.document.height_px - 20);
    assert_int_equal(r.first_fill, flm_token_color(FLM_TOKEN_PAGE, false));
    painted_clear(&r);
    r = painted_of_svg(2);
    assert_non_null(strstr(r.text.at, "\n2 letters are not in the font and are shown as ?\n"));
    painted_clear(&r);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void an_empty_profile_says_so(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 0\n");
    open_svg(p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    struct painted r = painted_of_svg(FLM_NO_UNKNOWN);
    assert_non_null(strstr(r.text.at, "Nothing to draw: "));
    painted_clear(&r);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void text_ends_at_the_edge(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    open_svg(
        p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                    .width_px = 200,
                                    .title = "A title that is far too long for a narrow picture"});
    struct painted r = painted_of_svg(FLM_NO_UNKNOWN);
    assert_true(r.rightmost <= 190);
    assert_non_null(strstr(r.text.at, FLM_ELLIPSIS));
    painted_clear(&r);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void the_background_is_the_one_that_was_given(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    open_svg(p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                         .background = "yellow"});
    struct painted r = painted_of_svg(FLM_NO_UNKNOWN);
    assert_int_equal(r.first_fill, 0xEEEEEE);
    assert_int_equal(r.last_fill, 0xEEEEB0);
    painted_clear(&r);
    flm_svg_close(&svg);
    open_svg(p, (struct flm_svg_options){
                    .size = sizeof(struct flm_svg_options), .background = "#000000", .dark = true});
    assert_false(svg.dark);
    assert_int_equal(svg.document.page, 0);
    assert_true(color_contrast(svg.document.ink, 0) > 7);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

static void boxes_can_be_read_in_light_and_dark(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read_[k];std::move 3\nmain;f_[j] 1\n");
    for (int dark = 0; dark < 2; dark++) {
        open_svg(p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options), .dark = dark});
        assert_int_equal(svg.dark, dark);
        for (size_t i = 0; i < svg.seen.count; i++) {
            struct flm_box box = {.has_room = true};
            flm_svg_style(&svg, &svg.seen.at[i], &box);
            assert_true(color_contrast(box.fill, box.ink) >= 4.5);
            assert_true(box.label.size > 0);
        }
        flm_svg_close(&svg);
    }
    flm_profile_free(p);
}

static void an_icicle_graph_grows_down_and_a_flame_graph_up(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    for (int inverted = 0; inverted < 2; inverted++) {
        open_svg(p, (struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                             .inverted = inverted});
        assert_int_equal(svg.document.panes.count, 1);
        assert_int_equal(svg.document.panes.at[0].upwards, !inverted);
        assert_int_equal(svg.document.panes.at[0].row_count, 3);
        flm_svg_close(&svg);
    }
    flm_profile_free(p);
}

static void pixels_have_their_rectangles_in_device_pixels(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    struct flm_svg_options options = {.size = sizeof options, .width_px = 520};
    assert_true(flm_svg_open(&svg, p, &options, NULL));
    assert_true(flm_svg_fill_document(&svg, 2, NULL));
    assert_int_equal(svg.document.width_px, 520);
    assert_int_equal(svg.seen.at[0].x1, 1000);
    flm_svg_close(&svg);
    flm_profile_free(p);
}

/* ---- PDF ------------------------------------------------------------------------------------- */

static bool collect(void *context, const void *bytes, size_t size)
{
    struct flm_text *text = context;
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return !text->failed;
}

static struct flm_text pdf_of(const char *folded, struct flm_svg_options options)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_text pdf = {0};
    assert_true(flm_pdf_write(p, &options, collect, &pdf, NULL));
    flm_text_putc(&pdf, 0);
    flm_profile_free(p);
    return pdf;
}

static void labels_and_words_are_text(void **state)
{
    (void)state;
    struct flm_text pdf = pdf_of(
        "main;read(int) 3\nmain;write 1\n",
        (struct flm_svg_options){.size = sizeof(struct flm_svg_options), .title = "Two calls"});
    static const char *const words[] = {"(all) Tj",   "(main) Tj",      "(read\\(int\\)) Tj",
                                        "(write) Tj", "(Two calls) Tj", "(2 stacks) Tj"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_non_null(strstr(pdf.at, words[i]));
    flm_text_clear(&pdf);
}

static void letters_that_the_font_has_not_are_counted_in_the_picture(void **state)
{
    (void)state;
    struct flm_text pdf = pdf_of("main;\xE4\xB8\x80\xE4\xB8\x81 3\n",
                                 (struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_non_null(strstr(pdf.at, "(?"
                                   "?) Tj"));
    assert_non_null(strstr(pdf.at, "(2 letters are not in the font and are shown as ?) Tj"));
    flm_text_clear(&pdf);
}

static void the_same_profile_is_the_same_bytes(void **state)
{
    (void)state;
    struct flm_text one =
        pdf_of("main;a 3\n", (struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    struct flm_text two =
        pdf_of("main;a 3\n", (struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.at, two.at, one.size);
    flm_text_clear(&one);
    flm_text_clear(&two);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return false;
}

static void a_sink_that_refuses_and_options_that_are_wrong(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_svg_options options = {.size = sizeof options}, wrong = {.width_px = 1};
    struct flm_error why;
    assert_false(flm_pdf_write(p, &options, refuse, NULL, &why));
    assert_string_equal(why.text, "the output cannot be written");
    struct flm_text pdf = {0};
    assert_false(flm_pdf_write(p, &wrong, collect, &pdf, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_text_clear(&pdf);
    flm_profile_free(p);
}

static bool write_once(void *context, struct flm_error *why)
{
    struct flm_text pdf = {0};
    struct flm_svg_options options = {.size = sizeof options};
    bool done = flm_pdf_write(context, &options, collect, &pdf, why);
    /* The test's own text may have run out of memory: the writer then says that the sink
     * refused. */
    if (!done && pdf.failed)
        flm_error_memory(why);
    flm_text_clear(&pdf);
    return done;
}

static void a_pdf_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a\x01_[k] 3\nmain;b 1\n");
    assert_true(assert_survives_failures(write_once, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_describes_itself),
        cmocka_unit_test(an_empty_profile_says_so),
        cmocka_unit_test(text_ends_at_the_edge),
        cmocka_unit_test(the_background_is_the_one_that_was_given),
        cmocka_unit_test(boxes_can_be_read_in_light_and_dark),
        cmocka_unit_test(an_icicle_graph_grows_down_and_a_flame_graph_up),
        cmocka_unit_test(pixels_have_their_rectangles_in_device_pixels),
        cmocka_unit_test(labels_and_words_are_text),
        cmocka_unit_test(letters_that_the_font_has_not_are_counted_in_the_picture),
        cmocka_unit_test(the_same_profile_is_the_same_bytes),
        cmocka_unit_test(a_sink_that_refuses_and_options_that_are_wrong),
        cmocka_unit_test(a_pdf_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
