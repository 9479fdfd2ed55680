/* querier.c - querier.v1 of Pyroscope, which is what Grafana's data source reads: types, labels,
 * values over time, flame graphs and pprof. Times are milliseconds; the step is seconds.
 *
 * A type is NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT (core/arrival.h). What came in without labels
 * for its name and period, by flamel store add, is found by the names that they would have had. */
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
#include "serve/query/query_routes.h"

enum { MOST_STEPS = 11000, MOST_GROUPS = 200, MOST_NODES = 8192 };

static void fail(const struct flm_http_request *request, struct flm_http_response *response,
                 const struct flm_error *why)
{
    flm_text_clear(&response->body);
    flm_fail_connect(request, response, flm_status_of(why, 400), why->text);
}

/* ---- Selectors ------------------------------------------------------------------------------- */

/* The conditions of a selector, "{a=\"b\"}" or without braces. */
static void add_conditions(struct flm_text *out, const char *selector)
{
    struct flm_bytes text = flm_bytes_trimmed(flm_bytes_of(selector ? selector : ""));
    if (text.size >= 2 && text.at[0] == '{' && text.at[text.size - 1] == '}')
        text = flm_bytes_trimmed((struct flm_bytes){text.at + 1, text.size - 2});
    if (text.size > 0 && text.at[text.size - 1] == ',')
        text.size--;
    if (text.size == 0)
        return;
    if (out->size > 1)
        flm_text_putc(out, ',');
    flm_text_add(out, text);
}

/* name="value"; or, as a pattern, that value or none. */
static void add_condition(struct flm_text *out, const char *name, struct flm_bytes value,
                          bool or_none)
{
    if (out->size > 1)
        flm_text_putc(out, ',');
    flm_text_format(out, "%s%s\"", name, or_none ? "=~" : "=");
    for (size_t i = 0; i < value.size; i++) {
        char c = value.at[i];
        if (or_none && flm_is_one_of(c, ".*+?()[]{}|^$\\"))
            flm_text_puts(out, "\\\\");
        if (flm_is_one_of(c, "\"\\"))
            flm_text_putc(out, '\\');
        flm_text_putc(out, c);
    }
    flm_text_puts(out, or_none ? "|\"" : "\"");
}

/* The parts of a type: all five, or false. */
struct type_parts {
    struct flm_bytes name, type, unit, period_type, period_unit, period;
};

static bool split_type(const char *text, struct type_parts *parts, struct flm_error *why)
{
    struct flm_bytes found[5] = {{"", 0}}, rest = flm_bytes_of(text ? text : "");
    size_t count = 0;
    while (count < 5) {
        const char *colon = rest.size > 0 ? memchr(rest.at, ':', rest.size) : NULL;
        found[count] = (struct flm_bytes){rest.at, colon ? (size_t)(colon - rest.at) : rest.size};
        rest = flm_bytes_from(rest, found[count++].size + (colon != NULL));
        if (!colon)
            break;
    }
    if (count != 5 || rest.size > 0 || found[1].size == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "profileTypeID is NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT, not '%s'",
                             text ? text : "");
    *parts = (struct type_parts){
        found[0], found[1], found[2],
        found[3], found[4], {found[3].at, (size_t)(found[4].at + found[4].size - found[3].at)}};
    return true;
}

/* A query with its texts. */
struct asked {
    struct flm_store_query query;
    struct flm_text selector, type;
};

static void clear_asked(struct asked *a)
{
    flm_text_clear(&a->selector);
    flm_text_clear(&a->type);
}

static bool read_range(const struct flm_connect_request *r, struct flm_store_query *query,
                       struct flm_error *why)
{
    query->from_ms = flm_connect_integer(r, "start");
    query->until_ms = flm_connect_integer(r, "end");
    if (query->until_ms == 0) {
        query->from_ms = 0;
        query->until_ms = INT64_MAX;
    } else {
        query->until_ms++; /* the end is a part of the range here */
    }
    return query->from_ms < query->until_ms ||
           flm_error_set(why, FLM_ERROR_USAGE, "the range of time ends before it begins");
}

static bool read_asked(const struct flm_http_request *request, const struct flm_connect_request *r,
                       const char *more_name, const char *more_value, struct asked *a,
                       struct flm_error *why)
{
    struct type_parts parts = {.name = {"", 0}};
    *a = (struct asked){.query = {.size = sizeof a->query, .tenant = request->tenant}};
    if (!split_type(flm_connect_text(r, "profileTypeID"), &parts, why) ||
        !read_range(r, &a->query, why))
        return false;
    flm_text_putc(&a->selector, '{');
    add_conditions(&a->selector, flm_connect_text(r, "labelSelector"));
    if (more_name)
        add_condition(&a->selector, more_name, flm_bytes_of(more_value), false);
    add_condition(&a->selector, FLM_LABEL_NAME, parts.name,
                  flm_bytes_are(parts.name, flm_profile_kind(parts.type)));
    bool is_own = flm_bytes_equal(parts.type, parts.period_type) &&
                  flm_bytes_equal(parts.unit, parts.period_unit);
    add_condition(&a->selector, FLM_LABEL_PERIOD, parts.period, is_own);
    flm_text_puts(&a->selector, "}");
    flm_text_putc(&a->selector, 0);
    flm_text_add(&a->type, parts.type);
    flm_text_putc(&a->type, ':');
    flm_text_add(&a->type, flm_unit_named(parts.unit));
    flm_text_putc(&a->type, 0);
    a->query.selector = a->selector.at;
    a->query.type = a->type.at;
    return (!a->selector.failed && !a->type.failed) || flm_error_memory(why);
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
        bool good = read_range(&r, &query, &why);
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
            fail(request, response, &why);
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

static bool keep_text(void *context, struct flm_name name)
{
    return flm_http_field_add(context, (struct flm_bytes){name.at, name.size}, flm_bytes_of(""));
}

struct types {
    struct flm_text *out;
    struct flm_json_writer *json;
    struct flm_bytes name, period; /* "": derived from the type */
    bool failed;
};

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
    t->failed |= id.failed;
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
        flm_store_label_values(s->store, query, FLM_LABEL_NAME, keep_text, &names, why) &&
        flm_store_label_values(s->store, query, FLM_LABEL_PERIOD, keep_text, &periods, why) &&
        ((keep_text(&names, (struct flm_name){"", 0}) &&
          keep_text(&periods, (struct flm_name){"", 0})) ||
         flm_error_memory(why));
    for (size_t n = 0; good && n < names.count; n++)
        for (size_t p = 0; good && p < periods.count; p++) {
            struct flm_text selector = {0};
            t->name = flm_bytes_of(names.at[n].name);
            t->period = flm_bytes_of(periods.at[p].name);
            flm_text_putc(&selector, '{');
            add_condition(&selector, FLM_LABEL_NAME, t->name, false);
            add_condition(&selector, FLM_LABEL_PERIOD, t->period, false);
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
        bool good = read_range(&r, &query, &why) && add_types(s, &query, &t, &why);
        if (r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        if (!good)
            fail(request, response, &why);
    }
    flm_connect_clear(&r);
}

/* ---- Flame graphs ---------------------------------------------------------------------------- */

static void write_json(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    char number[32];
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "flamegraph", FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "names", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < f->names.count; i++)
        flm_json_add_text(&json, NULL, (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    flm_json_end(&json);
    flm_json_begin(&json, "levels", FLM_JSON_ARRAY_LINE);
    for (uint32_t level = 0; level < f->level_count; level++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(&json, "values", FLM_JSON_ARRAY_LINE);
        for (size_t i = 0; i < f->boxes.count; i++) {
            const struct flm_flamebearer_box *b = &f->boxes.at[i];
            const int64_t values[] = {b->gap, b->total, b->self, b->name};
            for (int k = 0; b->level == level && k < 4; k++) {
                snprintf(number, sizeof number, "%lld", (long long)values[k]);
                flm_json_add_text(&json, NULL, flm_bytes_of(number));
            }
        }
        flm_json_end(&json);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    snprintf(number, sizeof number, "%lld", (long long)f->total);
    flm_json_add_text(&json, "total", flm_bytes_of(number));
    snprintf(number, sizeof number, "%lld", (long long)f->max_self);
    flm_json_add_text(&json, "maxSelf", flm_bytes_of(number));
    flm_json_end(&json);
    flm_json_end(&json);
}

static void write_wire(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct flm_text graph = {0}, message = {0}, packed = {0};
    for (size_t i = 0; i < f->names.count; i++)
        flm_wire_put_bytes(&graph, 1, (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    for (uint32_t level = 0; level < f->level_count; level++) {
        for (size_t i = 0; i < f->boxes.count; i++) {
            const struct flm_flamebearer_box *b = &f->boxes.at[i];
            if (b->level != level)
                continue;
            flm_wire_put_varint(&packed, (uint64_t)b->gap);
            flm_wire_put_varint(&packed, (uint64_t)b->total);
            flm_wire_put_varint(&packed, (uint64_t)b->self);
            flm_wire_put_varint(&packed, b->name);
        }
        flm_wire_put_message(&message, 1, &packed);
        flm_wire_put_message(&graph, 2, &message);
    }
    flm_wire_put_number(&graph, 3, (uint64_t)f->total);
    flm_wire_put_number(&graph, 4, (uint64_t)f->max_self);
    flm_wire_put_message(out, 1, &graph);
    flm_text_clear(&graph);
    flm_text_clear(&message);
    flm_text_clear(&packed);
}

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
    (r->is_json ? write_json : write_wire)(&f, out);
    flm_flamebearer_clear(&f);
    return true;
}

static bool write_pprof(const struct flm_profile *p, struct flm_text *out, struct flm_error *why)
{
    const struct flm_save_options options = {.size = sizeof options, .format = "pprof"};
    struct flm_text packed = {0};
    struct flm_bytes plain;
    bool good =
        flm_save_stream(p, flm_text_sink, &packed, &options, why) &&
        flm_body_plain((struct flm_bytes){packed.at, packed.size}, SIZE_MAX / 2, out, &plain, why);
    /* Where it was not compressed it is not in `out`. */
    if (good && plain.at == packed.at)
        flm_text_add(out, plain);
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
    struct asked a = {.query = {0}};
    if (flm_connect_read(s, request, merge_fields, &r, response)) {
        struct flm_profile *p = NULL;
        bool good =
            !as_pprof || !r.is_json ||
            flm_error_set(&why, FLM_ERROR_USAGE, "a pprof is answered to application/proto only");
        if (good && read_asked(request, &r, NULL, NULL, &a, &why))
            p = flm_store_merge(s->store, &a.query, &why);
        if (!p || !(as_pprof ? write_pprof(p, &response->body, &why)
                             : write_graph(p, &r, &response->body, &why)))
            fail(request, response, &why);
        flm_profile_free(p);
    }
    clear_asked(&a);
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

/* ---- Over time ------------------------------------------------------------------------------- */

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
    struct asked a;
    double *values = NULL, step_s = flm_connect_double(r, "step");
    size_t count = 0;
    bool good = read_asked(request, r, p->label, p->value, &a, why);
    if (good && (!(step_s >= 0.001) || step_s > 1e9))
        good = flm_error_set(why, FLM_ERROR_USAGE, "step is a number of seconds above 0");
    p->step_ms = (int64_t)(step_s * 1000);
    p->from_ms = a.query.from_ms;
    if (good && (a.query.until_ms == INT64_MAX ||
                 (a.query.until_ms - p->from_ms) / p->step_ms >= MOST_STEPS))
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "there are more than %d steps between start and end", MOST_STEPS);
    if (good) {
        count = (size_t)((a.query.until_ms - p->from_ms + p->step_ms - 1) / p->step_ms);
        values = calloc(count + 1, sizeof *values);
        good = (values || flm_error_memory(why)) &&
               flm_store_timeline(s->store, &a.query, p->step_ms, values, count, why);
    }
    p->values = values;
    p->count = count;
    bool is_there = false;
    for (size_t i = 0; good && i < count; i++)
        is_there |= values[i] != 0;
    if (is_there)
        write_series(p);
    free(values);
    clear_asked(&a);
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
    bool good = groups == 1 || flm_error_set(why, FLM_ERROR_USAGE, "groupBy has one label here");
    good = good && flm_store_label_values(s->store, &query, p->label, keep_text, &values, why);
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

static void answer_series(struct flm_serving *s, const struct flm_http_request *request,
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
            fail(request, response, &why);
    }
    flm_connect_clear(&r);
}

#define METHOD(name, answer)                                                                       \
    {                                                                                              \
        "POST", "/querier.v1.QuerierService/" name, FLM_RIGHT_READ, answer, flm_fail_connect       \
    }

const struct flm_route flm_routes_querier[6] = {
    METHOD("ProfileTypes", answer_types),
    METHOD("LabelNames", answer_label_names),
    METHOD("LabelValues", answer_label_values),
    METHOD("SelectSeries", answer_series),
    METHOD("SelectMergeStacktraces", answer_stacktraces),
    METHOD("SelectMergeProfile", answer_profile),
};
