#include "algebra/operation/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"

static struct flm_profile *p;

/* Frames in canonical order; the test names them by letters. */
static const struct {
    char letter;
    const char *function, *module, *file;
    uint32_t kind, flags;
} frames[] = {
    {'a', "a*b", "", "", 0, 0},
    {'m', "main", "/usr/bin/app", "src/main.c", FLM_KIND_NATIVE, 0},
    {'n', "main", "libmain.so", "", 0, 0},
    {'o', "operator*", "app", "/src/op.c", FLM_KIND_INLINED, 0},
    {'p', "parse", "libxml2.so.2", "parse.c", 0, 0},
    {'q', "parse_x", "libxml2.so.2", "parse.c", 0, 0},
    {'r', "read", "vmlinux", "", FLM_KIND_KERNEL, 0},
    {'s', "std::map<int, int>::find", "app", "", FLM_KIND_NATIVE, FLM_FRAME_UNSYMBOLIZED},
    {'u', "\xCE\xBB", "", "", FLM_KIND_JIT, 0},
    {'x', "", "", "", FLM_KIND_LABEL, 0},
};
enum { FRAME_COUNT = sizeof frames / sizeof frames[0] };

static int set_up(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < FRAME_COUNT; i++) {
        const char *texts[] = {frames[i].function, frames[i].module, frames[i].file};
        uint32_t strings[3];
        for (int k = 0; k < 3; k++)
            strings[k] = flm_builder_string(b, texts[k], strlen(texts[k])).index;
        struct flm_frame_record record = {.function = strings[0],
                                          .module = strings[1],
                                          .file = strings[2],
                                          .kind = frames[i].kind,
                                          .flags = frames[i].flags};
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        cpu, 1);
    }
    p = flm_builder_finish(b, NULL);
    return p ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    flm_profile_free(p);
    return 0;
}

static char letter_of(uint32_t frame)
{
    for (int i = 0; i < FRAME_COUNT; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->frames[frame].function), frames[i].function) &&
            flm_bytes_are(flm_string_bytes(p, p->frames[frame].module), frames[i].module))
            return frames[i].letter;
    return '?';
}

/* Letters of the frames that match, in order. */
static void matches(const char *pattern, const char *expected)
{
    struct flm_error why = {0};
    unsigned char marks[FRAME_COUNT + 1];
    uint32_t matched, count = 0;
    memset(marks, 7, sizeof marks);
    if (!flm_pattern_mark(p, flm_bytes_of(pattern), marks, &matched, &why))
        fail_msg("%s: %s", pattern, why.text);
    char got[FRAME_COUNT + 1];
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (marks[i])
            got[count++] = letter_of(i);
    got[count] = 0;
    for (uint32_t i = 0; i < count; i++) /* in the order of letters */
        for (uint32_t k = i + 1; k < count; k++)
            if (got[k] < got[i]) {
                char swap = got[i];
                got[i] = got[k];
                got[k] = swap;
            }
    if (strcmp(got, expected) != 0)
        fail_msg("%s matches '%s', not '%s'", pattern, got, expected);
    assert_int_equal(matched, count);
    assert_int_equal(marks[0], 0);
}

static void a_text_is_the_function_of_exactly_that_name(void **state)
{
    (void)state;
    matches("main", "mn");
    matches("mai", "");
    matches("Main", "");
    matches("function=main", "mn");
    matches("std::map<int, int>::find", "s");
    matches("\xCE\xBB", "u");
}

static void a_star_is_anything_and_a_question_mark_one_byte(void **state)
{
    (void)state;
    matches("*", "amnopqrsux");
    matches("pars*", "pq");
    matches("*parse*", "pq");
    matches("p*e*x", "q");
    matches("pars?", "p");
    matches("?ain", "mn");
    matches("????", "mnr");
    matches("??", "u"); /* two bytes of one character */
    matches("*main*main*", "");
    matches("**a**", "amnopqrs");
    matches("a*b", "a");
    matches("std::*", "s");
}

static void in_quotes_nothing_stands_for_anything(void **state)
{
    (void)state;
    matches("\"a*b\"", "a");
    matches("\"operator*\"", "o");
    matches("\"*\"", "");
    matches("\"/a/\"", "");
    matches("\"\"", "x");
    matches("module=\"app\"", "mos");
}

static void slashes_hold_a_regular_expression(void **state)
{
    (void)state;
    matches("/^parse(_x)?$/", "pq");
    matches("/PARSE/", "");
    matches("/PARSE/i", "pq");
    matches("/ai/", "mn");
    matches("//", "amnopqrsux");
    matches("/i/", "mns");
    matches("/i/i", "mns");
    matches("/std::map<int, int>/", "s");
    matches("module=/^lib/", "npq");
    matches("file=/\\.c$/", "mopq");
}

static void fields_are_matched_by_path_or_by_last_part(void **state)
{
    (void)state;
    matches("module=app", "mos");
    matches("module=/usr/bin/app", "m");
    matches("module=lib*", "npq");
    matches("module=*", "mnopqrs"); /* not where it is not known */
    matches("file=main.c", "m");
    matches("file=src/main.c", "m");
    matches("file=/src/op.c", "o");
    matches("file=*.c", "mopq");
}

static void kinds_are_matched_by_name(void **state)
{
    (void)state;
    matches("kind=kernel", "r");
    matches("kind=native", "ms");
    matches("kind=unsymbolized", "s");
    matches("kind=label", "x");
    matches("kind=gpu", "");
}

static void refuse(const char *pattern, size_t offset, const char *words)
{
    struct flm_error why = {0};
    unsigned char marks[FRAME_COUNT + 1];
    uint32_t matched;
    if (flm_pattern_mark(p, flm_bytes_of(pattern), marks, &matched, &why))
        fail_msg("%s should be refused", pattern);
    if (why.kind != FLM_ERROR_USAGE || why.offset != offset || !strstr(why.text, words))
        fail_msg("%s: offset %llu, %s", pattern, (unsigned long long)why.offset, why.text);
    char place[30];
    snprintf(place, sizeof place, "byte %zu: ", offset);
    assert_memory_equal(why.text, place, strlen(place));
    assert_false(flm_pattern_mark(p, flm_bytes_of(pattern), marks, &matched, NULL));
}

static void malformed_patterns_are_refused_with_their_place(void **state)
{
    (void)state;
    refuse("", 0, "the pattern is empty");
    refuse("module=", 0, "the pattern is empty");
    refuse("kind=kernal", 0, "'kernal' is not a kind; use plain, native, kernel");
    refuse("/a(b/", 2, "");
    refuse("/a(b/i", 2, "");
    refuse("module=/a(b/", 9, "");
    refuse("/[z-a]/", 2, "backwards");
    refuse("\"main", 0, "the quote is never closed");
    refuse("module=\"", 7, "the quote is never closed");
}

static void a_star_never_takes_long(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    char name[5001], pattern[301];
    memset(name, 'a', 5000);
    flm_builder_add(b,
                    flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, 5000)),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    struct flm_profile *q = flm_builder_finish(b, NULL);
    for (int i = 0; i < 300; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }
    pattern[299] = 'b';
    unsigned char marks[2];
    uint32_t matched;
    assert_true(flm_pattern_mark(q, (struct flm_bytes){pattern, 300}, marks, &matched, NULL));
    assert_int_equal(matched, 0);
    flm_profile_free(q);
}

/* The plainest matcher: tries everything. */
static bool plain_glob(const char *pattern, const char *text)
{
    if (!*pattern)
        return !*text;
    if (*pattern == '*')
        return plain_glob(pattern + 1, text) || (*text && plain_glob(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && plain_glob(pattern + 1, text + 1);
}

static void stars_agree_with_a_plain_matcher(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (int round = 0; round < 300; round++) {
        char name[10], pattern[10];
        size_t size = 1 + random_below(&random, 8), pattern_size = 1 + random_below(&random, 8);
        for (size_t i = 0; i < size; i++)
            name[i] = "ab"[random_below(&random, 2)];
        name[size] = 0;
        for (size_t i = 0; i < pattern_size; i++)
            pattern[i] = "ab*?"[random_below(&random, 4)];
        pattern[pattern_size] = 0;
        struct flm_builder *b = flm_builder_new(NULL);
        flm_builder_add(
            b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, size)),
            flm_builder_metric(b, "cpu", "ns"), 1);
        struct flm_profile *q = flm_builder_finish(b, NULL);
        unsigned char marks[2];
        uint32_t matched;
        assert_true(flm_pattern_mark(q, flm_bytes_of(pattern), marks, &matched, NULL));
        if (marks[1] != plain_glob(pattern, name))
            fail_msg("%s and %s", pattern, name);
        flm_profile_free(q);
    }
}

static void suggests(const char *pattern, const char *expected)
{
    char buffer[200];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer - 1);
    flm_pattern_suggest(p, flm_bytes_of(pattern), "hide", &text);
    buffer[text.size] = 0;
    assert_string_equal(buffer, expected);
}

static void names_that_hold_the_text_are_suggested(void **state)
{
    (void)state;
    suggests("Pars", " (there is parse, parse_x)");
    suggests("MAI", " (there is main)");
    suggests("*pars?", " (there is parse, parse_x)");
    suggests("/PARSE/", " (there is parse, parse_x)");
    suggests("module=xml", " (there is libxml2.so.2)");
    suggests("file=Main", " (there is src/main.c)");
    suggests("a", " (there is a*b, main, operator*)");
    suggests("libxml2.so.2", " (hide:module=libxml2.so.2 matches the module)");
    suggests("libxml2", " (hide:module=libxml2.so.2 matches the module)");
    suggests("libxml2.so", " (hide:module=libxml2.so.2 matches the module)");
    suggests("libxm", "");
    suggests("main.c", " (hide:file=main.c matches the file)");
    suggests("src/main.c", " (hide:file=src/main.c matches the file)");
    suggests("kernel", " (hide:kind=kernel matches the kind)");
    suggests("prase", " (did you mean parse?)");
    suggests("nothing at all", "");
    suggests("kind=kernel", "");
    suggests("*", "");
    suggests("", "");
    suggests("a name that is longer than any name of the profile", "");
}

static void other_names_of_a_function_lead_to_it(void **state)
{
    (void)state;
    suggests("__libc_read", " (did you mean read?)");
    suggests("__GI___libc_read", " (did you mean read?)");
    suggests("_IO_read", " (did you mean read?)");
    suggests("read@GLIBC_2.2.5", " (did you mean read?)");
    suggests("__read@@GLIBC_2.34", " (did you mean read?)");
    suggests("parse.constprop.0", " (did you mean parse?)");
    suggests("parse.isra.0.cold", " (did you mean parse?)");
    suggests("__", "");
    suggests("libc_read", ""); /* that is no name of the C library's */
}

/* As patterns, which match them. */
static void long_names_are_suggested_by_what_people_know_them_by(void **state)
{
    (void)state;
    static const char *const names[] = {
        "v8::internal::Handle<v8::internal::String> v8::internal::StringTable::LookupKey<"
        "v8::internal::SeqSubStringKey<v8::internal::SeqOneByteString>, v8::internal::Isolate>("
        "v8::internal::Isolate*)",
        "net::http::Server::Serve(int)", "ask_for_isolates"};
    static const char *const cases[][2] = {
        {"Lookup", " (there is *StringTable::LookupKey*)"},
        {"v8", " (there is v8::internal::Handle<v8::internal::String> v8::internal::StringTable::"
               "LookupKey*)"},
        /* Nobody means the argument of a long name. */
        {"Isolat", " (there is ask_for_isolates)"},
        {"LookupKye", " (did you mean *LookupKey*?)"},
        {"Srve", " (did you mean *Serve*?)"},
    };
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        flm_builder_add(b,
                        flm_builder_child(b, flm_builder_root(b),
                                          flm_builder_function(b, names[i], strlen(names[i]))),
                        metric, 1);
    struct flm_profile *q = flm_builder_finish(b, NULL);
    assert_non_null(q);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_text text = {0};
        unsigned char marks[8];
        uint32_t matched = 0;
        flm_pattern_suggest(q, flm_bytes_of(cases[i][0]), "hide", &text);
        flm_text_putc(&text, 0);
        assert_string_equal(text.at, cases[i][1]);
        const char *from = strchr(text.at, '*');
        if (from && from == strrchr(text.at, ' ') + 1) {
            struct flm_bytes pattern = {from, (size_t)(strrchr(text.at, '*') - from) + 1};
            assert_true(flm_pattern_mark(q, pattern, marks, &matched, NULL));
            assert_int_equal(matched, 1);
        }
        flm_text_clear(&text);
    }
    flm_profile_free(q);
}

static void similar_packages_are_suggested_for_all_of_one(void **state)
{
    (void)state;
    static const char *const names[] = {"com.acme.Shop.sell", "com.acme.Shop.buy",
                                        "net.other.Go.go", "std::vector::push_back", "main"};
    static const char *const cases[][2] = {
        {"com.acm.*", " (did you mean com.acme.*?)"},
        {"com.acme.Shp.*", " (did you mean com.acme.Shop.*?)"},
        {"comm.*", " (did you mean com.*?)"},
        {"std::vektor::*", " (did you mean std::vector::*?)"},
        {"org.eclipse.*", ""},
    };
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        flm_builder_add(b,
                        flm_builder_child(b, flm_builder_root(b),
                                          flm_builder_function(b, names[i], strlen(names[i]))),
                        metric, 1);
    struct flm_profile *q = flm_builder_finish(b, NULL);
    assert_non_null(q);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_text text = {0};
        flm_pattern_suggest(q, flm_bytes_of(cases[i][0]), "keep", &text);
        if (!flm_bytes_are((struct flm_bytes){text.at ? text.at : "", text.size}, cases[i][1]))
            fail_msg("%s: %.*s", cases[i][0], (int)text.size, text.at);
        flm_text_clear(&text);
    }
    flm_profile_free(q);
}

static bool mark(void *context, struct flm_error *why)
{
    (void)context;
    unsigned char marks[FRAME_COUNT + 1];
    uint32_t matched;
    return flm_pattern_mark(p, flm_bytes_of("/^pa(r|s)+e/i"), marks, &matched, why);
}

static void patterns_survive_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(mark, NULL) > 3);
}

/* ---- The pattern of one name ----------------------------------------------------------------- */

static size_t odd_name(uint64_t *random, char *name, size_t most)
{
    static const char odd[] = "\"\"/|*?\\ \t\n\r!=:,;.i$^()[]{}ab\xC3\xA4\xFF";
    size_t size = random_below(random, (unsigned)most);
    for (size_t i = 0; i < size; i++)
        name[i] = random_below(random, 8) ? odd[random_below(random, sizeof odd - 1)]
                                          : (char)(1 + random_below(random, 255));
    return size;
}

static uint32_t add_frame(struct flm_builder *b, const char *name, size_t size)
{
    struct flm_frame_record record = {.function = flm_builder_string(b, name, size).index};
    struct flm_frame frame = flm_builder_frame(b, &record);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                    flm_builder_metric(b, "samples", ""), 1);
    return frame.index;
}

/* Names that are nearly the same: other ends, doubled, quoted. */
static struct flm_profile *with_neighbors(const char *name, size_t size)
{
    char other[80];
    struct flm_builder *b = flm_builder_new(NULL);
    add_frame(b, name, size);
    for (size_t from = 0; from <= size && from < 3; from++)
        for (size_t left_out = 0; left_out <= size - from && left_out < 3; left_out++)
            add_frame(b, name + from, size - from - left_out);
    static const char *const around[] = {"\"", "/", " ", "\n", "x", "!", "|"};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
        for (int where = 1; where < 4; where++)
            add_frame(b, other,
                      (size_t)snprintf(other, sizeof other, "%s%.*s%s", where & 1 ? around[i] : "",
                                       (int)size, name, where & 2 ? around[i] : ""));
    return flm_builder_finish(b, NULL);
}

static bool has_name(const struct flm_profile *in, struct flm_bytes name)
{
    for (uint32_t i = 1; i < in->sizes.frame_count; i++)
        if (flm_bytes_equal(flm_frame_function(in, i), name))
            return true;
    return false;
}

static void assert_exact(const char *name, size_t size)
{
    struct flm_error why = {0};
    struct flm_profile *named = with_neighbors(name, size);
    struct flm_text expression = {0};
    unsigned char marks[200];
    uint32_t matched;
    flm_pattern_add_exact(&expression, (struct flm_bytes){name, size});
    struct flm_bytes pattern = {expression.at, expression.size};
    if (!flm_pattern_mark(named, pattern, marks, &matched, &why))
        fail_msg("%.*s of %.*s: %s", (int)pattern.size, pattern.at, (int)size, name, why.text);
    if (matched != 1)
        fail_msg("%.*s matches %u names", (int)pattern.size, pattern.at, matched);
    for (uint32_t i = 1; i < named->sizes.frame_count; i++)
        assert_true(!marks[i] ||
                    flm_bytes_equal(flm_frame_function(named, i), (struct flm_bytes){name, size}));
    expression.size = 0;
    flm_text_puts(&expression, "hide:");
    flm_pattern_add_exact(&expression, (struct flm_bytes){name, size});
    flm_text_puts(&expression, " | by:name");
    flm_text_putc(&expression, 0);
    struct flm_profile *q = flm_apply(named, expression.at, NULL, &why);
    if (!q)
        fail_msg("%s: %s", expression.at, why.text);
    assert_false(has_name(q, (struct flm_bytes){name, size}));
    /* by:name drops no name: all others are still there. */
    assert_int_equal(q->sizes.frame_count, named->sizes.frame_count - 1);
    flm_text_clear(&expression);
    flm_profile_free(named);
    flm_profile_free(q);
}

static void the_pattern_of_a_name_matches_it_and_no_other(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "a",
        "\"",
        "\"\"",
        "/",
        "//",
        "/a/",
        "/a/i",
        "a|b",
        "\"a|b\"",
        "\" | x",
        "a\" |b",
        "*",
        "a*b?",
        " a",
        "a ",
        "\n",
        "a\nb",
        "module=x",
        "function=a",
        "kind=kernel",
        "!a",
        "a\\",
        "\\",
        "\"a\\\" | b",
        "[a]",
        "$^",
        "operator\"\"_s",
        "std::map<int, std::string>::find(int const&)",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_exact(names[i], strlen(names[i]));
    uint64_t random = 41;
    char name[24];
    for (int round = 0; round < 4000; round++)
        assert_exact(name, odd_name(&random, name, sizeof name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_the_function_of_exactly_that_name),
        cmocka_unit_test(a_star_is_anything_and_a_question_mark_one_byte),
        cmocka_unit_test(in_quotes_nothing_stands_for_anything),
        cmocka_unit_test(slashes_hold_a_regular_expression),
        cmocka_unit_test(fields_are_matched_by_path_or_by_last_part),
        cmocka_unit_test(kinds_are_matched_by_name),
        cmocka_unit_test(malformed_patterns_are_refused_with_their_place),
        cmocka_unit_test(a_star_never_takes_long),
        cmocka_unit_test(stars_agree_with_a_plain_matcher),
        cmocka_unit_test(names_that_hold_the_text_are_suggested),
        cmocka_unit_test(long_names_are_suggested_by_what_people_know_them_by),
        cmocka_unit_test(similar_packages_are_suggested_for_all_of_one),
        cmocka_unit_test(other_names_of_a_function_lead_to_it),
        cmocka_unit_test(the_pattern_of_a_name_matches_it_and_no_other),
        cmocka_unit_test(patterns_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
