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

#include "flamel/file.h"
#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/record/session.h"

enum { PAGE_DARK = 0x16171A, TEXT_DARK = 0xECECEE, PAGE_LIGHT = 0xFBFBFA };

static const char folded[] = "main;parse_text;read_bytes 40\n"
                             "main;parse_text;lex_token 20\n"
                             "main;write_text;flush_all 25\n"
                             "idle_loop;wait_long 15\n";

static int program(void *path)
{
    struct flm_error why;
    struct flm_load_options options = {.size = sizeof options, .threads = 1};
    struct flm_viewer *viewer = flm_viewer_new(&why);
    struct flm_profile *profile = flm_load(path, &options, &why);
    bool good = viewer && profile &&
                flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile, "app.folded", &why) &&
                flm_tui_run(viewer, &why);
    flm_viewer_free(viewer);
    if (!good)
        printf("%s\r\n", why.text);
    fflush(stdout);
    return good ? 0 : 2;
}

/* The viewer with the profile, when it is there. */
static void start(struct session *session, int columns, int rows)
{
    const char *path = write_temporary("app.folded", flm_bytes_of(folded));
    session_start(session, columns, rows, program, (void *)(uintptr_t)path);
    session_await(session, "all, 100");
}

static void quit(struct session *session)
{
    session_type(session, "q");
    assert_int_equal(session_end(session), 0);
    assert_true(session_is_as_before(session));
    assert_int_equal(session->terminal.unknown, 0);
    session_clear(session);
}

/* The cell of the first letter of a name. */
static const struct emulator_cell *letter_of(struct session *session, const char *name)
{
    int row = emulator_find(&session->terminal, name, 1);
    if (row < 0)
        fail_msg("'%s' is not shown", name);
    return emulator_at(&session->terminal, emulator_column(&session->terminal, row, name), row);
}

static int column_of(struct session *session, const char *name)
{
    int row = emulator_find(&session->terminal, name, 1);
    return row < 0 ? -1 : emulator_column(&session->terminal, row, name);
}

static int row_of(struct session *session, const char *name)
{
    return emulator_find(&session->terminal, name, 1);
}

/* Bold, in the colors of the page the other way round. */
static bool is_selected(struct session *session, const char *name)
{
    const struct emulator_cell *cell = letter_of(session, name);
    return cell->style.attributes & EMULATOR_BOLD && cell->style.fill == TEXT_DARK;
}

static void the_picture_has_every_frame_at_its_place(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    /* A cell is 1.25 samples; idle_loop comes first by name. */
    assert_int_equal(column_of(&session, "idle_loop"), 1);
    assert_int_equal(column_of(&session, "main"), 13);
    assert_int_equal(column_of(&session, "parse_text"), 13);
    assert_int_equal(column_of(&session, "lex_token"), 13);
    assert_int_equal(column_of(&session, "read_bytes"), 29);
    assert_int_equal(column_of(&session, "write_text"), 61);
    assert_int_equal(row_of(&session, "parse_text"), row_of(&session, "main") + 1);
    assert_int_equal(row_of(&session, "read_bytes"), row_of(&session, "main") + 2);
    assert_int_equal(letter_of(&session, "main")->style.ink, 0x0F1012);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, PAGE_DARK);
    quit(&session);
}

static void arrows_walk_from_frame_to_frame(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "\033[B");
    session_settle(&session);
    assert_true(is_selected(&session, "main")); /* the widest call of all */
    session_type(&session, "\033[B\033[B");
    session_settle(&session);
    assert_true(is_selected(&session, "read_bytes"));
    assert_false(is_selected(&session, "main"));
    session_type(&session, "h"); /* as in vi */
    session_settle(&session);
    assert_true(is_selected(&session, "lex_token"));
    session_type(&session, "\033OA");
    session_settle(&session);
    assert_true(is_selected(&session, "parse_text"));
    quit(&session);
}

static void enter_zooms_and_escape_goes_back(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "\033[B\033[B\r");
    session_await_gone(&session, "idle_loop");
    assert_int_equal(column_of(&session, "parse_text"), 1);
    assert_int_equal(column_of(&session, "lex_token"), 1);
    assert_int_equal(column_of(&session, "read_bytes"), 27);
    session_escape(&session); /* the selection goes first */
    session_escape(&session);
    session_await(&session, "idle_loop");
    quit(&session);
}

static void a_search_is_seen_while_it_is_typed(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    uint32_t before = letter_of(&session, "write_text")->style.fill;
    session_type(&session, "/rea");
    session_await(&session, "/rea");
    assert_true(session.terminal.cursor_is_shown);
    assert_int_equal(session.terminal.x, 4);
    assert_int_equal(session.terminal.y, 23);
    assert_int_not_equal(letter_of(&session, "write_text")->style.fill, before); /* faded */
    const struct emulator_cell *found = letter_of(&session, "read_bytes");
    uint32_t lit = found->style.fill;
    assert_int_equal(found[2].style.fill, lit);
    assert_int_not_equal(found[3].style.fill, lit);
    session_type(&session, "d\x7F\x7F\x7F\x7Flex");
    session_await(&session, "/lex");
    assert_int_equal(letter_of(&session, "lex_token")->style.fill, lit);
    assert_int_not_equal(letter_of(&session, "read_bytes")->style.fill, lit);
    session_type(&session, "\r"); /* to the match */
    session_await_gone(&session, "/lex_");
    assert_true(letter_of(&session, "lex_token")->style.attributes & EMULATOR_BOLD);
    session_type(&session, "/");
    session_escape(&session); /* and no search any more */
    assert_int_equal(letter_of(&session, "write_text")->style.fill, before);
    quit(&session);
}

static void a_click_selects_and_a_second_one_zooms(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    int row = row_of(&session, "write_text");
    session_click(&session, 0, 70, row);
    session_settle(&session);
    assert_true(is_selected(&session, "write_text"));
    struct timespec later = {0, 500 * 1000 * 1000}; /* longer than a double click takes */
    nanosleep(&later, NULL);
    session_click(&session, 0, 20, row);
    session_click(&session, 0, 20, row);
    session_await_gone(&session, "write_text");
    assert_int_equal(column_of(&session, "parse_text"), 1);
    quit(&session);
}

static void the_wheel_zooms_at_the_pointer(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    int row = row_of(&session, "write_text");
    for (int i = 0; i < 3; i++)
        session_click(&session, 64, 79, row); /* at the right edge: that stays */
    session_await_gone(&session, "idle_loop");
    int left = column_of(&session, "write_text");
    assert_in_range(left, 40, 58);
    assert_int_equal(column_of(&session, "flush_all"), left);
    for (int i = 0; i < 6; i++)
        session_click(&session, 65, 79, row);
    session_await(&session, "idle_loop");
    assert_int_equal(column_of(&session, "write_text"), 61);
    quit(&session);
}

static void dragging_moves_the_picture(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "\033[B\r"); /* main fills the window */
    session_await_gone(&session, "idle_loop");
    int row = row_of(&session, "write_text"), left = column_of(&session, "write_text");
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
    assert_int_equal(column_of(&session, "write_text"), left + 10);
    quit(&session);
}

static void the_pointer_marks_what_it_is_on(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    char move[40];
    snprintf(move, sizeof move, "\033[<35;65;%dM", row_of(&session, "write_text") + 1);
    session_type(&session, move);
    session_settle(&session);
    assert_true(letter_of(&session, "write_text")->style.attributes & EMULATOR_UNDERLINED);
    assert_false(letter_of(&session, "main")->style.attributes & EMULATOR_UNDERLINED);
    session_type(&session, "\033[O"); /* the window loses the focus */
    session_settle(&session);
    assert_false(letter_of(&session, "write_text")->style.attributes & EMULATOR_UNDERLINED);
    quit(&session);
}

static void help_has_the_keys_of_all_actions(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 120, 40);
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
    quit(&session);
}

static void every_action_can_be_chosen_by_its_name(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    assert_true(row_of(&session, "main") < row_of(&session, "parse_text"));
    session_type(&session, ":upside");
    session_await(&session, "Turn upside down");
    session_type(&session, "\r");
    session_await_gone(&session, "Turn upside");
    assert_true(row_of(&session, "main") > row_of(&session, "parse_text"));
    session_type(&session, ":upside");
    session_escape(&session); /* or not */
    session_await_gone(&session, "Turn upside");
    assert_true(row_of(&session, "main") > row_of(&session, "parse_text"));
    quit(&session);
}

static void a_transform_is_typed_and_undone(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "xhide:parse_text\r");
    session_await_gone(&session, "parse_text;");
    assert_int_equal(row_of(&session, "read_bytes"), row_of(&session, "main") + 1);
    session_type(&session, "U");
    session_settle(&session);
    assert_int_equal(row_of(&session, "read_bytes"), row_of(&session, "main") + 2);
    session_type(&session, "U");
    session_await(&session, "there is nothing to undo"); /* in the status line */
    session_type(&session, "xnonsense:\r");              /* what is wrong stays to be put right */
    session_await(&session, "apply nonsense:");
    session_escape(&session);
    session_await_gone(&session, "apply nonsense:");
    quit(&session);
}

static void what_is_pasted_is_searched_for(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "\033[200~write_text\nq\033[201~");
    session_await(&session, "/write_text");
    session_escape(&session);
    quit(&session);
}

static void a_name_is_copied_to_the_clipboard(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "jy");
    session_await(&session, "copied: main");
    assert_true(flm_bytes_are(
        (struct flm_bytes){session.terminal.clipboard.at, session.terminal.clipboard.size},
        "bWFpbg=="));
    quit(&session);
}

static void the_picture_follows_the_window(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_resize(&session, 40, 10);
    session_await(&session, "main");
    assert_int_equal(column_of(&session, "main"), 7);
    session_resize(&session, 300, 100);
    session_await(&session, "main");
    assert_int_equal(column_of(&session, "main"), 39); /* of 256: the rest is a panel */
    session_resize(&session, 4, 2);
    session_resize(&session, 1, 1);
    session_resize(&session, 80, 24);
    session_await(&session, "read_bytes");
    quit(&session);
}

static void colors_follow_the_terminal(void **state)
{
    (void)state;
    struct session session = {.colorterm = "", .term = "xterm-256color"};
    start(&session, 80, 24);
    assert_true(letter_of(&session, "main")->style.fill & EMULATOR_INDEXED);
    assert_true((letter_of(&session, "main")->style.fill & 0xFF) >= 16);
    quit(&session);
    session = (struct session){.colorterm = "", .term = "xterm"};
    start(&session, 80, 24);
    assert_true(letter_of(&session, "main")->style.fill & EMULATOR_INDEXED);
    assert_true((letter_of(&session, "main")->style.fill & 0xFF) < 16);
    quit(&session);
    session = (struct session){.no_color = "1"};
    start(&session, 80, 24);
    for (int i = 0; i < 80 * 24; i++) {
        assert_int_equal(emulator_at(&session.terminal, i % 80, i / 80)->style.fill,
                         EMULATOR_DEFAULT);
        assert_int_equal(emulator_at(&session.terminal, i % 80, i / 80)->style.ink,
                         EMULATOR_DEFAULT);
    }
    assert_true(letter_of(&session, "main")->style.attributes & EMULATOR_INVERSE);
    session_type(&session, "j");
    session_settle(&session);
    assert_false(letter_of(&session, "main")->style.attributes & EMULATOR_INVERSE);
    quit(&session);
}

static void without_utf8_everything_is_ascii(void **state)
{
    (void)state;
    struct session session = {.locale = "C"};
    start(&session, 80, 24);
    session_type(&session, "?");
    session_await(&session, "Quit");
    for (int i = 0; i < 80 * 24; i++)
        assert_in_range(emulator_at(&session.terminal, i % 80, i / 80)->character, ' ', '~');
    session_escape(&session);
    session_await(&session, "|main");
    for (int i = 0; i < 80 * 24; i++)
        assert_in_range(emulator_at(&session.terminal, i % 80, i / 80)->character, ' ', '~');
    quit(&session);
}

static void the_theme_is_that_of_the_terminal(void **state)
{
    (void)state;
    struct session session = {.is_light = true};
    start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, PAGE_LIGHT);
    quit(&session);
    session = (struct session){.is_light = true, .is_silent = true}; /* it does not tell */
    start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, PAGE_DARK);
    quit(&session);
    session = (struct session){.is_silent = true, .colorfgbg = "0;15"}; /* its environment does */
    start(&session, 80, 24);
    assert_int_equal(emulator_at(&session.terminal, 40, 15)->style.fill, PAGE_LIGHT);
    quit(&session);
}

static void it_stops_and_goes_on_with_the_same_picture(void **state)
{
    (void)state;
    struct session session = {.has_shell = true};
    start(&session, 80, 24);
    session_type(&session, "\033[B\r");
    session_await_gone(&session, "idle_loop");
    session_type(&session, "\032");
    session_await(&session, "[stopped]");
    assert_true(session_is_as_before(&session));
    session_type(&session, "fg\r");
    session_await(&session, "write_text");
    assert_true(emulator_find(&session.terminal, "idle_loop", 0) < 0);
    assert_true(session.terminal.is_alternate);
    quit(&session);
}

static void the_terminal_is_given_back_when_it_is_ended(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct session session = {0};
        start(&session, 80, 24);
        kill(session.child, signals[i]);
        assert_int_equal(session_end(&session), 1000 + signals[i]);
        assert_true(session_is_as_before(&session));
        session_clear(&session);
    }
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "\003"); /* ^C is a key here */
    assert_int_equal(session_end(&session), 0);
    assert_true(session_is_as_before(&session));
    session_clear(&session);
}

/* ---- The lines around the picture ------------------------------------------------------------ */

static void the_lines_say_what_is_shown_and_what_is_selected(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    const char *header = emulator_line(&session.terminal, 0);
    assert_non_null(strstr(header, " flamel  app.folded  flame  chart  sandwich  tree  top"));
    assert_non_null(strstr(header, "/ search    ?"));
    assert_non_null(
        strstr(emulator_line(&session.terminal, 23), " 4 stacks  100 samples  drawn 9"));
    session_type(&session, "\033[B\033[B");
    session_settle(&session);
    assert_string_equal(emulator_line(&session.terminal, 21), " parse_text");
    assert_string_equal(
        emulator_line(&session.terminal, 22),
        " total 60 samples 60 % of all 70.6 % of parent  self 0 samples 0 % of all");
    session_type(&session, "\033[<35;3;4M"); /* the pointer comes first, on idle_loop */
    session_settle(&session);
    assert_string_equal(emulator_line(&session.terminal, 21), " wait_long");
    assert_non_null(strstr(emulator_line(&session.terminal, 22), "15 % of all"));
    session_type(&session, "u");
    session_await(&session, " main");
    quit(&session);
}

static void views_have_their_titles_where_there_is_room(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 130, 24);
    assert_non_null(
        strstr(emulator_line(&session.terminal, 0),
               " Flame graph  Flame chart  Sandwich  Call tree  Top table  Comparison "));
    quit(&session);
}

static void a_narrow_window_has_what_matters_most(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 40, 10);
    session_type(&session, "j");
    session_settle(&session);
    assert_non_null(strstr(emulator_line(&session.terminal, 0), "app.folded"));
    assert_non_null(
        strstr(emulator_line(&session.terminal, 8), "main  total 85 samples 85 % of all"));
    assert_non_null(strstr(emulator_line(&session.terminal, 9), "4 stacks"));
    session_resize(&session, 40, 2); /* the picture alone */
    session_await(&session, "main");
    assert_int_equal(emulator_find(&session.terminal, "4 stacks", 0), -1);
    quit(&session);
}

static void a_wide_window_has_a_panel(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 160, 40);
    session_await(&session, "nothing is selected");
    session_type(&session, "j");
    int row = session_await(&session, "Calls");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "parse_text"));
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "70.6 %"));
    session_click(&session, 0, 125, row + 2); /* the other one that it calls */
    session_await(&session, "Called by");
    assert_int_equal(row_of(&session, "write_text"), 1); /* the title of the panel */
    session_type(&session, "b");
    session_await_gone(&session, "Called by");
    quit(&session);
}

static void chips_are_switched_and_removed_by_clicks(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
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
    quit(&session);
}

static void what_a_transform_may_become_is_offered(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "xfoc");
    session_await(&session, "focus:");
    session_type(&session, "\tmain\r");
    session_await(&session, "focus main");
    assert_int_equal(emulator_find(&session.terminal, "idle_loop", 2), -1);
    quit(&session);
}

static void functions_and_calls_are_tables(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "5");
    int row = session_await(&session, "self\xE2\x96\xBE");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 1), "40 %"));
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
    assert_true(is_selected(&session, "flush_all")); /* all views have one selection */
    quit(&session);
}

static void the_call_tree_opens_and_closes(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "4");
    session_await(&session, "\xE2\x96\xB8 main");
    assert_int_equal(emulator_find(&session.terminal, "parse_text", 0), -1);
    session_type(&session, "\033[C"); /* the first row, main: the widest */
    session_await(&session, "parse_text");
    int row = row_of(&session, "main");
    session_click(&session, 0, emulator_column(&session.terminal, row, "\xE2\x96\xBE main"), row);
    session_await_gone(&session, "parse_text");
    quit(&session);
}

static void what_is_shown_is_saved_and_nothing_overwritten(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
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
    quit(&session);
}

static void what_is_not_shown_is_said(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "H");
    session_await(&session, "What is drawn");
    session_await(&session, "drawn boxes       9");
    session_escape(&session);
    session_await(&session, "all, 100");
    session_type(&session, "`");
    session_await(&session, "visited");
    quit(&session);
}

/* A picture that did not change sends nothing, and one that changed a little sends little. */
static void only_what_changes_is_sent(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    size_t before = session.received;
    session_type(&session, "\033[99~"); /* means nothing */
    session_settle(&session);
    assert_int_equal(session.received, before);
    session_type(&session, "\033[B");
    session_settle(&session);
    assert_in_range(session.received - before, 1, 1500);
    quit(&session);
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
    const char *path = write_temporary("app.folded", flm_bytes_of(folded));
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
    return program(path);
}

static void into_a_pipe_it_is_refused(void **state)
{
    (void)state;
    struct session session = {0};
    const char *path = write_temporary("app.folded", flm_bytes_of(folded));
    session_start(&session, 80, 24, program_into_a_pipe, (void *)(uintptr_t)path);
    assert_int_equal(session_end(&session), 2);
    assert_int_equal(session.received, 0);
    session_clear(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_picture_has_every_frame_at_its_place),
        cmocka_unit_test(arrows_walk_from_frame_to_frame),
        cmocka_unit_test(enter_zooms_and_escape_goes_back),
        cmocka_unit_test(a_search_is_seen_while_it_is_typed),
        cmocka_unit_test(a_click_selects_and_a_second_one_zooms),
        cmocka_unit_test(the_wheel_zooms_at_the_pointer),
        cmocka_unit_test(dragging_moves_the_picture),
        cmocka_unit_test(the_pointer_marks_what_it_is_on),
        cmocka_unit_test(help_has_the_keys_of_all_actions),
        cmocka_unit_test(every_action_can_be_chosen_by_its_name),
        cmocka_unit_test(a_transform_is_typed_and_undone),
        cmocka_unit_test(what_is_pasted_is_searched_for),
        cmocka_unit_test(a_name_is_copied_to_the_clipboard),
        cmocka_unit_test(the_picture_follows_the_window),
        cmocka_unit_test(colors_follow_the_terminal),
        cmocka_unit_test(without_utf8_everything_is_ascii),
        cmocka_unit_test(the_theme_is_that_of_the_terminal),
        cmocka_unit_test(it_stops_and_goes_on_with_the_same_picture),
        cmocka_unit_test(the_terminal_is_given_back_when_it_is_ended),
        cmocka_unit_test(the_lines_say_what_is_shown_and_what_is_selected),
        cmocka_unit_test(views_have_their_titles_where_there_is_room),
        cmocka_unit_test(a_narrow_window_has_what_matters_most),
        cmocka_unit_test(a_wide_window_has_a_panel),
        cmocka_unit_test(chips_are_switched_and_removed_by_clicks),
        cmocka_unit_test(what_a_transform_may_become_is_offered),
        cmocka_unit_test(functions_and_calls_are_tables),
        cmocka_unit_test(the_call_tree_opens_and_closes),
        cmocka_unit_test(what_is_shown_is_saved_and_nothing_overwritten),
        cmocka_unit_test(what_is_not_shown_is_said),
        cmocka_unit_test(only_what_changes_is_sent),
        cmocka_unit_test(without_memory_it_can_still_be_quitted),
        cmocka_unit_test(into_a_pipe_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
