#include "draw/document/surface.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* A surface that writes a line for each call. */
static void note(void *context, const char *what, const double *at, size_t count)
{
    char line[120];
    int size = snprintf(line, sizeof line, "%s", what);
    for (size_t i = 0; i < count; i++)
        size += snprintf(line + size, sizeof line - (size_t)size, " %g", at[i]);
    flm_text_puts(context, line);
    flm_text_putc(context, '\n');
}

static struct flm_font font_of(void *context, double size_px, bool bold)
{
    (void)context, (void)bold;
    return (struct flm_font){.size_px = size_px, .letter = 0.5};
}

static void text(void *context, double x, double base_line, struct flm_bytes plain, double size_px,
                 bool bold, uint32_t rgb)
{
    (void)bold, (void)rgb;
    flm_text_format(context, "'%.*s'", (int)plain.size, plain.at);
    note(context, "", (double[]){x, base_line, size_px}, 3);
}

static void fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    note(context, rgb == 0xFFFF00 ? "lit" : "fill", (double[]){x, y, width, height}, 4);
}

static void fill_round(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    (void)rgb;
    note(context, "round", (double[]){x, y, width, height}, 4);
}

static void mark(void *context, double x, double y, double width, double height, enum flm_mark m,
                 uint32_t rgb, unsigned strength)
{
    (void)x, (void)y, (void)width, (void)height, (void)rgb;
    if (m)
        note(context, "mark", (double[]){m, strength}, 2);
}

static void texture(void *context, double x, double y, double width, double height,
                    enum flm_texture t, uint32_t rgb, unsigned alpha)
{
    (void)x, (void)y, (void)width, (void)height, (void)rgb;
    note(context, "texture", (double[]){t, alpha}, 2);
}

static void outline(void *context, double x, double y, double width, double height,
                    double thickness, uint32_t rgb)
{
    (void)rgb;
    note(context, "outline", (double[]){x, y, width, height, thickness}, 5);
}

static void look(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)context;
    box->fill = 0x112233;
    box->ink = 0xFFFFFF;
    box->skipped = r->node.index == 9;
    box->faded = r->node.index == 2 ? 255 : 0;
    box->outline_px = r->node.index == 3 ? 1 : 0;
    box->texture = r->node.index == 4 ? FLM_TEXTURE_GRID : FLM_TEXTURE_NONE;
    box->texture_alpha = 255;
    box->mark = r->node.index == 4 ? FLM_MARK_KERNEL : FLM_MARK_NONE;
    if (!box->has_room)
        return;
    box->label = flm_bytes_of("parse_everything");
    box->parts = flm_name_parts(box->label);
    box->lit_from = 0;
    box->lit_to = 5;
    box->lit_rgb = 0xFFFF00;
}

static struct flm_rectangle box_at(double x0, double x1, uint32_t level, uint32_t node)
{
    return (struct flm_rectangle){.x0 = x0, .x1 = x1, .level = level, .node = {node}, .count = 1};
}

static char *drawn(double scale, bool upwards, struct flm_clip window)
{
    struct flm_rectangle at[] = {box_at(0, 200, 0, 1),   box_at(0, 66, 1, 2),
                                 box_at(66, 68, 1, 3),   box_at(68, 132, 1, 4),
                                 box_at(132, 142, 1, 9), box_at(0, 200, 40, 5)};
    for (size_t i = 0; i < 6; i++) {
        at[i].x0 *= scale;
        at[i].x1 *= scale;
    }
    struct flm_rectangles list = {at, 6, 6, 0};
    struct flm_boxes boxes = {.left = 10 * scale,
                              .top = (upwards ? 90 : 20) * scale,
                              .upwards = upwards,
                              .row_height = 19 * scale,
                              .gap = scale,
                              .scale = scale,
                              .background = 0xFFFFFF,
                              .style = look};
    struct flm_text out = {0};
    const struct flm_surface surface = {.context = &out,
                                        .font = font_of,
                                        .text = text,
                                        .fill = fill,
                                        .mark = mark,
                                        .fill_round = fill_round,
                                        .texture = texture,
                                        .outline = outline};
    flm_vector_boxes(&surface, &boxes, &list, 12, window);
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    return out.at;
}

static const struct flm_clip all = {0, 0, 220, 100};

static void boxes_have_gaps_corners_labels_and_matches(void **state)
{
    (void)state;
    char *done = drawn(1, false, all);
    assert_string_equal(done, "round 10 20 199 18\n"
                              "lit 14 21.92 30 14.4\n'parse_everything' 14 33.32 12\n"
                              "round 10 39 65 18\n"
                              "lit 14 40.92 24 14.4\n'pars' 14 52.32 12\n"
                              "lit 38 40.92 6 14.4\n'\u2026' 38 52.32 12\n'hing' 44 52.32 12\n"
                              "fill 76 39 2 18\noutline 76 39 2 18 1\n"
                              "round 78 39 63 18\ntexture 5 255\nmark 1 255\n"
                              "lit 82 40.92 24 14.4\n'pars' 82 52.32 12\n"
                              "lit 106 40.92 6 14.4\n'\u2026' 106 52.32 12\n'hing' 112 52.32 12\n");
    free(done);
}

static void a_flame_grows_upwards(void **state)
{
    (void)state;
    char *done = drawn(1, true, all);
    assert_non_null(strstr(done, "round 10 71 199 18\n"));
    assert_non_null(strstr(done, "round 10 52 65 18\n"));
    free(done);
}

static void boxes_outside_of_the_window_are_left_out_and_labels_stay_in_it(void **state)
{
    (void)state;
    char *done = drawn(1, false, (struct flm_clip){100, 0, 220, 30});
    assert_string_equal(done, "round 10 20 199 18\n"
                              "lit 104 21.92 30 14.4\n'parse_everything' 104 33.32 12\n");
    free(done);
}

static void device_pixels_do_not_matter(void **state)
{
    (void)state;
    char *one = drawn(1, false, all), *two = drawn(2, false, all);
    assert_string_equal(one, two);
    free(one);
    free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_gaps_corners_labels_and_matches),
        cmocka_unit_test(a_flame_grows_upwards),
        cmocka_unit_test(boxes_outside_of_the_window_are_left_out_and_labels_stay_in_it),
        cmocka_unit_test(device_pixels_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
