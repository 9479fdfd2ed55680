/* querier.c - querier.v1 of Pyroscope, which is what Grafana's data source reads: its methods, of
 * which flame graphs, their difference and pprof are here. */
#include "serve/query/querier.h"
#include "flamel/algebra.h"
#include "flamel/file.h"
#include "serve/http/body.h"
#include "serve/query/query_routes.h"

enum { MOST_NODES = 8192 };

void flm_querier_fail(const struct flm_http_request *request, struct flm_http_response *response,
                      const struct flm_error *why)
{
    flm_text_clear(&response->body);
    flm_fail_connect(request, response, flm_status_of(why, 400), why->text);
}

/* ---- Flame graphs ---------------------------------------------------------------------------- */

/* Nothing matches: the profile has no metric, and all is 0. */
static bool write_graph(const struct flm_profile *p, bool is_there, int64_t most_nodes,
                        bool is_json, struct flm_text *out, struct flm_error *why)
{
    const struct flm_metric first = {0}, *const sides[] = {is_there ? &first : NULL};
    struct flm_flamebearer f;
    if (!flm_flamebearer_make(p, sides, 1, most_nodes > 0 ? (size_t)most_nodes : MOST_NODES, &f,
                              why))
        return false;
    (is_json ? flm_flamebearer_write_json : flm_flamebearer_write_wire)(&f, out);
    flm_flamebearer_clear(&f);
    return true;
}

static bool write_pprof(const struct flm_profile *p, struct flm_text *out, struct flm_error *why)
{
    const struct flm_save_options options = {.size = sizeof options, .format = "pprof"};
    struct flm_text packed = {0};
    struct flm_body body = {.budget = NULL};
    bool good = flm_save_stream(p, flm_text_sink, &packed, &options, why) &&
                flm_body_read(&body, (struct flm_bytes){packed.at, packed.size}, SIZE_MAX / 2, why);
    if (good)
        flm_text_add(out, body.plain);
    flm_body_clear(&body);
    flm_text_clear(&packed);
    return good;
}

#define MERGE_FIELDS                                                                               \
    {1, "profileTypeID", FLM_CONNECT_TEXT, NULL, NULL},                                            \
        {2, "labelSelector", FLM_CONNECT_TEXT, NULL, NULL},                                        \
        {3, "start", FLM_CONNECT_INTEGER, NULL, NULL},                                             \
        {4, "end", FLM_CONNECT_INTEGER, NULL, NULL},                                               \
    {                                                                                              \
        5, "maxNodes", FLM_CONNECT_INTEGER, NULL, NULL                                             \
    }

static const struct flm_connect_field graph_fields[] = {
    MERGE_FIELDS,
    {6, "format", FLM_CONNECT_ENUM, "UNSPECIFIED, FLAMEGRAPH", NULL},
    {7, "stackTraceSelector", FLM_CONNECT_REFUSED, NULL, NULL},
    {8, "profileIdSelector", FLM_CONNECT_REFUSED, NULL, NULL},
    {0, NULL, 0, NULL, NULL}};

static const struct flm_connect_field pprof_fields[] = {
    MERGE_FIELDS,
    {6, "stackTraceSelector", FLM_CONNECT_REFUSED, NULL, NULL},
    {7, "profileIdSelector", FLM_CONNECT_REFUSED, NULL, NULL},
    {0, NULL, 0, NULL, NULL}};

static struct flm_profile *merge(struct flm_serving *s, const struct flm_http_request *request,
                                 const struct flm_http_fields *fields, struct flm_error *why)
{
    struct flm_querier_query a;
    struct flm_profile *p = NULL;
    if (flm_querier_read(request, fields, &a, why))
        p = flm_serve_merge(s, &a.query, why);
    flm_querier_clear(&a);
    return p;
}

static void answer_merge(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response, bool as_pprof)
{
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(s, request, as_pprof ? pprof_fields : graph_fields, &r, response)) {
        bool good =
            !as_pprof || !r.is_json ||
            flm_error_set(&why, FLM_ERROR_USAGE, "SelectMergeProfile needs application/proto");
        struct flm_profile *p = good ? merge(s, request, &r.fields, &why) : NULL;
        int64_t most = flm_connect_integer(&r.fields, "maxNodes");
        if (!p || !(as_pprof ? write_pprof(p, &response->body, &why)
                             : write_graph(p, flm_profile_metric_count(p) > 0, most, r.is_json,
                                           &response->body, &why)))
            flm_querier_fail(request, response, &why);
        flm_profile_free(p);
    }
    flm_connect_clear(&r);
}

static void answer_stacktraces(struct flm_serving *s, const struct flm_http_request *request,
                               struct flm_http_response *response)
{
    answer_merge(s, request, response, false);
}

static void answer_profile(struct flm_serving *s, const struct flm_http_request *request,
                           struct flm_http_response *response)
{
    answer_merge(s, request, response, true);
}

/* ---- Difference ------------------------------------------------------------------------------ */

struct flm_profile *flm_querier_compare(struct flm_profile *const profiles[2], size_t most_nodes,
                                        struct flm_flamebearer *out, struct flm_error *why)
{
    static const char *const names[] = {"left", "right"};
    const struct flm_profile *const both[] = {profiles[0], profiles[1]};
    struct flm_profile *p = flm_align(both, 2, FLM_ALIGN_SIDE_BY_SIDE, names, why);
    if (!p)
        return NULL;
    /* A side that nothing matches has no metric. */
    bool left = flm_profile_metric_count(profiles[0]) > 0,
         right = flm_profile_metric_count(profiles[1]) > 0;
    const struct flm_metric first = {0}, second = {left};
    const struct flm_metric *const sides[] = {left ? &first : NULL, right ? &second : NULL};
    if (flm_flamebearer_make(p, sides, 2, most_nodes, out, why))
        return p;
    flm_profile_free(p);
    return NULL;
}

static void answer_diff(struct flm_serving *s, const struct flm_http_request *request,
                        struct flm_http_response *response)
{
    static const struct flm_connect_field fields[] = {
        {1, "left", FLM_CONNECT_PART, NULL, graph_fields},
        {2, "right", FLM_CONNECT_PART, NULL, graph_fields},
        {0, NULL, 0, NULL, NULL}};
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(s, request, fields, &r, response)) {
        struct flm_profile *sides[2] = {NULL, NULL}, *both = NULL;
        struct flm_flamebearer f = {.level_count = 0};
        const char *type[2] = {flm_connect_text(&r.part[0], "profileTypeID"),
                               flm_connect_text(&r.part[1], "profileTypeID")};
        bool good = true;
        if (type[0] && type[1] && strcmp(type[0], type[1]) != 0)
            good = flm_error_set(&why, FLM_ERROR_USAGE,
                                 "profileTypeID of both sides is one: '%s' is not '%s'", type[0],
                                 type[1]);
        for (int i = 0; good && i < 2; i++)
            good = (sides[i] = merge(s, request, &r.part[i], &why)) != NULL;
        int64_t most = flm_connect_integer(&r.part[0], "maxNodes");
        if (good)
            both = flm_querier_compare(sides, most > 0 ? (size_t)most : MOST_NODES, &f, &why);
        good = both != NULL;
        if (good)
            (r.is_json ? flm_flamebearer_write_json : flm_flamebearer_write_wire)(&f,
                                                                                  &response->body);
        else
            flm_querier_fail(request, response, &why);
        flm_flamebearer_clear(&f);
        flm_profile_free(both);
        flm_profile_free(sides[0]);
        flm_profile_free(sides[1]);
    }
    flm_connect_clear(&r);
}

#define METHOD(name, answer)                                                                       \
    {                                                                                              \
        "POST", "/querier.v1.QuerierService/" name, FLM_RIGHT_READ, answer, flm_fail_connect       \
    }

const struct flm_route flm_routes_querier[9] = {
    METHOD("ProfileTypes", flm_querier_types),
    METHOD("LabelNames", flm_querier_label_names),
    METHOD("LabelValues", flm_querier_label_values),
    METHOD("Series", flm_querier_series),
    METHOD("SelectSeries", flm_querier_select_series),
    METHOD("SelectMergeStacktraces", answer_stacktraces),
    METHOD("SelectMergeProfile", answer_profile),
    METHOD("Diff", answer_diff),
    METHOD("*", flm_connect_unimplemented),
};
