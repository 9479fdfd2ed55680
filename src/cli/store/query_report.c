/* query_report.c - `flamel query --top`, `--gate` and `--changes`: tables and verdicts over a
 * store, or of a server. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/messages.h"
#include "cli/report/gate_output.h"
#include "cli/store/query_fields.h"
#include "flamel/gate.h"
#include "flamel/store.h"
#include "os/clock.h"
#include "os/output.h"
#include "os/thread/threads.h"
#include "store/runs/run_sides.h"

enum { DAY_MS = 24 * 3600 * 1000 };

bool flm_query_reports(const struct flm_query_fields *f)
{
    return f->top || f->gate || f->changes;
}

static const char *const form_names[] = {[FLM_REPORT_TEXT] = "text",
                                         [FLM_REPORT_MARKDOWN] = "markdown",
                                         [FLM_REPORT_JSON] = "json",
                                         [FLM_REPORT_CSV] = "csv"};

static const char *output_of(const struct flm_query_fields *f)
{
    return f->save.output ? f->save.output : "-";
}

/* As --json and the like say, or the extension of the file. */
static bool find_form(const struct flm_query_fields *f, enum flm_report_form *form,
                      struct flm_error *why)
{
    *form = flm_form_of(&f->form);
    if (f->form.json || f->form.csv || f->form.markdown || !f->save.output ||
        strcmp(f->save.output, "-") == 0 || flm_form_of_file(f->save.output, form))
        return true;
    return flm_error_set(why, FLM_ERROR_USAGE, "-o '%s': a report is .txt, .md, .json or .csv",
                         f->save.output);
}

/* "5m", "1d", "1h30m" as milliseconds. */
static bool read_step(const struct flm_query_fields *f, int64_t *step_ms, struct flm_error *why)
{
    char text[40];
    if (!f->step)
        return true;
    snprintf(text, sizeof text, "-%s", f->step);
    return (strlen(f->step) < 32 && flm_time_parse(flm_bytes_of(text), 0, step_ms, NULL) &&
            *step_ms < 0 && (*step_ms = -*step_ms) >= 1000) ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "--step is a second or more, such as 5m or 1d, not '%s'", f->step);
}

/* ---- Of a server ----------------------------------------------------------------------------- */

static int exit_of(const char *verdict)
{
    return strcmp(verdict, "FAIL") == 0   ? FLM_EXIT_NO
           : strcmp(verdict, "PASS") == 0 ? FLM_EXIT_DONE
                                          : FLM_EXIT_UNKNOWN;
}

static bool print_reply(const struct flm_query_fields *f, const struct flm_http_reply *reply,
                        struct flm_error *why)
{
    struct flm_output output;
    if (!flm_output_open(&output, output_of(f), why))
        return false;
    flm_text_add(&output.text, (struct flm_bytes){reply->body.at, reply->body.size});
    if (reply->body.size > 0 && reply->body.at[reply->body.size - 1] != '\n')
        flm_text_putc(&output.text, '\n');
    return flm_output_close(&output, true, why);
}

static int ask(const struct flm_query_fields *f, enum flm_report_form form, int64_t step_ms)
{
    const char *path = f->top ? "/api/v1/top" : f->gate ? "/api/v1/gate" : "/api/v1/changes";
    struct flm_http_reply reply;
    struct flm_error why;
    char rows[16] = "", alpha[40] = "", step[24] = "";
    if (f->rows >= 0)
        snprintf(rows, sizeof rows, "%d", f->rows);
    if (f->alpha >= 0)
        snprintf(alpha, sizeof alpha, "%.17g", f->alpha);
    if (step_ms > 0)
        snprintf(step, sizeof step, "%.3f", (double)step_ms / 1000);
    const char *const more[][2] = {{"format", form_names[form]},
                                   {"rows", rows},
                                   {"compare", f->compare},
                                   {"compare_selector", f->compare_selector},
                                   {"by", f->by},
                                   {"step", step},
                                   {"alpha", alpha}};
    bool good = flm_query_ask(f, path, more, sizeof more / sizeof more[0], "Flamel-Verdict", &reply,
                              &why) &&
                print_reply(f, &reply, &why);
    flm_text_putc(&reply.header, 0);
    int status = good && f->gate && !reply.header.failed ? exit_of(reply.header.at) : FLM_EXIT_DONE;
    flm_http_reply_clear(&reply);
    return good ? status : flm_message_error(&why);
}

/* ---- Of a store ------------------------------------------------------------------------------ */

static struct flm_report *make_top(struct flm_store *store, const struct flm_query_fields *f,
                                   struct flm_times range, struct flm_error *why)
{
    const struct flm_report_options options = {.size = sizeof options,
                                               .source = *f->selector ? f->selector : "all",
                                               .metric = f->save.metric,
                                               .rows = f->rows >= 0 ? (uint32_t)f->rows : 30};
    struct flm_profile *p = flm_query_merge(store, f, range, why);
    struct flm_report *report = p ? flm_report_top(p, &options, why) : NULL;
    flm_profile_free(p);
    return report;
}

static struct flm_run_set *align(const struct flm_store_runs *runs, const char *metric, bool dated,
                                 struct flm_error *why)
{
    size_t count;
    const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
    const struct flm_run_set_options how = {
        .size = sizeof how, .metric = metric, .order = dated ? FLM_ORDER_BY_DATE : FLM_ORDER_GIVEN};
    return flm_run_set_new(list, count, &how, why);
}

static struct flm_report *make_changes(struct flm_store *store, const struct flm_query_fields *f,
                                       struct flm_times range, int64_t step_ms,
                                       struct flm_error *why)
{
    const struct flm_store_query query = flm_query_of(f, range);
    const struct flm_store_runs_options options = {
        .size = sizeof options, .of_all = true, .step_ms = step_ms > 0 ? step_ms : DAY_MS};
    struct flm_series_settings how = {.size = sizeof how,
                                      .alpha = f->alpha >= 0 ? f->alpha : 0.01,
                                      .rows = f->rows >= 0 ? (uint32_t)f->rows : 5,
                                      .threads = flm_processor_count()};
    how.permutations = (uint32_t)fmax(999, flm_series_least_permutations(how.alpha));
    struct flm_store_runs *runs = flm_store_runs_new(why);
    struct flm_run_set *set = NULL;
    if (runs && flm_store_runs_add(runs, store, &query, &options, false, why))
        set = align(runs, f->save.metric, true, why);
    flm_store_runs_free(runs);
    struct flm_report *report = set ? flm_report_series(set, &how, why) : NULL;
    flm_run_set_free(set);
    return report;
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

/* The runs of both sides. */
static struct flm_run_set *load_sides(struct flm_store *store, const struct flm_query_fields *f,
                                      struct flm_times after, int64_t step_ms,
                                      struct flm_run_sides *sides, struct flm_error *why)
{
    struct flm_times range;
    struct flm_query_fields other;
    const struct flm_store_runs_options options = {
        .size = sizeof options, .by = f->by, .step_ms = step_ms};
    if (!flm_query_before(f, after, &other, &range, why) ||
        !flm_times_check_lengths(after, range, why))
        return NULL;
    const struct flm_store_query query = flm_query_of(f, after),
                                 before = flm_query_of(&other, range);
    if (!flm_run_sides_find(sides, store, &before, &query, &options, 0, why))
        return NULL;
    struct flm_run_set *set = align(sides->runs, f->save.metric, false, why);
    flm_store_runs_free(sides->runs);
    if (set && sides->is_replaced && !f->quiet)
        flm_message("some series have profiles in a part of the time only, as pods that a deploy "
                    "replaced: each step of all series is a run (--by or --step: another)");
    return set;
}

static int judge(struct flm_store *store, const struct flm_query_fields *f, struct flm_times after,
                 enum flm_report_form form, int64_t step_ms)
{
    static const int status[] = {[FLM_GATE_PASS] = FLM_EXIT_DONE,
                                 [FLM_GATE_FAIL] = FLM_EXIT_NO,
                                 [FLM_GATE_INCONCLUSIVE] = FLM_EXIT_UNKNOWN};
    const struct flm_gate_settings how = {.size = sizeof how,
                                          .alpha = f->alpha >= 0 ? f->alpha : 0.01,
                                          .rows = f->rows >= 0 ? (uint32_t)f->rows : 20,
                                          .threads = flm_processor_count()};
    const struct flm_gate_output_fields output = {
        .files = {.items = {f->save.output}, .count = f->save.output != NULL},
        .format = form_names[form]};
    struct flm_error why;
    struct flm_run_sides sides;
    if (after.until_ms == INT64_MAX)
        after.until_ms = flm_wall_ms();
    struct flm_run_set *set = flm_gate_output_check(&output, &why)
                                  ? load_sides(store, f, after, step_ms, &sides, &why)
                                  : NULL;
    struct flm_gate_result *result = set ? flm_gate_test(set, &how, &why) : NULL;
    struct flm_report *report = result ? flm_gate_report(result, &why) : NULL;
    bool good = report && flm_gate_output_write(&output, result, report, (uint32_t)sides.before,
                                                (uint32_t)sides.after, &why);
    int exit_status = good ? status[flm_gate_verdict(result)] : flm_message_error(&why);
    flm_report_free(report);
    flm_gate_result_free(result);
    flm_run_set_free(set);
    return exit_status;
}

/* ---- Which of them --------------------------------------------------------------------------- */

static bool check(const struct flm_query_fields *f, struct flm_error *why)
{
    if (f->top + f->gate + f->changes > 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "choose one of --top, --gate and --changes");
    if (f->save.to)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "-t is the format of a profile: that of a report is --json, --csv, "
                             "--markdown, or the extension of -o");
    if (f->gate && (!flm_query_compares(f) || !f->from))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--gate takes the time after a change (--from), and the time before "
                             "it (--compare FROM..UNTIL), or other labels (--compare-selector)");
    if (!f->gate && (flm_query_compares(f) || f->by))
        return flm_error_set(why, FLM_ERROR_USAGE, "%s is for --gate%s",
                             f->compare            ? "--compare"
                             : f->compare_selector ? "--compare-selector"
                                                   : "--by",
                             flm_query_compares(f) ? ", or for a profile (-o, -t)" : "");
    if (f->top && (f->step || f->alpha >= 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "%s is for --gate and --changes",
                             f->step ? "--step" : "--alpha");
    if (f->nodes >= 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--nodes is for profiles (-o, -t)");
    if (f->server.url && f->save.metric)
        return flm_error_set(why, FLM_ERROR_USAGE, "ask a server for a metric by --type");
    if (f->alpha >= 0 && !(f->alpha > 0 && f->alpha < 1))
        return flm_error_set(why, FLM_ERROR_USAGE, "--alpha is between 0 and 1");
    return flm_form_check(&f->form, why);
}

int flm_query_report(const struct flm_query_fields *f)
{
    struct flm_error why;
    struct flm_times range;
    enum flm_report_form form = flm_form_of(&f->form);
    int64_t step_ms = 0;
    int status = FLM_EXIT_DONE;
    bool is_local_gate = f->gate && !f->server.url; /* it has pictures too */
    if (!check(f, &why) || (!is_local_gate && !find_form(f, &form, &why)) ||
        !read_step(f, &step_ms, &why))
        return flm_message_error(&why);
    if (f->server.url)
        return ask(f, form, step_ms);
    struct flm_store *store = flm_query_range(f, &range, &why) ? flm_query_open(f, &why) : NULL;
    if (!store)
        return flm_message_error(&why);
    if (f->gate) {
        status = judge(store, f, range, form, step_ms);
    } else {
        struct flm_report *report =
            f->top ? make_top(store, f, range, &why) : make_changes(store, f, range, step_ms, &why);
        if (!report || !flm_report_print(report, form, output_of(f), &why))
            status = flm_message_error(&why);
        flm_report_free(report);
    }
    flm_store_close(store);
    return status;
}
