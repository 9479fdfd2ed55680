#include "draw/document/heatmap_pane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "draw/color/theme.h"
#include "support/profile/painted.h"
#include "support/profile/timed.h"

/* A sample every 100 ms of 12 s, and a pause in the seventh second. */
static struct flm_profile *paused(void)
{
    char lines[8000];
    size_t size = 0;
    for (int ms = 0; ms < 12000; ms += 100)
        if (ms < 6000 || ms >= 7000)
            size += (size_t)snprintf(lines + size, sizeof lines - size, "1 1 - %d 0 main\n", ms);
    return profile_of_threads(lines);
}

static struct flm_heatmap map_of(const struct flm_profile *p, double width)
{
    struct flm_heatmap map;
    struct flm_heatmap_shape shape =
        flm_heatmap_shape_of(12e9, 0, flm_heatmap_pane_columns(width), FLM_HEATMAP_MOST_ROWS);
    assert_true(flm_heatmap_init(&map, p, (struct flm_metric){0}, 5000000000, shape, NULL));
    return map;
}

static struct flm_heatmap_pane pane_of(const struct flm_heatmap *map)
{
    return (struct flm_heatmap_pane){
        .map = map, .page = 0xFFFFFF, .line = 0xCCCCCC, .text_px = FLM_DOCUMENT_TEXT_PX};
}

static struct painted painted_of(struct flm_document *document)
{
    struct painted painted = {.unknown_letters = FLM_NO_UNKNOWN};
    struct flm_surface surface = painted_surface(&painted);
    assert_true(flm_document_lay_out(document, &surface, NULL));
    flm_document_paint(document, &surface);
    return painted;
}

static void axes_say_the_second_and_the_offset_in_it(void **state)
{
    (void)state;
    struct flm_profile *p = paused();
    struct flm_heatmap map = map_of(p, 1000);
    struct flm_heatmap_pane pane = pane_of(&map);
    struct flm_document document = flm_document_new(1000, false);
    flm_heatmap_pane_add(&document, &pane, flm_bytes_of("ns"));
    struct painted painted = painted_of(&document);
    assert_non_null(strstr(painted.text.at, "\n10 s\n"));
    assert_non_null(strstr(painted.text.at, "0.00 s\n0.20 s\n"));
    assert_non_null(strstr(painted.text.at, "1.00 s\n"));
    /* All cells have one sample: the legend has one step. */
    assert_non_null(strstr(painted.text.at, "1 ms\n"));
    assert_int_equal(document.keys.count, 1);
    assert_true(painted.rightmost <= 1000);
    painted_clear(&painted);
    flm_document_clear(&document);
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

static void assert_step(double least, double most, const char *unit, const char *expected)
{
    struct flm_heatmap map = {.least_of_step = {least}, .most_of_step = {most}};
    struct flm_text text = {0};
    flm_heatmap_add_step(&map, 0, flm_bytes_of(unit), &text);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void a_step_says_its_least_and_its_largest_value(void **state)
{
    (void)state;
    assert_step(3e6, 5e6, "ns", "3 to 5 ms");
    assert_step(9e5, 2e6, "ns", "900 \xC2\xB5s to 2 ms");
    assert_step(7e6, 7e6, "ns", "7 ms");
    assert_step(1, 5, "samples", "1 to 5 samples");
    assert_step(1, 1, "samples", "1 sample");
    assert_step(2, 12, "", "2 to 12");
}

static size_t count_of(const char *in, uint32_t rgb)
{
    char buffer[16];
    struct flm_text color;
    size_t count = 0;
    flm_text_init_fixed(&color, buffer, sizeof buffer);
    flm_color_add(&color, rgb);
    flm_text_putc(&color, 0);
    for (const char *at = in; (at = strstr(at, buffer)); at++)
        count++;
    return count;
}

/* 110 samples are 110 boxes; of a selection from the middle of a column to the middle of the next
 * but one 20 are as they are. The legend has the color once. */
static void what_is_selected_stays_and_the_rest_is_paler(void **state)
{
    (void)state;
    struct flm_profile *p = paused();
    struct flm_heatmap map = map_of(p, 1000);
    struct flm_heatmap_pane pane = pane_of(&map);
    uint32_t rgb = flm_heatmap_color(FLM_HEAT_STEPS - 1, false);
    for (int selected = 0; selected < 2; selected++) {
        struct flm_text out = {0};
        struct flm_document document = flm_document_new(1000, false);
        pane.is_selected = selected;
        pane.from_ns = 2.5e9;
        pane.to_ns = 4.5e9;
        flm_heatmap_pane_add(&document, &pane, flm_bytes_of("ns"));
        assert_true(flm_document_write_svg(&document, &out, NULL));
        flm_text_putc(&out, 0);
        assert_int_equal(count_of(out.at, rgb), (selected ? 20 : 110) + 1);
        assert_int_equal(count_of(out.at, flm_color_mix(rgb, 0xFFFFFF, 170)), selected ? 90 : 0);
        flm_text_clear(&out);
        flm_document_clear(&document);
    }
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

static void rows_of_a_selection_are_those_of_its_times(void **state)
{
    (void)state;
    struct flm_heatmap_shape shape = flm_heatmap_shape_of(12e9, 0, 400, 50);
    double from, to;
    assert_false(flm_heatmap_selected_rows(&shape, 2.5e9, 4.5e9, 1, &from, &to));
    assert_true(flm_heatmap_selected_rows(&shape, 2.5e9, 4.5e9, 2, &from, &to));
    assert_true(from == 25 && to == 50);
    assert_true(flm_heatmap_selected_rows(&shape, 2.5e9, 4.5e9, 3, &from, &to));
    assert_true(from == 0 && to == 50);
    assert_true(flm_heatmap_selected_rows(&shape, 2.5e9, 4.5e9, 4, &from, &to));
    assert_true(from == 0 && to == 25);
    assert_false(flm_heatmap_selected_rows(&shape, 2.5e9, 4e9, 4, &from, &to));
}

static void a_narrow_picture_has_fewer_columns(void **state)
{
    (void)state;
    assert_true(flm_heatmap_pane_columns(0) >= 1);
    uint32_t before = 0;
    for (double width = 100; width < 4000; width += 100) {
        uint32_t columns = flm_heatmap_pane_columns(width);
        assert_true(columns > before && columns * FLM_HEATMAP_COLUMN_PX <= width);
        before = columns;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_say_the_second_and_the_offset_in_it),
        cmocka_unit_test(a_step_says_its_least_and_its_largest_value),
        cmocka_unit_test(what_is_selected_stays_and_the_rest_is_paler),
        cmocka_unit_test(rows_of_a_selection_are_those_of_its_times),
        cmocka_unit_test(a_narrow_picture_has_fewer_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
