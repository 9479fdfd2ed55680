#include "cli/report/top_messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/report/print.h"

/* "last 10 s", "all 83 s" */
static void add_span(const struct flm_live_state *state, struct flm_text *out)
{
    double seconds = state->info.duration_s;
    flm_text_puts(out, state->all ? "all " : "last ");
    if (seconds < 2.95 && fabs(seconds - round(seconds)) > 0.05) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.1f", seconds);
        flm_text_puts(out, digits);
    } else {
        flm_add_count(out, (uint64_t)llround(seconds));
    }
    flm_text_puts(out, " s");
}

static const char *before_first(const struct flm_live_state *state)
{
    return state->is_reading ? "reading symbols" : "waiting for the first samples";
}

void flm_top_write_status(const struct flm_live_state *state, struct flm_text *out)
{
    double busy = state->processors_busy;
    const struct flm_live_info *info = &state->info;
    char digits[32];
    if (state->sums == 0) {
        flm_text_puts(out, before_first(state));
        return;
    }
    add_span(state, out);
    flm_text_puts(out, ": ");
    flm_add_count(out, info->samples);
    flm_text_puts(out, info->samples == 1 ? " sample" : " samples");
    if (busy >= 0) {
        snprintf(digits, sizeof digits,
                 busy > 0 && busy < 0.095 ? "%.2f"
                 : busy > 0               ? "%.1f"
                                          : "%.0f",
                 busy);
        flm_text_format(out, ", %s CPUs busy", digits);
    }
    flm_text_puts(out, ", ");
    flm_add_count(out, info->lost);
    flm_text_puts(out, " lost");
    if (info->duration_s > 0) {
        flm_text_puts(out, ", own cost ");
        flm_add_percent(out, info->own_cpu_s, info->duration_s);
        if (state->own_size_bytes > 0) {
            flm_text_puts(out, " and ");
            flm_add_quantity(out, (double)state->own_size_bytes, "bytes");
        }
    }
}

void flm_top_write_empty(const struct flm_live_state *state, struct flm_text *out)
{
    if (state->phase == FLM_LIVE_FAILED)
        flm_text_puts(out, state->why.text);
    else if (state->sums == 0)
        flm_text_puts(out, before_first(state));
    else if (state->all)
        flm_text_puts(out, "nothing has run since the start");
    else {
        flm_text_puts(out, "nothing ran in the ");
        add_span(state, out);
    }
}

void flm_top_write_phase(const struct flm_live_state *state, const char *time, struct flm_text *out)
{
    int status = state->exit_status;
    if (state->phase == FLM_LIVE_RUNS) {
        flm_text_puts(out, state->is_reading ? "live, reading symbols" : "live");
    } else if (state->phase == FLM_LIVE_FAILED) {
        flm_text_puts(out, "failed: ");
        flm_text_puts(out, state->why.text);
    } else {
        flm_text_format(out, "ended at %s", time);
        if (status != -1 && WIFSIGNALED(status))
            flm_text_format(out, ", signal %d", WTERMSIG(status));
        else if (status != -1)
            flm_text_format(out, ", exit status %d", WEXITSTATUS(status));
    }
}

void flm_top_write_file_name(const char *name, const char *time, struct flm_text *out)
{
    flm_text_puts(out, "top-");
    for (const char *at = name; *at; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || strchr("._+-", *at);
        flm_text_putc(out, is_plain ? *at : '_');
    }
    flm_text_format(out, "-%s.flm", time);
}
