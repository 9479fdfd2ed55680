#include "draw/text/label.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/random.h"

/* Every letter is 10 px wide. */
static const struct flm_font tens = {.size_px = 10, .letter = 1};

static void assert_label(const char *name, double room_px, const char *expected)
{
    struct flm_text out = {0};
    struct flm_bytes plain = flm_bytes_of(name);
    flm_label_add(&out, plain, flm_name_parts(plain), room_px, &tens);
    if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, expected))
        fail_msg("%s in %g px: '%.*s', not '%s'", name, room_px, (int)out.size, out.at, expected);
    flm_text_clear(&out);
}

static void a_name_loses_its_least_important_part_first(void **state)
{
    (void)state;
    static const char name[] = "net::http::Server::Serve(int)";
    assert_label(name, 290, "net::http::Server::Serve(int)");
    assert_label(name, 289, "net::http::Server::Serve");
    assert_label(name, 239, "Server::Serve");
    assert_label(name, 129, "Serve");
    assert_label(name, 50, "Serve");
}

static void a_name_that_does_not_fit_has_an_ellipsis_and_eight_letters(void **state)
{
    (void)state;
    assert_label("allocation", 99, "allo\xE2\x80\xA6tion");
    assert_label("allocation", 90, "allo\xE2\x80\xA6tion");
    assert_label("allocation", 89, "");
    assert_label("clock", 49, "");
    assert_label("abc", 29, "");
    assert_label("abc", 30, "abc");
    assert_label("", 100, "");
}

/* What tests/browser/svg.mjs has of its own, because it knows no parts of these names. */
static void assert_short(const char *name, double room_px, const char *expected)
{
    assert_label(name, room_px, expected);
}

static void a_class_is_kept_longer_than_its_template_arguments(void **state)
{
    (void)state;
    static const char name[] = "std::vector<int, std::allocator<int> >::push_back(int&&)";
    assert_short(name, 540, "std::vector<int, std::allocator<int> >::push_back");
    assert_short(name, 460, "vector<int, std::allocator<int> >::push_back");
    assert_short(name, 430, "vector<\xE2\x80\xA6>::push_back");
    assert_short(name, 200, "vector<\xE2\x80\xA6>::push_back");
    assert_short(name, 189, "push_back");
    static const char lambda[] = "app::run<int>(int)::{lambda(int)#1}::operator()(int) const";
    assert_short(lambda, 430, "run<int>(int)::{lambda(int)#1}::operator()");
    assert_short(lambda, 419, "run\xE2\x80\xA6::operator()");
    assert_short(lambda, 149, "operator()");
}

static void what_a_function_is_in_stays_where_its_name_tells_nothing(void **state)
{
    (void)state;
    static const char inner[] = "com/acme/Tree$Node.run";
    assert_short(inner, 219, "Tree$Node.run");
    assert_short(inner, 129, "Node.run");
    assert_short(inner, 79, "run");
    static const char lambda[] = "com.acme.Tree$$Lambda/0x00007f1c01001000.apply";
    assert_short(lambda, 400, "Tree$$Lambda/0x00007f1c01001000.apply");
    assert_short(lambda, 369, "Tree\xE2\x80\xA6.apply");
    assert_short(lambda, 109, "apply");
    static const char closure[] = "app::Pool::run::{{closure}}";
    assert_short(closure, 269, "Pool::run::{{closure}}");
    assert_short(closure, 219, "Pool::run::{\xE2\x80\xA6}");
    assert_short(closure, 139, "run::{\xE2\x80\xA6}");
    assert_short(closure, 79, "");
    static const char go[] = "main.(*Server).handle.func1";
    assert_short(go, 269, "(*Server).handle.func1");
    assert_short(go, 219, "handle.func1");
    assert_short(go, 119,
                 "handl\xE2\x80\xA6"
                 "func1");
    static const char script[] = "(anonymous) /srv/app/page.js:12:46";
    assert_short(script, 339, "(\xE2\x80\xA6) /srv/app/page.js:12:46");
    assert_short(script, 249, "page.js:12:46");
    assert_short("block in Page#render", 199, "block in \xE2\x80\xA6ge#render");
}

static void a_label_never_names_another_function(void **state)
{
    (void)state;
    assert_short("operator()", 99, "");
    assert_short("operator->", 99, "");
    assert_short("app::run::{{closure}}", 79, "");
    assert_short("libbinaryen.so+0x37ba20", 229, "0x37ba20");
    assert_short("libbinaryen.so+0x37ba20", 79, "");
    static const char cut[] = "std::_Function_handler<double";
    assert_short(cut, 290, "std::_Function_handler");
    assert_short(cut, 219, "_Function_handler");
    assert_short(cut, 150, "_Functi\xE2\x80\xA6handler");
    assert_short("sort<Sorter<double>::operator", 900, "sort");
    assert_short("Sorter<double>::operator", 239, "Sorter<\xE2\x80\xA6>::operator");
    assert_short("Sorter<double>::operator", 180, "");
}

static void other_texts_are_never_shortened_in_their_middle(void **state)
{
    (void)state;
    static const struct {
        double room_px;
        const char *expected;
    } rooms[] = {{130, "+1,204, 0.6 %"}, {129, "+1,204"}, {59, ""}};
    struct flm_bytes plain = flm_bytes_of("+1,204, 0.6 %");
    struct flm_name_parts parts = {.bare = 6, .end = 6};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        struct flm_text out = {0};
        flm_label_add(&out, plain, parts, rooms[i].room_px, &tens);
        assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, rooms[i].expected));
        flm_text_clear(&out);
    }
}

static double fives(void *context, uint32_t code)
{
    (void)context;
    return code == 'i' ? 0.25 : 0.5;
}

static void assert_letters(const char *name, unsigned letters, const char *expected)
{
    struct flm_text out = {0};
    flm_label_add_letters(&out, flm_bytes_of(name), letters);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void a_name_in_a_sentence_has_so_many_letters(void **state)
{
    (void)state;
    assert_letters("list<A, B>::push_back(A const&)", 60, "list<A, B>::push_back(A const&)");
    assert_letters("list<A, B>::push_back(A const&)", 24, "list<A, B>::push_back");
    assert_letters("list<A, B>::push_back(A const&)", 18, "list<\xE2\x80\xA6>::push_back");
    assert_letters("(anonymous namespace, not a function's)", 20,
                   "(anonymous\xE2\x80\xA6nction's)");
}

static void a_known_font_measures_its_letters(void **state)
{
    (void)state;
    struct flm_font font = {.size_px = 20, .width = fives};
    assert_true(flm_label_width(flm_bytes_of("ain"), &font) == 25);
    struct flm_bytes plain = flm_bytes_of("aiaiaiaiaiai");
    struct flm_label_cut cut = flm_label_fit(plain, flm_name_parts(plain), 70, &font);
    assert_true(flm_bytes_are(cut.head, "aiai") && flm_bytes_are(cut.tail, "aiai"));
}

static void letters_of_several_bytes_are_never_cut(void **state)
{
    (void)state;
    assert_label("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xB6",
                 90,
                 "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xE2\x80\xA6\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xB6");
}

static void a_label_is_never_wider_than_its_room(void **state)
{
    (void)state;
    uint64_t random = 5;
    const struct flm_font fonts[] = {
        {.size_px = 12}, {.size_px = 12, .letter = 0.6}, {.size_px = 9}};
    for (int i = 0; i < 20000; i++) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzMW.:<>()/_ilI";
        char name[40];
        size_t size = random_below(&random, sizeof name);
        for (size_t k = 0; k < size; k++)
            name[k] = letters[random_below(&random, sizeof letters - 1)];
        struct flm_bytes plain = {name, size};
        double room = random_below(&random, 300);
        const struct flm_font *font = &fonts[random_below(&random, 3)];
        struct flm_text out = {0};
        flm_label_add(&out, plain, flm_name_parts(plain), room, font);
        assert_true(flm_label_width((struct flm_bytes){out.at, out.size}, font) <= room + 1e-9);
        flm_text_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_loses_its_least_important_part_first),
        cmocka_unit_test(a_name_that_does_not_fit_has_an_ellipsis_and_eight_letters),
        cmocka_unit_test(a_class_is_kept_longer_than_its_template_arguments),
        cmocka_unit_test(what_a_function_is_in_stays_where_its_name_tells_nothing),
        cmocka_unit_test(a_label_never_names_another_function),
        cmocka_unit_test(other_texts_are_never_shortened_in_their_middle),
        cmocka_unit_test(a_name_in_a_sentence_has_so_many_letters),
        cmocka_unit_test(a_known_font_measures_its_letters),
        cmocka_unit_test(letters_of_several_bytes_are_never_cut),
        cmocka_unit_test(a_label_is_never_wider_than_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
