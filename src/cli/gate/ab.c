#include "cli/gate/ab.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/utf.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "flamel/compare.h"
#include "os/clock.h"
#include "os/thread/processors.h"

static const char *const groups[2] = {"base", "new"};

/* The path of something in the folder: good until the next one. NULL, and `why`, without memory. */
static const char *path_of(struct flm_ab *ab, const char *name, struct flm_error *why)
{
    ab->path.size = 0;
    flm_text_format(&ab->path, "%s/%s", ab->options.folder, name);
    flm_text_putc(&ab->path, 0);
    if (!ab->path.failed)
        return ab->path.at;
    flm_error_memory(why);
    return NULL;
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* "0007-new.flm" */
static bool is_run(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits >= 4 &&
           (strcmp(name + digits, "-base.flm") == 0 || strcmp(name + digits, "-new.flm") == 0);
}

/* Runs that the folder has are removed, or only counted. */
static bool visit_runs(struct flm_ab *ab, bool removes, uint32_t *count, struct flm_error *why)
{
    const char *folder = ab->options.folder;
    DIR *entries = opendir(folder);
    if (!entries)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    bool good = true;
    *count = 0;
    for (struct dirent *entry; good && (entry = readdir(entries));) {
        if (!is_run(entry->d_name))
            continue;
        ++*count;
        const char *path = removes ? path_of(ab, entry->d_name, why) : NULL;
        if (removes && (!path || unlink(path) != 0))
            good = path && flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    }
    closedir(entries);
    return good;
}

/* Only when both commands have shown that they work. */
static bool make_room(struct flm_ab *ab, struct flm_error *why)
{
    uint32_t count;
    if (!visit_runs(ab, true, &count, why))
        return false;
    if (count > 0 && !ab->options.quiet)
        flm_message("the %u runs that were in %s are replaced", count, ab->options.folder);
    return true;
}

static bool open_folder(struct flm_ab *ab, struct flm_error *why)
{
    const char *folder = ab->options.folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    uint32_t count;
    if (!visit_runs(ab, false, &count, why))
        return false;
    if (count > 0 && !ab->options.replaces)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%s has runs already: give another folder, or judge them: flamel gate "
                             "--base %s/*-base.flm --new %s/*-new.flm",
                             folder, folder, folder);
    flm_text_format(&ab->log_path, "%s/output.log", folder);
    flm_text_putc(&ab->log_path, 0);
    if (ab->log_path.failed)
        return flm_error_memory(why);
    /* Appending: what a command prints and what it complains about do not write over each other. */
    ab->log = open(ab->log_path.at, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return ab->log >= 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", ab->log_path.at, strerror(errno));
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* "--processors takes numbers of CPUs, like 0 or 0-1,3, and there are 0-3 to run on, not '9'" */
static bool refuse_processors(const char *list, struct flm_error *why)
{
    int allowed[CPU_SETSIZE];
    char there[200];
    struct flm_text text;
    flm_text_init_fixed(&text, there, sizeof there);
    flm_processors_add(&text, allowed, flm_processors_allowed(allowed, CPU_SETSIZE));
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "--processors takes numbers of CPUs, like 0 or 0-1,3, and there are "
                         "%.*s to run on, not '%s'",
                         (int)text.size, text.at, list);
}

static bool read_processors(struct flm_ab *ab, struct flm_error *why)
{
    int processors[CPU_SETSIZE], allowed[CPU_SETSIZE];
    const char *list = ab->options.processors;
    if (!list)
        return true;
    size_t count = flm_processors_parse(flm_bytes_of(list), processors, CPU_SETSIZE);
    size_t allowed_count = flm_processors_allowed(allowed, CPU_SETSIZE);
    CPU_ZERO(&ab->processors);
    for (size_t i = 0; i < count; i++) {
        bool is_allowed = false;
        for (size_t k = 0; k < allowed_count; k++)
            is_allowed = is_allowed || allowed[k] == processors[i];
        if (!is_allowed)
            return refuse_processors(list, why);
        CPU_SET((unsigned)processors[i], &ab->processors);
    }
    return count > 0 || refuse_processors(list, why);
}

/* Of all runs that are recorded together; another one started in the same second is another
 * process. */
static void name_session(struct flm_ab *ab)
{
    char when[24] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    snprintf(ab->session, sizeof ab->session, "%s %ld", when, (long)getpid());
}

/* Where both start programs of two names, these are one for the comparison. */
static const char *own_name(const struct flm_ab *ab, bool is_new)
{
    const char *name[2] = {"", ""};
    for (int i = 0; i < 2; i++)
        if (ab->line[i].target)
            name[i] = flm_load_name(ab->line[i].target);
    return *name[0] && *name[1] && strcmp(name[0], name[1]) != 0 ? name[is_new] : NULL;
}

/* Whether there is such a program, and it may be recorded: a recording that never runs starts the
 * command stopped, and ends it in front of its first instruction. */
static bool check_command(const struct flm_ab *ab, int side, struct flm_error *why)
{
    struct flm_record_options options = *ab->options.recorder;
    options.size = sizeof options;
    options.command = ab->line[side].words;
    struct flm_recording *recording = flm_recording_new(&options, why);
    flm_recording_free(recording);
    return recording != NULL;
}

bool flm_ab_open(struct flm_ab *ab, const struct flm_ab_options *options, struct flm_error *why)
{
    *ab = (struct flm_ab){.options = *options, .log = -1};
    name_session(ab);
    return flm_command_line_init(&ab->line[0], options->base, why) &&
           flm_command_line_init(&ab->line[1], options->new, why) && read_processors(ab, why) &&
           check_command(ab, 0, why) && check_command(ab, 1, why) && open_folder(ab, why);
}

void flm_ab_clear(struct flm_ab *ab)
{
    for (size_t i = 0; i < ab->runs.count; i++)
        free(ab->runs.at[i].path);
    FLM_ARRAY_CLEAR(&ab->runs);
    flm_command_line_clear(&ab->line[0]);
    flm_command_line_clear(&ab->line[1]);
    flm_text_clear(&ab->path);
    flm_text_clear(&ab->log_path);
    if (ab->log >= 0)
        close(ab->log);
    *ab = (struct flm_ab){.log = -1};
}

/* ---- One run --------------------------------------------------------------------------------- */

/* The last output of the command, each line after a bar. */
static void show_output(const struct flm_ab *ab)
{
    enum { MOST = 4096, LINES = 20 };
    char text[MOST];
    off_t size = lseek(ab->log, 0, SEEK_END);
    ssize_t got = size > 0 ? pread(ab->log, text, MOST, size > MOST ? size - MOST : 0) : 0;
    if (got <= 0)
        return;
    size_t end = (size_t)got, from = end, lines = 0;
    while (end > 0 && text[end - 1] == '\n')
        end--;
    for (from = end; from > 0 && lines < LINES; from--)
        lines += text[from - 1] == '\n';
    from += lines == LINES;
    flm_message("what it printed%s:", from > 0 || size > MOST ? " last" : "");
    for (size_t i = from; i < end;) {
        const char *line_end = memchr(text + i, '\n', end - i);
        size_t stop = line_end ? (size_t)(line_end - text) : end;
        fputs("  | ", stderr);
        for (size_t k = i; k < stop; k++)
            text[k] = text[k] == '\t' ? ' ' : text[k];
        fwrite(text + i, 1, flm_utf8_mask_hidden(text + i, stop - i), stderr);
        fputc('\n', stderr);
        i = stop + 1;
    }
}

static bool judge_run(const struct flm_ab *ab, const struct flm_recorded *recording, bool is_new,
                      const char *place, struct flm_error *why)
{
    struct flm_record_result result = recording->summary.result;
    if (recording->stopped_by)
        return flm_error_set(why, FLM_ERROR_CANCELED, "stopped in %s: %u runs are in %s", place,
                             (uint32_t)ab->runs.count, ab->options.folder);
    if (recording->summary.still_runs) { /* it would disturb those after it */
        kill(result.process_id, SIGKILL);
        waitpid(result.process_id, NULL, 0);
    }
    if (flm_recorded_exit_status(recording) != 0 && !ab->options.allows_failed) {
        char ending[80];
        struct flm_text text;
        flm_text_init_fixed(&text, ending, sizeof ending - 1);
        flm_exit_status_add(&text, result.exit_status);
        ending[text.size] = 0;
        show_output(ab);
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "the %s command %s in %s, so nothing is judged (--allow-failed judges "
                             "it): %s",
                             groups[is_new], ending, place,
                             is_new ? ab->options.new : ab->options.base);
    }
    return result.counts.samples > 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "the %s command was over before a sample was taken, in %s: more of them "
                         "(-F) or more work is needed",
                         groups[is_new], place);
}

static bool record(struct flm_ab *ab, bool is_new, const char *path, const char *place,
                   const struct flm_recorded_note *notes, size_t note_count, struct flm_error *why)
{
    struct flm_recorded_options options = {
        .recorder = *ab->options.recorder,
        .output = path,
        .quiet = true,
        .notes = notes,
        .note_count = note_count,
        .is_muted = true,
        .log = ab->log,
        .processors = ab->options.processors ? &ab->processors : NULL,
    };
    struct flm_recorded recording;
    options.recorder.command = ab->line[is_new].words;
    if (ftruncate(ab->log, 0) != 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", ab->log_path.at, strerror(errno));
    bool recorded = flm_recorded_make(&recording, &options, why);
    bool good = recorded && judge_run(ab, &recording, is_new, place, why);
    flm_recorded_clear(&recording);
    if (recorded && !good)
        unlink(path);
    return good;
}

/* ---- All runs -------------------------------------------------------------------------------- */

/* "about 2 min 5 s left" of what is planned, as the runs so far have taken. */
static void add_time_left(const struct flm_ab *ab, uint32_t done, uint32_t all,
                          struct flm_text *text)
{
    if (done == 0)
        return;
    double left_s = (double)(flm_now_ns() - ab->started_ns) / 1e9 / done * (all - done);
    unsigned seconds = (unsigned)(left_s + 0.5);
    flm_text_puts(text, ", about ");
    if (seconds >= 60)
        flm_text_format(text, "%u min ", seconds / 60);
    flm_text_format(text, "%u s left", seconds % 60);
}

/* On a terminal one line that changes; in a log a line now and then. */
static void show_progress(struct flm_ab *ab, const char *place, bool is_new, uint32_t done,
                          uint32_t all)
{
    enum { OFTEN_S = 30 };
    char line[200];
    struct flm_text text;
    bool is_screen = isatty(STDERR_FILENO);
    int64_t now = flm_now_ns();
    if (ab->options.quiet || (!is_screen && now - ab->reported_ns < OFTEN_S * INT64_C(1000000000)))
        return;
    ab->reported_ns = now;
    flm_text_init_fixed(&text, line, sizeof line - 1);
    flm_text_format(&text, "%s, %s", place, groups[is_new]);
    add_time_left(ab, done, all, &text);
    line[text.size] = 0;
    if (is_screen)
        fprintf(stderr, "\r\033[K%s", line);
    else
        flm_message("%s", line);
}

static void end_progress(const struct flm_ab *ab)
{
    if (!ab->options.quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

static bool warm_up(struct flm_ab *ab, uint32_t all, struct flm_error *why)
{
    for (uint32_t i = 0; i < 2 * ab->options.warm_up; i++) {
        char place[80];
        const char *path = path_of(ab, "warm-up.flm", why);
        snprintf(place, sizeof place, "warm-up %u of %u", i + 1, 2 * ab->options.warm_up);
        if (!path)
            return false;
        show_progress(ab, place, i % 2, i, all);
        bool good = record(ab, i % 2, path, place, NULL, 0, why);
        unlink(ab->path.at);
        if (!good)
            return false;
    }
    return true;
}

static bool add_run(struct flm_ab *ab, bool is_new, uint32_t block, struct flm_error *why)
{
    if (!FLM_ARRAY_RESERVE(&ab->runs, 1))
        return flm_error_memory(why);
    uint32_t done = (uint32_t)ab->runs.count;
    char number[16], name[40], block_number[16], place[80];
    uint32_t all = ab->planned + 2 * ab->options.warm_up;
    snprintf(number, sizeof number, "%u", done + 1);
    snprintf(block_number, sizeof block_number, "%u", block + 1);
    snprintf(name, sizeof name, "%04u-%s.flm", done + 1, groups[is_new]);
    snprintf(place, sizeof place, "run %u of %u", done + 1, ab->planned);
    const char *in_folder = path_of(ab, name, why);
    char *path = in_folder ? strdup(in_folder) : NULL;
    if (!path)
        return flm_error_memory(why);
    const struct flm_recorded_note notes[] = {{FLM_NOTE_GATE_GROUP, groups[is_new]},
                                              {FLM_NOTE_GATE_RUN, number},
                                              {FLM_NOTE_GATE_BLOCK, block_number},
                                              {FLM_NOTE_GATE_SESSION, ab->session},
                                              {FLM_NOTE_GATE_COMMAND, own_name(ab, is_new)}};
    size_t note_count = sizeof notes / sizeof notes[0];
    note_count -= notes[note_count - 1].value == NULL;
    show_progress(ab, place, is_new, done + 2 * ab->options.warm_up, all);
    if (!record(ab, is_new, path, place, notes, note_count, why)) {
        free(path);
        return false;
    }
    ab->runs.at[ab->runs.count++] = (struct flm_ab_run){path, is_new, block};
    return true;
}

bool flm_ab_record(struct flm_ab *ab, uint32_t count_each, struct flm_error *why)
{
    bool is_first = ab->started_ns == 0, good = true;
    ab->planned = (uint32_t)ab->runs.count + 2 * count_each;
    if (is_first) {
        ab->started_ns = ab->reported_ns = flm_now_ns();
        if (!ab->options.quiet)
            flm_message(
                "%u runs of each command, alternately, after %u of each to warm up; what they "
                "print goes to %s",
                count_each, ab->options.warm_up, ab->log_path.at);
        good = warm_up(ab, ab->planned + 2 * ab->options.warm_up, why);
        end_progress(ab);
        good = good && make_room(ab, why);
    }
    for (uint32_t left = count_each; good && left > 0;) {
        uint32_t pairs = left > 1 ? 2 : 1, block = ab->block_count++;
        for (uint32_t i = 0; good && i < 2 * pairs; i++)
            good = add_run(ab, i == 1 || i == 2, block, why);
        left -= pairs;
    }
    end_progress(ab);
    return good;
}
