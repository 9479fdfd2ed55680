#include "cli/command/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/messages.h"
#include "cli/common/standard_files.h"
#include "cli/common/terminal.h"
#include "flamel/file.h"
#include "os/clock.h"

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
    signals = 0;
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

/* What is started from now on (a browser, the next command) has signals as usual. */
static void release_signals(void)
{
    struct sigaction now;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGTTOU, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_sigaction == remember_signal)
        signal(SIGHUP, SIG_DFL);
}

struct stopping {
    bool has_command;
    int64_t since_ns; /* of the first signal; 0: none yet */
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
        stopping->since_ns = flm_now_ns();
        if (!by_terminal)
            kill(flm_recorder_result(recorder).process_id, last_signal);
    }
    return flm_now_ns() - stopping->since_ns < PATIENCE_NS;
}

/* ---- From the recording to the file -------------------------------------------------------------
 */

/* Names of large programs take a while when they are read for the first time. */
static bool show_progress(void *context, struct flm_bytes module, size_t done, size_t count)
{
    enum { OFTEN_NS = 100 * 1000 * 1000 };
    int64_t *last_ns = context, now = flm_now_ns();
    (void)module;
    if (now - *last_ns >= OFTEN_NS) {
        fprintf(stderr, "\r\033[Ksymbols of %zu files of %zu", done, count);
        *last_ns = now;
    }
    return true;
}

static struct flm_profile *finish(struct flm_recorder *recorder, bool quiet, struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    bool shows = !quiet && isatty(STDERR_FILENO);
    int64_t last_ns = flm_now_ns();
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

/* There is no other copy of what was recorded: where it was to be written the disk is full, so it
 * is written where temporary files are. False: `why` says where it is, after what was wrong. */
static bool save_elsewhere(const struct flm_profile *profile, const char *output,
                           struct flm_error *why)
{
    const char *folder = getenv("TMPDIR"), *end = strrchr(output, '.');
    struct flm_save_options save = {.size = sizeof save, .compress = true};
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

static bool write_profile(struct flm_recording *recording, const struct flm_recording_options *o,
                          struct flm_error *why)
{
    int64_t since_ns = flm_now_ns();
    struct flm_save_options save = {.size = sizeof save, .compress = true};
    struct flm_recorder_result result = flm_recorder_result(recording->recorder);
    const char *spool = recording->spool.at;
    recording->profile = finish(recording->recorder, o->quiet, why);
    if (recording->profile && result.spool_lost)
        unlink(spool); /* it is not whole, and takes the room that the profile needs */
    bool good = recording->profile && flm_save(recording->profile, o->output, &save, why);
    if (!good && recording->profile && result.spool_lost) {
        save_elsewhere(recording->profile, o->output, why);
    } else if (!good) {
        flm_message_error(why);
        flm_error_set(why, FLM_ERROR_SYSTEM, "what was recorded is in %s: flamel convert reads it",
                      spool);
    } else if (!o->keep_raw) {
        unlink(spool);
    }
    recording->summary = (struct flm_record_summary){
        .profile = recording->profile,
        .result = result,
        .command = o->recorder.command ? o->recorder.command[0] : NULL,
        .goes_on = o->recorder.command && result.exit_status == -1,
        .output = o->output,
        .output_size = good ? size_of(o->output) : 0,
        .spool = o->keep_raw && !result.spool_lost ? spool : NULL,
        .finish_s = (double)(flm_now_ns() - since_ns) / 1e9,
    };
    return good;
}

/* ---- Recording ----------------------------------------------------------------------------------
 */

static void explain(const struct flm_recorder *recorder)
{
    struct flm_text text = {0};
    struct flm_table_style look = flm_look_of(STDERR_FILENO);
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

static bool start(struct flm_recording *recording, const struct flm_recording_options *o,
                  struct flm_error *why)
{
    struct flm_recorder_options options = o->recorder;
    struct flm_standard_files files;
    int nothing = -1;
    options.spool = recording->spool.at;
    if (o->is_muted) {
        nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        flm_standard_files_lend(&files, nothing, o->log, o->log);
    }
    recording->recorder = flm_recorder_new(&options, why);
    if (o->is_muted) {
        flm_standard_files_take_back(&files);
        close(nothing);
    }
    if (!recording->recorder)
        return false;
    /* It was started in front of its exec: what it runs has this from its first instruction. */
    if (o->processors && sched_setaffinity(flm_recorder_result(recording->recorder).process_id,
                                           sizeof *o->processors, o->processors) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the command cannot be kept to processors: %s",
                             strerror(errno));
    for (size_t i = 0; i < o->note_count; i++)
        flm_session_note(flm_recorder_session(recording->recorder), o->notes[i].key,
                         flm_bytes_of(o->notes[i].value));
    return true;
}

bool flm_recording_make(struct flm_recording *recording, const struct flm_recording_options *o,
                        struct flm_error *why)
{
    struct stopping stopping = {.has_command = o->recorder.command};
    *recording = (struct flm_recording){0};
    flm_text_format(&recording->spool, "%s.part", o->output);
    flm_text_putc(&recording->spool, 0);
    if (recording->spool.failed)
        return flm_error_memory(why);
    if (!keep_left_records(recording->spool.at, o->quiet, why))
        return false;
    if (!start(recording, o, why)) {
        if (recording->recorder)
            unlink(recording->spool.at);
        return false;
    }
    catch_signals();
    if (!o->quiet && access(o->output, F_OK) == 0)
        flm_message("%s is replaced when the new profile is whole", o->output);
    if (!o->quiet)
        explain(recording->recorder);
    bool good = flm_recorder_run(recording->recorder, go_on, &stopping, why);
    bool has_run = flm_recorder_result(recording->recorder).duration_s > 0;
    recording->was_stopped = signals > 0;
    /* It was started to be recorded for so long. */
    if (good && o->recorder.duration_ns > 0 && signals == 0)
        flm_recorder_end_command(recording->recorder);
    good = good && write_profile(recording, o, why);
    if (!has_run)
        unlink(recording->spool.at);
    return good;
}

void flm_recording_clear(struct flm_recording *recording)
{
    flm_profile_free(recording->profile);
    if (recording->recorder)
        release_signals();
    flm_recorder_free(recording->recorder);
    flm_text_clear(&recording->spool);
    *recording = (struct flm_recording){0};
}
