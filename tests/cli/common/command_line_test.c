#include "cli/common/command_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"

/* The words of `text`, with bars between them, and in brackets the target. */
static void assert_words(const char *text, const char *expected)
{
    struct flm_command_line line;
    struct flm_error why;
    char got[256] = "";
    if (!flm_command_line_init(&line, text, &why))
        fail_msg("%s: %s", text, why.text);
    for (char **word = line.words; *word; word++) {
        bool is_target = line.target == *word;
        strncat(got, word == line.words ? "" : "|", sizeof got - strlen(got) - 1);
        strncat(got, is_target ? "[" : "", sizeof got - strlen(got) - 1);
        strncat(got, *word, sizeof got - strlen(got) - 1);
        strncat(got, is_target ? "]" : "", sizeof got - strlen(got) - 1);
    }
    assert_string_equal(got, expected);
    flm_command_line_clear(&line);
}

static void plain_words_are_started_without_a_shell(void **state)
{
    (void)state;
    assert_words("./old", "[./old]");
    assert_words("  ./old \t--size  10 ", "[./old]|--size|10");
    assert_words("./a b=c", "[./a]|b=c");
    assert_words("./a -x=1,2 %5 @f +y ^z", "[./a]|-x=1,2|%5|@f|+y|^z");
}

static void quotes_and_backslashes_are_those_of_a_shell(void **state)
{
    (void)state;
    assert_words("./a 'b c' \"d e\" f\\ g", "[./a]|b c|d e|f g");
    assert_words("./a 'x'\"y\"z ''", "[./a]|xyz|");
    assert_words("./a \"q\\\"r\\\\s\\t\" '\\n'", "[./a]|q\"r\\s\\t|\\n");
    assert_words("./a '$HOME | *' \"a|b\"", "[./a]|$HOME | *|a|b");
    assert_words("'./my app' x", "[./my app]|x");
    assert_words("./a \\$x", "[./a]|$x");
    assert_words("./a b\\", "[./a]|b\\");
}

static void values_in_front_are_for_env(void **state)
{
    (void)state;
    assert_words("A=1 ./old", "env|A=1|[./old]");
    assert_words("A=1 B='2 3' ./old C=4", "env|A=1|B=2 3|[./old]|C=4");
    assert_words("1A=1 ./old", "[1A=1]|./old");
    assert_words("./x/A=1 y", "[./x/A=1]|y");
}

static void what_only_a_shell_knows_is_for_a_shell(void **state)
{
    (void)state;
    assert_words("./a | ./b", "sh|-c|./a | ./b");
    assert_words("./a $SIZE", "sh|-c|./a $SIZE");
    assert_words("./a \"$SIZE\"", "sh|-c|./a \"$SIZE\"");
    assert_words("./a \"`date`\"", "sh|-c|./a \"`date`\"");
    assert_words("cd x && ./a", "sh|-c|cd x && ./a");
    assert_words("./a < in > out", "sh|-c|./a < in > out");
    assert_words("./a *.c", "sh|-c|./a *.c");
    assert_words("./a\n./b", "sh|-c|./a\n./b");
    assert_words("!", "sh|-c|!");
}

static void what_is_no_command_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "  ", "A=1", "A=1 B=2", "./a 'b", "./a \"b", "\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct flm_command_line line;
        struct flm_error why;
        assert_false(flm_command_line_init(&line, texts[i], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_null(line.words);
    }
}

static bool take_apart(void *context, struct flm_error *why)
{
    struct flm_command_line line;
    bool good = flm_command_line_init(&line, context, why);
    flm_command_line_clear(&line);
    return good;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    char plain[] = "./a b", shell[] = "./a | b", env[] = "A=1 ./a";
    assert_true(assert_survives_failures(take_apart, plain) > 0);
    assert_true(assert_survives_failures(take_apart, shell) > 0);
    assert_true(assert_survives_failures(take_apart, env) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_are_started_without_a_shell),
        cmocka_unit_test(quotes_and_backslashes_are_those_of_a_shell),
        cmocka_unit_test(values_in_front_are_for_env),
        cmocka_unit_test(what_only_a_shell_knows_is_for_a_shell),
        cmocka_unit_test(what_is_no_command_is_refused),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
