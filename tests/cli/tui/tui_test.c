#include "cli/tui/tui.h"

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

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/record/tui.h"

static void the_picture_has_every_frame_at_its_place(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    /* A cell is 1.25 samples; idle_loop comes first by name. */
    assert_int_equal(tui_column(&session, "idle_loop"), 1);
    assert_int_equal(tui_column(&session, "main"), 13);
    assert_int_equal(tui_column(&session, "parse_text"), 13);
    assert_int_equal(tui_column(&session, "lex_token"), 13);
    assert_int_equal(tui_column(&session, "read_bytes"), 29);
    assert_int_equal(tui_column(&session, "write_text"), 61);
    assert_int_equal(tui_row(&session, "parse_text"), tui_row(&session, "main") + 1);
    assert_int_equal(tui_row(&session, "read_bytes"), tui_row(&session, "main") + 2);
    assert_int_equal(tui_letter(&session, "main")->style.ink, 0x0F1012);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_DARK);
    tui_quit(&session);
}

static void arrows_walk_from_frame_to_frame(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "\033[B");
    tui_await_selected(&session, "main"); /* the widest call of all */
    session_type(&session, "\033[B\033[B");
    tui_await_selected(&session, "read_bytes");
    assert_false(tui_is_selected(&session, "main"));
    session_type(&session, "h"); /* as in vi */
    tui_await_selected(&session, "lex_token");
    session_type(&session, "\033OA");
    tui_await_selected(&session, "parse_text");
    tui_quit(&session);
}

static void enter_zooms_and_backspace_goes_back(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "\033[B\033[B\r");
    session_await_gone(&session, "idle_loop");
    assert_int_equal(tui_column(&session, "parse_text"), 1);
    assert_int_equal(tui_column(&session, "lex_token"), 1);
    assert_int_equal(tui_column(&session, "read_bytes"), 27);
    session_escape(&session); /* lets the selection go, and nothing else */
    session_escape(&session);
    assert_int_equal(tui_column(&session, "lex_token"), 1);
    session_type(&session, "\177");
    session_await(&session, "idle_loop");
    tui_quit(&session);
}

static void a_search_is_seen_while_it_is_typed(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    uint32_t before = tui_letter(&session, "write_text")->style.fill;
    session_type(&session, "/rea");
    session_await(&session, "/rea");
    assert_true(session.terminal.cursor_is_shown);
    assert_int_equal(session.terminal.x, 4);
    assert_int_equal(session.terminal.y, 23);
    assert_int_not_equal(tui_letter(&session, "write_text")->style.fill, before); /* faded */
    const struct emulator_cell *found = tui_letter(&session, "read_bytes");
    uint32_t lit = found->style.fill;
    assert_int_equal(found[2].style.fill, lit);
    assert_int_not_equal(found[3].style.fill, lit);
    session_type(&session, "d\x7F\x7F\x7F\x7Flex");
    session_await(&session, "/lex");
    assert_int_equal(tui_letter(&session, "lex_token")->style.fill, lit);
    assert_int_not_equal(tui_letter(&session, "read_bytes")->style.fill, lit);
    session_type(&session, "\r"); /* to the match */
    session_await_gone(&session, "/lex_");
    assert_true(tui_letter(&session, "lex_token")->style.attributes & EMULATOR_BOLD);
    session_type(&session, "/");
    session_escape(&session); /* and no search any more */
    assert_int_equal(tui_letter(&session, "write_text")->style.fill, before);
    tui_quit(&session);
}

static void a_click_selects_and_a_second_one_zooms(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    int row = tui_row(&session, "write_text");
    session_click(&session, 0, 70, row);
    tui_await_selected(&session, "write_text");
    struct timespec later = {0, 500 * 1000 * 1000}; /* longer than a double click takes */
    nanosleep(&later, NULL);
    session_click(&session, 0, 20, row);
    session_click(&session, 0, 20, row);
    session_await_gone(&session, "write_text");
    assert_int_equal(tui_column(&session, "parse_text"), 1);
    tui_quit(&session);
}

static void the_wheel_zooms_at_the_pointer(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    int row = tui_row(&session, "write_text");
    for (int i = 0; i < 3; i++)
        session_click(&session, 64, 79, row); /* at the right edge: that stays */
    session_await_gone(&session, "idle_loop");
    int left = tui_column(&session, "write_text");
    assert_in_range(left, 40, 58);
    assert_int_equal(tui_column(&session, "flush_all"), left);
    for (int i = 0; i < 6; i++)
        session_click(&session, 65, 79, row);
    session_await(&session, "idle_loop");
    assert_int_equal(tui_column(&session, "write_text"), 61);
    tui_quit(&session);
}

static void dragging_moves_the_picture(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "\033[B\r"); /* main fills the window */
    session_await_gone(&session, "idle_loop");
    int row = tui_row(&session, "write_text"), left = tui_column(&session, "write_text");
    char drag[100];
    snprintf(drag, sizeof drag, "\033[<0;41;%dM\033[<32;36;%dM\033[<32;31;%dM\033[<0;31;%dm",
             row + 1, row + 1, row + 1, row + 1);
    session_type(&session, drag);
    session_settle(&session);
    /* Nothing is right of it; back to the left there is. */
    snprintf(drag, sizeof drag, "\033[<0;31;%dM\033[<32;36;%dM\033[<32;41;%dM\033[<0;41;%dm",
             row + 1, row + 1, row + 1, row + 1);
    session_type(&session, drag);
    session_settle(&session);
    assert_int_equal(tui_column(&session, "write_text"), left + 10);
    tui_quit(&session);
}

static void the_pointer_marks_what_it_is_on(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    char move[40];
    snprintf(move, sizeof move, "\033[<35;65;%dM", tui_row(&session, "write_text") + 1);
    session_type(&session, move);
    session_settle(&session);
    assert_true(tui_letter(&session, "write_text")->style.attributes & EMULATOR_UNDERLINED);
    assert_false(tui_letter(&session, "main")->style.attributes & EMULATOR_UNDERLINED);
    session_type(&session, "\033[O"); /* the window loses the focus */
    session_settle(&session);
    assert_false(tui_letter(&session, "write_text")->style.attributes & EMULATOR_UNDERLINED);
    tui_quit(&session);
}

static void help_has_the_keys_of_all_actions(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 120, 40);
    session_type(&session, "?");
    session_await(&session, "Quit");
    assert_true(emulator_find(&session.terminal, "Zoom in", 0) >= 0);
    assert_true(emulator_find(&session.terminal, "Next match", 0) >= 0);
    assert_true(emulator_find(&session.terminal, "1                 Show as: Flame graph", 0) >= 0);
    session_escape(&session);
    session_await(&session, "parse_text");
    session_resize(&session, 40, 10); /* in pages where there is no room */
    session_type(&session, "?");
    session_await(&session, "PageDown: more");
    for (int i = 0; i < 20 && emulator_find(&session.terminal, "Next match", 0) < 0; i++) {
        session_type(&session, "\033[6~");
        session_settle(&session);
    }
    assert_true(emulator_find(&session.terminal, "Next match", 0) >= 0);
    session_escape(&session);
    session_await(&session, "main");
    tui_quit(&session);
}

/* Of a narrow window: figures and sentences are whole, or not there. */
static void nothing_is_cut_off_in_the_middle(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 60, 24);
    session_await(&session, "merged 0");
    session_await_gone(&session, "unsymb");
    session_type(&session, "?");
    session_await(&session, "Quit");
    session_type(&session, "  "); /* the second page */
    session_escape(&session);
    session_await(&session, "merged 0");
    tui_quit(&session);
    tui_start(&session, 100, 40);
    session_type(&session, "?");
    session_await(&session, "Inverted: callers below their");
    session_await(&session, "   callees");
    session_escape(&session);
    session_await(&session, "merged 0");
    tui_quit(&session);
}

static void every_action_can_be_chosen_by_its_name(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    assert_true(tui_row(&session, "main") < tui_row(&session, "parse_text"));
    session_type(&session, ":upside");
    session_await(&session, "Root at the bottom, or at the top");
    session_type(&session, "\r");
    session_await_gone(&session, "Root at the bottom");
    assert_true(tui_row(&session, "main") > tui_row(&session, "parse_text"));
    session_type(&session, ":upside");
    session_escape(&session); /* or not */
    session_await_gone(&session, "Root at the bottom");
    assert_true(tui_row(&session, "main") > tui_row(&session, "parse_text"));
    tui_quit(&session);
}

static void the_menu_of_a_frame_is_chosen_from(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 30);
    session_click(&session, 2, 70, tui_row(&session, "write_text"));
    session_await(&session, "Callers and callees");
    session_escape(&session);
    session_await_gone(&session, "Callers and callees");
    tui_await_selected(&session, "write_text");
    session_type(&session, ".");
    session_await(&session, "Hide the function");
    session_type(&session, "\033[B\033[B\033[B\033[B\r"); /* the fifth */
    session_await_gone(&session, "Callers and callees");
    session_await(&session, "hide write_text");
    /* In a table: of the row where the cursor is. */
    session_type(&session, "5");
    session_await(&session, "function");
    session_type(&session, "\033[B.");
    session_await(&session, "Search for it");
    session_type(&session, "\033[B\r");
    session_await(&session, "focus");
    tui_quit(&session);
}

static void the_theme_can_be_chosen(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, ":light");
    session_await(&session, "Theme: light");
    session_type(&session, "\r");
    session_await_gone(&session, "Theme");
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_LIGHT);
    session_type(&session, ":theme system");
    session_await(&session, "Theme: system");
    session_type(&session, "\r");
    session_await_gone(&session, "Theme");
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_DARK);
    tui_quit(&session);
}

static void a_transform_is_typed_and_undone(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "xhide:parse_text\r");
    session_await_gone(&session, "parse_text;");
    assert_int_equal(tui_row(&session, "read_bytes"), tui_row(&session, "main") + 1);
    session_type(&session, "U");
    session_settle(&session);
    assert_int_equal(tui_row(&session, "read_bytes"), tui_row(&session, "main") + 2);
    session_type(&session, "U");
    session_await(&session, "there is nothing to undo"); /* in the status line */
    session_type(&session, "xnonsense:\r");              /* what is wrong stays to be put right */
    session_await(&session, "apply nonsense:");
    session_escape(&session);
    session_await_gone(&session, "apply nonsense:");
    tui_quit(&session);
}

static void what_is_pasted_is_searched_for(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "\033[200~write_text\nq\033[201~");
    session_await(&session, "/write_text");
    session_escape(&session);
    tui_quit(&session);
}

static void a_name_is_copied_to_the_clipboard(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "jy");
    session_await(&session, "copied: main");
    assert_true(flm_bytes_are(
        (struct flm_bytes){session.terminal.clipboard.at, session.terminal.clipboard.size},
        "bWFpbg=="));
    tui_quit(&session);
}

static void the_picture_follows_the_window(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_resize(&session, 40, 10);
    session_await(&session, "main");
    assert_int_equal(tui_column(&session, "main"), 7);
    session_resize(&session, 300, 100);
    session_await(&session, "main");
    assert_int_equal(tui_column(&session, "main"), 39); /* of 256: the rest is a panel */
    session_resize(&session, 4, 2);
    session_resize(&session, 1, 1);
    session_resize(&session, 80, 24);
    session_await(&session, "read_bytes");
    tui_quit(&session);
}

static void colors_follow_the_terminal(void **state)
{
    (void)state;
    struct session session = {.colorterm = "", .term = "xterm-256color"};
    tui_start(&session, 80, 24);
    assert_true(tui_letter(&session, "main")->style.fill & EMULATOR_INDEXED);
    assert_true((tui_letter(&session, "main")->style.fill & 0xFF) >= 16);
    tui_quit(&session);
    session = (struct session){.colorterm = "", .term = "xterm"};
    tui_start(&session, 80, 24);
    assert_true(tui_letter(&session, "main")->style.fill & EMULATOR_INDEXED);
    assert_true((tui_letter(&session, "main")->style.fill & 0xFF) < 16);
    tui_quit(&session);
    session = (struct session){.no_color = "1"};
    tui_start(&session, 80, 24);
    for (int i = 0; i < 80 * 24; i++) {
        assert_int_equal(emulator_at(&session.terminal, i % 80, i / 80)->style.fill,
                         EMULATOR_DEFAULT);
        assert_int_equal(emulator_at(&session.terminal, i % 80, i / 80)->style.ink,
                         EMULATOR_DEFAULT);
    }
    assert_true(tui_letter(&session, "main")->style.attributes & EMULATOR_INVERSE);
    session_type(&session, "j");
    session_settle(&session);
    assert_false(tui_letter(&session, "main")->style.attributes & EMULATOR_INVERSE);
    tui_quit(&session);
}

static void without_utf8_everything_is_ascii(void **state)
{
    (void)state;
    struct session session = {.locale = "C"};
    tui_start(&session, 80, 24);
    session_type(&session, "?");
    session_await(&session, "Quit");
    for (int i = 0; i < 80 * 24; i++)
        assert_in_range(emulator_at(&session.terminal, i % 80, i / 80)->character, ' ', '~');
    session_escape(&session);
    session_await(&session, "|main");
    for (int i = 0; i < 80 * 24; i++)
        assert_in_range(emulator_at(&session.terminal, i % 80, i / 80)->character, ' ', '~');
    tui_quit(&session);
}

static void the_theme_is_that_of_the_terminal(void **state)
{
    (void)state;
    struct session session = {.is_light = true};
    tui_start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_LIGHT);
    tui_quit(&session);
    session = (struct session){.is_light = true, .is_silent = true}; /* it does not tell */
    tui_start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_DARK);
    tui_quit(&session);
    session = (struct session){.is_silent = true, .colorfgbg = "0;15"}; /* its environment does */
    tui_start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, TUI_PAGE_LIGHT);
    tui_quit(&session);
}

static void it_stops_and_goes_on_with_the_same_picture(void **state)
{
    (void)state;
    struct session session = {.has_shell = true};
    tui_start(&session, 80, 24);
    session_type(&session, "\033[B\r");
    session_await_gone(&session, "idle_loop");
    session_type(&session, "\032");
    session_await(&session, "[stopped]");
    assert_true(session_is_as_before(&session));
    session_type(&session, "fg\r");
    session_await(&session, "write_text");
    assert_true(emulator_find(&session.terminal, "idle_loop", 0) < 0);
    assert_true(session.terminal.is_alternate);
    tui_quit(&session);
}

static void the_terminal_is_given_back_when_it_is_ended(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct session session = {0};
        tui_start(&session, 80, 24);
        kill(session.child, signals[i]);
        assert_int_equal(session_end(&session), 1000 + signals[i]);
        assert_true(session_is_as_before(&session));
        session_clear(&session);
    }
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "\003"); /* ^C is a key here */
    assert_int_equal(session_end(&session), 0);
    assert_true(session_is_as_before(&session));
    session_clear(&session);
}

/* Which allocation fails, of those after the profile was read; and whether all do from then on. */
static size_t failing;
static bool all_fail;

static int program_without_memory(void *path)
{
    struct flm_load_options options = {.size = sizeof options, .threads = 1};
    struct flm_viewer *viewer = flm_viewer_new(NULL);
    struct flm_profile *profile = flm_load(path, &options, NULL);
    if (!viewer || !profile ||
        !flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile, "app.folded", NULL))
        return 99;
    if (all_fail)
        allocation_fail_from(failing);
    else
        allocation_fail_once(failing);
    bool good = flm_tui_run(viewer, NULL);
    allocation_fail_from(0);
    flm_viewer_free(viewer);
    return good ? 0 : 2;
}

static void without_memory_it_can_still_be_quitted(void **state)
{
    (void)state;
    const char *path = write_temporary("app.folded", flm_bytes_of(tui_folded));
    for (int round = 0; round < 2; round++)
        for (failing = 1; failing < 400; failing += failing / 2 + 1) {
            struct session session = {0};
            all_fail = round == 1;
            session_start(&session, 80, 24, program_without_memory, (void *)(uintptr_t)path);
            session_await_program(&session);
            session_type(&session, "jj/re\r5:he\r\003");
            int status = session_end(&session);
            if (status != 0 && status != 2)
                print_error("allocation %zu: status %d\n", failing, status);
            assert_true(status == 0 || status == 2);
            assert_true(session_is_as_before(&session));
            session_clear(&session);
        }
}

static int program_into_a_pipe(void *path)
{
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0)
        return 99;
    return tui_program(path);
}

static void into_a_pipe_it_is_refused(void **state)
{
    (void)state;
    struct session session = {0};
    const char *path = write_temporary("app.folded", flm_bytes_of(tui_folded));
    session_start(&session, 80, 24, program_into_a_pipe, (void *)(uintptr_t)path);
    assert_int_equal(session_end(&session), 2);
    assert_int_equal(session.received, 0);
    session_clear(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_cut_off_in_the_middle),
        cmocka_unit_test(the_picture_has_every_frame_at_its_place),
        cmocka_unit_test(arrows_walk_from_frame_to_frame),
        cmocka_unit_test(enter_zooms_and_backspace_goes_back),
        cmocka_unit_test(a_search_is_seen_while_it_is_typed),
        cmocka_unit_test(a_click_selects_and_a_second_one_zooms),
        cmocka_unit_test(the_wheel_zooms_at_the_pointer),
        cmocka_unit_test(dragging_moves_the_picture),
        cmocka_unit_test(the_pointer_marks_what_it_is_on),
        cmocka_unit_test(help_has_the_keys_of_all_actions),
        cmocka_unit_test(every_action_can_be_chosen_by_its_name),
        cmocka_unit_test(the_menu_of_a_frame_is_chosen_from),
        cmocka_unit_test(the_theme_can_be_chosen),
        cmocka_unit_test(a_transform_is_typed_and_undone),
        cmocka_unit_test(what_is_pasted_is_searched_for),
        cmocka_unit_test(a_name_is_copied_to_the_clipboard),
        cmocka_unit_test(the_picture_follows_the_window),
        cmocka_unit_test(colors_follow_the_terminal),
        cmocka_unit_test(without_utf8_everything_is_ascii),
        cmocka_unit_test(the_theme_is_that_of_the_terminal),
        cmocka_unit_test(it_stops_and_goes_on_with_the_same_picture),
        cmocka_unit_test(the_terminal_is_given_back_when_it_is_ended),
        cmocka_unit_test(without_memory_it_can_still_be_quitted),
        cmocka_unit_test(into_a_pipe_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
