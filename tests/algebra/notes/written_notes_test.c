#include "flamel/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/notes/noted.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "flamel/sanitize.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/timed.h"

static const char threads[] =
    "1 1 - 0 0 main;work\n1 1 sleeping 10 80 main;sleep\n1 1 - 95 0 main;work\n";

static struct flm_name name_of(const char *text)
{
    return (struct flm_name){text, strlen(text)};
}

static struct flm_written_note on_function(const char *function, const char *text)
{
    return (struct flm_written_note){
        .about = FLM_NOTE_ABOUT_FUNCTION, .function = name_of(function), .text = name_of(text)};
}

static struct flm_profile *noted(const struct flm_profile *p, struct flm_written_note note,
                                 char *id)
{
    struct flm_error why = {0};
    struct flm_profile *made = flm_note_add(p, &note, id, &why);
    if (!made)
        fail_msg("%s", why.text);
    assert_sound(made);
    return made;
}

/* "about function module stack from to state text" of each, a line each. */
static void assert_notes(const struct flm_profile *p, const char *expected)
{
    char text[2000] = "";
    size_t size = 0;
    struct flm_written_notes *notes = flm_written_notes_read(p, NULL);
    assert_non_null(notes);
    for (size_t i = 0; i < flm_written_notes_count(notes); i++) {
        const struct flm_written_note *n = flm_written_notes_at(notes, i);
        size += (size_t)snprintf(
            text + size, sizeof text - size, "%d %.*s|%.*s|%.*s|%lld|%lld|%.*s|%.*s\n",
            (int)n->about, (int)n->function.size, n->function.at, (int)n->module.size, n->module.at,
            (int)n->stack.size, n->stack.at, (long long)n->from_ns, (long long)n->to_ns,
            (int)n->state.size, n->state.at, (int)n->text.size, n->text.at);
    }
    flm_written_notes_free(notes);
    assert_string_equal(text, expected);
}

/* Whatever profile it is on, and whatever it says, a note that is removed leaves nothing. */
static void a_note_that_is_added_and_removed_leaves_the_profile_as_it_was(void **state)
{
    (void)state;
    struct flm_profile *profiles[] = {profile_of("main;lex 3\nmain;write 1\n"),
                                      profile_of_threads(threads), profile_of("")};
    static const char *const texts[] = {"slow", "\"quoted\" {json}", "two\nlines",
                                        "\xC3\xA4\xE2\x82\xAC"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            char id[FLM_NOTE_ID_SIZE];
            struct flm_profile *one = noted(profiles[i], on_function("main", texts[k]), id);
            struct flm_profile *again = flm_note_remove(one, id, NULL);
            assert_non_null(again);
            assert_profiles_equal(again, profiles[i]);
            flm_profile_free(again);
            flm_profile_free(one);
        }
    for (size_t i = 0; i < 3; i++)
        flm_profile_free(profiles[i]);
}

static void notes_of_every_kind_are_read_as_they_were_written(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(threads);
    struct flm_written_note notes[] = {
        {.about = FLM_NOTE_ABOUT_VIEW,
         .text = name_of("Who calls"),
         .state = name_of("view=top&x=1")},
        {.about = FLM_NOTE_ABOUT_TIME,
         .text = name_of("pause"),
         .from_ns = INT64_MIN + 1,
         .to_ns = INT64_MAX},
        on_function("work", "b"),
        on_function("work", "a"),
        {.about = FLM_NOTE_ABOUT_STACK, .text = name_of("c"), .stack = name_of("main;work")},
        {.about = FLM_NOTE_ABOUT_PROFILE, .text = name_of("all of it")}};
    notes[2].module = name_of("app");
    for (size_t i = 0; i < 6; i++) {
        struct flm_profile *more = noted(p, notes[i], NULL);
        flm_profile_free(p);
        p = more;
    }
    assert_notes(p, "0 |||0|0||all of it\n1 work|||0|0||a\n1 work|app||0|0||b\n"
                    "2 ||main;work|0|0||c\n"
                    "3 |||-9223372036854775807|9223372036854775807||pause\n"
                    "4 |||0|0|view=top&x=1|Who calls\n");
    flm_profile_free(p);
}

/* The same note in both is one; the others are all there. */
static void a_merged_profile_has_the_notes_of_all(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 3\n");
    struct flm_profile *a = noted(p, on_function("lex", "both"), NULL);
    struct flm_profile *b = noted(a, on_function("lex", "b alone"), NULL);
    struct flm_profile *c = noted(a, on_function("main", "c alone"), NULL);
    const struct flm_profile *both[] = {b, c};
    struct flm_profile *merged = flm_align(both, 2, FLM_ALIGN_ADD, NULL, NULL);
    assert_notes(merged, "1 lex|||0|0||b alone\n1 lex|||0|0||both\n1 main|||0|0||c alone\n");
    struct flm_sanitize_options how = {
        .size = sizeof how, .key = "0123456789abcdef", .key_size = 16};
    struct flm_profile *shown = flm_sanitize(merged, &how, NULL);
    assert_notes(shown, "");
    struct flm_profile *all[] = {p, a, b, c, merged, shown};
    for (size_t i = 0; i < 6; i++)
        flm_profile_free(all[i]);
}

static void notes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static char long_text[FLM_NOTE_MOST_TEXT + 2];
    memset(long_text, 'x', sizeof long_text - 1);
    struct flm_profile *p = profile_of_threads(threads);
    struct flm_written_note wrong[] = {
        on_function("main", ""),
        on_function("", "x"),
        on_function("main", long_text),
        {.about = FLM_NOTE_ABOUT_STACK, .text = name_of("x")},
        {.about = FLM_NOTE_ABOUT_TIME, .text = name_of("x"), .from_ns = 5, .to_ns = 4},
        {.about = (enum flm_note_about)7, .text = name_of("x")}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_error why = {0};
        assert_null(flm_note_add(p, &wrong[i], NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    static const char *const ids[] = {"", "12345678", "note", "123456789"};
    for (size_t i = 0; i < 4; i++) {
        struct flm_error why = {0};
        assert_null(flm_note_remove(p, ids[i], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    struct flm_written_note note = on_function("nothing", "x");
    assert_false(flm_note_check_subject(p, &note, NULL));
    note = on_function("work", "x");
    assert_true(flm_note_check_subject(p, &note, NULL));
    note = (struct flm_written_note){.about = FLM_NOTE_ABOUT_STACK, .stack = name_of("main;lex")};
    assert_false(flm_note_check_subject(p, &note, NULL));
    note.stack = name_of("main;work");
    assert_true(flm_note_check_subject(p, &note, NULL));
    assert_true(flm_note_parse_time(p, "10ms..20ms", &note, NULL));
    assert_true(note.from_ns == 5010000000 && note.to_ns == 5020000000);
    assert_false(flm_note_parse_time(p, "10", &note, NULL));
    assert_false(flm_note_parse_time(p, "1000s..", &note, NULL));
    flm_profile_free(p);
}

static void add_path(const struct flm_profile *p, const uint32_t *parent, uint32_t node,
                     struct flm_text *out)
{
    if (node == 0)
        return;
    add_path(p, parent, parent[node], out);
    flm_text_puts(out, parent[node] ? ";" : "");
    flm_text_add(out, flm_frame_function(p, p->node_frame[node]));
}

/* Names that begin alike, and names with a ';' in them: a stack is found wherever the text is its
 * names, and nowhere else. */
static void a_stack_is_found_wherever_its_names_are(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "a;b", "b;a", "ab", "a;"};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "n", "");
    for (unsigned i = 0; i < 6 * 6 * 6; i++) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned left = i, k = 0; k < 3; k++, left /= 6)
            node = flm_builder_child(
                b, node, flm_builder_function(b, names[left % 6], strlen(names[left % 6])));
        flm_builder_add(b, node, metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    uint32_t parent[400];
    assert_true(p->sizes.node_count < 400);
    flm_profile_parents(p, parent);
    struct flm_text wanted = {0}, path = {0};
    size_t several = 0;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        wanted.size = 0;
        add_path(p, parent, i, &wanted);
        uint32_t found = 0, count = 0;
        for (uint32_t k = 1; k < p->sizes.node_count; k++) {
            path.size = 0;
            add_path(p, parent, k, &path);
            if (path.size != wanted.size || memcmp(path.at, wanted.at, path.size) != 0)
                continue;
            found = flm_note_find_stack(p, (struct flm_name){wanted.at, wanted.size}, found);
            assert_int_equal(found, k);
            count++;
        }
        several += count > 1;
        assert_int_equal(flm_note_find_stack(p, (struct flm_name){wanted.at, wanted.size}, found),
                         FLM_NONE);
    }
    assert_true(several > 10);
    assert_int_equal(flm_note_find_stack(p, name_of(""), 0), FLM_NONE);
    assert_int_equal(flm_note_find_stack(p, name_of("a;a;a;a"), 0), FLM_NONE);
    flm_text_clear(&wanted);
    flm_text_clear(&path);
    flm_profile_free(p);
}

/* Of a file that others wrote: no note, and no harm. */
static void what_is_no_note_is_left_out(void **state)
{
    (void)state;
    static const char *const values[] = {
        "",
        "{",
        "[]",
        "1",
        "{\"about\": \"zoo\", \"text\": \"x\"}",
        "{\"about\": 3, \"text\": \"x\"}",
        "{\"about\": \"time\"}",
        "{\"about\": \"time\", \"from_ns\": 1.5, \"text\": \"x\"}"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        flm_builder_note(b, "note 01234567", values[i], strlen(values[i]));
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_notes(p, "");
        flm_profile_free(p);
    }
    assert_false(flm_note_is_written(name_of("note")));
    assert_false(flm_note_is_written(name_of("notes 0123456")));
    assert_true(flm_note_is_written(name_of("note 01234567")));
}

static bool add_and_read(void *context, struct flm_error *why)
{
    struct flm_written_note note = on_function("main", "slow");
    struct flm_profile *made = flm_note_add(context, &note, NULL, why);
    struct flm_written_notes *notes = made ? flm_written_notes_read(made, why) : NULL;
    bool good = notes != NULL;
    assert_true(!good || flm_written_notes_count(notes) == 1);
    flm_written_notes_free(notes);
    flm_profile_free(made);
    return good;
}

static void it_survives_memory_that_runs_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 3\n");
    assert_true(assert_survives_failures(add_and_read, p) > 3);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_that_is_added_and_removed_leaves_the_profile_as_it_was),
        cmocka_unit_test(notes_of_every_kind_are_read_as_they_were_written),
        cmocka_unit_test(a_merged_profile_has_the_notes_of_all),
        cmocka_unit_test(notes_that_make_no_sense_are_refused),
        cmocka_unit_test(a_stack_is_found_wherever_its_names_are),
        cmocka_unit_test(what_is_no_note_is_left_out),
        cmocka_unit_test(it_survives_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
