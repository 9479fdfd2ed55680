/* plain.c - a table of each interval: for pipes, files, and other programs. */
#include <stdio.h>

#include "base/text/json_write.h"
#include "cli/common/signals.h"
#include "cli/common/terminal.h"
#include "cli/report/print.h"
#include "cli/report/top_messages.h"
#include "cli/top/top.h"

/* Written by the handler. */
static volatile sig_atomic_t stopped;

static void remember(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    stopped = number;
}

static void add_json_line(const struct flm_report *report, const struct flm_live_state *state,
                          const char *name, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "time", flm_bytes_of(time));
    flm_json_add_text(&json, "target", flm_bytes_of(name));
    flm_json_add_number(&json, "duration_s", state->info.duration_s);
    flm_json_add_number(&json, "samples", (double)state->info.samples);
    flm_json_add_number(&json, "lost", (double)state->info.lost);
    double busy = state->processors_busy;
    if (busy >= 0)
        flm_json_add_number(&json, "processors_busy", busy);
    else
        flm_json_add_null(&json, "processors_busy");
    flm_json_add_number(&json, "own_cpu_s", state->info.own_cpu_s);
    flm_json_add_number(&json, "own_size_bytes", (double)state->own_size_bytes);
    struct flm_name metric = flm_report_fact_string(report, "metric.name");
    struct flm_name unit = flm_report_fact_string(report, "metric.unit");
    flm_json_add_text(&json, "metric", (struct flm_bytes){metric.at, metric.size});
    flm_json_add_text(&json, "unit", (struct flm_bytes){unit.at, unit.size});
    flm_json_add_number(&json, "total", flm_report_fact_number(report, "total"));
    flm_report_add_functions(report, &json, FLM_JSON_ARRAY_LINE);
    flm_json_add_number(&json, "hidden_functions",
                        flm_report_fact_number(report, "hidden.functions"));
    flm_json_add_number(&json, "hidden_self", flm_report_fact_number(report, "hidden.self"));
    flm_json_end(&json);
}

static bool add_table(const struct flm_report *report, const struct flm_live_state *state,
                      struct flm_text *out, struct flm_error *why)
{
    struct flm_report_style style = flm_style_of_output();
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_text_format(out, "%s  ", time);
    flm_top_write_status(state, out);
    flm_text_puts(out, "\n");
    bool is_empty = flm_report_fact_number(report, "total") == 0;
    if (is_empty)
        flm_top_write_empty(state, out);
    flm_text_puts(out, is_empty ? "\n" : "");
    bool good = is_empty ||
                flm_report_write(report, FLM_REPORT_TEXT, &style, flm_report_into_text, out, why);
    flm_text_puts(out, "\n");
    return good;
}

static bool print(const struct flm_top *top, const struct flm_profile *profile,
                  const struct flm_live_state *state, struct flm_error *why)
{
    struct flm_text out = {0};
    struct flm_report_options options = {
        .size = sizeof options, .source = top->name, .rows = (uint32_t)top->rows};
    struct flm_report *report = flm_report_top(profile, &options, why);
    bool good = report != NULL;
    if (good && top->json)
        add_json_line(report, state, top->name, &out);
    else if (good)
        good = add_table(report, state, &out, why);
    if (good && out.failed)
        good = flm_error_memory(why);
    if (good && (fwrite(out.at, 1, out.size, stdout) != out.size || fflush(stdout) != 0))
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "cannot write to standard output");
    flm_report_free(report);
    flm_text_clear(&out);
    return good;
}

bool flm_top_plain(struct flm_top *top, struct flm_error *why)
{
    enum { PATIENCE_NS = 200000000 };
    struct flm_signals caught = {0};
    flm_signals_catch(&caught, remember);
    struct flm_live_state state = {.size = sizeof state, .phase = FLM_LIVE_RUNS};
    bool good = flm_live_start(top->recording, why);
    for (int printed = 0; good && !stopped && (top->tables == 0 || printed < top->tables);) {
        flm_live_wait(top->recording, PATIENCE_NS);
        struct flm_profile *profile = flm_live_next(top->recording, &state);
        if (profile) {
            good = print(top, profile, &state, why);
            printed++;
        }
        flm_profile_free(profile);
        if (!profile && state.phase != FLM_LIVE_RUNS)
            break;
    }
    flm_signals_restore(&caught);
    if (good && state.phase == FLM_LIVE_FAILED) {
        *why = state.why;
        return false;
    }
    return good;
}
