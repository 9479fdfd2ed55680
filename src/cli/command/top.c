/* top.c - `flamel top`: what a program does now, as a live top table and flame graph. */
#include "cli/top/top.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number/number.h"
#include "base/text/utf.h"
#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/common/standard_files.h"
#include "cli/top/probe.h"
#include "cli/top/running.h"
#include "cli/tui/tui.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 20 };

struct fields {
    const char *processes, *window, *interval, *post_mortem;
    struct flm_record_fields record;
    struct flm_option_list symbols;
    int tables, rows;
    bool machine, json, samples;
    bool is_command; /* "--" stands in front of it */
};

static const struct flm_option options[] = {
    {"pid", 'p', "PID", "record these processes, with all their threads: PID,PID", FLM_OPTION_TEXT,
     offsetof(struct fields, processes)},
    {"all", 'a', NULL, "record everything that runs on this machine", FLM_OPTION_FLAG,
     offsetof(struct fields, machine)},
    {"window", 'w', "TIME", "show the last TIME (default: 10s)", FLM_OPTION_TEXT,
     offsetof(struct fields, window)},
    {"interval", 'i', "TIME", "update every TIME (default: 1s)", FLM_OPTION_TEXT,
     offsetof(struct fields, interval)},
    {"once", 0, "N", "print N tables, one each interval, and exit", FLM_OPTION_COUNT,
     offsetof(struct fields, tables)},
    {"rows", 'n', "N", "rows of a printed table (default: 20); 0: all", FLM_OPTION_COUNT,
     offsetof(struct fields, rows)},
    {"json", 0, NULL, "print a line of JSON each interval instead of a table", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"post-mortem", 0, "FILE",
     "show what a program that measured itself has left: its\nFLAMEL=file:FILE, also after kill -9",
     FLM_OPTION_TEXT, offsetof(struct fields, post_mortem)},
    {"samples", 0, NULL, "record samples also of a program that measures itself", FLM_OPTION_FLAG,
     offsetof(struct fields, samples)},
    {"frequency", 'F', "HZ", "samples per second of CPU time, or max (default: 999)",
     FLM_OPTION_TEXT, offsetof(struct fields, record.frequency)},
    {"event", 'e', "NAME", "what to sample (default: cycles, else cpu-clock)", FLM_OPTION_LIST,
     offsetof(struct fields, record.events)},
    {"off-cpu", 0, NULL,
     "record off-CPU time too: where threads wait for something\nor for a CPU, and how long",
     FLM_OPTION_FLAG, offsetof(struct fields, record.off_cpu)},
    {"call-graph", 0, "HOW",
     "how to get stacks: auto, dwarf (unwind stack dumps),\nfp (frame pointers), lbr "
     "(last branch records), none",
     FLM_OPTION_TEXT, offsetof(struct fields, record.call_graph)},
    {"no-kernel", 0, NULL, "record user space only", FLM_OPTION_FLAG,
     offsetof(struct fields, record.no_kernel)},
    {"no-inherit", 0, NULL, "do not record what the target starts", FLM_OPTION_FLAG,
     offsetof(struct fields, record.no_inherit)},
    {"per-thread", 0, NULL, "add the thread as a frame, below the command", FLM_OPTION_FLAG,
     offsetof(struct fields, record.per_thread)},
    {"no-runtime", 0, NULL,
     "leave interpreters alone: their own functions, which are\nread from outside, do not show",
     FLM_OPTION_FLAG, offsetof(struct fields, record.no_runtime)},
    {"python", 0, NULL, NULL, FLM_OPTION_FLAG, offsetof(struct fields, record.python)},
    {"java", 0, "[=LIST]",
     "load an agent into Java VMs: cpu, wall, alloc, lock (default:\ncpu); implied where the "
     "command is java",
     FLM_OPTION_MAYBE_TEXT, offsetof(struct fields, record.java)},
    {"symbols", 0, "DIR", "search DIR first for files with symbols; may be repeated",
     FLM_OPTION_LIST, offsetof(struct fields, symbols)},
    {"clones", 0, NULL, "keep clones that the compiler made apart: lex.constprop.0, lex.part.0",
     FLM_OPTION_FLAG, offsetof(struct fields, record.clones)},
};

void flm_top_time(const char *format, char *text)
{
    time_t now = time(NULL);
    struct tm parts;
    if (!localtime_r(&now, &parts) || strftime(text, FLM_TOP_TIME_SIZE, format, &parts) == 0)
        text[0] = 0;
}

/* ---- From the options to the recording ------------------------------------------------------- */

struct request {
    struct flm_record_options recorder;
    struct flm_live_options live;
    int32_t *processes;
    struct flm_symbol_paths paths;
    struct flm_text name, list, java_library;
};

static void clear(struct request *request)
{
    free(request->processes);
    flm_symbol_paths_clear(&request->paths);
    flm_text_clear(&request->name);
    flm_text_clear(&request->list);
    flm_text_clear(&request->java_library);
}

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789,")] == 0;
}

/* "node 4711", "make", "3 processes", "this machine" */
static void find_name(struct request *request)
{
    const struct flm_record_options *o = &request->recorder;
    char path[64], command[64] = "process";
    if (o->command) {
        flm_text_add(&request->name, flm_path_end(flm_bytes_of(o->command[0])));
    } else if (o->machine) {
        flm_text_puts(&request->name, "this machine");
    } else if (o->process_count == 0) {
        return; /* a file */
    } else if (o->process_count > 1) {
        flm_text_format(&request->name, "%zu processes", o->process_count);
    } else {
        snprintf(path, sizeof path, "/proc/%d/comm", o->processes[0]);
        FILE *file = fopen(path, "re");
        if (file && fgets(command, sizeof command, file))
            command[strcspn(command, "\n")] = 0;
        if (file)
            fclose(file);
        flm_text_format(&request->name, "%s %d", command, o->processes[0]);
    }
    flm_text_putc(&request->name, 0);
}

static bool check_target(const struct fields *f, int operands, struct flm_error *why)
{
    int targets = (operands > 0) + (f->processes != NULL) + f->machine + (f->post_mortem != NULL);
    if (targets == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "nothing to watch: name a process (flamel top PID), a command (flamel "
                             "top -- ./app), or everything (-a)");
    return targets == 1 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "choose one target: a command, processes, the whole machine, or a file "
                         "(--post-mortem)");
}

/* A file that nobody can run is probably a profile: pprof -top and perf top -i take one. */
static bool check_command(const char *path, struct flm_error *why)
{
    struct stat stats;
    return !path || stat(path, &stats) != 0 || !S_ISREG(stats.st_mode) || access(path, X_OK) == 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "%s is no program, and top shows programs that run; a profile's functions "
                         "are shown by: flamel report %s",
                         path, path);
}

/* A bare name is more likely to mean what runs than another one of it: `flamel top nginx` would
 * start a second server. */
static bool check_running(const char *name, struct flm_error *why)
{
    int32_t first;
    size_t count = strchr(name, '/') ? 0 : flm_running_named("", name, &first);
    if (count == 0)
        return true;
    char others[48] = "";
    if (count > 1)
        snprintf(others, sizeof others, ", and %zu more", count - 1);
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "%s runs as process %d%s: flamel top %d shows it, and flamel top -- %s "
                         "starts another one",
                         name, first, others, first, name);
}

static bool read_times(const struct fields *f, struct flm_live_options *o, struct flm_error *why)
{
    enum { MOST = 3600, LEAST_NS = 100000000 };
    int64_t window_ns = INT64_C(10000000000);
    o->interval_ns = INT64_C(1000000000);
    if ((f->interval && !flm_record_parse_time("interval", f->interval, &o->interval_ns, why)) ||
        (f->window && !flm_record_parse_time("window", f->window, &window_ns, why)))
        return false;
    if (o->interval_ns < LEAST_NS)
        return flm_error_set(why, FLM_ERROR_USAGE, "--interval must be at least 100ms");
    if (window_ns < o->interval_ns && f->window)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--window must be at least one interval (--interval %s)",
                             f->interval ? f->interval : "1s");
    o->window = (size_t)(window_ns / o->interval_ns);
    o->window = o->window > 0 ? o->window : 1;
    return o->window <= MOST ||
           flm_error_set(why, FLM_ERROR_USAGE, "--window must be at most %d intervals", MOST);
}

static bool read_options(const struct fields *f, int operands, char **words,
                         struct request *request, struct flm_error *why)
{
    struct flm_record_options *o = &request->recorder;
    const char *ids = f->processes;
    if (!check_target(f, operands, why) || !read_times(f, &request->live, why) ||
        !flm_record_fields_read(&f->record, o, why) ||
        !flm_record_symbols_read(&f->symbols, false, &request->paths, o, why))
        return false;
    if (operands > 0 && is_number(words[0])) {
        for (int i = 0; i < operands; i++) {
            flm_text_puts(&request->list, i ? "," : "");
            flm_text_puts(&request->list, words[i]);
        }
        flm_text_putc(&request->list, 0);
        if (request->list.failed)
            return flm_error_memory(why);
        ids = request->list.at;
    } else {
        o->command = operands > 0 ? words : NULL;
    }
    if (ids && !flm_record_parse_ids("pid", ids, &request->processes, &o->process_count, why))
        return false;
    o->processes = request->processes;
    if (o->command && (!check_command(o->command[0], why) ||
                       (operands == 1 && !f->is_command && !check_running(o->command[0], why))))
        return false;
    o->machine = f->machine;
    if (!flm_record_java_read(&f->record, o, &request->java_library, why))
        return false;
    find_name(request);
    return !request->name.failed || flm_error_memory(why);
}

/* ---- The command's output -------------------------------------------------------------------- */

/* On the screen there is no room for what a command writes, and keys are not meant for it; tables
 * have standard output to themselves. */
static void lend_files(struct flm_standard_files *files, bool is_screen)
{
    int nowhere = is_screen ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (is_screen)
        flm_standard_files_lend(files, nowhere, nowhere, nowhere);
    else
        flm_standard_files_lend(files, -1, STDERR_FILENO, -1);
    if (nowhere >= 0)
        close(nowhere);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool is_on_screen(const struct fields *f)
{
    return f->tables == 0 && !f->json && isatty(STDOUT_FILENO) && flm_tui_is_possible(NULL);
}

/* The file of one process that measures itself; NULL: there is none, and samples tell. */
static struct flm_attached *attach(const struct fields *f, const struct request *request)
{
    const struct flm_record_options *o = &request->recorder;
    bool is_one = o->process_count == 1 && !o->command && !o->machine && !f->samples;
    return is_one ? flm_attached_open(o->processes[0], NULL, NULL) : NULL;
}

static struct flm_top top_of(const struct fields *f, const struct request *request)
{
    return (struct flm_top){.name =
                                f->post_mortem ? flm_load_name(f->post_mortem) : request->name.at,
                            .rows = f->rows == NOT_GIVEN ? USUAL_ROWS : f->rows,
                            .tables = f->tables,
                            .json = f->json};
}

static bool sample(const struct fields *f, struct request *request, struct flm_error *why)
{
    bool is_screen = is_on_screen(f);
    struct flm_top top = top_of(f, request);
    struct flm_standard_files files;
    request->recorder.size = sizeof request->recorder;
    request->live.size = sizeof request->live;
    request->live.recording = &request->recorder;
    if (!is_screen)
        request->live.window = 1;
    if (request->recorder.command)
        lend_files(&files, is_screen);
    top.recording = flm_live_new(&request->live, why);
    if (request->recorder.command)
        flm_standard_files_take_back(&files);
    if (!top.recording)
        return false;
    bool good = is_screen ? flm_top_screen(&top, why) : flm_top_plain(&top, why);
    flm_live_free(top.recording);
    return good;
}

static bool show(const struct fields *f, struct request *request, struct flm_error *why)
{
    const struct flm_top top = top_of(f, request);
    if (f->post_mortem)
        return flm_top_post_mortem(&top, f->post_mortem, is_on_screen(f), why);
    struct flm_attached *attached = attach(f, request);
    return attached ? flm_top_probe(&top, request->recorder.processes[0], attached,
                                    request->live.interval_ns, is_on_screen(f), why)
                    : sample(f, request, why);
}

/* Words after a command belong to it; options may follow a process. */
static int parse(const struct flm_command *command, struct fields *f, int count, char **words,
                 struct flm_error *why)
{
    const struct fields none = *f;
    struct flm_command looser = *command;
    char **given = calloc((size_t)count + 1, sizeof *given);
    if (!given) {
        flm_error_memory(why);
        return -1;
    }
    memcpy(given, words, (size_t)count * sizeof *given);
    int operands = flm_options_parse(command, f, count, words, why);
    if (operands > 0 && is_number(words[0])) {
        *f = none;
        looser.ends_at_operand = false;
        memcpy(words, given, (size_t)count * sizeof *given);
        operands = flm_options_parse(&looser, f, count, words, why);
    }
    free(given);
    return operands;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.rows = NOT_GIVEN, .record = FLM_RECORD_FIELDS_UNSET};
    struct request request = {0};
    struct flm_error why;
    for (int i = 0; i < count; i++)
        f.is_command |= strcmp(words[i], "--") == 0;
    int operands = parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    char **target = operands >= 0 ? flm_record_command_of(words, operands, &why) : NULL;
    bool good =
        target && read_options(&f, operands, target, &request, &why) && show(&f, &request, &why);
    clear(&request);
    free(target);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

const struct flm_command flm_command_top = {
    .name = "top",
    .synopsis = "[OPTION]... (PID... | -a | -- COMMAND... | --post-mortem FILE)",
    .summary = "show what a program does now: functions and flame graph, live",
    .description =
        "Shows where a program spent the last ten seconds, updated every second: the functions\n"
        "with the highest self value, or with the key 1 the flame graph. Search, zoom and\n"
        "transforms work as in the viewer. Space freezes the picture, s saves it, w shows\n"
        "everything since the start, ? lists the keys.\n"
        "Of a program that measures itself (flamel/probe.h) it shows what that says: time, "
        "memory,\n"
        "CPU, locks, queues, tasks, I/O, threads and values, with rates; --samples takes samples.\n"
        "Without a terminal, or with --once, tables are printed. The output of a command is not\n"
        "shown on the screen, and quitting ends the command.",
    .examples = "  flamel top 4711                    a running process\n"
                "  flamel top -a                      everything on this machine\n"
                "  flamel top -- ./app args           a command, from its start\n"
                "  flamel top --java 4711             the methods of a Java VM\n"
                "  flamel top --once 1 -i 5s 4711     one table, of five seconds\n"
                "  flamel top --json 4711 | jq .      for other programs\n"
                "  flamel top --post-mortem app.probe  what a killed program has left\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_at_operand = true,
    .run = run,
};
