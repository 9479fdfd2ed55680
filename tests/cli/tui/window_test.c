#include "cli/tui/internal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/profile/viewing.h"
#include "support/record/tui.h"

static void the_lines_say_what_is_shown_and_what_is_selected(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    const char *header = emulator_line(&session.terminal, 0);
    assert_non_null(strstr(header, " flamel  app.folded  flame  chart  heatmap  sandwich  tree"));
    assert_non_null(strstr(header, "/ search    ?"));
    assert_non_null(
        strstr(emulator_line(&session.terminal, 23), " 4 stacks  100 samples  drawn 9"));
    session_type(&session, "\033[B\033[B");
    session_settle(&session);
    assert_string_equal(emulator_line(&session.terminal, 21), " parse_text");
    assert_string_equal(
        emulator_line(&session.terminal, 22),
        " total 60 samples 60 % of total 70.6 % of parent  self 0 samples 0 % of total");
    session_type(&session, "\033[<35;3;4M"); /* the pointer comes first, on idle_loop */
    session_settle(&session);
    assert_string_equal(emulator_line(&session.terminal, 21), " wait_long");
    assert_non_null(strstr(emulator_line(&session.terminal, 22), "15 % of total"));
    session_type(&session, "u");
    session_await(&session, " main");
    tui_quit(&session);
}

static void views_have_their_titles_where_there_is_room(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 144, 24);
    assert_non_null(
        strstr(emulator_line(&session.terminal, 0),
               " Flame graph  Flame chart  Heatmap  Sandwich  Call tree  Top table  Comparison "));
    tui_quit(&session);
}

static void a_narrow_window_has_what_matters_most(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 40, 10);
    session_type(&session, "j");
    session_settle(&session);
    assert_non_null(strstr(emulator_line(&session.terminal, 0), "app.folded"));
    assert_non_null(
        strstr(emulator_line(&session.terminal, 8), "main  total 85 samples 85 % of total"));
    assert_non_null(strstr(emulator_line(&session.terminal, 9), "4 stacks"));
    session_resize(&session, 40, 2); /* the picture alone */
    session_await(&session, "main");
    assert_int_equal(emulator_find(&session.terminal, "4 stacks", 0), -1);
    tui_quit(&session);
}

/* So many frames of a function that calls itself, above a leaf: 100 samples. */
static void start_deep(struct session *session, int columns, int rows, int depth)
{
    struct flm_text folded = {0};
    flm_text_puts(&folded, "main;");
    for (int i = 0; i < depth; i++)
        flm_text_puts(&folded, "deep;");
    flm_text_puts(&folded, "read_bytes 90\nmain;deep;write 10\n");
    flm_text_putc(&folded, 0);
    assert_false(folded.failed);
    tui_start_text(session, columns, rows, folded.at);
    flm_text_clear(&folded);
}

static void recursion_that_fills_the_window_is_offered_to_be_collapsed(void **state)
{
    (void)state;
    struct session session = {0};
    start_deep(&session, 80, 24, 118);
    assert_non_null(strstr(emulator_line(&session.terminal, 23),
                           " deep calls itself 118 deep: R collapses it  2 stacks"));
    assert_int_equal(emulator_find(&session.terminal, "read_bytes", 0), -1);
    session_type(&session, "R");
    session_await(&session, "read_bytes");
    assert_true(emulator_find(&session.terminal,
                              "deep \xC3\x97"
                              "118",
                              0) > 0);
    assert_null(strstr(emulator_line(&session.terminal, 23), "collapses"));
    session_type(&session, "jk"); /* its callee, and back to deep */
    session_await(&session, "recursion up to 118 deep");
    session_type(&session, "R"); /* this function alone */
    session_await(&session, "collapse direct,!deep");
    session_settle(&session);
    assert_int_equal(emulator_find(&session.terminal, "read_bytes", 0), -1);
    session_type(&session, "U");
    session_await(&session, "read_bytes");
    session_type(&session, "O");
    session_settle(&session);
    assert_int_equal(emulator_find(&session.terminal, "read_bytes", 0), -1);
    tui_quit(&session);
}

static void a_wide_window_has_a_panel(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 160, 40);
    session_await(&session, "nothing is selected");
    session_type(&session, "j");
    int row = session_await(&session, "Callees");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "parse_text"));
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "70.6 %"));
    session_click(&session, 0, 125, row + 2); /* the other one that it calls */
    session_await(&session, "Callers");
    assert_int_equal(tui_row(&session, "write_text"), 1); /* the title of the panel */
    session_type(&session, "b");
    session_await_gone(&session, "Callers");
    tui_quit(&session);
}

static void chips_are_switched_and_removed_by_clicks(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "xhide:parse_text\r");
    int row = session_await(&session, "hide parse_text");
    assert_int_equal(row, 1);
    assert_int_equal(emulator_find(&session.terminal, "parse_text", 2), -1);
    session_click(&session, 0, 5, row);
    session_settle(&session);
    assert_true(emulator_find(&session.terminal, "parse_text", 2) > 0);
    int cross = emulator_column(&session.terminal, row, "\xC3\x97");
    assert_true(cross > 0);
    session_click(&session, 0, cross, row);
    session_await_gone(&session, "hide parse_text");
    tui_quit(&session);
}

static void what_a_transform_may_become_is_offered(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "xfoc");
    session_await(&session, "focus:");
    session_type(&session, "\tmain\r");
    session_await(&session, "focus main");
    assert_int_equal(emulator_find(&session.terminal, "idle_loop", 2), -1);
    tui_quit(&session);
}

static void functions_and_calls_are_tables(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "5");
    int row = session_await(&session, "self\xE2\x96\xBE");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "40.00 %"));
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "read_bytes"));
    assert_non_null(strstr(emulator_line(&session.terminal, row + 2), "flush_all"));
    session_type(&session, "\033[B\r"); /* the second one */
    session_await(&session, " total 25 samples");
    assert_string_equal(emulator_line(&session.terminal, 21), " flush_all");
    session_click(&session, 0, emulator_column(&session.terminal, row, "total"), row);
    session_await(&session, "total\xE2\x96\xBE");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "main"));
    session_type(&session, "1");
    session_await(&session, "all, 100");
    tui_await_selected(&session, "flush_all"); /* all views have one selection */
    tui_quit(&session);
}

/* Where the percentage and the name of a function stand in the table, of a metric of that name,
 * which is the unit of its values too. */
static void find_columns(const char *metric, int *share, int *name)
{
    char text[400];
    snprintf(text, sizeof text,
             "app 1/1 [000] 1.0: 10 %s:\n\t1 other+0x1 (/bin/app)\n\n"
             "app 1/1 [000] 1.1: 30 %s:\n\t1 lex_token+0x1 (/bin/app)\n\n",
             metric, metric);
    struct session session = {0};
    const char *path = write_temporary("app.perf", flm_bytes_of(text));
    session_start(&session, 80, 24, tui_program, (void *)(uintptr_t)path);
    session_await(&session, "all, 40");
    session_type(&session, "5");
    session_await(&session, "self\xE2\x96\xBE");
    session_await(&session, "75.00 %");
    *share = tui_column(&session, "75.00 %");
    *name = tui_column(&session, "lex_token");
    tui_quit(&session);
}

static void a_unit_is_as_wide_as_its_letters(void **state)
{
    (void)state;
    static const char *const units[] = {
        "\u043a\u044d\u0448-\u043f\u0440\u043e\u043c\u0430\u0445\u0438",
        "\u7f13\u5b58\u672a\u547d\u4e2d", "e\u0301vents", "\U0001F525"};
    int share, name, wanted_share, wanted_name;
    find_columns("abc-defghij", &wanted_share, &wanted_name);
    assert_true(wanted_share > 0 && wanted_name > wanted_share);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        find_columns(units[i], &share, &name);
        assert_int_equal(share, wanted_share);
        assert_int_equal(name, wanted_name);
    }
}

static void the_call_tree_opens_and_closes(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "4");
    session_await(&session, "read_bytes"); /* the heaviest path is open */
    session_type(&session, "\033[D");      /* the first row, main: the widest */
    session_await(&session, "\xE2\x96\xB8 main");
    assert_int_equal(emulator_find(&session.terminal, "parse_text", 0), -1);
    session_type(&session, "\033[C");
    session_await(&session, "parse_text");
    int row = tui_row(&session, "main");
    session_click(&session, 0, emulator_column(&session.terminal, row, "\xE2\x96\xBE main"), row);
    session_await_gone(&session, "parse_text");
    tui_quit(&session);
}

static void what_is_shown_is_saved_and_nothing_overwritten(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    char keys[600];
    const char *path = temporary_path("saved.folded");
    session_type(&session, ":as folded\r");
    session_await(&session, "export folded app.folded.folded");
    snprintf(keys, sizeof keys, "\025%s\r", path); /* ^U */
    session_type(&session, keys);
    session_await(&session, "written: ");
    struct flm_text saved = read_file(path);
    flm_text_putc(&saved, 0);
    assert_non_null(strstr(saved.at, "main;parse_text;read_bytes 40\n"));
    flm_text_clear(&saved);
    session_type(&session, ":as folded\r");
    session_await(&session, "export folded");
    session_type(&session, keys);
    session_await(&session, "cannot make");
    session_escape(&session);
    session_await_gone(&session, "export folded");
    path = temporary_path("saved.html");
    session_type(&session, ":as html\r");
    session_await(&session, "export html app.folded.html");
    snprintf(keys, sizeof keys, "\025%s\r", path);
    session_type(&session, keys);
    session_await(&session, "written: ");
    tui_quit(&session);
    struct flm_profile *shown = flm_load(path, NULL, NULL);
    assert_non_null(shown);
    assert_float_equal(flm_profile_total(shown, (struct flm_metric){0}), 100, 0);
    flm_profile_free(shown);
}

static void what_is_not_shown_is_said(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "H");
    session_await(&session, "Data quality");
    session_await(&session, "drawn boxes       9");
    session_escape(&session);
    session_await(&session, "all, 100");
    session_type(&session, "`");
    session_await(&session, "visited");
    tui_quit(&session);
}

static void every_loss_is_listed_with_its_count(void **state)
{
    (void)state;
    struct session session = {0};
    char text[2000] = "no number\nneither here\n"; /* few lines among many, or it is no profile */
    for (int i = 0; i < 100; i++)
        strcat(text, "main;read 1\n");
    tui_start_text(&session, 80, 24, text);
    session_type(&session, "H");
    session_await(&session, "2 lines without a value");
    session_escape(&session);
    tui_quit(&session);
}

/* A picture that did not change sends nothing, and one that changed a little sends little. */
static void only_what_changes_is_sent(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    size_t before = session.received;
    session_type(&session, "\033[99~"); /* means nothing */
    session_settle(&session);
    assert_int_equal(session.received, before);
    session_type(&session, "\033[B");
    session_settle(&session);
    assert_in_range(session.received - before, 1, 1500);
    tui_quit(&session);
}

/* A newer profile of a live viewer: the row is looked for among the first. The sanitizers find what
 * a query that fails halfway leaves behind. */
static void without_memory_the_current_row_stays_where_it_is(void **state)
{
    (void)state;
    static const char parse[] = "parse";
    struct flm_viewer *viewer = viewer_of_folded("main;read 3\nmain;parse 2\n");
    act(viewer, "view top");
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct flm_tui *tui = calloc(1, sizeof *tui);
        struct flm_text function = {0};
        tui->viewer = viewer;
        flm_text_add(&function, (struct flm_bytes){parse, sizeof parse});
        allocation_fail_once(nth);
        flm_tui_table_return(tui, &function);
        failed = allocation_has_failed();
        allocation_fail_from(0);
        uint32_t current = tui->tables[0].current;
        assert_true(current == 1 || (failed && current == 0));
        flm_text_clear(&function);
        free(tui);
    }
    flm_viewer_free(viewer);
}

/* A response that could not be made is queried again, although nothing has changed since. */
static void a_query_without_memory_is_made_again(void **state)
{
    (void)state;
    struct flm_viewer *viewer = viewer_of_folded("main;read 3\nmain;parse 2\n");
    act(viewer, "select 1");
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct flm_tui *tui = calloc(1, sizeof *tui);
        tui->viewer = viewer;
        tui->changed = FLM_CHANGED(TOOLS) | FLM_CHANGED(DETAIL) | FLM_CHANGED(STATUS);
        allocation_fail_once(nth);
        flm_tui_update(tui);
        failed = allocation_has_failed();
        allocation_fail_from(0);
        flm_tui_update(tui);
        assert_true(tui->tools.tools && tui->detail.detail && tui->status.status);
        assert_int_equal(tui->changed, 0);
        struct flm_response *made[] = {&tui->tools,  &tui->chips,  &tui->searches, &tui->hover,
                                       &tui->detail, &tui->status, &tui->legend,   &tui->overlay};
        for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
            flm_response_clear(made[i]);
        free(tui);
    }
    flm_viewer_free(viewer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_say_what_is_shown_and_what_is_selected),
        cmocka_unit_test(views_have_their_titles_where_there_is_room),
        cmocka_unit_test(a_narrow_window_has_what_matters_most),
        cmocka_unit_test(recursion_that_fills_the_window_is_offered_to_be_collapsed),
        cmocka_unit_test(a_wide_window_has_a_panel),
        cmocka_unit_test(chips_are_switched_and_removed_by_clicks),
        cmocka_unit_test(what_a_transform_may_become_is_offered),
        cmocka_unit_test(functions_and_calls_are_tables),
        cmocka_unit_test(a_unit_is_as_wide_as_its_letters),
        cmocka_unit_test(the_call_tree_opens_and_closes),
        cmocka_unit_test(what_is_shown_is_saved_and_nothing_overwritten),
        cmocka_unit_test(what_is_not_shown_is_said),
        cmocka_unit_test(every_loss_is_listed_with_its_count),
        cmocka_unit_test(only_what_changes_is_sent),
        cmocka_unit_test(without_memory_the_current_row_stays_where_it_is),
        cmocka_unit_test(a_query_without_memory_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
