#include "symbol/demangle/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/demangle/demangle.h"

/* By the grammar of RFC 2603, and as rustc writes them. */
static const char *const names[][2] = {
    {"_RC7mycrate", "mycrate"},
    {"_RNvC7mycrate3foo", "mycrate::foo"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_RNvNtC7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNCNvC7mycrate3foo0B3_", "mycrate::foo::{closure#0}"},
    {"_RNCNvC7mycrate3foos_0B3_", "mycrate::foo::{closure#1}"},
    {"_RNCNvC7mycrate3foos0_0", "mycrate::foo::{closure#2}"},
    {"_RNCNvC7mycrate3foo3bar", "mycrate::foo::{closure:bar#0}"},
    {"_RNSNvC7mycrate3foo6vtable", "mycrate::foo::{shim:vtable#0}"},
    {"_RNXNvC7mycrate3foo0", "mycrate::foo::{X#0}"},
    {"_RNvMC7mycrateNtC7mycrate3Foo3bar", "<mycrate::Foo>::bar"},
    {"_RNvMs_C7mycrateNtC7mycrate3Foo3bar", "<mycrate::Foo>::bar"},
    {"_RNvMC7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar"},
    {"_RNvXC7mycrateNtC7mycrate3FooNtC4core5Clone5clone", "<mycrate::Foo as core::Clone>::clone"},
    {"_RNvYNtC7mycrate3FooNtC4core5Clone5clone", "<mycrate::Foo as core::Clone>::clone"},
    {"_RINvC7mycrate3fooNtC5other3BarE", "mycrate::foo::<other::Bar>"},
    {"_RINvC7mycrate3foopE", "mycrate::foo::<_>"},
    {"_RINvC7mycrate3fooINtC5other3BarhEE", "mycrate::foo::<other::Bar<u8>>"},
    {"_RINvC7mycrate3fooabcdefhijlmnostuvxyzE", "mycrate::foo::<i8, bool, char, f64, str, f32, u8, "
                                                "isize, usize, i32, u32, i128, u128, i16, u16, "
                                                "(), ..., i64, u64, !>"},
    {"_RINvC7mycrate3fooRhQhPhOhE", "mycrate::foo::<&u8, &mut u8, *const u8, *mut u8>"},
    {"_RINvC7mycrate3fooRL_hE", "mycrate::foo::<&u8>"},
    {"_RINvC7mycrate3fooAhj8_ShTEThETTxyEhEE",
     "mycrate::foo::<[u8; 8], [u8], (), (u8,), ((i64, u64), u8)>"},
    {"_RINvC7mycrate3fooFhbEcE", "mycrate::foo::<fn(u8, bool) -> char>"},
    {"_RINvC7mycrate3fooFEuE", "mycrate::foo::<fn()>"},
    {"_RINvC7mycrate3fooFUKChEuE", "mycrate::foo::<unsafe extern \"C\" fn(u8)>"},
    {"_RINvC7mycrate3fooFK15system_fastcallEuE", "mycrate::foo::<extern \"system-fastcall\" fn()>"},
    {"_RINvC7mycrate3fooFG_RL0_hRL0_hEuE", "mycrate::foo::<for<'a> fn(&'a u8, &'a u8)>"},
    {"_RINvC7mycrate3fooFG0_RL1_hRL0_hEuE", "mycrate::foo::<for<'a, 'b> fn(&'a u8, &'b u8)>"},
    {"_RINvC7mycrate3fooDNtC4core4SendEL_E", "mycrate::foo::<dyn core::Send>"},
    {"_RINvC7mycrate3fooDNtC4core4SendNtC4core4SyncEL_E",
     "mycrate::foo::<dyn core::Send + core::Sync>"},
    {"_RINvC7mycrate3fooDNtC4core8Iteratorp4ItemhEL_E",
     "mycrate::foo::<dyn core::Iterator<Item = u8>>"},
    {"_RINvC7mycrate3fooDINtC4core2FnThEEp6OutputuEL_E",
     "mycrate::foo::<dyn core::Fn<(u8,), Output = ()>>"},
    {"_RINvC7mycrate3fooDG_INtC4core2FnTRL0_hEEEL_E",
     "mycrate::foo::<dyn for<'a> core::Fn<(&'a u8,)>>"},
    {"_RINvC7mycrate3fooL_hE", "mycrate::foo::<'_, u8>"},
    {"_RINvC7mycrate3fooKj0_Kj7b_Khff_E", "mycrate::foo::<0, 123, 255>"},
    {"_RINvC7mycrate3fooKan1_Kin10_Kx7fffffffffffffff_E",
     "mycrate::foo::<-1, -16, 9223372036854775807>"},
    {"_RINvC7mycrate3fooKoffffffffffffffffffffffffffffffff_E",
     "mycrate::foo::<0xffffffffffffffffffffffffffffffff>"},
    {"_RINvC7mycrate3fooKb0_Kb1_E", "mycrate::foo::<false, true>"},
    {"_RINvC7mycrate3fooKc76_Kca_Kc27_Kc2202_Kc5c_E",
     "mycrate::foo::<'v', '\\n', '\\'', '\xe2\x88\x82', '\\\\'>"},
    {"_RINvC7mycrate3fooKpE", "mycrate::foo::<_>"},
    {"_RINvC7mycrate3fooKRe616263_E", "mycrate::foo::<\"abc\">"},
    {"_RINvC7mycrate3fooKRe22e28882_E", "mycrate::foo::<\"\\\"\xe2\x88\x82\">"},
    {"_RINvC7mycrate3fooKe616263_E", "mycrate::foo::<{*\"abc\"}>"},
    {"_RINvC7mycrate3fooKAj1_j2_EE", "mycrate::foo::<{[1, 2]}>"},
    {"_RINvC7mycrate3fooKTj1_EE", "mycrate::foo::<{(1,)}>"},
    {"_RINvC7mycrate3fooKRTj1_h2_EE", "mycrate::foo::<{&(1, 2)}>"},
    {"_RINvC7mycrate3fooKVNtC4core4NoneUE", "mycrate::foo::<{core::None}>"},
    {"_RINvC7mycrate3fooKVINtC4core4SomejETj0_EE", "mycrate::foo::<{core::Some::<usize>(0)}>"},
    {"_RINvC7mycrate3fooKVNtC7mycrate3BarS1ac78_5fieldb1_EE",
     "mycrate::foo::<{mycrate::Bar { a: 'x', field: true }}>"},
};

static void names_are_as_the_grammar_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct flm_text out = {0};
        if (!flm_demangle_rust(flm_bytes_of(names[i][0]), &out))
            fail_msg("%s is refused", names[i][0]);
        if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, names[i][1]))
            fail_msg("%s is %.*s", names[i][0], (int)out.size, out.at);
        flm_text_clear(&out);
    }
}

/* RFC 3492, with an underscore for the last hyphen. */
static void identifiers_may_be_of_any_script(void **state)
{
    (void)state;
    static const char *const some[][2] = {
        {"_RNvC7mycrateu8gdel_5qa", "mycrate::g\xc3\xb6"
                                    "del"},
        {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", NULL},
        {"_RNvC7mycrateu3tda", "mycrate::\xc3\xbc"},
        {"_RNvC7mycrateu1-", NULL},
        {"_RNvC7mycrateu9zzzzzzzzz", "mycrate::punycode{zzzzzzzzz}"},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct flm_text out = {0};
        bool done = flm_demangle_rust(flm_bytes_of(some[i][0]), &out);
        if (some[i][1] && !flm_bytes_are((struct flm_bytes){out.at, out.size}, some[i][1]))
            fail_msg("%s is %.*s", some[i][0], (int)out.size, out.at);
        if (done)
            assert_true(out.size > 0);
        flm_text_clear(&out);
    }
}

static void malformed_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "_R",
        "_R0NvC1a1b",         /* a version that is not known */
        "_RNvC7mycrate",      /* ends too soon */
        "_RNvC7mycrate9foo",  /* a name longer than what is left */
        "_RNvC7mycrate3foo?", /* something behind it */
        "_RB_",               /* refers to itself */
        "_RNvB9_3foo",        /* forward */
        "_RINvC1a1bB_E",      /* to a path that is being read: too deep */
        "_RINvC1a1bKb2_E",    /* neither false nor true */
        "_RINvC1a1bKcd800_E", /* no character */
        "_RINvC1a1bKReff_E",  /* no text */
        "_RINvC1a1bKRe6_E",   /* half a byte */
        "_RINvC1a1bL0_E",     /* a lifetime that nobody bound */
        "_RINvC1a1bFGzzzzzzzzzz_EuE",
        "_RN1C1a1b",
        "_RNvC99999999999999999999991b",
        "_RNvCszzzzzzzzzzzzzzzzzzzz_1a1b",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct flm_text out = {0};
        if (flm_demangle_rust(flm_bytes_of(bad[i]), &out))
            fail_msg("%s is %.*s", bad[i], (int)out.size, out.at);
        assert_int_equal(out.size, 0);
        flm_text_clear(&out);
    }
    /* Every beginning of a good one. */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t size = 0; size < strlen(names[i][0]); size++) {
            struct flm_text out = {0};
            flm_demangle_rust((struct flm_bytes){names[i][0], size}, &out);
            flm_text_clear(&out);
        }
}

/* What rustc makes, where there is one, beside c++filt, which prints hashes and types too. */
static void a_real_program_is_as_cppfilt_says(void **state)
{
    (void)state;
    if (!has_command("rustc") || !has_command("c++filt"))
        skip();
    write_temporary("p.rs",
                    flm_bytes_of("use std::collections::HashMap;\n"
                                 "fn main() { let mut m: HashMap<String, Vec<[u8; 4]>> = "
                                 "HashMap::new(); m.insert(\"a\".into(), vec![[1; 4]]); let f = "
                                 "|x: &dyn Fn(u8) -> u8| x(3); println!(\"{:?} {}\", m, f(&|a| a "
                                 "+ 1)); }\n"));
    if (system("rustc --version > /dev/null 2>&1") != 0)
        skip();
    shell(
        "rustc -C symbol-mangling-version=v0 p.rs -o p 2> why && nm p | awk '{ print $NF }' | grep "
        "'^_R' | grep -v '[.$]' | sort -u > mangled && c++filt < mangled | sed -E "
        "'s/\\[[0-9a-f]{8,16}\\]//g; s/: "
        "(u8|u16|u32|u64|u128|usize|i8|i16|i32|i64|i128|isize|bool|char)([],>})])/\\2/g' > plain");
    struct flm_text mangled = read_file(temporary_path("mangled"));
    struct flm_text plain = read_file(temporary_path("plain"));
    flm_text_putc(&mangled, 0);
    flm_text_putc(&plain, 0);
    char *a, *b;
    size_t count = 0;
    for (char *x = strtok_r(mangled.at, "\n", &a), *y = strtok_r(plain.at, "\n", &b); x && y;
         x = strtok_r(NULL, "\n", &a), y = strtok_r(NULL, "\n", &b), count++) {
        struct flm_text out = {0};
        assert_true(flm_demangle(flm_bytes_of(x), &out));
        flm_text_putc(&out, 0);
        if (strcmp(y, x) != 0) /* it does not know all */
            assert_string_equal(out.at, y);
        flm_text_clear(&out);
    }
    assert_true(count > 10);
    flm_text_clear(&mangled);
    flm_text_clear(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_the_grammar_says),
        cmocka_unit_test(identifiers_may_be_of_any_script),
        cmocka_unit_test(malformed_names_are_refused),
        cmocka_unit_test(a_real_program_is_as_cppfilt_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
