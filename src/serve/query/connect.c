#include "serve/query/connect.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/protobuf/wire_read.h"

static bool keep(struct flm_connect_request *out, const char *name, struct flm_bytes value,
                 struct flm_error *why)
{
    if (value.size > 0 && memchr(value.at, 0, value.size))
        return flm_error_set(why, FLM_ERROR_FORMAT, "there is a NUL in %s", name);
    return flm_http_field_add(&out->fields, flm_bytes_of(name), value) || flm_error_memory(why);
}

static bool keep_number(struct flm_connect_request *out, const struct flm_connect_field *field,
                        uint64_t bits, struct flm_error *why)
{
    char text[FLM_NUMBER_SIZE + 1];
    double value;
    size_t size;
    memcpy(&value, &bits, sizeof value);
    if (field->type == FLM_CONNECT_DOUBLE)
        size = flm_number_print(value, text);
    else
        size = (size_t)snprintf(text, sizeof text, "%lld", (long long)bits);
    return keep(out, field->name, (struct flm_bytes){text, size}, why);
}

static bool read_wire(struct flm_connect_request *out, const struct flm_connect_field *fields,
                      struct flm_bytes body, struct flm_error *why)
{
    struct flm_wire_input input = flm_wire_input_of(body);
    struct flm_wire m = flm_wire_all(&input);
    while (flm_wire_next(&m)) {
        const struct flm_connect_field *field = fields;
        while (field->name && field->number != m.field)
            field++;
        if (!field->name)
            continue;
        bool good = field->type == FLM_CONNECT_TEXT
                        ? m.type != FLM_WIRE_BYTES || keep(out, field->name, m.bytes, why)
                        : m.type == FLM_WIRE_BYTES || keep_number(out, field, m.number, why);
        if (!good)
            return false;
    }
    return flm_wire_end(&input, why);
}

static bool read_value(struct flm_connect_request *out, const char *name, struct flm_json *json,
                       struct flm_error *why)
{
    struct flm_bytes text;
    struct flm_json_number number;
    bool is_number = flm_json_type(json) == FLM_JSON_TYPE_NUMBER;
    bool good = is_number ? flm_json_number(json, &number) : flm_json_string(json, &text);
    return good && keep(out, name, is_number ? number.text : text, why);
}

static bool read_json(struct flm_connect_request *out, const struct flm_connect_field *fields,
                      struct flm_bytes body, struct flm_error *why)
{
    struct flm_source source = flm_source_of(body);
    struct flm_json json;
    struct flm_bytes key;
    bool good = true;
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (good && flm_json_next_key(&json, &key)) {
        const struct flm_connect_field *field = fields;
        while (field->name && !flm_bytes_are(key, field->name))
            field++;
        if (!field->name || flm_json_type(&json) == FLM_JSON_TYPE_NULL)
            continue;
        if (flm_json_type(&json) == FLM_JSON_TYPE_ARRAY) {
            flm_json_enter_array(&json);
            while (good && flm_json_next_item(&json))
                good = read_value(out, field->name, &json, why);
        } else {
            good = read_value(out, field->name, &json, why);
        }
    }
    if (good)
        return flm_json_finish(&json);
    flm_json_clear(&json);
    return false;
}

bool flm_connect_read(struct flm_serving *s, const struct flm_http_request *request,
                      const struct flm_connect_field *fields, struct flm_connect_request *out,
                      struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_error why;
    *out = (struct flm_connect_request){.is_json = flm_http_has_type(request, "application/json")};
    if (!out->is_json && !flm_http_has_type(request, "application/proto")) {
        flm_fail_connect(request, response, 415,
                         "the Content-Type is application/proto or application/json");
        return false;
    }
    bool good = flm_serve_body(s, request, &body, flm_fail_connect, response);
    if (good && !(out->is_json ? read_json(out, fields, body.plain, &why)
                               : read_wire(out, fields, body.plain, &why))) {
        flm_fail_connect(request, response, flm_status_of(&why, 400), why.text);
        good = false;
    }
    flm_body_clear(&body);
    response->type = good && !out->is_json ? "application/proto" : "application/json";
    return good;
}

void flm_connect_unimplemented(struct flm_serving *s, const struct flm_http_request *request,
                               struct flm_http_response *response)
{
    (void)s;
    flm_fail_connect(request, response, 501, "there is no such method here: see docs/serve.md");
}

void flm_connect_clear(struct flm_connect_request *request)
{
    flm_http_fields_clear(&request->fields);
}

const char *flm_connect_text(const struct flm_connect_request *request, const char *name)
{
    for (size_t i = 0; i < request->fields.count; i++)
        if (strcmp(request->fields.at[i].name, name) == 0)
            return request->fields.at[i].value;
    return NULL;
}

double flm_connect_double(const struct flm_connect_request *request, const char *name)
{
    const char *text = flm_connect_text(request, name);
    double value = 0;
    enum flm_number_kind kind =
        text ? flm_number_parse(flm_bytes_of(text), &value) : FLM_NUMBER_NONE;
    return kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL ? value : 0;
}

int64_t flm_connect_integer(const struct flm_connect_request *request, const char *name)
{
    double value = flm_connect_double(request, name);
    return value > -FLM_EXACT_LIMIT && value < FLM_EXACT_LIMIT ? (int64_t)value : 0;
}
