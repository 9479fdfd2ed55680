/* datadog.c - POST /profiling/v1/input, as dd-trace pushes to an agent: multipart/form-data with
 * event.json and a pprof for each kind of profile.
 *
 *     event          {"start": "2026-11-28T06:00:00Z", "tags_profiler": "service:api,env:prod,...",
 *                     "attachments": ["space.pprof", "wall.pprof"]}
 *     wall.pprof     pprof, mostly compressed
 *
 * Tags are labels, `service` being the service; but not those that are other ones for each process
 * or profile. Other attachments (metrics.json, JFR) are ignored. */
#include "base/text/json_read.h"
#include "format/core/date.h"
#include "serve/core/arrival.h"
#include "serve/http/multipart.h"
#include "serve/ingest/ingest.h"
#include "store/labels/series_labels.h"

struct event {
    struct flm_text tags;
    struct flm_http_fields labels; /* of the tags */
    int64_t time_ms;
};

static bool read_event(struct flm_bytes bytes, struct event *event, struct flm_error *why)
{
    struct flm_source source = flm_source_of(bytes);
    struct flm_json json;
    struct flm_bytes key, text;
    int64_t time_ns;
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (flm_json_next_key(&json, &key)) {
        if (flm_bytes_are(key, "tags_profiler") && flm_json_string(&json, &text))
            flm_text_add(&event->tags, text);
        else if (flm_bytes_are(key, "start") && flm_json_string(&json, &text)) {
            if (flm_date_parse(text, &time_ns))
                event->time_ms = time_ns / 1000000;
            else
                flm_json_fail(&json, "'start' is not a time, such as 2026-11-28T06:00:00Z");
        }
    }
    return flm_json_finish(&json) && (!event->tags.failed || flm_error_memory(why));
}

/* Those that begin with _ are the client's own, as _dd.rc.client_id is. */
static bool is_of_a_process(struct flm_bytes tag)
{
    static const char *const names[] = {"runtime-id", "process_id", "profile_seq", "format", "pid"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (flm_bytes_are(tag, names[i]))
            return true;
    return flm_bytes_start_with(tag, "_");
}

/* Once, and not for each profile: there may be many of both. */
static bool read_tags(struct event *event, struct flm_error *why)
{
    struct flm_bytes rest = {event->tags.at, event->tags.size};
    while (rest.size > 0) {
        const char *comma = memchr(rest.at, ',', rest.size);
        struct flm_bytes pair = {rest.at, comma ? (size_t)(comma - rest.at) : rest.size};
        const char *colon = memchr(pair.at, ':', pair.size);
        rest = flm_bytes_from(rest, pair.size + (comma != NULL));
        if (!colon || memchr(pair.at, 0, pair.size))
            continue;
        struct flm_bytes name =
            flm_bytes_trimmed((struct flm_bytes){pair.at, (size_t)(colon - pair.at)});
        struct flm_bytes value = flm_bytes_from(pair, (size_t)(colon - pair.at) + 1);
        if (flm_bytes_are(name, "service"))
            name = flm_bytes_of(FLM_STORE_SERVICE);
        if (is_of_a_process(name) || flm_http_fields_have(&event->labels, name))
            continue;
        if (event->labels.count == FLM_STORE_MOST_LABELS)
            return flm_error_set(why, FLM_ERROR_FORMAT, "there are more than %d labels",
                                 FLM_STORE_MOST_LABELS);
        if (!flm_http_field_add(&event->labels, name, value))
            return flm_error_memory(why);
    }
    return true;
}

static bool is_event(const struct flm_part *part)
{
    return flm_bytes_are(part->name, "event") || flm_bytes_are(part->file_name, "event.json");
}

/* Twice: the event may come behind the profiles that it is of. */
static bool read_parts(struct flm_arrivals *arrivals, const char *type, struct flm_bytes body,
                       struct event *event, struct flm_error *why)
{
    struct flm_multipart m;
    struct flm_part part;
    bool has_event = false;
    if (!flm_multipart_init(&m, type, body, why))
        return false;
    while (!has_event && flm_multipart_next(&m, &part)) {
        has_event = is_event(&part);
        if (has_event && !read_event(part.bytes, event, why))
            return flm_error_within(why, "event");
    }
    if (m.failed)
        return false;
    if (!has_event)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there is no part 'event'");
    if (!read_tags(event, why))
        return false;
    flm_multipart_init(&m, type, body, why);
    while (flm_multipart_next(&m, &part)) {
        if (!flm_bytes_end_with(part.file_name, ".pprof") &&
            !flm_bytes_end_with(part.name, ".pprof"))
            continue;
        struct flm_profile *profile = flm_arrival_read(arrivals->serving, part.bytes, "pprof", why);
        if (!profile)
            return false;
        if (!flm_arrivals_add(arrivals, profile, event->time_ms, why))
            return false;
        for (size_t i = 0; i < event->labels.count; i++)
            flm_arrival_label(arrivals, flm_bytes_of(event->labels.at[i].name),
                              flm_bytes_of(event->labels.at[i].value));
        flm_arrival_name(arrivals);
    }
    return !m.failed;
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_error why;
    struct flm_arrivals arrivals;
    struct event event = {.time_ms = FLM_ARRIVAL_NO_TIME};
    if (!flm_http_has_type(request, "multipart/form-data")) {
        flm_fail_text(request, response, 415, "the Content-Type is multipart/form-data");
        return;
    }
    flm_arrivals_init(&arrivals, s, request);
    if (flm_serve_body(s, request, &body, flm_fail_text, response)) {
        bool good = read_parts(&arrivals, flm_http_header(request, "Content-Type"), body.plain,
                               &event, &why);
        unsigned status = good ? flm_arrivals_append(&arrivals, &why) : flm_status_of(&why, 400);
        if (status != 200)
            flm_fail_text(request, response, status, why.text);
    }
    flm_arrivals_clear(&arrivals);
    flm_text_clear(&event.tags);
    flm_http_fields_clear(&event.labels);
    flm_body_clear(&body);
}

const struct flm_route flm_routes_datadog[1] = {
    {"POST", "/profiling/v1/input", FLM_RIGHT_WRITE, answer, flm_fail_text},
};
