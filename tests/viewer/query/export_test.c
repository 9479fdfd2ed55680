#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check 2\nother 7\n";

/* The answer with a 0 behind it, to be cleared. */
static struct flm_text exported(struct flm_viewer *v, const char *question)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_true(flm_query_json(v, flm_bytes_of(question), &out, &why));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    return out;
}

static void the_profile_is_saved_after_its_operations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "apply drop:other");
    struct flm_text text = exported(v, "export folded");
    assert_string_equal(text.at, "main;check 2\nmain;parse;lex 8\nmain;parse;lex;read 3\n");
    flm_text_clear(&text);
    struct flm_text file = exported(v, "export flm");
    assert_memory_equal(file.at, "FLAMEL\x1a\n", 8);
    flm_text_clear(&file);
    flm_viewer_free(v);
}

static void kinds_that_were_marked_are_marked_again(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read_[k] 3\n");
    struct flm_text text = exported(v, "export folded");
    assert_string_equal(text.at, "main;read_[k] 3\n");
    flm_text_clear(&text);
    flm_viewer_free(v);
}

static void a_comparison_is_saved_with_both_values(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;a 5\nmain;b 1\n");
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("main;a 2\n"), "before", NULL));
    struct flm_text text = exported(v, "export folded");
    assert_string_equal(text.at, "main;a 2 5\nmain;b 0 1\n");
    flm_text_clear(&text);
    flm_viewer_free(v);
}

static void assert_side(struct flm_viewer *v, const char *question, const char *expected)
{
    struct flm_text file = exported(v, question);
    struct flm_profile *side = flm_profile_open(file.at, file.size - 1, NULL, NULL, NULL);
    assert_non_null(side);
    assert_folded(side, expected);
    flm_profile_free(side);
    flm_text_clear(&file);
}

static void each_side_of_a_comparison_is_saved_after_the_operations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;a 5\nmain;b 1\n");
    assert_true(
        flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("main;a 2\nb 3\n"), "before", NULL));
    act(v, "apply drop:b");
    assert_side(v, "export after", "main;a 5\n");
    assert_side(v, "export before", "main;a 2\n");
    flm_viewer_free(v);
}

static void pictures_are_of_the_view(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_text svg = exported(v, "export svg");
    assert_memory_equal(svg.at, "<?xml ", 6);
    assert_non_null(strstr(svg.at, ">other</text>"));
    flm_text_clear(&svg);
    struct flm_text pdf = exported(v, "export pdf");
    assert_memory_equal(pdf.at, "%PDF-1.", 7);
    flm_text_clear(&pdf);
    flm_viewer_free(v);
}

static void pictures_are_as_wide_as_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *question, *width;
    } asked[] = {
        {"export svg 1040", " width=\"1040\""},
        {"export svg 718", " width=\"718\""},
        {"export svg 1", " width=\"320\""},
        {"export svg 1000000000000", " width=\"32767\""},
    };
    struct flm_viewer *v = viewer_of_folded(folded);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct flm_text svg = exported(v, asked[i].question);
        assert_non_null(strstr(svg.at, asked[i].width));
        flm_text_clear(&svg);
    }
    flm_viewer_free(v);
}

static void the_selected_stack_is_a_frame_a_line(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    char action[40];
    snprintf(action, sizeof action, "select %u", node_named(v, "lex").index);
    act(v, action);
    struct flm_text text = exported(v, "export stack");
    assert_string_equal(text.at, "lex\nparse\nmain\n");
    flm_text_clear(&text);
    flm_viewer_free(v);
}

static void assert_refused(struct flm_viewer *v, const char *question, const char *says)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_false(flm_query_json(v, flm_bytes_of(question), &out, &why));
    assert_string_equal(why.text, says);
    flm_text_clear(&out);
}

static void what_cannot_be_saved_is_said(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_refused(v, "export gif",
                   "'gif' cannot be exported: it is none of svg, pdf, stack, code, after, before, "
                   "flm, packed, pprof, otlp, otlp-json, gecko, speedscope, json, d3, trace, "
                   "callgrind, folded, "
                   "difffolded");
    static const char *const wrong[] = {"export svg 0", "export svg x", "export svg1",
                                        "export svg -3", "export stack 700"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct flm_text out = {0};
        assert_false(flm_query_json(v, flm_bytes_of(wrong[i]), &out, NULL));
        flm_text_clear(&out);
    }
    assert_refused(v, "export stack", "no frame is selected");
    assert_refused(v, "export before", "nothing is compared");
    flm_viewer_free(v);
    v = flm_viewer_new(NULL);
    assert_refused(v, "export svg", "there is nothing to draw: no profile is open");
    assert_refused(v, "export flm", "no profile is open");
    assert_refused(v, "export stack", "no frame is selected");
    flm_viewer_free(v);
}

static void saving_survives_failing_allocations(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *question =
            (const char *[]){"export svg", "export pdf", "export folded", "export after"}[i];
        bool failed = true;
        for (size_t nth = 1; failed; nth++) {
            struct flm_viewer *v = viewer_of_folded(folded);
            struct flm_text out = {0};
            struct flm_error why = {0};
            act(v, "zoom 3");
            act(v, "apply drop:other");
            allocation_fail_from(nth);
            bool good = flm_query_json(v, flm_bytes_of(question), &out, &why) && !out.failed;
            failed = allocation_has_failed();
            allocation_fail_from(0);
            assert_true(good || (failed && (out.failed || why.kind == FLM_ERROR_MEMORY)));
            flm_text_clear(&out);
            flm_viewer_free(v);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profile_is_saved_after_its_operations),
        cmocka_unit_test(kinds_that_were_marked_are_marked_again),
        cmocka_unit_test(a_comparison_is_saved_with_both_values),
        cmocka_unit_test(each_side_of_a_comparison_is_saved_after_the_operations),
        cmocka_unit_test(pictures_are_of_the_view),
        cmocka_unit_test(pictures_are_as_wide_as_is_asked_for),
        cmocka_unit_test(the_selected_stack_is_a_frame_a_line),
        cmocka_unit_test(what_cannot_be_saved_is_said),
        cmocka_unit_test(saving_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
