#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "flamel/notes.h"
#include "support/core/failures.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"
#include "viewer/query/query.h"

static const char threads[] =
    "1 1 - 0 0 main;work\n1 1 sleeping 10 80 main;sleep\n1 1 - 95 0 main;work\n";

static void begin(struct viewing *seen, const char *folded)
{
    viewing_init(seen, profile_of(folded), 800, 600, 1);
}

/* The id of the note that is the last one of a kind. */
static const char *id_of(struct viewing *seen, const char *text)
{
    static char id[FLM_NOTE_ID_SIZE];
    const struct flm_kept_notes *notes = &seen->viewer->model.notes;
    for (size_t i = 0; i < flm_kept_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_kept_notes_at(notes, i);
        if (flm_bytes_are((struct flm_bytes){note->text.at, note->text.size}, text))
            memcpy(id, note->id, sizeof id);
    }
    assert_true(id[0] != 0);
    return id;
}

static void do_with_id(struct viewing *seen, const char *action, const char *of, const char *rest)
{
    char text[300];
    snprintf(text, sizeof text, "%s %s%s", action, id_of(seen, of), rest);
    viewing_do(seen, text);
}

/* What the query "notes" has: "subject: text" of each. */
static void assert_notes(struct viewing *seen, const char *expected)
{
    struct flm_response response = {0};
    struct flm_text text = {0};
    assert_true(flm_viewer_query(seen->viewer, flm_bytes_of("notes"), &response, NULL));
    for (size_t i = 0; i < response.notes->notes.count; i++) {
        const struct flm_response_written *note = &response.notes->notes.at[i];
        flm_text_add(&text, note->subject);
        flm_text_puts(&text, ": ");
        flm_text_add(&text, note->text);
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_response_clear(&response);
}

/* As a file that is saved and opened again has them. */
static struct flm_profile *saved(struct viewing *seen)
{
    struct flm_text bytes = {0};
    struct flm_error why = {0};
    if (!flm_viewer_query_text(seen->viewer, flm_bytes_of("export flm"), &bytes, &why))
        fail_msg("%s", why.text);
    struct flm_profile *p = flm_profile_open(bytes.at, bytes.size, free, bytes.at, &why);
    assert_non_null(p);
    return p;
}

static void what_is_written_is_saved_and_opened_again(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse;lex 3\nmain;write 1\n");
    viewing_click(&seen, "parse", 1);
    viewing_do(&seen, "note slow since 2.1");
    viewing_do(&seen, "note-stack twice a second");
    viewing_do(&seen, "note-profile before the lexer");
    viewing_do(&seen, "view top");
    viewing_do(&seen, "note-view The table");
    static const char all[] = "profile: before the lexer\nparse: slow since 2.1\n"
                              "main;parse: twice a second\nview: The table\n";
    assert_notes(&seen, all);
    struct flm_profile *p = saved(&seen);
    viewing_clear(&seen);
    viewing_init(&seen, p, 800, 600, 1);
    assert_notes(&seen, all);
    assert_false(seen.viewer->model.notes.is_changed);
    viewing_clear(&seen);
}

static void a_note_is_changed_and_removed_by_its_id(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse 3\n");
    viewing_click(&seen, "parse", 1);
    viewing_do(&seen, "note first");
    viewing_do(&seen, "note second");
    do_with_id(&seen, "note-edit", "first", " third and last");
    assert_notes(&seen, "parse: second\nparse: third and last\n");
    do_with_id(&seen, "note-remove", "second", "");
    assert_notes(&seen, "parse: third and last\n");
    viewing_refused(&seen, "note-remove 00000000");
    viewing_refused(&seen, "note-remove x");
    viewing_refused(&seen, "note-edit 00000000 text");
    do_with_id(&seen, "note-remove", "third and last", "");
    assert_notes(&seen, "");
    struct flm_profile *p = saved(&seen);
    struct flm_written_notes *notes = flm_written_notes_read(p, NULL);
    assert_int_equal(flm_written_notes_count(notes), 0);
    flm_written_notes_free(notes);
    flm_profile_free(p);
    viewing_clear(&seen);
}

static void going_to_a_note_shows_what_it_is_on(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse;lex 3\nmain;write;lex 9\n");
    viewing_click(&seen, "parse", 1);
    viewing_do(&seen, "note-stack this one");
    char at_parse[300];
    snprintf(at_parse, sizeof at_parse, "%s", viewing_state(&seen));
    viewing_do(&seen, "view top");
    viewing_do(&seen, "note-view A table");
    char table[300];
    snprintf(table, sizeof table, "%s", viewing_state(&seen));
    viewing_do(&seen, "view sandwich");
    do_with_id(&seen, "note-show", "A table", "");
    assert_string_equal(viewing_state(&seen), table);
    viewing_do(&seen, "view sandwich");
    do_with_id(&seen, "note-show", "this one", "");
    assert_non_null(strstr(viewing_state(&seen), at_parse)); /* and what the sandwich is of */
    assert_null(strstr(viewing_state(&seen), "view="));
    viewing_clear(&seen);
}

static void a_note_on_a_time_selects_it_again(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of_threads(threads), 800, 600, 1);
    viewing_refused(&seen, "note-time nothing is selected");
    viewing_do(&seen, "range 10ms..50ms");
    viewing_do(&seen, "note-time the pause");
    char selected[300];
    snprintf(selected, sizeof selected, "%s", viewing_state(&seen));
    viewing_do(&seen, "range-clear");
    assert_notes(&seen, "10 ms to 50 ms: the pause\n");
    do_with_id(&seen, "note-show", "the pause", "");
    assert_string_equal(viewing_state(&seen), selected);
    viewing_clear(&seen);
}

static size_t notes_of(struct viewing *seen)
{
    struct flm_response response = {0};
    assert_true(flm_viewer_query(seen->viewer, flm_bytes_of("detail"), &response, NULL));
    size_t count = response.detail ? response.detail->notes.count : 0;
    flm_response_clear(&response);
    return count;
}

static void a_frame_has_the_notes_on_its_function_and_on_its_stack(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse;lex 3\nmain;write;lex 9\nmain;write;parse 4\n");
    viewing_click(&seen, "lex", 1); /* the widest: below write */
    viewing_do(&seen, "note on all");
    viewing_do(&seen, "note-stack on this one");
    assert_int_equal(notes_of(&seen), 2);
    viewing_do(&seen, "view sandwich");
    viewing_do(&seen, "view flame");
    viewing_click(&seen, "write", 1);
    assert_int_equal(notes_of(&seen), 0);
    const struct viewing_box box = viewing_find(&seen, "lex");
    assert_true(box.found);
    viewing_do(&seen, "apply hide:write");
    viewing_click(&seen, "lex", 1);
    assert_int_equal(notes_of(&seen), 1); /* the stack is another one now */
    viewing_clear(&seen);
}

static void a_note_without_a_text_is_asked_for(void **state)
{
    (void)state;
    static const char *const actions[] = {"note", "note-stack", "note-profile", "note-view",
                                          "notes"};
    struct viewing seen;
    begin(&seen, "main;parse 3\n");
    viewing_refused(&seen, "note nothing is selected");
    viewing_click(&seen, "parse", 1);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        viewing_do(&seen, actions[i]);
        assert_string_equal(viewing_ask(&seen, "prompt"), actions[i]);
    }
    assert_notes(&seen, "");
    viewing_clear(&seen);
}

/* A running program is opened again each second, by its name. */
static void notes_stay_while_the_same_is_opened_again(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse 3\n");
    char name[100];
    snprintf(name, sizeof name, "%s", seen.viewer->model.name[FLM_VIEWER_AFTER]);
    viewing_do(&seen, "note-profile typed");
    assert_true(
        flm_viewer_take(seen.viewer, FLM_VIEWER_AFTER, profile_of("main;parse 9\n"), name, NULL));
    assert_notes(&seen, "profile: typed\n");
    assert_true(
        flm_viewer_take(seen.viewer, FLM_VIEWER_BEFORE, profile_of("main 1\n"), "old", NULL));
    assert_notes(&seen, "profile: typed\n");
    assert_true(
        flm_viewer_take(seen.viewer, FLM_VIEWER_AFTER, profile_of("main 1\n"), "other", NULL));
    assert_notes(&seen, "");
    viewing_clear(&seen);
}

static bool write_and_save(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    struct flm_text bytes = {0};
    bool good = flm_viewer_do(v, flm_bytes_of("note-profile text"), why) &&
                flm_viewer_query_text(v, flm_bytes_of("export flm"), &bytes, why);
    flm_text_clear(&bytes);
    return good;
}

static void it_survives_memory_that_runs_out(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen, "main;parse 3\n");
    assert_true(assert_survives_failures(write_and_save, seen.viewer) > 3);
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_saved_and_opened_again),
        cmocka_unit_test(a_note_is_changed_and_removed_by_its_id),
        cmocka_unit_test(going_to_a_note_shows_what_it_is_on),
        cmocka_unit_test(a_note_on_a_time_selects_it_again),
        cmocka_unit_test(a_frame_has_the_notes_on_its_function_and_on_its_stack),
        cmocka_unit_test(a_note_without_a_text_is_asked_for),
        cmocka_unit_test(notes_stay_while_the_same_is_opened_again),
        cmocka_unit_test(it_survives_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
