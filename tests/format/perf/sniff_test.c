#include "format/perf/internal.h"

#include "support/profile/perf_reading.h"

static int sniff(const char *text)
{
    return flm_perf_script_sniff(flm_bytes_of(text), true);
}

static void a_header_and_a_frame_are_perf_script(void **state)
{
    (void)state;
    assert_int_equal(sniff("w 1 1.0: 1 cycles:\n\t10 x (/x)\n\n"), 90);
    assert_int_equal(sniff("# a comment\n\n\nw 1 1.0:\n    10 x (/x)\n\n"), 90);
    assert_int_equal(sniff("Processed 3 events\nw 1 1.0: cycles:\n\t10 x\n"), 90);
    assert_int_equal(sniff("w 1 \n\t            1000 x\n\n"), 70);
    assert_int_equal(sniff("w 1 \n\t            1000 [unknown]\n\n"), 70);
    assert_int_equal(sniff("  w 1 1.0:  ffffffff816b9733 read\n"), 60);
    assert_int_equal(sniff("java 1 cycles:\nffffffff8103d0ca f ([kernel.kallsyms])\n"), 70);
    assert_int_equal(sniff("  w 1 1.0: 1 cycles:  ffffffff816b9733 read (/x)\n"), 60);
    assert_int_equal(sniff("  w 1 cycles:  ffffffff816b9733 read (/x)\n"), 70);
}

static void a_head_of_comments_alone_is_a_hint(void **state)
{
    (void)state;
    assert_int_equal(sniff("# ========\n# captured on: Tue\n# hostname : box\n"), 50);
    assert_int_equal(sniff("# just a comment\n"), 0);
}

static void the_last_line_of_a_head_may_be_cut(void **state)
{
    (void)state;
    struct flm_bytes head = flm_bytes_of("w 1 1.0: 1 cycles:\n\t10 x (/x)\n\t20 y (/");
    assert_int_equal(flm_perf_script_sniff(head, false), 90);
    head = flm_bytes_of("w 1 1.0: 1 cyc");
    assert_int_equal(flm_perf_script_sniff(head, false), 0);
}

static void other_texts_are_not_perf_script(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "\n\n",
        "main;parse;read 42\nmain 7\n",
        "a 1\nb 2\n",
        "java;a 1.5: 12\n",
        "{\"samples\": []}\n",
        "Full thread dump\n\n\"main\" #1 prio=5\n\tat java.lang.Object.wait(Object.java)\n",
        "  0  75603 :tick-60s\n\n              libc.so.1`_xstat+0x10\n              a`main+0x5\n",
        "heap profile: 1: 2 [3: 4] @ heap/1\n 19490304 27 @ 0xbccc97 0xc61202\n",
        "Call graph:\n    2796 Thread_1\n      2796 start  (in libdyld.dylib) + 1  [0x7fff]\n",
        "17,12 (28.7%)\nfunction 12\n  10 x\n",
        "The example:\nw 1 1.0: 1 cycles:\n\nis\nread\nas\none\nsample\nof perf.\n",
        "Limit  Soft  Hard  Units\nstack  8388608  unlimited  bytes\ncore  0  unlimited  bytes\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (sniff(others[i]) != 0)
            fail_msg("'%s' looks like perf script: %d", others[i], sniff(others[i]));
}

static size_t cut(const char *text, size_t wanted)
{
    return flm_perf_script_cut(flm_bytes_of(text), wanted);
}

static void a_text_is_cut_after_blank_lines(void **state)
{
    (void)state;
    static const char text[] = "a 1\n\t10 x\n\nb 2\n\t10 x\n\n";
    assert_int_equal(cut(text, 0), 11);
    assert_int_equal(cut(text, 10), 11);
    assert_int_equal(cut(text, 11), sizeof text - 1);
    assert_int_equal(cut("a 1\r\n\t10 x\r\n\r\nb 2\r\n", 0), 14);
    assert_int_equal(cut("", 0), 0);
    assert_int_equal(cut("no line", 3), 7);
}

static void a_text_is_cut_in_front_of_headers(void **state)
{
    (void)state;
    static const char text[] = "a 1 1.0: c: x\n\t10 y 1.5: z\nb 2 2.0: c: x\n";
    assert_int_equal(cut(text, 0), 27);
    assert_int_equal(cut(text, 26), 27);
    assert_int_equal(cut(text, 27), sizeof text - 1);
}

static void a_comment_is_no_header_whatever_it_says(void **state)
{
    (void)state;
    static const char text[] = "a 1 1.0: c:\n# name = 12.5: d:\n\t10 x\n";
    assert_int_equal(cut(text, 0), sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_and_a_frame_are_perf_script),
        cmocka_unit_test(a_head_of_comments_alone_is_a_hint),
        cmocka_unit_test(the_last_line_of_a_head_may_be_cut),
        cmocka_unit_test(other_texts_are_not_perf_script),
        cmocka_unit_test(a_text_is_cut_after_blank_lines),
        cmocka_unit_test(a_text_is_cut_in_front_of_headers),
        cmocka_unit_test(a_comment_is_no_header_whatever_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
