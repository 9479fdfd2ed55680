#include "format/core/other_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void is(const char *head, size_t size, const char *words)
{
    const char *says = flm_other_file((struct flm_bytes){head, size});
    if (!says || !strstr(says, words))
        fail_msg("'%s' is %s, not %s", head, says ? says : "unknown", words);
}

static void text_is(const char *head, const char *words)
{
    is(head, strlen(head), words);
}

static void profiles_in_other_formats_are_named(void **state)
{
    (void)state;
    text_is("NVIDIA Tegra Profiler Report 2026@4@1@191-264138605071v0.",
            "nsys export --type sqlite");
    is("SQLite format 3\0\x10", 17, "an SQLite database");
    is("go 1.22 trace\0\0\0", 16, "an execution trace of Go");
    is("Nettrace\x14\0\0\0!FastSerialization.1", 30, "a trace of .NET");
    is("SIMPLEPERF\x01\0", 12, "simpleperf report-sample");
    is("SLOW\x03\0\x20\0", 8, "a method trace of Android");
    text_is("*version\n3\ndata-file-overflow=false\nclock=dual\n", "a method trace of Android");
    is("JAVA PROFILE 1.0.2\0\0\0\0\x08", 23, "a heap dump of Java");
    is("gmon\x01\0\0\0", 8, "'gprof PROGRAM gmon.out'");
    text_is("% self  % total  name\n 40.00    60.00  f - a.rb:3\n", "a summary of rbspy");
    text_is("TRACE START [2026-11-29 00:06:12.616597]\n    0.0003  394848   -> {main}() /w.php:0\n",
            "xdebug.mode=profile");
    text_is("Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-29 00:06:12.612597]\n",
            "xdebug.mode=profile");
    text_is("% time     seconds  usecs/call     calls    errors syscall\n------ -----------\n",
            "a summary of strace");
    text_is("26584 0.000000 execve(\"./w\", [\"./w\", \"1\"], 0x7ffe /* 9 vars */) = 0\n",
            "(strace)");
    text_is("openat(AT_FDCWD, \"/etc/x\", O_RDONLY) = 3\n > /usr/lib/ld.so(f+0x8) [0x20]\n",
            "(strace)");
    is("tr\xfdP\x01", 5, "a capture of Tracy");
    is("\x5e\x97\xca\xfd\x01\x01\0\0"
       "2026-11-29",
       18, "a capture of Sysprof");
    is("\x17\x08\x44tracing7\0", 12, "a trace of trace-cmd");
    text_is("<experiment version=\"12.4\">\n<collector>2.40.00</collector>\n", "of gprofng");
    text_is("Functions sorted by metric: Exclusive Total CPU Time\n\nExcl. Total\n", "of gprofng");
    text_is("Functions Call Tree. Metric: Attributed Total CPU Time\n", "of gprofng");
    text_is(
        "==9== Memcheck, a memory error detector\n==9== Copyright (C) 2002\n==9== Command: ./w\n",
        "valgrind prints");
    text_is("-----\nProfile data file 'v.cg' (creator: callgrind-3.19.0)\n", "a tool of valgrind");
    text_is("-----\nI1 cache:  32768 B\nData file:  c.out\nEvents recorded:  Ir\n",
            "a tool of valgrind");
    text_is("-----\nCommand:  ./w\nMassif arguments:\nms_print arguments: m.out\n",
            "a tool of valgrind");
    text_is("# started on Sun Nov 29\n\n Performance counter stats for './w 5':\n", "perf stat");
    text_is("# started on Sun Nov 29\n\n22.67,msec,task-clock,22674055,100.00,,\n", "perf stat");
    text_is(" Percent |\tSource code & Disassembly of w for cpu-clock (717 samples)\n",
            "flamel annotate");
    text_is("*** File w.c:\n           2 -> int f(void)\n", "gprof -A");
    text_is("Total: 47 samples\n      47 100.0% 100.0%       47 100.0% inner\n",
            "a report of pprof");
    text_is("\n    <html>\n    <head>\n      <style> /*! TACHYONS v4.12.0", "isolate-");
    text_is("/* CTF 1.8 */\n\ntrace {\n", "CTF");
    text_is("# Function Call Graph for 'w' (session: 3)\n# TOTAL TIME   FUNCTION\n",
            "a report of uftrace");
    text_is("21.8\n% time     seconds  usecs/call     calls      function\n", "ltrace");
    text_is("v8-version,11,3,244,8\n", "--prof-process");
    is("Ftrace!\0\4\0", 10, "this is a folder of uftrace");
    text_is("# DURATION     TID     FUNCTION\n   1.094 us [  9377] | f();\n", "'uftrace replay'");
    text_is("  Total time   Self time       Calls  Function\n", "a report of uftrace");
    text_is("<?xml version=\"1.0\"?>\n<trace-toc>", "table of contents of a trace of Instruments");
    text_is("Active filters:\n   focus=x\nShowing nodes accounting for 1s, 9% of 9s total\n"
            "      flat  flat%   sum%        cum   cum%\n",
            "a report of pprof");
    text_is(
        "PeriodType: cpu nanoseconds\nPeriod: 10000000\nSamples:\nsamples/count cpu/nanoseconds\n",
        "'pprof -raw'");
    text_is("File: app\nType: cpu\nDuration: 10s\n-----------+-------------------------\n",
            "'pprof -traces'");
    text_is("Total: 1.12s\nROUTINE ======================== line1000\n", "a listing of pprof");
    text_is("{\n  \"format\": \"profileJSONWithSymbolicationTable,1\",\n  \"meta\": {\n",
            "a profile of Cleopatra");
    is("PK\x03\x04\x0a\0\0\0app.trace/PK\x03\x04\x0a\0\0\0app.trace/corespace/MANIFEST.plist", 60,
       "a trace of Instruments");
    is("PK\x03\x04\x0a\0\0\0app.trace/instrument_data/F699/", 39, "a trace of Instruments");
    is("PK\x03\x04\x0a\0\0\0traces/app.pb", 21, "a zip archive");
    text_is("digraph \"app\" {\nnode [style=filled]\nsubgraph cluster_L { \"File: app\" "
            "[label=\"x\"] }\n",
            "a graph for Graphviz");
}

static void json_and_markup_that_is_no_profile_is_called_that(void **state)
{
    (void)state;
    text_is("{\"a\": 1}", "this is JSON");
    text_is("\n\n[{\"a\": 1}]", "this is JSON");
    text_is("{ \"a\": 1}", "this is JSON");
    text_is("{\r\n\t\"a\": 1}", "this is JSON");
    text_is("[ {\"a\": 1}]", "this is JSON");
    text_is("{}", "this is JSON");
    text_is("{\"meta\":{\"page\":1},\"interval\":5,\"rows\":[]}", "this is JSON");
    text_is("  <?xml version='1.0'?>", "this is XML");
    text_is("<?xml version='1.0'?><!DOCTYPE svg ><svg><!-- Flame graph stack visualization.",
            "a picture of a flame graph");
    text_is("<?xml version='1.0'?><svg><text>Flame Graph</text>", "a picture of a flame graph");
    text_is("<svg><title>Flame graph</title>", "a picture of a flame graph");
    text_is("<?xml version='1.0'?>\n<svg><path/>", "an SVG picture");
    text_is("<!DOCTYPE svg PUBLIC>\n<svg>", "an SVG picture");
    text_is("<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n", "errors of valgrind");
    text_is("\n<!DOCTYPE html>", "a web page");
}

static void anything_else_is_unknown(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "H",
                                        "\n",
                                        "main;a 1\n",
                                        "Dear reader,\n",
                                        "[New LWP 9138]\n",
                                        "{{closure}};a 1\n",
                                        "[[kernel]];a 1\n",
                                        "*version of something\n",
                                        "[",
                                        "events: we like them\n",
                                        "v 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_null(flm_other_file(flm_bytes_of(texts[i])));
    assert_null(flm_other_file((struct flm_bytes){"FLR", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_in_other_formats_are_named),
        cmocka_unit_test(json_and_markup_that_is_no_profile_is_called_that),
        cmocka_unit_test(anything_else_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
