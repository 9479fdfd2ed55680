/* Operations with several arguments, from a table of another program: flm_operation_apply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <flamel/algebra.h>

#include "algebra/expression/expression.h"
#include "algebra/operation/operations.h"
#include "support/profile/profiles.h"

enum { NOTE_SIZE = 200 };

/* Writes its arguments to the note. */
static struct flm_profile *describe(struct flm_operation_call *c)
{
    flm_text_format(c->note, "%u %.*s", c->argument[0].number, (int)c->argument[1].unquoted.size,
                    c->argument[1].unquoted.at ? c->argument[1].unquoted.at : "");
    return c->argument[2].text.size > 0 ? flm_focus(c->profile, c->argument[2].marks, c->why)
                                        : flm_invert(c->profile, c->why);
}

static const struct flm_operation_entry several = {"several",
                                                   "takes several arguments",
                                                   "several:1,x",
                                                   describe,
                                                   {{"count", FLM_ARGUMENT_NUMBER, false, NULL},
                                                    {"text", FLM_ARGUMENT_TEXT, true, NULL},
                                                    {"pattern", FLM_ARGUMENT_PATTERN, true, NULL}}};

static void several_gives(const char *text, const char *note, const char *expected)
{
    char buffer[NOTE_SIZE] = "";
    struct flm_text made;
    struct flm_error why = {0};
    struct flm_profile *p = profile_of("main;a,b 1\n");
    flm_text_init_fixed(&made, buffer, NOTE_SIZE - 1);
    struct flm_profile *q = flm_operation_apply(&several, p, flm_bytes_of(text), &made, &why);
    if (!q)
        fail_msg("%s: %s", text, why.text);
    assert_string_equal(buffer, note);
    assert_folded(q, expected);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void several_refuses(const char *text, size_t offset, const char *words)
{
    struct flm_text note = {0};
    struct flm_error why = {0};
    struct flm_profile *p = profile_of("main;a,b 1\n");
    assert_null(flm_operation_apply(&several, p, flm_bytes_of(text), &note, &why));
    assert_int_equal(why.offset, offset);
    if (!strstr(why.text, words))
        fail_msg("%s: %s", text, why.text);
    flm_text_clear(&note);
    flm_profile_free(p);
}

static void an_operation_may_take_several_arguments_and_leave_out_the_last(void **state)
{
    (void)state;
    assert_int_equal(flm_operation_argument_count(&several), 3);
    several_gives("7", "7 ", "a,b;main 1\n");
    several_gives("7 , x y", "7 x y", "a,b;main 1\n");
    several_gives("7,\"x,|y\"", "7 x,|y", "a,b;main 1\n");
    several_gives("7,x,a,b", "7 x", "a,b 1\n"); /* the last one takes all of the rest */
    several_gives("7,,a,b", "7 ", "a,b 1\n");
    several_refuses("", 0,
                    "'several' needs an argument: several:count,text,pattern, for example "
                    "several:1,x");
    several_refuses(" ,x", 0, "needs an argument");
    several_refuses("0,x", 0, "'0' is not a number of count");
    several_refuses("1, x, /(/", 7, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operation_may_take_several_arguments_and_leave_out_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
