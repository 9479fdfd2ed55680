#include "format/java/java_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void assert_file(const char *class_name, const char *file, const char *wanted)
{
    struct flm_text out = {0};
    flm_java_file_add(&out, flm_bytes_of(class_name), flm_bytes_of(file));
    if (!flm_bytes_are((struct flm_bytes){out.at ? out.at : "", out.size}, wanted))
        fail_msg("%s: %.*s, not %s", class_name, (int)out.size, out.at, wanted);
    flm_text_clear(&out);
}

static void a_class_is_in_the_folder_of_its_package(void **state)
{
    (void)state;
    assert_file("com.x.Foo", "", "com/x/Foo.java");
    assert_file("com/x/Foo", "", "com/x/Foo.java");
    assert_file("com.x.Foo$Inner$1", "", "com/x/Foo.java");
    assert_file("com.x.Foo$$Lambda$14/0x00007fd3a8003220", "", "com/x/Foo.java");
    assert_file("com.x.Foo$$Lambda.0x00007fd3a8003220", "", "com/x/Foo.java");
    assert_file("Foo", "", "Foo.java");
    assert_file("$Proxy7", "", "$Proxy7.java");
    assert_file("com.x.$Proxy7", "", "com/x/$Proxy7.java");
    assert_file("com.x.FooKt", "Foo.kt", "com/x/Foo.kt");
    assert_file("FooKt", "Foo.kt", "Foo.kt");
}

static void no_class_is_in_no_file(void **state)
{
    (void)state;
    assert_file("", "", "");
    assert_file("com.x.", "", "");
    assert_file(".", "Foo.java", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_in_the_folder_of_its_package),
        cmocka_unit_test(no_class_is_in_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
