#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/gate/gate_report.h"
#include "support/gate/verdicts.h"

enum { COMMENT_LIMIT = 65536 };

/* Lines of a table: cells are separated by bars that no backslash stands before. */
static void assert_tables_are_whole(const char *written)
{
    unsigned expected = 0;
    for (const char *line = written; *line; line += strcspn(line, "\n") + 1) {
        unsigned bars = 0;
        size_t size = strcspn(line, "\n");
        for (size_t i = 0; i < size; i++)
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
        if (line[0] != '|') {
            expected = 0;
            continue;
        }
        if (expected == 0)
            expected = bars;
        assert_int_equal(bars, expected);
    }
}

static void no_name_breaks_a_table_or_becomes_a_tag(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, verdict_of_odd_names, NULL);
    char *written = verdict_written(&v, FLM_REPORT_MARKDOWN);
    assert_tables_are_whole(written);
    assert_null(strchr(written, '\x1b'));
    assert_null(strchr(written, '\x01'));
    /* In a sentence it is escaped; in a table it is code, with one backtick more around it. */
    assert_non_null(strstr(written, "\\*bold\\*\\_it\\_\\[x\\](y)&#64;user\\#1 grew by"));
    assert_non_null(strstr(written, "`` main;a\\|b;`c`;<script>"));
    free(written);
    verdict_clear(&v);
}

/* Stacks of `depth` functions with a name of forty letters, each a little different. */
static char *deep_stacks(unsigned count, unsigned depth)
{
    struct flm_text text = {0};
    flm_text_puts(&text, "main;quiet 90000 90000\n");
    for (unsigned i = 0; i < count; i++) {
        flm_text_puts(&text, "main");
        for (unsigned k = 0; k < depth; k++)
            flm_text_format(&text, ";a_function_whose_name_has_forty_let_%u_%u", i, k);
        flm_text_puts(&text, " 1000 1500\n");
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static void it_always_fits_into_a_comment(void **state)
{
    (void)state;
    char *means = deep_stacks(30, 150);
    struct verdict v;
    verdict_init(&v, means, NULL);
    assert_true(v.gate.found.count >= 30);
    char *written = verdict_written(&v, FLM_REPORT_MARKDOWN);
    assert_true(strlen(written) >
                COMMENT_LIMIT / 2); /* full stacks, as many as there is room for */
    assert_true(strlen(written) < COMMENT_LIMIT);
    assert_non_null(strstr(written, "are too long for a comment."));
    assert_non_null(strstr(written, "<summary>Stacks in full</summary>"));
    assert_tables_are_whole(written);
    free(written);
    verdict_clear(&v);
    free(means);
}

/* Below each of `count` deep frames something moved. */
static char *deep_moves(unsigned count, unsigned depth)
{
    struct flm_text text = {0};
    flm_text_puts(&text, "main;quiet 90000 90000\n");
    for (unsigned i = 0; i < 2 * count; i++) {
        flm_text_puts(&text, "main");
        for (unsigned k = 0; k < depth; k++)
            flm_text_format(&text, ";a_<function>_whose_name_has_forty_let_%u_%u", i / 2, k);
        flm_text_puts(&text, i % 2 ? ";gives 1500 1000\n" : ";takes 1000 1500\n");
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static void it_fits_however_much_was_moved(void **state)
{
    (void)state;
    static const unsigned counts[] = {60, 400};
    for (int i = 0; i < 2; i++) {
        char *means = deep_moves(counts[i], i ? 20 : 100);
        struct verdict v;
        verdict_init(&v, means, NULL);
        assert_true(v.gate.moves.count >= counts[i] / 2);
        for (uint32_t rows = 0; rows <= 20; rows += 20) {
            v.report.rows = rows;
            char *written = verdict_written(&v, FLM_REPORT_MARKDOWN);
            assert_true(strlen(written) < COMMENT_LIMIT);
            assert_non_null(strstr(written, "Moved below "));
            assert_tables_are_whole(written);
            if (rows > 0)
                assert_non_null(strstr(written, "more frames below which something moved."));
            free(written);
        }
        verdict_clear(&v);
        free(means);
    }
}

static void short_stacks_are_written_once(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, "main;a 1000 1300\nmain;b 200 300\nmain;c 3000 3000\n", NULL);
    char *written = verdict_written(&v, FLM_REPORT_MARKDOWN);
    assert_null(strstr(written, "Stacks in full"));
    free(written);
    v.report.rows = 1;
    written = verdict_written(&v, FLM_REPORT_MARKDOWN);
    assert_non_null(strstr(written, "and 1 smaller change"));
    free(written);
    verdict_clear(&v);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_breaks_a_table_or_becomes_a_tag),
        cmocka_unit_test(it_always_fits_into_a_comment),
        cmocka_unit_test(it_fits_however_much_was_moved),
        cmocka_unit_test(short_stacks_are_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
