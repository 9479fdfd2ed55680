#include "format/folded/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "format/core/format.h"

static int sniff(const char *text)
{
    return flm_folded_sniff(flm_bytes_of(text), true);
}

static void accepts(const char *text)
{
    if (sniff(text) < FLM_SNIFF_POSSIBLE)
        fail_msg("'%.100s' is not recognized", text);
}

static void refuses(const char *text, const char *reason)
{
    struct flm_text why = {0};
    if (sniff(text) != FLM_SNIFF_NO)
        fail_msg("'%.100s' is recognized", text);
    flm_folded_explain(flm_bytes_of(text), true, &why);
    flm_text_putc(&why, 0);
    if (!strstr(why.at, reason))
        fail_msg("'%.100s': %s", text, why.at);
    flm_text_clear(&why);
}

static void stacks_are_recognized(void **state)
{
    (void)state;
    accepts("main;read 10\n");
    accepts("main 10\nfoo 5\n");
    accepts("main 10\r\n\r\nfoo 5\r\n");
    accepts("# rate 99\nmain 1.5\n");
    accepts("main;a 1\nmain;b\nmain;c 2\n"); /* the reader counts a line without a value */
    accepts("main;a 1 2\nmain 3 4\n");
    accepts("main 3 4\nidle 4 5\n");
    accepts("operator new(unsigned long) 7\nstd::map<int, int> 3\n[unknown] 2\n<module> 1\n");
    accepts("operator= 7\noperator| 3\nvoid f(int): 4\n");
    accepts("P1;T0:2;a 4\nVM Thread 12\nGC Thread#0 5\nmain loop 2 3\n");
    accepts("a;b inf\n");
    accepts("{{closure}};x 4\n");
    accepts(" 12\nmain;a 3\n");
    assert_true(sniff("main;read 10\n") > sniff("main 10\n"));
}

static void one_other_line_in_ten_is_allowed(void **state)
{
    (void)state;
    accepts("a 1\nb 1\nc 1\nd 1\ne 1\nf 1\ng 1\nh 1\ni 1\nnothing here\n");
    refuses("a 1\nb 1\nc 1\nd 1\ne 1\nf 1\ng 1\nh 1\nnothing here\n",
            "line 9, 'nothing here', does");
    accepts("main;x 1\nnothing here\n"); /* and one with stacks of several frames */
    refuses("main;x 1\nnothing here\nnor here\n", "line 2, 'nothing here'");
}

static void a_third_may_be_stray_lines_between_stacks_that_can_be_nothing_else(void **state)
{
    (void)state;
    accepts("# a\n// b\na;b;c 1\na;b;c 1\na;b;d 4\na;b;c 3\na;b 5\ninvalid line\n");
    accepts("stack and samples\n\nmain;a 1\nmain;b 2\nTHIS IS BAD\nmain;c_[k] 3\nmain;d 4\n");
    refuses("main;a 1\nmain;b 2\nx y\nmain;c 3\nz y\n", "line 3, 'x y'"); /* only three stacks */
    refuses("main;a 1\nmain;b 2\nx y\nmain;c 3\nmain;d 3\nz y\ny z\n", "line 3, 'x y'");
    refuses("x; go on 1\nx; go on 2\nx y\nx; go on 3\nx; go on 3\nz y\n", "line 3, 'x y'");
    refuses("a;b 1\na;b 2\na;b 3\na;b 4\n10:02:07 took 4\n10:02:08 took 5\n", "as those of a log");
}

static void other_texts_are_refused_with_their_first_line_that_is_no_stack(void **state)
{
    (void)state;
    refuses("MemTotal:       24684096 kB\nHugePages_Total:       0\n",
            "line 1, 'MemTotal: 24684096 kB', does not");
    refuses("ERROR: retries 5\nINFO: done 3\n",
            "line 1, 'ERROR: retries 5', ends in one, after words that are no stack");
    refuses("HugePages_Total:       0\nHugePages_Free:        0\n", "line 1, 'HugePages_Total: 0'");
    refuses("# Internet services\n\nhttp\t\t80/tcp\t\t# WWW\n", "line 3, 'http 80/tcp # WWW'");
    refuses("root:x:0:0:root:/root:/bin/bash\n", "line 1, 'root:x:0:0");
    refuses("version: 1\nevents: Ir\n\nfn=(1) main\n16 400\n+3 20\n", "line 1, 'version: 1'");
    refuses("16 400\n17 20\n", "line 1, '16 400'");
    refuses("cpu  10 20 30\nintr 5 6 7\n", "line 1, 'cpu 10 20 30'");
    refuses("0.52 0.58 0.59 1/467 26472\n", "line 1");
    refuses("proc /proc proc rw 0 0\n", "line 1");
    refuses("Debian GNU/Linux 12\n", "line 1");
    refuses("name, file, 3\nother, file, 4\n", "line 1");
    refuses("x = 5\ny = 6\n", "line 1, 'x = 5'");
    refuses("port: 8080\n", "line 1");
    refuses("| a | 5\n", "line 1");
    refuses("int main(void)\n{\n    return 0;\n}\n", "line 1, 'int main(void)'");
    refuses("{ \"a\": 5\n", "line 1");
    refuses("  12  34 567 README.md\n", "line 1, '12 34 567 README.md'");
    refuses(
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4x\xC3\xA4 is prose\n",
        "\xC3\xA4x...', does not");
    assert_int_equal(sniff(""), FLM_SNIFF_NO);
    assert_int_equal(sniff("# only\n# comments\n"), FLM_SNIFF_NO);
}

/* Ten of a line. */
static void refuses_lines(const char *line, const char *reason)
{
    struct flm_text text = {0};
    for (int i = 0; i < 10; i++)
        flm_text_puts(&text, line);
    flm_text_putc(&text, 0);
    refuses(text.at, reason);
    flm_text_clear(&text);
}

static void accepts_lines(const char *line)
{
    struct flm_text text = {0};
    for (int i = 0; i < 20; i++)
        flm_text_puts(&text, line);
    flm_text_putc(&text, 0);
    accepts(text.at);
    flm_text_clear(&text);
}

static void lines_that_end_in_numbers_may_be_of_something_else(void **state)
{
    (void)state;
    const char *log = "begins with a time", *table = "is that of a table (CSV)";
    const char *code = "is source code", *metrics = "is of metrics";
    refuses_lines("10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a;b\" 200 2326\n", log);
    refuses_lines("2024-01-01T10:00:01.123Z INFO done; took 42\n", log);
    refuses_lines("Jan 01 10:00:01 host sshd[12]: closed by 1.2.3.4 port 1001\n", log);
    refuses_lines("\"a b\";\"c\";1 5\n", table);
    refuses_lines("foo,bar,1 7\n", table);
    refuses_lines("name;1;abc 1\n", table);
    refuses_lines("2024-01-01;10:00:01;host;value 1\n", table);
    refuses_lines("a;1;b\n", table);
    refuses_lines("    x = 1; /* y */ z 5\n", code);
    refuses_lines("case 1: return 1; // line 1\n", code);
    refuses_lines("INSERT INTO a VALUES (1, 'b;c'); -- row 1\n", code);
    refuses_lines("http_requests_total{method=\"post\"} 12\n", metrics);
    refuses_lines("servers.web.load;dc=eu 1.5 1699999999\n", metrics);
    refuses_lines("http_requests_total{method=\"post\"} 12 1395066363000\n", metrics);
    refuses("# HELP up Whether it is\nup 1\n", "line 1, '# HELP up Whether it is', is of metrics");
}

static void stacks_may_look_a_little_like_something_else(void **state)
{
    (void)state;
    accepts_lines("1234;main;f 5\n");             /* a process */
    accepts_lines("java;1234 5\n");               /* and behind its command */
    accepts_lines("10:02:07;main;f 5\n");         /* a second of a recording */
    accepts_lines("main;f 5 1699999999999999\n"); /* two large values */
    accepts_lines("main;(anonymous) app.js:12:34;std::map<int, int>::at 5\n");
    accepts_lines("work;f 5\n, work_fp 1\n"); /* stackcollapse-bpftrace.pl makes it */
    accepts_lines("main;operator, 5\n");
    accepts_lines("std::pair<int, int> f(int, char) 5\n");
    accepts_lines("a b;c d;e -- f 5\n");
    accepts_lines("main; f; g 5\n");
    accepts("main;1;f 5\nmain;1 5\nmain;1;f;g 5\n");
}

static void stacks_without_any_value_are_left_to_the_reader(void **state)
{
    (void)state;
    assert_true(sniff("main;a\nmain;b\n") > FLM_SNIFF_NO);
    assert_true(sniff("main;a\nmain;b\n") < FLM_SNIFF_GUESS);
    refuses("main;a\nmain;b\nmain;c 1\n", "line 1, 'main;a'"); /* more than half */
}

static void a_head_may_end_within_a_line(void **state)
{
    (void)state;
    assert_true(flm_folded_sniff(flm_bytes_of("main;read 10\nmain;wri"), false) >= 30);
    assert_true(flm_folded_sniff(flm_bytes_of("main;a;long;line"), false) >= 30);
    assert_int_equal(flm_folded_sniff(flm_bytes_of("a long line without"), false), FLM_SNIFF_NO);
    struct flm_text why = {0};
    flm_folded_explain(flm_bytes_of("a long line without"), false, &why);
    assert_true(why.size > 0);
    flm_text_clear(&why);
}

static void columns_are_those_that_every_line_has(void **state)
{
    (void)state;
    assert_int_equal(flm_folded_columns(flm_bytes_of("a;b 1 2\nc 3 4\n")), 2);
    assert_int_equal(flm_folded_columns(flm_bytes_of("a;b 1 2\nc 4\n")), 1);
    assert_int_equal(flm_folded_columns(flm_bytes_of("a;b\n")), 1);
    assert_int_equal(flm_folded_columns(flm_bytes_of("")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_recognized),
        cmocka_unit_test(one_other_line_in_ten_is_allowed),
        cmocka_unit_test(a_third_may_be_stray_lines_between_stacks_that_can_be_nothing_else),
        cmocka_unit_test(other_texts_are_refused_with_their_first_line_that_is_no_stack),
        cmocka_unit_test(lines_that_end_in_numbers_may_be_of_something_else),
        cmocka_unit_test(stacks_may_look_a_little_like_something_else),
        cmocka_unit_test(stacks_without_any_value_are_left_to_the_reader),
        cmocka_unit_test(a_head_may_end_within_a_line),
        cmocka_unit_test(columns_are_those_that_every_line_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
