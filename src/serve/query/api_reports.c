/* api_reports.c - reports over the store, as `flamel report`, `flamel gate` and `flamel series`
 * have them over files: the functions that cost most; whether a deploy made it slower; since
 * when it is as it is. */
#include <math.h>
#include <stdlib.h>

#include "flamel/algebra.h"
#include "flamel/gate.h"
#include "flamel/store.h"
#include "os/clock.h"
#include "serve/query/api.h"
#include "store/labels/time_text.h"
#include "store/runs/run_sides.h"

/* What a request may cost. */
enum { MOST_RUNS = 400, MOST_ROWS = 10000 };

/* ---- Writing --------------------------------------------------------------------------------- */

static const struct form {
    const char *name, *type;
    enum flm_report_form form;
} forms[] = {{"json", "application/json", FLM_REPORT_JSON},
             {"text", "text/plain; charset=utf-8", FLM_REPORT_TEXT},
             {"markdown", "text/markdown; charset=utf-8", FLM_REPORT_MARKDOWN},
             {"csv", "text/csv; charset=utf-8", FLM_REPORT_CSV}};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const struct form *form_of(const struct flm_http_request *request, struct flm_error *why)
{
    const char *name = flm_http_parameter(request, "format");
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(name ? name : "json", forms[i].name) == 0)
            return &forms[i];
    flm_error_set(why, FLM_ERROR_USAGE,
                  "there is no format '%s': there are json, text, markdown and csv", name);
    return NULL;
}

/* Frees the report, which may be NULL: `why` is known then. */
static void answer(const struct flm_http_request *request, struct flm_report *report,
                   const struct form *form, struct flm_http_response *response,
                   struct flm_error *why)
{
    if (!report ||
        !flm_report_write(report, form->form, NULL, flm_text_sink, &response->body, why)) {
        flm_text_clear(&response->body);
        response->verdict = NULL;
        flm_api_fail(request, response, why);
    } else {
        response->type = form->type;
    }
    flm_report_free(report);
}

static bool is_one_of(const struct flm_http_request *request, const char *parameter,
                      const char *const *names, size_t count, size_t *which, struct flm_error *why)
{
    const char *name = flm_http_parameter(request, parameter);
    *which = 0;
    while (name && *which < count && strcmp(name, names[*which]) != 0)
        ++*which;
    return *which < count ||
           flm_error_set(why, FLM_ERROR_USAGE, "there is no %s '%s', only %s and %s", parameter,
                         name, names[0], names[1]);
}

/* ---- Functions ------------------------------------------------------------------------------- */

void flm_api_top(struct flm_serving *s, const struct flm_http_request *request,
                 struct flm_http_response *response)
{
    static const char *const sorts[] = {"self", "total", "name"};
    struct flm_store_query query;
    struct flm_error why;
    uint32_t rows = 30;
    size_t sort = 0;
    const char *apply = flm_http_parameter(request, "apply");
    const struct form *form = form_of(request, &why);
    if (!form ||
        !flm_api_query(request, "from, until, selector, type, apply, sort, rows, format", &query,
                       &why) ||
        !flm_api_count(request, "rows", 0, MOST_ROWS, &rows, &why) ||
        !is_one_of(request, "sort", sorts, 3, &sort, &why)) {
        flm_api_fail(request, response, &why);
        return;
    }
    struct flm_profile *p = flm_api_merge(s, request, &query, response), *applied = NULL;
    if (!p)
        return;
    if (apply)
        applied = flm_apply(p, apply, NULL, &why);
    const struct flm_report_options options = {
        .size = sizeof options,
        .source = query.selector && *query.selector ? query.selector : "all",
        .sort = (enum flm_report_sort)sort,
        .rows = rows};
    struct flm_report *report =
        !apply || applied ? flm_report_top(apply ? applied : p, &options, &why) : NULL;
    answer(request, report, form, response, &why);
    flm_profile_free(applied);
    flm_profile_free(p);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static bool read_share(const struct flm_http_request *request, const char *name, double least,
                       double *share, struct flm_error *why)
{
    return flm_api_number(request, name, share, why) &&
           ((*share > least && *share < 1) ||
            flm_error_set(why, FLM_ERROR_USAGE, "the parameter '%s' is between 0 and 1", name));
}

static bool read_runs(const struct flm_http_request *request, double step_s,
                      struct flm_store_runs_options *runs, struct flm_error *why)
{
    *runs = (struct flm_store_runs_options){
        .size = sizeof *runs, .by = flm_http_parameter(request, "by"), .most = MOST_RUNS};
    if (runs->by && !*runs->by)
        runs->by = NULL;
    if (!flm_api_number(request, "step", &step_s, why))
        return false;
    if (!(step_s >= 0 && step_s <= 1e9))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a step is a number of seconds up to 1000000000");
    runs->step_ms = (int64_t)(step_s * 1000);
    return true;
}

static struct flm_run_set *align(const struct flm_store_runs *runs, bool dated,
                                 struct flm_error *why)
{
    size_t count;
    const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
    const struct flm_run_set_options how = {.size = sizeof how,
                                            .order = dated ? FLM_ORDER_BY_DATE : FLM_ORDER_GIVEN};
    return flm_run_set_new(list, count, &how, why);
}

/* The queries for both sides, whose ranges of time end and are equally long. */
static bool read_sides(const struct flm_http_request *request, struct flm_store_query *after,
                       struct flm_store_query *before, struct flm_error *why)
{
    if (after->from_ms <= 0 || (!flm_http_parameter(request, "compare") &&
                                !flm_http_parameter(request, "compare_selector")))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a gate takes the time after a change (from, until), and the time "
                             "before it: compare=FROM..UNTIL; or other labels: compare_selector");
    if (after->until_ms == INT64_MAX)
        after->until_ms = flm_wall_ms();
    return flm_api_compared(request, after, before, why) &&
           flm_times_check_lengths((struct flm_times){after->from_ms, after->until_ms},
                                   (struct flm_times){before->from_ms, before->until_ms}, why);
}

static struct flm_gate_result *test(struct flm_serving *s, const struct flm_http_request *request,
                                    const struct flm_gate_settings *how, struct flm_run_set **set,
                                    struct flm_error *why)
{
    struct flm_store_query after, before;
    struct flm_store_runs_options options;
    uint32_t least = 0;
    if (!flm_api_query(request,
                       "from, until, selector, type, compare, compare_selector, by, step, "
                       "least_runs, side, alpha, min_effect, rows, format",
                       &after, why) ||
        !read_sides(request, &after, &before, why) || !read_runs(request, 0, &options, why) ||
        !flm_api_count(request, "least_runs", 0, MOST_RUNS, &least, why))
        return NULL;
    struct flm_run_sides sides;
    if (flm_run_sides_find(&sides, s->store, &before, &after, &options, least, why)) {
        *set = align(sides.runs, false, why);
        flm_store_runs_free(sides.runs);
    }
    return *set ? flm_gate_test(*set, how, why) : NULL;
}

void flm_api_gate(struct flm_serving *s, const struct flm_http_request *request,
                  struct flm_http_response *response)
{
    static const char *const sides[] = {"growth", "both"}, *const verdicts[] = {"PASS", "FAIL",
                                                                                "INCONCLUSIVE"};
    struct flm_gate_settings how = {
        .size = sizeof how, .alpha = 0.01, .min_effect = 0.001, .rows = 20};
    struct flm_run_set *set = NULL;
    struct flm_error why;
    size_t side = 0;
    const struct form *form = form_of(request, &why);
    bool good = form && is_one_of(request, "side", sides, 2, &side, &why) &&
                read_share(request, "alpha", 0, &how.alpha, &why) &&
                read_share(request, "min_effect", -1, &how.min_effect, &why) &&
                flm_api_count(request, "rows", 0, MOST_ROWS, &how.rows, &why);
    how.both_directions = side == 1;
    how.min_effect = how.min_effect > 0 ? how.min_effect : -1;
    struct flm_gate_result *result = good ? test(s, request, &how, &set, &why) : NULL;
    if (result)
        response->verdict = verdicts[flm_gate_verdict(result)];
    answer(request, result ? flm_gate_report(result, &why) : NULL, form, response, &why);
    flm_gate_result_free(result);
    flm_run_set_free(set);
}

/* ---- Changes in the course of time ----------------------------------------------------------- */

void flm_api_changes(struct flm_serving *s, const struct flm_http_request *request,
                     struct flm_http_response *response)
{
    enum { DAY_S = 24 * 3600 };
    struct flm_series_settings how = {.size = sizeof how, .alpha = 0.01, .rows = 5};
    struct flm_store_runs_options options = {.of_all = true};
    struct flm_store_query query;
    struct flm_run_set *set = NULL;
    struct flm_error why;
    const struct form *form = form_of(request, &why);
    bool good = form &&
                flm_api_query(request, "from, until, selector, type, step, alpha, rows, format",
                              &query, &why) &&
                read_share(request, "alpha", 0, &how.alpha, &why) &&
                flm_api_count(request, "rows", 0, MOST_ROWS, &how.rows, &why) &&
                read_runs(request, DAY_S, &options, &why);
    options.of_all = true;
    if (good && options.step_ms < 1000)
        good = flm_error_set(&why, FLM_ERROR_USAGE, "a step is a second at least");
    how.permutations = (uint32_t)fmax(999, flm_series_least_permutations(how.alpha));
    struct flm_store_runs *runs = good ? flm_store_runs_new(&why) : NULL;
    if (runs && flm_store_runs_add(runs, s->store, &query, &options, false, &why))
        set = align(runs, true, &why);
    flm_store_runs_free(runs);
    answer(request, set ? flm_report_series(set, &how, &why) : NULL, form, response, &why);
    flm_run_set_free(set);
}
