#include "format/text/internal.h"

#include "support/profile/format_laws.h"

static const struct real_file files[] = {
    {&flm_format_ghc_report, "text_stacks/ghc-report.prof", "ticks", "ticks", 19827, 2},
    {&flm_format_vtune, "text_stacks/vtune.csv", "CPU Time", "s", 0.75, 2},
    {&flm_format_vsprof, "text_stacks/vsprof.csv", "time share", "%", 100, 3},
    {&flm_format_uftrace, "text_stacks/uftrace.txt", "time", "ns", 18013763, 14},
    {&flm_format_papyrus, "text_stacks/papyrus.log", "time", "ms", 2750, 3},
};

static void files_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_real_files(files, sizeof files / sizeof *files);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_refused(files[i].format, "Dear reader,\n\n  5\n", 0, "it has no stacks");
        assert_int_equal(files[i].format->sniff(flm_bytes_of("main;a 1\n"), true), FLM_SNIFF_NO);
    }
    for (size_t i = 3; i < sizeof files / sizeof *files; i++) { /* tables have sums alone */
        struct flm_bytes bytes = file_bytes(files[i].file);
        assert_reads(files[i].format, bytes);
        free((void *)bytes.at);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void reports_of_ghc_have_ticks_or_percents(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_ghc_report, "text_stacks/ghc-report.prof");
    assert_folded(p, "MAIN.MAIN 510\nMAIN.MAIN;Lib.\xCE\xBB 19317\n");
    assert_metric(p, 1, "alloc", "bytes", 90486813488.0, 3);
    assert_metric(p, 2, "entries", "entries", 8, 2);
    assert_true(is_string(p, frame_named(p, "Main.main")->file, "app/Main.hs"));
    assert_true(is_string(p, frame_named(p, "MAIN.MAIN")->file, ""));
    assert_note(p, "command", "work +RTS -P -RTS");
    flm_profile_free(p);
    static const char tree[] =
        "COST CENTRE MODULE no. entries  %time %alloc   %time %alloc\n\n"
        "MAIN MAIN 1 0 2.5 0.0 100.0 100.0\n f a b c 2 1 97.5 100.0 97.5 100.0\n"
        "   g M 3 1 0.5 0 0 0\nshort\n";
    p = read_text(&flm_format_ghc_report, tree);
    assert_folded(p, "MAIN.MAIN 2.5\nMAIN.MAIN;a.f 97.5\nMAIN.MAIN;a.f;M.g 0.5\n");
    assert_metric(p, 0, "time", "%", 100.5, 3);
    assert_int_equal(lost(p, "lines whose callers are missing", "line 5"), 1);
    assert_int_equal(lost(p, "lines that cannot be read", "line 6"), 1);
    flm_profile_free(p);
}

static void fields_of_csv_may_be_in_quotes(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_vtune, "text_stacks/vtune.csv");
    assert_folded(p, "Total;main 0.25\nTotal;main;std::vector<int, a>::push \"x\" 0.5\n");
    assert_metric(p, 1, "Instructions Retired", "count", 3000, 2);
    assert_true(is_string(p, frame_named(p, "main")->module, "work.exe"));
    assert_true(is_string(p, frame_named(p, "main")->file, "work.c"));
    assert_true(is_string(p, frame_named(p, "Total")->module, ""));
    flm_profile_free(p);
    p = profile_of_file(&flm_format_vsprof, "text_stacks/vsprof.csv");
    assert_folded(p, "Tracer.exe;Tracer.Main() 8.75\n"
                     "Tracer.exe;Tracer.Run(class Ray&,bool&) 18.25\n"
                     "Tracer.exe;Tracer.Run(class Ray&,bool&);Tracer.Ray.get() 73\n");
    assert_metric(p, 1, "calls", "calls", 2894296, 3);
    flm_profile_free(p);
}

static void what_a_table_lacks_is_told(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(&flm_format_vtune, "Function Stack\tCPU Time:Self\nmain\t1\n a\tx\n   b\t2\nc\n");
    assert_folded(p, "main 1\nmain;a;b 2\n");
    assert_int_equal(lost(p, "values that are no numbers", "line 3"), 1);
    assert_int_equal(lost(p, "lines whose callers are missing", "line 4"), 1);
    assert_int_equal(lost(p, "lines that cannot be read", "line 5"), 1);
    flm_profile_free(p);
    assert_refused(&flm_format_vtune, "Function Stack,CPU Time:Total\na,1\n", 1,
                   "no column has the values of functions themselves");
    assert_refused(&flm_format_vsprof, "Level,Function Name,\n0,a,\n", 1,
                   "'Elapsed Exclusive Time %', 'Number of Calls'");
    assert_int_equal(flm_format_vtune.sniff(flm_bytes_of("Function Stack,CPU\n"), true), 0);
}

static void a_line_that_is_cut_off_is_told(void **state)
{
    (void)state;
    static const char cut[] = "lines that are cut off at the end of the file";
    struct flm_profile *p = read_text(
        &flm_format_vtune, "Function Stack,CPU Time:Self,Module\nmain,1,a\n b,2,a\n  c,3.2");
    assert_folded(p, "main 1\nmain;b 2\n");
    assert_int_equal(lost(p, cut, "line 4"), 1);
    flm_profile_free(p);
    p = read_text(&flm_format_vsprof, "Level,Function Name,Exclusive Samples,Module Name,\n"
                                      "0,\"a\",1,\"m\",\n1,\"b\",2,\"");
    assert_folded(p, "a 1\n");
    assert_int_equal(lost(p, cut, "line 3"), 1);
    flm_profile_free(p);
    /* All fields are there, and the last one may be whole. */
    p = read_text(&flm_format_vtune, "Function Stack,CPU Time:Self\nmain,1\n b,12");
    assert_folded(p, "main 1\nmain;b 12\n");
    assert_int_equal(lost(p, "values that may be cut off at the end of the file", "line 3"), 1);
    flm_profile_free(p);
    p = read_text(&flm_format_vtune, "Function Stack,CPU Time:Self,Module\nmain,1,a\n b,2,a");
    assert_int_equal(flm_profile_loss_count(p), 0);
    flm_profile_free(p);
}

/* ---- Logs ------------------------------------------------------------------------------------ */

static void waits_are_in_the_call_that_waits(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        &flm_format_uftrace, "uftrace file header: magic\nreading 7.dat\n"
                             "1.000000000      7: [entry] main(55eb3e9fe306) depth: 0\n"
                             "1.000000010      7: [entry] f(int)(55eb3e9fe306) depth: 1\n"
                             "1.000000030      7: [exit ] f(int)(55eb3e9fe306) depth: 1\n"
                             "1.000000050      7: [exit ] main(55eb3e9fe306) depth: 0\n"
                             "reading 8.dat\n1.000000000      8: [entry] g(1) depth: 0\n"
                             "reading perf-cpu0.dat\n"
                             "0.999999990      7: [event] linux:sched-out(200002)\n"
                             "0.999999995      7: [event] linux:sched-in(200001)\n"
                             "1.000000020      7: [event] linux:sched-out (pre-empted)(200007)\n"
                             "1.000000025      7: [event] linux:sched-in(200001)\n"
                             "1.000000040      7: [event] linux:sched-out(200002)\n"
                             "1.000000042      7: [event] linux:sched-in(200001)\n"
                             "1.000000100      8: [event] linux:task-exit(200005)\n"
                             "1.000000100      8: nonsense\n1.000000100      8: [lost] x(1)\n");
    assert_folded(p, "g 100\nmain 28\nmain;f(int) 15\nmain;f(int);linux:schedule (pre-empted) 5\n"
                     "main;linux:schedule 2\n");
    assert_int_equal(lost(p, "waits outside of calls", "line 10"), 1);
    assert_int_equal(lost(p, "lines that cannot be read", "line 17"), 1);
    assert_int_equal(lost(p, "events that are no calls", "line 18"), 1);
    assert_int_equal(lost(p, "calls without an end, which last until the last event", ""), 1);
    flm_profile_free(p);
}

static void threads_of_a_log_are_labels(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/papyrus.log");
    struct flm_profile *p =
        read_bytes(&flm_format_papyrus, bytes, &(struct flm_read_options){.keep_times = true});
    assert_folded(p, "abc_quest..other 750\nabc_quest..run 1500\n"
                     "abc_quest..run;abc_quest..wait 500\n");
    assert_int_equal(lost(p, "events that are no calls", "line 7"), 1);
    char *text = described(p);
    assert_non_null(strstr(text, "sample at 500000000 ns"));
    assert_non_null(strstr(text, "\"thread\"=\"3208\""));
    free(text);
    flm_profile_free(p);
    p = read_bytes(&flm_format_papyrus, bytes, &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "3053;abc_quest..run 1500\n3053;abc_quest..run;abc_quest..wait 500\n"
                     "3208;abc_quest..other 750\n");
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct short_text texts[] = {
        {&flm_format_ghc_report, "COST CENTRE MODULE no. entries  %time %alloc   %time %alloc\n"
                                 "MAIN MAIN 1 0 2.5 0.0 100.0 100.0\n f a b:1 2 1 9 1 9 1\n"},
        {&flm_format_vtune, "Function Stack,CPU Time:Self,Module\nmain,1,a\n \"b\",2,c\n"},
        {&flm_format_vsprof, "Level,Function Name,Number of Calls,\n0,a,1,\n1,b,2,\n"},
        {&flm_format_uftrace, "1.000000000 7: [entry] main(1) depth: 0\n"
                              "1.000000010 7: [event] linux:sched-out(2)\n"
                              "1.000000010 7: [event] linux:task-new(2)\n"
                              "1.000000020 7: [exit ] main(1) depth: 0\n"},
        {&flm_format_papyrus, "5:PUSH:3:1:a:f\n6:PUSH:4:1:a:f\n9:POP:3:1:a:f\n"},
    };
    assert_texts_survive(texts, sizeof texts / sizeof *texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_obey_the_laws_of_readers),
        cmocka_unit_test(reports_of_ghc_have_ticks_or_percents),
        cmocka_unit_test(fields_of_csv_may_be_in_quotes),
        cmocka_unit_test(what_a_table_lacks_is_told),
        cmocka_unit_test(a_line_that_is_cut_off_is_told),
        cmocka_unit_test(waits_are_in_the_call_that_waits),
        cmocka_unit_test(threads_of_a_log_are_labels),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
