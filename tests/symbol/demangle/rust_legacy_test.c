#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "symbol/demangle/internal.h"

#define HASH "17h0123456789abcdefE"

static void escapes_are_undone(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"_ZN4test" HASH, "test"},
        {"_ZN3foo3bar" HASH, "foo::bar"},
        {"_ZN13test$u20$test4foob" HASH, "test test::foob"},
        {"_ZN12test$BP$test4foob" HASH, "test*test::foob"},
        {"_ZN8$RF$test" HASH, "&test"},
        {"_ZN29_$LT$X$u20$as$u20$a..b..C$GT$3new" HASH, "<X as a::b::C>::new"},
        {"_ZN35_$LT$$LP$A$C$B$RP$$u20$as$u20$C$GT$3new" HASH, "<(A,B) as C>::new"},
        {"_ZN11a$u2665$b.c1x" HASH, "a\xe2\x99\xa5"
                                    "b.c::x"},
        {"_ZN9core..fmt1x" HASH, "core::fmt::x"},
        {"_ZN6$LT$$x1x" HASH, "<$x::x"},
        {"_ZN5$u7f$1x" HASH, "$u7f$::x"}, /* a control character is not shown */
        {"_ZN7$ud800$1x" HASH, "$ud800$::x"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct flm_text out = {0};
        if (!flm_demangle_rust_legacy(flm_bytes_of(names[i][0]), &out))
            fail_msg("%s is refused", names[i][0]);
        if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, names[i][1]))
            fail_msg("%s is %.*s", names[i][0], (int)out.size, out.at);
        flm_text_clear(&out);
    }
}

static void names_of_cpp_are_not_of_rust(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "_ZN",
                                        "_ZN3fooE",
                                        "_ZN3foo3barEv",
                                        "_ZN" HASH,
                                        "_ZN3foo17h0123456789abcdeFE",
                                        "_ZN3foo17h0123456789abcdef",
                                        "_ZN3foo17h0123456789abcdefEv",
                                        "_ZN3foo17g0123456789abcdefE",
                                        "_ZN0" HASH,
                                        "_ZN99foo" HASH,
                                        "_ZN99999999999999999999999foo" HASH};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct flm_text out = {0};
        assert_false(flm_demangle_rust_legacy(flm_bytes_of(names[i]), &out));
        assert_int_equal(out.size, 0);
        flm_text_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(names_of_cpp_are_not_of_rust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
