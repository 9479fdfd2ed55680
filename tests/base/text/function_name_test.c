#include "base/text/function_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

struct example {
    const char *name, *without_arguments, *qualified, *bare, *package;
};

/* The parts as texts: [0, end), [qualified, end), [bare, end). */
static const struct example examples[] = {
    {"main", "main", "main", "main", "main"},
    {"", "", "", "", ""},
    {"[libc.so.6]", "[libc.so.6]", "[libc.so.6]", "[libc.so.6]", "libc.so.6"},
    /* C */
    {"ext4_file_read", "ext4_file_read", "ext4_file_read", "ext4_file_read", "ext4"},
    {"__do_fault.isra.0", "__do_fault", "__do_fault", "__do_fault", "do"},
    {"read+0x1f", "read", "read", "read", "read"},
    {"cc1+0x7e9360", "cc1+0x7e9360", "cc1+0x7e9360", "0x7e9360", "cc1"},
    {"libz.so.1.2+0x1a2b", "libz.so.1.2+0x1a2b", "libz.so.1.2+0x1a2b", "0x1a2b", "libz.so.1.2"},
    {"libbinaryen.so+0x37ba20", "libbinaryen.so+0x37ba20", "libbinaryen.so+0x37ba20", "0x37ba20",
     "libbinaryen.so"},
    {"my.app.bin+0x1a2b", "my.app.bin+0x1a2b", "my.app.bin+0x1a2b", "0x1a2b", "my.app.bin"},
    {"libstdc++.so.6.0.30+0xd4490", "libstdc++.so.6.0.30+0xd4490", "libstdc++.so.6.0.30+0xd4490",
     "0xd4490", "libstdc++.so.6.0.30"},
    {"cc1+0x7e9360z", "cc1", "cc1", "cc1", "cc1"},
    {"malloc@plt", "malloc", "malloc", "malloc", "malloc"},
    {"libc.so.1`malloc", "libc.so.1`malloc", "libc.so.1`malloc", "malloc", "libc.so.1"},
    {"/usr/lib/libz.so.1", "/usr/lib/libz.so.1", "libz.so.1", "libz.so.1", "/usr/lib"},
    /* C++ */
    {"std::list<http::Header, std::allocator<http::Header> >::emplace_back(int) const",
     "std::list<http::Header, std::allocator<http::Header> >::emplace_back",
     "list<http::Header, std::allocator<http::Header> >::emplace_back", "emplace_back", "std"},
    {"void std::sort<int*, bool (*)(int)>(int*, int*)", "void std::sort", "std::sort", "sort",
     "std"},
    {"std::ostream& operator<< <char>(std::ostream&, char const*)", "std::ostream& operator<<",
     "operator<<", "operator<<", "operator<<"},
    {"std::vector<int, std::allocator<int> > std::__partition<std::vector<int>, bool "
     "(*)(int)>(int)",
     "std::vector<int, std::allocator<int> > std::__partition", "std::__partition", "__partition",
     "std"},
    {"Iter<int*>::difference_type gnu::operator-<int*, std::vector<int> >(Iter<int*> const&)",
     "Iter<int*>::difference_type gnu::operator-", "gnu::operator-", "operator-", "gnu"},
    {"bool std::operator< <char>(std::string const&, std::string const&)", "bool std::operator<",
     "std::operator<", "operator<", "std"},
    {"decltype(auto) std::invoke<int (*)(int), int>(int (*&&)(int), int&&)",
     "decltype(auto) std::invoke", "std::invoke", "invoke", "std"},
    {"decltype(x(0)) app::get<int>(int)", "decltype(x(0)) app::get", "app::get", "get", "app"},
    {"decltype(int)", "decltype", "decltype", "decltype", "decltype"},
    {"auto std::vector<int>::emplace_back<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) "
     "const",
     "auto std::vector<int>::emplace_back<int>(int)::{lambda(auto:1)#1}::operator()",
     "emplace_back<int>(int)::{lambda(auto:1)#1}::operator()", "operator()", "std"},
    {"operator new(unsigned long)", "operator new", "operator new", "operator new", "operator new"},
    {"std::function<void ()>::operator()() const", "std::function<void ()>::operator()",
     "function<void ()>::operator()", "operator()", "std"},
    {"(anonymous namespace)::Parser::next(char)", "(anonymous namespace)::Parser::next",
     "Parser::next", "next", "(anonymous namespace)"},
    {"app::f(int)::{lambda(int)#1}::operator()(int) const",
     "app::f(int)::{lambda(int)#1}::operator()", "f(int)::{lambda(int)#1}::operator()",
     "operator()", "app"},
    {"main::$_0::operator()(int) const", "main::$_0::operator()", "main::$_0::operator()",
     "operator()", "main"},
    {"app::f()::'lambda'(int)::operator()(int) const", "app::f()::'lambda'(int)::operator()",
     "f()::'lambda'(int)::operator()", "operator()", "app"},
    {"Text::operator std::string<char>() const", "Text::operator std::string<char>",
     "Text::operator std::string<char>", "operator std::string<char>", "Text"},
    {"virtual thunk to Shape::draw(int)", "virtual thunk to Shape::draw", "thunk to Shape::draw",
     "thunk to Shape::draw", "Shape"},
    {"non-virtual thunk to std::ostream<char>::~ostream()",
     "non-virtual thunk to std::ostream<char>::~ostream", "thunk to std::ostream<char>::~ostream",
     "thunk to std::ostream<char>::~ostream", "std"},
    {"covariant return thunk to copy", "covariant return thunk to copy", "thunk to copy",
     "thunk to copy", "copy"},
    {"vtable for Shape", "vtable for Shape", "vtable for Shape", "vtable for Shape",
     "vtable for Shape"},
    /* Cut by stackcollapse-perf.pl */
    {"std::_Function_handler<double", "std::_Function_handler", "std::_Function_handler",
     "_Function_handler", "std"},
    {"app::Sorter<double>::operator", "app::Sorter<double>::operator", "Sorter<double>::operator",
     "Sorter<double>::operator", "app"},
    {"app::visit(std::map<int,", "app::visit", "app::visit", "visit", "app"},
    /* Rust */
    {"<gfx::Node as core::fmt::Display>::fmt", "<gfx::Node as core::fmt::Display>::fmt",
     "<gfx::Node as core::fmt::Display>::fmt", "fmt", "gfx"},
    {"alloc::vec::Vec<T>::push::h0123456789abcdef", "alloc::vec::Vec<T>::push", "Vec<T>::push",
     "push", "alloc"},
    {"iter::collect::<Vec<u8>>", "iter::collect", "collect", "collect", "iter"},
    {"app::run::{{closure}}", "app::run::{{closure}}", "app::run::{{closure}}", "run::{{closure}}",
     "app"},
    {"std::rt::lang_start::{closure#0}", "std::rt::lang_start::{closure#0}",
     "rt::lang_start::{closure#0}", "lang_start::{closure#0}", "std"},
    {"<app::T as app::Work>::run::{{closure}}", "<app::T as app::Work>::run::{{closure}}",
     "<app::T as app::Work>::run::{{closure}}", "run::{{closure}}", "app"},
    /* Go */
    {"net/http.(*conn).serve", "net/http.(*conn).serve", "http.(*conn).serve", "serve", "net/http"},
    {"runtime.mallocgc", "runtime.mallocgc", "runtime.mallocgc", "mallocgc", "runtime"},
    {"main.main.func1", "main.main.func1", "main.main.func1", "main.func1", "main"},
    {"main.(*T).Run.func2.1", "main.(*T).Run.func2.1", "(*T).Run.func2.1", "Run.func2.1", "main"},
    {"net/http.(*Server).Serve.gowrap1", "net/http.(*Server).Serve.gowrap1",
     "http.(*Server).Serve.gowrap1", "Serve.gowrap1", "net/http"},
    {"main.glob..func1", "main.glob..func1", "main.glob..func1", "glob..func1", "main"},
    {"main.(*T).Run-fm", "main.(*T).Run-fm", "(*T).Run-fm", "Run-fm", "main"},
    {"main.Map[go.shape.int_0].func1", "main.Map[go.shape.int_0].func1",
     "main.Map[go.shape.int_0].func1", "Map[go.shape.int_0].func1", "main"},
    {"main.Map[...]", "main.Map", "main.Map", "Map", "main"},
    /* Java */
    {"java/util/HashMap.get", "java/util/HashMap.get", "HashMap.get", "get", "java/util"},
    {"java.util.HashMap.get", "java.util.HashMap.get", "HashMap.get", "get", "java.util"},
    {"java/lang/String.<init>", "java/lang/String.<init>", "String.<init>", "<init>", "java/lang"},
    {"Work.fib(I)I", "Work.fib", "Work.fib", "fib", "Work"},
    {"com/acme/Tree$Node.run", "com/acme/Tree$Node.run", "Tree$Node.run", "run", "com/acme"},
    /* Interpreters */
    {"render (app/page.py:12)", "render", "render", "render", "app"},
    {"py::Page.render:/srv/page.py", "py::Page.render", "Page.render", "render", "/srv"},
    {"py::<module>:/srv/page.py", "py::<module>", "<module>", "<module>", "/srv"},
    {"<module> (app.py:3)", "<module>", "<module>", "<module>", "app.py"},
    {"LazyCompile:*render /srv/app.js:12:3", "LazyCompile:*render", "render", "render", "/srv"},
    {"App\\Kernel::handle", "App\\Kernel::handle", "Kernel::handle", "handle", "App"},
    {"lists:map/2", "lists:map/2", "lists:map/2", "map/2", "lists"},
    {"Page.render.<locals>.<lambda>", "Page.render.<locals>.<lambda>",
     "Page.render.<locals>.<lambda>", "render.<locals>.<lambda>", "Page"},
    {"Page.render.<locals>.inner", "Page.render.<locals>.inner", "Page.render.<locals>.inner",
     "inner", "Page"},
    {"(anonymous) /srv/page.js:3:11", "(anonymous) /srv/page.js:3:11",
     "(anonymous) /srv/page.js:3:11", "page.js:3:11", "/srv"},
    {"Object.<anonymous> app.js:1:1", "Object.<anonymous> app.js:1:1",
     "Object.<anonymous> app.js:1:1", "app.js:1:1", "app.js"},
    {"(anonymous)", "(anonymous)", "(anonymous)", "(anonymous)", "(anonymous)"},
    {"block in Page#render", "block in Page#render", "block in Page#render", "block in Page#render",
     "block in Page#render"},
    {"block (2 levels) in <main> (app.rb:3)", "block (2 levels) in <main>",
     "block (2 levels) in <main>", "block (2 levels) in <main>", "app.rb"},
    {"Page#render (app.rb:12)", "Page#render", "Page#render", "render", "app.rb"},
    /* Names that only resemble those of a language */
    {"-[NSString length]", "-[NSString length]", "-[NSString length]", "-[NSString length]",
     "-[NSString length]"},
    {"GC Major Collection", "GC Major Collection", "GC Major Collection", "GC Major Collection",
     "GC Major Collection"},
    {"(((((", "(((((", "(((((", "(((((", "((((("},
    {"a::", "a::", "a::", "a::", "a"},
};

static void what_a_class_can_do_without_is_its_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *name, *elided;
    } elided[] = {
        {"std::vector<int, std::allocator<int> >::push_back(int)", "int, std::allocator<int> "},
        {"main::{lambda()#1}::operator()() const", "lambda()#1"},
        {"run<int>(int)::{lambda(int)#1}::operator()(int)", "<int>(int)::{lambda(int)#1}"},
        {"<gfx::Node as core::fmt::Display>::fmt", " as core::fmt::Display"},
        {"list.(*Cell[go.shape.int]).Next", "go.shape.int"},
        {"net/http.(*conn).serve", ""},
        {"com/acme/Tree$Node.run", "Tree$"},
        {"Tree$Node$Leaf.run", "Tree$Node$"},
        {"Tree$Node$1.run", "Tree$"},
        {"Tree$1.run", ""},
        {"java.util.Comparator$$Lambda.compare", "$$Lambda"},
        {"Tree$Node$$Lambda$14/0x00007f1c01001000.apply", "$$Lambda$14/0x00007f1c01001000"},
        {"List$.map", ""},
        {"$scope.$watch", ""},
        {"caml_main$fib_12", ""},
        {"app::run::{{closure}}", "{closure}"},
        {"app::run<Vec<T>>::{{closure}}::{{closure}}", "{closure}}::{{closure}"},
        {"Page.<lambda>", "lambda"},
        {"main.main.func1", ""},
        {"virtual thunk to Shape::draw(int)", "Shape::"},
        {"covariant return thunk to copy", ""},
        {"ns::sort<int>(int*)", ""},
        {"main", ""},
    };
    for (size_t i = 0; i < sizeof elided / sizeof elided[0]; i++) {
        const char *name = elided[i].name;
        struct flm_name_parts p = flm_name_parts(flm_bytes_of(name));
        struct flm_bytes part = {name + p.elided_from, p.elided_to - p.elided_from};
        if (!flm_bytes_are(part, elided[i].elided))
            fail_msg("%s: '%.*s', not '%s'", name, (int)part.size, part.at, elided[i].elided);
    }
}

static void assert_part(struct flm_bytes part, const char *expected, const char *name)
{
    if (!flm_bytes_are(part, expected))
        fail_msg("%s: '%.*s', not '%s'", name, (int)part.size, part.at, expected);
}

static void a_name_is_split_by_the_syntax_of_its_language(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const struct example *e = &examples[i];
        struct flm_name_parts p = flm_name_parts(flm_bytes_of(e->name));
        assert_part((struct flm_bytes){e->name, p.end}, e->without_arguments, e->name);
        assert_part((struct flm_bytes){e->name + p.qualified, p.end - p.qualified}, e->qualified,
                    e->name);
        assert_part((struct flm_bytes){e->name + p.bare, p.end - p.bare}, e->bare, e->name);
        assert_part(flm_name_package(flm_bytes_of(e->name)), e->package, e->name);
    }
}

/* In memory of exactly their size, so that a sanitizer finds reads beyond it. */
static void parts_stay_inside_of_any_name(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 200000; i++) {
        static const char letters[] = "::<>()[]{}.-/ aoB1_+@#!`\\\x80$*~";
        size_t size = random_below(&random, 18);
        char *name = malloc(size ? size : 1);
        assert_non_null(name);
        for (size_t k = 0; k < size; k++)
            name[k] = letters[random_below(&random, sizeof letters)];
        static const char *const words[] = {"operator",  ".func1",   "{{closure}}",  "{closure#",
                                            ".<lambda>", "$$Lambda", "(anonymous) ", "block in "};
        const char *word = words[random_below(&random, sizeof words / sizeof words[0])];
        if (size >= strlen(word) && random_below(&random, 8) < 4)
            memcpy(name + random_below(&random, (unsigned)(size - strlen(word) + 1)), word,
                   strlen(word));
        struct flm_name_parts p = flm_name_parts((struct flm_bytes){name, size});
        assert_true(p.qualified <= p.bare && p.bare <= p.end && p.end <= size);
        assert_true(size == 0 || p.bare < p.end);
        bool has_elided = p.elided_from > 0 || p.elided_to > 0;
        assert_true(!has_elided || (p.qualified <= p.elided_from && p.elided_from <= p.elided_to &&
                                    p.elided_to <= p.end));
        struct flm_bytes package = flm_name_package((struct flm_bytes){name, size});
        assert_true(package.at >= name && package.at + package.size <= name + size);
        assert_true(size == 0 || package.size > 0);
        free(name);
    }
}

static void a_long_name_takes_linear_time(void **state)
{
    (void)state;
    size_t size = 4000000;
    char *name = malloc(size);
    assert_non_null(name);
    for (int fill = 0; fill < 4; fill++) {
        for (size_t i = 0; i < size; i++)
            name[i] = "(< ("[fill == 3 ? i % 4 : (size_t)fill];
        flm_name_parts((struct flm_bytes){name, size});
        flm_name_package((struct flm_bytes){name, size});
    }
    free(name);
}

static void runtimes_are_known(void **state)
{
    (void)state;
    assert_true(flm_name_is_runtime(flm_bytes_of("libc.so.6")));
    assert_true(
        flm_name_is_runtime(flm_bytes_of("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")));
    assert_true(flm_name_is_runtime(flm_bytes_of("std")));
    assert_false(flm_name_is_runtime(flm_bytes_of("main")));
    assert_false(flm_name_is_runtime(flm_bytes_of("libcrypto.so.3")));
    assert_false(flm_name_is_runtime(flm_bytes_of("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_split_by_the_syntax_of_its_language),
        cmocka_unit_test(what_a_class_can_do_without_is_its_arguments),
        cmocka_unit_test(parts_stay_inside_of_any_name),
        cmocka_unit_test(a_long_name_takes_linear_time),
        cmocka_unit_test(runtimes_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
