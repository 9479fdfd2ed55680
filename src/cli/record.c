/* record.c - `flamel record`: samples of a command, of processes or of the machine, as a profile.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/load_options.h"
#include "cli/messages.h"
#include "cli/record_options.h"
#include "cli/record_summary.h"
#include "cli/terminal.h"
#include "flamel/file.h"
#include "format/format.h"
#include "io/pictures.h"
#include "record/recorder.h"

struct fields {
    const char *output, *duration, *call_graph, *processes, *threads;
    struct flm_option_list events, symbols;
    double frequency, period;
    int ring_mib, stack_size; /* -1, and no number above: not given */
    bool machine, off_cpu, view, no_kernel, no_inherit, python, debuginfod, keep_raw, quiet, json,
        stacks, per_thread;
};

static const struct flm_option options[] = {
    {"output", 'o', "FILE", "where to write (default: flamel.flm); its end says the\nformat",
     FLM_OPTION_TEXT, offsetof(struct fields, output)},
    {"view", 0, NULL, "open the profile when it is written", FLM_OPTION_FLAG,
     offsetof(struct fields, view)},
    {"pid", 'p', "PID", "record these processes, with all their threads: PID,PID", FLM_OPTION_TEXT,
     offsetof(struct fields, processes)},
    {"tid", 't', "TID", "record these threads: TID,TID", FLM_OPTION_TEXT,
     offsetof(struct fields, threads)},
    {"all", 'a', NULL, "record everything that runs on this machine", FLM_OPTION_FLAG,
     offsetof(struct fields, machine)},
    {"duration", 'd', "TIME", "stop after so long: 10s, 500ms, 2m", FLM_OPTION_TEXT,
     offsetof(struct fields, duration)},
    {"frequency", 'F', "HZ", "samples a second of CPU time (default: 999)", FLM_OPTION_NUMBER,
     offsetof(struct fields, frequency)},
    {"count", 'c', "N", "a sample every N events instead", FLM_OPTION_NUMBER,
     offsetof(struct fields, period)},
    {"event", 'e', "NAME",
     "what to sample: cycles, cpu-clock, page-faults,\nsched:sched_switch ... "
     "(default: cycles, else cpu-clock)",
     FLM_OPTION_LIST, offsetof(struct fields, events)},
    {"off-cpu", 0, NULL, "record waiting too: where threads do not run, and how\nlong",
     FLM_OPTION_FLAG, offsetof(struct fields, off_cpu)},
    {"call-graph", 0, "HOW",
     "how stacks are found: auto, dwarf (unwound from\ncopies), fp (frame "
     "pointers), lbr (branch records),\nnone",
     FLM_OPTION_TEXT, offsetof(struct fields, call_graph)},
    {"call-stacks", 'g', NULL, "stacks, as without it: for hands that know perf", FLM_OPTION_FLAG,
     offsetof(struct fields, stacks)},
    {"stack-size", 0, "BYTES", "of the stack that are copied (default: 16384)", FLM_OPTION_COUNT,
     offsetof(struct fields, stack_size)},
    {"no-kernel", 0, NULL, "user space alone", FLM_OPTION_FLAG, offsetof(struct fields, no_kernel)},
    {"no-inherit", 0, NULL, "not what the target starts", FLM_OPTION_FLAG,
     offsetof(struct fields, no_inherit)},
    {"per-thread", 0, NULL, "the outermost frame is the thread", FLM_OPTION_FLAG,
     offsetof(struct fields, per_thread)},
    {"python", 0, NULL, "functions of CPython too, read from outside", FLM_OPTION_FLAG,
     offsetof(struct fields, python)},
    {"symbols", 0, "DIR", "look for files with symbols in DIR first; may be repeated",
     FLM_OPTION_LIST, offsetof(struct fields, symbols)},
    {"debuginfod", 0, NULL, "ask the servers in DEBUGINFOD_URLS for what is missing",
     FLM_OPTION_FLAG, offsetof(struct fields, debuginfod)},
    {"ring-size", 0, "MIB", "of each processor's ring, where that much may be locked",
     FLM_OPTION_COUNT, offsetof(struct fields, ring_mib)},
    {"keep-raw", 0, NULL, "keep FILE.part, which has every record", FLM_OPTION_FLAG,
     offsetof(struct fields, keep_raw)},
    {"json", 0, NULL, "the summary as JSON on standard output", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"quiet", 'q', NULL, "say nothing but errors", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
};

/* ---- From the options to those of the recorder --------------------------------------------------
 */

/* What the recorder's options point to. */
struct request {
    struct flm_recorder_options options;
    int32_t *processes, *threads;
    struct flm_text spool;
    struct flm_symbol_paths paths;
};

static void clear(struct request *request)
{
    free(request->processes);
    free(request->threads);
    flm_text_clear(&request->spool);
    flm_symbol_paths_clear(&request->paths);
}

/* It is found out before anything is recorded whether it can be written. */
static bool check_output(const struct fields *f, struct flm_error *why)
{
    const struct flm_format *format = flm_format_for_file(f->output);
    if (strcmp(f->output, "-") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a recording is written to a file: standard output is the command's");
    if (!flm_picture_format_for_file(f->output) && !(format && flm_format_can_be_written(format)))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "'%s' is no format that can be written: end it in .flm, .html, .svg "
                             "or .folded ('flamel formats' lists all)",
                             f->output);
    if (f->view && !flm_bytes_end_with(flm_bytes_of(f->output), ".flm"))
        return flm_error_set(why, FLM_ERROR_USAGE, "--view needs a .flm file");
    return true;
}

static bool check_target(const struct fields *f, int operands, struct flm_error *why)
{
    int targets = (operands > 0) + (f->processes || f->threads) + f->machine;
    if (targets == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "say what to record: a command (flamel record -- ./app), -p PID, -t "
                             "TID, or -a ('flamel record --help' says more)");
    if (targets > 1)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a command, processes and the whole machine are recorded one at a "
                             "time");
    bool rate_is_good = isnan(f->frequency) || f->frequency > 0;
    bool period_is_good = isnan(f->period) || (f->period >= 1 && f->period <= 1e15);
    if (!rate_is_good || !period_is_good || (!isnan(f->period) && f->period != floor(f->period)))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--frequency and --count are positive numbers, --count a whole one");
    return f->ring_mib != 0 || flm_error_set(why, FLM_ERROR_USAGE, "--ring-size is 1 MiB at least");
}

static bool read_options(const struct fields *f, int operands, char **words,
                         struct request *request, struct flm_error *why)
{
    struct flm_recorder_options *o = &request->options;
    if (!check_target(f, operands, why) || !check_output(f, why) ||
        !flm_record_parse_stacks(f->call_graph, f->stack_size, o, why) ||
        !flm_symbol_dirs_check(&f->symbols, why))
        return false;
    if (f->duration && !flm_record_parse_time("duration", f->duration, &o->duration_ns, why))
        return false;
    if (f->processes &&
        !flm_record_parse_ids("pid", f->processes, &request->processes, &o->process_count, why))
        return false;
    if (f->threads &&
        !flm_record_parse_ids("tid", f->threads, &request->threads, &o->thread_count, why))
        return false;
    flm_text_format(&request->spool, "%s.part", f->output);
    flm_text_putc(&request->spool, 0);
    if (request->spool.failed)
        return flm_error_memory(why);
    o->command = operands > 0 ? words : NULL;
    o->processes = request->processes;
    o->threads = request->threads;
    o->machine = f->machine;
    o->events = f->events.items;
    o->event_count = f->events.count;
    o->frequency_hz = isnan(f->frequency) ? 0 : f->frequency;
    o->period = isnan(f->period) ? 0 : (uint64_t)f->period;
    o->off_cpu = f->off_cpu;
    o->no_kernel = f->no_kernel;
    o->no_inherit = f->no_inherit;
    o->python = f->python;
    o->ring_size = f->ring_mib > 0 ? (size_t)f->ring_mib << 20 : 0;
    o->spool = request->spool.at;
    o->session.keep_times = true;
    o->session.per_thread = f->per_thread;
    o->session.symbols.symbol_dirs = f->symbols.items;
    o->session.symbols.symbol_dir_count = f->symbols.count;
    o->session.symbols.cache_dir = flm_symbol_cache(&request->paths);
    o->session.symbols.perf_dir = flm_symbol_perf_dir(&request->paths);
    o->session.symbols.ask_debuginfod = f->debuginfod;
    o->session.symbols.debuginfod_urls = getenv("DEBUGINFOD_URLS");
    return true;
}

/* ---- Signals ------------------------------------------------------------------------------------
 */

/* Written by the handler. */
static volatile sig_atomic_t signals, last_signal, by_terminal;

static void remember_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    signals++;
    last_signal = number;
    by_terminal = info->si_code == SI_KERNEL;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_sigaction = remember_signal, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    /* Whoever read our messages may go, and a file may be as large as is allowed: what was recorded
     * is worth more than what we say about it, and an error is told where it happens. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* What the command does with its terminal is not our business: being in the background is no
     * reason to stop when we print. */
    signal(SIGTTOU, SIG_IGN);
}

/* What is started from now on (a browser) has signals as usual. */
static void release_signals(void)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct stopping {
    bool has_command;
    int64_t since_ns; /* of the first signal; 0: none yet */
    int seen;
};

/* A command has got what the terminal sent already, and gets what was sent to us alone: once. It
 * may take its leave, which is recorded too; whoever asks twice does not want to wait for that. */
static bool go_on(void *context, struct flm_recorder *recorder)
{
    enum { PATIENCE_NS = 2000000000 };
    struct stopping *stopping = context;
    int count = signals;
    if (count == 0)
        return true;
    if (!stopping->has_command || count > 1)
        return false;
    if (stopping->since_ns == 0) {
        stopping->since_ns = now_ns();
        if (!by_terminal)
            kill(flm_recorder_result(recorder).process_id, last_signal);
    }
    return now_ns() - stopping->since_ns < PATIENCE_NS;
}

/* ---- From the recording to the file -------------------------------------------------------------
 */

/* Names of large programs take a while when they are read for the first time. */
static bool show_progress(void *context, struct flm_bytes module, size_t done, size_t count)
{
    enum { OFTEN_NS = 100 * 1000 * 1000 };
    int64_t *last_ns = context, now = now_ns();
    (void)module;
    if (now - *last_ns >= OFTEN_NS) {
        fprintf(stderr, "\r\033[Ksymbols of %zu files of %zu", done, count);
        *last_ns = now;
    }
    return true;
}

static struct flm_profile *finish(const struct fields *f, struct flm_recorder *recorder,
                                  struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    bool shows = !f->quiet && isatty(STDERR_FILENO);
    int64_t last_ns = now_ns();
    if (shows)
        fprintf(stderr, "symbols ...");
    bool good = flm_session_finish(flm_recorder_session(recorder), builder,
                                   shows ? show_progress : NULL, &last_ns, why);
    if (shows)
        fprintf(stderr, "\r\033[K");
    if (good)
        return flm_builder_finish(builder, why);
    flm_builder_free(builder);
    return NULL;
}

static uint64_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static bool print_summary(const struct fields *f, const struct flm_record_summary *summary,
                          struct flm_error *why)
{
    struct flm_text text = {0};
    struct flm_look look = flm_look_of(STDERR_FILENO);
    bool good = true;
    if (f->json) {
        good = flm_record_summary_json(summary, &text, why);
        if (good)
            fwrite(text.at, 1, text.size, stdout);
    } else if (!f->quiet) {
        good = flm_record_summary_text(summary, &look, &text, why);
        if (good)
            fwrite(text.at, 1, text.size, stderr);
    }
    flm_text_clear(&text);
    return good;
}

/* There is no other copy of what was recorded: where it was to be written the disk is full, so it
 * is written where temporary files are. False: `why` says where it is, after what was wrong. */
static bool save_elsewhere(const struct flm_profile *profile, const char *output,
                           struct flm_error *why)
{
    const char *folder = getenv("TMPDIR"), *end = strrchr(output, '.');
    struct flm_save_options save = {.compress = true};
    struct flm_text path = {0};
    flm_message_error(why);
    flm_text_format(&path, "%s/flamel-%ld%s", folder && folder[0] == '/' ? folder : "/tmp",
                    (long)getpid(), end ? end : ".flm");
    flm_text_putc(&path, 0);
    if (path.failed)
        flm_error_memory(why);
    else if (flm_save(profile, path.at, &save, why))
        flm_error_set(why, FLM_ERROR_SYSTEM, "the profile is in %s instead", path.at);
    flm_text_clear(&path);
    return false;
}

static bool write_profile(const struct fields *f, const struct request *request,
                          struct flm_recorder *recorder, struct flm_error *why)
{
    int64_t since_ns = now_ns();
    struct flm_save_options save = {.compress = true};
    struct flm_profile *profile = finish(f, recorder, why);
    struct flm_recorder_result result = flm_recorder_result(recorder);
    if (profile && result.spool_lost)
        unlink(request->spool.at); /* it is not whole, and takes the room that the profile needs */
    bool good = profile && flm_save(profile, f->output, &save, why);
    if (!good && profile && result.spool_lost) {
        save_elsewhere(profile, f->output, why);
    } else if (!good) {
        flm_message_error(why);
        flm_error_set(why, FLM_ERROR_SYSTEM, "what was recorded is in %s: flamel convert reads it",
                      request->spool.at);
    } else if (!f->keep_raw) {
        unlink(request->spool.at);
    }
    if (good) {
        struct flm_record_summary summary = {
            .profile = profile,
            .result = result,
            .command = request->options.command ? request->options.command[0] : NULL,
            .goes_on = request->options.command && result.exit_status == -1,
            .output = f->output,
            .output_size = size_of(f->output),
            .spool = f->keep_raw && !result.spool_lost ? request->spool.at : NULL,
            .finish_s = (double)(now_ns() - since_ns) / 1e9,
        };
        good = print_summary(f, &summary, why);
    }
    flm_profile_free(profile);
    return good;
}

static void explain(const struct flm_recorder *recorder)
{
    struct flm_text text = {0};
    struct flm_look look = flm_look_of(STDERR_FILENO);
    struct flm_text lines = {0};
    flm_tone_add(&text, FLM_TONE_MUTED, &look);
    flm_recorder_explain(recorder, &text);
    flm_tone_add(&text, FLM_TONE_PLAIN, &look);
    flm_lines_add(&lines, (struct flm_bytes){text.at, text.size}, &look, 2);
    if (!text.failed && !lines.failed)
        fwrite(lines.at, 1, lines.size, stderr);
    flm_text_clear(&text);
    flm_text_clear(&lines);
}

/* What another recording has left, one that was cut off, is not written over: it may be all that is
 * left of it. And what another one writes now is its own. */
static bool keep_left_records(const char *path, bool quiet, struct flm_error *why)
{
    struct flm_text kept = {0};
    struct stat left;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return true; /* there is none, or it is said when it is written */
    bool is_ours = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    bool is_file = fstat(file, &left) == 0 && S_ISREG(left.st_mode) && left.st_size > 0;
    close(file);
    if (!is_ours)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s is being written by another recording: give this one another name "
                             "(-o FILE)",
                             path);
    flm_text_format(&kept, "%s.old", path);
    flm_text_putc(&kept, 0);
    bool good = !kept.failed || flm_error_memory(why);
    if (good && is_file && rename(path, kept.at) == 0 && !quiet)
        flm_message("%s, which a recording before has left, is %s now: flamel convert reads it",
                    path, kept.at);
    flm_text_clear(&kept);
    return good;
}

static bool record(const struct fields *f, const struct request *request, struct flm_error *why)
{
    struct stopping stopping = {.has_command = request->options.command};
    if (!keep_left_records(request->spool.at, f->quiet, why))
        return false;
    struct flm_recorder *recorder = flm_recorder_new(&request->options, why);
    if (!recorder)
        return false;
    catch_signals();
    if (!f->quiet && access(f->output, F_OK) == 0)
        flm_message("%s is replaced when the new profile is whole", f->output);
    if (!f->quiet)
        explain(recorder);
    bool good = flm_recorder_run(recorder, go_on, &stopping, why);
    bool has_run = flm_recorder_result(recorder).duration_s > 0;
    /* It was started to be recorded for so long. */
    if (good && request->options.duration_ns > 0 && signals == 0)
        flm_recorder_end_command(recorder);
    good = good && write_profile(f, request, recorder, why);
    if (!has_run)
        unlink(request->spool.at);
    flm_recorder_free(recorder);
    release_signals();
    return good;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {
        .output = "flamel.flm", .frequency = NAN, .period = NAN, .ring_mib = -1, .stack_size = -1};
    struct request request = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    char **target = operands >= 0 ? flm_record_command_of(words, operands, &why) : NULL;
    bool good =
        target && read_options(&f, operands, target, &request, &why) && record(&f, &request, &why);
    clear(&request);
    free(target);
    if (!good)
        return flm_message_error(&why);
    return f.view ? flm_view_file(f.output) : FLM_EXIT_DONE;
}

const struct flm_command flm_command_record = {
    .name = "record",
    .synopsis = "[OPTION]... (-- COMMAND... | -p PID | -t TID | -a)",
    .summary = "samples of a program while it runs, as a profile",
    .description =
        "Runs a command, or looks at what runs already, and takes samples of it: where it is,\n"
        "999 times in each second that it computes, with the whole stack. Threads and children\n"
        "are followed. When it ends, or at Ctrl-C, the profile is written and summed up.\n"
        "Nothing has to be compiled for it: stacks are found without frame pointers, and names\n"
        "are read from symbols and debug information where there are any (gcc -g).",
    .examples =
        "  flamel record -- ./app args             until it ends; then: flamel view flamel.flm\n"
        "  flamel record --view -- ./app           and opens the flame graph\n"
        "  flamel record -p 4711 --duration 10s    a process that runs already\n"
        "  flamel record --off-cpu -- ./app        also where it waits, and how long\n"
        "  flamel record -a -d 5s -o machine.html  everything that runs, as one page\n"
        "  flamel record -e page-faults -- ./app   where memory is touched first\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_at_operand = true,
    .run = run,
};
