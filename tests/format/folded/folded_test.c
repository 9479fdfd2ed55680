#include "format/folded/folded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "format/folded/plain_reader.h"
#include "support/core/files.h"

/* ---- Lines that are read --------------------------------------------------------------------- */

static void a_line_is_a_stack_and_its_value(void **state)
{
    (void)state;
    reads("main;read 10\nmain 2\n", "main 2\nmain;read 10\n");
    reads("main;read 10\nmain;read 5\nmain;read 1", "main;read 16\n");
    reads("single 9\n", "single 9\n");
    reads(" 12\nmain 1\n", " 12\nmain 1\n"); /* the empty stack */
    reads("", "");
    reads("\n\n", "");
}

static void names_may_hold_anything_but_their_separators(void **state)
{
    (void)state;
    reads("main;operator new(unsigned long) 7\n", "main;operator new(unsigned long) 7\n");
    reads("a b c;d e 1\n", "a b c;d e 1\n");
    reads("main;\xC3\xBCn\xC3\xAF;\xF0\x9F\x94\xA5 8\n",
          "main;\xC3\xBCn\xC3\xAF;\xF0\x9F\x94\xA5 8\n");
    reads("main;\xFF\xFE 8\n", "main;\xFF\xFE 8\n");
    reads("main;a.b(Foo.java:12) 3\n", "main;a.b(Foo.java:12) 3\n");
    reads("a#b 1\nx;#c 2\n", "a#b 1\nx;#c 2\n");
}

static void names_may_be_empty(void **state)
{
    (void)state;
    reads("main;;b 1\n", "main;;b 1\n");
    reads(";main 1\n", ";main 1\n");
    reads("main; 1\n", "main; 1\n");
    reads("; 1\n", "; 1\n");
    reads(";; 2\n;; 3\n;;x 1\n", ";; 5\n;;x 1\n");
}

static void values_are_integers_and_fractions(void **state)
{
    (void)state;
    reads("a 0.5\na 1.25\n", "a 1.75\n");
    reads("a 1e3\n", "a 1000\n");
    reads("a +7\n", "a 7\n");
    reads("a 007\n", "a 7\n");
    reads("a 9007199254740991\n", "a 9007199254740991\n");
    reads("a 123456789012345\nb 1234567890123456\n", "a 123456789012345\nb 1234567890123456\n");
    reads("a 0\nb 0.0\nc -0\nd 1\n", "d 1\n");
}

static void blanks_around_the_value_do_not_count(void **state)
{
    (void)state;
    reads("main;trailing 7   \n", "main;trailing 7\n");
    reads("main;padded     7\n", "main;padded 7\n");
    reads("main;tab\t7\n", "main;tab 7\n");
    reads("\tmain;leading 2\n", "\tmain;leading 2\n");
}

static void line_ends_of_other_systems_do_not_count(void **state)
{
    (void)state;
    reads("a;b 3\r\na;c 4\r\n\r\na;d 5", "a;b 3\na;c 4\na;d 5\n");
    reads("a;b 3\r\na;b 4\n", "a;b 7\n");
}

static void comments_are_skipped(void **state)
{
    (void)state;
    reads("# austin: 3.7.0\n# duration: 12345\n\na 2\n#b 3\n", "a 2\n");
    reads("a;b 1\n# a;b 2\na;b 4\n", "a;b 5\n");
}

/* How many nodes are labels, read with --by-thread. */
static unsigned labels_in(const char *text)
{
    struct flm_read_options options = {.by_thread = true};
    struct flm_profile *p = read_every_way(flm_bytes_of(text), &options);
    assert_folded(p, text);
    unsigned labels = 0;
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        labels += p->frames[p->node_frame[i]].kind == FLM_KIND_LABEL;
    flm_profile_free(p);
    return labels;
}

static void frames_for_processes_and_threads_of_austin_are_labels(void **state)
{
    (void)state;
    assert_int_equal(labels_in("P31;T0:32 9\nP31;T0:32;main 2\nP31;T0:32;main;run 4\n"), 2);
    assert_int_equal(labels_in("P31;T7;main 2\nP31;T8;main 2\nP32;T8;main 1\n"), 5);
    /* Only both together, at the root, and numbers. */
    assert_int_equal(labels_in("P31 3\nP31;main 4\nT0:32;main 2\nmain;P31;T0:32 9\n"), 0);
    assert_int_equal(labels_in("P3:4;T4;a 1\nP3;T4:;a 1\nP3;T:4;a 1\nP3;T;a 1\nP;T0:3;a 1\n"), 0);
}

static const char of_austin[] = "P31;T0:32 9\nP31;T0:32;main;run;a 1\nP31;T0:32;main;run;a;b 4\n"
                                "P31;T0:32;main;run;a;c 5\nP31;T0:32;main 2\nP31;T0:33;main 3\n"
                                "P32;T1:7;main;run 6\nP32;main 1\nmain;x 8\nP32;T1:7 7\n"
                                "P32;T1:7;main;run 6\nP32;T1:7;y 1\nP32 5\n 4\nP3;T1 2\n";

static void processes_and_threads_of_austin_are_no_part_of_a_stack(void **state)
{
    (void)state;
    struct flm_profile *p = read_every_way(flm_bytes_of(of_austin), &(struct flm_read_options){0});
    assert_folded(p, " 22\nP32 5\nP32;main 1\nmain 5\nmain;run 12\nmain;run;a 1\nmain;run;a;b 4\n"
                     "main;run;a;c 5\nmain;x 8\ny 1\n");
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);
    /* What is left does not begin so either. */
    p = read_every_way(flm_bytes_of("P1;T2;P3;T4;a 1\nP1;T2;P3;x 2\nP1;T2;P3;T4;P5;T6;b 3\n"
                                    "P1;T2;P3;T4 4\nP1;T2;P3 5\nP1;T2;P3;T4;a;c 6\n"
                                    "P1;T2;P3;T5;a;c 7\n"),
                       &(struct flm_read_options){0});
    assert_folded(p, " 4\nP3 5\nP3;x 2\na 1\na;c 13\nb 3\n");
    flm_profile_free(p);
}

static void processes_and_threads_of_austin_are_labels_of_samples(void **state)
{
    (void)state;
    struct flm_read_options options = {.keep_times = true};
    struct flm_profile *p = read_every_way(flm_bytes_of(of_austin), &options);
    assert_int_equal(p->sizes.sample_count, 11);
    char *text = described(p);
    assert_non_null(strstr(text, "5 \"process\"=\"31\" \"thread\"=\"32\""));
    assert_non_null(strstr(text, "6 \"process\"=\"32\" \"thread\"=\"7\""));
    assert_non_null(strstr(text, "2 \"process\"=\"3\" \"thread\"=\"1\""));
    free(text);
    /* What has no thread is no sample: "P32;main", "main;x", "P32" and the empty stack. */
    assert_true(unsampled(p) == 1 + 8 + 5 + 4);
    flm_profile_free(p);
    options.columns = 2;
    p = read_every_way(flm_bytes_of("P1;T0:2;a 1 2\nP1;T0:3;a 3 4\n"), &options);
    assert_int_equal(p->sizes.sample_count, 2);
    assert_true(unsampled(p) == 0);
    flm_profile_free(p);
}

static void marks_after_names_are_kinds(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of("main;k_[k];i_[i];j_[j];t_[1];s_[0];w_[w];g_[g];x_[x];y_[kk];_[k] 1\n");
    static const uint32_t kinds[] = {0,
                                     FLM_KIND_KERNEL,
                                     FLM_KIND_INLINED,
                                     FLM_KIND_JIT,
                                     FLM_KIND_JIT_TIER1,
                                     FLM_KIND_INTERPRETED,
                                     FLM_KIND_WAKER,
                                     FLM_KIND_GPU,
                                     0,
                                     0,
                                     FLM_KIND_KERNEL};
    for (uint32_t i = 0; i < 11; i++)
        assert_int_equal(p->frames[p->node_frame[i + 1]].kind, kinds[i]);
    assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[9]), "x_[x]"));
    assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[11]), ""));
    assert_int_equal(p->sizes.note_count, 1);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->notes[0].key), FLM_NOTE_ANNOTATED));
    flm_profile_free(p);
    p = profile_of("main;x_[x] 1\n");
    assert_int_equal(p->sizes.note_count, 0);
    flm_profile_free(p);
    reads("a_[k] 1\na 2\na_[k];b 3\n", "a 2\na_[k] 1\na_[k];b 3\n");
}

static void names_that_stand_for_addresses_are_marked(void **state)
{
    (void)state;
    static const char *const names[] = {"[unknown]", "0x7f12aB", "[libc.so.6]", "[[vdso]]", "[.so]",
                                        /* and those that do not */
                                        "[kernel]", "0x", "0xg", "0x12 ", "x0x12", "[]", "[[]",
                                        "[libc.so.6", "libc.so.6", "unknown", "0", "[unknown] "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[100];
        snprintf(line, sizeof line, "%s;x 1\n", names[i]);
        struct flm_profile *p = profile_of(line);
        assert_int_equal(p->frames[p->node_frame[1]].flags,
                         i < 5 || strcmp(names[i], "[[]") == 0 ? FLM_FRAME_UNSYMBOLIZED : 0);
        flm_profile_free(p);
        agrees(flm_bytes_of(line), 1);
    }
}

static void marks_and_letters_belong_together(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) {
        char mark = flm_folded_mark(kind);
        if (mark)
            assert_int_equal(flm_folded_kind(mark), kind);
    }
    assert_int_equal(flm_folded_mark(FLM_KIND_PLAIN), 0);
    assert_int_equal(flm_folded_kind('x'), FLM_KIND_COUNT);
    assert_int_equal(flm_folded_kind(0), FLM_KIND_COUNT);
}

static void two_values_are_before_and_after(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("main;a 40 44\nmain;b 0 3\nmain;c 2 0\nmain;a 1 1\n");
    char *text = described(p);
    assert_non_null(strstr(text, "metric \"after\" in \"samples\"\nmetric \"before\" in"));
    assert_non_null(strstr(text, "\"a\" plain 45 41\n"));
    assert_non_null(strstr(text, "\"b\" plain 3 0\n"));
    assert_non_null(strstr(text, "\"c\" plain 0 2\n"));
    free(text);
    flm_profile_free(p);
    agrees(flm_bytes_of("a;b 1 2\na;b 3\na;b  4   5\n# 1 2\n;; 1 2\n 3 4\na;b 1;2 3\n"), 2);
}

static int columns_of(const char *head)
{
    struct flm_read_options options = {0};
    flm_format_folded.prepare(flm_bytes_of(head), &options);
    return options.columns;
}

static void two_columns_are_those_that_every_line_has(void **state)
{
    (void)state;
    assert_int_equal(columns_of("a 1 2\nb 3 4\n"), 2);
    assert_int_equal(columns_of("a 1 2\n# x\n\nb 3 4\n"), 2);
    assert_int_equal(columns_of("a 1 2 3\nb 3 4\n"), 2);
    assert_int_equal(columns_of("thread 1 5\nmain 3\n"), 1);
    assert_int_equal(columns_of("a 1\n"), 1);
    assert_int_equal(columns_of(""), 1);
    assert_int_equal(columns_of("a 1 2\nb 3"), 2); /* the last line may be cut off */
    struct flm_read_options asked = {.columns = 1};
    flm_format_folded.prepare(flm_bytes_of("a 1 2\n"), &asked);
    assert_int_equal(asked.columns, 1);
}

/* ---- Lines that are refused or counted ------------------------------------------------------- */

static void refuses(const char *text, enum flm_error_kind kind, uint64_t line, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = read_whole(flm_bytes_of(text), &(struct flm_read_options){0}, &why);
    if (p || why.kind != kind || why.line != line || !strstr(why.text, words))
        fail_msg("%s: line %llu, %s", text, (unsigned long long)why.line,
                 p ? "it is read" : why.text);
    assert_null(read_every_way(flm_bytes_of(text), &(struct flm_read_options){0}));
}

static void values_that_cannot_be_kept_are_refused_with_their_line(void **state)
{
    (void)state;
    refuses("a 1\nb -3\n", FLM_ERROR_RANGE, 2, "line 2: the value '-3' is negative");
    refuses("a nan\n", FLM_ERROR_RANGE, 1, "is not a finite number");
    refuses("a 1\n\n# c\na;b inf\n", FLM_ERROR_RANGE, 4, "is not a finite number");
    refuses("a 1e999\n", FLM_ERROR_RANGE, 1, "is not a finite number");
    refuses("a 1\r\na 2\r\na 1e302\r\n", FLM_ERROR_RANGE, 3, "is more than 2^1000");
    refuses("a 9e300\nb 9e300\n", FLM_ERROR_RANGE, 0, "sum to more than 2^1000");
}

static void assert_read_rounded(const char *text, const char *folded, const char *count)
{
    struct flm_profile *p = read_every_way(flm_bytes_of(text), &(struct flm_read_options){0});
    assert_folded(p, folded);
    assert_rounded(p, count);
    flm_profile_free(p);
    agrees(flm_bytes_of(text), 1);
}

static void values_of_2_53_and_more_are_the_nearest_doubles(void **state)
{
    (void)state;
    assert_read_rounded("a 9007199254740992\nb 9223372036854775808\nc 1000000000000000000\n",
                        "a 9007199254740992\nb 9223372036854775808\nc 1000000000000000000\n", "");
    assert_read_rounded("a 9007199254740993\na 9007199254740995\n", "a 18014398509481988\n", "2");
    assert_read_rounded("a 9007199254740991\na 1\na 1\n", "a 9007199254740992\n", "1");
    assert_read_rounded("a 9007199254740991\na 1\na 2\n", "a 9007199254740994\n", "");
    assert_read_rounded("a 18446744073709551616\na 0.5\n", "a 18446744073709551616\n", "1");
    assert_read_rounded("a 18446744073709551615\na;b 9007199254740992.5\n",
                        "a 18446744073709551616\na;b 9007199254740992\n", "2");
    assert_read_rounded("a 1e300\n", "a 1e300\n", "1");
    assert_read_rounded("a 1e22\nb 1e21\n", "a 1e22\nb 1e21\n", ""); /* doubles both */
}

static void a_text_without_any_value_is_refused(void **state)
{
    (void)state;
    refuses("a;b\n", FLM_ERROR_FORMAT, 1, "no value after the stack in 'a;b'");
    refuses("# x\n\nnothing here\nmain;read\n", FLM_ERROR_FORMAT, 3, "no other line has one");
    refuses("12\n", FLM_ERROR_FORMAT, 1, "'12'");
    refuses("a;5\n", FLM_ERROR_FORMAT, 1, "'a;5'");
}

static void lenient_readers_count_skipped_lines(void **state)
{
    (void)state;
    static const char text[] = "a 1\nb -3\nc nan\nd\nd;e\n\nd 2x\na 1e302\n";
    struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p = read_every_way(flm_bytes_of(text), &lenient);
    assert_folded(p, "a 1\n");
    char *described_text = described(p);
    assert_non_null(strstr(described_text, "lost 3 \"lines with a value that cannot be used\" at "
                                           "\"line 2\"\nlost 3 \"lines without a value\" at "
                                           "\"line 4\"\n"));
    free(described_text);
    flm_profile_free(p);
    agrees(flm_bytes_of(text), 1);
}

static void lines_without_a_value_are_counted_always(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;nocount\na 1\n5\n");
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(p->losses[0].count == 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, p->losses[0].where), "line 1"));
    flm_profile_free(p);
}

static void differences_may_be_negative_with_the_option(void **state)
{
    (void)state;
    struct flm_read_options negative = {.allow_negative = true};
    struct flm_profile *p = read_every_way(flm_bytes_of("a;b -3\na 4\na;c -1.5\n"), &negative);
    assert_folded(p, "a 4\na;b -3\na;c -1.5\n");
    flm_profile_free(p);
    p = read_every_way(flm_bytes_of("a -9007199254740993\na 1\nb -1e300\n"), &negative);
    assert_folded(p, "a -9007199254740991\nb -1e300\n");
    assert_rounded(p, "2");
    flm_profile_free(p);
    struct flm_error why = {0};
    assert_null(read_whole(flm_bytes_of("a -1e302\n"), &negative, &why));
    assert_int_equal(why.line, 1);
}

static void the_file_of_edge_cases_is_read(void **state)
{
    (void)state;
    struct flm_text text = read_file("tests/data/folded/edge-cases.folded");
    struct flm_bytes all = {text.at, text.size};
    assert_null(read_every_way(all, &(struct flm_read_options){0}));
    agrees(all, 1);
    struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p = read_every_way(all, &lenient);
    assert_folded(p,
                  "\tmain;leadingtab 2\n"
                  ";leadingsemi 1\n"
                  "main;;emptyframe 1\n"
                  "main;<b>&amp;\"'</b> 2\n"
                  "main;a.b.c(Foo.java:12) 3\n"
                  "main;a;b 5\n"
                  "main;big 9223372036854775808\n"
                  "main;exp 1000\n"
                  "main;frac 1.75\n"
                  "main;kern_[k];jit_[j];inl_[i];wait_[w] 6\n"
                  "main;name with spaces;x y z 4\n"
                  "main;operator<<(std::ostream&, int) 1\n"
                  "main;trailing 7\n"
                  "main;trailingsemi; 1\n"
                  "main;\xC3\xBCn\xC3\xAF;\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E;\xF0\x9F\x94\xA5 8\n"
                  "single 9\n");
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* ---- Recognizing it, cutting it -------------------------------------------------------------- */

static int sniff(const char *head, bool whole)
{
    return flm_format_folded.sniff(flm_bytes_of(head), whole);
}

static void folded_text_is_recognized(void **state)
{
    (void)state;
    assert_true(sniff("main;read 10\n", true) >= 30);
    assert_true(sniff("main;read 10\nmain;wri", false) >= 30);
    assert_true(sniff("main;a;very;long;line;that;is;cut", false) >= 30);
    assert_true(sniff("main 10\n", true) >= 5);
    assert_true(sniff("# c\n\nmain;x 1 2\n", true) >= 30);
    assert_true(sniff("main;x 1\n\nnothing\n", true) >= 5);
    assert_true(sniff("a;b\n", true) > 0 && sniff("a;b\n", true) < 5);
    assert_int_equal(sniff("nothing here\n", true), 0);
    assert_int_equal(sniff("", true), 0);
    assert_int_equal(sniff("# only\n# comments\n", true), 0);
}

static void a_cut_follows_a_line(void **state)
{
    (void)state;
    struct flm_bytes all = flm_bytes_of("ab 1\ncd 2\nef 3");
    static const size_t expected[] = {5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 14, 14, 14, 14};
    for (size_t at = 0; at < all.size; at++)
        assert_int_equal(flm_format_folded.cut(all, at), expected[at]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_stack_and_its_value),
        cmocka_unit_test(names_may_hold_anything_but_their_separators),
        cmocka_unit_test(names_may_be_empty),
        cmocka_unit_test(values_are_integers_and_fractions),
        cmocka_unit_test(blanks_around_the_value_do_not_count),
        cmocka_unit_test(line_ends_of_other_systems_do_not_count),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(frames_for_processes_and_threads_of_austin_are_labels),
        cmocka_unit_test(processes_and_threads_of_austin_are_no_part_of_a_stack),
        cmocka_unit_test(processes_and_threads_of_austin_are_labels_of_samples),
        cmocka_unit_test(marks_after_names_are_kinds),
        cmocka_unit_test(names_that_stand_for_addresses_are_marked),
        cmocka_unit_test(marks_and_letters_belong_together),
        cmocka_unit_test(two_values_are_before_and_after),
        cmocka_unit_test(two_columns_are_those_that_every_line_has),
        cmocka_unit_test(values_that_cannot_be_kept_are_refused_with_their_line),
        cmocka_unit_test(values_of_2_53_and_more_are_the_nearest_doubles),
        cmocka_unit_test(a_text_without_any_value_is_refused),
        cmocka_unit_test(lenient_readers_count_skipped_lines),
        cmocka_unit_test(lines_without_a_value_are_counted_always),
        cmocka_unit_test(differences_may_be_negative_with_the_option),
        cmocka_unit_test(the_file_of_edge_cases_is_read),
        cmocka_unit_test(folded_text_is_recognized),
        cmocka_unit_test(a_cut_follows_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
