/* querier.c - querier.v1 of Pyroscope, which is what Grafana's data source reads: types, labels,
 * flame graphs and pprof; querier_series.c has values over time. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "flamel/file.h"
#include "format/core/units.h"
#include "format/protobuf/wire_write.h"
#include "os/clock.h"
#include "serve/core/arrival.h"
#include "serve/http/body.h"
#include "serve/query/connect.h"
#include "serve/query/flamebearer.h"
#include "serve/query/querier.h"
#include "serve/query/query_routes.h"

enum { MOST_NODES = 8192 };

void flm_querier_fail(const struct flm_http_request *request, struct flm_http_response *response,
                      const struct flm_error *why)
{
    flm_text_clear(&response->body);
    flm_fail_connect(request, response, flm_status_of(why, 400), why->text);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

struct names {
    struct flm_text *out;
    struct flm_json_writer *json; /* NULL: Protocol Buffers */
};

static bool add_name(void *context, struct flm_name name)
{
    struct names *n = context;
    struct flm_bytes text = {name.at, name.size};
    if (n->json)
        flm_json_add_text(n->json, NULL, text);
    else
        flm_wire_put_bytes(n->out, 1, text);
    return true;
}

static void answer_names(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response, const struct flm_connect_field *fields,
                         bool values)
{
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(s, request, fields, &r, response)) {
        struct flm_json_writer json = {.out = &response->body};
        struct names names = {&response->body, r.is_json ? &json : NULL};
        struct flm_store_query query = {.size = sizeof query, .tenant = request->tenant};
        const char *name = flm_connect_text(&r, "name");
        bool good = flm_querier_range(&r, &query, &why);
        if (good && values && (!name || !*name))
            good = flm_error_set(&why, FLM_ERROR_USAGE, "the name of the label is missing");
        if (r.is_json) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_begin(&json, "names", FLM_JSON_ARRAY_LINE);
        }
        good =
            good && (values ? flm_store_label_values(s->store, &query, name, add_name, &names, &why)
                            : flm_store_label_names(s->store, &query, add_name, &names, &why));
        if (r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        if (!good)
            flm_querier_fail(request, response, &why);
    }
    flm_connect_clear(&r);
}

static void answer_label_names(struct flm_serving *s, const struct flm_http_request *request,
                               struct flm_http_response *response)
{
    static const struct flm_connect_field fields[] = {
        {2, "start", FLM_CONNECT_INTEGER}, {3, "end", FLM_CONNECT_INTEGER}, {0, NULL, 0}};
    answer_names(s, request, response, fields, false);
}

static void answer_label_values(struct flm_serving *s, const struct flm_http_request *request,
                                struct flm_http_response *response)
{
    static const struct flm_connect_field fields[] = {{1, "name", FLM_CONNECT_TEXT},
                                                      {3, "start", FLM_CONNECT_INTEGER},
                                                      {4, "end", FLM_CONNECT_INTEGER},
                                                      {0, NULL, 0}};
    answer_names(s, request, response, fields, true);
}

/* ---- Types ----------------------------------------------------------------------------------- */

bool flm_querier_keep(void *context, struct flm_name name)
{
    return flm_http_field_add(context, (struct flm_bytes){name.at, name.size}, flm_bytes_of(""));
}

struct types {
    struct flm_text *out;
    struct flm_json_writer *json;
    struct flm_bytes name, period; /* "": derived from the type */
    struct flm_http_fields ids; /* that were added: a derived one may be there by its labels too */
    bool failed;
};

static bool is_added(const struct types *t, const struct flm_text *id)
{
    for (size_t i = 0; i < t->ids.count; i++)
        if (flm_bytes_are((struct flm_bytes){id->at, id->size}, t->ids.at[i].name))
            return true;
    return false;
}

static bool add_type(void *context, struct flm_name found)
{
    static const char *const keys[] = {"ID",         "name",       "sampleType",
                                       "sampleUnit", "periodType", "periodUnit"};
    static const uint32_t numbers[] = {1, 2, 4, 5, 6, 7};
    struct types *t = context;
    struct flm_bytes text = {found.at, found.size};
    const char *colon = memchr(text.at, ':', text.size);
    struct flm_bytes type = {text.at, colon ? (size_t)(colon - text.at) : text.size};
    struct flm_bytes unit = flm_unit_long(flm_bytes_from(text, type.size + (colon != NULL)));
    struct flm_bytes name = t->name.size > 0 ? t->name : flm_bytes_of(flm_profile_kind(type));
    struct flm_bytes period_type = type, period_unit = unit;
    if (t->period.size > 0) {
        colon = memchr(t->period.at, ':', t->period.size);
        period_type.at = t->period.at;
        period_type.size = colon ? (size_t)(colon - t->period.at) : t->period.size;
        period_unit = flm_bytes_from(t->period, period_type.size + (colon != NULL));
    }
    struct flm_text id = {0}, message = {0};
    const struct flm_bytes parts[] = {name, type, unit, period_type, period_unit};
    for (int i = 0; i < 5; i++) {
        if (i > 0)
            flm_text_putc(&id, ':');
        flm_text_add(&id, parts[i]);
    }
    if (id.failed || is_added(t, &id)) {
        t->failed |= id.failed;
        flm_text_clear(&id);
        return !t->failed;
    }
    if (t->json)
        flm_json_begin(t->json, NULL, FLM_JSON_OBJECT_LINE);
    for (int i = 0; i < 6; i++) {
        struct flm_bytes value = i == 0 ? (struct flm_bytes){id.at, id.size} : parts[i - 1];
        if (t->json)
            flm_json_add_text(t->json, keys[i], value);
        else
            flm_wire_put_bytes(&message, numbers[i], value);
    }
    if (t->json)
        flm_json_end(t->json);
    else
        flm_wire_put_message(t->out, 1, &message);
    t->failed |= !flm_querier_keep(&t->ids, (struct flm_name){id.at, id.size});
    flm_text_clear(&id);
    flm_text_clear(&message);
    return !t->failed;
}

/* The types of each name and period that there are, and of what has neither. */
static bool add_types(struct flm_serving *s, struct flm_store_query *query, struct types *t,
                      struct flm_error *why)
{
    struct flm_http_fields names = {0}, periods = {0};
    bool good =
        flm_store_label_values(s->store, query, FLM_LABEL_NAME, flm_querier_keep, &names, why) &&
        flm_store_label_values(s->store, query, FLM_LABEL_PERIOD, flm_querier_keep, &periods,
                               why) &&
        ((flm_querier_keep(&names, (struct flm_name){"", 0}) &&
          flm_querier_keep(&periods, (struct flm_name){"", 0})) ||
         flm_error_memory(why));
    for (size_t n = 0; good && n < names.count; n++)
        for (size_t p = 0; good && p < periods.count; p++) {
            struct flm_text selector = {0};
            t->name = flm_bytes_of(names.at[n].name);
            t->period = flm_bytes_of(periods.at[p].name);
            flm_text_putc(&selector, '{');
            flm_querier_add_condition(&selector, FLM_LABEL_NAME, t->name, false);
            flm_querier_add_condition(&selector, FLM_LABEL_PERIOD, t->period, false);
            flm_text_puts(&selector, "}");
            flm_text_putc(&selector, 0);
            query->selector = selector.at;
            good = selector.failed ? flm_error_memory(why)
                                   : flm_store_types(s->store, query, add_type, t, why);
            flm_text_clear(&selector);
        }
    flm_http_fields_clear(&names);
    flm_http_fields_clear(&periods);
    return good && (!t->failed || flm_error_memory(why));
}

static void answer_types(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    static const struct flm_connect_field fields[] = {
        {1, "start", FLM_CONNECT_INTEGER}, {2, "end", FLM_CONNECT_INTEGER}, {0, NULL, 0}};
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(s, request, fields, &r, response)) {
        struct flm_json_writer json = {.out = &response->body};
        struct types t = {.out = &response->body, .json = r.is_json ? &json : NULL};
        struct flm_store_query query = {.size = sizeof query, .tenant = request->tenant};
        if (r.is_json) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_begin(&json, "profileTypes", FLM_JSON_ARRAY_LINE);
        }
        bool good = flm_querier_range(&r, &query, &why) && add_types(s, &query, &t, &why);
        if (r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        flm_http_fields_clear(&t.ids);
        if (!good)
            flm_querier_fail(request, response, &why);
    }
    flm_connect_clear(&r);
}

/* ---- Flame graphs ---------------------------------------------------------------------------- */

static bool write_graph(const struct flm_profile *p, const struct flm_connect_request *r,
                        struct flm_text *out, struct flm_error *why)
{
    struct flm_flamebearer f = {.level_count = 0};
    int64_t most = flm_connect_integer(r, "maxNodes");
    if (most <= 0)
        most = MOST_NODES;
    if (flm_profile_metric_count(p) > 0 &&
        !flm_flamebearer_make(p, (struct flm_metric){0}, (size_t)most, &f, why))
        return false;
    (r->is_json ? flm_flamebearer_write_json : flm_flamebearer_write_wire)(&f, out);
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

static const struct flm_connect_field merge_fields[] = {
    {1, "profileTypeID", FLM_CONNECT_TEXT}, {2, "labelSelector", FLM_CONNECT_TEXT},
    {3, "start", FLM_CONNECT_INTEGER},      {4, "end", FLM_CONNECT_INTEGER},
    {5, "maxNodes", FLM_CONNECT_INTEGER},   {0, NULL, 0}};

static void answer_merge(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response, bool as_pprof)
{
    struct flm_connect_request r;
    struct flm_error why;
    struct flm_querier_query a = {.query = {0}};
    if (flm_connect_read(s, request, merge_fields, &r, response)) {
        struct flm_profile *p = NULL;
        bool good =
            !as_pprof || !r.is_json ||
            flm_error_set(&why, FLM_ERROR_USAGE, "SelectMergeProfile needs application/proto");
        if (good && flm_querier_read(request, &r, NULL, NULL, &a, &why))
            p = flm_store_merge(s->store, &a.query, &why);
        if (!p || !(as_pprof ? write_pprof(p, &response->body, &why)
                             : write_graph(p, &r, &response->body, &why)))
            flm_querier_fail(request, response, &why);
        flm_profile_free(p);
    }
    flm_querier_clear(&a);
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

#define METHOD(name, answer)                                                                       \
    {                                                                                              \
        "POST", "/querier.v1.QuerierService/" name, FLM_RIGHT_READ, answer, flm_fail_connect       \
    }

const struct flm_route flm_routes_querier[7] = {
    METHOD("ProfileTypes", answer_types),
    METHOD("LabelNames", answer_label_names),
    METHOD("LabelValues", answer_label_values),
    METHOD("SelectSeries", flm_querier_select_series),
    METHOD("SelectMergeStacktraces", answer_stacktraces),
    METHOD("SelectMergeProfile", answer_profile),
    METHOD("*", flm_connect_unimplemented),
};
