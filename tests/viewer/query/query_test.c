#include "viewer/query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "wasm/query_json.h"

static void a_question_is_its_first_word(void **state)
{
    (void)state;
    struct flm_bytes argument;
    const struct flm_query_entry *top = flm_query_named(flm_bytes_of("top 20 40"), &argument);
    assert_non_null(top);
    assert_string_equal(top->name, "top");
    assert_true(flm_bytes_are(argument, "20 40"));
    assert_non_null(flm_query_named(flm_bytes_of("status"), &argument));
    assert_int_equal(argument.size, 0);
    assert_null(flm_query_named(flm_bytes_of("topmost"), &argument));
    assert_null(flm_query_named(flm_bytes_of(""), &argument));
}

static void what_is_no_question_is_refused(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a 1\n");
    struct flm_error why = {0};
    struct flm_text out = {0};
    assert_false(flm_query_json(v, flm_bytes_of("why"), &out, &why));
    assert_string_equal(why.text, "'why' is not a query");
    flm_text_clear(&out);
    flm_viewer_free(v);
}

/* Whatever is shown. */
static void every_answer_is_json_in_every_view(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "hello", "tools",   "chips",   "searches", "legend",   "hover", "detail",        "status",
        "notes", "overlay", "top 0 9", "list",     "tree 0 9", "aria",  "complete hide:"};
    static const char *const actions[] = {
        "view flame",    "invert",       "select 1",          "view sandwich", "sandwich parse",
        "view tree",     "view top",     "view compare",      "search e",      "overlay",
        "apply by:name", "color self",   "search-kind regex", "search (",      "order total",
        "zoom-selected", "apply drop:*", "view flame",        "reset"};
    struct flm_viewer *v = viewer_of_folded("main;parse;lex 8\nmain;parse;lex;read 3\n");
    for (size_t a = 0; a < sizeof actions / sizeof actions[0]; a++) {
        flm_viewer_do(v, flm_bytes_of(actions[a]), NULL);
        for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++)
            json_tree_free(answer(v, questions[q]));
    }
    flm_viewer_free(v);
}

/* ---- The header says what they are ----------------------------------------------------------- */

/* What the header says of a question: from the line that begins with its name to the next one. */
static struct flm_bytes block_of(const struct flm_text *header, const char *question)
{
    char begin[40];
    snprintf(begin, sizeof begin, "\n * %.*s ", (int)strcspn(question, " "), question);
    const char *at = strstr(header->at, begin);
    if (!at)
        fail_msg("query/query.h does not have %s", question);
    const char *end = at + strlen(begin);
    while (strncmp(end, "\n *\n", 4) != 0)
        end++;
    return (struct flm_bytes){at, (size_t)(end - at)};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool has_word(struct flm_bytes text, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 1; i + size < text.size; i++)
        if (memcmp(text.at + i, word, size) == 0 && !is_letter(text.at[i - 1]) &&
            !is_letter(text.at[i + size]))
            return true;
    return false;
}

static void assert_described(const struct json_tree *tree, const char *question,
                             struct flm_bytes one, struct flm_bytes other)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->kind == JSON_OBJECT && !has_word(one, tree->keys[i]) &&
            !has_word(other, tree->keys[i]))
            fail_msg("query/query.h does not have \"%s\" of %s", tree->keys[i], question);
        assert_described(&tree->items[i], question, one, other);
    }
}

static void describe(struct flm_viewer *v, const struct flm_text *header)
{
    static const char *const questions[][2] = {
        {"hello", "hello"},        {"tools", "tools"},   {"chips", "chips"},
        {"searches", "searches"},  {"legend", "legend"}, {"hover", "hover"},
        {"detail", "detail"},      {"status", "status"}, {"top 0 9", "top"},
        {"list 0 9", "top"},       {"tree 0 9", "tree"}, {"aria", "tree"},
        {"notes", "notes"},        {"tracks", "tracks"}, {"overlay", "overlay"},
        {"complete h", "complete"}};
    for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
        struct json_tree *tree = answer(v, questions[q][0]);
        assert_described(tree, questions[q][0], block_of(header, questions[q][0]),
                         block_of(header, questions[q][1]));
        json_tree_free(tree);
    }
}

static void every_member_of_an_answer_is_in_the_header(void **state)
{
    (void)state;
    static const char *const actions[] = {
        "view flame", "overlay",       "search e",   "select 2", "apply hide:lex", "invert",
        "view tree",  "view sandwich", "color self", "note x",   "note-view y"};
    struct flm_text header = read_file("src/viewer/query/query.h");
    flm_text_putc(&header, 0);
    for (int compares = 0; compares < 2; compares++) {
        struct flm_viewer *v = viewer_of_folded("main;parse;lex 8\nmain;parse;lex;read_[k] 3\n");
        if (compares)
            assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("main;parse;lex 9\nx 3\n"),
                                        "b", NULL));
        for (size_t a = 0; a < sizeof actions / sizeof actions[0]; a++) {
            if (!compares || a > 0)
                act(v, actions[a]);
            flm_viewer_pointer(v, FLM_POINTER_MOVE, 300, 48 + 30, 0, false, 0);
            describe(v, &header);
        }
        flm_viewer_free(v);
    }
    flm_text_clear(&header);
}

static void some_answers_are_plain_text(void **state)
{
    (void)state;
    static const char *const plain[] = {"state",  "copy",        "prompt",
                                        "notice", "notice-kind", "export folded"};
    struct flm_viewer *v = viewer_of_folded("main;parse 8\n");
    act(v, "search pars");
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct flm_bytes argument;
        struct flm_text out = {0};
        assert_non_null(flm_query_named(flm_bytes_of(plain[i]), &argument)->write);
        assert_true(flm_query_json(v, flm_bytes_of(plain[i]), &out, NULL));
        if (i == 0) {
            flm_text_putc(&out, 0);
            assert_non_null(strstr(out.at, "search=tni0.pars"));
        }
        flm_text_clear(&out);
    }
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_its_first_word),
        cmocka_unit_test(what_is_no_question_is_refused),
        cmocka_unit_test(every_answer_is_json_in_every_view),
        cmocka_unit_test(every_member_of_an_answer_is_in_the_header),
        cmocka_unit_test(some_answers_are_plain_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
