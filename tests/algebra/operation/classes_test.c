#include "algebra/operation/classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/profiles.h"

static const struct flm_class *class_named(const char *name)
{
    const char *other;
    for (size_t i = 0; (other = flm_class_name(i, NULL)); i++)
        if (strcmp(name, other) == 0)
            return flm_class_at(i);
    fail_msg("there is no class %s", name);
    return NULL;
}

/* The class of one frame, as a profile of it and what it has become. */
static struct flm_profile *classified(const char *class, const struct flm_frame_record *given,
                                      const char *const *texts, size_t name_size)
{
    const struct flm_class *c = class_named(class);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_frame_record record = *given;
    record.function = flm_builder_string(b, texts[0], name_size).index;
    record.module = flm_builder_string(b, texts[1], strlen(texts[1])).index;
    record.file = flm_builder_string(b, texts[2], strlen(texts[2])).index;
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);

    uint32_t strings[8], frames[2];
    b = flm_builder_new(NULL);
    assert_true(flm_interner_add_profile(&b->interner, p, strings, frames));
    assert_true(flm_class_map(c, p, b, frames));
    assert_int_equal(frames[0], 0);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), (struct flm_frame){frames[1]}),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    flm_profile_free(p);
    p = flm_builder_finish(b, NULL);
    assert_sound(p);
    return p;
}

/* A frame with everything: how the class describes it. */
static void full(const char *class, const char *expected)
{
    static const char *const texts[] = {"ns::f<int>(char)", "lib.so", "dir/f.cc"};
    struct flm_frame_record record = {
        .line = 7, .address = 0x40, .kind = FLM_KIND_INLINED, .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_profile *p = classified(class, &record, texts, strlen(texts[0]));
    char *text = described(p);
    char *line = strstr(text, "node 1   ") + 9;
    *strchr(line, '\n') = 0;
    assert_string_equal(line, expected);
    free(text);
    flm_profile_free(p);
}

static void each_class_keeps_what_it_is_named_after(void **state)
{
    (void)state;
    full("function", "\"ns::f<int>(char)\" in \"lib.so\" at \"\":0 0x0 plain flags 1 1");
    full("name", "\"ns::f<int>(char)\" plain flags 1 1");
    full("line", "\"ns::f<int>(char)\" in \"lib.so\" at \"dir/f.cc\":7 0x0 inlined flags 1 1");
    full("module", "\"lib.so\" plain 1");
    full("file", "\"dir/f.cc\" plain 1");
    full("package", "\"ns\" plain 1");
    full("kind", "\"inlined\" inlined 1");
    full("short", "\"ns::f\" in \"lib.so\" at \"dir/f.cc\":7 0x40 inlined flags 1 1");
    full("nohex", "\"ns::f<int>(char)\" in \"lib.so\" at \"dir/f.cc\":7 0x40 inlined flags 1 1");
}

static void becomes_bytes(const char *class, struct flm_bytes name, const char *expected)
{
    const char *const texts[] = {name.at, "", ""};
    struct flm_profile *p = classified(class, &(struct flm_frame_record){0}, texts, name.size);
    struct flm_bytes got = flm_frame_function(p, 1);
    if (!flm_bytes_are(got, expected))
        fail_msg("%s of '%.*s' is '%.*s', not '%s'", class, (int)name.size, name.at, (int)got.size,
                 got.at, expected);
    flm_profile_free(p);
}

static void becomes(const char *class, const char *name, const char *expected)
{
    becomes_bytes(class, flm_bytes_of(name), expected);
}

static void short_names_have_no_arguments(void **state)
{
    (void)state;
    becomes("short", "main", "main");
    becomes("short", "foo(int)", "foo");
    becomes("short", "std::map<int, std::vector<int> >::find(int const&) const",
            "std::map::find const");
    becomes("short", "foo(void (*)(int), char)::bar(int)", "foo::bar");
    becomes("short", "(anonymous namespace)::run(int)", "(anonymous namespace)::run");
    becomes("short", "ns::(anonymous namespace)::run<3>()", "ns::(anonymous namespace)::run");
    becomes("short", "<lambda>", "<lambda>");
    becomes("short", "main.py:<module>", "main.py:<module>");
    becomes("short", "net/http.(*conn).serve", "net/http.(*conn).serve");
    becomes("short", "f<(a > b), (c < d)>(int)", "f");
    becomes("short", "f<(a > b>(int)", "f<(a > b>");
}

static void operators_are_names(void **state)
{
    (void)state;
    becomes("short", "operator<<(std::ostream&, int)", "operator<<");
    becomes("short", "A::operator<(A const&) const", "A::operator< const");
    becomes("short", "A::operator()(int, char)", "A::operator()");
    becomes("short", "A::operator()", "A::operator()");
    becomes("short", "A::operator->() const", "A::operator-> const");
    becomes("short", "A<int>::operator->*(int)", "A::operator->*");
    becomes("short", "operator<=><int>(A, B)", "operator<=>");
    becomes("short", "operator< <int>(A, B)", "operator<");
    becomes("short", "operator<< <char, std::x<int> >(std::ostream&)", "operator<<");
    becomes("short", "operator>>(int)", "operator>>");
    becomes("short", "operator new(unsigned long)", "operator new");
    becomes("short", "operator new[](unsigned long)", "operator new[]");
    becomes("short", "A::operator bool() const", "A::operator bool const");
    becomes("short", "operator+(A, A)", "operator+");
    becomes("short", "A::operator[](int)", "A::operator[]");
    becomes("short", "A::operator,(int)", "A::operator,");
    becomes("short", "myoperator<int>(x)", "myoperator");
    becomes("short", "operator\"\"_s(char const*)", "operator\"\"_s");
}

static void copies_of_functions_have_the_name_of_the_function(void **state)
{
    (void)state;
    becomes("short", "f.constprop.0", "f");
    becomes("short", "f.isra.1", "f");
    becomes("short", "f.part.2.constprop.0", "f");
    becomes("short", "f.cold", "f");
    becomes("short", "f(int).cold.3", "f");
    becomes("short", "f.llvm.1234567890", "f");
    becomes("short", "core::fmt::write::h0123456789abcdef", "core::fmt::write");
    becomes("short", "core::fmt::write::h0123456789abcdeg", "core::fmt::write::h0123456789abcdeg");
    /* These are packages and classes. */
    becomes("short", "com.example.part.Main.run", "com.example.part.Main.run");
    becomes("short", "com.coldstart.Main", "com.coldstart.Main");
    becomes("short", "a.cold.b", "a.cold.b");
    becomes("short", "std::h0123456789abcdef", "std");
    becomes("short", "::h0123456789abcdef", "::h0123456789abcdef");
}

static void odd_names_stay_what_they_are(void **state)
{
    (void)state;
    static const char *const odd[] = {"(",
                                      ")",
                                      "<",
                                      ">",
                                      "->",
                                      "a->b",
                                      "f(",
                                      "f<",
                                      "f)>",
                                      "((",
                                      "operator",
                                      "operator<",
                                      "operator(",
                                      "operator->",
                                      "operator<<",
                                      "x operator",
                                      "(anonymous namespace",
                                      "f((a)",
                                      ".cold",
                                      ".part.",
                                      "::h",
                                      "<<<>",
                                      "a < b",
                                      "f(->"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        becomes("short", odd[i], odd[i]);
    becomes("short", "(x)", "(x)");
    becomes("short", " (x)", " (x)"); /* or nothing would be left */
    becomes("short", "", "");
}

static void hex_numbers_in_names_are_one(void **state)
{
    (void)state;
    becomes("nohex", "0x7f12ab", "0x...");
    becomes("nohex", "f+0x1c", "f+0x...");
    becomes("nohex", "a 0x12 b 0x0", "a 0x... b 0x...");
    becomes("nohex", "0x", "0x");
    becomes("nohex", "0xg", "0xg");
    becomes("nohex", "x0x1y", "x0x...y");
    becomes("nohex", "", "");
}

static void a_package_is_guessed_from_the_name(void **state)
{
    (void)state;
    becomes("package", "java/util/Map.get", "java/util");
    becomes("package", "java.util.Map.get", "java.util");
    becomes("package", "java.util.Map.get(java.lang.Object)", "java.util");
    becomes("package", "std::vector<a::b>::at", "std");
    becomes("package", "net/http.(*conn).serve", "net/http");
    becomes("package", "net/http.Get", "net/http");
    becomes("package", "net/http.Server.Serve", "net/http");
    becomes("package", "github.com/x/y.z.func1", "github.com/x/y");
    becomes("package", "foo::<lambda>", "foo");
    becomes("package", "main", "[unknown]");
    becomes("package", "main.main", "[unknown]");
    becomes("package", "::f", "[unknown]");
    becomes("package", "", "[unknown]");
    becomes("package", "/", "[unknown]");
    becomes("package", ".", "[unknown]");
    becomes("package", "a/", "a");
    becomes("package", "a/.", "a/");
    becomes("package", "(", "[unknown]");
}

static void a_package_that_is_not_in_the_name_is_the_module(void **state)
{
    (void)state;
    static const char *const texts[] = {"read", "libc.so.6", ""};
    struct flm_profile *p = classified("package", &(struct flm_frame_record){0}, texts, 4);
    assert_true(flm_bytes_are(flm_frame_function(p, 1), "libc.so.6"));
    flm_profile_free(p);
}

static void a_function_without_a_module_is_told_by_its_file(void **state)
{
    (void)state;
    static const char *const texts[] = {"__init__", "", "a.py"};
    struct flm_profile *p = classified("function", &(struct flm_frame_record){.line = 3}, texts, 8);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->frames[1].file), "a.py"));
    assert_int_equal(p->frames[1].line, 0);
    flm_profile_free(p);
}

static void what_is_no_code_is_not_merged_by_module(void **state)
{
    (void)state;
    static const char *const texts[] = {"my thread", "", ""}, *const classes[] = {"module", "file",
                                                                                  "package"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_profile *p =
            classified(classes[i], &(struct flm_frame_record){.kind = FLM_KIND_LABEL}, texts, 9);
        assert_true(flm_bytes_are(flm_frame_function(p, 1), "my thread"));
        assert_int_equal(p->frames[1].kind, FLM_KIND_LABEL);
        flm_profile_free(p);
    }
}

/* In blocks of exactly the size of the name: a sanitizer sees a byte read outside. */
static void no_name_is_read_outside(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "operator", "<", ">", "(", ")", "->",   "::", "h0123456789abcdef",     ".part.1", ".cold",
        "0x",       "f", "/", ".", " ", "\xFF", "",   "(anonymous namespace)", "a",       "A"};
    static const char *const classes[] = {"short", "nohex", "package"};
    uint64_t random = 9;
    for (int round = 0; round < 3000; round++) {
        char name[200];
        size_t size = 0;
        for (unsigned count = random_below(&random, 8); count > 0; count--) {
            const char *part = parts[random_below(&random, 20)];
            memcpy(name + size, part, strlen(part));
            size += strlen(part);
        }
        struct flm_builder *b = flm_builder_new(NULL);
        flm_builder_add(
            b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, size)),
            flm_builder_metric(b, "", ""), 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        char *exact = malloc(size ? size : 1);
        assert_non_null(exact);
        memcpy(exact, p->string_bytes, size);
        struct flm_profile copy = *p;
        copy.string_bytes = exact;
        for (size_t i = 0; i < 3; i++) {
            uint32_t strings[4], frames[2];
            b = flm_builder_new(NULL);
            assert_true(flm_interner_add_profile(&b->interner, &copy, strings, frames));
            assert_true(flm_class_map(class_named(classes[i]), &copy, b, frames));
            flm_builder_free(b);
        }
        free(exact);
        flm_profile_free(p);
    }
}

static void every_class_is_listed_with_what_it_merges(void **state)
{
    (void)state;
    size_t count = 0;
    const char *description;
    for (const char *name; (name = flm_class_name(count, &description)); count++) {
        assert_non_null(flm_class_at(count));
        assert_true(strlen(description) > 5);
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(name, flm_class_name(i, NULL));
    }
    assert_int_equal(count, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_keeps_what_it_is_named_after),
        cmocka_unit_test(short_names_have_no_arguments),
        cmocka_unit_test(operators_are_names),
        cmocka_unit_test(copies_of_functions_have_the_name_of_the_function),
        cmocka_unit_test(odd_names_stay_what_they_are),
        cmocka_unit_test(hex_numbers_in_names_are_one),
        cmocka_unit_test(a_package_is_guessed_from_the_name),
        cmocka_unit_test(a_package_that_is_not_in_the_name_is_the_module),
        cmocka_unit_test(a_function_without_a_module_is_told_by_its_file),
        cmocka_unit_test(what_is_no_code_is_not_merged_by_module),
        cmocka_unit_test(no_name_is_read_outside),
        cmocka_unit_test(every_class_is_listed_with_what_it_merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
