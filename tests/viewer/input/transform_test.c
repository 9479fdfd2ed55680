#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void assert_shown(struct viewing *seen, const char *folded)
{
    assert_folded(flm_model_shown(&seen->viewer->model), folded);
}

static void the_selected_frame_is_what_transforms_are_about(void **state)
{
    (void)state;
    static const struct {
        const char *action, *folded, *state;
    } cases[] = {
        {"hide", "main;lex 3\nmain;write 5\n", "apply=hide:parse"},
        {"drop", "main;write 5\n", "apply=drop:parse"},
        {"keep", "main;parse;lex 3\n", "apply=keep:parse"},
        {"prune", "main;parse 3\nmain;write 5\n", "apply=prune:parse"},
        {"focus", "parse;lex 3\n", "apply=focus:parse"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct viewing seen;
        viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\n"), 816, 448, 1);
        viewing_refused(&seen, cases[i].action);
        viewing_click(&seen, "parse", 1);
        viewing_do(&seen, cases[i].action);
        assert_shown(&seen, cases[i].folded);
        assert_non_null(strstr(viewing_state(&seen), cases[i].state));
        viewing_do(&seen, "undo");
        assert_shown(&seen, "main;parse;lex 3\nmain;write 5\n");
        viewing_do(&seen, "redo");
        assert_shown(&seen, cases[i].folded);
        viewing_clear(&seen);
    }
}

/* Names that mean something in an expression are only names here. */
static void any_name_can_be_hidden(void **state)
{
    (void)state;
    static const char *const names[] = {"a|b",  "say \"x\"", "\" | by:name", "/x/",      "*",
                                        "a\nb", " x ",       "!x",           "module=y", "x\\"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        struct flm_node top = flm_builder_child(
            b, flm_builder_root(b), flm_builder_function(b, names[i], strlen(names[i])));
        flm_builder_add(b, flm_builder_child(b, top, flm_builder_function(b, "leaf", 4)), cpu, 1);
        struct viewing seen;
        viewing_init(&seen, flm_builder_finish(b, NULL), 816, 448, 1);
        viewing_click(&seen, names[i], 1);
        viewing_do(&seen, "hide");
        assert_shown(&seen, "leaf 1\n");
        viewing_do(&seen, "apply depth:1");
        viewing_do(&seen, "undo");
        viewing_do(&seen, "undo");
        assert_int_equal(seen.viewer->model.operations.count, 0);
        viewing_do(&seen, "redo");
        assert_shown(&seen, "leaf 1\n");
        viewing_clear(&seen);
    }
}

static void chips_are_numbered_from_nought(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\n"), 816, 448, 1);
    viewing_do(&seen, "apply hide:parse | drop:write | invert");
    assert_shown(&seen, "lex;main 3\n");
    viewing_do(&seen, "operation-toggle 2");
    assert_shown(&seen, "main;lex 3\n");
    viewing_do(&seen, "operation-move 2 0");
    viewing_do(&seen, "operation-toggle 0");
    viewing_do(&seen, "operation-edit 2 depth:1");
    assert_shown(&seen, "lex 3\nwrite 5\n");
    viewing_do(&seen, "operation-remove 0");
    assert_shown(&seen, "main 8\n");
    viewing_refused(&seen, "operation-remove 2");
    viewing_refused(&seen, "operation-move 0");
    viewing_refused(&seen, "operation-edit 0 nothing");
    viewing_refused(&seen, "operation-toggle");
    viewing_do(&seen, "reset");
    assert_shown(&seen, "main;parse;lex 3\nmain;write 5\n");
    viewing_refused(&seen, "reset");
    viewing_do(&seen, "undo"); /* one step for all of it */
    assert_shown(&seen, "main 8\n");
    viewing_clear(&seen);
}

static void going_back_and_undoing_are_of_one_mind(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\n"), 816, 448, 1);
    viewing_do(&seen, "apply hide:parse");
    viewing_do(&seen, "apply drop:write");
    viewing_do(&seen, "back");
    assert_shown(&seen, "main;lex 3\nmain;write 5\n");
    viewing_do(&seen, "redo");
    assert_shown(&seen, "main;lex 3\n");
    viewing_do(&seen, "undo");
    viewing_do(&seen, "undo");
    assert_shown(&seen, "main;parse;lex 3\nmain;write 5\n");
    viewing_clear(&seen);
}

/* What is refused leaves picture and state as they were. */
static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    uint64_t random = 97;
    struct viewing seen;
    viewing_init(&seen, random_profile(&random, &random_full), 816, 448, 1);
    viewing_do(&seen, "apply by:function");
    viewing_do(&seen, "child");
    viewing_do(&seen, "zoom-selected");
    viewing_look(&seen);
    struct flm_text before = {0};
    flm_text_puts(&before, viewing_state(&seen));
    flm_text_putc(&before, 0);
    static const char *const wrong[] = {
        "apply hide:/(/",        "apply nothing",      "apply",
        "apply hide:",           "operation-toggle 7", "operation-edit 0 by:x",
        "apply depth:2 | time:x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        viewing_refused(&seen, wrong[i]);
        assert_string_equal(viewing_state(&seen), before.at);
        assert_viewing_sound(&seen);
    }
    viewing_clear(&seen);
    flm_text_clear(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_selected_frame_is_what_transforms_are_about),
        cmocka_unit_test(any_name_can_be_hidden),
        cmocka_unit_test(chips_are_numbered_from_nought),
        cmocka_unit_test(going_back_and_undoing_are_of_one_mind),
        cmocka_unit_test(what_is_refused_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
