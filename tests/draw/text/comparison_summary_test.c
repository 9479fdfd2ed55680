#include "draw/text/comparison_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* root, a, b, c, d and e side by side. */
enum { NODES = 6 };
static const uint32_t end[NODES] = {6, 2, 3, 4, 5, 6};

static const struct flm_comparison_terms samples = {.unit = {"samples", 7}, .factor = 1};

static struct flm_comparison compared(const double *before, const double *after,
                                      struct flm_comparison_options options)
{
    struct flm_comparison c;
    assert_true(flm_comparison_init(&c, NODES, end, before, after, &options, NULL));
    return c;
}

static void assert_says(struct flm_text *text, const char *expected)
{
    flm_text_putc(text, 0);
    assert_false(text->failed);
    assert_string_equal(text->at, expected);
    flm_text_clear(text);
}

/* gone, less, same, more, new */
static const double before[NODES] = {0, 100, 200, 100, 100, 0};
static const double after[NODES] = {0, 0, 100, 100, 300, 30};

static void the_sum_names_the_normalization(void **state)
{
    (void)state;
    static const struct {
        enum flm_normalize by;
        double scale;
        const char *says;
    } cases[] = {
        {FLM_NORMALIZE_NONE, 1, "similarity 0.58 \xC2\xB7 not normalized"},
        {FLM_NORMALIZE_TOTAL, 1.06,
         "similarity 0.58 \xC2\xB7 normalized: before \xC3\x97 1.06, so that the totals are equal"},
        {FLM_NORMALIZE_DURATION, 2,
         "similarity 0.52 \xC2\xB7 normalized: before \xC3\x97 2, as if recorded for as long"},
        {FLM_NORMALIZE_FUNCTION, 1 / 3.0,
         "similarity 0.38 \xC2\xB7 normalized: before \xC3\x97 0.3333, so that main is equal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_comparison_options options = {.scale = cases[i].scale};
        struct flm_comparison c = compared(before, after, options);
        struct flm_comparison_terms terms = samples;
        struct flm_text text = {0}, expected = {0};
        terms.by = cases[i].by;
        terms.function = flm_bytes_of("main");
        flm_comparison_add_sum(&text, &c, &terms);
        flm_text_format(&expected,
                        "500 samples before, 530 samples after \xC2\xB7 +6 %% in total \xC2\xB7 %s",
                        cases[i].says);
        flm_text_putc(&expected, 0);
        assert_says(&text, expected.at);
        flm_text_clear(&expected);
        flm_comparison_clear(&c);
    }
}

static void a_sum_without_anything_before_has_no_percentage(void **state)
{
    (void)state;
    static const double nothing[NODES] = {0};
    struct flm_comparison c = compared(nothing, after, (struct flm_comparison_options){0});
    struct flm_text text = {0};
    flm_comparison_add_sum(&text, &c, &samples);
    assert_says(&text,
                "0 samples before, 530 samples after \xC2\xB7 +530 samples in total \xC2\xB7 "
                "similarity 0 \xC2\xB7 not normalized");
    flm_comparison_clear(&c);
}

static void only_equal_profiles_have_a_similarity_of_1(void **state)
{
    (void)state;
    double almost[NODES];
    memcpy(almost, after, sizeof almost);
    almost[3] = 101;
    struct flm_comparison c = compared(almost, after, (struct flm_comparison_options){0});
    struct flm_text text = {0};
    flm_comparison_add_sum(&text, &c, &samples);
    flm_text_putc(&text, 0);
    assert_non_null(strstr(text.at, "similarity 0.99 "));
    flm_text_clear(&text);
    flm_comparison_clear(&c);
    c = compared(after, after, (struct flm_comparison_options){0});
    flm_comparison_add_sum(&text, &c, &samples);
    assert_says(&text, "530 samples before, 530 samples after \xC2\xB7 0 % in total \xC2\xB7 "
                       "similarity 1 \xC2\xB7 not normalized");
    flm_comparison_add_parts(&text, &c, &samples);
    assert_says(&text, "nothing changed");
    flm_comparison_clear(&c);
}

/* A line of a picture, which would be cut: only significant changes. */
static void where_significance_is_known_only_significant_changes_are_listed(void **state)
{
    (void)state;
    double lost[NODES] = {0}, gained[NODES] = {0};
    struct flm_comparison_options how = {.lost = lost, .gained = gained};
    struct flm_comparison c = compared(before, after, how);
    struct flm_text text = {0};
    flm_comparison_add_parts(&text, &c, &samples);
    assert_says(&text, "nothing is significant");
    flm_comparison_clear(&c);

    for (int i = 0; i < NODES; i++)
        if (before[i] == 0 && after[i] > 0)
            gained[i] = after[i];
        else if (after[i] == 0 && before[i] > 0)
            lost[i] = before[i];
    c = compared(before, after, how);
    flm_comparison_add_parts(&text, &c, &samples);
    assert_says(&text, "significant: appeared 30 samples (6 %) \xC2\xB7 "
                       "disappeared 100 samples (20 %) \xC2\xB7 shares of before");
    flm_comparison_add_part(&text, &c, FLM_CHANGE_GROWN, &samples);
    assert_says(&text, "200 samples (40 %) in 1 stack, none significant");
    flm_comparison_clear(&c);
}

static void parts_say_how_much_and_whether_it_is_seen(void **state)
{
    (void)state;
    struct flm_comparison c = compared(before, after, (struct flm_comparison_options){0});
    struct flm_text text = {0};
    flm_comparison_add_parts(&text, &c, &samples);
    assert_says(&text, "appeared 30 samples (6 %) in 1 stack \xC2\xB7 "
                       "grown 200 samples (40 %) in 1 stack \xC2\xB7 "
                       "disappeared 100 samples (20 %) in 1 stack \xC2\xB7 "
                       "shrunk 100 samples (20 %) in 1 stack \xC2\xB7 shares of before");
    flm_comparison_clear(&c);

    c = compared(before, after,
                 (struct flm_comparison_options){.widths = FLM_WIDTHS_AFTER,
                                                 .kinds = 1u << FLM_CHANGE_DISAPPEARED |
                                                          1u << FLM_CHANGE_SHRUNK});
    flm_comparison_add_parts(&text, &c, &samples);
    assert_says(&text, "appeared 30 samples (6 %) in 1 stack, left out \xC2\xB7 "
                       "grown 200 samples (40 %) in 1 stack, left out \xC2\xB7 "
                       "disappeared 100 samples (20 %) in 1 stack, not drawn at this width "
                       "\xC2\xB7 shrunk 100 samples (20 %) in 1 stack \xC2\xB7 shares of before");
    flm_comparison_clear(&c);
}

static void a_signed_column_shows_gains(void **state)
{
    (void)state;
    static const double change[NODES] = {0, -30, 10, 0, 0, 0};
    struct flm_comparison c = compared(NULL, change, (struct flm_comparison_options){0});
    struct flm_change_colors colors = {.absolute = true};
    struct flm_text text = {0};
    flm_comparison_add_sum(&text, &c, &samples);
    assert_says(&text, "-20 samples in total");
    flm_comparison_add_legend(&text, &c, &colors);
    assert_says(&text, "width: gained and lost together \xC2\xB7 color: change of the subtree, "
                       "relative to the total");
    struct flm_change all = flm_comparison_change(&c, 0, FLM_CHANGE_OF_SUBTREE);
    flm_comparison_add_change(&text, &c, &all, &samples);
    assert_says(&text, "-20 samples");
    flm_comparison_clear(&c);
}

static void the_texts_explain_gray(void **state)
{
    (void)state;
    struct flm_comparison c =
        compared(before, after,
                 (struct flm_comparison_options){
                     .widths = FLM_WIDTHS_SUM, .before_sample = 1, .after_sample = 1, .sigmas = 3});
    struct flm_change_colors colors = {.scope = FLM_CHANGE_OF_SELF};
    struct flm_text text = {0};
    flm_comparison_add_legend(&text, &c, &colors);
    assert_says(&text, "width: both together \xC2\xB7 color: change of each frame "
                       "alone, relative to the larger value \xC2\xB7 gray: the same, or too few "
                       "samples to tell (3 \xCF\x83 of counting, an estimate from one run each)");
    flm_comparison_clear(&c);
}

static void a_change_has_both_values_and_a_percentage(void **state)
{
    (void)state;
    struct flm_comparison_options options = {
        .scale = 1.5, .before_sample = 1, .after_sample = 1, .sigmas = 3};
    static const struct {
        double before, after;
        const char *says;
    } cases[] = {
        {100, 300,
         "100 samples before (normalized 150 samples), 300 samples after: +150 samples "
         "(+100 %)"},
        {100, 0,
         "100 samples before (normalized 150 samples), 0 samples after: -150 samples "
         "(gone)"},
        {0, 300, "0 samples before (normalized 0 samples), 300 samples after: +300 samples (new)"},
        {200, 300,
         "200 samples before (normalized 300 samples), 300 samples after: 0 samples "
         "(0 %)"},
        {2, 4,
         "2 samples before (normalized 3 samples), 4 samples after: +1 sample (+33.3 %), "
         "too few samples to tell"},
    };
    struct flm_comparison c = compared(before, after, options);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_change change = flm_comparison_judge(&c, cases[i].before, cases[i].after);
        struct flm_text text = {0};
        flm_comparison_add_change(&text, &c, &change, &samples);
        assert_says(&text, cases[i].says);
    }
    struct flm_change change = flm_comparison_judge(&c, 0, 3);
    struct flm_text text = {0};
    flm_change_add_percent(&text, &change);
    assert_says(&text, "new");
    flm_comparison_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_names_the_normalization),
        cmocka_unit_test(a_sum_without_anything_before_has_no_percentage),
        cmocka_unit_test(only_equal_profiles_have_a_similarity_of_1),
        cmocka_unit_test(where_significance_is_known_only_significant_changes_are_listed),
        cmocka_unit_test(parts_say_how_much_and_whether_it_is_seen),
        cmocka_unit_test(a_signed_column_shows_gains),
        cmocka_unit_test(the_texts_explain_gray),
        cmocka_unit_test(a_change_has_both_values_and_a_percentage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
