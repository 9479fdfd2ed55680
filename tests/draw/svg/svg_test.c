#include "flamel/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "draw/svg/pictures.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/random_profile.h"
#include "support/profile/xml.h"

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* ---- Any bytes ------------------------------------------------------------------------------- */

static void a_picture_is_valid_xml_whatever_the_names_and_options(void **state)
{
    (void)state;
    uint64_t random = 33;
    for (int i = 0; i < 300; i++) {
        static const char *const texts[] = {NULL, "plain",   "<&>\"'",   "]]>",
                                            "--", "a--b---", "\xFF\x01", "</svg>\n"};
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "m", texts[1 + random_below(&random, 7)]);
        for (int k = 0; k < 30; k++) {
            struct flm_node node = flm_builder_root(b);
            for (unsigned level = random_below(&random, 5); level > 0; level--) {
                char name[12], module[6];
                for (size_t c = 0; c < sizeof name; c++)
                    name[c] = (char)random_below(&random, 256);
                for (size_t c = 0; c < sizeof module; c++)
                    module[c] = (char)random_below(&random, 256);
                struct flm_frame_record record = {
                    .function = flm_builder_string(b, name, random_below(&random, 12)).index,
                    .module = flm_builder_string(b, module, random_below(&random, 6)).index,
                    .file = flm_builder_string(b, module, random_below(&random, 6)).index,
                    .line = random_below(&random, 3),
                    .kind = random_below(&random, FLM_KIND_COUNT)};
                node = flm_builder_child(b, node, flm_builder_frame(b, &record));
            }
            flm_builder_add(b, node, metric, 1 + random_below(&random, 1000) / 8.0);
        }
        flm_builder_lost(b, "<lines>", "line", 3, 2);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_svg_options options = {
            .size = sizeof options,
            .title = texts[random_below(&random, 8)],
            .subtitle = texts[random_below(&random, 8)],
            .notes = texts[random_below(&random, 8)],
            .count_name = texts[random_below(&random, 8)],
            .name_type = texts[random_below(&random, 8)],
            .font_type = texts[random_below(&random, 8)],
            .search = texts[random_below(&random, 8)],
            .background = random_below(&random, 2) ? "#123456"
                          : i % 2                  ? "green"
                                                   : NULL,
            .width_px = 300 + random_below(&random, 2000),
            .frame_height_px = random_below(&random, 30) > 2 ? random_below(&random, 20) + 3 : 0,
            .colors = (enum flm_colors)random_below(&random, FLM_COLORS_COUNT),
            .shades = (enum flm_shades)random_below(&random, 3),
            .order = (enum flm_draw_order)random_below(&random, 3),
            .inverted = random_below(&random, 2),
            .reverse = random_below(&random, 2),
            .without_script = random_below(&random, 2)};
        struct flm_text out = drawn(p, &options);
        assert_xml((struct flm_bytes){out.at, out.size});
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void names_are_never_markup(void **state)
{
    (void)state;
    struct flm_text out = drawn_folded(
        "m;</script><svg onload=alert(1)> 5\nm;]]><script>alert(2)</script> 3\n",
        &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .min_width = 0.001});
    assert_xml((struct flm_bytes){out.at, out.size});
    assert_int_equal(count_of(out.at, "<script>"), 1);
    assert_int_equal(count_of(out.at, "<svg "), 1);
    assert_holds(&out, "&lt;svg onload=alert(1)&gt;");
    flm_text_clear(&out);
}

static void the_script_makes_only_text_of_names(void **state)
{
    (void)state;
    struct flm_text out =
        drawn_folded("main 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_lacks(&out, "innerHTML");
    assert_lacks(&out, "insertAdjacent");
    assert_lacks(&out, "eval(");
    assert_lacks(&out, "Function(");
    assert_lacks(&out, "document.write");
    assert_int_equal(count_of(out.at, "http"), count_of(out.at, "http://www.w3.org/"));
    flm_text_clear(&out);
}

/* ---- The still picture ----------------------------------------------------------------------- */

static void a_still_picture_is_complete(void **state)
{
    (void)state;
    struct flm_svg_options options = {
        .size = sizeof options, .title = "app", .subtitle = "99 Hz", .without_script = true};
    struct flm_text out = drawn_folded("main;read 30\nmain;write_[k] 10\nmain 5\n", &options);
    assert_holds(&out, ">app</tspan>");
    assert_holds(&out, ">99 Hz</tspan>");
    assert_holds(&out, ">all</text>");
    assert_holds(&out, ">main</text>");
    assert_holds(&out, ">read</text>");
    assert_holds(&out, ">write</text>");
    assert_holds(&out, "<tspan>3 stacks</tspan>");
    assert_holds(&out, ">45 samples</tspan>");
    assert_holds(&out, ">drawn 4</tspan>");
    assert_holds(&out, ">merged 0 (0 %)</tspan>");
    assert_holds(&out, ">lost 0</tspan>");
    assert_holds(&out, ">unsymbolized 0 %</tspan>");
    assert_holds(&out, ">kernel</text>");
    assert_holds(&out, "prefers-color-scheme:dark");
    assert_lacks(&out, "<script");
    assert_lacks(&out, "<metadata");
    flm_text_clear(&out);
}

/* The position of the label `text`. */
static double label_y(const struct flm_text *picture, const char *text)
{
    char end[40];
    sprintf(end, "\">%s</text>", text);
    const char *at = strstr(picture->at, end);
    assert_non_null(at);
    while (strncmp(at, "y=\"", 3) != 0)
        at--;
    return strtod(at + 3, NULL);
}

static void the_root_is_at_the_bottom_and_inverted_at_the_top(void **state)
{
    (void)state;
    for (int inverted = 0; inverted < 2; inverted++) {
        struct flm_text out = drawn_folded(
            "main;read 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                       .inverted = inverted});
        double all = label_y(&out, "all"), main_y = label_y(&out, "main"),
               read = label_y(&out, "read");
        assert_true(inverted ? all < main_y && main_y < read : all > main_y && main_y > read);
        assert_holds(&out, inverted ? "<title>Icicle graph<" : "<title>Flame graph<");
        flm_text_clear(&out);
    }
}

static void reverse_puts_leaves_first(void **state)
{
    (void)state;
    struct flm_text out = drawn_folded(
        "main;read 1\n",
        &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .reverse = true});
    assert_true(label_y(&out, "main") < label_y(&out, "read"));
    flm_text_clear(&out);
}

static void sizes_are_those_of_the_options(void **state)
{
    (void)state;
    struct flm_svg_options options = {
        .size = sizeof options, .width_px = 800, .frame_height_px = 30, .font_size_px = 16};
    struct flm_text out = drawn_folded("a;b;c 1\n", &options);
    assert_holds(&out, "width=\"800\" height=\"192\" viewBox=\"0 0 800 192\"");
    assert_holds(&out, "<g class=\"labels\" font-size=\"16\">");
    assert_true(label_y(&out, "a") - label_y(&out, "b") == 30);
    flm_text_clear(&out);
}

static void values_are_named_and_scaled_by_options(void **state)
{
    (void)state;
    struct flm_svg_options options = {.size = sizeof options, .count_name = "cows", .factor = 0.5};
    struct flm_text out = drawn_folded("a 10\n", &options);
    assert_holds(&out, ">5 cows</tspan>");
    assert_holds(&out, "\"unit\":\"cows\"");
    assert_holds(&out, "\"factor\":0.5");
    flm_text_clear(&out);
}

static void a_background_that_is_given_leaves_no_dark_mode(void **state)
{
    (void)state;
    struct flm_text out =
        drawn_folded("a 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                        .background = "yellow"});
    assert_holds(&out, "#eeeeb0");
    assert_lacks(&out, "prefers-color-scheme");
    flm_text_clear(&out);
    out = drawn_folded("a 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                          .background = "#102030"});
    assert_holds(&out, "class=\"flamel on-dark\"");
    flm_text_clear(&out);
}

static void a_picture_of_an_empty_profile_says_why_it_is_empty(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "Nothing to draw: the profile has no stacks.");
    assert_lacks(&out, "<script");
    assert_xml((struct flm_bytes){out.at, out.size});
    flm_text_clear(&out);
    flm_profile_free(p);

    b = flm_builder_new(NULL);
    flm_builder_metric(b, "<cpu>", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_add(b, node, flm_builder_metric(b, "bytes", "bytes"), 5);
    p = flm_builder_finish(b, NULL);
    out = drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "no stack has a value in &lt;cpu&gt;.");
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void losses_are_reported(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame_record unknown = {.function = flm_builder_string(b, "0x12", 4).index,
                                       .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &unknown));
    flm_builder_add(b, node, metric, 1e9);
    node = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, node, metric, 3e9);
    flm_builder_lost(b, "malformed lines", "line", 3, 12);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, ">4 s</tspan>");
    assert_holds(&out, ">lost 12 malformed lines</tspan>");
    assert_holds(&out, ">unsymbolized 25 %</tspan>");
    flm_text_clear(&out);
    out = drawn(p,
                &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .reverse = true});
    assert_holds(&out, "<tspan>2 stacks</tspan>");
    assert_holds(&out, ">unsymbolized 25 %</tspan>");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static void two_columns_are_a_comparison(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;gone 100 0\na;new 0 300\na;same 200 200\n");
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "300 samples before, 500 samples after \xC2\xB7 +66.7 % in total");
    assert_holds(&out, ">grown</text>");
    assert_holds(&out, ">shrunk</text>");
    assert_holds(&out, ">appeared</text>");
    assert_holds(&out, "flamel-appeared");
    assert_holds(&out, ">disappeared</text>");
    assert_holds(&out, ">gone</text>");
    assert_holds(&out, ">new</text>");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* Stacks without a width are reported. */
static void disappeared_stacks_are_drawn_or_reported(void **state)
{
    (void)state;
    static const struct {
        enum flm_comparison_widths widths;
        const char *gone, *new_one;
    } cases[] = {
        {FLM_WIDTHS_MAX, ">gone</text>", ">new</text>"},
        {FLM_WIDTHS_SUM, ">gone</text>", ">new</text>"},
        {FLM_WIDTHS_AFTER, "disappeared 100 samples (33.3 %) in 1 stack, not drawn at this width",
         ">new</text>"},
        {FLM_WIDTHS_BEFORE, ">gone</text>",
         "appeared 300 samples (100 %) in 1 stack, not drawn at this width"},
    };
    struct flm_profile *p = profile_of_two("a;gone 100 0\na;new 0 300\na;same 200 200\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_text out =
            drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                               .widths = cases[i].widths});
        assert_holds(&out, cases[i].gone);
        assert_holds(&out, cases[i].new_one);
        if (cases[i].widths == FLM_WIDTHS_AFTER)
            assert_lacks(&out, ">gone</text>");
        if (cases[i].widths == FLM_WIDTHS_BEFORE)
            assert_lacks(&out, ">new</text>");
        flm_text_clear(&out);
    }
    flm_profile_free(p);
}

static void grown_is_warm_and_negate_turns_it(void **state)
{
    (void)state;
    for (int negate = 0; negate < 2; negate++) {
        struct flm_profile *p = profile_of_two("a 1 100\n");
        struct flm_text out =
            drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                               .negate = negate,
                                               .without_script = true});
        const char *boxes = strstr(out.at, "class=\"boxes\"");
        assert_non_null(boxes);
        assert_non_null(strstr(boxes, negate ? "color=\"#4dacf6\"" : "color=\"#ea8751\""));
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void negative_values_are_a_comparison_by_themselves(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "change", "samples");
    struct flm_node root = flm_builder_root(b);
    flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, "less", 4)), metric, -30);
    flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, "more", 4)), metric, 10);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, ">-20 samples in total</tspan>");
    assert_holds(&out, ">less</text>");
    assert_holds(&out, ">more</text>");
    assert_holds(&out, "\"compare\":\"signed\"");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- When something goes wrong --------------------------------------------------------------- */

struct work {
    const struct flm_profile *p;
    struct flm_svg_options options;
    bool palette;
};

static bool count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return true;
}

static bool draw_again(void *context, struct flm_error *why)
{
    struct work *work = context;
    size_t size = 0;
    work->options.size = sizeof work->options;
    return work->palette ? flm_svg_palette_write(work->p, &work->options, count_bytes, &size, why)
                         : flm_svg_write(work->p, &work->options, count_bytes, &size, why);
}

static void drawing_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("m\x01;a::b_[k] 5\nm;c;d 3\nm;e 1\n");
    struct flm_profile *two = profile_of_two("a;b 1 2\na;c 3 0\n");
    static const char given[] = "c->rgb(1,2,3)\n";
    struct work works[] = {
        {.p = p},
        {.p = p, .options = {.reverse = true, .order = FLM_DRAW_BY_TOTAL}},
        {.p = p, .options = {.palette = {given, sizeof given - 1}}},
        {.p = p, .options = {.palette = {given, sizeof given - 1}}, .palette = true},
        {.p = two, .options = {.widths = FLM_WIDTHS_MAX}},
        {.p = two,
         .options = {.normalize = FLM_NORMALIZE_FUNCTION,
                     .normalize_function = "b",
                     .changes = "grown,disappeared"}},
    };
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
        assert_true(assert_survives_failures(draw_again, &works[i]) > 1);
    flm_profile_free(p);
    flm_profile_free(two);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    size_t *left = context;
    if (*left < size)
        return false;
    *left -= size;
    return true;
}

static void a_sink_that_refuses_ends_it(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_text all =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    size_t size = all.size;
    flm_text_clear(&all);
    for (size_t left = 0; left < size; left += size / 4) {
        size_t room = left;
        struct flm_error why = {0};
        assert_false(
            flm_svg_write(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)},
                          refuse, &room, &why));
        assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    }
    flm_profile_free(p);
}

static void equal_profiles_are_equal_pictures(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_profile *again = poured(p, &random);
    struct flm_text a = drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    struct flm_text b =
        drawn(again, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_string_equal(a.at, b.at);
    flm_text_clear(&a);
    flm_text_clear(&b);
    flm_profile_free(p);
    flm_profile_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_valid_xml_whatever_the_names_and_options),
        cmocka_unit_test(names_are_never_markup),
        cmocka_unit_test(the_script_makes_only_text_of_names),
        cmocka_unit_test(a_still_picture_is_complete),
        cmocka_unit_test(the_root_is_at_the_bottom_and_inverted_at_the_top),
        cmocka_unit_test(reverse_puts_leaves_first),
        cmocka_unit_test(sizes_are_those_of_the_options),
        cmocka_unit_test(values_are_named_and_scaled_by_options),
        cmocka_unit_test(a_background_that_is_given_leaves_no_dark_mode),
        cmocka_unit_test(a_picture_of_an_empty_profile_says_why_it_is_empty),
        cmocka_unit_test(losses_are_reported),
        cmocka_unit_test(two_columns_are_a_comparison),
        cmocka_unit_test(disappeared_stacks_are_drawn_or_reported),
        cmocka_unit_test(grown_is_warm_and_negate_turns_it),
        cmocka_unit_test(negative_values_are_a_comparison_by_themselves),
        cmocka_unit_test(drawing_survives_failed_allocations),
        cmocka_unit_test(a_sink_that_refuses_ends_it),
        cmocka_unit_test(equal_profiles_are_equal_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
