#include "flamel/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void an_error_has_a_kind_a_position_and_a_sentence(void **state)
{
    (void)state;
    struct flm_error why;
    assert_false(flm_error_set(&why, FLM_ERROR_RANGE, "%s has %d", "a", 3));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_int_equal(why.line, 0);
    assert_int_equal(why.offset, 0);
    assert_string_equal(why.text, "a has 3");

    assert_false(flm_error_line(&why, FLM_ERROR_FORMAT, 812, "the value '%s' is none", "x7"));
    assert_int_equal(why.line, 812);
    assert_string_equal(why.text, "line 812: the value 'x7' is none");

    assert_false(flm_error_byte(&why, FLM_ERROR_FORMAT, 4096, "no section"));
    assert_int_equal(why.line, 0);
    assert_int_equal(why.offset, 4096);
    assert_string_equal(why.text, "byte 4096: no section");

    assert_false(flm_error_memory(&why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_string_equal(why.text, "out of memory");
}

static void nobody_has_to_ask_why(void **state)
{
    (void)state;
    assert_false(flm_error_set(NULL, FLM_ERROR_USAGE, "x"));
    assert_false(flm_error_line(NULL, FLM_ERROR_USAGE, 1, "x"));
    assert_false(flm_error_byte(NULL, FLM_ERROR_USAGE, 1, "x"));
    assert_false(flm_error_memory(NULL));
    assert_false(flm_error_within(NULL, "x"));
    flm_error_move_line(NULL, 4);
}

static void each_level_adds_its_context(void **state)
{
    (void)state;
    struct flm_error why;
    flm_error_line(&why, FLM_ERROR_FORMAT, 3, "bad");
    assert_false(flm_error_within(&why, "app.folded"));
    assert_string_equal(why.text, "app.folded: line 3: bad");
    assert_int_equal(why.line, 3);
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
}

static void a_line_can_be_moved(void **state)
{
    (void)state;
    struct flm_error why;
    flm_error_line(&why, FLM_ERROR_FORMAT, 3, "the value 'a: b' is none");
    flm_error_move_line(&why, 1000003);
    assert_string_equal(why.text, "line 1000003: the value 'a: b' is none");
    assert_int_equal(why.line, 1000003);
    flm_error_set(&why, FLM_ERROR_FORMAT, "no: line");
    flm_error_move_line(&why, 7);
    assert_string_equal(why.text, "no: line");
    assert_int_equal(why.line, 0);
}

static void a_byte_can_be_moved(void **state)
{
    (void)state;
    struct flm_error why;
    flm_error_byte(&why, FLM_ERROR_USAGE, 3, "'%s' is: none", "x");
    flm_error_move_byte(&why, 12);
    assert_string_equal(why.text, "byte 12: 'x' is: none");
    assert_int_equal(why.offset, 12);
    flm_error_set(&why, FLM_ERROR_USAGE, "no: byte");
    flm_error_move_byte(&why, 7);
    assert_string_equal(why.text, "no: byte");
    assert_int_equal(why.offset, 0);
    flm_error_move_byte(NULL, 7);
}

static void a_sentence_is_cut_and_always_ends(void **state)
{
    (void)state;
    struct flm_error why;
    char name[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    flm_error_set(&why, FLM_ERROR_USAGE, "%s %s %s %s %s", name, name, name, name, name);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    flm_error_within(&why, name);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    flm_error_line(&why, FLM_ERROR_USAGE, 1, "%s %s %s %s %s", name, name, name, name, name);
    flm_error_move_line(&why, 100000); /* pushes the end out, but not into the following memory */
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    flm_error_set(&why, FLM_ERROR_USAGE, "'%s' has no remedy", name);
    assert_non_null(strstr(why.text, "...")); /* the reason stays */
    assert_non_null(strstr(why.text, "' has no remedy"));
}

static void moving_a_long_sentence_keeps_all_of_it(void **state)
{
    (void)state;
    struct flm_error why;
    char expected[400], rest[301];
    memset(rest, 'r', 300);
    rest[300] = 0;
    flm_error_byte(&why, FLM_ERROR_USAGE, 1, "%.*s%.*s%.*s", 100, rest, 100, rest, 100, rest);
    snprintf(expected, sizeof expected, "byte 22: %s", rest);
    flm_error_move_byte(&why, 22);
    assert_string_equal(why.text, expected);
}

static void a_precision_reads_no_further_than_the_string(void **state)
{
    (void)state;
    struct flm_error why;
    char *exact = malloc(3); /* an address sanitizer finds a read after it */
    assert_non_null(exact);
    memcpy(exact, "ab", 3);
    flm_error_set(&why, FLM_ERROR_USAGE, "'%.*s' and '%.*s'", 50, exact, 1, exact);
    assert_string_equal(why.text, "'ab' and 'a'");
    free(exact);
}

static void strings_are_shortened_and_the_sentence_has_a_limit(void **state)
{
    (void)state;
    struct flm_error why;
    char name[122];
    memset(name, 'n', 121);
    name[121] = 0;
    flm_error_set(&why, FLM_ERROR_USAGE, "%s", name + 1);
    assert_string_equal(why.text, name + 1); /* 120 bytes stay */
    flm_error_set(&why, FLM_ERROR_USAGE, "%s", name);
    assert_int_equal(strlen(why.text), 120);
    assert_non_null(strstr(why.text, "..."));
}

static void a_list_can_be_added_to_the_sentence(void **state)
{
    (void)state;
    struct flm_error why;
    char list[500];
    memset(list, 'x', sizeof list - 1);
    list[sizeof list - 1] = 0;
    flm_error_byte(&why, FLM_ERROR_USAGE, 7, "use one of ");
    assert_false(flm_error_add(&why, "a, \x1B"));
    assert_string_equal(why.text, "byte 7: use one of a, ?");
    assert_int_equal(why.offset, 7);
    flm_error_add(&why, list);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    flm_error_add(&why, list);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    assert_false(flm_error_add(NULL, "x"));
}

static void a_terminal_does_not_act_on_a_sentence(void **state)
{
    (void)state;
    struct flm_error why;
    flm_error_set(&why, FLM_ERROR_USAGE, "%s", "a\x1B[2Jb\tc\nd\x7F");
    assert_string_equal(why.text, "a?[2Jb?c?d?");
    flm_error_within(&why, "x\n");
    assert_string_equal(why.text, "x?: a?[2Jb?c?d?");
    flm_error_set(&why, FLM_ERROR_USAGE, "%s",
                  "a\xC2\x9B"
                  "2J\x9B\u202Eb");
    assert_string_equal(why.text, "a?2J??b");
    flm_error_add(&why, "\u2028c");
    assert_string_equal(why.text, "a?2J??b?c");
    flm_error_set(&why, FLM_ERROR_USAGE, "\xCE\xBB");
    assert_string_equal(why.text, "\xCE\xBB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_has_a_kind_a_position_and_a_sentence),
        cmocka_unit_test(nobody_has_to_ask_why),
        cmocka_unit_test(each_level_adds_its_context),
        cmocka_unit_test(a_line_can_be_moved),
        cmocka_unit_test(a_byte_can_be_moved),
        cmocka_unit_test(a_sentence_is_cut_and_always_ends),
        cmocka_unit_test(moving_a_long_sentence_keeps_all_of_it),
        cmocka_unit_test(a_precision_reads_no_further_than_the_string),
        cmocka_unit_test(strings_are_shortened_and_the_sentence_has_a_limit),
        cmocka_unit_test(a_list_can_be_added_to_the_sentence),
        cmocka_unit_test(a_terminal_does_not_act_on_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
