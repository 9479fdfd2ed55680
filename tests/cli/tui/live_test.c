#include "cli/tui/tui.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/files.h"
#include "support/record/session.h"

/* What is live here: at each SIGUSR1 there is another profile. */
struct source {
    unsigned shown;
    bool is_frozen, is_wide;
};

static volatile sig_atomic_t wanted;

static void another(int number)
{
    (void)number;
    wanted++;
}

/* The first is empty; then `steady` and, by turns, `even` or `odd`, which has most. */
static struct flm_profile *profile_number(unsigned number)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric m = flm_builder_metric(b, "samples", "samples");
    struct flm_node main =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    const char *other = number % 2 ? "odd_work" : "even_work";
    if (number > 0) {
        flm_builder_add(b, flm_builder_child(b, main, flm_builder_function(b, "steady", 6)), m, 10);
        flm_builder_add(b,
                        flm_builder_child(b, main, flm_builder_function(b, other, strlen(other))),
                        m, number % 2 ? 30 : 5);
    }
    return flm_builder_finish(b, NULL);
}

static struct flm_profile *next(void *context)
{
    struct source *s = context;
    if (s->is_frozen || s->shown == (unsigned)wanted)
        return NULL;
    s->shown = (unsigned)wanted;
    return profile_number(s->shown);
}

static void describe(void *context, struct flm_text *word, struct flm_text *sentence)
{
    const struct source *s = context;
    flm_text_puts(word, s->is_frozen ? "frozen" : "live");
    flm_text_format(sentence,
                    "%s number %u, and a second part, and so many more words that they "
                    "do not fit",
                    s->is_wide ? "all up to" : "only", s->shown);
}

static void describe_empty(void *context, struct flm_text *sentence)
{
    (void)context;
    flm_text_puts(sentence, "nothing ran");
}

static void freeze(void *context)
{
    struct source *s = context;
    s->is_frozen = !s->is_frozen;
}

static void widen(void *context)
{
    struct source *s = context;
    s->is_wide = !s->is_wide;
}

static void propose(void *context, struct flm_text *name)
{
    (void)context;
    flm_text_puts(name, temporary_path("live.txt"));
}

static bool save(void *context, const char *path, struct flm_error *why)
{
    const struct source *s = context;
    FILE *file = fopen(path, "wx");
    if (!file)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "it is there already");
    fprintf(file, "%u", s->shown);
    fclose(file);
    return true;
}

static int program(void *context)
{
    struct source source = {0};
    const struct flm_tui_live live = {&source, "a program", next,    describe, describe_empty,
                                      freeze,  widen,       propose, save};
    struct flm_error why;
    (void)context;
    signal(SIGUSR1, another);
    struct flm_viewer *viewer = flm_viewer_new(&why);
    bool good = viewer &&
                flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile_number(0), "a program", &why) &&
                flm_viewer_do(viewer, flm_bytes_of("view top"), &why) &&
                flm_tui_run_live(viewer, &live, &why);
    flm_viewer_free(viewer);
    if (!good)
        printf("%s\r\n", why.text);
    fflush(stdout);
    return good ? 0 : 2;
}

static void start(struct session *session, int columns, int rows)
{
    session_start(session, columns, rows, program, NULL);
    session_await(session, "nothing ran");
}

static void quit(struct session *session)
{
    session_type(session, "q");
    assert_int_equal(session_end(session), 0);
    assert_true(session_is_as_before(session));
    assert_int_equal(session->terminal.unknown, 0);
    session_clear(session);
}

static int row_of(struct session *session, const char *text)
{
    return emulator_find(&session->terminal, text, 1);
}

/* Tells the program to have another profile, and waits for it. */
static void go_on(struct session *session, unsigned number)
{
    char words[32];
    snprintf(words, sizeof words, "number %u", number);
    kill(session->child, SIGUSR1);
    session_await(session, words);
}

static void a_newer_profile_is_shown_without_a_key(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_await(&session, "live  only number 0");
    go_on(&session, 1);
    assert_true(row_of(&session, "odd_work") > 0);
    assert_int_equal(row_of(&session, "nothing ran"), -1);
    go_on(&session, 2);
    assert_true(row_of(&session, "even_work") > 0);
    assert_int_equal(row_of(&session, "odd_work"), -1);
    quit(&session);
}

static void the_sentence_ends_with_a_whole_part(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 60, 24);
    assert_string_equal(emulator_line(&session.terminal, 23),
                        " live  only number 0, and a second part");
    quit(&session);
}

static void frozen_it_stands_still(void **state)
{
    (void)state;
    static const char *const keys[] = {" ", "p"};
    for (size_t i = 0; i < 2; i++) {
        struct session session = {0};
        start(&session, 80, 24);
        go_on(&session, 1);
        session_type(&session, keys[i]);
        session_await(&session, "frozen  only number 1");
        kill(session.child, SIGUSR1);
        session_type(&session, "1"); /* and can be looked at */
        session_await(&session, "all, 40");
        assert_true(row_of(&session, "odd_work") > 0);
        session_type(&session, "5");
        session_await(&session, "self");
        assert_true(row_of(&session, "frozen  only number 1") > 0);
        session_type(&session, keys[i]);
        session_await(&session, "live  only number 2");
        assert_true(row_of(&session, "even_work") > 0);
        quit(&session);
    }
}

static void the_row_stays_on_its_function(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    go_on(&session, 1); /* odd_work 30, steady 10, main 0 */
    session_type(&session, "\033[B");
    session_settle(&session);
    int row = row_of(&session, "steady");
    assert_true(emulator_at(&session.terminal, 0, row)->style.fill !=
                emulator_at(&session.terminal, 0, row + 1)->style.fill);
    go_on(&session, 2); /* steady 10, even_work 5 */
    session_settle(&session);
    assert_int_equal(row_of(&session, "steady"), row - 1);
    assert_true(emulator_at(&session.terminal, 0, row - 1)->style.fill !=
                emulator_at(&session.terminal, 0, row)->style.fill);
    assert_int_equal(emulator_at(&session.terminal, 0, row)->style.fill,
                     emulator_at(&session.terminal, 0, row + 1)->style.fill);
    quit(&session);
}

static void a_search_and_a_transform_stay(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 100, 24);
    go_on(&session, 1);
    session_type(&session, "/steady\r");
    session_await(&session, "25 %");
    session_type(&session, "xhide:main\r");
    session_await(&session, "hide main");
    go_on(&session, 2);
    session_settle(&session);
    assert_true(row_of(&session, "hide main") > 0);
    assert_true(emulator_find(&session.terminal, "/ steady", 0) == 0);
    quit(&session);
}

static void what_is_shown_is_saved_under_a_name(void **state)
{
    (void)state;
    struct session session = {0};
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("live.txt"));
    remove(path);
    start(&session, 200, 24);
    go_on(&session, 1);
    session_type(&session, "s");
    session_await(&session, "save ");
    session_type(&session, "\r");
    session_await(&session, "written: ");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fgetc(file), '1');
    fclose(file);
    session_type(&session, "s\r");
    session_await(&session, "it is there already");
    session_escape(&session);
    remove(path);
    quit(&session);
}

static void w_widens_and_comes_back(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 80, 24);
    session_type(&session, "w");
    session_await(&session, "live  all up to");
    session_type(&session, "w");
    session_await(&session, "live  only");
    quit(&session);
}

static void help_has_its_keys_and_not_those_that_they_replace(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 140, 60);
    assert_true(row_of(&session, "Space freeze") > 0);
    session_type(&session, "?");
    session_await(&session, "Freeze or resume");
    assert_true(row_of(&session, "Save the shown profile") > 0);
    assert_true(row_of(&session, "Previous match") > 0); /* by N and Shift F3; p is taken */
    assert_int_equal(row_of(&session, "F3  p "), -1);
    session_escape(&session);
    quit(&session);
}

static void how_to_quit_is_said_at_any_width(void **state)
{
    (void)state;
    static const int widths[] = {20, 40, 80, 200};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct session session = {0};
        start(&session, widths[i], 12);
        assert_true(row_of(&session, "q quit") == 10);
        assert_true(row_of(&session, "? keys") == 10);
        quit(&session);
    }
}

static void the_view_that_is_shown_stands_at_the_top_where_not_all_fit(void **state)
{
    (void)state;
    struct session session = {0};
    start(&session, 64, 24);
    session_await(&session, " top ");
    assert_int_equal(emulator_find(&session.terminal, " top ", 0), 0);
    assert_int_equal(emulator_find(&session.terminal, "compare", 0), -1);
    session_type(&session, "1");
    session_await(&session, " flame ");
    assert_int_equal(emulator_find(&session.terminal, " flame ", 0), 0);
    quit(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_profile_is_shown_without_a_key),
        cmocka_unit_test(the_sentence_ends_with_a_whole_part),
        cmocka_unit_test(frozen_it_stands_still),
        cmocka_unit_test(the_row_stays_on_its_function),
        cmocka_unit_test(a_search_and_a_transform_stay),
        cmocka_unit_test(what_is_shown_is_saved_under_a_name),
        cmocka_unit_test(w_widens_and_comes_back),
        cmocka_unit_test(how_to_quit_is_said_at_any_width),
        cmocka_unit_test(the_view_that_is_shown_stands_at_the_top_where_not_all_fit),
        cmocka_unit_test(help_has_its_keys_and_not_those_that_they_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
