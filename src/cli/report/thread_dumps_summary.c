#include "cli/report/thread_dumps_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/json_write.h"
#include "cli/common/remarks.h"
#include "cli/report/print.h"
#include "flamel/aggregate.h"

enum { TOP_ROWS = 10, LOG_WIDTH = 100 };

/* ---- Sums ------------------------------------------------------------------------------------ */

static double rate(const struct flm_thread_dumps_summary *s)
{
    return s->result->duration_s > 0 ? (double)s->result->dumps / s->result->duration_s : 0;
}

/* The time of each value of the label `state`, in the order of labels. */
struct states {
    double *of_label; /* by label */
    double total;
};

static bool add_up(const struct flm_profile *p, struct states *states, struct flm_error *why)
{
    const uint32_t *sets = flm_profile_sample_label_sets(p);
    const struct flm_label_record *labels = flm_profile_labels(p);
    states->total = 0;
    states->of_label = calloc((size_t)flm_profile_label_count(p) + 1, sizeof *states->of_label);
    if (!states->of_label)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < flm_profile_sample_count(p); i++) {
        uint32_t count;
        const uint32_t *members = flm_profile_label_set(p, (struct flm_label_set){sets[i]}, &count);
        double value = flm_profile_sample_value(p, (struct flm_metric){0}, i);
        states->total += value;
        for (uint32_t k = 0; k < count; k++) {
            struct flm_name key =
                flm_profile_string(p, (struct flm_string){labels[members[k]].key});
            if (flm_bytes_are((struct flm_bytes){key.at, key.size}, "state"))
                states->of_label[members[k]] += value;
        }
    }
    return true;
}

static uint32_t thread_count(const struct flm_profile *p)
{
    const struct flm_label_record *labels = flm_profile_labels(p);
    uint32_t count = 0;
    for (uint32_t i = 0; i < flm_profile_label_count(p); i++) {
        struct flm_name key = flm_profile_string(p, (struct flm_string){labels[i].key});
        count += flm_bytes_are((struct flm_bytes){key.at, key.size}, "thread");
    }
    return count;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void add_dumps(const struct flm_thread_dumps_summary *s,
                      const struct flm_report_style *style, struct flm_text *out)
{
    const struct flm_thread_dumps_result *r = s->result;
    flm_add_caption(out, "dumps", style);
    flm_add_count(out, r->dumps);
    flm_text_puts(out, " in ");
    flm_add_seconds(out, r->duration_s);
    flm_text_puts(out, ": ");
    flm_add_quantity(out, rate(s), "Hz");
    flm_text_puts(out, " of ");
    flm_add_quantity(out, 1 / s->interval_s, "Hz");
    flm_text_puts(out, " requested");
    if (r->left_out > 0) {
        flm_text_puts(out, "; ");
        flm_add_count(out, r->left_out);
        flm_text_puts(out, " left out, so that at most half of the time goes to dumps (a longer "
                           "--interval is kept)");
    }
    flm_text_putc(out, '\n');
}

static void add_states(const struct flm_thread_dumps_summary *s, const struct states *states,
                       const struct flm_report_style *style, struct flm_text *out)
{
    const struct flm_label_record *labels = flm_profile_labels(s->profile);
    uint32_t threads = thread_count(s->profile);
    bool any = false;
    flm_add_caption(out, "threads", style);
    flm_add_count(out, threads);
    flm_text_puts(out, " with Java frames");
    for (uint32_t i = 0; i < flm_profile_label_count(s->profile); i++) {
        if (states->of_label[i] == 0)
            continue;
        struct flm_name value =
            flm_profile_string(s->profile, (struct flm_string){labels[i].value});
        flm_text_puts(out, any ? ", " : ": ");
        flm_text_add_name(out, (struct flm_bytes){value.at, value.size});
        flm_text_putc(out, ' ');
        flm_add_percent(out, states->of_label[i], states->total);
        any = true;
    }
    flm_text_putc(out, '\n');
}

static void add_cpu(const struct flm_thread_dumps_summary *s, const struct flm_report_style *style,
                    struct flm_text *out)
{
    struct flm_metric cpu = flm_profile_metric_named(s->profile, "cpu");
    double at_stacks = cpu.index == FLM_NONE ? 0 : flm_profile_total(s->profile, cpu);
    flm_add_caption(out, "CPU time", style);
    if (s->result->frameless_cpu_s < 0) {
        flm_text_puts(out, "not known: this VM does not write it (JDK 11 and later do)\n");
        return;
    }
    flm_add_quantity(out, at_stacks, "ns");
    flm_text_puts(out, " at these stacks, ");
    flm_add_seconds(out, s->result->frameless_cpu_s);
    flm_text_puts(out, " of threads without Java frames (compilers, collectors)");
    if (flm_bytes_end_with(flm_bytes_of(s->output), ".flm") && at_stacks > 0) {
        flm_text_puts(out, "; where: ");
        flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
        flm_text_puts(out, "flamel report -m cpu ");
        flm_add_name(out, s->output, style);
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    }
    flm_text_putc(out, '\n');
}

static void add_cost(const struct flm_thread_dumps_summary *s, const struct flm_report_style *style,
                     struct flm_text *out)
{
    const struct flm_thread_dumps_result *r = s->result;
    double dumps = (double)r->dumps;
    flm_add_caption(out, "cost", style);
    flm_text_puts(out, "a dump took ");
    flm_add_seconds(out, r->dump_s / dumps);
    flm_text_puts(out, " (at most ");
    flm_add_seconds(out, r->longest_s);
    flm_text_puts(out, "); ");
    if (r->stopped_s < 0) {
        flm_text_puts(out, "how long the VM stood still is not known: it has no counters for it "
                           "(-XX:-UsePerfData, or a /tmp of its own)\n");
        return;
    }
    flm_text_puts(out, "all threads stood still for ");
    flm_add_seconds(out, r->stopped_s / dumps);
    flm_text_puts(out, " of it (at most ");
    flm_add_seconds(out, r->longest_stopped_s);
    flm_text_puts(out, "), ");
    flm_add_percent(out, r->stopped_s, r->duration_s);
    flm_text_puts(out, " of the time\n");
}

static void add_missed(const struct flm_thread_dumps_summary *s,
                       const struct flm_report_style *style, struct flm_text *out)
{
    struct flm_remarks at = {0};
    struct flm_text line = {0};
    for (const char *caption = "not shown"; flm_remarks_not_shown(&at, s->profile, &line);
         caption = "", line.size = 0) {
        flm_add_caption(out, caption, style);
        flm_text_add(out, (struct flm_bytes){line.at, line.size});
        flm_text_putc(out, '\n');
    }
    out->failed |= line.failed;
    flm_text_clear(&line);
    if (s->result->ended) {
        flm_add_caption(out, "ended", style);
        flm_text_format(out, "process %d, before the time was over\n", s->process);
    }
    if (s->result->is_silent) {
        flm_add_caption(out, "ended", style);
        flm_text_format(out, "process %d does not answer any more\n", s->process);
    }
}

static void add_file(const struct flm_thread_dumps_summary *s, const struct flm_report_style *style,
                     struct flm_text *out)
{
    flm_add_caption(out, "written", style);
    flm_add_name(out, s->output, style);
    flm_text_puts(out, ", ");
    flm_add_quantity(out, (double)s->output_size, "bytes");
    if (flm_bytes_end_with(flm_bytes_of(s->output), ".flm")) {
        flm_text_puts(out, ": ");
        flm_add_tone(out, FLM_REPORT_TONE_ACCENT, style);
        flm_text_puts(out, "flamel view ");
        flm_add_name(out, s->output, style);
        flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    }
    flm_text_putc(out, '\n');
}

static struct flm_report *top(const struct flm_thread_dumps_summary *s, struct flm_error *why)
{
    struct flm_report_options options = {
        .size = sizeof options, .source = s->output, .rows = TOP_ROWS};
    return flm_report_top(s->profile, &options, why);
}

bool flm_thread_dumps_summary_text(const struct flm_thread_dumps_summary *s,
                                   const struct flm_report_style *style, struct flm_text *to,
                                   struct flm_error *why)
{
    struct flm_text lines = {0}, *out = &lines;
    struct flm_report_style shown = *style;
    struct states states;
    shown.width = style->width > 0 ? style->width : LOG_WIDTH;
    if (!add_up(s->profile, &states, why))
        return false;
    struct flm_report *report = top(s, why);
    bool good =
        report && flm_report_write(report, FLM_REPORT_TEXT, &shown, flm_report_into_text, to, why);
    flm_report_free(report);
    flm_text_putc(to, '\n');
    add_dumps(s, style, out);
    add_states(s, &states, style, out);
    add_cpu(s, style, out);
    add_cost(s, style, out);
    add_missed(s, style, out);
    add_file(s, style, out);
    flm_add_lines(to, &lines, style, FLM_CAPTION_WIDTH);
    bool failed = lines.failed || to->failed;
    flm_text_clear(&lines);
    free(states.of_label);
    return good && (!failed || flm_error_memory(why));
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_known(struct flm_json_writer *json, const char *key, double value)
{
    if (value < 0)
        flm_json_add_null(json, key);
    else
        flm_json_add_number(json, key, value);
}

bool flm_thread_dumps_summary_json(const struct flm_thread_dumps_summary *s, struct flm_text *out,
                                   struct flm_error *why)
{
    const struct flm_thread_dumps_result *r = s->result;
    const struct flm_label_record *labels = flm_profile_labels(s->profile);
    struct flm_json_writer json = {.out = out};
    struct states states;
    if (!add_up(s->profile, &states, why))
        return false;
    struct flm_report *report = top(s, why);
    if (report) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
        flm_json_add_text(&json, "file", flm_bytes_of(s->output));
        flm_json_add_number(&json, "size_bytes", (double)s->output_size);
        flm_json_add_number(&json, "process", s->process);
        flm_json_add_number(&json, "dumps", (double)r->dumps);
        flm_json_add_number(&json, "dumps_left_out", (double)r->left_out);
        flm_json_add_number(&json, "duration_s", r->duration_s);
        flm_json_add_number(&json, "requested_hz", 1 / s->interval_s);
        flm_json_add_number(&json, "achieved_hz", rate(s));
        flm_json_add_number(&json, "dump_s", r->dump_s);
        flm_json_add_number(&json, "longest_dump_s", r->longest_s);
        add_known(&json, "stopped_s", r->stopped_s);
        add_known(&json, "longest_stopped_s", r->longest_stopped_s);
        add_known(&json, "cpu_without_frames_s", r->frameless_cpu_s);
        flm_json_add_bool(&json, "ended", r->ended);
        flm_json_add_bool(&json, "silent", r->is_silent);
        flm_json_add_number(&json, "threads", thread_count(s->profile));
        flm_json_begin(&json, "states_ns", FLM_JSON_OBJECT);
        for (uint32_t i = 0; i < flm_profile_label_count(s->profile); i++)
            if (states.of_label[i] > 0) {
                struct flm_name value =
                    flm_profile_string(s->profile, (struct flm_string){labels[i].value});
                char key[64];
                struct flm_text text;
                flm_text_init_fixed(&text, key, sizeof key - 1);
                flm_text_add_name(&text, (struct flm_bytes){value.at, value.size});
                key[text.size] = 0;
                flm_json_add_number(&json, key, states.of_label[i]);
            }
        flm_json_end(&json);
        flm_json_add_number(&json, "total", flm_report_fact_number(report, "total"));
        flm_report_add_functions(report, &json, FLM_JSON_ARRAY);
        flm_json_end(&json);
    }
    bool good = report != NULL;
    flm_report_free(report);
    free(states.of_label);
    return good && (!out->failed || flm_error_memory(why));
}
