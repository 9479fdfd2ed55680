#include "viewer/paint/box_style.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"

/* How the box of a function styles; `room`: a label may fit. */
static struct flm_box look(struct viewing *seen, struct flm_box_styles *styles,
                           const char *function)
{
    struct viewing_box found = viewing_box(seen, function);
    struct flm_box box = {.has_room = true};
    assert_true(flm_box_styles_init(styles, seen->viewer, found.pane, NULL));
    flm_box_styles_apply(styles, &found.box, &box);
    return box;
}

static void the_label_is_the_name_and_the_root_says_how_much(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    viewing_init(&seen, profile_of("main;parse 3\nmain;write 5\n"), 816, 400, 1);
    struct flm_box box = look(&seen, &styles, "parse");
    assert_true(flm_bytes_are(box.label, "parse"));
    struct flm_rectangle root = {.total = 8, .count = 1};
    box = (struct flm_box){.has_room = true};
    flm_box_styles_apply(&styles, &root, &box);
    assert_true(flm_bytes_start_with(box.label, "all, 8"));
    struct flm_rectangle run = {
        .total = 2, .count = 41, .level = 1, .node = {1}, .flags = FLM_RECTANGLE_MERGED};
    box = (struct flm_box){.has_room = true};
    flm_box_styles_apply(&styles, &run, &box);
    assert_true(flm_bytes_start_with(box.label, "+41, 25"));
    flm_box_styles_clear(&styles);
    viewing_clear(&seen);
}

static void negative_sums_are_hatched_and_the_root_says_what_was_gained_and_lost(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    static const struct {
        const char *name;
        double value;
    } leaves[] = {{"grown", 8}, {"shrunk", -9}};
    for (size_t i = 0; i < 2; i++) {
        struct flm_frame frame = flm_builder_function(b, leaves[i].name, strlen(leaves[i].name));
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric,
                        leaves[i].value);
    }
    viewing_init(&seen, flm_builder_finish(b, NULL), 816, 400, 1);
    assert_int_equal(look(&seen, &styles, "grown").texture, FLM_TEXTURE_NONE);
    assert_int_equal(look(&seen, &styles, "shrunk").texture, FLM_TEXTURE_FALLING);
    struct flm_rectangle root = {.total = 17, .count = 1};
    struct flm_box box = {.has_room = true};
    flm_box_styles_apply(&styles, &root, &box);
    if (!flm_bytes_are(box.label, "all, -1 sample (+8, -9)"))
        fail_msg("%.*s", (int)box.label.size, box.label.at);
    flm_box_styles_clear(&styles);
    viewing_clear(&seen);
}

static void one_function_is_one_color_and_an_ancestor_is_muted(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;lex 5\nidle 1\n"), 816, 400, 1);
    uint32_t lex = look(&seen, &styles, "lex").fill;
    uint32_t main_before = look(&seen, &styles, "main").fill;
    viewing_click(&seen, "parse", 2);
    viewing_key(&seen, "Escape", 0);
    assert_int_equal(look(&seen, &styles, "lex").fill, lex);
    uint32_t above = look(&seen, &styles, "main").fill;
    assert_int_not_equal(above, main_before);
    assert_int_equal(above, flm_tone_ancestor.light);
    viewing_clear(&seen);
}

static void what_a_search_finds_stands_out(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    viewing_init(&seen, profile_of("main;parse_json 3\nmain;write 5\nidle 1\n"), 816, 400, 1);
    assert_int_equal(look(&seen, &styles, "write").faded, 0);
    viewing_do(&seen, "search json");
    struct flm_box found = look(&seen, &styles, "parse_json"),
                   other = look(&seen, &styles, "write");
    assert_true(found.faded == 0 && other.faded > 0);
    assert_true(found.outline_px > 0 && other.outline_px == 0);
    assert_int_equal(found.lit_from, 6);
    assert_int_equal(found.lit_to, 10);
    viewing_do(&seen, "search-toggle 0");
    assert_int_equal(look(&seen, &styles, "write").faded, 0);
    viewing_clear(&seen);
}

static void all_instances_of_what_is_pointed_at_are_outlined(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write;lex 9\nidle 1\n"), 816, 400, 1);
    struct viewing_box box = viewing_box(&seen, "lex");
    flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, (box.x0 + box.x1) / 2, box.y0 + 4, 0, false,
                       seen.now_ms);
    viewing_look(&seen);
    assert_true(flm_box_styles_init(&styles, seen.viewer, 0, NULL));
    int outlined = 0;
    const struct flm_pane *pane = &seen.viewer->scene.panes[0];
    for (size_t i = 0; i < pane->drawn.count; i++) {
        struct flm_box drawn = {.has_room = true};
        flm_box_styles_apply(&styles, &pane->drawn.at[i], &drawn);
        outlined += drawn.outline_px > 0;
    }
    assert_int_equal(outlined, 2);
    flm_box_styles_clear(&styles);
    viewing_clear(&seen);
}

static void kinds_have_a_mark_beside_their_color(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_box_styles styles;
    viewing_init(&seen, profile_of("main;sys_read_[k] 3\nmain;fast_[i] 5\n"), 816, 400, 1);
    enum flm_mark plain = look(&seen, &styles, "main").mark;
    assert_int_not_equal(look(&seen, &styles, "sys_read").mark, plain);
    assert_int_not_equal(look(&seen, &styles, "fast").mark, plain);
    assert_int_not_equal(look(&seen, &styles, "fast").mark, look(&seen, &styles, "sys_read").mark);
    viewing_clear(&seen);
}

static void forced_colors_are_the_only_ones(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 3\nmain;write 5\n"), 400, 300, 1);
    struct flm_theme theme = {.forced = true,
                              .still = true,
                              .forced_text = 0xFFFF00,
                              .forced_page = 0x000000,
                              .forced_accent = 0x00FFFF,
                              .forced_mark = 0xFF00FF};
    flm_viewer_theme(seen.viewer, &theme);
    viewing_do(&seen, "search parse");
    viewing_click(&seen, "write", 1);
    struct flm_box_styles styles;
    static const char *const names[] = {"main", "parse", "write"};
    for (int i = 0; i < 3; i++) {
        struct flm_box box = look(&seen, &styles, names[i]);
        assert_int_equal(box.fill, 0x000000);
        assert_int_equal(box.ink, 0xFFFF00);
        assert_true(box.outline_px > 0);
        assert_int_equal(box.outline, i == 1 ? 0xFF00FF : i == 2 ? 0x00FFFF : 0xFFFF00);
    }
    viewing_clear(&seen);
}

static void dark_is_another_set_of_the_same(void **state)
{
    (void)state;
    struct flm_theme light = {0}, dark = {.dark = true};
    struct flm_page_colors a = flm_page_colors(&light), b = flm_page_colors(&dark);
    assert_true(flm_luminance(a.page) > 0.9 && flm_luminance(b.page) < 0.05);
    assert_true(flm_luminance(a.text) < flm_luminance(a.muted));
    assert_true(flm_luminance(b.text) > flm_luminance(b.muted));
    for (unsigned color = 0; color < FLM_MOST_SEARCHES; color++)
        for (unsigned other = 0; other < color; other++) {
            assert_int_not_equal(flm_search_color(&light, color), flm_search_color(&light, other));
            assert_int_not_equal(flm_search_color(&dark, color), flm_search_color(&dark, other));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_label_is_the_name_and_the_root_says_how_much),
        cmocka_unit_test(negative_sums_are_hatched_and_the_root_says_what_was_gained_and_lost),
        cmocka_unit_test(one_function_is_one_color_and_an_ancestor_is_muted),
        cmocka_unit_test(what_a_search_finds_stands_out),
        cmocka_unit_test(all_instances_of_what_is_pointed_at_are_outlined),
        cmocka_unit_test(kinds_have_a_mark_beside_their_color),
        cmocka_unit_test(forced_colors_are_the_only_ones),
        cmocka_unit_test(dark_is_another_set_of_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
