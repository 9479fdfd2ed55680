/* top_plain.c - a table every interval, of what came in it: for pipes, files, and other programs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "cli/command/top.h"
#include "cli/common/terminal.h"
#include "cli/report/report.h"
#include "cli/report/top_messages.h"

/* Written by the handler. */
static volatile sig_atomic_t stopped;

static void remember(int number)
{
    stopped = number;
}

static void add_json(const struct flm_report *r, const struct flm_live_state *state,
                     const char *name, const uint32_t *order, uint32_t count)
{
    struct flm_json_writer json = {.out = r->out};
    uint32_t shown = r->rows > 0 && r->rows < count ? r->rows : count;
    double hidden = 0, busy = state->processors_busy;
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "time", flm_bytes_of(time));
    flm_json_add_text(&json, "target", flm_bytes_of(name));
    flm_json_add_number(&json, "duration_s", state->info.duration_s);
    flm_json_add_number(&json, "samples", (double)state->info.samples);
    flm_json_add_number(&json, "lost", (double)state->info.lost);
    if (busy >= 0)
        flm_json_add_number(&json, "processors_busy", busy);
    else
        flm_json_add_null(&json, "processors_busy");
    flm_json_add_number(&json, "own_cpu_s", state->info.own_cpu_s);
    flm_json_add_number(&json, "own_size_bytes", (double)state->own_size_bytes);
    flm_json_add_text(&json, "metric", r->metric_name);
    flm_json_add_text(&json, "unit", r->unit);
    flm_json_add_number(&json, "total", r->total);
    flm_json_begin(&json, "functions", FLM_JSON_ARRAY_LINE);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_function *function = &r->functions.function[order[i]];
        if (i >= shown) {
            hidden += function->self;
            continue;
        }
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_report_json_function(r, &json, function);
        flm_json_add_number(&json, "self", function->self);
        flm_json_add_number(&json, "total", function->total);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    flm_json_add_number(&json, "hidden_functions", count - shown);
    flm_json_add_number(&json, "hidden_self", hidden);
    flm_json_end(&json);
}

static bool add_json_line(const struct flm_report *r, const struct flm_live_state *state,
                          const char *name, struct flm_error *why)
{
    uint32_t *order = malloc((r->functions.count + 1) * sizeof *order);
    uint32_t count = order ? flm_functions_sort(&r->functions, r->sort, order) : FLM_NONE;
    if (count != FLM_NONE)
        add_json(r, state, name, order, count);
    free(order);
    return count != FLM_NONE || flm_error_memory(why);
}

static bool add_table(struct flm_report *r, const struct flm_live_state *state,
                      struct flm_error *why)
{
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H:%M:%S", time);
    flm_text_format(r->out, "%s  ", time);
    flm_top_write_status(state, r->out);
    flm_text_puts(r->out, "\n");
    if (r->total == 0) {
        flm_top_write_empty(state, r->out);
        flm_text_puts(r->out, "\n\n");
        return true;
    }
    bool good = flm_report_top(r, why);
    flm_text_puts(r->out, "\n");
    return good;
}

static bool print(const struct flm_top *top, const struct flm_profile *profile,
                  const struct flm_live_state *state, struct flm_error *why)
{
    struct flm_text out = {0};
    struct flm_report report = {.path = top->name,
                                .profile = profile,
                                .look = flm_look_of_output(),
                                .out = &out,
                                .rows = (uint32_t)top->rows};
    bool good = flm_report_measure(&report, NULL, why) &&
                (top->json ? add_json_line(&report, state, top->name, why)
                           : add_table(&report, state, why));
    if (good && out.failed)
        good = flm_error_memory(why);
    if (good && (fwrite(out.at, 1, out.size, stdout) != out.size || fflush(stdout) != 0))
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "cannot write to standard output");
    flm_functions_clear(&report.functions);
    flm_text_clear(&out);
    return good;
}

bool flm_top_plain(struct flm_top *top, struct flm_error *why)
{
    enum { PATIENCE_MS = 200 };
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    struct flm_live_state state = {.phase = FLM_LIVE_RUNS};
    bool good = flm_live_start(top->recording, why);
    for (int printed = 0; good && !stopped && (top->tables == 0 || printed < top->tables);) {
        flm_live_wait(top->recording, PATIENCE_MS);
        struct flm_profile *profile = flm_live_next(top->recording, &state);
        if (profile) {
            good = print(top, profile, &state, why);
            printed++;
        }
        flm_profile_free(profile);
        if (!profile && state.phase != FLM_LIVE_RUNS)
            break;
    }
    if (good && state.phase == FLM_LIVE_FAILED) {
        *why = state.why;
        return false;
    }
    return good;
}
