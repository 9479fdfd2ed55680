#include "draw/syntax/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

/* Lines as they should be colored: ‹k:static› ‹t:int› x = ‹n:1›; ‹c:// first›. Without the marks
 * they are what is read. */
static const char letters[] = ".ktsncp";

static void mark(struct flm_bytes line, const struct flm_syntax_span *spans, size_t count,
                 char *marked, size_t room)
{
    size_t at = 0, length = 0;
    for (size_t i = 0; i <= count; i++) {
        uint32_t start = i < count ? spans[i].start : (uint32_t)line.size;
        length += (size_t)snprintf(marked + length, room - length, "%.*s", (int)(start - at),
                                   line.at + at);
        if (i < count)
            length += (size_t)snprintf(marked + length, room - length, "‹%c:%.*s›",
                                       letters[spans[i].kind], (int)(spans[i].end - start),
                                       line.at + start);
        at = i < count ? spans[i].end : line.size;
    }
}

static void unmark(const char *marked, char *line)
{
    for (; *marked; marked++) {
        if (strncmp(marked, "‹", 3) == 0)
            marked += 4; /* the letter and the colon too */
        else if (strncmp(marked, "›", 3) == 0)
            marked += 2;
        else
            *line++ = *marked;
    }
    *line = 0;
}

static void assert_lines(const char *path, const char *const *lines)
{
    const struct flm_language *language = flm_language_of(flm_bytes_of(path), flm_bytes_of(""));
    flm_syntax_state state = 0;
    assert_non_null(language);
    for (; *lines; lines++) {
        struct flm_syntax_span spans[100];
        char line[300], marked[600];
        unmark(*lines, line);
        flm_syntax_state scanned = state;
        size_t count = flm_syntax_line(language, flm_bytes_of(line), &state, spans, 100);
        mark(flm_bytes_of(line), spans, count, marked, sizeof marked);
        assert_string_equal(marked, *lines);
        assert_int_equal(flm_syntax_line(language, flm_bytes_of(line), &scanned, NULL, 0), 0);
        assert_int_equal(scanned, state);
    }
}

static void c_has_directives_types_and_comments(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹k:static› ‹t:size_t› x = ‹n:0x1Fu›; ‹c:// one›",
                                        "‹p:#include <a.h> ›‹c:/* b›",
                                        "‹c:   still */› ‹k:return› ‹s:'a'› + ‹s:\"b\\\"//\"›;",
                                        "‹p:#define A(x) \\›",
                                        "‹p:    while (›‹s:\"s\"›‹p:, ›‹s:'c'›‹p:, 1)›",
                                        "‹t:int› a = ‹n:1.5e-3f›, b = a-‹n:1›;",
                                        "‹t:char› *s = ‹s:\"open›",
                                        "‹k:if› (whiles) continues;",
                                        "s = ‹s:\"goes \\›",
                                        "‹s:on\"›; a = ‹s:'\\''›; a /b/ c; '",
                                        "  ‹p:# if x›",
                                        "don't ‹c:// it's›",
                                        "‹t:int›",
                                        "",
                                        "‹t:int›",
                                        NULL};
    assert_lines("/src/a.c", lines);
}

static void cpp_has_raw_strings_and_separated_digits(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹t:auto› s = ‹s:R\"x(a)y\"\\ )\" // no›",
                                        "‹s:still)x\"› + ‹n:1'000'000› + ‹s:u8R\"(b)\"›;",
                                        "‹k:class› A : ‹k:public› B {};",
                                        "‹k:__global__› ‹t:void› f();",
                                        "‹s:R\"(open›",
                                        "‹s:wrong)x\"›",
                                        "‹s:)\"› x",
                                        NULL};
    assert_lines("a.hpp", lines);
    assert_lines("kernel.cu", lines);
    assert_lines("a.h", lines);
}

static void rust_has_nested_comments_lifetimes_and_attributes(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹p:#[derive(Copy)]›",
                                        "‹p:#![no_std] ›‹c:// x›",
                                        "‹k:fn› f<'a>(x: &'a ‹t:str›) -> ‹t:Vec›<‹t:u8›> {",
                                        "‹c:/* a /* b */ c›",
                                        "‹c:*/› ‹k:let› c = ‹s:'x'›; ‹k:let› d = ‹s:'\\u{1F600}'›;",
                                        "‹k:let› s = ‹s:r#\"a\"b\"#›; ‹k:let› t = ‹s:\"open›",
                                        "‹s:end\"›; ‹s:br##\"x\"#›",
                                        "‹s:\"##› ‹k:loop› {}",
                                        NULL};
    assert_lines("lib.rs", lines);
}

static void go_has_raw_strings(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹k:func› f(s ‹t:string›) ‹t:error› { ‹c:// c›",
                                        "\tx := ‹s:`raw \\`› + ‹s:\"q\"› + ‹s:'r'›",
                                        "\ty := ‹s:`open›", "‹s:// no`› ‹k:defer› ‹k:nil›", NULL};
    assert_lines("main.go", lines);
}

static void java_and_kotlin_have_annotations_and_text_blocks(void **state)
{
    (void)state;
    static const char *const A_java[] = {"‹p:@Override› ‹k:public› ‹t:String› f() {",
                                         "  ‹k:var› s = ‹s:\"\"\"›", "‹s:    a \"quoted\" // text›",
                                         "‹s:    \"\"\"›; MAX = ‹n:1_000L›;", NULL};
    static const char *const A_kt[] = {"‹c:/* /* */›", "‹c:*/› ‹k:fun› f(a: ‹t:Int›) = ‹s:\"\"\"a›",
                                       "‹s:\"\"\"›", NULL};
    assert_lines("A.java", A_java);
    assert_lines("A.kt", A_kt);
}

static void python_has_triple_quotes_and_decorators(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹p:@a.b›(‹n:1›)",
                                        "‹k:def› f(x): ‹c:# c›",
                                        "    ‹s:\"\"\"doc 'string'›",
                                        "‹s:    # no comment \"\" \\\"\"\"›",
                                        "‹s:    end\"\"\"›; y = ‹s:'#'› + ‹s:\"a\\\"#\"›",
                                        "    z = ‹s:'''it's '''›; ‹k:None›",
                                        "x = ‹s:'open›",
                                        "‹k:return› x",
                                        NULL};
    assert_lines("a.py", lines);
}

static void javascript_has_templates_and_patterns(void **state)
{
    (void)state;
    static const char *const a_js[] = {
        "‹c:#!/usr/bin/env node›",       "‹k:const› r = x.match(‹s:/[/'\"]\\//›g), y = a / b;",
        "‹k:let› t = ‹s:`a ${b} \\` ›",  "‹s:// text`› + ‹s:'x'›; ‹c:// c›",
        "‹k:async› ‹k:function› f() {}", NULL};
    static const char *const a_tsx[] = {"‹k:let› n: ‹t:number› = ‹n:1›;", NULL};
    assert_lines("a.js", a_js);
    assert_lines("a.tsx", a_tsx);
}

static void ruby_php_and_shell_have_here_documents(void **state)
{
    (void)state;
    static const char *const a_rb[] = {
        "x = ‹s:<<~END› + ‹s:'a'›", "‹s:  don't # no›",          "‹s:  END›",
        "a << b ‹c:# yes›",         "‹k:def› f = y =~ ‹s:/x'/›", NULL};
    static const char *const a_php[] = {"$x = ‹s:<<<EOT›",      "‹s:it's \"›", "‹s:EOT;›",
                                        "‹p:#[Attr]›",          "‹c:# c›",     "‹k:echo› ‹s:'open›",
                                        "‹s:still'›; ‹c:// c›", NULL};
    static const char *const a_sh[] = {"‹k:if› [ ${#a} -gt ‹n:1› ]; ‹k:then› ‹c:# c›",
                                       "cat ‹s:<<-'EOF'› | sed ‹s:'s/\\//'›",
                                       "‹s:\tdon't›",
                                       "‹s:\tEOF›",
                                       "x=‹s:'a\\'› y=‹s:\"b\\\"›",
                                       "‹s:still\"›; f <<< ‹k:done›",
                                       NULL};
    assert_lines("a.rb", a_rb);
    assert_lines("a.php", a_php);
    assert_lines("a.sh", a_sh);
}

static void csharp_has_verbatim_strings(void **state)
{
    (void)state;
    static const char *const lines[] = {"‹p:#region x›", "‹k:var› s = ‹s:@\"a\\\"›; ‹c:// c›",
                                        "‹k:var› t = ‹s:@\"a \"\" b›",
                                        "‹s:c\"› + $‹s:\"{x}\"›; ‹t:decimal› d;", NULL};
    assert_lines("a.cs", lines);
}

static void swift_and_zig_have_strings_of_their_own(void **state)
{
    (void)state;
    static const char *const a_swift[] = {
        "‹k:let› s = ‹s:#\"a \"b\" \"#› + ‹s:\"c\"› ‹k:as› ‹t:Int›", NULL};
    static const char *const a_zig[] = {"‹k:const› a = ‹p:@import›(‹s:\"std\"›); ‹c:// c›",
                                        "    ‹s:\\\\ it's \"text\"›", "x: ‹t:u32› = ‹s:'a'›,",
                                        NULL};
    assert_lines("a.swift", a_swift);
    assert_lines("a.zig", a_zig);
}

static void haskell_and_ocaml_have_comments_and_primes_of_their_own(void **state)
{
    (void)state;
    static const char *const A_hs[] = {"‹k:let› x' = f ‹s:'a'› ‹c:-- c›", "‹c:{- a {- b -}›",
                                       "‹c:-}› ‹k:where› y :: ‹t:Int›", NULL};
    static const char *const a_ml[] = {"‹k:let› f (x : 'a ‹t:list›) = ‹c:(* c›",
                                       "‹c:(* d *) *)› ‹s:\"open›", "‹s:end\"› ‹s:'c'›", NULL};
    assert_lines("A.hs", A_hs);
    assert_lines("a.ml", a_ml);
}

static void assembly_has_directives_and_immediate_numbers(void **state)
{
    (void)state;
    static const char *const lines[] = {"\t‹k:.globl› main ‹c:# c›",
                                        "\tmov x0, #‹n:1› ‹c:// c›",
                                        "‹p:#define A 1›",
                                        "‹c:# c›",
                                        "\t‹k:.string› ‹s:\"a\"› ‹c:/* c›",
                                        "‹c:*/› movl $0x10, %eax",
                                        NULL};
    assert_lines("a.S", lines);
}

static void languages_are_known_by_name_or_interpreter(void **state)
{
    (void)state;
    static const struct {
        const char *path, *first_line, *language;
    } cases[] = {
        {"/a/b.c", "", "C"},
        {"b.C", "", "C++"},
        {"/a.d/x.tar.py", "", "Python"},
        {"script", "#!/usr/bin/env python3", "Python"},
        {"script", "#!/bin/bash", "Shell"},
        {"script", "#!/usr/bin/env node", "JavaScript"},
        {"a.js", "#!/bin/sh", "JavaScript"},
        {"Makefile", "all:", NULL},
        {"/a.c/README", "", NULL},
        {"c", "", NULL},
        {"a.", "", NULL},
        {"a.c ", "", NULL},
        {"", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct flm_language *language =
            flm_language_of(flm_bytes_of(cases[i].path), flm_bytes_of(cases[i].first_line));
        assert_int_equal(language != NULL, cases[i].language != NULL);
        if (language)
            assert_string_equal(flm_language_name(language), cases[i].language);
    }
    flm_syntax_state none = 0;
    struct flm_syntax_span span;
    assert_int_equal(flm_syntax_line(NULL, flm_bytes_of("int x;"), &none, &span, 1), 0);
}

/* What does not fit is left plain, and the state goes on as ever. */
static void spans_are_at_most_as_many_as_there_is_room_for(void **state)
{
    (void)state;
    const struct flm_language *c = flm_language_of(flm_bytes_of("a.c"), flm_bytes_of(""));
    struct flm_bytes line = flm_bytes_of("int a = 1 + 2; /* open");
    struct flm_syntax_span spans[5] = {0};
    for (size_t capacity = 0; capacity <= 5; capacity++) {
        flm_syntax_state next = 0;
        size_t count = flm_syntax_line(c, line, &next, spans, capacity);
        assert_int_equal(count, capacity < 4 ? capacity : 4);
        assert_int_not_equal(next, 0);
    }
    assert_true(spans[2].start == 12 && spans[2].end == 13 && spans[2].kind == FLM_SYNTAX_NUMBER);
}

static const char *const endings[] = {"a.c",   "a.cc", "a.rs", "a.go", "a.java", "a.kt",
                                      "a.cs",  "a.ts", "a.py", "a.rb", "a.php",  "a.swift",
                                      "a.zig", "a.hs", "a.ml", "a.sh", "a.s"};

/* Any bytes, in any state. */
static void spans_ascend_and_lie_in_their_line(void **state)
{
    (void)state;
    static const char bytes[] = "\"'`/*#(){}-=<>\\ RrxuL0'1e@$_.;\t\n\0\xc3\xa9 END /* */ r#\"";
    uint64_t seed = 11;
    for (int round = 0; round < 20000; round++) {
        const struct flm_language *language = flm_language_of(
            flm_bytes_of(endings[round % (int)(sizeof endings / sizeof endings[0])]),
            flm_bytes_of(""));
        size_t size = random_below(&seed, 40), capacity = random_below(&seed, 8);
        char *line = malloc(size + 1);
        for (size_t i = 0; i < size; i++)
            line[i] = bytes[random_below(&seed, sizeof bytes - 1)];
        flm_syntax_state next = round % 3 ? 0 : (uint32_t)random_next(&seed), scanned = next;
        struct flm_syntax_span spans[8];
        struct flm_bytes text = {line, size};
        size_t count = flm_syntax_line(language, text, &next, spans, capacity);
        assert_true(count <= capacity);
        for (size_t i = 0; i < count; i++)
            assert_true(spans[i].start >= (i ? spans[i - 1].end : 0) &&
                        spans[i].start < spans[i].end && spans[i].end <= size &&
                        spans[i].kind > FLM_SYNTAX_PLAIN && spans[i].kind < FLM_SYNTAX_COUNT);
        flm_syntax_line(language, text, &scanned, NULL, 0);
        assert_int_equal(scanned, next);
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_has_directives_types_and_comments),
        cmocka_unit_test(cpp_has_raw_strings_and_separated_digits),
        cmocka_unit_test(rust_has_nested_comments_lifetimes_and_attributes),
        cmocka_unit_test(go_has_raw_strings),
        cmocka_unit_test(java_and_kotlin_have_annotations_and_text_blocks),
        cmocka_unit_test(python_has_triple_quotes_and_decorators),
        cmocka_unit_test(javascript_has_templates_and_patterns),
        cmocka_unit_test(ruby_php_and_shell_have_here_documents),
        cmocka_unit_test(csharp_has_verbatim_strings),
        cmocka_unit_test(swift_and_zig_have_strings_of_their_own),
        cmocka_unit_test(haskell_and_ocaml_have_comments_and_primes_of_their_own),
        cmocka_unit_test(assembly_has_directives_and_immediate_numbers),
        cmocka_unit_test(languages_are_known_by_name_or_interpreter),
        cmocka_unit_test(spans_are_at_most_as_many_as_there_is_room_for),
        cmocka_unit_test(spans_ascend_and_lie_in_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
