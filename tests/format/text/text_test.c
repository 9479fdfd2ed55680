#include "format/text/internal.h"

#include "support/profile/format_laws.h"

static const struct flm_read_options with_labels = {.keep_times = true};
static const struct flm_read_options by_thread = {.keep_times = true, .by_thread = true};

static void assert_described(const struct flm_profile *p, const char *words)
{
    char *text = described(p);
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
    free(text);
}

/* ---- All ------------------------------------------------------------------------------------- */

static const struct real_file files[] = {
    {&flm_format_bpftrace, "text_stacks/bpftrace.txt", "samples", "samples", 77, 5},
    {&flm_format_gdb, "text_stacks/gdb.txt", "threads", "threads", 3, 3},
    {&flm_format_python_dump, "text_stacks/faulthandler.txt", "threads", "threads", 4, 2},
    {&flm_format_python_dump, "text_stacks/py-spy.txt", "threads", "threads", 2, 2},
    {&flm_format_goroutines, "text_stacks/goroutines.txt", "goroutines", "goroutines", 2, 2},
    {&flm_format_macos_sample, "text_stacks/sample.txt", "samples", "samples", 20, 5},
    {&flm_format_instruments, "text_stacks/instruments16.txt", "time", "ms", 4930, 52},
    {&flm_format_instruments, "text_stacks/instruments7.txt", "time", "ms", 4273, 39},
    {&flm_format_dtrace, "text_stacks/dtrace.txt", "samples", "samples", 13, 2},
    {&flm_format_pmcstat, "text_stacks/pmcstat.txt", "inst_retired.any", "samples", 8937, 3},
    {&flm_format_stackprof, "text_stacks/stackprof.json", "samples", "samples", 103, 9},
    {&flm_format_python_dump, "text_stacks/py-spy.json", "threads", "threads", 3, 3},
    {&flm_format_pyinstrument, "text_stacks/pyinstrument.json", "time", "us", 191974, 2},
    {&flm_format_pyinstrument, "text_stacks/pyinstrument.pyisession", "time", "s",
     0.20992092300002696, 3},
    {&flm_format_stackprof, "text_stacks/stackprof.dump", "wall", "us", 65046, 7},
    {&flm_format_ghc, "text_stacks/ghc.json", "ticks", "ticks", 740, 9},
    {&flm_format_rprof, "text_stacks/rprof.out", "time", "us", 770000, 19},
    {&flm_format_gdb, "text_stacks/eu-stack.txt", "threads", "threads", 1, 1},
};

static void real_files_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_real_files(files, sizeof files / sizeof *files);
}

static void texts_without_stacks_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        assert_refused(files[i].format, "", 0, "it has no stacks");
        assert_refused(files[i].format, "Dear reader,\n\n  5\n", 0, "it has no stacks");
        assert_int_equal(files[i].format->sniff(flm_bytes_of("main;a 1\n"), true), FLM_SNIFF_NO);
        assert_int_equal(files[i].format->sniff(flm_bytes_of(""), true), FLM_SNIFF_NO);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct short_text texts[] = {
        {&flm_format_bpftrace, "@a[\n    f+1\n, \n    g+2\n, x]: 1\n@b[, x]: 2\n"},
        {&flm_format_gdb, "Thread 1 (Thread 0x1 (LWP 2) \"n\"):\n#0  f (a=1,\n  b=2) at a.c:3\n"},
        {&flm_format_gdb, "#0  \33[33mf\33[m () at \33[32ma.c\33[m:3\n"},
        {&flm_format_gdb, "PID 1 - process\nTID 1:\n#0  0x01 f - /a\n    a.c:1:2\n#1  0x02\n"},
        {&flm_format_rprof, "line profiling: sample.interval=10\n#File 1: a\n1#2 \"f\" \n"},
        {&flm_format_python_dump,
         "Thread 0x1 [n] (most recent call first):\n  File \"a\", line 7 in f\n"},
        {&flm_format_goroutines, "goroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:1 +0x1\nmain.g()\n"},
        {&flm_format_macos_sample,
         "Call graph:\n    5 Thread_1: x\n    + 3 f  (in a)\n    +   2 g\n"},
        {&flm_format_instruments,
         "Weight\tSelf Weight\tSymbol Name\n5 ms 1%\t2 ms\tf\n3 ms 1%\t3 ms\t g\n"},
        {&flm_format_dtrace, "    a`f+0x1\n    a`g+0x1\n    5\n"},
        {&flm_format_pmcstat, "@ e [5 samples]\n10%  [5]   f @ a\n 10%  [3]    g\n"},
        {&flm_format_stackprof,
         "{\"mode\":\"wall\",\"frames\":{\"1\":{\"name\":\"f\",\"file\":\"\\n\"}},"
         "\"raw\":[1,1,2],\"raw_timestamp_deltas\":[1,2]}"},
        {&flm_format_python_dump,
         "[{\"thread_name\":\"n\",\"os_thread_id\":7,\"owns_gil\":true,\"frames\":"
         "[{\"name\":\"f\",\"filename\":\"a\"}]}]"},
        {&flm_format_pyinstrument, "{\"target_description\":\"d\",\"frame_records\":["
                                   "[[\"m\\u0000<thread>\\u00001\",\"f\\u0000a\\u00001\"],1]]}"},
        {&flm_format_pyinstrument,
         "{\"root_frame\":{\"function\":\"f\",\"file_path\":\"a\",\"time\":2,\"children\":"
         "[{\"function\":\"g\",\"time\":1}]}}"},
        {&flm_format_stackprof,
         "\4\b{\b:\tmodeI\"\bcpu\6:\6ET:\vframes{\6i\6{\6:\tname\"\6f:\braw[\bi\6i\6i\6"},
        {&flm_format_ghc,
         "{\"program\":\"p\",\"cost_centres\":[{\"id\":1,\"label\":\"l\",\"module\":"
         "\"m\",\"src_loc\":\"a:1\"}],\"profile\":{\"id\":1,\"ticks\":5,\"children\":["
         "{\"id\":1,\"ticks\":2,\"children\":[]}]}}"},
        {&flm_format_safari,
         "{\"recording\":{\"displayName\":\"\\n\",\"sampleStackTraces\":[{"
         "\"timestamp\":2,\"stackFrames\":[{\"name\":\"\",\"url\":\"/a.js\"}]}],"
         "\"sampleDurations\":[1]}}"},
    };
    assert_texts_survive(texts, sizeof texts / sizeof *texts);
}

/* ---- Each ------------------------------------------------------------------------------------ */

static void symbols_lose_their_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *function, *module;
        uint32_t flags;
    } symbols[] = {
        {"fib(int)+37", "fib(int)", "", 0},
        {"genunix`read+0x1f", "read", "genunix", 0},
        {"operator+", "operator+", "", 0},
        {"a+b", "a+b", "", 0},
        {"0x7f6acbad44a3", "0x7f6acbad44a3", "", FLM_FRAME_UNSYMBOLIZED},
        {"+5", "+5", "", 0},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        struct flm_stack_frame frame = flm_text_symbol(flm_bytes_of(symbols[i].text));
        assert_true(flm_bytes_are(frame.function, symbols[i].function));
        assert_true(flm_bytes_are(frame.module, symbols[i].module));
        assert_int_equal(frame.flags, symbols[i].flags);
    }
}

static void stacks_of_the_kernel_run_on_those_of_the_user(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_bpftrace,
        flm_bytes_of(
            "Attaching 2 probes...\n@n: 5\n@h: \n[0, 1) 7 |@@|\n"
            "@s[\n    read+1\n    do_syscall_64+2\n, \n    libread+1\n    main+9\n, cat]: 3\n"
            "@s[\n    main+9\n, \n    vfs+1\n    entry_SYSCALL_64+2\n, cat]: 2\n"
            "@s[, , cat]: 4\n@s[\n\tffffffff816b97 vfs+156 (/lib/x.so)\n]: 1\n"
            "@t[cat, 5]: 7\n@u[\n    f+1\n]: \n[1, 2) 3 |@|\n@[\n    f+1\n]: 8\n"),
        &with_labels);
    assert_folded(p, " 4\nmain;entry_SYSCALL_64;vfs 2\nmain;libread;do_syscall_64;read 3\nvfs 1\n");
    assert_metric(p, 0, "s", "count", 10, 4);
    assert_metric(p, 1, "samples", "samples", 8, 1);
    assert_described(p, "\"key 3\"=\"cat\"");
    assert_int_equal(lost(p, "entries without a stack", "line 22"), 1);
    assert_int_equal(lost(p, "values that are no numbers", "line 25"), 1);
    flm_profile_free(p);
}

static void names_of_functions_in_gdb_have_any_brackets(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_gdb,
        flm_bytes_of(
            "Thread 7 (Thread 0x7f (LWP 91) \"w \"1\"\"):\n"
            "#0  0x1 in std::function<double (int)>::operator()(int) const (a=2) at f.h:591\n"
            "#1  a::operator<< <char> (s=\"(x\", n={a = 1}) at b.h:5\n"
            "#2  ns::f<int>(int) () from /lib/x.so\n        local = 5 (x) at y:1\n"
            "#3  worker (id=1,\n    b=<optimized out>) at work.cpp:27\n"
            "#4  <signal handler called>\n#5  0x00007 in ?? () from /lib/y.so\n\n"
            "Thread 1 (process 12):\n#0  main () at m.c:1\n"),
        &(struct flm_read_options){.keep_times = true, .locations = true, .lines = true});
    assert_folded(p, "??;<signal handler called>;worker;ns::f<int>(int);a::operator<< <char>;"
                     "std::function<double (int)>::operator()(int) const 1\nmain 1\n");
    assert_described(p, "\"thread\"=\"91\"");
    assert_int_equal(frame_named(p, "??")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "worker")->line, 27);
    assert_true(is_string(p, frame_named(p, "worker")->file, "work.cpp"));
    flm_profile_free(p);
}

static void threads_of_python_have_the_lines_that_run(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_python_dump,
        flm_bytes_of(
            "Fatal Python error: Segmentation fault\n\n"
            "Current thread 0x1 [main] (most recent call first):\n"
            "  File \"/a b.py\", line 4 in <module>\n  <no Python frame>\n"
            "Thread 0x2 (most recent call first):\n  File \"/c.py\", line 5 in f\n  ...\n"),
        &by_thread);
    assert_folded(p, "0x2;f (/c.py:5) 1\nmain;<module> (/a b.py:4) 1\n");
    flm_profile_free(p);
    /* Native frames of py-spy have no line. */
    p = read_text(&flm_format_python_dump,
                  "Process 1: python\nPython v3.11.7 (/usr/bin/python3.11)\n\n"
                  "Thread 1 (idle)\n    poll (libc.so.6)\n    f (a b (1).py:7)\n");
    assert_folded(p, "f (a b (1).py:7);poll (libc.so.6) 1\n");
    flm_profile_free(p);
}

/* gdb and py-spy color what they write where that is a terminal, or script(1). */
static void colors_of_a_terminal_are_no_part_of_names(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_python_dump,
        flm_bytes_of("Process \33[33m\33[1m1\33[0m: python\r\n"
                     "Python v\33[1m3.11.7\33[0m (\33[2m/usr/bin/python3.11\33[0m)\r\n\r\n"
                     "Thread \33[33m\33[1m0x7F\33[0m (idle): \"Main\"\r\n"
                     "    \33[32mpoll\33[0m (\33[36mlibc.so.6\33[0m)\r\n"
                     "    \33[38;5;10mf\33(B\33[m (\33[36ma.py\33[0m:\33[2m7\33[0m)\r\n\33[0"),
        &by_thread);
    assert_folded(p, "Main;f (a.py:7);poll (libc.so.6) 1\n");
    assert_described(p, "\"thread\"=\"0x7F\"");
    flm_profile_free(p);
    p = read_bytes(
        &flm_format_gdb,
        flm_bytes_of("Thread 1 (Thread 0x1 (LWP 2) \"g\"):\n"
                     "#0  \33[34m0x51\33[m in \33[33mleaf\33[m (\33[36mn\33[m=1) "
                     "at \33[32mg.c\33[m:3\n"
                     "#1  \33[34m0x52\33[m in \33[33m??\33[m () from \33[32m/x.so\33[m\n"),
        &(struct flm_read_options){.locations = true, .lines = true});
    assert_folded(p, "??;leaf 1\n");
    assert_int_equal(frame_named(p, "leaf")->line, 3);
    assert_true(is_string(p, frame_named(p, "leaf")->file, "g.c"));
    assert_true(is_string(p, frame_named(p, "??")->module, "/x.so"));
    flm_profile_free(p);
}

static void py_spy_dumps_the_same_as_json(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/py-spy.json");
    struct flm_profile *p = read_bytes(&flm_format_python_dump, bytes, &by_thread);
    assert_folded(p, "0x7;f (/srv/a.py:3) 1\nMainThread;<module> (work.py:12);busy (work.py:7) 1\n"
                     "Thread-1 (f);run (threading.py:982);poll (libc.so.6) 1\n");
    assert_described(p, "\"state\"=\"active+gil\"");
    assert_described(p, "\"thread\"=\"1236\"");
    assert_described(p, "\"process\"=\"1234\"");
    flm_profile_free(p);
    free((void *)bytes.at);
    assert_refused(&flm_format_python_dump, "[]", 0, "it has no stacks");
    assert_refused(&flm_format_python_dump, "[{]", 0, "byte 2");
}

#define SESSION(records)                                                                           \
    "{\"start_time\":1,\"target_description\":\"app.py\",\"frame_records\":" records "}"
#define TREE(root) "{\"start_time\":1,\"target_description\":\"app.py\",\"root_frame\":" root "}"

static void sessions_of_pyinstrument_have_times(void **state)
{
    (void)state;
    const struct flm_format *pyinstrument = &flm_format_pyinstrument;
    const char *text =
        SESSION("[[[\"Main\\u0000<thread>\\u00007\",\"f\\u0000a.py\\u00001\\u0001l3\"],0.5],"
                "[[\"f\\u0000a.py\\u00001\",\"g\\u0000b.py\\u00002\\u0001cApp\\u0001h1\",\"[await]"
                "\"],0.25],"
                "[[],0.125],[[\"f\"],0]]");
    struct flm_profile *p = read_bytes(pyinstrument, flm_bytes_of(text), &with_labels);
    assert_folded(p, " 0.125\nf 0.5\nf;App.g;[await] 0.25\n");
    assert_note(p, "command", "app.py");
    assert_described(p, "\"thread name\"=\"Main\"");
    assert_true(p->sample_time[1] == 500000000 && p->sample_duration[1] == 250000000);
    assert_int_equal(lost(p, "samples without a time", ""), 1);
    flm_profile_free(p);
    p = read_bytes(pyinstrument, flm_bytes_of(text), &reader_options[2]);
    assert_folded(p, " 0.125\nMain;f 0.5\nf;App.g;[await] 0.25\n");
    flm_profile_free(p);
    assert_refused(pyinstrument, SESSION("[[[7],1]]"), 0, "byte");
    assert_refused(pyinstrument, "{\"start_time\":1}", 0, "neither \"frame_records\" nor");
}

static void trees_of_pyinstrument_have_what_is_left_over(void **state)
{
    (void)state;
    const struct flm_format *pyinstrument = &flm_format_pyinstrument;
    struct flm_profile *p =
        read_text(pyinstrument,
                  TREE("{\"function\":\"main\",\"file_path\":\"a.py\",\"time\":0.3,\"children\":["
                       "{\"function\":\"[self]\",\"time\":0.1,\"children\":[]},"
                       "{\"function\":\"f\",\"time\":0.2,\"children\":["
                       "{\"function\":\"g\",\"time\":0.05}]}]}"));
    assert_folded(p, "main 100000\nmain;f 150000\nmain;f;g 50000\n");
    assert_true(is_string(p, frame_named(p, "main")->file, "a.py"));
    assert_int_equal(frame_named(p, "f")->file, 0);
    flm_profile_free(p);
    p = read_text(pyinstrument, TREE("{\"function\":\"[self]\",\"time\":0.1,\"children\":["
                                     "{\"function\":\"f\",\"time\":0.2}]}"));
    assert_folded(p, "f 200000\n");
    flm_profile_free(p);
    assert_refused(pyinstrument, TREE("{\"children\":[7]}"), 0, "byte");
}

static void goroutines_lose_arguments_and_creators(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/goroutines.txt");
    struct flm_profile *p = read_bytes(&flm_format_goroutines, bytes, &with_labels);
    free((void *)bytes.at);
    assert_folded(p, "main.main;main.main.func1;main.work;main.(*Pool).get 1\nruntime.gopark 1\n");
    assert_described(p, "\"state\"=\"chan receive\"");
    assert_described(p, "\"thread\"=\"18\"");
    assert_true(is_string(p, frame_named(p, "main.work")->file, "/srv/main.go"));
    assert_int_equal(lost(p, "stacks with frames left out", "line 16"), 1);
    flm_profile_free(p);
}

static void a_call_graph_has_what_its_lines_do_not_share(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/sample.txt");
    struct flm_profile *p = read_bytes(&flm_format_macos_sample, bytes, &by_thread);
    free((void *)bytes.at);
    assert_folded(p, "Thread_123;start;main 1\nThread_123;start;main;??? 3\n"
                     "Thread_123;start;main;read 6\nThread_124 3\nThread_124;start_wqthread 7\n");
    assert_described(p, "\"thread name\"=\"worker\"");
    assert_true(is_string(p, frame_named(p, "main")->module, "work"));
    assert_true(is_string(p, frame_named(p, "main")->file, "work.c"));
    flm_profile_free(p);
}

static void lines_of_a_call_graph_without_a_count_are_lost(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(&flm_format_macos_sample, "Call graph:\n    5 Thread_1: x\n    + 5 f  (in a)\n"
                                            "    +   x g\n    +   \n\nTotal number\n    + x\n");
    assert_folded(p, "f 5\n");
    assert_int_equal(lost(p, "lines that cannot be read", "line 4"), 2);
    flm_profile_free(p);
}

static void copies_of_instruments_have_units(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(&flm_format_instruments, "Bytes Used\t\tSymbol Name\n2.00 KB  100.0%\t\tf\n"
                                           "512 Bytes  25.0%\t\t g\nx\t\t h\n");
    assert_folded(p, "f 1536\nf;g 512\n");
    assert_metric(p, 0, "bytes", "bytes", 2048, 2);
    assert_int_equal(lost(p, "lines without a weight", "line 4"), 1);
    flm_profile_free(p);
    p = read_text(&flm_format_instruments,
                  "Weight\tSelf Weight\tSymbol Names\n1.5 s  100.0%\t0 s\t   a b\n"
                  "250.00 ms\t250.00 ms\t    c\n1 min\t1 min\t   d\n");
    assert_folded(p, "a b;c 250\nd 60000\n");
    flm_profile_free(p);
}

static void every_unit_of_instruments_counts(void **state)
{
    (void)state;
    static const struct {
        const char *weight, *unit;
        double value;
    } weights[] = {
        {"1.5 ns", "ms", 1.5e-6},        {"1.5 us", "ms", 1.5e-3},
        {"1.5 \xC2\xB5s", "ms", 1.5e-3}, {"1.50 ms", "ms", 1.5},
        {"1.5 s", "ms", 1500},           {"1.5 min", "ms", 90000},
        {"1.5 h", "ms", 5400000},        {"15 Bytes", "bytes", 15},
        {"1.5 KB", "bytes", 1536},       {"1.5 MB", "bytes", 1572864},
        {"1.5 GB", "bytes", 1610612736}, {"1.5 KiB", "bytes", 1536},
        {"1.5 MiB", "bytes", 1572864},   {"1.5 GiB", "bytes", 1610612736},
        {"150 cycles", "cycles", 150},   {"1.5 Kc", "cycles", 1500},
        {"1.5 Mc", "cycles", 1.5e6},     {"1.5 Gc", "cycles", 1.5e9},
        {"15", "samples", 15},
    };
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        struct flm_text text = {0};
        flm_text_format(&text, "Weight\tSymbol Name\n%s  100.0%%\tf\n", weights[i].weight);
        flm_text_putc(&text, 0);
        struct flm_profile *p = read_text(&flm_format_instruments, text.at);
        assert_true(is_string(p, p->metrics[0].unit, weights[i].unit));
        if (flm_profile_total(p, (struct flm_metric){0}) != weights[i].value)
            fail_msg("%s is something else", weights[i].weight);
        flm_profile_free(p);
        flm_text_clear(&text);
    }
}

static void callers_that_are_not_listed_are_lost(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_pmcstat, "text_stacks/pmcstat.txt");
    assert_int_equal(lost(p, "samples whose callers are not listed", "line 34"), 3666);
    assert_true(is_string(p, frame_named(p, "zio_execute")->module, "/boot/kernel/zfs.ko"));
    flm_profile_free(p);
}

static void dtrace_ends_a_stack_with_a_number(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_dtrace, "text_stacks/dtrace.txt");
    assert_folded(p, "main;read;sys_syscall_[k];kmem_cpu_reload_[k] 1\n"
                     "std::vec::Vec<u8>::push;0xfffffffffb8a 12\n");
    flm_profile_free(p);
}

static void dtrace_is_told_from_source_code(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool is_dtrace;
    } texts[] = {
        {"  a`f\n  a`g\n  5\n", true}, /* inferno's have two columns */
        {"header\n\n    a`f+0x1\n\n    b`g(int, char*)\n    5\n\n    a`f\n", true},
        {"    let a = `x`;\n    42\n", false},
        {"    // see module`name\n    42\n}\n", false},
        {"    a`f\n    return\n    5\n    6\n", false}, /* no end of a block */
        {"    x`y;\n    5\n\n", false},
        {"    a`f\n    b`g\n", false},
        {"a`f\n5\n\n", false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((flm_format_dtrace.sniff(flm_bytes_of(texts[i].text), true) > FLM_SNIFF_NO) !=
            texts[i].is_dtrace)
            fail_msg("%s is taken for what it is not", texts[i].text);
    assert_refused(&flm_format_dtrace, "    a`f\n    b`g\n", 0, "it has no stacks");
    struct flm_profile *p = read_text(&flm_format_dtrace, "    a`f\n    5\n\n    a`g\n");
    assert_int_equal(lost(p, "stacks without a count", "line 4"), 1);
    flm_profile_free(p);
}

#define FRAMES                                                                                     \
    "\"frames\":{\"1\":{\"name\":\"a\"},\"2\":{\"name\":\"b\"},"                                   \
    "\"3\":{\"name\":\"(garbage collection)\"},\"4\":{\"name\":null}}"

static void stackprof_weighs_by_its_mode(void **state)
{
    (void)state;
    const struct flm_format *stackprof = &flm_format_stackprof;
    struct flm_profile *p = read_bytes(
        stackprof,
        flm_bytes_of("{\"raw\":[2,1,2,3, 1,3,1, 1,4,1],\"raw_timestamp_deltas\":[10,20,30,40,5],"
                     "\"mode\":\"wall\"," FRAMES "}"),
        &with_labels);
    assert_folded(p, "(unknown) 5\na;b 60\na;b;(garbage collection) 40\n");
    assert_metric(p, 0, "wall", "us", 105, 3);
    assert_true(p->sample_time[1] == 60000 && p->sample_duration[1] == 40000);
    flm_profile_free(p);
    p = read_text(stackprof, "{\"mode\":\"cpu\",\"interval\":1000,\"raw\":[1,1,3]," FRAMES "}");
    assert_metric(p, 0, "cpu", "us", 3000, 1);
    flm_profile_free(p);
    p = read_text(stackprof, "{\"mode\":\"object\",\"interval\":10,\"raw\":[1,1,3]," FRAMES "}");
    assert_metric(p, 0, "samples", "samples", 3, 1);
    flm_profile_free(p);
    /* Collections follow each other below the stack before them, not below one another. */
    p = read_text(stackprof, "{\"mode\":\"object\",\"raw\":[1,1,1, 1,3,2, 1,3,4]," FRAMES "}");
    assert_folded(p, "a 1\na;(garbage collection) 6\n");
    flm_profile_free(p);
    assert_refused(stackprof, "{\"mode\":\"cpu\",\"frames\":{}}", 0, "neither \"frames\" nor");
    assert_refused(stackprof, "{\"raw\":[5,1]," FRAMES "}", 0, "is not complete");
    assert_refused(stackprof, "{\"raw\":[1,9,1]," FRAMES "}", 0, "not in \"frames\"");
    assert_refused(stackprof,
                   "{\"raw\":[1,1,1],\"raw_timestamp_deltas\":[-5],\"mode\":\"wall\"," FRAMES "}",
                   0, "a time between samples is negative, or longer than a profile can hold");
    assert_refused(stackprof,
                   "{\"raw\":[1,1,1],\"raw_timestamp_deltas\":[1e302],\"mode\":\"wall\"," FRAMES
                   "}",
                   0, "a time between samples is negative, or longer than a profile can hold");
    assert_refused(stackprof, "{\"raw\":[18446744073709551615,1]," FRAMES "}", 0, "not complete");
}

/* Each frame has its own samples, and those of the frames below it. */
static void stackprof_without_raw_is_a_call_graph(void **state)
{
    (void)state;
    static const char text[] = "{\"mode\":\"cpu\",\"interval\":1000,\"gc_samples\":0,\"frames\":{"
                               "\"1\":{\"name\":\"main\",\"file\":\"a.rb\",\"line\":3,\"samples\":"
                               "0,\"edges\":{\"2\":4,\"3\":4}},"
                               "\"2\":{\"name\":\"a\",\"samples\":1,\"edges\":{\"2\":9,\"4\":3}},"
                               "\"3\":{\"name\":\"b\",\"samples\":3,\"edges\":{\"4\":1,\"7\":5}},"
                               "\"4\":{\"name\":\"c\",\"samples\":4}}}";
    struct flm_profile *p = read_text(&flm_format_stackprof, text);
    assert_folded(p, "main;a 1000\nmain;a;c 3000\nmain;b 3000\nmain;b;c 1000\n");
    assert_metric(p, 0, "cpu", "us", 8000, 4);
    assert_true(is_string(p, frame_named(p, "main")->file, "a.rb"));
    flm_profile_free(p);
    assert_survives_little_memory(&flm_format_stackprof, flm_bytes_of(text));
    assert_same_through_windows(&flm_format_stackprof, flm_bytes_of(text));
}

static void cost_centers_are_a_tree(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(&flm_format_ghc, "text_stacks/ghc.json");
    assert_int_equal(p->sizes.metric_count, 3);
    assert_note(p, "command", "binary-trees");
    flm_profile_free(p);
    assert_refused(&flm_format_ghc, "{\"cost_centres\":[],\"profile\":{\"id\":1}}", 0,
                   "this cost center is not in");
    assert_refused(&flm_format_ghc, "{}", 0, "it has no \"profile\"");
    assert_refused(&flm_format_ghc, "{\"profile\":{\"children\":[{}]}}", 0, "before the \"id\"");
}

static void recordings_of_safari_have_times(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/safari.json");
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why),
                     &flm_format_safari);
    assert_same_through_windows(&flm_format_safari, bytes);
    assert_survives_cuts(&flm_format_safari, bytes);
    struct flm_profile *p = read_bytes(&flm_format_safari, bytes, &with_labels);
    free((void *)bytes.at);
    assert_true(p->sample_time[0] > 4000000000 && p->sample_duration[0] > 0);
    assert_non_null(frame_named(p, "(anonymous __InjectedScript_CommandLineAPIModuleSource.js:2)"));
    flm_profile_free(p);
    assert_refused(&flm_format_safari, "{\"recording\":{}}", 0, "it has no \"sampleStackTraces\"");
}

/* Of samples with lines, memory, quotes in names, and two recordings in one file. */
static void samples_of_r_count_their_interval(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_rprof,
        flm_bytes_of("memory profiling: GC profiling: line profiling: sample.interval=20000\n"
                     "#File 1: model.R\n"
                     ":1:2:3:4:1#7 \"paste\" 1#9 \"a \"quoted\" name\" \"fit\" \n"
                     ":1:2:3:4:\"<GC>\" \"fit\" \n"
                     ":1:2:3:4:1#3 \n"
                     "nonsense\n"
                     "sample.interval=5000\n"
                     "\"fit\" \n"),
        &with_labels);
    assert_folded(p, "fit 5000\nfit;<GC> 20000\nfit;a \"quoted\" name;paste 20000\n");
    assert_int_equal(lost(p, "counts of memory of samples", ""), 3);
    assert_int_equal(lost(p, "malformed lines", "line 6"), 1);
    flm_profile_free(p);
    p = read_bytes(&flm_format_rprof,
                   flm_bytes_of("line profiling: sample.interval=10\n#File 1: m.R\n"
                                "1#7 \"paste\" 1#9 \"f\" \n"),
                   &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "paste")->line, 7);
    assert_true(is_string(p, frame_named(p, "f")->file, "m.R"));
    flm_profile_free(p);
}

static void frames_of_eu_stack_have_what_was_asked_for(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        &flm_format_gdb,
        flm_bytes_of("PID 7 - process\nTID 7:\n"
                     "#0  0x00007fc8733aabf2     std::sort(int, int) - /usr/lib/libc.so.6\n"
                     "    ./stdlib/msort.c:50:25\n"
                     "#1  0x000055ff3610b21d - 1 main\n    /srv/w.c:8\n"
                     "#2  0x000055ff3610b000\n"
                     "TID 8:\n#0  0x0000000000000010 poll - /lib/libc.so.6\n"),
        &(struct flm_read_options){.keep_times = true, .locations = true, .lines = true});
    assert_folded(p, "??;main;std::sort(int, int) 1\npoll 1\n");
    assert_described(p, "\"thread\"=\"8\"");
    assert_int_equal(frame_named(p, "??")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "main")->line, 8);
    assert_true(is_string(p, frame_named(p, "main")->file, "/srv/w.c"));
    assert_int_equal(frame_named(p, "std::sort(int, int)")->line, 50);
    assert_true(is_string(p, frame_named(p, "poll")->module, "/lib/libc.so.6"));
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_obey_the_laws_of_readers),
        cmocka_unit_test(texts_without_stacks_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(symbols_lose_their_offsets),
        cmocka_unit_test(stacks_of_the_kernel_run_on_those_of_the_user),
        cmocka_unit_test(names_of_functions_in_gdb_have_any_brackets),
        cmocka_unit_test(threads_of_python_have_the_lines_that_run),
        cmocka_unit_test(colors_of_a_terminal_are_no_part_of_names),
        cmocka_unit_test(py_spy_dumps_the_same_as_json),
        cmocka_unit_test(sessions_of_pyinstrument_have_times),
        cmocka_unit_test(trees_of_pyinstrument_have_what_is_left_over),
        cmocka_unit_test(goroutines_lose_arguments_and_creators),
        cmocka_unit_test(a_call_graph_has_what_its_lines_do_not_share),
        cmocka_unit_test(lines_of_a_call_graph_without_a_count_are_lost),
        cmocka_unit_test(copies_of_instruments_have_units),
        cmocka_unit_test(every_unit_of_instruments_counts),
        cmocka_unit_test(callers_that_are_not_listed_are_lost),
        cmocka_unit_test(dtrace_ends_a_stack_with_a_number),
        cmocka_unit_test(dtrace_is_told_from_source_code),
        cmocka_unit_test(stackprof_weighs_by_its_mode),
        cmocka_unit_test(stackprof_without_raw_is_a_call_graph),
        cmocka_unit_test(cost_centers_are_a_tree),
        cmocka_unit_test(recordings_of_safari_have_times),
        cmocka_unit_test(samples_of_r_count_their_interval),
        cmocka_unit_test(frames_of_eu_stack_have_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
