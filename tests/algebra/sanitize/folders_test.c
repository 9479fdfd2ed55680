#include "algebra/sanitize/folders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(const char *text, const char *expected)
{
    struct flm_text out = {0};
    flm_add_without_folders(&out, flm_bytes_of(text));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void folders_of_paths_go(void **state)
{
    (void)state;
    check("/usr/lib/libc.so.6", "libc.so.6");
    check("/usr/lib/libc.so.6+0x12", "libc.so.6+0x12");
    check("open /home/ann/acme/log.c:12", "open log.c:12");
    check("<module> (/srv/acme/app.py)", "<module> (app.py)");
    check("(anonymous) file:///home/ann/x.js:1:46", "(anonymous) x.js:1:46");
    check("https://user:word@cdn.acme.com:8443/js/a.js?token=1#x", "a.js");
    check("https://cdn.acme.com/?token=1", "");
    check("https://h/app.js?ids[]=5&token=S", "app.js");
    check("(https://h/app.js?a=(b)&c=S)", "(app.js)");
    check("https://h/a.js?v=1;session=S", "a.js");
    check("https://h/a.js;jsessionid=S", "a.js");
    check("https://intranet.acme.com", "");
    check("https://user:pw@host", "");
    check("https://host?x", "");
    check("f data:text/javascript,secret()", "f data:");
    check("cc -I/home/ann/x", "cc -Ix");
    check("a[1]/home/ann/x.js", "a[1]x.js");
    check("webpack:///./src/secret/b.ts", "b.ts");
    check("C:\\src\\acme\\x.cpp", "x.cpp");
    check("at c:/src/acme/x.cpp:7", "at x.cpp:7");
    check("\\\\build-server\\share\\x.pdb", "x.pdb");
    check("~/acme/x ./a/b ../c/d", "x b d");
    check("[anon:/data/acme/x]", "[anon:x]");
    check("a=/b/c,d='/e/f'", "a=c,d='f'");
    check("/home/ann/", "");
    check("/", "/");
}

static void blanks_may_be_in_a_path(void **state)
{
    (void)state;
    check("/home/Ann Smith/my work/app", "app");
    check("/Users/al/My Big Folder/app.js", "app.js");
    check("C:\\Program Files (x86)\\Acme\\x.js", "x.js");
    check("(/Users/al/My Big Folder/app.js)", "(app.js)");
    check("/home/ann/app runs", "app runs");
    check("/home/ann/app /tmp/b", "app b");
}

static void names_are_no_paths(void **state)
{
    static const char *const names[] = {"main",
                                        "operator/",
                                        "operator/=(X const&, X const&)",
                                        "operator /=",
                                        "operator / (X)",
                                        "com/acme/Codec.encode",
                                        "net/http.(*conn).serve",
                                        "std::ops::Div::div",
                                        "a / b",
                                        "app`main+0x12",
                                        "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
                                        "",
                                        "x:y::z",
                                        "lambda#1"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(names[i], names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_paths_go),
        cmocka_unit_test(blanks_may_be_in_a_path),
        cmocka_unit_test(names_are_no_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
