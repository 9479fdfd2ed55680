#include "format/text/internal.h"

#include "support/profile/format_laws.h"

static const struct flm_format *const xctrace = &flm_format_xctrace;

#define ROWS(rows) "<trace-query-result><node>" rows "</node></trace-query-result>"
#define STACK "<backtrace id='1'><frame id='2' name='f'/></backtrace>"

static void an_export_obeys_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(xctrace, "text_stacks/xctrace.xml");
}

static void references_are_the_values_that_they_name(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(xctrace, "text_stacks/xctrace.xml");
    assert_folded(p, " 1000000\n"
                     "start;main;0x18d3df0f1 3500000\n"
                     "start;main;std::vector<int>::push(int&) 2000000\n");
    assert_true(is_string(p, frame_named(p, "main")->module, "/srv/work"));
    assert_true(is_string(p, frame_named(p, "start")->module, "dyld"));
    assert_true(is_string(p, frame_named(p, "main")->file, "/srv/work.cpp"));
    assert_int_equal(frame_named(p, "main")->line, 0);
    assert_int_equal(frame_named(p, "0x18d3df0f1")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_true(frame_named(p, "0x18d3df0f1")->address == 0x18d3df0f1);
    flm_profile_free(p);
    struct flm_bytes bytes = file_bytes("text_stacks/xctrace.xml");
    p = read_bytes(xctrace, bytes, &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "main")->line, 25);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void each_table_has_what_it_measures(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(xctrace, "text_stacks/xctrace.xml");
    assert_int_equal(p->sizes.metric_count, 4);
    assert_metric(p, 0, "time", "ns", 6500000, 3);
    assert_metric(p, 1, "cycles", "cycles", 3200000, 1);
    /* The leaf is the first of its callers, too: one frame. */
    assert_metric(p, 2, "samples", "samples", 2, 2);
    assert_non_null(frame_named(p, "0x3000"));
    assert_metric(p, 3, "time (counters-profile)", "ns", 1000000, 1);
    assert_int_equal(lost(p, "rows without a stack or a weight", "line 20"), 1);
    assert_int_equal(
        lost(p, "rows with counters (pmc-events), whose names are not in the file", "line 17"), 1);
    flm_profile_free(p);
    p = read_text(xctrace, ROWS("<row><kperf-bt><text-addresses>8192 12288 0</text-addresses>"
                                "<text-address>8192</text-address></kperf-bt></row>"));
    assert_folded(p, "0x3000;0x2000 1\n");
    flm_profile_free(p);
}

static void samples_have_times_and_threads(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/xctrace.xml");
    struct flm_profile *p =
        read_bytes(xctrace, bytes, &(struct flm_read_options){.keep_times = true});
    assert_true(p->sizes.sample_count == 9 && p->sample_time[0] == 57246708);
    char *text = described(p);
    static const char *const labels[] = {"\"thread name\"=\"worker 1\"",  "\"thread\"=\"8683714\"",
                                         "\"process name\"=\"work (x)\"", "\"process\"=\"4937\"",
                                         "\"state\"=\"Blocked\"",         "\"cpu\"=\"5\""};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strstr(text, labels[i]))
            fail_msg("%s is not in:\n%s", labels[i], text);
    free(text);
    flm_profile_free(p);
    p = read_bytes(xctrace, bytes, &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "work (x) (4937);main  0x8480c1 1000000\n"
                     "work (x) (4937);main  0x8480c1;start;main;"
                     "std::vector<int>::push(int&) 2000000\n"
                     "work (x) (4937);worker 1  0x8480c2;start;main;0x18d3df0f1 3500000\n");
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void what_is_no_export_is_refused(void **state)
{
    (void)state;
    assert_refused(xctrace, "<trace-query-result>\n</trace-query-result>", 0,
                   "it has no rows with a stack or a weight");
    assert_refused(xctrace, ROWS("\n<row><backtrace ref='7'/></row>"), 2,
                   "the \"ref\" of this element is the \"id\" of none before it");
    assert_refused(xctrace, ROWS("<row>" STACK "</row><row><backtrace ref='2'/></row>"), 1,
                   "the \"ref\" of this element is the \"id\" of none before it");
    assert_refused(xctrace, ROWS("<row>" STACK STACK "</row>"), 1,
                   "an element has the \"id\" of another one");
    assert_refused(xctrace, ROWS("<row><weight id='a'>1</weight></row>"), 1,
                   "the \"id\" of this element is not a number");
    assert_refused(xctrace, ROWS("<row><weight>-1</weight></row>"), 1,
                   "a weight that is not a number");
    assert_refused(xctrace, ROWS("<row>") "", 1, "where <row> of line 1 is open");
    assert_int_equal(xctrace->sniff(flm_bytes_of("<?xml version=\"1.0\"?><a/>"), true), 0);
}

static void frames_without_a_name_have_that_of_their_address(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        xctrace, ROWS("<row><backtrace><frame addr='0x10'/><frame><binary name='l.so'/></frame>"
                      "<frame/></backtrace></row>"));
    assert_folded(p, "[unknown];[l.so];0x10 1\n");
    flm_profile_free(p);
}

/* Each backtrace may refer to the same list, and has a copy of it. */
static void callers_beyond_the_1024th_are_counted(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "<trace-query-result><node><row><weight>1</weight><kperf-bt>"
                         "<text-address>7</text-address><text-addresses>");
    for (int i = 0; i < 1100; i++)
        flm_text_format(&text, "%d ", 1000 + i);
    flm_text_puts(&text, "</text-addresses></kperf-bt></row></node></trace-query-result>");
    flm_text_putc(&text, 0);
    struct flm_profile *p = read_text(xctrace, text.at);
    assert_true(lost(p, "outer frames of backtraces with more than 1,024 addresses", "line 1") ==
                1);
    assert_int_equal(p->sizes.node_count, 1 + 1 + 1024);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_little_memory(
        xctrace,
        flm_bytes_of(
            ROWS("<row><sample-time id='3'>5</sample-time><thread id='4' fmt='m  0x5 (a, pid: 1)'>"
                 "<tid id='5'>5</tid><process id='6' fmt='a (1)'/></thread><weight>1</weight>" STACK
                 "</row><row><kperf-bt><text-address>1</text-address></kperf-bt></row>")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_obeys_the_laws_of_readers),
        cmocka_unit_test(references_are_the_values_that_they_name),
        cmocka_unit_test(each_table_has_what_it_measures),
        cmocka_unit_test(samples_have_times_and_threads),
        cmocka_unit_test(what_is_no_export_is_refused),
        cmocka_unit_test(frames_without_a_name_have_that_of_their_address),
        cmocka_unit_test(callers_beyond_the_1024th_are_counted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
