/* What a page may ask for, and what it gets; also when it is not a page of ours that asks. */
#include "code/find/code_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"

/* Frames in files with these names. */
static struct flm_profile *profile_in(const char *const *files, size_t count)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    for (size_t i = 0; i < count; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, "parse", 5).index,
            .file = flm_builder_string(b, files[i], strlen(files[i])).index};
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        flm_builder_metric(b, "cpu", "ns"), 1);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static struct flm_code_finder *finder_of(const struct flm_profile *p)
{
    static const struct flm_code_finder_options options = {.no_source = true, .only_sources = true};
    struct flm_code_finder *finder = flm_code_finder_new(p, &options, NULL);
    assert_non_null(finder);
    return finder;
}

static struct flm_code_store *asked(const struct flm_code_sides *sides, const char *request)
{
    struct flm_text answer = {0};
    struct flm_error why = {0};
    struct flm_code_store *store = flm_code_store_new(NULL);
    assert_non_null(store);
    if (!flm_code_answer_message(sides, flm_bytes_of(request), &answer, &why))
        fail_msg("%s", why.text);
    assert_true(flm_code_store_read(store, (struct flm_bytes){answer.at, answer.size}, NULL));
    flm_text_clear(&answer);
    return store;
}

static const char *request_of(struct flm_text *text, const char *file)
{
    text->size = 0;
    flm_text_format(text, "{\"side\": \"after\", \"other\": \"before\", \"files\": [\"%s\"]}",
                    file);
    flm_text_putc(text, 0);
    return text->at;
}

/* Whether the text of a file is in the answer. */
static bool gets(const struct flm_code_sides *sides, const char *file)
{
    struct flm_text request = {0};
    struct flm_code_store *store = asked(sides, request_of(&request, file));
    const struct flm_code_file *found = flm_code_store_file(store, flm_bytes_of(file));
    bool has_text = found && found->text.size > 0;
    assert_true(!found || has_text || found->status.size > 0);
    flm_code_store_free(store);
    flm_text_clear(&request);
    return has_text;
}

static void only_files_that_the_profile_names_are_sent(void **state)
{
    (void)state;
    char one[400], two[400], other[400], secret[400], link[400], key[400];
    strcpy(one, write_temporary("one.c", flm_bytes_of("one\n")));
    strcpy(two, write_temporary("two.py", flm_bytes_of("two\n")));
    strcpy(other, write_temporary("other.c", flm_bytes_of("other\n")));
    strcpy(secret, write_temporary("secret", flm_bytes_of("password\n")));
    strcpy(link, temporary_path("link.c"));
    strcpy(key, "/etc/passwd");
    unlink(link);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    const char *const named[] = {one, secret, link, key, "/dev/zero", "/proc/self/environ", "."};
    const char *const before_named[] = {two};
    struct flm_profile *p = profile_in(named, 7), *before = profile_in(before_named, 1);
    struct flm_code_sides sides = {finder_of(p), finder_of(before)};
    assert_true(gets(&sides, one));
    assert_true(gets(&sides, two)); /* of the other side */
    assert_false(gets(&sides, other));
    assert_false(gets(&sides, "one.c"));
    assert_false(gets(&sides, "../../../../../../etc/passwd"));
    assert_false(gets(&sides, ""));
    /* A profile may be a stranger's: what it names must be source. */
    assert_false(gets(&sides, secret));
    assert_false(gets(&sides, link));
    assert_false(gets(&sides, key));
    assert_false(gets(&sides, "/dev/zero"));
    assert_false(gets(&sides, "/proc/self/environ"));
    assert_false(gets(&sides, "."));
    flm_code_finder_free(sides.after);
    flm_code_finder_free(sides.before);
    flm_profile_free(p);
    flm_profile_free(before);
}

/* A viewer may have opened another file than the one that is served, or closed one of two. */
static void only_the_sides_that_are_named_are_asked(void **state)
{
    (void)state;
    char one[400], two[400];
    strcpy(one, write_temporary("one.c", flm_bytes_of("one\n")));
    strcpy(two, write_temporary("two.c", flm_bytes_of("two\n")));
    const char *const named[] = {one}, *const before_named[] = {two};
    struct flm_profile *p = profile_in(named, 1), *before = profile_in(before_named, 1);
    const struct flm_code_sides sides = {finder_of(p), finder_of(before)};
    static const struct {
        const char *asked;
        size_t files, functions;
    } expected[] = {{"\"side\": \"after\"", 1, 1},   {"\"side\": \"before\"", 1, 1},
                    {"\"other\": \"before\"", 1, 0}, {"\"side\": \"\", \"other\": \"\"", 0, 0},
                    {"\"side\": \"here\"", 0, 0},    {"\"more\": 1", 0, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct flm_text request = {0};
        flm_text_format(&request,
                        "{%s, \"function\": \"parse\", \"module\": \"\", \"assembly\": true, "
                        "\"files\": [\"%s\", \"%s\"]}",
                        expected[i].asked, one, two);
        flm_text_putc(&request, 0);
        struct flm_code_store *store = asked(&sides, request.at);
        assert_int_equal(flm_code_store_file_count(store), expected[i].files);
        assert_int_equal(flm_code_store_function_count(store), expected[i].functions);
        flm_code_store_free(store);
        flm_text_clear(&request);
    }
    flm_code_finder_free(sides.after);
    flm_code_finder_free(sides.before);
    flm_profile_free(p);
    flm_profile_free(before);
}

static void functions_are_those_of_the_profile(void **state)
{
    (void)state;
    const char *const named[] = {"no.c"};
    struct flm_profile *p = profile_in(named, 1);
    struct flm_code_sides sides = {finder_of(p), NULL};
    struct flm_code_store *store =
        asked(&sides, "{\"function\": \"parse\", \"module\": \"\", \"assembly\": true, "
                      "\"side\": \"after\", \"more\": {\"of\": [1, null]}}");
    assert_int_equal(flm_code_store_function_count(store), 1);
    assert_true(flm_code_store_function_at(store, 0)->status.size > 0);
    assert_int_equal(flm_code_store_file_count(store), 0);
    flm_code_store_free(store);
    store = asked(&sides, "{\"function\": \"main\", \"module\": \"/bin/sh\", \"assembly\": true, "
                          "\"side\": \"after\"}");
    assert_int_equal(flm_code_store_function_count(store), 0);
    flm_code_store_free(store);
    flm_code_finder_free(sides.after);
    flm_profile_free(p);
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const requests[] = {"",
                                           "null",
                                           "[]",
                                           "7",
                                           "{",
                                           "{\"files\": \"one.c\"}",
                                           "{\"files\": [[\"a\"]]}",
                                           "{\"assembly\": 1}",
                                           "{} {}",
                                           "\xff\xfe",
                                           "{\"function\": 3}"};
    const char *const named[] = {"no.c"};
    struct flm_profile *p = profile_in(named, 1);
    struct flm_code_sides sides = {finder_of(p), NULL};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct flm_text answer = {0};
        struct flm_error why = {0};
        if (flm_code_answer_message(&sides, flm_bytes_of(requests[i]), &answer, &why))
            fail_msg("'%s' is answered", requests[i]);
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        flm_text_clear(&answer);
    }
    struct flm_text many = {0};
    flm_text_puts(&many, "{\"side\": \"after\", \"files\": [\"no.c\"");
    for (int i = 0; i < 5000; i++)
        flm_text_format(&many, ", \"no%d.c\"", i);
    flm_text_puts(&many, "]}");
    flm_text_putc(&many, 0);
    struct flm_code_store *store = asked(&sides, many.at);
    assert_int_equal(flm_code_store_file_count(store), 1);
    flm_code_store_free(store);
    flm_text_clear(&many);
    flm_code_finder_free(sides.after);
    flm_profile_free(p);
}

static bool ask(void *context, struct flm_error *why)
{
    struct flm_text answer = {0};
    bool good = flm_code_answer_message(
        context,
        flm_bytes_of("{\"function\": \"parse\", \"module\": \"\", \"assembly\": true, "
                     "\"side\": \"after\", \"files\": [\"no.c\", \"\\u0041\"]}"),
        &answer, why);
    flm_text_clear(&answer);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    const char *const named[] = {"no.c"};
    struct flm_profile *p = profile_in(named, 1);
    struct flm_code_sides sides = {finder_of(p), NULL};
    assert_true(assert_survives_failures(ask, &sides) > 10);
    flm_code_finder_free(sides.after);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_files_that_the_profile_names_are_sent),
        cmocka_unit_test(only_the_sides_that_are_named_are_asked),
        cmocka_unit_test(functions_are_those_of_the_profile),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
