#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/gate/gate_report.h"
#include "support/gate/verdicts.h"

/* A reader of XML that knows what is allowed, and nothing else: elements, attributes in double
 * quotes, entities. It counts elements, and fails where one is closed that is not open. */
struct reading {
    const char *at;
    const char *open[8];
    size_t depth;
    unsigned suites, cases, failures, errors, properties;
};

static size_t name_size(const char *at)
{
    size_t size = 0;
    while (islower((unsigned char)at[size]))
        size++;
    assert_true(size > 0);
    return size;
}

static void skip_text(struct reading *r, char until)
{
    for (; *r->at && *r->at != until; r->at++) {
        assert_true(*r->at != '<' && *r->at != '>');
        assert_true((unsigned char)*r->at >= 32 || (until == '<' && *r->at == '\n'));
        if (*r->at == '&')
            assert_true(strncmp(r->at, "&amp;", 5) == 0 || strncmp(r->at, "&lt;", 4) == 0 ||
                        strncmp(r->at, "&gt;", 4) == 0 || strncmp(r->at, "&quot;", 6) == 0);
    }
}

static void read_attributes(struct reading *r)
{
    while (*r->at == ' ') {
        r->at++;
        r->at += name_size(r->at);
        assert_true(strncmp(r->at, "=\"", 2) == 0);
        r->at += 2;
        skip_text(r, '"');
        assert_int_equal(*r->at++, '"');
    }
}

static bool is(const char *at, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(at, name, size) == 0;
}

/* Which element may be in which, as the common schema of Jenkins has it. */
static void count(struct reading *r, const char *name, size_t size)
{
    const char *in = r->depth > 0 ? r->open[r->depth - 1] : "";
    const char *expected = is(name, size, "testsuites")  ? ""
                           : is(name, size, "testsuite") ? "testsuites"
                           : is(name, size, "properties") || is(name, size, "testcase")
                               ? "testsuite"
                           : is(name, size, "property") ? "properties"
                                                        : "testcase";
    assert_true(strlen(in) >= strlen(expected) && memcmp(in, expected, strlen(expected)) == 0);
    r->suites += is(name, size, "testsuite");
    r->cases += is(name, size, "testcase");
    r->failures += is(name, size, "failure");
    r->errors += is(name, size, "error");
    r->properties += is(name, size, "properties");
    if (is(name, size, "properties"))
        assert_int_equal(r->cases, 0);
}

static void read_element(struct reading *r)
{
    if (r->at[1] == '/') {
        const char *name = r->at + 2;
        size_t size = name_size(name);
        assert_true(r->depth > 0);
        assert_memory_equal(r->open[--r->depth], name, size);
        r->at = name + size;
        assert_int_equal(*r->at++, '>');
        return;
    }
    const char *name = r->at + 1;
    size_t size = name_size(name);
    count(r, name, size);
    r->at = name + size;
    read_attributes(r);
    if (*r->at == '/') {
        assert_int_equal(r->at[1], '>');
        r->at += 2;
        return;
    }
    assert_int_equal(*r->at++, '>');
    assert_true(r->depth < sizeof r->open / sizeof r->open[0]);
    r->open[r->depth++] = name;
}

static struct reading read_written(const char *written)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    struct reading r = {.at = written + sizeof head - 1};
    assert_memory_equal(written, head, sizeof head - 1);
    while (*r.at) {
        if (*r.at == '<')
            read_element(&r);
        else
            skip_text(&r, '<');
    }
    assert_int_equal(r.depth, 0);
    assert_int_equal(r.suites, 1);
    assert_int_equal(r.properties, 1);
    return r;
}

/* What the head says of its cases is so. */
static void assert_counts(const char *written, unsigned cases, unsigned failures, unsigned errors)
{
    struct flm_text head = {0};
    struct reading r = read_written(written);
    assert_int_equal(r.cases, cases);
    assert_int_equal(r.failures, failures);
    assert_int_equal(r.errors, errors);
    flm_text_format(&head,
                    "<testsuite name=\"flamel gate\" tests=\"%u\" failures=\"%u\" errors=\"%u\"",
                    cases, failures, errors);
    flm_text_putc(&head, 0);
    assert_non_null(strstr(written, head.at));
    flm_text_clear(&head);
}

static void each_failing_item_is_a_failure_and_so_is_the_total(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, "main;a 1000 1300\nmain;b 200 300\nmain;c 3000 3000\nmain;d 200 100\n", NULL);
    char *written = verdict_written(&v, VERDICT_JUNIT);
    assert_counts(written, 3, 3, 0);
    assert_non_null(strstr(written, "name=\"main;a\""));
    assert_null(strstr(written, "name=\"main;d\"")); /* it shrank */
    free(written);
    verdict_clear(&v);
}

static void a_gate_that_passes_has_cases_that_pass(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, "main;a 1000 1000\nmain;b 200 200\n", NULL);
    char *written = verdict_written(&v, VERDICT_JUNIT);
    assert_counts(written, 2, 0, 0);
    free(written);
    verdict_clear(&v);
}

static void what_could_not_be_decided_is_an_error(void **state)
{
    (void)state;
    struct flm_gate_options how = flm_gate_defaults();
    struct verdict v;
    how.require_mde = 0.0001;
    verdict_init(&v, "main;a 1000 1000\nmain;b 200 200\n", &how);
    char *written = verdict_written(&v, VERDICT_JUNIT);
    assert_counts(written, 2, 0, 1);
    free(written);
    verdict_clear(&v);
}

static void any_name_is_valid_xml(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, verdict_of_odd_names, NULL);
    char *written = verdict_written(&v, VERDICT_JUNIT);
    assert_counts(written, 2, 2, 0);
    assert_null(strchr(written, 0x1b));
    assert_non_null(strstr(written, "&lt;script&gt;&amp;amp;&quot;q&quot;"));
    free(written);
    verdict_clear(&v);
}

/* ---- The test of the paper ------------------------------------------------------------------- */

static char *written_of_paper(const char *means, enum flm_verdict expected)
{
    struct flm_paper_options how = flm_paper_defaults();
    struct flm_text text = {0};
    struct flm_error why = {0};
    struct flm_paper paper;
    struct verdict v;
    verdict_init(&v, means, NULL);
    if (!flm_paper_init(&paper, &v.runs, &how, &why))
        fail_msg("%s", why.text);
    assert_int_equal(paper.verdict, expected);
    flm_paper_junit(&v.runs, &paper, &how, &text);
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    flm_paper_clear(&paper);
    verdict_clear(&v);
    return text.at;
}

static void each_stack_that_fails_by_the_paper_is_a_failure(void **state)
{
    (void)state;
    char *written = written_of_paper(
        "main;a 1000 1300\nmain;b 200 300\nmain;c 3000 3000\nmain;d 200 100\n", FLM_VERDICT_FAIL);
    assert_counts(written, 3, 2, 0);
    assert_non_null(strstr(written, "name=\"method\" value=\"paper\""));
    assert_non_null(strstr(written, "name=\"main;a\""));
    assert_non_null(strstr(written, "name=\"main;b\""));
    assert_null(strstr(written, "name=\"main;d\"")); /* it shrank */
    free(written);
    written = written_of_paper("main;a 1000 1000\nmain;b 200 150\n", FLM_VERDICT_PASS);
    assert_counts(written, 2, 0, 0);
    free(written);
    written = written_of_paper(verdict_of_odd_names, FLM_VERDICT_FAIL);
    assert_counts(written, 2, 1, 0);
    assert_null(strchr(written, 0x1b));
    assert_non_null(strstr(written, "&lt;script&gt;&amp;amp;&quot;q&quot;"));
    free(written);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_item_is_a_failure_and_so_is_the_total),
        cmocka_unit_test(a_gate_that_passes_has_cases_that_pass),
        cmocka_unit_test(what_could_not_be_decided_is_an_error),
        cmocka_unit_test(any_name_is_valid_xml),
        cmocka_unit_test(each_stack_that_fails_by_the_paper_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
