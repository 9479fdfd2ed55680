#include "viewer/paint/first_picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "draw/color/palette.h"
#include "support/core/failures.h"
#include "support/profile/viewing.h"
#include "support/profile/xml.h"

static struct flm_text first_of(struct flm_viewer *v)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_first_picture_write(v, &out, &why))
        fail_msg("%s", why.text);
    if (out.size > 0)
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

static void boxes_are_lines_and_wide_ones_have_labels(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;<parse> 750\nmain;io 248\nmain;tiny 2\n");
    struct flm_text out = first_of(v);
    assert_int_equal(count_of(out.at, "<text"), 4);
    assert_non_null(strstr(out.at, ">all, 1,000 samples</text>"));
    assert_non_null(strstr(out.at, ">&lt;parse&gt;</text>"));
    /* Siblings are ordered by name: <parse> has the first three quarters. */
    assert_non_null(strstr(out.at, "<svg x=\"0.00%\" y=\"86\" width=\"75.00%\""));
    assert_non_null(strstr(out.at, "<svg x=\"75.00%\" y=\"86\" width=\"24.80%\""));
    assert_null(strstr(out.at, "class=\"l"));
    /* all, main, <parse>, io, and tiny, which is 3 px wide. */
    assert_int_equal(count_of(out.at, "h14230") + count_of(out.at, "h10670") +
                         count_of(out.at, "h3522") + count_of(out.at, "h18"),
                     5);
    flm_text_clear(&out);
    flm_viewer_free(v);
}

/* What would be a stub in a narrow window is hidden there: half of "io_wait" is another name. */
static void a_label_has_room_or_is_hidden_in_narrow_windows(void **state)
{
    (void)state;
    static const struct {
        int share;
        const char *name, *class;
    } cases[] = {
        {50, "io_wait", ""},          {10, "io_wait", "medium"},
        {6, "io_wait", "large"},      {10, "io", ""},
        {50, "f_of_a_long_name", ""}, {15, "f_of_a_long_name", "medium"},
        {8, "is_of_that", "large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char folded[80], wanted[80];
        sprintf(folded, "%s %d\nz %d\n", cases[i].name, cases[i].share, 100 - cases[i].share);
        struct flm_viewer *v = viewer_of_folded(folded);
        struct flm_text out = first_of(v);
        bool has_class = *cases[i].class != 0;
        sprintf(wanted, "<svg %s%s%sx=\"0.00%%\" y=\"67\" width=\"%d.00%%\"",
                has_class ? "class=\"" : "", cases[i].class, has_class ? "\" " : "",
                cases[i].share);
        if (!strstr(out.at, wanted))
            fail_msg("%s of %d %%: no %s", cases[i].name, cases[i].share, wanted);
        flm_text_clear(&out);
        flm_viewer_free(v);
    }
}

static void every_color_is_there_for_both_themes(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;parse 3\nmain;read_[k] 1\n");
    struct flm_text out = first_of(v);
    size_t paths = count_of(out.at, "<path fill=\"#");
    assert_true(paths >= 3);
    assert_int_equal(count_of(out.at, "\" color=\"#"), paths + count_of(out.at, "<g fill=\"#"));
    for (const char *at = out.at; (at = strstr(at, "<path fill=\"#")); at++)
        assert_true(strncmp(at + 12, at + 28, 7) != 0);
    flm_text_clear(&out);
    flm_viewer_free(v);
}

/* 40,000 stacks in 90 levels. */
static struct flm_viewer *large(void)
{
    struct flm_text text = {0};
    for (int i = 0; i < 40000; i++) {
        flm_text_puts(&text, "main");
        for (int level = 0; level < i % 90; level++)
            flm_text_format(&text, ";f%d", level);
        flm_text_format(&text, ";x%d 1\n", i);
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    struct flm_viewer *v = viewer_of_folded(text.at);
    flm_text_clear(&text);
    return v;
}

static void the_picture_of_a_large_profile_is_bounded(void **state)
{
    (void)state;
    struct flm_viewer *v = large();
    struct flm_text out = first_of(v);
    size_t lines = 0;
    const char *labels = strstr(out.at, "</svg><svg height=\"");
    assert_non_null(labels);
    for (const char *at = out.at; at < labels; at++)
        lines += at[0] == 'h' && at[1] >= '0' && at[1] <= '9';
    assert_in_range(lines, 100, FLM_FIRST_BOXES);
    char height[40];
    snprintf(height, sizeof height, "height=\"%d\"><", 48 + FLM_FIRST_ROWS * 19);
    assert_non_null(strstr(out.at, height));
    assert_true(out.size < 60000);
    flm_text_clear(&out);
    flm_viewer_free(v);
}

/* Neighbors that have no lines of their own have one of a color that the viewer shows there; those
 * that it merges too are as gray as its own. */
static void merged_boxes_have_the_color_of_the_widest_of_them(void **state)
{
    (void)state;
    char gray[24];
    snprintf(gray, sizeof gray, "fill=\"#%06x\"", flm_tone_merged.light);
    for (int wide = 0; wide < 2; wide++) { /* of 1.1 px, or of 0.1 px */
        struct flm_text text = {0};
        flm_text_format(&text, "main %d\n", wide ? 1 : 12000);
        for (int i = 0; i < 1300; i++)
            flm_text_format(&text, "main;x%d 1\n", i);
        flm_text_putc(&text, 0);
        struct flm_viewer *v = viewer_of_folded(text.at);
        struct flm_text out = first_of(v);
        assert_int_equal(count_of(out.at, gray), !wide);
        assert_true(count_of(out.at, "h") > 3);
        flm_text_clear(&out);
        flm_text_clear(&text);
        flm_viewer_free(v);
    }
}

static void of_nothing_there_is_no_picture(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    struct flm_text out = first_of(v);
    assert_string_equal(out.at, "");
    flm_text_clear(&out);
    flm_viewer_free(v);
}

static bool write(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    bool good =
        flm_first_picture_write(context, &out, why) && (!out.failed || flm_error_memory(why));
    flm_text_clear(&out);
    return good;
}

static void memory_that_runs_out_is_said(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;parse 3\nmain;read_[k] 1\n");
    assert_true(assert_survives_failures(write, v) > 3);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_lines_and_wide_ones_have_labels),
        cmocka_unit_test(a_label_has_room_or_is_hidden_in_narrow_windows),
        cmocka_unit_test(every_color_is_there_for_both_themes),
        cmocka_unit_test(the_picture_of_a_large_profile_is_bounded),
        cmocka_unit_test(merged_boxes_have_the_color_of_the_widest_of_them),
        cmocka_unit_test(of_nothing_there_is_no_picture),
        cmocka_unit_test(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
