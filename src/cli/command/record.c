/* record.c - `flamel record`: samples of a command, of processes or of the machine, as a
 * profile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/command/record_threads.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/common/terminal.h"
#include "cli/record/record_push.h"
#include "cli/record/recording.h"
#include "os/thread/processors.h"

struct fields {
    const char *output, *duration, *processes, *threads, *processors, *threads_of, *interval;
    struct flm_record_fields record;
    struct flm_record_filters filters;
    struct flm_record_push push;
    struct flm_option_list symbols, labels;
    bool machine, view, debuginfod, keep_raw, quiet, json, list;
};

static const char usual_output[] = "flamel.flm";

static const struct flm_option options[] = {
    {"output", 'o', "FILE",
     "write the profile to FILE (default: flamel.flm); its\nextension decides the format. The file "
     "that it was becomes FILE.old",
     FLM_OPTION_TEXT, offsetof(struct fields, output)},
    {"view", 0, NULL, "open the profile in the viewer when it is written", FLM_OPTION_FLAG,
     offsetof(struct fields, view)},
    {"pid", 'p', "PID", "record these processes, with all their threads: PID,PID", FLM_OPTION_TEXT,
     offsetof(struct fields, processes)},
    {"tid", 't', "TID", "record these threads: TID,TID", FLM_OPTION_TEXT,
     offsetof(struct fields, threads)},
    {"all", 'a', NULL, "record everything that runs on this machine", FLM_OPTION_FLAG,
     offsetof(struct fields, machine)},
    {"cpu", 'C', "LIST",
     "record only what runs on these CPUs: 0, or 0-1,3; everything\nwithout -p "
     "and -t",
     FLM_OPTION_TEXT, offsetof(struct fields, processors)},
    {"list", 0, NULL, "list the events that --event knows, and end", FLM_OPTION_FLAG,
     offsetof(struct fields, list)},
    {"duration", 'd', "TIME", "stop after TIME: 10s, 500ms, 2m", FLM_OPTION_TEXT,
     offsetof(struct fields, duration)},
    FLM_RECORD_PUSH_OPTIONS(struct fields, push, labels),
    FLM_RECORD_OPTIONS(struct fields, record),
    FLM_RECORD_FILTER_OPTIONS(struct fields, filters),
    {"threads-of", 0, "PID", "take thread dumps of a running Java VM, without an agent",
     FLM_OPTION_TEXT, offsetof(struct fields, threads_of)},
    {"interval", 0, "MS", "of --threads-of: from one dump to the next (default: 100)",
     FLM_OPTION_TEXT, offsetof(struct fields, interval)},
    {"java", 0, "[=LIST]",
     "load an agent into Java VMs: cpu, wall, alloc, lock (default:\ncpu); implied where the "
     "command is java",
     FLM_OPTION_MAYBE_TEXT, offsetof(struct fields, record.java)},
    {"by-thread", 0, NULL, NULL, FLM_OPTION_FLAG, offsetof(struct fields, record.per_thread)},
    {"symbols", 0, "DIR", "search DIR first for files with symbols; may be repeated",
     FLM_OPTION_LIST, offsetof(struct fields, symbols)},
    {"debuginfod", 0, NULL, "query the servers in DEBUGINFOD_URLS for debug information",
     FLM_OPTION_FLAG, offsetof(struct fields, debuginfod)},
    {"clones", 0, NULL, "keep clones that the compiler made apart: lex.constprop.0, lex.part.0",
     FLM_OPTION_FLAG, offsetof(struct fields, record.clones)},
    {"keep-raw", 0, NULL, "keep FILE.part: all records, readable by perf", FLM_OPTION_FLAG,
     offsetof(struct fields, keep_raw)},
    {"json", 0, NULL, "print the summary as JSON, on standard output", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"quiet", 'q', NULL, "print errors only", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
};

/* ---- From the options to those of the recorder ----------------------------------------------- */

/* With the memory that the options point to. */
struct request {
    struct flm_recorded_options options;
    int32_t *processes, *threads;
    int *processors;
    struct flm_symbol_paths paths;
    struct flm_text java_library;
};

static void clear(struct request *request)
{
    free(request->processes);
    free(request->threads);
    free(request->processors);
    flm_symbol_paths_clear(&request->paths);
    flm_text_clear(&request->java_library);
}

/* Before anything is recorded. */
static bool check_output(const struct fields *f, struct flm_error *why)
{
    struct flm_format_info format = {.size = sizeof format};
    struct flm_error reason;
    if (strcmp(f->output, "-") == 0)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "a recording cannot be written to standard output, which belongs to the command");
    struct stat file;
    if (stat(f->output, &file) == 0 && S_ISDIR(file.st_mode))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%s: this is a folder: name a file in it, such as %s/flamel.flm",
                             f->output, f->output);
    if (!flm_format_to_save(NULL, f->output, &format, &reason))
        return reason.kind == FLM_ERROR_USAGE
                   ? flm_error_set(
                         why, FLM_ERROR_USAGE,
                         "'%s': no format that can be written has this extension: use .flm, "
                         ".html, .svg or .folded ('flamel formats' lists all)",
                         f->output)
                   : flm_error_set(why, reason.kind, "%s: %s", f->output, reason.text);
    if (f->view && !flm_bytes_end_with(flm_bytes_of(f->output), ".flm"))
        return flm_error_set(why, FLM_ERROR_USAGE, "--view needs a .flm file");
    return true;
}

/* What is pushed is not written. */
static bool check_push(const struct fields *f, struct flm_error *why)
{
    const char *misplaced = flm_record_push_misplaced(&f->push, &f->labels);
    if (misplaced)
        return flm_error_set(why, FLM_ERROR_USAGE, "--%s needs --push URL", misplaced);
    const char *other = !f->push.server.url         ? NULL
                        : f->output != usual_output ? "output"
                        : f->view                   ? "view"
                        : f->keep_raw               ? "keep-raw"
                                                    : NULL;
    return !other || flm_error_set(why, FLM_ERROR_USAGE,
                                   "--push writes no file of the recording: not with --%s", other);
}

/* `-p $(pidof app)` where two run: the second number is no command. */
static bool check_no_number(const struct fields *f, int operands, char **words,
                            struct flm_error *why)
{
    const char *option = f->processes ? "-p" : "-t",
               *ids = f->processes ? f->processes : f->threads;
    if (!ids || operands == 0 || words[0][strspn(words[0], "0123456789")])
        return true;
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "%s is no command: several numbers are given as %s %s,%s", words[0],
                         option, ids, words[0]);
}

static bool check_target(const struct fields *f, int operands, struct flm_error *why)
{
    bool tasks = f->processes || f->threads;
    if (operands == 0 && !tasks && !f->machine && !f->processors)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "nothing to record: name a command (flamel record -- ./app), -p PID, -t "
            "TID, or -a ('flamel record --help' says more)");
    return !(tasks && f->machine) ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "choose one target: processes (-p, -t), or the whole machine (-a)");
}

/* Each once, ascending: the kernel has one ring for each. */
static bool read_processors(const char *list, struct request *request, struct flm_error *why)
{
    enum { MOST = FLM_PROCESSORS_MOST };
    struct flm_record_options *o = &request->options.recorder;
    char there[200];
    struct flm_text text;
    int *wanted = malloc(2 * MOST * sizeof *wanted), *online = wanted ? wanted + MOST : NULL;
    request->processors = wanted;
    if (!wanted)
        return flm_error_memory(why);
    size_t wanted_count = flm_processors_parse(flm_bytes_of(list), wanted, MOST);
    size_t online_count = flm_processors_find("", online, MOST), found = 0, known = 0;
    flm_text_init_fixed(&text, there, sizeof there);
    flm_processors_add(&text, online, online_count);
    for (size_t i = 0; i < wanted_count; i++) {
        bool is_online = false;
        for (size_t k = 0; k < online_count; k++)
            is_online = is_online || online[k] == wanted[i];
        known += is_online;
    }
    if (wanted_count == 0 || known < wanted_count)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--cpu takes numbers of CPUs, like 0 or 0-1,3, and there are "
                             "%.*s, not '%s'",
                             (int)text.size, text.at, list);
    for (size_t k = 0; k < online_count; k++)
        for (size_t i = 0; i < wanted_count; i++)
            if (wanted[i] == online[k]) {
                online[found++] = online[k];
                break;
            }
    o->processors = online;
    o->processor_count = found;
    return true;
}

static bool read_options(const struct fields *f, int operands, char **words,
                         struct request *request, struct flm_error *why)
{
    struct flm_record_options *o = &request->options.recorder;
    if (!check_target(f, operands, why) || !check_push(f, why) || !check_output(f, why) ||
        !flm_record_filters_check(&f->filters, why) ||
        !flm_record_fields_read(&f->record, o, why) ||
        !flm_record_symbols_read(&f->symbols, f->debuginfod, &request->paths, o, why))
        return false;
    if (f->duration && !flm_record_parse_time("duration", f->duration, &o->duration_ns, why))
        return false;
    if (f->processes &&
        !flm_record_parse_ids("pid", f->processes, &request->processes, &o->process_count, why))
        return false;
    if (f->threads &&
        !flm_record_parse_ids("tid", f->threads, &request->threads, &o->thread_count, why))
        return false;
    if (!check_no_number(f, operands, words, why))
        return false;
    o->command = operands > 0 ? words : NULL;
    o->processes = request->processes;
    o->threads = request->threads;
    if (f->processors && !read_processors(f->processors, request, why))
        return false;
    o->machine = f->machine || (f->processors && o->process_count == 0 && o->thread_count == 0);
    if (!flm_record_java_read(&f->record, o, &request->java_library, why))
        return false;
    o->keep_times = true;
    if (f->interval)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--interval is of --threads-of; samples have --frequency");
    request->options.filters = &f->filters;
    request->options.output = f->output;
    request->options.quiet = f->quiet;
    request->options.keep_raw = f->keep_raw;
    request->options.keeps_previous = true;
    request->options.spares_previous = strcmp(f->output, usual_output) == 0;
    return true;
}

static bool print_summary(const struct fields *f, const struct flm_record_summary *summary,
                          struct flm_error *why)
{
    struct flm_text text = {0};
    struct flm_report_style style = flm_style_of(STDERR_FILENO);
    bool good = true;
    if (f->json) {
        good = flm_record_summary_json(summary, &text, why);
        if (good)
            fwrite(text.at, 1, text.size, stdout);
    } else if (!f->quiet) {
        good = flm_record_summary_text(summary, &style, &text, why);
        if (good)
            fwrite(text.at, 1, text.size, stderr);
    }
    flm_text_clear(&text);
    return good;
}

/* What samples are made of is not what dumps are made of. */
static bool check_threads_of(const struct fields *f, int operands, struct flm_error *why)
{
    const struct flm_record_fields *r = &f->record;
    const struct {
        const char *option;
        bool is_given;
    } others[] = {
        {"a command", operands > 0},
        {"--pid", f->processes != NULL},
        {"--tid", f->threads != NULL},
        {"--all", f->machine},
        {"--cpu", f->processors != NULL},
        {"--event", r->events.count > 0},
        {"--frequency", r->frequency != NULL},
        {"--count", !isnan(r->period)},
        {"--off-cpu", r->off_cpu},
        {"--call-graph", r->call_graph != NULL},
        {"--stack-size", r->stack_size != -1},
        {"--ring-size", r->ring_mib != -1},
        {"--no-kernel", r->no_kernel},
        {"--python", r->python},
        {"--keep-raw", f->keep_raw},
        {"--push", f->push.server.url != NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].is_given)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--threads-of takes thread dumps, every --interval: not with %s",
                                 others[i].option);
    return true;
}

static bool record_threads(const struct fields *f, int operands, bool *written,
                           struct flm_error *why)
{
    struct flm_record_threads threads = {
        .process = f->threads_of,
        .interval = f->interval,
        .output = f->output,
        .filters = &f->filters,
        .per_thread = f->record.per_thread,
        .spares_previous = strcmp(f->output, usual_output) == 0,
        .quiet = f->quiet,
        .json = f->json,
    };
    return check_threads_of(f, operands, why) && check_output(f, why) &&
           (!f->duration ||
            flm_record_parse_time("duration", f->duration, &threads.duration_ns, why)) &&
           flm_record_threads(&threads, written, why);
}

static bool push(const struct fields *f, const struct request *request, int *status,
                 struct flm_error *why)
{
    struct flm_record_push p = f->push;
    p.labels = &f->labels;
    p.filters = &f->filters;
    p.recorder = request->options.recorder;
    p.quiet = f->quiet;
    p.json = f->json;
    return flm_record_push(&p, status, why);
}

/* *status receives the exit status. */
static bool record(const struct fields *f, const struct request *request, int *status,
                   bool *written, struct flm_error *why)
{
    struct flm_recorded recording;
    if (f->push.server.url)
        return push(f, request, status, why);
    bool good = flm_recorded_make(&recording, &request->options, why) &&
                print_summary(f, &recording.summary, why);
    *status = good ? flm_recorded_exit_status(&recording) : FLM_EXIT_WRONG;
    *written = good && !recording.kept_previous;
    if (good && recording.kept_previous && (f->quiet || f->json))
        flm_message("no samples: %s is left as it was", f->output);
    flm_recorded_clear(&recording);
    return good;
}

/* "cycles                hardware": of those that the machine does not have, that it does not. */
static bool print_event(void *context, const char *name, const char *kind, bool is_there)
{
    (void)context;
    printf("%-40s %s%s\n", name, kind, is_there ? "" : ", not on this machine");
    return true;
}

static int list_events(void)
{
    flm_record_events(print_event, NULL);
    return FLM_EXIT_DONE;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.output = usual_output, .record = FLM_RECORD_FIELDS_UNSET};
    struct request request = {0};
    struct flm_error why;
    bool written = false;
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (f.list)
        return list_events();
    char **target = NULL;
    bool good;
    if (f.threads_of) {
        status = FLM_EXIT_DONE;
        good = record_threads(&f, operands, &written, &why);
    } else {
        target = flm_record_command_of(words, operands, &why);
        good = target && read_options(&f, operands, target, &request, &why) &&
               record(&f, &request, &status, &written, &why);
    }
    clear(&request);
    free(target);
    if (!good)
        return flm_message_error(&why);
    int viewed = f.view && written ? flm_view_file(f.output) : FLM_EXIT_DONE;
    return viewed == FLM_EXIT_DONE ? status : viewed;
}

const struct flm_command flm_command_record = {
    .name = "record",
    .synopsis =
        "[OPTION]... (-- COMMAND... | (-p PID | -t TID | -a) [-- COMMAND...] | --threads-of PID)",
    .summary = "sample a program while it runs",
    .description =
        "Samples the call stacks of a command, of running processes or of the machine, 999 times\n"
        "per second of CPU time. Threads and child processes are included. When the target ends,\n"
        "or at Ctrl-C, the profile is written and a summary printed. The exit status is that of\n"
        "the command. With -p, -t and -a a command only says how long to record.\n"
        "Programs need no special compilation: stacks are unwound without frame pointers, names\n"
        "come from symbol tables, and lines from debug information (gcc -g).",
    .examples =
        "  flamel record -- ./app args             a command; then: flamel view flamel.flm\n"
        "  flamel record --view -- ./app           and open its flame graph\n"
        "  flamel record -p 4711 --duration 10s    a running process, for ten seconds\n"
        "  flamel record --off-cpu -- ./app        on-CPU and off-CPU time\n"
        "  flamel record -a -d 5s -o machine.html  the whole machine, as one page\n"
        "  flamel record -p 4711 -- ./load-test    a process, as long as the command runs\n"
        "  flamel record -e page-faults -- ./app   where memory is first touched\n"
        "  flamel record --threads-of 4711 -d 10s  what the threads of a Java VM wait for\n"
        "  flamel record --push http://127.0.0.1:4040 --service app -- ./app\n"
        "                                          always, to a server: flamel serve\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_at_operand = true,
    .run = run,
};
