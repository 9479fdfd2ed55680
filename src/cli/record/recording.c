#include "cli/record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/memory_limit.h"
#include "cli/common/messages.h"
#include "cli/common/standard_files.h"
#include "cli/common/terminal.h"
#include "cli/record/previous_file.h"
#include "cli/record/recording_signals.h"
#include "cli/report/print.h"
#include "flamel/file.h"
#include "os/clock.h"
#include "os/output.h"

/* The context of callbacks. */
struct calling {
    struct flm_recording_stopping stopping;
    bool shows_progress;
    int64_t progress_ns; /* when it was shown last */
};

static bool go_on(void *context)
{
    return flm_recording_goes_on(&((struct calling *)context)->stopping);
}

/* ---- From the recording to the file ---------------------------------------------------------- */

/* Symbols of large programs take a while when they are read for the first time. */
static bool show_progress(void *context, size_t done, size_t count)
{
    enum { OFTEN_NS = 100 * 1000 * 1000 };
    struct calling *calling = context;
    int64_t now = flm_now_ns();
    if (calling->shows_progress && now - calling->progress_ns >= OFTEN_NS) {
        fprintf(stderr, "\r\033[Kreading symbols: %zu of %zu files", done, count);
        calling->progress_ns = now;
    }
    return true;
}

static struct flm_profile *finish(struct flm_recording *recording, struct calling *calling,
                                  struct flm_error *why)
{
    calling->progress_ns = flm_now_ns();
    if (calling->shows_progress)
        fprintf(stderr, "reading symbols ...");
    struct flm_profile *profile = flm_recording_take(recording, why);
    if (calling->shows_progress)
        fprintf(stderr, "\r\033[K");
    return profile;
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

/* Writes the profile, or leaves the file that is there. */
static bool save(struct flm_recorded *recorded, const struct flm_recorded_options *o,
                 struct flm_error *why)
{
    struct flm_previous_file previous = {.keeps = o->keeps_previous, .spares = o->spares_previous};
    bool good = flm_save_over_previous(recorded->profile, o->output, &previous, why);
    recorded->kept_previous = previous.was_spared;
    recorded->replaced_previous = previous.was_replaced;
    return good;
}

/* The summary says how much is left. */
static bool filter(struct flm_recorded *recorded, const struct flm_recorded_options *o,
                   struct flm_error *why)
{
    uint32_t before = flm_profile_sample_count(recorded->profile);
    if (!o->filters || !flm_record_filters_given(o->filters))
        return true;
    if (!flm_record_filters_apply(o->filters, &recorded->profile, why))
        return false;
    recorded->filtered_out = before - flm_profile_sample_count(recorded->profile);
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static struct flm_record_result result_of(struct flm_recording *recording)
{
    struct flm_record_result result = {.size = sizeof result};
    flm_recording_result(recording, &result, NULL);
    return result;
}

static bool write_profile(struct flm_recorded *recorded, const struct flm_recorded_options *o,
                          struct calling *calling, struct flm_error *why)
{
    int64_t since_ns = flm_now_ns();
    struct flm_record_result result = result_of(recorded->recording);
    const char *spool = recorded->spool.at;
    if (!result.spool_lost) /* else there is nothing but this process */
        flm_recording_signals_may_end(spool, o->output);
    /* Only now: the command would have inherited it, and the next one of several does not. */
    if (flm_memory_limit_begin(why))
        recorded->profile = finish(recorded->recording, calling, why);
    if (recorded->profile && result.spool_lost)
        unlink(spool); /* it is not whole, and takes the room that the profile needs */
    bool good = recorded->profile && filter(recorded, o, why) && save(recorded, o, why);
    if (!good && recorded->profile && result.spool_lost) {
        save_elsewhere(recorded->profile, o->output, why);
    } else if (!good) {
        flm_message_error(why);
        flm_error_set(why, FLM_ERROR_SYSTEM, "the recording is in %s: flamel convert reads it",
                      spool);
    } else if (!o->keep_raw) {
        flm_recording_signals_wait(); /* all is done */
        unlink(spool);
    }
    flm_memory_limit_end();
    flm_recording_signals_wait();
    recorded->summary = (struct flm_record_summary){
        .profile = recorded->profile,
        .result = result,
        .command = o->recorder.command ? o->recorder.command[0] : NULL,
        .still_runs = o->recorder.command && result.exit_status == -1,
        .off_cpu = o->recorder.off_cpu,
        .output = o->output,
        .kept_previous = recorded->kept_previous,
        .replaced_previous = recorded->replaced_previous,
        .output_size = good ? size_of(o->output) : 0,
        .spool = o->keep_raw && !result.spool_lost ? spool : NULL,
        .filtered_out = recorded->filtered_out,
        .finish_s = (double)(flm_now_ns() - since_ns) / 1e9,
    };
    return good;
}

/* ---- Recording ------------------------------------------------------------------------------- */

static void explain(struct flm_recording *recording)
{
    const char *description = flm_recording_description(recording, NULL);
    struct flm_text text = {0};
    struct flm_report_style style = flm_style_of(STDERR_FILENO);
    struct flm_text lines = {0};
    flm_add_tone(&text, FLM_REPORT_TONE_MUTED, &style);
    flm_text_puts(&text, description ? description : "");
    flm_add_tone(&text, FLM_REPORT_TONE_PLAIN, &style);
    flm_add_lines(&lines, &text, &style, 2);
    if (!text.failed && !lines.failed)
        fwrite(lines.at, 1, lines.size, stderr);
    flm_text_clear(&text);
    flm_text_clear(&lines);
}

/* The records of a recording that was killed are not overwritten, because they may be all that is
 * left of it. Nor is the file of a recording that is still running. */
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
                             "another recording is writing %s: choose another name (-o FILE)",
                             path);
    flm_text_format(&kept, "%s.old", path);
    flm_text_putc(&kept, 0);
    bool good = !kept.failed || flm_error_memory(why);
    if (good && is_file && rename(path, kept.at) != 0)
        good = flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s was left by an earlier recording, and cannot be renamed %s: %s",
                             path, kept.at, strerror(errno));
    else if (good && is_file && !quiet)
        flm_message("%s, left by an earlier recording, is now %s: flamel convert reads it", path,
                    kept.at);
    flm_text_clear(&kept);
    return good;
}

static bool start(struct flm_recorded *recorded, const struct flm_recorded_options *o,
                  struct calling *calling, struct flm_error *why)
{
    struct flm_record_options options = o->recorder;
    struct flm_standard_files files;
    int nothing = -1;
    options.size = sizeof options;
    options.spool = recorded->spool.at;
    options.tick = go_on;
    options.progress = show_progress;
    options.context = calling;
    if (o->is_muted) {
        nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        flm_standard_files_lend(&files, nothing, o->log, o->log);
    }
    recorded->recording = flm_recording_new(&options, why);
    if (o->is_muted) {
        flm_standard_files_take_back(&files);
        close(nothing);
    }
    if (!recorded->recording)
        return false;
    calling->stopping.process = result_of(recorded->recording).process_id;
    /* It was started in front of its exec: what it runs has this from its first instruction. */
    if (o->processors &&
        sched_setaffinity(calling->stopping.process, sizeof *o->processors, o->processors) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "cannot set the CPU affinity of the command: %s", strerror(errno));
    for (size_t i = 0; i < o->note_count; i++)
        if (!flm_recording_note(recorded->recording, o->notes[i].key, o->notes[i].value, why))
            return false;
    return true;
}

/* Whether the folder of a new file may have it. */
static bool check_folder(const char *output, struct flm_error *why)
{
    const char *slash = strrchr(output, '/');
    struct flm_text folder = {0};
    flm_text_add(&folder, (struct flm_bytes){output, slash ? (size_t)(slash + 1 - output) : 0});
    flm_text_puts(&folder, ".");
    flm_text_putc(&folder, 0);
    bool good = !folder.failed || flm_error_memory(why);
    if (good && access(folder.at, W_OK | X_OK) != 0)
        good = flm_error_set(why, FLM_ERROR_SYSTEM,
                             "%s: cannot be written: %s: -o FILE names another place", output,
                             strerror(errno));
    flm_text_clear(&folder);
    return good;
}

bool flm_recorded_make(struct flm_recorded *recorded, const struct flm_recorded_options *o,
                       struct flm_error *why)
{
    struct calling calling = {.shows_progress = !o->quiet && isatty(STDERR_FILENO)};
    *recorded = (struct flm_recorded){0};
    flm_text_format(&recorded->spool, "%s.part", o->output);
    flm_text_putc(&recorded->spool, 0);
    if (recorded->spool.failed)
        return flm_error_memory(why);
    /* What is wrong with it is said before anything is recorded. */
    if (!flm_memory_limit_begin(why))
        return false;
    flm_memory_limit_end();
    if (!check_folder(o->output, why) || !keep_left_records(recorded->spool.at, o->quiet, why))
        return false;
    if (!start(recorded, o, &calling, why)) {
        if (recorded->recording)
            unlink(recorded->spool.at);
        return false;
    }
    flm_recording_signals_catch(&recorded->caught);
    if (!o->quiet && access(o->output, F_OK) == 0)
        flm_message("%s will be replaced%s%s%s when the new profile is complete", o->output,
                    o->keeps_previous ? ", and kept as " : "", o->keeps_previous ? o->output : "",
                    o->keeps_previous ? ".old," : "");
    if (!o->quiet)
        explain(recorded->recording);
    bool good = flm_recording_run(recorded->recording, why);
    const struct flm_record_result ran = result_of(recorded->recording);
    /* A command may turn out not to be executable when it is let go. */
    bool has_run = ran.duration_s > 0 && (good || ran.counts.samples > 0);
    recorded->stopped_by = flm_recording_signal();
    /* It was started to be recorded for so long; or to run as long as the processes do. */
    if (good && !recorded->stopped_by && result_of(recorded->recording).exit_status == -1) {
        recorded->ended_command = o->recorder.command != NULL;
        flm_recording_end_command(recorded->recording);
    }
    good = good && write_profile(recorded, o, &calling, why);
    if (!has_run)
        unlink(recorded->spool.at);
    return good;
}

int flm_recorded_exit_status(const struct flm_recorded *recorded)
{
    enum { SIGNALED = 128 }; /* as shells have it */
    int status = recorded->summary.result.exit_status;
    if (!recorded->summary.command || recorded->ended_command)
        return FLM_EXIT_DONE;
    if (status == -1)
        return recorded->stopped_by ? SIGNALED + recorded->stopped_by : FLM_EXIT_DONE;
    return WIFSIGNALED(status) ? SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Processes started from now on (a browser, the next command) inherit our original signals. */
void flm_recorded_clear(struct flm_recorded *recorded)
{
    flm_profile_free(recorded->profile);
    flm_signals_restore(&recorded->caught);
    flm_recording_free(recorded->recording);
    flm_text_clear(&recorded->spool);
    *recorded = (struct flm_recorded){0};
}
