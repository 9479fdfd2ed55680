#include "cli/report/record_summary.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text/json_write.h"
#include "cli/common/remarks.h"
#include "cli/report/delayed_samples.h"
#include "cli/report/print.h"
#include "flamel/aggregate.h"

enum { TOP_ROWS = 10, MOST_STACK = 65528, LOG_WIDTH = 100 };

/* ---- For people ------------------------------------------------------------------------------ */

/* Without decimals where they would be noise. */
static void add_rate(struct flm_text *out, double hz)
{
    flm_add_quantity(out, hz >= 100 ? round(hz) : hz, "Hz");
}

static void add_samples(const struct flm_record_summary *s, const struct flm_report_style *style,
                        struct flm_text *out)
{
    const struct flm_record_result *r = &s->result;
    flm_add_caption(out, "samples", style);
    flm_add_count(out, r->counts.samples);
    flm_text_puts(out, " in ");
    if (r->cpu_s > 0) {
        flm_add_seconds(out, r->cpu_s);
        flm_text_puts(out, " of CPU time, ");
    }
    flm_add_seconds(out, r->duration_s);
    flm_text_puts(out, r->cpu_s > 0 ? " elapsed" : "");
    if (r->achieved_hz > 0 && r->counts.samples > 0) {
        flm_text_puts(out, ": ");
        add_rate(out, r->achieved_hz);
        flm_text_puts(out, " of ");
        add_rate(out, r->requested_hz);
        flm_text_puts(out, " requested");
    }
    flm_text_putc(out, '\n');
}

static void add_filtered(const struct flm_record_summary *s, const struct flm_report_style *style,
                         struct flm_text *out)
{
    if (s->filtered_out == 0)
        return;
    flm_add_caption(out, "filtered", style);
    flm_add_count(out, s->filtered_out);
    flm_text_puts(out, s->filtered_out == 1 ? " sample is" : " samples are");
    flm_text_puts(out, " not in the profile: --thread, --state or --include left them out\n");
}

/* Each thread has a timer of its own, which starts with the thread: a thread that ends before its
 * timer fires gets no sample. perf has the same limit, but nobody should have to find that out. A
 * thread loses less than one sample by it: what is missing beyond that was lost by a timer that
 * fires late, as those of some virtual machines do. */
static void add_rate_missed(const struct flm_record_summary *s,
                            const struct flm_report_style *style, struct flm_text *out)
{
    enum { LEAST_EXPECTED = 100 }; /* samples that should be there before a rate means anything */
    const struct flm_record_result *r = &s->result;
    if (r->achieved_hz <= 0 || r->achieved_hz > 0.9 * r->requested_hz ||
        r->requested_hz * r->cpu_s < LEAST_EXPECTED || r->counts.throttled > 0 ||
        r->counts.lost > 0)
        return;
    flm_add_caption(out, "rate", style);
    double missed = (r->requested_hz - r->achieved_hz) * r->cpu_s;
    if ((double)r->counts.tasks_begun < missed / 2) {
        flm_text_puts(out, "the timer of this machine fires late, as in some virtual machines (a "
                           "lower -F is kept better)\n");
        return;
    }
    flm_text_puts(out, "threads and processes that end within ");
    flm_add_seconds(out, 1 / r->requested_hz);
    flm_text_puts(out, " are underrepresented: each thread has its own timer (-a has one for "
                       "each CPU; or use a higher -F)\n");
}

/* With a frequency the kernel adjusts the period, and so how many events a sample stands for, by
 * the samples before: at the beginning it is far off. */
static void add_guessed(const struct flm_record_summary *s, const struct flm_summary *summary,
                        const struct flm_report_style *style, struct flm_text *out)
{
    const struct flm_record_result *r = &s->result;
    struct flm_metric metric = flm_profile_metric_named(s->profile, r->event);
    if (r->counts_time || r->requested_hz <= 0 || r->events <= 0 || metric.index == FLM_NONE)
        return;
    double estimate = summary->metric[metric.index].size;
    if (fabs(estimate - r->events) <= 0.05 * r->events)
        return;
    flm_add_caption(out, "counted", style);
    flm_add_exact(out, r->events, r->event);
    flm_text_puts(out, ": the periods of the samples add up to ");
    flm_add_exact(out, estimate, "");
    flm_text_puts(out, ", for the kernel had too few to find the period (-c 1 samples every "
                       "event)\n");
}

/* "nothing" where nothing was lost: losses must stand out. */
static void add_losses(const struct flm_record_summary *s, const struct flm_report_style *style,
                       struct flm_text *out)
{
    const struct flm_record_counts *c = &s->result.counts;
    uint64_t lost = c->lost + s->result.lost_unreported;
    flm_add_caption(out, "lost", style);
    if (lost == 0) {
        flm_text_puts(out, "nothing");
    } else {
        flm_add_tone(out, FLM_REPORT_TONE_STRONG, style);
        flm_add_count(out, lost);
        flm_text_puts(out, lost == 1 ? " record" : " records");
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
        /* Of off-CPU time -F changes nothing: there is a record for each switch. */
        bool of_switches = s->off_cpu && c->stacks_unwound > 0;
        flm_text_puts(
            out, of_switches ? ": the ring buffers were full (use a larger --ring-size; or "
                               "--call-graph fp, if the program keeps frame pointers, as Go does: "
                               "with --off-cpu each switch of threads has a stack dump)"
                             : ": the ring buffers were full (use a larger --ring-size or a lower "
                               "-F)");
    }
    if (c->throttled > 0) {
        flm_text_puts(out, "; throttled ");
        flm_add_count(out, c->throttled);
        flm_text_puts(out, c->throttled == 1 ? " time" : " times");
    }
    flm_text_putc(out, '\n');
}

static bool ends_with(const char *text, const char *end)
{
    return flm_bytes_end_with(flm_bytes_of(text), end);
}

/* Why `count` of the truncated stacks are truncated; `given` adds up the stacks with a reason. */
static void add_reason(const struct flm_record_counts *c, uint64_t count, const char *reason,
                       uint64_t *given, struct flm_text *out)
{
    if (count == 0)
        return;
    flm_text_puts(out, *given == 0 ? ": " : "; ");
    if (count < c->stacks_truncated) {
        flm_add_percent(out, (double)count, (double)c->stacks_unwound);
        flm_text_putc(out, ' ');
    }
    flm_text_puts(out, reason);
    *given += count;
}

/* Threads with deeper stacks have larger stack dumps as long as they need them. */
static void add_stack_sizes(const struct flm_record_summary *s,
                            const struct flm_report_style *style, struct flm_text *out)
{
    enum { KIB = 1024 };
    const struct flm_record_result *r = &s->result;
    uint32_t with = r->threads_with_larger_stacks, without = r->threads_without_larger_stacks;
    if (with + without == 0)
        return;
    flm_add_caption(out, "dumps", style);
    flm_text_format(out, "%u KiB of each stack", (r->stack_size + KIB - 1) / KIB);
    if (with > 0)
        flm_text_format(out, "; %u thread%s needed up to %u KiB", with, with == 1 ? "" : "s",
                        (r->largest_stack_size + KIB - 1) / KIB);
    if (without > 0)
        flm_text_format(out,
                        "; %u thread%s needed more, and did not get it (too many threads or "
                        "files, lost records, or no counter left)",
                        without, without == 1 ? "" : "s");
    flm_text_putc(out, '\n');
}

/* With advice where there is any: no stack dump reaches another stack. */
static void add_stacks(const struct flm_record_summary *s, const struct flm_report_style *style,
                       struct flm_text *out)
{
    const struct flm_record_counts *c = &s->result.counts;
    uint64_t given = 0;
    if (c->stacks_truncated == 0 || c->stacks_unwound == 0)
        return;
    flm_add_caption(out, "stacks", style);
    flm_add_percent(out, (double)c->stacks_truncated, (double)c->stacks_unwound);
    flm_text_puts(out, " truncated (outermost frames missing)");
    bool was_larger =
        s->result.threads_with_larger_stacks > 0 && s->result.threads_without_larger_stacks == 0;
    add_reason(c, c->stacks_beyond_dump,
               was_larger ? "deeper than the stack dump that they had"
                          : "deeper than the stack dump",
               &given, out);
    if (c->stacks_beyond_dump > 0 && s->result.stack_size < MOST_STACK && !was_larger)
        flm_text_format(out, " (try --stack-size %d)", MOST_STACK);
    add_reason(c, c->stacks_on_other_stack,
               "continued on another stack (signal handlers and coroutines may have their own), or "
               "more than 64 KiB away",
               &given, out);
    if (given < c->stacks_truncated && ends_with(s->output, ".flm")) {
        flm_text_puts(out, given > 0 ? "; " : ": ");
        flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
        flm_text_puts(out, "flamel info ");
        flm_add_name(out, s->output, style);
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
        flm_text_puts(out, given > 0 ? " says why the others are" : " says why");
    }
    flm_text_putc(out, '\n');
}

/* A line for each, below one another; returns how many there were. */
static size_t add_remarks(const struct flm_profile *p, flm_remarks_next next, const char *caption,
                          const struct flm_report_style *style, struct flm_text *out)
{
    struct flm_remarks at = {0};
    struct flm_text line = {0};
    size_t count = 0;
    for (; next(&at, p, &line); line.size = 0, count++) {
        flm_add_caption(out, count == 0 ? caption : "", style);
        flm_text_putc(&line, 0);
        out->failed |= line.failed;
        if (!line.failed)
            flm_add_name(out, line.at, style);
        flm_text_putc(out, '\n');
    }
    flm_text_clear(&line);
    return count;
}

/* Why, of the modules with the most samples; else what helps in general. */
static void add_symbols(const struct flm_profile *p, const struct flm_metric_summary *metric,
                        const struct flm_report_style *style, struct flm_text *out)
{
    if (!metric || metric->unsymbolized == 0)
        return;
    flm_add_caption(out, "symbols", style);
    flm_add_percent(out, metric->unsymbolized, metric->size);
    flm_text_puts(out, " unsymbolized\n");
    if (add_remarks(p, flm_remarks_unsymbolized, "", style, out) == 0) {
        flm_add_caption(out, "", style);
        flm_text_puts(out, "no symbols were found (--symbols DIR, --debuginfod)\n");
    }
}

void flm_exit_status_add(struct flm_text *out, int status)
{
    if (WIFSIGNALED(status))
        flm_text_format(out, "was ended by signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
    else
        flm_text_format(out, "ended with status %d", WEXITSTATUS(status));
}

static void add_command(const struct flm_record_summary *s, const struct flm_report_style *style,
                        struct flm_text *out)
{
    int status = s->result.exit_status;
    if (!s->command || (!s->still_runs && status == 0))
        return;
    flm_add_caption(out, "command", style);
    flm_add_name(out, s->command, style);
    flm_text_putc(out, ' ');
    if (s->still_runs || status == -1)
        flm_text_format(out, "still runs, as process %d", s->result.process_id);
    else
        flm_exit_status_add(out, status);
    flm_text_putc(out, '\n');
}

/* Of the event by that name: other events have other interrupts. */
static void add_delayed(const struct flm_record_summary *s, const struct flm_report_style *style,
                        struct flm_text *out)
{
    struct flm_text line = {0};
    struct flm_metric clock = flm_profile_metric_named(s->profile, "cpu-clock");
    if (clock.index != FLM_NONE)
        flm_add_delayed_samples(s->profile, clock, &line);
    if (line.size > 0) {
        flm_add_caption(out, "kernel", style);
        flm_text_add(out, (struct flm_bytes){line.at, line.size});
        flm_text_putc(out, '\n');
    }
    out->failed |= line.failed;
    flm_text_clear(&line);
}

/* What a command has left in the background is not waited for. */
static void add_left_running(const struct flm_record_summary *s,
                             const struct flm_report_style *style, struct flm_text *out)
{
    uint32_t count = s->still_runs ? 0 : s->result.left_running;
    if (!s->command || count == 0)
        return;
    flm_add_caption(out, "left", style);
    flm_text_format(out,
                    count == 1 ? "a process of the command still runs: "
                               : "%u processes of the command still run, such as %d: ",
                    count, s->result.left_process);
    flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
    flm_text_format(out, "flamel record -p %d", s->result.left_process);
    flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    flm_text_puts(out, " records it\n");
}

/* The table shows what ran; off-CPU time is another metric. All of it is in the scheduler: the
 * function that waits is the one that called the kernel. */
static void add_off_cpu(const struct flm_record_summary *s, const struct flm_summary *summary,
                        const struct flm_report_style *style, struct flm_text *out)
{
    struct flm_metric off_cpu = flm_profile_metric_named(s->profile, "off-cpu");
    if (off_cpu.index == FLM_NONE || off_cpu.index == 0)
        return;
    flm_add_caption(out, "off-CPU", style);
    struct flm_name unit = flm_profile_string(
        s->profile, (struct flm_string){flm_profile_metric(s->profile, off_cpu)->unit});
    char size[64];
    flm_print_quantity(summary->metric[off_cpu.index].size, unit, size, sizeof size);
    flm_text_puts(out, size);
    flm_text_puts(out, ", all threads together");
    if (ends_with(s->output, ".flm")) {
        flm_text_puts(out, "; what waits: ");
        flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
        flm_text_puts(out, "flamel report -m off-cpu -a hide:kind=kernel ");
        flm_add_name(out, s->output, style);
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    }
    flm_text_putc(out, '\n');
}

static void add_file(const struct flm_record_summary *s, const struct flm_report_style *style,
                     struct flm_text *out)
{
    flm_add_caption(out, s->kept_previous ? "kept" : "written", style);
    flm_add_name(out, s->output, style);
    flm_text_puts(out, ", ");
    if (s->kept_previous)
        flm_text_puts(out, "as it was: there is nothing new");
    else
        flm_add_quantity(out, (double)s->output_size, "bytes");
    if (ends_with(s->output, ".flm") && !s->kept_previous) {
        flm_text_puts(out, ": ");
        flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
        flm_text_puts(out, "flamel view ");
        flm_add_name(out, s->output, style);
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    }
    flm_text_putc(out, '\n');
    if (s->replaced_previous) {
        flm_add_caption(out, "before", style);
        flm_add_name(out, s->output, style);
        flm_text_puts(out, ".old is the recording from before, which has samples\n");
    }
    if (s->spool) {
        flm_add_caption(out, "kept", style);
        flm_add_name(out, s->spool, style);
        flm_text_puts(out, ": all records, readable by flamel convert and perf\n");
    }
}

static bool add_top(const struct flm_record_summary *s, const struct flm_report_style *style,
                    struct flm_text *out, struct flm_error *why)
{
    /* Names of template instances have thousands of characters: too many for a log as well. */
    struct flm_report_style shown = *style;
    shown.width = style->width > 0 ? style->width : LOG_WIDTH;
    struct flm_report_options options = {
        .size = sizeof options, .source = s->output, .rows = TOP_ROWS};
    struct flm_report *report = flm_report_top(s->profile, &options, why);
    bool good =
        report && flm_report_write(report, FLM_REPORT_TEXT, &shown, flm_report_into_text, out, why);
    flm_report_free(report);
    flm_text_putc(out, '\n');
    return good;
}

static void add_no_samples(const struct flm_record_summary *s, struct flm_text *out)
{
    bool waited = s->off_cpu && !s->command;
    flm_text_puts(out, "No samples: ");
    if (!s->result.counts_time)
        flm_text_puts(out, "the event never occurred in the target");
    else if (waited)
        flm_text_puts(out, "the target did not run, and no wait began or ended");
    else
        flm_text_puts(out, "the target ran too briefly");
    if (s->result.counts_time && !s->off_cpu)
        flm_text_puts(out, ", or was off-CPU all the time (--off-cpu records that)");
    /* The kernel detaches our events from a program that gets more privileges than we have. */
    if (s->result.is_limited && s->command)
        flm_text_puts(out, "; or it has other privileges than you (setuid), which only root may "
                           "record");
    flm_text_putc(out, '\n');
}

static bool has_samples(const struct flm_profile *profile)
{
    return flm_profile_metric_count(profile) > 0 && flm_profile_node_count(profile) > 1;
}

bool flm_record_summary_text(const struct flm_record_summary *s,
                             const struct flm_report_style *style, struct flm_text *to,
                             struct flm_error *why)
{
    struct flm_text lines = {0}, *out = &lines;
    bool any = has_samples(s->profile);
    struct flm_summary *summary = flm_summary_new(s->profile, why);
    if (!summary)
        return false;
    bool good = true;
    if (any)
        good = add_top(s, style, to, why);
    else
        add_no_samples(s, out);
    add_samples(s, style, out);
    add_filtered(s, style, out);
    add_rate_missed(s, style, out);
    add_guessed(s, summary, style, out);
    if (any) {
        add_off_cpu(s, summary, style, out);
        add_delayed(s, style, out);
    }
    add_losses(s, style, out);
    add_stack_sizes(s, style, out);
    add_stacks(s, style, out);
    add_symbols(s->profile, any ? &summary->metric[0] : NULL, style, out);
    add_remarks(s->profile, flm_remarks_not_shown, "not shown", style, out);
    add_command(s, style, out);
    add_left_running(s, style, out);
    if (s->result.spool_lost) {
        flm_add_caption(out, "on disk", style);
        flm_text_format(out,
                        "records could not be spooled from some point on (%s); the profile has all "
                        "of them\n",
                        s->result.spool_lost);
    }
    add_file(s, style, out);
    flm_summary_free(summary);
    flm_add_lines(to, &lines, style, FLM_CAPTION_WIDTH);
    bool failed = lines.failed || to->failed;
    flm_text_clear(&lines);
    return good && (!failed || flm_error_memory(why));
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_result(const struct flm_record_summary *s, struct flm_json_writer *json)
{
    const struct flm_record_result *r = &s->result;
    int status = r->exit_status;
    flm_json_add_text(json, "file", flm_bytes_of(s->output));
    flm_json_add_number(json, "size_bytes", (double)s->output_size);
    flm_json_add_bool(json, "written", !s->kept_previous);
    flm_json_add_text(json, "event", flm_bytes_of(r->event));
    flm_json_add_number(json, "samples", (double)r->counts.samples);
    flm_json_add_number(json, "samples_filtered_out", s->filtered_out);
    flm_json_add_number(json, "duration_s", r->duration_s);
    flm_json_add_number(json, "cpu_s", r->cpu_s);
    flm_json_add_number(json, "requested_hz", r->requested_hz);
    if (r->achieved_hz > 0)
        flm_json_add_number(json, "achieved_hz", r->achieved_hz);
    else
        flm_json_add_null(json, "achieved_hz");
    flm_json_add_number(json, "lost", (double)(r->counts.lost + r->lost_unreported));
    flm_json_add_number(json, "throttled", (double)r->counts.throttled);
    flm_json_add_number(json, "stacks_beyond_dump", (double)r->counts.stacks_beyond_dump);
    flm_json_add_number(json, "stacks_on_other_stack", (double)r->counts.stacks_on_other_stack);
    flm_json_add_number(json, "stacks_truncated", (double)r->counts.stacks_truncated);
    flm_json_add_number(json, "stack_dump_bytes", r->stack_size);
    flm_json_add_number(json, "largest_stack_dump_bytes",
                        r->largest_stack_size ? r->largest_stack_size : r->stack_size);
    flm_json_add_number(json, "threads_with_larger_stack_dumps", r->threads_with_larger_stacks);
    flm_json_add_number(json, "threads_without_larger_stack_dumps",
                        r->threads_without_larger_stacks);
    flm_json_add_number(json, "frames_unwound", (double)r->counts.frames_unwound);
    flm_json_add_number(json, "records_late", (double)r->late);
    flm_json_add_number(json, "records_damaged", (double)r->damaged);
    flm_json_add_number(json, "recorder_cpu_s", r->recorder_cpu_s);
    flm_json_add_number(json, "finish_s", s->finish_s);
    if (s->command && status != -1 && WIFEXITED(status))
        flm_json_add_number(json, "exit_status", WEXITSTATUS(status));
    else
        flm_json_add_null(json, "exit_status");
    if (s->command && status != -1 && WIFSIGNALED(status))
        flm_json_add_number(json, "signal", WTERMSIG(status));
    else
        flm_json_add_null(json, "signal");
}

bool flm_record_summary_json(const struct flm_record_summary *s, struct flm_text *out,
                             struct flm_error *why)
{
    struct flm_json_writer json = {.out = out};
    struct flm_report_options options = {
        .size = sizeof options, .source = s->output, .rows = TOP_ROWS};
    struct flm_report *report = NULL;
    bool any = has_samples(s->profile);
    struct flm_summary *summary = flm_summary_new(s->profile, why);
    if (!summary)
        return false;
    bool good = !any || (report = flm_report_top(s->profile, &options, why)) != NULL;
    if (good) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
        add_result(s, &json);
        flm_json_add_number(&json, "unsymbolized_share",
                            any && summary->metric[0].size > 0
                                ? summary->metric[0].unsymbolized / summary->metric[0].size
                                : 0);
        if (report) {
            flm_json_add_number(&json, "total", flm_report_fact_number(report, "total"));
            flm_report_add_functions(report, &json, FLM_JSON_ARRAY);
        } else {
            flm_json_begin(&json, "functions", FLM_JSON_ARRAY);
            flm_json_end(&json);
        }
        flm_json_end(&json);
    }
    flm_report_free(report);
    flm_summary_free(summary);
    return good && (!out->failed || flm_error_memory(why));
}
