#include <stdio.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "format/protobuf/wire_write.h"
#include "serve/query/querier.h"
#include "serve/query/steps.h"

enum { MOST_GROUPS = 200 };

struct points {
    struct flm_text *out;
    struct flm_json_writer *json;
    const char *label, *value; /* of the group; NULL: all */
    int64_t from_ms, step_ms;
    const double *values;
    size_t count;
};

static void write_series(const struct points *p)
{
    struct flm_text series = {0}, message = {0};
    char time[32];
    if (p->json) {
        flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(p->json, "labels", FLM_JSON_ARRAY_LINE);
    }
    if (p->label && p->json) {
        flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(p->json, "name", flm_bytes_of(p->label));
        flm_json_add_text(p->json, "value", flm_bytes_of(p->value));
        flm_json_end(p->json);
    } else if (p->label) {
        flm_wire_put_bytes(&message, 1, flm_bytes_of(p->label));
        flm_wire_put_bytes(&message, 2, flm_bytes_of(p->value));
        flm_wire_put_message(&series, 1, &message);
    }
    if (p->json) {
        flm_json_end(p->json);
        flm_json_begin(p->json, "points", FLM_JSON_ARRAY_LINE);
    }
    for (size_t i = 0; i < p->count; i++) {
        int64_t at_ms = p->from_ms + (int64_t)i * p->step_ms;
        uint64_t bits;
        memcpy(&bits, &p->values[i], sizeof bits);
        if (p->values[i] == 0)
            continue;
        snprintf(time, sizeof time, "%lld", (long long)at_ms);
        if (p->json) {
            flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_add_number(p->json, "value", p->values[i]);
            flm_json_add_text(p->json, "timestamp", flm_bytes_of(time));
            flm_json_end(p->json);
        } else {
            flm_wire_put_fixed64(&message, 1, bits);
            flm_wire_put_number(&message, 2, (uint64_t)at_ms);
            flm_wire_put_message(&series, 2, &message);
        }
    }
    if (p->json) {
        flm_json_end(p->json);
        flm_json_end(p->json);
    } else {
        flm_wire_put_message(p->out, 1, &series);
    }
    flm_text_clear(&series);
    flm_text_clear(&message);
}

static bool add_series(struct flm_serving *s, const struct flm_http_request *request,
                       const struct flm_connect_request *r, struct points *p, struct flm_error *why)
{
    struct flm_querier_query a;
    struct flm_steps steps = {.count = 0};
    double *values = NULL;
    bool good = flm_querier_read(request, r, p->label, p->value, &a, why) &&
                flm_steps_make(&a.query, flm_connect_double(r, "step"), &steps, why);
    if (good) {
        values = calloc(steps.count + 1, sizeof *values);
        good = (values || flm_error_memory(why)) &&
               flm_store_timeline(s->store, &a.query, steps.step_ms, values, steps.count, why);
    }
    p->from_ms = a.query.from_ms;
    p->step_ms = steps.step_ms;
    p->values = values;
    p->count = steps.count;
    bool is_there = false;
    for (size_t i = 0; good && i < p->count; i++)
        is_there |= values[i] != 0;
    if (is_there)
        write_series(p);
    free(values);
    flm_querier_clear(&a);
    return good;
}

static bool add_groups(struct flm_serving *s, const struct flm_http_request *request,
                       const struct flm_connect_request *r, struct points *p, struct flm_error *why)
{
    struct flm_http_fields values = {0};
    struct flm_store_query query = {
        .size = sizeof query, .tenant = request->tenant, .until_ms = INT64_MAX};
    size_t groups = 0;
    for (size_t i = 0; i < r->fields.count; i++)
        groups += strcmp(r->fields.at[i].name, "groupBy") == 0;
    p->label = flm_connect_text(r, "groupBy");
    if (!p->label)
        return add_series(s, request, r, p, why);
    bool good =
        groups == 1 || flm_error_set(why, FLM_ERROR_USAGE, "groupBy takes at most one label");
    good =
        good && flm_store_label_values(s->store, &query, p->label, flm_querier_keep, &values, why);
    if (good && values.count > MOST_GROUPS)
        good =
            flm_error_set(why, FLM_ERROR_USAGE, "the label has more than %d values", MOST_GROUPS);
    for (size_t i = 0; good && i < values.count; i++) {
        p->value = values.at[i].name;
        good = add_series(s, request, r, p, why);
    }
    flm_http_fields_clear(&values);
    return good;
}

void flm_querier_select_series(struct flm_serving *s, const struct flm_http_request *request,
                               struct flm_http_response *response)
{
    static const struct flm_connect_field fields[] = {{1, "profileTypeID", FLM_CONNECT_TEXT},
                                                      {2, "labelSelector", FLM_CONNECT_TEXT},
                                                      {3, "start", FLM_CONNECT_INTEGER},
                                                      {4, "end", FLM_CONNECT_INTEGER},
                                                      {5, "groupBy", FLM_CONNECT_TEXT},
                                                      {6, "step", FLM_CONNECT_DOUBLE},
                                                      {0, NULL, 0}};
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(s, request, fields, &r, response)) {
        struct flm_json_writer json = {.out = &response->body};
        struct points p = {.out = &response->body, .json = r.is_json ? &json : NULL};
        if (r.is_json) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_begin(&json, "series", FLM_JSON_ARRAY_LINE);
        }
        bool good = add_groups(s, request, &r, &p, &why);
        if (r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        if (!good)
            flm_querier_fail(request, response, &why);
    }
    flm_connect_clear(&r);
}
