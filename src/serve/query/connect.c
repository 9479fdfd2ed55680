#include "serve/query/connect.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/protobuf/wire_read.h"

static bool keep(struct flm_http_fields *out, const char *name, struct flm_bytes value,
                 struct flm_error *why)
{
    if (value.size > 0 && memchr(value.at, 0, value.size))
        return flm_error_set(why, FLM_ERROR_FORMAT, "there is a NUL in %s", name);
    return flm_http_field_add(out, flm_bytes_of(name), value) || flm_error_memory(why);
}

static bool refuse(const struct flm_connect_field *field, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_USAGE, "%s is not supported%s%s", field->name,
                         field->values ? ", but for " : "", field->values ? field->values : "");
}

static const struct flm_connect_field *field_of(const struct flm_connect_field *fields,
                                                uint32_t number, struct flm_bytes name)
{
    for (; fields->name; fields++)
        if (name.at ? flm_bytes_are(name, fields->name) : number == fields->number)
            return fields;
    return NULL;
}

/* Which of the parts of a table a field is. */
static size_t part_of(const struct flm_connect_field *fields, const struct flm_connect_field *field)
{
    size_t part = 0;
    for (; fields != field; fields++)
        part += fields->type == FLM_CONNECT_PART;
    assert(part < FLM_CONNECT_PARTS);
    return part;
}

/* ---- Protocol Buffers ------------------------------------------------------------------------ */

static bool keep_number(struct flm_http_fields *out, const struct flm_connect_field *field,
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

/* An enum takes its first values, as many as it has names. */
static bool check_number(const struct flm_connect_field *field, uint64_t number,
                         struct flm_error *why)
{
    uint64_t taken = 1;
    for (const char *at = field->values; (at = strchr(at, ',')) != NULL; at++)
        taken++;
    return number < taken || refuse(field, why);
}

static bool read_field(const struct flm_wire *m, const struct flm_connect_field *field,
                       struct flm_http_fields *out, struct flm_error *why)
{
    bool is_bytes = m->type == FLM_WIRE_BYTES;
    switch (field->type) {
    case FLM_CONNECT_TEXT:
        return !is_bytes || keep(out, field->name, m->bytes, why);
    case FLM_CONNECT_ENUM:
        return is_bytes || check_number(field, m->number, why);
    case FLM_CONNECT_REFUSED:
        return (is_bytes ? m->bytes.size == 0 : m->number == 0) || refuse(field, why);
    default:
        return is_bytes || keep_number(out, field, m->number, why);
    }
}

/* `parts`: of the message, NULL where it is one itself. */
static bool read_wire(struct flm_http_fields *out, struct flm_http_fields *parts,
                      const struct flm_connect_field *fields, struct flm_bytes body,
                      struct flm_error *why)
{
    struct flm_wire_input input = flm_wire_input_of(body);
    struct flm_wire m = flm_wire_all(&input);
    bool good = true;
    while (good && flm_wire_next(&m)) {
        const struct flm_connect_field *field =
            field_of(fields, m.field, (struct flm_bytes){NULL, 0});
        if (!field)
            continue;
        if (field->type != FLM_CONNECT_PART)
            good = read_field(&m, field, out, why);
        else if (parts && m.type == FLM_WIRE_BYTES)
            good = read_wire(&parts[part_of(fields, field)], NULL, field->fields, m.bytes, why);
    }
    return good && flm_wire_end(&input, why);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* PREFIX_SUM, SUM or 0. */
static bool check_name(const struct flm_connect_field *field, struct flm_bytes text,
                       struct flm_error *why)
{
    uint64_t number;
    if (flm_number_parse_uint(text, &number))
        return check_number(field, number, why);
    for (const char *at = field->values; *at; at += strspn(at, ", ")) {
        size_t size = strcspn(at, ",");
        if (text.size >= size && memcmp(text.at + text.size - size, at, size) == 0 &&
            (text.size == size || text.at[text.size - size - 1] == '_'))
            return true;
        at += size;
    }
    return refuse(field, why);
}

static bool read_value(struct flm_http_fields *out, const struct flm_connect_field *field,
                       struct flm_json *json, struct flm_error *why)
{
    struct flm_bytes text;
    struct flm_json_number number;
    if (field->type == FLM_CONNECT_REFUSED)
        return refuse(field, why);
    bool is_number = flm_json_type(json) == FLM_JSON_TYPE_NUMBER;
    if (!(is_number ? flm_json_number(json, &number) : flm_json_string(json, &text)))
        return false;
    if (is_number)
        text = number.text;
    return field->type == FLM_CONNECT_ENUM ? check_name(field, text, why)
                                           : keep(out, field->name, text, why);
}

static bool read_object(struct flm_http_fields *out, struct flm_http_fields *parts,
                        const struct flm_connect_field *fields, struct flm_json *json,
                        struct flm_error *why)
{
    struct flm_bytes key;
    bool good = flm_json_enter_object(json);
    while (good && flm_json_next_key(json, &key)) {
        const struct flm_connect_field *field = field_of(fields, 0, key);
        if (!field || flm_json_type(json) == FLM_JSON_TYPE_NULL)
            continue;
        if (field->type == FLM_CONNECT_PART) {
            if (parts)
                good = read_object(&parts[part_of(fields, field)], NULL, field->fields, json, why);
        } else if (flm_json_type(json) == FLM_JSON_TYPE_ARRAY) {
            flm_json_enter_array(json);
            while (good && flm_json_next_item(json))
                good = read_value(out, field, json, why);
        } else {
            good = read_value(out, field, json, why);
        }
    }
    return good;
}

static bool read_json(struct flm_connect_request *out, const struct flm_connect_field *fields,
                      struct flm_bytes body, struct flm_error *why)
{
    struct flm_source source = flm_source_of(body);
    struct flm_json json;
    flm_json_init(&json, &source, why);
    if (read_object(&out->fields, out->part, fields, &json, why))
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
                               : read_wire(&out->fields, out->part, fields, body.plain, &why))) {
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
    for (size_t i = 0; i < FLM_CONNECT_PARTS; i++)
        flm_http_fields_clear(&request->part[i]);
}

const char *flm_connect_text(const struct flm_http_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->at[i].name, name) == 0)
            return fields->at[i].value;
    return NULL;
}

double flm_connect_double(const struct flm_http_fields *fields, const char *name)
{
    const char *text = flm_connect_text(fields, name);
    double value = 0;
    enum flm_number_kind kind =
        text ? flm_number_parse(flm_bytes_of(text), &value) : FLM_NUMBER_NONE;
    return kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL ? value : 0;
}

int64_t flm_connect_integer(const struct flm_http_fields *fields, const char *name)
{
    double value = flm_connect_double(fields, name);
    return value > -FLM_EXACT_LIMIT && value < FLM_EXACT_LIMIT ? (int64_t)value : 0;
}
