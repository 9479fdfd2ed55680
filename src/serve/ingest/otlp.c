/* otlp.c - profiles of OTLP/HTTP: POST /v1development/profiles, and /v1/profiles as collectors have
 * it, as application/x-protobuf or application/json; and ProfilesService/Export of gRPC. An
 * ExportProfilesServiceRequest has the fields of ProfilesData (format/otlp/otlp.h).
 *
 * Each resource is a series of its own: its string attributes are labels, with _ for what is no
 * letter or digit, as Prometheus and Pyroscope have them. So a request is read resource by
 * resource, each together with the dictionary that all share; how often the dictionary may be read
 * again is bounded. */
#include "format/otlp/otlp.h"

#include <stdio.h>

#include "base/text/json_write.h"
#include "format/protobuf/wire_read.h"
#include "format/protobuf/wire_write.h"
#include "serve/core/arrival.h"
#include "serve/ingest/ingest.h"
#include "store/labels/series_labels.h"

enum { MOST_ATTRIBUTES = 40 };

static bool is_json(const struct flm_http_request *request)
{
    return flm_http_has_type(request, "application/json");
}

/* google.rpc.Status: 1 code, 2 message. */
static void fail(const struct flm_http_request *request, struct flm_http_response *response,
                 unsigned status, const char *message)
{
    static const unsigned invalid_argument = 3, permission_denied = 7, resource_exhausted = 8,
                          unavailable = 14, unauthenticated = 16;
    unsigned code = status == 401                    ? unauthenticated
                    : status == 403                  ? permission_denied
                    : status == 413 || status == 429 ? resource_exhausted
                    : status == 503                  ? unavailable
                                                     : invalid_argument;
    response->status = status == 422 ? 400 : status;
    response->body.size = 0;
    if (is_json(request)) {
        struct flm_json_writer json = {.out = &response->body};
        response->type = "application/json";
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_integer(&json, "code", code);
        flm_json_add_text(&json, "message", flm_bytes_of(message));
        flm_json_end(&json);
        return;
    }
    response->type = "application/x-protobuf";
    flm_wire_put_number(&response->body, 1, code);
    flm_wire_put_bytes(&response->body, 2, flm_bytes_of(message));
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static void add_attribute(struct flm_arrivals *arrivals, struct flm_bytes key,
                          struct flm_bytes value)
{
    char name[FLM_STORE_LONGEST_KEY];
    if (key.size == 0 || key.size > sizeof name || value.size == 0 ||
        value.size > FLM_STORE_LONGEST_VALUE || memchr(value.at, 0, value.size))
        return;
    for (size_t i = 0; i < key.size; i++) {
        char c = key.at[i], lower = (char)(c | 0x20);
        name[i] = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ? c : '_';
    }
    flm_arrival_label(arrivals, (struct flm_bytes){name, key.size}, value);
}

/* KeyValue: 1 key, 2 value, of which 1 is a text. */
static void read_attribute(struct flm_arrivals *arrivals, struct flm_wire m)
{
    struct flm_bytes key = {"", 0}, value = {"", 0};
    struct flm_wire inner;
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES)
            key = m.bytes;
        else if (m.field == 2 && flm_wire_enter(&m, &inner))
            while (flm_wire_next(&inner))
                if (inner.field == 1 && inner.type == FLM_WIRE_BYTES)
                    value = inner.bytes;
    }
    /* Its arguments are another series for each run. */
    if (!flm_bytes_start_with(key, "process.command"))
        add_attribute(arrivals, key, value);
}

/* ResourceProfiles: 1 resource, whose field 1 are attributes; 2 scopes, whose field 2 are
 * profiles. */
static void read_resource(struct flm_arrivals *arrivals, struct flm_wire m)
{
    struct flm_wire resource, attribute;
    unsigned count = 0;
    while (flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &resource))
            while (flm_wire_next(&resource))
                if (resource.field == 1 && flm_wire_enter(&resource, &attribute) &&
                    count++ < MOST_ATTRIBUTES)
                    read_attribute(arrivals, attribute);
}

static bool has_profiles(struct flm_wire m)
{
    struct flm_wire scope;
    while (flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &scope))
            while (flm_wire_next(&scope))
                if (scope.field == 2)
                    return true;
    return false;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* What is read of all resources together, each with the dictionary: so many times what a body may
 * have. */
enum { MOST_TIMES = 4 };

struct reading {
    struct flm_arrivals *arrivals;
    size_t left; /* bytes that may still be read */
    struct flm_error *why;
};

static bool add_resource(struct reading *r, struct flm_wire resource, struct flm_bytes bytes,
                         struct flm_bytes dictionary)
{
    struct flm_arrivals *arrivals = r->arrivals;
    struct flm_error *why = r->why;
    struct flm_text one = {0};
    size_t size = bytes.size + dictionary.size;
    if (size > r->left)
        return flm_error_set(
            why, FLM_ERROR_RANGE,
            "there are too many resources for a dictionary of %llu KiB: send fewer "
            "in a request",
            (unsigned long long)(dictionary.size >> 10));
    r->left -= size;
    flm_wire_put_bytes(&one, 1, bytes);
    flm_wire_put_bytes(&one, 2, dictionary);
    struct flm_profile *profile = NULL;
    if (one.failed)
        flm_error_memory(why);
    else
        profile =
            flm_arrival_read(arrivals->serving, (struct flm_bytes){one.at, one.size}, "otlp", why);
    flm_text_clear(&one);
    if (!profile)
        return false;
    if (!flm_arrivals_add(arrivals, profile, FLM_ARRIVAL_NO_TIME, why))
        return false;
    read_resource(arrivals, resource);
    flm_arrival_name(arrivals);
    return true;
}

static bool read_message(struct reading *r, struct flm_bytes message)
{
    struct flm_wire_input input = flm_wire_input_of(message);
    struct flm_wire m = flm_wire_all(&input), resource;
    struct flm_bytes dictionary = {"", 0};
    while (flm_wire_next(&m))
        if (m.field == 2 && m.type == FLM_WIRE_BYTES)
            dictionary = m.bytes;
    if (!flm_wire_end(&input, r->why))
        return false;
    m = flm_wire_all(&input);
    while (flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &resource) && has_profiles(resource) &&
            !add_resource(r, resource, m.bytes, dictionary))
            return false;
    return flm_wire_end(&input, r->why);
}

/* Messages, each behind its size, which JSON became. */
static bool read_json(struct reading *r, struct flm_bytes body)
{
    struct flm_source source = flm_source_of(body);
    struct flm_text messages = {0};
    bool good = flm_otlp_from_json(&source, &messages, r->why);
    struct flm_wire_input input =
        flm_wire_input_of((struct flm_bytes){messages.at ? messages.at : "", messages.size});
    struct flm_wire m = flm_wire_all(&input);
    while (good && m.at < m.end) {
        const unsigned char *at = m.at;
        uint64_t size;
        if (!flm_wire_varint(&m, &at, &size) || size > (uint64_t)(m.end - at)) {
            good = flm_wire_end(&input, r->why);
            break;
        }
        good = read_message(r, (struct flm_bytes){(const char *)at, (size_t)size});
        m.at = at + size;
    }
    flm_text_clear(&messages);
    return good;
}

static void answer_any(struct flm_serving *s, const struct flm_http_request *request,
                       struct flm_http_response *response, flm_serve_fail fail_as)
{
    struct flm_body body;
    struct flm_error why;
    struct flm_arrivals arrivals;
    flm_arrivals_init(&arrivals, s, request);
    if (flm_serve_body(s, request, &body, fail_as, response)) {
        struct reading r = {&arrivals, MOST_TIMES * s->most_plain, &why};
        bool good = is_json(request) ? read_json(&r, body.plain) : read_message(&r, body.plain);
        unsigned status = good ? flm_arrivals_append(&arrivals, &why) : flm_status_of(&why, 400);
        if (status != 200) {
            fail_as(request, response, status, why.text);
        } else { /* an ExportProfilesServiceResponse in which nothing is rejected */
            response->type = is_json(request) ? "application/json" : "application/x-protobuf";
            if (is_json(request))
                flm_text_puts(&response->body, "{}");
        }
    }
    flm_arrivals_clear(&arrivals);
    flm_body_clear(&body);
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    if (is_json(request) || flm_http_has_type(request, "application/x-protobuf"))
        answer_any(s, request, response, fail);
    else
        fail(request, response, 415,
             "the Content-Type is application/x-protobuf or application/json");
}

static void answer_grpc(struct flm_serving *s, const struct flm_http_request *request,
                        struct flm_http_response *response)
{
    answer_any(s, request, response, flm_fail_text);
}

/* Drafts whose messages are other ones under the same numbers. */
static void refuse_draft(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    (void)s;
    flm_fail_text(
        request, response, 501,
        "this is v1experimental, a draft of OpenTelemetry's profiles before v1development: "
        "update the client");
}

#define OTLP "/opentelemetry.proto.collector.profiles."

const struct flm_route flm_routes_otlp[4] = {
    {"POST", "/v1development/profiles", FLM_RIGHT_WRITE, answer, fail},
    {"POST", "/v1/profiles", FLM_RIGHT_WRITE, answer, fail},
    {FLM_GRPC_METHOD, OTLP "v1development.ProfilesService/Export", FLM_RIGHT_WRITE, answer_grpc,
     flm_fail_text},
    {FLM_GRPC_METHOD, OTLP "v1experimental.ProfilesService/Export", FLM_RIGHT_WRITE, refuse_draft,
     flm_fail_text},
};
