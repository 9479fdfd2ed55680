#include "symbol/demangle/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

static const char *demangled(const char *symbol)
{
    static char result[4000];
    struct flm_text out = {0};
    flm_text_puts(&out, "before ");
    bool done = flm_demangle(flm_bytes_of(symbol), &out);
    assert_int_equal(done, strncmp(out.at + 7, symbol, out.size - 7) != 0 ||
                               strlen(symbol) != out.size - 7);
    snprintf(result, sizeof result, "%.*s", (int)out.size - 7, out.at + 7);
    flm_text_clear(&out);
    return result;
}

static void names_are_demangled_as_in_the_source(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"main", "main"},
        {"", ""},
        {"_", "_"},
        {"_Z", "_Z"},
        {"_R", "_R"},
        {"_start", "_start"},
        {"_ZN3app9StrEngine3runEi", "app::StrEngine::run(int)"},
        {"_ZSt4sortIPiEvT_S1_", "void std::sort<int*>(int*, int*)"},
        {"_ZN3fooD0Ev", "foo::~foo()"},
        {"_ZTV3foo", "vtable for foo"},
        {"camlApp__leaf_81", "App.leaf"},
        {"camlStdlib__List__map_245", "Stdlib.List.map"},
        {"camlStdlib__$5e_54", "Stdlib.^"},
        {"camlApp__fun_120", "App.fun_120"},
        {"camlApp__entry", "App.entry"},
        {"camlApp__x_", "App.x_"},
        {"camlApp__$5", "App.$5"},
        {"camlApp__$00x", "App.$00x"},
        {"base_GHCziList_zdwlenAcc_info", "GHC.List.$wlenAcc"},
        {"Main_zdwleaf_info", "Main.$wleaf"},
        {"ghczmprim_GHCziClasses_zdfEqIntzuzdczeze_info", "GHC.Classes.$fEqInt_$c=="},
        {"containerszm0zi6zi4zi1_DataziMapziInternal_insertWithKey_info",
         "Data.Map.Internal.insertWithKey"},
        {"base_GHCziTuple_Z2T_con_info", "GHC.Tuple.(,)"},
        {"base_GHCziUnicode_z3bbU_info", "GHC.Unicode.\u03bb"},
        {"Main_leaf_info", "Main.leaf"},
        {"Image_resize_info", "Image_resize_info"},
        {"Bazinga_zoom_info", "Bazinga_zoom_info"},
        {"base_GHCziList_zz_info", "GHC.List.z"},
        {"base_GHCziList_zj_info", "base_GHCziList_zj_info"},
        {"base_GHCziList_z_info", "base_GHCziList_z_info"},
        {"base_GHCzilist_x_info", "base_GHCzilist_x_info"},
        {"GHCziList_info", "GHCziList_info"},
        {"stg_upd_frame_info", "stg_upd_frame_info"},
        {"_info", "_info"},
        {"caml_main", "caml_main"},
        {"caml", "caml"},
        {"camlA", "A"},
        {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
        {"_ZN3fooEv?", "_ZN3fooEv?"},
        {"_RNvCs1234_7mycrate3fo", "_RNvCs1234_7mycrate3fo"},
        {"i", "i"}, /* not int: it is no symbol of C++ */
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(demangled(names[i][0]), names[i][1]);
    struct flm_text out = {0};
    assert_false(flm_demangle((struct flm_bytes){"_Z3fo\0v", 7}, &out));
    assert_int_equal(out.size, 7);
    assert_false(flm_demangle((struct flm_bytes){NULL, 0}, &out));
    flm_text_clear(&out);
}

static void suffixes_of_compilers_stay(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"_Z3foov.isra.0", "foo().isra.0"},
        {"_Z3foov.cold", "foo().cold"},
        {"_Z3foov.part.3.constprop.1", "foo().part.3.constprop.1"},
        {"_Z3foov@plt", "foo()@plt"},
        {"_ZN3a.b1fEv.cold", "a.b::f().cold"}, /* gcc makes dots in names too */
        {"_ZNSolsEi@@GLIBCXX_3.4", "std::ostream::operator<<(int)@@GLIBCXX_3.4"},
        {"memcpy@@GLIBC_2.14", "memcpy@@GLIBC_2.14"},
        {"_RNvC7mycrate3foo.llvm.123456", "mycrate::foo.llvm.123456"},
        {"_ZN1a1b17h0123456789abcdefE.llvm.99", "a::b.llvm.99"},
        {"_ZN1a30drop$LT$alloc..vec..Vec$GT$.x117h0123456789abcdefE.llvm.99",
         "a::drop<alloc::vec::Vec>.x1.llvm.99"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(demangled(names[i][0]), names[i][1]);
}

/* f(A<A<...>, A<...>>): each level is two references to the one before, so each doubles it. */
static void names_that_explode_stay_mangled(void **state)
{
    (void)state;
    struct flm_text bomb = {0}, out = {0};
    flm_text_puts(&bomb, "_Z1f1AIiiE");
    for (int level = 0; level < 40; level++) {
        flm_text_puts(&bomb, "S_I");
        for (int i = 0; i < 2; i++) {
            flm_text_puts(&bomb, "S");
            if (level >= 36)
                flm_text_putc(&bomb, '1');
            flm_text_putc(&bomb, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level % 36]);
            flm_text_puts(&bomb, "_");
        }
        flm_text_puts(&bomb, "E");
    }
    assert_false(flm_demangle((struct flm_bytes){bomb.at, bomb.size}, &out));
    assert_int_equal(out.size, bomb.size);
    out.size = 0;
    bomb.size = 0;
    flm_text_puts(&bomb, "_RINvC1a1f"); /* and the same of Rust */
    for (int level = 0; level < 60; level++)
        flm_text_puts(&bomb, "TB9_B9_E");
    flm_text_puts(&bomb, "E");
    flm_demangle((struct flm_bytes){bomb.at, bomb.size}, &out);
    assert_true(out.size <= FLM_DEMANGLED_MOST + bomb.size);
    static const char *const endless = /* in libstdc++ */
        "_ZN1a1bI1cEENSt9enable_ifIXsr24unvalidatedMappingTraitsIT_T0_ttributeCommonInfoE.cold";
    assert_string_equal(demangled(endless), endless);
    flm_text_clear(&out);
    flm_text_clear(&bomb);
}

/* Of a library that every system with a C++ program has, beside c++filt. */
static void all_of_libstdcpp_is_as_cppfilt_says(void **state)
{
    (void)state;
    if (!has_command("c++filt") || !has_command("nm"))
        skip();
    shell("nm -D --defined-only \"$(g++ -print-file-name=libstdc++.so.6)\" | awk '{ print $NF }' | "
          "sed "
          "'s/@.*//' | grep '^_Z' | sort -u > mangled; c++filt -i < mangled > plain");
    struct flm_text mangled = read_file(temporary_path("mangled"));
    struct flm_text plain = read_file(temporary_path("plain"));
    flm_text_putc(&mangled, 0);
    flm_text_putc(&plain, 0);
    char *a, *b;
    size_t count = 0;
    for (char *x = strtok_r(mangled.at, "\n", &a), *y = strtok_r(plain.at, "\n", &b); x && y;
         x = strtok_r(NULL, "\n", &a), y = strtok_r(NULL, "\n", &b), count++)
        assert_string_equal(demangled(x), y);
    assert_true(count > 3000);
    flm_text_clear(&mangled);
    flm_text_clear(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_demangled_as_in_the_source),
        cmocka_unit_test(suffixes_of_compilers_stay),
        cmocka_unit_test(names_that_explode_stay_mangled),
        cmocka_unit_test(all_of_libstdcpp_is_as_cppfilt_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
