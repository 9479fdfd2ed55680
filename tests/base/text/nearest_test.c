#include "base/text/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static size_t edits(const char *a, const char *b)
{
    return flm_edit_distance(flm_bytes_of(a), flm_bytes_of(b));
}

static void changes_are_counted(void **state)
{
    (void)state;
    assert_int_equal(edits("", ""), 0);
    assert_int_equal(edits("parse", "parse"), 0);
    assert_int_equal(edits("", "abc"), 3);
    assert_int_equal(edits("abc", ""), 3);
    assert_int_equal(edits("parse", "parses"), 1);
    assert_int_equal(edits("parse", "pars"), 1);
    assert_int_equal(edits("parse", "parte"), 1);
    assert_int_equal(edits("kitten", "sitting"), 3);
    assert_int_equal(edits("cycels", "cycles"), 1); /* neighbors are exchanged */
    assert_int_equal(edits("ca", "abc"), 3);        /* and not touched again */
}

static void the_distance_is_symmetric_and_bounded(void **state)
{
    (void)state;
    static const char *const names[] = {"", "a", "ab", "ba", "record", "report", "recrod", "top"};
    enum { COUNT = sizeof names / sizeof names[0] };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            size_t a = strlen(names[i]), b = strlen(names[j]), d = edits(names[i], names[j]);
            assert_int_equal(d, edits(names[j], names[i]));
            assert_true((d == 0) == (i == j));
            assert_true(d <= (a > b ? a : b) && d >= (a > b ? a - b : b - a));
        }
}

static void long_names_have_no_distance(void **state)
{
    (void)state;
    char name[66];
    memset(name, 'a', 65);
    name[65] = 0;
    assert_true(edits(name, "a") == SIZE_MAX);
    name[64] = 0;
    assert_int_equal(edits(name, "a"), 63);
}

static void assert_nearest(const char *asked, const char *const *names, const char *expected)
{
    char text[300];
    struct flm_text out;
    struct flm_nearest near = {.asked = flm_bytes_of(asked)};
    for (; *names; names++)
        flm_nearest_add(&near, flm_bytes_of(*names));
    flm_text_init_fixed(&out, text, sizeof text - 1);
    flm_nearest_put(&near, "", &out);
    text[out.size] = 0;
    assert_string_equal(text, expected);
}

static void similar_names_are_found_the_nearest_first(void **state)
{
    (void)state;
    const char *const commands[] = {"record", "top", "report", "view", NULL};
    assert_nearest("reprot", commands, "report or record");
    assert_nearest("recrod", commands, "record or report");
    assert_nearest("rec", commands, "record");
    assert_nearest("xyz", commands, "");
    assert_nearest("", commands, "");
    const char *const functions[] = {
        "main", "ns::parse(char const*)", "purse", "parses", "unrelated", "parse_it", NULL};
    assert_nearest("parse", functions, "purse, parses or parse_it");
    assert_nearest("Parse", functions, "purse or parses");
    assert_nearest("arse(char", functions, "ns::parse(char const*)");
}

static void a_name_is_listed_once_and_three_are_enough(void **state)
{
    (void)state;
    const char *const names[] = {"malloc",  "malloc",  "mallo", "malloca",
                                 "mallocb", "malloc1", NULL};
    assert_nearest("malloc", names, "malloc, mallo or malloca");
}

static void each_name_has_the_prefix(void **state)
{
    (void)state;
    char text[100];
    struct flm_text out;
    struct flm_nearest near = {.asked = flm_bytes_of("rowz")};
    flm_nearest_add(&near, flm_bytes_of("rows"));
    flm_nearest_add(&near, flm_bytes_of("row"));
    flm_text_init_fixed(&out, text, sizeof text - 1);
    flm_nearest_put(&near, "--", &out);
    text[out.size] = 0;
    assert_string_equal(text, "--rows or --row");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_counted),
        cmocka_unit_test(the_distance_is_symmetric_and_bounded),
        cmocka_unit_test(long_names_have_no_distance),
        cmocka_unit_test(similar_names_are_found_the_nearest_first),
        cmocka_unit_test(a_name_is_listed_once_and_three_are_enough),
        cmocka_unit_test(each_name_has_the_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
