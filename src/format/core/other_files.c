#include "format/core/other_files.h"

#include "base/core/scan.h"

/* Seen in a page alone: the command reads it. */
static const char perf_data[] = "this is perf.data, without names: run 'flamel convert perf.data "
                                "-o x.flm' where it was recorded, or 'flamel view FILE'";

/* Magic numbers: the first bytes, as they are. */
/* clang-format off */
static const struct {
    const char *begins;
    size_t size;
    const char *says;
} binary[] = {
    {"\x7f" "ELF", 4, "this is a program or a library (ELF), not a profile of it"},
    {"PK\x03\x04", 4, "this is a zip archive: unpack it first"}, /* but for `bundles` */
    {"PK\x05\x06", 4, "this is an empty zip archive"},
    {"\x04\x22\x4d\x18", 4, "this is compressed with lz4: decompress it first (lz4 -d)"},
    {"\xfd" "7zXZ", 5, "this is compressed with xz: decompress it first (xz -d)"},
    {"BZh", 3, "this is compressed with bzip2: decompress it first (bzip2 -d)"},
    {"\x1f\x8b", 2, "this is compressed with gzip twice: decompress it once first (gzip -d)"},
    {"\x28\xb5\x2f\xfd", 4, "this is compressed with zstd twice: decompress it once first (zstd -d)"},
    {"PERFILE2", 8, perf_data},
    {"2ELIFREP", 8, perf_data},
    {"NVIDIA Tegra Profiler Report", 28, "this is a report of Nsight Systems: 'nsys export --type sqlite FILE' makes a database that flamel reads"},
    {"SQLite format 3", 16, "this is an SQLite database, which a page of one file does not read: open it with: flamel view FILE"},
    {"Ftrace!", 8, "this is a folder of uftrace: 'uftrace dump --chrome -d FOLDER' makes a trace that flamel reads"},
    {"go 1.", 5, "this is an execution trace of Go: 'go tool trace -pprof=TYPE' makes profiles of it"},
    {"Nettrace", 8, "this is a trace of .NET: 'dotnet-trace convert --format Speedscope' makes a profile of it"},
    {"SIMPLEPERF", 10, "this is of 'simpleperf report-sample', which a page of one file does not read: open it with: flamel view FILE"},
    {"SLOW", 4, "this is a method trace of Android, which a page of one file does not read: open it with: flamel view FILE"},
    {"JAVA PROFILE 1.0.", 17, "this is a heap dump of Java, not a profile"},
    {"gmon", 4, "this is gmon.out of gprof, without names: 'gprof PROGRAM gmon.out' makes a report that flamel reads"},
    {"tr\xfdP", 4, "this is a capture of Tracy, which flamel does not read"},
    {"\x5e\x97\xca\xfd", 4, "this is a capture of Sysprof, which flamel does not read: flamel record and perf record -g make profiles that it reads"},
    {"\x17\x08\x44tracing", 10, "this is a trace of trace-cmd, which flamel does not read: flamel record and perf record -g make profiles that it reads"},
    {"\x89PNG", 4, "this is a PNG picture, not a profile"},
    {"%PDF", 4, "this is a PDF document, not a profile"},
};

static const char of_picture[] = "this is a picture of a flame graph (SVG): flamel reads the folded stacks, or the profile, that it was drawn from";
static const char of_gprofng[] = "this is an experiment of gprofng, or a report of one, which flamel does not read: flamel record and perf record -g make profiles that it reads";
static const char of_valgrind[] = "this is a report of a tool of valgrind: flamel reads the profile that it was made of (callgrind.out.PID, cachegrind.out.PID, massif.out.PID)";
static const char of_counts[] = "these are counts of perf stat, without stacks: 'perf record -g' makes a profile that flamel reads";
static const char of_gprof_source[] = "this is source with counts (gprof -A): 'gprof PROGRAM gmon.out' makes a report that flamel reads";

/* Texts: how they begin behind blanks, and what the head has in it. */
static const struct {
    const char *begins, *has, *also; /* "": anything */
    const char *says;
} text[] = {
    {"*version", "clock=", "", "this is a method trace of Android, which a page of one file does not read: open it with: flamel view FILE"},
    {"v8-version,", "", "", "this is a log of V8: 'node --prof-process --preprocess' makes a profile of it"},
    {"<?xml", "<trace-toc", "", "this is the table of contents of a trace of Instruments: 'xctrace export --xpath' with one of its tables (time-profile) makes a profile"},
    {"", "Showing nodes accounting for", "flat%", "this is a report of pprof: flamel reads the profile that it was made of"},
    {"PeriodType:", "Samples:", "Period", "this is what 'pprof -raw' shows: flamel reads the profile that it was made of"},
    {"", "-----------+-----", "Type: ", "this is what 'pprof -traces' shows: flamel reads the profile that it was made of"},
    {"", "ROUTINE ====", "Total: ", "this is a listing of pprof: flamel reads the profile that it was made of"},
    {"{", "\"profileJSONWithSymbolicationTable,", "", "this is a profile of Cleopatra, the viewer before the Firefox Profiler, which flamel does not read"},
    {"# version\":\"uftrace", "\ndigraph \"", "", "this is a graph for Graphviz: 'uftrace dump' makes a text that flamel reads"},
    {"digraph ", "label=", "", "this is a graph for Graphviz: flamel reads the profile that it was made of"},
    {"<?xml", "<svg", "Flame graph", of_picture},
    {"<?xml", "<svg", "Flame Graph", of_picture},
    {"<?xml", "<svg", "", "this is an SVG picture, not a profile"},
    {"<?xml", "<valgrindoutput", "", "this is a report of errors of valgrind, not a profile: its tools massif and dhat make profiles of memory"},
    {"<?xml", "", "", "this is XML, but not in a format that flamel reads ('flamel formats' lists them)"},
    {"<experiment version", "<collector>", "", of_gprofng},
    {"Functions sorted by metric", "Excl.", "", of_gprofng},
    {"Functions Call Tree. Metric", "", "", of_gprofng},
    {"==", "== Command: ", "Copyright (C)", "this is what valgrind prints, not a profile: these are in files of their own (callgrind.out.PID, massif.out.PID)"},
    {"-----", "Profile data file '", "", of_valgrind},
    {"-----", "Data file: ", "Events recorded:", of_valgrind},
    {"-----", "ms_print arguments:", "", of_valgrind},
    {"", "Performance counter stats for", "", of_counts},
    {"# started on ", ",task-clock,", "", of_counts},
    {"Percent", "Source code & Disassembly of ", "", "this is what 'perf annotate' shows: flamel reads perf.data, and shows costs by line and instruction too (flamel annotate)"},
    {"*** File ", "#####", "", of_gprof_source},
    {"*** File ", " -> ", "", of_gprof_source},
    {"Total: ", " samples\n", "100.0%", "this is a report of pprof: flamel reads the profile that it was made of"},
    {"/* CTF ", "", "", "this is a trace in CTF (LTTng, perf data convert), which flamel does not read"},
    {"# Function Call Graph for '", "FUNCTION", "", "this is a report of uftrace: 'uftrace dump' makes a text that flamel reads"},
    {"", "% time     seconds  usecs/call     calls      function", "", "this is a summary of ltrace, without stacks"},
    {"# DURATION", "TID", "FUNCTION", "this is what 'uftrace replay' shows: 'uftrace dump' makes a text that flamel reads"},
    {"Total time", "Self time", "Calls", "this is a report of uftrace, without stacks: 'uftrace dump' makes a text that flamel reads"},
    {"% self  % total  name", "", "", "this is a summary of rbspy, without stacks: flamel reads the raw recording that rbspy made, too"},
    {"TRACE START [", " -> {main}()", "", "this is a trace of Xdebug, for reading: with xdebug.mode=profile it writes a profile that flamel reads"},
    {"Version: ", "\nFile format: ", "\nTRACE START [", "this is a trace of Xdebug, which flamel does not read: with xdebug.mode=profile it writes a profile"},
    {"% time ", "usecs/call", "syscall\n------", "this is a summary of strace, without stacks: 'flamel record --off-cpu' shows where a program waits"},
    {"", "execve(\"", "\", [\"", "this is a trace of system calls (strace), not a profile: 'flamel record --off-cpu' shows where a program waits"},
    {"", "\n > /", ") [0x", "this is a trace of system calls (strace), not a profile: 'flamel record --off-cpu' shows where a program waits"},
    {"<svg", "Flame graph", "", of_picture},
    {"<!DOCTYPE svg", "", "", "this is an SVG picture, not a profile"},
    {"<svg", "", "", "this is an SVG picture, not a profile"},
    {"<!DOCTYPE", "", "", "this is a web page, not a profile"},
    {"<html>", "<style> /*! TACHYONS", "", "this is a flame graph page of 0x: open the isolate-*.json file in the same folder"},
    {"<html", "", "", "this is a web page, not a profile"},
};

/* Zip archives of what programs keep as a folder: names of files near the beginning. */
static const char of_instruments[] = "this is a trace of Instruments, which flamel does not read: 'xctrace export --xpath' with one of its tables (time-profile) makes a profile";
static const struct {
    const char *has, *also, *says;
} bundles[] = {
    {".trace/", "/corespace/", of_instruments},
    {".trace/", "/instrument_data/", of_instruments},
};
/* clang-format on */

bool flm_begins_json(struct flm_bytes head)
{
    size_t i = 1;
    while (i < head.size && flm_is_one_of(head.at[i], " \t\r\n"))
        i++;
    if (i >= head.size)
        return false;
    return (head.at[0] == '{' && flm_is_one_of(head.at[i], "\"}")) ||
           (head.at[0] == '[' && head.at[i] == '{');
}

static const char *bundle(struct flm_bytes head)
{
    for (size_t i = 0; i < sizeof bundles / sizeof bundles[0]; i++)
        if (flm_bytes_start_with(head, "PK\x03\x04") && flm_bytes_contain(head, bundles[i].has) &&
            flm_bytes_contain(head, bundles[i].also))
            return bundles[i].says;
    return NULL;
}

const char *flm_other_file(struct flm_bytes head)
{
    const char *says = bundle(head);
    if (says)
        return says;
    for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++)
        if (head.size >= binary[i].size && memcmp(head.at, binary[i].begins, binary[i].size) == 0)
            return binary[i].says;
    struct flm_bytes start = head;
    while (start.size > 0 && memchr(" \t\r\n", start.at[0], 4)) {
        start.at++;
        start.size--;
    }
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        if (flm_bytes_start_with(start, text[i].begins) && flm_bytes_contain(head, text[i].has) &&
            flm_bytes_contain(head, text[i].also))
            return text[i].says;
    return flm_begins_json(start)
               ? "this is JSON, but not in a format that flamel reads ('flamel formats' lists them)"
               : NULL;
}
