#include "base/regex/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void globs_match_all_of_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "abc", true},
        {"a*c", "abbc", true},
        {"a*c", "abcd", false},
        {"a*b*c", "aXbYbZc", true},
        {"*a", "ba", true},
        {"?", "", false},
        {"a?", "ab", true},
        {"**b", "ab", true},
        {"a*a", "a", false},
        {"*aab", "aaaab", true},
        {"std::*::push*", "std::vector<int>::push_back", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (flm_glob_matches(flm_bytes_of(cases[i].glob), flm_bytes_of(cases[i].name)) !=
            cases[i].matches)
            fail_msg("'%s' and '%s'", cases[i].glob, cases[i].name);
}

static void beginnings_have_as_many_parts_as_the_glob(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"com.acm.*", "com.acme.Shop.sell", "com.acme."},
        {"http-*", "http-nio-8080", "http-"},
        {"std::*", "std::vector", "std::"},
        {"http-*", "http", ""},
        {"com.acm*", "com.acme.Shop", ""},
        {"*", "a", ""},
        {".*", "a.b", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_bytes got =
            flm_glob_beginning(flm_bytes_of(cases[i][0]), flm_bytes_of(cases[i][1]));
        if (!flm_bytes_are(got, cases[i][2]))
            fail_msg("%s of %s: %.*s", cases[i][0], cases[i][1], (int)got.size, got.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_match_all_of_a_name),
        cmocka_unit_test(beginnings_have_as_many_parts_as_the_glob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
