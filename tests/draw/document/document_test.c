#include "draw/document/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flamel/notes.h"
#include "support/core/failures.h"
#include "support/profile/painted.h"
#include "support/profile/profiles.h"

static const struct flm_rectangles nothing = {0};

static struct flm_document_pane *add_pane(struct flm_document *document, uint32_t rows,
                                          bool upwards)
{
    struct flm_document_pane *pane = flm_document_add_pane(document);
    assert_non_null(pane);
    pane->list = &nothing;
    pane->row_count = rows;
    pane->upwards = upwards;
    return pane;
}

static struct flm_document titled(double width, const char *title, const char *subtitle)
{
    struct flm_document document = flm_document_new(width, false);
    document.title = flm_document_add_text(&document, flm_bytes_of(title));
    document.subtitle = flm_document_add_text(&document, flm_bytes_of(subtitle));
    return document;
}

static struct painted painted_of(struct flm_document *document, uint64_t unknown)
{
    struct painted painted = {.unknown_letters = unknown};
    struct flm_surface surface = painted_surface(&painted);
    assert_true(flm_document_lay_out(document, &surface, NULL));
    flm_document_paint(document, &surface);
    return painted;
}

static void the_subtitle_is_next_to_the_title_or_below_it(void **state)
{
    (void)state;
    /* Letters of titles are 7.8 px wide. */
    struct flm_document document = titled(400, "Flame graph", "of a program");
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_string_equal(painted.where.at, "10 27 Flame graph\n107 27 of a program\n");
    assert_int_equal(document.boxes_top, 44);
    painted_clear(&painted);
    document.width_px = 200;
    painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_string_equal(painted.where.at, "10 27 Flame graph\n10 47 of a program\n");
    assert_int_equal(document.boxes_top, 64);
    painted_clear(&painted);
    flm_document_clear(&document);
}

static void panes_are_one_below_the_other(void **state)
{
    (void)state;
    struct flm_document document = titled(400, "", "");
    add_pane(&document, 3, true);
    struct flm_document_pane *pane = add_pane(&document, 2, false);
    pane->heading = flm_document_add_text(&document, flm_bytes_of("main"));
    pane->detail = flm_document_add_text(&document, flm_bytes_of("1.2 s"));
    flm_document_add_tick(&document, 100, flm_bytes_of("10 ms"));
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_int_equal(document.boxes_top, 64); /* below the ticks */
    assert_int_equal(document.panes.at[0].top, 64);
    assert_int_equal(document.panes.at[1].top, 64 + 3 * 19 + 19);
    assert_int_equal(document.boxes_bottom, 64 + 6 * 19);
    assert_int_equal(document.panes.at[1].width_px, 380);
    assert_string_equal(painted.text.at, "10 ms\nmain\n1.2 s\n");
    painted_clear(&painted);
    flm_document_clear(&document);
}

static void panes_side_by_side_have_their_first_levels_on_one_line(void **state)
{
    (void)state;
    for (int upwards = 0; upwards < 2; upwards++) {
        struct flm_document document = titled(400, "", "");
        document.side_by_side = true;
        add_pane(&document, 3, upwards);
        add_pane(&document, 5, upwards);
        struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
        assert_int_equal(document.panes.at[0].top, 44 + (upwards ? 2 * 19 : 0));
        assert_int_equal(document.panes.at[1].top, 44);
        assert_int_equal(document.panes.at[1].left, 10 + 184 + 12);
        assert_int_equal(document.boxes_bottom, 44 + 5 * 19);
        painted_clear(&painted);
        flm_document_clear(&document);
    }
}

static void the_legend_takes_the_lines_that_it_needs(void **state)
{
    (void)state;
    struct flm_document document = titled(200, "", "");
    add_pane(&document, 1, false);
    flm_document_add_key(&document, 1, 0, flm_bytes_of("kernel"))->mark = FLM_MARK_KERNEL;
    flm_document_add_key(&document, 2, 0, flm_bytes_of("libc.so"));
    flm_document_add_key(&document, 3, 0, flm_bytes_of("another"));
    flm_document_add_status(&document, flm_bytes_of("4 stacks"), false);
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_string_equal(painted.where.at,
                        "31 83 kernel\n109 83 libc.so\n31 107 another\n10 129 4 stacks\n");
    assert_int_equal(document.height_px, 139);
    assert_int_equal(painted.marks, 1u << FLM_MARK_KERNEL);
    assert_int_equal(painted.last_fill, 3);
    painted_clear(&painted);
    flm_document_clear(&document);
}

static void nothing_of_the_status_is_cut_off(void **state)
{
    (void)state;
    /* 25 letters of 7.2 px fit into a line. */
    struct flm_document document = titled(200, "", "");
    static const char *const parts[] = {
        "12 stacks",                                   /* next to the following one */
        "34 samples",                                  /* */
        "drawn 12,345",                                /* the next line */
        "appeared 3 \xC2\xB7 grown 4 \xC2\xB7 gone 5", /* split at a dot */
        "gray: too few samples to tell anything",      /* split at a blank */
    };
    for (size_t i = 0; i < 5; i++)
        flm_document_add_status(&document, flm_bytes_of(parts[i]), false);
    flm_document_add_status(&document, flm_bytes_of(""), true);
    flm_document_add_status(&document, flm_bytes_of("last"), true);
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_string_equal(painted.text.at, "12 stacks\n34 samples\ndrawn 12,345\n"
                                         "appeared 3\ngrown 4 \xC2\xB7 gone 5\n"
                                         "gray: too few samples to\ntell anything\nlast\n");
    assert_true(painted.rightmost <= 190);
    assert_true(painted.lowest + 10 == document.height_px);
    painted_clear(&painted);
    flm_document_clear(&document);
}

static void room_is_kept_for_the_number_of_unknown_letters(void **state)
{
    (void)state;
    struct flm_document document = titled(400, "", "");
    flm_document_add_status(&document, flm_bytes_of("4 stacks"), false);
    struct painted none = painted_of(&document, 0);
    double height = document.height_px;
    assert_string_equal(none.text.at, "4 stacks\n");
    painted_clear(&none);
    struct painted some = painted_of(&document, 3);
    assert_string_equal(some.text.at,
                        "4 stacks\n3 letters are not in the font and are shown as ?\n");
    assert_true(document.height_px == height && some.lowest < height);
    painted_clear(&some);
    flm_document_clear(&document);
}

static void names_are_made_plain(void **state)
{
    (void)state;
    struct flm_document document = titled(400, "a\x01\xFF", "");
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_string_equal(painted.text.at, "a\xE2\x90\x81\xEF\xBF\xBD\n");
    painted_clear(&painted);
    flm_document_clear(&document);
}

static bool write_both(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_document document = flm_document_new(300, true);
    struct flm_text svg = {0}, pdf = {0};
    document.title = flm_document_add_text(&document, flm_bytes_of("A \x01 title"));
    struct flm_document_pane *pane = flm_document_add_pane(&document);
    if (pane)
        pane->list = &nothing;
    flm_document_add_key(&document, 1, 2, flm_bytes_of("kernel"));
    flm_document_add_tick(&document, 10, flm_bytes_of("1 s"));
    flm_document_add_status_line(&document, &(struct flm_status){.unit = {"", 0}});
    bool good = flm_document_write_svg(&document, &svg, why) &&
                flm_document_write_pdf(&document, &pdf, why) &&
                ((!svg.failed && !pdf.failed) || flm_error_memory(why));
    flm_text_clear(&svg);
    flm_text_clear(&pdf);
    flm_document_clear(&document);
    return good;
}

static void notes_have_a_line_each_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 8\n");
    for (int i = 0; i < FLM_DOCUMENT_NOTES + 2; i++) {
        char text[32];
        size_t size = (size_t)snprintf(text, sizeof text, "%03d of them", i);
        struct flm_written_note note = {
            .about = FLM_NOTE_ABOUT_FUNCTION, .function = {"parse", 5}, .text = {text, size}};
        struct flm_profile *noted = flm_note_add(p, &note, NULL, NULL);
        assert_non_null(noted);
        flm_profile_free(p);
        p = noted;
    }
    struct flm_written_notes *notes = flm_written_notes_read(p, NULL);
    assert_non_null(notes);
    struct flm_document document = titled(400, "", "");
    flm_document_add_status(&document, flm_bytes_of("1 stack"), false);
    flm_document_add_notes(&document, notes, FLM_NO_TIME);
    struct painted painted = painted_of(&document, FLM_NO_UNKNOWN);
    assert_int_equal(document.pieces.count, 1 + FLM_DOCUMENT_NOTES + 1);
    for (size_t i = 1; i < document.pieces.count; i++) {
        assert_true(document.pieces.at[i].x == FLM_DOCUMENT_PAD);
        assert_true(document.pieces.at[i].y == document.pieces.at[i - 1].y + FLM_DOCUMENT_LINE);
    }
    assert_non_null(strstr(painted.where.at, " note on parse: 000 of them\n"));
    assert_non_null(strstr(painted.where.at, " note on parse: 039 of them\n"));
    assert_non_null(strstr(painted.where.at, " and 2 more notes\n"));
    painted_clear(&painted);
    flm_document_clear(&document);
    flm_written_notes_free(notes);
    flm_profile_free(p);
}

static void documents_survive_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(write_both, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_subtitle_is_next_to_the_title_or_below_it),
        cmocka_unit_test(panes_are_one_below_the_other),
        cmocka_unit_test(panes_side_by_side_have_their_first_levels_on_one_line),
        cmocka_unit_test(the_legend_takes_the_lines_that_it_needs),
        cmocka_unit_test(nothing_of_the_status_is_cut_off),
        cmocka_unit_test(room_is_kept_for_the_number_of_unknown_letters),
        cmocka_unit_test(names_are_made_plain),
        cmocka_unit_test(notes_have_a_line_each_and_the_rest_is_counted),
        cmocka_unit_test(documents_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
