#include "viewer/paint/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "draw/color/state_tones.h"
#include "draw/color/theme.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "support/profile/xml.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 50\nmain;parse;read_[k] 30\nmain;io 20\nother 100\n";

static struct flm_text picture(struct flm_viewer *v, enum flm_picture_format format)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_picture_write(v, format, 0, &out, &why))
        fail_msg("%s", why.text);
    if (format == FLM_PICTURE_SVG)
        assert_xml((struct flm_bytes){out.at, out.size});
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    return out;
}

static size_t count_of(const char *in, const char *what)
{
    size_t count = 0;
    for (const char *at = in; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* The place of the box that stands before this label: its "x", "y", "width" ... */
static double box_of(const char *svg, const char *label, const char *attribute)
{
    char what[100];
    snprintf(what, sizeof what, ">%s</text>", label);
    const char *end = strstr(svg, what), *box = NULL;
    assert_non_null(end);
    for (const char *at = svg; (at = strstr(at, "rx=\"2\"")) && at < end; at++)
        box = at;
    assert_non_null(box);
    while (*box != '<')
        box--;
    snprintf(what, sizeof what, " %s=\"", attribute);
    return strtod(strstr(box, what) + strlen(what), NULL);
}

static void a_picture_has_the_boxes_of_the_window_and_says_what_it_is(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, "<title>a profile</title>"));
    assert_non_null(strstr(svg.at, ">a profile</text>"));
    assert_non_null(strstr(svg.at, ">Flame graph \xC2\xB7 samples</text>"));
    assert_non_null(strstr(svg.at, ">all, 200 samples</text>"));
    assert_non_null(strstr(svg.at, ">4 stacks</text>"));
    assert_non_null(strstr(svg.at, ">drawn 7</text>"));
    assert_non_null(strstr(svg.at, ">kernel</text>"));
    assert_int_equal(box_of(svg.at, "main", "x"), 10);
    assert_int_equal(box_of(svg.at, "main", "width"), 489); /* half of it, and a gap */
    assert_int_equal(box_of(svg.at, "other", "x"), 500);
    assert_int_equal(box_of(svg.at, "lex", "y"), 44 + 3 * 19);
    flm_text_clear(&svg);
    act(v, "flip");
    svg = picture(v, FLM_PICTURE_SVG);
    assert_int_equal(box_of(svg.at, "lex", "y"), 44);
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static void the_picture_is_as_wide_as_the_window_whatever_its_pixels(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_text one = picture(v, FLM_PICTURE_SVG);
    flm_viewer_resize(v, 2000, 1200, 2);
    struct flm_text two = picture(v, FLM_PICTURE_SVG);
    assert_string_equal(one.at, two.at);
    flm_viewer_resize(v, 100, 100, 1);
    struct flm_text narrow = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(narrow.at, " width=\"320\" "));
    flm_viewer_resize_cells(v, 80, 24);
    struct flm_text cells = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(cells.at, " width=\"1200\" "));
    flm_text_clear(&one);
    flm_text_clear(&two);
    flm_text_clear(&narrow);
    flm_text_clear(&cells);
    flm_viewer_free(v);
}

static void only_what_is_zoomed_to_is_drawn_and_its_levels(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;a;b;c;d;e 50\nmain;short 50\n");
    struct flm_text all = picture(v, FLM_PICTURE_SVG);
    char action[40];
    snprintf(action, sizeof action, "zoom %u", node_named(v, "short").index);
    act(v, "select 0");
    act(v, action);
    v->input.now_ms += 1000;
    struct flm_text part = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(part.at, "in short, 50 % of total</text>"));
    assert_null(strstr(part.at, ">a</text>"));
    assert_int_equal(box_of(part.at, "short", "width"), 979);
    double height_all = strtod(strstr(all.at, "height=\"") + 8, NULL);
    double height_part = strtod(strstr(part.at, "height=\"") + 8, NULL);
    assert_int_equal(height_all - height_part, 4 * 19);
    flm_text_clear(&all);
    flm_text_clear(&part);
    flm_viewer_free(v);
}

static void searches_operations_and_order_are_in_it(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search lex");
    act(v, "apply hide:io | drop:other");
    act(v, "operation-toggle 0");
    act(v, "order total");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, "Largest first \xC2\xB7 drop:other</text>"));
    assert_null(strstr(svg.at, "hide:io"));
    assert_non_null(strstr(svg.at, ">lex 50 %</text>"));
    /* Its outline, and that of the key in the legend; behind the letters found, light. */
    assert_int_equal(count_of(svg.at, "fill=\"none\" stroke-width=\"1.5\""), 2);
    assert_int_equal(count_of(svg.at, "fill=\"#fff3a3\""), 1);
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static void the_pointer_leaves_no_mark_but_the_theme_does(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_text still = picture(v, FLM_PICTURE_SVG);
    flm_viewer_pointer(v, FLM_POINTER_MOVE, 100, 48 + 19 + 9, 0, false, 0);
    assert_true(flm_node_ref_valid(v->input.hovered));
    struct flm_text hovered = picture(v, FLM_PICTURE_SVG);
    assert_string_equal(still.at, hovered.at);
    flm_viewer_theme(v, &(struct flm_theme){.dark = true});
    struct flm_text dark = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(dark.at, "fill=\"#16171a\""));
    const struct flm_theme forced = {
        .forced = true, .forced_text = 0xFFFFFF, .forced_page = 0x000001};
    flm_viewer_theme(v, &forced);
    struct flm_text plain = picture(v, FLM_PICTURE_SVG);
    assert_int_equal(count_of(plain.at, "fill=\"none\" stroke-width=\"1\" stroke=\"#fff\""), 8);
    assert_non_null(strstr(plain.at, ">kernel</text>")); /* with its line: the eighth box */
    flm_text_clear(&still);
    flm_text_clear(&hovered);
    flm_text_clear(&dark);
    flm_text_clear(&plain);
    flm_viewer_free(v);
}

/* ---- Other views ----------------------------------------------------------------------------- */

static struct flm_viewer *comparing(void)
{
    struct flm_viewer *v = viewer_of_folded("main;a 50\nmain;new 40\n");
    struct flm_error why = {0};
    if (!flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("main;a 51\nmain;gone 30\n"), "old",
                         &why))
        fail_msg("%s", why.text);
    return v;
}

static void a_comparison_has_its_colors_hatches_and_words(void **state)
{
    (void)state;
    struct flm_viewer *v = comparing();
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">a profile, compared with old</text>"));
    assert_non_null(strstr(svg.at, ">Comparison \xC2\xB7 samples</text>"));
    assert_int_equal(count_of(svg.at, "<pattern "), 2);
    assert_int_equal(count_of(svg.at, "fill=\"url(#"), 4); /* two boxes, two keys */
    assert_non_null(strstr(svg.at, ">disappeared</text>"));
    assert_non_null(strstr(svg.at, "width: the larger of both"));
    assert_null(strstr(svg.at, "\xE2\x80\xA6")); /* the words go on in the next line */
    flm_text_clear(&svg);
    act(v, "parts appeared");
    svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">appeared</text>"));
    assert_null(strstr(svg.at, ">disappeared</text>"));
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static void where_colors_are_forced_changes_have_textures(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;a 500\nmain;b 100\n");
    assert_true(
        flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("main;a 100\nmain;b 500\n"), "old", NULL));
    struct flm_text colored = picture(v, FLM_PICTURE_SVG);
    assert_int_equal(count_of(colored.at, "<pattern "), 2); /* of the keys: appeared, disappeared */
    assert_answer(v, "legend", "items.1.texture", "");
    flm_viewer_theme(v, &(struct flm_theme){.forced = true, .forced_text = 0xFFFFFF});
    struct flm_text forced = picture(v, FLM_PICTURE_SVG);
    assert_int_equal(count_of(forced.at, "<pattern "), 4);
    assert_int_equal(count_of(forced.at, "fill=\"url(#"), 6); /* two boxes, four keys */
    assert_answer(v, "legend", "items.1.texture", "dots");
    assert_answer(v, "legend", "items.3.texture", "lines");
    flm_text_clear(&colored);
    flm_text_clear(&forced);
    flm_viewer_free(v);
}

static void two_side_by_side_stand_on_one_line(void **state)
{
    (void)state;
    struct flm_viewer *v = comparing();
    act(v, "side-by-side");
    for (int upwards = 0; upwards < 2; upwards++) {
        if (upwards)
            act(v, "flip");
        struct flm_text svg = picture(v, FLM_PICTURE_SVG);
        double left = box_of(svg.at, "before, 81 samples", "x");
        double right = box_of(svg.at, "after, 90 samples", "x");
        assert_int_equal(left, 10);
        assert_int_equal(right, 10 + 484 + 12);
        assert_int_equal(box_of(svg.at, "before, 81 samples", "y"), 44 + 38 * upwards);
        assert_int_equal(box_of(svg.at, "after, 90 samples", "y"), 44 + 38 * upwards);
        flm_text_clear(&svg);
    }
    flm_viewer_free(v);
}

static void callers_that_are_not_open_yet_are_opened(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b;c;d;e;f;g;h 5\nx;h 3\n");
    act(v, "invert");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">Flame graph, inverted \xC2\xB7 samples</text>"));
    assert_int_equal(box_of(svg.at, "a", "y"), 44 + 8 * 19);
    assert_false(v->scene.panes[0].incomplete);
    flm_text_clear(&svg);
    act(v, "sandwich d");
    svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">Sandwich of d \xC2\xB7 samples</text>"));
    assert_int_equal(box_of(svg.at, "a", "y"), 44);
    assert_int_equal(box_of(svg.at, "d", "y"), 44 + 3 * 19); /* once, below its callers */
    assert_int_equal(box_of(svg.at, "h", "y"), 44 + 7 * 19);
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

/* Samples of two threads, many more than there are pixels: main is in read for the first half and
 * in write for the second, worker in copy in every fourth. */
static struct flm_profile *two_threads(int count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const names[] = {"main", "worker"};
    struct flm_label_set set[2];
    for (int i = 0; i < 2; i++) {
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, names[i], strlen(names[i]))};
        set[i] = flm_builder_label_set(b, label, 1);
    }
    for (int i = 0; i < count; i++) {
        const char *name = i % 4 == 0 ? "copy" : i % 3 == 0 ? "odd" : "read";
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "start", 5));
        node = flm_builder_child(b, node, flm_builder_function(b, name, strlen(name)));
        flm_builder_sample(b, 5000000000 + i * 1000000LL, node, set[i % 4 == 0], cpu, 1e6);
    }
    return flm_builder_finish(b, NULL);
}

static void a_chart_has_its_threads_and_what_is_narrower_than_a_pixel(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(8000));
    act(v, "view chart");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">Flame chart \xC2\xB7 cpu \xC2\xB7 0 ns to 8 s</text>"));
    assert_non_null(strstr(svg.at, "font-weight=\"600\" fill=\"#1c1d1f\">main</text>"));
    assert_non_null(strstr(svg.at, "font-weight=\"600\" fill=\"#1c1d1f\">worker</text>"));
    /* Over the gray of all samples the stack in the middle of each pixel: of more than one color,
     * and not one by one where neighbors have the same. */
    size_t narrow = count_of(svg.at, "y=\"159\" ");
    assert_true(narrow > 100 && narrow < 1000);
    assert_non_null(strstr(svg.at, ">0 s</text>")); /* the axis */
    assert_non_null(strstr(svg.at, ">4 s</text>"));
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static const char states[] = "1 1 - 0 0 main;work\n"
                             "1 1 sleeping 10 80 main;sleep\n"
                             "1 1 - 95 0 main;work\n"
                             "1 2 lock 0 40 main\n"
                             "1 2 - 40 0 main\n"
                             "1 2 sleeping 80 10 main\n"
                             "9 9 - 50 0 main\n";

/* The "attribute" of the first element that is filled with a color, behind a place. */
static double filled_with(const char *svg, const char *behind, uint32_t rgb, const char *attribute)
{
    char what[40];
    const char *from = strstr(svg, behind);
    assert_non_null(from);
    snprintf(what, sizeof what, "fill=\"#%06x\"", rgb);
    const char *element = strstr(from, what);
    if (!element)
        fail_msg("nothing behind '%s' is %s", behind, what);
    while (*element != '<')
        element--;
    snprintf(what, sizeof what, " %s=\"", attribute);
    assert_non_null(strstr(element, what));
    return strtod(strstr(element, what) + strlen(what), NULL);
}

/* As the window has it: of 100 ms in 980 px the wait begins at 10 ms and lasts 80. */
static void a_chart_has_the_strip_of_states_and_its_legend(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(states));
    act(v, "view chart");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    uint32_t sleeping = flm_state_tones[FLM_THREAD_SLEEPING].light;
    double x = filled_with(svg.at, "<svg", sleeping, "x"),
           width = filled_with(svg.at, "<svg", sleeping, "width"), all = 1000 - 2 * 10;
    assert_in_range((int)(x - 10 - 0.1 / 0.96 * all + 2), 0, 4);
    assert_in_range((int)(width - 0.8 / 0.96 * all + 2), 0, 4);
    assert_true(filled_with(svg.at, "<svg", sleeping, "height") == FLM_STRIP_PX - 1);
    static const char *const titles[] = {">on-CPU</text>", ">waiting for a lock</text>",
                                         ">sleeping</text>"};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        assert_int_equal(count_of(svg.at, titles[i]), 1);
    assert_null(strstr(svg.at, ">blocked</text>")); /* nobody is */
    assert_non_null(strstr(svg.at, ">process 1, 2 threads</text>"));
    flm_text_clear(&svg);
    svg = picture(v, FLM_PICTURE_PDF);
    assert_true(svg.size > 1000);
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

/* A row with the figures of all its threads, and the bar of those that run: one of two. */
static void a_chart_has_collapsed_processes_as_rows(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(states));
    act(v, "view chart");
    act(v, "processes-all");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">process 1 (cmd1), 2 threads  on 3 ms \xC2\xB7 off 130 ms<"));
    assert_int_equal(count_of(svg.at, ">sleep</text>"), 0);
    uint32_t on_cpu = flm_state_tones[FLM_THREAD_ON_CPU].light;
    double high = (2 * FLM_STRIP_PX - 1) / 2.0;
    assert_true(filled_with(svg.at, "<svg", on_cpu, "height") == high);
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static void a_chart_without_states_has_no_strip(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(20));
    act(v, "view chart");
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_null(strstr(svg.at, ">on-CPU</text>"));
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

static void a_profile_without_stacks_is_a_picture_too(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("");
    struct flm_text out = {0};
    struct flm_error why = {0};
    bool good = flm_picture_write(v, FLM_PICTURE_SVG, 0, &out, &why);
    assert_true(good || why.kind == FLM_ERROR_USAGE);
    flm_viewer_free(v);
    flm_text_clear(&out);
    v = flm_viewer_new(NULL);
    assert_false(flm_picture_write(v, FLM_PICTURE_SVG, 0, &out, &why));
    assert_string_equal(why.text, "there is nothing to draw: no profile is open");
    flm_viewer_free(v);
    flm_text_clear(&out);
}

static void very_deep_stacks_are_cut_and_it_is_said(void **state)
{
    (void)state;
    struct flm_text deep = {0};
    for (int i = 0; i < 1100; i++)
        flm_text_format(&deep, "f%d;", i);
    flm_text_puts(&deep, "end 3\n");
    flm_text_putc(&deep, 0);
    struct flm_viewer *v = viewer_of_folded(deep.at);
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">102 levels below level 1,000 are not drawn</text>"));
    flm_text_clear(&svg);
    flm_viewer_free(v);
    flm_text_clear(&deep);
}

/* ---- PDF ------------------------------------------------------------------------------------- */

static void assert_tool_agrees(const char *tool, const char *command, const char *path)
{
    char line[500];
    snprintf(line, sizeof line, "command -v %s > /dev/null 2>&1", tool);
    if (system(line) != 0) {
        print_message("skipped: there is no %s here\n", tool);
        return;
    }
    snprintf(line, sizeof line, command, path);
    assert_int_equal(system(line), 0);
}

static void every_view_is_a_sound_pdf(void **state)
{
    (void)state;
    static const char *const actions[] = {"flip", "search lex", "invert", "sandwich parse",
                                          "color kind"};
    struct flm_viewer *viewers[] = {viewer_of_folded(folded), comparing(),
                                    viewer_of(two_threads(2000)), comparing()};
    act(viewers[2], "view chart");
    act(viewers[3], "side-by-side");
    for (size_t i = 0; i < 4; i++) {
        for (size_t a = 0; a < (i ? 1 : sizeof actions / sizeof actions[0]); a++) {
            act(viewers[i], actions[a]);
            struct flm_text pdf = picture(viewers[i], FLM_PICTURE_PDF);
            const char *path =
                write_temporary("picture.pdf", (struct flm_bytes){pdf.at, pdf.size - 1});
            assert_tool_agrees("qpdf", "qpdf --check '%s' > /dev/null", path);
            assert_tool_agrees("pdftotext", "pdftotext '%s' - | grep -q 'drawn'", path);
            flm_text_clear(&pdf);
        }
        flm_viewer_free(viewers[i]);
    }
}

static void letters_that_a_pdf_cannot_have_are_counted(void **state)
{
    (void)state;
    /* In the box and in the legend. */
    struct flm_viewer *v = viewer_of_folded("\xE4\xB8\x80\xE4\xB8\x81 3\n");
    struct flm_text pdf = picture(v, FLM_PICTURE_PDF);
    assert_non_null(strstr(pdf.at, "4 letters are not in the font and are shown as ?"));
    flm_text_clear(&pdf);
    struct flm_text svg = picture(v, FLM_PICTURE_SVG);
    assert_non_null(strstr(svg.at, ">\xE4\xB8\x80\xE4\xB8\x81</text>"));
    flm_text_clear(&svg);
    flm_viewer_free(v);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool write_both(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    bool good = flm_picture_write(context, FLM_PICTURE_SVG, 0, &out, why);
    flm_text_clear(&out);
    good = good && flm_picture_write(context, FLM_PICTURE_PDF, 0, &out, why);
    flm_text_clear(&out);
    return good;
}

static void a_picture_survives_failed_allocations(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct flm_viewer *v = i == 0   ? viewer_of_folded("main;a\x01_[k] 3\nmain;b 1\n")
                               : i == 1 ? comparing()
                                        : viewer_of(two_threads(40));
        act(v, i == 2 ? "view chart" : "search a");
        if (i == 0)
            act(v, "invert");
        assert_true(assert_survives_failures(write_both, v) > 8);
        flm_viewer_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_has_the_boxes_of_the_window_and_says_what_it_is),
        cmocka_unit_test(the_picture_is_as_wide_as_the_window_whatever_its_pixels),
        cmocka_unit_test(only_what_is_zoomed_to_is_drawn_and_its_levels),
        cmocka_unit_test(searches_operations_and_order_are_in_it),
        cmocka_unit_test(the_pointer_leaves_no_mark_but_the_theme_does),
        cmocka_unit_test(a_comparison_has_its_colors_hatches_and_words),
        cmocka_unit_test(where_colors_are_forced_changes_have_textures),
        cmocka_unit_test(two_side_by_side_stand_on_one_line),
        cmocka_unit_test(callers_that_are_not_open_yet_are_opened),
        cmocka_unit_test(a_chart_has_its_threads_and_what_is_narrower_than_a_pixel),
        cmocka_unit_test(a_chart_has_the_strip_of_states_and_its_legend),
        cmocka_unit_test(a_chart_has_collapsed_processes_as_rows),
        cmocka_unit_test(a_chart_without_states_has_no_strip),
        cmocka_unit_test(a_profile_without_stacks_is_a_picture_too),
        cmocka_unit_test(very_deep_stacks_are_cut_and_it_is_said),
        cmocka_unit_test(every_view_is_a_sound_pdf),
        cmocka_unit_test(letters_that_a_pdf_cannot_have_are_counted),
        cmocka_unit_test(a_picture_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
