#include "cli/command/record_threads.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number/number.h"
#include "cli/common/messages.h"
#include "cli/common/record_options.h"
#include "cli/common/signals.h"
#include "cli/common/terminal.h"
#include "cli/record/previous_file.h"
#include "cli/report/print.h"
#include "cli/report/thread_dumps_summary.h"

/* Written by the handler. */
static volatile sig_atomic_t signals;
static volatile int64_t signaled_ns;

static void remember_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    if (!flm_signal_is_again(&signaled_ns))
        signals++;
}

/* Said when the VM has answered. */
struct beginning {
    int32_t process;
    double interval_ms;
    bool is_timed, is_said;
};

static bool go_on(void *context)
{
    struct beginning *b = context;
    if (!b->is_said)
        flm_message("thread dumps of process %d, every %g ms%s", b->process, b->interval_ms,
                    b->is_timed ? "" : ", until it ends, or Ctrl-C");
    b->is_said = true;
    return signals == 0;
}

/* "50" is in milliseconds; "50ms" and "2s" say it. */
static bool read_interval(const char *text, int64_t *ns, struct flm_error *why)
{
    uint64_t ms;
    *ns = 100000000;
    if (!text)
        return true;
    if (!flm_number_parse_uint(flm_bytes_of(text), &ms))
        return flm_record_parse_time("interval", text, ns, why);
    *ns = ms <= 86400000 ? (int64_t)ms * 1000000 : 0;
    return *ns > 0 || flm_error_set(why, FLM_ERROR_USAGE,
                                    "--interval is from 1 millisecond to a day, not '%s'", text);
}

static bool read_process(const char *text, int32_t *process, struct flm_error *why)
{
    uint64_t number;
    if (!flm_number_parse_uint(flm_bytes_of(text), &number) || number == 0 || number > INT32_MAX)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--threads-of takes the PID of one Java VM, not "
                             "'%s'",
                             text);
    *process = (int32_t)number;
    return true;
}

static bool print_summary(const struct flm_record_threads *o,
                          const struct flm_thread_dumps_summary *summary, struct flm_error *why)
{
    struct flm_text text = {0};
    struct flm_report_style style = flm_style_of(STDERR_FILENO);
    bool good = o->json ? flm_thread_dumps_summary_json(summary, &text, why)
                        : o->quiet || flm_thread_dumps_summary_text(summary, &style, &text, why);
    if (good)
        fwrite(text.at ? text.at : "", 1, text.size, o->json ? stdout : stderr);
    flm_text_clear(&text);
    return good;
}

static bool save(const struct flm_record_threads *o, const struct flm_profile *profile,
                 struct flm_thread_dumps_summary *summary, bool *written, struct flm_error *why)
{
    struct flm_previous_file previous = {.keeps = true, .spares = o->spares_previous};
    struct stat file;
    if (!flm_save_over_previous(profile, o->output, &previous, why))
        return false;
    *written = !previous.was_spared;
    summary->output_size = stat(o->output, &file) == 0 ? (uint64_t)file.st_size : 0;
    return true;
}

bool flm_record_threads(const struct flm_record_threads *o, bool *written, struct flm_error *why)
{
    struct beginning beginning;
    struct flm_thread_dumps_options options = {.size = sizeof options,
                                               .duration_ns = o->duration_ns,
                                               .per_thread = o->per_thread,
                                               .tick = go_on,
                                               .context = &beginning};
    struct flm_thread_dumps_result result = {.size = sizeof result};
    struct flm_signals caught = {0};
    *written = false;
    if (!read_process(o->process, &options.process, why) ||
        !read_interval(o->interval, &options.interval_ns, why) ||
        !flm_record_filters_check(o->filters, why))
        return false;
    beginning = (struct beginning){options.process, (double)options.interval_ns / 1e6,
                                   o->duration_ns > 0, o->quiet};
    signals = 0;
    flm_signals_catch(&caught, remember_signal);
    struct flm_profile *profile = flm_record_thread_dumps(&options, &result, why);
    struct flm_thread_dumps_summary summary = {.result = &result,
                                               .process = options.process,
                                               .interval_s = (double)options.interval_ns / 1e9,
                                               .output = o->output};
    bool good = profile && flm_record_filters_apply(o->filters, &profile, why) &&
                save(o, profile, &summary, written, why);
    flm_signals_restore(&caught);
    summary.profile = profile;
    good = good && print_summary(o, &summary, why);
    flm_profile_free(profile);
    return good;
}
