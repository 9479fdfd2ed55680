/* api.c - our own API: what there is as JSON, and sums as .flm files or another format.
 *
 * `from` and `until` are times, as flamel query has them. Each path takes the parameters that it
 * applies, and refuses others: docs/serve.md lists them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "base/text/json_write.h"
#include "flamel/algebra.h"
#include "flamel/file.h"
#include "os/clock.h"
#include "serve/query/api.h"
#include "serve/query/query_routes.h"
#include "serve/scrape/scraper.h"
#include "store/labels/time_text.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

static void limit(struct flm_store_query *query, struct flm_times range)
{
    query->from_ms = range.from_ms;
    query->until_ms = range.until_ms;
}

bool flm_api_query(const struct flm_http_request *request, const char *known,
                   struct flm_store_query *query, struct flm_error *why)
{
    *query = (struct flm_store_query){.size = sizeof *query,
                                      .tenant = request->tenant,
                                      .selector = flm_http_parameter(request, "selector"),
                                      .type = flm_http_parameter(request, "type")};
    const char *from = flm_http_parameter(request, "from"),
               *until = flm_http_parameter(request, "until");
    struct flm_times range;
    if (!flm_serve_parameters(request, known, why) ||
        !flm_times_parse(flm_bytes_of(from ? from : ""), flm_bytes_of(until ? until : ""),
                         flm_wall_ms(), &range, why))
        return false;
    limit(query, range);
    return true;
}

bool flm_api_compared(const struct flm_http_request *request, const struct flm_store_query *query,
                      struct flm_store_query *other, struct flm_error *why)
{
    const char *compare = flm_http_parameter(request, "compare"),
               *selector = flm_http_parameter(request, "compare_selector");
    struct flm_times range;
    *other = *query;
    if (selector)
        other->selector = selector;
    if (!compare)
        return true;
    if (!flm_times_parse_pair(flm_bytes_of(compare), "compare", flm_wall_ms(), &range, why))
        return false;
    limit(other, range);
    return true;
}

bool flm_api_number(const struct flm_http_request *request, const char *name, double *value,
                    struct flm_error *why)
{
    const char *text = flm_http_parameter(request, name);
    return !text || flm_number_parse(flm_bytes_of(text), value) != FLM_NUMBER_NONE ||
           flm_error_set(why, FLM_ERROR_USAGE, "the parameter '%s' is a number%s, not '%s'", name,
                         strcmp(name, "step") == 0 ? " of seconds" : "", text);
}

bool flm_api_count(const struct flm_http_request *request, const char *name, uint32_t least,
                   uint32_t most, uint32_t *value, struct flm_error *why)
{
    double number = *value;
    if (!flm_api_number(request, name, &number, why))
        return false;
    if (!(number >= least && number <= most && number == (uint32_t)number))
        return flm_error_set(why, FLM_ERROR_USAGE, "the parameter '%s' is %u to %u", name, least,
                             most);
    *value = (uint32_t)number;
    return true;
}

void flm_api_fail(const struct flm_http_request *request, struct flm_http_response *response,
                  const struct flm_error *why)
{
    flm_fail_json(request, response, flm_status_of(why, 400), why->text);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool add_text(void *context, struct flm_name text)
{
    flm_json_add_text(context, NULL, (struct flm_bytes){text.at, text.size});
    return true;
}

/* Labels that begin with __ are the server's own. */
static bool add_label(void *context, struct flm_name text)
{
    return flm_bytes_start_with((struct flm_bytes){text.at, text.size}, "__") ||
           add_text(context, text);
}

enum list { SERVICES, TYPES, LABELS, VALUES, SERIES };

static void answer_list(struct flm_serving *s, const struct flm_http_request *request,
                        struct flm_http_response *response, enum list list)
{
    static const char *const names[] = {"services", "types", "labels", "values", "series"};
    static const char *const known[] = {"selector", "from, until, selector, type", "selector",
                                        "label, selector", "selector"};
    struct flm_json_writer json = {.out = &response->body};
    struct flm_store_query query;
    struct flm_error why;
    const char *label = flm_http_parameter(request, "label");
    bool good = flm_api_query(request, known[list], &query, &why);
    if (good && list == VALUES && (!label || !*label))
        good = flm_error_set(&why, FLM_ERROR_USAGE, "the parameter 'label' is missing");
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, names[list], FLM_JSON_ARRAY_LINE);
    switch (list) {
    case SERVICES:
    case VALUES:
        good =
            good && flm_store_label_values(s->store, &query, list == SERVICES ? "service" : label,
                                           add_text, &json, &why);
        break;
    case TYPES:
        good = good && flm_store_types(s->store, &query, add_text, &json, &why);
        break;
    case LABELS:
        good = good && flm_store_label_names(s->store, &query, add_label, &json, &why);
        break;
    case SERIES:
        good = good && flm_store_series(s->store, &query, add_text, &json, &why);
        break;
    }
    flm_json_end(&json);
    flm_json_end(&json);
    response->type = "application/json";
    if (!good)
        flm_api_fail(request, response, &why);
}

#define LIST(name, what)                                                                           \
    static void name(struct flm_serving *s, const struct flm_http_request *request,                \
                     struct flm_http_response *response)                                           \
    {                                                                                              \
        answer_list(s, request, response, what);                                                   \
    }
LIST(answer_services, SERVICES)
LIST(answer_types, TYPES)
LIST(answer_labels, LABELS)
LIST(answer_values, VALUES)
LIST(answer_series, SERIES)

static void answer_targets(struct flm_serving *s, const struct flm_http_request *request,
                           struct flm_http_response *response)
{
    struct flm_json_writer json = {.out = &response->body};
    struct flm_error why;
    if (!flm_serve_parameters(request, "", &why)) {
        flm_api_fail(request, response, &why);
        return;
    }
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "targets", FLM_JSON_ARRAY_LINE);
    flm_scraper_list(s->scraper, request->tenant, &json);
    flm_json_end(&json);
    flm_json_end(&json);
    response->type = "application/json";
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static bool is_comparison(const struct flm_http_request *request)
{
    return flm_http_parameter(request, "compare") ||
           flm_http_parameter(request, "compare_selector");
}

/* Whether the format can hold what was asked for: one side, or two. */
static bool check_sides(const struct flm_http_request *request, struct flm_error *why)
{
    const char *format = flm_http_parameter(request, "format");
    if (format && is_comparison(request) && strcmp(format, "folded") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "folded stacks hold one side of a comparison: take difffolded");
    return !format || is_comparison(request) || strcmp(format, "difffolded") != 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "difffolded takes compare=FROM..UNTIL or compare_selector=SELECTOR");
}

static void fail_empty(const struct flm_http_request *request, struct flm_http_response *response)
{
    flm_fail_json(request, response, 404, "no profile matches the selector in this range of time");
}

struct flm_profile *flm_api_merge(struct flm_serving *s, const struct flm_http_request *request,
                                  const struct flm_store_query *query,
                                  struct flm_http_response *response)
{
    struct flm_error why;
    struct flm_profile *p = flm_serve_merge(s, query, &why);
    if (!p)
        flm_api_fail(request, response, &why);
    if (!p || flm_profile_node_count(p) > 1)
        return p;
    flm_profile_free(p);
    fail_empty(request, response);
    return NULL;
}

static bool save(const struct flm_http_request *request, const struct flm_profile *p,
                 struct flm_http_response *response, struct flm_error *why)
{
    static const struct {
        const char *name, *type;
    } formats[] = {
        {"flm", "application/octet-stream"},     {"pprof", "application/octet-stream"},
        {"folded", "text/plain; charset=utf-8"}, {"difffolded", "text/plain; charset=utf-8"},
        {"speedscope", "application/json"},      {"otlp", "application/octet-stream"}};
    const char *format = flm_http_parameter(request, "format");
    if (!format)
        format = "flm";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct flm_save_options options = {.size = sizeof options, .format = format};
        if (strcmp(formats[i].name, format) != 0)
            continue;
        response->type = formats[i].type;
        return flm_save_stream(p, flm_text_sink, &response->body, &options, why);
    }
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "there is no format '%s': there are flm, pprof, folded, difffolded, "
                         "speedscope and otlp",
                         format);
}

/* The sum of a query; of a comparison, both sides aligned, one of which may be empty. */
static struct flm_profile *merge(struct flm_serving *s, const struct flm_http_request *request,
                                 const struct flm_store_query *query,
                                 struct flm_http_response *response)
{
    struct flm_store_query other;
    struct flm_error why;
    if (!is_comparison(request))
        return flm_api_merge(s, request, query, response);
    struct flm_profile *new = NULL, *old = NULL, *both = NULL;
    if (flm_api_compared(request, query, &other, &why)) {
        new = flm_serve_merge(s, query, &why);
        old = new ? flm_serve_merge(s, &other, &why) : NULL;
        both = old ? flm_comparison_align(old, new, &why) : NULL;
    }
    flm_profile_free(old);
    flm_profile_free(new);
    if (both && flm_profile_node_count(both) > 1)
        return both;
    if (both)
        fail_empty(request, response);
    else
        flm_api_fail(request, response, &why);
    flm_profile_free(both);
    return NULL;
}

/* Takes the profile. What is larger than was asked for has its small nodes merged. */
static struct flm_profile *transform(const struct flm_http_request *request, struct flm_profile *p,
                                     uint32_t nodes, struct flm_error *why)
{
    const char *apply = flm_http_parameter(request, "apply");
    char limit[40];
    if (apply) {
        struct flm_profile *applied = flm_apply(p, apply, NULL, why);
        flm_profile_free(p);
        p = applied;
    }
    if (p && flm_profile_node_count(p) - 1 > nodes) {
        snprintf(limit, sizeof limit, "nodes:%u", nodes);
        struct flm_profile *limited = flm_apply(p, limit, NULL, why);
        flm_profile_free(p);
        p = limited;
    }
    return p;
}

static void answer_merge(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    struct flm_error why;
    struct flm_store_query query;
    uint32_t nodes = FLM_SERVE_NODES;
    if (!flm_api_query(
            request, "from, until, selector, type, compare, compare_selector, apply, nodes, format",
            &query, &why) ||
        !check_sides(request, &why) ||
        !flm_api_count(request, "nodes", 1, FLM_SERVE_MOST_NODES, &nodes, &why)) {
        flm_api_fail(request, response, &why);
        return;
    }
    struct flm_profile *p = merge(s, request, &query, response);
    if (!p)
        return;
    p = transform(request, p, nodes, &why);
    if (!p || !save(request, p, response, &why)) {
        flm_text_clear(&response->body);
        flm_api_fail(request, response, &why);
    }
    flm_profile_free(p);
}

const struct flm_route flm_routes_api[14] = {
    {"GET", "/api/v1/services", FLM_RIGHT_READ, answer_services, flm_fail_json},
    {"GET", "/api/v1/types", FLM_RIGHT_READ, answer_types, flm_fail_json},
    {"GET", "/api/v1/labels", FLM_RIGHT_READ, answer_labels, flm_fail_json},
    {"GET", "/api/v1/values", FLM_RIGHT_READ, answer_values, flm_fail_json},
    {"GET", "/api/v1/series", FLM_RIGHT_READ, answer_series, flm_fail_json},
    {"GET", "/api/v1/targets", FLM_RIGHT_READ, answer_targets, flm_fail_json},
    {"GET", "/api/v1/timeline", FLM_RIGHT_READ, flm_api_timeline, flm_fail_json},
    {"GET", "/api/v1/merge", FLM_RIGHT_READ, answer_merge, flm_fail_json},
    {"GET", "/api/v1/top", FLM_RIGHT_READ, flm_api_top, flm_fail_json},
    {"GET", "/api/v1/gate", FLM_RIGHT_READ, flm_api_gate, flm_fail_json},
    {"GET", "/api/v1/changes", FLM_RIGHT_READ, flm_api_changes, flm_fail_json},
    {"GET", "/api/v1/views", FLM_RIGHT_READ, flm_api_views, flm_fail_json},
    {"POST", "/api/v1/views", FLM_RIGHT_WRITE, flm_api_save_view, flm_fail_json},
    {"DELETE", "/api/v1/views", FLM_RIGHT_WRITE, flm_api_remove_view, flm_fail_json},
};
