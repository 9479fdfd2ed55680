#include "support/profile/format_laws.h"

static const struct flm_format *const gprof = &flm_format_gprof;

static const struct real_file files[] = {
    {&flm_format_gprof, "text_stacks/gprof.txt", "time", "ns", 1110000000, 8},
    {&flm_format_gprof, "text_stacks/gprof-flat.txt", "time", "ns", 1110000000, 7},
};

static void real_files_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_real_files(files, sizeof files / sizeof *files);
    assert_refused(gprof, "", 0, "it has no stacks");
    assert_refused(gprof, "Dear reader,\n\n  5\n", 0, "it has no stacks");
    assert_int_equal(gprof->sniff(flm_bytes_of("main;a 1\n"), true), FLM_SNIFF_NO);
}

/* leaf took 0.10 s below render and 0.26 s below parse. even and odd call one another: what odd
 * took is below even, which main calls. */
static void a_call_graph_becomes_stacks(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(gprof, "text_stacks/gprof.txt");
    assert_folded(p, "compare 30000000\n"
                     "main;even 90000000\n"
                     "main;even;odd 110000000\n"
                     "main;fib 10000000\n"
                     "main;parse 120000000\n"
                     "main;parse;leaf 260000000\n"
                     "main;render 390000000\n"
                     "main;render;leaf 100000000\n");
    assert_metric(p, 1, "calls", "count", 120 * 3 + 8400 + 6000 + 6120 + 18005760, 7);
    assert_note(p, "total time", "1.11 seconds");
    assert_non_null(flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "exact stacks").at);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
}

static void a_flat_profile_has_functions_alone(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(gprof, "text_stacks/gprof-flat.txt");
    assert_metric(p, 1, "calls", "count", 120 * 3 + 8400 + 6000 + 6120, 6);
    assert_note(p, FLM_NOTE_NOT_SHOWN "callers",
                "this is gprof's flat profile: without -p it prints the call graph too");
    assert_int_equal(frame_named(p, "compare")->kind, FLM_KIND_NATIVE);
    flm_profile_free(p);
}

/* The table of frames grows, and moves, while they are read. */
static void a_report_may_have_any_number_of_functions(void **state)
{
    (void)state;
    enum { COUNT = 3000, LINE = 80 };
    static char text[(COUNT + 2) * LINE];
    size_t size = (size_t)sprintf(text, "Each sample counts as 0.01 seconds.\n"
                                        "  %%   cumulative   self              self     total\n");
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(text + size, " 1.00  0.01  0.01  1  0.01  0.01  f%d\n", i);
    struct flm_profile *p = read_text(gprof, text);
    assert_metric(p, 0, "time", "ns", COUNT * 1e7, COUNT);
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        assert_int_equal(frame_named(p, name)->kind, FLM_KIND_NATIVE);
    }
    flm_profile_free(p);
}

#define HEADER "index % time    self  children    called     name\n"

static void names_may_have_anything(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "                                                 <spontaneous>\n"
               "[1]     50.0    0.50    0.50                 main (a b.c:12 @ 148a) [1]\n"
               "                0.50    0.00       1/1           f(int [3], int) const [2]\n"
               "-----------------------------------------------\n"
               "                0.50    0.00       1/1           main (a b.c:12 @ 148a) [1]\n"
               "[2]     50.0    0.50    0.00       1         f(int [3], int) const [2]\n"
               "-----------------------------------------------\n"
               " This table describes the call tree of the program.\n"
               "\nIndex by function name\n\n   [2] f(int [3], int) const\n";
    struct flm_profile *p = read_text(gprof, text);
    assert_folded(p, "main 500000000\nmain;f(int [3], int) const 500000000\n");
    assert_true(is_string(p, frame_named(p, "main")->file, "a b.c"));
    assert_int_equal(frame_named(p, "main")->line, 0);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    p = read_bytes(gprof, flm_bytes_of(text),
                   &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "main")->line, 12);
    flm_profile_free(p);
}

/* As gprof -T writes it: other columns, the flat profile last, names with their numbers. */
static void the_traditional_form_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        gprof, "granularity: each sample hit covers 2 byte(s) for 0.90% of 1.50 seconds\n\n"
               "                                  called/total       parents \n"
               "index  %time    self descendants  called+self    name    \tindex\n"
               "                                  called/total       children\n\n"
               "                                                     <spontaneous>\n"
               "[1]    100.0    0.00        1.00                 main [1]\n"
               "                1.00        0.00       2/2           f [2]\n\n"
               "-----------------------------------------------\n\n"
               "                1.00        0.00       2/2           main [1]\n"
               "[2]    100.0    1.00        0.00       2+3       f [2]\n"
               "                                       3             f [2]\n\n"
               "-----------------------------------------------\n\n"
               "  %   cumulative   self              self     total           \n"
               " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
               " 66.7       1.00     1.00        2   500.00   500.00  f [2]\n"
               " 33.3       1.50     0.50                             _init [7]\n");
    assert_folded(p, "_init 500000000\nmain;f 1000000000\n");
    assert_metric(p, 1, "calls", "count", 5, 1);
    flm_profile_free(p);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(gprof, HEADER "                x.yy    0.00       1/1           main [1]\n"
                                "                0.50    0.00       1/9007199254740992  main [1]\n"
                                "[2]     50.0    0.50    0.00       1         f [2]\n"
                                "[3]     50.0    nan    0.00       1         g [3]\n"
                                "[4]     50.0    0.25    0.00       1         h [0]\n"
                                "-----------------------------------------------\n"
                                "                0.25    0.00       1/1           f [2]\n");
    assert_folded(p, "f 500000000\n");
    assert_int_equal(lost(p, "lines that cannot be read", "line 2"), 4);
    assert_int_equal(lost(p, "functions that are cut off at the end of the report", "line 8"), 1);
    flm_profile_free(p);
    assert_refused(gprof, HEADER "[2] 50.0 0.50 0.00 1 f [2]\n" HEADER, 3,
                   "a second call graph begins here");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct short_text texts[] = {
        {&flm_format_gprof,
         " %   cumulative   self\n 50.0 0.5 0.50 1 0.1 0.1 f (a.c:1 @ 2)\n 50.0 1.0 0.50 g\n" HEADER
         "<spontaneous>\n[1] 50.0 0.50 0.50 main [1]\n---------\n"
         "0.25 0.25 1/1 main [1]\n[2] 50.0 0.50 0.00 1 f [2]\n"},
    };
    assert_texts_survive(texts, sizeof texts / sizeof *texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_obey_the_laws_of_readers),
        cmocka_unit_test(a_call_graph_becomes_stacks),
        cmocka_unit_test(a_flat_profile_has_functions_alone),
        cmocka_unit_test(a_report_may_have_any_number_of_functions),
        cmocka_unit_test(names_may_have_anything),
        cmocka_unit_test(the_traditional_form_is_read),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
