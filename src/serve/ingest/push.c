/* push.c - push.v1 of Connect, as Alloy and Pyroscope's own agents push:
 *
 *     POST /push.v1.PusherService/Push      application/proto or application/json
 *
 *     PushRequest  1 series*   1 labels*   {1 name, 2 value}
 *                              2 samples*  {1 raw profile: pprof, mostly under gzip, 2 ID}
 *
 * In JSON members have the names series, labels, name, value, samples, rawProfile (base64), ID.
 * Both are read into the same arrivals: the labels of a series may come behind its samples, so they
 * are collected first. */
#include "base/encode/base64.h"
#include "base/text/json_read.h"
#include "format/protobuf/wire_read.h"
#include "serve/core/arrival.h"
#include "serve/ingest/ingest.h"
#include "store/labels/series_labels.h"

struct pushing {
    struct flm_serving *serving;
    struct flm_arrivals arrivals;
    struct flm_http_fields labels; /* of the current series */
    struct flm_error *why;
    bool failed;
};

static bool fail(struct pushing *p)
{
    p->failed = true;
    return false;
}

static void keep_label(struct pushing *p, struct flm_bytes name, struct flm_bytes value)
{
    if (p->labels.count == FLM_STORE_MOST_LABELS) {
        flm_error_set(p->why, FLM_ERROR_FORMAT, "there are more than %d labels",
                      FLM_STORE_MOST_LABELS);
        fail(p);
        return;
    }
    bool good = (name.size == 0 || !memchr(name.at, 0, name.size)) &&
                (value.size == 0 || !memchr(value.at, 0, value.size));
    if (!good)
        flm_error_set(p->why, FLM_ERROR_FORMAT, "there is a NUL in a label");
    if (!good || (!flm_http_field_add(&p->labels, name, value) && !flm_error_memory(p->why)))
        fail(p);
}

static void add_sample(struct pushing *p, struct flm_bytes raw, struct flm_bytes id)
{
    if (id.size > 0 && memchr(id.at, 0, id.size))
        id.size = 0;
    struct flm_profile *profile = flm_arrival_read(p->serving, raw, "pprof", p->why);
    if (!profile) {
        fail(p);
        return;
    }
    if (!flm_arrivals_add(&p->arrivals, profile, FLM_ARRIVAL_NO_TIME, p->why)) {
        fail(p);
        return;
    }
    for (size_t i = 0; i < p->labels.count; i++)
        flm_arrival_label(&p->arrivals, flm_bytes_of(p->labels.at[i].name),
                          flm_bytes_of(p->labels.at[i].value));
    flm_arrival_name(&p->arrivals);
    flm_arrival_id(&p->arrivals, id, flm_bytes_of(""), raw);
}

/* ---- Protocol Buffers ------------------------------------------------------------------------ */

static void read_label(struct pushing *p, struct flm_wire m)
{
    struct flm_bytes name = {"", 0}, value = {"", 0};
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            name = m.bytes;
        else if (m.field == 2 && m.type == FLM_WIRE_BYTES)
            value = m.bytes;
    }
    keep_label(p, name, value);
}

static void read_sample(struct pushing *p, struct flm_wire m)
{
    struct flm_bytes raw = {"", 0}, id = {"", 0};
    while (flm_wire_next(&m))
        if (m.type == FLM_WIRE_BYTES && m.field == 1)
            raw = m.bytes;
        else if (m.type == FLM_WIRE_BYTES && m.field == 2)
            id = m.bytes;
    if (!m.input->reason)
        add_sample(p, raw, id);
}

static void read_series(struct pushing *p, struct flm_wire series)
{
    struct flm_wire m = series, inner;
    flm_http_fields_clear(&p->labels);
    while (!p->failed && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner))
            read_label(p, inner);
    m = series;
    while (!p->failed && flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &inner))
            read_sample(p, inner);
}

static bool read_wire(struct pushing *p, struct flm_bytes body)
{
    struct flm_wire_input input = flm_wire_input_of(body);
    struct flm_wire m = flm_wire_all(&input), series;
    while (!p->failed && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &series))
            read_series(p, series);
    return !p->failed && flm_wire_end(&input, p->why);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void read_json_label(struct pushing *p, struct flm_json *json)
{
    struct flm_bytes key, text;
    struct flm_text name = {0}, value = {0};
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        struct flm_text *into = flm_bytes_are(key, "name")    ? &name
                                : flm_bytes_are(key, "value") ? &value
                                                              : NULL;
        if (into && flm_json_string(json, &text))
            flm_text_add(into, text);
    }
    if (name.failed || value.failed)
        flm_json_fail_memory(json);
    else if (!json->failed)
        keep_label(p, (struct flm_bytes){name.at ? name.at : "", name.size},
                   (struct flm_bytes){value.at ? value.at : "", value.size});
    flm_text_clear(&name);
    flm_text_clear(&value);
}

static void add_sized(struct flm_text *out, const struct flm_text *text)
{
    flm_text_add(out, (struct flm_bytes){(const char *)&text->size, sizeof text->size});
    flm_text_add(out, (struct flm_bytes){text->at, text->size});
    out->failed |= text->failed;
}

static struct flm_bytes next_sized(const struct flm_text *in, size_t *at)
{
    size_t size;
    memcpy(&size, in->at + *at, sizeof size);
    struct flm_bytes found = {in->at + *at + sizeof size, size};
    *at += sizeof size + size;
    return found;
}

/* A profile and its ID. */
static void read_json_sample(struct flm_json *json, struct flm_text *raw, struct flm_text *id)
{
    struct flm_bytes key, text;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        bool is_raw = flm_bytes_are(key, "rawProfile") || flm_bytes_are(key, "raw_profile");
        if ((!is_raw && !flm_bytes_are(key, "ID")) || !flm_json_string(json, &text))
            continue;
        (is_raw ? raw : id)->size = 0;
        if (!is_raw)
            flm_text_add(id, text);
        else if (!flm_base64_decode(text, raw) && !raw->failed)
            flm_json_fail(json, "rawProfile is not base64");
        if (raw->failed || id->failed)
            flm_json_fail_memory(json);
    }
}

/* Its profiles, each behind its size and before its ID, since labels may come after them. */
static void read_json_samples(struct flm_json *json, struct flm_text *profiles)
{
    struct flm_text raw = {0}, id = {0};
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        raw.size = id.size = 0;
        read_json_sample(json, &raw, &id);
        add_sized(profiles, &raw);
        add_sized(profiles, &id);
        if (profiles->failed)
            flm_json_fail_memory(json);
    }
    flm_text_clear(&raw);
    flm_text_clear(&id);
}

static void read_json_series(struct pushing *p, struct flm_json *json)
{
    struct flm_text profiles = {0};
    struct flm_bytes key;
    size_t at = 0;
    flm_http_fields_clear(&p->labels);
    flm_json_enter_object(json);
    while (!p->failed && flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "labels")) {
            flm_json_enter_array(json);
            while (!p->failed && flm_json_next_item(json))
                read_json_label(p, json);
        } else if (flm_bytes_are(key, "samples")) {
            read_json_samples(json, &profiles);
        }
    }
    while (!p->failed && !json->failed && at < profiles.size) {
        struct flm_bytes raw = next_sized(&profiles, &at), id = next_sized(&profiles, &at);
        add_sample(p, raw, id);
    }
    flm_text_clear(&profiles);
}

static bool read_json(struct pushing *p, struct flm_bytes body)
{
    struct flm_source source = flm_source_of(body);
    struct flm_json json;
    struct flm_bytes key;
    flm_json_init(&json, &source, p->why);
    flm_json_enter_object(&json);
    while (!p->failed && flm_json_next_key(&json, &key))
        if (flm_bytes_are(key, "series")) {
            flm_json_enter_array(&json);
            while (!p->failed && flm_json_next_item(&json))
                read_json_series(p, &json);
        }
    if (!p->failed)
        return flm_json_finish(&json);
    flm_json_clear(&json);
    return false;
}

/* ---- The request ----------------------------------------------------------------------------- */

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    bool is_json = flm_http_has_type(request, "application/json");
    struct flm_body body;
    struct flm_error why;
    if (!is_json && !flm_http_has_type(request, "application/proto")) {
        flm_fail_connect(request, response, 415,
                         "the Content-Type is application/proto or application/json");
        return;
    }
    struct pushing p = {.serving = s, .why = &why};
    flm_arrivals_init(&p.arrivals, s, request);
    if (flm_serve_body(s, request, &body, flm_fail_connect, response)) {
        bool good = is_json ? read_json(&p, body.plain) : read_wire(&p, body.plain);
        unsigned status = good ? flm_arrivals_append(&p.arrivals, &why) : flm_status_of(&why, 400);
        if (status != 200)
            flm_fail_connect(request, response, status, why.text);
        else if (is_json)
            flm_text_puts(&response->body, "{}");
        if (status == 200)
            response->type = is_json ? "application/json" : "application/proto";
    }
    flm_arrivals_clear(&p.arrivals);
    flm_http_fields_clear(&p.labels);
    flm_body_clear(&body);
}

const struct flm_route flm_routes_push[1] = {
    {"POST", "/push.v1.PusherService/Push", FLM_RIGHT_WRITE, answer, flm_fail_connect},
};
