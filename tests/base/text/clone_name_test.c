#include "base/text/clone_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void assert_base(const char *name, const char *base, unsigned kinds)
{
    struct flm_bytes bytes = flm_bytes_of(name);
    size_t size = flm_clone_base(bytes);
    if (size != strlen(base) || memcmp(name, base, size) != 0)
        fail_msg("%s: %.*s, not %s", name, (int)size, name, base);
    assert_int_equal(flm_clone_kinds(bytes), kinds);
}

static void suffixes_of_copies_are_no_part_of_the_name(void **state)
{
    (void)state;
    assert_base("lex.constprop.0", "lex", FLM_CLONE_CONSTPROP);
    assert_base("lex.isra.12", "lex", FLM_CLONE_ISRA);
    assert_base("lex.part.3", "lex", FLM_CLONE_PART);
    assert_base("lex.cold", "lex", FLM_CLONE_COLD);
    assert_base("lex.cold.1", "lex", FLM_CLONE_COLD);
    assert_base("lex.__part.2", "lex", FLM_CLONE_PART);
    assert_base("lex.specialized.1", "lex", FLM_CLONE_CONSTPROP);
    assert_base("lex.lto_priv.0", "lex", 0);
    assert_base("lex.llvm.1234567890123456789", "lex", 0);
    assert_base("lex.__uniq.98765", "lex", 0);
    assert_base("lex.localalias", "lex", 0);
    assert_base("lex.isra.0.constprop.1.cold", "lex",
                FLM_CLONE_ISRA | FLM_CLONE_CONSTPROP | FLM_CLONE_COLD);
    assert_base("_ZN1A3lexEi.part.0", "_ZN1A3lexEi", FLM_CLONE_PART);
    assert_base("_ZN4core3ptr9drop$LT$..$GT$17h0123456789abcdefE.llvm.7",
                "_ZN4core3ptr9drop$LT$..$GT$17h0123456789abcdefE", 0);
}

static void suffixes_alone_say_what_they_are(void **state)
{
    (void)state;
    assert_int_equal(flm_clone_kinds(flm_bytes_of(".part.0")), FLM_CLONE_PART);
    assert_int_equal(flm_clone_kinds(flm_bytes_of(".isra.0.cold")),
                     FLM_CLONE_ISRA | FLM_CLONE_COLD);
    assert_int_equal(flm_clone_kinds(flm_bytes_of("")), 0);
    assert_int_equal(flm_clone_kinds(flm_bytes_of(".0")), 0);
    assert_int_equal(flm_clone_base(flm_bytes_of(".part.0")), 7); /* a name */
}

static void demanglers_write_them_in_brackets(void **state)
{
    (void)state;
    assert_base("A::lex(int) [clone .cold]", "A::lex(int)", FLM_CLONE_COLD);
    assert_base("A::lex(int) [clone .isra.0] [clone .cold]", "A::lex(int)",
                FLM_CLONE_ISRA | FLM_CLONE_COLD);
    assert_base("lex(char [4]) [clone .part.0.cold]", "lex(char [4])",
                FLM_CLONE_PART | FLM_CLONE_COLD);
    assert_base("A::lex(int).constprop.0", "A::lex(int)", FLM_CLONE_CONSTPROP);
    assert_base("run() [clone .actor]", "run() [clone .actor]", 0);
    assert_base("run() [clone .actor] [clone .cold]", "run() [clone .actor]", FLM_CLONE_COLD);
    assert_base("f [clone ]", "f [clone ]", 0);
    assert_base("f [clone cold]", "f [clone cold]", 0);
    assert_base("f(x)[clone .cold]", "f(x)[clone .cold]", 0);
}

static void other_dots_belong_to_the_name(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        ".",
                                        "lex",
                                        "lex.",
                                        "lex.0",
                                        "lex.12.34",
                                        "helper.0",
                                        "lex.part",
                                        "lex.constprop",
                                        "lex.isra.",
                                        "lex.isra.x",
                                        "lex.part.0x",
                                        "main._omp_fn.0",
                                        "copy.avx2.0",
                                        "copy.default.1",
                                        "gen.resume",
                                        "gen.destroy",
                                        "java.util.HashMap.get",
                                        "main.work.func1",
                                        "app.py",
                                        "a..cold",
                                        "partition.constprop.name",
                                        "[clone .cold]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_base(names[i], names[i], 0);
}

/* What is left ends with no suffix, and nothing is read behind the end. */
static void any_text_is_read(void **state)
{
    (void)state;
    static const char *const pieces[] = {".cold", ".part",   ".0",     ".12", " [clone ",
                                         "]",     ".isra.1", "f",      ".",   "[clone .cold]",
                                         "()",    "..",      ".cold]", " "};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    for (unsigned number = 0; number < PIECES * PIECES * PIECES * PIECES; number++) {
        char name[100];
        size_t size = 0;
        for (unsigned rest = number, i = 0; i < 4; i++, rest /= PIECES)
            size += (size_t)snprintf(name + size, sizeof name - size, "%s", pieces[rest % PIECES]);
        size_t base = flm_clone_base((struct flm_bytes){name, size});
        assert_true(base > 0 && base <= size); /* no piece is empty */
        assert_int_equal(flm_clone_base((struct flm_bytes){name, base}), base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suffixes_of_copies_are_no_part_of_the_name),
        cmocka_unit_test(suffixes_alone_say_what_they_are),
        cmocka_unit_test(demanglers_write_them_in_brackets),
        cmocka_unit_test(other_dots_belong_to_the_name),
        cmocka_unit_test(any_text_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
