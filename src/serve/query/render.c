/* render.c - /pyroscope/render, render-diff and label-values, as Pyroscope's older clients ask.
 *
 *     /pyroscope/render?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="api"}
 *                      &from=now-1h&until=now&max-nodes=1024
 *
 * A query is a type of a profile with a selector. The answer is a flame graph as flamebearer.h has
 * it, with numbers, the values over time, and what they are of. */
#include <stdio.h>
#include <stdlib.h>

#include "os/clock.h"
#include "serve/query/querier.h"
#include "serve/query/query_routes.h"
#include "serve/query/steps.h"
#include "store/labels/time_text.h"

enum { MOST_NODES = 8192, SHORTEST_STEP_S = 10, MOST_POINTS = 1500, MOST_GROUPS = 1000 };

/* One side: its parameters become the fields that querier.v1 has. */
struct side {
    struct flm_http_fields fields;
    struct flm_querier_query query;
};

static void clear_side(struct side *side)
{
    flm_http_fields_clear(&side->fields);
    flm_querier_clear(&side->query);
}

static bool add_time(const struct flm_http_request *request, const char *name, const char *field,
                     struct flm_http_fields *out, struct flm_error *why)
{
    const char *text = flm_http_parameter(request, name);
    int64_t now_ms = flm_wall_ms(), time_ms = now_ms;
    if (!text && strcmp(field, "start") == 0)
        time_ms -= 3600 * 1000;
    if (text && !flm_time_parse(flm_bytes_of(text), now_ms, &time_ms, why))
        return flm_error_within(why, name);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)time_ms);
    return flm_http_field_add(out, flm_bytes_of(field), flm_bytes_of(number)) ||
           flm_error_memory(why);
}

/* `names`: of the query and its times, "leftQuery" "leftFrom" "leftUntil". */
static bool read_side(const struct flm_http_request *request, const char *const names[3],
                      struct side *side, struct flm_error *why)
{
    *side = (struct side){.fields = {0}};
    const char *query = flm_http_parameter(request, names[0]);
    if (!query)
        return flm_error_set(why, FLM_ERROR_USAGE, "the parameter '%s' is missing", names[0]);
    size_t type = strcspn(query, "{");
    const struct flm_bytes id = {query, type}, selector = flm_bytes_of(query + type);
    if (!flm_http_field_add(&side->fields, flm_bytes_of("profileTypeID"), id) ||
        !flm_http_field_add(&side->fields, flm_bytes_of("labelSelector"), selector))
        return flm_error_memory(why);
    return add_time(request, names[1], "start", &side->fields, why) &&
           add_time(request, names[2], "end", &side->fields, why) &&
           flm_querier_read(request, &side->fields, &side->query, why);
}

/* What would change the answer, and is not made here. */
static bool check_format(const struct flm_http_request *request, struct flm_error *why)
{
    static const char *const taken[][3] = {{"format", "json", ""}, {"aggregation", "sum", ""}};
    for (size_t i = 0; i < 2; i++) {
        const char *value = flm_http_parameter(request, taken[i][0]);
        if (value && strcmp(value, taken[i][1]) != 0 && strcmp(value, taken[i][2]) != 0)
            return flm_error_set(why, FLM_ERROR_USAGE, "the parameter '%s' is %s, not '%s'",
                                 taken[i][0], taken[i][1], value);
    }
    return true;
}

static size_t most_nodes(const struct flm_http_request *request)
{
    const char *text = flm_http_parameter(request, "maxNodes");
    if (!text)
        text = flm_http_parameter(request, "max-nodes");
    unsigned long long most = text ? strtoull(text, NULL, 10) : 0;
    return most > 0 ? (size_t)most : MOST_NODES;
}

/* ---- Values over time ------------------------------------------------------------------------ */

struct timeline {
    struct flm_json_writer *json;
    const struct flm_store_query *query;
    const struct flm_steps *steps;
    bool is_group, is_there;
};

static bool write_timeline(void *context, const char *const *labels, const double *values)
{
    struct timeline *t = context;
    t->is_there = true;
    const char *key = t->is_group && labels ? labels[0] : "timeline";
    flm_json_begin(t->json, key, FLM_JSON_OBJECT_LINE);
    flm_json_add_integer(t->json, "startTime", t->query->from_ms / 1000);
    flm_json_begin(t->json, "samples", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < t->steps->count; i++)
        flm_json_add_number(t->json, NULL, values ? values[i] : 0);
    flm_json_end(t->json);
    flm_json_add_integer(t->json, "durationDelta", t->steps->step_ms / 1000);
    flm_json_begin(t->json, "watermarks", FLM_JSON_OBJECT_LINE);
    flm_json_end(t->json);
    flm_json_end(t->json);
    return true;
}

/* Whole steps, which begin at a multiple of their length. */
static bool steps_of(const struct flm_store_query *query, struct flm_store_query *whole,
                     struct flm_steps *steps, struct flm_error *why)
{
    int64_t step_ms = (query->until_ms - query->from_ms) / MOST_POINTS / 1000 * 1000;
    if (step_ms < SHORTEST_STEP_S * 1000)
        step_ms = SHORTEST_STEP_S * 1000;
    *whole = *query;
    whole->from_ms -= whole->from_ms % step_ms;
    return flm_steps_make(whole, (double)step_ms / 1000, steps, why);
}

static bool add_timelines(struct flm_serving *s, const struct flm_http_request *request,
                          const struct flm_store_query *query, struct flm_json_writer *json,
                          struct flm_error *why)
{
    const char *label = flm_http_parameter(request, "groupBy");
    struct flm_store_query whole;
    struct flm_steps steps;
    struct timeline t = {json, &whole, &steps, false, false};
    if (!steps_of(query, &whole, &steps, why) ||
        !flm_store_timelines(s->store, &whole, NULL, 0, steps.step_ms, steps.count, 1,
                             write_timeline, &t, why))
        return false;
    if (!t.is_there)
        write_timeline(&t, NULL, NULL);
    t.is_group = true;
    flm_json_begin(json, "groups", FLM_JSON_OBJECT_LINE);
    bool good = !label || flm_store_timelines(s->store, &whole, &label, 1, steps.step_ms,
                                              steps.count, MOST_GROUPS, write_timeline, &t, why);
    flm_json_end(json);
    return good;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* The type and unit of a type's ID: "cpu" and "nanoseconds". */
static void add_metadata(const struct side *side, const char *format, struct flm_json_writer *json)
{
    struct flm_bytes rest = flm_bytes_of(flm_connect_text(&side->fields, "profileTypeID"));
    struct flm_bytes parts[3] = {{"", 0}};
    for (int i = 0; i < 3; i++) {
        const char *colon = rest.size > 0 ? memchr(rest.at, ':', rest.size) : NULL;
        parts[i] = (struct flm_bytes){rest.at, colon ? (size_t)(colon - rest.at) : rest.size};
        rest = flm_bytes_from(rest, parts[i].size + (colon != NULL));
    }
    /* Time is in samples of a nanosecond, so that clients make seconds of it. */
    bool is_time = flm_bytes_are(parts[2], "nanoseconds");
    flm_json_begin(json, "metadata", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "format", flm_bytes_of(format));
    flm_json_add_text(json, "spyName", flm_bytes_of(""));
    flm_json_add_integer(json, "sampleRate", is_time ? 1000000000 : 100);
    flm_json_add_text(json, "units",
                      is_time                            ? flm_bytes_of("samples")
                      : flm_bytes_are(parts[2], "count") ? flm_bytes_of("objects")
                                                         : parts[2]);
    flm_json_add_text(json, "name", parts[1]);
    flm_json_end(json);
}

static void finish(const struct flm_http_request *request, struct flm_http_response *response,
                   bool good, const struct flm_error *why)
{
    response->type = "application/json";
    if (good)
        return;
    flm_text_clear(&response->body);
    flm_fail_json(request, response, flm_status_of(why, 400), why->text);
}

static void answer_render(struct flm_serving *s, const struct flm_http_request *request,
                          struct flm_http_response *response)
{
    static const char *const names[] = {"query", "from", "until"};
    struct flm_json_writer json = {.out = &response->body};
    struct flm_flamebearer f = {.level_count = 0};
    struct flm_profile *p = NULL;
    struct side side;
    struct flm_error why;
    bool good = read_side(request, names, &side, &why) && check_format(request, &why) &&
                (p = flm_serve_merge(s, &side.query.query, &why)) != NULL;
    const struct flm_metric first = {0};
    const struct flm_metric *const sides[] = {p && flm_profile_metric_count(p) > 0 ? &first : NULL};
    good = good && flm_flamebearer_make(p, sides, 1, most_nodes(request), &f, &why);
    if (good) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_integer(&json, "version", 1);
        flm_flamebearer_write_render(&f, &json);
        add_metadata(&side, "single", &json);
        good = add_timelines(s, request, &side.query.query, &json, &why);
        flm_json_end(&json);
    }
    finish(request, response, good, &why);
    flm_flamebearer_clear(&f);
    flm_profile_free(p);
    clear_side(&side);
}

static void answer_diff(struct flm_serving *s, const struct flm_http_request *request,
                        struct flm_http_response *response)
{
    static const char *const names[2][3] = {{"leftQuery", "leftFrom", "leftUntil"},
                                            {"rightQuery", "rightFrom", "rightUntil"}};
    struct flm_json_writer json = {.out = &response->body};
    struct flm_flamebearer f = {.level_count = 0};
    struct flm_profile *profiles[2] = {NULL, NULL}, *both = NULL;
    struct side sides[2] = {{.fields = {0}}};
    struct flm_error why;
    bool good = check_format(request, &why);
    for (int i = 0; good && i < 2; i++)
        good = read_side(request, names[i], &sides[i], &why);
    if (good && strcmp(flm_connect_text(&sides[0].fields, "profileTypeID"),
                       flm_connect_text(&sides[1].fields, "profileTypeID")) != 0)
        good = flm_error_set(&why, FLM_ERROR_USAGE, "both queries are of one type of profile");
    for (int i = 0; good && i < 2; i++)
        good = (profiles[i] = flm_serve_merge(s, &sides[i].query.query, &why)) != NULL;
    if (good)
        both = flm_querier_compare(profiles, most_nodes(request), &f, &why);
    good = both != NULL;
    if (good) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_integer(&json, "version", 1);
        flm_flamebearer_write_render(&f, &json);
        add_metadata(&sides[0], "double", &json);
        flm_json_add_integer(&json, "leftTicks", f.total[0]);
        flm_json_add_integer(&json, "rightTicks", f.total[1]);
        flm_json_end(&json);
    }
    finish(request, response, good, &why);
    flm_flamebearer_clear(&f);
    flm_profile_free(both);
    for (int i = 0; i < 2; i++) {
        flm_profile_free(profiles[i]);
        clear_side(&sides[i]);
    }
}

static bool add_value(void *json, struct flm_name text)
{
    flm_json_add_text(json, NULL, (struct flm_bytes){text.at, text.size});
    return true;
}

static void answer_values(struct flm_serving *s, const struct flm_http_request *request,
                          struct flm_http_response *response)
{
    struct flm_json_writer json = {.out = &response->body};
    struct flm_store_query query = {.size = sizeof query, .tenant = request->tenant};
    const char *label = flm_http_parameter(request, "label");
    struct flm_error why;
    bool good = (label && *label) ||
                flm_error_set(&why, FLM_ERROR_USAGE, "the parameter 'label' is missing");
    query.until_ms = INT64_MAX;
    query.selector = flm_http_parameter(request, "query");
    flm_json_begin(&json, NULL, FLM_JSON_ARRAY_LINE);
    good = good && flm_store_label_values(s->store, &query, label, add_value, &json, &why);
    flm_json_end(&json);
    finish(request, response, good, &why);
}

const struct flm_route flm_routes_render[3] = {
    {"GET", "/pyroscope/render", FLM_RIGHT_READ, answer_render, flm_fail_json},
    {"GET", "/pyroscope/render-diff", FLM_RIGHT_READ, answer_diff, flm_fail_json},
    {"GET", "/pyroscope/label-values", FLM_RIGHT_READ, answer_values, flm_fail_json},
};
